//! Counts judged requests in bounded memory.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use robomata_engine::Moment;
use robomata_formats::Timestamp;
use robomata_formats::log::Precision;

use super::effective::Evidence;
use super::judge::Judgement;
use super::report::{
    BrokenRule, Cell, Counts, CrawlerScore, DayScore, DelayScore, EvidenceCounts, JoinedCrawlers, PathScore,
    ProgramScore, Refusals, ScoreReport, SiteScore, StatusCount,
};
use super::requests::{Delay, Found, Request};
use super::rules::Hits;
use super::top::Top;

/// How many things are counted separately, so that the memory does not grow with a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Crawlers. When there are more, about half of them, the rarest, are counted together.
    crawlers: usize,
    /// Days, for all crawlers together. Further ones are not counted.
    days: usize,
    /// Statuses of a crawler. Further ones are counted as no status.
    statuses: usize,
    /// Sites, for all crawlers together. A long name counts as several. Further ones are counted together.
    sites: usize,
    /// Counts by crawler, site, day, verdict and rule. Further ones are counted without the site and the rule, and from twice as
    /// many on without the day.
    cells: usize,
    /// Rules of a site that a crawler violated. Further ones are counted together.
    rules: usize,
    /// Bytes of the URLs that are kept as examples, for all rules together. Further ones are not kept.
    examples: usize,
    /// Paths that are counted exactly, and the number that is listed.
    paths: (usize, usize),
    /// The same for names of programs.
    programs: (usize, usize),
}

impl Limits {
    pub(super) const DEFAULT: Limits = Limits {
        crawlers: 1 << 14,
        days: 1 << 19,
        statuses: 1 << 7,
        sites: 1 << 20,
        cells: 1 << 21,
        rules: 1 << 10,
        examples: 64 << 20,
        paths: (1 << 14, 100),
        programs: (1 << 10, 100),
    };
}

/// The most example URLs of a rule.
const EXAMPLES: usize = 3;
/// The name of everything that is counted together.
pub(super) const OTHERS: &str = "(others)";

const DAY: i64 = 86_400;

/// The counts of all requests so far.
pub(super) struct Account {
    limits: Limits,
    crawlers: BTreeMap<Arc<str>, CrawlerAccount>,
    joined: JoinedCrawlers,
    sites: usize,
    days: usize,
    cells: usize,
    /// The bytes of all examples that were kept, also of those that were left out when crawlers were joined.
    examples: usize,
    paths: Top<(Arc<str>, Box<str>), PathAccount>,
    programs: Top<Box<str>, Option<Box<str>>>,
    hits: Hits,
    refusals: Refusals,
}

#[derive(Clone, Copy, Default)]
struct PathAccount {
    disallowed: u64,
    errors: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CellKey {
    site: Arc<str>,
    /// None if the days are counted together.
    day: Option<i32>,
    verdict: &'static str,
    line: u32,
    rule: Option<Arc<str>>,
}

#[derive(Default)]
struct CrawlerAccount {
    /// Its name, as its first request spells it.
    name: Option<Arc<str>>,
    /// All its requests.
    seen: u64,
    /// At most this many earlier requests are among those of [`OTHERS`].
    lacks: u64,
    counts: Counts,
    evidence: EvidenceCounts,
    violations: Option<(Timestamp, Timestamp)>,
    delay: DelayScore,
    gaps: Gaps,
    days: BTreeMap<i32, (u64, u64)>,
    statuses: BTreeMap<Option<i32>, u64>,
    sites: HashMap<Arc<str>, SiteAccount>,
    cells: HashMap<CellKey, u64>,
}

#[derive(Default)]
struct SiteAccount {
    counts: Counts,
    /// The time of the last request, and the index of its log.
    last: Option<(Timestamp, usize)>,
    broken: HashMap<(u32, Option<Arc<str>>), Broken>,
}

struct Broken {
    requests: u64,
    first: Timestamp,
    last: Timestamp,
    examples: Vec<Box<str>>,
}

impl Account {
    pub(super) fn new(limits: Limits) -> Self {
        Account {
            limits,
            crawlers: BTreeMap::new(),
            joined: JoinedCrawlers::default(),
            sites: 0,
            days: 0,
            cells: 0,
            examples: 0,
            paths: Top::new(limits.paths.0),
            programs: Top::new(limits.programs.0),
            hits: Hits::default(),
            refusals: Refusals::default(),
        }
    }

