//! What must hold before octets are trusted to be a program.
//!
//! After this, no walk indexes outside its arrays, every walk ends, and a walk's scratch is used as the searcher
//! assumes. One pass over the octets, no recursion.

use std::fmt;

use robomata_protocol::Access;

use crate::floating::Floating;
use crate::head::Node;
use crate::int::{Middle, Narrow, Wide, Width, u32_of};
use crate::program::{FloatingPart, Parts};

/// The octets are no program that could be walked safely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    violated: &'static str,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid program: expected {}", self.violated)
    }
}

impl std::error::Error for LoadError {}

/// An error that names `expected`, unless it holds.
fn ensure(holds: bool, expected: &'static str) -> Result<(), LoadError> {
    if holds { Ok(()) } else { Err(LoadError { violated: expected }) }
}

pub(crate) fn validate(octets: &[u8]) -> Result<(), LoadError> {
    let parts = Parts::find(octets)
        .ok_or(LoadError { violated: "a program of this version, as long as its counts say" })?;
    ensure(matches!(parts.rule_width, 2 | 4 | 8), "rules of 2, 4 or 8 octets")?;
    for rank in 1..=parts.rule_count {
        let item = &parts.rules[(rank as usize - 1) * parts.rule_width..rank as usize * parts.rule_width];
        ensure(item.len() < 8 || item[5..].iter().all(|&octet| octet == 0) && item[4] < 2, "32-bit lines")?;
        let (Access::Allow | Access::Disallow, line) = parts.rule(rank);
        ensure(line > 0, "lines from 1 on")?;
    }
    validate_heads(&parts, parts.floating.roots())?;
    match parts.floating {
        FloatingPart::None => Ok(()),
        FloatingPart::Few { best, roots, list } => {
            let best_is_first = list.pattern(0).is_some_and(|pattern| pattern.rank == best);
            ensure(best_is_first, "the best rank of a list as its first")?;
            ensure(list.is_valid(parts.rule_count, roots), "whole patterns in a list, by descending rank")
        }
        FloatingPart::Many { counts, width, arrays } => match width {
            1 => validate_floating(&Floating::<Narrow>::new(counts, arrays), parts.rule_count),
            2 => validate_floating(&Floating::<Middle>::new(counts, arrays), parts.rule_count),
            4 => validate_floating(&Floating::<Wide>::new(counts, arrays), parts.rule_count),
            _ => ensure(false, "numbers of 1, 2 or 4 octets"),
        },
    }
}

/// Nodes lie one behind the other, children before their parents; the last one is the root.
fn validate_heads(parts: &Parts<'_>, roots: u32) -> Result<(), LoadError> {
    ensure(roots as usize <= parts.head().len() + 1, "no more wait roots than heads")?;
    let mut starts = Vec::new();
    let mut waits_seen = vec![false; roots as usize];
    let mut at = 0;
    while at < parts.head().len() {
        let node =
            Node::read(parts.head(), at).ok_or(LoadError { violated: "whole nodes in the trie of heads" })?;
        let value = node.value;
        ensure(value.rank.max(value.end_rank) <= parts.rule_count, "ranks of rules that exist")?;
        if value.wait > 0 {
            let seen = waits_seen.get_mut(value.wait as usize);
            ensure(
                seen.is_some_and(|seen| !std::mem::replace(seen, true)),
                "each wait root behind one head",
            )?;
        }
        let mut last_octet = None;
        for (octet, child) in node.children() {
            ensure(last_octet < Some(octet), "children in ascending order")?;
            last_octet = Some(octet);
            ensure(child < at && starts.binary_search(&child).is_ok(), "children before their parents")?;
        }
        starts.push(at);
        at = node.end(parts.head());
    }
    ensure(starts.last() == Some(&parts.root), "the root as the last node")
}

fn validate_floating<W: Width>(floating: &Floating<'_, W>, rules: u32) -> Result<(), LoadError> {
    let counts = floating.counts;
    ensure(counts.states > 0 && counts.roots > 0, "a root state and a root to wait at")?;
    ensure(counts.waits == 0 || counts.roots <= counts.waits, "every root among the wait nodes")?;
    let depths = validate_states(floating)?;
    validate_outputs(floating, &depths, rules)?;
    validate_waits(floating, rules)
}

