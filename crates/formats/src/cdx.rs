//! Indexes of web archives: CDX, with a header line that names its columns, and CDXJ, with lines that end in JSON.
//!
//! ```text
//!  CDX N b a m s k r M S V g
//! com,example)/ 20240708230936 https://example.com/ text/html 200 4DA2QOAI… - - 1161 946 a.warc.gz
//!
//! com,example)/ 20240708230936 {"url": "https://example.com/", "mime": "text/html", "status": "200", …}
//! ```
//!
//! Both are sorted by their first column, a key. The key is usually the URL in SURT form: the labels of the host in
//! reverse order, without the scheme. If a line has no URL, one is rebuilt from the key ([`url_of_key`]). In CDX, the column
//! of the URL is then `-` or missing in the header. A line with another number of columns than the header is malformed: it
//! was cut, or a blank within it moved the columns. A file has one set of columns, so that its captures can be written under one
//! header line: the same header line again, as in joined files, is skipped, and another one ends the file with an error.

use std::borrow::Cow;

use crate::error::Kind;
use crate::json_object::{Value, values_at};
use crate::time::Timestamp;

/// One capture in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CdxRecord<'a> {
    /// The URL; rebuilt from the key if the line has none. Its validity is not checked.
    pub url: Cow<'a, [u8]>,
    /// The time of the capture; none if the line has none.
    pub time: Option<Timestamp>,
    /// The HTTP status; none if the line has none, as for revisits.
    pub status: Option<u16>,
    /// The media type, `warc/revisit` for a revisit.
    pub mime: Option<Cow<'a, [u8]>>,
    /// The digest of the payload.
    pub digest: Option<Cow<'a, [u8]>>,
}

/// The columns of a CDX file.
///
/// ```
/// use robomata_formats::cdx::CdxColumns;
///
/// let columns = CdxColumns::of_header(b" CDX N b a m s").unwrap();
/// let record = columns.record(b"com,example)/ 20240708230936 https://example.com/ text/html 200").unwrap();
/// assert_eq!((&*record.url, record.status), (&b"https://example.com/"[..], Some(200)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CdxColumns {
    delimiter: u8,
    /// The number of columns.
    count: usize,
    /// The places of the columns with these [`LETTERS`]; none if a column is missing.
    places: [Option<usize>; LETTERS.len()],
}

/// The letters of the columns that are read: the original and the canonical URL, the key, the time, the status, the media
/// type, and two digests.
const LETTERS: [u8; 8] = *b"aANbsmkc";

/// Maximum number of columns. About 40 letters have a meaning.
const MAX_COLUMNS: usize = 64;

/// The columns that all files without a header line begin with. Such files have 7, 9, 10, 11, 12 or 14 columns.
const USUAL: &[u8] = b"Nbamsk";

/// Minimum number of columns in a file without a header line.
const MIN_COLUMNS: usize = 7;

impl Default for CdxColumns {
    /// The eleven columns of most files.
    fn default() -> Self {
        CdxColumns { count: 11, ..CdxColumns::of_letters(b' ', USUAL) }
    }
}

impl CdxColumns {
    /// Parses a header line; none if `line` is not a header. Its first byte is the delimiter.
    pub fn of_header(line: &[u8]) -> Option<Self> {
        let (&delimiter, names) = crate::lines::trim_line_end(line).split_first()?;
        let mut names = names.split(|&byte| byte == delimiter);
        if delimiter.is_ascii_alphanumeric() || names.next() != Some(b"CDX") {
            return None;
        }
        let letters = names.filter_map(|name| name.first().copied());
        let letters: Vec<u8> = letters.take(MAX_COLUMNS + 1).collect();
        (letters.len() <= MAX_COLUMNS).then(|| CdxColumns::of_letters(delimiter, &letters))
    }

    /// The columns of a file without a header line: the usual ones, as many as in the file's `first` line.
    pub fn without_header(first: &[u8]) -> Self {
        let columns = CdxColumns::default();
        CdxColumns { count: columns.count_in(first).max(MIN_COLUMNS), ..columns }
    }

    fn of_letters(delimiter: u8, letters: &[u8]) -> Self {
        let place = |letter| letters.iter().position(|&other| other == letter);
        CdxColumns { delimiter, count: letters.len(), places: LETTERS.map(place) }
    }

