//! Patterns of many segments, each of which is followed on its own.
//!
//! A wait node of the automaton (`unanchored`) takes some nanoseconds and two dozen bytes. A pattern of a thousand
//! single bytes between stars has a thousand of them, and a file of 500 KB has room for 250,000. Programs with very many
//! wait nodes therefore keep such patterns as **chains**: the numbers of their segments in order, one or two bytes each.
//!
//! The different segments of all chains, at most 1,024, are the **symbols**. A search first finds where they end, by an
//! automaton of their own, and then makes a table of one row for each symbol: by position, the earliest end of an
//! occurrence that begins there or later. Leftmost placement is exact, so following a chain is one look at the table for
//! each of its segments. The looks at one chain depend on each other, so several chains are followed side by side.
//!
//! # Which patterns
//!
//! A pattern becomes a chain if it has at least [`LEAST_OWN`] wait nodes that it shares with no other pattern, and if
//! those are a sufficient share of all its segments. The segments have at most [`LONGEST`] bytes, and are among the 256
//! that are used most; or 1,024, if those replace [`SAVED_BY_SYMBOL`] wait nodes each. There are chains only if they
//! replace at least [`LEAST_SAVED`] wait nodes: with fewer, the automaton is faster, because it visits only the patterns
//! whose first segments occur.
//!
//! # Bound
//!
//! The text is searched in windows of about [`ROW`] bytes. For a text of n bytes, d symbols, and c chains with s segments, a
//! search takes at most 2 n transitions, about d n / 8 writes of 8 positions of a row, and c + 2 s looks at the table: a
//! chain that waits for a symbol is visited again only in a window where that symbol ends.
//!
//! # Layout
//!
//! ```text
//! counts      states, outputs, symbols, chains, segments of all chains
//! symbols     an automaton without wait nodes (see `unanchored`) with numbers of 4 bytes; its segments are the symbols
//! chains      rank, root, number of segments; by descending rank
//! sequences   of one chain after the other, the symbols of its segments, 1 byte each, or 2 if there are more than 256
//! ```

use std::marker::PhantomData;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use crate::construct::{Path, SegmentKey};
use crate::int::{Middle, Narrow, Wide, Width, low_half, low_word, push_all, push_fixed, read_fixed, u32_of};
use crate::pattern::End;
use crate::rank::Rank;
use crate::search::Matches;
use crate::unanchored::{Arrays, Counts, Unanchored};

/// A pattern with fewer wait nodes of its own is no chain.
const LEAST_OWN: usize = 2;
/// A pattern with more segments for each wait node of its own is no chain.
const MOST_SHARED: usize = 16;
/// There are no chains if they would replace fewer wait nodes.
const LEAST_SAVED: usize = 2048;
/// The maximum number of symbols.
const MAX_SYMBOLS: usize = 1024;
/// The maximum number of symbols with numbers of one byte.
const NARROW_SYMBOLS: usize = 256;
/// There are no more than these if all symbols together would replace fewer wait nodes for each: its row has a price.
const SAVED_BY_SYMBOL: usize = 150;
/// The maximum length of a symbol in bytes.
const LONGEST: usize = 255;
/// The space for a row of the table. A power of two is faster to multiply with.
const ROW: usize = 2048;
/// The number of chains that are followed side by side.
const LANES: usize = 6;
/// The number of steps before the lanes are looked at again.
const BLOCK: usize = 16;
/// The number of fields of a chain.
const FIELDS: usize = 3;
/// The size of the counts.
const HEADER: usize = 5 * Wide::BYTES;

