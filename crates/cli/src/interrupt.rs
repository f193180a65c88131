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

/// Installs a handler: SIGINT, SIGTERM and SIGHUP remove temporary files and end the process at once.
///
/// If the process ignores one of these signals (`nohup`, a shell's background job), all keep their disposition. At
/// worst, a killed process leaves a hidden file, which the next one removes.
pub(crate) fn install() {
    #[cfg(unix)]
    block_size_limit_signal();
    let installed = ctrlc::try_set_handler(|| {
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
    // The command also works without the handler.
    drop(installed);
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
