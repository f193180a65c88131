//! The dialects as data: each dialect is one constant of [`Semantics`].
//!
//! The engine asks for fields and never compares dialects. Each field names the rows of `crates/DIALECTS.md` that it
//! decides, and the last table of that page names the field of each row; a test compares the two.

use crate::lifecycle::Terms;
use crate::{Dialect, FetchOutcome, limits};

/// Everything in which the dialects differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// The length of a file that is read, and the effect of a longer one (L1).
    pub parsing_limit: ParsingLimit,
    /// The number of bytes that are kept of a line (L2).
    pub line_limit: usize,
    /// What a file with a UTF-16 mark is read as (L4).
    pub utf16: Utf16,
    /// The effect of a NUL byte (L5).
    pub nul: Nul,
    /// The white space around keys and values, and after a `*` in a user-agent record (L7, G2).
    pub white_space: WhiteSpace,
    /// How a line without a colon is read (L8).
    pub missing_colon: MissingColon,
    /// How the spelling of a key is compared (K1, K2).
    pub spelling: Spelling,
    /// The grammar that determines which problems are reported (K1, K2, L7, L8, P2).
    pub grammar: Grammar,
    /// The effect of a blank line (Groups, L9, D1, D2).
    pub blank_lines: BlankLines,
    /// What names without rules are (D3).
    pub groups_without_rules: GroupsWithoutRules,
    /// The bytes of a name in a user-agent record (G2).
    pub name_bytes: NameBytes,
    /// How the names of the crawler in a query are compared (G3).
    pub query_names: QueryNames,
    /// Which of several names of a crawler decide (G5).
    pub several_names: SeveralNames,
    /// Which of several groups with the same name apply (G6).
    pub repeated_groups: RepeatedGroups,
    /// Whether `*` is any run of bytes, and a final `$` the end of the path (P1). Otherwise a pattern is a prefix.
    pub wildcards: bool,
    /// The effect of an empty pattern (P3).
    pub empty_pattern: EmptyPattern,
    /// What counts for the length of a pattern (R1).
    pub pattern_length: PatternLength,
    /// The form in which patterns and URLs are compared (N1, N1a, N1b, N2, R1).
    pub normalization: Normalization,
    /// Which of several matching rules decides (R1, R2).
    pub order: RuleOrder,
    /// Whether an allow rule for an index page also applies to its folder (R3).
    pub index_pages: bool,
    /// Where the path of a URL begins and ends (U1, U1a).
    pub url_cut: UrlCut,
    /// Whether the query is compared with patterns (U1).
    pub compares_query: bool,
    /// Whether `/robots.txt` is always allowed (U3).
    pub allows_robots_txt: bool,
    /// The first and the last status code of a success; 206 is none (F1).
    pub success: (u16, u16),
    /// The status codes that restrict access (F1).
    pub restricting: &'static [u16],
    /// The outcome when access is restricted (F1).
    pub restricted: FetchOutcome,
    /// The status codes of 400 to 499 that are failures (F1).
    pub temporary: &'static [u16],
    /// The outcome of a failure (F1).
    pub failure: FetchOutcome,
    /// The outcome of the status codes that have no other meaning, such as 500 (F1).
    pub other_codes: FetchOutcome,
    /// The outcome after too many redirects (F4).
    pub too_many_redirects: FetchOutcome,
    /// The specification that governs the life cycle (F2 to F16).
    pub terms: Terms,
    /// Whether ACAP's lines are records of their own, and decide (A1 to A18 of `crates/PERMISSIONS.md`).
    pub reads_acap: bool,
}

/// The length of a file that is read, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParsingLimit {
    /// An option with this default. Of a longer file, the lines within the limit count.
    Option(usize),
    /// A longer file has no rules. It is no option.
    NoRulesBeyond(usize),
}

/// The effect of a NUL byte in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nul {
    /// It is a byte like any other.
    Kept,
    /// It ends its line.
    EndsLine,
}

/// What a file with a UTF-16 mark is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf16 {
    /// As UTF-16.
    Decoded,
    /// As bytes, like any other file.
    Bytes,
}

