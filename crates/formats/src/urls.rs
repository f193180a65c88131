//! URLs to check: a frontier, in one or more files.

mod captures;
mod csv;
pub(crate) mod first;
mod format;
pub(crate) mod layout;
mod warc;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use robomata_protocol::requestable;
use serde::{Deserialize, Serialize};

pub use self::captures::require_no_captures;
use self::csv::{Joiner, RecordBlocks, RecordEnd, Records};
use self::first::FirstLines;
pub use self::format::{FrontierFormat, UnknownFormat, UrlColumn};
pub use self::layout::Layout;
use self::warc::{RecordContent, RecordLines};
use crate::cdx;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, RawInput};
use crate::lines::{self, Block, DEFAULT_BLOCK_SIZE, LineBlocks};
use crate::log::LogFormat;
use crate::meter::Meter;
use crate::rows::{RowColumns, RowReader, UrlRows};
use crate::sniff::{Format, Sniffed};
use crate::warc::{Exchanges, WarcReader};

/// A source of URLs: files that are read one after the other, and the position of the URL in each.
///
/// ```
/// use robomata_formats::Frontier;
/// use std::num::NonZeroUsize;
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("urls.tsv");
/// std::fs::write(&path, "7\thttps://example.com/a\r\nno tab\n")?;
///
/// let frontier = Frontier::new([path]).with_column(NonZeroUsize::new(2).unwrap());
/// for block in frontier.blocks() {
///     let block = block?;
///     let urls: Vec<_> = block.urls().map(|line| (line.number, line.url)).collect();
///     assert_eq!(urls, [(1, Some(b"https://example.com/a".into())), (2, None)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Frontier {
    paths: Vec<PathBuf>,
    purpose: Purpose,
    format: Option<FrontierFormat>,
    column: Option<UrlColumn>,
    row_columns: RowColumns,
    is_url: Option<fn(&[u8]) -> bool>,
    empty_streams: EmptyStreams,
    block_size: usize,
    from: FrontierPosition,
    meter: Meter,
}

/// How to treat standard input, or a pipe, without a byte, as after a command that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyStreams {
    /// Treat it as an empty file.
    #[default]
    Accept,
    /// Return an error.
    Refuse,
}

/// The purpose of reading the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Urls,
    Logs,
}

/// A position in a frontier, between two blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontierPosition {
    /// The index of the file.
    pub file: usize,
    /// The number of decompressed bytes of that file before the position; in Parquet, of rows.
    pub at: u64,
    /// The number of lines or rows of that file before the position.
    pub lines: u64,
}

