//! Checks many URLs of several sites on all cores.

use std::error::Error;

use robomata::{Config, Crawler, Dialect, Policy, PolicyCompiler, Site, StoreBuilder, StoreKind};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let crawler = Crawler::new("ExampleBot");
    let kind = StoreKind::new(Dialect::Rfc9309, vec![crawler.clone()]);
    let mut compiler = PolicyCompiler::new(&kind);
    let mut builder = StoreBuilder::new(kind.clone());
    for (site, robots) in [
        ("https://example.com", "User-agent: *\nDisallow: /*?sort="),
        ("https://example.org", "User-agent: ExampleBot\nDisallow: /"),
    ] {
        let policy = Policy::new(robots.as_bytes(), &Config::new(Dialect::Rfc9309));
        builder.insert(&Site::of_url(site.as_bytes())?, &compiler.compile(&policy), None);
    }
    let store = builder.build();

    let urls: Vec<String> = (0..10_000)
        .map(|number| match number % 4 {
            0 => format!("https://example.com/list?sort={number}"),
            1 => format!("https://example.com/item/{number}"),
            2 => format!("https://example.org/item/{number}"),
            _ => format!("https://example.net/item/{number}"),
        })
        .collect();
    let answers = store.check_batch(&crawler, &urls)?;
    for verdict in ["allow", "disallow", "unknown"] {
        println!("{verdict}\t{}", answers.iter().filter(|answer| answer.as_str() == verdict).count());
    }
    let first: Vec<&str> = answers.iter().take(4).map(|answer| answer.as_str()).collect();
    assert_eq!(first, ["disallow", "allow", "disallow", "unknown"]);
    Ok(())
}
