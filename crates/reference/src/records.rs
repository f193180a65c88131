//! From a line to key and value (decisions L7, L8, K1).

use robomata_protocol::{Access, Dialect};

use crate::lines;

/// The keys that decide something. Other records decide nothing and never end a group (K2; RFC 9309, 2.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    UserAgent,
    Rule(Access),
}

/// A line that holds one of the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    pub(crate) key: Key,
    pub(crate) value: &'a [u8],
    /// The 1-based number of the line.
    pub(crate) line: u32,
}

/// All records of the file that decide something.
pub(crate) fn records(text: &[u8], dialect: Dialect) -> Vec<Record<'_>> {
    let mut records = Vec::new();
    for (number, line) in (1_u32..).zip(lines::lines(text)) {
        let content = lines::content(line, dialect);
        let found = match dialect {
            Dialect::Rfc9309 | Dialect::Acap => rfc9309_key_and_value(content),
            Dialect::Google => google_key_and_value(content),
        };
        if let Some((key, value)) = found {
            records.push(Record { key, value, line: number });
        }
    }
    records
}

/// K1: the spellings of each key, in the order in which Google's parser tests them.
const SPELLINGS: [(&[u8], Key); 10] = [
    (b"user-agent", Key::UserAgent),
    (b"useragent", Key::UserAgent),
    (b"user agent", Key::UserAgent),
    (b"allow", Key::Rule(Access::Allow)),
    (b"disallow", Key::Rule(Access::Disallow)),
    (b"dissallow", Key::Rule(Access::Disallow)),
    (b"dissalow", Key::Rule(Access::Disallow)),
    (b"disalow", Key::Rule(Access::Disallow)),
    (b"diasllow", Key::Rule(Access::Disallow)),
    (b"disallaw", Key::Rule(Access::Disallow)),
];

/// L8 under `rfc9309`: the first colon separates when a known key stands before it, else white space may.
fn rfc9309_key_and_value(content: &[u8]) -> Option<(Key, &[u8])> {
    let line = trim(content, is_ws);
    if let Some((before, after)) = split_at_first(line, |octet| octet == b':')
        && let Some(key) = whole_key(trim(before, is_ws))
    {
        return Some((key, trim(after, is_ws)));
    }
    key_and_value_without_colon(line)
}

/// L8 under `rfc9309`, colon missing: a known key, then WS, then one run of octets up to the line's end.
fn key_and_value_without_colon(line: &[u8]) -> Option<(Key, &[u8])> {
    for (spelling, key) in SPELLINGS {
        if !starts_with_ignoring_case(line, spelling) {
            continue;
        }
        let rest = &line[spelling.len()..];
        let value = trim(rest, is_ws);
        let separated = rest.first().is_some_and(|&octet| is_ws(octet));
        let one_run = !value.is_empty() && !value.iter().any(|&octet| is_ws(octet));
        if separated && one_run {
            return Some((key, value));
        }
    }
    None
}

/// L8 under `google` (`GetKeyAndValueFrom`): the first colon; in a line without any, SP or HTAB.
fn google_key_and_value(content: &[u8]) -> Option<(Key, &[u8])> {
    let line = trim(content, is_ascii_space);
    let (before, after) = match split_at_first(line, |octet| octet == b':') {
        Some(parts) => parts,
        None => {
            let (before, after) = split_at_first(line, is_ws)?;
            // There must be exactly two runs: the value may be preceded by white space, not hold any.
            if trim_start(after, is_ws).iter().any(|&octet| is_ws(octet)) {
                return None;
            }
            (before, after)
        }
    };
    let key = trim(before, is_ascii_space);
    if key.is_empty() {
        return None;
    }
    Some((key_by_prefix(key)?, trim(after, is_ascii_space)))
}

/// K1 under `rfc9309`: the text is one of the spellings.
fn whole_key(text: &[u8]) -> Option<Key> {
    SPELLINGS.iter().find(|(spelling, _)| text.eq_ignore_ascii_case(spelling)).map(|&(_, key)| key)
}

/// K1 under `google`: the text begins with one of the spellings.
fn key_by_prefix(text: &[u8]) -> Option<Key> {
    SPELLINGS.iter().find(|(spelling, _)| starts_with_ignoring_case(text, spelling)).map(|&(_, key)| key)
}

/// `WS = %x20 / %x09` (RFC 9309, 2.2).
pub(crate) fn is_ws(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

/// L7 under `google`: what C's `isspace` takes for white space. Unlike Rust's, it has VT.
pub(crate) fn is_ascii_space(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// L7: `text` without the white space around it.
fn trim(text: &[u8], is_space: fn(u8) -> bool) -> &[u8] {
    let mut trimmed = trim_start(text, is_space);
    while let [rest @ .., last] = trimmed
        && is_space(*last)
    {
        trimmed = rest;
    }
    trimmed
}

fn trim_start(text: &[u8], is_space: fn(u8) -> bool) -> &[u8] {
    let mut trimmed = text;
    while let [first, rest @ ..] = trimmed
        && is_space(*first)
    {
        trimmed = rest;
    }
    trimmed
}

/// What stands before the first separator and what after it; the separator itself belongs to neither.
fn split_at_first(text: &[u8], is_separator: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&octet| is_separator(octet))?;
    Some((&text[..at], &text[at + 1..]))
}

fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}
