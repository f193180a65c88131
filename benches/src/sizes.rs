//! How large robomata's programs are, beside what they are made of.

use std::collections::HashSet;

use robomata::automaton::{Compiler, ranked_rules};
use robomata::{Config, Crawler, Dialect, Policy};

use crate::corpus::{Agent, Corpus};

/// Sizes in octets over the distinct bodies, one program a body.
#[derive(Debug)]
pub(crate) struct Sizes {
    pub(crate) bodies: usize,
    /// The normal forms of the crawler's rules, every rule counted.
    pub(crate) rules: u64,
    pub(crate) programs: usize,
    pub(crate) median: usize,
    pub(crate) p99: usize,
    pub(crate) max: usize,
    /// How many programs differ from all others, and their octets.
    pub(crate) distinct: (usize, usize),
}

impl Sizes {
    pub(crate) fn of(corpus: &Corpus, agent: Agent) -> Self {
        let crawler = Crawler::new(agent.as_str());
        let config = Config::new(Dialect::Rfc9309);
        let mut compiler = Compiler::new();
        let (mut rules, mut sizes, mut distinct) = (0, Vec::new(), HashSet::new());
        for body in &corpus.bodies {
            let policy = Policy::new(body, &config);
            let set = policy.rules_for(&crawler);
            rules += ranked_rules(&set).iter().map(|rule| u64::from(rule.octets)).sum::<u64>();
            let program = compiler.compile(&set).octets();
            sizes.push(program.len());
            if !distinct.contains(program) {
                distinct.insert(program.to_vec());
            }
        }
        sizes.sort_unstable();
        let quantile = |percent: usize| sizes.get(sizes.len() * percent / 100).copied().unwrap_or(0);
        Sizes {
            bodies: corpus.body_octets(),
            rules,
            programs: sizes.iter().sum(),
            median: quantile(50),
            p99: quantile(99),
            max: sizes.last().copied().unwrap_or(0),
            distinct: (distinct.len(), distinct.iter().map(Vec::len).sum()),
        }
    }
}
