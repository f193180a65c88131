//! The location of a page, and whether a URI belongs to its site (A19, P7, M3).

use robomata_protocol::Dialect;

use crate::normal::{self, Symbol};
use crate::target;

/// A URL, divided at `scheme://authority`.
pub(crate) struct Absolute<'u> {
    pub(crate) scheme: &'u [u8],
    pub(crate) authority: &'u [u8],
    /// Path, query and fragment.
    pub(crate) rest: &'u [u8],
}

/// Divides an absolute URL (U1).
pub(crate) fn absolute(url: &[u8]) -> Option<Absolute<'_>> {
    let colon = scheme_end(url)?;
    let rest = url[colon..].strip_prefix(b"://")?;
    let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
    Some(Absolute { scheme: &url[..colon], authority: &rest[..end], rest: &rest[end..] })
}

/// V6: a scheme, `://` and an authority, in UTF-8 without white space and control characters.
pub(crate) fn is_url(value: &[u8]) -> bool {
    is_one_word(value) && absolute(value).is_some_and(|url| !url.authority.is_empty())
}

/// V6: UTF-8 without (ASCII) white space and control characters.
pub(crate) fn is_one_word(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok() && !value.iter().any(|byte| matches!(byte, 0..=b' ' | 0x7F))
}

/// Like [`is_url`], with the scheme http or https (M2, P13).
pub(crate) fn is_web_url(value: &[u8]) -> bool {
    let is_web =
        |scheme: &[u8]| scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
    is_url(value) && absolute(value).is_some_and(|url| is_web(url.scheme))
}

/// Returns whether `uri` begins with a scheme and a colon (RFC 3986, 3.1).
pub(crate) fn has_scheme(uri: &[u8]) -> bool {
    scheme_end(uri).is_some()
}

fn scheme_end(uri: &[u8]) -> Option<usize> {
    let colon = uri.iter().position(|&byte| byte == b':')?;
    let (first, others) = uri[..colon].split_first()?;
    let is_scheme = first.is_ascii_alphabetic()
        && others.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some(colon)
}

/// Scheme, host and port in normal form: lower case, no userinfo, no default port, no dot at the end of the host, an IPv4
/// address in dotted decimal. `None` if the URL has none, or a host that ends as an IPv4 address and is none (U1).
pub(crate) fn site(url: &[u8]) -> Option<Vec<u8>> {
    let Absolute { scheme, authority, .. } = absolute(url)?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = normal_authority(&scheme, authority)?;
    Some([&scheme, &b"://"[..], &authority].concat())
}

/// The authority of a site in normal form.
fn normal_authority(scheme: &[u8], authority: &[u8]) -> Option<Vec<u8>> {
    let host_start = authority.iter().rposition(|&byte| byte == b'@').map_or(0, |at| at + 1);
    let authority = authority[host_start..].to_ascii_lowercase();
    let (host, port) = match authority.iter().rposition(|&byte| byte == b':') {
        Some(colon) if authority[colon + 1..].iter().all(u8::is_ascii_digit) => {
            (&authority[..colon], &authority[colon + 1..])
        }
        _ => (&authority[..], &b""[..]),
    };
    let host = normal_host(host.strip_suffix(b".").unwrap_or(host))?;
    let is_default = port.is_empty() || default_port(scheme).is_some_and(|default| default == port);
    Some(if is_default { host } else { [&host, &b":"[..], port].concat() })
}

/// U1: a host that is an IPv4 address in dotted decimal. `None` if it ends as one and cannot be read.
fn normal_host(host: &[u8]) -> Option<Vec<u8>> {
    let labels: Vec<&[u8]> = host.split(|&byte| byte == b'.').collect();
    let last = labels.last()?;
    let is_decimal = !last.is_empty() && last.iter().all(u8::is_ascii_digit);
    let is_hex = last.strip_prefix(b"0x").is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if !is_decimal && !is_hex {
        return Some(host.to_vec());
    }
    let numbers: Vec<u64> = labels.iter().map(|label| ipv4_number(label)).collect::<Option<_>>()?;
    let (&rest, bytes) = numbers.split_last()?;
    let bits_of_rest = 32 - 8 * u32::try_from(bytes.len()).ok().filter(|&len| len < 4)?;
    if bytes.iter().any(|&byte| byte > 0xFF) || rest >> bits_of_rest != 0 {
        return None;
    }
    let mut address = rest;
    for (byte, shift) in bytes.iter().zip([24, 16, 8]) {
        address |= byte << shift;
    }
    let decimals = [24, 16, 8, 0].map(|shift| (address >> shift & 0xFF).to_string());
    Some(decimals.join(".").into_bytes())
}

