//! Filters frontiers with stores.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::support::{Folder, Heard, SITES, crawlers, filter_text, load, on_threads, try_filter};
use robomata_engine::{Crawler, Dialect, Moment, StoreKind, Usage, UsageQuery};
use robomata_formats::Output;
use robomata_jobs::filter::{self, FilterJob, Resume, Selection, Tally, UnknownSites};
use robomata_jobs::sources::{self, LoadOptions};
use robomata_jobs::{JobError, ProblemKind, Silent, Strictness};

const URLS: &str = "https://a.example/private?x\r\nhttps://other.example/\nnonsense\nhttps://a.example/b\nhttp://a.example/#f";

#[test]
fn every_selection_writes_its_lines() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let written = |selection| filter_text(&folder, &loaded, URLS, |job| job.selection = selection).0;
    assert_eq!(
        written(Selection::Allowed(UnknownSites::Keep)),
        "https://other.example/\nhttps://a.example/b\nhttp://a.example/#f"
    );
    assert_eq!(written(Selection::Allowed(UnknownSites::Drop)), "https://a.example/b\nhttp://a.example/#f");
    assert_eq!(written(Selection::Disallowed), "https://a.example/private?x\r\n");
    assert_eq!(
        written(Selection::Verdicts),
        "disallow\t2\thttps://a.example/private?x\nunknown\t0\thttps://other.example/\ninvalid\t0\tnonsense\n\
         allow\t0\thttps://a.example/b\nallow\t0\thttp://a.example/#f\n"
    );
}

#[test]
fn lines_are_counted_and_bad_ones_reported() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let (_, report, heard) = filter_text(&folder, &loaded, URLS, |_| ());
    assert_eq!(report.lines, 5);
    assert_eq!(report.verdicts(), Tally { allow: 2, disallow: 1, defer: 0, unknown: 1, invalid: 1 });
    assert_eq!(report.errors.invalid_urls, 1);
    assert_eq!(heard.problems.len(), 1);
    assert!(heard.problems[0].ends_with("urls:3: expected an absolute URL, found \"nonsense\""));
}

#[test]
fn bad_lines_after_the_twentieth_are_only_counted() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    for block in [8, 1 << 20] {
        let text = "/path\n".repeat(50) + "https://a.example/\n";
        let (_, report, heard) = filter_text(&folder, &loaded, &text, |job| {
            job.block_size = NonZeroUsize::new(block);
        });
        assert_eq!(report.errors.invalid_urls, 50);
        assert_eq!(heard.problems.len(), 20);
        assert!(heard.problems[19].contains("urls:20: "));
        assert_eq!(heard.more, [(ProblemKind::Url, 30)]);
    }
}

#[test]
fn order_is_kept_over_many_blocks_and_threads() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let mut text = String::new();
    let mut expected = String::new();
    for number in 0..20_000 {
        let path = if number % 3 == 0 { "private" } else { "public" };
        // Lines of very different lengths, so that blocks overtake each other.
        let tail = "x".repeat(number * 7919 % 200);
        writeln!(text, "https://a.example/{path}/{number}?{tail}").unwrap();
        if number % 3 != 0 {
            writeln!(expected, "https://a.example/{path}/{number}?{tail}").unwrap();
        }
    }
    for (threads, block) in [(1, 100), (4, 100), (3, 4096), (8, 1 << 20)] {
        let run = || filter_text(&folder, &loaded, &text, |job| job.block_size = NonZeroUsize::new(block));
        let (written, report, _) = on_threads(threads, run);
        assert!(written == expected, "{threads} threads, blocks of {block}");
        assert_eq!(report.lines, 20_000);
    }
}

