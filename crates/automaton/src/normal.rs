//! The normal form in which patterns and URLs are compared (RFC 9309, section 2.2.2; Koster 1996, section 3.2.2;
//! `crates/DIALECTS.md`, N1 and N2).
//!
//! One normalizer serves both sides: [`NormalForm::push`] converts one written byte, or one `%xx`. Whether a reserved
//! byte equals its `%xx` depends on the [`Part`] of the URL, or of the pattern, that contains it.

use robomata_protocol::Dialect;
use robomata_protocol::semantics::Normalization;

use crate::block::{Block, for_each_block, position, position_by};

/// The normal forms of the dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalForm {
    /// %xx is decoded if the byte is unreserved, or does not act as a delimiter. Other hex digits are in upper case, bytes
    /// that no URI has are encoded, and `%2A` and `%24` are decoded to literal `*` and `$`.
    Rfc9309,
    /// Hex digits are in upper case, bytes of 0x80 and more are encoded, and nothing is decoded.
    Escaped,
    /// As written.
    Verbatim,
    /// Like [`NormalForm::Rfc9309`], then with ASCII letters in lower case (ACAP; `crates/PERMISSIONS.md`, A8).
    Folded,
    /// Every %xx is decoded except %2F, which is a symbol of its own, written `%2F`. To keep that unique, the byte `%`
    /// is written `%25`. No symbol's text begins another one's, so prefixes of the form are prefixes of symbols.
    Decoded,
}

/// The part of a URL or pattern that contains a byte: before or after the first unescaped `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Path,
    Query,
}

impl NormalForm {
    /// The form of a dialect's patterns.
    pub const fn of_patterns(dialect: Dialect) -> Self {
        match dialect.semantics().normalization {
            Normalization::WhereNoDelimiter => NormalForm::Rfc9309,
            Normalization::EscapedPatterns => NormalForm::Escaped,
            Normalization::Decoded => NormalForm::Decoded,
        }
    }

    /// The form of a dialect's URLs.
    pub const fn of_urls(dialect: Dialect) -> Self {
        match dialect.semantics().normalization {
            Normalization::WhereNoDelimiter => NormalForm::Rfc9309,
            Normalization::EscapedPatterns => NormalForm::Verbatim,
            Normalization::Decoded => NormalForm::Decoded,
        }
    }

    /// Appends the normal form of the first byte, or the first `%xx`, of `written`, and returns its length. `part` is
    /// the part that contains it; it is updated for the rest.
    ///
    /// # Panics
    /// When `written` is empty.
    #[inline]
    pub(crate) fn push(self, written: &[u8], part: &mut Part, out: &mut Vec<u8>) -> usize {
        let first = written[0];
        if first == b'?' {
            *part = Part::Query;
        }
        match self {
            NormalForm::Verbatim => out.push(first),
            NormalForm::Folded => {
                let start = out.len();
                let length = NormalForm::Rfc9309.push(written, part, out);
                out[start..].make_ascii_lowercase();
                return length;
            }
            NormalForm::Decoded => return push_decoded(written, out),
            _ if first >= 0x80 || self == NormalForm::Rfc9309 && is_in_no_uri(first) => {
                push_encoded(first, out);
            }
            _ if first == b'%' => {
                if let Some(byte) = hex_byte(written) {
                    if self == NormalForm::Rfc9309 && is_decoded(byte, *part) {
                        out.push(byte);
                    } else {
                        push_encoded(byte, out);
                    }
                    return 3;
                }
                out.push(b'%');
            }
            _ => out.push(first),
        }
        1
    }

    /// Whether `target` is already in every dialect's normal form, without a fragment to cut. (A dialect may still have
    /// to cut the query.) Also false for a few other texts: see `is_odd`.
    #[inline]
    pub fn is_plain(target: &[u8]) -> bool {
        let mut odd = Block::splat(0);
        for_each_block(target, b'/', |block| odd = odd.or(odd_bytes(block)));
        !odd.any_high()
    }

    /// The normal form of a target, in `buffer` if it differs from the text as written.
    #[inline]
    pub fn of_target<'t>(self, target: &'t [u8], buffer: &'t mut Vec<u8>) -> &'t [u8] {
        if self == NormalForm::Verbatim {
            return target;
        }
        let odd = position_of_odd(target).unwrap_or(target.len());
        if odd == target.len() && self != NormalForm::Folded {
            return target;
        }
        buffer.clear();
        if self == NormalForm::Folded {
            self.push_all(target, &mut Part::Path, buffer);
        } else {
            self.push_odd(target, odd, buffer);
        }
        buffer
    }

