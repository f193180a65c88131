//! Operations on sixteen bytes at a time: the few vector operations that scans need. Also a prefetch.
//!
//! Every x86-64 processor has SSE2, so its instructions need no detection. A WebAssembly module with vector instructions says
//! so when it is built. On other platforms, the same operations are loops over arrays with the same results. Tests compare
//! them; `RUSTFLAGS='--cfg robomata_portable'` builds everything with the loops.

/// The number of bytes in a block.
pub(crate) const BLOCK: usize = 16;

/// Texts of up to this many blocks always use this many blocks. Nearly every URL then takes the same instructions,
/// without a loop whose length the processor would have to predict.
const COMMON_BLOCKS: usize = 6;

/// Calls `each` with runs of N bytes, 16 bytes apart, that together contain every byte of `text` and every N - 15
/// consecutive bytes; the last runs overlap the ones before. Returns false when the text is shorter than a run.
#[inline(always)]
fn for_each_run<const N: usize>(text: &[u8], mut each: impl FnMut(&[u8; N])) -> bool {
    let Some(last) = text.len().checked_sub(N) else { return false };
    let mut run_at = |at: usize| {
        if let Some(run) = text.get(at..).and_then(<[u8]>::first_chunk) {
            each(run);
        }
    };
    let mut at = 0;
    while at + (COMMON_BLOCKS - 1) * BLOCK < last {
        run_at(at);
        at += BLOCK;
    }
    for block in 0..COMMON_BLOCKS - 1 {
        run_at(last.min(at + block * BLOCK));
    }
    run_at(last);
    true
}

/// The blocks that together cover `text`; an incomplete block is filled with `filler`.
#[inline(always)]
pub(crate) fn for_each_block(text: &[u8], filler: u8, mut each: impl FnMut(Block)) {
    if !for_each_run(text, |run| each(Block::new(run))) {
        let mut block = [filler; BLOCK];
        block[..text.len()].copy_from_slice(text);
        each(Block::new(&block));
    }
}

/// Starts to load the cache line at `at` of `bytes`, and does not wait for it. Does nothing on some platforms.
#[inline(always)]
pub fn prefetch(bytes: &[u8], at: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(robomata_portable)))]
    sse2::prefetch(bytes.as_ptr().wrapping_add(at));
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(robomata_portable))))]
    let _ = (bytes, at);
}

/// The first position of `byte` in `text`. Faster than a call for positions within the first few dozen bytes.
#[inline]
pub fn position(text: &[u8], byte: u8) -> Option<usize> {
    let wanted = Block::splat(byte);
    position_by(text, |block| block.equals(wanted), |other| other == byte)
}

/// The first position of a byte that `is_wanted`. `find` returns the same for a block, as 0x80 and more.
#[inline(always)]
pub(crate) fn position_by(
    text: &[u8],
    find: impl Fn(Block) -> Block,
    is_wanted: impl Fn(u8) -> bool,
) -> Option<usize> {
    let mut at = 0;
    while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let found = find(Block::new(block)).mask();
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    text[at..].iter().position(|&byte| is_wanted(byte)).map(|place| at + place)
}

/// Whether `byte` occurs in `text`.
#[inline]
pub(crate) fn contains(text: &[u8], byte: u8) -> bool {
    let wanted = Block::splat(byte);
    let mut seen = Block::splat(0);
    for_each_block(text, !byte, |block| seen = seen.or(block.equals(wanted)));
    seen.any_high()
}

/// Whether `first` occurs in `text` directly followed by `second`.
#[inline]
pub(crate) fn contains_pair(text: &[u8], first: u8, second: u8) -> bool {
    let (wanted_first, wanted_second) = (Block::splat(first), Block::splat(second));
    let mut seen = Block::splat(0);
    let long = for_each_run(text, |run: &[u8; BLOCK + 1]| {
        if let (Some(firsts), Some(seconds)) = (run.first_chunk(), run.last_chunk()) {
            let (firsts, seconds) = (Block::new(firsts), Block::new(seconds));
            seen = seen.or(firsts.equals(wanted_first).and(seconds.equals(wanted_second)));
        }
    });
    if long { seen.any_high() } else { text.windows(2).any(|pair| pair == [first, second]) }
}

/// Whether `text` begins with `start`. For up to 32 bytes, two overlapping loads are faster than a call.
#[inline]
pub fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|text| equal(text, start))
}

/// Whether two texts of the same length are equal.
#[inline(always)]
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    match a.len() {
        0..2 => a.first() == b.first(),
        2..4 => same_ends::<2>(a, b),
        4..8 => same_ends::<4>(a, b),
        8..16 => same_ends::<8>(a, b),
        16..=32 => same_ends::<16>(a, b),
        _ => a == b,
    }
}

