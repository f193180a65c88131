//! Reads large files of lines in blocks of whole lines.
//!
//! Blocks are owned, so one thread can read while others process earlier blocks.

use std::io::{self, Read};
use std::path::Path;

use memchr::memrchr2;
use robomata_protocol::limits::{DEFAULT_PARSING_LIMIT, GOOGLE_LINE_LIMIT, MIN_PARSING_LIMIT};

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Input, READ_SIZE};

/// Default size of a block in bytes: large enough that the cost of passing it to another thread is negligible.
pub const DEFAULT_BLOCK_SIZE: usize = 1 << 20;

/// Maximum length of a line in bytes, without its line end: 64 MiB. It bounds the memory for a file.
pub const MAX_LINE: usize = 64 << 20;

/// Maximum number of used blocks stored for reuse: enough for one per worker thread.
const MAX_SPARE: usize = 64;

/// The byte order mark of UTF-8, which may be at the beginning of a file.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginning of a file without its byte order mark.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The first [`MAX_LINE`] bytes of a robots.txt, from which every dialect reads the rules that it finds in these bytes of
/// the whole one. All but one dialect read less. That one reads any number of lines, so the last line has to be whole, or
/// too long to count beyond its first bytes.
///
/// `None` if there is too little to say so, because the codings of a body take up nearly all of the bytes.
pub(crate) fn first_lines(mut robots: Vec<u8>) -> Option<Vec<u8>> {
    if robots.len() < DEFAULT_PARSING_LIMIT + GOOGLE_LINE_LIMIT {
        return None;
    }
    robots.truncate(MAX_LINE);
    let line = memrchr2(b'\n', b'\r', &robots).map_or(0, |end| end + 1);
    if robots.len() - line < GOOGLE_LINE_LIMIT {
        robots.truncate(line);
    }
    Some(robots)
}

/// The complete lines of a robots.txt that ended early, if there are as many bytes as every crawler has to read (RFC
/// 9309, section 2.5), and the last line is not so long that many of them would be missing.
pub(crate) fn complete_lines(mut robots: Vec<u8>) -> Option<Vec<u8>> {
    let end = memrchr2(b'\n', b'\r', &robots).map_or(0, |end| end + 1);
    if robots.len() < MIN_PARSING_LIMIT || robots.len() - end >= GOOGLE_LINE_LIMIT {
        return None;
    }
    robots.truncate(end);
    Some(robots)
}

/// Some whole lines of a file. Never empty if it comes from a [`LineBlocks`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The lines with their line ends; the last line of a file may have none.
    pub bytes: Vec<u8>,
    /// The 1-based number of the block's first line.
    pub first_line: u64,
    /// The number of lines.
    pub lines: u32,
}

impl Block {
    /// The lines `bytes`, of which the first one has this number.
    pub(crate) fn of_lines(bytes: Vec<u8>, first_line: u64) -> Self {
        let ends = memchr::memchr_iter(b'\n', &bytes).count();
        let lines = ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n'));
        Block { bytes, first_line, lines: u32::try_from(lines).expect("a block is shorter than 4 GiB") }
    }

    /// The lines in order, without LF. A CR before it is not removed, see [`trim_line_end`].
    pub fn lines(&self) -> Lines<'_> {
        Lines::of(&self.bytes)
    }

    /// The lines of [`Block::lines`], each with its 1-based number in the file.
    pub fn numbered_lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first_line..).zip(self.lines())
    }
}

/// An iterator over lines, without LF. See [`Block::lines`].
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Self {
        Lines { rest: text }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let (line, rest) = split_line(self.rest)?;
        self.rest = rest;
        Some(line)
    }
}

/// Splits off the first line of `text`, without its LF. Returns `None` for an empty text.
#[inline]
pub(crate) fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match memchr::memchr(b'\n', text) {
        Some(end) => Some((&text[..end], &text[end + 1..])),
        None if text.is_empty() => None,
        None => Some((text, &[])),
    }
}

