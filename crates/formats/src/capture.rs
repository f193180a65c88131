//! Captures of robots.txt: out of JSON lines, TSV, WARC and Parquet files, or a directory with a file for every host.
//!
//! [`captures`] tells them apart. A line of JSON has these keys; others are ignored, `null` is as good as nothing:
//!
//! | key | value |
//! |---|---|
//! | `url` or `host` | whose robots.txt it is, see [`CaptureSite`]; with both, `url` counts. A `url` is that of the site's root or of its `/robots.txt`, in lower case and without a query (RFC 9309, section 2.3); any other is bad input, unless a redirect before it leads there |
//! | `body_b64` or `body` | the bytes in base64 (padded or not), or the text; with both, `body_b64` counts. Needed but for a status other than 2xx |
//! | `status` or `http_status` | a number, also as text; 0 or less is a network failure; or the word `success` or `too-many-redirects` |
//! | `location` | where a redirect (status 301, 302, 303, 307 or 308) leads, as the response wrote it; without it nobody follows the redirect |
//! | `time`, `timestamp`, `date`, `fetched_at` or `fetch_time` | when it was fetched, as [`Timestamp`] reads it; of several the first in this order counts |

use std::path::Path;

use robomata_protocol::FetchStatus;

use crate::chains::Followed;
use crate::directory::{Directory, whole_file};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Input, RawInput};
use crate::json;
use crate::lines::{Block, DEFAULT_BLOCK_SIZE, LineBlocks, split_line};
use crate::meter::Meter;
use crate::sniff::{Format, Sniffed};
use crate::table::Table;
use crate::time::Timestamp;
use crate::tsv::Columns;
use crate::warc::{RobotsRecords, WarcReader};

/// One fetch of a robots.txt, as an archive kept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Whose robots.txt it is.
    pub site: CaptureSite,
    /// The bytes of the robots.txt, empty when the fetch brought none.
    pub body: Vec<u8>,
    /// How the fetch ended; `None` when nothing is recorded.
    pub status: Option<FetchStatus>,
    /// Where the response of this fetch redirected to, as written; `None` when nothing is recorded.
    pub location: Option<String>,
    /// When the fetch was made; `None` when nothing is recorded.
    pub time: Option<Timestamp>,
    /// Where the capture was read.
    pub origin: Origin,
}

/// The site that a capture speaks for, as written: nothing is checked or normalised here but that it is not blank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptureSite {
    /// A host stands for its http and its https site, both on their default ports.
    Host(String),
    /// A URL of the site, its root or its `/robots.txt`, stands for that scheme, host and port only.
    Url(String),
}

/// Where something was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file; within a directory, the path of the file.
    pub file: FileName,
    /// The 1-based line of the decompressed file, of a WARC file the number of the record, of a Parquet file that of
    /// the row; `None` when the whole file is meant.
    pub line: Option<u64>,
}

impl Capture {
    /// Is it known that the fetch brought no robots.txt? Then the body, if there is one, is another text.
    pub fn is_failed(&self) -> bool {
        !json::needs_body(self.status)
    }

    /// The capture on one `line` of JSON, with or without its line end, which stands at `origin`; `None` when the
    /// line is blank.
    ///
    /// With [`LineBlocks`] this reads captures on several threads; [`captures`] is the simple way.
    ///
    /// # Errors
    /// When the line is no JSON object with the keys of a capture. The error names `origin`.
    pub fn from_json_line(line: &[u8], origin: &Origin) -> Result<Option<Self>, InputError> {
        let capture = json_line(line, origin);
        let whose = |capture: Capture| json::require_site(&capture.site).map(|()| capture);
        let error = |kind| InputError::new(origin.file.clone(), origin.line, kind);
        capture.and_then(|capture| capture.map(whose).transpose()).map_err(error)
    }
}

/// The capture on one `line` of JSON, which may be that of a URL that a redirect leads to.
fn json_line(line: &[u8], origin: &Origin) -> Result<Option<Capture>, Kind> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let line = match origin.line {
        Some(1) => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
        _ => line,
    };
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    json::capture(line, origin).map(Some)
}

