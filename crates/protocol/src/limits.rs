//! Limits that a specification names or that protect the parser from hostile files.

use std::error::Error;
use std::fmt;

/// The smallest parsing limit that a caller may set: 500 KiB (RFC 9309, section 2.5).
pub const MIN_PARSING_LIMIT: usize = 500 * 1024;

/// The default parsing limit: 4 MiB. The largest real file seen so far has 3.7 MB.
pub const DEFAULT_PARSING_LIMIT: usize = 4 * 1024 * 1024;

/// The largest possible parsing limit: positions are 32-bit.
pub const MAX_PARSING_LIMIT: usize = u32::MAX as usize - 1;

/// Checks a parsing limit that a user gives: a number of bytes.
///
/// # Errors
/// When it is not from [`MIN_PARSING_LIMIT`] to [`MAX_PARSING_LIMIT`].
pub fn parsing_limit(bytes: u64) -> Result<usize, ParsingLimitError> {
    let limit = usize::try_from(bytes).ok();
    let is_possible = |limit: &usize| (MIN_PARSING_LIMIT..=MAX_PARSING_LIMIT).contains(limit);
    limit.filter(is_possible).ok_or(ParsingLimitError { found: bytes })
}

/// A parsing limit is too low or too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsingLimitError {
    /// The number of bytes that was given.
    pub found: u64,
}

impl fmt::Display for ParsingLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {MIN_PARSING_LIMIT} to {MAX_PARSING_LIMIT} bytes, found {}", self.found)
    }
}

impl Error for ParsingLimitError {}

/// The longest file whose rules Yandex follows.
pub const YANDEX_FILE_LIMIT: usize = 512_000;

/// The number of bytes that google/robotstxt keeps of a line (its buffer is 2083 * 8, with one byte for the
/// terminator).
pub const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;
