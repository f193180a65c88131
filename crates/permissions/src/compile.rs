//! Compiles policies to statement programs.

use std::collections::HashMap;

use robomata_automaton::{NormalForm, PatternSet, Specificity, readings};
use robomata_policy::acap::{Acap, AddressedField, Field, PatternId, Resources};
use robomata_policy::{Address, Choice, ContentUsage, Noindex, Policy, Preference, Says, SignalValue};
use robomata_protocol::{Access, Crawler, Qualifier, TimeLimit, Usage};

use crate::acap::{relation, scope_of, speaks_for};
use crate::days::day_of;
use crate::program::{StatementProgram, TAG, UsageQuery};
use crate::tables::{
    ANY, EXACT, EXPLICIT, FOR_NAMED, NAMED, PROHIBITS, PURPOSE, QueriedUsage, RuleKind, TableBuilder,
    USAGE_SHIFT, u32_of,
};

impl StatementProgram {
    /// The program of `policy` for `crawler`; `None` when the conventional rules alone decide.
    pub fn compile(policy: &Policy<'_>, crawler: &Crawler, usage_query: &UsageQuery) -> Option<Self> {
        let acap = Acap::read(policy, &[]);
        let fields = acap.as_ref().map(|acap| fields(acap, crawler, usage_query)).unwrap_or_default();
        let mut rules = Rules::default();
        rules.add_vocabularies(policy, crawler, usage_query);
        let signal = signal(policy, crawler, usage_query.usage);
        if fields.is_empty() && rules.list.is_empty() && signal == [0, 0] {
            return None;
        }
        rules.add_conventional(policy, crawler);
        let asked = if usage_query.usage == Usage::Crawl { QueriedUsage::Crawl } else { QueriedUsage::Other };
        let mut tables = TableBuilder { asked: asked as u32, signal, ..TableBuilder::default() };
        let rules = rules.compile(&mut tables);
        let fields = match &acap {
            Some(acap) => compile_fields(acap, &fields, &mut tables),
            None => PatternSet::compile(&[], NormalForm::Folded),
        };
        Some(StatementProgram { bytes: lay_out(&rules, &fields, &tables) })
    }
}

fn lay_out(rules: &PatternSet, fields: &PatternSet, tables: &TableBuilder) -> Box<[u8]> {
    let words = tables.words();
    let mut bytes = vec![TAG];
    for length in [rules.bytes().len(), fields.bytes().len(), tables.scopes.len(), words.len()] {
        bytes.extend_from_slice(&u32_of(length).to_le_bytes());
    }
    bytes.extend_from_slice(rules.bytes());
    bytes.extend_from_slice(fields.bytes());
    bytes.extend_from_slice(&tables.scopes);
    bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    bytes.into()
}

/// The Content-Signal statement about the usage, as encoded in the tables.
fn signal(policy: &Policy<'_>, crawler: &Crawler, usage: Usage) -> [u32; 2] {
    let signals = policy.content_signal(crawler);
    signals.about(usage).map_or([0, 0], |item| match item.value {
        SignalValue::Yes => [1, item.line],
        SignalValue::No => [2, item.line],
    })
}

/// Rules that compare the normal form of RFC 9309.
#[derive(Default)]
struct Rules {
    list: Vec<KeyedRule>,
}

/// A reading of a pattern, with the scope of the pattern as written.
struct KeyedRule {
    key: RuleKey,
    pattern: Vec<u8>,
    scope: Box<[u8]>,
}

/// A rule's rank among those of its vocabulary: the last matching rule decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RuleKey {
    vocabulary: u8,
    specificity: Specificity,
    /// Among equal rules: allow before disallow; no before yes before silence.
    strength: u8,
    /// Among equal rules, the first line is reported.
    line: std::cmp::Reverse<u32>,
    kind: u32,
}

