//! Explains the answers of one robots.txt.

use std::collections::HashSet;
use std::ptr;

use robomata_engine::automaton::{RankedRule, order_name};
use robomata_engine::policy::{Group, Name, RuleSet};
use robomata_engine::syntax::Lines;
use robomata_engine::{
    Answer, Choice, Conflict, Crawler, Dialect, Explainer, Explanation, PermissionAnswer, PermissionReason,
    Qualifier, path_or_url,
};
use robomata_formats::FileName;
use robomata_formats::urls::as_text;
use serde::Serialize;

use crate::crawl::{CrawlJudge, SiteQuestion, answer_of};
use crate::error::JobError;
use crate::fetch::{Applied, StandingReport};
use crate::filter::Tally;
use crate::quotes::{MOST_LISTED, Omitted, cut, listed, quoted_line, shortened};
use crate::urls::{Urls, require_text};

/// The explanation of one answer. Unlike an [`Explanation`], it quotes lines, and includes what ACAP and the fetch add.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Account {
    /// The URL; bytes that are not UTF-8 are replaced.
    pub url: String,
    /// `allow`, `disallow`, `defer`, `unknown` or `invalid`.
    pub verdict: &'static str,
    /// The reason: `rule`, `no-rule` (the default), `robots-txt` (always allowed), `unavailable`, `unreachable`,
    /// `restricted`, `deferred`, `unknown` (the target of the robots.txt's redirect was not fetched), or `invalid`.
    /// Under `acap` also `undeterminable` (an unresolvable conflict prohibits) and `uninterpretable` (a permission that
    /// cannot be interpreted prohibits).
    pub reason: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written. Long lines, names and patterns are cut after 500 characters and end with an ellipsis.
    pub rule: Option<String>,
    /// The name of the group that applies: `*`, or a product token in the file's first spelling; if the dialect merges the
    /// groups of several tokens, these with commas.
    pub group: Option<String>,
    /// Why the group applies: `own` (it names the crawler), `any` (no group does, and this one is for all others), or
    /// `none`.
    pub group_reason: &'static str,
    /// The lines that open the groups that apply. Of more than 100, those that name the crawler are preferred.
    pub group_lines: Vec<u32>,
    /// Those of them that name the crawler.
    #[serde(skip)]
    pub own_lines: Vec<u32>,
    /// For disallowed URLs: the lines of Crawl-delay and similar fields directly below the crawler's name. These fields
    /// do not end the list of names (RFC 9309, 2.2.4), so the group that decided continues below them.
    pub joined_lines: Vec<u32>,
    /// The parsing limit in bytes, if the robots.txt is longer: only the lines within it count, or under `yandex` none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exceeded_limit: Option<usize>,
    /// The dialect in which the file was read.
    pub dialect: Dialect,
    /// The order of rules.
    pub order: &'static str,
    /// Path and query in the form that the dialect compares; none if the text is not a URL.
    pub target: Option<String>,
    /// The rule that decided.
    pub winner: Option<RankedRule>,
    /// The rule that would decide without the winner.
    pub runner_up: Option<RankedRule>,
    /// The rules that match, the best first.
    pub matching: Vec<RankedRule>,
    /// The number of rules in the groups that apply.
    pub rules: usize,
    /// The restrictions of a permission in ACAP's words; all of them apply. A prohibition by TDMRep has its policy here.
    pub qualifiers: Vec<Qualifier>,
    /// Facts that are missing for a final answer, for example a file that the robots.txt refers to.
    pub lacks: Vec<String>,
    /// Under `acap`: statements that did not decide, in the order in which they were overruled.
    pub conflicts: Vec<Conflict>,
    /// How many entries `group_lines`, `joined_lines`, `matching`, `lacks` and `conflicts` have beyond the 100 that are
    /// listed.
    #[serde(skip_serializing_if = "Omitted::is_empty")]
    pub omitted: Omitted,
    /// What applies to the site, from the fetch of the robots.txt; none when nothing is known about the fetch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingReport>,
}

/// The robots.txt whose rules apply, for quoting.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'q> {
    file: &'q FileName,
    lines: &'q Lines<'q>,
}

impl Quoted<'_> {
    /// The name of the file.
    pub fn file(&self) -> &FileName {
        self.file
    }

    /// The line with this 1-based number, cut after 500 characters; none for 0.
    pub fn line(&self, number: u32) -> Option<String> {
        quoted_line(self.lines, number)
    }
}

