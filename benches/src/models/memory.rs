//! `memory`: how large programs are, and what a process grows by when an engine makes all policies ready.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use robomata::automaton::{Compiler, ranked_rules};
use robomata::{Config, Policy};

use super::verified::Verified;
use super::{Context, Purpose};
use crate::corpus::{Corpus, bare};
use crate::definition::Definition;
use crate::engines::{self, Setting, store_of};
use crate::results::Sample;

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    let verified = Verified::new(context, definition, &corpus)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }
    let policies: HashSet<u32> = corpus.questions.bodies.iter().copied().collect();
    let mut samples =
        vec![programs(&corpus, &definition.setting()), store(&corpus, definition, policies.len())];
    let bare = tempfile::NamedTempFile::new()?;
    bare::write(&corpus, bare.path())?;
    for entrant in verified.engines {
        match resident(definition, bare.path(), &entrant.name)? {
            Some(octets) => samples.push(Sample {
                engine: entrant.name,
                measure: "resident".to_owned(),
                unit: "octets/policy",
                items: policies.len(),
                values: vec![octets / policies.len().max(1) as f64],
                note: entrant.note,
            }),
            None => eprintln!("{}: resident octets cannot be measured here", definition.name),
        }
    }
    Ok(samples)
}

/// Octets of the programs of all distinct bodies; every program is a value.
fn programs(corpus: &Corpus, setting: &Setting) -> Sample {
    let (crawler, config) = (setting.crawler(), Config::new(setting.dialect));
    let mut compiler = Compiler::new();
    let (mut rules, mut sizes, mut distinct) = (0, Vec::new(), HashSet::new());
    for body in &corpus.bodies {
        let policy = Policy::new(body, &config);
        let set = policy.rules_for(&crawler);
        rules += ranked_rules(&set).iter().map(|rule| u64::from(rule.octets)).sum::<u64>();
        let program = compiler.compile(&set).octets();
        sizes.push(program.len());
        if !distinct.contains(program) {
            distinct.insert(program.to_vec());
        }
    }
    sizes.sort_unstable();
    let p99 = sizes.get(sizes.len() * 99 / 100).copied().unwrap_or(0);
    let note = format!(
        "bodies {} octets, normal forms of the rules {rules}, programs {}; {} distinct programs {}; p99 {p99}",
        corpus.body_octets(),
        sizes.iter().sum::<usize>(),
        distinct.len(),
        distinct.iter().map(Vec::len).sum::<usize>(),
    );
    Sample {
        engine: "robomata/program".to_owned(),
        measure: "program".to_owned(),
        unit: "octets/policy",
        items: sizes.len(),
        values: sizes.into_iter().map(|size| size as f64).collect(),
        note,
    }
}

fn store(corpus: &Corpus, definition: &Definition, policies: usize) -> Sample {
    let store = store_of(corpus, &definition.setting());
    let note = format!(
        "{} octets for {} sites, {} programs with {}",
        store.octets().len(),
        store.site_count(),
        store.program_count(),
        store.program_octets()
    );
    Sample {
        engine: engines::STORE.to_owned(),
        measure: "store".to_owned(),
        unit: "octets/policy",
        items: policies,
        values: vec![store.octets().len() as f64 / policies.max(1) as f64],
        note,
    }
}

/// What another process grows by when it prepares `engine`; none where that cannot be read.
fn resident(definition: &Definition, bare: &Path, engine: &str) -> Result<Option<f64>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["child-memory", "--engine", engine, "--from"]).arg(bare);
    command.args(["--agent", definition.agent, "--dialect", &definition.dialect.to_string()]);
    let output = command.output()?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
}

/// What that process does: it prints the octets that it grew by.
pub(crate) fn child(engine: &str, bare: &Path, setting: &Setting) -> Result<()> {
    let corpus = bare::read(bare)?;
    let mut engine = engines::make(engine, setting)?;
    let Some(before) = resident_octets() else { return Ok(()) };
    engine.prepare(&corpus)?;
    let after = resident_octets().context("it could be read before")?;
    println!("{}", after.saturating_sub(before));
    Ok(())
}

/// The resident set of this process, as Linux tells it.
fn resident_octets() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
