//! Compiles the library that injects faults, and reads its traces.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const SOURCE: &str = include_str!("shim.c");

/// Kinds of system calls, as `shim.c` names them.
pub(crate) const KINDS: [&str; 14] = [
    "open", "read", "write", "sync", "rename", "truncate", "map", "unlink", "lock", "seek", "stat", "list",
    "folder", "thread",
];

/// Compiles the library into `folder`.
pub(crate) fn build(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("shim.c"), folder.join("shim.so"));
    std::fs::write(&source, SOURCE)?;
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&compiler);
    command.args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-fPIC", "-shared", "-o"]);
    command.arg(&library).arg(&source).args(["-ldl", "-lpthread"]);
    let made = command.output().with_context(|| format!("{} cannot be started", compiler.display()))?;
    ensure!(
        made.status.success(),
        "the library cannot be compiled: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    Ok(library)
}

/// A call of a trace: its kind, its number among those of its kind, and its file, if the call names one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) kind: &'static str,
    pub(crate) number: u64,
    pub(crate) what: String,
}

/// Reads a trace.
pub(crate) fn trace(path: &Path) -> Result<Vec<Call>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    text.lines()
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let kind = words.next().and_then(|word| KINDS.into_iter().find(|kind| *kind == word));
            let number = words.next().and_then(|word| word.parse().ok());
            let what = words.next().unwrap_or_default().to_owned();
            let call = kind.zip(number).map(|(kind, number)| Call { kind, number, what });
            call.with_context(|| format!("{}: not a trace: {line}", path.display()))
        })
        .collect()
}
