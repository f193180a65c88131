//! Samples of URLs.

use std::fmt;
use std::str::FromStr;

use xxhash_rust::xxh3::xxh3_64;

/// A sample of URLs. Only the URL itself determines whether it is in the sample, so different runs can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(f64);

/// The text is not a valid [`Share`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoShare;

impl fmt::Display for NoShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected 'all' or a number from 0 to 1")
    }
}

impl std::error::Error for NoShare {}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Self, NoShare> {
        let rate = if text == "all" { 1.0 } else { text.parse().map_err(|_| NoShare)? };
        if (0.0..=1.0).contains(&rate) { Ok(Share(rate)) } else { Err(NoShare) }
    }
}

impl Share {
    /// Every URL.
    pub const ALL: Share = Share(1.0);

    /// Is `url` in the sample?
    pub fn holds(self, url: &[u8]) -> bool {
        /// The number of hash bits that a float can represent.
        const BITS: u32 = 53;
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let place = (xxh3_64(url) >> (u64::BITS - BITS)) as f64 / (1_u64 << BITS) as f64;
        place < self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_numbers_or_all() {
        assert_eq!("all".parse(), Ok(Share::ALL));
        assert_eq!("0.25".parse(), Ok(Share(0.25)));
        for stranger in ["", "-0.1", "1.1", "nan", "some", "10%"] {
            assert_eq!(stranger.parse::<Share>(), Err(NoShare), "{stranger}");
        }
    }

    #[test]
    fn a_share_holds_about_the_right_fraction() {
        let held = |share: f64| {
            (0..10_000)
                .filter(|number| Share(share).holds(format!("https://example.com/{number}").as_bytes()))
                .count()
        };
        assert_eq!((held(0.0), held(1.0)), (0, 10_000));
        assert!((900..1100).contains(&held(0.1)), "{}", held(0.1));
    }
}
