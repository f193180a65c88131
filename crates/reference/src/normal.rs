//! The normal form in which patterns and URLs are compared (decisions P1, N1, N2; RFC 9309, 2.2.2 and 2.2.3; Koster
//! 1996, 3.2.2).

use robomata_protocol::Dialect;

use crate::matching;

/// One element of a pattern or of a target in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// This byte.
    Byte(u8),
    /// %2F under `koster1996`, in patterns and targets. No byte equals it, not even `/`.
    EncodedSlash,
    /// `*`: any run of bytes, including the empty one.
    AnyRun,
    /// A final `$`: the end of the target.
    End,
}

/// A pattern in normal form, with its rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) symbols: Vec<Symbol>,
    /// R1: the bytes of the normal form, including each `*` and the final `$`. A `%2A` or `%24` counts as the three
    /// bytes that the matched path has ("the match that has the most octets", RFC 9309, 2.2.2; figure 6).
    pub(crate) rank: usize,
}

/// The part of a URL that a byte is in: the path ends before the first `?` (RFC 3986, 3.3). Patterns are divided in the
/// same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Path,
    Query,
}

impl Part {
    /// The part of the bytes after the byte `raw`. A further `?` in the query is data (RFC 3986, 3.4).
    fn after(self, raw: u8) -> Part {
        if raw == b'?' { Part::Query } else { self }
    }
}

/// P1 and N2: `*` and the final `$` are recognised as written; everything else is normalised.
///
/// Returns one pattern, or two under `rfc9309`: a `*` may reach from the path into the query, so the text after it may
/// be in either. If that makes a difference, the rule has both readings (N1), with the path first. "The match evaluates
/// positively if and only if the end of the path from the rule is reached before a difference in bytes" (2.2.2):
/// `/*%2B` matches `/a?b%2B`, byte for byte.
pub(crate) fn patterns(written: &[u8], dialect: Dialect) -> Vec<Pattern> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => {
            let mut readings = vec![wildcard_pattern(written, Part::Path, Form::Rfc9309)];
            if let Some(escaped) = first_ambiguous_escape(written) {
                let mut in_query = wildcard_pattern(written, Part::Query, Form::Rfc9309);
                // A byte decoded in the query equals a byte of the path, so the star must reach over the `?`.
                let star = in_query.symbols.iter().position(|&symbol| symbol == Symbol::AnyRun);
                if let (b'/' | b'?', Some(star)) = (escaped, star) {
                    let over_the_mark = [Symbol::AnyRun, Symbol::Byte(b'?'), Symbol::AnyRun];
                    in_query.symbols.splice(star..=star, over_the_mark);
                    in_query.rank += 2;
                }
                readings.push(in_query);
            }
            readings
        }
        Dialect::Google => vec![wildcard_pattern(written, Part::Path, Form::Google)],
        // P1: "every octet in the path portion of the URL and the path from the record".
        Dialect::Koster1996 => {
            let symbols = koster1996_path(written);
            vec![Pattern { rank: symbols.len(), symbols }]
        }
    }
}

/// The first escape that differs between path and query, after the first `*` and before the first raw `?`.
fn first_ambiguous_escape(written: &[u8]) -> Option<u8> {
    let path = written.split(|&byte| byte == b'?').next()?;
    let mut rest = &path[path.iter().position(|&byte| byte == b'*')?..];
    while !rest.is_empty() {
        let escaped = rest.get(..3).filter(|unit| unit[0] == b'%').and_then(|unit| hex_pair(&unit[1..]));
        match escaped {
            Some(byte @ (b'&' | b'+' | b'=' | b'/' | b'?')) => return Some(byte),
            Some(_) => rest = &rest[3..],
            None => rest = &rest[1..],
        }
    }
    None
}

/// Returns whether one of the readings matches.
pub(crate) fn do_any_match(patterns: &[Pattern], target: &[Symbol]) -> bool {
    patterns.iter().any(|pattern| matching::matches(&pattern.symbols, target, &mut Vec::new()))
}

/// The normal form, in which the text after the first `*` is read as the part `after_star`.
fn wildcard_pattern(written: &[u8], after_star: Part, form: Form) -> Pattern {
    let mut pattern = Pattern { symbols: Vec::new(), rank: 0 };
    let mut part = Part::Path;
    let mut rest = written;
    while !rest.is_empty() {
        let (len, counted) = match rest {
            [b'*', ..] => {
                pattern.symbols.push(Symbol::AnyRun);
                if part == Part::Path {
                    part = after_star;
                }
                (1, 1)
            }
            [b'$'] => {
                pattern.symbols.push(Symbol::End);
                (1, 1)
            }
            _ => {
                let (unit, len) = first_unit(rest, part, form);
                unit.write(|byte| pattern.symbols.push(Symbol::Byte(byte)));
                let counted = match unit {
                    Unit::Plain(b'*' | b'$') => len,
                    Unit::Plain(_) => 1,
                    Unit::Escaped(_) => 3,
                };
                (len, counted)
            }
        };
        part = part.after(rest[0]);
        pattern.rank += counted;
        rest = &rest[len..];
    }
    pattern
}

