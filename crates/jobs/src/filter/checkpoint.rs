//! Resuming a long run: a small checkpoint file in the output's directory records its progress.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::slice;
use std::time::{Duration, Instant, UNIX_EPOCH};

use robomata_formats::{FileName, FrontierPosition, Output, OutputError};
use serde::{Deserialize, Serialize};

use super::{CrossChecked, FilterJob, OutputForm, Tally, frontier};
use crate::error::JobError;
use crate::problem::ErrorCounts;

/// Time between two checkpoints. A crash loses at most this much work, and syncing this rarely costs almost nothing.
const INTERVAL: Duration = Duration::from_secs(5);

/// Settings of a run that can be resumed.
#[derive(Clone, Copy, Debug)]
pub struct Resume<'r> {
    /// The output.
    pub to: &'r Path,
    /// Arguments of the run that its job does not know, by name. A run resumes from a checkpoint only when all of them
    /// are the same.
    pub identity: &'r BTreeMap<String, String>,
    /// Time between two checkpoints; five seconds by default.
    pub interval: Option<Duration>,
}

/// The reason why a run cannot be resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeError {
    /// Standard input cannot be read from the middle.
    Stdin,
    /// A partial Parquet file cannot be continued.
    Parquet,
    /// The checkpoint belongs to another run.
    Differs {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// The argument that differs.
        what: String,
        /// Its value in the checkpoint.
        was: String,
        /// Its value in this run.
        is: String,
    },
    /// The partial output has fewer bytes than the checkpoint says.
    Shorter {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// The error about the output.
        why: String,
    },
    /// The checkpoint cannot be read.
    Unreadable {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// Why.
        why: String,
    },
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::Stdin => f.write_str("--resume requires files of URLs, not standard input"),
            ResumeError::Parquet => f.write_str(
                "--resume cannot continue a Parquet file (write .jsonl or .tsv, perhaps compressed, or leave --resume out)",
            ),
            ResumeError::Differs { checkpoint, what, was, is } => {
                let checkpoint = checkpoint.display();
                write!(
                    f,
                    "{checkpoint}: expected the checkpoint of this run, but {what} was {was} and is {is}; \
                     remove it to start over"
                )
            }
            ResumeError::Shorter { checkpoint, why } => {
                write!(f, "{why}; remove {} to start over", checkpoint.display())
            }
            ResumeError::Unreadable { checkpoint, why } => {
                write!(f, "{}: expected a checkpoint: {why}; remove it to start over", checkpoint.display())
            }
        }
    }
}

impl std::error::Error for ResumeError {}

/// The path of the checkpoint of a run whose output is `to`.
pub fn checkpoint_path(to: &Path) -> PathBuf {
    Output::path_next_to(to, ".checkpoint.json")
}

/// The starting point of a run.
pub(super) enum Start {
    New,
    Within(Box<Progressed>),
}

/// The progress of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Progressed {
    pub(super) position: FrontierPosition,
    /// The file that could not be read further. Repairing it changes its size and modification time, so it is compared
    /// by the lines that were judged.
    #[serde(default)]
    pub(super) incomplete: Option<usize>,
    /// Bytes of the partial output.
    pub(super) bytes: u64,
    pub(super) within_line: bool,
    pub(super) lines: u64,
    pub(super) tallies: Vec<Tally>,
    pub(super) errors: ErrorCounts,
    pub(super) cross_checked: CrossChecked,
    pub(super) seconds: f64,
    /// The time of the query, in seconds since 1970.
    #[serde(default)]
    pub(super) now: Option<i64>,
}

/// The contents of the checkpoint file.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    identity: BTreeMap<String, String>,
    progressed: Progressed,
}

/// Writes checkpoints.
pub(super) struct Keeper {
    path: PathBuf,
    partial: PathBuf,
    identity: BTreeMap<String, String>,
    interval: Duration,
    last: Instant,
}

