//! Permissions for usages besides crawling.

use robomata::permissions::{Permission, Permissions, Usage};
use robomata::{Dialect, Error, Moment, Robots};

fn acap(body: &str) -> Robots {
    Robots::builder().dialect(Dialect::Acap).parse(body)
}

#[test]
fn only_a_permission_without_conditions_permits() {
    let robots = acap(
        "ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=3-days\nACAP-disallow-preserve: /\n\
         ACAP-allow-follow: /\nACAP-allow-present-snippet: / must-use-resource=/terms\n",
    );
    let permissions = robots.permissions("ExampleBot").unwrap();
    let answer = |usage| permissions.check(usage, "/news/1").unwrap();
    assert_eq!(answer(Usage::Index).permission(), Permission::Permitted);
    assert_eq!(answer(Usage::Index).qualifiers(), ["time-limit=3-days"]);
    assert!(!answer(Usage::Index).missing().is_empty());
    assert_eq!(answer(Usage::AiTrain).permission(), Permission::Unspecified);
    let permitted: Vec<Usage> =
        Usage::ALL.iter().copied().filter(|&usage| permissions.is_permitted(usage, "/news/1")).collect();
    assert!(permitted.contains(&Usage::Follow));
    for usage in [Usage::Index, Usage::Preserve, Usage::AiTrain, Usage::PresentSnippet] {
        assert!(!permitted.contains(&usage), "{usage}");
        assert!(!permissions.is_permitted(usage, "not a URL"));
    }
    assert_eq!(permissions.check(Usage::Index, "not a URL"), None);
    assert_eq!(permissions.check_all("not a URL"), None);
    assert!(robots.permissions("").is_err());
}

#[test]
fn answers_are_the_same_one_by_one_and_together() {
    let robots =
        Robots::parse("User-agent: *\nNoindex: /a\nContent-Signal: ai-train=no\nContent-Usage: search=y");
    let permissions = robots.permissions("ExampleBot").unwrap();
    for url in ["/", "/a", "https://example.com/a/b"] {
        let together = permissions.check_all(url).unwrap();
        let single: Vec<_> = Usage::ALL.iter().map(|&usage| permissions.check(usage, url).unwrap()).collect();
        assert_eq!(together, single);
    }
    let source = permissions.check(Usage::Index, "/a").unwrap().source().unwrap();
    assert_eq!((source.vocabulary, source.line, source.is_referenced), ("noindex", Some(2), false));
}

/// Each required resource costs a check. The field prohibits the crawl of `/closed`, which is the last one.
#[test]
fn required_resources_beyond_the_limit_are_missing_facts() {
    let with = |open: usize| {
        let named = |path: &str| format!("ACAP-allow-present: / must-use-resource={path}\n");
        let fields: String = (0..open).map(|number| named(&format!("/{number}"))).collect();
        acap(&format!("ACAP-crawler: *\nACAP-disallow-crawl: /closed\n{fields}{}", named("/closed")))
    };
    let (few, many) = (with(7), with(12));
    let of_few = few.permissions("ExampleBot").unwrap();
    let of_many = many.permissions("ExampleBot").unwrap();
    let together = of_many.check_all("/page").unwrap();
    for (&usage, together) in Usage::ALL.iter().zip(together) {
        assert_eq!(together, of_many.check(usage, "/page").unwrap());
    }
    for usage in [Usage::Present, Usage::PresentSnippet] {
        let answer = of_few.check(usage, "/page").unwrap();
        assert_eq!((answer.permission(), answer.reason()), (Permission::Prohibited, "target-not-crawlable"));
        let answer = of_many.check(usage, "/page").unwrap();
        let missing: Vec<String> = answer.missing().iter().map(ToString::to_string).collect();
        let after = ["crawl-of=/10", "crawl-of=/11", "crawl-of=/8", "crawl-of=/9", "crawl-of=/closed"];
        assert_eq!(missing, after);
        assert!(!of_many.is_permitted(usage, "/page"));
    }
}

