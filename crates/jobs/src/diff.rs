//! Reports the effects of a change of robots.txt files: URLs whose verdict changes, and example URLs that show the
//! change.
//!
//! The old side and the new side are each one robots.txt or the policies of many sites ([`Policies`]). Both sides judge
//! the URLs of a frontier, on all cores. Changes are counted by site and by the rules that decided. Memory is bounded
//! by the number of pairs of rules, however long the frontier is. The rules themselves are compared, too
//! ([`witnesses`]), with or without URLs. The result for each pair of rules that decide differently is a shortest URL,
//! verified with both sides. If there is no such URL, it is a proof that nothing changes. Sources and bundles are
//! compared alike, by their compiled policies.

mod judge;
mod policies;
mod sides;
mod witness;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

use robomata_engine::syntax::Lines;
use robomata_engine::{Crawler, Site};
use robomata_formats::{EmptyStreams, Frontier, FrontierFormat, InputError, Meter, UrlColumn};
use serde::Serialize;

pub use self::policies::{Policies, PolicyOptions};
pub use self::sides::compiled_crawlers;
pub use self::witness::{SiteWitnesses, WitnessReport, WitnessUrl, witnesses};

use self::judge::{BlockReport, Change, Judge, UrlExamples};
use self::sides::Sides;
use crate::compare::Compared;
use crate::crawl::is_path_or_url;
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::filter::frontier;
use crate::ordered::{Outcome, for_each_block, thread_count};
use crate::problem::{ErrorCounts, IncompleteInput, ProblemKind, ProblemLog, Strictness};

/// A comparison of two sides: its input, its crawlers and what it reports.
pub struct DiffJob<'p> {
    /// The policies before the change.
    pub old: &'p Policies,
    /// The policies after the change.
    pub new: &'p Policies,
    /// The crawlers to compare for. None means every crawler that either side names, site by site, and `*` for all
    /// others. Stores that were compiled for some crawlers need these crawlers ([`compiled_crawlers`]).
    pub crawlers: Option<Vec<Crawler>>,
    /// The files of URLs, one URL per line; `-` is standard input.
    pub urls: Vec<PathBuf>,
    /// The format of all files; by default each file's name determines its format.
    pub format: Option<FrontierFormat>,
    /// The column of the URL, as in [`Frontier::with_column`](robomata_formats::Frontier::with_column).
    pub column: Option<UrlColumn>,
    /// How to treat standard input and pipes of URLs without a byte.
    pub empty_streams: EmptyStreams,
    /// The part of answers that is compared.
    pub compared: Compared,
    /// The amount of detail in the report.
    pub shown: Shown,
    /// The step limit of the search for witnesses of one site (`robomata_engine::automaton::CompareOptions`).
    pub budget: u64,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// How to treat a file of URLs that ends early. If it is used, the report counts it among its errors.
    pub incomplete: IncompleteInput,
}

/// The amount of detail in a report. Its counts are always complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The number of changes by URLs, those with most URLs first.
    pub changes: usize,
    /// The number of URLs of each change (the first of the input for which a text can stand), and of witnesses of each
    /// site (the shortest).
    pub examples: usize,
    /// The number of sites with witnesses.
    pub sites: usize,
}

impl Default for Shown {
    /// Twenty changes with three URLs each, twenty sites.
    fn default() -> Self {
        Shown { changes: 20, examples: 3, sites: 20 }
    }
}

impl<'p> DiffJob<'p> {
    /// A lenient job that compares verdicts and uses all cores.
    pub fn new(old: &'p Policies, new: &'p Policies, crawlers: Option<Vec<Crawler>>) -> Self {
        DiffJob {
            old,
            new,
            crawlers,
            urls: vec![],
            format: None,
            column: None,
            empty_streams: EmptyStreams::default(),
            compared: Compared::default(),
            shown: Shown::default(),
            budget: robomata_engine::automaton::CompareOptions::default().budget,
            strictness: Strictness::default(),
            incomplete: IncompleteInput::Use,
        }
    }

    fn sides(&self) -> Result<Sides<'p>, JobError> {
        Sides::new(self.old, self.new, self.crawlers.as_deref())
    }

    /// The names of crawlers to show; empty if the job names a single crawler.
    fn names_of(&self, crawlers: &[Crawler]) -> Vec<String> {
        match self.crawlers.as_deref() {
            Some([_]) => Vec::new(),
            _ => crawlers.iter().map(ToString::to_string).collect(),
        }
    }

    /// The URLs belong to sites. A comparison of two robots.txt files ignores the site, so paths are enough.
    fn frontier(&self) -> Frontier {
        let frontier = frontier(&self.urls, self.format, self.column.as_ref(), None)
            .with_empty_streams(self.empty_streams);
        if self.old.is_file() && self.new.is_file() {
            return frontier.requiring_urls(is_path_or_url);
        }
        frontier
    }
}

