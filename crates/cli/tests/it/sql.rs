//! `robomata sql`: passes arguments to another program and returns its exit code.

#![cfg(unix)]

use std::process::{Command, Output};

use crate::support::{Folder, ROBOMATA};

/// Runs `robomata sql` with `folder` as the PATH.
fn run(folder: &Folder, arguments: &[&str]) -> Output {
    Command::new(ROBOMATA).arg("sql").args(arguments).env("PATH", folder.path("")).output().unwrap()
}

#[test]
fn the_arguments_are_those_of_the_program_and_so_is_the_exit_code() {
    let folder = Folder::with(&[("robomata-sql", "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n")]);
    folder.set_mode("robomata-sql", 0o755);
    let ran = run(&folder, &["--table", "a=b", "--help", "SELECT 'x y'", "-"]);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "<--table><a=b><--help><SELECT 'x y'><->");
    assert_eq!(ran.status.code(), Some(7));
}

#[test]
fn a_program_that_is_missing_is_named() {
    let ran = run(&Folder::new(), &["SELECT 1"]);
    assert_eq!(ran.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        said.contains("robomata-sql is not installed: it is not in the PATH or in the folder of robomata"),
        "{said}"
    );
}

#[test]
fn it_is_listed_where_it_is_installed() {
    let folder = Folder::with(&[("robomata-sql", "#!/bin/sh\n")]);
    folder.set_mode("robomata-sql", 0o755);
    let listed = |folder: &Folder| {
        let help = Command::new(ROBOMATA).arg("--help").env("PATH", folder.path("")).output().unwrap();
        String::from_utf8(help.stdout).unwrap().lines().any(|line| line.trim_start().starts_with("sql "))
    };
    assert!(listed(&folder));
    assert!(!listed(&Folder::new()));
}
