//! Ctrl-C: outputs are whole or absent, and one line says what has happened.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::console::say;

/// The exit code of a command that was told to end, as shells have it for Ctrl-C.
pub(crate) const INTERRUPTED: i32 = 130;

/// Can the command be gone on with?
static IS_RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Has SIGINT, SIGTERM and SIGHUP end the process at once, its temporary files removed.
///
/// Where somebody has the process ignore one of them (`nohup`, a shell's background job) all stay as they are: a killed
/// process leaves a hidden file at worst, which the next one removes.
pub(crate) fn install() {
    let installed = ctrlc::try_set_handler(|| {
        robomata_formats::abandon_outputs();
        say(match IS_RESUMABLE.load(Ordering::Relaxed) {
            false => "interrupted: no file was written",
            true => "interrupted: the same command with --resume goes on from the last checkpoint",
        });
        std::process::exit(INTERRUPTED);
    });
    // A command that cannot be interrupted so works all the same.
    drop(installed);
}

/// The command can be gone on with.
pub(crate) fn set_resumable() {
    IS_RESUMABLE.store(true, Ordering::Relaxed);
}
