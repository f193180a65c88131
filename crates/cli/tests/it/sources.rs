//! Kinds of SOURCEs, and messages about unusable ones.

mod kinds;
mod times;

use crate::support::{Folder, Ran, record};

const ROBOTS: &str = "User-agent: *\nDisallow: /private\n";
const URLS: &str = "http://example.com/private\nhttps://example.com/private\nhttps://example.com/\nhttps://other.example/private\n";
const LOG: &str = "192.0.2.1 - - [15/Jan/2024:00:00:00 +0000] \"GET /private HTTP/1.1\" 200 5 \"-\" \"ExampleBot/1.0 (+http://bot.example)\"\n";

/// Commands that read a source, `{}`, and write `out`.
const READERS: [&str; 4] = [
    "filter --agent A --robots {} urls --to out",
    "score --latest --robots {} hosts.log --to out",
    "compare --agent A --robots {} hosts --to out",
    "compile {} --agent A -o out",
];

fn folder() -> Folder {
    let folder = Folder::with(&[("robots.txt", ROBOTS), ("urls", URLS), ("access.log", LOG)]);
    folder.write("hosts", "https://h0.example/\n");
    folder.write("hosts.log", format!("h0.example {LOG}"));
    folder
}

/// Runs each command with `source`; each fails with `code` and exactly this last line, and writes nothing.
fn all_fail(folder: &Folder, source: &str, code: i32, message: &str) {
    for line in READERS {
        let line = line.replace("{}", source);
        let ran = folder.run(&line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{line}: {}", ran.err);
        assert_eq!(ran.err.lines().last(), Some(&*format!("error: {message}")), "{line}");
        assert!(!folder.path("out").exists(), "{line}");
    }
}

/// The URLs that a filter passes, and its messages except the closing line.
fn allowed(folder: &Folder, arguments: &str) -> Ran {
    let mut ran = folder.run(&format!("filter --agent A {arguments} urls"));
    ran.err = ran.err.split_inclusive('\n').filter(|line| !line.contains(" URLs: ")).collect();
    ran
}

#[test]
fn one_robots_txt_is_a_source_with_its_host() {
    let folder = folder();
    folder.write_compressed("one.txt.gz", ROBOTS);
    let expected = "https://example.com/\nhttps://other.example/private\n";
    for host in ["example.com", "EXAMPLE.com/x", "example.com."] {
        for robots in ["robots.txt", "one.txt.gz"] {
            let ran = allowed(&folder, &format!("--host {host} --robots {robots}"));
            assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{host}, {robots}: {}", ran.err);
        }
    }
    let ran = folder.run_with_input("filter --agent A --host example.com --robots - urls", ROBOTS);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
    let ran = folder.run("compile --host example.com robots.txt --agent A -o policies.bundle");
    assert!(ran.code == Some(0) && ran.err.contains(": 2 sites, "), "{}", ran.err);
    let ran = allowed(&folder, "--policies policies.bundle");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
    let ran = folder.run("compare --agent A --host example.com --robots robots.txt urls --stats -");
    assert!(ran.code == Some(0) && ran.out.contains("\"captures\":1"), "{}{}", ran.out, ran.err);
    let ran = folder.run("score --latest --host https://example.com/ --robots robots.txt access.log --json");
    assert!(ran.code == Some(1) && ran.out.contains("\"disallowed\":1"), "{}{}", ran.out, ran.err);
    // Captures among the sources name their own sites.
    folder.write("other.jsonl", "{\"host\": \"other.example\", \"body\": \"User-agent: *\\nDisallow: /\"}\n");
    let ran = allowed(&folder, "--host example.com --robots robots.txt --robots other.jsonl");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://example.com/\n"));
}

#[test]
fn a_host_that_is_a_url_names_one_site() {
    let folder = folder();
    let captured = r#"{"url": "https://example.com/robots.txt", "body": "User-agent: *\nDisallow: /private", "time": "2024-01-01"}"#;
    folder.write("captured.jsonl", captured);
    folder.write("open", "User-agent: *\nAllow: /\n");
    folder.write("closed", "User-agent: *\nDisallow: /\n");
    folder.write("urls", "https://example.com/private\n");
    // The captured rules of https://example.com stay in force.
    for host in ["http://example.com", "http://example.com:443", "https://example.com:80", "example.com:80"] {
        let ran = allowed(
            &folder,
            &format!("--host {host} --robots captured.jsonl --robots open --captured-at 2024-02-01"),
        );
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{host}: {}", ran.err);
    }
    let urls =
        ["http://example.com/", "https://example.com/", "http://example.com:443/", "https://example.com:80/"];
    folder.write("urls", urls.join("\n") + "\n");
    for (host, covered) in [
        ("example.com", [true, true, false, false]),
        ("example.com:80", [true, false, false, true]),
        ("example.com:443", [false, true, true, false]),
        ("http://example.com", [true, false, false, false]),
        ("https://example.com:443", [false, true, false, false]),
        ("http://example.com:443", [false, false, true, false]),
        ("https://example.com:80", [false, false, false, true]),
    ] {
        let ran = allowed(&folder, &format!("--host {host} --robots closed --output verdicts"));
        let verdict = |covered| if covered { "disallow\t2" } else { "unknown\t0" };
        let lines = urls.iter().zip(covered).map(|(url, covered)| format!("{}\t{url}\n", verdict(covered)));
        assert_eq!(ran.out, lines.collect::<String>(), "{host}");
    }
}

#[test]
fn the_url_of_a_host_names_the_scheme_of_requests() {
    let folder = folder();
    folder.write("closed", "User-agent: *\nDisallow: /\n");
    let score =
        |arguments: &str| folder.run(&format!("score --latest --robots closed access.log {arguments}"));
    for host in ["http://example.com", "https://example.com", "https://example.com:80"] {
        let ran = score(&format!("--host {host} --json"));
        let site = format!("\"site\":\"{host}\"");
        assert!(ran.code == Some(1) && ran.out.contains(&site), "{host}: {}{}", ran.out, ran.err);
    }
    let ran = score("--host http://example.com --scheme https");
    let message = "--scheme https: --host is a URL with the scheme http (give one of them)";
    assert!(ran.code == Some(2) && ran.err.contains(message), "{}", ran.err);
}

#[test]
fn a_host_without_a_plain_robots_txt_is_an_error() {
    let folder = folder();
    let line = "{\"host\": \"h0.example\", \"body\": \"User-agent: *\\nDisallow: /\"}\n";
    folder.write("captures.jsonl", line);
    folder.write("other.jsonl", line);
    assert_eq!(folder.run("compile captures.jsonl --agent A -o policies.bundle").code, Some(0));
    let bundle = std::fs::read(folder.path("policies.bundle")).unwrap();
    let message = |file: &str| {
        format!("error: {file}: has captures of its own, so --host does not apply (leave it out)\n")
    };
    for (line, file) in [
        ("filter --agent A --robots captures.jsonl urls", "captures.jsonl"),
        ("filter --agent A --robots captures.jsonl --robots other.jsonl urls", "captures.jsonl"),
        ("filter --agent A --robots policies.bundle urls", "policies.bundle"),
        ("compare --agent A --robots captures.jsonl urls", "captures.jsonl"),
        ("compile --agent A captures.jsonl -o policies.bundle", "captures.jsonl"),
        ("compile other.jsonl --onto policies.bundle -o policies.bundle", "other.jsonl"),
    ] {
        let ran = folder.run(&format!("{line} --quiet --host example.com"));
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", message(file)), "{line}");
    }
    assert_eq!(std::fs::read(folder.path("policies.bundle")).unwrap(), bundle);
    let ran = folder.run_with_input("filter --agent A --host example.com --robots - urls", line);
    assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(2), "", message("<stdin>")));
    // The log needs the host.
    let ran = folder.run("score --latest --host h0.example --robots captures.jsonl access.log");
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
}

