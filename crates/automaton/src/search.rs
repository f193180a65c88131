//! The walk: one pass over a text, no allocation, no rule looked at twice.

use crate::block::equal;
use crate::floating::Floating;
use crate::head::Start;
use crate::int::{Middle, Narrow, Wide, Width, u32_of};
use crate::program::{FloatingPart, PreparedProgram};
use crate::rank::Rank;

/// What receives the ranks of matching rules while a text is walked.
pub(crate) trait Matches {
    /// Are all matching ranks wanted, or is the best enough?
    const ALL: bool;

    /// A rule with `rank` matches. 0 is none.
    fn matched(&mut self, rank: Rank);

    /// The best so far. Nothing below it needs to be reported when the best is enough.
    fn best(&self) -> Rank;
}

/// The best rank alone.
#[derive(Debug, Default)]
pub(crate) struct Best(pub(crate) Rank);

impl Matches for Best {
    const ALL: bool = false;

    #[inline]
    fn matched(&mut self, rank: Rank) {
        self.0 = self.0.max(rank);
    }

    #[inline]
    fn best(&self) -> Rank {
        self.0
    }
}

/// Every rank, in no order, perhaps more than once.
#[derive(Debug, Default)]
pub(crate) struct All(pub(crate) Vec<Rank>);

impl Matches for All {
    const ALL: bool = true;

    fn matched(&mut self, rank: Rank) {
        if rank > 0 {
            self.0.push(rank);
        }
    }

    fn best(&self) -> Rank {
        0
    }
}

/// The memory of a walk. It belongs to the caller, so that a check allocates nothing: it grows to the largest program
/// that it has been used with and then stays.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Marks entries of this walk; what carries another mark is left over from an earlier one.
    walk: u32,
    /// Wait nodes that heads have made active, with the place where.
    active: Vec<(u32, u32)>,
    /// By segment: who waits for it.
    queues: Vec<Queue>,
    /// By wait node: its place in a queue.
    waiters: Vec<Waiter>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    walk: u32,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiter {
    /// The walk in which a child of root 0 became active.
    walk: u32,
    /// Where its predecessor ended.
    since: u32,
    /// The next in the queue; 0 is none.
    next: u32,
}

impl Scratch {
    /// Memory for walks, empty as yet.
    pub fn new() -> Self {
        Scratch::default()
    }

    fn begin(&mut self, segments: u32, waits: u32) {
        if self.queues.len() < segments as usize + 1 {
            self.queues.resize(segments as usize + 1, Queue::default());
        }
        if self.waiters.len() < waits as usize {
            self.waiters.resize(waits as usize, Waiter::default());
        }
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            // After 2^32 walks marks would repeat.
            self.queues.fill(Queue::default());
            self.waiters.fill(Waiter::default());
            self.walk = 1;
        }
    }
}

/// Walks `text`, a target in normal form, through `program`.
#[inline]
pub(crate) fn search<M: Matches>(
    program: &PreparedProgram<'_>,
    text: &[u8],
    scratch: &mut Scratch,
    matches: &mut M,
) {
    debug_assert_eq!(text.first(), Some(&b'/'), "a target begins with its path");
    let parts = &program.parts;
    match &parts.floating {
        FloatingPart::None => walk_heads(program, text, matches, |_, _| {}),
        FloatingPart::Few { best, list, .. } => {
            let mut candidates = program.candidates;
            walk_heads(program, text, matches, |root, _| candidates |= list.followers(root));
            if candidates != 0 && (M::ALL || matches.best() < *best) {
                list.search(text, candidates, matches);
            }
        }
        FloatingPart::Many { counts, width, arrays } => {
            scratch.active.clear();
            if program.start.empty.wait > 0 {
                scratch.active.push((program.start.empty.wait, 0));
            }
            walk_heads(program, text, matches, |root, at| scratch.active.push((root, u32_of(at))));
            if !M::ALL && matches.best() >= counts.best {
                return;
            }
            match width {
                1 => walk_floating(&Floating::<Narrow>::new(*counts, arrays), text, scratch, matches),
                2 => walk_floating(&Floating::<Middle>::new(*counts, arrays), text, scratch, matches),
                _ => walk_floating(&Floating::<Wide>::new(*counts, arrays), text, scratch, matches),
            }
        }
    }
}

