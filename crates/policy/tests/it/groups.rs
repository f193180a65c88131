//! Groups, choice and extensions.

use std::time::Duration;

use robomata_policy::{Choice, Noindex, Policy, Value};
use robomata_protocol::{Crawler, Dialect, FetchOutcome, FetchStatus};
use robomata_syntax::Config;

fn lines(file: &str, crawler: &str, dialect: Dialect) -> (Option<String>, Vec<u32>) {
    let policy = Policy::new(file.as_bytes(), &Config::new(dialect));
    let crawler = Crawler::new(crawler);
    let rules = policy.rules_for(&crawler);
    (rules.name(&crawler), rules.rules().map(|rule| rule.line).collect())
}

fn both(file: &str, crawler: &str, name: Option<&str>, expected: &[u32]) {
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let (choice, found) = lines(file, crawler, dialect);
        assert_eq!(
            (choice.as_deref(), found.as_slice()),
            (name, expected),
            "{crawler} in {dialect}:\n{file}"
        );
    }
}

#[test]
fn groups_merge_and_own_ones_come_first() {
    let file = "user-agent: a\ndisallow: /2\n\nuser-agent: *\ndisallow: /5\nuser-agent: A\nuser-agent: b\nallow: /8\n";
    both(file, "a", Some("a"), &[2, 8]);
    both(file, "B", Some("b"), &[8]);
    both(file, "c", Some("*"), &[5]);
    both("disallow: /1\nuser-agent: b\ndisallow: /3", "c", None, &[]);
}

#[test]
fn an_own_group_without_rules_allows_everything() {
    both("user-agent: *\ndisallow: /\n\nuser-agent: a\n", "a", Some("a"), &[]);
    both("user-agent: a\nuser-agent: b\ndisallow: /3", "a", Some("a"), &[3]);
}

#[test]
fn other_records_and_blank_lines_never_end_a_list_of_names() {
    let file = "user-agent: a\nsitemap: /s\ncrawl-delay: 1\nfoo: bar\n\nuser-agent: b\ndisallow: /7";
    both(file, "a", Some("a"), &[7]);
    both("user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /4", "a", Some("a"), &[2]);
}

#[test]
fn several_names_fall_back_or_merge() {
    let file = "user-agent: image\nallow: /2\nuser-agent: bot\ndisallow: /4\nuser-agent: *\ndisallow: /6";
    assert_eq!(lines(file, "image,bot", Dialect::Rfc9309), (Some("image".into()), vec![2]));
    assert_eq!(lines(file, "news,bot", Dialect::Rfc9309), (Some("bot".into()), vec![4]));
    assert_eq!(lines(file, "image,bot", Dialect::Google), (Some("image,bot".into()), vec![2, 4]));
    both(file, "news,video", Some("*"), &[6]);
}

#[test]
fn the_caller_is_cut_as_the_file_is_but_not_for_google() {
    let file = "user-agent: FooBot/2.1\ndisallow: /2";
    assert_eq!(lines(file, "foobot/3.0 (x)", Dialect::Rfc9309).1, [2]);
    assert!(lines(file, "foobot/3.0", Dialect::Google).1.is_empty());
    let empty = "user-agent: \"x\"\ndisallow: /2";
    assert!(lines(empty, "", Dialect::Rfc9309).1.is_empty());
    assert_eq!(lines(empty, "", Dialect::Google).1, [2]);
    both("user-agent: * x\ndisallow: /2", "*", Some("*"), &[2]);
}

#[test]
fn a_body_counts_only_after_a_success() {
    let fetched = |code| {
        Policy::fetched(
            b"user-agent: *\ndisallow: /",
            Some(FetchStatus::Code(code)),
            &Config::new(Dialect::Rfc9309),
        )
    };
    assert_eq!(fetched(200).rules_for(&Crawler::new("a")).rules().count(), 1);
    let failed = fetched(503);
    assert_eq!(failed.outcome(), FetchOutcome::Unreachable);
    assert_eq!(failed.rules_for(&Crawler::new("a")).rules().count(), 0);
}