/// Breadth-first order, and failure transitions that lead nearer to the root. Gives the states' depths.
fn validate_states<W: Width>(floating: &Floating<'_, W>) -> Result<Vec<u32>, LoadError> {
    let states = floating.counts.states;
    let mut depths = vec![0; states as usize];
    let mut next = 1;
    for state in 0..states {
        let children = floating.children(state);
        ensure(children.start == next && children.end >= next && children.end <= states, "states in order")?;
        ensure(children.start > state, "children behind their parents")?;
        next = children.end;
        let mut last_octet = None;
        for child in children {
            depths[child as usize] = depths[state as usize] + 1;
            ensure(last_octet < Some(floating.octet(child)), "transitions in ascending order")?;
            last_octet = Some(floating.octet(child));
        }
        if state > 0 {
            let failure = floating.failure(state);
            ensure(failure < state, "failure transitions to states before")?;
            ensure(
                depths[failure as usize] < depths[state as usize],
                "failure transitions towards the root",
            )?;
        }
    }
    ensure(next == states, "every state reached")?;
    Ok(depths)
}

/// Chains that end, numbers in range, and no segment longer than the text that leads to it.
fn validate_outputs<W: Width>(
    floating: &Floating<'_, W>,
    depths: &[u32],
    rules: u32,
) -> Result<(), LoadError> {
    let counts = floating.counts;
    let mut shortest = vec![u32::MAX; counts.outputs as usize];
    for (state, &depth) in depths.iter().enumerate() {
        let number = floating.output_of(u32_of(state));
        ensure(number <= counts.outputs, "outputs that exist")?;
        if number > 0 {
            let shortest = &mut shortest[number as usize - 1];
            *shortest = depth.min(*shortest);
        }
    }
    // An output is reached from its states and from the outputs above it, which have larger numbers.
    for number in (1..=counts.outputs).rev() {
        let output = floating.output(number);
        let ranks = output.rank.max(output.best).max(output.end_rank);
        ensure(
            ranks <= rules && output.best.max(output.end_rank) <= counts.best,
            "ranks of rules that exist",
        )?;
        ensure(output.next < number && output.next_waited < number, "chains of outputs that end")?;
        let depth = shortest[number as usize - 1];
        for below in [output.next, output.next_waited] {
            if below > 0 {
                let shortest = &mut shortest[below as usize - 1];
                *shortest = depth.min(*shortest);
            }
        }
        for segment in [output.segment, output.end_segment] {
            ensure(segment <= counts.segments, "segments that exist")?;
            let fits = segment == 0 || floating.segment_length(segment) <= depth;
            ensure(fits, "segments no longer than the text that leads to them")?;
        }
    }
    Ok(())
}

/// Breadth-first order, so that each node has one parent and is queued at most once in a walk.
fn validate_waits<W: Width>(floating: &Floating<'_, W>, rules: u32) -> Result<(), LoadError> {
    let counts = floating.counts;
    let mut next = counts.roots.min(counts.waits);
    for wait in 0..counts.waits {
        let children = floating.wait_children(wait);
        ensure(children.start == next && children.end >= next, "wait nodes in order")?;
        ensure(children.end <= counts.waits && children.start > wait, "wait nodes behind their parents")?;
        next = children.end;
        ensure(floating.wait_rank(wait) <= rules.min(counts.best), "ranks of rules that exist")?;
        let segment = floating.wait_segment(wait);
        ensure(
            segment <= counts.segments && (segment > 0) == (wait >= counts.roots),
            "a segment to wait for",
        )?;
        ensure(wait >= counts.roots || floating.wait_rank(wait) == 0, "roots without ranks")?;
    }
    ensure(next == counts.waits, "every wait node reached")?;
    for segment in 1..=counts.segments {
        let child = floating.root_child(segment);
        let of_root_0 = counts.waits > 0 && floating.wait_children(0).contains(&child);
        let fits = child == 0 || of_root_0 && floating.wait_segment(child) == segment;
        ensure(fits, "children of root 0 where their segments are seen")?;
    }
    Ok(())
}
