//! HTTP messages in records: the heads of requests, and the heads and decoded bodies of responses.

use std::borrow::Cow;
use std::io::Read;

use flate2::bufread::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status as Inflated};
use httparse::{ParserConfig, Status};
use memchr::memchr;

use super::MAX_HEAD;
use super::head::field_of;
use super::robots::{Partial, Refusal};
use super::zstandard;
use crate::error::quoted;
use crate::lines::{MAX_LINE, first_lines, split_line};

/// Maximum number of header fields.
pub(super) const MAX_FIELDS: usize = 512;

/// Maximum number of codings of a body. Each takes a pass over the body, and no server applies more than two.
pub(super) const MAX_CODINGS: usize = 5;

/// The first bytes of gzip data.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A response with its parsed head.
pub(super) struct Response<'b> {
    pub(super) status: u16,
    /// The redirect target, as written. It may contain control characters.
    pub(super) location: Option<Vec<u8>>,
    /// Whether there is another Location that differs.
    pub(super) has_other_location: bool,
    /// Whether the blank line after the head is there.
    pub(super) has_whole_head: bool,
    /// The largest `Content-Length`.
    length: Option<u64>,
    /// `Content-Range`.
    range: Option<Range>,
    chunked: bool,
    /// The content codings and then the transfer codings but `chunked`, in the order in which they were applied. Of more
    /// than [`MAX_CODINGS`], one more is here.
    codings: Vec<Vec<u8>>,
    content: &'b [u8],
}

