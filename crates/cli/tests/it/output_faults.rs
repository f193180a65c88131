//! Outputs that cannot be written: the old file is intact, the message names the failure, no other file is left.
#![cfg(unix)]

use std::process::Command;

use crate::support::{Folder, SOURCE, SmallDisk};

const NEW_SOURCE: &str =
    r#"{"host": "a.example", "time": "2024-01-02T00:00:00Z", "body": "User-agent: *\nDisallow: /b"}"#;

const LOG: &str = "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"\n";

fn folder() -> Folder {
    let urls = "https://a.example/private\nhttps://a.example/b\nhttps://c.example/x\n";
    // Dialects differ about the last.
    let dated = SOURCE.replace(r#""a.example","#, r#""a.example", "time": "2024-01-01T00:00:00Z","#);
    let source = format!("{dated}{{\"host\": \"c.example\", \"body\": \"User-agent: *\\nDisallow: /*x\"}}\n");
    let folder = Folder::with(&[
        ("robots.jsonl", &source),
        ("new.jsonl", NEW_SOURCE),
        ("urls", urls),
        ("access.log", LOG),
        ("robots.txt", "User-agent: *\nDisallow: a\n"),
    ]);
    assert_eq!(folder.run("compile robots.jsonl --all-agents --history -o p.bundle").code, Some(0));
    folder
}

#[test]
fn a_path_that_is_standard_output_or_standard_error_does_not_replace_its_file() {
    let folder = folder();
    let table = folder.run("pace --agent A --policies p.bundle -q").out;
    for (stream, number) in [("stdout", 1), ("stderr", 2)] {
        for to in [format!("/dev/{stream}"), format!("/dev/fd/{number}"), "f".to_owned()] {
            let line = format!(
                "( echo before; {} pace --agent A --policies p.bundle -q --to {to}; echo after ) {number}> f {}",
                env!("CARGO_BIN_EXE_robomata"),
                if number == 1 { "" } else { ">&2" },
            );
            assert_eq!(folder.bash(&line).code, Some(0));
            assert_eq!(folder.read("f"), format!("before\n{table}after\n"), "{to}");
        }
    }
    let bundle = std::fs::read(folder.path("p.bundle")).unwrap();
    let command = env!("CARGO_BIN_EXE_robomata");
    let line = format!("{command} compile robots.jsonl --all-agents --history -q -o /dev/stdout > q.bundle");
    assert_eq!(folder.bash(&line).code, Some(0));
    assert!(std::fs::read(folder.path("q.bundle")).unwrap() == bundle);
    let resumed =
        format!("{command} filter --agent A --policies p.bundle urls --resume --to /dev/stdout > f");
    assert_eq!(folder.bash(&resumed).code, Some(2));
}

#[test]
fn an_empty_standard_input_replaces_no_output() {
    let folder = folder();
    folder.write("out", "complete\n");
    folder.write("none", "");
    for command in ["filter --agent A --policies p.bundle", "compare --agent A --robots robots.jsonl"] {
        for stdin in ["", "-"] {
            let ran = folder.run(&format!("{command} {stdin} --to out"));
            assert_eq!((ran.code, folder.read("out").as_str()), (Some(2), "complete\n"), "{command}");
            assert!(
                ran.err.contains("<stdin>: empty") && ran.err.contains("give an empty file"),
                "{}",
                ran.err
            );
        }
    }
    let filter = "filter --agent A --policies p.bundle -q";
    assert_eq!(folder.run(&format!("{filter} --to new")).code, Some(0), "a new output");
    let url = "https://c.example/free\n";
    let ran = folder.run_with_input(&format!("{filter} --to out"), url);
    assert_eq!((ran.code, folder.read("out").as_str()), (Some(0), url));
    assert_eq!(folder.run(&format!("{filter} none --to out")).code, Some(0));
    assert_eq!(folder.read("out"), "");
}

#[test]
fn an_empty_stream_replaces_none_of_several_outputs() {
    let folder = folder();
    let plan = "plan -q --policies p.bundle --now 2026-02-01 --frontier";
    let filter = "filter -q --agent A --policies p.bundle";
    let lines = [
        "false | robomata filter -q --agent A --robots robots.jsonl --evidence old --stats new".to_owned(),
        "false | robomata filter -q --agent A --robots robots.jsonl --stats old".to_owned(),
        "false | robomata compare -q --agent A --robots robots.jsonl --stats old".to_owned(),
        "false | robomata diff -q --agent A robots.jsonl new.jsonl urls - --to old".to_owned(),
        format!("false | robomata {plan} - --to old"),
        format!("false | robomata {plan} - --holds old --to new"),
        format!("robomata {plan} <(false) --to old"),
        format!("false | robomata {filter} urls - --to old"),
        format!("false | robomata {filter} /dev/stdin --to old"),
        format!("robomata {filter} /dev/stdin --to old </dev/null"),
        format!("robomata {filter} --to old <(false)"),
        format!("robomata {filter} --format csv --to old <(false | gzip)"),
        format!("mkfifo fifo; true > fifo & robomata {filter} fifo --to old"),
    ];
    for line in lines {
        folder.write("old", "complete\n");
        let ran = folder.bash(&line);
        assert_eq!((ran.code, folder.read("old").as_str()), (Some(2), "complete\n"), "{line}: {}", ran.err);
        assert!(ran.err.contains(": empty, as after a command that failed: "), "{line}: {}", ran.err);
        assert!(!folder.path("new").exists(), "{line}");
    }
    for line in [
        format!("robomata {filter} /dev/null --to old"),
        format!("false | robomata {filter} --to new"),
        format!("false | robomata {filter} --to /dev/stdout > old"),
        format!("robomata {filter} --to old <(cat urls)"),
    ] {
        assert_eq!(folder.bash(&line).code, Some(0), "{line}");
    }
    assert_eq!(folder.run(&format!("{filter} urls")).out, folder.read("old"));
}

/// Every command that writes a file, with the name of the file for `{}`.
const WRITERS: [(&str, &str); 25] = [
    ("filter --agent A --robots robots.jsonl urls --to {}", "out"),
    ("filter --agent A --robots robots.jsonl urls --output verdicts --to {}", "out.gz"),
    ("filter --agent A --robots robots.jsonl urls --output verdicts --to {}", "out.tsv.zst"),
    ("filter --agent A --robots robots.jsonl urls --output verdicts --to {}", "out.parquet"),
    ("filter --agent A --robots robots.jsonl urls --to {}", "out.parquet"),
    ("filter --agent A --robots robots.jsonl urls --stats {}", "stats"),
    ("filter --agent A --policies p.bundle urls --output disallowed --to {}", "out.jsonl"),
    ("compile robots.jsonl --agent A -o {}", "out.bundle"),
    ("compile robots.jsonl --agent A --memory 0 -o {}", "out.bundle"),
    ("compile new.jsonl --onto p.bundle -o {}", "out.bundle"),
    ("score --robots robots.jsonl access.log --to {}", "out"),
    ("score --robots robots.jsonl access.log --json --to {}", "out.json.zst"),
    ("score --robots robots.jsonl access.log --html {}", "out.html"),
    ("score --robots robots.jsonl access.log --parquet {}", "out.parquet"),
    ("score --robots robots.jsonl access.log --requests {}", "out.parquet"),
    ("score --robots robots.jsonl access.log --requests {}", "out.tsv"),
    ("compare --agent A --robots robots.jsonl urls --to {}", "out"),
    ("compare --agent A --robots robots.jsonl urls --json --to {}", "out.gz"),
    ("diff --agent A robots.jsonl new.jsonl urls --to {}", "out"),
    ("lint robots.txt --format sarif --to {}", "out.sarif"),
    ("filter --agent A --policies p.bundle urls --evidence {}", "out.jsonl"),
    ("plan --policies p.bundle --now 2026-11-23T12:00:00Z --to {}", "out.tsv"),
    ("plan --policies p.bundle --now 2026-11-23T12:00:00Z --holds {}", "out.tsv"),
    ("pace --agent A --policies p.bundle --to {}", "out.tsv"),
    ("debug --agent A --robots robots.txt --dot {}", "out.dot"),
];

/// Writers whose files have other names until they are complete, or that write several.
const OTHER_WRITERS: [(&str, &str); 4] = [
    ("filter --agent A --robots robots.jsonl urls --resume --to out", "out"),
    ("shard p.bundle -n 2 -o parts", "parts-00001-of-00002.bundle"),
    ("shard p.bundle -n 2 -o parts", "parts-of-00002.shards"),
    ("man --to .", "robomata-filter.1"),
];

/// A loss of power leaves the old file or the complete new one: the file is flushed to the disk before it gets its name,
/// and the directory after.
#[test]
fn each_output_is_on_the_disk_before_and_after_its_rename() {
    if Command::new("strace").arg("-V").output().is_err() {
        assert!(std::env::var_os("ROBOMATA_REQUIRE_STRACE").is_none(), "strace is not installed");
        println!("skipped: strace is not installed");
        return;
    }
    let folder = folder();
    for (line, name) in WRITERS.into_iter().chain(OTHER_WRITERS) {
        let line = line.replace("{}", name);
        let (trace, target) = (folder.path("trace"), folder.path(name));
        let mut traced = Command::new("strace");
        traced.args(["-f", "-y", "-s", "4096", "-e", "trace=fsync,rename,renameat,renameat2", "-o"]);
        traced.arg(&trace).arg(env!("CARGO_BIN_EXE_robomata")).args(line.split(' '));
        let ran = traced.current_dir(folder.path("")).output().unwrap();
        assert!(matches!(ran.status.code(), Some(0 | 1)), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
        let calls = std::fs::read_to_string(&trace).unwrap();
        let quoted = format!("{name}\"");
        let renamed = calls.lines().position(|call| call.contains(" rename") && call.contains(&quoted));
        let renamed = renamed.unwrap_or_else(|| panic!("{line}: no rename to {name}\n{calls}"));
        let calls: Vec<&str> = calls.lines().collect();
        let old = calls[renamed].split('"').nth(1).unwrap();
        let flushes =
            |call: &&&str, path: &str| call.contains(" fsync(") && call.contains(&format!("<{path}>"));
        let parent = target.parent().unwrap().canonicalize().unwrap();
        let old = parent.join(std::path::Path::new(old).file_name().unwrap());
        let shown = calls.join("\n");
        assert!(calls[..renamed].iter().any(|call| flushes(&call, old.to_str().unwrap())), "{line}\n{shown}");
        assert!(
            calls[renamed..].iter().any(|call| flushes(&call, parent.to_str().unwrap())),
            "{line}\n{shown}"
        );
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = folder();
    let Some(disk) = SmallDisk::mount(folder.path("disk"), "256k") else { return };
    for (_, name) in WRITERS {
        folder.write(&format!("disk/{name}"), "as it was");
    }
    disk.fill();
    let names = disk.names();
    for (line, name) in WRITERS {
        let ran = folder.run(&line.replace("{}", &format!("disk/{name}")));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        let error = format!("error: disk/{name}: ");
        assert!(
            ran.err.starts_with(&error) && ran.err.contains("No space left on device"),
            "{line}: {}",
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
        assert_eq!(folder.read(&format!("disk/{name}")), "as it was", "{line}");
        assert_eq!(disk.names(), names, "{line}");
    }
}

/// The signal of this limit ends a process that does not expect it.
#[test]
fn a_limit_of_the_size_of_files_is_an_error_that_leaves_no_file() {
    let folder = folder();
    let urls: String =
        (0..100_000_u32).map(|n| format!("https://a.example/{}\n", n.wrapping_mul(2_654_435_761))).collect();
    folder.write("urls", urls);
    folder.write("out", "as it was");
    let names = folder.names();
    for options in ["", "--stats stats"] {
        let line = format!("robomata filter -q --agent A --robots robots.jsonl urls --to out {options}");
        let ran = folder.bash(&format!("ulimit -f 20; {line}"));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert_eq!(ran.err, "error: out: cannot be written: File too large (os error 27)\n", "{line}");
        assert_eq!(folder.read("out"), "as it was", "{line}");
        assert_eq!(folder.names(), names, "{line}");
    }
}

#[test]
fn a_full_device_is_named() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = folder();
    for (line, _) in WRITERS {
        let ran = folder.run(&line.replace("{}", "/dev/full"));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(
            ran.err.starts_with("error: /dev/full: cannot be written: No space left"),
            "{line}: {}",
            ran.err
        );
    }
}

#[test]
fn full_standard_output_is_named() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = folder();
    for line in [
        "check --agent A --robots robots.txt /a",
        "explain --agent A --robots robots.txt /a",
        "debug --agent A --robots robots.txt",
        "permissions --agent A --robots robots.txt /a",
        "filter --agent A --robots robots.jsonl urls",
        "filter --agent A --robots robots.jsonl urls --output verdicts --output-format parquet",
        "filter --agent A --robots robots.jsonl urls --to out --stats -",
        "inspect p.bundle",
        "inspect p.bundle --json",
        "score --robots robots.jsonl access.log",
        "score --robots robots.jsonl access.log --json",
        "compare --agent A --robots robots.jsonl urls",
        "compare --agent A --robots robots.jsonl urls --json",
        "diff --agent A robots.jsonl new.jsonl urls",
        "diff --agent A robots.jsonl new.jsonl urls --json",
        "lint robots.txt",
        "lint robots.txt --format json",
        "lint --codes",
        "completions bash",
    ] {
        let ran = folder.bash(&format!("robomata {line} > /dev/full"));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert_eq!(
            ran.err, "error: <stdout>: cannot be written: No space left on device (os error 28)\n",
            "{line}"
        );
    }
}

#[test]
fn a_folder_without_write_permission_is_named_before_any_work() {
    let folder = folder();
    for name in ["robots.jsonl", "access.log", "new.jsonl"] {
        folder.write(name, "never read: the output is tried first\n");
    }
    folder.write("shut/old", "as it was");
    folder.set_mode("shut", 0o555);
    for (line, _) in WRITERS {
        let Some(ran) = folder.run_as_nobody("", &line.replace("{}", "shut/out")) else { return };
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(
            ran.err.starts_with("error: shut/out: cannot be created: Permission denied"),
            "{line}: {}",
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1, "{line}: {}", ran.err);
    }
}

#[test]
fn a_run_that_filled_the_disk_goes_on_when_there_is_room() {
    let folder = folder();
    let urls: String =
        (0..100_000_u32).map(|n| format!("https://a.example/{}\n", n.wrapping_mul(2_654_435_761))).collect();
    folder.write("urls", urls);
    let Some(disk) = SmallDisk::mount(folder.path("disk"), "300k") else { return };
    for name in ["out", "out.txt.zst", "out.gz"] {
        let common = "filter --agent A --robots robots.jsonl urls --output verdicts";
        assert_eq!(folder.run(&format!("{common} --to {name}")).code, Some(0));
        let line = format!("{common} --resume --checkpoint-every 0 --to disk/{name}");
        let ran = folder.run(&line);
        assert_eq!(ran.code, Some(2), "{name}");
        assert!(
            ran.err.starts_with(&format!("error: disk/{name}")) && ran.err.contains("No space left"),
            "{}",
            ran.err
        );
        assert!(!folder.path(&format!("disk/{name}")).exists());
        assert!(disk.names().iter().all(|name| !name.starts_with('.')), "{:?}", disk.names());
        disk.resize("64m");
        assert_eq!(folder.run(&line).code, Some(0), "{name}");
        assert_eq!(disk.names(), [name]);
        let read = |name: &str| {
            folder.run(&format!("filter --agent A --robots robots.jsonl --format text {name}")).out
        };
        assert!(read(&format!("disk/{name}")) == read(name), "{name}");
        std::fs::remove_file(folder.path(&format!("disk/{name}"))).unwrap();
        disk.resize("300k");
    }
}
