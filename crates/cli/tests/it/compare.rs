//! `robomata compare`, also by its old name `dissent`.

use crate::support::Folder;
use serde_json::{Value, json};

const SOURCE: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /*?sort=\nDisallow: /a\nAllow: /a/b"}
{"host": "b.example", "body": "User-agent: *\nDisallow: /*?sort="}
{"url": "https://shut.example/robots.txt", "status": 403}
"#;

const URLS: &str = "https://a.example/?sort=1\nhttps://a.example/a/b\nnonsense\nhttps://b.example/?sort=\u{9b}[1m\n\
                    https://shut.example/\nhttps://other.example/\nhttps://a.example/c\nhttps://a.example/?sort=2\n";

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)])
}

const TWO: &str =
    "compare -q --agent A --dialect rfc9309 --dialect koster1996 --robots robots.jsonl urls --threads 2";

#[test]
fn text_counts_shows_and_says_why() {
    let ran = folder().run(&format!("{TWO} --sites 2 --limit 2"));
    let expected = "\
8 lines for A: 5 answered differently on 3 sites, 1 answered alike, 1 of unknown sites, 1 without a URL

by cause
           3  wildcard
           1  fetch
           1  order

rfc9309 and koster1996 differ about 5 URLs
           3  rfc9309 disallow, koster1996 allow
           2  rfc9309 allow, koster1996 disallow

https://a.example: 3 URLs
  https://a.example/?sort=1
    disallow  rfc9309     line 2: Disallow: /*?sort=
    allow     koster1996  no line
    '*' and '$' of line 2 are ordinary bytes under koster1996
  https://a.example/a/b
    allow     rfc9309     line 4: Allow: /a/b
    disallow  koster1996  line 3: Disallow: /a
    the first match, line 3, decides under koster1996, the longest match under rfc9309
  1 more URL left out (--limit shows more)

https://b.example: 1 URL
  https://b.example/?sort=\\u{9b}[1m
    disallow  rfc9309     line 2: Disallow: /*?sort=
    allow     koster1996  no line
    '*' and '$' of line 2 are ordinary bytes under koster1996

1 more site with 1 URL left out (--sites shows more)
";
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), expected));
    assert_eq!(ran.err, "warning: urls:3: expected an absolute URL, found \"nonsense\"\n");
}

/// No --limit shows a URL for which no text can stand.
#[test]
fn urls_that_are_no_texts_are_counted_apart() {
    let folder = folder();
    folder.write("bytes", b"https://b.example/?sort=\xff\nhttps://b.example/?sort=1\n");
    let line =
        "compare -q --agent A --dialect google --dialect koster1996 --robots robots.jsonl bytes --limit";
    let left = "  1 more URL left out: not UTF-8, and in a compared dialect %XX is another URL\n";
    for (limit, more) in [(5, ""), (0, "  1 more URL left out (--limit shows more)\n")] {
        let ran = folder.run(&format!("{line} {limit}"));
        assert!(ran.out.ends_with(&format!("{more}{left}")), "{}", ran.out);
        assert_eq!(ran.out.matches("left out").count(), 1 + usize::from(!more.is_empty()), "{}", ran.out);
    }
}

#[test]
fn all_dialects_are_compared_by_default_and_like_ones_share_a_line() {
    let ran = folder().run("compare -q --agent A --robots robots.jsonl urls --sites 1 --limit 1");
    assert_eq!(ran.code, Some(1));
    for text in [
        "rfc9309 and acap agree\n",
        "koster1996 and acap differ about 5 URLs\n",
        "    disallow  rfc9309, google, acap, yandex  line 2: Disallow: /*?sort=\n    allow     koster1996                     \
         no line\n",
    ] {
        assert!(ran.out.contains(text), "{text}\n{}", ran.out);
    }
}

#[test]
fn lines_count_with_their_option() {
    let folder = folder();
    folder.write("urls", "https://a.example/a?sort=1\nhttps://a.example/?sort=1\n");
    let ran = folder.run(&format!("{TWO} --lines"));
    let pair = "rfc9309 and koster1996 differ about 1 URL; by different lines they agree about 1 URL\n";
    assert!(ran.out.contains(pair), "{}", ran.out);
    let example = "    disallow  rfc9309     line 2: Disallow: /*?sort=\n    disallow  koster1996  line 3: Disallow: /a\n";
    assert!(ran.out.contains(example), "{}", ran.out);
}

#[test]
fn json_has_an_object_for_every_difference_in_order() {
    let folder = folder();
    let ran = folder.run(&format!("{TWO} --json"));
    assert_eq!(ran.code, Some(1));
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let urls: Vec<&str> = objects.iter().map(|object| object["url"].as_str().unwrap()).collect();
    assert_eq!(
        urls,
        [
            "https://a.example/?sort=1",
            "https://a.example/a/b",
            "https://b.example/?sort=\u{9b}[1m",
            "https://shut.example/",
            "https://a.example/?sort=2"
        ]
    );
    assert_eq!(
        objects[0],
        json!({
            "url": "https://a.example/?sort=1",
            "site": "https://a.example",
            "answers": {
                "rfc9309": {"verdict": "disallow", "line": 2, "rule": "Disallow: /*?sort=", "group": "*"},
                "koster1996": {"verdict": "allow", "line": 0, "rule": null, "group": "*"},
            },
            "causes": [{
                "dialects": ["rfc9309", "koster1996"],
                "cause": "wildcard",
                "line": 2,
                "text": "'*' and '$' of line 2 are ordinary bytes under koster1996",
            }],
        })
    );
    assert_eq!(objects[3]["causes"][0]["cause"], "fetch");
    assert!(ran.out.contains(r#""answers":{"rfc9309":"#), "dialects are in their order");

    let ran = folder.run(&format!("{TWO} --json -o out --stats -"));
    let stats: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(stats["different"], 5);
    assert_eq!(folder.read("out").lines().count(), 5);
}

#[test]
fn stats_count_everything() {
    let folder = folder();
    folder.write("robots.jsonl", format!("{{}}\n{SOURCE}"));
    assert_eq!(folder.run(&format!("{TWO} -o out --stats stats.json")).code, Some(1));
    let stats: Value = serde_json::from_str(&folder.read("stats.json")).unwrap();
    for (key, expected) in [
        ("crawler", json!("A")),
        ("sites", json!(5)),
        ("captures", json!(3)),
        ("lines", json!(8)),
        ("alike", json!(1)),
        ("unknown", json!(1)),
        ("invalid", json!(1)),
        ("differing_sites", json!(3)),
        ("errors", json!({"bad_source_lines": 1, "invalid_urls": 1, "unreadable_files": 0})),
        (
            "pairs",
            json!([{
                "dialects": ["rfc9309", "koster1996"],
                "urls": 5,
                "kinds": [
                    {"answers": ["disallow", "allow"], "urls": 3},
                    {"answers": ["allow", "disallow"], "urls": 2},
                ],
                "other_lines": 0,
            }]),
        ),
    ] {
        assert_eq!(stats[key], expected, "{key}");
    }
    assert_eq!(
        stats["dialects"][1],
        json!({"dialect": "koster1996", "allow": 4, "disallow": 2, "defer": 0, "unknown": 1, "invalid": 1})
    );
    assert!(folder.read("out").starts_with("8 lines for A: "));
}

#[test]
fn exit_codes_distinguish_differences_from_failure() {
    let folder = folder();
    let alike = "https://a.example/c\n";
    for (line, input, code) in [
        ("compare -q --agent A --robots robots.jsonl", alike, 0),
        ("compare -q --agent A --robots robots.jsonl --json", alike, 0),
        ("compare -q --agent A --robots robots.jsonl -", "https://a.example/a/b\n", 1),
        // The same verdict by a different line.
        ("compare -q --agent A --robots robots.jsonl", "https://a.example/a?sort=1\n", 0),
        ("compare -q --agent A --robots robots.jsonl --lines", "https://a.example/a?sort=1\n", 1),
        ("compare -q --agent A --robots robots.jsonl --column 2", "x\thttps://a.example/a/b\n", 1),
        ("compare -q --agent A --robots robots.jsonl --strict", "nonsense\n", 2),
        ("compare -q --agent A --robots missing", alike, 2),
        ("compare -q --agent A --robots robots.jsonl missing", "", 2),
        ("compare -q --agent A", alike, 2),
        ("compare --robots robots.jsonl", alike, 2),
        ("compare -q --agent A --robots robots.jsonl --dialect google", alike, 2),
        ("compare -q --agent A --robots robots.jsonl --dialect google --dialect google", alike, 2),
        ("compare -q --agent A --robots robots.jsonl --json --limit 1", alike, 2),
        ("compare -q --agent A --robots -", SOURCE, 2),
    ] {
        let ran = folder.run_with_input(line, input);
        assert_eq!(ran.code, Some(code), "{line}\n{}", ran.err);
        assert_eq!(ran.err.is_empty(), code < 2, "{line}\n{}", ran.err);
    }
    let ran = folder.run("compare -q --agent A --robots robots.jsonl --dialect google");
    assert!(ran.err.contains("requires at least two different"), "{}", ran.err);
}

#[test]
fn a_run_that_fails_leaves_files_as_they_were() {
    let folder = folder();
    folder.write("out", "as it was");
    assert_eq!(folder.run(&format!("{TWO} --json --strict -o out")).code, Some(2));
    assert_eq!(folder.read("out"), "as it was");
    assert_eq!(folder.names(), ["out", "robots.jsonl", "urls"]);
}

#[test]
fn help_teaches() {
    let help = folder().run("compare --help");
    assert_eq!(help.code, Some(0));
    for text in
        ["Exit codes:", "Example", "$ robomata compare", "--agent", "--dialect", "robots-txt ", "--lines"]
    {
        assert!(help.out.contains(text), "{text}");
    }
}

/// Dialects that were never asked do not agree.
#[test]
fn a_comparison_of_nothing_is_an_error() {
    let folder = folder();
    folder.write("others", "https://other.example/\nnonsense\n");
    folder.write("empty", "");
    for (urls, error) in [
        (
            "others",
            "of 2 lines, 1 have a URL of a site without a robots.txt, and 1 have no URL (give captures of the sites of the \
             URLs)",
        ),
        ("empty", "there is no URL (give files with URLs)"),
    ] {
        for output in ["", "--json", "--to out", "--json --to out"] {
            let ran = folder.run(&format!("compare -q --agent A --robots robots.jsonl {urls} {output}"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{output}");
            let expected = format!("error: nothing was compared: {error}");
            assert_eq!(ran.err.lines().last(), Some(expected.as_str()), "{output}");
        }
    }
    assert!(!folder.path("out").exists());
}
