//! Loads sources into stores.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{Folder, Heard, SITES, crawlers, load, on_threads, options, write_rows};
use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray};
use robomata_engine::{
    Audience, Crawler, Dialect, History, Moment, PolicyStore, Site, StoreKind, StoreParts,
};
use robomata_formats::{CaptureSite, Timestamp, capture};
use robomata_jobs::compile::CompileJob;
use robomata_jobs::sources::{self, Keep, LoadOptions, Loaded, NotRobots};
use robomata_jobs::{Events, IncompleteInput, JobError, Silent, Strictness, compile};
use robomata_testkit::shared::captures;

fn answer(loaded: &Loaded, url: &str) -> String {
    let answer = loaded.store.checker(&Crawler::new("A")).unwrap().check(url.as_bytes());
    format!("{} {}", answer.as_str(), answer.line())
}

#[test]
fn statuses_decide_without_a_body() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    for (url, expected) in [
        ("http://a.example/private", "disallow 2"),
        ("https://a.example/private", "disallow 2"),
        ("https://a.example/", "allow 0"),
        ("https://gone.example/x", "allow 0"),
        ("https://down.example/x", "disallow 0"),
        ("https://down.example/robots.txt", "allow 0"),
        ("https://moved.example/x", "unknown 0"),
        ("http://gone.example/x", "unknown 0"),
        ("https://other.example/", "unknown 0"),
    ] {
        assert_eq!(answer(&loaded, url), expected, "{url}");
    }
    assert_eq!(loaded.counts.captures, 4);
}

#[test]
fn a_message_quotes_the_beginning_of_a_host() {
    let folder = Folder::new();
    let long = "a b ".repeat(1000);
    for key in ["host", "url"] {
        let site = if key == "url" { format!("http://{long}/robots.txt") } else { long.clone() };
        let path = folder.write("robots.jsonl", format!("{{\"{key}\": \"{site}\", \"body\": \"\"}}\n"));
        let error = sources::load(&[path], &options(&["A"]), &mut Silent).unwrap_err().to_string();
        assert!(error.contains("a b ") && error.contains('…') && error.len() < 500, "{error}");
    }
}

#[test]
fn the_newest_capture_counts_and_of_equal_ones_the_last() {
    let folder = Folder::new();
    let line = |host: &str, time: &str, pattern: &str| {
        format!("{{\"host\": \"{host}\", \"body\": \"User-agent: *\\nDisallow: {pattern}\"{time}}}\n")
    };
    let text = [
        line("a.example", ", \"time\": \"2021-01-01\"", "/new"),
        line("a.example", ", \"time\": \"2020-01-01\"", "/old"),
        line("b.example", ", \"time\": \"2020-01-01T00:00:00.1Z\"", "/first"),
        line("b.example", ", \"time\": \"2020-01-01T00:00:00.2Z\"", "/second"),
        line("c.example", "", "/first"),
        line("c.example", "", "/last"),
    ];
    let path = folder.write("robots.jsonl", text.concat());
    let keeping = sources::LoadOptions { keep: Keep::Bodies, ..options(&["A"]) };
    let loaded = sources::load(&[path], &keeping, &mut Silent).unwrap();
    for (url, expected) in [
        ("http://a.example/new", "disallow 2"),
        ("http://a.example/old", "allow 0"),
        ("http://b.example/second", "disallow 2"),
        ("http://b.example/first", "allow 0"),
        ("http://c.example/last", "disallow 2"),
        ("http://c.example/first", "allow 0"),
    ] {
        assert_eq!(answer(&loaded, url), expected, "{url}");
    }
    let kept = loaded.bodies.of(&Site::of_url(b"https://a.example").unwrap()).unwrap();
    assert!(kept.body.ends_with(b"/new"));
}