    /// Adds the result of a block. Returns the number of requests of other programs.
    pub(super) fn take(&mut self, found: &mut Found) -> u64 {
        found.requests.drain(..).for_each(|request| self.add(request));
        let programs = std::mem::take(&mut found.programs).into_iter();
        programs
            .map(|(name, (requests, agent))| {
                self.programs.add(name, requests).get_or_insert(agent);
                requests
            })
            .sum()
    }

    fn add(&mut self, mut request: Request) {
        if self.crawlers.len() >= self.limits.crawlers && !self.crawlers.contains_key(&request.crawler) {
            self.join_rare();
        }
        self.add_refusal(&request);
        let day = day_of(request.time);
        let lacks = self.joined.requests;
        let new = || {
            let name = Some(Arc::clone(&request.spelling));
            CrawlerAccount { name, lacks, ..CrawlerAccount::default() }
        };
        let crawler = self.crawlers.entry(Arc::clone(&request.crawler)).or_insert_with(new);
        crawler.seen += 1;
        let site = request.site.clone().unwrap_or_else(|| Arc::from(""));
        let is_known = crawler.sites.contains_key(&site);
        let site = if is_known || self.sites < self.limits.sites { site } else { Arc::from(OTHERS) };
        if !crawler.sites.contains_key(&site) {
            self.sites += share_of(&site);
        }
        let account = crawler.sites.entry(Arc::clone(&site)).or_default();

        let verdict = count(&request, &mut crawler.counts);
        count(&request, &mut account.counts);
        if !request.refused && request.judgement.is_some() {
            let is_violation = verdict == "disallowed";
            if self.days < self.limits.days || crawler.days.contains_key(&day) {
                self.days += usize::from(!crawler.days.contains_key(&day));
                let (requests, disallowed) = crawler.days.entry(day).or_default();
                *requests += 1;
                *disallowed += u64::from(is_violation);
            }
            let status = request.status.filter(|status| {
                crawler.statuses.len() < self.limits.statuses || crawler.statuses.contains_key(&Some(*status))
            });
            *crawler.statuses.entry(status).or_default() += 1;
            let path = std::mem::take(&mut request.path);
            let path = self.paths.add((Arc::clone(&site), path), 1);
            path.disallowed += u64::from(is_violation);
            path.errors += u64::from(matches!(request.status, Some(400..=599)));
            if let Some(decider) = request.decider() {
                self.hits.add(&site, decider, request.rule.as_ref());
            }
            add_gap(&request, account, &mut crawler.delay, &mut crawler.gaps, &site);
        }
        let mut key = CellKey { site, day: Some(day), verdict, line: 0, rule: None };
        if let (Some(Judgement::Disallowed { decider, evidence }), false) =
            (request.judgement, request.refused)
        {
            let line = decider.line;
            (key.line, key.rule) = (line, request.rule.clone());
            add_evidence(evidence, &mut crawler.evidence);
            let (first, last) = crawler.violations.unwrap_or((request.time, request.time));
            crawler.violations = Some((first.min(request.time), last.max(request.time)));
            let room = self.limits.examples - self.examples;
            self.examples += account.add_broken(request, line, self.limits.rules, room);
        }
        if self.cells >= self.limits.cells && !crawler.cells.contains_key(&key) {
            (key.site, key.line, key.rule) = (Arc::from(OTHERS), 0, None);
            if self.cells >= 2 * self.limits.cells && !crawler.cells.contains_key(&key) {
                key.day = None;
            }
        }
        let cells = crawler.cells.len();
        *crawler.cells.entry(key).or_default() += 1;
        self.cells += crawler.cells.len() - cells;
    }

