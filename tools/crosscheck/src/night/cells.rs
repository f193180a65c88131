//! One robots.txt and many URLs, in every dialect and cell. Each cell compiles the file once.

use fastrand::Rng;
use robomata_engine::automaton::{Compiler, Program, Scratch, UnionProgram};
use robomata_engine::evaluator::Explainer;
use robomata_engine::{
    Answer, Audience, Crawler, Dialect, FetchStatus, History, Moment, Policy, PolicyCompiler, PolicyStore,
    Site, SitePolicy, StoreBuilder, StoreKind, UrlRef, merge,
};
use robomata_reference::Reference;
use robomata_testkit::case::{Case, Expect, Word};
use robomata_testkit::{Generator, shrink};

use super::results::Counts;
use super::{Divergence, Unit};
use crate::columns;
use crate::engines::{divergence, older, parts_of, policy, target_in};

/// URLs of a small file. Large files get fewer, because the reference looks at every rule.
const URLS: usize = 120;
const FEWEST_URLS: usize = 12;
/// The product of URLs and bytes of a file is at most this, unless there are the fewest URLs.
const WORK: usize = 600_000;
/// The reference looks at about as many positions of the URLs, for each dialect and crawler. A URL that needs more is left out.
const POSITIONS: usize = 1 << 29;
const CRAWLERS: usize = 2;

/// Compares the answers about `robots` for generated crawlers and URLs near its rules, and some of the `real` URLs.
pub fn compare(generator: &mut Generator, robots: &[u8], real: &[(usize, Vec<u8>)], rng: &mut Rng) -> Unit {
    let count = (WORK / (robots.len() + 1)).clamp(FEWEST_URLS, URLS);
    let real = (0..(count / 2).min(real.len())).map(|_| real[rng.usize(..real.len())].1.clone());
    let mut urls: Vec<Vec<u8>> = real.collect();
    while urls.len() < count {
        urls.push(generator.url_for(robots));
    }
    leave_out_slow(&mut urls, robots);
    let mut unit = Unit::default();
    for dialect in Dialect::ALL {
        let mut counts = Counts::default();
        for _ in 0..CRAWLERS {
            let case = case(robots, generator.status(), generator.crawler_for(robots), dialect);
            let mut cells = Cells::new(&case, &urls);
            cells.compare();
            counts += Counts { questions: urls.len() as u64, answers: cells.answers, divergences: 0 };
            if let Some((url, message)) = cells.difference {
                counts.divergences = 1;
                let case = Case { url: urls[url].clone(), ..case };
                unit.divergence = Some(Divergence::Answer(Box::new(case), message));
                break;
            }
        }
        unit.counts.push((dialect, counts));
        if unit.divergence.is_some() {
            break;
        }
    }
    unit
}

/// Leaves out URLs that would make the reference look at more than [`POSITIONS`].
fn leave_out_slow(urls: &mut Vec<Vec<u8>>, robots: &[u8]) {
    let (starred, mut left) = (starred_bytes(robots), POSITIONS);
    urls.retain(|url| {
        let rest = left.checked_sub(url.len() * starred);
        left = rest.unwrap_or(left);
        rest.is_some()
    });
}

/// The bytes of the lines with stars, without comments: a pattern with stars can match at every position of a URL.
fn starred_bytes(robots: &[u8]) -> usize {
    let lines = robots.split(|byte| b"\r\n".contains(byte));
    let lines = lines.map(|line| line.split(|&byte| byte == b'#').next().unwrap_or_default());
    lines.filter(|line| line.contains(&b'*')).map(<[u8]>::len).sum()
}

fn case(robots: &[u8], status: Option<FetchStatus>, crawler: Crawler, dialect: Dialect) -> Case {
    Case {
        id: String::new(),
        section: "night".to_owned(),
        title: "engine and reference agree".to_owned(),
        dialect,
        robots: robots.to_vec(),
        status,
        crawler,
        url: Vec::new(),
        expect: Expect { word: Word::Allow, line: None },
        note: String::new(),
    }
}

/// Shrinks a difference, if the cells that compile a file for one URL show it, too. Ends when `goes_on` says so: a case
/// that is not the smallest still shows the difference.
pub fn shrunk(case: Case, message: String, goes_on: impl Fn() -> bool) -> (Case, String) {
    if divergence(&case).is_none() {
        return (case, message);
    }
    let small = shrink(&case, |case| goes_on() && divergence(case).is_some());
    let message = divergence(&small).map_or(message, |(name, answer, expected)| {
        format!("{name} says {answer:?}, the reference {expected:?}")
    });
    (small, message)
}

