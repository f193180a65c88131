//! The same requests have the same score in every log format.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Folder, Heard, write_parquet};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Float64Array, Int16Array, Int32Array, Int64Array, LargeStringArray,
    StringArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use robomata_engine::{Audience, Crawler, Dialect, History, StoreKind};
use robomata_formats::Timestamp;
use robomata_formats::log::LogFormat;
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::ScoreReport;
use robomata_jobs::score::{self, HostOfLog, ScoreJob};
use robomata_jobs::sources::{self, Keep, LoadOptions};
use robomata_jobs::{JobError, Silent, Strictness};

/// /a is disallowed in January 2024, /b from March on, with a delay of ten seconds.
const HISTORY: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-02-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /b\nCrawl-delay: 10"}
"#;

struct Request {
    time: &'static str,
    method: &'static str,
    path: &'static str,
    query: Option<&'static str>,
    status: u16,
    agent: Option<&'static str>,
}

const BOT: Option<&str> = Some("ExampleBot/1.0 (+http://bot.example)");

const fn got(time: &'static str, path: &'static str, agent: Option<&'static str>) -> Request {
    Request { time, method: "GET", path, query: None, status: 200, agent }
}

const REQUESTS: [Request; 12] = [
    got("2023-12-15T00:00:00Z", "/a", BOT),
    Request { query: Some("x=1&y"), ..got("2024-01-15T00:00:00Z", "/a", BOT) },
    Request { status: 404, ..got("2024-01-15T00:00:05Z", "/b", BOT) },
    got("2024-01-15T00:00:06Z", "/robots.txt", BOT),
    Request { method: "HEAD", ..got("2024-02-15T00:00:00Z", "/a", BOT) },
    got("2024-03-02T01:00:00Z", "/b", BOT),
    got("2024-03-02T01:00:05Z", "/a", BOT),
    Request { method: "DELETE", ..got("2024-03-02T01:00:14Z", "/c", BOT) },
    got("2024-03-02T01:00:30Z", "/c", BOT),
    got("2024-03-02T01:00:31Z", "/c", Some("Mozilla/5.0 (X11; Linux) Firefox/1.0")),
    got("2024-03-02T01:00:32Z", "/c", Some("curl/8.0")),
    got("2024-03-02T01:00:33Z", "/c", None),
];

impl Request {
    fn target(&self) -> String {
        self.query.map_or(self.path.to_owned(), |query| format!("{}?{query}", self.path))
    }

    fn url(&self) -> String {
        format!("https://a.example{}", self.target())
    }

    fn time(&self) -> Timestamp {
        self.time.parse().unwrap()
    }

    /// `[17/May/2015:10:05:03 +0000]`, for the months in the test data.
    fn common_time(&self) -> String {
        let (date, clock) = self.time.trim_end_matches('Z').split_once('T').unwrap();
        let [year, month, day] = date.split('-').collect::<Vec<_>>()[..] else { panic!("{date}") };
        let month = match month {
            "12" => "Dec",
            "01" => "Jan",
            "02" => "Feb",
            "03" => "Mar",
            other => panic!("month {other}"),
        };
        format!("[{day}/{month}/{year}:{clock} +0000]")
    }
}

fn lines(line: impl Fn(&Request) -> String) -> String {
    REQUESTS.iter().map(|request| line(request) + "\n").collect()
}

fn combined() -> String {
    lines(|request| {
        let (time, target) = (request.common_time(), request.target());
        let (method, status, agent) = (request.method, request.status, request.agent.unwrap_or("-"));
        format!("a.example 192.0.2.1 - - {time} \"{method} {target} HTTP/1.1\" {status} 5 \"-\" \"{agent}\"")
    })
}

fn json() -> String {
    lines(|request| {
        let (time, url) = (request.time, request.url());
        let Request { method, status, agent, .. } = request;
        serde_json::json!({"time": time, "url": url, "method": method, "status": status, "ua": agent})
            .to_string()
    })
}

fn tsv_of_urls() -> String {
    let header = "User_Agent\tn\tTIME\turl\tmethod\tstatus\r\n";
    let line = |request: &Request| {
        let (time, url) = (request.time, request.url());
        let Request { method, status, agent, .. } = request;
        format!("{}\t7\t{time}\t{url}\t{method}\t{status}\r", agent.unwrap_or(r"\N"))
    };
    header.to_owned() + &lines(line)
}

