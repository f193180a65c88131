//! Finds the most frequent keys, in bounded memory.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

/// Counts by key. With fewer than twice `ROOM` keys the counts are exact. With more, the rarest keys are forgotten, and
/// a key that is counted later may have been forgotten before. Each entry therefore has a bound on the requests that it
/// may lack.
#[derive(Debug)]
pub(super) struct Top<K, V> {
    entries: HashMap<K, Entry<V>>,
    room: usize,
    /// No forgotten key had more requests than this.
    forgotten: u64,
}

/// The counts of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<V> {
    pub(super) requests: u64,
    /// At most this many earlier requests were forgotten.
    pub(super) lacks: u64,
    pub(super) more: V,
}

/// The most frequent entries, and a summary of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopList<T> {
    /// The entries, those with most requests first.
    pub listed: Vec<T>,
    /// The number of other known entries.
    pub others: u64,
    /// 0 if all were counted. Otherwise there were too many, and rare ones were forgotten. None of these had more
    /// requests than this, and a listed entry may lack as many.
    pub forgotten: u64,
}

impl<T> Default for TopList<T> {
    fn default() -> Self {
        TopList { listed: Vec::new(), others: 0, forgotten: 0 }
    }
}

impl<K: Hash + Ord, V: Default> Top<K, V> {
    pub(super) fn new(room: usize) -> Self {
        Top { entries: HashMap::new(), room, forgotten: 0 }
    }

    /// Counts `requests` of `key` and returns its other counts.
    pub(super) fn add(&mut self, key: K, requests: u64) -> &mut V {
        if self.entries.len() >= 2 * self.room && !self.entries.contains_key(&key) {
            self.forget();
        }
        let new = || Entry { requests: 0, lacks: self.forgotten, more: V::default() };
        let entry = self.entries.entry(key).or_insert_with(new);
        entry.requests += requests;
        &mut entry.more
    }

    fn forget(&mut self) {
        let mut counts: Vec<u64> = self.entries.values().map(|entry| entry.requests + entry.lacks).collect();
        let (_, &mut limit, _) = counts.select_nth_unstable_by_key(self.room, |&count| Reverse(count));
        self.entries.retain(|_, entry| entry.requests + entry.lacks > limit);
        self.forgotten = limit;
    }

    /// The first `count` entries, by requests and then by key.
    pub(super) fn close<T>(self, count: usize, make: impl FnMut((K, Entry<V>)) -> T) -> TopList<T> {
        let mut entries: Vec<(K, Entry<V>)> = self.entries.into_iter().collect();
        entries.sort_unstable_by(|(a, left), (b, right)| {
            (Reverse(left.requests), a).cmp(&(Reverse(right.requests), b))
        });
        let others = entries.len().saturating_sub(count) as u64;
        entries.truncate(count);
        TopList { listed: entries.into_iter().map(make).collect(), others, forgotten: self.forgotten }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(top: Top<u32, ()>) -> (Vec<(u32, u64, u64)>, u64) {
        let list = top.close(3, |(key, entry)| (key, entry.requests, entry.lacks));
        (list.listed, list.others)
    }

    #[test]
    fn few_keys_are_counted_exactly() {
        let mut top = Top::new(4);
        for key in [5, 1, 5, 2, 3, 3, 3, 4] {
            top.add(key, 1);
        }
        assert_eq!(listed(top), (vec![(3, 3, 0), (5, 2, 0), (1, 1, 0)], 2));
    }

    #[test]
    fn the_most_frequent_of_many_are_found_and_no_count_is_too_large() {
        let mut top = Top::new(8);
        for round in 0..1000 {
            top.add(1, 1);
            top.add(2, 1 + u64::from(round % 2 == 0));
            (0..4).for_each(|rare| *top.add(10 + 4 * round + rare, 1) = ());
            assert!(top.entries.len() <= 16);
        }
        let (listed, _) = listed(top);
        assert_eq!(listed[..2], [(2, 1500, 0), (1, 1000, 0)]);
        assert!(listed[2].1 <= 1 && listed[2].2 > 0, "{listed:?}");
    }
}
