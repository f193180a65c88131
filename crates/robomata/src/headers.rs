//! Header fields as text.

use std::fmt;

use robomata_policy::{BadHeaderLine, ResponseHead};
#[cfg(feature = "lifecycle")]
use robomata_protocol::FetchStatus;

/// A line of a header section is not a header field, or its status line has no status, or one of another response.
///
/// ```
/// use robomata::lifecycle::Attempt;
///
/// let attempt = Attempt::new("https://example.com/robots.txt", 503, robomata::Moment::from_seconds(1_800_000_000));
/// let error = attempt.header_lines("HTTP/1.1 503\r\nRetry-After 60").unwrap_err();
/// assert_eq!((error.line(), error.to_string()), (2, "line 2: expected a header, 'name: value', found \"Retry-After 60\"".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderLineError(BadHeaderLine);

impl HeaderLineError {
    /// The 1-based line.
    pub fn line(&self) -> u32 {
        self.0.line
    }
}

impl fmt::Display for HeaderLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.0.line, self.0)
    }
}

impl std::error::Error for HeaderLineError {}

/// The head of the response that has a page. Its status must be that of a whole page.
#[cfg(feature = "pages")]
pub(crate) fn read(lines: &[u8]) -> Result<ResponseHead, HeaderLineError> {
    let head = ResponseHead::read(lines).map_err(HeaderLineError)?;
    head.require_page().map_err(HeaderLineError)?;
    Ok(head)
}

/// The head of the last response of a fetch that ended like this. A status line, if there is one, must fit.
#[cfg(feature = "lifecycle")]
pub(crate) fn read_of_fetch(lines: &[u8], end: FetchStatus) -> Result<ResponseHead, HeaderLineError> {
    let head = ResponseHead::read(lines).map_err(HeaderLineError)?;
    let Some(FetchStatus::Code(answered)) = head.status else { return Ok(head) };
    let expected = match end {
        FetchStatus::Code(given) if given != answered => format!("the status {given} of the fetch"),
        FetchStatus::Success if head.require_page().is_err() => "a success other than 206".to_owned(),
        FetchStatus::TooManyRedirects if !(300..=399).contains(&answered) => "a redirect".to_owned(),
        // A response can break off after its head.
        _ => return Ok(head),
    };
    let (line, text) = (head.status_line, answered.to_string());
    Err(HeaderLineError(BadHeaderLine { line, expected: expected.into(), text }))
}
