//! Which of the matching rules wins. This is the only module that compares specificity.
//!
//! A rank is a small integer: 0 is "no rule", and of two matching rules, the one with the larger rank decides. Ranks
//! are computed here, once per rule set, so the walk only takes a maximum.

use std::cmp::{Ordering, Reverse};

use bumpalo::Bump;
use bumpalo::collections::Vec;
use robomata_policy::RuleSet;
use robomata_protocol::semantics::{EmptyPattern, Normalization, PatternLength, RuleOrder};
use robomata_protocol::{Access, ConflictRule, Dialect, Semantics};

use crate::int::u32_of;
use crate::normal::{NormalForm, Part};
use crate::pattern::{Pattern, display, each_pattern, patterns};
use crate::sort::{Item, sort};

/// 1-based position in the order of a rule set's patterns; 0 is no rule.
pub(crate) type Rank = u32;

/// The patterns of a rule set, ranked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking<'a> {
    /// All of them, in the order of the rules. Those that can decide have a rank.
    pub(crate) patterns: &'a [Pattern<'a>],
    /// The patterns that can match, sorted by shape.
    by_shape: &'a [Item],
    /// The best rank, which is the number of patterns with a rank.
    pub(crate) best: Rank,
}

impl<'a> Ranking<'a> {
    /// Ranks the patterns of `rules`.
    pub(crate) fn new(rules: &RuleSet<'a>, arena: &'a Bump) -> Self {
        Ranking::of(patterns(rules, arena), rules.policy().dialect().semantics(), arena)
    }

    /// Ranks `patterns`, which are in the order of their rules.
    pub(crate) fn of(patterns: &'a mut [Pattern<'a>], semantics: &Semantics, arena: &'a Bump) -> Self {
        let Semantics { order, empty_pattern, .. } = *semantics;
        let by_shape = by_shape(patterns, empty_pattern, arena);
        let mut winners = Vec::with_capacity_in(by_shape.len(), arena);
        // Patterns of one shape match the same texts: only the best of them can ever decide.
        for same in same_shapes(by_shape) {
            if let Some(winner) = same.iter().map(|item| Key::new(order, patterns, item.text)).max() {
                winners.push(winner);
            }
        }
        rank(&winners, order, patterns, arena);
        Ranking { patterns, by_shape, best: u32_of(winners.len()) }
    }

    /// The patterns with a rank, in the order of the rules.
    pub(crate) fn ranked(&self) -> impl DoubleEndedIterator<Item = &'a Pattern<'a>> {
        self.patterns.iter().filter(|pattern| pattern.rank > 0)
    }

    /// The rank of each pattern, which is that of its shape; 0 if it can never match.
    pub(crate) fn ranks(&self) -> std::vec::Vec<Rank> {
        let mut ranks = vec![0; self.patterns.len()];
        for same in same_shapes(self.by_shape) {
            let rank = same.iter().map(|item| self.patterns[item.text as usize].rank).max();
            same.iter().for_each(|item| ranks[item.text as usize] = rank.unwrap_or(0));
        }
        ranks
    }

    /// Patterns of different shapes that already have ranks, from 1 to their number.
    pub(crate) fn of_ranked(patterns: &'a [Pattern<'a>], semantics: &Semantics, arena: &'a Bump) -> Self {
        let by_shape = by_shape(patterns, semantics.empty_pattern, arena);
        Ranking { patterns, by_shape, best: u32_of(patterns.len()) }
    }

    /// The best pattern of each shape in each group, by shape and then by group. `group_of` is by pattern.
    pub(crate) fn members(&self, order: RuleOrder, group_of: &[u32]) -> std::vec::Vec<Member> {
        let with_shapes = (0..).zip(self.ranks()).filter(|&(_, shape)| shape > 0);
        let mut keyed: std::vec::Vec<(Rank, u32, Reverse<Key>)> = with_shapes
            .map(|(index, shape)| {
                (shape, group_of[index as usize], Reverse(Key::new(order, self.patterns, index)))
            })
            .collect();
        keyed.sort_unstable();
        keyed.dedup_by_key(|&mut (shape, group, _)| (shape, group));
        let mut by_key: std::vec::Vec<u32> = (0..u32_of(keyed.len())).collect();
        by_key.sort_unstable_by_key(|&place| Reverse(keyed[place as usize].2));
        let member = |&(shape, group, Reverse(key)): &(Rank, u32, Reverse<Key>)| {
            let pattern = &self.patterns[key.index() as usize];
            Member { shape, group, order: 0, access: access_of(pattern), line: pattern.line }
        };
        let mut members: std::vec::Vec<Member> = keyed.iter().map(member).collect();
        for (order, place) in (1..).zip(by_key) {
            members[place as usize].order = order;
        }
        members
    }

    /// The patterns with a rank, by shape: those with the same prefix are adjacent, and prefixes ascend.
    pub(crate) fn by_shape(&self) -> impl Iterator<Item = &'a Pattern<'a>> {
        let patterns = self.patterns;
        self.by_shape.iter().map(|item| &patterns[item.text as usize]).filter(|pattern| pattern.rank > 0)
    }
}