/// Also in a bundle, whose sites would otherwise hide the captures of today without a warning.
#[test]
fn captures_that_are_dated_in_the_future_are_counted_and_count() {
    #[derive(Default)]
    struct Clock {
        captures: u64,
        sites: u64,
    }
    impl Events for Clock {
        fn latest_plausible_capture(&self) -> Option<Moment> {
            Some(Moment::from_seconds(1_000_000_000))
        }

        fn implausible_captures(&mut self, captures: u64) {
            self.captures += captures;
        }

        fn implausible_sites(&mut self, sites: u64) {
            self.sites += sites;
        }
    }
    let folder = Folder::new();
    let line = |host: &str, time: u32| {
        format!(
            "{{\"host\": \"{host}\", \"time\": {time}, \"body\": \"User-agent: *\\nDisallow: /{time}\"}}\n"
        )
    };
    let lines = [1_000_000_000, 1_000_000_001, 2_000_000_000].map(|time| line("a.example", time));
    let path = folder.write("robots.jsonl", lines.concat() + &line("b.example", 1_000_000_000));
    let (mut clock, options) = (Clock::default(), options(&["A"]));
    let loaded = sources::load(std::slice::from_ref(&path), &options, &mut clock).unwrap();
    assert_eq!((clock.captures, clock.sites), (2, 0));
    assert_eq!(answer(&loaded, "https://a.example/2000000000"), "disallow 2");

    let bundle = folder.path("robots.bundle");
    compile::run(&CompileJob::new(&[path], &options), &bundle, &mut Silent).unwrap();
    let today = [folder.write("today.jsonl", line("a.example", 1_000_000_000))];
    let mut clock = Clock::default();
    let job = CompileJob { base: Some(&bundle), ..CompileJob::new(&today, &options) };
    compile::run(&job, &folder.path("next.bundle"), &mut clock).unwrap();
    assert_eq!((clock.captures, clock.sites), (0, 2), "http and https");
    let [today] = today;
    let mut clock = Clock::default();
    let loaded = sources::load(&[today, bundle], &options, &mut clock).unwrap();
    assert_eq!((clock.captures, clock.sites), (0, 2));
    assert_eq!(answer(&loaded, "https://a.example/2000000000"), "disallow 2");
}

#[test]
fn a_directory_has_a_file_for_every_host() {
    let folder = Folder::new();
    folder.write("sites/a.example", "User-agent: *\nDisallow: /");
    folder.write_compressed("sites/b.example.gz", "User-agent: *\nDisallow: /x");
    folder.write("sites/no host", "User-agent: *\n");
    let mut heard = Heard::default();
    let loaded = sources::load(&[folder.path("sites")], &options(&["A"]), &mut heard).unwrap();
    assert_eq!(answer(&loaded, "https://a.example/"), "disallow 2");
    assert_eq!(answer(&loaded, "https://b.example/x"), "disallow 2");
    assert_eq!(loaded.counts.errors.bad_source_lines, 1);
    assert!(
        heard.problems[0].ends_with("no host: expected a host name, found \"no host\"; it is skipped"),
        "{:?}",
        heard.problems
    );
}

/// As hosts, such names would make all sites unknown.
#[test]
fn names_of_files_with_dates_are_no_hosts() {
    const ROBOTS: &str = "User-agent: *\nDisallow: /";
    let folder = Folder::new();
    let expected = "expected a file named by its host, or HOST/robots.txt";
    let load = |source: &str, heard: &mut Heard| {
        sources::load(&[folder.path(source)], &options(&["A"]), heard).map_err(|error| error.to_string())
    };
    folder.write("days/2026-11-27/robots.txt", ROBOTS);
    folder.write("days/2026-11-28/robots.txt", ROBOTS);
    let error = load("days", &mut Heard::default()).err().unwrap();
    let why = format!("2026-11-27/robots.txt: {expected}, found \"2026-11-27\"; it is skipped");
    assert!(error.contains("none of 2 entries can be used") && error.contains(&why), "{error}");
    folder.write("before/20261127.a.example", ROBOTS);
    folder.write("before/20261128.a.example", ROBOTS);
    let error = load("before", &mut Heard::default()).err().unwrap();
    let why = "no captures found; every name in the directory begins with a date (expected files named by host, or HOST/robots.txt)";
    assert!(error.ends_with(why), "{error}");
    // Next to others, it is a host.
    folder.write("before/a.example", ROBOTS);
    assert_eq!(load("before", &mut Heard::default()).unwrap().counts.captures, 3);
    folder.write("among/a.example", ROBOTS);
    for (name, expected) in [
        ("a.example-2026-11-28", expected),
        ("a.example@2026", "expected a host name"),
        ("a.example~", expected),
    ] {
        let mut heard = Heard::default();
        let path = folder.write(&format!("among/{name}"), ROBOTS);
        assert_eq!(load("among", &mut heard).unwrap().counts.captures, 1, "{name}");
        let message = format!("{name}: {expected}, found \"{name}\"; it is skipped");
        assert!(heard.problems[0].ends_with(&message), "{:?}", heard.problems);
        std::fs::remove_file(path).unwrap();
    }
    // A row is no file, but its host has no user either. A user names the host of a file as it is.
    let row = |host: &str| format!("{{\"host\": \"{host}\", \"body\": \"User-agent: *\"}}\n");
    folder.write("a.jsonl", row("a.example_20261128") + &row("a.example@2026"));
    let loaded = load("a.jsonl", &mut Heard::default()).unwrap();
    assert_eq!((loaded.counts.captures, loaded.counts.errors.bad_source_lines), (1, 1));
    let plain = folder.write("one.txt", ROBOTS);
    let options = LoadOptions { host: Some("build.net_2".parse().unwrap()), ..options(&["A"]) };
    let loaded = sources::load(&[plain], &options, &mut Silent).unwrap();
    assert_eq!(answer(&loaded, "https://build.net_2/"), "disallow 2");
}