    /// Adds the accounts of the rarest crawlers to that of [`OTHERS`], so that the sums stay exact. A crawler with many
    /// requests stays, or returns, however many rare ones come before it.
    fn join_rare(&mut self) {
        let limits = self.limits;
        let mut others = self.crawlers.remove(OTHERS).unwrap_or_default();
        let mut seen: Vec<u64> = self.crawlers.values().map(|crawler| crawler.seen + crawler.lacks).collect();
        let (_, &mut most, _) =
            seen.select_nth_unstable_by_key(self.limits.crawlers / 2, |&seen| Reverse(seen));
        let (rare, kept): (BTreeMap<_, _>, BTreeMap<_, _>) = std::mem::take(&mut self.crawlers)
            .into_iter()
            .partition(|(_, crawler)| crawler.seen + crawler.lacks <= most);
        self.joined = JoinedCrawlers { crawlers: self.joined.crawlers + rare.len() as u64, requests: most };
        rare.into_values().for_each(|crawler| others.join(crawler, &limits));
        self.crawlers = kept;
        self.crawlers.insert(Arc::from(OTHERS), others);
        let sum = |of: fn(&CrawlerAccount) -> usize| self.crawlers.values().map(of).sum();
        self.sites = sum(|crawler| crawler.sites.keys().map(|site| share_of(site)).sum());
        self.days = sum(|crawler| crawler.days.len());
        self.cells = sum(|crawler| crawler.cells.len());
    }

    fn add_refusal(&mut self, request: &Request) {
        let Refusals {
            refused_disallowed,
            refused_allowed,
            refused_unknown,
            fetched_disallowed,
            fetched_allowed,
            fetched_unknown,
        } = &mut self.refusals;
        let [disallowed, allowed, unknown] = match request.refused {
            true => [refused_disallowed, refused_allowed, refused_unknown],
            false => [fetched_disallowed, fetched_allowed, fetched_unknown],
        };
        match request.judgement {
            Some(Judgement::Disallowed { .. } | Judgement::Excused(_) | Judgement::Deferred) => {
                *disallowed += 1;
            }
            Some(Judgement::Allowed(_)) => *allowed += 1,
            Some(Judgement::RobotsTxt) | None => {}
            Some(_) => *unknown += 1,
        }
    }

    /// Writes the counts into `report`, with at most `sites` sites of each crawler.
    pub(super) fn close(mut self, sites: usize, report: &mut ScoreReport) -> Hits {
        report.joined = (self.joined.crawlers > 0).then_some(self.joined);
        report.cells = self.take_cells();
        let mut crawlers: Vec<CrawlerScore> =
            self.crawlers.into_iter().map(|(name, account)| account.close(&name, sites)).collect();
        crawlers.sort_by_key(|score| (Reverse(score.counts.disallowed), Reverse(score.counts.requests)));
        let Refusals { refused_disallowed, refused_allowed, refused_unknown, .. } = self.refusals;
        let has_refusals = refused_disallowed + refused_allowed + refused_unknown > 0;
        report.crawlers = crawlers;
        report.refusals = has_refusals.then_some(self.refusals);
        report.paths = self.paths.close(self.limits.paths.1, |((site, path), entry)| PathScore {
            site: site.to_string(),
            path: path.into(),
            requests: entry.requests,
            disallowed: entry.more.disallowed,
            errors: entry.more.errors,
        });
        report.programs = self.programs.close(self.limits.programs.1, |(name, entry)| ProgramScore {
            name: name.into(),
            requests: entry.requests,
            agent: entry.more.map(Into::into).unwrap_or_default(),
        });
        self.hits
    }

