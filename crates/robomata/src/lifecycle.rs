//! Which rules apply to a site after an attempt to fetch its robots.txt, until when, and why.
//!
//! For each site, a crawler stores the latest [`Attempt`], the time of the last good copy, and the time since which
//! attempts have failed. [`Situation::standing`] returns what applies, and when to fetch again. It reads no clock, so you
//! can replay a history. The dialect decides which terms hold: RFC 9309, Google's documentation, Koster's draft or
//! Yandex's documentation.
//!
//! ```
//! use robomata::lifecycle::{Applies, Attempt, Situation, Unreachable};
//! use robomata::{Dialect, Moment, Robots};
//!
//! let hour = |hours: i64| Moment::from_seconds(1_800_000_000 + hours * 3600);
//! // Fetched at hour 0; two days later, at hour 48, the server began to fail.
//! let attempt = Attempt::new("https://example.com/robots.txt", 503, hour(50)).header("Retry-After", "1800");
//! let situation = Situation::new(attempt).failing_since(hour(48)).good_copy(hour(0), [("", ""); 0]);
//!
//! // RFC 9309 lets the copy be used for as long as the file is unreachable.
//! let standing = situation.standing(hour(50), Dialect::Rfc9309)?;
//! assert_eq!((standing.applies(), standing.until()), (Applies::LastGoodCopy, None));
//! assert_eq!(standing.refetch().seconds() - hour(50).seconds(), 1800);
//! let robots = Robots::builder().applies(standing.applies()).parse("User-agent: *\nDisallow: /private");
//! assert!(robots.is_allowed("ExampleBot", "/public"));
//!
//! // A crawler that chooses complete disallow stops visiting: the copy's lifetime ended at hour 24.
//! let strict = situation.clone().unreachable(Unreachable::Disallow);
//! assert_eq!(strict.standing(hour(50), Dialect::Rfc9309)?.applies(), Applies::Restricted);
//!
//! // Google's crawlers stop for the first 12 hours of failures.
//! let standing = situation.standing(hour(50), Dialect::Google)?;
//! assert_eq!((standing.applies(), standing.until()), (Applies::Restricted, Some(hour(60))));
//! assert_eq!(
//!     standing.to_string(),
//!     "at 2027-01-17T10:00:00Z the answer was 503: the robots.txt is unreachable, and the site is not to be visited, \
//!      failing since 2027-01-17T08:00:00Z (Google's documentation, handling of errors and HTTP status codes)"
//! );
//! # Ok::<(), robomata::Error>(())
//! ```

use std::fmt;

use robomata_policy::lifecycle::standing;
use robomata_protocol::lifecycle as protocol;

use crate::{Dialect, Error, FetchStatus, HeaderLineError, Moment};

/// One attempt to fetch a robots.txt, from the first request to the last response. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Attempt(protocol::Attempt);

impl Attempt {
    /// The attempt that requested `url` first, and ended at `at` with this result: an HTTP status, or a [`FetchStatus`].
    pub fn new(url: impl Into<Vec<u8>>, end: impl Into<FetchStatus>, at: impl Into<Moment>) -> Self {
        Attempt(protocol::Attempt {
            url: url.into(),
            hops: Vec::new(),
            end: end.into().inner(),
            headers: Vec::new(),
            at: at.into(),
        })
    }

    /// Adds a header field of the last response, as received.
    pub fn header(mut self, name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        self.0.headers.push(protocol::Header::new(name, value));
        self
    }

    /// Adds the header fields of the last response as they were sent, one a line. They may begin with its status line. Before it,
    /// the heads of redirects may come, which were followed; they count unless [`redirect`](Self::redirect) added some before.
    ///
    /// # Errors
    /// When a line is not a header field, and when the status line says something else than the result of the attempt: then one
    /// of them is of another response. A 206 has a part of the file, and is no [`FetchStatus::Success`]. A redirect fits too many
    /// of them, and any response may break off, as no response.
    pub fn header_lines(mut self, lines: impl AsRef<[u8]>) -> Result<Self, HeaderLineError> {
        let head = crate::headers::read_of_fetch(lines.as_ref(), self.0.end)?;
        if self.0.hops.is_empty() {
            self.0.hops = head.hops;
        }
        Ok(head.headers.into_iter().fold(self, |attempt, header| attempt.header(header.name, header.value)))
    }

    /// Adds a redirect that was followed, with the value of its Location field. A redirect that was not followed ends the
    /// attempt.
    pub fn redirect(mut self, status: u16, location: impl Into<Vec<u8>>) -> Self {
        self.0.hops.push(protocol::Hop { status, location: Some(location.into()) });
        self
    }
}

/// Everything that is known of one site's robots.txt. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Situation(protocol::Situation);

impl Situation {
    /// The situation in which only the latest attempt is known.
    pub fn new(attempt: Attempt) -> Self {
        Situation(protocol::Situation::first(attempt.0))
    }

    /// Sets when the current run of failures began, if the latest attempt is a failure and not the first of its run.
    pub fn failing_since(mut self, since: impl Into<Moment>) -> Self {
        self.0.failing_since = Some(since.into());
        self
    }

    /// Sets when the last earlier robots.txt was fetched whose rules are still available, and the header fields of that
    /// response.
    pub fn good_copy<N: Into<Vec<u8>>, V: Into<Vec<u8>>>(
        mut self,
        at: impl Into<Moment>,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let headers = headers.into_iter().map(|(name, value)| protocol::Header::new(name, value)).collect();
        self.0.good_copy = Some(protocol::GoodCopy { at: at.into(), headers });
        self
    }

