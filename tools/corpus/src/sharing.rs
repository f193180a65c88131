//! Which sites share a robots.txt.
//!
//! Every policy has one home: the site that it was written for. Homes are spread evenly over the sites. All other sites
//! copy a policy: a few policies are copied by very many sites, the others by fewer and fewer.

use crate::rng::{Rng, Use};

/// Shares of all sites that have the most shared bodies.
const HEADS: [f64; 4] = [0.138, 0.036, 0.036, 0.028];
/// The share of sites that copied their policy in the collection where `HEADS` was counted.
const TAKEN_OVER: f64 = 0.56;

/// Sites and the policies among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    seed: u64,
    sites: u64,
    policies: u64,
}

impl Sharing {
    pub(crate) fn new(seed: u64, sites: u64, policies: u64) -> Self {
        let sites = sites.max(1);
        Sharing { seed, sites, policies: policies.clamp(1, sites) }
    }

    /// The policy of `site`.
    pub(crate) fn policy_of(&self, site: u64) -> u64 {
        let before = scale(site, self.policies, self.sites);
        if scale(site + 1, self.policies, self.sites) > before {
            return before;
        }
        self.taken_over(&mut Rng::of(self.seed, Use::Share, site))
    }

    /// The site that `policy` was written for. For a policy that no site has, the number is not that of a site.
    pub(crate) fn home_of(&self, policy: u64) -> u64 {
        if policy >= self.policies {
            return self.sites.saturating_add(policy);
        }
        // The last site for which `policy_of` counts `policy` homes before it.
        let end = (u128::from(policy) + 1) * u128::from(self.sites);
        narrow(end.div_ceil(u128::from(self.policies)) - 1)
    }

    fn taken_over(&self, rng: &mut Rng) -> u64 {
        let taken_over = 1.0 - self.policies as f64 / self.sites as f64;
        let scale = (taken_over / TAKEN_OVER).min(1.0);
        let mut at = rng.unit() * taken_over;
        for (policy, share) in (0..self.policies).zip(HEADS) {
            at -= share * scale;
            if at < 0.0 {
                return policy;
            }
        }
        self.of_tail(rng)
    }

    /// A policy after the heads. The nth is copied n^-1.25 times as often; square roots suffice for this exponent.
    fn of_tail(&self, rng: &mut Rng) -> u64 {
        let first = HEADS.len() as u64;
        if self.policies <= first {
            return rng.below(self.policies);
        }
        let fourth_root = |number: u64| (number as f64).sqrt().sqrt();
        let (high, low) = (1.0 / fourth_root(first), 1.0 / fourth_root(self.policies));
        let at = high - rng.unit() * (high - low);
        let square = at * at;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most `policies`")]
        let policy = (1.0 / (square * square)) as u64;
        policy.clamp(first, self.policies - 1)
    }
}

/// `number * to / from`, rounded down.
fn scale(number: u64, to: u64, from: u64) -> u64 {
    narrow(u128::from(number) * u128::from(to) / u128::from(from))
}

fn narrow(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_policy_has_its_home_and_heads_are_shared() {
        for (sites, policies) in [(1, 1), (10, 3), (1000, 441), (1000, 1000), (5, 9)] {
            let sharing = Sharing::new(5, sites, policies);
            let mut sharers = BTreeMap::<u64, u64>::new();
            for site in 0..sites {
                *sharers.entry(sharing.policy_of(site)).or_default() += 1;
            }
            let distinct = policies.min(sites);
            assert!(sharers.keys().copied().eq(0..distinct));
            assert!((0..distinct).all(|policy| sharing.policy_of(sharing.home_of(policy)) == policy));
        }
    }
}
