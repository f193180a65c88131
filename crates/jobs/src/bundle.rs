//! Opens policy bundles.

use std::path::Path;

use robomata::{Crawler, Dialect, PolicyStore, UsageQuery};

use crate::error::JobError;

/// Maps the bundle at `path` and checks that it can answer the query. Without a dialect, the bundle's own dialect
/// applies. The job that uses the bundle validates its contents in the meantime ([`PolicyStore::validate`]).
///
/// # Errors
/// When the file cannot be read or is not a bundle, and when it was compiled in another dialect, for another usage or
/// without one of the crawlers. In these cases the error lists what the bundle holds.
pub fn open(
    path: &Path,
    dialect: Option<Dialect>,
    usage_query: &UsageQuery,
    crawlers: &[Crawler],
) -> Result<PolicyStore, JobError> {
    let store = PolicyStore::map(path).map_err(|error| JobError::Bundle { path: path.to_owned(), error })?;
    if let Some(dialect) = dialect {
        store.require_dialect(dialect)?;
    }
    store.require_aim(usage_query)?;
    for crawler in crawlers {
        store.checker(crawler)?;
    }
    Ok(store)
}

/// Maps the bundle at `path` and validates its contents.
///
/// # Errors
/// When the file cannot be read, is not a bundle, or is damaged.
pub fn open_whole(path: &Path) -> Result<PolicyStore, JobError> {
    PolicyStore::open(path).map_err(|error| JobError::Bundle { path: path.to_owned(), error })
}
