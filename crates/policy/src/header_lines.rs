//! Header fields in the form in which they are sent (RFC 9112, sections 2.2, 4 and 5), for example the output of `curl
//! --head` or `curl --include`.

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

/// Reads header fields, each a name and a value. Lines end at LF or CRLF.
///
/// A status line is not a header. Everything before it belongs to another response, for example a redirect. An empty
/// line ends the headers, unless a status line follows. A line that begins with white space continues the previous line
/// (obsolete line folding, 5.2).
pub fn header_lines(text: &[u8]) -> (Vec<HeaderLine>, Vec<BadHeaderLine>) {
    let Response { headers, bad_lines, status_line: _ } = Response::read(text);
    (headers, bad_lines)
}

/// Reads the status code of the response that [`header_lines`] reads, from the last status line. None if there is no status
/// line.
///
/// # Errors
/// Fails when the status line has no status code (RFC 9112, section 4).
pub fn status_code(text: &[u8]) -> Result<Option<u16>, BadHeaderLine> {
    let Some((number, line)) = Response::read(text).status_line else { return Ok(None) };
    let mut words = line.split(|&byte| byte == b' ').skip(1);
    let code = words
        .next()
        .filter(|code| code.len() == 3)
        .and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
    match code.filter(|code| (100..=999).contains(code)) {
        Some(code) => Ok(Some(code)),
        None => Err(BadHeaderLine::new(number, line)),
    }
}

/// The last response of a text.
struct Response<'t> {
    /// The 1-based number and the text of the status line.
    status_line: Option<(u32, &'t [u8])>,
    headers: Vec<HeaderLine>,
    bad_lines: Vec<BadHeaderLine>,
}

impl BadHeaderLine {
    fn new(number: u32, line: &[u8]) -> Self {
        BadHeaderLine {
            line: number,
            text: String::from_utf8_lossy(&line[..line.len().min(QUOTED)]).into_owned(),
        }
    }
}

impl<'t> Response<'t> {
    fn read(text: &'t [u8]) -> Self {
        let (mut headers, mut bad_lines): (Vec<HeaderLine>, Vec<BadHeaderLine>) = (Vec::new(), Vec::new());
        let mut status_line = None;
        let mut last = Last::Nothing;
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let mut bad = || {
                bad_lines.push(BadHeaderLine::new(number, line));
                Last::Bad
            };
            if line.starts_with(b"HTTP/") {
                status_line = Some((number, line));
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
        Response { status_line, headers, bad_lines }
    }
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

/// Splits `name: value`. The name is a token (RFC 9110, 5.6.2), with no white space before the colon (RFC 9112, 5.1).
fn header(line: &[u8]) -> Option<(String, String)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    (!name.is_empty() && name.iter().all(is_of_token)).then(|| (text_of(name), text_of(value)))
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}
