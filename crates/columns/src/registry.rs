//! Each bundle is opened once in a process.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use crate::error::ColumnsError;
use crate::policies::{PolicySet, split_pin};

/// What is open, by name. Bundles stay open until they are replaced: queries come one after the other.
static OPEN: LazyLock<Mutex<HashMap<String, Entry>>> = LazyLock::new(Mutex::default);

struct Entry {
    policies: Arc<PolicySet>,
    /// Its files as they were when they were first seen here.
    files: HashMap<PathBuf, FileState>,
}

/// By which a file that was replaced is told from the one that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileState {
    octets: u64,
    modified: Option<SystemTime>,
    /// None where the system has no such numbers.
    inode: Option<u64>,
}

impl PolicySet {
    /// What `name` names, opened once for the whole process ([`PolicySet::open`]). A file that was replaced since is opened
    /// anew; who still asks the old one keeps it.
    ///
    /// # Errors
    /// Those of [`PolicySet::open`].
    pub fn shared(name: &str) -> Result<Arc<Self>, ColumnsError> {
        let (path, pin) = split_pin(name)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if open.get_mut(path).is_none_or(|entry| !entry.is_current()) {
            let policies = Arc::new(PolicySet::open(path)?);
            open.insert(path.to_owned(), Entry { policies, files: HashMap::new() });
            open.get_mut(path).map(Entry::is_current);
        }
        let policies = Arc::clone(&open[path].policies);
        drop(open);
        pin.map_or(Ok(()), |expected| policies.require(expected))?;
        Ok(policies)
    }
}

impl Entry {
    /// Are its files those that were opened? Shards that were opened meanwhile are remembered.
    fn is_current(&mut self) -> bool {
        self.policies.files().into_iter().all(|file| {
            let state = FileState::of(&file);
            state.is_some_and(|state| *self.files.entry(file).or_insert(state) == state)
        })
    }
}

impl FileState {
    /// None where there is no file.
    fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let inode = Some(std::os::unix::fs::MetadataExt::ino(&metadata));
        #[cfg(not(unix))]
        let inode = None;
        Some(FileState { octets: metadata.len(), modified: metadata.modified().ok(), inode })
    }
}
