//! How fast a crawler may fetch, and when.
//!
//! A [`Pace`] is what a robots.txt says to one crawler with `Crawl-delay`, `Request-rate` and `Visit-time`. It comes from
//! one robots.txt ([`Robots::pace`](crate::Robots::pace)), or from a policy set
//! ([`PolicySet::pace`](crate::PolicySet::pace), [`PolicySet::paces`](crate::PolicySet::paces)). Nothing reads a clock: the
//! instant is an argument.
//!
//! ```
//! use std::time::Duration;
//!
//! use robomata::pace::DelaySource;
//! use robomata::{Moment, Robots};
//!
//! let robots = Robots::parse(
//!     "User-agent: *\nCrawl-delay: 2.5\nRequest-rate: 1/10m 0800-1759\nVisit-time: 0600-2259",
//! );
//! let pace = robots.pace("ExampleBot");
//!
//! // The longest delay of the day, for a frontier that knows one number for each site.
//! let delay = pace.delay().unwrap();
//! assert_eq!((delay.duration, delay.source, delay.line), (Duration::from_secs(600), DelaySource::RequestRate, 3));
//!
//! // 1970-01-01T05:00:00Z
//! let early = Moment::from_seconds(5 * 3600);
//! assert_eq!(pace.delay_at(early).unwrap().duration, Duration::from_millis(2500));
//! assert_eq!(pace.opens_in(early), Some(Duration::from_secs(3600)));
//! ```
//!
//! A crawler's own limits are a matter of [`Duration::clamp`](Ord::clamp):
//!
//! ```
//! # use std::time::Duration;
//! # let pace = robomata::Robots::parse("User-agent: *\nCrawl-delay: 600").pace("ExampleBot");
//! let (least, most, default) = (Duration::from_millis(200), Duration::from_secs(60), Duration::from_secs(1));
//! let wait = pace.delay().map_or(default, |delay| delay.duration.clamp(least, most));
//! assert_eq!(wait, most);
//! ```

use std::fmt;
use std::time::Duration;

use robomata_policy as policy;

use crate::{Moment, VisitTime};

/// How fast a crawler may fetch, and when. See the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    schedule: policy::Schedule,
}

impl Pace {
    pub(crate) fn new(schedule: policy::Schedule) -> Self {
        Pace { schedule }
    }

    /// Whether the robots.txt says nothing about it.
    pub fn is_empty(&self) -> bool {
        self.schedule.records.is_empty()
    }

    /// The longest delay of the day, over the hours at which the site may be visited. `None` if nothing asks for one.
    pub fn delay(&self) -> Option<Delay> {
        self.schedule.longest_delay().map(Delay::new)
    }

    /// The delay at an instant: the longer one of the crawl-delay and the request rate that applies then.
    pub fn delay_at(&self, at: Moment) -> Option<Delay> {
        self.schedule.delay_at(at).map(Delay::new)
    }

    /// The hours at which the site may be visited; `None`: any.
    pub fn visit_time(&self) -> Option<VisitTime> {
        self.schedule.visit_time().map(VisitTime::new)
    }

    /// The time from an instant until the site may be visited; zero if it may be visited then. `None` without a visit
    /// time.
    pub fn opens_in(&self, at: Moment) -> Option<Duration> {
        self.schedule.opens_in(at)
    }
}

/// The time from the beginning of one fetch to the beginning of the next. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Delay {
    /// The time, rounded up to milliseconds.
    pub duration: Duration,
    /// The kind of record that asks for it.
    pub source: DelaySource,
    /// The 1-based line of the record.
    pub line: u32,
    /// The hours of the record, if it has any.
    pub hours: Option<VisitTime>,
}

impl Delay {
    fn new(delay: policy::Delay) -> Self {
        let policy::Delay { duration, source, line, hours } = delay;
        let source = match source {
            policy::DelaySource::CrawlDelay => DelaySource::CrawlDelay,
            policy::DelaySource::RequestRate => DelaySource::RequestRate,
        };
        Delay { duration, source, line, hours: hours.map(VisitTime::new) }
    }
}

/// The kind of record that asks for a [`Delay`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DelaySource {
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Request-rate`.
    RequestRate,
}

impl DelaySource {
    /// `crawl-delay` or `request-rate`.
    pub const fn as_str(self) -> &'static str {
        match self {
            DelaySource::CrawlDelay => policy::DelaySource::CrawlDelay.as_str(),
            DelaySource::RequestRate => policy::DelaySource::RequestRate.as_str(),
        }
    }
}

impl fmt::Display for DelaySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for DelaySource {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
