//! Output is read back: every format of frontiers in every form of output, compressed or not, and logs.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::support::Folder;
use robomata_formats::input;
use robomata_testkit::shared;
use serde_json::json;

/// A frontier, the option that selects its URLs, and the options that read its TSV, JSON and Parquet back: none if the
/// output has no separate column of URLs.
struct Trip {
    path: PathBuf,
    options: &'static str,
    tsv: Option<&'static str>,
    json: Option<&'static str>,
    parquet: Option<&'static str>,
}

impl Trip {
    fn new(path: PathBuf, options: &'static str) -> Self {
        let name = path.to_string_lossy().into_owned();
        let tsv = match name.rsplit('.').next() {
            Some("cdx") => Some("--column a"),
            Some("cdxj") => None,
            _ if options.contains("--column") => Some(options),
            _ => Some(""),
        };
        // A CDXJ object does not change, and its URL may be in its key only.
        let json =
            Some("").filter(|_| !name.contains("ipwb__samples_indexes") && !name.ends_with("keys.cdxj"));
        Trip { path, options, tsv, json, parquet: Some("") }
    }

    /// The output in each form, and the options that read it back.
    fn forms(&self) -> Vec<(&'static str, &'static str)> {
        let text = Some("--format text --column 3");
        let forms = [
            ("txt", text),
            ("txt.gz", text),
            ("txt.zst", text),
            ("tsv", self.tsv),
            ("tsv.gz", self.tsv),
            ("tsv.zst", self.tsv),
            ("jsonl", self.json),
            ("jsonl.gz", self.json),
            ("jsonl.zst", self.json),
            ("parquet", self.parquet),
        ];
        forms.into_iter().filter_map(|(form, options)| Some((form, options?))).collect()
    }
}

/// Verdict, line and URL of each line.
fn verdicts(folder: &Folder, path: &Path, options: &str, policies: &str) -> Vec<String> {
    let ran =
        folder.run(&format!("filter --agent A {policies} {} {options} --output verdicts", path.display()));
    assert_eq!(ran.code, Some(0), "{}: {}", path.display(), ran.err);
    ran.out.lines().map(str::to_owned).collect()
}

/// Rules by which some URLs of each site are allowed and some are not.
fn write_source(folder: &Folder, trips: &[Trip]) {
    folder.write("none.jsonl", "{\"host\": \"none.invalid\", \"status\": 404}");
    let mut hosts = BTreeSet::new();
    for trip in trips {
        for line in verdicts(folder, &trip.path, trip.options, "--robots none.jsonl") {
            let url = line.split('\t').nth(2).unwrap_or_default();
            let host = url.split("://").nth(1).and_then(|rest| rest.split(['/', '?']).next());
            hosts.extend(host.filter(|host| !host.is_empty()).map(str::to_owned));
        }
    }
    let body = "User-agent: *\nDisallow: /*a\nDisallow: /*.j\nAllow: /*e\nDisallow: /*?\n";
    let source: String =
        hosts.iter().map(|host| json!({"host": host, "body": body}).to_string() + "\n").collect();
    folder.write("robots.jsonl", source);
}

fn check(folder: &Folder, trips: &[Trip]) {
    write_source(folder, trips);
    let policies = "--robots robots.jsonl";
    let mut seen = BTreeSet::new();
    for trip in trips {
        let expected = verdicts(folder, &trip.path, trip.options, policies);
        assert!(!expected.is_empty(), "{}", trip.path.display());
        seen.extend(expected.iter().filter_map(|line| line.split('\t').next()).map(str::to_owned));
        for (form, options) in trip.forms() {
            let out = format!("out.{form}");
            let line = format!(
                "filter --agent A {policies} {} {} --output verdicts --to {out}",
                trip.path.display(),
                trip.options
            );
            assert_eq!(folder.run(&line).code, Some(0), "{line}");
            let again = verdicts(folder, &folder.path(&out), options, policies);
            assert!(
                again == expected,
                "{line}: {:?}",
                again.iter().zip(&expected).find(|(one, other)| one != other)
            );
        }
    }
    for verdict in ["allow", "disallow"] {
        assert!(seen.contains(verdict), "{seen:?}");
    }
}

