//! What other projects expect besides verdicts: delays, rates, visit times, sitemaps, hosts, and what a status means.

use std::collections::BTreeSet;

use robomata_crosscheck::{engines, permissions};
use robomata_engine::{Crawler, Dialect, FetchStatus};
use robomata_testkit::case::{Case, Expect, Word};
use robomata_testkit::permission_case::{Expectations, Outcome, PermissionCase};
use robomata_testkit::shared::{Extra, load_extras, shared_folder};
use serde_json::Value;

/// The kinds that are not run, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    ("report", "counts and flags of a parser's own report; crates/syntax has its own diagnostics"),
    ("extract_user_agent", "a function of one library; G2 and G3 are in google.toml"),
    ("is_valid_product_token", "a function of one library; G3 is in google.toml"),
    ("escape_pattern", "a function of one library; N1 is in google.toml"),
    ("path_params_query", "a function of one library; U1 is in google.toml"),
    ("parsed_groups_contain", "the groups of a parser's own model; verdicts show what they mean"),
    ("parsed_groups_contain; value limit 8 bytes", "a limit of one parser"),
    ("parse", "errors of a parser that may fail; ours never does"),
    ("decode", "the encoding of a response; L3 and L4 are in rfc9309.toml"),
    ("allowed", "modes of one library that search for parts of the crawler's name; G4 compares whole names"),
    ("allowed under first-match parsers", "the order of koster1996, with an answer of no named parser"),
    (
        "allowed outside the visit-time window (answer depends on the clock)",
        "W7: outside of it the site may not be visited yet, which is no verdict",
    ),
];

/// The expectations that our answers differ from: the id, our answer, and the reason.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    (
        "cpython/PasswordProtectedSiteTestCase/x0",
        "allow",
        "F1: a status of 4xx is unavailable (RFC 9309, 2.3.1.3)",
    ),
    ("protego/test_request_rate/x3", "none", "V9: the units are s, m and h"),
    ("protego/test_generosity/x0", "none", "L8: without a colon, a value is one word"),
    ("texting_robots/test_forgiveness_sitemap_variations/x0", "", "V9: a sitemap is an absolute URL"),
    ("texting_robots/test_reppy_no_leading_user_agent/x0", "none", "V1: a schedule before any group is void"),
    (
        "texting_robots/test_robot_excessive_crawl_delay/x0",
        "none",
        "V9: more than a day is taken for a mistake",
    ),
    (
        "texting_robots/test_robot_retrieve_crawl_delay/x3",
        "none",
        "V1: the delay of the next record binds the names above it",
    ),
    (
        "texting_robots/test_robot_starts_with_crawl_delay/x0",
        "none",
        "V1: a schedule before any group is void",
    ),
    (
        "texting_robots/test_repcpp::test_repcpp_no_leading_user_agent/x0",
        "none",
        "V1: a schedule before any group is void",
    ),
    (
        "texting_robots/test_real_robot_against_ipwatchdog/x0",
        "none",
        "V1: a schedule before any group is void",
    ),
    (
        "vipnytt-robotstxtparser/StatusCodeTest.testStatusCode[0]/x0",
        "unknown",
        "F1: the target of a redirect is not here",
    ),
    (
        "vipnytt-robotstxtparser/StatusCodeTest.testStatusCode[1]/x0",
        "unknown",
        "F1: the target of a redirect is not here",
    ),
    (
        "vipnytt-robotstxtparser/StatusCodeTest.testStatusCode[2]/x0",
        "unknown",
        "F1: the target of a redirect is not here",
    ),
];

/// Our answer to a question of this kind, or `None` if questions of this kind are not run.
fn answer(extra: &Extra, outcome: &Outcome) -> Option<String> {
    let all = |key: &str| -> Vec<&str> {
        let asides = outcome.asides.iter().flatten();
        asides.filter_map(|aside| aside.strip_prefix(key)?.strip_prefix(' ')).collect()
    };
    let first = |key: &str| all(key).first().map_or("none", |value| value).to_owned();
    Some(match extra.kind.as_str() {
        "crawl_delay" => first("crawl-delay"),
        "request_rate" => first("request-rate"),
        "visit_time" => first("visit-time"),
        "host" | "preferred_host" => first("host"),
        "sitemaps" if extra.expect.is_u64() => all("sitemap").len().to_string(),
        "sitemaps" => all("sitemap").join(" "),
        _ => return None,
    })
}

/// The source's answer, in the words of ours.
fn expected(extra: &Extra) -> String {
    match &extra.expect {
        Value::Null => "none".to_owned(),
        Value::Number(number) => number.as_f64().expect("a number").to_string(),
        Value::Array(numbers) if extra.kind == "request_rate" => format!("{} in {}", numbers[0], numbers[1]),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::String(text) => of_text(text),
        other => panic!("{}: {other}", extra.id),
    }
}

