//! Records that are longer than what is read, and responses that are not whole.

use super::*;

/// A robots.txt that is too long for memory is read like one that is longer than the parsing limit.
#[test]
fn of_a_longer_record_the_first_lines_count_if_it_is_complete() {
    let line = &b"Disallow: /1234\n"[..];
    let long = [&b"User-agent: *\n"[..], &line.repeat((MAX_LINE >> 4) + 9)].concat();
    let kept = |bytes: usize| 14 + (bytes - 14) / line.len() * line.len();
    let head = "HTTP/1.1 200 OK";
    let digest = ("WARC-Payload-Digest", "sha1:LONGLONGLONGLONG");
    let resource = |url, fields: &[(&str, &str)]| {
        let head = [("WARC-Type", "resource"), ("WARC-Target-URI", url), ("WARC-Date", "2024")];
        record(&[&head, fields].concat(), &long)
    };
    let mut cut = resource("http://d.com/robots.txt", &[]);
    cut.truncate(cut.len() - 1000);
    let records = [
        resource("http://a.com/robots.txt", &[digest]),
        revisit("http://b.com/robots.txt", 1, SAME, &[digest], b""),
        response("http://c.com/robots.txt", &at(2), head, &long),
        response("http://e.com/robots.txt", &at(3), "HTTP/1.1 404 Not Found", &long),
        cut,
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.zst");
    let frames = records.iter().map(|record| zstd_frame(record, &[])).collect::<Vec<_>>().concat();
    std::fs::write(&path, frames).unwrap();
    let items: Vec<_> = capture::captures(&path)
        .map(|item| {
            item.map(|capture| {
                assert!(long.starts_with(&capture.body), "{:?}", capture.site);
                (capture.site, capture.status, capture.body.len())
            })
            .map_err(|error| error.to_string())
        })
        .collect();
    let success = |host, status, length| {
        Ok((CaptureSite::Url(format!("http://{host}.com/robots.txt")), Some(status), length))
    };
    assert_eq!(
        items[..3],
        [
            success("a", FetchStatus::Success, kept(MAX_LINE)),
            success("c", FetchStatus::Code(200), kept(MAX_LINE - head.len() - 4)),
            success("e", FetchStatus::Code(404), 0),
        ]
    );
    assert!(items[3].as_ref().is_err_and(|error| error.contains("record 5")), "{:?}", items[3]);
    assert_eq!(
        items[4..],
        [success("d", FetchStatus::NetworkFailure, 0), success("b", FetchStatus::Success, kept(MAX_LINE))]
    );
}

/// The missing part may contain rules (RFC 9309, section 2.3.1.4).
#[test]
fn a_response_that_ended_early_is_a_network_failure() {
    let cut = |url: &str, fields: &[(&str, &str)], head: &str, body: &[u8]| {
        let head_fields = [("WARC-Type", "response"), ("WARC-Target-URI", url), ("WARC-Date", "2024")];
        record(&[&head_fields, fields].concat(), &[head.as_bytes(), b"\r\n\r\n", body].concat())
    };
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 41";
    let body = &b"User-agent: *\nDisallow: /\nAllow: /"[..];
    let truncated = ("WARC-Truncated", "length");
    let digest = ("WARC-Payload-Digest", "sha1:CUTCUTCUTCUTCUTC");
    let resource = [("WARC-Type", "resource"), ("WARC-Target-URI", "http://c.com/robots.txt"), truncated];
    let items = read(&[
        cut("http://a.com/robots.txt", &[digest], length, body),
        moved("http://m.com/robots.txt", 1, "http://n.com/x"),
        cut("http://n.com/x", &[], length, body),
        cut("http://b.com/robots.txt", &[truncated], "HTTP/1.1 200 OK", body),
        record(&resource, body),
        cut("http://d.com/robots.txt", &[truncated], "HTTP/1.1 404 Not Found", body),
        revisit("http://e.com/robots.txt", 2, SAME, &[truncated, digest], b""),
        revisit("http://f.com/robots.txt", 3, SAME, &[digest], b"HTTP/1.1 200 OK\r\n\r\n"),
        // The last redirect leads to a record before it.
        moved("http://p.com/robots.txt", 4, "http://a.com/robots.txt"),
    ]);
    let failed: Vec<&String> = items.iter().filter(|item| item.starts_with("failed: ")).collect();
    let hosts: Vec<_> = failed.iter().map(|item| &item[15..16]).collect();
    assert_eq!(hosts, ["a", "b", "c", "e", "f", "p", "m"]);
    assert_eq!(
        items[0],
        "failed: http://a.com/robots.txt: record 1, at byte 0: expected a body of 41 bytes, found 34"
    );
    assert_eq!(*failed[3], items[0].replace("a.com", "e.com"), "a revisit of it");
    assert!(items.contains(&"http://d.com/robots.txt 404 :00".to_owned()), "{items:?}");
    assert_eq!(items.len(), 8, "{items:?}");
}

/// What a part of a file means depends on the dialect (F1), as in a line of JSON.
#[test]
fn a_part_of_a_file_keeps_its_status() {
    let part = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes";
    let body = b"User-agent: *\nDisallow: /\n";
    let of = |host: &str, range: &str| {
        let url = format!("http://{host}.com/robots.txt");
        response(&url, &at(1), &format!("{part} {range}"), body)
    };
    let items = read(&[
        of("a", "0-25/99"),
        of("b", "5-30/31"),
        of("c", "0-25/26"),
        moved("http://d.com/robots.txt", 2, "http://a.com/robots.txt"),
        revisit(
            "http://e.com/robots.txt",
            3,
            SAME,
            &[("WARC-Refers-To-Target-URI", "http://a.com/robots.txt"), ("WARC-Refers-To-Date", &at(1))],
            b"HTTP/1.1 200 OK\r\n\r\n",
        ),
    ]);
    let expected = [
        "http://a.com/robots.txt 206 :01",
        "http://b.com/robots.txt 206 :01",
        "http://c.com/robots.txt 200 :01 User-agent: *\nDisallow: /",
        // What the client has is not known.
        "failed: http://e.com/robots.txt: record 1, at byte 0: expected the whole file, found a part of it (status 206)",
        "http://d.com/robots.txt 206 :02",
    ];
    assert_eq!(items, expected);
}

/// A crawler has to read as many bytes, and need not read more (RFC 9309, section 2.5).
#[test]
fn of_a_long_response_that_ended_early_the_complete_lines_count() {
    let line = &b"Disallow: /1234\r\n"[..];
    let read = |bytes: usize, last: &[u8], head: &str| {
        let mut body = [b"User-agent: *\n", &line.repeat(bytes / line.len() + 1)[..]].concat();
        body.truncate(bytes - last.len());
        body.extend_from_slice(last);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.warc");
        std::fs::write(&path, response("http://a.com/robots.txt", &at(1), head, &body)).unwrap();
        let items: Vec<_> = capture::captures(&path).collect();
        let [errors @ .., Ok(capture)] = &items[..] else { panic!("{items:?}") };
        assert!(body.starts_with(&capture.body));
        assert_eq!(
            (errors.len(), capture.unreadable.is_some()),
            match (capture.body.is_empty(), capture.status) {
                (true, Some(FetchStatus::Code(206))) => (0, false),
                (is_empty, _) => (usize::from(!is_empty), is_empty),
            }
        );
        (capture.status, capture.body.len())
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 999999";
    let lines = |bytes: usize| 14 + (bytes - 14) / line.len() * line.len();
    let used = |status, length| (Some(FetchStatus::Code(status)), length);
    let failed = || (Some(FetchStatus::NetworkFailure), 0);
    assert_eq!(read(512_000, b"", head), used(200, lines(512_000)));
    assert_eq!(read(511_999, b"", head), failed());
    let range = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes";
    assert_eq!(read(512_000, b"", &format!("{range} 0-511999/700000")), used(200, lines(512_000)));
    assert_eq!(read(512_000, b"", &format!("{range} 1-512000/700000")), used(206, 0));
    // Of a line this long, too much may be missing.
    assert_eq!(read(600_000, &b"x".repeat(20_000), head), failed());
}
