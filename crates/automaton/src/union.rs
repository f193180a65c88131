//! The rules of many groups in one program, for files whose groups share names.
//!
//! A crawler obeys some of the groups, and other crawlers obey others. A program for each choice of groups can be much
//! larger than the file. A union holds each rule once: one program of the shapes of all rules, and for each shape the
//! rules that have it. A walk reports every shape that matches. Of the shape's rules, those in the crawler's groups
//! count, and the best of all of them decides.
//!
//! The order of rules is total (see `rank`), and it compares two rules without looking at others. So the order among a
//! crawler's rules is the order of all rules, restricted to them. The order of the shapes is not: a shape's best rule
//! may be in a group that does not count. A walk for a union must therefore report all matching shapes, not only the
//! best one.
//!
//! ```text
//! program     u32       bytes of the program
//! program               of the shapes; a rank represents a shape
//! firsts      u32 each  for rank 1 to the last one and one more: where its rules begin in the next section
//! rules       for each, by shape and then by group, at most one for each shape and group:
//!     group   u32       the number of the group
//!     order   u32       its position in the order of all rules, from 1 on, times 2; plus 1 for allow
//!     line    u32
//! ```
//!
//! # Bounds
//!
//! The size is linear in the rules. A check is a walk for all matches (`unanchored` states its bound), which reports
//! each shape a few times at most. For a shape with r rules and a crawler with g groups, the rules of the crawler are
//! found with at most 2 min(r, g) + 1 jumps, each of at most 2 log2(max(r, g)) + 2 comparisons; and with at most
//! 2 (r + g) comparisons in total. So a check never looks at a rule more than a few times. Several crawlers share the
//! walk; the rules of each are found separately.

use robomata_policy::RuleSet;
use robomata_protocol::{Access, Dialect, Verdict};

use crate::decompile::Shape;
use crate::int::{push_fixed, u32_of};
use crate::program::{Compiler, PreparedProgram, Program};
use crate::rank::{Member, Rank};
use crate::search::{Matches, Scratch, search};
use crate::validate::{LoadError, Validator, ensure};

const NUMBER: usize = 4;
/// The numbers of a rule: group, order, line.
const FIELDS: usize = 3;

type Number = [u8; NUMBER];
type RuleBytes = [u8; FIELDS * NUMBER];

/// The rules of many groups in one program, in borrowed bytes, with its sections located.
#[derive(Clone, Copy, Debug)]
pub struct UnionProgram<'u> {
    program: PreparedProgram<'u>,
    firsts: &'u [Number],
    rules: &'u [RuleBytes],
}

/// The rules of some groups of a [`UnionProgram`].
#[derive(Clone, Copy, Debug)]
pub struct SelectedRules<'u> {
    union: UnionProgram<'u>,
    groups: &'u [Number],
}

/// The scratch memory for the verdicts of several [`SelectedRules`].
#[derive(Clone, Debug, Default)]
pub struct UnionScratch {
    best: Vec<BestRule>,
}

impl UnionProgram<'_> {
    /// Compiles `rules`. The rules of its group at index i can be selected by `numbers[i]`; groups may share a number.
    /// Time and size are linear in the patterns' bytes, except for sorting.
    pub fn compile(rules: &RuleSet<'_>, numbers: &[u32], compiler: &mut Compiler) -> Vec<u8> {
        let (program, members) = compiler.compile_union(rules, numbers);
        let mut out = Vec::with_capacity(NUMBER + program.bytes().len() + members.len() * 4 * NUMBER);
        push_fixed(&mut out, u32_of(program.bytes().len()), NUMBER);
        out.extend_from_slice(program.bytes());
        let mut first = 0;
        for shape in 1..=program.rule_count() {
            push_fixed(&mut out, u32_of(first), NUMBER);
            first += members[first..].iter().take_while(|member| member.shape == shape).count();
        }
        push_fixed(&mut out, u32_of(first), NUMBER);
        for Member { group, order, access, line, .. } in members {
            let order = order << 1 | u32::from(access == Access::Allow);
            [group, order, line].into_iter().for_each(|number| push_fixed(&mut out, number, NUMBER));
        }
        out
    }
}

impl<'u> UnionProgram<'u> {
    /// The union in `bytes`, which have been validated; `None` if they are something else.
    pub fn find(bytes: &'u [u8]) -> Option<Self> {
        let (program, rest) = split(bytes)?;
        let program = PreparedProgram::find(program)?;
        let firsts = (program.parts.rule_count as usize).checked_add(1)?.checked_mul(NUMBER)?;
        let (firsts, rules) = rest.split_at_checked(firsts)?;
        let (rules, rest) = rules.as_chunks();
        rest.is_empty().then_some(UnionProgram { program, firsts: firsts.as_chunks().0, rules })
    }

