//! Inputs that are truncated, damaged, unusual or missing: the readable part is used, and the rest is reported and
//! counted.

use std::io::Write as _;

use crate::support::{Folder, Ran, SOURCE, record};
use robomata_formats::{Cell, Column, ColumnKind, Output, RowsBuilder, RowsOutput, capture};

const LOG: &str = "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"\n";

const FILTER: &str = "filter -q --agent A --robots robots.jsonl --output verdicts";

/// Verdict and line of each URL that a filter wrote.
fn verdicts(ran: &Ran) -> String {
    let of = |line: &str| line.split('\t').take(2).collect::<Vec<_>>().join(" ");
    ran.out.lines().map(of).collect::<Vec<_>>().join(", ")
}

/// The value of a key in a JSON object.
fn value(json: &str, key: &str) -> u64 {
    let object: serde_json::Value = serde_json::from_str(json).unwrap();
    key.split('.')
        .fold(&object, |object, key| &object[key])
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {json}"))
}

/// Writes `text`, compressed according to the name, and truncates it by a third.
fn write_cut(folder: &Folder, name: &str, text: &[u8]) {
    folder.write_compressed(name, text);
    let path = folder.path(name);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 3 * 2]).unwrap();
}

fn scattered(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|number| number.wrapping_mul(2_654_435_761))
}

