//! What was found about each mutant, in a file of tab-separated values.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use robomata_formats::Output;

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

/// The results of all runs.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    /// By the names of the mutants.
    pub rows: BTreeMap<String, Row>,
}

impl Results {
    /// Reads a file. A missing one has no rows.
    ///
    /// # Errors
    /// If it cannot be read, or has other rows.
    pub fn open(path: &Path) -> Result<Results> {
        let mut results = Results { path: path.to_owned(), rows: BTreeMap::new() };
        match std::fs::read_to_string(path) {
            Ok(text) => results.read(&text).with_context(|| {
                format!("{}: not results of this command (move the file away)", path.display())
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        }
        Ok(results)
    }

    fn read(&mut self, text: &str) -> Result<()> {
        let mut lines = text.lines();
        ensure!(lines.next() == Some(HEADER), "line 1: expected the names of the columns");
        for (number, line) in (2..).zip(lines) {
            let row = || {
                let [name, verdict, by, seconds] = line.split('\t').collect::<Vec<_>>()[..] else {
                    return None;
                };
                let verdict = Verdict::ALL.into_iter().find(|known| known.as_str() == verdict)?;
                Some((name.to_owned(), Row { verdict, by: by.to_owned(), seconds: seconds.parse().ok()? }))
            };
            let (name, row) = row().with_context(|| format!("line {number}: not a row"))?;
            ensure!(self.rows.insert(name, row).is_none(), "line {number}: a second row of a mutant");
        }
        Ok(())
    }

    /// Replaces the file at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self) -> Result<()> {
        let mut out = Output::create(&self.path)?;
        out.write_all(self.to_string().as_bytes())?;
        Ok(out.commit()?)
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
