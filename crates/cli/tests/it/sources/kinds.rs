//! Sources that are something else than a robots.txt.

use super::*;

/// Their sites are open, without a warning for each.
#[test]
fn captures_that_are_no_robots_txt_are_counted_in_the_last_line() {
    let folder = folder();
    let rows = r#"{"host": "page.example", "status": 200, "body": "<html>busy</html>"}
{"host": "twice.example", "status": 200, "body": "User-agent: *\\nDisallow: /private\\n"}
{"host": "blanks.example", "status": 200, "body": "User-agent: * Disallow: /private"}
{"host": "error.example", "status": 200, "body": "curl: (6) Could not resolve host: error.example"}
{"host": "group.example", "status": 200, "body": "Disallow: /\n"}
{"host": "a.example", "status": 200, "body": "User-agent: *\nDisallow: /private\n"}
{"host": "gone.example", "status": 404, "body": "<html>"}
"#;
    folder.write("rows.jsonl", rows);
    folder.write("urls", "https://page.example/x\n");
    let request =
        r#"{"time": "2024-01-15T00:00:00Z", "url": "https://page.example/x", "user_agent": "A/1.0"}"#;
    folder.write("log.jsonl", request);
    for line in [
        "filter --agent A --robots rows.jsonl urls",
        "compare --agent A --robots rows.jsonl urls",
        "pace --agent A --robots rows.jsonl",
        "score --latest --robots rows.jsonl log.jsonl",
    ] {
        let ran = folder.run(line);
        let last = ran.err.lines().last().unwrap_or_default();
        assert!(
            last.ends_with("; not a robots.txt: 1 html, 1 prose, 2 in one line, 1 without a group"),
            "{line}: {}",
            ran.err
        );
    }
}

