//! Our TOML format, read. `corpora/conformance/README.md` describes it.

use std::collections::HashSet;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use robomata_protocol::{Crawler, Dialect, FetchStatus, ProductToken};
use serde::Deserialize;

use super::{Case, Expect, Word};
use crate::error::{self, Error, Place};
use crate::octets;

/// Files of these names hold something else: expected differences, and cases of the life-cycle.
const OTHERS: [&str; 2] = ["expected-differences.toml", "lifecycle.toml"];

/// A robots.txt that parts may add up to; more is a slip of the pen in `repeat`.
const MAX_ROBOTS: usize = 64 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// What the cases are about; for readers only.
    #[serde(rename = "spec")]
    _spec: String,
    dialects: Option<Vec<String>>,
    #[serde(default)]
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    section: String,
    title: String,
    robots: Option<String>,
    robots_escaped: Option<String>,
    robots_b64: Option<String>,
    robots_parts: Option<Vec<Part>>,
    status: Option<Status>,
    dialects: Option<Vec<String>>,
    agent: Option<Agent>,
    note: Option<String>,
    #[serde(default)]
    case: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    text: Option<String>,
    escaped: Option<String>,
    b64: Option<String>,
    repeat: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: Option<String>,
    agent: Option<Agent>,
    url: Option<String>,
    url_escaped: Option<String>,
    url_b64: Option<String>,
    expect: Word,
    line: Option<u32>,
    dialects: Option<Vec<String>>,
    note: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a status code, \"success\" or \"network-failure\"")]
enum Status {
    Code(u16),
    Word(String),
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a comma-separated text or a list of product tokens")]
enum Agent {
    List(String),
    Tokens(Vec<String>),
}

/// The cases of the file at `path`.
pub fn load(path: &Path) -> Result<Vec<Case>, Error> {
    parse(&error::stem(path), &error::read(path)?)
}

/// The cases of every `.toml` file in `folder`, but for those that hold something else.
pub fn load_folder(folder: &Path) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for path in error::files(folder, ".toml")? {
        if path.file_name().is_none_or(|name| OTHERS.iter().all(|other| name != *other)) {
            cases.append(&mut load(&path)?);
        }
    }
    Ok(cases)
}

/// The cases of the text of a file named `file`, which is the first part of their ids.
///
/// A case that holds in several dialects comes once for each, under one id.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, Error> {
    let parsed: File = toml::from_str(text).map_err(|source| Error::toml(file, source))?;
    let place = Place { file, table: "the header" };
    let defaults = dialects(parsed.dialects.as_deref(), &Dialect::ALL, place)?;
    let mut reader = Reader { file, defaults, seen: HashSet::new(), cases: Vec::new() };
    for (index, group) in parsed.group.iter().enumerate() {
        reader.group(index + 1, group)?;
    }
    Ok(reader.cases)
}

struct Reader<'a> {
    file: &'a str,
    defaults: Vec<Dialect>,
    seen: HashSet<(String, Dialect)>,
    cases: Vec<Case>,
}

impl Reader<'_> {
    fn group(&mut self, number: usize, group: &Group) -> Result<(), Error> {
        let table = format!("group {number} ({} \"{}\")", group.section, group.title);
        let place = Place { file: self.file, table: &table };
        let robots = robots(group, place)?;
        let status = group.status.as_ref().map(|status| fetch_status(status, place)).transpose()?;
        let defaults = dialects(group.dialects.as_deref(), &self.defaults, place)?;
        if group.case.is_empty() {
            return Err(place.expected("at least one case", "none"));
        }
        for (index, entry) in group.case.iter().enumerate() {
            let table = format!("{table}, case {}", index + 1);
            let place = Place { file: self.file, table: &table };
            let case = Case {
                id: id(self.file, group, index + 1, entry),
                section: group.section.clone(),
                title: group.title.clone(),
                dialect: Dialect::default(),
                robots: robots.clone(),
                status,
                crawler: crawler(group, entry, place)?,
                url: url(entry, place)?,
                expect: Expect { word: entry.expect, line: entry.line },
                note: entry.note.as_ref().or(group.note.as_ref()).cloned().unwrap_or_default(),
            };
            self.push(&case, &dialects(entry.dialects.as_deref(), &defaults, place)?, place)?;
        }
        Ok(())
    }

    fn push(&mut self, case: &Case, dialects: &[Dialect], place: Place<'_>) -> Result<(), Error> {
        for dialect in dialects {
            if !self.seen.insert((case.id.clone(), *dialect)) {
                return Err(place.duplicate(&case.id));
            }
            self.cases.push(case.under(*dialect));
        }
        Ok(())
    }
}

/// `file/section/title/number`, the title as lower-case words joined by hyphens.
fn id(file: &str, group: &Group, number: usize, entry: &Entry) -> String {
    match &entry.id {
        Some(id) => id.clone(),
        None => format!("{file}/{}/{}/{number}", group.section, slug(&group.title)),
    }
}

pub(crate) fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

