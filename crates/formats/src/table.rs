//! Captures out of the rows of a Parquet file.
//!
//! Columns are found by name. Only those of a capture are read, page by page, so that memory is bounded by the file's
//! pages and by the bodies of [`ROWS`] rows.

use std::borrow::Cow;
use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use base64::Engine as _;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReader};

use crate::capture::{Capture, Origin};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::json::{self, BASE64};
use crate::json_object::Value;
use crate::meter::Meter;
use crate::parquet_file::{self, RowShare, guarded, missing_column};
use crate::time::Timestamp;

/// Rows that are in memory at once.
const ROWS: usize = 256;

/// Names of columns, for each part of a capture; the first that is there counts.
const URL: &[&str] = &["url"];
const HOST: &[&str] = &["host"];
const STATUS: &[&str] = &["status", "http_status", "fetch_status"];
const TIME: &[&str] = &["time", "date", "fetch_time", "timestamp"];
const BODY: &[&str] = &["body", "content"];
const BODY_B64: &[&str] = &["body_b64"];

/// The captures of a Parquet file, row by row.
pub(crate) struct Table {
    reader: ParquetRecordBatchReader,
    origin: Origin,
    batch: Option<Columns>,
    /// The next row of `batch`.
    row: usize,
    /// Rows before `batch`.
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
    time: Option<ArrayRef>,
    body: Option<ArrayRef>,
    body_b64: Option<ArrayRef>,
}

impl Table {
    /// The captures of the file `path`, whose rows count by `meter`.
    pub(crate) fn open(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        // The copy of Arrow's schema says nothing that is needed, and its reader is not made for damaged files.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let (reader, share) = parquet_file::open(path, meter, options, |builder| {
            let mask = ProjectionMask::roots(builder.parquet_schema(), roots(builder.schema())?);
            let builder = builder.with_projection(mask).with_batch_size(ROWS);
            builder.build().map_err(|error| Kind::Parquet(error.to_string()))
        })?;
        let origin = Origin { file: FileName::new(path), line: None };
        Ok(Table { reader, origin, batch: None, row: 0, before: 0, share, ended: false })
    }

    /// Goes on to the next rows; `None` after the last ones.
    fn next_batch(&mut self) -> Option<Result<(), InputError>> {
        self.before += self.batch.take().map_or(0, |batch| batch.rows as u64);
        self.row = 0;
        self.share.reach(self.before);
        let reader = &mut self.reader;
        let read = guarded(|| reader.next().transpose().map_err(|error| Kind::Parquet(error.to_string())));
        let columns = read.transpose()?.and_then(|batch| Columns::of(&batch).map_err(Kind::Parquet));
        match columns {
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

impl Iterator for Table {
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

/// The numbers of the columns that a capture needs.
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
    Ok([site, body, [find(STATUS), find(TIME)]].into_iter().flatten().flatten().collect())
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
            time: find(TIME)?,
            body: find(BODY)?,
            body_b64: find(BODY_B64)?,
        })
    }

    fn capture(&self, row: usize, origin: &Origin) -> Result<Capture, Kind> {
        let site = json::site(value(self.url.as_ref(), row), value(self.host.as_ref(), row))?;
        let status = json::status("status", &value(self.status.as_ref(), row))?;
        let time = time(self.time.as_ref(), row)?;
        let body = match self.body(row)? {
            Some(body) => body,
            None if json::needs_body(status) => {
                return Err(Kind::NoValue(r#""body", "content" or "body_b64""#));
            }
            None => Vec::new(),
        };
        Ok(Capture { site, body, status, time, origin: origin.clone() })
    }

    fn body(&self, row: usize) -> Result<Option<Vec<u8>>, Kind> {
        let encoded = self.body_b64.as_ref().filter(|column| column.is_valid(row));
        let Some(column) = encoded.or_else(|| self.body.as_ref().filter(|column| column.is_valid(row)))
        else {
            return Ok(None);
        };
        let Some(octets) = octets(column, row) else {
            let found = format!("a column of the type {}", column.data_type());
            return Err(Kind::Value { key: "body", expected: "octets or text", found });
        };
        if encoded.is_some() {
            BASE64.decode(octets).map(Some).map_err(Kind::Base64)
        } else {
            Ok(Some(octets.to_vec()))
        }
    }
}

/// The column without a dictionary, and whole numbers in one type.
fn simple(column: &ArrayRef) -> Result<ArrayRef, String> {
    let cast = |to: &DataType| arrow_cast::cast(column, to).map_err(|error| error.to_string());
    match column.data_type() {
        DataType::Dictionary(_, values) => simple(&cast(values)?),
        whole if whole.is_integer() => cast(&DataType::Int64),
        number if number.is_numeric() => cast(&DataType::Float64),
        DataType::Date32 | DataType::Date64 => cast(&DataType::Timestamp(TimeUnit::Millisecond, None)),
        _ => Ok(ArrayRef::clone(column)),
    }
}

/// The octets in a row that is not null; `None` in a column of another type.
fn octets(column: &ArrayRef, row: usize) -> Option<&[u8]> {
    Some(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        _ => return None,
    })
}

/// What stands in a row; an empty text is nothing.
fn value(column: Option<&ArrayRef>, row: usize) -> Value<'_> {
    let Some(column) = column.filter(|column| column.is_valid(row)) else { return Value::Absent };
    if let Some(octets) = octets(column, row) {
        return match std::str::from_utf8(octets) {
            Ok("") => Value::Absent,
            Ok(text) => Value::Text(Cow::Borrowed(text)),
            Err(_) => Value::Other("octets that are no UTF-8"),
        };
    }
    match column.data_type() {
        DataType::Int64 => Value::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        _ => Value::Other("a value of another type"),
    }
}

/// The time in a row: a timestamp of any unit, in UTC unless it says otherwise; or what JSON lines would have.
fn time(column: Option<&ArrayRef>, row: usize) -> Result<Option<Timestamp>, Kind> {
    let unit = column.and_then(|column| match column.data_type() {
        DataType::Timestamp(unit, _) => Some((column, *unit)),
        _ => None,
    });
    let Some((column, unit)) = unit else { return json::time("time", &value(column, row)) };
    if column.is_null(row) {
        return Ok(None);
    }
    let nanoseconds = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    let raw = arrow_cast::cast(&column.slice(row, 1), &DataType::Int64)
        .map_err(|error| Kind::Parquet(error.to_string()))?;
    let number = raw.as_primitive::<Int64Type>().value(0);
    match Timestamp::from_nanoseconds(i128::from(number) * nanoseconds) {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(Value::Integer(number).unexpected("time", "a time in the years -9999 to 9999")),
    }
}
