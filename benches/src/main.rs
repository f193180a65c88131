//! `peers`: robomata beside its peers, in one run over real files.
//!
//! First every engine judges every URL and the verdicts are compared; only when robomata's are what they must be does
//! the clock start. `README.md` beside this package tells the method and its bias.

mod contender;
mod corpus;
mod engines;
mod machine;
mod report;
mod sizes;
mod timing;
mod verify;

use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use contender::{Contender, Verdicts};
use corpus::{Agent, Corpus};
use engines::Row;
use sizes::Sizes;
use timing::Timed;
use verify::{Differences, Failures};

/// How many bodies `--test` takes.
const TEST_BODIES: usize = 200;

/// Compares robomata with its peers over real robots.txt files and URLs. Ends with 1 when robomata answers otherwise
/// than it must, with 2 when the corpus cannot be read.
#[derive(Debug, Parser)]
#[command(name = "peers", version)]
struct Arguments {
    /// Directory with robots.jsonl.zst, urls.tsv.zst and google_verdicts.tsv.zst
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// The crawler whose verdicts are compared
    #[arg(long, value_enum, default_value_t = Agent::Googlebot)]
    agent: Agent,
    /// How often everything is timed
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Everything once, over the first 200 bodies and their URLs: a check that the comparison works
    #[arg(long, conflicts_with = "rounds")]
    test: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let rounds = if arguments.test { 1 } else { arguments.rounds };
    eprintln!("reading {}", arguments.corpus.display());
    let corpus = match Corpus::load(&arguments.corpus, arguments.agent, arguments.test.then_some(TEST_BODIES))
    {
        Ok(corpus) => corpus,
        Err(error) => {
            eprintln!("peers: {error:#}");
            return ExitCode::from(2);
        }
    };
    match compare(&corpus, arguments.agent, rounds as usize) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Verifies, times and reports; fails when robomata's answers are not what they must be.
fn compare(corpus: &Corpus, agent: Agent, rounds: usize) -> Result<()> {
    println!("{}", report::head(corpus, agent, &machine::line()));
    let mut contenders = engines::all(corpus, agent);
    let rows: Vec<Row> = contenders.iter().map(|contender| contender.row()).collect();
    let verdicts = judge(&mut contenders, corpus);
    let failures = Failures::find(corpus, agent, &rows, &verdicts);
    let differences = verdicts.iter().map(|verdicts| Differences::of(verdicts, corpus));
    let differences: Vec<_> = rows.iter().copied().zip(differences).collect();
    println!("{}", report::verdicts(corpus, &differences, &failures));
    anyhow::ensure!(failures.is_none(), "robomata does not answer as it must; nothing is timed");

    let timed = Timed::new(corpus, agent, &verdicts);
    let times = timing::run(&mut contenders, &verdicts, &timed, rounds)?;
    println!("{}", report::times(corpus, &timed, &times, &rows, rounds));
    println!("{}", report::sizes(&Sizes::of(corpus, agent)));
    Ok(())
}

/// All verdicts of all engines. A panic is an engine's failure to answer, counted and not shown.
fn judge(contenders: &mut [Box<dyn Contender>], corpus: &Corpus) -> Vec<Verdicts> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let of = |contender: &mut Box<dyn Contender>| {
        eprintln!("judging: {}", contender.row().name);
        contender.verdicts(corpus)
    };
    let verdicts = contenders.iter_mut().map(of).collect();
    panic::set_hook(hook);
    verdicts
}
