//! Plans which robots.txt files to fetch again: not before and not after when, and why. Lists the sites whose robots.txt
//! cannot be fetched, and what holds for them meanwhile.
//!
//! A plan is a function of a bundle, a frontier and an instant: nothing reads a clock or a network. The life-cycle
//! decides what is due ([`SitePlan`]), and the history of each site how probable a change is ([`ChangeRates`]).

mod demand;
mod rates;
mod rows;
mod site;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rayon::prelude::*;
use robomata_engine::{SiteEntry, SitePlace, Stores};
use robomata_formats::OutputError;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use self::demand::Demand;
pub use self::demand::PlanFrontier;
pub use self::rates::{ChangeRates, Polls, RATES};
pub use self::rows::{FETCH_COLUMNS, HOLD_COLUMNS, PlanOutput};
use self::rows::{PlanBlock, PlanTable, TableKind};
pub use self::site::{FetchReason, Hold, PlanRules, PlannedFetch, SiteHistory, SitePlan};
use crate::error::JobError;
use crate::events::Events;
use crate::ordered::thread_count;
use crate::problem::ErrorCounts;
use crate::row_file::RowBlock;

/// A plan: its policies, its frontier and its rules.
#[derive(Clone, Debug)]
pub struct PlanJob<'s> {
    /// The captures, with their times. A history shows how often sites change.
    pub stores: Stores<'s>,
    /// The URLs to be fetched. Only their sites are planned. Without them, all sites of the stores are, each as if it had
    /// one URL.
    pub frontier: Option<PlanFrontier>,
    /// What the plan takes into account.
    pub rules: PlanRules,
}

/// Counts of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlanReport {
    /// The sites that were considered.
    pub sites: u64,
    /// The lines of the frontier.
    pub lines: u64,
    /// Counts of fetches, by reason.
    pub fetches: FetchCounts,
    /// Sites whose robots.txt cannot be fetched.
    pub holds: u64,
    /// Sites with captures after the instant of the plan. These captures were ignored.
    pub later: u64,
    /// Counts of unusable input in the frontier.
    pub errors: ErrorCounts,
}

/// Counts of planned fetches, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FetchCounts {
    /// Sites without a known capture.
    pub never_seen: u64,
    /// Copies whose lifetime is over.
    pub expired: u64,
    /// Copies whose lifetime will be over.
    pub expires: u64,
    /// Copies that have probably changed.
    pub likely_changed: u64,
    /// Sites whose last attempt failed.
    pub failing: u64,
    /// Sites whose last attempt was inconclusive.
    pub inconclusive: u64,
}

impl FetchCounts {
    /// All fetches.
    pub fn total(&self) -> u64 {
        FetchReason::ALL.into_iter().map(|reason| *{ *self }.of(reason)).sum()
    }

    fn of(&mut self, reason: FetchReason) -> &mut u64 {
        match reason {
            FetchReason::NeverSeen => &mut self.never_seen,
            FetchReason::Expired => &mut self.expired,
            FetchReason::Expires => &mut self.expires,
            FetchReason::LikelyChanged => &mut self.likely_changed,
            FetchReason::Failing => &mut self.failing,
            FetchReason::Inconclusive => &mut self.inconclusive,
        }
    }
}

/// A site of the plan.
#[derive(Clone, Copy, Debug)]
enum PlannedSite {
    Known(SitePlace),
    /// An index among the sites of the frontier that the stores do not have.
    Unknown(usize),
}

/// A row of an output, until all rows are in order.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Rows of a higher value come first.
    value: u64,
    /// The beginning of the site's name: rows of the same value are in the order of names.
    name: [u8; NAME],
    site: PlannedSite,
    /// The site's URLs in the frontier.
    urls: u64,
}

/// The bytes of a name that a row keeps.
const NAME: usize = 16;

/// The most sites from which the shares of rates are estimated. More would hardly change them.
const SAMPLE: usize = 16_384;

