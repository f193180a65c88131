//! Simulates crawlers that fetch robots.txt files again, over the histories of real hosts: how many verdicts are outdated,
//! against how many fetches a crawler saves.
//!
//! The histories are commits of archives, which fetched every host about once a week. A commit shows that a file had
//! changed, not when. So the simulation places each change at a random instant of the week before its commit, but
//! after the previous one. What happened and was undone between two commits is missing, so real figures are higher.
//!
//! Every simulated day begins with the fetches of the day. Four times a day, a crawler then judges URLs of each host by
//! its copy. A verdict is outdated if the file of that instant says otherwise. While a host cannot be reached, nothing is
//! counted: there is no file that could say otherwise.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use fastrand::Rng;
use rayon::prelude::*;
use robomata_engine::lifecycle::Terms;
use robomata_engine::{
    Answer, Config, Crawler, Dialect, FetchOutcome, FetchStatus, Moment, Policy, SitePolicy, Version,
};
use robomata_jobs::plan::{ChangeRates, PlanRules, Polls, SiteHistory, SitePlan};

use crate::corpus::{each_line, file};
use crate::score::history::{Capture, History};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// The time between two commits of the archives.
const WEEK: i64 = 7 * DAY;
/// When URLs are judged, after the beginning of a day.
const VISITS: [i64; 4] = [3 * HOUR, 9 * HOUR, 15 * HOUR, 21 * HOUR];
/// The days after which the shares of rates are estimated again.
const REFIT: i64 = 60;
/// The most URLs of a host.
const URLS: usize = 100;
const CRAWLERS: [&str; 3] = ["Googlebot", "GPTBot", "ExampleBot"];

/// The files of real hosts over time.
pub struct World {
    hosts: Vec<Host>,
    first: i64,
    last: i64,
}

/// A host with its URLs.
struct Host {
    urls: usize,
    /// From which instant on there is which file; the first one is there from the beginning. `None`: the host cannot be
    /// reached.
    states: Vec<(i64, Option<usize>)>,
    files: Vec<File>,
}

/// A file, from the point of view of the crawlers.
struct File {
    policies: Vec<SitePolicy>,
    outcome: FetchOutcome,
    /// For each crawler, the answer for each URL.
    answers: Vec<Vec<Answer>>,
}

impl World {
    /// Reads the histories and the URLs in `folder`, and places the changes with `seed`.
    ///
    /// # Errors
    /// When a file is missing or malformed, and when no host has both a history and URLs.
    pub fn load(folder: &Path, seed: u64) -> Result<Self> {
        let history = History::load(folder)?;
        let mut urls: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
        each_line(&file(folder, "urls.tsv"), |line| {
            let mut columns = line.splitn(3, |&byte| byte == b'\t');
            let host =
                columns.next().and_then(|host| std::str::from_utf8(host).ok()).context("expected a host")?;
            let url = columns.nth(1).context("expected a URL")?;
            if history.captures(host).is_some() {
                urls.entry(host.to_owned()).or_default().push(url.to_vec());
            }
            Ok(())
        })?;
        let hosts: Vec<(&str, &[Capture])> =
            history.hosts().map(|(name, host)| (name, host.captures.as_slice())).collect();
        World::new(&hosts, &urls, seed)
    }

    /// The hosts with captures and URLs.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(
        hosts: &[(&str, &[Capture])],
        urls: &HashMap<String, Vec<Vec<u8>>>,
        seed: u64,
    ) -> Result<Self> {
        let times = || hosts.iter().flat_map(|(_, captures)| captures.iter().map(|capture| capture.time));
        let first = times().min().context("expected captures")?;
        let last = times().max().context("expected captures")?;
        let hosts: Vec<Host> = hosts
            .par_iter()
            .enumerate()
            .filter_map(|(number, &(name, captures))| {
                let urls = urls.get(name)?;
                // The same seed places the same changes, on any number of threads.
                let mut random = Rng::with_seed(seed.wrapping_mul(1 << 32).wrapping_add(number as u64));
                let mut urls: Vec<&[u8]> = urls.iter().map(Vec::as_slice).collect();
                random.shuffle(&mut urls);
                urls.truncate(URLS);
                Some(Host::new(captures, &urls, &mut random))
            })
            .collect();
        ensure!(!hosts.is_empty(), "expected hosts that have both a history and URLs");
        Ok(World { hosts, first, last })
    }

    /// Runs a crawler from the first to the last day.
    pub fn run(&self, strategy: Strategy) -> Outcome {
        let mut crawler = Simulation::new(self, strategy);
        let mut now = self.first;
        while now <= self.last {
            crawler.day(now);
            now += DAY;
        }
        crawler.outcome
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: usize = self.hosts.iter().map(|host| host.urls).sum();
        let changes: usize = self.hosts.iter().map(|host| host.states.len() - 1).sum();
        let [first, last] = [self.first, self.last].map(Moment::from_seconds);
        write!(f, "{} hosts, {urls} URLs, {changes} changes, from {first} to {last}", self.hosts.len())
    }
}

