//! Compares the answers of several dialects about one frontier, and finds the causes of differences.
//!
//! Every URL is judged by the stores of all dialects ([`load_panel`](crate::sources::load_panel)), on all cores. Counts
//! are complete. Examples are the first URLs of each site, so the same input gives the same report on any number of
//! threads. The job keeps one count and [`Shown::examples`] URLs for each site with differences, however long the
//! frontier is. It quotes lines only for the URLs that the report shows, but finds and counts causes for all URLs.

mod account;
mod cause;
mod counts;
mod judge;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The part of two answers that must differ.
pub use robomata_engine::automaton::Difference as Compared;
use robomata_engine::{Answer, Crawler, Dialect, Site};
use robomata_formats::{EmptyStreams, Frontier, FrontierFormat, InputError, Meter, Output, UrlColumn};

pub use self::account::{DialectAnswer, DialectCause, Difference};
pub use self::cause::Cause;
pub use self::counts::{CauseCount, CompareCounts, CompareStats, DialectTally, KindCount, PairCount};

use self::judge::{BlockReport, Judge, SiteFindings};
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::filter::frontier;
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{ErrorCounts, IncompleteInput, ProblemKind, ProblemLog, Strictness};
use crate::sources::DialectStores;

/// A comparison of dialects: its input, its policies and what it reports.
pub struct CompareJob<'s> {
    /// The crawler's policies in each dialect. Without bodies the report has no quoted lines and no causes.
    pub dialect_stores: &'s DialectStores,
    /// The crawler that the URLs are judged for.
    pub crawler: Crawler,
    /// The files of URLs; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files. By default each file's name determines its format.
    pub format: Option<FrontierFormat>,
    /// The column of the URL, as in [`Frontier::with_column`].
    pub column: Option<UrlColumn>,
    /// How to treat standard input and pipes of URLs without a byte.
    pub empty_streams: EmptyStreams,
    /// The part of answers that is compared.
    pub compared: Compared,
    /// The amount of detail in the report.
    pub shown: Shown,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// How to treat a file of URLs that ends early. If it is used, the report counts it among its errors.
    pub incomplete: IncompleteInput,
    /// Bytes of URL lines that a thread receives at once; a megabyte by default.
    pub block_size: Option<NonZeroUsize>,
}

/// The number of differences that a report shows. Its counts are always complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The number of sites, those with most differences first.
    pub sites: usize,
    /// The number of URLs of each site, the first of the input.
    pub examples: usize,
}

impl Default for Shown {
    /// Twenty sites with three URLs each.
    fn default() -> Self {
        Shown { sites: 20, examples: 3 }
    }
}

/// The output for a list of all differences.
pub struct Listing<'f> {
    /// The output. The job commits it at the end.
    pub output: Output,
    /// Appends the written form of a difference. Many threads call it.
    pub form: &'f (dyn Fn(&Difference, &mut Vec<u8>) + Sync),
}

/// The result of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareReport {
    /// The numbers of URLs, by their answers.
    pub counts: CompareCounts,
    /// The sites with differences, those with most URLs first, then by name.
    pub sites: Vec<SiteDifferences>,
    /// Counts of unusable input in the frontier.
    pub errors: ErrorCounts,
    /// The duration of the job.
    pub elapsed: Duration,
}

/// The differences about one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteDifferences {
    /// The site in normal form.
    pub site: String,
    /// URLs about which dialects differ.
    pub urls: u64,
    /// Those of them for which no text can stand: they are no examples. `google` compares their bytes.
    pub no_texts: u64,
    /// The first of the others.
    pub examples: Vec<Difference>,
}

impl<'s> CompareJob<'s> {
    /// A lenient job that compares verdicts and uses all cores.
    pub fn new(dialect_stores: &'s DialectStores, crawler: Crawler, urls: Vec<PathBuf>) -> Self {
        CompareJob {
            dialect_stores,
            crawler,
            urls,
            format: None,
            column: None,
            empty_streams: EmptyStreams::default(),
            compared: Compared::default(),
            shown: Shown::default(),
            strictness: Strictness::default(),
            incomplete: IncompleteInput::Use,
            block_size: None,
        }
    }

    /// The dialects, in the order of the stores.
    pub fn dialects(&self) -> impl Iterator<Item = Dialect> {
        self.dialect_stores.stores.iter().map(robomata_engine::PolicyStore::dialect)
    }

    fn frontier(&self) -> Frontier {
        frontier(&self.urls, self.format, self.column.as_ref(), self.block_size)
            .with_empty_streams(self.empty_streams)
    }
}

