//! Captures of robots.txt files and of tdmrep.json files, from JSON lines, TSV, WARC and Parquet files, or from a
//! directory with a file for each host.
//!
//! [`captures`] detects the format. A line of JSON has the following keys, without case; an exact one counts before one
//! that differs in case. Other keys are ignored, and `null` counts as absent:
//!
//! | key | value |
//! |---|---|
//! | `url` or `host` | the site, see [`CaptureSite`]; with both, `url` counts, unless it is empty. If it is not a URL of the host, or of no site, the fetch from the host failed ([`Capture::other_host`]). A `url` is that of the site's root or of its `/robots.txt`, in lower case and without a query (RFC 9309, section 2.3), or of its `/.well-known/tdmrep.json`. Any other URL is an error, unless an earlier redirect leads to it; later ones may lead to it, too |
//! | `body_b64` or `body` | the bytes in base64 (padded or not), or the text; an empty one gives way to the other. With both, `body_b64` counts, and the text must be the same, except for bytes that are no text. Required unless there is a status other than 2xx |
//! | `status`, `http_status`, `status_code`, `statuscode`, `fetch_status`, `http_code` or `response_code` | the first one in this order with a value counts, and others must agree with it: a number from 100 to 999 or its text; 0 or less is a network failure; or the word `success` or `too-many-redirects`. Without a status, the fetch succeeded if the body is not empty; an empty one is an error, because fetches that failed have that. If another key ends in `code`, such as `exit_code`, or contains `status`, the result cannot be read, and neither if a key of the status or one that ends in `code` is within an object or structure. Some names of other codes are ignored, such as `country_code` |
//! | `error`, `error_message`, `error_msg`, `errormsg`, `err`, `fetch_error`, `exception`, `failure`, `failure_reason`, `errors` or `failed` | why the fetch failed, or that it did. Without a status, one with a value cannot be read; null, an empty text or array, `false`, 0 and texts such as `none` are no value |
//! | `success`, `ok` or `timeout` | whether the fetch succeeded, or took too long. Without a status, `success` and `ok` that are `false` or 0, and a `timeout` that is `true`, cannot be read |
//! | `location` | the target of a redirect (status 301, 302, 303, 307 or 308), as written in the response. It leads to the captures of an equal URL: spellings of the same site, path and query are equal. Without it, the redirect is not followed, and a body is counted ([`RedirectCounts::with_body`]). One that cannot be followed, such as an empty one or `ftp://…`, cannot be read |
//! | `time`, `timestamp`, `date`, `fetched_at` or `fetch_time` | the time of the fetch, parsed as a [`Timestamp`]; the first one in this order counts |
//!
//! If the site is readable and another value is not, the capture is a network failure, because the crawler got no result
//! that it could use (RFC 9309, section 2.3.1.4). [`Capture::unreadable`] says why. In all formats, the same holds for a
//! body that cannot be decoded, and for a line that is not valid JSON after its site. A source that ends within a line is
//! incomplete, and the fetch on this line failed if its site is there. If the site is not readable, the line
//! is an error. If the line is not valid JSON either, the source is incomplete ([`InputError::is_incomplete`]). A JSON
//! array is an error.

use std::path::Path;
use std::sync::Arc;

use robomata_evaluator::SiteResource;
use robomata_policy::lifecycle;
use robomata_protocol::{Dialect, FetchStatus};

pub use crate::chains::RedirectCounts;
use crate::chains::{Again, Content, Followed};
use crate::directory::{Directory, whole_file};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Input, RawInput};
use crate::json;
use crate::keys;
use crate::lines::{Block, DEFAULT_BLOCK_SIZE, LineBlocks, split_line, without_mark};
use crate::meter::Meter;
use crate::rows::TableCaptures;
use crate::sniff::{Format, Sniffed};
use crate::time::Timestamp;
use crate::tsv::Columns;
use crate::warc::{RobotsRecords, WarcReader};

