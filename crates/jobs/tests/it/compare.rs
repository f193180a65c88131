//! Compares several dialects on one frontier.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::support::{Folder, Heard, SITES, on_threads, options};
use robomata_engine::{Crawler, Dialect, StoreKind};
use robomata_formats::Output;
use robomata_jobs::compare::{
    self, CompareJob, CompareReport, Compared, Difference, KindCount, Listing, PairCount, Shown,
};
use robomata_jobs::sources::{self, DialectStores, Keep, LoadOptions};
use robomata_jobs::{JobError, ProblemKind, Silent, Strictness};

use Dialect::{Acap, Google, Koster1996, Rfc9309, Yandex};

fn load(source: PathBuf, crawler: &str, dialects: &[Dialect]) -> DialectStores {
    let options = LoadOptions { keep: Keep::Bodies, ..options(&[crawler]) };
    sources::load_panel(&[source], dialects, &options, &mut Silent).unwrap()
}

/// The report about the URLs of `text`, and its listing: URL and verdicts.
fn report<'s>(
    folder: &Folder,
    dialect_stores: &'s DialectStores,
    text: &str,
    change: impl FnOnce(&mut CompareJob<'s>),
) -> (CompareReport, String, Heard) {
    let mut job = CompareJob::new(dialect_stores, Crawler::new("A"), vec![folder.write("urls", text)]);
    change(&mut job);
    let mut heard = Heard::default();
    let listing = Listing { output: Output::create(&folder.path("listing")).unwrap(), form: &form };
    let report = compare::run(&job, Some(listing), &mut heard).unwrap();
    (report, folder.read("listing"), heard)
}

fn form(difference: &Difference, out: &mut Vec<u8>) {
    let words: Vec<&str> = difference.answers.iter().map(|answer| answer.verdict).collect();
    out.extend_from_slice(format!("{} {}\n", difference.url, words.join(" ")).as_bytes());
}

