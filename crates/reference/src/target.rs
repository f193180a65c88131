//! Converts a URL to the bytes that patterns are matched against (decision U1, Google's cut).

use robomata_protocol::Dialect;

use crate::normal::{self, Symbol};

/// Path and query of `url` (under `koster1996` the path alone) in normal form, always beginning with `/`. Returns
/// `None` if the text is not a URL.
pub(crate) fn of(url: &[u8], dialect: Dialect) -> Option<Vec<Symbol>> {
    let path_and_query = match dialect {
        Dialect::Rfc9309 | Dialect::Acap | Dialect::Yandex => rfc9309_path_and_query(url)?,
        Dialect::Google => google_path_params_query(url),
        Dialect::Koster1996 => before_query(&rfc9309_path_and_query(url)?),
    };
    Some(normal::target(&path_and_query, dialect))
}

/// U1 under `rfc9309`; U2: nothing is resolved or collapsed.
fn rfc9309_path_and_query(url: &[u8]) -> Option<Vec<u8>> {
    if url.first() == Some(&b'/') {
        return Some(before_fragment(url).to_vec());
    }
    let after_scheme = after_scheme(url)?;
    let authority_end = find_first_of(after_scheme, b"/?#", 0).unwrap_or(after_scheme.len());
    let path_and_query = before_fragment(&after_scheme[authority_end..]);
    Some(with_leading_slash(path_and_query))
}

/// The text after `scheme://`, where `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (RFC 3986, 3.1).
fn after_scheme(url: &[u8]) -> Option<&[u8]> {
    let colon = url.iter().position(|&byte| byte == b':')?;
    let (scheme, rest) = url.split_at(colon);
    let [first, others @ ..] = scheme else {
        return None;
    };
    let is_scheme = first.is_ascii_alphabetic()
        && others.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if is_scheme { rest.strip_prefix(b"://") } else { None }
}

/// U1 under `koster1996`: "the path portion of the URL" (3.2.2).
fn before_query(path_and_query: &[u8]) -> Vec<u8> {
    let path = path_and_query.split(|&byte| byte == b'?').next();
    path.unwrap_or_default().to_vec()
}

fn before_fragment(text: &[u8]) -> &[u8] {
    &text[..find(text, b"#", 0).unwrap_or(text.len())]
}

/// `GetPathParamsQuery` of Google's parser, with its own steps in its own order.
fn google_path_params_query(url: &[u8]) -> Vec<u8> {
    let search_start = if url.starts_with(b"//") { 2 } else { 0 };
    let early_path = find_first_of(url, b"/?;", search_start);
    let protocol_end = match (early_path, find(url, b"://", search_start)) {
        (_, None) => search_start,
        (Some(early), Some(protocol)) if early < protocol => search_start,
        (_, Some(protocol)) => protocol + 3,
    };
    let Some(path_start) = find_first_of(url, b"/?;", protocol_end) else {
        return b"/".to_vec();
    };
    let path_end = match find(url, b"#", search_start) {
        Some(hash) if hash < path_start => return b"/".to_vec(),
        Some(hash) => hash,
        None => url.len(),
    };
    as_c_string(with_leading_slash(&url[path_start..path_end]))
}

/// The matcher receives `path.c_str()`: a NUL ends the path there.
fn as_c_string(mut path: Vec<u8>) -> Vec<u8> {
    if let Some(end) = find(&path, b"\0", 0) {
        path.truncate(end);
    }
    path
}

fn with_leading_slash(text: &[u8]) -> Vec<u8> {
    if text.first() == Some(&b'/') { text.to_vec() } else { [b"/", text].concat() }
}

/// The first position at or after `from` of one of `bytes`.
fn find_first_of(text: &[u8], bytes: &[u8], from: usize) -> Option<usize> {
    (from..text.len()).find(|&at| bytes.contains(&text[at]))
}

/// The first position at or after `from` where `needle` begins.
fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    (from..text.len()).find(|&at| text[at..].starts_with(needle))
}
