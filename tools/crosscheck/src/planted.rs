//! Errors that are planted in the engine one by one, to see whether [`night`](crate::night) finds each of them.
//!
//! The list is `tools/crosscheck/planted.json`. Each error replaces one expression. All are built at once, in a copy of the
//! sources: the copy has both expressions, and an environment variable selects the wrong one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use robomata_testkit::process;
use serde::Deserialize;

/// The list, from the root of the workspace.
const LIST: &str = "tools/crosscheck/planted.json";
/// The environment variable with the number of the error that is switched on. The first error is 0.
const SWITCH: &str = "ROBOMATA_PLANTED";
/// A run that takes this much longer than its limit never ends.
const GRACE: Duration = Duration::from_secs(60);
/// What each file with an error gets at its end.
const FUNCTION: &str = r#"
#[allow(dead_code)]
fn planted(error: usize) -> bool {
    static ON: std::sync::LazyLock<Option<usize>> =
        std::sync::LazyLock::new(|| std::env::var("ROBOMATA_PLANTED").ok()?.parse().ok());
    *ON == Some(error)
}
"#;

/// An error of the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedError {
    /// Its name.
    pub id: String,
    /// The part of the engine that it is in.
    pub part: String,
    /// The file, from the root of the workspace.
    pub file: String,
    /// The right expression, which the file has once.
    pub text: String,
    /// The wrong expression.
    pub with: String,
    /// What is wrong with it.
    pub breaks: String,
}

/// The folder of the workspace that this program was built from.
pub fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Reads the list.
///
/// # Errors
/// If it cannot be read.
pub fn list(root: &Path) -> Result<Vec<PlantedError>> {
    let path = root.join(LIST);
    let text = fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("{}: not a list of errors", path.display()))
}

/// Plants all errors: returns the new text of each file that has some.
///
/// # Errors
/// If a file cannot be read, or does not have an expression exactly once.
pub fn plant(root: &Path, errors: &[PlantedError]) -> Result<BTreeMap<String, String>> {
    let mut edits: BTreeMap<&str, Vec<(usize, usize)>> = BTreeMap::new();
    let mut files = BTreeMap::new();
    for (number, error) in errors.iter().enumerate() {
        let path = root.join(&error.file);
        let text = match files.get(&error.file) {
            Some(text) => text,
            None => {
                let text = fs::read_to_string(&path)
                    .with_context(|| format!("{}: cannot be read", path.display()))?;
                files.entry(error.file.clone()).or_insert(text)
            }
        };
        let mut places = text.match_indices(&error.text);
        let (Some((place, _)), None) = (places.next(), places.next()) else {
            bail!(
                "{}: {} does not have {:?} exactly once (correct {LIST})",
                error.id,
                error.file,
                error.text
            );
        };
        edits.entry(&error.file).or_default().push((place, number));
    }
    for (file, mut edits) in edits {
        let text = files.get_mut(file).expect("it was just read");
        // From the end, so that the places before stay.
        edits.sort_unstable_by(|a, b| b.cmp(a));
        let mut limit = text.len();
        for (place, number) in edits {
            let error = &errors[number];
            let end = place + error.text.len();
            ensure!(end <= limit, "{}: overlaps another error (correct {LIST})", error.id);
            let both = format!("(if planted({number}) {{ {} }} else {{ {} }})", error.with, error.text);
            text.replace_range(place..end, &both);
            limit = place;
        }
        text.push_str(FUNCTION);
    }
    Ok(files)
}

/// What a run with one error showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A difference in a unit of this kind, after this many compared answers.
    Found(String, u64),
    /// The program did not end.
    Endless,
    /// No difference, after this many compared answers.
    Missed(u64),
}

/// A copy of the workspace with all errors, built.
#[derive(Debug)]
pub struct Build {
    folder: PathBuf,
    program: PathBuf,
}

