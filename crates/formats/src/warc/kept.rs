//! Stores bodies that a later record may repeat.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::time::Timestamp;

/// Maximum number of bytes of stored bodies. Older ones are found in a second reading of the file.
const MAX_BYTES: usize = 64 << 20;

/// The cost of a body in addition to its bytes, so that the number of empty bodies is bounded as well.
const ENTRY: usize = 512;

/// The record that a revisit repeats.
#[derive(Clone, Debug)]
pub(super) struct Referent {
    /// The capture's URI, normalised by [`key`](crate::uri::key).
    pub(super) uri: Vec<u8>,
    /// The time of the capture; `None` means any time, latest first.
    pub(super) date: Option<Timestamp>,
    /// The digest of the payload, as written. It takes precedence over URI and time.
    pub(super) digest: Option<Vec<u8>>,
}

/// The newest bodies of a file, indexed by the references of revisits.
#[derive(Default)]
pub(super) struct KeptBodies {
    entries: VecDeque<Entry>,
    /// The number of the first entry in `entries`.
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
    /// Stores the `body` of the capture of `uri` at `date`.
    pub(super) fn keep(
        &mut self,
        uri: Vec<u8>,
        date: Option<Timestamp>,
        digest: Option<&[u8]>,
        body: &Arc<[u8]>,
    ) {
        let number = self.first + self.entries.len() as u64;
        let digest = digest.map(<[u8]>::to_vec);
        if let Some(digest) = &digest {
            self.by_digest.insert(digest.clone(), number);
        }
        self.by_uri.entry(uri.clone()).or_default().push_back(number);
        self.bytes += body.len() + ENTRY;
        self.entries.push_back(Entry { uri, date, digest, body: Arc::clone(body) });
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

    /// The body of `referent`, if stored.
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
