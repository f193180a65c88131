//! Counts how often each rule of each robots.txt decided.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use robomata_engine::{Access, Dialect, Moment, Site};

use super::account::OTHERS;
use super::judge::Decider;
use super::report::{RobotsTxtScore, RuleScore};
use crate::bodies::Bodies;

/// The most lines that are counted, for all versions of all sites; requests that others decided are counted by version.
/// The store holds all versions, so there are no more of them.
const LINES: usize = 1 << 18;
/// The most versions that are listed.
const VERSIONS: usize = 40;
/// The most rules of a version that are listed, the most names of a group, and the most bytes of a rule and of a name.
/// Reports repeat the names of a group for each of its rules.
const RULES: usize = 1000;
const NAMES: usize = 20;
const TEXT: usize = 500;
const NAME: usize = 60;

/// Counts of requests by the line that decided.
#[derive(Debug)]
pub(super) struct Hits {
    lines: HashMap<Line, Hit>,
    /// The requests that were not counted by line, by version.
    others: HashMap<(Arc<str>, Option<Moment>), u64>,
    /// The most lines.
    limit: usize,
}

impl Default for Hits {
    fn default() -> Self {
        Hits { lines: HashMap::new(), others: HashMap::new(), limit: LINES }
    }
}

/// A line of a version; the time of its first capture identifies the version. 0 means no rule.
type Line = (Arc<str>, Option<Moment>, u32);

#[derive(Debug, Default)]
struct Hit {
    requests: u64,
    rule: Option<Arc<str>>,
}

impl Hits {
    /// Counts a request to `site`. The `rule` is needed if there is no text of the robots.txt.
    pub(super) fn add(&mut self, site: &Arc<str>, decider: Decider, rule: Option<&Arc<str>>) {
        let Some(version) = decider.version.filter(|_| **site != *OTHERS) else { return };
        let key = (Arc::clone(site), version.first, decider.line);
        if self.lines.len() >= self.limit && !self.lines.contains_key(&key) {
            *self.others.entry((key.0, key.1)).or_default() += 1;
            return;
        }
        let hit = self.lines.entry(key).or_default();
        hit.requests += 1;
        if hit.rule.is_none() {
            hit.rule = rule.cloned();
        }
    }

    /// The versions with most requests, by site and then newest first, and the number of versions left out. With
    /// `bodies`, rules that never decided are included.
    pub(super) fn close(self, bodies: Option<&Bodies>, dialect: Dialect) -> (Vec<RobotsTxtScore>, u64) {
        let mut versions: BTreeMap<(Arc<str>, Option<Moment>), BTreeMap<u32, Hit>> = BTreeMap::new();
        for ((site, first, line), hit) in self.lines {
            versions.entry((site, first)).or_default().insert(line, hit);
        }
        let mut sites: HashMap<Arc<str>, u64> = HashMap::new();
        let others = self.others;
        for version in others.keys() {
            versions.entry(version.clone()).or_default();
        }
        let requests = |lines: &BTreeMap<u32, Hit>| lines.values().map(|hit| hit.requests).sum::<u64>();
        for (version, lines) in &versions {
            let not_counted = others.get(version).copied().unwrap_or_default();
            *sites.entry(Arc::clone(&version.0)).or_default() += requests(lines) + not_counted;
        }
        let mut versions: Vec<_> = versions.into_iter().collect();
        versions.sort_by(|((a, first), _), ((b, second), _)| {
            (Reverse(sites[a]), a, Reverse(first)).cmp(&(Reverse(sites[b]), b, Reverse(second)))
        });
        let more = versions.len().saturating_sub(VERSIONS) as u64;
        versions.truncate(VERSIONS);
        let listed = versions.into_iter().map(|((site, first), mut lines)| {
            let not_counted = others.get(&(Arc::clone(&site), first)).copied().unwrap_or_default();
            let requests = requests(&lines) + not_counted;
            let no_rule = lines.remove(&0).map_or(0, |hit| hit.requests);
            let text = bodies.and_then(|bodies| rules_of(bodies, &site, first, dialect, &lines));
            let is_whole = text.is_some() && not_counted == 0;
            let (rules, more_rules) = text.unwrap_or_else(|| rules_without_text(&lines));
            let captured = first.map(|first| first.to_string());
            let site = site.to_string();
            RobotsTxtScore { site, captured, requests, no_rule, not_counted, is_whole, rules, more_rules }
        });
        (listed.collect(), more)
    }
}

