//! Classifies the body of a robots.txt response. Many sites send something else with status 200.
//!
//! The classification is for reports only. A dialect accepts any bytes and interprets them by its own rules.

use memchr::{memchr, memmem};
use robomata_evaluator::CompressedFormat;

use crate::lines::without_mark;

/// What a body looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodyKind {
    /// Lines of a robots.txt: some are records or comments, or might be.
    Robots,
    /// White space only.
    Empty,
    /// An HTML page.
    Html,
    /// Other markup: a sitemap, an error message of cloud storage.
    Xml,
    /// A JSON object or array.
    Json,
    /// An image, an archive or a document, by its first bytes; or text with NUL bytes.
    Binary,
    /// Text without a record or a comment: `Page not found`.
    Prose,
}

/// Number of bytes of a body that are examined.
const SEEN: usize = 4 << 10;

/// First bytes of common binary formats that are not compressed data.
const MAGICS: [&[u8]; 9] =
    [b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\0\0\x01\0", b"%PDF-", b"\x7fELF", b"OggS", b"wOF2"];

/// Record names that never begin a line of an HTML page.
const RECORDS: [&[u8]; 4] = [b"user-agent", b"useragent", b"disallow", b"sitemap"];

/// Elements at the beginning of pages, including pages without the usual first tags.
const ELEMENTS: [&[u8]; 30] = [
    b"html",
    b"head",
    b"body",
    b"meta",
    b"title",
    b"link",
    b"base",
    b"script",
    b"noscript",
    b"style",
    b"div",
    b"span",
    b"p",
    b"br",
    b"hr",
    b"a",
    b"b",
    b"i",
    b"h1",
    b"h2",
    b"h3",
    b"table",
    b"center",
    b"font",
    b"form",
    b"figure",
    b"iframe",
    b"frameset",
    b"img",
    b"pre",
];

impl BodyKind {
    /// Classifies `body` by its first kilobytes.
    ///
    /// Returns [`BodyKind::Robots`] in case of doubt, and always when a line is a record of a robots.txt.
    pub fn of(body: &[u8]) -> Self {
        let head = &body[..body.len().min(SEEN)];
        let text = without_mark(head).trim_ascii_start();
        if text.is_empty() {
            // The rest of a longer body may be anything.
            return if without_mark(body).trim_ascii_start().is_empty() { Self::Empty } else { Self::Robots };
        }
        if CompressedFormat::of(head).is_some() || MAGICS.iter().any(|magic| head.starts_with(magic)) {
            return Self::Binary;
        }
        let mut is_prose = true;
        for line in text.split(|byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii_start) {
            match field(line) {
                Some(_) if is_record(line) => return Self::Robots,
                Some(_) => is_prose = false,
                None => is_prose &= !line.starts_with(b"#"),
            }
        }
        match text[0] {
            b'<' => markup(text),
            _ if is_page(text) => Self::Html,
            b'{' | b'[' => Self::Json,
            // UTF-16 is text, although no parser reads it.
            _ if memchr(0, head).is_some() && !matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => {
                Self::Binary
            }
            _ if is_prose && !matches!(head, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) => Self::Prose,
            _ => Self::Robots,
        }
    }

    /// Returns whether one of the first lines of `body` names a crawler, as the first line of a group.
    pub fn names_crawler(body: &[u8]) -> bool {
        let lines = without_mark(&body[..body.len().min(SEEN)]).split(|byte| matches!(byte, b'\n' | b'\r'));
        lines.map(<[u8]>::trim_ascii).any(|line| {
            field(line).is_some_and(|name| name.eq_ignore_ascii_case(RECORDS[0])) && !line.ends_with(b":")
        })
    }

    /// Returns whether `body` contains a line that occurs only in a robots.txt.
    pub fn has_record(body: &[u8]) -> bool {
        without_mark(body).split(|byte| matches!(byte, b'\n' | b'\r')).any(is_record)
    }

    /// The name of the kind in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Robots => "robots",
            Self::Empty => "empty",
            Self::Html => "html",
            Self::Xml => "xml",
            Self::Json => "json",
            Self::Binary => "binary",
            Self::Prose => "prose",
        }
    }
}

/// Returns whether a line has a name that occurs only in a robots.txt.
fn is_record(line: &[u8]) -> bool {
    let name = field(line.trim_ascii_start());
    name.is_some_and(|name| RECORDS.iter().any(|record| name.eq_ignore_ascii_case(record)))
}

/// The name in a line of the form `name: value`.
fn field(line: &[u8]) -> Option<&[u8]> {
    let name = line[..memchr(b':', line)?].trim_ascii_end();
    let is_name = name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (is_name && !name.is_empty()).then_some(name)
}

/// Classifies a text that begins with `<`.
fn markup(text: &[u8]) -> BodyKind {
    let name = &text[1..];
    let name = &name[..name.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(name.len())];
    let is_element = ELEMENTS.iter().any(|element| name.eq_ignore_ascii_case(element));
    if is_element || text.starts_with(b"<!") || is_page(text) { BodyKind::Html } else { BodyKind::Xml }
}

/// Returns whether an HTML page begins somewhere in `text`. Some servers write a line of their own before it.
fn is_page(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    [&b"<html"[..], b"<!doctype html"].iter().any(|beginning| memmem::find(&lower, beginning).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_robots_txt_is_told() {
        for (body, kind) in [
            (&b""[..], BodyKind::Empty),
            (b"\xef\xbb\xbf", BodyKind::Empty),
            (b"\xef\xbb\xbf\r\n \n", BodyKind::Empty),
            (b"\r\n \t\n", BodyKind::Empty),
            (b"\n<!DOCTYPE html><p>", BodyKind::Html),
            (b"\xef\xbb\xbf<HTML>\nhost: x", BodyKind::Html),
            (b"404: <br/><!DOCTYPE html>", BodyKind::Html),
            (b"<figure>\n<p>", BodyKind::Html),
            (b"<?xml version=\"1.0\"?>\n<!DOCTYPE html><html xmlns", BodyKind::Html),
            (b"<?xml version=\"1.0\"?>\n<urlset>", BodyKind::Xml),
            (b"<Error><Code>AccessDenied</Code>", BodyKind::Xml),
            (b"{\"error\": 404}", BodyKind::Json),
            (b"[]", BodyKind::Json),
            (b"\x89PNG\r\n\x1a\n", BodyKind::Binary),
            (b"\x1f\x8b\x08\0", BodyKind::Binary),
            (b"Error\0\0\0", BodyKind::Binary),
            (b"Page not found", BodyKind::Prose),
            (b"Status code: 302", BodyKind::Prose),
            (b"BZh91AY&SY", BodyKind::Binary),
        ] {
            assert_eq!(BodyKind::of(body), kind, "{:?}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn what_might_be_one_is_one() {
        for body in [
            &b"# nothing here"[..],
            b"User-agent: *",
            b"<html>\nUser-agent: *\nDisallow: /\n",
            b"<pre>Users\r  DISALLOW : /\r",
            b"Crawl-delay: 5",
            b"\0Sitemap: http://a.com/\0\nSitemap: x",
            b"\xff\xfeS\0i\0t\0e\0",
            b"unknown: x",
        ] {
            assert_eq!(BodyKind::of(body), BodyKind::Robots, "{:?}", String::from_utf8_lossy(body));
        }
        assert_eq!(BodyKind::of(&b"\n".repeat(5000)), BodyKind::Empty);
        assert_eq!(BodyKind::of(&[&b"\n".repeat(5000)[..], b"<html>"].concat()), BodyKind::Robots);
    }
}
