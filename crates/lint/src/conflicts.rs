//! Findings about vocabularies that contradict each other about the same URLs and crawlers.
//!
//! Findings about rules are proved: on the automata ([`compare_programs`]), or by a URL for which both vocabularies
//! give an answer.

use std::collections::{BTreeMap, BTreeSet};

use robomata_automaton::{CompareOptions, compare_programs, path_of};
use robomata_evaluator::SitePolicy;
use robomata_policy::{Name, Noindex, Policy, Preference, content_usage};
use robomata_protocol::{Access, Answer, Crawler, Dialect, Span, Usage};
use robomata_syntax::{AgentName, Config, Key, agent_name};

use crate::{Findings, LintOptions};

/// Adds the findings about contradicting vocabularies. Checks every crawler that the file names when `crawlers` is
/// empty.
pub(crate) fn find(file: &[u8], options: &LintOptions, findings: &mut Findings<'_>) {
    signals_and_usages(&options.crawlers, findings);
    unseen_noindex(&options.crawlers, findings);
    if cfg!(feature = "acap") {
        acap_and_rules(file, options, findings);
    }
}

/// At most this many runs of names with either vocabulary are compared, and at most this many names of one run.
const MOST_RUNS: usize = 64;

/// Finds usages for which Content-Signal and Content-Usage state opposite preferences for the whole site.
fn signals_and_usages(crawlers: &[Crawler], findings: &mut Findings<'_>) {
    let policy = findings.policy;
    // Each run of names once, by the line of its first name.
    let runs_with = |key: Key| -> BTreeMap<u32, &[Name]> {
        let runs =
            policy.extensions().iter().filter(|field| field.key == key).map(|field| policy.bound_by(field));
        runs.filter_map(|run| Some((run.first()?.line, run))).collect()
    };
    let (mut runs, usages) = (runs_with(Key::ContentSignal), runs_with(Key::ContentUsage));
    if runs.is_empty() || usages.is_empty() {
        return;
    }
    runs.extend(usages);
    let named = || {
        let runs = runs.values().take(MOST_RUNS);
        runs.filter_map(|run| crawlers_of(policy, run)?.into_iter().next()).collect()
    };
    let selected: Vec<Crawler> = if crawlers.is_empty() { named() } else { crawlers.to_vec() };
    let mut reported = BTreeSet::new();
    for crawler in &selected {
        let (signal, usage_records) = (policy.content_signal(crawler), policy.content_usage(crawler));
        for usage in Usage::ALL.into_iter().filter(|usage| usage.including().is_none()) {
            let Some(item) = signal.about(usage) else { continue };
            let whole_site = usage_records.iter().filter(|record| record.pattern.is_empty());
            for record in whole_site {
                let Some(about) = content_usage::about(&record.items, usage) else { continue };
                let is_opposite = item.prohibits != (about.preference == Preference::No);
                if is_opposite && reported.insert((item.line, record.line, usage.as_str())) {
                    conflict(item.line, record.line, usage, findings);
                }
            }
        }
    }
}

/// The crawlers with these names. None when there are too many, or when a name cannot be queried.
fn crawlers_of(policy: &Policy<'_>, names: &[Name]) -> Option<Vec<Crawler>> {
    let crawler = |name| {
        Some(match policy.agent_of(name) {
            AgentName::Any => Crawler::new(UNNAMED),
            AgentName::Named(token) => Crawler::new(std::str::from_utf8(token).ok()?),
        })
    };
    (names.len() <= MOST_RUNS).then(|| names.iter().map(crawler).collect())?
}

fn conflict(signal: u32, usage_line: u32, usage: Usage, findings: &mut Findings<'_>) {
    let value = |line: u32| field_on(findings.policy, line);
    let (Some(one), Some(other)) = (value(signal), value(usage_line)) else { return };
    let message =
        format!("Content-Signal and Content-Usage contradict each other about '{}'", usage.as_str());
    findings.add("vocabulary-conflict", usage_line, other, message).help("say the same in both").related(
        signal,
        one,
        "says the opposite",
    );
}

/// At most this many Noindex lines are checked, counted once for each crawler that obeys them. Each line is compared
/// with all rules of the crawler.
const MOST_NOINDEX: usize = 64;
/// The rules of these comparisons have at most this many bytes together.
const MOST_BYTES: usize = 8 << 20;
/// The step limit of the search for a URL that a Noindex matches and that may be crawled.
const NOINDEX_BUDGET: u64 = 100_000;

