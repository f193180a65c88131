//! Finds the version of a site's robots.txt that is in force at a given time.

use robomata_engine::lifecycle::{Applies, LifeCycleRules, RulesOf, Situation, Terms, standing};
use robomata_engine::{Moment, Version};

use crate::situation::{Before, situation_at};

/// The number of seconds in a day.
pub(super) const DAY: i64 = 86_400;

/// The number of seconds for which a copy may be used if its header fields do not say: a day (RFC 9309, section 2.4),
/// or seven days (Koster's draft of 1996, section 3.4).
pub(super) const fn lifetime(terms: Terms) -> i64 {
    LifeCycleRules::of(terms).default_lifetime
}

/// The captures that requests are judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeTravel {
    /// Judge requests by the captures in force at their time.
    #[default]
    InForce,
    /// Judge requests by the newest capture, regardless of their time.
    Latest,
}

/// The policy that a request is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EffectivePolicy {
    /// The site has no version.
    SiteUnknown,
    /// The first version is later than the request.
    BeforeFirst,
    /// This version decides.
    Version(usize),
    /// Everything is disallowed: the robots.txt was unreachable.
    Restricted,
    /// Everything is allowed: the robots.txt was unreachable for so long that crawlers may ignore it.
    Unrestricted,
    /// Crawlers had to postpone visits.
    Deferred,
    /// The policy in force is unknown.
    Unknown,
}

/// The policy in force at an instant, and until when, if that may end without another version.
pub(super) type EffectiveUntil = (EffectivePolicy, Option<Moment>);

/// The policy in force at `now`: the newest version that was captured before. If that is a failure, or a redirect with
/// an unknown target, the life-cycle decides.
pub(super) fn effective_at(
    versions: &[Version],
    now: Moment,
    terms: Terms,
    travel: TimeTravel,
) -> EffectiveUntil {
    effective(versions, newest_at(versions, now, travel), &mut Before::default(), now, terms)
}

/// The index of the newest version that counts at `now`.
fn newest_at(versions: &[Version], now: Moment, travel: TimeTravel) -> Option<usize> {
    let count = match travel {
        TimeTravel::InForce => count_until(versions, now),
        TimeTravel::Latest => versions.len(),
    };
    count.checked_sub(1)
}

/// The number of versions that were first captured at `now` or before. They come first, because versions are in the
/// order of these times, after those with unknown times.
fn count_until(versions: &[Version], now: Moment) -> usize {
    versions.partition_point(|version| version.first.is_none_or(|first| first <= now))
}

/// The policy in force at `now`, when `newest` is the index of the newest version.
fn effective(
    versions: &[Version],
    newest: Option<usize>,
    before: &mut Before,
    now: Moment,
    terms: Terms,
) -> EffectiveUntil {
    match newest {
        None if versions.is_empty() => (EffectivePolicy::SiteUnknown, None),
        None => (EffectivePolicy::BeforeFirst, None),
        Some(newest) if versions[newest].outcome.is_answer() => (EffectivePolicy::Version(newest), None),
        Some(newest) => standing_in(versions, newest, before, now, terms),
    }
}

/// The policy that applies while the robots.txt is unavailable.
fn standing_in(
    versions: &[Version],
    newest: usize,
    before: &mut Before,
    now: Moment,
    terms: Terms,
) -> EffectiveUntil {
    // A version at an unknown time counts as one of now.
    let situation = situation_at(versions, newest, before, now, now);
    let (effective, until) = applies(&situation, before, now, terms);
    // The last of several failures can be the one that has shown enough.
    let last = versions[newest].last.filter(|&last| last > now);
    (effective, until.into_iter().chain(last).min())
}

/// The policy that applied at `now`, between the first and the last failure of an outage, to crawlers whose attempt failed
/// then. None at other times.
///
/// Captures between the two are not kept (DIALECTS.md, F15), so it is not known whether such an attempt had failed.
fn if_failing_on(
    versions: &[Version],
    newest: Option<usize>,
    before: &mut Before,
    now: Moment,
    terms: Terms,
) -> Option<EffectiveUntil> {
    let newest = newest?;
    let Version { first, last, outcome } = versions[newest];
    if outcome.is_answer() || first.is_none_or(|first| now < first) || last.is_none_or(|last| last <= now) {
        return None;
    }
    let mut situation = situation_at(versions, newest, before, now, now);
    situation.attempt.at = now;
    Some(applies(&situation, before, now, terms))
}

