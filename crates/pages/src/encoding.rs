//! Detects the encoding of a page and decodes its bytes.
//!
//! Follows HTML's "determining the character encoding": a byte order mark, the charset of Content-Type, then the
//! declaration of a META tag or an XML declaration in the first 1024 bytes. Without a declaration, the encoding is UTF-8
//! if those bytes are valid UTF-8, and windows-1252 otherwise.

use encoding_rs::{
    CoderResult, Decoder, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED,
};

use crate::extract::Chunk;

/// The number of bytes that are searched for a declaration.
pub(crate) const PRESCAN: usize = 1024;

/// The number of bytes to decode at once.
const STEP: usize = 16 * 1024;

/// Decodes bytes that arrive in chunks.
pub(crate) struct Decoding {
    decoder: Decoder,
    text: String,
}

impl Decoding {
    /// Creates a decoder for a page with this `start`: its first [`PRESCAN`] bytes, or all of a shorter page.
    pub(crate) fn new(start: &[u8], content_type: Option<&str>) -> Self {
        let encoding = Encoding::for_bom(start)
            .map(|(encoding, _)| encoding)
            .or_else(|| content_type.and_then(of_content_type))
            .or_else(|| declared(start))
            .unwrap_or_else(|| guessed(start));
        // Nothing of a page in an encoding that is replaced would be read. Their tags are in ASCII.
        let encoding = if encoding == REPLACEMENT { WINDOWS_1252 } else { encoding };
        // The decoder removes the byte order mark.
        Decoding { decoder: encoding.new_decoder_with_bom_removal(), text: String::new() }
    }

    /// Decodes the page's next bytes and passes the text to `read`, piece by piece.
    pub(crate) fn decode(&mut self, bytes: &[u8], chunk: Chunk, mut read: impl FnMut(&str)) {
        let mut rest = bytes;
        loop {
            let step = &rest[..rest.len().min(STEP)];
            let is_last = chunk == Chunk::Last && step.len() == rest.len();
            self.text.clear();
            self.text.reserve(STEP);
            let (result, used, _) = self.decoder.decode_to_string(step, &mut self.text, is_last);
            read(&self.text);
            rest = &rest[used..];
            if rest.is_empty() && result == CoderResult::InputEmpty {
                return;
            }
        }
    }
}

/// The encoding in `text/html; charset=…`.
fn of_content_type(value: &str) -> Option<&'static Encoding> {
    charset_in(value.as_bytes())
}

fn guessed(start: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(start) {
        Ok(_) => UTF_8,
        // A truncated character at the end is not an error.
        Err(error) if error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    }
}

/// The encoding declared in a META tag or an XML declaration ("prescan a byte stream to determine its encoding").
fn declared(start: &[u8]) -> Option<&'static Encoding> {
    if start.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    of_metas(start).or_else(|| of_xml_declaration(start))
}

/// The encoding in an XML declaration ("get an XML encoding").
fn of_xml_declaration(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&byte| byte == b'>')?];
    let after = &declaration[find(declaration, b"encoding")? + b"encoding".len()..];
    let after = skip_controls(skip_controls(after).strip_prefix(b"=")?);
    let (quote, label) = after.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    let label = &label[..label.iter().position(|byte| byte == quote)?];
    let is_label = label.iter().all(|&byte| byte > b' ');
    // It was read as ASCII, so the page is not in UTF-16.
    let found = Encoding::for_label(label).filter(|_| is_label)?;
    Some(if found == UTF_16BE || found == UTF_16LE { UTF_8 } else { found })
}

/// Skips spaces and control characters.
fn skip_controls(text: &[u8]) -> &[u8] {
    &text[text.iter().position(|&byte| byte > b' ').unwrap_or(text.len())..]
}

