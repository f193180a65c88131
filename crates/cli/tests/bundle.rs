//! `robomata compile`, and `robomata filter --policies`.

mod support;

use support::{Folder, SOURCE, URLS};

#[test]
fn a_bundle_answers_as_its_sources_do() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    let ran = folder.run("compile robots.jsonl --agent A --agent B,A -o policies.bundle");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let octets = std::fs::metadata(folder.path("policies.bundle")).unwrap().len();
    assert_eq!(
        ran.err,
        format!("policies.bundle: 4 sites, 2 programs, {octets} octets; 3 captures, 0 inputs skipped\n")
    );
    for rest in
        ["--agent A urls", "--agent B,A --agent A --output verdicts urls", "--agent A --dialect rfc9309 urls"]
    {
        let direct = folder.run(&format!("filter --robots robots.jsonl {rest}"));
        let mapped = folder.run(&format!("filter --policies policies.bundle {rest}"));
        assert_eq!(direct, mapped, "{rest}");
    }
}

#[test]
fn what_a_bundle_does_not_hold_is_said() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    folder.run("compile robots.jsonl --agent A --agent B,A --dialect google -o policies.bundle");
    let ran = folder.run("filter --policies policies.bundle --agent C urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the policies hold no crawler 'C': they were compiled for 'A', 'B,A'\n");
    let ran = folder.run("filter --policies policies.bundle --agent A --dialect rfc9309 urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the policies are not of dialect 'rfc9309': they were compiled in 'google'\n");
    // Without --dialect the bundle's own is used.
    let ran = folder.run("filter --policies policies.bundle --agent A urls -o out --stats -");
    assert!(ran.out.contains("\"dialect\":\"google\""), "{}", ran.out);
}

#[test]
fn a_damaged_bundle_is_refused() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)]);
    folder.run("compile robots.jsonl --agent A -o policies.bundle");
    let mut octets = std::fs::read(folder.path("policies.bundle")).unwrap();
    let middle = octets.len() / 2;
    octets[middle] ^= 1;
    folder.write("policies.bundle", octets);
    let ran = folder.run("filter --policies policies.bundle --agent A urls");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: policies.bundle: not a valid policy bundle"), "{}", ran.err);
    assert_eq!(ran.out, "", "nothing is written by damaged policies");
}

#[test]
fn skipped_inputs_are_named_and_counted() {
    let folder = Folder::with(&[("robots.jsonl", "broken\n"), ("sites/a.example", "User-agent: *\n")]);
    let ran = folder.run("compile robots.jsonl sites --agent A -o policies.bundle");
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.starts_with("warning: robots.jsonl:1: expected a JSON object"), "{}", ran.err);
    let summary = ran.err.lines().last().unwrap();
    assert!(summary.starts_with("policies.bundle: 2 sites, 1 programs, "), "{summary}");
    assert!(summary.ends_with("; 1 captures, 1 inputs skipped"), "{summary}");
}