#[test]
fn extensions_are_typed_and_belong_to_their_groups() {
    let file = b"crawl-delay: 9\nsitemap: https://a.example/1\nuser-agent: a\ncrawl-delay: x\ncrawl-delay: 2.5\n\
        request-rate: 1/5 0900-1000\nnoindex: /n*\nvisit-time: 0600-0845\nuser-agent: b\ndisallow: /\n\
        user-agent: *\ncrawl-delay: 7\nsitemap: https://a.example/2\nhost: www.a.example\nclean-param: s&t /p\nfoo: bar\n";
    for dialect in [Dialect::Rfc9309, Dialect::Google] {
        let policy = Policy::with_diagnostics(file, &Config::new(dialect));
        let [a, b, c] = ["a", "b", "c"].map(Crawler::new);
        assert_eq!(policy.crawl_delay(&a), Some(Duration::from_millis(2500)));
        assert_eq!(
            policy.crawl_delay(&b),
            None,
            "a schedule binds the names above it, not those of its group"
        );
        assert_eq!(policy.crawl_delay(&c), Some(Duration::from_secs(7)));
        assert_eq!(policy.request_rate(&a).unwrap().requests, 1);
        assert_eq!(policy.visit_time(&a).unwrap().from, 360);
        assert_eq!(policy.noindex(&a), [Noindex { pattern: b"/n*", line: 7 }]);
        assert_eq!(policy.sitemaps().collect::<Vec<_>>(), ["https://a.example/1", "https://a.example/2"]);
        assert_eq!(policy.hosts().collect::<Vec<_>>(), ["www.a.example"]);
        assert_eq!(policy.clean_params().next().unwrap().parameters, [b"s", b"t"]);
        let unknown: Vec<_> = policy.unknown_records().collect();
        assert_eq!(unknown.len(), 1);
        assert_eq!(unknown[0].read(policy.text()), Value::Text(b"bar"));
        let codes: Vec<_> =
            policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
        assert!(codes.contains(&(4, "malformed-value")), "{codes:?}");
    }
}

#[test]
fn rules_before_any_group_are_reported() {
    let policy = Policy::with_diagnostics(b"disallow: /\nuser-agent: a\n", &Config::new(Dialect::Rfc9309));
    let codes: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
    assert_eq!(codes, [(1, "rule-before-group")]);
    assert_eq!(policy.rules_for(&Crawler::new("b")).choice(), Choice::None);
}

fn record(file: &str, crawler: &str) -> (Option<String>, Vec<u32>) {
    lines(file, crawler, Dialect::Koster1996)
}

#[test]
fn a_blank_line_ends_a_record() {
    let file = "user-agent: a\ndisallow: /2\n# c\nfoo: bar\ndisallow: /5\n \t\ndisallow: /7\n\nuser-agent: *\nallow: /10";
    assert_eq!(record(file, "a"), (Some("a".into()), vec![2, 5]));
    assert_eq!(record(file, "b"), (Some("*".into()), vec![10]));
    let policy = Policy::with_diagnostics(file.as_bytes(), &Config::new(Dialect::Koster1996));
    let codes: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
    assert_eq!(codes, [(4, "unknown-key"), (7, "rule-outside-record")]);
    assert_eq!(policy.extensions()[0].group, Some(0));
}

#[test]
fn the_first_record_of_a_name_decides_alone() {
    let file = "user-agent: *\ndisallow: /2\n\nuser-agent: A/2\nuser-agent: b\ndisallow: /6\nuser-agent: a\ndisallow: /8\n\nuser-agent: *\ndisallow: /11";
    assert_eq!(record(file, "a/1.0"), (Some("A".into()), vec![6]));
    assert_eq!(record(file, "x,b"), (Some("b".into()), vec![6]));
    assert_eq!(record(file, "x"), (Some("*".into()), vec![2]));
    assert_eq!(record(file, "*"), (Some("*".into()), vec![2]));
    let policy = Policy::with_diagnostics(file.as_bytes(), &Config::new(Dialect::Koster1996));
    let codes: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
    assert_eq!(codes, [(4, "name-cut"), (7, "record-not-separated")]);
}

#[test]
fn names_without_rules_are_no_record() {
    let file = "disallow: /1\nuser-agent: a\n\ndisallow: /4\n\nuser-agent: a\ndisallow:\n\nuser-agent: b\ncrawl-delay: 1";
    assert_eq!(record(file, "a"), (Some("a".into()), vec![7]));
    assert_eq!(record(file, "b"), (None, vec![]));
    let policy = Policy::with_diagnostics(file.as_bytes(), &Config::new(Dialect::Koster1996));
    let codes: Vec<_> = policy.diagnostics().iter().map(|found| (found.line, found.kind.code())).collect();
    assert_eq!(
        codes,
        [
            (1, "rule-before-group"),
            (2, "record-without-rules"),
            (4, "rule-outside-record"),
            (7, "empty-path"),
            (9, "record-without-rules"),
            (10, "unknown-key"),
        ]
    );
}
