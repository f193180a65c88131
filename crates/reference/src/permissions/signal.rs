//! Content-Signal, in a robots.txt and in headers (V2, P13).

use robomata_protocol::{PageFacts, Place, Source, Usage, Vocabulary};

use super::content::{self, in_robots, is_about};
use super::header;
use super::voice::Voice;
use crate::fields::{Field, Key};
use crate::text::{is_ws, trim};

/// An item, with name and value in lower case.
struct Item {
    name: String,
    value: String,
    source: Source,
}

/// V2: of the robots.txt and the headers the most restrictive.
pub(crate) fn voice(fields: &[Field], page: &PageFacts, usage: Usage) -> Voice {
    let records = fields.iter().filter(|field| field.key == Key::ContentSignal);
    let lines = records.map(|field| items(&field.value, in_robots(Vocabulary::ContentSignal, field.line)));
    let of_header =
        |number| Source { vocabulary: Vocabulary::ContentSignal, place: Place::Header, line: number };
    let headers = header::named(page, "content-signal").into_iter();
    // P13: "Each header is for every crawler, and is read as a line of V2."
    let headers = headers.map(|(number, value)| items(value.as_bytes(), of_header(number)));
    let of_lines =
        |lines: Vec<Vec<Item>>| strictest_of_each(lines.into_iter().flat_map(last_of_each).collect());
    let places = [of_lines(lines.collect()), of_lines(headers.collect())];
    let said = places.iter().filter_map(|items| preference(items, usage));
    content::most_restrictive(said.map(|(is_permitted, source)| (is_permitted, vec![source])).collect())
}

/// The items of a value that have an effect: of the four names, with a value that the name takes.
fn items(value: &[u8], source: Source) -> Vec<Item> {
    let mut items = Vec::new();
    for item in value.split(|&byte| byte == b',') {
        let Some(sign) = item.iter().position(|&byte| byte == b'=') else {
            continue;
        };
        let (Some(name), Some(value)) = (word(&item[..sign]), word(&item[sign + 1..])) else {
            continue;
        };
        let is_valid = match name.as_str() {
            "search" | "ai-input" | "ai-train" => value == "yes" || value == "no",
            // "An unknown value of `use` says nothing and is no error": it still replaces an earlier one.
            "use" => true,
            _ => false,
        };
        if is_valid {
            items.push(Item { name, value, source });
        }
    }
    items
}

/// "A name given twice: the last."
fn last_of_each(items: Vec<Item>) -> Vec<Item> {
    let mut last: Vec<Item> = Vec::new();
    for item in items {
        last.retain(|own| own.name != item.name);
        last.push(item);
    }
    last
}

/// V2: of each name the most restrictive value, of equal ones the first.
fn strictest_of_each(items: Vec<Item>) -> Vec<Item> {
    let mut strictest: Vec<Item> = Vec::new();
    for item in items {
        match strictest.iter_mut().find(|own| own.name == item.name) {
            Some(own) if freedom(&item) < freedom(own) => *own = item,
            Some(_) => {}
            None => strictest.push(item),
        }
    }
    strictest
}

/// The values of one name in the order of what they leave: "immediate < reference < full", or `no`; then all others, which
/// restrict nothing.
fn freedom(item: &Item) -> usize {
    let known: &[&str] = if item.name == "use" { &["immediate", "reference", "full"] } else { &["no"] };
    known.iter().position(|own| *own == item.value).unwrap_or(known.len())
}

/// A name or value: UTF-8 without white space or control characters, not empty; in lower case.
fn word(written: &[u8]) -> Option<String> {
    let word = std::str::from_utf8(trim(written, is_ws)).ok()?;
    let is_word = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word.then(|| word.to_ascii_lowercase())
}

/// What the items of one place, one of each name, say of the usage: its own item, and what it must not exceed.
fn preference(items: &[Item], usage: Usage) -> Option<(bool, Source)> {
    let item = |name: &str| items.iter().find(|item| item.name == name);
    let label = [Usage::Search, Usage::AiInput, Usage::AiTrain].into_iter().find(|own| is_about(*own, usage));
    let own = label.and_then(|label| item(label.as_str()));
    let own = own.map(|item| (item.value == "yes", item.source));
    // "A usage is prohibited by its own `no`, or else by the ceiling."
    if let Some((false, source)) = own {
        return Some((false, source));
    }
    let ceiling = item("use").filter(|item| exceeds(&item.value, usage));
    ceiling.map(|item| (false, item.source)).or(own)
}

/// Table U: "immediate (interact, store nothing) < reference (index, excerpt, link) < full. Training needs full; a snippet
/// with a link needs reference."
fn exceeds(ceiling: &str, usage: Usage) -> bool {
    match ceiling {
        "immediate" => {
            let is_shown = usage.is_derived_from_present() && usage != Usage::PresentOriginal;
            let is_kept =
                matches!(usage, Usage::Index | Usage::Preserve | Usage::IndexImages | Usage::Search);
            is_shown || is_kept || is_about(Usage::AiTrain, usage)
        }
        "reference" => {
            let is_copy =
                matches!(usage, Usage::Preserve | Usage::PresentCurrentcopy | Usage::PresentOldcopy);
            is_copy || is_about(Usage::AiTrain, usage)
        }
        _ => false,
    }
}
