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
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use robomata_engine::Dialect;
use robomata_formats::{Output, lock_in_place};

use super::Unit;

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

/// The counts of all runs, and the lock of their file.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    seeds: BTreeMap<Kind, u64>,
    counts: BTreeMap<(Kind, &'static str), Counts>,
    /// Held while the results are open. The file itself is replaced at each write, so another one is locked.
    _lock: File,
}

impl Results {
    /// Reads the results in `path`, or begins new ones if there is no such file.
    ///
    /// # Errors
    /// If another process has opened the results, or the file cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        let locked = || {
            OpenOptions::new().create(true).append(true).open(&lock)?;
            lock_in_place(&lock)
        };
        let Some(file) = locked().with_context(|| format!("{}: cannot be locked", lock.display()))? else {
            bail!("{}: in use by another run (wait for it, or give another file)", path.display());
        };
        let mut results =
            Results { path: path.to_owned(), seeds: BTreeMap::new(), counts: BTreeMap::new(), _lock: file };
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
            self.read_row(line).with_context(|| format!("line {number}"))?;
        }
        Ok(())
    }

    fn read_row(&mut self, line: &str) -> Result<()> {
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

    /// The first unused seed of `kind`.
    pub fn next_seed(&self, kind: Kind) -> u64 {
        self.seeds.get(&kind).copied().unwrap_or(0)
    }

    /// Adds the next unit of `kind`.
    pub fn add(&mut self, kind: Kind, unit: &Unit) {
        *self.seeds.entry(kind).or_default() += 1;
        for dialect in Dialect::ALL {
            self.counts.entry((kind, dialect.as_str())).or_default();
        }
        for (dialect, counts) in &unit.counts {
            *self.counts.entry((kind, dialect.as_str())).or_default() += *counts;
        }
    }

    /// The sum of all counts.
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.counts.values().for_each(|counts| total += *counts);
        total
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
        for ((kind, dialect), counts) in &self.counts {
            let Counts { questions, answers, divergences } = counts;
            let seeds = self.next_seed(*kind);
            writeln!(f, "{}\t{dialect}\t{seeds}\t{questions}\t{answers}\t{divergences}", kind.as_str())?;
        }
        Ok(())
    }
}
