//! Diagnostics about the statements of a page. None of them stops the reading.

use std::fmt;

use robomata_protocol::{Place, Source, Vocabulary};

/// A problem in a META tag, a class or a header, and its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageDiagnostic {
    /// The position. For a header, the line is the header's number.
    pub source: Source,
    /// The kind of problem.
    pub problem: PageProblem,
    /// The words in question, as written; at most [`PageDiagnostic::TEXT_LIMIT`] bytes.
    pub text: String,
}

/// The kinds of problems. Row names refer to `crates/PERMISSIONS.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PageProblem {
    /// A word of an ACAP content or class that is not a statement, qualifier or version. A permission before it cannot be
    /// interpreted (P2, P8).
    UnknownWord,
    /// An invalid version (P3).
    InvalidVersion,
    /// A permission of a usage that the page's version does not have. It is void (P3).
    LaterFeature,
    /// A permission that cannot be interpreted. It prohibits (P6).
    Uninterpretable,
    /// A prohibition of an unknown usage. It is void (P6).
    VoidProhibition,
    /// A prohibition of a local usage. It prohibits each usage of the definition in the site's robots.txt; without a
    /// definition it is void (P6, P8).
    LocalProhibition,
    /// A qualifier after a prohibition. The qualifier is void; the prohibition applies (A11).
    QualifiedProhibition,
    /// A word of robots META, X-Robots-Tag or Robots-Tag that is not a directive. It is ignored (P10).
    UnknownDirective,
    /// A missing or invalid value of a directive. The directive is ignored (P10).
    InvalidValue,
    /// An invalid date. It prohibits nothing (P10).
    InvalidDate,
    /// An item of Content-Signal that is not valid. It is ignored (V2).
    InvalidSignal,
    /// A label of Content-Usage with a value that is neither `y` nor `n`. It says nothing (V3).
    UnknownPreference,
    /// A label in Content-Signal that only Content-Usage knows, or the other way round. It says nothing (V2, V3).
    LabelOfOtherHeader,
    /// A Robots-Tag that is not a list. What is before its last comma is read, if that is a list (P16).
    InvalidRobotsTag,
    /// A member of a Robots-Tag that is a directive and has no directives. It is read as a crawler's name (P16).
    DirectiveAsName,
    /// A Robots-Tag that is too long. Its end is ignored (P16).
    LongRobotsTag,
    /// A Content-Usage header with white space instead of commas. It is ignored (V3).
    MissingComma,
    /// A Content-Usage header that is not a dictionary. It is ignored (V3).
    InvalidContentUsage,
    /// A `tdm-reservation` that is neither 0 nor 1, or a `tdm-policy` that is not a URL. It is ignored (P13).
    InvalidTdm,
}

impl PageDiagnostic {
    /// Maximum number of bytes of the page's words in a diagnostic.
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
            PageProblem::LocalProhibition => "local-prohibition",
            PageProblem::QualifiedProhibition => "qualified-prohibition",
            PageProblem::UnknownDirective => "unknown-directive",
            PageProblem::InvalidValue => "invalid-value",
            PageProblem::InvalidDate => "invalid-date",
            PageProblem::InvalidSignal => "invalid-signal",
            PageProblem::UnknownPreference => "unknown-preference",
            PageProblem::LabelOfOtherHeader => "label-of-other-header",
            PageProblem::InvalidRobotsTag => "invalid-robots-tag",
            PageProblem::DirectiveAsName => "directive-as-name",
            PageProblem::LongRobotsTag => "long-robots-tag",
            PageProblem::MissingComma => "missing-comma",
            PageProblem::InvalidContentUsage => "invalid-content-usage",
            PageProblem::InvalidTdm => "invalid-tdm",
        }
    }

    const fn explanation(self) -> &'static str {
        match self {
            PageProblem::UnknownWord => "is not a statement, qualifier or version of ACAP: not read",
            PageProblem::InvalidVersion => "is not a version: skipped",
            PageProblem::LaterFeature => "is not a feature of the page's ACAP version: void",
            PageProblem::Uninterpretable => "cannot be interpreted: it prohibits",
            PageProblem::VoidProhibition => "does not name a usage that can be prohibited: void",
            PageProblem::LocalProhibition => {
                "prohibits each usage that the robots.txt defines it as: void without a definition"
            }
            PageProblem::QualifiedProhibition => "qualifies a prohibition: void (the prohibition applies)",
            PageProblem::UnknownDirective => "is not a directive: ignored",
            PageProblem::InvalidValue => "has no valid value: ignored",
            PageProblem::InvalidDate => "is not a valid date: ignored",
            PageProblem::InvalidSignal => "is not an item of a Content-Signal: ignored",
            PageProblem::UnknownPreference => "has neither 'y' nor 'n': nothing is said about it",
            PageProblem::LabelOfOtherHeader => {
                "is a label of the other header of Content-Signal and Content-Usage: it says nothing here"
            }
            PageProblem::InvalidRobotsTag => {
                "is not a structured-field list: read up to its last comma, if that is one"
            }
            PageProblem::DirectiveAsName => {
                "is read as a crawler's name: a Robots-Tag has names before its directives, as in '*;noindex'"
            }
            PageProblem::LongRobotsTag => "is too long: its end is ignored",
            PageProblem::MissingComma => "has white space instead of commas between its items: ignored",
            PageProblem::InvalidContentUsage => "is not a structured-field dictionary: ignored",
            PageProblem::InvalidTdm => "has no valid value: ignored",
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
