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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What a page and its response's headers say to one crawler, by vocabulary, before it is decided which of it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageStatements {
    /// ACAP's: META tags that address the crawler or any, in the order of the page, then elements in theirs. A `location`
    /// is a [`Qualifier::Location`], not yet compared with the page's URL.
    pub acap: Vec<Statement>,
    /// Robots META's and X-Robots-Tag's: one statement for each usage, the most restrictive of all (row P12).
    pub robots_meta: Vec<Statement>,
    /// Content-Usage's headers': one statement for each usage.
    pub content_usage: Vec<Statement>,
    /// TDMRep's.
    pub tdm: Option<Statement>,
    /// For each element with an ACAP class the innermost other one that encloses it: its place among them.
    pub parents: Vec<Option<u32>>,
}
