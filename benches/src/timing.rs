//! Timed rounds; each round runs all lanes.

use std::time::Duration;

use anyhow::Result;

/// The number of rounds, and the time limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Number of rounds; each round times everything once.
    pub(crate) rounds: usize,
    /// A lane that exceeds this time skips the remaining rounds. No lane skips the first round.
    pub(crate) limit: Duration,
}

/// The seconds of every lane's passes. `pass` returns nothing for a lane without such a pass.
pub(crate) fn rounds(
    clock: Clock,
    lanes: usize,
    mut pass: impl FnMut(usize) -> Result<Option<Duration>>,
) -> Result<Vec<Vec<f64>>> {
    let mut taken = vec![Vec::new(); lanes];
    let mut spent = vec![Duration::ZERO; lanes];
    for round in 0..clock.rounds {
        // Each round begins with another lane, so that no lane always follows the same one.
        for turn in 0..lanes {
            let lane = (round + turn) % lanes;
            if round > 0 && (taken[lane].is_empty() || spent[lane] > clock.limit) {
                continue;
            }
            if let Some(time) = pass(lane)? {
                taken[lane].push(time.as_secs_f64());
                spent[lane] += time;
            }
        }
    }
    Ok(taken)
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

/// The factor relative to `base`: the median of the rounds' ratios, because a disturbance of a round affects both.
pub(crate) fn ratio(values: &[f64], base: &[f64]) -> f64 {
    median(values.iter().zip(base).map(|(value, base)| value / base).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        assert!((ratio(&[1.0, 10.0, 1.0], &[2.0, 20.0, 2.0]) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_slow_lane_sits_out() {
        let clock = Clock { rounds: 3, limit: Duration::from_millis(10) };
        let times = [Some(Duration::from_millis(1)), Some(Duration::from_secs(1)), None];
        let taken = rounds(clock, 3, |lane| Ok(times[lane])).unwrap();
        assert_eq!(taken.iter().map(Vec::len).collect::<Vec<_>>(), [3, 1, 0]);
    }
}
