//! The layout of the lines of one file, and the position of the URL in them.

use std::borrow::Cow;
use std::ops::Range;

use super::csv::{Dialect, RecordEnd};
use super::format::{FrontierFormat, UrlColumn};
use crate::cdx::{self, CdxColumns};
use crate::error::{DuplicateColumn, Kind};
use crate::json;
use crate::json_object::values_at;
use crate::lines::{self, BYTE_ORDER_MARK, Block};
use crate::other_input::unquoted;

/// The default column or key of the URL.
pub(crate) const URL: &str = "url";

/// Names of the URL column in TSV and CSV, ignoring case; the first one in the header counts.
pub(super) const URL_NAMES: [&str; 8] =
    ["url", "uri", "loc", "link", "href", "address", "page url", "page_url"];

/// The common properties of all lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    /// The lines before the first one that may contain a URL, with their ends.
    header: Vec<u8>,
    /// The names of tab-separated or comma-separated columns, if there is a header.
    names: Vec<String>,
    /// Whether the URL is in the first column because neither a given column nor a known name says where it is.
    is_default: bool,
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
        if dialect.is_some() {
            return Layout::of_table(column, dialect, first, ends);
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
            (FrontierFormat::Tsv, _) | (_, Some(_)) => return Layout::of_table(column, None, first, ends),
            (FrontierFormat::Text | FrontierFormat::Csv, None) => Shape::Line,
        };
        Ok(Layout { shape, ..Layout::default() })
    }

    /// A table with tabs or, if there is a `dialect`, CSV. Without a column, the first known name in the first record counts,
    /// else the first column. The first record is a header if it has no URL and may name the column.
    fn of_table(
        column: Option<&UrlColumn>,
        dialect: Option<Dialect>,
        first: &mut Block,
        ends: &mut Option<Vec<RecordEnd>>,
    ) -> Result<Self, Kind> {
        let end = first_end(first, ends.as_deref());
        let record = lines::trim_line_end(&first.bytes[..end.bytes]);
        let mut names: Vec<String> = match dialect {
            Some(dialect) => dialect.fields(record).iter().map(|name| name_of(name)).collect(),
            None => record.split(|&byte| byte == b'\t').map(|name| name_of(unquoted(name))).collect(),
        };
        let has_url = memchr::memmem::find(record, b"://").is_some();
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let place = |name: &str| DuplicateColumn::only_in_any_case(&columns, name);
        let known = || URL_NAMES.iter().find_map(|name| place(name).transpose()).transpose();
        let named = match column {
            Some(UrlColumn::Number(_)) => None,
            Some(UrlColumn::Name(name)) => {
                let missing = || Kind::missing_column(format!("{name:?}"), columns.iter().copied());
                Some(place(name)?.ok_or_else(missing)?)
            }
            None if has_url => None,
            None => known()?,
        };
        let number = match (named, column) {
            (Some(place), _) => place + 1,
            (None, Some(UrlColumn::Number(number))) => number.get(),
            (None, _) => 1,
        };
        // A path or an address in that column is a row.
        let may_be_name = |name: &&str| !name.is_empty() && !name.contains(['/', '@']);
        let has_header = named.is_some() || (!has_url && columns.get(number - 1).is_some_and(may_be_name));
        let mut header = Vec::new();
        if has_header {
            header = take_record(first, ends, end);
        } else {
            names.clear();
        }
        let shape = dialect.map_or(Shape::Column(number), |dialect| Shape::Field(number, dialect));
        Ok(Layout { shape, header, names, is_default: named.is_none() && column.is_none() })
    }

    fn of_cdx(first: &mut Block) -> Self {
        match CdxColumns::of_header(first_line(first)) {
            Some(columns) => {
                Layout { shape: Shape::Cdx(columns), header: take_first_line(first), ..Layout::default() }
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
        Layout { shape: Shape::Cdxj, header: take_record(first, &mut None, end), ..Layout::default() }
    }

    /// The lines before the first one that may contain a URL, with their ends; empty if there are none.
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The names of tab-separated or comma-separated columns; empty without a header.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether the URL is in the first column of a table only because nothing says where it is.
    pub(super) fn is_default(&self) -> bool {
        self.is_default
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
                Err(error) => json::syntax_error(&error),
            },
            Shape::Cdx(columns) => columns.why_none(text),
            Shape::Cdxj => cdx::why_no_url_in_cdxj(text),
        }
    }

    /// The lines of `text`, after the header, that are not those of URLs: header lines of an index, and a last line that was cut.
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
        if let Some(kind) = self.cut(&text[last..]) {
            breaks.push((last..text.len(), Some(kind)));
        }
        breaks
    }

    /// The error for `last`, a line without a line end, if it is not whole. In other formats than those of indexes and JSON, a URL
    /// that was cut looks like any other.
    fn cut(&self, last: &[u8]) -> Option<Kind> {
        match &self.shape {
            Shape::Cdx(columns) => columns.is_cut(last).then_some(Kind::CutLine),
            Shape::Cdxj => cdx::is_cut_cdxj(last).then_some(Kind::CutLine),
            Shape::Json(_) => {
                (!last.trim_ascii().is_empty() && json::is_cut(last)).then_some(Kind::CutObject)
            }
            _ => None,
        }
    }
}

fn first_line(block: &Block) -> &[u8] {
    lines::trim_line_end(block.lines().next().unwrap_or_default())
}

fn name_of(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim().to_owned()
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
