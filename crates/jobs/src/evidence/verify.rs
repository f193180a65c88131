//! Decides again, from the captures, what evidence says.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use robomata_engine::protocol::visible;
use robomata_engine::{Answer, Crawler, Dialect, Moment, Site, SitePolicy, read_crawler, requestable};
use robomata_formats::{FileName, LineBlocks, Timestamp};
use serde::Deserialize;

use super::hash;
use crate::bodies::{Bodies, BodyKey, KeptBody};
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
    /// Whether the policies were a bundle, so that the evidence has no hashes.
    pub of_bundle: bool,
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
    /// Verified lines without the hash of a robots.txt, as those of a bundle.
    pub without_hash: u64,
    /// Lines in the sample whose capture says something else, or which lack the hash.
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
    let mut judge = Judge::new(job.captures, job.of_bundle);
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
                    let is_last = line.as_ptr_range().end == block.bytes.as_ptr_range().end;
                    if is_last && error.is_eof() {
                        let message = "expected the rest of the JSON object, found the end of the file";
                        let kind = ProblemKind::Incomplete;
                        return JobError::Strict(InputProblem::at_line(kind, &name, Some(number), message));
                    }
                    bad(&format!("expected evidence, as filter --evidence writes it: {error}"))
                })?;
                if !job.share.holds(row.url.as_bytes()) {
                    continue;
                }
                let reason = match judge.check(&row).map_err(|error| bad(&visible(&error)))? {
                    Outcome::Verified { without_hash } => {
                        report.verified += 1;
                        report.without_hash += u64::from(without_hash);
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
    Verified { without_hash: bool },
    Missing(String),
    Different(String),
}

/// Decides again.
struct Judge<'s> {
    captures: &'s Bodies,
    of_bundle: bool,
    /// The policies that were used last. Lines usually come grouped by site, with a line for each agent.
    young: HashMap<Key, Compiled>,
    /// The size of these policies in bytes.
    young_bytes: usize,
    /// The policies before them. They are forgotten when the young ones reach the limit, unless they are used again.
    old: HashMap<Key, Compiled>,
    /// The limit for the young policies, and for the old ones, in bytes.
    limit: usize,
    /// The number of policies that were compiled.
    compiled: u64,
}

/// The most bytes of young policies, and of old ones.
const GENERATION: usize = 32 << 20;

/// The body and the result of the fetch, which the captures keep, the agent and the dialect.
type Key = (BodyKey, String, Dialect);

/// A policy, and what it was compiled from.
struct Compiled {
    body: String,
    policy: SitePolicy,
    /// The rules that can decide, as evidence shows them, in ascending order of the lines.
    rules: Vec<(u32, Box<str>)>,
}

impl Compiled {
    fn new(captures: &Bodies, kept: &KeptBody, crawler: &Crawler, dialect: Dialect) -> Self {
        let policy = SitePolicy::new(&captures.policy(kept, dialect), crawler);
        let rules = policy.program().and_then(|program| program.rules(dialect).ok()).unwrap_or_default();
        let mut rules: Vec<_> =
            rules.into_iter().map(|rule| (rule.line, rule.to_string().into_boxed_str())).collect();
        // If a line has several rules, the highest-ranking one comes first: a stable sort keeps it there.
        rules.sort_by_key(|&(line, _)| line);
        rules.dedup_by_key(|&mut (line, _)| line);
        Compiled { body: hash(kept), policy, rules }
    }

    /// An estimate of its size. Programs are about as large as their bodies.
    fn bytes(&self, kept: &KeptBody) -> usize {
        let texts: usize = self.rules.iter().map(|(_, text)| text.len()).sum();
        size_of::<(Key, Compiled)>() + kept.body.len() + texts + size_of_val(&*self.rules)
    }

    fn rule(&self, line: u32) -> Option<&str> {
        let place = self.rules.binary_search_by_key(&line, |&(line, _)| line).ok()?;
        Some(&self.rules[place].1)
    }
}

