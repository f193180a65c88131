//! URLs as callers hold them: as a text, or in parts, as the columns of an index have them.

use std::borrow::Cow;

use crate::scheme::is_of_scheme;

/// A URL: its text, or its parts.
///
/// ```
/// use robomata_protocol::{UrlParts, UrlRef};
///
/// let parts = UrlParts { scheme: b"https", host: b"example.com", port: None, path: b"/a", query: Some(b"b") };
/// assert_eq!(UrlRef::from(parts).text(), UrlRef::from("https://example.com/a?b").text());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlRef<'u> {
    /// The text of a URL.
    Text(&'u [u8]),
    /// The parts of a URL.
    Parts(UrlParts<'u>),
}

impl<'u> UrlRef<'u> {
    /// The URL's text.
    pub fn text(&self) -> Cow<'u, [u8]> {
        match self {
            UrlRef::Text(text) => Cow::Borrowed(text),
            UrlRef::Parts(parts) => {
                let mut text = Vec::new();
                parts.each_piece(|piece| text.extend_from_slice(piece));
                Cow::Owned(text)
            }
        }
    }

    /// [`requestable`], also for a URL in parts.
    #[inline]
    pub fn requestable(self) -> Option<Self> {
        let parts = match self {
            UrlRef::Text(text) => return requestable(text).map(UrlRef::Text),
            UrlRef::Parts(parts) => parts,
        };
        let (path, query) = match parts.query {
            Some(query) => (parts.path, Some(trim_end(query))),
            None => (trim_end(parts.path), None),
        };
        let parts = UrlParts { scheme: trim_start(parts.scheme), path, query, ..parts };
        let mut is_requestable = true;
        parts.each_piece(|piece| is_requestable &= !has_controls(piece));
        is_requestable.then_some(UrlRef::Parts(parts))
    }
}

/// The URL in `text`, without blanks (SP and HT) around it. `None` if it contains control characters: some clients remove
/// them, others refuse the URL. So no answer about it would be about what is requested.
///
/// ```
/// use robomata_protocol::requestable;
///
/// assert_eq!(requestable(b" https://example.com/a.pdf "), Some(&b"https://example.com/a.pdf"[..]));
/// assert_eq!(requestable(b"https://example.com/a.pdf\t200"), None);
/// ```
#[inline]
pub fn requestable(text: &[u8]) -> Option<&[u8]> {
    let text = trim_end(trim_start(text));
    (!has_controls(text)).then_some(text)
}

/// Reads all bytes, without a branch for each, so that the compiler can compare many at once.
#[inline]
fn has_controls(text: &[u8]) -> bool {
    text.iter().fold(0, |found, &byte| found | u8::from(byte < b' ') | u8::from(byte == 0x7F)) != 0
}

#[inline]
fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

#[inline]
fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

impl<'u> From<&'u [u8]> for UrlRef<'u> {
    fn from(text: &'u [u8]) -> Self {
        UrlRef::Text(text)
    }
}

impl<'u> From<&'u str> for UrlRef<'u> {
    fn from(text: &'u str) -> Self {
        UrlRef::Text(text.as_bytes())
    }
}

impl<'u> From<UrlParts<'u>> for UrlRef<'u> {
    fn from(parts: UrlParts<'u>) -> Self {
        UrlRef::Parts(parts)
    }
}

/// The parts of an absolute URL (RFC 3986, section 3), each as it is written in the URL. `https://example.com:8080/a?b`
/// has the scheme `https`, the host `example.com`, the port 8080, the path `/a` and the query `b`.
///
/// They represent the text that [`UrlParts::each_piece`] makes of them, for any bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UrlParts<'u> {
    /// The scheme, without `:`.
    pub scheme: &'u [u8],
    /// The host, possibly preceded by user information.
    pub host: &'u [u8],
    /// The port; `None` when the URL does not name one.
    pub port: Option<u16>,
    /// The path, with its leading `/`; empty when the URL has none.
    pub path: &'u [u8],
    /// The query without its `?`; `None` when the URL has no `?`.
    pub query: Option<&'u [u8]>,
}

