//! The parts of URI handling that captures and redirects need: whether two URIs are the same, and where a redirect leads.
//!
//! Two spellings are equal if they name the same site ([`Site`]), and the same path and query in normal form (RFC 3986,
//! section 6.2.2). Fragments and user information do not count.

use memchr::{memchr, memmem, memrchr};
use robomata_evaluator::Site;
use robomata_policy::{lifecycle, without_dot_segments};
use robomata_protocol::SplitUrl;

/// A URI with an authority, split into its parts.
#[derive(Clone, Copy)]
struct Parts<'a> {
    scheme: &'a [u8],
    authority: &'a [u8],
    path: &'a [u8],
    /// With its question mark; empty if there is none.
    query: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(uri: &'a [u8]) -> Option<Self> {
        let SplitUrl { scheme, authority, rest } = SplitUrl::new(uri)?;
        let rest = &rest[..memchr(b'#', rest).unwrap_or(rest.len())];
        let (path, query) = rest.split_at(memchr(b'?', rest).unwrap_or(rest.len()));
        Some(Parts { scheme, authority, path, query })
    }
}

/// The authority of a URI, if it has one.
pub(crate) fn authority(uri: &[u8]) -> Option<&[u8]> {
    Parts::of(uri).map(|parts| parts.authority)
}

/// Returns whether a host, with or without a port, may be written like this. A rule, a sentence or markup is not.
pub(crate) fn may_be_host(text: &[u8]) -> bool {
    let host = &text[memrchr(b'@', text).map_or(0, |at| at + 1)..];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b".-_~%:[]".contains(byte);
    let port = memrchr(b':', host).map(|colon| &host[colon + 1..]).filter(|_| !host.ends_with(b"]"));
    let is_port = |port: &[u8]| !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    !host.is_empty() && host.iter().all(is_part) && port.is_none_or(is_port)
}

/// Returns whether the site of `url` is one of `host`. Without a port in the host, that of the URL does not matter.
pub(crate) fn is_of_host(url: &[u8], host: &str) -> bool {
    if authority(url).is_some_and(|authority| authority.eq_ignore_ascii_case(host.as_bytes())) {
        return true;
    }
    let (Ok(site), Ok(sites)) = (Site::of_url(url), Site::both_of_host(host)) else { return false };
    let Some(of_url) = authority(site.as_bytes()) else { return false };
    let port = memrchr(b':', of_url).filter(|_| !of_url.ends_with(b"]"));
    let without_port = &of_url[..port.unwrap_or(of_url.len())];
    let is_one = |site: &Site<'_>| {
        authority(site.as_bytes()).is_some_and(|of_host| of_host == of_url || of_host == without_port)
    };
    sites.iter().any(is_one)
}

/// Returns whether this is a URI without an authority, such as `dns:a.com`. It then belongs to no site.
pub(crate) fn has_no_authority(uri: &[u8]) -> bool {
    SplitUrl::scheme_of(uri).is_some_and(|scheme| !uri[scheme.len()..].starts_with(b"://"))
}

/// Normalises equal spellings to one. URIs without a valid site stay unchanged.
pub(crate) fn key(uri: &[u8]) -> Vec<u8> {
    let (Some(Parts { path, query, .. }), Ok(site)) = (Parts::of(uri), Site::of_url(uri)) else {
        return uri.to_vec();
    };
    let mut key = Vec::with_capacity(uri.len() + 1);
    key.extend_from_slice(site.as_bytes());
    let start = key.len();
    push_encoded(if path.is_empty() { b"/" } else { path }, &mut key);
    if memmem::find(&key[start..], b"/.").is_some() {
        let path = without_dot_segments(&key[start..]);
        key.truncate(start);
        key.extend_from_slice(&path);
    }
    push_encoded(query, &mut key);
    key
}

/// The [`key`] of the URI to which a redirect leads from `base` to `location` (RFC 3986, section 5.2). None if it cannot
/// be followed (`crates/DIALECTS.md`, F6), or if its authority is that of no site.
pub(crate) fn target(base: &[u8], location: &[u8]) -> Option<Vec<u8>> {
    if lifecycle::dead_end(location).is_some() {
        return None;
    }
    let key = resolved(base, location.trim_ascii())?;
    Site::of_url(&key).is_ok().then_some(key)
}

fn resolved(base: &[u8], location: &[u8]) -> Option<Vec<u8>> {
    if Parts::of(location).is_some() {
        return Some(key(location));
    }
    let base = key(base);
    let Parts { scheme, authority, path, query } = Parts::of(&base)?;
    if location.starts_with(b"//") {
        return Some(key(&[scheme, b":", location].concat()));
    }
    let (directory, rest) = match location.first()? {
        b'/' => (&[][..], location),
        b'?' => (path, location),
        b'#' => (path, query),
        _ => {
            let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            (&path[..end], location)
        }
    };
    Some(key(&[scheme, b"://", authority, directory, rest].concat()))
}

/// Appends `text` with its bytes in normal form: %xx of an unreserved character is decoded, the hex digits of others are
/// in upper case, and bytes that a URI cannot contain are encoded, except control characters (RFC 3986, sections 2 and
/// 6.2.2).
fn push_encoded(mut text: &[u8], out: &mut Vec<u8>) {
    while let Some((&first, rest)) = text.split_first() {
        let escaped = if first == b'%' { escaped(rest) } else { None };
        text = if escaped.is_some() { &rest[2..] } else { rest };
        match escaped {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => out.push(byte),
            None if first.is_ascii() && !b" \"<>\\^`{|}".contains(&first) => out.push(first),
            _ => out.extend_from_slice(format!("%{:02X}", escaped.unwrap_or(first)).as_bytes()),
        }
    }
}

