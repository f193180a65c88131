//! Header fields in the form in which they are sent (RFC 9112, sections 2.2, 4 and 5), for example the output of `curl
//! --head` or `curl --include`.

use robomata_protocol::FetchStatus;

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

/// A line that is not a header field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadHeaderLine {
    /// The 1-based line.
    pub line: u32,
    /// The beginning of the line.
    pub text: String,
}

/// The most bytes of a bad line that are quoted.
const QUOTED: usize = 60;

/// The head of a response: header fields, each a name and a value, and the status. Lines end at LF or CRLF.
///
/// A status line is not a header. Everything before it belongs to another response, for example a redirect. An empty
/// line ends the headers, unless a status line follows. A line that begins with white space continues the previous line
/// (obsolete line folding, 5.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status of the last status line; none if there is no status line. The status line is the error if it has no
    /// status code (RFC 9112, section 4).
    pub status: Result<Option<FetchStatus>, BadHeaderLine>,
    /// The 1-based line of the last status line; 0 if there is none.
    pub status_line: u32,
    /// The header fields.
    pub headers: Vec<HeaderLine>,
    /// Lines that are no header fields.
    pub bad_lines: Vec<BadHeaderLine>,
}

impl BadHeaderLine {
    fn new(number: u32, line: &[u8]) -> Self {
        BadHeaderLine {
            line: number,
            text: String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned(),
        }
    }
}

impl ResponseHead {
    /// Reads the head of the last response in `text`.
    pub fn read(text: &[u8]) -> Self {
        let (mut headers, mut bad_lines): (Vec<HeaderLine>, Vec<BadHeaderLine>) = (Vec::new(), Vec::new());
        let (mut status, mut status_line) = (Ok(None), 0);
        let mut last = Last::Nothing;
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let mut bad = || {
                bad_lines.push(BadHeaderLine::new(number, line));
                Last::Bad
            };
            if line.starts_with(b"HTTP/") {
                status = status_of(line).map(Some).ok_or_else(|| BadHeaderLine::new(number, line));
                status_line = number;
                headers.clear();
                last = Last::Nothing;
            } else if line.trim_ascii().is_empty() {
                last = Last::Empty;
            } else if last == Last::Empty && !headers.is_empty() {
                // The content follows. It is not read, except for another response's status line directly after the empty
                // line.
                break;
            } else if line.starts_with(b" ") || line.starts_with(b"\t") {
                match (last, headers.last_mut()) {
                    (Last::Header, Some(HeaderLine { value, .. })) => {
                        if !value.is_empty() {
                            value.push(' ');
                        }
                        value.push_str(&text_of(line));
                    }
                    // The line continues one that was already reported.
                    (Last::Bad, _) => {}
                    _ => last = bad(),
                }
            } else if let Some((name, value)) = header(line) {
                headers.push(HeaderLine { name, value, line: number });
                last = Last::Header;
            } else {
                last = bad();
            }
        }
        ResponseHead { status, status_line, headers, bad_lines }
    }
}

/// The status in a status line.
fn status_of(line: &[u8]) -> Option<FetchStatus> {
    let code = line.split(|&byte| byte == b' ').nth(1).filter(|code| code.len() == 3)?;
    FetchStatus::of_code(std::str::from_utf8(code).ok()?.parse().ok()?)
}

/// The kind of the previous line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// There is no previous line, or it is a status line.
    Nothing,
    Header,
    Bad,
    Empty,
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
