//! Compiles captures into a bundle, in bounded memory for any number of sites.
//!
//! Policies that do not fit into memory are written to a temporary part in the bundle's directory. A part is a small
//! bundle with its sites in the order of their hashes. At the end the parts are merged, together with the base bundle,
//! if there is one. See [`robomata_engine::merge`].

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use robomata_engine::{
    BundleSummary, Contests, Fingerprint, MergeError, PolicySet, PolicyStore, ShardFiles, StoreBuilder,
    StoreKind, merge,
};
use robomata_formats::{FileName, Meter, Output, ScratchFile, is_same_file, lock_in_place};

use crate::bundle::ScratchBundle;
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::problem::ErrorCounts;
use crate::sources::bundles::{Divided, report_implausible};
use crate::sources::contests::require_ordered;
use crate::sources::{LoadOptions, Loader, Memory, NotRobots, SourceCounts, Step};

/// The default number of bytes that are collected before a part is written. A run needs about twice as much memory, and
/// some bytes for each program.
pub const PART: usize = 512 << 20;

/// A compilation of captures into a bundle.
#[derive(Debug)]
pub struct CompileJob<'o> {
    /// The captures: directories, files, `-` for standard input. Bundles among them are merged.
    pub sources: &'o [PathBuf],
    /// How to read the sources. With a base, the base's kind applies.
    pub options: &'o LoadOptions,
    /// A base bundle. Its sites are kept, and bodies that it already has are not compiled again.
    pub base: Option<&'o Path>,
    /// The number of bytes that are collected before a part is written.
    pub part: usize,
}

/// The result of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileReport {
    /// Captures that were used.
    pub captures: u64,
    /// Used captures whose body is not a robots.txt.
    pub not_robots: NotRobots,
    /// Used captures whose body is longer than the parsing limit.
    pub too_long: u64,
    /// The contents of the bundle.
    pub written: BundleSummary,
    /// Counts of unusable input in the sources.
    pub errors: ErrorCounts,
}

impl<'o> CompileJob<'o> {
    /// Compiles all captures of `sources`, without a base.
    pub fn new(sources: &'o [PathBuf], options: &'o LoadOptions) -> Self {
        CompileJob { sources, options, base: None, part: PART }
    }
}

/// Compiles captures into a bundle at `to`. The bundle is written completely or not at all.
///
/// # Errors
/// When a source cannot be opened or has no captures, or when it ends early and the options do not allow that. When a
/// capture without a time differs from a dated one of its site, also of one in the base or in a source. When the
/// base or a source is an unsuitable bundle. When another process replaces the base that this job replaces, and when
/// the bundle cannot be written. With strict options, also for the first bad input.
pub fn run(job: &CompileJob<'_>, to: &Path, events: &mut dyn Events) -> Result<CompileReport, JobError> {
    let compressed = |ending: &str| to.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if compressed("gz") || compressed("zst") {
        return Err(JobError::CompressedBundle(to.to_owned()));
    }
    if ShardFiles::of_shard(to).is_some() || ShardFiles::of_pattern(to).is_some() {
        return Err(JobError::ShardName(to.to_owned()));
    }
    job.options.require_host_applies(job.sources)?;
    // The output is created first, so that an unwritable directory is reported before the work begins.
    let mut output = Output::create(to)?;
    let base = job.base.map(|name| Base::open(name, to, &output)).transpose()?;
    let base_store = base.as_ref().map(|base| base.bundle.borrow());
    // The base decides which files of a source count.
    let kind = base_store.map_or(&job.options.kind, PolicyStore::kind).clone();
    let options = LoadOptions { kind: kind.clone(), ..job.options.clone() };
    let Divided { bundles, captures: sources, positions } =
        Divided::open_for(job.sources, &kind, |path, shard| ScratchBundle::copy(path, shard, &output, to))?;
    job.options.require_captures(job.sources, &sources)?;
    let older: Vec<&PolicyStore> = base_store.into_iter().chain(bundles.iter().map(Borrow::borrow)).collect();
    report_implausible(older.iter().copied(), events);
    let memory = Memory { known: older.iter().map(|store| store.known_bodies()).collect(), remembers: true };

    let mut loader = Loader::new(vec![kind.clone()], &options)?.with_memory(&memory);
    let mut parts = Parts::new(to, base_store);
    let mut next_bundle = older[usize::from(base.is_some())..].iter().copied();
    let errors = loader.read(&sources, &positions, events, |loader, step| {
        if loader.builder().site_count() > 0 && (step == Step::Bundle || loader.builder().bytes() >= job.part)
        {
            parts.add(loader.take_builder(), &output)?;
        }
        if step == Step::Bundle {
            parts.stores.extend(next_bundle.next().map(Part::Bundle));
        }
        Ok(())
    })?;
    let last = loader.take_builder();
    let contests = std::mem::take(&mut loader.contests);
    let SourceCounts { captures, not_robots, too_long, errors } = loader.counts(errors);
    let written = parts.finish(last, &kind, contests, &mut output, events)?;
    if let Some(base) = &base {
        base.require_unchanged()?;
    }
    output.commit()?;
    Ok(CompileReport { captures, not_robots, too_long, written, errors })
}

