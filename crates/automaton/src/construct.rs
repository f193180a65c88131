//! Builds the floating part: the automaton over segments, and the tree of wait nodes.
//!
//! Both are tries that are numbered breadth first, and both come from sorted paths: a node is a range of the paths that
//! begin alike, so each level is one pass over the ranges above it. Time and size are linear in the segments' octets
//! (sorting them apart).

use std::collections::VecDeque;

use robomata_policy::RuleSet;

use crate::few;
use crate::floating::{Arrays, Output};
use crate::head::{HeadBuilder, HeadValue};
use crate::int::u32_of;
use crate::pattern::{End, Pattern, Patterns};
use crate::rank::{Rank, Ranking};

/// Makes programs out of rule sets, and keeps its buffers from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Construction {
    pub(crate) ranking: Ranking,
    pub(crate) head: HeadBuilder,
    pub(crate) floating: Arrays,
    /// The patterns with floating segments, each with the number of the root that it follows.
    pub(crate) list: Vec<(u32, u32)>,
    /// Roots of wait nodes: 0, and one for each head that such a pattern follows.
    pub(crate) roots: u32,
    pub(crate) kind: Kind,
}

/// How the floating part of a program is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There is none.
    #[default]
    None,
    /// A list (see `few`).
    Few,
    /// An automaton (see `floating`).
    Many,
}

/// A pattern's way through the tree of wait nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Path {
    root: u32,
    segments: Vec<SegmentKey>,
    rank: Rank,
}

/// A segment as wait nodes tell them apart: its string, and whether the text must end behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SegmentKey {
    string: u32,
    end: End,
}

impl SegmentKey {
    /// The segment's number, as its string's output has it.
    fn number(self, output: &Output) -> u32 {
        match self.end {
            End::Open => output.segment,
            End::Anchored => output.end_segment,
        }
    }

    /// Where the segment's number stands in its string's output.
    fn number_mut(self, output: &mut Output) -> &mut u32 {
        match self.end {
            End::Open => &mut output.segment,
            End::Anchored => &mut output.end_segment,
        }
    }
}

impl Construction {
    /// Ranks the rules, then builds the trie of heads and the floating part.
    pub(crate) fn build(&mut self, rules: &RuleSet<'_>) {
        self.ranking.fill(rules);
        self.build_heads();
        self.kind = match &self.list[..] {
            [] => Kind::None,
            list if few::are_few(&self.ranking.patterns, list) => Kind::Few,
            _ => Kind::Many,
        };
        if self.kind == Kind::Many {
            self.build_floating();
        }
    }

    /// Writes the trie of heads; lists the patterns with floating segments.
    ///
    /// Patterns come by shape: those with one head stand together, and heads ascend.
    fn build_heads(&mut self) {
        let Construction {
            ranking: Ranking { patterns, by_shape, rank_of, .. }, head: builder, list, ..
        } = self;
        builder.clear();
        list.clear();
        let mut roots = 1;
        for same_head in
            by_shape.chunk_by(|&a, &b| patterns.head(patterns.get(a)) == patterns.head(patterns.get(b)))
        {
            let head = patterns.head(patterns.get(same_head[0]));
            let mut value = HeadValue::default();
            for &index in same_head {
                let pattern = patterns.get(index);
                let rank = rank_of[index as usize];
                if patterns.floating(pattern).len() > 0 {
                    if !head.is_empty() && value.wait == 0 {
                        value.wait = roots;
                        roots += 1;
                    }
                    list.push((index, value.wait));
                } else if pattern.end == End::Anchored {
                    value.end_rank = rank;
                } else {
                    value.rank = rank;
                }
            }
            if value != HeadValue::default() {
                builder.push(head, value);
            }
        }
        self.roots = roots;
    }

