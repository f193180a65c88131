//! Finds the content of revisits in the whole file.

use std::collections::HashMap;

use robomata_protocol::FetchStatus;

use super::RecordHead;
use super::kept::Referent;
use super::robots::Ask;

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
    by_uri: HashMap<Vec<u8>, Vec<usize>>,
}

impl Wanted {
    pub(super) fn new(missing: Vec<Missing>) -> Self {
        let (mut by_digest, mut by_uri) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        for (i, Missing { referent, .. }) in missing.iter().enumerate() {
            if let Some(digest) = &referent.digest {
                by_digest.entry(digest.clone()).or_default().push(i);
            }
            by_uri.entry(referent.uri.clone()).or_default().push(i);
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

    /// Returns whether a capture may repeat the record of `head`.
    pub(super) fn are_there(&self, head: &RecordHead, key: &[u8]) -> bool {
        head.payload_digest().is_some_and(|digest| self.by_digest.contains_key(digest))
            || self.by_uri.contains_key(key)
    }

    /// Removes and returns the captures that repeat the record of `head`.
    pub(super) fn take(&mut self, head: &RecordHead, key: &[u8]) -> Vec<Missing> {
        let date = head.date();
        let mut indexes =
            head.payload_digest().and_then(|digest| self.by_digest.remove(digest)).unwrap_or_default();
        if let Some(of_uri) = self.by_uri.get_mut(key) {
            of_uri.retain(|&i| {
                let Some(missing) = &self.missing[i] else { return false };
                let meant = missing.referent.date.is_none() || missing.referent.date == date;
                if meant {
                    indexes.push(i);
                }
                !meant
            });
        }
        let taken: Vec<Missing> = indexes.into_iter().filter_map(|i| self.missing[i].take()).collect();
        self.left -= taken.len();
        taken
    }
}
