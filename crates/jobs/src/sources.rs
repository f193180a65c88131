//! Loads captures of robots.txt, and of tdmrep.json for queries about mining, into a policy store.
//!
//! ```text
//!  reader thread                    pool                         this thread
//!  files ─► captures, in chunks ─►  hash, compile new bodies ──► insert in input order
//! ```
//!
//! Many sites send the same robots.txt, so equal bodies are compiled only once, as long as they are remembered. For
//! several dialects the sources are read once, and every body is compiled in each dialect.

pub(crate) mod bundles;
mod cache;
mod chunks;
pub(crate) mod contests;
mod host;
mod not_robots;
mod seen;
mod tdmreps;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{
    CompiledPolicies, Config, Contests, Dialect, KnownBodies, Policy, PolicyCompiler, PolicyStore, Site,
    SiteError, StoreBuilder, StoreKind, merge,
};
use robomata_formats::capture::RedirectCounts;
use robomata_formats::{Capture, CaptureSite, FileName, InputError, Meter, Origin, Resource};

use self::bundles::{Divided, is_bundle, report_implausible};
use self::cache::{Cache, Hashes, Key};
use self::chunks::Chunks;
use self::contests::require_ordered;
pub use self::host::SourceHost;
pub use self::not_robots::NotRobots;
use self::seen::{Seen, require_captures};
use crate::bodies::{Bodies, KeptBody};
use crate::bundle;
use crate::error::JobError;
use crate::events::{Done, Events, Progress};
use crate::problem::{
    ErrorCounts, IncompleteInput, InputProblem, ProblemKind, ProblemLog, Strictness, quoted,
};
use crate::readable;
use crate::robots_file::{report_kind, require_robots};
use crate::urls::can_exist;

/// Options for reading sources.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The kind of store: dialect, crawlers, usage, and the captures that count.
    pub kind: StoreKind,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// The site of a source that is a single plain robots.txt instead of captures.
    pub host: Option<SourceHost>,
    /// How to treat a source that ends early or cannot be read completely.
    pub incomplete: IncompleteInput,
    /// The time of captures without one.
    pub captured_at: Option<Moment>,
    /// Whether to keep the bodies.
    pub keep: Keep,
    /// The number of bytes of each robots.txt that are read, in dialects that leave it open; none for the dialect's
    /// default.
    pub parsing_limit: Option<usize>,
}

/// The data to keep from sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Only the store.
    #[default]
    Store,
    /// The store and the bodies of each site: [`Loaded::bodies`].
    Bodies,
}

/// The result of loading sources.
#[derive(Debug)]
pub struct Loaded {
    /// The compiled policies.
    pub store: PolicyStore,
    /// The bodies that the policies were compiled from; empty unless they are kept.
    pub bodies: Bodies,
    /// Counts of the input.
    pub counts: SourceCounts,
}

/// The result of loading sources in several dialects: the same sites with the same captures.
#[derive(Debug)]
pub struct DialectStores {
    /// The compiled policies: one store for each dialect, in the given order.
    pub stores: Vec<PolicyStore>,
    /// The bodies that the policies were compiled from; empty unless they are kept.
    pub bodies: Bodies,
    /// Counts of the input.
    pub counts: SourceCounts,
}

/// Counts of the input from sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Captures that were used.
    pub captures: u64,
    /// Used captures whose body is not a robots.txt.
    pub not_robots: NotRobots,
    /// Used captures whose body is longer than the parsing limit.
    pub too_long: u64,
    /// Counts of unusable input.
    pub errors: ErrorCounts,
}

impl LoadOptions {
    /// Lenient options that keep only the store and use all cores.
    pub fn new(kind: StoreKind) -> Self {
        LoadOptions {
            kind,
            strictness: Strictness::default(),
            host: None,
            incomplete: IncompleteInput::default(),
            captured_at: None,
            keep: Keep::default(),
            parsing_limit: None,
        }
    }

    /// How each robots.txt is read.
    fn config(&self) -> Config {
        Config::new(self.kind.dialect).with_parsing_limit(self.parsing_limit)
    }

