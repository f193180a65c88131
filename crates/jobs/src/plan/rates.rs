//! Estimates how often the rules of a site change, from what polling has shown.
//!
//! The changes of a site are a Poisson process with a rate of its own. Polling shows only whether the rules differ
//! between two fetches, not how often they changed in between, nor when. If two consecutive fetches, a time `d` apart,
//! had the same rules, that has the probability `exp(-r d)` at the rate `r`; otherwise `1 - exp(-r d)`. The likelihood
//! of a rate is the product over all pairs (J. Cho and H. Garcia-Molina, "Estimating frequency of change", ACM
//! Transactions on Internet Technology 3(3), 2003; their estimator for irregular intervals is its maximum). It needs
//! only the sum of all times without a change, and the time across each change: exactly what the versions of a bundle
//! preserve, however often the site was fetched.
//!
//! Most sites were fetched too rarely to know their rate. So a rate is one of [`RATES`] in steps of two, and each has a
//! probability before anything is known of a site: its share among all sites of the bundle. The shares are the maximum
//! of the likelihood of all sites together, found by expectation maximization (N. Laird, "Nonparametric maximum
//! likelihood estimation of a mixing distribution", Journal of the American Statistical Association 73, 1978). One
//! imaginary site, about which nothing is known, has a part in them: a bundle without a history gives equal shares.

/// The number of rates: from one change in 2^19 hours (60 years) to one an hour.
pub const RATES: usize = 20;

const HOUR: f64 = 3_600.0;
/// Seconds between two changes at the slowest rate.
const SLOWEST: f64 = (1_u64 << (RATES - 1)) as f64 * HOUR;

/// The most rounds of the fit, and the largest change of a share in the last one.
const ROUNDS: usize = 500;
const PRECISION: f64 = 1e-7;

/// A value for each rate, the slowest first.
type PerRate = [f64; RATES];

/// What polling has shown of the changes of one site. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polls {
    /// The sum of the times between consecutive fetches with the same rules.
    pub unchanged: u64,
    /// The times between consecutive fetches with different rules.
    pub across_changes: Vec<u64>,
}

impl Polls {
    /// Whether they show nothing: there were fewer than two fetches.
    pub fn is_empty(&self) -> bool {
        self.unchanged == 0 && self.across_changes.is_empty()
    }

    /// Adds another fetch, `seconds` after the previous one.
    pub fn add(&mut self, seconds: u64, is_changed: bool) {
        if is_changed {
            self.across_changes.push(seconds);
        } else {
            self.unchanged = self.unchanged.saturating_add(seconds);
        }
    }

    /// The likelihood of each rate, up to a common factor.
    fn likelihoods(&self) -> PerRate {
        if self.across_changes.is_empty() {
            return unchanged_after(self.unchanged);
        }
        // The product over many changes is too small for a number, so its logarithm is added up.
        let mut logarithms = [0.0; RATES];
        for (logarithm, rate) in logarithms.iter_mut().zip(rates()) {
            let changed = |&seconds: &u64| (-(-rate * seconds.max(1) as f64).exp_m1()).ln();
            let changes: f64 = self.across_changes.iter().map(changed).sum();
            *logarithm = changes - rate * self.unchanged as f64;
        }
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        logarithms.map(|logarithm| (logarithm - most).exp())
    }
}

/// Changes a second, for each rate.
fn rates() -> impl Iterator<Item = f64> {
    (0..RATES).map(|step| (1_u64 << step) as f64 / SLOWEST)
}

/// The probability of no change within `seconds`, at each rate. Each rate is twice the one before, so each probability is
/// the square of the one before.
fn unchanged_after(seconds: u64) -> PerRate {
    let mut unchanged = (-(seconds as f64) / SLOWEST).exp();
    [(); RATES].map(|()| {
        let slower = unchanged;
        unchanged *= unchanged;
        slower
    })
}

/// How probable each rate is: among all sites, or for one site.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeRates(PerRate);

impl Default for ChangeRates {
    /// All rates are equally probable.
    fn default() -> Self {
        ChangeRates([1.0 / RATES as f64; RATES])
    }
}

