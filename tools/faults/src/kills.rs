//! Kills commands at random times.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use crate::cases::{CASES, Case};
use crate::experiment::Experiment;
use crate::lab::{Ended, Lab};

/// Kills in one experiment.
const SERIES: u64 = 20;

/// `kills` kills of runs that are resumed, and as many of other commands.
pub(crate) fn experiments(lab: &Lab, kills: u64) -> Vec<Experiment> {
    let resumed: Vec<&'static Case> = CASES.iter().filter(|case| case.resumes()).collect();
    let others: Vec<&'static Case> =
        CASES.iter().filter(|case| !case.resumes() && !case.outputs.is_empty()).collect();
    let mut experiments = Vec::new();
    for (group, cases) in [("SIGKILL at random times, resumed", resumed), ("SIGKILL at random times", others)]
    {
        let mut left = kills;
        for number in 0.. {
            if left == 0 {
                break;
            }
            let count = left.min(SERIES);
            left -= count;
            let case = cases[usize::try_from(number).unwrap_or(0) % cases.len()];
            let id = format!("{}/random:{number}:kill", case.name);
            let seed = lab.seed ^ number;
            experiments.push(Experiment::new(group, id, move |lab| series(lab, case, count, seed)));
        }
    }
    experiments
}

/// Runs the command and kills it until it was killed `count` times. A run that completes is compared, and followed by
/// another one in a new folder.
fn series(lab: &Lab, case: &Case, count: u64, seed: u64) -> Result<Ended> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let room = lab.room(case)?;
    let started = Instant::now();
    ensure!(lab.program(case, &room).run()?.code == lab.undisturbed(case).code, "it fails without a fault");
    let duration = started.elapsed();
    let mut kills = 0;
    for _ in 0..count * 20 {
        let room = lab.room(case)?;
        // The longest time lets most runs complete.
        for _ in 0..count {
            let time = duration.mul_f64(0.05 + rng.f64()).max(Duration::from_millis(1));
            let ran = lab.program(case, &room).start()?.kill_after(time)?;
            if ran.signal != Some(9) {
                lab.judge(case, &room, &ran, false)?;
                break;
            }
            lab.judge_killed(case, &room)?;
            kills += 1;
            if kills == count {
                break;
            }
        }
        lab.require_next_run(case, &room)?;
        if kills == count {
            return Ok(Ended::Killed);
        }
    }
    bail!("only {kills} of {count} runs were killed")
}
