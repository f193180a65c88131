//! A short list of unanchored patterns, best rank first, with a prefilter for rare bytes.
//!
//! Nearly all programs with unanchored patterns have at most a few dozen of them, and most of those patterns follow
//! prefixes (`/core/*.css$`) that a target does not have. The patterns after the prefixes that it has are the
//! *candidates*. If there are any, the search checks the text for *probes*: pairs of bytes of the segments that are
//! rare in URLs (or single bytes, for segments of one byte). It checks as many probes as the best candidate needs. A
//! probe that does not occur excludes every pattern that needs it. If all probes of a candidate occur, it is searched
//! for, by leftmost placement; the first candidate that matches is the best.
//!
//! # Bound
//!
//! Limits keep the search linear: there are at most [`MAX_PATTERNS`] patterns and 32 probes, and each of them takes one
//! pass over the text. A search for a segment compares it at positions where two of its bytes agree. After too many
//! failed comparisons, it switches to a search that is linear for any bytes (`block::find`). That takes the longer, the
//! longer the segment, so there may be few long segments or more short ones ([`MAX_COST`]). Patterns beyond the limits go into an automaton (`unanchored`).
//!
//! # Layout
//!
//! ```text
//! count       1 byte   the number of patterns
//! singles     one bit for each of the 8, 16 or 32 probes (by the number of patterns): it is only its first byte
//! probes      for each, its 2 bytes and its dependents (1, 2, 4 or 8 bytes by the number of patterns): bit i means that
//!             pattern i needs it
//! followers   for each root, the same number of bytes: bit i means that pattern i follows it; root 0 is the text's
//!             beginning, the others are prefixes
//! needs       for each pattern, one bit for each probe that it needs
//! offsets     2 bytes for each pattern: its offset from the list's start
//! patterns    consecutive, by descending rank:
//!     rank    varint
//!     from    varint    bytes of the prefix that it follows
//!     shape   1 byte   segments * 2 + (1 when the last one must be the text's end)
//!     segments, each: length, position of its rarest byte (1 byte each), bytes
//! ```

use crate::block::{contains, contains_pair, find};
use crate::construct::Follower;
use crate::int::{index_of, low_byte, push_fixed, push_varint, read_fixed, read_varint, u32_of};
use crate::pattern::{End, Pattern};
use crate::rank::Rank;
use crate::search::Matches;

/// More patterns than this form an automaton.
const MAX_PATTERNS: usize = 64;
/// A longer segment requires an automaton: a list has its length in one byte.
const MAX_SEGMENT: usize = 255;
/// What the linear search for a segment costs apart from its length, as a number of its bytes (measured).
const SEARCH_COST: usize = 64;
/// Patterns that cost more together, each by its longest segment, require an automaton: 48 patterns with segments of 32
/// bytes, whose search takes 90 µs in a text of 2 KB.
const MAX_COST: usize = 48 * (SEARCH_COST + 32);
/// A pattern with more segments requires an automaton.
const MAX_SEGMENTS: usize = 8;
/// A set of probes, one bit each; the rarer the probe, the lower the bit.
type ProbeSet = u32;
/// The number of probes that a [`ProbeSet`] holds.
const MAX_PROBES: usize = 32;

/// The size of a [`ProbeSet`] in a list of `count` patterns, in bytes.
const fn probe_width(count: usize) -> usize {
    match count {
        0..=8 => 1,
        9..=16 => 2,
        _ => 4,
    }
}

/// A list of unanchored patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternList<'p> {
    bytes: &'p [u8],
    /// The offset of the needs.
    needs: u32,
    /// The offset of the offsets.
    offsets: u32,
    /// The offset of the followers.
    followers: u32,
    count: u8,
    /// The size of a set of probes in bytes.
    probe_width: u8,
    /// The size of a set of patterns in bytes.
    width: u8,
}

/// A set of patterns of a list, one bit each; the better the pattern, the lower the bit.
pub(crate) type Candidates = u64;

