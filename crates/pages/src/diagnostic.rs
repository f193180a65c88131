//! What is odd about what a page says. Nothing of it stops the reading.

use std::fmt;

use robomata_protocol::{Place, Source, Vocabulary};

/// An oddity in a META tag, a class or a header, and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDiagnostic {
    /// Where; the line is a header's number when the place is a header.
    pub source: Source,
    /// What.
    pub problem: PageProblem,
    /// The words that are odd, as written; at most [`PageDiagnostic::TEXT_LIMIT`] bytes of them.
    pub text: String,
}

/// What can be odd. Row names are those of `crates/PERMISSIONS.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PageProblem {
    /// A word of an ACAP content or class that is no statement, qualifier or version (P2, P8).
    UnknownWord,
    /// A version that is not one (P3).
    InvalidVersion,
    /// A statement with a usage or qualifier that the page's version does not have: it is void (P3).
    LaterFeature,
    /// A permission that cannot be interpreted: it prohibits (P6).
    Uninterpretable,
    /// A prohibition of a usage that is unknown or local: it is void (A11).
    VoidProhibition,
    /// A qualifier behind a prohibition: it is void, the prohibition holds (A11).
    QualifiedProhibition,
    /// A word of robots META or X-Robots-Tag that is no directive: it says nothing (P10).
    UnknownDirective,
    /// The value of a directive that is missing or not of its type: the directive says nothing (P10).
    InvalidValue,
    /// A date that is not read: it prohibits nothing (P10).
    InvalidDate,
    /// A Content-Usage header that is no dictionary: it is as if absent (V3).
    InvalidContentUsage,
    /// A `tdm-reservation` that is neither 0 nor 1, or a `tdm-policy` that is no URL: it says nothing (P13).
    InvalidTdm,
}

impl PageDiagnostic {
    /// How many bytes of the page's words a diagnostic keeps.
    pub const TEXT_LIMIT: usize = 200;

    pub(crate) fn new(source: Source, problem: PageProblem, text: &str) -> Self {
        let mut end = text.len().min(Self::TEXT_LIMIT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        PageDiagnostic { source, problem, text: text[..end].to_owned() }
    }

    /// A short, stable name of the problem.
    pub const fn code(&self) -> &'static str {
        self.problem.code()
    }
}

impl PageProblem {
    /// A short, stable name.
    pub const fn code(self) -> &'static str {
        match self {
            PageProblem::UnknownWord => "unknown-word",
            PageProblem::InvalidVersion => "invalid-version",
            PageProblem::LaterFeature => "later-feature",
            PageProblem::Uninterpretable => "uninterpretable",
            PageProblem::VoidProhibition => "void-prohibition",
            PageProblem::QualifiedProhibition => "qualified-prohibition",
            PageProblem::UnknownDirective => "unknown-directive",
            PageProblem::InvalidValue => "invalid-value",
            PageProblem::InvalidDate => "invalid-date",
            PageProblem::InvalidContentUsage => "invalid-content-usage",
            PageProblem::InvalidTdm => "invalid-tdm",
        }
    }

    const fn explanation(self) -> &'static str {
        match self {
            PageProblem::UnknownWord => "is no statement, qualifier or version of ACAP: it is skipped",
            PageProblem::InvalidVersion => "is no version: it is skipped",
            PageProblem::LaterFeature => "is no feature of the page's ACAP version: it is void",
            PageProblem::Uninterpretable => "cannot be interpreted: it prohibits",
            PageProblem::VoidProhibition => "names no usage that can be prohibited: it is void",
            PageProblem::QualifiedProhibition => "qualifies a prohibition: it is void, the prohibition holds",
            PageProblem::UnknownDirective => "is no directive: it says nothing",
            PageProblem::InvalidValue => "has no value of its kind: it says nothing",
            PageProblem::InvalidDate => "is no date that can be read: it says nothing",
            PageProblem::InvalidContentUsage => "is no structured-field dictionary: it is as if absent",
            PageProblem::InvalidTdm => "has no valid value: it says nothing",
        }
    }
}

impl fmt::Display for PageDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { vocabulary, place, line } = self.source;
        let position = if place == Place::Header { "header" } else { "line" };
        let vocabulary: Vocabulary = vocabulary;
        write!(f, "{position} {line}: {vocabulary}: '{}' {}", self.text, self.problem.explanation())
    }
}
