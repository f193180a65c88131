//! Permissions of URLs: one report about all statements.

use std::path::PathBuf;

use robomata_engine::{Config, Crawler, Dialect, FetchStatus, Moment, Part};
use robomata_jobs::fetch::Fetch;
use robomata_jobs::permissions::{PermissionsJob, read_page, run};
use robomata_jobs::{RobotsFile, Urls};
use serde_json::{Value, json};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn robots(&self, text: &str) -> RobotsFile {
        RobotsFile::read(&self.file("robots.txt", text)).unwrap()
    }
}

/// The reports as JSON, and the number of texts that are not URLs.
fn reports(job: &PermissionsJob<'_>, urls: &[&str]) -> (Vec<Value>, u64) {
    let urls = Urls::Given(urls.iter().map(|url| url.as_bytes().to_vec()).collect());
    let mut reports = Vec::new();
    let report = run(job, urls, |permissions| {
        reports.push(serde_json::to_value(permissions).unwrap());
        Ok(())
    });
    (reports, report.unwrap().invalid)
}

fn about<'r>(report: &'r Value, usage: &str) -> &'r Value {
    report["usages"].as_array().unwrap().iter().find(|answer| answer["usage"] == usage).unwrap()
}

const ROBOTS: &str = "\
##ACAP version=1.0
ACAP-crawler: *
ACAP-allow-index: /news/ time-limit=3-days
ACAP-disallow-index: /
ACAP-request-take-down: /news/old
ACAP-crawler: ExampleBot
ACAP-permissions-reference: /more.txt
License: https://a.example/terms
TimeGate: /gate/
Archived: /news/
Clean-param: sid /news/
Sitemap: https://a.example/map.xml
Host: a.example
";

#[test]
fn a_usage_is_reported_with_its_line_its_conditions_and_overruled_statements() {
    let folder = Folder::new();
    let robots = folder.robots(ROBOTS);
    let job = PermissionsJob::new(&robots, Crawler::new("ExampleBot"));
    let (reports, invalid) = reports(&job, &["https://a.example/news/old?sid=1", "news"]);
    assert_eq!(
        about(&reports[0], "index"),
        &json!({
            "usage": "index", "permission": "permitted", "reason": "explicit",
            "source": {
                "vocabulary": "acap", "place": "robots-txt", "line": 3,
                "text": "ACAP-allow-index: /news/ time-limit=3-days",
            },
            "qualifiers": ["time-limit=3-days"],
            "lacks": ["now", "first-use", "referenced=/more.txt"],
            "conflicts": [{
                "rule": "narrowest-scope",
                "loser": {
                    "vocabulary": "acap", "place": "robots-txt", "line": 4, "text": "ACAP-disallow-index: /",
                },
            }],
        })
    );
    assert_eq!(about(&reports[0], "search")["permission"], "unspecified");
    assert_eq!(reports[0]["canonical"], "https://a.example/news/old");
    assert_eq!(reports[0]["time_gates"], json!([{"url": "/gate/", "line": 9, "archived_line": 10}]));
    assert_eq!(reports[0]["references"], json!([{"locator": "/more.txt", "line": 7, "supplied": false}]));
    assert_eq!(
        reports[0]["licenses"],
        json!([{"url": "https://a.example/terms", "place": "robots-txt", "line": 8}])
    );
    assert_eq!(reports[0]["sitemaps"], json!(["https://a.example/map.xml"]));
    assert_eq!((&reports[0]["host"], &reports[0]["acap_version"]), (&json!("a.example"), &json!("1.0")));
    assert_eq!((&reports[1]["valid"], &reports[1]["usages"], invalid), (&json!(false), &json!([]), 1));
}

#[test]
fn requests_are_reported_for_their_url() {
    let folder = Folder::new();
    let robots = folder.robots(ROBOTS);
    let job = PermissionsJob::new(&robots, Crawler::new("X"));
    let (reports, _) = reports(&job, &["/news/old", "/news/new"]);
    assert_eq!(reports[0]["requests"][0]["action"], "take-down");
    assert_eq!(reports[0]["requests"][0]["source"]["line"], 5);
    assert_eq!(reports[1]["requests"], json!([]));
}

