//! `robomata score`.

use crate::support::Folder;

const HISTORY: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-02-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /b"}
"#;

const LOG: &str = "\
a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /a/1 HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"
a.example 192.0.2.1 - - [15/Jan/2024:00:00:09 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"
a.example 192.0.2.1 - - [15/Apr/2024:00:00:09 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"OtherBot/1.0 (+http://bot.example)\"
nonsense
";

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", HISTORY), ("access.log", LOG)])
}

#[test]
fn violations_are_reported_by_crawler_site_and_rule() {
    let ran = folder().run("score --robots robots.jsonl access.log");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("warning: access.log:4: expected "), "{}", ran.err);
    for line in [
        "4 lines, 3 requests: crawlers 3, browsers 0, other programs 0, without a User-Agent 0\n",
        "other lines: 1 malformed\n",
        "access.log: vhost-combined (3 of the first 4 lines)\n",
        "ExampleBot: 1 violation, from 2024-01-15T00:00:00Z to 2024-01-15T00:00:00Z\n",
        "  evidence: 1 between two captures that say so\n",
        "  https://a.example: 1 of 2 requests\n",
        "line 2: Disallow: /a\n",
        "https://a.example/a/1\n",
    ] {
        assert!(ran.out.contains(line), "{line:?} in {}", ran.out);
    }
}

#[test]
fn the_summary_counts_every_line() {
    let folder = folder();
    let line = LOG.lines().nth(1).unwrap();
    let put = line.replace("GET", "PUT");
    let tls = line.replace("GET /b HTTP/1.1", "-");
    folder.write("some.log", [line, &put, &tls, "", "# a comment", "nonsense", ""].join("\n"));
    let ran = folder.run("score --robots robots.jsonl some.log");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("6 lines, 2 requests: crawlers 2, "), "{}", ran.out);
    let others = "other lines: 1 without an HTTP request, 1 malformed, 2 blank, comments or headers\n";
    assert!(ran.out.contains(others), "{}", ran.out);
    let table: Vec<&str> =
        ran.out.lines().filter(|line| line.contains("ExampleBot") || line.contains("allowed")).collect();
    assert!(table[0].contains("robots.txt  other methods"), "{table:?}");
    assert!(
        table[1].split_ascii_whitespace().eq(["ExampleBot", "1", "1", "0", "0", "0", "0", "1", "-"]),
        "{table:?}"
    );
}

