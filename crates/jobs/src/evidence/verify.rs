//! Decides again, from the captures, what evidence says.

use std::borrow::Cow;
use std::path::PathBuf;

use robomata_engine::{Answer, Crawler, Dialect, Moment, Site, SitePolicy, read_crawler};
use robomata_formats::{FileName, LineBlocks, Timestamp};
use serde::Deserialize;

use super::hash;
use crate::bodies::{Bodies, KeptBody};
use crate::error::JobError;
use crate::problem::{InputProblem, ProblemKind};
use crate::share::Share;

/// A verification of evidence.
pub struct VerifyJob<'s> {
    /// The files of evidence.
    pub evidence: Vec<PathBuf>,
    /// The captures, with all of a site's.
    pub captures: &'s Bodies,
    /// The sample of URLs.
    pub share: Share,
    /// The most mismatches that the report shows; its counts are complete.
    pub shown: usize,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Lines read.
    pub lines: u64,
    /// Lines in the sample whose capture says the same.
    pub verified: u64,
    /// Lines in the sample whose capture says something else.
    pub different: u64,
    /// Lines in the sample whose capture is not among the captures.
    pub missing: u64,
    /// The first lines that are different or missing.
    pub mismatches: Vec<Mismatch>,
}

/// A line of evidence that could not be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The file.
    pub file: FileName,
    /// The 1-based line.
    pub line: u64,
    /// The URL.
    pub url: String,
    /// What was expected by the evidence, and what was found.
    pub reason: String,
}

/// A line of evidence.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'r> {
    #[serde(borrow)]
    url: Cow<'r, str>,
    #[serde(borrow)]
    agent: Cow<'r, str>,
    #[serde(borrow)]
    verdict: Cow<'r, str>,
    line: Option<u32>,
    #[serde(borrow)]
    rule: Option<Cow<'r, str>>,
    #[serde(borrow)]
    dialect: Cow<'r, str>,
    #[serde(borrow)]
    captured: Option<Cow<'r, str>>,
    #[serde(borrow)]
    body: Option<Cow<'r, str>>,
    #[serde(rename = "policies")]
    _policies: serde::de::IgnoredAny,
}

/// Verifies every line of evidence that is in the sample. Bodies are compiled one by one, without a store.
///
/// # Errors
/// When a file cannot be read to its end, and for the first line that is no evidence.
pub fn verify(job: &VerifyJob<'_>) -> Result<VerifyReport, JobError> {
    let mut report = VerifyReport::default();
    let mut judge = Judge { captures: job.captures, last: None };
    for path in &job.evidence {
        let blocks = LineBlocks::open(path)?;
        let name = blocks.name().clone();
        for block in blocks {
            let block =
                block.map_err(|error| JobError::Strict(InputProblem::of_error(&error, ProblemKind::File)))?;
            for (number, line) in block.numbered_lines() {
                let bad = |message: &str| {
                    JobError::Strict(InputProblem::at_line(ProblemKind::File, &name, Some(number), message))
                };
                report.lines += 1;
                let row: Row<'_> = serde_json::from_slice(line).map_err(|error| {
                    bad(&format!("expected evidence, as filter --evidence writes it: {error}"))
                })?;
                if !job.share.holds(row.url.as_bytes()) {
                    continue;
                }
                let reason = match judge.check(&row).map_err(|error| bad(&error))? {
                    Outcome::Verified => {
                        report.verified += 1;
                        continue;
                    }
                    Outcome::Missing(reason) => {
                        report.missing += 1;
                        reason
                    }
                    Outcome::Different(reason) => {
                        report.different += 1;
                        reason
                    }
                };
                if report.mismatches.len() < job.shown {
                    let (file, url) = (name.clone(), row.url.clone().into_owned());
                    report.mismatches.push(Mismatch { file, line: number, url, reason });
                }
            }
        }
    }
    Ok(report)
}

enum Outcome {
    Verified,
    Missing(String),
    Different(String),
}

