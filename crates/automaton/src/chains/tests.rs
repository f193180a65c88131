//! Rows of a window, and the bounds of chains.

use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

use super::*;
use crate::int::low_byte;
use crate::program::{Parts, Program, UnanchoredPart};

#[test]
fn ranks_roots_and_symbols_are_in_their_bounds() {
    let rules = (0..60).map(|n| format!("Disallow: /{n:02}{}\n", "*q*s".repeat(20)));
    let file = format!("User-agent: *\n{}", rules.collect::<String>());
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
    let program = Program::compile(&policy.rules_for(&Crawler::new("x")));
    let parts = Parts::find(program.as_ref().bytes()).unwrap();
    let UnanchoredPart::SegmentAutomaton { counts, width, arrays } = parts.unanchored else { panic!() };
    let chains = Chains::find(&arrays[counts.bytes(width.into()).unwrap()..]).unwrap();
    let best = chains.all().map(|chain| chain.rank).max().unwrap();
    let root = chains.all().map(|chain| chain.root).max().unwrap();
    assert!(chains.is_valid(best, root + 1));
    assert!(!chains.is_valid(best, root) && !chains.is_valid(best - 1, root + 1));

    let last = chains.records.len() - FIELDS * Wide::BYTES;
    let without_rank =
        [&chains.records[..last], &[0; Wide::BYTES], &chains.records[last + Wide::BYTES..]].concat();
    assert!(!Chains { records: &without_rank, ..chains }.is_valid(best, root + 1));
    let mut sequences = chains.sequences.to_vec();
    sequences[0] = low_byte(chains.counts.segments);
    assert!(!Chains { sequences: &sequences, ..chains }.is_valid(best, root + 1));
}

/// Symbols that follow the prefix, and each other, at once; and symbols far from each other: a window of the text has
/// one of them.
#[test]
fn symbols_are_found_next_to_each_other_and_windows_apart() {
    let symbols = ["q", "s", "tt"];
    let pattern = |n: usize| (0..40).map(|at| symbols[(at * n + at / 3) % 3]).collect::<Vec<_>>();
    let rules: String = (0..60).map(|n| format!("Disallow: /{n:02}*{}\n", pattern(n).join("*"))).collect();
    let file = format!("User-agent: *\n{rules}");
    let policy = Policy::new(file.as_bytes(), &Config::new(Dialect::Rfc9309));
    let program = Program::compile(&policy.rules_for(&Crawler::new("x")));
    let mut scratch = crate::Scratch::new();
    for n in [0, 1, 2, 31, 59] {
        for gap in [0, 1, 100, ROW + 1, ROW + LONGEST + 1] {
            let gap = "-".repeat(gap);
            let mut line = |symbols: &[&str]| {
                let text = format!("/{n:02}{gap}{}", symbols.join(&gap));
                program.as_ref().verdict(text.as_bytes(), &mut scratch).line as usize
            };
            let pattern = pattern(n);
            assert_eq!(line(&pattern), n + 2, "{n} {}", gap.len());
            assert_eq!(line(&pattern[..39]), 0, "{n} {}", gap.len());
        }
    }
}

#[test]
fn a_row_is_the_next_end_for_each_index() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..3_000 {
        // Few, many, or all ends, some of them closer to the row's begin than the symbol is long.
        let ends: Vec<u64> = (0..random.usize(1..5))
            .map(|_| match random.u8(..4) {
                0 => random.u64(..) & random.u64(..) & random.u64(..) & random.u64(..),
                1 => random.u64(..),
                2 => random.u64(..) | random.u64(..),
                _ => u64::MAX,
            })
            .collect();
        let (first_end, length) = (random.usize(1..200), random.usize(1..=200));
        let none = first_end + 64 * ends.len() + BEHIND;
        let mut row = vec![0; none + 1];
        fill_row(&mut row, &ends, first_end, length, low_word(u32_of(none)));
        let occurs = |bit: usize| ends[bit / 64] >> (bit % 64) & 1 == 1;
        for (index, &next) in row.iter().enumerate() {
            let after = (0..64 * ends.len()).filter(|&bit| occurs(bit)).map(|bit| first_end + bit);
            let expected = after.into_iter().find(|&end| end >= index + length).unwrap_or(none);
            assert_eq!(usize::from(next), expected, "{index}, {first_end}, {length}, {ends:x?}");
        }
    }
}
