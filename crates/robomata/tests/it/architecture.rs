//! Checks the workspace against the architecture in `crates/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of the workspaces. Bindings and engines have workspaces of their own, so their dependencies do not
/// affect the main one. Fuzz targets have another one, because they are built with instrumentation.
const WORKSPACES: [&str; 4] = [".", "crates/cluster", "crates/python", "tools/fuzz"];

/// The dependencies allowed between our packages. A new edge is a deliberate decision: add it here and in
/// `crates/README.md`. Tests may also use [`TEST_EDGES`].
const EDGES: [(&str, &[&str]); 27] = [
    ("robomata-protocol", &[]),
    ("robomata-syntax", &["robomata-protocol"]),
    ("robomata-policy", &["robomata-protocol", "robomata-syntax"]),
    ("robomata-automaton", &["robomata-protocol", "robomata-policy"]),
    ("robomata-permissions", &["robomata-protocol", "robomata-policy", "robomata-automaton"]),
    (
        "robomata-evaluator",
        &["robomata-protocol", "robomata-policy", "robomata-automaton", "robomata-permissions"],
    ),
    (
        "robomata-lint",
        &[
            "robomata-protocol",
            "robomata-syntax",
            "robomata-policy",
            "robomata-automaton",
            "robomata-evaluator",
        ],
    ),
    ("robomata-pages", &["robomata-protocol", "robomata-policy"]),
    ("robomata-reference", &["robomata-protocol"]),
    ("robomata-testkit", &["robomata-protocol"]),
    (
        "robomata-engine",
        &[
            "robomata-protocol",
            "robomata-syntax",
            "robomata-policy",
            "robomata-automaton",
            "robomata-evaluator",
        ],
    ),
    (
        "robomata",
        &[
            "robomata-protocol",
            "robomata-syntax",
            "robomata-policy",
            "robomata-evaluator",
            "robomata-lint",
            "robomata-pages",
        ],
    ),
    ("robomata-abi", &["robomata"]),
    ("robomata-url-columns", &["robomata-protocol"]),
    (
        "robomata-formats",
        &["robomata-protocol", "robomata-policy", "robomata-evaluator", "robomata-url-columns"],
    ),
    ("robomata-columns", &["robomata-engine", "robomata-url-columns"]),
    (
        "robomata-jobs",
        &["robomata-engine", "robomata-lint", "robomata-formats", "robomata-pages", "robomata-reference"],
    ),
    ("robomata-cli", &["robomata-engine", "robomata-lint", "robomata-formats", "robomata-jobs"]),
    ("robomata-corpus", &["robomata-engine", "robomata-formats"]),
    (
        "robomata-crosscheck",
        &[
            "robomata-engine",
            "robomata-columns",
            "robomata-formats",
            "robomata-jobs",
            "robomata-pages",
            "robomata-reference",
            "robomata-testkit",
        ],
    ),
    ("robomata-faults", &["robomata-corpus", "robomata-formats"]),
    (
        "robomata-fuzz",
        &[
            "robomata-abi",
            "robomata-engine",
            "robomata-formats",
            "robomata-jobs",
            "robomata-lint",
            "robomata-pages",
            "robomata-permissions",
            "robomata-reference",
            "robomata-testkit",
            "robomata-crosscheck",
        ],
    ),
    (
        "robomata-benches",
        &[
            "robomata-engine",
            "robomata-formats",
            "robomata-reference",
            "robomata-testkit",
            "robomata-corpus",
            "robomata-instructions",
        ],
    ),
    ("robomata-datafusion", &["robomata-engine", "robomata-columns"]),
    ("robomata-ballista", &["robomata-engine", "robomata-datafusion"]),
    ("robomata-python", &["robomata-engine", "robomata-columns", "robomata-pages"]),
    ("robomata-instructions", &["robomata-engine", "robomata-corpus"]),
];

