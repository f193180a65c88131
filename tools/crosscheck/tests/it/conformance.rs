//! Conformance cases, ours and other projects', checked with the reference and every configuration of the engine.

use std::path::{Path, PathBuf};

use robomata_crosscheck::engines;
use robomata_engine::{Answer, Crawler, Dialect};
use robomata_testkit::case::{Case, load_folder};
use robomata_testkit::shared::{load_cases, load_traps, shared_folder};
use robomata_testkit::{Expected, run};

/// Sources with cases written for Google's parser or a port of it.
const GOOGLE_SOURCES: [&str; 5] = [
    "google-robotstxt/",
    "google-robotstxt-spec-test/",
    "google-robotstxt-java/",
    "folyd-robotstxt/",
    "grobotstxt/",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn expected() -> Expected {
    Expected::load(&root().join("corpora/conformance/expected-differences.toml")).unwrap()
}

/// Checks all of `cases` with the reference and every configuration of the engine.
fn check_all(what: &str, cases: &[Case], expected: &Expected) {
    let report = run(cases, "reference", engines::reference, expected);
    println!(
        "{what}: {} cases, {} as expected, {} expected differences",
        report.asked(),
        report.passed,
        report.expected_differences
    );
    assert!(report.is_clean(), "{report}");
    for &(name, engine) in engines::CONFIGURATIONS {
        let taken: Vec<Case> = cases.iter().filter(|case| engine(case).is_some()).cloned().collect();
        assert!(!taken.is_empty(), "'{name}' takes some of the cases");
        let asked = |difference: &robomata_testkit::Difference| {
            taken.iter().any(|case| case.id == difference.id && case.dialect == difference.dialect)
        };
        let report = run(&taken, name, |case| engine(case).unwrap_or(Answer::Unknown), &expected.only(asked));
        println!("  {name}: {} cases", report.asked());
        assert!(report.is_clean(), "{report}");
    }
}

#[test]
fn our_own_cases() {
    let cases = load_folder(&root().join("corpora/conformance")).unwrap();
    assert!(cases.len() > 1_000, "found {} cases", cases.len());
    check_all("our own cases", &cases, &Expected::none());
}

#[test]
fn shared_cases_labelled_rfc9309() {
    let Some(folder) = shared_folder("conformance") else { return };
    let cases: Vec<Case> = load_cases(&folder.join("cases"))
        .unwrap()
        .into_iter()
        .filter(|shared| shared.tag == "rfc9309")
        .map(|shared| shared.case)
        .collect();
    assert_eq!(cases.len(), 2_281);
    check_all("shared cases labelled rfc9309", &cases, &expected().only(|d| d.dialect == Dialect::Rfc9309));
}

#[test]
fn shared_cases_and_traps_of_google_parsers() {
    let Some(folder) = shared_folder("conformance") else { return };
    let mut cases: Vec<Case> = load_cases(&folder.join("cases"))
        .unwrap()
        .into_iter()
        .filter(|shared| GOOGLE_SOURCES.iter().any(|source| shared.case.id.starts_with(source)))
        .map(|shared| {
            let mut case = shared.case.under(Dialect::Google);
            if shared.tag == "agent-list" {
                case.crawler = Crawler::new(&case.crawler.to_string());
            }
            case
        })
        .collect();
    let traps = load_traps(&folder.join("traps.jsonl")).unwrap();
    assert_eq!(traps.len(), 131);
    cases.extend(traps.iter().map(|trap| trap.case("google", Dialect::Google).unwrap()));
    check_all(
        "cases of Google's parser and its ports",
        &cases,
        &expected().only(|d| d.dialect == Dialect::Google),
    );
}
