//! Why a job ended without a result.

use std::io;
use std::path::PathBuf;

use robomata::{Damage, MergeError, NotHeld, OpenError};
use robomata_formats::{FileName, InputError, OutputError};

use crate::filter::ResumeError;
use crate::problem::InputProblem;

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
    Damaged(#[from] Damage),
    /// The policies do not hold what was asked for.
    #[error(transparent)]
    NotHeld(#[from] NotHeld),
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
    #[error("{0}")]
    Resume(#[from] ResumeError),
    /// A bundle was to be compressed.
    #[error("{}: a bundle is mapped as it is, so it cannot be compressed: expected another ending", .0.display())]
    CompressedBundle(PathBuf),
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
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(#[source] io::Error),
}

impl JobError {
    /// Has the reader of the output gone, as `head` does when it has seen enough?
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, JobError::Output(error) if error.is_broken_pipe())
    }

    pub(crate) fn output(error: io::Error) -> Self {
        JobError::Output(OutputError::from(error))
    }
}
