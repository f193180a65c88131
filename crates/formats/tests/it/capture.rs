//! Captures from JSON lines and directories, and the errors for invalid ones.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use robomata_formats::lines::MAX_LINE;
use robomata_formats::{Capture, CaptureSite, FileName, Meter, Origin, Resource, capture};
use robomata_protocol::FetchStatus;

use crate::support::gzip;

/// The capture on `line`, or the error message, or why its result cannot be read.
fn parse(line: &str) -> Result<Capture, String> {
    let origin = Origin { file: FileName::new("robots.jsonl"), line: Some(17) };
    match Capture::from_json_line(line.as_bytes(), &origin) {
        Ok(capture) => {
            let capture = capture.expect("the line is not blank");
            let Some(why) = &capture.unreadable else { return Ok(capture) };
            assert_eq!((capture.status, &*capture.body), (Some(FetchStatus::NetworkFailure), &b""[..]));
            Err(why.to_string())
        }
        Err(error) => {
            assert_eq!((error.line(), error.ends_file()), (Some(17), false));
            Err(error.to_string())
        }
    }
}

/// The error message for `line`, without file and line number.
fn complaint(line: &str) -> String {
    let message = parse(line).expect_err(line);
    message.strip_prefix("robots.jsonl:17: ").expect(&message).to_owned()
}

