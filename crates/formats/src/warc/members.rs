//! Decoded bytes, member by member: what gzip calls a member and zstd a frame; a plain file is one.
//!
//! WARC writers begin a member with every record, so that a record can be read on its own. That is what makes
//! damage local: after a member that cannot be decoded, the next one is looked for.

use std::borrow::Cow;
use std::io;

use memchr::memmem;

use super::gzip::{self, Gzip};
use super::window::Window;
use super::zstandard::{self, Zstd};
use crate::input::Compression;

/// Decoded bytes that are held at once: a block of zstd data has no more.
const SIZE: usize = 128 << 10;

/// Members of a file, one after the other.
pub(super) struct Members {
    window: Window,
    decoder: Decoder,
    /// Bytes of one member.
    out: Vec<u8>,
    start: usize,
    end: usize,
    /// Where in the file the member begins.
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
    /// It cannot be decoded further: told as soon as what could be is taken.
    Failing(Damage),
    /// Told.
    Failed,
    Ended,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum More {
    /// More bytes of the same member.
    Bytes,
    /// Nothing of this member; perhaps another one.
    MemberEnd,
    /// Nothing.
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

/// What a decoder did.
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
    /// It wrote so many bytes, and is not at the end of the member.
    pub(super) fn more(written: usize) -> Self {
        Step { written, then: Then::More }
    }

    /// It wrote so many bytes, the last ones of the member.
    pub(super) fn ended(written: usize) -> Self {
        Step { written, then: Then::Ended }
    }

    /// It wrote so many bytes and cannot go on.
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

    /// How the file is compressed.
    pub(super) fn compression(&self) -> Option<Compression> {
        match self.decoder {
            Decoder::Plain => None,
            Decoder::Gzip(_) => Some(Compression::Gzip),
            Decoder::Zstd(_) => Some(Compression::Zstd),
        }
    }

    /// Bytes of the file before the position, or, when it is compressed, before the member around it.
    pub(super) fn offset(&self) -> u64 {
        match self.decoder {
            Decoder::Plain => self.window.position() - self.available().len() as u64,
            _ => self.member,
        }
    }

    /// Bytes of the member after the position that are decoded already.
    pub(super) fn available(&self) -> &[u8] {
        &self.out[self.start..self.end]
    }

    /// Passes the next `bytes`, which are available.
    pub(super) fn consume(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.end - self.start);
        self.start += bytes;
    }

    /// Sees to it that there are bytes available, unless it says that there are none.
    ///
    /// # Errors
    /// When the member cannot be decoded further; all that could be was handed out before.
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

    /// What [`Members::available`] gives once it has `wanted` bytes, which are to be few; less at the member's end
    /// only.
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

    /// Decodes more, behind what is available. Damage is told when that is taken.
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

    /// Is the member around the position known not to be decodable?
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.state, State::Failed)
    }

    /// After damage, goes on to the next place where a member may begin; false when there is none.
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

/// From where [`Members::resume`] looks for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// From the beginning of the damaged member, as far as it is at hand: its decoder may have run on into the next.
    Back,
    /// From where the decoder stopped: what was tried may have been no member at all, and the cost stays linear.
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
