//! Runs blocks of URLs through the judges and writes the output.
//!
//! Many threads judge blocks, and this thread takes the results in order ([`for_each_block`]).

use std::io::Write;
use std::time::{Duration, Instant};

use robomata_engine::{Answer, Moment};
use robomata_formats::{
    FileName, FrontierBlock, FrontierContent, FrontierPosition, InputError, Meter, Output, OutputError, Rows,
    RowsOutput,
};

use super::checkpoint::{Keeper, Progressed, Start};
use super::form;
use super::judge::{Findings, Judge};
use super::table;
use super::{FilterJob, FilterReport, OutputForm, Selection, Tally};
use crate::error::JobError;
use crate::events::{Done, Progress};
use crate::ordered::{Outcome, for_each_block};
use crate::problem::{InputProblem, ProblemKind, ProblemLog};
use crate::row_file::{RowBlock, RowFile};

/// The output and the result of a block.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) out: Vec<u8>,
    /// The output as rows, instead of bytes.
    pub(super) rows: Option<Result<Rows, OutputError>>,
    /// The evidence, if it is wanted.
    pub(super) evidence: Option<Result<RowBlock, OutputError>>,
    pub(super) found: Findings,
}

/// The writer.
pub(super) struct Pipeline<'j, 'e> {
    job: &'j FilterJob<'j>,
    sink: Sink,
    evidence: Option<RowFile>,
    keeper: Option<Keeper>,
    log: ProblemLog<'e>,
    bytes: Meter,
    /// The end of the last block taken.
    position: FrontierPosition,
    report: FilterReport,
    /// Does the output end in the middle of a line?
    within_line: bool,
    /// Has the first block been taken, and the header been written?
    has_begun: bool,
    /// The number of columns of the last line read.
    columns: usize,
    /// Errors of lines since the last block. They count with the next block: until then a checkpoint is from before these
    /// lines, and a run that resumes there finds them again.
    errors: Vec<InputError>,
    started: Instant,
    /// The duration of earlier runs.
    before: Duration,
}

/// The destination of the output.
enum Sink {
    Bytes(Output),
    /// An output for rows, once their columns are known.
    Later(Output),
    Rows(RowsOutput),
    /// The output is closed.
    Gone,
}

impl<'j, 'e> Pipeline<'j, 'e> {
    pub(super) fn new(
        job: &'j FilterJob<'j>,
        output: Output,
        evidence: Option<RowFile>,
        keeper: Option<Keeper>,
        log: ProblemLog<'e>,
    ) -> Self {
        let by_crawler = job.crawlers.iter().map(|crawler| (crawler.clone(), Tally::default())).collect();
        let is_rows = job.form == OutputForm::Parquet;
        Pipeline {
            job,
            position: FrontierPosition::default(),
            sink: if is_rows { Sink::Later(output) } else { Sink::Bytes(output) },
            evidence,
            keeper,
            log,
            bytes: Meter::of(&job.urls),
            report: FilterReport { by_crawler, ..FilterReport::default() },
            within_line: false,
            has_begun: false,
            columns: 1,
            errors: Vec::new(),
            started: Instant::now(),
            before: Duration::ZERO,
        }
    }

    /// Sends all blocks of the job's frontier after `start` through `judges` and commits the output.
    pub(super) fn run(mut self, start: Start, judges: Vec<Judge<'_>>) -> Result<FilterReport, JobError> {
        let mut frontier = self.job.frontier().with_meter(self.bytes.clone());
        if let Start::Within(progressed) = start {
            frontier = frontier.from_position(progressed.position);
            self.go_on_from(&progressed);
        }
        for_each_block(frontier, judges, Judge::judge, |item| match item {
            Outcome::Found(judged, block) => self.take(judged, block),
            Outcome::Error(error) => self.take_error(error),
        })?;
        self.commit()
    }

    fn go_on_from(&mut self, progressed: &Progressed) {
        self.position = progressed.position;
        self.report.lines = progressed.lines;
        for ((_, tally), before) in self.report.by_crawler.iter_mut().zip(&progressed.tallies) {
            *tally = *before;
        }
        self.report.cross_checked = progressed.cross_checked;
        self.log.go_on_from(progressed.errors);
        self.within_line = progressed.within_line;
        self.before = Duration::from_secs_f64(progressed.seconds.max(0.0));
        // A run that could not read its first block has not written the header.
        self.has_begun = progressed.position != FrontierPosition::default();
    }

    fn commit(mut self) -> Result<FilterReport, JobError> {
        self.count_errors()?;
        // There is no output without its evidence, unless it was visible before an input ended early.
        let is_whole = self.log.counts().incomplete_inputs == 0;
        self.evidence.take().filter(|_| is_whole).map_or(Ok(()), RowFile::commit)?;
        match std::mem::replace(&mut self.sink, Sink::Gone) {
            Sink::Bytes(output) => output.commit()?,
            Sink::Rows(rows) => rows.commit()?,
            // There was no block. A file without rows still has columns.
            Sink::Later(output) => {
                RowsOutput::new(output, &table::columns_without_input(self.job))?.commit()?;
            }
            Sink::Gone => {}
        }
        if let Some(keeper) = self.keeper.take() {
            keeper.finish();
        }
        self.report.elapsed = self.before + self.started.elapsed();
        self.report.errors = self.log.close();
        Ok(self.report)
    }

