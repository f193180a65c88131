//! Questions about usages, generated from a seed.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use robomata_testkit::Generator;
use robomata_testkit::permission_case::{PermissionCase, shrink_permissions};

use super::divergence;

/// The result of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of questions.
    pub questions: u64,
    /// Number of questions where the engine and the reference differ.
    pub divergent: u64,
    /// Some of them, shrunk; no two differ in the same way.
    pub divergences: Vec<PermissionCase>,
}

/// Maximum number of divergences that are shrunk and kept per run.
const KEPT: usize = 8;

/// Runs `count` questions on all cores; the same `seed` gives the same questions.
pub fn run(seed: u64, count: u64) -> Outcome {
    const URLS_A_FILE: u64 = 4;
    const FILES_AT_A_TIME: u64 = 32;
    let (checked, divergent) = (AtomicU64::new(0), AtomicU64::new(0));
    let kept: Mutex<(HashSet<String>, Vec<PermissionCase>)> = Mutex::default();
    let batches = count.div_ceil(URLS_A_FILE * FILES_AT_A_TIME);
    (0..batches).into_par_iter().for_each(|batch| {
        let mut generator = Generator::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(batch));
        for _ in 0..FILES_AT_A_TIME {
            let robots = generator.permission_robots();
            for _ in 0..URLS_A_FILE {
                let case = generator.permission_question_about(robots.clone());
                checked.fetch_add(1, Ordering::Relaxed);
                let found = divergence(&case);
                if !found.is_empty() {
                    divergent.fetch_add(1, Ordering::Relaxed);
                    keep(&kept, &case);
                }
            }
        }
    });
    let (_, divergences) = kept.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Outcome { questions: checked.into_inner(), divergent: divergent.into_inner(), divergences }
}

/// Keeps a divergence, unless there are enough or a kept one differs in the same way.
fn keep(kept: &Mutex<(HashSet<String>, Vec<PermissionCase>)>, case: &PermissionCase) {
    let lock = || kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if lock().1.len() >= KEPT {
        return;
    }
    let small = shrink_permissions(case, |case| !divergence(case).is_empty());
    // Differences in several usages with the same text have one cause.
    let kind: Vec<String> = divergence(&small)
        .iter()
        .map(|found| found.chars().filter(|c| !c.is_ascii_digit()).skip_while(|&c| c != '\n').collect())
        .take(1)
        .collect();
    let mut kept = lock();
    if kept.1.len() < KEPT && kept.0.insert(kind.concat()) {
        kept.1.push(small);
    }
}
