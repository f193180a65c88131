//! What users run, as library functions.
//!
//! A job takes what the user gave, does its work in bounded memory on all cores, and tells what happens as
//! [`Events`]: bad input, progress, divergences. It knows nothing of command lines and terminals; what it returns are
//! counts and values that any front end can show.
//!
//! | job | from | to |
//! |---|---|---|
//! | [`check`] | one robots.txt, some URLs | an answer for each URL, in order |
//! | [`explain`] | the same | all that led to each answer |
//! | [`permissions`] | one robots.txt, perhaps a page and its headers, some URLs | what may be done with each, and why |
//! | [`sources`] | captures of many sites' robots.txt | a [`PolicyStore`](robomata::PolicyStore) |
//! | [`filter`] | a store, a frontier of URLs | the URLs that are allowed, or verdicts |
//! | [`dissent`] | captures, a frontier of URLs | where dialects answer differently, and why |
//! | [`blast_radius`] | old and new policies, perhaps URLs | what changes, with URLs made up to show it |
//! | [`compile`] | captures of many sites' robots.txt | a policy bundle in a file |
//! | [`mod@lint`] | one robots.txt | what its author should change, with codes and fixes |
//! | [`debug`] | one robots.txt | every intermediate artefact, as text |
//!
//! With the feature `cross-check` a filter can have a share of its answers judged again by the reference.
//!
//! ```
//! use robomata::{Crawler, Dialect, StoreKind};
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

pub mod blast_radius;
pub mod bundle;
pub mod check;
pub mod compile;
#[cfg(feature = "cross-check")]
pub mod cross_check;
pub mod debug;
pub mod dissent;
pub mod explain;
pub mod fetch;
pub mod filter;
pub mod inspect;
pub mod lint;
pub mod permissions;
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
mod joined;
mod ordered;
mod problem;
mod robots_file;
mod urls;

pub use bodies::{Bodies, KeptBody};
pub use crawl::SiteQuestion;
pub use error::JobError;
pub use events::{Divergence, Done, Events, Progress, Silent};
pub use problem::{ErrorCounts, IncompleteInput, InputProblem, ProblemKind, Strictness};
pub use robots_file::RobotsFile;
pub use urls::Urls;
