//! `robomata permissions`.

use crate::support::Folder;
use serde_json::Value;

const ROBOTS: &str = "\
User-agent: *
Allow: /
Content-Signal: ai-train=no, games=no
License: https://example.com/terms
TimeGate: /gate/
Archived: /news/
Clean-param: sid

ACAP-crawler: *
ACAP-disallow-index: /
ACAP-allow-index: /news/ time-limit=3-days
ACAP-allow-present: /news/
ACAP-request-take-down: /news/1
";

const PAGE: &str = "\
<meta name=robots content='noarchive, nosuch'>
<div class='the-acap:disallow-follow' id=x>x</div>
";

const HEADERS: &str = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n";

fn folder() -> Folder {
    Folder::with(&[("robots.txt", ROBOTS), ("page.html", PAGE), ("headers", HEADERS)])
}

/// The answer for one usage in a line of JSON.
fn about(line: &str, usage: &str) -> Value {
    let report: Value = serde_json::from_str(line).unwrap();
    let usages = report["usages"].as_array().unwrap();
    usages.iter().find(|answer| answer["usage"] == usage).unwrap().clone()
}

#[test]
fn a_table_for_people() {
    let ran = folder().run("permissions --agent X --robots robots.txt https://example.com/news/1?sid=2");
    let expected = "\
https://example.com/news/1?sid=2
  crawl                 permitted   robots.txt:2: Allow: /
  index                 permitted   robots.txt:11: ACAP-allow-index: /news/ time-limit=3-days
                          with      time-limit=3-days
                          lacks     first-use
                          over      robots.txt:10 by narrowest-scope: ACAP-disallow-index: /
  present               permitted   robots.txt:12: ACAP-allow-present: /news/
  present-original      permitted   as present
  present-currentcopy   permitted   as present
  present-oldcopy       permitted   as present
  present-snippet       permitted   as present
  present-thumbnail     permitted   as present
  present-oldsnippet    permitted   as present
  present-oldthumbnail  permitted   as present
  present-link          permitted   as present
  ai-train              prohibited  robots.txt:3: Content-Signal: ai-train=no, games=no
  ai-train-images       prohibited  as ai-train
  ai-train-in-search    prohibited  as ai-train
  nothing is said about: follow, preserve, index-images, search, ai-input, ai-input-in-search, tdm, other
  timegate   /gate/ (robots.txt:6)
  canonical  https://example.com/news/1

for every URL
  licence    https://example.com/terms
  label      content-signal games=no (robots.txt:3)
";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), expected, ""));
}