/// Plans the fetches of `job`, and writes them to `fetches` and the holds to `holds`. Commits both at the end.
///
/// Fetches are in the order of their value: the site's URLs times the probability of a change. Holds are in the order of
/// their URLs. Rows of equal value are in the order of their sites.
///
/// # Errors
/// When a file of the frontier cannot be read to its end or has no URL among its first lines, and when an output cannot
/// be written. In a strict job, also for the first bad line. Then nothing is written.
pub fn run(
    job: &PlanJob<'_>,
    fetches: PlanOutput,
    holds: Option<PlanOutput>,
    events: &mut dyn Events,
) -> Result<PlanReport, JobError> {
    let demand = job.frontier.as_ref().map(|files| Demand::read(files, job.stores, events)).transpose()?;
    let planner =
        Planner { job, rates: rates_of(job), unknown: demand.as_ref().map_or(&[], |demand| &demand.unknown) };
    let mut plan = Plan { keeps_holds: holds.is_some(), ..Plan::default() };
    if let Some(demand) = &demand {
        (plan.report.lines, plan.report.errors) = (demand.lines, demand.errors);
    }
    let mut known = job.stores.sites().filter_map(|(place, entry)| {
        let urls = match &demand {
            Some(demand) => demand.known.get(&place).copied()?,
            None => 1,
        };
        Some((place, entry, urls))
    });
    loop {
        let sites: Vec<(SitePlace, SiteEntry<'_>, u64)> = known.by_ref().take(TOGETHER).collect();
        if sites.is_empty() {
            break;
        }
        let parts = sites.par_chunks(SHARE).map(|sites| {
            let mut part = Plan { keeps_holds: plan.keeps_holds, ..Plan::default() };
            let mut name = Vec::new();
            for (place, entry, urls) in sites {
                let history = SiteHistory::of_entry(entry, job.rules.now);
                name.clear();
                entry.push_site(&mut name);
                part.add(&planner, PlannedSite::Known(*place), &name, *urls, &history);
            }
            part
        });
        parts.collect::<Vec<Plan>>().into_iter().for_each(|part| plan.append(part));
    }
    for (index, (name, urls)) in planner.unknown.iter().enumerate() {
        plan.add(&planner, PlannedSite::Unknown(index), name, *urls, &SiteHistory::default());
    }
    let has_urls = demand.is_some();
    let mut fetches = fetches.into_table(TableKind::Fetches, has_urls)?;
    planner.write(plan.fetches, &mut fetches)?;
    let mut holds = holds.map(|holds| holds.into_table(TableKind::Holds, has_urls)).transpose()?;
    if let Some(holds) = &mut holds {
        planner.write(plan.holds, holds)?;
    }
    fetches.commit()?;
    holds.map_or(Ok(()), PlanTable::commit)?;
    Ok(plan.report)
}

/// The sites that are read before they are planned on all threads, and those that a thread plans at a time.
const TOGETHER: usize = 1 << 15;
const SHARE: usize = 1 << 9;

/// The rows of a plan, or of a part of it.
#[derive(Default)]
struct Plan {
    report: PlanReport,
    fetches: Vec<Row>,
    holds: Vec<Row>,
    /// Is there an output for holds?
    keeps_holds: bool,
}

impl Plan {
    fn add(
        &mut self,
        planner: &Planner<'_>,
        site: PlannedSite,
        name: &[u8],
        urls: u64,
        history: &SiteHistory,
    ) {
        let plan = planner.plan(history);
        self.report.sites += 1;
        self.report.later += u64::from(history.has_later());
        if plan.fetch.is_none() && plan.hold.is_none() {
            return;
        }
        let row = |value| Row { value, name: key_of(name), site, urls };
        if let Some(fetch) = plan.fetch {
            *self.report.fetches.of(fetch.reason) += 1;
            self.fetches.push(row(urls.saturating_mul(rows::millionths(plan.change))));
        }
        if plan.hold.is_some() {
            self.report.holds += 1;
            if self.keeps_holds {
                self.holds.push(row(urls));
            }
        }
    }

    fn append(&mut self, mut part: Plan) {
        self.report.sites += part.report.sites;
        self.report.later += part.report.later;
        self.report.holds += part.report.holds;
        for reason in FetchReason::ALL {
            *self.report.fetches.of(reason) += *part.report.fetches.of(reason);
        }
        self.fetches.append(&mut part.fetches);
        self.holds.append(&mut part.holds);
    }
}

/// The shares of rates among the sites of the stores, from a sample of them: those with the smallest hashes. The sites of
/// a store are in the order of their hashes, so the shards of a bundle have the same sample as the whole.
fn rates_of(job: &PlanJob<'_>) -> ChangeRates {
    let mut name = Vec::new();
    let mut stores: Vec<_> = job
        .stores
        .iter()
        .map(|store| {
            let polls =
                store.sites().map(|entry| (SiteHistory::of_entry(&entry, job.rules.now).into_polls(), entry));
            polls.filter(|(polls, _)| !polls.is_empty())
        })
        .collect();
    let mut next_of = |store: usize| {
        let (polls, entry) = stores[store].next()?;
        name.clear();
        entry.push_site(&mut name);
        Some(((xxh3_64(&name), store), polls))
    };
    // The next site of each store.
    let mut next: BTreeMap<(u64, usize), Polls> =
        (0..job.stores.iter().count()).filter_map(&mut next_of).collect();
    let mut sample = Vec::new();
    while sample.len() < SAMPLE
        && let Some(((_, store), polls)) = next.pop_first()
    {
        sample.push(polls);
        next.extend(next_of(store));
    }
    ChangeRates::of_sites(&sample)
}

/// Plans sites, and writes their rows.
struct Planner<'j> {
    job: &'j PlanJob<'j>,
    rates: ChangeRates,
    /// The sites of the frontier that the stores do not have.
    unknown: &'j [(Box<[u8]>, u64)],
}

