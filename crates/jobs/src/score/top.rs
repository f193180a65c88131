//! The most frequent of many, in bounded memory.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

/// Counts by key. As long as there are fewer than twice `ROOM` keys the counts are exact. Then the rarest are forgotten,
/// and what is counted later may have been forgotten before: each entry says how many requests it may lack.
#[derive(Debug)]
pub(super) struct Top<K, V> {
    entries: HashMap<K, Entry<V>>,
    room: usize,
    /// No key that was forgotten had more requests than this.
    forgotten: u64,
}

/// What is counted of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<V> {
    pub(super) requests: u64,
    /// At most so many requests came before and were forgotten.
    pub(super) lacks: u64,
    pub(super) more: V,
}

/// The first of a list, and what is known of the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopList<T> {
    /// Those with most requests first.
    pub listed: Vec<T>,
    /// How many others are known.
    pub others: u64,
    /// 0 when every one was counted. Otherwise there were too many: rare ones were forgotten, none of them with more requests
    /// than this, and a listed one may lack as many.
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

    /// Counts `requests` of `key`, and returns what else is counted of it.
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

    /// The first `count`, by requests and then by key.
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