/// Judges the URLs of `job` and writes every difference to `listing`, in input order.
///
/// # Errors
/// When a file of URLs cannot be opened or has no URL among its first lines. When no URL is of a known site. When the stores
/// do not hold the crawler, or the listing cannot be written. In a strict job, also for the first bad input. Then the
/// listing is not committed.
pub fn run(
    job: &CompareJob<'_>,
    listing: Option<Listing<'_>>,
    events: &mut dyn Events,
) -> Result<CompareReport, JobError> {
    let started = Instant::now();
    let (mut output, form) = listing.map(|listing| (listing.output, listing.form)).unzip();
    let judges: Vec<Judge<'_>> =
        (0..thread_count()).map(|_| Judge::new(job, form)).collect::<Result<_, _>>()?;
    let mut report_builder =
        ReportBuilder::new(job, ProblemLog::new(events, job.strictness).with_incomplete(job.incomplete));
    for_each_block(job.frontier().with_meter(report_builder.bytes.clone()), judges, Judge::judge, |item| {
        match item {
            Outcome::Error(error) => report_builder.take_error(error),
            Outcome::Found(found, _) => {
                if let Some(place) = found.unwritable.take() {
                    return Err(JobError::UnwritableUrl(place));
                }
                if let Some(output) = &mut output {
                    output.write_all(&found.out).map_err(JobError::output)?;
                }
                report_builder.take(found)
            }
        }
    })?;
    let report = report_builder.report(started);
    report.require_comparison()?;
    if let Some(output) = output {
        output.commit()?;
    }
    Ok(report)
}

impl CompareReport {
    /// Fails if no URL was compared, although all of them were read: dialects would seem to agree.
    fn require_comparison(&self) -> Result<(), JobError> {
        let CompareCounts { lines, alike, different, unknown, invalid, .. } = self.counts;
        if alike + different > 0 || self.errors.incomplete_inputs > 0 {
            return Ok(());
        }
        Err(JobError::NothingCompared(match lines {
            0 => "there is no URL (give files with URLs)".to_owned(),
            _ => format!(
                "of {lines} lines, {unknown} have a URL of a site without a robots.txt, and {invalid} have no URL (give \
                 captures of the sites of the URLs)"
            ),
        }))
    }
}

/// Collects the report.
struct ReportBuilder<'j, 'e> {
    job: &'j CompareJob<'j>,
    log: ProblemLog<'e>,
    bytes: Meter,
    counts: counts::Counting,
    sites: HashMap<Site<'static>, SiteFindings>,
}

impl<'j, 'e> ReportBuilder<'j, 'e> {
    fn new(job: &'j CompareJob<'j>, log: ProblemLog<'e>) -> Self {
        let mut counts = counts::Counting::default();
        counts.clear(job.dialect_stores.stores.len());
        ReportBuilder { job, log, bytes: Meter::of(&job.urls), counts, sites: HashMap::new() }
    }

    fn take(&mut self, found: &mut BlockReport) -> Result<(), JobError> {
        for problem in found.problems.drain(..) {
            self.log.report(problem)?;
        }
        self.log.count(ProblemKind::Url, found.more_problems);
        self.counts.add_all(&found.counts);
        for (site, more) in found.sites.drain(..) {
            let known = self.sites.entry(site).or_default();
            known.urls += more.urls;
            known.no_texts += more.no_texts;
            let room = self.job.shown.examples.saturating_sub(known.examples.len());
            known.examples.extend(more.examples.into_iter().take(room));
        }
        let done = Done::Lines(self.counts.lines());
        self.log.events.progress(Progress { done, bytes: &self.bytes });
        Ok(())
    }

    fn take_error(&mut self, error: InputError) -> Result<(), JobError> {
        let is_line = error.line().is_some() && !error.ends_file();
        self.log.report_urls(error)?;
        if is_line {
            // A line that is too long to be read still counts as a line.
            self.counts.add_unreadable_line();
        }
        Ok(())
    }

    fn report(self, started: Instant) -> CompareReport {
        let ReportBuilder { job, log, bytes: _, counts, sites } = self;
        let dialects: Vec<Dialect> = job.dialects().collect();
        let counts = counts.report(&dialects, sites.len() as u64);
        let mut sites: Vec<(Site<'_>, SiteFindings)> = sites.into_iter().collect();
        sites.sort_unstable_by(|(site, found), (other, others)| {
            (Reverse(found.urls), site).cmp(&(Reverse(others.urls), other))
        });
        sites.truncate(job.shown.sites);
        let mut differences: Vec<SiteDifferences> = Vec::with_capacity(sites.len());
        differences.extend(sites.iter().map(|(site, found)| SiteDifferences {
            site: site.to_string(),
            urls: found.urls,
            no_texts: found.no_texts,
            examples: Vec::with_capacity(found.examples.len()),
        }));
        let names: Vec<&Site<'_>> = sites.iter().map(|(site, _)| site).collect();
        account::each_site(job, &names, |index, readings| {
            let (site, found) = &sites[index];
            let questions = found.examples.iter().map(|example| (&*example.url, &*example.answers));
            let examples = &mut differences[index].examples;
            account::of_site(job, site, readings, questions, |difference| examples.push(difference));
        });
        let sites = differences;
        CompareReport { counts, sites, errors: log.close(), elapsed: started.elapsed() }
    }
}

/// Do the answers differ in the compared part?
#[inline]
fn differ(answers: &[Answer], compared: Compared) -> bool {
    let Some((first, others)) = answers.split_first() else { return false };
    others.iter().any(|other| robomata_engine::differ(*first, *other, compared))
}
