//! The walk: one pass over a text, without allocation, that looks at no rule twice.

use crate::block::equal;
use crate::chains::{ChainScratch, Chains};
use crate::int::{Middle, Narrow, Wide, Width, u32_of};
use crate::prefix::Start;
use crate::program::{PreparedProgram, UnanchoredPart};
use crate::rank::Rank;
use crate::unanchored::{Counts, Unanchored};

/// Receives the ranks of matching rules during a walk.
pub(crate) trait Matches {
    /// Whether all matching ranks are needed, or only the best.
    const ALL: bool;

    /// A rule with `rank` matches. 0 is none.
    fn matched(&mut self, rank: Rank);

    /// The best rank so far. If only the best is needed, lower ranks do not have to be reported.
    fn best(&self) -> Rank;

    /// Called for each step of the walk. Only used by searches for slow texts.
    #[inline]
    fn stepped(&mut self) {}
}

/// The best rank only.
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

/// Every rank, in no particular order, possibly more than once.
#[derive(Debug)]
struct All<'r>(&'r mut Vec<Rank>);

impl Matches for All<'_> {
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

/// The best rank, and the number of steps to find it.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) best: Best,
    pub(crate) count: u64,
}

impl Matches for Steps {
    const ALL: bool = false;

    fn matched(&mut self, rank: Rank) {
        self.best.matched(rank);
    }

    fn best(&self) -> Rank {
        self.best.best()
    }

    fn stepped(&mut self) {
        self.count += 1;
    }
}

/// The scratch memory of a walk. It belongs to the caller, so a check allocates nothing. It grows to the size for the
/// largest program and the longest text so far.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The mark of this walk's queues; a queue with another mark is left over from an earlier walk.
    walk: u32,
    /// Wait nodes that prefixes have activated, with the position.
    prefixes: Vec<(u32, u32)>,
    /// By position in the text: the first active wait node with a child whose segment can end there at the earliest; 0
    /// is none. All are 0 between walks.
    due: Vec<u32>,
    /// By wait node: the remaining work of an active node.
    active: Vec<Active>,
    /// By segment, one bit each: whether any node waits for it, or that is not known yet.
    live: Vec<u64>,
    /// By segment: the queue of waiting nodes.
    queues: Vec<Queue>,
    /// By output, if all matches are needed: the last walk that reported its rank, and so those after it.
    last_report: Vec<u32>,
    /// The ranks that a walk for all matches has found.
    pub(crate) ranks: Vec<Rank>,
    /// By wait node: the next one in its queue; 0 is none.
    next: Vec<u32>,
    chains: ChainScratch,
}

/// The number of segments in a word of [`Scratch::live`].
const WORD: u32 = u64::BITS;

/// An active wait node in the list of a position.
#[derive(Clone, Copy, Debug, Default)]
struct Active {
    /// The first child that is not in a queue yet.
    child: u32,
    /// The next node in the list; 0 is none.
    next: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    walk: u32,
    first: u32,
}

impl Scratch {
    /// Empty scratch memory.
    pub fn new() -> Self {
        Scratch::default()
    }

    fn begin(&mut self, text: usize, Counts { segments, waits, .. }: &Counts) {
        grow(&mut self.due, text + 1);
        grow(&mut self.active, *waits as usize);
        grow(&mut self.next, *waits as usize);
        grow(&mut self.queues, *segments as usize + 1);
        self.live.clear();
        self.live.resize((segments / WORD) as usize + 1, u64::MAX);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            // After 2^32 walks, marks would repeat.
            self.queues.fill(Queue::default());
            self.last_report.fill(0);
            self.walk = 1;
        }
    }
}

fn grow<T: Clone + Default>(list: &mut Vec<T>, length: usize) {
    if list.len() < length {
        list.resize(length, T::default());
    }
}

/// Walks `text` through `program` and appends the rank of every matching rule to `ranks`, some possibly more than once.
///
/// Each output and each wait node is reported once per walk, so the number of ranks is linear in the program's
/// segments.
#[inline]
pub(crate) fn search_all(
    program: &PreparedProgram<'_>,
    text: &[u8],
    scratch: &mut Scratch,
    ranks: &mut Vec<Rank>,
) {
    search(program, text, scratch, &mut All(ranks));
}

