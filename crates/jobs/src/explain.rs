//! Why one robots.txt answers as it does.

use robomata::automaton::{RankedRule, order_name};
use robomata::policy::RuleSet;
use robomata::{Answer, Choice, Config, Crawler, Dialect, Explanation, Policy, Reason};
use serde::Serialize;

use crate::check::{CheckReport, is_url};
use crate::error::JobError;
use crate::robots_file::{NumberedLines, RobotsFile};
use crate::urls::Urls;

/// All that led to one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The URL; octets that are no UTF-8 are replaced.
    pub url: String,
    /// `allow`, `disallow`, `defer` or `invalid`.
    pub verdict: &'static str,
    /// What decided: `rule`, `no-rule` (the default), `robots-txt` (always allowed), `unavailable`, `unreachable`,
    /// `restricted`, `deferred`, or `invalid`.
    pub reason: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token as the file first has it.
    pub group: Option<String>,
    /// Why it applies: `own` (it names the crawler), `any` (no group does, and this one is for all others), or `none`.
    pub group_reason: &'static str,
    /// The lines that open the groups that apply.
    pub group_lines: Vec<u32>,
    /// The dialect in which the file was read.
    pub dialect: &'static str,
    /// By what rules are ordered.
    pub order: &'static str,
    /// Path and query, as far as the dialect takes them, as they were compared; none of a text that is no URL.
    pub target: Option<String>,
    /// The rule that decided.
    pub winner: Option<MatchingRule>,
    /// The rule that would have decided without it.
    pub runner_up: Option<MatchingRule>,
    /// All rules that match, the best first.
    pub matching: Vec<MatchingRule>,
    /// How many rules the groups that apply hold.
    pub rules: usize,
}

/// A rule that matches the URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchingRule {
    /// Its 1-based line.
    pub line: u32,
    /// `allow` or `disallow`, as the line says.
    pub access: &'static str,
    /// The pattern in normal form.
    pub pattern: String,
    /// The octets that are compared with other rules'.
    pub octets: u32,
}

/// Explains what `robots` says about `urls` and hands every account to `each`, in order, with a way to quote lines.
///
/// # Errors
/// When the URLs cannot be read, and those of `each`.
pub fn run(
    robots: &RobotsFile,
    crawler: &Crawler,
    dialect: Dialect,
    urls: Urls,
    mut each: impl FnMut(&Account, &dyn Fn(u32) -> Option<String>) -> Result<(), JobError>,
) -> Result<CheckReport, JobError> {
    let policy = Policy::new(robots.octets(), &Config::new(dialect));
    let lines = NumberedLines::new(policy.text());
    let quote = |line| lines.text(line);
    let group_lines = group_lines(&policy.rules_for(crawler));
    let mut report = CheckReport::default();
    urls.for_each(|url| {
        let mut explanation = robomata::explain(&policy, crawler, url);
        if !is_url(url) {
            // What is a URL is the same in every dialect; the `google` dialect by itself finds a path in any text.
            explanation =
                Explanation { answer: Answer::Invalid, target: None, matching: Vec::new(), ..explanation };
        }
        report.add(explanation.answer);
        each(&account(url, &explanation, &group_lines, quote), &quote)
    })?;
    Ok(report)
}

fn group_lines(rules: &RuleSet<'_>) -> Vec<u32> {
    let names = rules.groups().iter().flat_map(|group| rules.policy().names_of(group));
    names.map(|name| name.line).collect()
}

fn account(
    url: &[u8],
    explanation: &Explanation<'_>,
    group_lines: &[u32],
    quote: impl Fn(u32) -> Option<String>,
) -> Account {
    let answer = explanation.answer;
    Account {
        url: String::from_utf8_lossy(url).into_owned(),
        verdict: answer.as_str(),
        reason: reason(answer),
        line: answer.line(),
        rule: quote(answer.line()),
        group: explanation.choice.name(),
        group_reason: match explanation.choice {
            Choice::Own(_) => "own",
            Choice::Any => "any",
            Choice::None => "none",
        },
        group_lines: group_lines.to_vec(),
        dialect: explanation.dialect.as_str(),
        order: order_name(explanation.dialect),
        target: explanation.target.clone(),
        winner: explanation.winner().map(MatchingRule::from),
        runner_up: explanation.runner_up().map(MatchingRule::from),
        matching: explanation.matching.iter().map(MatchingRule::from).collect(),
        rules: explanation.rule_count,
    }
}

fn reason(answer: Answer) -> &'static str {
    let verdict = match answer {
        Answer::Verdict(verdict) => verdict,
        Answer::Defer => return "deferred",
        Answer::Unknown | Answer::Invalid => return answer.as_str(),
    };
    match verdict.reason {
        Reason::Rule => "rule",
        Reason::Undeterminable => "undeterminable",
        Reason::NoRule => "no-rule",
        Reason::RobotsTxt => "robots-txt",
        Reason::Unavailable => "unavailable",
        Reason::Unreachable => "unreachable",
        Reason::Restricted => "restricted",
    }
}

impl From<&RankedRule> for MatchingRule {
    fn from(rule: &RankedRule) -> Self {
        MatchingRule {
            line: rule.line,
            access: rule.access.as_str(),
            pattern: rule.pattern.clone(),
            octets: rule.octets,
        }
    }
}
