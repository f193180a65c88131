//! `bench`: robomata and its peers, measured over the benchmarks of `definitions/`.
//!
//! First every engine judges every URL, and its answers are held against the committed ones; only when they agree does
//! the clock start. `README.md` beside this package tells the method and its bias.

mod answers;
mod arguments;
mod compare;
mod corpus;
mod definition;
mod engines;
mod hostile;
mod machine;
mod models;
mod plot;
mod random;
mod rank;
mod report;
mod results;
mod run;
mod timing;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match run::run(arguments::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}
