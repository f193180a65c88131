//! Reads and writes Parquet with Arrow. Here is what all readers of rows share: opening files, and errors.

mod captures;
mod cells;
mod log;
mod output;
#[cfg(test)]
mod tests;
mod urls;

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_schema};
use parquet::basic::{Encoding, Type};

pub(crate) use self::captures::TableCaptures;
pub use self::cells::Cells;
pub use self::log::LogRows;
pub use self::output::{Rows, RowsBuilder, RowsOutput};
pub use self::urls::UrlRows;
pub(crate) use self::urls::{RowReader, likely_column};
use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::lines::MAX_LINE;
use crate::meter::{Meter, Share};

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("expected Parquet data: {0}")]
    Corrupt(String),
    #[error("expected a regular file: Parquet is not read from standard input or a pipe")]
    NotSeekable,
}

impl ReadError {
    pub(crate) fn is_incomplete(&self) -> bool {
        matches!(self, ReadError::Corrupt(_))
    }

    pub(crate) fn is_mistake(&self) -> bool {
        false
    }
}

/// The error for data that cannot be decoded.
#[expect(clippy::needless_pass_by_value, reason = "for Result::map_err")]
fn corrupt(error: impl ToString) -> Kind {
    Kind::Rows(ReadError::Corrupt(error.to_string()))
}

/// A builder for a reader of a file's rows.
type Reader = ParquetRecordBatchReaderBuilder<File>;

/// The contribution of one file's rows to a meter.
#[derive(Debug)]
struct RowShare {
    share: Share,
    bytes: u64,
    rows: u64,
}

impl RowShare {
    /// Sets the progress to `rows` rows.
    fn reach(&mut self, rows: u64) {
        let bytes = u128::from(self.bytes) * u128::from(rows.min(self.rows)) / u128::from(self.rows.max(1));
        self.share.reach(u64::try_from(bytes).unwrap_or(self.bytes));
    }
}

/// How columns are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Types {
    /// In the types with which they were written ([`written`]), to write them again.
    AsWritten,
    /// Without the embedded Arrow schema, whose reader was not made for corrupt files. Only durations are those of it.
    Simple,
}

/// Opens `path`, which must be a regular file, and creates a reader with `build`, which also gets the schema as
/// written. Its rows count in `meter`.
fn open<T>(
    path: &Path,
    meter: &Meter,
    types: Types,
    build: impl FnOnce(Reader, &Schema) -> Result<T, Kind>,
) -> Result<(T, RowShare), InputError> {
    let name = FileName::new(path);
    let fail = |kind| InputError::new(name.clone(), None, kind);
    if name.is_stdin() {
        return Err(fail(Kind::Rows(ReadError::NotSeekable)));
    }
    let file = File::open(path).map_err(|error| InputError::unopened(&name, error))?;
    let Some(metadata) = file.metadata().ok().filter(Metadata::is_file) else {
        return Err(fail(Kind::Rows(ReadError::NotSeekable)));
    };
    let bytes = metadata.len();
    let share = meter.share(&file);
    guarded(|| {
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(types == Types::Simple);
        let written = ArrowReaderMetadata::load(&file, options.clone()).map_err(corrupt)?;
        let options = options.with_schema(Arc::new(as_read(&written)));
        let metadata =
            ArrowReaderMetadata::try_new(Arc::clone(written.metadata()), options).map_err(corrupt)?;
        let builder = Reader::new_with_metadata(file, metadata);
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok((build(builder, written.schema())?, RowShare { share, bytes, rows }))
    })
    .map_err(fail)
}

/// The maximum number of bytes of the texts in the rows that are used at once, unless a single row has more.
const BATCH_BYTES: usize = MAX_LINE;

/// The maximum number of rows that are read at once if the library may copy a text for each row.
const COPIED_ROWS: usize = 64;

/// The number of rows to read at once from the columns of `builder`: `most`, or fewer if their values are long or copied.
/// Texts that are views do not count here: see [`rows_within`].
fn rows_at_once(builder: &Reader, columns: &ProjectionMask, most: usize) -> usize {
    let parquet = builder.parquet_schema();
    let read = || (0..parquet.num_columns()).filter(|&leaf| columns.leaf_included(leaf));
    let fixed = |leaf| match parquet.column(leaf).physical_type() {
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(parquet.column(leaf).type_length()).unwrap_or(0),
        _ => 0,
    };
    let is_nested = |leaf| parquet.column(leaf).path().parts().len() > 1;
    let is_delta = |leaf| {
        let groups = builder.metadata().row_groups();
        groups.iter().any(|group| group.column(leaf).encodings().any(|one| one == Encoding::DELTA_BYTE_ARRAY))
    };
    let is_copied = |leaf: usize| {
        let is_text = parquet.column(leaf).physical_type() == Type::BYTE_ARRAY;
        is_text && (is_nested(leaf) || is_delta(leaf))
    };
    let most = if read().any(is_copied) { most.min(COPIED_ROWS) } else { most };
    let row: usize = read().map(fixed).sum();
    most.min(BATCH_BYTES / row.max(1)).max(1)
}

