//! Atomic outputs: written completely or not at all.

mod encoder;
mod pending;
mod scratch;
mod sink;
mod temporary;

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use self::encoder::Encoder;
pub use self::pending::abandon_outputs;
pub use self::scratch::ScratchFile;
use self::sink::Sink;
pub use self::sink::target_of;
use crate::input::Compression;

/// The number of bytes to collect before compressing or writing them.
const WRITE_SIZE: usize = 128 * 1024;

/// Returns whether both paths lead to one file, so that an output to one of them would replace the other.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Returns whether an output to `path` would replace a file.
pub fn replaces_file(path: &Path) -> bool {
    path.is_file() && matches!(sink::standard_stream(path), Ok(None))
}

/// Locks the file at `path` while the returned file is open. Returns none if another process has locked it.
///
/// A file that replaces it is not locked. On file systems without locks, nothing is locked.
///
/// # Errors
/// Fails when the file cannot be opened, or its state cannot be determined.
pub fn lock_in_place(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = File::open(path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Ok(None);
        }
        // The file may have been replaced before it was locked.
        if sink::is_at(&file, path)? {
            return Ok(Some(file));
        }
    }
}

/// An output. [`Output::commit`] makes everything written appear under its name at once.
///
/// If it is dropped without a commit, nothing appears, and an existing file stays unchanged. This does not apply to
/// outputs that cannot be replaced: standard output, devices and FIFOs receive the bytes immediately.
///
/// As an [`io::Write`], it fails with [`io::Error`]s that contain an [`OutputError`]; `?` unwraps them.
pub struct Output {
    writer: BufWriter<Encoder>,
    target: Target,
}

/// The name of an output in messages.
#[derive(Clone, Debug)]
enum Target {
    Stdout,
    Path(PathBuf),
    Unknown,
}

