//! The targets of redirects (F5, F6): resolves references according to RFC 3986, section 5.2, as far as HTTP needs it.

use robomata_protocol::lifecycle::{Attempt, DeadEnd};

use super::headers;
use crate::without_dot_segments;

/// Where the redirect that ended an attempt would lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// To a URL that the attempt requested before.
    Visited,
    /// To another URL, or unknown: a relative reference without a known base.
    New,
    /// To no URL.
    DeadEnd(DeadEnd),
}

/// The target of the last response of `attempt`, which is a redirect.
pub(crate) fn next(attempt: &Attempt) -> Next {
    let location = match only_location(attempt) {
        Ok(location) => location,
        Err(end) => return Next::DeadEnd(end),
    };
    let mut visited = vec![Url::absolute(&attempt.url)];
    for hop in &attempt.hops {
        let base = visited.last().and_then(Option::as_ref);
        let target = hop.location.as_deref().and_then(|location| resolve(base, location).ok().flatten());
        visited.push(target);
    }
    let base = visited.last().and_then(Option::as_ref);
    match resolve(base, location) {
        Err(end) => Next::DeadEnd(end),
        Ok(None) => Next::New,
        Ok(target) if visited.contains(&target) => Next::Visited,
        Ok(Some(_)) => Next::New,
    }
}

/// The value of the Location field, if there is one or all are equal.
fn only_location(attempt: &Attempt) -> Result<&[u8], DeadEnd> {
    let mut locations = headers::values(&attempt.headers, "location");
    let first = locations.next().ok_or(DeadEnd::NoTarget)?;
    if locations.all(|other| other == first) { Ok(first) } else { Err(DeadEnd::MalformedTarget) }
}

/// Why a redirect to `location` cannot be followed, whatever URL answered with it (F6).
pub fn dead_end(location: &[u8]) -> Option<DeadEnd> {
    resolve(None, location).err()
}

/// An HTTP URL in the form for comparison (F5).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Url {
    /// `http` or `https`.
    scheme: Vec<u8>,
    /// In lower case.
    authority: Vec<u8>,
    /// Begins with `/`; without dot segments.
    path: Vec<u8>,
    query: Option<Vec<u8>>,
}

impl Url {
    fn absolute(url: &[u8]) -> Option<Url> {
        resolve(None, url).ok().flatten()
    }

    fn new(scheme: &[u8], authority: &[u8], path: &[u8], query: Option<&[u8]>) -> Url {
        Url {
            scheme: scheme.to_ascii_lowercase(),
            authority: authority.to_ascii_lowercase(),
            path: without_dot_segments(path),
            query: query.map(<[u8]>::to_vec),
        }
    }
}

/// The target of `reference` in a response from `base`; `None` when the reference needs a base and there is none.
fn resolve(base: Option<&Url>, reference: &[u8]) -> Result<Option<Url>, DeadEnd> {
    let reference = headers::trimmed(reference);
    if reference.is_empty() {
        return Err(DeadEnd::NoTarget);
    }
    if reference.iter().any(u8::is_ascii_control) {
        return Err(DeadEnd::MalformedTarget);
    }
    let reference = split(reference, b'#').0;
    let (scheme, rest) = scheme(reference);
    if scheme.is_some_and(|scheme| !is_http(scheme)) {
        return Err(DeadEnd::ForeignScheme);
    }
    let (hierarchy, query) = split(rest, b'?');
    if let Some(after) = hierarchy.strip_prefix(b"//") {
        let end = after.iter().position(|byte| *byte == b'/').unwrap_or(after.len());
        let (authority, path) = after.split_at(end);
        if authority.is_empty() {
            return Err(DeadEnd::MalformedTarget);
        }
        let scheme = scheme.or(base.map(|base| base.scheme.as_slice()));
        return Ok(scheme.map(|scheme| Url::new(scheme, authority, path, query)));
    }
    match scheme {
        Some(_) => Err(DeadEnd::MalformedTarget),
        None => Ok(base.map(|base| relative(base, hierarchy, query))),
    }
}

/// Resolves a reference without scheme and authority.
fn relative(base: &Url, path: &[u8], query: Option<&[u8]>) -> Url {
    let url = |path: &[u8], query| Url::new(&base.scheme, &base.authority, path, query);
    match path.first() {
        None => url(&base.path, query.or(base.query.as_deref())),
        Some(b'/') => url(path, query),
        Some(_) => {
            let folder = base.path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            url(&[&base.path[..folder], path].concat(), query)
        }
    }
}

/// The text before the first `mark`, and the text after it, if there is one.
fn split(text: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == mark) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// The scheme of `reference`, and the text after its colon (RFC 3986, appendix B).
fn scheme(reference: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match reference.iter().position(|byte| b":/?#".contains(byte)) {
        Some(at) if at > 0 && reference[at] == b':' => (Some(&reference[..at]), &reference[at + 1..]),
        _ => (None, reference),
    }
}

fn is_http(scheme: &[u8]) -> bool {
    scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(base: &str, reference: &str) -> String {
        let base = Url::absolute(base.as_bytes()).unwrap();
        let url = resolve(Some(&base), reference.as_bytes()).unwrap().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let query = url.query.map_or(String::new(), |query| format!("?{}", text(&query)));
        format!("{}://{}{}{query}", text(&url.scheme), text(&url.authority), text(&url.path))
    }

    #[test]
    fn some_locations_lead_nowhere_from_any_url() {
        for (location, end) in [
            ("", Some(DeadEnd::NoTarget)),
            (" \t", Some(DeadEnd::NoTarget)),
            ("http:///x", Some(DeadEnd::MalformedTarget)),
            ("https:x", Some(DeadEnd::MalformedTarget)),
            ("/a\nb", Some(DeadEnd::MalformedTarget)),
            ("ftp://a.example/", Some(DeadEnd::ForeignScheme)),
            ("http://a.example/", None),
            ("//a.example", None),
            ("x", None),
        ] {
            assert_eq!(dead_end(location.as_bytes()), end, "{location}");
        }
    }

    #[test]
    fn references_are_resolved_like_the_examples_of_rfc_3986_section_5_4() {
        let base = "http://a/b/c/d;p?q";
        for (reference, target) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g/"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            ("g#s", "http://a/b/c/g"),
            (";x", "http://a/b/c/;x"),
            (".", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../..", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("HTTPS://EXAMPLE.com:443/X", "https://example.com:443/X"),
            (" /a//../b ", "http://a/a/b"),
        ] {
            assert_eq!(resolved(base, reference), target, "{reference}");
        }
    }

    #[test]
    fn dead_ends_are_distinguished() {
        let base = Url::absolute(b"http://a/").unwrap();
        let end = |reference: &[u8]| resolve(Some(&base), reference).unwrap_err();
        assert_eq!(end(b" \t"), DeadEnd::NoTarget);
        for malformed in [&b"http:x"[..], b"http:///x", b"//", b"///x", b"/a\x00b", b"/a\x7f", b"https:"] {
            assert_eq!(end(malformed), DeadEnd::MalformedTarget);
        }
        for foreign in [&b"ftp://a/robots.txt"[..], b"javascript:void(0)", b"example.com:80/x"] {
            assert_eq!(end(foreign), DeadEnd::ForeignScheme);
        }
        assert_eq!(resolve(None, b"/x"), Ok(None));
    }
}
