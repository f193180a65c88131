//! Rules that never decide, whatever the target, each with a rule that always wins over it.
//!
//! Take a byte that no pattern holds, and the text that a pattern is when each of its stars, and what may follow it, is
//! that byte. Any pattern that matches this text matches it by stars where the byte stands, and a star that takes one
//! byte takes any text in its place: so it matches whatever the first one does. One question to the program therefore
//! decides, for one rule, whether a better one covers it; and several better rules cover it together only if one of them
//! does alone. Linear in the patterns' bytes, as the program's walks are.

use robomata_protocol::Dialect;

use crate::decompile::{ProgramRule, Shape};
use crate::pattern::End;
use crate::product::is_robots_txt;
use crate::program::ProgramRef;
use crate::rank::Rank;
use crate::search::Scratch;

/// A rule that never decides, though it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleRule {
    /// Its place in the list of rules.
    pub rule: usize,
    /// The place of a better rule that matches whatever it matches; now and then of two that do together. Empty where it
    /// matches nothing but `/robots.txt`, about which no rule decides.
    pub winners: Vec<usize>,
}

/// Steps of walks for all rules together, each a few nanoseconds, and more for each byte of the patterns.
const STEPS: u64 = 20_000_000;
const STEPS_AN_BYTE: u64 = 64;

/// The rules of a program that was compiled for `dialect` which never decide, the best first.
///
/// `rules` are those that [`ProgramRef::rules`] gave. A rule that is listed decides about no target whatsoever; one that
/// is not listed decides about some target, unless the patterns hold all bytes that targets are made of, or the program is
/// one made to be slow: after 20 million steps, and 64 for each byte of the patterns, no further rules are looked at.
pub fn idle_rules(program: ProgramRef<'_>, rules: &[ProgramRule], dialect: Dialect) -> Vec<IdleRule> {
    let Some(fresh) = fresh_byte(rules) else { return vec![] };
    let prepared = program.prepare();
    let (mut scratch, mut text, mut idle) = (Scratch::new(), Vec::new(), Vec::new());
    let bytes: usize = rules.iter().map(|rule| rule.pattern.len()).sum();
    let mut budget = STEPS + STEPS_AN_BYTE * bytes as u64;
    for (index, rule) in rules.iter().enumerate() {
        text.clear();
        push_general(&rule.shape, fresh, &mut text);
        if is_robots_txt(&text, dialect) {
            idle.push(IdleRule { rule: index, winners: vec![] });
            continue;
        }
        let (rank, steps) = prepared.rank_of(&text, &mut scratch);
        let Some(left) = budget.checked_sub(steps) else { break };
        budget = left;
        if rank > rule.rank {
            let winners = winners(program, rule, fresh, &mut scratch);
            let places = winners.iter().filter_map(|&rank| rules.len().checked_sub(rank as usize));
            if !winners.is_empty() {
                idle.push(IdleRule { rule: index, winners: places.collect() });
            }
        }
    }
    idle
}

/// The ranks of a better rule, or of two, that match whatever `rule` does; none when there are none.
fn winners(program: ProgramRef<'_>, rule: &ProgramRule, fresh: u8, scratch: &mut Scratch) -> Vec<Rank> {
    let mut better = |text: &[u8]| {
        let mut ranks = program.matching_ranks(text, scratch);
        ranks.retain(|&rank| rank > rule.rank);
        ranks
    };
    let mut text = Vec::new();
    push_general(&rule.shape, fresh, &mut text);
    let first = better(&text);
    if !rule.shape.begins_with_star_and_slash() {
        return first.into_iter().take(1).collect();
    }
    let second = better(&text[2..]);
    match (first.iter().find(|rank| second.contains(rank)), first.first(), second.first()) {
        (Some(&both), ..) => vec![both],
        (None, Some(&first), Some(&second)) => vec![first, second],
        _ => vec![],
    }
}

impl Shape {
    fn begins_with_star_and_slash(&self) -> bool {
        self.prefix.is_empty() && self.unanchored.first().is_some_and(|first| first.first() == Some(&b'/'))
    }
}

/// A byte that no pattern holds; most normal forms have none of 0x80 and more.
fn fresh_byte(rules: &[ProgramRule]) -> Option<u8> {
    let mut is_held = [false; 256];
    for rule in rules {
        for &byte in rule.shape.unanchored.iter().chain([&rule.shape.prefix]).flatten() {
            is_held[usize::from(byte)] = true;
        }
    }
    (0..=0xFF).rev().find(|&byte| !is_held[usize::from(byte)])
}

/// Appends the text that stands for all that a pattern matches.
fn push_general(shape: &Shape, fresh: u8, text: &mut Vec<u8>) {
    let Shape { prefix, unanchored, end } = shape;
    // Every target begins with a slash; where the pattern begins with a star this is part of what the star takes.
    text.extend_from_slice(if prefix.is_empty() { b"/" } else { prefix });
    for segment in unanchored {
        text.push(fresh);
        text.extend_from_slice(segment);
    }
    if *end == End::Open {
        text.push(fresh);
    }
}
