//! Noindex, Content-Usage, DisallowAITraining and AllowAITraining (V3 to V5, V8, V10, P13).

use robomata_protocol::{Access, Dialect, PageFacts, PermissionReason, Place, Source, Usage, Vocabulary};

use super::header::Joined;
use super::structured::{self, BareItem};
use super::voice::{Decision, Voice};
use crate::fields::{Field, Key};
use crate::matching;
use crate::normal::{self, Symbol};
use crate::text::first_word;

/// V8: any pattern that matches `target` prohibits index; the one with the most bytes is reported.
pub(crate) fn noindex(fields: &[Field], target: &[Symbol], usage: Usage) -> Voice {
    if usage != Usage::Index {
        return Voice::SILENT;
    }
    let mut matching: Vec<(usize, u32)> = Vec::new();
    for field in fields.iter().filter(|field| field.key == Key::Noindex && !field.value.is_empty()) {
        if let Some(rank) = rank(&field.value, target) {
            matching.push((rank, field.line));
        }
    }
    // The sort is stable: of equal patterns the first in the file stays first.
    matching.sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
    let sources = matching.iter().map(|&(_, line)| in_robots(Vocabulary::Noindex, line)).collect::<Vec<_>>();
    if sources.is_empty() {
        return Voice::SILENT;
    }
    Voice::of(Decision::prohibited(sources, PermissionReason::Explicit))
}

/// V10: of the patterns that match `target` the one with the most bytes decides, of equal ones Allow.
pub(crate) fn ai_training(fields: &[Field], target: &[Symbol], usage: Usage) -> Voice {
    if !is_about(Usage::AiTrain, usage) {
        return Voice::SILENT;
    }
    let mut matching: Vec<(usize, Access, u32)> = Vec::new();
    for field in fields.iter().filter(|field| !field.value.is_empty()) {
        if let Key::AiTraining(access) = field.key
            && let Some(rank) = rank(&field.value, target)
        {
            matching.push((rank, access, field.line));
        }
    }
    let most = matching.iter().map(|&(rank, ..)| rank).max();
    matching.retain(|&(rank, ..)| Some(rank) == most);
    let is_permitted = matching.iter().any(|&(_, access, _)| access == Access::Allow);
    let deciding = matching.iter().find(|&&(_, access, _)| (access == Access::Allow) == is_permitted);
    match deciding {
        Some(&(.., line)) => Voice::of(plain(is_permitted, vec![in_robots(Vocabulary::AiControl, line)])),
        None => Voice::SILENT,
    }
}

/// Table U: returns whether a statement about `own` is about `usage`, too.
pub(crate) fn is_about(own: Usage, usage: Usage) -> bool {
    own == usage || usage.including() == Some(own)
}

/// What one place says of a label: whether it permits, and all sources that do.
type Preference = (bool, Vec<Source>);

/// The Content-Usage records of a robots.txt (V3, V5), and the headers of a page (P13).
pub(crate) fn content_usage(fields: &[Field], page: &PageFacts, target: &[Symbol], usage: Usage) -> Voice {
    let Some(labels) = labels(usage) else {
        return Voice::SILENT;
    };
    let by_file = labels.iter().find_map(|label| file_preference(fields, target, label));
    let by_header = labels.iter().find_map(|label| header_preference(page, label));
    most_restrictive([by_file, by_header].into_iter().flatten().collect())
}

/// The labels that are about the usage: the first of them that says anything decides. "`search` overrides the two others
/// for what is used inside a search application."
pub(crate) fn labels(usage: Usage) -> Option<&'static [&'static str]> {
    Some(match usage {
        Usage::Search => &["search"],
        Usage::AiTrain | Usage::AiTrainImages => &["train-ai"],
        Usage::AiTrainInSearch => &["search", "train-ai"],
        Usage::AiInput => &["ai-use"],
        Usage::AiInputInSearch => &["search", "ai-use"],
        _ => return None,
    })
}

