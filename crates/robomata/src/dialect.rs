//! Dialects of robots.txt.

use std::fmt;
use std::str::FromStr;

use robomata_protocol as protocol;

/// A dialect of robots.txt: how lines are read, how names choose a group, what patterns mean, and which rule wins.
///
/// ```
/// use robomata::{Dialect, Robots};
///
/// let body = "User-agent: *\nAllow: /\nDisallow: /private";
/// let checks = |dialect| Robots::builder().dialect(dialect).parse(body).is_allowed("ExampleBot", "/private");
/// assert!(!checks(Dialect::Rfc9309), "the longest pattern wins");
/// assert!(checks(Dialect::Koster1996), "the first matching line wins");
/// assert_eq!("google".parse(), Ok(Dialect::Google));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "&'static str"))]
#[non_exhaustive]
pub enum Dialect {
    /// RFC 9309, read literally, and lenient where it allows parsers to be lenient.
    #[default]
    Rfc9309,
    /// Google's open-source parser and matcher, bug for bug.
    Google,
    /// Koster's draft of November 1996: the first matching line decides, and there are no wildcards.
    Koster1996,
    /// RFC 9309 with the fields of ACAP 1.0.
    #[cfg(feature = "permissions")]
    Acap,
    /// Yandex, as its documentation says and its robots.txt tester shows.
    Yandex,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &[Dialect] = &[
        Dialect::Rfc9309,
        Dialect::Google,
        Dialect::Koster1996,
        #[cfg(feature = "permissions")]
        Dialect::Acap,
        Dialect::Yandex,
    ];

    /// The dialect's name: `rfc9309`, `google`, `koster1996`, `acap` or `yandex`.
    pub const fn as_str(self) -> &'static str {
        self.inner().as_str()
    }

    pub(crate) const fn inner(self) -> protocol::Dialect {
        match self {
            Dialect::Rfc9309 => protocol::Dialect::Rfc9309,
            Dialect::Google => protocol::Dialect::Google,
            Dialect::Koster1996 => protocol::Dialect::Koster1996,
            #[cfg(feature = "permissions")]
            Dialect::Acap => protocol::Dialect::Acap,
            Dialect::Yandex => protocol::Dialect::Yandex,
        }
    }

    /// `None` for a dialect that this build does not have.
    pub(crate) fn of(dialect: protocol::Dialect) -> Option<Self> {
        Dialect::ALL.iter().copied().find(|known| known.inner() == dialect)
    }
}

impl From<Dialect> for &'static str {
    fn from(dialect: Dialect) -> Self {
        dialect.as_str()
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = ParseDialectError;

    fn from_str(name: &str) -> Result<Self, ParseDialectError> {
        let named = Dialect::ALL.iter().copied().find(|dialect| dialect.as_str() == name);
        named.ok_or_else(|| ParseDialectError { name: name.to_owned() })
    }
}

impl TryFrom<String> for Dialect {
    type Error = ParseDialectError;

    fn try_from(name: String) -> Result<Self, ParseDialectError> {
        name.parse()
    }
}

/// No dialect has this name.
///
/// ```
/// let error = "bing".parse::<robomata::Dialect>().unwrap_err();
/// assert!(error.to_string().starts_with("unknown dialect 'bing': expected one of rfc9309, google"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseDialectError {
    name: String,
}

impl ParseDialectError {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for ParseDialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
        write!(f, "unknown dialect '{}': expected one of {}", self.name, names.join(", "))
    }
}

impl std::error::Error for ParseDialectError {}
