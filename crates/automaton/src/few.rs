//! Few floating patterns: a list, best rank first, behind a test on rare octets.
//!
//! Nearly all programs with floating patterns have a few dozen of them at most, and most of those patterns follow heads
//! (`/core/*.css$`) that a target does not have. The patterns of the heads that it has are the *candidates*. Where there
//! are any, the text is asked for *probes*, pairs of octets of the segments that are rare in URLs (or single octets, where
//! a segment has no more), as far as candidates need them: a candidate whose
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
//! singles     a bit for each of the 8, 16 or 32 probes (by the number of patterns): it is its first octet alone
//! probes      for each its 2 octets and its dependents, 1, 2, 4 or 8 octets by the number of patterns: bit i says that
//!             pattern i needs it
//! followers   for each root as many octets: bit i says that pattern i follows it; root 0 is the text's beginning, the
//!             others are heads
//! needs       for each pattern a bit for each probe: it needs it
//! offsets     2 octets for each pattern: where it begins, from the list's start
//! patterns    one behind the other, by descending rank:
//!     rank    varint
//!     from    varint    octets of the head that it follows
//!     shape   1 octet   segments * 2 + (1 when the last one must be the text's end)
//!     segments, each: length, position of its rarest octet (1 octet each), octets
//! ```

use crate::block::{contains, contains_pair, find};
use crate::int::{index_of, low_octet, push_fixed, push_varint, read_fixed, read_varint, u32_of};
use crate::pattern::{End, Pattern, Patterns};
use crate::rank::Rank;
use crate::search::Matches;

/// More patterns than this are an automaton's work.
const MAX_PATTERNS: usize = 48;
/// A longer segment is an automaton's work.
const MAX_SEGMENT: usize = 32;
/// A pattern of more segments is an automaton's work.
const MAX_SEGMENTS: usize = 8;
/// Probes, a bit each; the lower the rarer.
type ProbeSet = u32;

/// Octets of a [`ProbeSet`] in a list of so many patterns.
const fn probe_width(count: usize) -> usize {
    match count {
        0..=8 => 1,
        9..=16 => 2,
        _ => 4,
    }
}

