//! What is odd about a file's ACAP fields.

use std::fmt;

/// What can be odd about what a robots.txt says in ACAP's words. `crates/PERMISSIONS.md`, rows A1 to A13, says what is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcapOddity {
    /// ACAP 1.0 has no such field; void.
    UnknownField,
    /// The field has no value; void.
    NoValue,
    /// A field of records before the first ACAP-crawler; void.
    OutsideRecord,
    /// A definition behind the first ACAP-crawler; void.
    MisplacedDefinition,
    /// A conventional record of groups behind the first ACAP-crawler; void.
    ConventionalInRecord,
    /// A name beside `*`; void.
    NameBesideStar,
    /// An ACAP-crawler field names nobody.
    NoName,
    /// A field beside a permissions reference; void.
    BesideReference,
    /// A permissions reference not directly behind the crawler fields; void.
    MisplacedReference,
    /// A permissions reference in a file that is itself referred to; void.
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
    /// A path pattern begins with neither `/` nor `*`; a `/` is put before it.
    RelativePattern,
    /// Qualifiers of a prohibition; the prohibition holds without them.
    QualifiedProhibition,
    /// Qualifiers of a local usage; the permission is read as a prohibition.
    QualifiedLocalUsage,
    /// A qualifier of an unknown type; the permission is read as a prohibition.
    UnknownQualifier,
    /// A word that is no qualifier; the permission is read as a prohibition.
    NoQualifier,
    /// A qualifier with a value that it cannot have; the permission is read as a prohibition.
    InvalidQualifierValue,
    /// A qualifier that is not valid with the usage; the permission is read as a prohibition.
    QualifierNotForUsage,
    /// A qualifier that stands there twice; the permission is read as a prohibition.
    RepeatedQualifier,
    /// A quotation mark or an apostrophe in a qualifier's value; it belongs to the value.
    QuoteInValue,
    /// No name that can be defined; the definition is void.
    InvalidName,
    /// The name is defined already; the definition is void.
    DefinedTwice,
    /// The definition of a qualified usage has no qualifiers.
    NothingQualified,
    /// The definition says nothing about its name; void.
    EmptyDefinition,
    /// Words behind a value that has no room for them; ignored.
    TextBehindValue,
    /// A referenced file cannot have conventional records ignored.
    IgnoreInReferencedFile,
}

impl AcapOddity {
    /// A short, stable name, for programs.
    pub const fn code(self) -> &'static str {
        self.words().0
    }

    /// Code and meaning.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            AcapOddity::UnknownField => ("acap-unknown-field", "no field of ACAP 1.0: ignored"),
            AcapOddity::NoValue => ("acap-no-value", "an ACAP field without a value: void"),
            AcapOddity::OutsideRecord => ("acap-outside-record", "before the first ACAP-crawler: void"),
            AcapOddity::MisplacedDefinition => {
                ("acap-misplaced-definition", "a definition behind the first ACAP-crawler: void")
            }
            AcapOddity::ConventionalInRecord => {
                ("acap-conventional-in-record", "a conventional line behind the first ACAP-crawler: void")
            }
            AcapOddity::NameBesideStar => ("acap-name-beside-star", "a crawler's name beside '*': void"),
            AcapOddity::NoName => ("acap-no-name", "names no crawler: this record is for nobody"),
            AcapOddity::BesideReference => {
                ("acap-beside-reference", "nothing may stand beside a permissions reference: void")
            }
            AcapOddity::MisplacedReference => (
                "acap-misplaced-reference",
                "a permissions reference stands directly behind the crawlers: this one is void",
            ),
            AcapOddity::NestedReference => {
                ("acap-nested-reference", "a permissions reference in a referenced file: void")
            }
            AcapOddity::RequestForPurpose => {
                ("acap-request-for-purpose", "an action request has no purpose: void")
            }
            AcapOddity::UnknownAction => ("acap-unknown-action", "no action of ACAP 1.0: void"),
            AcapOddity::UnknownUsage => ("acap-unknown-usage", "no usage of ACAP 1.0: void"),
            AcapOddity::UndefinedName => ("acap-undefined-name", "this name is not defined before: void"),
            AcapOddity::LocalProhibition => {
                ("acap-local-prohibition", "a local usage cannot be prohibited: void")
            }
            AcapOddity::RelativePattern => {
                ("acap-relative-pattern", "begins with neither '/' nor '*': read as if '/' stood before it")
            }
            AcapOddity::QualifiedProhibition => {
                ("acap-qualified-prohibition", "a prohibition has no qualifiers: it holds without them")
            }
            AcapOddity::QualifiedLocalUsage => (
                "acap-qualified-local-usage",
                "a local usage has no further qualifiers: read as a prohibition",
            ),
            AcapOddity::UnknownQualifier => {
                ("acap-unknown-qualifier", "no qualifier of ACAP 1.0: read as a prohibition")
            }
            AcapOddity::NoQualifier => ("acap-no-qualifier", "not 'type=value': read as a prohibition"),
            AcapOddity::InvalidQualifierValue => {
                ("acap-invalid-qualifier-value", "no value of this qualifier: read as a prohibition")
            }
            AcapOddity::QualifierNotForUsage => {
                ("acap-qualifier-not-for-usage", "not valid with this usage: read as a prohibition")
            }
            AcapOddity::RepeatedQualifier => {
                ("acap-repeated-qualifier", "stands here a second time: read as a prohibition")
            }
            AcapOddity::QuoteInValue => ("acap-quote-in-value", "a quote in a value: taken as part of it"),
            AcapOddity::InvalidName => {
                ("acap-invalid-name", "a name is a letter, then letters, digits, '-', '_' and '.': void")
            }
            AcapOddity::DefinedTwice => ("acap-defined-twice", "defined already: void"),
            AcapOddity::NothingQualified => {
                ("acap-nothing-qualified", "a qualified usage without qualifiers: taken as it is")
            }
            AcapOddity::EmptyDefinition => ("acap-empty-definition", "defines nothing: void"),
            AcapOddity::TextBehindValue => ("acap-text-behind-value", "words behind the value: ignored"),
            AcapOddity::IgnoreInReferencedFile => (
                "acap-ignore-in-referenced-file",
                "only the robots.txt can have conventional records ignored: no effect",
            ),
        }
    }
}

impl fmt::Display for AcapOddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().1)
    }
}
