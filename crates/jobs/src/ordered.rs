//! Processes the blocks of a frontier on many threads and returns the results in input order.
//!
//! ```text
//!           work                    done
//!  reader ────────► workers (many) ───────► consumer (this thread)
//!     ▲                                        │
//!     └──────────────── free ──────────────────┘
//! ```
//!
//! There is a fixed number of work items, and the reader needs a free one for each block. Memory therefore stays
//! bounded, however uneven the work is.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use robomata_formats::{Frontier, FrontierBlock, InputError};

use crate::error::JobError;

/// Starts the threads of this process: this number for each kind of work, or one for each core. Call it once, before any
/// job. Without it, the first job starts them, and panics if it cannot.
///
/// # Errors
/// When the threads cannot be started, or rayon's global pool has been used before.
pub fn start_threads(threads: Option<NonZeroUsize>) -> Result<(), JobError> {
    // Zero means all cores.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.map_or(0, NonZeroUsize::get));
    pool.build_global().map_err(|error| JobError::Threads(io::Error::other(error.to_string())))
}

/// The number of threads: that of rayon's current pool.
pub(crate) fn thread_count() -> usize {
    rayon::current_num_threads()
}

/// Work items for each worker: one in progress, one waiting for the worker, one waiting for the consumer.
const WORK_ITEMS_PER_WORKER: usize = 3;

/// The outcome of a block.
pub(crate) enum Outcome<'p, F> {
    /// The worker's result.
    Found(&'p mut F, &'p FrontierBlock),
    /// The block could not be read.
    Error(InputError),
}

/// A block in the pipeline, with the worker's result.
struct WorkItem<F> {
    number: u64,
    block: Option<FrontierBlock>,
    /// The error that replaces the block.
    error: Option<InputError>,
    found: F,
}

/// A message to the consumer.
enum Message<F> {
    Done(Box<WorkItem<F>>),
    /// A worker panics, so its work item will never arrive.
    Panic,
}

/// Processes every block of `frontier` with one of `workers` and passes the results to `take`, in order. Values of `F`
/// are reused for later blocks: `work` clears them first.
///
/// # Errors
/// The first error of `take`, which stops everything at once. Also when the reader cannot be started.
pub(crate) fn for_each_block<W: Send, F: Default + Send + 'static>(
    frontier: Frontier,
    workers: Vec<W>,
    work: impl Fn(&mut W, &FrontierBlock, &mut F) + Sync,
    take: impl FnMut(Outcome<'_, F>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    let (free_sender, free) = unbounded();
    for _ in 0..workers.len() * WORK_ITEMS_PER_WORKER {
        let _ =
            free_sender.send(Box::new(WorkItem { number: 0, block: None, error: None, found: F::default() }));
    }
    let (work_sender, to_do) = unbounded();
    let reader = spawn_reader(frontier, free, work_sender)?;
    thread::scope(|scope| {
        let (done_sender, done) = unbounded();
        let (_stop_sender, stop) = bounded::<()>(0);
        for worker in workers {
            let (to_do, stop, done, work) = (to_do.clone(), stop.clone(), done_sender.clone(), &work);
            let work = move || work_on_all(worker, work, &to_do, &stop, &done);
            thread::Builder::new().spawn_scoped(scope, work).map_err(JobError::Threads)?;
        }
        drop(done_sender);
        take_in_order(&done, &free_sender, take)
    })?;
    // Join the reader only after success: after an error it may wait forever for input.
    reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    Ok(())
}

fn take_in_order<F>(
    done: &Receiver<Message<F>>,
    free: &Sender<Box<WorkItem<F>>>,
    mut take: impl FnMut(Outcome<'_, F>) -> Result<(), JobError>,
) -> Result<(), JobError> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for message in done {
        // The scope propagates the panic once the other threads have ended.
        let Message::Done(work_item) = message else { return Ok(()) };
        waiting.insert(work_item.number, work_item);
        while let Some(mut work_item) = waiting.remove(&next) {
            next += 1;
            match (work_item.error.take(), &work_item.block) {
                (Some(error), _) => take(Outcome::Error(error))?,
                (None, Some(block)) => take(Outcome::Found(&mut work_item.found, block))?,
                (None, None) => {}
            }
            // The reader exits after it has read everything.
            let _ = free.send(work_item);
        }
    }
    Ok(())
}

/// Starts the reader. It is not a scoped thread, so a job that ends early does not wait for slow input.
fn spawn_reader<F: Send + 'static>(
    frontier: Frontier,
    free: Receiver<Box<WorkItem<F>>>,
    work: Sender<Box<WorkItem<F>>>,
) -> Result<JoinHandle<()>, JobError> {
    let read = move || {
        let mut blocks = frontier.blocks();
        for (number, mut work_item) in (0..).zip(free) {
            work_item.number = number;
            if let Some(block) = work_item.block.take() {
                blocks.recycle(block);
            }
            match blocks.next() {
                Some(Ok(block)) => work_item.block = Some(block),
                Some(Err(error)) => work_item.error = Some(error),
                None => return,
            }
            if work.send(work_item).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("urls".to_owned()).spawn(read).map_err(JobError::Threads)
}

/// Wakes the consumer if a worker panics.
struct Alarm<'d, F>(&'d Sender<Message<F>>);

impl<F> Drop for Alarm<'_, F> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Message::Panic);
        }
    }
}

fn work_on_all<W, F>(
    mut worker: W,
    work: impl Fn(&mut W, &FrontierBlock, &mut F),
    to_do: &Receiver<Box<WorkItem<F>>>,
    stop: &Receiver<()>,
    done: &Sender<Message<F>>,
) {
    let _alarm = Alarm(done);
    loop {
        let received = select! {
            recv(to_do) -> work_item => work_item.ok(),
            // Nothing is ever sent here: the consumer has gone.
            recv(stop) -> _ => None,
        };
        let Some(mut work_item) = received else { return };
        let WorkItem { block, found, .. } = &mut *work_item;
        if let Some(block) = block {
            work(&mut worker, block, found);
        }
        if done.send(Message::Done(work_item)).is_err() {
            return;
        }
    }
}
