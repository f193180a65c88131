//! Finds fields that seem to end a group but do not: only Allow and Disallow end its list of names (RFC 9309, 2.2.4).

use crate::{Extension, Name, Policy};

/// A field of groups with names of the same group before and after it.
#[derive(Clone, Copy, Debug)]
pub struct JoinedField<'p> {
    /// The field.
    pub field: &'p Extension,
    /// The index of the group.
    pub group: usize,
    /// The names directly above it.
    pub own: &'p [Name],
    /// The first name after it.
    pub next: &'p Name,
}

impl Policy<'_> {
    /// The fields that are among the names of a group, in file order. The names above such a field seem to have a group
    /// of their own.
    ///
    /// ```
    /// use robomata_policy::Policy;
    /// use robomata_protocol::Dialect;
    /// use robomata_syntax::Config;
    ///
    /// let text = b"User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /";
    /// let policy = Policy::new(text, &Config::new(Dialect::Rfc9309));
    /// let lines: Vec<_> = policy.joined_fields().map(|joined| (joined.field.line, joined.next.line)).collect();
    /// assert_eq!(lines, [(2, 3)]);
    /// ```
    pub fn joined_fields(&self) -> impl Iterator<Item = JoinedField<'_>> {
        self.extensions().iter().filter(|field| field.is_of_group()).filter_map(|field| {
            let group = field.group?;
            let own = self.bound_by(field);
            own.first()?;
            let names = self.names_of(&self.groups()[group]);
            let next = names.get(names.partition_point(|name| name.line <= field.line))?;
            Some(JoinedField { field, group, own, next })
        })
    }
}
