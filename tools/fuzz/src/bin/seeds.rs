//! Writes the inputs that fuzzing starts from.
//!
//! ```text
//! seeds write FOLDER [CORPORA]   a folder of inputs for each target: from our cases and samples, the packed corpora
//!                                and, if they are given, real files
//! seeds pack FOLDER FILE         one file of all inputs in a folder
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use robomata_engine::automaton::{Compiler, NormalForm, PatternSet, Program, UnionProgram};
use robomata_engine::evaluator::UsageQuery;
use robomata_engine::{Config, Crawler, Dialect, FetchStatus, Policy, TdmRep, Usage};
use robomata_formats::{Output, capture};
use robomata_fuzz::{FIELD, ITEM, STATUSES, bundle, corpus};
use robomata_permissions::StatementProgram;
use robomata_testkit::permission_case::{self, PermissionCase};
use robomata_testkit::{Case, case};

/// Inputs by target.
type Seeds = BTreeMap<&'static str, Vec<Vec<u8>>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["write", folder] => write(Path::new(folder), None),
        ["write", folder, corpora] => write(Path::new(folder), Some(Path::new(corpora))),
        ["pack", folder, file] => {
            println!("{} inputs", corpus::pack(Path::new(folder), Path::new(file))?);
            Ok(())
        }
        _ => bail!("expected 'write FOLDER [CORPORA]' or 'pack FOLDER FILE'"),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn write(folder: &Path, corpora: Option<&Path>) -> Result<()> {
    let mut seeds = Seeds::new();
    let conformance = root().join("corpora/conformance");
    for case in case::load_folder(&conformance)? {
        of_case(&case, &mut seeds);
    }
    for case in permission_case::load_folder(&conformance)? {
        of_permission_case(&case, &mut seeds);
    }
    of_bundles(&mut seeds);
    of_samples(&mut seeds)?;
    of_formats(&mut seeds)?;
    if let Some(corpora) = corpora {
        of_corpora(corpora, &mut seeds)?;
    }
    for (target, inputs) in &seeds {
        let folder = folder.join(target);
        for input in inputs {
            corpus::write(&folder, input)?;
        }
    }
    for packed in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"))? {
        let packed = packed?.path();
        if packed.extension().is_some_and(|extension| extension == "zst") {
            let target = packed.file_stem().context("a target")?.to_owned();
            corpus::unpack(&packed, &folder.join(target))?;
        }
    }
    Ok(())
}

/// A digit of the part with the options.
fn digit(number: usize) -> u8 {
    b'0' + u8::try_from(number).unwrap_or(0)
}

fn dialect_of(dialect: Dialect) -> usize {
    Dialect::ALL.iter().position(|&other| other == dialect).unwrap_or(0)
}

fn status_of(status: Option<FetchStatus>) -> usize {
    STATUSES.iter().position(|&other| other == status).unwrap_or(0)
}

fn joined(parts: &[&[u8]], separator: u8) -> Vec<u8> {
    parts.join(&separator)
}

fn of_file(file: &[u8], dialect: Dialect, seeds: &mut Seeds) {
    seeds.entry("policy").or_default().push(joined(&[&[digit(dialect_of(dialect))], file], FIELD));
}

fn of_case(case: &Case, seeds: &mut Seeds) {
    of_file(&case.robots, case.dialect, seeds);
    let options = [digit(dialect_of(case.dialect)), digit(status_of(case.status))];
    let crawler = case.crawler.to_string();
    seeds
        .entry("answers")
        .or_default()
        .push(joined(&[&options, crawler.as_bytes(), &case.url, &case.robots], FIELD));
    of_robots(&case.robots, &case.crawler, case.dialect, seeds);
    let dialect = u8::try_from(dialect_of(case.dialect)).unwrap_or(0);
    let calls: Vec<u8> = [
        [0, 0, dialect],
        [2, 1, 0],
        [4, 2, 0],
        [5, 2, 0],
        [6, 2, 0],
        [7, 2, 0],
        [8, 1, 0],
        [10, 0, dialect],
        [11, 1, 0x20],
        [0, 1, dialect],
        [9, 1, 0x10],
    ]
    .concat();
    seeds
        .entry("abi")
        .or_default()
        .push(joined(&[&calls, &case.robots, crawler.as_bytes(), &case.url], FIELD));
}

