//! The unanchored part of a program: everything after a `*`.
//!
//! # How it matches
//!
//! All unanchored segments go into one Aho-Corasick automaton, so a text is read once, however many rules there are.
//! Leftmost placement is exact for this pattern language: after a segment that ended at `e`, the next one may be placed
//! at its first occurrence that *starts* at `e` or later. So a pattern needs no more memory than its progress and the
//! position where that ended.
//!
//! Patterns with the same beginning share it: they are paths of a tree whose edges are segments, its **wait nodes**. A
//! node becomes active once, at the earliest position where its path matches; then each of its children waits for its
//! segment. The nodes that wait for one segment form a queue, and all of them continue when the segment occurs. A
//! node's rank counts when it becomes active.
//!
//! * Root 0 represents patterns that begin with `*`: its children wait from the first byte on, without a queue entry. A
//!   child of root 0 without children of its own does not wait at all: its rank is in the automaton's output. (An
//!   output already contains the best rank of itself and all outputs that end at the same position.)
//! * Each other root belongs to one prefix (see `prefix`) and becomes active where that prefix ends.
//! * A last segment with `$` is checked once, at the end of the text.
//!
//! Segments nest, so one position of the text can end a thousand of them. Only **live** segments are visited: those
//! with a node in their queue. A node enters the queue when its segment can have *begun* after the previous one, and no
//! sooner. For that, an active node is in a list for the position where this holds for the shortest of its children's
//! segments, then for the next longer ones (children ascend by length). So every visit of a segment makes its whole
//! queue continue, in any order. The exception is one visit per segment in each walk, which finds an empty queue.
//! `heavy_path` describes how live segments are found among the others.
//!
//! # Bounds
//!
//! For a text of n bytes and a program of m segments with S bytes and w wait nodes, a check takes at most
//!
//! * 2 n transitions of the automaton: each moves the state's depth up by one or down by at least one;
//! * n (log2(m) + 2) + n sqrt(2 S) / 64 looks at a word of 64 segments: at each byte, one for each path that ends
//!   there, and one more for each whole word of segments on these paths (`heavy_path`);
//! * m visits of segments with an empty queue, and m / 64 words to reset;
//! * 3 w steps of wait nodes: each enters a queue, becomes active, and causes its parent to be listed at most once. At
//!   each byte, no more nodes become active than there are rules.
//!
//! Reporting all ranks, instead of the best one, visits all outputs of a position, at most sqrt(2 S) of them.
//!
//! # Layout
//!
//! Consecutive arrays of one width (1, 2 or 4 bytes, by the largest number in them):
//!
//! ```text
//! states      first child (n + 1), failure (n), output (n), byte (n, always 1 byte wide)
//! outputs     6 numbers each, see `Output`; numbers are 1-based, 0 is none
//! segments    length (m), child of root 0 (m), first of its path (m), segment above its path (m)
//! wait nodes  first child (w + 1), segment (w), rank (w)
//! ```
//!
//! States and wait nodes are numbered breadth first: the children of one node are adjacent.

use crate::int::{Width, push_all, u32_of, width_for};
use crate::rank::Rank;

/// The sizes of the arrays, as numbers in a program's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) states: u32,
    pub(crate) outputs: u32,
    pub(crate) segments: u32,
    pub(crate) roots: u32,
    pub(crate) waits: u32,
    /// The best rank in the whole unanchored part.
    pub(crate) best: Rank,
}

/// The number of fields of an output record.
pub(crate) const OUTPUT_FIELDS: usize = 6;

/// The output of a state: one record for each state that some segment ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// The best rule that requires only this segment.
    pub(crate) rank: Rank,
    /// The best rank of this output and of all outputs further down the chain.
    pub(crate) best: Rank,
    /// The best rule that requires only this segment, at the text's end.
    pub(crate) end_rank: Rank,
    /// The longest segment that wait nodes wait for, of this one and those further down the chain; 1-based.
    pub(crate) waited: u32,
    /// The segment with `$`, if wait nodes wait for it; 1-based.
    pub(crate) end_segment: u32,
    /// The longest other segment that ends at the same position.
    pub(crate) next: u32,
}

/// The bytes that lead out of state 0, and where to. Most steps begin there, and it has the most children.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Starts {
    /// One bit for each byte.
    bytes: [u64; 4],
    /// By word of `bytes`: the state that its first byte leads to.
    states: [u32; 4],
}

impl Starts {
    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// The state after `byte`. The children of a state ascend, so the number of smaller bytes is the child's.
    #[inline]
    fn state(&self, byte: u8) -> u32 {
        let word = usize::from(byte >> 6);
        let smaller = self.bytes[word] & ((1 << (byte & 63)) - 1);
        if self.contains(byte) { self.states[word] + smaller.count_ones() } else { 0 }
    }
}

