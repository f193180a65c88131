//! Which field a key names (ACAP part 1, section 3; names have no case), and the words of its value.

use robomata_protocol::ProductToken;
use robomata_syntax::AgentName;

use crate::extension::trimmed;

/// A field of ACAP, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key<'t> {
    IgnoreConventional,
    Crawler,
    Reference,
    Purpose,
    /// Of the usage, local or not, that is written so.
    Allow(&'t [u8]),
    Disallow(&'t [u8]),
    /// Of the action that is written so.
    Request(&'t [u8]),
    QualifiedUsage,
    CompositeUsage,
    ResourceSet,
    Unknown,
}

const WHOLE: [(&[u8], Key<'static>); 7] = [
    (b"ACAP-ignore-conventional-records", Key::IgnoreConventional),
    (b"ACAP-crawler", Key::Crawler),
    (b"ACAP-permissions-reference", Key::Reference),
    (b"ACAP-usage-purpose", Key::Purpose),
    (b"ACAP-qualified-usage", Key::QualifiedUsage),
    (b"ACAP-composite-usage", Key::CompositeUsage),
    (b"ACAP-resource-set", Key::ResourceSet),
];

impl<'t> Key<'t> {
    /// The field that `written` names.
    pub(super) fn of(written: &'t [u8]) -> Self {
        let whole = WHOLE.iter().find(|(name, _)| written.eq_ignore_ascii_case(name)).map(|&(_, key)| key);
        whole
            .or_else(|| strip_prefix(written, b"ACAP-allow-").map(Key::Allow))
            .or_else(|| strip_prefix(written, b"ACAP-disallow-").map(Key::Disallow))
            .or_else(|| strip_prefix(written, b"ACAP-request-").map(Key::Request))
            .unwrap_or(Key::Unknown)
    }

    /// Is it a field of definitions (section 2.7)?
    pub(super) fn is_definition(self) -> bool {
        matches!(self, Key::QualifiedUsage | Key::CompositeUsage | Key::ResourceSet)
    }
}

/// Does a field with this key begin ACAP's records (row A3)?
pub(crate) fn begins_records(written_key: &[u8]) -> bool {
    Key::of(written_key) == Key::Crawler
}

/// Is it the key of the line that has conventional records ignored (section 2.9.1)?
pub(crate) fn ignores_conventional(written_key: &[u8]) -> bool {
    Key::of(written_key) == Key::IgnoreConventional
}

/// The bytes behind `prefix`, which has no case.
pub(super) fn strip_prefix<'t>(bytes: &'t [u8], prefix: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = bytes.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The name in `(name)`, as local usages are referred to.
pub(super) fn in_parentheses(word: &[u8]) -> Option<&[u8]> {
    word.strip_prefix(b"(")?.strip_suffix(b")")
}

/// The words of a value: its runs without white space.
pub(super) fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| is_white(byte)).filter(|word| !word.is_empty())
}

/// The first word of a value and what follows it, without white space around either.
pub(super) fn first_word(value: &[u8]) -> (&[u8], &[u8]) {
    let start = value.iter().position(|&byte| !is_white(byte)).unwrap_or(value.len());
    let value = &value[start..];
    let end = value.iter().position(|&byte| is_white(byte)).unwrap_or(value.len());
    let (word, rest) = value.split_at(end);
    let start = rest.iter().position(|&byte| !is_white(byte)).unwrap_or(rest.len());
    (word, &rest[start..])
}

/// Whom an ACAP-crawler field, or the name of a META tag, means: names may hold spaces, so they are whole (row A5).
pub fn crawler_name(value: &[u8]) -> AgentName<'_> {
    let name = trimmed(value);
    match name {
        [b'*'] => AgentName::Any,
        [b'*', next, ..] if is_white(*next) => AgentName::Any,
        name => AgentName::Named(name),
    }
}

/// What of a crawler's product token is compared with ACAP's names: all of it. Empty for `*`, which is nobody's name.
pub fn own_name(token: &ProductToken) -> &[u8] {
    match crawler_name(token.as_str().as_bytes()) {
        AgentName::Any => b"",
        AgentName::Named(name) => name,
    }
}

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