/// One fetch of a robots.txt or of a tdmrep.json, as recorded in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The site of the file.
    pub site: CaptureSite,
    /// The file that was fetched.
    pub resource: Resource,
    /// The bytes of the file; empty if the fetch returned none. Captures whose redirects lead to the same capture share
    /// them.
    pub body: Arc<[u8]>,
    /// How the fetch ended; `None` if not recorded.
    pub status: Option<FetchStatus>,
    /// The redirect target in the response, as written; `None` if not recorded. [`captures`] follows redirects and drops
    /// it.
    pub location: Option<String>,
    /// The number of redirects to other captures that led to this result: dialects follow different numbers of them
    /// ([`Capture::status_in`]).
    pub redirects: u8,
    /// The time of the fetch; `None` if not recorded.
    pub time: Option<Timestamp>,
    /// The position of the capture in its source.
    pub origin: Origin,
    /// Why the result of the fetch cannot be read, with file and line: the capture then has no body and is a network
    /// failure. `None` if it can be read.
    pub unreadable: Option<Box<str>>,
    /// The host that the row names besides the URL of another one, or of no site. The result may be that of the host after
    /// redirects, or the host may be something else, so it is a network failure of the host. [`captures`] returns this as
    /// a capture of its own, and drops the host here.
    pub other_host: Option<Box<str>>,
}

/// The result of a fetch, as a line or row has it: status, body and redirect target.
pub(crate) type FetchResult = (Option<FetchStatus>, Arc<[u8]>, Option<String>);

/// A file that makes statements about a whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// `/robots.txt`.
    RobotsTxt,
    /// `/.well-known/tdmrep.json`.
    TdmRepJson,
}

/// The site of a capture, as written. It is not blank, but otherwise neither checked nor normalised.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptureSite {
    /// A host. It means the http site and the https site of the host, both on their default ports.
    Host(String),
    /// The URL of a site's root, of its `/robots.txt` or of its tdmrep.json. It means only the site with this scheme,
    /// host and port.
    Url(String),
}

impl CaptureSite {
    /// The file that a capture of this URL, or of this host, contains.
    pub(crate) fn resource(&self) -> Resource {
        match self {
            CaptureSite::Url(url) if SiteResource::of_url(url.as_bytes()) == Some(SiteResource::TdmRep) => {
                Resource::TdmRepJson
            }
            _ => Resource::RobotsTxt,
        }
    }
}

/// The position of something that was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file; within a directory, the path of the file.
    pub file: FileName,
    /// The 1-based line in the decompressed file, record number in a WARC file, or row number in a Parquet file. `None`
    /// refers to the whole file.
    pub line: Option<u64>,
}

impl Capture {
    /// A capture of `site` from a line or row at `origin`. If its time or its result cannot be read, it is a network
    /// failure.
    pub(crate) fn of_row(
        site: CaptureSite,
        origin: &Origin,
        time: Result<Option<Timestamp>, Kind>,
        result: Result<FetchResult, Kind>,
    ) -> Self {
        let (time, unreadable_time) = match time {
            Ok(time) => (time, Ok(())),
            Err(kind) => (None, Err(kind)),
        };
        match unreadable_time.and(result) {
            Ok((status, body, location)) => {
                let (resource, origin) = (site.resource(), origin.clone());
                Capture {
                    site,
                    resource,
                    body,
                    status,
                    location,
                    redirects: 0,
                    time,
                    origin,
                    unreadable: None,
                    other_host: None,
                }
            }
            Err(kind) => {
                let error = InputError::new(origin.file.clone(), origin.line, kind);
                let resource = site.resource();
                Capture { time, ..Capture::failed(site, resource, origin.clone(), &error) }
            }
        }
    }

    /// A capture whose result cannot be read because of `error`.
    pub(crate) fn failed(site: CaptureSite, resource: Resource, origin: Origin, error: &InputError) -> Self {
        Capture {
            site,
            resource,
            body: Arc::default(),
            status: Some(FetchStatus::NetworkFailure),
            location: None,
            redirects: 0,
            time: None,
            origin,
            unreadable: Some(error.to_string().into()),
            other_host: None,
        }
    }

