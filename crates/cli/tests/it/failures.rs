//! Bad input, missing files, readers that close the pipe.

use crate::support::{Folder, SOURCE, URLS};

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)])
}

#[test]
fn missing_files_end_the_run_before_anything_is_written() {
    let folder = folder();
    for line in [
        "filter --agent A --robots missing urls -o out",
        "filter --agent A --robots robots.jsonl urls missing -o out",
        "filter --agent A --robots robots.jsonl urls -o missing/out",
        "filter --agent A --policies missing urls -o out",
        "compile robots.jsonl missing --agent A -o out",
        "debug --agent A --robots missing",
        "explain --agent A --robots missing /a",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(ran.err.starts_with("error: missing"), "{line}: {}", ran.err);
        assert_eq!(folder.names(), ["robots.jsonl", "urls"], "{line}");
    }
}

#[test]
fn usage_errors_have_their_code() {
    let folder = folder();
    for line in [
        "",
        "filter",
        "filter --robots robots.jsonl urls",
        "filter --agent A urls",
        "filter --agent A --robots robots.jsonl --policies p urls",
        "filter --agent A --robots - -",
        "filter --agent A --robots robots.jsonl --output some urls",
        "filter --agent A --robots robots.jsonl --threads 0 urls",
        "filter --agent A --robots robots.jsonl --threads 1025 urls",
        "compile robots.jsonl --agent A",
        "compile robots.jsonl -o out",
        "compile --agent A -o out",
        "compile robots.jsonl --agent A -o out.gz",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(!ran.err.is_empty(), "{line}");
    }
}

#[test]
fn strict_runs_end_at_the_first_bad_input() {
    let folder = folder();
    folder.write("out", "as it was");
    let ran = folder.run("filter --strict --agent A --robots robots.jsonl urls -o out --stats stats");
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.err, "error: urls:3: expected an absolute URL, found \"nonsense\"\n");
    assert_eq!(folder.read("out"), "as it was");
    assert_eq!(folder.names(), ["out", "robots.jsonl", "urls"]);

    folder.write("robots.jsonl", format!("{SOURCE}{{}}\n"));
    for line in [
        "filter --strict --agent A --robots robots.jsonl urls -o out",
        "compile --strict --agent A robots.jsonl -o out",
    ] {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.starts_with("error: robots.jsonl:4: expected a key "), "{}", ran.err);
        assert_eq!(folder.read("out"), "as it was");
    }
}

