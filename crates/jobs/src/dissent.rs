//! One frontier under several dialects at once: where they answer differently, and why.
//!
//! Every URL is judged by the stores of all dialects ([`load_panel`](crate::sources::load_panel)), on all cores. Counts
//! are complete; examples are the first of each site, so the same input gives the same report on any number of threads.
//! What is kept besides the panel is a count and [`Shown::examples`] URLs for each site about which there is dissent,
//! however long the frontier is. Lines are quoted for URLs alone that are shown; causes are found, and counted, for all.

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

use robomata::{Answer, Crawler, Dialect, Site};
use robomata_formats::{Frontier, FrontierFormat, InputError, Meter, Output, UrlColumn};

pub use self::account::{DialectAnswer, DialectCause, Dissent};
pub use self::cause::Cause;
pub use self::counts::{CauseCount, DialectTally, DissentCounts, DissentStats, KindCount, PairCount};

use self::judge::{BlockReport, Judge, SiteFindings};
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::filter::frontier;
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{ErrorCounts, IncompleteInput, ProblemKind, ProblemLog, Strictness};
use crate::readable;
use crate::sources::DialectStores;

/// What to judge, by what, and what to tell of it.
pub struct DissentJob<'s> {
    /// The policies in each dialect, for the crawler. Without bodies no lines are quoted and no causes found.
    pub dialect_stores: &'s DialectStores,
    /// For whom URLs are judged.
    pub crawler: Crawler,
    /// The files of URLs; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files; that which each one's name tells when none is given.
    pub format: Option<FrontierFormat>,
    /// Where the URL stands, as [`Frontier::with_column`] has it.
    pub column: Option<UrlColumn>,
    /// What of answers is compared.
    pub compared: Compared,
    /// How much the report shows.
    pub shown: Shown,
    /// What bad input does.
    pub strictness: Strictness,
    /// What a file of URLs does that ends early. Where it is used the report counts it among its errors.
    pub incomplete: IncompleteInput,
    /// How many threads judge; all cores when none is given.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of URL lines that are handed to a thread at once; a megabyte when none is given.
    pub block_size: Option<NonZeroUsize>,
}

/// When answers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// When their words do: allow, disallow, defer, unknown.
    #[default]
    Verdicts,
    /// Also when other lines decide to the same effect.
    Lines,
}

/// How much of the dissent a report shows. Counts are complete in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Sites, those with most dissent.
    pub sites: usize,
    /// URLs of each site, the first of the input.
    pub examples: usize,
}

impl Default for Shown {
    /// Twenty sites with three URLs each.
    fn default() -> Self {
        Shown { sites: 20, examples: 3 }
    }
}

/// Where every dissent goes, one after the other.
pub struct Listing<'f> {
    /// The output, which is committed at last.
    pub output: Output,
    /// Appends a dissent, as it is to be written. Many threads call it.
    pub form: &'f (dyn Fn(&Dissent, &mut Vec<u8>) + Sync),
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct DissentReport {
    /// How many URLs, and how they were answered.
    pub counts: DissentCounts,
    /// The sites with most dissent, then by name.
    pub sites: Vec<SiteDissent>,
    /// What could not be used of the frontier.
    pub errors: ErrorCounts,
    /// How long it took.
    pub elapsed: Duration,
}

/// The dissent about one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteDissent {
    /// The site in normal form.
    pub site: String,
    /// URLs about which dialects differ.
    pub urls: u64,
    /// The first of them.
    pub examples: Vec<Dissent>,
}

impl<'s> DissentJob<'s> {
    /// A lenient job that compares verdicts and uses all cores.
    pub fn new(dialect_stores: &'s DialectStores, crawler: Crawler, urls: Vec<PathBuf>) -> Self {
        DissentJob {
            dialect_stores,
            crawler,
            urls,
            format: None,
            column: None,
            compared: Compared::default(),
            shown: Shown::default(),
            strictness: Strictness::default(),
            incomplete: IncompleteInput::Use,
            threads: None,
            block_size: None,
        }
    }

