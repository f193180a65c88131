//! URLs that a rule of the file matches, or just fails to.

use std::fmt::Write as _;

use super::{ATOMS, Dice, RESERVED, values};

/// Texts that are barely URLs, or none.
const WEIRD: &[&[u8]] = &[
    b"",
    b"/",
    b"//",
    b"//x",
    b"//x/a",
    b"http://h",
    b"http://h/",
    b"http://h?q",
    b"http://h;x",
    b"http://h#f",
    b"http://h/#f?a",
    b"HTTP://H/a",
    b"http:///a",
    b"http:/a",
    b"http:a",
    b"://a/b",
    b"://",
    b"a",
    b"a/b",
    b"a://b://c/d",
    b"?a",
    b";a",
    b"#a",
    b"*",
    b"$",
    b"/robots.txt",
    b"http://h/robots.txt",
    b"/robots.txt?a",
    b"/robots.txt#a",
    b"/Robots.txt",
    b"/%72obots.txt",
    b"/robots.txt/",
    b"mailto:a@b",
    b"http://u:p@h:80/a",
    b"http://[::1]/a",
    b" /a",
    b"/a ",
    b"/a\n",
    b"/\0",
    b"http://h/a?u=http://x/b",
    b"/a?u=http://x/b",
    b"1http://h/a",
    b"ht tp://h/a",
    b"\xFF",
    b"http://h\\a",
    b"http://\xC3\xA9/a",
    b"//a?b://c/d",
    b"a;b://c/d",
    b"/index.html",
    b"/a/index.htm",
    b"/a/",
];

/// A URL near the patterns of `robots`.
pub(super) fn near(dice: &mut Dice, robots: &[u8]) -> Vec<u8> {
    let patterns = values(robots, b"ad");
    let mut path = match dice.below(100) {
        0..7 => return dice.pick(WEIRD).to_vec(),
        7..87 if !patterns.is_empty() => {
            let pattern = &patterns[dice.below(patterns.len())];
            instance(dice, pattern)
        }
        _ => short(dice),
    };
    for _ in 0..dice.small(4) {
        change(dice, &mut path);
    }
    placed(dice, &path)
}

/// The pattern with each star written out and its end mark left away.
fn instance(dice: &mut Dice, pattern: &[u8]) -> Vec<u8> {
    let pattern = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let mut path = Vec::new();
    if !pattern.starts_with(b"/") && dice.chance(85) {
        path.push(b'/');
    }
    for octet in pattern {
        match octet {
            b'*' if dice.chance(90) => {
                for _ in 0..dice.small(3) {
                    let atoms = if dice.chance(20) { RESERVED } else { ATOMS };
                    path.extend_from_slice(dice.pick(atoms));
                }
            }
            octet => path.push(*octet),
        }
    }
    path
}

fn short(dice: &mut Dice) -> Vec<u8> {
    let mut path = b"/".to_vec();
    for _ in 0..dice.small(5) {
        path.extend_from_slice(dice.pick(ATOMS));
    }
    path
}

fn change(dice: &mut Dice, path: &mut Vec<u8>) {
    match dice.below(12) {
        0 => {
            if let Some(at) = position(dice, path) {
                path[at] = dice.pick(b"ab/.?%*$xA");
            }
        }
        1 => path.truncate(dice.below(path.len() + 1)),
        2 => drop(path.pop()),
        3 => path.extend_from_slice(dice.pick(ATOMS)),
        4 => drop(path.drain(dice.range(path.len(), 3))),
        5..8 => encode(dice, path),
        8 => decode(dice, path),
        9 => path.extend_from_slice(dice.pick(&[
            b"#f".as_slice(),
            b"?q",
            b"?",
            b";p",
            b"#",
            b"?a=/a#/b",
            b"/",
        ])),
        10 => file_to_folder(path),
        _ => {
            if let Some(at) = position(dice, path) {
                path[at] ^= if path[at].is_ascii_alphabetic() { 0x20 } else { 0 };
            }
        }
    }
}

fn position(dice: &mut Dice, path: &[u8]) -> Option<usize> {
    (!path.is_empty()).then(|| dice.below(path.len()))
}

/// Writes one octet as its %xx, in either case; `%` itself seldom, for it mostly belongs to another.
pub(super) fn encode(dice: &mut Dice, path: &mut Vec<u8>) {
    let Some(at) = position(dice, path) else { return };
    let octet = path[at];
    if octet == b'%' && dice.chance(80) {
        return;
    }
    let mut encoded = String::new();
    // Writing to a String cannot fail.
    let _ = if dice.chance(50) { write!(encoded, "%{octet:02X}") } else { write!(encoded, "%{octet:02x}") };
    path.splice(at..=at, encoded.bytes());
}

/// Writes one %xx as its octet.
pub(super) fn decode(dice: &mut Dice, path: &mut Vec<u8>) {
    let digits = |at: usize| std::str::from_utf8(path.get(at + 1..at + 3)?).ok();
    let octet = |at: usize| u8::from_str_radix(digits(at)?, 16).ok();
    let encoded: Vec<_> =
        (0..path.len()).filter(|at| path[*at] == b'%').filter_map(|at| Some((at, octet(at)?))).collect();
    if !encoded.is_empty() {
        let (at, octet) = dice.pick(&encoded);
        path.splice(at..at + 3, [octet]);
    }
}

/// `/a/index.htm…` and `/a/` are one to a reader who knows index files.
fn file_to_folder(path: &mut Vec<u8>) {
    if let Some(last) = path.iter().rposition(|octet| *octet == b'/') {
        path.truncate(last + 1);
    }
}

/// The path by itself or on some host.
fn placed(dice: &mut Dice, path: &[u8]) -> Vec<u8> {
    let site = match dice.below(10) {
        0..6 => b"".as_slice(),
        6..9 => b"http://h",
        _ => dice.pick(&[b"https://H.example:8080".as_slice(), b"ftp://u@h", b"http://h.", b"x-y+z.1://h"]),
    };
    [site, path].concat()
}