/// Finds Noindex records that match only disallowed URLs. A crawler that obeys both never sees a noindex in the pages.
fn unseen_noindex(crawlers: &[Crawler], findings: &mut Findings<'_>) {
    let policy = findings.policy;
    // The draft of 1996 has no wildcards, and Noindex came later.
    if !policy.dialect().semantics().wildcards {
        return;
    }
    let mut runs: BTreeMap<u32, (&[Name], BTreeSet<u32>)> = BTreeMap::new();
    for field in policy.extensions().iter().filter(|field| field.key == Key::Noindex) {
        let run = policy.bound_by(field);
        let Some(first) = run.first() else { continue };
        runs.entry(first.line).or_insert((run, BTreeSet::new())).1.insert(field.line);
    }
    let mut left = (MOST_BYTES / policy.text().len().max(1)).min(MOST_NOINDEX);
    for (run, lines) in runs.values().take(MOST_RUNS) {
        let Some(named) = crawlers_of(policy, run) else { continue };
        // The line's URLs must be disallowed for every crawler that obeys the line. Each may obey other groups, too.
        let obey =
            |crawler: &&Crawler| policy.noindex(crawler).iter().any(|other| lines.contains(&other.line));
        let selected: Vec<&Crawler> =
            if crawlers.is_empty() { named.iter().collect() } else { crawlers.iter().filter(obey).collect() };
        let Some(first) = selected.first() else { continue };
        let mut rules: Vec<SitePolicy> =
            selected.iter().map(|crawler| SitePolicy::new(policy, crawler)).collect();
        for noindex in policy.noindex(first).iter().filter(|noindex| lines.contains(&noindex.line)) {
            if left < rules.len() {
                return;
            }
            left -= rules.len();
            let unseen_by = |rules| unseen(policy.dialect(), rules, noindex);
            let unseen: Option<Vec<_>> = rules.iter_mut().map(unseen_by).collect();
            if let Some((url, line)) = unseen.and_then(|unseen| unseen.into_iter().next()) {
                report_unseen(noindex, &url, line, findings);
            }
        }
    }
}

/// A URL that `noindex` matches, with the line that disallows it. None unless every URL that it matches is proved to be
/// disallowed.
fn unseen(dialect: Dialect, rules: &mut SitePolicy, noindex: &Noindex<'_>) -> Option<(Vec<u8>, u32)> {
    let only = [b"User-agent: *\nDisallow: ", noindex.pattern].concat();
    let only = SitePolicy::new(&Policy::new(&only, &Config::new(dialect)), &Crawler::new("anybody"));
    let mut lines = Vec::new();
    for text in only.instances() {
        let path = path_of(&text, dialect);
        match rules.check(&path) {
            Answer::Verdict(verdict) if verdict.access == Access::Disallow && verdict.line > 0 => {
                lines.push((path, verdict.line));
            }
            _ => return None,
        }
    }
    let options = CompareOptions { budget: NOINDEX_BUDGET, ..CompareOptions::default() };
    let found = compare_programs(rules.program()?, only.program()?, dialect, &options).ok()?;
    // No witness may show a URL that the pattern matches and the rules allow.
    let is_proved = found.is_exhaustive && found.witnesses.iter().all(|witness| witness.new.is_none());
    if is_proved { lines.into_iter().next() } else { None }
}

fn report_unseen(noindex: &Noindex<'_>, url: &[u8], line: u32, findings: &mut Findings<'_>) {
    let policy = findings.policy;
    let (Some(value), Some(pattern)) = (field_on(policy, noindex.line), rule_on(policy, line)) else {
        return;
    };
    let message = format!(
        "every URL that it matches is disallowed ({} by line {line}), so crawlers cannot see a noindex in the pages",
        crate::quoted(url)
    );
    findings
        .add("noindex-disallowed", noindex.line, value, message)
        .help("let crawlers fetch the pages and put noindex there, or remove the line")
        .related(line, pattern, "disallows it");
}

/// The value of the field on a line. None for rules.
fn field_on(policy: &Policy<'_>, line: u32) -> Option<Span> {
    policy.extensions().iter().find(|field| field.line == line).map(|field| field.value)
}

/// The pattern of the rule on a line, in any group.
pub(crate) fn rule_on(policy: &Policy<'_>, line: u32) -> Option<Span> {
    let mut rules = policy.groups().iter().flat_map(|group| policy.rules_of(group));
    rules.find(|rule| rule.line == line).map(|rule| rule.pattern)
}

/// At most this many crawlers are checked in both vocabularies.
const MOST_CRAWLERS: usize = 64;
/// At most this many URLs are checked, for all crawlers together.
const MOST_URLS: usize = 20_000;

