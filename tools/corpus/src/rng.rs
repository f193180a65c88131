//! Random numbers that are a function of their inputs: the same on every machine, in every version and in any order of
//! calls.
//!
//! XXH3, whose values are specified, derives a number from a seed. SplitMix64 gives a sequence of numbers: it is five
//! lines of our own, so a library update cannot change it. This package uses no logarithm and no power, because their
//! last bit differs between machines.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The purpose of a derived number. It keeps the numbers of a site and a policy with the same index independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Policy = 1,
    Template,
    OwnRules,
    Group,
    Rule,
    Host,
    Share,
    Popularity,
    Draw,
    Url,
    Sections,
}

/// The number for `number` with this purpose, under `key`.
pub(crate) fn derive(key: u64, used: Use, number: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    xxh3_64_with_seed(&number.to_le_bytes(), key ^ (used as u64).wrapping_mul(ODD))
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(key: u64) -> Self {
        Rng(key)
    }

    pub(crate) fn of(key: u64, used: Use, number: u64) -> Self {
        Rng(derive(key, used, number))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to, not including, `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.next()) * u128::from(end);
        (product >> 64) as u64
    }

    /// As [`Rng::below`], for indices.
    pub(crate) fn place(&mut self, end: usize) -> usize {
        let below = self.below(end as u64);
        usize::try_from(below).expect("less than a length")
    }

    /// From 0 up to, not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        const BITS: u32 = 53;
        (self.next() >> (64 - BITS)) as f64 / (1u64 << BITS) as f64
    }

    /// True with a chance of `of_ten_thousand` in ten thousand.
    pub(crate) fn chance(&mut self, of_ten_thousand: u64) -> bool {
        self.below(10_000) < of_ten_thousand
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, list: &[&'t T]) -> &'t T {
        list[self.place(list.len())]
    }

    /// A number distributed according to `quantiles`.
    pub(crate) fn draw(&mut self, quantiles: &Quantiles) -> u64 {
        quantiles.at(self.unit())
    }
}

/// A distribution given by some of its quantiles: shares and values, both ascending, shares from 0 to 1.
///
/// Between two quantiles, values lie closer to the lower one, as in a long tail.
pub(crate) struct Quantiles(pub(crate) &'static [(f64, f64)]);

impl Quantiles {
    /// The value below which the share `share` of all values lies.
    pub(crate) fn at(&self, share: f64) -> u64 {
        let above = self.0.partition_point(|&(at, _)| at <= share).clamp(1, self.0.len() - 1);
        let ((low, from), (high, to)) = (self.0[above - 1], self.0[above]);
        let part = (share - low) / (high - low);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "tables of small counts")]
        let value = (from + (to - from) * part * part) as u64;
        value
    }
}

/// Appends a decimal number.
pub(crate) fn push_number(number: u64, out: &mut Vec<u8>) {
    const DIGITS: usize = 20;
    let (mut text, mut start, mut rest) = ([0; DIGITS], DIGITS, number);
    loop {
        start -= 1;
        text[start] = b'0' + u8::try_from(rest % 10).expect("a digit");
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&text[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_met_at_their_shares() {
        let table = Quantiles(&[(0.0, 1.0), (0.5, 8.0), (0.9, 56.0), (1.0, 1000.0)]);
        assert_eq!([0.0, 0.5, 0.9, 1.0].map(|share| table.at(share)), [1, 8, 56, 1000]);
        assert!((8..56).contains(&table.at(0.7)));
    }

    #[test]
    fn random_numbers_stay_within_their_bounds() {
        let mut rng = Rng::of(7, Use::Rule, 3);
        assert!((0..1000).all(|_| rng.below(6) < 6 && rng.unit() < 1.0));
        assert_eq!(rng.below(0), 0);
    }

    #[test]
    fn numbers_are_written_in_full() {
        let mut text = Vec::new();
        for number in [0, 10, u64::MAX] {
            push_number(number, &mut text);
            text.push(b' ');
        }
        assert_eq!(text, b"0 10 18446744073709551615 ");
    }
}
