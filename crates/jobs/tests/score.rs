//! Requests through time.

use robomata::{Audience, Crawler, Dialect, History, Moment, StoreKind};
use robomata_jobs::score::{Judge, Judgement, TimeTravel};
use robomata_jobs::{Silent, sources};

const HISTORY: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /old"}
{"host": "a.example", "time": "2024-02-01", "body": "User-agent: *\nDisallow: /old"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /new"}
"#;

#[test]
fn a_request_is_judged_by_what_was_in_force_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.jsonl");
    std::fs::write(&path, HISTORY).unwrap();
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let loaded = sources::load(&[path], &sources::LoadOptions::new(kind), &mut Silent).unwrap();
    let judge = |travel, path: &str, time: &str| {
        let time: robomata_formats::Timestamp = time.parse().unwrap();
        let url = format!("https://a.example{path}");
        let now = Moment::from_seconds(time.seconds());
        let judgement =
            Judge::new(&loaded.store, travel).judge(&Crawler::new("ExampleBot"), url.as_bytes(), now);
        format!("{judgement:?}")
    };
    let cases = [
        ("/old", "2023-12-31", "BeforeFirstCapture"),
        ("/old", "2024-01-15", "Disallowed { line: 2, evidence: Bracketed }"),
        ("/old", "2024-02-11", "Disallowed { line: 2, evidence: Days(10) }"),
        ("/old", "2024-03-02", "Allowed"),
        ("/new", "2024-01-15", "Allowed"),
        ("/new", "2024-03-01T12:00:00Z", "Excused"),
        ("/new", "2024-03-02T00:00:01Z", "Disallowed { line: 2, evidence: Days(1) }"),
        ("/robots.txt?x", "2024-01-15", "RobotsTxt"),
    ];
    for (path, time, expected) in cases {
        assert_eq!(judge(TimeTravel::InForce, path, time), expected, "{path} {time}");
    }
    // Without the travel the verdicts are others.
    assert_eq!(judge(TimeTravel::Latest, "/old", "2024-01-15"), "Allowed");
    let elsewhere = Judge::new(&loaded.store, TimeTravel::InForce).judge(
        &Crawler::new("ExampleBot"),
        b"https://b.example/",
        Moment::from_seconds(1_704_067_200),
    );
    assert_eq!(elsewhere, Judgement::SiteUnknown);
}
