//! Rows whose values say that the fetch failed, or leave open whose it was.

use arrow_array::ListArray;

use super::*;

/// Some crawlers write such columns instead of a status.
#[test]
fn a_row_that_says_that_its_fetch_failed_is_a_network_failure_in_every_format() {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    for (name, value, is_failure) in [
        ("success", "false", true),
        ("success", "0", true),
        ("ok", "false", true),
        ("success", "true", false),
        ("ok", "1", false),
        ("failed", "true", true),
        ("failed", "false", false),
        ("timeout", "true", true),
        ("timeout", "false", false),
        // The time that it might take.
        ("timeout", "30", false),
        ("errors", "[]", false),
        ("errors", "0", false),
        ("errors", "[\"timeout\"]", true),
    ] {
        let json = |status: &str| {
            read_json(&format!("{{\"{name}\":{value},{status}\"host\":\"a.com\",\"body\":\"x\"}}\n"))
        };
        let value_text = text(value);
        let rows = [
            json(""),
            read_tsv(&format!("{name}\thost\tbody\n{value}\ta.com\tx\n")),
            read_table(vec![(name, value_text), ("host", text("a.com")), ("body", text("x"))]),
        ]
        .concat();
        for row in rows {
            assert_eq!(row.starts_with("failed: "), is_failure, "{name} {value}: {row}");
        }
        assert_eq!(json("\"status\":200,"), ["a.com|200||x|1"], "a status says more");
    }
    let fails = |name: &str, column: ArrayRef| {
        let items = read_table(vec![(name, column), ("host", text("a.com")), ("body", text("x"))]);
        items[0].starts_with("failed: ")
    };
    for truth in [false, true] {
        let column = || -> ArrayRef { Arc::new(BooleanArray::from(vec![truth])) };
        assert_eq!([fails("success", column()), fails("ok", column())], [!truth; 2]);
        assert_eq!([fails("failed", column()), fails("timeout", column())], [truth; 2]);
    }
    for (items, is_failure) in [(None, false), (Some(vec![]), false), (Some(vec![Some(28)]), true)] {
        let column = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![items]);
        assert_eq!(fails("errors", Arc::new(column)), is_failure);
    }
}

/// The URL may be that after redirects, so the host is not dropped.
#[test]
fn a_row_with_a_host_and_a_url_of_another_fails_the_host_in_every_format() {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    let other = |host: &str, url: &str| {
        format!(
            "expected a URL of the host \"{host}\", found \"{url}\" (if the host redirects to this URL, leave out \"url\")"
        )
    };
    let no_site = |url: &str| {
        format!(
            "expected the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json in \"url\", found \"{url}\""
        )
    };
    let www = "https://www.a.com/robots.txt";
    for (host, url, failure, capture) in [
        ("a.com", "", None, Some("a.com")),
        ("a.com", "https://a.com/robots.txt", None, Some("https://a.com/robots.txt")),
        ("A.com", "https://a.com:8443/", None, Some("https://a.com:8443/")),
        ("b\u{fc}cher.example", "http://xn--bcher-kva.example/", None, Some("http://xn--bcher-kva.example/")),
        ("http://a.com/", "https://a.com/", None, Some("https://a.com/")),
        ("", "https://a.com/", None, Some("https://a.com/")),
        ("a.com", www, Some(other("a.com", www)), Some(www)),
        ("a.com:8080", "http://a.com/", Some(other("a.com:8080", "http://a.com/")), Some("http://a.com/")),
        ("a.com", "/robots.txt", Some(no_site("/robots.txt")), None),
        ("a.com", "https://a.com/robots.txt?cb=1", Some(no_site("https://a.com/robots.txt?cb=1")), None),
    ] {
        for (place, items) in [
            ("r.jsonl:1", read_json(&format!("{{\"host\":\"{host}\",\"url\":\"{url}\",\"body\":\"x\"}}\n"))),
            ("r.tsv:2", read_tsv(&format!("host\turl\tbody\n{host}\t{url}\tx\n"))),
            ("r.parquet:1", read_table(vec![("host", text(host)), ("url", text(url)), ("body", text("x"))])),
        ] {
            let line = place.rsplit(':').next().unwrap();
            let failure = failure.iter().map(|failure| format!("failed: {place}: {failure}"));
            let capture = capture.iter().map(|site| format!("{site}|||x|{line}"));
            assert_eq!(items, failure.chain(capture).collect::<Vec<_>>(), "{host} {url}");
        }
    }
    // A target of a redirect is the result of the site before it.
    let lines = "{\"host\":\"a.com\",\"url\":\"https://a.com/robots.txt\",\"status\":301,\"location\":\"/r\"}\n\
                 {\"host\":\"a.com\",\"url\":\"https://a.com/r\",\"body\":\"x\"}\n";
    assert_eq!(read_json(lines), ["https://a.com/robots.txt|Success||x|1"]);
}
