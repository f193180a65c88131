//! `faults`: runs the command under faults of the system.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Parser;
use robomata_faults::{Experiment, Lab, experiments, run, sample};

/// Run the robomata command under faults of the system, and check what it leaves.
#[derive(Parser)]
struct Arguments {
    /// The command
    #[arg(long, value_name = "FILE", default_value = "target/debug/robomata")]
    robomata: PathBuf,
    /// The seed of the inputs, of the sample and of the times of kills
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kill so many runs that are resumed, and as many others, at random times
    #[arg(long, value_name = "N", default_value_t = 20)]
    kills: u64,
    /// Run about N experiments of each kind of fault, chosen by the seed [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Run only experiments whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run only part I of N: every Nth experiment, for a run of all in several sittings. I counts from 1
    #[arg(long, value_name = "I/N", value_parser = part, conflicts_with = "sample")]
    part: Option<(usize, usize)>,
    /// The folder for files of runs [default: that of the system]
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Run so many experiments at once [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

fn part(text: &str) -> Result<(usize, usize), String> {
    let (part, parts) = text.split_once('/').ok_or("expected I/N")?;
    match (part.parse(), parts.parse()) {
        (Ok(part), Ok(parts)) if 0 < part && part <= parts => Ok((part, parts)),
        _ => Err("expected two numbers, the first of 1 to the second".to_owned()),
    }
}

fn main() -> ExitCode {
    match run_all(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("faults: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether everything holds.
fn run_all(arguments: &Arguments) -> Result<bool> {
    let lab = Lab::new(&arguments.robomata, arguments.work.as_deref(), arguments.seed)?;
    let mut chosen = experiments(&lab, arguments.kills);
    if let Some(text) = &arguments.only {
        chosen.retain(|experiment: &Experiment| experiment.id().contains(text.as_str()));
    } else if let Some(most) = arguments.sample {
        chosen = sample(chosen, most, arguments.seed);
    }
    if let Some((part, parts)) = arguments.part {
        let mut number = 0;
        chosen.retain(|_| {
            number += 1;
            number % parts == part % parts
        });
    }
    ensure!(!chosen.is_empty(), "there is no such experiment");
    eprintln!("{} experiments", chosen.len());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let report = run(&lab, &chosen, arguments.jobs.unwrap_or(cores));
    print!("{}", report.table());
    println!("{}", report.summary());
    for (id, _) in &report.violations {
        println!("repeat: faults --seed {} --kills {} --only '{id}'", arguments.seed, arguments.kills);
    }
    Ok(report.violations.is_empty())
}
