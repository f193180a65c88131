//! Writes every request of a crawler as a row, with its verdict and the line that it violated.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    Int32Builder, StringBuilder, StringDictionaryBuilder, TimestampMillisecondBuilder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::display::FormatOptions;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use robomata_formats::log::LogEntry;
use robomata_formats::{FileName, FrontierFormat, Output, OutputError, RowsOutput};

use super::judge::Judgement;
use super::requests::Request;
use crate::cells::Cells;
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
static COLUMNS: LazyLock<SchemaRef> = LazyLock::new(|| {
    let word = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("file", word(), false),
        Field::new("file_line", DataType::UInt64, false),
        Field::new("time", DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())), false),
        Field::new("client", DataType::Utf8, true),
        Field::new("crawler", word(), false),
        Field::new("agent", DataType::Utf8, true),
        Field::new("method", DataType::Utf8, false),
        Field::new("url", DataType::Utf8, false),
        Field::new("status", DataType::Int32, true),
        Field::new("verdict", word(), false),
        Field::new("line", DataType::UInt32, true),
        Field::new("rule", DataType::Utf8, true),
    ]))
});

const UTC: &str = "+00:00";

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
    Bytes(Output),
    Rows(RowsOutput),
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
            let names: Vec<&str> = COLUMNS.fields().iter().map(|field| field.name().as_str()).collect();
            writeln!(output, "{}", names.join("\t")).map_err(JobError::output)?;
        }
        let sink = match form {
            OutputForm::Parquet => Sink::Rows(RowsOutput::new(output, Arc::clone(&COLUMNS))?),
            _ => Sink::Bytes(output),
        };
        Ok(RequestsOutput { rows: RowOptions { form, is_anonymous }, sink })
    }

    pub(super) fn options(&self) -> RowOptions {
        self.rows
    }

    pub(super) fn write(&mut self, block: &RequestBlock) -> Result<(), JobError> {
        match (&mut self.sink, block) {
            (Sink::Rows(rows), RequestBlock::Rows(batch)) => Ok(rows.write(batch)?),
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
    Rows(RecordBatch),
}

/// The rows of a block.
pub(super) struct RequestRows {
    options: RowOptions,
    file: String,
    files: StringDictionaryBuilder<Int32Type>,
    file_lines: UInt64Builder,
    times: TimestampMillisecondBuilder,
    clients: StringBuilder,
    crawlers: StringDictionaryBuilder<Int32Type>,
    agents: StringBuilder,
    methods: StringBuilder,
    urls: StringBuilder,
    statuses: Int32Builder,
    verdicts: StringDictionaryBuilder<Int32Type>,
    lines: UInt32Builder,
    rules: StringBuilder,
}

impl RequestRows {
    pub(super) fn new(file: &FileName, options: RowOptions) -> Self {
        RequestRows {
            options,
            file: file.to_string(),
            files: StringDictionaryBuilder::new(),
            file_lines: UInt64Builder::new(),
            times: TimestampMillisecondBuilder::new().with_timezone(UTC),
            clients: StringBuilder::new(),
            crawlers: StringDictionaryBuilder::new(),
            agents: StringBuilder::new(),
            methods: StringBuilder::new(),
            urls: StringBuilder::new(),
            statuses: Int32Builder::new(),
            verdicts: StringDictionaryBuilder::new(),
            lines: UInt32Builder::new(),
            rules: StringBuilder::new(),
        }
    }

    /// Adds the request on a line of the file, for `url`.
    pub(super) fn push(&mut self, line: u64, entry: &LogEntry<'_>, request: &Request, url: &[u8]) {
        self.files.append_value(&self.file);
        self.file_lines.append_value(line);
        self.times.append_value(entry.time.milliseconds());
        let client = entry.client.as_deref().filter(|_| !self.options.is_anonymous);
        self.clients.append_option(client.map(String::from_utf8_lossy));
        self.crawlers.append_value(&request.crawler);
        self.agents.append_option(entry.agent.as_deref().map(String::from_utf8_lossy));
        self.methods.append_value(String::from_utf8_lossy(&entry.method));
        self.urls.append_value(String::from_utf8_lossy(url));
        self.statuses.append_option(entry.status);
        self.verdicts.append_value(request.verdict());
        let broken = match request.judgement {
            Some(Judgement::Disallowed { decider, .. }) if !request.refused => {
                Some(decider.line).filter(|&line| line > 0)
            }
            _ => None,
        };
        self.lines.append_option(broken);
        self.rules.append_option(broken.and(request.rule.as_deref()));
    }

    pub(super) fn into_block(self) -> Result<RequestBlock, OutputError> {
        let form = self.options.form;
        let batch = self.finish().map_err(|error| OutputError::from(std::io::Error::other(error)))?;
        if form == OutputForm::Parquet {
            return Ok(RequestBlock::Rows(batch));
        }
        let options = FormatOptions::default();
        let cells = Cells::new(&batch, &options);
        let mut out = Vec::new();
        for row in 0..batch.num_rows() {
            if form == OutputForm::JsonLines {
                out.push(b'{');
                cells.push_members(row, &mut out);
                out.extend_from_slice(b"}\n");
            } else {
                cells.push_columns(row, &mut out);
                out.push(b'\n');
            }
        }
        Ok(RequestBlock::Bytes(out))
    }

    fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.files.finish()),
            Arc::new(self.file_lines.finish()),
            Arc::new(self.times.finish()),
            Arc::new(self.clients.finish()),
            Arc::new(self.crawlers.finish()),
            Arc::new(self.agents.finish()),
            Arc::new(self.methods.finish()),
            Arc::new(self.urls.finish()),
            Arc::new(self.statuses.finish()),
            Arc::new(self.verdicts.finish()),
            Arc::new(self.lines.finish()),
            Arc::new(self.rules.finish()),
        ];
        RecordBatch::try_new(Arc::clone(&COLUMNS), columns)
    }
}
