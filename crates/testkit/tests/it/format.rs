//! The TOML format: refused input, preserved content, and the validity of the committed files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use robomata_protocol::{Access, Answer, Crawler, Dialect, FetchStatus, ProductToken, Verdict};
use robomata_testkit::{Case, Expect, Expected, Generator, Word, case, run};

const GOOD: &str = r#"
spec = "test"
[[group]]
section = "2.2"
title = "Keys: any case"
agent = "FooBot"
robots = "User-agent: *\n"
case = [{ url = "/a", expect = "allow", line = 0 }]
"#;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/conformance")
}

/// The error of [`GOOD`] with `from` replaced.
fn error_of(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    case::parse("file", &GOOD.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn a_file_becomes_cases_with_stable_ids() {
    let cases = case::parse("file", GOOD).unwrap();
    let ids: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.dialect)).collect();
    let id = "file/2.2/keys-any-case/1";
    assert_eq!(ids, Dialect::ALL.map(|dialect| (id, dialect)));
    assert_eq!(cases[0].expect, Expect { word: Word::Allow, line: Some(0) });
}

#[test]
fn the_innermost_dialects_and_agents_count() {
    let text = GOOD.replace("spec =", "dialects = [\"google\"]\nspec =").replace(
        "line = 0 }",
        r#"agent = ["A,B", "C"], dialects = ["rfc9309"] }, { url = "/b", expect = "allow" }"#,
    );
    let cases = case::parse("file", &text).unwrap();
    assert_eq!(
        cases.iter().map(|case| case.dialect).collect::<Vec<_>>(),
        [Dialect::Rfc9309, Dialect::Google]
    );
    assert_eq!(cases[0].crawler, Crawler::must(vec![ProductToken::new("A,B"), ProductToken::new("C")]));
    assert_eq!(cases[1].crawler, Crawler::new("FooBot"));
}

