//! The name in a user-agent record.

use robomata_protocol::Dialect;

use crate::reading::Reading;

/// Whom a user-agent record names (RFC 9309, section 2.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentName<'t> {
    /// `*`: every crawler that has no group of its own.
    Any,
    /// The product token, after the dialect's cut. Empty when the value begins with no octet of a token.
    Named(&'t [u8]),
}

/// Reads the value of a user-agent record (`crates/DIALECTS.md`, G2).
///
/// The same cut serves the caller's product token where the dialect cuts it (G3).
pub fn agent_name(value: &[u8], dialect: Dialect) -> AgentName<'_> {
    let reading = Reading::of(dialect);
    if let [b'*', rest @ ..] = value
        && rest.first().is_none_or(|&octet| reading.white_space.holds(octet))
    {
        return AgentName::Any;
    }
    let end = value.iter().position(|&octet| !(reading.is_token_octet)(octet)).unwrap_or(value.len());
    AgentName::Named(&value[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leading_run_is_the_name() {
        let cases: [(&str, &str, &str); 6] = [
            ("FooBot/2.1", "FooBot", "FooBot"),
            ("FooBot Images", "FooBot", "FooBot"),
            ("MJ12bot", "MJ12bot", "MJ"),
            ("quillbot.com", "quillbot.com", "quillbot"),
            ("FooBot*", "FooBot", "FooBot"),
            ("\"FooBot\"", "", ""),
        ];
        for (value, rfc9309, google) in cases {
            let name = |dialect| agent_name(value.as_bytes(), dialect);
            assert_eq!(name(Dialect::Rfc9309), AgentName::Named(rfc9309.as_bytes()), "{value}");
            assert_eq!(name(Dialect::Google), AgentName::Named(google.as_bytes()), "{value}");
        }
    }

    #[test]
    fn a_star_is_any_alone_or_before_white_space() {
        for dialect in Dialect::ALL {
            assert_eq!(agent_name(b"*", dialect), AgentName::Any);
            assert_eq!(agent_name(b"* baz", dialect), AgentName::Any);
            assert_eq!(agent_name(b"*baz", dialect), AgentName::Named(b""));
        }
    }
}
