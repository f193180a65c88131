//! Columns of URLs, in pieces that threads take.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, NullArray};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robomata_columns::{ColumnsError, Urls};

use crate::input;

/// A column of URLs, or five of their parts, each in chunks as it came.
pub(crate) struct Questions {
    columns: Vec<Vec<ArrayRef>>,
    rows: usize,
}

/// Rows of all columns that lie in one chunk of each.
pub(crate) struct Piece {
    columns: Vec<ArrayRef>,
}

/// Rows of a piece: fewer are not worth waking another thread; of more, text might pass what offsets can tell.
const ROWS: (usize, usize) = (1 << 15, 1 << 20);

impl Questions {
    /// A column of URLs as text.
    pub(crate) fn whole(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        Questions::new(vec![("urls", input::texts("urls", urls)?)])
    }

    /// The columns protocol, host, port, path and query.
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
                    "{name}: expected {rows} rows, as {first} has, found {found}"
                )));
            }
        }
        Ok(Questions { columns: columns.into_iter().map(|(_, chunks)| chunks).collect(), rows })
    }

    /// The columns, cut where any of them is, and so that each of `threads` has work; at least one piece, which may be empty.
    pub(crate) fn pieces(&self, threads: usize) -> Vec<Piece> {
        let most = self.rows.div_ceil(threads).clamp(ROWS.0, ROWS.1);
        let starts: Vec<usize> = self.starts(most).into_iter().chain([self.rows]).collect();
        let mut pieces: Vec<Piece> =
            starts.windows(2).map(|ends| self.piece(ends[0], ends[1] - ends[0])).collect();
        if pieces.is_empty() {
            // Of no rows, too, it is asked whether their types, and who asks, are answered.
            pieces.push(self.piece(0, 0));
        }
        pieces
    }

    /// Where pieces begin.
    fn starts(&self, most: usize) -> BTreeSet<usize> {
        let mut starts = BTreeSet::new();
        for chunks in &self.columns {
            let mut start = 0;
            for chunk in chunks {
                starts.extend((start..start + chunk.len()).step_by(most));
                start += chunk.len();
            }
        }
        starts
    }

    fn piece(&self, start: usize, rows: usize) -> Piece {
        Piece { columns: self.columns.iter().map(|chunks| slice(chunks, start, rows)).collect() }
    }
}

/// Rows that lie in one chunk.
fn slice(chunks: &[ArrayRef], mut start: usize, rows: usize) -> ArrayRef {
    for chunk in chunks {
        if start < chunk.len() || (rows == 0 && start == chunk.len()) {
            return chunk.slice(start, rows);
        }
        start -= chunk.len();
    }
    Arc::new(NullArray::new(rows))
}

impl Piece {
    /// Hands the piece to `answer`, as it is asked about.
    pub(crate) fn ask<T>(
        &self,
        answer: impl FnOnce(&Urls<'_>) -> Result<T, ColumnsError>,
    ) -> Result<T, AskError> {
        let columns = self.columns.iter().map(plain).collect::<Result<Vec<_>, _>>()?;
        let urls = match columns.as_slice() {
            [protocol, host, port, path, query] => Urls::parts(protocol, host, port, path, query)?,
            columns => Urls::whole(&columns[0])?,
        };
        Ok(answer(&urls)?)
    }
}

/// A piece is not answered.
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

/// What a dictionary's keys stand for, row by row; other columns as they are.
fn plain(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            arrow_select::take::take(dictionary.values().as_ref(), dictionary.keys(), None)
        }
        _ => Ok(Arc::clone(array)),
    }
}
