use robomata_protocol::{Answer, Crawler, Dialect, FetchStatus, Reason, Verdict};

use crate::judge;

const RFC9309_AND_GOOGLE: [Dialect; 2] = [Dialect::Rfc9309, Dialect::Google];

const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /a\n";

fn answer_of(status: Option<FetchStatus>, dialect: Dialect, url: &str) -> Answer {
    judge(ROBOTS, status, &Crawler::new("FooBot"), dialect, url.as_bytes())
}

fn code(code: u16) -> Option<FetchStatus> {
    Some(FetchStatus::Code(code))
}

#[test]
fn f1_with_success_or_no_status_the_body_decides() {
    for dialect in Dialect::ALL {
        for status in [None, Some(FetchStatus::Success), code(200), code(204), code(299)] {
            // Yandex documents 200 alone.
            if dialect == Dialect::Yandex && [code(204), code(299)].contains(&status) {
                assert_eq!(answer_of(status, dialect, "/a"), Answer::Verdict(Verdict::UNAVAILABLE));
                continue;
            }
            let expected = Answer::Verdict(Verdict {
                access: robomata_protocol::Access::Disallow,
                line: 2,
                reason: Reason::Rule,
            });
            assert_eq!(answer_of(status, dialect, "/a"), expected);
            assert_eq!(answer_of(status, dialect, "/b"), Answer::Verdict(Verdict::NO_RULE));
        }
    }
}

#[test]
fn f1_a_redirect_leaves_the_policy_unknown() {
    for dialect in Dialect::ALL {
        for status in [300, 301, 302, 304, 399] {
            for url in ["/a", "/b", "/robots.txt", "http://x"] {
                assert_eq!(answer_of(code(status), dialect, url), Answer::Unknown);
            }
        }
    }
    assert_eq!(answer_of(code(301), Dialect::Rfc9309, "no url"), Answer::Invalid);
    assert_eq!(answer_of(code(301), Dialect::Google, "no url"), Answer::Unknown);
}

#[test]
fn f1_unavailable_allows_all() {
    for dialect in RFC9309_AND_GOOGLE {
        for status in [400, 401, 403, 404, 410, 499] {
            assert_eq!(answer_of(code(status), dialect, "/a"), Answer::Verdict(Verdict::UNAVAILABLE));
        }
    }
    assert_eq!(answer_of(code(429), Dialect::Rfc9309, "/a"), Answer::Verdict(Verdict::UNAVAILABLE));
    assert_eq!(answer_of(code(429), Dialect::Google, "/a"), Answer::Verdict(Verdict::UNREACHABLE));
}

#[test]
fn f1_unreachable_disallows_all_but_robots_txt() {
    for status in [
        code(206),
        code(500),
        code(503),
        code(599),
        code(600),
        code(199),
        code(0),
        Some(FetchStatus::NetworkFailure),
    ] {
        for dialect in RFC9309_AND_GOOGLE {
            assert_eq!(answer_of(status, dialect, "/b"), Answer::Verdict(Verdict::UNREACHABLE));
        }
        let robots_txt = |dialect| answer_of(status, dialect, "http://x/robots.txt");
        assert_eq!(robots_txt(Dialect::Rfc9309), Answer::Verdict(Verdict::ROBOTS_TXT));
        assert_eq!(robots_txt(Dialect::Google), Answer::Verdict(Verdict::UNREACHABLE));
    }
}

#[test]
fn f1_access_results_of_section_3_1_under_koster1996() {
    let expect = |status, answer| {
        for url in ["/a", "/b", "/robots.txt"] {
            assert_eq!(answer_of(status, Dialect::Koster1996, url), answer, "{status:?}");
        }
    };
    for restricted in [401, 403] {
        expect(code(restricted), Answer::Verdict(Verdict::RESTRICTED));
    }
    for unrestricted in [404, 400, 402, 405, 407, 410, 418, 428, 451, 499] {
        expect(code(unrestricted), Answer::Verdict(Verdict::UNAVAILABLE));
    }
    for deferred in [408, 429, 500, 502, 503, 504, 599, 600, 999, 0, 100, 199] {
        expect(code(deferred), Answer::Defer);
    }
    expect(Some(FetchStatus::NetworkFailure), Answer::Defer);
    assert_eq!(answer_of(code(503), Dialect::Koster1996, "no url"), Answer::Invalid);
    assert_eq!((Answer::Defer.as_str(), Answer::Defer.line()), ("defer", 0));
}

#[test]
fn an_invalid_url_is_invalid_for_every_outcome() {
    for status in [None, code(301), code(404), code(500)] {
        assert_eq!(answer_of(status, Dialect::Rfc9309, "example.com"), Answer::Invalid);
    }
}

#[test]
fn the_reason_is_a_rule_exactly_when_a_line_decided() {
    let robots = b"User-agent: *\nDisallow:\nAllow: /x\nDisallow: /y\n";
    for dialect in Dialect::ALL {
        for url in ["/", "/x", "/y", "/robots.txt"] {
            let answer = judge(robots, None, &Crawler::new("FooBot"), dialect, url.as_bytes());
            let Answer::Verdict(verdict) = answer else { panic!("{url} is a URL") };
            assert_eq!(verdict.reason == Reason::Rule, verdict.line != 0, "{dialect} {url}");
        }
    }
    let empty_rule = judge(robots, None, &Crawler::new("FooBot"), Dialect::Google, b"/");
    assert_eq!(empty_rule, Answer::Verdict(Verdict::by_rule(robomata_protocol::Access::Allow, 2)));
}
