//! The subcommands.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::answers::Answers;
use crate::arguments::{Arguments, Child, Verb, What};
use crate::corpus::Places;
use crate::definition::{self, Definition};
use crate::engines::{self, Setting};
use crate::machine::Machine;
use crate::models::{self, Context, Purpose, Runners};
use crate::results::{self, Row};
use crate::timing::Clock;
use crate::{compare, rank, report};

/// The part of the real files for a quick run: 20 URLs a site, of the first 200 bodies.
const PART_OF_REAL: &str = "real:20:200";

pub(crate) fn run(arguments: Arguments) -> Result<()> {
    match arguments.verb {
        Verb::List { filter } => list(&filter),
        Verb::Measure { what, rounds, limit, save, exact } => {
            let clock = Clock { rounds: rounds as usize, limit: Duration::from_secs(limit) };
            measure(&what, clock, save.as_deref(), exact)
        }
        Verb::Test { what } => test(&what),
        Verb::Update { what } => update(&what),
        Verb::Rank { file, filter } => {
            print!("{}", rank::table(&results::read(&file)?, &filter));
            Ok(())
        }
        Verb::Cmp { a, b, threshold } => {
            print!("{}", compare::table(&results::read(&a)?, &results::read(&b)?, threshold));
            Ok(())
        }
        Verb::Report { file, to } => report::write(&results::read(&file)?, &to),
        Verb::ChildMemory(child) => models::memory_child(&child.engine, &child.from, &setting(&child)),
        Verb::ChildHostile { child, rounds } => {
            models::hostile_child(&child.engine, &child.from.parse()?, &setting(&child), rounds)
        }
    }
}

fn setting(child: &Child) -> Setting {
    // Engines keep the name indefinitely; this process has one.
    Setting { agent: child.agent.clone().leak(), dialect: child.dialect }
}

fn list(filter: &str) -> Result<()> {
    for definition in definition::all(&definition::directory(), filter)? {
        let Definition { name, corpus, agent, dialect, engines, analysis, .. } = definition;
        println!("{name}\n  {corpus}, {agent}, {dialect}\n  {}\n  {analysis}\n", engines.join(", "));
    }
    println!("engines:");
    for (name, what) in engines::ALL {
        println!("  {name:20} {what}");
    }
    Ok(())
}

/// Reads the definitions, and creates the context of a run.
fn begin(what: &What, purpose: Purpose, clock: Clock) -> Result<(Vec<Definition>, Context)> {
    let definitions = definition::all(&what.definitions, &what.filter)?;
    ensure!(!definitions.is_empty(), "no benchmark's name contains '{}'", what.filter);
    let runners = if what.runners { Runners::Used } else { Runners::Skipped };
    let places = Places::new(what.corpus.clone());
    let answers = Answers::read(&what.definitions)?;
    Ok((definitions, Context::new(purpose, clock, places, runners, answers)))
}

fn measure(what: &What, clock: Clock, save: Option<&Path>, exact: bool) -> Result<()> {
    ensure!(!cfg!(debug_assertions), "this is a debug build: its times mean nothing (use --release)");
    let (mut definitions, mut context) = begin(what, Purpose::Measure, clock)?;
    if exact {
        definitions.retain(|definition| definition.name == what.filter);
    }
    let mut all = Vec::new();
    for definition in &definitions {
        if let Some(hindrance) = context.hindrance(definition) {
            eprintln!("{}: skipped, {hindrance}", definition.name);
            continue;
        }
        match &definitions[..] {
            [_] => {
                let samples = context.run(definition)?;
                let rows = results::rows(definition, &samples, &Machine::here());
                println!("{}", report::tables(&rows));
                all.extend(rows);
            }
            _ => all.extend(measure_alone(definition, what, clock)?),
        }
        // After each benchmark, so that results are kept if a later one fails.
        if let Some(path) = save {
            results::write(path, &all)?;
        }
    }
    ensure!(!all.is_empty(), "nothing was measured");
    Ok(())
}

/// Measures one benchmark in a process of its own. What other benchmarks left on the heap would more than double the time
/// of parsing.
fn measure_alone(definition: &Definition, what: &What, clock: Clock) -> Result<Vec<Row>> {
    let save = tempfile::NamedTempFile::new()?;
    let mut command = Command::new(env::current_exe()?);
    command.args(["measure", "--exact", &definition.name]);
    command.arg("--definitions").arg(&what.definitions);
    command.args(what.corpus.iter().flat_map(|directory| ["--corpus".as_ref(), directory.as_os_str()]));
    command.args(what.runners.then_some("--runners"));
    command.args(["--rounds", &clock.rounds.to_string(), "--limit", &clock.limit.as_secs().to_string()]);
    let status = command.arg("--save").arg(save.path()).status()?;
    ensure!(status.success(), "{}: {status}", definition.name);
    results::read(save.path())
}

/// Runs every benchmark once over its small corpus, and over a part of the real files if they are given.
fn test(what: &What) -> Result<()> {
    let clock = Clock { rounds: 1, limit: Duration::ZERO };
    let (definitions, mut context) = begin(what, Purpose::Test, clock)?;
    let small: Vec<Definition> =
        definitions.iter().flat_map(small).filter(|small| context.hindrance(small).is_none()).collect();
    let machine = Machine::here();
    let mut rows = Vec::new();
    for definition in &small {
        let samples = context.run(definition)?;
        rows.extend(results::rows(definition, &samples, &machine));
    }
    print!("{}", report::tables(&rows));
    let directory = tempfile::tempdir()?;
    report::write(&rows, directory.path())?;
    println!("{} runs, all answers as expected", small.len());
    Ok(())
}

/// The small corpora of a benchmark.
fn small(definition: &Definition) -> Vec<Definition> {
    let mut corpora = vec![definition.test_corpus.clone()];
    if definition.corpus.starts_with("real") {
        corpora.push(PART_OF_REAL.to_owned());
    }
    corpora.into_iter().map(|corpus| Definition { corpus, ..definition.clone() }).collect()
}

/// Finds the answers of every benchmark, including those of its small corpora.
fn update(what: &What) -> Result<()> {
    let clock = Clock { rounds: 0, limit: Duration::ZERO };
    let (definitions, mut context) = begin(what, Purpose::Update, clock)?;
    for definition in definitions {
        for definition in small(&definition).into_iter().chain([definition]) {
            match context.hindrance(&definition) {
                Some(hindrance) => eprintln!("{}: skipped, {hindrance}", definition.name),
                None => drop(context.run(&definition)?),
            }
        }
        // After each benchmark, so that answers are kept if a later one fails.
        context.answers.write(&what.definitions)?;
    }
    println!("wrote {} (review the changes)", what.definitions.join("answers.toml").display());
    Ok(())
}
