//! Questions of all kinds for as long as there is time, with counts that add up over runs.
//!
//! * [`cells`]: one file, all dialects, many URLs, in every cell of the check path.
//! * [`results`]: the counts, in a small file.
//! * [`watch`]: units that do not end.
//!
//! One *question* is a robots.txt, a dialect, a crawler and a URL: the reference answers it once. One *compared answer* is
//! the answer of one cell of the engine to one question, compared with that of the reference by verdict, line and reason.
//! Cells that refuse a question (a URL without a host in a store) are not counted. A question about usages counts as one
//! answer, although it compares all usages; each answer of a store about one usage counts as one more. A question about
//! the rules in force counts as one.
//!
//! A *unit* is a kind and a seed. Units start from the first unused seed of their kind, and no seed runs twice on one file
//! of results.

pub mod cells;
pub mod results;
pub mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use fastrand::Rng;
use rayon::prelude::*;
use robomata_engine::Dialect;
use robomata_engine::lifecycle::{Terms, standing};
use robomata_engine::protocol::Usage;
use robomata_engine::protocol::limits::{DEFAULT_PARSING_LIMIT, YANDEX_FILE_LIMIT};
use robomata_testkit::lifecycle::{Question, Questions};
use robomata_testkit::permission_case::{PermissionCase, shrink_permissions};
use robomata_testkit::{Case, Generator};

use self::results::{Counts, Kind, Results};
use crate::corpus::Corpus;
use crate::{blocks, permissions, usages};

/// One file in so many has groups that share names.
const TANGLED: u8 = 24;
/// One file in so many has many patterns with stars, and one has long lines.
const CROWDED: u8 = 16;
/// One generated file in so many is as long as a parsing limit.
const PADDED: u8 = 24;

/// A divergence is shrunk for this long.
const SHRINKING: Duration = Duration::from_secs(20);

/// A unit, compared.
#[derive(Debug, Default)]
pub struct Unit {
    /// What was compared, by dialect.
    pub counts: Vec<(Dialect, Counts)>,
    /// The first difference.
    pub divergence: Option<Divergence>,
}

/// A difference between the engine and the reference.
#[derive(Clone, Debug)]
pub enum Divergence {
    /// An answer about a URL, with both answers.
    Answer(Box<Case>, String),
    /// An answer about usages.
    Usage(Box<PermissionCase>),
    /// Another answer, in words.
    Other(String),
}

impl Divergence {
    /// Makes the case small, for as long as [`SHRINKING`].
    fn shrunk(self) -> Divergence {
        let start = Instant::now();
        let goes_on = || start.elapsed() < SHRINKING;
        match self {
            Divergence::Answer(case, message) => {
                let (small, message) = cells::shrunk(*case, message, goes_on);
                Divergence::Answer(Box::new(small), message)
            }
            Divergence::Usage(case) => {
                let differs = |case: &PermissionCase| goes_on() && !permissions::divergence(case).is_empty();
                Divergence::Usage(Box::new(shrink_permissions(&case, differs)))
            }
            other @ Divergence::Other(_) => other,
        }
    }
}

/// A divergence, with the kind and the seed of its unit.
pub type Found = (Kind, u64, Divergence);

/// What limits a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// No unit begins after this time.
    pub time: Duration,
    /// Number of threads.
    pub threads: usize,
}

/// Compares units until the time is over or there is a divergence, which is returned with its kind and seed. The counts are
/// written after each round of units, so a run that is killed loses only the round at hand.
///
/// # Errors
/// If the results cannot be read, locked or written.
pub fn run(
    path: &Path,
    kinds: &[Kind],
    limits: Limits,
    compare: impl Fn(Kind, u64) -> Unit + Sync,
) -> Result<(Results, Option<Found>)> {
    const UNITS_A_THREAD: u64 = 16;
    let mut results = Results::open(path)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads).build()?;
    let start = Instant::now();
    for &kind in kinds.iter().cycle() {
        if start.elapsed() >= limits.time {
            break;
        }
        let first = results.next_seed(kind);
        let seeds = first..first + UNITS_A_THREAD * pool.current_num_threads() as u64;
        let units: Vec<Unit> = pool
            .install(|| seeds.clone().into_par_iter().map(|seed| guarded(kind, seed, &compare)).collect());
        let mut divergence = None;
        for (seed, unit) in seeds.zip(units) {
            results.add(kind, &unit);
            divergence = divergence.or(unit.divergence.map(|divergence| (kind, seed, divergence)));
        }
        results.write()?;
        // Only this one is shrunk: with an error in the engine, most units of a round may diverge.
        if let Some((kind, seed, divergence)) = divergence {
            // It stays as it is if that panics: a check of the smaller case may have another contradiction.
            let shrunk = catch_unwind(AssertUnwindSafe(|| divergence.clone().shrunk()));
            return Ok((results, Some((kind, seed, shrunk.unwrap_or(divergence)))));
        }
    }
    Ok((results, None))
}

/// Compares a unit. A panic is a divergence; it is counted in the first dialect.
fn guarded(kind: Kind, seed: u64, compare: &(impl Fn(Kind, u64) -> Unit + Sync)) -> Unit {
    catch_unwind(AssertUnwindSafe(|| compare(kind, seed))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
        Unit {
            counts: vec![(Dialect::ALL[0], Counts { questions: 0, answers: 0, divergences: 1 })],
            divergence: Some(Divergence::Other(format!("a panic: {text}"))),
        }
    })
}

