//! Compiles the statements of a robots.txt to a program, with their sources for explanations.

use std::collections::HashMap;

use robomata_automaton::{NormalForm, PatternSet, Precedence, Scope, Specificity, readings};
use robomata_policy::acap::{Acap, AddressedField, QualifiersId, Resources};
use robomata_policy::{
    Address, AiTrainingRule, Choice, Noindex, Policy, Preference, Says, TdmRep, TdmRule, content_usage,
};
use robomata_protocol::{Access, Crawler, Place, Qualifier, Source, TimeLimit, Usage, Vocabulary};

use crate::acap::{relation, scope_of, speaks_for};
use crate::conditions::day_of;
use crate::program::{StatementProgram, UsageQuery};
use crate::tables::{Group, Meaning, Rule, RuleKind, TableBuilder};

/// The position of a statement in the order of the texts: the text, and the line in it. The robots.txt comes first,
/// then the files it refers to in the order of the references, then META tags, then elements.
pub(crate) type TextOrder = (u32, u32);

/// A program, and where its statements come from.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) program: StatementProgram,
    /// By number of the group.
    pub(crate) groups: Vec<FieldGroup>,
    /// By number of the rule.
    pub(crate) rules: Vec<(Source, TextOrder)>,
}

/// Fields on one resource with the same statement about one usage, except for their qualifiers. They win or lose
/// together, so a site with many fields on a set of many patterns has few groups.
#[derive(Debug)]
pub(crate) struct FieldGroup {
    key: GroupKey,
    /// In text order; at least one.
    pub(crate) members: Vec<FieldMember>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    usage: Usage,
    named: bool,
    /// It applies to the purpose in question, not to any purpose.
    purpose: bool,
    says: Says<()>,
}

/// A field of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldMember {
    pub(crate) source: Source,
    pub(crate) order: TextOrder,
    pub(crate) qualifiers: Option<QualifiersId>,
}

impl FieldGroup {
    pub(crate) fn says(&self) -> Says<()> {
        self.key.says
    }
}

/// The text that conventional rules come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RulesOf<'p> {
    pub(crate) policy: &'p Policy<'p>,
    pub(crate) place: Place,
}

/// See [`StatementProgram::compile`].
pub(crate) fn compile_for(
    policy: &Policy<'_>,
    crawler: &Crawler,
    usage_query: &UsageQuery,
) -> Option<StatementProgram> {
    let UsageQuery { usage, ref purpose } = *usage_query;
    let acap = Acap::read(policy, &[]);
    let mut builder = Builder::new(acap.as_ref(), Some(usage));
    builder.add_fields(crawler, purpose.as_deref());
    builder.add_vocabularies(policy, crawler);
    if builder.is_empty() {
        return None;
    }
    builder.add_rules(RulesOf { policy, place: Place::RobotsTxt }, crawler);
    Some(builder.finish().program)
}

/// See [`StatementProgram::of_tdmrep`].
pub(crate) fn compile_tdmrep(tdmrep: &TdmRep) -> Option<StatementProgram> {
    let mut builder = Builder::new(None, Some(Usage::Tdm));
    builder.add_tdmrep(Some(tdmrep));
    (!builder.is_empty()).then(|| builder.finish().program)
}

/// Compiles all statements of `policy` and of `tdmrep`, with the conventional rules of these texts.
pub(crate) fn compile_all(
    policy: &Policy<'_>,
    acap: Option<&Acap>,
    rules: &[RulesOf<'_>],
    tdmrep: Option<&TdmRep>,
    crawler: &Crawler,
    purpose: Option<&str>,
) -> Compiled {
    let mut builder = Builder::new(acap, None);
    builder.add_fields(crawler, purpose);
    builder.add_vocabularies(policy, crawler);
    builder.add_tdmrep(tdmrep);
    for &rules in rules {
        builder.add_rules(rules, crawler);
    }
    builder.finish()
}

struct Builder<'a> {
    acap: Option<&'a Acap>,
    /// The statements to include: those about crawl and this usage, or all of them.
    usage: Option<Usage>,
    tables: TableBuilder,
    has_signal: bool,
    rules: Vec<KeyedRule>,
    groups: Vec<FieldGroup>,
    group_of: HashMap<(Resources, GroupKey), usize>,
    resources: Vec<(Resources, Vec<usize>)>,
    resource_of: HashMap<Resources, usize>,
    /// The referenced files, each with its index in reading order, from 1.
    files: HashMap<u32, u32>,
}

/// A reading of a pattern that compares the normal form of RFC 9309, with the scope of the pattern as written.
struct KeyedRule {
    /// Its position among the rules: those of one vocabulary are adjacent, and the last one that matches decides.
    position: (RuleKind, Precedence),
    meaning: Meaning,
    source: (Source, TextOrder),
    pattern: Vec<u8>,
    scope: Box<[u8]>,
}

