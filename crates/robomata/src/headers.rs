//! Header fields as text.

use std::fmt;

use robomata_policy::{HeaderLine, ResponseHead};

/// A line of a header section is not a header field.
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
        write!(f, "line {}: expected a header, 'name: value', found {:?}", self.line, self.text)
    }
}

impl std::error::Error for HeaderLineError {}

/// The header fields of a response, of which every line must be one.
pub(crate) fn read(lines: &[u8]) -> Result<Vec<HeaderLine>, HeaderLineError> {
    let ResponseHead { headers, bad_lines, .. } = ResponseHead::read(lines);
    match bad_lines.into_iter().next() {
        None => Ok(headers),
        Some(bad) => Err(HeaderLineError { line: bad.line, text: bad.text }),
    }
}
