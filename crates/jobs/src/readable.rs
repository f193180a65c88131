//! Can the inputs be read at all? Asked before any work is done, so that a misspelt name costs nothing.

use std::path::{Path, PathBuf};

use robomata_formats::{FileName, Frontier, FrontierFormat, InputError, UrlColumn, capture, input};

/// Are `paths` files whose beginning can be read?
///
/// Standard input and FIFOs are not touched: what is read of them here would be missing later.
///
/// # Errors
/// For the first that cannot be opened, or is not in the compression that its name promises.
pub fn require_files(paths: &[PathBuf]) -> Result<(), InputError> {
    paths.iter().filter(|path| can_be_read_twice(path)).try_for_each(|path| input::open(path).map(drop))
}

/// Are `paths` files whose beginning can be read, and has each a URL among its first lines?
///
/// # Errors
/// As [`require_files`], and for the first that has no URL, or no such column.
pub fn require_files_of_urls(
    paths: &[PathBuf],
    format: Option<FrontierFormat>,
    column: Option<&UrlColumn>,
) -> Result<(), InputError> {
    require_urls(paths, &crate::filter::frontier(paths, format, column, None))
}

/// As [`require_files_of_urls`], of `paths` that `frontier` reads.
pub(crate) fn require_urls(paths: &[PathBuf], frontier: &Frontier) -> Result<(), InputError> {
    require_files(paths)?;
    frontier.require_urls()
}

/// Are `paths` directories or files whose beginning can be read?
///
/// # Errors
/// As [`require_files`].
pub fn require_sources(paths: &[PathBuf]) -> Result<(), InputError> {
    paths.iter().filter(|path| can_be_read_twice(path)).try_for_each(|path| {
        if !path.is_dir() {
            return input::open(path).map(drop);
        }
        // Its first capture may well be bad; only a directory that cannot be listed is an error of its own.
        match capture::captures(path).next() {
            Some(Err(error)) if error.file().as_path() == path => Err(error),
            _ => Ok(()),
        }
    })
}

fn can_be_read_twice(path: &Path) -> bool {
    let is_special = || path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    !FileName::new(path).is_stdin() && !is_special()
}
