//! Tracks files that exist only until their output is complete, in case the process ends early.
//!
//! Destructors do not run when a process exits, so the files to remove must be recorded. The alternative was that every
//! job checks a flag from time to time. It was rejected, because a job that waits for its input checks nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static PENDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn pending() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A thread that panicked leaves at worst an extra name in the set.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all uncommitted outputs. For a process that is about to end: any thread that later
/// creates or commits an output blocks forever. So outputs are complete or absent.
///
/// Intentionally kept files stay: see [`Output::resumable`](crate::Output::resumable).
pub fn abandon_outputs() {
    let pending = pending();
    for path in pending.iter() {
        // The file may already be gone.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(pending);
}

/// Records the file that `create` creates.
pub(super) fn create<T>(
    create: impl FnOnce() -> io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> io::Result<T> {
    let mut pending = pending();
    let created = create()?;
    pending.insert(path(&created).to_owned());
    Ok(created)
}

/// Calls `settle`, which completes or removes the file, and forgets the file.
pub(super) fn settle<T>(path: &Path, settle: impl FnOnce() -> T) -> T {
    let mut pending = pending();
    let settled = settle();
    pending.remove(path);
    settled
}
