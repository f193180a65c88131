//! The field that a key names (ACAP part 1, section 3; names are case-insensitive), and the words of its value.

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
    /// The key names this usage, local or not.
    Allow(&'t [u8]),
    Disallow(&'t [u8]),
    /// The key names this action.
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

    /// Whether it is a definition field (section 2.7).
    pub(super) fn is_definition(self) -> bool {
        matches!(self, Key::QualifiedUsage | Key::CompositeUsage | Key::ResourceSet)
    }
}

/// Whether a field with this key begins ACAP's records (row A3).
pub(crate) fn begins_records(written_key: &[u8]) -> bool {
    Key::of(written_key) == Key::Crawler
}

/// Whether an `ACAP-crawler` field with this value is valid: its record is for some crawler.
pub(crate) fn names_crawler(value: &[u8]) -> bool {
    !matches!(crawler_name(value), AgentName::Named(b""))
}

/// Whether it is the key of the line that makes crawlers ignore conventional records (section 2.9.1).
pub(crate) fn ignores_conventional(written_key: &[u8]) -> bool {
    Key::of(written_key) == Key::IgnoreConventional
}

/// The bytes after `prefix`, which is case-insensitive.
pub(super) fn strip_prefix<'t>(bytes: &'t [u8], prefix: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = bytes.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The name in `(name)`, which is how fields refer to local usages.
pub(super) fn in_parentheses(word: &[u8]) -> Option<&[u8]> {
    word.strip_prefix(b"(")?.strip_suffix(b")")
}

/// The words of a value: its runs of characters other than white space.
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

/// The crawler that an ACAP-crawler field, or the name of a META tag, names. Names can contain spaces, so the name is
/// the whole value up to the `/` before a version (row A5).
pub fn crawler_name(value: &[u8]) -> AgentName<'_> {
    let name = trimmed(value);
    match name {
        [b'*'] => AgentName::Any,
        [b'*', next, ..] if is_white(*next) => AgentName::Any,
        name => {
            let end = name.iter().position(|&byte| byte == b'/').unwrap_or(name.len());
            // A `*` with a version is neither every crawler nor the name of one.
            AgentName::Named(Some(trimmed(&name[..end])).filter(|&name| name != b"*").unwrap_or_default())
        }
    }
}

/// The part of a crawler's product token that is compared with ACAP's names: all of it, without a version. Empty for
/// `*`, which is not a crawler's name.
pub fn own_name(token: &ProductToken) -> &[u8] {
    match crawler_name(token.as_str().as_bytes()) {
        AgentName::Any => b"",
        AgentName::Named(name) => name,
    }
}

pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::first_word;

    #[test]
    fn the_first_word_and_the_rest_have_no_white_space_around_them() {
        for (value, expected) in [
            ("", ("", "")),
            (" \t", ("", "")),
            ("a", ("a", "")),
            (" a ", ("a", "")),
            ("\ta \t b  c", ("a", "b  c")),
        ] {
            assert_eq!(
                first_word(value.as_bytes()),
                (expected.0.as_bytes(), expected.1.as_bytes()),
                "{value:?}"
            );
        }
    }
}