/// A list of floating patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Few<'p> {
    octets: &'p [u8],
    count: usize,
    /// Octets of a set of probes.
    probe_width: usize,
    /// Octets of a set of patterns.
    width: usize,
    /// Where the followers begin.
    followers: usize,
    /// Where the needs begin.
    needs: usize,
    /// Where the offsets begin.
    offsets: usize,
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
        let (probe_width, width) = (probe_width(count), set_width(count));
        let followers = 1 + probe_width + 8 * probe_width * (2 + width);
        let needs = followers.checked_add(width.checked_mul(roots as usize)?)?;
        let offsets = needs.checked_add(probe_width * count)?;
        let fits = octets.len() >= offsets.checked_add(2 * count)?;
        fits.then_some(Few { octets, count, probe_width, width, followers, needs, offsets })
    }

    /// The patterns that follow a root.
    #[inline]
    pub(crate) fn followers(&self, root: u32) -> Candidates {
        let at = self.followers + root as usize * self.width;
        read_fixed(self.octets, at, self.width)
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    pub(crate) fn roots(&self) -> u32 {
        u32_of((self.needs - self.followers) / self.width)
    }

    /// The probes, one or two octets each.
    pub(crate) fn probes(&self) -> impl Iterator<Item = &'p [u8]> {
        let singles = self.singles();
        let records = &self.octets[1 + self.probe_width..self.followers];
        let one = move |bit: usize, record: &'p [u8]| {
            if singles >> bit & 1 == 1 { &record[..1] } else { &record[..2] }
        };
        records.chunks_exact(2 + self.width).enumerate().map(move |(bit, record)| one(bit, record))
    }

    /// The probes that are one octet alone.
    #[inline]
    fn singles(&self) -> ProbeSet {
        self.probe_set(1)
    }

    #[inline]
    fn probe_set(&self, at: usize) -> ProbeSet {
        u32_of(index_of(read_fixed(self.octets, at, self.probe_width)))
    }

    /// The probes that a pattern needs.
    #[inline]
    fn needs(&self, index: usize) -> ProbeSet {
        self.probe_set(self.needs + index * self.probe_width)
    }

    /// Where the pattern with this number begins.
    #[inline]
    fn offset(&self, index: usize) -> usize {
        let item = self.offsets + 2 * index;
        index_of(read_fixed(self.octets, item, 2))
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
    // Its own function: walks of heads that end without candidates need none of its registers.
    #[inline(never)]
    pub(crate) fn search<M: Matches>(&self, text: &[u8], mut candidates: Candidates, matches: &mut M) {
        let singles = self.singles();
        let mut here: ProbeSet = 0;
        while candidates != 0 {
            let index = candidates.trailing_zeros();
            let unknown = self.needs(index as usize) & !here;
            if unknown != 0 {
                // The rarest that is unknown: of those that are known all occur, or this were no candidate any more.
                let probe = unknown.trailing_zeros();
                let at = 1 + self.probe_width + probe as usize * (2 + self.width);
                let (first, second) = (self.octets[at], self.octets[at + 1]);
                let occurs = if singles >> probe & 1 == 0 {
                    contains_pair(text, first, second)
                } else {
                    contains(text, first)
                };
                if occurs {
                    here |= 1 << probe;
                } else {
                    candidates &= !(read_fixed(self.octets, at + 2, self.width) | 1 << index);
                }
                continue;
            }
            candidates &= candidates - 1;
            let Some(pattern) = self.pattern(index as usize) else { return };
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
        let mut at = self.offsets + 2 * self.count;
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
    /// Where the segment first occurs in `text`.
    #[inline]
    fn find(&self, text: &[u8]) -> Option<usize> {
        find(text, self.octets, self.rarest)
    }
}

/// Octets as they are common in URLs, the most common first; what is not here is rarer still.
const COMMON: &[u8; MOST_COMMON as usize] =
    b"e-ast/inorcldpmu0h2g1fbvwy_3.459867k=jx%A?zDSqCO&NPTRFMIELBWHGUVYKJXQZ+,;:~!()@'*$ ";

/// The commonness of the most common octet.
const MOST_COMMON: u8 = 83;

/// For each octet how common it is: 0 for the rarest.
static COMMONNESS: [u8; 256] = {
    let mut commonness = [0; 256];
    let mut place = 0u8;
    while (place as usize) < COMMON.len() {
        commonness[COMMON[place as usize] as usize] = MOST_COMMON - place;
        place += 1;
    }
    commonness
};

fn commonness(octet: u8) -> u32 {
    u32::from(COMMONNESS[usize::from(octet)])
}

const fn set_width(count: usize) -> usize {
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
    let probe_width = probe_width(floating.len());
    let probes = choose_probes(patterns, floating, 8 * probe_width);
    let start = out.len();
    out.push(low_octet(u32_of(floating.len())));
    let single = |(bit, probe): (usize, &Probe)| ProbeSet::from(probe.second.is_none()) << bit;
    push_fixed(out, probes.iter().enumerate().map(single).sum(), probe_width);
    let needs: Vec<ProbeSet> =
        floating.iter().map(|&(index, _)| needs_of(patterns, patterns.get(index), &probes)).collect();
    let width = set_width(floating.len());
    for (bit, probe) in probes.iter().enumerate() {
        out.extend_from_slice(&[probe.first, probe.second.unwrap_or(0)]);
        let needed = |(index, needs): (usize, &ProbeSet)| Candidates::from(needs >> bit & 1) << index;
        let dependents: Candidates = needs.iter().enumerate().map(needed).sum();
        out.extend_from_slice(&dependents.to_le_bytes()[..width]);
    }
    for root in 0..roots {
        let follows = |(bit, &(_, of)): (usize, &(u32, u32))| Candidates::from(of == root) << bit;
        let followers: Candidates = floating.iter().enumerate().map(follows).sum();
        out.extend_from_slice(&followers.to_le_bytes()[..width]);
    }
    for &needs in &needs {
        push_fixed(out, needs, probe_width);
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

/// More probes of one pattern would only say again that it may match.
const OF_ONE_PATTERN: usize = 4;

/// Two octets that follow each other in a segment, or the one octet that a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    first: u8,
    second: Option<u8>,
}

impl Probe {
    fn stands_in(self, segment: &[u8]) -> bool {
        match self.second {
            Some(second) => segment.windows(2).any(|pair| pair == [self.first, second]),
            None => segment.contains(&self.first),
        }
    }

    /// The less common, the better a probe. Octets are taken to be independent.
    fn commonness(self) -> u32 {
        let behind = self.second.map_or(u32_of(COMMON.len()), commonness);
        commonness(self.first) * behind
    }
}

/// The rarest probe of every pattern first, then the second rarest, until there are `count`; the rarest of them first,
/// since it is the one that is most likely to be missing. A list with fewer repeats its first.
fn choose_probes(patterns: &Patterns, floating: &[(u32, u32)], count: usize) -> Vec<Probe> {
    let mut chosen: Vec<Probe> = Vec::with_capacity(count);
    // The shorter the head, the more texts have it: the probes of the patterns behind it matter most.
    let mut order: Vec<u32> = floating.iter().map(|&(index, _)| index).collect();
    order.sort_by_key(|&index| patterns.head(patterns.get(index)).len());
    let rarest: Vec<[Option<Probe>; OF_ONE_PATTERN]> =
        order.into_iter().map(|index| rarest_probes(patterns, index)).collect();
    for nth in 0..OF_ONE_PATTERN {
        for probe in rarest.iter().filter_map(|probes| probes[nth]) {
            if chosen.len() < count && !chosen.contains(&probe) {
                chosen.push(probe);
            }
        }
    }
    chosen.sort_by_key(|probe| probe.commonness());
    chosen.resize(count, chosen[0]);
    chosen
}

/// Rare different probes that a pattern could be asked for, at least one, since no segment is empty: the rarest of each
/// segment first, since one segment tells little of another, then the rarest of all.
fn rarest_probes(patterns: &Patterns, index: u32) -> [Option<Probe>; OF_ONE_PATTERN] {
    let segments = || patterns.floating(patterns.get(index));
    let mut rarest = [None; OF_ONE_PATTERN];
    for probe in segments().filter_map(|segment| probes_of(segment).min_by_key(|probe| probe.commonness())) {
        insert_by_commonness(&mut rarest, 0, probe);
    }
    let of_segments = rarest.iter().flatten().count();
    for probe in segments().flat_map(probes_of) {
        insert_by_commonness(&mut rarest, of_segments, probe);
    }
    rarest
}

/// The pairs of a segment, or its one octet.
fn probes_of(segment: &[u8]) -> impl Iterator<Item = Probe> {
    let only = match segment {
        [only] => Some(Probe { first: *only, second: None }),
        _ => None,
    };
    let pairs = segment.windows(2).map(|pair| Probe { first: pair[0], second: Some(pair[1]) });
    only.into_iter().chain(pairs)
}

/// Puts a probe that is not there yet where it belongs from place `from` on; the most common falls out.
fn insert_by_commonness(places: &mut [Option<Probe>], from: usize, probe: Probe) {
    let mut candidate = Some(probe);
    if places.contains(&candidate) {
        return;
    }
    for place in &mut places[from..] {
        let better = match (*place, candidate) {
            (Some(placed), Some(candidate)) => candidate.commonness() < placed.commonness(),
            (placed, _) => placed.is_none(),
        };
        if better {
            std::mem::swap(place, &mut candidate);
        }
    }
}

fn needs_of(patterns: &Patterns, pattern: &Pattern, probes: &[Probe]) -> ProbeSet {
    let mut needs = 0;
    for (bit, probe) in probes.iter().enumerate() {
        // What is repeated is not asked twice.
        let repeated = probes[..bit].contains(probe);
        let needed = !repeated && patterns.floating(pattern).any(|segment| probe.stands_in(segment));
        needs |= ProbeSet::from(needed) << bit;
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_octets_are_rarer() {
        assert!(commonness(b'e') > commonness(b'?'));
        assert!(commonness(b'?') > commonness(b'^'));
        assert_eq!(commonness(0xFF), commonness(0));
    }
}
