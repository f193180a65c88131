//! The life cycle of a robots.txt: what applies now, until when, and why (`crates/DIALECTS.md`, "Life-cycle").
//!
//! [`standing`] is a pure function of a situation and an instant. It reads no clock, makes no requests, and has an
//! answer for every input.
//!
//! ```
//! use robomata_policy::lifecycle::standing;
//! use robomata_protocol::FetchStatus;
//! use robomata_protocol::lifecycle::{Applies, Attempt, Header, Moment, RulesOf, Situation, Terms};
//!
//! let at = Moment::from_seconds(1_800_000_000);
//! let fetched = Situation::first(Attempt {
//!     url: b"https://example.com/robots.txt".to_vec(),
//!     hops: Vec::new(),
//!     end: FetchStatus::Code(200),
//!     headers: vec![Header::new("Cache-Control", "max-age=3600")],
//!     at,
//! });
//! let now = standing(&fetched, at, Terms::Rfc9309);
//! assert_eq!(now.applies, Applies::Rules(RulesOf::ThisFetch));
//! assert_eq!(now.until, Some(Moment::from_seconds(1_800_003_600)));
//! assert_eq!(now.why.to_string(), "at 2027-01-15T08:00:00Z the answer was 200: a robots.txt (RFC 9309, 2.3.1.1)");
//! ```
//!
//! Each step has its own module: `redirect` and `finding` determine what the attempt found, `freshness` (over
//! `headers`) how long that is valid, and `failing` what applies while attempts fail. The decisions of the terms are
//! data, in `terms`.

mod failing;
mod finding;
mod freshness;
mod headers;
mod redirect;
mod terms;

use robomata_protocol::lifecycle::{
    Applies, Attempt, Finding, Ground, Moment, RulesOf, Situation, Standing, Terms, Why,
};

pub use crate::lifecycle::finding::after_redirects;
use crate::lifecycle::freshness::{Fields, Lifetime};
pub use crate::lifecycle::redirect::dead_end;
pub use crate::lifecycle::terms::{HonoredHeaders, LifeCycleRules};

/// What applies at `now` in `situation`, under `terms`.
pub fn standing(situation: &Situation, now: Moment, terms: Terms) -> Standing {
    let rules = LifeCycleRules::of(terms);
    let attempt = &situation.attempt;
    // A time before 1994 is a mistake (F2), and would open the site at the first failure.
    let since = situation.failing_since.filter(|&since| since >= Moment::YEAR_1994);
    let question = Question {
        situation,
        rules,
        now: now.max(attempt.at),
        since: since.map_or(attempt.at, |since| since.min(attempt.at)),
        copied: situation.good_copy.as_ref().map(|copy| copy.at.min(attempt.at)),
    };
    match question.finding() {
        (finding, Meaning::Holds(applies)) => question.answered(finding, applies),
        (finding, Meaning::Fails) => question.failed(finding),
        (finding, Meaning::Nothing) => question.inconclusive(finding),
    }
}

/// What a finding means under some terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// This applies for a lifetime.
    Holds(Applies),
    /// The attempt failed.
    Fails,
    /// Nothing can be concluded.
    Nothing,
}

/// The inputs of an answer.
struct Question<'a> {
    situation: &'a Situation,
    rules: &'static LifeCycleRules,
    /// Never before the attempt (F2).
    now: Moment,
    /// Never after the attempt, and never before 1994 unless the attempt is (F2).
    since: Moment,
    /// The time of the last good copy, never after the attempt (F2).
    copied: Option<Moment>,
}

