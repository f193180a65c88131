//! `robomata lint`: reports mistakes in robots.txt files.

mod sarif;
mod text;

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use robomata_engine::Dialect;
use robomata_engine::syntax::Lines;
use robomata_formats::{Output, OutputError};
use robomata_jobs::JobError;
use robomata_jobs::lint::{self, LintedFile};
use robomata_lint::{CODES, Code, Expectations, Finding, LintOptions, LintReport, Severity, UNMET};
use serde::Serialize;

use crate::args::{ParsingLimit, crawlers, dialect_parser, usage_error};
use crate::commands::check::write_json;
use crate::console::{FAILURE, say};
use crate::output::{OutputArguments, is_stdin, refuse_inputs, write_text};
use crate::style::Styles;

/// Lint robots.txt files: report mistakes, with the line and a fix for each.
///
/// Reports text that parsers ignore, truncate or misread; rules that never decide (proved, with the rule that always
/// wins); groups that apply to other crawlers than they seem to; names that are truncated, misspelt or repeated; pages
/// that are closed to search engines; and fields and vocabularies that contradict each other. Every finding has a code.
/// --explain explains a code, and --codes lists all of them.
///
/// FILE is a robots.txt, plain or compressed, or a collection of captures: a directory, JSON Lines, TSV, WARC or
/// Parquet. Findings about captures are reported by site. - is a robots.txt on standard input.
///
/// --expect compares a robots.txt with what its owner expects of it, such as 'GPTBot may not fetch /private/*'. A path with a
/// * or a final $ is a pattern: the expectation holds only if that is proved for every URL that the pattern matches.
#[derive(Args, Debug)]
#[command(
    before_help = "\
Common calls:
  $ robomata lint robots.txt
  $ robomata lint --fail-on warning --format sarif robots.txt > robots.sarif
  $ robomata lint --expect expectations.txt robots.txt",
    after_help = "\
Exit codes:
  0  no finding is as severe as --fail-on
  1  some finding is at least as severe as --fail-on, or an expectation does not hold
  2  a usage error, or an input that could not be read (the others are still linted, but --to is not written)
  4  standard output is closed before the end

More:
  $ robomata lint --all robots.txt
  $ robomata lint --explain never-decides"
)]
pub(crate) struct LintArguments {
    /// Report findings for this crawler; may be repeated [default: every crawler that the file names, and all others]
    #[arg(long, value_name = "TOKEN[,FALLBACK…]")]
    agent: Vec<String>,
    /// The dialect for parsing and matching files
    #[arg(long, value_parser = dialect_parser(), default_value = Dialect::Rfc9309.as_str())]
    dialect: Dialect,
    #[command(flatten)]
    parsing_limit: ParsingLimit,
    /// The output format: text quotes the file; json is one object per line with file, line, column, code, severity,
    /// message, help, fix (offset, length, text; null in UTF-16), related; sarif is one SARIF 2.1.0 log, with one line for
    /// each finding
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Minimum severity that makes the exit code 1, also of findings that --at-least leaves out
    #[arg(long, value_enum, default_value = "error")]
    fail_on: FailOn,
    /// Minimum severity to report; the closing line of text still counts all findings
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "note")]
    at_least: FailOn,
    /// Report each expectation in FILE that does not hold, as an error. Each line of FILE is a crawler, 'may fetch' or 'may
    /// not fetch', and a path, pattern or URL; # begins a comment. - is standard input
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Quote every finding in text [default: up to five errors and warnings of each code, and one note of each code;
    /// the others are only counted]; json and sarif always contain every finding
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputArguments,
    /// Explain a code, and exit
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
    /// List all codes with their severities, and exit
    #[arg(long, exclusive = true)]
    codes: bool,
    /// robots.txt files or collections of captures; - is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["explain", "codes"])]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Note,
    Warning,
    Error,
}

impl FailOn {
    fn severity(self) -> Severity {
        match self {
            FailOn::Note => Severity::Note,
            FailOn::Warning => Severity::Warning,
            FailOn::Error => Severity::Error,
        }
    }
}

/// The exit code of a run with findings of at least the severity `--fail-on`.
const FOUND: u8 = 1;

