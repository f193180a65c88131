//! Files that exist at most as long as the process that writes them, however it ends.
//!
//! A temporary file is removed when it is dropped, or by [`abandon_outputs`](super::abandon_outputs) when a signal ends
//! the process. It is locked while the process runs. The file of a killed process has no lock, and is removed when a
//! process next creates such a file in the same directory.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::pending;

/// The start and the end of the names of temporary files: hidden, with random characters in between.
const NAME: (&str, &str) = (".robomata-", ".tmp");

/// Maximum number of directory entries to check for stale files: a directory may contain millions.
const LOOKED_AT: usize = 10_000;

/// A temporary file.
pub(super) struct Temporary {
    /// None once it is persisted or removed.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// Creates a temporary file in `directory`.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        remove_stale(directory);
        locked(directory).map(|file| Temporary { file: Some(file) })
    }

    /// Flushes the file to the disk and renames it to `target`.
    pub(super) fn persist(mut self, target: &Path) -> io::Result<()> {
        // Sync before the rename. Otherwise a crash could leave an empty file under the name.
        self.file()?.sync_all()?;
        let Some(file) = self.file.take() else { return Err(settled()) };
        let path = file.path().to_owned();
        pending::settle(&path, || {
            // `NamedTempFile::persist` does not call the C library, so `tools/faults` could not make it fail.
            let (_locked, path) = file.keep()?;
            fs::rename(&path, target).inspect_err(|_| drop(fs::remove_file(&path)))
        })
    }

    pub(super) fn file(&mut self) -> io::Result<&mut File> {
        self.file.as_mut().map(NamedTempFile::as_file_mut).ok_or_else(settled)
    }

    pub(super) fn path(&self) -> &Path {
        self.file.as_ref().map_or(Path::new(""), NamedTempFile::path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let path = file.path().to_owned();
            pending::settle(&path, || drop(file));
        }
    }
}

fn settled() -> io::Error {
    io::Error::other("the output is already closed")
}

/// Creates a locked temporary file. Its permissions follow the umask, so it is not restricted to its owner.
fn locked(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = pending::create(|| builder.tempfile_in(directory), |file| file.path())?;
        // On a file system without locks, other processes do not consider the file stale either.
        let _ = file.as_file().lock();
        // Another process may have found and removed the file before it was locked.
        let exists = file.path().try_exists();
        if let Ok(true) = exists {
            return Ok(file);
        }
        let path = file.path().to_owned();
        pending::settle(&path, || drop(file));
        // If the state of files cannot be determined, another try does not help.
        exists?;
    }
}

/// Removes temporary files of processes that ended without removing them: those without a lock.
fn remove_stale(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.take(LOOKED_AT).flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}
