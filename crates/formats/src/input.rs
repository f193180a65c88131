//! Opening a file or standard input, decompressed.
//!
//! What a file begins with decides how it is read, so standard input and files without a telling name work too.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::meter::Meter;

/// An opened, decompressing input.
///
/// Its errors are [`io::Error`]s with an [`InputError`] inside, each handed out once; then the input is at its
/// end.
pub type Input = Box<dyn Read + Send>;

/// An opened input as it is stored, not decompressed.
pub(crate) type RawInput = Box<dyn Read + Send>;

/// Bytes read at once from below a decoder.
const READ_SIZE: usize = 128 * 1024;

/// The longest window of zstd data that is accepted: `zstd --long=31` on 64-bit machines.
pub(crate) const ZSTD_WINDOW_LOG: u32 = if cfg!(target_pointer_width = "64") { 31 } else { 30 };

/// How data are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// What the first bytes of a file say. A zstd file may begin with a skippable frame (RFC 8878, 3.1.2).
    pub(crate) fn of_magic(magic: &[u8]) -> Option<Self> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Some(Compression::Zstd),
            _ => None,
        }
    }

    /// What a name that ends in `.gz` or `.zst` promises.
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

/// Opens `path`, or standard input for `-`, and decompresses it as [`decode`] does.
///
/// # Errors
/// When the file cannot be opened or its beginning cannot be read, and those of [`decode`].
pub fn open(path: &Path) -> Result<Input, InputError> {
    open_metered(path, &Meter::default())
}

/// As [`open`]; what is read counts by `meter`.
///
/// # Errors
/// As [`open`].
pub fn open_metered(path: &Path, meter: &Meter) -> Result<Input, InputError> {
    let name = FileName::new(path);
    if name.is_stdin() {
        return decode(meter.stdin(), &name);
    }
    let file = meter.open(path).map_err(|error| InputError::from_io(&name, error))?;
    decode(file, &name)
}

/// Does `path` give the same when it is opened again? Standard input, a pipe and a device do not.
pub(crate) fn opens_again(path: &Path) -> bool {
    !FileName::new(path).is_stdin() && path.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// As [`open_metered`], without the first `bytes` decompressed bytes. Those of a plain file are not read.
///
/// # Errors
/// As [`open`], and when so many bytes cannot be read.
pub fn open_at(path: &Path, bytes: u64, meter: &Meter) -> Result<Input, InputError> {
    let name = FileName::new(path);
    let failed = |error| InputError::from_io(&name, error);
    if !name.is_stdin() {
        let mut magic = Vec::with_capacity(4);
        let first = File::open(path).map_err(failed)?.take(4).read_to_end(&mut magic);
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

/// Decompresses `reader`, whose name in messages is `name`: gzip of any number of members, zstd of any number of
/// frames and with windows of up to 2 GiB, and anything else as it is.
///
/// A truncated or damaged archive yields everything that could be decoded, then one error.
///
/// # Errors
/// When the beginning cannot be read, and when a name in `.gz` or `.zst` promises what the data are not.
/// An empty file may have any name.
pub fn decode<R: Read + Send + 'static>(reader: R, name: &FileName) -> Result<Input, InputError> {
    let mut source = Source { reader, name: name.clone() };
    let mut magic = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut magic).map_err(|error| InputError::from_io(name, error))?;
    let compression = Compression::of_magic(&magic);
    if let Some(promised) = Compression::of_name(name.as_path())
        && compression != Some(promised)
        && !magic.is_empty()
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

/// The undecoded input. It marks its own errors, so that they are told from the decoder's above it.
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

/// A reader that fails once, saying what was expected, and is then at its end.
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
            // The source has marked the error as its own.
            _ if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<InputError>) => {
                return error;
            }
            io::ErrorKind::UnexpectedEof => Kind::Truncated(compression),
            _ => Kind::Corrupt(compression, error),
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