/// One pattern of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListPattern<'p> {
    pub(crate) rank: Rank,
    pub(crate) from: usize,
    pub(crate) end: End,
    pub(crate) segment_count: usize,
    segments: &'p [u8],
}

/// A segment of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'p> {
    pub(crate) bytes: &'p [u8],
    rarest: usize,
}

impl<'p> PatternList<'p> {
    /// The list in `bytes`; `None` when they are too short for one.
    #[inline]
    pub(crate) fn find(bytes: &'p [u8], roots: u32) -> Option<Self> {
        let count = *bytes.first()?;
        let [probe_width, width] = [probe_width(count.into()), set_width(count.into())].map(u32_of);
        let followers = 1 + probe_width + 8 * probe_width * (2 + width);
        let needs = followers.checked_add(width.checked_mul(roots)?)?;
        let offsets = needs.checked_add(probe_width * u32::from(count))?;
        let fits = bytes.len() >= (offsets as usize).checked_add(2 * usize::from(count))?;
        let [probe_width, width] = [probe_width, width].map(low_byte);
        fits.then_some(PatternList { bytes, needs, offsets, followers, count, probe_width, width })
    }

    /// The patterns that follow a root.
    #[inline]
    pub(crate) fn followers(&self, root: u32) -> Candidates {
        let at = self.followers as usize + root as usize * self.width();
        read_fixed(self.bytes, at, self.width())
    }

    pub(crate) fn len(&self) -> usize {
        self.count.into()
    }

    #[inline]
    fn width(&self) -> usize {
        self.width.into()
    }

    #[inline]
    fn probe_width(&self) -> usize {
        self.probe_width.into()
    }

    pub(crate) fn roots(&self) -> u32 {
        (self.needs - self.followers) / u32::from(self.width)
    }

    /// The probes, one or two bytes each.
    pub(crate) fn probes(&self) -> impl Iterator<Item = &'p [u8]> {
        let singles = self.singles();
        let records = &self.bytes[1 + self.probe_width()..self.followers as usize];
        let one = move |bit: usize, record: &'p [u8]| {
            if singles >> bit & 1 == 1 { &record[..1] } else { &record[..2] }
        };
        records.chunks_exact(2 + self.width()).enumerate().map(move |(bit, record)| one(bit, record))
    }

    /// The probes of one byte.
    #[inline]
    fn singles(&self) -> ProbeSet {
        self.probe_set(1)
    }

    #[inline]
    fn probe_set(&self, at: usize) -> ProbeSet {
        u32_of(index_of(read_fixed(self.bytes, at, self.probe_width())))
    }

    /// The probes that a pattern needs.
    #[inline]
    fn needs(&self, index: usize) -> ProbeSet {
        self.probe_set(self.needs as usize + index * self.probe_width())
    }

    /// The offset of the pattern with this number.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        let item = self.offsets as usize + 2 * index;
        index_of(read_fixed(self.bytes, item, 2))
    }

    /// The pattern with this number; `None` if it is incomplete.
    #[inline]
    pub(crate) fn pattern(&self, index: usize) -> Option<ListPattern<'p>> {
        let mut at = self.offset(index);
        let rank = read_varint(self.bytes, &mut at)?;
        let from = read_varint(self.bytes, &mut at)? as usize;
        let shape = *self.bytes.get(at)?;
        let end = if shape & 1 == 1 { End::Anchored } else { End::Open };
        let segments = &self.bytes[at + 1..];
        Some(ListPattern { rank, from, end, segment_count: usize::from(shape >> 1), segments })
    }

    /// Reports the candidates that match `text`.
    // This is a separate function because walks that end without candidates need none of its registers.
    #[inline(never)]
    pub(crate) fn search<M: Matches>(&self, text: &[u8], mut candidates: Candidates, matches: &mut M) {
        let singles = self.singles();
        let mut here: ProbeSet = 0;
        while candidates != 0 {
            matches.stepped();
            let index = candidates.trailing_zeros();
            let unknown = self.needs(index as usize) & !here;
            if unknown != 0 {
                // The rarest unknown probe. All known probes occur; otherwise this would no longer be a candidate.
                let probe = unknown.trailing_zeros();
                let at = 1 + self.probe_width() + probe as usize * (2 + self.width());
                let (first, second) = (self.bytes[at], self.bytes[at + 1]);
                let occurs = if singles >> probe & 1 == 0 {
                    contains_pair(text, first, second)
                } else {
                    contains(text, first)
                };
                if occurs {
                    here |= 1 << probe;
                } else {
                    candidates &= !(read_fixed(self.bytes, at + 2, self.width()) | 1 << index);
                }
                continue;
            }
            candidates &= candidates - 1;
            let Some(pattern) = self.pattern(index as usize) else { return };
            if !M::ALL && pattern.rank <= matches.best() {
                return;
            }
            if pattern.matches(text, || matches.stepped()) {
                matches.matched(pattern.rank);
                if !M::ALL {
                    return;
                }
            }
        }
    }

    /// Whether every pattern is complete, ranks descend, and followers exist.
    pub(crate) fn is_valid(&self, rules: u32, roots: u32) -> bool {
        let exist = |root| self.count >= 64 || self.followers(root) >> self.count == 0;
        if self.len() > MAX_PATTERNS || !(0..roots).all(exist) {
            return false;
        }
        let mut at = self.offsets as usize + 2 * self.len();
        let mut last_rank = rules.saturating_add(1);
        for index in 0..self.len() {
            let Some(pattern) = self.pattern(index) else { return false };
            let in_order = pattern.rank > 0 && pattern.rank < last_rank;
            if !in_order || pattern.segment_count == 0 || self.offset(index) != at {
                return false;
            }
            last_rank = pattern.rank;
            let mut segments = pattern.segments();
            if segments.by_ref().count() != pattern.segment_count {
                return false;
            }
            at = self.bytes.len() - segments.rest.len();
        }
        at == self.bytes.len() && self.count > 0
    }
}

