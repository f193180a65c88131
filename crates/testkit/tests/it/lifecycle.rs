//! The format of life-cycle cases: refused input, preserved content, and that one seed gives one sequence.

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{
    Applies, Finding, GoodCopy, Ground, Header, Hop, Moment, SiteHealth, Standing, Terms, Unreachable, Why,
};
use robomata_testkit::lifecycle::{Questions, parse, run};

const GOOD: &str = r#"
spec = "test"
[[group]]
section = "F1"
title = "A copy: kept"
terms = ["google", "koster1996"]
given = { end = 503, hops = ["301 /a", "302"], headers = ['Age:\x31'], failing_since = "-12h +1s", copy = { at = "-1d" } }
case = [{ given = { at = 100000, site = "available", unreachable = "disallow" }, now = "1m", expect = "deferred", until = "never", refetch = "1h" }]
"#;

/// The error of [`GOOD`] with `from` replaced.
fn error_of(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    parse("file", &GOOD.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn a_file_becomes_cases_with_stable_ids() {
    let cases = parse("file", GOOD).unwrap();
    let ids: Vec<_> = cases.iter().map(|case| (case.id.as_str(), case.terms)).collect();
    let id = "file/F1/a-copy-kept/1";
    assert_eq!(ids, [(id, Terms::Google), (id, Terms::Koster1996)]);
    let situation = &cases[0].situation;
    assert_eq!(situation.attempt.end, FetchStatus::Code(503));
    assert_eq!(situation.attempt.headers, [Header::new("Age", "1")]);
    let hops = [(301, Some(b"/a".to_vec())), (302, None)].map(|(status, location)| Hop { status, location });
    assert_eq!(situation.attempt.hops, hops);
    assert_eq!(situation.failing_since, Some(Moment::from_seconds(100_000 - 43_199)));
    let copy = GoodCopy { at: Moment::from_seconds(13_600), headers: Vec::new() };
    assert_eq!((situation.good_copy.as_ref(), situation.site), (Some(&copy), SiteHealth::Available));
    assert_eq!(situation.unreachable, Unreachable::Disallow);
    assert_eq!(cases[0].now, Moment::from_seconds(100_060));
    assert_eq!(cases[0].expect.until, Some(None));
    assert_eq!(cases[0].expect.refetch, Some(Moment::from_seconds(103_600)));
}

#[test]
fn mistakes_are_refused_with_their_position() {
    assert!(
        error_of("\"google\"", "\"bing\"")
            .contains("expected rfc9309, google, koster1996 or yandex, found 'bing'")
    );
    assert!(error_of("end = 503, ", "").contains("case 1: expected `end`"));
    assert!(error_of("503", "\"lost\"").contains("found 'lost'"));
    assert!(error_of("301 /a", "moved /a").contains("expected a hop's status code, found 'moved'"));
    assert!(error_of("Age:", "Age").contains("expected a header field"));
    assert!(error_of(r"\x31", r"\q").contains("expected an escape"));
    assert!(error_of("+1s", "+1y").contains("expected a time relative to the attempt"));
    assert!(error_of("\"1m\"", "\"m\"").contains("found 'm'"));
    assert!(error_of("\"1m\"", "\"1é\"").contains("found '1é'"));
    assert!(error_of("available", "asleep").contains("expected unknown, available or failing"));
    assert!(error_of("\"disallow\"", "\"wait\"").contains("expected last-good or disallow, found 'wait'"));
    assert!(error_of("until", "untill").contains("unknown field"));
}

#[test]
fn the_runner_reports_unexpected_answers() {
    let cases = parse("file", GOOD).unwrap();
    let deferred = |at: Moment, terms| Standing {
        applies: Applies::Deferred,
        until: None,
        refetch: Moment::from_seconds(at.seconds() + 3540),
        why: Why {
            terms,
            finding: Finding::Failure,
            ground: Ground::Failing,
            status: FetchStatus::Code(503),
            redirects: 2,
            at,
            since: Some(at),
            copy: None,
        },
    };
    assert!(run(&cases, |_, now, terms| deferred(now, terms)).is_empty());
    let failures = run(&cases, |_, now, terms| Standing { until: Some(now), ..deferred(now, terms) });
    assert_eq!(failures.len(), 2);
    let message = failures[1].to_string();
    assert!(message.contains("FAILED file/F1/a-copy-kept/1 on the terms of koster1996"), "{message}");
    assert!(
        message.contains("the answer was 503, with 2 redirects: the robots.txt is unreachable"),
        "{message}"
    );
}

#[test]
fn one_seed_makes_one_sequence() {
    let make = |seed| {
        let mut questions = Questions::new(seed);
        (0..50).map(|_| questions.question()).collect::<Vec<_>>()
    };
    assert_eq!(make(7), make(7));
    assert_ne!(make(7), make(8));
}
