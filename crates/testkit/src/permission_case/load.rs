//! Reads the TOML format of permissions. `corpora/conformance/README.md` describes it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use robomata_protocol::{Circumstances, Dialect, License, Moment, Part, Usage};
use serde::Deserialize;

use super::page::PageText;
use super::{Expectations, PermissionCase, ReferencedFile, grammar, moment};
use crate::error::{self, Error, Place};
use crate::fields::{self, Agent, Kind, Status, Text};

/// The site of a file that does not specify one.
const ORIGIN: &str = "http://example.com";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The subject of the cases; for readers only.
    #[serde(rename = "spec")]
    _spec: String,
    kind: Kind,
    dialects: Option<Vec<String>>,
    agent: Option<Agent>,
    origin: Option<String>,
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
    robots_parts: Option<Vec<fields::Part>>,
    status: Option<Status>,
    #[serde(default)]
    referenced: Vec<Referenced>,
    tdmrep: Option<String>,
    tdmrep_escaped: Option<String>,
    page: Option<PageText>,
    origin: Option<String>,
    dialects: Option<Vec<String>>,
    agent: Option<Agent>,
    url: Option<String>,
    note: Option<String>,
    #[serde(default)]
    case: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Referenced {
    locator: String,
    text: Option<String>,
    escaped: Option<String>,
    b64: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    agent: Option<Agent>,
    url: Option<String>,
    url_escaped: Option<String>,
    url_b64: Option<String>,
    tdmrep: Option<String>,
    tdmrep_escaped: Option<String>,
    page: Option<PageText>,
    purpose: Option<String>,
    part: Option<PartOfPage>,
    now: Option<String>,
    first_use: Option<String>,
    last_crawl: Option<String>,
    #[serde(default)]
    expect: BTreeMap<String, String>,
    requests: Option<Vec<String>>,
    time_gates: Option<Vec<String>>,
    mementos: Option<bool>,
    memento: Option<String>,
    licenses: Option<Vec<String>>,
    asides: Option<Vec<String>>,
    pace: Option<Vec<String>>,
    canonical: Option<String>,
    version: Option<String>,
    dialects: Option<Vec<String>>,
    note: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "\"page\", \"rest\" or the place of an element")]
enum PartOfPage {
    Element(u32),
    Word(String),
}

/// Reads the cases of the file at `path`.
pub fn load(path: &Path) -> Result<Vec<PermissionCase>, Error> {
    parse(&error::stem(path), &error::read(path)?)
}

/// Reads the cases of every `.toml` file of permissions in `folder`; skips files of other kinds.
pub fn load_folder(folder: &Path) -> Result<Vec<PermissionCase>, Error> {
    let mut cases = Vec::new();
    for path in error::files(folder, ".toml")? {
        let (file, text) = (error::stem(&path), error::read(&path)?);
        if Kind::of(&file, &text)? == Kind::Permissions {
            cases.append(&mut parse(&file, &text)?);
        }
    }
    Ok(cases)
}

/// Reads the cases in the text of a file named `file`, which is the first part of their ids.
///
/// A case that holds in several dialects is returned once for each, under one id. A case without dialects is checked
/// under `acap`.
pub fn parse(file: &str, text: &str) -> Result<Vec<PermissionCase>, Error> {
    let parsed: File = toml::from_str(text).map_err(|source| Error::toml(file, source))?;
    let place = Place { file, table: "the header" };
    if parsed.kind != Kind::Permissions {
        return Err(place.expected("a file of permissions", "a file of access cases"));
    }
    let dialects = fields::dialects(parsed.dialects.as_deref(), &[Dialect::Acap], place)?;
    let mut reader = Reader { name: file, file: &parsed, dialects, seen: HashSet::new(), cases: Vec::new() };
    for (index, group) in parsed.group.iter().enumerate() {
        reader.group(index + 1, group)?;
    }
    Ok(reader.cases)
}