impl<'b> Response<'b> {
    /// Parses the head at the beginning of `block`; `None` if there is none, or one that is too long.
    pub(super) fn read(block: &'b [u8]) -> Option<Self> {
        let rest = block.strip_prefix(b"HTTP/")?;
        let head_end = head_length(block);
        if head_end > MAX_HEAD {
            return None;
        }
        let after_name = &rest[..head_end - b"HTTP/".len()];
        // Writers use versions that the parser does not know, in particular `HTTP/2`.
        let space = memchr(b' ', after_name)?;
        let head = [b"HTTP/1.1", &after_name[space..], b"\r\n\r\n"].concat();
        let mut fields = vec![httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut parsed = httparse::Response::new(&mut fields);
        let complete = ParserConfig::default()
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .ignore_invalid_headers_in_responses(true)
            .parse_response(&mut parsed, &head);
        let Ok(Status::Complete(_)) = complete else { return None };
        let is_chunked = |coding: &&[u8]| coding.eq_ignore_ascii_case(b"chunked");
        let transfer = list(&parsed, "Transfer-Encoding").filter(|coding| !is_chunked(coding));
        let codings = list(&parsed, "Content-Encoding").chain(transfer).take(MAX_CODINGS + 1);
        Some(Response {
            status: parsed.code?,
            // The parser leaves out fields with control characters.
            has_other_location: values(&parsed, "Location")
                .any(|other| Some(other) != value(&parsed, "Location")),
            location: value(&parsed, "Location")
                .or_else(|| field_of(&block[..head_end], b"Location"))
                .map(<[u8]>::to_vec),
            has_whole_head: [&b"\n\n"[..], b"\n\r\n"].iter().any(|end| block[..head_end].ends_with(end)),
            length: list(&parsed, "Content-Length").filter_map(number).max(),
            range: value(&parsed, "Content-Range").and_then(Range::read),
            chunked: list(&parsed, "Transfer-Encoding").any(|coding| is_chunked(&coding)),
            codings: codings.map(<[u8]>::to_ascii_lowercase).collect(),
            content: &block[head_end..],
        })
    }

    /// The body without transfer and content codings (RFC 9112, section 7; RFC 9110, section 8.4), and why it is only a
    /// part of the file, if it is.
    ///
    /// Many writers decode the body but leave the header fields unchanged. So content that does not match its coding is
    /// returned as the body. If coded content is cut off or corrupt, the part that can be decoded is returned.
    ///
    /// Of a longer body, or if the block `is_cut`, only the beginning is returned: see [`first_lines`]. How such a
    /// body ends is not examined.
    pub(super) fn body(&self, mut is_cut: bool) -> Result<(Vec<u8>, Option<Partial>), Refusal> {
        if self.codings.len() > MAX_CODINGS {
            return Err(Refusal::Codings);
        }
        let range = (self.status == 206).then_some(self.range);
        if range.is_some_and(|range| range.is_none_or(|range| range.first > 0)) {
            return Ok((Vec::new(), Some(Partial::Range)));
        }
        let chunks = self.chunked.then(|| unchunked(self.content)).flatten();
        let mut partial = match &chunks {
            _ if !self.has_whole_head => Some(Partial::Head),
            _ if range.flatten().is_some_and(|range| !range.is_whole()) => Some(Partial::Range),
            Some((_, false)) => Some(Partial::Chunks),
            _ => None,
        };
        let mut body = chunks.map_or(Cow::Borrowed(self.content), |(content, _)| Cow::Owned(content));
        let mut is_decoded = false;
        for coding in self.codings.iter().rev() {
            if let Some((decoded, is_whole)) = decoded(coding, &body)? {
                is_cut |= decoded.len() > MAX_LINE;
                is_decoded = true;
                if !is_whole {
                    partial
                        .get_or_insert_with(|| Partial::Coding(String::from_utf8_lossy(coding).into_owned()));
                }
                body = Cow::Owned(decoded);
            }
        }
        let body = body.into_owned();
        if is_cut {
            return first_lines(body).ok_or(Refusal::TooLong).map(|body| (body, None));
        }
        let partial = partial.or_else(|| if is_decoded || self.chunked { None } else { self.missing() });
        Ok((body, partial))
    }

    /// Compares the content, which has no coding, with `Content-Length`.
    fn missing(&self) -> Option<Partial> {
        let found = self.content.len();
        // If the writer decoded the body, the field may have the length of the coded one.
        let added: usize = self.codings.iter().map(|coding| added(coding, found)).sum();
        let expected = self.length.filter(|length| *length > (found + added) as u64)?;
        Some(Partial::Length { expected, found })
    }
}

/// The part of a file in a response with the status 206 (RFC 9110, section 14.4).
#[derive(Clone, Copy)]
struct Range {
    first: u64,
    last: u64,
    /// The length of the file, if known.
    length: Option<u64>,
}

impl Range {
    /// Parses a value such as `bytes 0-25/26`.
    fn read(value: &[u8]) -> Option<Self> {
        let (range, length) = std::str::from_utf8(value).ok()?.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        Some(Range { first: first.parse().ok()?, last: last.parse().ok()?, length: length.parse().ok() })
    }