#[test]
fn a_file_that_is_referred_to_is_read_and_quoted() {
    let folder = Folder::new();
    let robots = folder.robots(ROBOTS);
    let more = folder.file("more.txt", "ACAP-crawler: ExampleBot\nACAP-disallow-preserve: /\n");
    let referenced = [("/more.txt".to_owned(), RobotsFile::read(&more).unwrap())];
    let job = PermissionsJob {
        referenced: &referenced,
        ..PermissionsJob::new(&robots, Crawler::new("ExampleBot"))
    };
    let (reports, _) = reports(&job, &["/x"]);
    let preserve = about(&reports[0], "preserve");
    assert_eq!(preserve["permission"], "prohibited");
    assert_eq!(
        preserve["source"],
        json!({
            "vocabulary": "acap", "place": "referenced", "locator": "/more.txt", "line": 2,
            "text": "ACAP-disallow-preserve: /",
        })
    );
    assert_eq!(preserve["lacks"], json!([]));
    assert_eq!(reports[0]["references"][0]["supplied"], true);
}

#[test]
fn groups_have_visit_times_and_labels_are_kept() {
    let folder = Folder::new();
    let robots = folder.robots(
        "User-agent: X\nCrawl-delay: 2.5\nRequest-rate: 1/5 0800-1300\nVisit-time: 2300-0430\n\
         Content-Signal: ai-train=no, games=yes\nContent-Usage: /a train-ai=y, chess=n\n",
    );
    let job = PermissionsJob::new(&robots, Crawler::new("X"));
    let (reports, _) = reports(&job, &["/a"]);
    let report = &reports[0];
    assert_eq!(report["crawl_delay"], 2.5);
    assert_eq!(report["request_rate"], json!({"requests": 1, "seconds": 5, "hours": "08:00-13:00"}));
    assert_eq!(report["visit_time"], "23:00-04:30");
    assert_eq!(
        report["labels"],
        json!([
            {"vocabulary": "content-signal", "place": "robots-txt", "label": "games", "value": "yes",
             "pattern": null, "line": 5},
            {"vocabulary": "content-usage", "place": "robots-txt", "label": "chess", "value": "no",
             "pattern": "/a", "line": 6},
        ])
    );
    assert_eq!(about(report, "ai-train")["permission"], "prohibited");
    assert_eq!(about(report, "ai-train")["conflicts"][0]["rule"], "most-restrictive");
}

#[test]
fn a_page_and_its_headers_are_quoted() {
    let folder = Folder::new();
    let robots = folder.robots("User-agent: *\nDisallow:\n");
    let page = folder.file(
        "page.html",
        "<title>x</title>\n<meta name=robots content='noarchive, nosuch'>\n<p class='the-acap:disallow-follow'>x",
    );
    let headers = folder.file(
        "headers",
        "HTTP/1.1 301 Moved\r\nX-Robots-Tag: none\r\n\r\nHTTP/1.1 200 OK\r\nServer: x\r\nX-Robots-Tag:\r\n noindex\r\n\r\n",
    );
    let mut job = PermissionsJob::new(&robots, Crawler::new("X"));
    job.page = read_page(Some(&page), Some(&headers)).unwrap();
    let (seen, _) = reports(&job, &["/x"]);
    let index = &about(&seen[0], "index")["source"];
    assert_eq!((&index["place"], &index["line"]), (&json!("header"), &json!(2)));
    assert_eq!(index["text"], "X-Robots-Tag: noindex");
    let preserve = &about(&seen[0], "preserve")["source"];
    assert_eq!(preserve["text"], "<meta name=\"robots\" content=\"noarchive, nosuch\">");
    let follow = about(&seen[0], "follow");
    assert_eq!((&follow["reason"], &follow["source"]["element"]), (&json!("element-fallback"), &json!(1)));
    assert_eq!(follow["source"]["text"], "<p class=\"the-acap:disallow-follow\">");
    assert_eq!(seen[0]["elements"][0]["line"], 3);
    assert_eq!(seen[0]["page_diagnostics"].as_array().unwrap().len(), 1);

    job.circumstances.part = Part::Rest;
    let (seen, _) = reports(&job, &["/x"]);
    assert_eq!(about(&seen[0], "follow")["permission"], "unspecified");
}

