//! What sub-commands share that read a frontier of URLs.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use robomata_formats::{FrontierFormat, Output, UrlColumn};
use robomata_jobs::{JobError, readable};
use serde::Serialize;

use crate::args::usage_error;
use crate::console::Console;
use crate::output::{RunArguments, is_stdio, refuse_inputs, write_text};

/// What formats of URLs mean, for help texts.
pub(crate) const FORMATS: &str = "\
Formats of URLS, by --format or by name (a .gz or .zst behind it left aside):
  text     one URL a line; any other name
  tsv      columns that tabs separate; --column is a number, or a name in the header line (.tsv)
  csv      columns that commas separate, in quotes where needed; --column is a number, or a name in the header record;
           without it the column url, uri, loc, link, href or address, else the first (.csv)
  jsonl    a JSON object a line; --column is the key, 'url' by default (.jsonl, .ndjson)
  cdx      an index of a web archive, its header line naming the columns (.cdx)
  cdxj     the same with JSON; a line without \"url\" gets one made of its key, with http as its scheme (.cdxj)
  warc     the target URIs of responses, resources, revisits and requests (.warc)
  parquet  --column, or the columns url_protocol, url_host_name, url_port, url_path, url_query as Common Crawl's index
           has them, or the column 'url' (.parquet; a file, not compressed as a whole)";

/// How files of URLs are read.
#[derive(Args, Debug)]
pub(crate) struct UrlForm {
    /// The format of all URLS [default: by the name of each]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) format: Option<FrontierFormat>,
    /// The URL is the Nth of the columns that tabs or commas separate, or the column or key of that name
    #[arg(long, value_name = "N|NAME", value_parser = column)]
    pub(crate) column: Option<UrlColumn>,
}

/// Where URLs come from, where results go, and how.
#[derive(Args, Debug)]
pub(crate) struct FrontierArguments {
    #[command(flatten)]
    pub(crate) form: UrlForm,
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// Write counts and speed to FILE as JSON; - is standard output, where they are one line, the last
    #[arg(long, value_name = "FILE|-")]
    pub(crate) stats: Option<PathBuf>,
    /// Files of URLs; - or none is standard input
    #[arg(value_name = "URLS")]
    pub(crate) urls: Vec<PathBuf>,
}

fn format_parser() -> impl TypedValueParser<Value = FrontierFormat> {
    PossibleValuesParser::new(FrontierFormat::ALL.map(FrontierFormat::as_str))
        .try_map(|name| name.parse::<FrontierFormat>())
}

fn column(text: &str) -> Result<UrlColumn, String> {
    match text {
        "" | "0" => Err("expected a number from 1 on, or a name".to_owned()),
        text => text.parse().map_err(|error: std::convert::Infallible| match error {}),
    }
}

impl FrontierArguments {
    /// What is not given.
    pub(crate) fn complete(&mut self) {
        if self.urls.is_empty() {
            self.urls.push(PathBuf::from("-"));
        }
    }

    /// Looks for mistakes in the arguments of sub-command `name`, which reads policies from `sources`. Outputs of its own are
    /// `others`.
    pub(crate) fn validate(&self, name: &str, sources: &[PathBuf], others: &[PathBuf]) -> anyhow::Result<()> {
        let mistake = |message| Err(usage_error(name, message));
        let reads_stdin = |path: &&PathBuf| is_stdio(path);
        if self.urls.iter().chain(sources).filter(reads_stdin).count() > 1 {
            return mistake("standard input cannot be read twice: expected '-' once among --robots and URLS");
        }
        if self.form.format == Some(FrontierFormat::Parquet) && self.urls.iter().any(|path| is_stdio(path)) {
            return mistake("Parquet cannot be read from standard input: expected a file");
        }
        let outputs = [&self.run.output.to, &self.stats].into_iter().flatten().chain(others);
        refuse_inputs(
            name,
            outputs.map(PathBuf::as_path),
            self.urls.iter().chain(sources).map(PathBuf::as_path),
        )
    }

    /// Makes sure that URLs can be read, and are there, before any work is done.
    pub(crate) fn require_files(&self) -> Result<(), JobError> {
        let UrlForm { format, column } = &self.form;
        Ok(readable::require_files_of_urls(&self.urls, *format, column.as_ref())?)
    }

    /// Where lines are printed on a terminal, progress would only stand between them.
    pub(crate) fn console(&self, prints_lines: bool) -> Console {
        let is_seen = prints_lines && self.run.output.is_stdout() && std::io::stdout().is_terminal();
        Console::new(is_seen || self.run.quiet)
    }

    /// Where counts go, if they are asked for.
    pub(crate) fn stats(&self) -> Result<Option<StatsOutput>, JobError> {
        let Some(path) = self.stats.as_deref() else { return Ok(None) };
        let form = if is_stdio(path) { StatsForm::OneLine } else { StatsForm::Indented };
        Ok(Some(StatsOutput { output: Output::create(path)?, form }))
    }
}

/// How counts are laid out. On standard output they may follow the URLs: then one line is easily told from them.
#[derive(Clone, Copy)]
enum StatsForm {
    OneLine,
    Indented,
}

/// Where counts go.
pub(crate) struct StatsOutput {
    output: Output,
    form: StatsForm,
}

impl StatsOutput {
    /// Writes `stats` and puts them under their name.
    pub(crate) fn write(self, stats: &impl Serialize) -> Result<(), JobError> {
        let text = match self.form {
            StatsForm::OneLine => serde_json::to_vec(stats),
            StatsForm::Indented => serde_json::to_vec_pretty(stats),
        };
        let mut text = text.expect("texts and numbers are JSON");
        text.push(b'\n');
        write_text(self.output, text)
    }
}
