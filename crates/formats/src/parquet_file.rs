//! Opens Parquet files for all readers of rows.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_schema::Schema;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::meter::{Meter, Share};

/// The first and the last bytes of a Parquet file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// A builder for a reader of a file's rows.
pub(crate) type Rows = ParquetRecordBatchReaderBuilder<File>;

/// The contribution of one file's rows to a meter.
#[derive(Debug)]
pub(crate) struct RowShare {
    share: Share,
    rows: u64,
}

impl RowShare {
    /// Sets the progress to `rows` rows.
    pub(crate) fn reach(&mut self, rows: u64) {
        self.share.reach(rows, self.rows);
    }
}

/// Opens `path`, which must be a regular file, and creates a reader with `build`. Its rows count in `meter`.
pub(crate) fn open<T>(
    path: &Path,
    meter: &Meter,
    options: ArrowReaderOptions,
    build: impl FnOnce(Rows) -> Result<T, Kind>,
) -> Result<(T, RowShare), InputError> {
    let name = FileName::new(path);
    let fail = |kind| InputError::new(name.clone(), None, kind);
    if name.is_stdin() {
        return Err(fail(Kind::NotSeekable));
    }
    let file = File::open(path).map_err(|error| InputError::from_io(&name, error))?;
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(fail(Kind::NotSeekable));
    }
    let share = meter.share(&file);
    guarded(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options);
        let builder = builder.map_err(|error| Kind::Parquet(error.to_string()))?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok((build(builder)?, RowShare { share, rows }))
    })
    .map_err(fail)
}

/// Calls `read` and turns panics into errors. The decoders of the library were not made for corrupt files and panic on
/// some of them. Such a panic must not end the process.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, Kind>) -> Result<T, Kind> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Kind::Parquet("the data are inconsistent".to_owned())))
}

/// The error for a file without an `expected` column.
pub(crate) fn missing_column(schema: &Schema, expected: impl Into<String>) -> Kind {
    Kind::missing_column(expected, schema.fields().iter().map(|field| field.name().as_str()))
}