/// As `curl -si` writes it.
#[test]
fn a_response_with_its_head_is_a_failed_fetch_and_no_robots_txt() {
    let folder = folder();
    let response = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html\r\n\r\nfail";
    let row = serde_json::json!({ "host": "a.example", "body": response });
    let good = serde_json::json!({ "host": "b.example", "body": "User-agent: *\nDisallow: /private\n" });
    folder.write("rows.jsonl", format!("{row}\n{good}\n"));
    folder.write("sites/a.example", response);
    folder.write("sites/b.example", "User-agent: *\nDisallow: /private\n");
    folder.write("urls.txt", "https://a.example/x\nhttps://b.example/x\n");
    folder.write("response", response);
    for source in ["rows.jsonl", "sites"] {
        let ran = folder.run(&format!("filter --agent A --robots {source} urls.txt"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://b.example/x\n"), "{source}: {}", ran.err);
        let why = ": expected a body, found a response with its status line (save the body alone: curl -sfL -o FILE URL); it counts as a failed fetch\n";
        assert!(ran.err.contains(why), "{source}: {}", ran.err);
    }
    for line in [
        "check --agent A --robots response https://a.example/x",
        "filter --agent A --host a.example --robots response urls.txt",
        "diff --agent A response sites/b.example",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert!(
            ran.err.contains("found a response with its status line (save the body alone"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn records_in_one_line_are_named() {
    let folder = folder();
    folder.write("urls.txt", "https://a.example/x\n");
    let warning = "warning: robots: expected a robots.txt, found its records in a single line: only the first one is read, so everything is allowed (restore its line ends)\n";
    for end in [" ", "\t", "\u{2028}", "<br>", "<br />", "&#10;", "\\n", "\\r\\n"] {
        for records in [["User-agent: *", "Disallow: /"], ["\u{feff}# none", "user-agent: *\ndisallow: /"]] {
            let text = records.join(end).replace('\n', end);
            folder.write("robots", format!("{text}\n"));
            for line in [
                "check --agent A --robots robots https://a.example/x",
                "filter --agent A --host a.example --robots robots urls.txt",
            ] {
                let ran = folder.run(line);
                assert!(ran.code == Some(0) && ran.err.contains(warning), "{text:?}: {}", ran.err);
            }
        }
    }
    folder.write("robots", "Sitemap: https://a.example/sitemap.xml?allow:1");
    let ran = folder.run("check --agent A --robots robots https://a.example/x");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn a_file_that_is_no_robots_txt_is_named_when_it_is_given_as_one() {
    let folder = folder();
    folder.write("page", "<!DOCTYPE html><p>Not found");
    folder.write("urls.txt", "https://a.example/x\n");
    folder.write_compressed("twice.gz", std::fs::read(folder.path("page")).unwrap());
    let ran = folder.run("filter --agent A --host a.example --robots page urls.txt");
    let warning = "warning: page: expected a robots.txt, found an HTML page: without rules, everything is allowed (check the file)\n";
    assert!(ran.err.starts_with(warning), "{}", ran.err);
    let ran = folder
        .run("filter --agent A --host ftp://a.example --robots page --output verdicts urls.txt --quiet");
    assert_eq!(ran.out, "unknown\t0\thttps://a.example/x\n");
}

/// A crawl has many archives, and some have no robots.txt. One without any record is the rest of a job that failed.
#[test]
fn a_web_archive_without_a_record_is_incomplete_also_next_to_other_sources() {
    let folder = folder();
    folder.write("good.jsonl", capture("a.example"));
    folder.write("page.warc", record("https://b.example/", "<html>"));
    for (name, text) in [("empty.warc", ""), ("blank.warc", "\r\n\r\n"), ("nothing.warc.gz", "")] {
        folder.write_compressed(name, text);
        let ran = allowed(&folder, &format!("--robots good.jsonl --robots {name}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{name}: {}", ran.err);
        let message = format!("{name}: expected a WARC record, found the end of the file");
        assert!(ran.err.starts_with(&format!("error: {message}; the input is incomplete")), "{}", ran.err);
        let ran = allowed(&folder, &format!("--robots good.jsonl --robots {name} --partial"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{name}: {}", ran.err);
    }
    assert_eq!(allowed(&folder, "--robots good.jsonl --robots page.warc").code, Some(0));
}

/// With --partial, older rules of a site do not stay in force if its newest capture is cut.
#[test]
fn the_site_of_a_capture_that_is_cut_is_disallowed_with_partial() {
    let folder = folder();
    folder.write("urls", "https://b.example/x\n");
    let rows = r#"{"host": "b.example", "time": 1700000000, "body": ""}
{"host": "b.example", "time": 1800000000, "body": "User-agent: *\nDisallow: /"#;
    folder.write("cut.jsonl", rows.replacen("\"body\": \"\"", "\"status\": 404", 1));
    folder.write("cut.tsv", "host\ttime\tstatus\tbody\nb.example\t1700000000\t404\t\nb.example\t1800000000\t200\tUser-agent: *\\nDis");
    for name in ["cut.jsonl", "cut.tsv"] {
        let ran = allowed(&folder, &format!("--robots {name} --partial"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{name}: {}", ran.err);
        assert!(ran.err.contains("it counts as a failed fetch"), "{name}: {}", ran.err);
    }
}

#[cfg(unix)]
#[test]
fn a_robots_txt_of_a_mirror_that_cannot_be_read_is_not_absent() {
    let folder = folder();
    folder.write("urls", "https://a.example/x\n");
    folder.write("mirror/a.example/index.html", "<html>");
    folder.write("mirror/b.example/robots.txt", ROBOTS);
    std::os::unix::fs::symlink("nowhere", folder.path("mirror/a.example/robots.txt")).unwrap();
    let ran = allowed(&folder, "--robots mirror");
    assert_eq!((ran.code, ran.out.as_str()), (Some(4), ""), "{}", ran.err);
    assert!(ran.err.starts_with("error: mirror/a.example/robots.txt: cannot be read: "), "{}", ran.err);
    let ran = allowed(&folder, "--robots mirror --partial");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
}
