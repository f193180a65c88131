//! `robomata blast-radius` as users run it.

mod support;

use support::{Folder, Ran};

const OLD: &str = "User-agent: *\nDisallow: /private\nDisallow: /tmp\n";
const NEW: &str =
    "User-agent: *\nDisallow: /private\nAllow: /private/press\nDisallow: /*?sort=\nDisallow: /tmp\n";

fn folder() -> Folder {
    Folder::with(&[("old.txt", OLD), ("new.txt", NEW)])
}

#[test]
fn a_shortest_url_is_made_up_for_each_pair_of_rules() {
    let ran = folder().run("blast-radius --agent FooBot old.txt new.txt");
    let out = "\
rules: 2 pairs decide differently

  /?sort=
    old  allow     no line
    new  disallow  line 4: Disallow: /*?sort=

  /private/press
    old  disallow  line 2: Disallow: /private
    new  allow     line 3: Allow: /private/press
";
    assert_eq!(ran, Ran { code: Some(1), out: out.to_owned(), err: String::new() });
}

#[test]
fn files_that_answer_alike_are_proved_to() {
    let folder = folder();
    folder.write("same.txt", "User-agent: *\nDisallow: /tmp*\n\nDisallow: /private\nDisallow: /private/x");
    let ran = folder.run("blast-radius --agent FooBot old.txt same.txt");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "rules: proved to answer alike, whatever the URL\n"));
    let lines = folder.run("blast-radius --agent FooBot --lines old.txt same.txt");
    assert_eq!(lines.code, Some(1));
    assert!(lines.out.contains("line 3: Disallow: /tmp"), "{}", lines.out);
}

#[test]
fn urls_are_counted_by_the_rules_that_decide() {
    let urls =
        "https://a.example/?sort=1\nhttps://b.example/x?sort=2\n/private/press/1\nnonsense\n/private\n";
    let ran = folder().run_with_input("blast-radius --agent FooBot --limit 1 old.txt new.txt -", urls);
    assert_eq!(ran.code, Some(1));
    let urls = "\
5 lines for FooBot: 3 change, 0 of unknown sites, 1 without a URL

2 URLs
  old  allow     no line
  new  disallow  line 4: Disallow: /*?sort=
    https://a.example/?sort=1

1 URL
  old  disallow  line 2: Disallow: /private
  new  allow     line 3: Allow: /private/press
    /private/press/1
";
    assert!(ran.out.starts_with(urls), "{}", ran.out);
    assert!(ran.err.contains("expected an absolute URL, found \"nonsense\""), "{}", ran.err);
}

const MONDAY: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /a"}
{"host": "b.example", "body": "User-agent: *\nDisallow: /b"}
{"url": "https://c.example/robots.txt", "body": "User-agent: *\nDisallow: /c"}
"#;
const TUESDAY: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /aa"}
{"host": "b.example", "body": "User-agent: *\n# the same\nDisallow: /b*"}
{"url": "https://d.example/robots.txt", "status": 404}
"#;

#[test]
fn collections_are_compared_site_by_site() {
    let folder = Folder::with(&[("monday.jsonl", MONDAY), ("tuesday.jsonl", TUESDAY)]);
    let urls = "https://a.example/a/1\nhttps://c.example/c\nhttps://b.example/b\nhttps://e.example/\n";
    let line = "blast-radius --agent FooBot --json monday.jsonl tuesday.jsonl -";
    let ran = folder.run_with_input(line, urls);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.code, Some(1));
    let rules = &json["rules"];
    let counts =
        ["changed", "alike", "unproved", "only_old", "only_new"].map(|name| rules[name].as_u64().unwrap());
    assert_eq!(counts, [2, 2, 0, 1, 1]);
    assert_eq!(rules["sites"][0]["site"], "http://a.example");
    assert_eq!(rules["sites"][0]["witnesses"][0]["url"], "http://a.example/a");
    let urls = &json["urls"];
    assert_eq!((&urls["changed"], &urls["unknown"]), (&2.into(), &1.into()));
    assert_eq!(urls["changes"][0]["old"]["rule"], "Disallow: /a");
    assert_eq!(urls["changes"][1]["new"]["verdict"], "unknown");
}

#[test]
fn bundles_are_compared_by_urls() {
    let folder = Folder::with(&[("monday.jsonl", MONDAY), ("tuesday.jsonl", TUESDAY)]);
    for day in ["monday", "tuesday"] {
        let ran = folder.run(&format!("compile --agent FooBot {day}.jsonl -o {day}.bundle"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let line = "blast-radius --agent FooBot monday.bundle tuesday.bundle -";
    let ran = folder.run_with_input(line, "https://a.example/a/1\nhttps://b.example/b\n");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out.contains("https://a.example: 1 URL\n  old  disallow  line 2\n  new  allow     no line\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.ends_with("no texts of robots.txt at hand: rules are not compared\n"), "{}", ran.out);
}

#[test]
fn what_cannot_be_compared_is_a_usage_error() {
    let folder = folder();
    folder.write("monday.jsonl", MONDAY);
    for (line, message) in [
        ("blast-radius --agent FooBot old.txt monday.jsonl", "expected two robots.txt files"),
        ("blast-radius --agent FooBot - new.txt -", "expected '-' once"),
        ("blast-radius --agent FooBot missing.txt new.txt", "missing.txt"),
    ] {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.err.contains(message), "{line}: {}", ran.err);
    }
}
