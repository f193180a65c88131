//! URLs that a rule of the file matches, or narrowly misses.

use std::fmt::Write as _;

use robomata_protocol::limits::GOOGLE_LINE_LIMIT;

use super::{ATOMS, IN_NO_URI, RESERVED, Rng, values};

/// Texts that are barely URLs, or no URLs at all.
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

/// Most keys of rules, with their separators, are not longer.
const LONGEST_KEY: usize = 16;

/// A URL near the patterns of `robots`.
pub(super) fn near(rng: &mut Rng, robots: &[u8]) -> Vec<u8> {
    let patterns = values(robots, b"ad");
    let mut path = match rng.below(100) {
        0..7 => return rng.pick(WEIRD).to_vec(),
        7..87 if !patterns.is_empty() => {
            let pattern = &patterns[rng.below(patterns.len())];
            let mut path = instance(rng, pattern);
            if path.len() > GOOGLE_LINE_LIMIT - LONGEST_KEY && rng.chance(50) {
                path.truncate(GOOGLE_LINE_LIMIT - rng.below(LONGEST_KEY));
            }
            path
        }
        _ => short(rng),
    };
    for _ in 0..rng.small(4) {
        change(rng, &mut path);
    }
    placed(rng, &path)
}

/// The pattern with most stars replaced by text, with its cut escapes completed and without its end mark.
fn instance(rng: &mut Rng, pattern: &[u8]) -> Vec<u8> {
    let mut path = Vec::new();
    if !pattern.starts_with(b"/") && rng.chance(85) {
        path.push(b'/');
    }
    expand(rng, pattern, &mut path, |rng, path| {
        if !rng.chance(90) {
            return path.push(b'*');
        }
        for _ in 0..rng.small(3) {
            let atoms = match rng.below(10) {
                0 | 1 => RESERVED,
                2 => IN_NO_URI,
                _ => ATOMS,
            };
            path.extend_from_slice(rng.pick(atoms));
        }
    });
    path
}

/// Appends `pattern` to `path`, with its cut escapes completed, what `star` writes for each star, and without its end mark.
pub(super) fn expand(
    rng: &mut Rng,
    pattern: &[u8],
    path: &mut Vec<u8>,
    mut star: impl FnMut(&mut Rng, &mut Vec<u8>),
) {
    let mut rest = pattern.strip_suffix(b"$").unwrap_or(pattern);
    while let Some(&first) = rest.first() {
        let completed = complete(rng, rest, path);
        match first {
            _ if completed > 0 => {}
            b'*' => star(rng, path),
            byte => path.push(byte),
        }
        rest = &rest[completed.max(1)..];
    }
}

/// If an escape begins the pattern that is cut by its end or a star, mostly writes a byte that no URI has and whose escape
/// begins so, as itself or encoded. Returns the length of the cut escape that it completes.
fn complete(rng: &mut Rng, pattern: &[u8], path: &mut Vec<u8>) -> usize {
    let cut = &pattern[..pattern.iter().position(|&byte| byte == b'*').unwrap_or(pattern.len())];
    let digit = match cut {
        b"%" => None,
        [b'%', digit] if digit.is_ascii_hexdigit() => Some(digit.to_ascii_uppercase()),
        _ => return 0,
    };
    let bytes: Vec<u8> = IN_NO_URI.iter().filter(|atom| atom.len() == 1).map(|atom| atom[0]).collect();
    let begins_so = |byte: &u8| digit.is_none_or(|digit| format!("{byte:02X}").as_bytes()[0] == digit);
    let fitting: Vec<u8> = bytes.into_iter().filter(begins_so).collect();
    if fitting.is_empty() || rng.chance(20) {
        return 0;
    }
    path.push(rng.pick(&fitting));
    if rng.chance(50) {
        encode_at(rng, path, path.len() - 1);
    }
    cut.len()
}

fn short(rng: &mut Rng) -> Vec<u8> {
    let mut path = b"/".to_vec();
    for _ in 0..rng.small(5) {
        path.extend_from_slice(rng.pick(ATOMS));
    }
    path
}

