//! What changes when a robots.txt changes.

use robomata::changes::{Changes, ChangesError};
use robomata::{Dialect, Robots};

fn changes(old: &str, new: &str, agent: &str) -> Changes {
    Changes::between(&Robots::parse(old), &Robots::parse(new), agent).unwrap()
}

#[test]
fn each_pair_of_rules_has_a_shortest_example() {
    let found = changes(
        "User-agent: *\nDisallow: /*.gif$\nDisallow: /a",
        "User-agent: *\nDisallow: /a\nAllow: /a/b",
        "ExampleBot",
    );
    let examples: Vec<_> = found
        .examples()
        .iter()
        .map(|example| (example.path.as_str(), example.old.line(), example.new.line()))
        .collect();
    assert_eq!(
        examples,
        [("/a/b", Some(3), Some(3)), ("/.gif", Some(2), None), ("/a/b.gif", Some(2), Some(3))]
    );
    assert!(found.is_complete() && !found.is_empty());
}

#[test]
fn only_the_groups_of_the_crawler_count() {
    let (old, new) = ("User-agent: a\nDisallow: /", "User-agent: a\nDisallow:");
    assert!(changes(old, new, "b").is_empty());
    assert!(!changes(old, new, "a").is_empty());
}

#[test]
fn a_failed_fetch_disallows_everything() {
    let failed = Robots::builder().status(503).parse("");
    let found = Changes::between(&Robots::parse(""), &failed, "a").unwrap();
    assert_eq!(found.examples()[0].path, "/");
    assert!(found.is_complete());
}

#[test]
fn nothing_is_proved_where_more_than_rules_decide() {
    let parse = |body: &str| Robots::builder().dialect(Dialect::Acap).parse(body);
    let old = parse("ACAP-crawler: *\nACAP-allow-crawl: /\n");
    let new = parse("ACAP-crawler: *\nACAP-allow-crawl: /a\n");
    let found = Changes::between(&old, &new, "a").unwrap();
    assert!(!found.is_complete() && !found.is_empty());
}

#[test]
fn two_dialects_cannot_be_compared() {
    let google = Robots::builder().dialect(Dialect::Google).parse("");
    let error = Changes::between(&Robots::parse(""), &google, "a").unwrap_err();
    assert_eq!(error, ChangesError::Dialects(Dialect::Rfc9309, Dialect::Google));
    assert!(matches!(Changes::between(&google, &google, ""), Err(ChangesError::Agent(_))));
}
