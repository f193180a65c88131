//! Measures the progress of reading files.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::directory::is_hidden;
use crate::file_name::FileName;

/// Counts the bytes of files as they are read. Compressed files count in their stored size. Clones share the count.
///
/// A part that is skipped, or abandoned because of damage, counts when its file ends, so at the end all bytes are
/// counted. Parquet files are never read completely, so their rows count by their share of the file.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    read: AtomicU64,
    paths: Vec<PathBuf>,
    total: OnceLock<Option<u64>>,
}

impl Meter {
    /// Creates a meter for the files and directories `paths`.
    pub fn of(paths: &[PathBuf]) -> Self {
        Meter(Arc::new(Counts { paths: paths.to_vec(), ..Counts::default() }))
    }

    /// Creates a meter for any process of `bytes` bytes, which [`Meter::add`] counts.
    pub fn of_bytes(bytes: u64) -> Self {
        Meter(Arc::new(Counts { total: OnceLock::from(Some(bytes)), ..Counts::default() }))
    }

    /// Returns whether both are the same meter, or clones of one.
    pub fn is(&self, other: &Meter) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The number of bytes counted.
    pub fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// The total size of all files, determined at the first call. None if standard input or a pipe is among them.
    pub fn total(&self) -> Option<u64> {
        *self.0.total.get_or_init(|| self.0.paths.iter().map(|path| size_of(path)).sum())
    }

    /// Counts `bytes` more bytes.
    pub fn add(&self, bytes: u64) {
        self.0.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts a file or directory that is not read.
    pub(crate) fn pass(&self, path: &Path) {
        self.add(size_of(path).unwrap_or(0));
    }

    /// Opens a file and counts its bytes.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Metered<File>> {
        let file = File::open(path)?;
        let share = self.share(&file);
        Ok(Metered { reader: file, share })
    }

    /// Opens standard input and counts its bytes.
    pub(crate) fn stdin(&self) -> Metered<io::Stdin> {
        Metered { reader: io::stdin(), share: Share { meter: self.clone(), size: 0, counted: 0 } }
    }

    /// Counts a file that is already open.
    pub(crate) fn share(&self, file: &File) -> Share {
        let size = file.metadata().ok().filter(Metadata::is_file).map_or(0, |metadata| metadata.len());
        Share { meter: self.clone(), size, counted: 0 }
    }
}

/// The size of a file, or of all files in a directory; none for an input without a size.
fn size_of(path: &Path) -> Option<u64> {
    let metadata = (!FileName::new(path).is_stdin()).then(|| fs::metadata(path))?;
    match metadata {
        Ok(metadata) if metadata.is_file() => Some(metadata.len()),
        Ok(metadata) if metadata.is_dir() => Some(size_of_files(path)),
        Ok(_) => None,
        // An input without metadata cannot be read either.
        Err(_) => Some(0),
    }
}

fn size_of_files(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let files = entries.filter(|entry| !is_hidden(&entry.file_name()));
    let sizes = files.filter_map(|entry| fs::metadata(entry.path()).ok().filter(Metadata::is_file));
    sizes.map(|metadata| metadata.len()).sum()
}

/// The contribution of one file to a meter. When dropped, it counts the whole file.
#[derive(Debug)]
pub(crate) struct Share {
    meter: Meter,
    size: u64,
    counted: u64,
}

impl Share {
    fn add(&mut self, bytes: u64) {
        self.counted += bytes;
        self.meter.add(bytes);
    }

    /// Counts the first `bytes` bytes as read.
    pub(crate) fn reach(&mut self, bytes: u64) {
        self.add(bytes.saturating_sub(self.counted));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.reach(self.size);
    }
}

/// A reader that counts its bytes.
pub(crate) struct Metered<R> {
    reader: R,
    share: Share,
}

impl Metered<File> {
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.reader.metadata()
    }

    /// Seeks to byte `bytes` of the file and counts the bytes before it as read.
    pub(crate) fn go_to(&mut self, bytes: u64) -> io::Result<()> {
        self.reader.seek(io::SeekFrom::Start(bytes))?;
        self.share.reach(bytes);
        Ok(())
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.share.add(read as u64);
        // What was cut off would otherwise be missing without a message. Files may grow, and those of /proc have no size.
        let Share { counted, size, .. } = self.share;
        if read == 0 && !buffer.is_empty() && counted < size {
            let text = format!(
                "it ends after {counted} of {size} bytes, so it became shorter while it was read (read a copy)"
            );
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        Ok(read)
    }
}
