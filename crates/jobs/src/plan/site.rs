//! Decides when the robots.txt of one site has to be fetched again, and what holds while it cannot be fetched.

use robomata_engine::lifecycle::{
    Applies, Attempt, Ground, LifeCycleRules, Situation, Standing, Terms, Unreachable, standing,
};
use robomata_engine::{Moment, SiteEntry, Version};

use super::rates::{ChangeRates, Polls};
use crate::situation::{Before, situation_at};

/// The shortest and the longest time between two attempts while a robots.txt cannot be fetched, in seconds.
const RETRY_MIN: i64 = 3_600;
const RETRY_MAX: i64 = 86_400;

/// The time of a copy of an unknown age: it is too old.
const UNDATED: Moment = Moment::from_seconds(0);

/// What a plan takes into account. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRules {
    /// The instant of the plan.
    pub now: Moment,
    /// The time that the plan covers.
    pub within: i64,
    /// How long before the end of its lifetime a copy may be fetched again.
    pub lead: i64,
    /// The probability of a change from which on a copy is fetched again although its lifetime is not over.
    pub likely: f64,
    /// The specification that decides about lifetimes and failures.
    pub terms: Terms,
    /// Which rules the crawler follows during an outage.
    pub unreachable: Unreachable,
}

impl PlanRules {
    /// A plan for the day after `now`.
    pub fn new(now: Moment, terms: Terms) -> Self {
        PlanRules {
            now,
            within: 86_400,
            lead: 6 * 3_600,
            likely: 0.5,
            terms,
            unreachable: Unreachable::default(),
        }
    }

    /// How long a copy may be used, in seconds.
    pub fn lifetime(&self) -> i64 {
        LifeCycleRules::of(self.terms).default_lifetime
    }

    fn end(&self) -> Moment {
        later(self.now, self.within)
    }
}

/// What is known at an instant of one site's robots.txt.
#[derive(Clone, Debug, Default)]
pub struct SiteHistory {
    /// Oldest first. None is later than the instant.
    versions: Vec<Version>,
    polls: Polls,
    /// When it was last seen what the site says.
    seen: Option<Moment>,
    /// Does the bundle know captures after the instant?
    has_later: bool,
}

impl SiteHistory {
    /// What is known at `now`, from versions in the order of time, of which those after `now` do not count.
    /// `says_same` returns whether two of them have the same rules.
    pub fn new(versions: Vec<Version>, says_same: impl Fn(usize, usize) -> bool, now: Moment) -> Self {
        let mut history = SiteHistory { versions, ..SiteHistory::default() };
        history.forget_after(now);
        history.poll(says_same);
        history
    }

    /// What a bundle knows of a site at `now`.
    pub fn of_entry(entry: &SiteEntry<'_>, now: Moment) -> Self {
        SiteHistory::new(entry.versions(), |one, other| entry.says_same(one, other), now)
    }

    fn forget_after(&mut self, now: Moment) {
        let is_later = |version: &Version| version.first.is_some_and(|first| first > now);
        if let Some(later) = self.versions.iter().position(is_later) {
            self.versions.truncate(later);
            self.has_later = true;
        }
        if let Some(Version { first: Some(first), last: last @ Some(_), .. }) = self.versions.last_mut()
            && *last > Some(now)
        {
            // Captures between the first and the last one are not known.
            *last = Some(*first);
            self.has_later = true;
        }
    }

    fn poll(&mut self, says_same: impl Fn(usize, usize) -> bool) {
        let mut before: Option<(usize, Moment)> = None;
        for (number, version) in self.versions.iter().enumerate() {
            let (Some(first), Some(last)) = (version.first, version.last) else { continue };
            if !version.outcome.is_answer() {
                continue;
            }
            if let Some((known, at)) = before {
                self.polls.add(seconds_between(at, first), !says_same(known, number));
            }
            self.polls.unchanged += seconds_between(first, last);
            before = Some((number, last));
        }
        self.seen = before.map(|(_, last)| last);
    }

    /// What polling has shown of its changes.
    pub fn polls(&self) -> &Polls {
        &self.polls
    }

    pub(super) fn into_polls(self) -> Polls {
        self.polls
    }

