//! The format of permissions: refused input, the runner's report, and the validity of the committed files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use robomata_protocol::{Dialect, Moment, Part, Permission, PermissionAnswer, Place, Usage};
use robomata_testkit::export::export;
use robomata_testkit::permission_case::{ExpectedSource, load, load_folder, parse};
use robomata_testkit::{Outcome, case, run_permissions};

const GOOD: &str = r#"
spec = "test"
kind = "permissions"
agent = "FooBot"
[[group]]
section = "2.4"
title = "Fields: any"
robots = "ACAP-crawler: *\nACAP-allow-index: /a\n"
case = [{ url = "/a", now = "1970-01-02", part = 1, expect = { index = "permitted by 2" }, requests = [] }]
"#;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/conformance")
}

#[test]
fn a_file_becomes_cases_with_stable_ids() {
    let case = parse("file", GOOD).unwrap().remove(0);
    assert_eq!((case.id.as_str(), case.dialect), ("file/2.4/fields-any/1", Dialect::Acap));
    assert_eq!((case.circumstances.now, case.circumstances.part), (Some(Moment(86_400)), Part::Element(1)));
    assert_eq!(case.usages().collect::<Vec<_>>(), [Usage::Index]);
    assert_eq!(case.expect.count(), 2);
}

#[test]
fn invalid_input_is_refused() {
    for (from, to, wanted) in [
        ("now =", "then =", "unknown field `then`"),
        ("section", "sektion = ''\nsection", "unknown field `sektion`"),
        ("1970-01-02", "tomorrow", "expected yyyy-mm-dd or a time of RFC 3339, found 'tomorrow'"),
        ("part = 1", "part = 'half'", "expected \"page\", \"rest\" or the place of an element, found 'half'"),
        ("index =", "snippet =", "expected the full name of a usage, found 'snippet'"),
        ("permitted by 2", "permitted", "expected `by` and a source"),
        ("requests = []", "requests = ['x']", "expected '… by line', found 'x'"),
        ("requests = []", "licenses = ['x']", "expected 'URL by source'"),
        ("part = 1", "tdmrep = '', tdmrep_escaped = ''", "expected one of `tdmrep` and `tdmrep_escaped`"),
        ("expect = { index = \"permitted by 2\" }, requests = []", "", "expected something that is expected"),
        ("\"permissions\"", "\"access\"", "expected a file of permissions"),
        ("agent = \"FooBot\"", "", "expected `agent`"),
        ("url = \"/a\", ", "", "exactly one of `url`"),
        (
            "part = 1",
            "page = { elements = [{ tag = 'p', class = 'x', parent = 0 }] }",
            "expected a parent that precedes",
        ),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let error = parse("file", &GOOD.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}\n{wanted}");
    }
    assert!(case::parse("file", GOOD).is_err(), "the other format refuses it");
}

#[test]
fn the_runner_reports_what_differs_and_what_is_unanswered() {
    let cases = parse("file", GOOD).unwrap();
    let report = run_permissions(&cases, "silent", |case| Outcome {
        answers: case.usages().map(PermissionAnswer::unspecified).collect(),
        ..Outcome::default()
    });
    assert_eq!((report.passed, report.met, report.failures.len()), (0, 0, 1));
    let text = report.to_string();
    for wanted in [
        "FAILED file/2.4/fields-any/1 under acap",
        "section  2.4: Fields: any",
        "  index\n    expected permitted by 2 (explicit) []\n    got      unspecified by nothing (silence) []",
        "  requests\n    expected []\n    got      unanswered",
        "2 | ACAP-allow-index: /a",
        "silent: 1 cases, 0 passed (0 expectations met), 1 failed",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    let report =
        run_permissions(&cases, "half", |_| Outcome { requests: Some(Vec::new()), ..Outcome::default() });
    assert_eq!((report.met, report.is_clean()), (1, false));
}

/// Returns whether this line states the contrary of `permission`, or states nothing.
fn contradicts(robots: &[u8], line: u32, permission: Permission) -> bool {
    let text = String::from_utf8_lossy(robots).to_lowercase();
    let line = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
    let speaks = |word: &str| line.starts_with(word) || line.starts_with(&format!("acap-{word}"));
    match permission {
        Permission::Prohibited => {
            !["disallow", "allow", "noindex", "content-"].iter().any(|word| speaks(word))
        }
        Permission::Permitted => !["allow", "content-"].iter().any(|word| speaks(word)),
        _ => true,
    }
}

#[test]
fn the_committed_cases_name_lines_that_can_say_it() {
    let cases = load_folder(&corpora()).unwrap_or_else(|error| panic!("{error}"));
    for case in &cases {
        for (usage, answer) in &case.expect.answers {
            if let Some(ExpectedSource::Line(Place::RobotsTxt, line)) = answer.source {
                let wrong = contradicts(&case.robots, line, answer.permission);
                assert!(!wrong, "{}: {usage} cannot be {answer}", case.id);
            }
        }
    }
}

/// `ROBOMATA_UPDATE=1` writes the export.
#[test]
fn the_export_is_current() {
    let files = ["pages.toml", "vocabularies.toml"].map(|file| load(&corpora().join(file)));
    let cases: Vec<_> =
        files.into_iter().flat_map(|cases| cases.unwrap_or_else(|error| panic!("{error}"))).collect();
    let path = corpora().join("export/vocabularies.json");
    let current = export(&cases);
    if std::env::var_os("ROBOMATA_UPDATE").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "{} is not current (ROBOMATA_UPDATE=1 updates it)", path.display());
    let count = current.matches("{\"id\":").count();
    assert!(count > 200, "{count} cases");
}

#[test]
fn the_committed_cases_cover_enough() {
    let cases = load_folder(&corpora()).unwrap_or_else(|error| panic!("{error}"));
    let count = |file: &str| -> usize {
        let prefix = format!("{file}/");
        cases.iter().filter(|case| case.id.starts_with(&prefix)).map(|case| case.expect.count()).sum()
    };
    for (file, least) in
        [("acap", 250), ("acap-pages", 60), ("pages", 320), ("memento", 60), ("vocabularies", 330)]
    {
        assert!(count(file) >= least, "{file}: {}", count(file));
    }
    let usages: BTreeSet<Usage> = cases.iter().flat_map(|case| case.usages().collect::<Vec<_>>()).collect();
    assert_eq!(usages.len(), Usage::ALL.len());
}
