//! Header fields as text.

use std::borrow::Cow;
use std::fmt;

use robomata_policy::{HeaderLine, ResponseHead};
#[cfg(feature = "lifecycle")]
use robomata_protocol::FetchStatus;

/// A line of a header section is not a header field, or its status line has no status or another one than the fetch.
///
/// ```
/// use robomata::lifecycle::Attempt;
///
/// let attempt = Attempt::new("https://example.com/robots.txt", 503, robomata::Moment::from_seconds(0));
/// let error = attempt.header_lines("HTTP/1.1 503\r\nRetry-After 60").unwrap_err();
/// assert_eq!((error.line(), error.to_string()), (2, "line 2: expected a header, 'name: value', found \"Retry-After 60\"".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderLineError {
    line: u32,
    expected: Cow<'static, str>,
    text: String,
}

impl HeaderLineError {
    /// The 1-based line.
    pub fn line(&self) -> u32 {
        self.line
    }
}

impl fmt::Display for HeaderLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}, found {:?}", self.line, self.expected, self.text)
    }
}

impl std::error::Error for HeaderLineError {}

/// The header fields of a response, of which every line must be one.
#[cfg(feature = "pages")]
pub(crate) fn read(lines: &[u8]) -> Result<Vec<HeaderLine>, HeaderLineError> {
    fields(ResponseHead::read(lines))
}

fn fields(ResponseHead { headers, bad_lines, .. }: ResponseHead) -> Result<Vec<HeaderLine>, HeaderLineError> {
    match bad_lines.into_iter().next() {
        None => Ok(headers),
        Some(bad) => {
            let expected = Cow::Borrowed("a header, 'name: value'");
            Err(HeaderLineError { line: bad.line, expected, text: bad.text })
        }
    }
}

/// The header fields of the last response of a fetch that ended like this. A status line, if there is one, must fit.
#[cfg(feature = "lifecycle")]
pub(crate) fn read_of_fetch(lines: &[u8], end: FetchStatus) -> Result<Vec<HeaderLine>, HeaderLineError> {
    let head = ResponseHead::read(lines);
    let (line, expected, text) = match &head.status {
        Err(bad) => (bad.line, "a status line, such as 'HTTP/1.1 200 OK'".into(), bad.text.clone()),
        Ok(Some(FetchStatus::Code(answered))) => {
            let expected = match end {
                FetchStatus::Code(given) if given != *answered => format!("the status {given} of the fetch"),
                FetchStatus::Success if !(200..=299).contains(answered) => "a success".to_owned(),
                FetchStatus::TooManyRedirects if !(300..=399).contains(answered) => "a redirect".to_owned(),
                // A response can break off after its head.
                _ => return fields(head),
            };
            (head.status_line, expected.into(), answered.to_string())
        }
        Ok(_) => return fields(head),
    };
    Err(HeaderLineError { line, expected, text })
}