    /// The byte between columns.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The URL of a line without its line end; none if the line is malformed. Faster than [`CdxColumns::record`].
    pub fn url<'a>(&self, line: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        url_of(self.columns(line)?)
    }

    /// Parses a line without its line end; none if it is malformed.
    pub fn record<'a>(&self, line: &'a [u8]) -> Option<CdxRecord<'a>> {
        let [url, canonical, key, time, status, mime, digest, checksum] = self.columns(line)?;
        let given = |column: &'a [u8]| (!column.is_empty() && column != b"-").then_some(column);
        let text = |column| given(column).and_then(|column| std::str::from_utf8(column).ok());
        Some(CdxRecord {
            url: url_of([url, canonical, key])?,
            time: text(time).and_then(time_of),
            status: text(status).and_then(|digits| digits.parse().ok()),
            mime: given(mime).map(Cow::Borrowed),
            digest: given(digest).or(given(checksum)).map(Cow::Borrowed),
        })
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The reason why [`CdxColumns::url`] finds no URL.
    pub(crate) fn why_none(&self, line: &[u8]) -> Kind {
        let (expected, found) = (self.count, self.count_in(line));
        Kind::Expected(match expected == found {
            true => "a URL in one of the columns".to_owned(),
            false => format!("{expected} columns, found {found} (a blank in a URL is %20)"),
        })
    }

    /// Returns whether `last`, a line without a line end, is not whole.
    pub(crate) fn is_cut(&self, last: &[u8]) -> bool {
        self.count_in(last) < self.count && !last.trim_ascii().is_empty()
    }

    /// The number of columns in a line without its line end.
    pub fn count_in(&self, line: &[u8]) -> usize {
        1 + memchr::memchr_iter(self.delimiter, line).count()
    }

    /// The columns with the first `N` of the [`LETTERS`], `-` if one is missing. None if the line has more or fewer columns
    /// than the header.
    fn columns<'a, const N: usize>(&self, line: &'a [u8]) -> Option<[&'a [u8]; N]> {
        let mut columns = [&b"-"[..]; N];
        let (mut number, mut start) = (0, 0);
        for end in memchr::memchr_iter(self.delimiter, line).chain([line.len()]) {
            for (column, _) in columns.iter_mut().zip(self.places).filter(|(_, place)| *place == Some(number))
            {
                *column = &line[start..end];
            }
            (number, start) = (number + 1, end + 1);
        }
        (number == self.count).then_some(columns)
    }
}

/// The original URL, else the canonical one, else one rebuilt from the key. An empty column is not `-`: none.
fn url_of<'a>([url, canonical, key]: [&'a [u8]; 3]) -> Option<Cow<'a, [u8]>> {
    let url = match [url, canonical].into_iter().find(|column| *column != b"-") {
        Some(url) => Cow::Borrowed(url),
        None => Cow::Owned(url_of_key(Some(key).filter(|key| !key.is_empty() && *key != b"-")?)),
    };
    (!url.is_empty()).then_some(url)
}

/// Returns whether `line` is a header line of CDXJ.
pub fn is_cdxj_header(line: &[u8]) -> bool {
    line.first() == Some(&b'!')
}

/// Splits a line of CDXJ into key, time as written, and JSON. None if it is malformed.
pub fn cdxj_columns(line: &[u8]) -> Option<[&[u8]; 3]> {
    let mut columns = line.splitn(3, |&byte| byte == b' ');
    let (key, time, json) = (columns.next()?, columns.next()?, columns.next()?.trim_ascii());
    (json.first() == Some(&b'{')).then_some([key, time, json])
}

/// The URL of a line of CDXJ without its line end; none if the line is malformed.
pub(crate) fn cdxj_url(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let [key, _, json] = cdxj_columns(line)?;
    let [url] = values_at(json, ["url"]).ok()?;
    url_or_key(url, key)
}

/// Parses a line of CDXJ without its line end; none if it is malformed.
///
/// The keys are those of pywb and Common Crawl (`url`, `mime`, `status`, `digest`) and of ipwb (`mime_type`,
/// `status_code`, and no URL).
pub fn cdxj_record(line: &[u8]) -> Option<CdxRecord<'_>> {
    let [key, time, json] = cdxj_columns(line)?;
    let names = ["url", "mime", "mime_type", "status", "status_code", "digest"];
    let [url, mime, mime_type, status, status_code, digest] = values_at(json, names).ok()?;
    Some(CdxRecord {
        url: url_or_key(url, key)?,
        time: std::str::from_utf8(time).ok().and_then(time_of),
        status: status.number().or(status_code.number()).and_then(|code| u16::try_from(code).ok()),
        mime: mime.into_text().or_else(|| mime_type.into_text()).map(into_bytes),
        digest: digest.into_text().map(into_bytes),
    })
}

/// A number with fewer digits would be read as seconds.
fn time_of(digits: &str) -> Option<Timestamp> {
    (digits.len() == 14).then(|| digits.parse().ok())?
}