    /// The separate counts, by crawler and then by the rest of their keys.
    fn take_cells(&mut self) -> Vec<Cell> {
        let of = |(name, crawler): (&Arc<str>, &mut CrawlerAccount)| {
            let mut cells: Vec<(CellKey, u64)> = std::mem::take(&mut crawler.cells).into_iter().collect();
            cells.sort_unstable();
            let name = Arc::clone(crawler.name.as_ref().unwrap_or(name));
            cells.into_iter().map(move |(key, requests)| Cell {
                crawler: Arc::clone(&name),
                site: key.site,
                day: key.day,
                verdict: key.verdict,
                line: key.line,
                rule: key.rule,
                requests,
            })
        };
        self.crawlers.iter_mut().flat_map(of).collect()
    }
}

/// How many of [`Limits::sites`] a site with this name takes.
fn share_of(site: &str) -> usize {
    /// The most bytes of nearly all names.
    const USUAL: usize = 64;
    site.len().div_ceil(USUAL).max(1)
}

/// Counts a request. Returns the name of the count.
fn count(request: &Request, counts: &mut Counts) -> &'static str {
    let count = match request.judgement {
        _ if request.refused => &mut counts.refused,
        None => &mut counts.other_methods,
        Some(judgement) => {
            counts.requests += 1;
            match judgement {
                Judgement::RobotsTxt => &mut counts.robots_txt,
                Judgement::Allowed(_) => &mut counts.allowed,
                Judgement::Disallowed { .. } => &mut counts.disallowed,
                Judgement::Excused(_) => &mut counts.excused,
                Judgement::Deferred => &mut counts.deferred,
                Judgement::NoHost => &mut counts.no_host,
                Judgement::SiteUnknown => &mut counts.site_unknown,
                Judgement::BeforeFirstCapture => &mut counts.before_first_capture,
                Judgement::NoPolicy => &mut counts.no_policy,
                Judgement::NoCrawler => &mut counts.no_crawler,
                Judgement::Invalid => &mut counts.invalid,
            }
        }
    };
    *count += 1;
    request.verdict()
}

fn add_evidence(evidence: Evidence, counts: &mut EvidenceCounts) {
    *match evidence {
        Evidence::Bracketed => &mut counts.bracketed,
        Evidence::Days(0) => &mut counts.within_a_day,
        Evidence::Days(..7) => &mut counts.within_a_week,
        Evidence::Days(..30) => &mut counts.within_a_month,
        Evidence::Days(..365) => &mut counts.within_a_year,
        Evidence::Days(_) => &mut counts.older,
        Evidence::Before => &mut counts.before,
        Evidence::Undated => &mut counts.undated,
    } += 1;
}

/// By how many milliseconds the lines of a log may be out of order because several processes write it.
const DISORDER: i64 = 60_000;

/// Compares a request with the previous one on the same site. Requests for the robots.txt do not count, since it may be
/// fetched at any time. In a log that is not in time order, the previous request is unknown. Logs may be read in any
/// order, the newest first too: where a log begins with an older time, so does a row of requests of its own.
fn add_gap(request: &Request, site: &mut SiteAccount, delay: &mut DelayScore, gaps: &mut Gaps, name: &str) {
    let is_judged = request.is_in_order && request.site.is_some() && name != OTHERS;
    if !is_judged || request.judgement == Some(Judgement::RobotsTxt) {
        return;
    }
    let Some((last, file)) = site.last.replace((request.time, request.file)) else { return };
    let gap = request.time.milliseconds() - last.milliseconds();
    let Ok(gap) = u64::try_from(gap) else {
        if gap >= -DISORDER && file == request.file {
            site.last = Some((last, file));
        }
        delay.out_of_order += 1;
        return;
    };
    gaps.add(gap);
    // Times in seconds are cut, so the time between is less than the gap and one second.
    let most = match request.precision {
        Precision::Seconds => gap + 999,
        Precision::Milliseconds => gap,
    };
    match request.delay {
        Delay::NotKnown => delay.not_known += 1,
        Delay::None => delay.not_asked += 1,
        Delay::Asked(asked) => {
            delay.asked += 1;
            delay.broken += u64::from(u128::from(most) < asked.as_millis());
        }
    }
}

