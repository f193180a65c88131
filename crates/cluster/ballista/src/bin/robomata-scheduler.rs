//! The scheduler of a cluster.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use robomata_ballista::{block_on, explained, log_to_stderr, scheduler};

/// The scheduler of a cluster: plans queries and assigns tasks to executors
///
/// The scheduler stores no data and keeps jobs in memory: when it ends, running queries are lost. When it is ready, it
/// prints the address at which it listens. It ends on Ctrl-C or SIGTERM. Set RUST_LOG=info for a more detailed log.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// The address to listen at; use 0.0.0.0 to accept connections from other machines. There is no authentication:
    /// expose it only on a trusted network
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind: Ipv4Addr,
    /// The port to listen at; 0 chooses a free one
    #[arg(long, default_value_t = 50050)]
    port: u16,
    /// The name by which executors reach this machine [default: the address of --bind; required with 0.0.0.0]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// The number of seconds without a heartbeat after which an executor is considered lost, and its tasks restart
    /// elsewhere. Use several times the executors' --heartbeat
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    executor_timeout: u64,
}

const EXAMPLES: &str = "\
Examples:
  robomata-scheduler
  robomata-scheduler --bind 0.0.0.0 --host scheduler.example.net --executor-timeout 30";

fn main() -> ExitCode {
    log_to_stderr("warn");
    let arguments = Arguments::parse();
    if arguments.bind.is_unspecified() && arguments.host.is_none() {
        eprintln!(
            "error: --bind {} requires --host: the name by which executors reach this machine",
            arguments.bind
        );
        return ExitCode::FAILURE;
    }
    let options = scheduler::Options {
        address: SocketAddr::new(arguments.bind.into(), arguments.port),
        host: arguments.host.unwrap_or_else(|| arguments.bind.to_string()),
        executor_timeout: Duration::from_secs(arguments.executor_timeout),
    };
    match block_on(scheduler::run(&options, |address| println!("listening at {address}"))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", explained(&error));
            ExitCode::FAILURE
        }
    }
}