#[test]
fn purposes_references_and_times_count() {
    let robots = acap(
        "ACAP-crawler: *\nACAP-allow-preserve: / time-limit=until-2007-12-31\nACAP-usage-purpose: ads\n",
    );
    let at = |seconds| {
        Permissions::builder(&robots, "ExampleBot").now(Moment::from_seconds(seconds)).build().unwrap()
    };
    assert_eq!(at(1_000_000_000).check(Usage::Preserve, "/").unwrap().permission(), Permission::Permitted);
    // Of 1970, the permission would not have ended.
    for wrong in [0, 757_382_399, 1_000_000_000_000] {
        let builder = Permissions::builder(&robots, "ExampleBot").now(Moment::from_seconds(wrong));
        let expected = "now: expected seconds since 1970, of a time since 1994, found";
        assert_eq!(builder.build().unwrap_err().to_string(), format!("{expected} {wrong}"));
    }
    let expired = at(1_800_000_000).check(Usage::Preserve, "/").unwrap();
    assert_eq!((expired.permission(), expired.reason()), (Permission::Prohibited, "expired"));
    let today = robots.permissions("ExampleBot").unwrap();
    assert_eq!(today.check(Usage::Preserve, "/").unwrap(), expired);
    assert!(today.check_all("/").unwrap().contains(&expired));

    let robots = acap("ACAP-crawler: *\nACAP-permissions-reference: /more.txt\nACAP-allow-index: /\n");
    let without = robots.permissions("ExampleBot").unwrap();
    assert_eq!(without.check(Usage::Index, "/").unwrap().missing(), ["referenced=/more.txt"]);
    assert!(!without.is_permitted(Usage::Index, "/"));
    let with = Permissions::builder(&robots, "ExampleBot")
        .reference("/more.txt", "ACAP-crawler: *\nACAP-disallow-index: /x\n")
        .build()
        .unwrap();
    assert_eq!(with.check(Usage::Index, "/x").unwrap().permission(), Permission::Prohibited);
    assert!(with.check(Usage::Index, "/x").unwrap().source().unwrap().is_referenced);
    assert!(with.check(Usage::Index, "/").unwrap().missing().is_empty());
}

#[test]
fn a_robots_txt_that_is_not_known_permits_no_crawl() {
    let crawl = |status: u16, url: &str| {
        let robots = Robots::builder().status(status).parse("User-agent: *\nAllow: /\n");
        let permissions = robots.permissions("ExampleBot").unwrap();
        assert!(!permissions.is_permitted(Usage::Crawl, "/"), "{status}");
        let answer = permissions.check(Usage::Crawl, url).unwrap();
        (answer.permission(), answer.reason())
    };
    for status in [301, 304, 308] {
        for url in ["/", "/robots.txt"] {
            assert_eq!(crawl(status, url), (Permission::Deferred, "fetch"), "{status} {url}");
        }
    }
    assert_eq!(crawl(404, "/"), (Permission::Unspecified, "fetch"));
    assert_eq!(crawl(503, "/"), (Permission::Prohibited, "fetch"));
}

#[test]
fn names_of_usages_are_read() {
    for usage in Usage::ALL {
        assert_eq!(usage.as_str().parse(), Ok(*usage));
    }
    assert_eq!("Snippet".parse(), Ok(Usage::PresentSnippet));
}

/// Otherwise a prohibition might be missing.
#[test]
fn what_is_not_the_whole_page_is_refused() {
    let robots = Robots::parse("");
    let build = |headers: &str, page: &str| {
        let builder = Permissions::builder(&robots, "X").headers(headers).unwrap().page(page);
        builder.build().map(drop).map_err(|error| {
            assert!(matches!(&error, Error::Content { what, .. } if what == "page"));
            error.to_string()
        })
    };
    let gzip = "\u{1f}\u{fffd}\u{8}\0\0\0\0\0\0\u{3}\u{fffd}";
    for (headers, page) in [
        ("", "<p>"),
        ("", "\u{feff}"),
        ("Content-Length: 4000", "<p>"),
        ("Content-Encoding: gzip", "<p>decoded"),
        ("HTTP/2 200", ""),
        ("HTTP/2 204\nContent-Length: 0", ""),
        ("", "HTTP is a protocol"),
    ] {
        assert_eq!(build(headers, page), Ok(()), "{headers} {page}");
    }
    for (headers, page, expected) in [
        ("", "", "an empty page, or a fetch that failed? (if it is empty, leave it out)"),
        (
            "Content-Type: text/html",
            "",
            "an empty page, or a fetch that failed? (if it is empty, leave it out)",
        ),
        (
            "HTTP/2 200\nContent-Length: 9",
            "",
            "expected 9 bytes, as Content-Length says, found 0 (fetch it again)",
        ),
        (
            "",
            "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n<p>",
            "expected a page, found a response with its status line (pass the part after its empty line, and its headers as \
             headers)",
        ),
        (
            "Content-Encoding: gzip",
            gzip,
            "expected HTML, found data with the content coding \"gzip\" (decode it, or let the HTTP client do so)",
        ),
        ("", "PK\u{3}\u{4}", "expected a body of text, found zip data (decode the body)"),
    ] {
        assert_eq!(build(headers, page), Err(format!("page: {expected}")), "{headers} {page}");
    }
    // A response without a page has headers.
    let image = Permissions::builder(&robots, "X").headers("X-Robots-Tag: noindex").unwrap().build().unwrap();
    assert_eq!(image.check(Usage::Index, "/").unwrap().permission(), Permission::Prohibited);
}

