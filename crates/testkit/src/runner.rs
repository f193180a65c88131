//! Runs every case with an engine and reports the wrong answers.

use std::collections::HashMap;
use std::fmt;

use robomata_protocol::{Answer, Dialect};

use crate::case::{Case, Expect};
use crate::expected::{Difference, Expected};
use crate::{bytes, listing};

/// The results of an engine.
#[derive(Clone, Debug)]
pub struct Report {
    /// The engine's name.
    pub engine: String,
    /// Cases with the expected answer.
    pub passed: usize,
    /// Cases with a different answer, as listed in the expected differences.
    pub expected_differences: usize,
    /// Cases with a different answer that is not listed.
    pub failures: Vec<Failure>,
    /// Entries of the list that are no longer true.
    pub stale: Vec<Stale>,
}

/// A case with an unexpected answer.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The case.
    pub case: Case,
    /// The expected answer: the case's own expectation, or that of the expected difference.
    pub expected: Expect,
    /// The engine's answer.
    pub got: Answer,
    /// The expected difference, if the answer equals neither the case's nor this one's.
    pub difference: Option<Difference>,
}

/// An entry of the list of expected differences that is no longer true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stale {
    /// The engine now answers as the case expects.
    Agrees(Difference),
    /// No case has this id in this dialect.
    Missing(Difference),
}

/// Runs every case with `engine` (called `name` in the report), and checks the list of expected differences.
pub fn run(cases: &[Case], name: &str, engine: impl Fn(&Case) -> Answer, expected: &Expected) -> Report {
    let mut report = Report {
        engine: name.to_owned(),
        passed: 0,
        expected_differences: 0,
        failures: Vec::new(),
        stale: Vec::new(),
    };
    let mut tracker = DifferenceTracker::new(expected);
    for case in cases {
        let (got, difference) = (engine(case), tracker.of(case));
        match difference {
            _ if case.expect.holds(got) => report.passed += 1,
            Some(difference) if difference.we_say.holds(got) => {
                report.expected_differences += 1;
                tracker.confirm(case);
            }
            _ => {
                let expected = difference.map_or(case.expect, |difference| difference.we_say);
                report.failures.push(Failure {
                    case: case.clone(),
                    expected,
                    got,
                    difference: difference.cloned(),
                });
                tracker.confirm(case);
            }
        }
    }
    report.stale = tracker.stale();
    report
}

/// Which expected differences occurred, and how.
struct DifferenceTracker<'a> {
    entries: HashMap<(&'a str, Dialect), (&'a Difference, Use)>,
    order: &'a [Difference],
}

#[derive(Clone, Copy)]
enum Use {
    NeverAsked,
    Agrees,
    /// The answer differs from the case's, as listed or in a way that already is a failure.
    Differs,
}

impl<'a> DifferenceTracker<'a> {
    fn new(expected: &'a Expected) -> Self {
        let order = expected.differences();
        let entry = |d: &'a Difference| ((d.id.as_str(), d.dialect), (d, Use::NeverAsked));
        DifferenceTracker { entries: order.iter().map(entry).collect(), order }
    }

    /// The expected difference of `case`, which is no longer missing after this call.
    fn of(&mut self, case: &'a Case) -> Option<&'a Difference> {
        let (difference, used) = self.entries.get_mut(&(case.id.as_str(), case.dialect))?;
        if matches!(used, Use::NeverAsked) {
            *used = Use::Agrees;
        }
        Some(difference)
    }

    fn confirm(&mut self, case: &'a Case) {
        if let Some((_, used)) = self.entries.get_mut(&(case.id.as_str(), case.dialect)) {
            *used = Use::Differs;
        }
    }

    fn stale(&self) -> Vec<Stale> {
        let state = |d: &'a Difference| match self.entries[&(d.id.as_str(), d.dialect)].1 {
            Use::NeverAsked => Some(Stale::Missing(d.clone())),
            Use::Agrees => Some(Stale::Agrees(d.clone())),
            Use::Differs => None,
        };
        self.order.iter().filter_map(state).collect()
    }
}

impl Report {
    /// Returns whether there is no failure and no stale entry.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.stale.is_empty()
    }

    /// Number of cases.
    pub fn asked(&self) -> usize {
        self.passed + self.expected_differences + self.failures.len()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        for stale in &self.stale {
            writeln!(f, "{stale}")?;
        }
        write!(
            f,
            "{}: {} cases, {} passed, {} differ as expected, {} failed, {} stale differences",
            self.engine,
            self.asked(),
            self.passed,
            self.expected_differences,
            self.failures.len(),
            self.stale.len()
        )
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = &self.case;
        writeln!(f, "FAILED {} under {}", case.id, case.dialect)?;
        writeln!(f, "  section  {}: {}", case.section, case.title)?;
        writeln!(f, "  crawler  {}", bytes::escape(case.crawler.to_string().as_bytes()))?;
        writeln!(f, "  url      {}", bytes::escape(&case.url))?;
        if let Some(status) = case.status {
            writeln!(f, "  status   {status:?}")?;
        }
        writeln!(f, "  expected {}", self.expected)?;
        writeln!(f, "  got      {}{}", Expect::of(self.got), reason(self.got))?;
        if !case.note.is_empty() {
            writeln!(f, "  note     {}", case.note)?;
        }
        if let Some(difference) = &self.difference {
            writeln!(f, "  listed as an expected difference: {}", difference.reason)?;
            writeln!(f, "  the case itself expects {}", case.expect)?;
        }
        listing::write_robots(f, &case.robots)
    }
}

fn reason(answer: Answer) -> String {
    match answer {
        Answer::Verdict(verdict) => format!(" ({:?})", verdict.reason),
        Answer::Defer | Answer::Unknown | Answer::Invalid => String::new(),
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (difference, why) = match self {
            Stale::Agrees(difference) => {
                (difference, "the case is now answered as it expects: remove the entry")
            }
            Stale::Missing(difference) => (difference, "no case has this id in this dialect"),
        };
        write!(f, "STALE difference {} under {}: {why}", difference.id, difference.dialect)
    }
}
