//! Failures while a bundle is written: the old one is intact, the message names the failure, no other file is left.
#![cfg(unix)]

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, ROBOMATA, SOURCE, SmallDisk};

/// Captures whose bundle is larger than a small disk.
fn large_source() -> String {
    let line = |n: u32| {
        let rules: String = (0..20).map(|rule| format!("Disallow: /{n}/{rule}/\\n")).collect();
        format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\n{rules}\"}}\n")
    };
    (0..3000).map(line).collect()
}

#[test]
fn a_full_disk_leaves_the_old_bundle() {
    let folder = Folder::with(&[("small.jsonl", SOURCE), ("large.jsonl", &large_source())]);
    let Some(disk) = SmallDisk::mount(folder.path("disk"), "128k") else { return };
    assert_eq!(folder.run("compile small.jsonl --agent A -o disk/policies.bundle").code, Some(0));
    let old = std::fs::read(folder.path("disk/policies.bundle")).unwrap();
    for arguments in ["--agent A", "--onto disk/policies.bundle"] {
        let ran = folder.run(&format!("compile large.jsonl {arguments} -o disk/policies.bundle"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.starts_with("error: disk/policies.bundle: "), "{}", ran.err);
        assert!(ran.err.contains("No space left on device"), "{}", ran.err);
        assert!(std::fs::read(folder.path("disk/policies.bundle")).unwrap() == old);
        assert_eq!(disk.names(), ["policies.bundle"], "nothing else is left");
    }
}

#[test]
fn a_killed_process_leaves_the_old_bundle() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    folder.run("compile robots.jsonl --agent A -o policies.bundle");
    let old = std::fs::read(folder.path("policies.bundle")).unwrap();
    let mut child = Command::new(ROBOMATA)
        .args(["compile", "-", "--agent", "A", "-o", "policies.bundle"])
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(large_source().as_bytes()).unwrap();
    stdin.flush().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(std::fs::read(folder.path("policies.bundle")).unwrap() == old);
    assert_eq!(folder.run("inspect policies.bundle").code, Some(0));
    assert_eq!(folder.run("compile robots.jsonl --agent B -o policies.bundle").code, Some(0));
    assert_eq!(folder.run("inspect policies.bundle").code, Some(0));
}
