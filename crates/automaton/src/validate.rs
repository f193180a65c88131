//! Validation of a program's bytes.
//!
//! After validation, no walk indexes outside its arrays, every walk terminates, and a walk uses its scratch memory as
//! the searcher assumes. Takes one pass over the bytes, without recursion.

use std::fmt;

use crate::chains::Chains;
use crate::int::{Middle, Narrow, Wide, Width, read_fixed};
use crate::prefix::Node;
use crate::program::{Parts, UnanchoredPart};
use crate::unanchored::{Counts, Unanchored};

/// The bytes are not a program that can be walked safely.
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

impl LoadError {
    /// An error that names what was expected.
    pub const fn expected(violated: &'static str) -> Self {
        LoadError { violated }
    }
}

const RANKS: &str = "ranks of rules that exist";

/// Returns an error that names `expected`, unless `holds`.
pub(crate) fn ensure(holds: bool, expected: &'static str) -> Result<(), LoadError> {
    if holds { Ok(()) } else { Err(LoadError { violated: expected }) }
}

/// Validates one program on its own.
pub(crate) fn validate(bytes: &[u8]) -> Result<(), LoadError> {
    Validator::new().validate(bytes)
}

/// Validates programs, and reuses its memory.
#[derive(Debug, Default)]
pub struct Validator {
    /// One bit for each byte of a trie: a node starts here.
    starts: Vec<u64>,
    /// One bit for each wait root: a prefix has it.
    waits: Vec<u64>,
    /// By state of an automaton: its distance from the root.
    depths: Vec<u32>,
}

impl Validator {
    /// A validator without any memory.
    pub fn new() -> Self {
        Validator::default()
    }

    /// Validates that `bytes` are a program.
    ///
    /// # Errors
    /// When a walk could read outside the bytes or not terminate.
    pub fn validate(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let parts = Parts::find(bytes)
            .ok_or(LoadError { violated: "a program of this version, as long as its counts say" })?;
        validate_rules(&parts)?;
        self.validate_prefixes(&parts, parts.unanchored.roots())?;
        match parts.unanchored {
            UnanchoredPart::None => Ok(()),
            UnanchoredPart::PatternList { best, roots, list } => {
                ensure(
                    list.is_valid(parts.rule_count, roots),
                    "complete patterns in a list, by descending rank",
                )?;
                // A list that is not valid may have no first pattern.
                let best_is_first = list.pattern(0).is_some_and(|pattern| pattern.rank == best);
                ensure(best_is_first, "the best rank of a list as its first")
            }
            UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
                ensure(counts.best <= parts.rule_count, RANKS)?;
                let (rules, depths) = (parts.rule_count, &mut self.depths);
                match width {
                    1 => validate_unanchored(&Unanchored::<Narrow>::new(counts, arrays), rules, depths),
                    2 => validate_unanchored(&Unanchored::<Middle>::new(counts, arrays), rules, depths),
                    4 => validate_unanchored(&Unanchored::<Wide>::new(counts, arrays), rules, depths),
                    _ => ensure(false, "numbers of 1, 2 or 4 bytes"),
                }?;
                match Chains::after(&counts, width, arrays) {
                    None => Ok(()),
                    Some(chains) => validate_chains(&chains, counts, depths),
                }
            }
        }
    }

    /// Nodes are consecutive, children before their parents; the last one is the root.
    fn validate_prefixes(&mut self, parts: &Parts<'_>, roots: u32) -> Result<(), LoadError> {
        let prefix = parts.prefix();
        ensure(roots as usize <= prefix.len() + 1, "no more wait roots than prefixes")?;
        clear(&mut self.starts, prefix.len());
        clear(&mut self.waits, roots as usize);
        let mut at = 0;
        let mut last = None;
        while at < prefix.len() {
            let node =
                Node::read(prefix, at).ok_or(LoadError { violated: "complete nodes in the prefix trie" })?;
            let value = node.value;
            ensure(value.rank.max(value.end_rank) <= parts.rule_count, RANKS)?;
            if value.wait > 0 {
                let is_new = value.wait < roots && !is_set(&self.waits, value.wait as usize);
                ensure(is_new, "each wait root after one prefix")?;
                set(&mut self.waits, value.wait as usize);
            }
            let mut above = 0;
            for (byte, child) in node.children() {
                ensure(above <= u32::from(byte), "children in ascending order")?;
                above = u32::from(byte) + 1;
                ensure(child < at && is_set(&self.starts, child), "children before their parents")?;
            }
            set(&mut self.starts, at);
            last = Some(at);
            at = node.end(prefix);
        }
        ensure(last == Some(parts.root), "the root as the last node")
    }
}

