//! All integer casts and variable-width integers of this crate.

/// Counts and positions within one program: patterns come from a text with 32-bit positions.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "patterns come from texts of at most u32::MAX bytes")]
pub(crate) const fn u32_of(n: usize) -> u32 {
    debug_assert!(n <= u32::MAX as usize);
    n as u32
}

/// Appends `n` as LEB128: seven bits per byte, least significant first.
#[inline]
pub(crate) fn push_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(low_byte(n) | 0x80);
        n >>= 7;
    }
    out.push(low_byte(n));
}

/// Reads a LEB128 number at `*at` and moves `*at` past it. `None` when it is truncated or has more than 32 bits.
#[inline]
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(u32::from(first));
    }
    let mut n = u32::from(first & 0x7F);
    for shift in [7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        let bits = u32::from(byte & 0x7F);
        n |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
        if byte < 0x80 {
            return Some(n);
        }
    }
    None
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the caller wants the low byte")]
pub(crate) const fn low_byte(n: u32) -> u8 {
    n as u8
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the caller wants the low word")]
pub(crate) const fn low_word(n: u32) -> u16 {
    n as u16
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the caller wants the low half")]
pub(crate) const fn low_half(n: u64) -> u32 {
    n as u32
}

/// The width of an unsigned integer in a program's arrays.
pub(crate) trait Width: Copy {
    /// The number of bytes per item.
    const BYTES: usize;

    /// Item `index` of the array `items`.
    fn at(items: &[u8], index: usize) -> u32;

    /// All items of an array, in order.
    #[inline]
    fn all(items: &[u8]) -> impl Iterator<Item = u32> {
        items.chunks_exact(Self::BYTES).map(|item| Self::at(item, 0))
    }
}

/// One byte per item.
#[derive(Clone, Copy)]
pub(crate) struct Narrow;
/// Two bytes per item.
#[derive(Clone, Copy)]
pub(crate) struct Middle;
/// Four bytes per item.
#[derive(Clone, Copy)]
pub(crate) struct Wide;

impl Width for Narrow {
    const BYTES: usize = 1;

    #[inline]
    fn at(items: &[u8], index: usize) -> u32 {
        u32::from(items[index])
    }
}

impl Width for Middle {
    const BYTES: usize = 2;

    #[inline]
    fn at(items: &[u8], index: usize) -> u32 {
        u32::from(u16::from_le_bytes(items.as_chunks().0[index]))
    }
}

impl Width for Wide {
    const BYTES: usize = 4;

    #[inline]
    fn at(items: &[u8], index: usize) -> u32 {
        u32::from_le_bytes(items.as_chunks().0[index])
    }
}

/// The number of bytes per item that `largest` needs: 1, 2 or 4.
#[inline]
pub(crate) const fn width_for(largest: u32) -> usize {
    match largest {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        _ => 4,
    }
}

/// Appends the `width` low bytes of `n`, least significant first.
#[inline]
pub(crate) fn push_fixed(out: &mut Vec<u8>, n: u32, width: usize) {
    let [a, b, c, d] = n.to_le_bytes();
    match width {
        1 => out.push(a),
        2 => out.extend_from_slice(&[a, b]),
        3 => out.extend_from_slice(&[a, b, c]),
        _ => out.extend_from_slice(&[a, b, c, d]),
    }
}

/// Appends the `width` low bytes of each of `numbers`; `width` is 1, 2 or 4.
#[inline]
pub(crate) fn push_all(out: &mut Vec<u8>, numbers: &[u32], width: usize) {
    match width {
        1 => out.extend(numbers.iter().map(|&n| low_byte(n))),
        2 => out.extend(numbers.iter().flat_map(|n| [n.to_le_bytes()[0], n.to_le_bytes()[1]])),
        _ => out.extend(numbers.iter().flat_map(|n| n.to_le_bytes())),
    }
}

/// The number in the `width` bytes at `at`, least significant first; `width` is 1 to 8.
///
/// If eight bytes can be read, one load and one mask are enough for every width.
///
/// # Panics
/// When the bytes are out of range.
#[inline]
pub(crate) fn read_fixed(bytes: &[u8], at: usize, width: usize) -> u64 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight) & u64::MAX >> ((64 - 8 * width) & 63),
        None => read_last(bytes, at, width),
    }
}

/// Like [`read_fixed`], near the end of `bytes`.
#[cold]
fn read_last(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes[at..at + width].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
}

/// A number as an index.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "an index that does not fit is out of range either way")]
pub(crate) const fn index_of(n: u64) -> usize {
    n as usize
}

/// The first eight of `bytes` as a number with the same sort order; zeros replace missing bytes.
#[inline]
pub(crate) fn leading_bytes(bytes: &[u8]) -> u64 {
    // Two overlapping loads, shifted into position: copying so few bytes would cost a call.
    let shift = |missing: usize| 8 * u32_of(missing);
    match (bytes.first_chunk(), bytes.first_chunk(), bytes.last_chunk(), bytes) {
        (Some(eight), ..) => u64::from_be_bytes(*eight),
        (_, Some(first), Some(last), _) => {
            u64::from(u32::from_be_bytes(*first)) << 32
                | u64::from(u32::from_be_bytes(*last)) << shift(8 - bytes.len())
        }
        (.., &[first, .., last]) => {
            let middle = u64::from(bytes[1]) << 48;
            u64::from(first) << 56 | middle | u64::from(last) << shift(8 - bytes.len())
        }
        (.., &[only]) => u64::from(only) << 56,
        (.., []) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_bytes_sort_as_texts_do() {
        let text = b"\x01\xFF/abcdefgh";
        for end in 0..text.len() {
            let mut padded = [0; 8];
            let length = end.min(8);
            padded[..length].copy_from_slice(&text[..length]);
            assert_eq!(leading_bytes(&text[..end]), u64::from_be_bytes(padded), "{end} bytes");
        }
    }

    #[test]
    fn varints_round_trip_and_reject_truncated_or_too_large_numbers() {
        for n in [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, u32::MAX] {
            let mut out = Vec::new();
            push_varint(&mut out, n);
            let mut at = 0;
            assert_eq!(read_varint(&out, &mut at), Some(n));
            assert_eq!(at, out.len());
            assert_eq!(read_varint(&out[..out.len() - 1], &mut 0), None);
        }
        assert_eq!(read_varint(&[0xFF, 0xFF, 0xFF, 0xFF, 0x1F], &mut 0), None);
        assert_eq!(read_varint(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01], &mut 0), None);
    }
}
