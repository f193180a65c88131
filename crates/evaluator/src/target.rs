//! The parts of a URL that a policy uses (RFC 3986, section 3; Koster 1996, section 3.2.2; `crates/DIALECTS.md`, U1 and
//! U2).

use robomata_automaton::{NormalForm, begins_with};
use robomata_protocol::semantics::UrlCut;
use robomata_protocol::{Dialect, SplitUrl};

use crate::site::leading_site;
use crate::site_policy::is_robots_txt;

/// A URL, split into the part before the path, and the path with the query. The fragment is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'u> {
    /// The scheme as written; `None` when the text begins with the path.
    pub scheme: Option<&'u [u8]>,
    /// The authority as written: user information, host, port.
    pub authority: &'u [u8],
    /// Path and query as written. Empty, or without the leading `/`, when the URL has no path.
    path: &'u [u8],
}

impl<'u> Target<'u> {
    /// Splits `url`: absolute (`scheme://...`), or a path with a query. `None` for any other text.
    #[inline]
    pub fn new(url: &'u [u8]) -> Option<Self> {
        if url.first() == Some(&b'/') {
            return Some(Target { scheme: None, authority: b"", path: without_fragment(url) });
        }
        let SplitUrl { scheme, authority, rest } = SplitUrl::new(url)?;
        Some(Target { scheme: Some(scheme), authority, path: without_fragment(rest) })
    }

    /// The target that google/robotstxt extracts from any text (`GetPathParamsQuery`).
    pub fn as_google_cuts(url: &'u [u8]) -> Self {
        let from = if url.starts_with(b"//") { 2 } else { 0 };
        let begins_path = |byte: &u8| matches!(byte, b'/' | b'?' | b';');
        let path_from = |from: usize| url[from..].iter().position(begins_path).map(|at| from + at);
        let authority_from = match memchr::memmem::find(&url[from..], b"://").map(|at| from + at) {
            // A path, parameter or query before `://`: the text before it is not a protocol.
            Some(colon) if path_from(from).is_some_and(|path| path < colon) => from,
            Some(colon) => colon + 3,
            None => from,
        };
        let fragment = memchr::memchr(b'#', &url[from..]).map_or(url.len(), |at| from + at);
        let path = match path_from(authority_from) {
            Some(path) if path <= fragment => &url[path..fragment],
            _ => b"",
        };
        Target { scheme: None, authority: b"", path: as_c_string(path) }
    }

    /// The target for the text after the authority of a URL, which begins with `/`. Every dialect splits it in the same
    /// way, with two exceptions: Google's library passes its matcher a C string, and some dialects do not compare queries.
    pub(crate) fn of_path(path: &'u [u8], dialect: Dialect) -> Self {
        let path = without_fragment(path);
        let path = match dialect.semantics().url_cut {
            UrlCut::Rfc3986 => path,
            UrlCut::GetPathParamsQuery => as_c_string(path),
        };
        Target { scheme: None, authority: b"", path }.as_compared(dialect)
    }

    /// The target of `url` in `dialect`.
    #[inline]
    pub fn read(url: &'u [u8], dialect: Dialect) -> Option<Self> {
        let target = match dialect.semantics().url_cut {
            UrlCut::Rfc3986 => Target::new(url)?,
            UrlCut::GetPathParamsQuery => Target::as_google_cuts(url),
        };
        Some(target.as_compared(dialect))
    }

    /// The compared text of a URL with a site in normal form, whose path and query are in normal form as written: nearly
    /// every URL. `None` for any other text.
    #[inline]
    pub(crate) fn plain(url: &'u [u8], dialect: Dialect) -> Option<&'u [u8]> {
        let (_, path) = leading_site(url)?;
        (NormalForm::is_plain(path) && is_compared_whole(path, dialect)).then_some(path)
    }

    /// Like [`Target::plain`], for one of many URLs. `site` is the part before the path of one of those before it, with the
    /// first byte of that path: the site of most URLs of a batch, which is then read without looking at each byte.
    #[inline]
    pub(crate) fn plain_after(
        url: &'u [u8],
        dialect: Dialect,
        site: &mut Option<&'u [u8]>,
    ) -> Option<&'u [u8]> {
        let path = match site {
            Some(site) if begins_with(url, site) => &url[site.len() - 1..],
            _ => {
                let (before, path) = leading_site(url)?;
                *site = url.get(..=before.len());
                path
            }
        };
        (NormalForm::is_plain(path) && is_compared_whole(path, dialect)).then_some(path)
    }

