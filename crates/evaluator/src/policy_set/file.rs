//! A bundle's file, and how to detect that it was replaced.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::PolicySetError;
use crate::store::{OpenError, PolicyStore};

/// An open store.
pub(super) struct Opened {
    pub(super) store: PolicyStore,
    /// The state of the file; `None` for a store in memory.
    state: Option<FileState>,
}

/// The properties that distinguish a changed or replaced file from the opened one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    identity: Identity,
}

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
            if after == before {
                return Ok(Opened { store: opened.map_err(failed)?, state: Some(after) });
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
        self.state.is_none_or(|state| state.is_current(path))
    }
}

impl FileState {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| FileState::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = ();
        FileState { bytes: metadata.len(), modified: metadata.modified().ok(), identity }
    }

    /// Whether the file at `path` has this state.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        FileState::of(path).is_ok_and(|state| state == *self)
    }
}
