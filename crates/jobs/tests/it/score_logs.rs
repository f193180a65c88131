//! Scores whole logs by rules of our own, with all available crawler directories: our logs, and real ones if available.
//! The expected numbers of ours are known from writing them. Those of the real ones were counted in the files themselves
//! by other means: the comments say how.

use std::path::{Path, PathBuf};

use crate::support::Folder;
use robomata_engine::{Audience, Dialect, History, StoreKind};
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::{CrawlerScore, Refusals, ScoreReport};
use robomata_jobs::score::{self, HostOfLog, ScoreJob};
use robomata_jobs::sources::{self, LoadOptions};
use robomata_jobs::{Silent, Strictness};
use robomata_testkit::shared::{expected_of, shared_folder, small_corpus};

/// The host of logs that do not name one.
const HOST: &str = "harbor.example";

const ROBOTS: &str = r#"{"host": "harbor.example", "time": "2015-01-01", "body": "User-agent: *\nDisallow: /presentations/\nDisallow: /private/"}
{"host": "ferry.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /"}
{"host": "mill.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /flour"}
{"host": "static.bbci.co.uk", "time": "2016-01-01", "body": "User-agent: *\nDisallow: /frameworks/"}
{"host": "ssl.gstatic.com", "time": "2016-01-01", "body": "User-agent: *\nDisallow: /"}
{"host": "row.bc.yahoo.com", "time": "2000-01-01", "body": "User-agent: *\nDisallow: /"}
"#;

/// Every file of the directory is read strictly: a file that is not a crawler directory would be an error.
fn agents(corpora: &Path) -> Agents {
    let entries = std::fs::read_dir(corpora.join("agents")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 3, "the JSON of two collections, and a CSV of tokens: {files:?}");
    Agents::read(&files, Strictness::Strict, &mut Silent).unwrap().0
}

/// Scores the log `name`, by the crawler directories of its corpora.
fn scored(corpora: &Path, name: &str) -> ScoreReport {
    let folder = Folder::new();
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let robots = folder.write("robots.jsonl", ROBOTS);
    let loaded = sources::load(&[robots], &LoadOptions::new(kind), &mut Silent).unwrap();
    let mut job = ScoreJob::new(&loaded.store, agents(corpora), vec![corpora.join(name)]);
    job.host = HostOfLog { host: Some(HOST.to_owned()), scheme: None };
    score::run(&job, &mut Silent).unwrap()
}

fn crawler<'r>(report: &'r ScoreReport, name: &str) -> &'r CrawlerScore {
    let found = report.crawlers.iter().find(|score| score.crawler == name);
    found.unwrap_or_else(|| panic!("{name} is not among {:?}", names(report)))
}

fn names(report: &ScoreReport) -> Vec<&str> {
    report.crawlers.iter().map(|score| score.crawler.as_str()).collect()
}

/// The numbers of requests, of requests for the robots.txt, and of violations.
fn counts(report: &ScoreReport, name: &str) -> [u64; 3] {
    let counts = crawler(report, name).counts;
    [counts.requests, counts.robots_txt, counts.disallowed]
}

/// The numbers of lines, requests and malformed lines.
fn lines(report: &ScoreReport) -> [u64; 3] {
    [report.lines, report.requests, report.errors.total()]
}

/// No browser, and no component of one, is a crawler.
fn assert_no_browsers(report: &ScoreReport) {
    for name in ["Mozilla", "rv", "x86_64", "i686", "SV1", "Windows", "Chrome", "Safari", "Firefox", "MSIE"] {
        assert!(!names(report).contains(&name), "{name}: {:?}", names(report));
    }
}

/// The numbers of visits of browsers, of other programs, and without a User-Agent.
fn others(report: &ScoreReport) -> [u64; 3] {
    let visitors = &report.visitors;
    [visitors.browsers, visitors.programs, visitors.without_user_agent]
}

