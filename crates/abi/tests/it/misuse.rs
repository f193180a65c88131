//! Mistakes of callers are errors, and leave the outputs as they were.

use std::ptr::{null, null_mut};

use robomata_abi::*;

const BODY: &[u8] = b"User-agent: *\nDisallow: /private";

fn robots() -> *mut RobomataRobots {
    let mut robots = null_mut();
    // SAFETY: the pointer and the length are those of `BODY`, and the output is a local variable.
    let code =
        unsafe { robomata_robots_parse(BODY.as_ptr(), BODY.len(), ROBOMATA_RFC9309, 200, &raw mut robots) };
    assert_eq!(code, ROBOMATA_OK);
    robots
}

fn rules(robots: *const RobomataRobots) -> *mut RobomataRules {
    let mut rules = null_mut();
    // SAFETY: the callers pass a handle that is not freed; the agent has one byte.
    assert_eq!(unsafe { robomata_rules_new(robots, b"a".as_ptr(), 1, &raw mut rules) }, ROBOMATA_OK);
    rules
}

fn last_error() -> String {
    let (mut text, mut length) = (null(), 0);
    // SAFETY: the outputs are local variables. The text lasts until the next call that fails, and is copied before.
    unsafe {
        robomata_last_error(&raw mut text, &raw mut length);
        String::from_utf8(std::slice::from_raw_parts(text, length).to_vec()).unwrap()
    }
}

#[test]
fn null_is_refused() {
    let untouched = std::ptr::without_provenance_mut(8);
    let mut robots: *mut RobomataRobots = untouched;
    // SAFETY: null is refused before anything is read, and the output is a local variable.
    let code = unsafe { robomata_robots_parse(null(), 3, 0, 200, &raw mut robots) };
    assert_eq!((code, robots), (ROBOMATA_ERROR_NULL, untouched));
    assert_eq!(last_error(), "body: expected a pointer, found null");
    // SAFETY: an output that is null is refused; nothing is written.
    assert_eq!(unsafe { robomata_robots_parse(null(), 0, 0, 200, null_mut()) }, ROBOMATA_ERROR_NULL);
    let mut verdict = RobomataVerdict { verdict: 9, ..RobomataVerdict::default() };
    // SAFETY: a handle that is null is refused; the URL has one byte, and the output is a local variable.
    let code = unsafe { robomata_check(null(), b"/".as_ptr(), 1, &raw mut verdict) };
    assert_eq!((code, verdict.verdict), (ROBOMATA_ERROR_NULL, 9));
    let mut text = null_mut();
    // SAFETY: a handle that is null is refused, and the output is a local variable.
    assert_eq!(unsafe { robomata_explain(null(), null(), 0, &raw mut text) }, ROBOMATA_ERROR_NULL);
    // SAFETY: all of these accept null.
    unsafe {
        robomata_robots_free(null_mut());
        robomata_rules_free(null_mut());
        robomata_text_free(null_mut());
        robomata_bundle_free(null_mut());
        robomata_last_error(null_mut(), null_mut());
        assert!(robomata_text_data(null()).is_null() && robomata_text_length(null()) == 0);
    }
}

/// Read as a robots.txt, it would have no rules.
#[test]
fn compressed_data_is_no_robots_txt() {
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0";
    let untouched = std::ptr::without_provenance_mut(8);
    let mut robots: *mut RobomataRobots = untouched;
    // SAFETY: the pointer and the length are those of `gzip`, and the output is a local variable.
    let code = unsafe { robomata_robots_parse(gzip.as_ptr(), gzip.len(), 0, 200, &raw mut robots) };
    assert_eq!((code, robots), (ROBOMATA_ERROR_ARGUMENT, untouched));
    assert_eq!(last_error(), "expected a body of text, found gzip data (decode the body)");
    // SAFETY: as above.
    let code = unsafe { robomata_robots_parse(gzip.as_ptr(), gzip.len(), 0, 404, &raw mut robots) };
    assert_eq!(code, ROBOMATA_OK);
    // SAFETY: it was returned by `robomata_robots_parse`.
    unsafe { robomata_robots_free(robots) };
}

