//! Conformance cases, ours and other projects', checked with the reference and every configuration of the engine.

use std::collections::BTreeMap;
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

/// The tags of readings that `rfc9309` has, too.
const OUR_READINGS: [&str; 10] = [
    "rfc9309",
    "agent-token",
    "bom-partial",
    "bom-skip",
    "encode-unsafe",
    "key-typos",
    "missing-colon",
    "reserved-encode",
    "reserved-raw",
    "ua-star-suffix",
];

/// The tags of the other readings, with the number of their cases that `rfc9309` answers otherwise, and the reason.
const OTHER_READINGS: &[(&str, usize, &str)] = &[
    ("agent-list", 1, "G5: a query has fallback names; a name with a comma is one name"),
    ("agent-prefix", 20, "G4: names are compared whole"),
    ("agent-substring", 1, "G4"),
    ("agent-substring-first-group", 1, "G4"),
    ("default-group", 12, "G1: rules before any group are ignored"),
    ("dollar-also-literal", 2, "P1: a final $ is the end of the path alone"),
    ("dollar-run-collapsed", 1, "P1: only the last $ is the end of the path"),
    ("encode-bare-percent", 3, "N1, other bytes: a % without two hex digits stays as it is"),
    ("first-group-only", 1, "G6: all groups of a name apply"),
    ("fragment-kept", 1, "U1: the fragment is cut"),
    ("fragment-kept+reserved-encode", 1, "U1"),
    ("index-html", 6, "R3: index pages are a term of google"),
    ("line-limit-16664", 6, "L2: lines have no limit"),
    ("missing-colon-loose+key-typos", 1, "L8: without a colon, a value is one word"),
    ("non-path-url-allows", 3, "U1: any other text is no URL"),
    ("nul-ignored", 1, "L5: a NUL is a byte like any other"),
    ("robots-txt-not-exempt", 2, "U3: /robots.txt is allowed"),
    ("rule-must-start-slash", 1, "P2: a pattern may begin with *"),
    ("rule-prefix-slash", 4, "P2: nothing is put before a pattern"),
    ("slash-equals-2f", 4, "N1: / delimits the path, so %2F is other data"),
    ("tie-between-different-rules-disallows", 1, "R2: of equal lengths, allow wins"),
    ("ua-line-token", 8, "G2: digits and dots belong to a name, and G3 cuts the name of the query, too"),
    ("ua-line-token+robots-txt-not-exempt", 2, "U3"),
    ("ua-line-wildcard-strip", 1, "G2: a name ends before *"),
    ("unknown-record-ends-group", 3, "Groups: only rules end a list of names (2.2.4)"),
    ("url-not-normalised", 14, "N1: patterns and URLs are normalized alike"),
    ("value-limit-2083", 1, "L2"),
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
fn shared_cases_of_our_readings() {
    let Some(folder) = shared_folder("conformance") else { return };
    let cases: Vec<Case> = load_cases(&folder.join("cases"))
        .unwrap()
        .into_iter()
        .filter(|shared| OUR_READINGS.contains(&shared.tag.as_str()))
        .map(|shared| shared.case)
        .collect();
    assert_eq!(cases.len(), 2_360);
    check_all("shared cases of our readings", &cases, &expected().only(|d| d.dialect == Dialect::Rfc9309));
}

/// Engine and reference agree about them, and as many answers as the table states are not those of the source.
#[test]
fn shared_cases_of_other_readings() {
    let Some(folder) = shared_folder("conformance") else { return };
    let mut differing: BTreeMap<String, usize> = BTreeMap::new();
    for shared in load_cases(&folder.join("cases")).unwrap() {
        if OUR_READINGS.contains(&shared.tag.as_str()) {
            continue;
        }
        assert_eq!(engines::divergence(&shared.case), None, "{}", shared.case.id);
        let is_other = engines::reference(&shared.case).as_str() != shared.case.expect.word.as_str();
        *differing.entry(shared.tag).or_default() += usize::from(is_other);
    }
    let stated = OTHER_READINGS.iter().map(|&(tag, differing, _)| (tag.to_owned(), differing)).collect();
    assert_eq!(differing, stated);
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
