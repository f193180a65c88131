//! Being asked to end.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Returns when somebody asks this process to end: by SIGINT, which Ctrl-C sends, or by SIGTERM.
pub(crate) async fn asked_to_end() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
