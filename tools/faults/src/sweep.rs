//! Fails every system call, one run for each, and kills the process before every call.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::cases::{CASES, Case};
use crate::experiment::Experiment;
use crate::lab::{Ended, Lab};

const EIO: i32 = 5;
const EINTR: i32 = 4;
const EAGAIN: i32 = 11;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const ENOLCK: i32 = 37;

/// The signal for what is read beyond the end of a mapped file.
const SIGBUS: i32 = 7;

/// The distance of the second calls at which a run is killed.
const BETWEEN: usize = 97;

/// The errors that calls of a kind fail with. Those that stay also fail all later calls, in runs of their own.
fn errors(kind: &str) -> (&'static [i32], &'static [i32]) {
    match kind {
        "open" => (&[EIO, EMFILE, EINTR], &[EMFILE]),
        "read" => (&[EIO, EINTR], &[EIO]),
        "write" => (&[EIO, ENOSPC, EINTR], &[ENOSPC]),
        "sync" => (&[EIO, ENOSPC, EINTR], &[EIO]),
        "rename" => (&[EIO, ENOSPC, EACCES], &[EIO]),
        "map" => (&[ENOMEM], &[ENOMEM]),
        "lock" => (&[ENOLCK, EINTR], &[ENOLCK]),
        "stat" => (&[EIO, EACCES], &[EIO]),
        "thread" => (&[EAGAIN], &[EAGAIN]),
        "truncate" | "unlink" | "seek" | "list" | "folder" => (&[EIO], &[EIO]),
        _ => (&[], &[]),
    }
}

/// A run for every call of every command, and every error.
pub(crate) fn experiments(lab: &Lab) -> Vec<Experiment> {
    let mut experiments = Vec::new();
    for case in &CASES {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for call in &lab.undisturbed(case).calls {
            *counts.entry(call.kind).or_default() += 1;
        }
        for (kind, count) in counts {
            let (once, stays) = errors(kind);
            let mut faults: Vec<String> = Vec::new();
            for number in 1..=count {
                faults.extend(once.iter().map(|error| format!("{kind}:{number}:e{error}")));
                faults.extend(stays.iter().map(|error| format!("{kind}:{number}+:e{error}")));
                if kind == "map" {
                    let run = move |lab: &Lab| emptied(lab, case, number);
                    let id = format!("{}/map:{number}:short", case.name);
                    experiments.push(Experiment::new("mapped file that is emptied", id, run));
                }
            }
            if matches!(kind, "read" | "write") {
                faults.extend(
                    ["1+:short", "%2:short", "%3:short", "%2:e4"].map(|fault| format!("{kind}:{fault}")),
                );
            }
            let experiment = |fault: String| {
                let group = format!("{kind}, {}", fault.rsplit(':').next().map_or("", name));
                Experiment::new(group, format!("{}/{fault}", case.name), move |lab| {
                    failing(lab, case, &fault)
                })
            };
            experiments.extend(faults.into_iter().map(experiment));
        }
        let calls = lab.undisturbed(case).calls.len();
        for number in 1..=calls {
            let id = format!("{}/any:{number}:kill", case.name);
            experiments
                .push(Experiment::new("SIGKILL at a call", id, move |lab| killed(lab, case, &[number])));
            if case.resumes() {
                // Pairs of all calls are too many. Each first call has others.
                for second in (1 + number % BETWEEN..=calls).step_by(BETWEEN) {
                    let id = format!("{}/any:{number}:kill,any:{second}:kill", case.name);
                    let kills = [number, second];
                    let run = move |lab: &Lab| killed(lab, case, &kills);
                    experiments.push(Experiment::new("SIGKILL at two calls", id, run));
                }
            }
        }
    }
    experiments
}

/// The name of an action of the library, for a reader.
fn name(action: &str) -> &str {
    match action {
        "e4" => "EINTR",
        "e5" => "EIO",
        "e11" => "EAGAIN",
        "e12" => "ENOMEM",
        "e13" => "EACCES",
        "e24" => "EMFILE",
        "e28" => "ENOSPC",
        "e37" => "ENOLCK",
        other => other,
    }
}

fn failing(lab: &Lab, case: &Case, fault: &str) -> Result<Ended> {
    let room = lab.room(case)?;
    let ran = lab.disturbed(case, &room, fault).run()?;
    // What cannot be removed stays, and what cannot be listed is not removed.
    let leftovers = fault.starts_with("unlink") || fault.starts_with("list");
    let ended = lab.judge(case, &room, &ran, leftovers)?;
    lab.require_next_run(case, &room)?;
    Ok(ended)
}

/// Kills the process before the call with this number, then the next one, and runs the command again.
fn killed(lab: &Lab, case: &Case, numbers: &[usize]) -> Result<Ended> {
    let room = lab.room(case)?;
    for number in numbers {
        let ran = lab.disturbed(case, &room, &format!("any:{number}:kill")).run()?;
        if ran.signal == Some(9) {
            lab.judge_killed(case, &room)?;
        } else {
            // It ended before that call.
            lab.judge(case, &room, &ran, false)?;
        }
    }
    lab.require_next_run(case, &room)?;
    Ok(Ended::Killed)
}

/// Empties a temporary file while it is mapped. The system kills a process that reads it then.
fn emptied(lab: &Lab, case: &Case, number: u64) -> Result<Ended> {
    let room = lab.room(case)?;
    let ran = lab.disturbed(case, &room, &format!("map:{number}:short")).run()?;
    let ended = if ran.signal == Some(SIGBUS) {
        lab.judge_killed(case, &room)?;
        Ended::Killed
    } else {
        lab.judge(case, &room, &ran, false)?
    };
    lab.require_next_run(case, &room)?;
    Ok(ended)
}