impl Rules {
    fn push(&mut self, pattern: &[u8], kind: RuleKind, flags: u32, line: u32) {
        let (vocabulary, strength) = match kind {
            RuleKind::Disallow => (0, 0),
            RuleKind::Allow => (0, 1),
            RuleKind::Noindex => (1, 0),
            RuleKind::UsageSilent => (2, 0),
            RuleKind::UsageYes => (2, 1),
            RuleKind::UsageNo => (2, 2),
        };
        let line = std::cmp::Reverse(line);
        let scope = scope_of(pattern);
        for reading in readings(pattern) {
            let specificity = Specificity::of(&reading, NormalForm::Rfc9309);
            let key = RuleKey { vocabulary, specificity, strength, line, kind: kind as u32 | flags };
            // The empty pattern matches the whole site.
            let pattern = if reading.is_empty() { b"/".to_vec() } else { reading };
            self.list.push(KeyedRule { key, pattern, scope: scope.clone() });
        }
    }

    /// Adds the statements of the file's vocabularies about the usage.
    fn add_vocabularies(&mut self, policy: &Policy<'_>, crawler: &Crawler, usage_query: &UsageQuery) {
        if usage_query.usage == Usage::Index {
            for Noindex { pattern, line } in
                policy.noindex(crawler).into_iter().filter(|n| !n.pattern.is_empty())
            {
                self.push(pattern, RuleKind::Noindex, 0, line);
            }
        }
        let records = policy.content_usage(crawler);
        let about = |record: &ContentUsage<'_>| {
            let items = record.items.iter().filter(|item| item.usage() == Some(usage_query.usage));
            items.map(|item| item.preference).max().unwrap_or(Preference::Unknown)
        };
        // Records without a statement about the usage matter only if other records have one.
        if records.iter().all(|record| about(record) == Preference::Unknown) {
            return;
        }
        for record in &records {
            let kind = match about(record) {
                Preference::Yes => RuleKind::UsageYes,
                Preference::No => RuleKind::UsageNo,
                Preference::Unknown => RuleKind::UsageSilent,
            };
            self.push(record.pattern, kind, 0, record.line);
        }
    }

    fn add_conventional(&mut self, policy: &Policy<'_>, crawler: &Crawler) {
        let rules = policy.rules_for(crawler);
        let named = if matches!(rules.choice(), Choice::Own(_)) { NAMED } else { 0 };
        for rule in rules.rules().filter(|rule| !rule.pattern.is_empty()) {
            let kind = match rule.access {
                Access::Allow => RuleKind::Allow,
                Access::Disallow => RuleKind::Disallow,
            };
            self.push(rule.pattern.of(policy.text()), kind, named, rule.line);
        }
    }

    fn compile(mut self, tables: &mut TableBuilder) -> PatternSet {
        self.list.sort_by_key(|rule| rule.key);
        for KeyedRule { key: RuleKey { kind, line, .. }, scope, .. } in &self.list {
            let [from, to] = tables.scope(scope);
            tables.rules.push([*kind, line.0, from, to]);
        }
        let patterns: Vec<&[u8]> = self.list.iter().map(|rule| rule.pattern.as_slice()).collect();
        PatternSet::compile(&patterns, NormalForm::Rfc9309)
    }
}

/// A field with its encoded level, as groups have it.
struct LevelledField<'a> {
    field: AddressedField<'a>,
    word: u32,
}

/// The fields with a statement about crawl or the usage, for the purpose.
fn fields<'a>(acap: &'a Acap, crawler: &Crawler, usage_query: &UsageQuery) -> Vec<LevelledField<'a>> {
    // The fields of a sub-record share its purposes.
    let mut known = HashMap::new();
    let levelled = acap.fields_for(crawler).into_iter().filter_map(|field| {
        let speaks = known
            .entry(field.field.purposes)
            .or_insert_with(|| speaks_for(acap, &field, usage_query.purpose.as_deref()));
        let purpose = (*speaks)?;
        let level = |asked| level(field, asked, purpose);
        let prohibits = if matches!(field.field.says, Says::Prohibited(_)) { PROHIBITS } else { 0 };
        let levels = u32::from(level(Usage::Crawl)) | u32::from(level(usage_query.usage)) << USAGE_SHIFT;
        (levels > 0).then_some(LevelledField { field, word: levels | prohibits })
    });
    levelled.collect()
}