#[test]
fn a_host_that_is_too_long_has_no_captures() {
    let folder = Folder::new();
    let longest = format!("{}.example", "a".repeat(247));
    let capture = |key: &str, site: &str| {
        format!("{{\"{key}\": \"{site}\", \"body\": \"User-agent: *\\nDisallow: /\"}}\n")
    };
    let captures = [
        capture("host", &longest),
        capture("host", &"b".repeat(500_000)),
        capture("url", &format!("https://{}/robots.txt", "c".repeat(500_000))),
    ];
    let path = folder.write("robots.jsonl", captures.concat());
    let mut heard = Heard::default();
    let loaded = sources::load(&[path], &options(&["A"]), &mut heard).unwrap();
    assert_eq!((loaded.counts.captures, loaded.counts.errors.bad_source_lines), (1, 2));
    assert_eq!(answer(&loaded, &format!("https://{longest}/")), "disallow 2");
    for problem in heard.problems {
        assert!(problem.contains("expected a host of at most 255 bytes, found \""), "{problem}");
        assert!(problem.len() < 500, "{problem}");
    }
}

#[test]
fn bad_lines_are_reported_counted_and_skipped() {
    let folder = Folder::new();
    let bad = "{\"host\": \"no host\"}\n{}\n{\"url\": \"http://x/a/robots.txt\", \"body\": \"\"}\n";
    let path = folder.write("robots.jsonl", format!("{bad}{SITES}"));
    let mut heard = Heard::default();
    let loaded = sources::load(std::slice::from_ref(&path), &options(&["A"]), &mut heard).unwrap();
    assert_eq!((loaded.counts.captures, loaded.counts.errors.bad_source_lines), (4, 3));
    let name = path.display();
    assert_eq!(
        heard.problems[0],
        format!("{name}:1: expected a host name, found \"no host\"; it is skipped")
    );
    assert!(heard.problems[1].starts_with(&format!("{name}:2: expected a key \"host\" or \"url\"")));
    assert_eq!(
        heard.problems[2],
        format!(
            "{name}:3: expected the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json in \"url\", found \"http://x/a/robots.txt\""
        )
    );

    let strict = sources::LoadOptions { strictness: Strictness::Strict, ..options(&["A"]) };
    let error = sources::load(&[path], &strict, &mut Silent).unwrap_err();
    assert!(matches!(&error, JobError::Strict(problem) if problem.line() == Some(1)), "{error}");
}

