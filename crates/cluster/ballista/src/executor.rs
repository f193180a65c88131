//! An executor: evaluates the tasks that the scheduler assigns, and keeps their results for the next stage.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_core::error::BallistaError;
use ballista_core::extension::ballista_scalar_functions;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::error::{DataFusionError, Result};
use tempfile::TempDir;
use tokio::net::TcpStream;

use crate::codec::RobotsPhysicalCodec;
use crate::signals::shutdown_signal;

/// The options of an executor.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scheduler's host.
    pub scheduler_host: String,
    /// The scheduler's port.
    pub scheduler_port: u16,
    /// The maximum time to wait for the scheduler.
    pub scheduler_wait: Duration,
    /// The address to listen at.
    pub bind: IpAddr,
    /// The port at which other processes fetch results; 0 chooses a free one.
    pub port: u16,
    /// The port at which the scheduler assigns tasks; 0 chooses a free one.
    pub control_port: u16,
    /// The name by which other processes reach the executor; by default its address in the connection to the scheduler.
    pub host: Option<String>,
    /// The directory for the results of tasks; by default a temporary directory that is removed at the end.
    pub work_dir: Option<PathBuf>,
    /// The number of tasks that are evaluated at the same time; 0 means the number of processors.
    pub tasks: usize,
    /// The interval between heartbeats.
    pub heartbeat: Duration,
    /// The number of bytes of memory that sorting, grouping and joining may use before they spill; by default
    /// Ballista's limit. Bundles do not count.
    pub memory: Option<u64>,
    /// The functions of the executor. Tests use an executor without robomata's functions.
    pub functions: Functions,
}

/// The functions of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// The functions of DataFusion and of robomata.
    WithRobots,
    /// Only the functions of DataFusion, as in Ballista's own executor.
    Plain,
}

/// Why an executor ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The process received SIGINT or SIGTERM.
    BySignal,
    /// The scheduler ended it, because it had no heartbeat for too long: the executor, the scheduler or the network was
    /// slow. In this process no other executor can start, but in a new one.
    ByScheduler,
}

/// Runs an executor until the process receives SIGINT or SIGTERM, or the scheduler considers it lost. It finishes
/// running tasks before it ends. Calls `ready` with the address at which results are fetched.
///
/// # Errors
/// If it cannot listen, cannot write to its directory, or cannot reach the scheduler.
pub async fn run(options: &Options, ready: impl FnOnce(SocketAddr)) -> Result<Ended> {
    let work = WorkDir::create(options.work_dir.as_ref())?;
    if let Waited::Interrupted = wait_for_scheduler(options).await? {
        return Ok(Ended::BySignal);
    }
    let [port, control_port] = free_ports(options.bind, [options.port, options.control_port])?;
    let config = config(options, &work, port, control_port);
    let mut signal = tokio::spawn(shutdown_signal());
    ready(SocketAddr::new(options.bind, port));
    let started = Instant::now();
    start_executor_process(Arc::new(config)).await.map_err(|error| failed(options, error))?;
    // Ballista does not distinguish services that fail from an orderly end.
    match tokio::time::timeout(PAUSE, &mut signal).await {
        Ok(_) => Ok(Ended::BySignal),
        Err(_) if started.elapsed() >= FAILING => Ok(Ended::ByScheduler),
        Err(_) => {
            let message = format!(
                "the executor's services ended unexpectedly: is one of the ports {port} and {control_port} in use?"
            );
            Err(DataFusionError::Configuration(message))
        }
    }
}

fn config(options: &Options, work: &WorkDir, port: u16, grpc_port: u16) -> ExecutorProcessConfig {
    ExecutorProcessConfig {
        bind_host: options.bind.to_string(),
        external_host: options.host.clone(),
        port,
        grpc_port,
        scheduler_host: options.scheduler_host.clone(),
        scheduler_port: options.scheduler_port,
        // `wait_for_scheduler` has already waited; Ballista would wait forever.
        scheduler_connect_timeout_seconds: 0,
        vcores: options.tasks,
        work_dir: Some(work.path()),
        executor_heartbeat_interval_seconds: options.heartbeat.as_secs().max(1),
        memory_pool_size: options.memory,
        override_function_registry: Some(Arc::new(registry(options.functions))),
        override_physical_codec: Some(Arc::new(RobotsPhysicalCodec::default())),
        ..ExecutorProcessConfig::default()
    }
}

