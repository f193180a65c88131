//! Reads our TOML format. `corpora/conformance/README.md` describes it.

use std::collections::HashSet;
use std::path::Path;

use robomata_protocol::Dialect;
use serde::Deserialize;

use super::{Case, Expect, Word};
use crate::error::{self, Error, Place};
use crate::fields::{self, Agent, Kind, Part, Status, Text};

/// Files with this name contain expected differences, not cases.
const DIFFERENCES: &str = "expected-differences.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The subject of the cases; for readers only.
    #[serde(rename = "spec")]
    _spec: String,
    #[serde(default)]
    kind: Kind,
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

/// Reads the cases of the file at `path`.
pub fn load(path: &Path) -> Result<Vec<Case>, Error> {
    parse(&error::stem(path), &error::read(path)?)
}

/// Reads the cases of every `.toml` file in `folder`, except expected differences and files of permissions.
pub fn load_folder(folder: &Path) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for path in error::files(folder, ".toml")? {
        if path.file_name().is_some_and(|name| name == DIFFERENCES) {
            continue;
        }
        let (file, text) = (error::stem(&path), error::read(&path)?);
        if Kind::of(&file, &text)? == Kind::Access {
            cases.append(&mut parse(&file, &text)?);
        }
    }
    Ok(cases)
}

/// Reads the cases in the text of a file named `file`, which is the first part of their ids.
///
/// A case that holds in several dialects is returned once for each, under one id.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, Error> {
    let parsed: File = toml::from_str(text).map_err(|source| Error::toml(file, source))?;
    let place = Place { file, table: "the header" };
    if parsed.kind != Kind::Access {
        return Err(place.expected("a file of access cases", "a file of permissions"));
    }
    let defaults = fields::dialects(parsed.dialects.as_deref(), &Dialect::ALL, place)?;
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
        let robots = fields::robots(
            Text::only(group.robots.as_deref(), group.robots_escaped.as_deref(), group.robots_b64.as_deref()),
            group.robots_parts.as_deref(),
            place,
        )?;
        let status = group.status.as_ref().map(|status| status.fetch_status(place)).transpose()?;
        let defaults = fields::dialects(group.dialects.as_deref(), &self.defaults, place)?;
        if group.case.is_empty() {
            return Err(place.expected("at least one case", "none"));
        }
        for (index, entry) in group.case.iter().enumerate() {
            let table = format!("{table}, case {}", index + 1);
            let place = Place { file: self.file, table: &table };
            let case = Case {
                id: entry
                    .id
                    .clone()
                    .unwrap_or_else(|| fields::id(self.file, &group.section, &group.title, index + 1)),
                section: group.section.clone(),
                title: group.title.clone(),
                dialect: Dialect::default(),
                robots: robots.clone(),
                status,
                crawler: fields::crawler(entry.agent.as_ref().or(group.agent.as_ref()), place)?,
                url: fields::url(
                    Text::only(entry.url.as_deref(), entry.url_escaped.as_deref(), entry.url_b64.as_deref()),
                    place,
                )?,
                expect: Expect { word: entry.expect, line: entry.line },
                note: entry.note.as_ref().or(group.note.as_ref()).cloned().unwrap_or_default(),
            };
            self.push(&case, &fields::dialects(entry.dialects.as_deref(), &defaults, place)?, place)?;
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