/// Runs the sub-command.
pub(crate) fn run(arguments: &LintArguments) -> anyhow::Result<ExitCode> {
    if arguments.codes {
        let lines =
            CODES.iter().map(|code| format!("{:<27} {:<8} {}\n", code.name, code.severity, code.summary()));
        write_text(Output::stdout(), lines.collect::<String>())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = &arguments.explain {
        let message = format!("unknown code '{name}' (--codes lists all codes)");
        let code = Code::find(name).ok_or_else(|| usage_error("lint", &message))?;
        write_text(Output::stdout(), text::explained(code))?;
        return Ok(ExitCode::SUCCESS);
    }
    lint_files(arguments)
}

fn lint_files(arguments: &LintArguments) -> anyhow::Result<ExitCode> {
    if arguments.files.iter().chain(&arguments.expect).filter(|path| is_stdin(path)).count() > 1 {
        return Err(usage_error("lint", "standard input cannot be read twice: use '-' only once"));
    }
    let inputs = arguments.files.iter().chain(&arguments.expect).map(PathBuf::as_path);
    refuse_inputs("lint", arguments.output.to.as_deref(), inputs)?;
    let options = LintOptions {
        dialect: arguments.dialect,
        crawlers: crawlers("lint", &arguments.agent, arguments.dialect)?,
        host: None,
        parsing_limit: arguments.parsing_limit.bytes(),
    };
    let expect = arguments.expect.as_deref();
    let expectations = expect.map(|path| lint::read_expectations(path, arguments.dialect)).transpose()?;
    let mut writer = Writer::new(arguments, arguments.output.open()?);
    writer.start()?;
    writer.expected = expectations.as_ref().map(Expectations::len);
    lint::run(&arguments.files, &options, expectations.as_ref(), &mut |linted| match linted {
        Ok(LintedFile { name, report }) => writer.file(&name, &report),
        Err(error) => {
            writer.unreadable(&error);
            Ok(())
        }
    })?;
    writer.finish()
}

/// Writes findings, file after file.
struct Writer<'a> {
    arguments: &'a LintArguments,
    output: Output,
    styles: Styles,
    /// The number of results in the SARIF log.
    results: usize,
    /// The number of all findings of each severity, also of those that are not reported.
    counts: [usize; 3],
    /// The expectations about each file, if there are any.
    expected: Option<usize>,
    unmet: usize,
    files: usize,
    unreadable: usize,
}

impl<'a> Writer<'a> {
    fn new(arguments: &'a LintArguments, output: Output) -> Self {
        Writer {
            arguments,
            output,
            styles: arguments.output.styles(),
            results: 0,
            counts: [0; 3],
            expected: None,
            unmet: 0,
            files: 0,
            unreadable: 0,
        }
    }

    fn start(&mut self) -> Result<(), JobError> {
        if self.arguments.format == Format::Sarif { self.put(&sarif::frame().0) } else { Ok(()) }
    }

    /// Reports an input that cannot be read; the run continues with the others.
    fn unreadable(&mut self, error: &dyn Display) {
        say(&format!("error: {error}"));
        self.unreadable += 1;
    }

    fn file(&mut self, name: &str, report: &LintReport) -> Result<(), JobError> {
        let at_least = self.arguments.at_least.severity();
        let mut findings = report.findings.iter().filter(|finding| finding.code.severity >= at_least);
        self.files += 1;
        for finding in &report.findings {
            self.counts[finding.code.severity as usize] += 1;
            self.unmet += usize::from(finding.code.name == UNMET);
        }
        let shown = if self.arguments.all { text::Shown::All } else { text::Shown::Folded };
        match self.arguments.format {
            Format::Text => self.put(&text::report(name, report, (at_least, shown), &self.styles)),
            Format::Json => findings
                .try_for_each(|finding| write_json(&mut self.output, &JsonFinding { file: name, finding })),
            Format::Sarif => {
                let lines = Lines::new(&report.text);
                findings.try_for_each(|finding| {
                    let separator = if self.results == 0 { "\n" } else { ",\n" };
                    self.results += 1;
                    self.put(&format!("{separator}{}", sarif::result(name, finding, &lines)))
                })
            }
        }
    }

    fn put(&mut self, text: &str) -> Result<(), JobError> {
        self.output.write_all(text.as_bytes()).map_err(|error| OutputError::from(error).into())
    }

    fn finish(mut self) -> anyhow::Result<ExitCode> {
        match self.arguments.format {
            Format::Text if self.files == 0 && self.unreadable > 0 => {}
            Format::Text => {
                let expected = self.expected.map(|expected| expected * self.files);
                let held = expected.map(|expected| (expected - self.unmet, expected));
                let at_least = self.arguments.at_least.severity();
                self.put(&text::summary(self.counts, at_least, self.files, held, self.unreadable))?;
            }
            Format::Json => {}
            Format::Sarif => self.put(&sarif::frame().1)?,
        }
        if self.unreadable > 0 {
            // Readers of standard output see the exit code. A file would pass as complete.
            if !self.output.appears_at_commit() {
                self.output.commit().map_err(JobError::from)?;
            } else if let Some(path) = &self.arguments.output.to {
                let path = path.display();
                say(&format!(
                    "error: {path}: not written: an input could not be read (repair or leave it out)"
                ));
            }
            return Ok(ExitCode::from(FAILURE));
        }
        self.output.commit().map_err(JobError::from)?;
        let worst =
            Severity::ALL.into_iter().zip(self.counts).filter(|&(_, count)| count > 0).map(|(s, _)| s).max();
        // Expectations are errors, so they fail with every --fail-on.
        let is_bad = worst.is_some_and(|worst| worst >= self.arguments.fail_on.severity());
        Ok(if is_bad { ExitCode::from(FOUND) } else { ExitCode::SUCCESS })
    }
}

/// A finding as a line of JSON.
#[derive(Serialize)]
struct JsonFinding<'f> {
    file: &'f str,
    #[serde(flatten)]
    finding: &'f Finding,
}
