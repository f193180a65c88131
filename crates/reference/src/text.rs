//! Small parsers that lines and vocabularies share: white space, words, pairs, names.

/// `WS = %x20 / %x09` (L7; RFC 9309, 2.2).
pub(crate) fn is_ws(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// L7 under `google`: the white space of C's `isspace`. Unlike Rust's, it includes VT.
pub(crate) fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// White space of HTML, and of attribute values that are read as words.
pub(crate) fn is_page_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// `text` without the bytes at both ends for which `is_space` is true.
pub(crate) fn trim(text: &[u8], is_space: fn(u8) -> bool) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// The first word of a value, and the text after it, without white space.
pub(crate) fn first_word(value: &[u8]) -> (&[u8], &[u8]) {
    let value = trim(value, is_ws);
    let end = value.iter().position(|&byte| is_ws(byte)).unwrap_or(value.len());
    (&value[..end], trim(&value[end..], is_ws))
}

/// The words of a value.
pub(crate) fn words(value: &[u8]) -> Vec<&[u8]> {
    value.split(|&byte| is_ws(byte)).filter(|word| !word.is_empty()).collect()
}

/// Bytes as text; invalid UTF-8 becomes U+FFFD.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A name of ACAP: a letter, then letters, digits, `-`, `_`, `.` (part 1, section 3), in lower case (A12).
pub(crate) fn name(written: &[u8]) -> Option<String> {
    let (first, others) = written.split_first()?;
    let is_name_char = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (first.is_ascii_alphabetic() && others.iter().all(is_name_char))
        .then(|| text(written).to_ascii_lowercase())
}

/// The text after `prefix`, which is in lower case, if `text` begins with it in any case.
pub(crate) fn after<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.as_bytes().get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix.as_bytes()).then(|| &text[prefix.len()..])
}

/// A word, or a pair `type=value` (A9: white space around `=` is allowed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A word without `=`.
    Plain(String),
    /// The text before the first `=`, and the text after it.
    Pair(String, String),
}

impl Word {
    /// A word without white space, split at its first `=`.
    pub(crate) fn of(written: &str) -> Word {
        match written.split_once('=') {
            Some((kind, value)) => Word::Pair(kind.to_owned(), value.to_owned()),
            None => Word::Plain(written.to_owned()),
        }
    }
}

/// The words of `written`; those around a `=` are joined to pairs, as text.
///
/// The value of a pair ends at white space, so in `a=b =c` the second `=` begins a pair without a type.
pub(crate) fn joined_words(written: &str, is_space: fn(u8) -> bool) -> Vec<String> {
    let bytes = written.as_bytes();
    let skip = |mut at: usize| {
        while at < bytes.len() && is_space(bytes[at]) {
            at += 1;
        }
        at
    };
    let run = |mut at: usize, stop: Option<u8>| {
        while at < bytes.len() && !is_space(bytes[at]) && Some(bytes[at]) != stop {
            at += 1;
        }
        at
    };
    let mut words = Vec::new();
    let mut at = skip(0);
    while at < bytes.len() {
        let end = run(at, Some(b'='));
        let sign = skip(end);
        if bytes.get(sign) == Some(&b'=') {
            let value = skip(sign + 1);
            let value_end = run(value, None);
            words.push(format!("{}={}", &written[at..end], &written[value..value_end]));
            at = skip(value_end);
        } else {
            words.push(written[at..end].to_owned());
            at = sign;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_around_the_sign_belongs_to_the_pair() {
        assert_eq!(joined_words("a  b=c d = e f= g =h", is_ws), ["a", "b=c", "d=e", "f=g", "=h"]);
        assert_eq!(joined_words("a=", is_ws), ["a="]);
        assert_eq!(joined_words("  ", is_ws), [""; 0]);
        assert_eq!(Word::of("a=b=c"), Word::Pair("a".into(), "b=c".into()));
    }
}
