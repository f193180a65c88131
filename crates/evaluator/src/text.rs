//! Bodies that are no text.

use std::fmt;

use crate::store::LABEL;

/// What a body is that is no text. Read as a robots.txt or a tdmrep.json it would say nothing, and everything would be
/// allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTextError {
    /// It begins like gzip data.
    Gzip,
    /// It begins like zstd data.
    Zstd,
    /// It begins like a bundle.
    Bundle,
    /// It begins like captures: a WARC or Parquet file.
    Captures,
}

impl NotTextError {
    /// Recognizes a body by its first bytes. A zstd file may begin with a skippable frame (RFC 8878, 3.1.2).
    pub fn of(body: &[u8]) -> Option<Self> {
        match body {
            [0x1f, 0x8b, ..] => Some(NotTextError::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(NotTextError::Zstd),
            [b'W', b'A', b'R', b'C', b'/', ..] | [b'P', b'A', b'R', b'1', ..] => Some(NotTextError::Captures),
            _ => body.starts_with(LABEL).then_some(NotTextError::Bundle),
        }
    }
}

impl fmt::Display for NotTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a body of text, found ")?;
        f.write_str(match self {
            NotTextError::Gzip => "gzip data (decode the body)",
            NotTextError::Zstd => "zstd data (decode the body)",
            NotTextError::Bundle => "a bundle (open it by its name)",
            NotTextError::Captures => "captures of many sites (robomata compile reads them)",
        })
    }
}

impl std::error::Error for NotTextError {}

/// Checks that the body of a successful fetch is text.
///
/// # Errors
/// When it begins like compressed data, a bundle or captures.
pub fn require_text(body: &[u8]) -> Result<(), NotTextError> {
    NotTextError::of(body).map_or(Ok(()), Err)
}