/// Down the trie of heads as far as the text leads; `wake` is told of each head but the empty one that floating patterns
/// follow, and where it ends.
#[inline]
fn walk_heads<M: Matches>(
    program: &PreparedProgram<'_>,
    text: &[u8],
    matches: &mut M,
    mut wake: impl FnMut(u32, usize),
) {
    let Start { empty, label, node } = &program.start;
    matches.matched(empty.rank);
    let Some(mut node) = node.as_ref() else { return };
    let Some(mut rest) = behind(&text[1..], label) else { return };
    let mut inner;
    loop {
        matches.matched(node.value.rank);
        if node.value.wait > 0 {
            wake(node.value.wait, text.len() - rest.len());
        }
        let Some((&octet, next)) = rest.split_first() else {
            matches.matched(node.value.end_rank);
            return;
        };
        let Some(child) = node.child(program.parts.heads, octet) else { return };
        let Some(next) = behind(next, child.label) else { return };
        // A child that is not whole ends the walk; a program is validated when it is made.
        let Some(entered) = child.enter() else { return };
        (rest, inner) = (next, entered);
        node = &inner;
    }
}

/// What stands behind `label` in a text that begins with it.
#[inline(always)]
fn behind<'t>(text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(label.len())?;
    equal(start, label).then_some(rest)
}

fn walk_floating<W: Width, M: Matches>(
    floating: &Floating<'_, W>,
    text: &[u8],
    scratch: &mut Scratch,
    matches: &mut M,
) {
    let counts = floating.counts;
    scratch.begin(counts.segments, counts.waits);
    let mut walk = Walk { floating, scratch, matches, heads: 0 };
    let mut state = 0;
    for (at, &octet) in text.iter().enumerate() {
        walk.wake_heads(u32_of(at));
        state = floating.step(state, octet);
        let number = floating.output_of(state);
        if number > 0 {
            walk.outputs(number, u32_of(at) + 1);
        }
    }
    walk.wake_heads(u32_of(text.len()));
    walk.end(floating.output_of(state), u32_of(text.len()));
}

struct Walk<'w, 'p, W: Width, M: Matches> {
    floating: &'w Floating<'p, W>,
    scratch: &'w mut Scratch,
    matches: &'w mut M,
    /// How many of the nodes that heads made active have been woken.
    heads: usize,
}

impl<W: Width, M: Matches> Walk<'_, '_, W, M> {
    /// Makes those heads' wait nodes active that end at or before `at`. In this order queues stay ordered by `since`.
    #[inline]
    fn wake_heads(&mut self, at: u32) {
        while let Some(&(wait, since)) = self.scratch.active.get(self.heads)
            && since <= at
        {
            self.heads += 1;
            self.activate(wait, since);
        }
    }

    /// The outputs of a state, the chain from `number` on; they end at `end`.
    fn outputs(&mut self, number: u32, end: u32) {
        let output = self.floating.output(number);
        if M::ALL {
            let mut number = number;
            while number > 0 {
                let output = self.floating.output(number);
                self.matches.matched(output.rank);
                number = output.next;
            }
        } else {
            self.matches.matched(output.best);
        }
        let mut waited = output;
        loop {
            if waited.segment > 0 {
                self.seen(waited.segment, end);
            }
            if waited.next_waited == 0 {
                return;
            }
            waited = self.floating.output(waited.next_waited);
        }
    }

    /// The text has ended, in the chain of outputs from `number` on.
    fn end(&mut self, mut number: u32, end: u32) {
        while number > 0 {
            let output = self.floating.output(number);
            self.matches.matched(output.end_rank);
            if output.end_segment > 0 {
                self.seen(output.end_segment, end);
            }
            number = output.next;
        }
    }

    /// A segment has been seen to end at `end`: whoever has waited for it since its start, or longer, moves on.
    fn seen(&mut self, segment: u32, end: u32) {
        let start = end - self.floating.segment_length(segment);
        let child = self.floating.root_child(segment);
        if child > 0 && self.scratch.waiters[child as usize].walk != self.scratch.walk {
            self.scratch.waiters[child as usize].walk = self.scratch.walk;
            self.activate(child, end);
        }
        loop {
            let queue = self.scratch.queues[segment as usize];
            if queue.walk != self.scratch.walk || queue.first == 0 {
                return;
            }
            let waiter = self.scratch.waiters[queue.first as usize];
            if waiter.since > start {
                return;
            }
            self.scratch.queues[segment as usize].first = waiter.next;
            self.activate(queue.first, end);
        }
    }

    /// The path to `wait` has matched, ending at `end`.
    fn activate(&mut self, wait: u32, end: u32) {
        self.matches.matched(self.floating.wait_rank(wait));
        for child in self.floating.wait_children(wait) {
            self.enqueue(child, end);
        }
    }

    fn enqueue(&mut self, wait: u32, since: u32) {
        let walk = self.scratch.walk;
        let waiter = &mut self.scratch.waiters[wait as usize];
        waiter.since = since;
        waiter.next = 0;
        let queue = &mut self.scratch.queues[self.floating.wait_segment(wait) as usize];
        if queue.walk != walk || queue.first == 0 {
            *queue = Queue { walk, first: wait, last: wait };
        } else {
            let last = std::mem::replace(&mut queue.last, wait);
            self.scratch.waiters[last as usize].next = wait;
        }
    }
}