    /// Appends the normal form of a target whose first odd byte is at `odd`.
    fn push_odd(self, target: &[u8], odd: usize, out: &mut Vec<u8>) {
        let query = position(target, b'?').unwrap_or(target.len());
        out.extend_from_slice(&target[..odd]);
        let mut at = odd;
        while let Some(first) = target.get(at) {
            if is_odd(*first) {
                let mut part = if at < query { Part::Path } else { Part::Query };
                at += self.push(&target[at..], &mut part, out);
            } else {
                let same = &target[at..];
                let same = &same[..position_of_odd(same).unwrap_or(same.len())];
                out.extend_from_slice(same);
                at += same.len();
            }
        }
    }
}

impl NormalForm {
    /// Appends the normal form of all of `written`, whose first byte is in `part`. Returns the length for the order of
    /// rules (R1): an encoded `%2A` or `%24` that is decoded counts as three bytes.
    pub(crate) fn push_all(self, mut written: &[u8], part: &mut Part, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        let mut decoded_marks = 0;
        while !written.is_empty() {
            let length = self.push(written, part, out);
            let is_mark = matches!(out.last(), Some(b'*' | b'$')) && self != NormalForm::Decoded;
            decoded_marks += usize::from(length == 3 && is_mark);
            written = &written[length..];
        }
        out.len() - start + 2 * decoded_marks
    }
}

/// The readings of `pattern` as written (N1b): one or two.
pub fn readings(pattern: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    std::iter::once(pattern.to_vec()).chain(query_reading(pattern))
}

/// The second reading of `pattern` (N1b), in which the text after its first `*` is in the query. The URL determines
/// which reading applies. `None` when both readings are the same.
pub(crate) fn query_reading(pattern: &[u8]) -> Option<Vec<u8>> {
    // Few patterns have an escape: one search excludes all others.
    memchr::memchr(b'%', pattern)?;
    let star = memchr::memchr(b'*', pattern)?;
    let query = memchr::memchr(b'?', pattern).unwrap_or(pattern.len());
    let mut rest = pattern.get(star..query)?;
    let mut out = pattern[..star].to_vec();
    let mut is_other = false;
    while let Some(&first) = rest.first() {
        match hex_byte(rest) {
            // The byte itself would also match in the path, so the star has to extend into the query.
            Some(b'/' | b'?') if !is_other => {
                return Some([&pattern[..star], b"*?", &pattern[star..]].concat());
            }
            Some(byte) if is_read_by_part(byte) => {
                is_other = true;
                match byte {
                    b'/' | b'?' => out.push(byte),
                    byte => push_encoded_anywhere(byte, &mut out),
                }
                rest = &rest[3..];
            }
            Some(_) => {
                out.extend_from_slice(&rest[..3]);
                rest = &rest[3..];
            }
            None => {
                out.push(first);
                rest = &rest[1..];
            }
        }
    }
    out.extend_from_slice(&pattern[query..]);
    is_other.then_some(out)
}

/// Whether the part of the URL determines if the byte equals its %xx.
pub(crate) const fn is_read_by_part(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'&' | b'+' | b'=')
}

/// Appends a text with the normal form `%xx` in every part: `%%32B` is a `%`, a decoded `2`, and a `B`.
pub(crate) fn push_encoded_anywhere(byte: u8, out: &mut Vec<u8>) {
    let mut encoded = Vec::with_capacity(3);
    push_encoded(byte, &mut encoded);
    push_verbatim_escape(&encoded, out);
}

/// Appends a text whose normal form in every part is the first three bytes of `escape`, a `%` and two hex digits.
pub(crate) fn push_verbatim_escape(escape: &[u8], out: &mut Vec<u8>) {
    out.push(b'%');
    push_encoded(escape[1], out);
    out.push(escape[2]);
}

