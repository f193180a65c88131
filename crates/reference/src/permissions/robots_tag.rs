//! The Robots-Tag header (P16; draft-illyes-repext-03).

use robomata_protocol::{Moment, PageFacts};

use super::dates;
use super::header::Joined;
use super::robots_meta::{DATED, Word, plain, separated, valued};
use super::structured::{self, BareItem};
use crate::groups::{self, Name};

/// The bytes of the list that are read: "at least 8 KiB are read".
const READ: usize = 65_536;

/// A member with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) words: Vec<Word>,
    /// The number of the header in which it begins.
    pub(crate) header: u32,
}

/// The members with a name; none if the headers are no list.
pub(crate) fn members(page: &PageFacts) -> Vec<Member> {
    let Some(joined) = Joined::named(page, "robots-tag") else {
        return Vec::new();
    };
    let list = list(&with_lower_case_keys(joined.text.as_bytes())).unwrap_or_default().into_iter();
    list.filter_map(|member| {
        let name = match member.item? {
            BareItem::Token(name) | BareItem::Text(name) => name_of(&name),
            _ => return None,
        };
        let words = member.parameters.iter().filter_map(|(key, value)| word(key, value));
        Some(Member { name, words: words.collect(), header: joined.header_at(member.start) })
    })
    .collect()
}

/// The list, without a last member that is truncated.
fn list(text: &[u8]) -> Option<Vec<structured::Member>> {
    if text.len() > READ {
        return structured::list(before_last_comma(&text[..READ]));
    }
    structured::list(text).or_else(|| structured::list(before_last_comma(text)))
}

/// "The values are case insensitive": the text with the keys of parameters in lower case, as RFC 9651 has keys.
fn with_lower_case_keys(text: &[u8]) -> Vec<u8> {
    let mut lower = Vec::new();
    let mut is_in_key = false;
    for (byte, is_quoted) in text.iter().zip(quoted(text)) {
        is_in_key = match byte {
            b';' if !is_quoted => true,
            // Spaces may stand before a key.
            b' ' => is_in_key && matches!(lower.last(), Some(b';' | b' ')),
            b'_' | b'-' | b'.' | b'*' => is_in_key,
            _ => is_in_key && byte.is_ascii_alphanumeric(),
        };
        lower.push(if is_in_key { byte.to_ascii_lowercase() } else { *byte });
    }
    lower
}

/// The text before the last comma outside of strings.
fn before_last_comma(text: &[u8]) -> &[u8] {
    let mut ends = text.iter().zip(quoted(text));
    let last = ends.rposition(|(&byte, is_quoted)| byte == b',' && !is_quoted).unwrap_or(0);
    &text[..last]
}

/// For each byte, whether it is within a string (RFC 9651, 3.3.3) or a display string, which has no escapes (3.3.8).
fn quoted(text: &[u8]) -> Vec<bool> {
    #[derive(PartialEq)]
    enum Within {
        Neither,
        Text,
        DisplayText,
    }
    let (mut within, mut is_escaped, mut quoted) = (Within::Neither, false, Vec::new());
    for (at, byte) in text.iter().enumerate() {
        quoted.push(within != Within::Neither);
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if within == Within::Text => is_escaped = true,
            b'"' if within != Within::Neither => within = Within::Neither,
            b'"' if text[..at].ends_with(b"%") => within = Within::DisplayText,
            b'"' => within = Within::Text,
            _ => {}
        }
    }
    quoted
}

/// "The crawler's name (P1), or `*` or `robots` for any crawler. Spaces around it in a string do not count."
fn name_of(written: &str) -> Name {
    let written = written.trim_matches(' ');
    let is_any = |name: &Name| written == "*" || *name == groups::name(b"robots");
    match groups::name(written.as_bytes()) {
        name if is_any(&name) => Name::Everyone,
        Name::Everyone => Name::Token(Vec::new()),
        name => name,
    }
}

/// The directive of a parameter.
fn word(key: &str, value: &BareItem) -> Option<Word> {
    if *value == BareItem::Boolean(false) {
        return None;
    }
    if let Some(word) = plain(key) {
        return Some(word);
    }
    match value {
        BareItem::Integer(number) => valued(key, &number.to_string()),
        BareItem::Date(seconds) if key == DATED => Some(Word::UnavailableAfter(Moment(*seconds))),
        BareItem::Text(date) if key == DATED => {
            dates::leading(&separated(date)).0.map(Word::UnavailableAfter)
        }
        BareItem::Text(text) | BareItem::Token(text) => valued(key, &text.to_ascii_lowercase()),
        BareItem::Boolean(_) | BareItem::Date(_) | BareItem::Other => None,
    }
}
