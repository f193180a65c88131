//! A copy of the sources that has wrong code next to the right one, and an environment variable that selects it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use robomata_testkit::process;

/// The environment variable with the number of the error that is switched on. The first error is 0. With [`REACHED`] and the
/// path of a file, no error is switched on: the number of each is appended to the file when its place first runs.
const SWITCH: &str = "ROBOMATA_PLANTED";
/// See [`SWITCH`].
const REACHED: &str = "reached:";
/// A run of `night` that takes this much longer than its limit never ends.
const GRACE: Duration = Duration::from_secs(60);
/// What the root of each crate with an error gets at its end. It is called in loops that see each byte of a URL.
const FUNCTION: &str = r#"
#[allow(dead_code)]
#[inline]
pub(crate) fn planted(error: usize) -> bool {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    const UNREAD: usize = usize::MAX;
    const REACHED: usize = usize::MAX - 1;
    const NONE: usize = usize::MAX - 2;
    static ON: AtomicUsize = AtomicUsize::new(UNREAD);
    static SEEN: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];
    #[cold]
    fn read(error: usize) -> bool {
        let value = std::env::var("ROBOMATA_PLANTED").unwrap_or_default();
        let is_file = value.starts_with("reached:");
        ON.store(if is_file { REACHED } else { value.parse().unwrap_or(NONE) }, Ordering::Relaxed);
        planted(error)
    }
    #[cold]
    fn reached(error: usize) {
        let value = std::env::var("ROBOMATA_PLANTED").expect("it was read before");
        let path = value.strip_prefix("reached:").expect("it was read before");
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(format!("{error}\n").as_bytes())).expect("the file can be written");
    }
    let on = ON.load(Ordering::Relaxed);
    match on {
        UNREAD => read(error),
        REACHED => {
            if !SEEN[error].load(Ordering::Relaxed) && !SEEN[error].swap(true, Ordering::Relaxed) {
                reached(error);
            }
            false
        }
        _ => on == error,
    }
}
"#;

/// The expression that is true if an error is switched on.
pub fn condition(error: usize) -> String {
    format!("crate::planted({error})")
}

/// Adds the function behind [`condition`] to the root of each crate that has one of the files.
///
/// # Errors
/// If the root of a crate cannot be read.
pub fn add_switches(root: &Path, files: &mut BTreeMap<String, String>) -> Result<()> {
    let mut roots: Vec<String> = files
        .keys()
        .map(|file| {
            let (package, _) = file.split_once("src/").with_context(|| format!("{file}: not in a crate"))?;
            Ok(format!("{package}src/lib.rs"))
        })
        .collect::<Result<_>>()?;
    roots.dedup();
    for name in roots {
        if !files.contains_key(&name) {
            files.insert(name.clone(), read(root, &name)?);
        }
        let text = files.get_mut(&name).expect("it was just inserted");
        // The workspace is free of warnings. What an error leaves unused says nothing about it.
        text.insert_str(0, "#![allow(warnings, arithmetic_overflow, unconditional_panic)] ");
        text.push_str(FUNCTION);
    }
    Ok(())
}

/// Reads a file of the workspace.
///
/// # Errors
/// If it cannot be read.
pub fn read(root: &Path, file: &str) -> Result<String> {
    let path = root.join(file);
    fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))
}

/// What a run of [`night`](crate::night) with one error showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A difference in a unit of this kind, or no end of it, after this many compared answers.
    Found(String, u64),
    /// The program crashed.
    Crashed,
    /// The program did not end.
    Endless,
    /// No difference, after this many compared answers.
    Missed(u64),
}

/// The copy.
#[derive(Debug)]
pub struct Copy {
    folder: PathBuf,
    source: PathBuf,
}

