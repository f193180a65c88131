//! Lists what a site says about the usages of a page: crawling, search, AI training and others.

use robomata::permissions::{Permission, Usage};
use robomata::{Error, Robots};

pub(crate) fn main() -> Result<(), Error> {
    let robots = Robots::parse("User-agent: *\nDisallow: /drafts\nContent-Signal: search=yes, ai-train=no\n");
    let permissions = robots.permissions("ExampleBot")?;

    let url = "https://example.com/news/1";
    for answer in permissions.check_all(url).expect("this text is a URL") {
        if answer.permission() != Permission::Unspecified {
            println!("{}\t{}", answer.usage(), answer.permission());
        }
    }
    assert!(permissions.is_permitted(Usage::Search, url));
    assert!(!permissions.is_permitted(Usage::AiTrain, url));
    Ok(())
}