/// Removes those of the sorted `paths` that become chains, and returns them.
pub(crate) fn take<'a>(
    paths: &mut ArenaVec<'a, Path<'a>>,
    strings: usize,
    arena: &'a Bump,
) -> ArenaVec<'a, Path<'a>> {
    let shared = |a: &Path<'_>, b: &Path<'_>| match a.root == b.root {
        true => a.segments.iter().zip(b.segments).take_while(|(a, b)| a == b).count(),
        false => 0,
    };
    let mut own = ArenaVec::with_capacity_in(paths.len(), arena);
    let mut saved = 0;
    let mut before = 0;
    for (number, path) in paths.iter().enumerate() {
        let after = paths.get(number + 1).map_or(0, |next| shared(path, next));
        let alone = path.segments.len() - before.max(after);
        before = after;
        let are_short = || path.segments.iter().all(|segment| segment.length as usize <= LONGEST);
        let fits = alone >= LEAST_OWN && path.segments.len() <= MOST_SHARED * alone && are_short();
        own.push(if fits { alone } else { 0 });
        saved += own[number];
    }
    let mut chains = ArenaVec::new_in(arena);
    if saved < LEAST_SAVED {
        return chains;
    }

    let uses = arena.alloc_slice_fill_copy(2 * strings, 0u32);
    for (path, _) in paths.iter().zip(&own).filter(|(_, own)| **own > 0) {
        path.segments.iter().for_each(|&segment| uses[symbol_of(segment)] += 1);
    }
    let mut symbols = ArenaVec::from_iter_in((0..uses.len()).filter(|&symbol| uses[symbol] > 0), arena);
    let is_worth_all = saved >= SAVED_BY_SYMBOL * symbols.len().min(MAX_SYMBOLS);
    let most = if is_worth_all { MAX_SYMBOLS } else { NARROW_SYMBOLS };
    if symbols.len() > most {
        symbols.sort_unstable_by_key(|&symbol| (std::cmp::Reverse(uses[symbol]), symbol));
        symbols[most..].iter().for_each(|&symbol| uses[symbol] = 0);
    }
    for (path, own) in paths.iter().zip(&mut own) {
        if !path.segments.iter().all(|&segment| uses[symbol_of(segment)] > 0) {
            saved -= *own;
            *own = 0;
        }
    }
    if saved >= LEAST_SAVED {
        let mut own = own.iter();
        paths.retain(|&path| {
            let stays = own.next() == Some(&0);
            if !stays {
                chains.push(path);
            }
            stays
        });
        chains.sort_unstable_by_key(|path| std::cmp::Reverse(path.rank));
    }
    chains
}

/// A number for each segment, with and without `$`.
fn symbol_of(segment: SegmentKey) -> usize {
    2 * segment.string as usize + usize::from(segment.end == End::Anchored)
}

/// Chains under construction.
#[derive(Debug, Default)]
pub(crate) struct ChainArrays {
    pub(crate) symbols: Arrays,
    /// Rank, root and number of segments of each chain.
    records: Vec<u32>,
    /// The symbols of all chains, starting at 0.
    sequences: Vec<u32>,
    pub(crate) best: Rank,
}

impl ChainArrays {
    /// Removes all contents.
    pub(crate) fn clear(&mut self) {
        let ChainArrays { symbols, records, sequences, best } = self;
        symbols.clear();
        records.clear();
        sequences.clear();
        *best = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Adds these chains, by descending rank. `symbol` is the 1-based number of a segment among the symbols.
    pub(crate) fn extend(&mut self, chains: &[Path<'_>], symbol: impl Fn(SegmentKey) -> u32) {
        for path in chains {
            self.records.extend([path.rank, path.root, u32_of(path.segments.len())]);
            self.sequences.extend(path.segments.iter().map(|&segment| symbol(segment) - 1));
        }
        self.best = chains.first().map_or(0, |best| best.rank);
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let counts = self.symbols.counts(1);
        let [chains, sequences] = [self.records.len() / FIELDS, self.sequences.len()].map(u32_of);
        for count in [counts.states, counts.outputs, counts.segments, chains, sequences] {
            push_fixed(out, count, Wide::BYTES);
        }
        self.symbols.write(out, Wide::BYTES);
        push_all(out, &self.records, Wide::BYTES);
        push_all(out, &self.sequences, symbol_width(counts.segments));
    }
}

/// The size of a symbol in the sequences.
const fn symbol_width(symbols: u32) -> usize {
    if symbols as usize <= NARROW_SYMBOLS { 1 } else { 2 }
}

/// The chains of a program, located in its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chains<'p> {
    counts: Counts,
    symbols: &'p [u8],
    records: &'p [u8],
    sequences: &'p [u8],
}

/// One chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain<'p> {
    pub(crate) rank: Rank,
    /// The root that it follows, as wait nodes do.
    pub(crate) root: u32,
    /// The symbols of its segments, 1 or 2 bytes each.
    sequence: &'p [u8],
}

