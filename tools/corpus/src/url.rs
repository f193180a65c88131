//! URLs of a site.

use crate::dice::{Dice, Use, derive, push_number};
use crate::pattern::{push_match, push_rule};
use crate::profile::{Everyone, Profile};
use crate::shape;
use crate::words::{ENCODED, EXTENSIONS, PARAMETERS, SHOWN, TITLE};

/// Appends the `n`th URL of the site with this host and profile.
pub(crate) fn push_url(site_key: u64, n: u64, host: &[u8], profile: &Profile, out: &mut Vec<u8>) {
    let mut dice = Dice::of(site_key, Use::Url, n);
    push_site(host, &mut dice, out);
    if !push_near_rule(profile, &mut dice, out) {
        push_page(site_key, &mut dice, out);
    }
    if dice.chance(shape::FRAGMENT) {
        out.push(b'#');
        out.extend_from_slice(dice.pick(TITLE).as_bytes());
    }
}

/// Scheme, host and, for one in many, what else may stand there.
fn push_site(host: &[u8], dice: &mut Dice, out: &mut Vec<u8>) {
    let https = dice.chance(shape::HTTPS);
    out.extend_from_slice(if https { b"https://" } else { b"http://" });
    let start = out.len();
    out.extend_from_slice(host);
    if dice.chance(shape::ODD_AUTHORITY) {
        match dice.below(3) {
            0 => out[start..].make_ascii_uppercase(),
            1 => out.push(b'.'),
            _ => out.extend_from_slice(if https { b":443" } else { b":80" }),
        }
    }
}

/// A page that one of the site's rules matches, or would but for a letter; false when there is to be none.
fn push_near_rule(profile: &Profile, dice: &mut Dice, out: &mut Vec<u8>) -> bool {
    let chosen = dice.below(10_000);
    let Everyone::Rules(rules) = profile.everyone else { return false };
    if chosen >= shape::NEAR + shape::NEARLY {
        return false;
    }
    let start = out.len();
    let mut pattern = Vec::new();
    push_rule(profile.rules_key, dice.below(rules), profile.style, &mut pattern);
    push_match(&pattern, dice, out);
    if chosen >= shape::NEAR {
        miss(start, dice, out);
    }
    true
}

/// Takes the URL out of reach of the pattern that it was made from.
fn miss(start: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    let at = start + 1 + dice.place((out.len() - start - 1).min(6));
    match dice.below(3) {
        0 => out.insert(at, b'x'),
        1 => {
            let section = dice.pick(SHOWN);
            out.splice(start..start, [b"/", section.as_bytes()].concat());
        }
        _ => match out.get_mut(at) {
            Some(octet) if octet.is_ascii_alphabetic() => *octet ^= 0x20,
            _ => out.insert(at, b'-'),
        },
    }
}

/// A page as sites have them.
fn push_page(site_key: u64, dice: &mut Dice, out: &mut Vec<u8>) {
    if dice.chance(shape::ROOT) {
        return out.extend_from_slice(if dice.chance(5_000) { b"/" } else { b"" });
    }
    let start = out.len();
    let octets = usize::try_from(dice.draw(&shape::PATH_OCTETS)).expect("a small table");
    let segments = usize::try_from(dice.draw(&shape::PATH_SEGMENTS)).expect("a small table");
    out.push(b'/');
    out.extend_from_slice(section(site_key, dice).as_bytes());
    let rest = octets.saturating_sub(out.len() - start);
    for left in (1..segments).rev() {
        let remaining = rest.saturating_sub(out.len() - start);
        push_segment(remaining / left, dice, out);
    }
    if dice.chance(shape::PERCENT) {
        out.push(b'/');
        out.extend_from_slice(dice.pick(ENCODED).as_bytes());
    }
    push_tail(dice, out);
    if dice.chance(shape::UPPER) {
        let at = start + 1 + dice.place(out.len() - start - 1);
        out[start + 1..=at].make_ascii_uppercase();
    }
    if dice.chance(shape::QUERY) {
        push_query(dice, out);
    }
}

/// One of the few sections that a site has.
fn section(site_key: u64, dice: &mut Dice) -> &'static str {
    const SECTIONS: u64 = 9;
    let number = dice.below(SECTIONS);
    SHOWN[Dice::of(site_key, Use::Sections, number).place(SHOWN.len())]
}

fn push_segment(octets: usize, dice: &mut Dice, out: &mut Vec<u8>) {
    let end = out.len() + octets;
    let mut separator = b'/';
    if dice.chance(1_500) {
        out.push(b'/');
        push_number(2_000 + dice.below(26), out);
        separator = b'/';
    }
    loop {
        out.push(separator);
        out.extend_from_slice(dice.pick(TITLE).as_bytes());
        separator = b'-';
        if out.len() + 3 >= end {
            break;
        }
    }
    if dice.chance(800) {
        out.push(b'-');
        push_number(dice.below(1_000_000), out);
    }
}

fn push_tail(dice: &mut Dice, out: &mut Vec<u8>) {
    match dice.below(10) {
        0..=3 => out.push(b'/'),
        4 | 5 => {
            out.push(b'.');
            out.extend_from_slice(EXTENSIONS[dice.place(6)].as_bytes());
        }
        _ => {}
    }
}

fn push_query(dice: &mut Dice, out: &mut Vec<u8>) {
    let mut mark = b'?';
    for _ in 0..1 + dice.below(3) {
        out.push(mark);
        out.extend_from_slice(dice.pick(PARAMETERS).as_bytes());
        out.push(b'=');
        if dice.chance(5_000) {
            push_number(dice.below(5_000), out);
        } else {
            out.extend_from_slice(dice.pick(TITLE).as_bytes());
        }
        mark = b'&';
    }
}

/// What the URLs of a site are derived from.
pub(crate) fn site_key(seed: u64, site: u64) -> u64 {
    derive(seed, Use::Url, site)
}
