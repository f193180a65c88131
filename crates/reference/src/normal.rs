//! The normal form in which patterns and URLs are compared (decisions P1, N1, N2; RFC 9309, 2.2.2 and 2.2.3).

use robomata_protocol::Dialect;

/// One element of a pattern in normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// This octet.
    Octet(u8),
    /// `*`: any run of octets, also none.
    AnyRun,
    /// A final `$`: the end of the target.
    End,
}

/// P1 and N2: `*` and the final `$` are recognised as written, everything else is brought to its normal form.
pub(crate) fn pattern(written: &[u8], dialect: Dialect) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let mut rest = written;
    while !rest.is_empty() {
        let len = match rest {
            [b'*', ..] => {
                symbols.push(Symbol::AnyRun);
                1
            }
            [b'$'] => {
                symbols.push(Symbol::End);
                1
            }
            _ => {
                let (unit, len) = first_unit(rest, dialect);
                unit.write(|octet| symbols.push(Symbol::Octet(octet)));
                len
            }
        };
        rest = &rest[len..];
    }
    symbols
}

/// N1 for path and query of a URL: under `google` they are compared as given.
pub(crate) fn target(path_and_query: &[u8], dialect: Dialect) -> Vec<u8> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => {
            let mut normal = Vec::new();
            let mut rest = path_and_query;
            while !rest.is_empty() {
                let (unit, len) = first_unit(rest, dialect);
                unit.write(|octet| normal.push(octet));
                rest = &rest[len..];
            }
            normal
        }
        Dialect::Google => path_and_query.to_vec(),
    }
}

/// An octet of the normal form.
#[derive(Clone, Copy)]
enum Unit {
    /// It stands as itself.
    Plain(u8),
    /// It stands as `%XX`.
    Escaped(u8),
}

impl Unit {
    fn write(self, mut put: impl FnMut(u8)) {
        const HEX_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        match self {
            Unit::Plain(octet) => put(octet),
            Unit::Escaped(octet) => {
                put(b'%');
                put(HEX_DIGITS[usize::from(octet >> 4)]);
                put(HEX_DIGITS[usize::from(octet & 0x0F)]);
            }
        }
    }
}

/// N1 for what stands first in `rest`, which is not empty: its normal form, and how many octets it takes.
fn first_unit(rest: &[u8], dialect: Dialect) -> (Unit, usize) {
    if let [b'%', high, low, ..] = rest
        && let (Some(high), Some(low)) = (hex_value(*high), hex_value(*low))
    {
        let octet = high * 16 + low;
        if is_decoded(octet, dialect) { (Unit::Plain(octet), 3) } else { (Unit::Escaped(octet), 3) }
    } else if rest[0] >= 0x80 {
        (Unit::Escaped(rest[0]), 1)
    } else {
        (Unit::Plain(rest[0]), 1)
    }
}

/// N1: under `rfc9309` an escaped octet is decoded when it is unreserved, or one of figure 6's `*` and `$`.
fn is_decoded(octet: u8, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => is_unreserved(octet) || matches!(octet, b'*' | b'$'),
        Dialect::Google => false,
    }
}

/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"` (RFC 3986, 2.3).
fn is_unreserved(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~')
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