#[test]
fn truncated_archives_of_every_kind_give_what_they_hold() {
    let folder =
        Folder::with(&[("robots.jsonl", SOURCE), ("urls", "https://a.example/b\n"), ("access.log", LOG)]);
    folder.write("h0", "https://h0.example/b\n");
    folder.write("h0.log", LOG.replace("a.example ", "h0.example "));
    let urls: String = scattered(60_000).map(|n| format!("https://a.example/{n}\n")).collect();
    let sources: String = scattered(8_000)
        .map(|n| format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{n}\"}}\n"))
        .collect();
    let log: String = scattered(30_000).map(|n| LOG.replace("/b ", &format!("/{n} "))).collect();
    let robots: String = scattered(60_000).map(|n| format!("Disallow: /{n}\n")).collect();
    for (ending, compression) in [("gz", "gzip"), ("zst", "zstd")] {
        for (name, text) in
            [("cut-urls", &urls), ("cut.jsonl", &sources), ("cut.log", &log), ("cut.txt", &robots)]
        {
            write_cut(&folder, &format!("{name}.{ending}"), text.as_bytes());
        }
        let message = format!("expected the rest of the {compression} data, found the end of the file\n");
        // The count for the readable part, and the full count.
        for (line, name, code, key, whole) in [
            (
                "filter -q --agent A --robots robots.jsonl cut-urls.{} --to /dev/null --stats -",
                "cut-urls",
                4,
                "lines",
                60_000,
            ),
            (
                "filter -q --agent A --robots cut.jsonl.{} --partial urls --to out --stats -",
                "cut.jsonl",
                0,
                "sites",
                16_000,
            ),
            (
                "compare -q --agent A --robots robots.jsonl cut-urls.{} --to /dev/null --stats -",
                "cut-urls",
                4,
                "lines",
                60_000,
            ),
            (
                "compare -q --agent A --robots cut.jsonl.{} --partial h0 --to out --stats -",
                "cut.jsonl",
                0,
                "captures",
                8_000,
            ),
            (
                "score --robots robots.jsonl cut.log.{} --partial --quiet --json",
                "cut.log",
                0,
                "lines",
                30_000,
            ),
            ("score --robots cut.jsonl.{} --partial --quiet h0.log --json", "cut.jsonl", 0, "lines", 2),
            (
                "diff --agent A robots.jsonl robots.jsonl cut-urls.{} --json",
                "cut-urls",
                4,
                "urls.lines",
                60_000,
            ),
        ] {
            let line = line.replace("{}", ending);
            let ran = folder.run(&line);
            assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
            assert!(ran.err.starts_with(&format!("warning: {name}.{ending}:")), "{line}: {}", ran.err);
            assert!(ran.err.contains(&message), "{line}: {}", ran.err);
            let read = value(&ran.out, key);
            assert!(read > 0 && read < whole, "{line}: {read} of {whole}");
            let ran = folder.run(&format!("{line} --strict").replace("--to out", "--to none"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{line}");
            assert!(
                ran.err.starts_with(&format!("error: {name}.{ending}:")) && ran.err.ends_with(&message),
                "{}",
                ran.err
            );
            assert!(!folder.path("none").exists(), "{line}");
        }
        let ran = folder.run(&format!("compile cut.jsonl.{ending} --partial --agent A -o cut.bundle"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains(&message) && ran.err.ends_with("1 input skipped\n"), "{}", ran.err);
        // A truncated robots.txt is not used, because rules may be missing.
        let ran = folder.run(&format!("lint cut.txt.{ending}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert_eq!(ran.err, format!("error: cut.txt.{ending}: {message}"));
    }
}

#[test]
fn a_damaged_web_archive_is_incomplete_and_its_damaged_records_are_failed_fetches() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    let hosts = ["a", "b", "c"];
    let records = hosts
        .map(|host| record(&format!("https://{host}.example/robots.txt"), "User-agent: *\nDisallow: /x\n"));
    let urls: String = hosts.iter().map(|host| format!("https://{host}.example/x\n")).collect();
    folder.write("urls", urls);
    let broken =
        |length: &str| records[1].replace("Content-Length: 46", &format!("Content-Length: {length}"));
    assert_ne!(broken("1"), records[1]);
    let [a, b, c] = &records;
    for (damage, bytes, known) in [
        ("cut in a body", [a, b, &c[..c.len() - 20]].concat(), "ddf"),
        ("cut in a head", [a, b, &c[..40]].concat(), "dd-"),
        ("no number", [a, &*broken("many"), c].concat(), "d-d"),
        ("a negative number", [a, &*broken("-1"), c].concat(), "d-d"),
        ("too long", [a, &*broken("99999999999"), c].concat(), "dfd"),
        ("too short", [a, &*broken("30"), c].concat(), "dfd"),
        ("no length", [a, &*b.replace("Content-Length", "Content-Width"), c].concat(), "d-d"),
    ] {
        for name in ["damaged.warc", "damaged"] {
            folder.write(name, &bytes);
            let line = format!("filter -q --agent A --robots {name} urls --output verdicts");
            // Damage may hide records, also if others follow.
            let ran = folder.run(&line);
            assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{damage}: {}", ran.err);
            let ran = folder.run(&format!("{line} --partial"));
            let expected: Vec<_> = known
                .chars()
                .map(|known| match known {
                    'd' => "disallow 2",
                    'f' => "disallow 0",
                    _ => "unknown 0",
                })
                .collect();
            let failed = known.matches('f').count();
            assert_eq!((ran.code, verdicts(&ran)), (Some(0), expected.join(", ")), "{damage}: {}", ran.err);
            assert!(ran.err.starts_with(&format!("warning: {name}: record ")), "{damage}: {}", ran.err);
            assert_eq!(ran.err.lines().count(), 1 + failed, "{damage}: {}", ran.err);
            let ran = folder.run(&format!("compile {name} --agent A -o none.bundle"));
            assert_eq!((ran.code, folder.path("none.bundle").exists()), (Some(4), false), "{}", ran.err);
            let ran = folder.run(&format!("compile {name} --partial --agent A -o out.bundle"));
            assert_eq!(ran.code, Some(0), "{damage}: {}", ran.err);
            assert!(
                ran.err.contains(&format!("out.bundle: {} sites, ", 2 + failed))
                    && ran.err.ends_with("1 input skipped\n"),
                "{}",
                ran.err
            );
        }
        // In a frontier, a record that is truncated after its header still has its URL.
        folder.write("crawl.warc", record("https://a.example/page", "x") + &bytes);
        let ran = folder.run(&format!("{FILTER} crawl.warc urls"));
        let is_cut = damage.starts_with("cut");
        assert_eq!(ran.code, Some(if is_cut { 4 } else { 0 }), "{damage}");
        assert!(ran.err.starts_with("warning: crawl.warc: record "), "{damage}: {}", ran.err);
        let found = ran.out.lines().filter(|line| line.ends_with("/robots.txt")).count();
        assert!((2..=3).contains(&found), "{damage}: {}", ran.out);
        assert_eq!(ran.out.lines().count(), found + 4, "{damage}: the next file follows");
        let strict = folder.run(&format!("{FILTER} crawl.warc urls --strict")).code;
        assert_eq!(strict, Some(if damage.starts_with("cut") { 4 } else { 2 }), "{damage}");
    }
}

#[test]
fn of_a_cut_parquet_file_the_rest_goes_on_without() {
    let folder = Folder::with(&[
        ("robots.jsonl", SOURCE),
        ("urls", "https://a.example/private\n"),
        ("access.log", LOG),
    ]);
    assert_eq!(folder.run(&format!("{FILTER} urls --to urls.parquet")).code, Some(0));
    let whole = std::fs::read(folder.path("urls.parquet")).unwrap();
    for length in [1, 4, whole.len() / 2, whole.len() - 1] {
        folder.write("cut.parquet", &whole[..length]);
        let message = "cut.parquet: expected Parquet data: ";
        let line = "filter -q --agent A --robots robots.jsonl cut.parquet urls --output verdicts";
        let ran = folder.run(line);
        assert_eq!((ran.code, verdicts(&ran).as_str()), (Some(4), "disallow 2"), "{line}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("warning: {message}")), "{line}: {}", ran.err);
        let ran = folder.run(&format!("{line} --strict"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{line}");
        assert!(ran.err.starts_with(&format!("error: {message}")), "{line}: {}", ran.err);
        // In a source, the record is missing.
        for line in [
            "filter -q --agent A --robots cut.parquet --robots robots.jsonl urls --output verdicts",
            "compile cut.parquet robots.jsonl --agent A -o out.bundle",
            "score --robots cut.parquet --robots robots.jsonl access.log --json",
        ] {
            let ran = folder.run(line);
            assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{line}: {}", ran.err);
            assert!(ran.err.starts_with(&format!("error: {message}")), "{line}: {}", ran.err);
            let ran = folder.run(&format!("{line} --partial"));
            assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
            assert!(ran.err.contains("cut.parquet: no captures found; "), "{line}: {}", ran.err);
        }
        let ran = folder.run("compare -q --agent A --robots robots.jsonl cut.parquet urls");
        assert!(ran.code == Some(4) && ran.err.contains(message), "{}", ran.err);
    }
}

#[test]
fn a_corrupt_parquet_file_is_one_message_also_where_its_decoder_panics() {
    let folder = Folder::with(&[("urls", "https://a.example/private\n")]);
    let path = folder.path("robots.parquet");
    let columns = ["host", "body"].map(|name| Column::required(name, ColumnKind::Text));
    let mut rows = RowsBuilder::new(&columns).unwrap();
    for n in 0..9 {
        rows.push(Cell::from(&*format!("h{n}.example")));
        rows.push(Cell::from(&*format!("User-agent: *\nDisallow: /{n}")));
    }
    let mut output = RowsOutput::new(Output::create(&path).unwrap(), &columns).unwrap();
    output.write(&rows.finish().unwrap()).unwrap();
    output.commit().unwrap();

    // Which bits make the decoder panic depends on its version.
    let whole = std::fs::read(&path).unwrap();
    let caught = "expected Parquet data: the data are inconsistent";
    let panics = (0..whole.len() * 8).find(|bit| {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, damaged).unwrap();
        capture::captures(&path).any(|item| item.is_err_and(|error| error.to_string().ends_with(caught)))
    });
    assert!(panics.is_some(), "no flipped bit makes the decoder panic");
    let ran = folder.run("filter -q --agent A --robots robots.parquet urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
    assert!(ran.err.starts_with("error: robots.parquet:") && ran.err.contains(caught), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
}

/// URLs as lines of a format.
fn lines(format: &str, urls: &[&[u8]], end: &str) -> Vec<u8> {
    let of = |url: &[u8]| match format {
        "text" => url.to_vec(),
        "tsv" => [b"1\t", url, b"\tx"].concat(),
        "jsonl" => [b"{\"url\": \"", url, b"\"}"].concat(),
        "cdx" => [b"example,a)/ 20240708230936 ", url, b" text/html"].concat(),
        "cdxj" => [b"example,a)/ 20240708230936 {\"url\": \"", url, b"\"}"].concat(),
        _ => unreachable!("{format}"),
    };
    let header: &[u8] = match format {
        "tsv" => b"id\turl\tother",
        "cdx" => b" CDX N b a m",
        "cdxj" => b"!meta {}",
        _ => b"",
    };
    let header = Some(header.to_vec()).filter(|header| !header.is_empty());
    let lines: Vec<Vec<u8>> = header.into_iter().chain(urls.iter().map(|url| of(url))).collect();
    lines.join(end.as_bytes())
}

const FORMATS: [&str; 5] = ["text", "tsv", "jsonl", "cdx", "cdxj"];

#[test]
fn strange_bytes_in_frontiers_are_bytes_of_urls() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    let private: &[u8] = b"https://a.example/private";
    let open: &[u8] = b"https://a.example/open";
    for format in FORMATS {
        let is_json = format.contains("js") || format == "cdxj";
        // JSON is UTF-8, so other bytes make its line invalid. In other formats they are ordinary bytes.
        let bytes = if is_json { "invalid 0" } else { "disallow 2" };
        for (what, middle, end, ends, expected) in [
            ("plain", private, "\n", true, "disallow 2"),
            ("CRLF", private, "\r\n", true, "disallow 2"),
            ("no line end at the end", private, "\n", false, "disallow 2"),
            ("CRLF, none at the end", private, "\r\n", false, "disallow 2"),
            ("no UTF-8", b"https://a.example/private\xff\xfe", "\n", true, bytes),
            ("NUL", b"https://a.example/private\0x", "\n", true, "invalid 0"),
            ("no URL", b"\xff\xff", "\n", true, "invalid 0"),
        ] {
            let mut text = lines(format, &[open, middle, open], end);
            if ends {
                text.extend_from_slice(end.as_bytes());
            }
            folder.write("urls", &text);
            for form in ["text", "tsv", "parquet", "jsonl"] {
                let ran =
                    folder.run(&format!("{FILTER} urls --format {format} --to out --output-format {form}"));
                assert_eq!(ran.code, Some(0), "{format}, {what}: {}", ran.err);
                let told = ran.err.is_empty() || ran.err.starts_with("warning: urls:");
                assert!(
                    told && ran.err.is_empty() == (expected != "invalid 0"),
                    "{format}, {what}: {}",
                    ran.err
                );
            }
            // The last format was JSON, which is always UTF-8.
            for line in folder.read("out").lines() {
                let _: serde_json::Value =
                    serde_json::from_str(line).unwrap_or_else(|_| panic!("{format}, {what}: {line}"));
            }
            let ran = folder.run(&format!("{FILTER} urls --format {format}"));
            assert_eq!(verdicts(&ran), format!("allow 0, {expected}, allow 0"), "{format}, {what}");
        }
    }
}

#[test]
fn strange_bytes_in_sources_cost_their_own_line_at_most() {
    let folder = Folder::with(&[("urls", "https://a.example/x\nhttps://b.example/x\nhttps://c.example/x\n")]);
    let json = |host: &str, body: &[u8]| {
        [b"{\"host\": \"", host.as_bytes(), b"\", \"body\": \"", body, b"\"}"].concat()
    };
    let tsv = |host: &str, body: &[u8]| [host.as_bytes(), b"\t", body].concat();
    let plain: &[u8] = b"User-agent: *\\nDisallow: /x";
    for (what, body, end, in_json, in_tsv) in [
        ("plain", plain, "\n", "disallow 2", "disallow 2"),
        ("CRLF", plain, "\r\n", "disallow 2", "disallow 2"),
        ("no UTF-8", b"# \xff\xfe\\nUser-agent: *\\nDisallow: /x", "\n", "disallow 0", "disallow 3"),
        ("NUL", b"# \0\\nUser-agent: *\\nDisallow: /x", "\n", "disallow 0", "disallow 3"),
    ] {
        for last in ["", end] {
            let of = |line: &dyn Fn(&str, &[u8]) -> Vec<u8>| {
                [line("a.example", plain), line("b.example", body), line("c.example", plain)]
                    .join(end.as_bytes())
            };
            folder.write("s.jsonl", [of(&json), last.into()].concat());
            folder.write("s.tsv", [format!("host\tbody{end}").into(), of(&tsv), end.into()].concat());
            for (name, expected) in [("s.jsonl", in_json), ("s.tsv", in_tsv)] {
                let ran = folder.run(&format!("filter -q --agent A --robots {name} urls --output verdicts"));
                assert_eq!(ran.code, Some(0), "{name}, {what}");
                assert_eq!(
                    verdicts(&ran),
                    format!("disallow 2, {expected}, disallow 2"),
                    "{name}, {what}: {}",
                    ran.err
                );
                let is_bad = expected == "disallow 0";
                assert_eq!(
                    ran.err.starts_with(&format!("warning: {name}:2: expected a JSON object: ")),
                    is_bad,
                    "{}",
                    ran.err
                );
                assert_eq!(ran.err.is_empty(), !is_bad, "{name}, {what}: {}", ran.err);
            }
        }
    }
    // A plain robots.txt of a host has no format that could be invalid.
    folder.write("sites/a.example", b"\xff\0\r\nUser-agent: *\rDisallow: /x");
    let ran = folder.run("filter -q --agent A --robots sites urls --output verdicts");
    assert_eq!((verdicts(&ran).as_str(), ran.err.as_str()), ("disallow 3, unknown 0, unknown 0", ""));
}

/// A request of `/b` by a crawler in each format of logs; `{}` is its path.
const REQUESTS: [(&str, &str); 7] = [
    ("common", "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET {} HTTP/1.1\" 200 5"),
    (
        "combined",
        "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET {} HTTP/1.1\" 200 5 \"-\" \"XBot/1.0 (+http://x)\"",
    ),
    ("vhost-common", "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET {} HTTP/1.1\" 200 5"),
    (
        "vhost-combined",
        "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET {} HTTP/1.1\" 200 5 \"-\" \"XBot/1.0 (+http://x)\"",
    ),
    (
        "json",
        "{\"ts\": 1705276800, \"method\": \"GET\", \"uri\": \"{}\", \"http_user_agent\": \"XBot/1.0 (+http://x)\"}",
    ),
    (
        "heritrix",
        "2024-01-15T00:00:00.000Z   200       5 https://a.example{} L https://a.example/ text/html #001 20240115000000000+1 sha1:X - -",
    ),
    (
        "scrapy",
        "2024-01-15 00:00:00 [scrapy.core.engine] DEBUG: Crawled (200) <GET https://a.example{}> (referer: None)",
    ),
];

#[test]
fn strange_bytes_in_logs_are_bytes_of_targets() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    for (format, request) in REQUESTS {
        let line = |path: &[u8]| {
            let (before, behind) = request.split_once("{}").unwrap();
            [before.as_bytes(), path, behind.as_bytes()].concat()
        };
        for (what, path, end, last, read) in [
            ("plain", &b"/private"[..], "\n", "\n", 3),
            ("CRLF", b"/private", "\r\n", "\r\n", 3),
            ("no line end at the end", b"/private", "\n", "", 3),
            ("no UTF-8", b"/private\xff\xfe", "\n", "\n", 3),
            // A control character makes a JSON string invalid.
            ("NUL", b"/private\0", "\n", "\n", if format == "json" { 2 } else { 3 }),
        ] {
            let text = [[line(b"/a"), line(path), line(b"/a")].join(end.as_bytes()), last.into()].concat();
            folder.write("log", &text);
            let arguments = "--robots robots.jsonl --host a.example --agent XBot --quiet --json";
            for chosen in [String::new(), format!("--format {format}")] {
                let ran = folder.run(&format!("score {arguments} log {chosen}"));
                // What a client requests for a URL with a control character is not known.
                let is_invalid = what == "NUL" && read == 3;
                let is_broken = read == 3 && !is_invalid;
                assert_eq!(ran.code, Some(i32::from(is_broken)), "{format}, {what}: {}", ran.err);
                assert_eq!(ran.out.contains("\"invalid\":1,"), is_invalid, "{format}, {what}: {}", ran.out);
                assert_eq!(value(&ran.out, "lines"), 3, "{format}, {what}");
                assert_eq!(value(&ran.out, "requests"), read, "{format}, {what}: {}", ran.out);
                let warned = ran.err.starts_with("warning: log:2: expected ");
                assert_eq!(
                    (warned, ran.err.is_empty()),
                    (read == 2, read == 3),
                    "{format}, {what}: {}",
                    ran.err
                );
            }
        }
    }
}

/// The length of the longest lines in bytes.
const LONG: [usize; 2] = [1 << 20, 20 << 20];

/// Runs a line with a limit on the address space, in megabytes.
fn within(folder: &Folder, megabytes: usize, line: &str) -> Ran {
    folder.bash(&format!("ulimit -v {}; MALLOC_ARENA_MAX=2 robomata {line}", megabytes << 10))
}

#[test]
fn long_lines_are_lines_like_others() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    for length in LONG {
        let long = [b"https://a.example/private/".to_vec(), vec![b'x'; length]].concat();
        for format in FORMATS {
            folder.write(
                "urls",
                [lines(format, &[b"https://a.example/", &long, b"https://a.example/"], "\n"), b"\n".to_vec()]
                    .concat(),
            );
            let ran = folder.run(&format!("{FILTER} urls --format {format}"));
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{format}");
            assert_eq!(verdicts(&ran), "allow 0, disallow 2, allow 0", "{format}");
        }
        // A log.
        for (format, request) in REQUESTS {
            let path = format!("/private/{}", "x".repeat(length));
            let log =
                [request.replace("{}", "/a"), request.replace("{}", &path), request.replace("{}", "/a")];
            folder.write("log", log.join("\n"));
            let ran =
                folder.run("score --robots robots.jsonl --host a.example --agent XBot --quiet --json log");
            assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{format}");
            assert_eq!(value(&ran.out, "requests"), 3, "{format}");
            assert!(ran.out.len() < 1 << 16, "{format}: the example is cut");
        }
        // Sources.
        let comment = "#".repeat(length);
        let json = |host: &str, comment: &str| {
            format!("{{\"host\": \"{host}\", \"body\": \"User-agent: *\\nDisallow: /x\\n{comment}\"}}\n")
        };
        let tsv = |host: &str, comment: &str| format!("{host}\tUser-agent: *\\nDisallow: /x\\n{comment}\n");
        folder.write(
            "s.jsonl",
            [json("a.example", ""), json("b.example", &comment), json("c.example", "")].concat(),
        );
        folder.write(
            "s.tsv",
            [
                "host\tbody\n".to_owned(),
                tsv("a.example", ""),
                tsv("b.example", &comment),
                tsv("c.example", ""),
            ]
            .concat(),
        );
        folder.write("x", "https://a.example/x\nhttps://b.example/x\nhttps://c.example/x\n");
        // A robots.txt is parsed only up to the limit, and the rules come first.
        for name in ["s.jsonl", "s.tsv"] {
            let ran = folder.run(&format!("filter -q --agent A --robots {name} x --output verdicts"));
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
            assert_eq!(verdicts(&ran), "disallow 2, disallow 2, disallow 2", "{name}");
            let ran = folder.run(&format!("compile {name} --all-agents -o out.bundle"));
            assert!(ran.code == Some(0) && ran.err.contains(": 6 sites, "), "{name}: {}", ran.err);
        }
        folder
            .write("robots.txt", format!("User-agent: *\nDisallow: /{}\nDisallow: a\n", "x".repeat(length)));
        let ran = folder.run("lint robots.txt");
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
        assert!(ran.out.len() < 1 << 16, "{} bytes about it", ran.out.len());
    }
}

#[test]
fn memory_is_bounded_however_long_the_lines_are() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    let url = format!("https://a.example/{}\n", "x".repeat(20 << 20));
    let mut output = Output::create(&folder.path("urls.zst")).unwrap();
    for _ in 0..40 {
        output.write_all(url.as_bytes()).unwrap();
    }
    output.commit().unwrap();
    let ran = within(&folder, 700, "filter -q --agent A --robots robots.jsonl urls.zst --threads 2 | wc -l");
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("40\n", ""));

    let request = REQUESTS[1].1.replace("{}", &format!("/{}", "x".repeat(20 << 20)));
    let mut output = Output::create(&folder.path("log.zst")).unwrap();
    for _ in 0..40 {
        writeln!(output, "{request}").unwrap();
    }
    output.commit().unwrap();
    let ran = within(
        &folder,
        900,
        "score --robots robots.jsonl --host a.example log.zst --quiet --json --threads 2",
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(value(&ran.out, "requests"), 40);
}

/// A zstd frame with a window of 2^`log` bytes, and as many zero bytes before a line with a URL. It is small, because a
/// block of equal bytes takes four.
fn frame_that_fills_its_window(log: u32) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    const IS_LAST: usize = 1;
    const REPEATS: usize = 1 << 1;
    let header = |size: usize, bits: usize| (size << 3 | bits).to_le_bytes()[..3].to_vec();
    let url = b"\nhttps://a.example/\n";
    let blocks = [header(BLOCK, REPEATS), vec![0]].concat().repeat((1 << log) / BLOCK);
    let last = [header(url.len(), IS_LAST), url.to_vec()].concat();
    let window = u8::try_from(log - 10).unwrap() << 3;
    [b"\x28\xb5\x2f\xfd\x00", &[window][..], &blocks, &last].concat()
}

#[test]
fn a_zstd_window_takes_at_most_128_mebibytes() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    let filter = |name: &str| {
        within(&folder, 400, &format!("filter -q --agent A --robots robots.jsonl {name} --threads 1"))
    };
    let small = frame_that_fills_its_window(27);
    assert!(small.len() < 5_000, "{} bytes", small.len());
    folder.write("urls.zst", &small);
    let ran = filter("urls.zst");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://a.example/\n"), "{}", ran.err);

    // Longer ones are refused before memory is taken: in this address space, a window of 2 GiB could not be allocated.
    for log in [28, 31] {
        folder.write("long.zst", frame_that_fills_its_window(log));
        folder.write("long.warc.zst", frame_that_fills_its_window(log));
        for name in ["long.zst", "long.warc.zst"] {
            let ran = filter(name);
            assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "2^{log}: {}", ran.err);
            let error = "the window is longer than 128 MiB (decompress the file with `zstd -d --long=31`)";
            assert!(ran.err.contains(error), "2^{log}: {}", ran.err);
        }
    }
}

