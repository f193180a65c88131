//! What a site owner expects of a robots.txt: which crawlers may, or may not, fetch which URLs.
//!
//! Keep the expectations in a file next to the robots.txt, and check them before each change of either. Each line is the
//! name of a crawler ([`Agent`](crate::Agent)), `may fetch` or `may not fetch`, and a path or an absolute URL. A path with
//! a `*`, or with a `$` at its end, is a pattern, and the expectation is about every URL that it matches: it holds only if
//! that is proved on the compiled automaton. Empty lines and comments (`#`) are skipped.
//!
//! ```
//! use robomata::Robots;
//! use robomata::expectations::check;
//!
//! let robots = Robots::parse("User-agent: GPTBot\nDisallow: /\nAllow: /press/");
//! let checked = check(&robots, "# Models\nGPTBot may not fetch /private/*\nGPTBot may not fetch /p*\n")?;
//! assert!(checked[0].holds && checked[0].is_proved);
//! assert!(!checked[1].holds);
//! assert_eq!(checked[1].witness.as_deref(), Some("/press/"));
//! assert_eq!(checked[1].decided_by, Some(3));
//!
//! let error = check(&robots, "GPTBot must not fetch /\n").unwrap_err();
//! assert_eq!(error.to_string(), "line 1: expected a line such as 'GPTBot may not fetch /private/*'");
//! # Ok::<(), robomata::expectations::ExpectationError>(())
//! ```
//!
//! `may fetch` holds only for the verdict *allow*, and `may not fetch` only for *disallow*. A pattern does not cover
//! `/robots.txt` itself, about which rules do not decide.

use std::fmt;

use robomata_lint as inner;

use crate::{Access, Robots};

/// An expectation, compared with a robots.txt. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CheckedExpectation {
    /// The 1-based line of the expectation.
    pub line: u32,
    /// The expectation as written, without a comment.
    pub text: String,
    /// The name of the crawler.
    pub agent: String,
    /// The path, pattern or URL.
    pub pattern: String,
    /// The verdict that is expected.
    pub expected: Access,
    /// Whether the expectation holds. False if that is not known.
    pub holds: bool,
    /// Whether `holds` is certain. False if the search took too many steps, or if more than rules decide.
    pub is_proved: bool,
    /// If the expectation does not hold: a URL, or a path and query, with another verdict.
    pub witness: Option<String>,
    /// The line of the robots.txt that decides about the URL or the witness.
    pub decided_by: Option<u32>,
    /// What was found, in one sentence.
    pub message: String,
}

/// Reads a file of expectations, and compares each of them with `robots`.
///
/// # Errors
/// When a line of `expectations` cannot be read, or there is none.
pub fn check(
    robots: &Robots,
    expectations: impl AsRef<[u8]>,
) -> Result<Vec<CheckedExpectation>, ExpectationError> {
    let expectations = inner::Expectations::parse(expectations.as_ref(), robots.dialect().inner());
    let expectations = expectations.map_err(ExpectationError)?;
    let checked = expectations.check(robots.policy()).into_iter().map(|checked| {
        let inner::Expectation { line, text, agent, target, access, .. } = checked.expectation;
        CheckedExpectation {
            line: *line,
            text: text.clone(),
            agent: agent.clone(),
            pattern: target.clone(),
            expected: Access::of(*access),
            holds: checked.holds,
            is_proved: checked.is_proved,
            witness: checked.witness,
            decided_by: (checked.decided_by > 0).then_some(checked.decided_by),
            message: checked.message,
        }
    });
    Ok(checked.collect())
}

/// A file of expectations cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationError(inner::ExpectationError);

impl ExpectationError {
    /// The 1-based line that cannot be read; `None` if the file has no expectation.
    pub fn line(&self) -> Option<u32> {
        (self.0.line > 0).then_some(self.0.line)
    }
}

impl fmt::Display for ExpectationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ExpectationError {}