impl Host {
    fn new(captures: &[Capture], urls: &[&[u8]], random: &mut Rng) -> Self {
        let mut host = Host { urls: urls.len(), states: Vec::new(), files: Vec::new() };
        let mut known: HashMap<(bool, Arc<[u8]>), usize> = HashMap::new();
        let mut before = i64::MIN;
        for capture in captures {
            let state = match capture.status {
                FetchStatus::NetworkFailure => None,
                status => {
                    let key = (status == FetchStatus::Success, Arc::clone(&capture.body));
                    let files = &mut host.files;
                    Some(*known.entry(key).or_insert_with(|| {
                        files.push(File::new(capture, urls));
                        files.len() - 1
                    }))
                }
            };
            let earliest = before.saturating_add(1).max(capture.time - WEEK);
            before = capture.time;
            if host.states.last().is_none_or(|&(_, last)| last != state) {
                host.states.push((random.i64(earliest..=capture.time), state));
            }
        }
        host
    }

    /// The file at `now`.
    fn state(&self, now: i64) -> Option<usize> {
        let after = self.states.partition_point(|&(from, _)| from <= now);
        self.states[after.saturating_sub(1)].1
    }

    /// The share of answers of two files that differ.
    fn difference(&self, one: usize, other: usize) -> f64 {
        let answers = |file: usize| self.files[file].answers.iter().flatten();
        let different = answers(one).zip(answers(other)).filter(|(one, other)| one != other).count();
        different as f64 / (self.urls * CRAWLERS.len()) as f64
    }
}

impl File {
    fn new(capture: &Capture, urls: &[&[u8]]) -> Self {
        let policy = Policy::fetched(&capture.body, Some(capture.status), &Config::new(Dialect::Rfc9309));
        let policies: Vec<SitePolicy> =
            CRAWLERS.iter().map(|name| SitePolicy::new(&policy, &Crawler::new(name))).collect();
        let mut answers = vec![Vec::with_capacity(urls.len()); CRAWLERS.len()];
        for (policy, answers) in policies.clone().iter_mut().zip(&mut answers) {
            // A line says nothing about the meaning of a rule.
            let allows = |url: &&[u8]| match policy.check(url) {
                Answer::Verdict(verdict) => Answer::Verdict(robomata_engine::Verdict { line: 0, ..verdict }),
                other => other,
            };
            answers.extend(urls.iter().map(allows));
        }
        File { policies, outcome: policy.outcome(), answers }
    }

    fn says_same(&self, other: &File) -> bool {
        self.outcome == other.outcome
            && self.policies.iter().zip(&other.policies).all(|(one, other)| one.is_same(other))
    }
}

/// How a crawler chooses what it fetches on a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strategy {
    /// Every file that was fetched this number of days ago.
    Cache(i64),
    /// This share of all hosts: those that come first in the plan.
    Plan(f64),
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Cache(days) => write!(f, "cache of {days}d"),
            Strategy::Plan(share) => write!(f, "plan, {:.1}% a day", share * 100.0),
        }
    }
}

/// What a crawler achieved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Fetches of robots.txt files.
    pub fetches: u64,
    /// URLs that were judged.
    pub verdicts: f64,
    /// Outdated verdicts among them.
    pub stale: f64,
}

impl Outcome {
    /// The share of the fetches of `daily` that were saved.
    pub fn saved_share(&self, daily: &Outcome) -> f64 {
        1.0 - self.fetches as f64 / daily.fetches as f64
    }

    /// A line of text that compares this with a crawler that fetches every file daily.
    pub fn against(&self, daily: &Outcome) -> String {
        let percent = |share: f64| share * 100.0;
        format!(
            "{} fetches, {:.1}% saved; {:.4}% of verdicts outdated",
            self.fetches,
            percent(self.saved_share(daily)),
            percent(self.stale_share())
        )
    }

    /// The share of verdicts that are outdated.
    pub fn stale_share(&self) -> f64 {
        self.stale / self.verdicts
    }
}

/// A crawler's knowledge of a host.
#[derive(Clone, Default)]
struct Known {
    versions: Vec<Version>,
    /// The file of each version; `None` for a failure.
    files: Vec<Option<usize>>,
    history: SiteHistory,
    rates: ChangeRates,
}

struct Simulation<'w> {
    world: &'w World,
    strategy: Strategy,
    known: Vec<Known>,
    shares: ChangeRates,
    fitted: i64,
    /// Fetches that the budget allows and that were not made yet.
    credit: f64,
    outcome: Outcome,
    differences: Vec<HashMap<(usize, usize), f64>>,
}

impl<'w> Simulation<'w> {
    fn new(world: &'w World, strategy: Strategy) -> Self {
        Simulation {
            world,
            strategy,
            known: vec![Known::default(); world.hosts.len()],
            shares: ChangeRates::default(),
            fitted: i64::MIN,
            credit: 0.0,
            outcome: Outcome::default(),
            differences: vec![HashMap::new(); world.hosts.len()],
        }
    }

