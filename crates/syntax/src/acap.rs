//! Problems in a file's ACAP fields.

use std::fmt;

/// The kinds of problems in the ACAP fields of a robots.txt. `crates/PERMISSIONS.md`, rows A1 to A13, describes how
/// each one is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcapOddity {
    /// ACAP 1.0 has no such field; void.
    UnknownField,
    /// The field has no value; void.
    NoValue,
    /// A field of records before the first ACAP-crawler; void.
    OutsideRecord,
    /// A definition after the first ACAP-crawler; void.
    MisplacedDefinition,
    /// A conventional record of groups after the first ACAP-crawler; void.
    ConventionalInRecord,
    /// A name in addition to `*`; void.
    NameBesideStar,
    /// An ACAP-crawler field without a name.
    NoName,
    /// A name with bytes that no crawler's name has; they are part of it.
    OddName,
    /// A field in the same record as a permissions reference; void.
    BesideReference,
    /// A permissions reference that does not directly follow the crawler fields; void.
    MisplacedReference,
    /// A permissions reference in a file that is itself referenced; void.
    NestedReference,
    /// An action request in a sub-record of purposes; void.
    RequestForPurpose,
    /// ACAP has no such action; void.
    UnknownAction,
    /// ACAP has no such usage; void.
    UnknownUsage,
    /// The local usage or resource set is not defined; void.
    UndefinedName,
    /// A prohibition of a local usage; void.
    LocalProhibition,
    /// A path pattern that begins with neither `/` nor `*`; it is read with a `/` in front.
    RelativePattern,
    /// Qualifiers of a prohibition; the prohibition applies without them.
    QualifiedProhibition,
    /// Qualifiers of a local usage; the permission is read as a prohibition.
    QualifiedLocalUsage,
    /// A qualifier of an unknown type; the permission is read as a prohibition.
    UnknownQualifier,
    /// A word that is not a qualifier; the permission is read as a prohibition.
    NoQualifier,
    /// A qualifier with an invalid value; the permission is read as a prohibition.
    InvalidQualifierValue,
    /// A qualifier that is not valid with the usage; the permission is read as a prohibition.
    QualifierNotForUsage,
    /// A qualifier that occurs twice; the permission is read as a prohibition.
    RepeatedQualifier,
    /// A quotation mark or an apostrophe in a qualifier's value; it is part of the value.
    QuoteInValue,
    /// A name that cannot be defined; the definition is void.
    InvalidName,
    /// The name is already defined; the definition is void.
    DefinedTwice,
    /// The definition of a qualified usage has no qualifiers.
    NothingQualified,
    /// The definition of a name is empty; void.
    EmptyDefinition,
    /// Words after a value that must be one word; ignored.
    TextBehindValue,
    /// A referenced file cannot make crawlers ignore conventional records.
    IgnoreInReferencedFile,
    /// A file without a record of ACAP cannot make crawlers ignore conventional records; void.
    IgnoreWithoutRecord,
}

impl AcapOddity {
    /// A short, stable name for programs.
    pub const fn code(self) -> &'static str {
        self.words().0
    }

    /// Code and meaning.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            AcapOddity::UnknownField => ("acap-unknown-field", "not a field of ACAP 1.0: ignored"),
            AcapOddity::NoValue => ("acap-no-value", "an ACAP field without a value: void"),
            AcapOddity::OutsideRecord => ("acap-outside-record", "before the first ACAP-crawler: void"),
            AcapOddity::MisplacedDefinition => {
                ("acap-misplaced-definition", "a definition after the first ACAP-crawler: void")
            }
            AcapOddity::ConventionalInRecord => {
                ("acap-conventional-in-record", "a conventional line after the first ACAP-crawler: void")
            }
            AcapOddity::NameBesideStar => {
                ("acap-name-beside-star", "a crawler's name in addition to '*': void")
            }
            AcapOddity::NoName => ("acap-no-name", "names no crawler: this record applies to no crawler"),
            AcapOddity::OddName => (
                "acap-odd-name",
                "a crawler's name with quotation marks, colons or the like: read as part of it",
            ),
            AcapOddity::BesideReference => {
                ("acap-beside-reference", "a record with a permissions reference allows no other field: void")
            }
            AcapOddity::MisplacedReference => (
                "acap-misplaced-reference",
                "a permissions reference must directly follow the crawlers: void",
            ),
            AcapOddity::NestedReference => {
                ("acap-nested-reference", "a permissions reference in a referenced file: void")
            }
            AcapOddity::RequestForPurpose => {
                ("acap-request-for-purpose", "an action request cannot have a purpose: void")
            }
            AcapOddity::UnknownAction => ("acap-unknown-action", "not an action of ACAP 1.0: void"),
            AcapOddity::UnknownUsage => ("acap-unknown-usage", "not a usage of ACAP 1.0: void"),
            AcapOddity::UndefinedName => ("acap-undefined-name", "this name is not defined above: void"),
            AcapOddity::LocalProhibition => (
                "acap-local-prohibition",
                "only permissions have local usages: the usages in it are prohibited",
            ),
            AcapOddity::RelativePattern => {
                ("acap-relative-pattern", "begins with neither '/' nor '*': read with '/' in front")
            }
            AcapOddity::QualifiedProhibition => (
                "acap-qualified-prohibition",
                "a prohibition cannot have qualifiers: it applies without them",
            ),
            AcapOddity::QualifiedLocalUsage => (
                "acap-qualified-local-usage",
                "a local usage cannot have further qualifiers: read as a prohibition",
            ),
            AcapOddity::UnknownQualifier => {
                ("acap-unknown-qualifier", "not a qualifier of ACAP 1.0: read as a prohibition")
            }
            AcapOddity::NoQualifier => ("acap-no-qualifier", "not 'type=value': read as a prohibition"),
            AcapOddity::InvalidQualifierValue => {
                ("acap-invalid-qualifier-value", "not a value of this qualifier: read as a prohibition")
            }
            AcapOddity::QualifierNotForUsage => {
                ("acap-qualifier-not-for-usage", "not valid with this usage: read as a prohibition")
            }
            AcapOddity::RepeatedQualifier => {
                ("acap-repeated-qualifier", "occurs here a second time: read as a prohibition")
            }
            AcapOddity::QuoteInValue => {
                ("acap-quote-in-value", "a quotation mark in a value: read as part of it")
            }
            AcapOddity::InvalidName => {
                ("acap-invalid-name", "a name must be a letter, then letters, digits, '-', '_' and '.': void")
            }
            AcapOddity::DefinedTwice => ("acap-defined-twice", "already defined: void"),
            AcapOddity::NothingQualified => {
                ("acap-nothing-qualified", "a qualified usage without qualifiers: read as the plain usage")
            }
            AcapOddity::EmptyDefinition => ("acap-empty-definition", "defines nothing: void"),
            AcapOddity::TextBehindValue => ("acap-text-behind-value", "words after the value: ignored"),
            AcapOddity::IgnoreInReferencedFile => (
                "acap-ignore-in-referenced-file",
                "only the robots.txt itself can disable its conventional records: no effect",
            ),
            AcapOddity::IgnoreWithoutRecord => (
                "acap-ignore-without-record",
                "conventional records can be ignored only in a file with an ACAP-crawler: void",
            ),
        }
    }
}

impl fmt::Display for AcapOddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}