#[test]
fn of_meta_tags_on_one_line_those_about_the_usage_are_quoted() {
    let folder = Folder::new();
    let robots = folder.robots("User-agent: *\nDisallow:\n");
    let [noindex, acap, both] = [
        "<meta name=\"robots\" content=\"noindex\">",
        "<meta name=\"x\" content=\"ACAP disallow-follow\">",
        "<meta name=\"*\" content=\"nosnippet, noindex\">",
    ];
    let tdm = "<meta name=\"tdm-reservation\" content=\"1\">";
    let others = "<meta charset=utf-8><meta name=viewport content=noindex><meta name=y content=noindex>";
    let page = folder.file("page.html", &format!("{others}{noindex}{acap}{tdm}{both}"));
    let mut job = PermissionsJob::new(&robots, Crawler::new("X"));
    job.page = read_page(Some(&page), None).unwrap();
    let (seen, _) = reports(&job, &["/x"]);
    let text = |usage: &str| about(&seen[0], usage)["source"]["text"].clone();
    assert_eq!(text("index"), format!("{noindex} {both}"));
    assert_eq!((text("follow"), text("tdm")), (json!(acap), json!(tdm)));
    assert_eq!(text("present-snippet"), both);
}

#[test]
fn the_purpose_of_a_prohibited_local_usage_is_a_fact_that_is_missing() {
    let folder = Folder::new();
    let robots =
        folder.robots("ACAP-composite-usage: both index preserve\nACAP-crawler: *\nACAP-allow-index: /\n");
    let page = folder.file("page.html", "<meta name=robots content='ACAP news disallow-(both)'>");
    let mut job = PermissionsJob::new(&robots, Crawler::new("X"));
    job.page = read_page(Some(&page), None).unwrap();
    let (seen, _) = reports(&job, &["/x"]);
    let index = about(&seen[0], "index");
    assert_eq!((&index["permission"], &index["lacks"]), (&json!("permitted"), &json!(["purpose=news"])));
    assert_eq!(about(&seen[0], "preserve")["lacks"], json!(["purpose=news"]));
    assert_eq!(about(&seen[0], "follow")["lacks"], json!([]));
}

#[test]
fn time_decides_when_it_is_known() {
    let folder = Folder::new();
    let robots = folder.robots("ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2007-12-31\n");
    let mut job = PermissionsJob::new(&robots, Crawler::new("X"));
    let index_of = |job: &PermissionsJob<'_>| {
        let (seen, _) = reports(job, &["/x"]);
        let index = about(&seen[0], "index");
        (index["permission"].clone(), index["reason"].clone(), index["lacks"].clone())
    };
    assert_eq!(index_of(&job), (json!("permitted"), json!("explicit"), json!(["now"])));
    job.circumstances.now = Some(Moment(1_199_145_600));
    assert_eq!(index_of(&job), (json!("prohibited"), json!("expired"), json!([])));
}

#[test]
fn the_fetch_outcome_decides_only_about_crawling() {
    let folder = Folder::new();
    let robots = folder.robots(ROBOTS);
    for (status, permission, outcome) in
        [(404, "unspecified", "unavailable"), (503, "prohibited", "unreachable")]
    {
        let fetch = Some(Fetch::new(FetchStatus::Code(status), Moment(0)));
        let job = PermissionsJob { fetch: fetch.as_ref(), ..PermissionsJob::new(&robots, Crawler::new("X")) };
        let (seen, _) = reports(&job, &["/news/x"]);
        let crawl = about(&seen[0], "crawl");
        assert_eq!((&crawl["permission"], &crawl["reason"]), (&json!(permission), &json!("fetch")));
        assert_eq!(about(&seen[0], "index")["permission"], "unspecified");
        assert_eq!(seen[0]["outcome"], outcome);
    }
}

#[test]
fn acap_counts_only_in_its_dialect() {
    let folder = Folder::new();
    let robots = folder.robots(ROBOTS);
    let job = PermissionsJob {
        config: Config::new(Dialect::Rfc9309),
        ..PermissionsJob::new(&robots, Crawler::new("X"))
    };
    let (seen, _) = reports(&job, &["/news/x"]);
    assert_eq!(about(&seen[0], "index")["permission"], "unspecified");
    assert_eq!(seen[0]["dialect"], "rfc9309");
}

#[test]
fn rows_are_in_the_order_of_usages() {
    let folder = Folder::new();
    let robots = folder.robots("");
    let job = PermissionsJob::new(&robots, Crawler::new("X"));
    let mut names = Vec::new();
    let urls = Urls::Given(vec![b"/".to_vec()]);
    run(&job, urls, |permissions| {
        names.extend(permissions.usages.iter().map(|answer| answer.usage));
        Ok(())
    })
    .unwrap();
    assert_eq!(names, robomata_engine::Usage::ALL);
}
