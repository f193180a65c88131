//! `Content-Usage`: preferences about usages, for a whole site, for some paths, or for one response (IETF AIPREF;
//! `crates/PERMISSIONS.md`, V3 to V5).

#[cfg(feature = "content-usage")]
mod dictionary;

use robomata_protocol::{Crawler, Usage};
use robomata_syntax::Key;

use crate::content_signal;
use crate::extension::trimmed;
use crate::policy::Policy;

/// A record of a robots.txt: preferences for the URLs that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentUsage<'t> {
    /// The path pattern as written; empty for the whole site.
    pub pattern: &'t [u8],
    /// The preferences. A record without preferences still has an effect: it makes no statement about any label.
    pub items: Vec<UsageItem>,
    /// The 1-based line of the record.
    pub line: u32,
}

/// The preference about one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageItem {
    /// A key of a structured-field dictionary: ASCII, in lower case.
    pub label: String,
    /// The preference.
    pub preference: Preference,
}

/// A preference; the greater one is the more restrictive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Preference {
    /// Neither the token `y` nor `n`: no statement.
    Unknown,
    /// `y`: the usage is permitted.
    Yes,
    /// `n`: the usage is prohibited.
    No,
}

impl Preference {
    /// `unknown`, `yes` or `no`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Preference::Unknown => "unknown",
            Preference::Yes => "yes",
            Preference::No => "no",
        }
    }
}

robomata_protocol::display_as_name!(Preference);
#[cfg(feature = "serde")]
robomata_protocol::serialize_as_text!(Preference);

impl UsageItem {
    /// The usage that the label means (table U); `None` for other labels, which are also stored.
    pub fn usage(&self) -> Option<Usage> {
        usage_of(&self.label)
    }

    /// Whether only Content-Signal knows the label.
    pub fn is_of_signal(&self) -> bool {
        self.usage().is_none() && content_signal::usage_of(&self.label).is_some()
    }
}

fn usage_of(label: &str) -> Option<Usage> {
    match label {
        "search" => Some(Usage::Search),
        "ai-use" => Some(Usage::AiInput),
        "train-ai" => Some(Usage::AiTrain),
        _ => None,
    }
}

/// Whether a name without case is a known label.
pub(crate) fn knows(written: &str) -> bool {
    usage_of(&written.to_ascii_lowercase()).is_some()
}

/// What the items of a dictionary say about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageStatement<'i> {
    /// The preference.
    pub preference: Preference,
    /// The label that states it.
    pub label: &'i str,
    /// Whether the label `search` states it for a usage inside a search application.
    pub is_of_search: bool,
}

/// What `items` say about `usage`, if anything. Inside a search application, `search` overrules the other labels.
pub fn about(items: &[UsageItem], usage: Usage) -> Option<UsageStatement<'_>> {
    let label = |asked: Usage, is_of_search: bool| {
        let item = items.iter().find(|item| item.usage() == Some(asked))?;
        let UsageItem { label, preference } = item;
        let statement = UsageStatement { preference: *preference, label, is_of_search };
        (*preference != Preference::Unknown).then_some(statement)
    };
    let in_search = matches!(usage, Usage::AiInputInSearch | Usage::AiTrainInSearch);
    let of_search = if in_search { label(Usage::Search, true) } else { None };
    of_search.or_else(|| label(usage.including().unwrap_or(usage), false))
}

impl Policy<'_> {
    /// The well-formed records that apply to `crawler`, in file order. Of those with a pattern that matches
    /// a URL, the one with the longest pattern in bytes decides (V3).
    pub fn content_usage(&self, crawler: &Crawler) -> Vec<ContentUsage<'_>> {
        self.extensions_for(crawler)
            .filter(|extension| extension.key == Key::ContentUsage)
            .filter_map(|extension| record(extension.value.of(self.text()), extension.line))
            .collect()
    }
}

/// The preferences in the value of a `Content-Usage` header: a structured-field dictionary (RFC 9651, 3.2). `None` when
/// it is not a dictionary; this is equivalent to no header. Join several header lines with `, ` to one value.
#[cfg(feature = "content-usage")]
pub fn parse_header(value: &[u8]) -> Option<Vec<UsageItem>> {
    dictionary::read(value)
}

/// No preferences: only the feature `content-usage` reads them.
#[cfg(not(feature = "content-usage"))]
pub fn parse_header(_value: &[u8]) -> Option<Vec<UsageItem>> {
    Some(Vec::new())
}

/// Whether the value of a header is no dictionary, but would be one with commas at its white space: a common mistake.
pub fn lacks_commas(value: &[u8]) -> bool {
    let mut words = value.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let Some(last) = words.next_back() else { return false };
    let words = words.map(|word| word.strip_suffix(b",").unwrap_or(word));
    let separated: Vec<&[u8]> = words.chain([last]).collect();
    parse_header(value).is_none() && parse_header(&separated.join(&b", "[..])).is_some()
}

/// [`lacks_commas`] for the preferences in a record's value.
pub(crate) fn record_lacks_commas(value: &[u8]) -> bool {
    // A key can begin with `*`, but a value that does so is rather meant to begin with a pattern.
    !value.starts_with(b"*") && lacks_commas(trimmed(divided(value).1))
}

/// A record's value: an optional path pattern, and preferences. `None` when the preferences are not a dictionary.
pub(crate) fn record(value: &[u8], line: u32) -> Option<ContentUsage<'_>> {
    let (pattern, preferences) = divided(value);
    let items = parse_header(trimmed(preferences))?;
    Some(ContentUsage { pattern, items, line })
}

/// The path pattern of a record's value, and the rest. Only a `/` begins a pattern; otherwise it is empty (V3).
fn divided(value: &[u8]) -> (&[u8], &[u8]) {
    match value.first() {
        Some(b'/') => {
            let end = value.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(value.len());
            value.split_at(end)
        }
        _ => value.split_at(0),
    }
}