/// Walks `text`, a target in normal form, through `program`.
#[inline]
pub(crate) fn search<M: Matches>(
    program: &PreparedProgram<'_>,
    text: &[u8],
    scratch: &mut Scratch,
    matches: &mut M,
) {
    let parts = &program.parts;
    match &parts.unanchored {
        UnanchoredPart::None => walk_prefixes(program, text, matches, |_, _| {}),
        UnanchoredPart::PatternList { best, list, .. } => {
            let mut candidates = program.candidates;
            walk_prefixes(program, text, matches, |root, _| candidates |= list.followers(root));
            if candidates != 0 && (M::ALL || matches.best() < *best) {
                list.search(text, candidates, matches);
            }
        }
        UnanchoredPart::SegmentAutomaton { counts, width, arrays } => {
            scratch.prefixes.clear();
            walk_prefixes(program, text, matches, |root, at| scratch.prefixes.push((root, u32_of(at))));
            if !M::ALL && matches.best() >= counts.best {
                return;
            }
            match width {
                1 => walk_unanchored(&Unanchored::<Narrow>::new(*counts, arrays), text, scratch, matches),
                2 => walk_unanchored(&Unanchored::<Middle>::new(*counts, arrays), text, scratch, matches),
                _ => walk_unanchored(&Unanchored::<Wide>::new(*counts, arrays), text, scratch, matches),
            }
            if let Some(chains) = Chains::after(counts, *width, arrays) {
                let Scratch { prefixes, chains: scratch, .. } = scratch;
                chains.search(text, prefixes, counts.roots, scratch, matches);
            }
        }
    }
}

/// Walks down the prefix trie as far as the text leads. Calls `wake` for each prefix that unanchored patterns follow,
/// except the empty one, with the position of its end.
#[inline]
fn walk_prefixes<M: Matches>(
    program: &PreparedProgram<'_>,
    text: &[u8],
    matches: &mut M,
    mut wake: impl FnMut(u32, usize),
) {
    let Start { empty_rank, node } = &program.start;
    matches.matched(*empty_rank);
    // All prefixes except the empty one begin with `/`, as do all targets.
    let (Some(mut node), Some((b'/', rest))) = (node.as_ref(), text.split_first()) else { return };
    let Some(mut rest) = strip_label(rest, node.label) else { return };
    let mut inner;
    loop {
        matches.stepped();
        matches.matched(node.value.rank);
        if node.value.wait > 0 {
            wake(node.value.wait, text.len() - rest.len());
        }
        let Some((&byte, next)) = rest.split_first() else {
            matches.matched(node.value.end_rank);
            return;
        };
        let Some(child) = node.child(program.parts.prefixes, byte) else { return };
        let Some(next) = strip_label(next, child.label) else { return };
        // An incomplete child ends the walk; programs are validated when they are created.
        let Some(entered) = child.enter() else { return };
        (rest, inner) = (next, entered);
        node = &inner;
    }
}

/// The rest of a text that begins with `label`.
#[inline(always)]
fn strip_label<'t>(text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    let (start, rest) = text.split_at_checked(label.len())?;
    equal(start, label).then_some(rest)
}

// Its instances for the widths are similar, and a compressed module contains them nearly for the price of one. Inlined into one
// function, they are not.
#[inline(never)]
fn walk_unanchored<W: Width, M: Matches>(
    unanchored: &Unanchored<'_, W>,
    text: &[u8],
    scratch: &mut Scratch,
    matches: &mut M,
) {
    let counts = unanchored.counts;
    scratch.begin(text.len(), &counts);
    if M::ALL {
        grow(&mut scratch.last_report, counts.outputs as usize + 1);
    }
    let shared = unanchored.wait_children(0).end;
    let mut walk = Walk { unanchored, scratch, matches, text_end: u32_of(text.len()), shared };
    walk.wake_prefixes();
    let starts = unanchored.starts();
    let mut state = 0;
    for (at, &byte) in text.iter().enumerate() {
        let end = u32_of(at) + 1;
        walk.queue_due(end);
        if state == 0 && !starts.contains(byte) {
            continue;
        }
        state = unanchored.step(&starts, state, byte, || walk.matches.stepped());
        let number = unanchored.output_of(state);
        if number > 0 {
            walk.outputs(number, end);
        }
    }
    walk.end(unanchored.output_of(state));
}

struct Walk<'w, 'p, W: Width, M: Matches> {
    unanchored: &'w Unanchored<'p, W>,
    scratch: &'w mut Scratch,
    matches: &'w mut M,
    /// The length of the text in bytes.
    text_end: u32,
    /// One past the last child of root 0. Smaller wait nodes are in no list.
    shared: u32,
}

impl<W: Width, M: Matches> Walk<'_, '_, W, M> {
    /// Activates the wait nodes of the prefixes.
    fn wake_prefixes(&mut self) {
        for index in 0..self.scratch.prefixes.len() {
            let (wait, since) = self.scratch.prefixes[index];
            self.activate(wait, since);
        }
    }

    /// The path to `wait` has matched and ends at `end`: its rank counts, and its children wait from there on.
    #[inline]
    fn activate(&mut self, wait: u32, end: u32) {
        self.matches.matched(self.unanchored.wait_rank(wait));
        let children = self.unanchored.wait_children(wait);
        if !children.is_empty() {
            self.list(wait, children.start, end);
        }
    }

