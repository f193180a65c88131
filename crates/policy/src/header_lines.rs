//! Header fields in the form in which they are sent (RFC 9112, sections 2.2, 4 and 5), for example in the file that `curl
//! --dump-header` writes.

use std::borrow::Cow;
use std::fmt;

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::Hop;
use robomata_syntax::without_mark;

use crate::fetch::{is_redirect, is_success};

/// A header field, with the 1-based line on which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderLine {
    /// The name as written.
    pub name: String,
    /// The value, without white space around it.
    pub value: String,
    /// The 1-based line.
    pub line: u32,
}

/// A line that does not belong in the head of a response. Its `Display` says what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadHeaderLine {
    /// The 1-based line.
    pub line: u32,
    /// What was expected.
    pub expected: Cow<'static, str>,
    /// The beginning of the line, or the part that is wrong.
    pub text: String,
}

/// The most bytes of a bad line that are quoted.
const QUOTED: usize = 60;

const FIELD: &str = "a header, 'name: value'";
const STATUS_LINE: &str = "a status line, such as 'HTTP/1.1 200 OK'";

/// The head of a response: header fields, each a name and a value, and the status. Lines end at LF or CRLF, or at CR if
/// there is no LF. A byte order mark is removed, and UTF-16 is decoded.
///
/// The text begins with a status line, or has none. `:status: 200` is one, too (RFC 9113, 8.3.2). Another status line after
/// an empty line begins the head of the next response. Of those before it, only redirects count. Other lines after an empty
/// line are header fields, like those that `curl` writes after content in chunks. A line that begins with white space
/// continues the previous one (obsolete line folding, 5.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The redirects that led to this response.
    pub hops: Vec<Hop>,
    /// The status of the last status line; none if there is no status line.
    pub status: Option<FetchStatus>,
    /// The 1-based line of the last status line; 0 if there is none.
    pub status_line: u32,
    /// The header fields.
    pub headers: Vec<HeaderLine>,
    /// The number of lines of the whole text.
    pub lines: u32,
}

impl fmt::Display for BadHeaderLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {:?}", self.expected, self.text)
    }
}

impl ResponseHead {
    /// Reads the head of the last response in `text`.
    ///
    /// # Errors
    /// For the first line that is neither a header field nor a status line where one can be. What it says would be missing.
    pub fn read(text: &[u8]) -> Result<Self, BadHeaderLine> {
        let text = without_mark(text);
        let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
        let (mut head, mut last) = (ResponseHead::default(), Last::Nothing);
        for (number, line) in (1..).zip(text.split(|&byte| byte == end)) {
            let ends = line.iter().rev().take_while(|&&byte| byte == b'\r').count();
            let line = &line[..line.len() - ends];
            let bad = |expected| BadHeaderLine {
                line: number,
                expected: Cow::Borrowed(expected),
                text: String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned(),
            };
            let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
            if line.is_empty() {
                last = if matches!(last, Last::StatusLine | Last::Field) { Last::Empty } else { last };
            } else if line.contains(&b'\r') {
                return Err(bad(FIELD));
            } else if is_folded && line.trim_ascii().is_empty() {
                // It adds nothing to a field.
            } else if let Some(code) = status_code(line) {
                if last != Last::Nothing && (last != Last::Empty || head.status.is_none()) {
                    return Err(bad(FIELD));
                }
                let status = code.and_then(FetchStatus::of_code).ok_or_else(|| bad(STATUS_LINE))?;
                let hop = head.redirect();
                let hops = head.hops.into_iter().chain(hop).collect();
                head = ResponseHead { hops, status: Some(status), status_line: number, ..Default::default() };
                last = Last::StatusLine;
            } else if is_folded {
                let field = head.headers.last_mut().filter(|_| matches!(last, Last::Field | Last::Trailer));
                let HeaderLine { value, .. } = field.ok_or_else(|| bad(FIELD))?;
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(&text_of(line));
            } else {
                let (name, value) = header(line).ok_or_else(|| bad(FIELD))?;
                head.headers.push(HeaderLine { name, value, line: number });
                last = if matches!(last, Last::Empty | Last::Trailer) { Last::Trailer } else { Last::Field };
            }
        }
        head.lines = text.split_inclusive(|&byte| byte == end).map(|_| 1).sum();
        Ok(head)
    }

    /// This response as a redirect that was followed, if it is one. Its target is known if all of its Location fields are
    /// equal.
    fn redirect(&self) -> Option<Hop> {
        let Some(FetchStatus::Code(status)) = self.status else { return None };
        let is_location = |header: &&HeaderLine| header.name.eq_ignore_ascii_case("location");
        let mut locations = self.headers.iter().filter(is_location).map(|header| &header.value);
        let first = locations.next();
        let location = first.filter(|first| locations.all(|other| other == *first));
        let location = location.map(|location| location.clone().into_bytes());
        is_redirect(status).then_some(Hop { status, location })
    }

    /// Checks that the content of this response can be the whole page at its URL: there is no status line, or one of a
    /// success other than 206 (RFC 9110, 15.3).
    ///
    /// # Errors
    /// For the status line of any other response.
    pub fn require_page(&self) -> Result<(), BadHeaderLine> {
        match self.status {
            Some(FetchStatus::Code(code)) if !is_success(code, (200, 299)) => Err(BadHeaderLine {
                line: self.status_line,
                expected: Cow::Borrowed("the status of a whole page, 200 to 299 but not 206"),
                text: code.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

/// The kind of the last line that was not blank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// There is no such line.
    Nothing,
    StatusLine,
    Field,
    /// It ends a head.
    Empty,
    /// A field after an empty line.
    Trailer,
}

/// The code in a status line, if `line` is one, and if it has one of three digits.
fn status_code(line: &[u8]) -> Option<Option<u16>> {
    let code = match line.strip_prefix(b":status:") {
        Some(code) => Some(code.trim_ascii()),
        None if line.starts_with(b"HTTP/") => line.split(|&byte| byte == b' ').nth(1),
        None => return None,
    };
    let code = code.filter(|code| code.len() == 3).and_then(|code| std::str::from_utf8(code).ok());
    Some(code.and_then(|code| code.parse().ok()))
}

/// Splits `name: value`. The name is a token (RFC 9110, 5.6.2). White space between it and the colon is removed, as by a
/// proxy (RFC 9112, 5.1).
fn header(line: &[u8]) -> Option<(String, String)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = (line[..colon].trim_ascii_end(), &line[colon + 1..]);
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    (!name.is_empty() && name.iter().all(is_of_token)).then(|| (text_of(name), text_of(value)))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}