/// The only cause in a file, under RFC 9309 and another dialect: its name and sentence.
fn cause(capture: &str, crawler: &str, path: &str, dialect: Dialect, compared: Compared) -> (String, String) {
    let folder = Folder::new();
    let source = folder.write("robots.jsonl", format!(r#"{{"host": "a.example", {capture}}}"#));
    let dialect_stores = load(source, crawler, &[Rfc9309, dialect]);
    let (report, ..) = report(&folder, &dialect_stores, &format!("https://a.example{path}\n"), |job| {
        job.crawler = Crawler::new(crawler);
        job.compared = compared;
    });
    assert_eq!(report.counts.different, 1, "{} {path}", &capture[..capture.len().min(200)]);
    let [cause] = &report.sites[0].examples[0].causes[..] else { panic!("{:?}", report.sites) };
    assert_eq!(cause.dialects, [Rfc9309, dialect]);
    (cause.cause.as_str().to_owned(), cause.text.clone())
}

#[test]
fn lines_show_the_causes() {
    let cases: [(&str, &str, Dialect, &str, &str); 22] = [
        (
            r#""status": 403"#,
            "/",
            Koster1996,
            "fetch",
            "status 403 means that all is allowed under rfc9309, that all is disallowed under koster1996",
        ),
        (
            r#""status": 429"#,
            "/",
            Google,
            "fetch",
            "status 429 means that all is allowed under rfc9309, that all is disallowed under google",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /""#,
            "/robots.txt",
            Google,
            "robots-txt",
            "/robots.txt itself is always allowed under rfc9309, not under google",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-allow-crawl: /c\nDisallow: /b""#,
            "/b",
            Acap,
            "acap",
            "the file's ACAP fields override line 6 under acap",
        ),
        (
            r#""body": "User-agent: *\nDisallowed: /x""#,
            "/x",
            Google,
            "reading",
            "line 2 is not a rule under rfc9309",
        ),
        (
            r#""body": "User-agent: *\nDisallow /x""#,
            "/x",
            Koster1996,
            "reading",
            "line 2 is not a rule under koster1996",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a\nDisallow /wiki/Special:Search""#,
            "/wiki/Special:Search",
            Google,
            "reading",
            "line 3 is another rule under google: 'Disallow: Search'",
        ),
        (
            r#""body": "Useragent: *\nDisallow: /x""#,
            "/x",
            Yandex,
            "reading",
            "line 2 belongs to no group under yandex",
        ),
        (
            r#""body": "User-agent: a\nDisallow: /y\n\nUseragent: *\nUseragent: a\nDisallow: /x""#,
            "/x",
            Koster1996,
            "reading",
            "line 6 belongs to no group under koster1996",
        ),
        (
            r#""body": "User-agent: *\nACAP-crawler: *\nACAP-allow-crawl: /z\nUser-agent: foo\nDisallow: /b""#,
            "/b",
            Acap,
            "acap",
            "the file's ACAP fields end the list of names that includes the crawler, above line 5 under acap",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a\n\nDisallow: /b""#,
            "/b",
            Koster1996,
            "record",
            "under koster1996 a blank line ends the group before line 4",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b""#,
            "/b",
            Koster1996,
            "group",
            "line 5 is in a group that koster1996 does not choose: only the first group for '*' counts",
        ),
        (
            r#""status": 503"#,
            "/",
            Yandex,
            "fetch",
            "status 503 means that all is disallowed under rfc9309, that all is allowed under yandex",
        ),
        (
            r#""body": "User-agent: *\nDisallow: *\nDisallow:""#,
            "/a",
            Yandex,
            "empty-rule",
            "line 3 is empty and is not a rule under rfc9309",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a**b\nAllow: /a*b""#,
            "/ab",
            Yandex,
            "length",
            "rfc9309 and yandex count the bytes of patterns differently",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /*.pdf""#,
            "/a.pdf",
            Koster1996,
            "wildcard",
            "'*' and '$' of line 2 are ordinary bytes under koster1996",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a$""#,
            "/a$b",
            Koster1996,
            "wildcard",
            "'*' and '$' of line 2 are ordinary bytes under koster1996",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a?x""#,
            "/a?x",
            Koster1996,
            "query",
            "line 2 matches the query, which koster1996 ignores",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /f/\nAllow: /f/index.html""#,
            "/f/",
            Google,
            "index-page",
            "line 3 names an index page and also applies to its folder under google",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /private""#,
            "/%70rivate?q",
            Google,
            "form",
            "google compares the URL and line 2 in another form",
        ),
        (
            r#""body": "User-agent: *\nDisallow: /a\nAllow: /a/b""#,
            "/a/b",
            Koster1996,
            "order",
            "the first match, line 2, decides under koster1996, the longest match under rfc9309",
        ),
        (
            r#""body": "User-agent: *\nAllow: /%61%62\nDisallow: /*%62*""#,
            "/%61%62c",
            Google,
            "length",
            "rfc9309 and google count the bytes of patterns differently",
        ),
    ];
    for (capture, path, dialect, name, text) in cases {
        let found = cause(capture, "A", path, dialect, Compared::Verdict);
        assert_eq!((found.0.as_str(), found.1.as_str()), (name, text), "{capture}");
    }
}

#[test]
fn a_rule_behind_the_limit_of_a_dialect_is_not_read() {
    let capture = format!(r#""body": "User-agent: *\n#{}\nDisallow: /x""#, "x".repeat(5 << 20));
    let (name, text) = cause(&capture, "A", "/x", Google, Compared::Verdict);
    assert_eq!(
        (name.as_str(), text.as_str()),
        ("reading", "line 3 is behind what rfc9309 reads of the file")
    );
}

#[test]
fn names_choose_groups_differently() {
    let capture = r#""body": "User-agent: MJ12bot\nDisallow: /x""#;
    let (name, text) = cause(capture, "MJ12bot", "/x", Google, Compared::Verdict);
    assert_eq!(name, "group");
    let expected =
        "line 2 is in a group that google does not choose: rfc9309 chooses 'MJ12bot', google chooses none";
    assert_eq!(text, expected);
}

#[test]
fn other_lines_with_the_same_effect_are_differences_when_lines_are_compared() {
    let capture = r#""body": "User-agent: *\nDisallow:""#;
    let (name, text) = cause(capture, "A", "/", Google, Compared::Line);
    assert_eq!(
        (name.as_str(), text.as_str()),
        ("empty-rule", "line 2 is empty and is not a rule under rfc9309")
    );

    let folder = Folder::new();
    let source = folder.write("robots.jsonl", format!(r#"{{"host": "a.example", {capture}}}"#));
    let dialect_stores = load(source, "A", &[Rfc9309, Google]);
    for (compared, alike, different) in [(Compared::Verdict, 1, 0), (Compared::Line, 0, 1)] {
        let url = "https://a.example/\n";
        let (report, listing, _) = report(&folder, &dialect_stores, url, |job| job.compared = compared);
        let counts = &report.counts;
        assert_eq!(
            (counts.alike, counts.different, listing.lines().count() as u64),
            (alike, different, different)
        );
        assert_eq!((counts.pairs[0].urls, counts.pairs[0].other_lines), (0, different));
    }
}

#[test]
fn counts_are_by_pair_and_kind() {
    let folder = Folder::new();
    let dialect_stores = load(folder.write("robots.jsonl", SITES), "A", &[Rfc9309, Koster1996]);
    let text = "https://a.example/private\nhttps://down.example/\nhttps://down.example/robots.txt\n\
                https://moved.example/\nhttps://other.example/\nnonsense\nhttps://gone.example/\n";
    let (report, listing, heard) = report(&folder, &dialect_stores, text, |_| ());
    let counts = &report.counts;
    assert_eq!(
        (counts.lines, counts.alike, counts.different, counts.unknown, counts.invalid),
        (7, 2, 2, 2, 1)
    );
    let kind = |one, other| KindCount { answers: [one, other], urls: 1 };
    assert_eq!(
        counts.pairs,
        [PairCount {
            dialects: [Rfc9309, Koster1996],
            urls: 2,
            kinds: vec![kind("allow", "defer"), kind("disallow", "defer")],
            other_lines: 0,
        }]
    );
    assert_eq!((counts.dialects[0].verdicts.allow, counts.dialects[1].verdicts.defer), (2, 2));
    assert_eq!(
        listing,
        "https://down.example/ disallow defer\nhttps://down.example/robots.txt allow defer\n"
    );
    assert_eq!(report.errors.invalid_urls, 1);
    assert!(heard.problems[0].ends_with("urls:6: expected an absolute URL, found \"nonsense\""));
}

const QUERIES: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /*?"}
{"host": "b.example", "body": "User-agent: *\nDisallow: /*?"}
{"host": "c.example", "body": "User-agent: *\nDisallow: /*?"}
"#;

#[test]
fn examples_are_limited_and_counts_are_not() {
    let folder = Folder::new();
    let dialect_stores = load(folder.write("robots.jsonl", QUERIES), "A", &Dialect::ALL);
    let urls = ["c/?1", "b/?2", "a/?3", "b/?4", "c/?5", "c/?6", "c/7"];
    let text: String = urls.map(|url| format!("https://{}\n", url.replace('/', ".example/"))).concat();
    let (report, listing, _) = report(&folder, &dialect_stores, &text, |job| {
        job.shown = Shown { sites: 2, examples: 2 };
    });
    let shown: Vec<(&str, u64, Vec<&str>)> = report
        .sites
        .iter()
        .map(|site| {
            (&*site.site, site.urls, site.examples.iter().map(|example| &*example.url).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("https://c.example", 3, vec!["https://c.example/?1", "https://c.example/?5"]),
            ("https://b.example", 2, vec!["https://b.example/?2", "https://b.example/?4"]),
        ]
    );
    assert_eq!((report.counts.different, report.counts.differing_sites), (6, 3));
    assert_eq!(listing.lines().count(), 6);
    let answer = &report.sites[0].examples[0].answers[0];
    assert_eq!((answer.dialect, answer.verdict, answer.line), (Rfc9309, "disallow", 2));
    assert_eq!((answer.rule.as_deref(), answer.group.as_deref()), (Some("Disallow: /*?"), Some("*")));
}

#[test]
fn the_same_on_any_number_of_threads_and_from_compressed_files() {
    let folder = Folder::new();
    let source = folder.write_compressed("robots.jsonl.zst", QUERIES);
    let dialect_stores = load(source, "A", &Dialect::ALL);
    let text: String = (0..10_000)
        .map(|number| {
            let site = ["a", "b", "c", "d"][number * 7919 % 1000 % 4];
            let query = if number % 3 == 0 { "?" } else { "" };
            format!("https://{site}.example/{}{query}{number}\n", "x".repeat(number % 100))
        })
        .collect();
    let run = |threads, block: usize| {
        let run = || report(&folder, &dialect_stores, &text, |job| job.block_size = NonZeroUsize::new(block));
        on_threads(threads, run)
    };
    let (first, listing, _) = run(1, 1 << 20);
    let expected = text.lines().filter(|url| url.contains('?') && !url.starts_with("https://d."));
    assert_eq!(listing.lines().count(), expected.clone().count());
    assert!(listing.lines().zip(expected).all(|(line, url)| line.split(' ').next() == Some(url)));
    for (threads, block) in [(1, 100), (4, 100), (8, 5000)] {
        let (other, written, _) = run(threads, block);
        assert!((&other.counts, &other.sites) == (&first.counts, &first.sites), "{threads} {block}");
        assert!(written == listing, "{threads} {block}");
    }
    let compressed = folder.write_compressed("urls.gz", &text);
    let (other, written, _) = report(&folder, &dialect_stores, "", |job| job.urls = vec![compressed]);
    assert!(other.counts == first.counts && written == listing);
}

#[test]
fn strict_jobs_end_at_the_first_bad_line_and_write_nothing() {
    let folder = Folder::new();
    let dialect_stores = load(folder.write("robots.jsonl", QUERIES), "A", &[Rfc9309, Koster1996]);
    let urls = folder.write("urls", "https://a.example/?\n".repeat(1000) + "first\nsecond\n");
    let mut job = CompareJob::new(&dialect_stores, Crawler::new("A"), vec![urls]);
    job.strictness = Strictness::Strict;
    job.block_size = NonZeroUsize::new(50);
    folder.write("listing", "as it was");
    let listing = Listing { output: Output::create(&folder.path("listing")).unwrap(), form: &form };
    let error = on_threads(4, || compare::run(&job, Some(listing), &mut Silent)).unwrap_err();
    assert!(matches!(&error, JobError::Strict(problem) if problem.line() == Some(1001)), "{error}");
    assert_eq!(folder.read("listing"), "as it was");

    job.strictness = Strictness::Lenient;
    let text = "nonsense\n".repeat(50) + "https://a.example/\n";
    let (report, _, heard) = report(&folder, &dialect_stores, &text, |_| ());
    assert_eq!((report.counts.invalid, heard.problems.len()), (50, 20));
    assert_eq!(heard.more, [(ProblemKind::Url, 30)]);
}

#[test]
fn a_missing_file_of_urls_is_an_error() {
    let folder = Folder::new();
    let dialect_stores = load(folder.write("robots.jsonl", QUERIES), "A", &[Rfc9309, Koster1996]);
    let urls = vec![folder.write("urls", "https://a.example/\n"), folder.path("missing")];
    let job = CompareJob::new(&dialect_stores, Crawler::new("A"), urls);
    let error = compare::run(&job, None, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("missing: cannot be read"), "{error}");
}

#[test]
fn sources_are_read_once_for_all_dialects() {
    let folder = Folder::new();
    let source = folder.write("robots.jsonl", format!("{{}}\n{SITES}"));
    let options = LoadOptions { keep: Keep::Bodies, ..options(&["A"]) };
    let mut heard = Heard::default();
    let dialect_stores =
        sources::load_panel(std::slice::from_ref(&source), &Dialect::ALL, &options, &mut heard).unwrap();
    assert_eq!((dialect_stores.counts.captures, dialect_stores.counts.errors.bad_source_lines), (4, 1));
    assert_eq!(heard.problems.len(), 1);
    for (dialect, store) in Dialect::ALL.into_iter().zip(&dialect_stores.stores) {
        let kind = StoreKind { dialect, ..options.kind.clone() };
        let alone = LoadOptions { kind, ..options.clone() };
        let loaded = sources::load(std::slice::from_ref(&source), &alone, &mut Silent).unwrap();
        assert_eq!(store.bytes(), loaded.store.bytes(), "{dialect}");
    }
}

#[test]
fn long_lines_are_quoted_in_part() {
    let folder = Folder::new();
    let body = format!("User-agent: *\\nDisallow: /{}*", "é".repeat(10_000));
    let source = folder.write("robots.jsonl", format!(r#"{{"host": "a.example", "body": "{body}"}}"#));
    let dialect_stores = load(source, "A", &[Rfc9309, Koster1996]);
    let url = format!("https://a.example/{}\n", "é".repeat(10_000));
    let (report, ..) = report(&folder, &dialect_stores, &url, |_| ());
    let rule = report.sites[0].examples[0].answers[0].rule.as_deref().unwrap();
    assert!(rule.starts_with("Disallow: /é") && rule.ends_with("é…"));
    assert_eq!(rule.chars().count(), 501);
}
