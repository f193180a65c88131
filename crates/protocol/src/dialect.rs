//! The readings of a robots.txt that robomata knows by name.

use std::fmt;
use std::str::FromStr;

/// A reading of robots.txt: how lines are read, how names choose a group, what patterns mean, which rule wins.
///
/// Every decision of every dialect is a row of `crates/DIALECTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// RFC 9309, read literally, lenient where it lets parsers be lenient.
    #[default]
    Rfc9309,
    /// google/robotstxt at 22b355f, bug for bug.
    Google,
    /// ACAP 1.0, part 1, over RFC 9309's reading of the conventional records (`crates/PERMISSIONS.md`, rows A).
    Acap,
}

impl Dialect {
    /// Every dialect, in the order in which help texts list them.
    pub const ALL: [Dialect; 3] = [Dialect::Rfc9309, Dialect::Google, Dialect::Acap];

    /// The name by which the dialect is chosen everywhere.
    pub const fn as_str(self) -> &'static str {
        match self {
            Dialect::Rfc9309 => "rfc9309",
            Dialect::Google => "google",
            Dialect::Acap => "acap",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The name is no dialect's; its `Display` lists those that are.
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
    fn names_round_trip_and_strangers_are_told_the_names() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.as_str().parse(), Ok(dialect));
        }
        let error = "bing".parse::<Dialect>().unwrap_err();
        assert_eq!(error.to_string(), "unknown dialect 'bing': expected one of rfc9309 google acap");
    }
}
