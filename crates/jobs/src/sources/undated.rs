//! Sites of which several captures differ and have no time, so that only their order decides.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use robomata::Site;

/// Sites that are remembered; of more, those that come first.
const MOST: usize = 1 << 20;

/// What was seen of sites whose captures have no time.
#[derive(Debug, Default)]
pub(super) struct Undated {
    /// What the first capture of a site holds, by the hashes of both; none once another was seen.
    first: HashMap<u64, Option<u64>>,
    sites: u64,
}

impl Undated {
    /// Notes a capture of `site` without a time, which holds `content`.
    pub(super) fn add(&mut self, site: &Site<'_>, content: &impl Hash) {
        let (site, content) = (hash(site.as_bytes()), hash(content));
        let is_room = self.first.len() < MOST;
        match self.first.entry(site) {
            Entry::Occupied(mut first) => {
                if first.get().is_some_and(|first| first != content) {
                    first.insert(None);
                    self.sites += 1;
                }
            }
            Entry::Vacant(first) if is_room => {
                first.insert(Some(content));
            }
            Entry::Vacant(_) => {}
        }
    }

    /// Sites with captures that differ.
    pub(super) fn sites(&self) -> u64 {
        self.sites
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
