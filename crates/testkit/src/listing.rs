//! Formats a robots.txt for a failure message.

use std::fmt;

use crate::bytes;

/// Number of lines of a robots.txt that a failure shows before and after the omitted middle.
const SHOWN_LINES: usize = 24;

/// Number of characters of one line that a failure shows.
const SHOWN_LINE: usize = 160;

/// Writes the robots.txt with line numbers and with unusual bytes as escapes, and omits the middle of a long one.
pub(crate) fn write_robots(f: &mut fmt::Formatter<'_>, robots: &[u8]) -> fmt::Result {
    writeln!(f, "  robots   {} bytes", robots.len())?;
    let lines = lines(robots);
    let hidden = lines.len().saturating_sub(2 * SHOWN_LINES);
    for (index, line) in lines.iter().enumerate() {
        if hidden > 0 && index == SHOWN_LINES {
            writeln!(f, "       … {hidden} lines …")?;
        }
        if hidden == 0 || index < SHOWN_LINES || index >= SHOWN_LINES + hidden {
            writeln!(f, "  {:>6} | {}", index + 1, shortened(&bytes::escape(line)))?;
        }
    }
    Ok(())
}

/// The lines of a robots.txt, each with its end (LF, CR or CRLF), so that unusual ends are visible.
pub(crate) fn lines(robots: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut rest = robots;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        let end = if rest[at..].starts_with(b"\r\n") { at + 2 } else { at + 1 };
        // Ordinary line ends are omitted: they do not interest a reader.
        lines.push(if rest[at] == b'\n' { &rest[..at] } else { &rest[..end] });
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN_LINE {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN_LINE).collect();
    format!("{start}… ({} more)", count - SHOWN_LINE)
}
