//! The robots.txt and tdmrep.json files of all sites, kept for later reading.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use robomata_engine::lifecycle::after_redirects;
use robomata_engine::policy::outcome;
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{
    Config, Dialect, FetchOutcome, FetchStatus, History, Policy, Site, retain_conclusions,
};
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

/// Captures by site, sorted by time, oldest first, without those that do not count: see [`Bodies::sorted`]. Captures of
/// the same second keep their input order.
type BySite = HashMap<Box<[u8]>, Vec<KeptBody>>;

/// A capture of a site's robots.txt or tdmrep.json.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBody {
    /// The bytes of the file; equal bodies are kept only once.
    pub body: Arc<[u8]>,
    /// The result of the fetch.
    pub status: Option<FetchStatus>,
    /// The number of redirects that led to it.
    pub redirects: u8,
    /// The time of the capture; none if it is unknown.
    pub time: Option<Moment>,
}

/// The address of a body, and the result of its fetch.
pub(crate) type BodyKey = (usize, Option<FetchStatus>, u8);

impl KeptBody {
    /// Captures with equal keys have the same policy. Equal bodies are kept only once.
    pub(crate) fn key(&self) -> BodyKey {
        (self.body.as_ptr().addr(), self.status, self.redirects)
    }

    /// How the fetch ended in `dialect`.
    pub(crate) fn status_in(&self, dialect: Dialect) -> Option<FetchStatus> {
        after_redirects(self.status, self.redirects.into(), dialect.into())
    }

    /// Whether nothing follows from the capture: it is a redirect that was not followed, or a 304. That is the same in
    /// every dialect.
    fn is_inconclusive(&self) -> bool {
        outcome(self.status, Dialect::default()) == FetchOutcome::Redirected
    }

    /// Of several captures, the one with the highest precedence counts.
    fn precedence(&self) -> (bool, Option<Moment>) {
        (!self.is_inconclusive(), self.time)
    }
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
            kept.body.len() > limit && outcome(kept.status_in(dialect), dialect) == FetchOutcome::Success
        };
        let longer = self.robots.values().flatten().filter(is_longer);
        longer.map(|kept| kept.body.as_ptr()).collect::<HashSet<_>>().len()
    }

    /// The policy of one of the captures in `dialect`.
    pub(crate) fn policy<'b>(&self, kept: &'b KeptBody, dialect: Dialect) -> Policy<'b> {
        Policy::fetched(&kept.body, kept.status_in(dialect), &self.config(dialect))
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

    /// Adds a capture. After the last one, [`Bodies::sorted`] must follow.
    pub(crate) fn insert(&mut self, site: &Site<'_>, resource: Resource, kept: KeptBody, history: History) {
        let captures = match resource {
            Resource::RobotsTxt => &mut self.robots,
            Resource::TdmRepJson => &mut self.tdmreps,
        };
        let known = captures.entry(site.as_bytes().into()).or_default();
        match history {
            History::All => known.push(kept),
            History::Newest if known.last().is_none_or(|known| known.precedence() <= kept.precedence()) => {
                *known = vec![kept];
            }
            History::Newest => {}
        }
    }

    /// Sorts the captures of each site after the last insertion. Sorting once takes a time of n log n; finding the place
    /// of each one at its insertion would move all later captures. Leaves out the captures without a conclusion that
    /// follow one with a conclusion, as a store does.
    pub(crate) fn sorted(mut self) -> Self {
        for captures in self.robots.values_mut().chain(self.tdmreps.values_mut()) {
            captures.sort_by_key(|kept| (kept.time, kept.is_inconclusive()));
            retain_conclusions(captures, KeptBody::is_inconclusive);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_sorted_once_after_the_last_insertion() {
        let site = Site::of_url(b"https://a.example/").unwrap();
        let times = [Some(30), Some(20), None, Some(20), Some(10), None];
        let mut bodies = Bodies::new(None);
        for (body, time) in (b'a'..).zip(times) {
            let time = time.map(Moment::from_seconds);
            let kept = KeptBody { body: Arc::from([body]), status: None, redirects: 0, time };
            bodies.insert(&site, Resource::RobotsTxt, kept, History::All);
        }
        let text = |bodies: &Bodies| {
            bodies.robots[site.as_bytes()].iter().map(|kept| char::from(kept.body[0])).collect::<String>()
        };
        assert_eq!(text(&bodies), "abcdef", "nothing moves");
        assert_eq!(text(&bodies.sorted()), "cfebda");
    }

    #[test]
    fn a_redirect_displaces_no_body() {
        let site = Site::of_url(b"https://a.example/").unwrap();
        let captures = [(10, 302), (20, 200), (20, 304), (30, 301)];
        let kept = |(time, status): (i64, u16)| {
            let time = Some(Moment::from_seconds(time));
            KeptBody { body: Arc::default(), status: Some(FetchStatus::Code(status)), redirects: 0, time }
        };
        let orders = [captures, [captures[3], captures[2], captures[1], captures[0]]];
        for (history, captures) in [History::Newest, History::All].into_iter().zip(orders.iter().cycle()) {
            for resource in [Resource::RobotsTxt, Resource::TdmRepJson] {
                let mut bodies = Bodies::new(None);
                for &capture in captures {
                    bodies.insert(&site, resource, kept(capture), history);
                }
                let bodies = bodies.sorted();
                let newest = match resource {
                    Resource::RobotsTxt => bodies.of(&site),
                    Resource::TdmRepJson => bodies.tdmrep_of(&site),
                };
                assert_eq!(newest, Some(&kept(captures[if captures[0].0 == 10 { 1 } else { 2 }])));
                if (history, resource) == (History::All, Resource::RobotsTxt) {
                    let at = |time| bodies.at(&site, Moment::from_seconds(time)).unwrap().status;
                    let [early, late] = [302, 200].map(|status| Some(FetchStatus::Code(status)));
                    assert_eq!([at(19), at(20), at(40)], [early, late, late]);
                }
            }
        }
    }
}
