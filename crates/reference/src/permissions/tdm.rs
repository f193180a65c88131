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
    /// Whether rights are reserved; `None` for a value other than 0 and 1, "a protocol error".
    is_reserved: Option<bool>,
    policy: Option<String>,
    /// Its 1-based number in the array.
    number: u32,
}

/// The values in one place. "At every step, the absence of tdm-reservation and tdm-policy MUST not reset current values"
/// (the report, Processing priority), so each may be absent without the other.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Whether rights are reserved, and where that is said.
    reservation: Option<(bool, Source)>,
    policy: Option<String>,
}

impl Values {
    /// These values, and those of `earlier` for what is absent here.
    fn over(self, earlier: Values) -> Values {
        Values {
            reservation: self.reservation.or(earlier.reservation),
            policy: self.policy.or(earlier.policy),
        }
    }
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
    let is_reserved = match member("tdm-reservation")? {
        // "However it is written": JSON texts have no number beyond double precision (T1).
        Value::Number(number) => match number.parse::<f64>() {
            Ok(1.0) => Some(true),
            Ok(0.0) => Some(false),
            _ => None,
        },
        _ => None,
    };
    let policy = match member("tdm-policy") {
        Some(Value::Text(url)) if is_web_url(url.as_bytes()) => Some(url.clone()),
        _ => None,
    };
    Some(Rule { location: location.clone(), is_reserved, policy, number })
}

/// P13 and T4: each of the two values is that of the META tags, or else of the headers, or else of the file.
pub(crate) fn voice(file: &File, page: &PageFacts, target: &[Symbol], usage: Usage) -> Voice {
    if usage != Usage::Tdm {
        return Voice::SILENT;
    }
    let of_file = match file {
        File::Rules(rules) => by_file(rules, target),
        File::Withheld => Values::default(),
    };
    let values = by_metas(page).over(by_headers(page)).over(of_file);
    match (values.reservation, file) {
        (Some((true, source)), _) => {
            let reserved = Decision::prohibited(vec![source], PermissionReason::Explicit);
            let terms = values.policy.map(Qualifier::Terms).into_iter().collect();
            // "TDM Agents MAY use it to get information on how they can acquire ... an authorization".
            Voice::of(Decision { qualifiers: terms, ..reserved })
        }
        (Some((false, source)), _) => Voice::of(plain(true, vec![source])),
        (None, File::Withheld) => Voice::of(Decision::prohibited(Vec::new(), PermissionReason::Fetch)),
        (None, File::Rules(_)) => Voice::SILENT,
    }
}

/// T2: the values of the first rule of the array that matches, even if its reservation is none (T1).
fn by_file(rules: &[Rule], target: &[Symbol]) -> Values {
    let is_match =
        |rule: &&Rule| !rule.location.is_empty() && rank(rule.location.as_bytes(), target).is_some();
    let Some(rule) = rules.iter().find(is_match) else {
        return Values::default();
    };
    let source = source(Place::TdmRepJson, rule.number);
    Values {
        reservation: rule.is_reserved.map(|is_reserved| (is_reserved, source)),
        policy: rule.policy.clone(),
    }
}

fn by_headers(page: &PageFacts) -> Values {
    let (reservations, policies) =
        (header::named(page, "tdm-reservation"), header::named(page, "tdm-policy"));
    let of_header = |number: &u32| source(Place::Header, *number);
    // P13: "A reservation in a header may be several, separated by commas with optional white space around them."
    let each = reservations.iter().flat_map(|(number, value)| {
        value.split(',').map(move |one| (one.trim_matches([' ', '\t']), of_header(number)))
    });
    let policies = policies.iter().map(|(number, value)| (value.as_str(), of_header(number)));
    values(&each.collect::<Vec<_>>(), &policies.collect::<Vec<_>>())
}

fn by_metas(page: &PageFacts) -> Values {
    let metas = |name| -> Vec<(&str, Source)> {
        let own = page.metas.iter().filter(|meta| trimmed(&meta.name).eq_ignore_ascii_case(name));
        own.map(|meta| (trimmed(&meta.content), source(Place::Meta, meta.line))).collect()
    };
    values(&metas("tdm-reservation"), &metas("tdm-policy"))
}

/// "Of several reservations in a place 1 counts, of several policies the first."
fn values(reservations: &[(&str, Source)], policies: &[(&str, Source)]) -> Values {
    let of_value = |wanted: &str| reservations.iter().find(|(value, _)| *value == wanted);
    let reservation = of_value("1").or_else(|| of_value("0"));
    let policy = policies.iter().map(|&(value, _)| value).find(|value| is_web_url(value.as_bytes()));
    Values {
        reservation: reservation.map(|&(value, source)| (value == "1", source)),
        policy: policy.map(str::to_owned),
    }
}

fn source(place: Place, line: u32) -> Source {
    Source { vocabulary: Vocabulary::TdmRep, place, line }
}

fn trimmed(value: &str) -> &str {
    value.trim_matches(|c: char| c.is_ascii() && is_page_space(c as u8))
}
