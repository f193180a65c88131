//! Reads rows of Parquet as requests.

use std::borrow::Cow;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema};

use super::{UrlRows, cells, missing_column};
use crate::error::{DuplicateColumn, Kind};
use crate::log::fields::present;
use crate::log::record::{self, Columns, Field, Record};
use crate::log::{LogLine, Malformed};
use crate::time::Timestamp;

/// Some rows of a log in Parquet.
#[derive(Debug)]
pub struct LogRows {
    /// None if the block was read for other columns.
    columns: Option<Columns>,
    /// By position in the batch.
    cells: Vec<ArrayRef>,
}

impl LogRows {
    /// Interprets `rows`, which must be read with [`RowColumns::Request`](crate::RowColumns::Request).
    pub fn new(rows: &UrlRows) -> Self {
        // A file with duplicates is not opened.
        let columns = columns_of(&rows.batch.schema()).ok().flatten();
        // A column that cannot be converted contains no value of a request.
        let simple = |column: &ArrayRef| cells::simple(column).unwrap_or_else(|_| ArrayRef::clone(column));
        LogRows { columns, cells: rows.batch.columns().iter().map(simple).collect() }
    }

    /// Returns whether the rows are roughly in the order of time. Rows of Common Crawl's columnar index, which have a
    /// time called `fetch_time`, are sorted by URL.
    pub fn is_in_order(&self) -> bool {
        !self.columns.as_ref().is_some_and(|columns| columns.is_index)
    }

    /// Parses the row at `index`.
    ///
    /// # Errors
    /// Fails when the row has no time, or no request target.
    pub fn read(&self, index: usize) -> Result<LogLine<'_>, Malformed> {
        match &self.columns {
            Some(columns) => record::read(&Row { rows: self, columns, index }),
            None => Err(Malformed(EXPECTED)),
        }
    }
}

/// The columns that a log must have.
const EXPECTED: &str = "with a time, and one with a URL or a path";

/// The positions of the columns to read from a log in Parquet.
pub(super) fn places(schema: &Schema) -> Result<Vec<usize>, Kind> {
    let columns = columns_of(schema)?.ok_or_else(|| missing_column(schema, EXPECTED))?;
    let mut places: Vec<usize> =
        Field::ALL.into_iter().flat_map(|field| columns.of(field)).copied().collect();
    places.sort_unstable();
    Ok(places)
}

fn columns_of(schema: &Schema) -> Result<Option<Columns>, DuplicateColumn> {
    Columns::of_names(&schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>())
}

struct Row<'r> {
    rows: &'r LogRows,
    columns: &'r Columns,
    index: usize,
}

impl<'r> Row<'r> {
    /// The columns of `field` that have a value in the row.
    fn cells(&self, field: Field) -> impl Iterator<Item = &'r ArrayRef> {
        let (cells, index) = (&self.rows.cells, self.index);
        self.columns
            .of(field)
            .iter()
            .filter_map(|&place| cells.get(place))
            .filter(move |cell| cell.is_valid(index))
    }
}

impl<'r> Record<'r> for Row<'r> {
    fn text(&self, field: Field) -> Option<Cow<'r, [u8]>> {
        self.cells(field).find_map(|cell| text(cell, self.index))
    }

    /// A number without a unit is read as in a log of text: as seconds or milliseconds since 1970, or as fourteen digits.
    fn time(&self) -> Option<Result<Timestamp, Malformed>> {
        let cell = self.cells(Field::Time).next()?;
        if let Some(text) = cells::bytes(cell, self.index) {
            return present(text).map(record::time);
        }
        if let Some(number) = text(cell, self.index) {
            return Some(record::time(&number));
        }
        cells::time("time", Some(cell), self.index)
            .map_err(|_| {
                Malformed("a timestamp, a text or a number of seconds since 1970, of the years 1994 to 2200, for the time")
            })
            .transpose()
    }

    fn has_agent(&self) -> bool {
        !self.columns.of(Field::Agent).is_empty()
    }

    fn has_path(&self) -> bool {
        !self.columns.of(Field::Path).is_empty()
    }
}

fn text(cell: &ArrayRef, index: usize) -> Option<Cow<'_, [u8]>> {
    if let Some(bytes) = cells::bytes(cell, index) {
        return present(bytes).map(Cow::Borrowed);
    }
    let number = match cell.data_type() {
        DataType::Int64 => cell.as_primitive::<Int64Type>().value(index).to_string(),
        DataType::UInt64 => cell.as_primitive::<UInt64Type>().value(index).to_string(),
        DataType::Float64 => cell.as_primitive::<Float64Type>().value(index).to_string(),
        _ => return None,
    };
    Some(Cow::Owned(number.into_bytes()))
}
