//! Builds all mutants at once, and runs the checks with one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use robomata_testkit::process;
use serde_json::Value;

use super::results::Verdict;
use super::{Mutant, Mutants};
use crate::planted::copy::{Copy, Outcome, Switch, add_switches, is_late, switched};

/// The tests that can notice a mutant: a package, a binary and the start of the names of its tests.
const BINARIES: [(&str, &str, &[&str]); 11] = [
    ("robomata-automaton", "lib", &[]),
    ("robomata-policy", "lib", &[]),
    ("robomata-permissions", "lib", &[]),
    ("robomata-evaluator", "lib", &[]),
    ("robomata-automaton", "test", &[]),
    ("robomata-policy", "test", &[]),
    ("robomata", "test", &[]),
    ("robomata-lint", "test", &[]),
    (
        "robomata-crosscheck",
        "test",
        &["conformance", "lifecycle", "permissions", "decompile", "idle", "usages"],
    ),
    ("robomata-evaluator", "test", &[]),
    ("robomata-jobs", "test", &[]),
];
/// A check may take so many times as long as without a mutant, and [`AT_LEAST`] more.
const TIMES: u32 = 4;
const AT_LEAST: Duration = Duration::from_secs(10);
/// The time of a test that was not run yet.
const FIRST: Duration = Duration::from_secs(120);
/// Tests that take this long together run in one process.
const BATCH: Duration = Duration::from_secs(2);
/// What a process may use at most.
const MEMORY: u64 = 3 << 30;

/// A test binary.
#[derive(Clone, Debug)]
struct Binary {
    package: &'static str,
    program: PathBuf,
    folder: PathBuf,
    filters: &'static [&'static str],
}

/// A test.
#[derive(Clone, Debug)]
struct Test {
    /// The place of its binary.
    binary: usize,
    name: String,
    /// How long it takes without a mutant.
    usual: Duration,
    /// The mutants whose code it runs.
    reached: BTreeSet<usize>,
}

/// All mutants that compile, built.
#[derive(Debug)]
pub struct Built {
    copy: Copy,
    binaries: Vec<Binary>,
    /// The quick ones come first.
    tests: Vec<Test>,
    night: PathBuf,
    seconds: u64,
    /// The mutants whose code [`night`](crate::night) runs.
    night_reached: BTreeSet<usize>,
}

/// How a run of a check ended.
#[derive(Debug)]
enum Ending {
    Passed,
    Failed(String),
    Endless,
}

/// Copies the workspace with all mutants, and leaves out those that do not compile: adds them to `unbuildable`.
///
/// # Errors
/// If the copy cannot be made, or does not compile although all mutants that errors are about are left out.
pub fn build(
    root: &Path,
    mutants: &Mutants,
    unbuildable: &mut BTreeSet<usize>,
    seconds: u64,
) -> Result<Built> {
    loop {
        let rewritten = mutants.rewrite(unbuildable);
        let mut texts: BTreeMap<String, String> =
            rewritten.iter().map(|(file, (text, _))| (file.clone(), text.clone())).collect();
        add_switches(root, &mut texts)?;
        // Where each file begins after what `add_switches` inserts.
        let shifts: BTreeMap<&str, usize> = rewritten
            .iter()
            .map(|(file, (text, _))| (file.as_str(), texts[file].find(text.as_str()).unwrap_or(0)))
            .collect();
        let copy = Copy::new(root, "mutants", texts)?;
        // The first finds nearly all errors, in a fraction of the time. The packages select the features.
        let packages: BTreeSet<&str> = BINARIES.iter().map(|(package, ..)| *package).collect();
        let mut built = copy.cargo(&arguments(&["check", "--keep-going"], &packages))?;
        if built.status.success() {
            built = copy.cargo(&arguments(&["test", "--no-run"], &packages))?;
        }
        if built.status.success() {
            return tests(copy, &built.stdout, seconds);
        }
        let before = unbuildable.len();
        let mut others = Vec::new();
        for message in messages(&built.stdout).filter(|message| message["message"]["level"] == "error") {
            let spans = spans(&message["message"]);
            let found = spans.iter().find_map(|(file, range)| {
                let (_, branches) = rewritten.get(file)?;
                let (start, end) =
                    (range.start.checked_sub(shifts[file.as_str()])?, range.end - shifts[file.as_str()]);
                branches.iter().find(|(branch, _)| branch.start <= start && end <= branch.end)
            });
            match found {
                Some((_, number)) => {
                    unbuildable.insert(*number);
                }
                None => others.push(message["message"]["rendered"].as_str().unwrap_or_default().to_owned()),
            }
        }
        ensure!(
            unbuildable.len() > before,
            "{}: the copy with mutants does not compile:\n{}{}",
            copy.source().display(),
            others.concat(),
            String::from_utf8_lossy(&built.stderr)
        );
        eprintln!("{} mutants do not compile so far, {} other errors", unbuildable.len(), others.len());
    }
}

