//! Sources that are something else than a robots.txt.

use super::*;

/// Their sites are open, without a warning for each.
#[test]
fn captures_that_are_no_robots_txt_are_counted_in_the_last_line() {
    let folder = folder();
    let rows = r#"{"host": "page.example", "status": 200, "body": "<html>busy</html>"}
{"host": "twice.example", "status": 200, "body": "User-agent: *\\nDisallow: /private\\n"}
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
        assert!(last.ends_with("; not a robots.txt: 1 html, 1 prose"), "{line}: {}", ran.err);
    }
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
