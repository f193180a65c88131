//! The scheduler: plans queries, divides them into stages and tasks, and assigns the tasks to executors.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::net::TcpListener;

use crate::codec::{RobotsLogicalCodec, RobotsPhysicalCodec};
use crate::signals::shutdown_signal;

/// The options of a scheduler.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen at; port 0 chooses a free one.
    pub address: SocketAddr,
    /// The name by which executors reach the scheduler.
    pub host: String,
    /// The time without a heartbeat after which an executor is considered lost, and its tasks go to others.
    pub executor_timeout: Duration,
}

/// Runs a scheduler until the process receives SIGINT or SIGTERM. Calls `ready` with the address as soon as it listens.
///
/// # Errors
/// If it cannot listen at the address.
pub async fn run(options: &Options, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let listener = TcpListener::bind(options.address).await.map_err(|error| {
        DataFusionError::Configuration(format!("cannot listen at {}: {error}", options.address))
    })?;
    let address = listener.local_addr()?;
    let config = config(options, address.port());
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
    let server = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config))
        .await
        .map_err(failed)?;
    ready(address);
    tokio::select! {
        served = start_grpc_service_with_listener(listener, server) => served.map_err(failed),
        signal = shutdown_signal() => Ok(signal?),
    }
}

fn config(options: &Options, port: u16) -> SchedulerConfig {
    let timeout = options.executor_timeout.as_secs().max(1);
    SchedulerConfig {
        bind_host: options.address.ip().to_string(),
        bind_port: port,
        external_host: options.host.clone(),
        executor_timeout_seconds: timeout,
        // Often enough that a lost executor is noticed soon after the timeout.
        expire_dead_executor_interval_seconds: (timeout / 4).clamp(1, 15),
        no_executors_grace_period_seconds: timeout,
        // By default one executor is filled before the next gets any task. The client sets the size of a task to one
        // partition.
        task_distribution: TaskDistributionPolicy::RoundRobin,
        override_session_builder: Some(Arc::new(session)),
        override_logical_codec: Some(Arc::new(RobotsLogicalCodec::default())),
        override_physical_codec: Some(Arc::new(RobotsPhysicalCodec::default())),
        ..SchedulerConfig::default()
    }
}

/// Creates Ballista's own session with the functions.
fn session(config: SessionConfig) -> Result<SessionState> {
    let mut state = default_session_builder(config)?;
    robomata_datafusion::register_state(&mut state)?;
    Ok(state)
}

fn failed(error: ballista_core::error::BallistaError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
