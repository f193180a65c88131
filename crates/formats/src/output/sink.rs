//! Where octets go in the end.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::pending;

/// What temporary files are called: hidden, with something random in between.
const NAME: (&str, &str) = (".robomata-", ".tmp");

/// Entries of a directory that are looked at for files that processes left behind: it may hold millions.
const LOOKED_AT: usize = 10_000;

/// Where octets go in the end.
pub(super) enum Sink {
    Temporary(Temporary),
    /// Kept until it is whole, even when the process ends.
    Partial {
        file: File,
        path: PathBuf,
        target: PathBuf,
    },
    Direct(File),
    Stdout(io::Stdout),
}

/// A file beside its target. It is locked as long as its process lives, so that others can tell whether it does.
pub(super) struct Temporary {
    /// None once it is settled.
    file: Option<NamedTempFile>,
    target: PathBuf,
}

impl Sink {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let target = match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return OpenOptions::new().write(true).open(path).map(Sink::Direct);
            }
            Ok(_) => fs::canonicalize(path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        remove_stale(directory);
        let file = temporary(directory)?;
        Ok(Sink::Temporary(Temporary { file: Some(file), target }))
    }

    /// The file `path`, which becomes `target` at last; its first `kept` octets stay.
    pub(super) fn partial(target: &Path, path: PathBuf, kept: Option<u64>) -> io::Result<Self> {
        if fs::metadata(target).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::other(
                "expected a regular file, since only such a one can be gone on with",
            ));
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(io::Error::other("another process is writing it"));
        }
        let kept = kept.unwrap_or(0);
        if file.metadata()?.len() < kept {
            let message = format!("expected at least {kept} octets in {}", path.display());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        // What came after the checkpoint is written again.
        file.set_len(kept)?;
        file.seek(io::SeekFrom::End(0))?;
        Ok(Sink::Partial { file, path, target: target.to_owned() })
    }

    /// Brings everything to the disk and tells how much it is.
    pub(super) fn synced(&mut self) -> io::Result<u64> {
        match self {
            Sink::Partial { file, .. } => {
                file.sync_all()?;
                file.stream_position()
            }
            _ => Err(io::Error::other("the output cannot be gone on with")),
        }
    }

    pub(super) fn commit(self) -> io::Result<()> {
        match self {
            Sink::Temporary(temporary) => temporary.commit(),
            Sink::Partial { file, path, target } => {
                file.sync_all()?;
                fs::rename(path, target)
            }
            Sink::Direct(mut file) => file.flush(),
            Sink::Stdout(mut stdout) => stdout.flush(),
        }
    }
}

impl Temporary {
    fn commit(mut self) -> io::Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        // Before the name: else a crash could leave an empty file under it.
        if let Err(error) = file.as_file().sync_all() {
            self.file = Some(file);
            return Err(error);
        }
        let path = file.path().to_owned();
        pending::settle(&path, || file.persist(&self.target).map(drop).map_err(io::Error::from))
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let file = self.file.as_mut().map(NamedTempFile::as_file_mut);
        file.ok_or_else(|| io::Error::other("the output is ended"))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let path = file.path().to_owned();
            pending::settle(&path, || drop(file));
        }
    }
}

/// A new temporary file, locked. Its permissions are those that the umask leaves, not for its owner only.
fn temporary(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(NAME.0).suffix(NAME.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = pending::create(|| builder.tempfile_in(directory), |file| file.path())?;
        // Where the file system has no locks, nobody takes the file for a stale one either.
        let _ = file.as_file().lock();
        // Another process may have found it before it was locked, and removed it.
        if file.path().exists() {
            return Ok(file);
        }
        let path = file.path().to_owned();
        pending::settle(&path, || drop(file));
    }
}

/// Removes temporary files whose processes ended without doing so: those that nobody holds a lock on.
fn remove_stale(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.take(LOOKED_AT).flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // It is in nobody's way if it stays.
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Write for Sink {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Temporary(temporary) => temporary.file()?.write(octets),
            Sink::Partial { file, .. } | Sink::Direct(file) => file.write(octets),
            Sink::Stdout(stdout) => stdout.write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Temporary(temporary) => temporary.file()?.flush(),
            Sink::Partial { file, .. } | Sink::Direct(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
        }
    }
}
