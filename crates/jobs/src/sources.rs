//! Captures of robots.txt into a policy store.
//!
//! ```text
//!  reader thread                    pool                         this thread
//!  files ─► captures, in chunks ─►  hash, compile what is new ─► insert in the order of the input
//! ```
//!
//! Many sites send the same robots.txt: equal bodies are compiled once, as long as they are remembered. Where several
//! dialects are asked for, sources are read once, and every body is compiled in each of them.

pub(crate) mod bundles;
mod cache;
mod chunks;
mod host;
mod not_robots;
mod seen;
mod undated;

use std::collections::HashMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;
use robomata::protocol::lifecycle::Moment;
use robomata::{
    CompiledPolicies, Config, Dialect, KnownBodies, Policy, PolicyCompiler, PolicyStore, Site, SiteError,
    StoreBuilder, StoreKind, merge,
};
use robomata_formats::{BodyKind, Capture, CaptureSite, FileName, InputError, Meter, Origin};

use self::bundles::Divided;
use self::cache::{Cache, Key};
use self::chunks::Chunks;
pub use self::host::SourceHost;
pub use self::not_robots::NotRobots;
use self::seen::{Seen, require_captures};
use self::undated::Undated;
use crate::bodies::{Bodies, KeptBody};
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::problem::{ErrorCounts, IncompleteInput, InputProblem, ProblemKind, ProblemLog, Strictness};
use crate::readable;

/// How sources are read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// What the policies are compiled to: dialect, crawlers, usage, and which captures count.
    pub kind: StoreKind,
    /// What bad input does.
    pub strictness: Strictness,
    /// Whose robots.txt a source is that holds no captures but one plain robots.txt.
    pub host: Option<SourceHost>,
    /// What a source does that ends early or cannot be read to its end.
    pub incomplete: IncompleteInput,
    /// Whether the bodies are wanted afterwards.
    pub keep: Keep,
    /// How many threads compile; all cores when none is given.
    pub threads: Option<NonZeroUsize>,
}

/// What is kept of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The store alone.
    #[default]
    Store,
    /// The store, and the bodies that speak for each site: [`Loaded::bodies`].
    Bodies,
}

/// What was made of sources.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled policies.
    pub store: PolicyStore,
    /// The bodies that they were compiled from; empty unless they were to be kept.
    pub bodies: Bodies,
    /// How much was read.
    pub counts: SourceCounts,
}

/// What was made of sources in several dialects: the same sites, by the same captures.
#[derive(Debug)]
pub struct DialectStores {
    /// The compiled policies, one store for each dialect, in the order in which they were asked for.
    pub stores: Vec<PolicyStore>,
    /// The bodies that they were compiled from; empty unless they were to be kept.
    pub bodies: Bodies,
    /// How much was read.
    pub counts: SourceCounts,
}

/// How much was read of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Captures that were used.
    pub captures: u64,
    /// Those of them whose body is no robots.txt.
    pub not_robots: NotRobots,
    /// What could not be used.
    pub errors: ErrorCounts,
}

impl LoadOptions {
    /// Lenient reading that keeps the store alone and uses all cores.
    pub fn new(kind: StoreKind) -> Self {
        LoadOptions {
            kind,
            strictness: Strictness::default(),
            host: None,
            incomplete: IncompleteInput::default(),
            keep: Keep::default(),
            threads: None,
        }
    }

    /// Makes sure that the host, if there is one, is that of a plain robots.txt among `paths`, bundles included.
    pub(crate) fn require_host_applies(&self, paths: &[PathBuf]) -> Result<(), JobError> {
        match (&self.host, paths) {
            (Some(_), [first, ..]) if !SourceHost::applies_to(paths)? => {
                Err(JobError::UnusedHost(FileName::new(first)))
            }
            _ => Ok(()),
        }
    }
}

/// Reads and compiles the captures of `paths`, files and directories as [`robomata_formats::capture::captures`] takes them,
/// `-` for standard input, and merges bundles among them, whose captures are older than others of the same second.
///
/// Where only the newest captures of a site count, of those of the same second it is the last. The same input gives the
/// same store, byte for byte, on any number of threads.
///
/// # Errors
/// When one of `paths` cannot be opened or holds no capture that can be used, when one ends early or cannot be read to its end
/// unless the options let it, when a bundle is damaged or about something else, and for the first bad input when the options
/// are strict.
pub fn load(paths: &[PathBuf], options: &LoadOptions, events: &mut dyn Events) -> Result<Loaded, JobError> {
    options.require_host_applies(paths)?;
    let Divided { bundles, captures } = Divided::open_for(paths, &options.kind)?;
    let DialectStores { stores, bodies, counts } =
        load_panel(&captures, &[options.kind.dialect], options, events)?;
    let mut store = stores.into_iter().next().expect("one dialect, one store");
    if !bundles.is_empty() {
        let stores: Vec<&PolicyStore> = bundles.iter().chain([&store]).collect();
        let mut bytes = Vec::new();
        merge(&stores, options.kind.history, &mut bytes)?;
        store = PolicyStore::from_bytes(bytes)?;
    }
    Ok(Loaded { store, bodies, counts })
}