fn dialects(
    names: Option<&[String]>,
    inherited: &[Dialect],
    place: Place<'_>,
) -> Result<Vec<Dialect>, Error> {
    let Some(names) = names else { return Ok(inherited.to_vec()) };
    if names.is_empty() {
        return Err(place.expected("at least one dialect", "an empty list"));
    }
    let parse = |name: &String| {
        let known = Dialect::ALL.map(Dialect::as_str).join(", ");
        name.parse().map_err(|_| place.expected(format!("a dialect ({known})"), format!("'{name}'")))
    };
    names.iter().map(parse).collect()
}

fn fetch_status(status: &Status, place: Place<'_>) -> Result<FetchStatus, Error> {
    match status {
        Status::Code(code) => Ok(FetchStatus::Code(*code)),
        Status::Word(word) => match word.as_str() {
            "success" => Ok(FetchStatus::Success),
            "network-failure" => Ok(FetchStatus::NetworkFailure),
            _ => {
                Err(place.expected("a status code, \"success\" or \"network-failure\"", format!("'{word}'")))
            }
        },
    }
}

fn crawler(group: &Group, entry: &Entry, place: Place<'_>) -> Result<Crawler, Error> {
    match entry.agent.as_ref().or(group.agent.as_ref()) {
        Some(Agent::List(list)) => Ok(Crawler::new(list)),
        Some(Agent::Tokens(tokens)) if !tokens.is_empty() => {
            Ok(Crawler::must(tokens.iter().map(|token| ProductToken::new(token)).collect()))
        }
        Some(Agent::Tokens(_)) => Err(place.expected("at least one product token", "an empty list")),
        None => Err(place.expected("`agent` in the case or in its group", "neither")),
    }
}

fn robots(group: &Group, place: Place<'_>) -> Result<Vec<u8>, Error> {
    const EXPECTED: &str = "exactly one of `robots`, `robots_escaped`, `robots_b64` and `robots_parts`";
    let whole = [
        group.robots.as_deref().map(Text::Plain),
        group.robots_escaped.as_deref().map(Text::Escaped),
        group.robots_b64.as_deref().map(Text::Base64),
    ];
    match (&group.robots_parts, only(whole)) {
        (Some(parts), Ok(None)) => joined(parts, place),
        (None, Ok(Some(text))) => text.octets(place),
        (None, Ok(None)) => Err(place.expected(EXPECTED, "none")),
        _ => Err(place.expected(EXPECTED, "several")),
    }
}

fn joined(parts: &[Part], place: Place<'_>) -> Result<Vec<u8>, Error> {
    let mut octets = Vec::new();
    for part in parts {
        let texts = [
            part.text.as_deref().map(Text::Plain),
            part.escaped.as_deref().map(Text::Escaped),
            part.b64.as_deref().map(Text::Base64),
        ];
        let Ok(Some(text)) = only(texts) else {
            return Err(place.expected("one of `text`, `escaped` and `b64` in each part", "none or several"));
        };
        let (part, times) = (text.octets(place)?, part.repeat.unwrap_or(1));
        if octets.len().saturating_add(part.len().saturating_mul(times)) > MAX_ROBOTS {
            return Err(place.expected(format!("a robots.txt of at most {MAX_ROBOTS} octets"), "more"));
        }
        octets.extend(part.repeat(times));
    }
    Ok(octets)
}

fn url(entry: &Entry, place: Place<'_>) -> Result<Vec<u8>, Error> {
    const EXPECTED: &str = "exactly one of `url`, `url_escaped` and `url_b64`";
    let texts = [
        entry.url.as_deref().map(Text::Plain),
        entry.url_escaped.as_deref().map(Text::Escaped),
        entry.url_b64.as_deref().map(Text::Base64),
    ];
    match only(texts) {
        Ok(Some(text)) => text.octets(place),
        Ok(None) => Err(place.expected(EXPECTED, "none")),
        Err(Several) => Err(place.expected(EXPECTED, "several")),
    }
}

/// A text and how it stands for octets.
enum Text<'a> {
    Plain(&'a str),
    Escaped(&'a str),
    Base64(&'a str),
}

impl Text<'_> {
    fn octets(&self, place: Place<'_>) -> Result<Vec<u8>, Error> {
        match *self {
            Text::Plain(text) => Ok(text.as_bytes().to_vec()),
            Text::Escaped(text) => octets::unescape(text).map_err(|escape| {
                place.expected(r"an escape \n, \r, \t, \0, \\ or \xNN", format!("'{escape}'"))
            }),
            Text::Base64(text) => {
                BASE64_STANDARD.decode(text).map_err(|error| place.expected("base64", error.to_string()))
            }
        }
    }
}

struct Several;

fn only<'a>(texts: [Option<Text<'a>>; 3]) -> Result<Option<Text<'a>>, Several> {
    let mut given = texts.into_iter().flatten();
    match (given.next(), given.next()) {
        (first, None) => Ok(first),
        _ => Err(Several),
    }
}
