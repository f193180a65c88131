//! The types of the life cycle: how the fetch of a robots.txt went, what applies as a result, until when, and why.
//!
//! A [`Situation`] holds everything that is known of one site's robots.txt. Together with an instant and the [`Terms`]
//! it determines a [`Standing`]. No code that uses these types reads a clock: every time is an input. The decisions are
//! the rows of `crates/DIALECTS.md`, "Life-cycle".

mod moment;
mod standing;
mod why;

pub use moment::{FetchTimeError, Moment};
pub use standing::{Applies, RulesOf, Standing};
pub use why::{DeadEnd, Finding, Ground, Why};

use crate::{Dialect, FetchStatus};

/// Everything that is known of the robots.txt of one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The latest attempt to fetch it.
    pub attempt: Attempt,
    /// When the current run of failures began, if the latest attempt is a failure and not the first of its run. A value
    /// later than the attempt counts as the attempt's own time.
    pub failing_since: Option<Moment>,
    /// The last earlier fetch that gave rules, if they are still available.
    pub good_copy: Option<GoodCopy>,
    /// Whether the rest of the site is reachable.
    pub site: SiteHealth,
    /// Which rules the crawler follows during an outage.
    pub unreachable: Unreachable,
}

impl Situation {
    /// The situation in which only one attempt is known.
    pub const fn first(attempt: Attempt) -> Self {
        Situation {
            attempt,
            failing_since: None,
            good_copy: None,
            site: SiteHealth::Unknown,
            unreachable: Unreachable::LastGood,
        }
    }
}

/// One attempt to fetch a robots.txt, from the first request to the last response.
///
/// Wherever the redirects lead, its rules are those of the site of [`Attempt::url`] (RFC 9309, section 2.3.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The URL of the first request.
    pub url: Vec<u8>,
    /// The redirects that were followed, in order. A redirect that was not followed ends the attempt.
    pub hops: Vec<Hop>,
    /// How it ended: the last response, or the lack of one.
    pub end: FetchStatus,
    /// The header fields of the last response, as received. Those of the other responses do not matter.
    pub headers: Vec<Header>,
    /// When it ended.
    pub at: Moment,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The status code of the redirecting response.
    pub status: u16,
    /// Its Location field as written; `None` when it was not recorded.
    pub location: Option<Vec<u8>>,
}

/// One header field of a response, bytes as received. The name is compared without case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The field's name.
    pub name: Vec<u8>,
    /// The field's value.
    pub value: Vec<u8>,
}

impl Header {
    /// The field `name: value`.
    pub fn new(name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Header { name: name.into(), value: value.into() }
    }
}

/// An earlier fetch whose rules are still available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoodCopy {
    /// When it was fetched or last confirmed unchanged (status 304).
    pub at: Moment,
    /// The header fields of that fetch, like [`Attempt::headers`].
    pub headers: Vec<Header>,
}

/// Whether the rest of the site is reachable, which Google's documentation considers after 30 days of failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SiteHealth {
    /// Not checked. It counts as [`SiteHealth::Failing`], because staying away is the safe choice.
    #[default]
    Unknown,
    /// Its other resources, chiefly the home page, can be fetched.
    Available,
    /// Its other resources cannot be fetched.
    Failing,
}

/// Which rules a crawler follows while a robots.txt is unreachable and its last good copy is older than its lifetime.
///
/// RFC 9309 supports both readings (`crates/DIALECTS.md`, F15). The other terms leave no choice and ignore this
/// setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unreachable {
    /// The rules of the last good copy (RFC 9309, section 2.4).
    #[default]
    LastGood,
    /// Complete disallow (RFC 9309, section 2.3.1.4); after 30 days the last good copy.
    Disallow,
}

impl Unreachable {
    /// All choices, the default first.
    pub const ALL: [Unreachable; 2] = [Unreachable::LastGood, Unreachable::Disallow];

    /// `last-good` or `disallow`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Unreachable::LastGood => "last-good",
            Unreachable::Disallow => "disallow",
        }
    }
}

/// The specification that governs the life cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Terms {
    /// RFC 9309, sections 2.3.1 and 2.4.
    #[default]
    Rfc9309,
    /// Google's documentation of how its crawlers treat robots.txt.
    Google,
    /// Koster's draft of 1996, sections 3.1 and 3.4.
    Koster1996,
    /// Yandex Webmaster's documentation of robots.txt. RFC 9309 governs what it leaves open.
    Yandex,
}

impl Terms {
    /// All terms, in the order in which texts list them.
    pub const ALL: [Terms; 4] = [Terms::Rfc9309, Terms::Google, Terms::Koster1996, Terms::Yandex];

    /// The name, which is that of the dialect.
    pub const fn as_str(self) -> &'static str {
        match self {
            Terms::Rfc9309 => "rfc9309",
            Terms::Google => "google",
            Terms::Koster1996 => "koster1996",
            Terms::Yandex => "yandex",
        }
    }
}

impl From<Dialect> for Terms {
    fn from(dialect: Dialect) -> Self {
        dialect.semantics().terms
    }
}