#[test]
fn numbers_and_lengths_are_checked() {
    let mut robots = null_mut();
    // SAFETY: the length is at most that of `BODY`, or so large that it is refused before anything is read.
    let parse = |dialect, length, robots: &mut *mut RobomataRobots| unsafe {
        robomata_robots_parse(BODY.as_ptr(), length, dialect, 200, robots)
    };
    assert_eq!(parse(5, 1, &mut robots), ROBOMATA_ERROR_ARGUMENT);
    assert_eq!(last_error(), "dialect: expected 0 to 4, found 5");
    assert_eq!(parse(0, usize::MAX, &mut robots), ROBOMATA_ERROR_ARGUMENT);
    assert!(robots.is_null());
}

#[test]
fn an_agent_that_names_no_crawler_is_an_error() {
    let robots = robots();
    for agent in [&b""[..], b"a\xFF", b"Mozilla/5.0 (X11; Linux x86_64) Firefox/60.0"] {
        let mut rules = null_mut();
        // SAFETY: the handle is freed below; the pointer and the length are those of `agent`.
        let code = unsafe { robomata_rules_new(robots, agent.as_ptr(), agent.len(), &raw mut rules) };
        assert!(matches!(code, ROBOMATA_ERROR_AGENT | ROBOMATA_ERROR_ARGUMENT) && rules.is_null());
    }
    // SAFETY: it is not used again.
    unsafe { robomata_robots_free(robots) };
}

#[test]
fn offsets_must_ascend_and_fit() {
    let robots = robots();
    let rules = rules(robots);
    // SAFETY: it is not used again, and rules do not refer to it.
    unsafe { robomata_robots_free(robots) };
    let urls = b"/private/";
    // SAFETY: the pointers are those of slices: `offsets` has one item more than `out`, or both are empty.
    let check = |offsets: &[u32], out: &mut [RobomataVerdict]| unsafe {
        robomata_check_batch(rules, urls.as_ptr(), urls.len(), offsets.as_ptr(), out.len(), out.as_mut_ptr())
    };
    let mut out = [RobomataVerdict::default(); 2];
    for offsets in [[0, 8, 10], [0, 9, 8], [1, 0, 9], [0, u32::MAX, u32::MAX]] {
        assert_eq!(check(&offsets, &mut out), ROBOMATA_ERROR_ARGUMENT, "{offsets:?}");
        assert_eq!(out, [RobomataVerdict::default(); 2]);
    }
    assert_eq!(check(&[0, 8, 9], &mut out), ROBOMATA_OK);
    assert_eq!(out.map(|out| (out.verdict, out.line)), [(ROBOMATA_DISALLOW, 2), (ROBOMATA_ALLOW, 0)]);
    assert_eq!(check(&[], &mut []), ROBOMATA_OK);
    // SAFETY: so many URLs are refused before anything is read or written.
    let code = unsafe { robomata_check_batch(rules, null(), 0, null(), usize::MAX, out.as_mut_ptr()) };
    assert_eq!(code, ROBOMATA_ERROR_ARGUMENT);
    // SAFETY: it is not used again.
    unsafe { robomata_rules_free(rules) };
}

