//! What a statement is about.

use robomata_automaton::Scope;
use robomata_policy::acap::{Acap, AddressedField};
use robomata_protocol::Usage;

use crate::purpose::is_purpose_of;

/// Whether a statement about `said` covers `asked`: explicitly, and as exactly that usage (A14, 1 and 3).
#[inline]
pub(crate) fn relation(said: Usage, asked: Usage) -> Option<(bool, bool)> {
    match said {
        said if said == asked => Some((true, true)),
        Usage::Present if asked.is_derived_from_present() => Some((true, false)),
        Usage::Other => Some((false, true)),
        _ => None,
    }
}

/// Whether the field applies to `purpose`. True: to this purpose specifically; false: to any purpose.
pub(crate) fn speaks_for(acap: &Acap, addressed: &AddressedField<'_>, purpose: Option<&str>) -> Option<bool> {
    match (addressed.field.purposes, purpose) {
        (None, _) => Some(false),
        (Some(_), None) => None,
        (Some(id), Some(purpose)) => {
            acap.purpose_patterns(id).any(|pattern| is_purpose_of(pattern, purpose)).then_some(true)
        }
    }
}

/// The bytes of a pattern's scope.
pub(crate) fn scope_of(pattern: &[u8]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(pattern.len());
    Scope::push(pattern, &mut bytes);
    bytes.into()
}
