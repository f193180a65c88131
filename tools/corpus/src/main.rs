//! `corpus`: generates and describes collections.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum};
use robomata_corpus::describe::Collection;
use robomata_corpus::write::Written;
use robomata_corpus::{Order, Spec, table, write};
use robomata_formats::Output;
use robomata_formats::Resource;
use robomata_formats::capture::captures;

/// Generate robots.txt collections and URL frontiers from a seed, and describe collections.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Generate a collection, and a frontier of URLs on its sites. The same arguments give the same files.
    Generate(Generate),
    /// Print sizes, rules, wildcards and sharing of collections, one column each.
    Describe {
        /// Captures as JSON lines (may be compressed), or a directory with one file per host.
        #[arg(required = true)]
        collections: Vec<PathBuf>,
    },
}

#[derive(Args)]
struct Generate {
    /// Seed from which everything is derived.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of sites, each with a robots.txt.
    #[arg(long, default_value_t = 10_000)]
    sites: u64,
    /// Number of different robots.txt files among them [default: 44 per 100 sites]
    #[arg(long)]
    policies: Option<u64>,
    /// Number of URLs.
    #[arg(long, default_value_t = 100_000)]
    urls: u64,
    /// Write the captures to this file as JSON lines; `.gz` and `.zst` are compressed.
    #[arg(long, value_name = "FILE")]
    robots: Option<PathBuf>,
    /// Write the URLs to this file, one per line; `.gz` and `.zst` are compressed.
    #[arg(long, value_name = "FILE")]
    frontier: Option<PathBuf>,
    /// Order of the frontier's sites.
    #[arg(long, value_enum, default_value_t = OrderName::Shuffled)]
    order: OrderName,
}

#[derive(Clone, Copy, ValueEnum)]
enum OrderName {
    /// Site by site.
    Grouped,
    /// Random order.
    Shuffled,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().what {
        What::Generate(generate) => generate.run(),
        What::Describe { collections } => describe(&collections),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("corpus: {error:#}");
            ExitCode::from(2)
        }
    }
}

impl Generate {
    fn run(&self) -> Result<()> {
        let mut spec = Spec::new(self.seed).with_sites(self.sites).with_urls(self.urls);
        if let Some(policies) = self.policies {
            spec = spec.with_distinct_policies(policies);
        }
        if self.robots.is_none() && self.frontier.is_none() {
            bail!("nothing to write: give --robots, --frontier or both");
        }
        if let Some(path) = &self.robots {
            timed(path, || write::robots(&spec, path))?;
        }
        if let Some(path) = &self.frontier {
            let order = match self.order {
                OrderName::Grouped => Order::Grouped,
                OrderName::Shuffled => Order::Shuffled,
            };
            timed(path, || write::frontier(&spec, order, path))?;
        }
        Ok(())
    }
}

fn timed(path: &Path, write: impl FnOnce() -> Result<Written>) -> Result<()> {
    let start = Instant::now();
    let Written { lines, bytes } = write()?;
    let seconds = start.elapsed().as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    eprintln!("{}: {lines} lines, {megabytes:.1} MB in {seconds:.1} s", path.display());
    Ok(())
}

fn describe(paths: &[PathBuf]) -> Result<()> {
    let mut collections = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        collections.push((name, read(path)?));
    }
    let mut output = Output::stdout();
    output.write_all(table::table(&collections).as_bytes())?;
    Ok(output.commit()?)
}

fn read(path: &Path) -> Result<Collection> {
    const BATCH: usize = 4096;
    let mut collection = Collection::default();
    let mut bodies = Vec::new();
    for capture in captures(path) {
        let capture = capture?;
        if capture.resource != Resource::RobotsTxt {
            continue;
        }
        bodies.push(capture.body.to_vec());
        if bodies.len() == BATCH {
            collection.add(&bodies);
            bodies.clear();
        }
    }
    collection.add(&bodies);
    Ok(collection)
}
