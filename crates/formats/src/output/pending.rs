//! Files that exist only until their output is whole, for the case that the process is told to end before.
//!
//! Destructors do not run when a process exits, so somebody has to know which files to remove. Asking every job to look at
//! a flag now and then was refused: a job that waits for its input looks at nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PENDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn pending() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // Whoever panicked has at worst left a name in it.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all outputs that are not committed, for a process that ends in this moment: any thread
/// that creates or commits an output from now on waits for ever. Outputs are whole then, or absent.
///
/// What is kept on purpose stays: see [`Output::resumable`](crate::Output::resumable).
pub fn abandon_outputs() {
    let pending = pending();
    for path in pending.iter() {
        // A file that has gone already is as good.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(pending);
}

/// Notes the file that `create` makes.
pub(super) fn create<T>(
    create: impl FnOnce() -> io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> io::Result<T> {
    let mut pending = pending();
    let created = create()?;
    pending.insert(path(&created).to_owned());
    Ok(created)
}

/// Does what makes a whole output of the file, or removes it, and forgets it.
pub(super) fn settle<T>(path: &Path, settle: impl FnOnce() -> T) -> T {
    let mut pending = pending();
    let settled = settle();
    pending.remove(path);
    settled
}
