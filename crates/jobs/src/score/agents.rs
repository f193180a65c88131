//! Finds the crawler of a User-Agent.
//!
//! The user gives crawler directories. All their patterns and tokens are searched for at once in the first 1,000 bytes
//! of a User-Agent, and the longest match identifies the crawler. A User-Agent that matches nothing still belongs to a crawler if it declares itself one. The
//! crawler's name is the product token at the place of the match, not the pattern (`Googlebot\/` finds `Googlebot`).
//! The reason is that robots.txt uses product tokens (RFC 9309, section 2.2.1). [`families`] has the tokens that a
//! crawler falls back to.

pub mod families;
mod read;
mod tokens;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};
use robomata_engine::Crawler;

use crate::error::JobError;
use crate::events::Events;
use crate::problem::{ErrorCounts, ProblemLog, Strictness};

/// The kind of client that made a request, from its User-Agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Visitor {
    /// A crawler, with the product tokens that a robots.txt may use for it.
    Crawler(Arc<Crawler>),
    /// A client that claims to be a browser.
    Browser,
    /// Another program that does not declare itself a crawler.
    Program,
    /// No User-Agent was sent, or logged.
    WithoutUserAgent,
}

/// The crawlers that are known by their User-Agents. Without any directory, only those that declare themselves
/// crawlers.
#[derive(Clone, Debug)]
pub struct Agents {
    patterns: Arc<Patterns>,
    /// User-Agents that were seen before: there are few different ones, and they recur.
    met: HashMap<Box<[u8]>, Visitor>,
}

/// The patterns and tokens to search for.
#[derive(Debug)]
struct Patterns {
    /// The patterns that are texts, and the number of each. Nearly all patterns are.
    texts: Option<AhoCorasick>,
    text_numbers: Vec<usize>,
    /// The other patterns, together and separately: the search for all of them returns which ones match, but not where.
    all: Option<Regex>,
    alone: Vec<Expression>,
    tokens: Option<AhoCorasick>,
}

/// A pattern that is more than a text. It is compiled when it first matches.
#[derive(Debug)]
struct Expression {
    number: usize,
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

/// A match of a pattern in a User-Agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    /// The number of the pattern, in the order of the files; `None` for a token.
    pattern: Option<usize>,
    start: usize,
    end: usize,
}

/// The most User-Agents that are remembered; after that, all are forgotten.
const REMEMBERED: usize = 1 << 14;

/// The most bytes of a User-Agent that are read: three times as many as the longest of known crawlers has.
const LONGEST: usize = 1000;

/// The size limit of the automaton of all patterns, in bytes.
const AUTOMATON_SIZE: usize = 256 << 20;

impl Agents {
    /// Reads the crawlers of `paths`: the JSON of monperrus/crawler-user-agents (an array of objects with `pattern`),
    /// that of ai.robots.txt (an object whose keys are tokens), a robots.txt whose groups name crawlers, or lines of
    /// tokens. In a CSV file the first column counts. Patterns are regular expressions and case-sensitive. Tokens are
    /// not case-sensitive, and match only where no letter or digit is directly before or after them. Only the first 1,000
    /// bytes of a User-Agent are searched.
    ///
    /// # Errors
    /// When a file cannot be read or names no crawler, and with strict `strictness` for the first bad entry.
    pub fn read(
        paths: &[PathBuf],
        strictness: Strictness,
        events: &mut dyn Events,
    ) -> Result<(Self, ErrorCounts), JobError> {
        let mut log = ProblemLog::new(events, strictness);
        let mut directory = read::Directory::default();
        for path in paths {
            directory.read(path, &mut log)?;
        }
        let agents = Agents { patterns: Arc::new(Patterns::new(directory)), met: HashMap::new() };
        Ok((agents, log.close()))
    }

    /// The client that sent `agent`.
    pub fn visitor(&mut self, agent: Option<&[u8]>) -> Visitor {
        let Some(agent) = agent else { return Visitor::WithoutUserAgent };
        let agent = &agent[..agent.len().min(LONGEST)];
        if let Some(visitor) = self.met.get(agent) {
            return visitor.clone();
        }
        let visitor = self.patterns.visitor(agent);
        if self.met.len() >= REMEMBERED {
            self.met.clear();
        }
        self.met.insert(agent.into(), visitor.clone());
        visitor
    }
}

/// The name of a [`Visitor::Program`], without its version: `curl` for `curl/8.0`.
pub(super) fn program_name(agent: &[u8]) -> String {
    tokens::program(&agent[..agent.len().min(LONGEST)])
}

