//! Counts that add up over runs, in a file of tab-separated values.
//!
//! ```text
//! kind       dialect  seeds  questions  answers  divergences
//! generated  rfc9309  160    16000      144000   0
//! ```
//!
//! `seeds` is the first unused seed of the kind, the same in each of its rows.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use robomata_engine::Dialect;

use super::Unit;
use crate::results_file::ResultsFile;

/// What the questions are about, and where their files come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Files generated from a seed.
    Generated,
    /// Real files with changes, and rules of two real files together.
    Bred,
    /// Real files, with real URLs and URLs that nearly match.
    Real,
    /// Blocks of URLs over many sites with generated files.
    Blocks,
    /// Generated questions about usages.
    Usages,
    /// Generated fetches and instants: which rules are in force, and until when.
    Lifecycle,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Generated, Kind::Bred, Kind::Real, Kind::Blocks, Kind::Usages, Kind::Lifecycle];

    /// The name in files of results.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Generated => "generated",
            Kind::Bred => "bred",
            Kind::Real => "real",
            Kind::Blocks => "blocks",
            Kind::Usages => "usages",
            Kind::Lifecycle => "lifecycle",
        }
    }
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers of the reference.
    pub questions: u64,
    /// Answers of cells of the engine that were compared with them.
    pub answers: u64,
    /// Units that ended with a difference.
    pub divergences: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.questions += more.questions;
        self.answers += more.answers;
        self.divergences += more.divergences;
    }
}

const HEADER: &str = "kind\tdialect\tseeds\tquestions\tanswers\tdivergences";

/// The counts of all runs.
#[derive(Debug)]
pub struct Results {
    file: ResultsFile,
    rows: Rows,
}

#[derive(Debug, Default)]
struct Rows {
    seeds: BTreeMap<Kind, u64>,
    counts: BTreeMap<(Kind, &'static str), Counts>,
}

impl Rows {
    fn read(&mut self, line: &str) -> Result<()> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [kind, dialect, numbers @ ..] = &cells[..] else { bail!("expected six columns") };
        let kind = Kind::ALL.into_iter().find(|known| known.as_str() == *kind).context("unknown kind")?;
        let dialect = dialect.parse::<Dialect>()?.as_str();
        let numbers: Vec<u64> = numbers.iter().map(|cell| cell.parse()).collect::<Result<_, _>>()?;
        let [seeds, questions, answers, divergences] = numbers[..] else { bail!("expected six columns") };
        ensure!(*self.seeds.entry(kind).or_insert(seeds) == seeds, "the rows of a kind have different seeds");
        let is_new =
            self.counts.insert((kind, dialect), Counts { questions, answers, divergences }).is_none();
        ensure!(is_new, "a second row of a kind and dialect");
        Ok(())
    }
}

impl Results {
    /// Reads the results in `path`, or begins new ones if there is no such file.
    ///
    /// # Errors
    /// If another process has opened the results, or the file cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let mut rows = Rows::default();
        let file = ResultsFile::open(path, HEADER, |line| rows.read(line))?;
        Ok(Results { file, rows })
    }

    /// The first unused seed of `kind`.
    pub fn next_seed(&self, kind: Kind) -> u64 {
        self.rows.seeds.get(&kind).copied().unwrap_or(0)
    }

    /// Adds the next unit of `kind`.
    pub fn add(&mut self, kind: Kind, unit: &Unit) {
        *self.rows.seeds.entry(kind).or_default() += 1;
        for dialect in Dialect::ALL {
            self.rows.counts.entry((kind, dialect.as_str())).or_default();
        }
        for (dialect, counts) in &unit.counts {
            *self.rows.counts.entry((kind, dialect.as_str())).or_default() += *counts;
        }
    }

    /// The sum of all counts.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.rows.counts.values().for_each(|counts| total += *counts);
        total
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
        for ((kind, dialect), counts) in &self.rows.counts {
            let Counts { questions, answers, divergences } = counts;
            let seeds = self.next_seed(*kind);
            writeln!(f, "{}\t{dialect}\t{seeds}\t{questions}\t{answers}\t{divergences}", kind.as_str())?;
        }
        Ok(())
    }
}