impl<'p> ListPattern<'p> {
    #[inline]
    pub(crate) fn segments(&self) -> Segments<'p> {
        Segments { left: self.segment_count, rest: self.segments }
    }

    /// Leftmost placement of each segment after the previous one. Calls `compared` for each position that is tried.
    fn matches(&self, text: &[u8], mut compared: impl FnMut()) -> bool {
        let mut at = self.from;
        let mut segments = self.segments();
        while let Some(segment) = segments.next() {
            let Some(rest) = text.get(at..) else { return false };
            if segments.left == 0 && self.end == End::Anchored {
                return rest.ends_with(segment.bytes);
            }
            let Some(start) = segment.find(rest, &mut compared) else { return false };
            at += start + segment.bytes.len();
        }
        true
    }
}

/// The segments of a pattern, in order.
pub(crate) struct Segments<'p> {
    left: usize,
    rest: &'p [u8],
}

impl<'p> Iterator for Segments<'p> {
    type Item = Segment<'p>;

    #[inline]
    fn next(&mut self) -> Option<Segment<'p>> {
        self.left = self.left.checked_sub(1)?;
        let [length, rarest, rest @ ..] = self.rest else { return None };
        let (bytes, rest) = rest.split_at_checked(usize::from(*length))?;
        self.rest = rest;
        let rarest = usize::from(*rarest);
        (rarest < bytes.len()).then_some(Segment { bytes, rarest })
    }
}

impl Segment<'_> {
    /// The first position of the segment in `text`.
    #[inline]
    fn find(&self, text: &[u8], compared: impl FnMut()) -> Option<usize> {
        find(text, self.bytes, self.rarest, compared)
    }
}

/// Bytes by their frequency in URLs, the most frequent first; all other bytes are rarer.
const COMMON: &[u8; MOST_COMMON as usize] =
    b"e-ast/inorcldpmu0h2g1fbvwy_3.459867k=jx%A?zDSqCO&NPTRFMIELBWHGUVYKJXQZ+,;:~!()@'*$ ";

/// The rank of the most frequent byte.
const MOST_COMMON: u8 = 83;

