//! The layout of the lines of one file, and the position of the URL in them.

use std::borrow::Cow;
use std::ops::Range;

use super::csv::{Dialect, RecordEnd};
use super::format::{FrontierFormat, UrlColumn};
use crate::cdx::{self, CdxColumns};
use crate::error::{DuplicateColumn, Kind};
use crate::json_object::values_at;
use crate::lines::{self, BYTE_ORDER_MARK, Block, without_mark};

/// The default column or key of the URL.
pub(crate) const URL: &str = "url";

/// Names of the URL column in CSV, ignoring case; the first one in the header counts.
pub(super) const CSV_NAMES: [&str; 8] =
    ["url", "uri", "loc", "link", "href", "address", "page url", "page_url"];

/// The common properties of all lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    /// The lines before the first one that may contain a URL, with their ends.
    header: Vec<u8>,
    /// The names of tab-separated or comma-separated columns, if there is a header.
    names: Vec<String>,
}

/// The position of the URL in a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Shape {
    #[default]
    Line,
    /// Counted from 1.
    Column(usize),
    /// Counted from 1, in CSV.
    Field(usize, Dialect),
    Json(String),
    Cdx(CdxColumns),
    Cdxj,
}

impl Layout {
    /// Determines the layout of a file of `format` that begins with `first`, and removes header lines from `first`. In
    /// CSV, `dialect` is the delimiter of fields. `ends` are the ends of records; none if every line is a record.
    ///
    /// # Errors
    /// Fails when the column is missing. The error is about the file.
    pub(super) fn read(
        format: FrontierFormat,
        column: Option<&UrlColumn>,
        dialect: Option<Dialect>,
        first: &mut Block,
        ends: &mut Option<Vec<RecordEnd>>,
    ) -> Result<Self, Kind> {
        if let Some(dialect) = dialect {
            return Layout::of_csv(column, dialect, first, ends);
        }
        if first.first_line == 1 && first.bytes.starts_with(BYTE_ORDER_MARK) {
            // A byte order mark is not part of a URL. It stays in a header.
            first.bytes.drain(..BYTE_ORDER_MARK.len());
            let layout = Layout::read(format, column, dialect, first, ends)?;
            let mark = if layout.header.is_empty() { b"" } else { BYTE_ORDER_MARK };
            return Ok(Layout { header: [mark, &layout.header].concat(), ..layout });
        }
        let shape = match (format, column) {
            (FrontierFormat::JsonLines, Some(UrlColumn::Name(key))) => Shape::Json(key.clone()),
            (FrontierFormat::JsonLines, _) => Shape::Json(URL.to_owned()),
            (FrontierFormat::Cdx, _) => return Ok(Layout::of_cdx(first)),
            (FrontierFormat::Cdxj, _) => return Ok(Layout::of_cdxj(first)),
            (FrontierFormat::Warc | FrontierFormat::Parquet, _) => Shape::Line,
            (_, Some(UrlColumn::Number(number))) => Shape::Column(number.get()),
            (_, Some(UrlColumn::Name(name))) => return Layout::of_header(name, first),
            (FrontierFormat::Tsv, None) => {
                let has_header = names_in(first_line(first)).iter().any(|name| name == URL);
                return if has_header { Layout::of_header(URL, first) } else { Ok(Layout::column(1)) };
            }
            (FrontierFormat::Text | FrontierFormat::Csv, None) => Shape::Line,
        };
        Ok(Layout { shape, ..Layout::default() })
    }