#[test]
fn a_line_that_is_too_long_costs_itself_alone_even_when_it_is_the_first() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    let long = "x".repeat((64 << 20) + 1);
    folder.write("log", format!("{long}\n{LOG}"));
    let ran = folder.bash("timeout 60 robomata score --robots robots.jsonl log --quiet --json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!((value(&ran.out, "lines"), value(&ran.out, "requests")), (2, 1));
    assert_eq!(ran.err, "warning: log:1: expected a line of at most 64 MiB; the line is skipped\n");

    folder.write("urls", format!("{long}\nhttps://a.example/private\n"));
    let ran = folder.run(&format!("{FILTER} urls"));
    assert_eq!((ran.code, verdicts(&ran).as_str()), (Some(0), "invalid 0, disallow 2"));
    assert_eq!(ran.err, "warning: urls:1: expected a line of at most 64 MiB; the line is skipped\n");
}

/// A file that can be opened, but whose first read fails with an input/output error: memory at an unmapped address.
#[cfg(target_os = "linux")]
#[test]
fn a_read_that_fails_midway_writes_nothing_over_what_is_complete() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("log", LOG)]);
    folder.write("urls", "https://a.example/b\n".repeat(1_000));
    assert_eq!(folder.run("compile robots.jsonl --agent A -o good.bundle").code, Some(0));
    let good = std::fs::read(folder.path("good.bundle")).unwrap();
    for (line, feed) in [
        ("filter -q --agent A --robots robots.jsonl first second --to out", "urls"),
        ("filter -q --agent A --robots robots.jsonl first second --to out --resume", "urls"),
        ("filter -q --agent A --robots first --robots second urls --to out", "robots.jsonl"),
        ("score --latest -q --robots robots.jsonl first second --to out", "log"),
        ("score --latest -q --robots first --robots second log --to out", "robots.jsonl"),
        ("compare -q --agent A --robots robots.jsonl first second --to out", "urls"),
        ("diff --agent A robots.jsonl robots.jsonl first second --to out", "urls"),
        ("diff robots.jsonl robots.jsonl first second --to out", "urls"),
        ("compile --agent A first second -o out", "robots.jsonl"),
        ("compile -q first second --onto out -o out", "robots.jsonl"),
    ] {
        folder.write("out", &good);
        // The first input is a pipe. All inputs are inspected before it is opened; then the second one is replaced.
        let ran = folder.bash(&format!(
            "rm -f first second; mkfifo first; cp {feed} second
             timeout 60 robomata {line} & exec 3>first; ln -sf /proc/self/mem second; cat {feed} >&3; exec 3>&-; wait $!"
        ));
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{line}: {}", ran.err);
        let message = "error: second: cannot be read: Input/output error (os error 5); ";
        assert!(ran.err.starts_with(message), "{line}: {}", ran.err);
        assert!(std::fs::read(folder.path("out")).unwrap() == good, "{line}: the output was replaced");
        let kept = ["out.partial", "out.checkpoint.json"].map(|name| folder.path(name).exists());
        assert_eq!(kept, [line.contains("--resume"); 2], "{line}");
        if line.contains("--resume") {
            assert_eq!(folder.read("out.partial").lines().count(), 1_000);
            std::fs::remove_file(folder.path("out.partial")).unwrap();
            std::fs::remove_file(folder.path("out.checkpoint.json")).unwrap();
        }
    }
}

