//! `robomata filter`: formats of frontiers and verdicts.

use crate::support::{Folder, SOURCE};

const FILTER: &str = "filter -q --agent A --robots robots.jsonl";

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

#[track_caller]
fn written(folder: &Folder, line: &str) -> String {
    let ran = folder.run(&format!("{FILTER} {line}"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
    ran.out
}

const TSV: &str = "id\turl\tx\n1\thttps://a.example/private\ty\n2\thttps://a.example/b\ty\n";

#[test]
fn a_column_may_be_named_by_the_header_line() {
    let folder = folder(&[("urls.tsv", TSV), ("urls.txt", TSV)]);
    let allowed = "id\turl\tx\n2\thttps://a.example/b\ty\n";
    assert_eq!(written(&folder, "urls.tsv"), allowed);
    assert_eq!(written(&folder, "urls.txt --column url"), allowed);
    assert_eq!(
        written(&folder, "urls.tsv --output verdicts --output-format tsv"),
        "id\turl\tx\tverdict\tline\trule\n1\thttps://a.example/private\ty\tdisallow\t2\tDisallow: /private\n\
         2\thttps://a.example/b\ty\tallow\t\t\n"
    );
    assert_eq!(
        written(&folder, "urls.tsv --output verdicts"),
        "disallow\t2\thttps://a.example/private\nallow\t0\thttps://a.example/b\n"
    );
    assert_eq!(
        written(&folder, "urls.tsv --output verdicts --output-format jsonl").lines().next(),
        Some(
            r#"{"id":"1","url":"https://a.example/private","x":"y","verdict":"disallow","line":2,"rule":"Disallow: /private"}"#
        )
    );
    let ran = folder.run(&format!("{FILTER} urls.tsv --column uri"));
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (
            Some(2),
            "error: urls.tsv: expected a column \"uri\", found \"id\", \"url\", \"x\" (column \"url\" looks like URLs: \
             --column url)\n"
        )
    );
}

#[test]
fn json_lines_keep_what_they_hold() {
    let lines = "{\"n\": 1, \"url\": \"https://a.example/private\"}\n{\"url\": \"https:\\/\\/a.example/b\", \"l\": [1]}\n";
    let folder = folder(&[("urls.jsonl", lines), ("other.jsonl", "{\"uri\": \"https://a.example/\"}\n")]);
    assert_eq!(written(&folder, "urls.jsonl").lines().next(), lines.lines().nth(1));
    assert_eq!(
        written(&folder, "urls.jsonl --output verdicts --output-format jsonl"),
        "{\"n\": 1, \"url\": \"https://a.example/private\",\"verdict\":\"disallow\",\"line\":2,\"rule\":\"Disallow: /private\"}\n\
         {\"url\": \"https:\\/\\/a.example/b\", \"l\": [1],\"verdict\":\"allow\",\"line\":null,\"rule\":null}\n"
    );
    assert_eq!(written(&folder, "other.jsonl --column uri").lines().count(), 1);
    folder.write("bad.jsonl", "{\n{\"uri\": 1}\n[]\n\n{\"url\": \"https://a.example/\"}\n");
    let ran = folder.run(&format!("{FILTER} bad.jsonl --output verdicts --output-format jsonl"));
    assert_eq!(ran.out.lines().next(), Some(r#"{"verdict":"invalid","line":null,"rule":null}"#));
    assert_eq!(ran.out.lines().nth(1), Some(r#"{"uri": 1,"verdict":"invalid","line":null,"rule":null}"#));
    assert!(ran.err.contains("bad.jsonl:1: expected a JSON object"), "{}", ran.err);
    assert!(ran.err.contains("bad.jsonl:2: expected a text at key \"url\""), "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 5);
}

#[test]
fn verdicts_replace_those_of_an_earlier_run() {
    let old = [
        r#"{"verdict":"allow","line":7,"rule":null,"url":"https://a.example/private"}"#,
        r#"{ "rule": {"verdict": [",", "}\""]}, "url": "https://a.example/b", "\u006cine": 1 ,"rules":"\\" }"#,
        r#"{"url":"https://a.example/\"line","verdict_1":"allow","n":{"verdict":1},"line":"\\\""}"#,
        r#"{"verdict":"allow"}"#,
    ];
    let folder = folder(&[("urls.jsonl", &old.join("\n"))]);
    let verdicts = |name: &str| {
        let line = format!("{FILTER} {name} --output verdicts --output-format jsonl");
        folder.run(&line).out
    };
    let new = verdicts("urls.jsonl");
    assert_eq!(
        new.lines().collect::<Vec<_>>(),
        [
            r#"{"url":"https://a.example/private","verdict":"disallow","line":2,"rule":"Disallow: /private"}"#,
            r#"{ "url": "https://a.example/b","rules":"\\" ,"verdict":"allow","line":null,"rule":null}"#,
            r#"{"url":"https://a.example/\"line","verdict_1":"allow","n":{"verdict":1},"verdict":"allow","line":null,"rule":null}"#,
            r#"{"verdict":"invalid","line":null,"rule":null}"#,
        ]
    );
    folder.write("again.jsonl", &new);
    assert_eq!(verdicts("again.jsonl"), new);
    let two = verdicts("again.jsonl --agent B");
    let first = two.lines().next().unwrap();
    assert!(
        first.contains(r#""verdict":"disallow","#) && first.contains(r#""verdict_2":"allow","#),
        "{first}"
    );
    folder.write("two.jsonl", &two);
    assert_eq!(verdicts("two.jsonl --agent B"), two);
    folder.write("old.tsv", "verdict\turl\nallow\thttps://a.example/private\n");
    assert_eq!(
        verdicts("old.tsv"),
        "{\"url\":\"https://a.example/private\",\"verdict\":\"disallow\",\"line\":2,\"rule\":\"Disallow: /private\"}\n"
    );
}

#[test]
fn indexes_of_archives_stay_indexes() {
    let cdx = " CDX N b a m s\nexample,a)/private 20240708230936 https://a.example/private text/html 200\n\
               example,a)/ 20240708230936 - text/html 200\n";
    let cdxj = "!meta {}\nexample,a)/private 20240708230936 {\"url\": \"https://a.example/private\", \"status\": \"200\"}\n\
                example,a)/b 20240708230936 {\"mime\": \"text/html\"}\n";
    let folder = folder(&[("urls.cdx", cdx), ("urls.cdxj", cdxj)]);
    assert_eq!(written(&folder, "urls.cdx"), " CDX N b a m s\nexample,a)/ 20240708230936 - text/html 200\n");
    assert_eq!(
        written(&folder, "urls.cdxj"),
        "!meta {}\nexample,a)/b 20240708230936 {\"mime\": \"text/html\"}\n"
    );
    assert_eq!(
        written(&folder, "urls.cdx --output verdicts --output-format tsv"),
        "N\tb\ta\tm\ts\tverdict\tline\trule\n\
         example,a)/private\t20240708230936\thttps://a.example/private\ttext/html\t200\tdisallow\t2\tDisallow: /private\n\
         example,a)/\t20240708230936\t-\ttext/html\t200\tallow\t\t\n"
    );
    assert_eq!(
        written(&folder, "urls.cdxj --output verdicts --output-format jsonl").lines().next(),
        Some(
            "{\"urlkey\":\"example,a)/private\",\"timestamp\":\"20240708230936\",\"url\": \"https://a.example/private\", \
             \"status\": \"200\",\"verdict\":\"disallow\",\"line\":2,\"rule\":\"Disallow: /private\"}"
        )
    );
}

#[test]
fn archives_give_their_target_uris() {
    let record = |kind: &str, uri: &str, body: &str| {
        let length = body.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nContent-Length: {length}\r\n\r\n{body}\r\n\r\n"
        )
    };
    let archive = [
        record("warcinfo", "https://a.example/info", "x"),
        record("response", "<https://a.example/private>", "HTTP/1.1 200 OK\r\n\r\nhttps://a.example/no"),
        record("request", "https://a.example/b", ""),
        record("metadata", "https://a.example/c", "x"),
        record("revisit", "https://a.example/d", ""),
    ]
    .concat();
    let folder = folder(&[("a.warc", &archive)]);
    assert_eq!(written(&folder, "a.warc"), "https://a.example/b\nhttps://a.example/d\n");
    assert_eq!(written(&folder, "a.warc --output disallowed --format warc"), "https://a.example/private\n");
    folder.write("cut.warc", &archive[..archive.len() - 30]);
    let ran = folder.run(&format!("{FILTER} cut.warc --output verdicts"));
    assert_eq!(ran.code, Some(4), "what is cut is incomplete");
    assert!(ran.out.starts_with("disallow\t2\thttps://a.example/private\n"), "{}", ran.out);
    assert!(ran.err.starts_with("warning: cut.warc"), "{}", ran.err);
}

#[test]
fn parquet_goes_out_and_in() {
    let folder = folder(&[("urls.tsv", TSV)]);
    written(&folder, "urls.tsv --output verdicts --to all.parquet");
    assert_eq!(
        written(&folder, "all.parquet"),
        "https://a.example/b\n",
        "the column url of what was just written"
    );
    written(&folder, "all.parquet --to allowed.parquet");
    assert_eq!(
        written(&folder, "allowed.parquet --agent B --output verdicts --output-format tsv"),
        "id\turl\tx\tverdict\tline\trule\tverdict_1\tline_1\trule_1\tverdict_2\tline_2\trule_2\n\
         2\thttps://a.example/b\ty\tallow\t\t\tallow\t\t\tdisallow\t5\tDisallow: /b\n"
    );
    assert_eq!(
        written(&folder, "all.parquet --output verdicts --output-format jsonl --column url").lines().next(),
        Some(
            "{\"id\":\"1\",\"url\":\"https://a.example/private\",\"x\":\"y\",\"verdict\":\"disallow\",\"line\":2,\
             \"rule\":\"Disallow: /private\"}"
        )
    );
    let ran = folder.run(&format!("{FILTER} all.parquet --column uri --strict"));
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains(r#"expected a column "uri", found "id", "url", "x", "verdict", "line", "rule""#),
        "{}",
        ran.err
    );
    folder.write("empty", "");
    written(&folder, "empty --to empty.parquet --output verdicts");
    assert_eq!(written(&folder, "empty.parquet"), "");
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    let folder = folder(&[("urls", "https://a.example/\n")]);
    for line in [
        "--format parquet",
        "--format xls urls",
        "urls --to x.parquet.gz",
        "urls --to x.parquet --resume",
        "urls --resume",
        "--resume --to x",
        "urls --column 0",
    ] {
        let ran = folder.run(&format!("{FILTER} {line}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
    }
    assert_eq!(folder.names(), ["robots.jsonl", "urls"]);
}

/// Judged by its third column or by its key, each would be allowed.
#[test]
fn damaged_lines_of_an_index_are_not_other_urls() {
    let cdx = " CDX N b a m s\n\
               example,a)/private 20240708230936 https://a.example/priv\n\
               example,a)/x 20240708230936  https://a.example/private text/html 200\n\
               example,a)/x 20240708230936 https://a.example/p rivate text/html 200\n\
               example,a)/x 20240708230936  text/html 200\n\
               example,a)/x 20240708230936 https://a.example/b text/html 200\n";
    let cdxj = "example,a)/x 20240708230936 {\"url\": \"https://a.example/priv\n\
                example,a)/x 20240708230936 {\"mime\": \"text/html\"\n\
                example,a)/x 20240708230936 {\"url\": 1}\n\
                example,a)/x 20240708230936\n\
                example,a)/x 20240708230936 {\"url\": \"https://a.example/b\"}\n";
    let folder = folder(&[("urls.cdx", cdx), ("urls.cdxj", cdxj)]);
    for name in ["urls.cdx", "urls.cdxj"] {
        let ran = folder.run(&format!("{FILTER} {name} --output verdicts"));
        let invalid = "invalid\t0\t\n".repeat(4);
        assert_eq!((ran.code, ran.out), (Some(0), invalid + "allow\t0\thttps://a.example/b\n"), "{name}");
    }
    let ran = folder.run(&format!("{FILTER} urls.cdx"));
    assert!(ran.err.starts_with("warning: urls.cdx:2: expected 5 columns, found 3"), "{}", ran.err);
    // The output has no column with a part of a URL either.
    for form in ["tsv", "csv"] {
        folder.run(&format!("{FILTER} urls.cdx --output verdicts --to out.{form}"));
        let ran = folder.run(&format!("{FILTER} out.{form} --column a --output verdicts"));
        let verdicts: Vec<&str> =
            ran.out.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
        assert_eq!(verdicts, ["invalid", "invalid", "invalid", "invalid", "allow"], "{}", ran.out);
    }
    // A last line without a line end was cut.
    for (name, text) in [("urls.cdx", cdx), ("urls.cdxj", cdxj)] {
        folder.write("out.txt", "complete\n");
        for cut in 1..40 {
            folder.write(name, &text[..text.len() - cut - 1]);
            let ran = folder.run(&format!("{FILTER} {name} --to out.txt"));
            let is_whole = name == "urls.cdx" && cut < 4;
            assert_eq!(ran.code == Some(0), is_whole, "{name} {cut}: {}", ran.err);
            assert!(
                is_whole || ran.code == Some(4) && ran.err.contains("expected a line end"),
                "{}",
                ran.err
            );
            assert!(is_whole || folder.read("out.txt") == "complete\n", "{name} {cut}");
            folder.write("out.txt", "complete\n");
        }
    }
}

#[test]
fn a_format_that_names_its_column_takes_no_other() {
    let folder = folder(&[
        ("urls.cdx", "https://a.example/b 20240708230936 https://a.example/private - - - -\n"),
        ("urls.cdxj.gz", ""),
        ("urls.warc", ""),
        ("urls.tsv", TSV),
        ("x.bundle", ""),
    ]);
    for command in [
        "filter --robots robots.jsonl",
        "compare --dialect google --dialect rfc9309 --robots robots.jsonl",
        "diff robots.jsonl robots.jsonl",
    ] {
        for (urls, format) in [
            ("urls.cdx", "cdx"),
            ("urls.tsv urls.cdx", "cdx"),
            ("urls.cdxj.gz", "cdxj"),
            ("urls.warc", "warc"),
            ("urls.tsv --format cdx", "cdx"),
        ] {
            let ran = folder.run(&format!("{command} --agent A {urls} --column 1"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command} {urls}: {}", ran.err);
            let message =
                format!("--column cannot be used with {format}: the format says where the URLs are");
            assert!(ran.err.contains(&message), "{command} {urls}: {}", ran.err);
        }
    }
    // The format counts, not the name.
    written(&folder, "urls.cdx --format tsv --column 1");
}

#[test]
fn columns_of_an_earlier_run_are_not_doubled() {
    let folder = folder(&[("urls.tsv", TSV), ("urls.csv", "url,rule\nhttps://a.example/,x\n")]);
    for to in ["v.tsv", "v.csv", "v.parquet"] {
        written(&folder, &format!("urls.tsv --output verdicts --to {to}"));
        for again in ["w.tsv", "w.csv", "w.parquet"] {
            let ran = folder.run(&format!("{FILTER} {to} --output verdicts --to {again}"));
            let error = format!(
                "error: {to}: has a column 'verdict' already, and verdicts would add another (rename it, or write \
                 .jsonl, where verdicts replace it)\n"
            );
            assert_eq!((ran.code, ran.err), (Some(2), error), "{to} {again}");
            assert!(!folder.path(again).exists());
        }
        let replaced = written(&folder, &format!("{to} --output verdicts --output-format jsonl"));
        assert_eq!(replaced.matches("\"verdict\":").count(), 2, "{replaced}");
        assert_eq!(written(&folder, &format!("{to} --output verdicts")).lines().count(), 2);
    }
    let ran = folder.run(&format!("{FILTER} urls.csv --output verdicts --to w.csv"));
    assert!(ran.code == Some(2) && ran.err.contains("'rule'"), "{}", ran.err);
    // Numbered columns have other names.
    written(&folder, "--agent B urls.csv --output verdicts --to w.csv");
}

#[test]
fn several_crawlers_have_numbered_columns() {
    let folder = folder(&[("urls.jsonl", "{\"url\": \"https://a.example/b\"}\n")]);
    assert_eq!(
        written(&folder, "--agent B urls.jsonl --output verdicts --output-format jsonl"),
        "{\"url\": \"https://a.example/b\",\"verdict_1\":\"allow\",\"line_1\":null,\"rule_1\":null,\
         \"verdict_2\":\"disallow\",\"line_2\":5,\"rule_2\":\"Disallow: /b\"}\n"
    );
}

#[test]
fn compare_reads_the_same_frontiers() {
    let source = r#"{"host": "a.example", "body": "User-agent: *\nDisallowed: /x"}"#;
    let folder = Folder::with(&[
        ("robots.jsonl", source),
        ("urls.cdxj", "example,a)/x 20240708230936 {\"url\": \"https://a.example/x\"}\n"),
        ("urls", "{\"url\": \"https://a.example/x\"}\n"),
    ]);
    for urls in ["urls.cdxj", "urls --format jsonl"] {
        let ran = folder.run(&format!("compare -q --agent A --robots robots.jsonl --json {urls}"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.out.contains("https://a.example/x"), "{}", ran.out);
    }
}

#[test]
fn bad_bytes_and_long_lines_cost_nothing_but_themselves() {
    let folder = folder(&[]);
    let long = format!("https://a.example/{}\n", "x".repeat(1 << 20));
    let text =
        [&b"https://a.example/\xff\xfe\n"[..], long.as_bytes(), b"\xff\xff\nhttps://a.example/private\n"]
            .concat();
    folder.write("urls", &text);
    let ran = folder.run(&format!("{FILTER} urls --output verdicts --to out.jsonl"));
    assert_eq!(ran.code, Some(0));
    let out = folder.read("out.jsonl");
    assert_eq!(out.lines().count(), 4);
    for line in out.lines() {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
    assert!(ran.err.starts_with("warning: urls:3: expected an absolute URL"), "{}", ran.err);
}
