//! robomata answers which URLs a crawler may fetch. It compiles robots.txt rules into automata with rule priorities, so a
//! check takes time linear in the length of the URL, however many rules there are.
//!
//! # Check one site
//!
//! [`Robots`] parses a robots.txt, and [`Rules`] are its rules for one crawler.
//!
//! ```
//! use robomata::Robots;
//!
//! let robots = Robots::parse("User-agent: *\nDisallow: /private\nAllow: /private/press$");
//! assert!(!robots.is_allowed("ExampleBot", "https://example.com/private/a"));
//!
//! let rules = robots.for_agent("ExampleBot");
//! let verdict = rules.check("/private/press");
//! assert!(verdict.is_allowed());
//! assert_eq!(verdict.line(), Some(3));
//! println!("{}", rules.explain("/private/press"));
//! ```
//!
//! # Check many sites
//!
//! [`PolicySet`] holds the policies of many sites. It answers batches of URLs on all cores, and it can be saved to a file,
//! a *bundle*.
//!
//! ```
//! use robomata::PolicySet;
//!
//! # fn main() -> Result<(), robomata::Error> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("policies.bundle");
//! let mut builder = PolicySet::builder().agent("ExampleBot");
//! builder.insert("https://example.com", "User-agent: *\nDisallow: /*?sort=")?;
//! builder.insert_fetched("https://example.org", 503, "")?;
//! builder.build().save(&path)?;
//!
//! let policies = PolicySet::open(&path)?;
//! let urls = ["https://example.com/?sort=a", "https://example.org/", "https://example.net/", "mailto:a@example.com"];
//! let verdicts = policies.check_batch("ExampleBot", &urls)?;
//! let words: Vec<&str> = verdicts.iter().map(|verdict| verdict.as_str()).collect();
//! assert_eq!(words, ["disallow", "disallow", "unknown", "invalid"]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is not allowed
//!
//! A URL is allowed only if a policy says so. All of these are never [`is_allowed`](Verdict::is_allowed), and
//! [`Verdict::reason`] distinguishes them:
//!
//! | case | [`Robots`], [`Rules`] | [`PolicySet`], [`Checker`] |
//! |---|---|---|
//! | a rule disallows the URL, or the robots.txt is unreachable | *disallow* | *disallow* |
//! | the text is not a URL | *invalid* | *invalid* |
//! | a path without a host | the path is checked | *invalid* |
//! | the robots.txt redirects to a file that was not supplied | *unknown* | *unknown* |
//! | the fetch is to be repeated first (only in `koster1996`) | *defer* | *defer* |
//! | the set does not hold the site | | *unknown* |
//! | the set was not compiled for the crawler | | an [`Error`] |
//! | the text names no crawler ([`Agent`]) | *invalid* | an [`Error`] |
//!
//! # Features
//!
//! | feature | purpose |
//! |---|---|
//! | `parallel` | batches on all cores |
//! | `mmap` | large bundles in huge pages, where the system has them |
//! | `idna` | international host names in any spelling; without it, only those in ASCII |
//! | `lifecycle` | what applies after each attempt to fetch a robots.txt: the module `lifecycle` |
//! | `drawing` | the automaton of rules, as a drawing: the module `drawing` |
//! | `lint` | mistakes in a robots.txt, and what its owner expects of it: the modules `lint` and `expectations`; contradictions between rules and fields of ACAP also need `permissions` |
//! | `pages` | with `permissions`: also what the page and its headers state |
//! | `permissions` | what may be done with a resource besides crawling: the module `permissions`, and the dialect ACAP |
//! | `serde` | verdicts, explanations, findings, changes, permissions, drawings, rates and visit times can be serialized; agents, dialects, usages and fingerprints also deserialized |
//!
//! All are on by default but `drawing`, `lint`, `pages` and `serde`. Without default features, the crate builds for `wasm32-unknown-unknown`.

mod agent;
mod diagnostic;
mod dialect;
mod error;
mod explanation;
mod fingerprint;
#[cfg(any(feature = "lifecycle", feature = "pages"))]
mod headers;
mod policy_set;
mod robots;
mod rules;
mod schedule;
mod verdict;

pub mod changes;
#[cfg(feature = "drawing")]
pub mod drawing;
#[cfg(feature = "lint")]
pub mod expectations;
pub mod history;
#[cfg(feature = "lifecycle")]
pub mod lifecycle;
#[cfg(feature = "lint")]
pub mod lint;
pub mod pace;
#[cfg(feature = "permissions")]
pub mod permissions;

pub use agent::{Agent, AgentError};
pub use diagnostic::Diagnostic;
pub use dialect::{Dialect, ParseDialectError};
pub use error::Error;
pub use explanation::{Explanation, MatchingRule};
pub use fingerprint::{Fingerprint, ParseFingerprintError};
#[cfg(any(feature = "lifecycle", feature = "pages"))]
pub use headers::HeaderLineError;
pub use policy_set::{Checker, PolicySet, PolicySetBuilder};
pub use robomata_protocol::Moment;
pub use robomata_protocol::lifecycle::FetchTimeError;
pub use robots::{FetchStatus, Robots, RobotsBuilder};
pub use rules::Rules;
pub use schedule::{RequestRate, VisitTime};
pub use verdict::{Access, Reason, Verdict};

/// The URL of the robots.txt that applies to `url`, which has to be an absolute URL.
///
/// ```
/// let url = robomata::robots_txt_url("https://example.com/private?a")?;
/// assert_eq!(url, "https://example.com/robots.txt");
/// # Ok::<(), robomata::Error>(())
/// ```
///
/// # Errors
/// When the text is not an absolute URL. As everywhere, blanks around it do not count, and a text that contains control characters
/// is no URL.
pub fn robots_txt_url(url: impl AsRef<[u8]>) -> Result<String, Error> {
    let site = robomata_evaluator::Site::of_url(policy_set::judged(url.as_ref()))
        .map_err(|error| Error::site(url.as_ref(), error))?;
    Ok(format!("{site}/robots.txt"))
}

/// The examples of `docs/library.md`, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
mod library_page {}
