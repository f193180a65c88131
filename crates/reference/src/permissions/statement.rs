//! One statement about one usage, by ACAP or by a conventional rule, that applies to the crawler and the URL in
//! question.

use robomata_protocol::{PermissionReason, Place, Qualifier, Source, Usage};

use super::scope::Pattern;

/// The content of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Permitted, under all of these.
    Permitted(Vec<Qualifier>),
    /// Prohibited, for this reason.
    Prohibited(PermissionReason),
}

impl Says {
    pub(crate) fn is_permission(&self) -> bool {
        matches!(self, Says::Permitted(_))
    }
}

/// The addressee of a statement. The order is that of A14, step 4: the later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Address {
    /// Any crawler.
    Any,
    /// The crawler by its name.
    Named,
}

/// The purpose of a statement. The order is that of A14, step 2: the later wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// Any purpose.
    General,
    /// A set of purposes that includes the one in question.
    Asked,
}

/// A statement that applies to the crawler, URL, purpose and part of the page in question.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) usage: Usage,
    pub(crate) says: Says,
    pub(crate) address: Address,
    pub(crate) purpose: Purpose,
    /// The depth within the page: 0 for a file, 1 for META, 2 and more for elements (A14, step 5).
    pub(crate) depth: usize,
    /// The pattern that matches, or `None` for a statement of a page about itself.
    pub(crate) scope: Option<Pattern>,
    pub(crate) source: Source,
}

impl Statement {
    /// Returns whether it is about `usage` itself, or about `present` for a derived usage (A14, step 1).
    pub(crate) fn is_explicit(&self, usage: Usage) -> bool {
        self.usage == usage || (usage.is_derived_from_present() && self.usage == Usage::Present)
    }

    /// Returns whether a page makes the statement, not a file.
    pub(crate) fn is_of_page(&self) -> bool {
        !matches!(self.source.place, Place::RobotsTxt | Place::Referenced(_))
    }
}
