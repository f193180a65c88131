//! `hostile`: adversarial files. Each engine works in its own process, which is killed if it takes too long.

use std::env;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use robomata_engine::automaton::Program;
use robomata_engine::{Config, Policy};
use robomata_testkit::process;
use serde::{Deserialize, Serialize};

use super::{Context, Purpose};
use crate::corpus::{Corpus, Questions};
use crate::definition::Definition;
use crate::engines::{self, Asked, NONE, Setting};
use crate::hostile::Hostile;
use crate::results::Sample;

/// The time limit of an engine for all its work; and in a quick run.
const LIMIT: Duration = Duration::from_secs(20);
const QUICK_LIMIT: Duration = Duration::from_secs(2);
/// Time spent on each URL; at least one check.
const PER_URL: Duration = Duration::from_millis(5);

/// What a process reports.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    letters: String,
    /// Seconds, by round; empty if there is no such step.
    compile: Vec<f64>,
    /// Nanoseconds of the worst URL, by round.
    check: Vec<f64>,
    /// The name of the worst URL.
    worst: String,
}

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let hostile: Hostile = definition.corpus.parse()?;
    let corpus = hostile.corpus();
    let mut samples = Vec::new();
    for engine in &definition.engines {
        eprintln!("{}: {engine}", definition.name);
        match in_process(context, definition, engine)? {
            Some(report) => {
                let note = context.verify(definition, &corpus, engine, report.letters.as_bytes())?;
                samples.extend(report.samples(engine, &corpus, &note));
            }
            None => samples.push(Sample {
                engine: engine.clone(),
                measure: "check, worst URL".to_owned(),
                unit: "ns/URL",
                items: corpus.questions.len(),
                values: Vec::new(),
                note: format!("not done within {} s", limit(context).as_secs()),
            }),
        }
    }
    samples.push(size(&corpus, &definition.setting()));
    Ok(if context.purpose == Purpose::Update { Vec::new() } else { samples })
}

impl Report {
    fn samples(self, engine: &str, corpus: &Corpus, note: &str) -> Vec<Sample> {
        let sample = |measure: &str, unit, items, values, note| Sample {
            engine: engine.to_owned(),
            measure: measure.to_owned(),
            unit,
            items,
            values,
            note,
        };
        if self.letters.bytes().all(|letter| letter == NONE) {
            let refused = "refuses the file".to_owned();
            return vec![sample("check, worst URL", "ns/URL", corpus.questions.len(), Vec::new(), refused)];
        }
        let compile = self.compile.iter().map(|seconds| seconds * 1e3).collect::<Vec<_>>();
        let worst = format!("{}; {note}", self.worst);
        let mut samples =
            vec![sample("check, worst URL", "ns/URL", corpus.questions.len(), self.check, worst)];
        if !compile.is_empty() {
            samples.push(sample("compile", "ms/file", 1, compile, note.to_owned()));
        }
        samples
    }
}

/// The size of the program, relative to the file.
fn size(corpus: &Corpus, setting: &Setting) -> Sample {
    let policy = Policy::new(corpus.bodies[0], &Config::new(setting.dialect));
    let program = Program::compile(&policy.rules_for(&setting.crawler()));
    let (program, file) = (program.as_ref().bytes().len(), corpus.body_bytes());
    Sample {
        engine: "robomata/program".to_owned(),
        measure: "program".to_owned(),
        unit: "bytes/byte",
        items: 1,
        values: vec![program as f64 / file as f64],
        note: format!("program {program} bytes, file {file}"),
    }
}

fn limit(context: &Context) -> Duration {
    if context.purpose == Purpose::Test { QUICK_LIMIT } else { LIMIT }
}

/// Runs the work in another process. Returns `None` if it takes too long.
fn in_process(context: &Context, definition: &Definition, engine: &str) -> Result<Option<Report>> {
    let rounds = if context.purpose == Purpose::Update { 0 } else { context.clock.rounds };
    let mut command = Command::new(env::current_exe()?);
    command.args(["child-hostile", "--engine", engine, "--from", &definition.corpus]);
    command.args(["--agent", definition.agent, "--dialect", &definition.dialect.to_string()]);
    command.args(["--rounds", &rounds.to_string()]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut stdout = child.stdout.take().context("no standard output")?;
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let in_time = |_: &Child| start.elapsed() <= limit(context);
    let Some(status) = process::ended(&mut child, in_time)? else { return Ok(None) };
    ensure!(status.success(), "{command:?}: {status}");
    let text = reader.join().ok().context("the reader panicked")??;
    Ok(Some(serde_json::from_str(&text)?))
}

/// The child process: prints its report. Without rounds it only answers.
pub(crate) fn child(engine: &str, hostile: &Hostile, setting: &Setting, rounds: usize) -> Result<()> {
    let corpus = hostile.corpus();
    let mut engine = engines::make(engine, setting)?;
    engine.prepare(&corpus)?;
    let letters = engine.letters(Asked::Url, &corpus.questions)?;
    let is_refused = letters.iter().all(|&letter| letter == NONE);
    let (mut compile, mut check, mut worst) = (Vec::new(), Vec::new(), 0);
    if rounds > 0 && !is_refused {
        let urls: Vec<Questions> =
            (0..letters.len()).map(|at| corpus.questions.select(|place| place == at)).collect();
        let mut nanoseconds = |urls: &Questions| nanoseconds(&mut *engine, urls);
        let first: Vec<f64> = urls.iter().map(&mut nanoseconds).collect::<Result<_>>()?;
        worst = (0..first.len()).max_by(|&a, &b| first[a].total_cmp(&first[b])).unwrap_or(0);
        check = (0..rounds).map(|_| nanoseconds(&urls[worst])).collect::<Result<_>>()?;
        for _ in 0..rounds {
            compile.extend(engine.compile(&corpus.bodies)?.map(|time| time.as_secs_f64()));
        }
    }
    let letters = String::from_utf8(letters)?;
    let worst = format!("worst URL: {}", hostile.candidate_names()[worst]);
    println!("{}", serde_json::to_string(&Report { letters, compile, check, worst })?);
    Ok(())
}

/// Nanoseconds per check of one URL, as a mean over some time.
fn nanoseconds(engine: &mut dyn engines::Engine, url: &Questions) -> Result<f64> {
    let (mut spent, mut count) = (Duration::ZERO, 0u32);
    while count == 0 || spent < PER_URL {
        spent += engine.check(Asked::Url, url)?.0;
        count += 1;
    }
    Ok(spent.as_secs_f64() * 1e9 / f64::from(count))
}
