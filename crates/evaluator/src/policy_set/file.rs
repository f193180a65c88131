//! A bundle's file, and how to detect that it was replaced.

use std::fs::Metadata;
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::time::UNIX_EPOCH;
use std::time::{Duration, SystemTime};

use super::PolicySetError;
use crate::store::{Fingerprint, OpenError, PolicyStore};

/// An open store.
pub(super) struct Opened {
    pub(super) store: PolicyStore,
    /// The state of the file; `None` for a store in memory.
    state: Option<FileState>,
}

/// The properties that distinguish a changed or replaced file from the opened one.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    identity: Identity,
    /// Whether the file was older than the resolution of its times when it was opened. If not, a later change may have
    /// the same times.
    pub(super) is_settled: bool,
}

/// More than the resolution of the times of any file system.
const RESOLUTION: Duration = Duration::from_secs(3);

/// Device, inode, and the time of the last change of either the contents or the inode.
#[cfg(unix)]
type Identity = (u64, u64, i64, i64);
#[cfg(not(unix))]
type Identity = ();

impl Opened {
    /// Wraps a store in memory.
    pub(super) fn built(store: PolicyStore) -> Self {
        Opened { store, state: None }
    }

    /// Opens the bundle at `path`.
    pub(super) fn open(path: &Path) -> Result<Self, PolicySetError> {
        /// How often to retry when the file is replaced while it is being opened.
        const TRIES: usize = 8;
        let failed = |error| PolicySetError::Open { path: path.to_owned(), error };
        let state = || FileState::of(path).map_err(|error| failed(error.into()));
        let mut before = state()?;
        for _ in 0..TRIES {
            let opened = PolicyStore::open(path);
            let after = state()?;
            if after.is_equal(&before) {
                return Ok(Opened { store: opened.map_err(failed)?, state: Some(before) });
            }
            before = after;
        }
        let busy = io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file is being replaced continually (try again later)",
        );
        Err(failed(OpenError::Io(busy)))
    }

    /// Whether the file at `path` is still the opened one. Always true for a store in memory.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        let Some(state) = self.state else { return true };
        let is_same = || Fingerprint::of_file(path).is_ok_and(|found| found == self.store.fingerprint());
        state.is_current(path) && (state.is_settled || is_same())
    }
}

impl FileState {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| FileState::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (identity, changed) = {
            use std::os::unix::fs::MetadataExt;
            let changed =
                u64::try_from(metadata.ctime()).ok().map(|time| UNIX_EPOCH + Duration::from_secs(time));
            ((metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec()), changed)
        };
        #[cfg(not(unix))]
        let (identity, changed) = ((), None);
        let modified = metadata.modified().ok();
        let last = modified.max(changed);
        let age = last.and_then(|last| SystemTime::now().duration_since(last).ok());
        let is_settled = age.is_some_and(|age| age > RESOLUTION);
        FileState { bytes: metadata.len(), modified, identity, is_settled }
    }

    /// Whether the file at `path` has this state.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        FileState::of(path).is_ok_and(|state| state.is_equal(self))
    }

    fn is_equal(&self, other: &Self) -> bool {
        let state = |state: &Self| (state.bytes, state.modified, state.identity);
        state(self) == state(other)
    }
}
