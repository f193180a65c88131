//! The parser's options, and the sets of bytes that a dialect names (`crates/DIALECTS.md`, L7 and G2).

use robomata_protocol::semantics::{NameBytes, ParsingLimit, WhiteSpace};
use robomata_protocol::{Dialect, Semantics, limits};

/// The parser's options: the dialect, and how much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    dialect: Dialect,
    parsing_limit: usize,
}

impl Config {
    /// The dialect with its own parsing limit (L1).
    pub const fn new(dialect: Dialect) -> Self {
        let (ParsingLimit::Option(parsing_limit) | ParsingLimit::NoRulesBeyond(parsing_limit)) =
            dialect.semantics().parsing_limit;
        Config { dialect, parsing_limit }
    }

    /// Sets another parsing limit, in bytes. Lower values are raised to [`limits::MIN_PARSING_LIMIT`] (RFC 9309, 2.5).
    /// It has no effect on a dialect with a limit of its own, and None changes nothing.
    pub fn with_parsing_limit(mut self, bytes: impl Into<Option<usize>>) -> Self {
        if let (Some(bytes), ParsingLimit::Option(_)) = (bytes.into(), self.semantics().parsing_limit) {
            self.parsing_limit = bytes.clamp(limits::MIN_PARSING_LIMIT, limits::MAX_PARSING_LIMIT);
        }
        self
    }

    /// The dialect of the lines.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The maximum number of bytes of a file that are read.
    pub const fn parsing_limit(&self) -> usize {
        self.parsing_limit
    }

    pub(crate) const fn semantics(&self) -> &'static Semantics {
        self.dialect.semantics()
    }
}

/// Whether `byte` is white space around a key or a value.
#[inline]
pub(crate) const fn is_white(byte: u8, white_space: WhiteSpace) -> bool {
    match white_space {
        WhiteSpace::SpaceAndTab => matches!(byte, b' ' | b'\t'),
        WhiteSpace::Ascii => matches!(byte, b' ' | b'\t'..=b'\r'),
    }
}

/// The test whether a byte can be in a name.
#[inline]
pub(crate) const fn name_test(name_bytes: NameBytes) -> fn(u8) -> bool {
    match name_bytes {
        NameBytes::LettersAndDigits => {
            |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
        }
        NameBytes::Letters => |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'),
        NameBytes::Token => is_rfc1945_token_byte,
        NameBytes::All => |_| true,
    }
}

/// `<any CHAR except CTLs or tspecials>` (RFC 1945, 2.2). SP and HT are tspecials too.
const fn is_rfc1945_token_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'(' | b')'
                | b'<'
                | b'>'
                | b'@'
                | b','
                | b';'
                | b':'
                | b'\\'
                | b'"'
                | b'/'
                | b'['
                | b']'
                | b'?'
                | b'='
                | b'{'
                | b'}'
        )
}
