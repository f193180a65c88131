//! Shares work among threads of its own.
//!
//! Not rayon's: a bundle is opened with a lock held, so that no other thread opens it, too. A thread of rayon's pool
//! that waits for its part of the work takes other work meanwhile, which may wait for the same lock. A process that was
//! forked from one with a pool has no threads in its copy of the pool.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Less work than this number of bytes is not worth another thread.
const BYTES_OF_THREAD: usize = 1 << 20;

/// Passes each of `items` to a worker, until one fails; there is a worker for each thread. `bytes` is the size of all
/// items together.
pub(super) fn for_each<T: Send, E: Send, W: FnMut(T) -> Result<(), E>>(
    items: impl Iterator<Item = T> + Send,
    bytes: usize,
    worker: impl Fn() -> W + Sync,
) -> Result<(), E> {
    let shared = Mutex::new((items, Ok(())));
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let next = || {
        let (items, result) = &mut *lock();
        result.is_ok().then(|| items.next()).flatten()
    };
    let work = || {
        let mut worker = worker();
        while let Some(item) = next() {
            if let Err(error) = worker(item) {
                lock().1 = Err(error);
            }
        }
    };
    let wanted = bytes / BYTES_OF_THREAD;
    // Counting the cores reads files of the system: too slow for a small store.
    let threads = if wanted > 1 { limit().min(wanted) } else { 1 };
    thread::scope(|scope| {
        for _ in 1..threads {
            // This thread does the work of those that cannot be started.
            drop(thread::Builder::new().spawn_scoped(scope, work));
        }
        work();
    });
    shared.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// As many threads as rayon's current pool has.
#[cfg(feature = "parallel")]
fn limit() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
fn limit() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