impl Output {
    /// Creates an output to `path`; `-` is [`Output::stdout`].
    ///
    /// A file is written to the directory of its target, with the permissions of any new file, and replaces the target
    /// at the commit. A symbolic link stays, and the file that it points to is replaced or created. A target that exists
    /// and is not a regular file (`/dev/null`, a FIFO) is written directly, and so is the file that is standard output or
    /// standard error. A name that ends in `.gz` or `.zst` selects the compression.
    ///
    /// # Errors
    /// Fails when the directory of the target is not writable, or the target itself if it is written directly.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        if path.as_os_str() == "-" {
            return Ok(Output::stdout());
        }
        let target = Target::Path(path.to_owned());
        let create = || Encoder::new(Sink::create(path)?, Compression::of_name(path));
        match create() {
            Ok(encoder) => Ok(Output { writer: BufWriter::with_capacity(WRITE_SIZE, encoder), target }),
            Err(error) => Err(OutputError { target, action: Action::Create, error }),
        }
    }

    /// Creates an output to `path` that can be resumed after the process has ended in any way. Everything up to the
    /// last [`Output::checkpoint`] is kept in a file next to the target ([`Output::partial_path`]). With `kept`, the
    /// number returned by a checkpoint, the output continues after that many bytes. Without it, the output starts
    /// again.
    ///
    /// # Errors
    /// Fails like [`Output::create`]. Also fails when the target is not a regular file, when another process writes the
    /// same output, or when fewer than `kept` bytes are left.
    pub fn resumable(path: &Path, kept: Option<u64>) -> Result<Self, OutputError> {
        let target = Target::Path(path.to_owned());
        let create = || {
            let sink = Sink::partial(path, Output::partial_path(path), kept)?;
            Encoder::new(sink, Compression::of_name(path))
        };
        match create() {
            Ok(encoder) => Ok(Output { writer: BufWriter::with_capacity(WRITE_SIZE, encoder), target }),
            Err(error) => Err(OutputError { target, action: Action::Create, error }),
        }
    }

    /// The path of a resumable output before its commit, next to the file that an output to `path` replaces.
    pub fn partial_path(path: &Path) -> PathBuf {
        Output::path_next_to(path, ".partial")
    }

    /// The path of the file that an output to `path` replaces, with `ending` appended.
    pub fn path_next_to(path: &Path, ending: &str) -> PathBuf {
        let mut name = sink::target_of(path).unwrap_or_else(|_| path.to_owned()).into_os_string();
        name.push(ending);
        PathBuf::from(name)
    }

    /// Flushes everything written so far to the disk and returns the size of the file. Compressed data are ended and
    /// restarted (a new gzip member or zstd frame).
    ///
    /// # Errors
    /// Fails when any of this fails, or when the output is not resumable.
    pub fn checkpoint(&mut self) -> Result<u64, OutputError> {
        let mut checkpoint = || {
            self.writer.flush()?;
            self.writer.get_mut().restart(Sink::synced)
        };
        checkpoint().map_err(|error| OutputError {
            target: self.target.clone(),
            action: Action::Write,
            error,
        })
    }

    /// Returns whether nothing appears under the output's name before [`Output::commit`]. True for files; false for
    /// standard output, devices and FIFOs.
    pub fn appears_at_commit(&self) -> bool {
        self.writer
            .get_ref()
            .sink()
            .is_ok_and(|sink| matches!(sink, Sink::Temporary { .. } | Sink::Partial { .. }))
    }

    /// Creates a file for intermediate data that do not fit into memory. It is in the directory of the output, or in
    /// the system's temporary directory if the output is not a file.
    ///
    /// # Errors
    /// Fails when the file cannot be created.
    pub fn scratch(&self) -> io::Result<ScratchFile> {
        Ok(ScratchFile::new(self.writer.get_ref().sink()?.scratch()?))
    }

    /// Standard output, buffered and never compressed.
    pub fn stdout() -> Self {
        let encoder = Encoder::Plain(Sink::Stdout(io::stdout()));
        Output { writer: BufWriter::with_capacity(WRITE_SIZE, encoder), target: Target::Stdout }
    }

    /// Writes the buffered bytes, flushes them to the disk and renames the file to the target.
    ///
    /// # Errors
    /// Fails when any of this fails. An existing target then stays unchanged.
    pub fn commit(self) -> Result<(), OutputError> {
        let Output { writer, target } = self;
        let finish = || writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?.commit();
        finish().map_err(|error| OutputError { target, action: Action::Write, error })
    }

    fn explain(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        // The caller of `write` retries by itself, and must see this error unchanged.
        if kind == io::ErrorKind::Interrupted {
            return error;
        }
        io::Error::new(kind, OutputError { target: self.target.clone(), action: Action::Write, error })
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| self.explain(error))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).map_err(|error| self.explain(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| self.explain(error))
    }
}

/// An output that could not be created or written: `out.tsv: cannot be written: No space left on device`.
#[derive(Debug)]
pub struct OutputError {
    target: Target,
    action: Action,
    error: io::Error,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Create,
    Write,
}

impl OutputError {
    /// Returns whether the reader of a pipe has closed it, as `head` does. Programs then end without a message.
    pub fn is_broken_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }

    /// The error of the operating system.
    pub fn io_error(&self) -> &io::Error {
        &self.error
    }
}

/// Unwraps the `OutputError` inside an error of [`Output`]. Any other error becomes one about an output without a name.
impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        error.downcast::<OutputError>().unwrap_or_else(|error| OutputError {
            target: Target::Unknown,
            action: Action::Write,
            error,
        })
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Target::Stdout => f.write_str("<stdout>")?,
            Target::Path(path) => path.display().fmt(f)?,
            Target::Unknown => f.write_str("the output")?,
        }
        let action = match self.action {
            Action::Create => "created",
            Action::Write => "written",
        };
        write!(f, ": cannot be {action}: {}", self.error)
    }
}

// The cause is part of the message, so `source` stays empty: a chain of causes would repeat it.
impl std::error::Error for OutputError {}
