//! `robomata filter --usage` and bundles for it.

use crate::support::Folder;

const SOURCE: &str = r#"{"host": "signal.example", "body": "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /private"}
{"host": "acap.example", "body": "User-agent: *\nDisallow: /x\nACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-allow-preserve: /open/\nACAP-usage-purpose: news\nACAP-disallow-index: /n"}
{"host": "path.example", "body": "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\nNoindex: /old"}
{"host": "plain.example", "body": "User-agent: *\nDisallow: /private"}
"#;

const URLS: &str = "\
https://signal.example/a
https://signal.example/private
https://acap.example/open/a
https://acap.example/n
https://acap.example/x
https://path.example/open/a
https://path.example/old
https://plain.example/a
https://plain.example/private
";

fn folder() -> Folder {
    Folder::with(&[("robots.jsonl", SOURCE), ("urls", URLS)])
}

fn verdicts(folder: &Folder, arguments: &str) -> Vec<String> {
    let ran = folder.run(&format!("filter -q --agent A --output verdicts {arguments} urls"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{arguments}");
    let host_and_path = |line: &str| line.replace("https://", "").replace(".example", "").replace('\t', " ");
    ran.out.lines().map(host_and_path).collect()
}

#[test]
fn urls_pass_that_may_be_crawled_and_used_so() {
    assert_eq!(
        verdicts(&folder(), "--usage ai-train --robots robots.jsonl"),
        [
            "disallow 2 signal/a",
            "disallow 2 signal/private",
            "allow 0 acap/open/a",
            "allow 0 acap/n",
            "disallow 2 acap/x",
            "allow 3 path/open/a",
            "disallow 2 path/old",
            "allow 0 plain/a",
            "disallow 2 plain/private",
        ]
    );
    let preserve = verdicts(&folder(), "--usage preserve --robots robots.jsonl");
    assert_eq!(preserve[2..5], ["allow 5 acap/open/a", "disallow 4 acap/n", "disallow 4 acap/x"]);
    let index = verdicts(&folder(), "--usage index --robots robots.jsonl");
    assert_eq!(
        index[3..7],
        ["allow 0 acap/n", "disallow 2 acap/x", "allow 0 path/open/a", "disallow 4 path/old"]
    );
}

#[test]
fn a_permission_that_ends_on_a_date_is_none_after_it() {
    let body = r#"{"host": "a.example", "body": "ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2007-12-31\nACAP-allow-index: /b time-limit=9-days"}"#;
    let folder =
        Folder::with(&[("robots.jsonl", body), ("urls", "https://a.example/a\nhttps://a.example/b\n")]);
    let ran = folder.run("compile robots.jsonl --agent A --usage index -o p.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for source in ["--robots robots.jsonl --cross-check all", "--policies p.bundle"] {
        let on = |time: &str| verdicts(&folder, &format!("--usage index {time} {source}"));
        assert_eq!(on("--now 2007-12-31T23:59:59Z"), ["allow 2 a/a", "allow 3 a/b"], "{source}");
        assert_eq!(on("--now 2008-01-01"), ["disallow 2 a/a", "allow 3 a/b"], "{source}");
        // Without --now, the current time decides.
        assert_eq!(on(""), ["disallow 2 a/a", "allow 3 a/b"], "{source}");
    }
}

/// Rules have no end, so the time of use would be ignored.
#[test]
fn a_time_without_permissions_is_refused() {
    let folder =
        Folder::with(&[("robots.txt", "User-agent: *\nDisallow: /a"), ("urls", "https://a.example/a\n")]);
    let filter = "filter --agent A --host a.example --robots robots.txt urls --now 2026-01-01";
    let ran = folder.run(filter);
    let error = "--now applies to permissions that end on a date";
    assert!(ran.code == Some(2) && ran.err.contains(error) && ran.out.is_empty(), "{}", ran.err);
    for permissions in ["--dialect acap", "--usage index"] {
        assert_eq!(folder.run(&format!("{filter} {permissions}")).code, Some(0), "{permissions}");
    }
}

#[test]
fn a_purpose_has_fields_of_its_own() {
    let index = verdicts(&folder(), "--usage index --purpose NEWS --robots robots.jsonl");
    assert_eq!(index[3], "disallow 7 acap/n");
    let index = verdicts(&folder(), "--usage index --purpose other --robots robots.jsonl");
    assert_eq!(index[3], "allow 0 acap/n");
}

#[test]
fn a_bundle_answers_about_the_usage_that_it_was_compiled_for() {
    let folder = folder();
    let ran = folder.run("compile robots.jsonl --agent A --usage preserve -o p.bundle");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        verdicts(&folder, "--usage preserve --policies p.bundle"),
        verdicts(&folder, "--usage preserve --robots robots.jsonl")
    );
    let ran = folder.run("filter -q --agent A --policies p.bundle urls");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("the policies do not answer about crawl: they were compiled for preserve"),
        "{}",
        ran.err
    );
}

#[test]
fn dialects_that_know_crawl_alone_are_refused() {
    let ran = folder().run("filter -q --agent A --usage index --dialect google --robots robots.jsonl urls");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("dialect 'google' supports only crawl"), "{}", ran.err);
    let ran = folder().run("filter -q --agent A --usage print --robots robots.jsonl urls");
    assert!(ran.err.contains("unknown usage 'print': expected one of crawl follow index"), "{}", ran.err);
}

#[test]
fn the_reference_judges_usages_again() {
    for usage in ["crawl", "index", "preserve", "ai-train", "search", "tdm", "other"] {
        let line = format!(
            "filter -q --agent A --usage {usage} --purpose news --cross-check all --stats s.json --robots robots.jsonl urls"
        );
        let folder = folder();
        let ran = folder.run(&line);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{usage}");
        let stats: serde_json::Value = serde_json::from_str(&folder.read("s.json")).unwrap();
        assert_eq!(stats["cross_check"]["checked"], 9, "{usage}");
        assert_eq!(stats["usage"], usage);
    }
}

#[test]
fn reserved_rights_close_a_site_to_mining_with_a_policy_too() {
    let folder = folder();
    let captures = [
        r#"{"host": "plain.example", "body": "\n"}"#,
        r#"{"url": "https://plain.example/.well-known/tdmrep.json", "body": "[{\"location\": \"/a\", \"tdm-reservation\": 1, \"tdm-policy\": \"https://p.example/\"}]"}"#,
    ];
    folder.write("tdm.jsonl", captures.join("\n"));
    folder.write("tdm-urls", "https://plain.example/a\nhttps://plain.example/b\n");
    let ran = folder.run("filter -q --agent A --usage tdm --robots tdm.jsonl tdm-urls");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "https://plain.example/b\n"));
    let ran = folder.run("filter -q --agent A --usage index --robots tdm.jsonl tdm-urls");
    assert_eq!(ran.out.lines().count(), 2, "it is about mining alone");
}
