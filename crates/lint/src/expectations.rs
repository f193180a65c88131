//! Expectations that a site owner keeps next to a robots.txt: which crawler may, or may not, fetch which URLs.
//!
//! ```
//! use robomata_lint::Expectations;
//! use robomata_policy::Policy;
//! use robomata_protocol::Dialect;
//! use robomata_syntax::Config;
//!
//! let text = b"# Keep models out of the archive.\nGPTBot may not fetch /archive/*\n";
//! let expectations = Expectations::parse(text, Dialect::Rfc9309)?;
//! let robots = b"User-agent: *\nDisallow: /archive/\nAllow: /*.pdf$\nAllow: /archive/free";
//! let policy = Policy::new(robots, &Config::new(Dialect::Rfc9309));
//! let checked = expectations.check(&policy);
//! assert!(!checked[0].holds);
//! assert_eq!(checked[0].message, "'/archive/free': allow by line 4 (Allow: /archive/free)");
//! # Ok::<(), robomata_lint::ExpectationError>(())
//! ```
//!
//! Each line is an expectation: the name of a crawler, `may fetch` or `may not fetch`, and a path or an absolute URL. A
//! path with a `*`, or with a `$` at its end, is a pattern, and the expectation is about every URL that it matches. It
//! holds only if that is proved on the compiled program. Lines that are empty or begin with `#` are skipped, and so is
//! the text after a `#` that follows white space. A line that cannot be read is an error.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use robomata_evaluator::{Proof, Prover, Site, url_of_path};
use robomata_policy::{Group, Policy, read_crawler};
use robomata_protocol::{Access, Answer, Crawler, Dialect, Span, is_invisible};
use robomata_syntax::Lines;

use crate::Findings;

/// The budget of a proof in steps, which takes about ten milliseconds.
const BUDGET: u64 = 500_000;

/// The code of an expectation that does not hold.
pub const UNMET: &str = "unmet-expectation";

/// The expectations of a file, one a line: `GPTBot may not fetch /private/*`. [`Expectations::parse`] describes the
/// lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectations {
    expectations: Vec<Expectation>,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Its 1-based line.
    pub line: u32,
    /// The line without white space around it and without a comment.
    pub text: String,
    /// The name of the crawler as written.
    pub agent: String,
    /// The path or URL as written.
    pub target: String,
    /// Whether the crawler may fetch it.
    pub access: Access,
    crawler: Crawler,
    /// The pattern without a site, if the target is one.
    pattern: Option<String>,
}

/// An expectation, compared with a robots.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedExpectation<'e> {
    /// The expectation.
    pub expectation: &'e Expectation,
    /// Whether it holds. False if that is not known.
    pub holds: bool,
    /// Whether `holds` is certain. False if a search took too many steps, or if more than rules decide.
    pub is_proved: bool,
    /// If it does not hold: a URL with another answer, or a path and query.
    pub witness: Option<String>,
    /// The 1-based line that decides about the URL or the witness; 0 if there is none.
    pub decided_by: u32,
    /// What was found, in one sentence.
    pub message: String,
}

/// A file of expectations cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationError {
    /// The 1-based line; 0 for the whole file.
    pub line: u32,
    /// The reason, and what to do.
    pub message: String,
}

impl fmt::Display for ExpectationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for ExpectationError {}

const FORM: &str = "expected a line such as 'GPTBot may not fetch /private/*'";

impl Expectations {
    /// Reads a file of expectations about files in `dialect`.
    ///
    /// Each line is the name of a crawler, `may fetch` or `may not fetch`, and a path or an absolute URL. A path with a
    /// `*`, or with a `$` at its end, is a pattern. Lines that are empty or begin with `#` are skipped, and so is the
    /// text after a `#` that follows white space.
    ///
    /// # Errors
    /// When a line cannot be read, or the file has no expectation.
    pub fn parse(text: &[u8], dialect: Dialect) -> Result<Self, ExpectationError> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let lines = Lines::new(text);
        let mut expectations = Vec::new();
        for number in 1..=lines.count() {
            let expectation = Expectation::parse(lines.bytes(number).unwrap_or_default(), number, dialect);
            expectations.extend(expectation.map_err(|message| ExpectationError { line: number, message })?);
        }
        if expectations.is_empty() {
            return Err(ExpectationError { line: 0, message: format!("no expectation: {FORM}") });
        }
        Ok(Expectations { expectations })
    }

    /// The number of expectations.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.expectations.len()
    }

    /// Compares each expectation with `policy`, which has to be of the same dialect.
    pub fn check(&self, policy: &Policy<'_>) -> Vec<CheckedExpectation<'_>> {
        let mut rules = RulesOfCrawlers { policy, numbers: HashMap::new(), provers: Vec::new() };
        let mut number_of: HashMap<&Crawler, usize> = HashMap::new();
        let checked = self.expectations.iter().map(|expectation| {
            let crawler = &expectation.crawler;
            let number = *number_of.entry(crawler).or_insert_with(|| rules.number_for(crawler));
            expectation.check(&mut rules.provers[number])
        });
        checked.collect()
    }
}

