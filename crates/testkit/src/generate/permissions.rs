//! Files, pages and circumstances with permissions in every vocabulary, and questions near them.
//!
//! Patterns consist of few pieces, so that they collide and nest. Names, purposes and local usages are few, so that
//! questions hit them and sometimes miss them. Every construct of rows A, P, M, V and T of `crates/PERMISSIONS.md` occurs.

mod date;
mod line;
mod page;
mod robots;
mod tdmrep;

use robomata_protocol::{Circumstances, Crawler, Dialect, Moment, PageFacts, Part};

use super::{Generator, Rng, url as nearby};
use crate::permission_case::{Expectations, Page, PermissionCase, ReferencedFile};

/// Sites: the file's own site, two other spellings of it, and another site.
const SITES: &[&str] =
    &["http://h.example", "HTTP://H.example:80", "http://other.example", "https://h.example"];

const CRAWLERS: &[&str] = &[
    "FooBot",
    "FooBot",
    "FooBot",
    "foobot/2.1",
    "BarBot",
    "BarBot,FooBot",
    "FooBot,BarBot",
    "QuxBot",
    "FooBot News",
    "foobot news,FooBot",
    "FooBot News/3",
    "foo bot",
    "QuxBot,BarBot",
    "Googlebot",
    "Googlebot-News,googlebot",
    "bingbot",
    "FooBot,BingBot/2.0",
    "memento",
    "*",
    "",
];

const PURPOSES: &[&str] =
    &["news", "News", "web-search", "newsletter", "http://n.example/a", "http://n.example", "news$", ""];

/// The spacing of generated times in seconds: a quarter of a day, so that limits are met, missed and hit exactly.
const QUARTER: i64 = 21_600;

impl Generator {
    /// A robots.txt in ACAP and today's vocabularies: mostly structured, sometimes damaged.
    pub fn permission_robots(&mut self) -> Vec<u8> {
        let file = robots::file(&mut self.rng).into_bytes();
        if self.rng.chance(5) { self.mutated(&file) } else { file }
    }

    /// The facts of a page: META tags, elements and headers.
    pub fn page_facts(&mut self) -> PageFacts {
        page::facts(&mut self.rng)
    }

    /// Other circumstances of a question about a page with these facts.
    pub fn circumstances(&mut self, facts: Option<&PageFacts>) -> Circumstances {
        let rng = &mut self.rng;
        let elements = facts.map_or(0, |facts| facts.elements.len());
        Circumstances {
            purpose: rng.chance(40).then(|| rng.pick(PURPOSES).to_owned()),
            part: match rng.below(4) {
                0 => Part::Rest,
                1 | 2 if elements > 0 => Part::Element(u32::try_from(rng.below(elements)).unwrap_or(0)),
                _ => Part::Page,
            },
            now: moment(rng),
            first_use: moment(rng),
            last_crawl: moment(rng),
        }
    }

    /// A URL near the patterns of `robots`.
    pub fn permission_url_for(&mut self, robots: &[u8]) -> Vec<u8> {
        url(&mut self.rng, robots)
    }

    /// A complete question without expectations: the caller fills them in.
    pub fn permission_question(&mut self) -> PermissionCase {
        let robots = self.permission_robots();
        self.permission_question_about(robots)
    }

    /// A complete question about `robots`, as by [`Generator::permission_question`].
    pub fn permission_question_about(&mut self, robots: Vec<u8>) -> PermissionCase {
        self.made += 1;
        let facts = self.rng.chance(50).then(|| self.page_facts());
        let referenced = referenced(&mut self.rng);
        PermissionCase {
            id: format!("generated/{}", self.made),
            section: "generated".to_owned(),
            title: "engine and reference agree".to_owned(),
            dialect: if self.rng.chance(85) { Dialect::Acap } else { self.dialect() },
            origin: SITES[0].to_owned(),
            status: self.status(),
            referenced,
            crawler: Crawler::new(self.rng.pick(CRAWLERS)),
            url: self.permission_url_for(&robots),
            circumstances: self.circumstances(facts.as_ref()),
            tdmrep: self.rng.chance(30).then(|| tdmrep::file(&mut self.rng, &robots)),
            page: facts.map(|facts| Page { facts, html: None }),
            robots,
            expect: Expectations::default(),
            note: String::new(),
        }
    }
}

/// The supplied files: one, both or none of those that references name.
fn referenced(rng: &mut Rng) -> Vec<ReferencedFile> {
    let mut files = Vec::new();
    for locator in line::LOCATORS {
        if rng.chance(60) {
            let bytes = robots::file(rng).into_bytes();
            files.push(ReferencedFile { locator: (*locator).to_owned(), bytes });
        }
    }
    files
}

/// Mostly a moment in the last days of 2007; sometimes none, sometimes one second off.
fn moment(rng: &mut Rng) -> Option<Moment> {
    const NEW_YEAR: i64 = 1_199_145_600;
    let quarters = i64::try_from(rng.below(24)).unwrap_or(0) - 12;
    let second = if rng.chance(20) { 1 } else { 0 };
    rng.chance(70).then_some(Moment(NEW_YEAR + quarters * QUARTER + second))
}

