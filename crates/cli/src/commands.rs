//! The sub-commands, one file each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod inspect;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod pace;
pub(crate) mod permissions;
pub(crate) mod plan;
#[cfg(feature = "playground")]
pub(crate) mod playground;
pub(crate) mod score;
pub(crate) mod shard;
pub(crate) mod sql;
pub(crate) mod verify_evidence;

use std::process::ExitCode;

use crate::args::Command;

/// Returns whether the exit code of a command says what it found, so that an abandoned run must not count as a success.
pub(crate) fn judges(command: &Command) -> bool {
    matches!(
        command,
        Command::Check(_)
            | Command::Explain(_)
            | Command::VerifyEvidence(_)
            | Command::Score(_)
            | Command::Compare(_)
            | Command::Diff(_)
            | Command::Lint(_)
    )
}

/// Runs `command`. The caller reports errors.
pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Check(arguments) => check::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Permissions(arguments) => permissions::run(arguments),
        Command::Filter(arguments) => filter::run(arguments),
        Command::VerifyEvidence(arguments) => verify_evidence::run(&arguments),
        Command::Compile(arguments) => compile::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Shard(arguments) => shard::run(&arguments),
        Command::Pace(arguments) => pace::run(&arguments),
        Command::Score(arguments) => score::run(arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        #[cfg(feature = "playground")]
        Command::Playground(arguments) => playground::run(&arguments),
        Command::Debug(arguments) => debug::run(&arguments),
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