#[test]
fn headers_of_several_calls_count() {
    let permissions = Permissions::builder(&Robots::parse(""), "X")
        .headers("HTTP/2 200\r\nX-Robots-Tag: noindex\r\n")
        .unwrap()
        .headers("Content-Type: text/html\r\nX-Robots-Tag: nofollow")
        .unwrap()
        .headers("")
        .unwrap()
        .headers("X-Robots-Tag: nosnippet")
        .unwrap()
        .page("")
        .build()
        .unwrap();
    for (usage, line) in [(Usage::Index, 2), (Usage::Follow, 4), (Usage::PresentSnippet, 5)] {
        let answer = permissions.check(usage, "/").unwrap();
        assert_eq!(answer.permission(), Permission::Prohibited);
        assert_eq!(answer.source().unwrap().line, Some(line), "{usage}");
    }
}

/// Otherwise a reservation might be missing.
#[test]
fn a_file_that_is_no_text_is_refused() {
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0";
    let tdmrep = |body: &[u8]| Permissions::builder(&Robots::parse(""), "X").tdmrep(body).build();
    for (body, expected) in [
        (&b""[..], "tdmrep: expected JSON, found no bytes (if the site has none, leave it out)"),
        (gzip, "tdmrep: expected a body of text, found gzip data (decode the body)"),
    ] {
        let error = tdmrep(body).unwrap_err();
        assert!(matches!(error, Error::Content { .. }));
        assert_eq!(error.to_string(), expected);
    }
    for (body, problem) in [
        ("[{\"location\": \"/\", \"tdm-reservation\": 1}", Some("tdmrep.json: not JSON (")),
        ("{}", Some("tdmrep.json: not an array of rules: ignored")),
        (
            "[{\"location\": \"/\", \"tdm-reservation\": 2}]",
            Some("tdmrep.json, rule 1: the 'tdm-reservation' is"),
        ),
        ("[]", None),
    ] {
        let permissions = tdmrep(body.as_bytes()).unwrap();
        let problems = permissions.tdmrep_problems();
        assert_eq!(problems.len(), usize::from(problem.is_some()), "{body}");
        assert!(
            problems.iter().zip(problem).all(|(found, problem)| found.starts_with(problem)),
            "{problems:?}"
        );
    }
    let robots = acap("ACAP-crawler: *\nACAP-permissions-reference: /more.txt\nACAP-allow-index: /\n");
    let error = Permissions::builder(&robots, "X").reference("/more.txt", gzip).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the referenced file '/more.txt': expected a body of text, found gzip data (decode the body)"
    );
}

/// What they say is not about the page.
#[test]
fn headers_of_another_response_are_refused() {
    let robots = Robots::parse("");
    let headers = |lines: &str| {
        let builder = Permissions::builder(&robots, "X").headers(lines);
        builder.map(|_| ()).map_err(|error| (error.line(), error.to_string()))
    };
    for lines in ["", "A: b", "HTTP/1.1 200 OK\r\nA: b", "HTTP/2 301\n\nHTTP/2 200\nA: b\n"] {
        assert_eq!(headers(lines), Ok(()), "{lines}");
    }
    for status in [206, 301, 404, 503] {
        let error = format!(
            "line 1: expected the status of a whole page, 200 to 299 but not 206, found \"{status}\""
        );
        assert_eq!(headers(&format!("HTTP/2 {status}\nA: b\n")), Err((1, error)));
    }
}
