//! Adversarial files (`robomata_testkit::hostile`) as corpora of one site.

use std::str::FromStr;

use anyhow::{Context, Result, bail};
use robomata_testkit::hostile::{FAMILIES, Family, file, urls};

use crate::corpus::Corpus;

/// The size of a file in bytes.
const FILE: usize = 500_000;

/// A family, with the maximum size of its file.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    family: Family,
    bytes: usize,
}

/// `hostile:FAMILY`, or `hostile:FAMILY:BYTES` for a file of another size.
impl FromStr for Hostile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some(rest) = text.strip_prefix("hostile:") else { bail!("'{text}': expected hostile:FAMILY") };
        let (name, bytes) = rest.split_once(':').unwrap_or((rest, ""));
        let family = FAMILIES
            .iter()
            .find(|(known, _)| *known == name)
            .with_context(|| format!("unknown family '{name}'"))?;
        let bytes = if bytes.is_empty() { FILE } else { bytes.parse()? };
        Ok(Hostile { family: family.1, bytes })
    }
}

impl Hostile {
    /// The file, and the candidates for its worst URL as URLs of its only site.
    pub(crate) fn corpus(&self) -> Corpus {
        let patterns = self.family.patterns(self.bytes);
        let url = |(_, path): (String, String)| format!("https://hostile.example{path}");
        Corpus::of_one_site(file(&patterns), urls(&patterns).into_iter().map(url).collect())
    }

    /// The names of the candidates, in order.
    pub(crate) fn candidate_names(&self) -> Vec<String> {
        urls(&self.family.patterns(self.bytes)).into_iter().map(|(name, _)| name).collect()
    }
}
