//! Decodes a file member by member. A member is a gzip member or a zstd frame; a plain file is one member.
//!
//! WARC writers begin a member with every record, so that a record can be read on its own. This keeps damage local: if
//! a member cannot be decoded, reading continues at the next one.

use std::borrow::Cow;
use std::io;

use memchr::memmem;

use super::gzip::{self, Gzip};
use super::window::Window;
use super::zstandard::{self, Zstd};
use crate::input::Compression;

/// The number of decoded bytes in memory: the maximum of a zstd block.
const SIZE: usize = 128 << 10;

/// The members of a file, one after the other.
pub(super) struct Members {
    window: Window,
    decoder: Decoder,
    /// Decoded bytes of one member.
    out: Vec<u8>,
    start: usize,
    end: usize,
    /// The offset of the member in the file.
    member: u64,
    state: State,
}

enum Decoder {
    Plain,
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

enum State {
    /// Before a member.
    Before,
    Within,
    /// The member is decoded.
    After,
    /// The rest of the member cannot be decoded. Reported after the bytes before it are consumed.
    Failing(Damage),
    /// The damage was reported.
    Failed,
    Ended,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    /// More bytes of the same member.
    Bytes,
    /// The end of this member; another one may follow.
    MemberEnd,
    /// The end of the file.
    End,
}

/// Why a member cannot be decoded.
#[derive(Debug)]
pub(super) enum Damage {
    Io(io::Error),
    Truncated,
    Corrupt(Cow<'static, str>),
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        Damage::Io(error)
    }
}

/// The result of a decoding step.
pub(super) struct Step {
    written: usize,
    then: Then,
}

enum Then {
    More,
    Ended,
    Failed(Damage),
}

impl Step {
    /// `written` bytes, and the member continues.
    pub(super) fn more(written: usize) -> Self {
        Step { written, then: Then::More }
    }

    /// `written` bytes, the last ones of the member.
    pub(super) fn ended(written: usize) -> Self {
        Step { written, then: Then::Ended }
    }

    /// `written` bytes, and the rest cannot be decoded.
    pub(super) fn failed(written: usize, damage: Damage) -> Self {
        Step { written, then: Then::Failed(damage) }
    }
}

impl Members {
    pub(super) fn new(window: Window, compression: Option<Compression>) -> io::Result<Self> {
        let decoder = match compression {
            None => Decoder::Plain,
            Some(Compression::Gzip) => Decoder::Gzip(Box::new(Gzip::new())),
            Some(Compression::Zstd) => Decoder::Zstd(Box::new(Zstd::new()?)),
        };
        let out = vec![0; SIZE];
        Ok(Members { window, decoder, out, start: 0, end: 0, member: 0, state: State::Before })
    }

    /// The compression of the file.
    pub(super) fn compression(&self) -> Option<Compression> {
        match self.decoder {
            Decoder::Plain => None,
            Decoder::Gzip(_) => Some(Compression::Gzip),
            Decoder::Zstd(_) => Some(Compression::Zstd),
        }
    }

    /// The offset of the position in the file or, if it is compressed, of the member around it.
    pub(super) fn offset(&self) -> u64 {
        match self.decoder {
            Decoder::Plain => self.window.position() - self.available().len() as u64,
            _ => self.member,
        }
    }

    /// The decoded bytes of the member after the position.
    pub(super) fn available(&self) -> &[u8] {
        &self.out[self.start..self.end]
    }

    /// Advances by `bytes`, which must be available.
    pub(super) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
    }

