//! All ways to check a URL give the same verdict, and it is that of the reference.

use robomata::{Agent, Dialect, FetchStatus, PolicySet, Reason, Robots, Verdict, robots_txt_url};
use robomata_protocol as protocol;
use robomata_protocol::Crawler;
use robomata_reference::Reference;
use robomata_testkit::{Case, Generator};

const CASES: usize = 6_000;

#[test]
fn generated_files_get_the_verdicts_of_the_reference() {
    let mut generator = Generator::new(21);
    let mut checked = [0; 3];
    for _ in 0..CASES {
        let case = generator.question();
        let agent = Agent::from(case.crawler.to_string());
        let dialect: Dialect = case.dialect.as_str().parse().unwrap();
        let robots = robots(&case, dialect);
        let rules = robots.for_agent(&agent);
        let verdict = rules.check(&case.url);
        assert_eq!(robots.check(&agent, &case.url), verdict, "{case:?}");
        assert_eq!(robots.explain(&agent, &case.url).verdict(), verdict, "{case:?}");
        assert_eq!(robots.is_allowed(&agent, &case.url), verdict.is_allowed());
        if agent.validate(dialect).is_err() {
            assert_eq!(verdict.reason().as_str(), "invalid-agent");
            checked[0] += 1;
            continue;
        }
        if agent.as_str().contains(['/', '(']) {
            // The library reads a User-Agent; the reference takes its crawler as given.
            continue;
        }
        let Some(url) = path_or_url(&case.url) else {
            // Some dialects read any text as a path. The library does not.
            assert_eq!(verdict.reason(), Reason::InvalidUrl, "{case:?}");
            continue;
        };
        let crawler = Crawler::new(agent.as_str());
        let reference = Reference::new(&case.robots, case.status, &crawler, case.dialect);
        let expected = reference.judge(url);
        assert_eq!(words(verdict), (expected.as_str(), expected.line(), expected.reason()), "{case:?}");
        checked[1] += 1;
        checked[2] += usize::from(sets_agree(&case, &agent, dialect, verdict));
    }
    assert!(checked.iter().all(|&count| count > 100), "{checked:?}");
}

/// The path or URL that the library judges.
fn path_or_url(text: &[u8]) -> Option<&[u8]> {
    let url = protocol::requestable(text)?;
    let is_path = url.starts_with(b"/") && !url.starts_with(b"//");
    (is_path || robots_txt_url(url).is_ok()).then_some(url)
}

/// Compares policy sets with `verdict`. False if the URL has no site.
fn sets_agree(case: &Case, agent: &Agent, dialect: Dialect, verdict: Verdict) -> bool {
    let Ok(url) = std::str::from_utf8(&case.url) else { return false };
    if !url.contains("://") {
        return false;
    }
    let options = || PolicySet::builder().dialect(dialect);
    for mut builder in [options().agent(agent), options()] {
        let status = case.status.map_or(FetchStatus::Success, status);
        if let Err(error) = builder.insert_fetched(url, status, &case.robots) {
            assert!(
                error.to_string().contains("is not a site") || error.to_string().contains("requires agents")
            );
            continue;
        }
        let policies = builder.build();
        let Ok(mut checker) = policies.checker(agent) else {
            // Google's library merges the groups of all names, so a set for every crawler cannot answer.
            assert!(dialect == Dialect::Google && agent.as_str().contains(','), "{case:?}");
            continue;
        };
        assert_eq!(checker.check(url), verdict, "{case:?}");
        assert_eq!(checker.check(url), verdict, "{case:?}");
        let reopened = PolicySet::from_bytes(policies.to_bytes().unwrap()).unwrap();
        assert_eq!(reopened.fingerprint(), policies.fingerprint());
        assert_eq!(reopened.check_batch(agent, &[url; 3]).unwrap(), [verdict; 3], "{case:?}");
        let mut verdicts = Vec::new();
        checker.check_all(&[url, "https://other.example/", url], &mut verdicts);
        assert_eq!((verdicts[0], verdicts[1].as_str(), verdicts[2]), (verdict, "unknown", verdict));
    }
    true
}

fn robots(case: &Case, dialect: Dialect) -> Robots {
    let builder = Robots::builder().dialect(dialect);
    match case.status {
        Some(outcome) => builder.status(status(outcome)).parse(&case.robots),
        None => builder.parse(&case.robots),
    }
}

fn status(status: protocol::FetchStatus) -> FetchStatus {
    match status {
        protocol::FetchStatus::Code(code) => FetchStatus::Code(code),
        protocol::FetchStatus::Success => FetchStatus::Success,
        protocol::FetchStatus::NetworkFailure => FetchStatus::NetworkFailure,
        protocol::FetchStatus::TooManyRedirects => FetchStatus::TooManyRedirects,
    }
}

fn words(verdict: Verdict) -> (&'static str, u32, &'static str) {
    (verdict.as_str(), verdict.line().unwrap_or(0), verdict.reason().as_str())
}

/// A batch reads the site of a URL only when it differs from the one before.
#[test]
fn a_batch_has_the_verdicts_of_single_checks() {
    const BEFORE: [&str; 11] = [
        "https://example.com",
        "https://example.com.",
        "https://example.co",
        "https://EXAMPLE.com",
        "http://example.com",
        "http://example.com:80",
        "https://a--b.example",
        "https:/",
        "https://",
        "ftp://example.com",
        "",
    ];
    const AFTER: [&str; 12] =
        ["/", "/robots.txt", "/a", "/a?b", "/a#b", "/%61", "/\u{e9}", "//a", "?a", "a", "", "/private/b"];
    let urls: Vec<String> = BEFORE
        .iter()
        .chain(&BEFORE)
        .flat_map(|before| AFTER.iter().map(move |after| format!("{before}{after}")))
        .collect();
    let body = "User-agent: *\nDisallow: /a\nAllow: /*?\nDisallow: /%C3%A9\nACAP-crawler: *\nACAP-disallow-crawl: /private/";
    for &dialect in Dialect::ALL {
        for status in [200, 404, 503] {
            let robots = Robots::builder().dialect(dialect).status(status).parse(body);
            for agent in ["ExampleBot", ""] {
                let rules = robots.for_agent(agent);
                let alone: Vec<Verdict> = urls.iter().map(|url| rules.check(url)).collect();
                assert_eq!(rules.check_batch(&urls), alone, "{dialect} {status} {agent}");
                let reversed: Vec<Verdict> = urls.iter().rev().map(|url| rules.check(url)).collect();
                let backward: Vec<&String> = urls.iter().rev().collect();
                assert_eq!(rules.check_batch(&backward), reversed, "{dialect} {status} {agent}");
            }
        }
    }
}
