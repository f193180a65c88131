//! Crawlers that a group of the file names, or narrowly misses.

use robomata_protocol::{Crawler, ProductToken};

use super::{Rng, values};

/// Names that no file needs to contain.
const STRANGERS: &[&str] = &[
    "OtherBot",
    "Bar",
    "bot",
    "",
    "*",
    "FooBot",
    "foo",
    "MJ",
    "MJ12bot/1.4",
    "AI2Bot",
    "Foo Bot",
    "1",
    "ü",
    "*x",
    "Foo+Bot!/1",
];

/// A crawler near the names in `robots`, sometimes with fallback names.
pub(super) fn near(rng: &mut Rng, robots: &[u8]) -> Crawler {
    let names = values(robots, b"u");
    let count = if rng.chance(25) { 2 + rng.below(2) } else { 1 };
    Crawler::must((0..count).map(|_| ProductToken::new(&token(rng, &names))).collect())
}

fn token(rng: &mut Rng, names: &[Vec<u8>]) -> String {
    if names.is_empty() || rng.chance(10) {
        return rng.pick(STRANGERS).to_owned();
    }
    let mut name = names[rng.below(names.len())].clone();
    match rng.below(10) {
        0 => rng.flip_case(&mut name),
        1 => name.extend_from_slice(rng.pick(&[b"/2.1".as_slice(), b"x", b"-x", b" x", b".1", b"1", b"*"])),
        2 => drop(name.pop()),
        3 => drop(name.drain(..usize::from(!name.is_empty()))),
        4..7 => name.truncate(own_name(&name)),
        _ => {}
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// The length of the part that is a name in every dialect.
fn own_name(name: &[u8]) -> usize {
    name.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(name.len())
}
