//! Replaces `arrow.rs` in a build without Parquet. No value of these types exists, except errors.

use std::io;
use std::iter;
use std::path::Path;

use robomata_protocol::UrlRef;

use super::{Cell, CellText, Column, NoParquet, RowColumns};
use crate::capture::Capture;
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::log::{LogLine, Malformed};
use crate::meter::Meter;
use crate::output::{Output, OutputError};
use crate::urls::UrlColumn;

/// A type without values.
#[derive(Clone, Copy, Debug)]
enum Never {}

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) struct ReadError(#[from] NoParquet);

impl ReadError {
    pub(crate) fn is_incomplete(&self) -> bool {
        false
    }

    pub(crate) fn is_mistake(&self) -> bool {
        true
    }
}

fn input_error(path: &Path) -> InputError {
    InputError::new(FileName::new(path), None, Kind::Rows(NoParquet.into()))
}

fn output_error() -> OutputError {
    OutputError::from(io::Error::other(NoParquet))
}

/// Does nothing: without Parquet, no panic is caught.
pub fn silence_caught_panics() {}

/// The captures of a Parquet file.
pub(crate) struct TableCaptures(Never);

impl TableCaptures {
    pub(crate) fn open(path: &Path, _: &Meter) -> Result<Self, InputError> {
        Err(input_error(path))
    }
}

impl Iterator for TableCaptures {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0 {}
    }
}

/// A Parquet file, batch by batch.
pub(crate) struct RowReader(Never);

impl RowReader {
    pub(crate) fn open(
        path: &Path,
        _: Option<&UrlColumn>,
        _: RowColumns,
        _: u64,
        _: &Meter,
    ) -> Result<Self, InputError> {
        Err(input_error(path))
    }
}

impl Iterator for RowReader {
    type Item = Result<UrlRows, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.0 {}
    }
}

pub(crate) fn likely_column(_: &Path, _: fn(&[u8]) -> bool) -> Option<String> {
    None
}

/// Some rows of a Parquet file.
#[derive(Clone, Debug)]
pub struct UrlRows(Never);

#[expect(clippy::len_without_is_empty, reason = "as in arrow.rs")]
impl UrlRows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self.0 {}
    }

    /// The number of rows in the file before these.
    pub fn rows_before(&self) -> u64 {
        match self.0 {}
    }

    /// The names of the columns.
    pub fn names(&self) -> iter::Empty<&str> {
        match self.0 {}
    }

    /// The URL of the row at `index`.
    pub fn url(&self, _: usize) -> Option<UrlRef<'_>> {
        match self.0 {}
    }

    /// The URL of the row at `index` as written.
    pub fn written_url(&self, _: usize) -> Option<UrlRef<'_>> {
        match self.0 {}
    }

    /// The values of all columns as texts.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn cells(&self) -> Result<Cells<'_>, OutputError> {
        match self.0 {}
    }

    /// The rows for which `kept` is true.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn selected(&self, _: &[bool]) -> Result<Rows, OutputError> {
        match self.0 {}
    }

    /// The rows with more columns.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn with_columns(&self, _: &Rows) -> Result<Rows, OutputError> {
        match self.0 {}
    }
}

/// The values of rows as texts.
pub struct Cells<'r>(&'r UrlRows);

impl Cells<'_> {
    /// The names and values of the row at `index`.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn row(&self, _: usize) -> Result<Vec<(&str, Option<CellText<'_>>)>, OutputError> {
        match self.0.0 {}
    }
}

/// Some rows of a log in Parquet.
#[derive(Debug)]
pub struct LogRows(UrlRows);

impl LogRows {
    /// Interprets `rows`.
    pub fn new(rows: &UrlRows) -> Self {
        LogRows(rows.clone())
    }

    /// Returns whether the rows are roughly in the order of time.
    pub fn is_in_order(&self) -> bool {
        match self.0.0 {}
    }

    /// Parses the row at `index`.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn read(&self, _: usize) -> Result<LogLine<'_>, Malformed> {
        match self.0.0 {}
    }
}

/// Rows to write.
#[derive(Clone, Debug)]
pub struct Rows(Never);

/// Collects rows.
pub struct RowsBuilder(Never);

impl RowsBuilder {
    /// Fails.
    ///
    /// # Errors
    /// This build has no Parquet.
    pub fn new(_: &[Column]) -> Result<Self, OutputError> {
        Err(output_error())
    }

    /// Adds the next value of a row.
    pub fn push(&mut self, _: Cell<'_>) {
        match self.0 {}
    }

    /// The rows.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn finish(self) -> Result<Rows, OutputError> {
        match self.0 {}
    }
}

/// An output of rows as Parquet.
pub struct RowsOutput(Never);

impl RowsOutput {
    /// Fails.
    ///
    /// # Errors
    /// This build has no Parquet.
    pub fn new(_: Output, _: &[Column]) -> Result<Self, OutputError> {
        Err(output_error())
    }

    /// Fails.
    ///
    /// # Errors
    /// This build has no Parquet.
    pub fn with_columns_of(_: Output, _: &Rows) -> Result<Self, OutputError> {
        Err(output_error())
    }

    /// Returns whether the rows have the columns of the output.
    pub fn accepts(&self, _: &Rows) -> bool {
        match self.0 {}
    }

    /// Writes rows.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn write(&mut self, _: &Rows) -> Result<(), OutputError> {
        match self.0 {}
    }

    /// Commits the output.
    ///
    /// # Errors
    /// There is no value to call this on.
    pub fn commit(self) -> Result<(), OutputError> {
        match self.0 {}
    }
}
