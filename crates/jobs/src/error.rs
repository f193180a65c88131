//! Why a job ended without a result.

use std::io;
use std::path::PathBuf;

use robomata::{CorruptBundleError, MergeError, OpenError, UnsupportedQueryError};
use robomata_formats::log::LogFormat;
use robomata_formats::{FileName, InputError, OutputError};

use crate::filter::ResumeError;
use crate::problem::{InputProblem, ProblemKind};

/// A job ended before its work was done. Nothing half-written is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A file could not be read at all.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file could not be read to its end, where all of it is needed.
    #[error("{file}: cannot be read: {error}")]
    Read {
        /// The file.
        file: FileName,
        /// Why.
        error: io::Error,
    },
    /// Bad input was met where none is accepted.
    #[error("{0}")]
    Strict(InputProblem),
    /// An input ended early, or could not be read to its end, where all of it is needed.
    #[error("{0}; the input is incomplete, and nothing was written (--partial uses what could be read)")]
    Incomplete(InputProblem),
    /// A source holds no capture that can be used.
    #[error("{file}: no captures found; {why}")]
    NoCaptures {
        /// The source.
        file: FileName,
        /// What was found instead.
        why: String,
    },
    /// Several sources are one robots.txt each, and one host is given.
    #[error(
        "{one} and {other}: both look like a single robots.txt, and --host names one site (give one of them)"
    )]
    SeveralRobots {
        /// The first of them.
        one: FileName,
        /// The second.
        other: FileName,
    },
    /// A host is given, and no source is one plain robots.txt.
    #[error("{0}: has captures of its own, so --host does not apply (leave it out)")]
    UnusedHost(FileName),
    /// A file of URLs ended early, or could not be read to its end, and what it gave is not written as if it were all.
    #[error("{problem}; {}", match kept {
        None => "nothing was written (repair the file, then run the command again)".to_owned(),
        Some(kept) => format!(
            "what came before is kept in {} (repair the file, then run the same command again)", kept.display()
        ),
    })]
    IncompleteUrls {
        /// The file.
        problem: InputProblem,
        /// Where what was written so far lies, if a later run can continue it.
        kept: Option<PathBuf>,
    },
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The policy bundle could not be opened.
    #[error("{}: {error}", path.display())]
    Bundle {
        /// The bundle.
        path: PathBuf,
        /// Why.
        error: OpenError,
    },
    /// The policies were found to be damaged when they were in use already.
    #[error(transparent)]
    Damaged(#[from] CorruptBundleError),
    /// The policies do not hold what was asked for.
    #[error(transparent)]
    UnsupportedQueryError(#[from] UnsupportedQueryError),
    /// URL lines were asked for, and they are chosen by one crawler's verdicts.
    #[error(
        "expected exactly one crawler, since URLs are chosen by its verdicts; for several write verdicts"
    )]
    OneCrawler,
    /// Rows with other columns than those before were to go into the same output.
    #[error("{file}: expected the columns of the files before, since all go into one Parquet file")]
    OtherColumns {
        /// The file.
        file: FileName,
    },
    /// A run cannot be gone on with.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A bundle was to be compressed.
    #[error("{}: a bundle is mapped as it is, so it cannot be compressed: expected another ending", .0.display())]
    CompressedBundle(PathBuf),
    /// Another process replaces the bundle that is taken over.
    #[error("{}: another process is compiling onto it (wait until it ends, then run this again)", .0.display())]
    Busy(PathBuf),
    /// The bundle that was taken over, and was to be replaced, is another one by now.
    #[error("{}: cannot be replaced: it was changed meanwhile, and that would be lost (run this again)", .0.display())]
    BaseChanged(PathBuf),
    /// An output would replace the input.
    #[error("{}: the output is the input, and would replace it (choose another name)", .0.display())]
    OutputIsInput(PathBuf),
    /// What was gathered for a bundle could not be written beside it.
    #[error("{}: a part of the bundle cannot be written beside it: {error}", of.display())]
    Part {
        /// The bundle.
        of: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Bundles could not be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// There are more shards than their files' names count.
    #[error("expected at most {most} shards")]
    Shards {
        /// As many as they count.
        most: u32,
    },
    /// A log is in no format that is known.
    #[error(
        "{file}: unknown log format: its first lines are in none of {}; the first is {line} (--format says which)",
        log_formats()
    )]
    UnknownLogFormat {
        /// The log.
        file: FileName,
        /// The start of its first line, quoted and escaped.
        line: String,
    },
    /// The lines of the logs are not in the format that was given.
    #[error(
        "no request found: {lines} lines were read, and none is in the format {format} (without --format it is found by the first lines)"
    )]
    NoRequest {
        /// How many.
        lines: u64,
        /// The format.
        format: &'static str,
    },
    /// No request of a crawler could be judged.
    #[error("nothing to score: none of {requests} requests of crawlers can be judged: {causes}")]
    NothingJudged {
        /// How many there are.
        requests: u64,
        /// Why, and what to do about it.
        causes: String,
    },
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[source] io::Error),
}

fn log_formats() -> String {
    LogFormat::ALL.map(LogFormat::as_str).join(", ")
}

impl JobError {
    /// Has the reader of the output gone, as `head` does when it has seen enough?
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, JobError::Output(error) if error.is_broken_pipe())
    }

    /// Did an input end early, or could it not be read to its end?
    pub fn is_incomplete_input(&self) -> bool {
        match self {
            JobError::Incomplete(_) | JobError::IncompleteUrls { .. } => true,
            JobError::Strict(problem) => problem.kind() == ProblemKind::Incomplete,
            _ => false,
        }
    }

    pub(crate) fn output(error: io::Error) -> Self {
        JobError::Output(OutputError::from(error))
    }
}