/// Symbols that are an automaton of their own, and chains after roots that exist.
fn validate_chains(
    chains: &Chains<'_>,
    Counts { best, roots, .. }: Counts,
    depths: &mut Vec<u32>,
) -> Result<(), LoadError> {
    validate_unanchored(&chains.symbols(), 0, depths)?;
    ensure(chains.is_valid(best, roots), "complete chains, by descending rank")
}

/// Resets `bits` to `len` zero bits.
fn clear(bits: &mut Vec<u64>, len: usize) {
    bits.clear();
    bits.resize(len.div_ceil(64), 0);
}

#[inline]
fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

#[inline]
fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

/// Lines start at 1 and fit into 32 bits.
fn validate_rules(parts: &Parts<'_>) -> Result<(), LoadError> {
    // An item is a line * 2, plus 1 for allow. Without a branch for each item, the common ones are compared in blocks.
    let all = |is_line: fn(u64) -> bool| {
        let items = parts.rules().chunks_exact(parts.rule_width.into());
        items.fold(true, |all, item| all & is_line(read_fixed(item, 0, item.len())))
    };
    let are_lines = match parts.rule_width {
        2 => parts.rules().as_chunks().0.iter().fold(true, |all, &item| all & (u16::from_le_bytes(item) > 1)),
        4 => all(|item| item > 1),
        8 => all(|item| (2..1 << 33).contains(&item)),
        _ => return ensure(false, "rules of 2, 4 or 8 bytes"),
    };
    ensure(are_lines, "lines from 1 on that fit into 32 bits")
}

fn validate_unanchored<W: Width>(
    unanchored: &Unanchored<'_, W>,
    rules: u32,
    depths: &mut Vec<u32>,
) -> Result<(), LoadError> {
    let counts = unanchored.counts;
    ensure(counts.states > 0 && counts.roots > 0, "a root state and a root to wait at")?;
    ensure(counts.roots <= counts.waits, "every root among the wait nodes")?;
    validate_states(unanchored, depths)?;
    validate_outputs(unanchored, rules)?;
    validate_segments(unanchored)?;
    validate_waits(unanchored, rules)
}

/// Breadth-first order, and failure transitions that lead closer to the root.
///
/// Nearly all of a large program is states, so the loop over them has no early exit.
fn validate_states<W: Width>(unanchored: &Unanchored<'_, W>, depths: &mut Vec<u32>) -> Result<(), LoadError> {
    let states = unanchored.counts.states;
    depths.clear();
    // A state that has not been visited yet is not close to the root.
    depths.resize(states as usize, u32::MAX);
    let (mut depth, mut level_end) = (0, 1);
    // Where the children of the next state begin: earlier states have all children with smaller numbers.
    let mut next = 1;
    let mut fits = unanchored.children(0).start == 1;
    for (state, (end, failure)) in (0..).zip(unanchored.child_ends_and_failures()) {
        if state == level_end {
            depth += 1;
            level_end = next;
        }
        fits &= next > state && next <= end && end <= states;
        if fits && end - next > 1 {
            fits = unanchored.bytes(next..end).is_sorted_by(|a, b| a < b);
        }
        next = end;
        // The root has no failure state.
        fits &= state == 0 || depths.get(failure as usize).is_some_and(|&of| of < depth);
        depths[state as usize] = depth;
    }
    ensure(fits && next == states, "states breadth first, each failing to one closer to the root")
}

