//! The whole program over a corpus of a few lines.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use sha2::{Digest, Sha256};

const CLOSED: &str = "User-agent: *\nDisallow: /private*\nAllow: /private/press$\n";
const OPEN: &str = "User-agent: Googlebot\nDisallow:\n";

fn write(path: &Path, text: &str) {
    let mut output = robomata_formats::Output::create(path).unwrap();
    output.write_all(text.as_bytes()).unwrap();
    output.commit().unwrap();
}

/// Two bodies and three URLs, with these verdicts.
fn corpus(directory: &Path, verdicts: &str) {
    let json =
        |body: &str| format!("{{\"host\": \"a.example\", \"body\": \"{}\"}}\n", body.replace('\n', "\\n"));
    let sha256 =
        |body: &str| Sha256::digest(body).iter().map(|octet| format!("{octet:02x}")).collect::<String>();
    let url = |body: &str, url: &str| format!("a.example\t{}\t{url}\n", sha256(body));
    let urls = [
        url(CLOSED, "https://a.example/private/x"),
        url(OPEN, "https://b.example/"),
        url(CLOSED, "https://a.example/private/press"),
    ];
    write(&directory.join("robots.jsonl.zst"), &[CLOSED, OPEN, CLOSED].map(json).concat());
    write(&directory.join("urls.tsv.zst"), &urls.concat());
    write(&directory.join("google_verdicts.tsv.zst"), verdicts);
}

fn peers(directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_peers")).args(["--test", "--corpus"]).arg(directory).output().unwrap()
}

#[test]
fn everything_is_verified_timed_and_weighed() {
    let directory = tempfile::tempdir().unwrap();
    corpus(directory.path(), "DDD\t2\nAAA\t2\nAAA\t3\n");
    let output = peers(directory.path());
    let (report, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{report}{log}");
    assert!(report.contains("2 distinct bodies"), "{report}");
    assert!(report.contains("It forbids 1 of 3 URLs."), "{report}");
    for engine in ["robomata, store, URL", "fast-robots, matcher", "texting_robots", "robotxt", "robotstxt"] {
        assert!(report.contains(&format!("| {engine} | ")), "{engine} is missing: {report}");
    }
    assert!(report.contains("ns a check over 3 URLs"), "{report}");
    assert!(report.contains("| 2 distinct programs | "), "{report}");
}

#[test]
fn nothing_is_timed_when_an_answer_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    corpus(directory.path(), "ADD\t2\nAAA\t2\nAAA\t3\n");
    let output = peers(directory.path());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing is timed"));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("## Times"));
}

#[test]
fn a_corpus_that_cannot_be_read_is_told_with_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let fails_with = |message: &str| {
        let output = peers(directory.path());
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{log}");
        assert!(log.contains(message), "{log}");
    };
    fails_with("robots.jsonl.zst");
    corpus(directory.path(), "DDD\t2\nAAA\t2\n");
    fails_with("urls.tsv.zst:3: expected a verdict for every URL");
    corpus(directory.path(), "DDD\t2\nAXA\n");
    fails_with("google_verdicts.tsv.zst:2: expected three letters");

    fs::remove_dir_all(directory.path()).unwrap();
    fails_with("expected a directory with a corpus");
}
