//! The times of captures.

use super::*;

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