fn with(key: &str, value: &str) -> String {
    format!(r#"{{"host": "a.com", "body": "x", "{key}": {value}}}"#)
}

#[test]
fn a_capture_has_all_fields_of_the_line() {
    let line =
        r#"{"host":"a.com","http_status":"200","date":"2019-07-23","body_b64":"VXNlcg==","class":{"x":[1]}}"#;
    let capture = parse(line).unwrap();
    assert_eq!(capture.site, CaptureSite::Host("a.com".into()));
    assert_eq!(*capture.body, *b"User");
    assert_eq!(capture.status, Some(FetchStatus::Code(200)));
    assert_eq!(capture.time.unwrap().seconds(), 1_563_840_000);
    assert_eq!(capture.origin, Origin { file: FileName::new("robots.jsonl"), line: Some(17) });
}

#[test]
fn a_site_is_a_url_or_a_host() {
    let site = |line: &str| parse(line).unwrap().site;
    let url = CaptureSite::Url("http://a.com:8080/robots.txt".into());
    assert_eq!(site(r#"{"url": "http://a.com:8080/robots.txt", "body": "x"}"#), url);
    assert_eq!(site(r#"{"host": "b.com", "url": "http:\/\/a.com:8080\/robots.txt", "body": "x"}"#), url);
    assert_eq!(site(r#"{"host": "b.com", "url": null, "body": "x"}"#), CaptureSite::Host("b.com".into()));
    assert_eq!(site(r#"{"host": " b.com ", "body": "x"}"#), CaptureSite::Host("b.com".into()));
    assert_eq!(
        complaint(r#"{"host": "https://b.com", "body": ""}"#),
        r#"expected a host, not a URL (call it "url") in "host", found "https://b.com""#
    );
    for (line, found) in [
        (r#"{"body": ""}"#, r#", found "body""#),
        (r#"{"host": null, "body": ""}"#, r#", found "body", "host""#),
        ("{}", ""),
    ] {
        assert_eq!(complaint(line), format!(r#"expected a key "host" or "url"{found}"#));
    }
    assert_eq!(complaint(r#"{"host": 7, "body": ""}"#), r#"expected a host in "host", found 7"#);
    assert_eq!(complaint(r#"{"host": " ", "body": ""}"#), r#"expected a host in "host", found " ""#);
    assert_eq!(complaint(r#"{"url": ["x"], "body": ""}"#), r#"expected a URL in "url", found an array"#);
}

#[test]
fn a_body_is_text_or_base64_and_base64_counts() {
    let body = |line: &str| parse(line).unwrap().body.to_vec();
    assert_eq!(
        body(r#"{"host": "a", "body": "User-agent: *\nDisallow: /\u00e9"}"#),
        "User-agent: *\nDisallow: /é".as_bytes()
    );
    assert_eq!(body(r#"{"host": "a", "body": "plain"}"#), b"plain");
    let lost = r#"{"host": "a", "body": "\ufffd\ufffd\u0000", "body_b64": "/+8A"}"#;
    assert_eq!(body(lost), b"\xff\xef\0");
    assert_eq!(body(r#"{"host": "a", "body_b64": "", "body": "x"}"#), b"x");
    assert_eq!(body(r#"{"host": "a", "body_b64": "eA==", "body": ""}"#), b"x");
    assert_eq!(body(r#"{"host": "a", "status": 200, "body_b64": "", "body": ""}"#), b"");
    assert_eq!(body(r#"{"host": "a", "body_b64": "eA==", "body": "y", "status": 404}"#), b"x");
    assert_eq!(
        complaint(r#"{"host": "a", "body_b64": "eA==", "body": "y"}"#),
        "expected one body, found two that differ (leave one out, or make it null)"
    );
    assert_eq!(body(r#"{"host": "a", "body_b64": "\/+8A"}"#), b"\xff\xef\0", "escaped solidus");
    assert_eq!(body(r#"{"host": "a", "body_b64": "VXNlcg"}"#), b"User", "no padding");
    assert_eq!(body(r#"{"host": "a", "status": 200, "body_b64": ""}"#), b"");
    assert_eq!(body(r#"{"host": "a", "body_b64": null, "body": "x"}"#), b"x");
    assert!(complaint(r#"{"host": "a", "body_b64": "!"}"#).starts_with(r#"expected base64 in "body_b64": "#));
    assert_eq!(complaint(r#"{"host": "a", "body": 5}"#), r#"expected text in "body", found 5"#);
    assert_eq!(
        complaint(r#"{"host": "a", "body_b64": {}}"#),
        r#"expected base64 in "body_b64", found an object"#
    );
}

#[test]
fn a_body_may_be_missing_when_the_fetch_returned_none() {
    for status in ["404", "503", "301", "304", "0", "-1", "\"404\""] {
        let capture = parse(&format!(r#"{{"host": "a", "status": {status}}}"#)).unwrap();
        assert!(capture.body.is_empty(), "{status}");
    }
    for status in ["200", "204", "\"success\"", "null"] {
        let message = complaint(&format!(r#"{{"host": "a", "status": {status}}}"#));
        let expected = r#"expected a key "body" or "body_b64", found "host", "status""#;
        assert_eq!(message, expected, "{status}");
    }
}

#[test]
fn a_status_is_a_number_in_any_form_or_success() {
    let known = [
        ("200", Some(FetchStatus::Code(200))),
        ("\"404\"", Some(FetchStatus::Code(404))),
        ("\" 404 \"", Some(FetchStatus::Code(404))),
        ("503.0", Some(FetchStatus::Code(503))),
        ("999", Some(FetchStatus::Code(999))),
        ("\"success\"", Some(FetchStatus::Success)),
        ("0", Some(FetchStatus::NetworkFailure)),
        ("\"0\"", Some(FetchStatus::NetworkFailure)),
        ("-9998", Some(FetchStatus::NetworkFailure)),
        ("-1.0", Some(FetchStatus::NetworkFailure)),
        ("null", None),
        ("\"\"", None),
    ];
    for (text, status) in known {
        for key in ["status", "http_status"] {
            assert_eq!(parse(&with(key, text)).unwrap().status, status, "{key} {text}");
        }
    }
    for (text, found) in [
        ("\"failure\"", "\"failure\""),
        ("99", "99"),
        ("1000", "1000"),
        ("65736", "65736"),
        ("200.5", "200.5"),
        ("true", "true"),
        ("[]", "an empty array"),
        ("18446744073709551615", "a number out of range"),
    ] {
        let message = complaint(&with("http_status", text));
        assert_eq!(
            message,
            format!(r#"expected an HTTP status, "success" or null in "http_status", found {found}"#)
        );
    }
}

#[test]
fn the_first_of_two_names_of_a_key_counts() {
    let status = |rest: &str| parse(&format!(r#"{{"host": "a", "body": "x", {rest}}}"#)).unwrap();
    assert_eq!(status(r#""http_status": 204, "status": 200"#).status, Some(FetchStatus::Code(200)));
    assert_eq!(status(r#""status": null, "http_status": 404"#).status, Some(FetchStatus::Code(404)));
    assert_eq!(status(r#""date": "x", "time": 800000000"#).time.unwrap().seconds(), 800_000_000);
    assert_eq!(status(r#""date": 900000000, "time": null"#).time.unwrap().seconds(), 900_000_000);
}

/// Programs have an empty body for a fetch without a response, which would allow everything.
#[test]
fn an_empty_body_needs_a_status() {
    let parsed = |rest: &str| parse(&format!(r#"{{"host": "a", {rest}}}"#)).map(|capture| capture.status);
    assert_eq!(parsed(r#""body": "x", "status": null"#).unwrap(), None);
    assert_eq!(parsed(r#""body": "", "status": 200"#).unwrap(), Some(FetchStatus::Code(200)));
    for rest in [
        r#""body": """#,
        r#""body_b64": "", "body": """#,
        r#""body": "", "status": null"#,
        r#""http_status": null, "body_b64": """#,
        r#""body": "", "error": null"#,
    ] {
        let message = complaint(&format!(r#"{{"host": "a", {rest}}}"#));
        assert!(message.starts_with("expected a status: "), "{message}");
    }
}

#[test]
fn a_time_is_text_or_a_number() {
    for key in ["time", "date"] {
        for text in
            ["\"2019-07-23T10:15:00Z\"", "\"20190723101500\"", "20190723101500", "1563876900", "1563876900.0"]
        {
            assert_eq!(
                parse(&with(key, text)).unwrap().time.unwrap().seconds(),
                1_563_876_900,
                "{key} {text}"
            );
        }
        assert_eq!(parse(&with(key, "null")).unwrap().time, None);
        let expected = format!(
            r#"expected an ISO 8601 time such as 2026-11-28, 14 digits or seconds since 1970, of the years 1994 to 2200 in "{key}", found "#
        );
        for text in [
            "\"yesterday\"",
            "\"\"",
            "1563876900000",
            "false",
            "0",
            "0.35",
            "2026",
            "\"1980-01-01T00:00:00Z\"",
        ] {
            assert_eq!(complaint(&with(key, text)), format!("{expected}{text}"));
        }
    }
}

#[test]
fn a_line_that_is_not_an_object_is_an_error() {
    for line in ["nonsense", "[1]", "\"text\"", "7", "null", "\u{feff}{}"] {
        assert_eq!(complaint(line), "expected a JSON object, in a line without a readable site", "{line}");
    }
    assert_eq!(
        complaint("{"),
        "expected a JSON object: EOF while parsing an object at column 1 (jq -c . makes one line of each object), in a line without a readable site"
    );
    let message = complaint(r#"{"host": "a", "host": "b", "body": ""}"#);
    assert!(message.starts_with("expected a JSON object: duplicate field `host` at column "), "{message}");
    assert!(
        complaint(r#"{"host": "a", "body": ""} more"#)
            .starts_with("expected a JSON object: trailing characters")
    );
}

/// Of several lines that are lost, no site may be taken for one without rules.
#[test]
fn a_line_that_is_not_json_fails_its_site_or_makes_the_source_incomplete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let latin = b"{\"host\": \"a.com\", \"body\": \"# caf\xe9\"}\n";
    for (line, is_known) in [
        (&br#"{"host": "a.com", "status": NaN, "body": "x"}"#[..], true),
        (br#"{"host": "a.com", "body": "x", "body": "y"}"#, true),
        (br#"{"host": "a.com", "body": "x"},"#, true),
        (br#"{"url": "https://a.com/robots.txt", "body": 'x'}"#, true),
        (latin.trim_ascii_end(), true),
        (br#"{"host": "a.com", "body": "x"#, true),
        (br#"{"body": "x", "status": NaN, "host": "a.com"}"#, false),
        (br#"{"host": "a.com", "host": "b.com", "body": "x"}"#, false),
        (br#"{"host": "a.com", "body": "x"}{"host": "b.com", "body": "y"}"#, false),
        (br#"{"host": "a.com", "body": "{"host": "b.com", "body": "y"}"#, false),
        (br#"{"host": "a b", "status": NaN}"#, false),
        (br#"{"status": NaN}"#, false),
        (b"oops", false),
        (b"# a comment", false),
        (b"{", false),
        (br#"["host", "a.com"]"#, false),
    ] {
        fs::write(&path, [b"{\"host\": \"z.com\", \"body\": \"x\"}\n", line, b"\n"].concat()).unwrap();
        let text = String::from_utf8_lossy(line);
        let items: Vec<_> = capture::captures(&path).collect();
        let [Ok(_), second] = &items[..] else { panic!("{text}: {items:?}") };
        match second {
            Ok(capture) => {
                let why = capture.unreadable.as_ref().expect("it is unreadable");
                assert!(is_known && why.contains("r.jsonl:2: expected a JSON object: "), "{text}: {why}");
            }
            Err(error) => {
                assert!(!is_known && error.is_incomplete() && !error.ends_file(), "{text}: {error}");
            }
        }
    }
}

#[test]
fn an_array_is_an_error_that_says_how_to_make_lines() {
    let directory = tempfile::tempdir().unwrap();
    let object = r#"{"host": "a.com", "body": "x"}"#;
    for text in [
        format!("[\n{object},\n{object}\n]\n"),
        format!("\u{feff}\n [{object},{object}]"),
        format!("[{object}\n"),
    ] {
        fs::write(directory.path().join("r.json"), &text).unwrap();
        let items = read(&directory.path().join("r.json"), directory.path());
        let [Err(message)] = &items[..] else { panic!("{text}: {items:?}") };
        assert!(message.ends_with("found an array (jq -c '.[]' makes lines of it)"), "{text}: {message}");
    }
}

#[test]
fn long_texts_are_not_quoted_whole() {
    let message = complaint(&with("time", &format!("\"{}\"", "é".repeat(1000))));
    assert!(message.ends_with(&format!("found \"{}\"…", "é".repeat(40))), "{message}");
}

/// Captures as hosts; errors as messages without the directory.
fn read(path: &Path, directory: &Path) -> Vec<Result<String, String>> {
    let prefix = format!("{}/", directory.display());
    capture::captures(path)
        .map(|result| match result {
            Ok(Capture { unreadable: Some(why), .. }) => Err(format!("failed: {}", why.replace(&prefix, ""))),
            Ok(Capture { site: CaptureSite::Host(host), body, origin, .. }) => {
                let line = origin.line.map_or("file".to_owned(), |line| line.to_string());
                Ok(format!("{host} {} {line}", String::from_utf8_lossy(&body)))
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string().replace(&prefix, "")),
        })
        .collect()
}

#[test]
fn reading_goes_on_after_bad_lines() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let lines = [
        "\u{feff}{\"host\": \"a\", \"body\": \"1\"}",
        "",
        "oops",
        "{\"host\": \"b\", \"body\": \"2\"}\r",
        " \t",
        "{\"body\": \"3\"}",
        "{\"host\": \"c\", \"body\": \"4\"}",
    ];
    fs::write(&path, lines.join("\n")).unwrap();
    let expected = [
        Ok("a 1 1".to_owned()),
        Err("r.jsonl:3: expected a JSON object, in a line without a readable site".to_owned()),
        Ok("b 2 4".to_owned()),
        Err("r.jsonl:6: expected a key \"host\" or \"url\", found \"body\"".to_owned()),
        Ok("c 4 7".to_owned()),
    ];
    assert_eq!(read(&path, directory.path()), expected);
}

#[test]
fn captures_cross_the_boundaries_of_blocks_and_end_with_the_archive() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl.zst");
    let body = "x".repeat(1000);
    let lines: String =
        (0..5000).map(|i| format!("{{\"host\": \"h{i}\", \"body\": \"{body}\"}}\n")).collect();
    let archive = zstd::encode_all(lines.as_bytes(), 1).unwrap();
    fs::write(&path, &archive).unwrap();
    for (i, capture) in capture::captures(&path).enumerate() {
        let capture = capture.unwrap();
        assert_eq!(capture.site, CaptureSite::Host(format!("h{i}")));
        assert_eq!(capture.origin.line, Some(i as u64 + 1));
    }
    fs::write(&path, &archive[..archive.len() / 2]).unwrap();
    let mut results: Vec<_> = capture::captures(&path).collect();
    // The site of the line in which the archive ends was read.
    let last = results.pop().unwrap().unwrap();
    assert_eq!(last.site, CaptureSite::Host(format!("h{}", results.len() - 1)));
    let error = results.pop().unwrap().unwrap_err();
    assert_eq!(last.unreadable.as_deref(), Some(&*error.to_string()));
    assert!(error.is_incomplete() && error.ends_file());
    assert_eq!(error.line(), Some(results.len() as u64 + 1));
    assert!(results.len() > 1000 && results.iter().all(Result::is_ok), "{}", results.len());
}

#[test]
fn a_directory_holds_a_file_for_every_host() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("robots");
    fs::create_dir(&root).unwrap();
    let files: [(&str, Vec<u8>); 8] = [
        ("b.com", b"two".to_vec()),
        ("a.com.gz", gzip(b"one")),
        ("c.com.zst", zstd::encode_all(&b"three"[..], 1).unwrap()),
        ("d.com.txt", b"four".to_vec()),
        ("e.com.gz", b"not gzip".to_vec()),
        ("f.com.gz", gzip(&b"cut".repeat(100))[..12].to_vec()),
        ("g.com", vec![]),
        (".hidden", b"no".to_vec()),
    ];
    for (name, data) in files {
        fs::write(root.join(name), data).unwrap();
    }
    fs::create_dir(root.join("b.com.d")).unwrap();
    let expected = [
        Ok("a.com one file".to_owned()),
        Ok("b.com two file".to_owned()),
        Err("b.com.d: expected a robots.txt, in a file named by its host or as HOST/robots.txt, found a directory without one; it is skipped".to_owned()),
        Ok("c.com three file".to_owned()),
        Ok("d.com.txt four file".to_owned()),
        Err("failed: e.com.gz: expected gzip data, as its name promises".to_owned()),
        Err("f.com.gz: expected the rest of the gzip data, found the end of the file".to_owned()),
        Err("failed: f.com.gz: expected the rest of the gzip data, found the end of the file".to_owned()),
        Ok("g.com  file".to_owned()),
    ];
    assert_eq!(read(&root, &root), expected);
}

/// A file of a stranger must not make its site unknown by its size alone. A tdmrep.json cannot be read in part.
/// An older capture of the site might have other rules.
#[test]
fn the_site_of_an_object_that_is_cut_is_a_network_failure() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("r.jsonl");
    let good = "{\"host\": \"a.com\", \"body\": \"x\"}\n";
    let cut = "r.jsonl:2: expected the rest of the JSON object, found the end of the file";
    let is_known = "{\"host\": \"b.com\"".len();
    let last = "{\"host\": \"b.com\", \"time\": 1714521600, \"body\": \"x\"}";
    for length in 1..last.len() {
        fs::write(&path, good.to_owned() + &last[..length]).unwrap();
        let mut expected = vec![Ok("a.com x 1".to_owned()), Err(cut.to_owned())];
        expected.extend((length >= is_known).then(|| Err(format!("failed: {cut}"))));
        assert_eq!(read(&path, directory.path()), expected, "{}", &last[..length]);
        let capture = capture::captures(&path).nth(2).map(Result::unwrap);
        // A number that is cut is another time.
        let has_time = length > last.find(", \"body").unwrap();
        assert_eq!(capture.is_some_and(|capture| capture.time.is_some()), has_time, "{}", &last[..length]);
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_a_directory_that_exists_and_cannot_be_read_is_a_network_failure() {
    use std::os::unix::fs::symlink;
    let directory = tempfile::tempdir().unwrap();
    let (root, gone) = (directory.path(), "cannot be read: No such file or directory");
    fs::create_dir_all(root.join("a.com/.well-known")).unwrap();
    fs::write(root.join("a.com/robots.txt"), "User-agent: *\n").unwrap();
    symlink("nowhere", root.join("a.com/.well-known/tdmrep.json")).unwrap();
    fs::create_dir(root.join("b.com")).unwrap();
    symlink("nowhere", root.join("b.com/robots.txt")).unwrap();
    symlink("nowhere", root.join("b.com/.well-known")).unwrap();
    fs::create_dir_all(root.join("c.com/robots.txt")).unwrap();
    symlink("robots.txt", root.join("d.com+8080")).unwrap();
    // A link to itself, for any other error.
    fs::create_dir(root.join("e.com")).unwrap();
    symlink("robots.txt", root.join("e.com/robots.txt")).unwrap();
    fs::create_dir(root.join("f.com")).unwrap();
    fs::write(root.join("f.com/robots.txt"), "").unwrap();
    fs::write(root.join("f.com/.well-known"), "a file").unwrap();
    let items: Vec<_> = capture::captures(root).collect();
    let described: Vec<String> = items
        .iter()
        .map(|item| match item {
            Ok(Capture { unreadable: Some(_), site: CaptureSite::Host(host), resource, .. }) => {
                format!("{host} {resource:?} failed")
            }
            Ok(capture) => format!("{:?}", capture.resource),
            Err(error) => {
                assert!(error.is_incomplete(), "{error}");
                error
                    .to_string()
                    .replace(&format!("{}/", root.display()), "")
                    .split(" (")
                    .next()
                    .unwrap()
                    .to_owned()
            }
        })
        .collect();
    let expected = [
        "RobotsTxt".to_owned(),
        format!("a.com/.well-known/tdmrep.json: {gone}"),
        "a.com TdmRepJson failed".to_owned(),
        format!("b.com/robots.txt: {gone}"),
        "b.com RobotsTxt failed".to_owned(),
        format!("b.com/.well-known/tdmrep.json: {gone}"),
        "b.com TdmRepJson failed".to_owned(),
        "c.com RobotsTxt failed".to_owned(),
        format!("d.com+8080: {gone}"),
        "d.com:8080 RobotsTxt failed".to_owned(),
        described[10].clone(),
        "e.com RobotsTxt failed".to_owned(),
        "RobotsTxt".to_owned(),
    ];
    assert_eq!(described, expected);
    assert!(described[10].starts_with("e.com/robots.txt: cannot be read: "), "{described:?}");
}

#[test]
fn of_a_longer_file_in_a_directory_the_first_lines_count() {
    let directory = tempfile::tempdir().unwrap();
    let line = b"Disallow: /1234567\n";
    let long = line.repeat(MAX_LINE / line.len() + 1);
    let whole_lines = MAX_LINE / line.len() * line.len();
    fs::write(directory.path().join("a.com.zst"), zstd::encode_all(&long[..], 1).unwrap()).unwrap();
    let mirrored = directory.path().join("b.com/.well-known");
    fs::create_dir_all(&mirrored).unwrap();
    fs::write(directory.path().join("b.com/robots.txt"), &long).unwrap();
    let endless = fs::File::create(mirrored.join("tdmrep.json")).unwrap();
    endless.set_len(MAX_LINE as u64 + 1).unwrap();
    let mut captures = capture::captures(directory.path());
    for host in ["a.com", "b.com"] {
        let capture = captures.next().unwrap().unwrap();
        assert_eq!(capture.site, CaptureSite::Host(host.to_owned()));
        assert!(*capture.body == long[..whole_lines], "{host}: {} bytes", capture.body.len());
    }
    let failed = captures.next().unwrap().unwrap();
    assert_eq!((failed.resource, failed.status), (Resource::TdmRepJson, Some(FetchStatus::NetworkFailure)));
    let why = failed.unreadable.unwrap();
    assert!(why.ends_with("tdmrep.json: expected a body of at most 64 MiB"), "{why}");
    assert!(captures.next().is_none());
}

/// Taken as a host, each of these files would make all sites unknown.
#[test]
fn a_directory_of_other_files_is_an_error() {
    type Files<'f> = &'f [(&'f str, &'f str)];
    const ROBOTS: &str = "User-agent: *\nDisallow: /\n";
    const JSON: &str = "{\"host\": \"example.com\", \"body\": \"User-agent: *\"}\n";
    const WARC: &str = "WARC/1.1\r\nWARC-Type: warcinfo\r\n";
    let captures = "robots.txt of a host, as in all files of a directory, found captures";
    let name = "robots.txt of a host, as in all files of a directory, found the name of a file of captures";
    let no_dot = "found no dot in its name and no record such as User-agent";
    let no_record = ": no captures found; no file of the directory has a record such as User-agent";
    let cases: &[(Files<'_>, Option<&str>)] = &[
        (&[("_SUCCESS", ""), ("part-00000", JSON)], Some(captures)),
        (&[("captures.bin", JSON), ("captures.old", WARC), ("captures.csv", "url,body\n")], Some(no_record)),
        (&[("a.com", ROBOTS), ("captures", WARC)], Some(captures)),
        (&[("README.md", "# Samples"), ("robots.jsonl", JSON)], Some(name)),
        (&[("a.com", ROBOTS), ("b.com.warc", ROBOTS)], Some(name)),
        (&[("a.com", ROBOTS), ("LICENSE", "Permission is granted")], Some(no_dot)),
        (&[("a.com", ROBOTS), ("part-0.gz", "not gzip")], Some(no_dot)),
        (&[("README.md", "# Samples"), ("urls.example", "https://a.com/")], Some(no_record)),
        // These are robots.txt files, or may be what their sites sent.
        (&[("a.com", ROBOTS), ("b.com", JSON), ("c.com", WARC), ("d.com", "host\tbody\na.com\t\n")], None),
        (&[("localhost", ROBOTS), ("README.md", "# Samples")], None),
        (&[("localhost", ""), ("a.com", "<html>")], None),
        (&[("a.com/robots.txt", "<html>")], None),
        (&[("a.com", ROBOTS), ("b.com", "{\"url\": \"/robots.txt\", \"error\": \"not found\"}")], None),
    ];
    for (files, expected) in cases {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in *files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let errors: Vec<_> = capture::captures(directory.path()).filter_map(Result::err).collect();
        match expected {
            None => assert!(errors.is_empty(), "{files:?}: {errors:?}"),
            Some(expected) => {
                let error = errors.first().unwrap();
                let (message, advice) = (error.to_string(), directory.path().join("*").display().to_string());
                assert!(error.is_other_than_captures() && message.contains(expected), "{files:?}: {message}");
                assert!(message.contains(&format!("name the files: {advice}")), "{message}");
            }
        }
    }
}

#[test]
fn captures_under_the_name_of_a_host_are_a_fetch_that_failed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.com"), "User-agent: *\n").unwrap();
    fs::write(directory.path().join("b.com"), "{\"host\": \"a.com\", \"body\": \"\"}\n").unwrap();
    let all: Vec<_> = capture::captures(directory.path()).map(Result::unwrap).collect();
    assert_eq!(all[0].status, None);
    assert_eq!(all[1].status, Some(FetchStatus::NetworkFailure));
    let why = all[1].unreadable.as_deref().unwrap();
    assert!(why.contains("expected a robots.txt, found captures"), "{why}");
}

#[test]
fn a_file_and_a_directory_are_named_by_a_host_and_port_alike() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.com+8080"), "User-agent: *\n").unwrap();
    fs::create_dir(directory.path().join("b.com+8080")).unwrap();
    fs::write(directory.path().join("b.com+8080/robots.txt"), "User-agent: *\n").unwrap();
    let sites: Vec<_> = capture::captures(directory.path()).map(|capture| capture.unwrap().site).collect();
    assert_eq!(sites, ["a.com:8080", "b.com:8080"].map(|host| CaptureSite::Host(host.to_owned())));
}

/// wget and curl keep a file of the day before, and number those of later days.
#[test]
fn a_mirror_with_several_versions_of_a_file_is_a_failed_fetch() {
    let directory = tempfile::tempdir().unwrap();
    for name in [
        "a.com/robots.txt",
        "a.com/robots.txt.1",
        "a.com/robots.txt.2",
        "b.com/robots.txt",
        "b.com/.well-known/tdmrep.json",
        "b.com/.well-known/tdmrep.json.1",
        "c.com/robots.txt.1",
    ] {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "User-agent: *\n").unwrap();
    }
    let found = read(directory.path(), directory.path());
    let failed = |host: &str, folder: &str, name: &str| {
        Err(format!(
            "failed: {host}/{folder}{name}.1: expected one capture, found another version of {folder}{name} (keep the newest alone, as {folder}{name})"
        ))
    };
    let expected = [
        failed("a.com", "", "robots.txt"),
        Ok("b.com User-agent: *\n file".to_owned()),
        failed("b.com", ".well-known/", "tdmrep.json"),
        failed("c.com", "", "robots.txt"),
    ];
    assert_eq!(found, expected);
}

/// A mirror may have the bytes that a server sent with a Content-Encoding.
#[test]
fn compressed_bytes_under_a_hosts_plain_name_are_decompressed() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("robots");
    fs::create_dir_all(root.join("c.com")).unwrap();
    let once = gzip(b"one");
    for (name, bytes) in [
        ("a.com", &once[..]),
        ("b.com", &zstd::encode_all(&b"two"[..], 1).unwrap()),
        ("c.com/robots.txt", &once),
        ("d.com", b"\x1f\x8bstuff"),
        ("e.com", &once[..once.len() - 4]),
        ("f.com.gz", &gzip(&once)),
        ("g.com", b"BZh91AY&SY\xba"),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    let expected = ["a.com one file", "b.com two file", "c.com one file"].map(|item| Ok(item.to_owned()));
    let items = read(&root, &root);
    assert_eq!(items[..3], expected);
    let [Err(damaged), Err(cut), Err(twice), Err(unread)] = &items[3..] else { panic!("{items:?}") };
    assert!(damaged.starts_with("failed: d.com: expected "), "{damaged}");
    assert_eq!(cut, "failed: e.com: expected the rest of the gzip data, found the end of the file");
    let message = "expected a body of text, found gzip data (decode the body before it is written)";
    assert_eq!(*twice, format!("failed: f.com.gz: {message}"));
    assert_eq!(*unread, format!("failed: g.com: {}", message.replace("gzip", "bzip2")));
    // Nor is a single file compressed twice, or the body of a line; but an error page may be.
    let path = root.join("f.com.gz");
    let site = CaptureSite::Host("f.com".to_owned());
    let single: Vec<_> = capture::captures_with(&path, Some(&site), &Meter::default()).collect();
    assert!(matches!(&single[..], [Err(error)] if error.to_string().ends_with(message)), "{single:?}");
    let encoded = STANDARD.encode(&once);
    assert_eq!(complaint(&format!(r#"{{"host": "a.com", "body_b64": "{encoded}"}}"#)), message);
    let zstd = STANDARD.encode(zstd::encode_all(&b"one"[..], 1).unwrap());
    let line = format!(r#"{{"host": "a.com", "body_b64": "{zstd}"}}"#);
    assert_eq!(complaint(&line), message.replace("gzip", "zstd"));
    let xz = STANDARD.encode(b"\xfd7zXZ\0\0\x04");
    assert_eq!(complaint(&format!(r#"{{"host": "a", "body_b64": "{xz}"}}"#)), message.replace("gzip", "xz"));
    let not_found = parse(&format!(r#"{{"host": "a.com", "status": 404, "body_b64": "{encoded}"}}"#));
    assert_eq!(not_found.unwrap().status, Some(FetchStatus::Code(404)));
}

#[test]
fn a_path_that_cannot_be_opened_is_one_error() {
    let results: Vec<_> = capture::captures(Path::new("no/such/file")).collect();
    assert_eq!(results.len(), 1);
    assert!(results[0].as_ref().unwrap_err().to_string().starts_with("no/such/file: cannot be read: "));
}
