//! Bad input: its kinds, its counts, and when it ends a job.

use std::fmt;

use robomata_formats::{Capture, FileName, InputError};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::events::Events;

/// The most problems of one kind that are reported one by one. Further ones are only counted, so that a bad file does
/// not flood the output.
pub(crate) const NAMED: u64 = 20;

/// A kind of unusable input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A line (or directory entry) of a source that is not a capture of a robots.txt.
    SourceLine,
    /// A capture whose result cannot be read. It counts as a fetch that failed.
    UnreadableResult,
    /// A line of a frontier that is not a URL.
    Url,
    /// A line of a log that is not in the log's format.
    LogLine,
    /// An unusable entry of a crawler directory.
    Agent,
    /// An unusable file.
    File,
    /// An input that ends early or cannot be read completely.
    Incomplete,
}

impl ProblemKind {
    const ALL: [ProblemKind; 7] = [
        ProblemKind::SourceLine,
        ProblemKind::UnreadableResult,
        ProblemKind::Url,
        ProblemKind::LogLine,
        ProblemKind::Agent,
        ProblemKind::File,
        ProblemKind::Incomplete,
    ];

    /// The kind in the plural, for messages.
    pub const fn plural(self) -> &'static str {
        match self {
            ProblemKind::SourceLine => "bad lines in sources",
            ProblemKind::UnreadableResult => "captures with unreadable results",
            ProblemKind::Url => "invalid URLs",
            ProblemKind::LogLine => "malformed lines in logs",
            ProblemKind::Agent => "bad entries in crawler directories",
            ProblemKind::File => "unreadable files",
            ProblemKind::Incomplete => "inputs that end early",
        }
    }
}

/// Quotes the beginning of a text from an input.
pub(crate) fn quoted(text: &str) -> String {
    /// The most characters.
    const CHARACTERS: usize = 80;
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// An unusable part of an input. Its `Display` names the file and the line, and says what was expected.
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
        let problem = InputProblem { kind, file: file.clone(), line, message: String::new() };
        let message = format!("{}: {expected}", problem.place());
        InputProblem { message, ..problem }
    }

    /// The file, and the line if there is one.
    pub(crate) fn place(&self) -> String {
        self.line.map_or_else(|| self.file.to_string(), |line| format!("{}:{line}", self.file))
    }

    /// The problem of a reader's error. Its kind is `of_line`, unless the error is about the file itself.
    pub(crate) fn of_error(error: &InputError, of_line: ProblemKind) -> Self {
        let kind = match error {
            error if error.is_incomplete() => ProblemKind::Incomplete,
            error if error.ends_file() => ProblemKind::File,
            _ => of_line,
        };
        InputProblem { kind, file: error.file().clone(), line: error.line(), message: error.to_string() }
    }

    /// Why the result of `capture` cannot be read; none if it can be read.
    pub(crate) fn of_unreadable(capture: &Capture) -> Option<Self> {
        let message = capture.unreadable.as_deref()?.to_owned();
        let (file, line) = (capture.origin.file.clone(), capture.origin.line);
        Some(InputProblem { kind: ProblemKind::UnreadableResult, file, line, message })
    }

    /// The problem with what follows from it, if the job goes on.
    pub(crate) fn with_consequence(mut self) -> Self {
        if self.kind == ProblemKind::UnreadableResult {
            self.message.push_str("; it counts as a failed fetch");
        }
        self
    }

    /// The kind of unusable input.
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// The file that was read.
    pub fn file(&self) -> &FileName {
        &self.file
    }

    /// The 1-based line; none when the problem is about the whole file.
    pub fn line(&self) -> Option<u64> {
        self.line
    }
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

/// How a job treats bad input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// Report and count it, and continue.
    #[default]
    Lenient,
    /// Fail at the first bad input.
    Strict,
}

/// How a job treats an input that ends early or cannot be read completely. The missing part may hold a site's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncompleteInput {
    /// Fail.
    #[default]
    Refuse,
    /// Report and count it, and use the part that could be read.
    Use,
}

/// Counts of unusable input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorCounts {
    /// Lines (and directory entries) of sources that are not captures.
    pub bad_source_lines: u64,
    /// Captures with unreadable results, which count as failed fetches. Outputs leave the field out when it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable_results: u64,
    /// Lines of frontiers that are not URLs.
    pub invalid_urls: u64,
    /// Lines of logs that are not in the log's format. Outputs leave the field out when it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub malformed_log_lines: u64,
    /// Unusable entries of crawler directories. Outputs leave the field out when it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub bad_agents: u64,
    /// Unusable files.
    pub unreadable_files: u64,
    /// Inputs that end early or could not be read completely. Outputs leave the field out when it is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub incomplete_inputs: u64,
}

const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ErrorCounts {
    /// The sum over all kinds.
    pub fn total(&self) -> u64 {
        ProblemKind::ALL.into_iter().map(|kind| *{ *self }.of(kind)).sum()
    }

    /// The sum over all kinds of input that is not used at all.
    pub fn skipped(&self) -> u64 {
        self.total() - self.unreadable_results
    }

    /// The sum of these counts and `other`.
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
            ProblemKind::UnreadableResult => &mut self.unreadable_results,
            ProblemKind::Url => &mut self.invalid_urls,
            ProblemKind::LogLine => &mut self.malformed_log_lines,
            ProblemKind::Agent => &mut self.bad_agents,
            ProblemKind::File => &mut self.unreadable_files,
            ProblemKind::Incomplete => &mut self.incomplete_inputs,
        }
    }
}

/// Counts problems, reports the first ones of each kind, and ends a strict job.
pub(crate) struct ProblemLog<'e> {
    pub(crate) events: &'e mut dyn Events,
    strictness: Strictness,
    incomplete: IncompleteInput,
    counts: ErrorCounts,
}

impl<'e> ProblemLog<'e> {
    /// A log that treats inputs that end early like any other problem.
    pub(crate) fn new(events: &'e mut dyn Events, strictness: Strictness) -> Self {
        ProblemLog { events, strictness, incomplete: IncompleteInput::Use, counts: ErrorCounts::default() }
    }

    /// Sets how the log treats inputs that end early.
    pub(crate) fn with_incomplete(self, incomplete: IncompleteInput) -> Self {
        ProblemLog { incomplete, ..self }
    }

    /// The counts so far.
    pub(crate) fn counts(&self) -> ErrorCounts {
        self.counts
    }

    /// Continues from the counts of an earlier run.
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

    /// Reports an error of a URL reader. A file that cannot be opened or has an unexpected format ends the job. So does a
    /// file that ends early, where the job refuses such files.
    pub(crate) fn report_urls(&mut self, error: InputError) -> Result<(), JobError> {
        if error.is_unopened() || (error.ends_file() && !error.is_incomplete()) {
            return Err(error.into());
        }
        let problem = InputProblem::of_error(&error, ProblemKind::Url);
        if error.is_incomplete() && self.incomplete == IncompleteInput::Refuse {
            return Err(JobError::IncompleteUrls { problem, kept: None });
        }
        self.report(problem)
    }

    /// Counts problems that follow at least [`NAMED`] reported ones of the same kind.
    pub(crate) fn count(&mut self, kind: ProblemKind, more: u64) {
        *self.counts.of(kind) += more;
    }

    /// Reports how many problems of each kind were not reported one by one, and returns the counts.
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