/// Whether two texts of the same length, between N and 2 N bytes, have the same first N and the same last N bytes.
#[inline(always)]
fn same_ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
    a.first_chunk::<N>() == b.first_chunk() && a.last_chunk::<N>() == b.last_chunk()
}

/// The first position of `wanted`, which is not empty, in `text`. The search looks for the byte at `rare` and the one
/// next to it at sixteen positions at a time, then compares the whole text; it calls `compared` for each comparison.
/// After too many failed comparisons, it switches to a search that is linear for any bytes.
#[inline]
pub(crate) fn find(text: &[u8], wanted: &[u8], rare: usize, mut compared: impl FnMut()) -> Option<usize> {
    const PATIENCE: u32 = 24;
    let places = (text.len() + 1).checked_sub(wanted.len())?;
    let neighbor = if rare + 1 < wanted.len() { rare + 1 } else { rare.saturating_sub(1) };
    let (rare_byte, neighbor_byte) = (Block::splat(wanted[rare]), Block::splat(wanted[neighbor]));
    let block_at = |at: usize| text.get(at..).and_then(<[u8]>::first_chunk).map(Block::new);
    let mut in_vain = 0;
    let mut from = 0;
    while from < places {
        // The last blocks overlap those before, so that they end with the text.
        let start = from.min(places.saturating_sub(BLOCK));
        let (Some(a), Some(b)) = (block_at(start + rare), block_at(start + neighbor)) else {
            return (from..places).find(|&at| text[at..].starts_with(wanted));
        };
        let mut found = a.equals(rare_byte).and(b.equals(neighbor_byte)).mask();
        while found != 0 {
            let at = start + found.trailing_zeros() as usize;
            compared();
            if at < places && equal(&text[at..at + wanted.len()], wanted) {
                return Some(at);
            }
            found &= found - 1;
            in_vain += 1;
        }
        if in_vain > PATIENCE {
            return memchr::memmem::find(&text[start..], wanted).map(|at| start + at);
        }
        from = start + BLOCK;
    }
    None
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", any(test, not(robomata_portable))))]
#[expect(unsafe_code, reason = "vector instructions; see the module documentation")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128,
        _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };

    use super::BLOCK;

    /// Starts to load the cache line at `address`.
    #[cfg(not(robomata_portable))]
    #[inline(always)]
    pub(crate) fn prefetch(address: *const u8) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction changes nothing but the cache, and has no effect at an invalid address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Block(__m128i);

    impl Block {
        #[inline]
        pub(crate) fn new(bytes: &[u8; BLOCK]) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2. The load needs 16 readable bytes, which
            // the reference guarantees, and no alignment.
            Block(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
        }

        #[inline]
        pub(crate) fn splat(byte: u8) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_set1_epi8(byte.cast_signed()) })
        }

        /// 0xFF where the bytes are equal, otherwise 0.
        #[inline]
        pub(crate) fn equals(self, other: Self) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
        }

        #[inline]
        pub(crate) fn or(self, other: Self) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_or_si128(self.0, other.0) })
        }

        #[inline]
        pub(crate) fn and(self, other: Self) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_and_si128(self.0, other.0) })
        }

        /// The sums of the bytes, modulo 256.
        #[inline]
        pub(crate) fn plus(self, other: Self) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_add_epi8(self.0, other.0) })
        }

        /// 0xFF where the byte is less as a number of -128 to 127, otherwise 0.
        #[inline]
        pub(crate) fn less(self, other: Self) -> Self {
            // SAFETY: the module is only compiled for targets that have SSE2.
            Block(unsafe { _mm_cmplt_epi8(self.0, other.0) })
        }

        /// A bit for each byte that is 0x80 or more, the lowest for the first.
        #[inline]
        pub(crate) fn mask(self) -> u32 {
            // SAFETY: the module is only compiled for targets that have SSE2.
            let mask = unsafe { _mm_movemask_epi8(self.0) };
            mask.cast_unsigned()
        }

        /// Whether any byte is 0x80 or more.
        #[inline]
        pub(crate) fn any_high(self) -> bool {
            self.mask() != 0
        }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128", any(test, not(robomata_portable))))]
#[expect(unsafe_code, reason = "vector instructions; see the module documentation")]
mod simd128 {
    use std::arch::wasm32::{
        i8x16_add, i8x16_bitmask, i8x16_lt, u8x16_eq, u8x16_splat, v128, v128_and, v128_any_true, v128_load,
        v128_or,
    };

    use super::BLOCK;

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Block(v128);

