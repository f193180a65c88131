//! Outputs that are written whole or not at all.

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
use crate::input::Compression;

/// Bytes gathered before they are compressed or written.
const WRITE_SIZE: usize = 128 * 1024;

/// Do both paths lead to one file, which an output to one of them would replace?
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Locks the file at `path` as long as the returned one is open; none when another process has locked it.
///
/// A file that replaces it has no lock. Where the file system has no locks, nothing is locked.
///
/// # Errors
/// When the file cannot be opened.
pub fn lock_in_place(path: &Path) -> io::Result<Option<File>> {
    loop {
        let file = File::open(path)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Ok(None);
        }
        // It may have been replaced before it was locked here.
        if sink::is_at(&file, path) {
            return Ok(Some(file));
        }
    }
}

/// An output. What was written appears under its name by [`Output::commit`], all of it at once.
///
/// Dropped without that, nothing appears, and a file that was there before stays as it was. That does not hold for
/// what cannot be replaced: standard output, devices and FIFOs get the bytes as they come.
///
/// As an [`io::Write`] it fails with [`io::Error`]s that have an [`OutputError`] inside; `?` takes them out again.
pub struct Output {
    writer: BufWriter<Encoder>,
    target: Target,
}

/// What an output is called in messages.
#[derive(Clone, Debug)]
enum Target {
    Stdout,
    Path(PathBuf),
    Unknown,
}

impl Output {
    /// An output to `path`; `-` is [`Output::stdout`].
    ///
    /// A file is written beside its target, with the permissions that any new file gets, and replaces the target
    /// at last; a symbolic link stays, the file it leads to is replaced. A target that exists and is no regular
    /// file (`/dev/null`, a FIFO) is written directly. A name in `.gz` or `.zst` is compressed accordingly.
    ///
    /// # Errors
    /// When the directory of the target, or the target itself if it is written directly, cannot be written.
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

    /// An output to `path` that may be gone on with after the process has ended, in whatever way: what was written up to an
    /// [`Output::checkpoint`] stays in a file beside its target ([`Output::partial_path`]). With `kept`, the bytes that a
    /// checkpoint gave, the output goes on behind them; without it begins anew.
    ///
    /// # Errors
    /// As [`Output::create`]; when the target is no regular file; when another process writes the same output; and when
    /// less than `kept` bytes are left of it.
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

    /// Where a resumable output to `path` lies before it is whole: `path` with `.partial` behind it.
    pub fn partial_path(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    }

    /// Brings everything written so far to the disk, compressed data being ended and begun anew (a gzip member, a zstd
    /// frame), and tells how many bytes the file has now.
    ///
    /// # Errors
    /// When any of this fails, and when the output is not resumable.
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

    /// Does nothing appear under its name before [`Output::commit`]? True of files, but not of standard output, devices
    /// and FIFOs.
    pub fn appears_at_commit(&self) -> bool {
        self.writer
            .get_ref()
            .sink()
            .is_ok_and(|sink| matches!(sink, Sink::Temporary { .. } | Sink::Partial { .. }))
    }

    /// A file for what does not fit into memory on the way to this output: beside it, or in the system's folder of temporary
    /// files when the output is no file.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn scratch(&self) -> io::Result<ScratchFile> {
        Ok(ScratchFile::new(self.writer.get_ref().sink()?.scratch()?))
    }

    /// Standard output, buffered and never compressed.
    pub fn stdout() -> Self {
        let encoder = Encoder::Plain(Sink::Stdout(io::stdout()));
        Output { writer: BufWriter::with_capacity(WRITE_SIZE, encoder), target: Target::Stdout }
    }

    /// Writes what is still buffered, brings it to the disk and puts it under the target's name.
    ///
    /// # Errors
    /// When any of this fails; a file that was to be replaced is then as it was.
    pub fn commit(self) -> Result<(), OutputError> {
        let Output { writer, target } = self;
        let finish = || writer.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?.commit();
        finish().map_err(|error| OutputError { target, action: Action::Write, error })
    }

    fn explain(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        // The caller of `write` tries again by itself, and must see this as it is.
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
    /// Has the reader of a pipe gone, as `head` does when it has seen enough? Then a program ends quietly.
    pub fn is_broken_pipe(&self) -> bool {
        self.error.kind() == io::ErrorKind::BrokenPipe
    }

    /// The error of the operating system.
    pub fn io_error(&self) -> &io::Error {
        &self.error
    }
}

/// Takes out the `OutputError` that an [`Output`] put into the error; any other is about an output without a name.
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

// The cause is part of the text, so `source` stays empty: a chain of causes would tell it twice.
impl std::error::Error for OutputError {}
