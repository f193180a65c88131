//! `plan`: its outputs, exit codes and messages.

use crate::support::Folder;

const HISTORY: &str = r#"{"host": "a.example", "time": "2026-11-22T20:00:00Z", "body": "User-agent: *\nDisallow: /a"}
{"url": "https://down.example", "time": "2026-11-23T09:00:00Z", "status": 503}
"#;

const NOW: &str = "--now 2026-11-23T12:00:00Z";

fn folder() -> Folder {
    let folder =
        Folder::with(&[("history.jsonl", HISTORY), ("urls", "https://a.example/1\nhttps://b.example/\n")]);
    let ran = folder.run("compile history.jsonl --all-agents --history -o history.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    folder
}

#[test]
fn a_plan_and_its_holds_are_written() {
    let folder = folder();
    let ran =
        folder.run(&format!("plan --policies history.bundle {NOW} --frontier urls --holds holds.jsonl"));
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "2 sites: 2 to fetch, 1 never seen, 1 to expire, 0 on hold\n")
    );
    let rows: Vec<&str> = ran.out.lines().collect();
    assert_eq!(rows[0], "site\treason\tnot_before\tnot_after\turls\tchange\tvalue\tfetched");
    assert!(rows[1].starts_with("https://b.example\tnever-seen\t2026-11-23T12:00:00Z\t"), "{}", rows[1]);
    assert!(
        rows[2].starts_with("https://a.example\texpires\t2026-11-23T14:00:00Z\t2026-11-23T20:00:00Z\t1\t")
    );
    assert_eq!((rows.len(), folder.read("holds.jsonl").as_str()), (3, ""));

    let ran =
        folder.run(&format!("plan --policies history.bundle {NOW} --to plan.jsonl --holds holds.jsonl -q"));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    assert_eq!(folder.read("plan.jsonl").lines().count(), 3);
    let hold = "{\"site\":\"https://down.example\",\"applies\":\"restricted\",\"until\":\"2026-12-23T09:00:00Z\",\
                \"then\":\"unrestricted\",\"since\":\"2026-11-23T09:00:00Z\",\"good_copy\":null,\"urls\":null,\
                \"fetched\":\"2026-11-23T09:00:00Z\"}\n";
    assert_eq!(folder.read("holds.jsonl"), hold);

    let plan = format!("plan --policies history.bundle {NOW}");
    let from_stdin =
        folder.run_with_input(&format!("{plan} --frontier - --format text"), "https://b.example/\n");
    assert_eq!(from_stdin.out.lines().count(), 2);
}

#[test]
fn a_bundle_without_history_is_noted() {
    let folder = folder();
    folder.run("compile history.jsonl --all-agents -o newest.bundle");
    let ran = folder.run(&format!("plan --policies newest.bundle {NOW}"));
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 4));
    let note = "note: newest.bundle: holds only the newest captures, so how often sites change is not known (compile \
                with --history)\n";
    assert!(ran.err.starts_with(note), "{}", ran.err);
}

#[test]
fn a_mistake_writes_no_plan() {
    let folder = folder();
    folder.write("cut.gz", [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    let bundle = std::fs::read(folder.path("history.bundle")).unwrap();
    folder.write("damaged.bundle", &bundle[..bundle.len() - 1]);
    folder.run("compile history.jsonl --all-agents --history --dialect google -o google.bundle");
    let history = "--policies history.bundle";
    let cases = [
        (history.to_owned(), 2, "--now <TIME>"),
        (format!("{history} --now yesterday"), 2, "expected an ISO 8601 time"),
        (format!("{history} {NOW} --within 25h"), 2, "--within: expected at most 24h"),
        (format!("--policies google.bundle {NOW} --unreachable disallow"), 2, "so 'disallow' has no effect"),
        (format!("{history} {NOW} --within 24"), 2, "expected a whole number and a unit"),
        (format!("{history} {NOW} --likely 0"), 2, "expected a probability above 0, at most 1"),
        (format!("{history} {NOW} --likely NaN"), 2, "expected a probability above 0, at most 1"),
        (format!("{history} {NOW} --column 2"), 2, "--format and --column require --frontier"),
        (format!("{history} {NOW} --frontier urls.cdx --column 2"), 2, "--column cannot be used with cdx"),
        (format!("{history} {NOW} --frontier missing"), 2, "missing: "),
        (format!("{history} {NOW} --frontier history.jsonl --format text"), 2, "history.jsonl: "),
        (format!("{history} {NOW} --frontier cut.gz --format text"), 4, "cut.gz"),
        (format!("{history} {NOW} --holds history.bundle"), 2, "the output is the input"),
        (format!("{history} {NOW} --frontier - --frontier -"), 2, "standard input cannot be read twice"),
        (format!("--policies damaged.bundle {NOW}"), 2, "damaged.bundle: "),
        (format!("--policies missing.bundle {NOW}"), 2, "missing.bundle: "),
    ];
    for (arguments, code, message) in cases {
        let ran = folder.run(&format!("plan {arguments} --to plan.tsv"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{arguments}: {}", ran.err);
        assert!(ran.err.contains(message), "{arguments}: {}", ran.err);
        assert!(!folder.path("plan.tsv").exists(), "{arguments}");
    }
    assert_eq!(std::fs::read(folder.path("history.bundle")).unwrap(), bundle);
    let ran = folder.run(&format!("plan {history} {NOW} --to plan.parquet.zst"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("remove .gz or .zst from the name in --to"), "{}", ran.err);
    assert!(!folder.path("plan.parquet.zst").exists());
}

#[test]
fn captures_after_now_are_reported() {
    let ran = folder().run("plan --policies history.bundle --now 2026-11-23T06:00:00Z");
    let warning = "warning: 1 site with captures after --now: these captures were ignored (check --now)\n";
    assert!(ran.err.starts_with(warning), "{}", ran.err);
    assert!(ran.out.contains("https://down.example\tnever-seen\t"), "{}", ran.out);
}