/// What cargo printed.
fn messages(stdout: &[u8]) -> impl Iterator<Item = Value> {
    stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// The places that an error is about, the most important ones first.
fn spans(message: &Value) -> Vec<(String, std::ops::Range<usize>)> {
    let all = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let (first, others): (Vec<&Value>, Vec<&Value>) = all.iter().partition(|span| span["is_primary"] == true);
    let read = |span: &&Value| {
        let place = |name: &str| usize::try_from(span[name].as_u64()?).ok();
        Some((span["file_name"].as_str()?.to_owned(), place("byte_start")?..place("byte_end")?))
    };
    first.iter().chain(&others).filter_map(read).collect()
}

/// The arguments of cargo for some packages.
fn arguments<'a>(command: &[&'a str], packages: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let packages = packages.iter().flat_map(|package| ["-p", *package]);
    command.iter().copied().chain(["--message-format=json"]).chain(packages).collect()
}

/// Finds the checks in what cargo printed.
fn tests(copy: Copy, printed: &[u8], seconds: u64) -> Result<Built> {
    let programs: Vec<Value> =
        messages(printed).filter(|message| message["executable"].is_string()).collect();
    let find = |package: &str, kind: &str, is_test: bool| {
        let folder = package.trim_start_matches("robomata-");
        let program = programs.iter().find(|artifact| {
            let manifest = artifact["manifest_path"].as_str().unwrap_or_default();
            manifest.ends_with(&format!("/{folder}/Cargo.toml"))
                && artifact["target"]["kind"][0] == kind
                && artifact["profile"]["test"] == is_test
        });
        let program = program.with_context(|| format!("cargo does not name the {kind} of {package}"))?;
        let path = |name: &str| PathBuf::from(program[name].as_str().unwrap_or_default());
        Ok::<_, anyhow::Error>((path("executable"), path("manifest_path")))
    };
    let binaries = BINARIES
        .into_iter()
        .map(|(package, kind, filters)| {
            let (program, manifest) = find(package, kind, true)?;
            let folder = manifest.parent().unwrap_or(&manifest).to_owned();
            Ok(Binary { package, program, folder, filters })
        })
        .collect::<Result<Vec<_>>>()?;
    let (night, _) = find("robomata-crosscheck", "bin", false)?;
    let (tests, night_reached) = (Vec::new(), BTreeSet::new());
    let mut built = Built { copy, binaries, tests, night, seconds, night_reached };
    built.measure()?;
    Ok(built)
}

