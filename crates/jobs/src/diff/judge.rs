//! Judges one block of URL lines with both sides.

use std::collections::HashMap;
use std::sync::Arc;

use robomata_engine::{Answer, Crawler, Site, SitePolicy, differ, requestable};
use robomata_formats::FrontierBlock;
use robomata_formats::urls::as_text;

use super::DiffJob;
use super::policies::Side;
use super::sides::{Content, ContentPair, Group, Sides};
use crate::crawl::is_path_or_url;
use crate::filter::invalid_url;
use crate::problem::{InputProblem, NAMED};
use crate::urls::is_text_enough;

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
    Several(KnownPairs<'j, 'p>),
}

/// The groups of crawlers of the pairs of policies that were compared last.
struct KnownPairs<'j, 'p> {
    sides: &'j Sides<'p>,
    groups: HashMap<ContentPair<'p>, Vec<Judged>>,
    /// About the memory of the groups, in bytes.
    bytes: usize,
    /// The most bytes that are remembered, unless one pair takes more.
    limit: usize,
}

/// A group of crawlers and its policies.
struct Judged {
    crawlers: Arc<[Crawler]>,
    policies: [SitePolicy; 2],
}

/// The most pairs of policies whose groups a thread remembers, and the most bytes of them: after that, all are forgotten.
const REMEMBERED: usize = 1 << 12;
const REMEMBERED_BYTES: usize = 64 << 20;

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
            _ => Engine::Several(KnownPairs::new(sides, REMEMBERED_BYTES)),
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
                Engine::Several(known) => judged.compare_all(known),
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

impl<'j, 'p> KnownPairs<'j, 'p> {
    fn new(sides: &'j Sides<'p>, limit: usize) -> Self {
        KnownPairs { sides, groups: HashMap::new(), bytes: 0, limit }
    }

    /// The groups of crawlers of a pair: those whose policies differ, and the last one.
    fn groups(&mut self, contents: ContentPair<'p>) -> &mut [Judged] {
        if !self.groups.contains_key(&contents) {
            let mut groups = self.sides.groups(&contents).groups;
            let last = groups.pop();
            groups.retain(|group| !group.is_same());
            groups.extend(last);
            let bytes: usize = groups.iter().map(Group::memory).sum();
            if self.bytes + bytes > self.limit || self.groups.len() >= REMEMBERED {
                self.groups.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            let judged = groups
                .into_iter()
                .map(|Group { crawlers, policies }| Judged { crawlers: crawlers.into(), policies });
            self.groups.insert(contents.clone(), judged.collect());
        }
        self.groups.entry(contents).or_default()
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
    fn compare_all(&mut self, known: &mut KnownPairs<'_, 'p>) {
        let sides = known.sides;
        let contents = if sides.is_files() {
            is_path_or_url(self.url).then_some([Some(Content::File), Some(Content::File)])
        } else {
            let site = Site::of_url(self.url).ok().filter(|_| requestable(self.url).is_some());
            site.map(|site| sides.contents(&site))
        };
        let Some(contents) = contents else { return self.fate = Fate::Invalid };
        if contents == [None, None] {
            return self.fate = Fate::Unknown;
        }
        for Judged { crawlers, policies: [old, new] } in known.groups(contents) {
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
            if seen.examples.len() < self.job.shown.examples
                && is_text_enough(self.url, self.job.old.dialect())
            {
                seen.examples.push(as_text(self.url).into_owned());
            }
        }
    }
}

fn of(answer: Answer) -> (&'static str, u32) {
    (answer.as_str(), answer.line())
}

#[cfg(test)]
mod tests {
    use robomata_engine::{Audience, Dialect, StoreKind};

    use super::super::policies::Policies;
    use super::*;
    use crate::Silent;
    use crate::sources::{self, Keep, LoadOptions};

    /// Captures of ten sites with 500 rules each, which contain `word`.
    fn captures(folder: &std::path::Path, word: &str) -> Policies {
        let capture = |site: usize| {
            let rules: String = (0..500).map(|rule| format!("Disallow: /{word}/{site}/{rule}\\n")).collect();
            format!(
                "{{\"host\": \"{site}.example\", \"body\": \"User-agent: a\\nUser-agent: *\\n{rules}\"}}\n"
            )
        };
        let path = folder.join(format!("{word}.jsonl"));
        std::fs::write(&path, (0..10).map(capture).collect::<String>()).unwrap();
        let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
        let options = LoadOptions { keep: Keep::Bodies, ..LoadOptions::new(kind) };
        let loaded = sources::load(&[path], &options, &mut Silent).unwrap();
        Policies::Sites(Box::new(loaded.store), Some(loaded.bodies))
    }

    #[test]
    fn the_programs_of_pairs_take_limited_memory() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|word| captures(folder.path(), word));
        let sides = Sides::new(&old, &new, None).unwrap();
        let contents = |site: usize| {
            let url = format!("https://{site}.example/");
            sides.contents(&Site::of_url(url.as_bytes()).unwrap())
        };
        let of_one: usize = sides.groups(&contents(0)).groups.iter().map(Group::memory).sum();
        assert!(of_one > 10_000, "{of_one}");
        let mut known = KnownPairs::new(&sides, 4 * of_one);
        for site in (0..10).chain([9, 8]) {
            let groups = known.groups(contents(site));
            let [Judged { policies: [old, new], .. }, _] = groups else { panic!("{} groups", groups.len()) };
            let path = format!("/old/{site}/7");
            assert_eq!(
                [old.check(path.as_bytes()), new.check(path.as_bytes())].map(Answer::as_str),
                ["disallow", "allow"]
            );
            assert!(known.bytes <= known.limit && (1..=4).contains(&known.groups.len()));
        }
    }
}