impl ChangeRates {
    /// The shares of the rates among all sites, estimated from some of them.
    pub fn of_sites(sites: &[Polls]) -> Self {
        let likelihoods: Vec<PerRate> = sites.iter().map(Polls::likelihoods).collect();
        let ChangeRates(unknown) = ChangeRates::default();
        let mut shares = ChangeRates::default();
        for _ in 0..ROUNDS {
            let mut sums = unknown;
            for likelihoods in &likelihoods {
                let ChangeRates(site) = shares.given(likelihoods);
                sums.iter_mut().zip(site).for_each(|(sum, probability)| *sum += probability);
            }
            let next = ChangeRates(sums.map(|sum| sum / (sites.len() + 1) as f64));
            let differences = next.0.iter().zip(shares.0).map(|(new, old)| (new - old).abs());
            let is_done = differences.fold(0.0, f64::max) < PRECISION;
            shares = next;
            if is_done {
                break;
            }
        }
        shares
    }

    /// The probabilities of the rates of one site with these polls, if `self` are the shares among all sites.
    #[must_use]
    pub fn of_site(&self, polls: &Polls) -> Self {
        if polls.is_empty() { self.clone() } else { self.given(&polls.likelihoods()) }
    }

    fn given(&self, likelihoods: &PerRate) -> Self {
        let mut product = self.0;
        product.iter_mut().zip(likelihoods).for_each(|(share, likelihood)| *share *= likelihood);
        let sum: f64 = product.iter().sum();
        // No rate at all is left when the likely ones have no share.
        if sum > 0.0 { ChangeRates(product.map(|share| share / sum)) } else { self.clone() }
    }

    /// The probability of at least one change within `seconds`.
    pub fn change_within(&self, seconds: u64) -> f64 {
        let changed = self.0.iter().zip(unchanged_after(seconds)).map(|(share, same)| share * (1.0 - same));
        changed.sum::<f64>().clamp(0.0, 1.0)
    }