/// Commands; `{}` stands for their input.
const READERS: [(&str, Reads); 20] = [
    ("check --agent A --robots {} /a", Reads::RobotsTxt),
    ("explain --agent A --robots {} /a", Reads::RobotsTxt),
    ("debug --agent A --robots {}", Reads::RobotsTxt),
    ("lint {}", Reads::Lint),
    ("filter -q --agent A --robots robots.jsonl {}", Reads::Lines),
    ("filter -q --agent A --robots robots.jsonl urls {} --resume --to out", Reads::Lines),
    ("filter -q --agent A --robots {} urls", Reads::Source),
    ("filter -q --agent A --policies {} urls", Reads::Bundle),
    ("compare -q --agent A --robots robots.jsonl {}", Reads::Lines),
    ("compare -q --agent A --robots {} urls", Reads::Source),
    ("score --robots robots.jsonl {}", Reads::Lines),
    ("score --robots {} access.log", Reads::Source),
    ("score --policies {} access.log", Reads::Bundle),
    ("score --robots robots.jsonl --agents {} access.log --quiet", Reads::Agents),
    ("compile {} --agent A -o out", Reads::Source),
    ("compile robots.jsonl --onto {} -o out", Reads::Bundle),
    ("inspect {}", Reads::Bundle),
    ("shard {} -n 2 -o out", Reads::Bundle),
    ("diff --agent A robots.jsonl robots.jsonl {}", Reads::Lines),
    ("diff --agent A {} robots.jsonl urls", Reads::Old),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    RobotsTxt,
    /// robots.txt files, or directories of robots.txt files.
    Lint,
    Lines,
    Source,
    Bundle,
    Agents,
    Old,
}

