//! Cells of Arrow columns of any type: bytes, JSON-like values, and times.

use std::borrow::Cow;
use std::io;

use arrow_array::cast::AsArray as _;
use arrow_array::timezone::Tz;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, FieldRef, TimeUnit};

use super::corrupt;
use super::output::UTC;
use crate::error::Kind;
use crate::json_object::{EMPTY_ARRAY, Value};
use crate::keys;
use crate::output::OutputError;
use crate::rows::CellText;
use crate::time::Timestamp;

/// Removes the column's dictionary, and converts all integers to one type, except those that may be too large for it.
pub(super) fn simple(column: &ArrayRef) -> Result<ArrayRef, String> {
    let cast = |to: &DataType| arrow_cast::cast(column, to).map_err(|error| error.to_string());
    match column.data_type() {
        DataType::Dictionary(_, values) => simple(&cast(values)?),
        DataType::UInt64 => Ok(ArrayRef::clone(column)),
        whole if whole.is_integer() => cast(&DataType::Int64),
        number if number.is_numeric() => cast(&DataType::Float64),
        DataType::Date32 | DataType::Date64 => cast(&DataType::Timestamp(TimeUnit::Millisecond, None)),
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
        DataType::UInt64 => {
            let number = column.as_primitive::<UInt64Type>().value(row);
            i64::try_from(number).map_or(Value::Other("a number out of range"), Value::Integer)
        }
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => Value::Other(if column.as_boolean().value(row) { "true" } else { "false" }),
        DataType::List(_) if column.as_list::<i32>().value_length(row) == 0 => Value::Other(EMPTY_ARRAY),
        _ => Value::Other("a value of another type"),
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
    let Some((column, unit)) = unit else { return keys::time(key, &value(column, row)) };
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
    match Timestamp::from_nanoseconds(i128::from(number) * nanoseconds).and_then(Timestamp::in_range) {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(Value::Integer(number).unexpected(key, "a time of the years 1994 to 2200")),
    }
}

/// The values of rows as texts.
pub struct Cells<'r> {
    columns: Vec<CellColumn<'r>>,
}

struct CellColumn<'r> {
    name: &'r str,
    /// Whether JSON has the values without quotes.
    is_bare: bool,
    formatter: ArrayFormatter<'r>,
    /// Which values are not null; `None` if all are.
    valid: Option<BooleanArray>,
}

/// Formats values as the libraries of Arrow do.
const FORMAT: &FormatOptions<'static> = &FormatOptions::new();

/// The column in a type that can be formatted: times in a named zone are the same instants in UTC, because the names of
/// zones are not known here.
pub(super) fn formattable(column: &ArrayRef) -> Result<ArrayRef, Kind> {
    match column.data_type() {
        DataType::Timestamp(unit, Some(zone)) if zone.parse::<Tz>().is_err() => {
            arrow_cast::cast(column, &DataType::Timestamp(*unit, Some(UTC.into()))).map_err(corrupt)
        }
        _ => Ok(ArrayRef::clone(column)),
    }
}

impl<'r> Cells<'r> {
    /// The values of `columns`, which are the [`formattable`] columns of `rows`.
    pub(super) fn new(rows: &'r RecordBatch, columns: &'r [ArrayRef]) -> Result<Self, OutputError> {
        let of = |(field, column): (&'r FieldRef, &'r ArrayRef)| {
            let name = field.name().as_str();
            Ok(CellColumn {
                name,
                is_bare: column.data_type().is_integer() || *column.data_type() == DataType::Boolean,
                formatter: ArrayFormatter::try_new(column.as_ref(), FORMAT)
                    .map_err(|error| no_text(name, &error))?,
                valid: column.logical_nulls().map(|nulls| BooleanArray::new(nulls.into_inner(), None)),
            })
        };
        let columns = rows.schema_ref().fields().iter().zip(columns).map(of);
        Ok(Cells { columns: columns.collect::<Result<_, OutputError>>()? })
    }

    /// The names and values of the row at `index`; no value for null.
    ///
    /// # Errors
    /// Fails when a value has no text, such as a time that is too far from today.
    pub fn row(&self, index: usize) -> Result<Vec<(&str, Option<CellText<'_>>)>, OutputError> {
        let cell = |column: &CellColumn<'r>| {
            if column.valid.as_ref().is_some_and(|valid| !valid.value(index)) {
                return Ok((column.name, None));
            }
            let text = column.formatter.value(index).try_to_string();
            let text = Cow::Owned(text.map_err(|error| no_text(column.name, &error))?);
            Ok((column.name, Some(CellText { text, is_bare: column.is_bare })))
        };
        self.columns.iter().map(cell).collect()
    }
}

fn no_text(column: &str, error: &ArrowError) -> OutputError {
    let advice = "a value cannot be written as text (write Parquet, or leave the column out)";
    OutputError::from(io::Error::other(format!("column {column:?}: {advice}: {error}")))
}
