//! Generates robots files, URLs and crawlers from a seed; they are likely to be related.
//!
//! Random bytes hardly ever match anything. So files use a small alphabet in which patterns overlap. URLs and crawlers
//! are derived from the file's own patterns and names, and some of them narrowly miss. One seed gives one sequence on
//! every machine.

mod crawler;
mod file;
mod permissions;
mod url;

use robomata_protocol::{Crawler, Dialect, FetchStatus};

use crate::case::{Case, Expect, Word};

/// Generates questions; the same seed gives the same questions.
#[derive(Clone, Debug)]
pub struct Generator {
    rng: Rng,
    made: u64,
}

impl Generator {
    /// Creates the generator of `seed`.
    pub fn new(seed: u64) -> Self {
        Generator { rng: Rng(fastrand::Rng::with_seed(seed)), made: 0 }
    }

    /// Any dialect.
    pub fn dialect(&mut self) -> Dialect {
        self.rng.pick(&Dialect::ALL)
    }

    /// How a fetch ended: mostly unknown or successful, so that the body matters.
    pub fn status(&mut self) -> Option<FetchStatus> {
        const CODES: &[u16] = &[
            0, 99, 100, 199, 204, 299, 301, 304, 399, 400, 401, 403, 404, 407, 408, 410, 425, 429, 499, 500,
            503, 599, 600, 999,
        ];
        match self.rng.below(40) {
            0 => Some(FetchStatus::Code(self.rng.pick(CODES))),
            1 => Some(FetchStatus::NetworkFailure),
            2 => Some(FetchStatus::Success),
            3 => Some(FetchStatus::Code(200)),
            4 => Some(FetchStatus::TooManyRedirects),
            _ => None,
        }
    }

    /// A robots.txt: mostly structured, sometimes damaged, occasionally noise.
    pub fn robots(&mut self) -> Vec<u8> {
        file::robots(&mut self.rng)
    }

    /// A robots.txt whose groups share names, so that the rules of all crawlers together are several times as large as the
    /// file.
    pub fn tangled_robots(&mut self) -> Vec<u8> {
        file::tangled(&mut self.rng)
    }

    /// A robots.txt with more patterns of several segments than a list of patterns takes.
    pub fn crowded_robots(&mut self) -> Vec<u8> {
        file::crowded(&mut self.rng)
    }

    /// A robots.txt with lines that one dialect cuts.
    pub fn long_lined_robots(&mut self) -> Vec<u8> {
        file::long_lined(&mut self.rng)
    }

    /// `real` with a few small changes.
    pub fn mutated(&mut self, real: &[u8]) -> Vec<u8> {
        file::mutated(&mut self.rng, real)
    }

    /// A few runs of lines of two files, in turn, with a few small changes.
    pub fn crossed(&mut self, one: &[u8], other: &[u8]) -> Vec<u8> {
        let bred = file::crossed(&mut self.rng, one, other);
        self.mutated(&bred)
    }

    /// A URL near the patterns of `robots`: a rule matches it, or narrowly misses it.
    pub fn url_for(&mut self, robots: &[u8]) -> Vec<u8> {
        url::near(&mut self.rng, robots)
    }

    /// A crawler near the names in `robots`.
    pub fn crawler_for(&mut self, robots: &[u8]) -> Crawler {
        crawler::near(&mut self.rng, robots)
    }

    /// A complete question. Its expectation ([`Word::Allow`], no line) is a placeholder for the caller to fill in.
    pub fn question(&mut self) -> Case {
        let robots = self.robots();
        self.question_about(robots)
    }

    /// A complete question about `robots`, with a placeholder expectation as in [`Generator::question`].
    pub fn question_about(&mut self, robots: Vec<u8>) -> Case {
        self.made += 1;
        Case {
            id: format!("generated/{}", self.made),
            section: "generated".to_owned(),
            title: "engine and reference agree".to_owned(),
            dialect: self.dialect(),
            status: self.status(),
            crawler: self.crawler_for(&robots),
            url: self.url_for(&robots),
            robots,
            expect: Expect { word: Word::Allow, line: None },
            note: String::new(),
        }
    }
}

/// A source of random choices.
#[derive(Clone, Debug)]
pub(crate) struct Rng(fastrand::Rng);

impl Rng {
    /// Creates the source for `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Rng(fastrand::Rng::with_seed(seed))
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// True `percent` times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.0.u8(..)
    }

    /// A small number, at most `most`; smaller numbers are more likely.
    pub(crate) fn small(&mut self, most: usize) -> usize {
        let most = self.below(most + 1);
        self.below(most + 1)
    }

    /// A range of at most `most` bytes within `len` bytes, possibly empty.
    fn range(&mut self, len: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        start..(start + self.below(most + 1)).min(len)
    }

    /// Changes letters randomly to upper or lower case.
    pub(crate) fn flip_case(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.0.bool() {
                *byte ^= if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
            }
        }
    }
}

