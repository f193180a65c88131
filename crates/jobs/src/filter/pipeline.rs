//! From reader to writer: blocks travel as parcels, and there is a fixed number of parcels.
//!
//! ```text
//!           work                    done
//!  reader ────────► judges (many) ────────► writer (this thread)
//!     ▲                                        │
//!     └──────────────── free ──────────────────┘
//! ```
//!
//! Nothing is written before the policies have been found whole: a mapped bundle is validated while the first parcels are
//! judged already.
//!
//! The writer puts parcels into the order of the input and sends them back when they are written. Since the reader
//! needs a free one for each block, memory stays bounded however unequal the judges' work is.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use rayon::ThreadPoolBuilder;
use robomata::Answer;
use robomata_formats::{Frontier, FrontierBlock, InputError, Output};

use super::judge::{Findings, Judge, push_verdicts};
use super::{FilterJob, FilterReport, Selection, Tally};
use crate::error::JobError;
use crate::events::Progress;
use crate::problem::{InputProblem, ProblemKind, ProblemLog};

/// Parcels for each judge: one in its hands, one waiting for it, one waiting to be written.
const PARCELS_PER_JUDGE: usize = 3;

/// A block on its way, with what was made of it.
#[derive(Default)]
struct Parcel {
    number: u64,
    block: Option<FrontierBlock>,
    /// What came instead of a block.
    error: Option<InputError>,
    out: Vec<u8>,
    found: Findings,
}

/// What the writer receives.
enum Message {
    Done(Box<Parcel>),
    /// A judge panics, and its parcel will never come.
    Panic,
}

/// The writer's side.
pub(super) struct Pipeline<'j, 'e> {
    job: &'j FilterJob<'j>,
    output: Output,
    log: ProblemLog<'e>,
    report: FilterReport,
    /// Does the output end within a line?
    within_line: bool,
}

impl<'j, 'e> Pipeline<'j, 'e> {
    pub(super) fn new(job: &'j FilterJob<'j>, output: Output, log: ProblemLog<'e>) -> Self {
        let by_crawler = job.crawlers.iter().map(|crawler| (crawler.clone(), Tally::default())).collect();
        let report = FilterReport { by_crawler, ..FilterReport::default() };
        Pipeline { job, output, log, report, within_line: false }
    }

    /// Sends all blocks of `frontier` through `judges` and commits the output.
    pub(super) fn run(
        mut self,
        frontier: Frontier,
        judges: Vec<Judge<'_>>,
    ) -> Result<FilterReport, JobError> {
        let (free_sender, free) = unbounded();
        for _ in 0..judges.len() * PARCELS_PER_JUDGE {
            let _ = free_sender.send(Box::default());
        }
        let (work_sender, work) = unbounded();
        let reader = spawn_reader(frontier, free, work_sender)?;
        thread::scope(|scope| {
            let (done_sender, done) = unbounded();
            let (_stop_sender, stop) = crossbeam_channel::bounded::<()>(0);
            for judge in judges {
                let (work, stop, done) = (work.clone(), stop.clone(), done_sender.clone());
                scope.spawn(move || judge_all(judge, &work, &stop, &done));
            }
            drop(done_sender);
            validate(self.job)?;
            self.write_in_order(&done, &free_sender)
        })?;
        // Only now: after an error the reader may wait for input that never comes.
        if let Err(panic) = reader.join() {
            std::panic::resume_unwind(panic);
        }
        self.output.commit()?;
        self.report.errors = self.log.close();
        Ok(self.report)
    }

