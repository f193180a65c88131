//! URLs of a site.

use crate::pattern::{push_match, push_rule};
use crate::profile::{Everyone, Profile};
use crate::rng::{Rng, Use, derive, push_number};
use crate::shape;
use crate::words::{ENCODED, EXTENSIONS, PARAMETERS, SHOWN, TITLE};

/// Appends the `n`th URL of the site with this host and profile.
pub(crate) fn push_url(site_key: u64, n: u64, host: &[u8], profile: &Profile, out: &mut Vec<u8>) {
    let mut rng = Rng::of(site_key, Use::Url, n);
    push_site(host, &mut rng, out);
    if !push_near_rule(profile, &mut rng, out) {
        push_page(site_key, &mut rng, out);
    }
    if rng.chance(shape::FRAGMENT) {
        out.push(b'#');
        out.extend_from_slice(rng.pick(TITLE).as_bytes());
    }
}

/// Scheme and host and, in a few URLs, a port and the like.
fn push_site(host: &[u8], rng: &mut Rng, out: &mut Vec<u8>) {
    let https = rng.chance(shape::HTTPS);
    out.extend_from_slice(if https { b"https://" } else { b"http://" });
    let start = out.len();
    out.extend_from_slice(host);
    if rng.chance(shape::ODD_AUTHORITY) {
        match rng.below(3) {
            0 => out[start..].make_ascii_uppercase(),
            1 => out.push(b'.'),
            _ => out.extend_from_slice(if https { b":443" } else { b":80" }),
        }
    }
}

/// A page that one of the site's rules matches, or misses by a letter. Returns false to make an ordinary page instead.
fn push_near_rule(profile: &Profile, rng: &mut Rng, out: &mut Vec<u8>) -> bool {
    let chosen = rng.below(10_000);
    let Everyone::Rules(rules) = profile.everyone else { return false };
    if chosen >= shape::NEAR + shape::NEARLY {
        return false;
    }
    let start = out.len();
    let mut pattern = Vec::new();
    push_rule(profile.rules_key, rng.below(rules), profile.style, &mut pattern);
    push_match(&pattern, rng, out);
    if chosen >= shape::NEAR {
        miss(start, rng, out);
    }
    true
}

/// Changes the URL so that the pattern that it was made from no longer matches.
fn miss(start: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    let at = start + 1 + rng.place((out.len() - start - 1).min(6));
    match rng.below(3) {
        0 => out.insert(at, b'x'),
        1 => {
            let section = rng.pick(SHOWN);
            out.splice(start..start, [b"/", section.as_bytes()].concat());
        }
        _ => match out.get_mut(at) {
            Some(byte) if byte.is_ascii_alphabetic() => *byte ^= 0x20,
            _ => out.insert(at, b'-'),
        },
    }
}

/// A typical page.
fn push_page(site_key: u64, rng: &mut Rng, out: &mut Vec<u8>) {
    if rng.chance(shape::ROOT) {
        return out.extend_from_slice(if rng.chance(5_000) { b"/" } else { b"" });
    }
    let start = out.len();
    let bytes = usize::try_from(rng.draw(&shape::PATH_BYTES)).expect("a small table");
    let segments = usize::try_from(rng.draw(&shape::PATH_SEGMENTS)).expect("a small table");
    out.push(b'/');
    out.extend_from_slice(section(site_key, rng).as_bytes());
    let rest = bytes.saturating_sub(out.len() - start);
    for left in (1..segments).rev() {
        let remaining = rest.saturating_sub(out.len() - start);
        push_segment(remaining / left, rng, out);
    }
    if rng.chance(shape::PERCENT) {
        out.push(b'/');
        out.extend_from_slice(rng.pick(ENCODED).as_bytes());
    }
    push_tail(rng, out);
    if rng.chance(shape::UPPER) {
        let at = start + 1 + rng.place(out.len() - start - 1);
        out[start + 1..=at].make_ascii_uppercase();
    }
    if rng.chance(shape::QUERY) {
        push_query(rng, out);
    }
}

/// One of the few sections that a site has.
fn section(site_key: u64, rng: &mut Rng) -> &'static str {
    const SECTIONS: u64 = 9;
    let number = rng.below(SECTIONS);
    SHOWN[Rng::of(site_key, Use::Sections, number).place(SHOWN.len())]
}

fn push_segment(bytes: usize, rng: &mut Rng, out: &mut Vec<u8>) {
    let end = out.len() + bytes;
    let mut separator = b'/';
    if rng.chance(1_500) {
        out.push(b'/');
        push_number(2_000 + rng.below(26), out);
        separator = b'/';
    }
    loop {
        out.push(separator);
        out.extend_from_slice(rng.pick(TITLE).as_bytes());
        separator = b'-';
        if out.len() + 3 >= end {
            break;
        }
    }
    if rng.chance(800) {
        out.push(b'-');
        push_number(rng.below(1_000_000), out);
    }
}

fn push_tail(rng: &mut Rng, out: &mut Vec<u8>) {
    match rng.below(10) {
        0..=3 => out.push(b'/'),
        4 | 5 => {
            out.push(b'.');
            out.extend_from_slice(EXTENSIONS[rng.place(6)].as_bytes());
        }
        _ => {}
    }
}

fn push_query(rng: &mut Rng, out: &mut Vec<u8>) {
    let mut mark = b'?';
    for _ in 0..1 + rng.below(3) {
        out.push(mark);
        out.extend_from_slice(rng.pick(PARAMETERS).as_bytes());
        out.push(b'=');
        if rng.chance(5_000) {
            push_number(rng.below(5_000), out);
        } else {
            out.extend_from_slice(rng.pick(TITLE).as_bytes());
        }
        mark = b'&';
    }
}

/// The key that the URLs of a site are derived from.
pub(crate) fn site_key(seed: u64, site: u64) -> u64 {
    derive(seed, Use::Url, site)
}
