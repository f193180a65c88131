//! Problems in a robots.txt.

use std::fmt;
use std::ops::Range;

/// A problem in a robots.txt: a line that has no effect, or another effect than it seems to have.
///
/// ```
/// let robots = robomata::Robots::parse("Disallow: /private");
/// let diagnostics = robots.diagnostics();
/// assert_eq!((diagnostics[0].line(), diagnostics[0].code()), (1, "rule-before-group"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diagnostic {
    line: u32,
    span: Range<usize>,
    code: &'static str,
    message: String,
}

impl Diagnostic {
    pub(crate) fn new(diagnostic: &robomata_syntax::Diagnostic) -> Self {
        let robomata_syntax::Diagnostic { line, span, kind } = diagnostic;
        Diagnostic {
            line: *line,
            span: span.start as usize..span.end as usize,
            code: kind.code(),
            message: kind.to_string(),
        }
    }

    /// The 1-based line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The bytes of the file in question. In a file in UTF-16, they are bytes of its text in UTF-8.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// A short, stable name for programs.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The problem, and what follows from it.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}