    /// Whether there are captures after the instant, which were ignored.
    pub fn has_later(&self) -> bool {
        self.has_later
    }

    /// When the robots.txt was last fetched, with whatever result, if that is known.
    pub fn fetched(&self) -> Option<Moment> {
        self.versions.last()?.last
    }

    /// The situation at `now`; `None` if nothing was ever fetched.
    fn situation(&self, rules: &PlanRules) -> Option<Situation> {
        let newest = self.versions.len().checked_sub(1)?;
        let situation = situation_at(&self.versions, newest, &mut Before::default(), rules.now, UNDATED);
        Some(Situation { unreachable: rules.unreachable, ..situation })
    }
}

/// Why a robots.txt is fetched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FetchReason {
    /// No capture of it is known.
    NeverSeen,
    /// Its lifetime is over, or its age is not known: no URL may be judged by it.
    Expired,
    /// Its lifetime will be over.
    Expires,
    /// Its lifetime will not be over, but it has probably changed.
    LikelyChanged,
    /// The last attempt failed.
    Failing,
    /// The last attempt ended in a redirect that was not followed.
    Inconclusive,
}

impl FetchReason {
    /// All reasons.
    pub const ALL: [FetchReason; 6] = [
        FetchReason::NeverSeen,
        FetchReason::Expired,
        FetchReason::Expires,
        FetchReason::LikelyChanged,
        FetchReason::Failing,
        FetchReason::Inconclusive,
    ];

    /// `never-seen`, `expired`, `expires`, `likely-changed`, `failing` or `inconclusive`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FetchReason::NeverSeen => "never-seen",
            FetchReason::Expired => "expired",
            FetchReason::Expires => "expires",
            FetchReason::LikelyChanged => "likely-changed",
            FetchReason::Failing => "failing",
            FetchReason::Inconclusive => "inconclusive",
        }
    }
}

/// A fetch of a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFetch {
    /// Why.
    pub reason: FetchReason,
    /// An earlier fetch would be in vain.
    pub not_before: Moment,
    /// When a copy expires, and no URL may be judged by it any more. While attempts fail, when something else applies.
    /// `None` if nothing ends.
    pub not_after: Option<Moment>,
}

/// What holds while a robots.txt cannot be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// What applies.
    pub applies: Applies,
    /// Until when, if attempts go on to fail; `None` if that has no end. The instant of the plan if only the next failed
    /// attempt is missing.
    pub until: Option<Moment>,
    /// What applies after that.
    pub then: Option<Applies>,
    /// When the first of the failed attempts ended.
    pub since: Option<Moment>,
    /// When the last good copy was fetched, if there is one.
    pub good_copy: Option<Moment>,
}

/// The decision about one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SitePlan {
    /// `None` if nothing is due within the time of the plan.
    pub fetch: Option<PlannedFetch>,
    /// `None` if the last attempt succeeded.
    pub hold: Option<Hold>,
    /// The probability that a fetch at the instant of the plan finds other rules than the last known ones. If none are
    /// known, that it finds any: 1 unless fetches fail.
    pub change: f64,
}

impl SitePlan {
    /// The plan for a site of which nothing is known.
    pub fn never_seen(rules: &PlanRules) -> Self {
        SitePlan { fetch: Some(due_now(FetchReason::NeverSeen, rules)), hold: None, change: 1.0 }
    }

    /// The plan for the site of `history`. `rates` are those of the site: see [`ChangeRates::of_site`].
    pub fn new(history: &SiteHistory, rates: &ChangeRates, rules: &PlanRules) -> Self {
        let Some(situation) = history.situation(rules) else { return SitePlan::never_seen(rules) };
        let standing = standing(&situation, rules.now, rules.terms);
        let seen = history.seen;
        let change_at = |at: Moment| seen.map_or(1.0, |seen| rates.change_within(seconds_between(seen, at)));
        let change = change_at(rules.now);
        let reason = match standing.why.ground {
            Ground::Fresh => {
                let fetch = fresh(standing.refetch, situation.attempt.at, change_at, rules);
                return SitePlan { fetch, hold: None, change };
            }
            Ground::Due | Ground::Expired => {
                let fetch = due_now(FetchReason::Expired, rules);
                return SitePlan { fetch: Some(fetch), hold: None, change };
            }
            _ if standing.why.since.is_some() => FetchReason::Failing,
            _ => FetchReason::Inconclusive,
        };
        let hold = hold(&situation, &standing, rules);
        let first = history.versions.last().and_then(|version| version.first);
        // An attempt at an unknown time is followed by one at once.
        let (attempted, since) = (history.fetched().unwrap_or(UNDATED), standing.why.since.or(first));
        let since = since.unwrap_or(attempted);
        let fetch = retry(reason, attempted, since, hold.until, rules);
        SitePlan { fetch, hold: Some(hold), change: change * recovery(since, attempted, rules.now) }
    }
}

