//! The name in a user-agent record.

use robomata_protocol::semantics::NameBytes;
use robomata_protocol::{Dialect, Semantics};

use crate::reading::{is_white, name_test};

/// The crawler that a user-agent record names (RFC 9309, section 2.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentName<'t> {
    /// `*`: every crawler that has no group of its own.
    Any,
    /// The product token, as cut by the dialect. Empty when the value does not begin with a byte of a token.
    Named(&'t [u8]),
}

/// Reads the value of a user-agent record (`crates/DIALECTS.md`, G2).
///
/// The dialects that cut the caller's product token cut it in the same way (G3).
pub fn agent_name(value: &[u8], dialect: Dialect) -> AgentName<'_> {
    let semantics = dialect.semantics();
    if let [b'*', rest @ ..] = value
        && rest.first().is_none_or(|&byte| ends_star(byte, semantics))
    {
        return AgentName::Any;
    }
    let is_of_name = name_test(semantics.name_bytes);
    let end = value.iter().position(|&byte| !is_of_name(byte)).unwrap_or(value.len());
    AgentName::Named(&value[..end])
}

/// Whether `name` has bytes that no crawler's name has: others than letters, digits, `-`, `_`, `.` and spaces. Dialects
/// that read a whole value as a name also read its quotation marks and colons.
pub fn has_odd_bytes(name: &[u8]) -> bool {
    name.iter().any(|&byte| !byte.is_ascii_alphanumeric() && !b"-_. \t".contains(&byte))
}

/// Whether a `*` before this byte is `*` alone. In dialects where a name can contain `*`, the rules for the end of a
/// name decide.
fn ends_star(byte: u8, semantics: &Semantics) -> bool {
    match semantics.name_bytes {
        names @ (NameBytes::Token | NameBytes::All) => !name_test(names)(byte),
        _ => is_white(byte, semantics.white_space),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_run_is_the_name() {
        let cases: [(&str, &str, &str, &str); 8] = [
            ("FooBot/2.1", "FooBot", "FooBot", "FooBot"),
            ("FooBot Images", "FooBot", "FooBot", "FooBot"),
            ("MJ12bot", "MJ12bot", "MJ", "MJ12bot"),
            ("quillbot.com", "quillbot.com", "quillbot", "quillbot.com"),
            ("FooBot*", "FooBot", "FooBot", "FooBot*"),
            ("\"FooBot\"", "", "", ""),
            ("Foo+Bot!'%", "Foo", "Foo", "Foo+Bot!'%"),
            ("Foo\u{E9}", "Foo", "Foo", "Foo"),
        ];
        for (value, rfc9309, google, koster1996) in cases {
            let name = |dialect| agent_name(value.as_bytes(), dialect);
            assert_eq!(name(Dialect::Rfc9309), AgentName::Named(rfc9309.as_bytes()), "{value}");
            assert_eq!(name(Dialect::Google), AgentName::Named(google.as_bytes()), "{value}");
            assert_eq!(name(Dialect::Koster1996), AgentName::Named(koster1996.as_bytes()), "{value}");
        }
    }

    #[test]
    fn tokens_of_rfc1945_have_neither_controls_nor_tspecials() {
        for byte in 0..=u8::MAX {
            let tspecial = b"()<>@,;:\\\"/[]?={} \t".contains(&byte);
            let is_token = byte.is_ascii() && !byte.is_ascii_control() && !tspecial;
            let value = [b'a', byte];
            let expected = if is_token { &value[..] } else { b"a" };
            assert_eq!(agent_name(&value, Dialect::Koster1996), AgentName::Named(expected), "{byte}");
        }
    }

    #[test]
    fn a_star_is_any_alone_or_before_white_space() {
        for dialect in Dialect::ALL {
            assert_eq!(agent_name(b"*", dialect), AgentName::Any);
            if dialect == Dialect::Yandex {
                assert_eq!(agent_name(b"* baz", dialect), AgentName::Named(b"* baz"));
                continue;
            }
            assert_eq!(agent_name(b"* baz", dialect), AgentName::Any);
            let longer = if dialect == Dialect::Koster1996 { b"*baz".as_slice() } else { b"" };
            assert_eq!(agent_name(b"*baz", dialect), AgentName::Named(longer));
        }
        assert_eq!(agent_name(b"*/2", Dialect::Koster1996), AgentName::Any);
        assert_eq!(agent_name(b"*/2", Dialect::Rfc9309), AgentName::Named(b""));
    }
}
