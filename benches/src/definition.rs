//! Benchmarks as data: the files of `definitions/`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use robomata_engine::Dialect;
use serde::Deserialize;

use crate::corpus::CorpusName;
use crate::engines::{self, Setting};
use crate::models::Model;

/// One benchmark.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// `model/name`.
    pub(crate) name: String,
    pub(crate) model: Model,
    /// The corpus; for hostile files, the family.
    pub(crate) corpus: String,
    /// The corpus of a quick run.
    pub(crate) test_corpus: String,
    pub(crate) agent: &'static str,
    pub(crate) dialect: Dialect,
    pub(crate) engines: Vec<String>,
    /// The engine that the others are compared with.
    pub(crate) base: String,
    /// The purpose of the benchmark.
    pub(crate) analysis: String,
}

/// A file as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    model: Model,
    base: String,
    analysis: String,
    bench: Vec<Bench>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bench {
    name: String,
    corpus: String,
    test_corpus: String,
    agent: String,
    dialect: String,
    engines: Vec<String>,
    analysis: String,
}

impl Definition {
    pub(crate) fn setting(&self) -> Setting {
        Setting { agent: self.agent, dialect: self.dialect }
    }

    pub(crate) fn corpus_name(&self) -> Result<CorpusName> {
        self.corpus.parse()
    }
}

/// The directory of this package's definitions.
pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions")
}

/// All definitions whose name contains `filter`, in the order of the models.
pub(crate) fn all(directory: &Path, filter: &str) -> Result<Vec<Definition>> {
    let mut definitions = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        let is_definition = path.extension().is_some_and(|extension| extension == "toml")
            && path.file_stem().is_some_and(|stem| stem != "answers");
        if is_definition {
            definitions.extend(read(&path).with_context(|| path.display().to_string())?);
        }
    }
    definitions.retain(|definition| definition.name.contains(filter));
    definitions.sort_by(|a, b| (a.model, &a.name).cmp(&(b.model, &b.name)));
    Ok(definitions)
}

fn read(path: &Path) -> Result<Vec<Definition>> {
    let File { model, base, analysis, bench } = toml::from_str(&fs::read_to_string(path)?)?;
    let one = |bench: Bench| {
        let name = format!("{model}/{}", bench.name);
        for engine in bench.engines.iter().chain([&base]) {
            ensure!(
                engines::ALL.iter().any(|(known, _)| known == engine),
                "{name}: unknown engine '{engine}'"
            );
        }
        Ok(Definition {
            name,
            model,
            corpus: bench.corpus,
            test_corpus: bench.test_corpus,
            // There are a handful of them, and engines keep them indefinitely.
            agent: bench.agent.leak(),
            dialect: bench.dialect.parse()?,
            engines: bench.engines,
            base: base.clone(),
            analysis: format!("{} {}", analysis.trim(), bench.analysis.trim()),
        })
    };
    bench.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_definitions_are_read_and_named_once() {
        let definitions = all(&directory(), "").unwrap();
        let mut names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        for model in Model::ALL {
            assert!(definitions.iter().any(|definition| definition.model == model), "{model}");
        }
    }
}