#[test]
fn one_robots_txt_without_a_host_is_an_error() {
    let folder = folder();
    folder.write("rules", format!("# A robots.txt by any name\n{ROBOTS}"));
    folder.write("empty/robots.txt", "");
    for name in ["robots.txt", "rules", "empty/robots.txt"] {
        let message = format!(
            "{name}: no captures found; this looks like a single robots.txt (name its site with --host)"
        );
        all_fail(&folder, name, 2, &message);
        // There are no other messages.
        let ran = allowed(&folder, &format!("--robots {name}"));
        assert_eq!(ran.err, format!("error: {message}\n"));
    }
    let message = "robots.txt and rules: both look like a single robots.txt, and --host names one site (give one of them)";
    let ran = allowed(&folder, "--host example.com --robots robots.txt --robots rules");
    assert_eq!((ran.code, ran.err), (Some(2), format!("error: {message}\n")));
    let ran = allowed(&folder, "--host not:a:host --robots robots.txt");
    assert!(
        ran.code == Some(2) && ran.err.contains("invalid value 'not:a:host' for '--host <HOST>'"),
        "{}",
        ran.err
    );
    // A file that is not a robots.txt is not one with --host either.
    folder.write("captures", "{\"domain\": \"example.com\", \"content\": \"\"}\n");
    assert_eq!(allowed(&folder, "--host example.com --robots captures").code, Some(2));
}