impl Broken {
    fn join(&mut self, other: Broken) {
        self.requests += other.requests;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        for example in other.examples {
            if self.examples.len() < EXAMPLES && !self.examples.contains(&example) {
                self.examples.push(example);
            }
        }
    }
}

impl SiteAccount {
    fn join(&mut self, other: SiteAccount, limits: &Limits) {
        self.counts = self.counts.plus(&other.counts);
        self.last = self.last.max(other.last);
        // Which rules are counted separately must not depend on the order of a map.
        let mut all: Vec<_> = other.broken.into_iter().collect();
        all.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        for (mut key, more) in all {
            if self.broken.len() >= limits.rules && !self.broken.contains_key(&key) {
                key = (0, None);
            }
            match self.broken.entry(key) {
                Entry::Vacant(entry) => _ = entry.insert(more),
                Entry::Occupied(mut entry) => entry.get_mut().join(more),
            }
        }
    }

    /// Adds a violation. Its URL is an example if there is `room` for it. Returns the number of bytes that it takes.
    fn add_broken(&mut self, request: Request, line: u32, rules: usize, room: usize) -> usize {
        let mut key = (line, request.rule);
        if self.broken.len() >= rules && !self.broken.contains_key(&key) {
            key = (0, None);
        }
        let time = request.time;
        let broken = self.broken.entry(key).or_insert_with(|| Broken {
            requests: 0,
            first: time,
            last: time,
            examples: Vec::new(),
        });
        broken.requests += 1;
        broken.first = broken.first.min(time);
        broken.last = broken.last.max(time);
        match request.url {
            Some(url)
                if broken.examples.len() < EXAMPLES
                    && url.len() <= room
                    && !broken.examples.contains(&url) =>
            {
                let bytes = url.len();
                broken.examples.push(url);
                bytes
            }
            _ => 0,
        }
    }

    fn close(self, site: &str) -> SiteScore {
        let mut broken: Vec<BrokenRule> = self
            .broken
            .into_iter()
            .map(|((line, rule), broken)| BrokenRule {
                line,
                rule: rule.as_deref().map(str::to_owned),
                requests: broken.requests,
                first: text_of(broken.first),
                last: text_of(broken.last),
                examples: broken.examples.into_iter().map(String::from).collect(),
            })
            .collect();
        broken.sort_by(|a, b| {
            (Reverse(a.requests), a.line, &a.rule).cmp(&(Reverse(b.requests), b.line, &b.rule))
        });
        SiteScore { site: site.to_owned(), counts: self.counts, broken }
    }
}

impl CrawlerAccount {
    /// Adds all counts of `other`, which is not listed then.
    fn join(&mut self, other: CrawlerAccount, limits: &Limits) {
        self.seen += other.seen;
        self.counts = self.counts.plus(&other.counts);
        self.evidence = self.evidence.plus(&other.evidence);
        if let Some((first, last)) = other.violations {
            let (from, to) = self.violations.unwrap_or((first, last));
            self.violations = Some((from.min(first), to.max(last)));
        }
        self.delay.asked += other.delay.asked;
        self.delay.broken += other.delay.broken;
        self.delay.not_asked += other.delay.not_asked;
        self.delay.not_known += other.delay.not_known;
        self.delay.out_of_order += other.delay.out_of_order;
        self.gaps.join(&other.gaps);
        for (day, (requests, disallowed)) in other.days {
            let sum = self.days.entry(day).or_default();
            *sum = (sum.0 + requests, sum.1 + disallowed);
        }
        for (status, requests) in other.statuses {
            let is_counted = self.statuses.len() < limits.statuses || self.statuses.contains_key(&status);
            *self.statuses.entry(status.filter(|_| is_counted)).or_default() += requests;
        }
        for (site, account) in other.sites {
            self.sites.entry(site).or_default().join(account, limits);
        }
        for (key, requests) in other.cells {
            *self.cells.entry(key).or_default() += requests;
        }
    }

