//! Opens policy bundles.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use robomata_engine::{
    Crawler, Dialect, Fingerprint, OpenError, PolicySet, PolicySetError, PolicyStore, ShardFiles,
    ShardNumber, UnsupportedQueryError, UsageQuery,
};
use robomata_formats::{Output, ScratchFile};

use crate::error::JobError;

/// Checks that `store` can answer the query. Without a dialect, the store's own dialect applies.
///
/// # Errors
/// When the store was compiled in another dialect, for another usage or without one of the crawlers. The error lists
/// what the store holds.
pub fn require(
    store: &PolicyStore,
    dialect: Option<Dialect>,
    usage_query: &UsageQuery,
    crawlers: &[Crawler],
) -> Result<(), UnsupportedQueryError> {
    if let Some(dialect) = dialect {
        store.require_dialect(dialect)?;
    }
    store.require_usage_query(usage_query)?;
    store.checker_for(crawlers).map(drop)
}

/// Opens the bundle called `name`: its path, perhaps pinned to a fingerprint. If it is one shard of a bundle by its name,
/// opens that shard: for reports about a file, not for answers about sites.
///
/// # Errors
/// When the file cannot be read or is not a valid bundle, when it is another shard than its name says, and when it has
/// another fingerprint.
pub fn open(name: &Path) -> Result<PolicyStore, JobError> {
    let (path, _) = PolicySet::split_pin(name);
    open_as(name, ShardFiles::of_shard(path).map(|(_, shard)| shard))
}

/// Opens the bundle called `name`, or this shard of a bundle.
pub(crate) fn open_as(name: &Path, shard: Option<ShardNumber>) -> Result<PolicyStore, JobError> {
    let (path, pin) = PolicySet::split_pin(name);
    let store = PolicyStore::open_as(path, shard).map_err(|error| JobError::bundle(path, error))?;
    require_pin(path, pin, &store)?;
    Ok(store)
}

/// Checks that the bundle at `path` has the fingerprint to which its name is pinned, if it is.
fn require_pin(path: &Path, pin: Option<Fingerprint>, store: &PolicyStore) -> Result<(), JobError> {
    let found = store.fingerprint();
    match pin {
        Some(expected) if expected != found => {
            Err(JobError::Policies(PolicySetError::Stale { name: path.to_owned(), expected, found }))
        }
        _ => Ok(()),
    }
}

/// A bundle in a scratch file, which is mapped into memory. To merge and divide bundles takes bounded memory, however
/// large they are.
pub(crate) struct ScratchBundle {
    store: PolicyStore,
    /// Removed after the map.
    _file: ScratchFile,
}

impl Borrow<PolicyStore> for ScratchBundle {
    fn borrow(&self) -> &PolicyStore {
        &self.store
    }
}

impl ScratchBundle {
    /// Maps the bundle in `file`, or this shard of a bundle.
    #[expect(unsafe_code, reason = "bundles can be larger than the memory")]
    pub(crate) fn map(file: ScratchFile, shard: Option<ShardNumber>) -> Result<Self, OpenError> {
        // SAFETY: this process has created the file, under a hidden name of random characters, and holds its lock. It
        // does not write to it any more: this value owns it.
        let store = unsafe { PolicyStore::map(file.path(), shard)? };
        Ok(ScratchBundle { store, _file: file })
    }

    /// Opens a copy of the bundle called `name`, or of this shard of a bundle, next to `output`, which is to become the
    /// file `to`. Unlike the bundle itself, the copy is hidden and locked.
    ///
    /// # Errors
    /// When the file cannot be read, is not a valid bundle or has another fingerprint, and when the copy cannot be
    /// written.
    pub(crate) fn copy(
        name: &Path,
        shard: Option<ShardNumber>,
        output: &Output,
        to: &Path,
    ) -> Result<Self, JobError> {
        let (path, pin) = PolicySet::split_pin(name);
        let bundle = |error| JobError::bundle(path, error);
        let copy = |error| JobError::Part { of: to.to_owned(), error };
        let mut file = File::open(path).map_err(|error| bundle(error.into()))?;
        let mut scratch = output.scratch().map_err(copy)?;
        let mut buffer = vec![0; 1 << 20];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(bytes) => scratch.write_all(&buffer[..bytes]).map_err(copy)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(bundle(error.into())),
            }
        }
        let bundle = ScratchBundle::map(scratch, shard).map_err(bundle)?;
        require_pin(path, pin, &bundle.store)?;
        Ok(bundle)
    }
}
