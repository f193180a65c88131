//! Reads captures from the rows of a Parquet file.
//!
//! Columns are found by name. Only the columns of a capture are read, page by page. So memory is bounded by the file's
//! pages and by the bodies of [`ROWS`] rows.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Schema;
use base64::Engine as _;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader};

use super::cells::{bytes, simple, time, value};
use super::{RowShare, corrupt, guarded, missing_column};
use crate::capture::{Capture, Origin};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::json::{self, BASE64};
use crate::meter::Meter;

/// The number of rows in memory at once.
const ROWS: usize = 256;

/// Names of the columns for each part of a capture; the first one present counts.
const URL: &[&str] = &["url"];
const HOST: &[&str] = &["host"];
const STATUS: &[&str] = &["status", "http_status", "fetch_status"];
const LOCATION: &[&str] = &["location"];
const TIME: &[&str] = &json::TIME_KEYS;
const BODY: &[&str] = &["body", "content"];
const BODY_B64: &[&str] = &["body_b64"];

/// The captures of a Parquet file, row by row.
pub(crate) struct TableCaptures {
    reader: ParquetRecordBatchReader,
    origin: Origin,
    batch: Option<Columns>,
    /// The index of the next row in `batch`.
    row: usize,
    /// The number of rows before `batch`.
    before: u64,
    share: RowShare,
    ended: bool,
}

/// The columns of some rows.
struct Columns {
    rows: usize,
    url: Option<ArrayRef>,
    host: Option<ArrayRef>,
    status: Option<ArrayRef>,
    location: Option<ArrayRef>,
    time: Option<ArrayRef>,
    body: Option<ArrayRef>,
    body_b64: Option<ArrayRef>,
}

impl TableCaptures {
    /// Opens the captures of the file `path`. Its rows count in `meter`.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        // The embedded Arrow schema contains nothing that is needed, and its reader was not made for corrupt files.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let (reader, share) = super::open(path, meter, options, |builder| {
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots(builder.schema())?);
            let builder = builder.with_projection(mask).with_batch_size(ROWS);
            builder.build().map_err(corrupt)
        })?;
        let origin = Origin { file: FileName::new(path), line: None };
        Ok(TableCaptures { reader, origin, batch: None, row: 0, before: 0, share, ended: false })
    }

    /// Reads the next batch of rows; `None` after the last one.
    fn next_batch(&mut self) -> Option<Result<(), InputError>> {
        self.before += self.batch.take().map_or(0, |batch| batch.rows as u64);
        self.row = 0;
        self.share.reach(self.before);
        let reader = &mut self.reader;
        let read = guarded(|| {
            let batch = reader.next().transpose().map_err(corrupt)?;
            batch.map(|batch| Columns::of(&batch).map_err(corrupt)).transpose()
        });
        match read.transpose()? {
            Ok(columns) => {
                self.batch = Some(columns);
                Some(Ok(()))
            }
            Err(kind) => {
                self.ended = true;
                let file = self.origin.file.clone();
                Some(Err(InputError::new(file, Some(self.before + 1), kind)))
            }
        }
    }
}

impl Iterator for TableCaptures {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            if let Some(batch) = self.batch.as_ref().filter(|batch| self.row < batch.rows) {
                self.origin.line = Some(self.before + self.row as u64 + 1);
                let capture = batch.capture(self.row, &self.origin);
                self.row += 1;
                let error = |kind| InputError::new(self.origin.file.clone(), self.origin.line, kind);
                return Some(capture.map_err(error));
            }
            if let Err(error) = self.next_batch()? {
                return Some(Err(error));
            }
        }
        None
    }
}

/// The indices of the columns that a capture needs.
fn roots(schema: &Schema) -> Result<Vec<usize>, Kind> {
    let find = |names: &[&str]| names.iter().find_map(|name| index_of(schema, name));
    let missing = |expected: &str| missing_column(schema, expected);
    let site = [find(URL), find(HOST)];
    if site == [None, None] {
        return Err(missing(r#""url" or "host""#));
    }
    let body = [find(BODY_B64), find(BODY)];
    if body == [None, None] {
        return Err(missing(r#""body", "content" or "body_b64""#));
    }
    Ok([site, body, [find(STATUS), find(TIME)], [find(LOCATION), None]]
        .into_iter()
        .flatten()
        .flatten()
        .collect())
}

fn index_of(schema: &Schema, name: &str) -> Option<usize> {
    schema.fields().iter().position(|field| field.name().eq_ignore_ascii_case(name))
}

impl Columns {
    fn of(batch: &RecordBatch) -> Result<Self, String> {
        let schema = batch.schema();
        let find = |names: &[&str]| {
            let index = names.iter().find_map(|name| index_of(&schema, name));
            index.map(|index| simple(batch.column(index))).transpose()
        };
        Ok(Columns {
            rows: batch.num_rows(),
            url: find(URL)?,
            host: find(HOST)?,
            status: find(STATUS)?,
            location: find(LOCATION)?,
            time: find(TIME)?,
            body: find(BODY)?,
            body_b64: find(BODY_B64)?,
        })
    }

    fn capture(&self, row: usize, origin: &Origin) -> Result<Capture, Kind> {
        let site = json::site(value(self.url.as_ref(), row), value(self.host.as_ref(), row))?;
        let status = json::status("status", &value(self.status.as_ref(), row))?;
        let time = time(self.time.as_ref(), row)?;
        let missing = || Kind::NoValue(r#""body", "content" or "body_b64""#);
        let body = json::required(self.body(row)?, self.status.is_some(), status, missing)?;
        let location = json::location(value(self.location.as_ref(), row))?;
        Ok(Capture { resource: site.resource(), site, body, status, location, time, origin: origin.clone() })
    }

    fn body(&self, row: usize) -> Result<Option<Arc<[u8]>>, Kind> {
        let encoded = self.body_b64.as_ref().filter(|column| column.is_valid(row));
        let Some(column) = encoded.or_else(|| self.body.as_ref().filter(|column| column.is_valid(row)))
        else {
            return Ok(None);
        };
        let Some(bytes) = bytes(column, row) else {
            let found = format!("a column of the type {}", column.data_type());
            return Err(Kind::Value { key: "body", expected: "bytes or text", found });
        };
        if encoded.is_some() {
            BASE64.decode(bytes).map(|bytes| Some(bytes.into())).map_err(Kind::Base64)
        } else {
            Ok(Some(bytes.into()))
        }
    }
}
