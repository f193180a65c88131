//! The search for the inputs that need the most steps. Step counts are the same on any machine.

use robomata_crosscheck::fuzz::{Beginning, Cost, Limits, run};
use robomata_testkit::hostile::URL;

const FILE: usize = 20_000;

fn limits(count: u64, file: usize) -> Limits {
    Limits { seed: 1, count, time: None, file }
}

/// `nested` needed 185 steps a byte when each position visited all segments that end there.
#[test]
fn known_families_stay_within_the_bound() {
    let found = run(&limits(0, FILE), Beginning::Families);
    assert!(found.families.len() > 10);
    assert!(found.excess.is_none());
    for (family, cost) in found.families {
        let steps = cost.steps * URL as f64;
        // A pattern list compares each pattern at each byte. An automaton has as many waiters as the file has.
        let is_list = ["rare-bytes", "tildes"].contains(&family.name.as_str());
        let bound = if is_list { 48 * URL } else { 8 * URL + 3 * cost.file / 2 };
        assert!(steps <= bound as f64, "{}: {steps} steps, expected at most {bound}", family.name);
    }
}

/// The search would notice if only the file's size bounded a check.
#[test]
fn a_search_from_one_harmless_rule_finds_expensive_rules() {
    let found = run(&limits(1_500, 5_000), Beginning::OneRule);
    assert_eq!(found.divergence, None);
    assert!(found.excess.is_none());
    let worst = &found.worst[0].1;
    let known = run(&limits(0, 5_000), Beginning::Families).families;
    let automata = known.iter().filter(|(family, _)| family.name != "tildes").map(|(_, cost)| cost.steps);
    let worst_known = automata.fold(0.0, f64::max);
    // Words of all lengths at once are not bred in a few seconds.
    assert!(worst.steps >= 0.75 * worst_known, "{found}\nknown: {worst_known}");
}

#[test]
fn steps_and_programs_beyond_the_bounds_are_findings() {
    let cost = Cost { steps: 20.0, size: 3.0, compile: 0.0, check: 0.0, file: FILE };
    assert!(!cost.is_beyond_bounds());
    // A wait node that is visited for each byte of the URL.
    assert!(Cost { steps: 200.0, ..cost }.is_beyond_bounds());
    assert!(Cost { size: 13.0, ..cost }.is_beyond_bounds());
}

/// The families at the default limit of a robots.txt: programs of at most 3.1 times the file (`SECURITY.md`).
#[test]
fn programs_of_known_families_stay_small_at_the_limit() {
    let found = run(&limits(0, 4 << 20), Beginning::Families);
    assert!(found.excess.is_none());
    for (family, cost) in found.families {
        assert!(cost.size <= 3.1, "{}: {} bytes for each byte of the file", family.name, cost.size);
    }
}

#[test]
fn the_same_seed_breeds_the_same_specimens() {
    let steps = |seed| -> Vec<f64> {
        let found = run(&Limits { seed, count: 100, time: None, file: 2_000 }, Beginning::OneRule);
        found.worst.iter().map(|(_, cost)| cost.steps).collect()
    };
    assert_eq!(steps(3), steps(3));
    assert_ne!(steps(3), steps(4));
}
