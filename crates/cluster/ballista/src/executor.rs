//! An executor: evaluates the tasks that the scheduler gives it, and keeps what they made for those of the next stage.

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
use crate::signals::asked_to_end;

/// How an executor is to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The scheduler's host.
    pub scheduler_host: String,
    /// The scheduler's port.
    pub scheduler_port: u16,
    /// For how long the scheduler is waited for.
    pub scheduler_wait: Duration,
    /// The address that it listens at.
    pub bind: IpAddr,
    /// The port at which others fetch what was made here; 0 takes one that is free.
    pub port: u16,
    /// The port at which the scheduler hands out tasks; 0 takes one that is free.
    pub control_port: u16,
    /// By what name the others reach it; none stands for the address from which it speaks to the scheduler.
    pub host: Option<String>,
    /// Where the results of tasks are kept for the next stage; none stands for a directory that is gone at the end.
    pub work_dir: Option<PathBuf>,
    /// How many tasks are evaluated at once; 0 stands for as many as there are processors.
    pub tasks: usize,
    /// How often it gives a sign of life.
    pub heartbeat: Duration,
    /// Bytes of memory that sorting, grouping and joining may take before they spill; none stands for Ballista's choice.
    /// Bundles do not count: they are mapped.
    pub memory: Option<u64>,
    /// Whether it has the functions: an executor without them shows what is said about such a one.
    pub functions: Functions,
}

/// Which functions an executor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Functions {
    /// DataFusion's and those of robomata.
    WithRobots,
    /// Those of DataFusion alone, as Ballista's own executor has them.
    Plain,
}

/// Runs an executor until somebody asks the process to end; tasks that run then are finished first. `ready` hears of the
/// address at which results are fetched.
///
/// # Errors
/// When it cannot listen, cannot write to its directory, or does not reach the scheduler; when it ends unasked.
pub async fn run(options: &Options, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let work = WorkDir::create(options.work_dir.as_ref())?;
    if let Waited::AskedToEnd = wait_for_scheduler(options).await? {
        return Ok(());
    }
    let [port, control_port] = free_ports(options.bind, [options.port, options.control_port])?;
    let config = config(options, &work, port, control_port);
    let mut asked = tokio::spawn(asked_to_end());
    ready(SocketAddr::new(options.bind, port));
    start_executor_process(Arc::new(config)).await.map_err(|error| failed(options, error))?;
    // Ballista takes services that fail for an end in good order.
    match tokio::time::timeout(PAUSE, &mut asked).await {
        Ok(_) => Ok(()),
        Err(_) => {
            let said =
                format!("its services ended unasked: is one of the ports {port} and {control_port} taken?");
            Err(DataFusionError::Configuration(said))
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
        // It has been waited for: Ballista's own waiting never ends.
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

/// How waiting ended.
enum Waited {
    SchedulerListens,
    AskedToEnd,
}

async fn wait_for_scheduler(options: &Options) -> Result<Waited> {
    let scheduler = (options.scheduler_host.as_str(), options.scheduler_port);
    let end = Instant::now() + options.scheduler_wait;
    // One for all attempts: a signal between two of them is heard, too.
    let mut asked = pin!(asked_to_end());
    loop {
        let attempt = tokio::time::timeout_at(end.into(), TcpStream::connect(scheduler));
        let connected = tokio::select! {
            connected = attempt => connected.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())),
            asked = &mut asked => return Ok(asked.map(|()| Waited::AskedToEnd)?),
        };
        let Err(error) = connected else { return Ok(Waited::SchedulerListens) };
        if Instant::now() + PAUSE >= end {
            let (host, port) = scheduler;
            let said = format!("no scheduler listens at {host}:{port}: {error}");
            return Err(DataFusionError::Configuration(said));
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            asked = &mut asked => return Ok(asked.map(|()| Waited::AskedToEnd)?),
        }
    }
}

/// Between two attempts to reach the scheduler.
const PAUSE: Duration = Duration::from_millis(200);

/// What plans may name. Ballista's default leaves out the functions over lists and structs, which clients do have.
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

/// Two ports that can be listened at. Ballista wants to know them beforehand.
fn free_ports(bind: IpAddr, ports: [u16; 2]) -> Result<[u16; 2]> {
    let listen = |port| {
        let address = SocketAddr::new(bind, port);
        TcpListener::bind(address).map_err(|error| {
            DataFusionError::Configuration(format!("{address}: cannot listen there: {error}"))
        })
    };
    // Held together, so that they are two.
    let (results, control) = (listen(ports[0])?, listen(ports[1])?);
    Ok([results.local_addr()?.port(), control.local_addr()?.port()])
}

/// Where results are kept.
enum WorkDir {
    Given(PathBuf),
    /// Gone when this is dropped.
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
