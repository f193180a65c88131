//! Reads a bundle's file into memory of its own.

use std::fs::File;
use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::damage::{CorruptBundleError, OpenError, ensure};
use super::image::{CHECKSUM, HEADER};
use super::threads;
use super::validate::{self, PIECE};

/// The bytes of a file.
#[cfg(feature = "mmap")]
type Memory = memmap2::Mmap;
#[cfg(not(feature = "mmap"))]
type Memory = Vec<u8>;

/// The number of bytes that a thread reads at once.
const BLOCK: usize = 16 * PIECE;

/// Reads the file at `path` into memory of its own, so that later changes of the file have no effect. Returns the
/// bytes and the checksums of their pieces. Each checksum is computed while its piece is in the cache.
pub(super) fn file(path: &Path) -> Result<(Memory, Vec<u64>), OpenError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    if !metadata.is_file() {
        let text = "a bundle is read from a file, not from a pipe or a device (write it to a file first)";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text).into());
    }
    let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    ensure(length >= HEADER + CHECKSUM, validate::EXPECTED_LABEL)?;
    let mut bytes = memory(length)?;
    let (header, rest) = bytes.split_at_mut(HEADER);
    read_at(&file, header, 0)?;
    validate::label(header)?;
    let (sections, checksum) = rest.split_at_mut(length - HEADER - CHECKSUM);
    read_at(&file, checksum, length - CHECKSUM)?;
    let mut sums = vec![0; sections.len().div_ceil(PIECE)];
    let blocks = sections.chunks_mut(BLOCK).zip(sums.chunks_mut(BLOCK / PIECE)).enumerate();
    threads::for_each(blocks, length, || {
        |(number, (block, sums)): (usize, (&mut [u8], &mut [u64]))| {
            let start = HEADER + number * BLOCK;
            for (piece, (bytes, sum)) in block.chunks_mut(PIECE).zip(sums).enumerate() {
                read_at(&file, bytes, start + piece * PIECE)?;
                *sum = xxh3_64(bytes);
            }
            Ok::<(), OpenError>(())
        }
    })?;
    #[cfg(feature = "mmap")]
    let bytes = bytes.make_read_only()?;
    Ok((bytes, sums))
}

/// Memory for `length` bytes.
#[cfg(not(feature = "mmap"))]
fn memory(length: usize) -> io::Result<Memory> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(length).map_err(|error| {
        let text = format!("{length} bytes of memory are not available: {error}");
        io::Error::new(io::ErrorKind::OutOfMemory, text)
    })?;
    memory.resize(length, 0);
    Ok(memory)
}

/// Memory for `length` bytes, in huge pages if the system has them.
#[cfg(feature = "mmap")]
fn memory(length: usize) -> io::Result<memmap2::MmapMut> {
    let memory = memmap2::MmapMut::map_anon(length).map_err(|error| {
        io::Error::new(error.kind(), format!("{length} bytes of memory are not available: {error}"))
    })?;
    // Without huge pages, look-ups take longer.
    #[cfg(target_os = "linux")]
    drop(memory.advise(memmap2::Advice::HugePage));
    Ok(memory)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: usize) -> Result<(), OpenError> {
    cut(std::os::unix::fs::FileExt::read_exact_at(file, bytes, at as u64))
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], at: usize) -> Result<(), OpenError> {
    use std::io::{Read as _, Seek as _};
    // All threads share the position of the file.
    static POSITION: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _guard = POSITION.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    file.seek(io::SeekFrom::Start(at as u64))?;
    cut(file.read_exact(bytes))
}

fn cut(read: io::Result<()>) -> Result<(), OpenError> {
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            CorruptBundleError::expected("a file that keeps its length while it is read").into()
        }
        _ => error.into(),
    })
}
