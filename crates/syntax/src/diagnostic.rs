//! Problems in a robots.txt, with their positions.

use std::fmt;

use robomata_protocol::Span;

use crate::acap::AcapOddity;
use crate::key::Key;

/// A problem and its position. No problem stops the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The 1-based number of the line.
    pub line: u32,
    /// The bytes in question.
    pub span: Span,
    /// The kind of problem.
    pub kind: DiagnosticKind,
}

/// The kinds of problems in a robots.txt. `crates/DIALECTS.md` describes how each dialect handles them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// The file begins with a byte order mark; it is skipped.
    ByteOrderMark,
    /// The file begins with a part of a byte order mark; it is skipped.
    PartialByteOrderMark,
    /// The file is UTF-16; it was decoded.
    Utf16,
    /// The file is a web page.
    Html,
    /// The file is longer than the parsing limit; the rest is not read.
    FileCut {
        /// The number of bytes left out.
        bytes: u64,
    },
    /// The line is longer than the dialect allows; the rest is dropped.
    LineCut,
    /// A NUL byte ends the line in this dialect.
    NulEndsLine,
    /// The line has no key and value.
    NoRecord,
    /// Key and value are not separated by a colon; the record is still read.
    MissingColon,
    /// A known misspelling of a key; read as that key.
    MisspeltKey(Key),
    /// An unknown key that resembles this one; it is not read as this one.
    NearMiss(Key),
    /// An unknown key.
    UnknownKey,
    /// A byte that the dialect's grammar excludes; it is kept.
    ExcludedByte(u8),
    /// Text after `*` in a user-agent record; read as `*`.
    TextAfterStar,
    /// A user-agent record lists several names; only the first counts.
    SeveralNames,
    /// Text after the product token; it is cut off.
    NameCut,
    /// A user-agent record without a name.
    NoName,
    /// A pattern that begins with neither `/` nor a special `*`: it matches nothing.
    PatternWithoutSlash,
    /// A pattern that is an absolute URL: it matches nothing.
    AbsoluteUrlPattern,
    /// A rule before the first user-agent record; it is ignored (RFC 9309, 2.2.2).
    RuleBeforeGroup,
    /// A value that is not valid for its key; kept as text.
    MalformedValue(Key),
    /// An item of a list that is not valid for its key; the item has no effect.
    MalformedItem(Key),
    /// A label that its key knows, with a value that it does not know; the item has no effect.
    UnknownPreference(Key),
    /// A label that only this other key knows; the item has no effect.
    LabelOfOtherKey(Key),
    /// White space instead of commas between the items of a list; kept as text.
    MissingComma(Key),
    /// A record that belongs to a group, but comes before the first one; it has no effect.
    RecordBeforeGroup(Key),
    /// More records of an expensive kind than are allowed; it has no effect.
    TooManyRecords(Key),
    /// A TimeGate without an Archived record after it; it has no effect (Memento).
    TimeGateWithoutArchived,
    /// An Archived record without a TimeGate; it has no effect (Memento).
    ArchivedWithoutTimeGate,
    /// An ACAP field, which only the dialect `acap` reads.
    AcapIgnored,
    /// In the dialect `acap`: a problem in an ACAP field.
    Acap(AcapOddity),
    /// White space before the key or before its colon; the record is still read (Koster 1996, 3.3).
    SpaceAroundKey,
    /// A rule with an empty path; it has no effect (Koster 1996, 3.3).
    EmptyPath,
    /// A user-agent line directly after a rule line; it begins a new record (Koster 1996, 3.2).
    RecordNotSeparated,
    /// A rule between a blank line and the next user-agent line; it is ignored (Koster 1996, 3.2).
    RuleOutsideRecord,
    /// User-agent lines without a rule line; they are not a record (Koster 1996, 3.3).
    RecordWithoutRules,
}

