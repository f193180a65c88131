//! Scores logs by the policies of their time.

use std::sync::Arc;

use crate::support::{Folder, Heard, on_threads};
use robomata_engine::{Audience, Crawler, Dialect, History, StoreKind};
use robomata_formats::lines::MAX_LINE;
use robomata_formats::log::LogFormat;
use robomata_jobs::score::agents::Agents;
use robomata_jobs::score::report::ScoreReport;
use robomata_jobs::score::{self, HostOfLog, ScoreJob, TimeTravel};
use robomata_jobs::sources::{self, Keep, LoadOptions, Loaded};
use robomata_jobs::{JobError, Silent, Strictness};

/// /a is disallowed in January 2024, /b from March on, with a delay of ten seconds.
const HISTORY: &str = r#"{"host": "a.example", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-02-01", "body": "User-agent: *\nDisallow: /a"}
{"host": "a.example", "time": "2024-03-01", "body": "User-agent: *\nDisallow: /b\nCrawl-delay: 10"}
"#;

fn loaded(folder: &Folder, captures: &str) -> Loaded {
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let options = LoadOptions { keep: Keep::Bodies, ..LoadOptions::new(kind) };
    sources::load(&[folder.write("robots.jsonl", captures)], &options, &mut Silent).unwrap()
}

fn line(time: &str, path: &str, agent: &str) -> String {
    format!("192.0.2.1 - - [{time} +0000] \"GET {path} HTTP/1.1\" 200 5 \"-\" \"{agent}\"\n")
}

