//! Rounds against the clock, all lanes in each.

use std::time::Duration;

use anyhow::Result;

/// How often, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// How often everything is timed.
    pub(crate) rounds: usize,
    /// A lane that has taken so long sits out the rounds that are left. The first is never sat out.
    pub(crate) limit: Duration,
}

/// The seconds of every lane's passes. `pass` gives nothing for a lane that has no such pass.
pub(crate) fn rounds(
    clock: Clock,
    lanes: usize,
    mut pass: impl FnMut(usize) -> Result<Option<Duration>>,
) -> Result<Vec<Vec<f64>>> {
    let mut taken = vec![Vec::new(); lanes];
    let mut spent = vec![Duration::ZERO; lanes];
    for round in 0..clock.rounds {
        // Each round begins with another lane, so that none always follows the same one.
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

/// The value in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
}

/// How many times as much as `base`: the median of the rounds' ratios, since what disturbs a round disturbs both.
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
