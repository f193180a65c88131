//! Opens and decompresses files or standard input.
//!
//! The first bytes determine the compression, so standard input and files with any name work as well.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use robomata_evaluator::CompressedFormat;

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::meter::Meter;

/// An open, decompressed input.
///
/// Its errors are [`io::Error`]s that contain an [`InputError`]. Each error is returned once; after it the input is at
/// its end.
pub type Input = Box<dyn Read + Send>;

/// An open input as stored, not decompressed.
pub(crate) type RawInput = Box<dyn Read + Send>;

/// The number of bytes that a decoder reads at once.
pub(crate) const READ_SIZE: usize = 128 * 1024;

/// The largest accepted window of zstd data, as a power of two: what `zstd` decodes without `--long`, and the most that
/// its highest level writes. A decoder takes that much memory, so the header of a small file decides about it.
pub(crate) const ZSTD_WINDOW_LOG: u32 = 27;

/// What zstd says about a frame with a longer window.
const ZSTD_WINDOW_TOO_LONG: &str = "Frame requires too much memory for decoding";

/// What is wrong with zstd data, and what to do if it is only the window.
pub(crate) fn explain_zstd(error: &io::Error) -> String {
    let said = error.to_string();
    if said != ZSTD_WINDOW_TOO_LONG {
        return said;
    }
    let most = (1 << ZSTD_WINDOW_LOG) >> 20;
    format!("the window is longer than {most} MiB (decompress the file with `zstd -d --long=31`)")
}

/// The compression of a file, one that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Detects the compression from the first bytes.
    pub(crate) fn of_magic(magic: &[u8]) -> Option<Self> {
        match CompressedFormat::of(magic)? {
            CompressedFormat::Gzip => Some(Compression::Gzip),
            CompressedFormat::Zstd => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// The compression that a name with `.gz` or `.zst` requires.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let extension = path.extension().and_then(OsStr::to_str)?;
        if extension.eq_ignore_ascii_case("gz") {
            Some(Compression::Gzip)
        } else if extension.eq_ignore_ascii_case("zst") {
            Some(Compression::Zstd)
        } else {
            None
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        })
    }
}

/// Opens `path`, or standard input for `-`, and decompresses it like [`decode`].
///
/// # Errors
/// Fails when the file cannot be opened or its first bytes cannot be read, and like [`decode`].
pub fn open(path: &Path) -> Result<Input, InputError> {
    open_metered(path, &Meter::default())
}

/// Like [`open`], and counts the bytes read in `meter`.
///
/// # Errors
/// Fails like [`open`].
pub fn open_metered(path: &Path, meter: &Meter) -> Result<Input, InputError> {
    let name = FileName::new(path);
    if name.is_stdin() {
        return decode(meter.stdin(), &name);
    }
    let file = meter.open(path).map_err(|error| InputError::unopened(&name, error))?;
    decode(file, &name)
}

/// Returns whether `path` can be read twice. Standard input, pipes and devices cannot.
pub(crate) fn opens_again(path: &Path) -> bool {
    !FileName::new(path).is_stdin() && path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Like [`open_metered`], but skips the first `bytes` decompressed bytes. In an uncompressed file they are not read.
///
/// # Errors
/// Fails like [`open`], and when the input has fewer bytes.
pub fn open_at(path: &Path, bytes: u64, meter: &Meter) -> Result<Input, InputError> {
    let name = FileName::new(path);
    let failed = |error| InputError::from_io(&name, error);
    if !name.is_stdin() {
        let mut magic = Vec::with_capacity(4);
        let file = File::open(path).map_err(|error| InputError::unopened(&name, error))?;
        let first = file.take(4).read_to_end(&mut magic);
        first.map_err(failed)?;
        if Compression::of_magic(&magic).is_none() && Compression::of_name(path).is_none() {
            let mut file = meter.open(path).map_err(failed)?;
            file.go_to(bytes).map_err(failed)?;
            return Ok(Box::new(Fused::new(Source { reader: file, name: name.clone() }, None, &name)));
        }
    }
    let mut input = open_metered(path, meter)?;
    io::copy(&mut input.by_ref().take(bytes), &mut io::sink()).map_err(failed)?;
    Ok(input)
}

/// Decompresses `reader`, which is called `name` in messages. Accepts gzip with any number of members, and zstd with
/// any number of frames and windows of up to 128 MiB. Anything else is returned unchanged.
///
/// A truncated or corrupt file yields everything that can be decoded, then one error.
///
/// # Errors
/// Fails when the first bytes cannot be read, and when the name ends in `.gz` or `.zst` but the data have another
/// format. No bytes at all are neither: a download that failed leaves such a file.
pub fn decode<R: Read + Send + 'static>(reader: R, name: &FileName) -> Result<Input, InputError> {
    let mut source = Source { reader, name: name.clone() };
    let mut magic = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut magic).map_err(|error| InputError::from_io(name, error))?;
    let compression = Compression::of_magic(&magic);
    if let Some(promised) = Compression::of_name(name.as_path())
        && compression != Some(promised)
    {
        return Err(InputError::new(name.clone(), None, Kind::WrongMagic(promised)));
    }
    let whole = Cursor::new(magic).chain(source);
    let Some(compression) = compression else { return Ok(Box::new(Fused::new(whole, None, name))) };
    let buffered = BufReader::with_capacity(READ_SIZE, whole);
    Ok(match compression {
        Compression::Gzip => {
            Box::new(Fused::new(flate2::bufread::MultiGzDecoder::new(buffered), Some(compression), name))
        }
        Compression::Zstd => {
            let decoder = zstd_decoder(buffered).map_err(|error| InputError::from_io(name, error))?;
            Box::new(Fused::new(decoder, Some(compression), name))
        }
    })
}

fn zstd_decoder<R: io::BufRead>(reader: R) -> io::Result<zstd::Decoder<'static, R>> {
    let mut decoder = zstd::Decoder::with_buffer(reader)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

/// The raw input. It wraps its errors, to distinguish them from errors of the decoder.
struct Source<R> {
    reader: R,
    name: FileName,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(InputError::from_io(&self.name, error).into_io()),
                read => return read,
            }
        }
    }
}

/// A reader that reports one error in terms of what was expected, and is then at its end.
struct Fused<R> {
    reader: R,
    compression: Option<Compression>,
    name: FileName,
    failed: bool,
}

impl<R> Fused<R> {
    fn new(reader: R, compression: Option<Compression>, name: &FileName) -> Self {
        Fused { reader, compression, name: name.clone(), failed: false }
    }

    fn explain(&self, error: io::Error) -> io::Error {
        let Some(compression) = self.compression else { return error };
        let kind = match error.kind() {
            // The error comes from the source.
            _ if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<InputError>) => {
                return error;
            }
            io::ErrorKind::UnexpectedEof => Kind::Truncated(compression),
            kind => Kind::Corrupt(
                compression,
                match compression {
                    Compression::Gzip => error,
                    Compression::Zstd => io::Error::new(kind, explain_zstd(&error)),
                },
            ),
        };
        InputError::new(self.name.clone(), None, kind).into_io()
    }
}

impl<R: Read> Read for Fused<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed {
            return Ok(0);
        }
        self.reader.read(buffer).map_err(|error| {
            self.failed = true;
            self.explain(error)
        })
    }
}