/// Which of the rules of one vocabulary that match decides.
#[derive(Clone, Copy)]
enum Order {
    /// The most specific one; among equally specific ones the one with the largest strength, then the first.
    BySpecificity(u8),
    /// The first one.
    First,
}

/// A preference for search decides before one about another usage inside a search application, among equal records.
const OF_SEARCH: u8 = 2;

impl<'a> Builder<'a> {
    fn new(acap: Option<&'a Acap>, usage: Option<Usage>) -> Self {
        Builder {
            acap,
            usage,
            tables: TableBuilder::default(),
            has_signal: false,
            rules: Vec::new(),
            groups: Vec::new(),
            group_of: HashMap::new(),
            resources: Vec::new(),
            resource_of: HashMap::new(),
            files: acap.map(Acap::files).unwrap_or_default().into_iter().zip(1..).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.rules.is_empty() && !self.has_signal
    }

    fn is_wanted(&self, usage: Usage) -> bool {
        self.usage.is_none_or(|wanted| wanted == usage)
    }

    /// Adds the fields that address the crawler, as far as they apply to `purpose`.
    fn add_fields(&mut self, crawler: &Crawler, purpose: Option<&str>) {
        let Some(acap) = self.acap else { return };
        // The fields of a sub-record share its purposes, which can be many.
        let mut known = HashMap::new();
        for addressed in acap.fields_for(crawler) {
            let said = addressed.field.usage;
            let covers = |wanted| relation(said, Usage::Crawl).is_some() || relation(said, wanted).is_some();
            if !self.usage.is_none_or(covers) {
                continue;
            }
            let purposes = addressed.field.purposes;
            let speaks = known.entry(purposes).or_insert_with(|| speaks_for(acap, &addressed, purpose));
            if let Some(for_purpose) = *speaks {
                self.add_field(&addressed, for_purpose);
            }
        }
    }

    fn add_field(&mut self, &AddressedField { field, address }: &AddressedField<'_>, purpose: bool) {
        let order = self.order(&field.source);
        let (says, qualifiers) = match field.says {
            Says::Permitted(qualifiers) => (Says::Permitted(()), Some(qualifiers)),
            Says::Prohibited(reason) => (Says::Prohibited(reason), None),
        };
        let key = GroupKey { usage: field.usage, named: address == Address::Named, purpose, says };
        let Builder { groups, group_of, resources, resource_of, .. } = self;
        let group = *group_of.entry((field.resources, key)).or_insert_with(|| {
            let resource = *resource_of.entry(field.resources).or_insert_with(|| {
                resources.push((field.resources, Vec::new()));
                resources.len() - 1
            });
            resources[resource].1.push(groups.len());
            groups.push(FieldGroup { key, members: Vec::new() });
            groups.len() - 1
        });
        groups[group].members.push(FieldMember { source: field.source, order, qualifiers });
    }

    fn order(&self, source: &Source) -> TextOrder {
        let Place::Referenced(file) = source.place else { return (0, source.line) };
        (self.files[&file], source.line)
    }

    /// Adds the statements of the vocabularies of today.
    fn add_vocabularies(&mut self, policy: &Policy<'_>, crawler: &Crawler) {
        if self.is_wanted(Usage::Index) {
            for Noindex { pattern, line } in policy.noindex(crawler) {
                let source = (robots_txt(Vocabulary::Noindex, line), (0, line));
                let meaning = Meaning::new(RuleKind::Noindex, Usage::Index, true);
                self.add_rule(pattern, meaning, Order::BySpecificity(0), source);
            }
        }
        if Usage::ALL.into_iter().any(|usage| is_training(usage) && self.is_wanted(usage)) {
            for AiTrainingRule { access, pattern, line } in policy.ai_training(crawler) {
                let source = (robots_txt(Vocabulary::AiControl, line), (0, line));
                let prohibits = access == Access::Disallow;
                let meaning = Meaning::new(RuleKind::AiControl, Usage::AiTrain, prohibits);
                self.add_rule(pattern, meaning, Order::BySpecificity(u8::from(!prohibits)), source);
            }
        }
        let signal = policy.content_signal(crawler);
        for usage in Usage::ALL {
            if let Some(statement) = signal.about(usage).filter(|_| self.is_wanted(usage)) {
                let meaning = Meaning::new(RuleKind::Conventional, usage, statement.prohibits);
                self.tables.push_signal(meaning, statement.line);
                self.has_signal = true;
            }
        }
        self.add_content_usage(policy, crawler);
    }

    fn add_content_usage(&mut self, policy: &Policy<'_>, crawler: &Crawler) {
        let records = policy.content_usage(crawler);
        for usage in Usage::ALL.into_iter().filter(|&usage| in_content_usage(usage) == usage) {
            let mut asked = Usage::ALL.into_iter().filter(|&asked| in_content_usage(asked) == usage);
            let is_wanted = asked.any(|asked| self.is_wanted(asked));
            // Records without a statement about the usage matter only if other records have one.
            if !is_wanted || records.iter().all(|record| content_usage::about(&record.items, usage).is_none())
            {
                continue;
            }
            for record in &records {
                let meaning = |prohibits| Meaning::new(RuleKind::ContentUsage, usage, prohibits);
                let (meaning, strength) = match content_usage::about(&record.items, usage) {
                    None => (meaning(false).silent(), 0),
                    Some(said) => {
                        let prohibits = said.preference == Preference::No;
                        let of_search = if said.is_of_search { OF_SEARCH } else { 0 };
                        (meaning(prohibits), 1 + u8::from(prohibits) + of_search)
                    }
                };
                let source = (robots_txt(Vocabulary::ContentUsage, record.line), (0, record.line));
                self.add_rule(record.pattern, meaning, Order::BySpecificity(strength), source);
            }
        }
    }

    /// Adds the rules of the site's tdmrep.json.
    fn add_tdmrep(&mut self, tdmrep: Option<&TdmRep>) {
        let rules = tdmrep.map_or(&[][..], |tdmrep| &tdmrep.rules);
        for TdmRule { location, says, number, .. } in rules.iter().filter(|rule| !rule.location.is_empty()) {
            let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::TdmRepJson, line: *number };
            let meaning = |prohibits| Meaning::new(RuleKind::TdmRep, Usage::Tdm, prohibits);
            let meaning = match says.reserved {
                Some((is_reserved, _)) => meaning(is_reserved),
                None => meaning(false).silent(),
            };
            self.add_rule(location.as_bytes(), meaning, Order::First, (source, (0, *number)));
        }
    }

