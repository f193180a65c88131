//! Permissions and prohibitions (ACAP part 1, section 2.4; rows A8, A9 and A11).

use robomata_protocol::{PermissionReason, Qualifier, Usage};
use robomata_syntax::AcapOddity;

use super::key::{first_word, in_parentheses, strip_prefix};
use super::qualifier::{QualifierFault, Valid, qualifiers, usage};
use super::reader::FileReader;
use super::{Field, PurposesId, QualifiersId, Resources};
use crate::extension::Extension;
use crate::statement::Says;

const UNINTERPRETABLE: Says<QualifiersId> = Says::Prohibited(PermissionReason::Uninterpretable);

impl FileReader<'_, '_> {
    /// `ACAP-allow-…` (2.4.1). A permission that cannot be interpreted prohibits: it must neither become unrestricted
    /// nor leave the URL to a wider permission.
    pub(super) fn permission(
        &mut self,
        field: &Extension,
        written: &[u8],
        value: &[u8],
        purposes: Option<PurposesId>,
    ) {
        let (specification, rest) = first_word(value);
        if let Some(name) = in_parentheses(written) {
            let Some(parts) = self.definitions.parts(name) else {
                return self.report(field, AcapOddity::UndefinedName);
            };
            let Some(resources) = self.resources(field, specification) else { return };
            if !rest.is_empty() {
                self.report(field, AcapOddity::QualifiedLocalUsage);
            }
            for part in 0..self.said.acap.parts.list(parts).len() {
                let (usage, says) = self.said.acap.parts.list(parts)[part];
                let says = if rest.is_empty() { says } else { UNINTERPRETABLE };
                self.say(field, usage, says, purposes, resources);
            }
        } else if let Some((usage, resources)) = self.usage_and_resources(field, written, specification) {
            let says = self.qualified(field, usage, rest);
            self.say(field, usage, says, purposes, resources);
        }
    }

    /// `ACAP-disallow-…` (2.4.2). Only permissions can have local usages. A prohibition of one that is defined prohibits
    /// its usages without their qualifiers: it must not open what the site closes.
    pub(super) fn prohibition(
        &mut self,
        field: &Extension,
        written: &[u8],
        value: &[u8],
        purposes: Option<PurposesId>,
    ) {
        let (specification, rest) = first_word(value);
        if let Some(name) = in_parentheses(written) {
            let Some(parts) = self.definitions.parts(name) else {
                return self.report(field, AcapOddity::UndefinedName);
            };
            let Some(resources) = self.resources(field, specification) else { return };
            self.report(field, AcapOddity::LocalProhibition);
            for part in 0..self.said.acap.parts.list(parts).len() {
                let (usage, _) = self.said.acap.parts.list(parts)[part];
                self.say(field, usage, Says::Prohibited(PermissionReason::Explicit), purposes, resources);
            }
        } else if let Some((usage, resources)) = self.usage_and_resources(field, written, specification) {
            if !rest.is_empty() {
                self.report(field, AcapOddity::QualifiedProhibition);
            }
            self.say(field, usage, Says::Prohibited(PermissionReason::Explicit), purposes, resources);
        }
    }

    /// The statement of a permission of `usage` with these qualifiers.
    pub(super) fn qualified(
        &mut self,
        field: &Extension,
        usage: Usage,
        written: &[u8],
    ) -> Says<QualifiersId> {
        match parsed(usage, written) {
            Ok(list) => {
                if written.iter().any(|byte| matches!(byte, b'"' | b'\'')) {
                    self.report(field, AcapOddity::QuoteInValue);
                }
                Says::Permitted(self.said.list_of(list))
            }
            Err(oddity) => {
                self.report(field, oddity);
                UNINTERPRETABLE
            }
        }
    }

    fn usage_and_resources(
        &mut self,
        field: &Extension,
        written: &[u8],
        specification: &[u8],
    ) -> Option<(Usage, Resources)> {
        let Some(usage) = named_usage(written) else {
            self.report(field, AcapOddity::UnknownUsage);
            return None;
        };
        Some((usage, self.resources(field, specification)?))
    }

    /// The resources that the first word of a value names (2.4.3).
    fn resources(&mut self, field: &Extension, specification: &[u8]) -> Option<Resources> {
        if specification.is_empty() {
            self.report(field, AcapOddity::NoValue);
            return None;
        }
        let Some(name) = strip_prefix(specification, b"the-acap:resource-set:") else {
            return Some(Resources::Pattern(self.rooted(field, specification, b"/*")));
        };
        let set = self.definitions.set(name);
        if set.is_none() {
            self.report(field, AcapOddity::UndefinedName);
        }
        set.map(Resources::Set)
    }

    fn say(
        &mut self,
        field: &Extension,
        usage: Usage,
        says: Says<QualifiersId>,
        purposes: Option<PurposesId>,
        resources: Resources,
    ) {
        let source = self.source(field);
        self.said.acap.fields.push(Field { usage, says, purposes, resources, source });
    }
}

/// The usage of section 2.5 with this name.
pub(super) fn named_usage(written: &[u8]) -> Option<Usage> {
    usage(std::str::from_utf8(written).ok()?)
}

fn parsed(usage: Usage, written: &[u8]) -> Result<Vec<Qualifier>, AcapOddity> {
    // Invalid UTF-8 is replaced by a character that no qualifier contains.
    let text = String::from_utf8_lossy(written);
    let words = text.split([' ', '\t']).filter(|word| !word.is_empty());
    qualifiers(words, usage, Valid::InRobotsTxt).map_err(|error| match error.fault {
        QualifierFault::UnknownType => AcapOddity::UnknownQualifier,
        QualifierFault::NoQualifier => AcapOddity::NoQualifier,
        QualifierFault::InvalidValue => AcapOddity::InvalidQualifierValue,
        QualifierFault::NotForUsage => AcapOddity::QualifierNotForUsage,
        QualifierFault::Repeated => AcapOddity::RepeatedQualifier,
    })
}
