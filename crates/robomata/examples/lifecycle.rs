//! Decides what a crawler follows while a server fails, and when it should fetch the robots.txt again.

use robomata::lifecycle::{Applies, Attempt, Situation};
use robomata::{Dialect, Error, Moment, Robots};

pub(crate) fn main() -> Result<(), Error> {
    let start = Moment::from_seconds(1_800_000_000);
    let hour = |hours: i64| Moment::from_seconds(start.seconds() + hours * 3600);

    // The robots.txt was fetched at the start. From hour 2 on, the server answers 503.
    let attempt = Attempt::new("https://example.com/robots.txt", 503, hour(2));
    let situation = Situation::new(attempt).good_copy(start, [("Cache-Control", "max-age=3600")]);
    let standing = situation.standing(hour(3), Dialect::Rfc9309)?;
    println!("{}: {standing}", standing.applies());
    println!("fetch again at {}", standing.refetch());
    assert_eq!(standing.applies(), Applies::LastGoodCopy);

    let copy = "User-agent: *\nDisallow: /private";
    let robots = Robots::builder().applies(standing.applies()).parse(copy);
    assert!(!robots.is_allowed("ExampleBot", "https://example.com/private"));
    Ok(())
}