/// Reserved bytes and their escapes: their position decides which of them are equal.
const RESERVED: &[&[u8]] = &[
    b"!",
    b"%21",
    b"'",
    b"%27",
    b"(",
    b"%28",
    b")",
    b"%29",
    b",",
    b"%2c",
    b";",
    b"%3B",
    b":",
    b"%3a",
    b"@",
    b"%40",
    b"&",
    b"%26",
    b"=",
    b"%3D",
    b"+",
    b"%2B",
    b"%2b",
    b"/",
    b"%2F",
    b"?",
    b"%3F",
    b"[",
    b"%5B",
    b"]",
    b"%5d",
    b"%23",
    b"$",
    b"%24",
    b"%2A",
    b"://",
    b"%3A%2F%2F",
    b"?a=%2F",
    b"%253D",
];

/// Bytes that no URI has, with their escapes, alone and in rules that people write.
const IN_NO_URI: &[&[u8]] = &[
    b" ", b"%20", b"\"", b"%22", b"<", b"%3C", b"%3c", b">", b"%3E", b"\\", b"%5C", b"%5c", b"^", b"%5E",
    b"`", b"%60", b"{", b"%7B", b"%7b", b"|", b"%7C", b"}", b"%7D", b"{a}", b"a b", b"%2520", b"%7F",
    b"\x7F", b"\t", b"%09", b"\x01", b"%01", b"\x1F", b"%1f", b"%0A",
];

/// Beginnings of escapes, at the end of a pattern or before a star.
const CUT_ESCAPES: &[&[u8]] =
    &[b"%", b"%", b"%2", b"%2", b"%5", b"%7", b"%1", b"%*", b"%*", b"%2*", b"%*a", b"%2*a"];

/// The pieces of rules and URLs: they overlap, and include every byte that some dialect treats specially.
const ATOMS: &[&[u8]] = &[
    b"a",
    b"b",
    b"ab",
    b"aba",
    b"abab",
    b"/",
    b"/",
    b"/a",
    b"/b/",
    b"//",
    b".",
    b"..",
    b"/./",
    b"?",
    b"?a=b",
    b"&",
    b"=",
    b";",
    b":",
    b"%41",
    b"%61",
    b"%62",
    b"%2A",
    b"%2a",
    b"%24",
    b"%2f",
    b"%2F",
    b"%3f",
    b"%3F",
    b"%7E",
    b"~",
    b"%zz",
    b"%",
    b"%4",
    b"%25",
    b"%2541",
    b"%252F",
    b"%252f",
    b"%2a%2f",
    b"%3c",
    b"<",
    b"%00",
    b"%C3%A9",
    b"%c3%a9",
    b"\xC3\xA9",
    b"\xFF",
    b"\xE3\x83\x84",
    b" ",
    b"%20",
    b"+",
    b"-",
    b"_",
    b"|",
    b"\\",
    b"A",
    b"B",
    b"1",
    b"index.htm",
    b"/index.html",
    b"/index.htm",
    b"robots.txt",
    b"x",
];

