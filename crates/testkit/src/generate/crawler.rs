//! Crawlers that a group of the file is for, or just not.

use robomata_protocol::{Crawler, ProductToken};

use super::{Dice, values};

/// Names that need not be in any file.
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

/// A crawler near the names in `robots`, sometimes with others to fall back to.
pub(super) fn near(dice: &mut Dice, robots: &[u8]) -> Crawler {
    let names = values(robots, b"u");
    let count = if dice.chance(25) { 2 + dice.below(2) } else { 1 };
    Crawler::must((0..count).map(|_| ProductToken::new(&token(dice, &names))).collect())
}

fn token(dice: &mut Dice, names: &[Vec<u8>]) -> String {
    if names.is_empty() || dice.chance(10) {
        return dice.pick(STRANGERS).to_owned();
    }
    let mut name = names[dice.below(names.len())].clone();
    match dice.below(10) {
        0 => dice.flip_case(&mut name),
        1 => name.extend_from_slice(dice.pick(&[b"/2.1".as_slice(), b"x", b"-x", b" x", b".1", b"1", b"*"])),
        2 => drop(name.pop()),
        3 => drop(name.drain(..usize::from(!name.is_empty()))),
        4..7 => name.truncate(own_name(&name)),
        _ => {}
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// The length of the part that looks like a name to everybody.
fn own_name(name: &[u8]) -> usize {
    name.iter().position(|octet| !octet.is_ascii_alphabetic()).unwrap_or(name.len())
}
