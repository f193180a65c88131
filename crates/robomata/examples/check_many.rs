//! Checks many URLs of several sites on all cores.

use robomata::{Error, PolicySet};

pub(crate) fn main() -> Result<(), Error> {
    let mut builder = PolicySet::builder().agent("ExampleBot");
    builder.insert("https://example.com", "User-agent: *\nDisallow: /*?sort=")?;
    builder.insert("https://example.org", "User-agent: ExampleBot\nDisallow: /")?;
    let policies = builder.build();

    let sites = [
        "https://example.com/list?sort=",
        "https://example.com/",
        "https://example.org/",
        "https://example.net/",
    ];
    let urls: Vec<String> = (0..10_000).map(|number| format!("{}{number}", sites[number % 4])).collect();
    let verdicts = policies.check_batch("ExampleBot", &urls)?;
    for word in ["allow", "disallow", "unknown"] {
        println!("{word}\t{}", verdicts.iter().filter(|verdict| verdict.as_str() == word).count());
    }
    let allowed = verdicts.iter().filter(|verdict| verdict.is_allowed()).count();
    assert_eq!(allowed, 2_500);
    Ok(())
}
