//! Splits the bytes of a file into lines (decisions "Lines" and L1 to L6).

use std::borrow::Cow;

use robomata_protocol::Dialect;
use robomata_protocol::limits::{
    DEFAULT_PARSING_LIMIT, GOOGLE_LINE_LIMIT, MAX_PARSING_LIMIT, MIN_PARSING_LIMIT,
};

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// L1 under `yandex`: the limit that is no option, 500 KB of 1,024 bytes.
const YANDEX_LIMIT: usize = 512_000;

/// The effective bytes of the file, ready to be split into lines (L1, L3, L4).
pub(crate) fn text_of(robots: &[u8], dialect: Dialect, parsing_limit: usize) -> Cow<'_, [u8]> {
    let limit = effective_limit(dialect, parsing_limit);
    if robots.len() <= limit {
        return decoded(robots, dialect);
    }
    // "The file size doesn't exceed 500 KB": of a longer file, Yandex follows no rule.
    if dialect == Dialect::Yandex {
        return Cow::Borrowed(&[]);
    }
    match decoded(&robots[..limit], dialect) {
        Cow::Borrowed(text) => Cow::Borrowed(complete_lines(text)),
        Cow::Owned(text) => Cow::Owned(complete_lines(&text).to_vec()),
    }
}

/// All lines of `text`, without their ends.
///
/// A line ends at LF, CR or CRLF (`NL` in RFC 9309, 2.2). The text after the last end is also a line, even if it is
/// empty.
pub(crate) fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let end_len = match (text[at], text.get(at + 1)) {
            (b'\r', Some(b'\n')) => 2,
            (b'\r' | b'\n', _) => 1,
            _ => 0,
        };
        if end_len == 0 {
            at += 1;
        } else {
            lines.push(&text[start..at]);
            at += end_len;
            start = at;
        }
    }
    lines.push(&text[start..]);
    lines
}

/// The effective part of a line: without the comment (L6), under `google` after the cuts at the length (L2) and the NUL
/// (L5).
pub(crate) fn content(line: &[u8], dialect: Dialect) -> &[u8] {
    match dialect {
        Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap | Dialect::Yandex => before_first(line, b'#'),
        Dialect::Google => {
            let kept = &line[..line.len().min(GOOGLE_LINE_LIMIT)];
            before_first(before_first(kept, 0), b'#')
        }
    }
}

/// L1: the number of bytes of the file to read.
fn effective_limit(dialect: Dialect, parsing_limit: usize) -> usize {
    match dialect {
        Dialect::Rfc9309 | Dialect::Google | Dialect::Koster1996 | Dialect::Acap => {
            parsing_limit.clamp(MIN_PARSING_LIMIT, MAX_PARSING_LIMIT)
        }
        Dialect::Yandex => YANDEX_LIMIT,
    }
}

/// L1: the limit without an option.
pub(crate) fn default_limit(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap => DEFAULT_PARSING_LIMIT,
        Dialect::Google => MAX_PARSING_LIMIT,
        Dialect::Yandex => YANDEX_LIMIT,
    }
}

/// L1: the lines of a truncated text whose end is in it.
fn complete_lines(text: &[u8]) -> &[u8] {
    match text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
        Some(last_end) => &text[..=last_end],
        None => &[],
    }
}

/// `blank = *space CRLF` (Koster 1996, 3.3; decision L9): nothing but SP and HT, and no comment.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// L3 and L4: byte order marks are skipped. Except under `google`, they also indicate UTF-16, which is decoded.
fn decoded(bytes: &[u8], dialect: Dialect) -> Cow<'_, [u8]> {
    let knows_utf16 = match dialect {
        Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap | Dialect::Yandex => true,
        Dialect::Google => false,
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] if knows_utf16 => Cow::Owned(from_utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] if knows_utf16 => Cow::Owned(from_utf16(rest, u16::from_be_bytes)),
        _ => Cow::Borrowed(without_byte_order_mark(bytes)),
    }
}

/// L3: the mark is skipped at the start of the file, once, even if only its first bytes are there.
fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    let skipped = bytes.iter().zip(BYTE_ORDER_MARK).take_while(|&(&byte, mark)| byte == mark).count();
    &bytes[skipped..]
}

/// L4: unpaired surrogates become U+FFFD, an odd last byte is dropped.
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.into_bytes()
}

fn before_first(line: &[u8], stop: u8) -> &[u8] {
    match line.iter().position(|&byte| byte == stop) {
        Some(at) => &line[..at],
        None => line,
    }
}