/// `None`, a number, or Python's text for a rate or a window: `RequestRate(requests=1, seconds=10,
/// start_time=datetime.time(18, 20), end_time=None)`.
fn of_text(text: &str) -> String {
    if text.is_empty() || text == "None" {
        return "none".to_owned();
    }
    if let Ok(number) = text.parse::<f64>() {
        return number.to_string();
    }
    let numbers: Vec<u32> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    let window = |times: &[u32]| match times {
        [from, from_minute, to, to_minute] => format!("{}-{}", from * 60 + from_minute, to * 60 + to_minute),
        _ => panic!("{text}"),
    };
    match (text.split_once('(').map(|(name, _)| name), numbers.as_slice()) {
        (Some("RequestRate"), [requests, seconds]) => format!("{requests} in {seconds}"),
        (Some("RequestRate"), [requests, seconds, times @ ..]) => {
            format!("{requests} in {seconds} {}", window(times))
        }
        (Some("VisitTime"), times) => window(times),
        _ => text.to_owned(),
    }
}

fn agent(extra: &Extra) -> Crawler {
    Crawler::new(extra.input.get("agent").and_then(Value::as_str).unwrap_or("*"))
}

fn permission_case(extra: &Extra) -> PermissionCase {
    PermissionCase {
        id: extra.id.clone(),
        section: extra.kind.clone(),
        title: extra.id.clone(),
        dialect: Dialect::Rfc9309,
        origin: "http://example.com".to_owned(),
        status: None,
        robots: extra.robots.clone(),
        referenced: Vec::new(),
        tdmrep: None,
        crawler: agent(extra),
        url: b"/".to_vec(),
        page: None,
        circumstances: robomata_engine::protocol::Circumstances::default(),
        expect: Expectations::default(),
        note: String::new(),
    }
}

/// What the status of a fetch means for a URL of the site.
fn status_case(extra: &Extra) -> Case {
    let code = extra.input["status"].as_u64().and_then(|code| u16::try_from(code).ok());
    let url = extra.input.get("url").and_then(Value::as_str).unwrap_or("/");
    Case {
        id: extra.id.clone(),
        section: extra.kind.clone(),
        title: extra.id.clone(),
        dialect: Dialect::Rfc9309,
        robots: extra.robots.clone(),
        status: code.map(FetchStatus::Code),
        crawler: agent(extra),
        url: url.as_bytes().to_vec(),
        expect: Expect { word: Word::Allow, line: None },
        note: String::new(),
    }
}

/// The answers of the reference and of the engine; `None` if questions of this kind are not run.
fn answers(extra: &Extra) -> Option<Vec<String>> {
    if extra.kind == "status" {
        let case = status_case(extra);
        let engines = engines::CONFIGURATIONS.iter().filter_map(|(_, engine)| engine(&case));
        let all = std::iter::once(engines::reference(&case)).chain(engines);
        return Some(all.map(|answer| answer.as_str().to_owned()).collect());
    }
    let case = permission_case(extra);
    [permissions::reference(&case), permissions::engine(&case)]
        .iter()
        .map(|outcome| answer(extra, outcome))
        .collect()
}

#[test]
fn expectations_besides_verdicts() {
    let Some(folder) = shared_folder("conformance") else { return };
    let extras = load_extras(&folder.join("cases")).unwrap();
    assert_eq!(extras.len(), 229);
    let (mut run, mut not_run, mut failures) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for extra in &extras {
        let Some(answers) = answers(extra) else {
            not_run.insert(extra.kind.as_str());
            continue;
        };
        run.insert(extra.id.as_str());
        let difference = DIFFERENCES.iter().find(|(id, ..)| *id == extra.id);
        let source = expected(extra);
        let wanted = difference.map_or(source.as_str(), |(_, ours, _)| ours);
        let is_stale = difference.is_some() && wanted == source;
        if is_stale || answers.iter().any(|answer| answer != wanted) {
            failures.push(format!("{}: expected {wanted}, got {answers:?}", extra.id));
        }
    }
    println!("{} extras, {} run, {} differ as expected", extras.len(), run.len(), DIFFERENCES.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(not_run, NOT_RUN.iter().map(|(kind, _)| *kind).collect(), "the kinds that are not run");
    let stale: Vec<_> = DIFFERENCES.iter().filter(|(id, ..)| !run.contains(id)).collect();
    assert!(stale.is_empty(), "no such extras: {stale:?}");
}