    /// Appends the number of a group, as [`UnionProgram::select`] reads it. Numbers must ascend.
    pub fn push_group(group: u32, out: &mut Vec<u8>) {
        push_fixed(out, group, NUMBER);
    }

    /// The rules of these groups; see [`UnionProgram::push_group`]. `None` when these are not groups.
    pub fn select(self, groups: &'u [u8]) -> Option<SelectedRules<'u>> {
        let (groups, rest) = groups.as_chunks();
        rest.is_empty().then_some(SelectedRules { union: self, groups })
    }

    /// Validates that `bytes` are a union.
    ///
    /// # Errors
    /// When a check could read outside the bytes or not terminate.
    pub fn validate(bytes: &[u8], validator: &mut Validator) -> Result<(), LoadError> {
        let (program, _) = split(bytes).ok_or_else(|| LoadError::expected("a union of rules"))?;
        validator.validate(program)?;
        let union = UnionProgram::find(bytes);
        union.ok_or_else(|| LoadError::expected("a union with rules for its shapes"))?.validate_rules()
    }

    /// Validates groups for [`UnionProgram::select`].
    ///
    /// # Errors
    /// When these are not groups.
    pub fn validate_groups(groups: &[u8]) -> Result<(), LoadError> {
        let (groups, rest) = groups.as_chunks::<NUMBER>();
        let ascend = groups.is_sorted_by(|&one, &other| number_of(one) < number_of(other));
        ensure(rest.is_empty() && ascend, "ascending groups of a union")
    }

    fn validate_rules(&self) -> Result<(), LoadError> {
        let first = |index: usize| self.firsts.get(index).map(|&first| number_of(first) as usize);
        let is_whole = first(0) == Some(0) && first(self.firsts.len() - 1) == Some(self.rules.len());
        let ascend = self.firsts.is_sorted_by_key(|&first| number_of(first));
        ensure(is_whole && ascend, "ascending places of a union's rules")?;
        for shape in 1..=u32_of(self.firsts.len() - 1) {
            let rules = self.rules_of(shape);
            let ascend = rules.is_sorted_by(|one, other| group_of(one) < group_of(other));
            ensure(ascend && !rules.is_empty(), "rules of a shape, by ascending group")?;
        }
        let are_rules = self.rules.iter().all(|rule| order_of(rule) > 1 && line_of(rule) > 0);
        ensure(are_rules, "rules of a union with an order and a line")
    }

    /// The rules of a shape.
    #[inline]
    fn rules_of(&self, shape: Rank) -> &'u [RuleBytes] {
        let place = |index: usize| self.firsts.get(index).map_or(0, |&first| number_of(first) as usize);
        let shape = shape as usize;
        self.rules.get(place(shape - 1)..place(shape)).unwrap_or_default()
    }
}

/// The bytes of the program, and those after them.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = bytes.split_first_chunk::<NUMBER>()?;
    rest.split_at_checked(number_of(length) as usize)
}

/// The best rule so far.
#[derive(Clone, Copy, Debug, Default)]
struct BestRule {
    /// As in the bytes of a rule; 0 is none.
    order: u32,
    line: u32,
}

impl BestRule {
    /// The best of this rule and those among `rules` that are in these groups. `rules` are those of a shape.
    #[inline]
    fn or_best_of(self, mut rules: &[RuleBytes], mut groups: &[Number]) -> Self {
        let mut best = self;
        while let ([rule, later_rules @ ..], [group, later_groups @ ..]) = (rules, groups) {
            let (rule_group, group) = (group_of(rule), number_of(*group));
            match rule_group.cmp(&group) {
                std::cmp::Ordering::Equal => {
                    if best.order < order_of(rule) {
                        best = BestRule { order: order_of(rule), line: line_of(rule) };
                    }
                    (rules, groups) = (later_rules, later_groups);
                }
                std::cmp::Ordering::Less => rules = skip(rules, |rule| group_of(rule) < group),
                std::cmp::Ordering::Greater => groups = skip(groups, |&group| number_of(group) < rule_group),
            }
        }
        best
    }

    fn access(self) -> Access {
        if self.order & 1 == 1 { Access::Allow } else { Access::Disallow }
    }

    fn verdict(self) -> Verdict {
        if self.order == 0 { Verdict::NO_RULE } else { Verdict::by_rule(self.access(), self.line) }
    }
}