struct Reader<'a> {
    name: &'a str,
    file: &'a File,
    dialects: Vec<Dialect>,
    seen: HashSet<(String, Dialect)>,
    cases: Vec<PermissionCase>,
}

impl Reader<'_> {
    fn group(&mut self, number: usize, group: &Group) -> Result<(), Error> {
        let table = format!("group {number} ({} \"{}\")", group.section, group.title);
        let place = Place { file: self.name, table: &table };
        let whole =
            Text::only(group.robots.as_deref(), group.robots_escaped.as_deref(), group.robots_b64.as_deref());
        let robots = fields::robots(whole, group.robots_parts.as_deref(), place)?;
        let referenced = referenced(&group.referenced, place)?;
        let status = group.status.as_ref().map(|status| status.fetch_status(place)).transpose()?;
        let inherited = fields::dialects(group.dialects.as_deref(), &self.dialects, place)?;
        if group.case.is_empty() {
            return Err(place.expected("at least one case", "none"));
        }
        for (index, entry) in group.case.iter().enumerate() {
            let table = format!("{table}, case {}", index + 1);
            let place = Place { file: self.name, table: &table };
            let agent = entry.agent.as_ref().or(group.agent.as_ref()).or(self.file.agent.as_ref());
            let page = entry.page.as_ref().or(group.page.as_ref());
            let origin = group.origin.as_deref().or(self.file.origin.as_deref()).unwrap_or(ORIGIN);
            let case = PermissionCase {
                id: fields::id(self.name, &group.section, &group.title, index + 1),
                section: group.section.clone(),
                title: group.title.clone(),
                dialect: Dialect::Acap,
                origin: origin.to_owned(),
                robots: robots.clone(),
                status,
                referenced: referenced.clone(),
                tdmrep: tdmrep(group, entry, place)?,
                page: page.map(|page| page.page(place)).transpose()?,
                crawler: fields::crawler(agent, place)?,
                url: url(group, entry, place)?,
                circumstances: entry.circumstances(place)?,
                expect: entry.expectations(place)?,
                note: entry.note.as_ref().or(group.note.as_ref()).cloned().unwrap_or_default(),
            };
            let dialects = fields::dialects(entry.dialects.as_deref(), &inherited, place)?;
            self.push(&case, &dialects, place)?;
        }
        Ok(())
    }

    fn push(&mut self, case: &PermissionCase, dialects: &[Dialect], place: Place<'_>) -> Result<(), Error> {
        for dialect in dialects {
            if !self.seen.insert((case.id.clone(), *dialect)) {
                return Err(place.duplicate(&case.id));
            }
            self.cases.push(PermissionCase { dialect: *dialect, ..case.clone() });
        }
        Ok(())
    }
}

fn referenced(files: &[Referenced], place: Place<'_>) -> Result<Vec<ReferencedFile>, Error> {
    let read = |file: &Referenced| {
        let text = Text::only(file.text.as_deref(), file.escaped.as_deref(), file.b64.as_deref());
        match text {
            Ok(Some(text)) => Ok(ReferencedFile { locator: file.locator.clone(), bytes: text.bytes(place)? }),
            _ => Err(place
                .expected("one of `text`, `escaped` and `b64` in each referenced file", "none or several")),
        }
    };
    files.iter().map(read).collect()
}

/// The case's tdmrep.json, otherwise the group's.
fn tdmrep(group: &Group, entry: &Entry, place: Place<'_>) -> Result<Option<Vec<u8>>, Error> {
    let one = |plain: &Option<String>, escaped: &Option<String>| match Text::only(
        plain.as_deref(),
        escaped.as_deref(),
        None,
    ) {
        Ok(text) => text.map(|text| text.bytes(place)).transpose(),
        Err(_) => Err(place.expected("one of `tdmrep` and `tdmrep_escaped`", "both")),
    };
    let own = one(&entry.tdmrep, &entry.tdmrep_escaped)?;
    if own.is_some() { Ok(own) } else { one(&group.tdmrep, &group.tdmrep_escaped) }
}

