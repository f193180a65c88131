//! Builds the unanchored part: the automaton over segments, and the tree of wait nodes.
//!
//! Both are tries that are numbered breadth first, and both are built from sorted paths. A node is a range of the paths
//! with the same beginning, so each level takes one pass over the ranges above it. Time and size are linear in the
//! segments' bytes, except for sorting.

use std::collections::VecDeque;

use bumpalo::Bump;
use bumpalo::collections::Vec;

use crate::chains::{self, ChainArrays};
use crate::heavy_path::order_segments;
use crate::int::u32_of;
use crate::pattern::{End, Pattern};
use crate::pattern_list;
use crate::prefix::{PrefixBuilder, PrefixValue};
use crate::rank::{Rank, Ranking};
use crate::sort::{Item, Part, Texts, sort};
use crate::unanchored::{Arrays, Output};

/// A rule set whose program is ready for layout. Its parts are in the arena that it was built with.
#[derive(Debug)]
pub(crate) struct Construction<'a> {
    pub(crate) ranking: Ranking<'a>,
    /// The position of the root of the prefix trie.
    pub(crate) prefix_root: u32,
    /// The patterns with unanchored segments, by shape.
    pub(crate) list: Vec<'a, Follower<'a>>,
    /// The number of roots of wait nodes: 0, and one for each prefix that such a pattern follows.
    pub(crate) roots: u32,
    pub(crate) kind: Kind,
}

/// Memory for the parts of a program. It is reused from one program to the next.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// The prefix trie.
    pub(crate) prefixes: std::vec::Vec<u8>,
    /// The automaton, if the program has one.
    pub(crate) unanchored: Arrays,
    /// The chains, if the program has some.
    pub(crate) chains: ChainArrays,
}

/// A pattern with unanchored segments, and the number of the root that it follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower<'a> {
    pub(crate) pattern: &'a Pattern<'a>,
    pub(crate) root: u32,
}

/// The layout of a program's unanchored part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is no unanchored part.
    None,
    /// A list (see `pattern_list`).
    PatternList,
    /// An automaton (see `unanchored`).
    SegmentAutomaton,
    /// An automaton and chains (see `chains`).
    AutomatonAndChains,
}

impl<'a> Construction<'a> {
    /// Builds the parts of a program in `buffers`.
    pub(crate) fn new(ranking: Ranking<'a>, arena: &'a Bump, buffers: &mut Buffers) -> Self {
        let Buffers { prefixes, unanchored, chains } = buffers;
        let mut list = Vec::new_in(arena);
        let (prefix_root, roots) = build_prefixes(&ranking, prefixes, &mut list, arena);
        let kind = match &list[..] {
            [] => Kind::None,
            list if pattern_list::fits(list) => Kind::PatternList,
            list => {
                build_unanchored(list, roots, unanchored, chains, arena);
                if chains.is_empty() { Kind::SegmentAutomaton } else { Kind::AutomatonAndChains }
            }
        };
        Construction { ranking, prefix_root, list, roots, kind }
    }
}

/// Writes the prefix trie, and lists the patterns with unanchored segments. Returns the position of the trie's root,
/// and the number of roots of wait nodes.
fn build_prefixes<'a>(
    ranking: &Ranking<'a>,
    prefixes: &mut std::vec::Vec<u8>,
    list: &mut Vec<'a, Follower<'a>>,
    arena: &'a Bump,
) -> (u32, u32) {
    let mut builder = PrefixBuilder::new(prefixes, arena);
    let (mut prefix, mut value) = (&[][..], PrefixValue::default());
    let mut roots = 1;
    for pattern in ranking.by_shape() {
        if pattern.prefix != prefix {
            builder.push(prefix, value);
            (prefix, value) = (pattern.prefix, PrefixValue::default());
        }
        if !pattern.unanchored.is_empty() {
            if !prefix.is_empty() && value.wait == 0 {
                value.wait = roots;
                roots += 1;
            }
            list.push(Follower { pattern, root: value.wait });
        } else if pattern.end == End::Anchored {
            value.end_rank = pattern.rank;
        } else {
            value.rank = pattern.rank;
        }
    }
    builder.push(prefix, value);
    (builder.finish(), roots)
}

/// The identity of a segment for wait nodes: its string, and whether the text must end after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SegmentKey {
    /// The length in bytes. It is the first field, so that the children of a wait node are sorted by length.
    pub(crate) length: u32,
    pub(crate) string: u32,
    pub(crate) end: End,
}

impl SegmentKey {
    /// The segment's number in its string's output.
    fn number(self, output: &Output) -> u32 {
        match self.end {
            End::Open => output.waited,
            End::Anchored => output.end_segment,
        }
    }

    /// The field for the segment's number in its string's output.
    fn number_mut(self, output: &mut Output) -> &mut u32 {
        match self.end {
            End::Open => &mut output.waited,
            End::Anchored => &mut output.end_segment,
        }
    }
}

