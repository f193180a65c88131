//! Questions generated from a seed.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use robomata_testkit::{Case, Generator, shrink};

use crate::engines::divergence;

/// The result of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of questions.
    pub questions: u64,
    /// The first question where the engine contradicts the reference, shrunk, with both answers.
    pub divergence: Option<(Case, String)>,
}

/// Runs `count` questions on all cores; the same `seed` gives the same questions. Stops early at a divergence.
pub fn run(seed: u64, count: u64, real: &[Vec<u8>]) -> Outcome {
    const URLS_A_FILE: u64 = 8;
    const FILES_AT_A_TIME: u64 = 64;
    // One of so many files has groups that share names.
    const TANGLED: u64 = 32;
    let checked = AtomicU64::new(0);
    let first: Mutex<Option<Case>> = Mutex::new(None);
    let batches = count.div_ceil(URLS_A_FILE * FILES_AT_A_TIME);
    (0..batches).into_par_iter().for_each(|batch| {
        if lock(&first).is_some() {
            return;
        }
        let mut generator = Generator::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(batch));
        for number in 0..FILES_AT_A_TIME {
            let robots = match real
                .get(usize::try_from(batch * FILES_AT_A_TIME + number).unwrap_or(0) % real.len().max(1))
            {
                Some(file) if number % 4 == 0 => generator.mutated(file),
                _ if number % TANGLED == 1 => generator.tangled_robots(),
                _ => generator.robots(),
            };
            for _ in 0..URLS_A_FILE {
                let case = generator.question_about(robots.clone());
                checked.fetch_add(1, Ordering::Relaxed);
                if divergence(&case).is_some() {
                    lock(&first).get_or_insert(case);
                    return;
                }
            }
        }
    });
    let first = first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let divergence = first.map(|case| {
        let small = shrink(&case, |case| divergence(case).is_some());
        let message = divergence(&small).map_or_else(String::new, |(name, answer, expected)| {
            format!("{name} says {answer:?}, the reference {expected:?}")
        });
        (small, message)
    });
    Outcome { questions: checked.into_inner(), divergence }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