    /// Checks that the parsing limit and the time of captures, if given, apply to some of `paths`: `captures` are those that
    /// are no bundles.
    pub(crate) fn require_captures(&self, paths: &[PathBuf], captures: &[PathBuf]) -> Result<(), JobError> {
        match paths.first().filter(|_| captures.is_empty()).map(FileName::new) {
            Some(first) if self.parsing_limit.is_some() => Err(JobError::UnusedLimit(first)),
            Some(first) if self.captured_at.is_some() => Err(JobError::UnusedTime(first)),
            _ => Ok(()),
        }
    }

    /// Checks that the host, if given, applies to a plain robots.txt among `paths`. `paths` may include bundles.
    pub(crate) fn require_host_applies(&self, paths: &[PathBuf]) -> Result<(), JobError> {
        match (&self.host, paths) {
            (Some(_), [first, ..]) if !SourceHost::applies_to(paths)? => {
                Err(JobError::UnusedHost(FileName::new(first)))
            }
            _ => Ok(()),
        }
    }
}

/// Reads and compiles the captures of `paths`: files and directories as in [`robomata_formats::capture::captures`], and
/// `-` for standard input. Bundles among them are merged.
///
/// If only the newest capture of a site counts, the last one in the input wins among those of the same second, and among
/// those without a time. The same input gives the same store, byte for byte, on any number of threads.
///
/// # Errors
/// When one of `paths` cannot be opened or has no usable capture. When one ends early or cannot be read completely,
/// unless the options allow it. When a bundle is damaged or of another kind, or the bodies are to be kept, which a bundle
/// lacks. When a capture without a time differs from a dated one of its site. With strict options, also for the first bad
/// input.
pub fn load(paths: &[PathBuf], options: &LoadOptions, events: &mut dyn Events) -> Result<Loaded, JobError> {
    options.require_host_applies(paths)?;
    let Divided { bundles, captures, positions } = Divided::open_for(paths, &options.kind, bundle::open_as)?;
    options.require_captures(paths, &captures)?;
    if options.keep == Keep::Bodies {
        require_no_bundle(paths)?;
    }
    report_implausible(&bundles, events);
    let mut loader = Loader::new(vec![options.kind.clone()], options)?;
    let mut bundles = bundles.into_iter();
    let mut stores: Vec<PolicyStore> = Vec::new();
    let errors = loader.read(&captures, &positions, events, |loader, step| {
        if step == Step::Bundle {
            let builder = loader.take_builder();
            stores.extend((builder.site_count() > 0).then(|| builder.build()));
            stores.extend(bundles.next());
        }
        Ok(())
    })?;
    loader.count_contests();
    let mut contests = std::mem::take(&mut loader.contests);
    let DialectStores { stores: last, bodies, counts } = loader.finish(errors);
    let last = last.into_iter().next().expect("one dialect, one store");
    if stores.is_empty() {
        require_ordered(contests, events)?;
        return Ok(Loaded { store: last, bodies, counts });
    }
    stores.push(last);
    let stores: Vec<&PolicyStore> = stores.iter().collect();
    contests.add(Contests::among(&stores));
    require_ordered(contests, events)?;
    let mut bytes = Vec::new();
    merge(&stores, options.kind.history, &mut bytes)?;
    let store = PolicyStore::from_bytes(bytes).expect("verified stores are merged into a valid one");
    Ok(Loaded { store, bodies, counts })
}

/// Like [`load`], but in each of `dialects` instead of the options' dialect. Sources are read once. The stores of all
/// dialects are in memory at the same time.
///
/// # Errors
/// Those of [`load`].
pub fn load_panel(
    paths: &[PathBuf],
    dialects: &[Dialect],
    options: &LoadOptions,
    events: &mut dyn Events,
) -> Result<DialectStores, JobError> {
    require_no_bundle(paths)?;
    let kind = |&dialect| StoreKind { dialect, ..options.kind.clone() };
    let mut loader = Loader::new(dialects.iter().map(kind).collect(), options)?;
    let errors = loader.read(paths, &[], events, |_, _| Ok(()))?;
    loader.count_contests();
    require_ordered(std::mem::take(&mut loader.contests), events)?;
    Ok(loader.finish(errors))
}