/// The captures of `path`; `-` is standard input.
///
/// What a file is its name says, `.gz` or `.zst` after it being compression, and where it says nothing, its first
/// bytes:
///
/// | name | first bytes | what |
/// |---|---|---|
/// | `.jsonl`, `.ndjson`, `.json` | anything else | JSON lines |
/// | `.tsv` | a line with a tab in it | tab-separated values, see below |
/// | `.warc` | `WARC/` | the responses, resources and revisits of a WARC file whose target is a site's `/robots.txt`; see [`warc`](crate::warc) |
/// | `.parquet` | `PAR1` | the rows of a Parquet file, which is to be a regular file; a column is called as a key of JSON, or as in TSV |
/// | a directory | | files named by their host, or `HOST/robots.txt` |
///
/// **TSV**: the first line names the columns, those of JSON lines or `fetch_status` and `content`; others are ignored, and of several
/// times the first in the order above that the line has counts. In `body`, tab, line ends and the escape itself are written `\t`, `\n`, `\r`, `\\`.
/// `\N` is nothing, and so is an empty text but for a body.
///
/// **Redirects** are followed among the captures of a source, of all formats alike (RFC 9309, section 2.3.1.2): to the
/// capture of the target that comes next in the source, else to the last one before, which a file that can be read twice
/// has. More than five in a row, and a loop, are [`FetchStatus::TooManyRedirects`]; a redirect whose target was not captured
/// stays one. At most 262,144 redirects wait for their target at once, of more the oldest stay redirects; the targets
/// before a redirect are looked for among the first 917,504 URLs of the source.
///
/// **A directory**: a file is the body of the host that it is called by; a name in `.gz` or `.zst` is compressed and
/// its host the name without that. (Without such a name the bytes are the body whatever they are: sites do send
/// compressed data.) A directory within is named by the host whose `robots.txt` it holds, as `wget` leaves mirrors, with
/// its port, if any: `example.com:8080` or `example.com+8080`. Entries come in the order of their names. Hidden ones are
/// passed over; a directory without a `robots.txt`, and anything else that is no file, is an error.
///
/// **One robots.txt** is no capture, since nothing says whose it is: a file that looks like one is an error
/// ([`InputError::is_single_robots`]). [`captures_with`] takes its site.
///
/// Whatever cannot be read is an error among the captures, and the next ones follow it. A path that cannot be
/// opened is one error.
pub fn captures(path: &Path) -> Captures {
    captures_with(path, None, &Meter::default())
}

/// As [`captures`]; what is read counts by `meter`. With a `site`, a file that does not say for certain that it holds
/// captures ([`holds_captures`], and standard input likewise), and is no JSON object, is the robots.txt of that site.
pub fn captures_with(path: &Path, site: Option<&CaptureSite>, meter: &Meter) -> Captures {
    let source = Source::open(path, site, meter);
    Captures { source: source.unwrap_or_else(|error| Source::One(Some(Err(error)))) }
}

/// Is `path` a file of a web archive, which may well hold no robots.txt?
pub fn is_web_archive(path: &Path) -> bool {
    let format = Format::of_name(path).filter(|_| !FileName::new(path).is_stdin());
    let sniffed = || Sniffed::open(path, &Meter::default()).ok().map(|sniffed| sniffed.format);
    format.or_else(|| if input::opens_again(path) { sniffed() } else { None }) == Some(Format::Warc)
}

/// Does `path` hold captures, as [`captures`] reads them, rather than one robots.txt? Its name or its first bytes say so for
/// certain: tabs in the first line, for instance, are not enough without the names of columns.
///
/// Standard input and what else cannot be read twice is not touched: it is taken for one robots.txt, unless its name says
/// otherwise.
///
/// # Errors
/// When the file cannot be opened or its beginning cannot be read.
pub fn holds_captures(path: &Path) -> Result<bool, InputError> {
    let name = FileName::new(path);
    if name.is_stdin() {
        return Ok(false);
    }
    if path.is_dir() || Format::of_name(path).is_some() {
        return Ok(true);
    }
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(false);
    }
    Ok(Sniffed::open(path, &Meter::default())?.certain.is_some())
}

/// The iterator that [`captures`] returns.
pub struct Captures {
    source: Source,
}

enum Source {
    /// The only capture, or why there is none.
    One(Option<Result<Box<Capture>, InputError>>),
    Directory(Directory),
    Lines(Box<Followed<CaptureLines>>),
    Warc(Box<RobotsRecords>),
    Table(Box<Followed<Table>>),
}

impl Source {
    fn open(path: &Path, site: Option<&CaptureSite>, meter: &Meter) -> Result<Self, InputError> {
        let name = FileName::new(path);
        if !name.is_stdin() && path.is_dir() {
            return Directory::read(path, meter).map(Source::Directory);
        }
        if let Some(format) = Format::of_name(path).filter(|_| !name.is_stdin()) {
            return Self::of(format, path, &name, None, meter);
        }
        let again = input::opens_again(path);
        let sniffed =
            if again { Sniffed::open(path, &Meter::default()) } else { Sniffed::open(path, meter) }?;
        let reader = (!again).then_some(sniffed.reader);
        match (sniffed.certain, site) {
            (None, Some(site)) if !sniffed.is_object => {
                let input = decoded(path, &name, reader, meter)?;
                Ok(Source::One(Some(whole_file(site.clone(), input, name).map(Box::new))))
            }
            (None, _) if sniffed.is_robots => Err(InputError::new(name, None, Kind::SingleRobots)),
            _ => Self::of(sniffed.format, path, &name, reader, meter),
        }
    }

