//! Stores bodies that a later record may repeat.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
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
    pub(super) uri: Arc<[u8]>,
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
    /// The newest capture with each digest.
    by_digest: HashMap<Vec<u8>, u64>,
    /// The newest capture of each URI and time, and of each URI at any time (`None`).
    by_uri: HashMap<(Arc<[u8]>, Option<Timestamp>), u64>,
}

struct Entry {
    uri: Arc<[u8]>,
    date: Option<Timestamp>,
    digest: Option<Vec<u8>>,
    body: Arc<[u8]>,
}

impl KeptBodies {
    /// Stores the `body` of the capture of `uri` at `date`.
    pub(super) fn keep(
        &mut self,
        uri: Arc<[u8]>,
        date: Option<Timestamp>,
        digest: Option<&[u8]>,
        body: &Arc<[u8]>,
    ) {
        let number = self.first + self.entries.len() as u64;
        let digest = digest.map(<[u8]>::to_vec);
        if let Some(digest) = &digest {
            self.by_digest.insert(digest.clone(), number);
        }
        for date in [None, date] {
            self.by_uri.insert((Arc::clone(&uri), date), number);
        }
        let entry = Entry { uri, date, digest, body: Arc::clone(body) };
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.bytes > MAX_BYTES {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(entry) = self.entries.pop_front() else { return };
        self.bytes -= entry.bytes();
        if let Some(digest) = &entry.digest {
            remove_if(&mut self.by_digest, digest, self.first);
        }
        for date in [None, entry.date] {
            remove_if(&mut self.by_uri, &(Arc::clone(&entry.uri), date), self.first);
        }
        self.first += 1;
    }

    /// The body of `referent`, if stored.
    pub(super) fn find(&self, referent: &Referent) -> Option<Arc<[u8]>> {
        let by_digest = referent.digest.as_ref().and_then(|digest| self.by_digest.get(digest));
        let number = by_digest
            .copied()
            .or_else(|| self.by_uri.get(&(Arc::clone(&referent.uri), referent.date)).copied())?;
        Some(Arc::clone(&self.entry(number)?.body))
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(number - self.first).ok()?)
    }
}

impl Entry {
    fn bytes(&self) -> usize {
        // The digest is also a key.
        self.body.len() + self.uri.len() + 2 * self.digest.as_ref().map_or(0, Vec::len) + ENTRY
    }
}

/// Removes `key` if its value is `number`.
fn remove_if<K: Eq + Hash>(map: &mut HashMap<K, u64>, key: &K, number: u64) {
    if map.get(key) == Some(&number) {
        map.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_found_by_its_uri_and_time_without_a_search() {
        let time = |second: i64| Timestamp::from_number(second).ok();
        let mut kept = KeptBodies::default();
        let uri: Arc<[u8]> = (*b"u").into();
        let bodies: Vec<Arc<[u8]>> = (0..4_u8).map(|number| vec![number; MAX_BYTES / 5].into()).collect();
        for (date, body) in [time(1), time(2), time(2), None].into_iter().zip(&bodies) {
            kept.keep(Arc::clone(&uri), date, None, body);
        }
        let find = |kept: &KeptBodies, date| {
            kept.find(&Referent { uri: Arc::clone(&uri), date, digest: None }).map(|body| body[0])
        };
        let times = [time(1), time(2), time(3), None];
        assert_eq!(times.map(|date| find(&kept, date)), [Some(0), Some(2), None, Some(3)]);
        // One entry for each time, however many captures there are.
        assert_eq!(kept.by_uri.len(), 3);
        kept.keep(Arc::clone(&uri), time(4), None, &bodies[0]);
        assert_eq!(times.map(|date| find(&kept, date)), [None, Some(2), None, Some(0)]);
        kept.keep(Arc::clone(&uri), time(4), None, &vec![0; MAX_BYTES].into());
        assert!(kept.entries.is_empty() && kept.by_uri.is_empty() && kept.bytes == 0);
        kept.keep(vec![0; 1000].into(), None, Some(&[1; 10]), &Arc::default());
        assert_eq!(kept.bytes, 1000 + 2 * 10 + ENTRY);
    }
}
