//! Collects rows and writes them as Parquet.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::{
    Date32Builder, Float64Builder, Int32Builder, StringBuilder, StringDictionaryBuilder,
    TimestampMillisecondBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::output::{Output, OutputError};
use crate::rows::{Cell, Column, ColumnKind};

/// The number of rows in a group, which are collected in memory before they are compressed and written.
const GROUP_ROWS: usize = 1 << 17;

/// Rows to write.
#[derive(Clone, Debug)]
pub struct Rows(RecordBatch);

impl Rows {
    /// The rows for which `kept` is true.
    pub(super) fn selected(rows: &RecordBatch, kept: &[bool]) -> Result<Self, OutputError> {
        Rows::of(arrow_select::filter::filter_record_batch(rows, &BooleanArray::from(kept.to_vec())))
    }

    /// The columns of `rows`, followed by those of `added`.
    pub(super) fn joined(rows: &RecordBatch, added: &Rows) -> Result<Self, OutputError> {
        let fields = |rows: &RecordBatch| rows.schema_ref().fields().iter().cloned().collect::<Vec<_>>();
        let schema = Schema::new([fields(rows), fields(&added.0)].concat());
        Rows::of(RecordBatch::try_new(Arc::new(schema), [rows.columns(), added.0.columns()].concat()))
    }

    fn of(rows: Result<RecordBatch, ArrowError>) -> Result<Self, OutputError> {
        rows.map(Rows).map_err(|error| OutputError::from(io::Error::other(error)))
    }
}

/// Collects rows, value by value.
pub struct RowsBuilder {
    schema: SchemaRef,
    columns: Vec<ColumnBuilder>,
    /// The index of the column that gets the next value.
    next: usize,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Word(StringDictionaryBuilder<Int32Type>),
    Day(Date32Builder),
    Time(TimestampMillisecondBuilder),
    I32(Int32Builder),
    U32(UInt32Builder),
    U64(UInt64Builder),
    F64(Float64Builder),
}

/// The only name of a zone that every reader knows.
pub(super) const UTC: &str = "+00:00";

impl RowsBuilder {
    /// An empty collection of rows with these columns.
    ///
    /// # Errors
    /// Fails without the feature `parquet`.
    pub fn new(columns: &[Column]) -> Result<Self, OutputError> {
        let builders = columns.iter().map(|column| ColumnBuilder::new(column.kind)).collect();
        Ok(RowsBuilder { schema: schema_of(columns), columns: builders, next: 0 })
    }

    /// Adds the next value of a row, or the first value of the next row. A value of another kind than its column counts
    /// as null.
    pub fn push(&mut self, cell: Cell<'_>) {
        let Some(column) = self.columns.get_mut(self.next) else { return };
        column.push(cell);
        self.next = (self.next + 1) % self.columns.len();
    }

    /// The rows.
    ///
    /// # Errors
    /// Fails when the last row is incomplete, or a column without nulls has one.
    pub fn finish(self) -> Result<Rows, OutputError> {
        let columns = self.columns.into_iter().map(ColumnBuilder::finish).collect();
        Rows::of(RecordBatch::try_new(self.schema, columns))
    }
}

