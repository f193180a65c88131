//! Signals that end a process.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Returns when this process receives SIGINT (Ctrl-C) or SIGTERM.
pub(crate) async fn shutdown_signal() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