/// The encoding declared in a META tag.
fn of_metas(start: &[u8]) -> Option<&'static Encoding> {
    let mut rest = start;
    while let Some(position) = rest.iter().position(|&byte| byte == b'<') {
        rest = &rest[position..];
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            // `<!-->` is a comment as well.
            let end = find(&rest[2..], b"-->").map(|end| &rest[2 + end + 3..]);
            rest = end.unwrap_or(&comment[comment.len()..]);
        } else if rest.len() > 6
            && rest[1..5].eq_ignore_ascii_case(b"meta")
            && (is_space(rest[5]) || rest[5] == b'/')
        {
            let mut attributes = Attributes(&rest[5..]);
            if let Some(encoding) = of_meta(&mut attributes) {
                return Some(encoding);
            }
            rest = attributes.0;
        } else if matches!(rest, [_, b'/', letter, ..] | [_, letter, ..] if letter.is_ascii_alphabetic()) {
            let name = rest.iter().position(|&byte| is_space(byte) || byte == b'>').unwrap_or(rest.len());
            let mut attributes = Attributes(&rest[name..]);
            attributes.by_ref().for_each(drop);
            rest = attributes.0;
        } else if matches!(rest, [_, b'!' | b'/' | b'?', ..]) {
            let end = rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len());
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
    None
}

/// The encoding declared in a META tag with these attributes.
fn of_meta(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let (mut is_content_type, mut charset, mut of_content) = (false, None, None);
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for (name, value) in attributes {
        let name = name.to_ascii_lowercase();
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" => is_content_type = value.eq_ignore_ascii_case(b"content-type"),
            b"content" => of_content = charset_in(value),
            b"charset" => charset = Some(Encoding::for_label(value)),
            _ => {}
        }
        seen.push(name);
    }
    // The declaration was read as ASCII, so the page is not in UTF-16.
    let found = charset.unwrap_or(of_content.filter(|_| is_content_type))?;
    Some(match found {
        encoding if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
        encoding => encoding,
    })
}

/// The encoding after `charset=` ("extracting a character encoding from a meta element").
fn charset_in(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let start = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[start + 7..].trim_ascii_start();
        if let Some(label) = rest.strip_prefix(b"=") {
            let label = label.trim_ascii_start();
            let label = match label {
                [quote @ (b'"' | b'\''), quoted @ ..] => {
                    &quoted[..quoted.iter().position(|byte| byte == quote)?]
                }
                _ => {
                    let is_end = |&byte: &u8| is_space(byte) || byte == b';';
                    &label[..label.iter().position(is_end).unwrap_or(label.len())]
                }
            };
            return Encoding::for_label(label);
        }
    }
}

/// Iterates over the attributes of a tag, starting after its name. Leaves the bytes after the tag.
struct Attributes<'t>(&'t [u8]);

impl<'t> Iterator for Attributes<'t> {
    type Item = (&'t [u8], &'t [u8]);

    /// HTML's "get an attribute".
    fn next(&mut self) -> Option<Self::Item> {
        self.skip(|byte| is_space(byte) || byte == b'/');
        if matches!(self.0.first(), None | Some(b'>')) {
            return None;
        }
        let first = usize::from(self.0[0] == b'=');
        let is_end = |byte: u8| is_space(byte) || matches!(byte, b'=' | b'/' | b'>');
        let end =
            first + self.0[first..].iter().position(|&byte| is_end(byte)).unwrap_or(self.0.len() - first);
        let name = self.cut(end);
        self.skip(is_space);
        if self.0.first() != Some(&b'=') {
            return Some((name, b""));
        }
        self.cut(1);
        self.skip(is_space);
        let value = match self.0.first() {
            Some(&quote @ (b'"' | b'\'')) => {
                self.cut(1);
                let value = self.cut(self.0.iter().position(|&byte| byte == quote).unwrap_or(self.0.len()));
                self.cut(1.min(self.0.len()));
                value
            }
            _ => {
                let is_end = |&byte: &u8| is_space(byte) || byte == b'>';
                self.cut(self.0.iter().position(is_end).unwrap_or(self.0.len()))
            }
        };
        Some((name, value))
    }
}