    fn write_in_order(
        &mut self,
        done: &Receiver<Message>,
        free: &Sender<Box<Parcel>>,
    ) -> Result<(), JobError> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for message in done {
            // The scope passes the panic on as soon as the other threads have ended.
            let Message::Done(parcel) = message else { return Ok(()) };
            waiting.insert(parcel.number, parcel);
            while let Some(mut parcel) = waiting.remove(&next) {
                next += 1;
                self.take(&mut parcel)?;
                // The reader has gone when it has read everything.
                let _ = free.send(parcel);
            }
        }
        Ok(())
    }

    /// Writes and counts one parcel.
    fn take(&mut self, parcel: &mut Parcel) -> Result<(), JobError> {
        if let Some(error) = parcel.error.take() {
            return self.take_error(&error);
        }
        let found = &mut parcel.found;
        for problem in found.problems.drain(..) {
            self.log.report(problem)?;
        }
        self.log.count(ProblemKind::Url, found.more_problems);
        self.report.lines += found.lines;
        for ((_, sum), tally) in self.report.by_crawler.iter_mut().zip(&found.tallies) {
            *sum = sum.plus(tally);
        }
        self.report.cross_checked.checked += found.cross_checked;
        for divergence in found.divergences.drain(..) {
            self.report.cross_checked.divergences += 1;
            self.log.events.divergence(&divergence);
        }
        self.write(&parcel.out)?;
        self.log.events.progress(Progress::Lines(self.report.lines));
        Ok(())
    }

    fn take_error(&mut self, error: &InputError) -> Result<(), JobError> {
        self.log.report(InputProblem::of_error(error, ProblemKind::Url))?;
        if error.ends_file() {
            return Ok(());
        }
        // A line that is too long to be read is a line all the same.
        self.report.lines += 1;
        for (_, tally) in &mut self.report.by_crawler {
            tally.invalid += 1;
        }
        if self.job.selection == Selection::Verdicts {
            let mut line = Vec::new();
            push_verdicts(&vec![Answer::Invalid; self.job.crawlers.len()], b"", &mut line);
            self.write(&line)?;
        }
        Ok(())
    }

    fn write(&mut self, octets: &[u8]) -> Result<(), JobError> {
        let Some(&last) = octets.last() else { return Ok(()) };
        // The last line of a file may have no end; the next file's first line must not stick to it.
        if self.within_line {
            self.output.write_all(b"\n").map_err(JobError::output)?;
        }
        self.within_line = last != b'\n';
        self.output.write_all(octets).map_err(JobError::output)
    }
}

/// Makes sure that the policies are as they were written, by as many threads as judge.
fn validate(job: &FilterJob<'_>) -> Result<(), JobError> {
    if job.store.is_validated() {
        return Ok(());
    }
    let threads = job.threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| JobError::Threads(io::Error::other(error)))?;
    Ok(pool.install(|| job.store.validate())?)
}

/// Not a scoped thread: when the job ends early, nobody waits for the next octet of a slow input.
fn spawn_reader(
    frontier: Frontier,
    free: Receiver<Box<Parcel>>,
    work: Sender<Box<Parcel>>,
) -> Result<JoinHandle<()>, JobError> {
    let read = move || {
        let mut blocks = frontier.blocks();
        for (number, mut parcel) in (0..).zip(free) {
            parcel.number = number;
            parcel.out.clear();
            if let Some(block) = parcel.block.take() {
                blocks.recycle(block);
            }
            match blocks.next() {
                Some(Ok(block)) => parcel.block = Some(block),
                Some(Err(error)) => parcel.error = Some(error),
                None => return,
            }
            if work.send(parcel).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("urls".to_owned()).spawn(read).map_err(JobError::Threads)
}

/// Tells the writer when a judge panics, lest it wait for ever.
struct Alarm<'d>(&'d Sender<Message>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(Message::Panic);
        }
    }
}

fn judge_all(
    mut judge: Judge<'_>,
    work: &Receiver<Box<Parcel>>,
    stop: &Receiver<()>,
    done: &Sender<Message>,
) {
    let _alarm = Alarm(done);
    loop {
        let received = select! {
            recv(work) -> parcel => parcel.ok(),
            // Nothing is ever sent: the writer has gone.
            recv(stop) -> _ => None,
        };
        let Some(mut parcel) = received else { return };
        let Parcel { block, out, found, .. } = &mut *parcel;
        if let Some(block) = block {
            judge.judge(block, out, found);
        }
        if done.send(Message::Done(parcel)).is_err() {
            return;
        }
    }
}
