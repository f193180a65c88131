//! How a long run is gone on with: a small file beside the output says how far it came.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::{Duration, Instant, UNIX_EPOCH};

use robomata_formats::{FileName, FrontierPosition, Output, OutputError};
use serde::{Deserialize, Serialize};

use super::{CrossChecked, FilterJob, OutputForm, Tally, frontier};
use crate::error::JobError;
use crate::problem::ErrorCounts;

/// Time between two checkpoints: what a crash costs at most, and long enough that syncing costs nothing.
const INTERVAL: Duration = Duration::from_secs(5);

/// A run that can be gone on with.
#[derive(Clone, Copy, Debug)]
pub struct Resume<'r> {
    /// The output.
    pub to: &'r Path,
    /// What of the run's arguments its job does not know, by name: where policies come from, for one. A run goes on from
    /// a checkpoint alone when all of it is the same.
    pub identity: &'r BTreeMap<String, String>,
    /// The files that policies come from. They count by size and time of change.
    pub policies: &'r [PathBuf],
    /// Time between two checkpoints; five seconds when none is given.
    pub interval: Option<Duration>,
}

/// Why a run cannot be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeError {
    /// Standard input cannot be read from within.
    Stdin,
    /// Parquet cannot be written from within.
    Parquet,
    /// The checkpoint is of another run; what differs, then what it was and is.
    Differs {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// What differs.
        what: String,
        /// What it was.
        was: String,
        /// What it is.
        is: String,
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
                     remove it to begin anew"
                )
            }
            ResumeError::Unreadable { checkpoint, why } => {
                write!(f, "{}: expected a checkpoint: {why}; remove it to begin anew", checkpoint.display())
            }
        }
    }
}

impl std::error::Error for ResumeError {}

/// Where the checkpoint of a run to `to` lies.
pub fn checkpoint_path(to: &Path) -> PathBuf {
    let mut name = to.as_os_str().to_owned();
    name.push(".checkpoint.json");
    PathBuf::from(name)
}

/// Where a run begins.
pub(super) enum Start {
    New,
    Within(Box<Progressed>),
}

/// How far a run came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Progressed {
    pub(super) position: Position,
    /// The file that could not be read further. Once it is repaired it has another size and time of change: it counts by the
    /// lines that were judged.
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
}

/// A [`FrontierPosition`], as it is written.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Position {
    file: usize,
    at: u64,
    lines: u64,
}

impl From<FrontierPosition> for Position {
    fn from(FrontierPosition { file, at, lines }: FrontierPosition) -> Self {
        Position { file, at, lines }
    }
}

impl From<Position> for FrontierPosition {
    fn from(Position { file, at, lines }: Position) -> Self {
        FrontierPosition { file, at, lines }
    }
}

/// The file.
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

/// The output of a run, and where it begins.
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
    let output = Output::resumable(resume.to, known.as_ref().map(|progressed| progressed.bytes))?;
    if known.is_none() {
        // Or else the next run would take it for one of what is written now.
        keeper.remove();
    }
    let start = known.map_or(Start::New, |progressed| Start::Within(Box::new(progressed)));
    Ok((start, output, keeper))
}

impl Keeper {
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Writes a checkpoint in place of the one before. What it tells about must be on the disk already.
    pub(super) fn keep(&mut self, job: &FilterJob<'_>, progressed: Progressed) -> Result<(), JobError> {
        let checkpoint = Checkpoint { identity: self.identity_at(job, &progressed), progressed };
        let text = serde_json::to_vec(&checkpoint).map_err(|error| JobError::output(error.into()))?;
        let mut output = Output::create(&self.path)?;
        output.write_all(&text).map_err(OutputError::from)?;
        output.commit()?;
        self.last = Instant::now();
        Ok(())
    }

    /// How far the run came that left a checkpoint; none when none did.
    fn read(&self, job: &FilterJob<'_>) -> Result<Option<Progressed>, ResumeError> {
        let unreadable = |why: String| ResumeError::Unreadable { checkpoint: self.path.clone(), why };
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let Checkpoint { identity, progressed } =
            serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
        let now = self.identity_at(job, &progressed);
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

    /// The output as far as it is written.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    /// The identity by which a run continues that came as far as `progressed`.
    fn identity_at(&self, job: &FilterJob<'_>, progressed: &Progressed) -> BTreeMap<String, String> {
        let mut identity = self.identity.clone();
        let Some((file, path)) = progressed.incomplete.and_then(|file| Some((file, job.urls.get(file)?)))
        else {
            return identity;
        };
        let Position { file: last, lines, .. } = progressed.position;
        let judged = judged_lines(job, path, if last == file { lines } else { 0 });
        for (number, _) in (1..).zip(&job.urls).filter(|(_, other)| *other == path) {
            identity.insert(file_of_urls(number), judged.clone());
        }
        identity
    }

    /// The run is done.
    pub(super) fn finish(self) {
        self.remove();
    }

    fn remove(&self) {
        // One that stays is recognised by its partial output, which is missing.
        let _ = fs::remove_file(&self.path);
    }
}

/// All on which the output depends.
fn identity(job: &FilterJob<'_>, resume: &Resume<'_>) -> BTreeMap<String, String> {
    let mut identity = resume.identity.clone();
    let mut put = |what: &str, value: String| {
        identity.insert(what.to_owned(), value);
    };
    put("version", env!("CARGO_PKG_VERSION").to_owned());
    put("output", format!("{:?} as {:?}", job.selection, job.form));
    put("crawlers", job.crawlers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    put("dialect", job.store.dialect().to_string());
    put("usage", job.store.usage_query().to_string());
    put("column", job.column.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string));
    put("format", job.format.map_or("by name", robomata_formats::FrontierFormat::as_str).to_owned());
    put("sites and programs", format!("{} and {}", job.store.site_count(), job.store.program_count()));
    put("strictness", format!("{:?}", job.strictness));
    for (number, path) in (1..).zip(&job.urls) {
        put(&file_of_urls(number), file_identity(path));
    }
    for (number, path) in (1..).zip(resume.policies) {
        put(&format!("file {number} of policies"), file_identity(path));
    }
    identity
}

fn file_of_urls(number: usize) -> String {
    format!("file {number} of URLs")
}

/// A file by name and by what was judged of it: the sum of its first lines.
fn judged_lines(job: &FilterJob<'_>, path: &PathBuf, lines: u64) -> String {
    let frontier = frontier(slice::from_ref(path), job.format, job.column.as_ref(), job.block_size);
    let mut sum = blake3::Hasher::new();
    let blocks = frontier.blocks().map_while(Result::ok);
    'blocks: for block in blocks.take_while(|_| lines > 0) {
        for line in block.urls() {
            if line.number > lines {
                break 'blocks;
            }
            for text in [line.line, line.url.as_deref().unwrap_or_default()] {
                sum.update(&(text.len() as u64).to_le_bytes());
                sum.update(text);
            }
        }
    }
    format!("{} whose {lines} first lines have the sum {}", path.display(), sum.finalize().to_hex())
}

/// A file by name, size and time of change.
fn file_identity(path: &Path) -> String {
    let Ok(metadata) = fs::metadata(path) else { return path.display().to_string() };
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed =
        changed.map_or_else(String::new, |time| format!(" of {}.{:09}", time.as_secs(), time.subsec_nanos()));
    format!("{} with {} bytes{changed}", path.display(), metadata.len())
}
