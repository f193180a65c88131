//! The dialects of robots.txt that robomata supports.

use std::fmt;
use std::str::FromStr;

/// A dialect of robots.txt: how lines are parsed, how names choose a group, what patterns mean, and which rule wins.
///
/// Every decision of every dialect is a row of `crates/DIALECTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// RFC 9309, read literally, and lenient where it allows parsers to be lenient.
    #[default]
    Rfc9309,
    /// google/robotstxt at 22b355f, bug for bug.
    Google,
    /// Koster's draft "A Method for Robots Exclusion" of November 1996: the first matching line decides.
    Koster1996,
    /// ACAP 1.0 on top of RFC 9309. RFC 9309 governs everything except ACAP's own fields.
    Acap,
    /// Yandex, as its documentation says and its robots.txt tester shows. RFC 9309 governs everything else.
    Yandex,
}

impl Dialect {
    /// Every dialect, in the order in which help texts list them.
    pub const ALL: [Dialect; 5] =
        [Dialect::Rfc9309, Dialect::Google, Dialect::Koster1996, Dialect::Acap, Dialect::Yandex];

    /// The dialect's name in options, files and outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Dialect::Rfc9309 => "rfc9309",
            Dialect::Google => "google",
            Dialect::Koster1996 => "koster1996",
            Dialect::Acap => "acap",
            Dialect::Yandex => "yandex",
        }
    }
}

/// No dialect has this name; the `Display` text lists the valid names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dialect '{}': expected one of", self.0)?;
        for dialect in Dialect::ALL {
            write!(f, " {dialect}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownDialect {}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_errors_list_the_names() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.as_str().parse(), Ok(dialect));
        }
        let error = "bing".parse::<Dialect>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown dialect 'bing': expected one of rfc9309 google koster1996 acap yandex"
        );
    }
}
