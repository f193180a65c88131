//! Recognizes content that is not the complete, decoded page.

use std::fmt;

use encoding_rs::WINDOWS_1252;
use robomata_protocol::has_status_line;

/// Why content cannot be the whole page. Read as one, it might lack a prohibition. Its `Display` says what was expected, and what
/// was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotPageError {
    /// The head of a response is before the page.
    Head,
    /// The content coding with this name was not undone.
    Coded(String),
    /// The content is shorter than its Content-Length.
    Cut {
        /// The Content-Length.
        expected: u64,
        /// The length of the content.
        found: u64,
    },
    /// The content has no bytes, as after a fetch that failed.
    Empty,
}

/// The most characters of a content coding that are quoted.
const QUOTED: usize = 80;

/// The bytes of a page that show what it is.
const START: usize = 64 * 1024;

impl NotPageError {
    /// What a caller that passes a page and its headers can do.
    pub fn advice(&self) -> &'static str {
        match self {
            NotPageError::Head => "pass the part after its empty line, and its headers as headers",
            NotPageError::Coded(_) => "decode it, or let the HTTP client do so",
            NotPageError::Cut { .. } => "fetch it again",
            NotPageError::Empty => "if it is empty, leave it out",
        }
    }
}

impl fmt::Display for NotPageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotPageError::Head => f.write_str("expected a page, found a response with its status line"),
            NotPageError::Coded(coding) => {
                let coding: String = coding.chars().take(QUOTED).collect();
                write!(f, "expected HTML, found data with the content coding {coding:?}")
            }
            NotPageError::Cut { expected, found } => {
                write!(f, "expected {expected} bytes, as Content-Length says, found {found}")
            }
            NotPageError::Empty => f.write_str("an empty page, or a fetch that failed?"),
        }
    }
}

impl std::error::Error for NotPageError {}

/// Checks that content with this `start` is a page: that it is not empty, that no head of a response is before it, and that its
/// content coding was undone. At most 64 KiB of it are read.
///
/// # Errors
/// When it is not.
pub fn require_page(start: &[u8], headers: &[(&str, &str)]) -> Result<(), NotPageError> {
    // A byte order mark decides. Without one, every byte is a character.
    let (text, ..) = WINDOWS_1252.decode(&start[..start.len().min(START)]);
    require_page_text(&text, headers)
}

/// Like [`require_page`], of a `text` that was decoded. A program that calls this alone has no tables of encodings.
///
/// # Errors
/// When it is not.
pub fn require_page_text(text: &str, headers: &[(&str, &str)]) -> Result<(), NotPageError> {
    if text.is_empty() {
        return Err(NotPageError::Empty);
    }
    if has_status_line(text.as_bytes()) {
        return Err(NotPageError::Head);
    }
    match members(headers, "content-encoding").last() {
        Some(coding) if is_coded(text) => Err(NotPageError::Coded(coding.to_owned())),
        _ => Ok(()),
    }
}

/// Whether a text does not begin with a tag, and more than one of 32 characters are control characters. Of compressed data, it
/// is one of ten bytes.
fn is_coded(text: &str) -> bool {
    let controls = text.bytes().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    !text.trim_ascii_start().starts_with('<') && 32 * controls.count() > text.chars().count()
}

/// Checks that `found` bytes of content, of a page or another file, are not fewer than Content-Length says: then the transfer
/// broke off. With a coding, the lengths differ, and nothing is compared.
///
/// # Errors
/// When bytes are missing.
pub fn require_whole(found: u64, headers: &[(&str, &str)]) -> Result<(), NotPageError> {
    let mut codings =
        ["content-encoding", "transfer-encoding"].iter().flat_map(|name| members(headers, name));
    let is_coded = codings.any(|coding| !coding.eq_ignore_ascii_case("identity"));
    let length = members(headers, "content-length").filter_map(|length| length.parse().ok()).max();
    match length {
        Some(expected) if found < expected && !is_coded => Err(NotPageError::Cut { expected, found }),
        _ => Ok(()),
    }
}

/// The members of all fields called `name`.
fn members<'h>(headers: &'h [(&str, &str)], name: &'h str) -> impl Iterator<Item = &'h str> {
    let values = headers.iter().filter(move |(field, _)| field.trim_ascii().eq_ignore_ascii_case(name));
    let members = values.flat_map(|(_, value)| value.split(',')).map(str::trim);
    members.filter(|member| !member.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROTLI: &[u8] = b"\x0b\x05\x80<\x01\x02\x03\x04\x05\x06";

    #[test]
    fn a_page_is_neither_empty_nor_after_its_head_nor_coded() {
        let coded = [("Content-Encoding", "gzip, br")];
        let of = |content: &[u8]| require_page(content, &coded);
        assert_eq!(of(b""), Err(NotPageError::Empty));
        for head in [
            &b"HTTP/1.1 200 OK\r\n\r\n<p>"[..],
            b"\xef\xbb\xbfHTTP/2 200\r\n",
            b"\xff\xfeH\0T\0T\0P\0/\x001\0 \x002\x000\x000\0",
        ] {
            assert_eq!(of(head), Err(NotPageError::Head));
        }
        assert_eq!(of(BROTLI), Err(NotPageError::Coded("br".to_owned())));
        assert_eq!(require_page(BROTLI, &[]), Ok(()), "no header says so");
        for page in ["<p>\u{1}\u{2}\u{3}", "HTTP is a protocol", "Olá"] {
            assert_eq!(of(page.as_bytes()), Ok(()), "{page}");
        }
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("Hello".bytes().flat_map(|byte| [byte, 0])).collect();
        assert_eq!(of(&utf16), Ok(()), "half of its bytes are zero, but none of its characters");
    }

    #[test]
    fn a_page_is_as_long_as_its_headers_say_unless_it_is_coded() {
        let cut = Err(NotPageError::Cut { expected: 10, found: 9 });
        assert_eq!(require_whole(9, &[("content-length", "10")]), cut);
        assert_eq!(require_whole(9, &[("Content-Length", "9, 10"), ("Content-Encoding", "identity")]), cut);
        assert_eq!(require_whole(10, &[("Content-Length", "10")]), Ok(()));
        for name in ["Content-Encoding", "Transfer-Encoding"] {
            assert_eq!(require_whole(9, &[("Content-Length", "10"), (name, "gzip")]), Ok(()));
        }
    }
}