impl<'p> Chains<'p> {
    /// The chains in `bytes`; `None` when their length does not match their counts.
    pub(crate) fn find(bytes: &'p [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
        let count = |index| Wide::at(header, index);
        let counts =
            Counts { states: count(0), outputs: count(1), segments: count(2), roots: 1, waits: 1, best: 0 };
        let (symbols, rest) = rest.split_at_checked(counts.bytes(Wide::BYTES)?)?;
        let records = (count(3) as usize).checked_mul(FIELDS * Wide::BYTES)?;
        let (records, sequences) = rest.split_at_checked(records)?;
        let is_complete =
            sequences.len() == (count(4) as usize).checked_mul(symbol_width(counts.segments))?;
        is_complete.then_some(Chains { counts, symbols, records, sequences })
    }

    /// The chains after the arrays of an automaton, if there are any.
    pub(crate) fn after(counts: &Counts, width: u8, arrays: &'p [u8]) -> Option<Self> {
        Chains::find(arrays.get(counts.bytes(width.into())?..)?)
    }

    /// The automaton of the symbols.
    pub(crate) fn symbols(&self) -> Unanchored<'p, Wide> {
        Unanchored::new(self.counts, self.symbols)
    }

    /// The rank, the root and the number of segments of each chain.
    #[inline]
    fn records(&self) -> impl Iterator<Item = [u32; FIELDS]> {
        let records = self.records.chunks_exact(FIELDS * Wide::BYTES);
        records.map(|record| [Wide::at(record, 0), Wide::at(record, 1), Wide::at(record, 2)])
    }

    /// All chains, by descending rank.
    #[inline]
    pub(crate) fn all(&self) -> impl Iterator<Item = Chain<'p>> {
        let (mut sequences, symbol_width) = (self.sequences, symbol_width(self.counts.segments));
        self.records().map(move |[rank, root, length]| {
            let bytes = (length as usize).saturating_mul(symbol_width);
            let (sequence, rest) = sequences.split_at(sequences.len().min(bytes));
            sequences = rest;
            Chain { rank, root, sequence }
        })
    }

    /// The symbols of a chain, starting at 0.
    pub(crate) fn symbols_of(&self, chain: &Chain<'p>) -> impl Iterator<Item = u32> {
        let width = symbol_width(self.counts.segments);
        chain.sequence.chunks_exact(width).map(move |symbol| low_half(read_fixed(symbol, 0, width)))
    }

    /// Whether there are chains, by descending rank, each complete, with a symbol, and after a root that exists.
    pub(crate) fn is_valid(&self, best: Rank, roots: u32) -> bool {
        let mut worst = best.saturating_add(1);
        let mut length = 0;
        let are_valid = self.all().all(|chain| {
            let in_order = chain.rank > 0 && chain.rank < worst;
            worst = chain.rank;
            length += chain.sequence.len();
            in_order && chain.root < roots && !chain.sequence.is_empty()
        });
        let lengths = self.records().map(|[_, _, length]| u64::from(length));
        let exist =
            self.all().all(|chain| self.symbols_of(&chain).all(|symbol| symbol < self.counts.segments));
        let symbols = self.symbols();
        let are_short =
            (1..=self.counts.segments).all(|symbol| symbols.segment_length(symbol) as usize <= LONGEST);
        are_valid
            && !self.records.is_empty()
            && length == self.sequences.len()
            && lengths.sum::<u64>() * symbol_width(self.counts.segments) as u64 == length as u64
            && are_short
            && self.counts.segments as usize <= MAX_SYMBOLS
            && exist
    }

    /// Reports the ranks of the chains that match `text`; only the best, if only that is needed. `awake` are the roots
    /// that are active, with their positions.
    pub(crate) fn search<M: Matches>(
        &self,
        text: &[u8],
        awake: &[(u32, u32)],
        roots: u32,
        scratch: &mut ChainScratch,
        matches: &mut M,
    ) {
        scratch.found.begin(M::ALL, matches.best());
        self.find_in(text, awake, roots, scratch);
        scratch.found.report(matches);
    }

    /// A function of this crate, and no instance of a generic one, so that only one crate compiles it.
    fn find_in(&self, text: &[u8], awake: &[(u32, u32)], roots: u32, scratch: &mut ChainScratch) {
        if self.counts.segments as usize <= NARROW_SYMBOLS {
            self.search_by_width::<Narrow>(text, awake, roots, scratch);
        } else {
            self.search_by_width::<Middle>(text, awake, roots, scratch);
        }
    }

    /// `S` is the width of symbols.
    fn search_by_width<S: Width>(
        &self,
        text: &[u8],
        awake: &[(u32, u32)],
        roots: u32,
        scratch: &mut ChainScratch,
    ) {
        let ChainScratch { since, found: matches, table, waiting } = scratch;
        since.clear();
        since.resize(roots as usize, ASLEEP);
        since[0] = 0;
        awake.iter().for_each(|&(root, at)| since[root as usize] = at);
        let counts =
            |chain: Chain<'_>| since[chain.root as usize] != ASLEEP && matches.could_improve(chain.rank);
        if !self.all().any(counts) {
            return;
        }
        let symbols = self.symbols();
        waiting.resize(self.counts.segments as usize, Vec::new());
        waiting.iter_mut().for_each(Vec::clear);

        let mut state = 0;
        let mut begin = 0;
        loop {
            let end = table.begin(begin, text.len(), self.counts.segments);
            let is_last = end == text.len();
            state = table.find(&symbols, text, state, matches);
            if is_last {
                table.find_ends(&symbols, state, matches);
            }
            table.fill(&symbols, matches);
            let sequences = Sequences::<S> { bytes: self.sequences, width: PhantomData };
            let mut run = Run { table, sequences, waiting, is_last };
            if begin == 0 {
                let mut at = 0;
                let all = self.all().filter_map(|chain| {
                    let left = u32_of(chain.sequence.len() / S::BYTES);
                    at += left;
                    let position = since[chain.root as usize];
                    (position != ASLEEP).then_some(Place { rank: chain.rank, at: at - left, left, position })
                });
                run.follow(all, matches);
            } else {
                let ended = (0..self.counts.segments).filter(|&symbol| run.table.has(symbol));
                let visited: Vec<Place> =
                    ended.flat_map(|symbol| std::mem::take(&mut run.waiting[symbol as usize])).collect();
                run.follow(visited.into_iter(), matches);
            }
            if is_last {
                return;
            }
            begin = end;
        }
    }
}