impl Frontier {
    /// Reads the URLs of the files `paths`, plain or compressed; `-` is standard input. The name of each file
    /// determines its format ([`FrontierFormat::of_name`]).
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Frontier {
            paths,
            purpose: Purpose::Urls,
            format: None,
            column: None,
            row_columns: RowColumns::default(),
            is_url: None,
            empty_streams: EmptyStreams::default(),
            block_size: DEFAULT_BLOCK_SIZE,
            from: FrontierPosition::default(),
            meter: Meter::default(),
        }
    }

    /// Reads the logs `paths` for [`crate::log`], plain or compressed; `-` is standard input. Blocks contain lines
    /// unchanged, rows of Parquet, or one line for each request in a web archive. Parquet and WARC are detected by name
    /// or, if the name is inconclusive, by first bytes. With `format`, all files have that format. Logs are read from
    /// their beginning.
    pub fn of_logs<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>, format: Option<LogFormat>) -> Self {
        let format = format.map(|format| match format {
            LogFormat::Parquet => FrontierFormat::Parquet,
            LogFormat::Warc => FrontierFormat::Warc,
            _ => FrontierFormat::Text,
        });
        let row_columns = RowColumns::Request;
        Frontier { purpose: Purpose::Logs, format, row_columns, ..Frontier::new(paths) }
    }

    /// Counts the bytes read in `meter`.
    #[must_use]
    pub fn with_meter(mut self, meter: Meter) -> Self {
        self.meter = meter;
        self
    }

    /// Sets the format of all files, regardless of their names.
    #[must_use]
    pub fn with_format(mut self, format: FrontierFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the position of the URL. In text and TSV this is the number of a column, counted from 1, or its name in the
    /// header line; without it, TSV and CSV have the URL in the first column with a known name, such as `url`, else in the first
    /// column. In JSON lines it is a key, and in Parquet a column. CDX and WARC need none.
    #[must_use]
    pub fn with_column(mut self, column: impl Into<UrlColumn>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// Sets which columns of Parquet files are read.
    #[must_use]
    pub fn with_row_columns(mut self, columns: RowColumns) -> Self {
        self.row_columns = columns;
        self
    }

    /// Requires a URL, as recognised by `is_url`, in the first 1,000 lines or rows of every file. A file without one is
    /// not a file of URLs, or its URLs are in another column. Nothing of it is returned, and the error gives the column
    /// ([`InputError::is_mistake`]). An empty file is accepted.
    #[must_use]
    pub fn requiring_urls(mut self, is_url: fn(&[u8]) -> bool) -> Self {
        self.is_url = Some(is_url);
        self
    }

    /// Sets how an empty stream is treated by a frontier that requires URLs. An empty file and `/dev/null` are accepted.
    #[must_use]
    pub fn with_empty_streams(mut self, empty_streams: EmptyStreams) -> Self {
        self.empty_streams = empty_streams;
        self
    }

    /// Checks the first lines of each file, before reading, as required by [`Frontier::requiring_urls`]. Standard
    /// input, pipes and devices are not touched.
    ///
    /// # Errors
    /// Fails for the first file that does not contain URLs as expected.
    pub fn require_urls(&self) -> Result<(), InputError> {
        /// A small block size: the first block nearly always contains a URL.
        const LITTLE: usize = 4 << 10;
        for path in self.paths.iter().filter(|path| input::opens_again(path)) {
            let alone = Frontier {
                paths: vec![path.clone()],
                block_size: LITTLE,
                from: FrontierPosition::default(),
                meter: Meter::default(),
                ..self.clone()
            };
            if let Some(Err(error)) = alone.blocks().next()
                && error.is_mistake()
            {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sets the size of blocks to about `bytes` bytes instead of [`DEFAULT_BLOCK_SIZE`]; see [`LineBlocks::new`].
    #[must_use]
    pub fn with_block_size(mut self, bytes: usize) -> Self {
        self.block_size = bytes;
        self
    }

    /// Starts after `position`, the end of a block of the same frontier.
    #[must_use]
    pub fn from_position(mut self, position: FrontierPosition) -> Self {
        self.from = position;
        self
    }

    /// The format of the file `path`.
    pub fn format_of(&self, path: &Path) -> FrontierFormat {
        self.format.unwrap_or_else(|| FrontierFormat::of_name(path))
    }

    /// All blocks of all files, in order. A file that cannot be read, or not to its end, is an error among them, and
    /// the next file follows.
    pub fn blocks(&self) -> FrontierBlocks {
        self.paths.iter().take(self.from.file).for_each(|path| self.meter.pass(path));
        FrontierBlocks {
            frontier: self.clone(),
            next_file: self.from.file,
            format: FrontierFormat::default(),
            current: None,
            ahead: VecDeque::new(),
            has_begun: false,
        }
    }

    /// Opens the file at `index`, at the start position if that is in this file.
    fn open(&self, index: usize) -> Result<(FrontierFormat, OpenFile), InputError> {
        let path = &self.paths[index];
        let from = if index == self.from.file { self.from } else { FrontierPosition::default() };
        let (format, opened) = match self.purpose {
            Purpose::Urls => (self.format_of(path), None),
            Purpose::Logs => self.format_of_log(path)?,
        };
        if format == FrontierFormat::Parquet {
            let rows = RowReader::open(path, self.column.as_ref(), self.row_columns, from.at, &self.meter);
            let rows = rows.map_err(|error| match self.is_url {
                Some(is_url) if error.is_mistake() => error.with_advice(first::advice_on_rows(path, is_url)),
                _ => error,
            })?;
            return Ok((format, OpenFile::Rows(Box::new(rows))));
        }
        if format == FrontierFormat::Warc {
            let from = FrontierPosition { file: index, ..from };
            let reader = match opened {
                Some(opened) => WarcReader::new(opened, &FileName::new(path))?,
                None => WarcReader::open_metered(path, &self.meter)?,
            };
            let content = match self.purpose {
                Purpose::Urls => RecordContent::TargetUris,
                Purpose::Logs => RecordContent::Requests(Exchanges::default()),
            };
            let lines = RecordLines::new(reader, content, from, self.block_size);
            return Ok((format, OpenFile::Warc(Box::new(lines))));
        }
        let mut layout = None;
        if from.at > 0 {
            // The header is at the beginning of the file.
            let unmetered = Frontier { meter: Meter::default(), ..self.clone() };
            let lines = unmetered.lines(path, None, FrontierPosition::default())?;
            let mut first = records(format, lines, None);
            if let Some((mut block, mut ends)) = first_of(format, &mut first).transpose()? {
                layout = Some(self.layout(path, format, &first, &mut block, &mut ends)?);
            }
        }
        let blocks = records(format, self.lines(path, opened, from)?, layout.as_deref());
        Ok((format, OpenFile::Lines { blocks: Box::new(blocks), layout }))
    }

    /// Detects the format of the log `path`. Also returns the open input if it cannot be opened again.
    fn format_of_log(&self, path: &Path) -> Result<(FrontierFormat, Option<RawInput>), InputError> {
        let has_no_lines =
            |format: &FrontierFormat| matches!(format, FrontierFormat::Parquet | FrontierFormat::Warc);
        let of_name = || Some(FrontierFormat::of_name(path)).filter(has_no_lines);
        if let Some(format) = self.format.or_else(of_name) {
            return Ok((format, None));
        }
        let opens_again = input::opens_again(path);
        let meter = if opens_again { Meter::default() } else { self.meter.clone() };
        let sniffed = Sniffed::open(path, &meter)?;
        let format = match sniffed.certain {
            Some(Format::Parquet) => FrontierFormat::Parquet,
            Some(Format::Warc) => FrontierFormat::Warc,
            _ => FrontierFormat::Text,
        };
        Ok((format, (!opens_again).then_some(sniffed.reader)))
    }

    /// The lines of `path`. If the file is already open, `opened` is its whole content.
    fn lines(
        &self,
        path: &Path,
        opened: Option<RawInput>,
        from: FrontierPosition,
    ) -> Result<LineBlocks, InputError> {
        let name = FileName::new(path);
        let input = match (opened, from.at) {
            (Some(opened), _) => input::decode(opened, &name)?,
            (None, 0) => input::open_metered(path, &self.meter)?,
            (None, bytes) => input::open_at(path, bytes, &self.meter)?,
        };
        Ok(LineBlocks::new(input, name, self.block_size).from_within(from.at, from.lines + 1))
    }

    fn layout(
        &self,
        path: &Path,
        format: FrontierFormat,
        blocks: &RecordBlocks,
        first: &mut Block,
        ends: &mut Option<Vec<RecordEnd>>,
    ) -> Result<Arc<Layout>, InputError> {
        let layout = Layout::read(format, self.column.as_ref(), blocks.dialect(), first, ends);
        layout.map(Arc::new).map_err(|kind| {
            let error = InputError::new(FileName::new(path), None, kind);
            match self.is_url {
                Some(is_url) => error.with_advice(first::advice_on_columns(first, blocks.dialect(), is_url)),
                None => error,
            }
        })
    }
}

/// Is `path` standard input or a pipe? `/dev/null` is a name for an empty file.
fn is_stream(path: &Path) -> bool {
    !input::opens_again(path) && path != Path::new("/dev/null")
}

/// Blocks of `lines`. In CSV the blocks contain whole records; `layout`, if known, gives the delimiter of fields.
fn records(format: FrontierFormat, lines: LineBlocks, layout: Option<&Layout>) -> RecordBlocks {
    let csv = (format == FrontierFormat::Csv).then(|| Joiner::new(layout.and_then(Layout::csv)));
    RecordBlocks::new(lines, csv)
}

/// The first block of a file, with the whole header.
fn first_of(format: FrontierFormat, blocks: &mut RecordBlocks) -> Option<Result<Records, InputError>> {
    match format {
        FrontierFormat::Cdxj => blocks.first(cdx::is_cdxj_header),
        // Other headers are a single record.
        _ => blocks.next(),
    }
}

/// The iterator returned by [`Frontier::blocks`].
pub struct FrontierBlocks {
    frontier: Frontier,
    next_file: usize,
    /// The format of the current file.
    format: FrontierFormat,
    current: Option<OpenFile>,
    /// Blocks that were read to look for a URL, and are returned next.
    ahead: VecDeque<Result<FrontierBlock, InputError>>,
    /// Whether a block of the current file was returned.
    has_begun: bool,
}

enum OpenFile {
    Lines {
        blocks: Box<RecordBlocks>,
        /// None before the first block.
        layout: Option<Arc<Layout>>,
    },
    Rows(Box<RowReader>),
    Warc(Box<RecordLines>),
}

impl FrontierBlocks {
    /// Takes back a used block to reuse its memory.
    pub fn recycle(&mut self, block: FrontierBlock) {
        if let (Some(OpenFile::Lines { blocks, .. }), FrontierContent::Lines(lines)) =
            (&mut self.current, block.content)
        {
            blocks.recycle(lines.block);
        }
    }

    /// The next block of the current file; none at its end, or if no file is open.
    fn next_of_file(&mut self) -> Option<Result<FrontierBlock, InputError>> {
        let index = self.next_file.checked_sub(1)?;
        let path = self.frontier.paths.get(index)?;
        let (file, format) = (FileName::new(path), self.format);
        match self.current.as_mut()? {
            OpenFile::Warc(lines) => lines.next(),
            OpenFile::Rows(rows) => Some(rows.next()?.map(|rows| {
                let read = rows.rows_before() + rows.len() as u64;
                let end = FrontierPosition { file: index, at: read, lines: read };
                FrontierBlock { file, format, content: FrontierContent::Rows(rows), end, is_first: false }
            })),
            OpenFile::Lines { blocks, layout } => {
                let next = if layout.is_none() { first_of(format, blocks) } else { blocks.next() };
                let (mut block, mut ends) = match next? {
                    Ok(records) => records,
                    Err(error) => return Some(Err(error)),
                };
                let known = match layout {
                    Some(layout) => layout.clone(),
                    None => match self.frontier.layout(path, format, blocks, &mut block, &mut ends) {
                        Ok(read) => layout.insert(read).clone(),
                        Err(error) => {
                            self.current = None;
                            return Some(Err(error));
                        }
                    },
                };
                blocks.divide(&mut block, &known);
                let (at, line) = blocks.place();
                let end = FrontierPosition { file: index, at, lines: line - 1 };
                let content = FrontierContent::Lines(LineBlock { block, ends, layout: known });
                Some(Ok(FrontierBlock { file, format, content, end, is_first: false }))
            }
        }
    }
}

impl FrontierBlocks {
    /// Reads blocks of the new file until a URL is found, usually on the first line.
    fn look_for_url(&mut self) -> Result<(), InputError> {
        let Some(is_url) = self.frontier.is_url else { return Ok(()) };
        let mut first = FirstLines::new(is_url);
        while first.wants_more() {
            let Some(item) = self.next_of_file() else {
                first.end();
                break;
            };
            match &item {
                Ok(block) => first.look(block),
                // The unreadable part may have contained URLs.
                Err(error) if error.ends_file() => first.give_up(),
                Err(_) => {}
            }
            self.ahead.push_back(item);
        }
        let Some(path) = self.next_file.checked_sub(1).and_then(|index| self.frontier.paths.get(index))
        else {
            return Ok(());
        };
        let refuses_empty = self.frontier.empty_streams == EmptyStreams::Refuse;
        if refuses_empty && self.ahead.is_empty() && is_stream(path) {
            return Err(InputError::new(FileName::new(path), None, Kind::EmptyStream));
        }
        first.result(path, self.format, self.frontier.format.is_none(), self.ahead.iter().flatten())
    }
}

impl Iterator for FrontierBlocks {
    type Item = Result<FrontierBlock, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ahead.pop_front().or_else(|| self.next_of_file()) {
                return Some(item.map(|block| {
                    let is_first = !std::mem::replace(&mut self.has_begun, true);
                    FrontierBlock { is_first, ..block }
                }));
            }
            self.current = None;
            self.has_begun = false;
            if self.next_file >= self.frontier.paths.len() {
                return None;
            }
            self.next_file += 1;
            match self.frontier.open(self.next_file - 1) {
                Ok((format, file)) => (self.format, self.current) = (format, Some(file)),
                Err(error) => return Some(Err(error)),
            }
            let is_within = self.next_file - 1 == self.frontier.from.file && self.frontier.from.at > 0;
            if !is_within && let Err(error) = self.look_for_url() {
                self.current = None;
                self.ahead.clear();
                return Some(Err(error));
            }
        }
    }
}

/// Some lines or rows of one file of a frontier.
#[derive(Clone, Debug)]
pub struct FrontierBlock {
    /// The file.
    pub file: FileName,
    /// Its format. For logs with lines this is text, in any log format.
    pub format: FrontierFormat,
    /// The lines or rows.
    pub content: FrontierContent,
    /// The position of the block's end.
    pub end: FrontierPosition,
    /// Whether this is the first block of its file that is returned. Lines before it may have been unreadable.
    pub is_first: bool,
}

/// What a block holds.
#[derive(Clone, Debug)]
pub enum FrontierContent {
    /// Lines.
    Lines(LineBlock),
    /// Rows of Parquet.
    Rows(UrlRows),
}

/// Some lines of one file of a frontier.
#[derive(Clone, Debug)]
pub struct LineBlock {
    /// The lines, without header lines.
    pub block: Block,
    /// The ends of records; none if every line is a record.
    ends: Option<Vec<RecordEnd>>,
    layout: Arc<Layout>,
}

impl LineBlock {
    /// The lines, or records of several lines, with their URLs, in order. A CR at the end of a line is not part of the
    /// URL, and neither are blanks around it.
    #[inline]
    pub fn urls(&self) -> impl Iterator<Item = UrlLine<'_>> {
        let ends = self.ends.as_ref().map(|ends| ends.iter());
        LinesOrRecords {
            rest: &self.block.bytes,
            number: self.block.first_line,
            before: RecordEnd::default(),
            ends,
        }
        .map(|(number, line)| {
            let url = self.layout.url(lines::trim_line_end(line)).and_then(requestable_text);
            UrlLine { number, line, url }
        })
    }

    /// The URL of a line as written, even if it contains control characters, so that [`UrlLine::url`] is `None`.
    pub fn written_url<'a>(&self, line: &UrlLine<'a>) -> Option<Cow<'a, [u8]>> {
        self.layout.url(lines::trim_line_end(line.line))
    }

    /// The common properties of all lines of the file.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// The records of a block without their LF, each with the number of its first line.
