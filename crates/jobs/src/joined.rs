//! Finds fields that seem to end a group but do not: only Allow and Disallow end its list of names (RFC 9309, 2.2.4).

use robomata_engine::Policy;
use robomata_engine::policy::{Extension, Name};

/// A field of groups with names of the same group before and after it.
pub(crate) struct Joined<'p> {
    pub(crate) field: &'p Extension,
    /// The index of the group.
    pub(crate) group: usize,
    /// The names directly above it.
    pub(crate) own: &'p [Name],
    /// The first name after it.
    pub(crate) next: &'p Name,
}

/// The fields of a file that are among the names of a group, in file order.
pub(crate) fn joined<'p>(policy: &'p Policy<'_>) -> impl Iterator<Item = Joined<'p>> {
    policy.extensions().iter().filter(|field| field.is_of_group()).filter_map(|field| {
        let group = field.group?;
        let own = policy.bound_by(field);
        own.first()?;
        let names = policy.names_of(&policy.groups()[group]);
        let next = names.get(names.partition_point(|name| name.line <= field.line))?;
        Some(Joined { field, group, own, next })
    })
}
