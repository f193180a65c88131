//! From records to groups, and to the groups that speak for a crawler (decisions G1 to G7 and D1 to D3; RFC 9309, 2.2.1;
//! Koster 1996, 3.2 and 3.2.1).

use robomata_protocol::{Access, Crawler, Dialect};

use crate::records::{Key, Record, is_ascii_space, is_ws};

/// Whom a user-agent record names (G2).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name<'a> {
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
    // The last group takes what comes next; before the first one, and behind a blank line that ended one, none does.
    let mut is_open = false;
    for &Record { key, value, line } in records {
        match key {
            Key::UserAgent => {
                // Only rules end the list of names; any rule does, also one with an empty pattern.
                if !is_open || groups.last().is_some_and(|group| !group.rules.is_empty()) {
                    groups.push(Group { names: Vec::new(), rules: Vec::new() });
                    is_open = true;
                }
                if let Some(group) = groups.last_mut() {
                    group.names.push(name(value, dialect));
                }
            }
            Key::Rule(access) => {
                // G1, D2: a rule outside any group is ignored.
                if is_open && let Some(group) = groups.last_mut() {
                    group.rules.push(WrittenRule { access, pattern: value, line });
                }
            }
            // D1: "records, separated by blank lines" (Koster 1996, 3.2).
            Key::BlankLine => is_open = false,
        }
    }
    groups
}

/// The rules that `crawler` is to obey, in file order.
pub(crate) fn select<'a>(groups: &[Group<'a>], crawler: &Crawler, dialect: Dialect) -> Vec<WrittenRule<'a>> {
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => rfc9309_select(groups, crawler),
        Dialect::Google => google_select(groups, crawler),
        Dialect::Koster1996 => koster1996_select(groups, crawler),
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

/// G3, G5, G6, G7 under `koster1996`: the first record that names the first token that any record names; else the first
/// for `*`, "the default record for robots for which no explicit User-agent line can be found" (3.2.1).
fn koster1996_select<'a>(groups: &[Group<'a>], crawler: &Crawler) -> Vec<WrittenRule<'a>> {
    // D3: `1*ruleline`; names without rules are no record.
    let records: Vec<&Group<'a>> = groups.iter().filter(|group| !group.rules.is_empty()).collect();
    for token in crawler.tokens() {
        let Name::Token(token) = koster1996_name(token.as_str().as_bytes()) else { continue };
        if !token.is_empty()
            && let Some(record) = records.iter().find(|record| record.names_token(token))
        {
            return record.rules.clone();
        }
    }
    records.iter().find(|record| record.names_everyone()).map_or(Vec::new(), |record| record.rules.clone())
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
    match dialect {
        Dialect::Rfc9309 | Dialect::Acap => everyone(value, is_ws).unwrap_or(Name::Token(rfc9309_cut(value))),
        Dialect::Google => everyone(value, is_ascii_space).unwrap_or(Name::Token(google_cut(value))),
        Dialect::Koster1996 => koster1996_name(value),
    }
}

/// G2: `*` alone or before white space.
fn everyone(value: &[u8], is_space: fn(u8) -> bool) -> Option<Name<'_>> {
    match value {
        [b'*'] => Some(Name::Everyone),
        [b'*', next, ..] if is_space(*next) => Some(Name::Everyone),
        _ => None,
    }
}

/// G2 and G3 under `koster1996`: `agent = token`, and the token `*` is everyone (3.2.1, 3.3).
pub(crate) fn koster1996_name(value: &[u8]) -> Name<'_> {
    match leading_run(value, is_rfc1945_token_octet) {
        b"*" => Name::Everyone,
        token => Name::Token(token),
    }
}

/// `token = 1*<any CHAR except CTLs or tspecials>`, CHAR being octets 0 to 127 (3.3).
fn is_rfc1945_token_octet(octet: u8) -> bool {
    const TSPECIALS: &[u8] = b"()<>@,;:\\\"/[]?={} \t";
    let is_ctl = octet < 32 || octet == 127;
    octet <= 127 && !is_ctl && !TSPECIALS.contains(&octet)
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
