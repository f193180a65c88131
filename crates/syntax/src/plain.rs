//! The plain line: a key in the standard spelling, a colon, a value. Nearly all lines with a record are plain.
//!
//! A plain line is parsed in one pass, without finding its end first, and in the same way in every dialect. Lines that
//! dialects read differently, and lines with any problem, are not plain: [`read`](crate::read::read) parses them step
//! by step.

use crate::key::Key;
use crate::line::{after_line_end, line_end};

/// The positions of the parts of a plain line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainLine {
    pub(crate) key: Key,
    /// One past the key, which is at the start of the line.
    pub(crate) key_end: usize,
    pub(crate) value_start: usize,
    pub(crate) value_end: usize,
    /// The start of the next line.
    pub(crate) next: usize,
}

impl PlainLine {
    /// The line of `text` that begins at `start` with `opening`, if it is plain, and if the value has at most one space
    /// before it and directly precedes the line end. Most lines have this form, and their values contain no byte as low
    /// as those.
    ///
    /// The caller provides the opening, so that the search for the next line can begin before this line's key is known.
    #[inline(always)]
    pub(crate) fn bare(text: &[u8], start: usize, opening: &Opening) -> Option<Self> {
        let key_end = start + opening.length;
        let after_colon = key_end + 1;
        let first = *text.get(after_colon)?;
        let value_end = first_low(text, after_colon + 1);
        let next = match text.get(value_end) {
            Some(b'\n') => value_end + 1,
            Some(b'\r') => after_line_end(text, value_end),
            _ => return None,
        };
        let value_start = match first {
            b' ' => after_colon + 1,
            0..=b'#' => return None,
            _ => after_colon,
        };
        (value_start < value_end).then_some(PlainLine {
            key: opening.key,
            key_end,
            value_start,
            value_end,
            next,
        })
    }

    /// The line of `text` that begins at `start`, if it is plain.
    pub(crate) fn read(text: &[u8], start: usize) -> Option<Self> {
        let opening = Opening::of(head(&text[start..]))?;
        let key_end = start + opening.length;
        let after_colon = key_end + 1;
        let mut value_start = after_colon;
        let stop = value_stop(text, after_colon)?;
        let mut value_end = stop;
        while value_end > after_colon && is_white(text[value_end - 1]) {
            value_end -= 1;
        }
        while value_start < value_end && is_white(text[value_start]) {
            value_start += 1;
        }
        let end = if text.get(stop) == Some(&b'#') { line_end(text, stop) } else { stop };
        let next = after_line_end(text, end);
        Some(PlainLine { key: opening.key, key_end, value_start, value_end, next })
    }
}

/// White space in every dialect.
const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The first line end or comment at or after `at`. Control characters are not plain, because dialects treat them
/// differently.
fn value_stop(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = first_low(text, at);
        match text.get(at) {
            None | Some(b'\n' | b'\r' | b'#') => return Some(at),
            Some(b' ' | b'\t' | b'!' | b'"') => at += 1,
            Some(_) => return None,
        }
    }
}

/// The first byte at or after `at` that is not above `#`: a control character, a space, `!`, `"` or `#`.
#[inline(always)]
fn first_low(text: &[u8], mut at: usize) -> usize {
    while let Some(block) = text[at..].first_chunk() {
        // Compilers turn this test into one vector operation, but not one that returns the position.
        if block.iter().fold(false, |any, &byte| any | (byte <= b'#')) {
            return at + first_low_of(u128::from_le_bytes(*block));
        }
        at += block.len();
    }
    while at < text.len() && text[at] > b'#' {
        at += 1;
    }
    at
}

/// The same in a block whose first byte is the lowest.
#[inline]
const fn first_low_of(block: u128) -> usize {
    const ONES: u128 = u128::MAX / 0xFF;
    // Borrows only affect the bytes above the first one.
    let low = block.wrapping_sub(ONES * (b'#' as u128 + 1)) & !block & (ONES * 0x80);
    low.trailing_zeros() as usize / 8
}

/// The first bytes of `line`, the first one lowest; zero after its end.
#[inline]
pub(crate) fn head(line: &[u8]) -> u128 {
    let head = match line.first_chunk() {
        Some(head) => *head,
        None => {
            let mut head = [0; 16];
            head[..line.len()].copy_from_slice(line);
            head
        }
    };
    u128::from_le_bytes(head)
}

/// The keys of nine in ten lines.
pub(crate) const DISALLOW: Opening = Opening::new(Key::Disallow);
pub(crate) const ALLOW: Opening = Opening::new(Key::Allow);
pub(crate) const USER_AGENT: Opening = Opening::new(Key::UserAgent);

/// A key in the standard spelling directly followed by a colon, compared in one operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opening {
    /// The bytes, the first one lowest, letters in lower case.
    bytes: u128,
    /// The bit that distinguishes upper from lower case, for each letter.
    letters: u128,
    /// Every bit of the bytes compared.
    compared: u128,
    key: Key,
    length: usize,
}

impl Opening {
    /// Matches no line: it compares no bits but expects a nonzero value.
    const NEVER: Self = Opening { bytes: 1, letters: 0, compared: 0, key: Key::Unknown, length: 0 };

    const fn new(key: Key) -> Self {
        let name = key.as_str().as_bytes();
        let mut opening = Opening { bytes: 0, key, length: name.len(), ..Opening::NEVER };
        let mut at = 0;
        while at <= name.len() {
            let byte = if at < name.len() { name[at] } else { b':' };
            opening.bytes |= (byte as u128) << (8 * at);
            opening.compared |= 0xFF << (8 * at);
            if byte.is_ascii_lowercase() {
                opening.letters |= 0x20 << (8 * at);
            }
            at += 1;
        }
        opening
    }

    /// The opening of a line with these first bytes.
    fn of(head: u128) -> Option<&'static Self> {
        let opening = &OPENINGS[usize::from(head.to_le_bytes()[0] & 31)];
        opening.begins(head).then_some(opening)
    }

    /// Whether a line with these first bytes begins with this opening.
    #[inline]
    pub(crate) const fn begins(&self, head: u128) -> bool {
        head & self.compared | self.letters == self.bytes
    }
}

/// Indexed by the lowest five bits of the first letter, which are the same in upper and lower case. Of keys with the
/// same first letter, only the most frequent one is here: the others are parsed step by step.
static OPENINGS: [Opening; 32] = {
    let mut openings = [Opening::NEVER; 32];
    let keys = [
        Key::UserAgent,
        Key::Allow,
        Key::Disallow,
        Key::Sitemap,
        Key::CrawlDelay,
        Key::RequestRate,
        Key::VisitTime,
        Key::Host,
        Key::Noindex,
        Key::License,
        Key::TimeGate,
    ];
    let mut at = 0;
    while at < keys.len() {
        let opening = Opening::new(keys[at]);
        openings[(opening.bytes & 31) as usize] = opening;
        at += 1;
    }
    openings
};
