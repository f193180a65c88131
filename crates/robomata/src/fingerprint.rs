//! Identities of policy sets.

use std::fmt;
use std::str::FromStr;

use robomata_evaluator as evaluator;

/// Identity of the contents of a [`PolicySet`](crate::PolicySet): sets with the same fingerprint have the same bytes. It
/// is written as 32 hexadecimal digits. It detects changes by accident, not by an adversary.
///
/// After a `#`, it pins a path: [`PolicySet::open`](crate::PolicySet::open) refuses another bundle at that path.
///
/// ```
/// use robomata::{Fingerprint, PolicySet};
///
/// let fingerprint = PolicySet::builder().build().fingerprint();
/// assert_eq!(fingerprint.to_string().parse::<Fingerprint>()?, fingerprint);
/// # Ok::<(), robomata::ParseFingerprintError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct Fingerprint(pub(crate) evaluator::Fingerprint);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    fn from_str(text: &str) -> Result<Self, ParseFingerprintError> {
        text.parse().map(Fingerprint).map_err(|_| ParseFingerprintError { text: text.to_owned() })
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = ParseFingerprintError;

    fn try_from(text: String) -> Result<Self, ParseFingerprintError> {
        text.parse()
    }
}

/// A text is not a fingerprint.
///
/// ```
/// let error = "12".parse::<robomata::Fingerprint>().unwrap_err();
/// assert_eq!(error.to_string(), "'12' is not a fingerprint: expected 32 hexadecimal digits");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFingerprintError {
    text: String,
}

impl ParseFingerprintError {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is not a fingerprint: expected 32 hexadecimal digits", self.text)
    }
}

impl std::error::Error for ParseFingerprintError {}
