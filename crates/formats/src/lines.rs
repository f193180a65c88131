//! Huge line files, block by block, every block of whole lines.
//!
//! Blocks are owned, so that one thread can read while others work on what was read.

use std::io::Read;
use std::path::Path;

use crate::error::{InputError, Kind};
use crate::file_name::FileName;
use crate::input::{self, Input};

/// Bytes in a block unless the caller chooses: large enough that the cost of handing it over vanishes.
pub const DEFAULT_BLOCK_SIZE: usize = 1 << 20;

/// Bytes of the longest line that is read, its line end not counted: 64 MiB. It bounds the memory a file can
/// take.
pub const MAX_LINE: usize = 64 << 20;

/// Used blocks that are kept for reuse; one a worker thread is plenty.
const MAX_SPARE: usize = 64;

/// Some whole lines of a file, never empty when it comes from a [`LineBlocks`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The lines with their line ends; the last line of a file may have none.
    pub bytes: Vec<u8>,
    /// The 1-based line of the file with which the block begins.
    pub first_line: u64,
    /// Lines in the block.
    pub lines: u32,
}

impl Block {
    /// The lines in order, without LF; a CR before it stays, see [`trim_line_end`].
    pub fn lines(&self) -> Lines<'_> {
        Lines { rest: &self.bytes }
    }

    /// The lines as [`Block::lines`] gives them, each with its 1-based number in the file.
    pub fn numbered_lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        (self.first_line..).zip(self.lines())
    }
}

/// The lines of some bytes, without LF. See [`Block::lines`].
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
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

/// The first line of `text`, without its LF, and what comes after it; `None` of no text.
#[inline]
pub(crate) fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match memchr::memchr(b'\n', text) {
        Some(end) => Some((&text[..end], &text[end + 1..])),
        None if text.is_empty() => None,
        None => Some((text, &[])),
    }
}

/// The line without its line end: LF, CRLF or a single CR at its end.
#[inline]
pub fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The `n`th column, counted from 1, of a line whose columns are separated by tabs; `None` when it has fewer.
///
/// The line's end belongs to the last column, so it is to be removed before.
#[inline]
pub fn column(line: &[u8], n: usize) -> Option<&[u8]> {
    let mut rest = line;
    for _ in 1..n {
        rest = &rest[memchr::memchr(b'\t', rest)? + 1..];
    }
    let end = memchr::memchr(b'\t', rest).unwrap_or(rest.len());
    (n > 0).then_some(&rest[..end])
}

/// A file as [`Block`]s of whole lines, in order: no line is ever split between two blocks.
///
/// A line of more than [`MAX_LINE`] bytes is an error that names it; reading goes on with the next one. When the
/// file cannot be read further, the whole lines read so far come first, the line in which it happened is dropped,
/// and the error is the last item.
pub struct LineBlocks<R = Input> {
    reader: R,
    name: FileName,
    block_size: usize,
    /// What was read and not yet handed out. It begins with line `next_line`.
    buffer: Vec<u8>,
    /// Bytes of `buffer` that are whole lines.
    whole: usize,
    next_line: u64,
    state: State,
    dropped: u64,
    /// Bytes of the file before those of `buffer`.
    consumed: u64,
    /// Bytes behind `whole` of a line that is too long, which are no longer in the buffer.
    cut: u64,
    spare: Vec<Vec<u8>>,
}

#[derive(Debug)]
enum State {
    Reading,
    /// The line after `whole` is too long: an error, as soon as what stands before it is handed out.
    TooLong,
    /// Within a line that is too long, up to its LF.
    Skipping,
    /// As `TooLong`, but nothing more comes after the error.
    Failed(InputError),
    Ended,
}

/// Did a read come to the end of the file?
enum End {
    NotYet,
    Reached,
    Failed(InputError),
}

impl LineBlocks<Input> {
    /// The lines of `path`, opened by [`input::open`], in blocks of [`DEFAULT_BLOCK_SIZE`].
    ///
    /// # Errors
    /// Those of [`input::open`].
    pub fn open(path: &Path) -> Result<Self, InputError> {
        Ok(LineBlocks::new(input::open(path)?, FileName::new(path), DEFAULT_BLOCK_SIZE))
    }
}