    /// Takes the other host of the row out of the capture, as a network failure for the reason `why`.
    pub(crate) fn take_other_host(&mut self, why: impl FnOnce(&str) -> Kind) -> Option<Self> {
        let host = self.other_host.take()?;
        let error = InputError::new(self.origin.file.clone(), self.origin.line, why(&host));
        let site = CaptureSite::Host(host.into());
        Some(Capture { time: self.time, ..Capture::failed(site, self.resource, self.origin.clone(), &error) })
    }

    /// The body, or why the result cannot be read.
    pub(crate) fn content(&self) -> Content {
        self.unreadable.clone().map_or_else(|| Ok(Arc::clone(&self.body)), Err)
    }

    /// The capture with the content of another one. If that cannot be read, it is a network failure.
    pub(crate) fn with_content(self, content: &Content) -> Self {
        match content {
            Ok(body) => Capture { body: Arc::clone(body), unreadable: None, ..self },
            Err(why) => Capture {
                body: Arc::default(),
                status: Some(FetchStatus::NetworkFailure),
                unreadable: Some(why.clone()),
                ..self
            },
        }
    }

    /// How the fetch ended in `dialect`: with too many redirects, if it does not follow as many.
    pub fn status_in(&self, dialect: Dialect) -> Option<FetchStatus> {
        lifecycle::after_redirects(self.status, self.redirects.into(), dialect.into())
    }

    /// Returns whether the fetch is known to have returned no file. Any body is then some other text.
    pub fn is_failed(&self) -> bool {
        !keys::needs_body(self.status)
    }

    /// Parses one `line` of JSON, with or without its line end. `origin` is its position. Returns `None` for a blank
    /// line.
    ///
    /// Use this together with [`LineBlocks`] to read captures on several threads. [`captures`] is the simple way.
    ///
    /// # Errors
    /// Fails when the line has no readable site. The error names `origin`. A line that is not valid JSON is a network
    /// failure of a site that comes before the mistake; without one, the error is that of an incomplete source.
    pub fn from_json_line(line: &[u8], origin: &Origin) -> Result<Option<Self>, InputError> {
        let capture = json_line(line, origin);
        let whose = |capture: Capture| keys::require_site(&capture.site).map(|()| capture);
        let error = |kind| InputError::new(origin.file.clone(), origin.line, kind);
        capture.and_then(|capture| capture.map(whose).transpose()).map_err(error)
    }
}

/// Parses one `line` of JSON. The URL may be any target of a redirect.
fn json_line(line: &[u8], origin: &Origin) -> Result<Option<Capture>, Kind> {
    let line = match origin.line {
        Some(1) => without_mark(line),
        _ => line,
    };
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    json::capture(line, origin).map(Some)
}