#[test]
fn a_missing_source_names_what_may_be_given() {
    let folder = folder();
    for line in ["filter --agent A urls", "score access.log"] {
        let ran = folder.run(line);
        assert!(
            ran.code == Some(2) && ran.err.contains("<--robots <SOURCE>|--policies <BUNDLE>>"),
            "{}",
            ran.err
        );
    }
    let ran = folder.run("compare --agent A urls");
    assert!(ran.code == Some(2) && ran.err.contains("--robots <SOURCE>"), "{}", ran.err);
}

#[test]
fn a_source_without_a_usable_capture_is_an_error() {
    let folder = folder();
    std::fs::create_dir(folder.path("nothing")).unwrap();
    folder.write("empty.jsonl", "");
    folder.write("empty.tsv", "");
    folder
        .write("keys.jsonl", "{\"domain\": \"a.example\", \"content\": \"\"}\n{\"domain\": \"b.example\"}\n");
    folder.write("keys.tsv", "domain\ttext\na.example\tx\n");
    folder.write("named/a.example.txt", ROBOTS);
    folder.write("one/robots.txt", ROBOTS);
    folder.write("deep/mirror/a.example/robots.txt", ROBOTS);
    folder.write("page.warc", record("http://a.example/", ROBOTS));
    for (source, why) in [
        ("nothing", "the directory is empty (expected files named by host, or HOST/robots.txt)"),
        (
            "empty.jsonl",
            "it has no entries (expected a capture on each line or in each row, with \"host\" or \"url\", and \"body\")",
        ),
        (
            "empty.tsv",
            "it has no entries (expected a capture on each line or in each row, with \"host\" or \"url\", and \"body\")",
        ),
        (
            "keys.jsonl",
            "none of 2 entries can be used; the first: keys.jsonl:1: expected a key \"host\" or \"url\", found \"content\", \"domain\"; keys.jsonl:2: expected a key \"host\" or \"url\", found \"domain\"",
        ),
        (
            "keys.tsv",
            "the only entry cannot be used: keys.tsv:1: expected a column \"host\" or \"url\" in the first line, found \"domain\", \"text\"",
        ),
        (
            "named",
            "the only entry cannot be used: named/a.example.txt: expected a file named by its host, or HOST/robots.txt, found \"a.example.txt\"; it is skipped",
        ),
        (
            "one",
            "the only entry cannot be used: one/robots.txt: expected a file named by its host, or HOST/robots.txt, found \"robots.txt\"; it is skipped",
        ),
        (
            "deep",
            "the only entry cannot be used: deep/mirror: expected a robots.txt, in a file named by its host or as HOST/robots.txt, found a directory without one; it is skipped",
        ),
        ("page.warc", "no record is the response for a site's /robots.txt"),
    ] {
        all_fail(&folder, source, 2, &format!("{source}: no captures found; {why}"));
    }
    // Each of several sources must have a capture, except archives of a crawl.
    folder.write("good.jsonl", "{\"host\": \"example.com\", \"body\": \"User-agent: *\\nDisallow: /\"}\n");
    let ran = allowed(&folder, "--robots good.jsonl --robots empty.jsonl");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let ran = allowed(&folder, "--robots good.jsonl --robots page.warc");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://other.example/private\n"), "{}", ran.err);
}

/// A fetch that failed leaves such a file.
#[test]
fn files_of_no_bytes_in_a_directory_are_counted_in_a_warning() {
    let folder = folder();
    let warning =
        |ran: &Ran| ran.err.lines().find(|line| line.starts_with("warning: ")).unwrap_or("").to_owned();
    folder.write("sites/a.example", ROBOTS);
    assert_eq!(warning(&folder.run("compile sites --agent A -o out")), "");
    folder.write("sites/b.example", "");
    let message = "warning: 1 file of a directory has no bytes: it counts as an empty robots.txt, which allows everything (remove what a failed fetch left)";
    assert_eq!(warning(&folder.run("compile sites --agent A -o out")), message);
    folder.write("sites/c.example/robots.txt", "");
    let message = "warning: 2 files of directories have no bytes: they count as an empty robots.txt, which allows everything (remove what a failed fetch left)";
    assert_eq!(warning(&allowed(&folder, "--robots sites")), message);
    // Next to a single robots.txt, too. Files of a directory may be anything that sites send.
    folder.write("sites/d.example", URLS);
    let ran = allowed(&folder, "--host example.com --robots robots.txt --robots sites");
    assert_eq!((ran.code, ran.err), (Some(0), message.to_owned() + "\n"));
}