/// As [`load`], but in each of `dialects` instead of that of the options. Sources are read once; the stores of all
/// dialects are in memory at once.
///
/// # Errors
/// Those of [`load`].
pub fn load_panel(
    paths: &[PathBuf],
    dialects: &[Dialect],
    options: &LoadOptions,
    events: &mut dyn Events,
) -> Result<DialectStores, JobError> {
    let kind = |&dialect| StoreKind { dialect, ..options.kind.clone() };
    let mut loader = Loader::new(dialects.iter().map(kind).collect(), options)?;
    let errors = loader.read(paths, events, |_| Ok(()))?;
    Ok(loader.finish(errors))
}

/// What becomes a [`DialectStores`], or a bundle.
pub(crate) struct Loader<'o> {
    options: &'o LoadOptions,
    pool: ThreadPool,
    dialect_builders: Vec<DialectBuilder<'o>>,
    bodies: Bodies,
    /// Bodies that are kept, so that equal ones are kept once.
    kept: HashMap<Key, Arc<[u8]>>,
    captures: u64,
    not_robots: NotRobots,
    undated: Undated,
}

/// What becomes the store of one dialect.
struct DialectBuilder<'o> {
    config: Config,
    kind: StoreKind,
    cache: Cache<Arc<CompiledPolicies>>,
    builder: StoreBuilder,
    memory: Memory<'o>,
}

/// Whether bodies are known beforehand, and remembered for another time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory<'o> {
    /// What was compiled before.
    pub(crate) known: Vec<KnownBodies<'o>>,
    /// Does the store remember them?
    pub(crate) remembers: bool,
}

/// A capture's policies in one dialect.
type Compiled = (Key, Arc<CompiledPolicies>);

