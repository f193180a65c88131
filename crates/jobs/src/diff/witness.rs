//! Finds URLs that show the effects of a change, from the rules alone.
//!
//! Both collections are walked in parallel by their stores, so sources and bundles are compared alike. Sites with
//! identical policies are recognised at once. For the other sites, each different pair of policies is compared once, as
//! long as the comparison is remembered: for every crawler that one of the two policies names. Memory is bounded,
//! however many sites there are.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use robomata_engine::syntax::Lines;
use robomata_engine::{Answer, Change, Differences, Site, differences, url_of_path};
use robomata_formats::urls::as_text;
use serde::Serialize;

use super::sides::{Content, ContentPair, Group, Groups, Sides};
use super::{DiffJob, Policies, SideAnswer};
use crate::error::JobError;

/// The changes by rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WitnessReport {
    /// Sites that only the old side has.
    pub only_old: u64,
    /// Sites that only the new side has.
    pub only_new: u64,
    /// Sites of both sides that provably answer alike for every URL.
    pub alike: u64,
    /// Sites with witnesses.
    pub changed: u64,
    /// Sites without a witness, but also without a proof that there is none.
    pub unproved: u64,
    /// The first changed and unproved sites by name, with one entry for each group of crawlers for which something
    /// changes. For two robots.txt files, one entry for each group of crawlers.
    pub sites: Vec<SiteWitnesses>,
}

/// The witnesses of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteWitnesses {
    /// The site in normal form; none if two robots.txt files are compared.
    pub site: Option<String>,
    /// The crawlers of this entry; `*` is every crawler that neither side names. Left out if the job names a single
    /// crawler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawlers: Vec<String>,
    /// Is it proved that no other pair of rules decides differently?
    pub exhaustive: bool,
    /// Did the search end because it used up its budget? A larger budget continues it.
    pub spent: bool,
    /// Pairs of rules with a witness.
    pub pairs: u64,
    /// The shortest witnesses, as many as the report shows.
    pub witnesses: Vec<WitnessUrl>,
}

/// A URL with different answers on the two sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessUrl {
    /// The URL; only a path if two robots.txt files are compared, unless the path begins with `//`, which names a host.
    pub url: String,
    /// The answer before the change.
    pub old: SideAnswer,
    /// The answer after the change.
    pub new: SideAnswer,
}

/// Compares the rules of both sides.
///
/// # Errors
/// When one side does not hold a crawler.
pub fn witnesses(job: &DiffJob<'_>) -> Result<WitnessReport, JobError> {
    let sides = job.sides()?;
    let mut report = WitnessReport::default();
    if sides.is_files() {
        let found = compare_pair(job, &sides, None, &[Some(Content::File), Some(Content::File)]);
        report.count(outcome_of(&found));
        report.sites = found;
        return Ok(report);
    }
    let mut walk =
        Walk { job, sides: &sides, known: HashMap::new(), waiting: vec![], shown: BTreeMap::new() };
    sides.each_pair(|site, contents| walk.take(site, contents, &mut report));
    walk.settle(&mut report);
    let shown: Vec<(Vec<u8>, ContentPair<'_>)> = walk.shown.into_iter().collect();
    let witnesses = |(site, pair): (Vec<u8>, ContentPair<'_>)| {
        let mut found = compare_pair(job, &sides, Some(&site), &pair);
        found.retain(|found| found.outcome() != Outcome::Alike);
        found
    };
    report.sites = shown.into_par_iter().flat_map_iter(witnesses).collect();
    Ok(report)
}

impl WitnessReport {
    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Alike => self.alike += 1,
            Outcome::Unproved => self.unproved += 1,
            Outcome::Changed => self.changed += 1,
        }
    }
}

impl SiteWitnesses {
    fn outcome(&self) -> Outcome {
        match (self.pairs, self.exhaustive) {
            (0, true) => Outcome::Alike,
            (0, false) => Outcome::Unproved,
            _ => Outcome::Changed,
        }
    }
}

/// The outcome of a comparison of two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Alike,
    Unproved,
    Changed,
}

/// The most differing sites that are collected before they are compared, so that all threads have work.
const WAITING: usize = 1 << 14;
/// The most pairs of policies whose comparison is remembered.
const KNOWN: usize = 1 << 20;

