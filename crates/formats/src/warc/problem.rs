//! What can be wrong with a record.

use std::borrow::Cow;

use crate::input::Compression;

/// Something wrong in a WARC file, and where.
#[derive(Debug)]
pub(crate) struct Damaged {
    /// The record, counted from 1; that before the damage when it lies between two.
    pub(super) record: u64,
    /// As [`RecordHead::offset`](super::RecordHead::offset).
    pub(super) offset: u64,
    /// What is wrong.
    pub(super) problem: Problem,
    /// Where the next record is; `None` when there is none.
    pub(super) resumed: Option<u64>,
}

/// Why; the texts say what was expected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("expected the rest of the {0} data, found the end of the file")]
    Truncated(Compression),
    #[error("expected {0} data: {1}")]
    Corrupt(Compression, Cow<'static, str>),
    #[error("expected the rest of the record's head, found {0}")]
    HeadCut(&'static str),
    #[error("expected a head of at most 1 MiB")]
    HeadTooLong,
    #[error("expected a number of bytes in the field Content-Length")]
    NoLength,
    #[error("expected a block of {length} bytes, found {found} after {read} of them")]
    BlockCut { length: u64, read: u64, found: &'static str },
    #[error("expected two line ends after the block of {0} bytes: its length is wrong, or bytes are missing")]
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
}
