//! One side of a comparison: a robots.txt, a bundle, or captures.

use std::collections::HashMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use robomata::{Answer, Checker, Config, Crawler, Dialect, Policy, PolicyStore, Site, SitePolicy, StoreKind};
use robomata_formats::capture;

use super::Said;
use crate::bodies::Bodies;
use crate::crawl::is_url;
use crate::error::JobError;
use crate::events::Events;
use crate::problem::Strictness;
use crate::robots_file::{NumberedLines, RobotsFile};
use crate::sources::bundles::is_bundle;
use crate::sources::{self, Keep, LoadOptions};
use crate::{bundle, readable};

/// How a side is read.
#[derive(Clone, Debug)]
pub struct PolicyOptions {
    /// For whom.
    pub crawler: Crawler,
    /// In which dialect; that of a bundle, or the default, when none is given.
    pub dialect: Option<Dialect>,
    /// What bad input does.
    pub strictness: Strictness,
    /// How many threads compile; all cores when none is given.
    pub threads: Option<NonZeroUsize>,
}

/// One side.
pub enum Policies {
    /// One robots.txt, which judges URLs of any site.
    File(RobotsFile, Dialect),
    /// The policies of many sites, with their texts where they were compiled from captures.
    Sites(Box<PolicyStore>, Bodies),
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policies::File(file, dialect) => f.debug_tuple("File").field(file.name()).field(dialect).finish(),
            Policies::Sites(store, _) => f.debug_tuple("Sites").field(store).finish(),
        }
    }
}

/// What the file at a path seems to be.
enum Guess {
    Robots,
    Bundle,
    Captures,
}

/// What a path is: bundles and captures say so themselves ([`capture::holds_captures`]); else it is a robots.txt.
fn guess(path: &Path) -> Result<Guess, JobError> {
    Ok(match path {
        path if is_bundle(path) => Guess::Bundle,
        path if capture::holds_captures(path)? => Guess::Captures,
        _ => Guess::Robots,
    })
}

/// Does `path` hold the robots.txt files of many sites?
///
/// # Errors
/// When it cannot be read.
pub fn is_collection(path: &Path) -> Result<bool, JobError> {
    Ok(!matches!(guess(path)?, Guess::Robots))
}

/// The crawlers that two robots.txt files name, in their order, and last `*`, every other one. Those for whom the same
/// groups speak in both files are together. Collections name nobody.
pub fn named_crawlers(old: &Policies, new: &Policies) -> Vec<Vec<Crawler>> {
    let mut names: Vec<String> = Vec::new();
    // By name in lower case: the rules of each file, by number; none are those for every other crawler.
    let mut rules: HashMap<Vec<u8>, [Option<usize>; 2]> = HashMap::new();
    for (side, policies) in [old, new].into_iter().enumerate() {
        let Policies::File(file, dialect) = policies else { continue };
        let policy = Policy::new(file.octets(), &Config::new(*dialect));
        for (number, named) in policy.named_rules().iter().enumerate() {
            for name in named.names.iter().filter(|name| !name.is_empty()) {
                let places = rules.entry(name.to_ascii_lowercase()).or_insert_with(|| {
                    names.push(String::from_utf8_lossy(name).into_owned());
                    [None, None]
                });
                places[side] = Some(number);
            }
        }
    }
    let mut places: HashMap<[Option<usize>; 2], usize> = HashMap::new();
    let mut crawlers: Vec<Vec<Crawler>> = Vec::new();
    for name in names {
        let key = rules[&name.as_bytes().to_ascii_lowercase()];
        let place = *places.entry(key).or_insert(crawlers.len());
        if place == crawlers.len() {
            crawlers.push(Vec::new());
        }
        crawlers[place].push(Crawler::new(&name));
    }
    crawlers.push(vec![Crawler::new("*")]);
    crawlers
}

