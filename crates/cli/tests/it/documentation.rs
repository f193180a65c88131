//! Runs the commands of `README.md` and `docs/`, and compares their output with what the pages show.
//!
//! In a `console` block, a line that begins with `$ ` is a command of bash, and the lines up to the next command are its
//! output: standard output or, if that is empty, standard error. `cat NAME` of a file that does not exist creates the file
//! with the text that the page shows. All commands of a page run in one folder.
//!
//! `ROBOMATA_UPDATE=1 cargo test --workspace --test it documentation` writes the actual output into the pages.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::Folder;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// What `robomata` is in the README before it is installed.
const README_COMMAND: &str = "cargo run -p robomata-cli --no-default-features -- ";

/// The README and the pages of `docs/`.
fn pages() -> Vec<PathBuf> {
    let files = fs::read_dir(format!("{ROOT}/docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(Path::new(ROOT).join("README.md"));
    pages
}

#[test]
fn the_pages_show_the_actual_output() {
    let mut outdated = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let actual = with_actual_output(&text);
        if actual == text {
            continue;
        }
        if std::env::var_os("ROBOMATA_UPDATE").is_some() {
            fs::write(&page, actual).unwrap();
            continue;
        }
        let different = text.lines().zip(actual.lines()).find(|(shown, actual)| shown != actual);
        outdated.push((page, different.map(|(shown, actual)| [shown.to_owned(), actual.to_owned()])));
    }
    assert!(
        outdated.is_empty(),
        "shown and actual output (ROBOMATA_UPDATE=1 updates the pages): {outdated:#?}"
    );
}

/// The page with the actual output of its commands.
fn with_actual_output(page: &str) -> String {
    let folder = Folder::new();
    symlink(Path::new(ROOT).join("corpora"), folder.path("corpora")).unwrap();
    let mut result = String::new();
    let mut lines = page.lines().peekable();
    let mut language = None;
    while let Some(line) = lines.next() {
        result += &format!("{line}\n");
        match (line.strip_prefix("```"), language) {
            (Some(label), None) => {
                let label = label.strip_suffix(",no_run").unwrap_or(label);
                assert!(
                    ["c", "console", "cpp", "js", "python", "rust", "sh"].contains(&label),
                    "unknown language {label:?}"
                );
                language = Some(label);
            }
            (Some(_), Some(_)) => language = None,
            (None, Some("sh")) => match line.strip_prefix(README_COMMAND) {
                Some(arguments) => {
                    assert_eq!(folder.bash(&format!("robomata {arguments}")).code, Some(0), "{line}");
                }
                // `robomata sql` needs a program of another workspace.
                None => {
                    assert!(!line.starts_with("robomata ") || line.starts_with("robomata sql "), "{line}");
                }
            },
            (None, Some("console")) => {
                let mut command = line.strip_prefix("$ ").expect("a command").to_owned();
                while command.ends_with(['\\', '|']) {
                    let next = lines.next().expect("the rest of a command");
                    command += &format!("\n{next}");
                    result += &format!("{next}\n");
                }
                let mut shown = String::new();
                while let Some(line) =
                    lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```"))
                {
                    shown += &format!("{line}\n");
                }
                result += &actual_output(&folder, &command, shown);
            }
            (None, _) => {}
        }
    }
    result
}

/// The output of a command, without white space at the ends of lines and empty lines at the end.
fn actual_output(folder: &Folder, command: &str, shown: String) -> String {
    if let Some(name) = command.strip_prefix("cat ").filter(|name| !folder.path(name).exists()) {
        folder.write(name, &shown);
        return shown;
    }
    if command.contains("jq ") && folder.bash("jq --version").code != Some(0) {
        eprintln!("skipped: jq is not installed: {command}");
        return shown;
    }
    let ran = folder.bash(command);
    let output = if ran.out.is_empty() { ran.err } else { ran.out };
    output.trim_end().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn links_lead_somewhere_and_the_readme_links_to_every_page() {
    let mut targets = BTreeSet::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link}", page.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                assert!(headings(&text).any(|known| known == heading), "{}: {link}", page.display());
            }
            if page.ends_with("README.md") {
                targets.insert(target.canonicalize().unwrap());
            }
        }
    }
    for page in pages() {
        let linked = page.ends_with("README.md") || targets.contains(&page.canonicalize().unwrap());
        assert!(linked, "{} is not linked from the README", page.display());
    }
}

/// The anchors of a page's headings.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .collect::<String>()
            .replace(' ', "-")
    })
}
