//! URLs in Parquet: one column, or several columns of parts.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, NullArray, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader};
use robomata_protocol::UrlRef;
use robomata_url_columns::Urls;

use super::cells::{bytes, simple};
use super::{Cells, RowShare, Rows, corrupt, guarded, log, missing_column};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::meter::Meter;
use crate::output::OutputError;
use crate::rows::RowColumns;
use crate::urls::UrlColumn;
use crate::urls::first;
use crate::urls::layout::URL;

/// The number of rows to read at once: about as many URLs as a megabyte of text contains.
const BATCH_ROWS: usize = 8192;

/// The columns of a URL's parts in Common Crawl's columnar index: scheme, host, port, path, query.
const PARTS: [&str; 5] = ["url_protocol", "url_host_name", "url_port", "url_path", "url_query"];
/// The indices of the [`PARTS`] that every such index has.
const NEEDED_PARTS: [usize; 3] = [0, 1, 3];

/// Some rows of a Parquet file.
#[derive(Clone, Debug)]
pub struct UrlRows {
    /// The rows, with the requested columns ([`RowColumns`]).
    pub(super) batch: RecordBatch,
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
    pub fn cells(&self) -> Cells<'_> {
        Cells::new(&self.batch)
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

    /// The URL of the row at `index`; none if the row has no URL. A URL with an impossible port is the empty text.
    #[inline]
    pub fn url(&self, index: usize) -> Option<UrlRef<'_>> {
        self.urls.as_ref()?.at(index)
    }
}

/// A Parquet file, batch by batch.
pub(crate) struct RowReader {
    reader: ParquetRecordBatchReader,
    name: FileName,
    columns: UrlColumns,
    rows: u64,
    share: RowShare,
    failed: bool,
}

/// The names of the URL columns.
#[derive(Clone, Debug)]
enum UrlColumns {
    Whole(String),
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
        let options = ArrowReaderOptions::new();
        let ((reader, columns), share) = super::open(path, meter, options, |builder| {
            let schema = builder.schema();
            let columns = match read {
                RowColumns::Request => UrlColumns::NotAsked,
                RowColumns::All | RowColumns::Url => UrlColumns::find(schema, column)?,
            };
            let places = match read {
                RowColumns::All => (0..schema.fields().len()).collect(),
                RowColumns::Url => columns.places(schema),
                RowColumns::Request => log::places(schema)?,
            };
            let mask = ProjectionMask::roots(builder.parquet_schema(), places);
            let offset = usize::try_from(from).unwrap_or(usize::MAX);
            let builder = builder.with_batch_size(BATCH_ROWS).with_projection(mask).with_offset(offset);
            let reader = builder.build().map_err(corrupt)?;
            Ok((reader, columns))
        })?;
        let name = FileName::new(path);
        Ok(RowReader { reader, columns, rows: from, share, failed: false, name })
    }

    fn read(&mut self) -> Result<Option<UrlRows>, Kind> {
        let Some(batch) = self.reader.next() else { return Ok(None) };
        let batch = batch.map_err(corrupt)?;
        let urls = self.columns.of(&batch)?;
        let rows_before = self.rows;
        self.rows += batch.num_rows() as u64;
        self.share.reach(self.rows);
        Ok(Some(UrlRows { batch, rows_before, urls }))
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

/// The text column with most URLs in its first rows, as recognised by `is_url`; none if no column has any.
pub(crate) fn likely_column(path: &Path, is_url: fn(&[u8]) -> bool) -> Option<String> {
    let reader = super::open(path, &Meter::default(), ArrowReaderOptions::new(), |builder| {
        builder.with_batch_size(first::LINES).build().map_err(corrupt)
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
    /// Finds the URL columns: the column that the user names, or else the parts if all are present, or else the column
    /// `url`.
    fn find(schema: &Schema, column: Option<&UrlColumn>) -> Result<Self, Kind> {
        let has = |name: &str| schema.column_with_name(name).is_some();
        let name = match column {
            Some(UrlColumn::Number(number)) => match schema.fields().get(number.get() - 1) {
                Some(field) => return Ok(UrlColumns::Whole(field.name().clone())),
                None => number.to_string(),
            },
            Some(UrlColumn::Name(name)) => name.clone(),
            None if NEEDED_PARTS.iter().all(|&part| has(PARTS[part])) => return Ok(UrlColumns::Parts),
            None => URL.to_owned(),
        };
        if has(&name) {
            return Ok(UrlColumns::Whole(name));
        }
        Err(missing_column(schema, format!("{name:?}")))
    }

    fn places(&self, schema: &Schema) -> Vec<usize> {
        let place = |name: &str| schema.column_with_name(name).map(|(place, _)| place);
        match self {
            UrlColumns::Whole(name) => place(name).into_iter().collect(),
            UrlColumns::Parts => PARTS.iter().filter_map(|name| place(name)).collect(),
            UrlColumns::NotAsked => Vec::new(),
        }
    }

    /// The URLs of `batch`; none if the rows belong to a log.
    fn of(&self, batch: &RecordBatch) -> Result<Option<Urls>, Kind> {
        let text = |name: &str| cast(batch, name, &DataType::Binary, "texts");
        let urls = match self {
            UrlColumns::NotAsked => return Ok(None),
            UrlColumns::Whole(name) => Urls::whole(&text(name)?),
            UrlColumns::Parts => {
                let [scheme, host, port, path, query] = PARTS;
                let port = cast(batch, port, &DataType::Int64, "numbers")?;
                Urls::parts(&text(scheme)?, &text(host)?, &port, &text(path)?, &text(query)?)
            }
        };
        urls.map(Some).map_err(corrupt)
    }
}

/// The column `name` as `to`, or nulls if there is no such column.
fn cast(batch: &RecordBatch, name: &str, to: &DataType, expected: &str) -> Result<ArrayRef, Kind> {
    let Some(column) = batch.column_by_name(name) else {
        return Ok(Arc::new(NullArray::new(batch.num_rows())));
    };
    arrow_cast::cast(column, to).map_err(|_| {
        let found = [format!("{} in it", column.data_type())];
        Kind::missing_column(format!("{name:?} of {expected}"), found.iter().map(String::as_str))
    })
}
