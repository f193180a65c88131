//! No mistake of a caller lets a URL through.

use robomata::lifecycle::{Applies, Attempt, Situation};
use robomata::{
    Agent, Dialect, Error, FetchStatus, FetchTimeError, Moment, PolicySet, PolicySetBuilder, Reason, Robots,
    Verdict,
};

const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0";

fn set(robots: &str) -> PolicySet {
    let mut builder = PolicySet::builder();
    builder.insert("https://example.com", robots).unwrap();
    builder.build()
}

#[test]
fn a_text_that_names_no_crawler_is_allowed_nothing() {
    let robots = Robots::parse("User-agent: *\nAllow: /");
    for agent in ["", " ", "a,,b", BROWSER, "Google bot", "("] {
        assert!(!robots.is_allowed(agent, "https://example.com/"), "{agent}");
        let rules = robots.for_agent(agent);
        let verdict = rules.check("/");
        assert_eq!((verdict.as_str(), verdict.reason()), ("invalid", Reason::InvalidAgent));
        assert!(!verdict.is_disallowed());
        assert!(rules.agent_error().is_some());
        assert_eq!(robots.crawl_delay(agent), None);
        let error = set("").check(agent, "https://example.com/").unwrap_err();
        assert!(matches!(&error, Error::Agent(error) if error.agent().as_str() == agent));
        assert_eq!(error.to_string(), rules.agent_error().unwrap().to_string());
        assert!(PolicySet::builder().agent(agent).insert("https://example.com", "").is_err());
        // A builder without sites ignores its options.
        let empty = PolicySet::builder().agent(agent).build();
        assert!(!empty.check("ExampleBot", "https://example.com/").unwrap().is_allowed());
    }
}

/// With the time 0, or milliseconds, an outage would seem to be longer than a month, which opens the site.
#[test]
fn a_time_that_no_robots_txt_was_fetched_at_opens_no_site() {
    const NOW: i64 = 1_800_000_000;
    let standing = |at: i64, now: i64, since: Option<i64>, copied: Option<i64>| {
        let attempt = Attempt::new("https://example.com/robots.txt", 503, Moment::from_seconds(at));
        let mut situation = Situation::new(attempt);
        if let Some(since) = since {
            situation = situation.failing_since(Moment::from_seconds(since));
        }
        if let Some(at) = copied {
            situation = situation.good_copy(Moment::from_seconds(at), [("", ""); 0]);
        }
        situation.standing(Moment::from_seconds(now), Dialect::Rfc9309).map(|standing| standing.applies())
    };
    assert_eq!(standing(NOW, NOW, None, None).unwrap(), Applies::Restricted);
    assert_eq!(standing(NOW, NOW, Some(757_382_400), None).unwrap(), Applies::Unrestricted);
    assert!(standing(NOW, 99_999_999_999, None, None).is_ok());
    for wrong in [i64::MIN, 0, 757_382_399, 100_000_000_000, NOW * 1000, i64::MAX] {
        for (what, advice, standing) in [
            ("at", "", standing(wrong, NOW, None, None)),
            ("now", "", standing(NOW, wrong, None, None)),
            ("failing_since", " (leave it out if it is not known)", standing(NOW, NOW, Some(wrong), None)),
            ("good_copy", " (leave it out if it is not known)", standing(NOW, NOW, None, Some(wrong))),
        ] {
            let expected = "expected seconds since 1970, of a time since 1994, found";
            let error = standing.unwrap_err();
            assert!(matches!(error, Error::Time { .. }));
            assert_eq!(error.to_string(), format!("{what}: {expected} {wrong}{advice}"));
        }
        let mut builder = PolicySet::builder();
        builder.insert_version("a.example", Moment::from_seconds(NOW), 200, "").unwrap();
        let error = builder.insert_version("a.example", Moment::from_seconds(wrong), 503, "").unwrap_err();
        assert!(error.to_string().contains("(if it is not known, insert_fetched takes"), "{error}");
        let error: FetchTimeError = Moment::from_seconds(wrong).of_fetch().unwrap_err();
        assert!(error.to_string().starts_with("expected "));
    }
}

