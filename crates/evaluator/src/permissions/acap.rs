//! ACAP's fields of one site for one crawler and purpose, compiled: which of them match a URL, and how specific each
//! one is.

use std::borrow::Cow;
use std::collections::HashMap;

use robomata_automaton::{NormalForm, PatternSet, Scope, Scratch, query_reading};
use robomata_permissions::{relation, scope_of, speaks_for};
use robomata_policy::acap::{Acap, AddressedField, PurposesId, Resources};
use robomata_policy::{Address, Says};
use robomata_protocol::{Place, Source, Usage};

use super::decide::{Candidate, FieldMember, Level, Members, TextOrder};

/// The fields that address a crawler, for one purpose or none.
#[derive(Debug)]
pub(crate) struct AcapFields {
    acap: Acap,
    /// The patterns of all fields, by index.
    set: PatternSet,
    /// By pattern: its scope.
    scopes: Vec<Box<[u8]>>,
    /// By pattern: the groups of fields on the pattern, and the resource sets that contain it.
    on_pattern: Vec<(Vec<usize>, Vec<usize>)>,
    /// By resource set: the groups of fields on it.
    on_set: Vec<Vec<usize>>,
    groups: Vec<Group>,
}

/// Fields on one resource with the same statement about one usage, except for their qualifiers. They win or lose
/// together, so a site with many fields on a set of many patterns has few groups.
#[derive(Debug)]
struct Group {
    key: GroupKey,
    /// In text order.
    members: Vec<FieldMember>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    pub(crate) usage: Usage,
    pub(crate) named: bool,
    /// It applies to the purpose in question, not to any purpose.
    pub(crate) purpose: bool,
    pub(crate) says: Says<()>,
}

impl GroupKey {
    /// How specific a robots.txt statement with this key is for a query about `asked`, and whether it is about exactly
    /// that usage. `None` when it does not cover the usage.
    pub(crate) fn level(&self, asked: Usage) -> Option<(Level, bool)> {
        let (explicit, exact) = relation(self.usage, asked)?;
        let GroupKey { purpose, named, .. } = *self;
        Some((Level { explicit, on_page: false, purpose, named, depth: 0 }, exact))
    }
}

impl AcapFields {
    /// The fields of `acap` that address the crawler (`fields`), as far as they apply to `purpose`.
    pub(crate) fn new(acap: &Acap, fields: &[AddressedField<'_>], purpose: Option<&str>) -> Self {
        let mut builder = Builder::default();
        // One sub-record of many purposes can hold many fields.
        let mut known: HashMap<Option<PurposesId>, Option<bool>> = HashMap::new();
        for addressed in fields {
            let speaks =
                known.entry(addressed.field.purposes).or_insert_with(|| speaks_for(acap, addressed, purpose));
            if let Some(has_purpose) = *speaks {
                builder.push(addressed, has_purpose);
            }
        }
        builder.finish(acap)
    }

    /// The ACAP statements that the fields come from.
    pub(crate) fn acap(&self) -> &Acap {
        &self.acap
    }

    /// The indices of the patterns that match `text`, a target in the folded normal form.
    pub(crate) fn matching(&self, text: &[u8], scratch: &mut Scratch) -> Vec<u32> {
        let mut numbers = Vec::new();
        self.set.as_ref().each_match(text, scratch, |number| numbers.push(number));
        numbers
    }

    /// The statements about `usage` in the fields on the patterns `matching`.
    pub(crate) fn candidates<'s>(&'s self, matching: &[u32], usage: Usage, out: &mut Vec<Candidate<'s>>) {
        for &number in matching {
            let (own, sets) = &self.on_pattern[number as usize];
            let of_sets = sets.iter().flat_map(|&set| &self.on_set[set]);
            for group in own.iter().chain(of_sets).map(|&group| &self.groups[group]) {
                if let Some((level, exact)) = group.key.level(usage) {
                    let scope = Some(Scope::from_bytes(&self.scopes[number as usize]));
                    let members = Members::Fields(&self.acap, &group.members);
                    out.push(Candidate { level, exact, says: group.key.says, scope, members });
                }
            }
        }
    }
}

#[derive(Default)]
struct Builder {
    groups: Vec<Group>,
    group_of: HashMap<(Resources, GroupKey), usize>,
    resources: Vec<(Resources, Vec<usize>)>,
    resource_of: HashMap<Resources, usize>,
    /// The referenced files, in reading order.
    files: Vec<u32>,
}

impl Builder {
    fn push(&mut self, addressed: &AddressedField<'_>, purpose: bool) {
        let field = addressed.field;
        let order = self.order(&field.source);
        let (says, qualifiers) = match field.says {
            Says::Permitted(qualifiers) => (Says::Permitted(()), Some(qualifiers)),
            Says::Prohibited(reason) => (Says::Prohibited(reason), None),
        };
        let key = GroupKey { usage: field.usage, named: addressed.address == Address::Named, purpose, says };
        let Builder { groups, group_of, resources, resource_of, .. } = self;
        let group = *group_of.entry((field.resources, key)).or_insert_with(|| {
            let resource = *resource_of.entry(field.resources).or_insert_with(|| {
                resources.push((field.resources, Vec::new()));
                resources.len() - 1
            });
            resources[resource].1.push(groups.len());
            groups.push(Group { key, members: Vec::new() });
            groups.len() - 1
        });
        groups[group].members.push(FieldMember { source: field.source, order, qualifiers });
    }

    /// Fields come in text order, so the file of a field is either the last one or a new one.
    fn order(&mut self, source: &Source) -> TextOrder {
        let Place::Referenced(file) = source.place else { return TextOrder::in_robots_txt(source.line) };
        if self.files.last() != Some(&file) {
            self.files.push(file);
        }
        let number = u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX);
        TextOrder::in_file(number, source.line)
    }

    fn finish(self, acap: &Acap) -> AcapFields {
        let mut numbers = HashMap::new();
        let mut ids = Vec::new();
        let mut on_pattern: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        let mut on_set = Vec::new();
        for (resources, groups) in self.resources {
            let its_ids = match &resources {
                Resources::Pattern(id) => std::slice::from_ref(id),
                Resources::Set(id) => acap.set(*id),
            };
            for &id in its_ids {
                let number = *numbers.entry(id).or_insert_with(|| {
                    ids.push(id);
                    on_pattern.push(Default::default());
                    ids.len() - 1
                });
                match resources {
                    Resources::Pattern(_) => on_pattern[number].0.extend(&groups),
                    Resources::Set(_) => on_pattern[number].1.push(on_set.len()),
                }
            }
            if let Resources::Set(_) = resources {
                on_set.push(groups);
            }
        }
        let mut patterns: Vec<Cow<'_, [u8]>> = ids.iter().map(|&id| Cow::from(acap.pattern(id))).collect();
        let mut scopes: Vec<_> = patterns.iter().map(|pattern| scope_of(pattern)).collect();
        for number in 0..ids.len() {
            if let Some(reading) = query_reading(&patterns[number]) {
                patterns.push(reading.into());
                scopes.push(scopes[number].clone());
                on_pattern.push(on_pattern[number].clone());
            }
        }
        let patterns: Vec<&[u8]> = patterns.iter().map(AsRef::as_ref).collect();
        AcapFields {
            set: PatternSet::compile(&patterns, NormalForm::Folded),
            scopes,
            on_pattern,
            on_set,
            groups: self.groups,
            acap: acap.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