    /// Adds the conventional rules of a text.
    fn add_rules(&mut self, of: RulesOf<'_>, crawler: &Crawler) {
        let rules = of.policy.rules_for(crawler);
        let named = matches!(rules.choice(), Choice::Own(_));
        for rule in rules.rules().filter(|rule| !rule.pattern.is_empty()) {
            let prohibits = rule.access == Access::Disallow;
            let meaning = Meaning::new(RuleKind::Conventional, Usage::Crawl, prohibits).addressed(named);
            // Among equal rules, allow decides.
            let order = Order::BySpecificity(u8::from(!prohibits));
            let source = Source { vocabulary: Vocabulary::Robots, place: of.place, line: rule.line };
            let source = (source, self.order(&source));
            self.add_rule(rule.pattern.of(of.policy.text()), meaning, order, source);
        }
    }

    fn add_rule(&mut self, pattern: &[u8], meaning: Meaning, order: Order, source: (Source, TextOrder)) {
        let scope = scope_of(pattern);
        for reading in readings(pattern) {
            let precedence = match order {
                Order::BySpecificity(strength) => {
                    Precedence::new(Specificity::of(&reading, NormalForm::Rfc9309), strength, source.1)
                }
                Order::First => Precedence::new(Specificity::of(b"", NormalForm::Rfc9309), 0, source.1),
            };
            let position = (meaning.kind(), precedence);
            // The empty pattern matches the whole site, and is less specific than `/`.
            let pattern = if reading.is_empty() { b"/".to_vec() } else { reading };
            self.rules.push(KeyedRule { position, meaning, source, pattern, scope: scope.clone() });
        }
    }

    fn finish(mut self) -> Compiled {
        self.rules.sort_by_key(|rule| rule.position);
        let patterns = self.patterns();
        let of_fields: Vec<Box<[u8]>> = patterns.list.iter().map(|pattern| scope_of(pattern.text)).collect();
        let of_rules = self.rules.iter().map(|rule| &rule.scope);
        let scopes: Vec<Scope<'_>> =
            of_rules.chain(&of_fields).map(|scope| Scope::from_bytes(scope)).collect();
        let mut tables = std::mem::take(&mut self.tables);
        let scopes = tables.push_scopes(&scopes);
        for (rule, &scope) in self.rules.iter().zip(&scopes) {
            tables.push_rule(Rule { meaning: rule.meaning, line: rule.source.0.line, scope });
        }
        let written: Vec<&[u8]> = self.rules.iter().map(|rule| rule.pattern.as_slice()).collect();
        let rules = PatternSet::compile(&written, NormalForm::Rfc9309);
        let fields = self.compile_fields(&patterns, &scopes[self.rules.len()..], &mut tables);
        let program =
            StatementProgram::new(&rules, fields.as_ref(), &tables, self.usage.unwrap_or(Usage::Crawl));
        let sources = self.rules.iter().map(|rule| rule.source).collect();
        Compiled { program, groups: self.groups, rules: sources }
    }