/// The answer of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideAnswer {
    /// `allow`, `disallow`, `defer`, or `unknown` where the side has no policy for the site.
    pub verdict: &'static str,
    /// The 1-based line that decided; 0 when none did.
    pub line: u32,
    /// That line as written. Without its text, as for bundles, it is the line as compiled, with its pattern in normal
    /// form. A long line is cut after 500 characters and ends with an ellipsis. None if there is no line, or if more than
    /// rules decide in a bundle.
    pub rule: Option<String>,
}

/// One change of answers, and its URLs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UrlChange {
    /// The site in normal form. None if two robots.txt files are compared, which ignores the sites of URLs.
    pub site: Option<String>,
    /// The crawlers with this change; left out if the job names a single crawler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crawlers: Vec<String>,
    /// The answer before the change.
    pub old: SideAnswer,
    /// The answer after the change.
    pub new: SideAnswer,
    /// The number of URLs.
    pub urls: u64,
    /// The first of these URLs.
    pub examples: Vec<String>,
}

/// The changes by URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UrlReport {
    /// Lines read.
    pub lines: u64,
    /// URLs whose answer changes for at least one crawler.
    pub changed: u64,
    /// URLs of sites without a policy on either side.
    pub unknown: u64,
    /// Lines that are not URLs.
    pub invalid: u64,
    /// Pairs of rules (or of no rule) that cause changes, counted on each site and for each group of crawlers.
    pub change_count: u64,
    /// The changes with most URLs first, then by site and line.
    pub changes: Vec<UrlChange>,
    /// Counts of unusable input in the frontier.
    pub errors: ErrorCounts,
}

/// Judges the URLs of `job` with both sides.
///
/// # Errors
/// When a file of URLs cannot be opened or has no URL among its first lines, or one side does not hold the crawler. In a
/// strict job, also for the first bad input.
pub fn judge_urls(job: &DiffJob<'_>, events: &mut dyn Events) -> Result<UrlReport, JobError> {
    let frontier = job.frontier();
    let sides = job.sides()?;
    let judges: Vec<Judge<'_, '_>> = (0..thread_count()).map(|_| Judge::new(job, &sides)).collect();
    let mut report_builder =
        ReportBuilder::new(job, ProblemLog::new(events, job.strictness).with_incomplete(job.incomplete));
    for_each_block(
        frontier.with_meter(report_builder.bytes.clone()),
        judges,
        Judge::judge,
        |item| match item {
            Outcome::Error(error) => report_builder.take_error(error),
            Outcome::Found(found, _) => report_builder.take(found),
        },
    )?;
    Ok(report_builder.report())
}

/// Collects the report.
struct ReportBuilder<'j, 'e> {
    job: &'j DiffJob<'j>,
    log: ProblemLog<'e>,
    bytes: Meter,
    report: UrlReport,
    changes: HashMap<Change, UrlExamples>,
}

impl<'j, 'e> ReportBuilder<'j, 'e> {
    fn new(job: &'j DiffJob<'j>, log: ProblemLog<'e>) -> Self {
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
            // A line that is too long to be read still counts as a line.
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
        let mut lines: HashMap<Option<Site<'_>>, [Option<Lines<'_>>; 2]> = HashMap::new();
        let url_changes = changes.into_iter().map(|(change, seen)| {
            let site = change.site.as_ref();
            let lines = lines.entry(change.site.clone());
            let [old, new] = lines.or_insert_with(|| [job.old, job.new].map(|side| side.lines(site)));
            let said = |side: &Policies, lines: &Option<Lines<'_>>, (verdict, line)| {
                side.said(lines.as_ref(), &change.crawlers[0], site, verdict, line)
            };
            UrlChange {
                site: site.map(ToString::to_string),
                crawlers: job.names_of(&change.crawlers),
                old: said(job.old, old, change.old),
                new: said(job.new, new, change.new),
                urls: seen.urls,
                examples: seen.examples,
            }
        });
        report.changes = url_changes.collect();
        report.errors = log.close();
        report
    }
}
