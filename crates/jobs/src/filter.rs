//! Filters a frontier of URLs with the policies of many sites: in order, in bounded memory, on all cores.

mod checkpoint;
mod form;
mod judge;
mod pipeline;
mod table;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use robomata_engine::{Answer, Crawler, Moment, Site, Stores};
use robomata_formats::{EmptyStreams, Frontier, FrontierFormat, Output, RowColumns, UrlColumn};
use serde::{Deserialize, Serialize};

use self::checkpoint::{Keeper, Start};
pub use self::checkpoint::{Resume, ResumeError, checkpoint_path};
pub(crate) use self::form::Rulings;
use self::judge::Judge;
pub(crate) use self::judge::invalid_url;
use self::pipeline::Pipeline;
#[cfg(feature = "cross-check")]
use crate::cross_check::CrossCheck;
use crate::error::JobError;
use crate::events::Events;
use crate::evidence::{self, Evidence, EvidenceWriter};
use crate::ordered::thread_count;
use crate::problem::{ErrorCounts, IncompleteInput, ProblemLog, Strictness};
use crate::row_file::RowFile;

/// A filter: its policies, its input and its output.
#[derive(Clone)]
pub struct FilterJob<'s> {
    /// The policies.
    pub stores: Stores<'s>,
    /// The crawlers that URLs are judged for: one, or several if verdicts are written.
    pub crawlers: Vec<Crawler>,
    /// The files of URLs; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files; by default each file's name determines its format.
    pub format: Option<FrontierFormat>,
    /// The column of the URL, as in [`Frontier::with_column`].
    pub column: Option<UrlColumn>,
    /// How to treat standard input and pipes of URLs without a byte.
    pub empty_streams: EmptyStreams,
    /// The lines to write.
    pub selection: Selection,
    /// The output format.
    pub form: OutputForm,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// Bytes of URL lines that a thread receives at once; a megabyte by default.
    pub block_size: Option<NonZeroUsize>,
    /// The time of the query. Permissions that have ended by then do not count. Without it, dates are ignored.
    pub now: Option<Moment>,
    /// The cross-check with the reference, if any.
    #[cfg(feature = "cross-check")]
    pub cross_check: Option<CrossCheck<'s>>,
}

/// The lines that a filter writes. Deferred URLs are neither allowed nor disallowed: they appear only among verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The lines of allowed URLs, unchanged, and optionally those of unknown sites.
    Allowed(UnknownSites),
    /// The lines of disallowed URLs, unchanged.
    Disallowed,
    /// For every line: the verdict and the deciding line for each crawler, then the URL, separated by tabs.
    Verdicts,
}

/// The output format. Selected lines of text are written unchanged; the format applies to everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputForm {
    /// Verdicts as in [`Selection::Verdicts`].
    #[default]
    Text,
    /// The input's columns, then verdict, line and rule for each crawler, separated by tabs. There is a header line if
    /// the input has one.
    Tsv,
    /// The same as TSV, separated by commas.
    Csv,
    /// The input's object with the keys `verdict`, `line` and `rule` added. For other inputs, an object with the key
    /// `url` and these keys.
    JsonLines,
    /// The input's columns (`url` for input without column names), then verdict, line and rule for each crawler.
    Parquet,
}

/// How to treat URLs of sites with an unknown policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownSites {
    /// Write them.
    #[default]
    Keep,
    /// Leave them out.
    Drop,
}

/// Counts of URLs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Allowed URLs.
    pub allow: u64,
    /// Disallowed URLs.
    pub disallow: u64,
    /// URLs that must wait, because their site's robots.txt is currently unavailable.
    pub defer: u64,
    /// URLs of sites with an unknown policy.
    pub unknown: u64,
    /// Lines that are not URLs.
    pub invalid: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Verdict(verdict) if verdict.access == robomata_engine::Access::Allow => self.allow += 1,
            Answer::Verdict(_) => self.disallow += 1,
            Answer::Defer => self.defer += 1,
            Answer::Unknown => self.unknown += 1,
            Answer::Invalid => self.invalid += 1,
        }
    }

    /// The sum of these counts and `other`.
    #[must_use]
    pub fn plus(&self, other: &Tally) -> Self {
        Tally {
            allow: self.allow + other.allow,
            disallow: self.disallow + other.disallow,
            defer: self.defer + other.defer,
            unknown: self.unknown + other.unknown,
            invalid: self.invalid + other.invalid,
        }
    }
}

/// Counts of cross-checked answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossChecked {
    /// Answers that the reference checked.
    pub checked: u64,
    /// Answers for which the reference differs.
    pub divergences: u64,
}

/// The result of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterReport {
    /// Lines read.
    pub lines: u64,
    /// Counts of verdicts for each crawler, in the order of the job.
    pub by_crawler: Vec<(Crawler, Tally)>,
    /// Counts of unusable input in the frontier.
    pub errors: ErrorCounts,
    /// The result of the cross-check; zeros without one.
    pub cross_checked: CrossChecked,
    /// The duration of the job.
    pub elapsed: Duration,
}

impl FilterReport {
    /// Counts of verdicts, for all crawlers together.
    pub fn verdicts(&self) -> Tally {
        self.by_crawler.iter().fold(Tally::default(), |sum, (_, tally)| sum.plus(tally))
    }
}

impl<'s> FilterJob<'s> {
    /// A lenient job that writes the lines of allowed URLs and uses all cores.
    pub fn new(stores: impl Into<Stores<'s>>, crawlers: Vec<Crawler>, urls: Vec<PathBuf>) -> Self {
        FilterJob {
            stores: stores.into(),
            crawlers,
            urls,
            format: None,
            column: None,
            empty_streams: EmptyStreams::default(),
            selection: Selection::Allowed(UnknownSites::default()),
            form: OutputForm::default(),
            strictness: Strictness::default(),
            block_size: None,
            now: None,
            #[cfg(feature = "cross-check")]
            cross_check: None,
        }
    }

