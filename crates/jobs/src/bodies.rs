//! The robots.txt and tdmrep.json files of all sites, kept for later reading.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use robomata_engine::policy::outcome;
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{Config, Dialect, FetchOutcome, FetchStatus, History, Policy, Site};
use robomata_formats::Resource;

/// The captures that a store was compiled from, by site.
#[derive(Debug, Default)]
pub struct Bodies {
    /// The captures of each robots.txt.
    robots: BySite,
    /// The captures of each tdmrep.json, if the store holds them.
    tdmreps: BySite,
    /// The number of bytes of each robots.txt that are read; none for the dialect's default.
    parsing_limit: Option<usize>,
}

/// Captures by site, sorted by time, oldest first. Captures of the same second keep their input order.
type BySite = HashMap<Box<[u8]>, Vec<KeptBody>>;

/// A capture of a site's robots.txt or tdmrep.json.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBody {
    /// The bytes of the file; equal bodies are kept only once.
    pub body: Arc<[u8]>,
    /// The result of the fetch.
    pub status: Option<FetchStatus>,
    /// The time of the capture; none if it is unknown.
    pub time: Option<Moment>,
}

impl Bodies {
    pub(crate) fn new(parsing_limit: Option<usize>) -> Self {
        Bodies { parsing_limit, ..Bodies::default() }
    }

    /// How the files are read in `dialect`.
    pub fn config(&self, dialect: Dialect) -> Config {
        Config::new(dialect).with_parsing_limit(self.parsing_limit)
    }

    /// The number of different robots.txt files that are longer than the parsing limit of `dialect`.
    pub(crate) fn longer_than_limit(&self, dialect: Dialect) -> usize {
        let limit = self.config(dialect).parsing_limit();
        let is_longer = |kept: &&KeptBody| {
            kept.body.len() > limit && outcome(kept.status, dialect) == FetchOutcome::Success
        };
        let longer = self.robots.values().flatten().filter(is_longer);
        longer.map(|kept| kept.body.as_ptr()).collect::<HashSet<_>>().len()
    }

    /// The policy of one of the captures in `dialect`.
    pub(crate) fn policy<'b>(&self, kept: &'b KeptBody, dialect: Dialect) -> Policy<'b> {
        Policy::fetched(&kept.body, kept.status, &self.config(dialect))
    }

    /// The newest capture of the robots.txt of `site`.
    pub fn of(&self, site: &Site<'_>) -> Option<&KeptBody> {
        self.robots.get(site.as_bytes())?.last()
    }

    /// The newest capture of the tdmrep.json of `site`.
    pub fn tdmrep_of(&self, site: &Site<'_>) -> Option<&KeptBody> {
        self.tdmreps.get(site.as_bytes())?.last()
    }

    /// The newest capture of the robots.txt of `site` that is not later than `time`. Captures with unknown times count as the oldest.
    pub fn at(&self, site: &Site<'_>, time: Moment) -> Option<&KeptBody> {
        let kept = self.robots.get(site.as_bytes())?;
        let before = kept.partition_point(|kept| kept.time.is_none_or(|known| known <= time));
        kept[..before].last()
    }

    pub(crate) fn insert(&mut self, site: &Site<'_>, resource: Resource, kept: KeptBody, history: History) {
        let captures = match resource {
            Resource::RobotsTxt => &mut self.robots,
            Resource::TdmRepJson => &mut self.tdmreps,
        };
        let known = captures.entry(site.as_bytes().into()).or_default();
        let at = known.partition_point(|known| known.time <= kept.time);
        match history {
            History::All => known.insert(at, kept),
            History::Newest if at == known.len() => *known = vec![kept],
            History::Newest => {}
        }
    }
}