fn applies(situation: &Situation, before: &Before, now: Moment, terms: Terms) -> EffectiveUntil {
    let standing = standing(situation, now, terms);
    let effective = match (standing.applies, before.last_good) {
        (Applies::Rules(RulesOf::LastGoodCopy), Some(good)) => EffectivePolicy::Version(good),
        (Applies::Restricted, _) => EffectivePolicy::Restricted,
        (Applies::Unrestricted, _) => EffectivePolicy::Unrestricted,
        (Applies::Deferred, _) => EffectivePolicy::Deferred,
        (Applies::Rules(_) | Applies::Unknown, _) => EffectivePolicy::Unknown,
    };
    (effective, standing.until)
}

/// What a crawler may have had to follow at `now`, besides [`effective_at`]: the policies in force during the
/// [`lifetime`] of a copy that ends at `now`, at its start and after each change, and during an outage also those for
/// crawlers whose attempts failed until then. All of them together read each version at most twice.
pub(super) fn in_grace(
    versions: &[Version],
    now: Moment,
    terms: Terms,
    travel: TimeTravel,
) -> impl Iterator<Item = EffectivePolicy> {
    let mut grace = Grace::new(versions, now, terms, travel);
    std::iter::from_fn(move || grace.next()).flatten().flatten()
}

/// The state of [`in_grace`].
struct Grace<'v> {
    versions: &'v [Version],
    next: Option<Moment>,
    now: Moment,
    terms: Terms,
    travel: TimeTravel,
    /// The number of versions that were first captured at the instant or before.
    count: usize,
    before: Before,
}

impl<'v> Grace<'v> {
    fn new(versions: &'v [Version], now: Moment, terms: Terms, travel: TimeTravel) -> Self {
        let start = Moment::from_seconds(now.seconds().saturating_sub(lifetime(terms)));
        let count = count_until(versions, start);
        Grace { versions, next: Some(start), now, terms, travel, count, before: Before::default() }
    }

    /// The policy of the next instant, and that for crawlers whose attempt failed then.
    fn next(&mut self) -> Option<[Option<EffectivePolicy>; 2]> {
        let instant = self.next.take()?;
        let is_until = |version: &Version| version.first.is_none_or(|first| first <= instant);
        while self.versions.get(self.count).is_some_and(is_until) {
            self.count += 1;
        }
        let newest = match self.travel {
            TimeTravel::InForce => self.count.checked_sub(1),
            TimeTravel::Latest => self.versions.len().checked_sub(1),
        };
        let (effective, until) = effective(self.versions, newest, &mut self.before, instant, self.terms);
        let failing = if_failing_on(self.versions, newest, &mut self.before, instant, self.terms);
        if instant < self.now {
            let captured = self.versions.get(self.count).and_then(|version| version.first);
            let ends = [captured, until, failing.and_then(|(_, until)| until), Some(self.now)];
            self.next = ends.into_iter().flatten().min();
        }
        let failing = failing.map(|(policy, _)| policy).filter(|&policy| policy != effective);
        Some([Some(effective).filter(|_| instant < self.now), failing])
    }
}

/// The evidence that a version was in force at a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The captures before and after have the same version.
    Bracketed,
    /// The last capture of the version is this many days old, rounded down.
    Days(u32),
    /// The first capture of the version is later than the request.
    Before,
    /// The captures have no time.
    Undated,
}

/// The evidence at `now` for a policy: that of its version or, if there is none, of the failure that restricts access.
pub(super) fn evidence_of(
    versions: &[Version],
    effective: EffectivePolicy,
    now: Moment,
    travel: TimeTravel,
) -> Evidence {
    let number = match effective {
        EffectivePolicy::Version(number) => Some(number),
        _ => newest_at(versions, now, travel),
    };
    number.and_then(|number| versions.get(number)).map_or(Evidence::Undated, |version| evidence(version, now))
}

