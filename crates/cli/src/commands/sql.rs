//! `robomata sql`: runs the program `robomata-sql`, which is built and installed separately.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use clap::Args;

/// The name of the program.
const PROGRAM: &str = "robomata-sql";

/// Run SQL queries over Parquet files, with robots_allowed and other functions.
///
/// Runs the program robomata-sql. It is installed separately, from crates/cluster, because its query engine takes
/// minutes to build. robomata finds it in the PATH or in its own folder. If it is installed, `robomata sql --help`
/// prints its help.
#[derive(Args, Debug)]
#[command(
    disable_help_flag = true,
    after_help = "\
Exit codes:
  those of robomata-sql; 2 if it is not installed

Example:
  $ cargo install --locked --path crates/cluster/ballista
  $ robomata sql --table urls=urls.parquet \\
      \"SELECT url FROM urls WHERE robots_allowed('policies.bundle', 'ExampleBot', url)\""
)]
pub(crate) struct SqlArguments {
    /// The arguments of robomata-sql
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &SqlArguments) -> anyhow::Result<ExitCode> {
    let Some(program) = program() else {
        let command = "cargo install --locked --path crates/cluster/ballista";
        bail!("{PROGRAM} is not installed: it is not in the PATH or in the folder of robomata ({command})");
    };
    execute(Command::new(program).args(&arguments.arguments)).context(PROGRAM)
}

/// Finds the program in the PATH or in the folder of this program.
pub(crate) fn program() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own_folder = std::env::current_exe().ok().and_then(|program| program.parent().map(PathBuf::from));
    let mut folders = std::env::split_paths(&path).chain(own_folder);
    folders.find_map(|folder| Some(folder.join(&name)).filter(|program| program.is_file()))
}

/// Replaces this process by the program, so that signals and exit codes are those of the program.
#[cfg(unix)]
fn execute(program: &mut Command) -> io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(program))
}

/// Runs the program as a child, on systems where a process cannot be replaced.
#[cfg(not(unix))]
fn execute(program: &mut Command) -> io::Result<ExitCode> {
    let code = program.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
