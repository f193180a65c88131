//! Parses the bytes of a robots.txt into records with spans.
//!
//! Parsing never fails: any bytes give a [`Document`]. Each problem is a [`Diagnostic`] with its position, so tools for
//! site owners can quote it. Comments in the code mark where the parser is lenient. Nothing is copied: records are
//! spans of the text, and only a file in UTF-16 is rewritten (decoded).
//!
//! If you only need the records, and as fast as possible, call [`read`] with your own [`Sink`]: the parser then skips
//! the work for diagnostics.
//!
//! This crate handles lines, keys and values. It does not handle groups, precedence or matching.
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
mod lines;
mod plain;
mod read;
mod reading;
mod report;
mod text;

pub use acap::AcapOddity;
pub use agent::{AgentName, agent_name, has_odd_bytes};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use document::Document;
pub use key::Key;
pub use lines::Lines;
pub use read::{Record, Sink, read};
pub use reading::Config;
pub use text::{Text, without_mark};
