//! URLs made up to show what a change changes, out of the rules alone.
//!
//! Two collections are walked side by side as their stores have them, so sources and bundles are compared alike: sites that
//! say the same, octet for octet, are recognised at once, and of the others each different pair of policies is compared
//! once, as long as it is remembered. What is kept is bounded, however many sites there are.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;
use robomata::automaton::{CompareOptions, Difference, Program, ProgramRef, compare_programs, path_of};
use robomata::{
    Answer, Config, Crawler, DeciderId, Dialect, FetchOutcome, Policy, PolicyStore, Site, SitePair,
    SitePolicy, StoreView,
};
use serde::Serialize;

use super::judge::differ;
use super::policies::file_policy;
use super::{BlastJob, Policies, Said};
use crate::dissent::Compared;
use crate::error::JobError;

/// What the rules themselves say of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WitnessReport {
    /// Sites that only the old side has.
    pub only_old: u64,
    /// Sites that only the new side has.
    pub only_new: u64,
    /// Sites of both sides that are proved to answer alike, whatever the URL.
    pub alike: u64,
    /// Sites with witnesses.
    pub changed: u64,
    /// Sites without a witness, but without a proof that there is none.
    pub unproved: u64,
    /// The first changed and unproved sites by name; of one robots.txt each the only one.
    pub sites: Vec<SiteWitnesses>,
}

/// The witnesses of one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SiteWitnesses {
    /// The site in normal form; none where one robots.txt is compared with another.
    pub site: Option<String>,
    /// Is there no other pair of rules that decide differently?
    pub exhaustive: bool,
    /// Did the search end because its budget was spent? A larger one continues.
    pub spent: bool,
    /// Pairs of rules with a witness.
    pub pairs: u64,
    /// The shortest of them, as many as are shown.
    pub witnesses: Vec<WitnessUrl>,
}

/// A URL that the two sides answer differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessUrl {
    /// The URL; a path alone where one robots.txt is compared with another.
    pub url: String,
    /// What was said.
    pub old: Said,
    /// What is said now.
    pub new: Said,
}

/// Compares the rules of both sides.
///
/// # Errors
/// When a bundle is damaged, or one side does not hold the crawler.
pub fn witnesses(job: &BlastJob<'_>) -> Result<WitnessReport, JobError> {
    job.old.validate()?;
    job.new.validate()?;
    match (job.old, job.new) {
        (Policies::File(old, dialect), Policies::File(new, _)) => {
            let [mut old, mut new] = [old, new].map(|file| file_policy(file, *dialect, &job.crawler));
            let found = compare(job, None, [&mut old, &mut new]);
            let mut report = WitnessReport::default();
            report.count(found.outcome());
            report.sites.push(found);
            Ok(report)
        }
        (Policies::Sites(old, _), Policies::Sites(new, _)) => of_stores(job, old, new),
        _ => Ok(WitnessReport::default()),
    }
}

fn of_stores(job: &BlastJob<'_>, old: &PolicyStore, new: &PolicyStore) -> Result<WitnessReport, JobError> {
    let views = [old.view(&job.crawler)?, new.view(&job.crawler)?];
    let mut walk =
        Walk { job, views: &views, known: HashMap::new(), waiting: vec![], shown: BTreeMap::new() };
    let mut report = WitnessReport::default();
    views[0].each_pair(&views[1], |site| walk.take(site, &mut report));
    walk.settle(&mut report);
    let shown: Vec<(Vec<u8>, Pair)> = walk.shown.into_iter().collect();
    let witnesses = |(site, pair): (Vec<u8>, Pair)| {
        let [mut old, mut new] = policies(&views, pair);
        compare(job, Some(&site), [&mut old, &mut new])
    };
    report.sites = shown.into_par_iter().map(witnesses).collect();
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

/// What came of the comparison of two policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Alike,
    Unproved,
    Changed,
}

/// What a site says in the old store and in the new one.
type Pair = (DeciderId, DeciderId);

fn policies(views: &[StoreView<'_>; 2], (old, new): Pair) -> [SitePolicy; 2] {
    [views[0].policy(old), views[1].policy(new)]
}

/// Sites whose policies differ that are waited for, so that all threads have something to compare.
const WAITING: usize = 1 << 14;
/// Pairs of policies whose comparison is remembered.
const KNOWN: usize = 1 << 20;

/// A walk through both stores.
struct Walk<'w> {
    job: &'w BlastJob<'w>,
    views: &'w [StoreView<'w>; 2],
    known: HashMap<Pair, Outcome>,
    waiting: Vec<(Vec<u8>, Pair)>,
    /// The first by name of those that are to be shown.
    shown: BTreeMap<Vec<u8>, Pair>,
}

