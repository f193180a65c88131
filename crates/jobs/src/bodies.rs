//! The robots.txt files of all sites, kept for later reading.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{FetchStatus, History, Site};

/// The captures that a store was compiled from, by site.
#[derive(Debug, Default)]
pub struct Bodies {
    /// Sorted by time, oldest first. Captures of the same second keep their input order.
    sites: HashMap<Box<[u8]>, Vec<KeptBody>>,
}

/// A capture of a site's robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBody {
    /// The bytes of the robots.txt; equal bodies are kept only once.
    pub body: Arc<[u8]>,
    /// The result of the fetch.
    pub status: Option<FetchStatus>,
    /// The time of the capture; none if it is unknown.
    pub time: Option<Moment>,
}

impl Bodies {
    /// The newest capture of `site`.
    pub fn of(&self, site: &Site<'_>) -> Option<&KeptBody> {
        self.sites.get(site.as_bytes())?.last()
    }

    /// The newest capture of `site` that is not later than `time`. Captures with unknown times count as the oldest.
    pub fn at(&self, site: &Site<'_>, time: Moment) -> Option<&KeptBody> {
        let kept = self.sites.get(site.as_bytes())?;
        let before = kept.partition_point(|kept| kept.time.is_none_or(|known| known <= time));
        kept[..before].last()
    }

    pub(crate) fn insert(&mut self, site: &Site<'_>, kept: KeptBody, history: History) {
        let known = self.sites.entry(site.as_bytes().into()).or_default();
        let at = known.partition_point(|known| known.time <= kept.time);
        match history {
            History::All => known.insert(at, kept),
            History::Newest if at == known.len() => *known = vec![kept],
            History::Newest => {}
        }
    }
}
