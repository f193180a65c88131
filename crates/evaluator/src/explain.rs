//! Explanations of answers.

use robomata_automaton::{Program, RankedRule, Scratch, ranked_rules};
use robomata_policy::{Choice, Policy};
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome};

use crate::site_policy::SitePolicy;
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
    /// The groups that apply to the crawler.
    pub choice: Choice<'p>,
    /// The rules that match: first the deciding one, then the runner-up, then the others.
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

/// Explains what `policy` decides for `crawler` and `url`. It is slow compared to a check: it looks at every rule.
pub fn explain<'p>(policy: &'p Policy<'p>, crawler: &Crawler, url: &[u8]) -> Explanation<'p> {
    let dialect = policy.dialect();
    let rules = policy.rules_for(crawler);
    let mut buffer = TargetBuffer::default();
    let target = Target::read(url, dialect).map(|target| target.normal(dialect, &mut buffer).to_vec());
    let ranked = ranked_rules(&rules);
    let rule_count = rules.rules().count();
    let matching = match &target {
        Some(target) if policy.outcome() == FetchOutcome::Success => {
            let program = Program::compile(&rules);
            let ranks = program.as_ref().matching_ranks(target, &mut Scratch::new());
            ranked.into_iter().filter(|rule| ranks.contains(&rule.rank)).collect()
        }
        _ => Vec::new(),
    };
    Explanation {
        answer: SitePolicy::new(policy, crawler).check(url),
        dialect,
        target: target.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        outcome: policy.outcome(),
        choice: rules.choice(),
        matching,
        rule_count,
    }
}
