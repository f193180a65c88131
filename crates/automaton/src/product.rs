//! Rules as a nondeterministic automaton, determinized on demand.
//!
//! A pattern is a row of bytes, with marks where an unanchored segment may begin; the progress of a text in it is a
//! *place*. A state is the set of places in each of several lists of rules, together with the best rule that has
//! matched so far. Only a better rule can change that one, so places of other rules leave the set. Places that a later
//! star of the same pattern makes redundant leave it too. States are visited breadth first, so the first text that
//! leads to a state is one of the shortest.
//!
//! The bytes that lead out of a state are those that some place waits for, and one more that none waits for; all other
//! bytes lead to the same state as that one. Texts are targets in a dialect's normal form: they begin with `/`, and are
//! not `/robots.txt` if that is always allowed.
//!
//! Determinized automata can be exponentially larger than their rules, so the caller sets a budget of steps: one for
//! each place that is looked at. Memory is linear in the budget.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use robomata_protocol::semantics::Normalization;
use robomata_protocol::{Dialect, Semantics};

use crate::decompile::Shape;
use crate::int::u32_of;
use crate::normal::{Part, hex_digit, is_decoded, is_in_no_uri};
use crate::pattern::End;
use crate::rank::Rank;

/// A pattern as a row of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    rank: Rank,
    bytes: Vec<u8>,
    /// The positions where unanchored segments begin, ascending.
    starts: Vec<u32>,
    end: End,
}

impl Row {
    pub(crate) fn new(rank: Rank, shape: &Shape) -> Self {
        let mut bytes = shape.prefix.clone();
        let mut starts = Vec::with_capacity(shape.unanchored.len());
        for segment in &shape.unanchored {
            starts.push(u32_of(bytes.len()));
            bytes.extend_from_slice(segment);
        }
        Row { rank, bytes, starts, end: shape.end }
    }

    pub(crate) fn rank(&self) -> Rank {
        self.rank
    }

    fn is_start(&self, at: u32) -> bool {
        self.starts.binary_search(&at).is_ok()
    }

    /// What every text that matches begins with.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.bytes[..self.starts.first().map_or(self.bytes.len(), |&start| start as usize)]
    }

    /// Whether a text that has reached `at` has matched, however it continues.
    fn is_over(&self, at: u32) -> bool {
        at as usize == self.bytes.len() && self.end == End::Open
    }
}

/// The progress of a text in one list of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// The best rule that has matched; 0 is none.
    pub(crate) best: Rank,
    /// Row and place, ascending. Rows ascend by rank.
    pub(crate) places: Vec<(u32, u32)>,
}

impl Side {
    fn start(rows: &[Row]) -> Self {
        let best = rows.iter().filter(|row| row.is_over(0)).map(|row| row.rank).max().unwrap_or(0);
        let open = (0..).zip(rows).filter(|(_, row)| row.rank > best && !row.bytes.is_empty());
        Side { best, places: open.map(|(index, _)| (index, 0)).collect() }
    }

    /// The rule that decides when the text ends here; 0 is none.
    pub(crate) fn at_end(&self, rows: &[Row]) -> Rank {
        let ended = |&&(row, at): &&(u32, u32)| at as usize == rows[row as usize].bytes.len();
        self.places.iter().rev().find(ended).map_or(self.best, |&(row, _)| rows[row as usize].rank)
    }

    /// The ranks of the rules that can still decide.
    pub(crate) fn possible<'r>(&'r self, rows: &'r [Row]) -> impl Iterator<Item = Rank> + 'r {
        let rows_here = self.places.chunk_by(|a, b| a.0 == b.0).map(|places| rows[places[0].0 as usize].rank);
        std::iter::once(self.best).chain(rows_here)
    }

    fn after(&self, rows: &[Row], exits: &Exits, byte: u8) -> Self {
        let mut next = Side { best: self.best, places: Vec::new() };
        for places in exits.places_for(byte).chunk_by(|a, b| a.0 == b.0) {
            let index = places[0].0;
            let row = &rows[index as usize];
            let from = next.places.len();
            let mut keep_from = from;
            for &(_, at) in places {
                let stays = row.is_start(at).then_some(at);
                let moves = (row.bytes.get(at as usize) == Some(&byte)).then_some(at + 1);
                for at in stays.into_iter().chain(moves) {
                    if next.places.last() == Some(&(index, at)) {
                        continue;
                    }
                    if row.is_over(at) {
                        next.best = next.best.max(row.rank);
                    }
                    if row.is_start(at) {
                        keep_from = next.places.len();
                    }
                    next.places.push((index, at));
                }
            }
            next.places.drain(from..keep_from);
        }
        next.places.retain(|&(row, _)| rows[row as usize].rank > next.best);
        // Often few of many are left, and all states are kept.
        next.places.shrink_to_fit();
        next
    }
}

