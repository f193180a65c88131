//! Files of rows: Parquet, JSON lines or tab-separated columns.

use std::io::Write;
use std::path::Path;

use robomata_engine::Moment;
use robomata_formats::{
    Cell, Column, FrontierFormat, Output, OutputError, Rows, RowsBuilder, RowsOutput, Timestamp,
};

use crate::cells::{push_columns, push_members};
use crate::error::JobError;

/// The format of a file of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowForm {
    /// Columns separated by tabs, after a header line.
    Tsv,
    /// One JSON object per line.
    JsonLines,
    /// Parquet.
    Parquet,
}

impl RowForm {
    /// The format that the name of a file asks for: `.parquet`, `.jsonl`, or else TSV. The ending `.gz` or `.zst` of a
    /// compressed file does not count.
    pub fn of_name(path: &Path) -> Self {
        match FrontierFormat::of_name(path) {
            FrontierFormat::Parquet => RowForm::Parquet,
            FrontierFormat::JsonLines => RowForm::JsonLines,
            _ => RowForm::Tsv,
        }
    }

    /// The other format that the name of a file promises, such as `csv`, if it does.
    pub fn other_of_name(path: &Path) -> Option<&'static str> {
        let format = FrontierFormat::of_name(path);
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let is_json = [".json", ".json.gz", ".json.zst"].iter().any(|ending| name.ends_with(ending));
        match format {
            FrontierFormat::Text if is_json => Some("json"),
            FrontierFormat::Csv | FrontierFormat::Cdx | FrontierFormat::Cdxj | FrontierFormat::Warc => {
                Some(format.as_str())
            }
            _ => None,
        }
    }
}

/// A file of rows with fixed columns.
pub(crate) struct RowFile {
    columns: &'static [Column],
    form: RowForm,
    sink: Sink,
}

enum Sink {
    Bytes(Box<Output>),
    Rows(Box<RowsOutput>),
}

impl RowFile {
    /// Writes to `output`, and begins with the header line of TSV.
    pub(crate) fn new(
        mut output: Output,
        form: RowForm,
        columns: &'static [Column],
    ) -> Result<Self, JobError> {
        if form == RowForm::Tsv {
            let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
            writeln!(output, "{}", names.join("\t")).map_err(JobError::output)?;
        }
        let sink = match form {
            RowForm::Parquet => Sink::Rows(Box::new(RowsOutput::new(output, columns)?)),
            RowForm::Tsv | RowForm::JsonLines => Sink::Bytes(Box::new(output)),
        };
        Ok(RowFile { columns, form, sink })
    }

    pub(crate) fn form(&self) -> RowForm {
        self.form
    }

    /// An empty block for this file. Blocks can be filled on other threads.
    pub(crate) fn block(&self) -> RowEncoder {
        RowEncoder::new(self.form, self.columns)
    }

    /// Writes a block in the format of the file.
    pub(crate) fn write(&mut self, block: &RowBlock) -> Result<(), JobError> {
        match (&mut self.sink, block) {
            (Sink::Rows(rows), RowBlock::Rows(block)) => Ok(rows.write(block)?),
            (Sink::Bytes(output), RowBlock::Bytes(bytes)) => {
                output.write_all(bytes).map_err(JobError::output)
            }
            _ => unreachable!("the block was encoded for this file"),
        }
    }

    /// Completes the file under its name.
    pub(crate) fn commit(self) -> Result<(), JobError> {
        match self.sink {
            Sink::Bytes(output) => Ok(output.commit()?),
            Sink::Rows(rows) => Ok(rows.commit()?),
        }
    }
}

/// Collects the rows of a block in the format of a file.
pub(crate) struct RowEncoder {
    columns: &'static [Column],
    encoded: Encoded,
}

enum Encoded {
    Tsv(Vec<u8>),
    JsonLines(Vec<u8>),
    Parquet(Result<RowsBuilder, OutputError>),
}

/// Rows in the format of a file.
pub(crate) enum RowBlock {
    Bytes(Vec<u8>),
    Rows(Rows),
}

impl RowEncoder {
    pub(crate) fn new(form: RowForm, columns: &'static [Column]) -> Self {
        let encoded = match form {
            RowForm::Parquet => Encoded::Parquet(RowsBuilder::new(columns)),
            RowForm::JsonLines => Encoded::JsonLines(Vec::new()),
            RowForm::Tsv => Encoded::Tsv(Vec::new()),
        };
        RowEncoder { columns, encoded }
    }

    /// Adds a row: a cell for each column.
    pub(crate) fn push<'c>(&mut self, row: impl IntoIterator<Item = Cell<'c>>) {
        let row = row.into_iter();
        match &mut self.encoded {
            Encoded::Tsv(out) => {
                push_columns(row.map(Cell::into_text), out);
                out.push(b'\n');
            }
            Encoded::JsonLines(out) => {
                out.push(b'{');
                let names = self.columns.iter().map(|column| &*column.name);
                push_members(names.zip(row.map(Cell::into_text)), out);
                out.extend_from_slice(b"}\n");
            }
            Encoded::Parquet(Ok(rows)) => row.for_each(|cell| rows.push(cell)),
            Encoded::Parquet(Err(_)) => {}
        }
    }

    pub(crate) fn finish(self) -> Result<RowBlock, OutputError> {
        match self.encoded {
            Encoded::Tsv(out) | Encoded::JsonLines(out) => Ok(RowBlock::Bytes(out)),
            Encoded::Parquet(rows) => Ok(RowBlock::Rows(rows?.finish()?)),
        }
    }
}

/// An instant. The years of a bundle's times, and of those derived from them, are within those of a timestamp.
pub(crate) fn time(moment: Option<Moment>) -> Cell<'static> {
    let milliseconds = moment.map(|moment| moment.seconds().saturating_mul(1_000));
    let timestamp = milliseconds.and_then(|milliseconds| Timestamp::from_milliseconds(milliseconds).ok());
    timestamp.map_or(Cell::Null, Cell::Time)
}
