//! Streams of robots captures and of URLs out of files, and outputs that are written whole or not at all.
//!
//! This crate knows what the files that users bring look like, and nothing of what robots.txt means: it hands out
//! bodies, statuses, times and lines of URLs, each with the file and line it came from. It is for the jobs and the
//! command line; whoever has a robots.txt in memory already needs the façade `robomata` only.
//!
//! ```text
//!  path or - ─► input ─► lines ─┬─► capture   a site's robots.txt: body, status, time, origin;
//!               gzip,    whole  │             also out of WARC and Parquet files, TSV, directories
//!               zstd     lines  └─► urls      blocks of URLs to check, numbered: text, TSV, CSV, JSON lines, CDX, CDXJ
//!            │                        ▲
//!            └► warc     records ─────┤       gzip members and zstd frames one by one; target URIs
//!               Parquet  rows ────────┘       URLs, or their parts in columns
//!                                    output ─► path or -   temporary file, then renamed; gzip, zstd
//!                                    rows_output           the same in Parquet
//! ```
//!
//! Reading goes on wherever it can: a bad line is one [`InputError`] that names file and line, the next line is
//! read. Only a file that cannot be read further ends early, after everything that could still be read.
//!
//! ```
//! use robomata_formats::{CaptureSite, capture};
//!
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("robots.jsonl");
//! std::fs::write(&path, "{\"host\": \"example.com\", \"body\": \"User-agent: *\\nDisallow: /\\n\"}\nnonsense\n")?;
//!
//! let mut captures = capture::captures(&path);
//! let first = captures.next().unwrap()?;
//! assert_eq!(first.site, CaptureSite::Host("example.com".to_owned()));
//! assert_eq!(captures.next().unwrap().unwrap_err().line(), Some(2));
//! assert!(captures.next().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod capture;
pub mod cdx;
pub mod input;
pub mod lines;
pub mod log;
pub mod output;
pub mod urls;
pub mod warc;

mod body_kind;
mod cells;
mod chains;
mod directory;
mod error;
mod file_name;
mod json;
mod json_object;
mod meter;
mod parquet_file;
mod rows_output;
mod sniff;
mod table;
mod time;
mod tsv;
mod uri;

pub use body_kind::BodyKind;
pub use capture::{Capture, CaptureSite, Captures, Origin};
pub use error::InputError;
pub use file_name::FileName;
pub use input::Input;
pub use lines::{Block, LineBlocks};
pub use meter::Meter;
pub use output::{Output, OutputError, ScratchFile, abandon_outputs, is_same_file, lock_in_place};
pub use rows_output::{OtherColumns, RowsOutput};
pub use time::{Timestamp, UnreadableTime};
pub use urls::{
    Frontier, FrontierBlock, FrontierBlocks, FrontierContent, FrontierFormat, FrontierPosition, Layout,
    LineBlock, RowColumns, RowParts, RowUrl, UnknownFormat, UrlColumn, UrlLine, UrlRows,
};
pub use warc::WarcReader;
