//! One dense DFA for all rules of a file, by `regex-automata`: a few bytes of work for each byte of the URL, if the DFA
//! can be built. The limits decide which files it refuses; without them a few files would take gigabytes.

use std::hint::black_box;

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, PatternSet};
use robomata_engine::{Access, Config, Crawler, Dialect, Policy};

use super::Library;
use super::rules::{Pattern, ranked};
use crate::corpus::Form;

/// The maximum size of a DFA in bytes, also while it is built.
const LIMIT: usize = 1 << 20;

pub(super) struct DenseDfa {
    crawler: Crawler,
    config: Config,
}

impl DenseDfa {
    pub(super) fn new(crawler: &Crawler) -> Self {
        DenseDfa { crawler: crawler.clone(), config: Config::new(Dialect::Rfc9309) }
    }
}

/// The rules of one file.
pub(super) struct Ready {
    /// `None` if there is no rule.
    dfa: Option<(dense::DFA<Vec<u32>>, PatternSet)>,
    access: Vec<Access>,
}

impl Library for DenseDfa {
    type Ready = Ready;

    const FORM: Form = Form::Target;

    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready> {
        let patterns = ranked(body, &self.crawler, &self.config);
        let dfa = match patterns.is_empty() {
            true => None,
            false => Some(build(&patterns)?),
        };
        Some(Ready { dfa, access: patterns.iter().map(|pattern| pattern.access).collect() })
    }

    fn parse(&mut self, body: &'static [u8]) {
        black_box(Policy::new(body, &self.config));
    }

    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool {
        let Some((dfa, matches)) = &mut ready.dfa else { return true };
        if question == "/robots.txt" {
            return true;
        }
        matches.clear();
        let input = Input::new(question).anchored(Anchored::Yes);
        dfa.try_which_overlapping_matches(&input, matches).expect("this DFA quits on no byte");
        // The later pattern wins over the earlier.
        matches.iter().next_back().is_none_or(|best| ready.access[best.as_usize()] == Access::Allow)
    }
}

fn build(patterns: &[Pattern]) -> Option<(dense::DFA<Vec<u32>>, PatternSet)> {
    let expressions: Vec<String> = patterns.iter().map(expression).collect();
    let dfa = dense::Builder::new()
        .configure(
            dense::Config::new()
                .match_kind(MatchKind::All)
                .start_kind(StartKind::Anchored)
                .dfa_size_limit(Some(LIMIT))
                .determinize_size_limit(Some(LIMIT)),
        )
        .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(LIMIT)))
        .syntax(syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true))
        .build_many(&expressions)
        .ok()?;
    let matches = PatternSet::new(dfa.pattern_len());
    Some((dfa, matches))
}

fn expression(pattern: &Pattern) -> String {
    let mut out = String::new();
    push_literal(&pattern.head, &mut out);
    for segment in &pattern.floating {
        out.push_str(".*");
        push_literal(segment, &mut out);
    }
    if pattern.is_anchored {
        out.push_str(r"\z");
    }
    out
}

/// Hexadecimal for bytes that have a meaning in regular expressions.
fn push_literal(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!(r"\x{byte:02x}"));
        }
    }
}