fn evidence(version: &Version, now: Moment) -> Evidence {
    let (Some(first), Some(last)) = (version.first, version.last) else { return Evidence::Undated };
    if first <= now && now <= last {
        return Evidence::Bracketed;
    }
    if now < first {
        return Evidence::Before;
    }
    let days = now.seconds().abs_diff(last.seconds()) / DAY.unsigned_abs();
    Evidence::Days(u32::try_from(days).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use robomata_engine::FetchOutcome;

    use super::*;

    /// The day from which the tests count. Before 1994 there are no fetches (F2).
    const START: i64 = 14_000;

    fn version(first: i64, last: i64, outcome: FetchOutcome) -> Version {
        let moment = |days: i64| Some(Moment::from_seconds((START + days) * DAY));
        Version { first: moment(first), last: moment(last), outcome }
    }

    fn at(versions: &[Version], day: i64) -> EffectivePolicy {
        effective_at(versions, Moment::from_seconds((START + day) * DAY), Terms::Rfc9309, TimeTravel::InForce)
            .0
    }

    #[test]
    fn the_newest_version_before_is_in_force() {
        let versions = [version(10, 20, FetchOutcome::Success), version(30, 40, FetchOutcome::Unavailable)];
        assert_eq!(at(&versions, 9), EffectivePolicy::BeforeFirst);
        assert_eq!([10, 25, 29].map(|day| at(&versions, day)), [EffectivePolicy::Version(0); 3]);
        assert_eq!([30, 99].map(|day| at(&versions, day)), [EffectivePolicy::Version(1); 2]);
        assert_eq!(at(&[], 1), EffectivePolicy::SiteUnknown);
        let latest = effective_at(&versions, Moment::from_seconds(0), Terms::Rfc9309, TimeTravel::Latest);
        assert_eq!(latest.0, EffectivePolicy::Version(1));
    }

    #[test]
    fn a_failure_leaves_the_last_good_copy_in_force() {
        let versions = [version(10, 20, FetchOutcome::Success), version(30, 40, FetchOutcome::Unreachable)];
        assert_eq!([30, 35, 200].map(|day| at(&versions, day)), [EffectivePolicy::Version(0); 3]);
        // Without a copy, 30 days that captures have shown end the restriction.
        let alone = [version(30, 61, FetchOutcome::Unreachable)];
        assert_eq!(
            (at(&alone, 31), at(&alone, 70)),
            (EffectivePolicy::Restricted, EffectivePolicy::Unrestricted)
        );
        assert_eq!(at(&[version(30, 40, FetchOutcome::Unreachable)], 400), EffectivePolicy::Restricted);
        let deferred = [version(30, 40, FetchOutcome::Deferred)];
        let koster = effective_at(
            &deferred,
            Moment::from_seconds((START + 31) * DAY),
            Terms::Koster1996,
            TimeTravel::InForce,
        );
        assert_eq!(koster.0, EffectivePolicy::Deferred);
    }

    /// DIALECTS.md, F15: "Before such an attempt the earlier state applies". Of failures in a row, only the first and the
    /// last one are known.
    #[test]
    fn a_later_failure_shows_nothing_before_it() {
        let restricted = EffectivePolicy::Restricted;
        let unreachable = |first, last| [version(first, last, FetchOutcome::Unreachable)];
        assert_eq!(at(&unreachable(0, 0), 40), restricted);
        assert_eq!([0, 30, 40, 49].map(|day| at(&unreachable(0, 50), day)), [restricted; 4]);
        assert_eq!(at(&unreachable(0, 50), 50), EffectivePolicy::Unrestricted);
        // What the last failure ends counts within the day after.
        let versions = [unreachable(0, 50), [version(51, 51, FetchOutcome::Success)]].concat();
        let now = Moment::from_seconds((START + 51) * DAY);
        let forces: Vec<EffectivePolicy> =
            in_grace(&versions, now, Terms::Rfc9309, TimeTravel::InForce).collect();
        assert_eq!(forces, [EffectivePolicy::Unrestricted]);
        let now = Moment::from_seconds((START + 50) * DAY + DAY / 2);
        let forces: Vec<EffectivePolicy> =
            in_grace(&versions, now, Terms::Rfc9309, TimeTravel::InForce).collect();
        assert_eq!(forces, [restricted, EffectivePolicy::Unrestricted, EffectivePolicy::Unrestricted]);
    }

    /// Whether somebody's attempts failed between two failures is not known, so it is no reason to accuse.
    #[test]
    fn within_an_outage_attempts_may_have_failed_until_then() {
        let (restricted, unrestricted) = (EffectivePolicy::Restricted, EffectivePolicy::Unrestricted);
        let of = |versions: &[Version], day: i64, terms| {
            let now = Moment::from_seconds((START + day) * DAY);
            in_grace(versions, now, terms, TimeTravel::InForce).collect::<Vec<_>>()
        };
        let outage = [version(0, 50, FetchOutcome::Unreachable)];
        assert_eq!(of(&outage, 29, Terms::Rfc9309), [restricted]);
        // The 30 days end at the instant itself, and then within the day before.
        assert_eq!(of(&outage, 30, Terms::Rfc9309), [restricted, unrestricted]);
        assert_eq!(of(&outage, 32, Terms::Rfc9309), [restricted, unrestricted, unrestricted]);
        // After the last failure, it alone counts.
        assert_eq!(of(&outage[..], 51, Terms::Rfc9309), [unrestricted]);
        assert_eq!(of(&[version(0, 20, FetchOutcome::Unreachable)], 40, Terms::Rfc9309), [restricted]);
        // For Google, the copy applies after 12 hours.
        let copied = [version(0, 1, FetchOutcome::Success), version(2, 20, FetchOutcome::Unreachable)];
        let copy = EffectivePolicy::Version(0);
        assert_eq!(of(&copied, 2, Terms::Google), [copy]);
        assert_eq!(of(&copied, 3, Terms::Google), [restricted, restricted, copy, copy]);
    }

    /// RFC 9309, section 2.3.1.4: without a cached copy, everything is disallowed.
    #[test]
    fn rules_that_were_withdrawn_do_not_return_with_a_failure() {
        for gone in [FetchOutcome::Unavailable, FetchOutcome::Restricted] {
            let versions = [
                version(10, 10, FetchOutcome::Success),
                version(11, 11, FetchOutcome::Unreachable),
                version(12, 12, gone),
                version(13, 14, FetchOutcome::Unreachable),
                version(20, 20, FetchOutcome::Success),
                version(21, 21, FetchOutcome::Unreachable),
            ];
            assert_eq!([11, 12].map(|day| at(&versions, day)), [0, 2].map(EffectivePolicy::Version));
            assert_eq!([13, 14, 19].map(|day| at(&versions, day)), [EffectivePolicy::Restricted; 3]);
            assert_eq!(at(&versions, 22), EffectivePolicy::Version(4));
        }
    }

    #[test]
    fn a_redirect_that_nobody_followed_leaves_a_fresh_copy_in_force() {
        let versions = [version(10, 10, FetchOutcome::Success), version(10, 11, FetchOutcome::Redirected)];
        let at = |hours: i64| {
            let now = Moment::from_seconds((START + 10) * DAY + hours * 3600);
            effective_at(&versions, now, Terms::Rfc9309, TimeTravel::InForce).0
        };
        assert_eq!([at(0), at(23)], [EffectivePolicy::Version(0); 2]);
        assert_eq!(at(24), EffectivePolicy::Unknown);
    }

    #[test]
    fn what_ends_without_a_capture_counts_within_the_day() {
        // On Google's terms everything is disallowed until captures have shown twelve hours of failures. Then it is
        // allowed until the next capture, because there is no copy.
        let half = DAY / 2;
        let moment = |halves: i64| Some(Moment::from_seconds((START + 10) * DAY + halves * half / 2));
        let unreachable = Version { first: moment(0), last: moment(2), outcome: FetchOutcome::Unreachable };
        let closed = Version { first: moment(3), last: moment(3), outcome: FetchOutcome::Success };
        let now = moment(3).unwrap();
        let versions = [unreachable, closed];
        let forces: Vec<EffectivePolicy> =
            in_grace(&versions, now, Terms::Google, TimeTravel::InForce).collect();
        assert_eq!(
            forces,
            [EffectivePolicy::BeforeFirst, EffectivePolicy::Restricted, EffectivePolicy::Unrestricted]
        );
    }

    /// "If no cache-control directives are present robots should default to an expiry of 7 days." (Koster, 1996, 3.4)
    #[test]
    fn koster_lets_a_copy_be_used_for_seven_days() {
        let versions = [version(10, 20, FetchOutcome::Success), version(30, 40, FetchOutcome::Success)];
        let oldest = |terms, day: i64| {
            in_grace(&versions, Moment::from_seconds((START + day) * DAY), terms, TimeTravel::InForce).next()
        };
        assert_eq!(
            [31, 36].map(|day| oldest(Terms::Koster1996, day)),
            [Some(EffectivePolicy::Version(0)); 2]
        );
        assert_eq!(oldest(Terms::Koster1996, 37), Some(EffectivePolicy::Version(1)));
        for terms in [Terms::Rfc9309, Terms::Google] {
            assert_eq!(oldest(terms, 31), Some(EffectivePolicy::Version(1)));
        }
    }

    #[test]
    fn evidence_is_as_old_as_the_last_capture() {
        let held = version(10, 20, FetchOutcome::Success);
        let of = |day| evidence(&held, Moment::from_seconds((START + day) * DAY));
        assert_eq!([of(15), of(20), of(27)], [Evidence::Bracketed, Evidence::Bracketed, Evidence::Days(7)]);
        assert_eq!(of(8), Evidence::Before);
    }

    #[test]
    fn a_failure_is_the_evidence_of_its_restriction() {
        let versions = [version(10, 12, FetchOutcome::Unreachable)];
        let of = |day: i64| {
            let now = Moment::from_seconds((START + day) * DAY);
            evidence_of(&versions, at(&versions, day), now, TimeTravel::InForce)
        };
        assert_eq!([of(11), of(20)], [Evidence::Bracketed, Evidence::Days(8)]);
    }

    /// A site can change its robots.txt every few seconds, and requests are judged by all versions of a day.
    #[test]
    fn the_versions_of_a_day_are_read_once() {
        let outcomes = [
            FetchOutcome::Unreachable,
            FetchOutcome::Redirected,
            FetchOutcome::Deferred,
            FetchOutcome::Success,
        ];
        // Without and with versions that have rules.
        for kinds in [3, 4] {
            let versions: Vec<Version> = (0..1000)
                .zip(outcomes[..kinds].iter().cycle())
                .map(|(second, &outcome)| {
                    let moment = Some(Moment::from_seconds((START + 10) * DAY + second));
                    Version { first: moment, last: moment, outcome }
                })
                .collect();
            let now = Moment::from_seconds((START + 10) * DAY + 1000);
            let mut grace = Grace::new(&versions, now, Terms::Rfc9309, TimeTravel::InForce);
            let found: Vec<EffectivePolicy> =
                std::iter::from_fn(|| grace.next()).filter_map(|[effective, _]| effective).collect();
            let day = START + 10;
            let instants =
                std::iter::once((day - 1) * DAY + 1000).chain((0..1000).map(|second| day * DAY + second));
            let expected: Vec<EffectivePolicy> = instants
                .map(Moment::from_seconds)
                .map(|instant| effective_at(&versions, instant, Terms::Rfc9309, TimeTravel::InForce).0)
                .collect();
            assert_eq!(found, expected);
            assert!(grace.before.read <= versions.len(), "{}", grace.before.read);
        }
    }

    #[test]
    fn versions_at_unknown_times_come_first() {
        let undated = Version { first: None, last: None, outcome: FetchOutcome::Success };
        let versions = [undated, version(10, 20, FetchOutcome::Success)];
        assert_eq!([9, 10].map(|day| at(&versions, day)), [0, 1].map(EffectivePolicy::Version));
    }
}
