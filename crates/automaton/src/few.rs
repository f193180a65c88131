//! Few floating patterns: a list, best rank first, behind a test on rare octets.
//!
//! Nearly all programs with floating patterns have a few dozen of them at most, and most of those patterns follow heads
//! (`/core/*.css$`) that a target does not have. The patterns of the heads that it has are the *candidates*. Where there
//! are any, the text is asked for *probes*, at most eight octets of the segments that are rare in URLs: a candidate whose
//! probes do not all occur cannot match. The others are searched for one after the other, by leftmost placement, until
//! one matches: it is the best.
//!
//! # Bound
//!
//! Limits keep the search linear: at each octet of the text at most [`MAX_PATTERNS`] comparisons of at most
//! [`MAX_SEGMENT`] octets. Whatever does not fit goes into an automaton (`floating`).
//!
//! # Layout
//!
//! ```text
//! count       1 octet   patterns
//! probes      8 octets
//! followers   1, 2, 4 or 8 octets for each root, by the number of patterns: bit i says that pattern i follows it;
//!             root 0 is the text's beginning, the others are heads
//! needs       1 octet for each pattern: bit i says that it needs probe i
//! offsets     2 octets for each pattern: where it begins, from the list's start
//! patterns    one behind the other, by descending rank:
//!     rank    varint
//!     from    varint    octets of the head that it follows
//!     shape   1 octet   segments * 2 + (1 when the last one must be the text's end)
//!     segments, each: length, position of its rarest octet (1 octet each), octets
//! ```

use crate::block::contains;
use crate::int::{low_octet, push_varint, read_fixed, read_varint, u32_of};
use crate::pattern::{End, Pattern, Patterns};
use crate::rank::Rank;
use crate::search::Matches;

/// More patterns than this are an automaton's work.
const MAX_PATTERNS: usize = 48;
/// A longer segment is an automaton's work.
const MAX_SEGMENT: usize = 32;
/// A pattern of more segments is an automaton's work.
const MAX_SEGMENTS: usize = 8;
const PROBES: usize = 8;
const PREFIX: usize = 1 + PROBES;

/// A list of floating patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few<'p> {
    octets: &'p [u8],
    count: usize,
    /// Octets of a root's followers.
    width: usize,
    /// Where the needs begin.
    needs: usize,
}

/// Patterns of a list, a bit each; the lower the better.
pub(crate) type Candidates = u64;

/// One pattern of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FewPattern<'p> {
    pub(crate) rank: Rank,
    pub(crate) from: usize,
    pub(crate) end: End,
    pub(crate) segment_count: usize,
    segments: &'p [u8],
}

/// A segment of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'p> {
    pub(crate) octets: &'p [u8],
    rarest: usize,
}

impl<'p> Few<'p> {
    /// The list that `octets` hold; None when they are too short for one.
    #[inline]
    pub(crate) fn find(octets: &'p [u8], roots: u32) -> Option<Self> {
        let count = usize::from(*octets.first()?);
        let width = followers_width(count);
        let needs = PREFIX + width.checked_mul(roots as usize)?;
        (octets.len() >= needs.checked_add(3 * count)?).then_some(Few { octets, count, width, needs })
    }

    /// The patterns that follow a root.
    #[inline]
    pub(crate) fn followers(&self, root: u32) -> Candidates {
        let at = PREFIX + root as usize * self.width;
        read_fixed(&self.octets[at..at + self.width]) as Candidates
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn roots(&self) -> u32 {
        u32_of((self.needs - PREFIX) / self.width)
    }

    pub(crate) fn probes(&self) -> &'p [u8] {
        &self.octets[1..PREFIX]
    }