/// Removes the line end: LF, CRLF or a single CR.
#[inline]
pub fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The `n`th tab-separated column of a line, counted from 1; `None` if there are fewer.
///
/// Remove the line end first: it would be part of the last column.
#[inline]
pub fn column(line: &[u8], n: usize) -> Option<&[u8]> {
    let mut rest = line;
    for _ in 1..n {
        rest = &rest[memchr::memchr(b'\t', rest)? + 1..];
    }
    let end = memchr::memchr(b'\t', rest).unwrap_or(rest.len());
    (n > 0).then_some(&rest[..end])
}

/// Splits a file into [`Block`]s of whole lines, in order. A line is never split between two blocks.
///
/// A line of more than [`MAX_LINE`] bytes is an error with its line number, and reading continues with the next line.
/// If the rest of the file is unreadable, the whole lines before it come first. The line with the failure is dropped,
/// and the error is the last item.
pub struct LineBlocks<R = Input> {
    reader: R,
    name: FileName,
    block_size: usize,
    /// Memory for the bytes read but not yet returned, which are the first `filled` ones. They begin with line
    /// `next_line`. The bytes after them are left over from earlier blocks, so that no memory is zeroed for each read.
    buffer: Vec<u8>,
    filled: usize,
    /// The number of bytes in `buffer` that form whole lines.
    whole: usize,
    next_line: u64,
    state: State,
    dropped: u64,
    /// The number of bytes of the file before `buffer`.
    consumed: u64,
    /// The number of bytes after `whole` that belong to a line that is too long and are no longer in the buffer.
    cut: u64,
    /// The bytes of the line in which the reader failed.
    rest: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum State {
    Reading,
    /// The line after `whole` is too long. The error follows when the lines before it are returned.
    TooLong,
    /// Inside a line that is too long, before its LF.
    Skipping,
    /// Like `TooLong`, but the error is the last item.
    Failed(InputError),
    Ended,
}

/// How a read ended: whether at the end of the file.
enum End {
    NotYet,
    Reached,
    Failed(InputError),
}

impl LineBlocks<Input> {
    /// Opens the lines of `path` with [`input::open`], in blocks of [`DEFAULT_BLOCK_SIZE`].
    ///
    /// # Errors
    /// Fails like [`input::open`].
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Ok(LineBlocks::new(input::open(path)?, FileName::new(path), DEFAULT_BLOCK_SIZE))
    }
}

