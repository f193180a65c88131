//! A site's policy for every crawler, in bytes: for stores that can answer for any crawler.
//!
//! Most files have one group, for all crawlers: a single [`Program`](robomata_automaton::Program) is enough. The other
//! files have a group table: the names of their groups, and a program for each rule set that a name chooses.
//!
//! ```text
//! tag         1 byte   TAG
//! width       1 byte   bytes of each number that follows (1, 2 or 4)
//! counts      names, items
//! names       for each, in the order of their bytes: where it ends in the texts, and the index of its item
//! ends        for each item: where it ends in the items section
//! texts       the names, in lower case, consecutive
//! items       consecutive: the program of each rule set (see the crate robomata-automaton); the first one is for
//!             crawlers that no group names
//! ```
//!
//! If groups share names in such a way that the rule sets would be much larger than the file, the table holds each rule
//! once, in a [`UnionProgram`], and for each rule set the numbers of its groups. The tag is then `UNION_TAG`, and the
//! items in place of the programs are the groups of each rule set, then the union. Groups that belong to the same rule
//! sets share a number, because no crawler tells them apart.
//!
//! The size of a table and the time to compile it are linear in the file, for any text of a site. To visit the site, a
//! crawler's names are looked up; a check states its own bound ([`UnionProgram`]).

use std::collections::HashMap;
use std::ptr::from_ref;

use robomata_automaton::{Compiler, LoadError, Program, ProgramRef, SelectedRules, UnionProgram, Validator};
use robomata_policy::{Group, Policy, RuleSet, can_be_named, compared_token};
use robomata_protocol::{Crawler, Dialect};

use crate::store::CorruptBundleError;

/// The first byte of group tables; programs, sets and statement programs have other first bytes.
const TAG: u8 = 0xC5;
const UNION_TAG: u8 = 0xC6;

/// The limit for the rules of all rule sets together, in bytes per byte of the file's rules, plus an allowance for
/// small files. Real files need hardly more than one. Beyond the limit, the table holds a union.
const SHARE: usize = 4;
const MORE: usize = 1 << 12;

/// Whether the tag in `bytes` is that of a group table.
#[inline]
pub(crate) fn is_group_table(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(&(TAG | UNION_TAG)))
}

/// A crawler's names, as they are compared with the names of groups: its product token, then the fallback tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names(Vec<Box<[u8]>>);

impl Names {
    pub(crate) fn of(crawler: &Crawler, dialect: Dialect) -> Self {
        let tokens = crawler.tokens().iter().map(|token| compared_token(token, dialect));
        let named = tokens.filter(|token| can_be_named(token, dialect));
        Names(named.map(|token| token.to_ascii_lowercase().into_boxed_slice()).collect())
    }

    /// The position of `name` among the names.
    pub(crate) fn rank(&self, name: &[u8]) -> Option<usize> {
        self.0.iter().position(|own| **own == *name)
    }
}

/// What a group table holds for a crawler.
pub(crate) enum GroupProgram<'m> {
    /// A program of its own.
    Program(ProgramRef<'m>),
    /// Some of the rules of a union.
    Selected(SelectedRules<'m>),
}

impl GroupProgram<'_> {
    /// The program that [`Compiler::compile`] makes of these rules.
    ///
    /// # Errors
    /// When the table was not made by a compiler.
    pub(crate) fn into_owned(self, dialect: Dialect) -> Result<Program, LoadError> {
        match self {
            GroupProgram::Program(program) => Ok(program.to_owned()),
            GroupProgram::Selected(rules) => rules.program(dialect),
        }
    }
}

