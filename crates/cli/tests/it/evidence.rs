//! `filter --evidence` and `verify-evidence`.

use crate::support::Folder;

const CAPTURES: &str = "\
{\"url\": \"https://a.example\", \"time\": \"2024-01-01T00:00:00Z\", \"body\": \"User-agent: *\\nDisallow: /b\"}
{\"url\": \"https://a.example\", \"time\": \"2024-02-01T00:00:00Z\", \"body\": \"User-agent: *\\nDisallow: /a\\nAllow: /a/b\"}
{\"url\": \"https://b.example\", \"time\": \"2024-02-01T00:00:00Z\", \"status\": 503}
";
const URLS: &str = "https://a.example/a\nhttps://a.example/a/b\nhttps://a.example/\nno URL\nhttps://b.example/\n\
                    https://c.example/\n";

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", CAPTURES), ("urls.txt", URLS)])
}

fn lines(folder: &Folder) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(folder.path("evidence.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn evidence_has_what_decided_and_is_verified_with_the_captures() {
    let folder = folder();
    let filter = "filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt";
    let ran = folder.run(filter);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "https://a.example/a/b\nhttps://a.example/\nhttps://c.example/\n")
    );
    let lines = lines(&folder);
    let shown: Vec<_> = lines
        .iter()
        .map(|line| (line["url"].as_str().unwrap(), line["verdict"].as_str().unwrap(), line["rule"].as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("https://a.example/a", "disallow", Some("Disallow: /a")),
            ("https://a.example/a/b", "allow", Some("Allow: /a/b")),
            ("https://a.example/", "allow", None),
            ("https://b.example/", "disallow", None),
            ("https://c.example/", "unknown", None),
        ]
    );
    assert_eq!((&lines[0]["captured"], &lines[0]["line"]), (&"2024-02-01T00:00:00Z".into(), &2.into()));
    // As b3sum prints it.
    let body = "d232c177a5bf9d556e7a4499b88fdc37b214bd77c4d628e8135047f75205d950";
    assert_eq!((&lines[0]["body"], &lines[0]["dialect"]), (&body.into(), &"rfc9309".into()));

    let ran = folder.run("verify-evidence evidence.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", "5 lines: 5 verified\n"));

    // The output is what it is without evidence, and so is evidence on any number of threads.
    let before = std::fs::read(folder.path("evidence.jsonl")).unwrap();
    assert_eq!(folder.run(&format!("{filter} --threads 1")).code, Some(0));
    assert_eq!(std::fs::read(folder.path("evidence.jsonl")).unwrap(), before);
}

/// Of other URLs, `filter` takes another part, or none.
#[test]
fn evidence_has_urls_as_filter_writes_them() {
    let folder = folder();
    folder.write("one.txt", "https://a.example/z\n");
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl one.txt");
    let line = folder.read("evidence.jsonl");
    for url in [
        "https://a.example/a\\t/x",
        "https://a.example/a ",
        " https://a.example/a",
        "https://a.example/\\u001b",
    ] {
        folder.write("forged.jsonl", line.replace("https://a.example/z", url));
        let ran = folder.run("verify-evidence forged.jsonl --robots robots.jsonl");
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), "1 line: 0 verified, 1 different\n"), "{url}");
        assert!(
            ran.out.contains("expected a URL without blanks around it and control characters"),
            "{}",
            ran.out
        );
        assert!(ran.out.trim_end_matches('\n').chars().all(|c| !c.is_control()), "{:?}", ran.out);
    }
    // What is shown of evidence makes no line of its own.
    folder.write("forged.jsonl", line.replace("\"allow\"", "\"allow\\nforged\\u001b[31m\""));
    let ran = folder.run("verify-evidence forged.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1), "{:?}", ran.out);
    folder.write("forged.jsonl", line.replace("rfc9309", "rfc\\nforged"));
    let ran = folder.run("verify-evidence forged.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.err.lines().count()), (Some(2), 1), "{:?}", ran.err);
}

#[test]
fn evidence_of_a_url_that_is_not_utf_8_is_verified() {
    let folder = Folder::with(&[(
        "robots.jsonl",
        "{\"host\": \"a.example\", \"body\": \"User-agent: *\\nDisallow: /%E9\"}\n",
    )]);
    folder.write("urls.txt", b"https://a.example/\xe9\n");
    for dialect in ["rfc9309", "koster1996"] {
        let filter = "filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt";
        let ran = folder.run(&format!("{filter} --dialect {dialect}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{dialect}: {}", ran.err);
        assert_eq!(lines(&folder)[0]["url"], "https://a.example/%E9");
        let ran = folder.run("verify-evidence evidence.jsonl --robots robots.jsonl");
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), "1 line: 1 verified\n"), "{dialect}");
    }
}

