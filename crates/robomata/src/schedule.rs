//! How often and when a crawler may visit.

use std::time::Duration;

use robomata_policy as policy;

/// The number of requests that a crawler may make in a span of time (`Request-rate: 1/10m 0900-1700`).
///
/// ```
/// use std::time::Duration;
///
/// let robots = robomata::Robots::parse("User-agent: *\nRequest-rate: 1/10m");
/// let rate = robots.request_rate("ExampleBot").unwrap();
/// assert_eq!((rate.requests, rate.per), (1, Duration::from_secs(600)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RequestRate {
    /// The number of requests; never zero.
    pub requests: u32,
    /// The span of time; never zero.
    pub per: Duration,
    /// The hours at which the rate applies; `None`: always.
    pub window: Option<VisitTime>,
}

impl RequestRate {
    pub(crate) fn new(rate: policy::RequestRate) -> Self {
        let policy::RequestRate { requests, per, window } = rate;
        RequestRate { requests, per, window: window.map(VisitTime::new) }
    }
}

/// A part of every day, in minutes after midnight UTC (`Visit-time: 0600-0845`). It crosses midnight when it ends before
/// it begins.
///
/// ```
/// let robots = robomata::Robots::parse("User-agent: *\nVisit-time: 0600-0845");
/// let hours = robots.visit_time("ExampleBot").unwrap();
/// assert_eq!((hours.from, hours.to), (6 * 60, 8 * 60 + 45));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VisitTime {
    /// The first minute, 0 to 1439.
    pub from: u16,
    /// The last minute, 0 to 1440.
    pub to: u16,
}

impl VisitTime {
    pub(crate) fn new(window: policy::DayWindow) -> Self {
        VisitTime { from: window.from, to: window.to }
    }
}
