//! Commands that are interrupted or killed: outputs are complete or absent, and long runs can be resumed.

#![cfg(unix)]

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, ROBOMATA, SOURCE};

/// Starts `robomata` with default signal handling, like a shell in the foreground.
fn start(folder: &Folder, line: &str) -> Child {
    start_ignoring(folder, line, &[])
}

/// The same, but some signals are ignored.
fn start_ignoring(folder: &Folder, line: &str, ignored: &[&str]) -> Child {
    Command::new("env")
        .arg("--default-signal=INT,TERM,HUP")
        .args(ignored.iter().map(|name| format!("--ignore-signal={name}")))
        .arg(ROBOMATA)
        .args(line.split_ascii_whitespace())
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Interrupts a command. Its standard input stays open until it has ended, so that nothing else ends it.
fn interrupted(mut child: Child, name: &str) -> Output {
    let open = child.stdin.take();
    signal(&child, name);
    let ended = child.wait_with_output().unwrap();
    drop(open);
    ended
}

fn hidden(folder: &Folder) -> usize {
    folder.names().iter().filter(|name| name.starts_with(".robomata-")).count()
}

/// Waits until there are `count` hidden files.
fn wait_for_hidden(folder: &Folder, count: usize) {
    let started = Instant::now();
    while hidden(folder) < count {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is written");
        sleep(Duration::from_millis(5));
    }
}

/// Waits until a command has begun to write.
fn wait_for_output(folder: &Folder) {
    wait_for_hidden(folder, 1);
    // The handler is installed before the output exists. Give the command time to read.
    sleep(Duration::from_millis(100));
}

#[test]
fn an_interrupted_command_leaves_outputs_as_they_were() {
    for name in ["INT", "TERM"] {
        let folder = Folder::with(&[("robots.jsonl", SOURCE), ("out", "as it was")]);
        let mut child = start(&folder, "filter --agent A --robots robots.jsonl --to out --stats stats");
        child.stdin.as_mut().unwrap().write_all(b"https://a.example/\n").unwrap();
        wait_for_output(&folder);
        let ended = interrupted(child, name);
        assert_eq!(ended.status.code(), Some(130), "{name}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "interrupted: no file was written\n");
        assert_eq!(folder.names(), ["out", "robots.jsonl"]);
        assert_eq!(folder.read("out"), "as it was");
    }
}

/// A background job of a script ignores SIGINT, and `nohup` SIGHUP.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_is_ignored_stays_so_and_others_remove_outputs() {
    for (ignored, name) in [(&["INT"][..], "TERM"), (&["HUP"], "TERM"), (&["INT", "TERM"], "HUP")] {
        let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
        let child = start_ignoring(&folder, "filter --agent A --robots robots.jsonl --to out", ignored);
        wait_for_output(&folder);
        for name in ignored {
            signal(&child, name);
        }
        sleep(Duration::from_millis(200));
        assert_eq!(hidden(&folder), 1, "{ignored:?}");
        let ended = interrupted(child, name);
        assert_eq!(ended.status.code(), Some(130), "{ignored:?}");
        assert_eq!(folder.names(), ["robots.jsonl"], "{ignored:?}");
    }
}

#[test]
fn what_a_killed_command_left_the_next_one_removes() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE), ("urls", "https://a.example/\n")]);
    let mut killed = start(&folder, "filter --agent A --robots robots.jsonl --to out");
    wait_for_output(&folder);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(hidden(&folder), 1);
    // The file of a running process stays.
    let mut living = start(&folder, "filter --agent A --robots robots.jsonl --to other");
    let started = Instant::now();
    while hidden(&folder) != 1 || folder.names().len() != 3 {
        assert!(started.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(200));
    assert_eq!(folder.run("filter --agent A --robots robots.jsonl --to out urls").code, Some(0));
    assert_eq!(hidden(&folder), 1);
    drop(living.stdin.take());
    assert_eq!(living.wait().unwrap().code(), Some(0));
    assert_eq!(folder.names(), ["other", "out", "robots.jsonl", "urls"]);
}

/// Captures of more sites than fit into one part.
fn captures(sites: u32) -> String {
    let line = |n| {
        format!(
            "{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{}/{n}\"}}\n",
            "x".repeat(900)
        )
    };
    (0..sites).map(line).collect()
}