    /// The captures of `path`, of which `opened` is all, if it was opened already.
    fn of(
        format: Format,
        path: &Path,
        name: &FileName,
        opened: Option<RawInput>,
        meter: &Meter,
    ) -> Result<Self, InputError> {
        let again = input::opens_again(path).then(|| path.to_owned());
        let lines = |reader: Option<RawInput>, form: fn() -> Form| {
            let open = move |path: &Path, reader, meter: &Meter| {
                let input = decoded(path, &FileName::new(path), reader, meter)?;
                let blocks = LineBlocks::new(input, FileName::new(path), DEFAULT_BLOCK_SIZE);
                Ok::<_, InputError>(CaptureLines::new(blocks, form()))
            };
            let second = again.clone().map(|path| -> Box<dyn FnOnce() -> _ + Send> {
                Box::new(move || open(&path, None, &Meter::default()).ok())
            });
            Ok(Source::Lines(Box::new(Followed::new(open(path, reader, meter)?, second))))
        };
        match format {
            Format::JsonLines => lines(opened, || Form::Json),
            Format::Tsv => lines(opened, || Form::Tsv(None)),
            Format::Parquet => {
                let second = again.map(|path| -> Box<dyn FnOnce() -> _ + Send> {
                    Box::new(move || Table::open(&path, &Meter::default()).ok())
                });
                Ok(Source::Table(Box::new(Followed::new(Table::open(path, meter)?, second))))
            }
            Format::Warc => {
                let reader = opened.map_or_else(
                    || WarcReader::open_metered(path, meter),
                    |reader| WarcReader::new(reader, name),
                )?;
                Ok(Source::Warc(Box::new(RobotsRecords::new(reader, again.as_deref()))))
            }
        }
    }
}

/// The input `path`, decompressed; of one that was opened already, `reader` is all.
fn decoded(
    path: &Path,
    name: &FileName,
    reader: Option<RawInput>,
    meter: &Meter,
) -> Result<Input, InputError> {
    match reader {
        Some(reader) => input::decode(reader, name),
        None => input::open_metered(path, meter),
    }
}

impl Iterator for Captures {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::One(one) => one.take().map(|one| one.map(|capture| *capture)),
            Source::Directory(directory) => directory.next(),
            Source::Lines(lines) => lines.next(),
            Source::Warc(records) => records.next(),
            Source::Table(table) => table.next(),
        }
    }
}

/// The captures of a file that has one on a line.
struct CaptureLines {
    blocks: LineBlocks,
    form: Form,
    block: Block,
    /// Bytes of `block` that were read already.
    position: usize,
    /// Where the line at `position` stands.
    origin: Origin,
    ended: bool,
}

/// How a capture is written on a line.
enum Form {
    Json,
    /// With the columns, once the first line was read.
    Tsv(Option<Columns>),
}

impl CaptureLines {
    fn new(blocks: LineBlocks, form: Form) -> Self {
        let origin = Origin { file: blocks.name().clone(), line: None };
        CaptureLines { blocks, form, block: Block::default(), position: 0, origin, ended: false }
    }

    /// Goes on to the next block; `None` after the last one.
    fn next_block(&mut self) -> Option<Result<(), InputError>> {
        self.blocks.recycle(std::mem::take(&mut self.block));
        self.position = 0;
        match self.blocks.next()? {
            Ok(block) => {
                self.origin.line = Some(block.first_line);
                self.block = block;
                Some(Ok(()))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Form {
    /// The capture on `line`; `None` when there is none on it.
    fn read(&mut self, line: &[u8], origin: &Origin) -> Result<Option<Capture>, InputError> {
        let read = match self {
            Form::Json => json_line(line, origin),
            Form::Tsv(Some(columns)) => columns.capture(line, origin),
            Form::Tsv(columns) => Columns::of_header(line).map(|found| {
                *columns = found;
                None
            }),
        };
        read.map_err(|kind| InputError::new(origin.file.clone(), origin.line, kind))
    }
}

impl Iterator for CaptureLines {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let Some((line, rest)) = split_line(&self.block.bytes[self.position..]) else {
                match self.next_block()? {
                    Ok(()) => continue,
                    Err(error) => return Some(Err(error)),
                }
            };
            self.position = self.block.bytes.len() - rest.len();
            let capture = self.form.read(line, &self.origin).map_err(|error| {
                let is_cut = self.position == self.block.bytes.len() && !self.block.bytes.ends_with(b"\n");
                match is_cut && matches!(self.form, Form::Json) && json::is_cut(line) {
                    true => InputError::new(self.origin.file.clone(), self.origin.line, Kind::CutObject),
                    false => error,
                }
            });
            self.origin.line = self.origin.line.map(|line| line + 1);
            // Without the names of its columns the rest of a file says nothing.
            self.ended = capture.as_ref().is_err_and(InputError::ends_file);
            if let Some(capture) = capture.transpose() {
                return Some(capture);
            }
        }
        None
    }
}
