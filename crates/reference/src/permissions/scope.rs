//! ACAP's resource path patterns: normal form, matching, and which of two is narrower (A8, A15, A16; part 1, 2.4.5,
//! 2.8).

use robomata_protocol::Dialect;

use crate::normal::{self, Symbol};

/// A pattern in the normal form of A8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The pattern with the text after a `*` read as path. Scopes are compared in this form.
    in_path: Vec<Symbol>,
    /// All readings (N1).
    readings: Vec<normal::Pattern>,
}

/// The scope of one pattern relative to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Equal,
    Narrower,
    Wider,
    Incomparable,
}

impl Pattern {
    /// A8: N1, with letters in lower case; relative to the root if it begins with neither `/` nor `*`.
    pub(crate) fn new(written: &[u8]) -> Pattern {
        let rooted = match written.first() {
            Some(b'/' | b'*') => written.to_vec(),
            _ => [b"/", written].concat(),
        };
        let mut readings = normal::patterns(&rooted, Dialect::Rfc9309);
        for symbol in readings.iter_mut().flat_map(|reading| &mut reading.symbols) {
            *symbol = lower_case(*symbol);
        }
        Pattern { in_path: readings[0].symbols.clone(), readings }
    }

    /// Returns whether it matches `target`, in the normal form of [`target`].
    pub(crate) fn matches(&self, target: &[Symbol]) -> bool {
        normal::do_any_match(&self.readings, target)
    }

    /// A16: compares this pattern's scope with that of `other`.
    pub(crate) fn compare(&self, other: &Pattern) -> Scope {
        let mut at = 0;
        loop {
            let scope = match (self.in_path.get(at), other.in_path.get(at)) {
                (None, None) => return Scope::Equal,
                (Some(own), Some(its)) if own == its => {
                    at += 1;
                    continue;
                }
                // "If one pattern has run out of characters, the other pattern has the narrower scope."
                (None, Some(_)) => Scope::Wider,
                (Some(_), None) => Scope::Narrower,
                // "If one pattern contains a dollar sign where the other pattern contains any other character
                // (including the asterisk), the other pattern has the narrower scope."
                (Some(Symbol::End), Some(_)) => Scope::Wider,
                (Some(_), Some(Symbol::End)) => Scope::Narrower,
                // "... an asterisk where the other pattern contains any other character except the dollar sign ..."
                (Some(Symbol::AnyRun), Some(_)) => Scope::Wider,
                (Some(_), Some(Symbol::AnyRun)) => Scope::Narrower,
                (Some(_), Some(_)) => Scope::Incomparable,
            };
            return scope;
        }
    }
}

/// Compares the scopes of two statements. All statements of a page about itself have one scope (P4).
pub(crate) fn compare(one: Option<&Pattern>, other: Option<&Pattern>) -> Scope {
    match (one, other) {
        (Some(one), Some(other)) => one.compare(other),
        (None, None) => Scope::Equal,
        (None, Some(_)) => Scope::Narrower,
        (Some(_), None) => Scope::Wider,
    }
}

/// A8: path and query of a URL, in the normal form of `rfc9309`, with letters in lower case.
pub(crate) fn target(normal: &[Symbol]) -> Vec<Symbol> {
    normal.iter().copied().map(lower_case).collect()
}

fn lower_case(symbol: Symbol) -> Symbol {
    match symbol {
        Symbol::Byte(byte) => Symbol::Byte(byte.to_ascii_lowercase()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(one: &str, other: &str) -> Scope {
        Pattern::new(one.as_bytes()).compare(&Pattern::new(other.as_bytes()))
    }

    /// Part 1, 2.4.5, clause by clause.
    #[test]
    fn the_narrower_of_two_patterns() {
        assert_eq!(compare("/a", "/A"), Scope::Equal);
        assert_eq!(compare("/public/", "/"), Scope::Narrower);
        assert_eq!(compare("/", "/public/"), Scope::Wider);
        assert_eq!(compare("/a$", "/a*"), Scope::Wider);
        assert_eq!(compare("/a$", "/ab"), Scope::Wider);
        assert_eq!(compare("/a$", "/a"), Scope::Narrower);
        assert_eq!(compare("/*a", "/b"), Scope::Wider);
        assert_eq!(compare("/ab*", "/a*c"), Scope::Narrower);
        assert_eq!(compare("/*a", "/*b"), Scope::Incomparable);
        assert_eq!(compare("/a%2A", "/a*"), Scope::Narrower);
        assert_eq!(compare("/%61", "a"), Scope::Equal);
    }

    /// Part 1, 2.8: wildcards, and no case.
    #[test]
    fn patterns_match_without_case() {
        let matches = |pattern: &str, url: &str| {
            Pattern::new(pattern.as_bytes())
                .matches(&target(&normal::target(url.as_bytes(), Dialect::Rfc9309)))
        };
        assert!(matches("*.GIF", "/images/a.gif"));
        assert!(matches("/special/*.htm", "/special/x.html"));
        assert!(!matches("/special/*.htm$", "/special/x.html"));
        assert!(matches("news/", "/news/today"));
        assert!(matches("/a%2Fb", "/a%2fb"));
    }
}
