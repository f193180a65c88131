//! The contents of a robots.txt's groups for one crawler: rules and other records (G1 to G7, V1, A4).

use robomata_protocol::{Crawler, Dialect};

use crate::fields::{Field, Key};
use crate::permissions::Address;
use crate::text::{is_ascii_space, is_ws, trim};

/// The name in a user-agent or `ACAP-crawler` field (G2, A5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Everyone,
    /// The value in lower case (G4), after G2's cut if there is one. An empty value names no crawler.
    Token(Vec<u8>),
}

/// The fields of the groups that apply to a crawler.
#[derive(Clone, Debug)]
pub(crate) struct Spoken {
    /// Whether the groups name the crawler or apply to any crawler.
    pub(crate) address: Address,
    /// In the order of the file.
    pub(crate) fields: Vec<Field>,
    /// The subset of `fields` directly below a run of names that includes the crawler's (V1, statements and schedules).
    pub(crate) directly: Vec<Field>,
}

struct Group {
    names: Vec<Name>,
    fields: Vec<Field>,
    /// For each field, the range of the names directly above it: from the first to one past the last.
    runs: Vec<(usize, usize)>,
}

/// G5 to G7: the fields that apply to `crawler`.
pub(crate) fn spoken_to(fields: &[Field], crawler: &Crawler, dialect: Dialect) -> Spoken {
    let mut groups = groups(fields, dialect);
    if dialect == Dialect::Koster1996 {
        // D3: names without rules do not form a record.
        groups.retain(|group| group.fields.iter().any(|field| matches!(field.key, Key::Rule(_))));
    }
    let named = match dialect {
        // G5: the first token that has a group decides, alone.
        Dialect::Rfc9309 | Dialect::Acap => tokens(crawler)
            .into_iter()
            .find(|token| groups.iter().any(|group| group.names.contains(token)))
            .map(|token| vec![token]),
        // G3 and G5: tokens are taken whole, and all groups of any of them are one group.
        Dialect::Google => {
            let own: Vec<Name> =
                crawler.tokens().iter().map(|token| token_of(token.as_str().as_bytes())).collect();
            groups.iter().any(|group| group.names.iter().any(|name| own.contains(name))).then_some(own)
        }
        // G3: names are taken whole; an empty one and `*` name nothing. G5: the first that has a group decides.
        Dialect::Yandex => whole_tokens(crawler, |token| token)
            .into_iter()
            .find(|token| groups.iter().any(|group| group.names.contains(token)))
            .map(|token| vec![token]),
        Dialect::Koster1996 => crawler
            .tokens()
            .iter()
            .map(|token| koster1996_name(token.as_str().as_bytes()))
            .filter(|name| !matches!(name, Name::Everyone) && *name != Name::Token(Vec::new()))
            .find(|token| groups.iter().any(|group| group.names.contains(token)))
            .map(|token| vec![token]),
    };
    let (address, names) = match named {
        Some(names) => (Address::Named, names),
        None => (Address::Any, vec![Name::Everyone]),
    };
    let speaks = |group: &&Group| group.names.iter().any(|name| names.contains(name));
    // G6: under `koster1996` only the first record applies; otherwise all do.
    let most = if dialect == Dialect::Koster1996 { 1 } else { groups.len() };
    let speaking: Vec<&Group> = groups.iter().filter(speaks).take(most).collect();
    let mut spoken = Spoken { address, fields: Vec::new(), directly: Vec::new() };
    for group in speaking {
        for (field, &(first, end)) in group.fields.iter().zip(&group.runs) {
            if group.names[first..end].iter().any(|name| names.contains(name)) {
                spoken.directly.push(field.clone());
            }
            spoken.fields.push(field.clone());
        }
    }
    spoken
}

/// G3: the crawler's tokens, cut like names in a file. A token that is then empty names nothing.
pub(crate) fn tokens(crawler: &Crawler) -> Vec<Name> {
    let cut = crawler.tokens().iter().map(|token| token_of(cut(token.as_str().as_bytes())));
    cut.filter(|name| *name != Name::Token(Vec::new())).collect()
}

/// The crawler's tokens, each as `read` has it, in lower case; an empty one and `*` name nothing.
fn whole_tokens(crawler: &Crawler, read: fn(&[u8]) -> &[u8]) -> Vec<Name> {
    let whole = crawler.tokens().iter().map(|token| token_of(read(token.as_str().as_bytes())));
    whole.filter(Name::is_of_crawlers).collect()
}

/// A5: the crawler's tokens without their versions.
pub(crate) fn acap_tokens(crawler: &Crawler) -> Vec<Name> {
    whole_tokens(crawler, without_version)
}

