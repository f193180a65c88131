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
    #[error("expected a file that is named by its host, found {0}; it is skipped")]
    NotACapture(&'static str),
    #[error("expected a JSON object{0}")]
    Json(String),
    #[error("expected a key {0}")]
    MissingKey(&'static str),
    #[error("expected {expected} in \"{key}\", found {found}")]
    Value { key: &'static str, expected: &'static str, found: String },
    #[error("expected base64 in \"body_b64\": {0}")]
    Base64(base64::DecodeError),
    #[error("expected at least {0} columns, separated by tabs")]
    MissingColumn(usize),
    #[error("expected a value in {0}")]
    NoValue(&'static str),
    #[error("expected a column {expected}, found {found}")]
    Columns { expected: String, found: String },
    #[error("expected Parquet data: {0}")]
    Parquet(String),
    #[error("expected a regular file: Parquet is not read from standard input or a pipe")]
    NotSeekable,
    #[error("expected {0}")]
    Expected(String),
    #[error("{0}")]
    Warc(Box<warc::Damaged>),
    #[error("record {record}, at octet {offset}: {refusal}; the record is skipped")]
    NoCapture { record: u64, offset: u64, refusal: warc::Refusal },
}

impl Kind {
    /// Among columns of these names is none that is `expected`. The first ones are told, and so much of each: the line that
    /// should name them may be no header at all.
    pub(crate) fn missing_column<'n>(
        expected: impl Into<String>,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> Self {
        /// Names that are told, and characters of each.
        const TOLD: (usize, usize) = (20, 40);
        let more = if names.len() > TOLD.0 { ", …" } else { "" };
        let name = |name: &str| format!("{:?}", name.chars().take(TOLD.1).collect::<String>());
        let found = names.take(TOLD.0).map(name).collect::<Vec<_>>().join(", ") + more;
        Kind::Columns { expected: expected.into(), found }
    }
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
            | Kind::Columns { .. }
            | Kind::Parquet(_)
            | Kind::NotSeekable => true,
            Kind::Warc(damaged) => damaged.ends_file(),
            _ => false,
        }
    }

    /// Does a compressed file, or a WARC, end before its data does? What could be decoded was handed out before.
    pub fn is_truncated(&self) -> bool {
        match &self.0.kind {
            Kind::Truncated(_) => true,
            Kind::Warc(damaged) => damaged.is_truncated(),
            _ => false,
        }
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
