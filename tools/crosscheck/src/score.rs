//! Scores of logs, compared with the reference request by request.
//!
//! ```text
//!  history (captures of hosts) ─┬─► robots.jsonl ─► sources::load ─┐
//!                               │   access.log ──► score::run ─────┴─► cells: crawler, site, day, verdict, line
//!  seed ─► requests ────────────┤                                        ║ every count
//!                               └─► OracleOfHost, one request at a time ─► cells
//! ```
//!
//! [`history`] reads how the robots.txt of real hosts changed. [`requests`] generates requests, and prefers the moments
//! at which answers change. [`oracle`] classifies each request, using only the reference and its life-cycle.

pub mod history;
pub mod oracle;
pub mod requests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use robomata_engine::{Audience, Dialect, History as Kept, StoreKind};
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::{Counts, ScoreReport};
use robomata_jobs::score::{self, ScoreJob, TimeTravel};
use robomata_jobs::sources::{self, LoadOptions};
use robomata_jobs::{Silent, Strictness};

use self::history::History;
use self::oracle::{ExpectedVerdict, OracleOfHost};
use self::requests::{Request, Traffic};

/// The input of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Questions<'q> {
    /// The captures.
    pub history: &'q History,
    /// The requests and their crawlers.
    pub traffic: &'q Traffic,
    /// Directories of crawlers.
    pub agents: &'q [PathBuf],
    /// The dialect for every robots.txt.
    pub dialect: Dialect,
    /// The captures that the job uses. The reference always uses the captures in force.
    pub travel: TimeTravel,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Requests of crawlers that both evaluated.
    pub requests: u64,
    /// The reference's verdicts, with their counts.
    pub verdicts: BTreeMap<&'static str, u64>,
    /// Number of counts compared.
    pub comparisons: u64,
    /// The counts that differ.
    pub divergences: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdicts: Vec<String> =
            self.verdicts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        writeln!(f, "{} requests evaluated: {}", self.requests, verdicts.join(", "))?;
        write!(f, "{} counts compared", self.comparisons)
    }
}

/// The key of a count: crawler, site, day, verdict and line.
type Place = (String, String, Option<i32>, &'static str, u32);

/// Runs the scoring job over the log, evaluates every request with the reference, and compares every count.
///
/// # Errors
/// If the captures or the log cannot be written, or the job fails.
pub fn run(questions: &Questions<'_>) -> Result<Outcome> {
    let folder = tempfile::tempdir()?;
    let report = scored(questions, folder.path())?;
    let judged = judged(questions);
    let mut found = Outcome { requests: judged.len() as u64, ..Outcome::default() };
    let mut expected: BTreeMap<Place, u64> = BTreeMap::new();
    for (place, _) in &judged {
        *expected.entry(place.clone()).or_default() += 1;
        *found.verdicts.entry(place.3).or_default() += 1;
    }
    compare_cells(&report, &expected, &judged, &mut found);
    compare_totals(&report, questions.traffic, &expected, &mut found);
    Ok(found)
}

fn scored(questions: &Questions<'_>, folder: &Path) -> Result<ScoreReport> {
    let (robots, log) = (folder.join("robots.jsonl"), folder.join("access.log"));
    write(&robots, |out| questions.history.write(out))?;
    write(&log, |out| questions.traffic.write(out))?;
    let kind = StoreKind { history: Kept::All, ..StoreKind::new(questions.dialect, Audience::Everyone) };
    let options = LoadOptions { strictness: Strictness::Strict, ..LoadOptions::new(kind) };
    let loaded = sources::load(&[robots], &options, &mut Silent)?;
    let (agents, _) = Agents::read(questions.agents, Strictness::Strict, &mut Silent)?;
    let mut job = ScoreJob::new(&loaded.store, agents, vec![log]);
    job.travel = questions.travel;
    job.sites = usize::MAX;
    job.strictness = Strictness::Strict;
    Ok(score::run(&job, &mut Silent)?)
}

fn write(path: &Path, what: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    what(&mut out).and_then(|()| out.flush()).with_context(|| format!("writing {}", path.display()))
}

/// Every crawler request by its key, with the reason for the reference's verdict.
fn judged<'q>(questions: &Questions<'q>) -> Vec<(Place, (&'q Request, ExpectedVerdict))> {
    let mut by_host: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in questions.traffic.of_crawlers() {
        by_host.entry(&request.host).or_default().push(request);
    }
    let of_host = |(host, requests): (&str, Vec<&'q Request>)| -> Vec<_> {
        let mut oracle = OracleOfHost::new(questions.history.captures(host), questions.dialect);
        let judge = |request: &'q Request| {
            let crawler = questions.traffic.crawler(request);
            let (site, classified) = oracle.judge(host, request, crawler);
            let day = i32::try_from(request.time.div_euclid(86_400)).ok();
            ((crawler.to_string(), site, day, classified.verdict, classified.line), (request, classified))
        };
        requests.into_iter().map(judge).collect()
    };
    let by_host: Vec<(&str, Vec<&Request>)> = by_host.into_iter().collect();
    by_host.into_par_iter().flat_map_iter(of_host).collect()
}