impl Counts {
    /// The size of the arrays with numbers of `width` bytes.
    pub(crate) fn bytes(&self, width: usize) -> Option<usize> {
        let [states, outputs, segments, waits] =
            [self.states, self.outputs, self.segments, self.waits].map(|count| count as usize);
        let numbers = states
            .checked_mul(3)?
            .checked_add(1)?
            .checked_add(outputs.checked_mul(OUTPUT_FIELDS)?)?
            .checked_add(segments.checked_mul(4)?)?
            .checked_add(waits.checked_mul(3)?.checked_add(1)?)?;
        numbers.checked_mul(width)?.checked_add(states)
    }
}

/// The unanchored part of a program, with its arrays located.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unanchored<'p, W: Width> {
    pub(crate) counts: Counts,
    first_child: &'p [u8],
    failure: &'p [u8],
    output: &'p [u8],
    byte: &'p [u8],
    outputs: &'p [u8],
    segment_length: &'p [u8],
    root_child: &'p [u8],
    path_top: &'p [u8],
    path_up: &'p [u8],
    wait_first_child: &'p [u8],
    wait_segment: &'p [u8],
    wait_rank: &'p [u8],
    width: std::marker::PhantomData<W>,
}

impl<'p, W: Width> Unanchored<'p, W> {
    /// Locates the arrays at the beginning of `bytes`, which must be as long as `counts` say, or longer.
    #[inline]
    pub(crate) fn new(counts: Counts, bytes: &'p [u8]) -> Self {
        let mut rest = bytes;
        let mut take = |count: usize, width: usize| {
            let (array, following) = rest.split_at(count * width);
            rest = following;
            array
        };
        let [states, outputs, segments, waits] =
            [counts.states, counts.outputs, counts.segments, counts.waits].map(|count| count as usize);
        Unanchored {
            counts,
            first_child: take(states + 1, W::BYTES),
            failure: take(states, W::BYTES),
            output: take(states, W::BYTES),
            byte: take(states, 1),
            outputs: take(outputs, OUTPUT_FIELDS * W::BYTES),
            segment_length: take(segments, W::BYTES),
            root_child: take(segments, W::BYTES),
            path_top: take(segments, W::BYTES),
            path_up: take(segments, W::BYTES),
            wait_first_child: take(waits + 1, W::BYTES),
            wait_segment: take(waits, W::BYTES),
            wait_rank: take(waits, W::BYTES),
            width: std::marker::PhantomData,
        }
    }

    /// The state after `byte`: the longest segment prefix that the text now ends in. Calls `tried` for each transition
    /// that is tried.
    #[inline]
    pub(crate) fn step(&self, starts: &Starts, mut state: u32, byte: u8, mut tried: impl FnMut()) -> u32 {
        loop {
            tried();
            if state == 0 {
                return starts.state(byte);
            }
            if let Some(next) = self.child(state, byte) {
                return next;
            }
            state = self.failure(state);
        }
    }

