//! The expected answers of the engines: `definitions/answers.toml`.
//!
//! One set belongs to a corpus, a crawler and a dialect, regardless of the measurement. It has a digest of the right
//! letters, `A` or `D` by URL in the order of the corpus. For each engine that answers differently, it has the engine's
//! own digest and the reason. `bench update` rewrites the file and keeps reasons.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::definition::Definition;
use crate::engines::must_agree;

/// The reason that `update` writes if none is recorded yet.
pub(crate) const UNEXPLAINED: &str = "unexplained";

/// All sets, by key.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    sets: BTreeMap<Key, Set>,
}

/// Corpus, crawler, dialect.
pub(crate) type Key = (String, String, String);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    set: Vec<Written>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    corpus: String,
    agent: String,
    dialect: String,
    urls: usize,
    disallowed: usize,
    xxh3: String,
    #[serde(default)]
    differs: Vec<Differs>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Set {
    urls: usize,
    disallowed: usize,
    xxh3: String,
    differs: Vec<Differs>,
}

/// An engine that answers differently.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Differs {
    engine: String,
    /// The number of URLs that differ, including those that it does not answer.
    urls: usize,
    xxh3: String,
    reason: String,
}

/// The key of the set for the answers of `definition` over `corpus`.
pub(crate) fn key(definition: &Definition, corpus: &str) -> Key {
    (corpus.to_owned(), definition.agent.to_owned(), definition.dialect.to_string())
}

/// XXH3 of the letters.
pub(crate) fn digest(letters: &[u8]) -> String {
    format!("{:016x}", xxh3_64(letters))
}

impl Answers {
    pub(crate) fn read(directory: &Path) -> Result<Self> {
        let path = directory.join("answers.toml");
        let text = if path.exists() { fs::read_to_string(&path)? } else { String::new() };
        let file: File = toml::from_str(&text).with_context(|| path.display().to_string())?;
        let one = |written: Written| {
            let Written { corpus, agent, dialect, urls, disallowed, xxh3, differs } = written;
            ((corpus, agent, dialect), Set { urls, disallowed, xxh3, differs })
        };
        Ok(Answers { sets: file.set.into_iter().map(one).collect() })
    }

    /// Checks `letters` against the committed answers of `engine`. Returns a note if they differ from the right ones
    /// for a known reason.
    pub(crate) fn verify(&self, key: &Key, engine: &str, letters: &[u8]) -> Result<String> {
        let set = self.sets.get(key);
        let set = set.with_context(|| format!("no answers for {key:?} (`bench update` writes them)"))?;
        let found = digest(letters);
        let known = set.differs.iter().find(|differs| differs.engine == engine);
        let expected = known.map_or(&set.xxh3, |differs| &differs.xxh3);
        ensure!(
            set.urls == letters.len() && found == *expected,
            "{engine} gave {} answers with digest {found}, expected {} with {expected} ({key:?})",
            letters.len(),
            set.urls,
        );
        Ok(known.map_or(String::new(), |differs| {
            format!("answers {} of {} URLs differently: {}", differs.urls, set.urls, differs.reason)
        }))
    }

    /// Checks that these are the right answers.
    pub(crate) fn verify_right(&self, key: &Key, letters: &[u8]) -> Result<()> {
        let set = self.sets.get(key).with_context(|| format!("no answers for {key:?}"))?;
        ensure!(
            set.xxh3 == digest(letters),
            "the recorded verdicts differ from the committed answers ({key:?})"
        );
        Ok(())
    }

    /// Replaces the right answers; the reasons of engines stay.
    pub(crate) fn set_right(&mut self, key: &Key, letters: &[u8]) {
        let set = self.sets.entry(key.clone()).or_default();
        set.urls = letters.len();
        set.disallowed = letters.iter().filter(|&&letter| letter != b'A').count();
        set.xxh3 = digest(letters);
    }

    /// Replaces the answers of `engine`.
    pub(crate) fn set_engine(&mut self, key: &Key, engine: &str, letters: &[u8], right: &[u8]) -> Result<()> {
        let set = self.sets.entry(key.clone()).or_default();
        let reason = set.differs.iter().find(|differs| differs.engine == engine);
        let reason = reason.map_or(UNEXPLAINED.to_owned(), |differs| differs.reason.clone());
        set.differs.retain(|differs| differs.engine != engine);
        let differing = |(a, b): &(&u8, &u8)| a != b;
        let urls = letters.iter().zip(right).filter(differing).count();
        let unanswered = letters.iter().filter(|&&letter| letter == crate::engines::NONE).count();
        if urls > 0 {
            ensure!(
                !must_agree(engine) || urls == unanswered,
                "{engine} must agree with the reference, but {urls} URLs differ ({key:?})"
            );
            set.differs.push(Differs { engine: engine.to_owned(), urls, xxh3: digest(letters), reason });
            set.differs.sort_by(|a, b| a.engine.cmp(&b.engine));
        }
        Ok(())
    }

    /// Writes the file.
    pub(crate) fn write(&self, directory: &Path) -> Result<()> {
        Ok(fs::write(directory.join("answers.toml"), self.text()?)?)
    }

    fn text(&self) -> Result<String> {
        let mut out =
            "# The answers of each engine. `bench update` rewrites this file; edit only the reasons by hand.\n"
                .to_owned();
        for ((corpus, agent, dialect), set) in &self.sets {
            let Set { urls, disallowed, xxh3, differs } = set;
            write!(out, "\n[[set]]\ncorpus = {corpus:?}\nagent = {agent:?}\ndialect = {dialect:?}\n")?;
            write!(out, "urls = {urls}\ndisallowed = {disallowed}\nxxh3 = {xxh3:?}\n")?;
            for Differs { engine, urls, xxh3, reason } in differs {
                write!(out, "\n[[set.differs]]\nengine = {engine:?}\nurls = {urls}\n")?;
                write!(out, "xxh3 = {xxh3:?}\nreason = {reason:?}\n")?;
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_has_its_reason() {
        let answers = Answers::read(&crate::definition::directory()).unwrap();
        for (key, set) in &answers.sets {
            for differs in &set.differs {
                assert_ne!(differs.reason, UNEXPLAINED, "{key:?} {}", differs.engine);
            }
        }
    }

    #[test]
    fn answers_are_compared_with_the_committed_ones() {
        let key = ("c".to_owned(), "a".to_owned(), "d".to_owned());
        let mut answers = Answers::default();
        assert!(answers.verify(&key, "robotxt", b"AD").is_err());
        answers.set_right(&key, b"AD");
        answers.set_engine(&key, "robotxt", b"AA", b"AD").unwrap();
        assert!(answers.set_engine(&key, "robomata/store", b"AA", b"AD").is_err());
        assert_eq!(answers.verify(&key, "robomata/store", b"AD").unwrap(), "");
        assert!(answers.verify(&key, "robomata/store", b"DD").is_err());
        assert!(answers.verify(&key, "robotxt", b"AA").unwrap().contains("1 of 2"));
        assert!(answers.verify(&key, "robotxt", b"AD").is_err());
        assert!(answers.verify_right(&key, b"AD").is_ok());

        let again: File = toml::from_str(&answers.text().unwrap()).unwrap();
        assert_eq!(again.set[0].differs, answers.sets[&key].differs);
    }
}
