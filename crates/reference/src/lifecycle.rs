//! The life-cycle, implemented literally: decisions F2 to F16, each with its own function.
//!
//! Sums use 128 bits and are cut to the 64 bits of a [`Moment`] only at the end, so intermediate results cannot
//! overflow.

mod date;
mod fields;
mod location;

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{
    Applies, Finding, Ground, Header, Moment, RulesOf, SiteHealth, Situation, Standing, Terms, Unreachable,
    Why,
};

const MINUTE: i128 = 60;
/// The first second of 1994.
const YEAR_1994: i64 = 757_382_400;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

/// The standing at `now` in `situation` on `terms`.
pub fn standing(situation: &Situation, now: Moment, terms: Terms) -> Standing {
    let at = situation.attempt.at.seconds();
    // F2.
    let now = i128::from(now.seconds().max(at));
    // F2: "A start before 1994 that comes to the engine counts as the attempt's time."
    let since = situation.failing_since.map(Moment::seconds).filter(|&since| since >= YEAR_1994);
    let since = since.unwrap_or(at).min(at);
    let case = Case { situation, terms, at: i128::from(at), now, since: i128::from(since) };
    case.standing()
}

/// One question.
struct Case<'a> {
    situation: &'a Situation,
    terms: Terms,
    at: i128,
    now: i128,
    since: i128,
}

/// The answer, before it is converted to a [`Standing`].
struct RawStanding {
    applies: Applies,
    ground: Ground,
    /// `None`: until the next attempt.
    until: Option<i128>,
    refetch: i128,
}