/// The places of a side, grouped by the bytes that they wait for. All transitions together cost little more than one.
struct Exits {
    /// Places that stay for every byte.
    stay: Vec<(u32, u32)>,
    /// The other places, sorted by the byte that they wait for.
    moving: Vec<(u8, (u32, u32))>,
}

impl Exits {
    fn new(side: &Side, rows: &[Row]) -> Self {
        let (mut stay, mut moving) = (Vec::new(), Vec::new());
        for &(row, at) in &side.places {
            let here = &rows[row as usize];
            match here.bytes.get(at as usize) {
                Some(_) if here.is_start(at) => stay.push((row, at)),
                Some(&byte) => moving.push((byte, (row, at))),
                None => {}
            }
        }
        moving.sort_unstable();
        Exits { stay, moving }
    }

    /// The places that wait for `byte`.
    fn moving_for(&self, byte: u8) -> &[(u8, (u32, u32))] {
        let from = self.moving.partition_point(|&(awaited, _)| awaited < byte);
        let to = self.moving.partition_point(|&(awaited, _)| awaited <= byte);
        &self.moving[from..to]
    }

    /// The number of places after `byte`, also of rules that can no longer decide.
    fn count(&self, byte: u8) -> usize {
        self.stay.len() + self.moving_for(byte).len()
    }

    /// The places after `byte`, ascending.
    fn places_for(&self, byte: u8) -> Vec<(u32, u32)> {
        let moving = self.moving_for(byte).iter().map(|&(_, place)| place);
        let mut places: Vec<_> = self.stay.iter().copied().chain(moving).collect();
        places.sort_unstable();
        places
    }
}

/// A set of places in each list, and the data that decides whether the text can be a normal form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State<const N: usize> {
    pub(crate) sides: [Side; N],
    escape: u8,
    /// The length of the text as a prefix of `/robots.txt`, if it is one.
    robots: u8,
}

/// The visitor's decision about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Continue from there.
    On,
    /// Do not continue from there.
    Back,
    /// Stop: the visitor has its result.
    Stop,
}

/// The reason for the end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All reachable states were visited.
    Whole,
    /// The visitor stopped the walk.
    Stopped,
    /// The budget was exhausted.
    Spent,
}

/// The text that leads to a state.
pub(crate) struct Way<'w> {
    steps: &'w [(u32, u8)],
    last: u32,
}

impl Way<'_> {
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut at = self.last;
        while let Some(&(before, byte)) = at.checked_sub(1).and_then(|index| self.steps.get(index as usize)) {
            text.push(byte);
            at = before;
        }
        text.reverse();
        text
    }
}

