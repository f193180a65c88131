//! Limits that a specification names or that protect the reader of a hostile file.

/// The parsing limit may not be set lower: 500 KiB (RFC 9309, section 2.5).
pub const MIN_PARSING_LIMIT: usize = 500 * 1024;

/// The parsing limit unless the caller sets one: 4 MiB, the largest real file seen has 3.7 MB.
pub const DEFAULT_PARSING_LIMIT: usize = 4 * 1024 * 1024;

/// No robots.txt is read further, whatever the limit: positions are 32-bit.
pub const MAX_PARSING_LIMIT: usize = u32::MAX as usize - 1;

/// Bytes that google/robotstxt keeps of one line (its buffer is 2083 * 8, with one for the end mark).
pub const GOOGLE_LINE_LIMIT: usize = 2083 * 8 - 1;
