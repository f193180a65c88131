//! One JSON object per line.

use std::borrow::Cow;

use serde_json::Value;

use super::record::{self, Field, Record};
use super::{LogLine, Malformed};
use crate::urls::as_text;

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(Malformed("a JSON object"));
    }
    // Servers write bytes above 0x7F unchanged. As such, invalid UTF-8 would make the whole line unreadable.
    let text = as_text(line);
    let object: Value = serde_json::from_str(&text).map_err(|_| Malformed("a JSON object"))?;
    record::read(&Object(object))
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
