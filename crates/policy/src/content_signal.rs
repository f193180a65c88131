//! `Content-Signal`: yes or no for search, answers and training (`crates/PERMISSIONS.md`, V2).

use std::collections::HashSet;

use robomata_protocol::{Crawler, Span, Usage};
use robomata_syntax::Key;

use crate::extension::trimmed;
use crate::policy::Policy;

/// The signals for one crawler: for each name, the one that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSignal<'t> {
    /// In file order; no name occurs twice.
    pub items: Vec<SignalItem<'t>>,
}

/// `name=yes` or `name=no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalItem<'t> {
    /// The name as written; names are compared without ASCII case. Never empty, without white space.
    pub name: &'t str,
    /// The value.
    pub value: SignalValue,
    /// The 1-based line of the record.
    pub line: u32,
}

/// The value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalValue {
    /// The usage is permitted.
    Yes,
    /// The usage is prohibited.
    No,
}

impl ContentSignal<'_> {
    /// The signal about `usage`, if signals have a name for it.
    pub fn about(&self, usage: Usage) -> Option<&SignalItem<'_>> {
        self.items.iter().find(|item| item.usage() == Some(usage))
    }
}

impl SignalItem<'_> {
    /// The usage that the name means (table U); `None` for other names, which are also stored.
    pub fn usage(&self) -> Option<Usage> {
        let names = [("search", Usage::Search), ("ai-input", Usage::AiInput), ("ai-train", Usage::AiTrain)];
        names.into_iter().find(|(name, _)| self.name.eq_ignore_ascii_case(name)).map(|(_, usage)| usage)
    }
}

impl Policy<'_> {
    /// The signals of the groups that `crawler` obeys. If a name occurs twice, even on two lines, the last one counts.
    pub fn content_signal(&self, crawler: &Crawler) -> ContentSignal<'_> {
        let records = self.extensions_for(crawler).filter(|extension| extension.key == Key::ContentSignal);
        let items: Vec<SignalItem<'_>> = records
            .flat_map(|extension| items(extension.value.of(self.text()), extension.line))
            .filter_map(Result::ok)
            .collect();
        ContentSignal { items: last_of_each_name(&items) }
    }
}

fn last_of_each_name<'t>(items: &[SignalItem<'t>]) -> Vec<SignalItem<'t>> {
    let mut seen = HashSet::new();
    let mut last: Vec<_> =
        items.iter().rev().filter(|item| seen.insert(item.name.to_ascii_lowercase())).copied().collect();
    last.reverse();
    last
}

/// The items of a record's value. An error is the position, within the value, of an item that is neither `name=yes` nor
/// `name=no`.
pub(crate) fn items(value: &[u8], line: u32) -> impl Iterator<Item = Result<SignalItem<'_>, Span>> {
    value.split(|&byte| byte == b',').map(move |written| {
        let item = trimmed(written);
        signal(item, line).ok_or_else(|| place(item, value))
    })
}

fn signal(item: &[u8], line: u32) -> Option<SignalItem<'_>> {
    let equals = item.iter().position(|&byte| byte == b'=')?;
    let name = std::str::from_utf8(trimmed(&item[..equals])).ok()?;
    let value = match trimmed(&item[equals + 1..]).to_ascii_lowercase().as_slice() {
        b"yes" => SignalValue::Yes,
        b"no" => SignalValue::No,
        _ => return None,
    };
    let is_name = !name.is_empty() && !name.bytes().any(|byte| byte <= b' ' || byte == 0x7F);
    is_name.then_some(SignalItem { name, value, line })
}

/// The position of `part`, a part of `whole`, in it.
#[expect(clippy::cast_possible_truncation, reason = "values are spans of 32 bits")]
fn place(part: &[u8], whole: &[u8]) -> Span {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    Span::new(start as u32, (start + part.len()) as u32)
}
