//! An index of lines: bytes of a line, and the line and column of a byte.

use std::borrow::Cow;
use std::ops::Range;

use crate::line::{after_line_end, line_end};

/// The lines of a text, by number. They end at LF, CR or CRLF, as in a [`Document`](crate::Document).
///
/// ```
/// use robomata_syntax::Lines;
///
/// let lines = Lines::new("User-agent: *\r\nAllow: /\u{e9}/x".as_bytes());
/// assert_eq!(lines.text(1).as_deref(), Some("User-agent: *"));
/// assert_eq!(lines.position(25), (2, 10));
/// ```
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: Cow<'t, [u8]>,
    /// Where each line begins. The last line is empty if the text ends with a line end.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines of `text`.
    pub fn new(text: impl Into<Cow<'t, [u8]>>) -> Self {
        let text = text.into();
        let (mut starts, mut start) = (vec![0], 0);
        loop {
            let end = line_end(&text, start);
            if end == text.len() {
                return Lines { text, starts };
            }
            start = after_line_end(&text, end);
            starts.push(start);
        }
    }

    /// The number of lines: one more than the number of line ends.
    pub fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The bytes of a line, without its end. None if there is no such line; the first line is 1.
    pub fn range(&self, number: u32) -> Option<Range<usize>> {
        let start = *self.starts.get((number as usize).checked_sub(1)?)?;
        Some(start..line_end(&self.text, start))
    }

    /// The bytes of a line without surrounding white space. None if there is no such line.
    pub fn bytes(&self, number: u32) -> Option<&[u8]> {
        self.range(number).map(|range| self.text[range].trim_ascii())
    }

    /// Like [`Lines::bytes`], as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self, number: u32) -> Option<String> {
        self.bytes(number).map(|line| String::from_utf8_lossy(line).into_owned())
    }

    /// The 1-based number of the line of the byte at `offset`.
    pub fn number_at(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|&start| start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The 1-based line and column of the byte at `offset`, or of the end of the text. Columns count characters. Bytes
    /// that are not UTF-8 count as the characters that replace them.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let offset = offset.min(self.text.len());
        let line = self.number_at(offset);
        let start = self.range(line).map_or(0, |range| range.start);
        let column = String::from_utf8_lossy(&self.text[start..offset]).chars().count() + 1;
        (line, u32::try_from(column).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers_whatever_ends_them() {
        let lines = Lines::new(b"a\n b \rc\r\n\nd\xFF");
        let texts: Vec<_> = (0..=6).map(|number| lines.text(number)).collect();
        let expected = [None, Some("a"), Some("b"), Some("c"), Some(""), Some("d\u{FFFD}"), None];
        assert_eq!(texts, expected.map(|text| text.map(str::to_owned)));
        assert_eq!((lines.count(), lines.range(2), lines.range(3)), (5, Some(2..5), Some(6..7)));
        assert_eq!((Lines::new(b"a\n").count(), Lines::new(b"").range(1)), (2, Some(0..0)));
    }

    #[test]
    fn columns_count_characters() {
        let lines = Lines::new("a\n\u{e9}b\r\nc".as_bytes());
        let positions: Vec<_> = (0..=9).map(|at| lines.position(at)).collect();
        let expected = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 2)];
        assert_eq!(positions, expected);
        assert_eq!(Lines::new(b"\xFF\xFFx").position(2), (1, 3));
    }
}