    #[inline]
    fn needs(&self) -> &'p [u8] {
        &self.octets[self.needs..self.needs + self.count]
    }

    /// Where the pattern with this number begins.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        let item = self.needs + self.count + 2 * index;
        read_fixed(&self.octets[item..item + 2])
    }

    /// The pattern with this number; None where no whole one stands.
    #[inline]
    pub(crate) fn pattern(&self, index: usize) -> Option<FewPattern<'p>> {
        let mut at = self.offset(index);
        let rank = read_varint(self.octets, &mut at)?;
        let from = read_varint(self.octets, &mut at)? as usize;
        let shape = *self.octets.get(at)?;
        let end = if shape & 1 == 1 { End::Anchored } else { End::Open };
        let segments = &self.octets[at + 1..];
        Some(FewPattern { rank, from, end, segment_count: usize::from(shape >> 1), segments })
    }

    /// Reports those of the candidates that match `text`.
    #[inline]
    pub(crate) fn search<M: Matches>(&self, text: &[u8], mut candidates: Candidates, matches: &mut M) {
        let mut occurrences = Occurrences { text, probes: self.probes(), known: 0, here: 0 };
        let needs = self.needs();
        while candidates != 0 {
            let index = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            if !occurrences.all(needs[index]) {
                continue;
            }
            let Some(pattern) = self.pattern(index) else { return };
            if !M::ALL && pattern.rank <= matches.best() {
                return;
            }
            if pattern.matches(text) {
                matches.matched(pattern.rank);
                if !M::ALL {
                    return;
                }
            }
        }
    }

    /// Does every pattern read whole, with ranks that descend and followers that exist?
    pub(crate) fn is_valid(&self, rules: u32, roots: u32) -> bool {
        let exist = |root| self.count >= 64 || self.followers(root) >> self.count == 0;
        if self.count > MAX_PATTERNS || !(0..roots).all(exist) {
            return false;
        }
        let mut at = self.needs + 3 * self.count;
        let mut last_rank = rules.saturating_add(1);
        for index in 0..self.count {
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
            at = self.octets.len() - segments.rest.len();
        }
        at == self.octets.len() && self.count > 0
    }
}

impl<'p> FewPattern<'p> {
    pub(crate) fn segments(&self) -> Segments<'p> {
        Segments { left: self.segment_count, rest: self.segments }
    }

    /// Leftmost placement of each segment behind its predecessor.
    fn matches(&self, text: &[u8]) -> bool {
        let mut at = self.from;
        let mut segments = self.segments();
        while let Some(segment) = segments.next() {
            let Some(rest) = text.get(at..) else { return false };
            if segments.left == 0 && self.end == End::Anchored {
                return rest.ends_with(segment.octets);
            }
            let Some(start) = segment.find(rest) else { return false };
            at += start + segment.octets.len();
        }
        true
    }
}

/// The segments of a pattern, one after the other.
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
        let (octets, rest) = rest.split_at_checked(usize::from(*length))?;
        self.rest = rest;
        let rarest = usize::from(*rarest);
        (rarest < octets.len()).then_some(Segment { octets, rarest })
    }
}

impl Segment<'_> {
    /// Where the segment first occurs in `text`: its rarest octet is looked for, then compared around it.
    #[inline]
    fn find(&self, text: &[u8]) -> Option<usize> {
        let last = text.len().checked_sub(self.octets.len())?;
        let rare = self.octets[self.rarest];
        let window = &text[self.rarest..=last + self.rarest];
        memchr::memchr_iter(rare, window)
            .find(|&start| &text[start..start + self.octets.len()] == self.octets)
    }
}

/// Which probes occur in a text, found out when it is asked.
struct Occurrences<'t> {
    text: &'t [u8],
    probes: &'t [u8],
    /// Probes that have been looked for, a bit each.
    known: u8,
    /// Those of them that occur.
    here: u8,
}

impl Occurrences<'_> {
    /// Do all the probes in `needs` occur? The rarest is asked first, and the first that is missing ends it.
    #[inline]
    fn all(&mut self, needs: u8) -> bool {
        let mut unknown = needs & !self.known;
        while self.known & needs & !self.here == 0 {
            if unknown == 0 {
                return true;
            }
            let bit = unknown & unknown.wrapping_neg();
            self.known |= bit;
            if contains(self.text, self.probes[bit.trailing_zeros() as usize]) {
                self.here |= bit;
            }
            unknown &= !bit;
        }
        false
    }
}

/// Octets as they are common in URLs, the most common first; what is not here is rarer still.
const COMMON: &[u8; 83] =
    b"e-ast/inorcldpmu0h2g1fbvwy_3.459867k=jx%A?zDSqCO&NPTRFMIELBWHGUVYKJXQZ+,;:~!()@'*$ ";

fn commonness(octet: u8) -> usize {
    COMMON.len() - COMMON.iter().position(|&common| common == octet).unwrap_or(COMMON.len())
}

const fn followers_width(count: usize) -> usize {
    match count {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    }
}

/// Can these patterns be a list?
pub(crate) fn are_few(patterns: &Patterns, floating: &[(u32, u32)]) -> bool {
    floating.len() <= MAX_PATTERNS
        && floating.iter().all(|&(index, _)| {
            let mut segments = patterns.floating(patterns.get(index));
            segments.len() <= MAX_SEGMENTS && segments.all(|segment| segment.len() <= MAX_SEGMENT)
        })
}

