//! Captures of robots.txt from WARC files: statuses, redirects and revisits.

mod damage;
mod partial;

use std::path::Path;

use crate::redirects::SPELLINGS;
use crate::support::{Rng, gzip, record, response, zstd_frame};
use robomata_formats::lines::MAX_LINE;
use robomata_formats::{Capture, CaptureSite, capture};
use robomata_protocol::FetchStatus;
use robomata_testkit::shared::{shared_folder, small_corpus};

const RULES: &[u8] = b"User-agent: *\nDisallow: /\n";

/// Captures as `site status time body`, or why their results cannot be read; errors as messages after the file's name.
fn read(records: &[Vec<u8>]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.gz");
    std::fs::write(&path, records.iter().map(|record| gzip(record)).collect::<Vec<_>>().concat()).unwrap();
    capture::captures(&path).map(|item| describe(item, &path)).collect()
}

fn describe(item: Result<Capture, robomata_formats::InputError>, path: &Path) -> String {
    match item {
        Ok(Capture { site: CaptureSite::Url(url), body, status, time, origin, unreadable, .. }) => {
            assert!(origin.line.is_some() && origin.file.as_path() == path);
            if let Some(why) = unreadable {
                assert_eq!((status, &*body), (Some(FetchStatus::NetworkFailure), &b""[..]));
                return format!("failed: {url}: {}", why.replace(&format!("{}: ", path.display()), ""));
            }
            let status = match status {
                Some(FetchStatus::Code(code)) => code.to_string(),
                other => format!("{other:?}"),
            };
            let minute = time.map_or_else(String::new, |time| time.to_string()[14..16].to_owned());
            format!("{url} {status} :{minute} {}", String::from_utf8_lossy(&body)).trim_end().to_owned()
        }
        Ok(other) => panic!("{other:?}"),
        Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
    }
}

fn at(minute: u32) -> String {
    format!("2024-05-01T00:{minute:02}:00Z")
}

fn ok(url: &str, minute: u32, body: &str) -> Vec<u8> {
    response(url, &at(minute), "HTTP/1.1 200 OK\r\nContent-Type: text/plain", body.as_bytes())
}

fn moved(url: &str, minute: u32, location: &str) -> Vec<u8> {
    response(url, &at(minute), &format!("HTTP/1.1 301 Moved\r\nLocation: {location}"), b"moved")
}

fn revisit(url: &str, minute: u32, profile: &str, fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let date = at(minute);
    let mut all = vec![
        ("WARC-Type", "revisit"),
        ("WARC-Target-URI", url),
        ("WARC-Date", &date),
        ("WARC-Profile", profile),
    ];
    all.extend_from_slice(fields);
    record(&all, block)
}

const SAME: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const UNCHANGED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

