//! Columns of URLs, divided into pieces for threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryViewArray, NullArray, StringViewArray};
use arrow_schema::{ArrowError, DataType};
use arrow_select::take::take;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robomata_columns::{ColumnsError, Urls};

use crate::input;

/// A column of URLs, or five columns of their parts. Each column keeps the chunks in which it was passed.
pub(crate) struct Questions {
    columns: Vec<Chunks>,
    rows: usize,
}

/// A column, divided as it was passed.
struct Chunks {
    arrays: Vec<ArrayRef>,
    /// The end of each chunk.
    ends: Vec<usize>,
}

/// A range of rows that is in one chunk of each column.
pub(crate) struct Piece {
    columns: Vec<ArrayRef>,
}

/// The minimum and maximum number of rows of a piece. Fewer are not worth another thread; with more, the text might
/// exceed 32-bit offsets.
const ROWS: (usize, usize) = (1 << 15, 1 << 20);

impl Questions {
    /// Reads a column of URLs.
    pub(crate) fn whole(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        Questions::new(vec![("urls", input::texts("urls", urls)?)])
    }

    /// Reads the columns protocol, host, port, path and query.
    pub(crate) fn parts([protocol, host, port, path, query]: [&Bound<'_, PyAny>; 5]) -> PyResult<Self> {
        Questions::new(vec![
            ("protocol", input::texts("protocol", protocol)?),
            ("host", input::texts("host", host)?),
            ("port", input::ports("port", port)?),
            ("path", input::texts("path", path)?),
            ("query", input::texts("query", query)?),
        ])
    }

    fn new(columns: Vec<(&'static str, Vec<ArrayRef>)>) -> PyResult<Self> {
        let rows_of = |chunks: &[ArrayRef]| chunks.iter().map(Array::len).sum::<usize>();
        let rows = rows_of(&columns[0].1);
        for (name, chunks) in &columns {
            let found = rows_of(chunks);
            if found != rows {
                let first = columns[0].0;
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected {rows} rows, like {first}, found {found}"
                )));
            }
        }
        Ok(Questions { columns: columns.into_iter().map(|(_, chunks)| Chunks::new(chunks)).collect(), rows })
    }

    /// Divides the columns into pieces: at the chunk boundaries of every column, and so that each of `threads` has
    /// work. Returns at least one piece, which may be empty.
    pub(crate) fn pieces(&self, threads: usize) -> Vec<Piece> {
        let most = self.rows.div_ceil(threads).clamp(ROWS.0, ROWS.1);
        let starts: Vec<usize> = self.starts(most).into_iter().chain([self.rows]).collect();
        let mut pieces: Vec<Piece> =
            starts.windows(2).map(|ends| self.piece(ends[0], ends[1] - ends[0])).collect();
        if pieces.is_empty() {
            // Even without rows, an empty piece validates the types and the query.
            pieces.push(self.piece(0, 0));
        }
        pieces
    }

    /// Returns the starts of the pieces.
    fn starts(&self, most: usize) -> BTreeSet<usize> {
        let mut starts = BTreeSet::new();
        for chunks in &self.columns {
            let mut start = 0;
            for &end in &chunks.ends {
                starts.extend((start..end).step_by(most));
                start = end;
            }
        }
        starts
    }

    fn piece(&self, start: usize, rows: usize) -> Piece {
        Piece { columns: self.columns.iter().map(|chunks| chunks.slice(start, rows)).collect() }
    }
}

impl Chunks {
    fn new(arrays: Vec<ArrayRef>) -> Self {
        let mut end = 0;
        let ends = arrays.iter().map(|array| {
            end += array.len();
            end
        });
        Chunks { ends: ends.collect(), arrays }
    }

    /// Returns rows that are in one chunk.
    fn slice(&self, start: usize, rows: usize) -> ArrayRef {
        let number = match rows {
            // An empty column has chunks, too, and their type is validated.
            0 => self.ends.partition_point(|&end| end < start),
            _ => self.ends.partition_point(|&end| end <= start),
        };
        match self.arrays.get(number) {
            Some(array) => array.slice(start - (self.ends[number] - array.len()), rows),
            None => Arc::new(NullArray::new(rows)),
        }
    }
}

impl Piece {
    /// Calls `answer` with the URLs of the piece.
    pub(crate) fn ask<T>(
        &self,
        answer: impl FnOnce(&Urls) -> Result<T, ColumnsError>,
    ) -> Result<T, AskError> {
        let columns = self.columns.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
        let urls = match columns.as_slice() {
            [protocol, host, port, path, query] => Urls::parts(protocol, host, port, path, query),
            columns => Urls::whole(&columns[0]),
        };
        Ok(answer(&urls.map_err(ColumnsError::from)?)?)
    }
}

/// An error while answering a piece.
pub(crate) enum AskError {
    Columns(ColumnsError),
    Arrow(ArrowError),
}

impl From<ColumnsError> for AskError {
    fn from(error: ColumnsError) -> Self {
        AskError::Columns(error)
    }
}

impl From<ArrowError> for AskError {
    fn from(error: ArrowError) -> Self {
        AskError::Arrow(error)
    }
}

/// Expands a dictionary-encoded column. Returns other columns unchanged.
///
/// Values become views, so that a long value is not copied for each row: the offsets of the copies could exceed 32 bits. A key
/// without a value is an error, because imported columns are not validated.
fn plain(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let DataType::Dictionary(_, values_type) = array.data_type() else { return Ok(Arc::clone(array)) };
    let dictionary = array.as_any_dictionary();
    let values: ArrayRef = match **values_type {
        DataType::Utf8 => Arc::new(StringViewArray::from(dictionary.values().as_string::<i32>())),
        DataType::Binary => Arc::new(BinaryViewArray::from(dictionary.values().as_binary::<i32>())),
        _ => Arc::clone(dictionary.values()),
    };
    array.to_data().validate_values()?;
    take(values.as_ref(), dictionary.keys(), None)
}
