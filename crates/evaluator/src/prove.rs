//! Proofs about every URL that a pattern matches.

use robomata_automaton::{Difference, PatternProof, PatternProver, instances_of_pattern, url_of_pattern};
use robomata_policy::Policy;
use robomata_protocol::{Access, Answer, Crawler};

use crate::difference::program_of;
use crate::site_policy::SitePolicy;

/// Proves what a policy answers for patterns of URLs.
#[derive(Clone, Debug)]
pub struct Prover {
    policy: SitePolicy,
    /// `None` if more than rules decide, or if nothing is known.
    rules: Option<PatternProver>,
}

/// The result of [`Prover::prove`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every URL that the pattern matches has the expected answer.
    Proved,
    /// This path and query, as in a URL, has another answer.
    Refuted(Vec<u8>, Answer),
    /// The pattern matches no URL that rules decide about.
    NoMatch,
    /// It is not known: the budget was spent, or more than rules decide.
    Unknown,
}

impl Prover {
    /// Compiles `policy` for `crawler`.
    pub fn new(policy: &Policy<'_>, crawler: &Crawler) -> Self {
        let policy = SitePolicy::new(policy, crawler);
        let program = program_of(&policy, Difference::Verdict);
        let rules = program.and_then(|program| PatternProver::new(program.as_ref(), policy.dialect()).ok());
        Prover { policy, rules }
    }

    /// The answer for one URL ([`SitePolicy::check`]).
    pub fn check(&mut self, url: &[u8]) -> Answer {
        self.policy.check(url)
    }

    /// The rule on `line` ([`SitePolicy::rule`]).
    pub fn rule(&self, line: u32) -> Option<String> {
        match &self.rules {
            Some(rules) => rules.rule(line),
            None => self.policy.rule(line),
        }
    }

    /// Decides whether every URL that `pattern` matches has this access ([`PatternProver::prove`]). A refutation is
    /// confirmed by a check.
    pub fn prove(&mut self, pattern: &[u8], access: Access, budget: u64) -> Proof {
        let instances = instances_of_pattern(pattern, self.policy.dialect());
        if instances.is_empty() {
            return Proof::NoMatch;
        }
        match self.rules.as_ref().map(|rules| rules.prove(pattern, access, budget)) {
            Some(PatternProof::Proved) => return Proof::Proved,
            Some(PatternProof::Refuted(text)) => {
                if let Some(refuted) = self.refuted(&text, pattern, access) {
                    return refuted;
                }
            }
            Some(PatternProof::Spent) | None => {}
        }
        instances.iter().find_map(|text| self.refuted(text, pattern, access)).unwrap_or(Proof::Unknown)
    }

    fn refuted(&mut self, target: &[u8], pattern: &[u8], access: Access) -> Option<Proof> {
        let path = url_of_pattern(target, pattern, self.policy.dialect());
        // Some dialects read `//a` alone as a site.
        let answer = self.policy.check(&[b"http://site.example", path.as_slice()].concat());
        let is_expected = matches!(answer, Answer::Verdict(verdict) if verdict.access == access);
        (!is_expected).then_some(Proof::Refuted(path, answer))
    }
}
