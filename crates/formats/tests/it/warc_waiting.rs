//! Captures of WARC files that wait for another record: redirects and revisits.

use std::collections::HashSet;

use crate::support::{record, response};
use robomata_formats::{CaptureSite, capture};

const OK: &str = "HTTP/1.1 200 OK";

/// Captures as `site body`, in order; errors as messages after the file's name.
fn read(records: &[Vec<u8>]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, records.concat()).unwrap();
    capture::captures(&path)
        .map(|item| match item {
            Ok(capture) => {
                let (CaptureSite::Url(site) | CaptureSite::Host(site)) = &capture.site;
                format!("{site} {}", String::from_utf8_lossy(&capture.body)).trim_end().to_owned()
            }
            Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
        })
        .collect()
}

fn moved(url: &str, date: &str, location: &str) -> Vec<u8> {
    response(url, date, &format!("HTTP/1.1 302 Moved\r\nLocation: {location}"), b"")
}

/// A revisit of `url` that repeats the capture of `uri` at `refers_to`.
fn revisit(url: &str, date: &str, uri: &str, refers_to: &str) -> Vec<u8> {
    let fields = [
        ("WARC-Type", "revisit"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date),
        ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
        ("WARC-Refers-To-Target-URI", uri),
        ("WARC-Refers-To-Date", refers_to),
    ];
    record(&fields, format!("{OK}\r\n\r\n").as_bytes())
}

#[test]
fn what_waits_does_not_replace_a_later_capture_of_the_same_second() {
    let (a, t) = ("https://a.com/robots.txt", "https://t.com/robots.txt");
    let (early, late, next) =
        ("2026-01-01T00:00:00.100Z", "2026-01-01T00:00:00.900Z", "2026-01-01T00:00:01Z");
    let target = response(t, next, OK, b"allow");
    let later = response(a, late, OK, b"disallow");
    let expected = ["https://a.com/robots.txt disallow", "https://t.com/robots.txt allow"];
    assert_eq!(read(&[moved(a, early, t), later.clone(), target.clone()]), expected);
    assert_eq!(read(&[revisit(a, early, t, next), later, target.clone()]), expected);
    // One of another second does not.
    let later = response(a, next, OK, b"disallow");
    let all = [&expected[..], &["https://a.com/robots.txt allow"]].concat();
    assert_eq!(read(&[revisit(a, early, t, next), later, target]), all);
}

#[test]
fn a_message_names_the_beginning_of_a_uri() {
    let (a, date) = ("https://a.com/robots.txt", "2026-01-01T00:00:00Z");
    let missing = format!("https://b.com/{}\u{1b}[2J", "b".repeat(100));
    let found = read(&[revisit(a, date, &missing, date)]);
    assert!(found[0].contains(r"bbb\u{1b}[2J (join the WARC files"), "{found:?}");
    let found = read(&[revisit(a, date, &missing.repeat(100), date)]);
    assert!(found[0].len() < 500 && found[0].contains("… (join the WARC files"), "{found:?}");
}

#[test]
fn what_waits_for_one_record_shares_its_body() {
    let (t, date) = ("https://t.com/robots.txt", "2026-01-01T00:00:00Z");
    let site = |host: &str| format!("https://{host}.com/robots.txt");
    let waiting = [
        moved(&site("a"), date, t),
        moved(&site("b"), date, t),
        revisit(&site("c"), date, t, date),
        revisit(&site("d"), date, t, date),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    std::fs::write(&path, [waiting.concat(), response(t, date, OK, b"rules")].concat()).unwrap();
    let bodies: Vec<_> = capture::captures(&path).map(|item| item.unwrap().body).collect();
    let addresses: HashSet<_> = bodies.iter().map(|body| body.as_ptr()).collect();
    assert_eq!((bodies.len(), addresses.len()), (5, 1));
    assert!(bodies.iter().all(|body| **body == b"rules"[..]));
}
