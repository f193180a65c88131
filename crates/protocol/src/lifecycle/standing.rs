//! What applies.

use std::fmt;

use super::{Moment, Why};

/// What applies to a site at one instant, until when, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What applies.
    pub applies: Applies,
    /// From this instant on the question is to be asked anew: something else applies then, or for another reason.
    /// `None`: it stands until another attempt is made.
    pub until: Option<Moment>,
    /// Why.
    pub why: Why,
    /// When a crawler should fetch the robots.txt again. In the past: before it visits the site.
    pub refetch: Moment,
}

impl Standing {
    /// Should the robots.txt be fetched again at `now`, before anything else of the site is?
    pub fn is_due(&self, now: Moment) -> bool {
        self.refetch <= now
    }
}

/// What a crawler is to go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Applies {
    /// The rules of a robots.txt.
    Rules(RulesOf),
    /// No restrictions: everything is allowed.
    Unrestricted,
    /// Everything is disallowed; but `/robots.txt`, which may always be asked for.
    Restricted,
    /// Visits are to be put off until the robots.txt can be fetched (Koster 1996, section 3.1).
    Deferred,
    /// Nothing is known: the robots.txt has to be fetched first.
    Unknown,
}

/// Which robots.txt the rules are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RulesOf {
    /// The one that the latest attempt fetched.
    ThisFetch,
    /// The one that was fetched before.
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

impl fmt::Display for Applies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