impl Case<'_> {
    fn standing(&self) -> Standing {
        let finding = self.finding();
        let is_failure = self.is_failure(finding);
        let said = match self.what_holds(finding) {
            Some(applies) => self.after_an_answer(finding, applies),
            None if is_failure => self.after_a_failure(),
            None => self.when_nothing_is_known(),
        };
        let why = Why {
            terms: self.terms,
            finding,
            ground: said.ground,
            status: self.situation.attempt.end,
            redirects: self.redirects(),
            at: moment(self.at),
            since: if is_failure { Some(moment(self.since)) } else { None },
            copy: self.copy_time().map(moment),
        };
        Standing { applies: said.applies, until: said.until.map(moment), why, refetch: moment(said.refetch) }
    }

    /// F4: "If the crawler successfully downloads the robots.txt file, the crawler MUST follow the parseable rules" (RFC
    /// 9309, 2.3.1.1), and if it is unreachable, it "MUST assume complete disallow" (2.3.1.4), however many redirects were
    /// followed.
    fn finding(&self) -> Finding {
        let of_the_end = self.finding_of_the_end();
        if self.redirects() <= 5 {
            return of_the_end;
        }
        match (self.terms, of_the_end) {
            (Terms::Google | Terms::Koster1996, _) => Finding::TooManyRedirects,
            (_, Finding::Success | Finding::NotModified | Finding::NothingToCompare | Finding::Failure) => {
                of_the_end
            }
            _ => Finding::TooManyRedirects,
        }
    }

    /// F5, F7, F13.
    fn finding_of_the_end(&self) -> Finding {
        let attempt = &self.situation.attempt;
        let code = match attempt.end {
            FetchStatus::NetworkFailure => return Finding::Failure,
            FetchStatus::TooManyRedirects => return Finding::TooManyRedirects,
            FetchStatus::Success => 200,
            FetchStatus::Code(code) => code,
        };
        let has_copy = self.situation.good_copy.is_some();
        match (code, self.terms) {
            (200, _) => Finding::Success,
            (201..=299, Terms::Yandex) => Finding::Unavailable,
            // F1: a part of the file.
            (206, _) => Finding::Failure,
            (201..=299, _) => Finding::Success,
            (304, _) if has_copy => Finding::NotModified,
            (304, _) => Finding::NothingToCompare,
            (300..=399, _) => location::finding(attempt),
            // F7: "the server ... responds with the HTTP code 200 OK", or the site is open.
            (_, Terms::Yandex) => Finding::Unavailable,
            (401 | 403, Terms::Koster1996) => Finding::AccessRestricted,
            (408 | 425 | 429, Terms::Koster1996) => Finding::Failure,
            (429, Terms::Google) => Finding::Failure,
            (400..=499, _) => Finding::Unavailable,
            _ => Finding::Failure,
        }
    }

    /// F4, F5: the number of followed hops, plus one if the end is another redirect.
    fn redirects(&self) -> usize {
        let attempt = &self.situation.attempt;
        let last = match attempt.end {
            FetchStatus::Code(304) => 0,
            FetchStatus::Code(code) if (300..400).contains(&code) => 1,
            _ => 0,
        };
        attempt.hops.len() + last
    }

    fn is_failure(&self, finding: Finding) -> bool {
        match finding {
            Finding::Failure | Finding::RedirectNowhere(_) => true,
            // F4: no resource was found, and the draft has no other word for it.
            Finding::TooManyRedirects | Finding::RedirectLoop => self.terms == Terms::Koster1996,
            _ => false,
        }
    }

    /// The meaning of an answer during its lifetime; `None` if the attempt gave no answer.
    fn what_holds(&self, finding: Finding) -> Option<Applies> {
        match finding {
            Finding::Success => Some(Applies::Rules(RulesOf::ThisFetch)),
            Finding::NotModified => Some(Applies::Rules(RulesOf::LastGoodCopy)),
            Finding::Unavailable => Some(Applies::Unrestricted),
            Finding::AccessRestricted => Some(Applies::Restricted),
            Finding::TooManyRedirects | Finding::RedirectLoop if self.terms != Terms::Koster1996 => {
                Some(Applies::Unrestricted)
            }
            _ => None,
        }
    }

    /// F8, F9, F13.
    fn after_an_answer(&self, finding: Finding, applies: Applies) -> RawStanding {
        let own = &self.situation.attempt.headers;
        let stored = match (&self.situation.good_copy, finding) {
            (Some(copy), Finding::NotModified) => copy.headers.as_slice(),
            _ => &[],
        };
        let lifetime = self.lifetime(self.at, own, stored);
        let fresh_until = end_of_time(self.at + lifetime);
        let used_until = end_of_time(self.at + lifetime.max(self.silent_lifetime()));
        let (applies, ground, until) = if self.now < fresh_until {
            (applies, Ground::Fresh, Some(fresh_until))
        } else if self.now < used_until {
            (applies, Ground::Due, Some(used_until))
        } else {
            (Applies::Unknown, Ground::Expired, None)
        };
        RawStanding { applies, ground, until, refetch: fresh_until }
    }

    /// F14, F15.
    fn after_a_failure(&self) -> RawStanding {
        let refetch = self.at + self.patience();
        if let Some(until) = self.fresh_copy_until() {
            return fresh_copy(until, refetch);
        }
        let has_copy = self.situation.good_copy.is_some();
        let kept = (Applies::Rules(RulesOf::LastGoodCopy), Ground::KeptCopy);
        let twelve_hours = end_of_time(self.since + 12 * HOUR);
        let thirty_days = end_of_time(self.since + 30 * DAY);
        // What attempts have shown ends with the last of them, whatever the time is now.
        let ((applies, ground), end) = match self.terms {
            // "SHOULD NOT use the cached version for more than 24 hours, unless the robots.txt file is unreachable" (2.4).
            Terms::Rfc9309 | Terms::Yandex
                if has_copy && self.situation.unreachable == Unreachable::LastGood =>
            {
                (kept, None)
            }
            // "The crawler MUST assume complete disallow" (2.3.1.4).
            Terms::Rfc9309 | Terms::Yandex if self.at < thirty_days => {
                ((Applies::Restricted, Ground::Failing), Some(thirty_days))
            }
            // "... MAY assume that the robots.txt file is unavailable ... or continue to use a cached copy" (2.3.1.4).
            Terms::Rfc9309 | Terms::Yandex if has_copy => (kept, None),
            Terms::Rfc9309 | Terms::Yandex => ((Applies::Unrestricted, Ground::FailingLong), None),
            Terms::Google if self.at < twelve_hours => {
                ((Applies::Restricted, Ground::Failing), Some(twelve_hours))
            }
            Terms::Google if self.at < thirty_days && has_copy => (kept, Some(thirty_days)),
            Terms::Google if self.at < thirty_days => {
                ((Applies::Unrestricted, Ground::NoCopy), Some(thirty_days))
            }
            Terms::Google if self.situation.site == SiteHealth::Available => {
                ((Applies::Unrestricted, Ground::FailingLong), None)
            }
            Terms::Google => ((Applies::Restricted, Ground::FailingLong), None),
            Terms::Koster1996 => ((Applies::Deferred, Ground::Failing), None),
        };
        let until = end.filter(|&end| self.now < end);
        RawStanding { applies, ground, until, refetch }
    }

    /// F5, F13, F14.
    fn when_nothing_is_known(&self) -> RawStanding {
        match self.fresh_copy_until() {
            Some(until) => fresh_copy(until, self.at),
            None => RawStanding {
                applies: Applies::Unknown,
                ground: Ground::Inconclusive,
                until: None,
                refetch: self.at,
            },
        }
    }

    fn copy_time(&self) -> Option<i128> {
        // F2: one that is later than the attempt counts as one of the attempt's time.
        self.situation.good_copy.as_ref().map(|copy| i128::from(copy.at.seconds()).min(self.at))
    }

    /// The end of the last good copy's own lifetime, if it is in the future.
    fn fresh_copy_until(&self) -> Option<i128> {
        let copy = self.situation.good_copy.as_ref()?;
        let at = self.copy_time()?;
        let until = end_of_time(at + self.lifetime(at, &copy.headers, &[]));
        if self.now < until { Some(until) } else { None }
    }

    /// F8, if the header fields specify nothing.
    fn silent_lifetime(&self) -> i128 {
        match self.terms {
            Terms::Rfc9309 | Terms::Google | Terms::Yandex => 24 * HOUR,
            Terms::Koster1996 => 7 * DAY,
        }
    }

    /// F8, the maximum.
    fn longest_lifetime(&self) -> i128 {
        match self.terms {
            Terms::Rfc9309 | Terms::Yandex => 24 * HOUR,
            Terms::Google => 30 * DAY,
            Terms::Koster1996 => 365 * DAY,
        }
    }

    /// F8, F10, F11: lifetime in seconds of a response received at `at`.
    fn lifetime(&self, at: i128, own: &[Header], stored: &[Header]) -> i128 {
        let control = match fields::all(own, "Cache-Control") {
            values if values.is_empty() => fields::all(stored, "Cache-Control"),
            values => values,
        };
        let directives = fields::directives(&control);
        let stated = match self.terms {
            Terms::Google => fields::max_age(&directives),
            Terms::Rfc9309 | Terms::Koster1996 | Terms::Yandex if fields::forbids_reuse(&directives) => {
                Some(0)
            }
            Terms::Rfc9309 | Terms::Koster1996 | Terms::Yandex => match fields::max_age(&directives) {
                Some(seconds) => Some(seconds),
                None => expires(at, own, stored),
            },
        };
        match stated {
            None => self.silent_lifetime(),
            Some(seconds) => (seconds - fields::age(own)).max(0).min(self.longest_lifetime()),
        }
    }

    /// F16: seconds from a failed attempt to the next.
    fn patience(&self) -> i128 {
        let headers = &self.situation.attempt.headers;
        let Some(value) = fields::one(headers, "Retry-After") else {
            return HOUR;
        };
        let asked = match (fields::number(&value), date::read(&value)) {
            (Some(seconds), _) => seconds,
            (None, Some(date)) => date - response_date(self.at, headers),
            (None, None) => return HOUR,
        };
        asked.clamp(MINUTE, DAY)
    }
}

fn fresh_copy(until: i128, refetch: i128) -> RawStanding {
    RawStanding {
        applies: Applies::Rules(RulesOf::LastGoodCopy),
        ground: Ground::FreshCopy,
        until: Some(until),
        refetch,
    }
}

/// F11.
fn expires(at: i128, own: &[Header], stored: &[Header]) -> Option<i128> {
    let value = fields::one(own, "Expires").or_else(|| fields::one(stored, "Expires"))?;
    match date::read(&value) {
        Some(date) => Some(date - response_date(at, own)),
        None => Some(0),
    }
}

/// F11: the Date field, or the end of the attempt.
fn response_date(at: i128, headers: &[Header]) -> i128 {
    fields::one(headers, "Date").and_then(|value| date::read(&value)).unwrap_or(at)
}

/// F2: sums are clamped to 64 bits.
fn end_of_time(seconds: i128) -> i128 {
    seconds.max(i128::from(i64::MIN)).min(i128::from(i64::MAX))
}

fn moment(seconds: i128) -> Moment {
    Moment::from_seconds(i64::try_from(end_of_time(seconds)).expect("cut to 64 bits"))
}