/// Compares one unit. Kinds that need real files get them from `corpus`.
pub fn compare(kind: Kind, seed: u64, corpus: Option<&Corpus>) -> Unit {
    // Kinds do not share sequences.
    let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(kind as u64 + 1);
    let mut generator = Generator::new(mixed);
    let mut rng = Rng::with_seed(mixed);
    match (kind, corpus) {
        (Kind::Generated, _) => {
            let robots = match (rng.u8(..TANGLED), rng.u8(..CROWDED)) {
                (0, _) => generator.tangled_robots(),
                (_, 0) => generator.crowded_robots(),
                (_, 1) => generator.long_lined_robots(),
                _ => generator.robots(),
            };
            let robots = if rng.u8(..PADDED) == 0 { padded(&robots, &mut rng) } else { robots };
            cells::compare(&mut generator, &robots, &[], &mut rng)
        }
        (Kind::Bred, Some(corpus)) => {
            let mut any = || &corpus.bodies[rng.usize(..corpus.bodies.len())];
            let (one, other) = (any(), any());
            let robots = if rng.bool() { generator.mutated(one) } else { generator.crossed(one, other) };
            cells::compare(&mut generator, &robots, &[], &mut rng)
        }
        (Kind::Real, Some(corpus)) => {
            let place = usize::try_from(seed % corpus.bodies.len() as u64).unwrap_or(0);
            cells::compare(&mut generator, &corpus.bodies[place], &corpus.urls[place], &mut rng)
        }
        (Kind::Blocks, _) => {
            let found = blocks::compare(mixed);
            let counts = Counts {
                questions: found.questions,
                answers: found.answers,
                divergences: u64::from(found.difference.is_some()),
            };
            Unit {
                counts: vec![(found.dialect, counts)],
                divergence: found.difference.map(Divergence::Other),
            }
        }
        (Kind::Usages, _) => usages(&mut generator),
        (Kind::Lifecycle, _) => lifecycle(mixed),
        (Kind::Bred | Kind::Real, None) => Unit::default(),
    }
}

/// `robots` with a long comment between its lines. A parsing limit cuts what follows the comment, or the file ends there.
fn padded(robots: &[u8], rng: &mut Rng) -> Vec<u8> {
    let limit = if rng.u8(..4) > 0 { YANDEX_FILE_LIMIT } else { DEFAULT_PARSING_LIMIT };
    let at = rng.usize(..=robots.len());
    let at = robots[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |line_end| line_end + 1);
    let (head, rest) = robots.split_at(at);
    let kept = if rng.bool() { rest.len() } else { rng.usize(..=rest.len()) };
    let comment = vec![b'#'; limit.saturating_sub(head.len() + kept + 1)];
    [head, &comment, b"\n", rest].concat()
}

fn usages(generator: &mut Generator) -> Unit {
    const FILES: usize = 32;
    const URLS_A_FILE: usize = 4;
    let mut unit = Unit::default();
    for _ in 0..FILES {
        let robots = generator.permission_robots();
        for _ in 0..URLS_A_FILE {
            let case = generator.permission_question_about(robots.clone());
            let mut counts = Counts { questions: 1, answers: 1, divergences: 0 };
            if !permissions::divergence(&case).is_empty() {
                unit.divergence = Some(Divergence::Usage(Box::new(case.clone())));
            } else {
                // The full model, whose answers were just compared, says what a store has to answer.
                for usage in Usage::ALL {
                    let Some((answer, expected)) = usages::compared(&case, usage) else { continue };
                    counts.answers += 1;
                    if answer != expected {
                        unit.divergence = Some(Divergence::Other(format!(
                            "a store says {answer:?} about {usage}, the model {expected:?}, in {case:#?}"
                        )));
                        break;
                    }
                }
            }
            counts.divergences = u64::from(unit.divergence.is_some());
            unit.counts.push((case.dialect, counts));
            if unit.divergence.is_some() {
                return unit;
            }
        }
    }
    unit
}

fn lifecycle(seed: u64) -> Unit {
    const QUESTIONS: usize = 64;
    let mut questions = Questions::new(seed);
    let mut unit = Unit::default();
    for Question { situation, now } in std::iter::repeat_with(|| questions.question()).take(QUESTIONS) {
        for (terms, dialect) in [
            (Terms::Rfc9309, Dialect::Rfc9309),
            (Terms::Google, Dialect::Google),
            (Terms::Koster1996, Dialect::Koster1996),
            (Terms::Yandex, Dialect::Yandex),
        ] {
            let standing = standing(&situation, now, terms);
            let expected = robomata_reference::lifecycle::standing(&situation, now, terms);
            let counts = Counts { questions: 1, answers: 1, divergences: u64::from(standing != expected) };
            unit.counts.push((dialect, counts));
            if standing != expected {
                unit.divergence = Some(Divergence::Other(format!(
                    "at {now} on the terms of {terms} the engine says {standing:?}, the reference {expected:?}, in {situation:#?}"
                )));
                return unit;
            }
        }
    }
    unit
}