/// V3: of the records that match, those with the most bytes decide about all labels, together.
fn file_preference(fields: &[Field], target: &[Symbol], label: &str) -> Option<Preference> {
    let mut matching: Vec<(usize, Option<bool>, Source)> = Vec::new();
    for field in fields.iter().filter(|field| field.key == Key::ContentUsage) {
        matching.extend(preference(field, target, label));
    }
    let most = matching.iter().map(|&(rank, ..)| rank).max()?;
    matching.retain(|&(rank, ..)| rank == most);
    let saying = matching.into_iter().filter_map(|(_, says, source)| Some((says?, source)));
    joined(saying.map(|(is_permitted, source)| (is_permitted, vec![source])).collect())
}

/// A prohibition wins over permissions; those that agree decide together.
fn joined(preferences: Vec<Preference>) -> Option<Preference> {
    let is_permitted = preferences.iter().all(|&(is_permitted, _)| is_permitted);
    let deciding = preferences.into_iter().filter(|&(own, _)| own == is_permitted);
    let sources: Vec<Source> = deciding.flat_map(|(_, sources)| sources).collect();
    (!sources.is_empty()).then_some((is_permitted, sources))
}

/// V2 and V5: of two places the most restrictive.
pub(crate) fn most_restrictive(preferences: Vec<Preference>) -> Voice {
    match joined(preferences) {
        Some((is_permitted, sources)) => Voice::of(plain(is_permitted, sources)),
        None => Voice::SILENT,
    }
}

/// V3: the rank of the record's pattern, and what its dictionary says of the label; `None` if the pattern does not match
/// or the text is not a dictionary.
fn preference(field: &Field, target: &[Symbol], label: &str) -> Option<(usize, Option<bool>, Source)> {
    let (pattern, value) = match first_word(&field.value) {
        // "A rule value that starts with any other character indicates that the path is absent."
        (path @ [b'/', ..], rest) => (path, rest),
        _ => (&b""[..], &field.value[..]),
    };
    let rank = rank(pattern, target)?;
    let (says, _) = label_value(value, label)?;
    Some((rank, says, in_robots(Vocabulary::ContentUsage, field.line)))
}

/// The value of a label in a dictionary: the token y or n, or nothing; and where its last member begins. `None` if the
/// text is not a dictionary.
fn label_value(value: &[u8], label: &str) -> Option<(Option<bool>, usize)> {
    let members = structured::dictionary(value)?;
    let Some((_, member)) = members.into_iter().find(|(key, _)| key == label) else {
        return Some((None, 0));
    };
    let says = match member.item {
        Some(BareItem::Token(token)) if token == "y" => Some(true),
        Some(BareItem::Token(token)) if token == "n" => Some(false),
        _ => None,
    };
    Some((says, member.start))
}

/// P13: several headers form one list (RFC 9651, 4.2); the last one with the label is reported.
fn header_preference(page: &PageFacts, label: &str) -> Option<Preference> {
    let list = Joined::named(page, "content-usage")?;
    let (says, start) = label_value(list.text.as_bytes(), label)?;
    let source =
        Source { vocabulary: Vocabulary::ContentUsage, place: Place::Header, line: list.header_at(start) };
    Some((says?, vec![source]))
}

/// R1: the pattern's rank if it matches; the higher rank if both readings match.
pub(crate) fn rank(pattern: &[u8], target: &[Symbol]) -> Option<usize> {
    let patterns = normal::patterns(pattern, Dialect::Rfc9309).into_iter();
    let matching = patterns.filter(|own| matching::matches(&own.symbols, target, &mut Vec::new()));
    matching.map(|own| own.rank).max()
}

pub(crate) fn plain(is_permitted: bool, sources: Vec<Source>) -> Decision {
    if is_permitted {
        Decision::permitted(sources, Vec::new())
    } else {
        Decision::prohibited(sources, PermissionReason::Explicit)
    }
}

pub(crate) fn in_robots(vocabulary: Vocabulary, line: u32) -> Source {
    Source { vocabulary, place: Place::RobotsTxt, line }
}