/// N1 for path and query of a URL. Under `google` they are compared as given.
pub(crate) fn target(path_and_query: &[u8], dialect: Dialect) -> Vec<Symbol> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => {
            let mut normal = Vec::new();
            let mut part = Part::Path;
            let mut rest = path_and_query;
            while !rest.is_empty() {
                let (unit, len) = first_unit(rest, part, Form::Rfc9309);
                unit.write(|byte| normal.push(Symbol::Byte(byte)));
                part = part.after(rest[0]);
                rest = &rest[len..];
            }
            normal
        }
        Dialect::Google => path_and_query.iter().copied().map(Symbol::Byte).collect(),
        Dialect::Koster1996 => koster1996_path(path_and_query),
    }
}

/// N1 under `koster1996`: "If a %xx encoded octet is encountered it is unencoded prior to comparison, unless it is the "/"
/// character, which has special meaning in a path" (3.2.2).
fn koster1996_path(written: &[u8]) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut at = 0;
    while at < written.len() {
        match (written[at], written.get(at + 1..at + 3).and_then(hex_pair)) {
            (b'%', Some(b'/')) => {
                symbols.push(Symbol::EncodedSlash);
                at += 3;
            }
            (b'%', Some(byte)) => {
                symbols.push(Symbol::Byte(byte));
                at += 3;
            }
            (byte, _) => {
                symbols.push(Symbol::Byte(byte));
                at += 1;
            }
        }
    }
    symbols
}

/// The byte that `hex hex` represents.
fn hex_pair(digits: &[u8]) -> Option<u8> {
    Some(hex_value(digits[0])? * 16 + hex_value(digits[1])?)
}

/// A byte of the normal form.
#[derive(Clone, Copy)]
enum Unit {
    /// A byte written as itself.
    Plain(u8),
    /// A byte written as `%XX`.
    Escaped(u8),
}

impl Unit {
    fn write(self, mut put: impl FnMut(u8)) {
        const HEX_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        match self {
            Unit::Plain(byte) => put(byte),
            Unit::Escaped(byte) => {
                put(b'%');
                put(HEX_DIGITS[usize::from(byte >> 4)]);
                put(HEX_DIGITS[usize::from(byte & 0x0F)]);
            }
        }
    }
}

/// N1 for the beginning of `rest`, which is not empty and lies in `part`: its normal form, and its length in bytes.
fn first_unit(rest: &[u8], part: Part, form: Form) -> (Unit, usize) {
    if let [b'%', high, low, ..] = rest
        && let (Some(high), Some(low)) = (hex_value(*high), hex_value(*low))
    {
        let byte = high * 16 + low;
        if form.decodes(byte, part) { (Unit::Plain(byte), 3) } else { (Unit::Escaped(byte), 3) }
    } else if form.encodes(rest[0]) {
        (Unit::Escaped(rest[0]), 1)
    } else {
        (Unit::Plain(rest[0]), 1)
    }
}

/// The normal forms (N1) in which `*` and `$` are special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Rfc9309,
    Google,
}

impl Form {
    /// Returns whether an escaped byte is decoded in this part.
    ///
    /// Under `rfc9309` it is in three cases. It is unreserved, it is one of figure 6's `*` and `$`, or it is reserved and
    /// delimits nothing at its position, so that it equals the raw byte (figure 4, row 2).
    ///
    /// `/`, `?` and `#` delimit the path. `#` also delimits the query, and so do `&`, `=` and `+` as forms write it. `[`
    /// and `]` delimit only the address in a host (RFC 3986, 2.2 and 3.2.2).
    fn decodes(self, byte: u8, part: Part) -> bool {
        if self == Form::Google {
            return false;
        }
        let is_data_here = match part {
            Part::Path => matches!(byte, b'&' | b'=' | b'+'),
            Part::Query => matches!(byte, b'/' | b'?'),
        };
        let is_data_everywhere =
            matches!(byte, b'!' | b'\'' | b'(' | b')' | b',' | b';' | b':' | b'@' | b'[' | b']');
        is_unreserved(byte) || matches!(byte, b'*' | b'$') || is_data_everywhere || is_data_here
    }

    /// Returns whether a raw byte is encoded: one outside ASCII, and under `rfc9309` one that no URI has.
    fn encodes(self, byte: u8) -> bool {
        !byte.is_ascii() || (self == Form::Rfc9309 && is_in_no_uri(byte))
    }
}

/// The bytes of ASCII that are neither reserved nor unreserved, without `%`: a URI has them as %xx only (RFC 3986, 2).
fn is_in_no_uri(byte: u8) -> bool {
    byte.is_ascii_control()
        || matches!(byte, b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"` (RFC 3986, 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