/// Explains the answer for each of `urls` and passes every explanation to `each`, in order. `each` also gets a way to
/// quote lines of the robots.txt that applies.
///
/// # Errors
/// When the URLs cannot be read, or `each` fails. Also when a URL is not UTF-8, and in the dialect the answer about its text
/// might be another.
pub fn run(
    question: SiteQuestion<'_>,
    urls: Urls,
    mut each: impl FnMut(&Account, &Quoted<'_>) -> Result<(), JobError>,
) -> Result<Tally, JobError> {
    let Applied { policy, file, standing } = question.applied();
    let lines = Lines::new(policy.text());
    let quoted = Quoted { file: file.name(), lines: &lines };
    let limit = question.config.parsing_limit();
    let exceeded_limit = file.is_longer_than(&question.config).then_some(limit);
    let rules = policy.rules_for(question.crawler);
    let names = || rules.groups().iter().flat_map(|group| policy.names_of(group));
    let is_own = |name: &&Name| rules.is_named_by(name, question.crawler);
    let group_lines: Vec<u32> = names().map(|name| name.line).collect();
    let own_lines: Vec<u32> = names().filter(is_own).map(|name| name.line).collect();
    let mut joined_lines = joined_lines(&rules, question.crawler);
    let mut omitted_joined = Omitted::new();
    cut(&mut joined_lines, "joined_lines", &mut omitted_joined);
    let mut judge = CrawlJudge::new(&policy, question.crawler, question.now);
    let mut explainer = Explainer::new(&policy, question.crawler);
    let mut tally = Tally::default();
    urls.for_each(|url| {
        let mut explanation = explainer.explain_url(url);
        let permission = path_or_url(url).and_then(|url| judge.permission(url));
        if let Some(permission) = &permission {
            explanation.answer = answer_of(permission);
        }
        if explanation.answer != Answer::Invalid {
            require_text(url, explanation.dialect)?;
        }
        tally.add(explanation.answer);
        let mut account =
            Account { exceeded_limit, standing, ..Account::new(url, explanation, |line| quoted.line(line)) };
        if account.verdict == "disallow" {
            account.joined_lines.clone_from(&joined_lines);
            account.omitted.extend(&omitted_joined);
        }
        if let Some(permission) = permission {
            account.add(permission);
        }
        account.add_group_lines(&group_lines, &own_lines);
        each(&account, &quoted)
    })?;
    Ok(tally)
}

/// The `most` lines of `all` that a short quotation needs, ascending: the one just above the line `decided`, and the one
/// there that names the crawler; then others that name it, and others.
fn foremost_lines(all: &[u32], own: &[u32], decided: u32, most: usize) -> Vec<u32> {
    let above =
        |lines: &[u32]| lines.partition_point(|&line| line < decided).checked_sub(1).map(|at| lines[at]);
    let mut found: Vec<u32> = Vec::new();
    for line in above(all).into_iter().chain(above(own)).chain(own.iter().copied()).chain(all.iter().copied())
    {
        if found.len() == most {
            break;
        }
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found.sort_unstable();
    found
}

/// The lines of fields directly below the crawler's name, among the names of its groups.
fn joined_lines(rules: &RuleSet<'_>, crawler: &Crawler) -> Vec<u32> {
    let policy = rules.policy();
    let is_own = |name: &Name| rules.is_named_by(name, crawler);
    let groups: HashSet<*const Group> = rules.groups().iter().map(|&group| ptr::from_ref(group)).collect();
    policy
        .joined_fields()
        .filter(|joined| groups.contains(&ptr::from_ref(&policy.groups()[joined.group])))
        .filter(|joined| joined.own.iter().any(is_own))
        .map(|joined| joined.field.line)
        .collect()
}

impl Account {
    fn new(url: &[u8], explanation: Explanation<'_>, quote: impl Fn(u32) -> Option<String>) -> Self {
        let short = |rule: &RankedRule| RankedRule { pattern: shortened(&rule.pattern), ..rule.clone() };
        let (winner, runner_up) = (explanation.winner().map(short), explanation.runner_up().map(short));
        let Explanation { answer, dialect, target, choice, group, mut matching, rule_count, .. } =
            explanation;
        let mut omitted = Omitted::new();
        cut(&mut matching, "matching", &mut omitted);
        Account {
            url: as_text(url).into_owned(),
            verdict: answer.as_str(),
            reason: answer.reason(),
            line: answer.line(),
            rule: quote(answer.line()),
            group: group.map(|name| shortened(&name)),
            group_reason: match choice {
                Choice::Own(_) => "own",
                Choice::Any => "any",
                Choice::None => "none",
            },
            group_lines: Vec::new(),
            own_lines: Vec::new(),
            joined_lines: Vec::new(),
            exceeded_limit: None,
            dialect,
            order: order_name(dialect),
            target,
            winner,
            runner_up,
            matching: matching.iter().map(short).collect(),
            rules: rule_count,
            qualifiers: Vec::new(),
            lacks: Vec::new(),
            conflicts: Vec::new(),
            omitted,
            standing: None,
        }
    }

    /// At most `most` of the lines that open the groups: those that show best why the groups apply.
    pub fn foremost_group_lines(&self, most: usize) -> Vec<u32> {
        foremost_lines(&self.group_lines, &self.own_lines, self.line, most)
    }

    /// The number of entries of a list, also of those that are left out.
    pub fn whole<T>(&self, list: &[T], name: &str) -> usize {
        list.len() + self.omitted.get(name).copied().unwrap_or_default()
    }

    fn add_group_lines(&mut self, all: &[u32], own: &[u32]) {
        self.group_lines = foremost_lines(all, own, self.line, MOST_LISTED);
        self.own_lines =
            self.group_lines.iter().copied().filter(|line| own.binary_search(line).is_ok()).collect();
        if let Some(more @ 1..) = all.len().checked_sub(MOST_LISTED) {
            self.omitted.insert("group_lines", more);
        }
    }

    /// Adds the parts of a permission beyond rules.
    fn add(&mut self, permission: PermissionAnswer) {
        match permission.reason {
            // The verdict already shows these reasons.
            PermissionReason::Explicit | PermissionReason::Silence | PermissionReason::RobotsTxt => {}
            other => self.reason = other.as_str(),
        }
        self.qualifiers = permission.qualifiers;
        self.lacks = listed(permission.lacks, &mut self.omitted);
        self.conflicts = permission.conflicts;
        cut(&mut self.conflicts, "conflicts", &mut self.omitted);
    }
}