/// The best pattern of a shape in a group of rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// The rank of its shape.
    pub(crate) shape: Rank,
    pub(crate) group: u32,
    /// Its position in the order of all of them, from 1 on: of two that match, the one with the larger number decides.
    pub(crate) order: u32,
    pub(crate) access: Access,
    pub(crate) line: u32,
}

/// Assigns ranks to the winners.
///
/// Large sets have few different lengths, so they are sorted by counting: those of one length and access are ordered
/// from the last line to the first.
fn rank(winners: &[Key], order: RuleOrder, patterns: &mut [Pattern<'_>], arena: &Bump) {
    let longest = winners.iter().max().map_or(0, |key| key.class());
    if longest > 8 * winners.len() {
        // Too few for counting.
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
            let next = &mut next[Key::new(order, patterns, u32_of(index)).class()];
            *next += 1;
            patterns[index].rank = *next;
        }
    }
}

/// The patterns that can match, sorted by shape.
fn by_shape<'a>(patterns: &[Pattern<'_>], empty_pattern: EmptyPattern, arena: &'a Bump) -> &'a [Item] {
    let mut items = Vec::with_capacity_in(patterns.len(), arena);
    let all = (0..).zip(patterns);
    items.extend(
        all.filter(|(_, pattern)| pattern.can_match(empty_pattern)).map(|(index, _)| Item::new(index)),
    );
    sort(&mut items, patterns, arena);
    items.into_bump_slice()
}

/// The items of each shape.
fn same_shapes(by_shape: &[Item]) -> impl Iterator<Item = &[Item]> {
    by_shape.chunk_by(|_, later| later.repeats)
}

/// A pattern's position in the order of rules, as a number: the better pattern has the larger number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u64);

impl Key {
    /// Records are longer than two bytes, so a text of 2^32 bytes has fewer patterns.
    const LAST_INDEX: u32 = u32::MAX >> 1;

    /// The key of the pattern with this index. Patterns come by line, so an earlier one has a smaller index.
    #[inline]
    fn new(order: RuleOrder, patterns: &[Pattern<'_>], index: u32) -> Key {
        let Pattern { bytes, access, .. } = patterns[index as usize];
        let class = match order {
            RuleOrder::MostBytes => u64::from(bytes) << 1 | u64::from(access == Access::Allow),
            RuleOrder::FirstLine => 0,
        };
        Key(class << 31 | u64::from(Key::LAST_INDEX - index))
    }

    /// The order without the line: the length and the access, if they count.
    #[inline]
    fn class(self) -> usize {
        (self.0 >> 31) as usize
    }

    #[inline]
    fn index(self) -> u32 {
        Key::LAST_INDEX - (crate::int::low_half(self.0) & Key::LAST_INDEX)
    }
}

/// The access of a matching rule. An empty pattern, if the dialect keeps it, always allows (P3).
pub(crate) fn access_of(pattern: &Pattern<'_>) -> Access {
    if pattern.bytes == 0 { Access::Allow } else { pattern.access }
}

/// The specificity of a pattern among those of one vocabulary: the length of its normal form, including every `*` and a
/// final `$`; an encoded `%2A` or `%24` counts as three (R1). The larger one decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specificity(u32);

impl Specificity {
    /// The specificity of `pattern` as written.
    pub fn of(pattern: &[u8], form: NormalForm) -> Self {
        let mut normal = std::vec::Vec::with_capacity(pattern.len());
        Specificity(u32_of(form.push_all(pattern, &mut Part::Path, &mut normal)))
    }
}

/// The scope of a pattern, as ACAP compares it (ACAP 1.0 part 1, section 2.4.5; `crates/PERMISSIONS.md`, A16): its
/// folded normal form, with special marks for `*` and `$` that differ from all literal bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope<'s>(&'s [u8]);

/// The order of one scope relative to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeOrder {
    /// The scopes are equal.
    Equal,
    /// It is narrower.
    Narrower,
    /// It is wider.
    Wider,
    /// Neither is narrower.
    Incomparable,
}

