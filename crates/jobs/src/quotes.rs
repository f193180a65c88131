//! Quotes texts that sites write, in outputs.

use robomata_engine::syntax::Lines;

/// The most characters of a line or a name that are quoted. Some are much longer, and an output may quote the same one
/// for every URL.
const MOST_QUOTED: usize = 500;

/// At most the first 500 characters of a text, then `…` if there are more.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A line as written, shortened, without the white space around it. None if there is no such line.
pub(crate) fn quoted_line(lines: &Lines<'_>, number: u32) -> Option<String> {
    let bytes = lines.bytes(number)?;
    // A character has at most four bytes, so the quoted text ends within this beginning.
    let beginning = &bytes[..bytes.len().min(4 * (MOST_QUOTED + 1))];
    Some(shortened(&String::from_utf8_lossy(beginning)))
}
