//! From records to groups, and to the groups that speak for a crawler (decisions G1 to G7; RFC 9309, 2.2.1).

use robomata_protocol::{Access, Crawler, Dialect};

use crate::records::{Key, Record, is_ascii_space, is_ws};

/// Whom a user-agent record names (G2).
#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    Everyone,
    /// The value after the cut, possibly empty.
    Token(&'a [u8]),
}

/// An allow or disallow record, its pattern as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenRule<'a> {
    pub(crate) access: Access,
    pub(crate) pattern: &'a [u8],
    pub(crate) line: u32,
}

/// Consecutive user-agent records and the rules that follow them (2.1).
#[derive(Debug)]
pub(crate) struct Group<'a> {
    names: Vec<Name<'a>>,
    rules: Vec<WrittenRule<'a>>,
}

/// All groups of the file, in file order.
pub(crate) fn groups<'a>(records: &[Record<'a>], dialect: Dialect) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for &Record { key, value, line } in records {
        match key {
            Key::UserAgent => {
                // Only rules end the list of names; any rule does, also one with an empty pattern.
                if groups.last().is_none_or(|group| !group.rules.is_empty()) {
                    groups.push(Group { names: Vec::new(), rules: Vec::new() });
                }
                if let Some(group) = groups.last_mut() {
                    group.names.push(name(value, dialect));
                }
            }
            Key::Rule(access) => {
                // G1: a rule before any group is ignored.
                if let Some(group) = groups.last_mut() {
                    group.rules.push(WrittenRule { access, pattern: value, line });
                }
            }
        }
    }
    groups
}

/// The rules that `crawler` is to obey, in file order.
pub(crate) fn select<'a>(groups: &[Group<'a>], crawler: &Crawler, dialect: Dialect) -> Vec<WrittenRule<'a>> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => rfc9309_select(groups, crawler),
        Dialect::Google => google_select(groups, crawler),
    }
}

/// G3, G5, G6, G7 under `rfc9309`: the first token that has a group decides, alone; else `*` speaks.
fn rfc9309_select<'a>(groups: &[Group<'a>], crawler: &Crawler) -> Vec<WrittenRule<'a>> {
    for token in crawler.tokens() {
        let token = rfc9309_cut(token.as_str().as_bytes());
        if !token.is_empty() && groups.iter().any(|group| group.names_token(token)) {
            return merged(groups, |group| group.names_token(token));
        }
    }
    merged(groups, Group::names_everyone)
}

/// G3, G5, G6, G7 under `google`: a group is specific when it names any of the tokens; all of those are one.
fn google_select<'a>(groups: &[Group<'a>], crawler: &Crawler) -> Vec<WrittenRule<'a>> {
    let is_specific =
        |group: &Group<'a>| crawler.tokens().iter().any(|token| group.names_token(token.as_str().as_bytes()));
    if groups.iter().any(is_specific) {
        merged(groups, is_specific)
    } else {
        merged(groups, Group::names_everyone)
    }
}

impl Group<'_> {
    /// G4: whole names, ASCII case ignored.
    fn names_token(&self, token: &[u8]) -> bool {
        self.names.iter().any(|name| matches!(name, Name::Token(own) if own.eq_ignore_ascii_case(token)))
    }

    fn names_everyone(&self) -> bool {
        self.names.iter().any(|name| matches!(name, Name::Everyone))
    }
}

/// G6: "the matching groups' rules MUST be combined into one group" (2.2.1).
fn merged<'a>(groups: &[Group<'a>], speaks: impl Fn(&Group<'a>) -> bool) -> Vec<WrittenRule<'a>> {
    groups.iter().filter(|group| speaks(group)).flat_map(|group| group.rules.iter().copied()).collect()
}

/// G2: whom the value of a user-agent record names.
fn name(value: &[u8], dialect: Dialect) -> Name<'_> {
    let is_space = match dialect {
        Dialect::Rfc9309 | Dialect::Acap => is_ws,
        Dialect::Google => is_ascii_space,
    };
    match value {
        [b'*'] => Name::Everyone,
        [b'*', next, ..] if is_space(*next) => Name::Everyone,
        _ => match dialect {
            Dialect::Rfc9309 | Dialect::Acap => Name::Token(rfc9309_cut(value)),
            Dialect::Google => Name::Token(google_cut(value)),
        },
    }
}

/// G2 and G3 under `rfc9309`: digits and `.` belong to names, as in MJ12bot.
fn rfc9309_cut(value: &[u8]) -> &[u8] {
    leading_run(value, |octet| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-' | b'.'))
}

/// G2 under `google` (`ExtractUserAgent`).
fn google_cut(value: &[u8]) -> &[u8] {
    leading_run(value, |octet| octet.is_ascii_alphabetic() || matches!(octet, b'_' | b'-'))
}

fn leading_run(value: &[u8], belongs: impl Fn(u8) -> bool) -> &[u8] {
    let len = value.iter().take_while(|&&octet| belongs(octet)).count();
    &value[..len]
}
