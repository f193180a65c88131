//! What a job tells while it runs.

use robomata::{Answer, Crawler};
use robomata_formats::{BodyKind, FileName, Meter};

use crate::problem::{InputProblem, ProblemKind};

/// Receives what happens in a job, in the order of the input.
pub trait Events {
    /// Something in the input could not be used; the job goes on without it.
    fn bad_input(&mut self, problem: &InputProblem) {
        let _ = problem;
    }

    /// There was more of a kind than is worth naming one by one: so many further problems.
    fn more_bad_input(&mut self, kind: ProblemKind, count: u64) {
        let _ = (kind, count);
    }

    /// So many sites have several captures that differ and have no time: the last one in the input counts.
    fn undated_captures(&mut self, sites: u64) {
        let _ = sites;
    }

    /// The file that was given as the robots.txt of a site looks like something else.
    fn not_a_robots_file(&mut self, file: &FileName, kind: BodyKind) {
        let _ = (file, kind);
    }

    /// So far has the job come.
    fn progress(&mut self, progress: Progress<'_>) {
        let _ = progress;
    }

    /// Engine and reference answered differently.
    fn divergence(&mut self, divergence: &Divergence) {
        let _ = divergence;
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Events for Silent {}

/// How far a job has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'m> {
    /// What it has done.
    pub done: Done,
    /// The bytes of what it works through, and how many of them are done.
    pub bytes: &'m Meter,
}

/// What a job has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// Captures of robots.txt read so far.
    Captures(u64),
    /// URL lines judged so far.
    Lines(u64),
    /// Lines of logs judged so far.
    Requests(u64),
    /// Parts merged into a bundle, which are as many.
    Merged(u64),
    /// Shards written so far.
    Shards(u64),
}

/// One URL about which engine and reference disagree: a defect of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The URL's site in normal form; none when it has none.
    pub site: Option<String>,
    /// The URL.
    pub url: String,
    /// For whom it was judged.
    pub crawler: Crawler,
    /// What the engine says.
    pub engine: Answer,
    /// What the reference says.
    pub reference: Answer,
}
