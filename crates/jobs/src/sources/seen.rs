//! Records the contents of each source, so that a source without a usable capture is an error.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use robomata_formats::{FileName, capture};

use crate::error::JobError;
use crate::problem::{InputProblem, NAMED, ProblemKind, ProblemLog};

/// The contents of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Captures that were used.
    pub(super) captures: u64,
    /// Those that are files with names that begin with a date.
    pub(super) dated: u64,
    /// The number of unusable entries.
    problems: u64,
    /// Descriptions of the first unusable entries, as many as an error names.
    samples: Vec<String>,
    /// Problems that are reported as soon as a capture can be used, and never if there is none.
    held: Vec<InputProblem>,
    /// The number of further problems of each kind.
    more: HashMap<ProblemKind, u64>,
}

/// The most problems that the error about an unusable source names.
const SAMPLES: usize = 3;

impl Seen {
    /// Holds `problem` back.
    pub(super) fn hold(&mut self, problem: InputProblem) {
        if (self.held.len() as u64) < NAMED {
            self.held.push(problem);
        } else {
            *self.more.entry(problem.kind()).or_default() += 1;
        }
    }

    /// Reports the problems that were held back.
    pub(super) fn release(&mut self, log: &mut ProblemLog<'_>) -> Result<(), JobError> {
        self.held.drain(..).try_for_each(|problem| log.report(problem))?;
        self.more.drain().for_each(|(kind, more)| log.count(kind, more));
        Ok(())
    }

    /// Counts `problem`.
    pub(super) fn add(&mut self, problem: &InputProblem) {
        self.problems += 1;
        if self.samples.len() < SAMPLES {
            self.samples.push(problem.to_string());
        }
    }
}

/// Checks that each of `paths` had a capture, according to `seen`. A web archive needs none if at least one source has a
/// capture: a crawl may have many files. One without any record was a problem when it was read. In a directory, names that
/// all begin with a date are not those of hosts.
pub(super) fn require_captures(paths: &[PathBuf], seen: &[Seen]) -> Result<(), JobError> {
    let total: u64 = seen.iter().map(|seen| seen.captures).sum();
    let mut empty = paths
        .iter()
        .zip(seen)
        .filter(|(path, seen)| seen.captures == 0 || (seen.captures == seen.dated && path.is_dir()));
    let needed =
        |(path, seen): &(&PathBuf, &Seen)| total == 0 || seen.problems > 0 || !capture::is_web_archive(path);
    match empty.find(needed) {
        Some((path, seen)) => Err(JobError::NoCaptures { file: FileName::new(path), why: why(path, seen) }),
        None => Ok(()),
    }
}

fn why(path: &Path, seen: &Seen) -> String {
    let count = seen.problems;
    match count {
        _ if seen.captures > 0 => {
            "every name in the directory begins with a date (expected files named by host, or HOST/robots.txt)"
                .to_owned()
        }
        0 if path.is_dir() => {
            "the directory is empty (expected files named by host, or HOST/robots.txt)".to_owned()
        }
        0 if capture::is_web_archive(path) => "no record is the response for a site's /robots.txt".to_owned(),
        0 => "it has no entries (expected a capture on each line or in each row, with \"host\" or \"url\", and \"body\")"
            .to_owned(),
        1 => format!("the only entry cannot be used: {}", seen.samples[0]),
        _ => format!("none of {count} entries can be used; the first: {}", seen.samples.join("; ")),
    }
}
