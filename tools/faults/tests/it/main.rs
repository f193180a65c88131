//! Finds no violation of the command, and finds those of a command that hides failures.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use robomata_faults::{Experiment, Lab, Report, experiments, run};

/// The command, in the folder of the tests' own programs. Tests of the whole workspace build it.
fn robomata() -> Option<PathBuf> {
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("robomata");
    if !program.exists() {
        eprintln!("skipped: {} is not built (cargo build -p robomata-cli)", program.display());
    }
    Some(program).filter(|program| program.exists())
}

/// Runs each failure of a rename by two commands.
fn failures_of_renames(robomata: &Path) -> Report {
    let lab = Lab::new(robomata, None, 1).unwrap();
    let is_chosen = |experiment: &Experiment| {
        let id = experiment.id();
        id.starts_with("compile/rename:") || id.starts_with("pace/rename:")
    };
    let chosen: Vec<_> = experiments(&lab, 0).into_iter().filter(is_chosen).collect();
    assert!(chosen.len() > 5);
    run(&lab, &chosen, 2)
}

#[test]
fn failures_are_reported_and_a_command_that_hides_them_is_found() {
    let Some(robomata) = robomata() else { return };
    let report = failures_of_renames(&robomata);
    assert_eq!(report.violations, []);

    let folder = tempfile::tempdir().unwrap();
    let hides = folder.path().join("robomata");
    let real = robomata.display();
    let script = format!(
        "#!/bin/sh\ncase \"$FAULTS\" in\nrename*) '{real}' \"$@\"; exit 0 ;;\n*) exec '{real}' \"$@\" ;;\nesac\n"
    );
    fs::write(&hides, script).unwrap();
    fs::set_permissions(&hides, fs::Permissions::from_mode(0o755)).unwrap();
    let report = failures_of_renames(&hides);
    assert!(report.violations.len() > 5, "{}", report.table());
    let text = "the exit code is that of success, but ";
    assert!(report.violations.iter().all(|(_, what)| what.contains(text)), "{:?}", report.violations);
}
