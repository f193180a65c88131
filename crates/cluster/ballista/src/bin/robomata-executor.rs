//! An executor of a cluster.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use robomata_ballista::executor::{self, Ended, Functions};
use robomata_ballista::{block_on, explained, log_to_stderr};

/// An executor of a cluster: evaluates the tasks that a scheduler assigns
///
/// The executor opens bundles and Parquet files at the paths in the query, so every executor must have them at the same
/// paths. It prints the address at which other processes fetch its results. On Ctrl-C or SIGTERM it accepts no more
/// tasks, finishes the running ones, and ends. If the scheduler gives it up, because it was slow or paused, it starts
/// again. Set RUST_LOG=info for a more detailed log.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// The address of the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050", value_parser = address)]
    scheduler: (String, u16),
    /// The maximum number of seconds to wait for the scheduler
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    wait: u64,
    /// The address to listen at; use 0.0.0.0 to accept connections from other machines. There is no authentication:
    /// expose it only on a trusted network
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: Ipv4Addr,
    /// The port at which other processes fetch results; 0 chooses a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The port at which the scheduler assigns tasks; 0 chooses a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    control_port: u16,
    /// The name by which other processes reach this machine [default: the address of --bind; with 0.0.0.0, the address
    /// of the connection to the scheduler]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// The folder for results that the next stage of a query needs [default: a temporary folder, removed at the end]
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// The number of tasks that are evaluated at the same time; 0 means the number of processors
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    tasks: usize,
    /// The number of seconds between heartbeats
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,
    /// The number of bytes of memory that sorting, grouping and joining may use before they spill; bundles do not count
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Omit the functions of robomata, like Ballista's own executor: for tests of the error message
    #[arg(long, hide = true)]
    without_functions: bool,
}

const EXAMPLES: &str = "\
Examples:
  robomata-executor
  robomata-executor --scheduler scheduler.example.net:50050 --bind 0.0.0.0 --host worker-7.example.net --work-dir /scratch";

fn main() -> ExitCode {
    log_to_stderr("warn");
    let arguments = Arguments::parse();
    let options = options(arguments);
    match block_on(executor::run(&options, |address| println!("results at {address}"))) {
        Ok(Ended::BySignal) => ExitCode::SUCCESS,
        Ok(Ended::ByScheduler) => {
            eprintln!(
                "warning: the scheduler had no heartbeat of this executor for too long, and gave it up: starting again"
            );
            let error = start_again();
            eprintln!("error: the executor cannot start again: {error}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {}", explained(&error));
            ExitCode::FAILURE
        }
    }
}

/// Replaces this process by a new one with the same arguments. Returns only if that is impossible.
#[cfg(unix)]
fn start_again() -> std::io::Error {
    use std::os::unix::process::CommandExt;
    match std::env::current_exe() {
        Ok(program) => std::process::Command::new(program).args(std::env::args_os().skip(1)).exec(),
        Err(error) => error,
    }
}

#[cfg(not(unix))]
fn start_again() -> std::io::Error {
    std::io::ErrorKind::Unsupported.into()
}

fn options(arguments: Arguments) -> executor::Options {
    let (scheduler_host, scheduler_port) = arguments.scheduler;
    executor::Options {
        scheduler_host,
        scheduler_port,
        scheduler_wait: Duration::from_secs(arguments.wait),
        bind: arguments.bind.into(),
        port: arguments.port,
        control_port: arguments.control_port,
        host: arguments
            .host
            .or_else(|| (!arguments.bind.is_unspecified()).then(|| arguments.bind.to_string())),
        work_dir: arguments.work_dir,
        tasks: arguments.tasks,
        heartbeat: Duration::from_secs(arguments.heartbeat),
        memory: arguments.memory,
        functions: if arguments.without_functions { Functions::Plain } else { Functions::WithRobots },
    }
}

fn address(text: &str) -> Result<(String, u16), String> {
    let expected = || "expected HOST:PORT, where HOST is a name or an IPv4 address".to_owned();
    let (host, port) = text.rsplit_once(':').filter(|(host, _)| !host.contains(':')).ok_or_else(expected)?;
    Ok((host.to_owned(), port.parse().map_err(|_| expected())?))
}
