//! Why one robots.txt answers as it does.

use robomata::automaton::{RankedRule, order_name};
use robomata::policy::{Name, RuleSet};
use robomata::syntax::AgentName;
use robomata::{Answer, Choice, Explanation, PermissionAnswer, PermissionReason};
use robomata_formats::FileName;
use serde::Serialize;

use crate::check::CheckReport;
use crate::crawl::{CrawlJudge, SiteQuestion, answer_of, is_url};
use crate::error::JobError;
use crate::fetch::{Applied, StandingReport};
use crate::joined::joined;
use crate::robots_file::NumberedLines;
use crate::urls::Urls;

/// All that led to one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The URL; bytes that are no UTF-8 are replaced.
    pub url: String,
    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`.
    pub verdict: &'static str,
    /// What decided: `rule`, `no-rule` (the default), `robots-txt` (always allowed), `unavailable`, `unreachable`,
    /// `restricted`, `deferred`, `unknown` (nobody looked where the robots.txt was redirected to), or `invalid`; under
    /// `acap` also `undeterminable` (a conflict that cannot be resolved prohibits) and `uninterpretable` (so does a
    /// permission that cannot be interpreted).
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
    /// Of what is disallowed: the lines of Crawl-delay and other fields that stand directly below the crawler's name and end no
    /// list of names (RFC 9309, 2.2.4), so that the group that decided goes on below them.
    pub joined_lines: Vec<u32>,
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
    /// The restrictions of a permission in ACAP's words; all of them hold.
    pub qualifiers: Vec<String>,
    /// What must be known before the answer is final, e.g. a file that the robots.txt refers to.
    pub lacks: Vec<String>,
    /// Under `acap`: what was said, too, and did not decide, in the order in which it was overruled.
    pub conflicts: Vec<OverruledLine>,
    /// What applies to the site by the fetch of the robots.txt; none when nothing is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
}

/// The robots.txt whose rules apply, to be quoted.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'q> {
    file: &'q FileName,
    lines: &'q NumberedLines<'q>,
}

impl Quoted<'_> {
    /// The name of the file.
    pub fn file(&self) -> &FileName {
        self.file
    }

    /// The line with this 1-based number; none for 0.
    pub fn line(&self, number: u32) -> Option<String> {
        self.lines.text(number)
    }
}

/// A statement that did not decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverruledLine {
    /// Its 1-based line.
    pub line: u32,
    /// `robots` or `acap`.
    pub vocabulary: &'static str,
    /// By which rule: a name of [`ConflictRule`](robomata::ConflictRule).
    pub rule: &'static str,
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
    /// The bytes that are compared with other rules'.
    pub length: u32,
}

/// Explains what is said about `urls` and hands every account to `each`, in order, with a way to quote lines of
/// the robots.txt that applies.
///
/// # Errors
/// When the URLs cannot be read, and those of `each`.
pub fn run(
    question: SiteQuestion<'_>,
    urls: Urls,
    mut each: impl FnMut(&Account, &Quoted<'_>) -> Result<(), JobError>,
) -> Result<CheckReport, JobError> {
    let Applied { policy, file, standing } = question.applied();
    let lines = NumberedLines::new(policy.text());
    let quoted = Quoted { file: file.name(), lines: &lines };
    let group_lines = group_lines(&policy.rules_for(question.crawler));
    let mut judge = CrawlJudge::new(&policy, question.crawler, question.now);
    let mut report = CheckReport::default();
    urls.for_each(|url| {
        let mut explanation = robomata::explain(&policy, question.crawler, url);
        if !is_url(url) {
            // What is a URL is the same in every dialect; the `google` dialect by itself finds a path in any text.
            explanation =
                Explanation { answer: Answer::Invalid, target: None, matching: Vec::new(), ..explanation };
        }
        let permission = if is_url(url) { judge.permission(url) } else { None };
        if let Some(permission) = &permission {
            explanation.answer = answer_of(permission);
        }
        report.add(explanation.answer);
        let mut account = account(url, &explanation, &group_lines, |line| quoted.line(line));
        account.standing.clone_from(&standing);
        if explanation.answer.as_str() == "disallow" {
            account.joined_lines = joined_lines(&policy.rules_for(question.crawler));
        }
        if let Some(permission) = &permission {
            account.add(permission);
        }
        each(&account, &quoted)
    })?;
    Ok(report)
}

fn group_lines(rules: &RuleSet<'_>) -> Vec<u32> {
    let names = rules.groups().iter().flat_map(|group| rules.policy().names_of(group));
    names.map(|name| name.line).collect()
}

/// The lines of fields below the crawler's name among the names of its groups.
fn joined_lines(rules: &RuleSet<'_>) -> Vec<u32> {
    let policy = rules.policy();
    let is_own = |name: &Name| match (rules.choice(), policy.agent_of(name)) {
        (Choice::Own(own), AgentName::Named(token)) => token.eq_ignore_ascii_case(own),
        (Choice::Any, AgentName::Any) => true,
        _ => false,
    };
    joined(policy)
        .filter(|joined| rules.groups().contains(&&policy.groups()[joined.group]))
        .filter(|joined| joined.own.iter().any(is_own))
        .map(|joined| joined.field.line)
        .collect()
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
        reason: answer.reason(),
        line: answer.line(),
        rule: quote(answer.line()),
        group: explanation.choice.name(),
        group_reason: match explanation.choice {
            Choice::Own(_) => "own",
            Choice::Any => "any",
            Choice::None => "none",
        },
        group_lines: group_lines.to_vec(),
        joined_lines: Vec::new(),
        dialect: explanation.dialect.as_str(),
        order: order_name(explanation.dialect),
        target: explanation.target.clone(),
        winner: explanation.winner().map(MatchingRule::from),
        runner_up: explanation.runner_up().map(MatchingRule::from),
        matching: explanation.matching.iter().map(MatchingRule::from).collect(),
        rules: explanation.rule_count,
        qualifiers: Vec::new(),
        lacks: Vec::new(),
        conflicts: Vec::new(),
        standing: None,
    }
}

impl Account {
    /// Adds what is said in more words than rules have.
    fn add(&mut self, permission: &PermissionAnswer) {
        match permission.reason {
            // Of these the verdict tells.
            PermissionReason::Said | PermissionReason::Silence | PermissionReason::RobotsTxt => {}
            other => self.reason = other.as_str(),
        }
        self.qualifiers = permission.qualifiers.iter().map(ToString::to_string).collect();
        self.lacks = permission.lacks.iter().map(ToString::to_string).collect();
        let conflicts = permission.conflicts.iter().map(|conflict| OverruledLine {
            line: conflict.loser.line,
            vocabulary: conflict.loser.vocabulary.as_str(),
            rule: conflict.rule.as_str(),
        });
        self.conflicts = conflicts.collect();
    }
}

impl From<&RankedRule> for MatchingRule {
    fn from(rule: &RankedRule) -> Self {
        MatchingRule {
            line: rule.line,
            access: rule.access.as_str(),
            pattern: rule.pattern.clone(),
            length: rule.length,
        }
    }
}
