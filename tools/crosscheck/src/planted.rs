//! Errors that are planted in the engine one by one, to see whether [`night`](crate::night) finds each of them.
//!
//! The list is `tools/crosscheck/planted.json`. Each error replaces one expression. All are built at once, in a copy of the
//! sources ([`copy`]): the copy has both expressions, and an environment variable selects the wrong one.

pub mod copy;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use self::copy::{Copy, Outcome, Switch, add_switches, condition, read};

/// The list, from the root of the workspace.
const LIST: &str = "tools/crosscheck/planted.json";

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
        let text = match files.get(&error.file) {
            Some(text) => text,
            None => files.entry(error.file.clone()).or_insert(read(root, &error.file)?),
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
            let both = format!("(if {} {{ {} }} else {{ {} }})", condition(number), error.with, error.text);
            text.replace_range(place..end, &both);
            limit = place;
        }
    }
    add_switches(root, &mut files)?;
    Ok(files)
}

/// A copy of the workspace with all errors, built.
#[derive(Debug)]
pub struct Build {
    copy: Copy,
    program: PathBuf,
}

impl Build {
    /// Copies the workspace below its target folder, with all errors in it, and builds the copy.
    ///
    /// # Errors
    /// If the workspace is no repository, a file cannot be copied, or the copy does not compile.
    pub fn new(root: &Path, errors: &[PlantedError]) -> Result<Build> {
        let copy = Copy::new(root, "source", plant(root, errors)?)?;
        let built =
            copy.cargo(&["build", "--profile", "test", "-p", "robomata-crosscheck", "--bin", "crosscheck"])?;
        ensure!(
            built.status.success(),
            "{}: the copy with errors does not compile:\n{}",
            copy.source().display(),
            String::from_utf8_lossy(&built.stderr)
        );
        let program = copy.source().join("../target/debug/crosscheck");
        Ok(Build { copy, program })
    }

    /// Runs [`night`](crate::night) with one error for at most `seconds`, or with none.
    ///
    /// # Errors
    /// If the program cannot be started, or says nothing that can be understood.
    pub fn run(&self, number: Option<usize>, seconds: u64, corpus: Option<&Path>) -> Result<Outcome> {
        self.copy.night(&self.program, number.map_or(Switch::None, Switch::Error), seconds, corpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_expression_is_switched_in_place() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("src")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "fn f() -> u8 { 1 + 2 }\n").unwrap();
        let error = |text: &str, with: &str| PlantedError {
            id: text.to_owned(),
            part: String::new(),
            file: "src/lib.rs".to_owned(),
            text: text.to_owned(),
            with: with.to_owned(),
            breaks: String::new(),
        };
        let planted = plant(folder.path(), &[error("1", "3"), error("2", "4")]).unwrap();
        let expected = "fn f() -> u8 { (if crate::planted(0) { 3 } else { 1 }) + (if crate::planted(1) { 4 } else { 2 }) }\n";
        assert!(planted["src/lib.rs"].contains(expected), "{planted:?}");
        for errors in
            [vec![error("9", "1")], vec![error(" ", "1")], vec![error("1 +", "1"), error("+ 2", "1")]]
        {
            assert!(plant(folder.path(), &errors).is_err(), "{errors:?}");
        }
    }
}
