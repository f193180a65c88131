//! Converts bytes to readable text, and back.
//!
//! Robots files may contain any bytes. Cases write unusual ones as C-like escapes: `\n`, `\r`, `\t`, `\0`, `\\` and
//! `\xNN`. All other text stands for its UTF-8 bytes.

use std::fmt::Write as _;

/// Converts `text` to the bytes that it represents. The error is the invalid escape.
pub fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let (byte, len) = escape_at(&rest[at..])?;
        bytes.push(byte);
        rest = &rest[at + len..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// The byte of the escape at the start of `text`, and the escape's length.
fn escape_at(text: &str) -> Result<(u8, usize), String> {
    let simple = match text.as_bytes().get(1) {
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'0') => 0,
        Some(b'\\') => b'\\',
        Some(b'x') => return hex_at(text),
        _ => return Err(text.chars().take(2).collect()),
    };
    Ok((simple, 2))
}

fn hex_at(text: &str) -> Result<(u8, usize), String> {
    let digits = text.get(2..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
        Some(byte) => Ok((byte, 4)),
        None => Err(text.chars().take(4).collect()),
    }
}

/// Converts `bytes` to text that [`unescape`] converts back: valid UTF-8 stays, controls and invalid bytes become
/// escapes.
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_character(&mut text, character);
        }
        for byte in chunk.invalid() {
            push_byte(&mut text, *byte);
        }
    }
    text
}

fn push_character(text: &mut String, character: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\0' => text.push_str("\\0"),
        '\\' => text.push_str("\\\\"),
        // Invisible characters (a BOM, a line separator, a direction mark) are also written byte by byte.
        _ if is_invisible(character) => {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                push_byte(text, byte);
            }
        }
        _ => text.push(character),
    }
}

fn push_byte(text: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\\x{byte:02X}");
}

pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=255).chain("ツ\u{feff}\u{2028}\\x41".bytes()).collect();
        assert_eq!(unescape(&escape(&all)).as_deref(), Ok(all.as_slice()));
    }

    #[test]
    fn escapes_are_those_of_the_documentation() {
        assert_eq!(unescape(r"\n\r\t\0\\\xfF").as_deref(), Ok(b"\n\r\t\0\\\xff".as_slice()));
        assert_eq!(unescape(r"a\q"), Err(r"\q".to_owned()));
        assert_eq!(unescape(r"a\x4"), Err(r"\x4".to_owned()));
        assert_eq!(unescape(r"\x+1"), Err(r"\x+1".to_owned()));
        assert_eq!(unescape("\\"), Err("\\".to_owned()));
    }
}