/// The level of a field in a query about `asked`; 0 when it has no statement about it.
fn level(field: AddressedField<'_>, asked: Usage, purpose: bool) -> u8 {
    let Some((explicit, exact)) = relation(field.field.usage, asked) else { return 0 };
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    ANY | bit(explicit, EXPLICIT)
        | bit(purpose, PURPOSE)
        | bit(exact, EXACT)
        | bit(field.address == Address::Named, FOR_NAMED)
}

/// The day at whose beginning a permission ends, as encoded in the tables; `None` when no date ends it.
fn end(acap: &Acap, field: &Field) -> Option<u32> {
    let Says::Permitted(qualifiers) = field.says else { return None };
    let ends = acap.qualifiers(qualifiers).filter_map(|qualifier| match qualifier {
        Qualifier::TimeLimit(TimeLimit::UntilDate(date)) => Some(day_of(*date) + 1),
        _ => None,
    });
    // No clock shows a time before 1970.
    ends.min().map(|day| u32::try_from(day.max(1)).unwrap_or(u32::MAX))
}

/// Fields on one resource with the same meaning form one group, which reports its first line. So a site with many
/// fields on a set of many patterns has few groups.
fn compile_fields(acap: &Acap, fields: &[LevelledField<'_>], tables: &mut TableBuilder) -> PatternSet {
    let mut groups_of: Vec<(Resources, Vec<usize>)> = Vec::new();
    let mut resource_of: HashMap<Resources, usize> = HashMap::new();
    let mut group_of: HashMap<(Resources, u32), usize> = HashMap::new();
    for LevelledField { field: AddressedField { field, .. }, word } in fields {
        let resources = field.resources;
        let place = *resource_of.entry(resources).or_insert_with(|| {
            groups_of.push((resources, Vec::new()));
            groups_of.len() - 1
        });
        let group = *group_of.entry((resources, *word)).or_insert_with(|| {
            groups_of[place].1.push(tables.groups.len());
            tables.groups.push([*word, field.source.line, 0]);
            tables.groups.len() - 1
        });
        // They decide together: the earliest end counts for all.
        if let Some(end) = end(acap, field) {
            let known = &mut tables.groups[group][2];
            *known = if *known == 0 { end } else { end.min(*known) };
        }
    }
    let mut patterns = Patterns::default();
    let mut sets = Vec::new();
    for (resources, groups) in groups_of {
        match resources {
            Resources::Pattern(id) => {
                let number = patterns.number(id);
                patterns.list[number].1.extend(groups);
            }
            Resources::Set(id) => {
                for &id in acap.set(id) {
                    let number = patterns.number(id);
                    patterns.list[number].2.push(sets.len());
                }
                sets.push(groups);
            }
        }
    }
    let mut written = Vec::new();
    for (id, groups, sets) in &patterns.list {
        let [from, to] = tables.scope(&scope_of(acap.pattern(*id)));
        for reading in readings(acap.pattern(*id)) {
            let (own, held) = (tables.list(groups.iter().copied()), tables.list(sets.iter().copied()));
            tables.patterns.push([from, to, own[0], own[1], held[0], held[1]]);
            written.push(reading);
        }
    }
    for groups in sets {
        let list = tables.list(groups);
        tables.sets.push(list);
    }
    let written: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
    PatternSet::compile(&written, NormalForm::Folded)
}

/// The patterns of fields, each once, with the groups on it and the resource sets that contain it.
#[derive(Default)]
struct Patterns {
    numbers: HashMap<PatternId, usize>,
    list: Vec<(PatternId, Vec<usize>, Vec<usize>)>,
}

impl Patterns {
    fn number(&mut self, id: PatternId) -> usize {
        let Patterns { numbers, list } = self;
        *numbers.entry(id).or_insert_with(|| {
            list.push((id, Vec::new(), Vec::new()));
            list.len() - 1
        })
    }
}
