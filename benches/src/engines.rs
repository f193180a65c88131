//! The engines, one file each. They are used as their own documentation recommends: compiled once per body, then
//! queried.
//!
//! Each supports up to two ways of querying ([`Asked`]): from the URL's text, where the engine finds the site's policy
//! itself; and with path and policy prepared outside the clock. [`prepared`] builds both from a [`Library`], which
//! knows one body only.

mod aho_corasick;
mod dense_dfa;
mod external;
mod fast_robots;
mod library;
mod prepared;
mod reference;
mod robomata;
mod robotstxt;
mod robotxt;
mod rules;
mod store;
mod texting_robots;

use std::time::Duration;

use anyhow::{Result, bail};
use robomata_engine::{Access, Answer, Crawler, Dialect};

use crate::corpus::{Corpus, Questions};

pub(crate) use external::protego;
pub(crate) use library::Library;
use prepared::Prepared;
pub(crate) use store::{site_of, store_of, store_of_spec};

/// robomata's store: the base of comparison if a definition names no other.
pub(crate) const STORE: &str = "robomata/store";
/// The store, queried for many URLs in one call.
pub(crate) const BATCH: &str = "robomata/batch";
/// robomata's oracle.
pub(crate) const REFERENCE: &str = "robomata/reference";

/// The letter of an engine's answer for one URL.
pub(crate) const ALLOW: u8 = b'A';
pub(crate) const DISALLOW: u8 = b'D';
/// No answer: the body is not read, or the engine panicked.
pub(crate) const NONE: u8 = b'?';

/// The input of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// The URL's text; finding the policy of its site is part of the answer.
    Url,
    /// The engine's native input, prepared in advance; the policy is given.
    Prepared,
}

impl Asked {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Asked::Url => "URL",
            Asked::Prepared => "prepared",
        }
    }
}

/// The crawler, and the dialect for engines that have a choice.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) agent: &'static str,
    pub(crate) dialect: Dialect,
}

impl Setting {
    pub(crate) fn crawler(&self) -> Crawler {
        Crawler::new(self.agent)
    }
}

/// One engine with its prepared data. A pass is one call, so that only the engine's own code runs between two of its
/// items. It returns nothing if the engine has no such step.
pub(crate) trait Engine {
    /// Parses the bodies.
    fn parse(&mut self, _bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// Compiles the bodies for one crawler, from their bytes.
    fn compile(&mut self, _bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// For each body: whether the engine can read it.
    fn readable(&mut self, bodies: &[&'static [u8]]) -> Vec<bool> {
        vec![true; bodies.len()]
    }

    /// Prepares everything for checks: the bodies that URLs are checked against, and the look-up of sites.
    fn prepare(&mut self, corpus: &Corpus) -> Result<()>;

    /// Number of refused bodies among those that URLs are checked against.
    fn refused(&self) -> usize {
        0
    }

    /// The supported ways of querying.
    fn ways(&self) -> &'static [Asked];

    /// Its answers, in the order of the questions.
    fn letters(&mut self, asked: Asked, questions: &Questions) -> Result<Vec<u8>>;

    /// Checks all questions. Also returns the number of allowed URLs.
    fn check(&mut self, asked: Asked, questions: &Questions) -> Result<(Duration, usize)>;
}

/// All engines that definitions may name, in the order of reports, with a description.
pub(crate) const ALL: [(&str, &str); 16] = [
    (STORE, "the store: from the URL's text through its site to the verdict"),
    ("robomata/site", "one site's policy, looked up as for peers; from the URL's text or a path"),
    ("robomata/program", "the walk alone, over a target in normal form"),
    (REFERENCE, "the oracle, written for correctness"),
    ("aho-corasick", "the same construction on a stock contiguous NFA"),
    ("regex-automata", "one dense DFA for all rules of a file, up to 1 MiB"),
    ("fast-robots", "compiled matcher"),
    ("fast-robots/parsed", "parsed only"),
    ("texting_robots", "rules tried in order"),
    ("robotxt", "rules tried in order"),
    ("robotstxt", "port of Google's parser: every check parses"),
    ("protego", "Python; needs --runners"),
    (BATCH, "the store, queried for all URLs in one call; on one thread except in `batch`"),
    ("robomata/command", "the command line, from file to file"),
    ("cat", "copies the same file"),
    ("read", "reads the same file"),
];

/// The engine with that name, or `None` if only some models know it.
pub(crate) fn make(name: &str, setting: &Setting) -> Result<Box<dyn Engine>> {
    let Setting { agent, dialect } = *setting;
    let crawler = setting.crawler();
    Ok(match name {
        STORE => Box::new(store::InStore::new(setting)),
        BATCH => Box::new(store::InBatch::new(setting)?),
        "robomata/site" => Prepared::boxed(robomata::OneSite::new(&crawler, dialect)),
        "robomata/program" => Prepared::boxed(robomata::Walk::new(&crawler)),
        REFERENCE => Prepared::boxed(reference::Oracle::new(&crawler, dialect)),
        "aho-corasick" => Prepared::boxed(aho_corasick::Segments::new(&crawler)),
        "regex-automata" => Prepared::boxed(dense_dfa::DenseDfa::new(&crawler)),
        "fast-robots" => Prepared::boxed(fast_robots::Matcher { agent }),
        "fast-robots/parsed" => Prepared::boxed(fast_robots::Parsed { agent }),
        "texting_robots" => Prepared::boxed(texting_robots::Robot { agent }),
        "robotxt" => Prepared::boxed(robotxt::Robots { agent }),
        "robotstxt" => Prepared::boxed(robotstxt::GooglePort { agent }),
        "protego" => Box::new(protego(agent)),
        _ => bail!("no engine '{name}' answers URLs here (`bench list` shows the engines)"),
    })
}

/// Returns whether the engine must agree with the reference without exception.
pub(crate) fn must_agree(name: &str) -> bool {
    name.starts_with("robomata/") || name == "aho-corasick" || name == "regex-automata"
}

/// An answer that neither allows nor disallows counts as not allowed.
fn is_allowed(answer: Answer) -> bool {
    matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Allow)
}

/// The letter of a verdict.
pub(crate) fn letter(is_allowed: bool) -> u8 {
    if is_allowed { ALLOW } else { DISALLOW }
}
