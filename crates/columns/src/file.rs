//! A bundle's file, mapped, and by what it is known from another that replaces it.

use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use robomata::{OpenError, PolicyStore};

use crate::error::ColumnsError;

/// A store that answers.
pub(crate) struct Opened {
    pub(crate) store: PolicyStore,
    /// The file that was mapped; none when it was built in memory.
    state: Option<FileState>,
}

/// By which a file that was replaced is told from the one that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    /// None where the system has no such numbers.
    inode: Option<u64>,
}

impl Opened {
    /// A store in memory.
    pub(crate) fn built(store: PolicyStore) -> Self {
        Opened { store, state: None }
    }

    /// Maps the bundle at `path`; nothing of it is read but the header.
    pub(crate) fn map(path: &Path) -> Result<Self, ColumnsError> {
        /// A file is replaced once in a while: not so often.
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
        let busy = io::Error::new(io::ErrorKind::ResourceBusy, "it is replaced again and again");
        Err(failed(OpenError::Io(busy)))
    }

    /// Is the file at `path` still the one that was mapped, if one was?
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

    /// Is the file at `path` in this state?
    pub(crate) fn is_current(&self, path: &Path) -> bool {
        FileState::of(path).is_ok_and(|state| state == *self)
    }
}