    /// The patterns of the fields.
    fn patterns(&self) -> Patterns<'a> {
        let mut patterns = Patterns::default();
        let Some(acap) = self.acap else { return patterns };
        let mut sets = 0;
        for (resources, groups) in &self.resources {
            match resources {
                Resources::Pattern(id) => patterns.of(acap.pattern(*id)).groups.extend(groups),
                Resources::Set(id) => {
                    for &id in acap.set(*id) {
                        let pattern = patterns.of(acap.pattern(id));
                        // A set may list a pattern many times.
                        if pattern.sets.last() != Some(&sets) {
                            pattern.sets.push(sets);
                        }
                    }
                    sets += 1;
                }
            }
        }
        patterns
    }

    fn compile_fields(
        &self,
        patterns: &Patterns<'_>,
        scopes: &[u32],
        tables: &mut TableBuilder,
    ) -> Option<PatternSet> {
        let acap = self.acap.filter(|_| !patterns.list.is_empty())?;
        // Many fields can share one long list: the one of a local usage.
        let mut ends = HashMap::new();
        let mut end_of = |list| *ends.entry(list).or_insert_with(|| end(acap, list));
        for FieldGroup { key: GroupKey { usage, named, purpose, says }, members } in &self.groups {
            let prohibits = matches!(says, Says::Prohibited(_));
            let kind = RuleKind::Conventional;
            let meaning = Meaning::new(kind, *usage, prohibits).addressed(*named).for_purpose(*purpose);
            // They decide together: the earliest end counts for all.
            let end = members.iter().filter_map(|member| end_of(member.qualifiers?)).min();
            tables.push_group(Group { meaning, line: members[0].source.line, end: end.unwrap_or(0) });
        }
        let mut written = Vec::new();
        for (FieldPattern { text, groups, sets }, &scope) in patterns.list.iter().zip(scopes) {
            for reading in readings(text) {
                tables.push_pattern(scope, groups, sets);
                written.push(reading);
            }
        }
        for (_, groups) in self.resources.iter().filter(|(of, _)| matches!(of, Resources::Set(_))) {
            tables.push_set(groups);
        }
        let written: Vec<&[u8]> = written.iter().map(Vec::as_slice).collect();
        Some(PatternSet::compile(&written, NormalForm::Folded))
    }
}

/// The patterns of fields, each once.
#[derive(Default)]
struct Patterns<'a> {
    numbers: HashMap<&'a [u8], usize>,
    list: Vec<FieldPattern<'a>>,
}

/// A pattern, the groups on it, and the resource sets that contain it.
struct FieldPattern<'a> {
    text: &'a [u8],
    groups: Vec<usize>,
    sets: Vec<usize>,
}

impl<'a> Patterns<'a> {
    fn of(&mut self, text: &'a [u8]) -> &mut FieldPattern<'a> {
        let Patterns { numbers, list } = self;
        let number = *numbers.entry(text).or_insert_with(|| {
            list.push(FieldPattern { text, groups: Vec::new(), sets: Vec::new() });
            list.len() - 1
        });
        &mut list[number]
    }
}

pub(crate) fn robots_txt(vocabulary: Vocabulary, line: u32) -> Source {
    Source { vocabulary, place: Place::RobotsTxt, line }
}

/// Whether a rule about training is about the usage.
pub(crate) fn is_training(usage: Usage) -> bool {
    usage.including().unwrap_or(usage) == Usage::AiTrain
}

/// The usage that Content-Usage knows for this one: it has no label for images.
pub(crate) const fn in_content_usage(usage: Usage) -> Usage {
    match usage {
        Usage::AiTrainImages => Usage::AiTrain,
        usage => usage,
    }
}

/// The qualifiers of a list. Tests count how many are read.
pub(crate) fn qualifiers_in(acap: &Acap, list: QualifiersId) -> impl Iterator<Item = &Qualifier> {
    let qualifiers = acap.qualifiers(list);
    #[cfg(test)]
    let qualifiers = qualifiers.inspect(|_| READ.set(READ.get() + 1));
    qualifiers
}

#[cfg(test)]
thread_local! {
    /// The number of qualifiers that were read.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The day at whose beginning a permission ends; `None` when no date ends it.
fn end(acap: &Acap, qualifiers: QualifiersId) -> Option<u32> {
    let ends = qualifiers_in(acap, qualifiers).filter_map(|qualifier| match qualifier {
        Qualifier::TimeLimit(TimeLimit::UntilDate(date)) => Some(day_of(*date) + 1),
        _ => None,
    });
    // No clock shows a time before 1970.
    ends.min().map(|day| u32::try_from(day.max(1)).unwrap_or(u32::MAX))
}