/// A pattern's path in the tree of wait nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path<'a> {
    pub(crate) root: u32,
    pub(crate) segments: &'a [SegmentKey],
    pub(crate) rank: Rank,
}

fn build_unanchored<'a>(
    list: &[Follower<'a>],
    roots: u32,
    arrays: &mut Arrays,
    chains: &mut ChainArrays,
    arena: &'a Bump,
) {
    arrays.clear();
    chains.clear();
    let Keyed { strings, keys } = key_segments(list, arena);

    let outputs = arena.alloc_slice_fill_copy(strings.len(), Output::default());
    let mut paths = Vec::with_capacity_in(list.len(), arena);
    let mut rest = keys;
    for &Follower { pattern, root } in list {
        let (segments, following) = rest.split_at(pattern.unanchored.len());
        rest = following;
        match *segments {
            // No wait is needed: the pattern matches wherever the segment occurs.
            [key] if root == 0 => {
                let output = &mut outputs[key.string as usize];
                match key.end {
                    End::Open => output.rank = pattern.rank,
                    End::Anchored => output.end_rank = pattern.rank,
                }
            }
            _ => paths.push(Path { root, segments, rank: pattern.rank }),
        }
    }
    paths.sort_unstable();
    let chained = chains::take(&mut paths, strings.len(), arena);
    number_segments(&paths, strings, outputs, arrays);
    build_waits(&paths, roots, outputs, arrays);
    if chained.is_empty() {
        build_states(strings, outputs, arrays);
        order_segments(arrays);
        return;
    }
    build_used_states(strings, outputs, arrays, arena);
    order_segments(arrays);

    let outputs = arena.alloc_slice_fill_copy(strings.len(), Output::default());
    number_segments(&chained, strings, outputs, &mut chains.symbols);
    build_waits(&[], 1, outputs, &mut chains.symbols);
    build_used_states(strings, outputs, &mut chains.symbols, arena);
    let numbers = order_segments(&mut chains.symbols);
    chains.extend(&chained, |key| numbers[key.number(&outputs[key.string as usize]) as usize]);
}

/// The automaton over those of the sorted `strings` that have an output.
fn build_used_states(strings: &[&[u8]], outputs: &[Output], arrays: &mut Arrays, arena: &Bump) {
    let used = || strings.iter().zip(outputs).filter(|(_, output)| **output != Output::default());
    let strings = Vec::from_iter_in(used().map(|(&string, _)| string), arena);
    let outputs = Vec::from_iter_in(used().map(|(_, &output)| output), arena);
    build_states(&strings, &outputs, arrays);
}

/// The segments of a list of patterns.
struct Keyed<'a> {
    /// Every string once, in ascending order: one string serves segments with and without `$`.
    strings: &'a [&'a [u8]],
    /// The keys of all segments, in the order of the patterns.
    keys: &'a [SegmentKey],
}

impl Texts for [&[u8]] {
    #[inline]
    fn part(&self, text: u32, number: usize) -> Part<'_> {
        if number == 0 { Part::Bytes(self[text as usize]) } else { Part::Nothing }
    }
}

fn key_segments<'a>(list: &[Follower<'a>], arena: &'a Bump) -> Keyed<'a> {
    // Patterns with the same beginning are adjacent: a segment that is unchanged is not sorted again.
    let count = list.iter().map(|follower| follower.pattern.unanchored.len()).sum();
    let mut keys = Vec::with_capacity_in(count, arena);
    let mut different = Vec::new_in(arena);
    let mut last: &[&[u8]] = &[];
    for &Follower { pattern, .. } in list {
        let before = keys.len() - last.len();
        let shared = last.iter().zip(pattern.unanchored).take_while(|(a, b)| a == b).count();
        for place in before..before + shared {
            keys.push(keys[place]);
        }
        for &segment in &pattern.unanchored[shared..] {
            let length = u32_of(segment.len());
            keys.push(SegmentKey { length, string: u32_of(different.len()), end: End::Open });
            different.push(segment);
        }
        last = pattern.unanchored;
    }

    let mut items = Vec::from_iter_in((0..u32_of(different.len())).map(Item::new), arena);
    sort(&mut items, &different[..], arena);
    let mut strings = Vec::new_in(arena);
    let number_of = arena.alloc_slice_fill_copy(different.len(), 0);
    for item in &items {
        if !item.repeats {
            strings.push(different[item.text as usize]);
        }
        number_of[item.text as usize] = u32_of(strings.len()) - 1;
    }

    let mut rest = &mut keys[..];
    for &Follower { pattern, .. } in list {
        let (segments, following) = rest.split_at_mut(pattern.unanchored.len());
        rest = following;
        for key in &mut *segments {
            key.string = number_of[key.string as usize];
        }
        if let Some(last) = segments.last_mut() {
            last.end = pattern.end;
        }
    }
    Keyed { strings: strings.into_bump_slice(), keys: keys.into_bump_slice() }
}

