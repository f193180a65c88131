//! Arguments of sub-commands that read a frontier: files of URLs.

use std::error::Error;
use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robomata_formats::{EmptyStreams, FrontierFormat, Output, UrlColumn, replaces_file};
use robomata_jobs::{ErrorCounts, JobError, readable};
use serde::Serialize;

use crate::args::{require_parquet_for, usage_error};
use crate::console::Console;
use crate::output::{RunArguments, is_stdin, is_stdio, refuse_inputs, write_text};

/// The formats of files of URLs, for help texts.
pub(crate) const FORMATS: &str = "\
Formats of URLS, chosen by --format or by file name (without .gz or .zst):
  text     one URL per line; any other name
  tsv      columns separated by tabs; --column is a number, or a name in the header line; by default the column url, uri,
           loc, link, href, address, 'page url' or page_url, else the first if no other one has URLs (.tsv)
  csv      columns separated by commas, quoted where needed; --column as for tsv (.csv)
  jsonl    one JSON object per line; --column is the key, 'url' by default (.jsonl, .ndjson)
  cdx      an index of a web archive; its header line names the columns, else they are N b a m s k and others (.cdx)
  cdxj     the same with JSON; a line without \"url\" gets a URL made of its key, with the scheme http (.cdxj)
  warc     the target URIs of responses, resources, revisits and requests (.warc)
  parquet  --column, or all of the columns url_protocol, url_host_name, url_port, url_path, url_query of Common
           Crawl's index, or the column 'url', or these columns without url_port (.parquet; a file, not compressed as
           a whole)
Blanks around a URL are not part of it. A URL that contains control characters is invalid.";

/// The format of files of URLs.
#[derive(Args, Debug)]
pub(crate) struct UrlForm {
    /// The format of all URLS [default: chosen by the name of each file]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) format: Option<FrontierFormat>,
    /// The column that holds the URL: a number from 1 on, or the name of a column or key; not for cdx, cdxj and warc
    #[arg(long, value_name = "N|NAME", value_parser = column)]
    pub(crate) column: Option<UrlColumn>,
}

/// Inputs, outputs and options of a run over a frontier.
#[derive(Args, Debug)]
pub(crate) struct FrontierArguments {
    #[command(flatten)]
    pub(crate) form: UrlForm,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Write counts and speed to FILE as JSON; - writes them to standard output, as the last line
    #[arg(long, value_name = "FILE|-")]
    pub(crate) stats: Option<PathBuf>,
    /// Files of URLs; - or no file is standard input
    #[arg(value_name = "URLS")]
    pub(crate) urls: Vec<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = FrontierFormat> {
    PossibleValuesParser::new(FrontierFormat::ALL.map(FrontierFormat::as_str)).try_map(|name| {
        let format = name.parse::<FrontierFormat>()?;
        require_parquet_for(format == FrontierFormat::Parquet)?;
        Ok::<_, Box<dyn Error + Send + Sync>>(format)
    })
}

fn column(text: &str) -> Result<UrlColumn, String> {
    match text {
        "" | "0" => Err("expected a number of at least 1, or a name".to_owned()),
        text => text.parse().map_err(|error: std::convert::Infallible| match error {}),
    }
}

impl UrlForm {
    /// Refuses a column for `urls`, arguments of sub-command `name`, if the format of one names its column of URLs itself.
    pub(crate) fn validate(&self, name: &str, urls: &[PathBuf]) -> anyhow::Result<()> {
        let format_of = |path: &PathBuf| self.format.unwrap_or_else(|| FrontierFormat::of_name(path));
        let names_column = |format: &FrontierFormat| {
            matches!(format, FrontierFormat::Cdx | FrontierFormat::Cdxj | FrontierFormat::Warc)
        };
        let formats = self.column.iter().flat_map(|_| urls.iter().map(format_of));
        formats.into_iter().find(names_column).map_or(Ok(()), |format| {
            Err(usage_error(
                name,
                &format!(
                    "--column cannot be used with {format}: the format says where the URLs are (leave it out, or read \
                     files of other formats in another run)"
                ),
            ))
        })
    }
}

impl FrontierArguments {
    /// Fills in defaults.
    pub(crate) fn complete(&mut self) {
        if self.urls.is_empty() {
            self.urls.push(PathBuf::from("-"));
        }
    }