/// The number of the first rows of `batch` whose texts have at most [`BATCH_BYTES`], but at least one. Many rows may share
/// one long text, which then is in memory once.
fn rows_within(batch: &RecordBatch) -> usize {
    let length = |column: &ArrayRef, row: usize| match column.data_type() {
        DataType::Utf8View => column.as_string_view().value(row).len(),
        DataType::BinaryView => column.as_binary_view().value(row).len(),
        _ => 0,
    };
    let mut bytes = 0;
    let is_within = |row: &usize| {
        bytes += batch.columns().iter().map(|column| length(column, *row)).sum::<usize>();
        bytes <= BATCH_BYTES
    };
    (0..batch.num_rows()).take_while(is_within).count().max(1)
}

/// The schema with texts as views, INT96 times in microseconds, and durations, which would otherwise be numbers and pass as
/// times. Rows that share a long text would otherwise each have a copy of it, and all of a column at most 2 GiB. In
/// nanoseconds, times outside of 1677 to 2262 would be other times.
fn as_read(written: &ArrowReaderMetadata) -> Schema {
    let parquet = written.parquet_schema();
    let is_int96 = |leaf: &usize| parquet.column(*leaf).physical_type() == Type::INT96;
    let wide: Vec<usize> =
        (0..parquet.num_columns()).filter(is_int96).map(|leaf| parquet.get_column_root_idx(leaf)).collect();
    let embedded = embedded(written);
    let duration_at = |place: usize| {
        let kind = embedded.as_ref()?.fields().get(place)?.data_type();
        matches!(kind, DataType::Duration(_)).then(|| kind.clone())
    };
    let fields = written.schema().fields().iter().enumerate().map(|(place, field)| {
        let field = field.as_ref().clone();
        match field.data_type() {
            DataType::Int64 => match duration_at(place) {
                Some(kind) => field.with_data_type(kind),
                None => field,
            },
            DataType::Timestamp(TimeUnit::Nanosecond, zone) if wide.contains(&place) => {
                let kind = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
                field.with_data_type(kind)
            }
            written => match view_of(written) {
                Some(view) => field.with_data_type(view),
                None => field,
            },
        }
    });
    Schema::new_with_metadata(fields.collect::<Vec<_>>(), written.schema().metadata().clone())
}

/// The schema with the types of the embedded Arrow schema, if that can be read. It alone distinguishes durations from
/// numbers.
fn embedded(written: &ArrowReaderMetadata) -> Option<Schema> {
    let pairs = written.metadata().file_metadata().key_value_metadata();
    guarded(|| parquet_to_arrow_schema(written.parquet_schema(), pairs).map_err(corrupt)).ok()
}

/// The type in which texts of the type `written` are read.
fn view_of(written: &DataType) -> Option<DataType> {
    match written {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Dictionary(_, value) => view_of(value),
        _ => None,
    }
}

thread_local! {
    /// Whether this thread is inside [`guarded`].
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `read` and turns panics into errors. The decoders of the library were not made for corrupt files and panic on
/// some of them. Such a panic must not end the process. [`silence_caught_panics`] also suppresses its message.
fn guarded<T>(read: impl FnOnce() -> Result<T, Kind>) -> Result<T, Kind> {
    let outer = IS_GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    IS_GUARDED.set(outer);
    result.unwrap_or_else(|_| Err(corrupt("the data are inconsistent")))
}

/// Suppresses the messages of panics that this crate catches and returns as an [`InputError`]: the decoders of Parquet
/// panic on some corrupt files. Other panics are reported as before.
///
/// This sets the panic hook of the process, which calls the previous hook. Call it once, when the program starts.
/// Without it, reading gives the same errors, and the standard hook also prints the message of such a panic.
pub fn silence_caught_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !IS_GUARDED.get() {
            report(panic);
        }
    }));
}

/// The error for a file without an `expected` column.
fn missing_column(schema: &Schema, expected: impl Into<String>) -> Kind {
    Kind::missing_column(expected, schema.fields().iter().map(|field| field.name().as_str()))
}
