//! Decodes the frames of zstd data (RFC 8878) one by one, with the dictionary at the beginning of a `.warc.zst`.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, Operation as _};

use super::members::{Damage, Step};
use super::window::Window;
use crate::input::{ZSTD_WINDOW_LOG, explain_zstd};

/// The first bytes of a frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The first bytes of the skippable frame with the dictionary for all later frames, by the convention of `.warc.zst`
/// files. The dictionary is stored plainly, or as a zstd frame.
pub(super) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The maximum size of a dictionary, compressed or not. `zstd --train` creates dictionaries of about 100 KiB.
const MAX_DICTIONARY: u32 = 64 << 20;

/// The number of bytes that show how a frame begins: the first input of the decoder.
const FRAME_HEADER: usize = 5;

/// A decoder of frames.
pub(super) struct Zstd {
    decoder: Decoder<'static>,
    /// The number of bytes to pass to the decoder next. Passing more could lose a block before a damaged one.
    hint: usize,
}

impl Zstd {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Zstd { decoder: decoder(&[])?, hint: FRAME_HEADER })
    }

    /// Moves to the beginning of a frame, past skippable frames; false at the end of the file.
    pub(super) fn begin(&mut self, window: &mut Window) -> Result<bool, Damage> {
        loop {
            match *window.need(8)? {
                [] => return Ok(false),
                [a, b, c, d, ..] if [a, b, c, d] == MAGIC => break,
                [a @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, l0, l1, l2, l3, ..] => {
                    window.consume(8);
                    let length = u32::from_le_bytes([l0, l1, l2, l3]);
                    if a == DICTIONARY_MAGIC[0] {
                        self.decoder = decoder(&dictionary(window, length)?)?;
                    } else {
                        pass(window, length, |_| ())?;
                    }
                }
                _ => return Err(Damage::Corrupt("no frame header".into())),
            }
        }
        self.decoder.reinit()?;
        self.hint = FRAME_HEADER;
        Ok(true)
    }

    /// Decodes more of the frame into `out`.
    pub(super) fn decode(&mut self, window: &mut Window, out: &mut [u8]) -> Step {
        let input = match window.need(1) {
            Ok(input) => input,
            Err(error) => return Step::failed(0, error.into()),
        };
        let offered = &input[..input.len().min(self.hint)];
        let at_end = offered.is_empty();
        match self.decoder.run_on_buffers(offered, out) {
            Ok(status) => {
                window.consume(status.bytes_read);
                self.hint = status.remaining;
                match status.remaining {
                    0 => Step::ended(status.bytes_written),
                    _ if at_end && status.bytes_written == 0 => Step::failed(0, Damage::Truncated),
                    _ => Step::more(status.bytes_written),
                }
            }
            Err(error) => Step::failed(0, Damage::Corrupt(explain_zstd(&error).into())),
        }
    }
}

fn decoder(dictionary: &[u8]) -> io::Result<Decoder<'static>> {
    let mut decoder = Decoder::with_dictionary(dictionary)?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
    Ok(decoder)
}

/// The dictionary in a skippable frame.
fn dictionary(window: &mut Window, length: u32) -> Result<Vec<u8>, Damage> {
    if length > MAX_DICTIONARY {
        return Err(Damage::Corrupt("a dictionary of more than 64 MiB".into()));
    }
    let mut content = Vec::new();
    pass(window, length, |bytes| content.extend_from_slice(bytes))?;
    if content.first_chunk() != Some(&MAGIC) {
        return Ok(content);
    }
    let mut plain = Vec::new();
    let compressed = zstd::Decoder::with_buffer(&content[..])?;
    let limit = u64::from(MAX_DICTIONARY) + 1;
    match io::copy(&mut io::Read::take(compressed, limit), &mut plain) {
        Ok(length) if length < limit => Ok(plain),
        Ok(_) => Err(Damage::Corrupt("a dictionary of more than 64 MiB".into())),
        Err(error) => Err(Damage::Corrupt(format!("the dictionary: {error}").into())),
    }
}

/// Skips `length` bytes and passes each part to `see`.
fn pass(window: &mut Window, length: u32, mut see: impl FnMut(&[u8])) -> Result<(), Damage> {
    let mut left = length as usize;
    while left > 0 {
        let available = window.need(1)?;
        let part = available.len().min(left);
        if part == 0 {
            return Err(Damage::Truncated);
        }
        see(&available[..part]);
        window.consume(part);
        left -= part;
    }
    Ok(())
}
