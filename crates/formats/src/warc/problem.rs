//! Problems of records.

use std::borrow::Cow;

use crate::input::Compression;

/// A problem in a WARC file and its position.
#[derive(Debug)]
pub(crate) struct Damaged {
    /// The record, counted from 1; the record before the damage if it is between two records.
    pub(super) record: u64,
    /// The offset, see [`RecordHead::offset`](super::RecordHead::offset).
    pub(super) offset: u64,
    /// The problem.
    pub(super) problem: Problem,
    /// The offset of the next record; `None` if there is none.
    pub(super) resumed: Option<u64>,
}

/// The kinds of problems: what was expected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("expected the rest of the {0} data, found the end of the file")]
    Truncated(Compression),
    #[error("expected {0} data: {1}")]
    Corrupt(Compression, Cow<'static, str>),
    #[error("expected the rest of the record's head, found {0}")]
    HeadCut(&'static str),
    #[error(
        "expected a version in the first line of the head, and in each other line a field (\"name: value\")"
    )]
    HeadLine,
    #[error("expected the field {0} once, found it twice: the head may be that of two records")]
    RepeatedField(&'static str),
    #[error("expected a head of at most 1 MiB")]
    HeadTooLong,
    #[error("expected a number of bytes in the field Content-Length")]
    NoLength,
    #[error("expected a block of {length} bytes, found {found} after {read} of them")]
    BlockCut { length: u64, read: u64, found: &'static str },
    #[error(
        "expected two line ends and the next record after the block of {0} bytes: its length is wrong, or bytes are missing"
    )]
    BlockOverrun(u64),
    #[error("expected a record (\"WARC/1.1\")")]
    NoRecord,
}

impl std::fmt::Display for Damaged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.problem, self.record) {
            (Problem::NoRecord, 0) => {}
            (Problem::NoRecord, record) => write!(f, "after record {record}, ")?,
            (_, record) => write!(f, "record {record}, ")?,
        }
        write!(f, "at byte {}: {}", self.offset, self.problem)?;
        match self.resumed {
            Some(offset) => write!(f, "; the next record is at byte {offset}"),
            None => f.write_str("; no record follows"),
        }
    }
}

impl Damaged {
    pub(crate) fn ends_file(&self) -> bool {
        self.resumed.is_none()
    }

    /// The problem, without its position.
    pub(crate) fn cause(&self) -> String {
        self.problem.to_string()
    }
}