/// Which of them is newer is not known, so the old one must not stay in force.
#[test]
fn a_capture_without_a_time_among_dated_ones_is_refused() {
    let (dated, body) = (Moment::from_seconds(1_800_000_000), "User-agent: *\nAllow: /");
    type Insert = fn(&mut PolicySetBuilder) -> Result<(), Error>;
    let undated: [Insert; 6] = [
        |builder| builder.insert("https://a.example", "User-agent: *\nDisallow: /"),
        |builder| builder.insert("a.example", "User-agent: *\nAllow: /"),
        |builder| builder.insert_fetched("https://a.example/robots.txt", 503, ""),
        |builder| builder.insert_fetched("https://a.example", 304, ""),
        |builder| builder.insert_applies("https://a.example", Applies::Restricted, ""),
        |builder| builder.insert_applies("https://a.example", Applies::Unknown, ""),
    ];
    let advice =
        "which of them is newer is not known (insert all captures of a site with insert_version, or none)";
    for insert in undated {
        for builder in [PolicySet::builder, || PolicySet::builder().keep_history()] {
            let mut first_dated = builder();
            first_dated.insert_version("https://a.example", dated, 200, body).unwrap();
            let error = insert(&mut first_dated).unwrap_err();
            assert!(matches!(&error, Error::Time { what, .. } if what == "https://a.example"));
            let expected =
                format!("https://a.example: a capture without a time among those with one: {advice}");
            assert_eq!(error.to_string(), expected);
            let mut last_dated = builder();
            insert(&mut last_dated).unwrap();
            let error = last_dated.insert_version("https://a.example", dated, 200, body).unwrap_err();
            let expected =
                format!("https://a.example: a capture with a time among those without one: {advice}");
            assert_eq!(error.to_string(), expected);
            // Each site has captures of its own.
            last_dated.insert_version("http://b.example", dated, 200, body).unwrap();
            last_dated.insert("https://b.example", body).unwrap();
            last_dated.insert("b.example", body).unwrap_err();
        }
    }
}

/// Read as a robots.txt, it would have no rules.
#[test]
fn a_body_that_is_no_text_opens_no_site() {
    let policies = set("User-agent: *\nDisallow: /");
    let bundle = policies.to_bytes().unwrap();
    for (body, found) in [
        (&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], "gzip data (decode the body)"),
        (b"\x28\xb5\x2f\xfd\x24\0", "zstd data (decode the body)"),
        (b"\x5a\x2a\x4d\x18\0", "zstd data (decode the body)"),
        (b"BZh91AY&SY\xba\xe5", "bzip2 data (decode the body)"),
        (b"BZh9\x17rE8P\x90\0\0\0\0", "bzip2 data (decode the body)"),
        (b"\xfd7zXZ\0\0\x04", "xz data (decode the body)"),
        (b"x\x9c\x0b-N-\xd2", "zlib data (decode the body)"),
        (b"x^\x0b-N-\xd2", "zlib data (decode the body)"),
        (b"x\x01\x01\x0f\0\xf0\xffDisallow: /pri", "zlib data (decode the body)"),
        (b"\x1f\x9d\x90U", "compress data (decode the body)"),
        (b"PK\x03\x04\x14\0", "zip data (decode the body)"),
        (b"7z\xbc\xaf\x27\x1c\0", "7z data (decode the body)"),
        (b"Rar!\x1a\x07\0", "rar data (decode the body)"),
        (bundle, "a bundle (open it by its name)"),
        (b"WARC/1.1\r\nWARC-Type: response\r\n", "captures of many sites (robomata compile reads them)"),
        (b"PAR1\0\0", "captures of many sites (robomata compile reads them)"),
        (
            b"HTTP/1.1 200 OK\r\n\r\nDisallow:",
            "a response with its status line (pass its body alone, and its status)",
        ),
        (b"\xef\xbb\xbfHTTP/2 503", "a response with its status line (pass its body alone, and its status)"),
    ] {
        let error = Robots::builder().try_parse(body).unwrap_err();
        assert!(matches!(error, Error::NotText { .. }));
        assert_eq!(error.to_string(), format!("expected a body of text, found {found}"));
        let mut builder = PolicySet::builder();
        assert_eq!(builder.insert("https://example.com", body).unwrap_err().to_string(), error.to_string());
        // It does not count after another status.
        builder.insert_fetched("https://example.com", 404, body).unwrap();
        assert!(Robots::builder().status(404).try_parse(body).unwrap().is_allowed("ExampleBot", "/"));
        for &dialect in Dialect::ALL {
            let robots = Robots::builder().dialect(dialect).parse(body);
            assert!(!robots.is_allowed("ExampleBot", "/"), "{dialect}: {found}");
        }
    }
}