/// Decides again.
struct Judge<'s> {
    captures: &'s Bodies,
    /// The last policy: lines usually come grouped by site.
    last: Option<Compiled>,
}

/// A policy, and what it was compiled from.
struct Compiled {
    site: Vec<u8>,
    captured: Option<Moment>,
    agent: String,
    dialect: Dialect,
    body: String,
    policy: SitePolicy,
    /// The rules that can decide, as evidence shows them, by line.
    rules: Vec<(u32, String)>,
}

impl Judge<'_> {
    /// Checks one line. An error says why it is no evidence.
    fn check(&mut self, row: &Row<'_>) -> Result<Outcome, String> {
        let site = Site::of_url(row.url.as_bytes()).map_err(|error| format!("url: {error}"))?;
        let dialect: Dialect = row.dialect.parse().map_err(|error| format!("dialect: {error}"))?;
        let crawler = read_crawler(&row.agent, dialect).map_err(|error| format!("agent: {error}"))?.crawler;
        let captured = match &row.captured {
            Some(text) => {
                let time: Timestamp = text.parse().map_err(|error| format!("captured: {error}"))?;
                Some(Moment::from_seconds(time.seconds()))
            }
            None => None,
        };
        let kept = match captured {
            Some(time) => self.captures.at(&site, time).filter(|kept| kept.time == captured),
            None => self.captures.of(&site),
        };
        let Some(kept) = kept else {
            return Ok(match (captured, &*row.verdict) {
                (None, "unknown") => Outcome::Verified,
                _ => Outcome::Missing(format!("the captures have no robots.txt of {site} of that time")),
            });
        };
        let compiled = self.compiled(&site, captured, &row.agent, &crawler, dialect, kept);
        if let Some(body) = row.body.as_deref().filter(|&body| body != compiled.body) {
            return Ok(Outcome::Different(format!("expected the body {body}, found {}", compiled.body)));
        }
        let answer = compiled.policy.check(row.url.as_bytes());
        let line = Some(answer.line()).filter(|&line| line > 0);
        if (&*row.verdict, row.line) != (answer.as_str(), line) {
            let said = said(&row.verdict, row.line);
            return Ok(Outcome::Different(format!("expected {said}, found {}", said_by(answer))));
        }
        let rule = line.and_then(|line| compiled.rules.iter().find(|(of, _)| *of == line));
        match (row.rule.as_deref(), rule) {
            (Some(expected), Some((_, found))) if expected != found => {
                Ok(Outcome::Different(format!("expected the rule '{expected}', found '{found}'")))
            }
            _ => Ok(Outcome::Verified),
        }
    }

    fn compiled(
        &mut self,
        site: &Site<'_>,
        captured: Option<Moment>,
        agent: &str,
        crawler: &Crawler,
        dialect: Dialect,
        kept: &KeptBody,
    ) -> &mut Compiled {
        let is_last = |last: &Compiled| {
            last.site == site.as_bytes()
                && (last.captured, &*last.agent, last.dialect) == (captured, agent, dialect)
        };
        if !self.last.as_ref().is_some_and(is_last) {
            let policy = self.captures.policy(kept, dialect);
            let policy = SitePolicy::new(&policy, crawler);
            let rules = policy.program().and_then(|program| program.rules(dialect).ok()).unwrap_or_default();
            self.last = Some(Compiled {
                site: site.as_bytes().to_vec(),
                captured,
                agent: agent.to_owned(),
                dialect,
                body: hash(kept),
                rules: rules.into_iter().map(|rule| (rule.line, rule.to_string())).collect(),
                policy,
            });
        }
        self.last.as_mut().expect("compiled above")
    }
}

/// `disallow by line 3`.
fn said(verdict: &str, line: Option<u32>) -> String {
    line.map_or_else(|| verdict.to_owned(), |line| format!("{verdict} by line {line}"))
}

fn said_by(answer: Answer) -> String {
    said(answer.as_str(), Some(answer.line()).filter(|&line| line > 0))
}
