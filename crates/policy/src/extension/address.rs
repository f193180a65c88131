//! Values that are addresses: `Sitemap`, `Host`, `License`, `TimeGate`.

use robomata_protocol::is_scheme;

/// `value`, if it is an absolute URL: a scheme, `://`, and something other than a slash (V6).
pub(super) fn absolute_url(value: &str) -> Option<&str> {
    let (scheme, rest) = value.split_once("://")?;
    let is_url = is_scheme(scheme.as_bytes()) && !rest.is_empty() && !rest.starts_with(['/', '?', '#']);
    (is_url && is_one_word(value)).then_some(value)
}

/// The absolute URLs in `value`: one or more, separated by white space, with an optional comma after each but the last.
/// `None` if one of them is not an absolute URL.
pub(super) fn absolute_urls(value: &str) -> Option<Vec<&str>> {
    let mut words = value.split([' ', '\t']).filter(|word| !word.is_empty()).peekable();
    let mut urls = Vec::new();
    while let Some(word) = words.next() {
        let word = if words.peek().is_some() { word.strip_suffix(',').unwrap_or(word) } else { word };
        urls.push(absolute_url(word)?);
    }
    (!urls.is_empty()).then_some(urls)
}

/// `value`, if it is an absolute http or https URL.
pub(super) fn http_url(value: &str) -> Option<&str> {
    let (scheme, _) = absolute_url(value)?.split_once("://")?;
    ["http", "https"].iter().any(|http| scheme.eq_ignore_ascii_case(http)).then_some(value)
}

/// Whether it is an absolute http or https URL (V6).
pub fn is_http_url(value: &str) -> bool {
    http_url(value).is_some()
}

/// `value`, if it is an absolute http or https URL or a path (M2).
pub(super) fn http_url_or_path(value: &str) -> Option<&str> {
    if value.starts_with('/') { is_one_word(value).then_some(value) } else { http_url(value) }
}

/// `value`, if it is `[scheme://]host[:port]`.
pub(super) fn host(value: &str) -> Option<&str> {
    let authority = match value.split_once("://") {
        Some((scheme, rest)) => is_scheme(scheme.as_bytes()).then_some(rest)?,
        None => value,
    };
    let host = match authority.rsplit_once(':') {
        // A colon in brackets belongs to an IPv6 address.
        Some((host, port)) if !port.ends_with(']') => is_port(port).then_some(host)?,
        _ => authority,
    };
    (is_name(host) || is_ipv6(host)).then_some(value)
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

/// Whether it is a name of labels, which may contain non-ASCII letters, or an IPv4 address.
fn is_name(host: &str) -> bool {
    let is_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || byte >= 0x80;
    host.bytes().all(is_byte) && !host.trim_matches('.').is_empty()
}

fn is_ipv6(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    inner.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok())
}

fn is_one_word(value: &str) -> bool {
    !value.bytes().any(|byte| byte <= b' ' || byte == 0x7F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_absolute_and_of_their_schemes() {
        for url in ["https://a.example/s.xml", "HTTP://a", "http://m\u{fc}ller.example/\u{e9}?q#f"] {
            assert_eq!(http_url(url), Some(url));
        }
        for odd in ["", "/s.xml", "s.xml", "//a.example/s", "ftp://a/s", "http:///s", "http://", "http://a b"]
        {
            assert_eq!(http_url(odd), None, "{odd}");
        }
        assert_eq!(absolute_url("ipfs://a"), Some("ipfs://a"));
        for odd in ["a.example/licence", "://a", "1a://b", "http:/a", "mailto:a@b"] {
            assert_eq!(absolute_url(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_licence_may_have_several_urls() {
        assert_eq!(absolute_urls("https://a/l"), Some(vec!["https://a/l"]));
        assert_eq!(absolute_urls("https://a/l, \t ipfs://b"), Some(vec!["https://a/l", "ipfs://b"]));
        assert_eq!(
            absolute_urls("https://a/l,"),
            Some(vec!["https://a/l,"]),
            "a comma may be a part of a URL"
        );
        for odd in ["", "/l", "https://a/l /l", "https://a/l , ipfs://b"] {
            assert_eq!(absolute_urls(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_time_gate_may_be_a_path() {
        assert_eq!(http_url_or_path("/timegate/"), Some("/timegate/"));
        assert_eq!(http_url_or_path("http://a/timegate/"), Some("http://a/timegate/"));
        for odd in ["timegate/", "", "/a b", "ftp://a/"] {
            assert_eq!(http_url_or_path(odd), None, "{odd}");
        }
    }

    #[test]
    fn hosts_may_have_a_scheme_and_a_port() {
        for good in [
            "www.a.example",
            "https://a:8080",
            "a.example.",
            "10.0.0.1:80",
            "[::1]:80",
            "[::1]",
            "\u{434}.example",
        ] {
            assert_eq!(host(good), Some(good));
        }
        for odd in
            ["", ".", "a b", "http://a/", "a:", "a:x", "a:70000", "a:+1", "://a", "a,b", "[::1", "u@a", "::1"]
        {
            assert_eq!(host(odd), None, "{odd}");
        }
    }
}