/// Only the first bytes of these could be those of compressed data, or of a response.
#[test]
fn a_text_that_begins_like_compressed_data_is_a_robots_txt() {
    let rules = "User-agent: *\nDisallow: /";
    for beginning in [
        "HTTP/1.1: x\n",
        "HTTP/2 is read\n",
        "x^\n",
        "x^ \u{e9}\t\r\n",
        "x^2: 1\n",
        "BZh: 9\n",
        "PK\n",
        "7z\n",
        "Rar!\n",
    ] {
        let robots = Robots::builder().try_parse(format!("{beginning}{rules}")).unwrap();
        assert!(!robots.is_allowed("ExampleBot", "/a"), "{beginning}");
    }
}

#[test]
fn a_text_that_is_not_a_url_is_not_allowed() {
    let policies = set("");
    for text in [
        "",
        "?x",
        "example.com",
        "not a url",
        "mailto:a@example.com",
        "https://",
        "https:///path",
        "//example.com/private",
        " //example.com/private",
        "https://a b/",
        "https://example.com\\private",
        "https://example.com:99999/",
        "\u{0}",
    ] {
        assert!(!policies.check("ExampleBot", text).unwrap().is_allowed(), "{text}");
        for &dialect in Dialect::ALL {
            let rules = Robots::builder().dialect(dialect).parse("").for_agent("ExampleBot");
            assert_eq!(rules.check(text).reason(), Reason::InvalidUrl, "{dialect}: {text}");
            assert_eq!(rules.explain(text).verdict(), rules.check(text), "{dialect}: {text}");
            // Google's library finds a path in any text; no other dialect does.
            let is_allowed = rules.check_any_text(text).is_allowed();
            assert_eq!(is_allowed, dialect == Dialect::Google, "{dialect}: {text}");
            let permissions = rules.robots().permissions("ExampleBot").unwrap();
            assert!(permissions.check_all(text).is_none(), "{dialect}: {text}");
            assert!(rules.is_allowed("/path") && rules.is_allowed("https://EXAMPLE.com"), "{dialect}");
        }
    }
    assert_eq!(policies.check("ExampleBot", "/path").unwrap().reason(), Reason::InvalidUrl);
}

#[test]
fn blanks_around_a_url_do_not_count_and_control_characters_make_it_invalid() {
    let robots = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /private";
    let policies = set(robots);
    let cases = [
        ("https://example.com/a.pdf ", "disallow"),
        ("https://example.com/a.pdf\t", "disallow"),
        (" \thttps://example.com/private", "disallow"),
        (" https://example.com/b ", "allow"),
        ("https://example.com/a.pdf\n", "invalid"),
        ("https://example.com/pri\tvate", "invalid"),
        ("https://example.com/pri\x7Fvate", "invalid"),
        ("\0https://example.com/private", "invalid"),
    ];
    let (urls, words): (Vec<&str>, Vec<&str>) = cases.into_iter().unzip();
    let said = |verdicts: Vec<Verdict>| verdicts.iter().map(|verdict| verdict.as_str()).collect::<Vec<_>>();
    let mut checker = policies.checker("ExampleBot").unwrap();
    let mut verdicts = Vec::new();
    checker.check_all(&urls, &mut verdicts);
    assert_eq!(said(verdicts), words, "in blocks");
    assert_eq!(said(policies.check_batch("ExampleBot", &urls).unwrap()), words, "in a batch");
    let one = |url: &&str| policies.check("ExampleBot", url).unwrap();
    assert_eq!(said(urls.iter().map(one).collect()), words, "one by one");
    for (url, word) in cases {
        assert_eq!(policies.contains(url), word != "invalid", "{url:?}");
    }
    for &dialect in Dialect::ALL.iter().filter(|&&dialect| dialect != Dialect::Koster1996) {
        let rules = Robots::builder().dialect(dialect).parse(robots).for_agent("ExampleBot");
        assert_eq!(said(rules.check_batch(&urls)), words, "{dialect}");
        for (url, word) in cases {
            assert_eq!(rules.check(url).as_str(), word, "{dialect}: {url:?}");
            assert_eq!(rules.explain(url).verdict().as_str(), word, "{dialect}: {url:?}");
            assert_eq!(
                rules.drawing(Some(url.as_bytes())).is_some(),
                word != "invalid",
                "{dialect}: {url:?}"
            );
            let permissions = rules.robots().permissions("ExampleBot").unwrap();
            assert_eq!(permissions.check_all(url).is_some(), word != "invalid", "{dialect}: {url:?}");
        }
    }
}

