//! Reads WARC files (ISO 28500, WARC 1.1 and earlier) record by record.
//!
//! ```text
//!  file ─► window ─► members ─► WarcReader ─► RecordHead, and its block on demand
//!          bytes    gzip,      heads and
//!                    zstd       blocks
//! ```
//!
//! Supports plain files, gzip and zstd, with one member per record or one member for the whole file. Also supports the
//! dictionary of `.warc.zst`, in a skippable frame before the first zstd frame.
//!
//! Damage affects only its own record. Everything before it is returned. Then one [`InputError`] gives the record, its
//! offset and what was expected, and reading continues at the next record. The next record is at the beginning of a
//! line; after corrupt compressed data, it is in the next member. A wrong length may hide the records up to there, so a
//! file of captures is incomplete.
//!
//! Memory is bounded by the longest head (1 MiB), the requested part of a block, and the needs of a decoder. A block
//! that is not requested is skipped without being stored. The cost is linear in the size of the file, even if it is
//! damaged.
//!
//! ```
//! use robomata_formats::warc::{RecordType, WarcReader};
//! use robomata_formats::FileName;
//!
//! let file = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.com/robots.txt\r\n\
//!              Content-Type: text/plain\r\nContent-Length: 14\r\n\r\nUser-agent: *\n\r\n\r\n";
//! let mut records = WarcReader::new(&file[..], &FileName::new("a.warc"))?;
//! let head = records.next().unwrap()?;
//! assert_eq!(head.record_type(), RecordType::Resource);
//! assert_eq!(head.target_uri(), Some(&b"http://a.com/robots.txt"[..]));
//! let mut block = Vec::new();
//! records.read_block(1 << 20, &mut block)?;
//! assert_eq!(block, b"User-agent: *\n");
//! assert!(records.next().is_none());
//! # Ok::<(), robomata_formats::InputError>(())
//! ```

use std::io::{self, Read};
use std::path::Path;

use memchr::memchr;

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::Compression;
use crate::meter::Meter;

mod answers;
mod exchanges;
mod gzip;
mod head;
mod http;
mod members;
mod originals;
mod pairs;
mod problem;
mod robots;
mod window;
mod zstandard;

pub(crate) use exchanges::{Exchange, Exchanges};
pub use head::{RecordHead, RecordType};
pub(crate) use pairs::Half;
pub(crate) use problem::Damaged;
pub(crate) use robots::{RobotsRecords, require_fields};

use head::HeadBuilder;
use members::{Damage, Members, More, Resume};
use problem::Problem;
use window::Window;

/// The first bytes of a record, up to the digit of its version.
const MAGIC: &[u8] = b"WARC/";

/// Maximum length of a head in bytes.
const MAX_HEAD: usize = 1 << 20;

/// The records of a WARC file, in order.
///
/// The iterator yields the heads of records. After each head, [`WarcReader::read_block`] returns its block if needed.
pub struct WarcReader {
    members: Members,
    name: FileName,
    /// The file's size if it is an uncompressed file on a disk. A record that claims to be longer is detected at once.
    size: Option<u64>,
    state: State,
    /// The number of records whose heads were found.
    records: u64,
    /// The offset of the last of them.
    offset: u64,
}

enum State {
    /// Between two records, possibly before the line ends after the first one.
    Between,
    /// In a block with `left` bytes to go.
    Block {
        length: u64,
        left: u64,
    },
    Ended,
}

