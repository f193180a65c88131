//! Reads captures of robots.txt files and lists of URLs from many file formats, and writes outputs atomically.
//!
//! This crate knows file formats, and does not interpret robots.txt. It returns bodies, statuses, times and lines of
//! URLs, each with its file and line. The jobs and the command line use it. If you already have a robots.txt in memory,
//! you only need the facade crate `robomata`.
//!
//! ```text
//!  path or - ─► input ─► lines ─┬─► capture   a site's robots.txt: body, status, time, origin;
//!               gzip,    whole  │             also out of WARC and Parquet files, TSV, directories
//!               zstd     lines  └─► urls      blocks of URLs to check, numbered: text, TSV, CSV, JSON lines, CDX, CDXJ
//!            │                        ▲
//!            └► warc     records ─────┤       gzip members and zstd frames one by one; target URIs
//!               Parquet  rows ────────┘       URLs, or their parts in columns
//!                                    output ─► path or -   temporary file, then renamed; gzip, zstd
//!                                    rows                  the same in Parquet
//! ```
//!
//! The feature `parquet`, which is on by default, adds Parquet and its dependencies. Without it, Parquet files and
//! outputs are errors ([`NoParquet`]).
//!
//! Reading continues after errors whenever possible. A bad line yields one [`InputError`] with the file and the line,
//! and the next line is read. If the rest of a file is unreadable, everything before that point is still returned.
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
mod chains;
mod directory;
mod error;
mod file_name;
mod json;
mod json_object;
mod keys;
mod meter;
mod other_input;
mod rows;
mod sniff;
mod time;
mod tsv;
mod uri;

pub use body_kind::BodyKind;
pub use capture::{Capture, CaptureSite, Captures, Origin, Resource};
pub use directory::directories_with;
pub use error::InputError;
pub use file_name::FileName;
pub use input::Input;
pub use lines::{Block, LineBlocks};
pub use meter::Meter;
pub use other_input::{BUNDLE, other_input};
pub use output::{
    Output, OutputError, ScratchFile, abandon_outputs, is_same_file, lock_in_place, replaces_file, target_of,
};
pub use rows::{
    Cell, CellText, Cells, Column, ColumnKind, NoParquet, RowColumns, Rows, RowsBuilder, RowsOutput, UrlRows,
    require_parquet, silence_caught_panics,
};
pub use time::{Timestamp, UnreadableTime};
pub use urls::{
    EmptyStreams, Frontier, FrontierBlock, FrontierBlocks, FrontierContent, FrontierFormat, FrontierPosition,
    Layout, LineBlock, UnknownFormat, UrlColumn, UrlLine,
};
pub use warc::WarcReader;
