//! The parts of URI handling that captures and redirects need: whether a URI is a site's robots.txt or tdmrep.json, and
//! where a redirect leads.
//!
//! Other crates define sites and compare addresses. Here, two spellings are equal if they differ only in the case of
//! scheme and host, a default port, an empty path or a fragment.

use memchr::memchr;
use robomata_protocol::{SplitUrl, default_port};

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

/// The resource that a site's URI denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The site itself: the path is empty or `/`.
    Root,
    /// The site's robots.txt.
    Robots,
    /// The site's tdmrep.json.
    TdmRep,
}

/// Returns whether `uri` is that of a site, of its robots.txt or of its tdmrep.json: `/robots.txt` (RFC 9309, section
/// 2.3) and `/.well-known/tdmrep.json` in lower case. Returns none for any other resource. A URI with a query is another resource.
pub(crate) fn place(uri: &[u8]) -> Option<Place> {
    let parts = Parts::of(uri).filter(|parts| parts.query.is_empty() && !parts.authority.is_empty())?;
    match parts.path {
        b"/robots.txt" => Some(Place::Robots),
        b"/.well-known/tdmrep.json" => Some(Place::TdmRep),
        b"" | b"/" => Some(Place::Root),
        _ => None,
    }
}

/// Returns whether this is a URI without an authority, such as `dns:a.com`. It then belongs to no site.
pub(crate) fn has_no_authority(uri: &[u8]) -> bool {
    SplitUrl::scheme_of(uri).is_some_and(|scheme| !uri[scheme.len()..].starts_with(b"://"))
}

/// Normalises equal spellings to one. URIs that cannot be split stay unchanged.
pub(crate) fn key(uri: &[u8]) -> Vec<u8> {
    let Some(Parts { scheme, authority, path, query }) = Parts::of(uri) else { return uri.to_vec() };
    let scheme = scheme.to_ascii_lowercase();
    let default = default_port(&scheme).map_or_else(|| ":".to_owned(), |port| format!(":{port}"));
    let authority = authority.to_ascii_lowercase();
    let host = authority.strip_suffix(default.as_bytes()).unwrap_or(&authority);
    let path = if path.is_empty() { b"/" } else { path };
    [&scheme[..], b"://", host, path, query].concat()
}

/// Resolves a redirect from `base` to `location` (RFC 3986, section 5.2). Dot segments are not removed, because servers
/// do not send them here.
pub(crate) fn join(base: &[u8], location: &[u8]) -> Option<Vec<u8>> {
    let location = location.trim_ascii();
    if Parts::of(location).is_some() {
        return Some(location.to_vec());
    }
    let Parts { scheme, authority, path, .. } = Parts::of(base)?;
    if location.starts_with(b"//") {
        return Some([scheme, b":", location].concat());
    }
    let directory = match location.first()? {
        b'/' => &[],
        b'?' => path,
        b'#' => return None,
        _ => &path[..path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)],
    };
    Some([scheme, b"://", authority, directory, location].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_robots_txt_of_a_site_is_its_path_alone() {
        for robots in ["http://a.com/robots.txt", "HTTPS://A.com:8080/robots.txt#x", "ftp://a/robots.txt"] {
            assert_eq!(place(robots.as_bytes()), Some(Place::Robots), "{robots}");
        }
        let tdmrep = "https://A.com:8080/.well-known/tdmrep.json#x";
        assert_eq!(place(tdmrep.as_bytes()), Some(Place::TdmRep));
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
            assert_eq!(place(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_site_is_its_root() {
        for root in ["http://a.com", "http://a.com/", "ftp://a.com:2121/#x"] {
            assert_eq!(place(root.as_bytes()), Some(Place::Root), "{root}");
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
            ("dns:a.com", "dns:a.com"),
        ] {
            assert_eq!(String::from_utf8(key(uri.as_bytes())).unwrap(), expected);
        }
    }

    #[test]
    fn a_location_is_read_from_where_it_was_sent() {
        let join = |location: &str| {
            join(b"http://a.com/b/c?d", location.as_bytes()).map(|uri| String::from_utf8(uri).unwrap())
        };
        assert_eq!(join("https://x.com/y").unwrap(), "https://x.com/y");
        assert_eq!(join("//x.com/y").unwrap(), "http://x.com/y");
        assert_eq!(join("/y").unwrap(), "http://a.com/y");
        assert_eq!(join("/y?u=http://z").unwrap(), "http://a.com/y?u=http://z");
        assert_eq!(join("y").unwrap(), "http://a.com/b/y");
        assert_eq!(join("?y").unwrap(), "http://a.com/b/c?y");
        assert_eq!((join(""), join("#y")), (None, None));
    }
}