/// The rules of crawlers, compiled once for each different set of groups that they obey.
struct RulesOfCrawlers<'p> {
    policy: &'p Policy<'p>,
    /// By groups. Fields of ACAP have records of their own, so there the crawler also matters.
    numbers: HashMap<(Vec<*const Group>, Option<Crawler>), usize>,
    provers: Vec<Prover>,
}

impl RulesOfCrawlers<'_> {
    /// The index of the prover for `crawler`.
    fn number_for(&mut self, crawler: &Crawler) -> usize {
        let rules = self.policy.rules_for(crawler);
        let groups = rules.groups().iter().map(|&group| std::ptr::from_ref(group)).collect();
        let reads_acap = self.policy.dialect().semantics().reads_acap;
        let next = self.provers.len();
        *self.numbers.entry((groups, reads_acap.then(|| crawler.clone()))).or_insert_with(|| {
            self.provers.push(Prover::new(self.policy, crawler));
            next
        })
    }
}

impl Expectation {
    /// Reads a line; `None` without an expectation.
    fn parse(line: &[u8], number: u32, dialect: Dialect) -> Result<Option<Self>, String> {
        let line = std::str::from_utf8(line).map_err(|_| "expected UTF-8".to_owned())?;
        let text = without_comment(line);
        if text.is_empty() {
            return Ok(None);
        }
        if let Some(c) = text.chars().find(|&c| c != '\t' && (c.is_control() || is_invisible(c))) {
            return Err(format!("the character U+{:04X} is invisible (remove it)", u32::from(c)));
        }
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let is_verb = |at: &usize| words[*at..].starts_with(&["may", "fetch"]);
        let is_negated = |at: &usize| words[*at..].starts_with(&["may", "not", "fetch"]);
        let verb = (0..words.len()).find(|at| is_verb(at) || is_negated(at));
        let verb = verb.ok_or_else(|| FORM.to_owned())?;
        let (access, rest) = match is_negated(&verb) {
            true => (Access::Disallow, &words[verb + 3..]),
            false => (Access::Allow, &words[verb + 2..]),
        };
        let agent = words[..verb].join(" ");
        let crawler = read_crawler(&agent, dialect).map_err(|error| error.to_string())?.crawler;
        let &[target] = rest else {
            let hint = if rest.is_empty() { "" } else { " (write a space as %20)" };
            return Err(format!("expected one path or URL after 'fetch', found {}{hint}", rest.len()));
        };
        let path = path_of_target(target).ok_or_else(|| {
            format!(
                "'{target}': expected a path that begins with '/' but not with '//', or an http or https URL"
            )
        })?;
        let is_pattern = path.contains('*') || path.ends_with('$');
        Ok(Some(Expectation {
            line: number,
            text: text.to_owned(),
            agent,
            target: target.to_owned(),
            access,
            crawler,
            pattern: is_pattern.then(|| path.into_owned()),
        }))
    }

    fn check(&self, prover: &mut Prover) -> CheckedExpectation<'_> {
        let result = |holds: bool, message: String| CheckedExpectation {
            expectation: self,
            holds,
            is_proved: true,
            witness: None,
            decided_by: 0,
            message,
        };
        let Some(pattern) = &self.pattern else {
            let answer = prover.check(self.target.as_bytes());
            let holds = matches!(answer, Answer::Verdict(verdict) if verdict.access == self.access);
            return CheckedExpectation {
                witness: (!holds).then(|| self.target.clone()),
                decided_by: answer.line(),
                ..result(holds, described(self.target.as_bytes(), answer, prover))
            };
        };
        match prover.prove(pattern.as_bytes(), self.access, BUDGET) {
            Proof::Proved => result(true, format!("proved: {} of every URL that it matches", self.access)),
            Proof::Refuted(path, answer) => CheckedExpectation {
                decided_by: answer.line(),
                ..CheckedExpectation {
                    witness: Some(String::from_utf8_lossy(&url_of_path(&path)).into_owned()),
                    ..result(false, described(&path, answer, prover))
                }
            },
            Proof::NoMatch => result(false, "the pattern matches no URL that rules decide about".to_owned()),
            Proof::Unknown => CheckedExpectation {
                is_proved: false,
                ..result(
                    false,
                    "not proved: the search took too many steps, or more than rules decide".to_owned(),
                )
            },
        }
    }
}

