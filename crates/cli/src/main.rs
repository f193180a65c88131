//! The `robomata` command: parses arguments, runs jobs, prints results.

mod args;
mod commands;
mod console;
mod fetch;
mod frontier;
mod interrupt;
mod output;
mod style;

use std::process::ExitCode;

fn main() -> ExitCode {
    let command = args::Arguments::of_command_line().command;
    interrupt::install();
    robomata_formats::silence_caught_panics();
    let judges = commands::judges(&command);
    commands::run(command).unwrap_or_else(|error| console::exit_code_of(&error, judges))
}