struct LinesOrRecords<'a> {
    rest: &'a [u8],
    /// The number of the first line of `rest`.
    number: u64,
    /// The end of the record before `rest`.
    before: RecordEnd,
    /// None if every line is a record.
    ends: Option<std::slice::Iter<'a, RecordEnd>>,
}

impl<'a> Iterator for LinesOrRecords<'a> {
    type Item = (u64, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let number = self.number;
        let Some(ends) = &mut self.ends else {
            let (line, rest) = lines::split_line(self.rest)?;
            (self.rest, self.number) = (rest, number + 1);
            return Some((number, line));
        };
        let end = *ends.next()?;
        let (record, rest) = self.rest.split_at(end.bytes - self.before.bytes);
        self.number += u64::from(end.lines - self.before.lines);
        (self.rest, self.before) = (rest, end);
        Some((number, record.strip_suffix(b"\n").unwrap_or(record)))
    }
}

/// A line or row of a frontier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlLine<'a> {
    /// The 1-based number of the line or row in its file.
    pub number: u64,
    /// The whole line as in the file, without LF; empty for rows.
    pub line: &'a [u8],
    /// The URL as written, without blanks around it, which may be empty or invalid. `None` if the line has too few
    /// columns, does not match the format of its file, or if its URL contains control characters ([`requestable`]).
    /// Borrowed unless it had to be decoded or assembled.
    pub url: Option<Cow<'a, [u8]>>,
}

