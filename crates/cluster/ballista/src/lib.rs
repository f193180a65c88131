//! Evaluates robots.txt policies on a cluster: [Ballista](ballista) with the functions of [`robomata_datafusion`].
//!
//! A cluster consists of three programs: `robomata-scheduler`, `robomata-executor` on each machine, and the client
//! `robomata-sql`. They are Ballista's own processes. This crate registers the functions with each of them:
//!
//! | process | what it needs the functions for | where they are registered |
//! |---|---|---|
//! | client ([`client`]) | to plan | on the context that `remote_with_state` returns |
//! | scheduler ([`scheduler`]) | to plan again, and to divide the plan into stages | `override_session_builder` |
//! | executor ([`executor`]) | to evaluate | `override_function_registry` |
//!
//! Plans contain the names of functions, so a process without the functions cannot read the plan; [`explained`]
//! explains this error. The tables of a bundle, such as `robots_sites`, have their own codec ([`codec`]).

pub mod client;
pub mod codec;
pub mod executor;
pub mod output;
pub mod scheduler;

mod problem;
mod signals;

pub use problem::explained;

/// Prints log lines on standard error: those of at least `level`, unless `RUST_LOG` sets another filter.
pub fn log_to_stderr(level: &str) {
    let filter = env_logger::Env::default().default_filter_or(level);
    env_logger::Builder::from_env(filter).init();
}

/// The stack size in bytes: DataFusion traverses plans by recursion.
const STACK: usize = 16 << 20;

/// Runs `work` to completion, on threads whose stacks are large enough for deep plans.
///
/// # Errors
/// If a thread cannot be started, and those of `work`.
pub fn block_on<T>(work: impl Future<Output = datafusion::error::Result<T>>) -> datafusion::error::Result<T> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build()?;
    runtime.block_on(work)
}