impl Built {
    /// Runs each test and `night` without a mutant: they must pass. Notes what each of them reaches.
    fn measure(&mut self) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("reached");
        for (number, binary) in self.binaries.iter().enumerate() {
            let all = Instant::now();
            for name in binary.names()? {
                let start = Instant::now();
                match binary.run(&[&name], Switch::Reached(&file), FIRST)? {
                    Ending::Passed => {}
                    ending => bail!("{} {name}, without a mutant: {ending:?}", binary.name()),
                }
                let (usual, reached) = (start.elapsed(), take_numbers(&file)?);
                self.tests.push(Test { binary: number, name, usual, reached });
            }
            eprintln!("{}: {:.1} s without a mutant", binary.name(), all.elapsed().as_secs_f64());
        }
        self.tests.sort_by_key(|test| test.usual);
        let outcome = self.copy.night(&self.night, Switch::Reached(&file), self.seconds, None)?;
        ensure!(matches!(outcome, Outcome::Missed(_)), "night, without a mutant: {outcome:?}");
        self.night_reached = take_numbers(&file)?;
        Ok(())
    }

    /// Runs the checks that reach a mutant until one notices it, the quick ones first. Returns the one that did.
    ///
    /// # Errors
    /// If a check cannot be started.
    pub fn judge(&self, number: usize, mutant: &Mutant) -> Result<(Verdict, String)> {
        let reaching: Vec<&Test> = self.tests.iter().filter(|test| test.reached.contains(&number)).collect();
        for batch in batches(&reaching) {
            // By binary, those of the mutant's own package first.
            let mut by_binary: BTreeMap<(bool, usize), Vec<&Test>> = BTreeMap::new();
            for &test in batch {
                let is_other = self.binaries[test.binary].package != mutant.package;
                by_binary.entry((is_other, test.binary)).or_default().push(test);
            }
            for ((_, binary), tests) in by_binary {
                let binary = &self.binaries[binary];
                let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
                let usual = tests.iter().map(|test| test.usual).sum();
                match binary.run(&names, Switch::Error(number), usual)? {
                    Ending::Passed => {}
                    Ending::Failed(test) => {
                        return Ok((Verdict::Caught, format!("{} {test}", binary.name())));
                    }
                    Ending::Endless => return Ok((Verdict::Endless, binary.name())),
                }
            }
        }
        if !self.night_reached.contains(&number) {
            let by = if reaching.is_empty() { "nothing reaches it" } else { "" };
            return Ok((Verdict::Missed, by.to_owned()));
        }
        Ok(match self.copy.night(&self.night, Switch::Error(number), self.seconds, None)? {
            Outcome::Found(kind, _) => (Verdict::Caught, format!("night {kind}")),
            Outcome::Crashed => (Verdict::Caught, "night crash".to_owned()),
            Outcome::Endless => (Verdict::Endless, "night".to_owned()),
            Outcome::Missed(_) => (Verdict::Missed, String::new()),
        })
    }
}

/// Divides tests, the quick ones first, into runs that take at most [`BATCH`] or are one test.
fn batches<'t>(tests: &'t [&'t Test]) -> impl Iterator<Item = &'t [&'t Test]> {
    let mut rest = tests;
    std::iter::from_fn(move || {
        let mut time = Duration::ZERO;
        let fits = |test: &&&Test| {
            time += test.usual;
            time <= BATCH
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (batch, others) = rest.split_at(count);
        rest = others;
        (count > 0).then_some(batch)
    })
}

/// Reads and removes what [`Switch::Reached`] wrote. If no place was reached, there is no file.
fn take_numbers(file: &Path) -> Result<BTreeSet<usize>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        text => text?,
    };
    fs::remove_file(file)?;
    text.lines().map(|line| line.parse().with_context(|| format!("{line:?} is no number"))).collect()
}

