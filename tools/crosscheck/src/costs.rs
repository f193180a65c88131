//! Runs the commands on adversarial files, and compares their time and memory with what `SECURITY.md` promises.
//!
//! Each command is a process of its own, for files of the given size and of half the size: the ratio of both shows whether
//! the cost grows linearly.
//!
//! `products` has pairs of inputs.

mod products;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use robomata_testkit::hostile::{FAMILIES, GROUP_FAMILIES, GroupFamily, acap_files, file, pages, urls};
use robomata_testkit::process;

use self::products::{capture, request};

/// The crawler that is asked about. Only `*` names it, except in the families of groups.
const AGENT: &str = "ExampleBot";
const HOST: &str = "a.example";
/// At most this much is allowed for a file of 500 KiB.
pub const MOST_TIME: Duration = Duration::from_secs(10);
/// The same in bytes.
pub const MOST_MEMORY: u64 = 1 << 30;

/// The names of commands, and their arguments. `AGENT` is the crawler, and `PATHS` are URLs with the paths. They run in this
/// order, in one folder.
type Commands = [(&'static str, &'static str)];

/// Hostile files, the paths that are expensive to check with them, and the commands that read them.
struct Input {
    family: String,
    files: Vec<(&'static str, Vec<u8>)>,
    agent: String,
    paths: Vec<String>,
    commands: &'static Commands,
}

/// The least size of a file. A rule may have 16,000 stars, and it must fit into half of the file.
const LEAST: usize = 40_000;

/// The cost of one command on one file.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// From start to end.
    pub time: Duration,
    /// The most resident memory in bytes; zero where the system does not say.
    pub memory: u64,
}

/// A command on one family.
#[derive(Debug)]
pub struct Row {
    /// The name of the command.
    pub command: &'static str,
    /// The name of the family.
    pub family: String,
    /// For a file of half the size.
    pub half: Cost,
    /// For the whole file.
    pub whole: Cost,
}

impl Row {
    /// Whether the whole file took too much.
    pub fn is_too_much(&self) -> bool {
        self.whole.time > MOST_TIME || self.whole.memory > MOST_MEMORY
    }

    /// Whether the cost grew much more than the file. The time of short runs, and that of one run on a busy machine, is no proof.
    pub fn is_suspicious(&self) -> bool {
        let [time, memory] = [self.whole.time > Duration::from_secs(1), self.whole.memory > 64 << 20];
        time && self.whole.time > 3 * self.half.time || memory && self.whole.memory > 3 * self.half.memory
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { command, family, half, whole } = self;
        let [before, after] = [half, whole].map(|cost| cost.time.as_secs_f64());
        let [least, most] = [half, whole].map(|cost| cost.memory >> 20);
        let mark = match () {
            () if self.is_too_much() => "\tTOO MUCH",
            () if self.is_suspicious() => "\tmore than linear?",
            () => "",
        };
        write!(f, "{command}\t{family}\t{before:.2}\t{after:.2}\t{least}\t{most}{mark}")
    }
}

/// The columns of a [`Row`].
pub const HEADER: &str = "command\tfamily\tseconds, half\tseconds\tMiB, half\tMiB";

/// Runs the commands with `program` on every family, if the name of the command or of the family contains `only`. Calls `take`
/// for each result.
///
/// # Errors
/// When a command fails, or does not end within ten times the time that it may take.
pub fn run(program: &Path, bytes: usize, only: &str, mut take: impl FnMut(Row)) -> Result<()> {
    ensure!(
        bytes >= LEAST,
        "--bytes: expected at least {LEAST}: a smaller file has no rule of some families"
    );
    for (half, whole) in inputs(bytes / 2).into_iter().zip(inputs(bytes)) {
        let [half, whole] = [Folder::new(half)?, Folder::new(whole)?];
        let is_meant =
            |(command, _): &(&str, &str)| command.contains(only) || whole.input.family.contains(only);
        let commands = whole.input.commands;
        let count = commands.iter().rposition(is_meant).map_or(0, |last| last + 1);
        // A later command may read what an earlier one writes.
        let writes = |(_, arguments): &(&str, &str)| arguments.contains(" -o ");
        for one in commands[..count].iter().filter(|one| is_meant(one) || writes(one)) {
            let (command, arguments) = one;
            let cost = |folder: &Folder| {
                folder.cost(program, arguments).with_context(|| format!("{command}: {}", folder.input.family))
            };
            let (half, whole_cost) = (cost(&half)?, cost(&whole)?);
            if is_meant(one) {
                take(Row { command, family: whole.input.family.clone(), half, whole: whole_cost });
            }
        }
    }
    Ok(())
}

/// The commands for a robots.txt.
const ABOUT_FILES: &Commands = &[
    ("check", "check --agent AGENT --robots robots.txt PATHS"),
    ("explain", "explain --agent AGENT --robots robots.txt PATHS"),
    ("debug", "debug --agent AGENT --robots robots.txt"),
    ("check, ACAP", "check --dialect acap --agent AGENT --robots acap.txt PATHS"),
    ("explain, ACAP", "explain --dialect acap --agent AGENT --robots acap.txt PATHS"),
    ("debug, ACAP", "debug --dialect acap --agent AGENT --robots acap.txt"),
    ("lint", "lint --all robots.txt"),
    ("lint, ACAP", "lint --all acap.txt"),
    ("diff", "diff robots.txt other.txt"),
    ("diff of URLs", "diff --agent AGENT robots.txt other.txt urls.txt"),
    ("diff, ACAP", "diff --dialect acap acap.txt other-acap.txt"),
    ("compare", "compare --agent AGENT --robots robots.jsonl urls.txt"),
    ("permissions", "permissions --agent AGENT --robots robots.txt PATHS"),
    ("permissions, ACAP", "permissions --agent AGENT --robots acap.txt PATHS"),
    ("filter", "filter --agent AGENT --robots robots.jsonl urls.txt"),
    ("filter, ACAP", "filter --agent AGENT --usage index --robots acap.jsonl urls.txt"),
    ("score", "score --robots robots.jsonl access.log"),
    ("compile", "compile robots.jsonl --all-agents --history -o all.bundle"),
    ("compile, ACAP", "compile acap.jsonl --dialect acap --usage preserve --agent AGENT -o acap.bundle"),
    ("inspect", "inspect all.bundle"),
    ("plan", "plan --policies all.bundle --now 2026-11-23T12:00:00Z"),
    ("pace", "pace --agent AGENT --policies all.bundle"),
];

