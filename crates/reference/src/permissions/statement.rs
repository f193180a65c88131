//! One thing said about one usage by ACAP or by a conventional rule, to the crawler that asks, about the URL asked.

use robomata_protocol::{PermissionReason, Place, Qualifier, Source, Usage};

use super::scope::Pattern;

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// It is permitted, under all of these.
    Permitted(Vec<Qualifier>),
    /// It is prohibited, for this reason.
    Prohibited(PermissionReason),
}

impl Says {
    pub(crate) fn is_permission(&self) -> bool {
        matches!(self, Says::Permitted(_))
    }
}

/// To whom it is said. The order is that of A14, step 4: the later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    /// Any crawler.
    Any,
    /// The crawler by its name.
    Named,
}

/// For what it is said. The order is that of A14, step 2: the later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// For any.
    General,
    /// For purposes among which is the one asked about.
    Asked,
}

/// A statement that holds for the question: crawler, URL, purpose and part of the page are its.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) usage: Usage,
    pub(crate) says: Says,
    pub(crate) address: Address,
    pub(crate) purpose: Purpose,
    /// How far within the page: 0 for a file, 1 for META, 2 and more for elements (A14, step 5).
    pub(crate) depth: usize,
    /// The pattern by which it matches; none for what a page says of itself.
    pub(crate) scope: Option<Pattern>,
    pub(crate) source: Source,
}

impl Statement {
    /// Does it speak of `usage` itself, or of `present` for a derived usage (A14, step 1)?
    pub(crate) fn is_explicit(&self, usage: Usage) -> bool {
        self.usage == usage || (usage.is_derived_from_present() && self.usage == Usage::Present)
    }

    /// Does a page say it, not a file?
    pub(crate) fn is_of_page(&self) -> bool {
        !matches!(self.source.place, Place::RobotsTxt | Place::Referenced(_))
    }
}
