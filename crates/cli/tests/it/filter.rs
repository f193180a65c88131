//! `robomata filter`: its output.

use crate::support::{Folder, SOURCE, URLS};

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)])
}

#[test]
fn allowed_lines_pass_unchanged() {
    let ran = folder().run("filter -q --agent A --robots robots.jsonl urls");
    assert_eq!(ran.out, "https://other.example/\nhttps://a.example/b\nhttp://gone.example\n");
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.err, "warning: urls:3: expected an absolute URL, found \"nonsense\"\n");
    let ran = folder().run("filter -q --agent A --robots robots.jsonl --unknown drop urls");
    assert_eq!(ran.out, "https://a.example/b\n");
}

#[test]
fn disallowed_lines_pass_unchanged() {
    let ran = folder().run("filter -q --agent A --robots robots.jsonl --output disallowed urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://a.example/private?x\r\n"));
}

#[test]
fn verdicts_have_a_line_for_each_line() {
    for unknown in ["", "--unknown keep"] {
        let ran = folder()
            .run(&format!("filter -q --agent A --robots robots.jsonl --output verdicts {unknown} urls"));
        assert_eq!(
            ran.out,
            "disallow\t2\thttps://a.example/private?x\nunknown\t0\thttps://other.example/\ninvalid\t0\tnonsense\n\
             allow\t0\thttps://a.example/b\nunknown\t0\thttp://gone.example\n"
        );
    }
}

#[test]
fn standard_input_is_the_frontier_by_default() {
    for urls in ["", " -"] {
        let line = format!("filter -q --agent A --robots robots.jsonl{urls}");
        let ran = folder().run_with_input(&line, "https://a.example/private\nhttps://a.example/x\n");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://a.example/x\n"));
    }
    let ran = folder().run_with_input("filter -q --agent A --robots - urls", SOURCE);
    assert_eq!(ran.out.lines().count(), 3);
}