#[test]
fn several_crawlers_have_several_columns() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A", "B"]);
    let (written, report, _) =
        filter_text(&folder, &loaded, "https://a.example/private\nhttps://a.example/b\nx\n", |job| {
            job.selection = Selection::Verdicts;
            job.crawlers = crawlers(&["B", "A"]);
        });
    assert_eq!(
        written,
        "allow\t6\tdisallow\t2\thttps://a.example/private\ndisallow\t5\tallow\t0\thttps://a.example/b\n\
         invalid\t0\tinvalid\t0\tx\n"
    );
    assert_eq!(report.by_crawler[1].1, Tally { allow: 1, disallow: 1, defer: 0, unknown: 0, invalid: 1 });
    // A bad line counts once, for any number of crawlers.
    assert_eq!(report.errors.invalid_urls, 1);

    let urls = folder.path("urls");
    let error = try_filter(&folder, &loaded, urls, &mut Heard::default(), |_| ()).unwrap_err();
    assert!(matches!(error, JobError::OneCrawler));
}

#[test]
fn a_column_is_the_url_and_the_line_is_kept() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let text = "1\thttps://a.example/private\tz\n2\thttps://a.example/\tz\n3\n";
    let column = NonZeroUsize::new(2);
    let (written, _, heard) = filter_text(&folder, &loaded, text, |job| job.column = column.map(Into::into));
    assert_eq!(written, "2\thttps://a.example/\tz\n");
    assert!(heard.problems[0].ends_with("urls:3: expected at least 2 columns, separated by tabs"));
    let (written, ..) = filter_text(&folder, &loaded, text, |job| {
        job.column = column.map(Into::into);
        job.selection = Selection::Verdicts;
    });
    assert_eq!(
        written,
        "disallow\t2\thttps://a.example/private\nallow\t0\thttps://a.example/\ninvalid\t0\t\n"
    );
}

#[test]
fn strict_jobs_end_at_the_first_bad_line_and_write_nothing() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    folder.write("out", "as it was");
    let mut text = "https://a.example/\n".repeat(1000);
    text.push_str("first\nsecond\n");
    let urls = folder.write("urls", text);
    let run = || {
        try_filter(&folder, &loaded, urls, &mut Heard::default(), |job| {
            job.strictness = Strictness::Strict;
            job.block_size = NonZeroUsize::new(50);
        })
    };
    let error = on_threads(4, run).unwrap_err();
    assert!(matches!(&error, JobError::Strict(problem) if problem.line() == Some(1001)), "{error}");
    assert_eq!(folder.read("out"), "as it was");
}

#[test]
fn files_follow_each_other_and_their_lines_are_not_joined() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let first = folder.write("first", "https://a.example/1");
    let second = folder.write_compressed("second.zst", "https://a.example/2\n");
    let mut heard = Heard::default();
    let report = try_filter(&folder, &loaded, first, &mut heard, |job| job.urls.push(second)).unwrap();
    assert_eq!(folder.read("out"), "https://a.example/1\nhttps://a.example/2\n");
    assert_eq!(report.lines, 2);
}

#[test]
fn a_truncated_frontier_is_not_written_as_a_complete_one() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let text: String = (0..50_000).map(|number| format!("https://a.example/{number}\n")).collect();
    let urls = folder.write_compressed("urls.gz", &text);
    let whole = std::fs::read(&urls).unwrap();
    std::fs::write(&urls, &whole[..whole.len() / 2]).unwrap();
    let mut heard = Heard::default();
    let error = try_filter(&folder, &loaded, urls.clone(), &mut heard, |_| ()).unwrap_err();
    assert!(matches!(&error, JobError::IncompleteUrls { kept: None, .. }), "{error}");
    assert!(error.is_incomplete_input() && !folder.path("out").exists());
    // Output to a device cannot be withdrawn.
    let device = Output::create("/dev/null".as_ref()).unwrap();
    let report =
        filter::run(&FilterJob::new(&loaded.store, vec![Crawler::new("A")], vec![urls]), device, &mut heard);
    let report = report.unwrap();
    assert_eq!(report.errors.incomplete_inputs, 1);
    assert!(report.lines > 100 && report.lines < 50_000, "{}", report.lines);
}