    fn is_whole(self) -> bool {
        self.first == 0 && self.length.is_some_and(|length| self.last.checked_add(1) == Some(length))
    }
}

/// The method and the User-Agent of a request.
pub(super) fn request(block: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    let head = &block[..head_length(block)];
    let (line, fields) = split_line(head).unwrap_or_default();
    let method = line.split(|byte| *byte == b' ').next().filter(|method| is_method(method));
    (method, field_of(fields, b"User-Agent").filter(|agent| !agent.is_empty()))
}

fn is_method(word: &[u8]) -> bool {
    !word.is_empty() && word.len() <= 32 && word.iter().all(u8::is_ascii_uppercase)
}

/// The number of bytes before the body: up to and including the first blank line, or all bytes if there is none.
fn head_length(block: &[u8]) -> usize {
    let mut end = 0;
    while let Some(line) = memchr(b'\n', &block[end..]) {
        let start = end;
        end += line + 1;
        if matches!(&block[start..end], b"\n" | b"\r\n") {
            return end;
        }
    }
    block.len()
}

fn value<'h>(response: &httparse::Response<'h, 'h>, name: &str) -> Option<&'h [u8]> {
    values(response, name).next()
}

fn values<'h>(response: &httparse::Response<'h, 'h>, name: &str) -> impl Iterator<Item = &'h [u8]> {
    response
        .headers
        .iter()
        .filter(move |field| field.name.eq_ignore_ascii_case(name))
        .map(|field| field.value)
}

/// The members of all fields with this name.
fn list<'r>(response: &'r httparse::Response<'_, '_>, name: &'r str) -> impl Iterator<Item = &'r [u8]> {
    let fields = response.headers.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
    fields
        .flat_map(|field| field.value.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|member| !member.is_empty())
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The data of all complete or partial chunks, and whether the last chunk is there; `None` if there are no chunks.
fn unchunked(mut content: &[u8]) -> Option<(Vec<u8>, bool)> {
    if memchr(b'\n', content).is_none() && size_digits(content).is_some() {
        return Some((Vec::new(), false));
    }
    let mut data = Vec::with_capacity(content.len());
    let mut first = true;
    while let Some(length) = chunk_length(&mut content) {
        first = false;
        let part = &content[..length.min(content.len())];
        data.extend_from_slice(part);
        content = &content[part.len()..];
        if part.is_empty() {
            return Some((data, length == 0));
        }
        content = content.strip_prefix(b"\r").unwrap_or(content);
        content = content.strip_prefix(b"\n").unwrap_or(content);
    }
    (!first).then_some((data, false))
}

/// Parses the length at the start of a chunk and advances `content` past that line.
fn chunk_length(content: &mut &[u8]) -> Option<usize> {
    let end = memchr(b'\n', content)?;
    let digits = size_digits(&content[..end])?;
    let length = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    *content = &content[end + 1..];
    Some(length)
}

/// The digits on the first `line` of a chunk, or on its beginning.
fn size_digits(line: &[u8]) -> Option<&[u8]> {
    let digits = line[..memchr(b';', line).unwrap_or(line.len())].trim_ascii();
    digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)
}

/// The most bytes that `coding` adds to content of this `length`.
fn added(coding: &[u8], length: usize) -> usize {
    match (coding, length) {
        (b"identity", _) => 0,
        (b"gzip" | b"x-gzip", 0) => 20,
        (b"deflate", 0) => 8,
        (b"zstd", 0) => 13,
        (_, 0) => 0,
        // More than gzip, zlib and zstd add to content that they cannot compress.
        _ => length / 1000 + 64,
    }
}

/// Decodes `content` with `coding`, as far as possible, and returns whether that is all of it; `None` if it does not
/// have this coding. At most one byte more than [`MAX_LINE`] is decoded.
fn decoded(coding: &[u8], content: &[u8]) -> Result<Option<(Vec<u8>, bool)>, Refusal> {
    let begins =
        |magic: &[u8]| content.starts_with(magic) || (magic.starts_with(content) && !content.is_empty());
    Ok(match coding {
        b"gzip" | b"x-gzip" if begins(&GZIP) => Some(gunzipped(content)),
        b"deflate" => inflated(content),
        b"zstd" if begins(&zstandard::MAGIC) => Some(match zstd::Decoder::with_buffer(content) {
            Ok(decoder) => {
                let mut data = Vec::new();
                let read = decoder.take(MAX_LINE as u64 + 1).read_to_end(&mut data);
                (data, read.is_ok())
            }
            Err(_) => (Vec::new(), false),
        }),
        b"gzip" | b"x-gzip" | b"zstd" | b"identity" => None,
        _ if content.is_empty() => None,
        other => return Err(Refusal::Coding(quoted(&String::from_utf8_lossy(other)))),
    })
}

/// Decodes all members of gzip data. Servers pad it, so what follows the last member does not matter.
fn gunzipped(content: &[u8]) -> (Vec<u8>, bool) {
    let mut data = Vec::new();
    let mut decoder = GzDecoder::new(content);
    loop {
        let room = (MAX_LINE + 1 - data.len()) as u64;
        if decoder.by_ref().take(room).read_to_end(&mut data).is_err() {
            return (data, false);
        }
        let rest = *decoder.get_ref();
        if data.len() > MAX_LINE || !rest.starts_with(&GZIP) {
            return (data, true);
        }
        decoder.reset(rest);
    }
}

/// Decodes content with the coding deflate: zlib data or, from some servers, raw deflate data. Only the former begins in
/// a way that no text does.
fn inflated(content: &[u8]) -> Option<(Vec<u8>, bool)> {
    let (zlib, rest) = inflate(content, true);
    if rest.is_some() {
        return Some((zlib, true));
    }
    let (raw, rest) = inflate(content, false);
    if rest == Some(0) {
        return Some((raw, true));
    }
    let is_zlib = match *content {
        [first @ (0x08 | 0x18 | 0x28 | 0x38 | 0x48 | 0x58 | 0x68 | 0x78), second, ..] => {
            u16::from_be_bytes([first, second]) % 31 == 0
        }
        [first] => first == 0x78,
        _ => false,
    };
    if is_zlib {
        return Some((zlib, false));
    }
    let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    (!content.iter().all(is_text)).then_some((raw, false))
}

/// Decodes zlib data or raw deflate data, and returns the number of bytes after it. That is `None` if the data do not
/// end, and 0 if they are too long to see their end.
fn inflate(content: &[u8], is_zlib: bool) -> (Vec<u8>, Option<usize>) {
    const STEP: usize = 64 << 10;
    let mut inflate = Decompress::new(is_zlib);
    let (mut data, mut rest) = (Vec::new(), content);
    loop {
        data.reserve(STEP);
        let (read, written) = (inflate.total_in(), data.len());
        let result = inflate.decompress_vec(rest, &mut data, FlushDecompress::None);
        let read = usize::try_from(inflate.total_in() - read).unwrap_or(usize::MAX);
        rest = &rest[read..];
        match result {
            _ if data.len() > MAX_LINE => return (data, Some(0)),
            Ok(Inflated::StreamEnd) => return (data, Some(rest.len())),
            Ok(_) if read > 0 || data.len() > written => {}
            _ => return (data, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(block: &[u8]) -> Vec<u8> {
        Response::read(block).unwrap().body(false).unwrap().0
    }

    /// Why the body of a response with `head` and `content` is only a part.
    fn part(head: &str, content: &[u8]) -> Option<String> {
        let block = [b"HTTP/1.1 ", head.as_bytes(), b"\r\n\r\n", content].concat();
        let (_, partial) = Response::read(&block).unwrap().body(false).unwrap();
        partial.map(|partial| partial.to_string())
    }

    fn coded(mut encoder: impl Read) -> Vec<u8> {
        let mut all = Vec::new();
        encoder.read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn a_status_line_without_a_blank_is_no_response() {
        for block in [
            "HTTP/1.1\r\n\r\na b",
            "HTTP/\n\n 200 OK\n\n",
            "HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            "HTTP/",
        ] {
            assert!(Response::read(block.as_bytes()).is_none(), "{block:?}");
        }
    }

    #[test]
    fn a_head_is_read_however_it_is_written() {
        for head in [
            "HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n",
            "HTTP/1.0 301\nlocation : /x\n\nbody",
            "HTTP/2 301\r\nlocation:/x\r\n\r\n",
            "HTTP/1.1 301 Moved\r\n no name\r\nb\u{e4}d: \r\nLocation: /x",
            "HTTP/1.1  301  Moved\r\nLocation:  /x  \r\n",
            "HTTP/1.1 301 Moved\r\nLocation: \x01\r\nLocation: /x\r\n\r\n",
        ] {
            let response = Response::read(head.as_bytes()).expect(head);
            assert_eq!((response.status, response.location.as_deref()), (301, Some(&b"/x"[..])), "{head}");
        }
        let control = Response::read(b"HTTP/1.1 301 Moved\r\nLocation: /\x01x\r\n\r\n").unwrap();
        assert_eq!(control.location.as_deref(), Some(&b"/\x01x"[..]));
        for other in ["", "HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "User-agent: *\n"] {
            assert!(Response::read(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn chunks_are_joined_where_there_are_any() {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n";
        let with = |content: &[u8]| body(&[head, content].concat());
        assert_eq!(with(b"5;x=y\r\nUser-\r\n00006\r\nagent:\r\n0\r\nTrailer: x\r\n\r\n"), b"User-agent:");
        assert_eq!(with(b"5\nUser-\n6\nagent:\n0\n\n"), b"User-agent:");
        assert_eq!(with(b"5\r\nUser-\r\nff\r\nagent:"), b"User-agent:", "cut");
        assert_eq!(
            with(b"User-agent: *\nDisallow:\n"),
            b"User-agent: *\nDisallow:\n",
            "undone by the writer"
        );
        assert_eq!(with(b"0\r\n\r\n"), b"");
    }

    #[test]
    fn content_codings_are_undone_in_their_order() {
        use flate2::{Compression, bufread};
        let text = &b"User-agent: *\nDisallow: /\n"[..];
        let gzip = coded(bufread::GzEncoder::new(text, Compression::fast()));
        let zlib = coded(bufread::ZlibEncoder::new(text, Compression::fast()));
        let raw = coded(bufread::DeflateEncoder::new(text, Compression::fast()));
        let zstd = zstd::encode_all(text, 1).unwrap();
        let both = zstd::encode_all(&gzip[..], 1).unwrap();
        let with = |coding: &str, content: &[u8]| {
            body(
                &[format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n").as_bytes(), content]
                    .concat(),
            )
        };
        assert_eq!(with("gzip", &gzip), text);
        assert_eq!(with("X-GZIP", &gzip), text);
        assert_eq!(with("deflate", &zlib), text);
        assert_eq!(with("deflate", &raw), text);
        assert_eq!(with("zstd", &zstd), text);
        assert_eq!(with("gzip, zstd", &both), text);
        assert_eq!(with("identity", text), text);
        assert_eq!(with("gzip", text), text, "undone by the writer");
        assert!(text.starts_with(&with("gzip", &gzip[..gzip.len() - 9])), "cut");

        let chunks = |content: &[u8]| {
            [format!("{:x}\r\n", content.len()).as_bytes(), content, b"\r\n0\r\n\r\n"].concat()
        };
        for (fields, content) in [
            ("Transfer-Encoding: gzip, chunked", chunks(&gzip)),
            ("Transfer-Encoding: gzip", gzip.clone()),
            ("Content-Encoding: gzip\r\nTransfer-Encoding: zstd, Chunked", chunks(&both)),
            ("Transfer-Encoding: gzip, chunked", text.to_vec()),
        ] {
            let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
            assert_eq!(body(&[head.as_bytes(), &content].concat()), text, "{fields}");
        }
    }

    #[test]
    fn a_response_that_ended_early_is_detected() {
        use flate2::{Compression, bufread};
        let text = &b"User-agent: *\nAllow: /public\nDisallow: /\n"[..];
        let head = |fields: &str| format!("200 OK\r\n{fields}").trim_end().to_owned();
        let assert_whole = |fields: &str, content: &[u8]| {
            assert_eq!(part(&head(fields), content), None, "{fields}: {}", content.escape_ascii());
        };
        let assert_part = |fields: &str, content: &[u8], why: &str| {
            let found = part(&head(fields), content).unwrap_or_default();
            assert!(found.contains(why), "{fields}: {}: {found}", content.escape_ascii());
        };
        // Lengths. Smaller ones are those of writers that decoded the body.
        let length = |bytes: usize| format!("Content-Length: {bytes}");
        assert_whole(&length(text.len()), text);
        assert_whole(&length(text.len() - 1), text);
        assert_whole("Content-Length: unknown", text);
        for cut in 0..text.len() {
            let why = format!("expected a body of {} bytes, found {cut}", text.len());
            assert_part(&length(text.len()), &text[..cut], &why);
            assert_part(&format!("Content-Length: 1, {}", text.len()), &text[..cut], &why);
        }
        assert_eq!(part("200 OK\r\nContent-Encoding: identity", text), None);
        assert_part(&format!("Content-Encoding: identity\r\n{}", length(99)), text, "99 bytes");

        // Chunks.
        let chunks = b"1e\r\nUser-agent: *\nAllow: /public\n\r\nD\r\nDisallow: /\n\r\n0\r\n\r\n";
        let chunked = format!("Transfer-Encoding: chunked\r\n{}", length(99));
        assert_whole(&chunked, chunks);
        assert_whole(&chunked, text);
        for cut in 0..chunks.len() - 2 {
            assert_part(&chunked, &chunks[..cut], "expected the last chunk");
        }

        // Codings.
        let zstd = zstd::encode_all(text, 1).unwrap();
        let gzip = coded(bufread::GzEncoder::new(text, Compression::best()));
        let zlib = coded(bufread::ZlibEncoder::new(text, Compression::best()));
        let raw = coded(bufread::DeflateEncoder::new(text, Compression::best()));
        for (coding, coded) in [("gzip", &gzip), ("zstd", &zstd), ("deflate", &zlib), ("deflate", &raw)] {
            let fields = format!("Content-Encoding: {coding}");
            assert_whole(&fields, coded);
            // Some servers and writers use the length of the decoded body, or that of the coded one.
            assert_whole(&format!("{fields}\r\n{}", length(coded.len() + 30)), coded);
            assert_whole(&format!("{fields}\r\n{}", length(text.len() + 30)), text);
            // An empty body is a whole one only if that is all that the coding is made of.
            assert_whole(&format!("{fields}\r\n{}", length(added(coding.as_bytes(), 0))), b"");
            assert_part(&format!("{fields}\r\n{}", length(coded.len())), b"", "bytes, found 0");
            // Of raw deflate data, short beginnings may be text.
            let shortest = if std::ptr::eq(coded, &raw) { 30 } else { 1 };
            for cut in shortest..coded.len() {
                assert_part(&fields, &coded[..cut], "can be decoded to its end");
            }
        }
        for text in [text, b"# x", b"#", b"Sitemap: http://a.com/\n", b"Disallow: /\xfcber\n"] {
            assert_whole("Content-Encoding: deflate", text);
        }
        // Members after the first one count; padding does not.
        let two = [&gzip[..], &gzip].concat();
        assert_whole("Content-Encoding: gzip", &[&two[..], b"\0\0\r\n"].concat());
        assert_part("Content-Encoding: gzip", &two[..two.len() - 1], "can be decoded to its end");

        // Parts of the file.
        for (range, is_whole) in [
            ("bytes 0-41/42", true),
            ("bytes 0-41/43", false),
            ("bytes 1-41/42", false),
            ("bytes 0-41/*", false),
            ("bytes */42", false),
            ("lines 0-41/42", false),
        ] {
            let found = part(&format!("206 Partial Content\r\nContent-Range: {range}"), text);
            assert_eq!(found.is_none(), is_whole, "{range}: {found:?}");
            assert_whole(&format!("Content-Range: {range}"), text);
        }
        assert!(part("206 Partial Content", text).is_some());

        let head = Response::read(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n").unwrap();
        assert!(head.body(false).unwrap().1.is_some());
    }

    #[test]
    fn of_an_empty_body_a_coding_adds_what_it_makes_of_nothing() {
        use flate2::{Compression, bufread};
        let best = Compression::best();
        let gzip = coded(bufread::GzEncoder::new(&b""[..], best));
        let zlib = coded(bufread::ZlibEncoder::new(&b""[..], best));
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        let zstd = encoder.finish().unwrap();
        for (coding, coded) in [("gzip", gzip), ("x-gzip", Vec::new()), ("deflate", zlib), ("zstd", zstd)] {
            let most = added(coding.as_bytes(), 0);
            assert!(coded.len() <= most, "{coding}: {}", coded.len());
            let with = |length: usize| {
                part(&format!("200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {length}"), b"")
            };
            assert_eq!(with(most), None, "{coding}");
            let why = format!("expected a body of {} bytes, found 0", most + 1);
            assert_eq!(with(most + 1).as_deref(), Some(&*why));
        }
        let both = |length: usize| {
            part(&format!("200 OK\r\nContent-Encoding: gzip, zstd\r\nContent-Length: {length}"), b"")
        };
        assert!(both(33).is_none() && both(34).is_some());
    }

    #[test]
    fn what_cannot_be_undone_is_refused() {
        let refused_by = |field: &str, coding: &str, content: &[u8]| {
            let head = format!("HTTP/1.1 200 OK\r\n{field}: {coding}\r\n\r\n");
            let block = [head.as_bytes(), content].concat();
            Response::read(&block).unwrap().body(true).unwrap_err().to_string()
        };
        let refused = |coding: &str, content: &[u8]| refused_by("Content-Encoding", coding, content);
        assert!(refused("br", b"x").contains("found \"br\""));
        assert!(refused_by("Transfer-Encoding", "compress, chunked", b"x").contains("found \"compress\""));
        let long = refused(&"long".repeat(1000), b"x");
        assert!(long.len() < 200 && long.contains("longlong\"…"), "{long}");
        let many = |codings: usize| "deflate,".repeat(codings);
        let why = "expected at most 5 codings of the body";
        assert_eq!(refused(&many(6), b"x"), why);
        assert_eq!(refused_by("Transfer-Encoding", &many(6), b"x"), why);
        let both = format!("{}\r\nTransfer-Encoding: gzip, chunked", many(5));
        assert_eq!(refused(&both, b"x"), why);
        let five = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {}\r\n\r\nDisallow: /\n", many(5));
        assert_eq!(body(five.as_bytes()), b"Disallow: /\n");
        // A block that is full of members without content.
        let empty = zstd::encode_all(&b""[..], 1).unwrap().repeat(100);
        assert!(refused("zstd", &empty).contains("at most 64 MiB"));
    }

    #[test]
    fn a_response_with_too_many_fields_is_unreadable() {
        let block = |fields| format!("HTTP/1.1 200 OK\r\n{}\r\nbody", "X: 1\r\n".repeat(fields)).into_bytes();
        let body = |fields| Response::read(&block(fields)).map(|response| response.content.to_vec());
        assert_eq!(body(MAX_FIELDS).as_deref(), Some(&b"body"[..]));
        assert_eq!(body(MAX_FIELDS + 1), None);
    }

    #[test]
    fn a_response_with_a_head_of_more_than_a_mebibyte_is_unreadable() {
        let block = |length: usize| {
            let mut block = format!("HTTP/1.1 200 OK\r\nContent-Length: 1{}", ",1".repeat(length));
            block.truncate(length - 4);
            block + "\r\n\r\nbody"
        };
        assert_eq!(body(block(MAX_HEAD).as_bytes()), b"body");
        assert!(Response::read(block(MAX_HEAD + 1).as_bytes()).is_none());
    }

    #[test]
    fn of_a_longer_body_the_first_lines_count() {
        let decoded = |text: &mut dyn Read| {
            let content = zstd::encode_all(text, 1).unwrap();
            body(&[b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n", &content[..]].concat())
        };
        let lines = b"Disallow: /1234\n".repeat(MAX_LINE / 16);
        assert_eq!(decoded(&mut &lines[..]).len(), MAX_LINE);
        let line = &b"Allow: /\n"[..];
        assert!(decoded(&mut (&lines[..]).chain(line)) == lines, "whole lines");
        let shifted = || (&b"#\r\n"[..]).chain(&lines[..]);
        let expected = [b"#\r\n", &lines[..MAX_LINE - 16]].concat();
        assert!(decoded(&mut shifted()) == expected, "no part of a line");
        let endless = decoded(&mut (&b"Disallow: /"[..]).chain(std::io::repeat(b'x').take(MAX_LINE as u64)));
        assert_eq!(endless.len(), MAX_LINE, "only the first bytes of the line count");
    }
}