/// The URL Standard's IPv4 number parser, for text in lower case: hex after `0x` (also none), octal after `0`, decimal.
fn ipv4_number(label: &[u8]) -> Option<u64> {
    let (digits, base) = match label {
        [b'0', b'x'] => return Some(0),
        [b'0', b'x', digits @ ..] => (digits, 16),
        [b'0', digits @ ..] if !digits.is_empty() => (digits, 8),
        digits => (digits, 10),
    };
    // A sign is no digit.
    let is_digits = digits.iter().all(u8::is_ascii_alphanumeric);
    std::str::from_utf8(digits)
        .ok()
        .filter(|_| is_digits)
        .and_then(|text| u64::from_str_radix(text, base).ok())
}

/// The default port of a scheme, for URLs without a port (RFC 3986, 6.2.3).
pub(crate) fn default_port(scheme: &[u8]) -> Option<&'static [u8]> {
    match scheme {
        b"http" | b"ws" => Some(b"80"),
        b"https" | b"wss" => Some(b"443"),
        b"ftp" => Some(b"21"),
        _ => None,
    }
}

/// The location of the page in question.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    site: Option<Vec<u8>>,
    /// Path and query in normal form N1.
    path: Vec<Symbol>,
    /// The path as written, up to its last `/`.
    directory: Vec<u8>,
}

/// The location of a URI relative to a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the page's site, under this URL.
    Here(Vec<u8>),
    /// On another site, or on an unknown one.
    Elsewhere,
}

/// The result of comparing a `location` with the page's location (P7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Different,
    /// The location of the page is not known.
    Unknown,
}

impl Location {
    /// The location of `url`; `origin` gives the site if the URL is a path alone.
    pub(crate) fn new(url: &[u8], origin: Option<&[u8]>) -> Location {
        let (site_of_page, written) = match absolute(url) {
            Some(absolute) => (site(url), absolute.rest),
            None => (origin.and_then(site), url),
        };
        let path_end = written.iter().position(|byte| b"?#".contains(byte)).unwrap_or(written.len());
        let directory = match written[..path_end].iter().rposition(|&byte| byte == b'/') {
            Some(slash) => written[..=slash].to_vec(),
            None => b"/".to_vec(),
        };
        Location { site: site_of_page, path: normal_path(url), directory }
    }

    /// A19: the location of a URI that the page's permission names.
    pub(crate) fn resolve(&self, uri: &[u8]) -> Place {
        if has_scheme(uri) {
            let is_here = self.site.is_some() && site(uri) == self.site;
            return if is_here { Place::Here(uri.to_vec()) } else { Place::Elsewhere };
        }
        match uri.first() {
            Some(b'/') => Place::Here(uri.to_vec()),
            _ => Place::Here([&self.directory, uri].concat()),
        }
    }

    /// P7: compares this URI with the page's location. The fragment is ignored.
    pub(crate) fn compare(&self, uri: &[u8]) -> Comparison {
        let same = |is_same: bool| if is_same { Comparison::Same } else { Comparison::Different };
        if uri.first() == Some(&b'/') {
            return same(normal_path(uri) == self.path);
        }
        match (site(uri), &self.site) {
            (None, _) => Comparison::Different,
            _ if normal_path(uri) != self.path => Comparison::Different,
            (Some(_), None) => Comparison::Unknown,
            (Some(its), Some(own)) => same(its == *own),
        }
    }

    /// The site, if it is known.
    pub(crate) fn site(&self) -> Option<&[u8]> {
        self.site.as_deref()
    }
}