#[test]
fn sources_and_a_bundle_score_alike() {
    let folder = folder();
    folder.run("compile robots.jsonl --all-agents --history -o history.bundle");
    let json = |arguments: &str| {
        let ran = folder.run(&format!("score {arguments} --json access.log"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let mut json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        // A bundle does not contain texts.
        json["robots_txt"] = serde_json::Value::Null;
        json
    };
    let by_sources = json("--robots robots.jsonl");
    assert_eq!(by_sources, json("--policies history.bundle"));
    assert_eq!(by_sources["crawlers"][0]["sites"][0]["broken"][0]["rule"], "Disallow: /a");
    // The newest capture gives another result.
    assert_ne!(by_sources, json("--robots robots.jsonl --latest"));
}

#[test]
fn every_request_is_written_in_any_form() {
    let folder = folder();
    let ran = folder.run("score --robots robots.jsonl access.log --requests out.jsonl --to table.txt");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let row = |line: u32, rest: &str| format!("{{\"file\":\"access.log\",\"file_line\":{line},{rest}}}\n");
    let rows = [
        row(
            1,
            r#""time":"2024-01-15T00:00:00Z","client":"192.0.2.1","crawler":"ExampleBot","agent":"ExampleBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/a/1","status":200,"verdict":"disallowed","line":2,"rule":"Disallow: /a""#,
        ),
        row(
            2,
            r#""time":"2024-01-15T00:00:09Z","client":"192.0.2.1","crawler":"ExampleBot","agent":"ExampleBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/b","status":200,"verdict":"allowed","line":null,"rule":null"#,
        ),
        row(
            3,
            r#""time":"2024-04-15T00:00:09Z","client":"192.0.2.1","crawler":"OtherBot","agent":"OtherBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/a","status":200,"verdict":"allowed","line":null,"rule":null"#,
        ),
    ];
    assert_eq!(folder.read("out.jsonl"), rows.concat());
    folder.run("score --robots robots.jsonl access.log --requests out.jsonl --anonymous --to table.txt");
    let anonymous = rows.concat().replace(r#""client":"192.0.2.1""#, r#""client":null"#);
    assert_eq!(folder.read("out.jsonl"), anonymous);

    // All forms have the same columns when another command reads them.
    for name in ["out.tsv", "out.parquet", "out.tsv.zst"] {
        let ran =
            folder.run(&format!("score --robots robots.jsonl access.log --requests {name} --to table.txt"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
    }
    let filtered = |name: &str| {
        let line = format!(
            "filter -q --agent A --agent B --robots robots.jsonl {name} --output verdicts --output-format tsv"
        );
        let ran = folder.run(&line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        ran.out
    };
    let table = filtered("out.tsv");
    assert!(table.starts_with(
        "file\tfile_line\ttime\tclient\tcrawler\tagent\tmethod\turl\tstatus\tverdict\tline\trule\t"
    ));
    assert_eq!(table.lines().count(), 4);
    assert_eq!(table, filtered("out.parquet"));
    assert_eq!(table, filtered("out.tsv.zst"));
}

/// `check` allows the text that would stand for the URL.
#[test]
fn no_text_accuses_a_crawler_of_another_url() {
    let robots = "{\"host\": \"a.example\", \"time\": \"2024-01-01\", \"body\": \"User-agent: *\\nDisallow: /\\nAllow: /%E9\"}\n";
    let folder = Folder::with(&[("robots.jsonl", robots)]);
    let line = |path: &[u8]| {
        let start = b"a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET ";
        [&start[..], path, b" HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"\n"].concat()
    };
    folder.write("access.log", [line(b"/\xe9"), line(b"/%E9"), line(b"/x")].concat());
    for (dialect, url, counts) in
        [("google", "null", "2 violations"), ("rfc9309", "\"https://a.example/%E9\"", "1 violation")]
    {
        let ran = folder.run(&format!(
            "score --robots robots.jsonl --dialect {dialect} access.log --requests out.jsonl --html out.html"
        ));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.out.contains(&format!("ExampleBot: {counts}, ")), "{}", ran.out);
        for report in [&ran.out, &folder.read("out.html")] {
            assert!(
                report.contains("https://a.example/x") && !report.contains("https://a.example/%E9"),
                "{report}"
            );
        }
        let rows = folder.read("out.jsonl");
        assert!(rows.lines().next().unwrap().contains(&format!("\"url\":{url},")), "{rows}");
    }
}

#[test]
fn control_characters_of_a_log_are_escaped_in_tables() {
    let folder = folder();
    folder.write("access.log", LOG.replace("ExampleBot/1.0 (", "ExampleBot/1.0 (\u{1b}[2J\u{9b}1m\u{7f}"));
    let ran = folder.run("score --robots robots.jsonl access.log --requests out.tsv");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = folder.read("out.tsv");
    assert!(rows.contains("\tExampleBot/1.0 (%1B[2J%C2%9B1m%7F+http://bot.example)\t"), "{rows}");
    assert!(!rows.contains(|c: char| c.is_control() && c != '\t' && c != '\n'), "{rows:?}");
}

/// `check` knows one URL of the robots.txt, too (U3).
#[test]
fn a_robots_txt_with_a_query_is_a_page() {
    let robots =
        "{\"host\": \"a.example\", \"time\": \"2024-01-01\", \"body\": \"User-agent: *\\nDisallow: /\"}\n";
    let folder = Folder::with(&[("robots.jsonl", robots)]);
    let log = |path: &str| LOG.lines().next().unwrap().replace("/a/1", path);
    for (path, verdict) in [("/robots.txt", "robots-txt"), ("/robots.txt?1", "disallowed")] {
        folder.write("access.log", log(path));
        folder.run("score --robots robots.jsonl access.log --requests out.jsonl");
        assert!(folder.read("out.jsonl").contains(&format!("\"verdict\":\"{verdict}\"")), "{path}");
    }
}

#[test]
fn reports_are_files_of_their_own() {
    let folder = folder();
    let ran = folder.run(
        "score --robots robots.jsonl access.log --html report.html --parquet cells.parquet --to table.txt",
    );
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let page = folder.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{page}");
    assert!(page.contains("<h1>Crawlers on a.example</h1>"), "{page}");
    for outside in ["src=", "href=\"h", "@import", "url(", "<link", "<img"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page, {
        folder.run("score --robots robots.jsonl access.log --html again.html --to table.txt --threads 1");
        folder.read("again.html")
    });
    assert!(folder.read("table.txt").contains("ExampleBot"));
    let ran = folder.run("filter --agent A --policies none cells.parquet --column site --output verdicts");
    assert_eq!(ran.code, Some(2), "a bundle that is not there");
    let bytes = std::fs::read(folder.path("cells.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn compliance_has_exit_code_zero() {
    let folder = folder();
    folder.write("good.log", LOG.lines().nth(2).unwrap());
    let ran = folder.run("score --robots robots.jsonl good.log");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "1 request by 1 crawler: 1 allowed, 0 disallowed\n"));
    assert_eq!(folder.run("score --robots robots.jsonl --strict access.log").code, Some(2));
    assert_eq!(folder.run("score access.log").code, Some(2));
    assert_eq!(folder.run("score --robots robots.jsonl missing.log").code, Some(2));
}

const ARCHIVE: &str = "WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: https://a.example/a\r\n\
    WARC-Date: 2024-01-15T00:00:00Z\r\nContent-Length: 39\r\n\r\n\
    GET /a HTTP/1.1\r\nUser-Agent: ABot/1\r\n\r\n\r\n\r\n";

/// An input that can be read only once is inspected and still read from its beginning.
#[test]
fn archives_and_lines_are_distinguished_on_standard_input_and_in_pipes() {
    let folder = folder();
    folder.write("archive", ARCHIVE);
    folder.write_compressed("archive.gz", ARCHIVE);
    folder.write("parts.tsv", "ts\thost\tpath\tua\n2024-01-15\ta.example\t/a\tABot/1\n");
    for (name, format) in [("archive", "warc"), ("archive.gz", "warc"), ("parts.tsv", "tsv")] {
        let input = std::fs::read(folder.path(name)).unwrap();
        let ran = folder.run_with_input("score --robots robots.jsonl --json -", &input);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.err);
        assert_eq!(ran.err, "1 request by 1 crawler: 0 allowed, 1 disallowed\n", "{name}");
        assert_eq!((&json["formats"][0]["format"], &json["requests"]), (&format.into(), &1.into()));
        assert_eq!(json["crawlers"][0]["crawler"], "ABot");
        let piped = folder.bash(&format!("robomata score --robots robots.jsonl --json <(cat {name})"));
        let of_pipe: serde_json::Value = serde_json::from_str(&piped.out).unwrap();
        assert_eq!(of_pipe["crawlers"], json["crawlers"], "{name}");
    }
    let ran = folder.run_with_input("score --robots robots.jsonl -", b"PAR1PAR1");
    assert!(
        ran.err.contains("expected a regular file: Parquet is not read from standard input"),
        "{}",
        ran.err
    );
}

/// `docs/score.md` shows a run on the samples, and `documentation.rs` compares its output.
#[test]
fn a_run_on_the_samples_finds_violations() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/samples");
    let samples = samples.to_str().unwrap();
    let ran = Folder::new().run(&format!("score --robots {samples}/history.jsonl {samples}/access.log"));
    let closing =
        "10 requests by 2 crawlers: 3 allowed, 4 disallowed, 1 excused, 1 unknown, 1 for robots.txt\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), closing));
}

/// Files that a failed run must not change.
const OUTPUTS: &str = "--html page.html --requests requests.tsv --parquet cells.parquet --to table.txt";

/// Runs a line that must fail with `code` and not change the outputs; returns its standard error.
fn refused(folder: &Folder, line: &str, code: i32) -> String {
    let names = ["page.html", "requests.tsv", "cells.parquet", "table.txt"];
    for name in names {
        folder.write(name, "as before");
    }
    let ran = folder.run(&format!("{line} {OUTPUTS}"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{line}: {}", ran.err);
    for name in names {
        assert_eq!(folder.read(name), "as before", "{line}: {name}");
    }
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: "), "{line}: {}", ran.err);
    last.to_owned()
}

#[test]
fn a_log_of_no_known_format_is_refused() {
    let folder = folder();
    for (name, text, first) in [
        ("page.txt", "\n# A comment\n<html>\u{202e}\u{7}\n<body>\n", r#""<html>\u{202e}\u{7}""#),
        ("long.txt", "x".repeat(1000).as_str(), format!("\"{}…\"", "x".repeat(60)).as_str()),
    ] {
        folder.write(name, text);
        let error = refused(&folder, &format!("score --robots robots.jsonl access.log {name}"), 2);
        assert!(error.starts_with(&format!("error: {name}: unknown log format: ")), "{error}");
        assert!(
            error.contains("common, combined, vhost-common") && error.contains("parquet, warc"),
            "{error}"
        );
        assert!(error.ends_with(&format!("the first line is {first} (use --format to name one)")), "{error}");
    }
    let error = refused(&folder, "score --robots robots.jsonl --format json access.log", 2);
    let expected = "error: no request found: 4 lines were read, and none is in the format json";
    assert!(error.starts_with(expected), "{error}");
    // A day without requests is not a failure.
    folder.write("quiet.log", "\n# nothing\n");
    for line in ["quiet.log", "quiet.log --format json"] {
        assert_eq!(folder.run(&format!("score --robots robots.jsonl {line}")).code, Some(0), "{line}");
    }
}

#[test]
fn a_log_of_which_nothing_can_be_judged_is_refused() {
    let folder = folder();
    let hostless = LOG.replace("a.example ", "");
    folder.write("hostless.log", &hostless);
    let error = refused(&folder, "score --robots robots.jsonl hostless.log", 2);
    let expected = "error: nothing to score: none of 3 requests of crawlers can be judged: \
                    3 without a host (no host in this log: --host)";
    assert_eq!(error, expected);
    let ran = folder.run("score --robots robots.jsonl --host a.example hostless.log --json");
    assert_eq!(ran.code, Some(1), "{}", ran.err);

    folder.write("early.log", LOG.replace("/2024:", "/2014:"));
    let error = refused(&folder, "score --robots robots.jsonl early.log", 2);
    let expected = "3 before the first capture (--latest judges by the newest capture)";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(folder.run("score --robots robots.jsonl early.log --latest").code, Some(1));

    folder.write("other.log", LOG.replace("a.example ", "b.example "));
    let error = refused(&folder, "score --robots robots.jsonl other.log", 2);
    assert!(
        error.ends_with("3 to sites without a capture, such as https://b.example (--robots adds captures)")
    );
}

#[test]
fn a_log_of_which_little_can_be_judged_is_warned_about() {
    let folder = folder();
    let early = LOG.replace("/2024:", "/2014:").replace("nonsense\n", "");
    folder.write("mixed.log", format!("{early}{}", LOG.lines().nth(1).unwrap()));
    let ran = folder.run("score --robots robots.jsonl mixed.log");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let expected = "warning: 3 of 4 requests of crawlers (75%) cannot be judged: \
                    3 before the first capture (--latest judges by the newest capture)\n\
                    4 requests by 2 crawlers: 1 allowed, 0 disallowed, 3 unknown\n";
    assert_eq!(ran.err, expected);
    folder.write("nobody.log", LOG.replace("ExampleBot/1.0 (+http://bot.example)", "-"));
    let ran = folder.run("score --robots robots.jsonl nobody.log --quiet");
    assert!(!ran.err.contains("requests by"), "{}", ran.err);
}

/// A log of which no request is judged hides violations, unless it has no request of a crawler.
#[test]
fn a_log_without_a_judged_request_is_refused() {
    let folder = folder();
    let lines = |request: &str, agent: &str| {
        let of = "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000]";
        format!("{of} \"{request}\" 200 5 \"-\" \"{agent}\"\n")
    };
    let common = "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n";
    let combined = common.replace("200 5", "200 5 \"-\" \"ExampleBot/1\"");
    for (text, cause) in [
        (lines("PUT /a HTTP/1.1", "ExampleBot/1"), "1 with a method other than GET, HEAD and POST"),
        (
            lines("get /a HTTP/1.1", "ExampleBot/1"),
            "none of 1 lines is a request with a User-Agent: 1 without an HTTP request",
        ),
        (
            lines("GET /a HTTP/1.1", "-"),
            "1 without a User-Agent (no User-Agents in this log: --agent, or another --format)",
        ),
        (
            common.repeat(100) + &combined.repeat(300),
            "none of 400 lines is a request with a User-Agent: 400 without",
        ),
        (
            "2024-01-15 00:00:00 [scrapy.utils.log] INFO: Scrapy 2.11.0 started\n".to_owned(),
            "1 without an HTTP request",
        ),
        (r#"{"time":"2024-01-15","url":"a.example/a","ua":"ExampleBot/1"}"#.to_owned(), "unknown log format"),
        ("time\turl\tua\n2024-01-15\ta.example/a\tExampleBot/1\n".to_owned(), "none is a request"),
    ] {
        folder.write("some.log", &text);
        let error = refused(&folder, "score --robots robots.jsonl --host a.example some.log", 2);
        assert!(error.contains(cause), "{text}: {error}");
    }
    // Small logs without a violation.
    let refusal = "2024-01-15 00:00:00 [scrapy.downloadermiddlewares.robotstxt] DEBUG: Forbidden by robots.txt: <GET https://a.example/a>\n";
    for text in [
        lines("GET /a HTTP/1.1", "Mozilla/5.0 (X11; Linux) Firefox/1.0"),
        lines("GET /a HTTP/1.1", "curl/8.0"),
        lines("GET /robots.txt HTTP/1.1", "ExampleBot/1"),
        refusal.to_owned(),
    ] {
        folder.write("some.log", &text);
        let ran = folder.run("score --robots robots.jsonl some.log");
        assert_eq!(ran.code, Some(0), "{text}: {}", ran.err);
    }
}

/// A client that hides its User-Agent is not the crawler that the user names.
#[test]
fn requests_without_a_user_agent_are_not_those_of_the_named_crawler() {
    let folder = folder();
    let line = LOG.lines().next().unwrap();
    folder.write(
        "strangers.log",
        [LOG.lines().nth(2).unwrap(), &line.replace("ExampleBot/1.0 (+http://bot.example)", "-")].join("\n"),
    );
    let ran = folder.run("score --robots robots.jsonl --agent MyBot strangers.log");
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    assert!(
        ran.out.contains("crawlers 1, browsers 0, other programs 0, without a User-Agent 1"),
        "{}",
        ran.out
    );
    let note = "note: --agent MyBot: names no request, because the logs record User-Agents";
    assert!(ran.err.contains(note), "{}", ran.err);
    folder.write("common.log", line.split(" \"-\"").next().unwrap());
    let ran = folder.run("score --robots robots.jsonl --agent MyBot common.log");
    assert!(!ran.err.contains("note: --agent"), "{}", ran.err);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("MyBot: 1 violation"), "{}", ran.out);
}

#[test]
fn a_log_that_ends_early_leaves_outputs_alone() {
    let folder = folder();
    let log = LOG.replace("nonsense\n", "").repeat(2000);
    for ending in ["gz", "zst"] {
        let name = format!("cut.log.{ending}");
        folder.write_compressed(&name, &log);
        let whole = std::fs::read(folder.path(&name)).unwrap();
        folder.write(&name, &whole[..whole.len() / 2]);
        let error = refused(&folder, &format!("score --robots robots.jsonl {name} access.log"), 4);
        assert!(error.starts_with(&format!("error: {name}:")) && error.contains("incomplete"), "{error}");
    }
}

/// "If no cache-control directives are present robots should default to an expiry of 7 days." (Koster, 1996, 3.4)
#[test]
fn koster_excuses_a_week() {
    let folder = folder();
    let line = |day: &str| {
        format!(
            "a.example 192.0.2.1 - - [{day}/Mar/2024:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"ABot/1\"\n"
        )
    };
    folder.write("march.log", [line("01"), line("02"), line("07"), line("09")].concat());
    for (dialect, excused) in [("rfc9309", 0), ("google", 0), ("koster1996", 3)] {
        let ran = folder.run(&format!("score --robots robots.jsonl --dialect {dialect} march.log --json"));
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let counts = ["excused", "disallowed"].map(|name| json["crawlers"][0][name].as_u64().unwrap());
        // The first request is in the same second as the capture.
        let first = u64::from(dialect != "koster1996");
        assert_eq!(counts, [excused + first, 4 - excused - first], "{dialect}: {}", ran.out);
        assert_eq!(json["excused_days"], if dialect == "koster1996" { 7 } else { 1 });
    }
}

#[test]
fn rules_paths_statuses_and_programs_are_counted() {
    let folder = folder();
    let more = "a.example 192.0.2.9 - - [15/Jan/2024:00:01:00 +0000] \"GET /b?x=1 HTTP/1.1\" 404 5 \"-\" \"ABot/1\"\n\
                a.example 192.0.2.9 - - [15/Jan/2024:00:01:00 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"curl/8.0\"\n";
    folder.write("more.log", more);
    let run = |line: &str| {
        let ran = folder.run(&format!("score {line} --json more.log access.log"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()
    };
    let json = run("--robots robots.jsonl");
    let [march, january] = &json["robots_txt"].as_array().unwrap()[..] else { panic!("{json}") };
    assert_eq!(
        (&march["captured"], &march["rules"][0]["requests"]),
        (&"2024-03-01T00:00:00Z".into(), &0.into())
    );
    assert_eq!((&january["requests"], &january["no_rule"]), (&3.into(), &2.into()));
    let rule = &january["rules"][0];
    assert_eq!((&rule["rule"], &rule["agents"][0]), (&"Disallow: /a".into(), &"*".into()));
    assert_eq!((&rule["line"], &rule["requests"]), (&2.into(), &1.into()));
    let path = &json["paths"]["listed"][0];
    assert_eq!((&path["path"], &path["requests"], &path["errors"]), (&"/b".into(), &2.into(), &1.into()));
    let program = &json["programs"]["listed"][0];
    assert_eq!((&program["name"], &program["agent"]), (&"curl".into(), &"curl/8.0".into()));
    let bot =
        json["crawlers"].as_array().unwrap().iter().find(|crawler| crawler["crawler"] == "ABot").unwrap();
    assert_eq!(bot["statuses"], serde_json::json!([{"status": 404, "requests": 1}]));

    // A bundle has the rules that decided.
    folder.run("compile robots.jsonl --all-agents --history -o history.bundle");
    let json = run("--policies history.bundle");
    let january = &json["robots_txt"][1];
    assert_eq!((&january["is_whole"], &january["rules"][0]["rule"]), (&false.into(), &"Disallow: /a".into()));
}

#[test]
fn crawlers_that_are_counted_together_are_reported_everywhere() {
    let folder = folder();
    let invented = |n| {
        let of = "a.example 192.0.2.1 - - [15/Apr/2024:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 5 \"-\"";
        format!("{of} \"Inv{n}Bot/1.0 (+http://bot{n}.example/about)\"\n")
    };
    folder.write("invented.log", (0..17_000).map(invented).collect::<String>());
    let ran = folder.run("score --robots robots.jsonl invented.log --html page.html");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let note =
        "(others) are 16384 rare crawlers with at most 1 request each; another crawler may lack as many";
    assert!(ran.out.contains(&format!("\n{note}\n")), "{:.999}", ran.out);
    assert!(folder.read("page.html").contains(&format!("{note}.")));
    let closing =
        "17,000 requests by 617 crawlers, of which (others) are 16,384 rare crawlers: 17,000 allowed";
    assert!(ran.err.contains(closing), "{}", ran.err);
    let ran = folder.run("score -q --robots robots.jsonl invented.log --json");
    assert!(ran.out.contains(r#""joined":{"crawlers":16384,"requests":1}"#), "{:.999}", ran.out);
}

/// There, more than rules decide, and the time of a request may matter.
#[test]
fn acap_is_not_scored() {
    let folder = folder();
    let compile = "compile robots.jsonl --dialect acap --agent ExampleBot -o p.bundle";
    assert_eq!(folder.run(compile).code, Some(0));
    for policies in ["--policies p.bundle", "--dialect acap --robots robots.jsonl"] {
        let ran = folder.run(&format!("score {policies} access.log"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains("score supports every dialect except acap"), "{}", ran.err);
    }
}

#[test]
fn requests_of_crawlers_that_a_bundle_does_not_have_are_said_to_be() {
    let folder = folder();
    for (agent, code) in [("GPTBot", 2), ("OtherBot", 0)] {
        let compile = format!("compile robots.jsonl --agent {agent} --history -o {agent}.bundle");
        assert_eq!(folder.run(&compile).code, Some(0));
        let ran = folder.run(&format!("score --policies {agent}.bundle access.log"));
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        let why = "of crawlers that the bundle does not have (compile it with --all-agents)";
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    let ran = folder.run("score --json --policies OtherBot.bundle access.log");
    assert!(ran.out.contains(r#""no_policy":0,"no_crawler":2,"#), "{}", ran.out);
}

/// Scores are about crawling. A bundle about a usage combines both, and its answers would pass as violations.
#[test]
fn a_bundle_about_a_usage_is_not_scored() {
    let folder = folder();
    for usage in ["ai-train", "tdm"] {
        let compile =
            format!("compile robots.jsonl --dialect acap --usage {usage} --agent ExampleBot -o p.bundle");
        assert_eq!(folder.run(&compile).code, Some(0));
        let ran = folder.run("score --policies p.bundle access.log");
        let error = format!("the policies do not answer about crawl: they were compiled for {usage}");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
        assert!(ran.err.contains(&error), "{}", ran.err);
    }
}
