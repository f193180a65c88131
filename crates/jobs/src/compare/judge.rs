//! Judges one block of URL lines with the checkers of all dialects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use robomata_engine::{Answer, BLOCK, Checker, Site, UrlRef};
use robomata_formats::{FrontierBlock, UrlLine};

use super::counts::Counting;
use super::{CompareJob, Difference, account};
use crate::error::JobError;
use crate::filter::invalid_url;
use crate::problem::{InputProblem, NAMED};
use crate::urls::is_text_enough;

/// Writes a difference.
pub(super) type Form<'f> = &'f (dyn Fn(&Difference, &mut Vec<u8>) + Sync);

/// The result for a block.
#[derive(Default)]
pub(super) struct BlockReport {
    pub(super) counts: Counting,
    /// The first lines that are not URLs.
    pub(super) problems: Vec<InputProblem>,
    /// The number of further such lines.
    pub(super) more_problems: u64,
    /// The first line with a difference that the listing cannot hold.
    pub(super) unwritable: Option<String>,
    /// The sites with differences.
    pub(super) sites: Vec<(Site<'static>, SiteFindings)>,
    /// The block's part of the listing.
    pub(super) out: Vec<u8>,
}

/// The differences about one site.
#[derive(Default)]
pub(super) struct SiteFindings {
    pub(super) urls: u64,
    /// Those of them for which no text can stand.
    pub(super) no_texts: u64,
    /// The first of the others.
    pub(super) examples: Vec<Example>,
}

/// A URL and the dialects' answers.
pub(super) struct Example {
    pub(super) url: Box<[u8]>,
    pub(super) answers: Box<[Answer]>,
}

/// A URL of the current block about which the dialects differ.
struct Question<'b> {
    url: Cow<'b, [u8]>,
    answers: Box<[Answer]>,
}

/// Judges blocks; one for each thread.
pub(super) struct Judge<'s> {
    job: &'s CompareJob<'s>,
    form: Option<Form<'s>>,
    checkers: Vec<Checker<'s>>,
}

impl BlockReport {
    fn clear(&mut self, dialects: usize) {
        self.counts.clear(dialects);
        self.problems.clear();
        self.more_problems = 0;
        self.unwritable = None;
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
    pub(super) fn new(job: &'s CompareJob<'s>, form: Option<Form<'s>>) -> Result<Self, JobError> {
        let checkers = job.dialect_stores.stores.iter().map(|store| store.checker(&job.crawler));
        Ok(Judge { job, form, checkers: checkers.collect::<Result<_, _>>()? })
    }

    /// Can a text stand for `url` in all dialects?
    fn is_text_enough(&self, url: &[u8]) -> bool {
        self.job.dialects().all(|dialect| is_text_enough(url, dialect))
    }

    pub(super) fn judge(&mut self, block: &FrontierBlock, found: &mut BlockReport) {
        found.clear(self.checkers.len());
        let mut questions = Vec::new();
        let mut lines = block.urls();
        let mut by_dialect = vec![[Answer::Invalid; BLOCK]; self.checkers.len()];
        let mut answers = Vec::new();
        loop {
            let together: Vec<UrlLine<'_>> = lines.by_ref().take(BLOCK).collect();
            if together.is_empty() {
                break;
            }
            // An empty text is invalid in every dialect.
            let urls: Vec<UrlRef<'_>> =
                together.iter().map(|line| line.url.as_deref().unwrap_or_default().into()).collect();
            for (checker, answers) in self.checkers.iter_mut().zip(&mut by_dialect) {
                checker.check_block(&urls, answers);
            }
            for (index, line) in together.into_iter().enumerate() {
                answers.clear();
                answers.extend(by_dialect.iter().map(|answers| answers[index]));
                if found.counts.add(&answers, self.job.compared) {
                    let place = || format!("{}:{}", block.file, line.number);
                    let url = line.url.unwrap_or_default();
                    if self.form.is_some() && !self.is_text_enough(&url) {
                        found.unwritable.get_or_insert_with(place);
                    }
                    questions.push(Question { url, answers: answers.as_slice().into() });
                } else if answers.first() == Some(&Answer::Invalid) {
                    // Every dialect agrees about whether a text is a URL.
                    found.problem(|| invalid_url(block, &line));
                }
            }
        }
        self.describe(&questions, found);
    }

    /// Describes the differences, grouped by site. Each robots.txt is read once for the whole block, in any order of
    /// URLs, however many sites it is for.
    fn describe(&self, questions: &[Question<'_>], found: &mut BlockReport) {
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
        let by_site: Vec<(Site<'_>, Vec<usize>)> = by_site.into_iter().collect();
        let sites: Vec<&Site<'_>> = by_site.iter().map(|(site, _)| site).collect();
        account::each_site(self.job, &sites, |number, readings| {
            let (site, indices) = &by_site[number];
            let of_site = || indices.iter().map(|&index| &questions[index]);
            let mut places = indices.iter();
            let pairs = of_site().map(|question| (&*question.url, &*question.answers));
            account::of_site(self.job, site, readings, pairs, |difference| {
                found.counts.add_causes(difference.causes.iter().map(|cause| cause.cause));
                if let (Some(form), Some(&index)) = (self.form, places.next()) {
                    form(&difference, &mut written[index]);
                }
            });
            let example = |question: &Question<'_>| Example {
                url: (&*question.url).into(),
                answers: question.answers.clone(),
            };
            let no_texts = of_site().filter(|question| !self.is_text_enough(&question.url)).count() as u64;
            let shown = of_site().filter(|question| self.is_text_enough(&question.url));
            let examples = shown.take(self.job.shown.examples).map(example).collect();
            let findings = SiteFindings { urls: indices.len() as u64, no_texts, examples };
            found.sites.push((site.clone().into_owned(), findings));
        });
        found.out.extend(written.into_iter().flatten());
    }
}