#[test]
fn pages_and_headers_are_read_and_their_oddities_are_reported() {
    let ran =
        folder().run("permissions --agent X --robots robots.txt --page page.html --headers headers /news/1");
    for text in [
        "  index                 prohibited  header 1: X-Robots-Tag: noindex\n",
        "over      robots.txt:11 by most-restrictive: ACAP-allow-index",
        "  follow                prohibited  an element mentions it, page:2, element 1: <div class=",
        "  preserve              prohibited  page:1: <meta name=\"robots\" content=\"noarchive, nosuch\">\n",
        "  request    take-down, robots.txt:13: ACAP-request-take-down: /news/1\n",
        "  element    1: <div id=x class=\"the-acap:disallow-follow\"> (page:2)\n",
        "  odd        line 1: robots-meta: 'nosuch' is not a directive",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

/// What such a line says would be missing.
#[test]
fn a_line_that_is_no_header_is_an_error() {
    let folder = folder();
    for (lines, bad) in [
        (
            "HTTP/1.1 200 OK\nX-Robots-Tag noindex\n",
            "2: expected a header, 'name: value', found \"X-Robots-Tag noindex\"",
        ),
        (
            "< HTTP/1.1 200 OK\n< X-Robots-Tag: noindex\n",
            "1: expected a header, 'name: value', found \"< HTTP/1.1 200 OK\"",
        ),
        (
            "  HTTP/1.1 200 OK\n  X-Robots-Tag: noindex\n",
            "1: expected a header, 'name: value', found \"  HTTP/1.1 200 OK\"",
        ),
        (
            "{\"x-robots-tag\":[\"noindex\"]\n}\n",
            "1: expected a header, 'name: value', found \"{\\\"x-robots-tag\\\":[\\\"noindex\\\"]\"",
        ),
        (
            "HTTP/1.1 abc\nX-Robots-Tag: noindex\n",
            "1: expected a status line, such as 'HTTP/1.1 200 OK', found \"HTTP/1.1 abc\"",
        ),
    ] {
        folder.write("bad", lines);
        let error = format!("error: bad:{bad} (give the headers as curl -D writes them)\n");
        for options in ["--headers bad", "--robots-headers bad"] {
            let ran = folder.run(&format!("permissions --agent X --robots robots.txt {options} /news/1"));
            assert_eq!((ran.code, ran.out.as_str(), &ran.err), (Some(2), "", &error), "{options}");
        }
        let ran = folder.run("check --agent X --robots robots.txt --robots-headers bad --status 200 /");
        assert_eq!((ran.code, ran.out.as_str(), &ran.err), (Some(2), "", &error));
    }
}

/// What they say is not about the page.
#[test]
fn headers_of_another_response_are_an_error() {
    let folder = folder();
    folder.write("empty", "");
    let run = |options: &str| {
        let ran = folder.run(&format!("permissions --agent X --robots robots.txt {options} /news/1"));
        assert_eq!(ran.code == Some(2), ran.out.is_empty(), "{options}: {}", ran.err);
        (ran.code, ran.err)
    };
    for status in ["206 Partial Content", "301 Moved", "304 Not Modified", "404 Not Found", "503 x"] {
        folder.write("headers", format!("HTTP/1.1 200 OK\n\nHTTP/1.1 {status}\nX-Robots-Tag: all\n"));
        let code = &status[..3];
        let error = format!(
            "error: headers:3: expected the status of a whole page, 200 to 299 but not 206, found \"{code}\": these are the \
             headers of another response (fetch the page with curl -sfL -D headers.txt -o page.html URL)\n"
        );
        for page in ["", "--page page.html", "--page empty"] {
            assert_eq!(run(&format!("--headers headers {page}")), (Some(2), error.clone()), "{page}");
        }
    }
    folder.write("headers", "HTTP/2 203\nServer: x\n");
    folder.write("fields", "Server: x\n");
    for done in [
        "--headers headers",
        "--headers headers --page page.html",
        "--headers headers --page empty",
        "--headers fields",
    ] {
        assert_eq!(run(done), (Some(0), String::new()), "{done}");
    }
    let error = "error: empty: an empty page, or a fetch that failed? (if it is empty, add --headers with its status line and headers)\n";
    for empty in ["--page empty", "--page empty --headers fields"] {
        assert_eq!(run(empty), (Some(2), error.to_owned()), "{empty}");
    }
    for blank in ["", "\r\n\r\n"] {
        folder.write("blank", blank);
        let error = "error: blank: an empty head of a response, or a fetch that failed? (if it has no headers, add its status line)\n";
        for options in ["--headers blank", "--headers blank --page page.html"] {
            assert_eq!(run(options), (Some(2), error.to_owned()), "{options}");
        }
    }
}

/// As `curl` saves them without `--compressed`, and with `-i`.
#[test]
fn a_page_that_is_compressed_or_has_a_head_is_an_error() {
    let folder = folder();
    let page = PAGE.repeat(50);
    folder.write_compressed("page.gz", &page);
    let gzip = std::fs::read(folder.path("page.gz")).unwrap();
    // Without the head and the checksum.
    let deflate = gzip[10..gzip.len() - 8].to_vec();
    let run = |page: &[u8], coding: &str| {
        folder.write("page", page);
        folder.write("headers", format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n"));
        let ran =
            folder.run("permissions --agent X --robots robots.txt --page page --headers headers --json /x");
        (
            ran.code,
            if ran.code == Some(0) { about(&ran.out, "preserve")["permission"].to_string() } else { ran.err },
        )
    };
    // A short page in Brotli.
    let brotli =
        [b"\x0b\x19\x80", b"<meta name=robots content=noindex><p>x</p><p>xx</p>" as &[u8], b"\x03"].concat();
    for (data, coding) in [(&deflate, "deflate"), (&deflate, "br"), (&brotli, "br")] {
        let error = format!(
            "error: page: expected HTML, found data with the content coding \"{coding}\" (fetch the page with curl --compressed)\n"
        );
        assert_eq!(run(data, coding), (Some(2), error));
    }
    // The coding was undone, but not the header.
    let prohibited = (Some(0), "\"prohibited\"".to_owned());
    let utf16 = "\u{feff}".encode_utf16().chain(page.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for text in [page.clone().into_bytes(), format!("\u{feff}\n{page}\x01\x02").into_bytes(), utf16] {
        for coding in ["br", "deflate", "gzip"] {
            assert_eq!(run(&text, coding), prohibited, "{coding}");
        }
    }
    for line in ["HTTP/1.1 200 OK", "HTTP/1.0 404 x", "HTTP/2 200", "\u{feff}HTTP/3 200"] {
        let (code, error) = run(format!("{line}\r\nA: b\r\n\r\n{page}").as_bytes(), "");
        assert_eq!(code, Some(2), "{line}");
        let why = "expected a page, found a response with its status line (save them apart: curl -sfL -D headers.txt -o page.html URL)\n";
        assert_eq!(error, format!("error: page: {why}"));
    }
}

/// A page of a megabyte can have hundreds of thousands.
#[test]
fn long_lists_of_remarks_are_cut() {
    let folder = folder();
    let many = |text: &dyn Fn(usize) -> String| (0..150).map(text).collect::<String>();
    let links = many(&|number| format!("<link rel=license href='https://example.com/{number}'>\n"));
    let odd = many(&|number| format!("<meta name=robots content='odd{number}'>\n"));
    let elements = many(&|number| format!("<p id=e{number} class='the-acap:allow-index'>\n"));
    folder.write("page.html", format!("{links}{odd}{elements}"));
    let labels: Vec<String> = (0..150).map(|number| format!("games{number}=no")).collect();
    let void = "License: x\n".repeat(150);
    folder.write("labels.txt", format!("User-agent: *\nContent-Signal: {}\n{void}", labels.join(", ")));
    let rules: Vec<&str> = vec!["3"; 150];
    folder.write("tdmrep.json", format!("[{}]", rules.join(",")));
    let line = "permissions --agent X --robots labels.txt --page page.html --tdmrep tdmrep.json";
    let ran = folder.run(&format!("{line} --json /a /b"));
    let objects: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for list in
        ["licenses", "labels", "elements", "robots_diagnostics", "tdmrep_diagnostics", "page_diagnostics"]
    {
        assert_eq!(objects[0][list].as_array().map(Vec::len), Some(100), "{list}");
        assert_eq!(
            (&objects[0]["omitted"][list], &objects[1]["omitted"]),
            (&50.into(), &Value::Null),
            "{list}"
        );
    }
    let ran = folder.run(&format!("{line} /a"));
    for (name, count, more) in
        [("licence", 100, 50), ("label", 100, 50), ("element", 100, 50), ("odd", 300, 150)]
    {
        let lines = ran.out.lines().filter(|line| line.starts_with(&format!("  {name} "))).count();
        assert_eq!(lines, count + 1, "{name}");
        assert!(ran.out.contains(&format!("  {name:<10} {more} more\n")), "{name}: {}", ran.out);
    }
    // An element beyond them can be asked about.
    assert_eq!(folder.run(&format!("{line} --part 150 /a")).code, Some(0));
}

#[test]
fn void_statements_of_the_robots_txt_are_shown() {
    let folder = folder();
    folder.write(
        "void.txt",
        "Content-Usage: train-ai=n\nUser-agent: *\nContent-Signal: search=yes ai-train=no\nContent-Usage: train-ai=no\n\
         Content-Usage: ai-train=n search=y\nContent-Singal: search=no\nDisalow: /x\nCrawl-delay: soon\n\
         ACAP-crawler: *\nACAP-disallow-idnex: /\n",
    );
    let ran = folder.run("permissions --agent X --robots void.txt /a");
    let odd: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("  odd        ")).collect();
    assert_eq!(
        odd,
        [
            "robots.txt, line 1: 'Content-Usage: train-ai=n': 'content-usage' before any user-agent line: ignored",
            "robots.txt, line 3: 'Content-Signal: search=yes ai-train=no': not a value of 'content-signal': kept as text",
            "robots.txt, line 4: 'Content-Usage: train-ai=no': neither 'y' nor 'n' for a label of 'content-usage': nothing is said about it",
            "robots.txt, line 5: 'Content-Usage: ai-train=n search=y': the items of 'content-usage' must be separated by commas: the record is ignored",
            "robots.txt, line 6: 'Content-Singal: search=no': unknown key: did you mean 'content-signal'?",
            "robots.txt, line 10: 'ACAP-disallow-idnex: /': not a usage of ACAP 1.0: void",
        ]
    );
    let ran = folder.run("permissions --agent X --robots void.txt --json /a");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["robots_diagnostics"].as_array().map(Vec::len), Some(6));
}

#[test]
fn a_prohibition_in_headers_is_found_however_they_were_saved() {
    let folder = folder();
    let text = "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n";
    let utf16 = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [
        format!("\u{feff}{text}").into_bytes(),
        utf16,
        text.replace("\r\n", "\r").into_bytes(),
        text.replace("OK\r\n", "OK\r\nServer: x\r\n \r\n").into_bytes(),
        text.replace("OK\r\n", "OK\r\nServer: x\r\n\r\n").into_bytes(),
        text.replace("HTTP/1.1 200 OK", ":status: 200").into_bytes(),
    ] {
        folder.write("headers", &bytes);
        let ran = folder.run("permissions --json --agent X --robots robots.txt --headers headers /news/1");
        let found = &about(&ran.out, "index")["permission"];
        assert_eq!((ran.code, found.as_str()), (Some(0), Some("prohibited")), "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_tdmrep_json_is_read_beside_the_robots_txt() {
    let folder = folder();
    folder.write(
        "tdmrep.json",
        r#"[{"location": "/open/", "tdm-reservation": 0}, {"location": "/mute/", "tdm-reservation": 2}, 3, {"location": "/", "tdm-reservation": 1}]"#,
    );
    let ran = folder.run("permissions --agent X --robots robots.txt --tdmrep tdmrep.json /news/1 /open/");
    for text in [
        "  tdm                   prohibited  tdmrep.json, rule 4: {\"location\":\"/\",\"tdm-reservation\":1}\n",
        "permitted   tdmrep.json, rule 1: {\"location\":\"/open/\",\"tdm-reservation\":0}\n",
        "  odd        tdmrep.json, rule 3: no 'location' or no 'tdm-reservation': the rule is void\n",
        "  odd        tdmrep.json, rule 2: the 'tdm-reservation' is not 0 or 1: nothing is said about what the rule matches\n",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let missing = folder.run("permissions --agent X --robots robots.txt --tdmrep none.json /");
    assert_eq!((missing.code, missing.out.as_str()), (Some(2), ""));
    folder.write("tdmrep.json", "<html>");
    let odd = folder.run("permissions --agent X --robots robots.txt --tdmrep tdmrep.json /news/1");
    assert!(
        odd.out.contains("  odd        tdmrep.json: not JSON (expected value at line 1 column 1): ignored\n"),
        "{}",
        odd.out
    );
}

#[test]
fn ceilings_and_licences_are_shown() {
    let folder = folder();
    folder.write(
        "signals.txt",
        "User-agent: *\nContent-Signal: use=reference, new=thing\nLicense: https://a/1 https://a/2\n",
    );
    folder.write(
        "signals",
        "Link: </l.xml>; rel=license; type=\"application/rsl+xml\"\nContent-Signal: use=immediate\n",
    );
    folder.write("link.html", "<link rel=license href=/terms>");
    let ran = folder.run("permissions --agent X --robots signals.txt --headers signals --page link.html /a");
    for text in [
        "  preserve              prohibited  robots.txt:2: Content-Signal: use=reference, new=thing\n",
        "  index                 prohibited  header 2: Content-Signal: use=immediate\n",
        "  licence    https://a/1\n  licence    https://a/2\n  licence    /l.xml\n  licence    /terms\n",
        "  label      content-signal use=reference (robots.txt:2)\n  label      content-signal new=thing (robots.txt:2)\n",
        "  label      content-signal use=immediate (header)\n",
    ] {
        let text = text.replace("robots.txt:", "signals.txt:");
        assert!(ran.out.contains(&text), "{text} in {}", ran.out);
    }
}

#[test]
fn parts_of_a_page_have_their_own_permissions() {
    let folder = folder();
    let follow = |part: &str| {
        let ran = folder.run(&format!(
            "permissions --json --agent X --robots robots.txt --page page.html --part {part} /news/1"
        ));
        let follow = about(&ran.out, "follow");
        format!("{} {}", follow["permission"].as_str().unwrap(), follow["reason"].as_str().unwrap())
    };
    assert_eq!(follow("page"), "prohibited element-fallback");
    assert_eq!(follow("rest"), "unspecified silence");
    assert_eq!(follow("1"), "prohibited explicit");
    let ran = folder.run("permissions --agent X --robots robots.txt --page page.html --part 2 /news/1");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("there is no element 2: the page has 1"), "{}", ran.err);
}

#[test]
fn a_broken_page_is_read_as_far_as_it_goes() {
    let folder = folder();
    folder.write(
        "broken.html",
        b"\xFF\0<html <meta name=robots content=noindex><\0meta <meta name='robots' content='nofollow",
    );
    folder.write("cut.html", b"<meta name=robots content=noindex><div class='the-acap:");
    let index = |page: &str| {
        let ran =
            folder.run(&format!("permissions --json --agent X --robots robots.txt --page {page} /other"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        about(&ran.out, "index")["source"]["vocabulary"].clone()
    };
    // The META tag is an attribute of the html tag, which is not closed.
    assert_eq!(index("broken.html"), "acap");
    let cut = folder.run("permissions --agent X --robots robots.txt --page cut.html /news/1");
    assert!(cut.out.contains("index                 prohibited  page:1: <meta"), "{}", cut.out);
}

#[test]
fn json_is_one_object_a_url() {
    let ran = folder().run("permissions --json --agent X --robots robots.txt /news/1 nonsense");
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys: Vec<&str> = lines[0].as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = [
        "url",
        "valid",
        "usages",
        "requests",
        "time_gates",
        "memento",
        "canonical",
        "crawler",
        "dialect",
        "outcome",
        "acap_version",
        "references",
        "licenses",
        "crawl_delay",
        "request_rate",
        "visit_time",
        "sitemaps",
        "host",
        "labels",
        "elements",
        "robots_diagnostics",
        "tdmrep_diagnostics",
        "page_diagnostics",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(lines[0]["usages"].as_array().unwrap().len(), 22);
    assert_eq!(lines[0]["requests"][0]["action"], "take-down");
    assert_eq!((&lines[1]["valid"], ran.code), (&Value::Bool(false), Some(2)));
}

#[test]
fn times_and_purposes_are_set_by_options() {
    let folder = folder();
    folder.write(
        "acap.txt",
        "ACAP-crawler: *\nACAP-allow-index: / time-limit=3-days\nACAP-usage-purpose: news\nACAP-disallow-preserve: /\n",
    );
    let ask = |usage: &str, options: &str| {
        let ran = folder.run(&format!("permissions --json --agent X --robots acap.txt {options} /news/1"));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{options}");
        about(&ran.out, usage)
    };
    assert_eq!(ask("index", "--now 2026-11-04T00:00:01Z --first-use 2026-11-01")["reason"], "expired");
    assert_eq!(ask("index", "--now 2026-11-04 --first-use 2026-11-01")["permission"], "permitted");
    assert_eq!(ask("index", "--now 2026-11-04")["lacks"], serde_json::json!(["first-use"]));
    assert_eq!(ask("preserve", "--purpose news")["permission"], "prohibited");
    assert_eq!(ask("preserve", "")["permission"], "unspecified");
    // There, no field of the file is known.
    let ran = folder.run("permissions --json --agent X --robots acap.txt --dialect rfc9309 /news/1");
    assert_eq!((ran.code, &about(&ran.out, "index")["permission"]), (Some(0), &"unspecified".into()));
    assert!(ran.err.starts_with("warning: acap.txt: expected a robots.txt, found text"), "{}", ran.err);
}

#[test]
fn files_that_are_referred_to_are_given_or_missing() {
    let folder = folder();
    folder.write("ref.txt", "ACAP-crawler: X\nACAP-permissions-reference: /more?a=b\n");
    folder.write("more.txt", "ACAP-crawler: X\nACAP-disallow-index: /\n");
    let missing = folder.run("permissions --agent X --robots ref.txt /a");
    assert!(
        missing.out.contains("  reference  /more?a=b: not given, so its statements are missing here\n"),
        "{}",
        missing.out
    );
    let given = folder.run("permissions --agent X --robots ref.txt --reference /more?a=b=more.txt /a");
    assert!(given.out.contains("index  prohibited  /more?a=b:2: ACAP-disallow-index: /\n"), "{}", given.out);
    assert_eq!((missing.code, given.code), (Some(0), Some(0)));
}

#[test]
fn the_outcome_of_the_fetch_is_reported() {
    let folder = folder();
    let ask = |status: &str| {
        folder.run(&format!("permissions --agent X --robots robots.txt --status {status} /news/1"))
    };
    assert!(ask("503").out.contains("crawl  prohibited  by the outcome of the fetch of the robots.txt"));
    assert!(ask("404").out.contains("crawl  unspecified by the outcome of the fetch of the robots.txt"));
    let silent =
        "  nothing is said about: follow, index, preserve, present (in any form), index-images, search";
    assert!(ask("404").out.contains(silent), "{}", ask("404").out);
    assert!(ask("network-failure").out.contains("  standing   restricted: at "));
}

#[test]
fn what_a_site_writes_cannot_move_the_cursor() {
    let folder = folder();
    folder.write("robots.txt", "User-agent: *\nDisallow: / # \u{1B}[2J\n");
    let ran = folder.run("permissions --agent X --robots robots.txt /");
    assert!(ran.out.contains("robots.txt:2: Disallow: / # \\u{1b}[2J"), "{}", ran.out);
}

#[test]
fn exit_codes() {
    let folder = folder();
    for line in [
        "permissions --robots robots.txt /a",
        "permissions --agent X /a",
        "permissions --agent X --robots missing /a",
        "permissions --agent X --robots robots.txt --page missing /a",
        "permissions --agent X --robots robots.txt --headers missing /a",
        "permissions --agent X --robots robots.txt --reference /x=missing /a",
        "permissions --agent X --robots robots.txt --reference x /a",
        "permissions --agent X --robots robots.txt --now soon /a",
        "permissions --agent X --robots robots.txt --status 99 /a",
        "permissions --agent X --robots robots.txt --part some /a",
        "permissions --agent X --robots - --page - /a",
        "permissions --agent X --robots robots.txt --page -",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
        assert!(!ran.err.is_empty(), "{line}");
    }
    let ran = folder.run_with_input("permissions --agent X --robots robots.txt", "/a\r\nb\n");
    assert_eq!(ran.code, Some(2), "a text that is no URL");
    assert_eq!(folder.run_with_input("permissions --agent X --robots robots.txt", "/a\n").code, Some(0));
}

#[test]
fn a_prohibition_for_a_purpose_is_a_fact_that_is_missing() {
    let folder = folder();
    folder.write(
        "purposes.txt",
        "ACAP-crawler: *\nACAP-usage-purpose: commercial\nACAP-disallow-index: /\nACAP-allow-preserve: /\n",
    );
    let ran = folder.run("permissions --agent X --robots purposes.txt /a");
    assert!(
        ran.out.contains("  index  unspecified nothing is said, unless the missing fact changes that\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("lacks     purpose=commercial\n"), "{}", ran.out);
    assert!(!ran.out.contains("nothing is said about: index"), "{}", ran.out);
    let ran = folder.run("permissions --agent X --robots purposes.txt --purpose commercial /a");
    assert!(
        ran.out.contains("index     prohibited  purposes.txt:3: ACAP-disallow-index: /\n"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("purpose="), "{}", ran.out);
}

#[test]
fn the_standing_after_a_fetch_is_reported() {
    let folder = folder();
    folder.write("good.txt", "User-agent: *\nDisallow: /good\n");
    let ran = folder.run(
        "permissions --agent X --robots robots.txt --status 503 --now 2026-11-22 --last-good good.txt \
         --last-good-fetched 2026-11-21T12:00:00Z /good",
    );
    assert!(ran.out.contains("crawl  prohibited  good.txt:2: Disallow: /good"), "{}", ran.out);
    assert!(
        ran.out.contains("  standing   last-good-copy: at 2026-11-22T00:00:00Z the answer was 503"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("  until      2026-11-22T12:00:00Z (fetch"), "{}", ran.out);
}
