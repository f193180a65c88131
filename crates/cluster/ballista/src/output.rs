//! Results as text.

use std::io::{self, Write};

use arrow::csv::WriterBuilder;
use arrow::json::writer::{JsonArray, LineDelimited};
use arrow::json::{LineDelimitedWriter, WriterBuilder as JsonBuilder};
use arrow::record_batch::RecordBatch;
use arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;

/// How a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table with borders, after all rows are known
    Table,
    /// Comma-separated values with a header, as rows come; structs have no place in it
    Csv,
    /// A JSON object a line, as rows come
    Json,
}

/// Writes a result.
///
/// # Errors
/// Those of the result and of `out`, and when the format has no place for a column's type.
pub async fn write(result: SendableRecordBatchStream, format: Format, out: &mut dyn Write) -> Result<()> {
    match format {
        Format::Table => write_table(result, out).await,
        Format::Csv => write_csv(result, out).await,
        Format::Json => write_json(result, out).await,
    }
}
