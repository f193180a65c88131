//! What robots.txt says about URLs, on a cluster: [Ballista](ballista) with the functions of [`robomata_datafusion`].
//!
//! Three programs make a cluster, `robomata-scheduler`, `robomata-executor` on each machine, and `robomata-sql`, which asks.
//! They are Ballista's own processes; this crate hands each the functions, at the place where that process looks for them:
//!
//! | process | what it needs the functions for | where they are registered |
//! |---|---|---|
//! | client ([`client`]) | to plan | on the context that `remote_with_state` returned; the state that was given is replaced |
//! | scheduler ([`scheduler`]) | to plan again, and to divide the plan into stages | `override_session_builder` |
//! | executor ([`executor`]) | to evaluate | `override_function_registry` |
//!
//! Functions travel by name, so that a process without them cannot read the plan: [`explained`] says so in words. The table
//! function `robots_sites` travels by a codec of its own ([`codec`]).

pub mod client;
pub mod codec;
pub mod executor;
pub mod output;
pub mod scheduler;

mod problem;
mod signals;

pub use problem::explained;

/// Prints log lines on standard error: those from `level` on, or what `RUST_LOG` says.
pub fn log_to_stderr(level: &str) {
    let wanted = env_logger::Env::default().default_filter_or(level);
    env_logger::Builder::from_env(wanted).init();
}

/// Deep plans are walked by recursion.
const STACK: usize = 16 << 20;

/// Runs to the end what a program does, on threads whose stacks are large enough for deep plans.
///
/// # Errors
/// When no thread can be started, and those of `work`.
pub fn block_on<T>(work: impl Future<Output = datafusion::error::Result<T>>) -> datafusion::error::Result<T> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build()?;
    runtime.block_on(work)
}
