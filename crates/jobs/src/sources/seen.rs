//! What each source held, so that one without a usable capture is an error.

use std::path::{Path, PathBuf};

use robomata_formats::{FileName, capture};

use crate::error::JobError;
use crate::problem::InputProblem;

/// What one source held.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Captures that were used.
    pub(super) captures: u64,
    /// What could not be used.
    problems: u64,
    /// The first of that, in words.
    first: String,
}

impl Seen {
    /// Counts `problem`.
    pub(super) fn add(&mut self, problem: &InputProblem) {
        self.problems += 1;
        if self.problems == 1 {
            self.first = problem.to_string();
        }
    }
}

/// Makes sure that each of `paths` held a capture, of which `seen` says what was there. Files of a web archive need none, as
/// long as there is one among all sources.
pub(super) fn require_captures(paths: &[PathBuf], seen: &[Seen]) -> Result<(), JobError> {
    let total: u64 = seen.iter().map(|seen| seen.captures).sum();
    let mut empty = paths.iter().zip(seen).filter(|(_, seen)| seen.captures == 0);
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
        0 if path.is_dir() => {
            "the directory is empty (expected files named by host, or HOST/robots.txt)".to_owned()
        }
        0 if capture::is_web_archive(path) => "no record is the response for a site's /robots.txt".to_owned(),
        0 => "it holds nothing (expected a JSON object on each line, with \"host\" or \"url\", and \"body\")"
            .to_owned(),
        1 => format!("the only entry cannot be used: {}", seen.first),
        _ => format!("none of {count} entries can be used; the first: {}", seen.first),
    }
}
