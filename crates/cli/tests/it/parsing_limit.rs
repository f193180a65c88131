//! `--max-robots-bytes` in every command that reads robots.txt files. `bundle.rs` tests it with compiled bundles.

use crate::support::Folder;

const LIMIT: &str = "--max-robots-bytes 512000";
const ONE_LONGER: &str = "; 1 robots.txt file longer than the parsing limit\n";

/// A robots.txt with a rule before and one after the limit, alone and as a capture, and what the commands need besides.
fn folder() -> Folder {
    let comments = "# a comment\n".repeat(512_000 / 12);
    let body = format!("User-agent: *\nDisallow: /early\n{comments}Crawl-delay: 7\nDisallow: /late\n");
    let capture = serde_json::json!({"host": "a.example", "body": body, "time": "2026-11-01T00:00:00Z"});
    let log = "192.0.2.1 - - [02/Nov/2026:00:00:00 +0000] \"GET /late HTTP/1.1\" 200 5 \"-\" \"ABot/1.0\"\n";
    Folder::with(&[
        ("robots.txt", body.as_str()),
        ("short.txt", "User-agent: *\nDisallow: /early\n"),
        ("a.jsonl", &format!("{capture}\n")),
        ("urls", "https://a.example/early\nhttps://a.example/late\n"),
        ("log", log),
    ])
}

#[test]
fn of_one_longer_file_the_lines_within_the_limit_count() {
    let folder = folder();
    let note = "note: robots.txt: longer than the parsing limit of 512000 bytes\n";
    for dialect in ["rfc9309", "google"] {
        for (command, whole, cut) in [
            ("check /early /late", "disallow\t/early\ndisallow\t/late\n", "disallow\t/early\nallow\t/late\n"),
            ("explain /late", "line 42670 decides", "no rule of the group matches"),
            ("permissions /late", "robots.txt:42670: Disallow: /late", "nothing is said about: crawl"),
            ("debug", "/late", "/early"),
        ] {
            let line = format!("{command} --agent A --robots robots.txt --dialect {dialect}");
            let ran = folder.run(&line);
            assert!(ran.out.contains(whole), "{line}: {}", ran.out);
            assert_eq!(ran.err, "", "{line}");
            let ran = folder.run(&format!("{line} {LIMIT}"));
            assert!(ran.out.contains(cut) && !ran.out.contains("Disallow: /late"), "{line}: {}", ran.out);
            assert_eq!(ran.err, note, "{line}");
        }
        let line = format!("lint --format json --dialect {dialect} robots.txt");
        assert!(folder.run(&line).out.contains("over-500-kib"));
        assert!(!folder.run(&format!("{line} {LIMIT}")).out.contains("over-500-kib"));
    }
}

#[test]
fn commands_of_many_sites_report_longer_files() {
    let folder = folder();
    let captures = "--robots a.jsonl";
    for (line, whole, cut) in [
        (format!("pace --agent A {captures}"), "\t7\t", "site\t"),
        (format!("score {captures} --host a.example --json log"), "\"disallowed\":1", "\"disallowed\":0"),
        (
            format!("compare --agent A {captures} --dialect rfc9309 --dialect google urls"),
            "0 answered differently",
            "0 answered differently",
        ),
        (format!("filter --agent A {captures} --output disallowed urls"), "/late\n", "/early\n"),
    ] {
        let ran = folder.run(&line);
        assert!(ran.out.contains(whole) && !ran.err.contains("longer"), "{line}: {} {}", ran.out, ran.err);
        let ran = folder.run(&format!("{line} {LIMIT}"));
        assert!(ran.out.contains(cut), "{line}: {}", ran.out);
        assert!(whole == cut || !ran.out.contains(whole), "{line}: {}", ran.out);
        assert!(ran.err.ends_with(ONE_LONGER), "{line}: {}", ran.err);
    }
}

#[test]
fn a_limit_of_both_sides_is_that_of_a_diff() {
    let folder = folder();
    let captured = "a.jsonl short.txt --host a.example";
    for (line, longer) in [
        ("diff robots.txt short.txt", "robots.txt"),
        ("diff --agent A robots.txt short.txt", "robots.txt"),
        (&format!("diff {captured}"), "a.jsonl"),
        (&format!("diff --agent A {captured} urls"), "a.jsonl"),
    ] {
        assert_eq!(folder.run(line).code, Some(1), "{line}");
        let ran = folder.run(&format!("{line} {LIMIT}"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.out);
        assert_eq!(ran.err, format!("note: {longer}: 1 robots.txt file longer than the parsing limit\n"));
    }
}

#[test]
fn evidence_is_verified_with_the_limit_of_its_policies() {
    let folder = folder();
    folder.run(&format!("compile a.jsonl --agent A -o p.bundle {LIMIT}"));
    for (policies, of_bundle, counts) in [
        ("--policies p.bundle", "--of-bundle", "2 lines: 2 verified, 2 without a hash\n"),
        (&format!("--robots a.jsonl {LIMIT}"), "", "2 lines: 2 verified\n"),
    ] {
        let ran = folder.run(&format!("filter --agent A {policies} --evidence e.jsonl urls"));
        assert_eq!((ran.code, &*ran.out), (Some(0), "https://a.example/late\n"), "{}", ran.err);
        let verify = format!("verify-evidence e.jsonl --robots a.jsonl {of_bundle}");
        assert_eq!(folder.run(&verify).code, Some(1));
        let ran = folder.run(&format!("{verify} {LIMIT}"));
        assert_eq!((ran.code, &*ran.err), (Some(0), counts));
    }
}

#[test]
fn a_bundle_has_its_own_limit() {
    let folder = folder();
    folder.run("compile a.jsonl --agent A -o p.bundle");
    for line in [
        "filter --agent A --policies p.bundle urls",
        "filter --agent A --robots p.bundle urls",
        "compile p.bundle --agent A -o q.bundle",
        "pace --agent A --policies p.bundle",
        "score --policies p.bundle log",
        "diff p.bundle p.bundle",
    ] {
        let ran = folder.run(&format!("{line} {LIMIT}"));
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{line}");
        let error = "error: p.bundle: a bundle was compiled with its own limit of bytes (leave --max-robots-bytes out";
        assert!(ran.err.starts_with(error), "{line}: {}", ran.err);
    }
}

#[test]
fn limits_outside_the_bounds_are_refused() {
    let folder = folder();
    for bytes in ["0", "511999", "4294967295", "99999999999999999999", "500K", "-1"] {
        let ran =
            folder.run(&format!("check --agent A --robots robots.txt --max-robots-bytes={bytes} /late"));
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{bytes}");
        assert!(ran.err.contains("--max-robots-bytes"), "{}", ran.err);
    }
    let ran = folder.run("check --agent A --robots robots.txt --max-robots-bytes 4294967294 /late");
    assert_eq!(ran.out, "disallow\t/late\n");
}