#[test]
fn several_crawlers_and_several_sources() {
    let folder = folder();
    folder.write("sites/b.example", "User-agent: *\nDisallow: /");
    folder.write("more", "https://b.example/\n");
    let ran = folder.run(
        "filter -q --agent A --agent B --output verdicts --robots robots.jsonl --robots sites urls more --threads 3",
    );
    assert_eq!(ran.out.lines().next(), Some("disallow\t2\tallow\t0\thttps://a.example/private?x"));
    assert_eq!(ran.out.lines().nth(3), Some("allow\t0\tdisallow\t5\thttps://a.example/b"));
    assert_eq!(ran.out.lines().last(), Some("disallow\t2\tdisallow\t2\thttps://b.example/"));
    let ran = folder.run("filter -q --agent A --agent B --robots robots.jsonl urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("require --output verdicts"), "{}", ran.err);
}

#[test]
fn a_column_is_the_url() {
    let folder = folder();
    let line = "filter -q --agent A --robots robots.jsonl --column 2";
    let ran = folder.run_with_input(line, "1\thttps://a.example/private\tz\n2\thttps://a.example/\tz\n3\n");
    assert_eq!(ran.out, "2\thttps://a.example/\tz\n");
    assert_eq!(ran.err, "warning: <stdin>:3: expected at least 2 columns, separated by tabs\n");
    assert_eq!(folder.run("filter -q --agent A --robots robots.jsonl --column 0 urls").code, Some(2));
}

#[test]
fn the_dialect_counts() {
    // Only google/robotstxt treats `Disallowed` as a rule.
    let source = r#"{"host": "a.example", "body": "User-agent: *\nDisallowed: /x"}"#;
    let folder = Folder::with(&[("robots.jsonl", source), ("urls", "https://a.example/x\n")]);
    let written = |dialect: &str| {
        folder
            .run(&format!(
                "filter -q --agent A --robots robots.jsonl --dialect {dialect} --output verdicts urls"
            ))
            .out
    };
    assert_eq!(written("rfc9309"), "allow\t0\thttps://a.example/x\n");
    assert_eq!(written("google"), "disallow\t2\thttps://a.example/x\n");
}

#[test]
fn outputs_are_compressed_by_their_name() {
    let folder = folder();
    for name in ["out.gz", "out.zst"] {
        let ran = folder.run(&format!("filter -q --agent A --robots robots.jsonl urls --to {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
        // Read back as a frontier.
        let ran = folder.run(&format!("filter -q --agent A --robots robots.jsonl {name}"));
        assert_eq!(ran.out.lines().count(), 3, "{}", ran.err);
    }
}

#[test]
fn stats_count_everything() {
    let folder = folder();
    folder.write("robots.jsonl", format!("{{}}\n{SOURCE}"));
    let ran = folder.run("filter -q --agent A --robots robots.jsonl urls -o out --stats stats.json");
    assert_eq!(ran.code, Some(0));
    let stats: serde_json::Value = serde_json::from_str(&folder.read("stats.json")).unwrap();
    assert_eq!(
        stats["verdicts"],
        serde_json::json!({"allow": 1, "disallow": 1, "defer": 0, "unknown": 2, "invalid": 1})
    );
    assert_eq!((&stats["lines"], &stats["sites"]), (&5.into(), &4.into()));
    assert_eq!(
        stats["errors"],
        serde_json::json!({"bad_source_lines": 1, "invalid_urls": 1, "unreadable_files": 0})
    );
    assert!(stats["seconds"].as_f64().unwrap() > 0.0 && stats["urls_per_second"].as_f64().unwrap() > 0.0);

    let allowed = folder.read("out");
    for (to, before) in [("-o out", ""), ("", allowed.as_str()), ("--to -", allowed.as_str())] {
        let ran = folder.run(&format!("filter -q --agent A --robots robots.jsonl urls {to} --stats -"));
        assert_eq!(ran.code, Some(0));
        let line = ran.out.strip_prefix(before).unwrap();
        assert!(line.starts_with("{\"dialect\":\"rfc9309\"") && line.lines().count() == 1, "{}", ran.out);
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let folder = folder();
    let urls: String =
        (0..100_000).map(|n| format!("https://a.example/{}/{n}\n", ["private", "x"][n % 2])).collect();
    folder.write("urls", &urls);
    let one = folder.run("filter -q --agent A --robots robots.jsonl urls --threads 1");
    let four = folder.run("filter -q --agent A --robots robots.jsonl urls --threads 4");
    assert!(one == four);
    assert_eq!(one.out.lines().count(), 50_000);
}

#[cfg(feature = "cross-check")]
#[test]
fn the_reference_agrees() {
    let folder = folder();
    for (rate, checked) in [("all", 5), ("1", 5), ("0", 0)] {
        let line =
            format!("filter -q --agent A --robots robots.jsonl urls -o out --stats - --cross-check {rate}");
        let ran = folder.run(&line);
        let stats: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(stats["cross_check"], serde_json::json!({"checked": checked, "divergences": 0}));
        assert_eq!(ran.code, Some(0));
    }
    for line in [
        "filter -q --agent A --robots robots.jsonl urls --cross-check 2",
        "filter -q --agent A --policies p.bundle urls --cross-check all",
    ] {
        assert_eq!(folder.run(line).code, Some(2), "{line}");
    }
}

#[test]
fn deferred_urls_are_held_back_but_reported_and_counted() {
    let folder = folder();
    folder.write(
        "some.jsonl",
        r#"{"url": "https://busy.example/robots.txt", "status": 503, "body": ""}
{"url": "https://shut.example/robots.txt", "status": 403, "body": ""}
{"url": "https://open.example/robots.txt", "status": 200, "body": "User-agent: *\nAllow: /a/b\nDisallow: /a\n"}
"#,
    );
    folder.write(
        "some.urls",
        "https://busy.example/a\nhttps://shut.example/\nhttps://open.example/a/b\nhttps://open.example/a?b\n",
    );
    let ran = |more: &str| {
        let ran = folder.run(&format!(
            "filter -q --agent A --dialect koster1996 --robots some.jsonl some.urls --cross-check all {more}"
        ));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    assert_eq!(ran("--output allowed"), "https://open.example/a/b\n");
    assert_eq!(ran("--output disallowed"), "https://shut.example/\nhttps://open.example/a?b\n");
    assert_eq!(
        ran("--output verdicts"),
        "defer\t0\thttps://busy.example/a\ndisallow\t0\thttps://shut.example/\n\
         allow\t2\thttps://open.example/a/b\ndisallow\t3\thttps://open.example/a?b\n"
    );
    ran("--output allowed -o out --stats stats.json");
    let stats: serde_json::Value = serde_json::from_str(&folder.read("stats.json")).unwrap();
    assert_eq!(
        stats["verdicts"],
        serde_json::json!({"allow": 1, "disallow": 2, "defer": 1, "unknown": 0, "invalid": 0})
    );
}

/// The shell makes `--robots 1.jsonl 2.jsonl` of `--robots *.jsonl`.
#[test]
fn captures_are_no_urls() {
    let capture = |site: &str| {
        format!(
            "{{\"url\": \"https://{site}/robots.txt\", \"body\": \"User-agent: *\\nDisallow: /private\"}}\n"
        )
    };
    let folder = Folder::with(&[
        ("caps/1.jsonl", &capture("a.example")),
        ("caps/2.jsonl", &capture("b.example")),
        ("caps/hosts.jsonl", "{\"host\": \"b.example\", \"body\": \"User-agent: *\\nDisallow: /private\"}\n"),
        (
            "caps/sites.tsv",
            "url\tstatus\tbody\nhttps://b.example/\t200\tDisallow: /\nhttps://c.example/\t404\t\n",
        ),
        ("ab.txt", "https://a.example/private/x\nhttps://b.example/private/x\n"),
    ]);
    folder.write_compressed("caps/2.jsonl.gz", capture("b.example"));
    let table = folder.read("caps/sites.tsv");
    let ran = folder
        .run_with_input("filter --agent A --robots caps/1.jsonl --format tsv --to caps/sites.parquet", table);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let error =
        "expected URLs, found captures of robots.txt files (repeat --robots before each file of captures)";
    for name in ["2.jsonl", "2.jsonl.gz", "hosts.jsonl", "sites.tsv", "sites.parquet"] {
        for command in ["filter", "compare", "filter --format jsonl"] {
            let ran = folder.run(&format!("{command} --agent A --robots caps/1.jsonl caps/{name} ab.txt"));
            let expected = format!("error: caps/{name}: {error}\n");
            assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", expected), "{command}");
        }
    }
    let ran = folder
        .run("filter -q --agent A --robots caps/1.jsonl --robots caps/2.jsonl ab.txt --output disallowed");
    assert_eq!((ran.code, ran.out), (Some(0), folder.read("ab.txt")), "{}", ran.err);
    // These are URLs: a file that is both, and pages with their bodies.
    let page =
        |path: &str, body: &str| format!("{{\"url\": \"https://b.example{path}\", \"body\": \"{body}\"}}\n");
    folder.write(
        "pages.jsonl",
        capture("b.example") + &page("/", "<p>Sitemap</p>") + &page("/private", "Disallow: /"),
    );
    folder.write("urls.jsonl", "{\"url\": \"https://b.example/robots.txt\", \"status\": 404}\n");
    for names in ["caps/1.jsonl caps/1.jsonl", "caps/1.jsonl pages.jsonl", "caps/1.jsonl urls.jsonl"] {
        let ran = folder.run(&format!("filter --agent A --robots {names}"));
        assert_eq!(ran.code, Some(0), "{names}: {}", ran.err);
    }
}

#[test]
fn archives_of_captures_are_no_urls() {
    let record = |url: &str| {
        let response = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n";
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <{url}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
             WARC-Target-URI: {url}\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n\
             {response}\r\n\r\n",
            response.len()
        )
    };
    let crawl =
        |site: &str| record(&format!("https://{site}/")) + &record(&format!("https://{site}/robots.txt"));
    let folder = Folder::with(&[
        ("1.warc", &crawl("a.example")),
        ("2.warc", &crawl("b.example")),
        ("pages.warc", &record("https://a.example/private")),
        ("other/2.warc", &crawl("b.example")),
        ("other/robots.warc", &record("https://b.example/robots.txt")),
        ("other/robots.txt", "User-agent: *\nDisallow: /private\n"),
        ("ab.txt", "https://b.example/private\n"),
    ]);
    let error =
        "expected URLs, found captures of robots.txt files (repeat --robots before each file of captures";
    for (names, advice) in [
        ("1.warc 2.warc ab.txt", "2.warc: {}, or check its URLs with --format warc)"),
        ("1.warc other/robots.warc", "other/robots.warc: {}, or check its URLs with --format warc)"),
        // As */*.warc may stand for, and two spellings of a folder.
        ("1.warc other/2.warc", "other/2.warc: {}, or check its URLs with --format warc)"),
        ("1.warc ./2.warc", "./2.warc: {}, or check its URLs with --format warc)"),
    ] {
        let ran = folder.run(&format!("filter --agent A --robots {names}"));
        let expected = format!("error: {}\n", advice.replace("{}", error));
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", expected), "{names}");
    }
    for names in [
        "1.warc 1.warc",
        "1.warc pages.warc",
        "other/robots.txt --host a.example 2.warc",
        "1.warc --format warc 2.warc other/robots.warc",
    ] {
        let ran = folder.run(&format!("filter --agent A --robots {names}"));
        assert_eq!(ran.code, Some(0), "{names}: {}", ran.err);
    }
}