/// Path and query of a URL in normal form N1, regardless of the dialect's own form.
pub(crate) fn normal_path(url: &[u8]) -> Vec<Symbol> {
    target::of(url, Dialect::Rfc9309).unwrap_or_else(|| {
        // Only Google's cut accepts such a text as a URL.
        let cut = target::of(url, Dialect::Google).unwrap_or_default();
        let bytes = cut.into_iter().map(|symbol| if let Symbol::Byte(byte) = symbol { byte } else { b'/' });
        normal::target(&bytes.collect::<Vec<_>>(), Dialect::Rfc9309)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_a_normal_form() {
        let site = |url: &str| site(url.as_bytes()).map(|site| String::from_utf8_lossy(&site).into_owned());
        assert_eq!(site("HTTP://me@A.Example.:80/x").as_deref(), Some("http://a.example"));
        assert_eq!(site("https://a.example:8443").as_deref(), Some("https://a.example:8443"));
        assert_eq!(site("/x"), None);
    }

    #[test]
    fn sites_have_ipv4_addresses_in_dotted_decimal() {
        let host = |host: &str| {
            let site = site(format!("http://{host}:80/x").as_bytes())?;
            Some(String::from_utf8_lossy(&site[b"http://".len()..]).into_owned())
        };
        for written in [
            "127.0.0.1",
            "127.1",
            "127.1.",
            "127.0.1",
            "0x7F.1",
            "0X7f.0x.0X0.0x1",
            "0177.0.0.01",
            "2130706433",
            "0x7f000001",
            "017700000001",
            "u@127.1",
        ] {
            assert_eq!(host(written).as_deref(), Some("127.0.0.1"), "{written}");
        }
        assert_eq!(host("0x").as_deref(), Some("0.0.0.0"));
        assert_eq!(host("1.2.65535").as_deref(), Some("1.2.255.255"));
        assert_eq!(host("4294967295").as_deref(), Some("255.255.255.255"));
        for unreadable in [
            "1.2.3.4.5",
            "256.1",
            "1.2.65536",
            "1.2.3.256",
            "4294967296",
            "18446744073709551617",
            "0x100000000000000007f000001",
            "a.1",
            "1..2",
            ".1",
            "08",
            "1.2.3.09",
            "+1.2",
            "a.0x",
        ] {
            assert_eq!(host(unreadable), None, "{unreadable}");
        }
        for name in ["1.a", "a1", "0x7g", "1.2.3.4x", "x0x1", "[::127.1]", "1.."] {
            assert_eq!(host(name).as_deref(), Some(name.strip_suffix('.').unwrap_or(name)), "{name}");
        }
    }

    #[test]
    fn an_unreadable_host_is_not_the_site_of_the_file() {
        let origin = Some(&b"http://127.0.0.1/"[..]);
        let at = |url: &[u8]| Location::new(url, origin).compare(b"http://127.1/x");
        assert_eq!(at(b"http://0x7f.1/x"), Comparison::Same);
        assert_eq!(at(b"/x"), Comparison::Same);
        assert_eq!(at(b"http://127.2/x"), Comparison::Different);
        assert_eq!(at(b"http://127.0.0.256/x"), Comparison::Unknown);
        assert_eq!(Location::new(b"/x", origin).compare(b"http://127.0.0.256/x"), Comparison::Different);
        assert_eq!(
            Location::new(b"/x", origin).resolve(b"http://2130706433/y"),
            Place::Here(b"http://2130706433/y".to_vec())
        );
    }

    #[test]
    fn uris_are_resolved_against_site_and_directory() {
        let page = Location::new(b"http://a.example/d/page?q=/", None);
        assert_eq!(page.resolve(b"/x"), Place::Here(b"/x".to_vec()));
        assert_eq!(page.resolve(b"x.txt"), Place::Here(b"/d/x.txt".to_vec()));
        assert_eq!(page.resolve(b"http://A.example:80/x"), Place::Here(b"http://A.example:80/x".to_vec()));
        assert_eq!(page.resolve(b"http://b.example/x"), Place::Elsewhere);
        assert_eq!(Location::new(b"/d/page", None).resolve(b"http://a.example/"), Place::Elsewhere);
    }
}