impl Binary {
    fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy();
        let kind = if name.starts_with("it-") { "it" } else { "unit" };
        format!("{} {kind}", self.package.trim_start_matches("robomata-"))
    }

    /// The names of its tests.
    fn names(&self) -> Result<Vec<String>> {
        let mut command = switched(&self.program, Switch::None);
        let listed = command.args(["--list", "--format", "terse"]).args(self.filters).output()?;
        ensure!(listed.status.success(), "{}: does not list its tests", self.program.display());
        let listed = String::from_utf8(listed.stdout)?;
        Ok(listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    /// Runs some tests until the first one fails. `usual` is how long they take without a mutant.
    fn run(&self, tests: &[&str], switch: Switch<'_>, usual: Duration) -> Result<Ending> {
        const FAILED: &str = " ... FAILED";
        let output = tempfile::NamedTempFile::new()?;
        let mut command = switched(&self.program, switch);
        command.args(tests).args(["--exact", "--test-threads=1"]).current_dir(&self.folder);
        let mut child = command.stdout(File::create(output.path())?).spawn()?;
        let printed = || fs::read(output.path()).map(|text| String::from_utf8_lossy(&text).into_owned());
        let (start, limit) = (Instant::now(), TIMES * usual + AT_LEAST);
        let (mut length, mut has_failed) = (0, false);
        let status = process::ended(&mut child, |child| {
            let now = fs::metadata(output.path()).map_or(0, |data| data.len());
            if now != length {
                length = now;
                has_failed = printed().is_ok_and(|text| text.contains(FAILED));
            }
            let memory = process::memory(&child.id().to_string(), "VmRSS").unwrap_or(0);
            !has_failed && !is_late(child, start, limit) && memory <= MEMORY
        })?;
        let printed = printed()?;
        let failed = printed.lines().find_map(|line| line.strip_prefix("test ")?.strip_suffix(FAILED));
        Ok(match (status, failed) {
            (_, Some(test)) => Ending::Failed(test.to_owned()),
            (None, None) => Ending::Endless,
            (Some(status), None) if status.success() => Ending::Passed,
            (Some(status), None) => Ending::Failed(format!("({status})")),
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// How a check ends whose program is this script.
    fn ending(script: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("tests");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let (package, folder) = ("robomata-policy", folder.path().to_owned());
        let binary = Binary { package, program, folder, filters: &[] };
        format!("{:?}", binary.run(&["a"], Switch::Error(7), Duration::ZERO).unwrap())
    }

    #[test]
    fn a_check_ends_with_its_first_failing_test() {
        assert_eq!(ending("echo 'test a::b ... ok'"), "Passed");
        assert_eq!(ending("[ \"$1 $ROBOMATA_PLANTED\" = 'a 7' ]"), "Passed");
        assert_eq!(
            ending("echo 'test a ... ok'; echo 'test b::c ... FAILED'; exec sleep 600"),
            "Failed(\"b::c\")"
        );
        assert_eq!(ending("echo 'test a ... FAILED'; exit 101"), "Failed(\"a\")");
        assert_eq!(ending("exit 101"), "Failed(\"(exit status: 101)\")");
        assert_eq!(ending("kill -9 $$"), "Failed(\"(signal: 9 (SIGKILL))\")");
    }

    #[test]
    fn quick_tests_run_together() {
        let test = |milliseconds| Test {
            binary: 0,
            name: String::new(),
            usual: Duration::from_millis(milliseconds),
            reached: BTreeSet::new(),
        };
        let tests = [600, 700, 700, 900, 1_500, 3_000, 4_000].map(test);
        let tests: Vec<&Test> = tests.iter().collect();
        assert_eq!(batches(&tests).map(<[_]>::len).collect::<Vec<_>>(), [3, 1, 1, 1, 1]);
        assert_eq!(batches(&[]).count(), 0);
    }

    #[test]
    fn what_was_reached_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("reached");
        fs::write(&file, "7\n3\n7\n").unwrap();
        assert_eq!(take_numbers(&file).unwrap(), BTreeSet::from([3, 7]));
        assert_eq!(take_numbers(&file).unwrap(), BTreeSet::new());
    }

    #[test]
    fn the_place_of_an_error_is_read_before_those_that_explain_it() {
        let span = |file: &str, start: u32, is_primary: bool| {
            let end = start + 2;
            serde_json::json!({"file_name": file, "byte_start": start, "byte_end": end, "is_primary": is_primary})
        };
        let message = serde_json::json!({"spans": [span("a.rs", 3, false), span("b.rs", 5, true)]});
        assert_eq!(spans(&message), [("b.rs".to_owned(), 5..7), ("a.rs".to_owned(), 3..5)]);
        assert_eq!(spans(&serde_json::json!({})), []);
    }
}
