//! `robomata completions`: generates shell completions.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use robomata_formats::Output;

use crate::args::Arguments;
use crate::output::write_text;

/// Generate completions for a shell.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata completions bash > ~/.local/share/bash-completion/completions/robomata
  $ robomata completions zsh > ~/.zfunc/_robomata",
    after_help = "\
Examples:
  $ robomata completions bash > ~/.local/share/bash-completion/completions/robomata
  $ robomata completions zsh > ~/.zfunc/_robomata
  $ robomata completions fish > ~/.config/fish/completions/robomata.fish"
)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &CompletionsArguments) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "robomata", &mut text);
    write_text(Output::stdout(), &text)?;
    Ok(ExitCode::SUCCESS)
}
