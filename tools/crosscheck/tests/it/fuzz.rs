//! The search for the inputs that need the most steps. Step counts are the same on any machine.

use robomata_crosscheck::fuzz::{Beginning, Limits, run};
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
    let worst = &found.worst[0].1;
    let known = run(&limits(0, 5_000), Beginning::Families).families;
    let automata = known.iter().filter(|(family, _)| family.name != "tildes").map(|(_, cost)| cost.steps);
    let worst_known = automata.fold(0.0, f64::max);
    // Words of all lengths at once are not bred in a few seconds.
    assert!(worst.steps >= 0.75 * worst_known, "{found}\nknown: {worst_known}");
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
