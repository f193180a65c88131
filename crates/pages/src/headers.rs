//! Content-Signal and Content-Usage headers, and TDMRep in headers and META tags (`crates/PERMISSIONS.md`, V2, V3 and
//! P13).

use std::borrow::Cow;
use std::collections::HashMap;

use robomata_policy::content_usage::{about, lacks_commas, parse_header};
use robomata_policy::{Address, ContentSignal, Preference, Says, Statement, TdmStatement, is_http_url};
use robomata_protocol::{PageFacts, PermissionReason, Place, Source, Usage, Vocabulary};

use crate::diagnostic::{PageDiagnostic, PageProblem};
use crate::joined::JoinedHeaders;

/// The values of the headers called `name`, each with its 1-based number among all headers.
pub fn named<'f>(facts: &'f PageFacts, name: &str) -> impl Iterator<Item = (u32, Cow<'f, str>)> {
    let headers = (1..).zip(&facts.headers);
    headers
        .filter(move |(_, header)| header.name.trim_ascii().eq_ignore_ascii_case(name))
        .map(|(number, header)| (number, without_white_space(&header.value)))
}

/// The value of a header without white space around it, and with spaces for CR, LF and NUL (row P13).
fn without_white_space(value: &str) -> Cow<'_, str> {
    const NEVER_IN_VALUES: [char; 3] = ['\r', '\n', '\0'];
    const AROUND: [char; 2] = [' ', '\t'];
    match value.contains(NEVER_IN_VALUES) {
        true => Cow::Owned(value.replace(NEVER_IN_VALUES, " ").trim_matches(AROUND).to_owned()),
        false => Cow::Borrowed(value.trim_matches(AROUND)),
    }
}

fn statement(vocabulary: Vocabulary, usage: Usage, prohibits: bool, line: u32) -> Statement {
    let says = match prohibits {
        true => Says::Prohibited(PermissionReason::Explicit),
        false => Says::Permitted(Vec::new()),
    };
    let source = Source { vocabulary, place: Place::Header, line };
    Statement { usage, says, address: Address::Any, purpose: None, source }
}

/// Interprets the Content-Signal headers, each as a line of a robots.txt.
pub(crate) fn content_signal(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> Vec<Statement> {
    let vocabulary = Vocabulary::ContentSignal;
    let headers: Vec<(u32, Cow<'_, str>)> = named(facts, "content-signal").collect();
    let headers: Vec<(u32, &str)> = headers.iter().map(|(line, value)| (*line, &**value)).collect();
    let (signal, invalid) = ContentSignal::of_headers(&headers);
    diagnostics.extend(invalid.into_iter().map(|(line, item)| {
        let source = Source { vocabulary, place: Place::Header, line };
        PageDiagnostic::new(source, PageProblem::InvalidSignal, item)
    }));
    diagnostics.extend(signal.items.iter().filter(|item| item.is_of_usage()).map(|item| {
        let source = Source { vocabulary, place: Place::Header, line: item.line };
        PageDiagnostic::new(source, PageProblem::LabelOfOtherHeader, item.name)
    }));
    let statement =
        |usage| signal.about(usage).map(|said| statement(vocabulary, usage, said.prohibits, said.line));
    Usage::ALL.into_iter().filter_map(statement).collect()
}

/// Interprets the Content-Usage headers. Several headers form one list, as with every structured field (RFC 9651, 4.2).
pub(crate) fn content_usage(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> Vec<Statement> {
    let vocabulary = Vocabulary::ContentUsage;
    let Some(joined) = JoinedHeaders::new(facts, "content-usage") else { return Vec::new() };
    let (text, first) = (joined.text(), joined.first());
    let Some(items) = parse_header(text.as_bytes()) else {
        let problem = match lacks_commas(text.as_bytes()) {
            true => PageProblem::MissingComma,
            false => PageProblem::InvalidContentUsage,
        };
        let source = Source { vocabulary, place: Place::Header, line: first };
        diagnostics.push(PageDiagnostic::new(source, problem, text));
        return Vec::new();
    };
    // The last member with a label counts.
    let is_of_label = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.*".contains(c);
    let label = |member: &'_ str| member.find(|c| !is_of_label(c)).unwrap_or(member.len());
    let lines: HashMap<&str, u32> =
        joined.members().map(|(member, header)| (&member[..label(member)], header)).collect();
    let line = |label: &str| lines.get(label).copied().unwrap_or(first);
    for item in &items {
        let problem = match item.usage() {
            Some(_) if item.preference == Preference::Unknown => PageProblem::UnknownPreference,
            None if item.is_of_signal() => PageProblem::LabelOfOtherHeader,
            _ => continue,
        };
        let source = Source { vocabulary, place: Place::Header, line: line(&item.label) };
        diagnostics.push(PageDiagnostic::new(source, problem, &item.label));
    }
    let statement = |usage| {
        let said = about(&items, usage)?;
        Some(statement(vocabulary, usage, said.preference == Preference::No, line(said.label)))
    };
    Usage::ALL.into_iter().filter_map(statement).collect()
}

/// Interprets TDMRep: the reservation and the policy of the META tags or, where they have none, of the headers.
pub(crate) fn tdm(facts: &PageFacts, diagnostics: &mut Vec<PageDiagnostic>) -> TdmStatement {
    let headers = (1..).zip(&facts.headers).map(|(line, header)| {
        let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::Header, line };
        (header.name.as_str(), without_white_space(&header.value), source)
    });
    let metas = facts.metas.iter().flat_map(|meta| {
        let source = Source { vocabulary: Vocabulary::TdmRep, place: Place::Meta, line: meta.line };
        meta.name.split(',').map(move |name| (name, Cow::Borrowed(meta.content.as_str()), source))
    });
    let of_metas = tdm_values(metas, diagnostics);
    let of_headers = tdm_values(headers, diagnostics);
    of_metas.or(&of_headers)
}

/// The TDMRep values of the headers or of the META tags: the strictest reservation, the first of equal ones, and the
/// first policy.
fn tdm_values<'f>(
    fields: impl Iterator<Item = (&'f str, Cow<'f, str>, Source)>,
    diagnostics: &mut Vec<PageDiagnostic>,
) -> TdmStatement {
    let mut found = TdmStatement::default();
    for (name, value, source) in fields {
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        let is_valid = if name.eq_ignore_ascii_case("tdm-reservation") {
            let mut is_valid = true;
            let is_list = source.place == Place::Header;
            for word in value.split(|c| is_list && c == ',') {
                let reserved = match word.trim_matches([' ', '\t']) {
                    "0" => false,
                    "1" => true,
                    _ => {
                        is_valid = false;
                        continue;
                    }
                };
                if found.reserved.is_none_or(|(earlier, _)| reserved && !earlier) {
                    found.reserved = Some((reserved, source));
                }
            }
            is_valid
        } else if name.eq_ignore_ascii_case("tdm-policy") {
            let policy = Some(value).filter(|value| is_http_url(value));
            found.policy = found.policy.or_else(|| policy.map(str::to_owned));
            policy.is_some()
        } else {
            continue;
        };
        if !is_valid {
            let text = format!("{name}: {value}");
            diagnostics.push(PageDiagnostic::new(source, PageProblem::InvalidTdm, &text));
        }
    }
    found
}
