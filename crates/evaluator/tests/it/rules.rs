//! The text of the deciding rule.

use std::sync::Arc;

use robomata_evaluator::{PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind};
use robomata_policy::Policy;
use robomata_protocol::{Crawler, Dialect};
use robomata_syntax::Config;

fn crawlers() -> [Crawler; 2] {
    ["FooBot", "BarBot"].map(Crawler::new)
}

fn store(robots: &[(&str, &str)]) -> PolicyStore {
    let kind = StoreKind::new(Dialect::Rfc9309, crawlers().to_vec());
    let mut builder = StoreBuilder::new(kind.clone());
    for (site, text) in robots {
        let policy = Policy::new(text.as_bytes(), &Config::new(Dialect::Rfc9309));
        let policies = PolicyCompiler::new(&kind).compile(&policy);
        builder.insert(&Site::of_url(site.as_bytes()).unwrap(), &policies, None);
    }
    builder.build()
}

#[test]
fn every_crawler_has_the_rule_that_decided_for_it() {
    let store = store(&[
        (
            "https://a.example",
            "User-agent: *\nDisallow: /private # x\nallow:/private/press\n\nUser-agent: BarBot\nDisallow: /*.pdf$",
        ),
        ("https://b.example", "User-agent: *\nDisallow: /\n"),
    ]);
    let mut checker = store.crowd_checker(&crawlers()).unwrap();
    let mut rules: Vec<Option<Arc<str>>> = Vec::new();
    for (url, expected) in [
        ("https://a.example/private/x.pdf", [Some("Disallow: /private"), Some("Disallow: /*.pdf$")]),
        ("https://a.example/private/press", [Some("Allow: /private/press"), None]),
        ("https://b.example/x", [Some("Disallow: /"), Some("Disallow: /")]),
        ("https://c.example/x", [None, None]),
        ("nonsense", [None, None]),
        ("https://a.example/robots.txt", [None, None]),
        ("https://a.example/private/x.pdf", [Some("Disallow: /private"), Some("Disallow: /*.pdf$")]),
    ] {
        let answers = checker.check(url.as_bytes()).to_vec();
        assert_eq!(checker.answers(), answers);
        checker.rules(&mut rules);
        assert_eq!(rules.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{url}");
    }
}