/// The case's URL in one of its three forms, otherwise the group's.
fn url(group: &Group, entry: &Entry, place: Place<'_>) -> Result<Vec<u8>, Error> {
    match Text::only(entry.url.as_deref(), entry.url_escaped.as_deref(), entry.url_b64.as_deref()) {
        Ok(None) => fields::url(Ok(group.url.as_deref().map(Text::Plain)), place),
        text => fields::url(text, place),
    }
}

impl Entry {
    fn circumstances(&self, place: Place<'_>) -> Result<Circumstances, Error> {
        Ok(Circumstances {
            purpose: self.purpose.clone(),
            part: match &self.part {
                None => Part::Page,
                Some(PartOfPage::Element(number)) => Part::Element(*number),
                Some(PartOfPage::Word(word)) if word == "page" => Part::Page,
                Some(PartOfPage::Word(word)) if word == "rest" => Part::Rest,
                Some(PartOfPage::Word(word)) => {
                    return Err(
                        place.expected("\"page\", \"rest\" or the place of an element", format!("'{word}'"))
                    );
                }
            },
            now: time(self.now.as_deref(), place)?,
            first_use: time(self.first_use.as_deref(), place)?,
            last_crawl: time(self.last_crawl.as_deref(), place)?,
        })
    }

    fn expectations(&self, place: Place<'_>) -> Result<Expectations, Error> {
        let memento = self.memento.as_deref().map(grammar::announcement).transpose();
        let expect = Expectations {
            answers: answers(&self.expect, place)?,
            requests: text_at_line(self.requests.as_deref(), place)?,
            time_gates: text_at_line(self.time_gates.as_deref(), place)?,
            announces_mementos: self.mementos,
            memento: memento.map_err(|refused| place.expected(refused.expected, refused.found))?,
            licenses: licenses(self.licenses.as_deref(), place)?,
            asides: self.asides.clone(),
            pace: self.pace.clone(),
            canonical: self.canonical.as_ref().map(|url| url.clone().into_bytes()),
            version: self.version.clone(),
        };
        match expect.count() {
            0 => Err(place.expected("something that is expected", "nothing")),
            _ => Ok(expect),
        }
    }
}

fn answers(
    texts: &BTreeMap<String, String>,
    place: Place<'_>,
) -> Result<Vec<(Usage, super::ExpectedAnswer)>, Error> {
    let mut answers = Vec::new();
    for (name, text) in texts {
        let usage = Usage::ALL.into_iter().find(|usage| usage.as_str() == name);
        let usage = usage.ok_or_else(|| place.expected("the full name of a usage", format!("'{name}'")))?;
        let answer = grammar::answer(text);
        answers.push((usage, answer.map_err(|refused| place.expected(refused.expected, refused.found))?));
    }
    answers.sort_by_key(|(usage, _)| *usage);
    Ok(answers)
}

fn text_at_line(texts: Option<&[String]>, place: Place<'_>) -> Result<Option<Vec<super::TextAtLine>>, Error> {
    let read = |text: &String| grammar::text_at_line(text).map_err(|r| place.expected(r.expected, r.found));
    texts.map(|texts| texts.iter().map(read).collect()).transpose()
}

fn licenses(texts: Option<&[String]>, place: Place<'_>) -> Result<Option<Vec<License>>, Error> {
    let read = |text: &String| grammar::license(text).map_err(|r| place.expected(r.expected, r.found));
    texts.map(|texts| texts.iter().map(read).collect()).transpose()
}

fn time(text: Option<&str>, place: Place<'_>) -> Result<Option<Moment>, Error> {
    let read = |text: &str| {
        moment(text).ok_or_else(|| place.expected("yyyy-mm-dd or a time of RFC 3339", format!("'{text}'")))
    };
    text.map(read).transpose()
}
