//! The times of captures.

use super::*;

/// Otherwise today's prohibition would be the oldest version, and yesterday's permission would stay in force.
#[test]
fn a_time_before_robots_txt_fails_the_capture() {
    let folder = folder();
    let line = |host: &str, times: &str, rule: &str| {
        format!("{{\"host\": \"{host}\", {times}, \"body\": \"User-agent: *\\nDisallow: {rule}\"}}\n")
    };
    folder.write("yesterday.jsonl", line("example.com", "\"time\": \"2026-11-27\"", ""));
    folder.run("compile yesterday.jsonl --agent A -o yesterday.bundle");
    for time in ["0", "0.35", "2026", "\"0600\"", "\"1970-01-01T00:00:00Z\"", "\"1993-12-31T23:59:59Z\""] {
        let times = format!("\"time\": {time}, \"fetched_at\": \"2026-11-28T06:00:00Z\"");
        let other = line("other.example", "\"time\": \"2026-11-28\"", "/x");
        folder.write("today.jsonl", line("example.com", &times, "/") + &other);
        let warning = "of the years 1994 to 2200 in \"time\", found ";
        let ran = allowed(&folder, "--robots today.jsonl");
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://other.example/private\n"), "{time}");
        assert!(ran.err.contains(warning), "{time}: {}", ran.err);
        // Nothing says which one is newer.
        for line in [
            "compile today.jsonl --onto yesterday.bundle -o out",
            "filter --agent A --robots yesterday.bundle --robots today.jsonl --to out urls",
        ] {
            let ran = folder.run(line);
            assert_eq!(ran.code, Some(2), "{time}: {}", ran.err);
            assert!(ran.err.contains(warning), "{time}: {}", ran.err);
        }
    }
    assert!(!folder.path("out").exists());
}

/// A year or an hour is no second of 1970, when everything that has an end was still in force.
#[test]
fn options_take_no_time_before_robots_txt() {
    let folder = folder();
    folder.run("compile robots.txt --host example.com --agent A -o policies.bundle");
    for line in [
        "compile robots.txt --host example.com --agent A --captured-at 2026 -o out",
        "filter --agent A --robots robots.txt --host example.com --captured-at 0 urls",
        "filter --agent A --robots robots.txt --host example.com --usage ai-train --now 2026 urls",
        "check --agent A --robots robots.txt --now 0 /",
        "permissions --robots robots.txt --now 2026 /",
        "pace --agent A --robots robots.txt --host example.com --at 0900",
        "plan --policies policies.bundle --now 1993-12-31",
    ] {
        let ran = folder.run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}: {}", ran.err);
        assert!(ran.err.contains("expected an ISO 8601 time such as 2026-11-28, "), "{line}: {}", ran.err);
        assert!(ran.err.contains("there was no robots.txt before 1994"), "{line}: {}", ran.err);
    }
    assert!(!folder.path("out").exists());
}

/// Such a bundle hides the captures of today, without a capture that could be counted.
#[test]
fn a_bundle_with_captures_of_the_future_is_reported() {
    let folder = folder();
    let line = |time: &str, rule: &str| {
        format!(
            "{{\"url\": \"https://example.com\", \"time\": \"{time}\", \"body\": \"User-agent: *\\nDisallow: {rule}\"}}\n"
        )
    };
    folder.write("future.jsonl", line("2199-01-01", ""));
    folder.write("today.jsonl", line("2026-11-28", "/"));
    folder.run("compile future.jsonl --agent A -o future.bundle");
    for arguments in [
        "compile today.jsonl --onto future.bundle -o out.bundle",
        "filter --agent A --robots future.bundle --robots today.jsonl urls",
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.err);
        let warning = "warning: 1 site of a bundle has a capture that is dated more than a day after now and counts as the newest (compile the bundle again, with the correct \"time\")\n";
        assert!(ran.err.starts_with(warning), "{arguments}: {}", ran.err);
    }
}