#[test]
fn generated_frontiers_keep_their_verdicts() {
    let folder = Folder::new();
    let url = |n: u32| {
        format!("https://h{}.example/{}?{n}=\u{e9}", n % 7, ["a", "e", "b%2f", "x y"][n as usize % 4])
    };
    let numbers = || 0..500;
    let text: String = numbers().map(|n| url(n) + "\n").collect();
    folder.write("urls.txt", &text);
    folder.write("crlf.txt", text.replace('\n', "\r\n"));
    folder.write(
        "urls.tsv",
        format!("id\turl\n{}", numbers().map(|n| format!("{n}\t{}\n", url(n))).collect::<String>()),
    );
    folder.write("plain.tsv", numbers().map(|n| format!("{n}\t{}\n", url(n))).collect::<String>());
    folder.write(
        "urls.jsonl",
        numbers().map(|n| json!({"n": n, "url": url(n)}).to_string() + "\n").collect::<String>(),
    );
    let cdx: String =
        numbers().map(|n| format!("k 20240708230936 {} text/html\n", url(n).replace(' ', "+"))).collect();
    folder.write("urls.cdx", format!(" CDX N b a m\n{cdx}"));
    let cdxj: String = numbers().map(|n| format!("k 20240708230936 {}\n", json!({"url": url(n)}))).collect();
    folder.write("urls.cdxj", cdxj);
    let record = |n| {
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Length: 1\r\n\r\nx\r\n\r\n",
            url(n)
        )
    };
    let warc: String = numbers().map(record).collect();
    folder.write("urls.warc", &warc);
    for name in ["urls.warc.gz", "urls.warc.zst"] {
        folder.write_compressed(name, &warc);
    }
    folder.write("robots.jsonl", "{\"host\": \"none.example\", \"status\": 404}");
    assert_eq!(folder.run("filter --agent A --robots robots.jsonl urls.tsv --to urls.parquet").code, Some(0));
    let trips = [
        ("urls.txt", ""),
        ("crlf.txt", ""),
        ("urls.tsv", ""),
        ("plain.tsv", "--column 2"),
        ("urls.jsonl", ""),
        ("urls.cdx", ""),
        ("urls.cdxj", ""),
        ("urls.warc", ""),
        ("urls.warc.gz", ""),
        ("urls.warc.zst", ""),
        ("urls.parquet", ""),
    ];
    let trips: Vec<Trip> =
        trips.into_iter().map(|(name, options)| Trip::new(folder.path(name), options)).collect();
    check(&folder, &trips);
    // All logs except the index give the same scores.
    let of = |trip: &Trip| verdicts(&folder, &trip.path, trip.options, "--robots robots.jsonl");
    let first = of(&trips[0]);
    assert!(trips.iter().filter(|trip| !trip.path.ends_with("urls.cdx")).all(|trip| of(trip) == first));
}

/// A file, decompressed.
fn all_of(path: &Path) -> Vec<u8> {
    let mut text = Vec::new();
    input::open(path).unwrap().read_to_end(&mut text).unwrap();
    text
}

/// The decompressed beginning of a file, as complete lines.
fn beginning(path: &Path, bytes: u64) -> Vec<u8> {
    let mut text = Vec::new();
    input::open(path).unwrap().take(bytes).read_to_end(&mut text).unwrap();
    let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    text.truncate(end);
    text
}

#[test]
fn frontiers_keep_their_verdicts() {
    let folder = Folder::new();
    let mut trips: Vec<Trip> =
        shared::indexes().into_iter().chain(shared::archives()).map(|path| Trip::new(path, "")).collect();
    trips.push(Trip::new(shared::small_corpus().join("urls.tsv"), "--column 3"));
    if let Some(corpora) = shared::shared_folder("corpora") {
        folder.write("urls.tsv", beginning(&corpora.join("urls.tsv.zst"), 1 << 20));
        trips.push(Trip::new(folder.path("urls.tsv"), "--column 3"));
    }
    // Archives in the other compressions, and plain.
    for path in shared::archives() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let plain = all_of(&path);
        for ending in ["", ".gz", ".zst"] {
            let again = format!("{}{ending}", name.trim_end_matches(".gz"));
            folder.write_compressed(&again, &plain);
            let of = |path: &Path| verdicts(&folder, path, "", "--robots robots.jsonl");
            folder.write("robots.jsonl", "{\"host\": \"none.example\", \"status\": 404}");
            assert!(of(&path) == of(&folder.path(&again)), "{again}");
        }
    }
    check(&folder, &trips);
}

/// A score without the names of the logs.
fn score(folder: &Folder, arguments: &str) -> serde_json::Value {
    let ran =
        folder.run(&format!("score --robots robots.jsonl --host a.example --agent ABot --json {arguments}"));
    assert!(matches!(ran.code, Some(0 | 1)), "{arguments}: {}", ran.err);
    let mut report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(report["requests"].as_u64().unwrap() > 0, "{arguments}");
    for log in report["formats"].as_array_mut().unwrap() {
        log["file"].take();
    }
    report
}

#[test]
fn logs_score_alike_in_every_compression() {
    // These hosts are in our logs. Two of the real logs are crawls of the last two.
    let others = ["harbor.example", "ferry.example", "www.bbc.co.uk", "www.geocities.com"]
        .map(|host| format!("{{\"host\": \"{host}\", \"body\": \"#\"}}\n"));
    let robots = [crate::support::SOURCE, &others.concat()].concat();
    let folder = Folder::with(&[("robots.jsonl", &robots)]);
    let line =
        |n: u32, what: &str| format!("2024-01-15 00:00:{:02} [scrapy.core.engine] DEBUG: {what}\n", n % 60);
    let scrapy: String = (0..3000)
        .map(|n| match n % 3 {
            0 => line(n, &format!("Crawled (200) <GET https://a.example/private/{n}> (referer: None)")),
            1 => line(n, &format!("Crawled (200) <GET https://a.example/{n}> (referer: None)")),
            _ => line(n, &format!("Forbidden by robots.txt: <GET https://a.example/private/{n}>")),
        })
        .collect();
    folder.write("scrapy", scrapy);
    for log in std::iter::once(folder.path("scrapy")).chain(shared::logs()) {
        let expected = score(&folder, &log.display().to_string());
        let text = all_of(&log);
        for name in ["log", "log.gz", "log.zst"] {
            folder.write_compressed(name, &text);
            assert_eq!(score(&folder, name), expected, "{} as {name}", log.display());
        }
    }
}
