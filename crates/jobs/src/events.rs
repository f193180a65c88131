//! Events that a job reports while it runs.

use robomata_engine::{Answer, Crawler, Moment};
use robomata_formats::capture::RedirectCounts;
use robomata_formats::{BodyKind, FileName, Meter};

use crate::problem::{InputProblem, ProblemKind};

/// Receives the events of a job, in input order.
pub trait Events {
    /// A part of the input is unusable; the job continues without it.
    fn bad_input(&mut self, problem: &InputProblem) {
        let _ = problem;
    }

    /// This many further problems of a kind were not reported one by one.
    fn more_bad_input(&mut self, kind: ProblemKind, count: u64) {
        let _ = (kind, count);
    }

    /// This many sites have several captures that differ, and have no time or were made in the same second. The last one in
    /// the input counts.
    fn undated_captures(&mut self, sites: u64) {
        let _ = sites;
    }

    /// The latest time that a capture may have without being reported; none if any time is plausible. It decides nothing
    /// else.
    fn latest_plausible_capture(&self) -> Option<Moment> {
        None
    }

    /// This many captures are later than [`Events::latest_plausible_capture`]. Their sites keep them as the newest ones.
    fn implausible_captures(&mut self, captures: u64) {
        let _ = captures;
    }

    /// This many sites of bundles have a capture that is later than [`Events::latest_plausible_capture`]. They keep it as the
    /// newest one.
    fn implausible_sites(&mut self, sites: u64) {
        let _ = sites;
    }

    /// So many redirects have no result, or one that may be out of date.
    fn redirects(&mut self, counts: RedirectCounts) {
        let _ = counts;
    }

    /// A file that was given as a site's robots.txt has no group and no known field.
    fn not_a_robots_file(&mut self, file: &FileName, kind: BodyKind) {
        let _ = (file, kind);
    }

    /// A file that was given as a site's robots.txt has rules, the first one on `line`, but no group: they count for no crawler.
    fn rules_without_a_group(&mut self, file: &FileName, line: u32) {
        let _ = (file, line);
    }

    /// A file that was given as a site's robots.txt has its records in a single line, of which only the first one counts.
    fn records_in_one_line(&mut self, file: &FileName) {
        let _ = file;
    }

    /// This many files of directories have no bytes, and count as empty robots.txt files.
    fn empty_files(&mut self, files: u64) {
        let _ = files;
    }

    /// Reports the progress of the job.
    fn progress(&mut self, progress: Progress<'_>) {
        let _ = progress;
    }

    /// The engine and the reference gave different answers.
    fn divergence(&mut self, divergence: &Divergence) {
        let _ = divergence;
    }
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Events for Silent {}

/// The progress of a job.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'m> {
    /// The work done.
    pub done: Done,
    /// The total number of bytes, and the number processed so far.
    pub bytes: &'m Meter,
}

/// The kind and amount of work done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Captures of robots.txt read so far.
    Captures(u64),
    /// URL lines judged so far.
    Lines(u64),
    /// Lines of logs judged so far.
    Requests(u64),
    /// The number of parts that are merged into a bundle.
    Merged(u64),
    /// Shards written so far.
    Shards(u64),
}

/// One URL about which the engine and the reference disagree. One of them has a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The URL's site in normal form, if it has one.
    pub site: Option<String>,
    /// The URL.
    pub url: String,
    /// The crawler that the URL was judged for.
    pub crawler: Crawler,
    /// The engine's answer.
    pub engine: Answer,
    /// The reference's answer.
    pub reference: Answer,
}