/// Starts to compile standard input to `bundle`, and waits until `parts` are written.
fn compile_in_parts(folder: &Folder, bundle: &str, parts: usize) -> Child {
    let mut child = start(folder, &format!("compile - --all-agents --memory 0 -o {bundle}"));
    let before = hidden(folder);
    child.stdin.as_mut().unwrap().write_all(captures(10_000).as_bytes()).unwrap();
    wait_for_hidden(folder, before.max(1) + parts);
    child
}

#[test]
fn an_interrupted_compile_leaves_no_part() {
    for name in ["INT", "TERM", "HUP"] {
        let folder = Folder::with(&[("policies.bundle", "as it was")]);
        let child = compile_in_parts(&folder, "policies.bundle", 3);
        let ended = interrupted(child, name);
        assert_eq!(ended.status.code(), Some(130), "{name}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "interrupted: no file was written\n");
        assert_eq!(folder.names(), ["policies.bundle"]);
        assert_eq!(folder.read("policies.bundle"), "as it was");
    }
}

#[test]
fn parts_of_a_killed_compile_the_next_one_removes_and_no_others() {
    let folder = Folder::new();
    folder.write("captures.jsonl", captures(10_000));
    let mut killed = compile_in_parts(&folder, "policies.bundle", 3);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(hidden(&folder) >= 4, "its parts and its output are left");

    let mut living = start(&folder, "compile - --all-agents --memory 0 -o other.bundle");
    let started = Instant::now();
    while hidden(&folder) != 1 {
        assert!(started.elapsed() < Duration::from_secs(60), "stale files are left");
        sleep(Duration::from_millis(5));
    }
    let mut stdin = living.stdin.take().unwrap();
    stdin.write_all(captures(10_000).as_bytes()).unwrap();
    wait_for_hidden(&folder, 4);
    let parts = hidden(&folder);
    let ran = folder.run("compile captures.jsonl --all-agents -o policies.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(hidden(&folder) >= parts, "those of a living one stay, and it may go on");

    drop(stdin);
    assert_eq!(living.wait().unwrap().code(), Some(0));
    assert_eq!(folder.names(), ["captures.jsonl", "other.bundle", "policies.bundle"]);
    let bytes = |name| std::fs::read(folder.path(name)).unwrap();
    assert!(bytes("other.bundle") == bytes("policies.bundle"), "in parts as at once");
}

fn urls(count: usize) -> String {
    let mut text = String::from("id\turl\n");
    for number in 0..count {
        let path = ["private", "public", "b", "x y"][number % 4];
        text.push_str(&format!("{number}\thttps://a.example/{path}/{}\n", number * 7919));
    }
    text.push_str("nonsense\n");
    text
}

/// Runs `line` repeatedly, and kills it after increasing times, until it completes. Returns the number of runs. The
/// `output` exists only if it `is_whole`: a run may be killed after it has written the output.
fn run_killed(folder: &Folder, line: &str, output: &str, is_whole: &dyn Fn() -> bool) -> u32 {
    for kills in 0..200 {
        let mut child = start(folder, line);
        let deadline = Instant::now() + Duration::from_millis(30 + 15 * u64::from(kills));
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                let mut text = String::new();
                std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut text).unwrap();
                assert_eq!(status.code(), Some(0), "{text}");
                return kills;
            }
            if Instant::now() >= deadline {
                break;
            }
            sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!folder.path(output).exists() || is_whole(), "a part of the output has its name");
    }
    panic!("it never comes to its end");
}

#[test]
fn a_run_that_is_killed_again_and_again_leaves_what_one_run_leaves() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    folder.write("urls.tsv", urls(200_000));
    for name in ["urls.tsv.gz", "urls.tsv.zst"] {
        folder.write_compressed(name, urls(200_000));
    }
    let mut kills = 0;
    for (input, output, decode) in [
        ("urls.tsv urls.tsv", "out.tsv", "cat"),
        ("urls.tsv.gz urls.tsv", "out.jsonl.gz", "zcat"),
        ("urls.tsv urls.tsv.gz", "out.txt.zst", "zcat"),
        ("urls.tsv.zst urls.tsv", "out.tsv.zst", "zcat"),
    ] {
        let common = format!("filter --agent A --robots robots.jsonl --output verdicts {input}");
        assert_eq!(folder.run(&format!("{common} --to whole-{output} --stats whole.json")).code, Some(0));
        let line = format!("{common} --stats stats.json --resume --checkpoint-every 0 --to {output}");
        // The command reads compressed files itself.
        let all = |name: &str| match decode {
            "cat" => folder.read(name),
            _ => {
                let line =
                    format!("filter --agent A --robots robots.jsonl --format text {name} --output verdicts");
                folder.run(&line).out
            }
        };
        let is_whole = || all(output) == all(&format!("whole-{output}"));
        kills += run_killed(&folder, &line, output, &is_whole);
        assert!(is_whole());
        let stats = |name: &str| {
            let mut stats: serde_json::Value = serde_json::from_str(&folder.read(name)).unwrap();
            for changing in ["seconds", "urls_per_second"] {
                stats.as_object_mut().unwrap().remove(changing);
            }
            stats
        };
        assert_eq!(stats("stats.json"), stats("whole.json"));
        let left: Vec<String> = folder
            .names()
            .into_iter()
            .filter(|name| name.contains("partial") || name.contains("checkpoint"))
            .collect();
        assert_eq!(left, [""; 0]);
    }
    assert!(kills > 0, "no run was killed");
}