impl<'o> Loader<'o> {
    pub(crate) fn new(kinds: Vec<StoreKind>, options: &'o LoadOptions) -> Result<Self, JobError> {
        let threads = options.threads.map_or(0, NonZeroUsize::get);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| JobError::Threads(io::Error::other(error)))?;
        Ok(Loader {
            options,
            pool,
            dialect_builders: kinds.into_iter().map(DialectBuilder::new).collect(),
            bodies: Bodies::default(),
            kept: HashMap::new(),
            captures: 0,
            not_robots: NotRobots::default(),
            undated: Undated::default(),
        })
    }

    /// The gathering whose bodies are known and remembered so.
    pub(crate) fn with_memory(mut self, memory: &Memory<'o>) -> Self {
        self.dialect_builders.iter_mut().for_each(|dialect_builder| dialect_builder.memory = memory.clone());
        self
    }

    /// Reads all of `paths`; `after_chunk` is told now and then that there is more.
    pub(crate) fn read(
        &mut self,
        paths: &[PathBuf],
        events: &mut dyn Events,
        mut after_chunk: impl FnMut(&mut Self) -> Result<(), JobError>,
    ) -> Result<ErrorCounts, JobError> {
        readable::require_sources(paths)?;
        let host = self.options.host.as_ref();
        if host.is_some() {
            self.options.require_host_applies(paths)?;
            require_one_robots(paths)?;
        }
        let log = ProblemLog::new(events, self.options.strictness);
        let mut log = log.with_incomplete(self.options.incomplete);
        let bytes = Meter::of(paths);
        let mut seen = vec![Seen::default(); paths.len()];
        let mut chunks = Chunks::read(paths.to_vec(), host.map(SourceHost::site), bytes.clone())?;
        let site = host.map(SourceHost::site);
        let is_plain = |item: &Result<Capture, InputError>| {
            item.as_ref()
                .is_ok_and(|capture| capture.origin.line.is_none() && Some(&capture.site) == site.as_ref())
        };
        let mut is_host_used = false;
        for chunk in &mut chunks {
            is_host_used |= site.is_some() && chunk.iter().any(|(_, item)| is_plain(item));
            self.add(&chunk, &mut seen, &mut log)?;
            log.events.progress(Progress { done: Done::Captures(self.captures), bytes: &bytes });
            after_chunk(self)?;
        }
        chunks.join();
        if self.undated.sites() > 0 {
            log.events.undated_captures(self.undated.sites());
        }
        require_captures(paths, &seen)?;
        seen.iter_mut().try_for_each(|seen| seen.release(&mut log))?;
        let errors = log.close();
        match paths {
            // Standard input is known when it has been read.
            [first, ..] if site.is_some() && !is_host_used => Err(JobError::UnusedHost(FileName::new(first))),
            _ => Ok(errors),
        }
    }

    /// What was read so far, of which `errors` could not be used.
    pub(crate) fn counts(&self, errors: ErrorCounts) -> SourceCounts {
        SourceCounts { captures: self.captures, not_robots: self.not_robots, errors }
    }

    /// The builder of the first store.
    pub(crate) fn builder(&self) -> &StoreBuilder {
        &self.dialect_builders[0].builder
    }

    /// Takes what the first store has gathered, and leaves nothing.
    pub(crate) fn take_builder(&mut self) -> StoreBuilder {
        let dialect_builder = &mut self.dialect_builders[0];
        std::mem::replace(&mut dialect_builder.builder, StoreBuilder::new(dialect_builder.kind.clone()))
    }

    /// Adds the captures of `chunk`, and to `seen` what each source holds.
    fn add(
        &mut self,
        chunk: &chunks::Chunk,
        seen: &mut [Seen],
        log: &mut ProblemLog<'_>,
    ) -> Result<(), JobError> {
        let captures: Vec<&Capture> = chunk.iter().filter_map(|(_, item)| item.as_ref().ok()).collect();
        let Loader { pool, dialect_builders, .. } = self;
        let compiled: Vec<Vec<Compiled>> = dialect_builders
            .iter_mut()
            .map(|dialect_builder| dialect_builder.compile(&captures, pool))
            .collect();
        let mut number = 0;
        for (source, item) in chunk {
            let used = match item {
                Err(error) if error.is_single_robots() => {
                    let problem = InputProblem::of_error(error, ProblemKind::File);
                    return Err(JobError::Strict(problem));
                }
                Err(error) => Err(InputProblem::of_error(error, ProblemKind::SourceLine)),
                Ok(capture) => {
                    let policies: Vec<&Compiled> =
                        compiled.iter().map(|dialect_builder| &dialect_builder[number]).collect();
                    number += 1;
                    if self.options.host.is_some() && capture.origin.line.is_none() {
                        let kind = BodyKind::of(&capture.body);
                        if !matches!(kind, BodyKind::Robots | BodyKind::Empty) {
                            log.events.not_a_robots_file(&capture.origin.file, kind);
                        }
                    }
                    self.insert(capture, &policies)
                }
            };
            let seen = &mut seen[*source];
            match used {
                Ok(()) => {
                    seen.captures += 1;
                    seen.release(log)?;
                }
                Err(problem) => {
                    seen.add(&problem);
                    // Of a source without any capture the error says it all.
                    let is_held = seen.captures == 0
                        && self.options.strictness == Strictness::Lenient
                        && problem.kind() != ProblemKind::Incomplete;
                    if is_held {
                        seen.hold(problem);
                    } else {
                        log.report(problem)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Inserts a capture, of which `compiled` are the policies, one for each shelf; or says why it cannot be used.
    fn insert(&mut self, capture: &Capture, compiled: &[&Compiled]) -> Result<(), InputProblem> {
        let sites = sites_of(capture).map_err(|expected| {
            let Origin { file, line } = &capture.origin;
            InputProblem::at_line(ProblemKind::SourceLine, file, *line, &expected)
        })?;
        self.captures += 1;
        self.not_robots.count(capture);
        let time = capture.time.map(|time| Moment::from_seconds(time.seconds()));
        for site in &sites {
            if time.is_none()
                && let Some((key, _)) = compiled.first()
            {
                self.undated.add(site, key);
            }
            for (dialect_builder, (_, policies)) in self.dialect_builders.iter_mut().zip(compiled) {
                dialect_builder.builder.insert(site, policies, time);
            }
            if self.options.keep == Keep::Bodies {
                // A body that counts in some dialect is known by itself, not by what the fetch's end means in another.
                let mut keys = compiled.iter().map(|(key, _)| *key);
                let counts = compiled.iter().map(|(key, _)| *key).find(|key| key.digest().is_some());
                let Some(key) = counts.or_else(|| keys.next()) else { continue };
                let body = self.kept.entry(key).or_insert_with(|| capture.body.as_slice().into());
                let kept = KeptBody { body: Arc::clone(body), status: capture.status, time };
                self.bodies.insert(site, kept, self.options.kind.history);
            }
        }
        Ok(())
    }

    fn finish(self, errors: ErrorCounts) -> DialectStores {
        let counts = self.counts(errors);
        DialectStores {
            stores: self
                .dialect_builders
                .into_iter()
                .map(|dialect_builder| dialect_builder.builder.build())
                .collect(),
            bodies: self.bodies,
            counts,
        }
    }
}

impl DialectBuilder<'_> {
    fn new(kind: StoreKind) -> Self {
        DialectBuilder {
            config: Config::new(kind.dialect),
            cache: Cache::default(),
            builder: StoreBuilder::new(kind.clone()),
            kind,
            memory: Memory::default(),
        }
    }

    /// The policies of `captures`, in their order; what is not remembered is compiled, equal bodies once.
    fn compile(&mut self, captures: &[&Capture], pool: &ThreadPool) -> Vec<Compiled> {
        let DialectBuilder { config, kind, cache, memory, .. } = self;
        let dialect = config.dialect();
        let keys: Vec<Key> =
            pool.install(|| captures.par_iter().map(|capture| Key::of(capture, dialect)).collect());

        let mut known: HashMap<Key, Option<Arc<CompiledPolicies>>> = HashMap::new();
        let mut missing = Vec::new();
        for (&key, &capture) in keys.iter().zip(captures) {
            known.entry(key).or_insert_with(|| {
                let remembered = cache.get(&key);
                if remembered.is_none() {
                    missing.push((key, capture));
                }
                remembered
            });
        }
        let compile = |compiler: &mut PolicyCompiler<'_>, &(key, capture): &(Key, &Capture)| {
            let digest = key.digest().filter(|_| memory.remembers);
            let known = |digest| memory.known.iter().find_map(|known| known.policies(&digest));
            if let Some(policies) = digest.and_then(known) {
                return Arc::new(policies);
            }
            let policies = compiler.compile(&Policy::fetched(&capture.body, capture.status, config));
            Arc::new(match digest {
                Some(digest) => policies.known_by(digest),
                None => policies,
            })
        };
        let fresh: Vec<Arc<CompiledPolicies>> =
            pool.install(|| missing.par_iter().map_init(|| PolicyCompiler::new(kind), compile).collect());
        for ((key, capture), policies) in missing.into_iter().zip(fresh) {
            cache.insert(key, Arc::clone(&policies), capture.body.len());
            known.insert(key, Some(policies));
        }
        keys.into_iter().filter_map(|key| Some((key, known.get(&key)?.clone()?))).collect()
    }
}

/// Endings of files' names that no host has.
const FILE_ENDINGS: [&str; 9] =
    [".txt", ".json", ".jsonl", ".ndjson", ".tsv", ".csv", ".warc", ".parquet", ".bundle"];

/// The sites that a capture speaks for, or what was expected instead.
fn sites_of(capture: &Capture) -> Result<Vec<Site<'static>>, String> {
    let unexpected = |error: SiteError, found: &str| format!("{error}, found {found:?}");
    match &capture.site {
        // The whole of a file that is named by its host.
        CaptureSite::Host(host)
            if capture.origin.line.is_none() && FILE_ENDINGS.iter().any(|ending| host.ends_with(ending)) =>
        {
            Err(format!("expected a file named by its host, or HOST/robots.txt, found {host:?}"))
        }
        CaptureSite::Host(host) => {
            Site::both_of_host(host).map(Vec::from).map_err(|error| unexpected(error, host))
        }
        CaptureSite::Url(url) => match Site::of_url(url.as_bytes()) {
            Ok(site) => Ok(vec![site.into_owned()]),
            Err(error) => Err(unexpected(error, url)),
        },
    }
}

/// Makes sure that at most one of `paths` is a single robots.txt: there is one host to speak for.
fn require_one_robots(paths: &[PathBuf]) -> Result<(), JobError> {
    let mut robots = Vec::new();
    for path in paths {
        if !FileName::new(path).is_stdin() && host::is_plain(path)? {
            robots.push(FileName::new(path));
        }
    }
    match &robots[..] {
        [one, other, ..] => Err(JobError::SeveralRobots { one: one.clone(), other: other.clone() }),
        _ => Ok(()),
    }
}