/// Programs of every sort.
fn of_robots(robots: &[u8], crawler: &Crawler, dialect: Dialect, seeds: &mut Seeds) {
    let policy = Policy::new(robots, &Config::new(dialect));
    let rules = policy.rules_for(crawler);
    let mut push = |bytes: &[u8], kind: u8| {
        seeds.entry("program").or_default().push([bytes, &[kind]].concat());
    };
    push(Program::compile(&rules).as_ref().bytes(), 0);
    let numbers: Vec<u32> = (0..).take(policy.groups().len()).collect();
    let all = policy.rules_in(policy.groups().iter().collect());
    push(&UnionProgram::compile(&all, &numbers, &mut Compiler::new()), 1);
    let patterns: Vec<&[u8]> = rules.rules().map(|rule| rule.pattern.of(policy.text())).collect();
    push(PatternSet::compile(&patterns, NormalForm::of_patterns(dialect)).bytes(), 2);
    for usage in [Usage::Crawl, Usage::AiTrain, Usage::Index] {
        let query = UsageQuery { usage, purpose: None };
        if let Some(program) = StatementProgram::compile(&policy, crawler, &query) {
            push(program.bytes(), 3);
        }
    }
}

fn of_permission_case(case: &PermissionCase, seeds: &mut Seeds) {
    of_file(&case.robots, case.dialect, seeds);
    of_robots(&case.robots, &case.crawler, case.dialect, seeds);
    if let Some(file) = &case.tdmrep {
        of_file(file, case.dialect, seeds);
        if let Some(program) = StatementProgram::of_tdmrep(&TdmRep::read(file)) {
            seeds.entry("program").or_default().push([program.bytes(), &[3]].concat());
        }
    }
    let now = usize::from(case.circumstances.now.is_some());
    let purpose = usize::from(case.circumstances.purpose.is_some());
    let options = [dialect_of(case.dialect), status_of(case.status), purpose, now, now, now, 0].map(digit);
    let referenced: Vec<Vec<u8>> =
        case.referenced.iter().map(|file| [file.locator.as_bytes(), b"\n", &file.bytes].concat()).collect();
    let page = case.page.as_ref();
    let headers: Vec<Vec<u8>> = page
        .iter()
        .flat_map(|page| &page.facts.headers)
        .map(|header| format!("{}: {}", header.name, header.value).into_bytes())
        .collect();
    let html = page.map_or_else(Vec::new, |page| {
        page.html.clone().unwrap_or_else(|| {
            let metas = page.facts.metas.iter();
            metas
                .map(|meta| format!("<meta name=\"{}\" content=\"{}\">\n", meta.name, meta.content))
                .collect::<String>()
                .into()
        })
    });
    let crawler = case.crawler.to_string();
    let (referenced, headers) = (referenced.join(&ITEM), headers.join(&ITEM));
    let parts = [
        &options[..],
        crawler.as_bytes(),
        &case.url,
        &case.robots,
        case.tdmrep.as_deref().unwrap_or_default(),
        &referenced,
        &headers,
        &html,
    ];
    seeds.entry("page").or_default().push(joined(&parts, FIELD));
}