/// Opens the output of a run and finds its starting point.
pub(super) fn open(job: &FilterJob<'_>, resume: &Resume<'_>) -> Result<(Start, Output, Keeper), JobError> {
    if job.form == OutputForm::Parquet {
        return Err(ResumeError::Parquet.into());
    }
    if job.urls.iter().any(|path| FileName::new(path).is_stdin()) {
        return Err(ResumeError::Stdin.into());
    }
    let keeper = Keeper {
        path: checkpoint_path(resume.to),
        partial: Output::partial_path(resume.to),
        identity: identity(job, resume),
        interval: resume.interval.unwrap_or(INTERVAL),
        last: Instant::now(),
    };
    let known = keeper.read(job)?;
    // A finished run may have been stopped before it removed its checkpoint.
    let known = known.filter(|_| Output::partial_path(resume.to).exists());
    if known.is_none() {
        // Before the partial output exists: if this run is killed between the two, the next one would otherwise take the
        // old checkpoint for one of the new, empty output.
        keeper.remove();
    }
    let kept = known.as_ref().map(|progressed| progressed.bytes);
    let output = Output::resumable(resume.to, kept).map_err(|error| match error.io_error().kind() {
        ErrorKind::UnexpectedEof => {
            JobError::from(ResumeError::Shorter { checkpoint: keeper.path.clone(), why: error.to_string() })
        }
        _ => error.into(),
    })?;
    let start = known.map_or(Start::New, |progressed| Start::Within(Box::new(progressed)));
    Ok((start, output, keeper))
}

impl Keeper {
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Replaces the checkpoint. The output that it describes must be on disk already.
    pub(super) fn keep(&mut self, job: &FilterJob<'_>, progressed: Progressed) -> Result<(), JobError> {
        let mut progressed = progressed;
        let identity = self.identity_at(job, &progressed).unwrap_or_else(|| {
            // The lines cannot be read again, so the file has to be the same.
            progressed.incomplete = None;
            self.identity.clone()
        });
        let checkpoint = Checkpoint { identity, progressed };
        let text = serde_json::to_vec(&checkpoint).map_err(|error| JobError::output(error.into()))?;
        let mut output = Output::create(&self.path)?;
        output.write_all(&text).map_err(OutputError::from)?;
        output.commit()?;
        self.last = Instant::now();
        Ok(())
    }

    /// The progress of the run that left a checkpoint; none when there is no checkpoint.
    fn read(&self, job: &FilterJob<'_>) -> Result<Option<Progressed>, ResumeError> {
        let unreadable = |why: String| ResumeError::Unreadable { checkpoint: self.path.clone(), why };
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let Checkpoint { identity, progressed } =
            serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
        let now = self.identity_at(job, &progressed).unwrap_or_else(|| self.identity.clone());
        let all: BTreeMap<_, _> = identity.iter().chain(&now).collect();
        for what in all.into_keys() {
            let (was, is) = (identity.get(what), now.get(what));
            if was != is {
                let text = |value: Option<&String>| value.map_or_else(|| "nothing".to_owned(), Clone::clone);
                return Err(ResumeError::Differs {
                    checkpoint: self.path.clone(),
                    what: what.clone(),
                    was: text(was),
                    is: text(is),
                });
            }
        }
        Ok(Some(progressed))
    }

    /// The partial output.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    /// The identity that a run must have to continue from `progressed`. None if the lines that were judged cannot be read.
    fn identity_at(&self, job: &FilterJob<'_>, progressed: &Progressed) -> Option<BTreeMap<String, String>> {
        let mut identity = self.identity.clone();
        let Some((file, path)) = progressed.incomplete.and_then(|file| Some((file, job.urls.get(file)?)))
        else {
            return Some(identity);
        };
        let FrontierPosition { file: last, lines, .. } = progressed.position;
        let judged = judged_lines(job, path, if last == file { lines } else { 0 })?;
        for (number, _) in (1..).zip(&job.urls).filter(|(_, other)| *other == path) {
            identity.insert(file_of_urls(number), judged.clone());
        }
        Some(identity)
    }

    /// Removes the checkpoint of a finished run.
    pub(super) fn finish(self) {
        self.remove();
    }

    fn remove(&self) {
        // If it stays, the next run ignores it because its partial output is missing.
        let _ = fs::remove_file(&self.path);
    }
}

/// Everything that the output depends on.
fn identity(job: &FilterJob<'_>, resume: &Resume<'_>) -> BTreeMap<String, String> {
    let mut identity = resume.identity.clone();
    let mut put = |what: &str, value: String| {
        identity.insert(what.to_owned(), value);
    };
    put("version", env!("CARGO_PKG_VERSION").to_owned());
    put("output", format!("{:?} as {:?}", job.selection, job.form));
    put("crawlers", job.crawlers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    put("dialect", job.stores.any().dialect().to_string());
    put("usage", job.stores.any().usage_query().to_string());
    put("column", job.column.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string));
    put("format", job.format.map_or("by name", robomata_formats::FrontierFormat::as_str).to_owned());
    put("strictness", format!("{:?}", job.strictness));
    for (number, path) in (1..).zip(&job.urls) {
        put(&file_of_urls(number), file_identity(path));
    }
    for (number, store) in (1..).zip(job.stores.iter()) {
        put(&format!("fingerprint {number} of the policies"), store.fingerprint().to_string());
    }
    identity
}