#[test]
fn sites_that_the_set_does_not_hold_are_unknown() {
    let policies = set("");
    for url in
        ["https://example.org/", "http://example.com/", "https://example.com:8080/", "https://a.example.com/"]
    {
        let verdict = policies.check("ExampleBot", url).unwrap();
        assert_eq!((verdict.as_str(), verdict.reason()), ("unknown", Reason::UnknownSite), "{url}");
        assert!(!policies.contains(url));
    }
    assert!(policies.contains("https://EXAMPLE.com/x"));
    assert_eq!(policies.len(), 1);
}

#[test]
fn a_set_does_not_answer_for_other_crawlers_than_its_own() {
    let mut builder = PolicySet::builder().agent("ExampleBot").agent("Googlebot-Image,Googlebot");
    builder.insert("example.com", "User-agent: Googlebot\nDisallow: /").unwrap();
    let policies = builder.build();
    assert_eq!(policies.len(), 2, "a host name stands for http and https");
    let error = policies.check("Googlebot", "https://example.com/").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the policies hold no crawler 'Googlebot': they were compiled for 'ExampleBot', 'Googlebot-Image,Googlebot'"
    );
    assert!(matches!(error, Error::UnsupportedAgent { agent, .. } if agent.as_str() == "Googlebot"));
    assert!(policies.check("EXAMPLEBOT", "https://example.com/").unwrap().is_allowed());
    let agents: Vec<String> = policies.agents().unwrap().iter().map(Agent::to_string).collect();
    assert_eq!(agents, ["ExampleBot", "Googlebot-Image,Googlebot"]);
}

#[test]
fn a_set_for_every_crawler_of_google_refuses_several_names() {
    let mut builder = PolicySet::builder().dialect(Dialect::Google);
    builder.insert("https://example.com", "User-agent: b\nDisallow: /").unwrap();
    let error = builder.build().check("a,b", "https://example.com/").unwrap_err();
    assert!(error.to_string().starts_with("'a,b' has several names: expected one"), "{error}");
}

#[test]
fn a_failed_fetch_follows_the_dialect() {
    let allowed = |status: FetchStatus, dialect| {
        Robots::builder().dialect(dialect).status(status).parse("").is_allowed("ExampleBot", "/")
    };
    for &dialect in Dialect::ALL {
        assert!(allowed(200.into(), dialect), "{dialect}");
        assert!(allowed(404.into(), dialect), "{dialect}");
        assert!(!allowed(FetchStatus::NetworkFailure, dialect), "{dialect}");
        assert!(!allowed(301.into(), dialect), "{dialect}");
        // Some programs report a network failure as status 0.
        assert!(!allowed(0.into(), dialect), "{dialect}");
        assert!(!allowed(FetchStatus::Code(0), dialect), "{dialect}");
    }
    assert!(!allowed(503.into(), Dialect::Rfc9309));
    assert!(!allowed(403.into(), Dialect::Koster1996));
    let verdict =
        Robots::builder().dialect(Dialect::Koster1996).status(503).parse("").check("ExampleBot", "/");
    assert_eq!((verdict.as_str(), verdict.reason(), verdict.access()), ("defer", Reason::Deferred, None));
}

