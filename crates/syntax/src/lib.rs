//! From the bytes of a robots.txt to records with spans.
//!
//! Parsing never fails: any bytes give a [`Document`]. What is odd about them is a [`Diagnostic`] with its position,
//! so that a tool for site owners can quote it; what is lenient is marked where it happens. Nothing is copied: records
//! are spans into the text, and only a file in UTF-16 is rewritten (decoded).
//!
//! Who only wants the records, as fast as they come, uses [`read`] with a [`Sink`] of its own: then the work that
//! serves diagnostics alone is not done.
//!
//! This crate knows lines, keys and values. It knows nothing of groups, of precedence or of matching.
//!
//! ```
//! use robomata_protocol::Dialect;
//! use robomata_syntax::{Config, Document, Key};
//!
//! let document = Document::parse(b"User-agent: *\nDisalow: /private # typo\n", &Config::new(Dialect::Rfc9309));
//! let rule = &document.records()[1];
//! assert_eq!((rule.key, rule.line), (Key::Disallow, 2));
//! assert_eq!(rule.value.of(document.text()), b"/private");
//! assert_eq!(document.diagnostics()[0].to_string(), "2: misspelt key: read as 'disallow'");
//! ```

mod acap;
mod agent;
mod diagnostic;
mod document;
mod key;
mod line;
mod plain;
mod read;
mod reading;
mod report;
mod text;

pub use acap::AcapOddity;
pub use agent::{AgentName, agent_name};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use document::Document;
pub use key::Key;
pub use read::{Record, Sink, read};
pub use reading::Config;
pub use text::Text;
