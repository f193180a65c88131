//! Life-cycle cases: the events of a robots.txt, an instant, and the standing at that instant.
//!
//! The format is described in `corpora/conformance/README.md`. As for other cases, this crate knows no engine: the
//! caller passes a function `Fn(&Situation, Moment, Terms) -> Standing` to [`run`].

mod generate;
mod load;

use std::fmt;

use robomata_protocol::lifecycle::{Moment, Situation, Standing, Terms};

pub use generate::{Question, Questions};
pub use load::{load, parse};

/// A situation, an instant, and the expected standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `file/section/title/number`.
    pub id: String,
    /// The section of the specification, or the row of the decision table, that decides.
    pub section: String,
    /// The requirement, in a few words.
    pub title: String,
    /// The terms under which the standing is expected.
    pub terms: Terms,
    /// The known facts.
    pub situation: Situation,
    /// The instant of the question.
    pub now: Moment,
    /// The expected standing.
    pub expect: Expect,
    /// The reason, if the title does not give it.
    pub note: String,
}

/// The standing that a case expects; a `None` field is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// `Applies::as_str`.
    pub applies: String,
    /// `Finding::as_str`.
    pub finding: Option<String>,
    /// `Ground::as_str`.
    pub ground: Option<String>,
    /// The end; `Some(None)` means never.
    pub until: Option<Option<Moment>>,
    /// When to fetch again.
    pub refetch: Option<Moment>,
}

impl Expect {
    /// Returns whether `standing` is the expected one.
    pub fn holds(&self, standing: &Standing) -> bool {
        self.applies == standing.applies.as_str()
            && self.finding.as_ref().is_none_or(|finding| finding == standing.why.finding.as_str())
            && self.ground.as_ref().is_none_or(|ground| ground == standing.why.ground.as_str())
            && self.until.is_none_or(|until| until == standing.until)
            && self.refetch.is_none_or(|refetch| refetch == standing.refetch)
    }
}

/// A case with an unexpected answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The case.
    pub case: Case,
    /// The actual standing.
    pub got: Standing,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { case, got } = self;
        writeln!(f, "FAILED {} on the terms of {}", case.id, case.terms)?;
        writeln!(f, "  asked     {:?} at {}", case.situation, case.now)?;
        writeln!(f, "  expected  {:?}", case.expect)?;
        write!(f, "  got       {}, until ", got.applies)?;
        match got.until {
            Some(until) => write!(f, "{until}")?,
            None => f.write_str("another attempt")?,
        }
        let (finding, ground) = (got.why.finding.as_str(), got.why.ground.as_str());
        write!(f, ", refetch {}, {finding}, {ground}: {}", got.refetch, got.why)
    }
}

/// Runs every case with `engine` and returns those with an unexpected answer.
pub fn run(cases: &[Case], engine: impl Fn(&Situation, Moment, Terms) -> Standing) -> Vec<Failure> {
    let ask = |case: &Case| {
        let got = engine(&case.situation, case.now, case.terms);
        (!case.expect.holds(&got)).then(|| Failure { case: case.clone(), got })
    };
    cases.iter().filter_map(ask).collect()
}