/// All of its sites would be unknown, and all of their URLs kept.
#[test]
fn a_directory_of_files_of_captures_is_an_error() {
    let folder = folder();
    let line = "{\"host\": \"example.com\", \"body\": \"User-agent: *\\nDisallow: /\"}\n";
    folder.write("spark/part-00000", line);
    folder.write("spark/_SUCCESS", "");
    folder.write("samples/README.md", "# Samples\n");
    folder.write("samples/robots.jsonl", line);
    for (source, file, found) in [
        ("spark", "spark/part-00000", "captures"),
        ("samples", "samples/robots.jsonl", "the name of a file of captures"),
    ] {
        let message = format!(
            "{file}: expected the robots.txt of a host, as in all files of a directory, found {found} (if these are files of captures, name the files: {source}/*; otherwise remove this one)"
        );
        all_fail(&folder, source, 2, &message);
    }
}

#[test]
fn a_mirror_is_a_source() {
    let folder = folder();
    for host in ["example.com", "a.example:8080", "b.example+8443"] {
        folder.write(&format!("mirror/{host}/robots.txt"), ROBOTS);
        folder.write(&format!("mirror/{host}/index.html"), "<html>");
    }
    let urls = "http://example.com/private\nhttps://a.example:8080/private\nhttp://a.example/private\nhttp://b.example:8443/private\n";
    folder.write("urls", urls);
    let ran = allowed(&folder, "--robots mirror");
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "http://a.example/private\n", ""));
    // A host that sent no robots.txt has a directory without one.
    folder.write("mirror/c.example/index.html", "<html>");
    let ran = allowed(&folder, "--robots mirror");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "http://a.example/private\n"));
    assert!(ran.err.starts_with("warning: mirror/c.example: expected a robots.txt"), "{}", ran.err);
}

/// A source of many sites, compressed according to the name, and truncated by a third.
fn write_cut(folder: &Folder, name: &str) {
    let numbers = (0..8_000_u32).map(|number| number.wrapping_mul(2_654_435_761));
    let line = |n| format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{n}\"}}\n");
    folder.write_compressed(name, numbers.map(line).collect::<String>());
    let whole = std::fs::read(folder.path(name)).unwrap();
    std::fs::write(folder.path(name), &whole[..whole.len() / 3 * 2]).unwrap();
}

#[test]
fn a_source_that_ends_early_is_an_error_of_its_own() {
    let folder = folder();
    folder.run("compile --host example.com robots.txt --agent A -o policies.bundle");
    let before = std::fs::read(folder.path("policies.bundle")).unwrap();
    for ending in ["gz", "zst"] {
        let name = format!("cut.jsonl.{ending}");
        write_cut(&folder, &name);
        let compression = if ending == "gz" { "gzip" } else { "zstd" };
        let error = format!("expected the rest of the {compression} data, found the end of the file");
        for line in READERS {
            let line = line.replace("{}", &name);
            let ran = folder.run(&line);
            assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{line}: {}", ran.err);
            let advice =
                "; the input is incomplete, and nothing was written (--partial uses what could be read)\n";
            assert!(
                ran.err.starts_with(&format!("error: {name}:"))
                    && ran.err.ends_with(&(error.clone() + advice)),
                "{line}: {}",
                ran.err
            );
            assert!(!folder.path("out").exists(), "{line}");
            // The same with --strict.
            let option = if line.starts_with("compile") { "-o" } else { "--to" };
            assert_eq!(
                folder.run(&line.replace(option, &format!("--strict {option}"))).code,
                Some(4),
                "{line}"
            );
            let ran = folder.run(&format!("{line} --partial"));
            assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
            assert!(
                ran.err.starts_with(&format!("warning: {name}:")) && ran.err.contains(&error),
                "{}",
                ran.err
            );
            std::fs::remove_file(folder.path("out")).unwrap();
        }
        // An existing bundle does not change.
        for line in ["--agent A", "--onto policies.bundle"] {
            let ran = folder.run(&format!("compile {name} {line} -o policies.bundle"));
            assert_eq!(ran.code, Some(4), "{}", ran.err);
            assert!(std::fs::read(folder.path("policies.bundle")).unwrap() == before);
        }
    }
    // One of a directory's files.
    folder.write("sites/example.com", ROBOTS);
    write_cut(&folder, "sites/other.example.gz");
    let ran = allowed(&folder, "--robots sites");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
    // A bundle.
    folder.write("cut.bundle", &before[..before.len() / 2]);
    for line in
        ["compile --host a.example robots.txt --onto cut.bundle -o out", "shard cut.bundle -n 2 -o out"]
    {
        let ran = folder.run(line);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(ran.err.starts_with("error: cut.bundle: not a valid policy bundle"), "{line}: {}", ran.err);
        assert!(!folder.names().iter().any(|name| name.starts_with("out")), "{line}");
    }
}

