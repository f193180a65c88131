//! Detects the format of a file by its name or, if the name is inconclusive, by its first bytes.

use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::body_kind::BodyKind;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::Compression;
use crate::lines::without_mark;
use crate::meter::Meter;
use crate::other_input::other_input;
use crate::rows;
use crate::tsv::Columns;
use crate::warc;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    JsonLines,
    Tsv,
    Warc,
    Parquet,
}

impl Format {
    /// The format by name: the extension before that of a compression.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let plain = match Compression::of_name(path) {
            Some(_) => name.rsplit_once('.')?.0,
            None => &name,
        };
        match plain.rsplit_once('.')?.1 {
            "jsonl" | "ndjson" | "json" => Some(Format::JsonLines),
            "tsv" => Some(Format::Tsv),
            "warc" => Some(Format::Warc),
            "parquet" if plain == name => Some(Format::Parquet),
            _ => None,
        }
    }

    /// Detects a format only if the bytes prove it. Tabs alone do not, because other texts contain tabs as well.
    /// Neither does a JSON object, because some servers send one instead of a robots.txt.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let line = first_line(bytes);
        if bytes.starts_with(rows::MAGIC) {
            Some(Format::Parquet)
        } else if line.trim_ascii_start().starts_with(b"WARC/") {
            Some(Format::Warc)
        } else if line.starts_with(b"{") && KEYS.iter().any(|key| memchr::memmem::find(line, key).is_some()) {
            Some(Format::JsonLines)
        } else {
            let header = Columns::of_header(line);
            let is_header = matches!(header, Ok(Some(_)) | Err(Kind::Quoted | Kind::DuplicateColumn(_)));
            is_header.then_some(Format::Tsv)
        }
    }

    /// The most likely format of inconclusive bytes. Its reader will report what it expected.
    fn likeliest(bytes: &[u8]) -> Self {
        let line = first_line(bytes);
        if line.contains(&b'\t') && !line.starts_with(b"{") { Format::Tsv } else { Format::JsonLines }
    }
}

/// Keys near the beginning of a capture in JSON. Every capture has at least one of them there.
const KEYS: [&[u8]; 4] = [b"\"host\"", b"\"url\"", b"\"body\"", b"\"body_b64\""];

/// The first line that is not blank.
pub(crate) fn first_line(bytes: &[u8]) -> &[u8] {
    let text = without_mark(bytes).trim_ascii_start();
    &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())]
}

/// An input with its detected format.
pub(crate) struct Sniffed {
    /// The proven format, if any.
    pub(crate) certain: Option<Format>,
    /// The format to read it as.
    pub(crate) format: Format,
    /// Whether it looks like a single robots.txt.
    pub(crate) is_robots: bool,
    /// What it clearly is instead of captures or a robots.txt, if no format is proven.
    pub(crate) other: Option<&'static str>,
    /// Whether it begins like a JSON object.
    pub(crate) is_object: bool,
    /// Whether it is certain that its first lines are none of any format.
    pub(crate) is_text: bool,
    /// The complete input, not decompressed.
    pub(crate) reader: Box<dyn Read + Send>,
}

impl Sniffed {
    /// Opens `path`, or standard input for `-`, and detects the format. The bytes read count in `meter`.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let name = FileName::new(path);
        let io_error = |error: io::Error| InputError::from_io(&name, error);
        if name.is_stdin() {
            return Sniffed::new(meter.stdin()).map_err(io_error);
        }
        let file = meter.open(path).map_err(|error| InputError::unopened(&name, error))?;
        let mut sniffed = Sniffed::new(file).map_err(io_error)?;
        sniffed.is_robots |= sniffed.certain.is_none() && is_called_robots(path);
        Ok(sniffed)
    }

    fn new<R: Read + Send + 'static>(mut reader: R) -> io::Result<Self> {
        /// The number of bytes to examine in an uncompressed or gzip file.
        const FEW: u64 = 4 << 10;
        /// The number of bytes that contain the first block of a zstd file.
        const BLOCK: u64 = 160 << 10;
        let mut first = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut first)?;
        let compression = Compression::of_magic(&first);
        let more = if compression == Some(Compression::Zstd) { BLOCK } else { FEW };
        reader.by_ref().take(more).read_to_end(&mut first)?;
        let begins_with_dictionary =
            compression == Some(Compression::Zstd) && warc::begins_with_dictionary(&first);
        let (certain, format, is_robots, is_object, is_text, other) = if begins_with_dictionary {
            (Some(Format::Warc), Format::Warc, false, false, false, None)
        } else {
            let bytes = match compression {
                None => first.clone(),
                Some(Compression::Gzip) => decoded(flate2::bufread::MultiGzDecoder::new(&first[..])),
                Some(Compression::Zstd) => decoded(zstd::Decoder::with_buffer(&first[..])?),
            };
            let certain = Format::of_bytes(&bytes);
            let is_robots = certain.is_none() && BodyKind::has_record(&bytes);
            let format = certain.unwrap_or_else(|| Format::likeliest(&bytes));
            (
                certain,
                format,
                is_robots,
                first_line(&bytes).starts_with(b"{"),
                certain.is_none() && format == Format::JsonLines && has_no_object(&bytes),
                if certain.is_none() { other_input(&bytes) } else { None },
            )
        };
        Ok(Sniffed {
            certain,
            format,
            is_robots,
            is_object,
            is_text,
            other,
            reader: Box::new(Cursor::new(first).chain(reader)),
        })
    }
}

/// Returns whether there are lines, and none of them begins like a JSON object. The last one may be cut, and does not count.
fn has_no_object(bytes: &[u8]) -> bool {
    let whole = memchr::memrchr(b'\n', bytes).map_or(&b""[..], |end| &bytes[..end]);
    let mut lines = whole.split(|&byte| byte == b'\n').map(without_mark).map(<[u8]>::trim_ascii_start);
    !whole.trim_ascii().is_empty() && lines.all(|line| !line.starts_with(b"{"))
}

/// Returns whether the file is called robots.txt, compressed or not.
fn is_called_robots(path: &Path) -> bool {
    let name = match Compression::of_name(path) {
        Some(_) => path.file_stem(),
        None => path.file_name(),
    };
    name.is_some_and(|name| name.eq_ignore_ascii_case("robots.txt"))
}

/// The first decoded bytes.
fn decoded(decoder: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The bytes before an error are good enough.
    let _ = decoder.take(1 << 10).read_to_end(&mut bytes);
    bytes
}
