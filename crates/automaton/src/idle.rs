//! Finds rules that never decide for any target, each with a rule that always wins over it.
//!
//! Choose a byte that no pattern contains, and build a text from a pattern by using that byte for each of its stars and
//! for what may follow it. Any pattern that matches this text matches that byte with a star. A star that matches one
//! byte matches any text in its place, so that pattern matches everything that the first one does. One query to the
//! program therefore decides whether a better rule covers this one. Several better rules cover it together only if one
//! of them does so alone. The search takes time linear in the patterns' bytes, like the program's walks.

use robomata_protocol::Dialect;

use crate::decompile::{ProgramRule, Shape};
use crate::pattern::End;
use crate::product::is_robots_txt;
use crate::program::ProgramRef;
use crate::rank::Rank;
use crate::search::Scratch;

/// A rule that matches but never decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleRule {
    /// Its index in the list of rules.
    pub rule: usize,
    /// The index of a better rule that matches everything it matches; in rare cases, of two rules that do so together.
    /// Empty if it matches only `/robots.txt`, for which no rule decides.
    pub winners: Vec<usize>,
}

/// The budget for the walks of all rules, in steps of a few nanoseconds each; more steps are added for each byte of the
/// patterns.
const STEPS: u64 = 20_000_000;
const STEPS_AN_BYTE: u64 = 64;

/// The rules that never decide in a program compiled for `dialect`, the best first.
///
/// `rules` come from [`ProgramRef::rules`]. A listed rule decides for no target. A rule that is not listed decides for
/// some target, with two exceptions: the patterns may contain all bytes that targets consist of, or the program may be
/// built to be slow. The search ends after 20 million steps, plus 64 for each byte of the patterns.
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

/// The ranks of a better rule, or of two, that match everything that `rule` matches; empty when there are none.
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

/// A byte that no pattern contains; most normal forms have no bytes of 0x80 and more.
fn fresh_byte(rules: &[ProgramRule]) -> Option<u8> {
    let mut is_held = [false; 256];
    for rule in rules {
        for &byte in rule.shape.unanchored.iter().chain([&rule.shape.prefix]).flatten() {
            is_held[usize::from(byte)] = true;
        }
    }
    (0..=0xFF).rev().find(|&byte| !is_held[usize::from(byte)])
}

/// Appends a text that represents all texts that a pattern matches.
fn push_general(shape: &Shape, fresh: u8, text: &mut Vec<u8>) {
    let Shape { prefix, unanchored, end } = shape;
    // Every target begins with a slash; if the pattern begins with a star, the slash is part of what the star matches.
    text.extend_from_slice(if prefix.is_empty() { b"/" } else { prefix });
    for segment in unanchored {
        text.push(fresh);
        text.extend_from_slice(segment);
    }
    if *end == End::Open {
        text.push(fresh);
    }
}
