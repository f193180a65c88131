//! Finds the crawler of a User-Agent.
//!
//! The user gives crawler directories. All their patterns and tokens are searched for at once, and the longest match
//! identifies the crawler. A User-Agent that matches nothing still belongs to a crawler if it declares itself one. The
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
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Input, PatternSet};
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
    /// The regular expressions, together and separately: the search for all of them returns which ones match, but not
    /// where.
    all: Option<Regex>,
    alone: Vec<(String, OnceLock<Option<Regex>>)>,
    tokens: Option<AhoCorasick>,
}

/// A match of a pattern in a User-Agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    /// The number of the regular expression, in the order of the files; `None` for a token.
    pattern: Option<usize>,
    start: usize,
    end: usize,
}

/// The most User-Agents that are remembered; after that, all are forgotten.
const REMEMBERED: usize = 1 << 16;

/// The most bytes of a User-Agent that are read.
const LONGEST: usize = 4096;

/// The size limit of the automaton of all patterns, in bytes.
const AUTOMATON_SIZE: usize = 256 << 20;

impl Agents {
    /// Reads the crawlers of `paths`: the JSON of monperrus/crawler-user-agents (an array of objects with `pattern`),
    /// that of ai.robots.txt (an object whose keys are tokens), a robots.txt whose groups name crawlers, or lines of
    /// tokens. In a CSV file the first column counts. Patterns are regular expressions and case-sensitive. Tokens are
    /// not case-sensitive, and match only where no letter or digit is directly before or after them.
    ///
    /// # Errors
    /// When a file cannot be read, and with strict `strictness` for the first bad entry.
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
        let all = (!patterns.is_empty()).then(|| build(&patterns)).flatten();
        let tokens = (!tokens.is_empty()).then(|| {
            let mut builder = AhoCorasick::builder();
            builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::ContiguousNFA)).build(&tokens)
        });
        let alone = patterns.into_iter().map(|pattern| (pattern, OnceLock::new())).collect();
        Patterns { all, alone, tokens: tokens.and_then(Result::ok) }
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

    /// The longest match. Among equally long ones an expression wins, then the first in the order of the files. The search
    /// for all expressions ends where the first one matches, so an expression that only matches later does not count.
    fn found(&self, agent: &[u8]) -> Option<Found> {
        let mut best: Option<Found> = None;
        let mut offer = |found: Found| {
            if best.is_none_or(|best| found.end - found.start > best.end - best.start) {
                best = Some(found);
            }
        };
        if let Some(all) = &self.all {
            let mut set = PatternSet::new(all.pattern_len());
            all.which_overlapping_matches(&Input::new(agent), &mut set);
            for id in set.iter() {
                let (pattern, alone) = &self.alone[id.as_usize()];
                let alone = alone.get_or_init(|| build(std::slice::from_ref(pattern)));
                if let Some(span) = alone.as_ref().and_then(|alone| alone.find(agent)) {
                    offer(Found { pattern: Some(id.as_usize()), start: span.start(), end: span.end() });
                }
            }
        }
        if let Some(tokens) = &self.tokens {
            let is_bounded = |at: Option<&u8>| at.is_none_or(|byte| !byte.is_ascii_alphanumeric());
            for found in tokens.find_overlapping_iter(agent) {
                let before = found.start().checked_sub(1).and_then(|at| agent.get(at));
                if is_bounded(before) && is_bounded(agent.get(found.end())) {
                    offer(Found { pattern: None, start: found.start(), end: found.end() });
                }
            }
        }
        best
    }
}

/// One automaton for `patterns`; `None` if it would be too large.
fn build(patterns: &[String]) -> Option<Regex> {
    Regex::builder()
        .configure(Regex::config().nfa_size_limit(Some(AUTOMATON_SIZE)).utf8_empty(false))
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