impl<R: Read> LineBlocks<R> {
    /// The lines of `reader`, called `name` in messages, in blocks of about `block_size` bytes: less at the end
    /// of the file, more for a line that is longer. Sizes from 1 to [`MAX_LINE`] are possible, others are brought
    /// into that range.
    pub fn new(reader: R, name: FileName, block_size: usize) -> Self {
        LineBlocks {
            reader,
            name,
            block_size: block_size.clamp(1, MAX_LINE),
            buffer: Vec::new(),
            whole: 0,
            next_line: 1,
            state: State::Reading,
            dropped: 0,
            consumed: 0,
            cut: 0,
            spare: Vec::new(),
        }
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// The lines of the rest of a file, behind its first `bytes` bytes, of which line `line` is the next.
    #[must_use]
    pub fn from_within(mut self, bytes: u64, line: u64) -> Self {
        self.consumed = bytes;
        self.next_line = line;
        self
    }

    /// Where the next block begins: bytes before it, and the 1-based number of its first line.
    pub fn place(&self) -> (u64, u64) {
        (self.consumed, self.next_line)
    }

    /// Lines that were begun but not handed out: too long, or cut by the error that ended the file.
    pub fn dropped_lines(&self) -> u64 {
        self.dropped
    }

    /// Takes back a block that is no longer needed: its memory serves a later one. That of a block which outgrew
    /// its size for one long line is not kept.
    pub fn recycle(&mut self, block: Block) {
        if self.spare.len() < MAX_SPARE && block.bytes.capacity() <= 2 * self.block_size {
            self.spare.push(block.bytes);
        }
    }

    /// Reads nothing more.
    pub(crate) fn end(&mut self) {
        self.buffer.clear();
        self.whole = 0;
        self.state = State::Ended;
    }

    /// Reads about a block more, and never so much that a line which is too long could end within it.
    fn read_more(&mut self) {
        let start = self.buffer.len();
        let missing = self.block_size.saturating_sub(start);
        let wanted = if missing == 0 { self.block_size } else { missing };
        let end = self.fill(wanted.min(MAX_LINE + 1 - (start - self.whole)));
        if matches!(self.state, State::Skipping) {
            self.skip();
        }
        let new = start.min(self.buffer.len());
        if let Some(last) = memchr::memrchr(b'\n', &self.buffer[new..]) {
            self.whole = new + last + 1;
        }
        self.settle(end);
    }

    /// Appends up to `wanted` bytes to the buffer.
    fn fill(&mut self, wanted: usize) -> End {
        self.buffer.reserve(wanted.min(DEFAULT_BLOCK_SIZE));
        match self.reader.by_ref().take(wanted as u64).read_to_end(&mut self.buffer) {
            Ok(read) if read == wanted => End::NotYet,
            Ok(_) => End::Reached,
            Err(error) => End::Failed(InputError::from_io(&self.name, error)),
        }
    }

    /// Drops what was read of a line that is too long; what comes after it stays in the buffer.
    fn skip(&mut self) {
        debug_assert_eq!(self.whole, 0, "what stands before the line was handed out");
        if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
            self.buffer.drain(..=end);
            self.consumed += end as u64 + 1;
            self.next_line += 1;
            self.state = State::Reading;
        } else {
            self.consumed += self.buffer.len() as u64;
            self.buffer.clear();
        }
    }

    /// Decides how to go on after a read that ended in `end`.
    fn settle(&mut self, end: End) {
        let partial = self.buffer.len() - self.whole;
        match end {
            End::NotYet if partial <= MAX_LINE => return,
            End::NotYet => self.state = State::TooLong,
            End::Failed(error) => self.state = State::Failed(error),
            End::Reached => {
                self.whole = self.buffer.len();
                self.state = State::Ended;
                return;
            }
        }
        self.dropped += u64::from(partial > 0);
        self.cut = partial as u64;
        self.buffer.truncate(self.whole);
    }

    /// The whole lines of the buffer; what follows them begins the next one.
    fn take_block(&mut self) -> Block {
        let capacity = self.block_size.min(DEFAULT_BLOCK_SIZE);
        let mut next = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(capacity));
        next.clear();
        next.extend_from_slice(&self.buffer[self.whole..]);
        self.buffer.truncate(self.whole);
        self.whole = 0;
        let bytes = std::mem::replace(&mut self.buffer, next);
        let ends = memchr::memchr_iter(b'\n', &bytes).count();
        let lines = ends + usize::from(bytes.last() != Some(&b'\n'));
        let block = Block {
            bytes,
            first_line: self.next_line,
            lines: u32::try_from(lines).expect("a block is shorter than 4 GiB"),
        };
        self.next_line += u64::from(block.lines);
        self.consumed += block.bytes.len() as u64;
        block
    }
}

impl<R: Read> Iterator for LineBlocks<R> {
    type Item = Result<Block, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let more = matches!(self.state, State::Reading) && self.buffer.len() < self.block_size;
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