#[test]
fn options_cannot_change_after_the_first_site() {
    let mut builder = PolicySet::builder();
    builder.insert("https://example.com", "User-agent: *\nDisallow: /").unwrap();
    let mut builder = builder.dialect(Dialect::Google);
    let error = builder.insert("https://example.org", "").unwrap_err();
    assert!(error.to_string().starts_with("the options of the builder changed after the first site"));
    let policies = builder.build();
    assert_eq!((policies.dialect(), policies.len()), (Dialect::Rfc9309, 1));
}

#[test]
fn errors_of_sites_say_what_was_expected() {
    let error = |site: &str| PolicySet::builder().insert(site, "").unwrap_err().to_string();
    assert_eq!(error("https://a b/"), "'https://a b/' is not a site: expected a host name");
    assert_eq!(
        error("example.com/robots.txt"),
        "'example.com/robots.txt' is not a site: expected a host name"
    );
    for url in [
        "https://example.com/ads.txt",
        "https://example.com/robots.txt?x",
        "https://example.com/a/robots.txt",
        "https://example.com/Robots.txt",
        "https://example.com//",
        "https://example.com/.well-known/tdmrep.json",
    ] {
        let expected = format!("'{url}' is not a site: expected the URL of a site or of its /robots.txt");
        assert_eq!(error(url), expected);
    }
    for site in [".example.com", "https://.example.com"] {
        assert_eq!(error(site), format!("'{site}' is not a site: expected a host name"));
    }
    let mut builder = PolicySet::builder();
    for site in ["https://a.example", "https://b.example/", "https://c.example/robots.txt#x", "d.example"] {
        builder.insert(site, "").unwrap();
    }
    let policies = builder.build();
    for site in ["https://a.example", "https://b.example", "https://c.example", "http://d.example"] {
        assert!(policies.check("ExampleBot", site).unwrap().is_allowed(), "{site}");
    }
    assert_eq!(error("http://a:99999"), "'http://a:99999' is not a site: expected a port up to 65535");
    assert_eq!(
        PolicySet::builder().dialect(Dialect::Acap).insert("a.example", "").unwrap_err().to_string(),
        "the dialect 'acap' requires agents (call PolicySetBuilder::agent)"
    );
}

/// The last redirect leads to a URL that was not requested.
#[test]
fn redirects_in_header_lines_were_followed() {
    let applies = |attempt: Attempt, lines: &str, dialect| {
        let situation = Situation::new(attempt.header_lines(lines).unwrap());
        situation.standing(Moment::from_seconds(1_800_000_000), dialect).unwrap().applies()
    };
    let attempt =
        |end: u16| Attempt::new("https://a.example/robots.txt", end, Moment::from_seconds(1_800_000_000));
    let away = "HTTP/1.1 301 Moved\nLocation: https://b.example/x\n\n";
    let relative = "HTTP/1.1 301 Moved\nLocation: /robots.txt\n\n";
    let chain = format!("{away}{relative}");
    assert_eq!(applies(attempt(301), &chain, Dialect::Rfc9309), Applies::Unknown);
    assert_eq!(applies(attempt(301), relative, Dialect::Rfc9309), Applies::Unrestricted, "a loop");
    let six = relative.repeat(6) + "HTTP/1.1 404 x\n";
    assert_eq!(applies(attempt(404), &six, Dialect::Koster1996), Applies::Deferred);
    // A part of a file is no success.
    let success = || {
        Attempt::new(
            "https://a.example/robots.txt",
            FetchStatus::Success,
            Moment::from_seconds(1_800_000_000),
        )
    };
    assert_eq!(applies(success(), "HTTP/1.1 204 x", Dialect::Rfc9309), Applies::Rules);
    let error = success().header_lines("HTTP/1.1 206 Partial Content").unwrap_err();
    assert_eq!(error.to_string(), "line 1: expected a success other than 206, found \"206\"");
    // They count once.
    let three = relative.repeat(3) + "HTTP/1.1 503 x\n";
    let added = (0..3).fold(attempt(503), |attempt, _| attempt.redirect(301, "/robots.txt"));
    assert_eq!(applies(added, &three, Dialect::Rfc9309), Applies::Restricted);
}