impl UrlParts<'_> {
    /// Whether the text has these parts: the path is empty or begins with `/` (RFC 3986, section 3.3), the host contains
    /// neither a delimiter nor user information, and the scheme no `:`. Otherwise, the text is the URL of another host or
    /// path.
    #[inline]
    pub fn fit(&self) -> bool {
        // All bytes of the host, without a branch for each.
        let is_delimiter = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'@' | b'\\');
        let has_delimiters = self.host.iter().fold(false, |found, byte| found | is_delimiter(byte));
        (self.path.is_empty() || self.path.starts_with(b"/"))
            && !self.scheme.contains(&b':')
            && !has_delimiters
    }

    /// Calls `emit` with the pieces of the URL's text, in order.
    #[inline]
    pub fn each_piece(&self, mut emit: impl FnMut(&[u8])) {
        emit(self.scheme);
        emit(b"://");
        emit(self.host);
        if let Some(port) = self.port {
            let mut digits = [0; PORT_DIGITS];
            emit(b":");
            emit(decimal(port, &mut digits));
        }
        self.each_piece_of_path(emit);
    }

    /// Calls `emit` with the pieces of path and query.
    #[inline]
    pub fn each_piece_of_path(&self, mut emit: impl FnMut(&[u8])) {
        emit(self.path);
        if let Some(query) = self.query {
            emit(b"?");
            emit(query);
        }
    }

    /// The number of bytes that the URL's text has at most.
    #[inline]
    pub fn max_length(&self) -> usize {
        const SEPARATORS: usize = "://:?".len() + PORT_DIGITS;
        self.scheme.len() + self.host.len() + self.path.len() + self.query.map_or(0, <[u8]>::len) + SEPARATORS
    }

    /// Whether `site` is the text before the path in the URL. False for the empty text.
    #[inline]
    pub fn spell(&self, site: &[u8]) -> bool {
        let prefix_length = |text: &'_ [u8], prefix: &[u8]| text.starts_with(prefix).then_some(prefix.len());
        let Some(scheme) = prefix_length(site, self.scheme) else { return false };
        let Some(rest) = site[scheme..].strip_prefix(b"://") else { return false };
        let Some(host) = prefix_length(rest, self.host) else { return false };
        let port = &rest[host..];
        match self.port {
            None => port.is_empty(),
            Some(number) => {
                let mut digits = [0; PORT_DIGITS];
                port.strip_prefix(b":") == Some(decimal(number, &mut digits))
            }
        }
    }
}

/// The number of digits of the largest port.
const PORT_DIGITS: usize = 5;

fn decimal(number: u16, digits: &mut [u8; PORT_DIGITS]) -> &[u8] {
    let mut from = PORT_DIGITS;
    let mut rest = number;
    loop {
        from -= 1;
        digits[from] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            return &digits[from..];
        }
    }
}

/// An absolute URL, split before its path (RFC 3986, section 3): `scheme://authority`, and the rest.
///
/// ```
/// use robomata_protocol::SplitUrl;
///
/// let url = SplitUrl::new(b"https://user@example.com:8080/a?b#c").unwrap();
/// assert_eq!((url.scheme, url.authority, url.rest), (&b"https"[..], &b"user@example.com:8080"[..], &b"/a?b#c"[..]));
/// assert_eq!(SplitUrl::new(b"mailto:user@example.com"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitUrl<'u> {
    /// The scheme as written.
    pub scheme: &'u [u8],
    /// User information, host and port as written; may be empty.
    pub authority: &'u [u8],
    /// Path, query and fragment as written. Empty, or without a leading `/`, when the URL has no path.
    pub rest: &'u [u8],
}