impl Build {
    /// Copies the workspace below its target folder, with all errors in it, and builds the copy.
    ///
    /// # Errors
    /// If the workspace is no repository, a file cannot be copied, or the copy does not compile.
    pub fn new(root: &Path, errors: &[PlantedError]) -> Result<Build> {
        let root = root.canonicalize()?;
        let folder = root.join("target/planted");
        let source = folder.join("source");
        let mut planted = plant(&root, errors)?;
        for file in sources(&root)? {
            let bytes = match planted.remove(&file) {
                Some(text) => text.into_bytes(),
                None => match fs::read(root.join(&file)) {
                    Ok(bytes) => bytes,
                    // A file that was removed, and still is in the index.
                    Err(_) => continue,
                },
            };
            let path = source.join(&file);
            // What did not change is not built again.
            if fs::read(&path).is_ok_and(|old| old == bytes) {
                continue;
            }
            fs::create_dir_all(path.parent().unwrap_or(&source))?;
            fs::write(&path, bytes).with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        ensure!(planted.is_empty(), "files with errors are not in the repository: {:?}", planted.keys());
        let target = folder.join("target");
        // Warnings about the copy say nothing about the workspace.
        let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--profile", "test", "-p", "robomata-crosscheck", "--bin", "crosscheck"])
            .arg("--target-dir")
            .arg(&target)
            .current_dir(&source)
            .output()
            .context("cargo cannot be started")?;
        ensure!(
            built.status.success(),
            "{}: the copy with errors does not compile:\n{}",
            source.display(),
            String::from_utf8_lossy(&built.stderr)
        );
        Ok(Build { folder, program: target.join("debug/crosscheck") })
    }

    /// Runs [`night`](crate::night) with one error for at most `seconds`, or with none.
    ///
    /// # Errors
    /// If the program cannot be started, or says nothing that can be understood.
    pub fn run(&self, number: Option<usize>, seconds: u64, corpus: Option<&Path>) -> Result<Outcome> {
        let results = tempfile::tempdir_in(&self.folder)?;
        let output = results.path().join("output");
        let mut command = Command::new(&self.program);
        command.arg("night").arg("--results").arg(results.path().join("results.tsv"));
        command.args(["--seconds", &seconds.to_string()]).env_remove(SWITCH);
        if let Some(number) = number {
            command.env(SWITCH, number.to_string());
        }
        if let Some(corpus) = corpus {
            command.arg("--corpus").arg(corpus);
        }
        let mut child = command.stdout(fs::File::create(&output)?).stderr(Stdio::null()).spawn()?;
        let (start, limit) = (Instant::now(), Duration::from_secs(seconds) + GRACE);
        if process::ended(&mut child, |_| start.elapsed() <= limit)?.is_none() {
            return Ok(Outcome::Endless);
        }
        outcome(&String::from_utf8_lossy(&fs::read(&output)?))
    }
}

/// The files of the repository, from its root.
fn sources(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("git cannot be started")?;
    ensure!(listed.status.success(), "{}: not a git repository", root.display());
    let names = String::from_utf8(listed.stdout).context("a file name is not UTF-8")?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

/// Reads what `crosscheck night` printed.
fn outcome(printed: &str) -> Result<Outcome> {
    let answers = printed.lines().find_map(|line| {
        let (_, answers) = line.strip_suffix(" answers compared")?.split_once(" questions, ")?;
        answers.parse::<u64>().ok()
    });
    let answers = answers.with_context(|| format!("no results were printed: {printed:?}"))?;
    let kind = printed.lines().find_map(|line| {
        let (_, kind) = line.strip_prefix("seed ")?.strip_suffix(':')?.split_once(" of ")?;
        Some(kind.to_owned())
    });
    Ok(kind.map_or(Outcome::Missed(answers), |kind| Outcome::Found(kind, answers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_night_prints_is_read() {
        let counts = "kind\tdialect\n9 questions, 40 answers compared\n";
        assert_eq!(outcome(&format!("{counts}0 divergences\n")).unwrap(), Outcome::Missed(40));
        let found = outcome(&format!("{counts}seed 7 of blocks:\nothers\n")).unwrap();
        assert_eq!(found, Outcome::Found("blocks".to_owned(), 40));
        assert!(outcome("").is_err());
    }

    #[test]
    fn each_expression_is_switched_in_place() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.rs"), "fn f() -> u8 { 1 + 2 }\n").unwrap();
        let error = |text: &str, with: &str| PlantedError {
            id: text.to_owned(),
            part: String::new(),
            file: "a.rs".to_owned(),
            text: text.to_owned(),
            with: with.to_owned(),
            breaks: String::new(),
        };
        let planted = plant(folder.path(), &[error("1", "3"), error("2", "4")]).unwrap();
        let expected =
            "fn f() -> u8 { (if planted(0) { 3 } else { 1 }) + (if planted(1) { 4 } else { 2 }) }\n";
        assert!(FUNCTION.contains(SWITCH));
        assert_eq!(planted["a.rs"], format!("{expected}{FUNCTION}"));
        for errors in
            [vec![error("9", "1")], vec![error(" ", "1")], vec![error("1 +", "1"), error("+ 2", "1")]]
        {
            assert!(plant(folder.path(), &errors).is_err(), "{errors:?}");
        }
    }
}
