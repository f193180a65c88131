//! Shared helpers of the tests of jobs.

use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use robomata_engine::{Audience, Crawler, Dialect, StoreKind};
use robomata_formats::Output;
use robomata_jobs::filter::{self, FilterJob, FilterReport};
use robomata_jobs::sources::{self, LoadOptions, Loaded};
use robomata_jobs::{Divergence, Events, InputProblem, JobError, ProblemKind};

/// A folder for one test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Compressed according to the name.
    pub(crate) fn write_compressed(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        let mut output = Output::create(&path).unwrap();
        output.write_all(text.as_ref()).unwrap();
        output.commit().unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

/// Writes a Parquet file of these columns.
pub(crate) fn write_parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    write_rows(path, &batch);
}

pub(crate) fn write_rows(path: &Path, batch: &RecordBatch) {
    let file = std::fs::File::create(path).unwrap();
    let mut rows = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    rows.write(batch).unwrap();
    rows.close().unwrap();
}

/// Records the events of a job.
#[derive(Default)]
pub(crate) struct Heard {
    pub problems: Vec<String>,
    pub more: Vec<(ProblemKind, u64)>,
    pub divergences: Vec<Divergence>,
}

impl Events for Heard {
    fn bad_input(&mut self, problem: &InputProblem) {
        self.problems.push(problem.to_string());
    }

    fn more_bad_input(&mut self, kind: ProblemKind, count: u64) {
        self.more.push((kind, count));
    }

    fn divergence(&mut self, divergence: &Divergence) {
        self.divergences.push(divergence.clone());
    }
}

pub(crate) fn crawlers(names: &[&str]) -> Vec<Crawler> {
    names.iter().map(|name| Crawler::new(name)).collect()
}

pub(crate) fn options(names: &[&str]) -> LoadOptions {
    LoadOptions::new(StoreKind::new(Dialect::Rfc9309, crawlers(names)))
}

pub(crate) fn load(path: &Path, names: &[&str]) -> Loaded {
    sources::load(&[path.to_owned()], &options(names), &mut Heard::default()).unwrap()
}

/// Runs a job on the URLs of `text` and returns its output.
pub(crate) fn filter_text<'s>(
    folder: &Folder,
    loaded: &'s Loaded,
    text: &str,
    change: impl FnOnce(&mut FilterJob<'s>),
) -> (String, FilterReport, Heard) {
    let urls = folder.write("urls", text);
    let mut heard = Heard::default();
    let report = try_filter(folder, loaded, urls, &mut heard, change).unwrap();
    (folder.read("out"), report, heard)
}

pub(crate) fn try_filter<'s>(
    folder: &Folder,
    loaded: &'s Loaded,
    urls: PathBuf,
    heard: &mut Heard,
    change: impl FnOnce(&mut FilterJob<'s>),
) -> Result<FilterReport, JobError> {
    let Audience::Crawlers(crawlers) = loaded.store.audience() else { panic!("a store for some crawlers") };
    let mut job = FilterJob::new(&loaded.store, crawlers.clone(), vec![urls]);
    change(&mut job);
    filter::run(&job, Output::create(&folder.path("out")).unwrap(), heard)
}

pub(crate) const SITES: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /private\n\nUser-agent: B\nDisallow: /b\nAllow: /"}
{"url": "https://gone.example/robots.txt", "status": 404}
{"url": "https://down.example/robots.txt", "status": 503}
{"url": "https://moved.example/robots.txt", "status": 301}
"#;

/// Runs `job` on a number of threads.
pub(crate) fn on_threads<R: Send>(threads: usize, job: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(job)
}