    /// The mean number of changes a second.
    pub fn mean(&self) -> f64 {
        self.0.iter().zip(rates()).map(|(share, rate)| share * rate).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    const DAY: u64 = 86_400;

    /// Fetches a site whose rules change at the rate `rate`, at irregular times.
    fn fetched(rate: f64, fetches: usize, apart: u64, random: &mut Rng) -> Vec<(u64, u64)> {
        let mut fetched = vec![(0, 0)];
        for _ in 0..fetches {
            let (time, version) = fetched[fetched.len() - 1];
            let seconds = random.u64(1..=2 * apart);
            // The number of changes is that of the exponential times that fit.
            let (mut changes, mut at) = (0, -(1.0 - random.f64()).ln() / rate);
            while at < seconds as f64 {
                changes += 1;
                at -= (1.0 - random.f64()).ln() / rate;
            }
            fetched.push((time + seconds, version + changes));
        }
        fetched
    }

    fn polls(fetched: &[(u64, u64)]) -> Polls {
        let mut polls = Polls::default();
        for pair in fetched.windows(2) {
            polls.add(pair[1].0 - pair[0].0, pair[1].1 != pair[0].1);
        }
        polls
    }

    /// The likelihood of every fetch, one by one.
    fn brute_force(fetched: &[(u64, u64)], rate: f64) -> f64 {
        let pairs = fetched.windows(2).map(|pair| {
            let same = (-rate * (pair[1].0 - pair[0].0) as f64).exp();
            if pair[0].1 == pair[1].1 { same } else { 1.0 - same }
        });
        pairs.product()
    }

    #[test]
    fn probabilities_are_those_of_the_likelihood_of_every_fetch() {
        let mut random = Rng::with_seed(7);
        let shares = ChangeRates::of_sites(&[
            Polls { unchanged: 900 * DAY, across_changes: vec![] },
            Polls { unchanged: 30 * DAY, across_changes: vec![DAY, 3 * DAY, DAY] },
        ]);
        for case in 0..200 {
            let rate = 1.0 / (HOUR * 2.0_f64.powf(random.f64() * 18.0));
            let apart = random.u64(1..40 * DAY);
            let fetched = fetched(rate, case % 12, apart, &mut random);
            let weights: Vec<f64> =
                rates().zip(shares.0).map(|(rate, share)| share * brute_force(&fetched, rate)).collect();
            let sum: f64 = weights.iter().sum();
            let ChangeRates(found) = shares.of_site(&polls(&fetched));
            for (weight, found) in weights.iter().zip(found) {
                assert!((weight / sum - found).abs() < 1e-7, "{fetched:?}: {weight} of {sum}, {found}");
            }
            let seconds = random.u64(..100 * DAY);
            let change: f64 = weights
                .iter()
                .zip(rates())
                .map(|(weight, rate)| weight / sum * (1.0 - (-rate * seconds as f64).exp()))
                .sum();
            assert!((change - shares.of_site(&polls(&fetched)).change_within(seconds)).abs() < 1e-7);
        }
    }

    /// With one fetch a day for long, the maximum of the likelihood is the estimator of Cho and Garcia-Molina for
    /// regular intervals, -ln(1 - X/n): not X/n, which misses changes between fetches.
    #[test]
    fn changes_between_fetches_are_accounted_for() {
        let polls = Polls { unchanged: 200 * DAY, across_changes: vec![DAY; 800] };
        let expected = -(1.0_f64 - 0.8).ln() / DAY as f64;
        let mean = ChangeRates::default().of_site(&polls).mean();
        assert!((1.0 / 2.0_f64.sqrt()..2.0_f64.sqrt()).contains(&(mean / expected)), "{mean} {expected}");
        assert!(mean > 1.2 * 0.8 / DAY as f64);
    }

    #[test]
    fn shares_are_the_most_likely_ones() {
        let mut random = Rng::with_seed(3);
        let sites: Vec<Polls> = (0..300)
            .map(|site| {
                let rate = if site % 3 == 0 { 1.0 / (2.0 * DAY as f64) } else { 1.0 / (500.0 * DAY as f64) };
                polls(&fetched(rate, 10, 7 * DAY, &mut random))
            })
            .collect();
        let of_all = |ChangeRates(shares): &ChangeRates| -> f64 {
            let site = |polls: &Polls| {
                shares.iter().zip(polls.likelihoods()).map(|(share, one)| share * one).sum::<f64>().ln()
            };
            // The imaginary site has a part of one among all of them.
            let imaginary: f64 = shares.iter().map(|share| share.ln() / RATES as f64).sum();
            sites.iter().map(site).sum::<f64>() + imaginary
        };
        let found = ChangeRates::of_sites(&sites);
        assert!((found.0.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let most = of_all(&found);
        for _ in 0..2_000 {
            let mut other = found.clone();
            let (from, to) = (random.usize(..RATES), random.usize(..RATES));
            let moved = other.0[from] * random.f64() * 0.9;
            other.0[from] -= moved;
            other.0[to] += moved;
            assert!(of_all(&other) <= most + 1e-3, "{other:?}");
        }
    }

    #[test]
    fn probabilities_of_changes_come_true() {
        let mut random = Rng::with_seed(11);
        let rate = |site: usize| 1.0 / (DAY as f64 * [1.5, 40.0, 900.0, 5_000.0][site % 4]);
        let sites: Vec<Vec<(u64, u64)>> =
            (0..8_000).map(|site| fetched(rate(site), 1 + site % 9, 10 * DAY, &mut random)).collect();
        let all: Vec<Polls> = sites.iter().map(|fetched| polls(fetched)).collect();
        let shares = ChangeRates::of_sites(&all);
        // By predicted probability: the sum of the predictions, the changes, and the sites.
        let mut classes = [(0.0, 0.0, 0.0); 5];
        for (site, polls) in all.iter().enumerate() {
            let predicted = shares.of_site(polls).change_within(5 * DAY);
            let limits = [0.2, 0.4, 0.6, 0.8];
            let class = &mut classes[limits.iter().filter(|limit| predicted >= **limit).count()];
            let is_changed = random.f64() < 1.0 - (-rate(site) * 5.0 * DAY as f64).exp();
            *class = (class.0 + predicted, class.1 + f64::from(u8::from(is_changed)), class.2 + 1.0);
        }
        for (predicted, changed, sites) in classes {
            let deviation = 4.0 * (sites * 0.25_f64).sqrt();
            assert!((predicted - changed).abs() < deviation, "{predicted} {changed} of {sites}");
        }
    }

    #[test]
    fn without_a_history_all_rates_are_equally_probable() {
        assert_eq!(ChangeRates::of_sites(&[]), ChangeRates::default());
        let rates = ChangeRates::default();
        assert_eq!(rates.change_within(0), 0.0);
        let mut before = 0.0;
        for days in 1..1_000 {
            let change = rates.of_site(&Polls::default()).change_within(days * DAY);
            assert!(change > before && change < 1.0);
            before = change;
        }
    }

    #[test]
    fn extreme_polls_have_probabilities() {
        let rates = ChangeRates::of_sites(&[Polls { unchanged: u64::MAX, across_changes: vec![] }]);
        for polls in [
            Polls { unchanged: u64::MAX, across_changes: vec![0, 1, u64::MAX] },
            Polls { unchanged: 0, across_changes: vec![1; 100_000] },
            Polls { unchanged: u64::MAX, across_changes: vec![] },
        ] {
            let rates = rates.of_site(&polls);
            assert!((rates.0.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{rates:?}");
            assert!((0.0..=1.0).contains(&rates.change_within(DAY)));
        }
    }
}
