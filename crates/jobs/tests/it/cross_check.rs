//! Cross-checks answers with the reference.
#![cfg(feature = "cross-check")]

use crate::support::{Folder, SITES, filter_text, options};
use robomata_engine::{Answer, Dialect, Usage, UsageQuery};
use robomata_jobs::Share;
use robomata_jobs::Silent;
use robomata_jobs::cross_check::CrossCheck;
use robomata_jobs::sources::{self, Keep, LoadOptions, Loaded};

fn load_with_bodies(folder: &Folder, text: &str) -> Loaded {
    let options = LoadOptions { keep: Keep::Bodies, ..options(&["A"]) };
    sources::load(&[folder.write("robots.jsonl", text)], &options, &mut Silent).unwrap()
}

fn urls() -> String {
    let hosts = ["a", "gone", "down", "moved", "other"];
    let paths = ["", "/", "/private", "/b?x", "/robots.txt", "/%70rivate"];
    let url = |host, path| format!("https://{host}.example{path}\n");
    let urls: String = hosts.iter().flat_map(|host| paths.iter().map(move |path| url(host, path))).collect();
    urls + " https://a.example/private\t\nhttps://a.example/private\t200\n"
}

/// The usage crawl alone.
const AIM: UsageQuery = UsageQuery { usage: Usage::Crawl, purpose: None };

#[test]
fn a_right_engine_has_no_divergences() {
    let folder = Folder::new();
    let loaded = load_with_bodies(&folder, SITES);
    let check = |share| {
        let (_, report, heard) = filter_text(&folder, &loaded, &urls(), |job| {
            job.cross_check = Some(CrossCheck {
                bodies: &loaded.bodies,
                dialect: Dialect::Rfc9309,
                usage_query: &AIM,
                now: None,
                share,
            });
        });
        assert!(heard.divergences.is_empty(), "{:?}", heard.divergences);
        report.cross_checked
    };
    // The last line is not a URL.
    assert_eq!((check(Share::ALL).checked, check(Share::ALL).divergences), (31, 0));
    let half: Share = "0.5".parse().unwrap();
    let is_checked = |url: &&str| !url.contains("200") && half.holds(url.trim().as_bytes());
    let expected = urls().lines().filter(is_checked).count() as u64;
    assert_eq!(check(half).checked, expected);
}

#[test]
fn different_answers_are_reported() {
    let folder = Folder::new();
    let loaded = load_with_bodies(&folder, SITES);
    // The reference gets other rules than the engine, so it must disagree.
    let other = load_with_bodies(&folder, &SITES.replace("/private", "/public"));
    let (_, report, heard) =
        filter_text(&folder, &loaded, "https://a.example/private\nhttps://a.example/\n", |job| {
            let check = CrossCheck {
                bodies: &other.bodies,
                dialect: Dialect::Rfc9309,
                usage_query: &AIM,
                now: None,
                share: Share::ALL,
            };
            job.cross_check = Some(check);
        });
    assert_eq!((report.cross_checked.checked, report.cross_checked.divergences), (2, 1));
    let divergence = &heard.divergences[0];
    assert_eq!(divergence.site.as_deref(), Some("https://a.example"));
    assert_eq!(divergence.url, "https://a.example/private");
    assert_eq!((divergence.engine.as_str(), divergence.engine.line()), ("disallow", 2));
    assert!(matches!(divergence.reference, Answer::Verdict(verdict) if verdict.line == 0));
}
