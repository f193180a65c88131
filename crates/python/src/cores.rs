//! All cores, also in a process that was forked.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a process, with the process's number: a fork has the memory of its parent's threads, but not the threads,
/// and would wait for them for ever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// How many there are.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// What `work` comes to on all cores of this process, without holding the interpreter; rayon's pool within is the one that
/// works. On the caller's thread where the system has no more threads.
pub(crate) fn on_all<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    // Found while the interpreter is held: no other thread can fork in the midst of it.
    match pool() {
        Some(pool) => py.detach(|| pool.install(work)),
        None => py.detach(work),
    }
}

/// None where it cannot be had at once: a thread of the parent held it at the fork.
fn pool() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pool = POOL.try_lock().ok()?;
    if let Some((owner, pool)) = &*pool
        && *owner == process
    {
        return Some(Arc::clone(pool));
    }
    let threads = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    // The parent's pool is not to be told to end: there is nobody to hear it.
    std::mem::forget(pool.replace((process, Arc::clone(&threads))));
    Some(threads)
}
