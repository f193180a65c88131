//! What changes for a crawler when a robots.txt changes.
//!
//! ```
//! use robomata::Robots;
//! use robomata::changes::Changes;
//!
//! let old = Robots::parse("User-agent: *\nDisallow: /private");
//! let new = Robots::parse("User-agent: *\nDisallow: /private/");
//! let changes = Changes::between(&old, &new, "ExampleBot")?;
//! assert_eq!(changes.to_string(), "\
//! disallow -> allow  /private
//! No other rules change a verdict.
//! ");
//!
//! let new = Robots::parse("User-agent: ExampleBot\nDisallow: /private");
//! let changes = Changes::between(&old, &new, "ExampleBot")?;
//! assert!(changes.is_empty(), "proved: every URL has the same verdict");
//! # Ok::<(), robomata::changes::ChangesError>(())
//! ```

use std::fmt;

use robomata_evaluator as evaluator;
use robomata_evaluator::{Difference, SitePolicy};
use robomata_protocol::visible;

use crate::{Agent, AgentError, Dialect, Robots, Verdict};

/// The steps of a search besides those for the size of the files: about ten milliseconds.
const BUDGET: u64 = 500_000;

/// What changes for one crawler. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Changes {
    examples: Vec<ChangedPath>,
    is_complete: bool,
}

/// A path whose verdict changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ChangedPath {
    /// Path and query, as in a URL; a whole URL if the path begins with `//`, which would name a host.
    pub path: String,
    /// The verdict before the change.
    pub old: Verdict,
    /// The verdict after the change.
    pub new: Verdict,
}

impl Changes {
    /// Compares two versions of a robots.txt for `agent`. The rules themselves are compared, on their compiled automata;
    /// no URLs are needed.
    ///
    /// Takes time linear in the size of the files, with a limit on the search for pairs of rules that overlap: see
    /// [`Changes::is_complete`].
    ///
    /// # Errors
    /// When `agent` names no crawler, or the files are read in different dialects.
    pub fn between(old: &Robots, new: &Robots, agent: impl Into<Agent>) -> Result<Self, ChangesError> {
        let dialect = old.dialect();
        if dialect != new.dialect() {
            return Err(ChangesError::Dialects(dialect, new.dialect()));
        }
        let crawler = agent.into().crawler(dialect)?;
        let [mut old, mut new] = [old, new].map(|robots| SitePolicy::new(robots.policy(), &crawler));
        let found = evaluator::differences(&mut old, &mut new, Difference::Verdict, BUDGET);
        let examples = found.changes.into_iter().map(|change| ChangedPath {
            path: String::from_utf8_lossy(&evaluator::url_of_path(&change.path)).into_owned(),
            old: Verdict::of(change.old),
            new: Verdict::of(change.new),
        });
        Ok(Changes { examples: examples.collect(), is_complete: found.is_exhaustive })
    }

    /// A shortest path for each pair of rules that decide differently, the shortest paths first. Each is verified with
    /// both files.
    pub fn examples(&self) -> &[ChangedPath] {
        &self.examples
    }

    /// Whether it is proved that no URL changes its verdict.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty() && self.is_complete
    }

    /// Whether it is proved that no other pair of rules changes a verdict. False if the search took too many steps, or if
    /// more than rules decide.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ChangedPath { path, old, new } in &self.examples {
            writeln!(f, "{old} -> {new}  {}", visible(path))?;
        }
        match (self.examples.is_empty(), self.is_complete) {
            (true, true) => writeln!(f, "No verdict changes."),
            (true, false) => writeln!(f, "No change was found, but that is no proof."),
            (false, true) => writeln!(f, "No other rules change a verdict."),
            (false, false) => writeln!(f, "Other rules may change verdicts, too."),
        }
    }
}

/// Two files cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangesError {
    /// The text names no crawler.
    Agent(AgentError),
    /// The files are read in different dialects.
    Dialects(Dialect, Dialect),
}

impl From<AgentError> for ChangesError {
    fn from(error: AgentError) -> Self {
        ChangesError::Agent(error)
    }
}

impl fmt::Display for ChangesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangesError::Agent(error) => error.fmt(f),
            ChangesError::Dialects(old, new) => {
                write!(
                    f,
                    "expected two files in one dialect, but one is read in {old} and the other in {new}"
                )
            }
        }
    }
}

impl std::error::Error for ChangesError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ChangesError::Agent(error) => Some(error),
            ChangesError::Dialects(..) => None,
        }
    }
}
