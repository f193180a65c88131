//! Lines (`crates/DIALECTS.md`, "Lines").

use memchr::memchr2;

/// One line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// 1-based.
    pub(crate) number: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The end of the line that contains `at`: a CR or LF, or the end of the text.
#[inline]
pub(crate) fn line_end(text: &[u8], at: usize) -> usize {
    memchr2(b'\n', b'\r', &text[at..]).map_or(text.len(), |offset| at + offset)
}

/// The start of the next line after a line that ends at `end`: CR, LF or CRLF end a line.
#[inline]
pub(crate) fn after_line_end(text: &[u8], end: usize) -> usize {
    match text[end..] {
        [b'\r', b'\n', ..] => end + 2,
        _ => end + 1,
    }
}

/// The length of the longest prefix of `text` that ends at the end of a line and is not longer than `limit` (L1).
pub(crate) fn cut_at_line_end(text: &[u8], limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    last_line_end(&text[..limit])
}

/// One past the last line end in `text`; 0 when there is none.
pub(crate) fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        let (mut start, mut lines) = (0, Vec::new());
        while start < text.len() {
            let end = line_end(text.as_bytes(), start);
            lines.push(&text[start..end]);
            start = after_line_end(text.as_bytes(), end);
        }
        lines
    }

    #[test]
    fn every_line_end_counts_once() {
        assert_eq!(lines("a\nb\rc\r\nd"), ["a", "b", "c", "d"]);
        assert_eq!(lines("a\r\r\n\nb"), ["a", "", "", "b"]);
        assert_eq!(lines("\n\r\ra"), ["", "", "", "a"]);
    }

    #[test]
    fn the_limit_keeps_whole_lines() {
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 6), 6);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 5), 3);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 3), 3);
        assert_eq!(cut_at_line_end(b"ab\ncd\n", 2), 0);
    }
}
