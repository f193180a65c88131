//! `robomata diff`, also by its old name `blast-radius`.

use crate::support::{Folder, Ran};

const OLD: &str = "User-agent: *\nDisallow: /private\nDisallow: /tmp\n";
const NEW: &str =
    "User-agent: *\nDisallow: /private\nAllow: /private/press\nDisallow: /*?sort=\nDisallow: /tmp\n";

fn folder() -> Folder {
    Folder::with(&[("old.txt", OLD), ("new.txt", NEW)])
}

#[test]
fn a_shortest_url_is_made_up_for_each_pair_of_rules() {
    let ran = folder().run("diff --agent FooBot old.txt new.txt");
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
    let ran = folder.run("diff --agent FooBot old.txt same.txt");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "rules: proved equivalent for every URL\n"));
    let lines = folder.run("diff --agent FooBot --lines old.txt same.txt");
    assert_eq!(lines.code, Some(1));
    assert!(lines.out.contains("line 3: Disallow: /tmp"), "{}", lines.out);
}

#[test]
fn lines_in_utf_16_are_quoted_as_they_are_read() {
    let folder = folder();
    let utf16: Vec<u8> =
        "\u{feff}User-agent: *\nDisallow: /\u{10a}a\nDisallow: /private\nDisallow: /tmp\nDisallow: /x\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
    folder.write("utf16.txt", utf16);
    for (options, urls) in [("", ""), ("--host a.example", ""), ("", "-")] {
        let args = format!("diff --agent FooBot {options} old.txt utf16.txt {urls}");
        let ran = folder.run_with_input(&args, "https://a.example/x\n");
        assert_eq!(ran.code, Some(1), "{args}: {}", ran.err);
        assert!(ran.out.contains("line 5: Disallow: /x\n"), "{args}: {}", ran.out);
    }
}

/// Under google, rules can have bytes that no URL has, and blanks that a URL has only within it.
#[test]
fn changes_have_urls_that_clients_request() {
    let folder = Folder::with(&[
        ("old.txt", OLD),
        ("tab.txt", &format!("{OLD}Disallow: /a\tb\n")),
        ("blank.txt", &format!("{OLD}Disallow: /a *\n")),
    ]);
    let ran = folder.run("diff --agent FooBot --dialect google old.txt tab.txt");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "rules: no difference found, not exhaustive\n"));
    let ran = folder.run("diff --agent FooBot --dialect google old.txt blank.txt");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("\n  /a x\n"), "{}", ran.out);
}

#[test]
fn prohibitions_of_acap_with_escapes_are_found() {
    let folder = Folder::with(&[("old.txt", "ACAP-crawler: *\nACAP-allow-crawl: /zz/\n")]);
    for path in ["/caf%C3%A9/", "/caf\u{e9}/", "/X%2Fy", "/x^y", "/x%7Cy", "/a%25"] {
        folder.write(
            "new.txt",
            format!("ACAP-crawler: *\nACAP-allow-crawl: /zz/\nACAP-disallow-crawl: {path}\n"),
        );
        let ran = folder.run("diff --dialect acap --agent FooBot old.txt new.txt");
        assert_eq!(ran.code, Some(1), "{path}: {}", ran.out);
    }
}

/// Each of a thousand crawlers has the rules of a large group, and those of a group of its own.
#[test]
fn a_hostile_file_is_compared_for_some_crawlers_and_said_to_be() {
    let folder = folder();
    let names: String = (0..1_000).map(|n| format!("User-agent: x{n}y\n")).collect();
    let rules: String = (0..12_000).map(|n| format!("Disallow: /*a*b*{n}\n")).collect();
    let own: String = (0..1_000).map(|n| format!("User-agent: x{n}y\nDisallow: /{n}\n")).collect();
    folder.write("hostile.txt", format!("{names}{rules}{own}"));
    folder.write("same.txt", format!("{names}{rules}{own}\nUser-agent: *\nDisallow:\n"));
    folder.write("other.txt", format!("{names}{rules}{own}\nUser-agent: *\nDisallow: /b\n"));
    let ran = folder.run("diff hostile.txt same.txt");
    assert!(!ran.out.contains("proved"), "{}", ran.out);
    let ran = folder.run("diff hostile.txt other.txt");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("/b\n") && ran.out.contains("not exhaustive"), "{}", ran.out);
}

