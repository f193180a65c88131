//! A site's policy for every crawler, in bytes: for stores that can answer for any crawler.
//!
//! Most files have one group, for all crawlers: a single [`Program`](robomata_automaton::Program) is enough. The other
//! files have a group table: the names of their groups, and a program for each rule set that a name chooses.
//!
//! ```text
//! tag         1 byte   TAG
//! width       1 byte   bytes of each number that follows (1, 2 or 4)
//! counts      names, programs
//! names       for each, in the order of their bytes: where it ends in the texts, and the index of its program
//! programs    for each: where it ends in the programs section; the first one is for crawlers that no group names
//! texts       the names, in lower case, consecutive
//! programs    consecutive (see the crate robomata-automaton)
//! ```
//!
//! If groups share names in such a way that the rule sets would be much larger than the file, the table holds the file
//! itself. The rules of a crawler are then compiled when a check visits the site. The size of a table is therefore at
//! most a fixed multiple of the file's size, whatever a site writes.
//!
//! ```text
//! tag         1 byte   TEXT_TAG
//! text        the file
//! ```

use std::collections::HashMap;
use std::ptr::from_ref;

use robomata_automaton::{Compiler, Program, ProgramRef, Validator};
use robomata_policy::{Group, NamedRules, Policy, RuleSet, can_be_named, compared_token};
use robomata_protocol::{Crawler, Dialect};

use crate::store::CorruptBundleError;

/// The first byte of group tables; programs, sets and usage programs have other first bytes.
const TAG: u8 = 0xC5;
const TEXT_TAG: u8 = 0xC6;

/// The limit for the rules of all rule sets together, in bytes per byte of the file's rules, plus an allowance for
/// small files. Real files need hardly more than one. Beyond the limit, the table holds the file.
const SHARE: usize = 4;
const MORE: usize = 1 << 12;

/// Whether the tag in `bytes` is that of a group table.
#[inline]
pub(crate) fn is_group_table(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(&(TAG | TEXT_TAG)))
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
}

/// What a group table holds for a crawler.
pub(crate) enum GroupProgram<'m> {
    /// A compiled program.
    Program(ProgramRef<'m>),
    /// The file, which has to be compiled first.
    Text(&'m [u8]),
}

/// The group table of `policy`, or the bytes of the one program that every crawler obeys.
pub(crate) fn compile(policy: &Policy<'_>, compiler: &mut Compiler) -> Box<[u8]> {
    let named = policy.named_rules();
    let others = policy.rules_for_others();
    let weights: HashMap<*const Group, usize> =
        policy.groups().iter().map(|group| (from_ref(group), weight(policy, group))).collect();
    let weight_of = |rules: &RuleSet<'_>| -> usize {
        rules.groups().iter().map(|&group| weights.get(&from_ref(group)).copied().unwrap_or(0)).sum()
    };
    let wanted: usize = named.iter().map(|named| weight_of(&named.rules)).sum();
    if wanted > SHARE * weights.values().sum::<usize>() + MORE {
        return [&[TEXT_TAG], policy.text()].concat().into();
    }

    let mut programs = vec![compiler.compile(&others).bytes().to_vec()];
    let mut places = HashMap::from([(programs[0].clone(), 0)]);
    let mut names: Vec<(Vec<u8>, usize)> = Vec::new();
    for named in &named {
        let bytes = compiler.compile(&named.rules).bytes();
        let place = *places.entry(bytes.to_vec()).or_insert_with(|| {
            programs.push(bytes.to_vec());
            programs.len() - 1
        });
        // Includes names that choose the same rules as other crawlers: the search through a crawler's fallback names
        // ends at such a name.
        names.extend(named.names.iter().map(|name| (name.to_ascii_lowercase(), place)));
    }
    if programs.len() == 1 {
        return programs.swap_remove(0).into();
    }
    names.sort_unstable();
    write(&names, &programs).into()
}

/// The approximate size of a group's rules in bytes.
fn weight(policy: &Policy<'_>, group: &Group) -> usize {
    const RULE: usize = 8;
    policy.rules_of(group).iter().map(|rule| rule.pattern.of(policy.text()).len() + RULE).sum()
}

fn write(names: &[(Vec<u8>, usize)], programs: &[Vec<u8>]) -> Vec<u8> {
    let texts: usize = names.iter().map(|(name, _)| name.len()).sum();
    let bytes: usize = programs.iter().map(Vec::len).sum();
    let width = match texts.max(bytes).max(names.len()) {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        _ => 4,
    };
    let mut out = vec![TAG, width];
    let mut number = |number: usize| out.extend_from_slice(&number.to_le_bytes()[..usize::from(width)]);
    number(names.len());
    number(programs.len());
    let mut end = 0;
    for (name, program) in names {
        end += name.len();
        number(end);
        number(*program);
    }
    end = 0;
    for program in programs {
        end += program.len();
        number(end);
    }
    names.iter().for_each(|(name, _)| out.extend_from_slice(name));
    programs.iter().for_each(|program| out.extend_from_slice(program));
    out
}

