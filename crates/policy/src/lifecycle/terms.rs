//! The decisions of the terms, as data.

use robomata_protocol::lifecycle::{Applies, Finding, Ground, RulesOf, Terms, Unreachable};

use super::Meaning;
use super::failing::{Stage, Stand, StandBy};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// The differences between the terms. Times are in seconds.
#[derive(Debug)]
pub struct LifeCycleRules {
    /// The terms.
    pub terms: Terms,
    /// The number of consecutive redirects that are followed; one more is too many (F4).
    pub max_redirects: usize,
    /// Whether more redirects change nothing about what was reached: a robots.txt, a 304 or a failure (F4).
    pub(super) reads_any_end: bool,
    /// The default lifetime, without header fields (F8). A finding is usable for at least this long after the fetch
    /// (F9).
    pub default_lifetime: i64,
    /// The longest lifetime that header fields can give (F8).
    pub longest_lifetime: i64,
    /// The header fields that count (F10, F11).
    pub honored_headers: HonoredHeaders,
    /// The first and the last status code of a success (F7).
    pub(super) success: (u16, u16),
    /// Status codes that restrict access (F7).
    pub(super) restricting: &'static [u16],
    /// Status codes of 400 to 499 that are failures (F7).
    pub(super) temporary: &'static [u16],
    /// What the status codes without another meaning are, such as 500 (F7).
    pub(super) other_codes: Finding,
    /// The meaning of too many redirects, or of a redirect loop (F4).
    pub(super) too_many_redirects: Meaning,
    /// What applies while attempts fail, in chronological order; the last stage has no end (F15).
    failing: &'static [Stage],
    /// The same for crawlers that choose [`Unreachable::Disallow`], if the terms allow the choice.
    failing_disallowed: Option<&'static [Stage]>,
}

/// The header fields that determine the lifetime of a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HonoredHeaders {
    /// Those of RFC 9111.
    CacheControl,
    /// Only the max-age directive of Cache-Control.
    MaxAge,
}

const RESTRICTED: Stand = Stand { applies: Applies::Restricted, ground: Ground::Failing };
const KEPT: Stand = Stand { applies: Applies::Rules(RulesOf::LastGoodCopy), ground: Ground::KeptCopy };
const DEFERRED: Stand = Stand { applies: Applies::Deferred, ground: Ground::Failing };
const FREE: Stand = Stand { applies: Applies::Unrestricted, ground: Ground::NoCopy };
const RESTRICTED_AT_LAST: Stand = Stand { applies: Applies::Restricted, ground: Ground::FailingLong };
const FREE_AT_LAST: Stand = Stand { applies: Applies::Unrestricted, ground: Ground::FailingLong };

/// RFC 9309, sections 2.3.1 and 2.4.
const RFC9309: LifeCycleRules = LifeCycleRules {
    terms: Terms::Rfc9309,
    max_redirects: 5,
    // "If the crawler successfully downloads the robots.txt file, the crawler MUST follow the parseable rules" (2.3.1.1).
    // If it is unreachable, "the crawler MUST assume complete disallow" (2.3.1.4).
    reads_any_end: true,
    default_lifetime: DAY,
    longest_lifetime: DAY,
    honored_headers: HonoredHeaders::CacheControl,
    success: (200, 299),
    restricting: &[],
    temporary: &[],
    other_codes: Finding::Failure,
    too_many_redirects: Meaning::Holds(Applies::Unrestricted),
    failing: &[Stage::new(Some(30 * DAY), KEPT, RESTRICTED), Stage::new(None, KEPT, FREE_AT_LAST)],
    failing_disallowed: Some(&[
        Stage::new(Some(30 * DAY), RESTRICTED, RESTRICTED),
        Stage::new(None, KEPT, FREE_AT_LAST),
    ]),
};

/// Google's documentation of how its crawlers treat robots.txt.
static GOOGLE: LifeCycleRules = LifeCycleRules {
    terms: Terms::Google,
    max_redirects: 5,
    reads_any_end: false,
    default_lifetime: DAY,
    longest_lifetime: 30 * DAY,
    honored_headers: HonoredHeaders::MaxAge,
    success: (200, 299),
    restricting: &[],
    // "Too many requests" asks for a lower load, not a higher one.
    temporary: &[429],
    other_codes: Finding::Failure,
    too_many_redirects: Meaning::Holds(Applies::Unrestricted),
    failing: &[
        Stage::new(Some(12 * HOUR), RESTRICTED, RESTRICTED),
        Stage::new(Some(30 * DAY), KEPT, FREE),
        Stage { ends: None, stand: StandBy::Site { available: FREE_AT_LAST, otherwise: RESTRICTED_AT_LAST } },
    ],
    failing_disallowed: None,
};

/// Koster's draft of 1996, sections 3.1 and 3.4.
static KOSTER1996: LifeCycleRules = LifeCycleRules {
    terms: Terms::Koster1996,
    max_redirects: 5,
    reads_any_end: false,
    default_lifetime: 7 * DAY,
    longest_lifetime: 365 * DAY,
    honored_headers: HonoredHeaders::CacheControl,
    success: (200, 299),
    restricting: &[401, 403],
    // Request Timeout, Too Early, Too Many Requests: each asks the client to try again.
    temporary: &[408, 425, 429],
    other_codes: Finding::Failure,
    too_many_redirects: Meaning::Fails,
    failing: &[Stage::new(None, DEFERRED, DEFERRED)],
    failing_disallowed: None,
};

/// Yandex Webmaster's documentation: a file that is not answered with 200 leaves the site open.
static YANDEX: LifeCycleRules = LifeCycleRules {
    terms: Terms::Yandex,
    success: (200, 200),
    other_codes: Finding::Unavailable,
    ..RFC9309
};

impl LifeCycleRules {
    /// The rules of `terms`.
    pub const fn of(terms: Terms) -> &'static LifeCycleRules {
        match terms {
            Terms::Rfc9309 => &RFC9309,
            Terms::Google => &GOOGLE,
            Terms::Koster1996 => &KOSTER1996,
            Terms::Yandex => &YANDEX,
        }
    }

    /// Whether a crawler has the choice that [`Unreachable`] is (F15).
    pub const fn leaves_choice(&self) -> bool {
        self.failing_disallowed.is_some()
    }

    /// What applies while attempts fail, for a crawler that chooses `unreachable`.
    pub(super) fn failing(&self, unreachable: Unreachable) -> &'static [Stage] {
        match (unreachable, self.failing_disallowed) {
            (Unreachable::Disallow, Some(stages)) => stages,
            _ => self.failing,
        }
    }

    /// The meaning of `finding`.
    pub(super) fn meaning(&self, finding: Finding) -> Meaning {
        match finding {
            Finding::Success => Meaning::Holds(Applies::Rules(RulesOf::ThisFetch)),
            Finding::NotModified => Meaning::Holds(Applies::Rules(RulesOf::LastGoodCopy)),
            Finding::Unavailable => Meaning::Holds(Applies::Unrestricted),
            Finding::AccessRestricted => Meaning::Holds(Applies::Restricted),
            Finding::TooManyRedirects | Finding::RedirectLoop => self.too_many_redirects,
            Finding::RedirectNowhere(_) | Finding::Failure => Meaning::Fails,
            Finding::NotFollowed | Finding::NothingToCompare => Meaning::Nothing,
        }
    }
}