/// A line is quoted for each group of crawlers that obeys it.
#[test]
fn long_lines_are_cut_for_each_group() {
    let file = |path: &str| {
        let names: String = (0..50).map(|n| format!("User-agent: x{n}y\n")).collect();
        let own: String = (0..50).map(|n| format!("User-agent: x{n}y\nDisallow: /{n}\n")).collect();
        format!("{names}Disallow: {path} #{}\n{own}", "x".repeat(20_000))
    };
    let folder = Folder::with(&[("old.txt", &file("/o")), ("new.txt", &file("/n"))]);
    let out = folder.run_with_input("diff --json old.txt new.txt -", "https://a.example/o\n").out;
    assert!(out.len() < 200_000, "{}", out.len());
    let quoted = format!("\"Disallow: /o #{}…\"", "x".repeat(486));
    assert!(out.matches(&quoted).count() > 50, "{out}");
}

#[test]
fn urls_are_counted_by_the_rules_that_decide() {
    let urls =
        "https://a.example/?sort=1\nhttps://b.example/x?sort=2\n/private/press/1\nnonsense\n/private\n";
    let ran = folder().run_with_input("diff --agent FooBot --limit 1 old.txt new.txt -", urls);
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
    let line = "diff --agent FooBot --json monday.jsonl tuesday.jsonl -";
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

/// The two days as sources and as bundles, some for one crawler and some for everyone.
fn two_days() -> Folder {
    let folder = Folder::with(&[("monday.jsonl", MONDAY), ("tuesday.jsonl", TUESDAY)]);
    for day in ["monday", "tuesday"] {
        for (audience, to) in [("--agent FooBot", "bundle"), ("--all-agents", "all")] {
            let ran = folder.run(&format!("compile {audience} {day}.jsonl -o {day}.{to}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
        }
    }
    folder
}

#[test]
fn bundles_are_compared_by_urls() {
    let line = "diff --agent FooBot monday.bundle tuesday.bundle -";
    let ran = two_days().run_with_input(line, "https://a.example/a/1\nhttps://b.example/b\n");
    assert_eq!(ran.code, Some(1));
    let change =
        "https://a.example: 1 URL\n  old  disallow  line 2: Disallow: /a\n  new  allow     no line\n";
    assert!(ran.out.contains(change), "{}", ran.out);
}

#[test]
fn the_rules_of_bundles_are_compared_as_those_of_sources_are() {
    let folder = two_days();
    for options in ["", " --lines", " --json", " --sites 1 --limit 1"] {
        let compared = |old: &str, new: &str| {
            folder.run(&format!("diff --agent FooBot{options} monday.{old} tuesday.{new}"))
        };
        let sources = compared("jsonl", "jsonl");
        assert_eq!(sources.code, Some(1), "{}", sources.err);
        // All lines except one are already in normal form.
        let normal = sources.out.replace("Disallow: /b*", "Disallow: /b");
        for (old, new) in [("bundle", "bundle"), ("all", "all"), ("bundle", "all"), ("jsonl", "bundle")] {
            assert_eq!(compared(old, new).out, normal, "{old} and {new}{options}");
        }
        assert_eq!(compared("all", "jsonl"), sources, "{options}");
    }
    let same = folder.run("diff --agent FooBot monday.bundle monday.all");
    let out = "rules of sites: 0 changed, 5 proved alike, 0 not decided, 0 only old, 0 only new\n";
    assert_eq!(same, Ran { code: Some(0), out: out.to_owned(), err: String::new() });
}

/// In the dialect google, a byte and its %XX are different patterns, and no URL has the byte.
#[test]
fn control_characters_and_escapes_in_rules_of_bundles_are_kept_apart() {
    let folder = Folder::with(&[
        ("raw.jsonl", r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /a\u0001b"}"#),
        ("escaped.jsonl", r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /a%01b"}"#),
    ]);
    for dialect in ["google", "rfc9309", "koster1996"] {
        for name in ["raw", "escaped"] {
            let ran =
                folder.run(&format!("compile {name}.jsonl --agent X --dialect {dialect} -o {name}.bundle"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            folder.write("none.jsonl", r#"{"host": "a.example", "body": "User-agent: *"}"#);
            folder.run(&format!("compile none.jsonl --agent X --dialect {dialect} -o none.bundle"));
            let ran = folder.run(&format!("diff --agent X none.bundle {name}.bundle"));
            let expected = match (dialect, name) {
                ("google", "raw") => "rules: no difference found, not exhaustive\n",
                _ => "line 2: Disallow: /a%01b\n",
            };
            assert!(ran.out.contains(expected), "{dialect} {name}: {}", ran.out);
        }
    }
}

const BEFORE: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-disallow-crawl: /new"}
{"url": "https://b.example/", "body": "User-agent: *\nDisallow: /b"}
{"url": "https://c.example/", "status": 503}
{"url": "https://d.example/", "status": 404}
{"url": "https://e.example/", "body": "User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow: /e"}
"#;
const AFTER: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-disallow-crawl: /newer"}
{"url": "https://b.example/", "status": 503}
{"url": "https://c.example/", "body": "User-agent: *\nDisallow: /"}
{"url": "https://d.example/", "body": "User-agent: *\nDisallow: /d"}
{"url": "https://e.example/", "body": "User-agent: BarBot\nDisallow: /\n\nUser-agent: FooBot\n\nDisallow: /e"}
"#;

#[test]
fn every_cause_of_a_decision_is_compared() {
    let folder = Folder::with(&[("before.jsonl", BEFORE), ("after.jsonl", AFTER)]);
    for day in ["before", "after"] {
        for (audience, to) in
            [("--agent FooBot", "bundle"), ("--agent FooBot --dialect acap", "acap"), ("--all-agents", "all")]
        {
            let ran = folder.run(&format!("compile {audience} {day}.jsonl -o {day}.{to}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
        }
    }
    // Under rfc9309 the verdicts of a.example, c.example and e.example do not change for FooBot, but the lines may.
    let counts = "rules of sites: 2 changed, 4 proved alike, 0 not decided, 0 only old, 0 only new\n";
    for end in ["jsonl", "bundle", "all"] {
        let ran = folder.run(&format!("diff --agent FooBot before.{end} after.{end}"));
        assert!(ran.out.starts_with(counts), "{end}: {}", ran.out);
        assert!(ran.out.contains(
            "\n  https://d.example/d\n    old  allow     no line\n    new  disallow  line 2: Disallow: /d\n"
        ));
        let lines = folder.run(&format!("diff --lines --agent FooBot before.{end} after.{end}"));
        let line = "\n  https://e.example/e\n    old  disallow  line 5: Disallow: /e\n    new  disallow  line 6: Disallow: /e\n";
        assert!(lines.out.contains(line), "{end}: {}", lines.out);
        assert!(
            lines.out.contains("\n  https://c.example/\n    old  disallow  no line\n"),
            "{end}: {}",
            lines.out
        );
    }
    let acap = |end: &str, options: &str| {
        folder.run(&format!("diff --agent FooBot {options} before.{end} after.{end}")).out
    };
    let (sources, bundles) = (acap("jsonl", "--dialect acap"), acap("acap", ""));
    let change = "\n  https://a.example/new\n    old  disallow  line 5";
    assert!(
        sources.contains("rules: 1 pair decides differently, not exhaustive\n") && sources.contains(change),
        "{sources}"
    );
    // A bundle has the text of rules only.
    assert_eq!(bundles, sources.replace("line 5: ACAP-disallow-crawl: /new\n", "line 5\n"));
}

#[test]
fn sites_are_shown_by_name_however_many_differ() {
    let folder = Folder::new();
    let day = |pattern: &str| -> String {
        (0..300).map(|n| format!("{{\"url\": \"https://{n:03}.example/\", \"body\": \"User-agent: *\\nDisallow: /{}{pattern}\"}}\n", n % 7)).collect()
    };
    folder.write("old.jsonl", day(""));
    folder.write("new.jsonl", day("x"));
    folder.run("compile --agent FooBot old.jsonl -o old.bundle");
    let ran = folder.run("diff --agent FooBot --sites 3 old.bundle new.jsonl");
    let sites: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("https:")).collect();
    assert_eq!(sites, ["https://000.example", "https://001.example", "https://002.example"]);
    assert!(ran.out.starts_with("rules of sites: 300 changed, 0 proved alike"), "{}", ran.out);
    assert!(ran.out.contains("\n  https://001.example/1\n"), "{}", ran.out);
}

/// A WARC file with one capture.
fn warc(robots: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{robots}");
    let head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\n\
                WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Type: application/http;msgtype=response\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
}

#[test]
fn captures_are_known_in_all_their_formats() {
    let folder = folder();
    let tsv = |robots: &str| format!("url\tbody\nhttps://a.example/\t{}\n", robots.replace('\n', "\\n"));
    for (name, robots) in [("old", OLD), ("new", NEW)] {
        folder.write(&format!("{name}.warc"), warc(robots));
        folder.write(&format!("{name}-warc"), warc(robots));
        folder.write(&format!("{name}.tsv"), tsv(robots));
        folder.write(&format!("{name}-tsv"), tsv(robots));
        assert_eq!(folder.bash(&format!("gzip -k {name}.warc && cp {name}.warc.gz {name}-gz")).code, Some(0));
    }
    let out = "\
rules of sites: 1 changed, 0 proved alike, 0 not decided, 0 only old, 0 only new

https://a.example
rules: 2 pairs decide differently
";
    for end in [".warc", ".warc.gz", "-warc", "-gz", ".tsv", "-tsv"] {
        let ran = folder.run(&format!("diff --agent FooBot old{end} new{end}"));
        assert!(ran.out.starts_with(out), "{end}: {} {}", ran.out, ran.err);
    }
    // Tabs alone are not a table, and a pipe is read as a robots.txt.
    folder.write("tabs.txt", OLD.replace(": ", ":\t"));
    let same = "rules: proved equivalent for every URL\n";
    assert_eq!(folder.run("diff --agent FooBot old.txt tabs.txt").out, same);
    assert_eq!(folder.bash("robomata diff --agent FooBot <(cat old.txt) tabs.txt").out, same);
}

#[test]
fn what_cannot_be_compared_is_a_usage_error() {
    let folder = folder();
    folder.write("monday.jsonl", MONDAY);
    for (line, message) in [
        (
            "diff --agent FooBot old.txt monday.jsonl",
            "a robots.txt and a collection of sites cannot be compared",
        ),
        ("diff --agent FooBot - new.txt -", "use '-' only once"),
        ("diff --agent FooBot old.txt new.txt --format csv", "--format and --column require URLS"),
        ("diff --agent FooBot old.txt new.txt --column 2", "--format and --column require URLS"),
        ("diff old.txt -", "<stdin>: an empty robots.txt, or a fetch that failed? (if it is empty, add"),
        ("diff - new.txt", "<stdin>: an empty robots.txt, or a fetch that failed? (if it is empty, add"),
        (
            "debug --agent A --robots -",
            "<stdin>: an empty robots.txt, or a fetch that failed? (if it is empty, add",
        ),
        ("diff --agent FooBot missing.txt new.txt", "missing.txt"),
    ] {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.err.contains(message), "{line}: {}", ran.err);
    }
    folder.write("empty.txt", "\n");
    assert_eq!(folder.run("diff old.txt empty.txt").code, Some(1));
}

#[test]
fn paths_are_enough_for_two_files() {
    let folder = folder();
    folder.write("paths", "/private/press\n");
    folder.write("none", "private\n");
    folder.write("monday.jsonl", MONDAY);
    let ran = folder.run("diff --agent FooBot old.txt new.txt paths");
    assert!(
        ran.code == Some(1) && ran.out.starts_with("1 line for FooBot: 1 change"),
        "{}{}",
        ran.out,
        ran.err
    );
    for line in ["old.txt new.txt none", "monday.jsonl monday.jsonl paths"] {
        let ran = folder.run(&format!("diff --agent FooBot {line}"));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.err.contains(": no URL in its only line"), "{line}: {}", ran.err);
    }
}

#[test]
fn what_is_missing_in_a_collection_may_be_supplied() {
    let folder = folder();
    let site = |time: &str, rule: &str| {
        format!("{{\"host\": \"a.example\", {time}\"body\": \"User-agent: *\\nDisallow: {rule}\"}}\n")
    };
    folder.write("cut.jsonl", site("", "/a") + &site("", "/b")[..20]);
    folder.write("undated.jsonl", site("\"time\": \"2024-01-01\", ", "/a") + &site("", "/b"));
    for (name, code, option) in
        [("cut.jsonl", 4, "--partial"), ("undated.jsonl", 2, "--captured-at 2024-01-02")]
    {
        let line = format!("diff --agent A {name} {name}");
        let ran = folder.run(&line);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
        assert!(ran.err.contains(option.split(' ').next().unwrap()), "{line}: {}", ran.err);
        let ran = folder.run(&format!("{line} {option}"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
    }
}

#[test]
fn without_an_agent_every_crawler_that_a_file_names_is_compared() {
    let folder = Folder::with(&[
        ("a.txt", "User-agent: A\nDisallow: /a\n\nUser-agent: B\nDisallow: /b\n\nUser-agent: *\nDisallow:\n"),
        ("b.txt", "User-agent: a\nUser-agent: C\nDisallow: /a\n\nUser-agent: B\nDisallow: /b\n"),
        ("urls", "https://h.example/a\n"),
        ("all.jsonl", MONDAY),
    ]);
    let ran = folder.run("diff a.txt b.txt");
    let alike = "rules: proved equivalent for every URL\n";
    let changed = "rules: 1 pair decides differently\n\n  /a\n    old  allow     no line\n    new  disallow  line 3: Disallow: /a\n";
    assert_eq!(ran.out, format!("A\n{alike}B\n{alike}C\n{changed}*\n{alike}"));
    assert_eq!(ran.code, Some(1));
    assert_eq!(folder.run("diff a.txt a.txt").code, Some(0));

    let json: serde_json::Value =
        serde_json::from_str(&folder.run("diff --json a.txt b.txt urls").out).unwrap();
    assert_eq!(json["rules"]["sites"][2]["crawlers"], serde_json::json!(["C"]));
    assert_eq!(json["urls"]["changed"], 1);
    assert_eq!(json["urls"]["changes"][0]["crawlers"], serde_json::json!(["C"]));

    let url = "https://h.example/a\n";
    let ran = folder.run_with_input("diff a.txt b.txt -", url);
    let change = "\n1 URL for C\n  old  allow     no line\n  new  disallow  line 3: Disallow: /a\n    https://h.example/a\n";
    assert!(
        ran.out.starts_with(&format!("1 line: 1 change, 0 of unknown sites, 0 without a URL\n{change}")),
        "{}",
        ran.out
    );
    assert_eq!(folder.run_with_input("diff a.txt a.txt -", url).code, Some(0));
}

const EVERYONE_OLD: &str = r#"{"url": "https://a.example/", "body": "User-agent: A\nUser-agent: B\nDisallow: /a\n\nUser-agent: *\nDisallow: /x"}
{"url": "https://b.example/", "body": "User-agent: C\nDisallow: /c"}
{"url": "https://c.example/", "body": "User-agent: C\nDisallow: /c"}
{"url": "https://d.example/", "body": "User-agent: D\nDisallow: /"}
"#;
const EVERYONE_NEW: &str = r#"{"url": "https://a.example/", "body": "User-agent: A\nDisallow: /a\n\nUser-agent: *\nDisallow: /x"}
{"url": "https://b.example/", "body": "\n# the same\nUser-agent: c\nDisallow: /c"}
{"url": "https://c.example/", "body": "User-agent: C\nDisallow: /c"}
{"url": "https://e.example/", "body": "User-agent: D\nDisallow: /"}
"#;

#[test]
fn collections_are_compared_for_every_crawler_that_a_site_names() {
    let folder = Folder::with(&[("old.jsonl", EVERYONE_OLD), ("new.jsonl", EVERYONE_NEW)]);
    for day in ["old", "new"] {
        folder.run(&format!("compile --all-agents {day}.jsonl -o {day}.all"));
        folder.run(&format!("compile --agent A --agent B {day}.jsonl -o {day}.ab"));
        folder.run(&format!("compile --agent Nobody {day}.jsonl -o {day}.nobody"));
    }
    let rules = "\
rules of sites: 1 changed, 2 proved alike, 0 not decided, 1 only old, 1 only new

https://a.example
B
rules: 2 pairs decide differently

  /a
    old  disallow  line 3: Disallow: /a
    new  allow     no line

  /x
    old  allow     no line
    new  disallow  line 5: Disallow: /x
"
    .replace("  /a\n", "  https://a.example/a\n")
    .replace("  /x\n", "  https://a.example/x\n");
    for (old, new) in [("jsonl", "jsonl"), ("all", "all"), ("jsonl", "all"), ("all", "jsonl")] {
        let ran = folder.run(&format!("diff old.{old} new.{new}"));
        let b = |text: &str| text.replace("\nb\n", "\nB\n");
        assert_eq!(
            (ran.code, b(&ran.out), ran.err.as_str()),
            (Some(1), rules.clone(), ""),
            "{old} and {new}"
        );
    }
    let urls =
        "https://a.example/x\nhttps://b.example/c\nhttps://d.example/1\nhttps://f.example/\nnonsense\n";
    for end in ["jsonl", "all"] {
        let ran = folder.run_with_input(&format!("diff --json old.{end} new.{end} -"), urls);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let urls = &json["urls"];
        let counts = ["lines", "changed", "unknown", "invalid"].map(|name| urls[name].as_u64().unwrap());
        assert_eq!(counts, [5, 2, 1, 1], "{end}");
        let changes: Vec<String> = urls["changes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|change| {
                let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
                let crawlers =
                    change["crawlers"].as_array().unwrap().iter().map(text).collect::<Vec<_>>().join(",");
                format!(
                    "{} {} {}",
                    text(&change["site"]),
                    crawlers.to_uppercase(),
                    text(&change["new"]["verdict"])
                )
            })
            .collect();
        let expected =
            ["https://a.example B disallow", "https://d.example * unknown", "https://d.example D unknown"];
        assert_eq!(changes, expected, "{end}");
    }
    // Bundles that were compiled for some crawlers are compared for those.
    for (old, new) in [("ab", "ab"), ("ab", "all"), ("jsonl", "ab")] {
        let ran = folder.run(&format!("diff old.{old} new.{new}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), rules.as_str()), "{old} and {new}");
        assert!(
            ran.err.contains("note: compared only for 'A', 'B': ") && ran.err.contains("--all-agents"),
            "{}",
            ran.err
        );
    }
    let ran = folder.run("diff old.nobody new.jsonl");
    assert!(ran.out.starts_with("rules of sites: 0 changed, 3 proved alike"), "{}", ran.out);
    let ran = folder.run("diff old.ab new.nobody");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("no crawler 'A': they were compiled for 'Nobody'"), "{}", ran.err);
}

#[test]
fn acap_is_compared_for_every_crawler_that_a_site_names() {
    let acap = |crawler: &str, path: &str| {
        format!("ACAP-crawler: {crawler}\nACAP-disallow-crawl: {path}\n\nUser-agent: C\nDisallow: /c\n")
    };
    let capture = |text: &str| serde_json::json!({"url": "https://a.example/", "body": text}).to_string();
    let (old, new) = (acap("Google News", "/n"), acap("Google News", "/m"));
    let folder = Folder::with(&[("old.txt", &old), ("new.txt", &new)]);
    folder.write("old.jsonl", capture(&old));
    folder.write("new.jsonl", capture(&new));
    let files = folder.run("diff --dialect acap old.txt new.txt");
    assert_eq!(files.code, Some(1), "{}", files.err);
    assert!(
        files.out.starts_with("C\nrules: proved equivalent for every URL\nGoogle News\nrules: "),
        "{}",
        files.out
    );
    let ran = folder.run("diff --dialect acap old.jsonl new.jsonl");
    assert!(ran.out.contains("\nhttps://a.example\nGoogle News\nrules: "), "{}", ran.out);
    assert!(
        ran.out.contains("https://a.example/n\n    old  disallow  line 2: ACAP-disallow-crawl: /n\n"),
        "{}",
        ran.out
    );
}

#[test]
fn a_plain_robots_txt_is_compared_with_a_collection_by_its_host() {
    let folder = folder();
    folder.write("old.jsonl", serde_json::json!({"host": "a.example", "body": OLD}).to_string());
    let ran = folder.run("diff old.jsonl new.txt");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--host"), "{}", ran.err);
    for (host, changed) in [("A.example", 2), ("https://A.example/", 1)] {
        let ran = folder.run(&format!("diff --host {host} old.jsonl new.txt"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let counts = format!("rules of sites: {changed} changed, 0 proved alike");
        assert!(ran.out.starts_with(&counts), "{}", ran.out);
    }
    let ran = folder.run("diff --host A.example old.jsonl new.txt");
    assert!(ran.out.contains("\n  https://a.example/?sort=\n"), "{}", ran.out);
    let ran = folder.run_with_input(
        "diff --host b.example old.txt new.txt -",
        "https://b.example/?sort=1\nhttps://c.example/\n",
    );
    assert!(ran.out.starts_with("2 lines: 1 change, 1 of unknown sites"), "{}", ran.out);
    let ran = folder.run("diff --host a.example old.jsonl old.jsonl");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("old.jsonl: has captures of its own, so --host does not apply (leave it out)"),
        "{}",
        ran.err
    );
}

#[test]
fn a_search_that_ends_early_says_how_to_continue() {
    let rule = |end: &str| (0..12).map(|n| format!("Disallow: /*a{n}*b{n}*c{end}\n")).collect::<String>();
    let folder = Folder::with(&[
        ("old.txt", &format!("User-agent: *\n{}", rule(""))),
        ("new.txt", &format!("User-agent: *\nDisallow: /*z\n{}", rule("d"))),
    ]);
    let ran = folder.run("diff --budget 10 old.txt new.txt");
    assert!(ran.out.contains("not exhaustive (--budget 100 continues)"), "{}", ran.out);
}
