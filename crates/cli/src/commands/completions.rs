//! `robomata completions`: what a shell needs to complete the command line.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use robomata_formats::{Output, OutputError};
use robomata_jobs::JobError;

use crate::args::Arguments;

/// Print the completions of a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  $ robomata completions bash > ~/.local/share/bash-completion/completions/robomata
  $ robomata completions zsh > ~/.zfunc/_robomata
  $ robomata completions fish > ~/.config/fish/completions/robomata.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &CompletionsArguments) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "robomata", &mut text);
    let mut output = Output::stdout();
    output.write_all(&text).map_err(OutputError::from).map_err(JobError::from)?;
    output.commit().map_err(JobError::from)?;
    Ok(ExitCode::SUCCESS)
}