    /// Makes bytes available, unless there are none.
    ///
    /// # Errors
    /// Fails when the rest of the member cannot be decoded. All bytes before that point were returned.
    pub(super) fn more(&mut self) -> Result<More, Damage> {
        loop {
            if self.start < self.end {
                return Ok(More::Bytes);
            }
            match self.state {
                State::Before => self.begin()?,
                State::After => {
                    self.state = State::Before;
                    return Ok(More::MemberEnd);
                }
                State::Within => {
                    (self.start, self.end) = (0, 0);
                    self.decode();
                }
                State::Ended | State::Failed => return Ok(More::End),
                State::Failing(_) => {
                    if let State::Failing(damage) = std::mem::replace(&mut self.state, State::Failed) {
                        return Err(damage);
                    }
                }
            }
        }
    }

    /// Like [`Members::available`], but with at least `wanted` bytes, unless the member ends before. `wanted` must be
    /// small.
    pub(super) fn need(&mut self, wanted: usize) -> &[u8] {
        while self.end - self.start < wanted && matches!(self.state, State::Within) {
            self.out.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            self.decode();
        }
        self.available()
    }

    fn begin(&mut self) -> Result<(), Damage> {
        self.member = self.window.position();
        let begun = match &mut self.decoder {
            Decoder::Plain => self.window.need(1).map(|bytes| !bytes.is_empty()).map_err(Damage::from),
            Decoder::Gzip(gzip) => gzip.begin(&mut self.window),
            Decoder::Zstd(zstd) => zstd.begin(&mut self.window),
        };
        match begun {
            Ok(true) => self.state = State::Within,
            Ok(false) => self.state = State::Ended,
            Err(damage) => {
                self.state = State::Failed;
                return Err(damage);
            }
        }
        Ok(())
    }

    /// Decodes more bytes after the available ones. Damage is reported after those bytes are consumed.
    fn decode(&mut self) {
        let out = &mut self.out[self.end..];
        let step = match &mut self.decoder {
            Decoder::Plain => copy(&mut self.window, out),
            Decoder::Gzip(gzip) => gzip.decode(&mut self.window, out),
            Decoder::Zstd(zstd) => zstd.decode(&mut self.window, out),
        };
        self.end += step.written;
        match step.then {
            Then::More => {}
            Then::Ended => self.state = State::After,
            Then::Failed(damage) => self.state = State::Failing(damage),
        }
    }

    /// Returns whether the member around the position is known to be corrupt.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.state, State::Failed)
    }

    /// After damage, moves to the next position where a member may begin; false if there is none.
    pub(super) fn resume(&mut self, from: Resume) -> io::Result<bool> {
        let magic = match self.decoder {
            Decoder::Plain => return Ok(false),
            Decoder::Gzip(_) => &gzip::MAGIC[..],
            Decoder::Zstd(_) => &zstandard::MAGIC[..],
        };
        if from == Resume::Back {
            self.window.rewind(self.member + 1);
        }
        if self.window.position() == self.member && !self.window.need(1)?.is_empty() {
            self.window.consume(1);
        }
        (self.start, self.end) = (0, 0);
        loop {
            let bytes = self.window.need(magic.len())?;
            if let Some(found) = memmem::find(bytes, magic) {
                self.window.consume(found);
                self.state = State::Before;
                return Ok(true);
            }
            if bytes.len() < magic.len() {
                self.state = State::Ended;
                return Ok(false);
            }
            let passed = bytes.len() - (magic.len() - 1);
            self.window.consume(passed);
        }
    }
}

/// Where [`Members::resume`] starts to look for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// At the beginning of the damaged member, as far as it is in memory: its decoder may have read into the next
    /// member.
    Back,
    /// Where the decoder stopped. The previous candidate may not have been a member, and this keeps the cost linear.
    Here,
}

fn copy(window: &mut Window, out: &mut [u8]) -> Step {
    match window.need(1) {
        Ok([]) => Step::ended(0),
        Ok(bytes) => {
            let bytes = &bytes[..bytes.len().min(out.len())];
            out[..bytes.len()].copy_from_slice(bytes);
            let copied = bytes.len();
            window.consume(copied);
            Step::more(copied)
        }
        Err(error) => Step::failed(0, error.into()),
    }
}
