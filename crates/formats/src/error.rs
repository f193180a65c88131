//! Errors of reading. Each has the file and, if there is one, the line.

use std::fmt;
use std::io;

use robomata_evaluator::CompressedFormat;

use crate::chains::{MAX_CAPTURES, MAX_WAITING};
use crate::file_name::FileName;
use crate::input::Compression;
use crate::lines::MAX_LINE;
use crate::rows;
use crate::warc;

/// An unusable part of an input: `robots.jsonl:17: expected a key "host" or "url"`.
///
/// Iterators continue after yielding this error. [`InputError::ends_file`] returns whether more items of the same file
/// follow.
#[derive(Debug)]
pub struct InputError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    file: FileName,
    line: Option<u64>,
    kind: Kind,
}

/// The cause: the part of the message after file and line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Kind {
    #[error("cannot be read: {0}")]
    Io(io::Error),
    /// The file cannot be opened.
    #[error("cannot be read: {0}")]
    Unopened(io::Error),
    #[error("expected {0} data, as its name promises")]
    WrongMagic(Compression),
    #[error("expected the rest of the {0} data, found the end of the file")]
    Truncated(Compression),
    #[error("expected {0} data: {1}")]
    Corrupt(Compression, io::Error),
    #[error("expected a line of at most {max} MiB; the line is skipped", max = MAX_LINE >> 20)]
    LineTooLong,
    #[error("expected a body of at most {max} MiB", max = MAX_LINE >> 20)]
    BodyTooLong,
    #[error(
        "expected a robots.txt, in a file named by its host or as HOST/robots.txt, found {0}; it is skipped"
    )]
    NotACapture(&'static str),
    #[error("expected a regular file, found something else")]
    NotAFile,
    #[error("expected a WARC record, found the end of the file")]
    NoRecords,
    #[error(
        "expected a URL of the host {host}, found {url} (if the host redirects to this URL, leave out \"url\")"
    )]
    OtherHost { host: String, url: String },
    #[error("expected a JSON object{0}")]
    Json(String),
    #[error("expected a JSON object on each line, found an array (jq -c '.[]' makes lines of it)")]
    JsonArray,
    #[error("expected the rest of the JSON object, found the end of the file")]
    CutObject,
    #[error(
        "expected a line end after the last line, found the end of the file (if nothing is missing, add a line end)"
    )]
    CutLine,
    #[error(
        "expected the columns of the first line, found a header line with others (split the file before it)"
    )]
    OtherHeader,
    /// The whole source is something else than captures: what it is, and what to do.
    #[error("{0}")]
    NotCaptures(String),
    #[error("expected a key {expected}{found}")]
    MissingKey { expected: &'static str, found: String },
    #[error("expected {expected} in \"{key}\", found {found}")]
    Value { key: &'static str, expected: &'static str, found: String },
    #[error("expected a body of text, found {0} data (decode the body before it is written)")]
    CompressedBody(CompressedFormat),
    #[error(
        "expected a body, found a response with its status line (save the body alone: curl -sfL -o FILE URL)"
    )]
    BodyWithHead,
    #[error("expected one body, found two that differ (leave one out, or make it null)")]
    TwoBodies,
    #[error("expected base64 in \"body_b64\": {0}")]
    Base64(base64::DecodeError),
    #[error("expected at least {0} columns, separated by tabs")]
    MissingColumn(usize),
    #[error(
        "expected {expected} cells, as in the first line, found {found} (escape tab and line end in a body as \\t and \\n; \
         quotes do not protect them)"
    )]
    Cells { expected: usize, found: usize },
    #[error(
        "expected a cell without quotes: a TSV of captures is not quoted (write JSON lines, or escape tab, line end and \
         backslash in a body as \\t, \\n and \\\\)"
    )]
    Quoted,
    #[error("{0}")]
    DuplicateColumn(#[from] DuplicateColumn),
    /// A line of captures from which a site may be missing.
    #[error("{0}, in a line without a readable site")]
    LostSite(Box<Kind>),
    #[error("expected a value in {0}")]
    NoValue(&'static str),
    #[error(
        "expected a status: an empty body without one may be that of a fetch that failed (an empty file has 200)"
    )]
    NoResult,
    #[error(
        "expected a key or column \"status\", found {0:?}, which may be it (call the status of the fetch \"status\"; if this \
         is another code, add a status, such as 200)"
    )]
    WhichStatus(String),
    #[error("expected one status of the fetch, found two that differ, \"{0}\" and \"{1}\"")]
    TwoStatuses(&'static str, &'static str),
    #[error("expected a column {expected}, found {found}{advice}")]
    Columns { expected: String, found: String, advice: String },
    /// There is no URL where one is expected: what was searched, and what to do.
    #[error("no URL in {0}{1}")]
    NoUrl(String, String),
    #[error(
        "empty, as after a command that failed: outputs stay as they are (if there are no URLs, give an empty file, or \
         remove the outputs first)"
    )]
    EmptyStream,
    /// The lines have more than URLs: what is there, and what to do.
    #[error("expected a URL on each line, found {0}")]
    MoreThanUrls(String),
    /// The file has captures: what else to do.
    #[error(
        "expected URLs, found captures of robots.txt files (repeat --robots before each file of captures{0})"
    )]
    Captures(&'static str),
    /// Several columns may hold the URLs: their numbers.
    #[error("expected one column of URLs, found URLs in columns {0} (choose one: --column N)")]
    SeveralColumns(String),
    /// A line below the first one looks like the header.
    #[error(
        "expected a header in the first line, found a column {name:?} in line {line} (remove the lines before it, or choose a \
         column: --column N)"
    )]
    LateHeader { line: u64, name: &'static str },
    #[error("expected the closing quote of a field that begins in this record, found the end of the file")]
    UnclosedQuote,
    #[error("expected a record of at most {max} MiB; the rest of the file is skipped", max = MAX_LINE >> 20)]
    RecordTooLong,
    #[error(
        "at least {0} {found}: at most {MAX_WAITING} redirects, with URLs of 64 MiB, and {MAX_CAPTURES} captures are \
         remembered, and standard input cannot be read again (divide a large source, with each target next to its \
         redirects; give files instead of standard input)",
        found = if *.0 == 1 { "redirect lost its target" } else { "redirects lost their targets" }
    )]
    LostTargets(u64),
    #[error(
        "{count} {found} not in the file, such as one of {uri} (join the WARC files with the originals and with the \
         revisits to one file)",
        found = if *.count == 1 { "revisit repeats a record that is" } else { "revisits repeat records that are" }
    )]
    LostOriginals { count: u64, uri: String },
    #[error("{0}")]
    Rows(rows::ReadError),
    #[error("expected {0}")]
    Expected(String),
    #[error("{0}")]
    Warc(Box<warc::Damaged>),
    /// A bad record in a WARC of captures. The record, and others that it hides, may be captures.
    #[error("{0}; captures may be missing")]
    LostRecord(Box<Kind>),
    #[error("record {record}, at byte {offset}: {what}")]
    Record { record: u64, offset: u64, what: String },
}