#[test]
fn only_a_status_opens_a_site() {
    for (status, expected) in [
        (404, ROBOMATA_ALLOW),
        (ROBOMATA_TOO_MANY_REDIRECTS, ROBOMATA_ALLOW),
        (ROBOMATA_NO_RESPONSE, ROBOMATA_DISALLOW),
        (503, ROBOMATA_DISALLOW),
        (302, ROBOMATA_UNKNOWN),
    ] {
        let (mut robots, mut verdict) = (null_mut(), RobomataVerdict::default());
        // SAFETY: an empty body may be null, the outputs are local variables, and the handles are freed after their last use.
        unsafe {
            assert_eq!(robomata_robots_parse(null(), 0, 0, status, &raw mut robots), ROBOMATA_OK);
            let rules = rules(robots);
            assert_eq!(robomata_check(rules, b"/".as_ptr(), 1, &raw mut verdict), ROBOMATA_OK);
            robomata_rules_free(rules);
            robomata_robots_free(robots);
        }
        assert_eq!(verdict.verdict, expected, "{status}");
    }
    // 1 is `true`, and what many libraries return for an error.
    for status in [1, 2, 99, 1001, 65_736, u32::MAX] {
        let mut robots = null_mut();
        // SAFETY: as above.
        let code = unsafe { robomata_robots_parse(null(), 0, 0, status, &raw mut robots) };
        assert!(code == ROBOMATA_ERROR_ARGUMENT && robots.is_null(), "{status}");
        assert_eq!(
            last_error(),
            format!(
                "status: expected 100 to 999, 0 for no response or 1000 for too many redirects, found {status}"
            )
        );
    }
}

/// The answer of `robomata_standing`, or its error.
fn standing(situation: &str) -> String {
    let mut out = null_mut();
    // SAFETY: the text is as long as it says, and the output is a local variable and freed after its last use.
    unsafe {
        match robomata_standing(situation.as_ptr(), situation.len(), &raw mut out) {
            ROBOMATA_OK => {
                let bytes = std::slice::from_raw_parts(robomata_text_data(out), robomata_text_length(out));
                let text = String::from_utf8(bytes.to_vec()).unwrap();
                robomata_text_free(out);
                text
            }
            code => format!("{code}: {}", last_error()),
        }
    }
}

#[test]
fn a_time_of_the_query_before_1994_is_refused() {
    let error = standing(
        r#"{"url": "https://a.example/robots.txt", "status": 200, "at": 1800000000, "now": 20261128}"#,
    );
    let expected = "situation: now: expected seconds since 1970, of a time since 1994, found 20261128";
    assert_eq!(error, format!("{ROBOMATA_ERROR_ARGUMENT}: {expected}"));
}