#[test]
fn missing_and_empty_inputs_and_directories_are_reported() {
    let folder = Folder::with(&[
        ("robots.jsonl", SOURCE),
        ("urls", "https://a.example/b\n"),
        ("access.log", LOG),
        ("empty", ""),
        ("sites/a.example", "User-agent: *\n"),
    ]);
    let names = folder.names();
    for (line, reads) in READERS {
        let ran = folder.run(&line.replace("{}", "missing"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert!(ran.err.starts_with("error: missing: "), "{line}: {}", ran.err);
        assert!(ran.err.ends_with("No such file or directory (os error 2)\n"), "{line}: {}", ran.err);
        assert_eq!(folder.names(), names, "{line}");

        let ran = folder.run(&line.replace("{}", "sites"));
        if matches!(reads, Reads::Lint | Reads::Source | Reads::Old) {
            assert!(matches!(ran.code, Some(0 | 1)), "{line}: {}", ran.err);
        } else {
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
            let error = ran.err.to_ascii_lowercase();
            assert!(error.starts_with("error: sites: cannot be read: is a directory"), "{line}: {error}");
            assert_eq!(folder.names(), names, "{line}");
        }
        let _ = std::fs::remove_file(folder.path("out"));

        let ran = folder.run(&line.replace("{}", "empty"));
        match reads {
            Reads::Bundle => {
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
                assert!(ran.err.starts_with("error: empty: "), "{line}: {}", ran.err);
            }
            Reads::Agents => {
                assert!(ran.err.is_empty() || ran.err.contains("empty: "), "{line}: {}", ran.err);
            }
            Reads::Lines if line.starts_with("score") => {
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
                assert!(ran.err.starts_with("error: no request found: "), "{line}: {}", ran.err);
            }
            Reads::Lines if line.starts_with("compare") => {
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
                assert!(ran.err.starts_with("error: nothing was compared: "), "{line}: {}", ran.err);
            }
            // A fetch that failed leaves nothing, either.
            Reads::RobotsTxt | Reads::Old => {
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
                assert!(ran.err.starts_with("error: empty: an empty robots.txt, or"), "{line}: {}", ran.err);
            }
            Reads::Lint => {
                assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
                assert!(ran.err.starts_with("error: empty: an empty robots.txt, or"), "{line}: {}", ran.err);
            }
            Reads::Source => {
                assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
                assert!(ran.err.starts_with("error: empty: no captures found; "), "{line}: {}", ran.err);
            }
            _ => assert!(
                matches!(ran.code, Some(0 | 1)) && !ran.err.contains("warning"),
                "{line}: {}",
                ran.err
            ),
        }
        let _ = std::fs::remove_file(folder.path("out"));
    }
}

#[test]
#[cfg(unix)]
fn what_may_not_be_read_is_named() {
    let folder = Folder::with(&[
        ("robots.jsonl", SOURCE),
        ("urls", "https://a.example/b\n"),
        ("access.log", LOG),
        ("shut", SOURCE),
    ]);
    folder.set_mode("shut", 0o000);
    folder.write("open/x", "");
    folder.set_mode("open", 0o777);
    for (line, _) in READERS {
        let line = line
            .replace("{}", "../shut")
            .replace("robots.jsonl", "../robots.jsonl")
            .replace("urls", "../urls")
            .replace("access.log", "../access.log");
        let Some(ran) = folder.run_as_nobody("open", &line) else { return };
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert_eq!(ran.err, "error: ../shut: cannot be read: Permission denied (os error 13)\n", "{line}");
    }
}

/// A small compressed file can be a very large one: no more than 64 MiB of it are read.
#[test]
fn a_robots_txt_of_more_than_64_mib_is_refused() {
    let folder = Folder::with(&[("urls", "https://a.example/\n"), ("robots.txt", "\n")]);
    let file = std::fs::File::create(folder.path("huge.txt")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    for line in [
        "check --robots huge.txt --agent A https://a.example/",
        "explain --robots huge.txt --agent A https://a.example/",
        "permissions --robots huge.txt --agent A https://a.example/",
        "debug --robots huge.txt --agent A",
        "lint huge.txt",
        "diff --agent A robots.txt huge.txt",
        "filter --host a.example --robots huge.txt --agent A urls",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert!(ran.err.contains("huge.txt") && ran.err.contains("at most 64 MiB"), "{}", ran.err);
    }
}
