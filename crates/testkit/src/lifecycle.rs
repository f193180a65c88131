//! Cases of the life-cycle: what happened to a robots.txt, an instant, and what applies then.
//!
//! The format is described in `corpora/conformance/README.md`. As for other cases, this crate knows no engine: whoever
//! is judged hands [`run`] a function `Fn(&Situation, Moment, Terms) -> Standing`.

mod generate;
mod load;

use std::fmt;

use robomata_protocol::lifecycle::{Moment, Situation, Standing, Terms};

pub use generate::{Question, Questions};
pub use load::{load, parse};

/// A situation, an instant, and the standing that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `file/section/title/number`.
    pub id: String,
    /// The section of the specification, or the row of the decision table, that decides.
    pub section: String,
    /// What is required, in a few words.
    pub title: String,
    /// On whose terms the standing is expected.
    pub terms: Terms,
    /// What is known.
    pub situation: Situation,
    /// When it is asked.
    pub now: Moment,
    /// What is to be answered.
    pub expect: Expect,
    /// Why, where the title does not say it.
    pub note: String,
}

/// The standing that a case expects; what is `None` does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect {
    /// `Applies::as_str`.
    pub applies: String,
    /// `Finding::as_str`.
    pub finding: Option<String>,
    /// `Ground::as_str`.
    pub ground: Option<String>,
    /// The end; `Some(None)`: never.
    pub until: Option<Option<Moment>>,
    /// When to fetch again.
    pub refetch: Option<Moment>,
}

impl Expect {
    /// Is `standing` what is expected?
    pub fn holds(&self, standing: &Standing) -> bool {
        self.applies == standing.applies.as_str()
            && self.finding.as_ref().is_none_or(|finding| finding == standing.why.finding.as_str())
            && self.ground.as_ref().is_none_or(|ground| ground == standing.why.ground.as_str())
            && self.until.is_none_or(|until| until == standing.until)
            && self.refetch.is_none_or(|refetch| refetch == standing.refetch)
    }
}

/// A case that was answered otherwise than expected.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The case.
    pub case: Case,
    /// What was said.
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

/// Asks `engine` every case and says which it answered otherwise.
pub fn run(cases: &[Case], engine: impl Fn(&Situation, Moment, Terms) -> Standing) -> Vec<Failure> {
    let ask = |case: &Case| {
        let got = engine(&case.situation, case.now, case.terms);
        (!case.expect.holds(&got)).then(|| Failure { case: case.clone(), got })
    };
    cases.iter().filter_map(ask).collect()
}
