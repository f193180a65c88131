//! Writes a bundle, maps it into memory and queries it.

use std::error::Error;
use std::fs::{self, File};

use robomata::{
    Audience, Config, Crawler, Dialect, Policy, PolicyCompiler, PolicyStore, Site, StoreBuilder, StoreKind,
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    // A store for everyone holds every group, so any crawler can query it later.
    let kind = StoreKind::new(Dialect::Rfc9309, Audience::Everyone);
    let robots = b"User-agent: *\nDisallow: /private\n\nUser-agent: ExampleBot\nDisallow: /\n";
    let policy = Policy::new(robots, &Config::new(Dialect::Rfc9309));
    let policies = PolicyCompiler::new(&kind).compile(&policy);
    let mut builder = StoreBuilder::new(kind);
    builder.insert(&Site::of_url(b"https://example.com")?, &policies, None);

    let path = std::env::temp_dir().join(format!("robomata-example-{}.bundle", std::process::id()));
    builder.write(&mut File::create(&path)?)?;
    // Validates the whole bundle. The file must not change while it is mapped.
    let store = PolicyStore::open(&path)?;
    for (crawler, expected) in [("ExampleBot", "disallow"), ("OtherBot", "allow")] {
        let answer = store.checker(&Crawler::new(crawler))?.check(b"https://example.com/");
        println!("{}\t{crawler}", answer.as_str());
        assert_eq!(answer.as_str(), expected);
    }
    drop(store);
    fs::remove_file(&path)?;
    Ok(())
}
