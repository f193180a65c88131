//! Reads the format of life-cycle cases.

use std::collections::HashSet;
use std::path::Path;

use robomata_protocol::FetchStatus;
use robomata_protocol::lifecycle::{
    Attempt, GoodCopy, Header, Hop, Moment, SiteHealth, Situation, Terms, Unreachable,
};
use serde::Deserialize;

use super::{Case, Expect};
use crate::bytes;
use crate::error::{self, Error, Place};
use crate::fields::slug;

/// The time of the attempt, unless a case specifies another: 2026-01-01T00:00:00Z, a Thursday.
const AT: i64 = 1_767_225_600;

/// The requested URL, unless a case specifies another.
const URL: &str = "https://example.com/robots.txt";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// The subject of the cases; for readers only.
    #[serde(rename = "spec")]
    _spec: String,
    /// `lifecycle`, which distinguishes these files from others.
    #[serde(rename = "kind")]
    _kind: Option<String>,
    #[serde(default)]
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    section: String,
    title: String,
    terms: Option<Vec<String>>,
    note: Option<String>,
    #[serde(default)]
    given: Given,
    #[serde(default)]
    case: Vec<Entry>,
}

/// The known facts. A case inherits from its group what it does not specify.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Given {
    url: Option<String>,
    hops: Option<Vec<String>>,
    end: Option<End>,
    headers: Option<Vec<String>>,
    at: Option<i64>,
    failing_since: Option<String>,
    copy: Option<Copy>,
    site: Option<String>,
    unreachable: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Copy {
    at: String,
    #[serde(default)]
    headers: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "a status code, \"success\", \"network-failure\" or \"too-many-redirects\"")]
enum End {
    Code(u16),
    Word(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    terms: Option<Vec<String>>,
    note: Option<String>,
    #[serde(default)]
    given: Given,
    #[serde(default)]
    now: Option<String>,
    expect: String,
    finding: Option<String>,
    ground: Option<String>,
    until: Option<String>,
    refetch: Option<String>,
}

/// Reads the cases of the file at `path`.
///
/// # Errors
/// If the file cannot be read, or does not follow the format.
pub fn load(path: &Path) -> Result<Vec<Case>, Error> {
    parse(&error::stem(path), &error::read(path)?)
}

/// Reads the cases in the text of a file named `file`. A case that holds on several terms is returned once for each,
/// under one id.
///
/// # Errors
/// If the text does not follow the format.
pub fn parse(file: &str, text: &str) -> Result<Vec<Case>, Error> {
    let parsed: File = toml::from_str(text).map_err(|source| Error::toml(file, source))?;
    let mut cases = Vec::new();
    let mut seen = HashSet::new();
    for group in &parsed.group {
        let table = format!("group {} \"{}\"", group.section, group.title);
        let place = Place { file, table: &table };
        if group.case.is_empty() {
            return Err(place.expected("at least one case", "none"));
        }
        for (index, entry) in group.case.iter().enumerate() {
            let table = format!("{table}, case {}", index + 1);
            let place = Place { file, table: &table };
            let id = format!("{file}/{}/{}/{}", group.section, slug(&group.title), index + 1);
            if !seen.insert(id.clone()) {
                return Err(place.duplicate(&id));
            }
            cases.append(&mut group.cases(entry, &id, place)?);
        }
    }
    Ok(cases)
}

impl Group {
    fn cases(&self, entry: &Entry, id: &str, place: Place<'_>) -> Result<Vec<Case>, Error> {
        let given = entry.given.clone().or(&self.given);
        let at = given.at.unwrap_or(AT);
        let time = |text: &str| time(at, text, place);
        let until = match entry.until.as_deref() {
            None => None,
            Some("never") => Some(None),
            Some(text) => Some(Some(time(text)?)),
        };
        let case = Case {
            id: id.to_owned(),
            section: self.section.clone(),
            title: self.title.clone(),
            terms: Terms::default(),
            situation: given.situation(at, place)?,
            now: entry.now.as_deref().map_or(Ok(Moment::from_seconds(at)), time)?,
            expect: Expect {
                applies: entry.expect.clone(),
                finding: entry.finding.clone(),
                ground: entry.ground.clone(),
                until,
                refetch: entry.refetch.as_deref().map(time).transpose()?,
            },
            note: entry.note.as_ref().or(self.note.as_ref()).cloned().unwrap_or_default(),
        };
        let terms = terms(entry.terms.as_ref().or(self.terms.as_ref()), place)?;
        Ok(terms.into_iter().map(|terms| Case { terms, ..case.clone() }).collect())
    }
}

impl Given {
    fn or(self, outer: &Given) -> Given {
        let outer = outer.clone();
        Given {
            url: self.url.or(outer.url),
            hops: self.hops.or(outer.hops),
            end: self.end.or(outer.end),
            headers: self.headers.or(outer.headers),
            at: self.at.or(outer.at),
            failing_since: self.failing_since.or(outer.failing_since),
            copy: self.copy.or(outer.copy),
            site: self.site.or(outer.site),
            unreachable: self.unreachable.or(outer.unreachable),
        }
    }