#[test]
fn evidence_from_a_bundle_has_its_fingerprint() {
    let folder = folder();
    folder.run("compile robots.jsonl --agent A --agent B -o policies.bundle");
    let ran = folder.run(
        "filter --agent A --agent B --policies policies.bundle --output verdicts --evidence evidence.jsonl \
         --evidence-for disallowed urls.txt",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines = lines(&folder);
    let agents: Vec<_> = lines.iter().map(|line| line["agent"].as_str().unwrap()).collect();
    assert_eq!(agents, ["A", "B", "A", "B"]);
    assert!(lines.iter().all(|line| line["verdict"] == "disallow" && line["body"].is_null()));
    let name = format!("policies.bundle#{}", lines[0]["policies"].as_str().unwrap());
    assert_eq!(
        folder.run(&format!("filter --agent A --policies {name} urls.txt")).code,
        Some(0),
        "a fingerprint"
    );
    let ran = folder.run("verify-evidence evidence.jsonl --robots robots.jsonl --of-bundle");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), "4 lines: 4 verified, 4 without a hash\n"));
    let ran = folder.run("verify-evidence evidence.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "4 lines: 0 verified, 4 different\n"));
    assert!(ran.out.contains("found none (if filter had --policies: --of-bundle)"), "{}", ran.out);
}

/// Without its hash, evidence would also be verified with captures that were changed.
#[test]
fn evidence_without_its_hash_is_not_verified() {
    let folder = folder();
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt");
    let text: Vec<String> = lines(&folder)
        .into_iter()
        .map(|mut line| {
            line["body"] = serde_json::Value::Null;
            line.to_string()
        })
        .collect();
    folder.write("edited.jsonl", text.join("\n"));
    let ran = folder.run("verify-evidence edited.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "5 lines: 1 verified, 4 different\n"));
}

#[test]
fn evidence_of_an_unknown_site_has_neither_a_line_nor_a_rule() {
    let folder = folder();
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt");
    for (field, value) in [("line", serde_json::json!(7)), ("rule", serde_json::json!("Disallow: /"))] {
        let mut lines = lines(&folder);
        let unknown = lines.iter_mut().find(|line| line["verdict"] == "unknown").unwrap();
        unknown[field] = value;
        folder.write("edited.jsonl", unknown.to_string());
        let ran = folder.run("verify-evidence edited.jsonl --robots robots.jsonl");
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), "1 line: 0 verified, 1 different\n"), "{field}");
    }
}

/// A capture that was added later does not make honest evidence wrong.
#[test]
fn a_site_that_was_unknown_then_has_no_capture_of_that_time() {
    let folder = folder();
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt");
    let later = "{\"url\": \"https://c.example\", \"time\": \"2024-03-01\", \"body\": \"User-agent: *\\nDisallow: /\"}\n";
    folder.write("robots.jsonl", [CAPTURES, later].concat());
    let ran = folder.run("verify-evidence evidence.jsonl --robots robots.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "5 lines: 4 verified, 1 without a capture\n"));
}

/// Without its time, evidence would also be verified with captures of another time.
#[test]
fn evidence_without_its_time_is_verified_by_a_capture_without_one_alone() {
    let folder = folder();
    folder.run("compile robots.jsonl --agent A -o policies.bundle");
    for (policies, of_bundle) in
        [("--robots robots.jsonl", ""), ("--policies policies.bundle", " --of-bundle")]
    {
        folder.run(&format!("filter --agent A {policies} --evidence evidence.jsonl urls.txt"));
        let text: Vec<String> = lines(&folder)
            .into_iter()
            .map(|mut line| {
                line["captured"] = serde_json::Value::Null;
                line.to_string()
            })
            .collect();
        folder.write("edited.jsonl", text.join("\n"));
        let ran = folder.run(&format!("verify-evidence edited.jsonl --robots robots.jsonl{of_bundle}"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(1), "5 lines: 1 verified, 4 without a capture\n"));
        assert!(ran.out.contains("are all of a later time, or the evidence was edited"), "{}", ran.out);
    }
    // A capture without a time is found also when later ones have one.
    let undated = "{\"url\": \"https://a.example\", \"body\": \"User-agent: *\\nDisallow: /c\"}\n";
    folder.write("undated.jsonl", undated);
    folder.run("filter --agent A --robots undated.jsonl --evidence evidence.jsonl urls.txt");
    folder.write("undated.jsonl", [undated, CAPTURES].concat());
    let ran = folder.run("verify-evidence evidence.jsonl --robots undated.jsonl");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), "5 lines: 4 verified, 1 without a capture\n"));
}