#[test]
fn access_logs_of_one_host() {
    let ours = small_corpus();
    let report = scored(&ours, "logs/combined.log");
    assert_eq!((lines(&report), report.asides), ([32, 29, 1], 2));
    assert_eq!(counts(&report, "Googlebot"), [6, 1, 2]);
    assert_eq!(counts(&report, "Googlebot-Image,Googlebot"), [3, 0, 1]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [4, 1, 0]);
    assert_eq!(counts(&report, "YandexBot,Yandex"), [3, 1, 1]);
    assert_eq!(counts(&report, "GPTBot"), [2, 1, 0]);
    assert_eq!(counts(&report, "LanternBot"), [3, 1, 2]);
    assert_eq!((others(&report), report.crawlers.len()), ([6, 1, 1], 6));
    assert_no_browsers(&report);

    // Some lines have Latin-1, others are binary.
    let report = scored(&ours, "logs/latin1.log");
    assert_eq!((lines(&report), report.asides), ([12, 8, 3], 1));
    assert_eq!(counts(&report, "PetalBot"), [3, 1, 1]);
    assert_eq!(counts(&report, "Googlebot"), [1, 0, 0]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [1, 0, 1]);
    assert_eq!(counts(&report, "LanternBot"), [1, 0, 0]);
    assert_eq!((others(&report), report.crawlers.len()), ([2, 0, 0], 4));

    // This format has no User-Agents.
    let report = scored(&ours, "logs/common.log");
    assert_eq!((lines(&report), others(&report)), ([12, 12, 0], [0, 0, 12]));
}

#[test]
fn access_logs_that_name_hosts() {
    let ours = small_corpus();
    // Three hosts in turn. Nothing is known about the third.
    let report = scored(&ours, "logs/vhost-combined.log");
    assert_eq!(lines(&report), [18, 18, 0]);
    assert_eq!(counts(&report, "Googlebot"), [5, 1, 2]);
    assert_eq!(counts(&report, "Googlebot-Image,Googlebot"), [2, 0, 1]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [2, 1, 0]);
    assert_eq!(counts(&report, "YandexBot,Yandex"), [3, 1, 1]);
    assert_eq!(counts(&report, "LanternBot"), [3, 1, 1]);
    assert_eq!((others(&report), report.crawlers.len()), ([3, 0, 0], 5));

    let report = scored(&ours, "logs/vhost-common.log");
    assert_eq!((lines(&report), others(&report)), ([12, 12, 0], [0, 0, 12]));

    // Two hosts: two lines of each in turn, and one of each in turn.
    let report = scored(&ours, "logs/json.log");
    assert_eq!((lines(&report), report.asides), ([18, 16, 1], 1));
    assert_eq!(counts(&report, "Googlebot"), [3, 1, 1]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [2, 1, 1]);
    assert_eq!(counts(&report, "LanternBot"), [3, 1, 2]);
    let report = scored(&ours, "logs/requests.tsv");
    // The line that names the columns does not count as an aside.
    assert_eq!((lines(&report), report.asides), ([17, 14, 1], 1));
    assert_eq!(counts(&report, "Googlebot"), [3, 1, 2]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [2, 1, 0]);
    assert_eq!(counts(&report, "LanternBot"), [3, 1, 2]);
}

/// Counted with Python: lines; the sixth of the fields that quotes separate is the User-Agent; those with
/// `"GET /presentations/` and `"GET /robots.txt` in them. Line 8899 lacks its last quote.
#[test]
fn the_apache_log_of_elastic() {
    let Some(corpora) = shared_folder("corpora") else { return };
    let report = scored(&corpora, "logs/elastic-apache-2015.log.gz");
    assert_eq!(lines(&report), [10_000, 9_999, 1]);
    assert_eq!(counts(&report, "Googlebot"), [509, 2, 21]);
    assert_eq!(counts(&report, "Googlebot-Image,Googlebot"), [13, 0, 11]);
    assert_eq!(counts(&report, "bingbot,msnbot"), [58, 13, 1]);
    assert_eq!(counts(&report, "YandexBot,Yandex"), [64, 3, 1]);
    assert_eq!(counts(&report, "msnbot"), [96, 2, 12]);
    assert_no_browsers(&report);
    assert!(report.visitors.browsers > 7_000, "{:?}", report.visitors);
}