/// Chains that terminate, and numbers in range.
fn validate_outputs<W: Width>(unanchored: &Unanchored<'_, W>, rules: u32) -> Result<(), LoadError> {
    let counts = unanchored.counts;
    let exist = unanchored.outputs_of_states().fold(true, |all, number| all & (number <= counts.outputs));
    ensure(exist, "outputs that exist")?;
    for number in 1..=counts.outputs {
        let output = unanchored.output(number);
        let ranks = output.rank.max(output.best).max(output.end_rank);
        ensure(ranks <= rules && output.best.max(output.end_rank) <= counts.best, RANKS)?;
        ensure(output.next < number, "chains of outputs that end")?;
        ensure(output.waited.max(output.end_segment) <= counts.segments, "segments that exist")?;
    }
    Ok(())
}

/// Paths that terminate, each above those that lead to it, and no empty segments.
fn validate_segments<W: Width>(unanchored: &Unanchored<'_, W>) -> Result<(), LoadError> {
    for segment in 1..=unanchored.counts.segments {
        let (top, up) = (unanchored.path_top(segment), unanchored.path_up(segment));
        ensure(up < top && top <= segment, "paths of segments that end")?;
        ensure(unanchored.segment_length(segment) > 0, "segments of a byte or more")?;
    }
    Ok(())
}

