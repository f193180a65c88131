//! `memory`: the size of programs, and the memory growth of a process when an engine prepares all policies.

mod streamed;

use std::collections::HashSet;
use std::env;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use robomata_engine::automaton::{Compiler, ranked_rules};
use robomata_engine::{Config, Policy, PolicyStore, StoreParts};
use robomata_testkit::process;

use super::verified::Verified;
use super::{Context, Purpose};
use crate::corpus::{Corpus, bare};
use crate::definition::Definition;
use crate::engines::{self, Setting, store_of};
use crate::results::Sample;

/// An engine that needs more memory than this is refused: a machine could hold nothing else with its policies.
const LIMIT: u64 = 12 << 30;

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    if let Some(profile) = streamed::profile(definition)? {
        return if context.purpose == Purpose::Update {
            Ok(Vec::new())
        } else {
            streamed::run(definition, &profile)
        };
    }
    let corpus = context.corpus(definition)?;
    let policies: HashSet<u32> = corpus.questions.bodies.iter().copied().collect();
    let bare = tempfile::NamedTempFile::new()?;
    bare::write(&corpus, bare.path())?;
    let mut samples =
        vec![programs(&corpus, &definition.setting()), store(&corpus, definition, policies.len())];
    // One after the other: many policies of one engine may need all memory of the machine.
    for engine in &definition.engines {
        let resident = match context.purpose {
            Purpose::Update => None,
            _ => match resident(definition, bare.path(), engine)? {
                Resident::Bytes(bytes) => Some(bytes),
                Resident::Unknown => {
                    eprintln!("{}: resident bytes cannot be measured here", definition.name);
                    continue;
                }
                Resident::TooMany => {
                    eprintln!("{}: {engine} is refused: it needs more than {LIMIT} bytes", definition.name);
                    continue;
                }
            },
        };
        let alone = Definition { engines: vec![engine.clone()], ..definition.clone() };
        for entrant in Verified::new(context, &alone, &corpus)?.engines {
            samples.extend(resident.map(|bytes| Sample {
                engine: entrant.name,
                measure: "resident".to_owned(),
                unit: "bytes/policy",
                items: policies.len(),
                values: vec![bytes / policies.len().max(1) as f64],
                note: entrant.note,
            }));
        }
    }
    Ok(if context.purpose == Purpose::Update { Vec::new() } else { samples })
}

/// Total size of the programs of all distinct bodies. Every program is a value.
fn programs(corpus: &Corpus, setting: &Setting) -> Sample {
    let (crawler, config) = (setting.crawler(), Config::new(setting.dialect));
    let mut compiler = Compiler::new();
    let (mut rules, mut sizes, mut distinct) = (0, Vec::new(), HashSet::new());
    for body in &corpus.bodies {
        let policy = Policy::new(body, &config);
        let set = policy.rules_for(&crawler);
        rules += ranked_rules(&set).iter().map(|rule| u64::from(rule.length)).sum::<u64>();
        let program = compiler.compile(&set).bytes();
        sizes.push(program.len());
        if !distinct.contains(program) {
            distinct.insert(program.to_vec());
        }
    }
    sizes.sort_unstable();
    let p99 = sizes.get(sizes.len() * 99 / 100).copied().unwrap_or(0);
    let note = format!(
        "bodies {} bytes, normal forms of the rules {rules}, programs {}; {} distinct programs {}; p99 {p99}",
        corpus.body_bytes(),
        sizes.iter().sum::<usize>(),
        distinct.len(),
        distinct.iter().map(Vec::len).sum::<usize>(),
    );
    Sample {
        engine: "robomata/program".to_owned(),
        measure: "program".to_owned(),
        unit: "bytes/policy",
        items: sizes.len(),
        values: sizes.into_iter().map(|size| size as f64).collect(),
        note,
    }
}

fn store(corpus: &Corpus, definition: &Definition, policies: usize) -> Sample {
    let store = store_of(corpus, &definition.setting());
    Sample {
        engine: engines::STORE.to_owned(),
        measure: "store".to_owned(),
        unit: "bytes/policy",
        items: policies,
        values: vec![store.bytes().len() as f64 / policies.max(1) as f64],
        note: parts_of(&store),
    }
}

/// A breakdown of the bytes of a store.
fn parts_of(store: &PolicyStore) -> String {
    let StoreParts { slots, sites, index, programs, .. } = store.parts();
    let count = store.site_count();
    let each = |bytes: usize| bytes as f64 / count.max(1) as f64;
    format!(
        "{} bytes for {count} sites and {} programs; a site: slots {:.1}, names and deciders {:.1}, index {:.1}, \
         programs {:.1}",
        store.bytes().len(),
        store.program_count(),
        each(slots),
        each(sites),
        each(index),
        each(programs),
    )
}

/// The memory growth of a process.
enum Resident {
    Bytes(f64),
    /// This system does not report it.
    Unknown,
    /// More than [`LIMIT`].
    TooMany,
}

/// The memory growth of another process that prepares `engine`.
fn resident(definition: &Definition, bare: &Path, engine: &str) -> Result<Resident> {
    let mut command = child_command(definition, engine);
    command.arg("--from").arg(bare);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let is_small = |child: &Child| resident_bytes(&child.id().to_string()).is_none_or(|bytes| bytes <= LIMIT);
    let Some(status) = process::ended(&mut child, is_small)? else { return Ok(Resident::TooMany) };
    ensure!(status.success(), "{command:?}: {status}");
    let mut output = String::new();
    child.stdout.take().context("no standard output")?.read_to_string(&mut output)?;
    Ok(output.trim().parse().map_or(Resident::Unknown, Resident::Bytes))
}

fn child_command(definition: &Definition, engine: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap_or_else(|_| "bench".into()));
    command.args(["child-memory", "--engine", engine]);
    command.args(["--agent", definition.agent, "--dialect", &definition.dialect.to_string()]);
    command
}

/// The child process: prints its memory growth in bytes.
pub(crate) fn child(engine: &str, from: &str, setting: &Setting) -> Result<()> {
    if let Some(profile) = from.strip_prefix(streamed::FROM) {
        return streamed::child(profile, setting);
    }
    let corpus = bare::read(Path::new(from))?;
    let mut engine = engines::make(engine, setting)?;
    let Some(before) = resident_bytes("self") else { return Ok(()) };
    engine.prepare(&corpus)?;
    let after = resident_bytes("self").context("resident memory cannot be read")?;
    println!("{}", after.saturating_sub(before));
    Ok(())
}

fn resident_bytes(process: &str) -> Option<u64> {
    process::memory(process, "VmRSS")
}
