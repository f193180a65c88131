//! Things said about usages, before it is decided which of them holds (`crates/PERMISSIONS.md`).

use std::borrow::Cow;

use robomata_protocol::{PermissionReason, Place, Qualifier, Source, Usage};

use crate::acap::Acap;

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
    /// Permissions of local usages by elements, whose definitions the site's robots.txt may have: see
    /// [`PageStatements::resolved`].
    pub local: Vec<LocalPermission>,
    /// For each element with an ACAP class the innermost other one that encloses it: its place among them.
    pub parents: Vec<Option<u32>>,
}

/// A permission of a local usage by an element: `the-acap:allow-(name)` (row P8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPermission {
    /// The name of the usage, as written.
    pub name: String,
    /// Can permissions of the page's ACAP version be interpreted (row P3)?
    pub is_interpretable: bool,
    /// Where.
    pub source: Source,
}

impl PageStatements {
    /// The statements with those that the local usages stand for by the definitions in the site's robots.txt (`acap`). One
    /// that it does not define cannot be interpreted (row P6).
    pub fn resolved(&self, acap: Option<&Acap>) -> Cow<'_, PageStatements> {
        if self.local.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut page = self.clone();
        let mut left = MOST_QUALIFIERS;
        for LocalPermission { name, is_interpretable, source } in std::mem::take(&mut page.local) {
            let uninterpretable = || Says::Prohibited(PermissionReason::Uninterpretable);
            let says = match acap.and_then(|acap| acap.local_usage(name.as_bytes())) {
                Some(parts) if is_interpretable && spend(&mut left, &parts) => parts,
                Some(parts) => parts.into_iter().map(|(usage, _)| (usage, uninterpretable())).collect(),
                None => unknown_usages().map(|usage| (usage, uninterpretable())).collect(),
            };
            page.acap.extend(says.into_iter().map(|(usage, says)| Statement {
                usage,
                says,
                address: Address::Any,
                purpose: None,
                source,
            }));
        }
        // META tags stand before elements, and elements in their order.
        page.acap.sort_by_key(|statement| match statement.source.place {
            Place::Element(element) => u64::from(element) + 1,
            _ => 0,
        });
        Cow::Owned(page)
    }
}

/// The qualifiers that elements of a page may take over from definitions. What goes beyond them cannot be interpreted: a
/// small page and a small robots.txt could make any number of them.
const MOST_QUALIFIERS: usize = 1 << 16;

fn spend(left: &mut usize, parts: &[(Usage, Says<Vec<Qualifier>>)]) -> bool {
    let count = |says: &Says<Vec<Qualifier>>| if let Says::Permitted(list) = says { list.len() } else { 0 };
    let rest = left.checked_sub(parts.iter().map(|(_, says)| 1 + count(says)).sum());
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// The usages that a permission of an unknown one prohibits (row P6). `other` is not among them: it would reach crawl and
/// follow, which the row leaves out.
pub fn unknown_usages() -> impl Iterator<Item = Usage> {
    let is_meant =
        |usage: &Usage| usage.is_acap() && !matches!(usage, Usage::Crawl | Usage::Follow | Usage::Other);
    Usage::ALL.into_iter().filter(is_meant)
}
