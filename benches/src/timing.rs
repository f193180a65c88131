//! Rounds against the clock, all engines in each.

use std::time::Duration;

use anyhow::{Result, ensure};
use robomata::{Config, Crawler, Dialect, Policy};

use crate::contender::{Checks, Contender, Verdicts};
use crate::corpus::{Agent, Corpus};
use crate::engines::{BASELINE, Steps};

/// Of the third set of checks: the URLs of a body that count.
pub(crate) const AT_MOST: usize = 100;

/// What is timed: the bodies that every engine reads, and the URLs that every engine answers.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) bodies: Vec<&'static [u8]>,
    /// The URLs of bodies whose rules for the crawler have no `*`.
    pub(crate) plain: Checks,
    /// The URLs of all others.
    pub(crate) starred: Checks,
    /// The first [`AT_MOST`] URLs of each body: a frontier in which no site outweighs the others.
    pub(crate) evened: Checks,
}

impl Timed {
    pub(crate) fn new(corpus: &Corpus, agent: Agent, verdicts: &[Verdicts]) -> Self {
        let is_read = |body: usize| verdicts.iter().all(|verdicts| !verdicts.unread[body]);
        let is_answered = |place: usize| verdicts.iter().all(|verdicts| verdicts.allowed[place].is_some());
        let bodies = corpus.bodies.iter().enumerate().filter(|&(body, _)| is_read(body));
        let has_star = has_star(corpus, agent);
        let mut count = vec![0; corpus.bodies.len()];
        Timed {
            bodies: bodies.map(|(_, &body)| body).collect(),
            plain: Checks::select(corpus, |body, place| !has_star[body] && is_answered(place)),
            starred: Checks::select(corpus, |body, place| has_star[body] && is_answered(place)),
            evened: Checks::select(corpus, |body, place| {
                let is_wanted = is_answered(place) && count[body] < AT_MOST;
                count[body] += usize::from(is_wanted);
                is_wanted
            }),
        }
    }
}

/// By body: does a rule for the crawler have a `*`?
fn has_star(corpus: &Corpus, agent: Agent) -> Vec<bool> {
    let crawler = Crawler::new(agent.as_str());
    let has_star = |body: &&[u8]| {
        let policy = Policy::new(body, &Config::new(Dialect::Rfc9309));
        policy.rules_for(&crawler).rules().any(|rule| rule.pattern.of(policy.text()).contains(&b'*'))
    };
    corpus.bodies.iter().map(has_star).collect()
}

/// One engine's times for one measure.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) name: &'static str,
    /// Seconds of each round.
    rounds: Vec<f64>,
}

/// One measure: what it took each engine, in the order of the report.
#[derive(Debug)]
pub(crate) struct Measure {
    pub(crate) series: Vec<Series>,
    /// How many items a round has.
    pub(crate) items: usize,
}

/// All that was timed.
#[derive(Debug)]
pub(crate) struct Times {
    pub(crate) parse: Measure,
    pub(crate) compile: Measure,
    pub(crate) plain: Measure,
    pub(crate) starred: Measure,
    pub(crate) evened: Measure,
}

/// Times everything, `rounds` times.
pub(crate) fn run(
    contenders: &mut [Box<dyn Contender>],
    verdicts: &[Verdicts],
    timed: &Timed,
    rounds: usize,
) -> Result<Times> {
    let bodies = &timed.bodies;
    let parse = Measure::take("parse", contenders, rounds, bodies.len(), |_, contender| {
        let is_parsed = !matches!(contender.row().steps, Steps::OneStep | Steps::ElsewhereTimed);
        Ok(is_parsed.then(|| contender.parse(bodies)))
    })?;
    let compile = Measure::take("compile", contenders, rounds, bodies.len(), |_, contender| {
        let is_compiled = matches!(contender.row().steps, Steps::ParseAndCompile | Steps::OneStep);
        Ok(is_compiled.then(|| contender.compile(bodies)))
    })?;
    let mut check = |what, checks| check(what, contenders, verdicts, checks, rounds);
    Ok(Times {
        parse,
        compile,
        plain: check("check, rules without *", &timed.plain)?,
        starred: check("check, rules with *", &timed.starred)?,
        evened: check("check, the same of each site", &timed.evened)?,
    })
}