/// Like [`load`], but keeps the bodies alone, of every capture of each site that counts. Compiles nothing.
///
/// # Errors
/// Those of [`load`].
pub fn load_bodies(
    paths: &[PathBuf],
    options: &LoadOptions,
    events: &mut dyn Events,
) -> Result<Bodies, JobError> {
    require_no_bundle(paths)?;
    let options = LoadOptions { keep: Keep::Bodies, ..options.clone() };
    let mut loader = Loader::new(Vec::new(), &options)?;
    loader.read(paths, &[], events, |_, _| Ok(()))?;
    Ok(loader.bodies.sorted())
}

/// Checks that none of `paths` is a bundle, which has no bodies.
fn require_no_bundle(paths: &[PathBuf]) -> Result<(), JobError> {
    let bundle = paths.iter().find(|path| is_bundle(path));
    bundle.map_or(Ok(()), |bundle| Err(JobError::NoBodies(FileName::new(bundle))))
}

/// A point in reading sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There are new captures.
    Captures,
    /// The next bundle was given here.
    Bundle,
}

/// Builds a [`DialectStores`] or a bundle.
pub(crate) struct Loader<'o> {
    options: &'o LoadOptions,
    dialect_builders: Vec<DialectBuilder<'o>>,
    bodies: Bodies,
    /// The kept bodies, each stored once.
    kept: HashMap<blake3::Hash, Arc<[u8]>>,
    captures: u64,
    not_robots: NotRobots,
    too_long: u64,
    /// See [`Events::latest_plausible_capture`].
    latest_plausible: Option<Moment>,
    implausible: u64,
    /// Files of directories without any bytes.
    empty_files: u64,
    /// Those among the captures that were taken out of the builders.
    pub(crate) contests: Contests,
}

/// Builds the store of one dialect.
struct DialectBuilder<'o> {
    config: Config,
    /// Longer bodies are neither known nor remembered, because another limit gives them other policies.
    longest_known: usize,
    kind: StoreKind,
    hashes: Hashes,
    cache: Cache<Arc<CompiledPolicies>>,
    builder: StoreBuilder,
    memory: Memory<'o>,
}

/// The bodies that are known beforehand, and whether the store remembers its bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory<'o> {
    /// Bodies that were compiled before.
    pub(crate) known: Vec<KnownBodies<'o>>,
    /// Does the store remember its bodies?
    pub(crate) remembers: bool,
}

/// A capture's policies in one dialect.
type Compiled = (Key, Arc<CompiledPolicies>);

impl<'o> Loader<'o> {
    pub(crate) fn new(kinds: Vec<StoreKind>, options: &'o LoadOptions) -> Result<Self, JobError> {
        Ok(Loader {
            options,
            dialect_builders: kinds.into_iter().map(|kind| DialectBuilder::new(kind, options)).collect(),
            bodies: Bodies::new(options.parsing_limit),
            kept: HashMap::new(),
            captures: 0,
            not_robots: NotRobots::default(),
            too_long: 0,
            latest_plausible: None,
            implausible: 0,
            empty_files: 0,
            contests: Contests::default(),
        })
    }

    /// Sets which bodies are known and remembered.
    pub(crate) fn with_memory(mut self, memory: &Memory<'o>) -> Self {
        self.dialect_builders.iter_mut().for_each(|dialect_builder| dialect_builder.memory = memory.clone());
        self
    }

