//! Work on all cores, also in a forked process.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The thread pool of a process, with the process ID. A forked process has a copy of its parent's pool, but not the
/// threads, so it would wait for them forever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns the number of cores.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs `work` on all cores of this process, without holding the interpreter. Rayon's parallel iterators in `work` use
/// this process's pool.
///
/// # Errors
/// If the system cannot start more threads.
pub(crate) fn on_all<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    // The interpreter is held here, so no other thread can fork while the pool is locked. (Free-threaded Python gives
    // no such guarantee, for any lock.)
    let pool = pool().map_err(|error| {
        PyRuntimeError::new_err(format!("cannot start threads: {error} (threads=1 needs none)"))
    })?;
    Ok(py.detach(|| pool.install(work)))
}

fn pool() -> Result<Arc<ThreadPool>, ThreadPoolBuildError> {
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, pool)) = &*pool
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let threads = Arc::new(ThreadPoolBuilder::new().build()?);
    // Do not drop the parent's pool: this process does not have its threads, so they cannot be stopped.
    std::mem::forget(pool.replace((process, Arc::clone(&threads))));
    Ok(threads)
}
