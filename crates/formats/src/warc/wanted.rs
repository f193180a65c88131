//! Finds the content of revisits in the whole file.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_protocol::FetchStatus;

use super::RecordHead;
use super::kept::Referent;
use super::robots::Ask;
use crate::time::Timestamp;

/// A capture that takes its body from another record.
pub(super) struct Missing {
    pub(super) ask: Ask,
    pub(super) status: FetchStatus,
    pub(super) referent: Referent,
}

/// The captures without a body, indexed by their references.
pub(super) struct Wanted {
    missing: Vec<Option<Missing>>,
    left: usize,
    by_digest: HashMap<Vec<u8>, Vec<usize>>,
    by_uri: ByUri,
}

/// The captures that refer to each URI and time, or to a URI at any time (`None`).
type ByUri = HashMap<(Arc<[u8]>, Option<Timestamp>), Vec<usize>>;

impl Wanted {
    pub(super) fn new(missing: Vec<Missing>) -> Self {
        let (mut by_digest, mut by_uri) = (HashMap::<_, Vec<usize>>::new(), ByUri::new());
        for (i, Missing { referent, .. }) in missing.iter().enumerate() {
            if let Some(digest) = &referent.digest {
                by_digest.entry(digest.clone()).or_default().push(i);
            }
            by_uri.entry((Arc::clone(&referent.uri), referent.date)).or_default().push(i);
        }
        Wanted { left: missing.len(), missing: missing.into_iter().map(Some).collect(), by_digest, by_uri }
    }

    /// Returns whether every body was found.
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The captures whose body was not found.
    pub(super) fn left_over(self) -> Vec<Missing> {
        self.missing.into_iter().flatten().collect()
    }

    /// Returns whether a capture may repeat the record of `head`, which has the URI `key`.
    pub(super) fn are_there(&self, head: &RecordHead, key: &Arc<[u8]>) -> bool {
        head.payload_digest().is_some_and(|digest| self.by_digest.contains_key(digest))
            || [None, head.date()].into_iter().any(|date| self.by_uri.contains_key(&(Arc::clone(key), date)))
    }

    /// Removes and returns the captures that repeat the record of `head`, which has the URI `key`. They are in the order
    /// of the file.
    pub(super) fn take(&mut self, head: &RecordHead, key: &Arc<[u8]>) -> Vec<Missing> {
        let digest = head.payload_digest().and_then(|digest| self.by_digest.remove(digest));
        let mut indexes = digest.unwrap_or_default();
        for date in [None, head.date()] {
            indexes.extend(self.by_uri.remove(&(Arc::clone(key), date)).unwrap_or_default());
        }
        indexes.sort_unstable();
        let taken: Vec<Missing> = indexes.into_iter().filter_map(|i| self.missing[i].take()).collect();
        self.left -= taken.len();
        taken
    }
}
