//! Explanations of answers.

use std::collections::HashSet;

use robomata_automaton::{Program, RankedRule, Scratch, ranked_rules};
use robomata_policy::{Choice, Policy, RuleSet};
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome};

use crate::site_policy::{SitePolicy, path_or_url};
use crate::target::{Target, TargetBuffer};

/// Everything that led to an answer.
#[derive(Clone, Debug)]
pub struct Explanation<'p> {
    /// The answer.
    pub answer: Answer,
    /// The dialect of the policy.
    pub dialect: Dialect,
    /// Path and query, as far as they take part, in the form in which they were compared; `None` for an invalid URL.
    pub target: Option<String>,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// Why the groups that apply to the crawler do.
    pub choice: Choice<'p>,
    /// Their name ([`RuleSet::name`]).
    pub group: Option<String>,
    /// The rules that match: first the deciding one, then the runner-up, then the others. A rule that stands for several
    /// patterns (N1b, R3) is here once, with the best pattern that matches.
    pub matching: Vec<RankedRule>,
    /// The number of rules in the groups.
    pub rule_count: usize,
}

impl Explanation<'_> {
    /// The deciding rule.
    pub fn winner(&self) -> Option<&RankedRule> {
        self.matching.first().filter(|rule| rule.line == self.answer.line())
    }

    /// The rule that would have decided if the winner did not exist.
    pub fn runner_up(&self) -> Option<&RankedRule> {
        self.winner().and_then(|_| self.matching.get(1))
    }
}

/// Explains what `policy` decides for `crawler` and `url`. For several URLs, create an [`Explainer`] once.
pub fn explain<'p>(policy: &'p Policy<'p>, crawler: &Crawler, url: &[u8]) -> Explanation<'p> {
    Explainer::new(policy, crawler).explain(url)
}

/// Explains what a policy decides for a crawler. An explanation is slow compared to a check: it looks at every rule.
#[derive(Debug)]
pub struct Explainer<'p> {
    rules: RuleSet<'p>,
    group: Option<String>,
    /// All rules, the highest-ranking first.
    ranked: Vec<RankedRule>,
    rule_count: usize,
    /// Without what else decides, such as the fields of ACAP.
    program: Program,
    site_policy: SitePolicy,
    scratch: Scratch,
    buffer: TargetBuffer,
}

impl<'p> Explainer<'p> {
    /// Compiles and ranks the rules of `policy` for `crawler`.
    pub fn new(policy: &'p Policy<'p>, crawler: &Crawler) -> Self {
        let rules = policy.rules_for(crawler);
        Explainer {
            ranked: ranked_rules(&rules),
            rule_count: rules.rules().count(),
            program: Program::compile(&rules),
            site_policy: SitePolicy::new(policy, crawler),
            group: rules.name(crawler),
            rules,
            scratch: Scratch::new(),
            buffer: TargetBuffer::default(),
        }
    }

    /// Explains the answer for [`path_or_url`]; `invalid` if `url` is neither.
    pub fn explain_url(&mut self, url: &[u8]) -> Explanation<'p> {
        match path_or_url(url) {
            Some(url) => self.explain(url),
            None => Explanation {
                answer: Answer::Invalid,
                target: None,
                matching: Vec::new(),
                ..self.explain(b"")
            },
        }
    }

    /// Explains the answer for `url`, which the dialect may cut in its own way ([`SitePolicy::check`]).
    pub fn explain(&mut self, url: &[u8]) -> Explanation<'p> {
        let policy = self.rules.policy();
        let dialect = policy.dialect();
        let target = Target::read(url, dialect).map(|target| target.normal(dialect, &mut self.buffer));
        let matching = match target {
            Some(target) if policy.outcome() == FetchOutcome::Success => {
                let ranks = self.program.as_ref().matching_ranks(target, &mut self.scratch);
                // They descend.
                let mut lines = HashSet::new();
                let matches = |rule: &&RankedRule| {
                    ranks.binary_search_by(|rank| rule.rank.cmp(rank)).is_ok() && lines.insert(rule.line)
                };
                self.ranked.iter().filter(matches).cloned().collect()
            }
            _ => Vec::new(),
        };
        Explanation {
            answer: self.site_policy.check(url),
            dialect,
            target: target.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            outcome: policy.outcome(),
            choice: self.rules.choice(),
            group: self.group.clone(),
            matching,
            rule_count: self.rule_count,
        }
    }
}
