//! A site's policies over time: in memory while stores are written, and after a site's compiled policies in their
//! bytes.
//!
//! ```text
//! count       varint    dated versions; 0: one version whose time is not known, or none if its policies are ABSENT
//! then, for each version, the newest first:
//! first       5 bytes   when it was first captured, in seconds since 1970; 0: not known
//! span        varint    seconds from there to when it was last captured
//! compiled_policies    of all columns; those of the newest version are the site's own, before `count`
//! ```

use std::cmp::Reverse;

use super::image::{ABSENT, UNKNOWN, number_at};

/// The size of an instant in bytes.
const TIME: usize = 5;
const LATEST: i64 = (1 << (8 * TIME)) - 1;

/// Versions of one site, the oldest first. The memory is reused for the next site.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The times of the first and last capture; 0 for unknown.
    times: Vec<(i64, i64)>,
    /// For each version, a compiled policy for every column.
    compiled_policies: Vec<u32>,
    columns: usize,
}

/// Which captures of a site are kept. One without a conclusion (`Redirected`: a redirect that was not followed, or a
/// 304) never displaces another one, and is left out after one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settling {
    /// The newest one.
    Newest,
    /// All of them.
    All,
    /// All of them, except those between two captures with the same policies.
    Changes,
}

impl Versions {
    pub(super) fn new(columns: usize) -> Self {
        Versions { columns, ..Versions::default() }
    }

    pub(super) fn clear(&mut self) {
        self.times.clear();
        self.compiled_policies.clear();
    }

    /// Adds a version that was captured at `time`, in seconds since 1970, if that is known.
    pub(super) fn push(&mut self, time: Option<i64>, compiled_policies: impl Iterator<Item = u32>) {
        let time = time.map_or(0, clamped);
        self.times.push((time, time));
        self.compiled_policies.extend(compiled_policies);
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// The times of a version's first and last capture; 0 for unknown.
    pub(super) fn times(&self, version: usize) -> (i64, i64) {
        self.times[version]
    }

    /// The time of the last capture of all, 0 for unknown; `None` when there are no versions.
    pub(super) fn latest(&self) -> Option<i64> {
        self.times.last().map(|&(_, last)| last)
    }

    pub(super) fn compiled_policies(&self, version: usize) -> &[u32] {
        &self.compiled_policies[version * self.columns..(version + 1) * self.columns]
    }

    /// The times of the versions that were captured more than once.
    pub(super) fn spans(&self) -> Vec<(i64, i64)> {
        self.times.iter().copied().filter(|(first, last)| first < last).collect()
    }

    /// The number of versions, sorted by time, that were captured within a span and differ from its start.
    pub(super) fn count_within(&self, (first, last): (i64, i64)) -> u64 {
        let at = |time| self.times.partition_point(|&(start, _)| start < time);
        let (start, end) = (at(first), at(last));
        (start + 1..end).filter(|&at| self.compiled_policies(at) != self.compiled_policies(start)).count()
            as u64
    }

    /// The versions of one column: their times, and their compiled policies.
    pub(super) fn of_column(&self, column: usize) -> Vec<((i64, i64), u32)> {
        (0..self.len())
            .map(|version| (self.times(version), self.compiled_policies(version)[column]))
            .collect()
    }

    /// The compiled policies of all versions.
    pub(super) fn all_compiled_policies(&self) -> &[u32] {
        &self.compiled_policies
    }

    /// The compiled policies of each version.
    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        self.compiled_policies.chunks_mut(self.columns)
    }

