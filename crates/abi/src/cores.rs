//! Work on all cores, also in a forked process.

use std::sync::{Arc, RwLock, TryLockError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Failure;

/// The thread pool of a process, with the process ID. A forked process has a copy of its parent's pool, but not the
/// threads, so it would wait for them forever.
static POOL: RwLock<Option<(u32, Arc<ThreadPool>)>> = RwLock::new(None);

/// Runs `work` on all cores of this process: rayon's parallel iterators in `work` use this process's pool.
///
/// # Errors
/// If the system cannot start more threads.
pub(crate) fn on_all<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(pool()?.install(work))
}

/// Never waits for the lock: another thread of the parent may have held it during the fork, and it does not exist here.
fn pool() -> Result<Arc<ThreadPool>, Failure> {
    let process = std::process::id();
    let of_process = |pool: &Option<(u32, Arc<ThreadPool>)>| {
        pool.as_ref().filter(|(owner, _)| *owner == process).map(|(_, pool)| Arc::clone(pool))
    };
    let known = match POOL.try_read() {
        Ok(pool) => of_process(&pool),
        Err(TryLockError::Poisoned(pool)) => of_process(&pool.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    };
    if let Some(pool) = known {
        return Ok(pool);
    }
    let threads = ThreadPoolBuilder::new().build().map_err(|error| {
        Failure::internal(format!("cannot start threads: {error} (RAYON_NUM_THREADS limits their number)"))
    })?;
    let threads = Arc::new(threads);
    let mut pool = match POOL.try_write() {
        Ok(pool) => pool,
        Err(TryLockError::Poisoned(pool)) => pool.into_inner(),
        // The threads end after this call.
        Err(TryLockError::WouldBlock) => return Ok(threads),
    };
    if let Some(of_another_thread) = of_process(&pool) {
        return Ok(of_another_thread);
    }
    // Do not drop the parent's pool: this process does not have its threads, so they cannot be stopped.
    std::mem::forget(pool.replace((process, Arc::clone(&threads))));
    Ok(threads)
}
