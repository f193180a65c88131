//! Captures whose times do not say which one is newer, and the order of sources.

use std::path::{Path, PathBuf};
use std::slice;

use crate::support::{Folder, options};
use robomata_engine::protocol::lifecycle::Moment;
use robomata_engine::{Crawler, Site};
use robomata_formats::capture::RedirectCounts;
use robomata_jobs::compile::CompileJob;
use robomata_jobs::sources::{self, Keep, LoadOptions};
use robomata_jobs::{Events, JobError, Silent, compile};

/// Counts the warnings.
#[derive(Default)]
struct Warnings {
    undated: u64,
    redirects: Vec<RedirectCounts>,
}

impl Events for Warnings {
    fn undated_captures(&mut self, sites: u64) {
        self.undated += sites;
    }

    fn redirects(&mut self, counts: RedirectCounts) {
        self.redirects.push(counts);
    }
}

/// A capture of `a.example` that disallows `/{pattern}`, at a second of 2026 if one is given.
fn line(second: Option<u32>, pattern: &str) -> String {
    let time =
        second.map_or_else(String::new, |second| format!(", \"time\": \"2026-01-01T00:00:{second:02}Z\""));
    format!("{{\"url\": \"http://a.example/\", \"body\": \"User-agent: *\\nDisallow: /{pattern}\"{time}}}\n")
}

/// Compiles `sources` into a bundle, with a base if one is given. Returns the number of sites in the warning.
fn compile_onto(
    base: Option<&Path>,
    sources: &[PathBuf],
    options: &LoadOptions,
    to: &Path,
    part: usize,
) -> Result<u64, JobError> {
    let mut warnings = Warnings::default();
    let job = CompileJob { base, part, ..CompileJob::new(sources, options) };
    compile::run(&job, to, &mut warnings).map(|_| warnings.undated)
}

/// The pattern in the rules of `a.example`.
fn pattern(sources: &[PathBuf]) -> (String, u64) {
    let mut warnings = Warnings::default();
    let loaded = sources::load(sources, &options(&["A"]), &mut warnings).unwrap();
    let mut checker = loaded.store.checker(&Crawler::new("A")).unwrap();
    let mut found: Vec<&str> = vec!["old", "new", "other"];
    found.retain(|pattern| {
        checker.check(format!("http://a.example/{pattern}").as_bytes()).as_str() == "disallow"
    });
    let found = found.join(" ");
    (found, warnings.undated)
}

#[test]
fn a_capture_without_a_time_never_loses_silently_against_a_dated_one() {
    let folder = Folder::new();
    let dated = folder.write("dated.jsonl", line(Some(1), "old"));
    let undated = folder.write("undated.jsonl", line(None, "new"));
    let equal = folder.write("equal.jsonl", line(None, "old"));
    let [base, to] = ["base.bundle", "out.bundle"].map(|name| folder.path(name));
    let options = options(&["A"]);
    let is_refused = |result: Result<u64, JobError>| match result {
        Err(JobError::UndatedCaptures { site, sites }) => site == "http://a.example" && sites == 1,
        Ok(_) => false,
        Err(other) => panic!("{other}"),
    };
    assert_eq!(compile_onto(None, slice::from_ref(&dated), &options, &base, 1 << 20).unwrap(), 0);
    let undated_base = folder.path("undated.bundle");
    assert_eq!(compile_onto(None, slice::from_ref(&undated), &options, &undated_base, 1 << 20).unwrap(), 0);
    let both = [dated.clone(), undated.clone()];
    for part in [1, 1 << 20] {
        assert!(is_refused(compile_onto(None, &both, &options, &to, part)), "part {part}");
        assert!(is_refused(compile_onto(
            Some(base.as_path()),
            slice::from_ref(&undated),
            &options,
            &to,
            part
        )));
        assert!(is_refused(compile_onto(
            Some(undated_base.as_path()),
            slice::from_ref(&dated),
            &options,
            &to,
            part
        )));
        assert!(is_refused(compile_onto(None, &[base.clone(), undated_base.clone()], &options, &to, part)));
        assert_eq!(
            compile_onto(Some(base.as_path()), slice::from_ref(&equal), &options, &to, part).unwrap(),
            0
        );
    }
    for sources in [&both[..], &[base.clone(), undated.clone()], &[undated_base, dated]] {
        let error = sources::load(sources, &options, &mut Silent).unwrap_err();
        assert!(matches!(error, JobError::UndatedCaptures { .. }), "{error}");
        assert!(error.to_string().contains("--captured-at"), "{error}");
    }
    // With a time, it is the newer one.
    let later = "2026-01-02T00:00:00Z".parse::<robomata_formats::Timestamp>().unwrap().seconds();
    let timed = LoadOptions { captured_at: Some(Moment::from_seconds(later)), ..options };
    assert_eq!(compile_onto(Some(base.as_path()), &[undated], &timed, &to, 1 << 20).unwrap(), 0);
    assert_eq!(pattern(&[to]), ("new".to_owned(), 0));
}

