//! Judges one block of URL lines with both sides.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_engine::{Answer, Crawler, Site, SitePolicy, differ};
use robomata_formats::FrontierBlock;

use super::DiffJob;
use super::policies::Side;
use super::sides::{Content, ContentPair, Sides};
use crate::crawl::is_url;
use crate::filter::invalid_url;
use crate::problem::{InputProblem, NAMED};

/// A change of an answer: the verdict and the line on each side.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Change {
    pub(super) site: Option<Site<'static>>,
    pub(super) crawlers: Arc<[Crawler]>,
    pub(super) old: (&'static str, u32),
    pub(super) new: (&'static str, u32),
}

/// The URLs with the same change.
#[derive(Debug, Default)]
pub(super) struct UrlExamples {
    pub(super) urls: u64,
    pub(super) examples: Vec<String>,
}

/// The result for a block.
#[derive(Default)]
pub(super) struct BlockReport {
    pub(super) lines: u64,
    pub(super) changed: u64,
    pub(super) unknown: u64,
    pub(super) invalid: u64,
    pub(super) changes: HashMap<Change, UrlExamples>,
    /// The first lines that are not URLs.
    pub(super) problems: Vec<InputProblem>,
    /// The number of further such lines.
    pub(super) more_problems: u64,
}

/// Judges blocks; one for each thread.
pub(super) struct Judge<'j, 'p> {
    job: &'j DiffJob<'p>,
    by_site: bool,
    engine: Engine<'j, 'p>,
}

enum Engine<'j, 'p> {
    /// One crawler, with checkers.
    One(Box<[Side<'p>; 2]>, Arc<[Crawler]>),
    /// Several crawlers: the groups of crawlers for each pair of policies.
    Several(&'j Sides<'p>, HashMap<ContentPair<'p>, Vec<Judged>>),
}

/// A group of crawlers and its policies.
struct Judged {
    crawlers: Arc<[Crawler]>,
    policies: [SitePolicy; 2],
}

/// The most pairs of policies whose groups a thread remembers.
const REMEMBERED: usize = 1 << 12;

impl<'j, 'p> Judge<'j, 'p> {
    pub(super) fn new(job: &'j DiffJob<'p>, sides: &'j Sides<'p>) -> Self {
        let by_site = !(job.old.is_file() && job.new.is_file());
        // A store that does not hold the crawler comes with the texts of its captures.
        let one = job.crawlers.as_deref().and_then(|crawlers| match crawlers {
            [one] => Some([job.old.side(one).ok()?, job.new.side(one).ok()?]),
            _ => None,
        });
        let engine = match (one, &job.crawlers) {
            (Some(queries), Some(crawlers)) => Engine::One(Box::new(queries), crawlers.as_slice().into()),
            _ => Engine::Several(sides, HashMap::new()),
        };
        Judge { job, by_site, engine }
    }

    pub(super) fn judge(&mut self, block: &FrontierBlock, found: &mut BlockReport) {
        *found = BlockReport { lines: block.len(), ..BlockReport::default() };
        let Judge { job, by_site, engine } = self;
        for line in block.urls() {
            let url = line.url.as_deref().unwrap_or_default();
            let mut judged = Judgement { job, by_site: *by_site, url, found, fate: Fate::Same };
            match engine {
                Engine::One(queries, crawlers) => {
                    let [old, new] = queries.as_mut();
                    judged.compare(old.check(url), new.check(url), crawlers);
                }
                Engine::Several(sides, known) => judged.compare_all(sides, known),
            }
            match judged.fate {
                Fate::Same => {}
                Fate::Changed => found.changed += 1,
                Fate::Unknown => found.unknown += 1,
                Fate::Invalid => {
                    found.invalid += 1;
                    if (found.problems.len() as u64) < NAMED {
                        found.problems.push(invalid_url(block, &line));
                    } else {
                        found.more_problems += 1;
                    }
                }
            }
        }
    }
}

/// The outcome for a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Same,
    Changed,
    Unknown,
    Invalid,
}

/// A URL that is being judged.
struct Judgement<'a, 'p> {
    job: &'a DiffJob<'p>,
    by_site: bool,
    url: &'a [u8],
    found: &'a mut BlockReport,
    fate: Fate,
}

impl<'p> Judgement<'_, 'p> {
    /// Compares the answers for the groups of crawlers of the URL's site.
    fn compare_all(&mut self, sides: &Sides<'p>, known: &mut HashMap<ContentPair<'p>, Vec<Judged>>) {
        let contents = match Site::of_url(self.url) {
            _ if !is_url(self.url) => return self.fate = Fate::Invalid,
            _ if sides.is_files() => [Some(Content::File), Some(Content::File)],
            Ok(site) => sides.contents(&site),
            Err(_) => return self.fate = Fate::Invalid,
        };
        if contents == [None, None] {
            return self.fate = Fate::Unknown;
        }
        if !known.contains_key(&contents) && known.len() >= REMEMBERED {
            known.clear();
        }
        let groups = known.entry(contents).or_insert_with_key(|contents| {
            let groups = sides.groups(contents).groups;
            let last = groups.len().saturating_sub(1);
            let differing =
                groups.into_iter().enumerate().filter(|(at, group)| *at == last || !group.is_same());
            differing
                .map(|(_, group)| Judged { crawlers: group.crawlers.into(), policies: group.policies })
                .collect()
        });
        for Judged { crawlers, policies: [old, new] } in groups {
            self.compare(old.check(self.url), new.check(self.url), crawlers);
        }
    }

    /// Compares two answers and updates the URL's outcome.
    fn compare(&mut self, old: Answer, new: Answer, crawlers: &Arc<[Crawler]>) {
        if old == Answer::Invalid || new == Answer::Invalid {
            self.fate = Fate::Invalid;
        } else if (old, new) == (Answer::Unknown, Answer::Unknown) {
            if self.fate == Fate::Same {
                self.fate = Fate::Unknown;
            }
        } else if differ(old, new, self.job.compared) {
            self.fate = Fate::Changed;
            let site = if self.by_site { Site::of_url(self.url).ok().map(Site::into_owned) } else { None };
            let change = Change { site, crawlers: Arc::clone(crawlers), old: of(old), new: of(new) };
            let seen = self.found.changes.entry(change).or_default();
            seen.urls += 1;
            if seen.examples.len() < self.job.shown.examples {
                seen.examples.push(String::from_utf8_lossy(self.url).into_owned());
            }
        }
    }
}

fn of(answer: Answer) -> (&'static str, u32) {
    (answer.as_str(), answer.line())
}
