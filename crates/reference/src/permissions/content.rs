//! Vocabularies of one sentence each: Noindex, Content-Signal, Content-Usage, TDMRep (V2 to V5, V8, P13).

use robomata_protocol::{Dialect, PageFacts, PermissionReason, Place, Qualifier, Source, Usage, Vocabulary};

use super::structured::{self, Value};
use super::voice::{Decision, Voice};
use crate::fields::{Field, Key};
use crate::matching;
use crate::normal::{self, Symbol};
use crate::text::{first_word, is_page_space, is_ws, text, trim};

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

/// V2: of two signals with the same name the last counts.
pub(crate) fn content_signal(fields: &[Field], usage: Usage) -> Voice {
    let label = match usage {
        Usage::Search => "search",
        Usage::AiInput => "ai-input",
        Usage::AiTrain => "ai-train",
        _ => return Voice::SILENT,
    };
    let mut last: Option<(bool, u32)> = None;
    for field in fields.iter().filter(|field| field.key == Key::ContentSignal) {
        for item in field.value.split(|&byte| byte == b',') {
            let Some(sign) = item.iter().position(|&byte| byte == b'=') else {
                continue;
            };
            let (name, value) = (trim(&item[..sign], is_ws), trim(&item[sign + 1..], is_ws));
            if name.eq_ignore_ascii_case(label.as_bytes()) {
                match value.to_ascii_lowercase().as_slice() {
                    b"yes" => last = Some((true, field.line)),
                    b"no" => last = Some((false, field.line)),
                    _ => {}
                }
            }
        }
    }
    match last {
        None => Voice::SILENT,
        Some((is_permitted, line)) => {
            Voice::of(plain(is_permitted, vec![in_robots(Vocabulary::ContentSignal, line)]))
        }
    }
}

/// A Content-Usage record or header, which may or may not mention a usage.
struct Preference {
    rank: usize,
    /// Whether the usage is permitted; `None` if the record does not mention it.
    is_permitted: Option<bool>,
    source: Source,
}

/// The Content-Usage records of a robots.txt (V3, V5), and the headers of a page (P13).
pub(crate) fn content_usage(fields: &[Field], page: &PageFacts, target: &[Symbol], usage: Usage) -> Voice {
    let label = match usage {
        Usage::AiTrain => "train-ai",
        Usage::Search => "search",
        _ => return Voice::SILENT,
    };
    let mut preferences = Vec::new();
    for field in fields.iter().filter(|field| field.key == Key::ContentUsage) {
        preferences.extend(preference(field, target, label));
    }
    if let Some(most) = preferences.iter().map(|preference| preference.rank).max() {
        // V3: of the records that match, the one with the most bytes decides about all labels, equal ones together.
        preferences.retain(|preference| preference.rank == most);
    }
    preferences.extend(header_preference(page, label));
    most_restrictive(&preferences)
}

/// V5: a prohibition wins over permissions.
fn most_restrictive(preferences: &[Preference]) -> Voice {
    let sources = |is_permitted: bool| {
        let saying = preferences.iter().filter(|preference| preference.is_permitted == Some(is_permitted));
        saying.map(|preference| preference.source).collect::<Vec<_>>()
    };
    let (permitting, prohibiting) = (sources(true), sources(false));
    if !prohibiting.is_empty() {
        Voice::of(plain(false, prohibiting))
    } else if !permitting.is_empty() {
        Voice::of(plain(true, permitting))
    } else {
        Voice::SILENT
    }
}

/// V3: the record's pattern and dictionary, or `None` if the pattern does not match or the text is not a dictionary.
fn preference(field: &Field, target: &[Symbol], label: &str) -> Option<Preference> {
    let (pattern, value) = match first_word(&field.value) {
        (path @ [b'/' | b'*', ..], rest) => (path, rest),
        _ => (&b""[..], &field.value[..]),
    };
    let rank = rank(pattern, target)?;
    let is_permitted = label_value(value, label)?;
    Some(Preference { rank, is_permitted, source: in_robots(Vocabulary::ContentUsage, field.line) })
}

/// The value of a label in a dictionary: the token y or n, or nothing. `None` if the text is not a dictionary.
fn label_value(value: &[u8], label: &str) -> Option<Option<bool>> {
    let members = structured::dictionary(value)?;
    let (_, value) =
        members.into_iter().find(|(key, _)| key == label).unwrap_or((String::new(), Value::Other));
    Some(match value {
        Value::Token(token) if token == "y" => Some(true),
        Value::Token(token) if token == "n" => Some(false),
        _ => None,
    })
}

