//! Redirects among the captures of one source, as lines and as rows. `warc_captures` tests those of WARC files.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use robomata_formats::{Capture, CaptureSite, capture};
use robomata_protocol::{Dialect, FetchStatus};

const MOVED: i32 = 301;

/// URL or host, status, location, body. The location is a redirect target.
type Row<'a> = (&'a str, i32, &'a str, &'a str);

fn ok<'a>(url: &'a str, body: &'a str) -> Row<'a> {
    (url, 200, "", body)
}

fn moved<'a>(url: &'a str, location: &'a str) -> Row<'a> {
    (url, MOVED, location, "<p>Moved</p>")
}

/// Captures as `site status body` and errors as messages without the file, in any order.
fn read(path: &Path) -> Vec<String> {
    let mut items: Vec<String> = capture::captures(path)
        .map(|item| match item {
            Ok(capture) => {
                let (CaptureSite::Url(site) | CaptureSite::Host(site)) = capture.site;
                let status = match capture.status {
                    Some(FetchStatus::Code(code)) => code.to_string(),
                    other => format!("{other:?}"),
                };
                format!("{site} {status} {}", String::from_utf8_lossy(&capture.body)).trim_end().to_owned()
            }
            Err(error) => error.to_string().replace(&format!("{}: ", path.display()), ""),
        })
        .collect();
    items.sort();
    items
}

fn key(site: &str) -> &str {
    if site.contains("://") { "url" } else { "host" }
}