/// Writes the list of these patterns, each with the root that it follows.
pub(crate) fn write(
    patterns: &Patterns,
    rank_of: &[Rank],
    floating: &mut [(u32, u32)],
    roots: u32,
    out: &mut Vec<u8>,
) {
    floating.sort_unstable_by_key(|&(index, _)| std::cmp::Reverse(rank_of[index as usize]));
    let probes = choose_probes(patterns, floating);
    let start = out.len();
    out.push(low_octet(u32_of(floating.len())));
    out.extend_from_slice(&probes);
    let width = followers_width(floating.len());
    for root in 0..roots {
        let follows = |(bit, &(_, of)): (usize, &(u32, u32))| Candidates::from(of == root) << bit;
        let followers: Candidates = floating.iter().enumerate().map(follows).sum();
        out.extend_from_slice(&followers.to_le_bytes()[..width]);
    }
    for &(index, _) in floating.iter() {
        out.push(needs_of(patterns, patterns.get(index), &probes));
    }
    let offsets = out.len();
    out.resize(offsets + 2 * floating.len(), 0);
    for (number, &(index, _)) in floating.iter().enumerate() {
        let offset = u32_of(out.len() - start);
        out[offsets + 2 * number..offsets + 2 * number + 2].copy_from_slice(&offset.to_le_bytes()[..2]);
        write_pattern(patterns, index, rank_of[index as usize], out);
    }
}

fn write_pattern(patterns: &Patterns, index: u32, rank: Rank, out: &mut Vec<u8>) {
    let pattern = patterns.get(index);
    push_varint(out, rank);
    push_varint(out, u32_of(patterns.head(pattern).len()));
    let segments = patterns.floating(pattern);
    let count = u32_of(segments.len());
    out.push(low_octet(count * 2 + u32::from(pattern.end == End::Anchored)));
    for segment in segments {
        let rarest = (0..segment.len()).min_by_key(|&at| commonness(segment[at])).unwrap_or(0);
        out.extend_from_slice(&[low_octet(u32_of(segment.len())), low_octet(u32_of(rarest))]);
        out.extend_from_slice(segment);
    }
}

/// The rarest octet of every pattern first, then the second rarest, until there are eight.
fn choose_probes(patterns: &Patterns, floating: &[(u32, u32)]) -> [u8; PROBES] {
    let mut chosen = Vec::with_capacity(PROBES);
    let by_rarity: Vec<Vec<u8>> = floating.iter().map(|&(index, _)| by_rarity(patterns, index)).collect();
    for nth in 0..PROBES {
        for octets in &by_rarity {
            if let Some(octet) = octets.get(nth)
                && chosen.len() < PROBES
                && !chosen.contains(octet)
            {
                chosen.push(*octet);
            }
        }
    }
    // The rarest first: it is the one that is most likely to be missing.
    chosen.sort_unstable_by_key(|&octet| (commonness(octet), octet));
    let mut probes = [chosen[0]; PROBES];
    probes[..chosen.len()].copy_from_slice(&chosen);
    probes
}

fn by_rarity(patterns: &Patterns, index: u32) -> Vec<u8> {
    let mut octets: Vec<u8> = patterns.floating(patterns.get(index)).flatten().copied().collect();
    octets.sort_unstable_by_key(|&octet| (commonness(octet), octet));
    octets.dedup();
    octets
}

fn needs_of(patterns: &Patterns, pattern: &Pattern, probes: &[u8; PROBES]) -> u8 {
    let mut needs = 0;
    for (bit, probe) in probes.iter().enumerate() {
        // A list with fewer octets repeats its first probe; it is not asked twice.
        let repeated = probes[..bit].contains(probe);
        let needed = !repeated && patterns.floating(pattern).any(|segment| segment.contains(probe));
        needs |= u8::from(needed) << bit;
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_probes_that_are_needed_must_occur() {
        let mut occurrences = Occurrences { text: b"/a?b=c", probes: b"?=&.%~^!", known: 0, here: 0 };
        for (needs, expected) in
            [(0, true), (0b11, true), (0b100, false), (0b111, false), (0b1, true), (0b1000, false)]
        {
            assert_eq!(occurrences.all(needs), expected, "{needs:b}");
        }
        assert_eq!(
            (occurrences.known, occurrences.here),
            (0b1111, 0b11),
            "each is looked for once, when needed"
        );
    }

    #[test]
    fn rare_octets_are_rarer() {
        assert!(commonness(b'e') > commonness(b'?'));
        assert!(commonness(b'?') > commonness(b'^'));
        assert_eq!(commonness(0xFF), commonness(0));
    }
}
