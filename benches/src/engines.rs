//! The engines, one file each, as their own documentation recommends: compiled once a body, then asked.
//!
//! Each is asked in up to two ways ([`Asked`]): from the URL's text, finding the site's policy itself; and with path and
//! policy prepared outside the clock. [`prepared`] makes both out of a [`Library`], which knows one body only.

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

use ::robomata::{Access, Answer, Crawler, Dialect};
use anyhow::{Result, bail};

use crate::corpus::{Corpus, Questions};

pub(crate) use external::protego;
pub(crate) use library::Library;
use prepared::Prepared;
pub(crate) use store::{site_of, store_of, store_of_spec};

/// robomata's store: the row that other rows of a run are compared with where a definition names no other.
pub(crate) const STORE: &str = "robomata/store";
/// The store asked for many URLs in one call.
pub(crate) const BATCH: &str = "robomata/batch";
/// robomata's oracle.
pub(crate) const REFERENCE: &str = "robomata/reference";

/// The letter of an engine's answer for one URL.
pub(crate) const ALLOW: u8 = b'A';
pub(crate) const DISALLOW: u8 = b'D';
/// No answer: the body is not read, or the engine panicked.
pub(crate) const NONE: u8 = b'?';

/// What is given to an engine when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// The URL's text; finding the policy of its site is part of the answer.
    Url,
    /// What the engine itself takes, cut out before; the policy is at hand.
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

/// For whom, and how files are read by the engines that have a choice.
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

/// One engine with what it has made ready. A pass is one call, so that nothing but the engine's own code runs between two
/// of its items; it gives nothing when the engine has no such step.
pub(crate) trait Engine {
    /// Parses the bodies.
    fn parse(&mut self, _bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// Makes the bodies ready for one crawler, from their bytes.
    fn compile(&mut self, _bodies: &[&'static [u8]]) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// By body: can the engine read it?
    fn readable(&mut self, bodies: &[&'static [u8]]) -> Vec<bool> {
        vec![true; bodies.len()]
    }

    /// Makes everything ready for checks: the bodies that URLs are judged by, and the look-up of sites.
    fn prepare(&mut self, corpus: &Corpus) -> Result<()>;

    /// How many bodies that URLs are judged by it has refused.
    fn refused(&self) -> usize {
        0
    }

    /// The ways in which it can be asked.
    fn ways(&self) -> &'static [Asked];

    /// Its answers, in the order of the questions.
    fn letters(&mut self, asked: Asked, questions: &Questions) -> Result<Vec<u8>>;

    /// Asks all questions; gives also how many are allowed.
    fn check(&mut self, asked: Asked, questions: &Questions) -> Result<(Duration, usize)>;
}

/// All engines that definitions may name, in the order of reports, with what they are.
pub(crate) const ALL: [(&str, &str); 16] = [
    (STORE, "the store: from the URL's text over its site to the verdict"),
    ("robomata/site", "one site's policy, found as for peers; from the URL's text or a path"),
    ("robomata/program", "the walk alone, over a target in normal form"),
    (REFERENCE, "the oracle, written to be right"),
    ("aho-corasick", "the same construction on a stock contiguous NFA"),
    ("regex-automata", "one dense DFA for all rules of a file, up to 1 MiB"),
    ("fast-robots", "compiled matcher"),
    ("fast-robots/parsed", "parsed only"),
    ("texting_robots", "rules tried in order"),
    ("robotxt", "rules tried in order"),
    ("robotstxt", "port of Google's parser: every check parses"),
    ("protego", "Python; needs --runners"),
    (BATCH, "the store asked for all URLs in one call; but for `batch` on one thread"),
    ("robomata/command", "the command line, file to file"),
    ("cat", "copies the same file"),
    ("read", "reads the same file"),
];

/// The engine of that name; none for those that only some models know.
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
        _ => bail!("no engine '{name}' answers URLs here; `bench list` names them"),
    })
}

/// Must an engine of that name answer as the reference does, without exception?
pub(crate) fn must_agree(name: &str) -> bool {
    name.starts_with("robomata/") || name == "aho-corasick" || name == "regex-automata"
}

/// What is neither allowed nor forbidden is not allowed.
fn is_allowed(answer: Answer) -> bool {
    matches!(answer, Answer::Verdict(verdict) if verdict.access == Access::Allow)
}

/// The letter of a yes or no.
pub(crate) fn letter(is_allowed: bool) -> u8 {
    if is_allowed { ALLOW } else { DISALLOW }
}