impl<'u> SplitUrl<'u> {
    /// Splits `url`. `None` when it does not begin with a scheme and `://`.
    #[inline]
    pub fn new(url: &'u [u8]) -> Option<Self> {
        let scheme = SplitUrl::scheme_of(url)?;
        let hierarchy = url[scheme.len()..].strip_prefix(b"://")?;
        let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'#');
        let (authority, rest) =
            hierarchy.split_at(hierarchy.iter().position(is_end).unwrap_or(hierarchy.len()));
        Some(SplitUrl { scheme, authority, rest })
    }

    /// The scheme (RFC 3986, section 3.1) at the start of `url`. `None` when no scheme and colon are there.
    #[inline]
    pub fn scheme_of(url: &'u [u8]) -> Option<&'u [u8]> {
        if url.starts_with(b"https:") {
            return Some(&url[..5]);
        }
        if url.starts_with(b"http:") {
            return Some(&url[..4]);
        }
        let (scheme, rest) = url.split_at(url.iter().position(|&byte| !is_of_scheme(byte))?);
        (scheme.first()?.is_ascii_alphabetic() && rest[0] == b':').then_some(scheme)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_urls_are_split() {
        for (url, scheme, authority, rest) in [
            ("http://a.example", "http", "a.example", ""),
            ("HTTPS://A.example:8080?x/y", "HTTPS", "A.example:8080", "?x/y"),
            ("gopher+x://a@b#/c", "gopher+x", "a@b", "#/c"),
            ("file:///a", "file", "", "/a"),
            ("x://", "x", "", ""),
        ] {
            let [scheme, authority, rest] = [scheme, authority, rest].map(str::as_bytes);
            assert_eq!(SplitUrl::new(url.as_bytes()), Some(SplitUrl { scheme, authority, rest }), "{url}");
        }
        for text in [
            "", "/a://b", "://a", "a", "1a://b", "a:b://c", "a#b://c", "http:/a", "https", "a b://c",
            "-a://b",
        ] {
            assert_eq!(SplitUrl::new(text.as_bytes()), None, "{text}");
        }
        assert_eq!(SplitUrl::scheme_of(b"dns:a.com"), Some(&b"dns"[..]));
        assert_eq!(SplitUrl::scheme_of(b":a"), None);
    }

    fn parts(port: Option<u16>, query: Option<&'static [u8]>) -> UrlParts<'static> {
        UrlParts { scheme: b"https", host: b"a.example", port, path: b"/x", query }
    }

    #[test]
    fn parts_are_put_together_as_they_are_written() {
        let text = |parts: UrlParts<'_>| {
            let mut text = Vec::new();
            parts.each_piece(|piece| text.extend_from_slice(piece));
            String::from_utf8(text).unwrap()
        };
        assert_eq!(text(parts(None, None)), "https://a.example/x");
        assert_eq!(text(parts(Some(8080), Some(b""))), "https://a.example:8080/x?");
        assert_eq!(text(parts(Some(0), Some(b"q"))), "https://a.example:0/x?q");
        assert_eq!(text(parts(Some(65535), None)), "https://a.example:65535/x");
    }

    #[test]
    fn a_url_in_parts_is_requestable_when_its_text_is() {
        for scheme in [b"https", &b" \thttps"[..], b"ht tps"] {
            for path in [b"/x", &b"/x \t"[..], b"/\tx", b"/x\n", b"/x\x7F", b""] {
                for query in [None, Some(&b""[..]), Some(b"q "), Some(b" "), Some(b"q\r")] {
                    let url = UrlRef::from(UrlParts { scheme, path, query, ..parts(None, None) });
                    let (text, requested) =
                        (url.text(), url.requestable().map(|url| url.text().into_owned()));
                    assert_eq!(requested.as_deref(), requestable(&text), "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn parts_spell_the_text_before_their_path_and_no_other() {
        assert!(parts(None, None).spell(b"https://a.example"));
        assert!(parts(Some(8080), None).spell(b"https://a.example:8080"));
        for (port, site) in [
            (None, "https://a.example:8080"),
            (None, "https://a.exampl"),
            (None, "http://a.example"),
            (None, ""),
            (Some(80), "https://a.example"),
            (Some(80), "https://a.example:8080"),
            (Some(8080), "https://a.example:80"),
        ] {
            assert!(!parts(port, None).spell(site.as_bytes()), "{port:?} {site}");
        }
    }
}
