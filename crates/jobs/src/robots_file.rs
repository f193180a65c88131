//! A robots.txt from a file.

use std::io::{self, Read};
use std::path::Path;

use robomata_formats::{FileName, InputError, input};

use crate::error::JobError;

/// A robots.txt, read completely.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    name: FileName,
    bytes: Vec<u8>,
}

impl RobotsFile {
    /// Reads the robots.txt at `path`, plain or compressed; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read completely: rules might be missing.
    pub fn read(path: &Path) -> Result<Self, JobError> {
        let name = FileName::new(path);
        let mut bytes = Vec::new();
        match input::open(path)?.read_to_end(&mut bytes) {
            Ok(_) => Ok(RobotsFile { name, bytes }),
            Err(error) => Err(read_error(name, error)),
        }
    }

    /// The file's name in messages.
    pub fn name(&self) -> &FileName {
        &self.name
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The error for a file that cannot be read completely.
pub(crate) fn read_error(file: FileName, error: io::Error) -> JobError {
    match error.downcast::<InputError>() {
        Ok(error) => JobError::Input(error),
        Err(error) => JobError::Read { file, error },
    }
}

/// The lines of a robots.txt, by number; they end at LF, CR or CRLF.
#[derive(Debug)]
pub(crate) struct NumberedLines<'t> {
    lines: Vec<&'t [u8]>,
}

impl<'t> NumberedLines<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let mut lines = Vec::new();
        let mut rest = text;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            lines.push(&rest[..end]);
            let end_length = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            rest = &rest[end + end_length..];
        }
        lines.push(rest);
        NumberedLines { lines }
    }

    /// The bytes of the line with this 1-based number, without surrounding white space; none for 0.
    pub(crate) fn bytes(&self, number: u32) -> Option<&'t [u8]> {
        self.lines.get((number as usize).checked_sub(1)?).map(|line| line.trim_ascii())
    }

    /// The text of the line with this 1-based number, as written, without surrounding white space; none for 0.
    pub(crate) fn text(&self, number: u32) -> Option<String> {
        self.bytes(number).map(|line| String::from_utf8_lossy(line).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_whatever_ends_them() {
        let lines = NumberedLines::new(b"a\n b \rc\r\n\nd\xFF");
        let texts: Vec<_> = (0..=6).map(|number| lines.text(number)).collect();
        let expected = [None, Some("a"), Some("b"), Some("c"), Some(""), Some("d\u{FFFD}"), None];
        assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
    }
}
