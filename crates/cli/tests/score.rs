//! `robomata score`.

mod support;

use support::Folder;

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
fn violations_are_told_by_crawler_site_and_rule() {
    let ran = folder().run("score --robots robots.jsonl access.log");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.starts_with("warning: access.log:4: expected "), "{}", ran.err);
    for line in [
        "4 lines, 3 requests: crawlers 3, browsers 0, other programs 0, without a User-Agent 0\n",
        "access.log: vhost-combined (3 of the first 4 lines)\n",
        "ExampleBot: 1 violations, from 2024-01-15T00:00:00Z to 2024-01-15T00:00:00Z\n",
        "  evidence: 1 between two captures that say so\n",
        "  https://a.example: 1 of 2 requests\n",
        "line 2: Disallow: /a\n",
        "https://a.example/a/1\n",
    ] {
        assert!(ran.out.contains(line), "{line:?} in {}", ran.out);
    }
}

#[test]
fn sources_and_a_bundle_score_alike() {
    let folder = folder();
    folder.run("compile robots.jsonl --all-agents --history -o history.bundle");
    let json = |arguments: &str| {
        let ran = folder.run(&format!("score {arguments} --json access.log"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let mut json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        for crawler in json["crawlers"].as_array_mut().unwrap() {
            // A bundle holds no delays.
            crawler["delay"] = serde_json::Value::Null;
        }
        json
    };
    let by_sources = json("--robots robots.jsonl");
    assert_eq!(by_sources, json("--policies history.bundle"));
    assert_eq!(by_sources["crawlers"][0]["sites"][0]["broken"][0]["rule"], "Disallow: /a");
    // The newest capture says otherwise.
    assert_ne!(by_sources, json("--robots robots.jsonl --latest"));
}

#[test]
fn every_request_is_told_in_any_form() {
    let folder = folder();
    let ran = folder.run("score --robots robots.jsonl access.log --requests out.jsonl --to table.txt");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let row = |line: u32, rest: &str| format!("{{\"file\":\"access.log\",\"file_line\":{line},{rest}}}\n");
    let rows = [
        row(
            1,
            r#""time":"2024-01-15T00:00:00Z","crawler":"ExampleBot","agent":"ExampleBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/a/1","status":200,"verdict":"disallowed","line":2,"rule":"Disallow: /a""#,
        ),
        row(
            2,
            r#""time":"2024-01-15T00:00:09Z","crawler":"ExampleBot","agent":"ExampleBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/b","status":200,"verdict":"allowed","line":null,"rule":null"#,
        ),
        row(
            3,
            r#""time":"2024-04-15T00:00:09Z","crawler":"OtherBot","agent":"OtherBot/1.0 (+http://bot.example)","method":"GET","url":"https://a.example/a","status":200,"verdict":"allowed","line":null,"rule":null"#,
        ),
    ];
    assert_eq!(folder.read("out.jsonl"), rows.concat());

    // Read back by another command, all forms have the same columns.
    for name in ["out.tsv", "out.parquet", "out.tsv.zst"] {
        let ran =
            folder.run(&format!("score --robots robots.jsonl access.log --requests {name} --to table.txt"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
    }
    let filtered = |name: &str| {
        let line =
            format!("filter --agent A --robots robots.jsonl {name} --output verdicts --output-format tsv");
        let ran = folder.run(&line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        ran.out
    };
    let table = filtered("out.tsv");
    assert!(
        table
            .starts_with("file\tfile_line\ttime\tcrawler\tagent\tmethod\turl\tstatus\tverdict\tline\trule\t")
    );
    assert_eq!(table.lines().count(), 4);
    assert_eq!(table, filtered("out.parquet"));
    assert_eq!(table, filtered("out.tsv.zst"));
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
    assert_eq!(
        page.matches("<svg ").count(),
        2,
        "violations over time and by site; there are no delays to draw"
    );
    for outside in ["<script", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(folder.read("table.txt").contains("ExampleBot"));
    let ran = folder.run("filter --agent A --policies none cells.parquet --column site --output verdicts");
    assert_eq!(ran.code, Some(2), "a bundle that is not there");
    let octets = std::fs::read(folder.path("cells.parquet")).unwrap();
    assert!(octets.starts_with(b"PAR1") && octets.ends_with(b"PAR1"));
}

#[test]
fn who_keeps_to_robots_txt_ends_well() {
    let folder = folder();
    folder.write("good.log", LOG.lines().nth(2).unwrap());
    let ran = folder.run("score --robots robots.jsonl good.log");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(folder.run("score --robots robots.jsonl --strict access.log").code, Some(2));
    assert_eq!(folder.run("score access.log").code, Some(2));
    assert_eq!(folder.run("score --robots robots.jsonl missing.log").code, Some(2));
}

const ARCHIVE: &str = "WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: https://a.example/a\r\n\
    WARC-Date: 2024-01-15T00:00:00Z\r\nContent-Length: 39\r\n\r\n\
    GET /a HTTP/1.1\r\nUser-Agent: ABot/1\r\n\r\n\r\n\r\n";

/// What is read once only is looked at, and read from its beginning nevertheless.
#[test]
fn archives_and_lines_are_told_apart_on_standard_input_and_in_pipes() {
    let folder = folder();
    folder.write("archive", ARCHIVE);
    folder.write_compressed("archive.gz", ARCHIVE);
    folder.write("parts.tsv", "ts\thost\tpath\tua\n2024-01-15\ta.example\t/a\tABot/1\n");
    for (name, format) in [("archive", "warc"), ("archive.gz", "warc"), ("parts.tsv", "tsv")] {
        let input = std::fs::read(folder.path(name)).unwrap();
        let ran = folder.run_with_input("score --robots robots.jsonl --json -", &input);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{name}");
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

/// The README shows a run on the samples; this is what the command prints.
#[test]
fn the_tour_is_real() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let command = "$ robomata score --robots corpora/samples/history.jsonl corpora/samples/access.log\n";
    let (_, shown) = readme.split_once(command).expect("the tour");
    let (shown, _) = shown.split_once("```").unwrap();
    let samples = root.join("corpora/samples");
    let folder = Folder::new();
    for name in ["history.jsonl", "access.log"] {
        folder.write(&format!("corpora/samples/{name}"), std::fs::read(samples.join(name)).unwrap());
    }
    let ran = folder.run("score --robots corpora/samples/history.jsonl corpora/samples/access.log");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let trimmed = |text: &str| text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&ran.out), trimmed(shown));
}