fn tsv_of_parts() -> String {
    let header = "ts\tscheme\thost\tport\tpath\tquery\tmethod\tstatus\tagent\n";
    let line = |request: &Request| {
        let seconds = request.time().seconds();
        let (query, agent) = (request.query.unwrap_or_default(), request.agent.unwrap_or_default());
        let Request { path, method, status, .. } = request;
        format!("{seconds}\thttps\ta.example\t-1\t{path}\t{query}\t{method}\t{status}\t{agent}")
    };
    header.to_owned() + &lines(line)
}

fn texts(of: impl Fn(&Request) -> Option<String>) -> ArrayRef {
    Arc::new(REQUESTS.iter().map(of).collect::<StringArray>())
}

fn numbers(of: impl Fn(Timestamp) -> i64) -> Vec<i64> {
    REQUESTS.iter().map(|request| of(request.time())).collect()
}

/// Every type that a column of times can have.
fn times() -> Vec<ArrayRef> {
    let seconds = numbers(Timestamp::seconds);
    let milliseconds = numbers(Timestamp::milliseconds);
    let microseconds = numbers(|time| time.milliseconds() * 1000);
    let nanoseconds = numbers(|time| time.milliseconds() * 1_000_000);
    vec![
        Arc::new(TimestampSecondArray::from(seconds.clone())),
        Arc::new(TimestampMillisecondArray::from(milliseconds).with_timezone("UTC")),
        Arc::new(TimestampMicrosecondArray::from(microseconds).with_timezone("+02:00")),
        Arc::new(TimestampNanosecondArray::from(nanoseconds)),
        Arc::new(Int64Array::from(seconds)),
        texts(|request| Some(request.time.to_owned())),
        texts(|request| Some(request.common_time())),
    ]
}

fn columns_of_urls(time: ArrayRef) -> Vec<(&'static str, ArrayRef)> {
    let agents: DictionaryArray<Int32Type> = REQUESTS.iter().map(|request| request.agent).collect();
    let urls: LargeStringArray = REQUESTS.iter().map(|request| Some(request.url())).collect();
    let statuses: Int16Array = REQUESTS.iter().map(|request| i16::try_from(request.status).ok()).collect();
    vec![
        ("other", texts(|_| None)),
        ("Time", time),
        ("URL", Arc::new(urls)),
        ("method", texts(|request| Some(request.method.to_owned()))),
        ("status", Arc::new(statuses)),
        ("user_agent", Arc::new(agents)),
    ]
}

