//! Limits that a specification names or that protect the parser from hostile files.

/// The smallest parsing limit that a caller may set: 500 KiB (RFC 9309, section 2.5).
pub const MIN_PARSING_LIMIT: usize = 500 * 1024;

/// The default parsing limit: 4 MiB. The largest real file seen so far has 3.7 MB.
pub const DEFAULT_PARSING_LIMIT: usize = 4 * 1024 * 1024;

/// The largest possible parsing limit: positions are 32-bit.
pub const MAX_PARSING_LIMIT: usize = u32::MAX as usize - 1;

/// The longest file whose rules Yandex follows.
pub const YANDEX_FILE_LIMIT: usize = 500_000;

/// The number of bytes that google/robotstxt keeps of a line (its buffer is 2083 * 8, with one byte for the
/// terminator).
pub const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;