/// The URL, or one rebuilt from the key if there is none. None if the URL is not a text.
fn url_or_key<'a>(url: Value<'a>, key: &[u8]) -> Option<Cow<'a, [u8]>> {
    match url {
        Value::Absent => Some(Cow::Owned(url_of_key(key))),
        url => url.into_text().map(into_bytes),
    }
}

fn into_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The reason why [`cdxj_url`] finds no URL.
pub(crate) fn why_no_url_in_cdxj(line: &[u8]) -> Kind {
    let Some([.., json]) = cdxj_columns(line) else {
        return Kind::Expected(
            "a key, a time of 14 digits and a JSON object, separated by spaces".to_owned(),
        );
    };
    match values_at(json, []) {
        Ok([]) => Kind::Expected("a text at key \"url\"".to_owned()),
        Err(error) => crate::json::syntax_error(&error),
    }
}

/// Returns whether `last`, a line of CDXJ without a line end, is not whole.
pub(crate) fn is_cut_cdxj(last: &[u8]) -> bool {
    let is_whole = |[.., json]: [&[u8]; 3]| values_at(json, []).is_ok();
    !last.trim_ascii().is_empty() && !is_cdxj_header(last) && !cdxj_columns(last).is_some_and(is_whole)
}

/// Rebuilds a URL from a key. The key has no scheme, so the URL has `http` unless the key names a scheme. The key may
/// also have lost capitals, `www.` or parameters that an archive ignores.
///
/// ```
/// use robomata_formats::cdx::url_of_key;
///
/// assert_eq!(url_of_key(b"com,example,www:8080)/a?b"), b"http://www.example.com:8080/a?b");
/// assert_eq!(url_of_key(b"https://(com,example,)/"), b"https://example.com/");
/// assert_eq!(url_of_key(b"example.com/a"), b"http://example.com/a");
/// ```
pub fn url_of_key(key: &[u8]) -> Vec<u8> {
    let (scheme, rest) = match key.windows(3).position(|bytes| bytes == b"://") {
        Some(at) if key[..at].iter().all(u8::is_ascii_alphanumeric) => (&key[..at], &key[at + 3..]),
        _ => (&b"http"[..], key),
    };
    let rest = rest.strip_prefix(b"(").unwrap_or(rest);
    let mut url = [scheme, b"://"].concat();
    // With a slash before the bracket, the bracket is part of the path: the key is not a SURT.
    let end = rest.iter().position(|byte| matches!(byte, b')' | b'/'));
    match end {
        Some(end) if rest[end] == b')' => {
            push_host(&rest[..end], &mut url);
            url.extend_from_slice(&rest[end + 1..]);
        }
        _ => url.extend_from_slice(rest),
    }
    url
}

