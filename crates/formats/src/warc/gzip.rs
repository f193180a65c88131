//! Decodes the members of gzip data (RFC 1952) one by one.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::members::{Damage, Step};
use super::window::Window;

/// The first bytes of a member: two magic bytes, and the only compression method.
pub(super) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// A decoder of members.
pub(super) struct Gzip {
    inflate: Decompress,
    crc: Crc,
}

impl Gzip {
    pub(super) fn new() -> Self {
        Gzip { inflate: Decompress::new(false), crc: Crc::new() }
    }

    /// Reads a member's header; false at the end of the file.
    pub(super) fn begin(&mut self, window: &mut Window) -> Result<bool, Damage> {
        if window.need(1)?.is_empty() {
            return Ok(false);
        }
        let fixed = take::<10>(window)?;
        let flags = fixed[3];
        if fixed[..3] != MAGIC || flags & RESERVED != 0 {
            return Err(Damage::Corrupt("no member header".into()));
        }
        if flags & EXTRA != 0 {
            let length = u16::from_le_bytes(take::<2>(window)?);
            skip(window, usize::from(length))?;
        }
        for text in [NAME, COMMENT] {
            while flags & text != 0 && take::<1>(window)? != [0] {}
        }
        if flags & HEADER_CRC != 0 {
            take::<2>(window)?;
        }
        self.inflate.reset(false);
        self.crc.reset();
        Ok(true)
    }

    /// Decodes more of the member into `out`, and verifies its trailer.
    pub(super) fn decode(&mut self, window: &mut Window, out: &mut [u8]) -> Step {
        let input = match window.need(1) {
            Ok(input) => input,
            Err(error) => return Step::failed(0, error.into()),
        };
        let at_end = input.is_empty();
        let (read_before, written_before) = (self.inflate.total_in(), self.inflate.total_out());
        let result = self.inflate.decompress(input, out, FlushDecompress::None);
        let read = small(self.inflate.total_in() - read_before);
        let written = small(self.inflate.total_out() - written_before);
        window.consume(read);
        self.crc.update(&out[..written]);
        match result {
            Ok(Status::StreamEnd) => match self.trailer(window) {
                Ok(()) => Step::ended(written),
                Err(damage) => Step::failed(written, damage),
            },
            Ok(_) if at_end && written == 0 => Step::failed(0, Damage::Truncated),
            Ok(_) => Step::more(written),
            Err(error) => Step::failed(written, Damage::Corrupt(error.to_string().into())),
        }
    }

    fn trailer(&self, window: &mut Window) -> Result<(), Damage> {
        let sum = u32::from_le_bytes(take::<4>(window)?);
        let length = u32::from_le_bytes(take::<4>(window)?);
        if (sum, length) == (self.crc.sum(), self.crc.amount()) {
            return Ok(());
        }
        Err(Damage::Corrupt("the checksum does not match".into()))
    }
}

/// A number of bytes that fits into a buffer.
fn small(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

fn take<const N: usize>(window: &mut Window) -> Result<[u8; N], Damage> {
    let Some(&bytes) = window.need(N)?.first_chunk::<N>() else { return Err(Damage::Truncated) };
    window.consume(N);
    Ok(bytes)
}

fn skip(window: &mut Window, bytes: usize) -> Result<(), Damage> {
    if window.need(bytes)?.len() < bytes {
        return Err(Damage::Truncated);
    }
    window.consume(bytes);
    Ok(())
}
