//! robomata compiles the rules that web sites address to crawlers into automata that carry priority, and answers URL
//! checks in bulk.
//!
//! This crate is the paved path: a few types from the crates beneath it, and no logic of its own. Who needs a layer as
//! such finds it under its name: [`syntax`], [`policy`], [`automaton`], [`evaluator`].
//!
//! # One site
//!
//! ```
//! use robomata::{Access, Config, Crawler, Dialect, Policy, SitePolicy};
//!
//! let policy = Policy::new(b"User-agent: *\nDisallow: /private\nAllow: /private/press", &Config::new(Dialect::Rfc9309));
//! let mut site = SitePolicy::new(&policy, &Crawler::new("ExampleBot"));
//! assert_eq!(site.check(b"https://example.com/private/a").as_str(), "disallow");
//! assert_eq!(site.check(b"/private/press/2026").line(), 3);
//! ```
//!
//! # What may be done with a page
//!
//! A site speaks of more than crawling: ACAP, Content-Signal and others say what may be indexed, kept, shown, trained on.
//! [`SitePermissions`] answers for every [`Usage`], with the restrictions that hold and the line that decided.
//!
//! ```
//! use robomata::{Circumstances, Config, Crawler, Dialect, PageStatements, Permission, Policy, SitePermissions, Usage};
//!
//! let robots = b"ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=3-days\nACAP-disallow-preserve: /";
//! let policy = Policy::new(robots, &Config::new(Dialect::Acap));
//! let mut site = SitePermissions::new(&policy, &[], &Crawler::new("ExampleBot"), None);
//! let mut answer = |usage| site.answer_for(usage, b"/news/1", &PageStatements::default(), &Circumstances::default()).unwrap();
//! assert_eq!(answer(Usage::Index).qualifiers[0].to_string(), "time-limit=3-days");
//! assert_eq!(answer(Usage::Preserve).permission, Permission::Prohibited);
//! assert_eq!(answer(Usage::AiTrain).permission, Permission::Unspecified);
//! ```
//!
//! # Many sites
//!
//! ```
//! use robomata::{Config, Crawler, Dialect, Policy, PolicyCompiler, Site, StoreBuilder, StoreKind};
//!
//! let dialect = Dialect::Rfc9309;
//! let crawlers = [Crawler::new("Googlebot-Image,Googlebot")];
//! let kind = StoreKind::new(dialect, crawlers.to_vec());
//! let mut compiler = PolicyCompiler::new(&kind);
//! let mut builder = StoreBuilder::new(kind.clone());
//! for (url, robots) in [
//!     ("https://example.com", "User-agent: *\nDisallow: /*?sort="),
//!     ("https://example.org", "User-agent: Googlebot\nDisallow: /"),
//! ] {
//!     let policies = compiler.compile(&Policy::new(robots.as_bytes(), &Config::new(dialect)));
//!     builder.insert(&Site::of_url(url.as_bytes())?, &policies, None);
//! }
//! let store = builder.build();
//!
//! let urls = ["https://example.com/?sort=a", "https://example.org/", "https://example.net/", "mailto:a@example.com"];
//! let answers = store.check_batch(&crawlers[0], &urls)?;
//! let words: Vec<&str> = answers.iter().map(|answer| answer.as_str()).collect();
//! assert_eq!(words, ["disallow", "disallow", "unknown", "invalid"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`PolicyStore`] is one run of octets ([`PolicyStore::octets`]): written to a file it is a bundle, which
//! [`PolicyStore::open`] maps into memory. A thread that checks URL after URL has a [`Checker`] of its own.

pub mod lifecycle;

pub use robomata_automaton as automaton;
pub use robomata_evaluator as evaluator;
pub use robomata_policy as policy;
pub use robomata_protocol as protocol;
pub use robomata_syntax as syntax;

pub use robomata_evaluator::{
    Aim, Audience, Checker, CleanParams, CompiledPolicies, CrowdChecker, DIGEST, Damage, DeciderId, Digest,
    Explanation, Fingerprint, FoundTimeGate, GroupChecker, History, HistoryChecker, KnownBodies, MergeError,
    NoFingerprint, NoManifest, NotHeld, OpenError, PolicyCompiler, PolicyStore, ShardFiles, ShardManifest,
    Shards, Site, SiteEntry, SiteError, SiteMementos, SitePair, SitePermissions, SitePolicy, StoreBuilder,
    StoreKind, StoreParts, StoreView, Target, UrlParts, Version, Written, explain, merge, shard_of,
};
pub use robomata_policy::{
    Choice, ContentSignal, ContentUsage, CrawlerNameError, Mementos, NamedCrawler, PageStatements, Policy,
    TimeGate, crawler_of_user_agent, read_crawler,
};
pub use robomata_protocol::{
    Access, Answer, Circumstances, Conflict, ConflictRule, Crawler, Dialect, FetchOutcome, FetchStatus, Lack,
    Moment, PageFacts, Part, Permission, PermissionAnswer, PermissionReason, Place, ProductToken, Qualifier,
    Reason, Source, UnknownUsage, Usage, Verdict, Vocabulary,
};
pub use robomata_syntax::{Config, Diagnostic};

/// The examples of `docs/library.md`, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod library_page {}