    /// Reads all of `paths` and calls `at` from time to time, when there are new captures. `positions` are those of bundles
    /// among the paths; `at` is called for each bundle, too, after the captures before it.
    pub(crate) fn read(
        &mut self,
        paths: &[PathBuf],
        positions: &[usize],
        events: &mut dyn Events,
        mut at: impl FnMut(&mut Self, Step) -> Result<(), JobError>,
    ) -> Result<ErrorCounts, JobError> {
        readable::require_sources(paths)?;
        self.latest_plausible = events.latest_plausible_capture();
        let host = self.options.host.as_ref();
        if host.is_some() {
            self.options.require_host_applies(paths)?;
            require_one_robots(paths)?;
        }
        let log = ProblemLog::new(events, self.options.strictness);
        let mut log = log.with_incomplete(self.options.incomplete);
        let bytes = Meter::of(paths);
        let mut seen = vec![Seen::default(); paths.len()];
        let mut chunks =
            Chunks::read(paths.to_vec(), positions.to_vec(), host.map(SourceHost::site), bytes.clone())?;
        let site = host.map(SourceHost::site);
        let is_plain = |item: &Result<Capture, InputError>| {
            item.as_ref()
                .is_ok_and(|capture| capture.origin.line.is_none() && Some(&capture.site) == site.as_ref())
        };
        let mut is_host_used = false;
        let mut positions = positions.iter().peekable();
        for chunk in &mut chunks {
            let source = chunk.first().map_or(0, |(source, _)| *source);
            while positions.next_if(|position| **position <= source).is_some() {
                at(self, Step::Bundle)?;
            }
            is_host_used |= site.is_some() && chunk.iter().any(|(_, item)| is_plain(item));
            self.add(&chunk, paths, &mut seen, &mut log)?;
            log.events.progress(Progress { done: Done::Captures(self.captures), bytes: &bytes });
            at(self, Step::Captures)?;
        }
        positions.try_for_each(|_| at(self, Step::Bundle))?;
        let redirects = chunks.join();
        if redirects != RedirectCounts::default() {
            log.events.redirects(redirects);
        }
        if self.implausible > 0 {
            log.events.implausible_captures(self.implausible);
        }
        if self.empty_files > 0 {
            log.events.empty_files(self.empty_files);
        }
        require_captures(paths, &seen)?;
        seen.iter_mut().try_for_each(|seen| seen.release(&mut log))?;
        let errors = log.close();
        match paths {
            // Whether standard input is a plain robots.txt is known only after it has been read.
            [first, ..] if site.is_some() && !is_host_used => Err(JobError::UnusedHost(FileName::new(first))),
            _ => Ok(errors),
        }
    }

    /// The counts so far; `errors` counts the unusable input.
    pub(crate) fn counts(&self, errors: ErrorCounts) -> SourceCounts {
        let Loader { captures, not_robots, too_long, .. } = *self;
        SourceCounts { captures, not_robots, too_long, errors }
    }

    /// The builder of the first store.
    pub(crate) fn builder(&self) -> &StoreBuilder {
        &self.dialect_builders[0].builder
    }

    /// Takes the builder of the first store and replaces it with an empty one.
    pub(crate) fn take_builder(&mut self) -> StoreBuilder {
        self.count_contests();
        let dialect_builder = &mut self.dialect_builders[0];
        std::mem::replace(&mut dialect_builder.builder, StoreBuilder::new(dialect_builder.kind.clone()))
    }

    /// Counts the contests among the captures in the builders. In several dialects, those of the one with the most count.
    fn count_contests(&mut self) {
        let contests = self.dialect_builders.iter().map(|dialect_builder| dialect_builder.builder.contests());
        let most = contests.max_by_key(|contests| (contests.undated, contests.by_order));
        self.contests.add(most.unwrap_or_default());
    }