/// Keeps the first [`RULES`] of `rules`, those with most requests first. Returns the number of the others.
fn keep_most_used<T: Ord>(rules: &mut Vec<T>) -> u64 {
    rules.sort_unstable();
    let more = rules.len().saturating_sub(RULES) as u64;
    rules.truncate(RULES);
    more
}

/// The rules of the capture of `site` from the time `first`, and the number of rules left out.
fn rules_of(
    bodies: &Bodies,
    site: &str,
    first: Option<Moment>,
    dialect: Dialect,
    lines: &BTreeMap<u32, Hit>,
) -> Option<(Vec<RuleScore>, u64)> {
    let url = format!("{site}/");
    let kept = bodies.at(&Site::of_url(url.as_bytes()).ok()?, first.unwrap_or(Moment(i64::MIN)))?;
    let policy = bodies.policy(kept, dialect);
    let text = |bytes: &[u8], most| String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned();
    // A file can have hundreds of thousands of rules, so texts are made after the choice.
    let mut chosen: Vec<(Reverse<u64>, u32, usize, usize)> = Vec::new();
    for (group, rules) in policy.groups().iter().map(|group| policy.rules_of(group)).enumerate() {
        chosen.extend(rules.iter().enumerate().map(|(number, rule)| {
            let requests = lines.get(&rule.line).map_or(0, |hit| hit.requests);
            (Reverse(requests), rule.line, group, number)
        }));
    }
    let more = keep_most_used(&mut chosen);
    let mut agents: HashMap<usize, Arc<[String]>> = HashMap::new();
    let rules = chosen.into_iter().map(|(Reverse(requests), line, group_number, number)| {
        let group = &policy.groups()[group_number];
        let rule = &policy.rules_of(group)[number];
        let agents = agents.entry(group_number).or_insert_with(|| {
            let names = policy.names_of(group).iter().take(NAMES);
            names.map(|name| text(name.value.of(policy.text()), NAME)).collect()
        });
        let field = if rule.access == Access::Allow { "Allow" } else { "Disallow" };
        let pattern = text(rule.pattern.of(policy.text()), TEXT);
        let rule = format!("{field}: {pattern}").trim_end().to_owned();
        RuleScore { line, agents: Arc::clone(agents), rule, requests }
    });
    Some((rules.collect(), more))
}

/// The rules that decided, if there is no text of the robots.txt, and the number of rules left out.
fn rules_without_text(lines: &BTreeMap<u32, Hit>) -> (Vec<RuleScore>, u64) {
    let mut chosen: Vec<(Reverse<u64>, u32)> =
        lines.iter().map(|(&line, hit)| (Reverse(hit.requests), line)).collect();
    let more = keep_most_used(&mut chosen);
    let rules = chosen.into_iter().map(|(Reverse(requests), line)| RuleScore {
        line,
        agents: Arc::default(),
        rule: lines[&line].rule.as_deref().unwrap_or("several rules together").to_owned(),
        requests,
    });
    (rules.collect(), more)
}

#[cfg(test)]
mod tests {
    use super::super::judge::VersionId;
    use super::*;

    #[test]
    fn requests_that_are_not_counted_by_rule_are_stated() {
        let mut hits = Hits { limit: 3, ..Hits::default() };
        let mut add = |site: &str, line| {
            let version = Some(VersionId { number: 0, first: None });
            hits.add(&Arc::from(site), Decider { version, line }, None);
        };
        for line in [2, 3, 4, 5, 5, 5, 5, 4] {
            add("https://a.example", line);
        }
        add("https://b.example", 2);
        let (versions, more) = hits.close(None, Dialect::Rfc9309);
        let [a, b] = &versions[..] else { panic!("{versions:?}") };
        assert_eq!((a.requests, a.not_counted, a.is_whole, a.rules.len()), (8, 4, false, 3));
        assert_eq!((b.requests, b.not_counted, b.is_whole, b.rules.len()), (1, 1, false, 0));
        assert_eq!(more, 0);
    }
}
