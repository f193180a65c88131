//! What can go wrong while reading, always with the file and, where there is one, the line.

use std::fmt;
use std::io;

use crate::file_name::FileName;
use crate::input::Compression;
use crate::lines::MAX_LINE;
use crate::warc;

/// Something in an input that could not be used: `robots.jsonl:17: expected a key "host" or "url"`.
///
/// Iterators that yield it go on afterwards; [`InputError::ends_file`] tells whether anything more comes of that
/// file.
#[derive(Debug)]
pub struct InputError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    file: FileName,
    line: Option<u64>,
    kind: Kind,
}

/// Why; the texts are the part of the message after file and line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Kind {
    #[error("cannot be read: {0}")]
    Io(io::Error),
    #[error("expected {0} data, as its name promises")]
    WrongMagic(Compression),
    #[error("expected the rest of the {0} data, found the end of the file")]
    Truncated(Compression),
    #[error("expected {0} data: {1}")]
    Corrupt(Compression, io::Error),
    #[error("expected a line of at most {max} MiB; the line is skipped", max = MAX_LINE >> 20)]
    LineTooLong,
    #[error("expected a body of at most {max} MiB; the file is skipped", max = MAX_LINE >> 20)]
    BodyTooLong,
    #[error(
        "expected a robots.txt, in a file named by its host or as HOST/robots.txt, found {0}; it is skipped"
    )]
    NotACapture(&'static str),
    #[error("expected a JSON object{0}")]
    Json(String),
    #[error("expected the rest of the JSON object, found the end of the file")]
    CutObject,
    #[error("no captures found; this looks like a single robots.txt (name its site with --host)")]
    SingleRobots,
    #[error("expected a key {expected}{found}")]
    MissingKey { expected: &'static str, found: String },
    #[error("expected {expected} in \"{key}\", found {found}")]
    Value { key: &'static str, expected: &'static str, found: String },
    #[error("expected base64 in \"body_b64\": {0}")]
    Base64(base64::DecodeError),
    #[error("expected at least {0} columns, separated by tabs")]
    MissingColumn(usize),
    #[error("expected a value in {0}")]
    NoValue(&'static str),
    #[error("expected a column {expected}, found {found}{advice}")]
    Columns { expected: String, found: String, advice: String },
    /// Where the URL is looked for there is none; what was looked at, and what to do.
    #[error("no URL in {0}{1}")]
    NoUrl(String, String),
    #[error("expected the closing quote of a field that begins in this record, found the end of the file")]
    UnclosedQuote,
    #[error("expected a record of at most {max} MiB; the rest of the file is skipped", max = MAX_LINE >> 20)]
    RecordTooLong,
    #[error("expected Parquet data: {0}")]
    Parquet(String),
    #[error("expected a regular file: Parquet is not read from standard input or a pipe")]
    NotSeekable,
    #[error("expected {0}")]
    Expected(String),
    #[error("{0}")]
    Warc(Box<warc::Damaged>),
    #[error("record {record}, at byte {offset}: {refusal}; the record is skipped")]
    NoCapture { record: u64, offset: u64, refusal: warc::Refusal },
}

impl Kind {
    /// Among columns of these names is none that is `expected`. The first ones are told, and so much of each: the line that
    /// should name them may be no header at all.
    pub(crate) fn missing_column<'n>(
        expected: impl Into<String>,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> Self {
        Kind::Columns { expected: expected.into(), found: listed(names), advice: String::new() }
    }
}

/// Names in quotes: the first ones, and the beginning of each.
pub(crate) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const NAMES: usize = 20;
    const CHARACTERS: usize = 40;
    let more = if names.len() > NAMES { ", …" } else { "" };
    let name = |name: &str| format!("{:?}", name.chars().take(CHARACTERS).collect::<String>());
    names.take(NAMES).map(name).collect::<Vec<_>>().join(", ") + more
}

impl InputError {
    pub(crate) fn new(file: FileName, line: Option<u64>, kind: Kind) -> Self {
        InputError(Box::new(Inner { file, line, kind }))
    }

    /// What `error` says about `file`; an `InputError` that travelled inside an [`io::Error`] is taken out again.
    pub(crate) fn from_io(file: &FileName, error: io::Error) -> Self {
        error.downcast::<InputError>().unwrap_or_else(|error| Self::new(file.clone(), None, Kind::Io(error)))
    }

    /// Lets the error pass through interfaces of [`io::Read`], its [`io::ErrorKind`] kept.
    pub(crate) fn into_io(self) -> io::Error {
        io::Error::new(self.io_error().map_or(io::ErrorKind::InvalidData, io::Error::kind), self)
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.0.line = Some(line);
        self
    }

    /// The file that was read.
    pub fn file(&self) -> &FileName {
        &self.0.file
    }

    /// The 1-based line in the decompressed file; `None` when the error is about the file itself.
    ///
    /// When reading stopped within the file, the line at which it did.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// Does nothing more come of [`InputError::file`]? False for a bad line, or for an entry of a directory that
    /// is no capture.
    pub fn ends_file(&self) -> bool {
        match &self.0.kind {
            Kind::Io(_)
            | Kind::WrongMagic(_)
            | Kind::Truncated(_)
            | Kind::Corrupt(..)
            | Kind::BodyTooLong
            | Kind::SingleRobots
            | Kind::Columns { .. }
            | Kind::NoUrl(..)
            | Kind::UnclosedQuote
            | Kind::CutObject
            | Kind::RecordTooLong
            | Kind::Parquet(_)
            | Kind::NotSeekable => true,
            Kind::Warc(damaged) => damaged.ends_file(),
            _ => false,
        }
    }

    /// Is the file not what the caller takes it for: has it no such column, or no URL where URLs are expected? It is
    /// complete, but nothing in it is what the caller asked for.
    pub fn is_mistake(&self) -> bool {
        matches!(&self.0.kind, Kind::Columns { .. } | Kind::NoUrl(..))
    }

    /// The same error, which also says what to do. Only a missing column has room for that.
    pub(crate) fn with_advice(mut self, text: String) -> Self {
        if let Kind::Columns { advice, .. } = &mut self.0.kind {
            *advice = text;
        }
        self
    }

    /// Does the input end early, or can it not be read to its end? What was read before that was handed out.
    ///
    /// False for damage that the format lets a reader step over: a bad line, a damaged WARC record with another after it.
    pub fn is_incomplete(&self) -> bool {
        match &self.0.kind {
            Kind::Io(_) | Kind::Truncated(_) | Kind::Corrupt(..) | Kind::Parquet(_) => true,
            Kind::UnclosedQuote | Kind::CutObject | Kind::RecordTooLong => true,
            Kind::Warc(damaged) => damaged.ends_file(),
            _ => false,
        }
    }

    /// Is the file a single robots.txt whose site is not known, instead of captures?
    pub fn is_single_robots(&self) -> bool {
        matches!(self.0.kind, Kind::SingleRobots)
    }

    /// The error of the operating system, or of the decoder, behind this one.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.0.kind {
            Kind::Io(error) | Kind::Corrupt(_, error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { file, line, kind } = &*self.0;
        match line {
            Some(line) => write!(f, "{file}:{line}: {kind}"),
            None => write!(f, "{file}: {kind}"),
        }
    }
}

// The cause is part of the text, so `source` stays empty: a chain of causes would tell it twice.
impl std::error::Error for InputError {}
