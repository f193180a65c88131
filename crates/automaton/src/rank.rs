//! Which of the matching rules wins: the only place where specificity is compared.
//!
//! A rank is a small integer: 0 is "no rule", and of two matching rules the one with the larger rank decides. It is
//! resolved here, once a rule set, so that the walk only takes a maximum.

use bumpalo::Bump;
use bumpalo::collections::Vec;
use robomata_policy::RuleSet;
use robomata_protocol::{Access, Dialect};

use crate::int::u32_of;
use crate::pattern::{Pattern, display, each_pattern, patterns};
use crate::sort::{Item, sort};

/// 1-based position in the order of a rule set's patterns; 0 is no rule.
pub(crate) type Rank = u32;

/// The patterns of a rule set, ranked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking<'a> {
    /// All of them, in the order of the rules. Those that can decide something have a rank.
    pub(crate) patterns: &'a [Pattern<'a>],
    /// The patterns that can match, ordered by shape.
    by_shape: &'a [Item],
    /// The best rank: how many patterns have one.
    pub(crate) best: Rank,
}

impl<'a> Ranking<'a> {
    /// Ranks the patterns of `rules`.
    pub(crate) fn new(rules: &RuleSet<'a>, arena: &'a Bump) -> Self {
        let patterns = patterns(rules, arena);
        let by_shape = by_shape(patterns, rules.policy().dialect(), arena);
        let mut winners = Vec::with_capacity_in(by_shape.len(), arena);
        // Patterns of one shape match the same texts: only the winner among them can ever decide.
        for same in same_shapes(by_shape) {
            if let Some(winner) = same.iter().map(|item| Key::new(patterns, item.text)).max() {
                winners.push(winner);
            }
        }
        rank(&winners, patterns, arena);
        Ranking { patterns, by_shape, best: u32_of(winners.len()) }
    }

    /// The patterns that have a rank, in the order of the rules.
    pub(crate) fn ranked(&self) -> impl DoubleEndedIterator<Item = &'a Pattern<'a>> {
        self.patterns.iter().filter(|pattern| pattern.rank > 0)
    }

    /// The patterns that have a rank, by shape: those with one head stand together, and heads ascend.
    pub(crate) fn by_shape(&self) -> impl Iterator<Item = &'a Pattern<'a>> {
        let patterns = self.patterns;
        self.by_shape.iter().map(|item| &patterns[item.text as usize]).filter(|pattern| pattern.rank > 0)
    }
}

/// Gives ranks to the winners.
///
/// Where there are many, they differ in few lengths, so they are counted, not sorted: those of one length and access
/// follow each other from the last line to the first.
fn rank(winners: &[Key], patterns: &mut [Pattern<'_>], arena: &Bump) {
    let longest = winners.iter().max().map_or(0, |key| key.class());
    if longest > 8 * winners.len() {
        // Fewer than it takes to count.
        let winners = arena.alloc_slice_copy(winners);
        winners.sort_unstable();
        for (rank, key) in (1..).zip(&*winners) {
            patterns[key.index() as usize].rank = rank;
        }
        return;
    }
    let next = arena.alloc_slice_fill_copy(longest + 2, 0);
    for key in winners {
        next[key.class() + 1] += 1;
        patterns[key.index() as usize].rank = 1;
    }
    let mut before = 0;
    for next in &mut *next {
        before += *next;
        *next = before;
    }
    for index in (0..patterns.len()).rev() {
        if patterns[index].rank > 0 {
            let next = &mut next[Key::new(patterns, u32_of(index)).class()];
            *next += 1;
            patterns[index].rank = *next;
        }
    }
}

/// The patterns that can match, ordered by shape.
fn by_shape<'a>(patterns: &[Pattern<'_>], dialect: Dialect, arena: &'a Bump) -> &'a [Item] {
    let mut items = Vec::with_capacity_in(patterns.len(), arena);
    let all = (0..).zip(patterns);
    items.extend(all.filter(|(_, pattern)| pattern.can_match(dialect)).map(|(index, _)| Item::new(index)));
    sort(&mut items, patterns, arena);
    items.into_bump_slice()
}

/// The items of each shape.
fn same_shapes(by_shape: &[Item]) -> impl Iterator<Item = &[Item]> {
    by_shape.chunk_by(|_, later| later.repeats)
}

/// A pattern's place in the order of rules (RFC 9309, 2.2.2; `crates/DIALECTS.md`, R1 and R2), as a number: most octets,
/// then allow over disallow, then the earlier line, which is the one to report among equals. Patterns come by line, so
/// an earlier one has a smaller index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    /// Records are longer than two octets, so a text of 2^32 octets has not as many patterns.
    const LAST_INDEX: u32 = u32::MAX >> 1;

    #[inline]
    fn new(patterns: &[Pattern<'_>], index: u32) -> Self {
        let Pattern { octets, access, .. } = patterns[index as usize];
        let allow = u64::from(access == Access::Allow);
        Key(u64::from(octets) << 32 | allow << 31 | u64::from(Key::LAST_INDEX - index))
    }

    /// The length and the access: what is left of the order but for the line.
    #[inline]
    fn class(self) -> usize {
        (self.0 >> 31) as usize
    }

    #[inline]
    fn index(self) -> u32 {
        Key::LAST_INDEX - (crate::int::low_half(self.0) & Key::LAST_INDEX)
    }
}

/// What a rule's match means. An empty pattern, where the dialect keeps it, allows whatever it says (P3).
pub(crate) fn access_of(pattern: &Pattern<'_>) -> Access {
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
pub fn ranked_rules(rules: &RuleSet<'_>) -> std::vec::Vec<RankedRule> {
    let arena = Bump::new();
    let Ranking { patterns, by_shape, .. } = Ranking::new(rules, &arena);
    let mut rank_of = vec![0; patterns.len()];
    for same in same_shapes(by_shape) {
        let rank = same.iter().map(|item| patterns[item.text as usize].rank).max();
        same.iter().for_each(|item| rank_of[item.text as usize] = rank.unwrap_or(0));
    }
    let mut ranked = std::vec::Vec::with_capacity(patterns.len());
    each_pattern(rules, |written, rule| {
        let index = ranked.len();
        let octets = patterns[index].octets;
        let pattern = display(written, rules.policy().dialect());
        let rule = RankedRule { rank: rank_of[index], line: rule.line, access: rule.access, octets, pattern };
        ranked.push((Key::new(patterns, u32_of(index)), rule));
    });
    ranked.sort_unstable_by_key(|&(key, _)| std::cmp::Reverse(key));
    ranked.into_iter().map(|(_, rule)| rule).collect()
}

/// The order of a dialect's rules, for people.
pub const fn order_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => "most octets of the normal form, allow over disallow",
        Dialect::Google => "most octets of the escaped pattern, allow over disallow",
    }
}