impl<'s> Scope<'s> {
    /// Bytes of a normal form are ASCII.
    const STAR: u8 = 0xFF;
    const END: u8 = 0xFE;

    /// Appends the scope of `pattern`, as written, to `out`, for [`Scope::from_bytes`].
    pub fn push(mut pattern: &[u8], out: &mut std::vec::Vec<u8>) {
        let mut part = Part::Path;
        loop {
            match pattern {
                [] => return,
                [b'*', rest @ ..] => {
                    out.push(Scope::STAR);
                    pattern = rest;
                }
                [b'$'] => {
                    out.push(Scope::END);
                    return;
                }
                _ => pattern = &pattern[NormalForm::Folded.push(pattern, &mut part, out)..],
            }
        }
    }

    /// The scope in `bytes`, as written by [`Scope::push`].
    pub fn from_bytes(bytes: &'s [u8]) -> Self {
        Scope(bytes)
    }

    /// The bytes that [`Scope::push`] wrote.
    pub fn bytes(self) -> &'s [u8] {
        self.0
    }

    /// The steps of a scope, from the beginning of the pattern to its end.
    pub fn steps(self) -> impl Iterator<Item = Step> + use<'s> {
        self.0.iter().map(|&byte| Step::of(byte))
    }

    /// The step at `depth`; `Step::Over` after the last one.
    pub fn step(self, depth: usize) -> Step {
        self.0.get(depth).map_or(Step::Over, |&byte| Step::of(byte))
    }

    /// Compares this scope with `other`: their first different steps decide.
    pub fn to(self, other: Scope<'_>) -> ScopeOrder {
        let same = self.0.iter().zip(other.0).take_while(|(a, b)| a == b).count();
        let (own, others) = (self.step(same), other.step(same));
        match own.cmp(&others) {
            Ordering::Equal => ScopeOrder::Equal,
            _ if own.is_as_narrow_as(others) => ScopeOrder::Incomparable,
            Ordering::Greater => ScopeOrder::Narrower,
            Ordering::Less => ScopeOrder::Wider,
        }
    }

    /// Whether one of two scopes is narrower where both match a text. Scopes that differ in an ordinary byte before any
    /// star match no common text.
    fn can_be_compared(self, other: Scope<'_>) -> bool {
        let same = self.0.iter().zip(other.0).take_while(|(a, b)| a == b).count();
        self.to(other) != ScopeOrder::Incomparable || !self.0[..same].contains(&Scope::STAR)
    }
}

/// A step of a scope, the widest first. Two different ordinary bytes are not comparable; they have an order only so
/// that scopes can be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// No step: the pattern has ended.
    Over,
    /// The text must end here.
    End,
    /// By a star.
    Star,
    /// By a byte.
    Byte(u8),
}

impl Step {
    fn of(byte: u8) -> Self {
        match byte {
            Scope::STAR => Step::Star,
            Scope::END => Step::End,
            byte => Step::Byte(byte),
        }
    }

    /// Whether neither step is narrower than the other.
    pub fn is_as_narrow_as(self, other: Step) -> bool {
        matches!((self, other), (Step::Byte(_), Step::Byte(_))) || self == other
    }
}

/// How specific a statement about a usage is for a query: the larger level decides (`crates/PERMISSIONS.md`, A14, 1 to
/// 5), except over prohibitions that it does not overrule ([`Level::overrules`]). Then scopes decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u64);

impl Level {
    /// It is about the usage itself, or about `present` for a derived usage; not about `other`.
    pub const EXPLICIT: Level = Level(1 << 35);
    /// It is on the page, not in a robots.txt.
    pub const ON_PAGE: Level = Level(1 << 34);
    /// It applies to the purpose, not to any purpose.
    pub const FOR_PURPOSE: Level = Level(1 << 33);
    /// It addresses the crawler by name.
    pub const NAMED: Level = Level(1 << 32);