/// The frequency rank of each byte: 0 for the rarest.
static BYTE_FREQUENCY_RANK: [u8; 256] = {
    let mut commonness = [0; 256];
    let mut place = 0u8;
    while (place as usize) < COMMON.len() {
        commonness[COMMON[place as usize] as usize] = MOST_COMMON - place;
        place += 1;
    }
    commonness
};

fn commonness(byte: u8) -> u32 {
    u32::from(BYTE_FREQUENCY_RANK[usize::from(byte)])
}

const fn set_width(count: usize) -> usize {
    match count {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    }
}

/// Whether these patterns can form a list.
pub(crate) fn fits(list: &[Follower<'_>]) -> bool {
    // None for a pattern that requires an automaton.
    let cost = |follower: &Follower<'_>| {
        let segments = follower.pattern.unanchored;
        let longest = segments.iter().map(|segment| segment.len()).max().unwrap_or(0);
        (segments.len() <= MAX_SEGMENTS && longest <= MAX_SEGMENT).then_some(SEARCH_COST + longest)
    };
    list.len() <= MAX_PATTERNS
        && list.iter().map(cost).sum::<Option<usize>>().is_some_and(|cost| cost <= MAX_COST)
}

/// Writes the list of these patterns.
pub(crate) fn write(list: &mut [Follower<'_>], roots: u32, out: &mut Vec<u8>) {
    list.sort_unstable_by_key(|follower| std::cmp::Reverse(follower.pattern.rank));
    let probe_width = probe_width(list.len());
    let probes = Probes::choose(list, 8 * probe_width);
    let start = out.len();
    out.push(low_byte(u32_of(list.len())));
    let mut needs = [0; MAX_PATTERNS];
    for (needs, follower) in needs.iter_mut().zip(&*list) {
        *needs = probes.needs_of(follower.pattern);
    }
    let needs = &needs[..list.len()];
    probes.write(needs, out, probe_width);
    write_followers(list, roots, out);
    for &needs in needs {
        push_fixed(out, needs, probe_width);
    }
    let offsets = out.len();
    out.resize(offsets + 2 * list.len(), 0);
    for (number, follower) in list.iter().enumerate() {
        let offset = u32_of(out.len() - start).to_le_bytes();
        out[offsets + 2 * number..offsets + 2 * number + 2].copy_from_slice(&offset[..2]);
        write_pattern(follower.pattern, out);
    }
}

fn write_followers(list: &[Follower<'_>], roots: u32, out: &mut Vec<u8>) {
    let width = set_width(list.len());
    let start = out.len();
    out.resize(start + width * roots as usize, 0);
    for (bit, follower) in list.iter().enumerate() {
        out[start + width * follower.root as usize + bit / 8] |= 1 << (bit % 8);
    }
}

fn write_pattern(pattern: &Pattern<'_>, out: &mut Vec<u8>) {
    push_varint(out, pattern.rank);
    push_varint(out, u32_of(pattern.prefix.len()));
    let count = u32_of(pattern.unanchored.len());
    out.push(low_byte(count * 2 + u32::from(pattern.end == End::Anchored)));
    for &segment in pattern.unanchored {
        let rarest = (0..segment.len()).min_by_key(|&at| commonness(segment[at])).unwrap_or(0);
        out.extend_from_slice(&[low_byte(u32_of(segment.len())), low_byte(u32_of(rarest))]);
        out.extend_from_slice(segment);
    }
}

/// The number of probes per pattern; more of them would add little.
const OF_ONE_PATTERN: usize = 4;

/// Two consecutive bytes of a segment, or the only byte of a segment. The frequency is in the upper bits, so rarer
/// probes have smaller numbers. The frequencies of bytes are treated as independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe(u32);

impl Probe {
    /// No probe; it is more frequent than any other.
    const NONE: Probe = Probe(u32::MAX);
    const SINGLE: u32 = 1 << 16;

    fn pair(first: u8, second: u8) -> Self {
        let bytes = u32::from(first) << 8 | u32::from(second);
        Probe((commonness(first) * commonness(second)) << 17 | bytes)
    }

    fn single(only: u8) -> Self {
        Probe((commonness(only) * u32::from(MOST_COMMON)) << 17 | Probe::SINGLE | u32::from(only) << 8)
    }

    fn is_single(self) -> bool {
        self.0 & Probe::SINGLE != 0
    }

    fn bytes(self) -> [u8; 2] {
        [low_byte(self.0 >> 8), low_byte(self.0)]
    }

    /// The frequency: the smaller, the better the probe.
    fn commonness(self) -> u32 {
        self.0 >> 17
    }
}

/// The probes of a list. The rarest comes first, because it is the most likely to be missing.
struct Probes {
    chosen: [Probe; MAX_PROBES],
    len: usize,
    /// For each byte, the probes that begin with it.
    first: [ProbeSet; 256],
    /// For each byte, the probes of two bytes that end with it.
    second: [ProbeSet; 256],
    singles: ProbeSet,
}

impl Probes {
    /// Chooses the rarest probe of every pattern, then the second rarest, until there are `count`.
    fn choose(list: &[Follower<'_>], count: usize) -> Self {
        // A shorter prefix occurs in more texts, so the probes of the patterns after it matter most.
        let mut order = [0; MAX_PATTERNS];
        let order = &mut order[..list.len()];
        for (place, follower) in list.iter().enumerate() {
            order[place] = follower.pattern.prefix.len() * MAX_PATTERNS + place;
        }
        order.sort_unstable();
        let mut rarest = [[Probe::NONE; OF_ONE_PATTERN]; MAX_PATTERNS];
        for (&place, rarest) in order.iter().zip(&mut rarest) {
            *rarest = rarest_probes(list[place % MAX_PATTERNS].pattern);
        }
        let none = [0; 256];
        let mut probes =
            Probes { chosen: [Probe::NONE; MAX_PROBES], len: 0, first: none, second: none, singles: 0 };
        for nth in 0..OF_ONE_PATTERN {
            for probe in rarest[..list.len()].iter().map(|probes| probes[nth]) {
                if probe != Probe::NONE && probes.len < count && !probes.contains(probe) {
                    probes.push(probe);
                }
            }
        }
        probes.sort();
        probes
    }

    fn contains(&self, probe: Probe) -> bool {
        let [first, second] = probe.bytes();
        let last = if probe.is_single() { self.singles } else { self.second[usize::from(second)] };
        self.first[usize::from(first)] & last != 0
    }

    fn push(&mut self, probe: Probe) {
        let [first, second] = probe.bytes();
        let bit = 1 << self.len;
        self.first[usize::from(first)] |= bit;
        if probe.is_single() {
            self.singles |= bit;
        } else {
            self.second[usize::from(second)] |= bit;
        }
        self.chosen[self.len] = probe;
        self.len += 1;
    }

    fn sort(&mut self) {
        let mut chosen = self.chosen;
        let chosen = &mut chosen[..self.len];
        chosen.sort_by_key(|probe| probe.commonness());
        for probe in &*chosen {
            let [first, second] = probe.bytes();
            self.first[usize::from(first)] = 0;
            self.second[usize::from(second)] = 0;
        }
        (self.len, self.singles) = (0, 0);
        chosen.iter().for_each(|&probe| self.push(probe));
    }

    /// The probes that a segment of `pattern` contains.
    fn needs_of(&self, pattern: &Pattern<'_>) -> ProbeSet {
        let mut needs = 0;
        for &segment in pattern.unanchored {
            // After the last byte, only single-byte probes are complete.
            let second_probes = segment[1..].iter().map(|&byte| self.second[usize::from(byte)]).chain([0]);
            for (&byte, second) in segment.iter().zip(second_probes) {
                needs |= self.first[usize::from(byte)] & (second | self.singles);
            }
        }
        needs
    }

    /// Writes the probes and the patterns that need them. Free slots repeat the first probe, which no pattern needs
    /// twice.
    fn write(&self, needs: &[ProbeSet], out: &mut Vec<u8>, probe_width: usize) {
        let count = 8 * probe_width;
        let first_again = self.chosen[0];
        let repeated: ProbeSet =
            if first_again.is_single() { (self.len..count).map(|bit| 1 << bit).sum() } else { 0 };
        push_fixed(out, self.singles | repeated, probe_width);
        let mut dependents: [Candidates; MAX_PROBES] = [0; MAX_PROBES];
        for (index, &needs) in needs.iter().enumerate() {
            let mut left = needs;
            while left != 0 {
                dependents[left.trailing_zeros() as usize] |= 1 << index;
                left &= left - 1;
            }
        }
        let width = set_width(needs.len());
        let chosen = self.chosen[..self.len].iter().chain(std::iter::repeat(&first_again));
        for (probe, dependents) in chosen.zip(&dependents[..count]) {
            out.extend_from_slice(&probe.bytes());
            out.extend_from_slice(&dependents.to_le_bytes()[..width]);
        }
    }
}

/// Rare, different probes of a pattern, at least one, because no segment is empty. The rarest of each segment come
/// first, because the probes of one segment depend on each other; then the rarest of all.
fn rarest_probes(pattern: &Pattern<'_>) -> [Probe; OF_ONE_PATTERN] {
    let mut rarest = [Probe::NONE; OF_ONE_PATTERN];
    for &segment in pattern.unanchored {
        let mut rarest_here = Probe::NONE;
        each_probe(segment, |probe| {
            if probe.commonness() < rarest_here.commonness() {
                rarest_here = probe;
            }
        });
        insert(&mut rarest, 0, rarest_here);
    }
    let of_segments = rarest.iter().take_while(|&&probe| probe != Probe::NONE).count();
    for &segment in pattern.unanchored {
        each_probe(segment, |probe| insert(&mut rarest, of_segments, probe));
    }
    rarest
}

/// The pairs of a segment, or its only byte.
#[inline]
fn each_probe(segment: &[u8], mut each: impl FnMut(Probe)) {
    if let [only] = *segment {
        each(Probe::single(only));
    }
    segment.windows(2).for_each(|pair| each(Probe::pair(pair[0], pair[1])));
}

/// Inserts a probe that is not yet there into the order from index `from` on, and drops the most frequent one.
#[inline]
fn insert(places: &mut [Probe; OF_ONE_PATTERN], from: usize, mut probe: Probe) {
    let too_common = probe.commonness() >= places[OF_ONE_PATTERN - 1].commonness();
    if from == OF_ONE_PATTERN || too_common || places.contains(&probe) {
        return;
    }
    for place in &mut places[from..] {
        if probe.commonness() < place.commonness() {
            std::mem::swap(place, &mut probe);
        }
    }
}

#[cfg(test)]
mod tests {
    use robomata_protocol::{Access, Dialect};

    use super::*;
    use crate::decompile::Shape;
    use crate::program::{Compiler, Parts, UnanchoredPart};
    use crate::validate::validate;

    #[test]
    fn a_list_has_followers_that_exist_and_each_rank_once() {
        let shape =
            |segment: &[u8]| Shape { prefix: vec![], unanchored: vec![segment.to_vec()], end: End::Open };
        let rules = [(shape(b"aa"), Access::Disallow, 1), (shape(b"bb"), Access::Disallow, 2)];
        let mut compiler = Compiler::new();
        let valid = compiler.compile_shapes(&rules, Dialect::Rfc9309).bytes().to_vec();
        assert_eq!(validate(&valid), Ok(()));
        // After 1 + 1 + 8 * 3 bytes come the followers of root 0, the needs, the offsets, and two patterns of 7 bytes.
        let followers = valid.len() - (1 + 2 + 4 + 2 * 7);
        let second_rank = valid.len() - 7;
        assert_eq!((valid[followers], valid[second_rank]), (0b11, 1));
        for (at, byte) in [(followers, 0b111), (second_rank, 2), (second_rank, 0)] {
            let mut forged = valid.clone();
            forged[at] = byte;
            assert!(validate(&forged).is_err(), "{byte} at {at}");
        }
    }

    /// The program of these patterns, the best first; each is the segments after a star.
    fn program_of(patterns: &[&[&str]]) -> Vec<u8> {
        let shape = |segments: &[&str]| {
            let unanchored = segments.iter().map(|segment| segment.as_bytes().to_vec()).collect();
            Shape { prefix: vec![], unanchored, end: End::Open }
        };
        let rules: Vec<_> =
            (1..).zip(patterns.iter().rev()).map(|(line, p)| (shape(p), Access::Disallow, line)).collect();
        Compiler::new().compile_shapes(&rules, Dialect::Rfc9309).bytes().to_vec()
    }

    fn list_of(program: &[u8]) -> PatternList<'_> {
        match Parts::find(program).unwrap().unanchored {
            UnanchoredPart::PatternList { list, .. } => list,
            other => panic!("{other:?} is no list"),
        }
    }

    #[track_caller]
    fn assert_probes(patterns: &[&[&str]], expected: &[&str]) {
        let program = program_of(patterns);
        let probes: Vec<&str> =
            list_of(&program).probes().map(|probe| str::from_utf8(probe).unwrap()).collect();
        assert_eq!(probes, expected, "{patterns:?}");
    }

    #[test]
    fn probes_are_the_rarest_pairs_by_frequency() {
        // From the most frequent byte to the rarest: e, Q, Z, +, :, ~. Free slots repeat the first probe.
        assert_probes(&[&["eQe"]], &["eQ", "Qe", "eQ", "eQ", "eQ", "eQ", "eQ", "eQ"]);
        // The rarest pair of each segment, and as many more as there are places.
        assert_probes(&[&["ee", "~Z+Q:"]], &["~Z", "Q:", "Z+", "ee", "~Z", "~Z", "~Z", "~Z"]);
        // A single byte only for a segment that has no pair.
        assert_probes(&[&["~"]], &["~"; 8]);
        assert_probes(&[&["~", "ee"]], &["~", "ee", "~", "~", "~", "~", "~", "~"]);
        // The rarest of all patterns comes first, whatever the patterns' order.
        assert_probes(&[&["ee"], &["~~"], &["~"]], &["~~", "~", "ee", "~~", "~~", "~~", "~~", "~~"]);
        // No pair twice.
        assert_probes(&[&["~~", "e~~"]], &["~~", "e~", "~~", "~~", "~~", "~~", "~~", "~~"]);
    }

    #[test]
    fn a_longer_list_has_more_probes() {
        for count in [8, 16, 32] {
            let words: Vec<String> =
                (b'A'..).take(count).map(|byte| String::from_utf8(vec![byte; 2]).unwrap()).collect();
            let patterns: Vec<[&str; 1]> = words.iter().map(|word| [word.as_str()]).collect();
            let program = program_of(&patterns.iter().map(|pattern| &pattern[..]).collect::<Vec<_>>());
            let mut probes: Vec<&[u8]> = list_of(&program).probes().collect();
            probes.sort_unstable();
            assert_eq!(probes, words.iter().map(String::as_bytes).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_empty_list_is_refused() {
        let valid = program_of(&[&["~~"]]);
        // The list: its number of patterns, singles, 8 probes of 3 bytes, one byte of followers. Then the pattern's needs,
        // its offset, and its 7 bytes.
        let list = valid.len() - (1 + 1 + 8 * 3 + 1 + 1 + 2 + 7);
        let mut forged = valid[..valid.len() - (1 + 2 + 7)].to_vec();
        assert_eq!((forged[list], forged[forged.len() - 1]), (1, 1));
        (forged[list], forged[list + 1 + 1 + 8 * 3]) = (0, 0);
        assert!(validate(&forged).is_err());
    }

    #[test]
    fn rare_bytes_are_rarer() {
        assert!(commonness(b'e') > commonness(b'?'));
        assert!(commonness(b'?') > commonness(b'^'));
        assert_eq!(commonness(0xFF), commonness(0));
    }
}
