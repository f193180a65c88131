//! Builds the floating part: the automaton over segments, and the tree of wait nodes.
//!
//! Both are tries that are numbered breadth first, and both come from sorted paths: a node is a range of the paths that
//! begin alike, so each level is one pass over the ranges above it. Time and size are linear in the segments' bytes
//! (sorting them apart).

use std::collections::VecDeque;

use bumpalo::Bump;
use bumpalo::collections::Vec;

use crate::heavy_path::order_segments;
use crate::int::u32_of;
use crate::pattern::{End, Pattern};
use crate::pattern_list;
use crate::prefix::{PrefixBuilder, PrefixValue};
use crate::rank::{Rank, Ranking};
use crate::sort::{Item, Part, Texts, sort};
use crate::unanchored::{Arrays, Output};

/// A rule set whose program is to be laid out. What it is made of lies in the arena that it was built with.
#[derive(Debug)]
pub(crate) struct Construction<'a> {
    pub(crate) ranking: Ranking<'a>,
    /// Where the root of the trie of heads begins.
    pub(crate) head_root: u32,
    /// The patterns with floating segments, by shape.
    pub(crate) list: Vec<'a, Follower<'a>>,
    /// Roots of wait nodes: 0, and one for each head that such a pattern follows.
    pub(crate) roots: u32,
    pub(crate) kind: Kind,
}

/// A pattern with floating segments, and the number of the root that it follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Follower<'a> {
    pub(crate) pattern: &'a Pattern<'a>,
    pub(crate) root: u32,
}

/// How the floating part of a program is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is none.
    None,
    /// A list (see `pattern_list`).
    PatternList,
    /// An automaton (see `unanchored`).
    SegmentAutomaton,
}

impl<'a> Construction<'a> {
    /// Writes the trie of heads to `prefixes`, and the automaton, if there is one, to `unanchored`.
    pub(crate) fn new(
        ranking: Ranking<'a>,
        arena: &'a Bump,
        prefixes: &mut std::vec::Vec<u8>,
        unanchored: &mut Arrays,
    ) -> Self {
        let mut list = Vec::new_in(arena);
        let (head_root, roots) = build_heads(&ranking, prefixes, &mut list, arena);
        let kind = match &list[..] {
            [] => Kind::None,
            list if pattern_list::are_few(list) => Kind::PatternList,
            _ => Kind::SegmentAutomaton,
        };
        if kind == Kind::SegmentAutomaton {
            build_unanchored(&list, roots, unanchored, arena);
        }
        Construction { ranking, head_root, list, roots, kind }
    }
}

/// Writes the trie of heads; lists the patterns with floating segments. Gives the position of the trie's root, and how
/// many roots of wait nodes there are.
fn build_heads<'a>(
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

/// A segment as wait nodes tell them apart: its string, and whether the text must end behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SegmentKey {
    /// Bytes; first, so that the children of a wait node ascend by length.
    length: u32,
    string: u32,
    end: End,
}

impl SegmentKey {
    /// The segment's number, as its string's output has it.
    fn number(self, output: &Output) -> u32 {
        match self.end {
            End::Open => output.waited,
            End::Anchored => output.end_segment,
        }
    }

    /// Where the segment's number stands in its string's output.
    fn number_mut(self, output: &mut Output) -> &mut u32 {
        match self.end {
            End::Open => &mut output.waited,
            End::Anchored => &mut output.end_segment,
        }
    }
}

/// A pattern's way through the tree of wait nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Path<'a> {
    root: u32,
    segments: &'a [SegmentKey],
    rank: Rank,
}

fn build_unanchored<'a>(list: &[Follower<'a>], roots: u32, arrays: &mut Arrays, arena: &'a Bump) {
    arrays.clear();
    let Keyed { strings, keys } = key_segments(list, arena);

    let outputs = arena.alloc_slice_fill_copy(strings.len(), Output::default());
    let mut paths = Vec::with_capacity_in(list.len(), arena);
    let mut rest = keys;
    for &Follower { pattern, root } in list {
        let (segments, behind) = rest.split_at(pattern.unanchored.len());
        rest = behind;
        match *segments {
            // Nothing to wait for: it matches wherever it is seen.
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
    number_segments(&paths, strings, outputs, arrays);
    build_waits(&paths, roots, outputs, arrays);
    build_states(strings, outputs, arrays);
    order_segments(arrays);
}

/// The segments of a list of patterns.
struct Keyed<'a> {
    /// Every string once, in ascending order: one string serves segments without `$` and with it.
    strings: &'a [&'a [u8]],
    /// The keys of all segments, pattern after pattern.
    keys: &'a [SegmentKey],
}

impl Texts for [&[u8]] {
    #[inline]
    fn part(&self, text: u32, number: usize) -> Part<'_> {
        if number == 0 { Part::Bytes(self[text as usize]) } else { Part::Nothing }
    }
}

fn key_segments<'a>(list: &[Follower<'a>], arena: &'a Bump) -> Keyed<'a> {
    // Patterns that begin alike stand together: a segment that is still the same is not sorted again.
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
        let (segments, behind) = rest.split_at_mut(pattern.unanchored.len());
        rest = behind;
        for key in &mut *segments {
            key.string = number_of[key.string as usize];
        }
        if let Some(last) = segments.last_mut() {
            last.end = pattern.end;
        }
    }
    Keyed { strings: strings.into_bump_slice(), keys: keys.into_bump_slice() }
}

/// Numbers the segments that some wait node waits for, and notes the numbers in the strings' outputs.
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

/// A node of a trie that is being numbered: the paths `from..to` begin alike for `depth` steps.
struct Alike {
    from: usize,
    to: usize,
    depth: usize,
}

/// Where those of `items` end, from `from` on and at most up to `to`, that are `alike`.
#[inline]
fn end_of<T>(items: &[T], from: usize, to: usize, alike: impl Fn(&T) -> bool) -> usize {
    // Most nodes lie on one path only.
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
        // A path that ends in this node sorts before those that go on: its rank is the node's.
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
        // Failure states are nearer to the root, so their outputs are known.
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

/// `own` with the chain of outputs that end in the same place, of which `next` is the longest.
fn chained(own: Output, next: u32, outputs: &[Output]) -> Output {
    let Some(below) = next.checked_sub(1).map(|index| outputs[index as usize]) else {
        return Output { best: own.rank, next: 0, ..own };
    };
    let waited = if own.waited > 0 { own.waited } else { below.waited };
    Output { best: own.rank.max(below.best), next, waited, ..own }
}

/// A step of the automaton while it is being built: states up to the current depth have their children.
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
