//! Single rules: the `n`th rule of a group is a function of the group's key and of `n`.

use robomata_engine::Access;

use crate::profile::{Case, Style};
use crate::rng::{Rng, Use, push_number};
use crate::shape;
use crate::words::{EXTENSIONS, KEPT, LETTERS, PARAMETERS, TITLE};

/// The minimum length of a pattern with `*`: `/*` alone would cover the whole site.
const SHORTEST_WITH_STAR: usize = 6;

/// Appends the pattern of rule `number` of the group `key`.
pub(crate) fn push_rule(key: u64, number: u64, style: Style, out: &mut Vec<u8>) -> Access {
    let mut rng = Rng::of(key, Use::Rule, number);
    // An exception to the rule before: the reason why rules have priorities.
    if rng.chance(shape::ALLOWS) {
        if number > 0 && rng.chance(5_000) && !is_allow(key, number - 1) {
            push_exception(key, number - 1, style, &mut rng, out);
        } else {
            push_pattern(style, &mut rng, out);
        }
        return Access::Allow;
    }
    push_pattern(style, &mut rng, out);
    Access::Disallow
}

fn is_allow(key: u64, number: u64) -> bool {
    Rng::of(key, Use::Rule, number).chance(shape::ALLOWS)
}

fn push_exception(key: u64, number: u64, style: Style, rng: &mut Rng, out: &mut Vec<u8>) {
    push_rule(key, number, style, out);
    if matches!(out.last(), Some(b'$' | b'*')) {
        out.pop();
    }
    if out.last() != Some(&b'/') {
        out.push(b'/');
    }
    out.extend_from_slice(rng.pick(TITLE).as_bytes());
    push_extension(rng, out);
}

fn push_pattern(style: Style, rng: &mut Rng, out: &mut Vec<u8>) {
    let start = out.len();
    let bytes = usize::try_from(rng.draw(&shape::PATTERN_BYTES)).expect("a small table");
    let end = rng.chance(shape::WITH_END);
    if rng.chance(shape::WITH_STAR * style.stars) {
        push_with_stars(bytes.max(SHORTEST_WITH_STAR), rng, out);
    } else {
        push_path(bytes - usize::from(end), rng, out);
    }
    if end && out.last() != Some(&b'$') {
        out.push(b'$');
    }
    if style.case == Case::Capitals {
        capitalise(&mut out[start..]);
    }
    if rng.chance(shape::WITHOUT_SLASH) && out.len() > start + 1 {
        out.remove(start);
    }
}

/// A path of about this many bytes, starting with `/`.
fn push_path(bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    let end = out.len() + bytes;
    let mut list = KEPT;
    if rng.chance(shape::WITH_LETTERS) {
        out.push(b'/');
        out.extend_from_slice(rng.pick(LETTERS).as_bytes());
        list = TITLE;
    } else if rng.chance(shape::WITH_PERCENT) {
        out.push(b'/');
        out.extend_from_slice(rng.pick(crate::words::ENCODED).as_bytes());
        list = TITLE;
    }
    let last = rng.below(20);
    let mut separator = b'/';
    // Room for the end: a slash, or a file extension.
    let room = match last {
        0..=8 if bytes > 3 => 1,
        9..=12 if bytes > 8 => 5,
        _ => 0,
    };
    while out.len() + room + 1 < end {
        out.push(separator);
        push_word_within(list, end - room - out.len(), rng, out);
        list = TITLE;
        separator = b"///////-----_"[rng.place(13)];
    }
    match room {
        0 => {}
        1 => out.push(b'/'),
        _ => push_extension(rng, out),
    }
}

/// A word that fits, or a number or letter if no word is found soon.
fn push_word_within(list: &[&str], bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    const TRIES: usize = 4;
    for _ in 0..TRIES {
        let word = rng.pick(list);
        if word.len() <= bytes {
            out.extend_from_slice(word.as_bytes());
            return;
        }
    }
    match bytes {
        // Not the first letter of any section that sites show: the rule would cover half a site.
        1 => out.push(b"koquvxyz"[rng.place(8)]),
        2 => push_number(10 + rng.below(90), out),
        3 => push_number(100 + rng.below(900), out),
        _ => push_number(1_990 + rng.below(8_000), out),
    }
}

