//! Redirects among the captures of one source, as lines and as rows. `warc_captures` tests those of WARC files.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use robomata_formats::{Capture, CaptureSite, capture};
use robomata_protocol::FetchStatus;

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

#[test]
fn five_redirects_are_followed_and_six_are_too_many_in_any_order() {
    let url = |hop: usize| format!("http://h{hop}.com/robots.txt");
    let urls: Vec<String> = (0..=6).map(url).collect();
    for hops in 0..=6 {
        let mut rows: Vec<Row<'_>> = (0..hops).map(|hop| moved(&urls[hop], &urls[hop + 1])).collect();
        rows.push(ok(&urls[hops], "end"));
        let first = if hops == 6 { "Some(TooManyRedirects)" } else { "200 end" };
        for _ in 0..2 {
            let found = follow(&rows);
            assert_eq!(found[0], format!("http://h0.com/robots.txt {first}"), "{hops} redirects");
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
    assert_eq!(follow(&[moved(a, "#again")]), ["http://a.com/robots.txt 301"]);
    assert_eq!(follow(&[moved(a, "robots.txt")]), [loops[0]]);
    assert_eq!(follow(&[moved(a, b)]), ["http://a.com/robots.txt 301"]);
    assert_eq!(follow(&[(a, MOVED, "", "")]), ["http://a.com/robots.txt 301"]);
    // A host was requested by http. Its https site was never captured, so this is not a loop.
    let rows = [moved("a.com", "https://a.com/robots.txt"), moved("a.com", "https://a.com/robots.txt")];
    assert_eq!(follow(&rows)[0], "a.com 301");
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
    assert_eq!(found, [site(https_url, "disallow"), site(http_url, "allow"), site(t, "allow")]);
    let found = in_order(&[moved, &http, target]);
    assert_eq!(found, [site(http_url, "disallow"), site(https_url, "allow"), site(t, "allow")]);
    let found = in_order(&[moved, &http, &https, target]);
    assert_eq!(found, [site(http_url, "disallow"), site(https_url, "disallow"), site(t, "allow")]);
    assert_eq!(in_order(&[&https, moved, target])[1], "Host(\"a.com\") allow");
}
