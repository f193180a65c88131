//! `--agent`: how every sub-command reads it.

use crate::support::{Folder, Ran};

const ROBOTS: &str = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n";
const CAPTURES: &str =
    r#"{"host": "a.example", "body": "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n"}"#;
const LOG: &str = "1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /x HTTP/1.1\" 200 5 \"-\" \"GPTBot/1.0\"\n";

fn folder() -> Folder {
    Folder::with(&[
        ("robots.txt", ROBOTS),
        ("robots.jsonl", CAPTURES),
        ("urls", "https://a.example/x\n"),
        ("access.log", LOG),
    ])
}

/// Runs `line`, in which the word AGENT stands for `agent`.
fn run(folder: &Folder, line: &str, agent: &str) -> Ran {
    let words = line.split_ascii_whitespace().map(|word| if word == "AGENT" { agent } else { word });
    folder.run_arguments(&words.collect::<Vec<_>>(), b"")
}

/// Every sub-command that takes a crawler.
const COMMANDS: [&str; 10] = [
    "check --agent AGENT --robots robots.txt /x",
    "explain --agent AGENT --robots robots.txt /x",
    "permissions --dialect rfc9309 --agent AGENT --robots robots.txt /x",
    "debug --agent AGENT --robots robots.txt",
    "lint --agent AGENT robots.txt",
    "diff --agent AGENT robots.txt robots.txt",
    "filter --agent AGENT --robots robots.jsonl urls",
    "compare --agent AGENT --robots robots.jsonl urls",
    "compile --agent AGENT robots.jsonl -o policies.bundle",
    "score --agent AGENT --robots robots.jsonl --host a.example access.log",
];

#[test]
fn a_user_agent_header_is_reduced_to_its_crawler_with_a_note() {
    let folder = folder();
    for command in COMMANDS {
        let ran = run(&folder, command, "Mozilla/5.0 (compatible; GPTBot/1.0)");
        assert!(ran.err.contains("note: --agent: read as GPTBot\n"), "{command}: {}", ran.err);
        assert!(matches!(ran.code, Some(0 | 1)), "{command}: {}", ran.err);
    }
    let ran = run(&folder, COMMANDS[0], "Mozilla/5.0 (compatible; GPTBot/1.0)");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/x\n"));
    let ran = run(&folder, COMMANDS[6], "Mozilla/5.0 (compatible; GPTBot/1.0)");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
}

#[test]
fn what_is_no_product_token_is_refused_by_every_command() {
    let folder = folder();
    for command in COMMANDS {
        let ran = run(&folder, command, "Google bot");
        assert!(
            ran.err.contains("'Google bot' is not a product token: expected one word"),
            "{command}: {ran:?}"
        );
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        let ran = run(&folder, command, "");
        assert!(ran.err.contains("name is empty: expected a product token"), "{command}: {ran:?}");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        let ran = run(&folder, command, "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/60.0");
        assert!(ran.err.contains("names a browser, not a crawler"), "{command}: {ran:?}");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
    }
    assert!(!folder.path("policies.bundle").exists());
}

#[test]
fn a_list_is_read_as_it_is() {
    let folder = folder();
    let ran = run(&folder, COMMANDS[0], "GPTBot-Image,GPTBot");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(1), "disallow\t/x\n", ""));
}

#[test]
fn a_name_with_spaces_is_acaps_alone() {
    let folder = folder();
    let ran = run(&folder, "check --dialect acap --agent AGENT --robots robots.txt /x", "Google News");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = run(&folder, "filter --dialect acap --agent AGENT --robots robots.jsonl urls", "Google News");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = run(&folder, "permissions --agent AGENT --robots robots.txt /x", "Google News");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = run(&folder, COMMANDS[0], "Google News");
    assert!(ran.err.contains("only the dialects acap and yandex have names with spaces"), "{}", ran.err);
}

/// A bundle has a dialect of its own, which reads the names.
#[test]
fn with_a_bundle_names_are_read_in_its_dialect() {
    let folder = folder();
    let robots = "User-agent: My Bot\nCrawl-delay: 7\nDisallow: /x\n";
    let capture = format!("{{\"host\": \"a.example\", \"time\": \"2025-01-01\", \"body\": {robots:?}}}\n");
    folder.write("mine.jsonl", capture);
    folder.write("common.log", LOG.split(" \"-\"").next().unwrap());
    for dialect in ["rfc9309", "yandex"] {
        let compile = format!("compile mine.jsonl --dialect {dialect} --all-agents -o {dialect}.bundle");
        assert_eq!(folder.run(&compile).code, Some(0), "{dialect}");
    }
    for (command, code, out) in [
        ("pace --agent AGENT --policies yandex.bundle", 0, "My Bot\t7\t"),
        ("filter --agent AGENT --policies yandex.bundle --output verdicts urls", 0, "disallow\t3\t"),
        ("diff --agent AGENT yandex.bundle yandex.bundle urls", 0, "My Bot"),
        (
            "score --agent AGENT --host a.example --policies yandex.bundle common.log",
            1,
            "My Bot: 1 violation",
        ),
    ] {
        let ran = run(&folder, command, "My Bot");
        assert!(ran.code == Some(code) && ran.out.contains(out), "{command}: {ran:?}");
        let other = command.replace("yandex", "rfc9309");
        let ran = run(&folder, &other, "My Bot");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{other}");
        assert!(ran.err.contains("'My Bot' is not a product token"), "{other}: {}", ran.err);
    }
}

#[test]
fn every_dialect_that_is_compared_has_to_accept_the_name() {
    let folder = folder();
    let compare = |dialects: &str, agent: &str| {
        run(&folder, &format!("compare --agent AGENT {dialects} --robots robots.jsonl urls"), agent)
    };
    let ran = compare("--dialect acap --dialect yandex", "My Bot");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for dialects in ["", "--dialect acap --dialect rfc9309"] {
        let ran = compare(dialects, "My Bot");
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{dialects}");
        assert!(ran.err.contains("--agent, in dialect rfc9309: 'My Bot' is not"), "{}", ran.err);
    }
    let ran = compare("", "Mozilla/5.0 (compatible; GPTBot/1.0)");
    assert_eq!(ran.err.matches("note: --agent: read as GPTBot").count(), 1, "{}", ran.err);
}

#[test]
fn googles_library_takes_a_token_as_given() {
    let folder = folder();
    let ran = run(&folder, "check --dialect google --agent AGENT --robots robots.txt /x", "GPT Bot");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "allow\t/x\n"));
    assert!(
        ran.err.starts_with("note: --agent: 'GPT Bot' is used as given, but no group can name it"),
        "{ran:?}"
    );
}
