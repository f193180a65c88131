//! Bodies that are no robots.txt, by their first bytes. The only list of those of compressed data is here.

use std::fmt;

use robomata_protocol::has_status_line;

use crate::store::LABEL;

/// What a body is that is no text, or more than a body. Read as a robots.txt or a tdmrep.json it would say nothing, and
/// everything would be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTextError {
    /// It begins like compressed data or an archive.
    Compressed(CompressedFormat),
    /// It begins like a bundle.
    Bundle,
    /// It begins like captures: a WARC or Parquet file.
    Captures,
    /// It begins with the status line of a response. What follows is that of any status.
    Response,
}

/// A format of compressed data or of archives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum CompressedFormat {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
    /// What HTTP calls deflate (RFC 9110, 8.4.1.2).
    Zlib,
    /// What HTTP calls compress (RFC 9110, 8.4.1.1).
    Lzw,
    Zip,
    SevenZip,
    Rar,
}

impl CompressedFormat {
    /// Recognizes compressed data by their first bytes, which no text has.
    pub fn of(body: &[u8]) -> Option<Self> {
        match body {
            [0x1f, 0x8b, ..] => Some(CompressedFormat::Gzip),
            // A zstd file may begin with a skippable frame (RFC 8878, 3.1.2).
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(CompressedFormat::Zstd)
            }
            // A block of bzip2, or the end of empty data.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, b'r', b'E', b'8', b'P', 0x90, ..] => {
                Some(CompressedFormat::Bzip2)
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(CompressedFormat::Xz),
            // The four levels of zlib with its usual window (RFC 1950, 2.2). Text may begin with "x^".
            [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..] if !is_text(body) => Some(CompressedFormat::Zlib),
            [0x1f, 0x9d, ..] => Some(CompressedFormat::Lzw),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(CompressedFormat::Zip),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some(CompressedFormat::SevenZip),
            [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Some(CompressedFormat::Rar),
            _ => None,
        }
    }
}

/// Returns whether the beginning of `body` is UTF-8 without control characters.
fn is_text(body: &[u8]) -> bool {
    let head = &body[..body.len().min(1 << 10)];
    let is_plain = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    // The last character may be cut.
    let is_utf8 = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && head.iter().all(is_plain)
}

impl fmt::Display for CompressedFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CompressedFormat::Gzip => "gzip",
            CompressedFormat::Zstd => "zstd",
            CompressedFormat::Bzip2 => "bzip2",
            CompressedFormat::Xz => "xz",
            CompressedFormat::Zlib => "zlib",
            CompressedFormat::Lzw => "compress",
            CompressedFormat::Zip => "zip",
            CompressedFormat::SevenZip => "7z",
            CompressedFormat::Rar => "rar",
        })
    }
}

impl NotTextError {
    /// Recognizes a body by its first bytes.
    pub fn of(body: &[u8]) -> Option<Self> {
        if let Some(format) = CompressedFormat::of(body) {
            return Some(NotTextError::Compressed(format));
        }
        match body {
            [b'W', b'A', b'R', b'C', b'/', ..] | [b'P', b'A', b'R', b'1', ..] => Some(NotTextError::Captures),
            _ if has_status_line(body) => Some(NotTextError::Response),
            _ => body.starts_with(LABEL).then_some(NotTextError::Bundle),
        }
    }
}

impl fmt::Display for NotTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a body of text, found ")?;
        f.write_str(match self {
            NotTextError::Compressed(format) => return write!(f, "{format} data (decode the body)"),
            NotTextError::Bundle => "a bundle (open it by its name)",
            NotTextError::Captures => "captures of many sites (robomata compile reads them)",
            NotTextError::Response => "a response with its status line (pass its body alone, and its status)",
        })
    }
}

impl std::error::Error for NotTextError {}

/// Checks that the body of a successful fetch is text, and nothing but the body.
///
/// # Errors
/// When it begins like compressed data, a bundle or captures, or with the status line of a response.
pub fn require_text(body: &[u8]) -> Result<(), NotTextError> {
    NotTextError::of(body).map_or(Ok(()), Err)
}