    /// Lists the active `wait` at the earliest position where the segment of `child`, and of all children of that
    /// length, can end. The children from `child` on are not yet queued; they have that length or are longer.
    #[inline]
    fn list(&mut self, wait: u32, child: u32, since: u32) {
        let due = since.saturating_add(self.length(child));
        // If the text is too short for a segment, it is also too short for those after it.
        if due <= self.text_end {
            let first = std::mem::replace(&mut self.scratch.due[due as usize], wait);
            self.scratch.active[wait as usize] = Active { child, next: first };
        }
    }

    /// The length of the segment that `wait` waits for, in bytes.
    #[inline]
    fn length(&self, wait: u32) -> u32 {
        self.unanchored.segment_length(self.unanchored.wait_segment(wait))
    }

    /// Queues those nodes whose segments can end at `end` at the earliest.
    #[inline]
    fn queue_due(&mut self, end: u32) {
        let mut wait = self.scratch.due[end as usize];
        if wait == 0 {
            return;
        }
        self.scratch.due[end as usize] = 0;
        while wait > 0 {
            let Active { child, next } = self.scratch.active[wait as usize];
            self.queue_children(wait, child, end);
            wait = next;
        }
    }

    /// Queues those children of `wait`, from `first` on, whose segments have the same length as that of `first`.
    fn queue_children(&mut self, wait: u32, first: u32, end: u32) {
        let length = self.length(first);
        for child in first..self.unanchored.wait_children(wait).end {
            let segment = self.unanchored.wait_segment(child);
            if self.unanchored.segment_length(segment) != length {
                self.list(wait, child, end - length);
                return;
            }
            self.matches.stepped();
            self.scratch.next[child as usize] = self.queue(segment);
            self.scratch.queues[segment as usize] = Queue { walk: self.scratch.walk, first: child };
            self.scratch.live[(segment / WORD) as usize] |= 1 << (segment % WORD);
        }
    }

    /// The first node in the queue of `segment`. Initially, that is the child of root 0, which does not have to be
    /// queued.
    #[inline]
    fn queue(&self, segment: u32) -> u32 {
        let queue = self.scratch.queues[segment as usize];
        if queue.walk == self.scratch.walk { queue.first } else { self.unanchored.root_child(segment) }
    }

    /// Reports the outputs of a state, which are the chain from `number` on; they end at `end`.
    fn outputs(&mut self, number: u32, end: u32) {
        let output = self.unanchored.output(number);
        if M::ALL {
            let mut number = number;
            // The outputs after one in its chain are always the same, so they were reported together with it.
            while number > 0 && self.scratch.last_report[number as usize] != self.scratch.walk {
                self.scratch.last_report[number as usize] = self.scratch.walk;
                let output = self.unanchored.output(number);
                self.matches.matched(output.rank);
                number = output.next;
            }
        } else {
            self.matches.matched(output.best);
        }
        let mut segment = output.waited;
        while segment > 0 {
            let top = self.unanchored.path_top(segment);
            self.path(top, segment, end);
            segment = self.unanchored.path_up(segment);
        }
    }

    /// Visits the live segments among `top..=segment`, all of which end at `end`.
    #[inline]
    fn path(&mut self, top: u32, segment: u32, end: u32) {
        let mut word = segment / WORD;
        let mut live = self.scratch.live[word as usize] & u64::MAX >> (WORD - 1 - segment % WORD);
        loop {
            self.matches.stepped();
            // A visit can make other segments live, but only from the next position on.
            while live != 0 {
                let bit = live.ilog2();
                if word * WORD + bit < top {
                    return;
                }
                self.seen(word * WORD + bit, end);
                live &= !(1 << bit);
            }
            if word <= top / WORD {
                return;
            }
            word -= 1;
            live = self.scratch.live[word as usize];
        }
    }

    /// Handles the end of the text for the chain of outputs from `number` on.
    fn end(&mut self, mut number: u32) {
        while number > 0 {
            self.matches.stepped();
            let output = self.unanchored.output(number);
            self.matches.matched(output.end_rank);
            if output.end_segment > 0 {
                self.seen(output.end_segment, self.text_end);
            }
            number = output.next;
        }
    }

    /// A segment ends at `end`: all nodes that wait for it continue.
    fn seen(&mut self, segment: u32, end: u32) {
        let mut wait = self.queue(segment);
        self.scratch.queues[segment as usize] = Queue { walk: self.scratch.walk, first: 0 };
        self.scratch.live[(segment / WORD) as usize] &= !(1 << (segment % WORD));
        while wait > 0 {
            self.matches.stepped();
            let next = if wait < self.shared { 0 } else { self.scratch.next[wait as usize] };
            self.activate(wait, end);
            wait = next;
        }
    }
}
