//! Which of the matching rules wins: the only place where specificity is compared.
//!
//! A rank is a small integer: 0 is "no rule", and of two matching rules the one with the larger rank decides. It is
//! resolved here, once a rule set, so that the walk only takes a maximum.

use std::cmp::{Ordering, Reverse};

use robomata_policy::RuleSet;
use robomata_protocol::{Access, Dialect};

use crate::int::u32_of;
use crate::pattern::{Pattern, Patterns, display, each_pattern};

/// 1-based position in the order of a rule set's patterns; 0 is no rule.
pub(crate) type Rank = u32;

/// The patterns of a rule set that can decide something, each shape once, with their ranks.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub(crate) patterns: Patterns,
    /// Indices of the patterns that count, ordered by shape.
    pub(crate) by_shape: Vec<u32>,
    /// Indices of the patterns that count, by ascending rank: rank r is `by_rank[r - 1]`.
    pub(crate) by_rank: Vec<u32>,
    /// For every pattern the rank of its shape's winner; 0 for a pattern that can never match.
    pub(crate) rank_of: Vec<Rank>,
}

impl Ranking {
    /// Replaces what is here by the ranking of `rules`.
    pub(crate) fn fill(&mut self, rules: &RuleSet<'_>) {
        let dialect = rules.policy().dialect();
        self.patterns.fill(rules);
        let patterns = &self.patterns;
        let all = 0..u32_of(patterns.len());

        // Patterns of one shape match the same texts: only the winner among them can ever decide.
        self.by_shape.clear();
        self.by_shape.extend(all.filter(|&index| patterns.can_match(patterns.get(index), dialect)));
        self.by_shape.sort_unstable_by(|&a, &b| {
            let (a, b) = (patterns.get(a), patterns.get(b));
            patterns.compare_shapes(a, b).then_with(|| compare(b, a))
        });
        let shape_of = std::mem::take(&mut self.rank_of);
        let representative = self.group_shapes(shape_of);

        let patterns = &self.patterns;
        self.by_rank.clear();
        self.by_rank.extend_from_slice(&self.by_shape);
        self.by_rank.sort_unstable_by(|&a, &b| compare(patterns.get(a), patterns.get(b)));
        self.assign_ranks(representative);
    }

    /// Keeps the first of each shape in `by_shape`; gives for every pattern its representative's index plus one.
    fn group_shapes(&mut self, mut representative: Vec<u32>) -> Vec<u32> {
        let patterns = &self.patterns;
        representative.clear();
        representative.resize(patterns.len(), 0);
        self.by_shape.dedup_by(|later, first| {
            let same = patterns.compare_shapes(patterns.get(*later), patterns.get(*first)) == Ordering::Equal;
            if same {
                representative[*later as usize] = *first + 1;
            }
            same
        });
        for &first in &self.by_shape {
            representative[first as usize] = first + 1;
        }
        representative
    }

    fn assign_ranks(&mut self, representative: Vec<u32>) {
        let mut rank_of_winner = vec![0; self.patterns.len()];
        for (position, &index) in self.by_rank.iter().enumerate() {
            rank_of_winner[index as usize] = u32_of(position) + 1;
        }
        self.rank_of = representative;
        for slot in &mut self.rank_of {
            if *slot > 0 {
                *slot = rank_of_winner[*slot as usize - 1];
            }
        }
    }
}

/// The order of rules (RFC 9309, 2.2.2; `crates/DIALECTS.md`, R1 and R2): most octets, then allow over disallow, then
/// the earlier line, which is the one to report among equals.
pub(crate) fn compare(a: &Pattern, b: &Pattern) -> Ordering {
    let key = |pattern: &Pattern| (pattern.octets, pattern.access, Reverse(pattern.line));
    key(a).cmp(&key(b))
}

/// What a rule's match means. An empty pattern, where the dialect keeps it, allows whatever it says (P3).
pub(crate) fn access_of(pattern: &Pattern) -> Access {
    if pattern.octets == 0 { Access::Allow } else { pattern.access }
}

/// One rule as the automaton sees it, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedRule {
    /// The rank of its pattern: of several matching rules the one with the largest decides. 0: it can never match.
    pub rank: u32,
    /// The 1-based line of the rule.
    pub line: u32,
    /// What the rule says.
    pub access: Access,
    /// Octets of the normal form, which the order compares.
    pub octets: u32,
    /// The normal form of the pattern; literal `*` and `$` are written `%2A` and `%24`.
    pub pattern: String,
}

/// The rules of a set, the one that wins over all others first. Rules with the same texts share a rank; the first of
/// them in this order is the one that decides.
pub fn ranked_rules(rules: &RuleSet<'_>) -> Vec<RankedRule> {
    let mut ranking = Ranking::default();
    ranking.fill(rules);
    let patterns = &ranking.patterns;
    let mut texts = Vec::with_capacity(patterns.len());
    each_pattern(rules, |written, _| texts.push(display(written, rules.policy().dialect())));
    let mut order: Vec<u32> = (0..u32_of(patterns.len())).collect();
    order.sort_by(|&a, &b| compare(patterns.get(b), patterns.get(a)));
    order
        .into_iter()
        .map(|index| {
            let pattern = patterns.get(index);
            RankedRule {
                rank: ranking.rank_of[index as usize],
                line: pattern.line,
                access: pattern.access,
                octets: pattern.octets,
                pattern: std::mem::take(&mut texts[index as usize]),
            }
        })
        .collect()
}

/// The order of a dialect's rules, for people.
pub const fn order_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Rfc9309 => "most octets of the normal form, allow over disallow",
        Dialect::Google => "most octets of the escaped pattern, allow over disallow",
    }
}
