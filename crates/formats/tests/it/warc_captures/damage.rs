//! Damage in WARC files of captures: what it may hide is never silent.

use super::{SAME, at, describe, moved, ok, read, revisit};
use crate::support::{Rng, gzip, record};
use robomata_formats::capture;

#[test]
fn a_corrupt_capture_is_a_failed_fetch_and_makes_the_file_incomplete() {
    let records = [ok("http://a.com/robots.txt", 1, "a"), ok("http://b.com/robots.txt", 2, "b")];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.gz");
    let mut first = gzip(&records[0]);
    let at = first.len() - 6;
    first[at] ^= 1;
    std::fs::write(&path, [first, gzip(&records[1])].concat()).unwrap();
    let error = capture::captures(&path).find_map(Result::err).unwrap();
    assert!(error.is_incomplete() && !error.ends_file(), "{error}");
    let items: Vec<String> = capture::captures(&path).map(|item| describe(item, &path)).collect();
    assert_eq!(items.len(), 3, "{items:?}");
    let problem = "record 1, at byte 0: expected gzip data: the checksum";
    assert!(items[0].starts_with(problem) && items[0].ends_with("; captures may be missing"), "{items:?}");
    assert!(items[1].starts_with(&format!("failed: http://a.com/robots.txt: {problem}")), "{items:?}");
    assert_eq!(items[2], "http://b.com/robots.txt 200 :02 b");
}

/// A wrong length may hide the records after it.
#[test]
fn each_damage_among_captures_makes_the_file_incomplete() {
    let [a, b, c] = ["a", "b", "c"].map(|host| ok(&format!("http://{host}.com/robots.txt"), 1, host));
    let longer = |record: &[u8], length: &str| {
        let text = String::from_utf8(record.to_vec()).unwrap();
        text.replace("Content-Length: 46", &format!("Content-Length: {length}")).into_bytes()
    };
    assert_ne!(longer(&b, "1"), b);
    let long_head = [b"WARC/1.1\r\nX: ", &b"x".repeat(2 << 20)[..], &b[8..]].concat();
    let failed = "failed: http://b.com/robots.txt: ";
    for (damage, damaged, expected) in [
        ("too long", longer(&b, "56"), failed),
        ("over a neighbour", longer(&b, &(46 + 4 + c.len() - 5).to_string()), failed),
        ("beyond the file", longer(&b, "99999"), failed),
        ("too short", longer(&b, "36"), failed),
        ("no number", longer(&b, "x"), ""),
        ("a long head", long_head, ""),
    ] {
        for compress in [false, true] {
            let member = |record: &[u8]| if compress { gzip(record) } else { record.to_vec() };
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("a.warc");
            std::fs::write(&path, [member(&a), member(&damaged), member(&c)].concat()).unwrap();
            let (mut items, mut errors) = (Vec::new(), Vec::new());
            for item in capture::captures(&path) {
                match item {
                    Err(error) => errors.push((error.is_incomplete(), error.to_string())),
                    capture => items.push(describe(capture, &path)),
                }
            }
            assert!(errors.len() == 1 && errors[0].0, "{damage}: {errors:?}");
            assert_eq!(items[0], "http://a.com/robots.txt 200 :01 a", "{damage}");
            let of_b: Vec<&String> = items.iter().filter(|item| item.contains("b.com")).collect();
            assert_eq!(of_b.len(), usize::from(!expected.is_empty()), "{damage}: {items:?}");
            assert!(of_b.iter().all(|item| item.starts_with(expected)), "{damage}: {items:?}");
        }
    }
}

/// As `cat` makes it of a file that a crash cut off, or an append to one.
#[test]
fn a_record_cut_anywhere_never_takes_the_content_of_the_next() {
    let [a, b] = ["a", "b"].map(|host| ok(&format!("http://{host}.com/robots.txt"), 1, host));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    for cut in 1..a.len() {
        std::fs::write(&path, [&a[..cut], &b].concat()).unwrap();
        let (mut items, mut is_incomplete) = (Vec::new(), false);
        for item in capture::captures(&path) {
            match item {
                Err(error) => is_incomplete |= error.is_incomplete(),
                capture => items.push(describe(capture, &path)),
            }
        }
        let is_whole = |host: &str| items.contains(&format!("http://{host}.com/robots.txt 200 :01 {host}"));
        assert!(is_incomplete || (is_whole("a") && is_whole("b")), "{cut}: {items:?}");
        let is_failed = |item: &String| item.starts_with("failed: http://a.com/");
        let is_right = |item: &String| is_failed(item) || is_whole(&item[7..8]);
        assert!(items.iter().all(is_right), "{cut}: {items:?}");
    }
}

#[test]
fn a_length_that_ends_at_a_blank_line_of_the_body_is_damage() {
    let body = "User-agent: *\nAllow: /\n\n\nUser-agent: X\nDisallow: /\n\n\nUser-agent: Y\n";
    let whole = ok("http://a.com/robots.txt", 1, body);
    let next = ok("http://b.com/robots.txt", 1, "b");
    let text = String::from_utf8(whole.clone()).unwrap();
    let length = 45 + body.len();
    assert!(text.contains(&format!("Content-Length: {length}\r\n")));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    for compress in [false, true] {
        for shorter in 45..=length {
            let damaged = text.replace(&format!("Length: {length}\r"), &format!("Length: {shorter}\r"));
            let records = [damaged.into_bytes(), next.clone()];
            let file = if compress { records.map(|record| gzip(&record)).concat() } else { records.concat() };
            std::fs::write(&path, file).unwrap();
            let items: Vec<_> = capture::captures(&path).collect();
            let is_incomplete = items
                .iter()
                .any(|item| item.as_ref().is_err_and(robomata_formats::InputError::is_incomplete));
            // Without its last line end, it is the same file.
            assert_eq!(is_incomplete, shorter < length - 1, "{shorter} of {length}: {items:?}");
        }
    }
}