    impl Block {
        #[inline]
        pub(crate) fn new(bytes: &[u8; BLOCK]) -> Self {
            // SAFETY: the load needs 16 readable bytes, which the reference guarantees, and no alignment.
            Block(unsafe { v128_load(bytes.as_ptr().cast()) })
        }

        #[inline]
        pub(crate) fn splat(byte: u8) -> Self {
            Block(u8x16_splat(byte))
        }

        /// 0xFF where the bytes are equal, otherwise 0.
        #[inline]
        pub(crate) fn equals(self, other: Self) -> Self {
            Block(u8x16_eq(self.0, other.0))
        }

        #[inline]
        pub(crate) fn or(self, other: Self) -> Self {
            Block(v128_or(self.0, other.0))
        }

        #[inline]
        pub(crate) fn and(self, other: Self) -> Self {
            Block(v128_and(self.0, other.0))
        }

        /// The sums of the bytes, modulo 256.
        #[inline]
        pub(crate) fn plus(self, other: Self) -> Self {
            Block(i8x16_add(self.0, other.0))
        }

        /// 0xFF where the byte is less as a number of -128 to 127, otherwise 0.
        #[inline]
        pub(crate) fn less(self, other: Self) -> Self {
            Block(i8x16_lt(self.0, other.0))
        }

        /// A bit for each byte that is 0x80 or more, the lowest for the first.
        #[inline]
        pub(crate) fn mask(self) -> u32 {
            i8x16_bitmask(self.0).into()
        }

        /// Whether any byte is 0x80 or more.
        #[inline]
        pub(crate) fn any_high(self) -> bool {
            v128_any_true(v128_and(self.0, u8x16_splat(0x80)))
        }
    }
}

#[cfg(any(
    test,
    robomata_portable,
    not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
mod portable {
    use super::BLOCK;

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(crate) struct Block([u8; BLOCK]);

    impl Block {
        #[inline]
        pub(crate) fn new(bytes: &[u8; BLOCK]) -> Self {
            Block(*bytes)
        }

        #[inline]
        pub(crate) fn splat(byte: u8) -> Self {
            Block([byte; BLOCK])
        }

        /// 0xFF where the bytes are equal, otherwise 0.
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

        /// The sums of the bytes, modulo 256.
        #[inline]
        pub(crate) fn plus(self, other: Self) -> Self {
            Block(std::array::from_fn(|at| self.0[at].wrapping_add(other.0[at])))
        }

        /// 0xFF where the byte is less as a number of -128 to 127, otherwise 0.
        #[inline]
        pub(crate) fn less(self, other: Self) -> Self {
            let is_less = |at: usize| self.0[at].cast_signed() < other.0[at].cast_signed();
            Block(std::array::from_fn(|at| if is_less(at) { 0xFF } else { 0 }))
        }

        /// A bit for each byte that is 0x80 or more, the lowest for the first.
        #[inline]
        pub(crate) fn mask(self) -> u32 {
            self.0.iter().rev().fold(0, |mask, byte| mask << 1 | u32::from(byte >> 7))
        }

        /// Whether any byte is 0x80 or more.
        #[inline]
        pub(crate) fn any_high(self) -> bool {
            u128::from_ne_bytes(self.0) & u128::from_ne_bytes([0x80; BLOCK]) != 0
        }
    }
}