    /// Adds the captures of `chunk`, and updates `seen` for each source of `paths`.
    fn add(
        &mut self,
        chunk: &chunks::Chunk,
        paths: &[PathBuf],
        seen: &mut [Seen],
        log: &mut ProblemLog<'_>,
    ) -> Result<(), JobError> {
        let captures: Vec<&Capture> = chunk.iter().filter_map(|(_, item)| item.as_ref().ok()).collect();
        let (robots, tdmreps): (Vec<&Capture>, Vec<&Capture>) =
            captures.into_iter().partition(|capture| capture.resource == Resource::RobotsTxt);
        let Loader { dialect_builders, options, .. } = self;
        let compiled: Vec<Vec<Compiled>> =
            dialect_builders.iter_mut().map(|dialect_builder| dialect_builder.compile(&robots)).collect();
        let tdmreps = match options.kind.holds_tdmreps() {
            true => self.read_tdmreps(&tdmreps),
            false => Vec::new(),
        };
        let mut tdmreps = tdmreps.into_iter();
        let mut number = 0;
        for (source, item) in chunk {
            let used = match item {
                Err(error) if error.is_other_than_captures() => {
                    let problem = InputProblem::of_error(error, ProblemKind::File);
                    return Err(JobError::Strict(problem));
                }
                Err(error) => Err(InputProblem::of_error(error, ProblemKind::SourceLine)),
                Ok(capture) if capture.resource == Resource::TdmRepJson => {
                    // Other stores have no use for it.
                    let Some(read) = tdmreps.next() else { continue };
                    self.insert_tdmrep(capture, &read).map(|()| read.problem(&capture.origin))
                }
                Ok(capture) => {
                    let policies: Vec<&Compiled> =
                        compiled.iter().map(|dialect_builder| &dialect_builder[number]).collect();
                    number += 1;
                    // A file of a directory has another path.
                    let Origin { file, line } = &capture.origin;
                    if self.options.host.is_some() && line.is_none() && file.as_path() == paths[*source] {
                        if capture.body.is_empty() {
                            let advice = "if it is empty, give it as a capture with \"status\": 200";
                            return Err(JobError::EmptyFile {
                                file: file.clone(),
                                what: "robots.txt",
                                advice,
                            });
                        }
                        require_robots(file, &capture.body)?;
                        report_kind(file, &capture.body, &self.options.config(), log.events);
                    }
                    self.insert(capture, &policies).map(|()| None)
                }
            };
            let seen = &mut seen[*source];
            let unreadable = || item.as_ref().ok().and_then(InputProblem::of_unreadable);
            match used.and_then(|problem| unreadable().map_or(Ok(problem), Err)) {
                Ok(problem) => {
                    seen.captures += 1;
                    seen.dated += u64::from(item.as_ref().is_ok_and(host::is_dated));
                    seen.release(log)?;
                    problem.map_or(Ok(()), |problem| log.report(problem))?;
                }
                Err(problem) => {
                    seen.add(&problem);
                    let problem = problem.with_consequence();
                    // For a source without any capture, the final error reports these problems.
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

    /// Inserts a capture with its policies `compiled`, one for each dialect. The error says why it cannot be used.
    fn insert(&mut self, capture: &Capture, compiled: &[&Compiled]) -> Result<(), InputProblem> {
        let sites = sites_or_problem(capture, self.options.host.as_ref())?;
        self.captures += 1;
        self.not_robots.count(capture, &self.options.config());
        let is_too_long = |builder: &DialectBuilder<'_>| capture.body.len() > builder.config.parsing_limit();
        let is_too_long = !capture.is_failed() && self.dialect_builders.iter().any(is_too_long);
        self.too_long += u64::from(is_too_long);
        let is_file = capture.origin.line.is_none() && capture.unreadable.is_none();
        self.empty_files += u64::from(is_file && capture.body.is_empty());
        let time = self.time_of(capture);
        let body = (self.options.keep == Keep::Bodies).then(|| {
            let known = compiled.iter().find_map(|(key, _)| match key {
                Key::Body(hash) => Some(*hash),
                Key::Outcome(_) => None,
            });
            let hash = known.unwrap_or_else(|| blake3::hash(&capture.body));
            Arc::clone(self.kept.entry(hash).or_insert_with(|| Arc::clone(&capture.body)))
        });
        for site in &sites {
            for (dialect_builder, (_, policies)) in self.dialect_builders.iter_mut().zip(compiled) {
                dialect_builder.builder.insert(site, policies, time);
            }
            if let Some(body) = &body {
                let kept = KeptBody {
                    body: Arc::clone(body),
                    status: capture.status,
                    redirects: capture.redirects,
                    time,
                };
                self.bodies.insert(site, Resource::RobotsTxt, kept, self.options.kind.history);
            }
        }
        Ok(())
    }

    /// The time of a capture, if it is known. Counts those that are not plausible.
    fn time_of(&mut self, capture: &Capture) -> Option<Moment> {
        let time = capture.time.map(|time| Moment::from_seconds(time.seconds()));
        let time = time.or(self.options.captured_at)?;
        self.implausible += u64::from(self.latest_plausible.is_some_and(|latest| time > latest));
        Some(time)
    }

    fn finish(self, errors: ErrorCounts) -> DialectStores {
        let counts = self.counts(errors);
        DialectStores {
            stores: self
                .dialect_builders
                .into_iter()
                .map(|dialect_builder| dialect_builder.builder.build())
                .collect(),
            bodies: self.bodies.sorted(),
            counts,
        }
    }
}

impl DialectBuilder<'_> {
    fn new(kind: StoreKind, options: &LoadOptions) -> Self {
        let default = Config::new(kind.dialect);
        let config = default.with_parsing_limit(options.parsing_limit);
        let default = default.parsing_limit();
        let longest_known = options.parsing_limit.map_or(usize::MAX, |_| config.parsing_limit().min(default));
        DialectBuilder {
            config,
            longest_known,
            hashes: Hashes::default(),
            cache: Cache::default(),
            builder: StoreBuilder::new(kind.clone()),
            kind,
            memory: Memory::default(),
        }
    }

    /// The policies of `captures`, in order. Bodies that are not remembered are compiled, equal bodies once.
    fn compile(&mut self, captures: &[&Capture]) -> Vec<Compiled> {
        let DialectBuilder { config, hashes, kind, cache, memory, longest_known, .. } = self;
        let dialect = config.dialect();
        let keys = hashes.keys(captures, dialect, blake3::hash);

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
            let is_known = memory.remembers && capture.body.len() <= *longest_known;
            let digest = key.digest().filter(|_| is_known);
            let known = |digest| memory.known.iter().find_map(|known| known.policies(&digest));
            if let Some(policies) = digest.and_then(known) {
                return Arc::new(policies);
            }
            let policies =
                compiler.compile(&Policy::fetched(&capture.body, capture.status_in(dialect), config));
            Arc::new(match digest {
                Some(digest) => policies.known_by(digest),
                None => policies,
            })
        };
        let fresh: Vec<Arc<CompiledPolicies>> =
            missing.par_iter().map_init(|| PolicyCompiler::new(kind), compile).collect();
        for ((key, _), policies) in missing.into_iter().zip(fresh) {
            cache.insert(key, Arc::clone(&policies), policies.bytes());
            known.insert(key, Some(policies));
        }
        keys.into_iter().filter_map(|key| Some((key, known.get(&key)?.clone()?))).collect()
    }
}

/// The sites of a capture, or why it cannot be used. `host` is that of a plain robots.txt.
fn sites_or_problem(
    capture: &Capture,
    host: Option<&SourceHost>,
) -> Result<Vec<Site<'static>>, InputProblem> {
    sites_of(capture, host).map_err(|expected| {
        let Origin { file, line } = &capture.origin;
        InputProblem::at_line(ProblemKind::SourceLine, file, *line, &(expected + "; it is skipped"))
    })
}

/// The sites of a capture. The error says what was expected instead.
fn sites_of(capture: &Capture, host: Option<&SourceHost>) -> Result<Vec<Site<'static>>, String> {
    let (CaptureSite::Host(found) | CaptureSite::Url(found)) = &capture.site;
    let unexpected = |error: SiteError| format!("{error}, found {}", quoted(found));
    let sites = match &capture.site {
        // The capture is a whole file that is named by its host.
        CaptureSite::Host(name)
            if capture.origin.line.is_none()
                && host::is_no_host(name)
                && host.is_none_or(|host| host.site() != capture.site) =>
        {
            return Err(format!(
                "expected a file named by its host, or HOST/robots.txt, found {}",
                quoted(name)
            ));
        }
        CaptureSite::Host(host) => Site::both_of_host(host).map_err(unexpected)?.to_vec(),
        CaptureSite::Url(url) => vec![Site::of_url(url.as_bytes()).map_err(unexpected)?.into_owned()],
    };
    if sites.iter().all(can_exist) {
        Ok(sites)
    } else {
        Err(format!("expected a host of at most 255 bytes, found {}", quoted(found)))
    }
}

/// Checks that at most one of `paths` is a single robots.txt, because there is only one host.
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