/// The captures from `rows`, after asserting that all formats give the same.
fn follow(rows: &[Row<'_>]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let json = |&(site, status, location, body): &Row<'_>| {
        let mut line = serde_json::json!({ "status": status, "location": location, "body": body });
        line[key(site)] = site.into();
        if location.is_empty() {
            line.as_object_mut().unwrap().remove("location");
        }
        format!("{line}\n")
    };
    std::fs::write(file("a.jsonl"), rows.iter().map(json).collect::<String>()).unwrap();

    let cell = |name: &str, site: &str| if key(site) == name { site.to_owned() } else { String::new() };
    let tsv = |&(site, status, location, body): &Row<'_>| {
        format!("{}\t{}\t{status}\t{location}\t{body}\n", cell("url", site), cell("host", site))
    };
    let text = rows.iter().map(tsv).collect::<String>();
    std::fs::write(file("a.tsv"), format!("url\thost\tstatus\tlocation\tbody\n{text}")).unwrap();

    let texts = |text: &dyn Fn(&Row<'_>) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(text).collect::<StringArray>())
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("url", texts(&|row| some(&cell("url", row.0))), true),
        ("host", texts(&|row| some(&cell("host", row.0))), true),
        ("status", Arc::new(rows.iter().map(|row| row.1).collect::<Int32Array>()), true),
        ("location", texts(&|row| some(row.2)), true),
        ("body", texts(&|row| Some(row.3.to_owned())), true),
    ])
    .unwrap();
    let out = std::fs::File::create(file("a.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(out, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let expected = read(&file("a.jsonl"));
    for name in ["a.tsv", "a.parquet"] {
        let found: Vec<String> = read(&file(name));
        let without_line = |item: &String| item.split_once(": expected").map(|(_, rest)| rest.to_owned());
        let same = |items: &[String]| {
            items.iter().map(|item| without_line(item).unwrap_or_else(|| item.clone())).collect::<Vec<_>>()
        };
        assert_eq!(same(&found), same(&expected), "{name}");
    }
    expected
}

#[test]
fn a_redirect_is_followed_to_a_capture_after_or_before_it() {
    let (http, https) = ("http://s.com/robots.txt", "https://S.com:443/robots.txt");
    let rows = [moved(http, "https://s.com/robots.txt"), ok(https, "end")];
    assert_eq!(follow(&rows), ["http://s.com/robots.txt 200 end", "https://S.com:443/robots.txt 200 end"]);
    let rows = [ok(https, "end"), moved(http, "https://s.com/robots.txt")];
    assert_eq!(follow(&rows), ["http://s.com/robots.txt 200 end", "https://S.com:443/robots.txt 200 end"]);
    // The next capture after it counts, or else the last one before it.
    let rows = [ok(https, "1"), moved(http, "//x.com/"), ok(https, "2"), moved(http, https), ok(https, "3")];
    assert!(follow(&rows).contains(&"http://s.com/robots.txt 200 3".to_owned()));
    let rows = [ok(https, "1"), ok(https, "2"), moved(http, https)];
    assert!(follow(&rows).contains(&"http://s.com/robots.txt 200 2".to_owned()));
}

#[test]
fn a_target_may_be_another_host_another_path_or_a_failure() {
    let rows = [moved("a.com", "http://b.com/robots.txt"), ok("b.com", "rules of b")];
    assert_eq!(follow(&rows), ["a.com 200 rules of b", "b.com 200 rules of b"]);
    let rows = [moved("http://a.com/", "/r/robots.txt"), ok("http://a.com/r/robots.txt", "end")];
    assert_eq!(follow(&rows), ["http://a.com/ 200 end"]);
    let rows = [moved("a.com", "http://b.com/robots.txt"), ("b.com", 503, "", "")];
    assert_eq!(follow(&rows), ["a.com 503", "b.com 503"]);
    let rows = [("b.com", 404, "", ""), moved("a.com", "http://b.com/robots.txt")];
    assert_eq!(follow(&rows), ["a.com 404", "b.com 404"]);
}

/// Locations in a response of `https://example.com/robots.txt`, and other spellings of the URLs to which they lead.
pub(crate) const SPELLINGS: [(&str, &str); 14] = [
    ("https://www.example.com:/robots.txt", "https://www.example.com/robots.txt"),
    ("https://www.example.com:0443/robots.txt", "https://www.example.com/robots.txt"),
    ("https://www.example.com./robots.txt", "https://www.example.com/robots.txt"),
    ("https://user@www.example.com/robots.txt", "https://www.example.com/robots.txt"),
    ("https://www.ex%61mple.com/robots.txt", "https://www.example.com/robots.txt"),
    ("https://b\u{fc}cher.example/robots.txt", "https://xn--bcher-kva.example/robots.txt"),
    ("https://xn--bcher-kva.example/robots.txt", "https://b\u{fc}cher.example/robots.txt"),
    ("./en/robots.txt", "https://example.com/en/robots.txt"),
    ("../en/robots.txt", "https://example.com/en/robots.txt"),
    ("/en/../en/robots.txt", "https://example.com/en/robots.txt"),
    ("/en/robots.txt", "https://example.com/./en/x/../robots.txt"),
    ("/%7Euser/robots.txt", "https://example.com/~user/robots.txt"),
    ("/r%c3%a9.txt", "https://example.com/r%C3%A9.txt"),
    ("/r\u{e9}.txt", "https://example.com/r%C3%A9.txt"),
];

#[test]
fn a_redirect_leads_to_captures_in_any_spelling_of_its_target() {
    for (location, target) in SPELLINGS {
        let found = follow(&[moved("https://example.com/robots.txt", location), ok(target, "rules")]);
        let found = found.iter().find(|found| found.starts_with("https://example.com/robots.txt "));
        let expected = "https://example.com/robots.txt 200 rules";
        assert_eq!(found.map(String::as_str), Some(expected), "{location} {target}");
    }
    // TSV can have bytes that are not UTF-8.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.tsv");
    let head = b"url\tstatus\tlocation\tbody\nhttps://example.com/robots.txt\t301\t/r\xe9.txt\t\n";
    std::fs::write(&path, [&head[..], b"https://example.com/r%E9.txt\t200\t\trules\n"].concat()).unwrap();
    assert_eq!(read(&path), ["https://example.com/robots.txt 200 rules"]);
    // A delimiter and its %xx, and two paths, are different.
    for (location, target) in [
        ("/a%2Frobots.txt", "https://example.com/a/robots.txt"),
        ("/EN/robots.txt", "https://example.com/en/robots.txt"),
        ("//en/robots.txt", "https://example.com/en/robots.txt"),
        ("https://www.example.com:80/robots.txt", "https://www.example.com/robots.txt"),
    ] {
        let found = follow(&[moved("https://example.com/robots.txt", location), ok(target, "rules")]);
        assert!(found.contains(&"https://example.com/robots.txt 301".to_owned()), "{location}: {found:?}");
    }
}

#[test]
fn twenty_redirects_are_followed_and_more_are_too_many_in_any_order() {
    let url = |hop: usize| format!("http://h{hop:02}.com/robots.txt");
    let urls: Vec<String> = (0..=21).map(url).collect();
    for hops in [0, 1, 5, 6, 20, 21] {
        let mut rows: Vec<Row<'_>> = (0..hops).map(|hop| moved(&urls[hop], &urls[hop + 1])).collect();
        rows.push(ok(&urls[hops], "end"));
        let first = if hops == 21 { "Some(TooManyRedirects)" } else { "200 end" };
        for _ in 0..2 {
            let found = follow(&rows);
            assert_eq!(found[0], format!("http://h00.com/robots.txt {first}"), "{hops} redirects");
            assert_eq!(found.len(), hops + 1);
            assert!(found[1..].iter().all(|item| item.ends_with(" 200 end")), "{found:?}");
            rows.reverse();
        }
    }
}

#[test]
fn a_loop_is_too_many_and_an_unknown_target_stays_a_redirect() {
    let (a, b) = ("http://a.com/robots.txt", "http://b.com/robots.txt");
    let rows = [moved(a, b), moved(b, a)];
    let loops =
        ["http://a.com/robots.txt Some(TooManyRedirects)", "http://b.com/robots.txt Some(TooManyRedirects)"];
    assert_eq!(follow(&rows), loops);
    for location in ["#again", "robots.txt"] {
        assert_eq!(follow(&[moved(a, location)]), [loops[0]]);
    }
    assert_eq!(follow(&[moved(a, b)]), ["http://a.com/robots.txt 301"]);
    assert_eq!(follow(&[(a, MOVED, "", "")]), ["http://a.com/robots.txt 301"]);
    // A host was requested by http. Its https site was never captured, so this is not a loop.
    let rows = [moved("a.com", "https://a.com/robots.txt"), moved("a.com", "https://a.com/robots.txt")];
    assert_eq!(follow(&rows)[0], "a.com 301");
}

#[test]
fn the_end_of_redirects_has_their_number() {
    let url = |hop: usize| format!("http://h{hop}.com/robots.txt");
    let line = |hop: usize| {
        let location = url(hop + 1);
        format!("{{\"url\":\"{}\",\"status\":301,\"location\":\"{location}\"}}\n", url(hop))
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    let numbers = |end: &str| {
        let end = format!("{{\"url\":\"{}\",{end}}}\n", url(7));
        let lines: String = (0..7).map(line).chain([end]).collect();
        std::fs::write(&path, lines).unwrap();
        let captures = capture::captures(&path).map(Result::unwrap);
        let mut found: Vec<_> = captures
            .map(|capture| {
                let in_dialects =
                    [Dialect::Rfc9309, Dialect::Google].map(|dialect| capture.status_in(dialect));
                (capture.redirects, in_dialects[0], in_dialects[1])
            })
            .collect();
        found.sort_by_key(|(redirects, ..)| *redirects);
        (found[0], found[5], found[7])
    };
    let [ok, failed, gone, moved] = [200, 503, 404, 302].map(|code| Some(FetchStatus::Code(code)));
    let many = Some(FetchStatus::TooManyRedirects);
    assert_eq!(numbers(r#""status":200,"body":"x""#), ((0, ok, ok), (5, ok, ok), (7, ok, many)));
    assert_eq!(numbers(r#""status":503"#), ((0, failed, failed), (5, failed, failed), (7, failed, many)));
    assert_eq!(numbers(r#""status":404"#), ((0, gone, gone), (5, gone, gone), (7, many, many)));
    // A target without a Location is passed over, after any number.
    let first = Some(FetchStatus::Code(301));
    assert_eq!(numbers(r#""status":302"#), ((0, moved, moved), (0, first, first), (0, first, first)));
}

#[test]
fn a_redirect_that_cannot_be_followed_is_a_failed_fetch() {
    let directory = tempfile::tempdir().unwrap();
    let read = |name: &str, text: String| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let captures: Vec<Capture> = capture::captures(&path).map(Result::unwrap).collect();
        captures.into_iter().map(|capture| (capture.status.unwrap(), capture.unreadable)).collect::<Vec<_>>()
    };
    let line = |site: &str, location: &str| {
        format!("{{\"url\":\"{site}\",\"status\":301,\"location\":{location},\"body\":\"x\"}}\n")
    };
    for location in [
        r#""""#,
        r#"" \t""#,
        r#""ftp://b.com/robots.txt""#,
        r#""b.com:443/robots.txt""#,
        r#""https:/robots.txt""#,
        r#""https:///robots.txt""#,
        r#""/robots.txt\u0000""#,
        r#""https://b.com:x/""#,
    ] {
        let found = read("a.jsonl", line("http://a.com/robots.txt", location));
        let [(FetchStatus::NetworkFailure, Some(why))] = &found[..] else { panic!("{location}: {found:?}") };
        assert!(why.contains("a.jsonl:1: expected a URL of http or https in \"location\""), "{why}");
        // A redirect to it, before or after, is a failure with the same reason.
        let to = line("http://c.com/robots.txt", r#""http://a.com/robots.txt""#);
        let from = line("http://a.com/robots.txt", location);
        for lines in [[to.clone(), from.clone()], [from, to]] {
            let found = read("a.jsonl", lines.concat());
            assert!(found[0] == found[1] && found[0].0 == FetchStatus::NetworkFailure, "{found:?}");
        }
    }
    let table = "url\tstatus\tlocation\tbody\nhttp://a.com/robots.txt\t301\tftp://b.com/\t\n";
    assert_eq!(read("a.tsv", table.to_owned())[0].0, FetchStatus::NetworkFailure);
    // The same Location of another status is none.
    let gone = line("http://a.com/robots.txt", "\"ftp://b.com/\"").replace("301", "404");
    assert_eq!(read("a.jsonl", gone), [(FetchStatus::Code(404), None)]);
}

#[test]
fn the_last_capture_without_a_time_still_comes_last() {
    let site = "http://s.com/robots.txt";
    let rows = [moved(site, "http://nowhere.com/robots.txt"), ok(site, "end")];
    assert_eq!(follow(&rows), ["http://s.com/robots.txt 200 end"]);
    // The result of a redirect still comes after earlier captures.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    let line = |row: Row<'_>| {
        format!(
            "{{\"url\": {:?}, \"status\": {}, \"location\": {:?}, \"body\": {:?}}}\n",
            row.0, row.1, row.2, row.3
        )
    };
    let target = "http://t.com/robots.txt";
    let text = [line(ok(site, "old")), line(moved(site, target)), line((target, 200, "", "new"))].concat();
    std::fs::write(&path, text).unwrap();
    let bodies: Vec<_> = capture::captures(&path).map(|item| item.unwrap().body).collect();
    assert_eq!(bodies.iter().map(|body| &**body).collect::<Vec<_>>(), [&b"old"[..], b"new", b"new"]);
}

/// A line of JSON with a time on the day `day` of 2026, at `second`.
fn at(day: u32, second: u32, fields: &str) -> String {
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{{{fields},\"time\":\"2026-01-{day:02}T{hour:02}:{minute:02}:{:02}Z\"}}\n", second % 60)
}

fn moved_at(day: u32, second: u32, host: &str, target: &str) -> String {
    let location = format!("\"location\":\"http://{target}/robots.txt\"");
    at(day, second, &format!("\"url\":\"http://{host}/\",\"status\":301,{location}"))
}

fn ok_at(day: u32, second: u32, host: &str, body: &str) -> String {
    at(day, second, &format!("\"url\":\"http://{host}/robots.txt\",\"status\":200,\"body\":\"{body}\""))
}

/// The captures from `lines`, as [`read`] returns them, and the counts of redirects.
fn read_lines(lines: &[String]) -> (Vec<String>, capture::RedirectCounts) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    std::fs::write(&path, lines.concat()).unwrap();
    let mut captures = capture::captures(&path);
    captures.by_ref().for_each(drop);
    (read(&path), captures.redirects())
}

#[test]
fn a_redirect_takes_the_capture_of_its_target_that_is_nearest_in_time() {
    let site = |lines: &[String]| {
        let (found, counts) = read_lines(lines);
        let found = found.into_iter().find_map(|item| Some(item.strip_prefix("http://a.com/ ")?.to_owned()));
        (found.unwrap(), counts.distant, counts.without_target)
    };
    let [before, after] = [ok_at(2, 55, "t.com", "before"), ok_at(2, 66, "t.com", "after")];
    let redirect = moved_at(2, 60, "a.com", "t.com");
    let gone = at(20, 0, r#""url":"http://t.com/","status":404"#);
    // Five seconds before counts rather than 18 days after, and of two equally near ones the later.
    let later = ok_at(2, 65, "t.com", "later");
    for (lines, expected) in [
        (vec![gone.clone(), before.clone(), redirect.clone()], ("200 before", 0, 0)),
        (vec![redirect.clone(), after.clone(), before.clone()], ("200 before", 0, 0)),
        (vec![redirect.clone(), later.clone(), before.clone()], ("200 later", 0, 0)),
        (vec![redirect.clone(), gone.clone()], ("404", 1, 0)),
        (vec![redirect.clone(), ok_at(3, 60, "t.com", "x")], ("200 x", 0, 0)),
        (vec![redirect.clone(), ok_at(3, 61, "t.com", "x")], ("200 x", 1, 0)),
        (vec![redirect.clone(), ok_at(2, 60, "u.com", "x")], ("301", 0, 1)),
        (
            vec![redirect.clone(), "{\"url\":\"http://t.com/\",\"status\":200,\"body\":\"x\"}\n".to_owned()],
            ("200 x", 0, 0),
        ),
    ] {
        let expected = (expected.0.to_owned(), expected.1, expected.2);
        assert_eq!(site(&lines), expected, "{lines:?}");
        let backwards: Vec<String> = lines.into_iter().rev().collect();
        assert_eq!(site(&backwards), expected, "{backwards:?}");
    }
}

#[test]
fn a_loop_is_one_of_captures_that_are_near_each_other() {
    // From http to https in 2026, from https to http on another day.
    let lines = [
        moved_at(1, 0, "b.com", "a.com"),
        ok_at(1, 1, "a.com", "old"),
        moved_at(20, 0, "a.com", "b.com"),
        ok_at(20, 1, "b.com", "new"),
    ];
    let expected = [
        "http://a.com/ 200 new",
        "http://a.com/robots.txt 200 old",
        "http://b.com/ 200 old",
        "http://b.com/robots.txt 200 new",
    ];
    assert_eq!(read_lines(&lines).0, expected);
    let around = [moved_at(1, 0, "b.com", "a.com"), moved_at(1, 5, "a.com", "b.com")];
    assert!(read_lines(&around).0.iter().all(|item| item.ends_with("Some(TooManyRedirects)")));
}

/// A `www` that redirects one day, and is the target of a redirect on another one.
#[test]
fn a_loop_of_captures_that_no_attempt_has_met_is_not_followed() {
    let around = |minutes: u32| {
        let second = 60 * minutes;
        read_lines(&[
            ok_at(1, 0, "a.com", "old"),
            moved_at(2, 0, "w.com", "a.com"),
            moved_at(2, second, "a.com", "w.com"),
            ok_at(3, second, "w.com", "new"),
        ])
    };
    let (found, counts) = around(23 * 60);
    let expected = [
        "http://a.com/ 301",
        "http://a.com/robots.txt 200 old",
        "http://w.com/ 301",
        "http://w.com/robots.txt 200 new",
    ];
    assert_eq!((found, counts.apart, counts.distant), (expected.map(str::to_owned).to_vec(), 2, 0));
    let (found, counts) = around(11);
    assert_eq!((found, counts.apart), (expected.map(str::to_owned).to_vec(), 2));
    let (found, counts) = around(10);
    let many = |host: &str| format!("http://{host}/ Some(TooManyRedirects)");
    assert!(found.contains(&many("a.com")) && found.contains(&many("w.com")), "{found:?}");
    assert_eq!(counts.apart, 0);
    // Captures of every day lead on without coming back to one of them.
    let days = 1..=28;
    let daily: Vec<String> = days
        .flat_map(|day| [moved_at(day, 0, "a.com", "w.com"), moved_at(day, 12 * 3600, "w.com", "a.com")])
        .collect();
    let (found, counts) = read_lines(&daily);
    assert!(found.iter().all(|item| item.ends_with(" 301")), "{found:?}");
    assert_eq!(counts.apart, 56);
}

/// A 304 confirms what is known.
#[test]
fn a_redirect_passes_over_captures_from_which_nothing_follows() {
    let redirect = moved_at(2, 0, "a.com", "t.com");
    let known = ok_at(1, 0, "t.com", "known");
    let without_conclusion =
        [304, 301, 300].map(|status| at(2, 1, &format!("\"url\":\"http://t.com/\",\"status\":{status}")));
    for nothing in without_conclusion {
        let mut lines = vec![known.clone(), redirect.clone(), nothing.clone()];
        for _ in 0..2 {
            let (found, counts) = read_lines(&lines);
            assert_eq!(
                (found[0].as_str(), counts.without_target),
                ("http://a.com/ 200 known", 0),
                "{nothing}"
            );
            lines.reverse();
        }
        let (found, counts) = read_lines(&[redirect.clone(), nothing.clone()]);
        assert_eq!((found[0].as_str(), counts.without_target), ("http://a.com/ 301", 1), "{nothing}");
    }
}

#[test]
fn the_order_of_captures_with_times_decides_nothing() {
    let mut rng = crate::support::Rng(5);
    for round in 0..200 {
        let hosts = ["a.com", "b.com", "c.com", "d.com"];
        let mut lines = Vec::new();
        // No two captures of the same second: of these, the last one counts.
        for number in 0..30 {
            let (day, second) = (1 + u32::try_from(rng.below(4)).unwrap(), 60 * number);
            let host = hosts[rng.below(4)];
            lines.push(match rng.below(4) {
                0 => ok_at(day, second, host, &format!("{number}")),
                1 => at(day, second, &format!("\"url\":\"http://{host}/\",\"status\":404")),
                _ => moved_at(day, second, host, hosts[rng.below(4)]),
            });
        }
        let expected = read_lines(&lines);
        for _ in 0..3 {
            for last in (1..lines.len()).rev() {
                lines.swap(last, rng.below(last + 1));
            }
            assert_eq!(read_lines(&lines), expected, "round {round}: {lines:?}");
        }
    }
}

/// The reason is that of the target, before or after the redirect.
#[test]
fn a_redirect_to_an_unreadable_result_is_a_failed_fetch_with_the_same_reason() {
    let target = "{\"url\":\"http://t/robots.txt\",\"status\":\"timeout\"}\n";
    let redirect = moved_at(1, 0, "a", "t");
    for (lines, line) in [(format!("{target}{redirect}"), 1), (format!("{redirect}{target}"), 2)] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        std::fs::write(&path, lines).unwrap();
        let captures: Vec<Capture> = capture::captures(&path).map(Result::unwrap).collect();
        let reasons: Vec<_> = captures.iter().map(|capture| capture.unreadable.as_deref()).collect();
        assert_eq!(reasons.len(), 2);
        assert!(reasons[0] == reasons[1], "{reasons:?}");
        assert!(reasons[0].is_some_and(|why| why.contains(&format!("a.jsonl:{line}: "))), "{reasons:?}");
        assert!(captures.iter().all(|capture| capture.status == Some(FetchStatus::NetworkFailure)));
        assert!(captures[1].time.is_some() && captures[1].origin != captures[0].origin);
    }
}

#[test]
fn a_url_without_a_redirect_to_it_is_refused() {
    let found = follow(&[ok("http://a.com/r/robots.txt", "x"), ok("http://b.com/", "y")]);
    assert!(
        found[0].contains("the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json"),
        "{found:?}"
    );
    assert_eq!(found[1], "http://b.com/ 200 y");
}

#[test]
fn redirects_of_a_tdmrep_json_are_followed() {
    let tdmrep = "https://a.com/.well-known/tdmrep.json";
    let found = follow(&[
        moved(tdmrep, "https://b.com/tdm.json"),
        ok("https://a.com/robots.txt", "robots"),
        ok("https://b.com/tdm.json", "[]"),
    ]);
    assert_eq!(found, [format!("{tdmrep} 200 []"), "https://a.com/robots.txt 200 robots".to_owned()]);
}

/// Captures of JSON `lines`, in order.
fn in_order(lines: &[&str]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let describe =
        |capture: Capture| format!("{:?} {}", capture.site, String::from_utf8_lossy(&capture.body));
    capture::captures(&path).map(|item| describe(item.unwrap())).collect()
}

#[test]
fn redirects_share_the_body_of_their_target() {
    let line = |host: &str| {
        format!("{{\"host\": \"{host}\", \"status\": 301, \"location\": \"http://t.com/robots.txt\"}}\n")
    };
    let target = "{\"url\": \"http://t.com/robots.txt\", \"body\": \"rules\"}\n".to_owned();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    for lines in [[line("a.com"), line("b.com"), target.clone()], [target, line("a.com"), line("b.com")]] {
        std::fs::write(&path, lines.concat()).unwrap();
        let found: Vec<Capture> = capture::captures(&path).map(|item| item.unwrap()).collect();
        let redirects: Vec<_> =
            found.iter().filter(|capture| matches!(capture.site, CaptureSite::Host(_))).collect();
        assert_eq!((redirects.len(), &*redirects[0].body), (2, &b"rules"[..]));
        assert!(Arc::ptr_eq(&redirects[0].body, &redirects[1].body));
    }
}

#[test]
fn a_redirect_does_not_replace_a_later_capture_of_the_same_second() {
    let target = r#"{"url":"https://t.com/robots.txt","body":"allow","time":"2026-01-01T00:00:05Z"}"#;
    let found = in_order(&[
        r#"{"url":"https://a.com/robots.txt","status":301,"location":"https://t.com/robots.txt","time":"2026-01-01T00:00:00.1Z"}"#,
        r#"{"url":"https://a.com/robots.txt","body":"disallow","time":"2026-01-01T00:00:00.9Z"}"#,
        // A capture of another second does not change this.
        r#"{"url":"https://a.com/robots.txt","body":"old","time":"2025-01-01T00:00:00Z"}"#,
        target,
    ]);
    let site = |url: &str, body: &str| format!("Url(\"{url}\") {body}");
    let (a, t) = ("https://a.com/robots.txt", "https://t.com/robots.txt");
    assert_eq!(found, [site(a, "disallow"), site(a, "old"), site(t, "allow")]);
    // The later capture may spell its site in another way.
    let found = in_order(&[
        r#"{"host":"b\u00fccher.example","status":301,"location":"https://t.com/robots.txt"}"#,
        r#"{"host":"xn--bcher-kva.example.","body":"disallow"}"#,
        r#"{"url":"https://t.com/robots.txt","body":"allow"}"#,
    ]);
    assert_eq!(found, ["Host(\"xn--bcher-kva.example.\") disallow", &site(t, "allow")]);
}

#[test]
fn a_redirect_of_a_host_counts_for_the_site_without_a_later_capture() {
    let target = r#"{"url":"https://t.com/robots.txt","body":"allow"}"#;
    let moved = r#"{"host":"a.com","status":301,"location":"https://t.com/robots.txt"}"#;
    let later = |scheme: &str| format!(r#"{{"url":"{scheme}://a.com/robots.txt","body":"disallow"}}"#);
    let (http, https) = (later("http"), later("https"));
    let site = |url: &str, body: &str| format!("Url(\"{url}\") {body}");
    let (t, http_url) = ("https://t.com/robots.txt", "http://a.com/robots.txt");
    let https_url = "https://a.com/robots.txt";
    let found = in_order(&[moved, &https, target]);
    assert_eq!(found, [site(https_url, "disallow"), site(t, "allow"), site(http_url, "allow")]);
    let found = in_order(&[moved, &http, target]);
    assert_eq!(found, [site(http_url, "disallow"), site(t, "allow"), site(https_url, "allow")]);
    let found = in_order(&[moved, &http, &https, target]);
    assert_eq!(found, [site(http_url, "disallow"), site(https_url, "disallow"), site(t, "allow")]);
    assert_eq!(in_order(&[&https, moved, target])[2], "Host(\"a.com\") allow");
}

/// A fetcher that followed redirects may have kept the first status.
#[test]
fn redirects_and_304s_with_a_body_and_no_location_are_counted() {
    let line = |rest: &str| format!("{{\"url\": \"https://a.com/robots.txt\", {rest}}}\n");
    for (rest, count) in [
        (r#""status": 301, "body": "x""#, 1),
        (r#""status": 308, "body": "x""#, 1),
        (r#""status": 304, "body": "x""#, 1),
        (r#""status": 301, "body": """#, 0),
        (r#""status": 304"#, 0),
        (r#""status": 301, "body": "x", "location": "/robots.txt""#, 0),
        (r#""status": 300, "body": "x""#, 1),
        (r#""status": 305, "body": "x""#, 1),
        (r#""status": 399, "body": "x""#, 1),
        (r#""status": 404, "body": "x""#, 0),
        (r#""status": 200, "body": "x""#, 0),
    ] {
        let (_, counts) = read_lines(&[line(rest), line(rest)]);
        assert_eq!(counts.with_body, 2 * count, "{rest}");
    }
}
