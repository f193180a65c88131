//! The subcommands.

use std::path::Path;
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
        Verb::Measure { what, rounds, limit, save } => {
            let clock = Clock { rounds: rounds as usize, limit: Duration::from_secs(limit) };
            measure(&what, clock, save.as_deref())
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

fn measure(what: &What, clock: Clock, save: Option<&Path>) -> Result<()> {
    let machine = Machine::here();
    ensure!(!cfg!(debug_assertions), "this is a debug build: its times mean nothing (use --release)");
    let (definitions, mut context) = begin(what, Purpose::Measure, clock)?;
    let rows = each(&definitions, &mut context, &machine, save)?;
    ensure!(!rows.is_empty(), "nothing was measured");
    Ok(())
}

fn each(
    definitions: &[Definition],
    context: &mut Context,
    machine: &Machine,
    save: Option<&Path>,
) -> Result<Vec<Row>> {
    let mut all = Vec::new();
    for definition in definitions {
        if let Some(hindrance) = context.hindrance(definition) {
            eprintln!("{}: skipped, {hindrance}", definition.name);
            continue;
        }
        let samples = context.run(definition)?;
        let rows = results::rows(definition, &samples, machine);
        println!("{}", report::tables(&rows));
        all.extend(rows);
        // After each benchmark, so that results are kept if a later one fails.
        if let Some(path) = save {
            results::write(path, &all)?;
        }
    }
    Ok(all)
}

/// Runs every benchmark once over its small corpus, and over a part of the real files if they are given.
fn test(what: &What) -> Result<()> {
    let clock = Clock { rounds: 1, limit: Duration::ZERO };
    let (definitions, mut context) = begin(what, Purpose::Test, clock)?;
    let small: Vec<Definition> =
        definitions.iter().flat_map(small).filter(|small| context.hindrance(small).is_none()).collect();
    let rows = each(&small, &mut context, &Machine::here(), None)?;
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
