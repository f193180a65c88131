//! Runs the programs of `examples/`. Each asserts what it shows.

#[path = "../../examples/bundle.rs"]
mod bundle;
#[path = "../../examples/check_many.rs"]
mod check_many;
#[path = "../../examples/check_one.rs"]
mod check_one;
#[path = "../../examples/explain.rs"]
mod explain;
#[path = "../../examples/lifecycle.rs"]
mod lifecycle;
#[path = "../../examples/lint.rs"]
mod lint;
#[path = "../../examples/permissions.rs"]
mod permissions;

#[test]
fn one_robots_txt_is_checked() {
    check_one::main();
}

#[test]
fn many_urls_are_checked() {
    check_many::main().unwrap();
}

#[test]
fn a_bundle_is_written_and_opened() {
    bundle::main().unwrap();
}

#[test]
fn an_answer_is_explained() {
    explain::main();
}

#[test]
fn a_failing_server_is_followed() {
    lifecycle::main().unwrap();
}

#[test]
fn mistakes_are_reported() {
    lint::main();
}

#[test]
fn permissions_are_listed() {
    permissions::main().unwrap();
}

#[test]
fn every_example_is_run() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["bundle", "check_many", "check_one", "explain", "lifecycle", "lint", "permissions"]);
}