/// The command for a page.
const ABOUT_PAGES: &Commands =
    &[("permissions, page", "permissions --agent AGENT --robots robots.txt --page page.html PATHS")];

fn inputs(bytes: usize) -> Vec<Input> {
    let lists = FAMILIES.into_iter().map(|(name, family)| {
        let patterns = family.patterns(bytes);
        let mut others = patterns.clone();
        others.remove(others.len() / 2);
        others.push("/another".to_owned());
        let paths = urls(&patterns).into_iter().map(|(_, path)| path).collect();
        Input::of_files(name, &file(&patterns), &file(&others), AGENT, paths)
    });
    let groups = GROUP_FAMILIES.into_iter().map(|(name, family)| {
        let robots = family.file(bytes);
        let other = [&robots[..], b"\nUser-agent: *\nDisallow: /another\n"].concat();
        Input::of_files(name, &robots, &other, &family.crawlers()[0], family.paths())
    });
    let acap = acap_files(bytes).into_iter().map(|(name, robots)| {
        let other = [&robots[..], b"\nACAP-crawler: *\nACAP-disallow-index: /another\n"].concat();
        let names = GroupFamily::ManyNames;
        Input::of_files(&format!("ACAP: {name}"), &robots, &other, &names.crawlers()[0], names.paths())
    });
    let pages = pages(bytes).into_iter().map(|(name, page)| Input {
        family: format!("page: {name}"),
        files: vec![("robots.txt", file(&["/private"])), ("page.html", page.into_bytes())],
        agent: AGENT.to_owned(),
        paths: vec!["/".to_owned()],
        commands: ABOUT_PAGES,
    });
    lists.chain(groups).chain(acap).chain(pages).chain(products::inputs(bytes)).collect()
}

impl Input {
    /// A robots.txt, and a slightly different one.
    fn of_files(family: &str, robots: &[u8], other: &[u8], agent: &str, paths: Vec<String>) -> Self {
        let acap = acap(robots);
        let captured = |robots: &[u8]| capture(HOST, 6 * 3600, &String::from_utf8_lossy(robots)).into_bytes();
        let request = |path: &String| request(HOST, 12 * 3600, path, &format!("{AGENT}/1.0"));
        let lines =
            |line: &dyn Fn(&String) -> String| paths.iter().map(line).collect::<String>().into_bytes();
        let files = vec![
            ("robots.txt", robots.to_vec()),
            ("other.txt", other.to_vec()),
            ("robots.jsonl", captured(robots)),
            ("acap.jsonl", captured(&acap)),
            ("acap.txt", acap),
            ("other-acap.txt", self::acap(other)),
            ("urls.txt", lines(&|path| format!("https://{HOST}{path}\n"))),
            ("access.log", lines(&request)),
        ];
        Input { family: family.to_owned(), files, agent: agent.to_owned(), paths, commands: ABOUT_FILES }
    }
}

/// The files of an input.
struct Folder {
    input: Input,
    folder: tempfile::TempDir,
}

impl Folder {
    fn new(input: Input) -> Result<Self> {
        let folder = Folder { input, folder: tempfile::tempdir()? };
        for (name, bytes) in &folder.input.files {
            fs::write(folder.path(name), bytes)?;
        }
        Ok(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a command to its end.
    fn cost(&self, program: &Path, arguments: &str) -> Result<Cost> {
        let mut command = Command::new(program);
        for argument in arguments.split(' ') {
            match argument {
                "AGENT" => command.arg(&self.input.agent),
                // Not the path alone: `//` would begin a host.
                "PATHS" => command.args(self.input.paths.iter().map(|path| format!("http://{HOST}{path}"))),
                _ => command.arg(argument),
            };
        }
        let errors = self.path("errors");
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(fs::File::create(&errors)?).spawn()?;
        let (status, cost) = ended(child)?;
        // 1 means that something was found or is disallowed.
        ensure!(matches!(status.code(), Some(0 | 1)), "{status}: {}", fs::read_to_string(&errors)?);
        Ok(cost)
    }
}

/// Rules as fields of ACAP.
fn acap(robots: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(robots);
    let text = text.replace("User-agent: ", "ACAP-crawler: ").replace("Disallow: ", "ACAP-disallow-index: ");
    text.into_bytes()
}

/// Waits for a process, and watches its memory.
fn ended(mut child: Child) -> Result<(ExitStatus, Cost)> {
    let start = Instant::now();
    let mut memory = 0;
    let status = process::ended(&mut child, |child| {
        memory = memory.max(process::memory(&child.id().to_string(), "VmHWM").unwrap_or(0));
        start.elapsed() <= 10 * MOST_TIME && memory <= 8 * MOST_MEMORY
    })?;
    let time = start.elapsed();
    let status = status.with_context(|| format!("stopped after {time:?}, with {} MiB", memory >> 20))?;
    Ok((status, Cost { time, memory }))
}