    fn build_floating(&mut self) {
        self.floating = Arrays::default();
        let Construction {
            ranking: Ranking { patterns, rank_of, .. }, floating: arrays, list, roots, ..
        } = self;

        // Every string once; a string is the key of a segment without `$` and of one with it.
        let mut strings: Vec<&[u8]> =
            list.iter().flat_map(|&(index, _)| patterns.floating(patterns.get(index))).collect();
        strings.sort_unstable();
        strings.dedup();

        let mut outputs = vec![Output::default(); strings.len()];
        let mut paths = Vec::new();
        for &(index, root) in list.iter() {
            let pattern = patterns.get(index);
            let rank = rank_of[index as usize];
            let segments = keys(patterns, pattern, &strings);
            match segments[..] {
                // Nothing to wait for: it matches wherever it is seen.
                [key] if root == 0 => {
                    let output = &mut outputs[key.string as usize];
                    match key.end {
                        End::Open => output.rank = rank,
                        End::Anchored => output.end_rank = rank,
                    }
                }
                _ => paths.push(Path { root, segments, rank }),
            }
        }
        paths.sort_unstable();
        number_segments(&paths, &strings, &mut outputs, arrays);
        build_waits(&paths, *roots, &outputs, arrays);
        build_states(&strings, &outputs, arrays);
    }
}

/// The keys of a pattern's floating segments, found in the sorted `strings`.
fn keys(patterns: &Patterns, pattern: &Pattern, strings: &[&[u8]]) -> Vec<SegmentKey> {
    let mut keys: Vec<SegmentKey> = patterns
        .floating(pattern)
        .map(|segment| match strings.binary_search(&segment) {
            Ok(number) => SegmentKey { string: u32_of(number), end: End::Open },
            Err(_) => unreachable!("every segment is among the strings"),
        })
        .collect();
    if let Some(last) = keys.last_mut() {
        last.end = pattern.end;
    }
    keys
}

/// Numbers the segments that some wait node waits for, and notes the numbers in the strings' outputs.
fn number_segments(paths: &[Path], strings: &[&[u8]], outputs: &mut [Output], arrays: &mut Arrays) {
    for &key in paths.iter().flat_map(|path| &path.segments) {
        let slot = key.number_mut(&mut outputs[key.string as usize]);
        if *slot == 0 {
            arrays.segment_length.push(u32_of(strings[key.string as usize].len()));
            *slot = u32_of(arrays.segment_length.len());
        }
    }
    arrays.root_child = vec![0; arrays.segment_length.len()];
}

/// A node of a trie that is being numbered: the paths `from..to` begin alike for `depth` steps.
struct Alike {
    from: usize,
    to: usize,
    depth: usize,
}

/// The tree of wait nodes, its roots first.
fn build_waits(paths: &[Path], roots: u32, outputs: &[Output], arrays: &mut Arrays) {
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
            let end = from + paths[from..to].partition_point(|path| path.segments[depth] <= key);
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
    let Arrays { first_child, failure, output, octet, outputs, .. } = arrays;
    let mut queue = VecDeque::from([Alike { from: 0, to: strings.len(), depth: 0 }]);
    octet.push(0);
    failure.push(0);
    output.push(0);
    let mut state = 0;
    while let Some(Alike { mut from, to, depth }) = queue.pop_front() {
        first_child.push(u32_of(octet.len()));
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
            let end = from + strings[from..to].partition_point(|string| string[depth] <= next);
            failure.push(if state == 0 { 0 } else { step(fallback, next, first_child, failure, octet) });
            octet.push(next);
            output.push(0);
            queue.push_back(Alike { from, to: end, depth: depth + 1 });
            from = end;
        }
        state += 1;
    }
    first_child.push(u32_of(octet.len()));
}

/// `own` with the chain of outputs that end in the same place, of which `next` is the longest.
fn chained(own: Output, next: u32, outputs: &[Output]) -> Output {
    let Some(below) = next.checked_sub(1).map(|index| outputs[index as usize]) else {
        return Output { best: own.rank, next: 0, next_waited: 0, ..own };
    };
    let next_waited = if below.segment > 0 { next } else { below.next_waited };
    Output { best: own.rank.max(below.best), next, next_waited, ..own }
}

/// A step of the automaton while it is being built: states up to the current depth have their children.
fn step(mut state: u32, next: u8, first_child: &[u32], failure: &[u32], octet: &[u8]) -> u32 {
    loop {
        let children = first_child[state as usize] as usize
            ..first_child.get(state as usize + 1).map_or(octet.len(), |&end| end as usize);
        if let Ok(index) = octet[children.clone()].binary_search(&next) {
            return u32_of(children.start + index);
        }
        if state == 0 {
            return 0;
        }
        state = failure[state as usize];
    }
}