    fn close(self, name: &str, sites: usize) -> CrawlerScore {
        let mut listed: Vec<SiteScore> =
            self.sites.into_iter().map(|(site, account)| account.close(&site)).collect();
        listed.sort_by(|a, b| {
            let key = |score: &SiteScore| (Reverse(score.counts.disallowed), Reverse(score.counts.requests));
            key(a).cmp(&key(b)).then_with(|| a.site.cmp(&b.site))
        });
        let more_sites = listed.len().saturating_sub(sites) as u64;
        listed.truncate(sites);
        let days = self.days.into_iter().map(|(day, (requests, disallowed))| DayScore {
            day: date_of(day),
            number: day,
            requests,
            disallowed,
        });
        CrawlerScore {
            crawler: self.name.as_deref().unwrap_or(name).to_owned(),
            counts: self.counts,
            evidence: self.evidence,
            first_violation: self.violations.map(|(first, _)| text_of(first)),
            last_violation: self.violations.map(|(_, last)| text_of(last)),
            delay: DelayScore {
                quantiles: self.gaps.quantiles(),
                histogram: self.gaps.histogram(),
                ..self.delay
            },
            statuses: self
                .statuses
                .into_iter()
                .map(|(status, requests)| StatusCount { status, requests })
                .collect(),
            sites: listed,
            more_sites,
            days: days.collect(),
        }
    }
}

/// Times between requests, in milliseconds, by buckets that are 9 % wide.
#[derive(Default)]
struct Gaps {
    buckets: Vec<u64>,
}

/// The number of buckets in an octave.
const OCTAVE: f64 = 8.0;

impl Gaps {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "buckets are wide")]
    #[expect(clippy::cast_sign_loss, reason = "logarithms of 1 and more")]
    fn add(&mut self, milliseconds: u64) {
        let bucket = (((milliseconds + 1) as f64).log2() * OCTAVE).floor() as usize;
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
    }

    fn join(&mut self, other: &Gaps) {
        self.buckets.resize(self.buckets.len().max(other.buckets.len()), 0);
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(sum, count)| *sum += count);
    }

    /// The upper bound of a bucket, in seconds.
    #[expect(clippy::cast_precision_loss, reason = "a few hundred buckets")]
    fn end_of(bucket: usize) -> f64 {
        (((bucket + 1) as f64 / OCTAVE).exp2() - 1.0) / 1000.0
    }

    fn quantiles(&self) -> Option<[f64; 3]> {
        let all: u64 = self.buckets.iter().sum();
        let at = |tenths: u64| {
            let wanted = (all * tenths).div_ceil(10).max(1);
            let mut sum = 0;
            let bucket = self.buckets.iter().position(|count| {
                sum += count;
                sum >= wanted
            });
            round(Gaps::end_of(bucket.unwrap_or(0)))
        };
        (all > 0).then(|| [at(1), at(5), at(9)])
    }

    /// The counts by octave.
    fn histogram(&self) -> Vec<(f64, u64)> {
        let octaves = self.buckets.chunks(8).enumerate();
        octaves.map(|(octave, buckets)| (round(Gaps::end_of(octave * 8 + 7)), buckets.iter().sum())).collect()
    }
}

/// Rounds to milliseconds.
fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn day_of(time: Timestamp) -> i32 {
    i32::try_from(time.seconds().div_euclid(DAY)).unwrap_or(0)
}

fn date_of(day: i32) -> String {
    let text = Moment::from_seconds(i64::from(day) * DAY).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}

pub(super) fn text_of(time: Timestamp) -> String {
    Moment::from_seconds(time.seconds()).to_string()
}

#[cfg(test)]
mod tests;
