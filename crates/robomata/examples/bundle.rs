//! Writes a bundle, opens it, and checks URLs for several crawlers.

use robomata::{Error, PolicySet};

pub(crate) fn main() -> Result<(), Error> {
    // Without agents, a set answers for every crawler.
    let mut builder = PolicySet::builder();
    builder.insert(
        "https://example.com",
        "User-agent: *\nDisallow: /private\n\nUser-agent: ExampleBot\nDisallow: /\n",
    )?;
    let path = std::env::temp_dir().join(format!("robomata-example-{}.bundle", std::process::id()));
    builder.build().save(&path)?;

    let policies = PolicySet::open(&path)?;
    for (agent, is_allowed) in [("ExampleBot", false), ("OtherBot", true)] {
        let mut checker = policies.checker(agent)?;
        let verdict = checker.check("https://example.com/");
        println!("{verdict}\t{agent}");
        assert_eq!(verdict.is_allowed(), is_allowed);
    }
    std::fs::remove_file(&path).ok();
    Ok(())
}
