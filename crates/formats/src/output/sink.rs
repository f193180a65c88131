//! Destinations of bytes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use super::temporary::Temporary;

/// The destination of an output's bytes.
pub(super) enum Sink {
    /// A temporary file in the directory of the target.
    Temporary {
        file: Temporary,
        target: PathBuf,
    },
    /// A partial file, which stays until it is complete, even if the process ends.
    Partial {
        file: File,
        path: PathBuf,
        target: PathBuf,
    },
    Direct(File),
    Stdout(io::Stdout),
}

impl Sink {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        if let Some(stream) = standard_stream(path)? {
            return Ok(Sink::Direct(stream));
        }
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return OpenOptions::new().write(true).open(path).map(Sink::Direct);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let target = target_of(path)?;
        Ok(Sink::Temporary { file: Temporary::create(folder_of(&target))?, target })
    }

    /// Creates a temporary file in the directory of the output, or in the system's temporary directory if the output is
    /// not a file.
    pub(super) fn scratch(&self) -> io::Result<Temporary> {
        match self {
            Sink::Temporary { target, .. } | Sink::Partial { target, .. } => {
                Temporary::create(folder_of(target))
            }
            Sink::Direct(_) | Sink::Stdout(_) => Temporary::create(&std::env::temp_dir()),
        }
    }

    /// Opens the file `path`, which replaces the file that `target` leads to at the commit. Keeps its first `kept` bytes.
    pub(super) fn partial(target: &Path, path: PathBuf, kept: Option<u64>) -> io::Result<Self> {
        if fs::metadata(target).is_ok_and(|metadata| !metadata.is_file())
            || standard_stream(target)?.is_some()
        {
            return Err(io::Error::other("expected a regular file (other outputs cannot be resumed)"));
        }
        let target = target_of(target)?;
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::Error::other("another process is writing this output"));
        }
        // The other process may have committed the file before it was locked here.
        if !is_at(&file, &path)? {
            return Err(io::Error::other("another process has just committed this output"));
        }
        let kept = kept.unwrap_or(0);
        if file.metadata()?.len() < kept {
            let message = format!("expected at least {kept} bytes in {}", path.display());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        // Everything after the checkpoint is written again.
        file.set_len(kept)?;
        file.seek(io::SeekFrom::End(0))?;
        Ok(Sink::Partial { file, path, target })
    }

    /// Flushes everything to the disk and returns the size.
    pub(super) fn synced(&mut self) -> io::Result<u64> {
        match self {
            Sink::Partial { file, .. } => {
                file.sync_all()?;
                file.stream_position()
            }
            _ => Err(io::Error::other("the output cannot be resumed")),
        }
    }

    pub(super) fn commit(self) -> io::Result<()> {
        match self {
            Sink::Temporary { file, target } => {
                file.persist(&target)?;
                sync_folder(folder_of(&target))
            }
            Sink::Partial { file, path, target } => {
                file.sync_all()?;
                fs::rename(path, &target)?;
                sync_folder(folder_of(&target))
            }
            Sink::Direct(mut file) => file.flush(),
            Sink::Stdout(mut stdout) => stdout.flush(),
        }
    }
}

/// The file that an output to `path` replaces: a symbolic link stays, and the file that it leads to is replaced or created.
pub fn target_of(path: &Path) -> io::Result<PathBuf> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(Path::new(""));
            target_of(&folder.join(fs::read_link(path)?))
        }
        Err(error) => Err(error),
        Ok(_) => fs::canonicalize(path),
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Flushes the entries of a directory to the disk. Otherwise a loss of power could undo a rename.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // Only Unix opens a directory like a file.
    let synced = if cfg!(unix) { File::open(folder).and_then(|folder| folder.sync_all()) } else { Ok(()) };
    match synced {
        // Not every file system can do it, and not every directory may be read.
        Err(error) if matches!(error.kind(), PermissionDenied | Unsupported | InvalidInput) => Ok(()),
        synced => synced,
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Temporary { file, .. } => file.file()?.write(bytes),
            Sink::Partial { file, .. } | Sink::Direct(file) => file.write(bytes),
            Sink::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Temporary { file, .. } => file.file()?.flush(),
            Sink::Partial { file, .. } | Sink::Direct(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// The standard output or standard error of the process, if it is the file at `path`, as it is at `/dev/stdout`. Others
/// write to that file, too, so it must not be replaced.
#[cfg(unix)]
pub(super) fn standard_stream(path: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsFd;
    let (stdout, stderr) = (io::stdout(), io::stderr());
    for stream in [stdout.as_fd(), stderr.as_fd()] {
        // A stream may be closed.
        let Ok(stream) = stream.try_clone_to_owned().map(File::from) else { continue };
        if is_at(&stream, path)? {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
pub(super) fn standard_stream(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Returns whether the open file is still the one at `path`. Fails if the state of the files cannot be determined, because
/// callers try again when it is another one.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(path) {
        Ok(other) => Ok(place(&file.metadata()?) == place(&other)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether the open file is still the one at `path`. Fails if that cannot be determined.
#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_whose_state_is_unknown_is_an_error_and_not_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["one", "other"] {
            fs::write(at(name), name).unwrap();
        }
        let file = File::open(at("one")).unwrap();
        assert!(is_at(&file, &at("one")).unwrap());
        assert!(!is_at(&file, &at("other")).unwrap());
        assert!(!is_at(&file, &at("missing")).unwrap());
        std::os::unix::fs::symlink("endless", at("endless")).unwrap();
        is_at(&file, &at("endless")).unwrap_err();
    }
}
