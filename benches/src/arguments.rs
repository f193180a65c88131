//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use robomata_engine::Dialect;

use crate::definition;

/// Measures robomata and its peers over the benchmarks of `definitions/`. The answers of every engine are verified
/// before it is timed. If one differs, the run fails with exit code 1.
#[derive(Debug, Parser)]
#[command(name = "bench", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Lists the benchmarks, their engines and their purpose
    List {
        /// Only benchmarks whose name contains this text
        #[arg(default_value = "")]
        filter: String,
    },
    /// Measures benchmarks, and prints a table for each
    Measure {
        #[command(flatten)]
        what: What,
        /// Number of rounds; each round times everything once
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// Seconds per engine; an engine that exceeds them skips the remaining rounds
        #[arg(long, value_name = "SECONDS", default_value_t = 20)]
        limit: u64,
        /// Write the results to this file
        #[arg(long, value_name = "FILE.csv")]
        save: Option<PathBuf>,
        /// FILTER is the name of one benchmark
        #[arg(long, hide = true)]
        exact: bool,
    },
    /// Runs each benchmark once over small corpora; this verifies everything, but the figures mean nothing
    Test {
        #[command(flatten)]
        what: What,
    },
    /// Rewrites definitions/answers.toml with the current answers of the engines; review the changes before you commit
    /// them
    Update {
        #[command(flatten)]
        what: What,
    },
    /// Ranks the engines of a result by the geometric mean of their time relative to the best engine of each comparison
    Rank {
        /// A result of `measure`
        file: PathBuf,
        /// Only benchmarks whose name contains this text
        #[arg(default_value = "")]
        filter: String,
    },
    /// Compares two results
    Cmp {
        /// The earlier one
        a: PathBuf,
        /// The later one
        b: PathBuf,
        /// Show changes larger than this percentage
        #[arg(long, default_value_t = 0.0)]
        threshold: f64,
    },
    /// Writes a result as Markdown tables and SVG plots
    Report {
        /// A result of `measure`
        file: PathBuf,
        /// The output directory
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// The child process of `memory`
    #[command(hide = true)]
    ChildMemory(Child),
    /// The child process of `hostile`
    #[command(hide = true)]
    ChildHostile {
        #[command(flatten)]
        child: Child,
        /// Number of rounds; each round times everything once
        #[arg(long)]
        rounds: usize,
    },
}

/// The selection of benchmarks and their input.
#[derive(Args, Debug)]
pub(crate) struct What {
    /// Only benchmarks whose name contains this text
    #[arg(default_value = "")]
    pub(crate) filter: String,
    /// Directory with robots.jsonl.zst, urls.tsv.zst and google_verdicts.tsv.zst; without it, benchmarks that need it
    /// are skipped
    #[arg(long, value_name = "DIR")]
    pub(crate) corpus: Option<PathBuf>,
    /// Directory with the definitions and the answers [default: those of this package]
    #[arg(long, value_name = "DIR", default_value_os_t = definition::directory(), hide_default_value = true)]
    pub(crate) definitions: PathBuf,
    /// Include engines in other languages (Protego needs python3)
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
