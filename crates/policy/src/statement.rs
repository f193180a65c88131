//! Things said about usages, before it is decided which of them holds (`crates/PERMISSIONS.md`).

use robomata_protocol::{PermissionReason, Qualifier, Source, Usage};

/// Something said about one usage, in a page or a header: a whole sentence that owns its parts.
///
/// What a robots.txt says in ACAP's words is an ACAP field, which shares its parts with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// About what.
    pub usage: Usage,
    /// What.
    pub says: Says<Vec<Qualifier>>,
    /// To whom.
    pub address: Address,
    /// For which purpose: a pattern as written; none speaks for any (row A6).
    pub purpose: Option<String>,
    /// Where.
    pub source: Source,
}

/// What is said: `Q` are the qualifiers of a permission, or where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says<Q> {
    /// It is permitted, under all of these.
    Permitted(Q),
    /// It is prohibited: because it is said ([`PermissionReason::Said`]), or because a permission cannot be interpreted
    /// ([`PermissionReason::Uninterpretable`], row A11).
    Prohibited(PermissionReason),
}

/// To whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// To any crawler.
    Any,
    /// To the crawler by its name.
    Named,
}