#[cfg(any(
    robomata_portable,
    not(any(
        all(target_arch = "x86_64", target_feature = "sse2"),
        all(target_arch = "wasm32", target_feature = "simd128")
    ))
))]
pub(crate) use portable::Block;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(robomata_portable)))]
pub(crate) use simd128::Block;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(robomata_portable)))]
pub(crate) use sse2::Block;

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of every operation on two blocks, byte by byte. A block can only be inspected through the mask of
    /// its high bytes.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    macro_rules! seen_through {
        ($block:ty, $a:expr, $b:expr) => {{
            let (a, b) = (<$block>::new($a), <$block>::new($b));
            let places: [[u8; BLOCK]; BLOCK] =
                std::array::from_fn(|at| std::array::from_fn(|other| if at == other { 0xFF } else { 0 }));
            let bytes = |block: $block| {
                places.map(|place| {
                    let is = |byte| block.equals(<$block>::splat(byte)).and(<$block>::new(&place)).any_high();
                    (0..=0xFF).filter(|&byte| is(byte)).collect::<Vec<u8>>()
                })
            };
            let blocks = [a, a.equals(b), a.or(b), a.and(b), a.plus(b), a.less(b), <$block>::splat($b[0])];
            (blocks.map(bytes), blocks.map(<$block>::any_high), blocks.map(<$block>::mask))
        }};
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[test]
    fn loops_and_vector_instructions_agree() {
        let mut random = fastrand::Rng::with_seed(16);
        for round in 0..=0xFF {
            let a: [u8; BLOCK] = std::array::from_fn(|_| random.u8(..));
            let b = a.map(|byte| if random.bool() { byte } else { round });
            for (a, b) in
                [(a, b), ([round; BLOCK], [round; BLOCK]), ([round; BLOCK], b), ([round & 0x7F; BLOCK], b)]
            {
                assert_eq!(
                    seen_through!(portable::Block, &a, &b),
                    seen_through!(sse2::Block, &a, &b),
                    "{a:?} {b:?}"
                );
            }
        }
    }

    /// After many comparisons in vain, the search goes on from the block at hand.
    #[test]
    fn a_text_is_found_after_many_like_it() {
        for pairs in 0..100 {
            let text = format!("{}xyz", "xy".repeat(pairs));
            assert_eq!(find(text.as_bytes(), b"xyz", 0, || ()), Some(2 * pairs));
        }
    }

    #[test]
    fn a_pair_is_found_at_every_position() {
        for length in 0..150 {
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
    fn texts_are_compared_whole_whatever_their_length() {
        for length in 0..150 {
            let mut text = vec![b'a'; length + 3];
            let start = vec![b'a'; length];
            assert!(begins_with(&text, &start) && begins_with(&start, &start));
            assert!(!begins_with(&start, &text));
            for at in 0..length {
                text[at] = b'b';
                assert!(!begins_with(&text, &start), "{at} of {length}");
                text[at] = b'a';
            }
        }
    }

    #[test]
    fn a_segment_is_found_where_it_first_occurs() {
        for length in 0..90 {
            for wanted in [&b"x"[..], b"xx", b"xy", b"xyz", b"xxxxxxxxxxxxxxxxxxxxy"] {
                for rare in 0..wanted.len() {
                    let mut text = vec![b'x'; length];
                    let naive = |text: &[u8]| text.windows(wanted.len()).position(|window| window == wanted);
                    assert_eq!(find(&text, wanted, rare, || {}), naive(&text));
                    for at in 0..(length + 1).saturating_sub(wanted.len()) {
                        text[at..at + wanted.len()].copy_from_slice(wanted);
                        assert_eq!(find(&text, wanted, rare, || {}), naive(&text), "{at} of {length}");
                        text[at..at + wanted.len()].fill(b'.');
                    }
                }
            }
        }
        // After many pairs in vain, another search goes on, in a block that is not the first.
        let text = [b".".repeat(20), b"ab".repeat(40), b"abc".to_vec()].concat();
        assert_eq!(find(&text, b"abc", 0, || {}), Some(100));
    }

    #[test]
    fn common_texts_take_the_same_number_of_blocks_and_longer_ones_no_more_than_they_have() {
        for length in 0..200 {
            let mut blocks = 0;
            for_each_block(&vec![b'a'; length], b'a', |_| blocks += 1);
            let expected = if length < BLOCK { 1 } else { length.div_ceil(BLOCK).max(COMMON_BLOCKS) };
            assert_eq!(blocks, expected, "{length} bytes");
        }
    }

    /// The number of comparisons in a search that finds nothing.
    fn comparisons(text: &[u8], wanted: &[u8], rare: usize) -> u32 {
        let mut count = 0;
        assert_eq!(find(text, wanted, rare, || count += 1), None);
        count
    }

    #[test]
    fn a_segment_is_compared_only_where_two_of_its_bytes_agree() {
        assert_eq!(comparisons(&b"~.".repeat(100), b"~ab", 0), 0);
        assert_eq!(comparisons(&b".~".repeat(100), b"ab~", 2), 0);
        let both = [b"~.a".repeat(16), b"~~".to_vec()].concat();
        assert_eq!(comparisons(&both, b".a.", 0), 16);
    }

    #[test]
    fn a_search_gives_up_comparing_after_enough_failures() {
        // One failure for each block of positions; 24 of them are not yet too many.
        let text = b"~a..............".repeat(100);
        assert_eq!(comparisons(&text, b"~ab", 0), 25);
        assert_eq!(comparisons(&text[..24 * BLOCK], b"~ab", 0), 24);
    }

    #[test]
    fn a_byte_is_found_at_every_position() {
        for length in 0..150 {
            for byte in [0, b'?', 0x80, 0xFF] {
                let mut text = vec![b'a'; length];
                assert!(!contains(&text, byte));
                assert_eq!(position(&text, byte), None);
                for at in 0..length {
                    text[at] = byte;
                    assert!(contains(&text, byte), "{byte} at {at} of {length}");
                    text[length - 1] = byte;
                    assert_eq!(position(&text, byte), Some(at), "{byte} at {at} of {length}");
                    text[length - 1] = b'a';
                    text[at] = b'a';
                }
            }
        }
    }
}