    /// The level of a statement at this position on a page: 0 in a META tag, more in an element, growing inwards. In a
    /// robots.txt it is 0.
    pub const fn at_depth(depth: u32) -> Self {
        Level(depth as u64)
    }

    /// This level with `part`, if `holds`.
    #[inline]
    #[must_use]
    pub const fn with(self, part: Level, holds: bool) -> Self {
        if holds { Level(self.0 | part.0) } else { self }
    }

    /// Whether `part` belongs to the level.
    #[inline]
    pub const fn has(self, part: Level) -> bool {
        self.0 & part.0 != 0
    }

    /// Whether a statement of this level overrules a prohibition of the same usage that has the level `below`. One for the
    /// purpose that addresses any crawler does not overrule a general one that names the crawler: a name goes before `*`
    /// for the same purposes only (ACAP 1.0 part 1, section 2.2).
    pub fn overrules(self, below: Level) -> bool {
        let is_by_purpose = self.first_difference(below) == Level::FOR_PURPOSE;
        self > below && !(is_by_purpose && self.is_for_purpose_of_any() && below.has(Level::NAMED))
    }

    /// Whether it applies to the purpose, and addresses any crawler.
    pub const fn is_for_purpose_of_any(self) -> bool {
        self.has(Level::FOR_PURPOSE) && !self.has(Level::NAMED)
    }

    /// The first part in which two levels differ. It decides which one is higher.
    const fn first_difference(self, other: Level) -> Level {
        Level(1 << (u64::BITS - 1 - (self.0 ^ other.0 | 1).leading_zeros()))
    }

    /// The rule by which a statement of this level loses to one of a higher level.
    pub const fn loses_by(self, top: Level) -> ConflictRule {
        match self.first_difference(top) {
            Level::EXPLICIT => ConflictRule::ExplicitOverOther,
            Level::FOR_PURPOSE => ConflictRule::PurposeOverGeneral,
            Level::NAMED => ConflictRule::NamedOverAny,
            _ => ConflictRule::InnermostPlace,
        }
    }
}

/// The position of a statement among those of one vocabulary: the largest one that matches decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Precedence {
    specificity: Specificity,
    strength: u8,
    place: Reverse<(u32, u32)>,
}

impl Precedence {
    /// The position of a statement with this specificity. Among equally specific ones, the one with the largest
    /// `strength` decides, and among those the first `place`: a text and a line.
    pub const fn new(specificity: Specificity, strength: u8, place: (u32, u32)) -> Self {
        Precedence { specificity, strength, place: Reverse(place) }
    }
}

/// Scopes in an order in which a scope that is narrower than another one comes after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeRanking {
    /// By scope: its position. Equal scopes have equal positions.
    pub ranks: std::vec::Vec<u32>,
    /// By position: the index of one of the scopes there.
    pub distinct: std::vec::Vec<usize>,
    /// Of the scopes that match a text, each two can be compared: of all that match, the last one is the narrowest.
    pub is_chain: bool,
}

