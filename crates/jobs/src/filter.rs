//! A frontier of URLs through many sites' policies, in order, in bounded memory, on all cores.

mod checkpoint;
mod form;
mod judge;
mod pipeline;
mod table;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use robomata::{Answer, Crawler, Moment, PolicyStore, Site};
use robomata_formats::{Frontier, FrontierFormat, Output, RowColumns, UrlColumn};
use serde::{Deserialize, Serialize};

use self::checkpoint::{Keeper, Start};
pub use self::checkpoint::{Resume, ResumeError, checkpoint_path};
use self::judge::Judge;
pub(crate) use self::judge::invalid_url;
use self::pipeline::Pipeline;
#[cfg(feature = "cross-check")]
use crate::cross_check::CrossCheck;
use crate::error::JobError;
use crate::events::Events;
use crate::ordered::thread_count;
use crate::problem::{ErrorCounts, IncompleteInput, ProblemLog, Strictness};
use crate::readable;

/// What to filter, by what, and what to write.
pub struct FilterJob<'s> {
    /// The policies.
    pub store: &'s PolicyStore,
    /// For whom URLs are judged: one, or several when verdicts are written.
    pub crawlers: Vec<Crawler>,
    /// The files of URLs; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files; that which each one's name tells when none is given.
    pub format: Option<FrontierFormat>,
    /// Where the URL stands, as [`Frontier::with_column`] has it.
    pub column: Option<UrlColumn>,
    /// What is written.
    pub selection: Selection,
    /// How it is written.
    pub form: OutputForm,
    /// What bad input does.
    pub strictness: Strictness,
    /// How many threads judge; all cores when none is given.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of URL lines that are handed to a thread at once; a megabyte when none is given.
    pub block_size: Option<NonZeroUsize>,
    /// When the questions are asked: a permission that a date has ended by then is none. Without it dates are not looked at.
    pub now: Option<Moment>,
    /// Whether, and how many, answers are judged again.
    #[cfg(feature = "cross-check")]
    pub cross_check: Option<CrossCheck<'s>>,
}

/// What a filter writes. Deferred URLs are neither allowed nor disallowed: they are held back, but for their verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The lines of allowed URLs as they are, and perhaps those of unknown sites.
    Allowed(UnknownSites),
    /// The lines of disallowed URLs as they are.
    Disallowed,
    /// For every line verdict and line of the deciding rule for each crawler, then the URL, separated by tabs.
    Verdicts,
}

/// How a filter writes. Lines of text that are selected are written as they are; this is about everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputForm {
    /// Verdicts as [`Selection::Verdicts`] has them.
    #[default]
    Text,
    /// The input's columns, then for each crawler verdict, line and rule, separated by tabs; the header line is there when
    /// the input has one.
    Tsv,
    /// The same, separated by commas.
    Csv,
    /// The input's object (for other inputs one with the key `url`) with the keys `verdict`, `line` and `rule`.
    JsonLines,
    /// The input's columns (for input without names `url`), then for each crawler verdict, line and rule.
    Parquet,
}

/// What happens to URLs of sites whose policy is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownSites {
    /// They pass.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// URLs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Allowed ones.
    pub allow: u64,
    /// Disallowed ones.
    pub disallow: u64,
    /// URLs that wait, because their site's robots.txt cannot be had for now.
    pub defer: u64,
    /// URLs of sites whose policy is unknown.
    pub unknown: u64,
    /// Lines that are no URL.
    pub invalid: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Verdict(verdict) if verdict.access == robomata::Access::Allow => self.allow += 1,
            Answer::Verdict(_) => self.disallow += 1,
            Answer::Defer => self.defer += 1,
            Answer::Unknown => self.unknown += 1,
            Answer::Invalid => self.invalid += 1,
        }
    }

    /// These and `other` together.
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

/// How many answers were judged again, and how many of them differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossChecked {
    /// Answers that were judged again.
    pub checked: u64,
    /// Answers that differ.
    pub divergences: u64,
}