/// Visits the states of `rows`, nearest first, until nothing or no `budget` is left. `visit` receives whether a target
/// can end there.
pub(crate) fn walk<const N: usize>(
    rows: [&[Row]; N],
    dialect: Dialect,
    budget: &mut u64,
    mut visit: impl FnMut(&State<N>, bool, Way<'_>) -> Visit,
) -> Ending {
    let start = State { sides: rows.map(Side::start), escape: 0, robots: 0 };
    let tracks_query = rows.iter().any(|rows| rows.iter().any(|row| row.bytes.contains(&b'%')));
    let semantics = dialect.semantics();
    let form = TextForm { normalization: semantics.normalization, tracks_query };
    let mut seen = HashSet::new();
    let mut steps: Vec<(u32, u8)> = Vec::new();
    let mut queue = VecDeque::from([(Rc::new(start), 0)]);
    while let Some((state, number)) = queue.pop_front() {
        let mut exits = Vec::with_capacity(N);
        for (side, rows) in state.sides.iter().zip(rows) {
            let Some(left) = budget.checked_sub(side.places.len() as u64) else { return Ending::Spent };
            *budget = left;
            exits.push(Exits::new(side, rows));
        }
        for byte in bytes_out(&state, rows, form) {
            let Some(next) = state.after(rows, &exits, byte, form) else { continue };
            let places: usize = exits.iter().map(|exits| exits.count(byte)).sum();
            let Some(left) = budget.checked_sub(places as u64 + 8) else { return Ending::Spent };
            *budget = left;
            let next = Rc::new(next);
            if !seen.insert(Rc::clone(&next)) {
                continue;
            }
            steps.push((number, byte));
            let last = u32_of(steps.len());
            match visit(&next, next.may_end(semantics), Way { steps: &steps, last }) {
                Visit::On => queue.push_back((next, last)),
                Visit::Back => {}
                Visit::Stop => return Ending::Stopped,
            }
        }
    }
    Ending::Whole
}

/// The form of texts that are targets in normal form.
#[derive(Clone, Copy, Debug)]
struct TextForm {
    normalization: Normalization,
    /// Whether the query matters: only if some pattern has an escape, because it decides which escapes are decoded
    /// (N1).
    tracks_query: bool,
}

impl TextForm {
    fn next_escape(self, escape: u8, byte: u8) -> Option<u8> {
        let next = next_escape(escape, byte, self.normalization)?;
        Some(if self.tracks_query { next } else { next & !QUERY })
    }

    /// Whether `?` leads to a different state than other bytes, regardless of the patterns.
    fn begins_query(self, escape: u8) -> bool {
        let has_parts = self.normalization == Normalization::WhereNoDelimiter;
        self.tracks_query && has_parts && escape & QUERY == 0
    }
}

/// The bytes that lead to different states: those that a place waits for, and one that none waits for, if there is one.
fn bytes_out<const N: usize>(state: &State<N>, rows: [&[Row]; N], form: TextForm) -> Vec<u8> {
    // Every target begins with this byte.
    if state.is_start() {
        return vec![b'/'];
    }
    let mut is_awaited = [false; 256];
    is_awaited[usize::from(b'?')] = form.begins_query(state.escape);
    for (side, rows) in state.sides.iter().zip(rows) {
        for &(row, at) in &side.places {
            if let Some(&byte) = rows[row as usize].bytes.get(at as usize) {
                is_awaited[usize::from(byte)] = true;
            }
        }
    }
    let robots_next = ROBOTS.get(usize::from(state.robots)).copied();
    let is_other = |byte: &u8| {
        !is_awaited[usize::from(*byte)]
            && robots_next != Some(*byte)
            && form.next_escape(state.escape, *byte).is_some()
    };
    // None is left only where prefixes alone are compared: inside an escape, or if they contain all bytes. A byte that no
    // prefix contains then changes no answer.
    let other = plain_bytes().find(is_other);
    (0..=255).filter(|&byte| is_awaited[usize::from(byte)]).chain(other).collect()
}

/// Bytes that are not digits of an escape, the most readable first. At last `%`: bytes that have to be encoded begin with it.
fn plain_bytes() -> impl Iterator<Item = u8> {
    let letters = b"xzqjkwvyuhglmnoprst".iter().copied().chain(b'G'..=b'Z').chain(b'g'..=b'z');
    let marks = b"-_~.=&+,;:@!'()|^`\"<>[]{}\\ *$/".iter().copied();
    letters.chain(marks).chain(1..b' ').chain(0x7F..=0xFF).chain([b'%'])
}

/// A byte that represents itself in every dialect and is not in `awaited`, if there is one.
pub(crate) fn fresh_byte(is_awaited: impl Fn(u8) -> bool) -> Option<u8> {
    let mut bytes = plain_bytes().take_while(u8::is_ascii_graphic);
    bytes.find(|&byte| !is_awaited(byte) && !is_in_no_uri(byte))
}

const ROBOTS: &[u8] = b"/robots.txt";
/// The text is not a prefix of `/robots.txt`.
const NO_ROBOTS: u8 = u8::MAX;

impl<const N: usize> State<N> {
    fn is_start(&self) -> bool {
        self.robots == 0
    }

    fn after(&self, rows: [&[Row]; N], exits: &[Exits], byte: u8, form: TextForm) -> Option<Self> {
        let escape = form.next_escape(self.escape, byte)?;
        let is_robots = ROBOTS.get(usize::from(self.robots)) == Some(&byte);
        let robots = if is_robots { self.robots + 1 } else { NO_ROBOTS };
        let mut sides = self.sides.each_ref().map(|_| Side::default());
        for (((next, side), rows), exits) in sides.iter_mut().zip(&self.sides).zip(rows).zip(exits) {
            *next = side.after(rows, exits, byte);
        }
        Some(State { sides, escape, robots })
    }

    fn may_end(&self, semantics: &Semantics) -> bool {
        let is_robots = usize::from(self.robots) == ROBOTS.len();
        !(is_robots && semantics.allows_robots_txt) && may_end(self.escape, semantics.normalization)
    }
}

/// Whether a text can end in this escape state: under [`Normalization::Decoded`], `%` always begins an escape.
fn may_end(escape: u8, normalization: Normalization) -> bool {
    escape == 0 || normalization != Normalization::Decoded
}

/// Whether `text` can be a target's normal form, and rules decide for it.
pub(crate) fn is_target(text: &[u8], dialect: Dialect) -> bool {
    let normalization = dialect.semantics().normalization;
    let mut escape = Some(0);
    for &byte in text {
        escape = escape.and_then(|escape| next_escape(escape, byte, normalization));
    }
    let is_whole = escape.is_some_and(|escape| may_end(escape, normalization));
    text.first() == Some(&b'/') && !is_robots_txt(text, dialect) && is_whole
}

/// Whether `text` is the target for which no rule decides (U3).
pub(crate) fn is_robots_txt(text: &[u8], dialect: Dialect) -> bool {
    text == ROBOTS && dialect.semantics().allows_robots_txt
}

/// After `%`; greater values: after `%` and a hex digit.
const PERCENT: u8 = 1;
/// After `%` and a hex digit in lower case.
const LOWER: u8 = 32;

/// The text has reached its query.
const QUERY: u8 = 64;

/// The escape state after `byte`; `None` if no target's normal form continues in this way.
fn next_escape(escape: u8, byte: u8, normalization: Normalization) -> Option<u8> {
    match normalization {
        Normalization::EscapedPatterns => (byte != b'#' && byte != 0).then_some(0),
        Normalization::Decoded => match (escape, byte) {
            (0, b'%') => Some(PERCENT),
            (0, _) => Some(0),
            (PERCENT, b'2') => Some(PERCENT + 1),
            (PERCENT, _) => None,
            (_, b'5' | b'F') => Some(0),
            _ => None,
        },
        Normalization::WhereNoDelimiter => next_escape_rfc9309(escape, byte),
    }
}

fn next_escape_rfc9309(escape: u8, byte: u8) -> Option<u8> {
    if byte == b'#' || is_in_no_uri(byte) {
        return None;
    }
    let query = escape & QUERY;
    let part = if query == 0 { Part::Path } else { Part::Query };
    let next = match (escape & !QUERY, hex_digit(byte)) {
        _ if byte == b'?' => QUERY,
        _ if byte == b'%' => PERCENT,
        (0, _) | (_, None) => 0,
        (PERCENT, Some(_)) if byte.is_ascii_lowercase() => LOWER,
        (PERCENT, Some(digit)) => PERCENT + 1 + digit,
        // A complete escape: in normal form, its digits are in upper case, and its byte is not one that is decoded.
        (LOWER, Some(_)) => return None,
        (high, Some(low)) => {
            let is_decoded = is_decoded((high - PERCENT - 1) << 4 | low, part);
            if byte.is_ascii_lowercase() || is_decoded {
                return None;
            }
            0
        }
    };
    Some(query | next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::NormalForm;

    /// Comparisons try no other texts, because no URL has them.
    #[test]
    fn targets_are_the_texts_that_their_normal_form_leaves_as_they_are() {
        let bytes = (1..=0xFF).filter(|&byte| byte != b'#').map(|byte| vec![byte]);
        let digits = b"0123456789ABCDEFGabcdefg";
        let pairs = digits.iter().flat_map(|&high| digits.iter().map(move |&low| vec![b'%', high, low]));
        let texts: Vec<Vec<u8>> = bytes.chain(pairs).collect();
        let mut buffer = Vec::new();
        for dialect in Dialect::ALL {
            for (before, after) in [("/", ""), ("/", "x"), ("/?", ""), ("/x?%2F", "%"), ("/%", "1")] {
                for text in &texts {
                    let text = [before.as_bytes(), text, after.as_bytes()].concat();
                    let is_normal = NormalForm::of_urls(dialect).of_target(&text, &mut buffer) == text;
                    assert_eq!(is_target(&text, dialect), is_normal, "{dialect}: {}", text.escape_ascii());
                }
            }
        }
    }

    /// After a match, the places of worse rules leave the set, but they were looked at.
    #[test]
    fn places_that_cannot_decide_any_more_count() {
        let row = |(rank, segment): (Rank, String)| {
            let shape =
                Shape { prefix: b"/".to_vec(), unanchored: vec![segment.into_bytes()], end: End::Open };
            Row::new(rank, &shape)
        };
        let worse = (0..500).map(|n| format!("a{n}"));
        let better = (b'A'..=b'Z').map(|last| format!("!!!!!!!{}", char::from(last)));
        let rows: Vec<Row> = (1..).zip(worse.chain(better)).map(row).collect();
        let mut left = 100_000;
        let ending = walk([&rows], Dialect::Rfc9309, &mut left, |_, _, way| {
            let text = way.text();
            if text[1..].iter().all(|&byte| byte == b'!') && text.len() <= 8 {
                Visit::On
            } else {
                Visit::Back
            }
        });
        assert_eq!(ending, Ending::Whole);
        // Eight states and more than 50 transitions, 26 of them matches, look at 526 places or more each.
        assert!(100_000 - left > 60 * 526, "{left}");
    }
}