impl ScopeRanking {
    /// Orders `scopes`.
    pub fn new(scopes: &[Scope<'_>]) -> Self {
        let mut order: std::vec::Vec<usize> = (0..scopes.len()).collect();
        // The first steps that differ decide, and the narrower step is the greater one.
        order.sort_by(|&a, &b| scopes[a].steps().cmp(scopes[b].steps()));
        let mut ranking = ScopeRanking { ranks: vec![0; scopes.len()], distinct: vec![], is_chain: true };
        for index in order {
            let last = ranking.distinct.last().map(|&last: &usize| scopes[last]);
            if last != Some(scopes[index]) {
                ranking.is_chain &= last.is_none_or(|last| last.can_be_compared(scopes[index]));
                ranking.distinct.push(index);
            }
            ranking.ranks[index] = u32_of(ranking.distinct.len() - 1);
        }
        ranking
    }
}

/// Which of `scopes` are narrowest: no other scope is narrower.
///
/// The scopes form a trie. Where they part, an ordinary byte is narrower than a star, a star narrower than the end, and
/// the end narrower than nothing. Two ordinary bytes are not comparable (`Step`). So at every node, the scopes that
/// continue with the narrowest kind of step stay. One pass over the trie is enough: linear, except for the sorting.
pub fn narrowest(scopes: &[Scope<'_>]) -> std::vec::Vec<bool> {
    let mut order: std::vec::Vec<usize> = (0..scopes.len()).collect();
    order.sort_by(|&a, &b| scopes[a].steps().cmp(scopes[b].steps()));
    let mut stays = vec![false; scopes.len()];
    let mut open = vec![(0..order.len(), 0)];
    while let Some((range, depth)) = open.pop() {
        let step = |index: usize| scopes[order[index]].step(depth);
        let Some(last) = range.clone().last() else { continue };
        let (first, narrowest) = (step(range.start), step(last));
        if range.len() == 1 || narrowest == Step::Over {
            range.for_each(|index| stays[order[index]] = true);
        } else if first == narrowest {
            open.push((range, depth + 1));
        } else {
            let mut from = range.start;
            while from < range.end {
                let to = (from..range.end).find(|&index| step(index) != step(from)).unwrap_or(range.end);
                if step(from).is_as_narrow_as(narrowest) {
                    open.push((from..to, depth + 1));
                }
                from = to;
            }
        }
    }
    stays
}

/// One rule, as the automaton evaluates it, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RankedRule {
    /// The rank of its pattern: of several matching rules, the one with the largest rank decides. 0: it can never
    /// match. Not serialized: ranks have a meaning only within one set of rules.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub rank: u32,
    /// The 1-based line of the rule.
    pub line: u32,
    /// Whether the rule allows or disallows.
    pub access: Access,
    /// The normal form of the pattern; literal `*` and `$` are written `%2A` and `%24`.
    pub pattern: String,
    /// The length of the pattern for the order of rules: that of its normal form, with `%2A` and `%24` as written.
    pub length: u32,
}

/// The rules of a set, the highest-ranking first. Rules that match the same texts share a rank; the first of them in
/// this order decides.
pub fn ranked_rules(rules: &RuleSet<'_>) -> std::vec::Vec<RankedRule> {
    let arena = Bump::new();
    let ranking = Ranking::new(rules, &arena);
    let (patterns, rank_of) = (ranking.patterns, ranking.ranks());
    let Semantics { order, pattern_length, empty_pattern, .. } = *rules.policy().dialect().semantics();
    // The end of a pattern counts one where only literals count.
    let end_bytes = u32::from(pattern_length == PatternLength::Literals);
    let mut ranked = std::vec::Vec::with_capacity(patterns.len());
    each_pattern(rules, &arena, |written, rule| {
        let index = ranked.len();
        let length = patterns[index].bytes.saturating_sub(end_bytes);
        let pattern = display(written, rules.policy().dialect());
        let allows = patterns[index].bytes == 0 && empty_pattern == EmptyPattern::AllowsLast;
        let access = if allows { Access::Allow } else { rule.access };
        let rule = RankedRule { rank: rank_of[index], line: rule.line, access, length, pattern };
        ranked.push((Key::new(order, patterns, u32_of(index)), rule));
        !patterns[index].unanchored.is_empty()
    });
    ranked.sort_unstable_by_key(|&(key, _)| Reverse(key));
    ranked.into_iter().map(|(_, rule)| rule).collect()
}

/// A description of the order of a dialect's rules.
pub const fn order_name(dialect: Dialect) -> &'static str {
    let Semantics { order, normalization, pattern_length, .. } = dialect.semantics();
    match (order, normalization, pattern_length) {
        (RuleOrder::FirstLine, ..) => "the first line",
        (_, _, PatternLength::Literals) => {
            "most bytes of the normal form without stars and '$', allow over disallow"
        }
        (_, Normalization::EscapedPatterns, _) => "most bytes of the escaped pattern, allow over disallow",
        _ => "most bytes of the normal form, allow over disallow",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(pattern: &str) -> std::vec::Vec<u8> {
        let mut bytes = std::vec::Vec::new();
        Scope::push(pattern.as_bytes(), &mut bytes);
        bytes
    }

    fn order(a: &str, b: &str) -> ScopeOrder {
        let (mut one, mut other) = (vec![], vec![]);
        Scope::push(a.as_bytes(), &mut one);
        Scope::push(b.as_bytes(), &mut other);
        Scope::from_bytes(&one).to(Scope::from_bytes(&other))
    }

    #[test]
    fn scopes_compare_as_section_2_4_5_says() {
        use ScopeOrder::{Equal, Incomparable, Narrower, Wider};
        let cases = [
            ("/a", "/a", Equal),
            ("/A%41", "/aa", Equal),
            ("/a/b", "/a", Narrower),
            ("/a$", "/a", Narrower),
            ("/a$", "/a*", Wider),
            ("/a*", "/ab", Wider),
            ("/*.gif", "/*.png", Incomparable),
            ("/*", "/a", Wider),
            ("*", "/", Wider),
            ("/a%2A", "/a*", Narrower),
            ("/a%24", "/a$", Narrower),
            ("/a$b", "/a$", Narrower),
            ("/a**", "/a*", Narrower),
        ];
        for (a, b, expected) in cases {
            assert_eq!(order(a, b), expected, "{a} {b}");
            let reverse = match expected {
                Narrower => Wider,
                Wider => Narrower,
                same => same,
            };
            assert_eq!(order(b, a), reverse, "{b} {a}");
        }
    }

    #[test]
    fn specificity_counts_bytes_of_the_normal_form() {
        let of = |pattern: &str| Specificity::of(pattern.as_bytes(), NormalForm::Rfc9309);
        assert!(of("/ab") > of("/*"));
        assert_eq!(of("/%61$"), of("/a*"));
        assert_eq!(of("/%2A%24"), Specificity(7));
        assert_eq!(of(""), Specificity(0));
    }

    #[test]
    fn the_narrowest_scopes_have_no_narrower_one() {
        let texts = ["/", "/a", "/ab", "/%61b", "/a*", "/*", "/*a", "/*b", "/ab$", "/a$", "*", "/b", "/%2A"];
        let bytes: std::vec::Vec<std::vec::Vec<u8>> = texts.iter().map(|text| scope(text)).collect();
        let scopes: std::vec::Vec<Scope<'_>> = bytes.iter().map(|bytes| Scope::from_bytes(bytes)).collect();
        assert_eq!(scopes[2], scopes[3]);
        // For every subset, the trie's result must equal that of comparing all pairs.
        for subset in 0_u32..1 << texts.len() {
            let chosen = (0..texts.len()).filter(|place| subset >> place & 1 == 1).map(|place| scopes[place]);
            let chosen: std::vec::Vec<Scope<'_>> = chosen.collect();
            let has_narrower =
                |own: &Scope<'_>| chosen.iter().any(|other| other.to(*own) == ScopeOrder::Narrower);
            let expected: std::vec::Vec<bool> = chosen.iter().map(|own| !has_narrower(own)).collect();
            assert_eq!(narrowest(&chosen), expected, "{chosen:?}");
        }
    }

    #[test]
    fn scopes_come_after_wider_ones() {
        let texts = ["/b", "/*a", "/", "/ab$", "/a", "/A", "*", "/*"];
        let bytes: std::vec::Vec<std::vec::Vec<u8>> = texts.iter().map(|text| scope(text)).collect();
        let scopes: std::vec::Vec<Scope<'_>> = bytes.iter().map(|bytes| Scope::from_bytes(bytes)).collect();
        let ScopeRanking { ranks, distinct, is_chain } = ScopeRanking::new(&scopes);
        assert_eq!(ranks, [6, 3, 1, 5, 4, 4, 0, 2]);
        assert_eq!((distinct.len(), is_chain), (7, true));
        for (one, rank) in scopes.iter().zip(&ranks) {
            for (other, other_rank) in scopes.iter().zip(&ranks) {
                match one.to(*other) {
                    ScopeOrder::Equal => assert_eq!(rank, other_rank),
                    ScopeOrder::Narrower => assert!(rank > other_rank),
                    ScopeOrder::Wider => assert!(rank < other_rank),
                    ScopeOrder::Incomparable => assert_ne!(rank, other_rank),
                }
            }
        }
        let (a, b) = (scope("/*a"), scope("/*b"));
        assert!(!ScopeRanking::new(&[Scope::from_bytes(&a), Scope::from_bytes(&b)]).is_chain);
    }
}
