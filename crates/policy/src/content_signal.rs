//! `Content-Signal`: yes or no for search, answers and training, and a ceiling of what may be done (`crates/PERMISSIONS.md`,
//! V2).

use std::collections::{HashMap, HashSet};
use std::fmt;

use robomata_protocol::{Crawler, Span, Usage};
use robomata_syntax::Key;

use crate::content_usage;
use crate::extension::trimmed;
use crate::policy::Policy;

/// The signals for one crawler: for each name, the one that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSignal<'t> {
    /// In file order; no name occurs twice.
    pub items: Vec<SignalItem<'t>>,
}

/// `name=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalItem<'t> {
    /// The name as written; names are compared without ASCII case. Never empty, without white space.
    pub name: &'t str,
    /// The value.
    pub value: SignalValue<'t>,
    /// The 1-based line of the record, or the 1-based number of the header.
    pub line: u32,
}

/// The value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalValue<'t> {
    /// The usage is permitted.
    Yes,
    /// The usage is prohibited.
    No,
    /// Another word, as written: a ceiling of `use`, or the value of an unknown name.
    Word(&'t str),
}

impl fmt::Display for SignalValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SignalValue::Yes => "yes",
            SignalValue::No => "no",
            SignalValue::Word(word) => word,
        })
    }
}

/// What signals say about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalStatement {
    /// Whether the usage is prohibited.
    pub prohibits: bool,
    /// The line of the item.
    pub line: u32,
}

/// The most that may be done with a resource: the values of `use`. Table U lists what each prohibits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ceiling {
    /// To interact with it, and store nothing.
    Immediate,
    /// To index it, to show excerpts and to link to it.
    Reference,
    /// Everything.
    Full,
}

impl Ceiling {
    fn of(item: &SignalItem<'_>) -> Option<Self> {
        let SignalValue::Word(word) = item.value else { return None };
        let names =
            [("immediate", Ceiling::Immediate), ("reference", Ceiling::Reference), ("full", Ceiling::Full)];
        names.into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, ceiling)| ceiling)
    }

    /// The lowest ceiling under which a usage is possible.
    fn needed_for(usage: Usage) -> Self {
        match usage {
            Usage::Index
            | Usage::PresentSnippet
            | Usage::PresentOldsnippet
            | Usage::PresentThumbnail
            | Usage::PresentOldthumbnail
            | Usage::PresentLink
            | Usage::IndexImages
            | Usage::Search => Ceiling::Reference,
            Usage::Preserve
            | Usage::PresentCurrentcopy
            | Usage::PresentOldcopy
            | Usage::AiTrain
            | Usage::AiTrainImages
            | Usage::AiTrainInSearch => Ceiling::Full,
            Usage::Crawl
            | Usage::Follow
            | Usage::Present
            | Usage::PresentOriginal
            | Usage::AiInput
            | Usage::AiInputInSearch
            | Usage::Tdm
            | Usage::Other => Ceiling::Immediate,
        }
    }
}

impl<'t> ContentSignal<'t> {
    /// What the signals say about `usage`, if anything: its own item or that of a usage that includes it, and the
    /// ceiling.
    pub fn about(&self, usage: Usage) -> Option<SignalStatement> {
        let asked = usage.including().unwrap_or(usage);
        let own = self.items.iter().find(|item| item.usage() == Some(asked));
        let ceiling = self.items.iter().find(|item| item.is_ceiling());
        let is_too_low = |item: &&SignalItem<'_>| {
            Ceiling::of(item).is_some_and(|ceiling| ceiling < Ceiling::needed_for(usage))
        };
        let prohibition = own.filter(|item| item.value == SignalValue::No).or(ceiling.filter(is_too_low));
        let prohibits = prohibition.is_some();
        prohibition.or(own).map(|item| SignalStatement { prohibits, line: item.line })
    }

    /// The signals in the values of response headers, each with its number, and the items that are not valid, with the
    /// number of their header. Each header counts as a line.
    pub fn of_headers(values: &[(u32, &'t str)]) -> (Self, Vec<(u32, &'t str)>) {
        let (mut of_headers, mut invalid) = (Vec::new(), Vec::new());
        for &(number, value) in values {
            let mut valid = Vec::new();
            for item in items(value.as_bytes(), number) {
                match item {
                    Ok(item) => valid.push(item),
                    Err(span) => invalid.push((number, &value[span.range()])),
                }
            }
            of_headers.extend(last_of_each_name(&valid));
        }
        (ContentSignal::strictest(of_headers), invalid)
    }

    /// Of items of several lines, each of which has a name once, the most restrictive one of each name; of equal ones the
    /// first.
    fn strictest(mut of_lines: Vec<SignalItem<'t>>) -> Self {
        let mut strictest: HashMap<String, SignalItem<'_>> = HashMap::new();
        for &item in &of_lines {
            let held = strictest.entry(item.name.to_ascii_lowercase()).or_insert(item);
            if item.strictness() > held.strictness() {
                *held = item;
            }
        }
        of_lines.retain(|item| strictest[&item.name.to_ascii_lowercase()].line == item.line);
        ContentSignal { items: of_lines }
    }
}