    /// Keeps the versions that count, sorted by time: the newest, or of several captures at one instant the last one
    /// added. `runs` holds the run of each version, before and after.
    pub(super) fn keep(&mut self, settling: Settling, runs: &mut Vec<usize>) {
        if settling == Settling::Newest {
            let newest = (0..self.len())
                .max_by_key(|&version| (!self.is_inconclusive(version), self.times[version].1, version))
                .map(|version| (self.times[version].1, version));
            self.choose(newest.as_slice(), runs);
        } else if self.len() > 1 {
            // A span is two captures: others may lie between them.
            let mut points = Vec::with_capacity(2 * self.len());
            for (version, &(first, last)) in self.times.iter().enumerate() {
                points.push((first, version));
                if last != first {
                    points.push((last, version));
                }
            }
            // The last one added comes first, so it stays.
            let is_inconclusive = |version| self.is_inconclusive(version);
            points
                .sort_unstable_by_key(|&(time, version)| (time, is_inconclusive(version), Reverse(version)));
            points.dedup_by_key(|&mut (time, _)| time);
            retain_conclusions(&mut points, |&(_, version)| is_inconclusive(version));
            self.choose(&points, runs);
        }
    }

    /// Whether nothing follows from a version, for any crawler.
    pub(super) fn is_inconclusive(&self, version: usize) -> bool {
        self.compiled_policies(version).iter().all(|&compiled_policy| compiled_policy == UNKNOWN)
    }

    /// Replaces the versions by some of them, at these times.
    fn choose(&mut self, points: &[(i64, usize)], runs: &mut Vec<usize>) {
        // Nearly every site has a single capture.
        if let ([(time, 0)], [only]) = (points, &mut self.times[..]) {
            *only = (*time, *time);
            return;
        }
        let mut chosen = Versions::new(self.columns);
        for &(time, version) in points {
            chosen.times.push((time, time));
            chosen.compiled_policies.extend_from_slice(self.compiled_policies(version));
        }
        *runs = points.iter().map(|&(_, version)| runs[version]).collect();
        *self = chosen;
    }

    /// Joins neighboring versions with equal policies into one, unless they are undated.
    pub(super) fn join_equal(&mut self) {
        if self.len() < 2 {
            return;
        }
        let mut joined = Versions::new(self.columns);
        for (version, &(start, end)) in self.times.iter().enumerate() {
            let policies = self.compiled_policies(version);
            let is_equal = joined.len() > 0 && joined.compiled_policies(joined.len() - 1) == policies;
            match joined.times.last_mut() {
                Some((first, last)) if is_equal && *first > 0 => *last = end,
                _ => {
                    joined.times.push((start, end));
                    joined.compiled_policies.extend_from_slice(policies);
                }
            }
        }
        *self = joined;
    }

    /// The number of bytes that [`Versions::write`] will write.
    pub(super) fn written_bytes(&self, width: usize) -> usize {
        let compiled_policies = self.len().max(1) * self.columns * width;
        if self.is_undated() {
            return compiled_policies + varint_bytes(0);
        }
        let times = self.times.iter().map(|&(first, last)| TIME + varint_bytes(span(first, last)));
        compiled_policies + varint_bytes(self.len() as u64) + times.sum::<usize>()
    }

    /// Writes the newest version's compiled policies, then all versions.
    pub(super) fn write(&self, width: usize, out: &mut Vec<u8>) {
        let write_compiled_policies = |version, out: &mut Vec<u8>| {
            for compiled_policy in self.compiled_policies(version) {
                out.extend_from_slice(&compiled_policy.to_le_bytes()[..width]);
            }
        };
        let Some(newest) = self.len().checked_sub(1) else {
            (0..self.columns).for_each(|_| out.extend_from_slice(&ABSENT.to_le_bytes()[..width]));
            return write_varint(0, out);
        };
        write_compiled_policies(newest, out);
        if self.is_undated() {
            return write_varint(0, out);
        }
        write_varint(self.len() as u64, out);
        for version in (0..self.len()).rev() {
            let (first, last) = self.times[version];
            out.extend_from_slice(&first.to_le_bytes()[..TIME]);
            write_varint(span(first, last), out);
            if version != newest {
                write_compiled_policies(version, out);
            }
        }
    }

    fn is_undated(&self) -> bool {
        matches!(self.times[..], [(0, _)])
    }

