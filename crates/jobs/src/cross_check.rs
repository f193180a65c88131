//! Cross-checks a sample of a filter's answers with the reference, which reads the robots.txt itself.

mod usages;

use std::fmt;
use std::str::FromStr;

use robomata_engine::{Answer, Crawler, Dialect, Moment, Site, UsageQuery};
use xxhash_rust::xxh3::xxh3_64;

use self::usages::UsageReference;
use crate::bodies::Bodies;
use crate::events::Divergence;

/// A cross-check: the sample of answers, and the bodies for the reference.
#[derive(Clone, Copy, Debug)]
pub struct CrossCheck<'s> {
    /// The bodies that the store was compiled from.
    pub bodies: &'s Bodies,
    /// The dialect that the store was compiled in.
    pub dialect: Dialect,
    /// The usage that the answers are about.
    pub usage_query: &'s UsageQuery,
    /// The time of the query: see [`Checker::at`](robomata_engine::Checker::at).
    pub now: Option<Moment>,
    /// The sample of URLs.
    pub share: Share,
}

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

impl<'s> CrossCheck<'s> {
    pub(crate) fn checker(&self, crawlers: &'s [Crawler]) -> CrossChecker<'s> {
        CrossChecker { check: *self, crawlers, last_site: Vec::new(), last: None }
    }
}

/// Checks answers with the reference; one for each thread.
pub(crate) struct CrossChecker<'s> {
    check: CrossCheck<'s>,
    crawlers: &'s [Crawler],
    last_site: Vec<u8>,
    /// The references for the last site, one for each crawler; none if its policy is unknown.
    last: Option<Vec<UsageReference<'s>>>,
}

impl CrossChecker<'_> {
    /// Checks the answers for `url` if it is in the sample. Returns the number of answers that were checked.
    pub(crate) fn check(&mut self, url: &[u8], answers: &[Answer], divergences: &mut Vec<Divergence>) -> u64 {
        if !self.check.share.holds(url) {
            return 0;
        }
        let mut compared = 0;
        let site = Site::of_url(url).ok();
        if let Some(site) = &site {
            self.turn_to(site);
        }
        for (index, (&engine, crawler)) in answers.iter().zip(self.crawlers).enumerate() {
            let reference = match (&site, &self.last) {
                (None, _) => Answer::Invalid,
                (Some(_), None) => Answer::Unknown,
                (Some(_), Some(references)) => match references[index].judge(url) {
                    Some(answer) => answer,
                    None => continue,
                },
            };
            compared += 1;
            if (engine.as_str(), engine.line()) != (reference.as_str(), reference.line()) {
                divergences.push(Divergence {
                    site: site.as_ref().map(ToString::to_string),
                    url: String::from_utf8_lossy(url).into_owned(),
                    crawler: crawler.clone(),
                    engine,
                    reference,
                });
            }
        }
        compared
    }

    /// Prepares the references for `site`. They are kept until the site changes: URLs usually come grouped by site, and
    /// reading the robots.txt again for each URL would be very slow.
    fn turn_to(&mut self, site: &Site<'_>) {
        if site.as_bytes() == self.last_site {
            return;
        }
        self.last_site.clear();
        self.last_site.extend_from_slice(site.as_bytes());
        self.last = self.check.bodies.of(site).map(|kept| {
            let reference = |crawler| UsageReference::new(kept, crawler, &self.check);
            self.crawlers.iter().map(reference).collect()
        });
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