/// The position of a root that is not active.
const ASLEEP: u32 = u32::MAX;

/// The scratch memory of a search for chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainScratch {
    /// By root, the position where it became active, or [`ASLEEP`].
    since: Vec<u32>,
    found: Found,
    table: Table,
    /// By symbol, the chains that wait for it in a later window.
    waiting: Vec<Vec<Place>>,
}

/// The result of a search. It is the same type for every [`Matches`], so that the search is compiled once.
#[derive(Clone, Debug, Default)]
struct Found {
    needs_all: bool,
    /// The best rank, of other parts of the program, too.
    best: Rank,
    /// All ranks, if they are needed.
    ranks: Vec<Rank>,
    steps: u64,
}

impl Found {
    fn begin(&mut self, needs_all: bool, best: Rank) {
        self.ranks.clear();
        (self.needs_all, self.best, self.steps) = (needs_all, best, 0);
    }

    /// Whether a match of this rank would change the result.
    fn could_improve(&self, rank: Rank) -> bool {
        self.needs_all || rank > self.best
    }

    fn matched(&mut self, rank: Rank) {
        self.best = self.best.max(rank);
        if self.needs_all {
            self.ranks.push(rank);
        }
    }

    #[inline]
    fn stepped(&mut self, steps: u64) {
        self.steps += steps;
    }

    fn report<M: Matches>(&self, matches: &mut M) {
        if self.needs_all {
            self.ranks.iter().for_each(|&rank| matches.matched(rank));
        } else {
            matches.matched(self.best);
        }
        (0..self.steps).for_each(|_| matches.stepped());
    }
}