    fn day(&mut self, now: i64) {
        let exists = |host: &Host| host.states[0].0 <= now;
        let hosts = (0..self.known.len()).filter(|&host| exists(&self.world.hosts[host]));
        let due: Vec<usize> = match self.strategy {
            Strategy::Cache(days) => {
                let is_due = |&host: &usize| {
                    self.known[host].history.fetched().is_none_or(|at| at.seconds() + days * DAY <= now)
                };
                hosts.filter(is_due).collect()
            }
            Strategy::Plan(share) => {
                self.refit(now);
                self.planned(hosts.collect(), share, now)
            }
        };
        for host in due {
            self.fetch(host, now);
        }
        for host in 0..self.known.len() {
            if exists(&self.world.hosts[host]) {
                self.judge(host, now);
            }
        }
    }

    fn refit(&mut self, now: i64) {
        if now < self.fitted.saturating_add(REFIT * DAY) {
            return;
        }
        self.fitted = now;
        let polls: Vec<Polls> = self.known.iter().map(|known| known.history.polls().clone()).collect();
        self.shares =
            ChangeRates::of_sites(&polls.into_iter().filter(|polls| !polls.is_empty()).collect::<Vec<_>>());
        for known in &mut self.known {
            known.rates = self.shares.of_site(known.history.polls());
        }
    }

    /// The first hosts of the plan, as far as the budget goes. A host that was never seen is fetched in any case.
    fn planned(&mut self, hosts: Vec<usize>, share: f64, now: i64) -> Vec<usize> {
        let rules =
            PlanRules { likely: 1.0, within: 0, ..PlanRules::new(Moment::from_seconds(now), Terms::Rfc9309) };
        self.credit += share * hosts.len() as f64;
        let mut rows: Vec<(f64, usize)> = Vec::new();
        for host in hosts {
            let Known { history, rates, .. } = &self.known[host];
            let plan = SitePlan::new(history, rates, &rules);
            let urls = self.world.hosts[host].urls as f64;
            match plan.fetch {
                Some(_) if history.fetched().is_none() => rows.push((f64::INFINITY, host)),
                Some(_) => rows.push((urls * plan.change, host)),
                None => {}
            }
        }
        rows.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut chosen = Vec::new();
        for (value, host) in rows {
            if value < f64::INFINITY && self.credit < 1.0 {
                break;
            }
            self.credit -= 1.0;
            chosen.push(host);
        }
        // What is left over cannot be saved for later.
        self.credit = self.credit.min(1.0);
        chosen
    }

    fn fetch(&mut self, host: usize, now: i64) {
        self.outcome.fetches += 1;
        let Host { files, .. } = &self.world.hosts[host];
        let found = self.world.hosts[host].state(now);
        let known = &mut self.known[host];
        let moment = Some(Moment::from_seconds(now));
        let is_same = |one: Option<usize>, other: Option<usize>| match (one, other) {
            (Some(one), Some(other)) => one == other || files[one].says_same(&files[other]),
            (None, None) => true,
            _ => false,
        };
        match (known.versions.last_mut(), known.files.last_mut()) {
            (Some(version), Some(file)) if is_same(*file, found) => {
                version.last = moment;
                *file = found;
            }
            _ => {
                let outcome = found.map_or(FetchOutcome::Unreachable, |file| files[file].outcome);
                known.versions.push(Version { first: moment, last: moment, outcome });
                known.files.push(found);
            }
        }
        let says_same = |one: usize, other: usize| is_same(known.files[one], known.files[other]);
        known.history = SiteHistory::new(known.versions.clone(), says_same, Moment::from_seconds(now));
        known.rates = self.shares.of_site(known.history.polls());
    }

    fn judge(&mut self, index: usize, now: i64) {
        let host = &self.world.hosts[index];
        let Some(copy) = self.known[index].files.iter().rev().find_map(|file| *file) else { return };
        for visit in VISITS {
            let Some(file) = host.state(now + visit) else { continue };
            self.outcome.verdicts += host.urls as f64;
            if file != copy {
                let differences = &mut self.differences[index];
                let share = *differences.entry((file, copy)).or_insert_with(|| host.difference(file, copy));
                self.outcome.stale += share * host.urls as f64;
            }
        }
    }
}

/// The strategies that are compared. The first one is the baseline.
pub const STRATEGIES: [Strategy; 19] = [
    Strategy::Cache(1),
    Strategy::Cache(2),
    Strategy::Cache(3),
    Strategy::Cache(5),
    Strategy::Cache(7),
    Strategy::Cache(10),
    Strategy::Cache(14),
    Strategy::Cache(21),
    Strategy::Cache(30),
    Strategy::Cache(60),
    Strategy::Plan(0.7),
    Strategy::Plan(0.5),
    Strategy::Plan(0.333),
    Strategy::Plan(0.2),
    Strategy::Plan(0.143),
    Strategy::Plan(0.1),
    Strategy::Plan(0.07),
    Strategy::Plan(0.035),
    Strategy::Plan(0.017),
];
