//! Writes every request of a crawler as a row, with its verdict and the line that it violated.

use std::path::Path;

use robomata_formats::log::LogEntry;
use robomata_formats::urls::as_text;
use robomata_formats::{Cell, Column, ColumnKind, FileName, Output, OutputError};

use super::judge::Judgement;
use super::requests::Request;
use crate::error::JobError;
use crate::row_file::{RowBlock, RowEncoder, RowFile, RowForm};

/// The columns of a row:
///
/// | column | meaning |
/// |---|---|
/// | `file`, `file_line` | the log, and the 1-based line or row in it |
/// | `time` | the time of the request, in UTC |
/// | `client` | the address or name of the client, which helps to verify the crawler; null if the log does not have it, and in an anonymous output |
/// | `crawler` | the crawler that made the request |
/// | `agent` | its User-Agent; null if the log does not have it |
/// | `method` | the method of the request |
/// | `url` | its complete URL; null if it is not UTF-8 and the dialect compares its bytes (`google`): the verdict about a text might be another |
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
    Column::nullable("url", ColumnKind::Text),
    Column::nullable("status", ColumnKind::I32),
    Column::required("verdict", ColumnKind::Word),
    Column::nullable("line", ColumnKind::U32),
    Column::nullable("rule", ColumnKind::Text),
];

/// The output of rows: a file of Parquet, JSON lines or tab-separated columns.
pub struct RequestsOutput {
    file: RowFile,
    is_anonymous: bool,
}

/// The options for writing rows.
#[derive(Clone, Copy)]
pub(super) struct RowOptions {
    form: RowForm,
    /// Are the clients' addresses left out?
    is_anonymous: bool,
}

impl RequestsOutput {
    /// Creates an output at `path`. Its extension determines the format: `.parquet`, `.jsonl`, or else tab-separated
    /// columns with a header line. `.gz` or `.zst` compresses the file. An anonymous output does not name the clients.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn create(path: &Path, is_anonymous: bool) -> Result<Self, JobError> {
        let file = RowFile::new(Output::create(path)?, RowForm::of_name(path), &COLUMNS)?;
        Ok(RequestsOutput { file, is_anonymous })
    }

    pub(super) fn options(&self) -> RowOptions {
        RowOptions { form: self.file.form(), is_anonymous: self.is_anonymous }
    }

    pub(super) fn write(&mut self, block: &RowBlock) -> Result<(), JobError> {
        self.file.write(block)
    }

    /// Completes the output under its name.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn commit(self) -> Result<(), JobError> {
        self.file.commit()
    }
}

/// The rows of a block.
pub(super) struct RequestRows {
    file: String,
    is_anonymous: bool,
    rows: RowEncoder,
}

impl RequestRows {
    pub(super) fn new(file: &FileName, options: RowOptions) -> Self {
        let rows = RowEncoder::new(options.form, &COLUMNS);
        RequestRows { file: file.to_string(), is_anonymous: options.is_anonymous, rows }
    }

    /// Adds the request on a line of the file, for `url`, unless no text can stand for it.
    pub(super) fn push(&mut self, line: u64, entry: &LogEntry<'_>, request: &Request, url: Option<&[u8]>) {
        fn text(bytes: &[u8]) -> Cell<'_> {
            Cell::Text(as_text(bytes))
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
            (&*request.spelling).into(),
            entry.agent.as_deref().map_or(Cell::Null, text),
            text(&entry.method),
            url.map_or(Cell::Null, text),
            entry.status.map_or(Cell::Null, Cell::I32),
            request.verdict().into(),
            violated.map_or(Cell::Null, Cell::U32),
            violated.and(request.rule.as_deref()).map_or(Cell::Null, Cell::from),
        ];
        self.rows.push(row);
    }

    pub(super) fn into_block(self) -> Result<RowBlock, OutputError> {
        self.rows.finish()
    }
}