/// Finds URLs whose crawl permission differs between crawlers that read ACAP and crawlers that read only the rules.
fn acap_and_rules(file: &[u8], options: &LintOptions, findings: &mut Findings<'_>) {
    let acap = Policy::new(file, &options.config(Dialect::Acap));
    let plain = Policy::new(file, &options.config(Dialect::Rfc9309));
    let is_read_alike = acap.text() == findings.policy.text() && plain.text() == findings.policy.text();
    if !is_read_alike || acap.extensions().iter().all(|field| field.key != Key::Acap) {
        return;
    }
    let names = Named::of(&acap, &plain);
    let fields: BTreeSet<u32> =
        acap.extensions().iter().filter(|field| field.key == Key::Acap).map(|field| field.line).collect();
    let mut contradictions: BTreeMap<u32, Contradiction> = BTreeMap::new();
    let mut left = MOST_URLS;
    for crawler in names.crawlers(&options.crawlers).iter().take(MOST_CRAWLERS) {
        let open = line_that_allows_all(&plain, crawler);
        let (mut one, mut other) = (SitePolicy::new(&acap, crawler), SitePolicy::new(&plain, crawler));
        let mut texts: Vec<Vec<u8>> = one.instances().into_iter().chain(other.instances()).collect();
        texts.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        texts.dedup();
        texts.truncate(left);
        left -= texts.len();
        for text in texts {
            let url = path_of(&text, plain.dialect());
            let (Answer::Verdict(by_acap), Answer::Verdict(by_rules)) = (one.check(&url), other.check(&url))
            else {
                continue;
            };
            let rule_line = if by_rules.line > 0 { by_rules.line } else { open };
            if fields.contains(&by_acap.line) && rule_line > 0 && by_acap.access != by_rules.access {
                contradictions.entry(by_acap.line).or_insert_with(|| Contradiction {
                    url,
                    crawler: crawler.clone(),
                    acap: (by_acap.line, by_acap.access),
                    rule: (rule_line, by_rules.access),
                });
            }
        }
    }
    contradictions.values().for_each(|contradiction| contradiction.report(&acap, &names, findings));
}

/// The line of the first rule for `crawler` if all its rules are empty: nothing is disallowed (RFC 9309, 2.2.2).
/// Otherwise 0.
fn line_that_allows_all(policy: &Policy<'_>, crawler: &Crawler) -> u32 {
    let rules = policy.rules_for(crawler);
    let is_open = rules.rules().all(|rule| rule.pattern.is_empty());
    rules.rules().next().filter(|_| is_open).map_or(0, |rule| rule.line)
}

/// A URL for which a field of ACAP and a rule give different answers.
struct Contradiction {
    url: Vec<u8>,
    crawler: Crawler,
    /// The line of the field and its answer.
    acap: (u32, Access),
    /// The line of the rule and its answer.
    rule: (u32, Access),
}

impl Contradiction {
    fn report(&self, acap: &Policy<'_>, names: &Named, findings: &mut Findings<'_>) {
        let ((line, says), (rule_line, rule_says)) = (self.acap, self.rule);
        let Some(value) = field_on(acap, line) else { return };
        let pattern = rule_on(findings.policy, rule_line);
        let (url, crawler) = (crate::quoted(&self.url), names.label(&self.crawler));
        let message = format!(
            "{says} of {url} for {crawler}, but {rule_says} by line {rule_line} if the crawler does not read ACAP"
        );
        let help = names.help(&self.crawler);
        let finding = findings.add("acap-conflict", line, value, message);
        finding.help(help);
        if let Some(pattern) = pattern {
            finding.related(rule_line, pattern, "says the opposite to crawlers that do not read ACAP");
        }
    }
}

/// The names in the records of each vocabulary, in lower case.
struct Named {
    acap: BTreeSet<String>,
    rules: BTreeSet<String>,
}

impl Named {
    fn of(acap: &Policy<'_>, plain: &Policy<'_>) -> Self {
        let token = |name: AgentName<'_>| match name {
            AgentName::Named(token @ [_, ..]) => String::from_utf8(token.to_ascii_lowercase()).ok(),
            _ => None,
        };
        let is_crawler = |written: Span| written.of(acap.text()).eq_ignore_ascii_case(b"ACAP-crawler");
        let records =
            acap.extensions().iter().filter(|field| field.key == Key::Acap && is_crawler(field.written_key));
        let names = plain.groups().iter().flat_map(|group| plain.names_of(group));
        Named {
            acap: records
                .filter_map(|field| token(agent_name(field.value.of(acap.text()), acap.dialect())))
                .collect(),
            rules: names.filter_map(|name| token(plain.agent_of(name))).collect(),
        }
    }

    /// The crawlers in `given`. When it is empty: every named crawler, and one that is not named.
    fn crawlers(&self, given: &[Crawler]) -> Vec<Crawler> {
        if !given.is_empty() {
            return given.to_vec();
        }
        let named = self.acap.union(&self.rules).map(|token| Crawler::new(token));
        std::iter::once(Crawler::new(UNNAMED)).chain(named).collect()
    }

    fn label(&self, crawler: &Crawler) -> String {
        if crawler.to_string() == UNNAMED {
            "a crawler that is not named".to_owned()
        } else {
            format!("'{crawler}'")
        }
    }

    /// The usual causes are two: the paths differ, or only one vocabulary has a record for the crawler.
    fn help(&self, crawler: &Crawler) -> &'static str {
        let named_by = |names: &BTreeSet<String>| {
            crawler.tokens().iter().any(|token| names.contains(&token.to_string().to_ascii_lowercase()))
        };
        match (named_by(&self.acap), named_by(&self.rules)) {
            (true, false) => {
                "only an ACAP-crawler line names it, no User-agent line does: name it in both, or say the same in both"
            }
            (false, true) => {
                "only a User-agent line names it, no ACAP-crawler line does: name it in both, or say the same in both"
            }
            _ => "say the same in both",
        }
    }
}

/// A name that no record can have: nothing is left of it where names are cut.
const UNNAMED: &str = "\"no such crawler\"";
