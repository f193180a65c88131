//! The value of a Content-Usage header (`crates/PERMISSIONS.md`, V3).

use robomata_protocol::Usage;
use sfv::{BareItem, Dictionary, ListEntry, Parser};

/// What is preferred about the usage of a label.
pub(crate) struct UsageItem {
    pub(crate) label: String,
    pub(crate) preference: Preference,
}

/// A preference.
pub(crate) enum Preference {
    /// Nothing is said.
    Unknown,
    /// The usage is permitted.
    Yes,
    /// The usage is prohibited.
    No,
}

impl UsageItem {
    /// The usage that the label means (table U).
    pub(crate) fn usage(&self) -> Option<Usage> {
        match self.label.as_str() {
            "search" => Some(Usage::Search),
            "train-ai" => Some(Usage::AiTrain),
            _ => None,
        }
    }
}

/// The preferences in a structured-field dictionary (RFC 9651, 3.2); none when the value is not one.
pub(crate) fn parse_header(value: &[u8]) -> Option<Vec<UsageItem>> {
    let dictionary = Parser::new(value).parse::<Dictionary>().ok()?;
    let item = |(label, entry): (sfv::Key, ListEntry)| {
        let preference = match entry {
            ListEntry::Item(item) => match item.bare_item {
                BareItem::Token(token) if token.as_str() == "y" => Preference::Yes,
                BareItem::Token(token) if token.as_str() == "n" => Preference::No,
                _ => Preference::Unknown,
            },
            ListEntry::InnerList(_) => Preference::Unknown,
        };
        UsageItem { label: label.as_str().to_owned(), preference }
    };
    Some(dictionary.into_iter().map(item).collect())
}
