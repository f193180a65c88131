//! What a change of robots.txt files changes: which URLs get another verdict, and URLs made up to show it.
//!
//! Old and new are each one robots.txt or many sites' policies ([`Policies`]). URLs of a frontier are judged by both, on all
//! cores, and counted by site and by the rules that decided; what is kept is bounded by the pairs of rules, however long the
//! frontier is. Without any URLs, and besides them, rules themselves are compared ([`witnesses`]): for each pair of rules
//! that decide differently a shortest URL, proved by asking both sides, and where there is none a proof that nothing
//! changes. Sources and bundles are compared alike, by what they were compiled to.

mod judge;
mod policies;
mod sides;
mod witness;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use robomata::{Crawler, Site};
use robomata_formats::{Frontier, FrontierFormat, InputError, Meter, UrlColumn};
use serde::Serialize;

pub use self::policies::{Policies, PolicyOptions};
pub use self::sides::compiled_crawlers;
pub use self::witness::{SiteWitnesses, WitnessReport, WitnessUrl, witnesses};

use self::judge::{BlockReport, Change, Judge, UrlExamples};
use self::sides::Sides;
use crate::dissent::Compared;
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::filter::frontier;
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{ErrorCounts, IncompleteInput, ProblemKind, ProblemLog, Strictness};
use crate::readable;

/// What to compare, by what, and how much to tell of it.
pub struct BlastJob<'p> {
    /// What held before.
    pub old: &'p Policies,
    /// What holds now.
    pub new: &'p Policies,
    /// For whom; none for every crawler that either side names, site by site, and for `*`, every other one. Stores that were
    /// compiled for some crawlers need these ([`compiled_crawlers`]).
    pub crawlers: Option<Vec<Crawler>>,
    /// The files of URLs, one a line; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all of them; by the name of each when none is given.
    pub format: Option<FrontierFormat>,
    /// Where the URL stands, as [`Frontier::with_column`](robomata_formats::Frontier::with_column) has it.
    pub column: Option<UrlColumn>,
    /// What of answers is compared.
    pub compared: Compared,
    /// How much is shown.
    pub shown: Shown,
    /// Steps of the search for witnesses of one site (`robomata::automaton::CompareOptions`).
    pub budget: u64,
    /// What bad input does.
    pub strictness: Strictness,
    /// What a file of URLs does that ends early. Where it is used the report counts it among its errors.
    pub incomplete: IncompleteInput,
    /// How many threads work; all cores when none is given.
    pub threads: Option<NonZeroUsize>,
}

/// How much of a report is shown. Counts are complete in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Changes of rules by URLs, those with most URLs.
    pub changes: usize,
    /// URLs of each change, the first of the input, and witnesses of each site, the shortest.
    pub examples: usize,
    /// Sites with witnesses.
    pub sites: usize,
}

impl Default for Shown {
    /// Twenty changes with three URLs each, twenty sites.
    fn default() -> Self {
        Shown { changes: 20, examples: 3, sites: 20 }
    }
}

impl<'p> BlastJob<'p> {
    /// A lenient job that compares verdicts and uses all cores.
    pub fn new(old: &'p Policies, new: &'p Policies, crawlers: Option<Vec<Crawler>>) -> Self {
        BlastJob {
            old,
            new,
            crawlers,
            urls: vec![],
            format: None,
            column: None,
            compared: Compared::default(),
            shown: Shown::default(),
            budget: robomata::automaton::CompareOptions::default().budget,
            strictness: Strictness::default(),
            incomplete: IncompleteInput::Use,
            threads: None,
        }
    }

    fn sides(&self) -> Result<Sides<'p>, JobError> {
        Sides::new(self.old, self.new, self.crawlers.as_deref())
    }

    /// The names of crawlers, where they are to be shown: not where one was named.
    fn names_of(&self, crawlers: &[Crawler]) -> Vec<String> {
        match self.crawlers.as_deref() {
            Some([_]) => Vec::new(),
            _ => crawlers.iter().map(ToString::to_string).collect(),
        }
    }

    /// URLs are those of sites; where two robots.txt files are compared, whatever their site, paths will do.
    fn frontier(&self) -> Frontier {
        let frontier = frontier(&self.urls, self.format, self.column.as_ref(), None);
        if self.old.is_file() && self.new.is_file() {
            return frontier.requiring_urls(|text| text.starts_with(b"/") || Site::of_url(text).is_ok());
        }
        frontier
    }
}

/// What one side says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideAnswer {
    /// `allow`, `disallow`, `defer`, or `unknown` where the side has no policy for the site.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written; as it was compiled, with its pattern in normal form, where the text is not at hand, as for
    /// bundles. None where there is no line, and where more than rules decide in a bundle.
    pub rule: Option<String>,
}