    /// The dialects of the panel, in its order.
    pub fn dialects(&self) -> impl Iterator<Item = Dialect> {
        self.dialect_stores.stores.iter().map(robomata::PolicyStore::dialect)
    }

    fn frontier(&self) -> Frontier {
        frontier(&self.urls, self.format, self.column.as_ref(), self.block_size)
    }
}

/// Judges the URLs of `job`, and writes every dissent to `listing`, in the order of the input.
///
/// # Errors
/// When a file of URLs cannot be opened, the panel does not hold the crawler, the listing cannot be written, and for the
/// first bad input when the job is strict. Then the listing is not committed.
pub fn run(
    job: &DissentJob<'_>,
    listing: Option<Listing<'_>>,
    events: &mut dyn Events,
) -> Result<DissentReport, JobError> {
    readable::require_urls(&job.urls, &job.frontier())?;
    let started = Instant::now();
    let threads = thread_count(job.threads);
    let (mut output, form) = listing.map(|listing| (listing.output, listing.form)).unzip();
    let judges: Vec<Judge<'_>> = (0..threads).map(|_| Judge::new(job, form)).collect::<Result<_, _>>()?;
    let mut report_builder =
        ReportBuilder::new(job, ProblemLog::new(events, job.strictness).with_incomplete(job.incomplete));
    for_each_block(
        job.frontier().with_meter(report_builder.bytes.clone()),
        judges,
        Judge::judge,
        || Ok(()),
        |item| match item {
            Outcome::Error(error) => report_builder.take_error(error),
            Outcome::Found(found, _) => {
                if let Some(output) = &mut output {
                    output.write_all(&found.out).map_err(JobError::output)?;
                }
                report_builder.take(found)
            }
        },
    )?;
    if let Some(output) = output {
        output.commit()?;
    }
    Ok(report_builder.report(started))
}

/// What becomes a report.
struct ReportBuilder<'j, 'e> {
    job: &'j DissentJob<'j>,
    log: ProblemLog<'e>,
    bytes: Meter,
    counts: counts::Counting,
    sites: HashMap<Site<'static>, SiteFindings>,
}

impl<'j, 'e> ReportBuilder<'j, 'e> {
    fn new(job: &'j DissentJob<'j>, log: ProblemLog<'e>) -> Self {
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
            // A line that is too long to be read is a line all the same.
            self.counts.add_unreadable_line();
        }
        Ok(())
    }

    fn report(self, started: Instant) -> DissentReport {
        let ReportBuilder { job, log, bytes: _, counts, sites } = self;
        let dialects: Vec<Dialect> = job.dialects().collect();
        let counts = counts.report(&dialects, sites.len() as u64);
        let mut sites: Vec<(Site<'_>, SiteFindings)> = sites.into_iter().collect();
        sites.sort_unstable_by(|(site, found), (other, others)| {
            (Reverse(found.urls), site).cmp(&(Reverse(others.urls), other))
        });
        sites.truncate(job.shown.sites);
        let sites = sites.into_iter().map(|(site, found)| {
            let questions = found.examples.iter().map(|example| (&*example.url, &*example.answers));
            let mut examples = Vec::with_capacity(found.examples.len());
            account::of_site(job, &site, questions, |dissent| examples.push(dissent));
            SiteDissent { site: site.to_string(), urls: found.urls, examples }
        });
        let sites = sites.collect();
        DissentReport { counts, sites, errors: log.close(), elapsed: started.elapsed() }
    }
}

/// Do the answers differ in what is compared?
#[inline]
fn differ(answers: &[Answer], compared: Compared) -> bool {
    let Some((first, others)) = answers.split_first() else { return false };
    others.iter().any(|other| {
        first.as_str() != other.as_str() || (compared == Compared::Lines && first.line() != other.line())
    })
}
