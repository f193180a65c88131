//! `filter`, `filter-random`: the command as users run it, from a file of URLs to a file of allowed ones. The base is a
//! copy of that file. Both write to standard output; the last measure is `--to FILE`, which also waits for the disk.
//!
//! Few URLs are repeated, because the start of the command would otherwise take most of the time.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::{Context, Model, Purpose};
use crate::corpus::{Corpus, Form, Order};
use crate::definition::Definition;
use crate::engines::{ALLOW, DISALLOW, NONE, store_of};
use crate::results::Sample;
use crate::timing::rounds;

const COMMAND: &str = "robomata/command";

/// The number of URLs that a measured run has at least, if the corpus has any.
const MEASURED_URLS: usize = 10_000_000;

/// Where the command writes.
#[derive(Clone, Copy)]
enum Output {
    /// Standard output, which is a file.
    Standard,
    /// `--to FILE`: synced, and then renamed.
    To,
}

pub(super) fn run(context: &mut Context, definition: &Definition) -> Result<Vec<Sample>> {
    let corpus = context.corpus(definition)?;
    let directory = tempfile::tempdir()?;
    let job = Job::new(&corpus, definition, directory.path())?;
    let letters = job.letters()?;
    context.verify(definition, &corpus, COMMAND, &letters)?;
    if context.purpose == Purpose::Update {
        return Ok(Vec::new());
    }

    eprintln!("{}: timing", definition.name);
    let is_measured = context.purpose == Purpose::Measure;
    let repeats = if is_measured { MEASURED_URLS.div_ceil(letters.len().max(1)) } else { 2 };
    job.repeat_urls(repeats)?;
    let allowed = repeats * letters.iter().filter(|&&letter| letter == ALLOW).count();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let taken = rounds(context.clock, 4, |lane| match lane {
        0 => job.cat().map(Some),
        1 => job.filter(1, Output::Standard, allowed).map(Some),
        2 => job.filter(all, Output::Standard, allowed).map(Some),
        _ => job.filter(all, Output::To, allowed).map(Some),
    })?;
    let names = [
        ("cat", "copy".to_owned()),
        (COMMAND, "1 thread".to_owned()),
        (COMMAND, format!("{all} threads")),
        (COMMAND, format!("{all} threads, --to")),
    ];
    let count = repeats * letters.len();
    let bytes = fs::metadata(&job.urls)?.len();
    let sample = |((engine, measure), values): ((&str, String), Vec<f64>)| Sample {
        engine: engine.to_owned(),
        measure,
        unit: "ns/URL",
        items: count,
        values: values.into_iter().map(|seconds| seconds * 1e9 / count.max(1) as f64).collect(),
        note: format!("{bytes} bytes of URLs"),
    };
    Ok(names.into_iter().zip(taken).map(sample).collect())
}

/// The files of the job.
struct Job {
    program: PathBuf,
    /// For each URL of the file: its index in the corpus.
    order: Vec<usize>,
    agent: &'static str,
    urls: PathBuf,
    policies: PathBuf,
    out: PathBuf,
}

impl Job {
    fn new(corpus: &Corpus, definition: &Definition, directory: &Path) -> Result<Self> {
        let order = match definition.model {
            Model::FilterRandom => Order::Random,
            _ => Order::Grouped,
        };
        let job = Job {
            program: command()?,
            agent: definition.agent,
            urls: directory.join("urls.txt"),
            policies: directory.join("policies.bundle"),
            out: directory.join("out.txt"),
            order: corpus.questions.permutation(order),
        };
        let mut urls = std::io::BufWriter::new(File::create(&job.urls)?);
        let all = corpus.questions.of(Form::Url);
        for &index in &job.order {
            writeln!(urls, "{}", all[index])?;
        }
        urls.flush()?;
        fs::write(&job.policies, store_of(corpus, &definition.setting()).bytes())?;
        Ok(job)
    }

    /// Makes the file contain all URLs so many times.
    fn repeat_urls(&self, times: usize) -> Result<()> {
        let once = fs::read(&self.urls)?;
        let mut urls = std::io::BufWriter::new(File::create(&self.urls)?);
        (0..times).try_for_each(|_| urls.write_all(&once))?;
        Ok(urls.flush()?)
    }

    fn command(&self, more: &[&str], output: Output) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.args(["filter", "-q", "--agent", self.agent, "--policies"]).arg(&self.policies).args(more);
        match output {
            Output::Standard => command.stdout(File::create(&self.out)?),
            Output::To => command.arg("--to").arg(&self.out),
        };
        command.arg(&self.urls);
        Ok(command)
    }

    /// The command's answer for every URL, in the order of the corpus.
    fn letters(&self) -> Result<Vec<u8>> {
        timed(&mut self.command(&["--output", "verdicts"], Output::To)?)?;
        let text = fs::read(&self.out)?;
        let letter = |line: &[u8]| match line.split(|&byte| byte == b'\t').next() {
            Some(b"allow") => ALLOW,
            Some(b"disallow") => DISALLOW,
            _ => NONE,
        };
        let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let mut letters = vec![NONE; self.order.len()];
        ensure!(lines.clone().count() == letters.len(), "the command does not answer every URL");
        for (&index, line) in self.order.iter().zip(lines) {
            letters[index] = letter(line);
        }
        Ok(letters)
    }

    fn filter(&self, threads: usize, output: Output, allowed: usize) -> Result<Duration> {
        let time = timed(&mut self.command(&["--threads", &threads.to_string()], output)?)?;
        let lines = memchr::memchr_iter(b'\n', &fs::read(&self.out)?).count();
        ensure!(lines == allowed, "{lines} URLs allowed while timed, {allowed} when verified");
        Ok(time)
    }

    fn cat(&self) -> Result<Duration> {
        let out = File::create(&self.out)?;
        timed(Command::new("cat").arg(&self.urls).stdout(out))
    }
}

fn timed(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    let status = command.status().with_context(|| format!("{command:?}"))?;
    let time = start.elapsed();
    ensure!(status.success(), "{command:?}: {status}");
    Ok(time)
}

/// The command from the same build as this program. It is built first, so that it is never outdated.
fn command() -> Result<PathBuf> {
    let this = env::current_exe()?;
    let folder = this.parent().context("the program has no parent folder")?;
    let target = folder.parent().context("the build folder has no parent folder")?;
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // With the workspace's unified features: otherwise all dependencies would be compiled again.
    build.args(["build", "-q", "--workspace", "--bin", "robomata", "--target-dir"]).arg(target);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    if let Err(error) = timed(build.current_dir(env!("CARGO_MANIFEST_DIR"))) {
        eprintln!("the command cannot be rebuilt: {error:#}");
    }
    let program = folder.join("robomata");
    ensure!(program.exists(), "{} is missing (run cargo build --release -p robomata-cli)", program.display());
    Ok(program)
}
