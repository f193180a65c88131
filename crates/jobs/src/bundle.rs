//! Policies out of a bundle.

use std::path::Path;

use robomata::{Crawler, Dialect, PolicyStore, UsageQuery};

use crate::error::JobError;

/// Maps the bundle at `path` and makes sure that it holds what is asked for. Without a dialect its own is used. That it is
/// whole is found out by the job that uses it, meanwhile ([`PolicyStore::validate`]).
///
/// # Errors
/// When it cannot be read or is no bundle, and when it was compiled in another dialect, for another usage
/// or without one of the crawlers; then the error lists what it holds.
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

/// Maps the bundle at `path` and makes sure that it is whole.
///
/// # Errors
/// When it cannot be read, is no bundle, or is damaged.
pub fn open_whole(path: &Path) -> Result<PolicyStore, JobError> {
    PolicyStore::open(path).map_err(|error| JobError::Bundle { path: path.to_owned(), error })
}