impl<'s> Judge<'s> {
    fn new(captures: &'s Bodies, of_bundle: bool) -> Self {
        let (young, old) = (HashMap::new(), HashMap::new());
        Judge { captures, of_bundle, young, young_bytes: 0, old, limit: GENERATION, compiled: 0 }
    }

    /// Checks one line. An error says why it is no evidence.
    fn check(&mut self, row: &Row<'_>) -> Result<Outcome, String> {
        if requestable(row.url.as_bytes()) != Some(row.url.as_bytes()) {
            let expected =
                "expected a URL without blanks around it and control characters, as filter writes it";
            return Ok(Outcome::Different(expected.to_owned()));
        }
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
        // A line without a time is about a capture without one, or there was none of the site.
        let time = captured.unwrap_or(Moment::from_seconds(i64::MIN));
        let Some(kept) = self.captures.at(&site, time).filter(|kept| kept.time == captured) else {
            let is_unknown = captured.is_none() && row.body.is_none() && row.verdict == "unknown";
            if is_unknown && (row.line.is_some() || row.rule.is_some()) {
                let message =
                    "expected a line or a rule, found an unknown site (filter writes null for both)";
                return Ok(Outcome::Different(message.to_owned()));
            }
            return Ok(match (captured, self.captures.of(&site)) {
                (_, None) if is_unknown => Outcome::Verified { without_hash: false },
                (None, Some(_)) => Outcome::Missing(format!(
                    "the captures of {site} are all of a later time, or the evidence was edited"
                )),
                _ => Outcome::Missing(format!("the captures have no robots.txt of {site} of that time")),
            });
        };
        let of_bundle = self.of_bundle;
        let compiled = self.compiled(&row.agent, &crawler, dialect, kept);
        if let Some(body) = row.body.as_deref().filter(|&body| body != compiled.body) {
            return Ok(Outcome::Different(format!("expected the body {body}, found {}", compiled.body)));
        }
        if row.body.is_none() && !of_bundle {
            return Ok(Outcome::Different(format!(
                "expected the hash {} of the body, found none (if filter had --policies: --of-bundle)",
                compiled.body
            )));
        }
        let answer = compiled.policy.check(row.url.as_bytes());
        let line = Some(answer.line()).filter(|&line| line > 0);
        if (&*row.verdict, row.line) != (answer.as_str(), line) {
            let said = said(&row.verdict, row.line);
            return Ok(Outcome::Different(format!("expected {said}, found {}", said_by(answer))));
        }
        let rule = line.and_then(|line| compiled.rule(line));
        match (row.rule.as_deref(), rule) {
            (Some(expected), Some(found)) if expected != found => {
                Ok(Outcome::Different(format!("expected the rule '{expected}', found '{found}'")))
            }
            (None, Some(found)) => {
                Ok(Outcome::Different(format!("expected no rule, found '{found}' (filter writes the rule)")))
            }
            (Some(expected), None) if line.is_none() => {
                Ok(Outcome::Different(format!("expected the rule '{expected}', found none")))
            }
            _ => Ok(Outcome::Verified { without_hash: row.body.is_none() }),
        }
    }

    fn compiled(
        &mut self,
        agent: &str,
        crawler: &Crawler,
        dialect: Dialect,
        kept: &KeptBody,
    ) -> &mut Compiled {
        let key = (kept.key(), agent.to_owned(), dialect);
        if !self.young.contains_key(&key) {
            let compiled = self.old.remove(&key).unwrap_or_else(|| {
                self.compiled += 1;
                Compiled::new(self.captures, kept, crawler, dialect)
            });
            let bytes = compiled.bytes(kept);
            if self.young_bytes + bytes > self.limit {
                self.old = std::mem::take(&mut self.young);
                self.young_bytes = 0;
            }
            self.young_bytes += bytes;
            self.young.insert(key.clone(), compiled);
        }
        self.young.get_mut(&key).expect("compiled above")
    }
}