/// Counted as above; a malformed line has no `] "METHOD `.
#[test]
fn the_logs_of_advertools() {
    let Some(corpora) = shared_folder("corpora") else { return };
    let report = scored(&corpora, "logs/advertools-nginx.log");
    // 43 connections sent no request line.
    assert_eq!((lines(&report), report.asides), ([1_000, 957, 0], 43));
    assert_eq!(counts(&report, "Googlebot"), [17, 2, 0]);
    assert_eq!(counts(&report, "AhrefsBot"), [8, 5, 0]);
    assert_eq!(counts(&report, "PetalBot"), [13, 6, 0]);
    assert_no_browsers(&report);

    let report = scored(&corpora, "logs/advertools-latin1.log");
    assert_eq!((lines(&report), report.asides), ([200, 156, 30], 14));
    assert_eq!(counts(&report, "bingbot,msnbot"), [17, 1, 0]);
    assert_eq!(counts(&report, "Googlebot"), [10, 1, 0]);
    assert_eq!(counts(&report, "PetalBot"), [11, 1, 0]);
    assert_no_browsers(&report);

    let report = scored(&corpora, "logs/advertools-combined-with-errors.log");
    assert_eq!(lines(&report), [889, 885, 4]);
    assert_eq!(counts(&report, "Wget"), [31, 0, 0]);
    assert_no_browsers(&report);
}

/// Counted with Python, if the fourth field is an http or https URL: by the second field, which is -9998 for URLs that
/// the crawler refused, and by host and path.
#[test]
fn crawl_logs() {
    let ours = small_corpus();
    let report = scored(&ours, "logs/heritrix.log");
    assert_eq!((lines(&report), report.asides), ([21, 18, 0], 3));
    assert_eq!(names(&report), ["heritrix"]);
    assert_eq!(counts(&report, "heritrix"), [14, 3, 2]);
    assert_eq!(crawler(&report, "heritrix").counts.refused, 4);
    let refusals = Refusals {
        refused_disallowed: 3,
        refused_allowed: 0,
        refused_unknown: 1,
        fetched_disallowed: 2,
        fetched_allowed: 5,
        fetched_unknown: 4,
    };
    assert_eq!(report.refusals, Some(refusals));

    let report = scored(&ours, "logs/scrapy.log");
    assert_eq!((lines(&report), report.asides), ([15, 9, 0], 6));
    let refusals = Refusals {
        refused_disallowed: 2,
        refused_allowed: 0,
        refused_unknown: 0,
        fetched_disallowed: 1,
        fetched_allowed: 5,
        fetched_unknown: 0,
    };
    assert_eq!(report.refusals, Some(refusals));

    let Some(corpora) = shared_folder("corpora") else { return };
    let report = scored(&corpora, "logs/heritrix-bbc-crawl.log.gz");
    assert_eq!((lines(&report), report.asides), ([4_000, 3_873, 0], 127));
    assert_eq!(names(&report), ["heritrix"]);
    assert_eq!(counts(&report, "heritrix"), [3_751, 103, 255]);
    assert_eq!(crawler(&report, "heritrix").counts.refused, 122);
    let refusals = Refusals {
        refused_disallowed: 62,
        refused_allowed: 0,
        refused_unknown: 60,
        fetched_disallowed: 255,
        fetched_allowed: 677,
        fetched_unknown: 2_716,
    };
    assert_eq!(report.refusals, Some(refusals));

    let report = scored(&corpora, "logs/heritrix-webcurator-crawl.log.gz");
    assert_eq!((lines(&report), report.asides), ([5_301, 5_236, 0], 65));
    assert_eq!(counts(&report, "heritrix"), [4_946, 59, 0]);
    assert_eq!(crawler(&report, "heritrix").counts.refused, 290);
    let refusals = report.refusals.unwrap();
    assert_eq!(
        (refusals.refused_disallowed, refusals.refused_allowed, refusals.refused_unknown),
        (277, 0, 13)
    );
}

