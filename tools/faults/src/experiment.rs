//! Experiments: what to run, how to choose among them, and what came out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Result;

use crate::lab::{Ended, Lab};

type Run = Box<dyn Fn(&Lab) -> Result<Ended> + Send + Sync>;

/// A run, or a few, under one fault.
pub struct Experiment {
    /// The kind of fault, as reports name it.
    group: String,
    /// The command and the fault: enough to repeat it.
    id: String,
    run: Run,
}

impl Experiment {
    pub(crate) fn new(
        group: impl Into<String>,
        id: impl Into<String>,
        run: impl Fn(&Lab) -> Result<Ended> + Send + Sync + 'static,
    ) -> Self {
        Experiment { group: group.into(), id: id.into(), run: Box::new(run) }
    }

    /// The command and the fault.
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// Experiments that found a mistake of the command once.
const ONCE_FOUND: [&str; 10] = [
    "filter/stat:10+:e5",
    "filter/urls.txt:8:cut",
    "filter-zstd/urls.txt:7:cut",
    "filter-resume/read:7:e5",
    "filter-resume/read:8:e5",
    "filter-resume-gzip/read:14+:e5",
    "filter-resume-gzip/read:50+:e5",
    "filter-threads/thread:3:e11",
    "filter-threads/thread:6:e11",
    "lint/read:3+:e5",
];

/// Chooses `most` experiments of each group, by the seed, and those that found a mistake once.
pub fn sample(experiments: Vec<Experiment>, most: usize, seed: u64) -> Vec<Experiment> {
    let mut groups: BTreeMap<String, Vec<Experiment>> = BTreeMap::new();
    for experiment in experiments {
        groups.entry(experiment.group.clone()).or_default().push(experiment);
    }
    let mut chosen = Vec::new();
    for (number, (_, mut group)) in (0..).zip(groups) {
        let mut rng = fastrand::Rng::with_seed(seed.wrapping_add(number));
        rng.shuffle(&mut group);
        let rest = group.split_off(most.min(group.len()));
        chosen.append(&mut group);
        chosen.extend(rest.into_iter().filter(|experiment| ONCE_FOUND.contains(&&*experiment.id)));
    }
    chosen
}

/// What came out of many experiments.
#[derive(Debug, Default)]
pub struct Report {
    groups: BTreeMap<String, BTreeMap<Ended, u64>>,
    /// The experiments after which something does not hold, and what.
    pub violations: Vec<(String, String)>,
    seconds: f64,
}

/// Runs all experiments, on `threads` threads.
pub fn run(lab: &Lab, experiments: &[Experiment], threads: usize) -> Report {
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    let work = || {
        while let Some(experiment) = experiments.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ended = (experiment.run)(lab);
            let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
            let group = report.groups.entry(experiment.group.clone()).or_default();
            match ended {
                Ok(ended) => *group.entry(ended).or_default() += 1,
                Err(error) => {
                    eprintln!("violation: {}: {error:#}", experiment.id);
                    report.violations.push((experiment.id.clone(), format!("{error:#}")));
                }
            }
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = lab.require_inputs_unchanged() {
        report.violations.push(("all".to_owned(), format!("{error:#}")));
    }
    report.violations.sort();
    report.seconds = started.elapsed().as_secs_f64();
    report
}

impl Report {
    /// A table of all groups.
    pub fn table(&self) -> String {
        let mut table =
            String::from("| fault | complete | refused | killed | aborted |\n|---|--:|--:|--:|--:|\n");
        let mut sums = [0; 4];
        for (group, counts) in &self.groups {
            let columns = [Ended::Complete, Ended::Refused, Ended::Killed, Ended::Aborted];
            let counts = columns.map(|ended| counts.get(&ended).copied().unwrap_or(0));
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
            row(&mut table, group, counts);
        }
        row(&mut table, "all", sums);
        table
    }

    /// One line about all experiments.
    pub fn summary(&self) -> String {
        let runs: u64 = self.groups.values().flat_map(BTreeMap::values).sum();
        let violations = self.violations.len();
        let all = runs + violations as u64;
        format!("{all} experiments in {:.0} s: {violations} violations", self.seconds)
    }
}

fn row(table: &mut String, name: &str, counts: [u64; 4]) {
    let [complete, refused, killed, aborted] = counts;
    writeln!(table, "| {name} | {complete} | {refused} | {killed} | {aborted} |")
        .expect("memory can be written");
}