impl SignalItem<'_> {
    /// The usage that the name means (table U); `None` for other names, which are also stored.
    pub fn usage(&self) -> Option<Usage> {
        usage_of(self.name)
    }

    /// Whether only Content-Usage knows the name.
    pub fn is_of_usage(&self) -> bool {
        self.usage().is_none() && content_usage::knows(self.name)
    }

    /// Whether it is about how much may be done, not about a usage.
    pub fn is_ceiling(&self) -> bool {
        self.name.eq_ignore_ascii_case("use")
    }

    /// How much it restricts, among the items of its name.
    fn strictness(&self) -> u8 {
        match Ceiling::of(self).filter(|_| self.is_ceiling()) {
            Some(Ceiling::Immediate) => 3,
            Some(Ceiling::Reference) => 2,
            Some(Ceiling::Full) => 1,
            None => u8::from(!self.is_ceiling() && self.value == SignalValue::No),
        }
    }
}

/// The usage that a name means.
pub(crate) fn usage_of(written: &str) -> Option<Usage> {
    let names = [("search", Usage::Search), ("ai-input", Usage::AiInput), ("ai-train", Usage::AiTrain)];
    names.into_iter().find(|(name, _)| written.eq_ignore_ascii_case(name)).map(|(_, usage)| usage)
}

impl Policy<'_> {
    /// The signals that apply to `crawler`. Of a name that occurs twice in one line, the last item counts; of those of
    /// several lines the most restrictive one, and of equal ones the first.
    pub fn content_signal(&self, crawler: &Crawler) -> ContentSignal<'_> {
        let records = self.extensions_for(crawler).filter(|extension| extension.key == Key::ContentSignal);
        let of_lines = records.flat_map(|extension| {
            let items = items(extension.value.of(self.text()), extension.line);
            last_of_each_name(&items.filter_map(Result::ok).collect::<Vec<_>>())
        });
        ContentSignal::strictest(of_lines.collect())
    }
}

fn last_of_each_name<'t>(items: &[SignalItem<'t>]) -> Vec<SignalItem<'t>> {
    let mut seen = HashSet::new();
    let mut last: Vec<_> =
        items.iter().rev().filter(|item| seen.insert(item.name.to_ascii_lowercase())).copied().collect();
    last.reverse();
    last
}

/// The items of a record's value. An error is the position, within the value, of an item that is not valid.
pub(crate) fn items(value: &[u8], line: u32) -> impl Iterator<Item = Result<SignalItem<'_>, Span>> {
    value.split(|&byte| byte == b',').map(move |written| {
        let item = trimmed(written);
        signal(item, line).ok_or_else(|| place(item, value))
    })
}

fn signal(item: &[u8], line: u32) -> Option<SignalItem<'_>> {
    let equals = item.iter().position(|&byte| byte == b'=')?;
    let name = word(&item[..equals])?;
    let value = match word(&item[equals + 1..])? {
        yes if yes.eq_ignore_ascii_case("yes") => SignalValue::Yes,
        no if no.eq_ignore_ascii_case("no") => SignalValue::No,
        _ if usage_of(name).is_some() => return None,
        word => SignalValue::Word(word),
    };
    Some(SignalItem { name, value, line })
}

/// The text of `bytes` without the white space around it, if it is one word.
fn word(bytes: &[u8]) -> Option<&str> {
    let word = std::str::from_utf8(trimmed(bytes)).ok()?;
    let is_word = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
    is_word.then_some(word)
}

/// The position of `part`, a part of `whole`, in it.
#[expect(clippy::cast_possible_truncation, reason = "values are spans of 32 bits")]
fn place(part: &[u8], whole: &[u8]) -> Span {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    Span::new(start as u32, (start + part.len()) as u32)
}