/// An instance of some pattern of the file, with small changes, as a path or on a site.
fn url(rng: &mut Rng, robots: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = robots
        .split(u8::is_ascii_whitespace)
        .filter(|word| word.starts_with(b"/") || word.starts_with(b"*"))
        .collect();
    let mut path = match words.len() {
        0 => line::path(rng).into_bytes(),
        count => {
            let word = words[rng.below(count)];
            instance(rng, word)
        }
    };
    match rng.below(15) {
        0 => drop(path.pop()),
        1 => path.extend(line::path(rng).bytes()),
        2 => rng.flip_case(&mut path),
        3 => {
            path.extend_from_slice(rng.pick(&[
                b"?sid=1&a=2&ref".as_slice(),
                b"?",
                b"#f",
                b"?a#f",
                b"?Ref=1",
            ]));
        }
        4 => path = b"/robots.txt".to_vec(),
        5..8 => nearby::encode(rng, &mut path),
        8 | 9 => nearby::decode(rng, &mut path),
        10 | 11 => nearby::respell(rng, &mut path),
        _ => {}
    }
    let site = if rng.chance(50) { rng.pick(SITES) } else { "" };
    [site.as_bytes(), &path].concat()
}

/// `pattern` with its stars replaced by text, with its cut escapes completed and without its end mark.
fn instance(rng: &mut Rng, pattern: &[u8]) -> Vec<u8> {
    let mut path = if pattern.starts_with(b"/") { Vec::new() } else { b"/".to_vec() };
    nearby::expand(rng, pattern, &mut path, |rng, path| {
        path.extend_from_slice(rng.pick(&[b"".as_slice(), b"a", b"b", b"ab", b"/a", b"?", b"x?b="]));
    });
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::hits;

    #[test]
    fn one_seed_makes_one_sequence() {
        let make = |seed| {
            let mut generator = Generator::new(seed);
            (0..100).map(|_| generator.permission_question()).collect::<Vec<_>>()
        };
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
    }

    /// Asserts that each of `wanted` occurs in enough of the texts.
    fn all_come_up(texts: &[String], wanted: &[&str]) {
        let count = |wanted: &str| texts.iter().filter(|text| text.contains(wanted)).count();
        let rare: Vec<_> = wanted.iter().filter(|wanted| count(wanted) < 5).collect();
        assert!(rare.is_empty(), "{rare:?} come up less than 5 times");
    }

    #[test]
    fn every_construct_of_robots_files_comes_up() {
        let mut generator = Generator::new(1);
        let lower = |file: Vec<u8>| String::from_utf8_lossy(&file).to_lowercase();
        let files: Vec<_> = (0..8000).map(|_| lower(generator.permission_robots())).collect();
        all_come_up(&files, line::CONSTRUCTS);
        for usage in robomata_protocol::Usage::ALL.into_iter().filter(|usage| usage.is_acap()) {
            all_come_up(&files, &[&format!("acap-allow-{usage}:"), &format!("acap-disallow-{usage}:")]);
        }
    }

    #[test]
    fn every_construct_of_pages_comes_up() {
        let mut generator = Generator::new(2);
        let text = |facts: PageFacts| format!("{facts:?}").to_lowercase();
        let pages: Vec<_> = (0..9000).map(|_| text(generator.page_facts())).collect();
        all_come_up(&pages, page::CONSTRUCTS);
    }

    #[test]
    fn every_construct_of_tdmrep_files_comes_up() {
        let mut generator = Generator::new(4);
        let files: Vec<_> = (0..8000)
            .filter_map(|_| generator.permission_question().tdmrep)
            .map(|file| String::from_utf8_lossy(&file).into_owned())
            .collect();
        all_come_up(&files, tdmrep::CONSTRUCTS);
    }

    #[test]
    fn questions_are_close_to_the_statements() {
        let mut generator = Generator::new(3);
        let questions: Vec<_> = (0..2000).map(|_| generator.permission_question()).collect();
        let count = |of: &dyn Fn(&PermissionCase) -> bool| questions.iter().filter(|q| of(q)).count();
        assert!(count(&|q| matches!(q.circumstances.part, Part::Element(_))) > 100);
        assert!(count(&|q| q.circumstances.purpose.as_deref() == Some("news")) > 50);
        assert!(count(&|q| q.referenced.is_empty()) > 100 && count(&|q| q.referenced.len() == 2) > 100);
        assert!(count(&|q| q.circumstances.now.is_none()) > 100);
        assert!(count(&|q| q.dialect != Dialect::Acap) > 50);
        assert!(count(&|q| q.url.starts_with(b"http://other.example")) > 50);
        let said = |q: &PermissionCase| {
            let path = q.url.strip_prefix(SITES[0].as_bytes()).unwrap_or(&q.url);
            let mut words =
                q.robots.split(u8::is_ascii_whitespace).filter(|word| (2..32).contains(&word.len()));
            words.any(|word| matches!(word[0], b'/' | b'*') && hits(word, path))
        };
        assert!((600..1900).contains(&count(&said)), "{}", count(&said));
    }
}
