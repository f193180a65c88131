//! Shrinks a failing case.

use robomata_protocol::{Crawler, ProductToken};

use crate::case::Case;

/// The maximum number of candidates per shrinking: enough for a few kilobytes, and a limit for a slow predicate.
const MAX_QUESTIONS: usize = 20_000;

/// Returns a small case like `case` that still fails. The search is greedy: it removes lines first, then bytes of
/// lines, bytes of the URL and product tokens, until nothing more can be removed.
///
/// `fails` returns whether a candidate still shows the failure; it must be true for `case` itself. Only robots.txt, URL
/// and crawler change. If the expectation depends on them, the caller must update it.
pub fn shrink(case: &Case, fails: impl FnMut(&Case) -> bool) -> Case {
    let mut shrinker = Shrinker { best: case.clone(), fails, questions: 0 };
    while shrinker.goes_on() {
        let before = shrinker.best.clone();
        shrinker.drop_lines();
        shrinker.drop_tokens();
        shrinker.drop_bytes(Part::Robots);
        shrinker.drop_bytes(Part::Url);
        shrinker.drop_token_bytes();
        if shrinker.best == before {
            break;
        }
    }
    shrinker.best
}

struct Shrinker<F> {
    best: Case,
    fails: F,
    questions: usize,
}

#[derive(Clone, Copy)]
enum Part {
    Robots,
    Url,
}

impl Part {
    fn of(self, case: &Case) -> &Vec<u8> {
        match self {
            Part::Robots => &case.robots,
            Part::Url => &case.url,
        }
    }

    fn with(self, case: &Case, bytes: Vec<u8>) -> Case {
        match self {
            Part::Robots => Case { robots: bytes, ..case.clone() },
            Part::Url => Case { url: bytes, ..case.clone() },
        }
    }
}

impl<F: FnMut(&Case) -> bool> Shrinker<F> {
    /// Whether another candidate may be offered. Loops ask before they make one, because a candidate may be long.
    fn goes_on(&self) -> bool {
        self.questions < MAX_QUESTIONS
    }

    /// Makes `candidate` the best if it still fails.
    fn offer(&mut self, candidate: Case) -> bool {
        self.questions += 1;
        let failed = (self.fails)(&candidate);
        if failed {
            self.best = candidate;
        }
        failed
    }

    /// Drops runs of lines, half of them first, then shorter and shorter runs.
    fn drop_lines(&mut self) {
        let mut lines = lines(&self.best.robots);
        let mut run = lines.len().div_ceil(2);
        while run > 0 {
            let mut at = 0;
            while self.goes_on() && at < lines.len() {
                let end = (at + run).min(lines.len());
                let kept: Vec<_> = lines[..at].iter().chain(&lines[end..]).cloned().collect();
                if self.offer(Part::Robots.with(&self.best, kept.concat())) {
                    lines = kept;
                } else {
                    at = end;
                }
            }
            run /= 2;
        }
    }

    fn drop_bytes(&mut self, part: Part) {
        let mut run = part.of(&self.best).len().div_ceil(2);
        while run > 0 {
            let mut at = 0;
            while self.goes_on() && at < part.of(&self.best).len() {
                let bytes = part.of(&self.best);
                let end = (at + run).min(bytes.len());
                let kept = [&bytes[..at], &bytes[end..]].concat();
                if !self.offer(part.with(&self.best, kept)) {
                    at = end;
                }
            }
            run /= 2;
        }
    }

    fn drop_tokens(&mut self) {
        let mut at = 0;
        while self.goes_on() && self.best.crawler.tokens().len() > 1 && at < self.best.crawler.tokens().len()
        {
            let mut tokens = self.best.crawler.tokens().to_vec();
            tokens.remove(at);
            if !self.offer(Case { crawler: Crawler::must(tokens), ..self.best.clone() }) {
                at += 1;
            }
        }
    }

    fn drop_token_bytes(&mut self) {
        for index in 0..self.best.crawler.tokens().len() {
            let mut at = 0;
            while self.goes_on()
                && let Some(shorter) = without(self.best.crawler.tokens()[index].as_str(), at)
            {
                let mut tokens = self.best.crawler.tokens().to_vec();
                tokens[index] = ProductToken::new(&shorter);
                if !self.offer(Case { crawler: Crawler::must(tokens), ..self.best.clone() }) {
                    at += 1;
                }
            }
        }
    }
}

/// `text` without its character number `at`; `None` if it has no such character.
fn without(text: &str, at: usize) -> Option<String> {
    let mut characters: Vec<_> = text.chars().collect();
    (at < characters.len()).then(|| characters.remove(at))?;
    Some(characters.into_iter().collect())
}

/// Splits into lines with their ends, at LF or CR. In every dialect, removing a line cannot join its neighbours by
/// accident.
fn lines(robots: &[u8]) -> Vec<Vec<u8>> {
    robots.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case;

    fn big() -> Case {
        let text = r#"
            spec = "shrinking"
            [[group]]
            section = "1"
            title = "big"
            dialects = ["rfc9309"]
            robots_parts = [
                { text = "User-agent: *\n# noise\nDisallow: /x\n", repeat = 20 },
                { text = "Disallow: /deep/needle/path\r\n" },
                { text = "Allow: /y\n", repeat = 30 },
            ]
            case = [{ agent = "One,Two,Three", url = "https://h.example/deep/needle?q", expect = "allow" }]
        "#;
        case::parse("demo", text).unwrap().remove(0)
    }

    fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
        bytes.windows(wanted.len()).any(|window| window == wanted)
    }

    #[test]
    fn only_what_the_predicate_needs_is_left() {
        let small = shrink(&big(), |case| {
            holds(&case.robots, b"needle")
                && holds(&case.url, b"dle?")
                && case.crawler.tokens().iter().any(|token| token.as_str().contains('w'))
        });
        assert_eq!(small.robots, b"needle");
        assert_eq!(small.url, b"dle?");
        assert_eq!(small.crawler, Crawler::new("w"));
    }

    #[test]
    fn it_ends_even_when_everything_fails_or_nothing_does() {
        let empty = shrink(&big(), |_| true);
        assert_eq!((empty.robots.len(), empty.url.len()), (0, 0));
        assert_eq!(empty.crawler, Crawler::new(""));
        let mut candidates = 0;
        let same = shrink(&big(), |_| {
            candidates += 1;
            false
        });
        assert_eq!(same, big());
        assert!(candidates <= MAX_QUESTIONS);
    }
}