    /// CSV: the first record is a header if a column is named, or if the record contains no URL.
    fn of_csv(
        column: Option<&UrlColumn>,
        dialect: Dialect,
        first: &mut Block,
        ends: &mut Option<Vec<RecordEnd>>,
    ) -> Result<Self, Kind> {
        let end = first_end(first, ends.as_deref());
        let record = &first.bytes[..end.bytes];
        let mut names: Vec<String> = dialect
            .fields(lines::trim_line_end(record))
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect();
        let has_url = memchr::memmem::find(record, b"://").is_some();
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let place = |name: &str| DuplicateColumn::only_in_any_case(&columns, name);
        let (number, has_header) = match column {
            Some(UrlColumn::Number(number)) => (number.get(), !has_url),
            Some(UrlColumn::Name(name)) => match place(name)? {
                Some(place) => (place + 1, true),
                None => {
                    return Err(Kind::missing_column(format!("{name:?}"), names.iter().map(String::as_str)));
                }
            },
            None if has_url => (1, false),
            None => {
                let first = CSV_NAMES.iter().find_map(|name| place(name).transpose()).transpose()?;
                (first.map_or(1, |place| place + 1), true)
            }
        };
        let mut header = Vec::new();
        if has_header {
            header = take_record(first, ends, end);
        } else {
            names.clear();
        }
        Ok(Layout { shape: Shape::Field(number, dialect), header, names })
    }

    fn column(number: usize) -> Self {
        Layout { shape: Shape::Column(number), ..Layout::default() }
    }

    /// Tab-separated columns, one of which has this name in the first line.
    fn of_header(name: &str, first: &mut Block) -> Result<Self, Kind> {
        let names = names_in(first_line(first));
        let Some(place) = DuplicateColumn::only(names.iter().map(|other| other == name), name)? else {
            return Err(Kind::missing_column(format!("{name:?}"), names.iter().map(String::as_str)));
        };
        Ok(Layout { shape: Shape::Column(place + 1), header: take_first_line(first), names })
    }

    fn of_cdx(first: &mut Block) -> Self {
        match CdxColumns::of_header(first_line(first)) {
            Some(columns) => {
                Layout { shape: Shape::Cdx(columns), header: take_first_line(first), names: Vec::new() }
            }
            None => {
                let columns = CdxColumns::without_header(first_line(first));
                Layout { shape: Shape::Cdx(columns), ..Layout::default() }
            }
        }
    }

    /// CDXJ: the header lines are removed at once, because a file can have any number of them.
    fn of_cdxj(first: &mut Block) -> Self {
        let lines = first.bytes.split_inclusive(|&byte| byte == b'\n');
        let header = lines.take_while(|line| cdx::is_cdxj_header(line));
        let end = header.fold(RecordEnd::default(), |end, line| RecordEnd {
            bytes: end.bytes + line.len(),
            lines: end.lines + 1,
        });
        Layout { shape: Shape::Cdxj, header: take_record(first, &mut None, end), names: Vec::new() }
    }

    /// The lines before the first one that may contain a URL, with their ends; empty if there are none.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The names of tab-separated or comma-separated columns; empty without a header.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns of a CDX file; none for other formats.
    pub fn cdx_columns(&self) -> Option<&CdxColumns> {
        match &self.shape {
            Shape::Cdx(columns) => Some(columns),
            _ => None,
        }
    }

    /// Returns whether every line is a JSON object.
    pub fn is_json(&self) -> bool {
        matches!(self.shape, Shape::Json(_))
    }

    /// Returns whether every line is CDXJ.
    pub fn is_cdxj(&self) -> bool {
        self.shape == Shape::Cdxj
    }

    /// The delimiter of CSV fields; none for other formats.
    pub fn csv_delimiter(&self) -> Option<u8> {
        self.csv().map(Dialect::delimiter)
    }

    /// The delimiter of fields in CSV.
    pub(super) fn csv(&self) -> Option<Dialect> {
        match self.shape {
            Shape::Field(_, dialect) => Some(dialect),
            _ => None,
        }
    }

