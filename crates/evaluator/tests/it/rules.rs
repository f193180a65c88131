//! The text of the deciding rule.

use std::sync::Arc;

use robomata_evaluator::{PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind, explain};
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
    let mut checker = store.checker_for(&crawlers()).unwrap();
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
        let answers = checker.check_each(url.as_bytes()).to_vec();
        checker.rules(0, &answers, &mut rules);
        assert_eq!(rules.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{url}");
    }

    // In a block, by the index of the URL.
    let urls = [
        "https://a.example/private/x.pdf",
        "https://c.example/x",
        "https://b.example/x",
        "HTTPS://A.example/private/x",
        "https://b.example/y",
    ];
    let block = urls.map(robomata_protocol::UrlRef::from);
    let mut answers = [robomata_protocol::Answer::Unknown; 10];
    for _ in 0..2 {
        checker.check_block(&block, &mut answers);
        for (index, expected) in [
            [Some("Disallow: /private"), Some("Disallow: /*.pdf$")],
            [None, None],
            [Some("Disallow: /"), Some("Disallow: /")],
            [Some("Disallow: /private"), None],
            [Some("Disallow: /"), Some("Disallow: /")],
        ]
        .into_iter()
        .enumerate()
        {
            checker.rules(index, &answers[2 * index..][..2], &mut rules);
            assert_eq!(rules.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{}", urls[index]);
        }
    }
}

#[test]
fn an_explanation_counts_each_rule_once() {
    // Google matches a rule for an index page also as one for its folder.
    let text = b"User-agent: *\nAllow: /a/index.html\nDisallow: /a\n";
    let policy = Policy::new(text, &Config::new(Dialect::Google));
    let explanation = explain(&policy, &Crawler::new("ExampleBot"), b"https://a.example/a/");
    assert_eq!(explanation.rule_count, 2);
    assert_eq!(explanation.winner().unwrap().line, 2);
}

/// With many crawlers, most files have one group for all of them.
#[test]
fn crawlers_with_equal_policies_share_their_memory() {
    let robots =
        format!("User-agent: b\nDisallow: /b\n\nUser-agent: *\n{}", "Disallow: /a*b*c*d*e\n".repeat(9));
    let bytes = |names: &[&str]| {
        let crawlers: Vec<Crawler> = names.iter().map(|name| Crawler::new(name)).collect();
        let kind = StoreKind::new(Dialect::Rfc9309, crawlers);
        PolicyCompiler::new(&kind)
            .compile(&Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309)))
            .bytes()
    };
    let [one, other] = [bytes(&["a"]), bytes(&["b"])];
    assert!(one > other && other > 0);
    assert_eq!(bytes(&["a", "b", "c", "d", "e"]), one + other);
}
