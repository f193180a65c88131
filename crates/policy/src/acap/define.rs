//! Definitions of local usages and resource sets (ACAP part 1, section 2.7; row A12).

use std::collections::{HashMap, HashSet};

use robomata_protocol::Usage;
use robomata_syntax::AcapOddity;

use super::key::{Key, first_word, in_parentheses, words};
use super::permit::named_usage;
use super::reader::{FileReader, Statements};
use super::{QualifiersId, SetId};
use crate::extension::Extension;
use crate::statement::Says;

/// The definitions that are valid in one text: its own, overridden by those of the text that refers to it (row A7).
#[derive(Default)]
pub(super) struct Definitions<'d> {
    referring: Option<&'d Definitions<'d>>,
    /// By name in lower case.
    usages: HashMap<Vec<u8>, LocalUsage>,
    sets: HashMap<Vec<u8>, SetId>,
}

/// A local usage: a list of the usages it consists of.
#[derive(Clone, Copy)]
struct LocalUsage {
    kind: Kind,
    parts: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Qualified,
    Composite,
}

impl<'d> Definitions<'d> {
    /// The definitions of a text that is referenced from the text with the definitions `referring`.
    pub(super) fn under(referring: &'d Definitions<'d>) -> Self {
        Definitions { referring: Some(referring), ..Definitions::default() }
    }

    /// The definition of the local usage with this name.
    pub(super) fn parts(&self, name: &[u8]) -> Option<u32> {
        self.usage(&name.to_ascii_lowercase()).map(|usage| usage.parts)
    }

    /// The resource set with this name.
    pub(super) fn set(&self, name: &[u8]) -> Option<SetId> {
        self.lower_case_set(&name.to_ascii_lowercase())
    }

    /// The definitions of the local usages in the text itself, by name in lower case.
    pub(super) fn local_usages(&self) -> HashMap<Vec<u8>, u32> {
        self.usages.iter().map(|(name, usage)| (name.clone(), usage.parts)).collect()
    }

    fn usage(&self, name: &[u8]) -> Option<LocalUsage> {
        let own = || self.usages.get(name).copied();
        self.referring.and_then(|referring| referring.usage(name)).or_else(own)
    }

    fn lower_case_set(&self, name: &[u8]) -> Option<SetId> {
        let own = || self.sets.get(name).copied();
        self.referring.and_then(|referring| referring.lower_case_set(name)).or_else(own)
    }
}

impl FileReader<'_, '_> {
    /// Reads a definition field, which must precede all records. A void one defines nothing: the name stays free.
    pub(super) fn definition(&mut self, key: Key<'_>, field: &Extension, value: &[u8]) {
        let (name, meaning) = first_word(value);
        let is_name = name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte));
        if !self.is_before_records() {
            self.report(field, AcapOddity::MisplacedDefinition);
        } else if name.is_empty() {
            self.report(field, AcapOddity::NoValue);
        } else if !is_name {
            self.report(field, AcapOddity::InvalidName);
        } else if meaning.is_empty() {
            self.report(field, AcapOddity::EmptyDefinition);
        } else if key == Key::ResourceSet {
            self.define_set(field, name.to_ascii_lowercase(), meaning);
        } else {
            self.define_usage(key, field, name.to_ascii_lowercase(), meaning);
        }
    }

    /// Section 2.7.3.
    fn define_set(&mut self, field: &Extension, name: Vec<u8>, patterns: &[u8]) {
        if self.definitions.lower_case_set(&name).is_some() {
            return self.report(field, AcapOddity::DefinedTwice);
        }
        for pattern in words(patterns) {
            let pattern = self.rooted(field, pattern, b"/*");
            self.said.acap.sets.push(pattern);
        }
        let set = SetId(self.said.acap.sets.close());
        self.definitions.sets.insert(name, set);
    }

    /// Qualified and composite usages share their names (section 3).
    fn define_usage(&mut self, key: Key<'_>, field: &Extension, name: Vec<u8>, meaning: &[u8]) {
        if self.definitions.usage(&name).is_some() {
            return self.report(field, AcapOddity::DefinedTwice);
        }
        let defined = match key {
            Key::QualifiedUsage => self.qualified_usage(field, meaning),
            _ => self.composite_usage(meaning),
        };
        match defined {
            Ok(usage) => {
                self.definitions.usages.insert(name, usage);
            }
            Err(oddity) => self.report(field, oddity),
        }
    }

    /// Section 2.7.1.
    fn qualified_usage(&mut self, field: &Extension, meaning: &[u8]) -> Result<LocalUsage, AcapOddity> {
        let (usage, qualifiers) = first_word(meaning);
        let usage = named_usage(usage).ok_or(AcapOddity::UnknownUsage)?;
        if qualifiers.is_empty() {
            self.report(field, AcapOddity::NothingQualified);
        }
        let says = self.qualified(field, usage, qualifiers);
        Ok(LocalUsage { kind: Kind::Qualified, parts: self.said.acap.parts.add([(usage, says)]) })
    }

    /// Section 2.7.2. A usage that is listed several times is permitted with all the qualifiers.
    fn composite_usage(&mut self, meaning: &[u8]) -> Result<LocalUsage, AcapOddity> {
        let mut merged: Vec<Merged> = Vec::new();
        for word in words(meaning) {
            let (usage, says) = self.constituent(word)?;
            let at = merged.iter().position(|earlier| earlier.usage == usage).unwrap_or(merged.len());
            if at == merged.len() {
                merged.push(Merged { usage, says: Vec::new(), seen: HashSet::new() });
            }
            merged[at].add(says);
        }
        let parts: Vec<_> = merged.iter().map(|usage| (usage.usage, usage.says(self.said))).collect();
        Ok(LocalUsage { kind: Kind::Composite, parts: self.said.acap.parts.add(parts) })
    }

    /// The meaning of one name in a composite usage.
    fn constituent(&mut self, word: &[u8]) -> Result<(Usage, Says<QualifiersId>), AcapOddity> {
        let Some(name) = in_parentheses(word) else {
            let usage = named_usage(word).ok_or(AcapOddity::UnknownUsage)?;
            return Ok((usage, Says::Permitted(self.said.unqualified())));
        };
        let usage = self.definitions.usage(&name.to_ascii_lowercase());
        let qualified =
            usage.filter(|usage| usage.kind == Kind::Qualified).ok_or(AcapOddity::UndefinedName)?;
        Ok(self.said.acap.parts.list(qualified.parts)[0])
    }
}

/// A usage of a composite usage, and all the statements about it, each once.
struct Merged {
    usage: Usage,
    says: Vec<Says<QualifiersId>>,
    seen: HashSet<QualifiersId>,
}

impl Merged {
    fn add(&mut self, says: Says<QualifiersId>) {
        match says {
            Says::Permitted(list) if !self.seen.insert(list) => {}
            _ => self.says.push(says),
        }
    }

    /// Merges the statements into one. Lists are merged by their qualifiers' numbers, so no text is copied.
    fn says(&self, said: &mut Statements) -> Says<QualifiersId> {
        if let [only] = self.says[..] {
            return only;
        }
        let lists = self
            .says
            .iter()
            .map(|says| if let Says::Permitted(list) = says { Ok(*list) } else { Err(*says) });
        let lists: Vec<QualifiersId> = match lists.collect() {
            Ok(lists) => lists,
            Err(prohibited) => return prohibited,
        };
        Says::Permitted(said.merged(&lists))
    }
}