#[test]
fn bytes_come_in_four_ways() {
    let robots = |line: &str| {
        let text = GOOD.replace(r#"robots = "User-agent: *\n""#, line);
        case::parse("file", &text).map(|mut cases| cases.remove(0).robots)
    };
    assert_eq!(robots(r#"robots = "a\n""#).unwrap(), b"a\n");
    assert_eq!(robots(r"robots_escaped = 'a\r\0\xff'").unwrap(), b"a\r\0\xff");
    assert_eq!(robots("robots_b64 = 'AP8='").unwrap(), b"\0\xff");
    let parts =
        r#"robots_parts = [{ text = "a" }, { escaped = '\xFF', repeat = 2 }, { b64 = "Yg==", repeat = 0 }]"#;
    assert_eq!(robots(parts).unwrap(), b"a\xff\xff");
}

#[test]
fn errors_name_the_file_the_table_and_what_was_expected() {
    const GROUP: &str = "file: group 1 (2.2 \"Keys: any case\")";
    let robots = r#"robots = "User-agent: *\n""#;
    for (from, to, wanted) in [
        (
            robots,
            "",
            format!(
                "{GROUP}: expected exactly one of `robots`, `robots_escaped`, `robots_b64` and `robots_parts`, found none"
            ),
        ),
        (
            robots,
            "robots = ''\nrobots_b64 = ''",
            format!(
                "{GROUP}: expected exactly one of `robots`, `robots_escaped`, `robots_b64` and `robots_parts`, found several"
            ),
        ),
        (
            robots,
            r"robots_escaped = '\q'",
            format!(r"{GROUP}: expected an escape \n, \r, \t, \0, \\ or \xNN, found '\q'"),
        ),
        (robots, "robots_b64 = '?'", format!("{GROUP}: expected base64, found")),
        (
            robots,
            "robots_parts = [{ repeat = 2 }]",
            format!("{GROUP}: expected one of `text`, `escaped` and `b64` in each part"),
        ),
        (
            robots,
            "robots_parts = [{ text = 'abcd', repeat = 100000000 }]",
            format!("{GROUP}: expected a robots.txt of at most"),
        ),
        (
            "agent = \"FooBot\"",
            "",
            format!("{GROUP}, case 1: expected `agent` in the case or in its group, found neither"),
        ),
        (
            "url = \"/a\", ",
            "",
            format!(
                "{GROUP}, case 1: expected exactly one of `url`, `url_escaped` and `url_b64`, found none"
            ),
        ),
        (
            "line = 0",
            "dialects = ['bing']",
            format!(
                "{GROUP}, case 1: expected a dialect (rfc9309, google, koster1996, acap or yandex), found 'bing'"
            ),
        ),
        (
            "line = 0",
            "dialects = []",
            format!("{GROUP}, case 1: expected at least one dialect, found an empty list"),
        ),
        (
            "section",
            "status = 'gone'\nsection",
            format!(
                "{GROUP}: expected a status code, \"success\", \"network-failure\" or \"too-many-redirects\", found 'gone'"
            ),
        ),
        (
            "case = [{ url = \"/a\", expect = \"allow\", line = 0 }]",
            "",
            format!("{GROUP}: expected at least one case, found none"),
        ),
    ] {
        let error = error_of(from, to);
        assert!(error.starts_with(&wanted), "{error}\n{wanted}");
    }
}

#[test]
fn unknown_keys_and_words_are_refused_with_their_line() {
    for (from, to, wanted) in [
        ("line = 0", "lines = 0", "unknown field `lines`"),
        ("section", "sektion = ''\nsection", "unknown field `sektion`"),
        ("spec =", "specs = ''\nspec =", "unknown field `specs`"),
        ("\"allow\"", "\"maybe\"", "expected one of `allow`, `disallow`, `defer`, `unknown`, `invalid`"),
        (
            "section",
            "status = 2.5\nsection",
            "a status code, \"success\", \"network-failure\" or \"too-many-redirects\"",
        ),
        ("agent = \"FooBot\"", "agent = 1", "a comma-separated text or a list of product tokens"),
        ("title = \"Keys: any case\"", "", "missing field `title`"),
    ] {
        let error = error_of(from, to);
        assert!(error.starts_with("file: TOML parse error at line"), "{error}");
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn two_groups_of_one_name_are_refused() {
    let text = format!("{GOOD}{}", GOOD.replace("spec = \"test\"", ""));
    let error = case::parse("file", &text).unwrap_err().to_string();
    assert!(error.contains("group 2") && error.contains("an id of its own"), "{error}");
}

#[test]
fn a_written_case_reads_back() {
    let mut generator = Generator::new(9);
    let (mut text, mut written) = ("spec = \"generated\"\n".to_owned(), Vec::new());
    for number in 0..2000 {
        let mut case = generator.question();
        case.expect.line = (number % 3 == 0).then_some(number);
        case.note = ["", "a \"quoted\"\nnote\u{7f}"][number as usize % 2].to_owned();
        case.status = case.status.or((number % 5 == 0).then_some(FetchStatus::NetworkFailure));
        text.push_str(&case::to_toml(&case));
        written.push(case);
    }
    assert_eq!(case::parse("file", &text).unwrap(), written);
}

#[test]
fn a_written_case_is_readable() {
    let mut case = case::parse("file", GOOD).unwrap().remove(0);
    case.robots = b"User-agent: *\nDisallow: /a\n".to_vec();
    let text = case::to_toml(&case);
    assert!(text.contains("robots = '''\nUser-agent: *\nDisallow: /a\n'''\n"), "{text}");
    case.robots = b"\xEF\xBB\xBFUser-agent: * \r\nDisallow: /\xFF\n".to_vec();
    let text = case::to_toml(&case);
    assert!(text.contains("'''\n\\xEF\\xBB\\xBFUser-agent: * \\r\nDisallow: /\\xFF\n'''\n"), "{text}");
}

/// Each case occurs twice.
fn good_in_two_dialects() -> String {
    GOOD.replace("spec =", "dialects = ['rfc9309', 'google']\nspec =")
}

/// An engine that answers allow, line 0, to everything.
fn kind(_: &Case) -> Answer {
    Answer::Verdict(Verdict::NO_RULE)
}

fn differences(word: &str) -> Expected {
    let id = "file/2.2/keys-any-case/1";
    let text = format!("[[difference]]\nid = '{id}'\ndialect = 'google'\nwe_say = '{word}'\nreason = 'so'\n");
    Expected::parse("list", &text).unwrap()
}

#[test]
fn the_runner_counts_and_explains() {
    let text = good_in_two_dialects().replace("\"allow\", line = 0", "\"disallow\", note = \"why\"");
    let cases = case::parse("file", &text).unwrap();
    let report = run(&cases, "kind", kind, &differences("allow"));
    assert_eq!((report.passed, report.expected_differences, report.failures.len()), (0, 1, 1));
    assert!(!report.is_clean());
    let text = report.to_string();
    for wanted in [
        "FAILED file/2.2/keys-any-case/1 under rfc9309",
        "section  2.2: Keys: any case",
        "crawler  FooBot",
        "url      /a",
        "expected disallow",
        "got      allow by no line (NoRule)",
        "note     why",
        "1 | User-agent: *",
        "kind: 2 cases, 0 passed, 1 differ as expected, 1 failed, 0 stale differences",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
}

#[test]
fn stale_and_changed_differences_are_reported() {
    let cases = case::parse("file", &good_in_two_dialects()).unwrap();
    let report = run(&cases, "kind", kind, &differences("disallow"));
    assert_eq!((report.passed, report.stale.len()), (2, 1));
    assert!(report.to_string().contains("now answered as it expects"), "{report}");

    let report = run(&[], "kind", kind, &differences("disallow"));
    assert!(report.to_string().contains("no case has this id"), "{report}");

    let stern = |_: &Case| Answer::Verdict(Verdict::by_rule(Access::Disallow, 3));
    let report = run(&cases, "stern", stern, &differences("invalid"));
    assert_eq!((report.failures.len(), report.stale.len()), (2, 0));
    assert!(report.to_string().contains("listed as an expected difference: so"), "{report}");
}

#[test]
fn the_committed_cases_load_and_have_ids_of_their_own() {
    let cases = case::load_folder(&corpora()).unwrap_or_else(|error| panic!("{error}"));
    assert!(cases.len() > 400, "only {} cases", cases.len());
    let mut seen = HashSet::new();
    for case in &cases {
        assert!(seen.insert((case.id.as_str(), case.dialect)), "two cases are called {}", case.id);
        let undecided = matches!(case.expect.word, Word::Defer | Word::Unknown | Word::Invalid);
        assert!(undecided || case.expect.line.is_some(), "{} does not say which line decides", case.id);
        let decided_by_none = case.expect.line == Some(0) && case.expect.word == Word::Disallow;
        assert!(!decided_by_none || case.status.is_some(), "{}: no rule, and yet disallowed", case.id);
    }
}

#[test]
fn the_committed_differences_load() {
    Expected::load(&corpora().join("expected-differences.toml")).unwrap_or_else(|error| panic!("{error}"));
}