/// The base bundle.
struct Base<'p> {
    bundle: ScratchBundle,
    path: &'p Path,
    /// Held if the output replaces the base.
    lock: Option<File>,
}

impl<'p> Base<'p> {
    /// Opens the base called `name`. If the output at `to` replaces it, a lock prevents other processes from replacing it
    /// at the same time, until this value is dropped.
    fn open(name: &'p Path, to: &Path, output: &Output) -> Result<Self, JobError> {
        let (path, _) = PolicySet::split_pin(name);
        PolicySet::require_undivided(path).map_err(JobError::Policies)?;
        let lock = if is_same_file(path, to) { Some(lock(path)?) } else { None };
        Ok(Base { bundle: ScratchBundle::copy(name, None, output, to)?, path, lock })
    }

    /// Checks that the base is unchanged: a writer that does not use the lock may have replaced it.
    fn require_unchanged(&self) -> Result<(), JobError> {
        if self.lock.is_none() {
            return Ok(());
        }
        let now = Fingerprint::of_file(self.path).map_err(|error| JobError::bundle(self.path, error))?;
        let base: &PolicyStore = self.bundle.borrow();
        if now != base.fingerprint() {
            return Err(JobError::BaseChanged(self.path.to_owned()));
        }
        Ok(())
    }
}

fn lock(path: &Path) -> Result<File, JobError> {
    let error = |error| JobError::Read { file: FileName::new(path), error };
    match lock_in_place(path).map_err(error)? {
        Some(file) => Ok(file),
        None => Err(JobError::Busy(path.to_owned())),
    }
}

/// The parts of a bundle, in the order of the input.
struct Parts<'t> {
    to: &'t Path,
    stores: Vec<Part<'t>>,
}

enum Part<'b> {
    /// An older bundle.
    Bundle(&'b PolicyStore),
    /// New captures, in a file that is deleted when this value is dropped.
    Captures(ScratchFile),
}

/// A part that is ready to be merged.
enum Opened<'b> {
    Bundle(&'b PolicyStore),
    Captures(Box<ScratchBundle>),
}

impl Opened<'_> {
    fn store(&self) -> &PolicyStore {
        match self {
            Opened::Bundle(store) => store,
            Opened::Captures(file) => (**file).borrow(),
        }
    }
}

impl<'t> Parts<'t> {
    fn new(to: &'t Path, base: Option<&'t PolicyStore>) -> Self {
        Parts { to, stores: base.map(Part::Bundle).into_iter().collect() }
    }

    fn add(&mut self, builder: StoreBuilder, output: &Output) -> Result<(), JobError> {
        let write = |file: ScratchFile| {
            let mut out = BufWriter::new(file);
            builder.write_part(&mut out)?;
            Ok(out.into_inner()?)
        };
        let written = output.scratch().and_then(write);
        let file = written.map_err(|error| JobError::Part { of: self.to.to_owned(), error })?;
        self.stores.push(Part::Captures(file));
        Ok(())
    }

    /// Writes the bundle from all parts and the last builder. `contests` are those within the parts.
    fn finish(
        mut self,
        last: StoreBuilder,
        kind: &StoreKind,
        mut contests: Contests,
        output: &mut Output,
        events: &mut dyn Events,
    ) -> Result<BundleSummary, JobError> {
        if self.stores.is_empty() {
            require_ordered(contests, events)?;
            return last.write(output).map_err(JobError::output);
        }
        if last.site_count() > 0 {
            self.add(last, output)?;
        }
        let to = self.to;
        let open = |part| match part {
            Part::Bundle(store) => Ok::<_, JobError>(Opened::Bundle(store)),
            Part::Captures(file) => {
                let bundle = ScratchBundle::map(file, None).map_err(|error| JobError::bundle(to, error))?;
                Ok(Opened::Captures(Box::new(bundle)))
            }
        };
        let opened: Vec<Opened<'_>> = self.stores.into_iter().map(open).collect::<Result<_, _>>()?;
        let stores: Vec<&PolicyStore> = opened.iter().map(Opened::store).collect();
        contests.add(Contests::among(&stores));
        require_ordered(contests, events)?;
        let bytes: usize = stores.iter().map(|store| store.bytes().len()).sum();
        let bytes = Meter::of_bytes(bytes as u64);
        let mut reporting = ReportingOutput { output, bytes, parts: stores.len() as u64, events };
        merge(&stores, kind.history, &mut reporting).map_err(|error| match error {
            MergeError::Io(error) => JobError::output(error),
            other => JobError::Merge(other),
        })
    }
}

/// An output that reports the number of bytes written. Merged data is smaller than its parts when they share contents.
struct ReportingOutput<'o> {
    output: &'o mut Output,
    bytes: Meter,
    parts: u64,
    events: &'o mut dyn Events,
}

impl Write for ReportingOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.bytes.add(written as u64);
        self.events.progress(Progress { done: Done::Merged(self.parts), bytes: &self.bytes });
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