impl Walk<'_> {
    fn take(&mut self, site: &SitePair<'_>, report: &mut WitnessReport) {
        match (site.old, site.new) {
            (Some(old), Some(new)) if self.views[0].says_same(old, &self.views[1], new) => report.alike += 1,
            (Some(old), Some(new)) => {
                self.waiting.push((site.site(), (old, new)));
                if self.waiting.len() == WAITING {
                    self.settle(report);
                }
            }
            (Some(_), None) => report.only_old += 1,
            (None, _) => report.only_new += 1,
        }
    }

    /// Compares what waits.
    fn settle(&mut self, report: &mut WitnessReport) {
        let Walk { job, views, known, waiting, shown } = self;
        if known.len() + waiting.len() > KNOWN {
            known.clear();
        }
        let mut pairs: Vec<Pair> = waiting.iter().map(|&(_, pair)| pair).collect();
        pairs.retain(|pair| !known.contains_key(pair));
        pairs.sort_unstable();
        pairs.dedup();
        let outcome = |pair: Pair| {
            let [mut old, mut new] = policies(views, pair);
            (pair, compare(job, None, [&mut old, &mut new]).outcome())
        };
        known.par_extend(pairs.into_par_iter().map(outcome));
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

/// Compares two policies; on `site`, or whatever the site is.
fn compare(job: &BlastJob<'_>, site: Option<&[u8]>, [old, new]: [&mut SitePolicy; 2]) -> SiteWitnesses {
    let dialect = job.old.dialect();
    let Texts { texts, exhaustive, spent } = texts(job, dialect, old, new);
    let name = site.map(|site| String::from_utf8_lossy(site).into_owned());
    let mut found = SiteWitnesses { site: name, exhaustive, spent, pairs: 0, witnesses: vec![] };
    let said_on = site.and_then(|site| Site::of_url(site).ok());
    let mut url = site.unwrap_or(b"http://site.example").to_vec();
    let path_from = url.len();
    for text in texts {
        url.truncate(path_from);
        url.extend(path_of(&text, dialect));
        let answers = (old.check(&url), new.check(&url));
        // Whoever is named has been asked.
        if !differ(answers.0, answers.1, job.compared) {
            found.exhaustive = false;
            continue;
        }
        found.pairs += 1;
        if found.witnesses.len() < job.shown.examples {
            let shown = if site.is_some() { &url[..] } else { &url[path_from..] };
            let url = String::from_utf8_lossy(shown).into_owned();
            let said = |side: &Policies, answer: Answer| {
                side.said(&job.crawler, said_on.as_ref(), answer.as_str(), answer.line())
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

/// Texts that should be answered differently.
struct Texts {
    /// The shortest first.
    texts: Vec<Vec<u8>>,
    /// Is there nothing else?
    exhaustive: bool,
    /// Did the search end because its budget was spent?
    spent: bool,
}

/// Texts that should be answered differently, and whether there is nothing else.
fn texts(job: &BlastJob<'_>, dialect: Dialect, old: &mut SitePolicy, new: &mut SitePolicy) -> Texts {
    let difference = if job.compared == Compared::Lines { Difference::Line } else { Difference::Verdict };
    let [Some(old_program), Some(new_program)] =
        [&*old, &*new].map(|policy| program_of(policy, dialect, difference))
    else {
        return Texts { texts: tried(job, dialect, old, new), exhaustive: false, spent: false };
    };
    let options = CompareOptions { difference, budget: job.budget, ..CompareOptions::default() };
    match compare_programs(old_program.as_ref(), new_program.as_ref(), dialect, &options) {
        Ok(found) => Texts {
            texts: found.witnesses.into_iter().map(|witness| witness.text).collect(),
            exhaustive: found.is_exhaustive,
            spent: !found.is_exhaustive,
        },
        Err(_) => Texts { texts: vec![], exhaustive: false, spent: false },
    }
}

/// The rules of a policy, or rules to the same effect; none where more than rules decide, or nothing is known.
fn program_of(policy: &SitePolicy, dialect: Dialect, difference: Difference) -> Option<Program> {
    let compiled = |robots: &[u8]| {
        let policy = SitePolicy::new(&Policy::new(robots, &Config::new(dialect)), &Crawler::new("anybody"));
        policy.program().map(ProgramRef::to_owned)
    };
    match policy.outcome() {
        FetchOutcome::Success => policy.program().map(ProgramRef::to_owned),
        FetchOutcome::Unavailable => compiled(b""),
        // No line decides there, and one would here.
        FetchOutcome::Unreachable | FetchOutcome::Restricted if difference == Difference::Verdict => {
            compiled(b"User-agent: *\nDisallow: /")
        }
        _ => None,
    }
}

/// Where nothing can be compared: texts made of the patterns of both that are answered differently, a shortest for each
/// pair of lines that decide.
fn tried(job: &BlastJob<'_>, dialect: Dialect, old: &mut SitePolicy, new: &mut SitePolicy) -> Vec<Vec<u8>> {
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