impl Patterns {
    fn new(directory: read::Directory) -> Self {
        let read::Directory { patterns, tokens } = directory;
        let (mut texts, mut text_numbers, mut alone) = (Vec::new(), Vec::new(), Vec::new());
        for (number, pattern) in patterns.into_iter().enumerate() {
            if let Some(text) = read::text_of(&pattern) {
                texts.push(text);
                text_numbers.push(number);
            } else {
                alone.push(Expression { number, pattern, compiled: OnceLock::new() });
            }
        }
        let expressions: Vec<&str> = alone.iter().map(|expression| &*expression.pattern).collect();
        // The search for all needs no places of groups, which would take memory for each pattern and state.
        let all = build(
            &expressions,
            Regex::config().which_captures(WhichCaptures::None).match_kind(MatchKind::All),
        );
        Patterns { texts: search(&texts, false), text_numbers, all, alone, tokens: search(&tokens, true) }
    }

    fn visitor(&self, agent: &[u8]) -> Visitor {
        let found = self.found(agent);
        let known = found.and_then(|found| tokens::product_at(agent, found.start, found.end));
        let declared = || tokens::declared_crawler(agent);
        // A match in an address does not give a name; the name then comes from elsewhere in the User-Agent. If there is
        // none, the match itself is the name, but only for patterns that were written for crawlers. A list of tokens
        // may come from robots.txt files, which can contain any word.
        let name = known.or_else(declared).or_else(|| {
            let found = found?;
            let text = || tokens::token_of(&agent[found.start..found.end]);
            let counts = |name: &String| found.pattern.is_some() || tokens::may_be_crawler(name);
            tokens::any_product(agent).or_else(|| text().filter(counts))
        });
        match name {
            Some(name) => Visitor::Crawler(Arc::new(families::crawler(&name))),
            None if agent.trim_ascii().is_empty() => Visitor::WithoutUserAgent,
            None if tokens::is_browser(agent) => Visitor::Browser,
            None => Visitor::Program,
        }
    }

    /// The longer one of the best match of a pattern and the longest match of a token. At the same length the pattern
    /// wins, then the token that comes first in the order of the files.
    fn found(&self, agent: &[u8]) -> Option<Found> {
        let mut best = self.found_pattern(agent);
        if let Some(tokens) = &self.tokens {
            let is_bounded = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            for found in tokens.find_overlapping_iter(agent) {
                let before = found.start().checked_sub(1).and_then(|at| agent.get(at));
                let is_longer = best.is_none_or(|best| found.len() > best.end - best.start);
                if is_longer && is_bounded(before) && is_bounded(agent.get(found.end())) {
                    best = Some(Found { pattern: None, start: found.start(), end: found.end() });
                }
            }
        }
        best
    }

    /// The match of a pattern that ends first. A match that ends later replaces it if it begins before it, or at the
    /// same place with a pattern that is earlier in the order of the files.
    fn found_pattern(&self, agent: &[u8]) -> Option<Found> {
        let texts = self.texts.iter().flat_map(|texts| texts.find_overlapping_iter(agent)).map(|found| {
            let pattern = self.text_numbers[found.pattern().as_usize()];
            Found { pattern: Some(pattern), start: found.start(), end: found.end() }
        });
        let mut matches: Vec<Found> = texts.collect();
        if let Some(all) = &self.all {
            let mut set = PatternSet::new(all.pattern_len());
            all.which_overlapping_matches(&Input::new(agent), &mut set);
            for id in set.iter() {
                let Expression { number, pattern, compiled } = &self.alone[id.as_usize()];
                let compiled = compiled.get_or_init(|| build(&[pattern], Regex::config()));
                if let Some(span) = compiled.as_ref().and_then(|compiled| compiled.find(agent)) {
                    matches.push(Found { pattern: Some(*number), start: span.start(), end: span.end() });
                }
            }
        }
        let begin = |found: &Found| (found.start, found.pattern);
        matches.sort_unstable_by_key(|found| (found.end, begin(found)));
        matches.into_iter().reduce(|best, found| if begin(&found) < begin(&best) { found } else { best })
    }
}

/// The search for all of `texts`; `None` if there are none, or too many.
fn search(texts: &[String], ignores_case: bool) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(ignores_case).kind(Some(AhoCorasickKind::ContiguousNFA));
    if texts.is_empty() { None } else { builder.build(texts).ok() }
}

/// One automaton for `patterns`; `None` if there are none, or if it would be too large.
fn build(patterns: &[&str], config: Config) -> Option<Regex> {
    if patterns.is_empty() {
        return None;
    }
    Regex::builder()
        .configure(config.nfa_size_limit(Some(AUTOMATON_SIZE)).utf8_empty(false))
        .syntax(syntax::Config::new().utf8(false))
        .build_many(patterns)
        .ok()
}

/// Is `pattern` a valid regular expression?
fn is_searchable(pattern: &str) -> bool {
    syntax::parse_with(pattern, &syntax::Config::new().utf8(false)).is_ok()
}

#[cfg(test)]
mod tests;
