//! Clean-param: a URL without the parameters that change nothing (V7).

use robomata_protocol::Dialect;

use super::locator;
use crate::fields::{Field, Key};
use crate::matching;
use crate::normal::{self, Symbol};
use crate::text::words;

/// The maximum length of a value in bytes; longer values are ignored.
const MOST_BYTES: usize = 500;

/// The maximum number of records whose pattern has a `*` before its end; further ones are ignored.
const MOST_WITH_STARS: usize = 256;

/// V7: the URL as written, without the parameters that some matching record lists.
pub(crate) fn canonical(fields: &[Field], url: &[u8]) -> Vec<u8> {
    let start = match locator::absolute(url) {
        Some(absolute) => url.len() - absolute.rest.len(),
        None if url.first() == Some(&b'/') => 0,
        None => return url.to_vec(),
    };
    let fragment = position(url, b'#', start).unwrap_or(url.len());
    let Some(question) = position(&url[..fragment], b'?', start) else {
        return url.to_vec();
    };
    let dropped = dropped(fields, &url[start..question]);
    let is_kept = |parameter: &&[u8]| {
        let name = &parameter[..position(parameter, b'=', 0).unwrap_or(parameter.len())];
        !dropped.iter().any(|own| own == name)
    };
    let query = &url[question + 1..fragment];
    let kept: Vec<&[u8]> = query.split(|&byte| byte == b'&').filter(is_kept).collect();
    let left = kept.join(&b'&');
    if left.len() == query.len() {
        return url.to_vec();
    }
    let mark: &[u8] = if left.is_empty() { b"" } else { b"?" };
    [&url[..question], mark, &left, &url[fragment..]].concat()
}

/// The names in the records for this path.
fn dropped(fields: &[Field], path: &[u8]) -> Vec<Vec<u8>> {
    let path = if path.is_empty() { b"/" } else { path };
    let target = normal::target(path, Dialect::Rfc9309);
    let mut dropped = Vec::new();
    let mut with_stars = 0;
    for field in fields.iter().filter(|field| field.key == Key::CleanParam) {
        if field.value.len() > MOST_BYTES {
            continue;
        }
        let (names, pattern) = match words(&field.value)[..] {
            [names] => (names, &b""[..]),
            [names, pattern] => (names, pattern),
            _ => continue,
        };
        let mut names = names.split(|&byte| byte == b'&').filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() {
            continue;
        }
        if pattern.split_last().is_some_and(|(_, before)| before.contains(&b'*')) {
            with_stars += 1;
            if with_stars > MOST_WITH_STARS {
                continue;
            }
        }
        if matching::matches(&prefix(pattern), &target, &mut Vec::new()) {
            dropped.extend(names.map(<[u8]>::to_vec));
        }
    }
    dropped
}

/// A prefix with `*`, of the path alone: a `$` is an ordinary byte.
fn prefix(pattern: &[u8]) -> Vec<Symbol> {
    let in_path = normal::patterns(pattern, Dialect::Rfc9309).swap_remove(0);
    let mut symbols = in_path.symbols;
    if let Some(last) = symbols.last_mut()
        && *last == Symbol::End
    {
        *last = Symbol::Byte(b'$');
    }
    symbols
}

/// The first position of `byte` at or after `from`.
fn position(text: &[u8], byte: u8, from: usize) -> Option<usize> {
    text[from..].iter().position(|&own| own == byte).map(|at| from + at)
}
