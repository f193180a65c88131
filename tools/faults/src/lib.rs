//! Runs the real `robomata` command under faults of the system, and checks what it leaves.
//!
//! Every experiment runs a command on small generated inputs, in a folder of its own, with one fault. These must hold:
//!
//! - The process ends in bounded time, by itself: no panic, no signal.
//! - The exit code is that of the undisturbed run only if all outputs are equal to those of the undisturbed run, byte for
//!   byte.
//! - Otherwise the exit code is one of a failure, and a message says what failed.
//! - Each output file is as it was before, or complete.
//! - No temporary files are left; a process that is killed may leave some, and the next run removes them.
//! - The next run, undisturbed, gives the outputs of the undisturbed run.
//! - Inputs never change.
//!
//! ```text
//!  inputs ─► lab: undisturbed runs, with a trace of all calls ─► experiments ─┬► sweep    a fault at every call
//!                                                                             ├► scenes   changed files, memory, …
//!                                                                             └► kills    SIGKILL at random times
//! ```
//!
//! Faults are injected by a library that replaces functions of the C library (`shim.c`), so nothing in the command knows
//! of them. The command has to be linked dynamically, on Linux.

mod cases;
mod experiment;
mod inputs;
mod kills;
mod lab;
mod program;
mod scenes;
mod shim;
mod sweep;

pub use experiment::{Experiment, Report, run, sample};
pub use lab::{Ended, Lab};

/// All experiments: every fault at every call, every scene, and as many kills at random times.
pub fn experiments(lab: &Lab, kills: u64) -> Vec<Experiment> {
    let mut experiments = sweep::experiments(lab);
    experiments.extend(scenes::experiments(lab));
    experiments.extend(kills::experiments(lab, kills));
    experiments
}
