//! Stores that answer about a usage: their answers, and safety on any bytes.

use robomata_evaluator::{PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind, UsageQuery};
use robomata_policy::Policy;
use robomata_protocol::{Answer, Crawler, Dialect, Reason, Usage};
use robomata_syntax::Config;

fn usage_query(usage: Usage) -> UsageQuery {
    UsageQuery { usage, purpose: None }
}

fn foo_bot() -> Crawler {
    Crawler::new("FooBot")
}

fn store(robots: &str, usage_query: &UsageQuery) -> PolicyStore {
    let kind =
        StoreKind { usage_query: usage_query.clone(), ..StoreKind::new(Dialect::Acap, vec![foo_bot()]) };
    let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Acap));
    let policies = PolicyCompiler::new(&kind).compile(&policy);
    let mut builder = StoreBuilder::new(kind);
    builder.insert(&Site::of_url(b"https://a.example").unwrap(), &policies, None);
    builder.build()
}

fn check(store: &PolicyStore, path: &str) -> (&'static str, u32) {
    let url = format!("https://a.example{path}");
    let answer = store.checker(&foo_bot()).unwrap().check(url.as_bytes());
    (answer.as_str(), answer.line())
}

const ACAP: &str = "\
User-agent: *
Disallow: /a*b
Allow: /open
ACAP-resource-set: pictures *.gif *.png
ACAP-crawler: *
ACAP-allow-crawl: /Pictures/
ACAP-disallow-crawl: the-acap:resource-set:pictures
ACAP-disallow-index: /
ACAP-crawler: FooBot
ACAP-allow-index: /news/ time-limit=3-days
ACAP-disallow-other: /news/secret
";

#[test]
fn crawl_is_decided_by_acap_and_conventional_rules_together() {
    let store = store(ACAP, &UsageQuery::default());
    assert_eq!(check(&store, "/axb"), ("disallow", 2));
    assert_eq!(check(&store, "/open"), ("allow", 3));
    assert_eq!(check(&store, "/pictures/x"), ("allow", 6));
    assert_eq!(check(&store, "/x.GIF"), ("disallow", 7));
    assert_eq!(check(&store, "/news/secret"), ("disallow", 11));
    assert_eq!(check(&store, "/robots.txt"), ("allow", 0));
    assert_eq!(check(&store, "/else"), ("allow", 0));
}

#[test]
fn a_usage_is_decided_together_with_crawl() {
    let index = store(ACAP, &usage_query(Usage::Index));
    assert_eq!(check(&index, "/news/x"), ("allow", 10));
    assert_eq!(check(&index, "/else"), ("disallow", 8));
    assert_eq!(check(&index, "/news/x.gif"), ("disallow", 7));
    let follow = store(ACAP, &usage_query(Usage::Follow));
    assert_eq!(check(&follow, "/news/secret"), ("disallow", 11));
    assert_eq!(check(&follow, "/news/x"), ("allow", 0));
}

#[test]
fn scopes_that_cannot_be_compared_prohibit() {
    let store =
        store("ACAP-crawler: *\nACAP-allow-crawl: /*a\nACAP-disallow-crawl: /*b", &UsageQuery::default());
    let answer = store.checker(&foo_bot()).unwrap().check(b"https://a.example/ab");
    let Answer::Verdict(verdict) = answer else { panic!("{answer:?}") };
    assert_eq!((answer.as_str(), verdict.line, verdict.reason), ("disallow", 3, Reason::Undeterminable));
    assert_eq!(check(&store, "/a"), ("allow", 2));
}

#[test]
fn sites_that_say_nothing_of_usages_have_the_same_program_for_all() {
    let plain = "User-agent: *\nDisallow: /x";
    let crawl = store(plain, &UsageQuery::default());
    for usage in Usage::ALL {
        assert_eq!(store(plain, &usage_query(usage)).program_bytes(), crawl.program_bytes());
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let whole = store(ACAP, &usage_query(Usage::Index));
    let bytes = whole.bytes();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= flip;
            assert!(PolicyStore::from_bytes(damaged).is_err(), "byte {at}");
        }
    }
}

#[test]
fn fields_on_sets_take_room_for_their_own_bytes_only() {
    // A thousand fields on a set of a thousand patterns are a million pairs.
    let mut robots = String::from("ACAP-resource-set: s");
    (0..1000).for_each(|n| robots.push_str(&format!(" /p{n}*x")));
    robots.push_str("\nACAP-crawler: *\n");
    (0..1000).for_each(|_| robots.push_str("ACAP-allow-index: the-acap:resource-set:s\n"));
    let store = store(&robots, &usage_query(Usage::Index));
    assert!(store.program_bytes() < 8 * robots.len(), "{} for {}", store.program_bytes(), robots.len());
    assert_eq!(check(&store, "/p7/x"), ("allow", 3));
}