/// A fetch that is due at the instant of the plan.
fn due_now(reason: FetchReason, rules: &PlanRules) -> PlannedFetch {
    PlannedFetch { reason, not_before: rules.now, not_after: Some(rules.now) }
}

/// The next fetch of a robots.txt that was fetched at `fetched` and is fresh until `expires`.
fn fresh(
    expires: Moment,
    fetched: Moment,
    change_at: impl Fn(Moment) -> f64,
    rules: &PlanRules,
) -> Option<PlannedFetch> {
    let (now, end) = (rules.now, rules.end());
    let earliest = later(expires, -rules.lead.max(0)).max(fetched);
    // The change becomes likely before the copy would be fetched anyway.
    let last = earliest.min(end);
    if last > now && change_at(last) >= rules.likely {
        let (mut before, mut after) = (now.seconds() - 1, last.seconds());
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if change_at(Moment::from_seconds(middle)) >= rules.likely {
                after = middle;
            } else {
                before = middle;
            }
        }
        let not_before = Moment::from_seconds(after);
        return Some(PlannedFetch {
            reason: FetchReason::LikelyChanged,
            not_before,
            not_after: Some(expires),
        });
    }
    let not_before = earliest.max(now);
    (expires <= end).then_some(PlannedFetch {
        reason: FetchReason::Expires,
        not_before,
        not_after: Some(expires),
    })
}

/// The next attempt after one at `attempted` that failed, in a row of failures since `since`. The time between attempts
/// grows with the length of the outage, up to a day. What holds meanwhile ends at `until`.
fn retry(
    reason: FetchReason,
    attempted: Moment,
    since: Moment,
    until: Option<Moment>,
    rules: &PlanRules,
) -> Option<PlannedFetch> {
    let outage = attempted.seconds().saturating_sub(since.seconds());
    let next = later(attempted, outage.clamp(RETRY_MIN, RETRY_MAX));
    // An attempt at the latest when something else would apply.
    let not_before = until.map_or(next, |until| until.min(next)).max(rules.now);
    (not_before <= rules.end()).then_some(PlannedFetch { reason, not_before, not_after: until })
}

/// The probability that an outage, seen from `since` to `attempted`, is over at `now`. The time that an outage has lasted is
/// all that is known of how long it will last, so it ends within as much time again with a probability of one half.
fn recovery(since: Moment, attempted: Moment, now: Moment) -> f64 {
    let [before, after] = [seconds_between(since, attempted), seconds_between(attempted, now)];
    if before == 0 { 1.0 } else { after as f64 / (before as f64 + after as f64) }
}

fn hold(situation: &Situation, now: &Standing, rules: &PlanRules) -> Hold {
    // What applies if the next attempt, at that instant, fails too.
    let until = now.until.unwrap_or(rules.now);
    let attempt = Attempt { at: until, ..situation.attempt.clone() };
    let failing_since = now.why.since.or(situation.failing_since);
    let next = standing(&Situation { attempt, failing_since, ..situation.clone() }, until, rules.terms);
    let ends = now.until.is_some() || next.applies != now.applies;
    Hold {
        applies: now.applies,
        until: ends.then_some(until),
        then: ends.then_some(next.applies),
        since: situation.failing_since.and(now.why.since),
        good_copy: situation.good_copy.as_ref().map(|copy| copy.at).filter(|at| at.seconds() > 0),
    }
}

fn later(moment: Moment, seconds: i64) -> Moment {
    Moment::from_seconds(moment.seconds().saturating_add(seconds))
}

