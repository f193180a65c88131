//! One block of URL lines through both sides.

use std::collections::HashMap;

use robomata::{Answer, Site};
use robomata_formats::FrontierBlock;

use super::BlastJob;
use super::policies::Asker;
use crate::dissent::Compared;
use crate::error::JobError;
use crate::filter::invalid_url;
use crate::problem::{InputProblem, NAMED};

/// How an answer changes, and where: verdict and line on each side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Change {
    pub(super) site: Option<Site<'static>>,
    pub(super) old: (&'static str, u32),
    pub(super) new: (&'static str, u32),
}

/// URLs that change alike.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) urls: u64,
    pub(super) examples: Vec<String>,
}

/// What was found in a block.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) lines: u64,
    pub(super) changed: u64,
    pub(super) unknown: u64,
    pub(super) invalid: u64,
    pub(super) changes: HashMap<Change, Seen>,
    /// The first lines that are no URL.
    pub(super) problems: Vec<InputProblem>,
    /// How many more there are.
    pub(super) more_problems: u64,
}

/// Judges blocks; one for each thread.
pub(super) struct Judge<'p> {
    old: Asker<'p>,
    new: Asker<'p>,
    compared: Compared,
    examples: usize,
    by_site: bool,
}

impl<'p> Judge<'p> {
    pub(super) fn new(job: &BlastJob<'p>) -> Result<Self, JobError> {
        Ok(Judge {
            old: job.old.asker(&job.crawler)?,
            new: job.new.asker(&job.crawler)?,
            compared: job.compared,
            examples: job.shown.examples,
            by_site: !(job.old.is_file() && job.new.is_file()),
        })
    }

    pub(super) fn judge(&mut self, block: &FrontierBlock, found: &mut Findings) {
        *found = Findings { lines: block.len(), ..Findings::default() };
        for line in block.urls() {
            let url = line.url.as_deref().unwrap_or_default();
            let (old, new) = (self.old.check(url), self.new.check(url));
            if old == Answer::Invalid || new == Answer::Invalid {
                found.invalid += 1;
                if (found.problems.len() as u64) < NAMED {
                    found.problems.push(invalid_url(block, &line));
                } else {
                    found.more_problems += 1;
                }
            } else if (old, new) == (Answer::Unknown, Answer::Unknown) {
                found.unknown += 1;
            } else if differ(old, new, self.compared) {
                found.changed += 1;
                let site = if self.by_site { Site::of_url(url).ok().map(Site::into_owned) } else { None };
                let change = Change { site, old: of(old), new: of(new) };
                let seen = found.changes.entry(change).or_default();
                seen.urls += 1;
                if seen.examples.len() < self.examples {
                    seen.examples.push(String::from_utf8_lossy(url).into_owned());
                }
            }
        }
    }
}

fn of(answer: Answer) -> (&'static str, u32) {
    (answer.as_str(), answer.line())
}

/// Do the answers differ in what is compared?
#[inline]
pub(super) fn differ(old: Answer, new: Answer, compared: Compared) -> bool {
    old.as_str() != new.as_str() || compared == Compared::Lines && old.line() != new.line()
}