/// RFC 9309, section 2.3.1.4: without a result, the crawler must assume complete disallow.
#[test]
fn a_capture_whose_result_cannot_be_read_is_a_failed_fetch() {
    let folder = Folder::new();
    let unreadable = [
        r#""status": "timeout", "body": """#,
        r#""status": null, "body": """#,
        r#""status": null"#,
        r#""status": "", "body": """#,
        r#""status": 65736, "body": """#,
        r#""status": 200"#,
        r#""status": 200, "body_b64": "!""#,
        r#""status": 200, "body": "", "time": "yesterday""#,
        r#""status": 301, "location": 5"#,
    ];
    let line = |number: usize, rest: &str| format!("{{\"host\": \"s{number}.example\", {rest}}}\n");
    let lines: String = (0..).zip(unreadable).map(|(number, rest)| line(number, rest)).collect();
    let ok = "{\"host\": \"a.example\", \"time\": \"2024-05-02\", \"status\": 200, \"body\": \"\"}\n";
    let older = "{\"host\": \"a.example\", \"time\": \"2024-05-01\", \"status\": \"timeout\"}\n";
    let moved = "{\"url\": \"https://moved.example/robots.txt\", \"status\": 301, \"location\": \"https://s0.example/robots.txt\"}\n";
    let no_site = "{\"host\": \"no host\", \"status\": \"timeout\"}\n";
    let path = folder.write("robots.jsonl", [moved, &lines, ok, older, no_site].concat());
    let mut heard = Heard::default();
    let loaded = sources::load(std::slice::from_ref(&path), &options(&["A"]), &mut heard).unwrap();
    for number in 0..unreadable.len() {
        assert_eq!(answer(&loaded, &format!("https://s{number}.example/x")), "disallow 0", "{number}");
    }
    assert_eq!(answer(&loaded, "https://moved.example/x"), "disallow 0");
    assert_eq!(answer(&loaded, "https://a.example/x"), "allow 0", "the newest capture counts");
    let counts = loaded.counts;
    let errors = (counts.errors.unreadable_results, counts.errors.bad_source_lines, counts.errors.skipped());
    assert_eq!((counts.captures, errors), (12, (11, 1, 1)));
    let count = |end: &str| heard.problems.iter().filter(|problem| problem.ends_with(end)).count();
    assert_eq!((count("; it counts as a failed fetch"), count("; it is skipped")), (11, 1));

    // A source in which no result can be read is an error.
    let path = folder.write("robots.jsonl", lines);
    let mut heard = Heard::default();
    let error = sources::load(std::slice::from_ref(&path), &options(&["A"]), &mut heard).unwrap_err();
    assert!(error.to_string().contains("none of 9 entries can be used"), "{error}");
    assert!(!error.to_string().contains("counts as") && heard.problems.is_empty(), "{error}");
}

#[test]
fn a_file_in_a_directory_that_is_not_what_its_name_promises_is_a_failed_fetch() {
    let folder = Folder::new();
    folder.write("sites/a.example.gz", "User-agent: *\nDisallow: /x");
    folder.write("sites/b.example", "User-agent: *\nDisallow: /x");
    let loaded = load(&folder.path("sites"), &["A"]);
    assert_eq!(answer(&loaded, "https://a.example/"), "disallow 0");
    assert_eq!(answer(&loaded, "https://b.example/"), "allow 0");
    assert_eq!(loaded.counts.errors.unreadable_results, 1);
}

#[test]
fn a_truncated_archive_is_used_up_to_its_end_if_allowed() {
    let folder = Folder::new();
    let lines: String = (0..5000)
        .map(|n| format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{n}\"}}\n"))
        .collect();
    let path = folder.write_compressed("robots.jsonl.gz", &lines);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = sources::load(std::slice::from_ref(&path), &options(&["A"]), &mut Silent).unwrap_err();
    assert!(error.is_incomplete_input(), "{error}");
    let mut heard = Heard::default();
    let options = LoadOptions { incomplete: IncompleteInput::Use, ..options(&["A"]) };
    let loaded = sources::load(&[path], &options, &mut heard).unwrap();
    assert_eq!(loaded.counts.errors.incomplete_inputs, 1);
    assert!(loaded.counts.captures > 100 && loaded.counts.captures < 5000);
    assert!(heard.problems[0].contains("expected the rest of the gzip data"), "{:?}", heard.problems);
    assert_eq!(answer(&loaded, "http://h7.example/7"), "disallow 2");
}

#[test]
fn a_missing_source_is_an_error_at_once() {
    let folder = Folder::new();
    let paths = [folder.write("robots.jsonl", SITES), folder.path("missing")];
    let error = sources::load(&paths, &options(&["A"]), &mut Silent).unwrap_err();
    assert!(error.to_string().contains("missing: cannot be read"), "{error}");
}

#[test]
fn the_store_is_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let lines: String = (0..3000)
        .map(|n| {
            format!("{{\"host\": \"h{n}.example\", \"body\": \"User-agent: *\\nDisallow: /{}\"}}\n", n % 70)
        })
        .collect();
    let path = folder.write("robots.jsonl", lines);
    let store = |threads: usize| {
        let options = options(&["A", "B"]);
        on_threads(threads, || {
            sources::load(std::slice::from_ref(&path), &options, &mut Silent).unwrap().store
        })
    };
    let one = store(1);
    assert_eq!((one.site_count(), one.program_count()), (6000, 70));
    assert!(one.bytes() == store(4).bytes());
}