/// A compiled group table with its sections located.
struct GroupTable<'m> {
    width: usize,
    /// Pairs of numbers.
    names: &'m [u8],
    ends: &'m [u8],
    texts: &'m [u8],
    programs: &'m [u8],
}

impl<'m> GroupTable<'m> {
    fn find(bytes: &'m [u8]) -> Option<Self> {
        let (&[TAG, width @ (1 | 2 | 4)], rest) = bytes.split_first_chunk()? else { return None };
        let width = usize::from(width);
        let (counts, rest) = rest.split_at_checked(2 * width)?;
        let (names, programs) = (number(counts, 0, width)?, number(counts, 1, width)?);
        let (names, rest) = rest.split_at_checked(names.checked_mul(2 * width)?)?;
        let (ends, rest) = rest.split_at_checked(programs.checked_mul(width)?)?;
        let texts = match names.len() / (2 * width) {
            0 => 0,
            count => number(names, 2 * (count - 1), width)?,
        };
        let (texts, programs) = rest.split_at_checked(texts)?;
        Some(GroupTable { width, names, ends, texts, programs })
    }

    fn names(&self) -> usize {
        self.names.len() / (2 * self.width)
    }

    fn name(&self, at: usize) -> Option<&'m [u8]> {
        let start = at.checked_sub(1).map_or(Some(0), |before| number(self.names, 2 * before, self.width))?;
        self.texts.get(start..number(self.names, 2 * at, self.width)?)
    }

    fn program(&self, at: usize) -> Option<&'m [u8]> {
        let start = at.checked_sub(1).map_or(Some(0), |before| number(self.ends, before, self.width))?;
        self.programs.get(start..number(self.ends, at, self.width)?)
    }

    /// Index of the program for a crawler with these names.
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

/// The entry of the group table `bytes` for a crawler with these names; `None` if the bytes are not a group table.
pub(crate) fn choose<'m>(bytes: &'m [u8], names: &Names) -> Option<GroupProgram<'m>> {
    if let [TEXT_TAG, text @ ..] = bytes {
        return Some(GroupProgram::Text(text));
    }
    let group_table = GroupTable::find(bytes)?;
    Some(GroupProgram::Program(ProgramRef::from_raw(group_table.program(group_table.choice(names))?)))
}

/// The crawlers that a group table names, each with the number of its rules. Names that are not valid text are left
/// out: no crawler has such a name.
pub(crate) fn named(bytes: &[u8], dialect: Dialect) -> Vec<(String, usize)> {
    let text = |name: &[u8]| std::str::from_utf8(name).ok().map(str::to_owned);
    if let [TEXT_TAG, file @ ..] = bytes {
        let policy = Policy::in_dialect(file, dialect);
        let named = policy.named_rules().into_iter().enumerate();
        let names = |(number, named): (usize, NamedRules<'_>)| -> Vec<(String, usize)> {
            named.names.into_iter().filter_map(|name| Some((text(name)?, number))).collect()
        };
        return named.flat_map(names).collect();
    }
    let Some(group_table) = GroupTable::find(bytes) else { return Vec::new() };
    let name =
        |at| Some((text(group_table.name(at)?)?, number(group_table.names, 2 * at + 1, group_table.width)?));
    (0..group_table.names()).filter_map(name).collect()
}

/// The program for a crawler, compiled from the text of a file.
pub(crate) fn compile_text(text: &[u8], crawler: &Crawler, dialect: Dialect) -> Program {
    let policy = Policy::in_dialect(text, dialect);
    Program::compile(&policy.rules_for(crawler))
}

/// Validates that `bytes` are a group table whose programs can be walked.
///
/// # Errors
/// When a look-up could read outside the bytes.
pub(crate) fn validate(bytes: &[u8], validator: &mut Validator) -> Result<(), CorruptBundleError> {
    if bytes.first() == Some(&TEXT_TAG) {
        return Ok(());
    }
    let damaged = || CorruptBundleError::expected("complete group tables");
    let group_table = GroupTable::find(bytes).ok_or_else(damaged)?;
    let programs = group_table.ends.len() / group_table.width;
    let mut end = 0;
    for at in 0..programs {
        let program = group_table.program(at).ok_or_else(damaged)?;
        end += program.len();
        validator.validate(program)?;
    }
    for at in 0..group_table.names() {
        let choice = number(group_table.names, 2 * at + 1, group_table.width).ok_or_else(damaged)?;
        if group_table.name(at).is_none() || choice >= programs {
            return Err(damaged());
        }
    }
    if programs == 0 || end != group_table.programs.len() { Err(damaged()) } else { Ok(()) }
}

/// The number at index `at`, of `width` bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = bytes.get(at * width..(at + 1) * width)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}
