//! URLs in Parquet: one column, or several columns of parts.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, NullArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use robomata_protocol::UrlRef;
use robomata_url_columns::Urls;

use super::cells::{bytes, formattable, simple, value};
use super::{
    Cells, RowShare, Rows, Types, corrupt, guarded, log, missing_column, rows_at_once, rows_within, view_of,
};
use crate::error::{DuplicateColumn, InputError, Kind};
use crate::file_name::FileName;
use crate::json_object::Value;
use crate::meter::Meter;
use crate::output::OutputError;
use crate::rows::RowColumns;
use crate::urls::UrlColumn;
use crate::urls::first;
use crate::urls::layout::URL;

/// The maximum number of rows to read at once: about as many URLs as a megabyte of text contains.
const BATCH_ROWS: usize = 8192;

/// The columns of a URL's parts in Common Crawl's columnar index: scheme, host, port, path, query.
const PARTS: [&str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];
/// The part that may be missing: the port is then that of the scheme.
const PORT: usize = 2;
/// The last of the [`PARTS`].
const QUERY: usize = 4;

/// Some rows of a Parquet file.
#[derive(Clone, Debug)]
pub struct UrlRows {
    /// The rows, with the requested columns ([`RowColumns`]).
    pub(super) batch: RecordBatch,
    /// The columns of `batch` in types that can be formatted.
    formattable: Vec<ArrayRef>,
    rows_before: u64,
    /// None if the rows belong to a log.
    urls: Option<Urls>,
}

#[expect(clippy::len_without_is_empty, reason = "blocks of rows are not empty")]
impl UrlRows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// The number of rows in the file before these.
    pub fn rows_before(&self) -> u64 {
        self.rows_before
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().as_str())
    }

    /// The values of all columns as texts.
    ///
    /// # Errors
    /// Fails when a type has no texts.
    pub fn cells(&self) -> Result<Cells<'_>, OutputError> {
        Cells::new(&self.batch, &self.formattable)
    }

    /// The rows for which `kept` is true, with all their columns.
    ///
    /// # Errors
    /// Fails when there are not as many rows.
    pub fn selected(&self, kept: &[bool]) -> Result<Rows, OutputError> {
        Rows::selected(&self.batch, kept)
    }

    /// The rows with their columns, followed by those of `added`.
    ///
    /// # Errors
    /// Fails when there are not as many rows.
    pub fn with_columns(&self, added: &Rows) -> Result<Rows, OutputError> {
        Rows::joined(&self.batch, added)
    }

    /// The URL of the row at `index`, without blanks around it; none if the row has no URL, or one with control characters
    /// ([`requestable`](robomata_protocol::requestable)). A URL with parts that do not fit ([`Urls::parts`]) is the empty text.
    #[inline]
    pub fn url(&self, index: usize) -> Option<UrlRef<'_>> {
        self.written_url(index).and_then(UrlRef::requestable)
    }

    /// The URL of the row at `index` as written; none if the row has no URL.
    pub fn written_url(&self, index: usize) -> Option<UrlRef<'_>> {
        self.urls.as_ref()?.written(index)
    }
}

/// A Parquet file, batch by batch.
pub(crate) struct RowReader {
    reader: ParquetRecordBatchReader,
    /// The rows that were read and not yet returned.
    rest: Option<RecordBatch>,
    /// The schema in which the rows are written again; none if they are not.
    written: Option<SchemaRef>,
    name: FileName,
    columns: UrlColumns,
    rows: u64,
    share: RowShare,
    failed: bool,
}

/// The URL columns.
#[derive(Clone, Debug)]
enum UrlColumns {
    /// The place of the column: several columns may have its name.
    Whole(usize),
    Parts,
    NotAsked,
}

