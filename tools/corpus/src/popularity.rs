//! The number of URLs of each site in a frontier: few sites have most of them.
//!
//! A site's rank is its number, multiplied and shifted modulo the number of sites. This permutation is computed in both
//! directions and never stored. The site of rank `r` has a weight of `1 / (r + FLAT)`.

use robomata_engine::Access;

use crate::rng::{Rng, Use, derive};

/// Flattens the top, so that no single site has half of a frontier.
const FLAT: u64 = 8;
/// Weights are integers in this unit, so that sums are the same in any order of addition.
const UNIT: u64 = 1 << 40;

/// The ranks of sites.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Popularity {
    sites: u64,
    step: u64,
    back: u64,
    shift: u64,
}

impl Popularity {
    pub(crate) fn new(seed: u64, sites: u64) -> Self {
        let sites = sites.max(1);
        let start = 1 + derive(seed, Use::Popularity, 0) % sites;
        let step = (start..).find(|&step| gcd(step, sites) == 1).expect("a prime at the latest");
        let step = step % sites;
        let shift = derive(seed, Use::Popularity, 1) % sites;
        Popularity { sites, step, back: inverse(step, sites), shift }
    }

    /// The rank of a site, 0 for the most popular one.
    fn rank(&self, site: u64) -> u64 {
        (multiply(site, self.step, self.sites) + self.shift) % self.sites
    }

    fn site(&self, rank: u64) -> u64 {
        multiply((rank + self.sites - self.shift) % self.sites, self.back, self.sites)
    }

    /// The weight of `site`. A site that is closed to crawlers weighs as little as the least popular one.
    pub(crate) fn weight(&self, site: u64, access: Access) -> u64 {
        let rank = match access {
            Access::Allow => self.rank(site),
            Access::Disallow => self.sites,
        };
        UNIT / (rank + FLAT)
    }

    /// A random site, by weight.
    pub(crate) fn draw(&self, rng: &mut Rng, access: impl Fn(u64) -> Access) -> u64 {
        // Under 1/x, the intervals from FLAT to 2 FLAT, from 2 FLAT to 4 FLAT and so on have equal weight. Draw one of
        // them, then a site within it by rejection.
        let octaves = (self.sites / FLAT + 1).ilog2() + 1;
        loop {
            let octave = FLAT << rng.below(u64::from(octaves));
            let at = octave + rng.below(octave);
            if at - FLAT >= self.sites || rng.below(at) >= octave {
                continue;
            }
            let site = self.site(at - FLAT);
            if access(site) == Access::Allow || rng.below(self.sites + FLAT) < at {
                return site;
            }
        }
    }
}

fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(modulus);
    u64::try_from(product).expect("less than its modulus")
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The modular inverse of `step` modulo `modulus`, by the extended Euclidean algorithm.
fn inverse(step: u64, modulus: u64) -> u64 {
    let modulus = i128::from(modulus);
    let (mut remainder, mut next) = (modulus, i128::from(step));
    let (mut factor, mut next_factor) = (0, 1);
    while next != 0 {
        let quotient = remainder / next;
        (remainder, next) = (next, remainder - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    u64::try_from(factor.rem_euclid(modulus)).expect("less than its modulus")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_a_permutation() {
        for sites in [1, 2, 3, 10, 97, 1000, 10_000_000] {
            let popularity = Popularity::new(3, sites);
            for site in (0..sites).step_by(1 + usize::try_from(sites / 1000).unwrap()) {
                assert_eq!(popularity.site(popularity.rank(site)), site, "{sites}");
            }
        }
    }

    #[test]
    fn draws_follow_weights() {
        let popularity = Popularity::new(3, 100);
        let access = |site| if site == 7 { Access::Disallow } else { Access::Allow };
        let mut drawn = [0u64; 100];
        let mut rng = Rng::new(1);
        for _ in 0..100_000 {
            let site = popularity.draw(&mut rng, access);
            drawn[usize::try_from(site).unwrap()] += 1;
        }
        let weight = |site| popularity.weight(site, access(site));
        let total: u64 = (0..100).map(weight).sum();
        for (site, &drawn) in (0..).zip(&drawn) {
            let expected = weight(site) as f64 / total as f64 * 100_000.0;
            assert!((drawn as f64 - expected).abs() < 60.0 + expected / 10.0, "{site}: {drawn} {expected}");
        }
    }
}