    /// The bytes that lead out of state 0.
    pub(crate) fn starts(&self) -> Starts {
        let children = self.children(0);
        let mut bytes = [0_u64; 4];
        for &byte in self.bytes(children.clone()) {
            bytes[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        let mut state = children.start;
        let states = bytes.map(|word| {
            let first = state;
            state += word.count_ones();
            first
        });
        Starts { bytes, states }
    }

    #[inline]
    fn child(&self, state: u32, byte: u8) -> Option<u32> {
        // Most states have one or two children; for many children, the search is worth a call.
        const FEW: usize = 6;
        let children = self.children(state);
        let bytes = &self.byte[children.start as usize..children.end as usize];
        let index = if bytes.len() <= FEW {
            bytes.iter().position(|&child| child == byte)?
        } else {
            memchr::memchr(byte, bytes)?
        };
        Some(children.start + u32_of(index))
    }

    pub(crate) fn children(&self, state: u32) -> std::ops::Range<u32> {
        W::at(self.first_child, state as usize)..W::at(self.first_child, state as usize + 1)
    }

    /// By state: the end of its children, where those of the next state begin, and its failure state.
    #[inline]
    pub(crate) fn child_ends_and_failures(&self) -> impl Iterator<Item = (u32, u32)> {
        W::all(self.first_child).skip(1).zip(W::all(self.failure))
    }

    /// By state: its 1-based output.
    #[inline]
    pub(crate) fn outputs_of_states(&self) -> impl Iterator<Item = u32> {
        W::all(self.output)
    }

    pub(crate) fn byte(&self, state: u32) -> u8 {
        self.byte[state as usize]
    }

    /// The bytes that lead to each of these states from its parent.
    #[inline]
    pub(crate) fn bytes(&self, states: std::ops::Range<u32>) -> &'p [u8] {
        &self.byte[states.start as usize..states.end as usize]
    }

    pub(crate) fn failure(&self, state: u32) -> u32 {
        W::at(self.failure, state as usize)
    }

    /// The 1-based output of `state`; 0 is none.
    #[inline]
    pub(crate) fn output_of(&self, state: u32) -> u32 {
        W::at(self.output, state as usize)
    }

    /// The output with a 1-based number.
    #[inline]
    pub(crate) fn output(&self, number: u32) -> Output {
        let at = |field| W::at(self.outputs, (number as usize - 1) * OUTPUT_FIELDS + field);
        Output { rank: at(0), best: at(1), end_rank: at(2), waited: at(3), end_segment: at(4), next: at(5) }
    }

    /// The length of the segment with a 1-based number, in bytes.
    #[inline]
    pub(crate) fn segment_length(&self, segment: u32) -> u32 {
        W::at(self.segment_length, segment as usize - 1)
    }

    /// The child of root 0 for the segment with a 1-based number; 0 is none.
    #[inline]
    pub(crate) fn root_child(&self, segment: u32) -> u32 {
        W::at(self.root_child, segment as usize - 1)
    }

    /// The first segment on the path of the segment with a 1-based number (see `heavy_path`).
    #[inline]
    pub(crate) fn path_top(&self, segment: u32) -> u32 {
        W::at(self.path_top, segment as usize - 1)
    }

    /// The segment above that path, from which on others end at the same position; 0 is none.
    #[inline]
    pub(crate) fn path_up(&self, segment: u32) -> u32 {
        W::at(self.path_up, segment as usize - 1)
    }

    #[inline]
    pub(crate) fn wait_children(&self, wait: u32) -> std::ops::Range<u32> {
        W::at(self.wait_first_child, wait as usize)..W::at(self.wait_first_child, wait as usize + 1)
    }

    /// The 1-based segment that a wait node waits for; 0 for a root.
    #[inline]
    pub(crate) fn wait_segment(&self, wait: u32) -> u32 {
        W::at(self.wait_segment, wait as usize)
    }

    #[inline]
    pub(crate) fn wait_rank(&self, wait: u32) -> Rank {
        W::at(self.wait_rank, wait as usize)
    }
}

/// The same arrays, under construction.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    pub(crate) first_child: Vec<u32>,
    pub(crate) failure: Vec<u32>,
    pub(crate) output: Vec<u32>,
    pub(crate) byte: Vec<u8>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) segment_length: Vec<u32>,
    pub(crate) root_child: Vec<u32>,
    pub(crate) path_top: Vec<u32>,
    pub(crate) path_up: Vec<u32>,
    pub(crate) wait_first_child: Vec<u32>,
    pub(crate) wait_segment: Vec<u32>,
    pub(crate) wait_rank: Vec<u32>,
}

impl Arrays {
    /// Removes all contents.
    pub(crate) fn clear(&mut self) {
        let Arrays { byte, outputs, .. } = self;
        byte.clear();
        outputs.clear();
        let Arrays { first_child, failure, output, segment_length, root_child, path_top, path_up, .. } = self;
        let Arrays { wait_first_child, wait_segment, wait_rank, .. } = self;
        for numbers in [
            first_child,
            failure,
            output,
            segment_length,
            root_child,
            path_top,
            path_up,
            wait_first_child,
            wait_segment,
            wait_rank,
        ] {
            numbers.clear();
        }
    }

    pub(crate) fn counts(&self, roots: u32) -> Counts {
        let best_output = self.outputs.iter().map(|output| output.best.max(output.end_rank)).max();
        let best_wait = self.wait_rank.iter().copied().max();
        Counts {
            states: u32_of(self.byte.len()),
            outputs: u32_of(self.outputs.len()),
            segments: u32_of(self.segment_length.len()),
            roots,
            waits: u32_of(self.wait_rank.len()),
            best: best_output.max(best_wait).unwrap_or(0),
        }
    }

    /// The width that holds every number.
    pub(crate) fn width(&self, counts: &Counts) -> usize {
        let largest = [counts.states, counts.outputs, counts.segments, counts.waits, counts.best]
            .into_iter()
            .chain(self.segment_length.iter().copied())
            .max();
        width_for(largest.unwrap_or(0))
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, width: usize) {
        push_all(out, &self.first_child, width);
        push_all(out, &self.failure, width);
        push_all(out, &self.output, width);
        out.extend_from_slice(&self.byte);
        for o in &self.outputs {
            push_all(out, &[o.rank, o.best, o.end_rank, o.waited, o.end_segment, o.next], width);
        }
        push_all(out, &self.segment_length, width);
        push_all(out, &self.root_child, width);
        push_all(out, &self.path_top, width);
        push_all(out, &self.path_up, width);
        push_all(out, &self.wait_first_child, width);
        push_all(out, &self.wait_segment, width);
        push_all(out, &self.wait_rank, width);
    }
}
