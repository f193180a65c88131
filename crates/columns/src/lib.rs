//! Checks Arrow columns of URLs.
//!
//! This is the entry point for language bindings and query engines. It checks a column of URLs, or columns of URL parts
//! as in Common Crawl's index ([`Urls`]), against an open bundle ([`PolicySet`](robomata_engine::PolicySet)) for a crawler and a usage ([`Query`]).
//! The result is a column of verdicts ([`verdicts`]) or of booleans ([`allowed`]). [`pace`] answers how fast the crawler may
//! fetch from the sites of URLs, and [`paces`] for all sites.
//!
//! Only the output is allocated; URLs are read in place. Null rows stay null.
//!
//! ```
//! use arrow_array::{Array, StringArray};
//! use robomata_engine::{Audience, Config, Dialect, Policy, PolicyCompiler, PolicySet, Site, StoreBuilder, StoreKind};
//! use robomata_columns::{Query, Urls, allowed};
//!
//! let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
//! let policy = Policy::new(b"User-agent: *\nDisallow: /private", &Config::new(Dialect::Rfc9309));
//! let mut builder = StoreBuilder::new(kind.clone());
//! builder.insert(&Site::of_url(b"https://example.com")?, &PolicyCompiler::new(&kind).compile(&policy), None);
//! let policies = PolicySet::of_store(builder.build());
//!
//! let urls = StringArray::from(vec![Some("https://example.com/private/a"), None, Some("https://example.com/b")]);
//! let answers = allowed(&policies, &Query::new("ExampleBot", None)?, &Urls::whole(&urls)?)?;
//! assert_eq!(answers.iter().collect::<Vec<_>>(), [Some(false), None, Some(true)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod check;
mod error;
mod pace;
mod sites;

pub use answers::{allowed, verdict_fields, verdicts};
pub use check::{Query, check_url};
pub use error::ColumnsError;
pub use pace::{PaceBuilder, PaceOptions, pace, pace_fields, paces};
pub use robomata_url_columns::{ColumnError, Urls};
pub use sites::{SiteSummary, holds, site_count, sites};
