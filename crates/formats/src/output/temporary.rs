//! Files that live no longer than the process that writes them, however it ends.
//!
//! One is removed when it is dropped, and by [`abandon_outputs`](super::abandon_outputs) when a signal ends the process. It
//! is locked as long as the process lives: what a killed one leaves has no lock, and is removed by the next that makes such
//! a file in the same directory.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::pending;

/// What temporary files are called: hidden, with something random in between.
const NAME: (&str, &str) = (".robomata-", ".tmp");

/// Entries of a directory that are looked at for files that processes left behind: it may hold millions.
const LOOKED_AT: usize = 10_000;

/// A temporary file.
pub(super) struct Temporary {
    /// None once it is settled.
    file: Option<NamedTempFile>,
}

impl Temporary {
    /// A new one in `directory`.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        remove_stale(directory);
        locked(directory).map(|file| Temporary { file: Some(file) })
    }

    /// Puts it under the name `target`, its bytes brought to the disk before.
    pub(super) fn persist(mut self, target: &Path) -> io::Result<()> {
        // Before the name: else a crash could leave an empty file under it.
        self.file()?.sync_all()?;
        let Some(file) = self.file.take() else { return Err(settled()) };
        let path = file.path().to_owned();
        pending::settle(&path, || file.persist(target).map(drop).map_err(io::Error::from))
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
    io::Error::other("the output is ended")
}

/// A new temporary file, locked. Its permissions are those that the umask leaves, not for its owner only.
fn locked(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = pending::create(|| builder.tempfile_in(directory), |file| file.path())?;
        // Where the file system has no locks, nobody takes the file for a stale one either.
        let _ = file.as_file().lock();
        // Another process may have found it before it was locked, and removed it.
        if file.path().exists() {
            return Ok(file);
        }
        let path = file.path().to_owned();
        pending::settle(&path, || drop(file));
    }
}

/// Removes temporary files whose processes ended without doing so: those that nobody holds a lock on.
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
            // It is in nobody's way if it stays.
            let _ = fs::remove_file(entry.path());
        }
    }
}
