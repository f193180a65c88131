//! Lines (`crates/DIALECTS.md`, "Lines").

use memchr::memchr2;

/// The lines of a text: CR, LF or CRLF end one, and what follows the last end is a line too.
pub(crate) struct Lines<'t> {
    text: &'t [u8],
    next_start: Option<usize>,
    number: u32,
}

/// One line, its end not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// 1-based.
    pub(crate) number: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'t> Lines<'t> {
    /// The lines of `text` from `start` on; `start` begins line 1.
    pub(crate) fn new(text: &'t [u8], start: usize) -> Self {
        Lines { text, next_start: Some(start), number: 0 }
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    #[inline]
    fn next(&mut self) -> Option<Line> {
        let start = self.next_start?;
        let end = memchr2(b'\n', b'\r', &self.text[start..]).map_or(self.text.len(), |at| start + at);
        self.next_start = match self.text[end..] {
            [] => None,
            [b'\r', b'\n', ..] => Some(end + 2),
            _ => Some(end + 1),
        };
        self.number += 1;
        Some(Line { number: self.number, start, end })
    }
}

/// The length of the longest prefix of `text` that ends with a line's end and is not longer than `limit` (L1).
pub(crate) fn cut_at_line_end(text: &[u8], limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    last_line_end(&text[..limit])
}

/// One past the last line's end in `text`; 0 when no line ends.
pub(crate) fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u32, &str)> {
        Lines::new(text.as_bytes(), 0).map(|line| (line.number, &text[line.start..line.end])).collect()
    }

    #[test]
    fn every_line_end_counts_once() {
        assert_eq!(lines("a\nb\rc\r\nd"), [(1, "a"), (2, "b"), (3, "c"), (4, "d")]);
        assert_eq!(lines("a\r\r\n\n"), [(1, "a"), (2, ""), (3, ""), (4, "")]);
        assert_eq!(lines(""), [(1, "")]);
    }

    #[test]
    fn the_limit_keeps_whole_lines() {
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 6), 6);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 5), 3);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 3), 3);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 2), 0);
    }
}
