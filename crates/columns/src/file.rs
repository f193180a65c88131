//! A memory-mapped bundle file, and how to detect that it was replaced.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use robomata::{OpenError, PolicyStore};

use crate::error::ColumnsError;

/// An open store.
pub(crate) struct Opened {
    pub(crate) store: PolicyStore,
    /// The state of the mapped file; none for a store in memory.
    state: Option<FileState>,
}

/// The properties that distinguish a replaced file from the opened one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    /// None on systems without inode numbers.
    inode: Option<u64>,
}

impl Opened {
    /// Wraps a store in memory.
    pub(crate) fn built(store: PolicyStore) -> Self {
        Opened { store, state: None }
    }

    /// Maps the bundle at `path`. Reads the header only.
    pub(crate) fn map(path: &Path) -> Result<Self, ColumnsError> {
        /// How often to retry when the file is replaced while it is being opened.
        const TRIES: usize = 8;
        let failed = |error| ColumnsError::Open { path: path.display().to_string(), error };
        let mut before = FileState::of(path).map_err(|error| failed(error.into()))?;
        for _ in 0..TRIES {
            let store = PolicyStore::map(path).map_err(failed)?;
            let state = FileState::of(path).map_err(|error| failed(error.into()))?;
            if state == before {
                return Ok(Opened { store, state: Some(state) });
            }
            before = state;
        }
        let busy = io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file is being replaced continually (try again later)",
        );
        Err(failed(OpenError::Io(busy)))
    }

    /// Returns whether the file at `path` is still the mapped one. Always true for a store in memory.
    pub(crate) fn is_current(&self, path: &Path) -> bool {
        self.state.is_none_or(|state| state.is_current(path))
    }
}

impl FileState {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| FileState::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = Some(std::os::unix::fs::MetadataExt::ino(metadata));
        #[cfg(not(unix))]
        let inode = None;
        FileState { bytes: metadata.len(), modified: metadata.modified().ok(), inode }
    }

    /// Returns whether the file at `path` has this state.
    pub(crate) fn is_current(&self, path: &Path) -> bool {
        FileState::of(path).is_ok_and(|state| state == *self)
    }
}
