//! All cores, also in a process that was forked.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads of a process, with the process's number: a fork has the memory of its parent's threads, but not the threads,
/// and would wait for them for ever.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// What `work` comes to on all cores of this process; rayon's pool within is the one that works. On the caller's thread where
/// the system has no more threads.
pub(crate) fn on_all<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// How many there are.
pub(crate) fn count() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn pool() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
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