    /// Writes and counts the result of one block.
    fn take(&mut self, judged: &mut Judged, block: &FrontierBlock) -> Result<(), JobError> {
        let Judged { out, rows, evidence, found } = judged;
        if !std::mem::replace(&mut self.has_begun, true) {
            if let Some(name) = form::taken_name(self.job, block) {
                return Err(JobError::TakenName { file: block.file.clone(), name });
            }
            let header = form::header(self.job, block);
            self.write(&header)?;
        }
        self.count_errors()?;
        if let Some(place) = found.unwritable.take() {
            return Err(JobError::UnwritableUrl(place));
        }
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
        if let FrontierContent::Lines(lines) = &block.content {
            self.columns = lines.layout().names().len().max(1);
        }
        if let (Some(file), Some(evidence)) = (&mut self.evidence, evidence.take()) {
            file.write(&evidence?)?;
        }
        self.write(out)?;
        if let Some(rows) = rows.take() {
            self.write_rows(&rows?, block)?;
        }
        self.log.events.progress(Progress { done: Done::Lines(self.report.lines), bytes: &self.bytes });
        self.position = block.end;
        self.keep_if_due()
    }

    fn take_error(&mut self, error: InputError) -> Result<(), JobError> {
        if error.is_incomplete() && self.keeper.is_some() {
            return Err(self.stop_at(&error));
        }
        if !error.ends_file() {
            self.errors.push(error);
            return Ok(());
        }
        self.count_errors()?;
        self.log.report_urls(error)
    }

    fn count_errors(&mut self) -> Result<(), JobError> {
        std::mem::take(&mut self.errors).into_iter().try_for_each(|error| self.count_error(error))
    }

    fn count_error(&mut self, error: InputError) -> Result<(), JobError> {
        let is_line = error.line().is_some();
        self.log.report_urls(error)?;
        if !is_line {
            return Ok(());
        }
        // A line that is too long to be read still counts as a line.
        self.report.lines += 1;
        for (_, tally) in &mut self.report.by_crawler {
            tally.invalid += 1;
        }
        let mut line = Vec::new();
        if self.job.selection == Selection::Verdicts {
            let answers = vec![Answer::Invalid; self.job.crawlers.len()];
            form::push_unreadable(self.job.form, self.columns, &answers, &mut line);
        }
        self.write(&line)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JobError> {
        let (Some(&last), Sink::Bytes(output)) = (bytes.last(), &mut self.sink) else { return Ok(()) };
        // The last line of a file may lack a line break. The first line of the next file must not be appended to it.
        if self.within_line {
            output.write_all(b"\n").map_err(JobError::output)?;
        }
        self.within_line = last != b'\n';
        output.write_all(bytes).map_err(JobError::output)
    }

    fn write_rows(&mut self, rows: &Rows, block: &FrontierBlock) -> Result<(), JobError> {
        self.sink = match std::mem::replace(&mut self.sink, Sink::Gone) {
            Sink::Later(output) => Sink::Rows(RowsOutput::with_columns_of(output, rows)?),
            sink => sink,
        };
        let Sink::Rows(output) = &mut self.sink else { return Ok(()) };
        if !output.accepts(rows) {
            return Err(JobError::OtherColumns { file: block.file.clone() });
        }
        Ok(output.write(rows)?)
    }

    /// Keeps the output up to a file that cannot be read completely, so that a later run can continue there.
    fn stop_at(&mut self, error: &InputError) -> JobError {
        let problem = InputProblem::of_error(error, ProblemKind::Url);
        let from = self.position.file;
        let mut files = (from..).zip(self.job.urls.iter().skip(from));
        let incomplete =
            files.find(|(_, path)| FileName::new(path) == *problem.file()).map_or(from, |(file, _)| file);
        match self.keep(Some(incomplete)) {
            Ok(()) => JobError::IncompleteUrls {
                problem,
                kept: self.keeper.as_ref().map(|keeper| keeper.partial().to_owned()),
            },
            Err(error) => error,
        }
    }

    /// Writes a checkpoint if one is due.
    fn keep_if_due(&mut self) -> Result<(), JobError> {
        if self.keeper.as_ref().is_some_and(Keeper::is_due) { self.keep(None) } else { Ok(()) }
    }

    /// Writes a checkpoint. `incomplete` is the file that could not be read further.
    fn keep(&mut self, incomplete: Option<usize>) -> Result<(), JobError> {
        let (Some(keeper), Sink::Bytes(output)) = (&mut self.keeper, &mut self.sink) else { return Ok(()) };
        let bytes = output.checkpoint()?;
        let progressed = Progressed {
            position: self.position,
            incomplete,
            bytes,
            within_line: self.within_line,
            lines: self.report.lines,
            tallies: self.report.by_crawler.iter().map(|(_, tally)| *tally).collect(),
            errors: self.log.counts(),
            cross_checked: self.report.cross_checked,
            seconds: (self.before + self.started.elapsed()).as_secs_f64(),
            now: self.job.now.map(Moment::seconds),
        };
        keeper.keep(self.job, progressed)
    }
}