#[test]
fn a_run_goes_on_from_its_own_checkpoint_alone() {
    let folder = Folder::with(&[("robots.jsonl", SOURCE)]);
    folder.write("urls.tsv", urls(400_000));
    let line = "filter --agent A --robots robots.jsonl urls.tsv --resume --checkpoint-every 0 --to out";
    let mut child = start(&folder, line);
    let started = Instant::now();
    while !folder.path("out.checkpoint.json").exists() {
        assert!(started.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(1));
    }
    signal(&child, "INT");
    let status = child.wait().unwrap();
    if status.code() == Some(0) {
        return; // It was too quick.
    }
    assert_eq!(status.code(), Some(130));
    assert!(folder.path("out.partial").exists() && folder.path("out.checkpoint.json").exists());
    assert_eq!(hidden(&folder), 0);
    for (other, what) in [
        ("filter --agent B --robots robots.jsonl urls.tsv --resume --to out", "crawlers was A and is B"),
        (
            "filter --agent A --robots robots.jsonl urls.tsv --column 2 --resume --to out",
            "column was none and is 2",
        ),
        (
            "filter --agent A --robots robots.jsonl urls.tsv urls.tsv --resume --to out",
            "file 2 of URLs was nothing",
        ),
    ] {
        let ran = folder.run(other);
        assert_eq!(ran.code, Some(2), "{other}");
        assert!(
            ran.err.starts_with("error: out.checkpoint.json: expected the checkpoint of this run"),
            "{}",
            ran.err
        );
        assert!(ran.err.contains(what), "{}", ran.err);
    }
    // A part of the partial output is lost.
    let partial = std::fs::read(folder.path("out.partial")).unwrap();
    folder.write("out.partial", "");
    let ran = folder.run(line);
    let error = "error: out: cannot be created: expected at least ";
    let advice = " bytes in out.partial; remove out.checkpoint.json to start over\n";
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with(error) && ran.err.ends_with(advice), "{}", ran.err);
    folder.write("out.partial", partial);
    assert_eq!(folder.run(line).code, Some(0));
    assert_eq!(folder.run("filter --agent A --robots robots.jsonl urls.tsv --to whole").code, Some(0));
    assert!(folder.read("out") == folder.read("whole"));
}

#[test]
fn the_files_of_a_run_that_can_be_resumed_are_next_to_the_file_that_a_link_leads_to() {
    let folder =
        Folder::with(&[("robots.jsonl", SOURCE), ("urls", "https://a.example/b\n"), ("inner/out", "old\n")]);
    std::os::unix::fs::symlink("inner/out", folder.path("link")).unwrap();
    let line = "filter -q --agent A --robots robots.jsonl urls --resume --to link";
    // The checkpoint of a run that was killed. It is read, whichever name of the output is given.
    folder.write("inner/out.checkpoint.json", "{}");
    for to in ["link", "inner/out"] {
        let ran = folder.run(&line.replace("link", to));
        assert!(ran.err.contains("out.checkpoint.json: expected a checkpoint"), "{to}: {}", ran.err);
    }
    std::fs::remove_file(folder.path("inner/out.checkpoint.json")).unwrap();
    assert_eq!(folder.run(line).code, Some(0));
    assert!(folder.path("link").is_symlink());
    assert_eq!(folder.read("inner/out"), "https://a.example/b\n");
    assert_eq!(folder.names(), ["inner", "link", "robots.jsonl", "urls"]);
}
