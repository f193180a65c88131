//! Counts sites with several different captures without a time, for which only the input order decides.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use robomata_engine::Site;
use robomata_formats::Resource;

/// The most sites that are remembered; further ones are ignored.
const MOST: usize = 1 << 20;

/// The sites with captures without a time.
#[derive(Debug, Default)]
pub(super) struct Undated {
    /// The hash of the first capture's contents, by the hash of the site and the file; none after a different capture.
    first: HashMap<u64, Option<u64>>,
    sites: u64,
}

impl Undated {
    /// Records a capture of a file of `site` without a time and with this `content`.
    pub(super) fn add(&mut self, site: &Site<'_>, resource: Resource, content: &impl Hash) {
        let (site, content) = (hash(&(site.as_bytes(), resource)), hash(content));
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

    /// The number of sites with different captures.
    pub(super) fn sites(&self) -> u64 {
        self.sites
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