/// Numbers the segments that wait nodes wait for, and stores the numbers in the strings' outputs.
fn number_segments(paths: &[Path<'_>], strings: &[&[u8]], outputs: &mut [Output], arrays: &mut Arrays) {
    for &key in paths.iter().flat_map(|path| path.segments) {
        let slot = key.number_mut(&mut outputs[key.string as usize]);
        if *slot == 0 {
            arrays.segment_length.push(u32_of(strings[key.string as usize].len()));
            *slot = u32_of(arrays.segment_length.len());
        }
    }
    arrays.root_child.resize(arrays.segment_length.len(), 0);
}

/// A node of a trie in construction: the paths `from..to` share their first `depth` steps.
struct Alike {
    from: usize,
    to: usize,
    depth: usize,
}

/// The end of the items that are `alike`, searching from `from` and at most up to `to`.
#[inline]
fn end_of<T>(items: &[T], from: usize, to: usize, alike: impl Fn(&T) -> bool) -> usize {
    // Most nodes are on one path only.
    if to - from == 1 { to } else { from + items[from..to].partition_point(alike) }
}

/// The tree of wait nodes, its roots first.
fn build_waits(paths: &[Path<'_>], roots: u32, outputs: &[Output], arrays: &mut Arrays) {
    let mut queue = VecDeque::new();
    let mut from = 0;
    for root in 0..roots {
        let to = from + paths[from..].partition_point(|path| path.root <= root);
        queue.push_back(Alike { from, to, depth: 0 });
        arrays.wait_segment.push(0);
        arrays.wait_rank.push(0);
        from = to;
    }
    let mut node = 0;
    while let Some(Alike { mut from, to, depth }) = queue.pop_front() {
        arrays.wait_first_child.push(u32_of(arrays.wait_rank.len()));
        // A path that ends in this node sorts before those that continue: its rank is the node's.
        while from < to && paths[from].segments.len() == depth {
            arrays.wait_rank[node] = paths[from].rank;
            from += 1;
        }
        while from < to {
            let key = paths[from].segments[depth];
            let end = end_of(paths, from, to, |path| path.segments[depth] <= key);
            let segment = key.number(&outputs[key.string as usize]);
            if node == 0 {
                arrays.root_child[segment as usize - 1] = u32_of(arrays.wait_rank.len());
            }
            arrays.wait_segment.push(segment);
            arrays.wait_rank.push(0);
            queue.push_back(Alike { from, to: end, depth: depth + 1 });
            from = end;
        }
        node += 1;
    }
    arrays.wait_first_child.push(u32_of(arrays.wait_rank.len()));
}

/// The Aho-Corasick automaton over the sorted `strings`, with an output for each of them.
fn build_states(strings: &[&[u8]], outputs_of: &[Output], arrays: &mut Arrays) {
    let Arrays { first_child, failure, output, byte, outputs, .. } = arrays;
    let mut queue = VecDeque::from([Alike { from: 0, to: strings.len(), depth: 0 }]);
    byte.push(0);
    failure.push(0);
    output.push(0);
    let mut state = 0;
    while let Some(Alike { mut from, to, depth }) = queue.pop_front() {
        first_child.push(u32_of(byte.len()));
        let fallback = failure[state];
        // Failure states are closer to the root, so their outputs are known.
        output[state] = if state == 0 { 0 } else { output[fallback as usize] };
        if from < to && strings[from].len() == depth {
            outputs.push(chained(outputs_of[from], output[state], outputs));
            output[state] = u32_of(outputs.len());
            from += 1;
        }
        while from < to {
            let next = strings[from][depth];
            let end = end_of(strings, from, to, |string| string[depth] <= next);
            failure.push(if state == 0 { 0 } else { step(fallback, next, first_child, failure, byte) });
            byte.push(next);
            output.push(0);
            queue.push_back(Alike { from, to: end, depth: depth + 1 });
            from = end;
        }
        state += 1;
    }
    first_child.push(u32_of(byte.len()));
}

/// `own` together with the chain of outputs that end at the same position; `next` is the longest of these.
fn chained(own: Output, next: u32, outputs: &[Output]) -> Output {
    let Some(below) = next.checked_sub(1).map(|index| outputs[index as usize]) else {
        return Output { best: own.rank, next: 0, ..own };
    };
    let waited = if own.waited > 0 { own.waited } else { below.waited };
    Output { best: own.rank.max(below.best), next, waited, ..own }
}

/// A step of the automaton under construction: states up to the current depth have their children.
fn step(mut state: u32, next: u8, first_child: &[u32], failure: &[u32], byte: &[u8]) -> u32 {
    loop {
        let children = first_child[state as usize] as usize
            ..first_child.get(state as usize + 1).map_or(byte.len(), |&end| end as usize);
        if let Ok(index) = byte[children.clone()].binary_search(&next) {
            return u32_of(children.start + index);
        }
        if state == 0 {
            return 0;
        }
        state = failure[state as usize];
    }
}