/// Reads the captures of `path`; `-` is standard input.
///
/// The name of a file determines its format, after removing `.gz` or `.zst`. If the name is inconclusive, the first
/// bytes determine it:
///
/// | name | first bytes | format |
/// |---|---|---|
/// | `.jsonl`, `.ndjson`, `.json` | anything else | JSON lines |
/// | `.tsv` | a line that contains a tab | tab-separated values, see below |
/// | `.warc` | `WARC/` | the responses, resources and revisits of a WARC file whose target is a site's `/robots.txt`; see [`warc`](crate::warc). A response that ended early is a network failure, and one with a part of the file keeps its status 206; if 500 KiB of it are there, its complete lines count, and it is also an error |
/// | `.parquet` | `PAR1` | the rows of a Parquet file, which must be a regular file; columns have the names of the JSON keys or of the TSV columns |
/// | a directory | | files named by their host, or `HOST/robots.txt` |
///
/// **TSV**: the first line names the columns. The names are those of JSON lines, or `content`; other
/// columns are ignored. Of several statuses or times, the first one in the order above that has a value counts; of bodies,
/// the first one that is not empty, and others must be the same. In `body`, tab,
/// line ends and the backslash are escaped as `\t`, `\n`, `\r` and `\\`. `\N` is null, and so is an empty text, except
/// in a body. Cells are not quoted: a quoted name in the first line is an error, and a body that begins with a quote is
/// unreadable. So is a line with more or fewer cells than the first one. If such a line, or any other, has no readable
/// site, it may be the rest of the line before it, so the source is incomplete.
///
/// **Redirects** are followed among the captures of a source, in all formats (RFC 9309, section 2.3.1.2). A redirect
/// leads to the capture of its target that is nearest in time, in any order of the captures; of two equally near ones, to
/// the later. If the redirect, or every capture of its target, has no time, it leads to the next one in the source, or
/// else to the last one before it. More than twenty redirects in a row, or a loop, become
/// [`FetchStatus::TooManyRedirects`]; the number of fewer is [`Capture::redirects`]. A redirect without a captured target
/// stays a redirect. In a WARC file, one without a Location is a network failure. [`Captures::redirects`] counts
/// those without a captured target, and the targets that were captured more than a day away. At most 524,288 redirects of a source wait for their
/// target, with URLs of 64 MiB, and at most 2,097,152 captures of targets are remembered; further redirects stay
/// redirects. Standard input cannot be read again, so the body of a target is found only in the last 64 MiB of bodies. If
/// the target of a redirect is in the source but lost in one of these ways, one of the errors says that the source is
/// incomplete ([`InputError::is_incomplete`]).
///
/// **Revisits** in WARC files repeat the record that has their payload digest, or else the one whose identifier they name,
/// or else the one with the URI and the time that they name, but none with another digest. A 304 without an identifier and
/// a time repeats the newest record of its URI before it. If there is none, the file is incomplete; after a 304 that names
/// no record, nothing is known of the site. A revisit of a record that cannot be read is a network failure.
///
/// **Directories**: a file contains the body for the host in its name, without `.gz` or `.zst`. Compressed bytes are
/// decompressed, also without such a name. A subdirectory is named by a host and contains its `robots.txt`, as `wget`
/// mirrors sites. One that exists but cannot be read makes the source incomplete, and its fetch failed; a link that leads
/// nowhere is such a file, too. In both, a port is written as `example.com:8080` or `example.com+8080`. Entries are read in
/// the order of their names, and hidden ones are skipped. A subdirectory without a `robots.txt`, or anything else that is not a
/// file, is an error. A file whose content is not what its name promises is a network failure, and so is one without such
/// a name whose bytes cannot be decompressed, or are captures. The directory is something else
/// ([`InputError::is_other_than_captures`]) if one of its files has the name of a file of captures; if the name of a file
/// has no dot, and the file has no record and is not empty; or if no file has a record or is empty.
///
/// **Compressed bodies** in JSON lines, TSV and Parquet are unreadable. So are bodies that are compressed twice.
///
/// **A single robots.txt** is not a capture, because its site is unknown. A file that looks like one is an error
/// ([`InputError::is_other_than_captures`]). Use [`captures_with`] to name its site.
///
/// An entry that cannot be read is an error among the captures, and reading continues with the next one. A path that
/// cannot be opened is one error.
pub fn captures(path: &Path) -> Captures {
    captures_with(path, None, &Meter::default())
}

/// Like [`captures`], and counts the bytes read in `meter`. With a `site`, a file is read as the robots.txt of that
/// site, unless its name or first bytes prove that it contains captures ([`holds_captures`]) or it is a JSON object.
/// The first bytes of standard input are examined as well.
pub fn captures_with(path: &Path, site: Option<&CaptureSite>, meter: &Meter) -> Captures {
    let source = Source::open(path, site, meter);
    Captures { source: source.unwrap_or_else(|error| Source::One(Some(Err(error)))) }
}

/// Returns whether `path` is a WARC file. Such a file may well contain no robots.txt.
pub fn is_web_archive(path: &Path) -> bool {
    let format = Format::of_name(path).filter(|_| !FileName::new(path).is_stdin());
    let sniffed = || Sniffed::open(path, &Meter::default()).ok().map(|sniffed| sniffed.format);
    format.or_else(|| if input::opens_again(path) { sniffed() } else { None }) == Some(Format::Warc)
}

/// Returns whether `path` contains captures, as opposed to a single robots.txt. Its name or its first bytes must prove
/// it. Tabs in the first line, for example, are not enough without known column names.
///
/// Standard input and other inputs that cannot be read twice are not touched. They count as a single robots.txt, unless
/// the name shows otherwise.
///
/// # Errors
/// Fails when the file cannot be opened or its first bytes cannot be read.
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

