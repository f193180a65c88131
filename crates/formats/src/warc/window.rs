//! The stored bytes of a file, with some bytes before the position still in memory.

use std::io::{self, Read};

/// The number of bytes in memory.
const SIZE: usize = 256 << 10;

/// The number of bytes before the position that stay in memory. A decoder may notice damage only after it has read into
/// the next member.
const BEHIND: usize = 64 << 10;

/// A position in a file that is read sequentially.
pub(super) struct Window {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset of `buffer` in the file.
    base: u64,
    ended: bool,
}

impl Window {
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        Window { reader, buffer: vec![0; SIZE], start: 0, end: 0, base: 0, ended: false }
    }

    /// The offset of the position in the file.
    pub(super) fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// The bytes after the position that are in memory.
    pub(super) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Like [`Window::available`], but with at least `wanted` bytes, unless the file ends before. `wanted` must be
    /// small.
    pub(super) fn need(&mut self, wanted: usize) -> io::Result<&[u8]> {
        while self.end - self.start < wanted && !self.ended {
            if self.end == self.buffer.len() {
                self.shift();
            }
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    return Err(error);
                }
            }
        }
        Ok(self.available())
    }

    /// Advances by `bytes`, which must be available.
    pub(super) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
    }

    /// Moves back to `position`, or as far as bytes are in memory.
    pub(super) fn rewind(&mut self, position: u64) {
        let back = usize::try_from(self.position().saturating_sub(position)).unwrap_or(usize::MAX);
        self.start = self.start.saturating_sub(back.min(BEHIND));
    }

    fn shift(&mut self) {
        let kept = self.start.saturating_sub(BEHIND);
        self.buffer.copy_within(kept..self.end, 0);
        self.start -= kept;
        self.end -= kept;
        self.base += kept as u64;
    }
}
