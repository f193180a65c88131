//! Builds all mutants at once, and runs the checks with one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use robomata_testkit::process;
use serde_json::Value;

use super::results::Verdict;
use super::{Mutant, Mutants};
use crate::planted::copy::{Copy, Outcome, add_switches, is_late, switched};

/// Packages in the order of their layers: a mutant can change what its own package and the later ones do.
const LAYERS: [&str; 8] = [
    "robomata-policy",
    "robomata-automaton",
    "robomata-permissions",
    "robomata-evaluator",
    "robomata-lint",
    "robomata-jobs",
    "robomata",
    "robomata-crosscheck",
];
/// The tests that run for each mutant, those of its own package first: a package, a binary and the start of the names
/// of its tests. None stands for [`night`](crate::night). Quick ones come first.
const CHECKS: [Option<(&str, &str, &[&str])>; 12] = [
    Some(("robomata-automaton", "lib", &[])),
    Some(("robomata-policy", "lib", &[])),
    Some(("robomata-permissions", "lib", &[])),
    Some(("robomata-evaluator", "lib", &[])),
    Some(("robomata-automaton", "test", &[])),
    Some(("robomata-policy", "test", &[])),
    Some(("robomata", "test", &[])),
    Some(("robomata-lint", "test", &[])),
    Some(("robomata-crosscheck", "test", &["conformance", "permissions", "decompile", "idle", "usages"])),
    None,
    Some(("robomata-evaluator", "test", &[])),
    Some(("robomata-jobs", "test", &[])),
];
/// A check may take so many times as long as without a mutant, and [`AT_LEAST`] more.
const TIMES: u32 = 4;
const AT_LEAST: Duration = Duration::from_secs(10);
/// The time of a check that was not run yet.
const FIRST: Duration = Duration::from_secs(120);
/// What a process may use at most.
const MEMORY: u64 = 3 << 30;

/// A test binary.
#[derive(Clone, Debug)]
struct Tests {
    package: &'static str,
    program: PathBuf,
    folder: PathBuf,
    filters: &'static [&'static str],
    /// How long it takes without a mutant.
    usual: Duration,
}

/// All mutants that compile, built.
#[derive(Debug)]
pub struct Built {
    copy: Copy,
    checks: Vec<Option<Tests>>,
    night: PathBuf,
    seconds: u64,
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
        let packages: BTreeSet<&str> = CHECKS.iter().flatten().map(|(package, ..)| *package).collect();
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
    let checks = CHECKS
        .into_iter()
        .map(|check| {
            let Some((package, kind, filters)) = check else { return Ok(None) };
            let (program, manifest) = find(package, kind, true)?;
            let folder = manifest.parent().unwrap_or(&manifest).to_owned();
            Ok(Some(Tests { package, program, folder, filters, usual: FIRST }))
        })
        .collect::<Result<_>>()?;
    let (night, _) = find("robomata-crosscheck", "bin", false)?;
    let mut built = Built { copy, checks, night, seconds };
    built.measure()?;
    Ok(built)
}

impl Built {
    /// Runs each check without a mutant: it must pass.
    fn measure(&mut self) -> Result<()> {
        for place in 0..self.checks.len() {
            let start = Instant::now();
            let name = match self.run(place, None)? {
                (name, Ending::Passed) => name,
                (name, ending) => bail!("{name}, without a mutant: {ending:?}"),
            };
            eprintln!("{name}: {:.1} s without a mutant", start.elapsed().as_secs_f64());
            if let Some(tests) = &mut self.checks[place] {
                tests.usual = start.elapsed();
            }
        }
        Ok(())
    }

    /// Runs all checks with a mutant until one notices it. Returns the last one as well.
    ///
    /// # Errors
    /// If a check cannot be started.
    pub fn judge(&self, number: usize, mutant: &Mutant) -> Result<(Verdict, String)> {
        let layer = |package: &str| LAYERS.iter().position(|known| *known == package);
        let package = |place: &usize| self.checks[*place].as_ref().map(|tests| tests.package);
        let is_own = |place: &usize| package(place) == Some(mutant.package);
        let (own, others): (Vec<usize>, Vec<usize>) = (0..self.checks.len())
            .filter(|place| package(place).is_none_or(|package| layer(package) >= layer(mutant.package)))
            .partition(is_own);
        for place in own.into_iter().chain(others) {
            match self.run(place, Some(number))? {
                (_, Ending::Passed) => {}
                (check, Ending::Failed(test)) => return Ok((Verdict::Caught, format!("{check} {test}"))),
                (check, Ending::Endless) => return Ok((Verdict::Endless, check)),
            }
        }
        Ok((Verdict::Missed, String::new()))
    }

    fn run(&self, place: usize, mutant: Option<usize>) -> Result<(String, Ending)> {
        let Some(tests) = &self.checks[place] else {
            let ending = match self.copy.night(&self.night, mutant, self.seconds, None)? {
                Outcome::Found(kind, _) => Ending::Failed(kind),
                Outcome::Crashed => Ending::Failed("crash".to_owned()),
                Outcome::Endless => Ending::Endless,
                Outcome::Missed(_) => Ending::Passed,
            };
            return Ok(("night".to_owned(), ending));
        };
        let name = tests.program.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.starts_with("it-") { "it" } else { "unit" };
        let name = format!("{} {name}", tests.package.trim_start_matches("robomata-"));
        Ok((name, tests.run(mutant)?))
    }
}

impl Tests {
    /// Runs until the first test fails.
    fn run(&self, mutant: Option<usize>) -> Result<Ending> {
        const FAILED: &str = " ... FAILED";
        let output = tempfile::NamedTempFile::new()?;
        let mut command = switched(&self.program, mutant);
        command.args(self.filters).arg("--test-threads=1").current_dir(&self.folder);
        let mut child = command.stdout(File::create(output.path())?).spawn()?;
        let printed = || fs::read(output.path()).map(|text| String::from_utf8_lossy(&text).into_owned());
        let (start, limit) = (Instant::now(), TIMES * self.usual + AT_LEAST);
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
        let (package, filters, usual) = ("robomata-policy", &["a"][..], Duration::ZERO);
        let tests = Tests { package, program, folder: folder.path().to_owned(), filters, usual };
        format!("{:?}", tests.run(Some(7)).unwrap())
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
