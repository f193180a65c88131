//! Reads captures from the rows of a Parquet file.
//!
//! Columns are found by name. Only the columns of a capture are read, page by page. So memory is bounded by the pages of
//! [`ROWS`] rows: rows share a body that is in a dictionary.

use std::borrow::Cow;
use std::path::Path;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::Schema;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};

use super::cells::{bytes, simple, time, value};
use super::{RowShare, Types, corrupt, guarded, missing_column, rows_at_once};
use crate::capture::{Capture, Origin};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::json_object::Value;
use crate::keys::{
    self, BODIES, BODY_B64, HOST, NAMES, Row, TABLE_BODIES, URL, may_be_inner_status, may_be_status,
};
use crate::meter::Meter;
use crate::time::Timestamp;

/// The maximum number of rows in memory at once.
const ROWS: usize = 256;

/// The captures of a Parquet file, row by row.
pub(crate) struct TableCaptures {
    reader: ParquetRecordBatchReader,
    origin: Origin,
    batch: Option<Batch>,
    /// The index of the next row in `batch`.
    row: usize,
    /// The number of rows before `batch`.
    before: u64,
    other_status: Option<String>,
    share: RowShare,
    ended: bool,
}

/// Some rows.
struct Batch {
    rows: usize,
    /// The columns of the [`NAMES`].
    columns: [Option<ArrayRef>; NAMES.len()],
}

impl TableCaptures {
    /// Opens the captures of the file `path`. Its rows count in `meter`.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let ((reader, other_status), share) = super::open(path, meter, Types::Simple, |builder, _| {
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots(builder.schema())?);
            let rows = rows_at_once(&builder, &mask, ROWS);
            let other_status = other_status(builder.parquet_schema());
            let reader = builder.with_projection(mask).with_batch_size(rows).build().map_err(corrupt)?;
            Ok((reader, other_status))
        })?;
        let origin = Origin { file: FileName::new(path), line: None };
        Ok(TableCaptures {
            reader,
            origin,
            batch: None,
            row: 0,
            before: 0,
            other_status,
            share,
            ended: false,
        })
    }

    /// The number of bytes of the bodies in memory.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let bodies = self.batch.iter().flat_map(|batch| batch.columns[BODIES].iter().flatten());
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
            batch.map(|batch| Batch::of(&batch)).transpose()
        });
        match read.transpose()? {
            Ok(batch) => {
                self.batch = Some(batch);
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
                let other_status = self.other_status.as_deref();
                let row = BatchRow { batch, row: self.row, other_status };
                let capture = keys::site(&row).map(|site| keys::capture_of(site, &row, &self.origin));
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
    let places = columns_of(schema)?;
    let has = |names: &[usize]| names.iter().any(|&name| places[name].is_some());
    if !has(&[URL, HOST]) {
        return Err(missing_column(schema, r#""url" or "host""#));
    }
    if !has(&[BODY_B64, BODIES.start, BODIES.end - 1]) {
        return Err(missing_column(schema, TABLE_BODIES));
    }
    Ok(places.into_iter().flatten().collect())
}

fn columns_of(schema: &Schema) -> Result<[Option<usize>; NAMES.len()], Kind> {
    keys::places(&schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>())
}

/// A column that may be the status, although it has another name, or is the field of a structure.
fn other_status(schema: &SchemaDescriptor) -> Option<String> {
    let is_status = |path: &&ColumnPath| match path.parts() {
        [name] => may_be_status(name),
        [.., name] => may_be_status(name) || may_be_inner_status(name),
        [] => false,
    };
    schema.columns().iter().map(|column| column.path()).find(is_status).map(ColumnPath::string)
}

impl Batch {
    fn of(batch: &RecordBatch) -> Result<Self, Kind> {
        let cells = batch.columns().iter().map(simple).collect::<Result<Vec<_>, _>>().map_err(corrupt)?;
        let places = columns_of(batch.schema_ref())?;
        let columns = places.map(|place| place.map(|index| ArrayRef::clone(&cells[index])));
        Ok(Batch { rows: batch.num_rows(), columns })
    }
}

/// A row of a batch.
struct BatchRow<'b> {
    batch: &'b Batch,
    row: usize,
    other_status: Option<&'b str>,
}

impl Row for BatchRow<'_> {
    fn value(&self, name: usize) -> Value<'_> {
        value(self.batch.columns[name].as_ref(), self.row)
    }

    fn time(&self, name: usize) -> Result<Option<Timestamp>, Kind> {
        time(NAMES[name], self.batch.columns[name].as_ref(), self.row)
    }

    fn body(&self, name: usize) -> Result<Option<Cow<'_, [u8]>>, Kind> {
        let column = self.batch.columns[name].as_ref().filter(|column| column.is_valid(self.row));
        let Some(column) = column else { return Ok(None) };
        bytes(column, self.row).map(|bytes| Some(Cow::Borrowed(bytes))).ok_or_else(|| {
            let found = format!("a column of the type {}", column.data_type());
            Kind::Value { key: NAMES[name], expected: "bytes or text", found }
        })
    }

    fn other_status(&self) -> Option<String> {
        self.other_status.map(str::to_owned)
    }

    fn missing_body(&self) -> Kind {
        Kind::NoValue(TABLE_BODIES)
    }
}