/// URLs whose answer changes in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UrlChange {
    /// The site in normal form; none where one robots.txt is compared with another, whatever sites URLs are of.
    pub site: Option<String>,
    /// The crawlers for which it changes so; left out where one crawler was named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawlers: Vec<String>,
    /// What was said.
    pub old: SideAnswer,
    /// What is said now.
    pub new: SideAnswer,
    /// How many URLs.
    pub urls: u64,
    /// The first of them.
    pub examples: Vec<String>,
}

/// What became of URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UrlReport {
    /// Lines read.
    pub lines: u64,
    /// URLs whose answer changes for some crawler.
    pub changed: u64,
    /// URLs of sites that neither side has a policy for.
    pub unknown: u64,
    /// Lines that are no URL.
    pub invalid: u64,
    /// Pairs of rules (or of none) by which they change, on each site and for each group of crawlers.
    pub change_count: u64,
    /// Those with most URLs, then by site and line.
    pub changes: Vec<UrlChange>,
    /// What could not be used of the frontier.
    pub errors: ErrorCounts,
}

/// Judges the URLs of `job` by both sides.
///
/// # Errors
/// When a file of URLs cannot be opened, one side does not hold the crawler, and for the first bad input when the job is
/// strict.
pub fn judge_urls(job: &BlastJob<'_>, events: &mut dyn Events) -> Result<UrlReport, JobError> {
    let frontier = job.frontier();
    readable::require_urls(&job.urls, &frontier)?;
    let threads = thread_count(job.threads);
    let sides = job.sides()?;
    let judges: Vec<Judge<'_, '_>> = (0..threads).map(|_| Judge::new(job, &sides)).collect();
    let mut report_builder =
        ReportBuilder::new(job, ProblemLog::new(events, job.strictness).with_incomplete(job.incomplete));
    for_each_block(
        frontier.with_meter(report_builder.bytes.clone()),
        judges,
        Judge::judge,
        || job.old.validate().and_then(|()| job.new.validate()),
        |item| match item {
            Outcome::Error(error) => report_builder.take_error(error),
            Outcome::Found(found, _) => report_builder.take(found),
        },
    )?;
    Ok(report_builder.report())
}

/// What becomes a report.
struct ReportBuilder<'j, 'e> {
    job: &'j BlastJob<'j>,
    log: ProblemLog<'e>,
    bytes: Meter,
    report: UrlReport,
    changes: HashMap<Change, UrlExamples>,
}

impl<'j, 'e> ReportBuilder<'j, 'e> {
    fn new(job: &'j BlastJob<'j>, log: ProblemLog<'e>) -> Self {
        let bytes = Meter::of(&job.urls);
        ReportBuilder { job, log, bytes, report: UrlReport::default(), changes: HashMap::new() }
    }

    fn take(&mut self, found: &mut BlockReport) -> Result<(), JobError> {
        for problem in found.problems.drain(..) {
            self.log.report(problem)?;
        }
        self.log.count(ProblemKind::Url, found.more_problems);
        self.report.lines += found.lines;
        self.report.changed += found.changed;
        self.report.unknown += found.unknown;
        self.report.invalid += found.invalid;
        for (change, more) in found.changes.drain() {
            let known = self.changes.entry(change).or_default();
            known.urls += more.urls;
            let room = self.job.shown.examples.saturating_sub(known.examples.len());
            known.examples.extend(more.examples.into_iter().take(room));
        }
        let done = Done::Lines(self.report.lines);
        self.log.events.progress(Progress { done, bytes: &self.bytes });
        Ok(())
    }

    fn take_error(&mut self, error: InputError) -> Result<(), JobError> {
        let is_line = !error.ends_file();
        self.log.report_urls(error)?;
        if is_line {
            // A line that is too long to be read is a line all the same.
            self.report.lines += 1;
            self.report.invalid += 1;
        }
        Ok(())
    }

    fn report(self) -> UrlReport {
        let ReportBuilder { job, log, bytes: _, mut report, changes } = self;
        report.change_count = changes.len() as u64;
        let mut changes: Vec<(Change, UrlExamples)> = changes.into_iter().collect();
        changes.sort_unstable_by(|(change, seen), (other, others)| {
            (Reverse(seen.urls), change).cmp(&(Reverse(others.urls), other))
        });
        changes.truncate(job.shown.changes);
        let told = changes.into_iter().map(|(change, seen)| {
            let site = change.site.as_ref();
            let said = |side: &Policies, (verdict, line)| side.said(&change.crawlers[0], site, verdict, line);
            UrlChange {
                site: site.map(ToString::to_string),
                crawlers: job.names_of(&change.crawlers),
                old: said(job.old, change.old),
                new: said(job.new, change.new),
                urls: seen.urls,
                examples: seen.examples,
            }
        });
        report.changes = told.collect();
        report.errors = log.close();
        report
    }
}
