//! Parses one line of JSON as a capture.
//!
//! Archives have tens of millions of such lines. So texts are borrowed from the line, and only the fields of a capture
//! are copied; the body is decoded directly from its base64.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use memchr::memmem;
use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::capture::{Capture, Origin};
use crate::error::{Kind, listed};
use crate::json_object::Value;
use crate::keys::{self, BODIES, BODY_B64, NAMES, Row, STATUSES};

/// Parses the capture on `line`. If it is not valid JSON, it is a network failure of its site.
///
/// # Errors
/// Fails without a readable site.
pub(crate) fn capture(line: &[u8], origin: &Origin) -> Result<Capture, Kind> {
    let lost = |kind| Err(Kind::LostSite(Box::new(kind)));
    if line.trim_ascii_start().first() != Some(&b'{') {
        return lost(Kind::Json(String::new()));
    }
    let mut record = Record { line, values: [const { None }; NAMES.len()], other_status: None, error: None };
    record.error = record.fill().err();
    match (keys::site(&record), &record.error) {
        (Ok(site), None) => Ok(keys::capture_of(site, &record, origin)),
        (Ok(site), Some(_)) if keys::may_be_site(&site.site) && has_one_site(line) => {
            Ok(keys::capture_of(site, &record, origin))
        }
        (_, Some(error)) => lost(syntax_error(error)),
        (Err(Kind::MissingKey { expected, .. }), None) => {
            Err(Kind::MissingKey { expected, found: found_keys(line) })
        }
        (Err(other), None) => Err(other),
    }
}

/// Returns whether a line that is not valid JSON is one capture, and not parts of several: no key of a site is there
/// twice. Within a text, the quotes of a key would be escaped.
fn has_one_site(line: &[u8]) -> bool {
    [&b"\"host\""[..], b"\"url\""].iter().all(|key| memmem::find_iter(line, key).nth(1).is_none())
}

/// The values of a line.
struct Record<'a> {
    line: &'a [u8],
    /// The value of each of [`NAMES`], and whether its key is in lower case.
    values: [Option<(Value<'a>, bool)>; NAMES.len()],
    /// A key that may be the status, although it has another name.
    other_status: Option<String>,
    /// What is wrong with the line; the values are those before it.
    error: Option<serde_json::Error>,
}

impl Record<'_> {
    /// Reads the values.
    ///
    /// # Errors
    /// Fails when the line is not a JSON object, or has a key twice. The values before the error are read.
    fn fill(&mut self) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(self.line);
        self.deserialize(&mut deserializer)?;
        deserializer.end()
    }
}

impl<'de> DeserializeSeed<'de> for &mut Record<'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Record<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key()? {
            let (name, is_exact) = match key {
                Key::Of { name, is_exact } => (name, is_exact),
                Key::Other(status) => {
                    entries.next_value::<IgnoredAny>()?;
                    self.other_status = self.other_status.take().or(status);
                    continue;
                }
            };
            let value = entries.next_value()?;
            match &self.values[name] {
                Some((_, before)) if *before == is_exact => {
                    self.values[name] = None;
                    return Err(de::Error::duplicate_field(NAMES[name]));
                }
                Some((_, true)) => {}
                _ => self.values[name] = Some((value, is_exact)),
            }
        }
        Ok(())
    }
}

/// A key of a line.
enum Key {
    /// One of [`NAMES`], without case. It is exact if it is in lower case.
    Of { name: usize, is_exact: bool },
    /// Another key; its name if it may be the status.
    Other(Option<String>),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(AnyKey)
    }
}

struct AnyKey;

impl Visitor<'_> for AnyKey {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
        // In tables alone, `content` is a name of the body.
        let name = NAMES[..BODIES.end - 1].iter().position(|name| name.eq_ignore_ascii_case(key));
        Ok(match name {
            Some(name) => Key::Of { name, is_exact: NAMES[name] == key },
            None => Key::Other(keys::may_be_status(key).then(|| key.to_owned())),
        })
    }
}

impl Row for Record<'_> {
    fn value(&self, name: usize) -> Value<'_> {
        self.values[name].as_ref().map_or(Value::Absent, |(value, _)| value.clone())
    }

    fn body(&self, name: usize) -> Result<Option<Cow<'_, [u8]>>, Kind> {
        let expected = if name == BODY_B64 { "base64" } else { "text" };
        match &self.values[name] {
            None | Some((Value::Absent, _)) => Ok(None),
            Some((Value::Text(text), _)) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            Some((other, _)) => Err(other.unexpected(NAMES[name], expected)),
        }
    }

    /// Searches also the objects within the line.
    fn other_status(&self) -> Option<String> {
        let is_outer = |key: &str| {
            STATUSES
                .into_iter()
                .any(|name| self.values[name].is_some() && NAMES[name].eq_ignore_ascii_case(key))
        };
        let is_status = |key: &&str| keys::may_be_inner_status(key) && !is_outer(key);
        let within = || keys_of(self.line).find(is_status).map(|key| format!("….{key}"));
        self.other_status.clone().or_else(within)
    }

    fn check(&self) -> Result<(), Kind> {
        self.error.as_ref().map_or(Ok(()), |error| Err(syntax_error(error)))
    }

    fn missing_body(&self) -> Kind {
        Kind::MissingKey { expected: r#""body" or "body_b64""#, found: found_keys(self.line) }
    }
}

/// The keys of `line` at any depth, as written. Within a text, the quotes of a key would be escaped.
fn keys_of(line: &[u8]) -> impl Iterator<Item = &str> {
    let is_end = |&end: &usize| line[end + 1..].trim_ascii_start().starts_with(b":");
    memchr::memchr_iter(b'"', line).filter(is_end).filter_map(|end| {
        let start = memchr::memrchr(b'"', &line[..end])? + 1;
        std::str::from_utf8(&line[start..end]).ok()
    })
}

/// The keys of the object `line`, for a message about a missing key.
fn found_keys(line: &[u8]) -> String {
    let keys = serde_json::from_slice::<BTreeMap<Cow<'_, str>, IgnoredAny>>(line).unwrap_or_default();
    if keys.is_empty() { String::new() } else { format!(", found {}", listed(keys.keys().map(|key| &**key))) }
}

/// Returns whether `line` ends inside a JSON object.
pub(crate) fn is_cut(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// Converts the parser's error, with the column only: its line is always 1.
pub(crate) fn syntax_error(error: &serde_json::Error) -> Kind {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    let advice = if error.is_eof() { " (jq -c . makes one line of each object)" } else { "" };
    Kind::Json(format!(": {message} at column {}{advice}", error.column()))
}