impl Question<'_> {
    fn attempt(&self) -> &Attempt {
        &self.situation.attempt
    }

    fn finding(&self) -> (Finding, Meaning) {
        let finding = finding::of(self.situation, self.rules);
        (finding, self.rules.meaning(finding))
    }

    /// F8, F9: the finding is valid, then stays in use, and then expires.
    fn answered(&self, finding: Finding, applies: Applies) -> Standing {
        let life = self.lifetime(finding);
        if self.now < life.fresh_until {
            self.standing(applies, finding, Ground::Fresh, Some(life.fresh_until), life.fresh_until)
        } else if self.now < life.usable_until {
            self.standing(applies, finding, Ground::Due, Some(life.usable_until), life.fresh_until)
        } else {
            self.standing(Applies::Unknown, finding, Ground::Expired, None, life.fresh_until)
        }
    }

    fn lifetime(&self, finding: Finding) -> Lifetime {
        let received = &self.attempt().headers;
        let fields = match (finding, &self.situation.good_copy) {
            (Finding::NotModified, Some(copy)) => Fields { received, stored: &copy.headers },
            _ => Fields::of(received),
        };
        Lifetime::of(self.attempt().at, fields, self.rules)
    }

    /// F14, F15.
    fn failed(&self, finding: Finding) -> Standing {
        let refetch = freshness::retry(self.attempt());
        if let Some(until) = self.fresh_copy_until() {
            return self.fresh_copy(finding, until, refetch);
        }
        let stages = self.rules.failing(self.situation.unreachable);
        let (stand, until) = failing::stand(stages, self.since, self.now, self.situation);
        self.standing(stand.applies, finding, stand.ground, until, refetch)
    }

    /// F5, F13, F14.
    fn inconclusive(&self, finding: Finding) -> Standing {
        let refetch = self.attempt().at;
        match self.fresh_copy_until() {
            Some(until) => self.fresh_copy(finding, until, refetch),
            None => self.standing(Applies::Unknown, finding, Ground::Inconclusive, None, refetch),
        }
    }

    /// The end of the lifetime of the last good copy, if there is one and its lifetime is not over.
    fn fresh_copy_until(&self) -> Option<Moment> {
        let copy = self.situation.good_copy.as_ref()?;
        let until = Lifetime::of(self.copied?, Fields::of(&copy.headers), self.rules).fresh_until;
        (self.now < until).then_some(until)
    }

    fn fresh_copy(&self, finding: Finding, until: Moment, refetch: Moment) -> Standing {
        let applies = Applies::Rules(RulesOf::LastGoodCopy);
        self.standing(applies, finding, Ground::FreshCopy, Some(until), refetch)
    }

    fn standing(
        &self,
        applies: Applies,
        finding: Finding,
        ground: Ground,
        until: Option<Moment>,
        refetch: Moment,
    ) -> Standing {
        let attempt = self.attempt();
        let why = Why {
            terms: self.rules.terms,
            finding,
            ground,
            status: attempt.end,
            redirects: finding::redirects(attempt),
            at: attempt.at,
            since: (self.rules.meaning(finding) == Meaning::Fails).then_some(self.since),
            copy: self.copied,
        };
        Standing { applies, until, why, refetch }
    }
}

#[cfg(test)]
mod tests {
    use robomata_protocol::FetchStatus;
    use robomata_protocol::lifecycle::GoodCopy;

    use super::*;

    fn failed(at: i64, copied: i64) -> Situation {
        let attempt = Attempt {
            url: b"https://example.com/robots.txt".to_vec(),
            hops: Vec::new(),
            end: FetchStatus::Code(503),
            headers: Vec::new(),
            at: Moment::from_seconds(at),
        };
        let good_copy = Some(GoodCopy { at: Moment::from_seconds(copied), headers: Vec::new() });
        Situation { good_copy, ..Situation::first(attempt) }
    }

    #[test]
    fn a_copy_after_the_attempt_counts_as_one_of_its_time() {
        let (at, day) = (1_800_000_000, 86_400);
        for terms in [Terms::Rfc9309, Terms::Google, Terms::Koster1996] {
            for copied in [at + 1, at + 400 * day, i64::MAX] {
                for now in [at - day, at, at + day - 1, at + day, at + 100 * day] {
                    let now = Moment::from_seconds(now);
                    let same = standing(&failed(at, at), now, terms);
                    assert_eq!(standing(&failed(at, copied), now, terms), same, "{terms:?} {copied} {now}");
                }
            }
        }
        let before = standing(&failed(at, at - 1), Moment::from_seconds(at), Terms::Rfc9309);
        assert_eq!(before.why.copy, Some(Moment::from_seconds(at - 1)));
    }

    #[test]
    fn what_is_due_at_the_end_of_the_attempt_is_due_before_it() {
        let at = 1_800_000_000;
        let redirect = Attempt { end: FetchStatus::Code(304), ..failed(at, at).attempt };
        let inconclusive = standing(&Situation::first(redirect), Moment::from_seconds(at), Terms::Rfc9309);
        assert_eq!(inconclusive.applies, Applies::Unknown);
        for now in [i64::MIN, at - 1, at, at + 1] {
            assert!(inconclusive.is_due(Moment::from_seconds(now)), "{now}");
        }
        let failed = standing(&failed(at, at), Moment::from_seconds(at), Terms::Rfc9309);
        assert!(!failed.is_due(Moment::from_seconds(at - 1)) && failed.is_due(failed.refetch));
    }
}