    /// Sets whether the rest of the site can be fetched. By default that is not known, and counts as failing. Google's
    /// documentation considers it after 30 days of failures.
    pub fn site_is_available(mut self, is_available: bool) -> Self {
        self.0.site = match is_available {
            true => protocol::SiteHealth::Available,
            false => protocol::SiteHealth::Failing,
        };
        self
    }

    /// Sets which rules the crawler follows during an outage. The default is [`Unreachable::LastGoodCopy`]. The dialects
    /// `google` and `koster1996` leave no choice: it has no effect there.
    pub fn unreachable(mut self, choice: Unreachable) -> Self {
        self.0.unreachable = match choice {
            Unreachable::LastGoodCopy => protocol::Unreachable::LastGood,
            Unreachable::Disallow => protocol::Unreachable::Disallow,
        };
        self
    }

    /// What applies at `now`, by the terms of `dialect`.
    ///
    /// ```
    /// use robomata::lifecycle::{Attempt, Situation};
    /// use robomata::{Dialect, Moment};
    ///
    /// let at = Moment::from_seconds(1_800_000_000);
    /// let situation = Situation::new(Attempt::new("https://example.com/robots.txt", 503, at));
    /// let in_milliseconds = Moment::from_seconds(1_800_000_000_000);
    /// let error = situation.standing(in_milliseconds, Dialect::Rfc9309).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "now: expected seconds since 1970, of a time since 1994, found 1800000000000"
    /// );
    /// ```
    ///
    /// # Errors
    /// [`Error::Time`]: when one of the times is before 1994, when there was no robots.txt, or from 10^11 seconds on, which are
    /// milliseconds. With either, an outage could seem longer than it is, and open the site. Leave out what is not known, such as
    /// the start of the failures.
    pub fn standing(&self, now: impl Into<Moment>, dialect: Dialect) -> Result<Standing, Error> {
        let (now, unknown) = (now.into(), " (leave it out if it is not known)");
        let protocol::Situation { attempt, failing_since, good_copy, .. } = &self.0;
        Error::require_fetch_time("at", attempt.at, "")?;
        Error::require_fetch_time("now", now, "")?;
        failing_since.map_or(Ok(()), |since| Error::require_fetch_time("failing_since", since, unknown))?;
        let copied = good_copy.as_ref().map(|copy| copy.at);
        copied.map_or(Ok(()), |at| Error::require_fetch_time("good_copy", at, unknown))?;
        Ok(Standing(standing(&self.0, now, protocol::Terms::from(dialect.inner()))))
    }
}

/// Which rules a crawler follows while a robots.txt is unreachable, and its last good copy is older than its lifetime.
/// RFC 9309 supports both readings; the other terms leave no choice. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unreachable {
    /// The rules of the last good copy (RFC 9309, 2.4).
    #[default]
    LastGoodCopy,
    /// Complete disallow (RFC 9309, 2.3.1.4); after 30 days the last good copy.
    Disallow,
}

/// What applies to a site at one instant, until when, and why: its `Display` is a sentence. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing(protocol::Standing);

impl Standing {
    /// What applies.
    pub fn applies(&self) -> Applies {
        match self.0.applies {
            protocol::Applies::Rules(protocol::RulesOf::ThisFetch) => Applies::Rules,
            protocol::Applies::Rules(protocol::RulesOf::LastGoodCopy) => Applies::LastGoodCopy,
            protocol::Applies::Unrestricted => Applies::Unrestricted,
            protocol::Applies::Restricted => Applies::Restricted,
            protocol::Applies::Deferred => Applies::Deferred,
            protocol::Applies::Unknown => Applies::Unknown,
        }
    }

    /// When something else applies, or for another reason; while attempts fail, only if one fails then or later. `None`:
    /// not until another attempt is made.
    pub fn until(&self) -> Option<Moment> {
        self.0.until
    }

    /// When a crawler should fetch the robots.txt again. If that is in the past, it should do so before it visits the
    /// site.
    pub fn refetch(&self) -> Moment {
        self.0.refetch
    }

    /// Whether the robots.txt should be fetched again at `now`, before anything else of the site.
    pub fn is_due(&self, now: impl Into<Moment>) -> bool {
        self.0.is_due(now.into())
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.why.fmt(f)
    }
}

/// What a crawler follows. [`RobotsBuilder::applies`](crate::RobotsBuilder::applies) and
/// [`PolicySetBuilder::insert_applies`](crate::PolicySetBuilder::insert_applies) turn it into answers. See the
/// [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Applies {
    /// The rules of the robots.txt from the latest attempt.
    Rules,
    /// The rules of the robots.txt from an earlier fetch.
    LastGoodCopy,
    /// No restrictions: everything is allowed.
    Unrestricted,
    /// Everything is disallowed; in most dialects, except `/robots.txt`.
    Restricted,
    /// The crawler defers its visits until it can fetch the robots.txt (Koster 1996, 3.1).
    Deferred,
    /// Nothing is known: the crawler has to fetch the robots.txt first.
    Unknown,
}

impl Applies {
    /// `rules`, `last-good-copy`, `unrestricted`, `restricted`, `deferred` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        self.inner().as_str()
    }

    pub(crate) const fn inner(self) -> protocol::Applies {
        match self {
            Applies::Rules => protocol::Applies::Rules(protocol::RulesOf::ThisFetch),
            Applies::LastGoodCopy => protocol::Applies::Rules(protocol::RulesOf::LastGoodCopy),
            Applies::Unrestricted => protocol::Applies::Unrestricted,
            Applies::Restricted => protocol::Applies::Restricted,
            Applies::Deferred => protocol::Applies::Deferred,
            Applies::Unknown => protocol::Applies::Unknown,
        }
    }
}

impl fmt::Display for Applies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
