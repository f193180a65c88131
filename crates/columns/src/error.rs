//! What can go wrong: never because of what a URL holds.

use robomata::{CorruptBundleError, CrawlerNameError, Fingerprint, OpenError, UnsupportedQueryError};

/// Columns cannot be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A bundle cannot be opened.
    #[error("{path}: {error}")]
    Open {
        /// Its file.
        path: String,
        /// Why.
        error: OpenError,
    },
    /// A bundle is damaged.
    #[error("{name}: {damage}")]
    Damaged {
        /// As it was opened.
        name: String,
        /// What is wrong with it.
        damage: CorruptBundleError,
    },
    /// A bundle is not the one that was asked for by its fingerprint.
    #[error("{name}: another bundle than was asked for: expected {expected}, found {found}")]
    Stale {
        /// As it was opened.
        name: String,
        /// What was asked for.
        expected: Fingerprint,
        /// What it is.
        found: Fingerprint,
    },
    /// A name is none that policies have.
    #[error("{name}: expected {expected}")]
    Name {
        /// As it was given.
        name: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The bundle does not answer for who asks.
    #[error("{name}: {why}")]
    UnsupportedQueryError {
        /// As it was opened.
        name: String,
        /// What it does not hold.
        why: UnsupportedQueryError,
    },
    /// A text names no crawler.
    #[error(transparent)]
    Crawler(#[from] CrawlerNameError),
    /// A usage has a name that nobody knows.
    #[error("{0}")]
    Usage(String),
    /// A column has a type or length that is not answered.
    #[error("{column}: expected {expected}, found {found}")]
    Column {
        /// What it is for.
        column: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
}