/// Times the checks; fails when an engine answers otherwise than when it was verified.
fn check(
    what: &str,
    contenders: &mut [Box<dyn Contender>],
    verdicts: &[Verdicts],
    checks: &Checks,
    rounds: usize,
) -> Result<Measure> {
    Measure::take(what, contenders, rounds, checks.places.len(), |index, contender| {
        let (time, allowed) = contender.check(checks);
        let is_allowed = |&&place: &&usize| verdicts[index].allowed[place] == Some(true);
        let verified = checks.places.iter().filter(is_allowed).count();
        let name = contender.row().name;
        ensure!(allowed == verified, "{name}: {allowed} URLs allowed while timed, {verified} when verified");
        Ok(Some(time))
    })
}

impl Measure {
    /// Lets `pass` time every contender in every round; it gives nothing for those that have no such pass.
    fn take(
        what: &str,
        contenders: &mut [Box<dyn Contender>],
        rounds: usize,
        items: usize,
        mut pass: impl FnMut(usize, &mut dyn Contender) -> Result<Option<Duration>>,
    ) -> Result<Self> {
        let mut series: Vec<Series> = contenders
            .iter()
            .map(|contender| Series { name: contender.row().name, rounds: Vec::new() })
            .collect();
        for round in 0..rounds {
            eprintln!("{what}: round {} of {rounds}", round + 1);
            // Each round begins with another engine, so that none always follows the same one.
            for turn in 0..contenders.len() {
                let index = (round + turn) % contenders.len();
                if let Some(time) = pass(index, contenders[index].as_mut())? {
                    series[index].rounds.push(time.as_secs_f64());
                }
            }
        }
        series.retain(|series| !series.rounds.is_empty());
        Ok(Measure { series, items })
    }

    /// Seconds an item: the least of the rounds, and their median.
    pub(crate) fn an_item(&self, series: &Series) -> (f64, f64) {
        let least = series.rounds.iter().copied().fold(f64::INFINITY, f64::min);
        let items = self.items.max(1) as f64;
        (least / items, median(series.rounds.clone()) / items)
    }

    /// How many times as long as fast-robots's matcher: the median of the rounds' ratios, since what disturbs a round
    /// disturbs both.
    pub(crate) fn ratio(&self, series: &Series) -> Option<f64> {
        let baseline = self.series.iter().find(|series| series.name == BASELINE)?;
        let ratios = series.rounds.iter().zip(&baseline.rounds).map(|(time, baseline)| time / baseline);
        Some(median(ratios.collect()))
    }

    /// Both measures as one, over the items of both.
    pub(crate) fn and(&self, other: &Measure) -> Self {
        let sum = |(a, b): (&Series, &Series)| {
            let rounds = a.rounds.iter().zip(&b.rounds).map(|(a, b)| a + b).collect();
            Series { name: a.name, rounds }
        };
        let series = self.series.iter().zip(&other.series).map(sum).collect();
        Measure { series, items: self.items + other.items }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => f64::midpoint(values[even / 2 - 1], values[even / 2]),
    }
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
        let series = |name, rounds: &[f64]| Series { name, rounds: rounds.to_vec() };
        let measure = Measure {
            series: vec![series("fast", &[1.0, 10.0, 1.0]), series(BASELINE, &[2.0, 20.0, 2.0])],
            items: 2,
        };
        let ratio = measure.ratio(&measure.series[0]);
        assert!(ratio.is_some_and(|ratio| (ratio - 0.5).abs() < 1e-9));
        assert_eq!(measure.an_item(&measure.series[1]), (1.0, 1.0));
    }
}