#[test]
fn messages_do_not_flood() {
    let folder = folder();
    folder.write("urls", "bad\n".repeat(100) + "https://a.example/private\n");
    let ran = folder.run("filter -q --agent A --robots robots.jsonl urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert_eq!(ran.err.lines().count(), 21);
    assert_eq!(ran.err.lines().last(), Some("warning: 80 more invalid URLs are not listed"));
}

#[test]
fn truncated_archives_give_what_they_hold() {
    let folder = folder();
    let urls: String = (0..50_000).map(|number| format!("https://a.example/{number}\n")).collect();
    folder.write("urls", &urls);
    let ran = folder.bash(
        "gzip urls && head -c 100000 urls.gz > cut.gz
         robomata filter --agent A --robots robots.jsonl cut.gz",
    );
    assert_eq!(ran.code, Some(4));
    assert!(ran.out.len() > 1000 && urls.starts_with(&ran.out));
    assert!(ran.err.starts_with("warning: cut.gz:"), "{}", ran.err);
    assert!(ran.err.contains("expected the rest of the gzip data"), "{}", ran.err);
    let ran = folder.bash("robomata filter --strict --agent A --robots robots.jsonl cut.gz -o out");
    assert_eq!(ran.code, Some(4));
    assert!(!folder.path("out").exists());
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let folder = folder();
    folder.write("urls", "https://a.example/some/path/that/is/long/enough\n".repeat(200_000));
    folder.write("robots.txt", "User-agent: *\nDisallow: /private\n");
    folder.write("long.txt", "User-agent: *\nDisalow: /private/of/some/length\n".repeat(20_000));
    // Who reads only the exit code of what judges must not take the rest for judged.
    for (command, code) in [
        ("filter --agent A --robots robots.jsonl urls", 0),
        ("check --agent A --robots robots.txt < urls", 4),
        ("explain --agent A --robots robots.txt < <(head -n 20000 urls)", 4),
        ("lint --all --fail-on warning long.txt", 4),
    ] {
        let ran = folder.bash(&format!("robomata {command} | head -n 1 | wc -l; echo ${{PIPESTATUS[0]}}"));
        assert_eq!((ran.out, ran.err.as_str()), (format!("1\n{code}\n"), ""), "{command}");
    }
}

#[test]
fn a_reader_that_goes_away_before_other_files_are_written_is_an_error() {
    let folder = folder();
    folder.write("urls", "https://a.example/some/path/that/is/long/enough\n".repeat(200_000));
    folder.write("old", "of an earlier run\n");
    for command in [
        "filter --agent A --robots robots.jsonl urls --evidence",
        "filter --agent A --robots robots.jsonl urls --stats",
    ] {
        let ran = folder.bash(&format!("robomata {command} old | head -n 1 > one; echo ${{PIPESTATUS[0]}}"));
        let error =
            "error: old: not written: standard output was closed before the end (write it to a file: --to)\n";
        assert_eq!((ran.out.as_str(), ran.err.as_str()), ("4\n", error), "{command}");
        assert_eq!(folder.read("old"), "of an earlier run\n");
    }
}

#[test]
fn options_without_effect_are_mistakes() {
    let folder = folder();
    folder.write("urls", "https://a.example/x\n");
    assert_eq!(folder.run("compile robots.jsonl --agent A -o a.bundle").code, Some(0));
    for (line, message) in [
        ("filter --agent A --robots robots.jsonl --purpose ads urls", "--usage <USAGE>"),
        ("compile robots.jsonl --agent A -o out --purpose ads", "--usage <USAGE>"),
        ("filter --agent A --robots robots.jsonl --verify urls", "--verify applies to --policies"),
        ("score --robots robots.jsonl --verify urls", "--verify applies to --policies"),
        ("pace --agent A --robots robots.jsonl --verify", "--verify applies to --policies"),
        ("filter --agent A --policies a.bundle --captured-at 2026-01-01 urls", "cannot be used with"),
        ("score --policies a.bundle --captured-at 2026-01-01 urls", "cannot be used with"),
        ("pace --agent A --policies a.bundle --captured-at 2026-01-01", "cannot be used with"),
        ("filter --agent A --robots robots.jsonl --output-format jsonl urls", "applies to --output verdicts"),
        (
            "filter --agent A --robots robots.jsonl --output disallowed --output-format tsv urls",
            "applies to --output verdicts",
        ),
        (
            "filter --agent A --robots robots.jsonl --output verdicts --unknown drop urls",
            "--unknown drop applies to --output allowed",
        ),
        (
            "filter --agent A --robots robots.jsonl --output disallowed --unknown drop urls",
            "--unknown drop applies to --output allowed",
        ),
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains(message), "{line}: {}", ran.err);
    }
}

#[test]
fn score_needs_a_request_and_crawlers() {
    let folder = folder();
    folder.write("empty.log", "");
    for line in ["score --robots robots.jsonl empty.log", "score --robots robots.jsonl -"] {
        let ran = folder.run(line);
        let error = "error: no request found: the logs are empty (give logs with requests)\n";
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(2), "", error), "{line}");
    }
    let log = "a.example 192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0\"\n";
    folder.write("access.log", log);
    folder.write("urls", "https://a.example/x\n");
    for agents in ["empty.log", "urls"] {
        let line = format!("score --robots robots.jsonl --agents {agents} access.log");
        let ran = folder.run(&line);
        let error = format!("error: {agents}: expected a list of crawlers, found none");
        assert!(ran.code == Some(2) && ran.err.starts_with(&error), "{}", ran.err);
    }
    // A name longer than what is read of a User-Agent is in none.
    folder.write("long", "x".repeat(1_001));
    folder.write_compressed("large.gz", "x\n".repeat((32 << 20) + 1));
    for (agents, error) in [
        ("long", "error: long: expected a list of crawlers, found none"),
        ("large.gz", "error: large.gz: cannot be read: expected at most 64 MiB, decompressed"),
    ] {
        let ran = folder.run(&format!("score --robots robots.jsonl --agents {agents} access.log"));
        assert!(ran.code == Some(2) && ran.err.starts_with(error), "{}", ran.err);
    }
}