impl Policies {
    /// Reads what is at `path`: a bundle, captures in any of their formats, else a robots.txt; `-` is a robots.txt on standard
    /// input.
    ///
    /// # Errors
    /// When it cannot be read, and what [`sources::load`] and [`bundle::open`] say.
    pub fn open(path: &Path, options: &PolicyOptions, events: &mut dyn Events) -> Result<Self, JobError> {
        let PolicyOptions { crawler, dialect, strictness, threads } = options;
        match guess(path)? {
            Guess::Robots => Ok(Policies::File(RobotsFile::read(path)?, dialect.unwrap_or_default())),
            Guess::Bundle => {
                let crawlers = std::slice::from_ref(crawler);
                let store = bundle::open(path, *dialect, &robomata::Aim::default(), crawlers)?;
                Ok(Policies::Sites(Box::new(store), Bodies::default()))
            }
            Guess::Captures => {
                let paths: [PathBuf; 1] = [path.to_owned()];
                readable::require_sources(&paths)?;
                let load = LoadOptions {
                    strictness: *strictness,
                    keep: Keep::Bodies,
                    threads: *threads,
                    ..LoadOptions::new(StoreKind::new(dialect.unwrap_or_default(), vec![crawler.clone()]))
                };
                let loaded = sources::load(&paths, &load, events)?;
                Ok(Policies::Sites(Box::new(loaded.store), loaded.bodies))
            }
        }
    }

    /// Is it one robots.txt?
    pub fn is_file(&self) -> bool {
        matches!(self, Policies::File(..))
    }

    /// How texts are read.
    pub fn dialect(&self) -> Dialect {
        match self {
            Policies::File(_, dialect) => *dialect,
            Policies::Sites(store, _) => store.dialect(),
        }
    }

    /// Who asks it, in one thread.
    pub(super) fn asker(&self, crawler: &Crawler) -> Result<Asker<'_>, JobError> {
        Ok(match self {
            Policies::Sites(store, _) => Asker::Sites(Box::new(store.checker(crawler)?)),
            Policies::File(file, dialect) => Asker::File(Box::new(file_policy(file, *dialect, crawler))),
        })
    }

    /// Makes sure that a bundle is as it was written.
    pub(super) fn validate(&self) -> Result<(), JobError> {
        match self {
            Policies::File(..) => Ok(()),
            Policies::Sites(store, _) => Ok(store.validate()?),
        }
    }

    /// An answer for people, with the line that decided: as written where its text is at hand, else as it was compiled.
    pub(super) fn said(
        &self,
        crawler: &Crawler,
        site: Option<&Site<'_>>,
        verdict: &'static str,
        line: u32,
    ) -> Said {
        let written = |text: &[u8]| NumberedLines::new(text).text(line);
        let rule = match self {
            _ if line == 0 => None,
            Policies::File(file, _) => written(file.octets()),
            Policies::Sites(store, bodies) => site.and_then(|site| match bodies.of(site) {
                Some(kept) => written(&kept.body),
                None => {
                    let view = store.view(crawler).ok()?;
                    view.policy(view.decider_of(site)?).rule(line)
                }
            }),
        };
        Said { verdict, line, rule }
    }
}

/// What one robots.txt says to `crawler`.
pub(super) fn file_policy(file: &RobotsFile, dialect: Dialect, crawler: &Crawler) -> SitePolicy {
    SitePolicy::new(&Policy::new(file.octets(), &Config::new(dialect)), crawler)
}

/// Answers URLs, for one thread.
pub(super) enum Asker<'p> {
    File(Box<SitePolicy>),
    Sites(Box<Checker<'p>>),
}

impl Asker<'_> {
    pub(super) fn check(&mut self, url: &[u8]) -> Answer {
        match self {
            Asker::File(_) if !is_url(url) => Answer::Invalid,
            Asker::File(policy) => policy.check(url),
            Asker::Sites(checker) => checker.check(url),
        }
    }
}
