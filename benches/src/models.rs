//! The measurements. A model turns a definition into samples, and verifies every answer first.

mod batch;
mod build;
mod check;
mod filter;
mod hostile;
mod memory;
mod open;
mod truth;
mod verified;

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::answers::{Answers, Key, key};
use crate::corpus::{Corpus, CorpusName, Places};
use crate::definition::Definition;
use crate::results::Sample;
use crate::timing::Clock;

pub(crate) use hostile::child as hostile_child;
pub(crate) use memory::child as memory_child;

/// The measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Model {
    /// From bytes to a policy for any crawler.
    Parse,
    /// From bytes to a policy for one crawler.
    Compile,
    /// URLs, site after site.
    CheckHot,
    /// URLs, all sites shuffled.
    CheckRandom,
    /// URLs shuffled over more distinct policies than any cache can hold.
    CheckCold,
    /// All URLs in one call, on several threads.
    Batch,
    /// The command, from file to file.
    Filter,
    /// The same, all sites shuffled.
    FilterRandom,
    /// From a bundle on disk to its first answer.
    Open,
    /// Memory of a policy in bytes.
    Memory,
    /// Adversarial files, with the worst of several URLs each.
    Hostile,
}

#[cfg(test)]
impl Model {
    pub(crate) const ALL: [Model; 11] = [
        Model::Parse,
        Model::Compile,
        Model::CheckHot,
        Model::CheckRandom,
        Model::CheckCold,
        Model::Batch,
        Model::Filter,
        Model::FilterRandom,
        Model::Open,
        Model::Memory,
        Model::Hostile,
    ];
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Model::Parse => "parse",
            Model::Compile => "compile",
            Model::CheckHot => "check-hot",
            Model::CheckRandom => "check-random",
            Model::CheckCold => "check-cold",
            Model::Batch => "batch",
            Model::Filter => "filter",
            Model::FilterRandom => "filter-random",
            Model::Open => "open",
            Model::Memory => "memory",
            Model::Hostile => "hostile",
        })
    }
}

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To produce figures.
    Measure,
    /// To check that everything works: small corpora, one round.
    Test,
    /// To find the answers; nothing is timed.
    Update,
}

/// Whether engines in other languages take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runners {
    Used,
    Skipped,
}

/// The state that the benchmarks of a run share.
pub(crate) struct Context {
    pub(crate) purpose: Purpose,
    pub(crate) clock: Clock,
    pub(crate) places: Places,
    pub(crate) runners: Runners,
    pub(crate) answers: Answers,
    corpora: HashMap<CorpusName, Rc<Corpus>>,
    /// By key: the right answers, once this run has computed them.
    right: HashMap<Key, Rc<Vec<u8>>>,
}

impl Context {
    pub(crate) fn new(
        purpose: Purpose,
        clock: Clock,
        places: Places,
        runners: Runners,
        answers: Answers,
    ) -> Self {
        Context { purpose, clock, places, runners, answers, corpora: HashMap::new(), right: HashMap::new() }
    }

    /// Returns the samples of one benchmark, or none if the run is an update.
    pub(crate) fn run(&mut self, definition: &Definition) -> Result<Vec<Sample>> {
        let run = match definition.model {
            Model::Parse => build::parse,
            Model::Compile => build::compile,
            Model::CheckHot | Model::CheckRandom | Model::CheckCold => check::run,
            Model::Batch => batch::run,
            Model::Filter | Model::FilterRandom => filter::run,
            Model::Open => open::run,
            Model::Memory => memory::run,
            Model::Hostile => hostile::run,
        };
        run(self, definition).with_context(|| definition.name.clone())
    }

    /// The reason why a benchmark cannot run here, or `None` if it can.
    pub(crate) fn hindrance(&self, definition: &Definition) -> Option<&'static str> {
        let is_missing = |name: Result<CorpusName>| name.is_ok_and(|name| !self.places.have(&name));
        (definition.model != Model::Hostile && is_missing(definition.corpus_name()))
            .then_some("it needs real files (give --corpus DIR)")
    }

    /// The corpus of a benchmark, read or generated once per run.
    fn corpus(&mut self, definition: &Definition) -> Result<Rc<Corpus>> {
        let name = definition.corpus_name()?;
        if let Some(corpus) = self.corpora.get(&name) {
            return Ok(Rc::clone(corpus));
        }
        eprintln!("reading {name}");
        let corpus = Rc::new(Corpus::load(&name, &self.places)?);
        eprintln!(
            "{name}: {} bodies ({} bytes), {} sites, {} URLs",
            corpus.bodies.len(),
            corpus.body_bytes(),
            corpus.sites.len(),
            corpus.questions.len()
        );
        self.corpora.insert(name, Rc::clone(&corpus));
        Ok(corpus)
    }

    /// Compares `letters`, in the order of the corpus, with the committed answers, or commits them. Returns a note.
    fn verify(
        &mut self,
        definition: &Definition,
        corpus: &Corpus,
        engine: &str,
        letters: &[u8],
    ) -> Result<String> {
        let key = key(definition, &definition.corpus);
        if self.purpose == Purpose::Update {
            let right = self.right(definition, &key, corpus)?;
            truth::show_differences(corpus, &right, letters);
            self.answers.set_engine(&key, engine, letters, &right)?;
            return Ok(String::new());
        }
        let verified = self.answers.verify(&key, engine, letters);
        if verified.is_err() {
            let right = self.right(definition, &key, corpus)?;
            truth::show_differences(corpus, &right, letters);
        }
        verified
    }

    /// The right answers. An update commits them.
    fn right(&mut self, definition: &Definition, key: &Key, corpus: &Corpus) -> Result<Rc<Vec<u8>>> {
        if let Some(right) = self.right.get(key) {
            return Ok(Rc::clone(right));
        }
        let right = Rc::new(truth::right(corpus, &definition.setting())?);
        if self.purpose == Purpose::Update {
            self.answers.set_right(key, &right);
        }
        self.right.insert(key.clone(), Rc::clone(&right));
        Ok(right)
    }
}
