//! Errors. The content of a URL never causes one.

use robomata_engine::{CrawlerNameError, PolicySetError, UnsupportedQueryError};
use robomata_url_columns::ColumnError;

/// Why columns cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnsError {
    /// A bundle or a shard cannot be opened.
    #[error(transparent)]
    Policies(#[from] PolicySetError),
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
    #[error(transparent)]
    Column(#[from] ColumnError),
}
