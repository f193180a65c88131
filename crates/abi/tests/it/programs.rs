//! Programs in C, C++ and Python.

use std::io::Write as _;
use std::process::{Command, Stdio};

use robomata::PolicySet;
use robomata_testkit::shared::shared_folder;

use crate::{Installed, folder, run};

const BODY: &str = "User-agent: *\nDisallow: /private\nCrawl-delay: 1.5\n";
const C: [&str; 2] = ["gcc", "-std=c99"];
const CPP: [&str; 2] = ["g++", "-std=c++17"];

#[test]
fn the_example_in_c_checks_urls() {
    let installed = Installed::new();
    let robots = installed.path("robots.txt");
    std::fs::write(&robots, BODY).unwrap();
    for (compiler, is_static) in [(C, false), (C, true), (["g++", "-xc++"], false)] {
        let program = installed.compile(&compiler, &folder().join("examples/check.c"), is_static);
        let mut command = Command::new(&program);
        command.arg(&robots).args([
            "ExampleBot",
            "/private/a",
            "https://example.com/",
            "mailto:a@example.com",
        ]);
        let output = command.output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let (verdicts, summary) = shown.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(
            verdicts,
            "disallow 2 /private/a\nallow 0 https://example.com/\ninvalid 0 mailto:a@example.com"
        );
        assert!(summary.contains("\"crawl_delay\":1.5"), "{summary}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn the_example_in_c_checks_batches_without_errors_of_memory() {
    let installed = Installed::new();
    let mut builder = PolicySet::builder().agent("ExampleBot");
    builder.insert("https://example.com", BODY).unwrap();
    let bundle = installed.path("policies.bundle");
    builder.build().save(&bundle).unwrap();
    let program = installed.compile(&C, &folder().join("examples/batch.c"), false);

    let judge_lines = |command: &mut Command, agent: &str, lines: &[u8]| {
        command.arg(&bundle).arg(agent).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The program may end before it has read them all.
        let _ = child.stdin.take().unwrap().write_all(lines);
        child.wait_with_output().unwrap()
    };
    let urls = "https://example.com/private\nhttps://example.com/\nhttps://example.org/\n\n".repeat(5_000);
    let judge = |command: &mut Command, agent: &str| judge_lines(command, agent, urls.as_bytes());
    let output = judge(&mut Command::new(&program), "ExampleBot");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = "disallow 2 https://example.com/private\nallow 0 https://example.com/\n\
                    unknown 0 https://example.org/\ninvalid 0 \n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected.repeat(5_000));

    // Only the end of a line is cut off. A carriage return elsewhere is part of the URL, which is then none.
    let lines = b"https://example.com/\r\n\r\nhttps://example.com/a\r/private\nhttps://example.com/\r\r\nhttps://example.com/private";
    let output = judge_lines(&mut Command::new(&program), "ExampleBot", lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = "allow 0 https://example.com/\ninvalid 0 \ninvalid 0 https://example.com/a\r/private\n\
                    invalid 0 https://example.com/\r\ndisallow 2 https://example.com/private\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    for nul in [&b"https://example.com/\0private\n"[..], b"https://example.com/\0private"] {
        let output = judge_lines(&mut Command::new(&program), "ExampleBot", nul);
        assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]));
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("a line contains a NUL"));
    }

    let output = judge(&mut Command::new(&program), "OtherBot");
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("the policies hold no crawler 'OtherBot'"), "{error}");

    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("valgrind is missing: the memory of programs in C is not checked");
        return;
    }
    let mut valgrind = Command::new("valgrind");
    // Threads of a pool live until the program ends, and what they hold is reachable.
    valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
    let output = judge(valgrind.env("RAYON_NUM_THREADS", "1").arg(&program), "ExampleBot");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_forked_process_checks_batches_with_threads_of_its_own() {
    let installed = Installed::new();
    let mut builder = PolicySet::builder().agent("ExampleBot");
    builder.insert("https://example.com", BODY).unwrap();
    let bundle = installed.path("policies.bundle");
    builder.build().save(&bundle).unwrap();
    let program = installed.compile(&C, &folder().join("tests/fork.c"), false);
    assert_eq!(run(Command::new(program).env("RAYON_NUM_THREADS", "4").arg(bundle)), "40000\n".repeat(4));
}