#[test]
fn damage_is_a_warning_if_it_hides_no_capture() {
    let folder = folder();
    let good = record("https://example.com/robots.txt", ROBOTS);
    let broken =
        record("https://b.example/robots.txt", ROBOTS).replace("Content-Length: ", "Content-Length: 9999999");
    folder.write("damaged.warc", [&*broken, &*good].concat());
    folder.write(
        "damaged.jsonl",
        "{\"host\": \"example.com\", \"body\": \"User-agent: *\\nDisallow: /\"}\n{\"host\": \"b.example\", \"bo\n",
    );
    let ran = allowed(&folder, "--robots damaged.jsonl");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.starts_with("warning: damaged.jsonl:"), "{}", ran.err);
    // A wrong length may hide the records after it.
    let ran = allowed(&folder, "--robots damaged.warc");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
    assert!(ran.err.starts_with("error: damaged.warc: record 1, "), "{}", ran.err);
    // The rest of the archive after the damage cannot be read.
    folder.write("cut.warc", &[&*good, &*good].concat()[..good.len() + 90]);
    assert_eq!(allowed(&folder, "--robots cut.warc").code, Some(4));
}

#[test]
fn captures_have_their_times_at_every_common_key() {
    let folder = folder();
    let body = |rule: &str| format!("\"body\": \"User-agent: *\\nDisallow: /{rule}\"");
    for key in ["time", "timestamp", "date", "fetched_at", "fetch_time"] {
        for (old, new) in [
            ("\"2023-01-01T00:00:00Z\"", "\"2024-01-01T00:00:00+02:00\""),
            ("\"20230101000000\"", "\"20240101000000\""),
            ("1672531200", "1704067200.5"),
        ] {
            folder.write(
                "captures.jsonl",
                format!(
                    "{{\"host\": \"example.com\", \"{key}\": {new}, {}}}\n{{\"host\": \"example.com\", \"{key}\": {old}, {}}}\n",
                    body("private"),
                    body("old")
                ),
            );
            let ran = allowed(&folder, "--robots captures.jsonl");
            let expected = "https://example.com/\nhttps://other.example/private\n";
            assert_eq!(
                (ran.code, ran.out.as_str(), ran.err.as_str()),
                (Some(0), expected, ""),
                "{key} {old}"
            );
            let text = |value: &str| value.trim_matches('"').to_owned();
            folder.write(
                "captures.tsv",
                format!(
                    "host\t{key}\tbody\nexample.com\t{}\tUser-agent: *\\nDisallow: /private\nexample.com\t{}\tUser-agent: *\n",
                    text(new),
                    text(old)
                ),
            );
            let ran = allowed(&folder, "--robots captures.tsv");
            assert_eq!(
                (ran.code, ran.out.as_str(), ran.err.as_str()),
                (Some(0), expected, ""),
                "{key} {old}"
            );
        }
        folder.write(
            "bad.jsonl",
            format!("{{\"host\": \"example.com\", \"{key}\": \"yesterday\", {}}}\n", body("x")),
        );
        let ran = allowed(&folder, "--robots bad.jsonl");
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.err.contains(&format!(
                "expected an ISO 8601 time such as 2026-11-28, 14 digits or seconds since 1970, of the years 1994 to 2200 in \"{key}\", found \"yesterday\""
            )),
            "{}",
            ran.err
        );
    }
}

#[test]
fn captures_without_a_time_are_named_when_their_order_decides() {
    let folder = folder();
    let line = |host: &str, time: &str, rule: &str| {
        format!("{{\"host\": \"{host}\", {time}\"body\": \"User-agent: *\\nDisallow: /{rule}\"}}\n")
    };
    let time = "\"time\": \"2024-01-01\", ";
    let warning = "several captures that differ, without a time or of the same second: the last one in the input counts (give each its own \"time\")\n";
    for (captures, said) in [
        (
            [line("example.com", "", "old"), line("example.com", "", "private")],
            format!("warning: 2 sites have {warning}"),
        ),
        ([line("example.com", "", "private"), line("example.com", "", "private")], String::new()),
        ([line("example.com", time, "private"), line("example.com", time, "private")], String::new()),
        (
            [line("example.com", time, "old"), line("example.com", time, "private")],
            format!("warning: 2 sites have {warning}"),
        ),
        ([line("example.com", "", "private"), line("b.example", "", "old")], String::new()),
    ] {
        folder.write("captures.jsonl", captures.concat());
        let ran = allowed(&folder, "--robots captures.jsonl");
        let expected = "https://example.com/\nhttps://other.example/private\n";
        assert_eq!((ran.code, ran.out.as_str(), ran.err), (Some(0), expected, said));
    }
}

