//! Writes permission cases as one JSON file that other projects can run. `corpora/conformance/export/README.md`
//! describes it.

use std::collections::BTreeMap;

use robomata_protocol::{Dialect, FetchStatus, License, PageFacts, ProductToken, Vocabulary};
use serde::Serialize;

use crate::permission_case::{ExpectedAnswer, ExpectedSource, PermissionCase};

#[derive(Serialize)]
struct ExportedCase<'a> {
    id: &'a str,
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    crawler: Vec<&'a str>,
    url: String,
    robots: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    robots_status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tdmrep: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headers: Vec<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<i64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    expect: BTreeMap<&'static str, ExportedAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    licenses: Option<Vec<ExportedLicense<'a>>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Status {
    Code(u16),
    Word(&'static str),
}

#[derive(Serialize)]
struct ExportedAnswer {
    answer: &'static str,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ExportedSource>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    qualifiers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lacks: Vec<String>,
}

#[derive(Serialize)]
struct ExportedSource {
    place: &'static str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary: Option<&'static str>,
}

#[derive(Serialize)]
struct ExportedLicense<'a> {
    url: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    source: ExportedSource,
}

/// The cases under RFC 9309 that expect answers about usages or licences, as JSON, one case on a line, in the order of
/// their ids.
///
/// A case is left out if the format cannot express it: bytes that are not UTF-8, referenced files, elements, a purpose,
/// or times other than that of the query.
pub fn export(cases: &[PermissionCase]) -> String {
    let mut exported: Vec<_> = cases.iter().filter_map(exported).collect();
    exported.sort_by_key(|case| case.id);
    let lines: Vec<String> = exported.iter().map(line).collect();
    let head = "\"format\": \"robomata-vocabulary-cases\",\n\"version\": 1,\n\"cases\"";
    format!("{{\n{head}: [\n{}\n]\n}}\n", lines.join(",\n"))
}

fn line(case: &ExportedCase<'_>) -> String {
    serde_json::to_string(case)
        .unwrap_or_else(|error| unreachable!("texts and numbers are always JSON: {error}"))
}

fn exported(case: &PermissionCase) -> Option<ExportedCase<'_>> {
    let (expect, circumstances) = (&case.expect, &case.circumstances);
    let is_exported = case.dialect == Dialect::Rfc9309
        && (!expect.answers.is_empty() || expect.licenses.is_some())
        && case.referenced.is_empty()
        && circumstances.purpose.is_none()
        && circumstances.first_use.is_none()
        && circumstances.last_crawl.is_none();
    if !is_exported {
        return None;
    }
    let url = std::str::from_utf8(&case.url).ok()?;
    let page = match &case.page {
        None => None,
        Some(page) => match &page.html {
            Some(html) => Some(std::str::from_utf8(html).ok()?.to_owned()),
            None => html_of(&page.facts)?,
        },
    };
    let answers = expect.answers.iter().map(|(usage, answer)| (usage.as_str(), answer_of(answer)));
    let licenses = expect.licenses.as_ref().map(|all| all.iter().map(license_of).collect());
    Some(ExportedCase {
        id: &case.id,
        title: &case.title,
        note: &case.note,
        crawler: case.crawler.tokens().iter().map(ProductToken::as_str).collect(),
        url: if url.starts_with('/') { format!("{}{url}", case.origin) } else { url.to_owned() },
        robots: std::str::from_utf8(&case.robots).ok()?,
        robots_status: case.status.map(|status| match status {
            FetchStatus::Code(code) => Status::Code(code),
            FetchStatus::Success => Status::Code(200),
            FetchStatus::NetworkFailure => Status::Word("network-failure"),
            FetchStatus::TooManyRedirects => Status::Word("too-many-redirects"),
        }),
        tdmrep: case.tdmrep.as_deref().map(std::str::from_utf8).transpose().ok()?,
        headers: case.facts().map(headers).unwrap_or_default(),
        page,
        now: circumstances.now.map(|now| now.0),
        expect: answers.collect(),
        licenses,
    })
}

fn headers(facts: &PageFacts) -> Vec<[&str; 2]> {
    facts.headers.iter().map(|header| [header.name.as_str(), header.value.as_str()]).collect()
}

/// A page with these META tags and links, each on its line. The outer value is `None` if no such page exists, and the
/// inner one if only headers are known.
fn html_of(facts: &PageFacts) -> Option<Option<String>> {
    if !facts.elements.is_empty() {
        return None;
    }
    let metas = facts.metas.iter().map(|meta| {
        let (name, content) = (escaped(&meta.name), escaped(&meta.content));
        (meta.line, format!("<meta name=\"{name}\" content=\"{content}\">"))
    });
    let links = facts.links.iter().map(|link| {
        let media_type = link.media_type.as_ref();
        let media_type = media_type.map_or_else(String::new, |of| format!(" type=\"{}\"", escaped(of)));
        (link.line, format!("<link rel=\"license\" href=\"{}\"{media_type}>", escaped(&link.href)))
    });
    let mut tags: Vec<(u32, String)> = metas.chain(links).collect();
    tags.sort_by_key(|(line, _)| *line);
    let mut html = String::new();
    let mut current = 1;
    for (line, tag) in &tags {
        while current < *line {
            html.push('\n');
            current += 1;
        }
        html.push_str(tag);
    }
    Some((!tags.is_empty()).then(|| html + "\n"))
}

/// The text of an attribute's value between double quotes.
fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

fn answer_of(answer: &ExpectedAnswer) -> ExportedAnswer {
    let vocabulary = answer.vocabulary.map(Vocabulary::as_str);
    ExportedAnswer {
        answer: answer.permission.as_str(),
        reason: answer.reason.as_str(),
        source: match answer.source {
            Some(ExpectedSource::Line(place, line)) => {
                Some(ExportedSource { place: place.as_str(), line, vocabulary })
            }
            _ => None,
        },
        qualifiers: answer.qualifiers.clone().unwrap_or_default(),
        lacks: answer.lacks.clone(),
    }
}

fn license_of(license: &License) -> ExportedLicense<'_> {
    ExportedLicense {
        url: &license.url,
        media_type: license.media_type.as_deref(),
        source: ExportedSource { place: license.place.as_str(), line: license.line, vocabulary: None },
    }
}