/// A file has several columns of one name, of which the first would decide silently.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected one column {0:?}, found several (remove or rename the others)")]
pub(crate) struct DuplicateColumn(String);

impl DuplicateColumn {
    /// The index of the only column of `is_found`, whose name is for the error; none if there is no such column.
    pub(crate) fn only(
        is_found: impl Iterator<Item = bool>,
        name: &str,
    ) -> Result<Option<usize>, DuplicateColumn> {
        let mut found = is_found.enumerate().filter_map(|(index, is_found)| is_found.then_some(index));
        let first = found.next();
        if found.next().is_some() { Err(DuplicateColumn(name.to_owned())) } else { Ok(first) }
    }

    /// The index of the only column of this name. An exact name counts before one that differs in case.
    pub(crate) fn only_in_any_case(columns: &[&str], name: &str) -> Result<Option<usize>, DuplicateColumn> {
        let exact = Self::only(columns.iter().map(|column| *column == name), name)?;
        let any = || Self::only(columns.iter().map(|column| column.eq_ignore_ascii_case(name)), name);
        if exact.is_some() { Ok(exact) } else { any() }
    }
}

impl Kind {
    /// The error for a file that has columns with these names, but not the `expected` one. The message quotes only the
    /// first names, and only the beginning of each, because the line may not be a header at all.
    pub(crate) fn missing_column<'n>(
        expected: impl Into<String>,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> Self {
        Kind::Columns { expected: expected.into(), found: listed(names), advice: String::new() }
    }
}

