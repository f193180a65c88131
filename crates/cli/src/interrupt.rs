//! Ctrl-C: an output file is complete or absent, and one line reports what happened.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::console::say;

/// The exit code of an interrupted command; shells use the same one for Ctrl-C.
pub(crate) const INTERRUPTED: i32 = 130;

/// Can the command be resumed?
static IS_RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Does the command run until it is interrupted?
static ENDS_WELL: AtomicBool = AtomicBool::new(false);

/// Makes a write beyond the limit of a file's size (`ulimit -f`) an error. Its signal would end the process without a message,
/// and leave its temporary files. Threads inherit this.
#[cfg(unix)]
fn block_size_limit_signal() {
    use nix::sys::signal::{SigSet, Signal};
    // Without it, the command ends as before.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
}

/// The signals that interrupt the command: SIGINT, SIGTERM and SIGHUP, but for those that the process ignores. None if that is not
/// known.
#[cfg(unix)]
fn signals() -> Option<nix::sys::signal::SigSet> {
    use nix::sys::signal::Signal;
    let signals = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];
    // Linux delivers an ignored signal that is waited for. Other systems discard it.
    if !cfg!(target_os = "linux") {
        return Some(signals.into_iter().collect());
    }
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(mask.trim(), 16).ok()?;
    // The lowest bit is signal 1.
    Some(signals.into_iter().filter(|&signal| (ignored >> (signal as u32 - 1)) & 1 == 0).collect())
}

/// Calls `interrupt` when a signal arrives. Signals are blocked and waited for, so that their dispositions stay those of the
/// process: a handler for all of them would be one for those that are ignored, too.
#[cfg(unix)]
fn on_signal(interrupt: fn()) {
    // The command also works without this: a killed process leaves a hidden file, which the next one removes.
    let Some(signals) = signals().filter(|signals| signals.thread_block().is_ok()) else { return };
    let wait = move || signals.wait().map_or((), |_| interrupt());
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

#[cfg(not(unix))]
fn on_signal(interrupt: fn()) {
    let _ = ctrlc::try_set_handler(interrupt);
}

/// Makes SIGINT, SIGTERM and SIGHUP remove temporary files and end the process at once. Those that the process ignores (`nohup`,
/// a background job of a script) stay ignored. Must be called before other threads are started.
pub(crate) fn install() {
    #[cfg(unix)]
    block_size_limit_signal();
    on_signal(|| {
        robomata_formats::abandon_outputs();
        if ENDS_WELL.load(Ordering::Relaxed) {
            std::process::exit(0);
        }
        say(match IS_RESUMABLE.load(Ordering::Relaxed) {
            false => "interrupted: no file was written",
            true => "interrupted: run the same command with --resume to continue from the last checkpoint",
        });
        std::process::exit(INTERRUPTED);
    });
}

/// Marks the command as resumable.
pub(crate) fn set_resumable() {
    IS_RESUMABLE.store(true, Ordering::Relaxed);
}

/// Marks the command as one that runs until it is interrupted.
#[cfg(feature = "playground")]
pub(crate) fn set_ends_well() {
    ENDS_WELL.store(true, Ordering::Relaxed);
}