/// What a filter did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterReport {
    /// Lines read.
    pub lines: u64,
    /// The verdicts for each crawler, in the order of the job.
    pub by_crawler: Vec<(Crawler, Tally)>,
    /// What could not be used of the frontier.
    pub errors: ErrorCounts,
    /// What the reference said; zeros when it was not asked.
    pub cross_checked: CrossChecked,
    /// How long it took.
    pub elapsed: Duration,
}

impl FilterReport {
    /// The verdicts for all crawlers together.
    pub fn verdicts(&self) -> Tally {
        self.by_crawler.iter().fold(Tally::default(), |sum, (_, tally)| sum.plus(tally))
    }
}

impl<'s> FilterJob<'s> {
    /// A lenient job that writes the lines of allowed URLs and uses all cores.
    pub fn new(store: &'s PolicyStore, crawlers: Vec<Crawler>, urls: Vec<PathBuf>) -> Self {
        FilterJob {
            store,
            crawlers,
            urls,
            format: None,
            column: None,
            selection: Selection::Allowed(UnknownSites::default()),
            form: OutputForm::default(),
            strictness: Strictness::default(),
            threads: None,
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
        frontier.with_row_columns(if has_columns { RowColumns::All } else { RowColumns::Url })
    }

    /// The judge of one thread.
    fn judge(&self) -> Result<Judge<'_>, JobError> {
        let checker = self.store.crowd_checker(&self.crawlers)?;
        let checker = match self.now {
            Some(now) => checker.at(now),
            None => checker,
        };
        Ok(Judge::new(
            checker,
            self.crawlers.len(),
            (self.selection, self.form),
            #[cfg(feature = "cross-check")]
            self.cross_check.as_ref().map(|check| check.checker(&self.crawlers)),
        ))
    }
}

/// The frontier that a job was given, every file of which is to have URLs.
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

/// Judges the URLs of `job` and writes what it selects to `output`, which is committed at last.
///
/// # Errors
/// When a file of URLs cannot be opened or has none among its first lines, a crawler is not held by the store, the output
/// cannot be written, and for the first bad input when the job is strict. Then `output` is not committed. A file of URLs that
/// ends early is an error too, unless the output cannot be taken back: then it is counted among the report's errors.
pub fn run(job: &FilterJob<'_>, output: Output, events: &mut dyn Events) -> Result<FilterReport, JobError> {
    run_from(job, Start::New, output, None, events)
}

/// As [`run`], to the file `to`, so that the run can be gone on with should it be ended: every so often a checkpoint is
/// written beside it. Where there is one of the same run ([`Resume::identity`]) this run goes on from it, and what it
/// leaves is what one run without an interruption leaves: byte for byte, once decompressed.
///
/// # Errors
/// As [`run`]; when the checkpoint belongs to another run, or cannot be used; and when the job reads standard input or
/// writes Parquet, which nobody can go on with.
pub fn resume(
    job: &FilterJob<'_>,
    resume: &Resume<'_>,
    events: &mut dyn Events,
) -> Result<FilterReport, JobError> {
    let (start, output, keeper) = checkpoint::open(job, resume)?;
    run_from(job, start, output, Some(keeper), events)
}

fn run_from(
    job: &FilterJob<'_>,
    start: Start,
    output: Output,
    keeper: Option<Keeper>,
    events: &mut dyn Events,
) -> Result<FilterReport, JobError> {
    if job.crawlers.len() != 1 && job.selection != Selection::Verdicts {
        return Err(JobError::OneCrawler);
    }
    readable::require_urls(&job.urls, &job.frontier())?;
    let threads = thread_count(job.threads);
    let judges: Vec<Judge<'_>> = (0..threads).map(|_| job.judge()).collect::<Result<_, _>>()?;
    // What is written already cannot be taken back; then the report says that it is not all.
    let incomplete = if output.appears_at_commit() { IncompleteInput::Refuse } else { IncompleteInput::Use };
    let log = ProblemLog::new(events, job.strictness).with_incomplete(incomplete);
    Pipeline::new(job, output, keeper, log).run(start, judges)
}
