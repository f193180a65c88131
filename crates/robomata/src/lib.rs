//! robomata answers which URLs a crawler may fetch. It compiles robots.txt rules into automata with rule priorities and
//! checks URLs in bulk.
//!
//! This crate is the facade. It re-exports the types that most programs need from the crates of the workspace and adds
//! no logic. Each layer is also available as a module: [`syntax`], [`protocol`], [`policy`], [`automaton`] and
//! [`evaluator`]. The module [`lifecycle`] decides which rules apply after each attempt to fetch a robots.txt.
//!
//! # Check URLs of one site
//!
//! [`Policy`] parses a robots.txt, and [`SitePolicy`] compiles it for one crawler.
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
//! # Check what may be done with a page
//!
//! Sites also state what crawlers may do with a page: index it, archive it, show it or train AI models on it. They use
//! vocabularies such as ACAP and Content-Signal. [`SitePermissions`] answers for every [`Usage`], with the restrictions
//! that apply and the line that decides.
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
//! # Check URLs of many sites
//!
//! [`PolicyCompiler`] compiles the policy of each site, and [`StoreBuilder`] collects them in a [`PolicyStore`]. The
//! store checks URLs in batches.
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
//! The bytes of a [`PolicyStore`] ([`PolicyStore::bytes`]) are its file format. BundleSummary to a file they are a bundle,
//! which [`PolicyStore::open`] reads and verifies. A thread that checks URLs one at a time should use its own [`Checker`].

pub use robomata_engine::*;

/// The examples of `docs/library.md`, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod library_page {}
