//! Rules, one by one: the `n`th rule of a group is a function of the group's key and of `n`.

use robomata::Access;

use crate::dice::{Dice, Use, push_number};
use crate::profile::{Case, Style};
use crate::shape;
use crate::words::{EXTENSIONS, KEPT, LETTERS, PARAMETERS, TITLE};

/// A pattern with `*` is at least so long: `/*` alone would be the whole site.
const SHORTEST_WITH_STAR: usize = 6;

/// Appends the pattern of rule `number` of the group `key`.
pub(crate) fn push_rule(key: u64, number: u64, style: Style, out: &mut Vec<u8>) -> Access {
    let mut dice = Dice::of(key, Use::Rule, number);
    // An exception of the rule before: what priority between rules is for.
    if dice.chance(shape::ALLOWS) {
        if number > 0 && dice.chance(5_000) && !is_allow(key, number - 1) {
            push_exception(key, number - 1, style, &mut dice, out);
        } else {
            push_pattern(style, &mut dice, out);
        }
        return Access::Allow;
    }
    push_pattern(style, &mut dice, out);
    Access::Disallow
}

fn is_allow(key: u64, number: u64) -> bool {
    Dice::of(key, Use::Rule, number).chance(shape::ALLOWS)
}

fn push_exception(key: u64, number: u64, style: Style, dice: &mut Dice, out: &mut Vec<u8>) {
    push_rule(key, number, style, out);
    if matches!(out.last(), Some(b'$' | b'*')) {
        out.pop();
    }
    if out.last() != Some(&b'/') {
        out.push(b'/');
    }
    out.extend_from_slice(dice.pick(TITLE).as_bytes());
    push_extension(dice, out);
}

fn push_pattern(style: Style, dice: &mut Dice, out: &mut Vec<u8>) {
    let start = out.len();
    let octets = usize::try_from(dice.draw(&shape::PATTERN_OCTETS)).expect("a small table");
    let end = dice.chance(shape::WITH_END);
    if dice.chance(shape::WITH_STAR * style.stars) {
        push_with_stars(octets.max(SHORTEST_WITH_STAR), dice, out);
    } else {
        push_path(octets - usize::from(end), dice, out);
    }
    if end && out.last() != Some(&b'$') {
        out.push(b'$');
    }
    if style.case == Case::Capitals {
        capitalise(&mut out[start..]);
    }
    if dice.chance(shape::WITHOUT_SLASH) && out.len() > start + 1 {
        out.remove(start);
    }
}

/// A path of about so many octets, `/` first.
fn push_path(octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    let end = out.len() + octets;
    let mut list = KEPT;
    if dice.chance(shape::WITH_LETTERS) {
        out.push(b'/');
        out.extend_from_slice(dice.pick(LETTERS).as_bytes());
        list = TITLE;
    } else if dice.chance(shape::WITH_PERCENT) {
        out.push(b'/');
        out.extend_from_slice(dice.pick(crate::words::ENCODED).as_bytes());
        list = TITLE;
    }
    let last = dice.below(20);
    let mut separator = b'/';
    // Room for what comes last: a slash, or the end of a file's name.
    let room = match last {
        0..=8 if octets > 3 => 1,
        9..=12 if octets > 8 => 5,
        _ => 0,
    };
    while out.len() + room + 1 < end {
        out.push(separator);
        push_word_within(list, end - room - out.len(), dice, out);
        list = TITLE;
        separator = b"///////-----_"[dice.place(13)];
    }
    match room {
        0 => {}
        1 => out.push(b'/'),
        _ => push_extension(dice, out),
    }
}

/// A word that fits, or the number or letter that does when no word is found soon.
fn push_word_within(list: &[&str], octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    const TRIES: usize = 4;
    for _ in 0..TRIES {
        let word = dice.pick(list);
        if word.len() <= octets {
            out.extend_from_slice(word.as_bytes());
            return;
        }
    }
    match octets {
        // Not the first letter of any section that sites show: half a site would be behind it.
        1 => out.push(b"koquvxyz"[dice.place(8)]),
        2 => push_number(10 + dice.below(90), out),
        3 => push_number(100 + dice.below(900), out),
        _ => push_number(1_990 + dice.below(8_000), out),
    }
}

