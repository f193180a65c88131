//! ACAP's records and definitions in a robots.txt (A3 to A13; part 1, 2.2 to 2.7).

use robomata_protocol::limits::DEFAULT_PARSING_LIMIT;
use robomata_protocol::{Dialect, PermissionReason, Qualifier, Usage};

use super::qualifiers::{self, Setting};
use super::statement::Says;
use crate::fields::{Field, Key};
use crate::groups::{Name, acap_name};
use crate::lines;
use crate::text::{self, Word, after, first_word, is_ws, joined_words, trim, words};

/// The ACAP fields of one file.
#[derive(Clone, Debug)]
pub(crate) struct AcapFile {
    pub(crate) definitions: Definitions,
    pub(crate) records: Vec<Record>,
}

/// An ACAP record (2.3).
#[derive(Clone, Debug)]
pub(crate) struct Record {
    names: Vec<Name>,
    pub(crate) fields: Vec<RecordField>,
    /// The locator of a permissions reference directly after the crawler fields (A7).
    pub(crate) reference: Option<String>,
}

/// A permission, prohibition or action request.
#[derive(Clone, Debug)]
pub(crate) struct RecordField {
    /// The purpose patterns of its sub-record, or `None` outside a sub-record (A6).
    pub(crate) purposes: Option<Vec<Vec<u8>>>,
    /// The part of the key after `ACAP-`, in lower case.
    key: String,
    pub(crate) value: Vec<u8>,
    pub(crate) line: u32,
}

/// Locally defined usages and resource sets, by their names in lower case (A12).
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    usages: Vec<(String, LocalUsage)>,
    resource_sets: Vec<(String, Vec<Vec<u8>>)>,
}

#[derive(Clone, Debug)]
enum LocalUsage {
    Qualified(Vec<(Usage, Says)>),
    Composite(Vec<(Usage, Says)>),
}

/// Which file is read: a referenced file must not contain further references (2.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    RobotsTxt,
    Referenced,
}

/// Whether a record is addressed to a crawler, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Addressed {
    Nobody,
    Any,
    Named,
}

/// A3 and A12: reads the fields. `before` holds the definitions that precede the file's own (A7).
pub(crate) fn read(fields: &[Field], before: &Definitions, file: File) -> AcapFile {
    let mut definitions = before.clone();
    let first = fields.iter().position(|field| field.key.is_acap("crawler")).unwrap_or(fields.len());
    for field in &fields[..first] {
        if let Key::Acap(key) = &field.key {
            definitions.define(key, &field.value);
        }
    }
    AcapFile { definitions, records: records(&fields[first..], file) }
}

/// A2: the version in the first comment line of the form `##ACAP version=x` (2.9.3).
pub(crate) fn version(robots: &[u8]) -> Option<String> {
    let text = lines::text_of(robots, Dialect::Acap, DEFAULT_PARSING_LIMIT);
    lines::lines(&text).into_iter().find_map(version_in)
}

fn version_in(line: &[u8]) -> Option<String> {
    let line = text::text(line);
    let rest = trim_start(&line).strip_prefix("##")?;
    let rest = after(trim_start(rest), "acap")?;
    let parted = trim_start(rest);
    let is_parted = parted.len() < rest.len();
    let value = trim_start(after(parted, "version")?).strip_prefix('=')?;
    let version = trim_start(value).split([' ', '\t']).next().filter(|version| !version.is_empty());
    version.filter(|_| is_parted).map(str::to_owned)
}

