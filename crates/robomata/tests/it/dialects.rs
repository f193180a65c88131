//! Checks that dialects are data: `Semantics` has what `crates/DIALECTS.md` decides, and nothing else knows their names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use robomata_protocol::Dialect;

/// The crates that read, compile and check. Those that check the engine have their own reading of the dialects.
const ENGINE: [&str; 11] = [
    "syntax",
    "policy",
    "automaton",
    "permissions",
    "evaluator",
    "lint",
    "pages",
    "formats",
    "columns",
    "jobs",
    "cli",
];

/// The crates that must not use the engine's reading of the dialects.
const INDEPENDENT: [&str; 2] = ["reference", "testkit"];

/// The files that may name a dialect.
const NAMING: [(&str, &str); 9] = [
    ("cli/src/args.rs", "defaults, and the dialects that options allow"),
    ("cli/src/commands/lint.rs", "a default"),
    ("cli/src/commands/permissions.rs", "a default"),
    ("columns/src/check.rs", "the dialect that accepts most names of crawlers"),
    ("lint/src/conflicts.rs", "compares the readers of ACAP with those of RFC 9309"),
    ("lint/src/fields.rs", "compares RFC 9309 with Google's library"),
    ("lint/src/groups.rs", "compares a name with the one that Google's library reads"),
    ("lint/src/rules.rs", "lists the dialects in which a rule that is to be removed must not be needed"),
    ("jobs/src/permissions.rs", "a default"),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The source files of a crate, with their paths below `crates`. Files of tests are left out.
fn sources(name: &str) -> Vec<(String, String)> {
    let (mut folders, mut found) = (vec![crates().join(name).join("src")], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                let name = path.strip_prefix(crates()).unwrap().to_string_lossy().into_owned();
                found.push((name, read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// The code of a file without comments and tests, which come last.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn only_the_listed_files_name_dialects() {
    let names = Dialect::ALL.map(|dialect| format!("Dialect::{dialect:?}"));
    let has_name = |line: &str| names.iter().any(|name| line.contains(name.as_str()));
    let sources = ENGINE.into_iter().flat_map(sources);
    let naming = sources.filter(|(_, text)| code(text).any(has_name)).map(|(name, _)| name);
    let listed = NAMING.iter().map(|(name, _)| (*name).to_owned());
    assert_eq!(naming.collect::<BTreeSet<_>>(), listed.collect());
}

#[test]
fn what_checks_the_engine_has_its_own_reading_of_the_dialects() {
    for (name, text) in INDEPENDENT.into_iter().flat_map(sources) {
        for shared in ["Semantics", "semantics", "Terms::from", "SplitUrl"] {
            assert!(!code(&text).any(|line| line.contains(shared)), "{name} uses {shared}");
        }
    }
}

/// Whether `word` is the id of a row of `crates/DIALECTS.md`: `L1`, `N1a`, or a word for rows without a number.
fn is_id(word: &str) -> bool {
    let number = word.strip_prefix(|letter: char| letter.is_ascii_uppercase()).unwrap_or_default();
    let has_number = number.trim_end_matches(['a', 'b']).parse::<u32>().is_ok();
    has_number || ["Lines", "Groups"].contains(&word)
}

/// The ids in `text`, in which `F2 to F16` is a range.
fn ids(text: &str) -> BTreeSet<String> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let mut ids: BTreeSet<String> =
        words.iter().filter(|word| is_id(word)).map(|word| (*word).to_owned()).collect();
    for range in words.windows(3).filter(|words| words[1] == "to" && is_id(words[0]) && is_id(words[2])) {
        let number = |id: &str| id[1..].parse::<u32>().unwrap();
        let letter = &range[0][..1];
        ids.extend((number(range[0])..=number(range[2])).map(|number| format!("{letter}{number}")));
    }
    ids
}

/// By field of `Semantics`: the ids in the parentheses of its documentation.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = read_to_string(crates().join("protocol/src/semantics.rs")).unwrap();
    let (_, text) = text.split_once("pub struct Semantics {").unwrap();
    let (text, _) = text.split_once("\n}").unwrap();
    let (mut fields, mut documentation) = (BTreeMap::new(), String::new());
    for line in text.lines().map(str::trim) {
        if let Some(line) = line.strip_prefix("///") {
            documentation.push_str(line);
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            let documentation = std::mem::take(&mut documentation);
            let parenthesized = documentation.split('(').skip(1).filter_map(|rest| rest.split(')').next());
            fields.insert(name.to_owned(), parenthesized.flat_map(ids).collect());
        }
    }
    fields
}

/// The cells of the rows of tables in `text`.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| "));
    rows.map(|row| row.split('|').map(str::trim).collect())
}

#[test]
fn each_row_has_its_fields_or_needs_none() {
    let text = read_to_string(crates().join("DIALECTS.md")).unwrap();
    let (decisions, deciding) = text.split_once("## The fields that decide").unwrap();
    let known: BTreeSet<String> = rows(decisions).flat_map(|cells| first_ids(cells[0])).collect();

    let mut by_row: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for cells in rows(deciding).filter(|cells| is_id(cells[0])) {
        let fields = cells[1].split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
        assert!(!fields.is_empty() || !cells[2].is_empty(), "{} has no field: why?", cells[0]);
        assert!(by_row.insert(cells[0].to_owned(), fields).is_none(), "{} has two lines", cells[0]);
    }
    assert_eq!(by_row.keys().cloned().collect::<BTreeSet<_>>(), known, "the rows");

    let mut by_field: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (row, fields) in by_row {
        for field in fields {
            by_field.entry(field).or_default().insert(row.clone());
        }
    }
    let (of_permissions, documented): (BTreeMap<_, _>, BTreeMap<_, _>) =
        documented().into_iter().partition(|(_, ids)| ids.iter().all(|id| id.starts_with('A')));
    assert_eq!(by_field, documented, "the documentation of the fields");
    assert_eq!(of_permissions.into_keys().collect::<Vec<_>>(), ["reads_acap"]);
}

/// The ids at the beginning of a row's first cell: `L3, L4 marks`.
fn first_ids(cell: &str) -> BTreeSet<String> {
    let words = cell.split_inclusive(' ').map(str::trim_end);
    words.map(|word| word.trim_end_matches(',')).take_while(|word| is_id(word)).map(str::to_owned).collect()
}
