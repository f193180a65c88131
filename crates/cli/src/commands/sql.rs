//! `robomata sql`: the program `robomata-sql`, which is built and installed apart.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use clap::Args;

/// The program that answers.
const PROGRAM: &str = "robomata-sql";

/// Ask SQL queries over Parquet files, with robots_allowed and others as functions.
///
/// This is the program robomata-sql, whose query engine takes minutes to build: it is installed apart, from
/// crates/cluster, and found where commands are. `robomata sql --help` is its own help, where it is.
#[derive(Args, Debug)]
#[command(
    disable_help_flag = true,
    after_help = "\
Exit codes:
  those of robomata-sql; 2 when it is not installed

Example:
  $ cargo install --locked --path crates/cluster/ballista
  $ robomata sql --table urls=urls.parquet \\
      \"SELECT url FROM urls WHERE robots_allowed('policies.bundle', 'ExampleBot', url)\""
)]
pub(crate) struct SqlArguments {
    /// What robomata-sql takes
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &SqlArguments) -> anyhow::Result<ExitCode> {
    let Some(program) = program() else {
        let command = "cargo install --locked --path crates/cluster/ballista";
        bail!("{PROGRAM} is not installed: expected it in the PATH or in the folder of robomata ({command})");
    };
    become_it(Command::new(program).args(&arguments.arguments)).context(PROGRAM)
}

/// Where the program is: in the PATH, or in the folder of this one.
pub(crate) fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(PathBuf::from));
    let mut folders = std::env::split_paths(&path).chain(beside);
    folders.find_map(|folder| Some(folder.join(&name)).filter(|program| program.is_file()))
}

/// Goes on as the program, so that signals and exit codes are its own.
#[cfg(unix)]
fn become_it(program: &mut Command) -> io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(program))
}

/// Runs the program where one cannot become another.
#[cfg(not(unix))]
fn become_it(program: &mut Command) -> io::Result<ExitCode> {
    let code = program.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
