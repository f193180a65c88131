//! The bytes of a file as they are stored, with some of those already passed still at hand.

use std::io::{self, Read};

/// Bytes that are held at once.
const SIZE: usize = 256 << 10;

/// Bytes behind the position that stay at hand: a decoder may notice damage only after it has run on into the
/// next member.
const BEHIND: usize = 64 << 10;

/// A position in a file that is read from its beginning to its end.
pub(super) struct Window {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Where in the file `buffer` begins.
    base: u64,
    ended: bool,
}

impl Window {
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        Window { reader, buffer: vec![0; SIZE], start: 0, end: 0, base: 0, ended: false }
    }

    /// Bytes of the file before the position.
    pub(super) fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Bytes after the position that were read already.
    pub(super) fn available(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// What [`Window::available`] gives once it has `wanted` bytes, which are to be few; less at the file's end
    /// only.
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

    /// Passes the next `bytes`, which are available.
    pub(super) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
    }

    /// Goes back to `position`, or as far as there is something at hand.
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