/// The group table of `policy`, or the bytes of the one program that every crawler obeys.
pub(crate) fn compile(policy: &Policy<'_>, compiler: &mut Compiler) -> Box<[u8]> {
    let named = policy.named_rules();
    let others = policy.rules_for_others();
    let places: HashMap<*const Group, usize> = policy.groups().iter().map(from_ref).zip(0..).collect();
    let weights: Vec<usize> = policy.groups().iter().map(|group| weight(policy, group)).collect();
    let weight_of = |rules: &RuleSet<'_>| -> usize {
        rules.groups().iter().map(|&group| weights[places[&from_ref(group)]]).sum()
    };
    let wanted: usize = named.iter().map(|named| weight_of(&named.rules)).sum();
    // Includes names that choose the same rules as other crawlers: the search through a crawler's fallback names ends
    // at such a name.
    let names_with = |item_of: &[usize]| {
        let all = named.iter().zip(item_of);
        let names = all.flat_map(|(named, &item)| named.names.iter().map(move |name| (name, item)));
        let mut names: Vec<_> = names.map(|(name, item)| (name.to_ascii_lowercase(), item)).collect();
        names.sort_unstable();
        names
    };
    if wanted > SHARE * weights.iter().sum::<usize>() + MORE {
        let rule_sets: Vec<&RuleSet<'_>> =
            std::iter::once(&others).chain(named.iter().map(|named| &named.rules)).collect();
        let items = compile_union(policy, &rule_sets, |group| places[&from_ref(group)], compiler);
        let item_of: Vec<usize> = (1..=named.len()).collect();
        return write(UNION_TAG, &names_with(&item_of), &items).into();
    }

    let mut programs = vec![compiler.compile(&others).bytes().to_vec()];
    let mut known = HashMap::from([(programs[0].clone(), 0)]);
    let program_of = |rules: &RuleSet<'_>| {
        let bytes = compiler.compile(rules).bytes();
        *known.entry(bytes.to_vec()).or_insert_with(|| {
            programs.push(bytes.to_vec());
            programs.len() - 1
        })
    };
    let item_of: Vec<usize> = named.iter().map(|named| &named.rules).map(program_of).collect();
    if programs.len() == 1 {
        return programs.swap_remove(0).into();
    }
    write(TAG, &names_with(&item_of), &programs).into()
}

/// The groups of each of `rule_sets`, then the union of their rules.
fn compile_union(
    policy: &Policy<'_>,
    rule_sets: &[&RuleSet<'_>],
    place_of: impl Fn(&Group) -> usize,
    compiler: &mut Compiler,
) -> Vec<Vec<u8>> {
    let mut sets_of: Vec<Vec<usize>> = vec![Vec::new(); policy.groups().len()];
    for (set, rules) in rule_sets.iter().enumerate() {
        rules.groups().iter().for_each(|&group| sets_of[place_of(group)].push(set));
    }
    let mut numbers: HashMap<&[usize], u32> = HashMap::new();
    let mut items: Vec<Vec<u8>> = vec![Vec::new(); rule_sets.len()];
    let (mut groups, mut numbers_of_groups) = (Vec::new(), Vec::new());
    for (group, sets) in policy.groups().iter().zip(&sets_of) {
        // No crawler obeys the others.
        if sets.is_empty() {
            continue;
        }
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let number = *numbers.entry(sets).or_insert_with(|| {
            sets.iter().for_each(|&set| UnionProgram::push_group(next, &mut items[set]));
            next
        });
        groups.push(group);
        numbers_of_groups.push(number);
    }
    items.push(UnionProgram::compile(&policy.rules_in(groups), &numbers_of_groups, compiler));
    items
}

/// The approximate size of a group's rules in bytes.
fn weight(policy: &Policy<'_>, group: &Group) -> usize {
    const RULE: usize = 8;
    policy.rules_of(group).iter().map(|rule| rule.pattern.of(policy.text()).len() + RULE).sum()
}

/// Lays out a table: names with the indices of their items, and the items.
fn write(tag: u8, names: &[(Vec<u8>, usize)], items: &[Vec<u8>]) -> Vec<u8> {
    let texts: usize = names.iter().map(|(name, _)| name.len()).sum();
    let bytes: usize = items.iter().map(Vec::len).sum();
    let width = match texts.max(bytes).max(names.len()).max(items.len()) {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    };
    let mut out = vec![tag, width];
    let mut number = |number: usize| out.extend_from_slice(&number.to_le_bytes()[..usize::from(width)]);
    number(names.len());
    number(items.len());
    let mut end = 0;
    for (name, item) in names {
        end += name.len();
        number(end);
        number(*item);
    }
    end = 0;
    for item in items {
        end += item.len();
        number(end);
    }
    names.iter().for_each(|(name, _)| out.extend_from_slice(name));
    items.iter().for_each(|item| out.extend_from_slice(item));
    out
}

/// A group table with its sections located.
struct GroupTable<'m> {
    kind: Kind,
    width: usize,
    /// Pairs of numbers.
    names: &'m [u8],
    ends: &'m [u8],
    texts: &'m [u8],
    items: &'m [u8],
}

/// What the items of a table are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A program for each rule set.
    Programs,
    /// The groups of each rule set, then their union.
    Union,
}

impl<'m> GroupTable<'m> {
    fn find(bytes: &'m [u8]) -> Option<Self> {
        let (&[tag, width @ (1 | 2 | 4)], rest) = bytes.split_first_chunk()? else { return None };
        let kind = match tag {
            TAG => Kind::Programs,
            UNION_TAG => Kind::Union,
            _ => return None,
        };
        let width = usize::from(width);
        let (counts, rest) = rest.split_at_checked(2 * width)?;
        let (names, items) = (number(counts, 0, width)?, number(counts, 1, width)?);
        let (names, rest) = rest.split_at_checked(names.checked_mul(2 * width)?)?;
        let (ends, rest) = rest.split_at_checked(items.checked_mul(width)?)?;
        let texts = match names.len() / (2 * width) {
            0 => 0,
            count => number(names, 2 * (count - 1), width)?,
        };
        let (texts, items) = rest.split_at_checked(texts)?;
        Some(GroupTable { kind, width, names, ends, texts, items })
    }