    /// Adds the versions at `place` in `sites`, where a site's compiled policies begin, the oldest first. Returns where
    /// they end; `None` when the bytes are damaged.
    pub(super) fn read(&mut self, sites: &[u8], place: usize, width: usize) -> Option<usize> {
        let columns = self.columns;
        let mut at = place + columns * width;
        let count = usize::try_from(read_varint(sites, &mut at)?).ok()?;
        let start = self.times.len();
        let read_compiled_policies = |at: usize, compiled_policies: &mut Vec<u32>| -> Option<()> {
            for column in 0..columns {
                compiled_policies.push(u32::try_from(number_at(sites, at + column * width, width)?).ok()?);
            }
            Some(())
        };
        if count == 0 {
            let known = self.compiled_policies.len();
            read_compiled_policies(place, &mut self.compiled_policies)?;
            if self.compiled_policies[known..].iter().all(|&number| number == ABSENT) {
                self.compiled_policies.truncate(known);
            } else {
                self.times.push((0, 0));
            }
            return Some(at);
        }
        for version in 0..count {
            let first = i64::try_from(number_at(sites, at, TIME)?).ok()?;
            at += TIME;
            let span = i64::try_from(read_varint(sites, &mut at)?).ok()?;
            self.times.push((first, first.checked_add(span)?));
            if version == 0 {
                read_compiled_policies(place, &mut self.compiled_policies)?;
            } else {
                read_compiled_policies(at, &mut self.compiled_policies)?;
                at += columns * width;
            }
        }
        self.times[start..].reverse();
        let compiled_policies = &mut self.compiled_policies[start * columns..];
        reverse_chunks(compiled_policies, columns);
        Some(at)
    }
}

/// Leaves out the captures without a conclusion that follow one with a conclusion. The captures are in the order of time.
pub fn retain_conclusions<T>(captures: &mut Vec<T>, is_inconclusive: impl Fn(&T) -> bool) {
    let mut has_conclusion = false;
    captures.retain(|capture| {
        let is_inconclusive = is_inconclusive(capture);
        has_conclusion |= !is_inconclusive;
        !has_conclusion || !is_inconclusive
    });
}

/// The time that a store holds for one in seconds since 1970.
pub(super) fn clamped(time: i64) -> i64 {
    time.clamp(1, LATEST)
}

fn span(first: i64, last: i64) -> u64 {
    u64::try_from(last - first).unwrap_or(0)
}

fn reverse_chunks(numbers: &mut [u32], length: usize) {
    numbers.reverse();
    numbers.chunks_mut(length).for_each(<[u32]>::reverse);
}

pub(super) fn varint_bytes(number: u64) -> usize {
    (64 - number.leading_zeros() as usize).div_ceil(7).max(1)
}