/// The second reader would find nothing, and no URL is none that is disallowed.
#[test]
fn standard_input_is_not_read_twice_by_another_name() {
    let folder = folder();
    folder.write("robots.txt", "User-agent: *\nDisallow: /private\n");
    folder.write("al.txt", "before\n");
    for command in [
        "check --agent A --robots /dev/stdin",
        "check --agent A --robots /dev/fd/0",
        "explain --agent A --robots /proc/self/fd/0",
        "filter --agent A --host a.example --robots /dev/stdin --to al.txt",
        "filter --agent A --host a.example --robots /dev/stdin - --to al.txt",
        "score --latest --host a.example --robots /dev/stdin -",
        "lint --expect /dev/stdin -",
    ] {
        let ran = folder.bash(&format!("cat robots.txt | robomata {command}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        assert!(ran.err.contains("error: standard input can"), "{command}: {}", ran.err);
    }
    assert_eq!(folder.read("al.txt"), "before\n");
    // Once is enough for a file that is opened twice, and for one name.
    let ran = folder.bash("echo /private | robomata check --agent A --robots robots.txt");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/private\n"), "{}", ran.err);
    let ran = folder.bash("cat robots.txt | robomata check --agent A --robots /dev/stdin /private");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "disallow\t/private\n"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_ends_the_run_even_when_the_input_does_not_end() {
    let folder = folder();
    folder.write("urls", "https://a.example/some/path/that/is/long/enough\n".repeat(200_000));
    // The shell keeps the FIFO open for writing, so a reader never sees its end.
    let ran = folder.bash(
        "mkfifo endless; exec 3<>endless; cat urls >&3 &
         timeout 60 robomata filter --agent A --robots robots.jsonl endless 3>&- | head -n 1 | wc -l
         echo ${PIPESTATUS[0]}; kill $!",
    );
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("1\n0\n", ""));
}

/// In the help, a line that is too long is broken, and then no call.
#[test]
fn examples_of_the_help_can_be_copied() {
    let folder = Folder::new();
    let commands = folder.bash("robomata --help | sed -n '/^Commands:/,/^$/s/^  \\([a-z-]*\\) .*/\\1/p'").out;
    assert!(commands.lines().count() > 15, "{commands}");
    for command in commands.lines() {
        let help = folder.bash(&format!("COLUMNS=100 robomata {command} --help")).out;
        let mut lines = help.lines().peekable();
        while let Some(line) = lines.next() {
            if line.starts_with("  $ ") {
                let next = lines.peek().copied().unwrap_or_default();
                assert!(next.is_empty() || next.starts_with("  "), "{command}: {line}\n{next}");
            }
        }
    }
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    assert!(folder.run("--version").out.starts_with("robomata 0."));
    let ran = folder.run("--help");
    assert_eq!(ran.code, Some(0));
    for name in ["check", "explain", "filter", "compile", "debug"] {
        assert!(ran.out.contains(&format!("  {name} ")), "{}", ran.out);
        let help = folder.run(&format!("{name} --help"));
        assert_eq!(help.code, Some(0));
        for text in ["Exit codes:", "Example", &format!("$ robomata {name}"), "--agent", "--dialect"] {
            assert!(help.out.contains(text), "{name}: {text}");
        }
    }
}

/// Stacks of 100 TB are more than any limit of memory. The main thread has another one.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error_and_no_panic() {
    let folder = folder();
    for line in [
        "compile robots.jsonl --agent A -o p.bundle",
        "filter -q --agent A --robots robots.jsonl urls --evidence evidence.jsonl --to out",
    ] {
        assert_eq!(folder.run(line).code, Some(0), "{line}");
    }
    let names = folder.names();
    for line in [
        "filter --agent A --robots robots.jsonl urls -o other",
        "filter --threads 1 --agent A --policies p.bundle urls -o other",
        "compile robots.jsonl --agent A -o other.bundle",
        "shard p.bundle -n 2 -o other",
        "inspect p.bundle",
        "verify-evidence evidence.jsonl --robots robots.jsonl",
    ] {
        let ran = folder.bash(&format!("RUST_MIN_STACK=100000000000000 robomata {line}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        let text = "error: cannot start threads: ";
        assert!(ran.err.starts_with(text) && ran.err.lines().count() == 1, "{line}: {}", ran.err);
        assert_eq!(folder.names(), names, "{line}");
    }
}