impl RowReader {
    /// Opens the rows of `path` after its first `from` rows; they count in `meter`.
    pub(crate) fn open(
        path: &Path,
        column: Option<&UrlColumn>,
        read: RowColumns,
        from: u64,
        meter: &Meter,
    ) -> Result<Self, InputError> {
        let ((reader, columns, written), share) =
            super::open(path, meter, Types::AsWritten, |builder, written| {
                let schema = builder.schema();
                let mut columns = match read {
                    RowColumns::Request => UrlColumns::NotAsked,
                    RowColumns::All | RowColumns::Url => UrlColumns::find(schema, column)?,
                };
                let places = match read {
                    RowColumns::All => (0..schema.fields().len()).collect(),
                    RowColumns::Url => columns.places(schema),
                    RowColumns::Request => log::places(schema)?,
                };
                if let (RowColumns::Url, UrlColumns::Whole(place)) = (read, &mut columns) {
                    // It is the only one that is read.
                    *place = 0;
                }
                let mask = ProjectionMask::roots(builder.parquet_schema(), places);
                let offset = usize::try_from(from).unwrap_or(usize::MAX);
                let rows = rows_at_once(&builder, &mask, BATCH_ROWS);
                let written = (read == RowColumns::All).then(|| as_written(builder.schema(), written));
                let builder = builder.with_batch_size(rows).with_projection(mask).with_offset(offset);
                let reader = builder.build().map_err(corrupt)?;
                Ok((reader, columns, written))
            })?;
        let name = FileName::new(path);
        Ok(RowReader { reader, rest: None, written, columns, rows: from, share, failed: false, name })
    }

    fn read(&mut self) -> Result<Option<UrlRows>, Kind> {
        let read = match self.rest.take() {
            Some(rest) => Some(Ok(rest)),
            None => self.reader.next(),
        };
        let Some(read) = read.transpose().map_err(corrupt)? else { return Ok(None) };
        let rows = rows_within(&read);
        self.rest = (rows < read.num_rows()).then(|| read.slice(rows, read.num_rows() - rows));
        let read = read.slice(0, rows);
        let urls = self.columns.of(&read)?;
        let batch = match &self.written {
            Some(schema) => cast_to(schema, &read).map_err(corrupt)?,
            None => read,
        };
        let rows_before = self.rows;
        self.rows += batch.num_rows() as u64;
        self.share.reach(self.rows);
        let formattable = batch.columns().iter().map(formattable).collect::<Result<_, _>>()?;
        Ok(Some(UrlRows { batch, formattable, rows_before, urls }))
    }
}

impl Iterator for RowReader {
    type Item = Result<UrlRows, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let read = guarded(|| self.read());
        self.failed = read.is_err();
        read.map_err(|kind| InputError::new(self.name.clone(), None, kind)).transpose()
    }
}

