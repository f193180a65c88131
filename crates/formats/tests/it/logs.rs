//! Logs in every format, line by line, and whole logs: ours, and real ones if available.

use std::path::Path;

use robomata_formats::log::{Aside, LogEntry, LogFormat, LogLine, LogReader, Precision, detect};
use robomata_formats::{FileName, LineBlocks, Timestamp};
use robomata_testkit::shared::expected_of;

fn entry(format: LogFormat, line: &str) -> LogEntry<'_> {
    match LogReader::new(format, []).read(line.as_bytes()) {
        Ok(LogLine::Entry(entry)) => entry,
        other => panic!("{format}: {line}: {other:?}"),
    }
}

fn aside(format: LogFormat, line: &str) -> Aside {
    match LogReader::new(format, []).read(line.as_bytes()) {
        Ok(LogLine::Aside(aside)) => aside,
        other => panic!("{format}: {line}: {other:?}"),
    }
}

fn malformed(format: LogFormat, line: &str) -> String {
    LogReader::new(format, []).read(line.as_bytes()).unwrap_err().to_string()
}

fn text(bytes: Option<&[u8]>) -> &str {
    bytes.map_or("none", |bytes| std::str::from_utf8(bytes).unwrap())
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn common_has_no_agent() {
    let entry = entry(
        LogFormat::Common,
        "::1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326\r\n",
    );
    assert_eq!(entry.time, time("2000-10-10T20:55:36Z"));
    assert_eq!(text(entry.client.as_deref()), "::1");
    assert_eq!((&*entry.method, &*entry.target), (&b"GET"[..], &b"/a.gif"[..]));
    assert_eq!((entry.status, entry.bytes), (Some(200), Some(2326)));
    assert_eq!((entry.agent, entry.host, entry.refused), (None, None, false));
}

#[test]
fn combined_ignores_further_fields_of_nginx() {
    for more in ["", " \"-\"", " 0.012 \"a b\" rt=1"] {
        let line = format!(
            "192.0.2.1 - - [01/Jan/2024:00:00:00 +0000] \"HEAD / HTTP/2.0\" 304 - \"http://r/\" \"Bot/1\"{more}"
        );
        let entry = entry(LogFormat::Combined, &line);
        assert_eq!(text(entry.agent.as_deref()), "Bot/1", "{more}");
        assert_eq!(text(entry.referrer.as_deref()), "http://r/");
        assert_eq!(entry.bytes, None);
    }
}

#[test]
fn a_virtual_host_comes_first() {
    let rest = "192.0.2.1 - - [01/Jan/2024:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"Bot/1\"";
    for (host, expected) in
        [("www.example.com:443", "www.example.com:443"), ("example.com", "example.com"), ("-", "none")]
    {
        let line = format!("{host} {rest}");
        assert_eq!(text(entry(LogFormat::VhostCombined, &line).host.as_deref()), expected);
        assert_eq!(text(entry(LogFormat::VhostCommon, &line).host.as_deref()), expected);
    }
    assert!(malformed(LogFormat::VhostCombined, rest).contains("virtual host"));
}

/// lighttpd writes `%h %V %u`: the virtual host in the place of the ident.
#[test]
fn the_virtual_host_may_come_second() {
    let rest = "[01/Jan/2024:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"Bot/1\"";
    for (before, host, client) in [
        ("192.0.2.1 www.example.com - ", "www.example.com", "192.0.2.1"),
        ("192.0.2.1 www.example.com:8080 user ", "www.example.com:8080", "192.0.2.1"),
        ("192.0.2.1 - user ", "none", "192.0.2.1"),
        ("192.0.2.1 ident user ", "none", "192.0.2.1"),
        // Another client.
        ("192.0.2.1 198.51.100.2 - ", "none", "192.0.2.1"),
    ] {
        for format in [LogFormat::Common, LogFormat::Combined] {
            let line = format!("{before}{rest}");
            let entry = entry(format, &line);
            assert_eq!(
                (text(entry.host.as_deref()), text(entry.client.as_deref())),
                (host, client),
                "{before}"
            );
        }
    }
}

#[test]
fn a_user_may_have_spaces_and_brackets() {
    let line =
        "192.0.2.1 - john [x] doe [01/Jan/2024:00:00:00 +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"Bot/1\"";
    assert_eq!(text(entry(LogFormat::Combined, line).client.as_deref()), "192.0.2.1");
}

/// A client chooses the user's name.
#[test]
fn a_user_may_look_like_a_time() {
    let line = "192.0.2.1 - foo [01/Jan/2024:10:00:00] [15/Jan/2024:10:00:00 +0000] \"GET /x HTTP/1.1\" 401 1 \"-\" \"Bot/1\"";
    for (format, vhost) in [(LogFormat::Combined, ""), (LogFormat::VhostCombined, "a.example ")] {
        let line = format!("{vhost}{line}");
        let entry = entry(format, &line);
        assert_eq!(entry.time, time("2024-01-15T10:00:00Z"));
        assert_eq!((&*entry.target, entry.status), (&b"/x"[..], Some(401)));
        assert_eq!(text(entry.client.as_deref()), "192.0.2.1");
    }
}

#[test]
fn escapes_are_undone() {
    let line = r#"c - - [01/Jan/2024:00:00:00 +0000] "GET /a\"b\x22c\xe4\\ HTTP/1.1" 200 1 "-" "A \"B\" \q""#;
    let entry = entry(LogFormat::Combined, line);
    assert_eq!(*entry.target, *b"/a\"b\"c\xe4\\");
    assert_eq!(text(entry.agent.as_deref()), r#"A "B" \q"#);
}

#[test]
fn quotes_that_were_not_escaped_belong_to_the_field() {
    let line = r#"c - - [01/Jan/2024:00:00:00 +0000] "GET /a"b HTTP/1.1" 200 1 "-" "A"B""#;
    let entry = entry(LogFormat::Combined, line);
    assert_eq!((&*entry.target, text(entry.agent.as_deref())), (&b"/a\"b"[..], "A\"B"));
}

#[test]
fn targets_may_have_spaces_and_versions_may_be_missing() {
    for (request, target) in [
        ("GET /a b HTTP/1.1", "/a b"),
        ("GET /", "/"),
        ("GET http://x.example/y HTTP/1.0", "http://x.example/y"),
    ] {
        let line = format!("c - - [01/Jan/2024:00:00:00 +0000] \"{request}\" 200 1");
        assert_eq!(*entry(LogFormat::Common, &line).target, *target.as_bytes());
    }
}

#[test]
fn connections_without_a_request_are_counted_apart() {
    for request in ["-", "", r"\x16\x03\x01\x02", "GET", "get / HTTP/1.1", "quit now"] {
        let line = format!("c - - [01/Jan/2024:00:00:00 +0000] \"{request}\" 400 1 \"-\" \"-\"");
        assert_eq!(aside(LogFormat::Combined, &line), Aside::NoRequest, "{request}");
    }
    assert_eq!(aside(LogFormat::Combined, " \r\n"), Aside::Blank);
}

#[test]
fn errors_of_cut_and_strange_lines_say_what_was_expected() {
    let whole = "c - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"Bot\"";
    assert_eq!(
        malformed(LogFormat::Combined, &whole[..whole.len() - 1]),
        "expected referrer and user agent in quotes after the bytes; the line is skipped"
    );
    assert!(malformed(LogFormat::Combined, &whole[..50]).contains("a request in quotes"));
    assert!(malformed(LogFormat::Combined, &whole[..20]).contains("a time in brackets"));
    assert!(malformed(LogFormat::Combined, &whole.replace("200", "OK")).contains("a number for the status"));
    assert!(malformed(LogFormat::Common, &whole.replace("01/Jan", "31/Feb")).contains("a time in brackets"));
    assert!(malformed(LogFormat::Json, whole).contains("a JSON object"));
    assert!(malformed(LogFormat::Heritrix, whole).contains("a time at the start"));
}

#[test]
fn json_lines_of_several_servers_give_the_same_request() {
    let nginx = r#"{"time_iso8601":"2024-01-01T01:00:00+01:00","remote_addr":"192.0.2.1","host":"example.com","request":"GET /x HTTP/1.1","status":"200","body_bytes_sent":"5","http_user_agent":"Bot/1","http_referer":"-"}"#;
    let caddy = r#"{"level":"info","ts":1704067200.0,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"192.0.2.1","method":"GET","host":"example.com","uri":"/x","headers":{"User-Agent":["Bot/1"]}},"status":200,"size":5}"#;
    let traefik = r#"{"ClientHost":"192.0.2.1","DownstreamContentSize":5,"DownstreamStatus":200,"RequestHost":"example.com","RequestMethod":"GET","RequestPath":"/x","StartUTC":"2024-01-01T00:00:00Z","request_User-Agent":"Bot/1","time":"2024-01-01T00:00:09Z"}"#;
    let common = r#"{"time_local":"01/Jan/2024:00:00:00 +0000","clientip":"192.0.2.1","vhost":"example.com","verb":"GET","uri":"/x","response":200,"bytes":5,"agent":"Bot/1"}"#;
    for line in [nginx, caddy, traefik, common] {
        let entry = entry(LogFormat::Json, line);
        assert_eq!(entry.time, time("2024-01-01T00:00:00Z"), "{line}");
        assert_eq!(text(entry.client.as_deref()), "192.0.2.1", "{line}");
        assert_eq!(text(entry.host.as_deref()), "example.com", "{line}");
        assert_eq!((&*entry.method, &*entry.target), (&b"GET"[..], &b"/x"[..]), "{line}");
        assert_eq!((entry.status, entry.bytes), (Some(200), Some(5)), "{line}");
        assert_eq!(text(entry.agent.as_deref()), "Bot/1", "{line}");
        assert_eq!(entry.referrer, None, "{line}");
    }
    // Servers write the bytes of a target as they were sent.
    let line = [&br#"{"ts":1704067200,"method":"GET","uri":"/"#[..], b"\xe9\"}"].concat();
    let LogLine::Entry(entry_of_bytes) = LogReader::new(LogFormat::Json, []).read(&line).unwrap() else {
        panic!("a request")
    };
    assert_eq!(*entry_of_bytes.target, *b"/%E9");
    let tls = caddy.replace("\"uri\"", "\"tls\":{\"version\":772},\"uri\"");
    assert_eq!(text(entry(LogFormat::Json, &tls).scheme.as_deref()), "https");
}

/// Logstash's pattern for Apache puts the target alone into `request`.
#[test]
fn a_request_may_be_a_target_alone() {
    let verb =
        r#"{"timestamp":"15/Jan/2024:10:00:00 +0000","verb":"HEAD","request":"/a b","host":"a.example"}"#;
    let of_verb = entry(LogFormat::Json, verb);
    assert_eq!((&*of_verb.method, &*of_verb.target), (&b"HEAD"[..], &b"/a b"[..]));
    let alone = entry(LogFormat::Json, r#"{"ts":1704067200,"request":"HTTP://a.example/x","uri":"/y"}"#);
    assert_eq!((&*alone.method, &*alone.target), (&b"GET"[..], &b"HTTP://a.example/x"[..]));
    let of_tsv = tsv_entry("time\trequest\tverb", "1704067200\t/x\tPOST");
    assert_eq!((&*of_tsv.method, &*of_tsv.target), (&b"POST"[..], &b"/x"[..]));
    for more in ["", r#","verb":"GET""#] {
        let line = |request: &str| format!(r#"{{"ts":1704067200,"request":"{request}"{more}}}"#);
        for request in ["private", "www.example.com/private", "GET"] {
            assert!(malformed(LogFormat::Json, &line(request)).contains("in \"request\""), "{request}{more}");
        }
        // A TLS handshake, as servers escape it, and nothing at all.
        for request in [r"\\x16\\x03\\x01", r"\u0016\u0003", "-", "", "quit now"] {
            assert_eq!(aside(LogFormat::Json, &line(request)), Aside::NoRequest, "{request}{more}");
        }
    }
}

/// nginx normalizes `$uri`, and changes it with each redirect within the server.
#[test]
fn the_request_line_counts_before_the_uri_of_the_server() {
    for more in
        [r#""uri":"/index.php""#, r#""request_method":"GET","uri":"/index.php""#, r#""path":"/index.php""#]
    {
        let line = format!(r#"{{"ts":1704067200,"request":"GET /private?x=1 HTTP/1.1",{more}}}"#);
        assert_eq!(*entry(LogFormat::Json, &line).target, *b"/private?x=1", "{more}");
    }
    // Only the method is missing here.
    let line = r#"{"ts":1704067200,"request":"PUT /x HTTP/1.1","url":"https://a.example/x"}"#;
    let absolute = entry(LogFormat::Json, line);
    assert_eq!((&*absolute.method, &*absolute.target), (&b"PUT"[..], &b"https://a.example/x"[..]));
    // What the client sent is no request line, but the server understood it.
    let line = r#"{"ts":1704067200,"request":"x","request_method":"GET","uri":"/y"}"#;
    assert_eq!(*entry(LogFormat::Json, line).target, *b"/y");
}

/// nginx's `$uri` has no query; `$args` and `$query_string` are it.
#[test]
fn the_query_of_a_server_belongs_to_its_path() {
    for path in ["uri", "url", "path", "url_path"] {
        for query in ["query", "query_string", "args", "url_query"] {
            let line = format!(r#"{{"ts":1704067200,"{path}":"/x","{query}":"a=1"}}"#);
            assert_eq!(*entry(LogFormat::Json, &line).target, *b"/x?a=1", "{line}");
            let header = format!("time\t{path}\t{query}");
            assert_eq!(*tsv_entry(&header, "1704067200\t/x\ta=1").target, *b"/x?a=1", "{header}");
            assert_eq!(*tsv_entry(&header, "1704067200\t/x\t-").target, *b"/x", "{header}");
            assert_eq!(*tsv_entry(&header, "1704067200\t/x?b\tb").target, *b"/x?b", "{header}");
        }
    }
    // What is whole stays as it is.
    for whole in [
        r#"{"ts":1704067200,"url":"https://a.example/x","query":"a=1"}"#,
        r#"{"ts":1704067200,"request_uri":"/x","args":"a=1"}"#,
    ] {
        assert!(entry(LogFormat::Json, whole).target.ends_with(b"/x"), "{whole}");
    }
}

#[test]
fn traefik_logs_the_port_next_to_the_host() {
    let host = |fields: &str| {
        let line = format!(
            r#"{{"StartUTC":"2024-01-15T00:00:00Z","RequestMethod":"GET","RequestPath":"/x","RequestHost":"a.example",{fields}}}"#
        );
        text(entry(LogFormat::Json, &line).host.as_deref()).to_owned()
    };
    assert_eq!(host(r#""RequestPort":"8443","RequestAddr":"a.example:8443""#), "a.example:8443");
    assert_eq!(host(r#""RequestPort":"8443""#), "a.example:8443");
    assert_eq!(host(r#""RequestPort":"-","RequestAddr":"a.example""#), "a.example");
}

#[test]
fn a_log_says_whether_it_records_user_agents() {
    let combined = r#"c - - [01/Jan/2024:00:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "-""#;
    assert!(entry(LogFormat::Combined, combined).has_agent);
    assert!(!entry(LogFormat::Common, combined).has_agent);
    for (more, expected) in [
        ("", false),
        (r#","agent":"-""#, true),
        (r#","ua":null"#, true),
        // Caddy leaves out a header field that was not sent.
        (r#","request":{"headers":{"Accept":["*/*"]}}"#, true),
    ] {
        let line = format!(r#"{{"ts":1704067200,"url":"https://a.example/"{more}}}"#);
        assert_eq!(entry(LogFormat::Json, &line).has_agent, expected, "{more}");
    }
    assert!(tsv_entry("time\turl\tagent", "1704067200\t/x\t-").has_agent);
    assert!(!tsv_entry("time\turl", "1704067200\t/x").has_agent);
}

#[test]
fn json_lines_without_required_fields_are_malformed() {
    assert!(malformed(LogFormat::Json, r#"{"request":"GET / HTTP/1.1"}"#).contains("a time"));
    assert!(malformed(LogFormat::Json, r#"{"ts":"x","request":"GET / HTTP/1.1"}"#).contains("ISO 8601"));
    assert!(malformed(LogFormat::Json, r#"{"ts":1704067200}"#).contains("a target, in \"url\""));
    assert!(malformed(LogFormat::Json, r#"{"ts":1704067200"#).contains("a JSON object"));
    assert_eq!(aside(LogFormat::Json, r#"{"ts":1704067200,"request":"-"}"#), Aside::NoRequest);
    // Without a method, the method is GET.
    assert_eq!(*entry(LogFormat::Json, r#"{"ts":1704067200,"url":"https://a.example/x"}"#).method, *b"GET");
    assert_eq!(aside(LogFormat::Json, r#"{"ts":1704067200,"url":"dns:a.example"}"#), Aside::OtherScheme);
    for url in ["example.com/private", "example.com:8080/private", "localhost:8080", "private"] {
        let line = format!(r#"{{"ts":1704067200,"url":"{url}"}}"#);
        assert!(malformed(LogFormat::Json, &line).contains("a target that begins with /"), "{url}");
    }
    assert_eq!(
        entry(LogFormat::Json, r#"{"ts":1704067200123,"method":"GET","uri":"/"}"#).time,
        time("2024-01-01T00:00:00.123Z")
    );
}

#[test]
fn heritrix_gives_the_start_of_a_fetch_and_refusals() {
    let line = "2016-03-31T14:35:37.711Z   200      24360 http://www.bbc.co.uk/robots.txt IP http://www.bbc.co.uk/news text/plain #661 20160331143536323+981 sha1:Y6 - ip:212.58.246.54 {}";
    let fetched = entry(LogFormat::Heritrix, line);
    assert_eq!(fetched.time, time("2016-03-31T14:35:36.323Z"));
    assert_eq!((fetched.status, fetched.bytes, fetched.refused), (Some(200), Some(24360), false));
    assert_eq!(fetched.precision, Precision::Milliseconds);
    let line = "2016-03-31T14:46:16.220Z -9998          - http://beacon.guim.co.uk/count/pva.gif IE http://www.theguardian.com/uk unknown #672 - - - 3t {}";
    let refused = entry(LogFormat::Heritrix, line);
    assert_eq!((refused.time, refused.refused), (time("2016-03-31T14:46:16.220Z"), true));
    // Nothing was sent without a host or a robots.txt, or when an operator forbade it. A connection may have failed later.
    for status in
        ["0", "-1", "-6", "-7", "-50", "-60", "-61", "-63", "-4000", "-4002", "-5003", "-6000", "-7000"]
    {
        let unsent = line.replace("-9998", status);
        assert_eq!(aside(LogFormat::Heritrix, &unsent), Aside::OtherMessage, "{status}");
    }
    for status in ["-2", "-3", "-4", "-5", "-8", "-404", "404"] {
        assert!(!entry(LogFormat::Heritrix, &line.replace("-9998", status)).refused, "{status}");
    }
    let dns = "2016-03-31T14:35:35.634Z     1         93 dns:www.bbc.co.uk IP http://www.bbc.co.uk/news text/dns #473 20160331143534970+139 sha1:U - - {}";
    assert_eq!(aside(LogFormat::Heritrix, dns), Aside::OtherScheme);
}

const SCRAPY: &str = "\
2024-01-01 00:00:00 [scrapy.utils.log] INFO: Scrapy 2.11.0 started (bot: example)
2024-01-01 00:00:01 [scrapy.core.engine] DEBUG: Crawled (200) <GET https://example.com/robots.txt> (referer: None)
2024-01-01 00:00:02 [scrapy.downloadermiddlewares.robotstxt] DEBUG: Forbidden by robots.txt: <GET https://example.com/private>
2024-01-01 00:00:03,250 [scrapy.core.engine] DEBUG: Crawled (404) <POST https://example.com/a> (referer: https://example.com/) ['partial']
2024-01-01 00:00:04 [scrapy.downloadermiddlewares.redirect] DEBUG: Redirecting (301) to <GET https://example.com/c> from <GET https://example.com/b>
2024-01-01 00:00:05 [scrapy.downloadermiddlewares.retry] DEBUG: Retrying <GET https://example.com/d> (failed 1 times): 503 Service Unavailable
2024-01-01 00:00:06 [scrapy.core.scraper] ERROR: Spider error processing <GET https://example.com/a> (referer: None)
Traceback (most recent call last):
  File \"x.py\", line 3, in parse
2024-01-01 00:00:07 [scrapy.core.engine] DEBUG: Crawled (200) <GET ftp://example.com/> (referer: None)
2024-01-01 00:00:08 [scrapy.core.engine] DEBUG: Crawled (200) <GET https://example.com/e> (referer: https://example.com/) ['x', 'cached']
";

#[test]
fn scrapy_gives_requests_and_refusals() {
    let reader = LogReader::new(LogFormat::Scrapy, []);
    let lines: Vec<_> = SCRAPY.lines().map(|line| reader.read(line.as_bytes()).unwrap()).collect();
    let requests: Vec<(i64, &str, &str, Option<i32>, bool)> = lines
        .iter()
        .filter_map(|line| if let LogLine::Entry(entry) = line { Some(entry) } else { None })
        .map(|entry| {
            let bytes = |bytes| std::str::from_utf8(bytes).unwrap();
            (
                entry.time.seconds() % 60,
                bytes(&entry.method),
                bytes(&entry.target),
                entry.status,
                entry.refused,
            )
        })
        .collect();
    assert_eq!(
        requests,
        [
            (1, "GET", "https://example.com/robots.txt", Some(200), false),
            (2, "GET", "https://example.com/private", None, true),
            (3, "POST", "https://example.com/a", Some(404), false),
            (4, "GET", "https://example.com/b", Some(301), false),
            (5, "GET", "https://example.com/d", Some(503), false),
        ]
    );
    let others = lines.iter().filter(|line| **line == LogLine::Aside(Aside::OtherMessage)).count();
    assert_eq!((lines.len(), others), (11, 5));
}

#[test]
fn an_index_of_an_archive_gives_what_was_fetched() {
    let head = " CDX N b a m s k r M S V g";
    let line = "com,example)/a 20240101000000 https://example.com/A text/html 301 K - - 1 2 a.warc.gz";
    let of_cdx = entry(LogFormat::Cdx, line);
    assert_eq!((of_cdx.time, of_cdx.status), (time("2024-01-01T00:00:00Z"), Some(301)));
    assert_eq!((&*of_cdx.method, &*of_cdx.target), (&b"GET"[..], &b"https://example.com/A"[..]));
    assert_eq!((of_cdx.agent, of_cdx.host, of_cdx.bytes, of_cdx.refused), (None, None, None, false));
    let json = r#"com,example)/a 20240101000000 {"url": "https://example.com/A", "status": "301"}"#;
    let of_cdxj = entry(LogFormat::Cdxj, json);
    assert_eq!((&of_cdxj.time, &of_cdxj.target, of_cdxj.status), (&of_cdx.time, &of_cdx.target, Some(301)));
    // ipwb writes no URL.
    let json = r#"com,example)/a 20240101000000 {"locator": "x", "status_code": "200"}"#;
    assert_eq!(*entry(LogFormat::Cdxj, json).target, *b"http://example.com/a");

    assert_eq!(aside(LogFormat::Cdx, head), Aside::Blank);
    assert_eq!(aside(LogFormat::Cdxj, "!meta {\"created_at\": \"2024\"}"), Aside::Blank);
    assert_eq!(aside(LogFormat::Cdx, &line.replace("https://", "dns:")), Aside::OtherScheme);
    assert_eq!(aside(LogFormat::Cdx, &line.replace("https://", "metadata:")), Aside::OtherScheme);
    for cut in ["", "2024", "yesterday......"] {
        let line = line.replace("20240101000000", cut);
        assert!(malformed(LogFormat::Cdx, &line).contains("a time of 14 digits"), "{line}");
    }
    assert!(malformed(LogFormat::Cdxj, line).contains("a JSON object"));
}

#[test]
fn the_header_of_an_index_names_its_columns() {
    let [head, line] = ["|CDX|s|a|b", "200|http://example.com/|20240101000000"];
    let reader = LogReader::new(LogFormat::Cdx, [head.as_bytes(), line.as_bytes()]);
    let Ok(LogLine::Entry(entry)) = reader.read(line.as_bytes()) else { panic!("a request") };
    assert_eq!((&*entry.target, entry.status), (&b"http://example.com/"[..], Some(200)));
    assert_eq!(detected(&format!("{head}\n{line}\n")), Some((LogFormat::Cdx, 2, 2)));
    // Without the header line, the columns are not the usual ones.
    assert!(malformed(LogFormat::Cdx, line).contains("the columns named in the header line"));
}

fn tsv<'l>(header: &str, line: &'l str) -> Result<LogLine<'l>, String> {
    let reader = LogReader::new(LogFormat::Tsv, [line.as_bytes(), header.as_bytes()]);
    reader.read(line.as_bytes()).map_err(|error| error.to_string())
}

fn tsv_entry<'l>(header: &str, line: &'l str) -> LogEntry<'l> {
    match tsv(header, line) {
        Ok(LogLine::Entry(entry)) => entry,
        other => panic!("{header}: {line}: {other:?}"),
    }
}

#[test]
fn a_header_line_names_the_columns_of_tsv() {
    let header = "\u{feff}Time\tx\tHTTP_Referer\tURL\tUser-Agent\tstatus\tbytes\tclientIP\tverb\r\n";
    let line = "2024-01-01T00:00:00.5Z\t?\t-\thttps://a.example/\t Bot/1 \t404\t12\t192.0.2.1\tHEAD\r\n";
    let whole = tsv_entry(header, line);
    assert_eq!((whole.time, whole.precision), (time("2024-01-01T00:00:00.5Z"), Precision::Milliseconds));
    assert_eq!((&*whole.target, &*whole.method), (&b"https://a.example/"[..], &b"HEAD"[..]));
    assert_eq!((whole.status, whole.bytes, whole.referrer), (Some(404), Some(12), None));
    assert_eq!((text(whole.agent.as_deref()), text(whole.client.as_deref())), ("Bot/1", "192.0.2.1"));

    // The first name with a value counts. A missing last column counts as absent.
    let header = "url\turi\tdate\tts\tagent";
    let line = "https://a.example/url\t\\N\t2024-01-01\t1704067201";
    let some = tsv_entry(header, line);
    assert_eq!((&*some.target, some.time), (&b"https://a.example/url"[..], time("2024-01-01T00:00:01Z")));
    assert_eq!((&*some.method, some.agent), (&b"GET"[..], None));

    let header = "time\thost\tscheme\tport\tpath\tquery";
    for (columns, host, target) in [
        ("a.example\thttp\t8080\t/x\ta=b", "a.example:8080", "/x?a=b"),
        ("a.example:81\thttp\t8080\tx\t?a=b", "a.example:81", "/x?a=b"),
        ("[::1]\t\t82\t\ta=b", "[::1]:82", "/?a=b"),
        ("a.example\t-\t-1\t/x?c\ta=b", "a.example", "/x?c"),
        ("a.example", "a.example", "/"),
    ] {
        let line = format!("1704067201\t{columns}");
        let parts = tsv_entry(header, &line);
        assert_eq!((text(parts.host.as_deref()), text(Some(&parts.target))), (host, target), "{columns}");
    }
    let of_line = tsv_entry("time_local\trequest", "17/May/2015:10:05:03 +0200\tPOST /x HTTP/1.1");
    assert_eq!((&*of_line.method, &*of_line.target), (&b"POST"[..], &b"/x"[..]));
    assert_eq!(of_line.time, time("2015-05-17T08:05:03Z"));
}

#[test]
fn lines_of_tsv_that_are_not_requests() {
    let header = "time\turl\tport\thost\tpath";
    assert_eq!(tsv(header, header), Ok(LogLine::Aside(Aside::Blank)));
    assert_eq!(tsv(header, "# a comment"), Ok(LogLine::Aside(Aside::Blank)));
    assert_eq!(
        *tsv_entry("agent\ttime\turl", "#Bot/1\t1704067200\thttps://a.example/").target,
        *b"https://a.example/"
    );
    assert_eq!(tsv(header, "1704067200\tdns:a.example"), Ok(LogLine::Aside(Aside::OtherScheme)));
    for (line, expected) in [
        ("\thttps://a.example/", "a time, in"),
        ("yesterday\thttps://a.example/", "a time as ISO 8601"),
        ("0.35\thttps://a.example/", "of the years 1994 to 2200"),
        ("1704067200", "a target, in"),
        ("1704067200\t\t99999\ta.example\t/", "a number up to 65535 for the port"),
    ] {
        assert!(tsv(header, line).unwrap_err().contains(expected), "{line}");
    }
    for header in ["time\tuser_agent", "url\tstatus", "1704067201\thttps://a.example/", ""] {
        assert!(
            tsv(header, "1704067200\thttps://a.example/").unwrap_err().contains("a header line that names"),
            "{header}"
        );
    }
}

/// The first of two columns would decide which URL is judged.
#[test]
fn a_column_or_key_that_is_there_twice_is_an_error() {
    let file = FileName::new(Path::new("a.tsv"));
    for (header, name) in [
        ("time\turl\turl", Some("url")),
        ("time\tURL\tUrl", Some("url")),
        ("time\turl\tuser_agent\tuser_agent", Some("user_agent")),
        ("time\turl\tURL", None),
        ("time\turl\tx\tx", None),
    ] {
        let line = "2024-01-15\thttps://a.example/\thttps://a.example/x\t-";
        let reader = detect([header.as_bytes(), line.as_bytes()]).unwrap().reader;
        assert_eq!(reader.format(), LogFormat::Tsv, "{header}");
        let error = name.map(|name| {
            format!("a.tsv: expected one column \"{name}\", found several (remove or rename the others)")
        });
        assert_eq!(reader.check_header(&file).err().map(|error| error.to_string()), error, "{header}");
        assert_eq!(reader.read(line.as_bytes()).is_err(), name.is_some(), "{header}");
    }
    for line in [
        r#"{"ts":1704067200,"url":"https://a.example/","url":"https://a.example/x"}"#,
        r#"{"ts":1704067200,"url":"https://a.example/","ua":"A","ua":"A"}"#,
        r#"{"ts":1704067200,"request":{"uri":"/","uri":"/x","method":"GET"}}"#,
        r#"{"ts":1704067200,"request":{"uri":"/","method":"GET"},"request":{}}"#,
    ] {
        assert!(malformed(LogFormat::Json, line).contains("has each key once"), "{line}");
    }
    // Some loggers repeat keys of their own.
    entry(LogFormat::Json, r#"{"ts":1704067200,"span":1,"url":"https://a.example/","span":2}"#);
}

fn detected(text: &str) -> Option<(LogFormat, usize, usize)> {
    let detection = detect(text.lines().map(str::as_bytes))?;
    Some((detection.reader.format(), detection.read, detection.tried))
}

#[test]
fn the_format_is_found_on_the_first_lines() {
    let combined = "c - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"Bot\"\n";
    let common = "c - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n";
    assert_eq!(detected(combined), Some((LogFormat::Combined, 1, 1)));
    assert_eq!(detected(common), Some((LogFormat::Common, 1, 1)));
    assert_eq!(detected(&format!("h:80 {combined}")), Some((LogFormat::VhostCombined, 1, 1)));
    assert_eq!(detected(&format!("h:80 {common}")), Some((LogFormat::VhostCommon, 1, 1)));
    assert_eq!(detected(&format!("nonsense\n\n{combined}{combined}")), Some((LogFormat::Combined, 2, 3)));
    assert_eq!(detected(r#"{"ts":1704067200,"request":"GET / HTTP/1.1"}"#), Some((LogFormat::Json, 1, 1)));
    assert_eq!(detected(SCRAPY).map(|(format, ..)| format), Some(LogFormat::Scrapy));
    let cdx = "com,example)/ 20240101000000 https://example.com/ text/html 200 K - - 1 2 a.warc.gz\n";
    assert_eq!(detected(cdx), Some((LogFormat::Cdx, 1, 1)));
    let cdxj = "com,example)/ 20240101000000 {\"url\": \"https://example.com/\"}\n";
    assert_eq!(detected(&format!("!meta {{}}\n{cdxj}")), Some((LogFormat::Cdxj, 2, 2)));
    let tsv = "time\turl\n1704067200\thttps://example.com/\nyesterday\t-\n";
    assert_eq!(detected(tsv), Some((LogFormat::Tsv, 2, 3)));
    assert_eq!(detected("n\turl\n1704067200\thttps://example.com/\n"), None);
    assert_eq!(detected("nonsense\n"), None);
    assert_eq!(detected(""), None);
}

#[test]
fn a_damaged_line_does_not_hide_the_agents_of_the_others() {
    let combined = "c - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"Bot\"\n";
    let common = "c - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n";
    let cut = combined.replace("Bot\"", "Bot");
    for (text, format, read) in [
        ([combined, combined, &cut].concat(), LogFormat::Combined, 2),
        ([&cut, combined].concat(), LogFormat::Common, 2),
        ([combined, common, common].concat(), LogFormat::Common, 3),
    ] {
        let lines = text.lines().count();
        assert_eq!(detected(&text), Some((format, read, lines)), "{text}");
        let vhost: String = text.lines().map(|line| format!("h {line}\n")).collect();
        let format =
            if format == LogFormat::Combined { LogFormat::VhostCombined } else { LogFormat::VhostCommon };
        assert_eq!(detected(&vhost), Some((format, read, lines)), "{vhost}");
    }
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let seeds = [
        &b"c - - [01/Jan/2024:00:00:00 +0000] \"GET /\\x2 HTTP/1.1\" 200 1 \"-\" \"Bot\\\""[..],
        b"2016-03-31T14:35:37.711Z 200 1 http://a/ P http://b/ t #1 20160331143536323+981 - - -",
        b"2024-01-01 00:00:05 [scrapy.x] DEBUG: Retrying <GET https://example.com/d> (failed 1): 5",
        br#"{"ts":"\ud800","request":{"uri":[[]]}}"#,
        b" CDX N b a m s",
        b"com,example)/ 20240101000000 http://example.com/ text/html 200 K - - 1 2 a.warc.gz",
        br#"com,example)/ 20240101000000 {"url": "http://example.com/", "status": "200"}"#,
        b"time\tip\tport\thost\tpath\tquery\trequest",
        b"1704067200000000000\t200\tGET\tBot/1\thttps://example.com/",
        b"\xff\xfe\x00[\"\\",
    ];
    for seed in seeds {
        for cut in 0..=seed.len() {
            for format in LogFormat::ALL {
                let reader = LogReader::new(format, [&seed[cut..]]);
                let _ = reader.read(&seed[..cut]);
                let _ = reader.read(&seed[cut..]);
                let mut flipped = seed.to_vec();
                if let Some(byte) = flipped.get_mut(cut) {
                    *byte ^= 0x5b;
                }
                let _ = reader.read(&flipped);
            }
        }
    }
}

/// The numbers of lines of a log by kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    requests: u64,
    refused: u64,
    asides: u64,
    /// Line numbers.
    malformed: Vec<u64>,
}

fn read_log(path: &Path) -> (LogFormat, Lines) {
    let (mut reader, mut lines) = (None, Lines::default());
    for block in LineBlocks::open(path).unwrap() {
        let block = block.unwrap();
        let reader = reader.get_or_insert_with(|| detect(block.lines()).unwrap().reader);
        for (number, line) in block.numbered_lines() {
            match reader.read(line) {
                Ok(LogLine::Entry(entry)) if entry.refused => lines.refused += 1,
                Ok(LogLine::Entry(_)) => lines.requests += 1,
                Ok(LogLine::Aside(_)) => lines.asides += 1,
                Err(_) => lines.malformed.push(number),
            }
        }
    }
    (reader.unwrap().format(), lines)
}

#[test]
fn every_line_of_a_log_is_accounted_for() {
    use LogFormat::{
        Cdx, Cdxj, Combined, Common, Heritrix, Json, Parquet, Scrapy, Tsv, VhostCombined, VhostCommon, Warc,
    };
    let lines = |format, requests, refused, asides, malformed: &[u64]| {
        (format, Lines { requests, refused, asides, malformed: malformed.to_vec() })
    };
    let ours = [
        ("combined.log", lines(Combined, 29, 0, 2, &[32])),
        ("common.log", lines(Common, 12, 0, 0, &[])),
        ("heritrix.log", lines(Heritrix, 14, 4, 3, &[])),
        ("json.log", lines(Json, 16, 0, 1, &[18])),
        ("latin1.log", lines(Combined, 8, 0, 1, &[5, 6, 11])),
        ("requests.tsv", lines(Tsv, 14, 0, 2, &[17])),
        ("scrapy.log", lines(Scrapy, 7, 2, 6, &[])),
        ("vhost-combined.log", lines(VhostCombined, 18, 0, 0, &[])),
        ("vhost-common.log", lines(VhostCommon, 12, 0, 0, &[])),
    ];
    let binary: Vec<u64> = (170..=199).collect();
    let real = [
        ("advertools-combined-with-errors.log", lines(Combined, 885, 0, 0, &[3, 12, 21, 22])),
        ("advertools-latin1.log", lines(Combined, 156, 0, 14, &binary)),
        ("advertools-nginx.log", lines(Combined, 957, 0, 43, &[])),
        ("elastic-apache-2015.log.gz", lines(Combined, 9999, 0, 0, &[8899])),
        ("heritrix-bbc-crawl.log.gz", lines(Heritrix, 3751, 122, 127, &[])),
        ("heritrix-webcurator-crawl.log.gz", lines(Heritrix, 4946, 290, 65, &[])),
    ];
    // Header lines of indexes are asides.
    let our_indexes = [
        ("crawl.cdx", lines(Cdx, 17, 0, 4, &[])),
        ("crawl.cdxj", lines(Cdxj, 21, 0, 0, &[])),
        ("keys.cdxj", lines(Cdxj, 10, 0, 2, &[])),
    ];
    let webcurator = "webcurator__es_org_webcurator_core_store_archiveFiles_IAH-20240708230933685-00000-1087998~dia~8443.cdx";
    let real_indexes = [
        ("ipwb__samples_indexes_sample-1.cdxj", lines(Cdxj, 65, 0, 2, &[])),
        ("pywb__sample_archive_cdxj_iana.cdxj", lines(Cdxj, 171, 0, 0, &[])),
        (webcurator, lines(Cdx, 172, 0, 1, &[])),
    ];
    let mut formats = vec![Parquet, Warc];
    for (path, expected) in
        expected_of("logs", ours, real).into_iter().chain(expected_of("cdx", our_indexes, real_indexes))
    {
        assert_eq!(read_log(&path), expected, "{}", path.display());
        formats.push(expected.0);
    }
    for format in LogFormat::ALL {
        assert!(formats.contains(&format), "no log in the format {format}");
    }
}
