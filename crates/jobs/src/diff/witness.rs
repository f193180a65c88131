//! Finds URLs that show the effects of a change, from the rules alone.
//!
//! Both collections are walked in parallel by their stores, so sources and bundles are compared alike. Sites with
//! identical policies are recognised at once. For the other sites, each different pair of policies is compared once, as
//! long as the comparison is remembered: for every crawler that one of the two policies names. Memory is bounded,
//! however many sites there are.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use robomata_engine::automaton::{
    CompareOptions, Difference, Program, ProgramRef, compare_programs, path_of,
};
use robomata_engine::{Answer, Config, Crawler, Dialect, FetchOutcome, Policy, Site, SitePolicy};
use serde::Serialize;

use super::judge::differ;
use super::sides::{Content, ContentPair, Group, Groups, Sides};
use super::{DiffJob, Policies, SideAnswer};
use crate::compare::Compared;
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
    /// The URL; only a path if two robots.txt files are compared.
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
    let compare = |mut group: Group| {
        let mut found = compare(job, budget, site, &mut group);
        found.exhaustive &= !is_cut;
        found
    };
    groups.into_iter().map(compare).collect()
}

/// Compares two policies for crawlers with the same rules.
fn compare(job: &DiffJob<'_>, budget: u64, site: Option<&[u8]>, group: &mut Group) -> SiteWitnesses {
    let dialect = job.old.dialect();
    let name = site.map(|site| String::from_utf8_lossy(site).into_owned());
    let crawlers = job.names_of(&group.crawlers);
    let mut found =
        SiteWitnesses { site: name, crawlers, exhaustive: true, spent: false, pairs: 0, witnesses: vec![] };
    if group.is_same() {
        return found;
    }
    let [old, new] = &mut group.policies;
    let Texts { texts, exhaustive, spent } = texts(job, budget, old, new);
    (found.exhaustive, found.spent) = (exhaustive, spent);
    let said_on = site.and_then(|site| Site::of_url(site).ok());
    let mut url = site.unwrap_or(b"http://site.example").to_vec();
    let path_from = url.len();
    for text in texts {
        url.truncate(path_from);
        url.extend(path_of(&text, dialect));
        let answers = (old.check(&url), new.check(&url));
        // Both sides verify each witness.
        if !differ(answers.0, answers.1, job.compared) {
            found.exhaustive = false;
            continue;
        }
        found.pairs += 1;
        if found.witnesses.len() < job.shown.examples {
            let shown = if site.is_some() { &url[..] } else { &url[path_from..] };
            let url = String::from_utf8_lossy(shown).into_owned();
            let said = |side: &Policies, answer: Answer| {
                side.said(&group.crawlers[0], said_on.as_ref(), answer.as_str(), answer.line())
            };
            found.witnesses.push(WitnessUrl {
                url,
                old: said(job.old, answers.0),
                new: said(job.new, answers.1),
            });
        }
    }
    found
}

/// Texts whose answers should differ.
struct Texts {
    /// The texts, shortest first.
    texts: Vec<Vec<u8>>,
    /// Is there provably no further text?
    exhaustive: bool,
    /// Did the search end because it used up its budget?
    spent: bool,
}

/// Texts whose answers should differ, and whether there are provably no others.
fn texts(job: &DiffJob<'_>, budget: u64, old: &mut SitePolicy, new: &mut SitePolicy) -> Texts {
    let dialect = job.old.dialect();
    let difference = if job.compared == Compared::Lines { Difference::Line } else { Difference::Verdict };
    let [Some(old_program), Some(new_program)] =
        [&*old, &*new].map(|policy| program_of(policy, dialect, difference))
    else {
        return Texts { texts: tried(job, dialect, old, new), exhaustive: false, spent: false };
    };
    let options = CompareOptions { difference, budget, ..CompareOptions::default() };
    match compare_programs(old_program.as_ref(), new_program.as_ref(), dialect, &options) {
        Ok(found) => Texts {
            texts: found.witnesses.into_iter().map(|witness| witness.text).collect(),
            exhaustive: found.is_exhaustive,
            spent: !found.is_exhaustive,
        },
        Err(_) => Texts { texts: vec![], exhaustive: false, spent: false },
    }
}

/// The rules of a policy, or rules with the same effect; none if more than rules decide, or if nothing is known.
fn program_of(policy: &SitePolicy, dialect: Dialect, difference: Difference) -> Option<Program> {
    let compiled = |robots: &[u8]| {
        let policy = SitePolicy::new(&Policy::new(robots, &Config::new(dialect)), &Crawler::new("anybody"));
        policy.program().map(ProgramRef::to_owned)
    };
    match policy.outcome() {
        FetchOutcome::Success => policy.program().map(ProgramRef::to_owned),
        FetchOutcome::Unavailable => compiled(b""),
        // No line decides in this case, but a compiled rule would have a line.
        FetchOutcome::Unreachable | FetchOutcome::Restricted if difference == Difference::Verdict => {
            compiled(b"User-agent: *\nDisallow: /")
        }
        _ => None,
    }
}

/// When programs cannot be compared: texts made from the patterns of both policies whose answers differ, a shortest one
/// for each pair of lines that decide.
fn tried(job: &DiffJob<'_>, dialect: Dialect, old: &mut SitePolicy, new: &mut SitePolicy) -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = old.instances().into_iter().chain(new.instances()).collect();
    texts.push(b"/".to_vec());
    texts.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let mut seen = HashSet::new();
    texts.retain(|text| {
        let path = path_of(text, dialect);
        let answers = (old.check(&path), new.check(&path));
        differ(answers.0, answers.1, job.compared) && seen.insert(answers)
    });
    texts
}
