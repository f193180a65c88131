//! Tests the whole program over a corpus of a few lines.

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
        |body: &str| Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
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

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench")).args(arguments).output().unwrap()
}

fn log(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn benchmarks_are_listed_with_their_purpose() {
    let output = bench(&["list", "check-hot"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", log(&output));
    for word in ["check-hot/real", "check-hot/generated", "fast-robots", "robomata/store"] {
        assert!(text.contains(word), "{word} is missing: {text}");
    }
}

#[test]
fn a_small_run_verifies_and_shows_every_engine() {
    let output = bench(&["test", "check-hot/real-evened"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", log(&output));
    for engine in ["robomata/store", "robomata/program", "aho-corasick", "fast-robots", "robotstxt"] {
        assert!(text.contains(&format!("| {engine} ")), "{engine} is missing: {text}");
    }
    assert!(text.contains("1 runs, all answers as expected"), "{text}");
}

const DEFINITION: &str = r#"
model = "check-hot"
base = "robomata/store"
analysis = "The samples."

[[bench]]
name = "samples"
corpus = "samples"
test-corpus = "samples"
agent = "ExampleBot"
dialect = "rfc9309"
engines = ["robomata/store", "robomata/program"]
analysis = "All of them."
"#;

#[test]
fn nothing_is_timed_when_an_answer_is_not_the_committed_one() {
    let directory = tempfile::tempdir().unwrap();
    let answers = directory.path().join("answers.toml");
    fs::write(directory.path().join("check-hot.toml"), DEFINITION).unwrap();
    let place = directory.path().to_str().unwrap();

    let output = bench(&["test", "--definitions", place]);
    assert!(log(&output).contains("no answers for"), "{}", log(&output));
    assert!(bench(&["update", "--definitions", place]).status.success());
    let output = bench(&["test", "--definitions", place]);
    assert!(output.status.success(), "{}", log(&output));

    let text = fs::read_to_string(&answers).unwrap();
    let digest = text.lines().find(|line| line.starts_with("xxh3")).unwrap();
    fs::write(&answers, text.replace(digest, "xxh3 = \"0\"")).unwrap();
    let output = bench(&["test", "--definitions", place]);
    assert_eq!(output.status.code(), Some(1));
    assert!(log(&output).contains("robomata/store gave"), "{}", log(&output));
    assert!(!log(&output).contains("timing"), "{}", log(&output));
}

#[test]
fn an_unreadable_corpus_is_reported_with_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().to_str().unwrap().to_owned();
    let definitions = tempfile::tempdir().unwrap();
    let definition = DEFINITION.replace("test-corpus = \"samples\"", "test-corpus = \"real\"");
    fs::write(definitions.path().join("check-hot.toml"), definition).unwrap();
    let definitions = definitions.path().to_str().unwrap();
    let fails_with = |message: &str| {
        let output = bench(&["test", "--definitions", definitions, "--corpus", &place]);
        assert_eq!(output.status.code(), Some(1));
        assert!(log(&output).contains(message), "{}", log(&output));
    };
    fails_with("robots.jsonl.zst");
    corpus(directory.path(), "DDD\t2\nAAA\t2\n");
    fails_with("urls.tsv.zst:3: expected a verdict for every URL");
    corpus(directory.path(), "DDD\t2\nAXA\n");
    fails_with("google_verdicts.tsv.zst:2: expected three letters");

    fs::remove_dir_all(directory.path()).unwrap();
    fails_with("expected a directory with a corpus");
}