impl FrontierBlock {
    /// The lines or rows with their URLs, in order. A CR at the end of a line is not part of the URL, and neither are
    /// blanks around it.
    pub fn urls(&self) -> impl Iterator<Item = UrlLine<'_>> {
        let (lines, rows) = match &self.content {
            FrontierContent::Lines(lines) => (Some(lines), None),
            FrontierContent::Rows(rows) => (None, Some(rows)),
        };
        let rows = rows.into_iter().flat_map(move |rows| {
            (0..rows.len()).map(move |index| {
                let number = rows.rows_before() + index as u64 + 1;
                UrlLine { number, line: b"", url: rows.url(index).map(|url| url.text()) }
            })
        });
        lines.into_iter().flat_map(LineBlock::urls).chain(rows)
    }

    /// The number of lines, records or rows in the block.
    pub fn len(&self) -> u64 {
        match &self.content {
            FrontierContent::Lines(LineBlock { block, ends, .. }) => {
                ends.as_ref().map_or(u64::from(block.lines), |ends| ends.len() as u64)
            }
            FrontierContent::Rows(rows) => rows.len() as u64,
        }
    }

    /// Returns whether the block contains no lines except a header.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error for a line of this block whose [`UrlLine::url`] is `None`.
    pub fn missing_url(&self, line: &UrlLine<'_>) -> InputError {
        let missing = || Kind::Expected("a URL, or a scheme, a host and a port".to_owned());
        let kind = match &self.content {
            FrontierContent::Lines(lines) => {
                let text = lines::trim_line_end(line.line);
                lines.written_url(line).map_or_else(|| lines.layout.why_none(text), |url| with_controls(&url))
            }
            FrontierContent::Rows(rows) => {
                let row = usize::try_from(line.number - rows.rows_before() - 1).unwrap_or(usize::MAX);
                rows.written_url(row).map_or_else(missing, |url| with_controls(&url.text()))
            }
        };
        InputError::new(self.file.clone(), Some(line.number), kind)
    }
}

/// `bytes` as a text, for outputs that can hold only text. Bytes that are not UTF-8 become %XX, which denotes the same URL.
///
/// ```
/// use robomata_formats::urls::as_text;
///
/// assert_eq!(as_text(b"https://example.com/\xc3\xa9\xe9"), "https://example.com/\u{e9}%E9");
/// ```
pub fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    Cow::Owned(text)
}

#[inline]
fn requestable_text(text: Cow<'_, [u8]>) -> Option<Cow<'_, [u8]>> {
    match text {
        Cow::Borrowed(text) => requestable(text).map(Cow::Borrowed),
        Cow::Owned(text) => match requestable(&text)? {
            url if url.len() < text.len() => Some(Cow::Owned(url.to_vec())),
            _ => Some(Cow::Owned(text)),
        },
    }
}

/// The error for a URL with control characters.
fn with_controls(url: &[u8]) -> Kind {
    /// The most characters that are quoted.
    const QUOTED: usize = 80;
    let text: String = String::from_utf8_lossy(url).chars().take(QUOTED).collect();
    Kind::Expected(format!("a URL without control characters, found {text:?}"))
}
