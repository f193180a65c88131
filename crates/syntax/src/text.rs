//! The text that positions refer to: the file's own bytes, or the decoded text of a file in UTF-16.

use std::borrow::Cow;

use robomata_protocol::semantics::{ParsingLimit, Utf16};

use crate::line::{cut_at_line_end, last_line_end};
use crate::reading::Config;

/// A robots.txt that is ready for parsing: truncated to the parsing limit, with its byte order mark measured.
///
/// Positions count bytes from the file's start, including the mark. In a file that was decoded from UTF-16, they count
/// bytes of the decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// The start of the first line.
    pub(crate) start: usize,
    /// The number of bytes of the file beyond the parsing limit; for a decoded file, without those of its last line.
    pub(crate) cut: usize,
    pub(crate) encoding: Encoding,
}

/// The encoding of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Bytes,
    Utf16,
}

impl<'a> Text<'a> {
    /// Prepares `file` for parsing.
    pub fn new(file: &'a [u8], config: &Config) -> Self {
        let limit = config.parsing_limit();
        let is_void = matches!(config.semantics().parsing_limit, ParsingLimit::NoRulesBeyond(_));
        if is_void && file.len() > limit {
            let bytes = Cow::Borrowed(&file[..0]);
            return Text { bytes, start: 0, cut: file.len(), encoding: Encoding::Bytes };
        }
        if config.semantics().utf16 == Utf16::Decoded
            && let Some(decoded) = decode_utf16(&file[..file.len().min(limit)])
        {
            return Text::decoded(decoded, file.len().saturating_sub(limit));
        }
        let kept = cut_at_line_end(file, limit);
        let bytes = Cow::Borrowed(&file[..kept]);
        let start = byte_order_mark(&bytes);
        Text { bytes, start, cut: file.len() - kept, encoding: Encoding::Bytes }
    }

    /// The text of a UTF-16 file with `cut` bytes beyond the limit: if there are any, its last line may be truncated as
    /// well.
    fn decoded(mut bytes: Vec<u8>, cut: usize) -> Self {
        if cut > 0 {
            bytes.truncate(last_line_end(&bytes));
        }
        Text { bytes: Cow::Owned(bytes), start: 0, cut, encoding: Encoding::Utf16 }
    }

    /// The text, without a copy of its bytes.
    pub fn borrowed(&self) -> Text<'_> {
        Text { bytes: Cow::Borrowed(&self.bytes), ..*self }
    }

    /// The text with a copy of its bytes.
    pub fn into_owned(self) -> Text<'static> {
        Text { bytes: Cow::Owned(self.bytes.into_owned()), ..self }
    }

    /// The bytes that spans refer to.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that spans refer to.
    pub fn into_bytes(self) -> Cow<'a, [u8]> {
        self.bytes
    }
}

/// The text of `file` without its byte order mark, as UTF-8 if it is UTF-16 (L3, L4).
pub fn without_mark(file: &[u8]) -> Cow<'_, [u8]> {
    decode_utf16(file).map_or(Cow::Borrowed(&file[byte_order_mark(file)..]), Cow::Owned)
}

/// The length of the byte order mark at the start, complete or partial (L3).
fn byte_order_mark(text: &[u8]) -> usize {
    const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
    MARK.iter().zip(text).take_while(|(mark, byte)| mark == byte).count()
}

/// The text of a file with a UTF-16 byte order mark, as UTF-8 without it (L4).
fn decode_utf16(file: &[u8]) -> Option<Vec<u8>> {
    let unit: fn([u8; 2]) -> u16 = match file {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = file[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use robomata_protocol::Dialect;

    #[test]
    fn marks_are_measured() {
        for (text, length) in
            [(&b"\xEF\xBB\xBFa"[..], 3), (b"\xEF\xBBa", 2), (b"\xEFa", 1), (b"a", 0), (b"\xBB\xBF", 0)]
        {
            assert_eq!(byte_order_mark(text), length);
        }
    }

    #[test]
    fn utf16_is_decoded_where_the_dialect_says_so() {
        let file = b"\xFF\xFEa\x00\xE9\x00\x00\xD8b\x00!";
        let text = Text::new(file, &Config::new(Dialect::Rfc9309));
        assert_eq!(text.bytes(), "a\u{E9}\u{FFFD}b".as_bytes());
        let text = Text::new(file, &Config::new(Dialect::Google));
        assert_eq!(text.bytes(), file);
    }
}