/// Breadth-first order, so that each node has one parent and is queued at most once in a walk.
fn validate_waits<W: Width>(unanchored: &Unanchored<'_, W>, rules: u32) -> Result<(), LoadError> {
    let counts = unanchored.counts;
    let mut next = counts.roots.min(counts.waits);
    for wait in 0..counts.waits {
        let children = unanchored.wait_children(wait);
        ensure(children.start == next && children.end >= next, "wait nodes in order")?;
        ensure(children.end <= counts.waits && children.start > wait, "wait nodes after their parents")?;
        next = children.end;
        let mut last_length = 0;
        for child in children {
            let segment = unanchored.wait_segment(child);
            ensure(1 <= segment && segment <= counts.segments, "a segment to wait for")?;
            let length = unanchored.segment_length(segment);
            ensure(last_length <= length, "wait nodes by the lengths of their segments")?;
            last_length = length;
        }
        ensure(unanchored.wait_rank(wait) <= rules.min(counts.best), RANKS)?;
        let segment = unanchored.wait_segment(wait);
        ensure(
            segment <= counts.segments && (segment > 0) == (wait >= counts.roots),
            "a segment to wait for",
        )?;
        ensure(wait >= counts.roots || unanchored.wait_rank(wait) == 0, "roots without ranks")?;
    }
    ensure(next == counts.waits, "every wait node reached")?;
    for segment in 1..=counts.segments {
        let child = unanchored.root_child(segment);
        let of_root_0 = unanchored.wait_children(0).contains(&child);
        let fits = child == 0 || of_root_0 && unanchored.wait_segment(child) == segment;
        ensure(fits, "children of root 0 at their segments")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use robomata_protocol::{Access, Dialect};

    use super::*;
    use crate::decompile::Shape;
    use crate::pattern::End;
    use crate::program::Compiler;

    /// The bytes of a program of open patterns, the worst first, with lines from `line` on.
    fn program(patterns: &[(&str, &[Vec<u8>])], line: u32) -> Vec<u8> {
        let rules: Vec<_> = (line..)
            .zip(patterns)
            .map(|(line, (prefix, segments))| {
                let shape = Shape {
                    prefix: prefix.as_bytes().to_vec(),
                    unanchored: segments.to_vec(),
                    end: End::Open,
                };
                (shape, Access::Disallow, line)
            })
            .collect();
        let mut compiler = Compiler::new();
        let bytes = compiler.compile_shapes(&rules, Dialect::Rfc9309).bytes().to_vec();
        assert_eq!(validate(&bytes), Ok(()));
        bytes
    }

    /// More segments than a pattern of a list has. Each waits for the next, so the wait nodes are a path. The arrays
    /// of the automaton (`unanchored.rs`) are at the end of the program, with numbers of one byte.
    fn path_of_nine() -> Vec<u8> {
        program(&[("", &(b'a'..=b'i').map(|byte| vec![byte]).collect::<Vec<_>>())], 1)
    }

    /// The bytes of the wait nodes of [`path_of_nine`], its segments, its outputs and its states.
    const WAITS: usize = 11 + 10 + 10;
    const SEGMENTS: usize = 4 * 9;
    const OUTPUTS: usize = 6 * 9;
    const STATES: usize = 11 + 10 + 10 + 10;

    #[test]
    fn a_wait_node_is_no_child_of_its_own() {
        let mut bytes = path_of_nine();
        // At the end are the first children, the segments and the ranks of the wait nodes.
        let waits = 10;
        let children = bytes.len() - (3 * waits + 1);
        let children = &mut bytes[children..=children + waits];
        assert_eq!(children, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);
        children[5..10].copy_from_slice(&[5, 6, 7, 8, 9]);
        assert_eq!(validate(&bytes), Err(LoadError::expected("wait nodes after their parents")));
    }

    #[test]
    fn a_root_of_wait_nodes_waits_for_no_segment() {
        let mut bytes = path_of_nine();
        let root = bytes.len() - WAITS + 11;
        assert_eq!(bytes[root..root + 3], [0, 1, 2]);
        bytes[root] = 1;
        assert_eq!(validate(&bytes), Err(LoadError::expected("a segment to wait for")));
    }

    #[test]
    fn a_segment_has_a_byte_or_more() {
        let mut bytes = path_of_nine();
        let lengths = bytes.len() - WAITS - SEGMENTS;
        assert_eq!(bytes[lengths..lengths + 9], [1; 9]);
        bytes[lengths] = 0;
        assert_eq!(validate(&bytes), Err(LoadError::expected("segments of a byte or more")));
    }

    #[test]
    fn a_state_is_no_child_of_its_own() {
        let mut bytes = path_of_nine();
        let states = bytes.len() - WAITS - SEGMENTS - OUTPUTS - STATES;
        let children = &mut bytes[states..states + 11];
        assert_eq!(children, [1, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10]);
        children[1..10].fill(9);
        let expected = "states breadth first, each failing to one closer to the root";
        assert_eq!(validate(&bytes), Err(LoadError::expected(expected)));
    }

    #[test]
    fn a_state_fails_to_one_closer_to_the_root() {
        let bytes = path_of_nine();
        let failures = bytes.len() - WAITS - SEGMENTS - OUTPUTS - STATES + 11;
        assert_eq!(bytes[failures..failures + 10], [0; 10]);
        for (state, failure) in [(5, 5), (5, 3), (3, 5)] {
            let mut bytes = bytes.clone();
            bytes[failures + state] = failure;
            let expected = "states breadth first, each failing to one closer to the root";
            assert_eq!(validate(&bytes), Err(LoadError::expected(expected)), "{state} to {failure}");
        }
    }

    #[test]
    fn children_of_each_state_ascend() {
        let mut segments: Vec<Vec<u8>> = (b'b'..=b'm').map(|byte| vec![byte]).collect();
        segments.extend([b"aQ", b"aR", b"aS"].map(|segment| segment.to_vec()));
        let mut bytes = program(&[("", &segments)], 1);
        let at = bytes.windows(3).position(|bytes| bytes == b"QRS").unwrap();
        bytes[at..at + 3].copy_from_slice(b"RQS");
        let expected = "states breadth first, each failing to one closer to the root";
        assert_eq!(validate(&bytes), Err(LoadError::expected(expected)));
    }

    #[test]
    fn there_is_a_root_to_wait_at() {
        let mut bytes = path_of_nine();
        // After the version and the widths: the best rank, two numbers of prefixes, states, outputs, segments, roots and waits.
        assert_eq!(bytes[2..10], [1, 2, 0, 10, 9, 9, 1, 10]);
        bytes[8] = 0;
        assert_eq!(validate(&bytes), Err(LoadError::expected("a root state and a root to wait at")));
    }

    #[test]
    fn there_is_a_root_state() {
        let mut bytes = path_of_nine();
        bytes[5] = 0;
        // The first children end with an entry more than there are states.
        let states = bytes.len() - WAITS - SEGMENTS - OUTPUTS - STATES;
        bytes.drain(states + 1..states + STATES);
        assert!(Parts::find(&bytes).is_some());
        assert_eq!(validate(&bytes), Err(LoadError::expected("a root state and a root to wait at")));
    }

    /// The walk ends when it has found the best rank that the automaton states.
    #[test]
    fn no_output_has_a_better_rank_than_the_automaton() {
        let segments: Vec<Vec<u8>> = (b'a'..=b'i').map(|byte| vec![byte]).collect();
        let bytes = program(&[("", &segments), ("/a", &[]), ("/b", &[])], 1);
        let parts = Parts::find(&bytes).unwrap();
        let UnanchoredPart::SegmentAutomaton { counts, .. } = parts.unanchored else {
            panic!("no automaton")
        };
        assert_eq!((parts.rule_count, counts.best), (3, 1));
        // Six arrays: among them are the ranks, the best ranks and the ranks at the end of the text.
        let outputs = bytes.len() - WAITS - SEGMENTS - OUTPUTS;
        let mut refused = 0;
        for at in outputs..outputs + OUTPUTS {
            for rank in [2, 4] {
                let mut bytes = bytes.clone();
                bytes[at] = rank;
                refused += usize::from(validate(&bytes) == Err(LoadError::expected(RANKS)));
            }
        }
        // A rank of a rule that does not exist in three arrays, and one better than the best in two.
        assert_eq!(refused, 5 * 9);
    }

    #[test]
    fn a_chain_has_a_rank() {
        let pattern = |n: usize| {
            let segments = (0..36 + n / 8).map(|i| [&b"c"[..], b"d", b"cd"][i % 3].to_vec());
            (format!("/{n}"), segments.collect::<Vec<_>>())
        };
        let patterns: Vec<_> = (0..60).map(pattern).collect();
        let patterns: Vec<(&str, &[Vec<u8>])> =
            patterns.iter().map(|(prefix, segments)| (prefix.as_str(), segments.as_slice())).collect();
        let bytes = program(&patterns, 1);
        let parts = Parts::find(&bytes).unwrap();
        let UnanchoredPart::SegmentAutomaton { counts, width, arrays } = parts.unanchored else {
            panic!("no automaton")
        };
        let last = Chains::after(&counts, width, arrays).and_then(|chains| chains.all().last()).unwrap();
        let record = [last.rank, last.root].map(u32::to_le_bytes).concat();
        let at = bytes.windows(8).rposition(|bytes| bytes == record).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..at + 4].fill(0);
        assert_eq!(validate(&bytes), Err(LoadError::expected("complete chains, by descending rank")));
    }

    #[test]
    fn children_of_a_prefix_have_different_bytes() {
        let bytes = program(&[("/a", &[]), ("/b", &[]), ("/c", &[])], 1);
        let at = bytes.windows(3).position(|bytes| bytes == b"abc").unwrap();
        for (children, is_valid) in [(b"abd", true), (b"aac", false), (b"acc", false), (b"bac", false)] {
            let mut bytes = bytes.clone();
            bytes[at..at + 3].copy_from_slice(children);
            let expected = LoadError::expected("children in ascending order");
            assert_eq!(validate(&bytes), if is_valid { Ok(()) } else { Err(expected) });
        }
    }

    #[test]
    fn each_rule_has_a_line_in_each_width() {
        for (line, width) in [(1, 2), (0x8000, 4), (1 << 31, 8)] {
            let bytes = program(&[("/a", &[]), ("/b", &[])], line);
            let parts = Parts::find(&bytes).unwrap();
            assert_eq!((parts.rules().len(), parts.rule_width), (2 * usize::from(width), width));
            let first = parts.rules().as_ptr().addr() - bytes.as_ptr().addr();
            for (rule, item) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let mut bytes = bytes.clone();
                let item_bytes = &mut bytes[first + rule * usize::from(width)..][..width.into()];
                item_bytes.fill(0);
                item_bytes[0] = item;
                let expected = LoadError::expected("lines from 1 on that fit into 32 bits");
                assert_eq!(validate(&bytes), Err(expected), "rule {rule} of {width} bytes");
            }
        }
    }

    #[test]
    fn an_automaton_of_more_states_than_two_bytes_can_count_is_valid() {
        let mut segments: Vec<Vec<u8>> = (b'a'..=b'i').map(|byte| vec![byte]).collect();
        segments.push(vec![b'x'; 1 << 16]);
        let bytes = program(&[("", &segments)], 1);
        let parts = Parts::find(&bytes).unwrap();
        assert!(matches!(parts.unanchored, UnanchoredPart::SegmentAutomaton { width: 4, .. }));
    }
}
