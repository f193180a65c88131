//! A file of tab-separated results that add up over runs.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use robomata_formats::{Output, lock_in_place};

/// The file, which no other run can open meanwhile.
#[derive(Debug)]
pub(crate) struct ResultsFile {
    path: PathBuf,
    /// Held while the results are open. The file itself is replaced at each write, so another one is locked.
    _lock: File,
}

impl ResultsFile {
    /// Passes the rows of the file at `path` to `read_row`, without the names of the columns. A missing file has none.
    ///
    /// # Errors
    /// If another process has opened the results, the file cannot be read, or it has other rows.
    pub(crate) fn open(path: &Path, header: &str, read_row: impl FnMut(&str) -> Result<()>) -> Result<Self> {
        let mut lock = path.as_os_str().to_owned();
        lock.push(".lock");
        let lock = PathBuf::from(lock);
        let locked = || {
            OpenOptions::new().create(true).append(true).open(&lock)?;
            lock_in_place(&lock)
        };
        let Some(file) = locked().with_context(|| format!("{}: cannot be locked", lock.display()))? else {
            bail!("{}: in use by another run (wait for it, or give another file)", path.display());
        };
        match std::fs::read_to_string(path) {
            Ok(text) => read(&text, header, read_row).with_context(|| {
                format!("{}: not results of this command (move the file away)", path.display())
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("{}: cannot be read", path.display())),
        }
        Ok(ResultsFile { path: path.to_owned(), _lock: file })
    }

    /// Replaces the file at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, results: &impl Display) -> Result<()> {
        let mut out = Output::create(&self.path)?;
        write!(out, "{results}")?;
        Ok(out.commit()?)
    }
}

fn read(text: &str, header: &str, mut read_row: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let mut lines = text.lines();
    ensure!(lines.next() == Some(header), "line 1: expected the names of the columns");
    for (number, line) in (2..).zip(lines) {
        read_row(line).with_context(|| format!("line {number}"))?;
    }
    Ok(())
}
