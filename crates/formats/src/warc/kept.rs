//! Bodies that a later record may repeat.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::time::Timestamp;

/// Bytes of bodies that are kept; older ones are found again by reading the file a second time.
const MAX_BYTES: usize = 64 << 20;

/// What a body costs besides its bytes, so that empty ones are bounded, too.
const ENTRY: usize = 512;

/// What a revisit says it repeats.
#[derive(Clone, Debug)]
pub(super) struct Referent {
    /// The capture's URI, in the one spelling of [`key`](crate::uri::key).
    pub(super) uri: Vec<u8>,
    /// Its time; `None` when any, the latest first, is meant.
    pub(super) date: Option<Timestamp>,
    /// Its payload's digest, as written: it counts more than the others.
    pub(super) digest: Option<Vec<u8>>,
}

/// The newest bodies of a file, by what revisits know of them.
#[derive(Default)]
pub(super) struct KeptBodies {
    entries: VecDeque<Entry>,
    /// The number of the first of `entries`.
    first: u64,
    bytes: usize,
    by_digest: HashMap<Vec<u8>, u64>,
    /// The captures of a URI, oldest first.
    by_uri: HashMap<Vec<u8>, VecDeque<u64>>,
}

struct Entry {
    uri: Vec<u8>,
    date: Option<Timestamp>,
    digest: Option<Vec<u8>>,
    body: Arc<[u8]>,
}

impl KeptBodies {
    /// Keeps the `body` of the capture of `uri` at `date`.
    pub(super) fn keep(&mut self, uri: Vec<u8>, date: Option<Timestamp>, digest: Option<&[u8]>, body: &[u8]) {
        let number = self.first + self.entries.len() as u64;
        let digest = digest.map(<[u8]>::to_vec);
        if let Some(digest) = &digest {
            self.by_digest.insert(digest.clone(), number);
        }
        self.by_uri.entry(uri.clone()).or_default().push_back(number);
        self.bytes += body.len() + ENTRY;
        self.entries.push_back(Entry { uri, date, digest, body: body.into() });
        while self.bytes > MAX_BYTES {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(entry) = self.entries.pop_front() else { return };
        self.bytes -= entry.body.len() + ENTRY;
        if let Some(digest) = &entry.digest
            && self.by_digest.get(digest) == Some(&self.first)
        {
            self.by_digest.remove(digest);
        }
        if let Some(numbers) = self.by_uri.get_mut(&entry.uri) {
            numbers.pop_front();
            if numbers.is_empty() {
                self.by_uri.remove(&entry.uri);
            }
        }
        self.first += 1;
    }

    /// The body that `referent` means, if it is kept.
    pub(super) fn find(&self, referent: &Referent) -> Option<Arc<[u8]>> {
        let by_digest = referent.digest.as_ref().and_then(|digest| self.by_digest.get(digest));
        let number = by_digest.copied().or_else(|| self.of_uri(referent))?;
        Some(Arc::clone(&self.entry(number)?.body))
    }

    fn of_uri(&self, referent: &Referent) -> Option<u64> {
        let is_meant = |number: &&u64| {
            let date = self.entry(**number).and_then(|entry| entry.date);
            referent.date.is_none() || referent.date == date
        };
        self.by_uri.get(&referent.uri)?.iter().rev().find(is_meant).copied()
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number - self.first).ok()?)
    }
}
