//! `robomata lint`.

use crate::support::{Folder, Ran};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nAllow: /*\nDisallow: a\nDisalow: /longer/x\n";

fn folder() -> Folder {
    Folder::with(&[("robots.txt", ROBOTS)])
}

#[test]
fn text_quotes_the_lines_with_their_numbers() {
    let folder = Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /a\nDisallow: /bb\nAllow: /*\n")]);
    let ran = folder.run("lint robots.txt");
    let out = "\
warning never-decides

  ! never decides: line 4 (allow '/*') always wins over it
   ,-[robots.txt:2:11]
 2 | Disallow: /a
   :           ^|
   :            `-- here
   `----
   ,-[robots.txt:4:8]
 4 | Allow: /*
   :        ^|
   :         `-- always wins
   `----
  help: make its pattern longer than that one, or keep the line: it decides in the dialects 'yandex' and 'koster1996'

0 errors, 1 warning, 0 notes in 1 file
";
    assert_eq!(ran, Ran { code: Some(0), out: out.to_owned(), err: String::new() });
}

#[test]
fn errors_come_first_and_notes_are_folded_by_code() {
    let notes: String = (0..9).map(|number| format!("Disallow: /n{number}*\n")).collect();
    let errors: String = (0..9).map(|number| format!("Disallow: e{number}\n")).collect();
    let folder = Folder::with(&[("robots.txt", &format!("User-agent: *\n{notes}Disallow: /a b\n{errors}"))]);
    let titles = |arguments: &str| {
        let out = folder.run(arguments).out;
        let is_title =
            |line: &&str| ["error ", "warning ", "note ", "4 ", "8 "].iter().any(|s| line.starts_with(s));
        out.lines().filter(is_title).map(str::to_owned).collect::<Vec<_>>()
    };
    let error = "error pattern-without-slash";
    let mut expected = vec![error; 5];
    expected.extend([
        "4 more of error pattern-without-slash (--all shows each)",
        "warning space-in-pattern",
        "note trailing-star",
        "8 more of note trailing-star (--all shows each)",
    ]);
    assert_eq!(titles("lint robots.txt"), expected);
    let all = titles("lint --all robots.txt");
    let expected = [vec![error; 9], vec!["warning space-in-pattern"], vec!["note trailing-star"; 9]].concat();
    assert_eq!(all, expected);
    assert_eq!(folder.run("lint --format json robots.txt").out.lines().count(), 19, "json is complete");
    assert!(folder.run("lint robots.txt").out.ends_with("9 errors, 1 warning, 9 notes in 1 file\n"));
}

#[test]
fn help_begins_with_the_most_common_calls() {
    let out = folder().run("lint --help").out;
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("Common calls:"));
    assert_eq!(lines.next(), Some("  $ robomata lint robots.txt"));
    assert!(lines.next().is_some_and(|line| line.starts_with("  $ robomata lint ")), "{out}");
}

#[test]
fn characters_that_are_not_seen_are_shown() {
    let ran =
        folder().run_with_input("lint -", "User-agent: *\nDisallow: /a\n\u{f0b7}\nDisallow: /b\u{200b}\n");
    assert!(ran.out.contains("3 | \\u{f0b7}"), "{}", ran.out);
    assert!(ran.out.contains("4 | Disallow: /b\\u{200b}"), "{}", ran.out);
}

#[test]
fn unreadable_inputs_are_reported_and_the_others_are_linted() {
    let folder = folder();
    folder.write("fine.txt", "User-agent: *\nDisallow: /a\n");
    folder.write(
        "captures.jsonl",
        "{\"host\": \"a.example\", \"body\": \"Disallow: /\"}\n{\"body\": \"\"}\n{\"host\": \"b.example\", \"body\": \"#\"}\n",
    );
    let ran = folder.run("lint --at-least error missing.txt fine.txt captures.jsonl");
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.ends_with(" in 3 files; 2 could not be read\n"), "{}", ran.out);
    let errors: Vec<&str> = ran.err.lines().collect();
    assert!(errors[0].starts_with("error: missing.txt: "), "{errors:?}");
    assert!(errors[1].starts_with("error: captures.jsonl:2: expected "), "{errors:?}");
    assert_eq!(errors.len(), 2);

    // A file would pass as complete.
    folder.write("out.sarif", "as it was");
    let ran = folder.run("lint missing.txt fine.txt --format sarif --to out.sarif");
    assert_eq!(ran.code, Some(2));
    let text = "error: out.sarif: not written: an input could not be read (repair or leave it out)\n";
    assert!(ran.err.starts_with("error: missing.txt: ") && ran.err.ends_with(text), "{}", ran.err);
    assert_eq!(folder.read("out.sarif"), "as it was");
}

#[test]
fn an_answer_in_json_is_no_capture_but_what_a_server_sent_instead() {
    let folder = Folder::with(&[("robots.txt", "{\"message\":\"Not Found\"}\n")]);
    let ran = folder.run("lint --format json robots.txt");
    assert!(ran.out.contains("\"code\":\"not-robots\""), "{} {}", ran.out, ran.err);
}

#[test]
fn the_exit_code_depends_on_fail_on() {
    let folder = folder();
    assert_eq!(folder.run("lint robots.txt").code, Some(1));
    folder.write("fine.txt", "User-agent: *\nDisallow: /a\nDisallow: /a*\n");
    for (level, code) in [("error", 0), ("warning", 0), ("note", 1)] {
        assert_eq!(folder.run(&format!("lint --fail-on {level} fine.txt")).code, Some(code), "{level}");
    }
    // What is not shown counts all the same.
    let ran = folder.run("lint --at-least error --fail-on note fine.txt");
    let out = "0 errors, 0 warnings, 2 notes in 1 file; 2 findings left out (--at-least error)\n";
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), out));
    for format in ["json", "sarif"] {
        let ran = folder.run(&format!("lint --at-least error --fail-on note --format {format} fine.txt"));
        assert_eq!(
            (ran.code, ran.out.contains("\"ruleId\"") || ran.out.contains("\"code\"")),
            (Some(1), false),
            "{}",
            ran.out
        );
    }
    assert_eq!(folder.run("lint").code, Some(2));
    assert_eq!(folder.run("lint --explain nonsense").code, Some(2));
}

#[test]
fn control_bytes_of_a_file_reach_no_terminal() {
    let ran = folder().run_with_input("lint -", "User-agent: *\nDis\x1b[31mallow: /a\x07\n\x1b]0;x: y\n");
    assert!(!ran.out.contains(['\x1b', '\x07']), "{:?}", ran.out);
    assert!(ran.out.contains("standard-input:2:1"), "{}", ran.out);
}

/// Editors go to this position.
#[test]
fn columns_count_the_characters_of_the_file() {
    let folder = Folder::new();
    let rule = |path: &str| format!("User-agent: *\nDisallow: /{path}\u{200b}b\n");
    let cut = format!("{}…", "é".repeat(149));
    for (path, quoted, column) in [
        ("é\u{7}é", "é\\u{7}é\\u{200b}b", 15),
        (&*"é".repeat(200), &*cut, 212),
        (&*"é".repeat(149), &*cut, 161),
    ] {
        let text = folder.run_with_input("lint --at-least error -", rule(path)).out;
        assert!(text.contains(&format!("[standard-input:2:{column}]")), "{text}");
        assert!(text.contains(&format!(" 2 | Disallow: /{quoted}\n")), "{text}");
        // The ellipsis stands for all that is left out.
        let mark = text.lines().skip_while(|line| !line.starts_with(" 2 |")).nth(1).unwrap();
        let (from, to) = (mark.chars().position(|c| c == '^' || (c == '|')), mark.chars().count());
        let marked: String =
            format!(" 2 | Disallow: /{quoted}").chars().skip(from.unwrap()).take(to).collect();
        assert!(marked == "\\u{200b}b" || marked == "…", "{marked} in {text}");
        let json = folder.run_with_input("lint --at-least error --format json -", rule(path)).out;
        assert!(json.contains(&format!("\"column\":{column},")), "{json}");
    }
}

#[test]
fn captures_are_reported_by_site() {
    let lines = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: a"}
{"url": "https://b.example/robots.txt", "body": "User-agent: *\nDisallow: /b"}
{"host": "c.example", "status": 404, "body": "<html>gone"}
"#;
    let folder = Folder::with(&[("captures.jsonl", lines)]);
    folder.write("sniffed", lines);
    folder.write("table", "host\tbody\na.example\tUser-agent: *\\nDisallow: a\nb.example\t#\n");
    for file in ["captures.jsonl", "sniffed", "table"] {
        let ran = folder.run(&format!("lint {file}"));
        assert_eq!(ran.code, Some(1), "{file}: {}", ran.err);
        assert!(ran.out.contains(",-[a.example:2:11]"), "{file}: {}", ran.out);
        assert!(ran.out.ends_with("1 error, 0 warnings, 0 notes in 2 files\n"), "{file}: {}", ran.out);
    }
}

#[test]
fn json_has_an_object_for_each_finding() {
    let ran = folder().run("lint --format json robots.txt");
    let findings: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = findings
        .iter()
        .map(|finding| {
            format!("{}:{} {} {}", finding["line"], finding["column"], finding["severity"], finding["code"])
        })
        .collect();
    let expected = ["4:11 \"error\" \"pattern-without-slash\"", "5:1 \"warning\" \"misspelt-key\""];
    assert_eq!(told, expected);
    assert_eq!(findings[1]["fix"]["text"], "Disallow");
}

#[test]
fn sarif_has_what_its_schema_requires() {
    let folder = folder();
    folder.write("sites/a.example", "User-agent: *\nDisallow: /a\nAllow: /*\n");
    let ran = folder.run("lint --format sarif robots.txt sites");
    assert_eq!(ran.code, Some(1));
    let log: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&"2.1.0".into(), 1));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(run["tool"]["driver"]["name"], "robomata");
    assert_eq!(run["newlineSequences"], serde_json::json!(["\r\n", "\n", "\r"]));
    assert!(rules.iter().all(|rule| rule["id"].is_string() && rule["help"]["text"].is_string()));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]["id"]);
        assert!(["note", "warning", "error"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["artifactLocation"]["uri"].is_string());
        let region = &location["region"];
        for name in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(region[name].as_u64().unwrap() >= 1, "{name}");
        }
        for fix in result["fixes"].as_array().into_iter().flatten() {
            let change = &fix["artifactChanges"][0];
            assert!(change["artifactLocation"]["uri"].is_string());
            assert!(change["replacements"][0]["deletedRegion"]["startLine"].is_u64());
        }
    }
    assert_eq!(results[2]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 3);
}

/// "The values of text properties SHALL NOT depend on the presence or absence of a byte order mark (BOM)" (3.30.2). Texts of a
/// site make no links and placeholders (3.11.5, 3.11.6).
#[test]
fn sarif_counts_no_byte_order_mark_and_has_no_links_of_sites() {
    let text = "User-agent: Bot [Sign in](https://evil.example/) {0}\nDisallow: /a\n";
    let folder = Folder::with(&[("without.txt", text), ("with.txt", &format!("\u{feff}{text}"))]);
    let results = |file: &str| {
        let ran = folder.run_arguments(&["lint", "--all", "--format", "sarif", file], b"");
        assert!(!ran.out.contains("](http"), "{}", ran.out);
        let log: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        log["runs"][0]["results"].as_array().unwrap().clone()
    };
    let (without, with) = (results("without.txt"), results("with.txt"));
    let is_mark = |result: &&serde_json::Value| result["ruleId"] == "byte-order-mark";
    let mark = with.iter().find(is_mark).unwrap();
    let replacement = &mark["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(replacement["deletedRegion"], serde_json::json!({"byteOffset": 0, "byteLength": 3}));
    let region = |result: &serde_json::Value| result["locations"][0]["physicalLocation"]["region"].clone();
    assert_eq!(
        region(mark),
        serde_json::json!({"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1})
    );
    let others: Vec<_> = with.iter().filter(|result| !is_mark(result)).map(region).collect();
    assert_eq!(others, without.iter().map(region).collect::<Vec<_>>());
    assert!(without.iter().any(|result| result["message"]["text"].as_str().unwrap().contains("{{0}}")));
}

#[test]
fn sarif_names_captures_by_their_urls() {
    let line = r#"{"url": "https://b.example:8080/robots.txt", "body": "Disallow: /b"}"#;
    let folder = Folder::with(&[("captures.jsonl", line), ("a: b.txt", "Disallow: /b\n")]);
    let ran = folder.run_arguments(&["lint", "--format", "sarif", "captures.jsonl", "a: b.txt"], b"");
    for uri in ["https://b.example:8080/robots.txt", "a%3A%20b.txt"] {
        assert!(ran.out.contains(&format!("\"uri\":\"{uri}\"")), "{uri} in {}", ran.out);
    }
}

#[test]
fn codes_are_listed_and_explained() {
    let folder = Folder::new();
    let codes = folder.run("lint --codes");
    assert_eq!(codes.code, Some(0));
    assert!(codes.out.lines().count() > 40 && codes.out.contains("never-decides"), "{}", codes.out);
    let ran = folder.run("lint --explain never-decides");
    assert!(
        ran.out.starts_with("never-decides (warning): a rule that never decides\n\nFor every URL"),
        "{}",
        ran.out
    );
}

const OWNED: &str =
    "User-agent: *\nDisallow: /private/\nAllow: /private/press\n\nUser-agent: GPTBot\nDisallow: /\n";

fn expecting(expectations: &str) -> Folder {
    Folder::with(&[("robots.txt", OWNED), ("expect.txt", expectations)])
}

#[test]
fn expectations_that_hold_are_counted() {
    let folder = expecting(
        "# Crawlers of models stay out.\n\nGPTBot may not fetch /*\r\nGooglebot may fetch https://example.com/a?b=c # ads\n\
         Googlebot may not fetch /private/*.html$\n",
    );
    let ran = folder.run("lint --expect expect.txt robots.txt");
    let out = "0 errors, 0 warnings, 0 notes in 1 file; 3 of 3 expectations hold\n";
    assert_eq!(ran, Ran { code: Some(1), out: ran.out.clone(), err: String::new() });
    assert!(
        ran.out.contains("'/private/press.html': allow by line 3 (Allow: /private/press)"),
        "{}",
        ran.out
    );
    folder.write(
        "expect.txt",
        "GPTBot may not fetch /*\nGooglebot may fetch /a?b=c\nx may not fetch /private/a*\n",
    );
    let ran = folder.run("lint --expect expect.txt robots.txt");
    assert_eq!(ran, Ran { code: Some(0), out: out.to_owned(), err: String::new() });
    for (expectations, held) in [
        ("GPTBot may not fetch /\n", "1 of 1 expectation holds"),
        ("GPTBot may fetch /\nGooglebot may fetch /\n", "1 of 2 expectations holds"),
        ("GPTBot may fetch /\n", "0 of 1 expectation hold"),
    ] {
        folder.write("expect.txt", expectations);
        let ran = folder.run("lint --expect expect.txt robots.txt");
        assert!(ran.out.ends_with(&format!("; {held}\n")), "{}", ran.out);
    }
}

/// Read as a robots.txt, it would have findings about nearly every byte.
#[test]
fn another_input_is_not_linted() {
    let folder = Folder::with(&[("robots.txt", OWNED), ("urls", "https://a.example/\n")]);
    assert_eq!(folder.run("compile robots.txt --host a.example --all-agents -o a.bundle").code, Some(0));
    let bundle = std::fs::read(folder.path("a.bundle")).unwrap();
    for ran in [folder.run("lint a.bundle"), folder.run_with_input("lint -", bundle)] {
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains("expected the robots.txt of one site, found a bundle"), "{}", ran.err);
    }
    let captures = "{\"host\": \"a.example\", \"body\": \"User-agent: *\"}\n";
    assert_eq!(folder.run_with_input("lint -", captures).code, Some(2));
    let ran = folder.run("lint urls robots.txt");
    assert!(
        ran.code == Some(2) && ran.err.contains("urls: expected the robots.txt of one site"),
        "{}",
        ran.err
    );
    // A page in the place of a robots.txt is a mistake of the site.
    folder.write("page.html", "<!DOCTYPE html><html><p>Not found</p></html>\n");
    let ran = folder.run("lint page.html");
    assert!(ran.code == Some(1) && ran.out.starts_with("error html"), "{}", ran.out);
}

#[test]
fn an_expectation_that_does_not_hold_fails_in_every_format() {
    let folder = expecting("Googlebot,Bingbot may not fetch /private/*\nGPTBot may fetch /\n");
    let ran = folder.run("lint --expect expect.txt robots.txt");
    let out = "\
error unmet-expectation

  x 'Googlebot,Bingbot may not fetch /private/*' (line 1 of the expectations) does not hold: '/private/press': allow by line 3 (Allow: /private/press)
   ,-[robots.txt:3:8]
 3 | Allow: /private/press
   :        ^^^^^^^|^^^^^^
   :               `-- here
   `----
  help: change the rules, or the expectation

error unmet-expectation

  x 'GPTBot may fetch /' (line 2 of the expectations) does not hold: '/': disallow by line 6 (Disallow: /)
   ,-[robots.txt:6:11]
 6 | Disallow: /
   :           |
   :           `-- here
   `----
  help: change the rules, or the expectation

2 errors, 0 warnings, 0 notes in 1 file; 0 of 2 expectations hold
";
    assert_eq!(ran, Ran { code: Some(1), out: out.to_owned(), err: String::new() });
    let json = folder.run("lint --expect expect.txt --format json robots.txt");
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let places: Vec<_> = lines.iter().map(|line| (line["line"].clone(), line["code"].clone())).collect();
    let code = serde_json::json!("unmet-expectation");
    assert_eq!(places, [(3.into(), code.clone()), (6.into(), code.clone())]);
    let sarif = folder.run("lint --expect expect.txt --format sarif robots.txt");
    assert_eq!((json.code, sarif.code), (Some(1), Some(1)));
    let log: serde_json::Value = serde_json::from_str(&sarif.out).unwrap();
    assert_eq!(log["runs"][0]["results"][1]["ruleId"], code);
}

/// A path that begins with `//` would name a host, and `check` would refuse it.
#[test]
fn a_witness_is_a_url_that_check_accepts() {
    let folder = Folder::with(&[
        ("old.txt", "User-agent: *\nAllow: /\n"),
        ("new.txt", "User-agent: *\nDisallow: //\n"),
        ("expect.txt", "* may fetch /*\n"),
    ]);
    let url = "https://example.com//";
    let ran = folder.run("lint --expect expect.txt new.txt");
    assert!(ran.out.contains(&format!("'{url}': disallow by line 2")), "{}", ran.out);
    let ran = folder.run("diff --agent X old.txt new.txt");
    assert!(ran.out.contains(&format!("\n  {url}\n")), "{}", ran.out);
    assert_eq!(folder.run(&format!("check --agent X --robots new.txt {url}")).code, Some(1));
}

/// The size of the output is the number of findings times the longest finding.
#[test]
fn each_finding_is_a_short_line_also_for_long_names() {
    let (name, body) = ("h".repeat(20_000), "Disalow: /\\n".repeat(500));
    let folder = Folder::with(&[(
        "captures.jsonl",
        &format!("{{\"url\": \"https://{name}.example/robots.txt\", \"body\": \"{body}\"}}\n"),
    )]);
    let shown = format!("https://{}…", "h".repeat(492));
    let json = folder.run("lint --format json captures.jsonl").out;
    assert!(json.lines().count() > 500);
    for line in json.lines() {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&finding["file"], line.len() < 2_000), (&shown.as_str().into(), true));
    }
    let sarif = folder.run("lint --format sarif captures.jsonl").out;
    let lines: Vec<&str> = sarif.lines().collect();
    let [_, results @ .., _] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(results.len(), json.lines().count());
    for line in results {
        let result: serde_json::Value = serde_json::from_str(line.trim_end_matches(',')).unwrap();
        assert!(result["ruleId"].is_string() && line.len() < 4_000, "{line}");
    }
    let log: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), results.len());
    let empty: serde_json::Value =
        serde_json::from_str(&folder.run_with_input("lint --format sarif -", "# No rules").out).unwrap();
    assert!(empty["runs"][0]["results"].is_array());
}

#[test]
fn expectations_that_cannot_be_read_are_errors() {
    let folder = expecting("");
    for (expectations, error) in [
        (
            "",
            "error: expect.txt: no expectation: expected a line such as 'GPTBot may not fetch /private/*'\n",
        ),
        (
            "# none\n",
            "error: expect.txt: no expectation: expected a line such as 'GPTBot may not fetch /private/*'\n",
        ),
        (
            "GPTBot may fetch /\nGPTBot must not fetch /\n",
            "error: expect.txt:2: expected a line such as 'GPTBot may not fetch /private/*'\n",
        ),
    ] {
        folder.write("expect.txt", expectations);
        let ran = folder.run("lint --expect expect.txt robots.txt");
        assert_eq!(ran, Ran { code: Some(2), out: String::new(), err: error.to_owned() });
    }
    assert_eq!(folder.run("lint --expect missing.txt robots.txt").code, Some(2));
    let ran = folder.run_with_input("lint --expect - -", "GPTBot may fetch /");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    folder.write("expect.txt", "GPTBot may fetch /\n");
    folder.write("captures.jsonl", "{\"host\": \"a.example\", \"body\": \"#\"}\n");
    let ran = folder.run("lint --expect expect.txt captures.jsonl");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("captures.jsonl: has captures, and --expect is about one robots.txt"),
        "{}",
        ran.err
    );
}