impl ColumnBuilder {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => ColumnBuilder::Text(StringBuilder::new()),
            ColumnKind::Word => ColumnBuilder::Word(StringDictionaryBuilder::new()),
            ColumnKind::Day => ColumnBuilder::Day(Date32Builder::new()),
            ColumnKind::Time => ColumnBuilder::Time(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            ColumnKind::I32 => ColumnBuilder::I32(Int32Builder::new()),
            ColumnKind::U32 => ColumnBuilder::U32(UInt32Builder::new()),
            ColumnKind::U64 => ColumnBuilder::U64(UInt64Builder::new()),
            ColumnKind::F64 => ColumnBuilder::F64(Float64Builder::new()),
        }
    }

    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (ColumnBuilder::Text(column), Cell::Text(text)) => column.append_value(text),
            (ColumnBuilder::Word(column), Cell::Text(text)) => column.append_value(text),
            (ColumnBuilder::Day(column), Cell::Day(days)) => column.append_value(days),
            (ColumnBuilder::Time(column), Cell::Time(time)) => column.append_value(time.milliseconds()),
            (ColumnBuilder::I32(column), Cell::I32(number)) => column.append_value(number),
            (ColumnBuilder::U32(column), Cell::U32(number)) => column.append_value(number),
            (ColumnBuilder::U64(column), Cell::U64(number)) => column.append_value(number),
            (ColumnBuilder::F64(column), Cell::F64(number)) => column.append_value(number),
            (ColumnBuilder::Text(column), _) => column.append_null(),
            (ColumnBuilder::Word(column), _) => column.append_null(),
            (ColumnBuilder::Day(column), _) => column.append_null(),
            (ColumnBuilder::Time(column), _) => column.append_null(),
            (ColumnBuilder::I32(column), _) => column.append_null(),
            (ColumnBuilder::U32(column), _) => column.append_null(),
            (ColumnBuilder::U64(column), _) => column.append_null(),
            (ColumnBuilder::F64(column), _) => column.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            ColumnBuilder::Text(mut column) => Arc::new(column.finish()),
            ColumnBuilder::Word(mut column) => Arc::new(column.finish()),
            ColumnBuilder::Day(mut column) => Arc::new(column.finish()),
            ColumnBuilder::Time(mut column) => Arc::new(column.finish()),
            ColumnBuilder::I32(mut column) => Arc::new(column.finish()),
            ColumnBuilder::U32(mut column) => Arc::new(column.finish()),
            ColumnBuilder::U64(mut column) => Arc::new(column.finish()),
            ColumnBuilder::F64(mut column) => Arc::new(column.finish()),
        }
    }
}

fn schema_of(columns: &[Column]) -> SchemaRef {
    let field = |column: &Column| {
        let kind = match column.kind {
            ColumnKind::Text => DataType::Utf8,
            ColumnKind::Word => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            ColumnKind::Day => DataType::Date32,
            ColumnKind::Time => DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
            ColumnKind::I32 => DataType::Int32,
            ColumnKind::U32 => DataType::UInt32,
            ColumnKind::U64 => DataType::UInt64,
            ColumnKind::F64 => DataType::Float64,
        };
        Field::new(column.name.as_ref(), kind, column.is_nullable)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// An output of rows as Parquet, compressed with zstd, in groups of at most 131,072 rows. All rows have the columns of
/// the first ones.
pub struct RowsOutput {
    writer: ArrowWriter<Shared>,
    output: Shared,
    schema: SchemaRef,
}

/// The output and its first error. The Parquet writer would hide the error in one of its own.
#[derive(Clone)]
struct Shared(Arc<Mutex<(Option<Output>, Option<io::Error>)>>);

impl RowsOutput {
    /// Creates a writer of rows with these columns to `output`.
    ///
    /// # Errors
    /// Fails when the output cannot be written.
    pub fn new(output: Output, columns: &[Column]) -> Result<Self, OutputError> {
        RowsOutput::with_schema(output, schema_of(columns))
    }

    /// Creates a writer of rows with the columns of `rows` to `output`. All of them are nullable, because later rows may
    /// lack values that these have.
    ///
    /// # Errors
    /// Fails when the output cannot be written, or when Parquet does not support a type.
    pub fn with_columns_of(output: Output, rows: &Rows) -> Result<Self, OutputError> {
        let fields = rows.0.schema_ref().fields().iter();
        let fields = fields.map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>();
        RowsOutput::with_schema(output, Arc::new(Schema::new(fields)))
    }

    fn with_schema(output: Output, schema: SchemaRef) -> Result<Self, OutputError> {
        let output = Shared(Arc::new(Mutex::new((Some(output), None))));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(output.clone(), schema.clone(), Some(properties));
        let writer = writer.map_err(|error| output.explain(error))?;
        Ok(RowsOutput { writer, output, schema })
    }

    /// Returns whether `rows` have the columns of the output: the same names and types, in the same order.
    pub fn accepts(&self, rows: &Rows) -> bool {
        let (ours, theirs) = (self.schema.fields(), rows.0.schema_ref().fields());
        ours.len() == theirs.len()
            && ours.iter().zip(theirs).all(|(one, other)| {
                one.name() == other.name()
                    && one.data_type() == other.data_type()
                    && (one.is_nullable() || !other.is_nullable())
            })
    }

    /// Writes rows that [`RowsOutput::accepts`].
    ///
    /// # Errors
    /// Fails when the output cannot be written.
    pub fn write(&mut self, rows: &Rows) -> Result<(), OutputError> {
        let rows = RecordBatch::try_new(self.schema.clone(), rows.0.columns().to_vec());
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