fn file_of_urls(number: usize) -> String {
    format!("file {number} of URLs")
}

/// A file's name and the checksum of its lines that were judged. None if they cannot be read.
fn judged_lines(job: &FilterJob<'_>, path: &PathBuf, lines: u64) -> Option<String> {
    let frontier = frontier(slice::from_ref(path), job.format, job.column.as_ref(), job.block_size);
    let mut sum = blake3::Hasher::new();
    let mut blocks = frontier.blocks();
    let mut reached = 0;
    while reached < lines {
        let block = match blocks.next() {
            Some(Ok(block)) => block,
            Some(Err(error)) if error.ends_file() => return None,
            // A line that is too long.
            Some(Err(_)) => continue,
            None => break,
        };
        for line in block.urls().take_while(|line| line.number <= lines) {
            for text in [line.line, line.url.as_deref().unwrap_or_default()] {
                sum.update(&(text.len() as u64).to_le_bytes());
                sum.update(text);
            }
        }
        reached = block.end.lines;
    }
    Some(format!(
        "{} whose first {lines} lines have the checksum {}",
        path.display(),
        sum.finalize().to_hex()
    ))
}

/// A file's name, size and modification time.
fn file_identity(path: &Path) -> String {
    let Ok(metadata) = fs::metadata(path) else { return path.display().to_string() };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed =
        changed.map_or_else(String::new, |time| format!(" of {}.{:09}", time.as_secs(), time.subsec_nanos()));
    format!("{} with {} bytes{changed}", path.display(), metadata.len())
}

#[cfg(test)]
mod tests {
    use robomata_engine::{Audience, Crawler, Dialect, StoreBuilder, StoreKind};

    use super::*;

    /// A disk may fail for a while. Then the run resumes if the file is the same.
    #[test]
    fn a_file_that_cannot_be_read_again_is_compared_by_its_state() {
        let folder = tempfile::tempdir().unwrap();
        let [urls, aside, to] = ["urls", "aside", "out"].map(|name| folder.path().join(name));
        fs::write(&urls, "https://a.example/1\nhttps://a.example/2\n").unwrap();
        let store = StoreBuilder::new(StoreKind::new(Dialect::Rfc9309, Audience::Everyone)).build();
        let job = FilterJob::new(&store, vec![Crawler::new("A")], vec![urls.clone()]);
        let resume = Resume { to: &to, identity: &BTreeMap::new(), interval: None };
        let (_, _output, mut keeper) = open(&job, &resume).unwrap();
        let position = FrontierPosition { file: 0, at: 20, lines: 1 };
        let progressed = || Progressed {
            position,
            incomplete: Some(0),
            bytes: 20,
            within_line: false,
            lines: 1,
            tallies: vec![Tally::default()],
            errors: ErrorCounts::default(),
            cross_checked: CrossChecked::default(),
            seconds: 1.0,
            now: None,
        };
        fs::rename(&urls, &aside).unwrap();
        keeper.keep(&job, progressed()).unwrap();
        fs::rename(&aside, &urls).unwrap();
        let kept = keeper.read(&job).unwrap().unwrap();
        assert_eq!((kept.position, kept.incomplete), (position, None));
        // The state alone does not show that another file has the same lines.
        fs::write(&urls, "https://a.example/1\nhttps://a.example/2\nhttps://a.example/3\n").unwrap();
        let (_, _, later) = open(&job, &Resume { to: &folder.path().join("other"), ..resume }).unwrap();
        let later = Keeper { path: keeper.path.clone(), ..later };
        assert!(matches!(later.read(&job), Err(ResumeError::Differs { .. })));

        // Lines that can be read are compared, without those after them.
        keeper.keep(&job, progressed()).unwrap();
        fs::write(&urls, "https://a.example/1\nhttps://a.example/repaired\n").unwrap();
        assert_eq!(keeper.read(&job).unwrap().unwrap().incomplete, Some(0));
        fs::write(&urls, "https://a.example/0\nhttps://a.example/2\n").unwrap();
        assert!(matches!(keeper.read(&job), Err(ResumeError::Differs { .. })));
    }
}
