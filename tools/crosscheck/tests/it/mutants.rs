//! The mutants of today's engine.

use std::collections::BTreeSet;

use robomata_crosscheck::mutants::{Mutants, explained};
use robomata_crosscheck::planted::workspace;

#[test]
fn all_mutants_have_names_and_places_in_the_engine() {
    let found = Mutants::find(workspace()).unwrap();
    assert!(found.mutants.len() > 3000, "{} mutants", found.mutants.len());
    let names: BTreeSet<&str> = found.mutants.iter().map(|mutant| mutant.name.as_str()).collect();
    assert_eq!(names.len(), found.mutants.len());
    for (file, (text, branches)) in found.rewrite(&BTreeSet::new()) {
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(branches.len() <= found.mutants.len());
    }
    for (name, why) in explained(workspace()).unwrap() {
        assert!(
            names.contains(name.as_str()),
            "no such mutant (correct tools/crosscheck/mutants.tsv): {name}"
        );
        assert!(!why.is_empty(), "{name}");
    }
}