#[test]
fn a_missing_file_of_urls_is_an_error_at_once() {
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", SITES), &["A"]);
    let missing = folder.path("missing");
    assert!(try_filter(&folder, &loaded, missing.clone(), &mut Heard::default(), |_| ()).is_err());
    assert!(!folder.path("out").exists());
    // Also after another file, and when the output cannot be withdrawn.
    let urls = vec![folder.write("urls", "https://a.example/\n"), missing];
    let device = Output::create("/dev/null".as_ref()).unwrap();
    let job = FilterJob::new(&loaded.store, vec![Crawler::new("A")], urls);
    let error = filter::run(&job, device, &mut Heard::default()).unwrap_err();
    assert!(error.to_string().contains("missing: cannot be read"), "{error}");
}

#[test]
fn blanks_around_a_url_do_not_count_and_control_characters_make_it_invalid() {
    const PDF: &str = r#"{"host": "a.example", "body": "User-agent: *\nDisallow: /*.pdf$"}"#;
    const LINES: &str = "https://a.example/b\nhttps://a.example/x.pdf \r\nhttps://a.example/x.pdf\t200\n https://a.example/c\t\n";
    let folder = Folder::new();
    let loaded = load(&folder.write("robots.jsonl", PDF), &["A"]);
    let (allowed, report, heard) = filter_text(&folder, &loaded, LINES, |_| ());
    assert_eq!(allowed, "https://a.example/b\n https://a.example/c\t\n", "lines are written as read");
    assert_eq!(report.verdicts(), Tally { allow: 2, disallow: 1, defer: 0, unknown: 0, invalid: 1 });
    assert!(heard.problems[0].ends_with(
        "urls:3: expected a URL without control characters, found \"https://a.example/x.pdf\\t200\""
    ));
    let (verdicts, ..) = filter_text(&folder, &loaded, LINES, |job| job.selection = Selection::Verdicts);
    assert_eq!(
        verdicts,
        "allow\t0\thttps://a.example/b\ndisallow\t2\thttps://a.example/x.pdf\n\
         invalid\t0\thttps://a.example/x.pdf%09200\nallow\t0\thttps://a.example/c\n"
    );
}

/// A permission ends while a run is interrupted.
#[test]
fn a_resumed_run_has_the_time_of_the_first_one() {
    let folder = Folder::new();
    let rules = "ACAP-crawler: *\\nACAP-allow-index: / time-limit=until-2007-12-31";
    let source =
        folder.write("robots.jsonl", format!("{{\"host\": \"a.example\", \"body\": \"{rules}\"}}\n"));
    let kind = StoreKind {
        usage_query: UsageQuery { usage: Usage::Index, purpose: None },
        ..StoreKind::new(Dialect::Acap, vec![Crawler::new("A")])
    };
    let loaded = sources::load(&[source], &LoadOptions::new(kind), &mut Silent).unwrap();
    let mut rng = fastrand::Rng::with_seed(1);
    let text: String = (0..20_000).map(|_| format!("https://a.example/{}\n", rng.u64(..))).collect();
    let urls = folder.write_compressed("urls.gz", &text);
    let whole = std::fs::read(&urls).unwrap();
    let to = folder.path("out");
    let run = |now: i64| {
        let mut job = FilterJob::new(&loaded.store, vec![Crawler::new("A")], vec![urls.clone()]);
        job.now = Some(Moment(now));
        let resume = Resume { to: &to, identity: &BTreeMap::new(), interval: Some(Duration::ZERO) };
        filter::resume(&job, &resume, &mut Silent).map(drop)
    };
    std::fs::write(&urls, &whole[..whole.len() / 2]).unwrap();
    // 2007-12-31 and 2008-01-02.
    run(1_199_059_200).unwrap_err();
    let written = std::fs::metadata(Output::partial_path(&to)).unwrap().len();
    assert!(0 < written && written < text.len() as u64, "{written}");
    std::fs::write(&urls, whole).unwrap();
    run(1_199_232_000).unwrap();
    assert!(folder.read("out") == text);
    run(1_199_232_000).unwrap();
    assert_eq!(folder.read("out"), "", "a run of its own");
}