    fn names(&self) -> usize {
        self.names.len() / (2 * self.width)
    }

    fn name(&self, at: usize) -> Option<&'m [u8]> {
        let start = at.checked_sub(1).map_or(Some(0), |before| number(self.names, 2 * before, self.width))?;
        self.texts.get(start..number(self.names, 2 * at, self.width)?)
    }

    fn item(&self, at: usize) -> Option<&'m [u8]> {
        let start = at.checked_sub(1).map_or(Some(0), |before| number(self.ends, before, self.width))?;
        self.items.get(start..number(self.ends, at, self.width)?)
    }

    fn item_count(&self) -> usize {
        self.ends.len() / self.width
    }

    /// The number of rule sets; each has an item.
    fn rule_sets(&self) -> usize {
        match self.kind {
            Kind::Programs => self.item_count(),
            Kind::Union => self.item_count().saturating_sub(1),
        }
    }

    /// Index of the item for a crawler with these names.
    fn choice(&self, names: &Names) -> usize {
        names.0.iter().find_map(|name| self.choice_of(name)).unwrap_or(0)
    }

    fn choice_of(&self, wanted: &[u8]) -> Option<usize> {
        let (mut low, mut high) = (0, self.names());
        while low < high {
            let middle = low.midpoint(high);
            if self.name(middle)? < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_found = low < self.names() && self.name(low)? == wanted;
        if is_found { number(self.names, 2 * low + 1, self.width) } else { None }
    }
}

/// The part of a group table that applies to a crawler: a program, or the groups of its rule set.
pub(crate) fn choose_item<'m>(bytes: &'m [u8], names: &Names) -> Option<&'m [u8]> {
    let group_table = GroupTable::find(bytes)?;
    group_table.item(group_table.choice(names))
}

/// The entry of the group table `bytes` for a crawler with these names; `None` if the bytes are not a group table.
pub(crate) fn choose<'m>(bytes: &'m [u8], names: &Names) -> Option<GroupProgram<'m>> {
    let group_table = GroupTable::find(bytes)?;
    let item = group_table.item(group_table.choice(names))?;
    Some(match group_table.kind {
        Kind::Programs => GroupProgram::Program(ProgramRef::from_raw(item)),
        Kind::Union => {
            let union = group_table.item(group_table.rule_sets())?;
            GroupProgram::Selected(UnionProgram::find(union)?.select(item)?)
        }
    })
}

/// The crawlers that a group table names, each with the number of its rules. Names that are not valid text are left
/// out: no crawler has such a name.
pub(crate) fn named(bytes: &[u8]) -> Vec<(String, usize)> {
    let text = |name: &[u8]| std::str::from_utf8(name).ok().map(str::to_owned);
    let Some(group_table) = GroupTable::find(bytes) else { return Vec::new() };
    let name =
        |at| Some((text(group_table.name(at)?)?, number(group_table.names, 2 * at + 1, group_table.width)?));
    (0..group_table.names()).filter_map(name).collect()
}

/// Validates that `bytes` are a group table whose programs can be walked.
///
/// # Errors
/// When a look-up could read outside the bytes.
pub(crate) fn validate(bytes: &[u8], validator: &mut Validator) -> Result<(), CorruptBundleError> {
    let damaged = || CorruptBundleError::expected("complete group tables");
    let group_table = GroupTable::find(bytes).ok_or_else(damaged)?;
    let mut end = 0;
    for at in 0..group_table.item_count() {
        let item = group_table.item(at).ok_or_else(damaged)?;
        end += item.len();
        match group_table.kind {
            Kind::Programs => validator.validate(item)?,
            Kind::Union if at < group_table.rule_sets() => UnionProgram::validate_groups(item)?,
            Kind::Union => UnionProgram::validate(item, validator)?,
        }
    }
    for at in 0..group_table.names() {
        let choice = number(group_table.names, 2 * at + 1, group_table.width).ok_or_else(damaged)?;
        if group_table.name(at).is_none() || choice >= group_table.rule_sets() {
            return Err(damaged());
        }
    }
    if group_table.rule_sets() == 0 || end != group_table.items.len() { Err(damaged()) } else { Ok(()) }
}

/// The number at index `at`, of `width` bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = bytes.get(at * width..(at + 1) * width)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}