    /// The columns of a line without its end: the fields of CSV, or tab-separated columns.
    pub fn columns<'a>(&self, text: &'a [u8]) -> impl Iterator<Item = Cow<'a, [u8]>> + use<'a> {
        let fields = self.csv().map(|dialect| dialect.fields(text));
        let tabs = fields.is_none().then(|| text.split(|&byte| byte == b'\t').map(Cow::Borrowed));
        fields.into_iter().flatten().chain(tabs.into_iter().flatten())
    }

    /// Returns whether tabs separate the columns.
    pub fn has_columns(&self) -> bool {
        matches!(self.shape, Shape::Column(_))
    }

    /// The URL of a line without its end.
    #[inline]
    pub(super) fn url<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match &self.shape {
            Shape::Line => Some(Cow::Borrowed(text)),
            Shape::Column(number) => lines::column(text, *number).map(Cow::Borrowed),
            _ => self.url_in_record(text),
        }
    }

    #[inline(never)]
    fn url_in_record<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match &self.shape {
            Shape::Line | Shape::Column(_) => None,
            Shape::Field(number, dialect) => dialect.field(text, *number),
            Shape::Json(key) => {
                let [url] = values_at(text, [key]).ok()?;
                url.into_text().map(|text| match text {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                })
            }
            Shape::Cdx(columns) => columns.url(text),
            Shape::Cdxj => cdx::cdxj_url(text),
        }
    }

    /// The reason why [`Layout::url`] finds no URL.
    pub(super) fn why_none(&self, text: &[u8]) -> Kind {
        match &self.shape {
            Shape::Line => Kind::MissingColumn(1),
            Shape::Column(number) => Kind::MissingColumn(*number),
            Shape::Field(number, _) => Kind::Expected(format!("at least {number} fields")),
            Shape::Json(key) => match values_at(text, [key]) {
                Ok(_) => Kind::Expected(format!("a text at key \"{key}\"")),
                Err(error) => crate::json::syntax_error(&error),
            },
            Shape::Cdx(columns) => columns.why_none(text),
            Shape::Cdxj => cdx::why_no_url_in_cdxj(text),
        }
    }

    /// The lines of `text`, after the header of an index, that are not captures: header lines, and a last line that was cut.
    /// With the error that ends the file before a line, if any.
    pub(super) fn breaks(&self, text: &[u8]) -> Vec<(Range<usize>, Option<Kind>)> {
        let mut breaks = Vec::new();
        if let Shape::Cdx(columns) = &self.shape {
            // The delimiter is before the word.
            for start in memchr::memmem::find_iter(text, b"CDX").filter_map(|place| place.checked_sub(1)) {
                if start > 0 && text[start - 1] != b'\n' {
                    continue;
                }
                let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end + 1);
                if let Some(other) = CdxColumns::of_header(&text[start..end]) {
                    breaks.push((start..end, (other != *columns).then_some(Kind::OtherHeader)));
                }
            }
        }
        let last = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
        if self.is_cut(&text[last..]) {
            breaks.push((last..text.len(), Some(Kind::CutLine)));
        }
        breaks
    }

    /// Returns whether `last`, a line of an index without a line end, is not whole. In other formats, a URL that was cut looks
    /// like any other.
    fn is_cut(&self, last: &[u8]) -> bool {
        match &self.shape {
            Shape::Cdx(columns) => columns.is_cut(last),
            Shape::Cdxj => cdx::is_cut_cdxj(last),
            _ => false,
        }
    }
}

fn first_line(block: &Block) -> &[u8] {
    lines::trim_line_end(block.lines().next().unwrap_or_default())
}

fn names_in(line: &[u8]) -> Vec<String> {
    without_mark(line)
        .split(|&byte| byte == b'\t')
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

fn take_first_line(block: &mut Block) -> Vec<u8> {
    take_record(block, &mut None, first_end(block, None))
}

/// The end of the first record of a block. `ends` are the ends of its records; none if every line is a record.
fn first_end(block: &Block, ends: Option<&[RecordEnd]>) -> RecordEnd {
    let line = || RecordEnd {
        bytes: memchr::memchr(b'\n', &block.bytes).map_or(block.bytes.len(), |end| end + 1),
        lines: block.lines.min(1),
    };
    ends.map_or_else(line, |ends| ends.first().copied().unwrap_or_default())
}

/// Removes the first record, which ends at `end`, from a block and from the ends of its records.
fn take_record(block: &mut Block, ends: &mut Option<Vec<RecordEnd>>, end: RecordEnd) -> Vec<u8> {
    let record: Vec<u8> = block.bytes.drain(..end.bytes).collect();
    block.first_line += u64::from(end.lines);
    block.lines -= end.lines;
    if let Some(ends) = ends {
        ends.remove(0);
        for other in ends {
            other.bytes -= end.bytes;
            other.lines -= end.lines;
        }
    }
    record
}