fn scored(log: &str, change: impl FnOnce(&mut ScoreJob<'_>)) -> Result<(ScoreReport, Vec<String>), JobError> {
    scored_by(HISTORY, log, change)
}

fn scored_by(
    captures: &str,
    log: &str,
    change: impl FnOnce(&mut ScoreJob<'_>),
) -> Result<(ScoreReport, Vec<String>), JobError> {
    let folder = Folder::new();
    let loaded = loaded(&folder, captures);
    let agents = Agents::read(&[], Strictness::Strict, &mut Silent)?.0;
    let mut job = ScoreJob::new(&loaded.store, agents, vec![folder.write("access.log", log)]);
    job.bodies = Some(&loaded.bodies);
    job.host = HostOfLog { host: Some("a.example".to_owned()), scheme: None };
    change(&mut job);
    let mut heard = Heard::default();
    let report = score::run(&job, &mut heard)?;
    Ok((report, heard.problems))
}

const BOT: &str = "ExampleBot/1.0 (+http://bot.example)";

fn requests() -> String {
    [
        line("15/Dec/2023:00:00:00", "/a", BOT),
        line("15/Jan/2024:00:00:00", "/a?1", BOT),
        line("15/Jan/2024:00:00:05", "/b", BOT),
        line("15/Jan/2024:00:00:06", "/robots.txt", BOT),
        line("15/Feb/2024:00:00:00", "/a", BOT),
        line("01/Mar/2024:01:00:00", "/b", BOT),
        line("02/Mar/2024:01:00:00", "/b", BOT),
        line("02/Mar/2024:01:00:05", "/a", BOT),
        line("02/Mar/2024:01:00:14", "/c", BOT),
        line("02/Mar/2024:01:00:30", "/c", BOT),
        line("02/Mar/2024:01:00:31", "/c", "Mozilla/5.0 (X11; Linux) Firefox/1.0"),
        line("02/Mar/2024:01:00:32", "/c", "curl/8.0"),
        line("02/Mar/2024:01:00:33", "/c", "-"),
    ]
    .concat()
}

#[test]
fn every_request_is_judged_by_the_policy_in_force() {
    let (report, problems) = scored(&requests(), |_| {}).unwrap();
    assert_eq!(problems, [""; 0]);
    assert_eq!((report.lines, report.requests), (13, 13));
    let visitors = report.visitors;
    assert_eq!(
        (visitors.crawlers, visitors.browsers, visitors.programs, visitors.without_user_agent),
        (10, 1, 1, 1)
    );
    let [bot] = &report.crawlers[..] else { panic!("{:?}", report.crawlers) };
    assert_eq!(bot.crawler, "ExampleBot");
    let counts = bot.counts;
    assert_eq!((counts.requests, counts.robots_txt, counts.before_first_capture), (10, 1, 1));
    // /b on the first of March was allowed an hour before.
    assert_eq!((counts.allowed, counts.disallowed, counts.excused), (4, 3, 1));
    let evidence = bot.evidence;
    assert_eq!((evidence.bracketed, evidence.within_a_month, evidence.within_a_week), (1, 1, 1));
    assert_eq!(bot.first_violation.as_deref(), Some("2024-01-15T00:00:00Z"));
    assert_eq!(bot.last_violation.as_deref(), Some("2024-03-02T01:00:00Z"));
    let [site] = &bot.sites[..] else { panic!("{:?}", bot.sites) };
    assert_eq!(site.site, "https://a.example");
    let broken: Vec<(u32, Option<&str>, u64, &str)> = site
        .broken
        .iter()
        .map(|broken| (broken.line, broken.rule.as_deref(), broken.requests, broken.examples[0].as_str()))
        .collect();
    assert_eq!(
        broken,
        [
            (2, Some("Disallow: /a"), 2, "https://a.example/a?1"),
            (2, Some("Disallow: /b"), 1, "https://a.example/b")
        ]
    );
    // From the second of March on, when the delay was asked for a day before: 5 and 9 seconds are too short, since a log cuts
    // the times. 16 seconds, and more, are enough.
    assert_eq!((bot.delay.asked, bot.delay.broken), (4, 2));
    let days: Vec<(&str, u64, u64)> =
        bot.days.iter().map(|day| (day.day.as_str(), day.requests, day.disallowed)).collect();
    assert_eq!(days[1], ("2024-01-15", 3, 1));
    assert_eq!(days[4], ("2024-03-02", 4, 1));
    let cells: u64 = report.cells.iter().map(|cell| cell.requests).sum();
    assert_eq!(cells, 10);
}

/// RFC 9309, section 2.4: a copy may be used for 24 hours, also one of what a site said before its first capture.
#[test]
fn what_a_site_said_before_its_first_capture_is_not_known() {
    let capture = |fields: &str| {
        let (host, time) = ("a.example", "2024-01-10");
        format!("{{\"host\": \"{host}\", \"time\": \"{time}\", {fields}}}\n")
    };
    let closed = capture(r#""body": "User-agent: *\nDisallow: /a\nCrawl-delay: 30""#);
    let redirected = capture(r#""status": 302"#) + &closed.replace("2024-01-10", "2024-01-12");
    for (captures, first, next) in [
        (&closed, "10/Jan/2024:00:00:01", "11/Jan/2024:00:00:00"),
        (&capture(r#""status": 503"#), "10/Jan/2024:23:59:59", "11/Jan/2024:00:00:00"),
        (&redirected, "12/Jan/2024:23:59:59", "13/Jan/2024:00:00:00"),
    ] {
        let counts = |time: &str| {
            let log = [line(time, "/a", BOT), line(time, "/a", BOT)].concat();
            let (report, _) = scored_by(captures, &log, |_| {}).unwrap();
            let bot = &report.crawlers[0];
            (bot.counts.unknown(), bot.counts.disallowed, bot.delay.broken)
        };
        let has_delay = u64::from(captures.contains("Crawl-delay"));
        assert_eq!((counts(first), counts(next)), ((2, 0, 0), (0, 2, has_delay)), "{captures}");
    }
    // What is allowed is allowed.
    let (report, _) = scored_by(&closed, &line("10/Jan/2024:00:00:01", "/b", BOT), |_| {}).unwrap();
    assert_eq!(report.crawlers[0].counts.allowed, 1);
}

/// As for rules, a crawler may use the copy of the day before.
#[test]
fn a_delay_is_asked_a_day_after_it_was_written() {
    let body = |delay: u32| format!("User-agent: *\\nDisallow: /x\\nCrawl-delay: {delay}");
    let capture = |time: &str, body: &str| {
        format!("{{\"host\": \"a.example\", \"time\": \"{time}\", \"body\": \"{body}\"}}\n")
    };
    let delay = |before: &str, time: [&str; 2]| {
        let captures = [capture("2024-01-10", before), capture("2024-01-12", &body(30))].concat();
        let log = time.map(|time| line(time, "/a", BOT)).concat();
        let (report, _) = scored_by(&captures, &log, |_| {}).unwrap();
        let delay = &report.crawlers[0].delay;
        (delay.asked, delay.broken, delay.not_asked)
    };
    let [soon, later] =
        [["12/Jan/2024:00:10:00", "12/Jan/2024:00:10:05"], ["13/Jan/2024:00:10:00", "13/Jan/2024:00:10:05"]];
    let none = "User-agent: *\\nDisallow: /x";
    assert_eq!([soon, later].map(|time| delay(none, time)), [(0, 0, 1), (1, 1, 0)]);
    assert_eq!([soon, later].map(|time| delay(&body(2), time)), [(1, 0, 0), (1, 1, 0)]);
    assert_eq!([soon, later].map(|time| delay(&body(60), time)), [(1, 1, 0); 2]);
}

/// RFC 9309, section 2.2.1: product tokens have no case.
#[test]
fn the_case_of_a_name_makes_no_other_crawler() {
    let log = [
        line("02/Mar/2024:01:00:00", "/b", "GreedyBot/1"),
        line("02/Mar/2024:01:00:05", "/b", "greedybot/1"),
    ];
    let (report, _) = scored(&log.concat(), |_| {}).unwrap();
    let [bot] = &report.crawlers[..] else { panic!("{:?}", report.crawlers) };
    assert_eq!((bot.crawler.as_str(), bot.counts.disallowed), ("GreedyBot", 2));
    assert_eq!((bot.delay.asked, bot.delay.broken), (1, 1));
    assert!(report.cells.iter().all(|cell| &*cell.crawler == "GreedyBot"));
}

#[test]
fn the_rules_of_a_group_share_its_names_and_only_the_most_used_are_listed() {
    let names: String = (0..20).map(|number| format!("User-agent: {number}{}\\n", "n".repeat(498))).collect();
    let rules: String = (0..3000).map(|number| format!("Allow: /{number}\\n")).collect();
    let captures = format!(
        r#"{{"host": "a.example", "time": "2024-01-01", "body": "{names}{rules}User-agent: *\nDisallow: /x"}}"#
    );
    let (report, _) = scored_by(&captures, &line("15/Jan/2024:00:00:00", "/x", BOT), |_| {}).unwrap();
    let [version] = &report.robots_txt[..] else { panic!("{:?}", report.robots_txt) };
    assert_eq!((version.rules.len(), version.more_rules, version.is_whole), (1000, 2001, true));
    let [most, first, rest @ ..] = &version.rules[..] else { unreachable!() };
    assert_eq!((most.line, &*most.rule, most.requests), (3022, "Disallow: /x", 1));
    assert_eq!((first.line, &*first.rule, first.requests), (21, "Allow: /0", 0));
    assert_eq!((first.agents.len(), first.agents[7].len()), (20, 60));
    assert!(rest.iter().all(|rule| Arc::ptr_eq(&rule.agents, &first.agents)));
}

/// Clients choose their names and the hosts that they ask for.
#[test]
fn long_names_in_a_log_are_not_kept() {
    let bot = format!("bot{}/1.0", "x".repeat(4000));
    let log = [
        line("15/Jan/2024:00:00:00", "/c", &bot),
        line("15/Jan/2024:00:00:01", &format!("https://{}.example/a", "h".repeat(500_000)), &bot),
        line("15/Jan/2024:00:00:02", "/c", &"p".repeat(4000)),
    ];
    let (report, problems) = scored(&log.concat(), |_| {}).unwrap();
    assert_eq!(problems, [""; 0]);
    let [crawler] = &report.crawlers[..] else { panic!("{} crawlers", report.crawlers.len()) };
    assert_eq!(crawler.crawler, format!("bot{}", "x".repeat(97)));
    assert_eq!((crawler.counts.requests, crawler.counts.allowed, crawler.counts.invalid), (2, 1, 1));
    let mut sites: Vec<&str> = crawler.sites.iter().map(|site| site.site.as_str()).collect();
    sites.sort_unstable();
    assert_eq!(sites, ["", "https://a.example"]);
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.len() < 5000, "{}", json.len());
}

#[test]
fn without_time_travel_other_requests_are_violations() {
    let (report, _) = scored(&requests(), |job| job.travel = TimeTravel::Latest).unwrap();
    let bot = &report.crawlers[0];
    assert_eq!((bot.counts.before_first_capture, bot.counts.excused), (0, 0));
    let [broken] = &bot.sites[0].broken[..] else { panic!("{:?}", bot.sites) };
    assert_eq!((broken.rule.as_deref(), broken.requests), (Some("Disallow: /b"), 3));
}

#[test]
fn bad_lines_are_reported_and_the_rest_is_scored() {
    let log = format!(
        "{}nonsense\n{}",
        line("15/Jan/2024:00:00:00", "/a", BOT),
        line("15/Jan/2024:00:00:09", "/a", BOT)
    );
    let (report, problems) = scored(&log, |_| {}).unwrap();
    assert_eq!((report.lines, report.requests, report.errors.total()), (3, 2, 1));
    assert!(problems[0].contains("access.log:2: expected "), "{problems:?}");
    assert!(matches!(scored(&log, |job| job.strictness = Strictness::Strict), Err(JobError::Strict(_))));
}

#[test]
fn a_crawler_s_own_refusals_are_compared_with_the_policies() {
    let log = "2024-01-15T00:00:00.000Z -9998 - https://a.example/a LP https://a.example/ text/html #1 - - - -\n\
               2024-01-15T00:00:01.000Z -9998 - https://a.example/x LP https://a.example/ text/html #1 - - - -\n\
               2024-01-15T00:00:02.000Z 200 10 https://a.example/b LP https://a.example/ text/html #1 - - - -\n\
               2024-01-15T00:00:03.000Z 200 10 https://b.example/b LP https://a.example/ text/html #1 - - - -\n";
    let (report, problems) = scored(log, |_| {}).unwrap();
    assert_eq!(problems, [""; 0]);
    let refusals = report.refusals.unwrap();
    assert_eq!((refusals.refused_disallowed, refusals.refused_allowed), (1, 1));
    assert_eq!((refusals.fetched_allowed, refusals.fetched_unknown), (1, 1));
    assert_eq!(report.crawlers[0].crawler, "heritrix");
    assert_eq!(report.crawlers[0].counts.refused, 2);
    assert_eq!(report.formats[0].format, "heritrix");
}

/// If neither the log nor the job has the scheme, requests go to the known site, including those for its robots.txt.
#[test]
fn requests_go_to_the_site_that_is_known() {
    let folder = Folder::new();
    let kind = StoreKind { history: History::All, ..StoreKind::new(Dialect::Rfc9309, Audience::Everyone) };
    let robots = r#"{"url": "http://a.example/robots.txt", "time": "2024-01-01", "body": "User-agent: *\nDisallow: /a"}"#;
    let robots = folder.write("robots.jsonl", robots);
    let loaded = sources::load(&[robots], &LoadOptions::new(kind), &mut Silent).unwrap();
    let agents = Agents::read(&[], Strictness::Strict, &mut Silent).unwrap().0;
    let paths = ["/robots.txt", "/a", "/b"];
    let log = paths.map(|path| line("15/Jan/2024:00:00:00", path, BOT)).concat();
    let mut job = ScoreJob::new(&loaded.store, agents, vec![folder.write("access.log", log)]);
    job.host = HostOfLog { host: Some("a.example".to_owned()), scheme: None };
    let report = score::run(&job, &mut Silent).unwrap();
    let [site] = &report.crawlers[0].sites[..] else { panic!("{:?}", report.crawlers) };
    let counts = site.counts;
    assert_eq!(
        (site.site.as_str(), counts.robots_txt, counts.disallowed, counts.allowed),
        ("http://a.example", 1, 1, 1)
    );
}

/// The first block has no readable line, so the format is detected in the next one.
#[test]
fn a_first_line_that_is_too_long_is_an_error_and_the_rest_is_scored() {
    let log = format!("{}\n{}", "x".repeat(MAX_LINE + 1), requests());
    let (report, problems) = scored(&log, |_| {}).unwrap();
    assert_eq!((report.lines, report.requests, problems.len()), (14, 13, 1));
    assert_eq!(report.formats[0].format, "combined");
}

const INDEX: &str = " CDX N b a s\n\
    example,a)/a 20240115000000 https://a.example/a 200\n\
    example,a)/a 20240415000000 https://a.example/a 200\n\
    example,a)/b 20240115000005 https://a.example/b 200\n\
    example,a)/b 20240415000005 https://a.example/b -\n\
    example,a)/c 20240415000001 dns:a.example -\n";

#[test]
fn an_index_of_an_archive_is_a_log_of_the_named_crawler() {
    for format in [None, Some(LogFormat::Cdx)] {
        let crawler = || Some(Arc::new(Crawler::new("ExampleBot")));
        let change = |job: &mut ScoreJob<'_>| (job.format, job.crawler) = (format, crawler());
        let (report, problems) = scored(INDEX, change).unwrap();
        assert_eq!(problems, [""; 0]);
        assert_eq!((report.lines, report.requests, report.formats[0].format), (6, 4, "cdx"));
        let [bot] = &report.crawlers[..] else { panic!("{:?}", report.crawlers) };
        assert_eq!((bot.crawler.as_str(), bot.counts.allowed, bot.counts.disallowed), ("ExampleBot", 2, 2));
        // The lines are sorted by URL, so the previous line is not the previous request.
        assert_eq!((bot.delay.asked, bot.delay.histogram.len()), (0, 0));
    }
    let (report, _) = scored(INDEX, |_| {}).unwrap();
    assert_eq!((report.visitors.without_user_agent, report.crawlers.len()), (4, 0));
}

/// Names cost nothing, so a log may have any number of them before the crawlers that matter.
#[test]
fn a_crawler_with_many_requests_is_counted_however_many_names_come_first() {
    let invented = |from: u32, to: u32| {
        (from..to).map(|n| {
            line("02/Mar/2024:01:00:00", "/b", &format!("Inv{n}Bot/1.0 (+http://bot{n}.example/about)"))
        })
    };
    let late = |count| std::iter::repeat_n(line("03/Mar/2024:01:00:00", "/b", BOT), count);
    let log: String =
        invented(0, 40_000).chain(late(500)).chain(invented(40_000, 60_000)).chain(late(500)).collect();
    let (report, _) = on_threads(1, || scored(&log, |_| {})).unwrap();
    assert_eq!(report.counts().requests, 61_000);
    assert_eq!(report.counts().disallowed, 61_000);
    assert!(report.crawlers.len() <= 1 << 14, "{}", report.crawlers.len());
    let of = |name: &str| report.crawlers.iter().find(|score| score.crawler == name).unwrap();
    assert_eq!((of("ExampleBot").counts.disallowed, of("ExampleBot").more_sites), (1_000, 0));
    let joined = report.joined.unwrap();
    // Three times there were too many, and a name that came later may have been among the joined ones.
    assert_eq!(joined.requests, 3);
    let others = of("(others)");
    assert_eq!(
        (others.counts.requests, joined.crawlers),
        (others.counts.disallowed, others.counts.disallowed)
    );
    assert_eq!(others.counts.requests + report.crawlers.len() as u64 - 2 + 1_000, 61_000);
    assert_eq!(others.sites[0].broken[0].requests, others.counts.requests);
    let cells: u64 = report.cells.iter().map(|cell| cell.requests).sum();
    assert_eq!(cells, 61_000);

    let (threaded, _) = on_threads(16, || scored(&log, |_| {})).unwrap();
    let json = |report: &ScoreReport| serde_json::to_string(report).unwrap();
    // The names of the folders differ.
    let without_files = |report: ScoreReport| ScoreReport { formats: Vec::new(), ..report };
    assert!(json(&without_files(report)) == json(&without_files(threaded)), "other threads, other report");
}

/// As in `filter`: clients remove such characters or refuse the URL.
#[test]
fn a_client_chooses_no_site_but_by_an_absolute_url() {
    let captures = ["a.example", "a.example:8443", "a.exampleprivate", "evil.example"]
        .map(|host| format!("{{\"host\": \"{host}\", \"body\": \"User-agent: *\\nDisallow: /\"}}\n"))
        .concat();
    let vhost = |target: &str| format!("a.example {}", line("15/Jan/2024:00:00:00", target, BOT));
    let object = |fields: &str| {
        format!(
            "{{\"time\": \"2024-01-15T00:00:00Z\", \"method\": \"GET\", \"user_agent\": \"{BOT}\", {fields}}}\n"
        )
    };
    let sites = |log: &str| {
        let (report, problems) = scored_by(&captures, log, |job| job.travel = TimeTravel::Latest).unwrap();
        assert_eq!(problems, Vec::<String>::new());
        let crawler = &report.crawlers[0];
        // Invalid requests have no site.
        let sites = crawler.sites.iter().map(|site| site.site.clone()).filter(|site| !site.is_empty());
        let sites: Vec<String> = sites.collect();
        (sites, crawler.counts.disallowed, crawler.counts.invalid)
    };
    let https = |host: &str| format!("https://{host}");
    let log = ["/private", "@evil.example/private", ":8443/private", "private", "?private", "*"].map(vhost);
    assert_eq!(sites(&log.concat()), (vec![https("a.example")], 1, 5));
    let log = [
        object(r#""host": "a.example", "uri": "/private""#),
        object(r#""host": "a.example", "uri": "@evil.example/private""#),
        object(r#""host": "a.example@evil.example", "uri": "/private""#),
        object(r#""host": "evil.example/", "uri": "/private""#),
        object(r#""host": "evil.example?", "uri": "/private""#),
        object(r##""host": "evil.example#", "uri": "/private""##),
        object(r#""host": "a.example", "scheme": "https://evil.example/", "uri": "/private""#),
    ];
    assert_eq!(sites(&log.concat()), (vec![https("a.example")], 1, 6));
    // An absolute URL names its site (RFC 9112, section 3.2.2).
    assert_eq!(sites(&vhost("https://evil.example/private")), (vec![https("evil.example")], 1, 0));
}

#[test]
fn a_url_with_control_characters_is_invalid() {
    let lines = ["/a", "/a\u{1}", "/a\u{7f}", "/\u{1b}b"].map(|path| line("15/Feb/2024:00:00:00", path, BOT));
    let (report, _) = scored(&lines.concat(), |_| {}).unwrap();
    let counts = report.counts();
    assert_eq!((counts.requests, counts.disallowed, counts.invalid), (4, 1, 3));
}