/// A5: "some or all of the string used by that crawler in a User-Agent header field" (2.3.1), where a version follows a
/// `/`.
fn without_version(name: &[u8]) -> &[u8] {
    trim(name.split(|&byte| byte == b'/').next().unwrap_or(name), is_ws)
}

impl Name {
    /// A5: whether it is the name of a crawler or of any. The empty name, and what a version leaves as `*`, are none.
    pub(crate) fn is_of_crawlers(&self) -> bool {
        !matches!(self, Name::Token(token) if matches!(&token[..], b"" | b"*"))
    }
}

/// A5: the value of an `ACAP-crawler` field. A name may contain white space (`crawler-name`; ACAP 1.0, section 3) and "is not
/// case-sensitive" (2.3.1).
pub(crate) fn acap_name(value: &[u8]) -> Name {
    match value {
        [b'*'] => Name::Everyone,
        [b'*', next, ..] if is_ws(*next) => Name::Everyone,
        _ => token_of(without_version(value)),
    }
}

/// G2 under `rfc9309` and `acap`.
pub(crate) fn name(value: &[u8]) -> Name {
    match value {
        [b'*'] => Name::Everyone,
        [b'*', next, ..] if is_ws(*next) => Name::Everyone,
        _ => token_of(cut(value)),
    }
}

/// Only rules end a list of names. Any other record belongs to its enclosing group (RFC 9309, 2.2.4).
fn groups(fields: &[Field], dialect: Dialect) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut is_list_ended = true;
    // The last group takes the next field. Before the first group, and after a blank line that ended a group, no group
    // does.
    let mut is_open = false;
    for field in fields {
        match (&field.key, groups.last_mut()) {
            (Key::UserAgent, last) => {
                let name = name_in(&field.value, dialect);
                match last {
                    Some(group) if !is_list_ended => group.names.push(name),
                    _ => groups.push(Group { names: vec![name], fields: Vec::new(), runs: Vec::new() }),
                }
                is_list_ended = false;
                is_open = true;
            }
            // D1: "records, separated by blank lines" (Koster 1996, 3.2). A4: "conventional fields found within ACAP records are
            // always to be ignored" (ACAP 1.0, 2.9.2), and a user-agent line begins a conventional record.
            (key, _) if *key == Key::BlankLine || key.is_acap("crawler") => {
                is_list_ended = true;
                is_open = false;
            }
            // G1, D2, V1 and A4: a field outside any group is void.
            (key, Some(group)) if is_open && key.is_of_groups() => {
                is_list_ended |= matches!(key, Key::Rule(_));
                // A run continues after a field, unless a name separates them.
                let (first, end) = group.runs.last().copied().unwrap_or((0, 0));
                let first = if end < group.names.len() { end } else { first };
                group.runs.push((first, group.names.len()));
                group.fields.push(field.clone());
            }
            _ => {}
        }
    }
    groups
}

fn name_in(value: &[u8], dialect: Dialect) -> Name {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => name(value),
        Dialect::Google => match value {
            [b'*'] => Name::Everyone,
            [b'*', next, ..] if is_ascii_space(*next) => Name::Everyone,
            _ => {
                token_of(leading_run(value, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')))
            }
        },
        Dialect::Koster1996 => koster1996_name(value),
        // The tester does not take `Yandex extra` for `Yandex`: the whole value is the name.
        Dialect::Yandex if value == b"*" => Name::Everyone,
        Dialect::Yandex => token_of(value),
    }
}

/// G2 and G3 under `koster1996`: `agent = token`, and the token `*` means every crawler (3.2.1, 3.3).
fn koster1996_name(value: &[u8]) -> Name {
    match leading_run(value, is_rfc1945_token_byte) {
        b"*" => Name::Everyone,
        token => token_of(token),
    }
}

/// `token = 1*<any CHAR except CTLs or tspecials>`, CHAR being bytes 0 to 127 (3.3).
fn is_rfc1945_token_byte(byte: u8) -> bool {
    const TSPECIALS: &[u8] = b"()<>@,;:\\\"/[]?={} \t";
    let is_ctl = byte < 32 || byte == 127;
    byte <= 127 && !is_ctl && !TSPECIALS.contains(&byte)
}

fn cut(value: &[u8]) -> &[u8] {
    leading_run(value, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn leading_run(value: &[u8], belongs: impl Fn(u8) -> bool) -> &[u8] {
    let len = value.iter().take_while(|&&byte| belongs(byte)).count();
    &value[..len]
}

fn token_of(value: &[u8]) -> Name {
    Name::Token(value.to_ascii_lowercase())
}
