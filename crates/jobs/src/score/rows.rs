//! Writes every request of a crawler as a row, with its verdict and the line that it violated.

use std::io::Write;
use std::path::Path;

use robomata_formats::log::LogEntry;
use robomata_formats::{
    Cell, Column, ColumnKind, FileName, FrontierFormat, Output, OutputError, Rows, RowsBuilder, RowsOutput,
};

use super::judge::Judgement;
use super::requests::Request;
use crate::cells::{push_columns, push_members};
use crate::error::JobError;
use crate::filter::OutputForm;

/// The columns of a row:
///
/// | column | meaning |
/// |---|---|
/// | `file`, `file_line` | the log, and the 1-based line or row in it |
/// | `time` | the time of the request, in UTC |
/// | `client` | the address or name of the client, which helps to verify the crawler; null if the log does not have it, and in an anonymous output |
/// | `crawler` | the crawler that made the request |
/// | `agent` | its User-Agent; null if the log does not have it |
/// | `method`, `url` | the method and the complete URL of the request |
/// | `status` | the response status; null if the log does not have it |
/// | `verdict` | the verdict: `allowed`, `disallowed`, `excused`, `robots-txt`, `refused`, … |
/// | `line`, `rule` | the line that was violated, and its rule; null if none was |
static COLUMNS: [Column; 12] = [
    Column::required("file", ColumnKind::Word),
    Column::required("file_line", ColumnKind::U64),
    Column::required("time", ColumnKind::Time),
    Column::nullable("client", ColumnKind::Text),
    Column::required("crawler", ColumnKind::Word),
    Column::nullable("agent", ColumnKind::Text),
    Column::required("method", ColumnKind::Text),
    Column::required("url", ColumnKind::Text),
    Column::nullable("status", ColumnKind::I32),
    Column::required("verdict", ColumnKind::Word),
    Column::nullable("line", ColumnKind::U32),
    Column::nullable("rule", ColumnKind::Text),
];

/// The output of rows: a file of Parquet, JSON lines or tab-separated columns.
pub struct RequestsOutput {
    rows: RowOptions,
    sink: Sink,
}

/// The options for writing rows.
#[derive(Clone, Copy)]
pub(super) struct RowOptions {
    form: OutputForm,
    /// Are the clients' addresses left out?
    is_anonymous: bool,
}

enum Sink {
    Bytes(Box<Output>),
    Rows(Box<RowsOutput>),
}

impl RequestsOutput {
    /// Creates an output at `path`. Its extension determines the format: `.parquet`, `.jsonl`, or else tab-separated
    /// columns with a header line. `.gz` or `.zst` compresses the file. An anonymous output does not name the clients.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn create(path: &Path, is_anonymous: bool) -> Result<Self, JobError> {
        let form = match FrontierFormat::of_name(path) {
            FrontierFormat::Parquet => OutputForm::Parquet,
            FrontierFormat::JsonLines => OutputForm::JsonLines,
            _ => OutputForm::Tsv,
        };
        let mut output = Output::create(path)?;
        if form == OutputForm::Tsv {
            let names = COLUMNS.each_ref().map(|column| &*column.name);
            writeln!(output, "{}", names.join("\t")).map_err(JobError::output)?;
        }
        let sink = match form {
            OutputForm::Parquet => Sink::Rows(Box::new(RowsOutput::new(output, &COLUMNS)?)),
            _ => Sink::Bytes(Box::new(output)),
        };
        Ok(RequestsOutput { rows: RowOptions { form, is_anonymous }, sink })
    }

    /// Returns whether an output at `path` is Parquet.
    pub fn is_parquet(path: &Path) -> bool {
        FrontierFormat::of_name(path) == FrontierFormat::Parquet
    }

    pub(super) fn options(&self) -> RowOptions {
        self.rows
    }

    pub(super) fn write(&mut self, block: &RequestBlock) -> Result<(), JobError> {
        match (&mut self.sink, block) {
            (Sink::Rows(rows), RequestBlock::Rows(block)) => Ok(rows.write(block)?),
            (Sink::Bytes(output), RequestBlock::Bytes(bytes)) => {
                output.write_all(bytes).map_err(JobError::output)
            }
            // Readers know the format of the output.
            _ => Ok(()),
        }
    }

    /// Completes the output under its name.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn commit(self) -> Result<(), JobError> {
        match self.sink {
            Sink::Bytes(output) => Ok(output.commit()?),
            Sink::Rows(rows) => Ok(rows.commit()?),
        }
    }
}

/// Rows in the format of the output.
pub(super) enum RequestBlock {
    Bytes(Vec<u8>),
    Rows(Rows),
}

/// The rows of a block.
pub(super) struct RequestRows {
    file: String,
    is_anonymous: bool,
    encoder: Encoder,
}

/// The rows so far, in the format of the output.
enum Encoder {
    Tsv(Vec<u8>),
    JsonLines(Vec<u8>),
    Parquet(Result<RowsBuilder, OutputError>),
}

impl RequestRows {
    pub(super) fn new(file: &FileName, options: RowOptions) -> Self {
        let encoder = match options.form {
            OutputForm::Parquet => Encoder::Parquet(RowsBuilder::new(&COLUMNS)),
            OutputForm::JsonLines => Encoder::JsonLines(Vec::new()),
            _ => Encoder::Tsv(Vec::new()),
        };
        RequestRows { file: file.to_string(), is_anonymous: options.is_anonymous, encoder }
    }

    /// Adds the request on a line of the file, for `url`.
    pub(super) fn push(&mut self, line: u64, entry: &LogEntry<'_>, request: &Request, url: &[u8]) {
        fn text(bytes: &[u8]) -> Cell<'_> {
            Cell::Text(String::from_utf8_lossy(bytes))
        }
        let client = entry.client.as_deref().filter(|_| !self.is_anonymous);
        let violated = match request.judgement {
            Some(Judgement::Disallowed { decider, .. }) if !request.refused => {
                Some(decider.line).filter(|&line| line > 0)
            }
            _ => None,
        };
        let row: [Cell<'_>; 12] = [
            self.file.as_str().into(),
            Cell::U64(line),
            Cell::Time(entry.time),
            client.map_or(Cell::Null, text),
            (&*request.crawler).into(),
            entry.agent.as_deref().map_or(Cell::Null, text),
            text(&entry.method),
            text(url),
            entry.status.map_or(Cell::Null, Cell::I32),
            request.verdict().into(),
            violated.map_or(Cell::Null, Cell::U32),
            violated.and(request.rule.as_deref()).map_or(Cell::Null, Cell::from),
        ];
        match &mut self.encoder {
            Encoder::Tsv(out) => {
                push_columns(row.into_iter().map(Cell::into_text), out);
                out.push(b'\n');
            }
            Encoder::JsonLines(out) => {
                out.push(b'{');
                let names = COLUMNS.iter().map(|column| &*column.name);
                push_members(names.zip(row.into_iter().map(Cell::into_text)), out);
                out.extend_from_slice(b"}\n");
            }
            Encoder::Parquet(Ok(rows)) => row.into_iter().for_each(|cell| rows.push(cell)),
            Encoder::Parquet(Err(_)) => {}
        }
    }

    pub(super) fn into_block(self) -> Result<RequestBlock, OutputError> {
        match self.encoder {
            Encoder::Tsv(out) | Encoder::JsonLines(out) => Ok(RequestBlock::Bytes(out)),
            Encoder::Parquet(rows) => Ok(RequestBlock::Rows(rows?.finish()?)),
        }
    }
}