    fn situation(&self, at: i64, place: Place<'_>) -> Result<Situation, Error> {
        let copy = |copy: &Copy| {
            Ok(GoodCopy { at: time(at, &copy.at, place)?, headers: headers(&copy.headers, place)? })
        };
        let hops = self.hops.iter().flatten().map(|text| hop(text, place)).collect::<Result<_, _>>()?;
        Ok(Situation {
            attempt: Attempt {
                url: escaped(self.url.as_deref().unwrap_or(URL), place)?,
                hops,
                end: end(self.end.as_ref(), place)?,
                headers: headers(self.headers.as_deref().unwrap_or_default(), place)?,
                at: Moment::from_seconds(at),
            },
            failing_since: self.failing_since.as_deref().map(|text| time(at, text, place)).transpose()?,
            good_copy: self.copy.as_ref().map(copy).transpose()?,
            site: site(self.site.as_deref(), place)?,
            unreachable: unreachable(self.unreachable.as_deref(), place)?,
        })
    }
}

fn end(end: Option<&End>, place: Place<'_>) -> Result<FetchStatus, Error> {
    match end {
        Some(End::Code(code)) => Ok(FetchStatus::Code(*code)),
        Some(End::Word(word)) if word == "success" => Ok(FetchStatus::Success),
        Some(End::Word(word)) if word == "network-failure" => Ok(FetchStatus::NetworkFailure),
        Some(End::Word(word)) if word == "too-many-redirects" => Ok(FetchStatus::TooManyRedirects),
        Some(End::Word(word)) => Err(place.expected(
            "a status code, \"success\", \"network-failure\" or \"too-many-redirects\"",
            format!("'{word}'"),
        )),
        None => Err(place.expected("`end` in the case or in its group", "neither")),
    }
}

fn site(word: Option<&str>, place: Place<'_>) -> Result<SiteHealth, Error> {
    match word {
        None | Some("unknown") => Ok(SiteHealth::Unknown),
        Some("available") => Ok(SiteHealth::Available),
        Some("failing") => Ok(SiteHealth::Failing),
        Some(other) => Err(place.expected("unknown, available or failing", format!("'{other}'"))),
    }
}

fn unreachable(word: Option<&str>, place: Place<'_>) -> Result<Unreachable, Error> {
    let Some(word) = word else { return Ok(Unreachable::default()) };
    let found = Unreachable::ALL.into_iter().find(|choice| choice.as_str() == word);
    found.ok_or_else(|| place.expected("last-good or disallow", format!("'{word}'")))
}

fn terms(names: Option<&Vec<String>>, place: Place<'_>) -> Result<Vec<Terms>, Error> {
    let Some(names) = names else { return Ok(Terms::ALL.to_vec()) };
    let find = |name: &String| {
        let found = Terms::ALL.into_iter().find(|terms| terms.as_str() == name);
        found.ok_or_else(|| place.expected("rfc9309, google, koster1996 or yandex", format!("'{name}'")))
    };
    names.iter().map(find).collect()
}

/// `301 https://example.org/robots.txt`, or `301` alone if the Location was not recorded.
fn hop(text: &str, place: Place<'_>) -> Result<Hop, Error> {
    let (status, location) = match text.split_once(' ') {
        Some((status, location)) => (status, Some(escaped(location, place)?)),
        None => (text, None),
    };
    let status = status.parse().map_err(|_| place.expected("a hop's status code", format!("'{status}'")))?;
    Ok(Hop { status, location })
}

/// `Name: value`, the value with the escapes of [`bytes::unescape`].
fn headers(lines: &[String], place: Place<'_>) -> Result<Vec<Header>, Error> {
    let header = |line: &String| {
        let Some((name, value)) = line.split_once(':') else {
            return Err(place.expected("a header field `Name: value`", format!("'{line}'")));
        };
        Ok(Header::new(name, escaped(value, place)?))
    };
    lines.iter().map(header).collect()
}

fn escaped(text: &str, place: Place<'_>) -> Result<Vec<u8>, Error> {
    bytes::unescape(text)
        .map_err(|escape| place.expected(r"an escape \n, \r, \t, \0, \\ or \xNN", format!("'{escape}'")))
}

/// An instant relative to the attempt: signed numbers of `d`, `h`, `m` and `s`, such as `30d -1s`.
fn time(at: i64, text: &str, place: Place<'_>) -> Result<Moment, Error> {
    let wrong = || place.expected("a time relative to the attempt, such as `30d -1s`", format!("'{text}'"));
    let mut seconds = at;
    for part in text.split_whitespace() {
        let unit = part.chars().last().map_or(0, |unit| match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => 0,
        });
        let number: i64 =
            part.get(..part.len() - 1).and_then(|digits| digits.parse().ok()).ok_or_else(wrong)?;
        if unit == 0 {
            return Err(wrong());
        }
        seconds = seconds.saturating_add(number.saturating_mul(unit));
    }
    Ok(Moment::from_seconds(seconds))
}