fn trim_start(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// A3: records, each with its fields.
fn records(fields: &[Field], file: File) -> Vec<Record> {
    let mut records: Vec<(Vec<Name>, Vec<&Field>)> = Vec::new();
    for field in fields {
        let Key::Acap(key) = &field.key else {
            continue;
        };
        if key == b"crawler" {
            match records.last_mut() {
                Some((names, own)) if own.is_empty() => names.push(acap_name(&field.value)),
                _ => records.push((vec![acap_name(&field.value)], Vec::new())),
            }
        } else if is_of_records(key)
            && let Some((_, own)) = records.last_mut()
        {
            own.push(field);
        }
    }
    records.into_iter().map(|(names, own)| record(names, &own, file)).collect()
}

fn is_of_records(key: &[u8]) -> bool {
    matches!(key, b"usage-purpose" | b"permissions-reference") || is_said(key) || key.starts_with(b"request-")
}

fn is_said(key: &[u8]) -> bool {
    key.starts_with(b"allow-") || key.starts_with(b"disallow-")
}

/// A6 and A7: a reference alone, or general fields and sub-records.
fn record(names: Vec<Name>, own: &[&Field], file: File) -> Record {
    if let Some(first) = own.first()
        && first.key.is_acap("permissions-reference")
        && !first.value.is_empty()
        && file == File::RobotsTxt
    {
        let locator = text::text(first_word(&first.value).0);
        return Record { names, fields: Vec::new(), reference: Some(locator) };
    }
    let mut fields = Vec::new();
    let mut purposes: Option<Vec<Vec<u8>>> = None;
    let mut has_said = false;
    for field in own {
        let Key::Acap(key) = &field.key else {
            continue;
        };
        if key == b"usage-purpose" {
            let pattern = first_word(&field.value).0.to_vec();
            match &mut purposes {
                Some(patterns) if !has_said => patterns.push(pattern),
                _ => purposes = Some(vec![pattern]),
            }
            has_said = false;
            continue;
        }
        has_said |= is_said(key);
        // An action request in a sub-record is void (2.3).
        let is_void = key.starts_with(b"request-") && purposes.is_some();
        if key != b"permissions-reference" && !is_void {
            fields.push(RecordField {
                purposes: purposes.clone(),
                key: text::text(key),
                value: field.value.clone(),
                line: field.line,
            });
        }
    }
    Record { names, fields, reference: None }
}

impl Record {
    /// A5: "must not contain any other crawler identification fields" (2.3.1) than `*`, so the names are void.
    fn is_for_any(&self) -> bool {
        self.names.contains(&Name::Everyone)
    }

    /// Returns whether the record names this token.
    pub(crate) fn names(&self, token: &Name) -> bool {
        !self.is_for_any() && self.names.contains(token)
    }

    /// The addressee of the record, for a crawler with the name `own`.
    pub(crate) fn addressed(&self, own: Option<&Name>) -> Addressed {
        match own {
            _ if self.is_for_any() => Addressed::Any,
            Some(own) if self.names(own) => Addressed::Named,
            _ => Addressed::Nobody,
        }
    }
}

impl RecordField {
    /// The requested action, and the resource as written, rooted (A13).
    pub(crate) fn request(&self) -> Option<(&'static str, Vec<u8>)> {
        let action = match self.key.as_str() {
            "request-take-down" => "take-down",
            "request-re-crawl" => "re-crawl",
            _ => return None,
        };
        let (resource, _) = first_word(&self.value);
        match resource.first() {
            None => None,
            Some(b'/') => Some((action, resource.to_vec())),
            Some(_) => Some((action, [b"/", resource].concat())),
        }
    }

    /// The patterns of the resources, as written; none if the field is void (A8, A11).
    pub(crate) fn patterns(&self, definitions: &Definitions) -> Vec<Vec<u8>> {
        let (resource, _) = first_word(&self.value);
        const SET: &[u8] = b"the-acap:resource-set:";
        if resource.len() >= SET.len() && resource[..SET.len()].eq_ignore_ascii_case(SET) {
            return definitions.resource_set(&resource[SET.len()..]);
        }
        if resource.is_empty() { Vec::new() } else { vec![resource.to_vec()] }
    }

    /// The statements about usages; none if the field is void (A11).
    pub(crate) fn says(&self, definitions: &Definitions) -> Vec<(Usage, Says)> {
        let (_, rest) = first_word(&self.value);
        if let Some(written) = self.key.strip_prefix("disallow-") {
            return definitions.prohibited(written);
        }
        let Some(written) = self.key.strip_prefix("allow-") else {
            return Vec::new();
        };
        match local_name(written.as_bytes()) {
            Some(local) => {
                let usages = definitions.usage(local);
                // "No explicit qualifiers may be included in a permission field for a locally-defined usage" (2.4.1.3).
                if rest.is_empty() { usages } else { usages.into_iter().map(uninterpretable).collect() }
            }
            None => qualifiers::usage(written).map(|usage| permission(usage, rest)).into_iter().collect(),
        }
    }
}

/// A9 and A11: a permission, or a prohibition if its qualifiers cannot be interpreted.
fn permission(usage: Usage, written: &[u8]) -> (Usage, Says) {
    let written = text::text(written);
    let words: Vec<Word> = joined_words(&written, is_ws).iter().map(|word| Word::of(word)).collect();
    match qualifiers::qualifiers(&words, usage, Setting::RobotsTxt) {
        Some(qualifiers) => (usage, Says::Permitted(qualifiers)),
        None => (usage, Says::Prohibited(PermissionReason::Uninterpretable)),
    }
}

pub(crate) fn uninterpretable((usage, _): (Usage, Says)) -> (Usage, Says) {
    (usage, Says::Prohibited(PermissionReason::Uninterpretable))
}

/// The name in the parentheses of a local usage.
pub(crate) fn local_name(written: &[u8]) -> Option<&[u8]> {
    written.strip_prefix(b"(")?.strip_suffix(b")")
}

impl Definitions {
    /// A12: a definition field. Of two with the same name the first counts, and a void one defines nothing.
    fn define(&mut self, key: &[u8], value: &[u8]) {
        let (name, rest) = first_word(value);
        let Some(name) = text::name(name) else {
            return;
        };
        let is_usage_new = !self.usages.iter().any(|(own, _)| *own == name);
        match key {
            b"qualified-usage" if is_usage_new => {
                if let Some(usage) = qualified(rest) {
                    self.usages.push((name, LocalUsage::Qualified(vec![usage])));
                }
            }
            b"composite-usage" if is_usage_new => {
                if let Some(usages) = self.composite(rest) {
                    self.usages.push((name, LocalUsage::Composite(usages)));
                }
            }
            b"resource-set" if !self.resource_sets.iter().any(|(own, _)| *own == name) => {
                let patterns: Vec<Vec<u8>> = words(rest).into_iter().map(<[u8]>::to_vec).collect();
                if !patterns.is_empty() {
                    self.resource_sets.push((name, patterns));
                }
            }
            _ => {}
        }
    }

    /// 2.7.2: standard usages, and qualified usages that are defined before.
    fn composite(&self, members: &[u8]) -> Option<Vec<(Usage, Says)>> {
        let mut usages: Vec<(Usage, Says)> = Vec::new();
        for member in words(members) {
            match local_name(member) {
                Some(local) => {
                    let name = text::name(local)?;
                    let (_, found) = self.usages.iter().find(|(own, _)| *own == name)?;
                    let LocalUsage::Qualified(own) = found else {
                        return None;
                    };
                    usages.extend(own.iter().cloned());
                }
                None => {
                    let usage = qualifiers::usage(&text::text(member))?;
                    usages.push((usage, Says::Permitted(Vec::new())));
                }
            }
        }
        (!usages.is_empty()).then(|| merged(usages))
    }

    /// The meaning of a permission of the local usage with this name; nothing if the name is not defined.
    pub(crate) fn usage(&self, name: &[u8]) -> Vec<(Usage, Says)> {
        let Some(name) = text::name(name) else {
            return Vec::new();
        };
        match self.usages.iter().find(|(own, _)| *own == name) {
            Some((_, LocalUsage::Qualified(usages) | LocalUsage::Composite(usages))) => usages.clone(),
            None => Vec::new(),
        }
    }

    /// The meaning of a prohibition of this usage, standard or local; nothing if it is unknown or not defined.
    ///
    /// A prohibition "may not refer to locally-defined ... usages, and may not contain any qualifiers" (2.4.2). One that
    /// does prohibits the usages by which the name is defined (A11, P8).
    pub(crate) fn prohibited(&self, written: &str) -> Vec<(Usage, Says)> {
        let usages: Vec<Usage> = match local_name(written.as_bytes()) {
            Some(local) => self.usage(local).into_iter().map(|(usage, _)| usage).collect(),
            None => qualifiers::usage(written).into_iter().collect(),
        };
        let prohibited = Says::Prohibited(PermissionReason::Explicit);
        usages.into_iter().map(|usage| (usage, prohibited.clone())).collect()
    }

    fn resource_set(&self, name: &[u8]) -> Vec<Vec<u8>> {
        let Some(name) = text::name(name) else {
            return Vec::new();
        };
        let found = self.resource_sets.iter().find(|(own, _)| *own == name);
        found.map(|(_, patterns)| patterns.clone()).unwrap_or_default()
    }
}

/// 2.7.1: a usage and its qualifiers.
fn qualified(written: &[u8]) -> Option<(Usage, Says)> {
    let (usage, rest) = first_word(trim(written, is_ws));
    let usage = qualifiers::usage(&text::text(usage))?;
    Some(permission(usage, rest))
}

/// A12: a usage that occurs several times is permitted with all the qualifiers. If one of them cannot be interpreted,
/// the usage is prohibited.
fn merged(usages: Vec<(Usage, Says)>) -> Vec<(Usage, Says)> {
    let mut merged: Vec<(Usage, Says)> = Vec::new();
    for (usage, says) in usages {
        match merged.iter_mut().find(|(own, _)| *own == usage) {
            None => merged.push((usage, says)),
            Some((_, own)) => *own = both(own, &says),
        }
    }
    merged
}

fn both(one: &Says, other: &Says) -> Says {
    match (one, other) {
        (Says::Permitted(one), Says::Permitted(other)) => {
            let all: Vec<Qualifier> = one.iter().chain(other).cloned().collect();
            Says::Permitted(qualifiers::without_duplicates(all))
        }
        (prohibited @ Says::Prohibited(_), _) | (_, prohibited) => prohibited.clone(),
    }
}
