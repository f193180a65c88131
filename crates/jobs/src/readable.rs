//! Checks whether the inputs can be read, before a job starts: a misspelt name is then reported at once.

use std::path::{Path, PathBuf};

use robomata_formats::{FileName, FrontierFormat, InputError, UrlColumn, capture, input, is_same_file, urls};

/// Checks that the beginnings of the files `paths` can be read.
///
/// Standard input and FIFOs are not read: the job would miss that data later.
///
/// # Errors
/// For the first file that cannot be opened, or whose contents do not have the compression of its name.
pub fn require_files(paths: &[PathBuf]) -> Result<(), InputError> {
    paths.iter().filter(|path| can_be_read_twice(path)).try_for_each(|path| input::open(path).map(drop))
}

/// Checks that the beginnings of the files `paths` can be read, and that each has a URL among its first lines.
///
/// # Errors
/// Those of [`require_files`], and for the first file without a URL or without the column.
pub fn require_files_of_urls(
    paths: &[PathBuf],
    format: Option<FrontierFormat>,
    column: Option<&UrlColumn>,
) -> Result<(), InputError> {
    require_files(paths)?;
    crate::filter::frontier(paths, format, column, None).require_urls()
}

/// Checks that the files of URLs `paths` are not captures: the shell makes such files of `--robots *.jsonl`, where all names
/// but the first follow the option. Files that are also among `sources` are accepted.
///
/// # Errors
/// For the first file that looks like captures.
pub fn require_no_captures(
    paths: &[PathBuf],
    format: Option<FrontierFormat>,
    sources: &[PathBuf],
) -> Result<(), InputError> {
    let is_source = |path: &Path| sources.iter().any(|source| is_same_file(source, path));
    let paths = paths.iter().filter(|path| can_be_read_twice(path) && !is_source(path));
    let mut paths = paths.filter(|_| !sources.is_empty());
    paths.try_for_each(|path| urls::require_no_captures(path, format, sources))
}

/// Checks that `paths` are directories, or files with readable beginnings.
///
/// # Errors
/// Those of [`require_files`].
pub fn require_sources(paths: &[PathBuf]) -> Result<(), InputError> {
    paths.iter().filter(|path| can_be_read_twice(path)).try_for_each(|path| {
        if !path.is_dir() {
            return input::open(path).map(drop);
        }
        // Its first capture may be bad; only a directory that cannot be listed is an error here.
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