impl WarcReader {
    /// Opens the records of the file `path`, or of standard input for `-`.
    ///
    /// # Errors
    /// Fails when the file cannot be opened or its first bytes cannot be read, and when the name ends in `.gz` or
    /// `.zst` but the data have another format.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::open_metered(path, &Meter::default())
    }

    /// Like [`WarcReader::open`], and counts the bytes read in `meter`.
    ///
    /// # Errors
    /// Fails like [`WarcReader::open`].
    pub fn open_metered(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let name = FileName::new(path);
        if name.is_stdin() {
            return Self::new(meter.stdin(), &name);
        }
        let file = meter.open(path).map_err(|error| InputError::from_io(&name, error))?;
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(WarcReader { size, ..Self::new(file, &name)? })
    }

    /// Reads the records of `reader`, which is called `name` in messages.
    ///
    /// # Errors
    /// Fails like [`WarcReader::open`].
    pub fn new<R: Read + Send + 'static>(reader: R, name: &FileName) -> Result<Self, InputError> {
        let mut window = Window::new(Box::new(reader));
        let io_error = |error: io::Error| InputError::from_io(name, error);
        let magic = window.need(4).map_err(io_error)?;
        let compression = Compression::of_magic(magic);
        if let Some(promised) = Compression::of_name(name.as_path())
            && compression != Some(promised)
        {
            return Err(InputError::new(name.clone(), None, Kind::WrongMagic(promised)));
        }
        Ok(WarcReader {
            members: Members::new(window, compression).map_err(io_error)?,
            name: name.clone(),
            size: None,
            state: State::Between,
            records: 0,
            offset: 0,
        })
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// Appends the block of the last record to `block`, or its first `max` bytes if it is longer. A second call appends
    /// nothing.
    ///
    /// Always reads to the end of the record, to check its length, what follows it and, for the last record of a compressed
    /// member, the checksum of the member. Digests in the head are not compared with the content.
    ///
    /// # Errors
    /// Fails when the record is corrupt. The appended bytes may then be wrong or incomplete.
    pub fn read_block(&mut self, max: usize, block: &mut Vec<u8>) -> Result<(), InputError> {
        self.pass_block(max, block).map_err(|problem| self.recover(problem))
    }

    fn next_head(&mut self) -> Result<Option<RecordHead>, Stop> {
        self.pass_block(0, &mut Vec::new())?;
        if matches!(self.state, State::Ended) {
            return Ok(None);
        }
        let found = self.pass_line_ends();
        self.offset = self.members.offset();
        // Data that cannot be decoded count as a record.
        self.records += u64::from(found.is_err());
        if !found? {
            return Ok(None);
        }
        if !self.members.need(MAGIC.len()).starts_with(MAGIC) {
            return Err(Problem::NoRecord.into());
        }
        self.records += 1;
        self.head().map(Some)
    }

    fn head(&mut self) -> Result<RecordHead, Stop> {
        let mut builder = HeadBuilder::default();
        loop {
            match self.more()? {
                Next::Bytes => {}
                Next::Record => return Err(Problem::HeadCut("another record").into()),
                Next::End => return Err(Problem::HeadCut("the end of the file").into()),
            }
            if builder.is_at_line_start() && begins_record(self.members.need(MAGIC.len() + 2)) {
                return Err(Problem::HeadCut("another record").into());
            }
            let available = self.members.available();
            let end = memchr(b'\n', available);
            let passed = end.map_or(available.len(), |end| end + 1);
            let is_head = builder.push(&available[..passed], end.is_some());
            self.members.consume(passed);
            if is_head {
                break;
            }
            if builder.len() > MAX_HEAD {
                return Err(Problem::HeadTooLong.into());
            }
        }
        let head = builder.finish(self.records, self.offset)?;
        self.state = State::Block { length: head.length, left: head.length };
        Ok(head)
    }

    /// Checks a block of which nothing was read against the size of the file.
    fn check_size(&self, length: u64) -> Result<(), Problem> {
        if let (Some(size), None) = (self.size, self.members.compression()) {
            let read = size.saturating_sub(self.members.offset());
            if read < length {
                return Err(Problem::BlockCut { length, read, found: "the end of the file" });
            }
        }
        Ok(())
    }

    /// Skips to the end of the record; appends the first `max` bytes of its block to `block`.
    fn pass_block(&mut self, max: usize, block: &mut Vec<u8>) -> Result<(), Stop> {
        let mut wanted = max;
        if let State::Block { length, left } = self.state
            && left == length
        {
            self.check_size(length)?;
        }
        while let State::Block { length, left } = self.state {
            if left == 0 {
                self.state = State::Between;
                return self.end_of_block(length);
            }
            let found = match self.more()? {
                Next::Bytes => None,
                Next::Record => Some("another record"),
                Next::End => Some("the end of the file"),
            };
            if let Some(found) = found {
                return Err(Problem::BlockCut { length, read: length - left, found }.into());
            }
            let available = self.members.available();
            let part = usize::try_from(left).map_or(available.len(), |left| left.min(available.len()));
            let kept = part.min(wanted);
            block.extend_from_slice(&available[..kept]);
            wanted -= kept;
            self.members.consume(part);
            self.state = State::Block { length, left: left - part as u64 };
        }
        Ok(())
    }

    /// Checks the end of a record: two line ends, and then another record, or the end of the member. Any number of line
    /// ends is accepted, also of LF alone. Two line ends alone prove nothing, because a body may contain them, too.
    fn end_of_block(&mut self, length: u64) -> Result<(), Stop> {
        while self.members.more()? == More::Bytes {
            let available = self.members.available();
            let ends = line_ends(available);
            let is_end = ends == available.len();
            self.members.consume(ends);
            if is_end {
                continue;
            }
            let next = self.members.need(MAGIC.len());
            // The file may be cut within the next record.
            let is_record = MAGIC.starts_with(&next[..next.len().min(MAGIC.len())]);
            return is_record.then_some(()).ok_or_else(|| Problem::BlockOverrun(length).into());
        }
        Ok(())
    }

    /// Skips line ends before a record, through any number of members. Returns false at the end of the file.
    fn pass_line_ends(&mut self) -> Result<bool, Stop> {
        loop {
            match self.members.more()? {
                More::End => return Ok(false),
                More::MemberEnd => continue,
                More::Bytes => {}
            }
            let available = self.members.available();
            let ends = line_ends(available);
            let found = ends < available.len();
            self.members.consume(ends);
            if found {
                return Ok(true);
            }
        }
    }

    /// What follows in a record. At a member boundary, the first bytes of the next member show whether the record
    /// continues there (in a file compressed in pieces of equal size) or was cut off.
    fn more(&mut self) -> Result<Next, Stop> {
        loop {
            match self.members.more()? {
                More::Bytes => return Ok(Next::Bytes),
                More::End => return Ok(Next::End),
                More::MemberEnd => {}
            }
            if self.members.more()? == More::Bytes && self.members.need(MAGIC.len()).starts_with(MAGIC) {
                return Ok(Next::Record);
            }
        }
    }

    /// After a problem, moves to the next record, if any, and returns the error.
    fn recover(&mut self, stop: Stop) -> InputError {
        let problem = match stop {
            Stop::Io(error) => {
                self.state = State::Ended;
                return InputError::from_io(&self.name, error);
            }
            Stop::Problem(problem) => problem,
            Stop::Damage(damage) => match (self.members.compression(), damage) {
                (_, Damage::Io(error)) => return self.recover(Stop::Io(error)),
                (Some(compression), Damage::Truncated) => Problem::Truncated(compression),
                (Some(compression), Damage::Corrupt(what)) => Problem::Corrupt(compression, what),
                (None, _) => Problem::NoRecord,
            },
        };
        let (record, offset) = (self.records, self.offset);
        self.state = if self.search() { State::Between } else { State::Ended };
        let resumed = matches!(self.state, State::Between).then(|| self.members.offset());
        let damaged = Damaged { record, offset, problem, resumed };
        InputError::new(self.name.clone(), None, Kind::Warc(Box::new(damaged)))
    }

    /// Moves to the next line that begins like a record; false if there is none.
    fn search(&mut self) -> bool {
        let mut at_line_start = true;
        let mut resume = Resume::Back;
        loop {
            if self.members.has_failed() {
                if !self.members.resume(resume).unwrap_or(false) {
                    return false;
                }
                (at_line_start, resume) = (true, Resume::Here);
            }
            match self.members.more() {
                // Data that cannot be decoded here belong to the damage already reported.
                Err(_) => continue,
                Ok(More::End) => return false,
                Ok(More::MemberEnd) => {
                    at_line_start = true;
                    continue;
                }
                Ok(More::Bytes) => {}
            }
            if at_line_start && begins_record(self.members.need(MAGIC.len() + 2)) {
                return true;
            }
            let available = self.members.available();
            let end = memchr(b'\n', available);
            let passed = end.map_or(available.len(), |end| end + 1);
            self.members.consume(passed);
            at_line_start = end.is_some();
        }
    }
}

impl Iterator for WarcReader {
    type Item = Result<RecordHead, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_head().map_err(|stop| self.recover(stop)).transpose()
    }
}

/// What follows in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Bytes,
    /// The beginning of another record.
    Record,
    End,
}

/// Why reading stopped.
enum Stop {
    Io(io::Error),
    Damage(Damage),
    Problem(Problem),
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Stop::Damage(damage)
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Stop::Problem(problem)
    }
}

/// Returns whether a file with these first bytes begins with the dictionary of a `.warc.zst`.
pub(crate) fn begins_with_dictionary(bytes: &[u8]) -> bool {
    bytes.starts_with(&zstandard::DICTIONARY_MAGIC)
}

/// The number of leading bytes that are CR or LF.
fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len())
}

/// Returns whether this is "WARC/0." or "WARC/1.". Stricter than [`MAGIC`], because it is searched in arbitrary data.
fn begins_record(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MAGIC).is_some_and(|version| matches!(version, [b'0' | b'1', b'.', ..]))
}