fn push_extension(rng: &mut Rng, out: &mut Vec<u8>) {
    out.push(b'.');
    out.extend_from_slice(rng.pick(EXTENSIONS).as_bytes());
}

fn push_with_stars(bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    if !rng.chance(shape::MORE_STARS) {
        return push_with_one_star(bytes, rng, out);
    }
    if rng.chance(shape::MANY_STARS) {
        return push_with_many_stars(bytes, rng, out);
    }
    match rng.below(4) {
        0 => {
            out.extend_from_slice(b"/*");
            push_path(bytes - 3, rng, out);
            out.push(b'*');
        }
        1 => {
            out.extend_from_slice(b"/*?*");
            push_parameter(rng, out);
        }
        2 => {
            push_path(bytes / 2, rng, out);
            out.extend_from_slice(b"/*");
            push_path(bytes / 2, rng, out);
            out.push(b'*');
        }
        _ => {
            out.extend_from_slice(b"*");
            push_path(bytes - 2, rng, out);
            out.push(b'*');
        }
    }
}

fn push_with_one_star(bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    match rng.below(20) {
        0..=9 => {
            push_path(bytes - 1, rng, out);
            if out.last() != Some(&b'/') && rng.chance(4_000) {
                out.push(b'/');
            }
            out.push(b'*');
        }
        10..=12 => {
            out.extend_from_slice(b"/*?");
            push_parameter(rng, out);
        }
        13..=15 => {
            out.extend_from_slice(b"/*");
            push_path(bytes - 2, rng, out);
        }
        16..=18 => {
            if bytes > 12 {
                push_path(bytes - 6, rng, out);
            }
            out.extend_from_slice(b"/*");
            push_extension(rng, out);
        }
        _ => {
            push_path(bytes / 2, rng, out);
            out.push(b'*');
            push_path(bytes / 2, rng, out);
        }
    }
}

/// A pattern with three stars or more, as in lists of parameters.
fn push_with_many_stars(bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    let more = if rng.chance(20) { rng.below(86) } else { rng.below(3) };
    out.extend_from_slice(b"/*?");
    for _ in 0..1 + more {
        out.push(b'*');
        push_parameter(rng, out);
        out.push(b'&');
    }
    out.pop();
    out.push(b'*');
    if bytes > 40 {
        push_path(bytes - 30, rng, out);
    }
}

fn push_parameter(rng: &mut Rng, out: &mut Vec<u8>) {
    out.extend_from_slice(rng.pick(PARAMETERS).as_bytes());
    out.push(b'=');
}

/// Capitalises the first letter of every word.
fn capitalise(pattern: &mut [u8]) {
    let mut before = b'/';
    for byte in pattern {
        if matches!(before, b'/' | b'-' | b'_') {
            byte.make_ascii_uppercase();
        }
        before = *byte;
    }
}

/// Appends a path and query that `pattern` matches.
pub(crate) fn push_match(pattern: &[u8], rng: &mut Rng, out: &mut Vec<u8>) {
    let (pattern, open) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, false),
        None => (pattern, true),
    };
    let start = out.len();
    if !matches!(pattern.first(), Some(b'/' | b'*')) {
        out.push(b'/');
    }
    for &byte in pattern {
        match byte {
            b'*' => out.extend_from_slice(rng.pick(TITLE).as_bytes()),
            b'=' => {
                out.push(b'=');
                push_number(rng.below(100), out);
            }
            byte => out.push(byte),
        }
    }
    if out.get(start) != Some(&b'/') {
        out.insert(start, b'/');
    }
    if open && rng.chance(7_000) {
        out.extend_from_slice(rng.pick(TITLE).as_bytes());
        if rng.chance(3_000) {
            push_extension(rng, out);
        }
    }
}