    /// Validates the arguments of sub-command `name`, which reads policies from `sources` and also writes `others`.
    pub(crate) fn validate(&self, name: &str, sources: &[PathBuf], others: &[PathBuf]) -> anyhow::Result<()> {
        let mistake = |message| Err(usage_error(name, message));
        let reads_stdin = |path: &&PathBuf| is_stdin(path);
        if self.urls.iter().chain(sources).filter(reads_stdin).count() > 1 {
            return mistake("standard input cannot be read twice: use '-' only once in --robots and URLS");
        }
        if self.form.format == Some(FrontierFormat::Parquet) && self.urls.iter().any(|path| is_stdin(path)) {
            return mistake("Parquet cannot be read from standard input (name a file)");
        }
        self.form.validate(name, &self.urls)?;
        let outputs = [&self.run.output.to, &self.stats].into_iter().flatten().chain(others);
        refuse_inputs(
            name,
            outputs.map(PathBuf::as_path),
            self.urls.iter().chain(sources).map(PathBuf::as_path),
        )
    }

    /// Checks, before any work is done, that the files can be read and contain URLs, not captures as `sources` do.
    pub(crate) fn require_files(&self, sources: &[PathBuf]) -> Result<(), JobError> {
        let UrlForm { format, column } = &self.form;
        readable::require_no_captures(&self.urls, *format, sources)?;
        Ok(readable::require_files_of_urls(&self.urls, *format, column.as_ref())?)
    }

    /// How standard input or a pipe without a byte is treated if the sub-command also writes `others`.
    pub(crate) fn empty_streams(&self, others: &Option<PathBuf>) -> EmptyStreams {
        empty_streams([&self.run.output.to, &self.stats, others])
    }

    /// Creates the console. Shows no progress if lines are printed to a terminal, where it would be mixed with them.
    pub(crate) fn console(&self, prints_lines: bool) -> Console {
        let is_seen = prints_lines && self.run.output.is_stdout() && std::io::stdout().is_terminal();
        Console::new(is_seen || self.run.quiet)
    }

    /// Opens the output for counts, if requested.
    pub(crate) fn stats(&self) -> Result<Option<StatsOutput>, JobError> {
        let Some(path) = self.stats.as_deref() else { return Ok(None) };
        let form = if is_stdio(path) { StatsForm::OneLine } else { StatsForm::Indented };
        Ok(Some(StatsOutput { output: Output::create(path)?, form }))
    }
}

/// How standard input or a pipe without a byte, as after a command that failed, is treated: it replaces no file of
/// `outputs`.
pub(crate) fn empty_streams<'p>(outputs: impl IntoIterator<Item = &'p Option<PathBuf>>) -> EmptyStreams {
    let mut outputs = outputs.into_iter().flatten();
    if outputs.any(|output| replaces_file(output)) { EmptyStreams::Refuse } else { EmptyStreams::Accept }
}

/// The layout of counts. On standard output they may follow the URLs, so they are one line, which is easy to recognize.
#[derive(Clone, Copy)]
enum StatsForm {
    OneLine,
    Indented,
}

/// The output for counts.
pub(crate) struct StatsOutput {
    output: Output,
    form: StatsForm,
}

impl StatsOutput {
    /// Writes `stats` and commits the file, unless they are those of an incomplete input: these replace no file.
    pub(crate) fn write(self, stats: &impl Serialize, errors: &ErrorCounts) -> Result<(), JobError> {
        if errors.incomplete_inputs > 0 && self.output.appears_at_commit() {
            return Ok(());
        }
        let text = match self.form {
            StatsForm::OneLine => serde_json::to_vec(stats),
            StatsForm::Indented => serde_json::to_vec_pretty(stats),
        };
        let mut text = text.expect("texts and numbers are JSON");
        text.push(b'\n');
        write_text(self.output, text)
    }
}