/// The line without a comment and without white space around it.
fn without_comment(line: &str) -> &str {
    let is_blank = |at: usize| line[..at].ends_with([' ', '\t']);
    let comment = line.match_indices('#').map(|(at, _)| at).find(|&at| at == 0 || is_blank(at));
    line[..comment.unwrap_or(line.len())].trim_ascii()
}

/// The path and query of a path or an absolute URL; `None` if the text is neither (`crates/DIALECTS.md`, U1).
fn path_of_target(target: &str) -> Option<Cow<'_, str>> {
    if target.starts_with("//") {
        return None;
    }
    if target.starts_with('/') {
        return Some(Cow::Borrowed(target));
    }
    let (scheme, rest) = target.split_once("://")?;
    let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    // A pattern is about the path: a host is one host.
    let is_url = is_web && !host.contains(['*', '$']) && Site::of_url(target.as_bytes()).is_ok();
    is_url.then(|| match path.starts_with('/') {
        true => Cow::Borrowed(path),
        false => Cow::Owned(format!("/{path}")),
    })
}

/// `'/private': disallow by line 2 (Disallow: /private)`.
fn described(path: &[u8], answer: Answer, prover: &Prover) -> String {
    let (path, access) = (crate::quoted(&url_of_path(path)), answer.as_str());
    match (answer.line(), answer.reason()) {
        (0, "no-rule") => format!("{path}: {access}, because no rule matches"),
        (0, "robots-txt") => format!("{path}: {access}, because the robots.txt itself is always allowed"),
        (0, "invalid") => format!("{path}: not a URL"),
        (0, reason) => format!("{path}: {access}, because the robots.txt is {reason}"),
        (line, _) => {
            let rule = prover.rule(line).map_or_else(String::new, |rule| format!(" ({rule})"));
            format!("{path}: {access} by line {line}{rule}")
        }
    }
}

/// Adds a finding for each expectation that does not hold, at the rule that decides.
pub(crate) fn find(expectations: &Expectations, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let rules = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    // In ACAP, fields decide as well.
    let fields = policy.extensions().iter().map(|field| (field.line, field.value));
    let patterns: HashMap<u32, Span> = fields.chain(rules.map(|rule| (rule.line, rule.pattern))).collect();
    for checked in expectations.check(policy).iter().filter(|checked| !checked.holds) {
        let CheckedExpectation { expectation: Expectation { line, text, .. }, decided_by, message, .. } =
            checked;
        let message = format!("'{text}' (line {line} of the expectations) does not hold: {message}");
        let rule = patterns.get(decided_by).copied();
        let (at, span) = rule.map_or((1, Span::default()), |span| (*decided_by, span));
        findings.add(UNMET, at, span, message).help("change the rules, or the expectation");
    }
}

#[cfg(test)]
mod tests {
    use robomata_syntax::Config;

    use super::*;

    #[test]
    fn crawlers_with_the_same_groups_share_their_rules() {
        let names: String = (0..100).map(|n| format!("{n}Bot may not fetch /{n}*\n")).collect();
        let expectations = Expectations::parse(names.as_bytes(), Dialect::Rfc9309).unwrap();
        let robots = b"User-agent: 7Bot\nUser-agent: 8Bot\nDisallow: /8\n\nUser-agent: *\nDisallow: /";
        for (dialect, provers) in [(Dialect::Rfc9309, 2), (Dialect::Acap, 100)] {
            let policy = Policy::new(robots, &Config::new(dialect));
            let mut rules = RulesOfCrawlers { policy: &policy, numbers: HashMap::new(), provers: Vec::new() };
            for expectation in &expectations.expectations {
                rules.number_for(&expectation.crawler);
            }
            assert_eq!(rules.provers.len(), provers);
            let unmet = expectations.check(&policy).iter().filter(|checked| !checked.holds).count();
            assert_eq!(unmet, 1, "7Bot may fetch /7");
        }
    }
}