fn compare_cells(
    report: &ScoreReport,
    expected: &BTreeMap<Place, u64>,
    judged: &[(Place, (&Request, ExpectedVerdict))],
    found: &mut Outcome,
) {
    let mut actual: BTreeMap<Place, u64> = BTreeMap::new();
    for cell in &report.cells {
        let place = (cell.crawler.to_string(), cell.site.to_string(), cell.day, cell.verdict, cell.line);
        *actual.entry(place).or_default() += cell.requests;
        if let Some(rule) = &cell.rule
            && !rule.starts_with("Disallow: ")
        {
            found.divergences.push(format!("unexpected broken rule {rule:?}"));
        }
    }
    let places: BTreeSet<&Place> = actual.keys().chain(expected.keys()).collect();
    found.comparisons += places.len() as u64;
    for place in places {
        let count = |of: &BTreeMap<Place, u64>| of.get(place).copied().unwrap_or(0);
        let (actual, expected) = (count(&actual), count(expected));
        if actual != expected {
            let example = judged.iter().find(|(other, _)| other == place).map(|(_, example)| example);
            let example =
                example.map(|(request, classified)| format!("\n    {request}\n    {}", classified.why));
            found.divergences.push(format!(
                "{place:?}: the job counts {actual}, the reference {expected}{}",
                example.unwrap_or_default()
            ));
        }
    }
}

/// Compares the totals of lines, visitors, crawlers and sites.
fn compare_totals(
    report: &ScoreReport,
    traffic: &Traffic,
    expected: &BTreeMap<Place, u64>,
    found: &mut Outcome,
) {
    let mut compare = |what: &str, actual: String, expected: String| {
        found.comparisons += 1;
        if actual != expected {
            found.divergences.push(format!("{what}: the job reports {actual}, expected {expected}"));
        }
    };
    let visitors = report.visitors;
    let actual =
        [report.lines, visitors.crawlers, visitors.browsers, visitors.programs, visitors.without_user_agent];
    compare("lines and visitors", format!("{actual:?}"), format!("{:?}", traffic.visitors()));

    let mut crawlers: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut sites: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    for ((crawler, site, _, verdict, _), count) in expected {
        add(crawlers.entry(crawler).or_default(), verdict, *count);
        add(sites.entry((crawler, site)).or_default(), verdict, *count);
    }
    for crawler in &report.crawlers {
        let name = crawler.crawler.as_str();
        let counts = crawlers.remove(name).unwrap_or_default();
        compare(name, format!("{:?}", crawler.counts), format!("{counts:?}"));
        for site in &crawler.sites {
            let counts = sites.remove(&(name, site.site.as_str())).unwrap_or_default();
            let what = format!("{name} on {}", site.site);
            compare(&what, format!("{:?}", site.counts), format!("{counts:?}"));
        }
    }
    compare("crawlers left out", "[]".to_owned(), format!("{:?}", crawlers.keys().collect::<Vec<_>>()));
    compare("sites left out", "[]".to_owned(), format!("{:?}", sites.keys().collect::<Vec<_>>()));
}

fn add(counts: &mut Counts, verdict: &str, count: u64) {
    counts.requests += count;
    *match verdict {
        "robots-txt" => &mut counts.robots_txt,
        "allowed" => &mut counts.allowed,
        "disallowed" => &mut counts.disallowed,
        "excused" => &mut counts.excused,
        "deferred" => &mut counts.deferred,
        "site-unknown" => &mut counts.site_unknown,
        "before-first-capture" => &mut counts.before_first_capture,
        "no-policy" => &mut counts.no_policy,
        _ => &mut counts.invalid,
    } += count;
}
