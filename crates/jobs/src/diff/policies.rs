//! One side of a comparison: a robots.txt, a bundle, or captures.

use std::fmt;
use std::path::{Path, PathBuf};

use robomata_engine::syntax::{Lines, Text};
use robomata_engine::{
    Answer, Checker, Config, Crawler, Dialect, Moment, Policy, PolicyStore, ShardNumber, Site, SitePolicy,
    StoreKind, UsageQuery,
};
use robomata_formats::capture;

use super::SideAnswer;
use crate::bodies::Bodies;
use crate::crawl::is_path_or_url;
use crate::error::JobError;
use crate::events::Events;
use crate::problem::{IncompleteInput, Strictness};
use crate::quotes::{quoted_line, shortened};
use crate::robots_file::RobotsFile;
use crate::sources::bundles::is_bundle;
use crate::sources::{self, Keep, LoadOptions, SourceHost};
use crate::{bundle, readable};

/// How to read a side.
#[derive(Clone, Debug)]
pub struct PolicyOptions {
    /// The crawler; every crawler by default.
    pub crawler: Option<Crawler>,
    /// The dialect. By default, a bundle's own dialect or the default dialect.
    pub dialect: Option<Dialect>,
    /// The site of a plain robots.txt. With it, the file counts as a collection of the sites that it names.
    pub host: Option<SourceHost>,
    /// How to treat bad input.
    pub strictness: Strictness,
    /// How to treat captures that end early or cannot be read completely.
    pub incomplete: IncompleteInput,
    /// The time of captures without one.
    pub captured_at: Option<Moment>,
    /// The number of bytes of each robots.txt that are read, in dialects that leave it open; none for the dialect's
    /// default. A bundle has the limit with which it was compiled.
    pub parsing_limit: Option<usize>,
}

/// One side of a comparison.
pub enum Policies {
    /// One robots.txt, which applies to URLs of any site.
    File(RobotsFile, Config),
    /// The policies of many sites, with their texts if they were compiled from captures.
    Sites(Box<PolicyStore>, Option<Bodies>),
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policies::File(file, config) => f.debug_tuple("File").field(file.name()).field(config).finish(),
            Policies::Sites(store, _) => f.debug_tuple("Sites").field(store).finish(),
        }
    }
}

/// The likely kind of the file at a path.
enum Guess {
    Robots,
    Bundle,
    Captures,
}

/// Finds the kind of a path. Bundles and captures are recognised by their contents ([`capture::holds_captures`]);
/// anything else is a robots.txt.
fn guess(path: &Path) -> Result<Guess, JobError> {
    Ok(match path {
        path if is_bundle(path) => Guess::Bundle,
        path if capture::holds_captures(path)? => Guess::Captures,
        _ => Guess::Robots,
    })
}

impl Policies {
    /// Reads the file at `path`: a bundle, captures in any of their formats, or else a robots.txt. `-` is a robots.txt
    /// on standard input.
    ///
    /// # Errors
    /// When the file cannot be read, and in the cases of [`sources::load`] and [`bundle::require`].
    pub fn open(path: &Path, options: &PolicyOptions, events: &mut dyn Events) -> Result<Self, JobError> {
        let PolicyOptions { crawler, dialect, host, strictness, incomplete, captured_at, parsing_limit } =
            options;
        let guess = guess(path)?;
        let host = host.clone().filter(|_| matches!(guess, Guess::Robots));
        match guess {
            Guess::Robots if host.is_none() => {
                let file = RobotsFile::read_robots(path)?;
                file.require_bytes(RobotsFile::ADVICE_ON_EMPTY)?;
                let config = Config::new(dialect.unwrap_or_default()).with_parsing_limit(*parsing_limit);
                file.report_kind(&config, events);
                Ok(Policies::File(file, config))
            }
            Guess::Bundle => {
                let store = bundle::open(path)?;
                bundle::require(&store, *dialect, &UsageQuery::default(), crawler.as_slice())?;
                Ok(Policies::Sites(Box::new(store), None))
            }
            Guess::Robots | Guess::Captures => {
                let paths: [PathBuf; 1] = [path.to_owned()];
                readable::require_sources(&paths)?;
                // The answers for other crawlers come from the bodies.
                let crawlers = vec![crawler.clone().unwrap_or_else(|| Crawler::new("*"))];
                let load = LoadOptions {
                    host,
                    strictness: *strictness,
                    incomplete: *incomplete,
                    captured_at: *captured_at,
                    keep: Keep::Bodies,
                    parsing_limit: *parsing_limit,
                    ..LoadOptions::new(StoreKind::new(dialect.unwrap_or_default(), crawlers))
                };
                let loaded = sources::load(&paths, &load, events)?;
                Ok(Policies::Sites(Box::new(loaded.store), Some(loaded.bodies)))
            }
        }
    }

