//! Names of corpora in definitions, and their locations.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// A corpus, by its name in a definition.
///
/// * `real`: the files of `--corpus DIR`; `real:100` with at most 100 URLs a site; `real:100:2000` with the first 2,000
///   bodies only.
/// * `samples`: the samples of the project.
/// * `generated:PROFILE`: generated from a seed, see `generated.rs`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CorpusName {
    Real { urls_a_site: Option<usize>, bodies: Option<usize> },
    Samples,
    Generated(String),
}

/// The locations of corpora that are files.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The directory of the real corpus, if there is one.
    pub(crate) real: Option<PathBuf>,
    pub(crate) samples: PathBuf,
}

impl Places {
    pub(crate) fn new(real: Option<PathBuf>) -> Self {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/samples");
        Places { real, samples }
    }

    pub(crate) fn real(&self) -> Result<&Path> {
        self.real.as_deref().context("this benchmark needs real files (give --corpus DIR)")
    }

    /// Returns whether the corpus is available.
    pub(crate) fn have(&self, name: &CorpusName) -> bool {
        self.real.is_some() || !matches!(name, CorpusName::Real { .. })
    }
}

impl FromStr for CorpusName {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "real" => {
                let mut numbers = rest.split(':').filter(|part| !part.is_empty()).map(str::parse);
                let mut number = || numbers.next().transpose().with_context(|| format!("corpus '{text}'"));
                Ok(CorpusName::Real { urls_a_site: number()?, bodies: number()? })
            }
            "samples" => Ok(CorpusName::Samples),
            "generated" => Ok(CorpusName::Generated(rest.to_owned())),
            _ => bail!("corpus '{text}': expected real, samples or generated:PROFILE"),
        }
    }
}

impl fmt::Display for CorpusName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CorpusName::Real { urls_a_site, bodies } => {
                f.write_str("real")?;
                [urls_a_site, bodies].into_iter().flatten().try_for_each(|number| write!(f, ":{number}"))
            }
            CorpusName::Samples => f.write_str("samples"),
            CorpusName::Generated(profile) => write!(f, "generated:{profile}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for text in ["real", "real:100", "real:100:2000", "samples", "generated:small"] {
            assert_eq!(text.parse::<CorpusName>().unwrap().to_string(), text);
        }
        assert!("unreal".parse::<CorpusName>().is_err());
        assert!("real:x".parse::<CorpusName>().is_err());
    }
}
