//! Conformance cases as data, their runner, and generators of robots files and near-miss URLs.
//!
//! This crate knows no engine. The caller passes a closure `Fn(&Case) -> Answer` to [`run`], which calls it for every
//! case.
//!
//! ```
//! use robomata_protocol::{Access, Answer, Verdict};
//! use robomata_testkit::{Expected, case, run};
//!
//! let cases = case::parse("demo", r#"
//!     spec = "a demonstration"
//!     [[group]]
//!     section = "2.2.2"
//!     title = "a path is matched from its first byte"
//!     robots = "User-agent: *\nDisallow: /a\n"
//!     case = [{ agent = "FooBot", url = "/ab", expect = "disallow", line = 2, dialects = ["rfc9309"] }]
//! "#)?;
//! let report = run(&cases, "constant", |_| Answer::Verdict(Verdict::by_rule(Access::Disallow, 2)), &Expected::none());
//! assert!(report.is_clean(), "{report}");
//! assert_eq!(report.passed, 1);
//! # Ok::<(), robomata_testkit::Error>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`case`] | the [`Case`], our TOML format, loading and writing it |
//! | [`permission_case`] | the same for permissions: [`PermissionCase`], its TOML format, [`run_permissions`] |
//! | [`shared`] | loaders for JSON-lines collections of other projects' cases |
//! | [`mod@export`] | permission cases as one JSON file, for other projects |
//! | [`expected`] | the committed list of cases for which our dialects intentionally differ |
//! | [`runner`] | [`run`] and its [`Report`] |
//! | [`generate`] | robots files, URLs and crawlers generated from a seed |
//! | [`hostile`] | adversarial files |
//! | [`lifecycle`] | fetches and the rules that apply after them: the cases, their loader and runner, and a generator |
//! | [`mod@shrink`] | shrinks a failing case |
//! | [`bytes`] | converts bytes to readable text and back |
//! | [`process`] | waits for processes, and watches their memory |
//!
//! The TOML format is described in `corpora/conformance/README.md`.

pub mod bytes;
pub mod case;
mod error;
pub mod expected;
pub mod export;
mod fields;
pub mod generate;
pub mod hostile;
pub mod lifecycle;
mod listing;
pub mod permission_case;
pub mod process;
pub mod runner;
pub mod shared;
pub mod shrink;

pub use case::{Case, Expect, Word};
pub use error::Error;
pub use expected::{Difference, Expected};
pub use generate::Generator;
pub use permission_case::{Outcome, PermissionCase, run_permissions};
pub use runner::{Failure, Report, Stale, run};
pub use shrink::shrink;