    /// Is this side a bundle, which has no text?
    pub fn is_bundle(&self) -> bool {
        matches!(self, Policies::Sites(_, None))
    }

    /// Is this side captures?
    pub fn is_captures(&self) -> bool {
        matches!(self, Policies::Sites(_, Some(_)))
    }

    /// The number of different robots.txt files that are longer than the parsing limit; none of a bundle is known to be.
    pub fn longer_than_limit(&self) -> usize {
        match self {
            Policies::File(file, config) => usize::from(file.is_longer_than(config)),
            Policies::Sites(store, bodies) => {
                bodies.as_ref().map_or(0, |bodies| bodies.longer_than_limit(store.dialect()))
            }
        }
    }

    /// Which shard of a bundle this side is; none if it is undivided.
    pub fn shard(&self) -> Option<ShardNumber> {
        match self {
            Policies::File(..) => None,
            Policies::Sites(store, _) => store.shard(),
        }
    }

    /// Is this side one robots.txt?
    pub fn is_file(&self) -> bool {
        matches!(self, Policies::File(..))
    }

    /// The dialect of the policies.
    pub fn dialect(&self) -> Dialect {
        match self {
            Policies::File(_, config) => config.dialect(),
            Policies::Sites(store, _) => store.dialect(),
        }
    }

    /// A checker of this side for one thread.
    pub(super) fn side(&self, crawler: &Crawler) -> Result<Side<'_>, JobError> {
        Ok(match self {
            Policies::Sites(store, _) => Side::Sites(Box::new(store.checker(crawler)?)),
            Policies::File(file, config) => Side::File(Box::new(file_policy(file, config, crawler))),
        })
    }

    /// The lines of the robots.txt that applies to `site`, if its text is available.
    pub(super) fn lines(&self, site: Option<&Site<'_>>) -> Option<Lines<'_>> {
        let text = match self {
            Policies::File(file, config) => Text::new(file.bytes(), config),
            Policies::Sites(store, Some(bodies)) => {
                Text::new(&bodies.of(site?)?.body, &bodies.config(store.dialect()))
            }
            Policies::Sites(_, None) => return None,
        };
        Some(Lines::new(text.into_bytes()))
    }

    /// An answer for the report, with the line that decided: as written in `lines` ([`Policies::lines`]), or else as
    /// compiled.
    pub(super) fn said(
        &self,
        lines: Option<&Lines<'_>>,
        crawler: &Crawler,
        site: Option<&Site<'_>>,
        verdict: &'static str,
        line: u32,
    ) -> SideAnswer {
        let compiled = |store: &PolicyStore| {
            let view = store.view(crawler).ok()?;
            let rule = view.policy(view.compiled_policy_of(site?)?).rule(line)?;
            Some(shortened(&rule))
        };
        let rule = match (self, lines) {
            _ if line == 0 => None,
            (_, Some(lines)) => quoted_line(lines, line),
            (Policies::Sites(store, _), None) => compiled(store),
            (Policies::File(..), None) => None,
        };
        SideAnswer { verdict, line, rule }
    }
}

/// The policy of one robots.txt for `crawler`.
pub(super) fn file_policy(file: &RobotsFile, config: &Config, crawler: &Crawler) -> SitePolicy {
    SitePolicy::new(&Policy::new(file.bytes(), config), crawler)
}

/// Answers URLs, for one thread.
pub(super) enum Side<'p> {
    File(Box<SitePolicy>),
    Sites(Box<Checker<'p>>),
}

impl Side<'_> {
    pub(super) fn check(&mut self, url: &[u8]) -> Answer {
        match self {
            Side::File(_) if !is_path_or_url(url) => Answer::Invalid,
            Side::File(policy) => policy.check(url),
            Side::Sites(checker) => checker.check(url),
        }
    }
}
