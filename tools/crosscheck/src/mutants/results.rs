//! What was found about each mutant, in a file of tab-separated values.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::results_file::ResultsFile;

/// What was found about a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// A check failed.
    Caught,
    /// A check did not end in time, or needed too much memory.
    Endless,
    /// No check failed.
    Missed,
    /// It does not compile.
    Unbuildable,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 4] = [Verdict::Caught, Verdict::Endless, Verdict::Missed, Verdict::Unbuildable];

    /// The name in files of results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Caught => "caught",
            Verdict::Endless => "endless",
            Verdict::Missed => "missed",
            Verdict::Unbuildable => "unbuildable",
        }
    }
}

const HEADER: &str = "mutant\tverdict\tby\tseconds";

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was found.
    pub verdict: Verdict,
    /// The last check that ran, and its first test that failed.
    pub by: String,
    /// How long all checks ran.
    pub seconds: u64,
}

impl Row {
    /// The name of the mutant, and its row.
    fn read(line: &str) -> Option<(String, Row)> {
        let [name, verdict, by, seconds] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let verdict = Verdict::ALL.into_iter().find(|known| known.as_str() == verdict)?;
        Some((name.to_owned(), Row { verdict, by: by.to_owned(), seconds: seconds.parse().ok()? }))
    }
}

/// The results of all runs.
#[derive(Debug)]
pub struct Results {
    file: ResultsFile,
    /// By the names of the mutants.
    pub rows: BTreeMap<String, Row>,
}

impl Results {
    /// Reads a file. A missing one has no rows.
    ///
    /// # Errors
    /// If another process has opened the results, the file cannot be read, or it has other rows.
    pub fn open(path: &Path) -> Result<Results> {
        let mut rows = BTreeMap::new();
        let file = ResultsFile::open(path, HEADER, |line| {
            let (name, row) = Row::read(line).context("not a row")?;
            ensure!(rows.insert(name, row).is_none(), "a second row of a mutant");
            Ok(())
        })?;
        Ok(Results { file, rows })
    }

    /// Replaces the file at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self) -> Result<()> {
        self.file.write(self)
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for (name, Row { verdict, by, seconds }) in &self.rows {
            writeln!(f, "{name}\t{}\t{by}\t{seconds}", verdict.as_str())?;
        }
        Ok(())
    }
}