/// A chain on its way.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    rank: Rank,
    /// The index of the next symbol in the sequences.
    at: u32,
    /// The number of symbols to come.
    left: u32,
    /// The end of the last symbol in the text; in a lane, its index in a row.
    position: u32,
}

/// For one window of the text and each symbol, a row: by position, the earliest end of an occurrence that begins there
/// or later.
///
/// An occurrence can begin before the window. Rows therefore begin up to [`LONGEST`] positions before it.
#[derive(Clone, Debug, Default)]
struct Table {
    /// The window's begin and end in the text.
    begin: usize,
    end: usize,
    /// The position at the beginning of each row.
    origin: usize,
    /// One bit for each symbol and byte of the window: an occurrence ends with this byte.
    ends: Vec<u64>,
    /// [`ROW`] indexes for each symbol. The last of those in use means that there is no occurrence.
    rows: Vec<u16>,
}

impl Table {
    /// Begins a window, and returns its end.
    fn begin(&mut self, begin: usize, text_end: usize, symbols: u32) -> usize {
        self.begin = begin;
        self.origin = begin.saturating_sub(LONGEST);
        self.end = text_end.min(self.origin + ROW - BEHIND);
        self.ends.clear();
        self.ends.resize(symbols as usize * self.words(), 0);
        let rows = symbols as usize * ROW;
        if self.rows.len() < rows {
            self.rows.resize(rows, 0);
        }
        self.end
    }

    /// The number of words for one symbol.
    #[inline]
    fn words(&self) -> usize {
        (self.end - self.begin).div_ceil(64)
    }

    /// The index that means that there is no occurrence.
    fn none(&self) -> u32 {
        u32_of(self.end - self.origin + BEHIND) - 1
    }

    /// The end of the next symbol, by its number, starting at 0, for a chain at an index of a row.
    #[inline(always)]
    fn look(&self, symbol: u32, position: u32) -> u32 {
        u32::from(self.rows[symbol as usize * ROW + position as usize])
    }

    /// Whether the symbol with this number, starting at 0, ends in the window.
    fn has(&self, symbol: u32) -> bool {
        let words = self.words();
        self.ends[symbol as usize * words..][..words].iter().any(|&word| word != 0)
    }

    /// The symbol with a 1-based number ends with this byte of the window.
    #[inline]
    fn set(&mut self, symbol: u32, byte: usize) {
        let word = (symbol as usize - 1) * self.words() + byte / 64;
        self.ends[word] |= 1 << (byte % 64);
    }

    /// Finds the symbols that end in the window, from `state` on. Returns the state at its end.
    fn find(
        &mut self,
        symbols: &Unanchored<'_, Wide>,
        text: &[u8],
        mut state: u32,
        found: &mut Found,
    ) -> u32 {
        let starts = symbols.starts();
        for (at, &byte) in text[self.begin..self.end].iter().enumerate() {
            if state == 0 && !starts.contains(byte) {
                continue;
            }
            state = symbols.step(&starts, state, byte, || found.stepped(1));
            let number = symbols.output_of(state);
            // The longest is enough; `fill` adds the others.
            let longest = if number > 0 { symbols.output(number).waited } else { 0 };
            if longest > 0 {
                self.set(longest, at);
            }
        }
        state
    }

    /// Finds the symbols that must be the end of the text, which ends in `state`.
    fn find_ends(&mut self, symbols: &Unanchored<'_, Wide>, state: u32, found: &mut Found) {
        let mut number = symbols.output_of(state);
        while number > 0 {
            found.stepped(1);
            let output = symbols.output(number);
            if output.end_segment > 0 && self.end > self.begin {
                self.set(output.end_segment, self.end - self.begin - 1);
            }
            number = output.next;
        }
    }

