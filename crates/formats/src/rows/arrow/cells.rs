//! Cells of Arrow columns of any type: bytes, JSON-like values, and times.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, TimeUnit};

use super::corrupt;
use crate::error::Kind;
use crate::json;
use crate::json_object::Value;
use crate::rows::CellText;
use crate::time::Timestamp;

/// Removes the column's dictionary, and converts all integers to one type, except those that may be too large for it.
pub(super) fn simple(column: &ArrayRef) -> Result<ArrayRef, String> {
    let cast = |to: &DataType| arrow_cast::cast(column, to).map_err(|error| error.to_string());
    match column.data_type() {
        DataType::Dictionary(_, values) => simple(&cast(values)?),
        whole if whole.is_integer() => cast(&DataType::Int64),
        number if number.is_numeric() => cast(&DataType::Float64),
        DataType::Date32 | DataType::Date64 => cast(&DataType::Timestamp(TimeUnit::Millisecond, None)),
        DataType::UInt64 => Ok(ArrayRef::clone(column)),
        _ => Ok(ArrayRef::clone(column)),
    }
}

/// The bytes in a row that is not null; `None` in a column of another type.
pub(super) fn bytes(column: &ArrayRef, row: usize) -> Option<&[u8]> {
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

/// The value in a row. An empty text counts as absent.
pub(super) fn value(column: Option<&ArrayRef>, row: usize) -> Value<'_> {
    let Some(column) = column.filter(|column| column.is_valid(row)) else { return Value::Absent };
    if let Some(bytes) = bytes(column, row) {
        return match std::str::from_utf8(bytes) {
            Ok("") => Value::Absent,
            Ok(text) => Value::Text(Cow::Borrowed(text)),
            Err(_) => Value::Other("bytes that are not UTF-8"),
        };
    }
    match column.data_type() {
        DataType::Int64 => Value::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        _ => Value::Other("a value of another type"),
    }
        DataType::UInt64 => {
            let number = column.as_primitive::<UInt64Type>().value(row);
            i64::try_from(number).map_or(Value::Other("a number out of range"), Value::Integer)
        }
}

/// The time in a row: a timestamp of any unit, in UTC unless it has a zone; or a value as in JSON lines.
pub(super) fn time(
    key: &'static str,
    column: Option<&ArrayRef>,
    row: usize,
) -> Result<Option<Timestamp>, Kind> {
    let unit = column.and_then(|column| match column.data_type() {
        DataType::Timestamp(unit, _) => Some((column, *unit)),
        _ => None,
    });
    let Some((column, unit)) = unit else { return json::time(key, &value(column, row)) };
    if column.is_null(row) {
        return Ok(None);
    }
    let nanoseconds = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    let raw = arrow_cast::cast(&column.slice(row, 1), &DataType::Int64).map_err(corrupt)?;
    let number = raw.as_primitive::<Int64Type>().value(0);
    match Timestamp::from_nanoseconds(i128::from(number) * nanoseconds) {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(Value::Integer(number).unexpected(key, "a time in the years -9999 to 9999")),
    }
}

/// The values of rows as texts.
pub struct Cells<'r> {
    rows: &'r RecordBatch,
    /// Whether a column's values are bare, and their formatter, by column.
    columns: Vec<(bool, Option<ArrayFormatter<'r>>)>,
}

/// Formats values as the libraries of Arrow do.
const FORMAT: &FormatOptions<'static> = &FormatOptions::new();

impl<'r> Cells<'r> {
    pub(super) fn new(rows: &'r RecordBatch) -> Self {
        let of = |column: &'r Arc<dyn Array>| {
            let is_bare = column.data_type().is_integer() || *column.data_type() == DataType::Boolean;
            (is_bare, ArrayFormatter::try_new(column.as_ref(), FORMAT).ok())
        };
        Cells { rows, columns: rows.columns().iter().map(of).collect() }
    }

    /// The names and values of the row at `index`; no value for null.
    pub fn row(&self, index: usize) -> impl Iterator<Item = (&str, Option<CellText<'_>>)> {
        let fields = self.rows.schema_ref().fields().iter();
        fields.zip(self.rows.columns()).zip(&self.columns).map(
            move |((field, column), (is_bare, formatter))| {
                let formatter = formatter.as_ref().filter(|_| column.is_valid(index));
                let text = |formatter: &ArrayFormatter<'_>| CellText {
                    text: Cow::Owned(formatter.value(index).to_string()),
                    is_bare: *is_bare,
                };
                (field.name().as_str(), formatter.map(text))
            },
        )
    }
}
