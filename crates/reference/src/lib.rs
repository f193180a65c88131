//! The oracle: what RFC 9309, Google's parser, Koster's draft of 1996 and `crates/DIALECTS.md` say, read literally.
//!
//! It exists to judge the engine, so it shares words with it (`robomata-protocol`) and no logic. Whoever wants
//! an answer quickly should ask the engine; whoever doubts the engine's answer should read this crate beside the
//! texts. Each function names the section or the decision (L5, G2, N1, ...) that it spells out.
//!
//! A file becomes a verdict in these steps, one module each:
//!
//! 1. `lines`: bytes to lines (L1 to L6, L9).
//! 2. `fields`: a line to key and value (L7, L8, K1, K2).
//! 3. `groups`: fields to groups, and the groups that speak for a crawler (G1 to G7, D1 to D3).
//! 4. `normal`: patterns and URLs to the form in which they are compared (P1, N1, N2).
//! 5. `rules`: the rules that can decide, with their ranks (P3, R1, R3).
//! 6. `target`: a URL to what is matched (U1, Google's cut).
//! 7. `matching`, `decide`: which rules match, and which of them wins (R1, R2).
//!
//! What is said about the uses of a resource, by ACAP and by today's vocabularies: [`permissions`].
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

use robomata_protocol::limits::DEFAULT_PARSING_LIMIT;
use robomata_protocol::{Answer, Crawler, Dialect, FetchOutcome, FetchStatus, Verdict};

use crate::fields::Key;
use crate::normal::Symbol;
use crate::permissions::CrawlJudge;
use crate::rules::{Rule, WrittenRule};

/// What one robots.txt says to one crawler under one dialect.
#[derive(Clone, Debug)]
pub struct Reference {
    dialect: Dialect,
    outcome: FetchOutcome,
    rules: Vec<Rule>,
    /// Under `acap` the whole of the permission model decides.
    acap: Option<CrawlJudge>,
}

impl Reference {
    /// Reads `robots`, fetched with `status`, for `crawler`, with the default parsing limit.
    pub fn new(robots: &[u8], status: Option<FetchStatus>, crawler: &Crawler, dialect: Dialect) -> Reference {
        Reference::with_limit(robots, status, crawler, dialect, DEFAULT_PARSING_LIMIT)
    }

    /// Reads `robots` as [`Reference::new`] does, but no further than `parsing_limit` bytes (L1).
    ///
    /// A limit under 512,000 bytes is raised to that (RFC 9309, 2.5); the `google` dialect knows no limit.
    pub fn with_limit(
        robots: &[u8],
        status: Option<FetchStatus>,
        crawler: &Crawler,
        dialect: Dialect,
        parsing_limit: usize,
    ) -> Reference {
        let outcome = outcome::of(status, dialect);
        // The body of any other answer is no robots.txt: its rules are nobody's (2.3.1).
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

    /// The answer for `url`: an absolute URL, or path and query themselves (U1).
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

    /// U3: "The /robots.txt URI is implicitly allowed" (2.2.2), whatever the file says and however the fetch ended.
    fn is_implicitly_allowed(&self, target: &[Symbol]) -> bool {
        match self.dialect {
            Dialect::Rfc9309 | Dialect::Acap => target == b"/robots.txt".map(Symbol::Byte),
            Dialect::Google | Dialect::Koster1996 => false,
        }
    }
}

/// The answer for one URL, when the file is asked only once.
pub fn judge(
    robots: &[u8],
    status: Option<FetchStatus>,
    crawler: &Crawler,
    dialect: Dialect,
    url: &[u8],
) -> Answer {
    Reference::new(robots, status, crawler, dialect).judge(url)
}

/// The rules of `robots` that `crawler` is to obey, in file order.
fn applicable_rules(robots: &[u8], crawler: &Crawler, dialect: Dialect, parsing_limit: usize) -> Vec<Rule> {
    let fields = fields::fields_within(robots, dialect, parsing_limit);
    let spoken = groups::spoken_to(&fields, crawler, dialect);
    let written = spoken.fields.iter().filter_map(|field| match field.key {
        Key::Rule(access) => Some(WrittenRule { access, pattern: &field.value, line: field.line }),
        _ => None,
    });
    rules::rules(&written.collect::<Vec<_>>(), dialect)
}
