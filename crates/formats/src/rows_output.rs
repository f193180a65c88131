//! Writes Parquet.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::output::{Output, OutputError};

/// The number of rows in a group, which are collected in memory before they are compressed and written.
const GROUP_ROWS: usize = 1 << 17;

/// An output of rows as Parquet, compressed with zstd, in groups of at most 131,072 rows. All rows have the columns of
/// the first ones.
pub struct RowsOutput {
    writer: ArrowWriter<Shared>,
    output: Shared,
    schema: SchemaRef,
}

/// The rows have other columns than the first rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherColumns;

/// The output and its first error. The Parquet writer would hide the error in one of its own.
#[derive(Clone)]
struct Shared(Arc<Mutex<(Option<Output>, Option<io::Error>)>>);

impl RowsOutput {
    /// Creates a writer of rows with these columns to `output`.
    ///
    /// # Errors
    /// Fails when the output cannot be written, or when Parquet does not support a type.
    pub fn new(output: Output, schema: SchemaRef) -> Result<Self, OutputError> {
        let output = Shared(Arc::new(Mutex::new((Some(output), None))));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(output.clone(), schema.clone(), Some(properties));
        let writer = writer.map_err(|error| output.explain(error))?;
        Ok(RowsOutput { writer, output, schema })
    }

    /// Checks that rows of `schema` fit: the names and types of the columns must be the same, in the same order.
    ///
    /// # Errors
    /// Fails when they differ.
    pub fn require(&self, schema: &Schema) -> Result<(), OtherColumns> {
        let same = self.schema.fields().len() == schema.fields().len()
            && self.schema.fields().iter().zip(schema.fields()).all(|(one, other)| {
                one.name() == other.name()
                    && one.data_type() == other.data_type()
                    && (one.is_nullable() || !other.is_nullable())
            });
        if same { Ok(()) } else { Err(OtherColumns) }
    }

    /// Writes rows that [`RowsOutput::require`] accepts.
    ///
    /// # Errors
    /// Fails when the output cannot be written.
    pub fn write(&mut self, rows: &RecordBatch) -> Result<(), OutputError> {
        let rows = RecordBatch::try_new(self.schema.clone(), rows.columns().to_vec());
        let written = rows.map_err(ParquetError::from).and_then(|rows| self.writer.write(&rows));
        written.map_err(|error| self.output.explain(error))
    }

    /// Writes the remaining rows and commits the output: see [`Output::commit`].
    ///
    /// # Errors
    /// Fails when any of this fails.
    pub fn commit(self) -> Result<(), OutputError> {
        let RowsOutput { writer, output, .. } = self;
        writer.close().map_err(|error| output.explain(error))?;
        match output.lock().0.take() {
            Some(output) => output.commit(),
            None => Ok(()),
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, (Option<Output>, Option<io::Error>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn explain(&self, error: ParquetError) -> OutputError {
        let first = self.lock().1.take();
        OutputError::from(first.unwrap_or_else(|| io::Error::other(error)))
    }

    fn with<T>(&self, write: impl FnOnce(&mut Output) -> io::Result<T>) -> io::Result<T> {
        let (output, first) = &mut *self.lock();
        let output = output.as_mut().ok_or_else(|| io::Error::other("the output is already closed"))?;
        write(output).map_err(|error| {
            let kind = error.kind();
            first.get_or_insert(error);
            kind.into()
        })
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|output| output.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(Output::flush)
    }
}