/// The result of waiting for the scheduler.
enum Waited {
    SchedulerListens,
    Interrupted,
}

async fn wait_for_scheduler(options: &Options) -> Result<Waited> {
    let scheduler = (options.scheduler_host.as_str(), options.scheduler_port);
    let end = Instant::now() + options.scheduler_wait;
    // One future for all attempts, so that a signal between two attempts is not lost.
    let mut signal = pin!(shutdown_signal());
    loop {
        let attempt = tokio::time::timeout_at(end.into(), TcpStream::connect(scheduler));
        let connected = tokio::select! {
            connected = attempt => connected.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())),
            signal = &mut signal => return Ok(signal.map(|()| Waited::Interrupted)?),
        };
        let Err(error) = connected else { return Ok(Waited::SchedulerListens) };
        if Instant::now() + PAUSE >= end {
            let (host, port) = scheduler;
            let message = format!("no scheduler listens at {host}:{port}: {error}");
            return Err(DataFusionError::Configuration(message));
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            signal = &mut signal => return Ok(signal.map(|()| Waited::Interrupted)?),
        }
    }
}

/// Services that end within this time could not start. A scheduler waits for at least one heartbeat, a second.
const FAILING: Duration = Duration::from_secs(1);

/// The pause between two attempts to reach the scheduler.
const PAUSE: Duration = Duration::from_millis(200);

/// The functions that plans may name. Ballista's default registry lacks the functions for lists and structs, which
/// clients have.
fn registry(functions: Functions) -> BallistaFunctionRegistry {
    let mut registry = BallistaFunctionRegistry::default();
    let robots = match functions {
        Functions::WithRobots => robomata_datafusion::scalar_functions(),
        Functions::Plain => vec![],
    };
    for function in ballista_scalar_functions().into_iter().chain(robots) {
        registry.scalar_functions.insert(function.name().to_owned(), function);
    }
    registry
}

/// Returns two free ports. Ballista requires the port numbers in advance.
fn free_ports(bind: IpAddr, ports: [u16; 2]) -> Result<[u16; 2]> {
    let listen = |port| {
        let address = SocketAddr::new(bind, port);
        TcpListener::bind(address)
            .map_err(|error| DataFusionError::Configuration(format!("cannot listen at {address}: {error}")))
    };
    // Both are open at the same time, so they differ.
    let (results, control) = (listen(ports[0])?, listen(ports[1])?);
    Ok([results.local_addr()?.port(), control.local_addr()?.port()])
}

/// The directory for results.
enum WorkDir {
    Given(PathBuf),
    /// Removed when this is dropped.
    Scratch(TempDir),
}

impl WorkDir {
    fn create(given: Option<&PathBuf>) -> Result<Self> {
        let Some(given) = given else {
            return Ok(WorkDir::Scratch(TempDir::with_prefix("robomata-executor-")?));
        };
        std::fs::create_dir_all(given)
            .map_err(|error| DataFusionError::Configuration(format!("{}: {error}", given.display())))?;
        Ok(WorkDir::Given(given.clone()))
    }

    fn path(&self) -> String {
        let path = match self {
            WorkDir::Given(path) => path,
            WorkDir::Scratch(directory) => directory.path(),
        };
        path.display().to_string()
    }
}

fn failed(options: &Options, error: BallistaError) -> DataFusionError {
    let scheduler = format!("{}:{}", options.scheduler_host, options.scheduler_port);
    DataFusionError::Context(
        format!("executor for the scheduler at {scheduler}"),
        Box::new(DataFusionError::External(error.into())),
    )
}