/// The values of lines whose key begins with one of `letters`. The scan is coarse and knows no dialect, so oddities
/// stay in.
fn values(robots: &[u8], letters: &[u8]) -> Vec<Vec<u8>> {
    let lines = robots.split(|byte| matches!(byte, b'\n' | b'\r'));
    let value = |line: &[u8]| {
        let line = line.trim_ascii();
        let first = line.iter().find(|byte| byte.is_ascii_alphabetic())?;
        let end = line.iter().position(|byte| matches!(byte, b':' | b' ' | b'\t'))?;
        letters.contains(&first.to_ascii_lowercase()).then(|| line[end..].to_vec())
    };
    let strip = |value: Vec<u8>| {
        let start = value.iter().position(|byte| !matches!(byte, b':' | b' ' | b'\t'));
        let value = start.map_or(&[][..], |start| &value[start..]);
        let end = value.iter().position(|byte| *byte == b'#').unwrap_or(value.len());
        value[..end].trim_ascii_end().to_vec()
    };
    lines.filter_map(value).map(strip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_makes_one_sequence() {
        let make = |seed| {
            let mut generator = Generator::new(seed);
            (0..200).map(|_| generator.question()).collect::<Vec<_>>()
        };
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
    }

    #[test]
    fn values_are_found_in_any_context() {
        let robots = b"\xEF\xBB\xBFUser-agent: A\rDisallow : /a # c\r\nallow /b\n disallow:\nSitemap: x";
        assert_eq!(values(robots, b"ad"), [b"/a".to_vec(), b"/b".to_vec(), b"".to_vec()]);
        assert_eq!(values(robots, b"u"), [b"A".to_vec()]);
    }

    /// Returns whether `pattern`, with special stars and a special last `$`, matches a prefix of `path`. It is
    /// imprecise, but enough to count hits.
    pub(super) fn hits(pattern: &[u8], path: &[u8]) -> bool {
        match pattern.split_first() {
            None => true,
            Some((b'$', [])) => path.is_empty(),
            Some((b'*', rest)) => (0..=path.len()).any(|at| hits(rest, &path[at..])),
            Some((byte, rest)) => path.first() == Some(byte) && hits(rest, &path[1..]),
        }
    }

    #[test]
    fn urls_hit_rules_often_and_miss_them_often() {
        let mut generator = Generator::new(1);
        let (mut hit, total) = (0, 2000);
        for _ in 0..total {
            let robots = generator.robots();
            let url = generator.url_for(&robots);
            let path = url.strip_prefix(b"http://h").unwrap_or(&url);
            let mut patterns = values(&robots, b"ad").into_iter();
            hit += usize::from(patterns.any(|pattern| pattern.len() < 64 && hits(&pattern, path)));
        }
        assert!((total / 4..total * 9 / 10).contains(&hit), "{hit} of {total}");
    }

    /// A byte that no URI has is often where a pattern ends within an escape, as itself and encoded.
    #[test]
    fn urls_complete_cut_escapes() {
        let mut generator = Generator::new(6);
        let robots = b"User-agent: *\nDisallow: /x%2\nDisallow: /y%*z\n";
        let urls: Vec<_> = (0..2000).map(|_| generator.url_for(robots)).collect();
        for wanted in ["/x ", "/x%20", "/x\"", "/y|", "/y%7C", "/y%7c", "/y\u{1}", "/y%1F"] {
            let holds = |url: &&Vec<u8>| url.windows(wanted.len()).any(|window| window == wanted.as_bytes());
            let count = urls.iter().filter(holds).count();
            assert!(count >= 5, "{wanted:?} comes up {count} times");
        }
    }

    #[test]
    fn files_are_mostly_small_sometimes_large_and_of_every_kind() {
        let mut generator = Generator::new(2);
        let files: Vec<_> = (0..3000).map(|_| generator.robots()).collect();
        let mut sizes: Vec<_> = files.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert!(sizes[1500] < 400, "half of them are small, {}", sizes[1500]);
        assert!(sizes[2999] > 16_663, "some line is longer than any limit, {}", sizes[2999]);
        let encodings = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\r\n", b"\0", b"* x", b"sallow /"];
        let patterns = [&b"%2A"[..], b"**", b"$", b"*%2B", b"*%2F", b"?a=%2F", b"%28", b"%3a", b"%5B"];
        let cut = [&b"%\n"[..], b"%2\n", b"%$", b"%*", b"%2*"];
        let patterns = patterns.into_iter().chain(cut).chain(IN_NO_URI.iter().copied());
        for wanted in encodings.into_iter().chain(patterns) {
            let holds = |file: &&Vec<u8>| file.windows(wanted.len()).any(|window| window == wanted);
            assert!(files.iter().filter(holds).count() > 5, "{wanted:?}");
        }
    }

    #[test]
    fn records_are_separated_by_blank_lines_and_some_are_cut() {
        let mut generator = Generator::new(4);
        let files: Vec<_> = (0..1000).map(|_| generator.robots()).collect();
        let count = |wanted: &[&[u8]]| {
            let holds = |file: &&Vec<u8>| {
                let lower = file.to_ascii_lowercase();
                wanted.iter().any(|wanted| lower.windows(wanted.len()).any(|window| window == *wanted))
            };
            files.iter().filter(holds).count()
        };
        assert!(count(&[b"\n\nuser-agent"]) > 100, "{}", count(&[b"\n\nuser-agent"]));
        assert!(count(&[b"\n\ndisallow", b"\n\nallow"]) > 50, "blank lines before rules");
        assert!(count(&[b"%2f"]) > 50 && count(&[b"%252f"]) > 20, "encoded slashes, once and twice");
        let statuses: Vec<_> = (0..20_000).filter_map(|_| generator.status()).collect();
        for wanted in [401, 403, 404, 429, 503] {
            assert!(statuses.contains(&FetchStatus::Code(wanted)), "{wanted}");
        }
    }

    #[test]
    fn crossed_files_have_lines_of_both() {
        let mut generator = Generator::new(5);
        let (one, other) = (b"a: 1\n".repeat(20), b"b: 2\n".repeat(20));
        let bred: Vec<_> = (0..100).map(|_| generator.crossed(&one, &other)).collect();
        let is_mixed = |file: &&Vec<u8>| file.contains(&b'1') && file.contains(&b'2');
        assert!(bred.iter().filter(is_mixed).count() > 60);
        // Few inserted lines are long.
        let is_short = |file: &&Vec<u8>| file.len() < 2 * (one.len() + other.len());
        assert!(bred.iter().filter(is_short).count() > 95);
        generator.crossed(b"", b"x");
    }

    #[test]
    fn mutations_take_any_bytes() {
        let mut generator = Generator::new(3);
        let real = b"User-agent: *\nDisallow: /a\n";
        let changed = (0..200).filter(|_| generator.mutated(real) != real).count();
        assert!(changed > 150, "{changed}");
        for _ in 0..200 {
            generator.mutated(b"");
            generator.url_for(b"");
            generator.crawler_for(b"\xff:\n");
        }
    }
}
