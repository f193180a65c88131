//! TDMRep: tdmrep.json, headers and META tags (T1 to T6, P13).

use robomata_protocol::limits::DEFAULT_PARSING_LIMIT;
use robomata_protocol::{
    Dialect, FetchOutcome, FetchStatus, PageFacts, PermissionReason, Place, Qualifier, Source, Usage,
    Vocabulary,
};

use super::content::{plain, rank};
use super::header;
use super::json::{self, Value};
use super::locator::is_web_url;
use super::voice::{Decision, Voice};
use crate::normal::Symbol;
use crate::outcome;
use crate::text::is_page_space;

/// A rule of tdmrep.json.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    location: String,
    reservation: Reservation,
    /// Its 1-based number in the array.
    number: u32,
}

/// What a place says: whether rights are reserved, and the policy, if there is one.
#[derive(Clone, Debug)]
struct Reservation {
    is_reserved: bool,
    policy: Option<String>,
}

/// What a tdmrep.json says.
#[derive(Clone, Debug)]
pub(crate) enum File {
    /// These rules; none if there is no file.
    Rules(Vec<Rule>),
    /// It could not be had, and may reserve everything.
    Withheld,
}

impl Default for File {
    fn default() -> Self {
        File::Rules(Vec::new())
    }
}

impl File {
    /// T6: the result of the fetch decides whether the bytes count.
    pub(crate) fn of(bytes: Option<&[u8]>, status: Option<FetchStatus>, dialect: Dialect) -> Self {
        match outcome::of(status, dialect) {
            FetchOutcome::Success => File::Rules(bytes.map(rules).unwrap_or_default()),
            FetchOutcome::Unavailable | FetchOutcome::Redirected => File::default(),
            FetchOutcome::Unreachable | FetchOutcome::Restricted | FetchOutcome::Deferred => File::Withheld,
        }
    }
}

/// T1: the rules of a file. "Anything else in the array is void"; a text that is no array, or too long, has none.
fn rules(file: &[u8]) -> Vec<Rule> {
    if file.len() > DEFAULT_PARSING_LIMIT {
        return Vec::new();
    }
    let text = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let Some(Value::Array(values)) = json::value(text) else {
        return Vec::new();
    };
    let numbered = (1_u32..).zip(values);
    numbered.filter_map(|(number, value)| rule(number, value)).collect()
}

fn rule(number: u32, value: Value) -> Option<Rule> {
    let Value::Object(members) = value else {
        return None;
    };
    // "Of a member given twice the last counts."
    let member = |name: &str| members.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value);
    let Some(Value::Text(location)) = member("location") else {
        return None;
    };
    let is_reserved = match member("tdm-reservation") {
        Some(Value::Number(number)) if number == "1" => true,
        Some(Value::Number(number)) if number == "0" => false,
        _ => return None,
    };
    let policy = match member("tdm-policy") {
        Some(Value::Text(url)) if is_web_url(url.as_bytes()) => Some(url.clone()),
        _ => None,
    };
    Some(Rule { location: location.clone(), reservation: Reservation { is_reserved, policy }, number })
}

/// The answer of the page, or else of the file: "page and header override the file" (T4).
pub(crate) fn voice(file: &File, page: &PageFacts, target: &[Symbol], usage: Usage) -> Voice {
    if usage != Usage::Tdm {
        return Voice::SILENT;
    }
    let said = match (by_page(page), file) {
        (None, File::Withheld) => {
            return Voice::of(Decision::prohibited(Vec::new(), PermissionReason::Fetch));
        }
        (None, File::Rules(rules)) => by_file(rules, target),
        (said, _) => said,
    };
    said.map_or(Voice::SILENT, |(reservation, source)| {
        Voice::of(match reservation {
            Reservation { is_reserved: true, policy: Some(policy) } => {
                Decision::permitted(vec![source], vec![Qualifier::Terms(policy)])
            }
            Reservation { is_reserved, .. } => plain(!is_reserved, vec![source]),
        })
    })
}

/// T2: the first rule of the array that matches.
fn by_file(rules: &[Rule], target: &[Symbol]) -> Option<(Reservation, Source)> {
    let is_match =
        |rule: &&Rule| !rule.location.is_empty() && rank(rule.location.as_bytes(), target).is_some();
    let rule = rules.iter().find(is_match)?;
    Some((rule.reservation.clone(), source(Place::TdmRepJson, rule.number)))
}

/// P13: the META tags if one has a valid reservation, otherwise the headers, each with its own policy.
fn by_page(page: &PageFacts) -> Option<(Reservation, Source)> {
    let headers = |name| -> Vec<(&str, Source)> {
        let own = header::named(page, name).into_iter();
        own.map(|(number, value)| (value, source(Place::Header, number))).collect()
    };
    let metas = |name| -> Vec<(&str, Source)> {
        let own = page.metas.iter().filter(|meta| trimmed(&meta.name).eq_ignore_ascii_case(name));
        own.map(|meta| (trimmed(&meta.content), source(Place::Meta, meta.line))).collect()
    };
    let by_metas = reservation(&metas("tdm-reservation"), &metas("tdm-policy"));
    by_metas.or_else(|| reservation(&headers("tdm-reservation"), &headers("tdm-policy")))
}

/// "Of several reservations 1 counts, of several policies the first."
fn reservation(values: &[(&str, Source)], policies: &[(&str, Source)]) -> Option<(Reservation, Source)> {
    let of_value = |wanted: &str| values.iter().find(|(value, _)| *value == wanted);
    let &(value, source) = of_value("1").or_else(|| of_value("0"))?;
    let policy = policies.iter().map(|&(value, _)| value).find(|value| is_web_url(value.as_bytes()));
    Some((Reservation { is_reserved: value == "1", policy: policy.map(str::to_owned) }, source))
}

fn source(place: Place, line: u32) -> Source {
    Source { vocabulary: Vocabulary::TdmRep, place, line }
}

fn trimmed(value: &str) -> &str {
    value.trim_matches(|c: char| c.is_ascii() && is_page_space(c as u8))
}