/// The schema in which rows of the schema `read` are written: with texts in the types of the schema `written`.
fn as_written(read: &Schema, written: &Schema) -> SchemaRef {
    let fields = read.fields().iter().zip(written.fields()).map(|(read, written)| {
        let is_text = view_of(written.data_type()).is_some();
        Arc::clone(if is_text { written } else { read })
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn cast_to(schema: &SchemaRef, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| arrow_cast::cast(column, field.data_type()));
    RecordBatch::try_new(Arc::clone(schema), columns.collect::<Result<_, _>>()?)
}

/// The text column with most URLs in its first rows, as recognised by `is_url`; none if no column has any.
pub(crate) fn likely_column(path: &Path, is_url: fn(&[u8]) -> bool) -> Option<String> {
    let reader = super::open(path, &Meter::default(), Types::AsWritten, |builder, _| {
        let rows = rows_at_once(&builder, &ProjectionMask::all(), first::LINES);
        builder.with_batch_size(rows).build().map_err(corrupt)
    });
    let (mut reader, _) = reader.ok()?;
    let batch = guarded(|| reader.next().transpose().map_err(corrupt));
    let batch = batch.ok()??;
    let urls = |column: &ArrayRef| {
        let Ok(column) = simple(column) else { return 0 };
        let text = |row| bytes(&column, row).filter(|_| column.is_valid(row));
        (0..column.len()).filter(|&row| text(row).is_some_and(is_url)).count()
    };
    let counts = batch.columns().iter().map(urls).zip(batch.schema_ref().fields());
    // Of equal columns, the first.
    let (_, most) = counts.rev().filter(|(count, _)| *count > 0).max_by_key(|(count, _)| *count)?;
    Some(most.name().clone())
}

impl UrlColumns {
    /// Finds the URL columns: the column that the user names, or else all five parts, or else the column `url`, or else
    /// the parts but for the port. A URL without its query would match other rules.
    fn find(schema: &Schema, column: Option<&UrlColumn>) -> Result<Self, Kind> {
        let place = |name: &str| {
            DuplicateColumn::only(schema.fields().iter().map(|field| field.name() == name), name)
        };
        let (found, name) = match column {
            Some(UrlColumn::Number(number)) => {
                let place = number.get() - 1;
                (schema.fields().get(place).map(|_| place), number.to_string())
            }
            Some(UrlColumn::Name(name)) => (place(name)?, format!("{name:?}")),
            None => {
                let mut lacking = Vec::new();
                for (part, name) in PARTS.iter().enumerate() {
                    if place(name)?.is_none() {
                        lacking.push(part);
                    }
                }
                match &lacking[..] {
                    [] => return Ok(UrlColumns::Parts),
                    [PORT] if place(URL)?.is_none() => return Ok(UrlColumns::Parts),
                    [QUERY] | [PORT, QUERY] => (place(URL)?, format!("{URL:?} or {:?}", PARTS[QUERY])),
                    _ => (place(URL)?, format!("{URL:?}")),
                }
            }
        };
        found.map(UrlColumns::Whole).ok_or_else(|| missing_column(schema, name))
    }

    fn places(&self, schema: &Schema) -> Vec<usize> {
        let place = |name: &str| schema.column_with_name(name).map(|(place, _)| place);
        match self {
            UrlColumns::Whole(place) => vec![*place],
            UrlColumns::Parts => PARTS.iter().filter_map(|name| place(name)).collect(),
            UrlColumns::NotAsked => Vec::new(),
        }
    }

    /// The URLs of `batch`; none if the rows belong to a log.
    fn of(&self, batch: &RecordBatch) -> Result<Option<Urls>, Kind> {
        let column = |name: &str| {
            let none = || Arc::new(NullArray::new(batch.num_rows())) as ArrayRef;
            batch.column_by_name(name).map_or_else(none, ArrayRef::clone)
        };
        let text = |name: &str| texts(name, &column(name));
        let urls = match self {
            UrlColumns::NotAsked => return Ok(None),
            UrlColumns::Whole(place) => {
                Urls::whole(&texts(batch.schema_ref().field(*place).name(), batch.column(*place))?)
            }
            UrlColumns::Parts => {
                let [scheme, host, port, path, query] = PARTS;
                let port = ports(&column(port)).map_err(corrupt)?;
                Urls::parts(&text(scheme)?, &text(host)?, &port, &text(path)?, &text(query)?)
            }
        };
        urls.map(Some).map_err(corrupt)
    }
}

/// The texts in the column `name`.
fn texts(name: &str, column: &ArrayRef) -> Result<ArrayRef, Kind> {
    if matches!(column.data_type(), DataType::Utf8View | DataType::BinaryView) {
        return Ok(ArrayRef::clone(column));
    }
    arrow_cast::cast(column, &DataType::Binary).map_err(|_| {
        let found = [format!("{} in it", column.data_type())];
        Kind::missing_column(format!("{name:?} of texts"), found.iter().map(String::as_str))
    })
}

/// The ports in a column: integers, or other numbers and texts that are integers. Any other value is a port that no URL
/// has, because the rules of a site on another port must not apply to it.
fn ports(column: &ArrayRef) -> Result<ArrayRef, String> {
    const WRONG: i64 = i64::MAX;
    let column = simple(column)?;
    if *column.data_type() == DataType::Int64 {
        return Ok(column);
    }
    let port = |row: usize| match value(Some(&column), row) {
        Value::Integer(port) => port,
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        Value::Float(port) if port.fract() == 0.0 && port.abs() <= f64::from(u16::MAX) => port as i64,
        Value::Text(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().unwrap_or(WRONG)
        }
        _ => WRONG,
    };
    let is_null = |row: usize| *column.data_type() == DataType::Null || column.is_null(row);
    let ports = (0..column.len()).map(|row| (!is_null(row)).then(|| port(row)));
    Ok(Arc::new(ports.collect::<Int64Array>()))
}