/// Whether a form changes this byte, or a text is cut there. Also true for `!`, `$` and `~`: they are rare, and it is cheaper
/// not to distinguish them.
#[inline]
pub(crate) fn is_odd(byte: u8) -> bool {
    matches!(byte, 0..=b'%' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{'..)
}

/// The bytes that [`is_odd`], as 0xFF.
#[inline(always)]
pub(crate) fn odd_bytes(block: Block) -> Block {
    // The bytes from `{` on, and then those from 0 to `%`, are the least ones after this addition.
    let at_the_ends = block.plus(Block::splat(5)).less(Block::splat(b'%' + 1 + 5));
    // `<`, `>`, `\`, `^`, `|` and `~` differ in three bits.
    let brackets = block.and(Block::splat(!0x62)).equals(Block::splat(b'<' & !0x62));
    at_the_ends.or(brackets).or(block.equals(Block::splat(b'`')))
}

/// The first position of an odd byte.
#[inline]
fn position_of_odd(text: &[u8]) -> Option<usize> {
    position_by(text, odd_bytes, is_odd)
}

/// Whether no URI has this byte as itself (RFC 3986, section 2).
pub(crate) const fn is_in_no_uri(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F..)
}

/// Whether the byte is written as itself rather than as %xx: unreserved bytes (RFC 3986, 2.3), reserved bytes that are
/// not delimiters in `part`, and the two that patterns could not express otherwise.
#[inline]
pub(crate) const fn is_decoded(byte: u8, part: Part) -> bool {
    match byte {
        b'-' | b'.' | b'_' | b'~' | b'*' | b'$' => true,
        b'!' | b'\'' | b'(' | b')' | b',' | b';' | b':' | b'@' | b'[' | b']' => true,
        b'/' | b'?' => matches!(part, Part::Query),
        b'&' | b'=' | b'+' => matches!(part, Part::Path),
        byte => byte.is_ascii_alphanumeric(),
    }
}

#[inline]
pub(crate) fn hex_byte(written: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = *written else { return None };
    Some(hex_digit(high)? << 4 | hex_digit(low)?)
}

pub(crate) const fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// [`NormalForm::push`] for [`NormalForm::Decoded`].
fn push_decoded(written: &[u8], out: &mut Vec<u8>) -> usize {
    let (byte, length) = hex_byte(written).map_or((written[0], 1), |byte| (byte, 3));
    match byte {
        b'/' if length == 3 => push_encoded(b'/', out),
        b'%' => push_encoded(b'%', out),
        byte => out.push(byte),
    }
    length
}

/// Appends `%xx`.
pub(crate) fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 0xF)]]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(form: NormalForm, written: &str) -> String {
        let mut buffer = Vec::new();
        String::from_utf8(form.of_target(written.as_bytes(), &mut buffer).to_vec()).unwrap()
    }

    #[test]
    fn rfc9309_decodes_unreserved_and_encodes_the_rest() {
        let cases = [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
            ("/foo/bar/\u{30C4}", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
            ("/foo/bar/%62%61%7a", "/foo/bar/baz"),
            ("/a%2fb%0d", "/a%2Fb%0D"),
            ("/%2A%24%7E%5f", "/*$~_"),
            // RFC 9309, figure 4: bytes that are not delimiters equal their %xx.
            ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
            ("/Foo_%28bar%29%21%27%2c%3B%3a%40", "/Foo_(bar)!',;:@"),
            ("/x?%28%29%21%27%2c%3B%3a%40", "/x?()!',;:@"),
            ("/a%26b%3Dc%2Bd%2Fe%3Ff", "/a&b=c+d%2Fe%3Ff"),
            ("/a?b%26c%3Dd%2Be%2Ff%3Fg?h", "/a?b%26c%3Dd%2Be/f?g?h"),
            ("/a%23?%23%25%7f", "/a%23?%23%25%7F"),
            // A URI has these as %xx alone (RFC 3986, section 2).
            ("/ \"<>\\^`{|}? |\t\x01\x7f", "/%20%22%3C%3E%5C%5E%60%7B%7C%7D?%20%7C%09%01%7F"),
            ("/%20%22%3c%3E%5C%5e%60%7B%7c%7D?%20%7c", "/%20%22%3C%3E%5C%5E%60%7B%7C%7D?%20%7C"),
            // Brackets delimit nothing in paths and queries.
            ("/b%5B%5d?filter%5bc%5D=[1]", "/b[]?filter[c]=[1]"),
            ("/100%/%zz/%2", "/100%/%zz/%2"),
        ];
        for (written, expected) in cases {
            assert_eq!(normal(NormalForm::Rfc9309, written), expected);
        }
    }

    #[test]
    fn a_pattern_that_may_reach_the_query_has_two_readings() {
        let form = |pattern: &[u8]| {
            let mut out = Vec::new();
            let counted = NormalForm::Rfc9309.push_all(pattern, &mut Part::Path, &mut out);
            (String::from_utf8(out).unwrap(), counted)
        };
        let cases: [(&str, &str, Option<&str>); 11] = [
            ("/c/*%2b*", "/c/*+*", Some("/c/*%2B*")),
            ("/*%26%3dx%2F", "/*&=x%2F", Some("/*%26%3Dx/")),
            ("/*%3Fa%2Fb%2B", "/*%3Fa%2Fb+", Some("/*?*?a/b%2B")),
            ("/*a*%2F", "/*a*%2F", Some("/*?*a*/")),
            ("/%2B*%2B?%2B", "/+*+?%2B", Some("/+*%2B?%2B")),
            ("/*%%2B%2%2F", "/*%+%2%2F", Some("/*%%2B%2/")),
            ("/*%2A%2F", "/**%2F", Some("/*?**/")),
            ("/%2B*", "/+*", None),
            ("/a?*%2B", "/a?*%2B", None),
            ("/*%28%41", "/*(A", None),
            ("/*+&=/", "/*+&=/", None),
        ];
        for (pattern, in_path, in_query) in cases {
            assert_eq!(form(pattern.as_bytes()).0, in_path, "{pattern}");
            let reading = query_reading(pattern.as_bytes());
            assert_eq!(reading.as_deref().map(|reading| form(reading).0).as_deref(), in_query, "{pattern}");
            // The second reading has no second reading itself.
            assert_eq!(reading.and_then(|reading| query_reading(&reading)), None, "{pattern}");
        }
        assert_eq!(form(b"/%2A%24%28%2B*$"), ("/*$(+*$".to_owned(), 11));
    }

    #[test]
    fn the_decoded_form_keeps_an_encoded_slash_apart() {
        let form = |written: &[u8]| {
            let mut buffer = Vec::new();
            NormalForm::Decoded.of_target(written, &mut buffer).to_vec()
        };
        let cases: [(&[u8], &[u8]); 10] = [
            (b"/a%3cd.html", b"/a<d.html"),
            (b"/%7Ejoe/*$", b"/~joe/*$"),
            (b"/a%2fb", b"/a%2Fb"),
            (b"/a%2Fb", b"/a%2Fb"),
            (b"/a%252Fb", b"/a%252Fb"),
            (b"/100%/%zz/%2", b"/100%25/%25zz/%252"),
            (b"/100%25", b"/100%25"),
            (b"/%%2F%25%32F", b"/%25%2F%252F"),
            (b"/%c3%A9\xC3\xA9", b"/\xC3\xA9\xC3\xA9"),
            (b"/%00%0a%23%3F", b"/\0\n#?"),
        ];
        for (written, expected) in cases {
            assert_eq!(form(written), expected, "{}", written.escape_ascii());
            // The form's own `%xx` represents itself.
            assert_eq!(form(expected), expected, "{}", written.escape_ascii());
        }
    }

    #[test]
    fn odd_bytes_are_found_at_every_position() {
        for length in 0..50 {
            let mut path = vec![b'a'; length];
            assert!(NormalForm::is_plain(&path));
            assert_eq!(position_of_odd(&path), None);
            for at in 0..length {
                for byte in 0..=0xFF {
                    path[at] = byte;
                    assert_eq!(NormalForm::is_plain(&path), !is_odd(byte), "{byte} at {at} of {length}");
                    assert_eq!(position_of_odd(&path), is_odd(byte).then_some(at), "{byte} of {length}");
                }
                path[at] = b'a';
            }
        }
    }

    /// A byte that is not odd is copied, so it must be itself in every form.
    #[test]
    fn bytes_that_are_not_odd_are_themselves_in_every_form() {
        for byte in (0..=0xFF).filter(|&byte| !is_odd(byte)) {
            for form in [NormalForm::Rfc9309, NormalForm::Escaped, NormalForm::Verbatim, NormalForm::Decoded]
            {
                for mut part in [Part::Path, Part::Query] {
                    let mut out = Vec::new();
                    form.push(&[byte, b'4', b'1'], &mut part, &mut out);
                    assert_eq!(out, [byte], "{form:?}");
                }
            }
        }
        let not_plain = (0..=0xFF_u8).filter(|&byte| is_odd(byte) && !is_in_no_uri(byte));
        assert_eq!(not_plain.collect::<Vec<u8>>(), b"!#$%~", "few bytes of URLs are odd");
    }

    #[test]
    fn the_folded_form_has_no_upper_case_wherever_it_comes_from() {
        assert_eq!(normal(NormalForm::Folded, "/A%41%2f%2F\u{C9}b"), "/aa%2f%2f%c3%89b");
        assert_eq!(normal(NormalForm::Folded, "/ABC"), "/abc");
    }

    #[test]
    fn the_escaped_form_decodes_nothing() {
        assert_eq!(normal(NormalForm::Escaped, "/%61%2a\u{E9}%c3"), "/%61%2A%C3%A9%C3");
        assert_eq!(normal(NormalForm::Escaped, "%"), "%");
        assert_eq!(normal(NormalForm::Verbatim, "/%61%2a\u{E9}"), "/%61%2a\u{E9}");
    }
}
