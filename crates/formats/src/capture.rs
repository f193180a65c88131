//! Captures of robots.txt: out of JSON lines, or out of a directory with a file for every host.
//!
//! A line of JSON has these keys; others are ignored, `null` is as good as nothing:
//!
//! | key | value |
//! |---|---|
//! | `url` or `host` | whose robots.txt it is, see [`CaptureSite`]; with both, `url` counts |
//! | `body_b64` or `body` | the octets in base64 (padded or not), or the text; with both, `body_b64` counts. Needed but for a status other than 2xx |
//! | `status` or `http_status` | a number, also as text; 0 or less is a network failure; or the word `success` |
//! | `time` or `date` | when it was fetched, as [`Timestamp`] reads it |

use std::path::Path;

use robomata_protocol::FetchStatus;

use crate::directory::Directory;
use crate::error::InputError;
use crate::file_name::FileName;
use crate::json;
use crate::lines::{Block, LineBlocks, split_line};
use crate::time::Timestamp;

/// One fetch of a robots.txt, as an archive kept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Whose robots.txt it is.
    pub site: CaptureSite,
    /// The octets of the robots.txt, empty when the fetch brought none.
    pub body: Vec<u8>,
    /// How the fetch ended; `None` when nothing is recorded.
    pub status: Option<FetchStatus>,
    /// When the fetch was made; `None` when nothing is recorded.
    pub time: Option<Timestamp>,
    /// Where the capture was read.
    pub origin: Origin,
}

/// The site that a capture speaks for, as written: nothing is checked or normalised here but that it is not blank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptureSite {
    /// A host stands for its http and its https site, both on their default ports.
    Host(String),
    /// A URL of the site (its robots.txt, its root or any page) stands for that scheme, host and port only.
    Url(String),
}

/// Where something was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The file; within a directory, the path of the file.
    pub file: FileName,
    /// The 1-based line of the decompressed file; `None` when the whole file is meant.
    pub line: Option<u64>,
}

impl Capture {
    /// The capture on one `line` of JSON, with or without its line end, which stands at `origin`; `None` when the
    /// line is blank.
    ///
    /// With [`LineBlocks`] this reads captures on several threads; [`captures`] is the simple way.
    ///
    /// # Errors
    /// When the line is no JSON object with the keys of a capture. The error names `origin`.
    pub fn from_json_line(line: &[u8], origin: &Origin) -> Result<Option<Self>, InputError> {
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        let line = match origin.line {
            Some(1) => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            _ => line,
        };
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        match json::capture(line, origin) {
            Ok(capture) => Ok(Some(capture)),
            Err(kind) => Err(InputError::new(origin.file.clone(), origin.line, kind)),
        }
    }
}

/// The captures of `path`: a directory of files named by their host, or JSON lines, plain or compressed; `-` is
/// JSON lines from standard input.
///
/// A file of a directory is the body of the host that it is called by; a name in `.gz` or `.zst` is compressed and
/// its host the name without that. (Without such a name the octets are the body whatever they are: sites do send
/// compressed data.) Files come in the order of their names. Hidden files are passed over; a directory within, and
/// anything else that is no file, is an error.
///
/// Whatever cannot be read is an error among the captures, and the next ones follow it. A path that cannot be
/// opened is one error.
pub fn captures(path: &Path) -> Captures {
    let source = if !FileName::new(path).is_stdin() && path.is_dir() {
        Directory::read(path).map(Source::Directory)
    } else {
        LineBlocks::open(path).map(|blocks| Source::Lines(JsonLines::new(blocks)))
    };
    Captures { source: source.unwrap_or_else(|error| Source::Failed(Some(error))) }
}

/// The iterator that [`captures`] returns.
pub struct Captures {
    source: Source,
}

enum Source {
    Failed(Option<InputError>),
    Directory(Directory),
    Lines(JsonLines),
}

impl Iterator for Captures {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Failed(error) => error.take().map(Err),
            Source::Directory(directory) => directory.next(),
            Source::Lines(lines) => lines.next(),
        }
    }
}

/// The captures of a JSON-lines file.
struct JsonLines {
    blocks: LineBlocks,
    block: Block,
    /// Octets of `block` that were read already.
    position: usize,
    /// Where the line at `position` stands.
    origin: Origin,
}

impl JsonLines {
    fn new(blocks: LineBlocks) -> Self {
        let origin = Origin { file: blocks.name().clone(), line: None };
        JsonLines { blocks, block: Block::default(), position: 0, origin }
    }

    /// Goes on to the next block; `None` after the last one.
    fn next_block(&mut self) -> Option<Result<(), InputError>> {
        self.blocks.recycle(std::mem::take(&mut self.block));
        self.position = 0;
        match self.blocks.next()? {
            Ok(block) => {
                self.origin.line = Some(block.first_line);
                self.block = block;
                Some(Ok(()))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl Iterator for JsonLines {
    type Item = Result<Capture, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some((line, rest)) = split_line(&self.block.bytes[self.position..]) else {
                match self.next_block()? {
                    Ok(()) => continue,
                    Err(error) => return Some(Err(error)),
                }
            };
            self.position = self.block.bytes.len() - rest.len();
            let capture = Capture::from_json_line(line, &self.origin);
            self.origin.line = self.origin.line.map(|line| line + 1);
            if let Some(capture) = capture.transpose() {
                return Some(capture);
            }
        }
    }
}