/// Edges for tests only: a test must parse a policy before it can compile it, the library is compared with the
/// reference on generated files, and `testkit` has adversarial pages and finds
/// files outside the checkout.
const TEST_EDGES: [(&str, &str); 10] = [
    ("robomata-automaton", "robomata-syntax"),
    ("robomata-permissions", "robomata-syntax"),
    ("robomata-evaluator", "robomata-syntax"),
    ("robomata", "robomata-reference"),
    ("robomata", "robomata-testkit"),
    ("robomata-pages", "robomata-testkit"),
    ("robomata-abi", "robomata-testkit"),
    ("robomata-formats", "robomata-testkit"),
    ("robomata-jobs", "robomata-testkit"),
    ("robomata-cli", "robomata-testkit"),
];

/// The files that may contain `unsafe`, besides the C interface, whose callers are in other languages.
const UNSAFE_FILES: [&str; 4] = [
    "crates/automaton/src/block.rs",
    "crates/evaluator/src/store/image.rs",
    // Maps the temporary parts of a bundle, which can be larger than the memory.
    "crates/jobs/src/bundle.rs",
    // Calls the C interface as programs do.
    "tools/fuzz/fuzz_targets/abi.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Cargo's metadata of our packages, from all workspaces.
fn packages() -> Vec<serde_json::Value> {
    WORKSPACES.iter().flat_map(|workspace| packages_of(workspace)).collect()
}

fn packages_of(workspace: &str) -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root().join(workspace))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn dependency_edges_match_the_table() {
    let allowed: BTreeMap<&str, &[&str]> = EDGES.into_iter().collect();
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    assert_eq!(ours, allowed.keys().copied().collect(), "every package has a row");
    for package in &packages {
        let from = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let to = dependency["name"].as_str().unwrap();
            if !ours.contains(to) || to == from {
                continue;
            }
            let for_tests = dependency["kind"] == "dev" && TEST_EDGES.contains(&(from, to));
            assert!(for_tests || allowed[from].contains(&to), "{from} may not depend on {to}");
        }
    }
}

#[test]
fn packages_share_their_licence_and_minimal_compiler() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        assert!(package["rust_version"].is_string(), "{name}");
        assert!(
            package["description"].as_str().is_some_and(|text| text.len() > 10),
            "{name} has a description"
        );
    }
}

#[test]
fn unsafe_code_is_only_in_the_listed_files() {
    let mut found = BTreeSet::new();
    let mut folders = ["crates", "tools", "benches"].map(|folder| root().join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // Skip build output.
                folders.extend(Some(path).filter(|path| !path.ends_with("target")));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let block = |line: &str| !line.trim_start().starts_with("//") && line.contains("unsafe {");
                let is_listed_as_a_whole = path.starts_with(root().join("crates/abi"));
                if text.lines().any(block)
                    && !path.ends_with("tests/it/architecture.rs")
                    && !is_listed_as_a_whole
                {
                    found.insert(path.strip_prefix(root()).unwrap().to_string_lossy().into_owned());
                }
            }
        }
    }
    assert_eq!(found, UNSAFE_FILES.map(str::to_owned).into_iter().collect());
}

#[test]
fn every_direct_dependency_is_reviewed() {
    let page = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    // The first column of each row: `name`, `name`
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let reviewed: BTreeSet<&str> =
        rows.flat_map(|names| names.split(", ")).map(|name| name.trim_matches('`')).collect();

    let packages = WORKSPACES.iter().flat_map(|workspace| packages_of(workspace));
    let dependencies: BTreeSet<String> = packages
        .flat_map(|package| package["dependencies"].as_array().unwrap().clone())
        .filter(|dependency| dependency["path"].is_null())
        .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
        .collect();
    let dependencies: BTreeSet<&str> = dependencies.iter().map(String::as_str).collect();
    assert_eq!(dependencies, reviewed, "docs/dependencies.md and the manifests differ");
}
