//! From blocks of URL lines to the output.
//!
//! Blocks are judged on many threads and taken in order ([`for_each_block`]). Nothing is written before the policies have
//! been found whole: a mapped bundle is validated while the first blocks are judged already.

use std::io::{self, Write};
use std::num::NonZeroUsize;

use rayon::ThreadPoolBuilder;
use robomata::Answer;
use robomata_formats::{Frontier, FrontierBlock, InputError, Output};

use super::judge::{Findings, Judge, push_verdicts};
use super::{FilterJob, FilterReport, Selection, Tally};
use crate::error::JobError;
use crate::events::Progress;
use crate::ordered::{Item, for_each_block};
use crate::problem::{InputProblem, ProblemKind, ProblemLog};

/// What was made of a block.
#[derive(Default)]
struct Judged {
    out: Vec<u8>,
    found: Findings,
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
        let judge = |judge: &mut Judge<'_>, block: &FrontierBlock, judged: &mut Judged| {
            judged.out.clear();
            judge.judge(block, &mut judged.out, &mut judged.found);
        };
        let job = self.job;
        for_each_block(
            frontier,
            judges,
            judge,
            || validate(job),
            |item| match item {
                Item::Found(judged) => self.take(judged),
                Item::Error(error) => self.take_error(&error),
            },
        )?;
        self.output.commit()?;
        self.report.errors = self.log.close();
        Ok(self.report)
    }

    /// Writes and counts what was made of one block.
    fn take(&mut self, Judged { out, found }: &mut Judged) -> Result<(), JobError> {
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
        self.write(out)?;
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
