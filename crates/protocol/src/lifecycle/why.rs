//! The reason for a standing.

use std::fmt;

use super::{Moment, Terms};
use crate::FetchStatus;

/// The reason for a standing. Its `Display` is a sentence that names the deciding section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why {
    /// The terms that decide.
    pub terms: Terms,
    /// What the latest attempt found.
    pub finding: Finding,
    /// What follows from the finding at the instant in question.
    pub ground: Ground,
    /// How the attempt ended.
    pub status: FetchStatus,
    /// The number of redirects of the attempt, including one that was not followed.
    pub redirects: usize,
    /// When the attempt ended.
    pub at: Moment,
    /// When the current run of failures began; `None` when the attempt is not a failure.
    pub since: Option<Moment>,
    /// When the last good copy was fetched, if there is one.
    pub copy: Option<Moment>,
}

/// What an attempt found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finding {
    /// A robots.txt.
    Success,
    /// The last good copy is unchanged (status 304).
    NotModified,
    /// There is no robots.txt for the crawler.
    Unavailable,
    /// Access is restricted (status 401 or 403, which only Koster 1996 distinguishes).
    AccessRestricted,
    /// More consecutive redirects than the terms allow, without an end that counts all the same.
    TooManyRedirects,
    /// A redirect back to a URL that was already requested.
    RedirectLoop,
    /// A redirect that cannot be followed.
    RedirectNowhere(DeadEnd),
    /// A redirect that could be followed but was not.
    NotFollowed,
    /// Status 304, but there is no copy that it could confirm.
    NothingToCompare,
    /// An error of the server or the network.
    Failure,
}

/// Why a redirect cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeadEnd {
    /// There is no Location field, or an empty one.
    NoTarget,
    /// The Location field is not a reference to an HTTP URL, or there are several different ones.
    MalformedTarget,
    /// The target's scheme is neither `http` nor `https`.
    ForeignScheme,
}

/// What follows from a finding at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// The finding applies: its lifetime is not over.
    Fresh,
    /// Its lifetime is over; the finding applies until the robots.txt is fetched again.
    Due,
    /// It is too old to be used.
    Expired,
    /// The attempt is inconclusive, but the lifetime of the last good copy is not over.
    FreshCopy,
    /// The attempt failed; the last good copy is used beyond its lifetime.
    KeptCopy,
    /// The attempt failed, and the first failure of its run was recent.
    Failing,
    /// Attempts have failed for some time, and there is no copy to use.
    NoCopy,
    /// Attempts have failed for very long.
    FailingLong,
    /// The attempt is inconclusive, and there is no copy whose lifetime is not over.
    Inconclusive,
}

impl Ground {
    /// The finding's name in cases and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Ground::Fresh => "fresh",
            Ground::Due => "due",
            Ground::Expired => "expired",
            Ground::FreshCopy => "fresh-copy",
            Ground::KeptCopy => "kept-copy",
            Ground::Failing => "failing",
            Ground::NoCopy => "no-copy",
            Ground::FailingLong => "failing-long",
            Ground::Inconclusive => "inconclusive",
        }
    }
}

impl Finding {
    /// The ground's name in cases and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Finding::Success => "success",
            Finding::NotModified => "not-modified",
            Finding::Unavailable => "unavailable",
            Finding::AccessRestricted => "access-restricted",
            Finding::TooManyRedirects => "too-many-redirects",
            Finding::RedirectLoop => "redirect-loop",
            Finding::RedirectNowhere(DeadEnd::NoTarget) => "no-target",
            Finding::RedirectNowhere(DeadEnd::MalformedTarget) => "malformed-target",
            Finding::RedirectNowhere(DeadEnd::ForeignScheme) => "foreign-scheme",
            Finding::NotFollowed => "not-followed",
            Finding::NothingToCompare => "nothing-to-compare",
            Finding::Failure => "failure",
        }
    }
}

