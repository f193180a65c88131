//! Remembering what was compiled, by content, in bounded memory.

use std::collections::HashMap;

use robomata::policy::outcome;
use robomata::{Dialect, Digest, FetchOutcome};
use robomata_formats::Capture;

/// Bytes of bodies whose policies are remembered in one generation. Programs are about as large as their bodies.
const GENERATION: usize = 64 << 20;

/// What two captures must share to have the same policies.
///
/// The digest is a cryptographic one: the bodies come from strangers, and whoever could make two of them collide could
/// put words into another site's mouth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The body's rules count.
    Body(blake3::Hash),
    /// How the fetch ended decides alone.
    Outcome(FetchOutcome),
}

impl Key {
    /// What a store knows a body by; none where the body does not count.
    pub(super) fn digest(&self) -> Option<Digest> {
        match self {
            Key::Body(hash) => hash.as_bytes().first_chunk().copied(),
            Key::Outcome(_) => None,
        }
    }

    pub(super) fn of(capture: &Capture, dialect: Dialect) -> Self {
        match outcome(capture.status, dialect) {
            FetchOutcome::Success => Key::Body(blake3::hash(&capture.body)),
            other => Key::Outcome(other),
        }
    }
}

/// A cache of two generations: when the young one is full it becomes the old one, and the old one is forgotten. What is
/// asked for becomes young again, so frequent bodies stay.
#[derive(Debug)]
pub(super) struct Cache<T> {
    young: HashMap<Key, (T, usize)>,
    old: HashMap<Key, (T, usize)>,
    bytes: usize,
    capacity: usize,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Cache { young: HashMap::new(), old: HashMap::new(), bytes: 0, capacity: GENERATION }
    }
}

impl<T: Clone> Cache<T> {
    pub(super) fn get(&mut self, key: &Key) -> Option<T> {
        if let Some((value, _)) = self.young.get(key) {
            return Some(value.clone());
        }
        let (value, bytes) = self.old.remove(key)?;
        self.insert(*key, value.clone(), bytes);
        Some(value)
    }

    pub(super) fn insert(&mut self, key: Key, value: T, bytes: usize) {
        // An entry takes memory of its own, however short its body is.
        const ENTRY: usize = 256;
        if self.bytes > self.capacity {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes + ENTRY;
        self.young.insert(key, (value, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_remembered_and_the_rest_forgotten() {
        let key = |number: u32| Key::Body(blake3::hash(&number.to_le_bytes()));
        let mut cache = Cache { capacity: 10_000, ..Cache::default() };
        cache.insert(key(0), 0, 100);
        for number in 1..1000 {
            cache.insert(key(number), number, 100);
            assert_eq!(cache.get(&key(0)), Some(0));
        }
        assert_eq!(cache.get(&key(999)), Some(999));
        assert_eq!(cache.get(&key(1)), None);
        assert!(cache.young.len() + cache.old.len() < 100);
    }
}
