//! One block of URL lines through the checkers of all dialects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use robomata::{Answer, Checker, Site};
use robomata_formats::FrontierBlock;

use super::counts::Counting;
use super::{Dissent, DissentJob, account};
use crate::error::JobError;
use crate::filter::invalid_url;
use crate::problem::{InputProblem, NAMED};

/// How a dissent is written.
pub(super) type Form<'f> = &'f (dyn Fn(&Dissent, &mut Vec<u8>) + Sync);

/// What was found in a block.
#[derive(Default)]
pub(super) struct BlockReport {
    pub(super) counts: Counting,
    /// The first lines that are no URL.
    pub(super) problems: Vec<InputProblem>,
    /// How many more there are.
    pub(super) more_problems: u64,
    /// The sites about which there is dissent.
    pub(super) sites: Vec<(Site<'static>, SiteFindings)>,
    /// What is written for the block.
    pub(super) out: Vec<u8>,
}

/// The dissent about one site.
#[derive(Default)]
pub(super) struct SiteFindings {
    pub(super) urls: u64,
    /// The first of them.
    pub(super) examples: Vec<Example>,
}

/// A URL and what the dialects answer.
pub(super) struct Example {
    pub(super) url: Box<[u8]>,
    pub(super) answers: Box<[Answer]>,
}

/// A URL about which there is dissent, while its block is at hand.
struct Question<'b> {
    url: Cow<'b, [u8]>,
    answers: Box<[Answer]>,
}

/// Judges blocks; one for each thread.
pub(super) struct Judge<'s> {
    job: &'s DissentJob<'s>,
    form: Option<Form<'s>>,
    checkers: Vec<Checker<'s>>,
    answers: Vec<Answer>,
}

impl BlockReport {
    fn clear(&mut self, dialects: usize) {
        self.counts.clear(dialects);
        self.problems.clear();
        self.more_problems = 0;
        self.sites.clear();
        self.out.clear();
    }

    fn problem(&mut self, problem: impl FnOnce() -> InputProblem) {
        if (self.problems.len() as u64) < NAMED {
            self.problems.push(problem());
        } else {
            self.more_problems += 1;
        }
    }
}

impl<'s> Judge<'s> {
    pub(super) fn new(job: &'s DissentJob<'s>, form: Option<Form<'s>>) -> Result<Self, JobError> {
        let checkers = job.dialect_stores.stores.iter().map(|store| store.checker(&job.crawler));
        Ok(Judge { job, form, checkers: checkers.collect::<Result<_, _>>()?, answers: Vec::new() })
    }

    pub(super) fn judge(&mut self, block: &FrontierBlock, found: &mut BlockReport) {
        found.clear(self.checkers.len());
        let mut questions = Vec::new();
        for line in block.urls() {
            // No text is a URL that is invalid in every dialect.
            let url = line.url.as_deref().unwrap_or_default();
            self.answers.clear();
            self.answers.extend(self.checkers.iter_mut().map(|checker| checker.check(url)));
            if found.counts.add(&self.answers, self.job.compared) {
                let url = line.url.unwrap_or_default();
                questions.push(Question { url, answers: self.answers.as_slice().into() });
            } else if self.answers.first() == Some(&Answer::Invalid) {
                // Whether a text is a URL does not depend on the dialect.
                found.problem(|| invalid_url(block, &line));
            }
        }
        self.tell(&questions, found);
    }

    /// Puts the questions to their sites. A robots.txt is read once for all of a block, in whatever order they come.
    fn tell(&self, questions: &[Question<'_>], found: &mut BlockReport) {
        let mut by_site: BTreeMap<Site<'_>, Vec<usize>> = BTreeMap::new();
        for (index, question) in questions.iter().enumerate() {
            if let Ok(site) = Site::of_url(&question.url) {
                by_site.entry(site).or_default().push(index);
            }
        }
        let mut written: Vec<Vec<u8>> = Vec::new();
        if self.form.is_some() {
            written.resize_with(questions.len(), Vec::new);
        }
        for (site, indices) in by_site {
            let asked = || indices.iter().map(|&index| &questions[index]);
            let mut places = indices.iter();
            let pairs = asked().map(|asked| (&*asked.url, &*asked.answers));
            account::of_site(self.job, &site, pairs, |dissent| {
                found.counts.add_causes(dissent.causes.iter().map(|cause| cause.cause));
                if let (Some(form), Some(&index)) = (self.form, places.next()) {
                    form(&dissent, &mut written[index]);
                }
            });
            let example =
                |asked: &Question<'_>| Example { url: (&*asked.url).into(), answers: asked.answers.clone() };
            let examples = asked().take(self.job.shown.examples).map(example).collect();
            found.sites.push((site.into_owned(), SiteFindings { urls: indices.len() as u64, examples }));
        }
        found.out.extend(written.into_iter().flatten());
    }
}