/// `disallow by line 3`.
fn said(verdict: &str, line: Option<u32>) -> String {
    line.map_or_else(|| verdict.to_owned(), |line| format!("{verdict} by line {line}"))
}

fn said_by(answer: Answer) -> String {
    said(answer.as_str(), Some(answer.line()).filter(|&line| line > 0))
}

#[cfg(test)]
mod tests {
    use robomata_engine::History;
    use robomata_formats::Resource;

    use super::*;

    fn bodies(sites: usize) -> Bodies {
        let mut bodies = Bodies::new(None);
        for site in 0..sites {
            let url = format!("https://{site}.example/");
            let body = format!("User-agent: *\nDisallow: /{site}\nDisallow: /b\n").into_bytes().into();
            let kept = KeptBody { body, status: None, redirects: 0, time: None };
            let site = Site::of_url(url.as_bytes()).unwrap();
            bodies.insert(&site, Resource::RobotsTxt, kept, History::Newest);
        }
        bodies
    }

    fn check(judge: &mut Judge<'_>, site: usize, agent: &str, line: u32, rule: &str) -> bool {
        let path = rule.rsplit(' ').next().unwrap();
        let text = format!(
            r#"{{"url": "https://{site}.example{path}", "agent": "{agent}", "verdict": "disallow", "line": {line},
                "rule": "{rule}", "dialect": "rfc9309", "policies": ""}}"#
        );
        let row: Row<'_> = serde_json::from_str(&text).unwrap();
        matches!(judge.check(&row).unwrap(), Outcome::Verified { .. })
    }

    /// Evidence of several crawlers has a line for each of them at every URL.
    #[test]
    fn each_policy_is_compiled_once_while_there_is_room() {
        let bodies = bodies(4);
        let mut judge = Judge::new(&bodies, true);
        for _ in 0..5 {
            for site in 0..4 {
                for agent in ["A", "B"] {
                    assert!(check(&mut judge, site, agent, 2, &format!("Disallow: /{site}")));
                    assert!(check(&mut judge, site, agent, 3, "Disallow: /b"));
                    assert!(!check(&mut judge, site, agent, 3, "Disallow: /bb"));
                }
            }
        }
        assert_eq!(judge.compiled, 8);
    }

    #[test]
    fn evidence_of_a_line_has_its_rule() {
        let bodies = bodies(1);
        let mut judge = Judge::new(&bodies, true);
        let mut verifies = |verdict: &str, path: &str, fields: &str| {
            let text = format!(
                r#"{{"url": "https://0.example/{path}", "agent": "A", "verdict": "{verdict}", {fields},
                    "dialect": "rfc9309", "policies": ""}}"#
            );
            let row: Row<'_> = serde_json::from_str(&text).unwrap();
            matches!(judge.check(&row).unwrap(), Outcome::Verified { .. })
        };
        assert!(verifies("disallow", "b", r#""line": 3, "rule": "Disallow: /b""#));
        assert!(!verifies("disallow", "b", r#""line": 3, "rule": null"#));
        assert!(verifies("allow", "c", r#""line": null, "rule": null"#));
        assert!(!verifies("allow", "c", r#""line": null, "rule": "Allow: /c""#));
    }

    #[test]
    fn policies_that_are_used_again_stay() {
        let bodies = bodies(20);
        let mut judge = Judge::new(&bodies, true);
        assert!(check(&mut judge, 0, "A", 3, "Disallow: /b"));
        judge.limit = 4 * judge.young_bytes;
        for site in 1..20 {
            for site in [0, site] {
                assert!(check(&mut judge, site, "A", 3, "Disallow: /b"));
            }
        }
        assert_eq!(judge.compiled, 20);
        assert!(judge.young_bytes <= judge.limit && judge.young.len() + judge.old.len() <= 8);
    }
}
