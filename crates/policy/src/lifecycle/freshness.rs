//! How long a finding is valid (F8 to F12), and when to try again after a failure (F16).

use robomata_protocol::lifecycle::{Attempt, Header, Moment};

use super::headers::{self, CacheControl};
use super::terms::{HonoredHeaders, LifeCycleRules};

/// When to repeat a failed attempt, in seconds after it, unless the server specifies it.
const RETRY: i64 = 3_600;

/// The limits for what a server can ask for, in seconds after the attempt.
const RETRY_MIN: i64 = 60;
const RETRY_MAX: i64 = 86_400;

/// The instant `seconds` after `moment`, saturating at the limits of 64 bits.
pub(crate) const fn later(moment: Moment, seconds: i64) -> Moment {
    Moment::from_seconds(moment.seconds().saturating_add(seconds))
}

/// How long a response is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    /// The end of its lifetime: a crawler should fetch the robots.txt again.
    pub(crate) fresh_until: Moment,
    /// The instant at which it expires; never before `fresh_until`.
    pub(crate) usable_until: Moment,
}

/// The header fields that a lifetime depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    /// Those of the response.
    pub(crate) received: &'a [Header],
    /// Those of the copy that the response, a 304, confirms (F13).
    pub(crate) stored: &'a [Header],
}

impl<'a> Fields<'a> {
    /// The fields of a response other than a 304.
    pub(crate) const fn of(received: &'a [Header]) -> Self {
        Fields { received, stored: &[] }
    }

    /// The headers that contain the fields called `name` which belong to the content, not to the response.
    fn of_content(self, name: &str) -> &'a [Header] {
        if headers::first(self.received, name).is_some() { self.received } else { self.stored }
    }
}

impl Lifetime {
    /// The lifetime of a response that came at `at` with `fields`.
    pub(crate) fn of(at: Moment, fields: Fields<'_>, rules: &LifeCycleRules) -> Lifetime {
        let stated = stated_lifetime(at, fields, rules.honored_headers)
            .map(|lifetime| lifetime.saturating_sub(age(fields.received)));
        let lifetime = stated.unwrap_or(rules.default_lifetime).clamp(0, rules.longest_lifetime);
        Lifetime {
            fresh_until: later(at, lifetime),
            usable_until: later(at, lifetime.max(rules.default_lifetime)),
        }
    }
}

/// The lifetime that the header fields state: seconds from when the response was made; `None` when they state none.
fn stated_lifetime(at: Moment, fields: Fields<'_>, honored_headers: HonoredHeaders) -> Option<i64> {
    let control = CacheControl::of(fields.of_content("cache-control"));
    match honored_headers {
        HonoredHeaders::MaxAge => control.max_age,
        HonoredHeaders::CacheControl if control.forbids_reuse => Some(0),
        HonoredHeaders::CacheControl => control.max_age.or_else(|| expires(at, fields)),
    }
}

/// F11: the time from Date to Expires; zero when Expires is not a date.
fn expires(at: Moment, fields: Fields<'_>) -> Option<i64> {
    let value = headers::first(fields.of_content("expires"), "expires")?;
    let from_date = |expires| seconds_between(response_date(at, fields.received), expires);
    Some(headers::date(value).map_or(0, from_date))
}

/// When the response was made, by the server's clock; otherwise, when it was received.
fn response_date(at: Moment, received: &[Header]) -> Moment {
    headers::first(received, "date").and_then(headers::date).unwrap_or(at)
}

const fn seconds_between(from: Moment, to: Moment) -> i64 {
    to.seconds().saturating_sub(from.seconds())
}

/// The seconds that the response has spent in caches (F12).
fn age(received: &[Header]) -> i64 {
    let member = headers::first(received, "age").and_then(|value| value.split(|byte| *byte == b',').next());
    member.and_then(|member| headers::seconds(headers::trimmed(member))).unwrap_or(0)
}

/// F16: when to fetch again after `attempt`, which failed.
pub(crate) fn retry(attempt: &Attempt) -> Moment {
    let from_date = |date| seconds_between(response_date(attempt.at, &attempt.headers), date);
    let asked = headers::first(&attempt.headers, "retry-after")
        .and_then(|value| headers::seconds(value).or_else(|| headers::date(value).map(from_date)));
    later(attempt.at, asked.map_or(RETRY, |asked| asked.clamp(RETRY_MIN, RETRY_MAX)))
}