    /// The path as written; empty when the URL has none.
    pub fn path(&self) -> &'u [u8] {
        without_query(self.path)
    }

    /// The target without its query, if the dialect does not compare it: "the path portion of the URL" (Koster 1996,
    /// 3.2.2).
    #[inline]
    #[must_use]
    pub(crate) fn as_compared(self, dialect: Dialect) -> Self {
        if dialect.semantics().compares_query {
            return self;
        }
        Target { path: self.path(), ..self }
    }

    /// Path and query, as far as the dialect uses them, with a leading `/`, in the normal form of `dialect`'s URLs.
    #[inline]
    pub fn normal<'t>(&self, dialect: Dialect, buffer: &'t mut TargetBuffer) -> &'t [u8]
    where
        'u: 't,
    {
        self.in_form(NormalForm::of_urls(dialect), buffer)
    }

    /// Whether this is the robots.txt itself (U3). Some dialects do not allow it always, but it is the same URL there.
    pub fn is_robots_txt(&self, dialect: Dialect) -> bool {
        is_robots_txt(self.normal(dialect, &mut TargetBuffer::default()))
    }

    /// Path and query with a leading `/`, in the normal form `form`.
    #[inline]
    pub(crate) fn in_form<'t>(&self, form: NormalForm, buffer: &'t mut TargetBuffer) -> &'t [u8]
    where
        'u: 't,
    {
        let TargetBuffer { rooted, normal } = buffer;
        let path = if self.path.first() == Some(&b'/') {
            self.path
        } else {
            rooted.clear();
            rooted.push(b'/');
            rooted.extend_from_slice(self.path);
            rooted
        };
        form.of_target(path, normal)
    }
}

/// The buffer for a target whose compared form differs from its text in the URL.
#[derive(Clone, Debug, Default)]
pub struct TargetBuffer {
    rooted: Vec<u8>,
    normal: Vec<u8>,
}

/// Whether `dialect` compares all of a target, including its query.
#[inline]
pub(crate) fn is_compared_whole(target: &[u8], dialect: Dialect) -> bool {
    dialect.semantics().compares_query || memchr::memchr(b'?', target).is_none()
}

fn as_c_string(path: &[u8]) -> &[u8] {
    &path[..memchr::memchr(0, path).unwrap_or(path.len())]
}

fn without_query(path: &[u8]) -> &[u8] {
    &path[..memchr::memchr(b'?', path).unwrap_or(path.len())]
}

#[inline]
fn without_fragment(url: &[u8]) -> &[u8] {
    &url[..memchr::memchr(b'#', url).unwrap_or(url.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str, dialect: Dialect) -> Option<String> {
        let mut buffer = TargetBuffer::default();
        let target = Target::read(url.as_bytes(), dialect)?;
        Some(String::from_utf8(target.normal(dialect, &mut buffer).to_vec()).unwrap())
    }

    #[test]
    fn absolute_urls_and_paths_are_divided() {
        let cases = [
            ("http://a.example", Some("/")),
            ("http://a.example?q", Some("/?q")),
            ("http://a.example#f/g", Some("/")),
            ("https://a.example/x?y#z", Some("/x?y")),
            ("ftp://a.example/x", Some("/x")),
            ("/x#y", Some("/x")),
            ("//x/y", Some("//x/y")),
            ("http://a.example/%7ea/\u{E9}", Some("/~a/%C3%A9")),
            ("", None),
            ("a.example/x", None),
            ("mailto:a@b.example", None),
            ("://x/", None),
            ("1http://x/", None),
        ];
        for (url, expected) in cases {
            assert_eq!(path(url, Dialect::Rfc9309).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn plain_urls_are_read_like_all_others() {
        let before = [
            "http://a.example",
            "https://a.example:8080",
            "HTTP://a.example",
            "http://a.example.",
            "",
            "ftp://a",
        ];
        let after = [
            "",
            "/",
            "/x/y.html",
            "/x?y=1",
            "/x;y?z",
            "/%41",
            "/%C3%A9",
            "/\u{E9}",
            "/x#y",
            "/a b",
            "//x/",
            "?q",
            "/\0x",
        ];
        for dialect in Dialect::ALL {
            let mut plain = 0;
            for (before, after) in
                before.iter().flat_map(|before| after.iter().map(move |after| (before, after)))
            {
                let url = format!("{before}{after}");
                if let Some(text) = Target::plain(url.as_bytes(), dialect) {
                    plain += 1;
                    let mut buffer = TargetBuffer::default();
                    let target = Target::read(url.as_bytes(), dialect).expect("a plain URL is a URL");
                    assert_eq!(target.normal(dialect, &mut buffer), text, "{url} {dialect:?}");
                }
            }
            assert!(plain >= 3, "{dialect:?}");
        }
    }

    #[test]
    fn the_draft_compares_paths_alone() {
        let cases = [
            ("http://a.example/x?y#z", Some("/x")),
            ("http://a.example/x#y?z", Some("/x")),
            ("http://a.example?q/r", Some("/")),
            ("http://a.example/x;p=1/y;q?r;s", Some("/x;p=1/y;q")),
            ("/x%3Fy", Some("/x?y")),
            ("//x?/y", Some("//x")),
            ("?x", None),
        ];
        for (url, expected) in cases {
            assert_eq!(path(url, Dialect::Koster1996).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn google_finds_a_path_in_any_text() {
        let cases = [
            ("", "/"),
            ("http://www.example.com", "/"),
            ("http://www.example.com/a/b?c=d#e", "/a/b?c=d"),
            ("http://www.example.com?a#b", "/?a"),
            ("http://www.example.com;p", "/;p"),
            ("http://www.example.com#a/b", "/"),
            ("example.com/a/b", "/a/b"),
            ("//a/b/c", "/b/c"),
            ("a?b=http://x/y", "/?b=http://x/y"),
            ("http://x/a\0b", "/a"),
            ("//#x/y", "/"),
        ];
        for (url, expected) in cases {
            assert_eq!(path(url, Dialect::Google).as_deref(), Some(expected), "{url}");
        }
    }
}