#[test]
fn responses_and_resources_of_robots_txt_are_captures() {
    let chunked = response(
        "http://d.com/robots.txt",
        &at(4),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip",
        &{
            let body = gzip(b"coded");
            [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat()
        },
    );
    let resource = record(
        &[
            ("WARC-Type", "resource"),
            ("WARC-Target-URI", "<https://e.com/robots.txt>"),
            ("WARC-Date", "2024"),
        ],
        b"as it is",
    );
    let items = read(&[
        ok("http://a.com/robots.txt", 1, "a"),
        ok("http://a.com/robots.txt?x", 1, "no"),
        ok("http://a.com/.well-known/tdmrep.json", 3, "[]"),
        ok("http://a.com/other/robots.txt", 1, "no"),
        record(&[("WARC-Type", "request"), ("WARC-Target-URI", "http://a.com/robots.txt")], b"GET /"),
        response("http://b.com/robots.txt", &at(2), "HTTP/1.1 404 Not Found", b"<html>"),
        response("https://c.com:8080/robots.txt", "", "HTTP/2 503", b"later"),
        chunked,
        resource,
    ]);
    assert_eq!(
        items,
        [
            "http://a.com/robots.txt 200 :01 a",
            "http://a.com/.well-known/tdmrep.json 200 :03 []",
            "http://b.com/robots.txt 404 :02",
            "https://c.com:8080/robots.txt 503 :",
            "http://d.com/robots.txt 200 :04 coded",
            "https://e.com/robots.txt Some(Success) :00 as it is",
        ]
    );
}

#[test]
fn a_record_whose_content_cannot_be_read_is_a_network_failure() {
    let brotli = response(
        "http://a.com/robots.txt",
        &at(1),
        "HTTP/1.1 200 OK\r\nContent-Encoding: br",
        b"\x0b\x02\x80",
    );
    let items = read(&[
        record(&[("WARC-Type", "response"), ("WARC-Target-URI", "http://a.com/robots.txt")], RULES),
        brotli,
        record(
            &[
                ("WARC-Type", "response"),
                ("WARC-Target-URI", "http://a.com/robots.txt"),
                ("WARC-Segment-Number", "1"),
            ],
            b"HTTP/1.1 200 OK\r\n\r\nUser-ag",
        ),
        ok("http://b.com/robots.txt", 2, "b"),
    ]);
    let failed = "failed: http://a.com/robots.txt: record";
    let no_response = "expected an HTTP response, with a head of at most 1 MiB and 512 fields";
    assert!(items[..3].iter().all(|item| item.starts_with(failed)), "{items:?}");
    assert_eq!(items[0], format!("{failed} 1, at byte 0: {no_response}"));
    assert!(items[1].ends_with("expected the coding gzip, deflate or zstd, found \"br\""), "{items:?}");
    assert!(items[2].contains("expected a whole record, found a segmented one"), "{}", items[2]);
    assert_eq!(items[3..], ["http://b.com/robots.txt 200 :02 b"]);
}

#[test]
fn a_record_with_a_date_that_is_none_is_a_network_failure() {
    let url = "http://a.com/robots.txt";
    let with = |date: &str| response(url, date, "HTTP/1.1 200 OK", b"rules");
    for date in ["2024-13-01T00:00:00Z", "20240501000000x", "yesterday"] {
        let found = read(&[ok(url, 1, "rules"), with(date)]);
        assert!(found[1].starts_with("failed: http://a.com/robots.txt: record 2, at byte "), "{found:?}");
        assert!(found[1].ends_with(": expected a time in the field WARC-Date"), "{found:?}");
    }
    let undated =
        record(&[("WARC-Type", "response"), ("WARC-Target-URI", url)], b"HTTP/1.1 200 OK\r\n\r\nrules");
    assert_eq!(read(&[with(""), undated]), ["http://a.com/robots.txt 200 : rules"; 2]);
}

/// The missing part of its head may name another target.
#[test]
fn a_redirect_whose_target_cannot_be_read_is_a_network_failure() {
    let url = "http://a.com/robots.txt";
    let with = |fields: &[(&str, &str)], block: &str| {
        let date = at(2);
        let head = [("WARC-Type", "response"), ("WARC-Target-URI", url), ("WARC-Date", &date)];
        record(&[&head, fields].concat(), block.as_bytes())
    };
    let truncated = ("WARC-Truncated", "disconnect");
    let no_end = "expected a blank line after the head of the response";
    let no_url = "expected a URL in the field Location, found";
    let moved = "HTTP/1.1 301 Moved\r\n";
    for (record, why) in [
        (with(&[], &format!("{moved}Locat")), no_end),
        (with(&[], &format!("{moved}Location: http://b.com/robots")), no_end),
        (with(&[], "HTTP/1.1 304 Not M"), no_end),
        (revisit(url, 2, SAME, &[], format!("{moved}Locat").as_bytes()), no_end),
        (
            with(&[truncated], &format!("{moved}\r\n")),
            "expected a whole response, found the field WARC-Truncated",
        ),
        (with(&[], &format!("{moved}Location: http://b.com/\x01\r\n\r\n")), no_url),
        (with(&[], &format!("{moved}Location: http://b.com/a\tb\r\n\r\n")), no_url),
        (with(&[], &format!("{moved}Location: http://\r\n\r\n")), no_url),
        (with(&[], &format!("{moved}Location: https://b.com:x/\r\n\r\n")), no_url),
        (with(&[], &format!("{moved}Location: ftp://b.com/\r\n\r\n")), no_url),
        (with(&[], &format!("{moved}Location: \r\n\r\n")), no_url),
        (with(&[], &format!("{moved}\r\n")), "expected a value in the field Location"),
        (
            with(&[], &format!("{moved}Location: /x\r\nlocation: /y\r\n\r\n")),
            "expected one field Location, found two that differ",
        ),
    ] {
        let items = read(&[ok(url, 1, "rules"), ok("http://b.com/robots", 1, "b"), record]);
        assert_eq!(items.len(), 2, "{items:?}");
        assert!(items[1].starts_with("failed: http://a.com/robots.txt: record 3"), "{items:?}");
        assert!(items[1].contains(why), "{items:?}");
    }
    // Nothing of what counts is missing.
    let found = format!("{moved}Location: http://b.com/robots\r\n\r\n");
    let items = read(&[with(&[truncated], &found), ok("http://b.com/robots", 1, "b")]);
    assert_eq!(items, ["http://a.com/robots.txt 200 :02 b"]);
    // Two fields that are equal count as one.
    let twice = format!("{moved}Location: /x\r\nlocation: /x\r\n\r\n");
    assert_eq!(read(&[with(&[], &twice)]), ["http://a.com/robots.txt 301 :02"]);
    let unchanged = with(&[truncated], "HTTP/1.1 304 Not Modified\r\n\r\n");
    assert_eq!(read(&[unchanged]), ["http://a.com/robots.txt 304 :02"]);
}

/// Such a head may be that of a redirect or of an error.
#[test]
fn a_response_whose_head_is_too_long_is_a_network_failure() {
    let url = "http://a.com/robots.txt";
    let head =
        |fields: usize| format!("HTTP/1.1 200 OK{}", format!("\r\nX: {}", "x".repeat(9000)).repeat(fields));
    let original = || ok(url, 1, "rules");
    let refers = [("WARC-Refers-To-Target-URI", url), ("WARC-Refers-To-Date", &at(1))];
    let repeated = |fields| revisit(url, 2, SAME, &refers, format!("{}\r\n\r\n", head(fields)).as_bytes());
    let expected = ["http://a.com/robots.txt 200 :01 rules", "http://a.com/robots.txt 200 :02 rules"];
    assert_eq!(read(&[original(), response(url, &at(2), &head(100), b"rules")]), expected);
    assert_eq!(read(&[original(), repeated(100)]), expected);
    for long in [response(url, &at(2), &head(120), b"rules"), repeated(120)] {
        let found = read(&[original(), long]);
        assert!(found[1].contains("with a head of at most 1 MiB and 512 fields"), "{found:?}");
        assert!(found[1].starts_with("failed: http://a.com/robots.txt"), "{found:?}");
    }
}

/// Compressed data are no robots.txt without rules.
#[test]
fn a_body_that_is_still_compressed_is_a_network_failure() {
    let url = "http://a.com/robots.txt";
    let (once, twice) = (gzip(RULES), gzip(&gzip(RULES)));
    let with = |field: &str, body: &[u8]| response(url, &at(1), &format!("HTTP/1.1 200 OK\r\n{field}"), body);
    for (record, found) in [
        (with("Content-Type: text/plain", &once), "gzip"),
        (with("Content-Encoding: gzip", &twice), "gzip"),
        (with("Content-Encoding: gzip\x01", &once), "gzip"),
        (with("Transfer-Encoding: gzip", &twice), "gzip"),
        (with("Content-Type: text/plain", &zstd_frame(RULES, &[])), "zstd"),
        (with("Content-Type: text/plain", b"x\x9c\x0b-N-\xd2"), "zlib"),
        (record(&[("WARC-Type", "resource"), ("WARC-Target-URI", url)], &once), "gzip"),
    ] {
        let why = format!("expected a body of text, found {found} data");
        assert_eq!(read(&[record]), [format!("failed: {url}: record 1, at byte 0: {why}")]);
    }
    let record = with("Content-Type: text/plain", b"HTTP/1.1 503 x\r\n\r\nUser-agent: *\n");
    let why = "expected a body, found the status line of another response";
    assert_eq!(read(&[record]), [format!("failed: {url}: record 1, at byte 0: {why}")]);
}

/// A record with the identifier `id` and a reference to the record `concurrent_to`, where they are not empty.
fn linked(kind: &str, url: &str, id: &str, concurrent_to: &str, block: &str) -> Vec<u8> {
    let date = at(2);
    let fields = [
        ("WARC-Type", kind),
        ("WARC-Target-URI", url),
        ("WARC-Date", &date),
        ("WARC-Record-ID", id),
        ("WARC-Concurrent-To", concurrent_to),
    ];
    let given: Vec<_> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    record(&given, block.as_bytes())
}

/// A response and the request before it.
fn with_request(url: &str, minute: u32, body: &str) -> Vec<u8> {
    let request = [("WARC-Type", "request"), ("WARC-Target-URI", url), ("WARC-Date", &at(minute))];
    [record(&request, b"GET /x HTTP/1.1\r\n\r\n"), ok(url, minute, body)].concat()
}

#[test]
fn an_answer_to_another_method_than_get_is_no_capture() {
    let url = "http://a.com/robots.txt";
    let captured = || with_request(url, 1, "rules");
    let answer =
        |id: &str, to: &str, http: &str| linked("response", url, id, to, &format!("HTTP/1.1 {http}"));
    let request = |id: &str, to: &str, method: &str| {
        linked("request", url, id, to, &format!("{method} /robots.txt HTTP/1.1\r\nHost: a.com\r\n\r\n"))
    };
    let before = "http://a.com/robots.txt 200 :01 rules".to_owned();
    for (method, http) in [
        ("HEAD", "200 OK\r\n\r\n"),
        ("OPTIONS", "204 No Content\r\n\r\n"),
        ("POST", "405 Method Not Allowed\r\n\r\n"),
        ("HEAD", "404 Not Found\r\n\r\n"),
        ("HEAD", "301 Moved\r\nLocation: /x\r\n\r\n"),
    ] {
        for (response, request) in [
            (answer("<1>", "", http), request("<2>", "<1>", method)),
            (answer("<1>", "<2>", http), request("<2>", "", method)),
            (answer("", "", http), request("", "", method)),
        ] {
            for records in [
                [captured(), response.clone(), request.clone()],
                [captured(), request.clone(), response.clone()],
                [response, request, captured()],
            ] {
                assert_eq!(read(&records), [&*before], "{method}");
            }
        }
        for records in [
            vec![answer("", "", http)],
            vec![request("", "", "GET"), answer("", "", http)],
            vec![answer("", "", http), request("", "", "no request")],
            vec![answer("", "", http), linked("request", "http://b.com/", "", "", "HEAD / HTTP/1.1")],
            vec![linked("revisit", url, "", "", &format!("HTTP/1.1 {http}"))],
        ] {
            assert_ne!(read(&[vec![captured()], records].concat()), [&*before], "{http}");
        }
    }
    // Dates come before the order of records, and references before dates.
    let (get, head) = (captured(), request("", "", "HEAD"));
    let (get, rules) = get.split_at(get.len() - ok(url, 1, "rules").len());
    let crossed = [rules.to_vec(), answer("", "", "200 OK\r\n\r\n"), get.to_vec(), head];
    assert_eq!(read(&crossed), [&*before]);
    let both = [
        answer("<1>", "", "200 OK\r\n\r\n"),
        answer("<2>", "", "200 OK\r\n\r\nof GET"),
        request("<3>", "<1>", "HEAD"),
        request("<4>", "<2>", "GET"),
    ];
    assert_eq!(read(&both), ["http://a.com/robots.txt 200 :02 of GET"]);
}

#[test]
fn an_answer_to_head_is_neither_a_target_nor_repeated() {
    let page = "http://a.com/rules";
    let head = || {
        [
            linked("request", page, "", "", "HEAD /rules HTTP/1.1\r\n\r\n"),
            linked("response", page, "", "", "HTTP/1.1 200 OK\r\n\r\n"),
        ]
        .concat()
    };
    let site = "http://a.com/robots.txt";
    let expected = ["http://a.com/robots.txt 200 :03 page"];
    // In the first reading and in another one.
    assert_eq!(read(&[moved(site, 3, page), head(), with_request(page, 4, "page")]), expected);
    assert_eq!(read(&[with_request(page, 4, "page"), head(), moved(site, 3, page)]), expected);
    let refers = [("WARC-Refers-To-Target-URI", page), ("WARC-Refers-To-Date", &at(2))];
    let revisit = revisit(site, 3, SAME, &refers, b"HTTP/1.1 200 OK\r\n\r\n");
    let found = read(&[head(), revisit]);
    assert!(found.len() == 1 && found[0].contains("join the WARC files"), "{found:?}");
}

/// A chain of `hops` redirects from `http://s.com/robots.txt`; each target is captured after the previous one.
fn chain(hops: u32) -> Vec<Vec<u8>> {
    let url =
        |hop: u32| if hop == 0 { "http://s.com/robots.txt".into() } else { format!("http://h{hop}.com/r") };
    let mut records: Vec<Vec<u8>> = (0..hops).map(|hop| moved(&url(hop), hop, &url(hop + 1))).collect();
    records.push(ok(&url(hops), hops, "end"));
    records
}

#[test]
fn redirects_are_followed_over_twenty_hops() {
    for hops in [0, 1, 5, 6, 20] {
        assert_eq!(read(&chain(hops)), ["http://s.com/robots.txt 200 :00 end"], "{hops} hops");
    }
    assert_eq!(read(&chain(21)), ["http://s.com/robots.txt Some(TooManyRedirects) :00"]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, chain(6).concat()).unwrap();
    let [captured] = &capture::captures(&path).collect::<Vec<_>>()[..] else { panic!("one capture") };
    assert_eq!(captured.as_ref().unwrap().redirects, 6);
}

#[test]
fn a_redirect_leads_to_captures_in_any_spelling_of_its_target() {
    for (location, target) in SPELLINGS {
        let records = [moved("https://example.com/robots.txt", 0, location), ok(target, 0, "rules")];
        let found = read_in_any_order(&records);
        let expected = "https://example.com/robots.txt 200 :00 rules".to_owned();
        assert!(found.contains(&expected), "{location} {target}: {found:?}");
    }
}

/// The captures of the records in any order, sorted; asserts that the order decides nothing.
fn read_in_any_order(records: &[Vec<u8>]) -> Vec<String> {
    let mut records = records.to_vec();
    let sorted = |records: &[Vec<u8>]| {
        let mut items = read(records);
        items.sort();
        items
    };
    let expected = sorted(&records);
    let mut rng = Rng(7);
    for _ in 0..20 {
        for last in (1..records.len()).rev() {
            records.swap(last, rng.below(last + 1));
        }
        assert_eq!(sorted(&records), expected);
    }
    expected
}

#[test]
fn a_redirect_takes_the_capture_that_is_nearest_in_time() {
    let site = "http://s.com/robots.txt";
    let items = read_in_any_order(&[
        ok("https://s.com/robots.txt", 1, "before"),
        moved(site, 2, "https://S.com:443/robots.txt"),
        moved(site, 3, "/elsewhere"),
        ok("https://s.com/robots.txt", 4, "after"),
        ok("https://s.com/robots.txt", 9, "later"),
        moved(site, 6, "//s.com/never"),
        response("http://s.com/elsewhere", &at(8), "HTTP/1.1 404 Not Found", b""),
        // A target that is no robots.txt, and leads on to another one.
        moved("http://t.com/robots.txt", 10, "/a"),
        moved("http://t.com/a", 11, "/b"),
        moved("http://t.com/b", 12, "/c"),
        ok("http://t.com/c", 13, "end"),
    ]);
    assert_eq!(
        items,
        [
            "http://s.com/robots.txt 200 :02 before",
            "http://s.com/robots.txt 301 :06",
            "http://s.com/robots.txt 404 :03",
            "http://t.com/robots.txt 200 :10 end",
            "https://s.com/robots.txt 200 :01 before",
            "https://s.com/robots.txt 200 :04 after",
            "https://s.com/robots.txt 200 :09 later",
        ]
    );
}

#[test]
fn a_target_before_the_redirect_counts() {
    let site = "http://s.com/robots.txt";
    let mut records = vec![
        ok("https://s.com/robots.txt", 1, "first"),
        ok("https://s.com/robots.txt", 2, "last"),
        response("http://t.com/robots.txt", &at(3), "HTTP/1.1 404 Not Found", b""),
        moved("http://r.com/robots.txt", 4, "https://s.com/robots.txt"),
        moved(site, 5, "http://r.com/robots.txt"),
        moved("http://u.com/robots.txt", 6, "http://t.com/robots.txt"),
    ];
    let mut items = read(&records).split_off(3);
    items.sort();
    assert_eq!(
        items,
        [
            "http://r.com/robots.txt 200 :04 last",
            "http://s.com/robots.txt 200 :05 last",
            "http://u.com/robots.txt 404 :06",
        ]
    );
    records.extend((7..12).rev().map(|hop| {
        moved(&format!("http://h{hop}.com/robots.txt"), hop, &format!("http://h{}.com/robots.txt", hop + 1))
    }));
    records.push(moved("http://h12.com/robots.txt", 12, "http://s.com/robots.txt"));
    let items = read_in_any_order(&records);
    // From h12 there are three redirects: h12, s and r. From h11 there are four, from h10 five.
    for hop in [12, 11, 10, 9] {
        let start = format!("http://h{hop}.com/robots.txt 200 ");
        assert!(items.iter().any(|item| item.starts_with(&start)), "{start}: {items:?}");
    }
}

#[test]
fn a_redirect_passes_over_a_304_and_a_loop_over_days_is_not_followed() {
    let (a, t) = ("http://a.com/robots.txt", "http://t.com/robots.txt");
    let not_modified = response(t, &at(3), "HTTP/1.1 304 Not Modified", b"");
    let items = read_in_any_order(&[ok(t, 0, "known"), moved(a, 2, t), not_modified]);
    assert_eq!(items[0], format!("{a} 200 :02 known"));
    let back = format!("HTTP/1.1 301 Moved\r\nLocation: {a}");
    let day_after = response(t, &at(2).replace("01T", "02T"), &back, b"");
    let items = read_in_any_order(&[ok(t, 0, "known"), moved(a, 2, t), day_after.clone()]);
    assert_eq!(items[0], format!("{a} 200 :02 known"));
    let items = read_in_any_order(&[moved(a, 2, t), day_after]);
    assert_eq!(items[0], format!("{a} 301 :02"));
}

#[test]
fn redirects_in_a_circle_are_too_many() {
    let (a, b) = ("http://a.com/robots.txt", "http://b.com/robots.txt");
    let around: Vec<Vec<u8>> =
        (0..10).map(|i| if i % 2 == 0 { moved(a, i, b) } else { moved(b, i, a) }).collect();
    let mut items = read(&around);
    items.sort();
    let expected: Vec<String> = (0..10)
        .map(|i| {
            format!(
                "http://{}.com/robots.txt Some(TooManyRedirects) :{i:02}",
                if i % 2 == 0 { 'a' } else { 'b' }
            )
        })
        .collect();
    let mut expected = expected;
    expected.sort();
    assert_eq!(items, expected);
}

#[test]
fn a_revisit_has_the_repeated_content_and_its_own_time() {
    let site = "http://a.com/robots.txt";
    let digest = ("WARC-Payload-Digest", "sha1:AAAAAAAAAAAAAAAA");
    let first = record(
        &[("WARC-Type", "response"), ("WARC-Target-URI", site), ("WARC-Date", &at(1)), digest],
        b"HTTP/1.1 200 OK\r\n\r\nfirst",
    );
    let refers = [("WARC-Refers-To-Target-URI", site), ("WARC-Refers-To-Date", &at(2))];
    let http = b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n";
    let by_digest = revisit("http://b.com/robots.txt", 4, SAME, &[digest], http);
    let by_date = revisit(site, 5, SAME, &refers, http);
    let unchanged = revisit(site, 6, UNCHANGED, &refers, b"HTTP/1.1 304 Not Modified\r\n\r\n");
    let no_head = revisit(site, 7, SAME, &refers, b"");
    let gone = revisit(site, 8, SAME, &refers, b"HTTP/1.1 404 Not Found\r\n\r\n");
    let records =
        [first, ok(site, 2, "second"), ok(site, 3, "third"), by_digest, by_date, unchanged, no_head, gone];
    let revisits = [
        "http://b.com/robots.txt 200 :04 first",
        "http://a.com/robots.txt 200 :05 second",
        "http://a.com/robots.txt Some(Success) :06 second",
        "http://a.com/robots.txt Some(Success) :07 second",
        "http://a.com/robots.txt 404 :08",
    ];
    assert_eq!(read(&records)[3..], revisits);
    // The file is read again for content that comes later.
    let mut backwards = records.to_vec();
    backwards.reverse();
    let mut found = read(&backwards);
    found.retain(|item| revisits.contains(&&item[..]));
    found.sort();
    let mut expected = revisits.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_revisit_may_repeat_another_resource_and_end_a_redirect() {
    let refers = [("WARC-Refers-To-Target-URI", "http://a.com/common"), ("WARC-Refers-To-Date", &at(1))];
    let items = read(&[
        ok("http://a.com/common", 1, "common"),
        moved("http://b.com/robots.txt", 2, "http://a.com/rules"),
        revisit("http://a.com/rules", 3, SAME, &refers, b"HTTP/1.1 200 OK\r\n\r\n"),
    ]);
    assert_eq!(items, ["http://b.com/robots.txt 200 :02 common"]);
}

#[test]
fn a_revisit_of_another_file_makes_the_file_incomplete() {
    let site = "http://a.com/robots.txt";
    let refers = [("WARC-Refers-To-Target-URI", site), ("WARC-Refers-To-Date", "2023-01-01")];
    let same = |minute| revisit(site, minute, SAME, &refers, b"HTTP/1.1 200 OK\r\n\r\n");
    // A 304 that names no record is one without a result.
    let unchanged = |fields| revisit(site, 4, UNCHANGED, fields, b"");
    let records = [same(3), unchanged(&refers), unchanged(&refers[..1]), unchanged(&[]), same(5)];
    assert_eq!(
        read(&records),
        [
            "http://a.com/robots.txt 304 :04",
            "4 revisits repeat records that are not in the file, such as one of http://a.com/robots.txt (join the WARC files \
             with the originals and with the revisits to one file)",
        ]
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, records.concat()).unwrap();
    let error = capture::captures(&path).find_map(Result::err).unwrap();
    assert!(error.is_incomplete() && !error.ends_file());
}

#[test]
fn a_revisit_repeats_the_record_whose_identifier_it_names() {
    let site = "http://a.com/robots.txt";
    let digest = |character: &str| format!("sha1:{}", character.repeat(32));
    let original = |minute: u32, id: &str, body: &str| {
        let (date, digest) = (at(minute), digest(body));
        let fields = [
            ("WARC-Type", "response"),
            ("WARC-Target-URI", site),
            ("WARC-Date", &*date),
            ("WARC-Record-ID", id),
            ("WARC-Payload-Digest", &*digest),
        ];
        record(&fields, format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes())
    };
    let ok = b"HTTP/1.1 200 OK\r\n\r\n";
    let unchanged = b"HTTP/1.1 304 Not Modified\r\n\r\n";
    let to = |id| ("WARC-Refers-To", id);
    let [a, b] = [original(1, "<urn:uuid:1>", "a"), original(2, "<urn:uuid:2>", "b")];
    let by_id = [to("<urn:uuid:1>"), ("WARC-Record-ID", "<urn:uuid:3>")];
    // The identifier is that of a record in another file. The digest is enough.
    let of_a = digest("a");
    let by_digest = [to("<urn:uuid:9>"), ("WARC-Payload-Digest", &*of_a)];
    assert_eq!(
        read_in_any_order(&[
            a.clone(),
            b.clone(),
            revisit(site, 3, UNCHANGED, &by_id, unchanged),
            revisit(site, 4, SAME, &[to("urn:uuid:1")], ok),
            revisit(site, 5, UNCHANGED, &[to("<urn:uuid:3>")], unchanged),
            revisit(site, 6, SAME, &by_digest, ok),
        ]),
        [
            "http://a.com/robots.txt 200 :01 a",
            "http://a.com/robots.txt 200 :02 b",
            "http://a.com/robots.txt 200 :04 a",
            "http://a.com/robots.txt 200 :06 a",
            "http://a.com/robots.txt Some(Success) :03 a",
            "http://a.com/robots.txt Some(Success) :05 a",
        ]
    );
    let of_no_file = digest("c");
    let other_digest = [to("<urn:uuid:1>"), ("WARC-Payload-Digest", &*of_no_file)];
    let in_no_file = [to("<urn:uuid:9>")];
    let other_time = [("WARC-Refers-To-Date", "2023-01-01")];
    for lost in [
        revisit(site, 3, SAME, &other_digest, ok),
        revisit(site, 3, SAME, &in_no_file, ok),
        revisit(site, 3, UNCHANGED, &in_no_file, unchanged),
        revisit(site, 3, SAME, &other_time, ok),
        revisit(site, 3, UNCHANGED, &other_time, unchanged),
    ] {
        let items = read_in_any_order(&[a.clone(), b.clone(), lost]);
        assert_eq!(items.len(), 3, "{items:?}");
        assert!(items[0].starts_with("1 revisit repeats a record that is not in the file"), "{items:?}");
    }
    let no_date = revisit(site, 3, UNCHANGED, &[("WARC-Refers-To-Date", "2023-13")], unchanged);
    let items = read(&[a, no_date]);
    assert!(items[1].starts_with("failed: ") && items[1].ends_with("field WARC-Refers-To-Date"), "{items:?}");
}

#[test]
fn a_revisit_never_repeats_a_record_with_another_digest() {
    let site = "http://a.com/robots.txt";
    let original = |minute: u32, digest: &str, body: &str| {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
        let date = at(minute);
        let head = [("WARC-Type", "response"), ("WARC-Target-URI", site), ("WARC-Date", &*date)];
        record(&[&head[..], &[("WARC-Payload-Digest", digest)]].concat(), block.as_bytes())
    };
    let http = b"HTTP/1.1 200 OK\r\n\r\n";
    let [a, b] = [original(1, "sha1:AAAAAAAAAAAAAAAA", "a"), original(2, "sha1:BBBBBBBBBBBBBBBB", "b")];
    let same = revisit(site, 3, SAME, &[("WARC-Payload-Digest", "sha1:AAAAAAAAAAAAAAAA")], http);
    let unchanged = revisit(site, 4, UNCHANGED, &[], b"HTTP/1.1 304 Not Modified\r\n\r\n");
    let before = revisit(site, 0, UNCHANGED, &[], b"HTTP/1.1 304 Not Modified\r\n\r\n");
    // The newest record before the 304 is the revisit itself.
    assert_eq!(
        read_in_any_order(&[a, b.clone(), same.clone(), unchanged.clone(), before.clone()]),
        [
            "http://a.com/robots.txt 200 :01 a",
            "http://a.com/robots.txt 200 :02 b",
            "http://a.com/robots.txt 200 :03 a",
            "http://a.com/robots.txt 304 :00",
            "http://a.com/robots.txt Some(Success) :04 a",
        ]
    );
    let items = read_in_any_order(&[b.clone(), same]);
    assert_eq!(items.len(), 2);
    assert!(items.iter().any(|item| item.starts_with("1 revisit repeats a record")), "{items:?}");
    assert_eq!(
        read_in_any_order(&[b, unchanged, before]),
        [
            "http://a.com/robots.txt 200 :02 b",
            "http://a.com/robots.txt 304 :00",
            "http://a.com/robots.txt Some(Success) :04 b",
        ]
    );
}

/// Captures of a file as `host status bytes`; errors as messages.
fn of_file(corpora: &Path, name: &str) -> Vec<String> {
    let path = corpora.join("warc").join(name);
    let describe = |item: Result<Capture, robomata_formats::InputError>| match item {
        Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
        Ok(Capture {
            site: CaptureSite::Url(url),
            status: Some(FetchStatus::Code(code)),
            body,
            time,
            ..
        }) => {
            assert!(time.is_some());
            format!("{} {code} {}", url.split('/').nth(2).unwrap(), body.len())
        }
        Ok(other) => panic!("{other:?}"),
    };
    capture::captures(&path).map(describe).collect()
}

#[test]
fn captures_of_files_have_site_and_status() {
    let ours = small_corpus();
    assert_eq!(
        of_file(&ours, "crawl.warc"),
        ["mill.example 200 31", "tower.example 200 35", "garden.example 404 0"]
    );
    // The redirect from www.bakery.example is followed within the file.
    assert_eq!(of_file(&ours, "wget.warc"), ["bakery.example 200 31", "www.bakery.example 200 31"]);

    let Some(corpora) = shared_folder("corpora") else { return };
    let aut = of_file(&corpora, "aut__src_test_resources_warc_example.warc.gz");
    let (alike, others): (Vec<String>, Vec<String>) =
        aut.into_iter().partition(|item| item.starts_with("ia3") && item.ends_with(".us.archive.org 200 26"));
    assert_eq!(alike.len(), 24);
    assert_eq!(
        others,
        [
            "www.archive.org 200 467",
            "www.adobe.com 200 687",
            "websearch.archive.org 200 24",
            "web.archive.org 200 460",
            "tsunami.archive.org 404 0",
            "fpdownload.macromedia.com 200 26",
            "creativecommons.org 200 24",
            "hideout.com.br 404 0",
            "www.hideout.com.br 404 0",
            "i.creativecommons.org 404 0",
            "deadlists.com 404 0",
            "api.recaptcha.net 200 56",
            "g-images.amazon.com 200 0",
            "www.paypal.com 200 490",
        ]
    );
    // The redirect from www.archive.org is followed within the file.
    let wget = "webarchive-commons__src_test_resources_org_archive_format_warc_IAH-urls-wget.warc";
    assert_eq!(of_file(&corpora, wget), ["archive.org 200 727", "www.archive.org 200 727"]);
}

#[test]
fn revisits_of_another_file_are_reported() {
    let mut items = of_file(&small_corpus(), "revisits.warc");
    let error = items.pop().unwrap();
    assert!(
        error.starts_with("1 revisit repeats a record that is not in the file, such as one of https://attic.example/robots.txt"),
        "{error}"
    );
    // A capture of library.example has what the revisit repeats.
    assert_eq!(items, ["library.example 200 32", "www.library.example 200 32", "cellar.example 410 0"]);

    let Some(corpora) = shared_folder("corpora") else { return };
    let mut items = of_file(&corpora, "ipwb__samples_warcs_sample-1.warc.gz");
    assert_eq!(items.remove(0), "purl.org 404 0");
    let [error] = &items[..] else { panic!("{items:?}") };
    assert!(
        error.starts_with("4 revisits repeat records that are not in the file, such as one of http://bitchmagazine.org/robots.txt"),
        "{error}"
    );
}

#[test]
fn files_without_a_robots_txt_yield_nothing() {
    assert_eq!(of_file(&small_corpus(), "pages.warc"), Vec::<String>::new());
    let Some(corpora) = shared_folder("corpora") else { return };
    for name in [
        "chatnoir-resiliparse__tests_data_warcfile.warc.gz",
        "incubator-stormcrawler__external_warc_src_test_resources_test.warc.gz",
        "whirlwind-python__whirlwind.warc",
    ] {
        assert_eq!(of_file(&corpora, name), Vec::<String>::new(), "{name}");
    }
}
