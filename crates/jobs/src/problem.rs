//! Bad input: what it is called, how it is counted, and when it ends a job.

use std::fmt;

use robomata_formats::{FileName, InputError};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::events::Events;

/// Problems of one kind that are named; further ones are only counted, lest a bad file floods its reader.
pub(crate) const NAMED: u64 = 20;

/// What kind of input could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A line (or an entry of a directory) of a source that is no capture of a robots.txt.
    SourceLine,
    /// A line of a frontier that is no URL.
    Url,
    /// A line of a file of headers that is none.
    HeaderLine,
    /// A line of a log that is none of its format.
    LogLine,
    /// An entry of a directory of crawlers that cannot be used.
    Agent,
    /// A file that cannot be used at all.
    File,
    /// An input that ends early, or that cannot be read to its end.
    Incomplete,
}

impl ProblemKind {
    const ALL: [ProblemKind; 7] = [
        ProblemKind::SourceLine,
        ProblemKind::Url,
        ProblemKind::HeaderLine,
        ProblemKind::LogLine,
        ProblemKind::Agent,
        ProblemKind::File,
        ProblemKind::Incomplete,
    ];

    /// What there are many of, for messages.
    pub const fn plural(self) -> &'static str {
        match self {
            ProblemKind::SourceLine => "bad lines in sources",
            ProblemKind::Url => "invalid URLs",
            ProblemKind::HeaderLine => "bad lines in headers",
            ProblemKind::LogLine => "malformed lines in logs",
            ProblemKind::Agent => "bad entries in directories of crawlers",
            ProblemKind::File => "unreadable files",
            ProblemKind::Incomplete => "inputs that end early",
        }
    }
}

/// Something in an input that could not be used. Its `Display` names file and line and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputProblem {
    kind: ProblemKind,
    file: FileName,
    line: Option<u64>,
    message: String,
}

impl InputProblem {
    /// A problem on `line` of `file`; `expected` is the rest of the message.
    pub(crate) fn at_line(kind: ProblemKind, file: &FileName, line: Option<u64>, expected: &str) -> Self {
        let message = match line {
            Some(line) => format!("{file}:{line}: {expected}"),
            None => format!("{file}: {expected}"),
        };
        InputProblem { kind, file: file.clone(), line, message }
    }

    /// What a reader says, `of_line` being the kind unless it is about the file itself.
    pub(crate) fn of_error(error: &InputError, of_line: ProblemKind) -> Self {
        let kind = match error {
            error if error.is_incomplete() => ProblemKind::Incomplete,
            error if error.ends_file() => ProblemKind::File,
            _ => of_line,
        };
        InputProblem { kind, file: error.file().clone(), line: error.line(), message: error.to_string() }
    }

    /// What kind of input it is about.
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// The file that was read.
    pub fn file(&self) -> &FileName {
        &self.file
    }

    /// The 1-based line; none when the whole file is meant.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

/// What bad input does to a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is named and counted, and the rest goes on.
    #[default]
    Lenient,
    /// The first of it ends the job.
    Strict,
}

/// What an input does to a job that ends early or cannot be read to its end: what is missing may be a site's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncompleteInput {
    /// It ends the job.
    #[default]
    Refuse,
    /// It is named and counted, and what could be read of it is used.
    Use,
}

/// How much of the input could not be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorCounts {
    /// Lines (and entries of directories) of sources that are no capture.
    pub bad_source_lines: u64,
    /// Lines of frontiers that are no URL.
    pub invalid_urls: u64,
    /// Lines of files of headers that are none. Nearly no job reads any: left out of outputs when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub bad_header_lines: u64,
    /// Lines of logs that are none of their format. Left out of outputs when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub malformed_log_lines: u64,
    /// Entries of directories of crawlers that cannot be used. Left out of outputs when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub bad_agents: u64,
    /// Files that could not be used at all.
    pub unreadable_files: u64,
    /// Inputs that end early, or that could not be read to their end. Left out of outputs when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub incomplete_inputs: u64,
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ErrorCounts {
    /// All kinds together.
    pub fn total(&self) -> u64 {
        ProblemKind::ALL.into_iter().map(|kind| *{ *self }.of(kind)).sum()
    }

    /// These and `other` together.
    #[must_use]
    pub fn plus(mut self, other: &ErrorCounts) -> Self {
        for kind in ProblemKind::ALL {
            let more = *{ *other }.of(kind);
            *self.of(kind) += more;
        }
        self
    }

    fn of(&mut self, kind: ProblemKind) -> &mut u64 {
        match kind {
            ProblemKind::SourceLine => &mut self.bad_source_lines,
            ProblemKind::Url => &mut self.invalid_urls,
            ProblemKind::HeaderLine => &mut self.bad_header_lines,
            ProblemKind::LogLine => &mut self.malformed_log_lines,
            ProblemKind::Agent => &mut self.bad_agents,
            ProblemKind::File => &mut self.unreadable_files,
            ProblemKind::Incomplete => &mut self.incomplete_inputs,
        }
    }
}

/// Counts problems, names the first of each kind, and ends a strict job.
pub(crate) struct ProblemLog<'e> {
    pub(crate) events: &'e mut dyn Events,
    strictness: Strictness,
    incomplete: IncompleteInput,
    counts: ErrorCounts,
}

impl<'e> ProblemLog<'e> {
    /// A log that counts inputs that end early as any other problem.
    pub(crate) fn new(events: &'e mut dyn Events, strictness: Strictness) -> Self {
        ProblemLog { events, strictness, incomplete: IncompleteInput::Use, counts: ErrorCounts::default() }
    }

    /// The log for which inputs that end early do this.
    pub(crate) fn with_incomplete(self, incomplete: IncompleteInput) -> Self {
        ProblemLog { incomplete, ..self }
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> ErrorCounts {
        self.counts
    }

    /// Goes on from the counts of an earlier run.
    pub(crate) fn go_on_from(&mut self, counts: ErrorCounts) {
        self.counts = counts;
    }

    pub(crate) fn report(&mut self, problem: InputProblem) -> Result<(), JobError> {
        if self.strictness == Strictness::Strict {
            return Err(JobError::Strict(problem));
        }
        if problem.kind == ProblemKind::Incomplete && self.incomplete == IncompleteInput::Refuse {
            return Err(JobError::Incomplete(problem));
        }
        let count = self.counts.of(problem.kind);
        *count += 1;
        if *count <= NAMED {
            self.events.bad_input(&problem);
        }
        Ok(())
    }

    /// Reports what a reader of URLs says. A file that is not what the caller takes it for ends the job, and so does one that
    /// ends early where that is refused.
    pub(crate) fn report_urls(&mut self, error: InputError) -> Result<(), JobError> {
        if error.ends_file() && !error.is_incomplete() {
            return Err(error.into());
        }
        let problem = InputProblem::of_error(&error, ProblemKind::Url);
        if error.is_incomplete() && self.incomplete == IncompleteInput::Refuse {
            return Err(JobError::IncompleteUrls { problem, kept: None });
        }
        self.report(problem)
    }

    /// Counts problems that follow at least [`NAMED`] reported ones of their kind.
    pub(crate) fn count(&mut self, kind: ProblemKind, more: u64) {
        *self.counts.of(kind) += more;
    }

    /// Tells how many were not named.
    pub(crate) fn close(mut self) -> ErrorCounts {
        for kind in ProblemKind::ALL {
            let unnamed = self.counts.of(kind).saturating_sub(NAMED);
            if unnamed > 0 {
                self.events.more_bad_input(kind, unnamed);
            }
        }
        self.counts
    }
}
