//! Lints captures.

use std::sync::Arc;

use crate::support::Folder;
use robomata_jobs::lint::{LintedFile, run};
use robomata_lint::{LintOptions, LintReport};

/// Three sites have the robots.txt of a fourth one, whose sitemap it disallows.
#[test]
fn captures_that_share_a_body_share_its_findings() {
    let redirect = |name: &str| {
        format!(
            r#"{{"url": "https://{name}.example/robots.txt", "status": 301, "location": "https://d.example/robots.txt"}}"#
        )
    };
    let body = r"User-agent: *\nDisallow: /p\nDisalow: /q\nSitemap: https://d.example/p/map.xml\n";
    let target = format!(r#"{{"url": "https://d.example/robots.txt", "status": 200, "body": "{body}"}}"#);
    let folder = Folder::new();
    let lines = [redirect("a"), redirect("b"), redirect("c"), target].join("\n");
    let source = folder.write("captures.jsonl", lines);
    let mut linted: Vec<(String, Arc<LintReport>)> = Vec::new();
    run(&[source], &LintOptions::default(), None, &mut |file| {
        let LintedFile { name, report } = file?;
        linted.push((name, report));
        Ok(())
    })
    .unwrap();
    linted.sort_by(|(name, _), (other, _)| name.cmp(other));
    let codes = |report: &LintReport| -> Vec<&str> {
        report.findings.iter().map(|finding| finding.code.name).collect()
    };
    let all: Vec<_> = linted.iter().map(|(name, report)| (name.as_str(), codes(report))).collect();
    let [a, b, c] = ["a", "b", "c"].map(|name| format!("https://{name}.example/robots.txt"));
    let expected = [
        (&*a, vec!["misspelt-key"]),
        (&*b, vec!["misspelt-key"]),
        (&*c, vec!["misspelt-key"]),
        ("https://d.example/robots.txt", vec!["misspelt-key", "sitemap-closed"]),
    ];
    assert_eq!(all, expected);
    assert!(Arc::ptr_eq(&linted[0].1, &linted[1].1) && Arc::ptr_eq(&linted[0].1, &linted[2].1));
}