pub(crate) fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Reads the number at `at` and moves `at` past it; `None` when there is none, or when it has more than 63 bits.
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(points: &[(Option<i64>, u32)], settling: Settling) -> Vec<(i64, i64, u32)> {
        let mut versions = Versions::new(1);
        points
            .iter()
            .for_each(|&(time, compiled_policy)| versions.push(time, std::iter::once(compiled_policy)));
        let mut runs = (0..versions.len()).collect();
        versions.keep(settling, &mut runs);
        let policy_of = |&run: &usize| points[run].1;
        assert_eq!(runs.iter().map(policy_of).collect::<Vec<_>>(), versions.compiled_policies);
        if settling == Settling::Changes {
            versions.join_equal();
        }
        let mut out = Vec::new();
        for width in 1..=4 {
            out.clear();
            versions.write(width, &mut out);
            assert_eq!(out.len(), versions.written_bytes(width));
            out.extend_from_slice(&[0; 8]);
            let mut read = Versions::new(1);
            assert_eq!(read.read(&out, 0, width), Some(out.len() - 8));
            assert_eq!(
                (&read.times, &read.compiled_policies),
                (&versions.times, &versions.compiled_policies)
            );
        }
        (0..versions.len())
            .map(|version| {
                (versions.times(version).0, versions.times(version).1, versions.compiled_policies(version)[0])
            })
            .collect()
    }

    #[test]
    fn captures_become_versions_in_the_order_of_time() {
        let captures = [(Some(30), 9), (Some(10), 8), (None, 7), (Some(20), 8), (Some(40), 8), (Some(40), 9)];
        assert_eq!(versions(&captures, Settling::Newest), [(40, 40, 9)]);
        assert_eq!(versions(&captures, Settling::Changes), [(0, 0, 7), (10, 20, 8), (30, 40, 9)]);
        assert_eq!(
            versions(&captures, Settling::All),
            [(0, 0, 7), (10, 10, 8), (20, 20, 8), (30, 30, 9), (40, 40, 9)]
        );
        assert_eq!(versions(&[(None, 7), (None, 8)], Settling::Changes), [(0, 0, 8)]);
        assert_eq!(versions(&[(Some(-5), 7)], Settling::All), [(1, 1, 7)]);
    }

    #[test]
    fn what_has_no_conclusion_displaces_nothing() {
        let (unknown, none) = (UNKNOWN, ABSENT + 1);
        let captures = [(None, unknown), (Some(10), unknown), (Some(20), none), (Some(20), unknown)];
        let later = [(Some(30), unknown), (Some(40), none), (Some(50), none + 1), (Some(60), unknown)];
        let mut captures = [captures, later].concat();
        for order in 0..2 * captures.len() {
            captures.rotate_left(1);
            if order == captures.len() {
                captures.reverse();
            }
            assert_eq!(versions(&captures, Settling::Newest), [(50, 50, none + 1)]);
            assert_eq!(
                versions(&captures, Settling::Changes),
                [(0, 0, unknown), (10, 10, unknown), (20, 40, none), (50, 50, none + 1)]
            );
        }
        assert_eq!(versions(&[(Some(9), unknown), (None, none)], Settling::Newest), [(0, 0, none)]);
        assert_eq!(versions(&[(Some(9), unknown), (None, none)], Settling::All), [(0, 0, none)]);
        assert_eq!(versions(&[(Some(9), unknown), (Some(8), unknown)], Settling::Newest), [(9, 9, unknown)]);
    }

    #[test]
    fn a_site_may_have_no_versions() {
        let (mut out, none) = (Vec::new(), Versions::new(2));
        none.write(1, &mut out);
        assert_eq!(out.len(), none.written_bytes(1));
        out.extend_from_slice(&[0; 8]);
        let mut read = Versions::new(2);
        assert_eq!((read.read(&out, 0, 1), read.len()), (Some(out.len() - 8), 0));
        assert!(read.all_compiled_policies().is_empty());
    }

    #[test]
    fn a_span_is_split_by_captures_within_it() {
        let mut versions = Versions::new(1);
        versions.push(Some(10), std::iter::once(8));
        versions.times[0].1 = 50;
        versions.push(Some(30), std::iter::once(9));
        let spans = versions.spans();
        versions.keep(Settling::Changes, &mut vec![0, 1]);
        assert_eq!(spans.iter().map(|&span| versions.count_within(span)).sum::<u64>(), 1);
        versions.join_equal();
        assert_eq!(versions.times, [(10, 10), (30, 30), (50, 50)]);
        assert_eq!(versions.compiled_policies, [8, 9, 8]);
    }

    #[test]
    fn damaged_bytes_are_no_versions() {
        let mut out = Vec::new();
        let mut versions = Versions::new(2);
        for time in 1..40 {
            versions.push(Some(time * 1000), [3, 4].into_iter());
        }
        versions.write(2, &mut out);
        for end in 0..out.len() {
            assert_eq!(Versions::new(2).read(&out[..end], 0, 2), None);
        }
    }
}
