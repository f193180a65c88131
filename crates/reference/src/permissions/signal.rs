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
    let of_file: Vec<Item> = records
        .flat_map(|field| items(&field.value, in_robots(Vocabulary::ContentSignal, field.line)))
        .collect();
    let of_header =
        |number| Source { vocabulary: Vocabulary::ContentSignal, place: Place::Header, line: number };
    let headers = header::named(page, "content-signal").into_iter();
    let of_headers: Vec<Item> =
        headers.flat_map(|(number, value)| items(value.as_bytes(), of_header(number))).collect();
    let places = [of_file, of_headers];
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

/// A name or value: UTF-8 without white space or control characters, not empty; in lower case.
fn word(written: &[u8]) -> Option<String> {
    let word = std::str::from_utf8(trim(written, is_ws)).ok()?;
    let is_word = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word.then(|| word.to_ascii_lowercase())
}

/// What the items of one place say of the usage: its own item, and what it must not exceed.
fn preference(items: &[Item], usage: Usage) -> Option<(bool, Source)> {
    let last = |name: &str| items.iter().rev().find(|item| item.name == name);
    let label = [Usage::Search, Usage::AiInput, Usage::AiTrain].into_iter().find(|own| is_about(*own, usage));
    let own = label.and_then(|label| last(label.as_str()));
    let own = own.map(|item| (item.value == "yes", item.source));
    // "A usage is prohibited by its own `no`, or else by the ceiling."
    if let Some((false, source)) = own {
        return Some((false, source));
    }
    let ceiling = last("use").filter(|item| exceeds(&item.value, usage));
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
