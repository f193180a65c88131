//! Quotes texts that sites write, in outputs.

use std::collections::BTreeMap;

use robomata_engine::MissingFact;
use robomata_engine::syntax::Lines;

/// The most characters of a line or a name that are quoted. Some are much longer, and an output may quote the same one
/// for every URL.
const MOST_QUOTED: usize = 500;

/// The most bytes of a text that are quoted: a character has at most four.
pub(crate) const MOST_BYTES_QUOTED: usize = 4 * (MOST_QUOTED + 1);

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
    let beginning = &bytes[..bytes.len().min(MOST_BYTES_QUOTED)];
    Some(shortened(&String::from_utf8_lossy(beginning)))
}

/// The most entries of a list that are reported for each URL. A site can write thousands of them.
pub(crate) const MOST_LISTED: usize = 100;

/// The lists of a report that are cut after 100 entries, and the number of entries that are left out of each.
pub type Omitted = BTreeMap<&'static str, usize>;

/// Cuts `list`, and adds the number of its other entries to `omitted` under `name`.
pub(crate) fn cut<T>(list: &mut Vec<T>, name: &'static str, omitted: &mut Omitted) {
    if let Some(more @ 1..) = list.len().checked_sub(MOST_LISTED) {
        list.truncate(MOST_LISTED);
        omitted.insert(name, more);
    }
}

/// The facts as text, shortened and cut.
pub(crate) fn listed(mut facts: Vec<MissingFact>, omitted: &mut Omitted) -> Vec<String> {
    cut(&mut facts, "lacks", omitted);
    facts.iter().map(|fact| shortened(&fact.to_string())).collect()
}