/// Quotes the beginning of a text from an input.
pub(crate) fn quoted(text: &str) -> String {
    /// Maximum number of characters.
    const CHARACTERS: usize = 40;
    let (beginning, more) = beginning(text, CHARACTERS);
    format!("{beginning:?}{more}")
}

/// The beginning of a URI from an input, with control characters escaped.
pub(crate) fn shortened(uri: &[u8]) -> String {
    /// Maximum number of characters.
    const CHARACTERS: usize = 200;
    let text = String::from_utf8_lossy(uri);
    let (beginning, more) = beginning(&text, CHARACTERS);
    format!("{}{more}", beginning.escape_debug())
}

/// The first characters of `text`, and a mark if there are more.
fn beginning(text: &str, most: usize) -> (&str, &'static str) {
    text.char_indices().nth(most).map_or((text, ""), |(end, _)| (&text[..end], "…"))
}

/// Quotes the first names, and the beginning of each.
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

    /// Converts `error` into an error about `file`. Unwraps an `InputError` inside an [`io::Error`].
    pub(crate) fn from_io(file: &FileName, error: io::Error) -> Self {
        error.downcast::<InputError>().unwrap_or_else(|error| Self::new(file.clone(), None, Kind::Io(error)))
    }

    /// Like [`InputError::from_io`], for a file that cannot be opened.
    pub(crate) fn unopened(file: &FileName, error: io::Error) -> Self {
        let error = if error.kind() == io::ErrorKind::NotFound && file.to_string().contains("://") {
            let message = format!(
                "a URL is no file, and robomata fetches nothing (curl -sfL -D headers -o FILE {file})"
            );
            io::Error::new(error.kind(), message)
        } else {
            error
        };
        Self::new(file.clone(), None, Kind::Unopened(error))
    }

    /// Wraps the error in an [`io::Error`], with its [`io::ErrorKind`], for interfaces of [`io::Read`].
    pub(crate) fn into_io(self) -> io::Error {
        io::Error::new(self.io_error().map_or(io::ErrorKind::InvalidData, io::Error::kind), self)
    }

    /// The error for a bad record of a WARC among captures, some of which may be missing. Other errors stay as they are.
    pub(crate) fn losing_captures(self) -> Self {
        let Inner { file, line, kind } = *self.0;
        let kind = match kind {
            Kind::Warc(_) | Kind::Record { .. } => Kind::LostRecord(Box::new(kind)),
            kind => kind,
        };
        Self::new(file, line, kind)
    }

    /// The cause, without the place.
    pub(crate) fn cause(&self) -> String {
        match &self.0.kind {
            Kind::Warc(damaged) => damaged.cause(),
            kind => kind.to_string(),
        }
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.0.line = Some(line);
        self
    }

    /// The file that was read.
    pub fn file(&self) -> &FileName {
        &self.0.file
    }

    /// The 1-based line in the decompressed file; `None` if the error is about the file itself.
    ///
    /// If reading stopped within the file, this is the line where it stopped.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// Returns whether no more items of [`InputError::file`] follow, except the capture in which it ends, as a network
    /// failure. False for a bad line, or for a directory entry that is not a capture.
    pub fn ends_file(&self) -> bool {
        match &self.0.kind {
            Kind::Io(_)
            | Kind::Unopened(_)
            | Kind::WrongMagic(_)
            | Kind::Truncated(_)
            | Kind::Corrupt(..)
            | Kind::BodyTooLong
            | Kind::NotCaptures(_)
            | Kind::Columns { .. }
            | Kind::DuplicateColumn(_)
            | Kind::JsonArray
            | Kind::Quoted
            | Kind::NoUrl(..)
            | Kind::EmptyStream
            | Kind::MoreThanUrls(_)
            | Kind::Captures(_)
            | Kind::SeveralColumns(_)
            | Kind::LateHeader { .. }
            | Kind::UnclosedQuote
            | Kind::NoRecords
            | Kind::CutObject
            | Kind::CutLine
            | Kind::OtherHeader
            | Kind::RecordTooLong
            | Kind::Rows(_) => true,
            Kind::Warc(damaged) => damaged.ends_file(),
            Kind::LostRecord(kind) => matches!(&**kind, Kind::Warc(damaged) if damaged.ends_file()),
            _ => false,
        }
    }

    /// Returns whether the file is not of the expected kind: it lacks the requested column, or URLs where they are
    /// expected. The file was read completely, but contains nothing that the caller requested. Also if it is Parquet and this
    /// build has none.
    pub fn is_mistake(&self) -> bool {
        match &self.0.kind {
            Kind::Columns { .. }
            | Kind::NoUrl(..)
            | Kind::MoreThanUrls(_)
            | Kind::Captures(_)
            | Kind::SeveralColumns(_)
            | Kind::LateHeader { .. } => true,
            Kind::Rows(error) => error.is_mistake(),
            _ => false,
        }
    }

    /// Adds advice on what to do. Only the error about a missing column has room for it.
    pub(crate) fn with_advice(mut self, text: String) -> Self {
        if let Kind::Columns { advice, .. } = &mut self.0.kind {
            *advice = text;
        }
        self
    }

    /// Returns whether the input ends early or cannot be read to its end, and everything before that point was returned.
    /// Also if captures may be missing: if redirects lost their targets, or revisits their content, or a WARC has a bad
    /// record.
    ///
    /// False for damage that the format lets a reader skip: a bad line, or, in a WARC of URLs, a corrupt record that is
    /// followed by another.
    pub fn is_incomplete(&self) -> bool {
        match &self.0.kind {
            Kind::Io(_) | Kind::Unopened(_) | Kind::Truncated(_) | Kind::Corrupt(..) => true,
            Kind::UnclosedQuote
            | Kind::NoRecords
            | Kind::CutObject
            | Kind::CutLine
            | Kind::OtherHeader
            | Kind::RecordTooLong
            | Kind::LostSite(_)
            | Kind::LostRecord(_)
            | Kind::LostTargets(_)
            | Kind::LostOriginals { .. } => true,
            Kind::Rows(error) => error.is_incomplete(),
            Kind::Warc(damaged) => damaged.ends_file(),
            _ => false,
        }
    }

    /// Returns whether the data were read, but cannot be decompressed.
    pub(crate) fn is_undecodable(&self) -> bool {
        matches!(self.0.kind, Kind::Truncated(_) | Kind::Corrupt(..))
    }

    /// Returns whether the file cannot be opened, such as a missing one.
    pub fn is_unopened(&self) -> bool {
        matches!(self.0.kind, Kind::Unopened(_))
    }

    /// Returns whether the source is something else than captures: a single robots.txt of an unknown site, a directory of
    /// other files, CSV, a list of URLs, a log, an archive, a bundle or other text.
    pub fn is_other_than_captures(&self) -> bool {
        matches!(self.0.kind, Kind::NotCaptures(_))
    }

    /// The underlying error of the operating system or of the decoder.
    pub fn io_error(&self) -> Option<&io::Error> {
        match &self.0.kind {
            Kind::Io(error) | Kind::Unopened(error) | Kind::Corrupt(_, error) => Some(error),
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

// The cause is part of the message, so `source` stays empty: a chain of causes would repeat it.
impl std::error::Error for InputError {}