    pub(crate) fn frontier(&self) -> Frontier {
        let frontier = frontier(&self.urls, self.format, self.column.as_ref(), self.block_size);
        let has_columns = self.form == OutputForm::Parquet
            || (self.selection == Selection::Verdicts && self.form != OutputForm::Text);
        let row_columns = if has_columns { RowColumns::All } else { RowColumns::Url };
        frontier.with_row_columns(row_columns).with_empty_streams(self.empty_streams)
    }

    /// The judge of one thread.
    fn judge(&self, evidence: Option<Evidence<'s>>) -> Result<Judge<'_>, JobError> {
        let checker = self.stores.checker_for(&self.crawlers)?;
        let checker = match self.now {
            Some(now) => checker.at(now),
            None => checker,
        };
        Ok(Judge::new(
            checker,
            self.crawlers.len(),
            (self.selection, self.form),
            self.stores.any().dialect().semantics(),
            evidence.map(|evidence| EvidenceWriter::new(evidence, self.stores, &self.crawlers)),
            #[cfg(feature = "cross-check")]
            self.cross_check.as_ref().map(|check| check.checker(&self.crawlers)),
        ))
    }
}

/// The frontier of a job. Every file must have URLs.
pub(crate) fn frontier(
    urls: &[PathBuf],
    format: Option<FrontierFormat>,
    column: Option<&UrlColumn>,
    block_size: Option<NonZeroUsize>,
) -> Frontier {
    let mut frontier = Frontier::new(urls);
    if let Some(format) = format {
        frontier = frontier.with_format(format);
    }
    if let Some(column) = column {
        frontier = frontier.with_column(column.clone());
    }
    if let Some(size) = block_size {
        frontier = frontier.with_block_size(size.get());
    }
    frontier.requiring_urls(|text| Site::of_url(text).is_ok())
}

/// Judges the URLs of `job` and writes the selected lines to `output`. Commits the output at the end.
///
/// # Errors
/// When a file of URLs cannot be opened or has no URL among its first lines. When the store does not hold a crawler, or
/// the output cannot be written. In a strict job, also for the first bad input. Then `output` is not committed. A file
/// of URLs that ends early is an error, too, unless the output has already been visible to readers: then the report
/// counts it among its errors.
pub fn run(job: &FilterJob<'_>, output: Output, events: &mut dyn Events) -> Result<FilterReport, JobError> {
    run_from(job, Start::New, (output, None), None, events)
}

/// Like [`run`], but also writes evidence ([`crate::evidence`]) to an output of its own, for the policies' answers about
/// crawling. Both outputs are committed, or none is. If a file of URLs ends early and the output has already been visible,
/// the evidence is not committed. Of a process that is killed between the two, the evidence remains.
///
/// # Errors
/// The errors of [`run`], for both outputs.
pub fn run_with_evidence<'s>(
    job: &FilterJob<'s>,
    output: Output,
    (evidence, to): (Evidence<'s>, Output),
    events: &mut dyn Events,
) -> Result<FilterReport, JobError> {
    run_from(job, Start::New, (output, Some((evidence, to))), None, events)
}

/// Like [`run`], but writes to the file `to` so that an interrupted run can be resumed. The job writes checkpoints at
/// regular intervals, next to the output. If there is a checkpoint of the same run ([`Resume::identity`]), this run
/// continues from it, with the time of the query of the first one. The final output is the same as that of an
/// uninterrupted run: byte for byte, after decompression.
///
/// # Errors
/// The errors of [`run`]. Also when the checkpoint belongs to another run or cannot be used, and when the job reads
/// standard input or writes Parquet, which cannot be resumed.
pub fn resume(
    job: &FilterJob<'_>,
    resume: &Resume<'_>,
    events: &mut dyn Events,
) -> Result<FilterReport, JobError> {
    let (start, output, keeper) = checkpoint::open(job, resume)?;
    let mut job = job.clone();
    if let Start::Within(progressed) = &start {
        // A run that is resumed on another day has one time for all URLs.
        job.now = progressed.now.map(Moment::from_seconds).or(job.now);
        #[cfg(feature = "cross-check")]
        if let Some(check) = &mut job.cross_check {
            check.now = job.now;
        }
    }
    run_from(&job, start, (output, None), Some(keeper), events)
}

fn run_from<'s>(
    job: &FilterJob<'s>,
    start: Start,
    (output, evidence): (Output, Option<(Evidence<'s>, Output)>),
    keeper: Option<Keeper>,
    events: &mut dyn Events,
) -> Result<FilterReport, JobError> {
    if job.crawlers.len() != 1 && job.selection != Selection::Verdicts {
        return Err(JobError::OneCrawler);
    }
    let (evidence, to) = evidence.unzip();
    let judges: Vec<Judge<'_>> =
        (0..thread_count()).map(|_| job.judge(evidence)).collect::<Result<_, _>>()?;
    let to = to.map(|to| RowFile::new(to, evidence::FORM, &evidence::COLUMNS)).transpose()?;
    // Output that is already visible cannot be withdrawn; the report then counts the input as incomplete.
    let incomplete = if output.appears_at_commit() { IncompleteInput::Refuse } else { IncompleteInput::Use };
    let log = ProblemLog::new(events, job.strictness).with_incomplete(incomplete);
    Pipeline::new(job, output, to, keeper, log).run(start, judges)
}
