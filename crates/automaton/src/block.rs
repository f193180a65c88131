//! Sixteen octets at a time: the few vector operations that scans are made of.
//!
//! Every x86-64 has SSE2, so its instructions need no detection; elsewhere the same operations are loops over arrays,
//! with the same answers.

/// Octets in a block.
pub(crate) const BLOCK: usize = 16;

/// The blocks that together cover `text`; the last one overlaps the one before, and one that is not full is filled with
/// `filler`. Every octet is in at least one of them.
#[inline]
pub(crate) fn for_each_block(text: &[u8], filler: u8, mut each: impl FnMut(Block)) {
    match text.last_chunk() {
        Some(last) => {
            for block in text.as_chunks().0 {
                each(Block::new(block));
            }
            each(Block::new(last));
        }
        None => {
            let mut block = [filler; BLOCK];
            block[..text.len()].copy_from_slice(text);
            each(Block::new(&block));
        }
    }
}

/// Does `octet` occur in `text`?
#[inline]
pub(crate) fn contains(text: &[u8], octet: u8) -> bool {
    let wanted = Block::splat(octet);
    let mut seen = Block::splat(0);
    for_each_block(text, !octet, |block| seen = seen.or(block.equals(wanted)));
    seen.any_high()
}

/// Does `first` occur in `text` with `second` right behind it?
#[inline]
pub(crate) fn contains_pair(text: &[u8], first: u8, second: u8) -> bool {
    let (Some((_, behind)), Some((_, before))) = (text.split_first(), text.split_last()) else {
        return false;
    };
    let (wanted_before, wanted_behind) = (Block::splat(first), Block::splat(second));
    let both = |before: Block, behind: Block| before.equals(wanted_before).and(behind.equals(wanted_behind));
    let mut seen = Block::splat(0);
    match (before.last_chunk(), behind.last_chunk()) {
        (Some(last_before), Some(last_behind)) => {
            for (before, behind) in before.as_chunks().0.iter().zip(behind.as_chunks().0) {
                seen = seen.or(both(Block::new(before), Block::new(behind)));
            }
            seen = seen.or(both(Block::new(last_before), Block::new(last_behind)));
        }
        _ => {
            let (mut before_block, mut behind_block) = ([!first; BLOCK], [0; BLOCK]);
            before_block[..before.len()].copy_from_slice(before);
            behind_block[..behind.len()].copy_from_slice(behind);
            seen = both(Block::new(&before_block), Block::new(&behind_block));
        }
    }
    seen.any_high()
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[expect(unsafe_code, reason = "vector instructions; what they gain is noted at the module's head")]
mod arch {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8,
    };

    use super::BLOCK;

    /// Sixteen octets.
    #[derive(Clone, Copy)]
    pub(crate) struct Block(__m128i);

    impl Block {
        #[inline]
        pub(crate) fn new(octets: &[u8; BLOCK]) -> Self {
            // SAFETY: the module is only compiled where SSE2 is always there. The load needs 16 readable octets, which
            // the reference is, and no alignment.
            Block(unsafe { _mm_loadu_si128(octets.as_ptr().cast()) })
        }

        #[inline]
        pub(crate) fn splat(octet: u8) -> Self {
            // SAFETY: the module is only compiled where SSE2 is always there.
            Block(unsafe { _mm_set1_epi8(octet.cast_signed()) })
        }

        /// 0xFF where the octets are equal, else 0.
        #[inline]
        pub(crate) fn equals(self, other: Self) -> Self {
            // SAFETY: the module is only compiled where SSE2 is always there.
            Block(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
        }

        #[inline]
        pub(crate) fn or(self, other: Self) -> Self {
            // SAFETY: the module is only compiled where SSE2 is always there.
            Block(unsafe { _mm_or_si128(self.0, other.0) })
        }

        #[inline]
        pub(crate) fn and(self, other: Self) -> Self {
            // SAFETY: the module is only compiled where SSE2 is always there.
            Block(unsafe { _mm_and_si128(self.0, other.0) })
        }

        /// Is any octet 0x80 or more?
        #[inline]
        pub(crate) fn any_high(self) -> bool {
            // SAFETY: the module is only compiled where SSE2 is always there.
            let mask = unsafe { _mm_movemask_epi8(self.0) };
            mask != 0
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
mod arch {
    use super::BLOCK;

    /// Sixteen octets.
    #[derive(Clone, Copy)]
    pub(crate) struct Block([u8; BLOCK]);

    impl Block {
        #[inline]
        pub(crate) fn new(octets: &[u8; BLOCK]) -> Self {
            Block(*octets)
        }

        #[inline]
        pub(crate) fn splat(octet: u8) -> Self {
            Block([octet; BLOCK])
        }

        /// 0xFF where the octets are equal, else 0.
        #[inline]
        pub(crate) fn equals(self, other: Self) -> Self {
            Block(std::array::from_fn(|at| if self.0[at] == other.0[at] { 0xFF } else { 0 }))
        }

        #[inline]
        pub(crate) fn or(self, other: Self) -> Self {
            Block(std::array::from_fn(|at| self.0[at] | other.0[at]))
        }

        #[inline]
        pub(crate) fn and(self, other: Self) -> Self {
            Block(std::array::from_fn(|at| self.0[at] & other.0[at]))
        }

        /// Is any octet 0x80 or more?
        #[inline]
        pub(crate) fn any_high(self) -> bool {
            u128::from_ne_bytes(self.0) & u128::from_ne_bytes([0x80; BLOCK]) != 0
        }
    }
}

pub(crate) use arch::Block;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_seen_wherever_it_stands() {
        for length in 0..70 {
            for (first, second) in [(b'x', b'y'), (b'x', b'x'), (0, 0xFF), (0xFF, 0)] {
                let mut text = vec![b'a'; length];
                assert!(!contains_pair(&text, first, second));
                for at in 0..length {
                    text[at] = first;
                    assert!(!contains_pair(&text, first, second));
                    if at + 1 < length {
                        text[at + 1] = second;
                        assert!(contains_pair(&text, first, second), "{first} {second} at {at} of {length}");
                        text[at + 1] = b'a';
                    }
                    text[at] = b'a';
                }
            }
        }
    }

    #[test]
    fn an_octet_is_seen_wherever_it_stands() {
        for length in 0..70 {
            for octet in [0, b'?', 0x80, 0xFF] {
                let mut text = vec![b'a'; length];
                assert!(!contains(&text, octet));
                for at in 0..length {
                    text[at] = octet;
                    assert!(contains(&text, octet), "{octet} at {at} of {length}");
                    text[at] = b'a';
                }
            }
        }
    }
}
