//! The oracle: a literal implementation of RFC 9309, Google's parser, Koster's draft of 1996, what Yandex documents, and
//! `crates/DIALECTS.md`.
//!
//! It exists to check the engine, so it shares words with it (`robomata-protocol`) and no logic. For fast answers, use
//! the engine. To check the engine's answer, read this crate together with the specifications. Each function names the
//! section or the decision (L5, G2, N1, ...) that it implements.
//!
//! A file becomes a verdict in these steps, with one module each:
//!
//! 1. `lines`: bytes to lines (L1 to L6, L9).
//! 2. `fields`: a line to key and value (L7, L8, K1, K2).
//! 3. `groups`: fields to groups, and the groups that apply to a crawler (G1 to G7, D1 to D3).
//! 4. `normal`: patterns and URLs to the form in which they are compared (P1, N1, N2).
//! 5. `rules`: the rules that can decide, with their ranks (P3, R1, R3).
//! 6. `target`: a URL to the text that patterns are matched against (U1, Google's cut).
//! 7. `matching`, `decide`: which rules match, and which of them wins (R1, R2).
//!
//! For the uses of a resource, in ACAP and in today's vocabularies, see [`permissions`].
//!
//! ```
//! use robomata_protocol::{Crawler, Dialect};
//! use robomata_reference::Reference;
//!
//! let robots = b"User-agent: *\nDisallow: /private\n";
//! let reference = Reference::new(robots, None, &Crawler::new("FooBot"), Dialect::Rfc9309);
//! let answer = reference.judge(b"https://example.com/private/x");
//! assert_eq!((answer.as_str(), answer.line()), ("disallow", 2));
//! ```

mod decide;
mod fields;
mod groups;
mod lines;
mod matching;
mod normal;
mod outcome;
pub mod permissions;
mod rules;
mod target;
mod text;

pub mod lifecycle;

#[cfg(test)]
mod tests;

use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome, FetchStatus, Verdict};

use crate::fields::Key;
use crate::normal::Symbol;
use crate::permissions::CrawlJudge;
use crate::rules::{Rule, WrittenRule};

/// One robots.txt, as it applies to one crawler under one dialect.
#[derive(Clone, Debug)]
pub struct Reference {
    dialect: Dialect,
    outcome: FetchOutcome,
    rules: Vec<Rule>,
    /// Under `acap` the whole permission model decides.
    acap: Option<CrawlJudge>,
}

impl Reference {
    /// Reads `robots`, fetched with `status`, for `crawler`, with the default parsing limit.
    pub fn new(robots: &[u8], status: Option<FetchStatus>, crawler: &Crawler, dialect: Dialect) -> Reference {
        Reference::with_limit(robots, status, crawler, dialect, lines::default_limit(dialect))
    }

    /// Like [`Reference::new`], but reads at most `parsing_limit` bytes of `robots` (L1).
    ///
    /// A limit under 512,000 bytes is raised to that (RFC 9309, 2.5). The `yandex` dialect has its own.
    pub fn with_limit(
        robots: &[u8],
        status: Option<FetchStatus>,
        crawler: &Crawler,
        dialect: Dialect,
        parsing_limit: usize,
    ) -> Reference {
        let outcome = outcome::of(status, dialect);
        // The body of any other response is not a robots.txt: its rules apply to no crawler (2.3.1).
        let rules = match outcome {
            FetchOutcome::Success => applicable_rules(robots, crawler, dialect, parsing_limit),
            FetchOutcome::Redirected
            | FetchOutcome::Unavailable
            | FetchOutcome::Unreachable
            | FetchOutcome::Restricted
            | FetchOutcome::Deferred => Vec::new(),
        };
        let acap =
            (dialect == Dialect::Acap).then(|| CrawlJudge::new(robots, status, crawler, parsing_limit));
        Reference { dialect, outcome, rules, acap }
    }

    /// The answer for `url`: an absolute URL, or a path with query (U1).
    pub fn judge(&self, url: &[u8]) -> Answer {
        if let Some(acap) = &self.acap {
            return acap.judge(url);
        }
        let Some(target) = target::of(url, self.dialect) else {
            return Answer::Invalid;
        };
        match self.outcome {
            FetchOutcome::Redirected => Answer::Unknown,
            _ if self.is_implicitly_allowed(&target) => Answer::Verdict(Verdict::ROBOTS_TXT),
            FetchOutcome::Unavailable => Answer::Verdict(Verdict::UNAVAILABLE),
            FetchOutcome::Unreachable => Answer::Verdict(Verdict::UNREACHABLE),
            FetchOutcome::Restricted => Answer::Verdict(Verdict::RESTRICTED),
            FetchOutcome::Deferred => Answer::Defer,
            FetchOutcome::Success => Answer::Verdict(decide::verdict(&self.rules, &target, self.dialect)),
        }
    }

    /// U3: "The /robots.txt URI is implicitly allowed" (2.2.2), regardless of the file's rules and of how the fetch
    /// ended.
    fn is_implicitly_allowed(&self, target: &[Symbol]) -> bool {
        match self.dialect {
            Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => target == b"/robots.txt".map(Symbol::Byte),
            Dialect::Google | Dialect::Koster1996 => false,
        }
    }
}

/// The answer for one URL. To check several URLs of a file, use [`Reference`].
pub fn judge(
    robots: &[u8],
    status: Option<FetchStatus>,
    crawler: &Crawler,
    dialect: Dialect,
    url: &[u8],
) -> Answer {
    Reference::new(robots, status, crawler, dialect).judge(url)
}

/// The rules of `robots` that apply to `crawler`, in file order.
fn applicable_rules(robots: &[u8], crawler: &Crawler, dialect: Dialect, parsing_limit: usize) -> Vec<Rule> {
    let fields = fields::fields_within(robots, dialect, parsing_limit);
    let spoken = groups::spoken_to(&fields, crawler, dialect);
    let written = spoken.fields.iter().filter_map(|field| match field.key {
        Key::Rule(access) => Some(WrittenRule { access, pattern: &field.value, line: field.line }),
        _ => None,
    });
    rules::rules(&written.collect::<Vec<_>>(), dialect)
}