#[test]
fn instants_in_milliseconds_are_refused() {
    let standing = |since: &str, now: &str, status: &str| {
        standing(&format!(
            "{{\"url\": \"https://a.example/robots.txt\", \"status\": {status}, \"at\": {now}, \"now\": {now}, \
             \"failing_since\": {since}}}"
        ))
    };
    let hour_ago = standing("1799996400", "1800000000.5", "503");
    assert!(hour_ago.contains("\"restricted\""), "{hour_ago}");
    // An hour in milliseconds is more than a month in seconds.
    let milliseconds = standing("1799996400000", "1800000000000", "503");
    assert_eq!(
        milliseconds,
        format!(
            "{ROBOMATA_ERROR_ARGUMENT}: situation: at: expected seconds since 1970, found 1800000000000 (milliseconds?)"
        )
    );
    let expected =
        "expected seconds since 1970, of a time since 1994, found 0 (leave it out if it is not known)";
    for also in ["", ", \"good_copy_at\": 1799990000"] {
        let first_failure = standing(&format!("0{also}"), "1800000000", "503");
        let refused = format!("{ROBOMATA_ERROR_ARGUMENT}: situation: failing_since: {expected}");
        assert_eq!(first_failure, refused);
    }
    let copy = standing("null, \"good_copy_at\": 0", "1800000000", "503");
    assert_eq!(copy, format!("{ROBOMATA_ERROR_ARGUMENT}: situation: good_copy: {expected}"));
    // Without another start, the failures would have begun then.
    let at = standing("null", "0", "503");
    let expected = "expected seconds since 1970, of a time since 1994, found 0";
    assert_eq!(at, format!("{ROBOMATA_ERROR_ARGUMENT}: situation: at: {expected}"));
    for (status, expected) in
        [("\"503\"", "`no-response`"), ("1", "expected 100 to 999, found 1"), ("null", "status: ")]
    {
        let refused = standing("null", "0", status);
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_status_line_that_contradicts_the_status_is_refused() {
    let with = |status: &str, headers: &str| {
        standing(&format!(
            "{{\"url\": \"https://a.example/robots.txt\", \"status\": {status}, \"at\": 1800000000, \
             \"now\": 1800000000, \"headers\": \"{headers}\"}}"
        ))
    };
    for (status, headers, applies) in [
        ("404", "HTTP/1.1 404 Not Found\\r\\nServer: x\\r\\n\\r\\n", "unrestricted"),
        ("404", "HTTP/1.1 301 x\\nLocation: /r\\n\\nHTTP/1.1 404 x\\n", "unrestricted"),
        ("404", "Server: x", "unrestricted"),
        ("\"no-response\"", "HTTP/1.1 200 OK\\r\\n", "restricted"),
        ("\"too-many-redirects\"", "HTTP/2 302\\nLocation: /r\\n", "unrestricted"),
    ] {
        let answer = with(status, headers);
        assert!(answer.starts_with(&format!("{{\"applies\":\"{applies}\"")), "{answer}");
    }
    for (status, headers, error) in [
        (
            "404",
            "HTTP/1.1 503 x\\r\\nRetry-After: 60\\r\\n",
            "line 1: expected the status 404 of the fetch, found \"503\"",
        ),
        (
            "404",
            "HTTP/1.1 404 x\\nA: b\\n\\nHTTP/1.1 503 x",
            "line 4: expected the status 404 of the fetch, found \"503\"",
        ),
        ("\"too-many-redirects\"", "HTTP/2 503", "line 1: expected a redirect, found \"503\""),
        (
            "404",
            "HTTP/1.1 OK",
            "line 1: expected a status line, such as 'HTTP/1.1 200 OK', found \"HTTP/1.1 OK\"",
        ),
    ] {
        assert_eq!(with(status, headers), format!("{ROBOMATA_ERROR_ARGUMENT}: headers: {error}"));
    }
}

#[test]
fn a_situation_is_an_object_of_plain_values() {
    let refused = |situation: &str, error: &str| {
        let answer = standing(situation);
        assert!(answer.starts_with(&format!("{ROBOMATA_ERROR_ARGUMENT}: situation: {error}")), "{answer}");
    };
    let url = "https://a.example/robots.txt";
    let array = format!("[\"{url}\", 404, 1800000000, 1800000000, null, null, null, null, null]");
    refused(&array, "expected a JSON object");
    refused(&format!(" \n{array}"), "expected a JSON object");
    refused("", "expected a JSON object");
    let with = |status: &str, unreachable: &str| {
        format!(
            "\n{{\"url\": \"{url}\", \"status\": {status}, \"at\": 1800000000, \"now\": 1800000000, \
             \"unreachable\": {unreachable}}}"
        )
    };
    assert!(standing(&with("\"too-many-redirects\"", "\"disallow\"")).contains("unrestricted"));
    for status in ["{\"too-many-redirects\": null}", "[404]", "\"404\"", "70000"] {
        refused(&with(status, "null"), "status: expected a number from 100 to 999, `no-response`");
    }
    refused(&with("503", "\"hope\""), "unreachable: expected `last-good-copy` or `disallow`, found `hope`");
    refused(&with("503", "{\"disallow\": null}"), "invalid type: map, expected a string");
}

#[test]
fn a_bundle_that_cannot_be_opened_is_an_error() {
    let path = b"missing.bundle";
    let mut bundle = null_mut();
    // SAFETY: the pointer and the length are those of `path`, and the output is a local variable.
    let code = unsafe { robomata_bundle_open(path.as_ptr(), path.len(), &raw mut bundle) };
    assert_eq!(code, ROBOMATA_ERROR_FILE);
    assert!(bundle.is_null() && last_error().starts_with("missing.bundle: cannot be read: "));
}

#[test]
fn reports_are_json() {
    let robots = robots();
    let rules = rules(robots);
    let report = |call: &dyn Fn(*mut *mut RobomataText) -> i32| {
        let mut text = null_mut();
        assert_eq!(call(&raw mut text), ROBOMATA_OK, "{}", last_error());
        // SAFETY: `text` was just returned, and its bytes are copied before it is freed.
        let json = unsafe {
            let bytes = std::slice::from_raw_parts(robomata_text_data(text), robomata_text_length(text));
            serde_json::from_slice::<serde_json::Value>(bytes).unwrap()
        };
        // SAFETY: it is not used again.
        unsafe { robomata_text_free(text) };
        json
    };
    let url = b"/private/a";
    // SAFETY: `rules` is not freed yet; the pointer and the length are those of `url`.
    let explained = report(&|out| unsafe { robomata_explain(rules, url.as_ptr(), url.len(), out) });
    assert_eq!(explained["rules"][0]["line"], 2);
    // SAFETY: the text has ten bytes.
    let lint = report(&|out| unsafe { robomata_lint(b"Disalow: /".as_ptr(), 10, 0, out) });
    assert_eq!(lint[0]["line"], 1);
    // SAFETY: `robots` is not freed yet; the agent has one byte.
    let summary = report(&|out| unsafe { robomata_summary(robots, b"a".as_ptr(), 1, out) });
    assert_eq!(summary["sitemaps"], serde_json::json!([]));
    // SAFETY: as before.
    let same = report(&|out| unsafe { robomata_changes(robots, robots, b"a".as_ptr(), 1, out) });
    assert_eq!(same, serde_json::json!({ "examples": [], "is_complete": true }));
    // SAFETY: as before; the pointer and the length of the URL are those of `url`.
    let permissions = report(&|out| unsafe {
        robomata_permissions(robots, b"a".as_ptr(), 1, url.as_ptr(), url.len(), ROBOMATA_CLOCK, out)
    });
    assert_eq!(permissions[0]["permission"], "prohibited");
    let (headers, page) = (b"X-Robots-Tag: noindex", b"<meta name=robots content=nosnippet>");
    // SAFETY: `robots` is not freed yet; pointers and lengths are those of literals, `headers` and `page`.
    let of_page = |headers: &[u8], page: &[u8], out| unsafe {
        let (url, page) = ((b"/".as_ptr(), 1), (page.as_ptr(), page.len()));
        let headers = (headers.as_ptr(), headers.len());
        robomata_page_permissions(
            robots,
            b"a".as_ptr(),
            1,
            url.0,
            url.1,
            headers.0,
            headers.1,
            page.0,
            page.1,
            ROBOMATA_CLOCK,
            out,
        )
    };
    let permissions = report(&|out| of_page(headers, page, out));
    let places = |usage: &str| {
        let answers = permissions.as_array().unwrap().iter();
        answers
            .filter(|answer| answer["usage"] == usage)
            .map(|answer| answer["source"]["place"].clone())
            .collect()
    };
    let found: [Vec<serde_json::Value>; 2] = ["index", "present-snippet"].map(places);
    assert_eq!(serde_json::json!(found), serde_json::json!([["header"], ["meta"]]));
    let gzip = b"Content-Encoding: gzip\r\n";
    for (headers, page, expected) in [
        (
            &headers[..],
            &b""[..],
            Some("an empty page, or a fetch that failed? (if it is empty, leave it out)"),
        ),
        (b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex", b"", None),
        (
            b"",
            b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n<p>",
            Some("found a response with its status line"),
        ),
        (gzip, "\u{1f}\u{fffd}\u{8}\0\0".as_bytes(), Some("found data with the content coding \"gzip\"")),
    ] {
        let mut out = null_mut();
        let code = of_page(headers, page, &raw mut out);
        assert_eq!(code == ROBOMATA_OK, expected.is_none(), "{expected:?}");
        match expected {
            Some(expected) => assert!(last_error().contains(expected), "{}", last_error()),
            // SAFETY: it was just returned, and is not used again.
            None => unsafe { robomata_text_free(out) },
        }
    }
    let mut untouched = null_mut();
    assert_eq!(of_page(b"X-Robots-Tag noindex", page, &raw mut untouched), ROBOMATA_ERROR_ARGUMENT);
    assert!(untouched.is_null());
    // SAFETY: `rules` is not freed yet; the pointer and the length are those of `url`.
    let drawing = report(&|out| unsafe { robomata_drawing(rules, url.as_ptr(), url.len(), out) });
    assert_eq!(drawing["walk"][1]["position"], 8);
    // SAFETY: as before; an empty URL may be null.
    let drawing = report(&|out| unsafe { robomata_drawing(rules, null(), 0, out) });
    assert_eq!((&drawing["walk"], &drawing["is_complete"]), (&serde_json::json!([]), &true.into()));
    let situation =
        br#"{"url": "https://a.example/robots.txt", "status": 404, "at": 1800000005, "now": 1800000006}"#;
    // SAFETY: the pointer and the length are those of `situation`.
    let standing = report(&|out| unsafe { robomata_standing(situation.as_ptr(), situation.len(), out) });
    assert_eq!((&standing["applies"], &standing["until"]), (&"unrestricted".into(), &1_800_086_405.into()));
    let mut none = null_mut();
    // SAFETY: the text has two bytes, and the output is a local variable.
    assert_eq!(unsafe { robomata_standing(b"{}".as_ptr(), 2, &raw mut none) }, ROBOMATA_ERROR_ARGUMENT);
    // SAFETY: null is refused before anything is read.
    assert_eq!(unsafe { robomata_drawing(rules, null(), 3, &raw mut none) }, ROBOMATA_ERROR_NULL);
    // SAFETY: the URL has one byte, and the output is a local variable.
    assert_eq!(unsafe { robomata_drawing(rules, b"x".as_ptr(), 1, &raw mut none) }, ROBOMATA_ERROR_ARGUMENT);
    assert!(none.is_null());
    let expected = b"a may not fetch /private/*";
    // SAFETY: `robots` is not freed yet; the pointer and the length are those of `expected`.
    let checked =
        report(&|out| unsafe { robomata_expectations(robots, expected.as_ptr(), expected.len(), out) });
    assert_eq!((&checked[0]["holds"], &checked[0]["expected"]), (&true.into(), &"disallow".into()));
    let mut text = null_mut();
    // SAFETY: the text has five bytes, and the output is a local variable.
    let code = unsafe { robomata_expectations(robots, b"a may".as_ptr(), 5, &raw mut text) };
    assert_eq!((code, text), (ROBOMATA_ERROR_ARGUMENT, null_mut()));
    assert!(last_error().starts_with("expectations: line 1: expected a line such as"), "{}", last_error());
    // SAFETY: they are not used again.
    unsafe {
        robomata_rules_free(rules);
        robomata_robots_free(robots);
    }
}

#[test]
fn permissions_end_at_the_time_of_the_query() {
    let robots = robots();
    let (headers, url) = (b"X-Robots-Tag: unavailable_after: 2020-01-01", b"/");
    let answer = |now: i64| {
        let mut text = null_mut();
        // SAFETY: `robots` is freed below; pointers and lengths are those of literals, and the output is a local variable.
        let code = unsafe {
            let (agent, url) = (b"a".as_ptr(), url.as_ptr());
            let (headers, length) = (headers.as_ptr(), headers.len());
            robomata_page_permissions(
                robots,
                agent,
                1,
                url,
                1,
                headers,
                length,
                null(),
                0,
                now,
                &raw mut text,
            )
        };
        if code != ROBOMATA_OK {
            assert_eq!((code, text), (ROBOMATA_ERROR_ARGUMENT, null_mut()));
            return last_error();
        }
        // SAFETY: `text` was just returned, and is not used again.
        let answers = unsafe {
            let bytes = std::slice::from_raw_parts(robomata_text_data(text), robomata_text_length(text));
            let answers: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            robomata_text_free(text);
            answers
        };
        let index = answers.as_array().unwrap().iter().find(|answer| answer["usage"] == "index").unwrap();
        format!("{} {}", index["permission"].as_str().unwrap(), index["missing"])
    };
    assert_eq!(answer(ROBOMATA_CLOCK), "prohibited []");
    assert_eq!(answer(1_577_836_800 - 1), "permitted []");
    assert_eq!(answer(1_600_000_000), "prohibited []");
    let expected = "now: expected seconds since 1970, of a time since 1994, or ROBOMATA_CLOCK, found";
    for now in [1, -1, 757_382_399, 1_600_000_000_000, i64::MIN, i64::MAX] {
        assert_eq!(answer(now), format!("{expected} {now}"));
    }
    // SAFETY: it is not used again.
    unsafe { robomata_robots_free(robots) };
}

#[test]
fn a_limit_of_bytes_is_that_of_the_lines_that_count() {
    let comments = "# a comment\n".repeat(512_000 / 12);
    let body = format!("User-agent: *\nDisallow: /early\n{comments}Disallow: /late\n");
    let check = |limit: u32, url: &str| {
        let mut robots = null_mut();
        // SAFETY: the pointer and the length are those of `body`, and the output is a local variable.
        let code = unsafe {
            robomata_robots_parse_within(
                body.as_ptr(),
                body.len(),
                ROBOMATA_GOOGLE,
                200,
                limit,
                &raw mut robots,
            )
        };
        if code != ROBOMATA_OK {
            assert!(robots.is_null());
            return Err(last_error());
        }
        let rules = rules(robots);
        let mut verdict = RobomataVerdict::default();
        // SAFETY: the handles are freed below; the pointer and the length are those of `url`.
        unsafe {
            assert_eq!(robomata_check(rules, url.as_ptr(), url.len(), &raw mut verdict), ROBOMATA_OK);
            robomata_rules_free(rules);
            robomata_robots_free(robots);
        }
        Ok(verdict.verdict)
    };
    for (limit, late) in
        [(0, ROBOMATA_DISALLOW), (512_000, ROBOMATA_ALLOW), (u32::MAX - 1, ROBOMATA_DISALLOW)]
    {
        assert_eq!(check(limit, "/early"), Ok(ROBOMATA_DISALLOW));
        assert_eq!(check(limit, "/late"), Ok(late), "{limit}");
    }
    let lint = |limit: u32| {
        let mut text = null_mut();
        // SAFETY: the pointer and the length are those of `body`, and the output is a local variable.
        let code =
            unsafe { robomata_lint_within(body.as_ptr(), body.len(), ROBOMATA_GOOGLE, limit, &raw mut text) };
        // SAFETY: the text is read before it is freed; null may be freed.
        let report = (code == ROBOMATA_OK).then(|| unsafe {
            let (data, length) = (robomata_text_data(text), robomata_text_length(text));
            String::from_utf8(std::slice::from_raw_parts(data, length).to_vec()).unwrap()
        });
        // SAFETY: the text is not used again.
        unsafe { robomata_text_free(text) };
        report.ok_or(code)
    };
    assert!(lint(0).unwrap().contains("over-500-kib"));
    assert!(!lint(512_000).unwrap().contains("over-500-kib"));
    for limit in [1, 511_999, u32::MAX] {
        let expected = format!("max_robots_bytes: expected 512000 to 4294967294, found {limit}");
        assert_eq!(check(limit, "/"), Err(expected.clone()));
        assert_eq!((lint(limit), last_error()), (Err(ROBOMATA_ERROR_ARGUMENT), expected));
    }
}
