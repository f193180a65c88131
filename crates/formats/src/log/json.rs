//! One JSON object per line.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::record::{self, Field, Record};
use super::{LogLine, Malformed};
use crate::urls::as_text;

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(Malformed("a JSON object"));
    }
    // Servers write bytes above 0x7F unchanged. As such, invalid UTF-8 would make the whole line unreadable.
    let text = as_text(line);
    let object: Unique = serde_json::from_str(&text).map_err(|error| {
        Malformed(if error.is_data() { "a JSON object that has each key once" } else { "a JSON object" })
    })?;
    record::read(&Object(object.0))
}

/// A value in which no key of a request is repeated. Other keys may be: some loggers repeat theirs.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Unique)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some((key, Unique(value))) = entries.next_entry::<String, _>()? {
            if values.contains_key(&key) && is_of_request(&key) {
                return Err(de::Error::custom("a key is repeated"));
            }
            values.insert(key, value);
        }
        Ok(values.into())
    }
}

/// Returns whether `key` is that of a field, or of an object on the way to one.
fn is_of_request(key: &str) -> bool {
    let mut names = Field::ALL.into_iter().flat_map(Field::names);
    names.any(|name| *name == key || name.split('.').any(|part| part == key))
}

struct Object(Value);

impl<'l> Record<'l> for Object {
    fn text(&self, field: Field) -> Option<Cow<'l, [u8]>> {
        let found = match field {
            // The key may also be an object that contains other fields.
            Field::Request => self.0.get("request")?.as_str().map(str::to_owned),
            _ => field.names().iter().find_map(|key| text(lookup(&self.0, key)?)),
        };
        let tls = || lookup(&self.0, "request.tls").map(|_| "https".to_owned());
        let found = if field == Field::Scheme { found.or_else(tls) } else { found };
        found.map(|text| Cow::Owned(text.into_bytes()))
    }

    /// Servers that log all header fields leave out those that were not sent.
    fn has_agent(&self) -> bool {
        let mut keys = Field::Agent.names().iter().chain(&["request.headers"]);
        keys.any(|key| lookup(&self.0, key).is_some())
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.is_empty() && text != "-").then(|| text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => text(items.first()?),
        _ => None,
    }
}

/// The value of a key. If there is no such key, dots lead into objects.
fn lookup<'v>(record: &'v Value, key: &str) -> Option<&'v Value> {
    if let Some(value) = record.get(key) {
        return Some(value);
    }
    let (outer, inner) = key.split_once('.')?;
    lookup(record.get(outer)?, inner)
}
