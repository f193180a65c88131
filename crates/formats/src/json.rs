//! Parses one line of JSON as a capture.
//!
//! Archives have tens of millions of such lines. So texts are borrowed from the line, and only the fields of a capture
//! are copied; the body is decoded directly from its base64.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use robomata_protocol::FetchStatus;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::capture::{Capture, CaptureSite, FetchResult, Origin};
use crate::error::{Kind, listed, quoted};
use crate::json_object::Value;
use crate::time::{TIME, Timestamp};
use crate::uri;

/// The standard alphabet. Padding is optional, because writers differ.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The keys of a capture, with values of any type, so that an error can show what was found.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Record<'a> {
    #[serde(borrow)]
    host: Value<'a>,
    #[serde(borrow)]
    url: Value<'a>,
    #[serde(borrow)]
    body: Value<'a>,
    #[serde(borrow)]
    body_b64: Value<'a>,
    #[serde(borrow, deserialize_with = "present")]
    status: Option<Value<'a>>,
    #[serde(borrow, deserialize_with = "present")]
    http_status: Option<Value<'a>>,
    #[serde(borrow)]
    location: Value<'a>,
    #[serde(borrow)]
    time: Value<'a>,
    #[serde(borrow)]
    timestamp: Value<'a>,
    #[serde(borrow)]
    date: Value<'a>,
    #[serde(borrow)]
    fetched_at: Value<'a>,
    #[serde(borrow)]
    fetch_time: Value<'a>,
}

/// The value of a key that is there; null is [`Value::Absent`].
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value<'de>>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Columns for the status of a fetch; the first one with a value counts.
pub(crate) const STATUS_KEYS: [&str; 3] = ["status", "http_status", "fetch_status"];

/// Columns for a body as text or bytes; the first one with a value counts.
pub(crate) const BODY_KEYS: [&str; 2] = ["body", "content"];

/// Keys and columns for the time of a fetch; the first one with a value counts.
pub(crate) const TIME_KEYS: [&str; 5] = ["time", "timestamp", "date", "fetched_at", "fetch_time"];

/// Parses the capture on `line`.
pub(crate) fn capture(line: &[u8], origin: &Origin) -> Result<Capture, Kind> {
    // The deserializer would also accept an array of the fields in order, which no writer intends.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(Kind::Json(String::new()));
    }
    let record: Record<'_> = serde_json::from_slice(line).map_err(|error| syntax_error(&error))?;
    let named = |kind| match kind {
        Kind::MissingKey { expected, .. } => Kind::MissingKey { expected, found: found_keys(line) },
        other => other,
    };
    let Record { url, host, .. } = &record;
    let site = site(url.clone(), host.clone()).map_err(named)?;
    let time = time_of(&record);
    Ok(Capture::of_row(site, origin, time, result_of(record).map_err(named)))
}

/// The keys of the object `line`, for a message about a missing key.
fn found_keys(line: &[u8]) -> String {
    let keys = serde_json::from_slice::<BTreeMap<Cow<'_, str>, IgnoredAny>>(line).unwrap_or_default();
    if keys.is_empty() { String::new() } else { format!(", found {}", listed(keys.keys().map(|key| &**key))) }
}

fn time_of(record: &Record<'_>) -> Result<Option<Timestamp>, Kind> {
    let Record { time, timestamp, date, fetched_at, fetch_time, .. } = record;
    let times = TIME_KEYS.into_iter().zip([time, timestamp, date, fetched_at, fetch_time]);
    let first = times.into_iter().find(|(_, value)| **value != Value::Absent);
    first.map_or(Ok(None), |(key, value)| self::time(key, value))
}

