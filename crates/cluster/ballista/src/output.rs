//! Results as text.

use std::collections::HashSet;
use std::io::{self, Write};

use arrow::csv::WriterBuilder;
use arrow::json::LineDelimitedWriter;
use arrow::util::pretty::pretty_format_batches_with_schema;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;

/// The output format of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A table with borders, written after the last row is known
    Table,
    /// Comma-separated values with a header, written as rows arrive; structs are not supported
    Csv,
    /// One JSON object per line, written as rows arrive; nulls are omitted
    Json,
}

/// Writes a result.
///
/// # Errors
/// Those of the result and of `out`, and if the format does not support the type of a column, or two equal names.
pub async fn write(
    result: SendableRecordBatchStream,
    format: Format,
    out: &mut (dyn Write + Send),
) -> Result<()> {
    match format {
        Format::Table => write_table(result, out).await?,
        Format::Csv => write_csv(result, out).await?,
        Format::Json => write_json(result, out).await?,
    }
    Ok(out.flush()?)
}

async fn write_table(result: SendableRecordBatchStream, out: &mut (dyn Write + Send)) -> Result<()> {
    let schema = result.schema();
    let batches: Vec<_> = result.try_collect().await?;
    let table = pretty_format_batches_with_schema(schema, &batches)?;
    Ok(writeln!(out, "{table}")?)
}

async fn write_csv(mut result: SendableRecordBatchStream, out: &mut (dyn Write + Send)) -> Result<()> {
    // Write the header here: the CSV writer would omit it for a result without rows.
    let names: Vec<String> = result.schema().fields().iter().map(|field| quoted(field.name())).collect();
    writeln!(out, "{}", names.join(","))?;
    while let Some(batch) = result.try_next().await? {
        WriterBuilder::new().with_header(false).build(&mut *out).write(&batch)?;
    }
    Ok(())
}

async fn write_json(mut result: SendableRecordBatchStream, out: &mut (dyn Write + Send)) -> Result<()> {
    let schema = result.schema();
    let mut names = HashSet::new();
    if let Some(field) = schema.fields().iter().find(|field| !names.insert(field.name())) {
        return plan_err!(
            "two columns of the result are named {:?}, so their keys in JSON would be equal (name them with AS)",
            field.name()
        );
    }
    while let Some(batch) = result.try_next().await? {
        let mut lines = LineDelimitedWriter::new(&mut *out);
        lines.write(&batch)?;
        lines.finish()?;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    if name.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// A writer that remembers whether the reader closed the pipe, as `head` does. The format writers do not report the
/// cause of a failure.
#[derive(Debug)]
pub struct Reader<W> {
    out: W,
    has_left: bool,
}

impl<W: Write> Reader<W> {
    /// Creates a writer to `out`.
    pub fn new(out: W) -> Self {
        Reader { out, has_left: false }
    }

    /// Did the reader close the pipe?
    pub fn has_left(&self) -> bool {
        self.has_left
    }

    fn note<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        self.has_left |= written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        written
    }
}

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.out.flush();
        self.note(written)
    }
}
