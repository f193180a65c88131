//! An executor of a cluster.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use robomata_ballista::executor::{self, Functions};
use robomata_ballista::{block_on, explained, log_to_stderr};

/// An executor of a cluster: evaluates the tasks that a scheduler hands out
///
/// Bundles and Parquet files are opened where the query names them: every executor must find them at the same path. Prints
/// the address at which others fetch its results. On Ctrl-C or SIGTERM it takes no more tasks, finishes those that run, and
/// ends. RUST_LOG=info tells more.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Where the scheduler listens
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050", value_parser = address)]
    scheduler: (String, u16),
    /// For how many seconds the scheduler is waited for
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    wait: u64,
    /// The address to listen at; 0.0.0.0 is reached from other machines. Nobody is asked for a password: keep it to a network
    /// that you trust
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: Ipv4Addr,
    /// The port at which others fetch results; 0 takes one that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The port at which the scheduler hands out tasks; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    control_port: u16,
    /// The name by which the others reach this machine; where none is given, the address of --bind, and of 0.0.0.0 the one from
    /// which it speaks to the scheduler
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Where results are kept for the next stage of a query; a directory of its own, gone at the end, where none is given
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
    /// How many tasks are evaluated at once; 0 stands for as many as there are processors
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    tasks: usize,
    /// A sign of life every so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    heartbeat: u64,
    /// Bytes of memory that sorting, grouping and joining may take before they spill; bundles do not count
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Leave out the functions of robomata, as Ballista's own executor does: shows what a query says then
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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", explained(&error));
            ExitCode::FAILURE
        }
    }
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
    let expected = || "expected HOST:PORT, the host by its name or its IPv4 address".to_owned();
    let (host, port) = text.rsplit_once(':').filter(|(host, _)| !host.contains(':')).ok_or_else(expected)?;
    Ok((host.to_owned(), port.parse().map_err(|_| expected())?))
}
