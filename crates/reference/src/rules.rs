//! The rules that can decide, with their ranks (decisions P3, R1, R3).

use robomata_protocol::{Access, Dialect};

use crate::normal::{self, Pattern, Symbol};

/// An allow or disallow record, with its pattern as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenRule<'a> {
    pub(crate) access: Access,
    pub(crate) pattern: &'a [u8],
    pub(crate) line: u32,
}

/// A rule ready for matching.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) access: Access,
    pub(crate) line: u32,
    pub(crate) pattern: Vec<Symbol>,
    /// R1.
    pub(crate) rank: usize,
}

/// The rules in normal form, in file order.
pub(crate) fn rules(written: &[WrittenRule<'_>], dialect: Dialect) -> Vec<Rule> {
    let mut rules = Vec::new();
    for rule in written {
        // P3 under `yandex`: an empty disallow allows all, like `Allow: /`.
        let rule = match (dialect, rule.access, rule.pattern) {
            (Dialect::Yandex, Access::Disallow, b"") => {
                &WrittenRule { access: Access::Allow, pattern: b"/", line: rule.line }
            }
            _ => rule,
        };
        for Pattern { symbols, rank } in normal::patterns(rule.pattern, dialect) {
            let of = |pattern, rank| Rule { access: rule.access, line: rule.line, pattern, rank };
            match dialect {
                // P3: an empty pattern has no effect.
                Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap | Dialect::Yandex
                    if symbols.is_empty() => {}
                Dialect::Rfc9309 | Dialect::Koster1996 | Dialect::Acap => rules.push(of(symbols, rank)),
                Dialect::Yandex => {
                    let rank = yandex_rank(&symbols);
                    rules.push(of(symbols, rank));
                }
                Dialect::Google => {
                    let index = index_pattern(rule.access, &symbols);
                    rules.push(of(symbols, rank));
                    if let Some(shorter) = index {
                        let rank = shorter.len();
                        rules.push(of(shorter, rank));
                    }
                }
            }
        }
    }
    rules
}

/// R1 under `yandex`: the tester does not prefer `a**b` to `a*b`, `/x$` to `/x`, `/x*` to `/x$`, or `/a/*/x` to `/a/b/*`. So
/// neither stars nor the end have a length.
fn yandex_rank(pattern: &[Symbol]) -> usize {
    pattern.iter().filter(|symbol| !matches!(symbol, Symbol::AnyRun | Symbol::End)).count()
}

/// R3: an allow pattern whose last `/` begins `/index.htm` also matches as `<prefix>/$`.
///
/// Google's parser tries it only if the pattern itself does not match. A second rule gives the same result: if both
/// match, the pattern itself ranks higher, and both have the same line.
fn index_pattern(access: Access, pattern: &[Symbol]) -> Option<Vec<Symbol>> {
    if access != Access::Allow {
        return None;
    }
    let last_slash = pattern.iter().rposition(|&symbol| symbol == Symbol::Byte(b'/'))?;
    let index = b"/index.htm".map(Symbol::Byte);
    if !pattern[last_slash..].starts_with(&index) {
        return None;
    }
    let mut shorter = pattern[..=last_slash].to_vec();
    shorter.push(Symbol::End);
    Some(shorter)
}