#[test]
fn a_bundle_is_the_store() {
    let folder = Folder::new();
    let source = folder.write("robots.jsonl", SITES);
    let to = folder.path("policies.bundle");
    let (sources, options) = ([source], options(&["A", "B"]));
    let report = compile::run(&CompileJob::new(&sources, &options), &to, &mut Silent).unwrap();
    assert_eq!((report.written.sites, report.captures), (5, 4));
    let opened = PolicyStore::open(&to).unwrap();
    let loaded = load(&sources[0], &["A", "B"]).store;
    // The bundle also remembers bodies.
    assert_eq!((opened.body_count(), loaded.body_count()), (1, 0));
    let parts = |store: &PolicyStore| StoreParts { bodies: 0, ..store.parts() };
    assert_eq!(parts(&opened), parts(&loaded));
    assert_eq!(*opened.audience(), Audience::from(crawlers(&["A", "B"])));

    let compressed = compile::run(&CompileJob::new(&sources, &options), &folder.path("p.zst"), &mut Silent);
    assert!(matches!(compressed, Err(JobError::CompressedBundle(_))));
    // A shard would be lost, and no command opens a whole bundle under its name.
    for name in ["p-00001-of-00002.bundle", "p-*-of-00002.bundle"] {
        let path = folder.path(name);
        let error = compile::run(&CompileJob::new(&sources, &options), &path, &mut Silent).unwrap_err();
        assert!(matches!(error, JobError::ShardName(_)) && !path.exists(), "{name}: {error}");
    }
}

/// Captures of many sites over ten days, some of which change. Lines are in time order.
fn days() -> Vec<String> {
    let line = |day: u32, site: u32| {
        let body = if (day + site).is_multiple_of(3) { day } else { site % 7 };
        format!(
            "{{\"host\": \"h{site}.example\", \"time\": \"2024-01-{:02}\", \"body\": \"User-agent: *\\nDisallow: /{body}\\n\\n\
             User-agent: A\\nDisallow: /a{body}\"}}\n",
            day + 1
        )
    };
    (0..10)
        .map(|day| (0..200).filter(|site| site % 10 <= day).map(|site| line(day, site)).collect())
        .collect()
}

fn kinds() -> Vec<StoreKind> {
    let audiences = [Audience::from(crawlers(&["A", "B"])), Audience::Everyone];
    let kind = |audience: &Audience, history| StoreKind {
        history,
        ..StoreKind::new(Dialect::Rfc9309, audience.clone())
    };
    audiences
        .iter()
        .flat_map(|audience| [History::Newest, History::All].map(|history| kind(audience, history)))
        .collect()
}

#[test]
fn a_bundle_built_in_parts_is_the_same_bundle() {
    let folder = Folder::new();
    let sources: Vec<PathBuf> =
        (0..).zip(days()).map(|(day, lines)| folder.write(&format!("{day}.jsonl"), lines)).collect();
    for kind in kinds() {
        let options = sources::LoadOptions::new(kind);
        let job = CompileJob::new(&sources, &options);
        compile::run(&job, &folder.path("at-once"), &mut Silent).unwrap();
        // A part for every chunk.
        compile::run(&CompileJob { part: 0, ..job }, &folder.path("in-parts"), &mut Silent).unwrap();
        let at_once = std::fs::read(folder.path("at-once")).unwrap();
        assert!(at_once == std::fs::read(folder.path("in-parts")).unwrap(), "{:?}", options.kind);
        let mut names = std::fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.all(|name| !name.to_string_lossy().starts_with('.')), "parts are gone");
    }
}

#[test]
fn a_day_is_appended_without_recompiling_known_bodies() {
    let folder = Folder::new();
    let sources: Vec<PathBuf> =
        (0..).zip(days()).map(|(day, lines)| folder.write(&format!("{day}.jsonl"), lines)).collect();
    for kind in kinds() {
        let options = sources::LoadOptions::new(kind.clone());
        compile::run(&CompileJob::new(&sources, &options), &folder.path("at-once"), &mut Silent).unwrap();
        compile::run(&CompileJob::new(&sources[..1], &options), &folder.path("0"), &mut Silent).unwrap();
        // The base's kind applies, not that of the options.
        let other = sources::LoadOptions::new(StoreKind::new(Dialect::Google, crawlers(&["X"])));
        for day in 1..10 {
            let base = folder.path(&(day - 1).to_string());
            let job = CompileJob { base: Some(&base), ..CompileJob::new(&sources[day..=day], &other) };
            compile::run(&job, &folder.path(&day.to_string()), &mut Silent).unwrap();
        }
        let at_once = std::fs::read(folder.path("at-once")).unwrap();
        let appended = std::fs::read(folder.path("9")).unwrap();
        assert!(at_once == appended, "{kind:?}");
    }
}