#[test]
fn of_captures_without_a_time_or_of_one_second_the_later_source_counts() {
    for second in [None, Some(7)] {
        let folder = Folder::new();
        let [old, new] =
            ["old", "new"].map(|name| folder.write(&format!("{name}.jsonl"), line(second, name)));
        let [old_bundle, new_bundle] = [&old, &new].map(|source| {
            let bundle = source.with_extension("bundle");
            compile_onto(None, slice::from_ref(source), &options(&["A"]), &bundle, 1 << 20).unwrap();
            bundle
        });
        for first in [&old, &old_bundle] {
            for last in [&new, &new_bundle] {
                let sources = [first.clone(), last.clone()];
                assert_eq!(pattern(&sources), ("new".to_owned(), 1), "{sources:?}");
                for part in [1, 1 << 20] {
                    let to = folder.path("out.bundle");
                    let warned = compile_onto(None, &sources, &options(&["A"]), &to, part).unwrap();
                    assert_eq!((warned, pattern(&[to])), (1, ("new".to_owned(), 0)), "{sources:?}");
                }
            }
        }
    }
}

#[test]
fn redirects_give_the_same_bundle_in_any_order() {
    let folder = Folder::new();
    let (sites, mut lines) = (["a.example", "b.example", "c.example", "d.example"], Vec::new());
    for number in 0_usize..40 {
        let (site, target) = (sites[number * 7 % 4], sites[number / 2 % 4]);
        let time = format!("\"time\": \"2026-0{}-01T00:00:{number:02}Z\"", 1 + number % 5);
        lines.push(if number % 3 == 0 {
            let body = format!("User-agent: *\\nDisallow: /{number}");
            format!("{{\"url\": \"http://{site}/\", \"body\": \"{body}\", {time}}}\n")
        } else {
            let location = format!("\"location\": \"http://{target}/robots.txt\"");
            format!("{{\"url\": \"http://{site}/\", \"status\": 301, {location}, {time}}}\n")
        });
    }
    lines.push(
        line(None, "x").replace("a.example", "e.example").replace("}\n", ", \"time\": \"2025-01-01\"}\n"),
    );
    let location = "\"location\": \"http://e.example/robots.txt\"";
    lines.push(format!(
        "{{\"url\": \"http://f.example/\", \"status\": 301, {location}, \"time\": \"2026-01-01\"}}\n"
    ));
    let read = |lines: &[String]| {
        let path = folder.write("robots.jsonl", lines.concat());
        let mut warnings = Warnings::default();
        let loaded = sources::load(&[path], &options(&["A"]), &mut warnings).unwrap();
        (loaded.store.bytes().to_vec(), warnings.redirects)
    };
    let expected = read(&lines);
    assert!(expected.1[0].distant > 0, "{:?}", expected.1);
    for step in [1, 7, 13, 23] {
        lines.rotate_left(step);
        lines.swap(0, step);
        lines.reverse();
        assert!(read(&lines) == expected, "{step}");
    }
}

#[test]
fn a_kept_body_is_that_of_its_own_capture() {
    let folder = Folder::new();
    let gone = |host: &str| {
        format!("{{\"url\": \"http://{host}/\", \"status\": 404, \"body\": \"page of {host}\"}}\n")
    };
    let path = folder.write("robots.jsonl", gone("a.example") + &gone("b.example"));
    let options = LoadOptions { keep: Keep::Bodies, ..options(&["A"]) };
    let loaded = sources::load(&[path], &options, &mut Silent).unwrap();
    for host in ["a.example", "b.example"] {
        let site = Site::of_url(format!("http://{host}/").as_bytes()).unwrap().into_owned();
        let kept = loaded.bodies.of(&site).unwrap();
        assert_eq!(String::from_utf8_lossy(&kept.body), format!("page of {host}"));
    }
}

#[test]
fn evidence_needs_captures() {
    let folder = Folder::new();
    let captures = folder.write("robots.jsonl", line(Some(1), "old"));
    let bundle = folder.path("robots.bundle");
    compile_onto(None, slice::from_ref(&captures), &options(&["A"]), &bundle, 1 << 20).unwrap();
    let options = LoadOptions { keep: Keep::Bodies, ..options(&["A"]) };
    let error = sources::load(&[bundle, captures], &options, &mut Silent).unwrap_err();
    assert!(
        matches!(&error, JobError::NoBodies(file) if file.to_string().ends_with("robots.bundle")),
        "{error}"
    );
}
