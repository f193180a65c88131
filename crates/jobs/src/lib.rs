//! What users run, as library functions.
//!
//! A job takes what the user gave, does its work in bounded memory on all cores, and tells what happens as
//! [`Events`]: bad input, progress, divergences. It knows nothing of command lines and terminals; what it returns are
//! counts and values that any front end can show.
//!
//! | job | input | output |
//! |---|---|---|
//! | [`check`] | one robots.txt, URLs | the verdict for each URL, in input order |
//! | [`explain`] | one robots.txt, URLs | each verdict with everything that led to it |
//! | [`permissions`] | one robots.txt, URLs, optionally a page and its headers | the answer for each usage, with its reason |
//! | [`debug`] | one robots.txt | every intermediate step, as text |
//! | [`mod@lint`] | robots.txt files, or captures of them | mistakes, with codes and fixes |
//! | [`sources`] | captures of robots.txt files, bundles | a [`PolicyStore`](robomata_engine::PolicyStore) in memory |
//! | [`compile`] | captures of robots.txt files, bundles | a bundle in a file |
//! | [`inspect`] | a bundle | its contents, verified |
//! | [`shard`] | a bundle | several bundles, divided by host, and their manifest |
//! | [`filter`] | a store, URLs | the allowed URLs, the disallowed URLs, or all verdicts |
//! | [`pace`] | a store | how long to wait between two fetches, site by site |
//! | [`score`] | a store with history, logs | each crawler's requests, counted by verdict, site and rule |
//! | [`plan`] | a store with history, optionally URLs | the robots.txt files to fetch again, and what holds meanwhile |
//! | [`compare`] | stores in several dialects, URLs | where the dialects answer differently, and why |
//! | [`diff`] | old and new policies, optionally URLs | the changes, with example URLs |
//!
//! With the feature `cross-check` a filter can have a share of its answers judged again by the reference.
//!
//! ```
//! use robomata_engine::{Crawler, Dialect, StoreKind};
//! use robomata_formats::Output;
//! use robomata_jobs::{Silent, filter, sources};
//!
//! let folder = tempfile::tempdir()?;
//! let path = |name: &str| folder.path().join(name);
//! std::fs::write(path("robots.jsonl"), r#"{"host": "example.com", "body": "User-agent: *\nDisallow: /private"}"#)?;
//! std::fs::write(path("urls"), "https://example.com/private\nhttps://example.com/\n")?;
//!
//! let crawlers = vec![Crawler::new("ExampleBot")];
//! let options = sources::LoadOptions::new(StoreKind::new(Dialect::Rfc9309, crawlers.clone()));
//! let loaded = sources::load(&[path("robots.jsonl")], &options, &mut Silent)?;
//! let job = filter::FilterJob::new(&loaded.store, crawlers, vec![path("urls")]);
//! let report = filter::run(&job, Output::create(&path("allowed"))?, &mut Silent)?;
//! assert_eq!(std::fs::read_to_string(path("allowed"))?, "https://example.com/\n");
//! assert_eq!(report.verdicts().disallow, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bundle;
pub mod check;
pub mod compare;
pub mod compile;
#[cfg(feature = "cross-check")]
pub mod cross_check;
pub mod debug;
pub mod diff;
pub mod evidence;
pub mod explain;
pub mod fetch;
pub mod filter;
pub mod inspect;
pub mod lint;
pub mod pace;
pub mod permissions;
pub mod plan;
pub mod readable;
pub mod score;
pub mod shard;
pub mod sources;
pub mod stats;

mod bodies;
mod cells;
mod crawl;
mod error;
mod events;
mod header_file;
mod ordered;
mod problem;
mod quotes;
mod robots_file;
mod row_file;
mod share;
mod situation;
mod urls;

pub use bodies::{Bodies, KeptBody};
pub use crawl::SiteQuestion;
pub use error::{FoundInstead, JobError};
pub use events::{Divergence, Done, Events, Progress, Silent};
pub use header_file::HeaderFile;
pub use ordered::start_threads;
pub use problem::{ErrorCounts, IncompleteInput, InputProblem, ProblemKind, Strictness};
pub use quotes::Omitted;
pub use robots_file::RobotsFile;
pub use row_file::RowForm;
pub use share::{NoShare, Share};
pub use urls::Urls;