#[test]
fn the_example_in_cpp_checks_urls() {
    let installed = Installed::new();
    let robots = installed.path("robots.txt");
    std::fs::write(&robots, BODY).unwrap();
    let program = installed.compile(&CPP, &folder().join("examples/check.cpp"), false);
    let output =
        Command::new(&program).arg(&robots).args(["ExampleBot", "/private/a", "/"]).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "not allowed, line 2: /private/a\nallowed, line 0: /\n"
    );
    let output = Command::new(&program).arg(&robots).args(["", "/"]).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]));
    for unreadable in [installed.path("lib"), installed.path("missing.txt")] {
        let output = Command::new(&program).arg(&unreadable).args(["ExampleBot", "/"]).output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]));
        let error = format!("{}: cannot be read\n", unreadable.display());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), error);
    }
}

#[test]
fn python_calls_the_library_by_ctypes() {
    let installed = Installed::new();
    let library = installed.path("lib/librobomata.so.1");
    assert_eq!(run(Command::new("python3").arg(folder().join("tests/check.py")).arg(library)), "ok\n");
}

/// A question to Google's parser: robots.txt, user agent, URL.
type Question = (Vec<u8>, Vec<u8>, Vec<u8>);

/// The answers of the class that mirrors google/robotstxt.
fn matched(installed: &Installed, questions: &[Question]) -> Vec<String> {
    let program = installed.compile(&CPP, &folder().join("tests/matcher.cpp"), false);
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines: String = questions
        .iter()
        .map(|(robots, agent, url)| [robots, agent, url].map(|text| hexadecimal(text)).join("\t") + "\n")
        .collect();
    let input = installed.path("questions.tsv");
    std::fs::write(&input, lines).unwrap();
    let answers = run(Command::new(program).stdin(std::fs::File::open(input).unwrap()));
    answers.lines().map(str::to_owned).collect()
}

#[test]
fn the_matcher_of_google_answers_as_it_does() {
    let installed = Installed::new();
    let question = |robots: &str, agent: &str, url: &str| {
        (robots.as_bytes().to_vec(), agent.as_bytes().to_vec(), url.as_bytes().to_vec())
    };
    let foo = "user-agent: FooBot\ndisallow: /\n";
    let all = "user-agent: *\ndisallow: /a\nallow: /a/b\n";
    let answers = matched(
        &installed,
        &[
            question("", "FooBot", ""),
            question(foo, "", ""),
            question(foo, "FooBot", ""),
            question("", "", ""),
            question(foo, "FooBot/2.1", "http://foo.bar/"),
            question(all, "FooBot", "foo.bar/a"),
            question(all, "FooBot", "http://foo.bar/a/b"),
            // What is no text ends no program, and is not answered as the URL before.
            question("PK\u{3}\u{4}", "FooBot", "http://foo.bar/a/b"),
            question("WARC/1.0\r\n", "FooBot/2.1", "http://foo.bar/"),
            (vec![0x1f, 0x8b, 8], b"FooBot".into(), b"http://foo.bar/".into()),
            question("", "FooBot", "http://foo.bar/"),
        ],
    );
    let texts = ["allow 0", "allow 0", "disallow 2", "allow 0", "allow 0", "disallow 2", "allow 3"];
    assert_eq!(answers[..7], texts);
    assert_eq!(answers[7..], ["disallow 0", "disallow 0", "disallow 0", "allow 0"]);
}

#[test]
fn the_public_cases_of_google_pass_through_its_class() {
    let Some(cases) = shared_folder("conformance/cases") else { return };
    let text = std::fs::read_to_string(cases.join("google-robotstxt.jsonl")).unwrap();
    let mut questions = Vec::new();
    let mut expected = Vec::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case[name].as_str().unwrap_or_else(|| panic!("{name}: {case}"));
        let Some(url) = case["url"].as_str() else { continue };
        questions.push((decoded(field("robots_b64")), field("agent").into(), url.into()));
        expected.push((field("id").to_owned(), field("expect").to_owned()));
    }
    assert!(questions.len() > 100);
    let answers = matched(&Installed::new(), &questions);
    assert_eq!(answers.len(), questions.len());
    let wrong: Vec<_> = expected
        .iter()
        .zip(&answers)
        .filter(|((_, expected), answer)| !answer.starts_with(expected))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, vec![]);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        let value = ALPHABET.iter().position(|&letter| letter == byte).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF).to_le_bytes()[0]);
        }
    }
    bytes
}