impl<'t> Attributes<'t> {
    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        let end = self.0.iter().position(|&byte| !is_skipped(byte)).unwrap_or(self.0.len());
        self.cut(end);
    }

    /// Splits off the next bytes.
    fn cut(&mut self, end: usize) -> &'t [u8] {
        let (cut, rest) = self.0.split_at(end);
        self.0 = rest;
        cut
    }
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(start: &[u8], content_type: Option<&str>) -> &'static str {
        Decoding::new(start, content_type).decoder.encoding().name()
    }

    #[test]
    fn mark_then_header_then_declaration_then_guess() {
        let declared = b"<meta charset='koi8-r'>";
        assert_eq!(encoding(b"\xEF\xBB\xBF<meta charset=koi8-r>", Some("text/html; charset=big5")), "UTF-8");
        assert_eq!(encoding(b"\xFF\xFE<\0", None), "UTF-16LE");
        assert_eq!(encoding(declared, Some("text/html; Charset=\"Big5\"; x=y")), "Big5");
        assert_eq!(encoding(declared, Some("text/html")), "KOI8-R");
        assert_eq!(encoding(declared, Some("text/html; charset=strange")), "KOI8-R");
        assert_eq!(encoding("caf\u{e9}".as_bytes(), None), "UTF-8");
        assert_eq!(encoding(b"caf\xC3", None), "UTF-8", "a truncated character");
        assert_eq!(encoding(b"caf\xE9 au lait", None), "windows-1252");
    }

    #[test]
    fn row_p15_xml_declarations() {
        let cases: [(&[u8], &str); 11] = [
            (b"<\0?\0x\0m\0", "UTF-16LE"),
            (b"\0<\0?\0x\0m", "UTF-16BE"),
            (b"<\0!\0", "UTF-8"),
            (b"<?xml version='1.0' encoding='koi8-r'?><p>", "KOI8-R"),
            (b"<?xml encoding\n = \"Big5\"?>", "Big5"),
            (b"<?xml encoding='utf-16'?>\xE9 ", "UTF-8"),
            (b"<?xml encoding='koi8-r'?><meta charset=big5>", "Big5"),
            (b"<?xml encoding='koi8 -r'?>", "UTF-8"),
            (b"<?xml encoding=koi8-r?>", "UTF-8"),
            (b"<?xml?> encoding='koi8-r'>", "UTF-8"),
            (b" <?xml encoding='koi8-r'?>", "UTF-8"),
        ];
        for (start, expected) in cases {
            assert_eq!(encoding(start, None), expected, "{}", String::from_utf8_lossy(start));
        }
    }

    #[test]
    fn row_p15_encodings_that_are_replaced_are_read_as_ascii() {
        for label in ["iso-2022-kr", "HZ-GB-2312", "replacement"] {
            assert_eq!(encoding(format!("<meta charset={label}>").as_bytes(), None), "windows-1252");
            assert_eq!(encoding(b"", Some(&format!("text/html; charset={label}"))), "windows-1252");
        }
    }

    #[test]
    fn declarations_are_found_where_html_finds_them() {
        let cases: [(&[u8], &str); 9] = [
            (b"<html><META http-equiv=Content-Type content='text/html; charset=euc-jp'>", "EUC-JP"),
            (b"<meta content='text/html; charset=euc-jp'>", "UTF-8"),
            (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "Big5"),
            (b"<!--><meta charset=big5>", "Big5"),
            (b"<p title='<meta charset=koi8-r>'><meta charset=big5>", "Big5"),
            (b"<meta charset=utf-16><p>", "UTF-8"),
            (b"<meta charset=big5 charset=koi8-r>", "Big5"),
            (b"<metadata charset=big5>", "UTF-8"),
            (b"<meta charset", "UTF-8"),
        ];
        for (start, expected) in cases {
            assert_eq!(encoding(start, None), expected, "{}", String::from_utf8_lossy(start));
        }
    }
}
