//! All cores, also in a process that was forked.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// The threads of a process, with the process's number: a fork has the memory of its parent's threads, but not the threads,
/// and would wait for them for ever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// How many there are.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// What `work` comes to on all cores of this process, without holding the interpreter; rayon's pool within is the one that
/// works.
///
/// # Errors
/// Where the system has no more threads.
pub(crate) fn on_all<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    // Found while the interpreter is held: no other thread can fork in the midst of it. (Free-threaded Python gives no such
    // promise, for any lock.)
    let pool = pool().map_err(|error| {
        PyRuntimeError::new_err(format!("threads cannot be started, and threads=1 needs none: {error}"))
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
    // The parent's pool is not to be told to end: there is nobody to hear it.
    std::mem::forget(pool.replace((process, Arc::clone(&threads))));
    Ok(threads)
}
