//! `Content-Signal`: what a site says about search, answers and training, in one word each (`crates/PERMISSIONS.md`, V2).

use std::collections::HashSet;

use robomata_protocol::{Crawler, Span, Usage};
use robomata_syntax::Key;

use crate::extension::trimmed;
use crate::policy::Policy;

/// The signals for one crawler: of each name the one that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentSignal<'t> {
    /// In the order of the file; no two of one name.
    pub items: Vec<SignalItem<'t>>,
}

/// `name=yes` or `name=no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalItem<'t> {
    /// The name as written; names are compared without ASCII case. Never empty, no white space.
    pub name: &'t str,
    /// What is said.
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
    /// What is said about `usage`, if it is one that signals have a name for.
    pub fn about(&self, usage: Usage) -> Option<&SignalItem<'_>> {
        self.items.iter().find(|item| item.usage() == Some(usage))
    }
}

impl SignalItem<'_> {
    /// The usage that the name means (table U); none for other names, which are kept all the same.
    pub fn usage(&self) -> Option<Usage> {
        let names = [("search", Usage::Search), ("ai-input", Usage::AiInput), ("ai-train", Usage::AiTrain)];
        names.into_iter().find(|(name, _)| self.name.eq_ignore_ascii_case(name)).map(|(_, usage)| usage)
    }
}

impl Policy<'_> {
    /// The signals of the groups that `crawler` obeys. A name given twice, also on two lines: the last counts.
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

/// The items of a record's value; an error is the place, within the value, of one that is no `name=yes` or `name=no`.
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

/// Where `part` lies in `whole`, which it is a part of.
#[expect(clippy::cast_possible_truncation, reason = "values are spans of 32 bits")]
fn place(part: &[u8], whole: &[u8]) -> Span {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    Span::new(start as u32, (start + part.len()) as u32)
}