/// White space around keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhiteSpace {
    /// SP and HTAB.
    SpaceAndTab,
    /// SP, HTAB, LF, VT, FF and CR.
    Ascii,
}

/// How the spelling of a key is compared, always without case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The whole key. Frequent misspellings are accepted.
    WholeKey,
    /// A prefix of the key. Frequent misspellings are accepted.
    PrefixOfKey,
    /// The whole key in the standard spelling: no misspelling is accepted.
    Standard,
}

/// How a line without a colon is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingColon {
    /// A known key, white space, one run of bytes; even if the value contains a colon.
    KnownKey,
    /// Any two runs of bytes, if the line has no colon at all.
    TwoWords,
    /// The line is not a record.
    NoRecord,
}

/// The grammar that determines the problems of a record; the record is read in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// RFC 9309, section 2.2.
    Rfc9309,
    /// Koster 1996, section 3.3.
    Koster1996,
}

/// The effect of a blank line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlankLines {
    /// Nothing (RFC 9309, 2.2).
    Ignored,
    /// It ends the group, which Koster 1996 calls a record (3.2).
    EndRecords,
}

/// What names without rules are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupsWithoutRules {
    /// A group that allows everything.
    Groups,
    /// No group: they name no crawler.
    NoGroups,
}

/// The bytes of a name in a user-agent record: the name is their leading run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameBytes {
    /// ASCII letters, digits, `_`, `-`, `.`.
    LettersAndDigits,
    /// ASCII letters, `_`, `-`.
    Letters,
    /// `<any CHAR except CTLs or tspecials>` (RFC 1945, 2.2), among them `*`.
    Token,
    /// Every byte: the name is the whole value.
    All,
}

/// How the names of the crawler in a query are compared with the names in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryNames {
    /// Cut in the same way as the names in the file. A name of which nothing is left names no group.
    Cut,
    /// Whole.
    Whole,
}

/// Which of several names of a crawler decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeveralNames {
    /// The first name that has a group decides alone.
    FirstWithGroup,
    /// The groups of all names are merged.
    Merged,
}

/// Which of several groups with the same name apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedGroups {
    /// All of them: they are merged.
    Merged,
    /// The first one decides alone.
    First,
}

/// The effect of an empty pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyPattern {
    /// None.
    NoEffect,
    /// It allows everything that no other rule matches, and determines the line.
    AllowsLast,
    /// An empty disallow rule is `Allow: /`. An empty allow rule has no effect.
    DisallowIsAllow,
}

/// What counts for the length of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternLength {
    /// All bytes of the normal form, with every `*` and the final `$`; a literal `*` or `$` that is written as an escape
    /// counts three.
    Bytes,
    /// The bytes of the normal form, without `*` and the final `$`.
    Literals,
}

/// The form in which patterns and URLs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalization {
    /// On both sides, %xx is decoded where the byte does not act as a delimiter. A pattern in which that depends on
    /// what its star matches is read in both ways.
    WhereNoDelimiter,
    /// Patterns alone are normalized: nothing is decoded, and bytes of 0x80 and more are encoded.
    EscapedPatterns,
    /// On both sides, every %xx is decoded except %2F.
    Decoded,
}

/// Which of several matching rules decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOrder {
    /// Most bytes, then allow over disallow, then the earlier line, which is the one to report among equals (RFC 9309,
    /// 2.2.2).
    MostBytes,
    /// The earlier line: the first match decides (Koster 1996, 3.2.2).
    FirstLine,
}

/// Where the path of a URL begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlCut {
    /// After the authority (RFC 3986); a text that is no URL has no path.
    Rfc3986,
    /// Where `GetPathParamsQuery` of google/robotstxt cuts it: every text has a path, and a NUL ends it.
    GetPathParamsQuery,
}

impl Dialect {
    /// The decisions of the dialect.
    #[inline]
    pub const fn semantics(self) -> &'static Semantics {
        match self {
            Dialect::Rfc9309 => &RFC9309,
            Dialect::Google => &GOOGLE,
            Dialect::Koster1996 => &KOSTER1996,
            Dialect::Acap => &ACAP,
            Dialect::Yandex => &YANDEX,
        }
    }
}