    /// Makes the rows.
    fn fill(&mut self, symbols: &Unanchored<'_, Wide>, found: &mut Found) {
        let (words, none) = (self.words(), self.none());
        // Where a symbol ends, so do the shorter ones on its path, which have smaller numbers.
        for symbol in (1..=symbols.counts.segments).rev() {
            found.stepped(1);
            let index = symbol as usize - 1;
            let top = symbols.path_top(symbol);
            let shorter = if top == symbol { symbols.path_up(symbol) } else { symbol - 1 };
            let (below, this) = self.ends.split_at_mut(index * words);
            let ends = &this[..words];
            if shorter > 0 {
                let shorter = &mut below[(shorter as usize - 1) * words..][..words];
                shorter.iter_mut().zip(ends).for_each(|(below, &this)| *below |= this);
            }
            let row = &mut self.rows[index * ROW..][..=none as usize];
            let first_end = self.begin - self.origin + 1;
            fill_row(row, ends, first_end, symbols.segment_length(symbol) as usize, low_word(none));
        }
    }
}

/// The number of positions of a row that are written at once.
const GROUP: usize = 8;

/// The indexes of a row that are not a position before the end of the window.
const BEHIND: usize = 2 + GROUP;

/// A row with fewer ends is written from end to end.
const FEW_ENDS: u32 = 40;

/// For a byte of ends, one bit each, and each of its bits: the first end there or after it.
#[derive(Clone, Copy)]
struct Next {
    /// Its place in the byte; 0 if there is none.
    place: [u16; GROUP],
    /// All bits, if there is none.
    none: [u16; GROUP],
}

static NEXT: [Next; 256] = {
    let mut next = [Next { place: [0; GROUP], none: [u16::MAX; GROUP] }; 256];
    let mut byte = 1;
    while byte < 256 {
        let mut place = GROUP;
        while place > 0 {
            place -= 1;
            let rest = u32_of(byte >> place);
            if rest > 0 {
                next[byte].place[place] = low_word(u32_of(place) + rest.trailing_zeros());
                next[byte].none[place] = 0;
            }
        }
        byte += 1;
    }
    next
};

/// Writes the row of a symbol of `length` bytes, whose `ends` begin at the index `first_end`.
///
/// An occurrence that begins at an index ends `length` later, so the row is the next end by index, shifted.
fn fill_row(row: &mut [u16], ends: &[u64], first_end: usize, length: usize, none: u16) {
    let mut next = none;
    if ends.iter().map(|word| word.count_ones()).sum::<u32>() < FEW_ENDS {
        let mut filled = row.len();
        for (number, &word) in ends.iter().enumerate().rev() {
            let mut word = word;
            while word != 0 {
                let bit = word.ilog2();
                word ^= 1 << bit;
                let end = first_end + 64 * number + bit as usize;
                // Longer than a row only in a program that was not made by a compiler.
                let after = (end + 1).saturating_sub(length).min(filled);
                row[after..filled].fill(next);
                (next, filled) = (low_word(u32_of(end)), after);
            }
        }
        row[..filled].fill(next);
        return;
    }
    // Groups that do not fit into the row are after the last end.
    let tail = (first_end + 64 * ends.len()).saturating_sub(length).min(row.len().saturating_sub(GROUP));
    row[tail..].fill(none);
    for (number, &word) in ends.iter().enumerate().rev() {
        let end = first_end + 64 * number;
        let begin = end.checked_sub(length);
        if let Some(here) =
            begin.and_then(|begin| row.get_mut(begin..begin + 64)).filter(|_| word == u64::MAX)
        {
            next = low_word(u32_of(end));
            here.iter_mut().zip(next..).for_each(|(slot, end)| *slot = end);
            continue;
        }
        for (number_in_word, byte) in word.to_le_bytes().into_iter().enumerate().rev() {
            let end = end + GROUP * number_in_word;
            let base = low_word(u32_of(end));
            let Next { place, none } = &NEXT[usize::from(byte)];
            let mut group = [0; GROUP];
            for at in 0..GROUP {
                group[at] = base.wrapping_add(place[at]) & !none[at] | next & none[at];
            }
            // Not from the group, so that it need not wait for that.
            next = if byte == 0 { next } else { base + place[0] };
            if let Some(begin) = end.checked_sub(length) {
                if let Some(here) = row.get_mut(begin..begin + GROUP) {
                    here.copy_from_slice(&group);
                }
            } else if let Some(group) = group.get(length - end..) {
                row[..group.len()].copy_from_slice(group);
            }
        }
    }
    row[..first_end.saturating_sub(length)].fill(next);
}