#[test]
fn bundles_are_sources() {
    let folder = Folder::new();
    let sources: Vec<PathBuf> =
        (0..).zip(days()).map(|(day, lines)| folder.write(&format!("{day}.jsonl"), lines)).collect();
    for kind in kinds() {
        let options = sources::LoadOptions::new(kind.clone());
        let compile = |sources: &[PathBuf], to: &str| {
            compile::run(&CompileJob::new(sources, &options), &folder.path(to), &mut Silent)
        };
        compile(&sources, "at-once").unwrap();
        compile(&sources[..3], "a").unwrap();
        compile(&sources[3..6], "b").unwrap();
        let mixed: Vec<PathBuf> = [vec![folder.path("a"), folder.path("b")], sources[6..].to_vec()].concat();
        compile(&mixed, "mixed").unwrap();
        let at_once = std::fs::read(folder.path("at-once")).unwrap();
        assert!(at_once == std::fs::read(folder.path("mixed")).unwrap(), "{kind:?}");
        let loaded = sources::load(&mixed, &options, &mut Silent).unwrap().store;
        let parts = |store: &PolicyStore| StoreParts { bodies: 0, ..store.parts() };
        assert_eq!(parts(&loaded), parts(&PolicyStore::open(&folder.path("at-once")).unwrap()));

        let other = sources::LoadOptions::new(StoreKind::new(Dialect::Google, crawlers(&["X"])));
        let refused = compile::run(&CompileJob::new(&mixed, &other), &folder.path("x"), &mut Silent);
        assert!(matches!(refused, Err(JobError::Merge(_))), "{refused:?}");
        let refused = sources::load(&mixed, &other, &mut Silent);
        assert!(matches!(refused, Err(JobError::Merge(_))));
    }
}

/// A record of a WARC file: the response to a request for `url`.
fn warc_record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

#[test]
fn sources_of_several_kinds_are_read_together_and_other_bodies_are_counted() {
    let folder = Folder::new();
    let rules = "User-agent: *\nDisallow: /x\n";
    let warc = [
        warc_record("http://warc.com/robots.txt", rules),
        warc_record("http://warc.com/index.html", "<html>"),
        warc_record("http://page.com/robots.txt", "<html><p>Not found"),
    ];
    let lines = "{\"host\": \"json.com\", \"body\": \"{}\"}\n\
                 {\"host\": \"error.com\", \"status\": 404, \"body\": \"<html>\"}\n";
    folder.write("hosts/folder.com", rules);
    folder.write("hosts/empty.com", "\n");
    let paths = [
        folder.write_compressed("a.warc.gz", warc.concat()),
        folder.write("b.tsv", "host\tbody\ntsv.com\tUser-agent: *\\nDisallow: /x\nprose.com\tNot found\n"),
        folder.write("c", lines),
        folder.path("hosts"),
    ];
    let options = LoadOptions::new(StoreKind::new(Dialect::Rfc9309, crawlers(&["A"])));
    let loaded = sources::load(&paths, &options, &mut Silent).unwrap();
    let counts = loaded.counts;
    assert_eq!((counts.captures, counts.errors.total()), (8, 0));
    let expected = NotRobots { empty: 1, html: 1, json: 1, prose: 1, ..NotRobots::default() };
    assert_eq!(counts.not_robots, expected);
    assert_eq!(counts.not_robots.to_string(), "1 empty, 1 html, 1 json, 1 prose");
    // A host means two sites, a URL one.
    assert_eq!(loaded.store.site_count(), 2 + 6 * 2);
}

/// A capture that every source format can hold.
struct Plain {
    url: String,
    status: u16,
    /// In seconds since 1970.
    time: i64,
    body: String,
}

