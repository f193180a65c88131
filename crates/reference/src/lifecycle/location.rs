//! A redirect that was not followed (decisions F5, F6), with a literal implementation of RFC 3986.

use robomata_protocol::lifecycle::{Attempt, DeadEnd, Finding};

use super::fields;

/// The parts of a URI reference (RFC 3986, appendix B). The fragment is not kept.
#[derive(Clone)]
struct Reference {
    scheme: Option<Vec<u8>>,
    authority: Option<Vec<u8>>,
    path: Vec<u8>,
    query: Option<Vec<u8>>,
}

/// The finding for the redirect that ended `attempt`.
pub(crate) fn finding(attempt: &Attempt) -> Finding {
    let locations = fields::all(&attempt.headers, "Location");
    let Some(location) = locations.first() else {
        return Finding::RedirectNowhere(DeadEnd::NoTarget);
    };
    if locations.iter().any(|other| other != location) {
        return Finding::RedirectNowhere(DeadEnd::MalformedTarget);
    }
    let mut asked = vec![resolve(None, &attempt.url).unwrap_or(None)];
    for hop in &attempt.hops {
        let base = asked.last().cloned().flatten();
        let target = match &hop.location {
            Some(location) => resolve(base.as_ref(), location).unwrap_or(None),
            None => None,
        };
        asked.push(target);
    }
    let base = asked.last().cloned().flatten();
    match resolve(base.as_ref(), location) {
        Err(dead_end) => Finding::RedirectNowhere(dead_end),
        Ok(None) => Finding::NotFollowed,
        Ok(Some(target)) => {
            let target = comparable(&target);
            let was_asked = asked.iter().flatten().any(|url| comparable(url) == target);
            if was_asked { Finding::RedirectLoop } else { Finding::NotFollowed }
        }
    }
}

/// F6, then RFC 3986, 5.2.2. `Ok(None)`: a base is needed but unknown.
fn resolve(base: Option<&Reference>, text: &[u8]) -> Result<Option<Reference>, DeadEnd> {
    let text = fields::trim(text);
    if text.is_empty() {
        return Err(DeadEnd::NoTarget);
    }
    if text.iter().any(|byte| *byte <= 0x1f || *byte == 0x7f) {
        return Err(DeadEnd::MalformedTarget);
    }
    let reference = parse(text);
    if let Some(scheme) = &reference.scheme {
        let scheme = scheme.to_ascii_lowercase();
        if scheme != b"http" && scheme != b"https" {
            return Err(DeadEnd::ForeignScheme);
        }
        if reference.authority.is_none() {
            return Err(DeadEnd::MalformedTarget);
        }
    }
    if reference.authority.as_ref().is_some_and(Vec::is_empty) {
        return Err(DeadEnd::MalformedTarget);
    }
    Ok(transform(base, reference))
}

/// Appendix B: `^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`
fn parse(text: &[u8]) -> Reference {
    let mut rest = text;
    let scheme = up_to(rest, b":/?#");
    let scheme = if !scheme.is_empty() && rest.get(scheme.len()) == Some(&b':') {
        rest = &rest[scheme.len() + 1..];
        Some(scheme.to_vec())
    } else {
        None
    };
    let authority = if rest.starts_with(b"//") {
        let authority = up_to(&rest[2..], b"/?#");
        rest = &rest[2 + authority.len()..];
        Some(authority.to_vec())
    } else {
        None
    };
    let path = up_to(rest, b"?#");
    rest = &rest[path.len()..];
    let query = if rest.starts_with(b"?") { Some(up_to(&rest[1..], b"#").to_vec()) } else { None };
    Reference { scheme, authority, path: path.to_vec(), query }
}

fn up_to<'a>(text: &'a [u8], ends: &[u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| ends.contains(byte)).unwrap_or(text.len());
    &text[..end]
}

/// 5.2.2, "Transform References".
fn transform(base: Option<&Reference>, r: Reference) -> Option<Reference> {
    if r.scheme.is_some() {
        return Some(Reference { path: remove_dot_segments(&r.path), ..r });
    }
    let base = base?;
    let scheme = base.scheme.clone();
    if r.authority.is_some() {
        return Some(Reference { scheme, path: remove_dot_segments(&r.path), ..r });
    }
    let authority = base.authority.clone();
    let (path, query) = if r.path.is_empty() {
        (base.path.clone(), if r.query.is_some() { r.query } else { base.query.clone() })
    } else if r.path.starts_with(b"/") {
        (remove_dot_segments(&r.path), r.query)
    } else {
        (remove_dot_segments(&merge(&base.path, &r.path)), r.query)
    };
    Some(Reference { scheme, authority, path, query })
}

/// 5.2.3, "Merge Paths"; the base always has an authority.
fn merge(base: &[u8], path: &[u8]) -> Vec<u8> {
    if base.is_empty() {
        return [b"/", path].concat();
    }
    let mut merged = base.to_vec();
    while merged.last().is_some_and(|byte| *byte != b'/') {
        merged.pop();
    }
    merged.extend_from_slice(path);
    merged
}

/// 5.2.4, "Remove Dot Segments", step by step.
fn remove_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut input = path.to_vec();
    let mut output = Vec::new();
    while !input.is_empty() {
        if input.starts_with(b"../") {
            input.drain(..3);
        } else if input.starts_with(b"./") || input.starts_with(b"/./") {
            input.drain(..2);
        } else if input == b"/." {
            input = b"/".to_vec();
        } else if input.starts_with(b"/../") {
            input.drain(..3);
            remove_last_segment(&mut output);
        } else if input == b"/.." {
            input = b"/".to_vec();
            remove_last_segment(&mut output);
        } else if input == b"." || input == b".." {
            input.clear();
        } else {
            let after_slash = usize::from(input.starts_with(b"/"));
            let end = after_slash + up_to(&input[after_slash..], b"/").len();
            output.extend(input.drain(..end));
        }
    }
    output
}

/// "Remove the last segment and its preceding "/" (if any) from the output buffer."
fn remove_last_segment(output: &mut Vec<u8>) {
    while let Some(byte) = output.pop() {
        if byte == b'/' {
            return;
        }
    }
}

/// F5: the form in which URLs are compared.
fn comparable(url: &Reference) -> (Vec<u8>, Vec<u8>, Vec<u8>, Option<Vec<u8>>) {
    let lower = |part: &Option<Vec<u8>>| part.clone().unwrap_or_default().to_ascii_lowercase();
    let path = if url.path.is_empty() { b"/".to_vec() } else { url.path.clone() };
    (lower(&url.scheme), lower(&url.authority), path, url.query.clone())
}