const RFC9309: Semantics = Semantics {
    parsing_limit: ParsingLimit::Option(limits::DEFAULT_PARSING_LIMIT),
    line_limit: usize::MAX,
    utf16: Utf16::Decoded,
    nul: Nul::Kept,
    white_space: WhiteSpace::SpaceAndTab,
    missing_colon: MissingColon::KnownKey,
    spelling: Spelling::WholeKey,
    grammar: Grammar::Rfc9309,
    blank_lines: BlankLines::Ignored,
    groups_without_rules: GroupsWithoutRules::Groups,
    name_bytes: NameBytes::LettersAndDigits,
    query_names: QueryNames::Cut,
    several_names: SeveralNames::FirstWithGroup,
    repeated_groups: RepeatedGroups::Merged,
    wildcards: true,
    empty_pattern: EmptyPattern::NoEffect,
    pattern_length: PatternLength::Bytes,
    normalization: Normalization::WhereNoDelimiter,
    order: RuleOrder::MostBytes,
    index_pages: false,
    url_cut: UrlCut::Rfc3986,
    compares_query: true,
    allows_robots_txt: true,
    success: (200, 299),
    restricting: &[],
    restricted: FetchOutcome::Unreachable,
    temporary: &[],
    failure: FetchOutcome::Unreachable,
    other_codes: FetchOutcome::Unreachable,
    // "crawlers MAY assume that the robots.txt file is unavailable" (2.3.1.2).
    too_many_redirects: FetchOutcome::Unavailable,
    terms: Terms::Rfc9309,
    reads_acap: false,
};

const GOOGLE: Semantics = Semantics {
    parsing_limit: ParsingLimit::Option(limits::MAX_PARSING_LIMIT),
    line_limit: limits::GOOGLE_LINE_LIMIT,
    utf16: Utf16::Bytes,
    nul: Nul::EndsLine,
    white_space: WhiteSpace::Ascii,
    missing_colon: MissingColon::TwoWords,
    spelling: Spelling::PrefixOfKey,
    name_bytes: NameBytes::Letters,
    query_names: QueryNames::Whole,
    // Its API merges the groups of all the caller's names.
    several_names: SeveralNames::Merged,
    empty_pattern: EmptyPattern::AllowsLast,
    normalization: Normalization::EscapedPatterns,
    index_pages: true,
    url_cut: UrlCut::GetPathParamsQuery,
    allows_robots_txt: false,
    // "Too many requests" asks for a lower load, not a higher one (Google's documentation of its fetcher).
    temporary: &[429],
    terms: Terms::Google,
    ..RFC9309
};

const KOSTER1996: Semantics = Semantics {
    missing_colon: MissingColon::NoRecord,
    spelling: Spelling::Standard,
    grammar: Grammar::Koster1996,
    blank_lines: BlankLines::EndRecords,
    groups_without_rules: GroupsWithoutRules::NoGroups,
    name_bytes: NameBytes::Token,
    repeated_groups: RepeatedGroups::First,
    wildcards: false,
    normalization: Normalization::Decoded,
    order: RuleOrder::FirstLine,
    compares_query: false,
    allows_robots_txt: false,
    restricting: &[401, 403],
    restricted: FetchOutcome::Restricted,
    // A time-out, "too early" and "too many requests" are temporary.
    temporary: &[408, 425, 429],
    failure: FetchOutcome::Deferred,
    other_codes: FetchOutcome::Deferred,
    too_many_redirects: FetchOutcome::Deferred,
    terms: Terms::Koster1996,
    ..RFC9309
};

const ACAP: Semantics = Semantics { reads_acap: true, ..RFC9309 };

const YANDEX: Semantics = Semantics {
    parsing_limit: ParsingLimit::NoRulesBeyond(limits::YANDEX_FILE_LIMIT),
    missing_colon: MissingColon::NoRecord,
    spelling: Spelling::Standard,
    name_bytes: NameBytes::All,
    empty_pattern: EmptyPattern::DisallowIsAllow,
    pattern_length: PatternLength::Literals,
    // A file that was not answered with 200 does not restrict anything.
    success: (200, 200),
    other_codes: FetchOutcome::Unavailable,
    terms: Terms::Yandex,
    ..RFC9309
};
