//! The robots.txt of each site, kept for whoever wants to read them again.

use std::collections::HashMap;
use std::sync::Arc;

use robomata::protocol::lifecycle::Moment;
use robomata::{FetchStatus, History, Site};

/// The captures that a store was compiled from, by site.
#[derive(Debug, Default)]
pub struct Bodies {
    /// The oldest first; of those of the same second the one that came last stands last.
    sites: HashMap<Box<[u8]>, Vec<KeptBody>>,
}

/// A capture that speaks for a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBody {
    /// The bytes of the robots.txt; equal ones are kept once.
    pub body: Arc<[u8]>,
    /// How the fetch ended.
    pub status: Option<FetchStatus>,
    /// When it was made; none when nobody knows.
    pub time: Option<Moment>,
}

impl Bodies {
    /// The newest capture of `site`.
    pub fn of(&self, site: &Site<'_>) -> Option<&KeptBody> {
        self.sites.get(site.as_bytes())?.last()
    }

    /// The newest capture of `site` that was not made after `time`; those whose time nobody knows are the oldest.
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