impl Copy {
    /// Copies the workspace below its target folder, with other texts for some files.
    ///
    /// # Errors
    /// If the workspace is no repository, or a file cannot be copied.
    pub fn new(root: &Path, name: &str, mut changed: BTreeMap<String, String>) -> Result<Copy> {
        let root = root.canonicalize()?;
        // All copies share what is built of packages that they do not contain.
        let folder = root.join("target/planted");
        let source = folder.join(name);
        for file in sources(&root)? {
            let bytes = match changed.remove(&file) {
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
        ensure!(changed.is_empty(), "files with errors are not in the repository: {:?}", changed.keys());
        Ok(Copy { folder, source })
    }

    /// The folder of the copied workspace.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// Runs cargo in the copy. The caller looks at the exit code.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn cargo(&self, arguments: &[&str]) -> Result<std::process::Output> {
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(arguments)
            .arg("--target-dir")
            .arg(self.folder.join("target"))
            .current_dir(&self.source)
            .output()
            .context("cargo cannot be started")
    }

    /// Runs [`night`](crate::night) with one error for at most `seconds`, or with none.
    ///
    /// # Errors
    /// If the program cannot be started, or prints nothing that can be understood.
    pub fn night(
        &self,
        program: &Path,
        switch: Switch<'_>,
        seconds: u64,
        corpus: Option<&Path>,
    ) -> Result<Outcome> {
        let results = tempfile::tempdir_in(&self.folder)?;
        let output = results.path().join("output");
        let mut command = switched(program, switch);
        command.arg("night").arg("--results").arg(results.path().join("results.tsv"));
        command.args(["--seconds", &seconds.to_string()]);
        if let Some(corpus) = corpus {
            command.arg("--corpus").arg(corpus);
        }
        let mut child = command.stdout(fs::File::create(&output)?).spawn()?;
        let (start, limit) = (Instant::now(), Duration::from_secs(seconds) + GRACE);
        match process::ended(&mut child, |child| !is_late(child, start, limit))? {
            None => Ok(Outcome::Endless),
            // A signal: the stack or the memory was exhausted.
            Some(status) if status.code().is_none() => Ok(Outcome::Crashed),
            Some(_) => outcome(&String::from_utf8_lossy(&fs::read(&output)?)),
        }
    }
}

/// Whether a process used more time of a core than `limit`, or has waited too long for something else.
pub fn is_late(child: &Child, start: Instant, limit: Duration) -> bool {
    const WAITING: u32 = 20;
    let elapsed = start.elapsed();
    process::core_time(child.id()).unwrap_or(elapsed) > limit || elapsed > WAITING * limit
}

/// What is switched on in a run.
#[derive(Clone, Copy, Debug)]
pub enum Switch<'a> {
    /// No error.
    None,
    /// The error with this number.
    Error(usize),
    /// No error; the numbers of those whose place runs are written to this file, one a line.
    Reached(&'a Path),
}

/// The command that runs a program of a copy. Its messages are not shown.
pub fn switched(program: &Path, switch: Switch<'_>) -> Command {
    let mut command = Command::new(program);
    command.env_remove(SWITCH).stdin(Stdio::null()).stderr(Stdio::null());
    match switch {
        Switch::None => {}
        Switch::Error(error) => _ = command.env(SWITCH, error.to_string()),
        Switch::Reached(path) => _ = command.env(SWITCH, format!("{REACHED}{}", path.display())),
    }
    command
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
    let kind = printed.lines().find_map(|line| {
        let (_, kind) = line.strip_prefix("seed ")?.strip_suffix(':')?.split_once(" of ")?;
        Some(kind.to_owned())
    });
    match (kind, answers) {
        // Without the number of answers, a unit did not end.
        (Some(kind), answers) => Ok(Outcome::Found(kind, answers.unwrap_or(0))),
        (None, Some(answers)) => Ok(Outcome::Missed(answers)),
        (None, None) => bail!("no results were printed: {printed:?}"),
    }
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
        let endless = outcome("seed 7 of blocks:\nno end after 45 seconds\n").unwrap();
        assert_eq!(endless, Outcome::Found("blocks".to_owned(), 0));
        assert!(outcome("").is_err());
    }

    #[test]
    fn the_root_of_each_crate_has_the_switch() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/src")).unwrap();
        fs::write(folder.path().join("a/src/lib.rs"), "mod b;\n").unwrap();
        let mut files = BTreeMap::from([("a/src/b.rs".to_owned(), format!("{}\n", condition(7)))]);
        add_switches(folder.path(), &mut files).unwrap();
        assert!(FUNCTION.contains(SWITCH) && FUNCTION.contains(REACHED));
        assert!(files["a/src/lib.rs"].ends_with(&format!("] mod b;\n{FUNCTION}")));
        assert_eq!(files["a/src/b.rs"], "crate::planted(7)\n");
        assert!(
            add_switches(folder.path(), &mut BTreeMap::from([("b.rs".to_owned(), String::new())])).is_err()
        );
    }
}
