//! One question with its answer: a robots.txt, a crawler, a URL, and the expected answer.

mod load;
mod write;

use std::fmt;

use robomata_protocol::{Answer, Crawler, Dialect, FetchStatus};
use serde::Deserialize;

pub use load::{load, load_folder, parse};
pub use write::to_toml;

/// One question with its expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// A permanent identifier: `file/section/title/number`, or the id in the case's source.
    pub id: String,
    /// The section of the specification, or the row of the decision table, that decides.
    pub section: String,
    /// The requirement, in a few words.
    pub title: String,
    /// The dialect under which the answer is expected.
    pub dialect: Dialect,
    /// The robots.txt, byte by byte.
    pub robots: Vec<u8>,
    /// How its fetch ended; `None` if only the body is known.
    pub status: Option<FetchStatus>,
    /// The crawler.
    pub crawler: Crawler,
    /// The URL.
    pub url: Vec<u8>,
    /// The expected answer.
    pub expect: Expect,
    /// The reason, if the title does not give it.
    pub note: String,
}

impl Case {
    /// The same question in another dialect.
    #[must_use]
    pub fn under(&self, dialect: Dialect) -> Self {
        Case { dialect, ..self.clone() }
    }
}

/// The answer that a case expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expect {
    /// The answer's word.
    pub word: Word,
    /// The deciding line, 0 for none; `None` if the case does not specify it.
    pub line: Option<u32>,
}

impl Expect {
    /// The expectation of exactly `answer`, line included.
    pub fn of(answer: Answer) -> Self {
        Expect { word: Word::of(answer), line: Some(answer.line()) }
    }

    /// Returns whether `answer` is the expected one.
    pub fn holds(&self, answer: Answer) -> bool {
        self.word == Word::of(answer) && self.line.is_none_or(|line| line == answer.line())
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(0) => write!(f, "{} by no line", self.word),
            Some(line) => write!(f, "{} by line {line}", self.word),
            None => write!(f, "{}", self.word),
        }
    }
}

/// An [`Answer`] as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// The crawler may access the URL.
    Allow,
    /// The crawler may not access the URL.
    Disallow,
    /// Wait until the robots.txt is available.
    Defer,
    /// No policy is known.
    Unknown,
    /// The text is not a URL.
    Invalid,
}

impl Word {
    /// The word of `answer`.
    pub fn of(answer: Answer) -> Self {
        match answer {
            Answer::Verdict(verdict) => match verdict.access {
                robomata_protocol::Access::Allow => Word::Allow,
                robomata_protocol::Access::Disallow => Word::Disallow,
            },
            Answer::Defer => Word::Defer,
            Answer::Unknown => Word::Unknown,
            Answer::Invalid => Word::Invalid,
        }
    }

    /// The word as every output of robomata writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Word::Allow => "allow",
            Word::Disallow => "disallow",
            Word::Defer => "defer",
            Word::Unknown => "unknown",
            Word::Invalid => "invalid",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