/// The captures in the rows of `path`, a file of JSON lines, TSV or Parquet, without following redirects; none if its name or
/// its first bytes tell of another format, or if it cannot be read.
pub(crate) fn rows(path: &Path) -> Option<Box<dyn Iterator<Item = Result<Capture, InputError>>>> {
    let meter = Meter::default();
    let lines = |form: Form| {
        let blocks = LineBlocks::new(input::open(path).ok()?, FileName::new(path), DEFAULT_BLOCK_SIZE);
        Some(Box::new(CaptureLines::new(blocks, form)) as _)
    };
    match Format::of_name(path).or_else(|| Sniffed::open(path, &meter).ok()?.certain)? {
        Format::JsonLines => lines(Form::Json(false)),
        Format::Tsv => lines(Form::Tsv(None)),
        Format::Parquet => Some(Box::new(TableCaptures::open(path, &meter).ok()?)),
        Format::Warc => None,
    }
}

/// Returns whether a file with these bytes, decompressed, contains captures, as [`holds_captures`] does.
pub fn are_captures(bytes: &[u8]) -> bool {
    Format::of_bytes(bytes).is_some()
}

/// The iterator returned by [`captures`].
pub struct Captures {
    source: Source,
}

impl Captures {
    /// The redirects that have no result, or one that may be out of date. Complete after the last capture.
    pub fn redirects(&self) -> RedirectCounts {
        match &self.source {
            Source::One(_) | Source::Directory(_) => RedirectCounts::default(),
            Source::Lines(lines) => lines.redirects(),
            Source::Warc(records) => records.redirects(),
            Source::Table(table) => table.redirects(),
        }
    }
}