/// P13: several headers form one list (RFC 9651, 4.2); the last one with the label is reported.
fn header_preference(page: &PageFacts, label: &str) -> Option<Preference> {
    let numbered = (1_u32..).zip(&page.headers);
    let headers: Vec<(u32, &str)> = numbered
        .filter(|(_, header)| header.name.eq_ignore_ascii_case("content-usage"))
        .map(|(line, header)| (line, header.value.trim_ascii()))
        .collect();
    let list = headers.iter().map(|(_, value)| *value).filter(|value| !value.is_empty());
    let is_permitted = label_value(list.collect::<Vec<_>>().join(", ").as_bytes(), label)?;
    let has_label = |value: &str| {
        structured::dictionary(value.as_bytes())
            .is_some_and(|members| members.iter().any(|(key, _)| key == label))
    };
    let &(line, _) = headers.iter().rev().find(|(_, value)| has_label(value)).or(headers.first())?;
    let source = Source { vocabulary: Vocabulary::ContentUsage, place: Place::Header, line };
    Some(Preference { rank: 0, is_permitted, source })
}

/// P13: the headers if one has a valid reservation, otherwise the META tags, each with its own policy.
pub(crate) fn tdm(page: &PageFacts, usage: Usage) -> Voice {
    if usage != Usage::Tdm {
        return Voice::SILENT;
    }
    let is_header = |place: Place| place == Place::Header;
    let valid: Vec<(&str, Source)> =
        values(page, "tdm-reservation").filter(|(value, _)| matches!(*value, "0" | "1")).collect();
    let is_by_header = valid.iter().any(|(_, source)| is_header(source.place));
    let of_place: Vec<_> =
        valid.into_iter().filter(|(_, source)| is_header(source.place) == is_by_header).collect();
    // Of several reservations 1 wins, of several policies the first.
    let reserved = of_place.iter().find(|(value, _)| *value == "1").or(of_place.first());
    let Some(&(reservation, source)) = reserved else {
        return Voice::SILENT;
    };
    let policy = values(page, "tdm-policy")
        .filter(|(_, source)| is_header(source.place) == is_by_header)
        .map(|(value, _)| value)
        .find(|value| super::locator::is_web_url(value.as_bytes()));
    match policy {
        Some(policy) if reservation == "1" => {
            Voice::of(Decision::permitted(vec![source], vec![Qualifier::Terms(policy.to_owned())]))
        }
        _ => Voice::of(plain(reservation == "0", vec![source])),
    }
}

/// The values of headers, then of META tags, with this name.
fn values<'p>(page: &'p PageFacts, name: &'p str) -> impl Iterator<Item = (&'p str, Source)> {
    let source = |place, line| Source { vocabulary: Vocabulary::TdmRep, place, line };
    let trimmed = |value: &'p str| value.trim_matches(|c: char| c.is_ascii() && is_page_space(c as u8));
    let headers =
        (1_u32..).zip(&page.headers).filter(move |(_, header)| header.name.eq_ignore_ascii_case(name));
    let metas = page.metas.iter().filter(move |meta| trimmed(&meta.name).eq_ignore_ascii_case(name));
    headers
        .map(move |(number, header)| (trimmed(&header.value), source(Place::Header, number)))
        .chain(metas.map(move |meta| (trimmed(&meta.content), source(Place::Meta, meta.line))))
}

/// R1: the pattern's rank if it matches; the higher rank if both readings match.
fn rank(pattern: &[u8], target: &[Symbol]) -> Option<usize> {
    let patterns = normal::patterns(pattern, Dialect::Rfc9309).into_iter();
    let matching = patterns.filter(|own| matching::matches(&own.symbols, target, &mut Vec::new()));
    matching.map(|own| own.rank).max()
}

fn plain(is_permitted: bool, sources: Vec<Source>) -> Decision {
    if is_permitted {
        Decision::permitted(sources, Vec::new())
    } else {
        Decision::prohibited(sources, PermissionReason::Explicit)
    }
}

fn in_robots(vocabulary: Vocabulary, line: u32) -> Source {
    Source { vocabulary, place: Place::RobotsTxt, line }
}

/// V6: the licences of the file: absolute URLs, one word each, with their lines.
pub(crate) fn licenses(fields: &[Field]) -> Vec<(String, u32)> {
    let licenses =
        fields.iter().filter(|field| field.key == Key::License && super::locator::is_url(&field.value));
    licenses.map(|field| (text(&field.value), field.line)).collect()
}
