//! `bench`: robomata and its peers, measured over the benchmarks of `definitions/`.
//!
//! First every engine checks every URL, and its answers are compared with the committed ones. The clock starts only if
//! they agree. The package's `README.md` describes the method and its bias.

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