fn result_of(record: Record<'_>) -> Result<FetchResult, Kind> {
    let has_status = record.status.is_some() || record.http_status.is_some();
    let status = status("status", &record.status.unwrap_or_default())
        .transpose()
        .or_else(|| status("http_status", &record.http_status.unwrap_or_default()).transpose())
        .transpose()?;
    let body = body(record.body_b64, record.body)?;
    let body = required(body, has_status, status, || missing_key(r#""body" or "body_b64""#))?;
    Ok((status, body, location(record.location)?))
}

fn missing_key(expected: &'static str) -> Kind {
    Kind::MissingKey { expected, found: String::new() }
}

/// Returns whether `line` ends inside a JSON object.
pub(crate) fn is_cut(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// Converts the parser's error, with the column only: its line is always 1.
pub(crate) fn syntax_error(error: &serde_json::Error) -> Kind {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    Kind::Json(format!(": {message} at column {}", error.column()))
}

/// The site of the capture. A URL may be any target of a redirect: see [`require_site`].
pub(crate) fn site(url: Value<'_>, host: Value<'_>) -> Result<CaptureSite, Kind> {
    if let Some(url) = url.text_at("url", "a URL")? {
        return Ok(CaptureSite::Url(url.trim_ascii().to_owned()));
    }
    match host.text_at("host", "a host")? {
        Some(host) => Ok(CaptureSite::Host(named("host", "a host", host)?)),
        None => Err(missing_key(r#""host" or "url""#)),
    }
}

/// Fails unless a URL is that of a site, of its `/robots.txt` or of its tdmrep.json.
pub(crate) fn require_site(site: &CaptureSite) -> Result<(), Kind> {
    match site {
        CaptureSite::Url(url) if uri::place(url.as_bytes()).is_none() => {
            const EXPECTED: &str = "the URL of a site, of its /robots.txt or of its /.well-known/tdmrep.json";
            Err(Value::Text(url.into()).unexpected("url", EXPECTED))
        }
        _ => Ok(()),
    }
}

/// The redirect target of a response, as written.
pub(crate) fn location(value: Value<'_>) -> Result<Option<String>, Kind> {
    Ok(value.text_at("location", "a URL")?.map(Cow::into_owned))
}

fn named(key: &'static str, expected: &'static str, text: Cow<'_, str>) -> Result<String, Kind> {
    if text.trim_ascii().is_empty() {
        return Err(Value::Text(text).unexpected(key, expected));
    }
    Ok(text.into_owned())
}

/// The body's bytes. If both are present, `body_b64` counts, because the text may have lost bytes.
fn body(encoded: Value<'_>, text: Value<'_>) -> Result<Option<Arc<[u8]>>, Kind> {
    if let Some(encoded) = encoded.text_at("body_b64", "base64")? {
        let mut bytes = Vec::with_capacity(base64::decoded_len_estimate(encoded.len()));
        BASE64.decode_vec(encoded.as_bytes(), &mut bytes).map_err(Kind::Base64)?;
        return Ok(Some(bytes.into()));
    }
    Ok(text.text_at("body", "text")?.map(|text| text.as_bytes().into()))
}

/// Returns whether a fetch with this status must have a body.
pub(crate) fn needs_body(status: Option<FetchStatus>) -> bool {
    matches!(status, None | Some(FetchStatus::Success | FetchStatus::Code(200..=299)))
}

/// The body of a fetch with this status, empty if it needs none. Fails if it needs one and has none, and if there is a place
/// for the status, but no status and no byte of a body: tables have that of fetches that failed.
pub(crate) fn required(
    body: Option<Arc<[u8]>>,
    has_status: bool,
    status: Option<FetchStatus>,
    missing: impl FnOnce() -> Kind,
) -> Result<Arc<[u8]>, Kind> {
    match body {
        None if needs_body(status) => Err(missing()),
        Some(body) if has_status && status.is_none() && body.is_empty() => Err(Kind::NoResult),
        body => Ok(body.unwrap_or_default()),
    }
}

pub(crate) fn status(key: &'static str, value: &Value<'_>) -> Result<Option<FetchStatus>, Kind> {
    let number = match value {
        Value::Absent => return Ok(None),
        Value::Text(text) if text.trim_ascii().is_empty() => return Ok(None),
        Value::Text(text) if text == "success" => return Ok(Some(FetchStatus::Success)),
        Value::Text(text) if text == "too-many-redirects" => return Ok(Some(FetchStatus::TooManyRedirects)),
        Value::Text(text) => text.trim_ascii().parse().ok(),
        Value::Integer(number) => Some(*number),
        Value::Float(number) => whole(*number),
        Value::Other(_) => None,
    };
    let status = number.and_then(|number| match number {
        ..=0 => Some(FetchStatus::NetworkFailure),
        code => u16::try_from(code).ok().and_then(FetchStatus::of_code),
    });
    match status {
        Some(status) => Ok(Some(status)),
        None => Err(value.unexpected(key, "an HTTP status, \"success\" or null")),
    }
}

/// The integer in a float such as `200.0`, which tools write when a column has gaps.
fn whole(number: f64) -> Option<i64> {
    let small = number.fract() == 0.0 && number.abs() <= f64::from(u16::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    small.then_some(number as i64)
}

pub(crate) fn time(key: &'static str, value: &Value<'_>) -> Result<Option<Timestamp>, Kind> {
    let time = match value {
        Value::Absent => return Ok(None),
        Value::Text(text) => text.parse().ok(),
        Value::Integer(number) => Timestamp::from_number(*number).ok(),
        Value::Float(number) => Timestamp::from_float(*number).ok(),
        Value::Other(_) => None,
    };
    match time {
        Some(time) => Ok(Some(time)),
        None => Err(value.unexpected(key, TIME)),
    }
}

impl<'a> Value<'a> {
    /// The text; none if absent.
    fn text_at(self, key: &'static str, expected: &'static str) -> Result<Option<Cow<'a, str>>, Kind> {
        match self {
            Value::Absent => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(other.unexpected(key, expected)),
        }
    }

    pub(crate) fn unexpected(&self, key: &'static str, expected: &'static str) -> Kind {
        let found = match self {
            Value::Absent => "nothing".to_owned(),
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Other(what) => (*what).to_owned(),
        };
        Kind::Value { key, expected, found }
    }
}
