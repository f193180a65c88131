//! What applies to a site at an instant.

use super::{Moment, Why};

/// What applies to a site at one instant, until when, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Standing {
    /// What applies.
    pub applies: Applies,
    /// When the answer changes: from this instant on, something else applies, or it applies for another reason. While
    /// attempts fail, it changes only if one fails at this instant or later. `None`: the answer holds until another
    /// attempt is made.
    pub until: Option<Moment>,
    /// When a crawler should fetch the robots.txt again. If that is in the past, it should do so before it visits the
    /// site.
    pub refetch: Moment,
    /// Why.
    pub why: Why,
}

impl Standing {
    /// Whether the robots.txt should be fetched again at `now`, before anything else of the site. A `now` before the end of the
    /// attempt counts as that end (F2).
    pub fn is_due(&self, now: Moment) -> bool {
        self.refetch <= now.max(self.why.at)
    }
}

/// What a crawler follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applies {
    /// The rules of a robots.txt.
    Rules(RulesOf),
    /// No restrictions: everything is allowed.
    Unrestricted,
    /// Everything is disallowed except `/robots.txt`, which may always be requested.
    Restricted,
    /// The crawler defers its visits until it can fetch the robots.txt (Koster 1996, section 3.1).
    Deferred,
    /// Nothing is known: the crawler has to fetch the robots.txt first.
    Unknown,
}

/// Which robots.txt the rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RulesOf {
    /// The one from the latest attempt.
    ThisFetch,
    /// The one from an earlier fetch.
    LastGoodCopy,
}

impl Applies {
    /// `rules`, `last-good-copy`, `unrestricted`, `restricted`, `deferred` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Applies::Rules(RulesOf::ThisFetch) => "rules",
            Applies::Rules(RulesOf::LastGoodCopy) => "last-good-copy",
            Applies::Unrestricted => "unrestricted",
            Applies::Restricted => "restricted",
            Applies::Deferred => "deferred",
            Applies::Unknown => "unknown",
        }
    }
}
