//! A cache of compiled policies by content, in bounded memory.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use robomata_engine::policy::outcome;
use robomata_engine::{Dialect, Digest, FetchOutcome};
use robomata_formats::Capture;

/// The bytes of bodies whose policies one generation remembers. Programs are about as large as their bodies.
const GENERATION: usize = 64 << 20;

/// The cache key: two captures with the same key have the same policies.
///
/// The digest is cryptographic because the bodies come from untrusted sites. With a collision, one site could replace
/// another site's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The rules of the body count.
    Body(blake3::Hash),
    /// Only the fetch outcome counts.
    Outcome(FetchOutcome),
}

impl Key {
    /// The digest that identifies a body in a store; none if the body does not count.
    pub(super) fn digest(&self) -> Option<Digest> {
        match self {
            Key::Body(hash) => hash.as_bytes().first_chunk().copied(),
            Key::Outcome(_) => None,
        }
    }
}

/// Finds the keys of captures. Hashes a body once if captures that follow one another share it.
#[derive(Debug, Default)]
pub(super) struct Hashes {
    /// The body of the last capture, and its hash.
    last: Option<(Arc<[u8]>, blake3::Hash)>,
}

impl Hashes {
    /// The keys of `captures`, in order, with the hashes that `hash` returns.
    pub(super) fn keys(
        &mut self,
        captures: &[&Capture],
        dialect: Dialect,
        hash: impl Fn(&[u8]) -> blake3::Hash + Sync,
    ) -> Vec<Key> {
        let shared: Vec<&[&Capture]> =
            captures.chunk_by(|one, next| Arc::ptr_eq(&one.body, &next.body)).collect();
        let last = &self.last;
        let keys_of = |captures: &&[&Capture]| -> Vec<Key> {
            let body = &captures[0].body;
            let mut known = last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, body)).map(|(_, hash)| *hash);
            let key = |capture: &&Capture| match outcome(capture.status_in(dialect), dialect) {
                FetchOutcome::Success => Key::Body(*known.get_or_insert_with(|| hash(body))),
                other => Key::Outcome(other),
            };
            captures.iter().map(key).collect()
        };
        let keys: Vec<Key> = shared.par_iter().flat_map_iter(keys_of).collect();
        if let (Some(capture), Some(Key::Body(hash))) = (captures.last(), keys.last()) {
            self.last = Some((Arc::clone(&capture.body), *hash));
        }
        keys
    }
}

/// A cache of two generations. When the young generation is full, it becomes the old one, and the previous old one is
/// dropped. Entries that are used become young again, so frequent bodies stay.
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
        // An entry needs some memory itself, however short its body is.
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use robomata_formats::{FileName, Origin};

    use super::*;

    #[test]
    fn a_shared_body_is_hashed_once() {
        let line = |line: &str| {
            let origin = Origin { file: FileName::new("a.jsonl"), line: Some(1) };
            Capture::from_json_line(line.as_bytes(), &origin).unwrap().unwrap()
        };
        let (one, other) = (line(r#"{"host":"a","body":"x"}"#), line(r#"{"host":"b","body":"x"}"#));
        let failed = Capture { status: line(r#"{"host":"c","status":404}"#).status, ..one.clone() };
        let bytes = AtomicUsize::new(0);
        let hash = |body: &[u8]| {
            bytes.fetch_add(body.len(), Ordering::Relaxed);
            blake3::hash(body)
        };
        let mut hashes = Hashes::default();
        for (captures, hashed) in
            [([&one, &failed, &one], 1), ([&one, &one, &other], 1), ([&other, &one, &one], 1)]
        {
            bytes.store(0, Ordering::Relaxed);
            let keys = hashes.keys(&captures, Dialect::default(), hash);
            let key = |capture: &Capture| match outcome(capture.status, Dialect::default()) {
                FetchOutcome::Success => Key::Body(blake3::hash(&capture.body)),
                other => Key::Outcome(other),
            };
            assert_eq!(keys, captures.map(key));
            assert_eq!(bytes.load(Ordering::Relaxed), hashed);
        }
    }

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
