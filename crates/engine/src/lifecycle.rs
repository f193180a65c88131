//! Which rules apply to a site after an attempt to fetch its robots.txt, until when, and why.
//!
//! For each site, a crawler stores the latest [`Attempt`], the previous [`GoodCopy`] and the time since which attempts
//! have failed. [`standing`] returns what applies and when to fetch again. It reads no clock, so you can replay a
//! history.
//!
//! ```
//! use robomata_engine::lifecycle::{Applies, Attempt, GoodCopy, Header, Moment, RulesOf, Situation, SiteHealth, Terms, Unreachable, standing};
//! use robomata_engine::{Dialect, FetchStatus};
//!
//! let hour = |hours: i64| Moment::from_seconds(1_800_000_000 + hours * 3600);
//! // Fetched at hour 0; two days later, at hour 48, the server began to fail.
//! let situation = Situation {
//!     attempt: Attempt {
//!         url: b"https://example.com/robots.txt".to_vec(),
//!         hops: Vec::new(),
//!         end: FetchStatus::Code(503),
//!         headers: vec![Header::new("Retry-After", "1800")],
//!         at: hour(50),
//!     },
//!     failing_since: Some(hour(48)),
//!     good_copy: Some(GoodCopy { at: hour(0), headers: Vec::new() }),
//!     site: SiteHealth::Unknown,
//!     unreachable: Unreachable::LastGood,
//! };
//!
//! // RFC 9309 lets the copy be used for as long as the file is unreachable.
//! let now = standing(&situation, hour(50), Terms::from(Dialect::Rfc9309));
//! assert_eq!((now.applies, now.until), (Applies::Rules(RulesOf::LastGoodCopy), None));
//! assert_eq!(now.refetch.seconds() - hour(50).seconds(), 1800);
//!
//! // A crawler that chooses complete disallow stops visiting: the copy's lifetime ended at hour 24.
//! let strict = Situation { unreachable: Unreachable::Disallow, ..situation.clone() };
//! assert_eq!(standing(&strict, hour(50), Terms::Rfc9309).applies, Applies::Restricted);
//!
//! // Google's crawlers stop for the first 12 hours of failures.
//! let now = standing(&situation, hour(50), Terms::from(Dialect::Google));
//! assert_eq!((now.applies, now.until), (Applies::Restricted, Some(hour(60))));
//! assert_eq!(
//!     now.why.to_string(),
//!     "at 2027-01-17T10:00:00Z the answer was 503: the robots.txt is unreachable, and the site is not to be visited, \
//!      failing since 2027-01-17T08:00:00Z (Google's documentation, handling of errors and HTTP status codes)"
//! );
//! ```

pub use robomata_policy::lifecycle::{HonoredHeaders, LifeCycleRules, after_redirects, standing};
pub use robomata_protocol::lifecycle::{
    Applies, Attempt, DeadEnd, Finding, GoodCopy, Ground, Header, Hop, Moment, RulesOf, SiteHealth,
    Situation, Standing, Terms, Unreachable, Why,
};
