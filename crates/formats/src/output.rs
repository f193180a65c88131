//! Outputs that are written whole or not at all.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::input::Compression;

/// Octets gathered before they are compressed or written.
const WRITE_SIZE: usize = 128 * 1024;

/// An output. What was written appears under its name by [`Output::commit`], all of it at once.
///
/// Dropped without that, nothing appears, and a file that was there before stays as it was. That does not hold for
/// what cannot be replaced: standard output, devices and FIFOs get the octets as they come.
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
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.writer.write(octets).map_err(|error| self.explain(error))
    }

    fn write_all(&mut self, octets: &[u8]) -> io::Result<()> {
        self.writer.write_all(octets).map_err(|error| self.explain(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| self.explain(error))
    }
}

/// Where octets go in the end.
enum Sink {
    /// Beside its target, which is the path.
    Temporary(NamedTempFile, PathBuf),
    Direct(File),
    Stdout(io::Stdout),
}

impl Sink {
    fn create(path: &Path) -> io::Result<Self> {
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
        let file = temporary().tempfile_in(directory)?;
        Ok(Sink::Temporary(file, target))
    }

    fn commit(self) -> io::Result<()> {
        match self {
            Sink::Temporary(file, target) => {
                // Before the name: else a crash could leave an empty file under it.
                file.as_file().sync_all()?;
                file.persist(target)?;
                Ok(())
            }
            Sink::Direct(mut file) => file.flush(),
            Sink::Stdout(mut stdout) => stdout.flush(),
        }
    }
}

/// How temporary files are made: with the permissions that the umask leaves, not for their owner only.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".robomata-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

impl Write for Sink {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Temporary(file, _) => file.as_file_mut().write(octets),
            Sink::Direct(file) => file.write(octets),
            Sink::Stdout(stdout) => stdout.write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Temporary(file, _) => file.as_file_mut().flush(),
            Sink::Direct(file) => file.flush(),
            Sink::Stdout(stdout) => stdout.flush(),
        }
    }
}

/// What happens to octets on the way.
enum Encoder {
    Plain(Sink),
    Gzip(flate2::write::GzEncoder<Sink>),
    Zstd(zstd::Encoder<'static, Sink>),
}

impl Encoder {
    fn new(sink: Sink, compression: Option<Compression>) -> io::Result<Self> {
        Ok(match compression {
            None => Encoder::Plain(sink),
            Some(Compression::Gzip) => {
                Encoder::Gzip(flate2::write::GzEncoder::new(sink, flate2::Compression::default()))
            }
            Some(Compression::Zstd) => {
                let mut encoder = zstd::Encoder::new(sink, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        })
    }

    fn finish(self) -> io::Result<Sink> {
        match self {
            Encoder::Plain(sink) => Ok(sink),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl Write for Encoder {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(sink) => sink.write(octets),
            Encoder::Gzip(encoder) => encoder.write(octets),
            Encoder::Zstd(encoder) => encoder.write(octets),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(sink) => sink.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
        }
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