/// Appends the labels of a SURT in the order of a host.
fn push_host(labels: &[u8], out: &mut Vec<u8>) {
    let (labels, port) = match labels.iter().position(|&byte| byte == b':') {
        Some(colon) => labels.split_at(colon),
        None => (labels, &b""[..]),
    };
    let labels = labels.strip_suffix(b",").unwrap_or(labels);
    for (place, label) in labels.rsplit(|&byte| byte == b',').enumerate() {
        if place > 0 {
            out.push(b'.');
        }
        out.extend_from_slice(label);
    }
    out.extend_from_slice(port);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_names_columns_and_delimiter() {
        let columns = CdxColumns::of_header(b"|CDX|a|b|s\r").unwrap();
        let record = columns.record(b"http://a.example/|20240708230936|-").unwrap();
        assert_eq!((&*record.url, record.status), (&b"http://a.example/"[..], None));
        assert!(record.time.is_some() && record.mime.is_none());
        for line in [&b""[..], b" CDXJ a", b"com,example)/ 2024", b"CDX N b a"] {
            assert_eq!(CdxColumns::of_header(line), None, "{line:?}");
        }
    }

    /// So no line is searched for more columns than these, however long the header is.
    #[test]
    fn a_header_has_at_most_64_columns() {
        let header = |columns: usize| [b" CDX N b a".to_vec(), b" x".repeat(columns - 3)].concat();
        assert!(CdxColumns::of_header(&header(64)).is_some());
        for columns in [65, 1 << 20] {
            assert_eq!(CdxColumns::of_header(&header(columns)), None);
        }
    }

    #[test]
    fn a_line_with_other_columns_is_no_record() {
        let columns = CdxColumns::of_header(b" CDX N b a A s").unwrap();
        for (line, url) in [
            ("com,a)/ 20240708230936 http://a.com/x http://a.com/y 200", Some("http://a.com/x")),
            ("com,a)/ 20240708230936 - http://a.com/y 200", Some("http://a.com/y")),
            ("com,a)/ 20240708230936 - - 200", Some("http://a.com/")),
            ("- 20240708230936 - - 200", None),
            (" 20240708230936 - - 200", None),
            // Doubled blanks, cut lines, blanks in URLs, and lines of which one was cut.
            ("com,a)/ 20240708230936  - 200", None),
            ("com,a)/ 20240708230936 -  200", None),
            ("com,a)/  20240708230936 http://a.com/x - 200", None),
            ("com,a)/ 20240708230936 http://a.com/x q http://a.com/y 200", None),
            ("com,a)/ 20240708230936 http://a.com/", None),
            ("com,a)/x 2024", None),
            ("com,a)/", None),
            ("", None),
            ("com,a)/ 20240708230936 http://a.com/com,b)/ 20240708230936 http://b.com/ - 200", None),
        ] {
            let found = columns.url(line.as_bytes()).map(|url| String::from_utf8(url.into_owned()).unwrap());
            assert_eq!(found.as_deref(), url, "{line}");
            assert_eq!(columns.record(line.as_bytes()).is_some(), url.is_some(), "{line}");
        }
    }

    #[test]
    fn a_file_without_a_header_has_as_many_columns_as_its_first_line() {
        let line = |columns: usize| {
            "com,a)/ 20240708230936 http://a.com/ text/html 200 X".to_owned() + &" -".repeat(columns - 6)
        };
        for first in 7..15 {
            let columns = CdxColumns::without_header(line(first).as_bytes());
            for other in 7..15 {
                assert_eq!(columns.url(line(other).as_bytes()).is_some(), first == other, "{first} {other}");
            }
        }
        for short in ["com,a)/ 20240708230936 http://a.com/priv", "com,a)/", ""] {
            assert_eq!(CdxColumns::without_header(short.as_bytes()).url(short.as_bytes()), None, "{short:?}");
        }
    }

    #[test]
    fn lines_of_cdxj_differ_in_their_keys() {
        let line = br#"com,example)/ 20140126200624 {"url": "http://example.com/\u0041", "status": "200", "mime": "text/html"}"#;
        let record = cdxj_record(line).unwrap();
        assert_eq!((&*record.url, record.status), (&b"http://example.com/A"[..], Some(200)));
        // Fewer digits are not a time, and in particular not seconds.
        assert_eq!(cdxj_record(br#"com,example)/ 2024 {"url": "http://example.com/"}"#).unwrap().time, None);
        let line = br#"com,example)/ 20140126200624 {"locator": "urn:x", "mime_type": "text/html", "status_code": 302}"#;
        let record = cdxj_record(line).unwrap();
        assert_eq!((&*record.url, record.status), (&b"http://example.com/"[..], Some(302)));
        assert_eq!(record.mime.as_deref(), Some(&b"text/html"[..]));
        for line in [
            &b"com,example)/ 20140126200624"[..],
            b"com,example)/ 2014 x",
            b"",
            b"a b {",
            b"a b {\"mime\": \"x\"",
            b"a b {\"url\": \"http://a/\"}, {",
            b"a b {\"url\": 5}",
        ] {
            assert_eq!(cdxj_record(line), None, "{line:?}");
            assert_eq!(cdxj_url(line), None, "{line:?}");
        }
    }

    #[test]
    fn every_beginning_of_a_line_is_cut() {
        let columns = CdxColumns::of_header(b" CDX N b a m s").unwrap();
        let line = b"com,a)/ 20240708230936 http://a.com/ text/html 200";
        let last = line.len() - 3;
        for end in 1..=line.len() {
            assert_eq!(columns.is_cut(&line[..end]), end < last, "{end}");
        }
        let line = br#"com,a)/ 20240708230936 {"url": "http://a.com/\u00e4", "n": [-1.5e3, true, null, {"a": "b"}]}"#;
        for end in 1..=line.len() {
            assert_eq!(is_cut_cdxj(&line[..end]), end < line.len(), "{end}");
        }
        for line in ["", " ", "!meta {"] {
            assert!(!is_cut_cdxj(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn keys_become_urls() {
        let cases: [(&str, &str); 7] = [
            ("com,example)", "http://example.com"),
            ("127.0.0.1:8080)/x", "http://127.0.0.1:8080/x"),
            ("com,example)/a)b", "http://example.com/a)b"),
            ("example.com/a)b", "http://example.com/a)b"),
            ("http://(org,iana,www,)/x?u=http://y", "http://www.iana.org/x?u=http://y"),
            ("com,example)/?u=http://y", "http://example.com/?u=http://y"),
            ("", "http://"),
        ];
        for (key, url) in cases {
            assert_eq!(String::from_utf8(url_of_key(key.as_bytes())).unwrap(), url, "{key}");
        }
    }
}