impl Why {
    /// The section that decides.
    pub const fn section(&self) -> &'static str {
        match self.terms {
            Terms::Rfc9309 => self.rfc9309_section(),
            Terms::Google => self.google_section(),
            Terms::Yandex => match (self.ground, self.finding) {
                (Ground::Fresh, Finding::Success | Finding::Unavailable) => "Yandex Webmaster, robots.txt",
                _ => self.rfc9309_section(),
            },
            Terms::Koster1996 => match self.ground {
                Ground::Due | Ground::Expired | Ground::FreshCopy => "Koster 1996, 3.4",
                _ => "Koster 1996, 3.1",
            },
        }
    }

    const fn rfc9309_section(&self) -> &'static str {
        match (self.ground, self.finding) {
            (Ground::Due | Ground::Expired | Ground::FreshCopy, _) => "RFC 9309, 2.4",
            (Ground::KeptCopy | Ground::Failing | Ground::NoCopy | Ground::FailingLong, _) => {
                "RFC 9309, 2.3.1.4"
            }
            (_, Finding::Success) => "RFC 9309, 2.3.1.1",
            (_, Finding::NotModified | Finding::NothingToCompare) => "RFC 9309, 2.4",
            (_, Finding::Unavailable | Finding::AccessRestricted) => "RFC 9309, 2.3.1.3",
            (_, Finding::Failure) => "RFC 9309, 2.3.1.4",
            (_, _) => "RFC 9309, 2.3.1.2",
        }
    }

    const fn google_section(&self) -> &'static str {
        match self.ground {
            Ground::Due | Ground::Expired | Ground::FreshCopy => "Google's documentation, caching",
            _ => "Google's documentation, handling of errors and HTTP status codes",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ", self.at)?;
        match self.status {
            FetchStatus::Code(code) => write!(f, "the answer was {code}")?,
            FetchStatus::Success => f.write_str("the fetch succeeded")?,
            FetchStatus::NetworkFailure => f.write_str("no answer came")?,
            FetchStatus::TooManyRedirects => f.write_str("the redirects did not end")?,
        }
        match self.redirects {
            0 => {}
            1 => f.write_str(", with one redirect")?,
            more => write!(f, ", with {more} redirects")?,
        }
        write!(f, ": {}", self.found())?;
        self.write_ground(f)?;
        write!(f, " ({})", self.section())
    }
}

impl Why {
    const fn found(&self) -> &'static str {
        match self.finding {
            Finding::Success => "a robots.txt",
            Finding::NotModified => "the copy is unchanged",
            Finding::Unavailable => "the robots.txt is unavailable",
            Finding::AccessRestricted => "access is restricted",
            Finding::TooManyRedirects => "there are too many redirects",
            Finding::RedirectLoop => "the redirects form a loop",
            Finding::RedirectNowhere(DeadEnd::NoTarget) => "the redirect names no target",
            Finding::RedirectNowhere(DeadEnd::MalformedTarget) => "the redirect's target is malformed",
            Finding::RedirectNowhere(DeadEnd::ForeignScheme) => "the redirect leads out of HTTP",
            Finding::NotFollowed => "the redirect was not followed",
            Finding::NothingToCompare => "there is no copy to compare with",
            Finding::Failure => "the robots.txt is unreachable",
        }
    }

    fn write_ground(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ground {
            Ground::Fresh => return Ok(()),
            Ground::Due => return f.write_str(", due to be fetched again"),
            Ground::Expired => return f.write_str(", too old to be used"),
            Ground::Inconclusive => return f.write_str(", so that nothing is known"),
            Ground::FreshCopy => f.write_str(", but a copy is still fresh")?,
            Ground::KeptCopy => f.write_str(", so that a copy stays in use")?,
            Ground::Failing => f.write_str(", and the site is not to be visited")?,
            Ground::NoCopy => f.write_str(", and there is no copy")?,
            Ground::FailingLong => f.write_str(", and has been for very long")?,
        }
        if let (Ground::FreshCopy | Ground::KeptCopy, Some(copy)) = (self.ground, self.copy) {
            write!(f, ", fetched at {copy}")?;
        }
        match self.since {
            Some(since) => write!(f, ", failing since {since}"),
            None => Ok(()),
        }
    }
}
