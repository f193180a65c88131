//! Statements about usages, before it is decided which of them apply (`crates/PERMISSIONS.md`).

use std::borrow::Cow;
use std::sync::Arc;

use robomata_protocol::{PermissionReason, Qualifier, Source, Usage};

use crate::acap::{Acap, QualifiersId};
use crate::tdmrep::TdmStatement;

/// A statement about one usage, in a page or a header. It owns its parts.
///
/// The ACAP statements of a robots.txt are fields, which share their parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The usage.
    pub usage: Usage,
    /// Whether it is permitted.
    pub says: Says<Vec<Qualifier>>,
    /// The addressee.
    pub address: Address,
    /// The purpose: a pattern as written; `None` for any purpose (row A6). All statements of a META tag share it.
    pub purpose: Option<Arc<str>>,
    /// Where the statement is.
    pub source: Source,
}

/// Whether a statement permits or prohibits. `Q` holds the qualifiers of a permission, or their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Says<Q> {
    /// It is permitted, under all of these qualifiers.
    Permitted(Q),
    /// It is prohibited: explicitly ([`PermissionReason::Explicit`]), or because a permission cannot be interpreted
    /// ([`PermissionReason::Uninterpretable`], row A11).
    Prohibited(PermissionReason),
}

/// The addressee of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// To any crawler.
    Any,
    /// To the crawler by its name.
    Named,
}

/// The statements of a page and its response headers for one crawler, by vocabulary, before it is decided which of them
/// apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageStatements {
    /// ACAP's: META tags that address the crawler or any crawler, then elements, each in page order. A `location` is a
    /// [`Qualifier::Location`], not yet compared with the page's URL.
    pub acap: Vec<Statement>,
    /// Those of Robots META, X-Robots-Tag and Robots-Tag: for each usage, the most restrictive statement (row P12).
    pub robots_meta: Vec<Statement>,
    /// Those of Content-Signal headers: one statement for each usage.
    pub content_signal: Vec<Statement>,
    /// Those of Content-Usage headers: one statement for each usage.
    pub content_usage: Vec<Statement>,
    /// That of TDMRep: each of its values replaces that of the site's tdmrep.json.
    pub tdm: TdmStatement,
    /// Those about local usages. The site's robots.txt may define the usages: see [`PageStatements::resolved`].
    pub local: Vec<LocalStatement>,
    /// For each element with an ACAP class, the index of the innermost other one that encloses it.
    pub parents: Vec<Option<u32>>,
}

/// A statement about a local usage: `allow-(name)` or `disallow-(name)` (row P8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalStatement {
    /// The name of the usage, as written.
    pub name: String,
    /// Why each usage of the definition is prohibited; `None` if what the definition says holds.
    pub prohibited: Option<PermissionReason>,
    /// The addressee.
    pub address: Address,
    /// The purpose, as in a [`Statement`].
    pub purpose: Option<Arc<str>>,
    /// Where the statement is.
    pub source: Source,
    /// How many of the page's other statements ([`PageStatements::acap`]) come before it.
    pub after: usize,
}

impl PageStatements {
    /// The statements, with local usages replaced by their definitions in the site's robots.txt (`acap`). Without a
    /// definition a permission cannot be interpreted, and a prohibition is void (row P6).
    pub fn resolved(&self, acap: Option<&Acap>) -> Cow<'_, PageStatements> {
        if self.local.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut page = self.clone();
        let mut left = MOST_QUALIFIERS;
        let mut others = std::mem::take(&mut page.acap).into_iter();
        let mut taken = 0;
        for LocalStatement { name, prohibited, address, purpose, source, after } in
            std::mem::take(&mut page.local)
        {
            page.acap.extend(others.by_ref().take(after.saturating_sub(taken)));
            taken = taken.max(after);
            let definition = acap.and_then(|acap| Some((acap, acap.local_usage(name.as_bytes())?)));
            let prohibits = Says::Prohibited(prohibited.unwrap_or(PermissionReason::Uninterpretable));
            let said: Vec<(Usage, Says<Vec<Qualifier>>)> = match (definition, prohibited) {
                (Some((acap, parts)), None) if spend(&mut left, acap, parts) => {
                    parts.iter().map(|&(usage, says)| (usage, acap.with_qualifiers(says))).collect()
                }
                (Some((_, parts)), _) => parts.iter().map(|&(usage, _)| (usage, prohibits.clone())).collect(),
                (None, Some(PermissionReason::Explicit)) => Vec::new(),
                (None, _) => unknown_usages().map(|usage| (usage, prohibits.clone())).collect(),
            };
            page.acap.extend(said.into_iter().map(|(usage, says)| Statement {
                usage,
                says,
                address,
                purpose: purpose.clone(),
                source,
            }));
        }
        page.acap.extend(others);
        Cow::Owned(page)
    }
}

/// The number of qualifiers that elements of a page can take from definitions. Permissions beyond that limit cannot be
/// interpreted: a small page and a small robots.txt could otherwise create any number of qualifiers.
const MOST_QUALIFIERS: usize = 1 << 16;

fn spend(left: &mut usize, acap: &Acap, parts: &[(Usage, Says<QualifiersId>)]) -> bool {
    let count = |says: &Says<QualifiersId>| match *says {
        Says::Permitted(list) => acap.qualifiers(list).len(),
        Says::Prohibited(_) => 0,
    };
    let rest = left.checked_sub(parts.iter().map(|(_, says)| 1 + count(says)).sum());
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// The usages that a permission of an unknown usage prohibits (row P6). `other` is not among them: it would include
/// crawl and follow, which the row leaves out.
pub fn unknown_usages() -> impl Iterator<Item = Usage> {
    let is_meant =
        |usage: &Usage| usage.is_acap() && !matches!(usage, Usage::Crawl | Usage::Follow | Usage::Other);
    Usage::ALL.into_iter().filter(is_meant)
}