impl<R: Read> LineBlocks<R> {
    /// Reads the lines of `reader`, which is called `name` in messages, in blocks of about `block_size` bytes. The last
    /// block may be smaller, and a block with one longer line is larger. Sizes are clamped to the range from 1 to
    /// [`MAX_LINE`].
    pub fn new(reader: R, name: FileName, block_size: usize) -> Self {
        LineBlocks {
            reader,
            name,
            block_size: block_size.clamp(1, MAX_LINE),
            buffer: Vec::new(),
            filled: 0,
            whole: 0,
            next_line: 1,
            state: State::Reading,
            dropped: 0,
            consumed: 0,
            cut: 0,
            rest: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// Treats the reader as the rest of a file after its first `bytes` bytes, beginning with line `line`.
    #[must_use]
    pub fn from_within(mut self, bytes: u64, line: u64) -> Self {
        self.consumed = bytes;
        self.next_line = line;
        self
    }

    /// The position of the next block: the number of bytes before it, and the 1-based number of its first line.
    pub fn place(&self) -> (u64, u64) {
        (self.consumed, self.next_line)
    }

    /// The number of lines that were begun but not returned: too long, or cut off by the error that ended the file.
    pub fn dropped_lines(&self) -> u64 {
        self.dropped
    }

    /// The bytes of the line in which the error that ended the file was found.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// Takes back a used block to reuse its memory. A block that grew for one long line is freed instead.
    pub fn recycle(&mut self, block: Block) {
        if self.spare.len() < MAX_SPARE && block.bytes.capacity() <= 2 * self.block_size {
            self.spare.push(block.bytes);
        }
    }

    /// Stops reading.
    pub(crate) fn end(&mut self) {
        self.filled = 0;
        self.whole = 0;
        self.state = State::Ended;
    }

    /// Reads about one block. Never reads so far that a line that is too long could end within the read.
    fn read_more(&mut self) {
        let start = self.filled;
        let missing = self.block_size.saturating_sub(start);
        let wanted = if missing == 0 { self.block_size } else { missing };
        let end = self.fill(wanted.min(MAX_LINE + 1 - (start - self.whole)));
        if matches!(self.state, State::Skipping) {
            self.skip();
        }
        let new = start.min(self.filled);
        if let Some(last) = memchr::memrchr(b'\n', &self.buffer[new..self.filled]) {
            self.whole = new + last + 1;
        }
        self.settle(end);
    }

    /// Appends up to `wanted` bytes to the buffer, in pieces that stay in the cache.
    fn fill(&mut self, wanted: usize) -> End {
        let end = self.filled + wanted;
        let room = self.filled + wanted.min(DEFAULT_BLOCK_SIZE);
        self.buffer.reserve(room.saturating_sub(self.buffer.len()));
        while self.filled < end {
            let stop = end.min(self.filled + READ_SIZE);
            if self.buffer.len() < stop {
                self.buffer.resize(stop, 0);
            }
            match self.reader.read(&mut self.buffer[self.filled..stop]) {
                Ok(0) => return End::Reached,
                Ok(bytes) => self.filled += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return End::Failed(InputError::from_io(&self.name, error)),
            }
        }
        End::NotYet
    }

    /// Drops the bytes of a line that is too long. The bytes after it stay in the buffer.
    fn skip(&mut self) {
        debug_assert_eq!(self.whole, 0, "the lines before it were returned");
        if let Some(end) = memchr::memchr(b'\n', &self.buffer[..self.filled]) {
            self.buffer.copy_within(end + 1..self.filled, 0);
            self.filled -= end + 1;
            self.consumed += end as u64 + 1;
            self.next_line += 1;
            self.state = State::Reading;
        } else {
            self.consumed += self.filled as u64;
            self.filled = 0;
        }
    }

    /// Updates the state after a read that ended with `end`.
    fn settle(&mut self, end: End) {
        let partial = self.filled - self.whole;
        match end {
            End::NotYet if partial <= MAX_LINE => return,
            End::NotYet => self.state = State::TooLong,
            End::Failed(error) => {
                self.rest.extend_from_slice(&self.buffer[self.whole..self.filled]);
                self.state = State::Failed(error);
            }
            End::Reached => {
                self.whole = self.filled;
                self.state = State::Ended;
                return;
            }
        }
        self.dropped += u64::from(partial > 0);
        self.cut = partial as u64;
        self.filled = self.whole;
    }

    /// Takes the whole lines out of the buffer. The rest begins the next buffer.
    fn take_block(&mut self) -> Block {
        let rest = &self.buffer[self.whole..self.filled];
        let mut next = self.spare.pop().unwrap_or_default();
        next.resize(next.len().max(rest.len()), 0);
        next[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        self.buffer.truncate(self.whole);
        self.whole = 0;
        let bytes = std::mem::replace(&mut self.buffer, next);
        let block = Block::of_lines(bytes, self.next_line);
        self.next_line += u64::from(block.lines);
        self.consumed += block.bytes.len() as u64;
        block
    }
}

impl<R: Read> Iterator for LineBlocks<R> {
    type Item = Result<Block, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let more = matches!(self.state, State::Reading) && self.filled < self.block_size;
            if self.whole > 0 && !more {
                return Some(Ok(self.take_block()));
            }
            match std::mem::replace(&mut self.state, State::Ended) {
                state @ (State::Reading | State::Skipping) => {
                    self.state = state;
                    self.read_more();
                }
                State::TooLong => {
                    self.state = State::Skipping;
                    self.consumed += std::mem::take(&mut self.cut);
                    return Some(Err(InputError::new(
                        self.name.clone(),
                        Some(self.next_line),
                        Kind::LineTooLong,
                    )));
                }
                State::Failed(error) => return Some(Err(error.at_line(self.next_line))),
                State::Ended => return None,
            }
        }
    }
}