fn push_extension(dice: &mut Dice, out: &mut Vec<u8>) {
    out.push(b'.');
    out.extend_from_slice(dice.pick(EXTENSIONS).as_bytes());
}

fn push_with_stars(octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    if !dice.chance(shape::MORE_STARS) {
        return push_with_one_star(octets, dice, out);
    }
    if dice.chance(shape::MANY_STARS) {
        return push_with_many_stars(octets, dice, out);
    }
    match dice.below(4) {
        0 => {
            out.extend_from_slice(b"/*");
            push_path(octets - 3, dice, out);
            out.push(b'*');
        }
        1 => {
            out.extend_from_slice(b"/*?*");
            push_parameter(dice, out);
        }
        2 => {
            push_path(octets / 2, dice, out);
            out.extend_from_slice(b"/*");
            push_path(octets / 2, dice, out);
            out.push(b'*');
        }
        _ => {
            out.extend_from_slice(b"*");
            push_path(octets - 2, dice, out);
            out.push(b'*');
        }
    }
}

fn push_with_one_star(octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    match dice.below(20) {
        0..=9 => {
            push_path(octets - 1, dice, out);
            if out.last() != Some(&b'/') && dice.chance(4_000) {
                out.push(b'/');
            }
            out.push(b'*');
        }
        10..=12 => {
            out.extend_from_slice(b"/*?");
            push_parameter(dice, out);
        }
        13..=15 => {
            out.extend_from_slice(b"/*");
            push_path(octets - 2, dice, out);
        }
        16..=18 => {
            if octets > 12 {
                push_path(octets - 6, dice, out);
            }
            out.extend_from_slice(b"/*");
            push_extension(dice, out);
        }
        _ => {
            push_path(octets / 2, dice, out);
            out.push(b'*');
            push_path(octets / 2, dice, out);
        }
    }
}

/// Three stars or more, as lists of parameters have them.
fn push_with_many_stars(octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    let more = if dice.chance(20) { dice.below(86) } else { dice.below(3) };
    out.extend_from_slice(b"/*?");
    for _ in 0..1 + more {
        out.push(b'*');
        push_parameter(dice, out);
        out.push(b'&');
    }
    out.pop();
    out.push(b'*');
    if octets > 40 {
        push_path(octets - 30, dice, out);
    }
}

fn push_parameter(dice: &mut Dice, out: &mut Vec<u8>) {
    out.extend_from_slice(dice.pick(PARAMETERS).as_bytes());
    out.push(b'=');
}

/// The first letter of every word as a capital.
fn capitalise(pattern: &mut [u8]) {
    let mut before = b'/';
    for octet in pattern {
        if matches!(before, b'/' | b'-' | b'_') {
            octet.make_ascii_uppercase();
        }
        before = *octet;
    }
}

/// Appends a path and query that `pattern` matches.
pub(crate) fn push_match(pattern: &[u8], dice: &mut Dice, out: &mut Vec<u8>) {
    let (pattern, open) = match pattern.strip_suffix(b"$") {
        Some(pattern) => (pattern, false),
        None => (pattern, true),
    };
    let start = out.len();
    if !matches!(pattern.first(), Some(b'/' | b'*')) {
        out.push(b'/');
    }
    for &octet in pattern {
        match octet {
            b'*' => out.extend_from_slice(dice.pick(TITLE).as_bytes()),
            b'=' => {
                out.push(b'=');
                push_number(dice.below(100), out);
            }
            octet => out.push(octet),
        }
    }
    if out.get(start) != Some(&b'/') {
        out.insert(start, b'/');
    }
    if open && dice.chance(7_000) {
        out.extend_from_slice(dice.pick(TITLE).as_bytes());
        if dice.chance(3_000) {
            push_extension(dice, out);
        }
    }
}