/// Real captures and some of our own.
fn plain_captures() -> Vec<Plain> {
    let bodies = [
        "User-agent: *\nDisallow: /a\tb\\c\r\n",
        "",
        "\u{feff}User-agent: A\rAllow: /\u{e9}",
        "<html>",
        "\0\u{1}x",
    ];
    let own = (0..400_u32).map(|n| Plain {
        url: format!("http://h{}.example:{}/robots.txt", n % 90, 80 + n % 3),
        status: [200, 404, 503, 200, 403, 200, 200][n as usize % 7],
        time: 1_714_521_600 + i64::from(n) * 3600,
        body: bodies[n as usize % bodies.len()].to_owned() + &format!("\n# {}", n % 13),
    });
    let sources = captures();
    let real = sources.iter().flat_map(|source| capture::captures(source)).take(3000).enumerate().filter_map(
        |(number, capture)| {
            let capture = capture.unwrap();
            let CaptureSite::Host(host) = capture.site else { return None };
            let time = capture.time.map_or(1_600_000_000 + number as i64, Timestamp::seconds);
            Some(Plain {
                url: format!("https://{host}/robots.txt"),
                status: 200,
                time,
                body: String::from_utf8(capture.body.to_vec()).ok()?,
            })
        },
    );
    own.chain(real).collect()
}

fn as_json(captures: &[Plain]) -> String {
    let of = |Plain { url, status, time, body }: &Plain| {
        serde_json::json!({"url": url, "status": status, "time": time, "body": body}).to_string() + "\n"
    };
    captures.iter().map(of).collect()
}

fn as_tsv(captures: &[Plain]) -> String {
    let mut text = "url\tfetch_status\tfetch_time\tcontent\n".to_owned();
    for Plain { url, status, time, body } in captures {
        let body = body.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r");
        writeln!(text, "{url}\t{status}\t{time}\t{body}").unwrap();
    }
    text
}

fn as_warc(captures: &[Plain]) -> String {
    let mut text = String::new();
    for Plain { url, status, time, body } in captures {
        let date = robomata_formats::Timestamp::from_milliseconds(time * 1000).unwrap();
        let block = format!("HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\n\r\n{body}");
        let length = block.len();
        write!(
            text,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
        .unwrap();
    }
    text
}

fn write_table(path: &Path, captures: &[Plain]) {
    let urls: ArrayRef = Arc::new(StringArray::from_iter_values(captures.iter().map(|capture| &capture.url)));
    let statuses: ArrayRef =
        Arc::new(Int32Array::from_iter_values(captures.iter().map(|capture| i32::from(capture.status))));
    let times: ArrayRef =
        Arc::new(arrow_array::Int64Array::from_iter_values(captures.iter().map(|capture| capture.time)));
    let bodies: ArrayRef =
        Arc::new(BinaryArray::from_iter_values(captures.iter().map(|capture| capture.body.as_bytes())));
    let batch =
        RecordBatch::try_from_iter([("url", urls), ("status", statuses), ("time", times), ("body", bodies)]);
    let batch = batch.unwrap();
    write_rows(path, &batch);
}

#[test]
fn the_same_captures_make_the_same_bundle_in_every_format() {
    let folder = Folder::new();
    let captures = plain_captures();
    let texts = [("jsonl", as_json(&captures)), ("tsv", as_tsv(&captures)), ("warc", as_warc(&captures))];
    let mut paths = Vec::new();
    for (name, text) in &texts {
        for ending in ["", ".gz", ".zst"] {
            paths.push(folder.write_compressed(&format!("captures.{name}{ending}"), text));
        }
        paths.push(folder.write(&format!("sniffed-{name}"), text));
    }
    write_table(&folder.path("captures.parquet"), &captures);
    paths.push(folder.path("captures.parquet"));
    for kind in kinds() {
        let options = LoadOptions::new(kind);
        let bundles: Vec<Vec<u8>> = paths
            .iter()
            .map(|path| {
                let job = CompileJob::new(std::slice::from_ref(path), &options);
                let mut heard = Heard::default();
                let report = compile::run(&job, &folder.path("bundle"), &mut heard).unwrap();
                assert_eq!(
                    report.captures,
                    captures.len() as u64,
                    "{}: {:?}",
                    path.display(),
                    heard.problems
                );
                std::fs::read(folder.path("bundle")).unwrap()
            })
            .collect();
        for (path, bundle) in paths.iter().zip(&bundles) {
            assert!(*bundle == bundles[0], "{}, {:?}", path.display(), options.kind);
        }
    }
}