fn columns_of_parts(time: (&'static str, ArrayRef)) -> Vec<(&'static str, ArrayRef)> {
    let ports: Int32Array = REQUESTS.iter().map(|_| Some(-1)).collect();
    vec![
        ("url_surtkey", texts(|_| Some("k".to_owned()))),
        ("url_host_name", texts(|_| Some("a.example".to_owned()))),
        ("url_protocol", texts(|_| Some("https".to_owned()))),
        ("url_port", Arc::new(ports)),
        ("url_path", texts(|request| Some(request.path.to_owned()))),
        ("url_query", texts(|request| request.query.map(str::to_owned))),
        time,
        ("method", texts(|request| Some(request.method.to_owned()))),
        ("user_agent", texts(|request| request.agent.map(str::to_owned))),
    ]
}

fn record(fields: &[(&str, &str)], block: &str) -> Vec<u8> {
    let mut record = b"WARC/1.1\r\n".to_vec();
    for (name, value) in fields {
        write!(record, "{name}: {value}\r\n").unwrap();
    }
    write!(record, "Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).unwrap();
    record
}

fn response(request: &Request, number: usize, concurrent_to: &str) -> Vec<u8> {
    let id = format!("<urn:answer:{number}>");
    let fields = [
        ("WARC-Type", if number == 4 { "revisit" } else { "response" }),
        ("WARC-Record-ID", id.as_str()),
        ("WARC-Concurrent-To", concurrent_to),
        ("WARC-Target-URI", &request.url()),
        ("WARC-Date", request.time),
    ];
    record(&fields, &format!("HTTP/1.1 {} OK\r\nUser-Agent: not-me/1.0\r\n\r\nbody", request.status))
}

fn request_record(request: &Request, number: usize, concurrent_to: &str) -> Vec<u8> {
    let id = format!("<urn:request:{number}>");
    let url = request.url();
    let fields = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", id.as_str()),
        ("WARC-Concurrent-To", concurrent_to),
        ("WARC-Target-URI", &url),
        ("WARC-Date", request.time),
    ];
    let agent = request.agent.map(|agent| format!("user-agent:  {agent} \r\n")).unwrap_or_default();
    let (method, target) = (request.method, request.target());
    record(
        &fields,
        &format!("{method} {target} HTTP/1.1\r\nHost: a.example\r\n{agent}\r\nUser-Agent: body/1.0\r\n"),
    )
}

/// Requests before and after their responses, linked in different ways, and one without a response.
fn archive() -> Vec<u8> {
    let mut warc = record(&[("WARC-Type", "warcinfo")], "software: example/1.0\r\n");
    for (number, request) in REQUESTS.iter().enumerate() {
        let [answer_id, request_id] = ["answer", "request"].map(|half| format!("<urn:{half}:{number}>"));
        let metadata =
            [("WARC-Type", "metadata"), ("WARC-Target-URI", &request.url()), ("WARC-Date", request.time)];
        let records = match number % 4 {
            0 => [request_record(request, number, ""), response(request, number, &request_id)],
            1 => [response(request, number, ""), request_record(request, number, &answer_id)],
            2 => [request_record(request, number, ""), response(request, number, "")],
            _ => [request_record(request, number, ""), Vec::new()],
        };
        warc.extend(records.concat());
        warc.extend(record(&metadata, "fetchTimeMs: 1"));
    }
    warc
}

fn scored(
    folder: &Folder,
    log: PathBuf,
    change: impl FnOnce(&mut ScoreJob<'_>),
) -> (ScoreReport, Vec<String>) {
    let (report, problems) = run(folder, log, change);
    (report.unwrap(), problems)
}

/// The error for a log that cannot be scored.
fn refused(folder: &Folder, log: PathBuf, change: impl FnOnce(&mut ScoreJob<'_>)) -> String {
    run(folder, log, change).0.unwrap_err().to_string()
}

fn run(
    folder: &Folder,
    log: PathBuf,
    change: impl FnOnce(&mut ScoreJob<'_>),
) -> (Result<ScoreReport, JobError>, Vec<String>) {
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let options = LoadOptions { keep: Keep::Bodies, ..LoadOptions::new(kind) };
    let loaded = sources::load(&[folder.write("robots.jsonl", HISTORY)], &options, &mut Silent).unwrap();
    let agents = Agents::read(&[], Strictness::Strict, &mut Silent).unwrap().0;
    let mut job = ScoreJob::new(&loaded.store, agents, vec![log]);
    job.bodies = Some(&loaded.bodies);
    change(&mut job);
    let mut heard = Heard::default();
    let report = score::run(&job, &mut heard);
    (report, heard.problems)
}

/// The report without the format, the number of lines (some formats have more), and the statuses.
fn essence(report: &ScoreReport) -> serde_json::Value {
    let mut json = serde_json::to_value(report).unwrap();
    for key in ["formats", "lines", "blanks"] {
        json.as_object_mut().unwrap().remove(key).unwrap();
    }
    json["cells"] = format!("{:?}", report.cells).into();
    // Some formats have no response statuses.
    json["crawlers"].as_array_mut().unwrap().iter_mut().for_each(|crawler| drop(crawler["statuses"].take()));
    let paths = json["paths"]["listed"].as_array_mut().unwrap();
    paths.iter_mut().for_each(|path| drop(path["errors"].take()));
    json
}

fn expected(folder: &Folder) -> serde_json::Value {
    let (report, problems) = scored(folder, folder.write("vhosts.log", combined()), |_| {});
    assert_eq!(problems, [""; 0]);
    let bot = &report.crawlers[0];
    assert_eq!((report.lines, report.requests, report.visitors.crawlers), (12, 12, 9));
    assert_eq!((bot.counts.disallowed, bot.counts.other_methods, bot.delay.broken), (3, 1, 1));
    assert_eq!(bot.sites[0].broken[0].examples[0], "https://a.example/a?x=1&y");
    essence(&report)
}

/// Checks that the log has the score of `expected` without problems, in the given format and with this number of lines.
fn assert_alike(folder: &Folder, log: &Path, format: LogFormat, lines: u64) {
    let expected = expected(folder);
    for given in [None, Some(format)] {
        let (report, problems) = scored(folder, log.to_owned(), |job| job.format = given);
        assert_eq!(problems, [""; 0], "{}", log.display());
        assert_eq!((report.formats[0].format, report.lines), (format.as_str(), lines), "{}", log.display());
        assert_eq!(essence(&report), expected, "{} as {given:?}", log.display());
    }
}

#[test]
fn lines_of_json_and_tsv() {
    let folder = Folder::new();
    for (name, text, format, lines) in [
        ("requests.log", json(), LogFormat::Json, 12),
        ("urls.log", tsv_of_urls(), LogFormat::Tsv, 13),
        ("parts.tsv", tsv_of_parts(), LogFormat::Tsv, 13),
    ] {
        assert_alike(&folder, &folder.write(name, &text), format, lines);
        assert_alike(&folder, &folder.write_compressed(&format!("{name}.gz"), &text), format, lines);
    }
}

#[test]
fn rows_of_parquet_with_every_type_of_time() {
    let folder = Folder::new();
    for (number, time) in times().into_iter().enumerate() {
        let [urls, parts] = ["urls", "parts"].map(|name| folder.path(&format!("{name}{number}.parquet")));
        write_parquet(&urls, columns_of_urls(Arc::clone(&time)));
        assert_alike(&folder, &urls, LogFormat::Parquet, 12);
        write_parquet(&parts, columns_of_parts(("warc_date", time)));
        assert_alike(&folder, &parts, LogFormat::Parquet, 12);
    }
}

#[test]
fn records_of_archives() {
    let folder = Folder::new();
    for name in ["a.warc", "b.warc.gz", "c.warc.zst", "archive", "archive.gz"] {
        assert_alike(&folder, &folder.write_compressed(name, archive()), LogFormat::Warc, 12);
    }
}

#[test]
fn parquet_is_recognised_by_its_first_bytes() {
    let folder = Folder::new();
    write_parquet(&folder.path("a.parquet"), columns_of_urls(times().remove(0)));
    let path = folder.path("requests");
    std::fs::rename(folder.path("a.parquet"), &path).unwrap();
    assert_alike(&folder, &path, LogFormat::Parquet, 12);
}

/// Its rows are sorted by URL, so the previous row is not the previous request.
#[test]
fn no_delay_is_judged_by_an_index() {
    let folder = Folder::new();
    let path = folder.path("index.parquet");
    write_parquet(&path, columns_of_parts(("fetch_time", times().remove(1))));
    let tsv = folder.write("index.tsv", tsv_of_urls().replacen("TIME", "fetch_time", 1));
    let of_log = expected(&folder);
    for path in [path, tsv] {
        let (report, problems) = scored(&folder, path, |_| {});
        assert_eq!((problems.len(), report.requests), (0, 12));
        assert_eq!((report.crawlers[0].delay.asked, report.crawlers[0].delay.not_asked), (0, 0));
        assert_eq!(
            serde_json::to_value(&report).unwrap()["crawlers"][0]["days"],
            of_log["crawlers"][0]["days"]
        );
    }
}

/// JavaScript's clocks count milliseconds. A number has no unit in text, and may have none in Parquet.
#[test]
fn numbers_of_milliseconds_are_times_in_every_format() {
    let folder = Folder::new();
    let seconds = 1_705_276_800;
    let text = |value| -> ArrayRef { Arc::new(StringArray::from(vec![Some(value); 2])) };
    let numbers: [ArrayRef; 3] = [
        Arc::new(Int64Array::from(vec![seconds, seconds * 1000 + 1])),
        Arc::new(UInt64Array::from(vec![1_705_276_800, 1_705_276_800_001])),
        Arc::new(Float64Array::from(vec![1_705_276_800.0, 1_705_276_800_001.0])),
    ];
    for (number, time) in numbers.into_iter().enumerate() {
        let path = folder.path(&format!("{number}.parquet"));
        write_parquet(
            &path,
            vec![("time", time), ("url", text("https://a.example/")), ("ua", text("ExampleBot/1.0"))],
        );
        let json = format!(r#"{{"url":"https://a.example/","ua":"ExampleBot/1.0","time":{seconds}"#);
        let json = folder.write("a.jsonl", format!("{json}}}\n{json}001}}\n"));
        for log in [path, json] {
            let (report, problems) = scored(&folder, log, |_| {});
            assert_eq!(problems, [""; 0]);
            assert_eq!(
                report.span,
                Some(("2024-01-15T00:00:00Z".to_owned(), "2024-01-15T00:00:00Z".to_owned()))
            );
            assert_eq!(report.crawlers[0].counts.requests, 2);
        }
    }
}

#[test]
fn a_log_without_a_readable_row_is_an_error() {
    let folder = Folder::new();
    let path = folder.path("rows.parquet");
    let text = |value| -> ArrayRef { Arc::new(StringArray::from(vec![Some(value); 3])) };
    write_parquet(
        &path,
        vec![
            ("time", text("yesterday")),
            ("url", text("https://a.example/")),
            ("ua", text("ExampleBot/1.0")),
        ],
    );
    for format in [None, Some(LogFormat::Parquet)] {
        let (report, problems) = run(&folder, path.clone(), |job| job.format = format);
        let error = report.unwrap_err().to_string();
        assert!(error.starts_with("no request found: 3 lines were read, and none is "), "{error}");
        assert!(problems[0].contains("rows.parquet:1: expected a time as ISO 8601"), "{problems:?}");
    }
}

#[test]
fn a_broken_row_loses_only_itself() {
    let folder = Folder::new();
    let path = folder.path("rows.parquet");
    let time = TimestampSecondArray::from(vec![
        Some(1_705_276_800),
        None,
        Some(1_705_276_801),
        Some(i64::MAX),
        Some(1_705_276_802),
    ]);
    let port = Int32Array::from(vec![None, None, Some(70_000), None, Some(8080)]);
    let text = |values: [Option<&str>; 5]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    write_parquet(
        &path,
        vec![
            ("time", Arc::new(time)),
            ("host", text([Some("a.example"); 5])),
            ("port", Arc::new(port)),
            ("path", text([None, Some("/b"), Some("/b"), Some("/b"), Some("b")])),
            ("ua", text([BOT; 5])),
        ],
    );
    let (report, problems) = scored(&folder, path, |_| {});
    assert_eq!((report.lines, report.requests, report.errors.total()), (5, 2, 3));
    let sites: Vec<&str> = report.crawlers[0].sites.iter().map(|site| site.site.as_str()).collect();
    assert_eq!(sites, ["https://a.example", "https://a.example:8080"]);
    for (problem, expected) in problems.iter().zip([
        "rows.parquet:2: expected a time, in ",
        "rows.parquet:3: expected a number up to 65535 for the port",
        "rows.parquet:4: expected a timestamp, ",
    ]) {
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn a_column_that_is_there_twice_is_an_error() {
    let folder = Folder::new();
    let time = texts(|request| Some(request.time.to_owned()));
    let url = || texts(|request| Some(request.url()));
    let path = folder.path("dup.parquet");
    write_parquet(&path, vec![("time", time), ("url", url()), ("url", url())]);
    let expected = "expected one column \"url\", found several (remove or rename the others)";
    assert!(refused(&folder, path, |_| {}).ends_with(expected));
    let tsv =
        folder.write("dup.tsv", "time\turl\turl\n2024-01-15\thttps://a.example/\thttps://a.example/a\n");
    assert!(refused(&folder, tsv, |_| {}).ends_with(expected));
}

#[test]
fn errors_about_missing_columns_name_the_expected_ones() {
    let folder = Folder::new();
    let path = folder.path("urls.parquet");
    write_parquet(&path, vec![("url", texts(|request| Some(request.url())))]);
    let error = refused(&folder, path, |_| {});
    let expected = "urls.parquet: expected a column with a time, and one with a URL or a path, found \"url\"";
    assert!(error.ends_with(expected), "{error}");

    let tsv = folder.write("urls.tsv", "url\tn\nhttps://a.example/\t1\n");
    let (report, problems) = run(&folder, tsv, |job| job.format = Some(LogFormat::Tsv));
    let error = report.unwrap_err().to_string();
    assert!(
        error.starts_with("no request found: 2 lines were read, and none is in the format tsv"),
        "{error}"
    );
    assert!(
        problems[0].contains("urls.tsv:1: expected a header line that names columns, a time and a url"),
        "{problems:?}"
    );

    for format in [LogFormat::Parquet, LogFormat::Warc] {
        let text = folder.write("text", combined());
        let error = refused(&folder, text, |job| job.format = Some(format));
        assert!(error.contains("text: "), "{error}");
    }
}

#[test]
fn a_broken_record_loses_only_itself() {
    let folder = Folder::new();
    let undated = [("WARC-Type", "response"), ("WARC-Target-URI", "http://a.example/")];
    let cut = &b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2024-01-15T00:00:00Z\r\n\
                 Content-Length: 3\r\n\r\nHTTP/1.1 200 OK"[..];
    let warc =
        [&archive()[..], &record(&undated, "HTTP/1.1 200 OK\r\n\r\n"), cut, b"\r\n\r\n", &archive()].concat();
    let (report, problems) = scored(&folder, folder.write("a.warc", warc), |_| {});
    assert_eq!((report.requests, report.errors.total(), problems.len()), (24, 2, 2));
    assert!(
        problems[0].contains("expected a time in the field WARC-Date; the record is skipped"),
        "{problems:?}"
    );
    assert!(
        problems[1].contains("expected two line ends and the next record after the block of 3 bytes"),
        "{problems:?}"
    );
}

/// The crawler comes from the request, else from the preceding warcinfo, else from the job; otherwise it is unknown.
#[test]
fn the_crawler_of_an_archive() {
    let folder = Folder::new();
    let answer = |number: usize| response(&REQUESTS[number], number, "");
    let info = |text: &str| record(&[("WARC-Type", "warcinfo")], text);
    let warc = [
        answer(0),
        info("software: x\r\nHTTP-Header-User-Agent: InfoBot/2.0 (+http://info.example)\r\n"),
        answer(1),
        answer(2),
        request_record(&REQUESTS[2], 2, ""),
        info("software: y\r\n"),
        answer(3),
        record(
            &[("WARC-Type", "response"), ("WARC-Target-URI", "dns:a.example"), ("WARC-Date", "2024")],
            "x",
        ),
        record(&[("WARC-Type", "resource"), ("WARC-Target-URI", "urn:x"), ("WARC-Date", "2024")], "x"),
        record(
            &[("WARC-Type", "conversion"), ("WARC-Target-URI", "http://a.example/"), ("WARC-Date", "2024")],
            "x",
        ),
        record(
            &[("WARC-Type", "resource"), ("WARC-Target-URI", "http://a.example/"), ("WARC-Date", "2024")],
            "x",
        ),
    ]
    .concat();
    let path = folder.write("a.warc", warc);
    let names = |report: &ScoreReport| {
        let mut names: Vec<(String, u64)> =
            report.crawlers.iter().map(|score| (score.crawler.clone(), score.counts.requests)).collect();
        names.sort();
        names
    };
    let pair = |name: &str, requests| (name.to_owned(), requests);
    let (report, _) = scored(&folder, path.clone(), |_| {});
    assert_eq!(
        (report.lines, report.requests, report.asides, report.visitors.without_user_agent),
        (7, 5, 2, 3)
    );
    assert_eq!(names(&report), [pair("ExampleBot", 1), pair("InfoBot", 1)]);
    let (report, _) = scored(&folder, path, |job| job.crawler = Some(Arc::new(Crawler::new("NamedBot"))));
    assert_eq!(names(&report), [pair("ExampleBot", 1), pair("InfoBot", 1), pair("NamedBot", 3)]);
}

/// The job's host and scheme replace missing columns.
#[test]
fn paths_without_hosts_need_a_host() {
    let folder = Folder::new();
    let text: String = tsv_of_parts()
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            [columns[0], columns[4], columns[5], columns[6], columns[8]].join("\t") + "\n"
        })
        .collect();
    let (report, problems) = scored(&folder, folder.write("paths.log", text), |job| {
        job.host = HostOfLog { host: Some("a.example".to_owned()), scheme: None };
    });
    assert_eq!(problems, [""; 0]);
    assert_eq!(essence(&report), expected(&folder));
}