#[test]
fn what_captures_do_not_say_is_not_verified() {
    let folder = folder();
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt");
    let evidence = std::fs::read_to_string(folder.path("evidence.jsonl")).unwrap();
    let edited = |from: &str, to: &str| {
        assert!(evidence.contains(from), "{from}");
        folder.write("edited.jsonl", evidence.replacen(from, to, 1));
        let ran = folder.run("verify-evidence edited.jsonl --robots robots.jsonl");
        (ran.code, ran.out + &ran.err)
    };
    let (code, shown) = edited("\"disallow\",\"line\":2", "\"allow\",\"line\":2");
    assert_eq!(
        (code, shown.as_str()),
        (
            Some(1),
            "edited.jsonl:1: https://a.example/a: expected allow by line 2, found disallow by line 2\n\
             5 lines: 4 verified, 1 different\n"
        )
    );
    let (code, shown) = edited("Disallow: /a", "Disallow: /x");
    assert!(
        code == Some(1) && shown.contains("expected the rule 'Disallow: /x', found 'Disallow: /a'"),
        "{shown}"
    );
    let (code, shown) = edited("2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z");
    assert!(code == Some(1) && shown.contains("4 verified, 1 without a capture"), "{shown}");
    let (code, shown) = edited("\"body\":\"", "\"body\":\"0");
    assert!(code == Some(1) && shown.contains("expected the body 0"), "{shown}");
    let (code, shown) = edited("\"rfc9309\"", "\"rfc\"");
    assert!(code == Some(2) && shown.contains("edited.jsonl:1: dialect: "), "{shown}");
    let (code, shown) = edited("\"url\":", "\"uri\":");
    assert!(code == Some(2) && shown.contains("edited.jsonl:1: expected evidence"), "{shown}");
    let ran = folder.bash("gzip -c evidence.jsonl | head -c 100 > cut.jsonl.gz");
    assert_eq!(ran.code, Some(0));
    assert_eq!(folder.run("verify-evidence cut.jsonl.gz --robots robots.jsonl").code, Some(4));
    folder.write("cut.jsonl", &evidence[..evidence.len() - 40]);
    let ran = folder.run("verify-evidence cut.jsonl --robots robots.jsonl");
    let error = "error: cut.jsonl:5: expected the rest of the JSON object, found the end of the file\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(4), error));
    folder.write("other.jsonl", "{\"url\": \"https://z.example\", \"body\": \"#\"}\n");
    let ran = folder.run("verify-evidence evidence.jsonl --robots other.jsonl --show 1");
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1));
}

#[test]
fn evidence_needs_rules_and_a_file_of_its_own() {
    let folder = folder();
    for (arguments, expected) in [
        ("--evidence urls.txt", "urls.txt"),
        ("--evidence e --usage ai-train", "--usage"),
        ("--evidence e --dialect acap", "in dialect 'acap' more than rules decide"),
        ("--evidence e --resume --to out", "--resume"),
        ("--evidence-for all", "--evidence"),
        ("--evidence missing/e", "missing/e"),
    ] {
        let ran = folder.run(&format!("filter --agent A --robots robots.jsonl {arguments} urls.txt"));
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(folder.path("urls.txt")).unwrap(), URLS);
}

#[test]
fn nothing_to_verify_is_an_error() {
    let folder = folder();
    folder.run("filter --agent A --robots robots.jsonl --evidence evidence.jsonl urls.txt");
    folder.write("empty.jsonl", "");
    let lines = lines(&folder).len();
    for (arguments, why) in [
        ("empty.jsonl", "the evidence has no lines (give the file that filter --evidence wrote)".to_owned()),
        ("evidence.jsonl --sample 0", format!("none of its {lines} lines is in the sample (raise --sample)")),
    ] {
        let ran = folder.run(&format!("verify-evidence {arguments} --robots robots.jsonl"));
        assert_eq!((ran.code, ran.err), (Some(2), format!("error: nothing was verified: {why}\n")));
    }
}

/// URLs on standard output cannot be withdrawn, but files can stay as they were.
#[test]
fn urls_that_end_early_replace_neither_evidence_nor_stats() {
    let folder = folder();
    let urls: String = (0..50_000).map(|number| format!("https://a.example/{number}\n")).collect();
    folder.write_compressed("urls.gz", urls);
    let whole = std::fs::read(folder.path("urls.gz")).unwrap();
    folder.write("urls.gz", &whole[..whole.len() / 2]);
    folder.write("evidence.jsonl", "old\n");
    folder.write("stats.json", "old\n");
    let warning = |name: &str| {
        format!("warning: {name}: not written: an input ended early (repair it and run the command again)\n")
    };
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    for line in [
        "filter --agent A --robots robots.jsonl --evidence evidence.jsonl --stats stats.json urls.gz",
        "compare --agent A --robots robots.jsonl --stats stats.json urls.gz",
    ] {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(4), "{line}: {}", ran.err);
        assert!(!ran.out.is_empty() && ran.err.contains(&warning("stats.json")), "{line}: {}", ran.err);
        assert_eq!(ran.err.contains(&warning("evidence.jsonl")), line.starts_with("filter"), "{}", ran.err);
        assert_eq!([read("evidence.jsonl"), read("stats.json")], ["old\n", "old\n"], "{line}");
    }
}