/// The byte that the two hex digits at the start of `text` mean.
fn escaped(text: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    u8::try_from(16 * digit(0)? + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use robomata_evaluator::SiteResource;

    use super::*;

    #[test]
    fn a_rule_is_no_host() {
        for host in
            ["a.com", "localhost:8080", "a:b@a.com:80", "[::1]", "[::1]:80", "b\u{fc}cher.example.", "a_b"]
        {
            assert!(may_be_host(host.as_bytes()), "{host}");
        }
        for text in [
            "",
            "a.com:",
            "Disallow:/",
            "Disallow: /",
            "Disallow:a.com",
            "/private",
            "# a",
            "a@",
            "\"a.com",
            "<p>",
        ] {
            assert!(!may_be_host(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn the_robots_txt_of_a_site_is_its_path_alone() {
        for robots in ["http://a.com/robots.txt", "HTTPS://A.com:8080/robots.txt#x", "ftp://a/robots.txt"] {
            assert_eq!(SiteResource::of_url(robots.as_bytes()), Some(SiteResource::Robots), "{robots}");
        }
        let tdmrep = "https://A.com:8080/.well-known/tdmrep.json#x";
        assert_eq!(SiteResource::of_url(tdmrep.as_bytes()), Some(SiteResource::TdmRep));
        for other in [
            "http://a.com/.well-known/tdmrep.json?x",
            "http://a.com/.well-known/TDMRep.json",
            "http://a.com/tdmrep.json",
            "http://a.com/robots.txt?x",
            "http://a.com/robots.txt/",
            "http://a.com/Robots.txt",
            "http://a.com/?x",
            "http:///robots.txt",
            "http://a.com/b/robots.txt",
            "http://a.com?/robots.txt",
            "dns:a.com",
            "/robots.txt",
            "://a/robots.txt",
            "",
        ] {
            assert_eq!(SiteResource::of_url(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_site_is_its_root() {
        for root in ["http://a.com", "http://a.com/", "ftp://a.com:2121/#x"] {
            assert_eq!(SiteResource::of_url(root.as_bytes()), Some(SiteResource::Root), "{root}");
        }
    }

    #[test]
    fn some_uris_have_no_authority() {
        for (uri, expected) in [
            ("dns:a.com", true),
            ("urn:uuid:1", true),
            ("mailto:x@a.com", true),
            ("http://a.com/", false),
            ("a.com/b:c", false),
            ("", false),
        ] {
            assert_eq!(has_no_authority(uri.as_bytes()), expected, "{uri}");
        }
    }

    #[test]
    fn spellings_of_one_address_have_one_key() {
        for (uri, expected) in [
            ("HTTP://A.com:80", "http://a.com/"),
            ("https://a.com:443/X?y#z", "https://a.com/X?y"),
            ("https://a.com:80/", "https://a.com:80/"),
            ("ws://a.com:80", "ws://a.com/"),
            ("WSS://a.com:443/x", "wss://a.com/x"),
            ("https://a.com:/", "https://a.com/"),
            ("https://a.com:0443/", "https://a.com/"),
            ("https://a.com./", "https://a.com/"),
            ("https://user@a.com/", "https://a.com/"),
            ("https://%61.com/", "https://a.com/"),
            ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
            ("https://a.com/./b/../c", "https://a.com/c"),
            ("https://a.com/../b/.", "https://a.com/b/"),
            ("https://a.com/b/..", "https://a.com/"),
            ("https://a.com/%2e%2E/b//.c/..d", "https://a.com/b//.c/..d"),
            ("https://a.com/%7Ea%2fb?%7e/../c%3d", "https://a.com/~a%2Fb?~/../c%3D"),
            ("https://a.com/\u{e9} %zz%4", "https://a.com/%C3%A9%20%zz%4"),
            ("https://a.com:99999/%7E", "https://a.com:99999/%7E"),
            ("dns:a.com", "dns:a.com"),
        ] {
            assert_eq!(String::from_utf8(key(uri.as_bytes())).unwrap(), expected);
        }
    }

    #[test]
    fn a_location_is_read_from_where_it_was_sent() {
        let from = |base: &str, location: &str| {
            target(base.as_bytes(), location.as_bytes()).map(|uri| String::from_utf8(uri).unwrap())
        };
        for (location, expected) in [
            ("https://x.com/y", "https://x.com/y"),
            ("//x.com/y", "http://x.com/y"),
            ("/y", "http://a.com/y"),
            ("/y?u=http://z", "http://a.com/y?u=http://z"),
            ("y", "http://a.com/b/y"),
            ("./y", "http://a.com/b/y"),
            ("../../y", "http://a.com/y"),
            ("..", "http://a.com/"),
            ("?y", "http://a.com/b/c?y"),
            ("#y", "http://a.com/b/c?d"),
        ] {
            assert_eq!(from("http://a.com/b/c?d", location).as_deref(), Some(expected), "{location}");
        }
        // The dot segments of the base are removed first.
        assert_eq!(from("http://a.com/b/..", "y").as_deref(), Some("http://a.com/y"));
        assert_eq!(from("http://a.com", "y").as_deref(), Some("http://a.com/y"));
        for location in [
            "",
            " \t",
            "ftp://a.com/",
            "b.com:80/",
            "https:/y",
            "http://",
            "//",
            "/\u{1}",
            "https://b.com:x/",
        ] {
            assert_eq!(from("http://a.com/b", location), None, "{location:?}");
        }
    }
}
