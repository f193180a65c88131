//! The result of fetching one robots.txt, and what therefore applies to its site: the life-cycle for jobs about one
//! file.

use robomata_engine::lifecycle::{
    Applies, Attempt, GoodCopy, Header, Hop, RulesOf, Situation, Standing, Terms, Unreachable, standing,
};
use robomata_engine::{Config, Dialect, FetchStatus, Moment, Policy};
use serde::Serialize;

use crate::robots_file::RobotsFile;

/// Redirects that were followed, of which only the number is known.
pub fn unknown_hops(number: usize) -> Vec<Hop> {
    vec![Hop { status: 302, location: None }; number]
}

/// The latest attempt to fetch a robots.txt, the remaining facts about earlier attempts, and the time of the query.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The result of the attempt.
    pub status: FetchStatus,
    /// The redirects that were followed before it.
    pub hops: Vec<Hop>,
    /// The header fields of the last response; when empty, nothing is known about them.
    pub headers: Vec<(String, String)>,
    /// When the attempt ended.
    pub fetched: Moment,
    /// The time of the first of the failed attempts in a row; by default the latest attempt.
    pub failing_since: Option<Moment>,
    /// The last robots.txt that was fetched before, with its time.
    pub last_good: Option<(RobotsFile, Moment)>,
    /// The crawler's choice while the robots.txt is unreachable.
    pub unreachable: Unreachable,
    /// The time of the query.
    pub now: Moment,
}

/// What applies to a site, for people and programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StandingReport {
    /// What applies, until when, and why.
    #[serde(flatten)]
    pub standing: Standing,
    /// Should the robots.txt be fetched again before the site is visited?
    pub due: bool,
}

impl Fetch {
    /// An attempt with this result at `now`, without earlier attempts.
    pub fn new(status: FetchStatus, now: Moment) -> Self {
        Fetch {
            status,
            hops: Vec::new(),
            headers: Vec::new(),
            fetched: now,
            failing_since: None,
            last_good: None,
            unreachable: Unreachable::default(),
            now,
        }
    }

    /// What applies to crawlers that follow the terms of `dialect`.
    pub fn standing(&self, dialect: Dialect) -> Standing {
        let situation = Situation {
            failing_since: self.failing_since,
            good_copy: self.last_good.as_ref().map(|&(_, at)| GoodCopy { at, headers: Vec::new() }),
            unreachable: self.unreachable,
            ..Situation::first(self.attempt())
        };
        standing(&situation, self.now, Terms::from(dialect))
    }

    /// The file whose rules apply, if rules apply: `robots`, which this attempt fetched, or the last good copy.
    pub fn file_in_force<'r>(&'r self, robots: &'r RobotsFile, dialect: Dialect) -> &'r RobotsFile {
        match (self.standing(dialect).applies, &self.last_good) {
            (Applies::Rules(RulesOf::LastGoodCopy), Some((copy, _))) => copy,
            _ => robots,
        }
    }

    fn attempt(&self) -> Attempt {
        let header = |(name, value): &(String, String)| Header::new(name.as_bytes(), value.as_bytes());
        let mut headers: Vec<Header> = self.headers.iter().map(header).collect();
        if headers.is_empty() {
            // A redirect needs a target, even if it is unknown.
            headers.push(Header::new("Location", "https://elsewhere.invalid/robots.txt"));
        }
        Attempt {
            // It is not known, so a relative Location leads to an unknown URL (F5).
            url: Vec::new(),
            hops: self.hops.clone(),
            end: self.status,
            headers,
            at: self.fetched,
        }
    }
}

/// The robots.txt that applies according to its fetch; the given one when nothing is known about the fetch.
pub(crate) struct Applied<'r> {
    pub(crate) policy: Policy<'r>,
    pub(crate) file: &'r RobotsFile,
    pub(crate) standing: Option<StandingReport>,
}

impl<'r> Applied<'r> {
    pub(crate) fn new(robots: &'r RobotsFile, fetch: Option<&'r Fetch>, config: &Config) -> Self {
        let Some(fetch) = fetch else {
            return Applied { policy: Policy::new(robots.bytes(), config), file: robots, standing: None };
        };
        let dialect = config.dialect();
        let (standing, file) = (fetch.standing(dialect), fetch.file_in_force(robots, dialect));
        Applied {
            policy: Policy::applying(standing.applies, file.bytes(), config),
            file,
            standing: Some(StandingReport { standing, due: standing.is_due(fetch.now) }),
        }
    }
}