fn seconds_between(from: Moment, to: Moment) -> u64 {
    u64::try_from(to.seconds().saturating_sub(from.seconds())).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use robomata_engine::lifecycle::{GoodCopy, RulesOf};
    use robomata_engine::{FetchOutcome, FetchStatus};

    const HOUR: i64 = 3_600;
    const DAY: i64 = 24 * HOUR;
    const NOW: i64 = 20_000 * DAY;

    fn at(seconds: i64) -> Moment {
        Moment::from_seconds(seconds)
    }

    /// A version from `first` to `last` hours before the instant of the plan.
    fn version(first: i64, last: i64, outcome: FetchOutcome) -> Version {
        Version { first: Some(at(NOW - first * HOUR)), last: Some(at(NOW - last * HOUR)), outcome }
    }

    fn plan(versions: &[Version], rules: &PlanRules) -> SitePlan {
        let history = SiteHistory::new(versions.to_vec(), |_, _| false, rules.now);
        SitePlan::new(&history, &ChangeRates::default(), rules)
    }

    /// The reason for a fetch, and its times in hours from the instant of the plan.
    type Due = Option<(&'static str, i64, Option<i64>)>;

    fn fetch(versions: &[Version], rules: &PlanRules) -> Due {
        let fetch = plan(versions, rules).fetch?;
        let hours = |moment: Moment| (moment.seconds() - NOW) / HOUR;
        Some((fetch.reason.as_str(), hours(fetch.not_before), fetch.not_after.map(hours)))
    }

    /// A plan in which no change is likely.
    fn rules(terms: Terms) -> PlanRules {
        PlanRules { likely: 1.0, ..PlanRules::new(at(NOW), terms) }
    }

    #[test]
    fn every_reason_has_its_time() {
        use FetchOutcome::{Deferred, Redirected, Restricted, Success, Unavailable, Unreachable};
        let rfc = &rules(Terms::Rfc9309);
        let undated = Version { first: None, last: None, outcome: Success };
        let cases: [(&[Version], Due); 17] = [
            (&[], Some(("never-seen", 0, Some(0)))),
            // A capture after the instant of the plan is not known yet.
            (&[version(-1, -1, Success)], Some(("never-seen", 0, Some(0)))),
            (&[undated], Some(("expired", 0, Some(0)))),
            (&[version(24, 24, Success)], Some(("expired", 0, Some(0)))),
            (&[version(500, 23, Success)], Some(("expires", 0, Some(1)))),
            (&[version(10, 10, Success)], Some(("expires", 8, Some(14)))),
            (&[version(0, 0, Success)], Some(("expires", 18, Some(24)))),
            (&[version(10, 10, Unavailable)], Some(("expires", 8, Some(14)))),
            (&[version(10, 10, Restricted)], Some(("expires", 8, Some(14)))),
            // Of a version that ends after the plan, only its first capture is known.
            (&[version(30, -5, Success)], Some(("expired", 0, Some(0)))),
            // An outage: attempts in intervals of its length, from an hour to a day.
            (&[version(5, 5, Unreachable)], Some(("failing", 0, Some(30 * 24 - 5)))),
            (&[version(4, 0, Unreachable)], Some(("failing", 4, Some(30 * 24 - 4)))),
            (&[version(400, 0, Unreachable)], Some(("failing", 24, Some(30 * 24 - 400)))),
            // After 30 days, nothing changes any more.
            (&[version(40 * 24, 2, Unreachable)], Some(("failing", 22, None))),
            // A copy outlives its lifetime during an outage, and is used up to the end of it before.
            (&[version(90, 48, Success), version(3, 1, Unreachable)], Some(("failing", 1, None))),
            (&[version(90, 10, Success), version(3, 1, Unreachable)], Some(("failing", 1, Some(14)))),
            (&[version(3, 1, Redirected)], Some(("inconclusive", 1, None))),
        ];
        for (versions, expected) in cases {
            assert_eq!(fetch(versions, rfc), expected, "{versions:?}");
        }
        let soon = &PlanRules { within: HOUR, ..rfc.clone() };
        assert_eq!(fetch(&[version(22, 22, Success)], soon), None);
        assert_eq!(fetch(&[version(23, 23, Success)], soon), Some(("expires", 0, Some(1))));
        assert_eq!(fetch(&[version(4, 0, Unreachable)], soon), None);
        let koster = &rules(Terms::Koster1996);
        assert_eq!(fetch(&[version(10, 10, Success)], koster), None);
        assert_eq!(fetch(&[version(6 * 24, 6 * 24, Success)], koster), Some(("expires", 18, Some(24))));
        assert_eq!(fetch(&[version(4, 2, Deferred)], koster), Some(("failing", 0, None)));
        // On Google's terms, other rules apply after twelve hours of failures: an attempt is made then.
        let google = &rules(Terms::Google);
        assert_eq!(fetch(&[version(8, 0, Unreachable)], google), Some(("failing", 4, Some(4))));
    }

    #[test]
    fn a_probable_change_is_fetched_early() {
        // Six changes within four days.
        let versions: Vec<Version> =
            (0..7).rev().map(|step| version(2 + 16 * step, 2 + 16 * step, FetchOutcome::Success)).collect();
        let history = SiteHistory::new(versions.clone(), |_, _| false, at(NOW));
        let polls = Polls { unchanged: 0, across_changes: vec![16 * HOUR.unsigned_abs(); 6] };
        assert_eq!(*history.polls(), polls);
        let rates = ChangeRates::default().of_site(&polls);
        let rules = PlanRules::new(at(NOW), Terms::Rfc9309);
        let plan = SitePlan::new(&history, &rates, &rules);
        let fetch = plan.fetch.unwrap();
        assert_eq!((fetch.reason, fetch.not_after), (FetchReason::LikelyChanged, Some(at(NOW + 22 * HOUR))));
        let change_at = |moment| rates.change_within(seconds_between(at(NOW - 2 * HOUR), moment));
        assert_eq!(plan.change, change_at(at(NOW)));
        assert!(change_at(fetch.not_before) >= 0.5, "{fetch:?}");
        let is_first = fetch.not_before == at(NOW) || change_at(later(fetch.not_before, -1)) < 0.5;
        assert!(is_first, "{fetch:?}");
        // The same captures with the same rules show that nothing changes.
        let same = SiteHistory::new(versions.clone(), |_, _| true, at(NOW));
        assert_eq!(*same.polls(), Polls { unchanged: 96 * HOUR.unsigned_abs(), across_changes: vec![] });
        let rates = ChangeRates::default().of_site(same.polls());
        let fetch = SitePlan::new(&same, &rates, &rules).fetch.unwrap();
        assert_eq!((fetch.reason, fetch.not_before), (FetchReason::Expires, at(NOW + 16 * HOUR)));
    }

    #[test]
    fn failures_between_fetches_show_nothing() {
        let versions = [
            version(90, 80, FetchOutcome::Success),
            version(70, 60, FetchOutcome::Unreachable),
            version(50, 40, FetchOutcome::Success),
            version(30, 30, FetchOutcome::Unavailable),
            version(20, 20, FetchOutcome::Redirected),
        ];
        let says_same = |one, other| (one, other) == (0, 2);
        let history = SiteHistory::new(versions.to_vec(), says_same, at(NOW));
        let hours = |hours: u64| hours * HOUR.unsigned_abs();
        assert_eq!(*history.polls(), Polls { unchanged: hours(50), across_changes: vec![hours(10)] });
        assert_eq!(history.seen, Some(at(NOW - 30 * HOUR)));
        assert_eq!(history.fetched(), Some(at(NOW - 20 * HOUR)));
    }

    #[test]
    fn a_long_outage_is_less_likely_to_end_soon() {
        let rules = rules(Terms::Rfc9309);
        let change = |first, last| plan(&[version(first, last, FetchOutcome::Unreachable)], &rules).change;
        assert_eq!(
            [change(0, 0), change(5, 5), change(3, 0), change(4, 2), change(400, 100)],
            [1.0, 1.0, 0.0, 0.5, 0.25]
        );
    }

    #[test]
    fn a_hold_says_what_follows() {
        let kept = Applies::Rules(RulesOf::LastGoodCopy);
        let hold = |versions: &[Version], rules: &PlanRules| plan(versions, rules).hold;
        let outage = version(10, 1, FetchOutcome::Unreachable);
        let rfc = rules(Terms::Rfc9309);
        let alone = Hold {
            applies: Applies::Restricted,
            until: Some(at(NOW - 10 * HOUR + 30 * DAY)),
            then: Some(Applies::Unrestricted),
            since: Some(at(NOW - 10 * HOUR)),
            good_copy: None,
        };
        assert_eq!(hold(&[outage], &rfc), Some(alone));
        let copy = version(90, 48, FetchOutcome::Success);
        let good_copy = Some(at(NOW - 48 * HOUR));
        let endless = Hold { applies: kept, until: None, then: None, good_copy, ..alone };
        assert_eq!(hold(&[copy, outage], &rfc), Some(endless));
        let strict = PlanRules { unreachable: Unreachable::Disallow, ..rfc.clone() };
        let then_kept = Hold { then: Some(kept), good_copy, ..alone };
        assert_eq!(hold(&[copy, outage], &strict), Some(then_kept));
        let google = Hold { until: Some(at(NOW + 2 * HOUR)), then: Some(kept), good_copy, ..alone };
        assert_eq!(hold(&[copy, outage], &rules(Terms::Google)), Some(google));
        // One attempt shows no outage of 30 days: the next one does, if it fails.
        let once = version(52 * 24, 52 * 24, FetchOutcome::Unreachable);
        let overdue = Hold { until: Some(at(NOW)), since: Some(at(NOW - 52 * DAY)), ..alone };
        assert_eq!(hold(&[once], &rfc), Some(overdue));
        let fetch = plan(&[once], &rfc).fetch.unwrap();
        assert_eq!((fetch.not_before, fetch.not_after), (at(NOW), Some(at(NOW))));
        let unknown =
            Hold { applies: Applies::Unknown, until: None, then: None, since: None, good_copy: None };
        assert_eq!(hold(&[version(3, 1, FetchOutcome::Redirected)], &rfc), Some(unknown));
        assert_eq!(hold(&[copy], &rfc), None);
        // A copy of an unknown age is too old, but it is a copy.
        let undated = Version { first: None, last: None, outcome: FetchOutcome::Success };
        assert_eq!(hold(&[undated, outage], &rfc), Some(Hold { good_copy: None, ..endless }));
        // A failure at an unknown time shows no outage. With one at a known time, that is its start.
        let failure = Version { first: None, last: None, outcome: FetchOutcome::Unreachable };
        let restricted = Hold {
            applies: Applies::Restricted,
            until: Some(at(NOW + 30 * DAY)),
            then: Some(Applies::Unrestricted),
            since: None,
            good_copy: None,
        };
        assert_eq!(hold(&[failure], &rfc), Some(restricted));
        assert_eq!(plan(&[failure], &rfc).fetch.unwrap().not_before, at(NOW));
        let since = Some(at(NOW - 40 * DAY));
        let over = Hold { applies: Applies::Unrestricted, until: None, then: None, since, good_copy: None };
        assert_eq!(hold(&[failure, version(40 * 24, 2, FetchOutcome::Unreachable)], &rfc), Some(over));
    }

    /// A fetch: its time, its outcome, and which rules it found.
    type Fetched = (i64, FetchOutcome, i64);

    /// The versions of a bundle: neighbors with the same outcome and rules are one.
    fn versions_of(fetched: &[Fetched]) -> (Vec<Version>, Vec<i64>) {
        let (mut versions, mut contents): (Vec<Version>, Vec<i64>) = Default::default();
        for &(time, outcome, content) in fetched {
            let content = if outcome.is_answer() { content } else { -1 };
            match versions.last_mut().zip(contents.last()) {
                Some((version, &last)) if (version.outcome, last) == (outcome, content) => {
                    version.last = Some(at(time));
                }
                _ => {
                    versions.push(Version { first: Some(at(time)), last: Some(at(time)), outcome });
                    contents.push(content);
                }
            }
        }
        (versions, contents)
    }

    /// The ground of what applies at `now` after these fetches, without the help of a bundle.
    fn ground_at(fetched: &[Fetched], now: i64, rules: &PlanRules) -> Ground {
        let &(time, outcome, _) = fetched.last().unwrap();
        let end = match outcome {
            FetchOutcome::Success => FetchStatus::Success,
            FetchOutcome::Unavailable => FetchStatus::Code(404),
            _ => FetchStatus::NetworkFailure,
        };
        let attempt = Attempt { url: Vec::new(), hops: Vec::new(), end, headers: Vec::new(), at: at(time) };
        let is_failure = |fetched: &&Fetched| fetched.1 == FetchOutcome::Unreachable;
        let since = fetched.iter().rev().take_while(is_failure).last();
        let held = fetched.iter().rev().find(|fetched| fetched.1 != FetchOutcome::Unreachable);
        let good = held.filter(|held| held.1 == FetchOutcome::Success);
        let situation = Situation {
            failing_since: since.map(|since| at(since.0)),
            good_copy: good.map(|good| GoodCopy { at: at(good.0), headers: Vec::new() }),
            ..Situation::first(attempt)
        };
        standing(&situation, at(now), rules.terms).why.ground
    }

    /// A crawler that follows plans, and fetches at any time that they allow, never judges a URL by an expired copy.
    #[test]
    fn no_url_is_judged_by_an_expired_copy() {
        let mut random = Rng::with_seed(1);
        let rates = ChangeRates::of_sites(&[Polls { unchanged: 1 << 25, across_changes: vec![1 << 16; 4] }]);
        let mut reasons = [0; FetchReason::ALL.len()];
        for case in 0..3_000 {
            let terms = [Terms::Rfc9309, Terms::Google, Terms::Koster1996, Terms::Yandex][case % 4];
            let mut rules = PlanRules {
                lead: random.i64(0..30 * HOUR),
                likely: [0.05, 0.3, 0.5, 1.0][random.usize(..4)],
                ..PlanRules::new(at(NOW), terms)
            };
            rules.within = random.i64(1..=rules.lifetime());
            let volatility = random.i64(0..4);
            let mut content = 0;
            let mut fetched: Vec<Fetched> = Vec::new();
            for _ in 0..12 {
                let now = rules.now.seconds();
                let end = now + rules.within;
                let (versions, contents) = versions_of(&fetched);
                let says_same = |one: usize, other: usize| contents[one] == contents[other];
                let history = SiteHistory::new(versions.clone(), says_same, rules.now);
                let plan = SitePlan::new(&history, &rates.of_site(history.polls()), &rules);
                let mut judged_from = now;
                let check = |fetched: &[Fetched], from: i64, to: i64, random: &mut Rng| {
                    if from == to {
                        return;
                    }
                    for instant in [from, to - 1, random.i64(from..to)] {
                        let ground = ground_at(fetched, instant, &rules);
                        assert!(
                            !matches!(ground, Ground::Due | Ground::Expired),
                            "{fetched:?} at {instant}: {plan:?} with {rules:?}"
                        );
                    }
                };
                if let Some(fetch) = plan.fetch {
                    reasons[fetch.reason as usize] += 1;
                    let from = fetch.not_before.seconds();
                    let to = fetch.not_after.map_or(end, Moment::seconds);
                    assert!(now <= from && from <= to.max(from) && from <= end, "{fetch:?}");
                    let time = random.i64(from..=to.min(end).max(from));
                    if !matches!(fetch.reason, FetchReason::NeverSeen | FetchReason::Expired) {
                        check(&fetched, now, time, &mut random);
                    } else {
                        assert_eq!(time, now);
                    }
                    let outcome = match random.u8(..11) {
                        0..=6 => FetchOutcome::Success,
                        7 => FetchOutcome::Unavailable,
                        _ => FetchOutcome::Unreachable,
                    };
                    content += i64::from(random.i64(0..4) < volatility);
                    fetched.push((time, outcome, content));
                    judged_from = time;
                }
                check(&fetched, judged_from, end, &mut random);
                rules.now = at(end);
            }
        }
        let missing = FetchReason::ALL.into_iter().zip(reasons).filter(|&(_, count)| count == 0);
        // No copy expires when every plan is followed, and there were no redirects.
        let expected = [FetchReason::Expired, FetchReason::Inconclusive];
        assert_eq!(missing.map(|(reason, _)| reason).collect::<Vec<_>>(), expected);
    }
}
