//! Errors. The content of a URL never causes one.

use robomata::{CorruptBundleError, CrawlerNameError, Fingerprint, OpenError, UnsupportedQueryError};

/// Why columns cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A bundle cannot be opened.
    #[error("{path}: {error}")]
    Open {
        /// The path of the file.
        path: String,
        /// The cause.
        error: OpenError,
    },
    /// A bundle is corrupt.
    #[error("{name}: {damage}")]
    Damaged {
        /// The name that was opened.
        name: String,
        /// What is corrupt.
        damage: CorruptBundleError,
    },
    /// A bundle does not have the expected fingerprint.
    #[error("{name}: another bundle than was asked for: expected {expected}, found {found}")]
    Stale {
        /// The name that was opened.
        name: String,
        /// The expected fingerprint.
        expected: Fingerprint,
        /// The fingerprint found.
        found: Fingerprint,
    },
    /// A name is not a valid name of policies.
    #[error("{name}: expected {expected}")]
    Name {
        /// The name as given.
        name: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The bundle does not support the query.
    #[error("{name}: {why}")]
    UnsupportedQueryError {
        /// The name that was opened.
        name: String,
        /// The cause.
        why: UnsupportedQueryError,
    },
    /// A text does not name a crawler.
    #[error(transparent)]
    Crawler(#[from] CrawlerNameError),
    /// A usage is unknown.
    #[error("{0}")]
    Usage(String),
    /// A column has an unsupported type or length.
    #[error("{column}: expected {expected}, found {found}")]
    Column {
        /// The column.
        column: &'static str,
        /// What the column may be.
        expected: &'static str,
        /// What was found.
        found: String,
    },
}