impl DiagnosticKind {
    /// A short, stable name for programs.
    pub const fn code(self) -> &'static str {
        match self {
            DiagnosticKind::ByteOrderMark => "byte-order-mark",
            DiagnosticKind::PartialByteOrderMark => "partial-byte-order-mark",
            DiagnosticKind::Utf16 => "utf-16",
            DiagnosticKind::Html => "html",
            DiagnosticKind::FileCut { .. } => "file-cut",
            DiagnosticKind::LineCut => "line-cut",
            DiagnosticKind::NulEndsLine => "nul-ends-line",
            DiagnosticKind::NoRecord => "no-record",
            DiagnosticKind::MissingColon => "missing-colon",
            DiagnosticKind::MisspeltKey(_) => "misspelt-key",
            DiagnosticKind::NearMiss(_) => "near-miss",
            DiagnosticKind::UnknownKey => "unknown-key",
            DiagnosticKind::ExcludedByte(_) => "excluded-byte",
            DiagnosticKind::TextAfterStar => "text-after-star",
            DiagnosticKind::SeveralNames => "several-names",
            DiagnosticKind::NameCut => "name-cut",
            DiagnosticKind::NoName => "no-name",
            DiagnosticKind::PatternWithoutSlash => "pattern-without-slash",
            DiagnosticKind::AbsoluteUrlPattern => "absolute-url-pattern",
            DiagnosticKind::RuleBeforeGroup => "rule-before-group",
            DiagnosticKind::MalformedValue(_) => "malformed-value",
            DiagnosticKind::MalformedItem(_) => "malformed-item",
            DiagnosticKind::UnknownPreference(_) => "unknown-preference",
            DiagnosticKind::LabelOfOtherKey(_) => "label-of-other-field",
            DiagnosticKind::MissingComma(_) => "missing-comma",
            DiagnosticKind::RecordBeforeGroup(_) => "record-before-group",
            DiagnosticKind::TooManyRecords(_) => "too-many-records",
            DiagnosticKind::TimeGateWithoutArchived => "timegate-without-archived",
            DiagnosticKind::ArchivedWithoutTimeGate => "archived-without-timegate",
            DiagnosticKind::AcapIgnored => "acap-ignored",
            DiagnosticKind::Acap(oddity) => oddity.code(),
            DiagnosticKind::SpaceAroundKey => "space-around-key",
            DiagnosticKind::EmptyPath => "empty-path",
            DiagnosticKind::RecordNotSeparated => "record-not-separated",
            DiagnosticKind::RuleOutsideRecord => "rule-outside-record",
            DiagnosticKind::RecordWithoutRules => "record-without-rules",
        }
    }
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagnosticKind::ByteOrderMark => f.write_str("byte order mark: skipped"),
            DiagnosticKind::PartialByteOrderMark => f.write_str("part of a byte order mark: skipped"),
            DiagnosticKind::Utf16 => f.write_str("file in UTF-16: decoded (it must be UTF-8)"),
            DiagnosticKind::Html => {
                f.write_str("a web page, not a robots.txt: its lines are still read")
            }
            DiagnosticKind::FileCut { bytes } => {
                write!(f, "file longer than the parsing limit: the last {bytes} bytes are not read")
            }
            DiagnosticKind::LineCut => f.write_str("line too long: its end is dropped"),
            DiagnosticKind::NulEndsLine => f.write_str("a NUL byte: the line ends there"),
            DiagnosticKind::NoRecord => f.write_str("neither key and value nor a comment: ignored"),
            DiagnosticKind::MissingColon => {
                f.write_str("missing colon between key and value: still read")
            }
            DiagnosticKind::MisspeltKey(key) => write!(f, "misspelt key: read as '{key}'"),
            DiagnosticKind::NearMiss(key) => write!(f, "unknown key: did you mean '{key}'?"),
            DiagnosticKind::UnknownKey => f.write_str("unknown key: kept, but without effect"),
            DiagnosticKind::ExcludedByte(byte) => {
                write!(f, "byte 0x{byte:02X} is not allowed in a value: kept")
            }
            DiagnosticKind::TextAfterStar => f.write_str("text after '*': read as '*' alone"),
            DiagnosticKind::SeveralNames => f.write_str("several names on one line: only the first counts"),
            DiagnosticKind::NameCut => f.write_str("the product token ends here: the rest is cut off"),
            DiagnosticKind::NoName => f.write_str("no product token: this group applies to no crawler"),
            DiagnosticKind::PatternWithoutSlash => f.write_str(
                "a path pattern must begin with '/' (or with '*' in dialects with wildcards): this one matches nothing",
            ),
            DiagnosticKind::AbsoluteUrlPattern => {
                f.write_str("an absolute URL instead of a path pattern: it matches nothing")
            }
            DiagnosticKind::RuleBeforeGroup => f.write_str("rule before any user-agent line: ignored"),
            DiagnosticKind::MalformedValue(key) => write!(f, "not a value of '{key}': kept as text"),
            DiagnosticKind::MalformedItem(key) => write!(f, "not an item of '{key}': ignored"),
            DiagnosticKind::UnknownPreference(key) => {
                write!(f, "neither 'y' nor 'n' for a label of '{key}': nothing is said about it")
            }
            DiagnosticKind::LabelOfOtherKey(key) => {
                write!(f, "a label of '{key}': it says nothing here")
            }
            DiagnosticKind::MissingComma(key) => {
                write!(f, "the items of '{key}' must be separated by commas: the record is ignored")
            }
            DiagnosticKind::RecordBeforeGroup(key) => {
                write!(f, "'{key}' before any user-agent line: ignored")
            }
            DiagnosticKind::TooManyRecords(key) => {
                write!(f, "too many '{key}' records with a star: ignored")
            }
            DiagnosticKind::TimeGateWithoutArchived => {
                f.write_str("'timegate' without an 'archived' after it: ignored")
            }
            DiagnosticKind::ArchivedWithoutTimeGate => {
                f.write_str("'archived' without a well-formed 'timegate' before it: ignored")
            }
            DiagnosticKind::AcapIgnored => f.write_str("an ACAP field: only read in dialect acap"),
            DiagnosticKind::Acap(oddity) => oddity.fmt(f),
            DiagnosticKind::SpaceAroundKey => {
                f.write_str("white space before the key or its colon: still read")
            }
            DiagnosticKind::EmptyPath => f.write_str("an empty path: the rule has no effect"),
            DiagnosticKind::RecordNotSeparated => {
                f.write_str("no blank line before this user-agent line: it still begins a new record")
            }
            DiagnosticKind::RuleOutsideRecord => f.write_str(
                "rule after a blank line, before any user-agent line: not part of a record, ignored",
            ),
            DiagnosticKind::RecordWithoutRules => {
                f.write_str("a blank line or the end of the file before any rule: these names have no record")
            }
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.kind)
    }
}
