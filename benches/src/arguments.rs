//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use robomata::Dialect;

use crate::definition;

/// Measures robomata and its peers over the benchmarks of `definitions/`. Every engine's answers are verified before it
/// is timed; one that differs ends the run with exit code 1.
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Names the benchmarks, their engines and what they show
    List {
        /// Those whose name holds this text
        #[arg(default_value = "")]
        filter: String,
    },
    /// Measures benchmarks, and prints a table of each
    Measure {
        #[command(flatten)]
        what: What,
        /// How often everything is timed
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// An engine that has taken so many seconds sits out the rounds that are left
        #[arg(long, value_name = "SECONDS", default_value_t = 20)]
        limit: u64,
        /// Writes the results
        #[arg(long, value_name = "FILE.csv")]
        save: Option<PathBuf>,
    },
    /// Runs each benchmark once, over small corpora: everything is verified, no figure means anything
    Test {
        #[command(flatten)]
        what: What,
    },
    /// Rewrites definitions/answers.toml by what engines answer now; whoever commits it vouches for it
    Update {
        #[command(flatten)]
        what: What,
    },
    /// Ranks the engines of a result: the geometric mean of how many times the best of each comparison they take
    Rank {
        /// A result of `measure`
        file: PathBuf,
        /// Those benchmarks whose name holds this text
        #[arg(default_value = "")]
        filter: String,
    },
    /// Compares two results
    Cmp {
        /// The earlier one
        a: PathBuf,
        /// The later one
        b: PathBuf,
        /// Shows those that differ by more than this, in percent
        #[arg(long, default_value_t = 0.0)]
        threshold: f64,
    },
    /// Writes a result as Markdown tables and SVG plots
    Report {
        /// A result of `measure`
        file: PathBuf,
        /// Where they go
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// What another process does for `memory`
    #[command(hide = true)]
    ChildMemory(Child),
    /// What another process does for `hostile`
    #[command(hide = true)]
    ChildHostile {
        #[command(flatten)]
        child: Child,
        /// How often everything is timed
        #[arg(long)]
        rounds: usize,
    },
}

/// Which benchmarks, with what.
#[derive(Args, Debug)]
pub(crate) struct What {
    /// Those whose name holds this text
    #[arg(default_value = "")]
    pub(crate) filter: String,
    /// Directory with robots.jsonl.zst, urls.tsv.zst and google_verdicts.tsv.zst; what needs it is skipped without
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
    /// Directory with the definitions and the answers [default: those of this package]
    #[arg(long, value_name = "DIR", default_value_os_t = definition::directory(), hide_default_value = true)]
    pub(crate) definitions: PathBuf,
    /// Engines in other languages take part (Protego needs python3)
    #[arg(long)]
    pub(crate) runners: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Child {
    #[arg(long)]
    pub(crate) engine: String,
    #[arg(long)]
    pub(crate) from: String,
    #[arg(long)]
    pub(crate) agent: String,
    #[arg(long)]
    pub(crate) dialect: Dialect,
}
