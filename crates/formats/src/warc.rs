//! WARC files (ISO 28500, WARC 1.1 and before), record by record.
//!
//! ```text
//!  file ─► window ─► members ─► WarcReader ─► RecordHead, and its block on demand
//!          bytes    gzip,      heads and
//!                    zstd       blocks
//! ```
//!
//! Plain files, gzip and zstd, each record in a member of its own or the whole file in one; zstd with the
//! dictionary that the convention of `.warc.zst` puts into a skippable frame before the first one.
//!
//! Damage costs the record in which it is. Everything before it is handed out, then one [`InputError`] names the
//! record, its offset and what was expected, and reading goes on with the next record that can be found: at the
//! beginning of a line, after damaged compressed data in the next member.
//!
//! Memory is bounded by the longest head (1 MiB), the part of a block that is asked for, and what a decoder needs; a
//! block that nobody reads is passed without being kept. The cost is linear in the file, damaged or not.
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

mod exchanges;
mod gzip;
mod head;
mod http;
mod kept;
mod members;
mod problem;
mod robots;
mod wanted;
mod window;
mod zstandard;

pub(crate) use exchanges::{Exchange, Exchanges};
pub use head::{RecordHead, RecordType};
pub(crate) use problem::Damaged;
pub(crate) use robots::{Refusal, RobotsRecords};

use head::HeadBuilder;
use members::{Damage, Members, More, Resume};
use problem::Problem;
use window::Window;

/// What a record begins with, up to the digit of its version.
const MAGIC: &[u8] = b"WARC/";

/// Bytes of the longest head that is read.
const MAX_HEAD: usize = 1 << 20;

/// The records of a WARC file, in order.
///
/// As an iterator it gives their heads; after each, [`WarcReader::read_block`] gives its block to those who want it.
pub struct WarcReader {
    members: Members,
    name: FileName,
    /// Bytes of the file, when it is a plain one on a disk: what claims to be longer is known at once.
    size: Option<u64>,
    state: State,
    /// Records whose heads were found.
    records: u64,
    /// Where the last of them begins.
    offset: u64,
}

enum State {
    /// Between two records, perhaps before the line ends that follow the first.
    Between,
    /// In a block of which `left` bytes are not passed yet.
    Block {
        length: u64,
        left: u64,
    },
    Ended,
}

impl WarcReader {
    /// The records of the file `path`, or of standard input for `-`.
    ///
    /// # Errors
    /// When the file cannot be opened or its beginning cannot be read, and when a name in `.gz` or `.zst` promises
    /// what the data are not.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Self::open_metered(path, &Meter::default())
    }

    /// As [`WarcReader::open`]; what is read counts by `meter`.
    ///
    /// # Errors
    /// Those of [`WarcReader::open`].
    pub fn open_metered(path: &Path, meter: &Meter) -> Result<Self, InputError> {
        let name = FileName::new(path);
        if name.is_stdin() {
            return Self::new(meter.stdin(), &name);
        }
        let file = meter.open(path).map_err(|error| InputError::from_io(&name, error))?;
        let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(WarcReader { size, ..Self::new(file, &name)? })
    }

    /// The records that `reader` gives, which is called `name` in messages.
    ///
    /// # Errors
    /// Those of [`WarcReader::open`].
    pub fn new<R: Read + Send + 'static>(reader: R, name: &FileName) -> Result<Self, InputError> {
        let mut window = Window::new(Box::new(reader));
        let io_error = |error: io::Error| InputError::from_io(name, error);
        let magic = window.need(4).map_err(io_error)?;
        let compression = Compression::of_magic(magic.first_chunk::<4>().map_or(magic, |magic| magic));
        if let Some(promised) = Compression::of_name(name.as_path())
            && compression != Some(promised)
            && !magic.is_empty()
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

    /// Appends the block of the record whose head came last to `block`, of a longer one the first `max` bytes; a
    /// second call appends nothing.
    ///
    /// The record is passed to its end, so that all that tells whether it is whole was looked at: its length, the line
    /// ends after it, and the check sum when the record is the last of a member.
    ///
    /// # Errors
    /// When the record is damaged. What was appended may be wrong then, and is not all of it.
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
        // What cannot even be decoded was a record, too.
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
        let head = builder.finish(self.records, self.offset).ok_or(Problem::NoLength)?;
        self.begin_block(head.length)?;
        Ok(head)
    }

    fn begin_block(&mut self, length: u64) -> Result<(), Stop> {
        if let (Some(size), None) = (self.size, self.members.compression()) {
            let read = size.saturating_sub(self.members.offset());
            if read < length {
                return Err(Problem::BlockCut { length, read, found: "the end of the file" }.into());
            }
        }
        self.state = State::Block { length, left: length };
        Ok(())
    }

    /// Passes the record to its end; the first `max` bytes of its block are appended to `block`.
    fn pass_block(&mut self, max: usize, block: &mut Vec<u8>) -> Result<(), Stop> {
        let mut wanted = max;
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

    /// Two line ends close a record; writers that leave out one or both, or write LF alone, are understood where another
    /// record follows. Where anything else does, only the two make sure that the block is whole, and in a compressed
    /// file nothing does: its check sum may be yet to come.
    fn end_of_block(&mut self, length: u64) -> Result<(), Stop> {
        let mut feeds = 0;
        while self.members.more()? == More::Bytes {
            let available = self.members.available();
            let ends = line_ends(available);
            let found = ends < available.len();
            feeds += available[..ends].iter().filter(|byte| **byte == b'\n').count();
            self.members.consume(ends);
            let sure = feeds >= 2 && self.members.compression().is_none();
            if found && !sure && !self.members.need(MAGIC.len()).starts_with(MAGIC) {
                return Err(Problem::BlockOverrun(length).into());
            }
            if found {
                break;
            }
        }
        Ok(())
    }

    /// Passes line ends before a record, through any number of members; false at the end of the file.
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

    /// What comes next within a record. One that goes on in another member (of a file that was compressed in pieces
    /// of one size) is told from one that was cut by what the member begins with.
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

    /// After a problem, goes on to the next record there is, and tells.
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

    /// Goes to the next line that begins as a record does; false when there is none.
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
                // What cannot be decoded here is part of the damage that is told already.
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

/// What comes next within a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Bytes,
    /// The beginning of another record.
    Record,
    End,
}

/// Why reading does not simply go on.
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

/// Do the bytes of a file begin with the dictionary of a `.warc.zst`?
pub(crate) fn begins_with_dictionary(bytes: &[u8]) -> bool {
    bytes.starts_with(&zstandard::DICTIONARY_MAGIC)
}

/// How many of the first bytes are CR and LF.
fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len())
}

/// Is it "WARC/0." or "WARC/1."? More than [`MAGIC`], since it is looked for in anything.
fn begins_record(bytes: &[u8]) -> bool {
    bytes.strip_prefix(MAGIC).is_some_and(|version| matches!(version, [b'0' | b'1', b'.', ..]))
}