/// The items after those that are `below`, of which the first is one. Takes steps logarithmic in their number.
#[inline]
fn skip<T>(items: &[T], below: impl Fn(&T) -> bool) -> &[T] {
    let mut end = 1;
    while items.get(end).is_some_and(&below) {
        end *= 2;
    }
    let rest = &items[end / 2 + 1..];
    let unknown = (end - end / 2 - 1).min(rest.len());
    &rest[rest[..unknown].partition_point(below)..]
}

#[inline]
fn number_of(number: Number) -> u32 {
    u32::from_le_bytes(number)
}

#[inline]
fn field_of(rule: &RuleBytes, field: usize) -> u32 {
    number_of(rule.as_chunks().0[field])
}

#[inline]
fn group_of(rule: &RuleBytes) -> u32 {
    field_of(rule, 0)
}

#[inline]
fn order_of(rule: &RuleBytes) -> u32 {
    field_of(rule, 1)
}

#[inline]
fn line_of(rule: &RuleBytes) -> u32 {
    field_of(rule, 2)
}

/// Takes every shape that matches, and keeps the best rule of each selection.
struct BestSelected<'a, 'u, S> {
    union: &'a UnionProgram<'u>,
    /// The groups of each selection.
    selections: S,
    /// By selection.
    best: &'a mut [BestRule],
}

impl<'g, S: Iterator<Item = &'g [Number]> + Clone> Matches for BestSelected<'_, '_, S> {
    const ALL: bool = true;

    #[inline]
    fn matched(&mut self, rank: Rank) {
        if rank > 0 {
            let rules = self.union.rules_of(rank);
            for (best, groups) in self.best.iter_mut().zip(self.selections.clone()) {
                *best = best.or_best_of(rules, groups);
            }
        }
    }

    /// No rank excludes others: those of other shapes say nothing about the selected groups.
    fn best(&self) -> Rank {
        0
    }
}

impl<'u> SelectedRules<'u> {
    /// Whether both are rules of the same union, at the same address.
    pub fn is_of(&self, union: &SelectedRules<'_>) -> bool {
        self.union.program.is_at(&union.union.program)
    }

    /// Whether both are the same rules of the same union.
    pub fn is_at(&self, other: &SelectedRules<'_>) -> bool {
        self.is_of(other) && self.groups == other.groups
    }

    /// The verdict for `text`, as in [`ProgramRef::verdict`](crate::ProgramRef::verdict). The module's documentation
    /// states the bound.
    pub fn verdict(&self, text: &[u8], scratch: &mut Scratch) -> Verdict {
        let mut best = [BestRule::default()];
        let SelectedRules { union, groups } = self;
        let mut selected = BestSelected { union, selections: std::iter::once(*groups), best: &mut best };
        search(&union.program, text, scratch, &mut selected);
        best[0].verdict()
    }