impl Planner<'_> {
    fn plan(&self, history: &SiteHistory) -> SitePlan {
        SitePlan::new(history, &self.rates.of_site(history.polls()), &self.job.rules)
    }

    /// Replaces `name` by the name of a site. Returns its entry, if a store has one.
    fn name(&self, site: PlannedSite, name: &mut Vec<u8>) -> Option<SiteEntry<'_>> {
        name.clear();
        match site {
            PlannedSite::Known(place) => {
                let entry = self.job.stores.site_at(place)?;
                entry.push_site(name);
                Some(entry)
            }
            PlannedSite::Unknown(index) => {
                name.extend_from_slice(&self.unknown[index].0);
                None
            }
        }
    }

    /// Sorts rows and writes them.
    fn write(&self, mut rows: Vec<Row>, table: &mut PlanTable) -> Result<(), JobError> {
        rows.par_sort_unstable_by(|one, other| {
            (Reverse(one.value), one.name).cmp(&(Reverse(other.value), other.name)).then_with(|| {
                let [mut name, mut others] = [Vec::new(), Vec::new()];
                self.name(one.site, &mut name);
                self.name(other.site, &mut others);
                name.cmp(&others)
            })
        });
        // Blocks are encoded on all threads, and written in order.
        let form = table.form();
        for rows in rows.chunks(ROWS * thread_count()) {
            let blocks = rows.par_chunks(ROWS).map(|rows| self.encode(rows, form.block()));
            for block in blocks.collect::<Vec<_>>() {
                table.write(&block?)?;
            }
        }
        Ok(())
    }

    fn encode(&self, rows: &[Row], mut block: PlanBlock) -> Result<RowBlock, OutputError> {
        let mut name = Vec::new();
        for row in rows {
            let entry = self.name(row.site, &mut name);
            let history = entry.map(|entry| SiteHistory::of_entry(&entry, self.job.rules.now));
            let history = history.unwrap_or_default();
            block.push(&String::from_utf8_lossy(&name), row.urls, &history, &self.plan(&history));
        }
        block.finish()
    }
}

/// The rows of a block of an output.
const ROWS: usize = 1 << 13;

/// A key that orders sites as their texts do, as far as it goes. Nearly all begin with one of two texts, which would say
/// nothing.
fn key_of(site: &[u8]) -> [u8; NAME] {
    const HTTP: &[u8] = b"http://";
    const HTTPS: &[u8] = b"https://";
    let (class, rest) = match (site.strip_prefix(HTTP), site.strip_prefix(HTTPS)) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (3, rest),
        _ if site < HTTP => (0, site),
        _ if site < HTTPS => (2, site),
        _ => (4, site),
    };
    let mut key = [0; NAME];
    key[0] = class;
    key[1..].iter_mut().zip(rest).for_each(|(place, &byte)| *place = byte);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_sites() {
        let mut sites: Vec<&[u8]> = vec![
            b"https://example.com",
            b"http://example.com",
            b"http://example.com:8080",
            b"https://www.example.com",
            b"https://a.example",
            b"ftp://a.example",
            b"http+x://a.example",
            b"httpa://a.example",
            b"httpz://a.example",
            b"gopher://x",
            b"ws://x",
            b"https://example.com-a-longer-name",
            b"https://example.com-a-longer-name.example",
        ];
        sites.sort_unstable();
        let keys: Vec<[u8; NAME]> = sites.iter().map(|site| key_of(site)).collect();
        assert!(keys.is_sorted(), "{keys:?}");
    }
}
