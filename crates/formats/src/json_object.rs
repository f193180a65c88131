//! Reads some keys of a line of JSON, borrowing texts if possible.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// The value of a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value<'a> {
    /// The key is missing, or its value is null.
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Integer(i64),
    Float(f64),
    /// A value of another kind, described in words.
    Other(&'static str),
}

/// The description of an array without items.
pub(crate) const EMPTY_ARRAY: &str = "an empty array";

impl<'a> Value<'a> {
    pub(crate) fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, or the number in a text.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Value::Integer(number) => Some(*number),
            Value::Text(text) => text.trim_ascii().parse().ok(),
            _ => None,
        }
    }
}

/// The values of `keys` in the JSON object `line`.
///
/// # Errors
/// Fails when the line is not a JSON object, and when one of the keys is repeated.
pub(crate) fn values_at<'a, const N: usize>(
    line: &'a [u8],
    keys: [&str; N],
) -> serde_json::Result<[Value<'a>; N]> {
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let values = Keys(keys).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(values)
}

struct Keys<'k, const N: usize>([&'k str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Keys<'_, N> {
    type Value = [Value<'de>; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Keys<'_, N> {
    type Value = [Value<'de>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut values = [const { Value::Absent }; N];
        let mut seen = [false; N];
        while let Some(place) = entries.next_key_seed(Key(&self.0))? {
            match place {
                Some(place) if std::mem::replace(&mut seen[place], true) => {
                    return Err(de::Error::custom(format_args!("duplicate field `{}`", self.0[place])));
                }
                Some(place) => values[place] = entries.next_value()?,
                None => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

/// The index of a key among the requested keys.
#[derive(Clone, Copy)]
struct Key<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|key| *key == text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Value<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Accepts any value. A derived `Option<Cow<str>>` would copy every text.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(i64::try_from(number).map_or(Value::Other("a number out of range"), Value::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'de>, E> {
        Ok(Value::Float(number))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value<'de>, E> {
        Ok(Value::Other(if truth { "true" } else { "false" }))
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Absent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
        let is_empty = items.next_element::<IgnoredAny>()?.is_none();
        while !is_empty && items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other(if is_empty { EMPTY_ARRAY } else { "an array" }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_borrowed_unless_they_have_escapes() {
        let [a, b, c, d] =
            values_at(br#"{"a": "x", "z": [{"a": 1}], "b": "\n", "c": 7, "d": null}"#, ["a", "b", "c", "d"])
                .unwrap();
        assert!(matches!(a, Value::Text(Cow::Borrowed("x"))));
        assert!(matches!(b, Value::Text(Cow::Owned(text)) if text == "\n"));
        assert_eq!((c, d), (Value::Integer(7), Value::Absent));
    }

    #[test]
    fn what_is_no_object_is_an_error() {
        for line in ["", "[]", "\"x\"", "{", "{} x", "{\"a\": }", "{\"a\": null, \"a\": 1}"] {
            assert!(values_at(line.as_bytes(), ["a"]).is_err(), "{line}");
        }
        assert!(values_at(br#"{"a": 1, "b": 2, "b": 3}"#, ["a"]).is_ok());
    }
}