fn change(rng: &mut Rng, path: &mut Vec<u8>) {
    match rng.below(14) {
        0 => {
            if let Some(at) = position(rng, path) {
                path[at] = rng.pick(b"ab/.?%*$xA");
            }
        }
        11 | 12 => respell(rng, path),
        1 => path.truncate(rng.below(path.len() + 1)),
        2 => drop(path.pop()),
        3 => path.extend_from_slice(rng.pick(ATOMS)),
        4 => drop(path.drain(rng.range(path.len(), 3))),
        5..8 => encode(rng, path),
        8 => decode(rng, path),
        9 => {
            path.extend_from_slice(rng.pick(&[
                b"#f".as_slice(),
                b"?q",
                b"?",
                b";p",
                b"#",
                b"?a=/a#/b",
                b"/",
            ]));
        }
        10 => file_to_folder(path),
        _ => {
            if let Some(at) = position(rng, path) {
                path[at] ^= if path[at].is_ascii_alphabetic() { 0x20 } else { 0 };
            }
        }
    }
}

fn position(rng: &mut Rng, path: &[u8]) -> Option<usize> {
    (!path.is_empty()).then(|| rng.below(path.len()))
}

/// Writes one byte as its %xx, in either case. Rarely encodes `%` itself, because it mostly belongs to another escape.
pub(super) fn encode(rng: &mut Rng, path: &mut Vec<u8>) {
    let Some(at) = position(rng, path) else { return };
    if path[at] == b'%' && rng.chance(80) {
        return;
    }
    encode_at(rng, path, at);
}

fn encode_at(rng: &mut Rng, path: &mut Vec<u8>, at: usize) {
    let byte = path[at];
    let mut encoded = String::new();
    // Writing to a String cannot fail.
    let _ = if rng.chance(50) { write!(encoded, "%{byte:02X}") } else { write!(encoded, "%{byte:02x}") };
    path.splice(at..=at, encoded.bytes());
}

/// Writes one %xx as its byte.
pub(super) fn decode(rng: &mut Rng, path: &mut Vec<u8>) {
    let encoded: Vec<_> = (0..path.len()).filter_map(|at| Some((at, escaped(path, at)?))).collect();
    if !encoded.is_empty() {
        let (at, byte) = rng.pick(&encoded);
        path.splice(at..at + 3, [byte]);
    }
}

/// The byte whose %xx begins at `at`.
fn escaped(path: &[u8], at: usize) -> Option<u8> {
    let digits = path[at..].strip_prefix(b"%")?.get(..2)?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Writes one byte that no URI has as its %xx, or one %xx of such a byte as the byte.
pub(super) fn respell(rng: &mut Rng, path: &mut Vec<u8>) {
    let is_in_no_uri = |byte: u8| IN_NO_URI.contains(&&[byte][..]);
    let at = |at: &usize| match path[*at] {
        b'%' => escaped(path, *at).is_some_and(is_in_no_uri),
        byte => is_in_no_uri(byte),
    };
    let places: Vec<_> = (0..path.len()).filter(at).collect();
    if places.is_empty() {
        return;
    }
    let at = rng.pick(&places);
    match escaped(path, at) {
        Some(byte) => drop(path.splice(at..at + 3, [byte])),
        None => encode_at(rng, path, at),
    }
}

/// `/a/index.htm…` and `/a/` are equal in a dialect with index files.
fn file_to_folder(path: &mut Vec<u8>) {
    if let Some(last) = path.iter().rposition(|byte| *byte == b'/') {
        path.truncate(last + 1);
    }
}

/// The path alone or on some host.
fn placed(rng: &mut Rng, path: &[u8]) -> Vec<u8> {
    let site = match rng.below(10) {
        0..6 => b"".as_slice(),
        6..9 => b"http://h",
        _ => rng.pick(&[b"https://H.example:8080".as_slice(), b"ftp://u@h", b"http://h.", b"x-y+z.1://h"]),
    };
    [site, path].concat()
}
