//! The site's `/.well-known/tdmrep.json` (TDM Reservation Protocol; `crates/PERMISSIONS.md`, T).

#[cfg(feature = "tdmrep")]
mod read;

use std::fmt;

use robomata_protocol::Source;

/// The rules of a tdmrep.json.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmRep {
    /// The rules with a location and a reservation, in the order of the file. One whose reservation is not valid says
    /// nothing about what it matches (T1).
    pub rules: Vec<TdmRule>,
    /// What is not valid, in the order of the file.
    pub problems: Vec<TdmProblem>,
}

/// What TDMRep says about a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TdmStatement {
    /// Whether rights about text and data mining are reserved, and where that is said. Reserved rights prohibit mining,
    /// with or without a policy (table U).
    pub reserved: Option<(bool, Source)>,
    /// The URL of the policy: it says how an authorization can be acquired.
    pub policy: Option<String>,
}

/// Whether rights about text and data mining are reserved for what a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TdmRule {
    /// The path pattern as written, with JSON's escapes resolved.
    pub location: String,
    /// Its values.
    pub says: TdmStatement,
    /// The 1-based number of the rule in the file, counting void rules.
    pub number: u32,
    /// The rule as JSON, in one line.
    pub text: String,
}

impl TdmStatement {
    /// Takes what is absent from a less specific place: absence resets nothing (T4).
    #[must_use]
    pub fn or(self, less_specific: &TdmStatement) -> Self {
        let policy = self.policy.or_else(|| less_specific.policy.clone());
        TdmStatement { reserved: self.reserved.or(less_specific.reserved), policy }
    }
}

/// A problem in a tdmrep.json.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TdmProblem {
    /// It is longer than 4 MiB: the file says nothing.
    TooLong,
    /// It is not JSON, as the parser explains: the file says nothing.
    NotJson(String),
    /// It is not an array: the file says nothing.
    NotAnArray,
    /// The rule with this number has no `location` or no `tdm-reservation`: it is void.
    VoidRule(u32),
    /// The `location` of the rule with this number begins with neither `/` nor `*`: it matches nothing (T2).
    InvalidLocation(u32),
    /// The `tdm-reservation` of the rule with this number is neither 0 nor 1: nothing is said about what the rule
    /// matches.
    InvalidReservation(u32),
    /// The `tdm-policy` of the rule with this number is no absolute http or https URL: it is ignored.
    InvalidPolicy(u32),
}

impl fmt::Display for TdmProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TdmProblem::TooLong => f.write_str("tdmrep.json: longer than 4 MiB: ignored"),
            TdmProblem::NotJson(error) => write!(f, "tdmrep.json: not JSON ({error}): ignored"),
            TdmProblem::NotAnArray => f.write_str("tdmrep.json: not an array of rules: ignored"),
            TdmProblem::VoidRule(number) => {
                write!(
                    f,
                    "tdmrep.json, rule {number}: no 'location' or no 'tdm-reservation': the rule is void"
                )
            }
            TdmProblem::InvalidLocation(number) => write!(
                f,
                "tdmrep.json, rule {number}: the 'location' begins with neither '/' nor '*': it matches nothing"
            ),
            TdmProblem::InvalidReservation(number) => write!(
                f,
                "tdmrep.json, rule {number}: the 'tdm-reservation' is not 0 or 1: nothing is said about what the rule matches"
            ),
            TdmProblem::InvalidPolicy(number) => {
                write!(f, "tdmrep.json, rule {number}: 'tdm-policy' is not an absolute http(s) URL: ignored")
            }
        }
    }
}

impl TdmRep {
    /// The rule with this number.
    pub fn rule(&self, number: u32) -> Option<&TdmRule> {
        let place = self.rules.binary_search_by_key(&number, |rule| rule.number).ok()?;
        self.rules.get(place)
    }
}