#[test]
fn a_plain_robots_txt_replaces_a_dated_capture_only_with_a_time() {
    let folder = folder();
    let dated = "{\"host\": \"example.com\", \"time\": \"2024-01-01\", \"body\": \"User-agent: *\\nDisallow: /old\"}\n";
    folder.write("dated.jsonl", dated);
    folder.write("robots.txt", "User-agent: *\nDisallow: /new\n");
    assert_eq!(folder.run("compile --all-agents dated.jsonl -o p.bundle").code, Some(0));
    let onto = "compile --host example.com robots.txt --onto p.bundle -o p.bundle";
    let ran = folder.run(onto);
    let expected =
        "2 sites have captures that differ and of which one has a time and the other none, such as http";
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains(expected) && ran.err.contains("--captured-at"), "{}", ran.err);
    for (time, code) in [("2024-01-02", 0), ("tomorrow", 2), ("202401020000", 2)] {
        assert_eq!(folder.run(&format!("{onto} --captured-at {time}")).code, Some(code), "{time}");
    }
    folder.write("urls.txt", "https://example.com/new\nhttps://example.com/old\n");
    let ran = folder.run("filter -q --agent X --policies p.bundle urls.txt");
    assert_eq!(ran.out, "https://example.com/old\n", "{}", ran.err);
    // A filter of the same sources fails and succeeds alike.
    let filter = "filter -q --agent X --host example.com --robots dated.jsonl --robots robots.txt urls.txt";
    assert_eq!(folder.run(filter).code, Some(2));
    let ran = folder.run(&format!("{filter} --captured-at 2024-01-02"));
    assert_eq!(ran.out, "https://example.com/old\n", "{}", ran.err);
    // What has times of its own gets no other.
    for line in [
        "compile p.bundle --all-agents -o q.bundle",
        "diff p.bundle p.bundle",
        "diff --agent X robots.txt robots.txt",
    ] {
        let ran = folder.run(&format!("{line} --captured-at 2024-01-02"));
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{line}");
        assert!(
            ran.err.contains(": --captured-at is the time of captures, and this is a bundle or"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_capture_is_that_of_a_site_or_of_its_robots_txt_in_every_format() {
    let folder = folder();
    let body = "User-agent: *\\nDisallow: /";
    for (url, counts) in [
        ("https://example.com/robots.txt", true),
        ("https://example.com", true),
        ("https://example.com/", true),
        ("https://example.com/dir/robots.txt", false),
        ("https://example.com/ROBOTS.TXT", false),
        ("https://example.com/robots.txt?x", false),
        ("https://example.com/page", false),
    ] {
        folder.write("one.jsonl", format!("{{\"url\": \"{url}\", \"body\": \"{body}\"}}\n"));
        folder.write("one.tsv", format!("url\tbody\n{url}\t{body}\n"));
        for name in ["one.jsonl", "one.tsv"] {
            let ran = allowed(&folder, &format!("--robots {name}"));
            assert_eq!(ran.code, Some(if counts { 0 } else { 2 }), "{name}: {url}: {}", ran.err);
            let expected = format!(
                "expected the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json in \"url\", found \"{url}\""
            );
            assert!(counts || ran.err.contains(&expected), "{}", ran.err);
        }
        // A record of a site's root contains its page.
        folder.write("one.warc", record(url, ROBOTS));
        let ran = allowed(&folder, "--robots one.warc");
        let is_robots = url.ends_with("example.com/robots.txt");
        assert_eq!(ran.code, Some(if is_robots { 0 } else { 2 }), "{url}: {}", ran.err);
    }
}

#[test]
fn every_scheme_with_an_authority_has_sites() {
    let folder = folder();
    folder.write(
        "captures.jsonl",
        "{\"url\": \"ftp://ftp.example.com/robots.txt\", \"body\": \"User-agent: *\\nDisallow: /private\"}\n\
         {\"url\": \"ws://www.example.com:8080/robots.txt\", \"body\": \"User-agent: *\\nDisallow: /private\"}\n",
    );
    folder.write(
        "urls",
        "ftp://ftp.example.com/private\nFTP://ftp.example.com:21/private\nftp://ftp.example.com/open\n\
         http://ftp.example.com/private\nws://www.example.com:8080/private\nmailto:a@example.com\ndns:example.com\n",
    );
    let arguments = "--output verdicts urls";
    let expected = "disallow\t2\tftp://ftp.example.com/private\ndisallow\t2\tFTP://ftp.example.com:21/private\n\
        allow\t0\tftp://ftp.example.com/open\nunknown\t0\thttp://ftp.example.com/private\n\
        disallow\t2\tws://www.example.com:8080/private\ninvalid\t0\tmailto:a@example.com\ninvalid\t0\tdns:example.com\n";
    let ran = folder.run(&format!("filter --agent A --robots captures.jsonl {arguments}"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{}", ran.err);
    // The same applies to bundles that are extended or divided.
    assert_eq!(folder.run("compile captures.jsonl --agent A -o one.bundle").code, Some(0));
    let ran = folder.run("compile --host example.com robots.txt --onto one.bundle -o two.bundle");
    assert!(ran.code == Some(0) && ran.err.contains("two.bundle: 4 sites, "), "{}", ran.err);
    for bundle in ["one.bundle", "two.bundle"] {
        let ran = folder.run(&format!("filter --agent A --policies {bundle} {arguments}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{bundle}: {}", ran.err);
    }
    let ran = folder.run("inspect two.bundle --site ftp://ftp.example.com/x");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run("shard two.bundle -n 3 -o part").code, Some(0));
    let ran = folder.run(&format!("filter --agent A --policies part-*-of-00003.bundle {arguments}"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{}", ran.err);
}

#[test]
fn look_ups_of_hosts_in_an_archive_are_no_urls() {
    let folder = folder();
    let archive = [
        record("dns:example.com", ROBOTS),
        record("https://example.com/private", ROBOTS),
        record("no URL", ROBOTS),
    ]
    .concat();
    folder.write("crawl.warc", archive);
    let ran =
        folder.run("filter --agent A --host example.com --robots robots.txt crawl.warc --output verdicts");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "disallow\t2\thttps://example.com/private\ninvalid\t0\tno URL\n"),
        "{}",
        ran.err
    );
}

/// A capture of `host`, a line of JSON.
fn capture(host: &str) -> String {
    format!("{{\"host\": \"{host}\", \"body\": \"User-agent: *\\nDisallow: /\"}}\n")
}

/// Starts to compile the pipe `slow` onto a bundle that it replaces. Returns the pipe after the command has read its
/// content and waits for more.
#[cfg(unix)]
fn compile_slowly(folder: &Folder) -> (std::process::Child, std::fs::File) {
    use std::io::Write as _;
    assert!(std::process::Command::new("mkfifo").arg(folder.path("slow")).status().unwrap().success());
    let child = std::process::Command::new(crate::support::ROBOMATA)
        .args("compile slow --onto p.bundle -o p.bundle".split(' '))
        .current_dir(folder.path(""))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // It opens when the command opens the other end, which it does last.
    let mut pipe = std::fs::File::options().write(true).open(folder.path("slow")).unwrap();
    pipe.write_all(capture("slow.example").as_bytes()).unwrap();
    (child, pipe)
}

#[test]
#[cfg(unix)]
fn of_two_that_compile_onto_a_bundle_at_once_the_second_fails_and_nothing_is_lost() {
    let folder =
        Folder::with(&[("base.jsonl", &capture("base.example")), ("fast.jsonl", &capture("fast.example"))]);
    assert_eq!(folder.run("compile base.jsonl --agent A -o p.bundle").code, Some(0));
    let (child, pipe) = compile_slowly(&folder);
    let ran = folder.run("compile fast.jsonl --onto p.bundle -o p.bundle");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.err,
        "error: p.bundle: another process is updating this bundle (wait until it ends, then run the command again)\n"
    );
    drop(pipe);
    let first = child.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    let ran = folder.run("compile fast.jsonl --onto p.bundle -o p.bundle");
    assert!(ran.code == Some(0) && ran.err.contains("p.bundle: 6 sites, "), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_base_that_was_replaced_meanwhile_stays_as_it_is() {
    let folder =
        Folder::with(&[("base.jsonl", &capture("base.example")), ("other.jsonl", &capture("other.example"))]);
    assert_eq!(folder.run("compile base.jsonl --agent A -o p.bundle").code, Some(0));
    let (child, pipe) = compile_slowly(&folder);
    // This one does not extend a bundle.
    assert_eq!(folder.run("compile other.jsonl --agent A -o p.bundle").code, Some(0));
    let other = std::fs::read(folder.path("p.bundle")).unwrap();
    drop(pipe);
    let first = child.wait_with_output().unwrap();
    assert_eq!(first.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&first.stderr),
        "error: p.bundle: cannot be replaced: it changed during this run, and the change would be lost (run the command again)\n"
    );
    assert!(std::fs::read(folder.path("p.bundle")).unwrap() == other);
}

#[test]
fn an_unusable_source_is_one_error_with_three_samples() {
    let folder = folder();
    folder.write("bad.jsonl", "{\"domain\": \"a.example\"}\n".repeat(50));
    let ran = folder.run("filter --agent A --robots bad.jsonl urls");
    let sample =
        |line: u32| format!("bad.jsonl:{line}: expected a key \"host\" or \"url\", found \"domain\"");
    let samples = [1, 2, 3].map(sample).join("; ");
    let error = format!(
        "error: bad.jsonl: no captures found; none of 50 entries can be used; the first: {samples}\n"
    );
    assert_eq!(ran, Ran { code: Some(2), out: String::new(), err: error });
    // With one capture among them, the others are reported and counted as usual.
    let good = "{\"host\": \"a.example\", \"body\": \"#\"}\n";
    folder.write("bad.jsonl", "{\"domain\": \"a.example\"}\n".repeat(50) + good);
    let ran = folder.run("filter -q --agent A --robots bad.jsonl urls --to /dev/null --stats -");
    assert!(ran.err.starts_with(&format!("warning: {}\n", sample(1))), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 21, "{}", ran.err);
    assert!(ran.out.contains("\"bad_source_lines\":50"), "{}", ran.out);
}

#[test]
fn of_several_columns_of_times_the_name_decides() {
    let folder = folder();
    let rows = "host\tdate\ttime\tbody\n\
                a.example\t2026-05-01\t2026-01-01\tUser-agent: *\\nDisallow: /\n\
                a.example\t2026-04-01\t2026-02-01\tUser-agent: *\n\
                b.example\t2026-05-01\t\tUser-agent: *\n\
                b.example\t2026-04-01\t\\N\tUser-agent: *\\nDisallow: /\n";
    folder.write("captures.tsv", rows);
    folder.write("urls", "https://a.example/x\nhttps://b.example/x\n");
    let ran = allowed(&folder, "--robots captures.tsv");
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "https://a.example/x\nhttps://b.example/x\n"),
        "{}",
        ran.err
    );
}

#[test]
fn a_shard_does_not_replace_the_bundle_that_is_divided() {
    let folder = Folder::with(&[("base.jsonl", &capture("base.example"))]);
    assert_eq!(folder.run("compile base.jsonl --agent A -o p.bundle").code, Some(0));
    std::fs::rename(folder.path("p.bundle"), folder.path("p-00001-of-00002.bundle")).unwrap();
    let before = folder.names();
    let ran = folder.run("shard p-00001-of-00002.bundle -n 2 -o p");
    assert_eq!(ran.code, Some(2));
    let message = "error: p-00001-of-00002.bundle: the output is the input and would replace it";
    assert!(ran.err.starts_with(message), "{}", ran.err);
    assert_eq!(folder.names(), before);
}

#[test]
fn lines_of_json_that_are_cut_off_within_the_last_are_incomplete() {
    let folder = folder();
    let whole = [capture("a.example"), capture("b.example")].concat();
    folder.write("cut.jsonl", &whole[..whole.len() - 20]);
    let message = "cut.jsonl:2: expected the rest of the JSON object, found the end of the file; the input is incomplete, and nothing was written (--partial uses what could be read)";
    all_fail(&folder, "cut.jsonl", 4, message);
}

/// A capture in `line`, in an array and in a TSV whose bodies have line ends: the sites that are lost are not open.
#[test]
fn a_source_that_loses_sites_is_not_used() {
    let folder = folder();
    let good = capture("a.example");
    let pandas = "host\tstatus\tbody\nexample.com\t200\t\"User-agent: *\nDisallow: /private\n\"\n";
    let object = good.trim_end();
    for (name, text, code, message) in [
        (
            "array.json",
            format!("[\n{object},\n{object}\n]\n"),
            2,
            "array.json: no captures found; the only entry cannot be used: array.json:1: expected a JSON object on each line, found an array (jq -c '.[]' makes lines of it)",
        ),
        (
            "nonsense.jsonl",
            format!("{good}nonsense\n{good}"),
            4,
            "nonsense.jsonl:2: expected a JSON object, in a line without a readable site; the input is incomplete, and nothing was written (--partial uses what could be read)",
        ),
        (
            "pandas.tsv",
            pandas.to_owned(),
            4,
            "pandas.tsv:3: expected 3 cells, as in the first line, found 1 (escape tab and line end in a body as \\t and \\n; quotes do not protect them), in a line without a readable site; the input is incomplete, and nothing was written (--partial uses what could be read)",
        ),
    ] {
        folder.write(name, text);
        all_fail(&folder, name, code, message);
    }
    // A line that ends early within the file is a failed fetch of its site.
    folder.write("broken.jsonl", format!("{}\n{}", &good[..20], capture("b.example")));
    folder.write("urls", "https://a.example/\nhttps://b.example/\nhttps://c.example/\n");
    let ran = allowed(&folder, "--robots broken.jsonl");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://c.example/\n"), "{}", ran.err);
    assert!(ran.err.contains("broken.jsonl:1: expected a JSON object: EOF "), "{}", ran.err);
}
