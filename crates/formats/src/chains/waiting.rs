//! A bounded collection of values that wait under keys.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// Values that wait under keys. Beyond a limit, the oldest are returned.
pub(super) struct Waiting<T> {
    /// The values of each key, oldest first.
    by_key: HashMap<u64, VecDeque<(u64, T)>>,
    /// The key and the bytes of each value, by its number.
    keys: BTreeMap<u64, (u64, usize)>,
    next: u64,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl<T> Waiting<T> {
    /// Creates a collection for at most `most` values of at most `most_bytes` in all.
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Waiting { by_key: HashMap::new(), keys: BTreeMap::new(), next: 0, bytes: 0, most, most_bytes }
    }

    /// Adds `value` of so many `bytes` under `key`. Returns the oldest values if a limit is exceeded.
    pub(super) fn push(&mut self, key: u64, value: T, bytes: usize) -> Vec<T> {
        self.keys.insert(self.next, (key, bytes));
        self.bytes += bytes;
        self.by_key.entry(key).or_default().push_back((self.next, value));
        self.next += 1;
        let mut oldest = Vec::new();
        while self.keys.len() > self.most || self.bytes > self.most_bytes {
            oldest.extend(self.pop_first());
        }
        oldest
    }

    /// Returns whether no value waits.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Removes and returns the values under `key`, oldest first.
    pub(super) fn take(&mut self, key: u64) -> Vec<T> {
        let values = self.by_key.remove(&key).unwrap_or_default();
        values
            .into_iter()
            .map(|(number, value)| {
                let bytes = self.keys.remove(&number).map_or(0, |(_, bytes)| bytes);
                self.bytes -= bytes;
                value
            })
            .collect()
    }

    /// Removes all values, oldest first.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        self.keys.clear();
        self.bytes = 0;
        let mut all: Vec<(u64, T)> = std::mem::take(&mut self.by_key).into_values().flatten().collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, value)| value)
    }

    fn pop_first(&mut self) -> Option<T> {
        let (_, (key, bytes)) = self.keys.pop_first()?;
        self.bytes -= bytes;
        let values = self.by_key.get_mut(&key)?;
        // The oldest value of all is the oldest one of its key.
        let (_, value) = values.pop_front()?;
        if values.is_empty() {
            self.by_key.remove(&key);
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_first_goes_first_when_there_is_no_room() {
        let mut waiting = Waiting::new(3, 100);
        assert!(waiting.push(1, 1, 0).is_empty());
        assert!(waiting.push(2, 2, 0).is_empty());
        assert!(waiting.push(1, 3, 0).is_empty());
        assert_eq!(waiting.push(3, 4, 0), [1]);
        assert_eq!(waiting.take(1), [3]);
        assert!(waiting.push(2, 5, 0).is_empty());
        assert_eq!(waiting.drain().collect::<Vec<_>>(), [2, 4, 5]);
        assert_eq!(waiting.drain().count(), 0);
    }

    #[test]
    fn values_wait_within_the_limit_of_bytes() {
        let mut waiting = Waiting::new(3, 10);
        assert!(waiting.push(1, 1, 4).is_empty());
        assert!(waiting.push(2, 2, 6).is_empty());
        assert_eq!(waiting.take(1), [1]);
        assert!(waiting.push(1, 3, 4).is_empty());
        assert_eq!(waiting.push(3, 4, 9), [2, 3]);
        assert_eq!(waiting.push(3, 5, 11), [4, 5]);
        assert!(waiting.is_empty() && waiting.bytes == 0);
    }

    #[test]
    fn removing_the_oldest_moves_no_other_value() {
        let mut waiting = Waiting::new(100, 100);
        let address = |waiting: &Waiting<u64>, value: u64| {
            waiting.by_key[&1]
                .iter()
                .find(|(_, other)| *other == value)
                .map(|value| std::ptr::from_ref(value).addr())
        };
        (0..100).for_each(|value| assert!(waiting.push(1, value, 0).is_empty()));
        let before = address(&waiting, 50);
        assert_eq!(waiting.push(1, 100, 0), [0]);
        assert_eq!(address(&waiting, 50), before);
    }
}