    /// The verdicts for `text` by several selections of rules, in one walk: `selection` returns each, then `None`. They must
    /// be rules of one union ([`SelectedRules::is_of`]).
    pub fn verdicts<'s>(
        selection: &dyn Fn(usize) -> Option<&'s SelectedRules<'u>>,
        text: &[u8],
        scratch: &mut Scratch,
        union_scratch: &mut UnionScratch,
    ) -> impl Iterator<Item = Verdict>
    where
        'u: 's,
    {
        let best = &mut union_scratch.best;
        best.clear();
        if let Some(SelectedRules { union, .. }) = selection(0) {
            let selections = (0..).map_while(selection).map(|rules| rules.groups);
            best.resize(selections.clone().count(), BestRule::default());
            search(&union.program, text, scratch, &mut BestSelected { union, selections, best });
        }
        union_scratch.best.iter().map(|best| best.verdict())
    }

    /// The program of these rules alone, which is the one that [`Compiler::compile`] makes of them. Takes time linear
    /// in the whole union.
    ///
    /// # Errors
    /// When the union was not made by a compiler ([`ProgramRef::rules`](crate::ProgramRef::rules)).
    pub fn program(&self, dialect: Dialect) -> Result<Program, LoadError> {
        let mut rules = Vec::new();
        for (rank, shape) in (1..).zip(self.union.program.parts.shapes()?) {
            let best = BestRule::default().or_best_of(self.union.rules_of(rank), self.groups);
            if best.order > 0 {
                rules.push((best.order, shape, best.access(), best.line));
            }
        }
        rules.sort_unstable_by_key(|&(order, ..)| order);
        let rules: Vec<(Shape, Access, u32)> =
            rules.into_iter().map(|(_, shape, access, line)| (shape, access, line)).collect();
        Ok(Compiler::new().compile_shapes(&rules, dialect).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_whole_numbers_that_ascend() {
        let groups = |numbers: &[u32]| {
            let mut groups = Vec::new();
            numbers.iter().for_each(|&number| UnionProgram::push_group(number, &mut groups));
            groups
        };
        let is_valid = |groups: &[u8]| UnionProgram::validate_groups(groups).is_ok();
        assert!(is_valid(&[]) && is_valid(&groups(&[0, 3, 256])));
        assert!(!is_valid(&groups(&[0, 3])[..7]));
        assert!(!is_valid(&groups(&[256, 3])) && !is_valid(&groups(&[3, 3])));
    }

    #[test]
    fn skipping_ends_at_the_first_item_that_is_not_below() {
        for length in 1..40_usize {
            let items: Vec<usize> = (0..length).collect();
            for limit in 1..=length + 1 {
                assert_eq!(
                    skip(&items, |&item| item < limit),
                    &items[limit.min(length)..],
                    "{length} {limit}"
                );
            }
        }
    }

    /// A union of two shapes, with rules as group, order and line.
    fn union(firsts: [u32; 3], rules: &[[u32; FIELDS]]) -> Vec<u8> {
        let shape = |prefix: &[u8]| Shape {
            prefix: prefix.to_vec(),
            unanchored: vec![],
            end: crate::pattern::End::Open,
        };
        let shapes = [(shape(b"/a"), Access::Disallow, 1), (shape(b"/b"), Access::Disallow, 2)];
        let mut compiler = Compiler::new();
        let program = compiler.compile_shapes(&shapes, Dialect::Rfc9309).bytes();
        let mut bytes = Vec::new();
        push_fixed(&mut bytes, u32_of(program.len()), NUMBER);
        bytes.extend_from_slice(program);
        for &number in firsts.iter().chain(rules.as_flattened()) {
            push_fixed(&mut bytes, number, NUMBER);
        }
        bytes
    }

    #[test]
    fn each_shape_has_rules_of_ascending_groups() {
        let validated = |firsts: [u32; 3], rules: &[[u32; FIELDS]]| {
            UnionProgram::validate(&union(firsts, rules), &mut Validator::new())
        };
        let rules = [[0, 2, 1], [3, 5, 2], [4, 6, 3]];
        let with = |rule: usize, changed: [u32; FIELDS]| {
            let mut rules = rules;
            rules[rule] = changed;
            rules
        };
        assert_eq!(validated([0, 2, 3], &rules), Ok(()));
        assert_eq!(validated([0, 1, 3], &with(1, [0, 5, 2])), Ok(()), "groups of another shape");
        for firsts in [[0, 2, 2], [1, 2, 3], [0, 4, 3], [0, u32::MAX, 3], [0, 2, 4]] {
            let expected = LoadError::expected("ascending places of a union's rules");
            assert_eq!(validated(firsts, &rules), Err(expected), "{firsts:?}");
        }
        let by_group = Err(LoadError::expected("rules of a shape, by ascending group"));
        assert_eq!(validated([0, 0, 3], &rules), by_group, "a shape without rules");
        assert_eq!(validated([0, 3, 3], &rules), by_group, "a shape without rules");
        assert_eq!(validated([0, 2, 3], &with(1, [0, 5, 2])), by_group, "a group twice");
        assert_eq!(validated([0, 2, 3], &with(0, [9, 2, 1])), by_group, "a later group first");
        for (rule, [group, order, line]) in (0..).zip(rules) {
            for changed in [[group, 0, line], [group, 1, line], [group, order, 0]] {
                let expected = LoadError::expected("rules of a union with an order and a line");
                assert_eq!(validated([0, 2, 3], &with(rule, changed)), Err(expected), "{changed:?}");
            }
            assert_eq!(validated([0, 2, 3], &with(rule, [group, order, u32::MAX])), Ok(()), "any line");
        }
    }

    #[test]
    fn rules_of_equal_unions_are_of_one_only_at_one_address() {
        let bytes = [(); 2].map(|()| union([0, 2, 3], &[[0, 2, 1], [3, 5, 2], [4, 6, 3]]));
        let [one, other] = bytes.each_ref().map(|bytes| UnionProgram::find(bytes).unwrap());
        let groups = [0, 3].map(|group| {
            let mut groups = Vec::new();
            UnionProgram::push_group(group, &mut groups);
            groups
        });
        let [first, second] = groups.each_ref().map(|groups| one.select(groups).unwrap());
        let elsewhere = other.select(&groups[0]).unwrap();
        assert!(first.is_of(&second) && !first.is_of(&elsewhere));
        assert!(first.is_at(&one.select(&groups[0]).unwrap()));
        assert!(!first.is_at(&second) && !first.is_at(&elsewhere));
    }
}
