//! What happens to bundles where something fails: the old one stays whole, the message says what, nothing else is left.
#![cfg(unix)]

mod support;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{Folder, ROBOMATA, SOURCE};

/// Captures whose bundle is larger than a small disk.
fn large_source() -> String {
    let line = |n: u32| {
        let rules: String = (0..20).map(|rule| format!("Disallow: /{n}/{rule}/\\n")).collect();
        format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\n{rules}\"}}\n")
    };
    (0..3000).map(line).collect()
}

/// A disk of a few kilobytes at `folder`; it goes with this value. None where we may not make one.
struct SmallDisk<'f>(&'f Path);

impl<'f> SmallDisk<'f> {
    fn mount(folder: &'f Path, size: &str) -> Option<Self> {
        std::fs::create_dir(folder).unwrap();
        let size = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
        mounted.is_ok_and(|mounted| mounted.status.success()).then_some(SmallDisk(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_bundle() {
    let folder = Folder::with(&[("small.jsonl", SOURCE), ("large.jsonl", &large_source())]);
    let place = folder.path("disk");
    let Some(disk) = SmallDisk::mount(&place, "128k") else {
        eprintln!("skipped: no file system can be mounted here");
        return;
    };
    assert_eq!(folder.run("compile small.jsonl --agent A -o disk/policies.bundle").code, Some(0));
    let old = std::fs::read(folder.path("disk/policies.bundle")).unwrap();
    for arguments in ["--agent A", "--onto disk/policies.bundle"] {
        let ran = folder.run(&format!("compile large.jsonl {arguments} -o disk/policies.bundle"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.starts_with("error: disk/policies.bundle: "), "{}", ran.err);
        assert!(ran.err.contains("No space left on device"), "{}", ran.err);
        assert!(std::fs::read(folder.path("disk/policies.bundle")).unwrap() == old);
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1, "nothing else is left");
    }
    drop(disk);
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

#[test]
fn a_folder_without_write_permission_is_named_before_any_work() {
    let folder = Folder::with(&[("open/robots.jsonl", "never read: the output is tried first\n")]);
    let open = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    // Root writes anyway, so somebody else has to try, and to reach the command.
    std::fs::copy(ROBOMATA, folder.path("open/robomata")).unwrap();
    open(&folder.path(""), 0o755);
    open(&folder.path("open"), 0o555);
    let ran = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "./robomata"])
        .args(["compile", "robots.jsonl", "--agent", "A", "-o", "policies.bundle"])
        .current_dir(folder.path("open"))
        .output();
    let Some(ran) = ran.ok().filter(|ran| !ran.stderr.starts_with(b"setpriv")) else {
        eprintln!("skipped: nobody else's name can be used here");
        return;
    };
    let err = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error: policies.bundle: cannot be created: Permission denied"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}
