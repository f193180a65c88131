//! How a dialect reads lines, as data (`crates/DIALECTS.md`, L1 to K1 and G2).

use robomata_protocol::{Dialect, limits};

/// The parser's options: the dialect, and how much of a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    dialect: Dialect,
    parsing_limit: usize,
}

impl Config {
    /// The dialect with its own parsing limit (L1).
    pub const fn new(dialect: Dialect) -> Self {
        let parsing_limit = match dialect {
            Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap => limits::DEFAULT_PARSING_LIMIT,
            Dialect::Google => limits::MAX_PARSING_LIMIT,
        };
        Config { dialect, parsing_limit }
    }

    /// Sets another parsing limit, in bytes. Lower values are raised to [`limits::MIN_PARSING_LIMIT`] (RFC 9309, 2.5).
    /// It has no effect on a dialect without a limit.
    pub fn with_parsing_limit(mut self, bytes: usize) -> Self {
        if self.dialect != Dialect::Google {
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

    pub(crate) const fn reading(&self) -> &'static Reading {
        Reading::of(self.dialect)
    }
}

/// The line syntax of one dialect.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The number of bytes that are kept of a line (L2).
    pub(crate) line_limit: usize,
    /// The effect of a NUL byte (L5).
    pub(crate) nul: Nul,
    /// Whether a file with a UTF-16 mark is decoded (L4).
    pub(crate) utf16: Utf16,
    /// The white space around keys and values (L7).
    pub(crate) white_space: WhiteSpace,
    /// How the spelling of a key is compared (K1).
    pub(crate) spelling: Spelling,
    /// How a line without a colon is read (L8).
    pub(crate) missing_colon: MissingColon,
    /// Whether ACAP's lines are records of their own (`crates/PERMISSIONS.md`, A1).
    pub(crate) acap: AcapLines,
    /// The grammar for well-formed records.
    pub(crate) grammar: Grammar,
    /// The bytes of a product token in the file and, if the dialect cuts it, of the caller's token (G2, G3).
    pub(crate) is_token_byte: fn(u8) -> bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nul {
    Kept,
    EndsLine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf16 {
    Decoded,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhiteSpace {
    SpaceAndTab,
    Ascii,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    WholeKey,
    PrefixOfKey,
    /// The whole key in the standard spelling: no misspelling is accepted.
    Standard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingColon {
    /// A known key, white space, one run of bytes; even if the value contains a colon.
    KnownKey,
    /// Any two runs of bytes, if the line has no colon at all.
    TwoWords,
    /// The line is not a record.
    NoRecord,
}

/// The grammar that determines the problems of a record; the record is read in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// RFC 9309, section 2.2.
    Rfc9309,
    /// Koster 1996, section 3.3.
    Koster1996,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcapLines {
    Read,
    /// Unknown, like other unknown keys, and reported.
    Ignored,
}

impl Reading {
    pub(crate) const fn of(dialect: Dialect) -> &'static Reading {
        match dialect {
            Dialect::Rfc9309 => &RFC9309,
            Dialect::Google => &GOOGLE,
            Dialect::Koster1996 => &KOSTER1996,
            Dialect::Acap => &ACAP,
        }
    }
}

static RFC9309: Reading = RFC9309_LINES;

static ACAP: Reading = Reading { acap: AcapLines::Read, ..RFC9309_LINES };

const RFC9309_LINES: Reading = Reading {
    line_limit: usize::MAX,
    nul: Nul::Kept,
    utf16: Utf16::Decoded,
    white_space: WhiteSpace::SpaceAndTab,
    spelling: Spelling::WholeKey,
    missing_colon: MissingColon::KnownKey,
    acap: AcapLines::Ignored,
    grammar: Grammar::Rfc9309,
    is_token_byte: |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
};

static GOOGLE: Reading = Reading {
    line_limit: limits::GOOGLE_LINE_LIMIT,
    nul: Nul::EndsLine,
    utf16: Utf16::Bytes,
    white_space: WhiteSpace::Ascii,
    spelling: Spelling::PrefixOfKey,
    missing_colon: MissingColon::TwoWords,
    acap: AcapLines::Ignored,
    grammar: Grammar::Rfc9309,
    is_token_byte: |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'),
};

static KOSTER1996: Reading = Reading {
    line_limit: usize::MAX,
    nul: Nul::Kept,
    utf16: Utf16::Decoded,
    white_space: WhiteSpace::SpaceAndTab,
    spelling: Spelling::Standard,
    missing_colon: MissingColon::NoRecord,
    acap: AcapLines::Ignored,
    grammar: Grammar::Koster1996,
    is_token_byte: is_rfc1945_token_byte,
};

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

impl WhiteSpace {
    pub(crate) const fn holds(self, byte: u8) -> bool {
        match self {
            WhiteSpace::SpaceAndTab => matches!(byte, b' ' | b'\t'),
            WhiteSpace::Ascii => matches!(byte, b' ' | b'\t'..=b'\r'),
        }
    }
}