/// The URLs of one file, dialect and crawler, with the answers of the reference.
struct Cells<'c> {
    case: &'c Case,
    urls: &'c [Vec<u8>],
    expected: Vec<Answer>,
    answers: u64,
    /// The index of a URL, and what differs.
    difference: Option<(usize, String)>,
}

impl<'c> Cells<'c> {
    fn new(case: &'c Case, urls: &'c [Vec<u8>]) -> Self {
        let reference = Reference::new(&case.robots, case.status, &case.crawler, case.dialect);
        let expected = urls.iter().map(|url| reference.judge(url)).collect();
        Cells { case, urls, expected, answers: 0, difference: None }
    }

    fn answer(&mut self, cell: &str, url: usize, answer: Answer) {
        let expected = self.expected[url];
        self.answers += 1;
        if answer != expected && self.difference.is_none() {
            self.difference = Some((url, format!("{cell} says {answer:?}, the reference {expected:?}")));
        }
    }

    fn compare(&mut self) {
        let policy = policy(self.case);
        self.compare_site(&policy);
        self.compare_programs(&policy);
        self.compare_bundle(&policy);
        self.compare_history(&policy);
    }

    fn compare_site(&mut self, policy: &Policy<'_>) {
        let crawler = &self.case.crawler;
        let mut site = SitePolicy::new(policy, crawler);
        let mut explainer = Explainer::new(policy, crawler);
        for (number, url) in self.urls.iter().enumerate() {
            self.answer("one site", number, site.check(url));
            // Explanations list all rules that match, which takes longer.
            if number % 4 == 0 {
                self.answer("an explanation", number, explainer.explain(url).answer);
            }
        }
    }

    /// A program that was stored and loaded, and the program of all groups.
    fn compare_programs(&mut self, policy: &Policy<'_>) {
        let rules = policy.rules_for(&self.case.crawler);
        let program = Program::compile(&rules);
        let loaded = Program::from_bytes(program.as_ref().bytes()).expect("a compiled program loads");
        let numbers: Vec<u32> = (0..).take(policy.groups().len()).collect();
        let all = policy.rules_in(policy.groups().iter().collect());
        let union = UnionProgram::compile(&all, &numbers, &mut Compiler::new());
        let (mut groups, mut chosen) = (Vec::new(), rules.groups().iter().peekable());
        for (&number, group) in numbers.iter().zip(policy.groups()) {
            if chosen.next_if(|&&chosen| std::ptr::eq(chosen, group)).is_some() {
                UnionProgram::push_group(number, &mut groups);
            }
        }
        let selected = UnionProgram::find(&union).and_then(|union| union.select(&groups));
        let selected = selected.expect("groups are numbers");
        let mut scratch = Scratch::new();
        for (number, url) in self.urls.iter().enumerate() {
            let Some(target) = target_in(policy, url) else { continue };
            let verdict = loaded.as_ref().verdict(&target, &mut scratch);
            self.answer("a loaded program", number, Answer::Verdict(verdict));
            let verdict = selected.verdict(&target, &mut scratch);
            self.answer("a program of all groups", number, Answer::Verdict(verdict));
        }
    }

    /// A bundle for the crawler: single URLs, blocks of texts and parts, several crawlers, columns.
    fn compare_bundle(&mut self, policy: &Policy<'_>) {
        let crawler = &self.case.crawler;
        let kind = StoreKind::new(self.case.dialect, vec![crawler.clone()]);
        let hosted = self.hosted();
        let store = build(&hosted, &kind, policy, None);
        let store = PolicyStore::from_bytes(store.bytes().to_vec()).expect("a built bundle loads");
        let Ok(mut checker) = store.checker(crawler) else { return };
        for (number, _) in &hosted {
            self.answer("a bundle", *number, checker.check(&self.urls[*number]));
        }
        let texts: Vec<UrlRef<'_>> =
            hosted.iter().map(|(number, _)| UrlRef::Text(&self.urls[*number])).collect();
        let parts: Vec<UrlRef<'_>> = texts.iter().map(|&text| in_parts(text)).collect();
        let mut answers = vec![Answer::Unknown; hosted.len()];
        for (cell, block) in [("a block of texts", &texts), ("a block of parts", &parts)] {
            checker.check_block(block, &mut answers);
            for ((number, _), answer) in hosted.iter().zip(&answers) {
                self.answer(cell, *number, *answer);
            }
        }
        self.compare_several(&store, &hosted, &texts);
        let urls = hosted.iter().map(|(number, _)| (*number, &self.urls[*number][..]));
        let (numbers, urls): (Vec<usize>, Vec<&[u8]>) =
            urls.filter(|(_, url)| columns::judge_as_written(url)).unzip();
        let rows = columns::rows(store, crawler, &urls).expect("a store answers for its crawler");
        for (number, row) in numbers.into_iter().zip(rows) {
            self.answers += 1;
            let expected = columns::row_of(self.expected[number]);
            if row != expected && self.difference.is_none() {
                self.difference = Some((number, format!("columns say {row:?}, the reference {expected:?}")));
            }
        }
    }