/// A walk through both sides.
struct Walk<'w, 'p> {
    job: &'w DiffJob<'p>,
    sides: &'w Sides<'p>,
    known: HashMap<ContentPair<'p>, Outcome>,
    waiting: Vec<(Vec<u8>, ContentPair<'p>)>,
    /// The sites to show, the first ones by name.
    shown: BTreeMap<Vec<u8>, ContentPair<'p>>,
}

impl<'p> Walk<'_, 'p> {
    fn take(&mut self, site: Vec<u8>, contents: ContentPair<'p>, report: &mut WitnessReport) {
        match contents {
            [Some(_), None] => report.only_old += 1,
            [None, _] => report.only_new += 1,
            _ if self.sides.says_same(&contents) => report.alike += 1,
            _ => {
                self.waiting.push((site, contents));
                if self.waiting.len() == WAITING {
                    self.settle(report);
                }
            }
        }
    }

    /// Compares the collected sites.
    fn settle(&mut self, report: &mut WitnessReport) {
        let Walk { job, sides, known, waiting, shown } = self;
        if known.len() + waiting.len() > KNOWN {
            known.clear();
        }
        let pairs: HashSet<&ContentPair<'_>> = waiting.iter().map(|(_, pair)| pair).collect();
        let pairs: Vec<_> = pairs.into_iter().filter(|pair| !known.contains_key(*pair)).collect();
        let outcome =
            |pair: &ContentPair<'p>| (pair.clone(), outcome_of(&compare_pair(job, sides, None, pair)));
        let found: Vec<_> = pairs.into_par_iter().map(outcome).collect();
        known.extend(found);
        for (site, pair) in waiting.drain(..) {
            let outcome = known[&pair];
            report.count(outcome);
            if outcome != Outcome::Alike {
                shown.insert(site, pair);
                if shown.len() > job.shown.sites {
                    shown.pop_last();
                }
            }
        }
    }
}

/// The outcome for all crawlers together.
fn outcome_of(found: &[SiteWitnesses]) -> Outcome {
    let outcomes = || found.iter().map(SiteWitnesses::outcome);
    if outcomes().any(|outcome| outcome == Outcome::Changed) {
        return Outcome::Changed;
    }
    if outcomes().all(|outcome| outcome == Outcome::Alike) { Outcome::Alike } else { Outcome::Unproved }
}

/// The smallest budget of a search, however many crawlers share the budget of a site.
const LEAST_BUDGET: u64 = 10_000;

/// Compares two policies for each group of crawlers, on `site` or for any site. The groups share the site's budget.
fn compare_pair<'p>(
    job: &DiffJob<'p>,
    sides: &Sides<'p>,
    site: Option<&[u8]>,
    contents: &ContentPair<'p>,
) -> Vec<SiteWitnesses> {
    let Groups { groups, is_cut } = sides.groups(contents);
    let searched = groups.iter().filter(|group| !group.is_same()).count().max(1) as u64;
    let budget = (job.budget / searched).max(LEAST_BUDGET.min(job.budget));
    let said_on = site.and_then(|site| Site::of_url(site).ok());
    let lines = [job.old, job.new].map(|side| side.lines(said_on.as_ref()));
    let compare = |mut group: Group| {
        let mut found = compare(job, budget, (site, &lines), &mut group);
        found.exhaustive &= !is_cut;
        found
    };
    groups.into_iter().map(compare).collect()
}

/// Compares two policies for crawlers with the same rules, on a site with the lines of both sides.
fn compare(
    job: &DiffJob<'_>,
    budget: u64,
    (site, [old_lines, new_lines]): (Option<&[u8]>, &[Option<Lines<'_>>; 2]),
    group: &mut Group,
) -> SiteWitnesses {
    let name = site.map(|site| String::from_utf8_lossy(site).into_owned());
    let crawlers = job.names_of(&group.crawlers);
    let mut found =
        SiteWitnesses { site: name, crawlers, exhaustive: true, spent: false, pairs: 0, witnesses: vec![] };
    if group.is_same() {
        return found;
    }
    let [old, new] = &mut group.policies;
    let Differences { changes, is_exhaustive, is_spent } = differences(old, new, job.compared, budget);
    (found.exhaustive, found.spent, found.pairs) = (is_exhaustive, is_spent, changes.len() as u64);
    let said_on = site.and_then(|site| Site::of_url(site).ok());
    let said = |side: &Policies, lines: &Option<Lines<'_>>, answer: Answer| {
        side.said(lines.as_ref(), &group.crawlers[0], said_on.as_ref(), answer.as_str(), answer.line())
    };
    let url_of = |path: &[u8]| match site {
        Some(site) => as_text(&[site, path].concat()).into_owned(),
        None => as_text(&url_of_path(path)).into_owned(),
    };
    let shown = changes.into_iter().take(job.shown.examples);
    found.witnesses.extend(shown.map(|Change { path, old, new }| WitnessUrl {
        url: url_of(&path),
        old: said(job.old, old_lines, old),
        new: said(job.new, new_lines, new),
    }));
    found
}