enum Source {
    /// The only capture, or an error.
    One(Option<Result<Box<Capture>, InputError>>),
    Directory(Directory),
    Lines(Box<Followed<CaptureLines>>),
    Warc(Box<RobotsRecords>),
    Table(Box<Followed<TableCaptures>>),
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
                let capture = whole_file(site.clone(), site.resource(), input, name, |_| None);
                Ok(Source::One(Some(capture.map(Box::new))))
            }
            (None, _) if let Some(found) = sniffed.other => Err(InputError::new(
                name,
                None,
                Kind::NotCaptures(format!("expected captures, found {found}")),
            )),
            (None, _) if sniffed.is_robots => {
                let message =
                    "no captures found; this looks like a single robots.txt (name its site with --host)";
                Err(InputError::new(name, None, Kind::NotCaptures(message.to_owned())))
            }
            (None, _) if sniffed.is_text => {
                let message = "expected captures, found text that is no JSON, TSV or WARC (name the site of a robots.txt with \
                               --host)";
                Err(InputError::new(name, None, Kind::NotCaptures(message.to_owned())))
            }
            _ => Self::of(sniffed.format, path, &name, reader, meter),
        }
    }

    /// Opens the captures of `path`. If the file is already open, `opened` is its whole content.
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
            let second = again.clone().map(|path| -> Again<CaptureLines> {
                Box::new(move || open(&path, None, &Meter::default()).ok())
            });
            Ok(Source::Lines(Box::new(Followed::new(name.clone(), open(path, reader, meter)?, second))))
        };
        match format {
            Format::JsonLines => lines(opened, || Form::Json(false)),
            Format::Tsv => lines(opened, || Form::Tsv(None)),
            Format::Parquet => {
                let second = again.map(|path| -> Again<TableCaptures> {
                    Box::new(move || TableCaptures::open(&path, &Meter::default()).ok())
                });
                Ok(Source::Table(Box::new(Followed::new(
                    name.clone(),
                    TableCaptures::open(path, meter)?,
                    second,
                ))))
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

/// Opens and decompresses `path`. If it is already open, `reader` is its whole content.
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

/// The captures of a file with one capture per line.
struct CaptureLines {
    blocks: LineBlocks,
    form: Form,
    block: Block,
    /// The number of bytes of `block` already read.
    position: usize,
    /// The origin of the line at `position`.
    origin: Origin,
    /// The capture on a line that is cut. It follows the error.
    cut: Option<Capture>,
    ended: bool,
}

/// The format of a line.
enum Form {
    /// JSON, and whether a line that is not blank was read.
    Json(bool),
    /// TSV, with its columns once the first line is read.
    Tsv(Option<Box<Columns>>),
}

impl CaptureLines {
    fn new(blocks: LineBlocks, form: Form) -> Self {
        let origin = Origin { file: blocks.name().clone(), line: None };
        CaptureLines { blocks, form, block: Block::default(), position: 0, origin, cut: None, ended: false }
    }

    /// Reads the next block; `None` after the last one.
    fn next_block(&mut self) -> Option<Result<(), InputError>> {
        self.blocks.recycle(std::mem::take(&mut self.block));
        self.position = 0;
        match self.blocks.next()? {
            Ok(block) => {
                self.origin.line = Some(block.first_line);
                self.block = block;
                Some(Ok(()))
            }
            Err(error) => {
                let origin = Origin { line: error.line(), ..self.origin.clone() };
                self.cut = self.form.read_cut(self.blocks.rest(), &origin, &error);
                Some(Err(error))
            }
        }
    }
}

impl Form {
    /// Parses the capture on `line`; `None` if there is none.
    fn read(&mut self, line: &[u8], origin: &Origin) -> Result<Option<Capture>, Kind> {
        match self {
            Form::Json(false) if without_mark(line).trim_ascii_start().starts_with(b"[") => {
                Err(Kind::JsonArray)
            }
            Form::Json(has_begun) => {
                *has_begun |= !without_mark(line).trim_ascii().is_empty();
                json_line(line, origin)
            }
            Form::Tsv(Some(columns)) => columns.capture(line, origin),
            Form::Tsv(columns) => Columns::of_header(line).map(|found| {
                *columns = found.map(Box::new);
                None
            }),
        }
    }

    /// Parses the capture on a `line` whose end is missing because of `error`: a network failure of its site. `None` if the
    /// site is not known.
    fn read_cut(&mut self, line: &[u8], origin: &Origin, error: &InputError) -> Option<Capture> {
        // Half of a cell is a cell, too, and half of a number is a number.
        let whole = match self {
            Form::Json(_) => line,
            Form::Tsv(Some(_)) => &line[..=memchr::memrchr(b'\t', line)?],
            Form::Tsv(None) => return None,
        };
        let Capture { site, resource, time, other_host, .. } = self.read(whole, origin).ok()??;
        let time = time.filter(|_| !whole.last().is_some_and(u8::is_ascii_digit));
        Some(Capture { time, other_host, ..Capture::failed(site, resource, origin.clone(), error) })
    }
}

impl Iterator for CaptureLines {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(cut) = self.cut.take() {
            return Some(Ok(cut));
        }
        while !self.ended {
            let Some((line, rest)) = split_line(&self.block.bytes[self.position..]) else {
                match self.next_block()? {
                    Ok(()) => continue,
                    Err(error) => return Some(Err(error)),
                }
            };
            self.position = self.block.bytes.len() - rest.len();
            let has_no_end = self.position == self.block.bytes.len() && !self.block.bytes.ends_with(b"\n");
            let is_header = matches!(self.form, Form::Tsv(None));
            let read = self.form.read(line, &self.origin);
            let cut = match &self.form {
                _ if !has_no_end => None,
                // Half of a value is a value, too.
                Form::Tsv(columns) => (read.is_ok() || columns.is_some()).then_some(Kind::CutLine),
                Form::Json(_) => (!matches!(read, Ok(None)) && json::is_cut(line)).then_some(Kind::CutObject),
            };
            let is_cut = cut.is_some();
            let capture = cut
                .map_or(read, Err)
                .map_err(|kind| InputError::new(self.origin.file.clone(), self.origin.line, kind));
            if let (Err(error), true, false) = (&capture, is_cut, is_header) {
                self.cut = self.form.read_cut(line, &self.origin, error);
            }
            self.origin.line = self.origin.line.map(|line| line + 1);
            // Without column names, the rest of the file cannot be interpreted.
            self.ended = capture.as_ref().is_err_and(InputError::ends_file);
            if let Some(capture) = capture.transpose() {
                return Some(capture);
            }
        }
        None
    }
}