    fn compare_several(&mut self, store: &PolicyStore, hosted: &[(usize, Site<'_>)], texts: &[UrlRef<'_>]) {
        let both = [self.case.crawler.clone(), self.case.crawler.clone()];
        let Ok(mut checker) = store.checker_for(&both) else { return };
        let mut answers = vec![Answer::Unknown; 2 * hosted.len()];
        checker.check_block(texts, &mut answers);
        for (place, answer) in answers.into_iter().enumerate() {
            self.answer("a block for several crawlers", hosted[place / 2].0, answer);
        }
    }

    /// A store for every crawler that is merged from two, with the newest version of each site.
    fn compare_history(&mut self, policy: &Policy<'_>) {
        let kind =
            StoreKind { history: History::All, ..StoreKind::new(self.case.dialect, Audience::Everyone) };
        if !kind.is_possible() {
            return;
        }
        let hosted = self.hosted();
        let older = older(self.case.status, self.case.dialect);
        let parts = [build(&hosted, &kind, &older, Some(1)), build(&hosted, &kind, policy, Some(2))];
        let mut bytes = Vec::new();
        merge(&[&parts[0], &parts[1]], History::All, &mut bytes).expect("stores of one kind merge");
        let store = PolicyStore::from_bytes(bytes).expect("a merged store loads");
        let crawler = &self.case.crawler;
        let (Ok(mut checker), Ok(mut versions)) = (store.checker(crawler), store.history_checker(crawler))
        else {
            return;
        };
        for (number, _) in &hosted {
            let url = &self.urls[*number];
            self.answer("a merged store for everyone", *number, checker.check(url));
            let Ok(known) = versions.versions(url);
            if let Some(newest) = known.len().checked_sub(1) {
                let Ok(answer) = versions.check_version(url, newest);
                self.answer("the newest version", *number, answer);
            }
        }
    }

    /// The URLs that a store takes, by index, with their sites.
    fn hosted(&self) -> Vec<(usize, Site<'c>)> {
        let urls = self.urls;
        urls.iter().enumerate().filter_map(|(number, url)| Some((number, Site::of_url(url).ok()?))).collect()
    }
}

/// The store that has `policy` for all of the sites.
fn build(
    hosted: &[(usize, Site<'_>)],
    kind: &StoreKind,
    policy: &Policy<'_>,
    time: Option<i64>,
) -> PolicyStore {
    let policies = PolicyCompiler::new(kind).compile(policy);
    let mut builder = StoreBuilder::new(kind.clone());
    let mut sites: Vec<&Site<'_>> = hosted.iter().map(|(_, site)| site).collect();
    sites.sort_unstable_by_key(|site| site.as_bytes());
    sites.dedup_by_key(|site| site.as_bytes());
    for site in sites {
        builder.insert(site, &policies, time.map(Moment::from_seconds));
    }
    builder.build()
}

fn in_parts(text: UrlRef<'_>) -> UrlRef<'_> {
    match text {
        UrlRef::Text(url) => parts_of(url).map_or(text, UrlRef::Parts),
        UrlRef::Parts(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_would_take_minutes_are_left_out() {
        // Seed 1881 of generated files has a pattern like this one, and many URLs of that length.
        let robots = [b"User-agent: a\nDisallow: /" as &[u8], &b"*a".repeat(8_000), b" # *\n#*"].concat();
        assert_eq!(starred_bytes(&robots), "Disallow: / ".len() + 16_000);
        let mut urls = vec![vec![b'a'; 24_000], vec![b'a'; 24_000], vec![b'a'; 100], vec![b'a'; 40_000]];
        leave_out_slow(&mut urls, &robots);
        assert_eq!(urls.iter().map(Vec::len).collect::<Vec<_>>(), [24_000, 100]);
        leave_out_slow(&mut urls, b"User-agent: *");
        assert_eq!(urls.len(), 2);
    }
}