/// The symbols of all chains.
#[derive(Clone, Copy)]
struct Sequences<'p, S> {
    bytes: &'p [u8],
    width: PhantomData<S>,
}

impl<'p, S: Width> Sequences<'p, S> {
    /// The symbol at an index.
    #[inline]
    fn at(&self, index: u32) -> u32 {
        S::at(self.bytes, index as usize)
    }

    /// The bytes of `count` symbols from an index on.
    #[inline]
    fn from(&self, index: u32, count: usize) -> &'p [u8] {
        &self.bytes[index as usize * S::BYTES..][..count * S::BYTES]
    }
}

/// Chains that are followed through one window.
struct Run<'r, S> {
    table: &'r Table,
    sequences: Sequences<'r, S>,
    waiting: &'r mut [Vec<Place>],
    is_last: bool,
}

impl<S: Width> Run<'_, S> {
    /// Follows `places`; those that do not come to their end wait for the next window.
    fn follow(&mut self, mut places: impl Iterator<Item = Place>, found: &mut Found) {
        let none = self.table.none();
        // A lane without a chain: it stays where it is.
        let idle = Place { rank: 0, at: 0, left: u32::MAX, position: none };
        let mut lanes = [Place { left: 0, ..idle }; LANES];
        loop {
            let mut steps = u32::MAX;
            for lane in &mut lanes {
                while lane.left == 0 || lane.position == none && lane.rank > 0 {
                    if lane.position != none {
                        found.matched(lane.rank);
                    }
                    *lane = self.next(&mut places, found).unwrap_or(idle);
                }
                steps = steps.min(lane.left);
            }
            if steps == u32::MAX {
                return;
            }
            let begin = lanes;
            let steps = (steps as usize).min(BLOCK);
            if steps == BLOCK {
                self.advance(&mut lanes, BLOCK);
            } else {
                self.advance(&mut lanes, steps);
            }
            for (lane, begin) in lanes.iter_mut().zip(begin).filter(|(_, begin)| begin.rank > 0) {
                found.stepped(steps as u64);
                lane.at += u32_of(steps);
                lane.left -= u32_of(steps);
                if lane.position == none && !self.is_last {
                    self.wait(begin);
                }
            }
        }
    }

    /// The next place that can improve the result, after its next symbol. If that does not occur, the chain waits.
    #[inline]
    fn next(&mut self, places: &mut impl Iterator<Item = Place>, found: &mut Found) -> Option<Place> {
        for place in places {
            found.stepped(1);
            if !found.needs_all && place.rank <= found.best {
                continue;
            }
            let symbol = self.sequences.at(place.at);
            let position = u32_of((place.position as usize).saturating_sub(self.table.origin));
            let next = if position < self.table.none() {
                self.table.look(symbol, position)
            } else {
                self.table.none()
            };
            if next < self.table.none() {
                return Some(Place { at: place.at + 1, left: place.left - 1, position: next, ..place });
            }
            if !self.is_last {
                self.waiting[symbol as usize].push(place);
            }
        }
        None
    }

    /// Advances all lanes by `steps` symbols.
    #[inline(always)]
    fn advance(&self, lanes: &mut [Place; LANES], steps: usize) {
        let sequences = lanes.map(|lane| self.sequences.from(lane.at, steps));
        let mut positions = lanes.map(|lane| lane.position);
        let rows = &self.table.rows[..];
        for step in 0..steps {
            for (position, sequence) in positions.iter_mut().zip(sequences) {
                *position = u32::from(rows[S::at(sequence, step) as usize * ROW + *position as usize]);
            }
        }
        lanes.iter_mut().zip(positions).for_each(|(lane, position)| lane.position = position);
    }

    /// Follows a chain alone to the symbol that does not occur, and lets it wait for that.
    fn wait(&mut self, mut place: Place) {
        loop {
            let symbol = self.sequences.at(place.at);
            let position = self.table.look(symbol, place.position);
            if position == self.table.none() {
                place.position += u32_of(self.table.origin);
                return self.waiting[symbol as usize].push(place);
            }
            place = Place { at: place.at + 1, left: place.left - 1, position, ..place };
        }
    }
}

#[cfg(test)]
mod tests;
