//! Reads captures from the rows of a Parquet file.
//!
//! Columns are found by name. Only the columns of a capture are read, page by page. So memory is bounded by the pages of
//! [`ROWS`] rows: rows share a body that is in a dictionary.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Schema;
use base64::Engine as _;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::cells::{bytes, simple, time, value};
use super::{RowShare, Types, corrupt, guarded, missing_column, rows_at_once};
use crate::capture::{Capture, FetchResult, Origin};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::json::{self, BASE64};
use crate::meter::Meter;
use crate::tsv::position;

/// The maximum number of rows in memory at once.
const ROWS: usize = 256;

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

/// The columns of some rows. Several columns of one kind are in the order of their names.
struct Columns {
    rows: usize,
    url: Option<ArrayRef>,
    host: Option<ArrayRef>,
    statuses: [Option<ArrayRef>; json::STATUS_KEYS.len()],
    location: Option<ArrayRef>,
    times: [Option<ArrayRef>; json::TIME_KEYS.len()],
    bodies: [Option<ArrayRef>; json::BODY_KEYS.len()],
    body_b64: Option<ArrayRef>,
}

impl TableCaptures {
    /// Opens the captures of the file `path`. Its rows count in `meter`.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let (reader, share) = super::open(path, meter, Types::Simple, |builder, _| {
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots(builder.schema())?);
            let rows = rows_at_once(&builder, &mask, ROWS);
            builder.with_projection(mask).with_batch_size(rows).build().map_err(corrupt)
        })?;
        let origin = Origin { file: FileName::new(path), line: None };
        Ok(TableCaptures { reader, origin, batch: None, row: 0, before: 0, share, ended: false })
    }

    /// The number of bytes of the bodies in memory.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let bodies = self.batch.iter().flat_map(|batch| batch.bodies.iter().flatten());
        bodies.map(Array::get_array_memory_size).sum()
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

/// The indices of the columns that a capture may need.
fn roots(schema: &Schema) -> Result<Vec<usize>, Kind> {
    let find = |name: &&str| index_of(schema, name);
    let missing = |expected: &str| missing_column(schema, expected);
    let site: Vec<usize> = ["url", "host"].iter().filter_map(find).collect();
    if site.is_empty() {
        return Err(missing(r#""url" or "host""#));
    }
    let body: Vec<usize> = json::BODY_KEYS.iter().chain(&["body_b64"]).filter_map(find).collect();
    if body.is_empty() {
        return Err(missing(r#""body", "content" or "body_b64""#));
    }
    let others = json::STATUS_KEYS.iter().chain(&json::TIME_KEYS).chain(&["location"]).filter_map(find);
    Ok([site, body, others.collect()].concat())
}

fn index_of(schema: &Schema, name: &str) -> Option<usize> {
    position(schema.fields().iter().map(|field| field.name().as_str()), name)
}

impl Columns {
    fn of(batch: &RecordBatch) -> Result<Self, String> {
        let schema = batch.schema();
        let cells = batch.columns().iter().map(simple).collect::<Result<Vec<_>, _>>()?;
        let find = |name: &str| index_of(&schema, name).map(|index| ArrayRef::clone(&cells[index]));
        Ok(Columns {
            rows: batch.num_rows(),
            url: find("url"),
            host: find("host"),
            statuses: json::STATUS_KEYS.map(find),
            location: find("location"),
            times: json::TIME_KEYS.map(find),
            bodies: json::BODY_KEYS.map(find),
            body_b64: find("body_b64"),
        })
    }

    fn capture(&self, row: usize, origin: &Origin) -> Result<Capture, Kind> {
        let site = json::site(value(self.url.as_ref(), row), value(self.host.as_ref(), row))?;
        let mut times = json::TIME_KEYS.into_iter().zip(&self.times);
        let time = times.find_map(|(key, column)| time(key, column.as_ref(), row).transpose()).transpose();
        Ok(Capture::of_row(site, origin, time, self.result(row)))
    }

    /// As in JSON, the first status and the first time with a value count, in the order of the names.
    fn result(&self, row: usize) -> Result<FetchResult, Kind> {
        let mut statuses = json::STATUS_KEYS.into_iter().zip(&self.statuses);
        let status = statuses
            .find_map(|(key, column)| json::status(key, &value(column.as_ref(), row)).transpose())
            .transpose()?;
        let missing = || Kind::NoValue(r#""body", "content" or "body_b64""#);
        let body =
            json::required(self.body(row)?, self.statuses.iter().any(Option::is_some), status, missing)?;
        Ok((status, body, json::location(value(self.location.as_ref(), row))?))
    }

    fn body(&self, row: usize) -> Result<Option<Arc<[u8]>>, Kind> {
        let encoded = self.body_b64.as_ref().filter(|column| column.is_valid(row));
        let mut bodies = self.bodies.iter().flatten().filter(|column| column.is_valid(row));
        let Some(column) = encoded.or_else(|| bodies.next()) else {
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
