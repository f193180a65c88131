//! The list of planted errors is that of today's engine.

use std::collections::BTreeSet;

use robomata_crosscheck::planted::{list, plant, workspace};

const PARTS: [&str; 12] = [
    "parsing",
    "groups",
    "normal form",
    "ranking",
    "walk",
    "prefilter",
    "trie layout",
    "store look-up",
    "batching",
    "history",
    "permissions",
    "life-cycle",
];

#[test]
fn each_planted_error_has_its_place_in_the_engine() {
    let errors = list(workspace()).unwrap();
    assert!(errors.len() >= 40, "{} errors", errors.len());
    let ids: BTreeSet<&str> = errors.iter().map(|error| error.id.as_str()).collect();
    assert_eq!(ids.len(), errors.len(), "names are unique");
    let parts: BTreeSet<&str> = errors.iter().map(|error| error.part.as_str()).collect();
    assert_eq!(parts, BTreeSet::from(PARTS));
    for error in &errors {
        assert_ne!(error.text, error.with, "{}", error.id);
        assert!(!error.breaks.is_empty(), "{}", error.id);
    }
    plant(workspace(), &errors).unwrap();
}