fn of_bundles(seeds: &mut Seeds) {
    let inputs = seeds.entry("bundle").or_default();
    for number in 0..bundle::KINDS {
        let number_byte = u8::try_from(number).unwrap_or(0);
        let bytes = bundle::small(number);
        inputs.push([&[number_byte | 1 << 3][..], &bytes].concat());
        // Changes in every part of the file, with and without new lengths of the sections.
        for position in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let position = u32::try_from(position).unwrap_or(0).to_le_bytes();
            for (operation, way) in [(0, 2), (1, 2), (2, 2), (3, 3), (4, 3), (5, 2)] {
                let mut input = vec![number_byte | way << 3 | 0x40, operation];
                input.extend(position);
                input.extend([1, 0]);
                inputs.push(input);
            }
        }
    }
    // A bundle can contain the separator; then it is no input of the target for calls.
    let bundles = (0..bundle::KINDS).map(bundle::small).filter(|bytes| !bytes.contains(&FIELD));
    let calls = bundles.map(|bytes| joined(&[&[12, 0, 0, 13, 0, 0], &bytes], FIELD));
    seeds.entry("abi").or_default().extend(calls);
}

/// Pieces of at most `most` bytes that end with a line.
fn pieces(bytes: &[u8], most: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = rest.len().min(most);
        let end = rest[..end].iter().rposition(|&byte| byte == b'\n').map_or(end, |at| at + 1);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn of_samples(seeds: &mut Seeds) -> Result<()> {
    let samples = root().join("corpora/samples");
    for name in ["robots.jsonl", "history.jsonl"] {
        let bytes = fs::read(samples.join(name))?;
        for piece in pieces(&bytes, 2_000) {
            seeds.entry("captures").or_default().push([&[1], piece].concat());
        }
        for capture in capture::captures(&samples.join(name)).flatten() {
            of_file(&capture.body, Dialect::default(), seeds);
        }
    }
    for (name, way) in [("urls.txt", [0, 0]), ("access.log", [0, 0])] {
        let bytes = fs::read(samples.join(name))?;
        for piece in pieces(&bytes, 1_000) {
            seeds.entry("frontier").or_default().push([&way, piece].concat());
        }
    }
    Ok(())
}

const WARC: &str = "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
    Content-Length: 4\r\n\r\na: b\r\n\r\nWARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: https://example.com/robots.txt\r\n\
    WARC-Concurrent-To: <urn:uuid:3>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:2>\r\n\
    Content-Type: application/http; msgtype=request\r\nContent-Length: 53\r\n\r\nGET /robots.txt HTTP/1.1\r\nUser-Agent: ExampleBot\r\n\r\n\r\n\r\n\
    WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/robots.txt\r\nWARC-Date: 2026-01-01T00:00:01.5Z\r\n\
    WARC-Record-ID: <urn:uuid:3>\r\nWARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAA\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: 76\r\n\r\n\
    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nUser-agent: *\nD\r\n0\r\n\r\n\r\n\r\n\
    WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Target-URI: https://example.com/robots.txt\r\nWARC-Date: 2026-01-02T00:00:00Z\r\n\
    WARC-Record-ID: <urn:uuid:4>\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n\
    WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAA\r\nWARC-Refers-To-Target-URI: https://example.com/robots.txt\r\nWARC-Refers-To-Date: 2026-01-01T00:00:01.5Z\r\n\
    Content-Type: application/http; msgtype=response\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n\
    WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/robots.txt\r\nWARC-Date: 2026-01-01T00:00:02Z\r\n\
    WARC-Record-ID: <urn:uuid:5>\r\nContent-Type: application/http\r\nContent-Length: 68\r\n\r\n\
    HTTP/1.0 301 Moved\r\nLocation: https://example.com/robots.txt\r\nA: b\r\n\r\n\r\n\r\n";

const TSV: &str = "url\tstatus\tlocation\tbody\ttime\nhttps://example.com/robots.txt\t200\t\\N\tUser-agent: *\\nDisallow: /a\t2026-01-01T00:00:00Z\n\
    http://example.org/robots.txt\t301\thttps://example.com/robots.txt\t\\N\t1767225600\nhttps://a.example\t404\t\t\\N\t20260101000000\n";

const JSON: &str = r#"{"url": "https://example.com/robots.txt", "status": 302, "location": "/x", "time": "2026-01-01T00:00:00Z"}
{"url": "https://example.com/x", "status": "200", "body_b64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2E=", "fetch_time": 1767225600000}
{"url": "https://example.com/.well-known/tdmrep.json", "status": 200, "body": "[{\"location\": \"/\", \"tdm-reservation\": 1}]"}
{"host": "example.org", "status": -1}
"#;

/// The name of a file, by its number in the target, and its text.
const FRONTIERS: [(u8, u8, &str); 12] = [
    (1, 0, "7\thttps://example.com/a\r\nno tab\n\thttps://example.org/\n"),
    (1, 8, "7\thttps://example.com/a\r\nno tab\n\thttps://example.org/\n"),
    (2, 0, "id,url,note\n1,https://example.com/a,\"x, \"\"y\"\"\nz\"\n2,\"https://example.org/,b\",\n"),
    (2, 2, "url;note\nhttps://example.com/a;\"x\r\n\"\n\n"),
    (3, 0, "{\"url\": \"https://example.com/\\u00e9\", \"x\": [1]}\n{\"x\": {}}\n"),
    (
        4,
        0,
        " CDX N b a m s k r M S V g\ncom,example)/a 20260101000000 https://example.com/a text/html 200 AAAA - - 12 34 x.warc.gz\n",
    ),
    (
        5,
        0,
        "!OpenWayback-CDXJ 1.0\ncom,example)/a 20260101000000 {\"url\": \"https://example.com/a\", \"status\": \"200\", \"mime\": \"text/html\"}\n",
    ),
    (6, 0, WARC),
    (
        0,
        0,
        "192.0.2.7 - - [17/May/2015:10:05:03 +0200] \"GET /a?b=\\\"c\\\" HTTP/1.1\" 200 12 \"-\" \"ExampleBot/1.0\"\n",
    ),
    (0, 0, "example.com:443 192.0.2.7 - - [17/May/2015:10:05:03 +0200] \"-\" 400 0 \"-\" \"-\"\n"),
    (
        0,
        0,
        "{\"ts\": 1767225600.5, \"request\": {\"remote_ip\": \"192.0.2.7\", \"host\": \"example.com\", \"method\": \"GET\", \"uri\": \"/a\", \"headers\": {\"User-Agent\": [\"ExampleBot\"]}}, \"status\": 200, \"size\": 7}\n",
    ),
    (
        0,
        0,
        "2026-01-01T00:00:00.000Z   200       1234 https://example.com/a LLE https://example.com/ text/html #001 20260101000000100+50 sha1:AAAA - -\n2026-01-01 00:00:00 [scrapy.core.engine] DEBUG: Crawled (200) <GET https://example.com/a> (referer: None)\n",
    ),
];

fn of_formats(seeds: &mut Seeds) -> Result<()> {
    let captures = seeds.entry("captures").or_default();
    for (name, text) in
        [(1, JSON), (2, TSV), (3, WARC), (0, TSV), (0, WARC), (0, JSON), (8, "User-agent: *\nDisallow: /\n")]
    {
        captures.push([&[name], text.as_bytes()].concat());
    }
    for (name, text) in [(4, JSON), (5, WARC)] {
        captures.push([&[name][..], &gzip(text.as_bytes())?].concat());
    }
    for (name, text) in [(6, TSV), (7, WARC)] {
        captures.push([&[name][..], &zstd::encode_all(text.as_bytes(), 3)?].concat());
    }
    let frontiers = seeds.entry("frontier").or_default();
    for (name, way, text) in FRONTIERS {
        frontiers.push([&[name, way], text.as_bytes()].concat());
    }
    frontiers.push([&[7, 0][..], &gzip(FRONTIERS[2].2.as_bytes())?].concat());
    #[cfg(feature = "parquet")]
    of_parquet(seeds)?;
    Ok(())
}

fn gzip(text: &[u8]) -> Result<Vec<u8>> {
    use std::io::Write as _;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.gz");
    let mut output = Output::create(&path)?;
    output.write_all(text)?;
    output.commit()?;
    Ok(fs::read(path)?)
}

/// A file of captures and one of requests.
#[cfg(feature = "parquet")]
fn of_parquet(seeds: &mut Seeds) -> Result<()> {
    use robomata_formats::{Cell, Column, ColumnKind, RowsBuilder, RowsOutput};
    let files: [&[(&str, &[&str])]; 2] = [
        &[
            ("url", &["https://example.com/robots.txt", "http://example.org/robots.txt"]),
            ("body", &["User-agent: *\nDisallow: /a", ""]),
            ("time", &["2026-01-01T00:00:00Z", "1767225600"]),
            ("status", &["200", "404"]),
        ],
        &[
            ("url_protocol", &["https", "http"]),
            ("url_host_name", &["example.com", "example.org"]),
            ("url_path", &["/a", "/b"]),
            ("url_query", &["x=1", ""]),
            ("fetch_time", &["2026-01-01T00:00:00Z", "-"]),
            ("user_agent", &["ExampleBot", ""]),
        ],
    ];
    let folder = tempfile::tempdir()?;
    for columns in files {
        let kinds: Vec<Column> =
            columns.iter().map(|(name, _)| Column::nullable(name, ColumnKind::Text)).collect();
        let mut rows = RowsBuilder::new(&kinds)?;
        for row in 0..2 {
            columns.iter().for_each(|(_, cells)| rows.push(Cell::from(cells[row])));
        }
        let path = folder.path().join("x.parquet");
        let mut output = RowsOutput::new(Output::create(&path)?, &kinds)?;
        output.write(&rows.finish()?)?;
        output.commit()?;
        seeds.entry("parquet").or_default().push(fs::read(&path)?);
    }
    Ok(())
}

/// Real files. They belong to others, so they are inputs on this machine and are not committed.
fn of_corpora(corpora: &Path, seeds: &mut Seeds) -> Result<()> {
    const MOST: usize = 3_000;
    let mut bodies = Vec::new();
    for capture in capture::captures(&corpora.join("robots.jsonl.zst")).flatten() {
        if (1..20_000).contains(&capture.body.len()) {
            bodies.push(capture.body);
        }
    }
    let step = bodies.len() / MOST + 1;
    for (index, body) in bodies.into_iter().step_by(step).enumerate() {
        let dialect = Dialect::ALL[index % Dialect::ALL.len()];
        of_robots(&body, &Crawler::new("Googlebot"), dialect, seeds);
        let urls = b"https://example.com/\x1ehttps://example.com/a?b=c\x1e/wp-admin/admin-ajax.php";
        let options = [digit(dialect_of(dialect)), digit(0)];
        seeds.entry("answers").or_default().push(joined(&[&options, b"Googlebot", urls, &body], FIELD));
        of_file(&body, dialect, seeds);
    }
    for capture in capture::captures(&corpora.join("nonrobots.jsonl.zst")).flatten().take(300) {
        let parts =
            [b"0000000", &b"Googlebot"[..], b"https://example.com/", b"", b"", b"", b"", &capture.body];
        seeds.entry("page").or_default().push(joined(&parts, FIELD));
    }
    for (folder, name, target) in [("warc", 3, "captures"), ("logs", 0, "frontier"), ("cdx", 4, "frontier")] {
        for file in fs::read_dir(corpora.join(folder))? {
            let path = file?.path();
            let raw = fs::read(&path)?;
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut robomata_formats::input::open(&path)?, &mut text)?;
            let is_cdxj = path.extension().is_some_and(|extension| extension == "cdxj");
            let way: &[u8] = if target == "frontier" { &[name + u8::from(is_cdxj), 0] } else { &[name] };
            for piece in pieces(&text, 4_000).take(60) {
                seeds.entry(target).or_default().push([way, piece].concat());
            }
            if folder == "warc" {
                let start = &text[..text.len().min(60_000)];
                seeds.entry("captures").or_default().push([&[3], start].concat());
                seeds.entry("frontier").or_default().push([&[6, 0], start].concat());
                seeds.entry("captures").or_default().push([&[5], &raw[..raw.len().min(30_000)]].concat());
            }
        }
    }
    Ok(())
}
