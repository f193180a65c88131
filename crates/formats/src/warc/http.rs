//! HTTP messages in records: the heads of requests, and the heads and decoded bodies of responses.

use std::borrow::Cow;
use std::io::{self, Read};

use httparse::{ParserConfig, Status};
use memchr::memchr;

use super::head::field_of;
use super::robots::Refusal;
use crate::error::quoted;
use crate::lines::{MAX_LINE, first_lines, split_line};

/// Maximum number of header fields.
const MAX_FIELDS: usize = 512;

/// A response with its parsed head.
pub(super) struct Response<'b> {
    pub(super) status: u16,
    /// The redirect target, as written.
    pub(super) location: Option<Vec<u8>>,
    chunked: bool,
    codings: Vec<Vec<u8>>,
    content: &'b [u8],
}

impl<'b> Response<'b> {
    /// Parses the head at the beginning of `block`; `None` if there is none.
    pub(super) fn read(block: &'b [u8]) -> Option<Self> {
        let rest = block.strip_prefix(b"HTTP/")?;
        // Writers use versions that the parser does not know, in particular `HTTP/2`.
        let space = memchr(b' ', rest)?;
        let head_end = head_length(block);
        let head = [b"HTTP/1.1", &rest[space..head_end - b"HTTP/".len()], b"\r\n\r\n"].concat();
        let mut fields = vec![httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut parsed = httparse::Response::new(&mut fields);
        let complete = ParserConfig::default()
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_multiple_spaces_in_response_status_delimiters(true)
            .ignore_invalid_headers_in_responses(true)
            .parse_response(&mut parsed, &head);
        let Ok(Status::Complete(_)) = complete else { return None };
        Some(Response {
            status: parsed.code?,
            location: value(&parsed, "Location").map(<[u8]>::to_vec),
            chunked: list(&parsed, "Transfer-Encoding").iter().any(|coding| coding == b"chunked"),
            codings: list(&parsed, "Content-Encoding"),
            content: &block[head_end..],
        })
    }

    /// The body without transfer and content codings (RFC 9112, section 7; RFC 9110, section 8.4).
    ///
    /// Many writers decode the body but leave the header fields unchanged. So content that does not match its coding is
    /// returned as the body. If coded content is cut off or corrupt, the part that can be decoded is returned.
    ///
    /// Of a longer body, or if the block `is_cut`, only the beginning is returned: see [`first_lines`].
    pub(super) fn body(&self, mut is_cut: bool) -> Result<Vec<u8>, Refusal> {
        let mut body = match self.chunked.then(|| unchunked(self.content)).flatten() {
            Some(content) => Cow::Owned(content),
            None => Cow::Borrowed(self.content),
        };
        for coding in self.codings.iter().rev() {
            if let Some(decoded) = decoded(coding, &body)? {
                is_cut |= decoded.len() > MAX_LINE;
                body = Cow::Owned(decoded);
            }
        }
        let body = body.into_owned();
        if is_cut { first_lines(body).ok_or(Refusal::TooLong) } else { Ok(body) }
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
    response.headers.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
}

/// The members of all fields with this name, in lower case.
fn list(response: &httparse::Response<'_, '_>, name: &str) -> Vec<Vec<u8>> {
    let fields = response.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
    fields
        .flat_map(|field| field.value.split(|byte| *byte == b','))
        .map(|coding| coding.trim_ascii().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty())
        .collect()
}

/// The data of all complete or partial chunks; `None` if there are no chunks.
fn unchunked(mut content: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::with_capacity(content.len());
    let mut first = true;
    while let Some(length) = chunk_length(&mut content) {
        first = false;
        let part = &content[..length.min(content.len())];
        data.extend_from_slice(part);
        content = &content[part.len()..];
        if part.is_empty() {
            break;
        }
        content = content.strip_prefix(b"\r").unwrap_or(content);
        content = content.strip_prefix(b"\n").unwrap_or(content);
    }
    (!first).then_some(data)
}

/// Parses the length at the start of a chunk and advances `content` past that line.
fn chunk_length(content: &mut &[u8]) -> Option<usize> {
    let end = memchr(b'\n', content)?;
    let line = &content[..end];
    let digits = line[..memchr(b';', line).unwrap_or(end)].trim_ascii();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let length = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    *content = &content[end + 1..];
    Some(length)
}

/// Decodes `content` with `coding`; `None` if it does not have this coding.
fn decoded(coding: &[u8], content: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
    Ok(match coding {
        b"gzip" | b"x-gzip" if content.starts_with(&[0x1f, 0x8b]) => {
            decode(flate2::bufread::MultiGzDecoder::new(content))
        }
        b"deflate" => decode(flate2::bufread::ZlibDecoder::new(content))
            .or_else(|| decode(flate2::bufread::DeflateDecoder::new(content))),
        b"zstd" if content.starts_with(&super::zstandard::MAGIC) => {
            zstd::Decoder::with_buffer(content).ok().and_then(decode)
        }
        b"gzip" | b"x-gzip" | b"zstd" | b"identity" => None,
        _ if content.is_empty() => None,
        other => return Err(Refusal::Coding(quoted(&String::from_utf8_lossy(other)))),
    })
}

/// The output of a decoder before its end, its first error, or its byte after [`MAX_LINE`] bytes; `None` if there is none.
fn decode(decoder: impl Read) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    let result: io::Result<usize> = decoder.take(MAX_LINE as u64 + 1).read_to_end(&mut data);
    (result.is_ok() || !data.is_empty()).then_some(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(block: &[u8]) -> Vec<u8> {
        Response::read(block).unwrap().body(false).unwrap()
    }

    #[test]
    fn a_head_is_read_however_it_is_written() {
        for head in [
            "HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\n",
            "HTTP/1.0 301\nlocation : /x\n\nbody",
            "HTTP/2 301\r\nlocation:/x\r\n\r\n",
            "HTTP/1.1 301 Moved\r\n no name\r\nb\u{e4}d: \r\nLocation: /x",
            "HTTP/1.1  301  Moved\r\nLocation:  /x  \r\n",
        ] {
            let response = Response::read(head.as_bytes()).expect(head);
            assert_eq!((response.status, response.location.as_deref()), (301, Some(&b"/x"[..])), "{head}");
        }
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
        assert_eq!(with(b""), b"");
    }

    #[test]
    fn content_codings_are_undone_in_their_order() {
        use flate2::{Compression, bufread};
        let text = &b"User-agent: *\nDisallow: /\n"[..];
        let read = |mut reader: Box<dyn Read + '_>| {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        };
        let gzip = read(Box::new(bufread::GzEncoder::new(text, Compression::fast())));
        let zlib = read(Box::new(bufread::ZlibEncoder::new(text, Compression::fast())));
        let raw = read(Box::new(bufread::DeflateEncoder::new(text, Compression::fast())));
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
    }

    #[test]
    fn what_cannot_be_undone_is_refused() {
        let refused = |coding: &str, content: &[u8]| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n");
            let block = [head.as_bytes(), content].concat();
            Response::read(&block).unwrap().body(true).unwrap_err().to_string()
        };
        assert!(refused("br", b"x").contains("found \"br\""));
        let long = refused(&"long".repeat(1000), b"x");
        assert!(long.len() < 200 && long.contains("longlong\"…"), "{long}");
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
        let endless = decoded(&mut (&b"Disallow: /"[..]).chain(io::repeat(b'x').take(MAX_LINE as u64)));
        assert_eq!(endless.len(), MAX_LINE, "only the first bytes of the line count");
    }
}
