//! Answers for columns of URLs in Arrow's layout.
//!
//! This is the one entry point that bindings and engines adapt: a column of URLs, or the columns of their parts as Common
//! Crawl's index has them ([`Urls`]), against an opened bundle ([`PolicySet`]), for a crawler and a usage ([`Query`]), give
//! a column of verdicts ([`verdicts`]) or of what is allowed ([`allowed`]). Nothing is allocated but the output; URLs are
//! read where they lie; nulls stay nulls.
//!
//! ```
//! use arrow_array::{Array, StringArray};
//! use robomata::{Audience, Config, Dialect, Policy, PolicyCompiler, Site, StoreBuilder, StoreKind};
//! use robomata_columns::{Query, PolicySet, Urls, allowed};
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
mod file;
mod policies;
mod registry;
mod shards;
mod texts;
mod urls;

pub use answers::{allowed, verdict_fields, verdicts};
pub use check::Query;
pub use error::ColumnsError;
pub use policies::{PolicySet, SiteSummary};
pub use urls::Urls;
