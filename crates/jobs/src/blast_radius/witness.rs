//! URLs made up to show what a change changes, out of the rules alone.

use rayon::prelude::*;
use robomata::automaton::{CompareOptions, Difference, Program, compare_programs, path_of};
use robomata::{Answer, Config, Crawler, Dialect, FetchOutcome, FetchStatus, Policy, SitePolicy};
use serde::Serialize;

use super::judge::differ;
use super::{BlastJob, Policies, Said};
use crate::bodies::KeptBody;
use crate::dissent::Compared;
use crate::robots_file::NumberedLines;

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

/// Compares the rules of both sides. Of bundles nothing is found: they hold no texts.
pub fn witnesses(job: &BlastJob<'_>) -> WitnessReport {
    if let (Policies::File(old, dialect), Policies::File(new, _)) = (job.old, job.new) {
        let [old, new] = [old, new].map(|file| Text { octets: file.octets(), status: None });
        let found = compare(job, None, *dialect, &old, &new);
        let mut report = WitnessReport::default();
        report.count(&found);
        report.sites.push(found);
        return report;
    }
    let (Some(old), Some(new)) = (job.old.bodies(), job.new.bodies()) else {
        return WitnessReport::default();
    };
    let mut report = WitnessReport {
        only_old: old.sites().filter(|site| new.of_octets(site).is_none()).count() as u64,
        only_new: new.sites().filter(|site| old.of_octets(site).is_none()).count() as u64,
        ..WitnessReport::default()
    };
    let mut both: Vec<(&[u8], &KeptBody, &KeptBody)> =
        old.sites().filter_map(|site| Some((site, old.of_octets(site)?, new.of_octets(site)?))).collect();
    both.sort_unstable_by_key(|&(site, ..)| site);
    let found: Vec<SiteWitnesses> = both
        .into_par_iter()
        .map(|(site, old, new)| {
            let [old, new] = [old, new].map(|kept| Text { octets: &kept.body, status: kept.status });
            compare(job, Some(site), job.old.dialect(), &old, &new)
        })
        .collect();
    for site in found {
        report.count(&site);
        let is_shown = site.pairs > 0 || !site.exhaustive;
        if is_shown && report.sites.len() < job.shown.sites {
            report.sites.push(site);
        }
    }
    report
}

impl WitnessReport {
    fn count(&mut self, site: &SiteWitnesses) {
        match (site.pairs, site.exhaustive) {
            (0, true) => self.alike += 1,
            (0, false) => self.unproved += 1,
            _ => self.changed += 1,
        }
    }
}

/// One robots.txt, and how its fetch ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Text<'t> {
    octets: &'t [u8],
    status: Option<FetchStatus>,
}

/// One side of a site.
struct Reading<'t> {
    octets: &'t [u8],
    policy: SitePolicy,
    /// Its rules; where the fetch's end speaks, rules to the same effect.
    program: Option<Program>,
}

impl<'t> Reading<'t> {
    fn new(text: &Text<'t>, crawler: &Crawler, dialect: Dialect) -> Self {
        let config = Config::new(dialect);
        let policy = Policy::fetched(text.octets, text.status, &config);
        let program_of = |policy: &Policy<'_>| Some(Program::compile(&policy.rules_for(crawler)));
        let program = match policy.outcome() {
            FetchOutcome::Success => program_of(&policy),
            FetchOutcome::Unavailable => program_of(&Policy::new(b"", &config)),
            FetchOutcome::Unreachable | FetchOutcome::Restricted => {
                program_of(&Policy::new(b"User-agent: *\nDisallow: /", &config))
            }
            _ => None,
        };
        Reading { octets: text.octets, policy: SitePolicy::new(&policy, crawler), program }
    }

    fn said(&self, answer: Answer) -> Said {
        let line = answer.line();
        let rule = NumberedLines::new(self.octets).text(line).filter(|_| line > 0);
        Said { verdict: answer.as_str(), line, rule }
    }
}

fn compare(
    job: &BlastJob<'_>,
    site: Option<&[u8]>,
    dialect: Dialect,
    old: &Text<'_>,
    new: &Text<'_>,
) -> SiteWitnesses {
    let name = site.map(|site| String::from_utf8_lossy(site).into_owned());
    let mut found = SiteWitnesses { site: name, exhaustive: true, pairs: 0, witnesses: vec![] };
    if old == new {
        return found;
    }
    let [mut old, mut new] = [old, new].map(|text| Reading::new(text, &job.crawler, dialect));
    let (texts, is_exhaustive) = texts(job, dialect, &old, &new);
    // Fields of ACAP may say otherwise than rules do.
    found.exhaustive = is_exhaustive && dialect != Dialect::Acap;
    let mut url = site.unwrap_or(b"http://site.example").to_vec();
    let path_from = url.len();
    for text in texts {
        url.truncate(path_from);
        url.extend(path_of(&text, dialect));
        let answers = (old.policy.check(&url), new.policy.check(&url));
        // Whoever is named has been asked.
        if !differ(answers.0, answers.1, job.compared) {
            found.exhaustive = false;
            continue;
        }
        found.pairs += 1;
        if found.witnesses.len() < job.shown.examples {
            let shown = if site.is_some() { &url[..] } else { &url[path_from..] };
            let url = String::from_utf8_lossy(shown).into_owned();
            found.witnesses.push(WitnessUrl { url, old: old.said(answers.0), new: new.said(answers.1) });
        }
    }
    found
}

/// Texts that should be answered differently, and whether there is nothing else.
fn texts(job: &BlastJob<'_>, dialect: Dialect, old: &Reading<'_>, new: &Reading<'_>) -> (Vec<Vec<u8>>, bool) {
    let (Some(old), Some(new)) = (&old.program, &new.program) else { return (vec![b"/".to_vec()], false) };
    let difference = if job.compared == Compared::Lines { Difference::Line } else { Difference::Verdict };
    let options = CompareOptions { difference, budget: job.budget, ..CompareOptions::default() };
    match compare_programs(old.as_ref(), new.as_ref(), dialect, &options) {
        Ok(found) => (found.witnesses.into_iter().map(|witness| witness.text).collect(), found.is_exhaustive),
        Err(_) => (vec![], false),
    }
}