/// Counted with grep in the real file: lines whose URL column begins with http. The files do not say who fetched the URLs.
#[test]
fn indexes_of_archives() {
    let report = scored(&small_corpus(), "cdx/crawl.cdxj");
    assert_eq!(lines(&report), [21, 21, 0]);
    assert_eq!((report.visitors.without_user_agent, report.crawlers.len()), (21, 0));
    assert_eq!((report.formats[0].format, report.formats[0].detected), ("cdxj", Some((21, 21))));

    let Some(corpora) = shared_folder("corpora") else { return };
    let report = scored(&corpora, "cdx/pywb__sample_archive_cdxj_iana.cdxj");
    assert_eq!(lines(&report), [171, 171, 0]);
    assert_eq!((report.visitors.without_user_agent, report.crawlers.len()), (171, 0));
    assert_eq!((report.formats[0].format, report.formats[0].detected), ("cdxj", Some((100, 100))));
}

/// Counted with Python from the headers of records in the real files. Lines are the responses, resources and revisits, and the requests
/// without a link in WARC-Concurrent-To to or from another record. Asides are records of other schemes (`dns:`, `urn:`,
/// `metadata:`). Names come from the User-Agents of the request records.
#[test]
fn archives_of_crawlers() {
    // Lines, requests and damaged records; asides; the counts of each crawler.
    type Expected = ([u64; 3], u64, &'static [(&'static str, [u64; 3])]);
    let ours: [(&str, Expected); 4] = [
        ("crawl.warc", ([10, 7, 0], 3, &[("heritrix", [7, 3, 1])])),
        // It ends after a request.
        ("pages.warc", ([4, 4, 0], 0, &[("CCBot", [4, 0, 0])])),
        ("revisits.warc", ([6, 5, 0], 1, &[("archive.org_bot", [5, 4, 0])])),
        ("wget.warc", ([6, 4, 0], 2, &[("Wget", [4, 2, 0])])),
    ];
    let real: [(&str, Expected); 6] = [
        ("aut__src_test_resources_warc_example.warc.gz", ([299, 261, 0], 38, &[("heritrix", [261, 38, 0])])),
        // It ends after a request.
        ("chatnoir-resiliparse__tests_data_warcfile.warc.gz", ([17, 17, 0], 0, &[("CCBot", [17, 0, 0])])),
        ("incubator-stormcrawler__external_warc_src_test_resources_test.warc.gz", ([20, 20, 0], 0, &[])),
        (
            "ipwb__samples_warcs_sample-1.warc.gz",
            ([80, 75, 0], 5, &[("special_archiver", [66, 1, 0]), ("archive.org_bot", [9, 4, 0])]),
        ),
        (
            "webarchive-commons__src_test_resources_org_archive_format_warc_IAH-urls-wget.warc",
            ([19, 16, 0], 3, &[("Wget", [16, 2, 0])]),
        ),
        ("whirlwind-python__whirlwind.warc", ([1, 1, 0], 0, &[("CCBot", [1, 0, 0])])),
    ];
    for (path, (counted, asides, crawlers)) in expected_of("warc", ours, real) {
        let name = path.display();
        let report = scored(path.ancestors().nth(2).unwrap(), path.to_str().unwrap());
        assert_eq!((lines(&report), report.asides), (counted, asides), "{name}");
        assert_eq!((report.formats[0].format, report.visitors.without_user_agent), ("warc", 0), "{name}");
        let browsers = if crawlers.is_empty() { counted[1] } else { 0 };
        assert_eq!(report.visitors.browsers, browsers, "{name}");
        assert_eq!(report.crawlers.len(), crawlers.len(), "{name}: {:?}", names(&report));
        for (crawler, expected) in crawlers {
            assert_eq!(counts(&report, crawler), *expected, "{name}: {crawler}");
        }
    }
}