#[test]
fn a_record_without_its_type_or_its_target_makes_the_file_incomplete() {
    let block = b"HTTP/1.1 200 OK\r\n\r\nb";
    let target = ("WARC-Target-URI", "http://a.com/robots.txt");
    let bad: [(&str, &[(&str, &str)]); 6] = [
        ("WARC-Type", &[target]),
        ("WARC-Type", &[("WARC-Type", ""), target]),
        ("WARC-Target-URI", &[("WARC-Type", "response")]),
        ("WARC-Target-URI", &[("WARC-Type", "resource"), ("WARC-Target-URI", "<>")]),
        ("WARC-Target-URI", &[("WARC-Type", "revisit"), ("WARC-Target-URI", "")]),
        ("WARC-Target-URI", &[("WARC-Type", "Response"), ("WARC-Target-URL", "http://a.com/robots.txt")]),
    ];
    let good = ok("http://b.com/robots.txt", 1, "b");
    for (field, fields) in bad {
        let items = read(&[record(fields, block), good.clone()]);
        let expected = format!(
            "record 1, at byte 0: expected a value in the field {field}; the record is skipped; captures may be missing"
        );
        assert_eq!(items, [&*expected, "http://b.com/robots.txt 200 :01 b"], "{fields:?}");
    }
    // Readers ignore types that they do not know, and other types need no target.
    let other: [&[(&str, &str)]; 3] =
        [&[("WARC-Type", "x"), target], &[("WARC-Type", "metadata")], &[("WARC-Type", "warcinfo")]];
    for fields in other {
        let items = read(&[record(fields, block), good.clone()]);
        assert_eq!(items, ["http://b.com/robots.txt 200 :01 b"], "{fields:?}");
    }
}

/// It is no digest, and other records have it, too.
#[test]
fn a_placeholder_of_a_digest_names_no_record() {
    for digest in ["", "-", "sha1:", "sha1: ", ":AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAA", "sha1:unknown"] {
        let field = ("WARC-Payload-Digest", digest);
        let date = at(1);
        let fields = [
            ("WARC-Type", "response"),
            ("WARC-Target-URI", "http://b.com/robots.txt"),
            ("WARC-Date", &*date),
            field,
        ];
        let http = b"HTTP/1.1 200 OK\r\n\r\n";
        let other = record(&fields, http);
        let items = read(&[other, revisit("http://a.com/robots.txt", 2, SAME, &[field], http)]);
        assert!(items[1].starts_with("1 revisit repeats a record"), "{digest}: {items:?}");
        assert_eq!(items[0], "http://b.com/robots.txt 200 :01", "{digest}");
    }
}

#[test]
fn a_redirect_to_a_corrupt_record_is_a_failed_fetch() {
    let redirect = moved("http://a.com/robots.txt", 1, "http://b.com/x");
    let mut target = gzip(&ok("http://b.com/x", 2, "b"));
    let checksum = target.len() - 6;
    target[checksum] ^= 1;
    let last = gzip(&ok("http://c.com/robots.txt", 3, "c"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.gz");
    for members in [[&gzip(&redirect), &target, &last], [&target, &gzip(&redirect), &last]] {
        std::fs::write(&path, members.map(|member| &member[..]).concat()).unwrap();
        let items: Vec<String> = capture::captures(&path).map(|item| describe(item, &path)).collect();
        let failed: Vec<_> = items.iter().filter(|item| item.starts_with("failed: http://a.com/")).collect();
        assert_eq!((failed.len(), items.len()), (1, 3), "{items:?}");
    }
}

#[test]
fn damage_anywhere_loses_no_capture_before_it() {
    let refers = [("WARC-Refers-To-Target-URI", "http://h0.com/robots.txt"), ("WARC-Refers-To-Date", &at(0))];
    let mut records = Vec::new();
    for i in 0..6 {
        let site = format!("http://h{i}.com/robots.txt");
        records.push(ok(&site, i, "Disallow: /\n"));
        records.push(moved(&format!("http://r{i}.com/robots.txt"), i, &site));
        records.push(revisit(
            &format!("http://v{i}.com/robots.txt"),
            i,
            SAME,
            &refers,
            b"HTTP/1.1 200 OK\r\n\r\n",
        ));
    }
    let pieces: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let whole = pieces.concat();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc");
    let mut rng = Rng(17);
    for _ in 0..1000 {
        let mut damaged = whole.clone();
        let first = 4 + rng.below(damaged.len() - 4);
        damaged[first] ^= 1 << rng.below(8);
        if rng.below(3) == 0 {
            damaged.truncate(first + rng.below(damaged.len() - first));
        }
        std::fs::write(&path, damaged).unwrap();
        let items: Vec<String> = capture::captures(&path).map(|item| describe(item, &path)).collect();
        let mut end = 0;
        let before = pieces
            .iter()
            .take_while(|piece| {
                end += piece.len();
                end <= first
            })
            .count();
        for i in 0..before.div_ceil(3) {
            let expected = format!("http://h{i}.com/robots.txt 200 :{i:02} Disallow: /");
            assert!(items.contains(&expected), "byte {first}: {items:?}");
        }
    }
}
