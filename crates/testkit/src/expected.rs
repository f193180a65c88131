//! The committed list of cases for which our dialects intentionally differ from the case's source.

use std::collections::HashSet;
use std::path::Path;

use robomata_protocol::Dialect;
use serde::Deserialize;

use crate::case::{Case, Expect, Word};
use crate::error::{self, Error, Place};

/// One case for which a dialect intentionally gives a different answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The case's id.
    pub id: String,
    /// The dialect that differs.
    pub dialect: Dialect,
    /// The dialect's own answer.
    pub we_say: Expect,
    /// The reason.
    pub reason: String,
}

/// The list of expected differences.
///
/// The runner checks the list: an entry that no longer differs, or whose case is gone, is reported as stale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    differences: Vec<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    difference: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    dialect: String,
    we_say: Word,
    line: Option<u32>,
    reason: String,
}

impl Expected {
    /// The empty list: every case must be answered as it expects.
    pub const fn none() -> Self {
        Expected { differences: Vec::new() }
    }

    /// Reads the list in the file at `path`.
    pub fn load(path: &Path) -> Result<Self, Error> {
        Expected::parse(&path.display().to_string(), &error::read(path)?)
    }

    /// Reads the list in `text`; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let parsed: File = toml::from_str(text).map_err(|source| Error::toml(file, source))?;
        let mut seen = HashSet::new();
        let mut differences = Vec::new();
        for (index, entry) in parsed.difference.into_iter().enumerate() {
            let table = format!("difference {} ({})", index + 1, entry.id);
            let place = Place { file, table: &table };
            let difference = entry.read(place)?;
            if !seen.insert((difference.id.clone(), difference.dialect)) {
                return Err(place.duplicate(&difference.id));
            }
            differences.push(difference);
        }
        Ok(Expected { differences })
    }

    /// The entries for which `keep` returns true: a run over some sources must not report the entries of others as
    /// stale.
    #[must_use]
    pub fn only(&self, mut keep: impl FnMut(&Difference) -> bool) -> Self {
        Expected { differences: self.differences.iter().filter(|d| keep(d)).cloned().collect() }
    }

    /// All differences, in the file's order.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// The expected difference of `case`.
    pub fn of(&self, case: &Case) -> Option<&Difference> {
        self.differences.iter().find(|d| d.dialect == case.dialect && d.id == case.id)
    }
}

impl Entry {
    fn read(self, place: Place<'_>) -> Result<Difference, Error> {
        if self.reason.trim().is_empty() {
            return Err(place.expected("a `reason`", "an empty one"));
        }
        let Ok(dialect) = self.dialect.parse() else {
            return Err(place.expected("a dialect (rfc9309, google or acap)", format!("'{}'", self.dialect)));
        };
        let we_say = Expect { word: self.we_say, line: self.line };
        Ok(Difference { id: self.id, dialect, we_say, reason: self.reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "[[difference]]\nid = 'a/1'\ndialect = 'google'\nwe_say = 'allow'\nreason = 'so'\n";

    #[test]
    fn a_difference_is_read_and_an_empty_list_is_fine() {
        let list = Expected::parse("demo", ONE).unwrap();
        assert_eq!(list.differences()[0].we_say, Expect { word: Word::Allow, line: None });
        assert_eq!(Expected::parse("demo", "# none yet\n").unwrap(), Expected::none());
        assert_eq!(list.only(|d| d.id.starts_with("b/")), Expected::none());
    }

    #[test]
    fn errors_say_what_was_expected() {
        let error_of = |text: &str| Expected::parse("demo", text).unwrap_err().to_string();
        assert!(error_of(&ONE.replace("'so'", "''")).contains("difference 1 (a/1): expected a `reason`"));
        assert!(error_of(&ONE.replace("'google'", "'bing'")).contains("expected a dialect"));
        assert!(error_of(&format!("{ONE}{ONE}")).contains("difference 2 (a/1): expected an id of its own"));
        assert!(error_of(&format!("{ONE}why = 1")).contains("unknown field `why`"));
    }
}
