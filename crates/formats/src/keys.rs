//! What the keys of a line of JSON and the columns of a table mean.
//!
//! The readers of all formats find values by the same [`NAMES`] and make captures of them here.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use robomata_evaluator::{CompressedFormat, Site, SiteResource};
use robomata_protocol::{FetchStatus, has_status_line};

use crate::capture::{Capture, CaptureSite, FetchResult, Origin};
use crate::error::{DuplicateColumn, Kind, quoted};
use crate::json_object::{EMPTY_ARRAY, Value};
use crate::time::{TIME, Timestamp};
use crate::uri;

/// The standard alphabet. Padding is optional, because writers differ.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The names of the keys and columns of a capture, in lower case. Names of several statuses, times or bodies are in the
/// order in which they count.
pub(crate) const NAMES: [&str; 32] = [
    "url",
    "host",
    "location",
    "status",
    "http_status",
    "status_code",
    "statuscode",
    "fetch_status",
    "http_code",
    "response_code",
    "time",
    "timestamp",
    "date",
    "fetched_at",
    "fetch_time",
    "error",
    "error_message",
    "error_msg",
    "errormsg",
    "err",
    "fetch_error",
    "exception",
    "failure",
    "failure_reason",
    "errors",
    "failed",
    "timeout",
    "success",
    "ok",
    "body_b64",
    "body",
    "content",
];

pub(crate) const URL: usize = 0;
pub(crate) const HOST: usize = 1;
const LOCATION: usize = 2;
pub(crate) const STATUSES: Range<usize> = 3..10;
const TIMES: Range<usize> = 10..15;
/// Why the fetch failed, or that it did.
const FAILURES: Range<usize> = 15..26;
/// Whether the fetch took too long. A number is the time that it might take.
const TIMEOUT: usize = 26;
/// Whether the fetch succeeded.
const SUCCESSES: Range<usize> = 27..29;
pub(crate) const BODY_B64: usize = 29;
/// A body as text or bytes. JSON has no `content`.
pub(crate) const BODIES: Range<usize> = 30..32;

/// What comes before `code` in the names of codes that say nothing about a fetch.
const OTHER_CODES: [&str; 25] = [
    "area", "bar", "calling", "category", "char", "charset", "city", "country", "currency", "dialing", "geo",
    "hash", "industry", "iso", "lang", "language", "locale", "phone", "post", "postal", "qr", "region",
    "source", "uni", "zip",
];

/// The index of the column for each of [`NAMES`], in a table with `columns` of these names.
pub(crate) fn places(columns: &[&str]) -> Result<[Option<usize>; NAMES.len()], Kind> {
    let mut places = [None; NAMES.len()];
    for (place, name) in places.iter_mut().zip(NAMES) {
        *place = DuplicateColumn::only_in_any_case(columns, name)?;
    }
    Ok(places)
}

/// Returns whether a key or column of this name may be the status of the fetch, although it is none of [`NAMES`].
pub(crate) fn may_be_status(name: &str) -> bool {
    let mut parts = name.as_bytes().windows("status".len());
    (is_code(name) || parts.any(|part| part.eq_ignore_ascii_case(b"status"))) && !is_status(name)
}

/// Returns whether a key or column of this name may be the status of the fetch, although it is within an object or structure.
pub(crate) fn may_be_inner_status(name: &str) -> bool {
    is_status(name) || is_code(name)
}

fn is_status(name: &str) -> bool {
    NAMES[STATUSES].iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether this is the name of a code that may be the status, such as `reply_code` or `exitCode`. A name that is not
/// known counts, because an error page without a status would open its site.
fn is_code(name: &str) -> bool {
    let before = |name: &[u8], end: &str| {
        let start = name.len().checked_sub(end.len())?;
        name[start..].eq_ignore_ascii_case(end.as_bytes()).then_some(start)
    };
    before(name.as_bytes(), "code").is_some_and(|start| {
        let subject = name[..start].trim_end_matches(|letter: char| !letter.is_alphanumeric());
        !OTHER_CODES.iter().any(|other| before(subject.as_bytes(), other).is_some())
    })
}

/// The columns of a body, for messages.
pub(crate) const TABLE_BODIES: &str = r#""body", "content" or "body_b64""#;

/// A line or row with the values of a capture.
pub(crate) trait Row {
    /// The value of this name, an index of [`NAMES`].
    fn value(&self, name: usize) -> Value<'_>;

    /// The time of this name.
    fn time(&self, name: usize) -> Result<Option<Timestamp>, Kind> {
        time(NAMES[name], &self.value(name))
    }

    /// The bytes of the body of this name, not decoded.
    fn body(&self, name: usize) -> Result<Option<Cow<'_, [u8]>>, Kind>;

    /// A key or column that may be the status, although it has another name.
    fn other_status(&self) -> Option<String>;

    /// Fails if a result of the row would be that of another one, or in part.
    fn check(&self) -> Result<(), Kind> {
        Ok(())
    }

    /// The error for a row without a body.
    fn missing_body(&self) -> Kind;
}

/// What a row says about its site.
pub(crate) struct RowSite {
    /// The site of the capture.
    pub(crate) site: CaptureSite,
    /// See [`Capture::other_host`].
    other_host: Option<Box<str>>,
    /// Whether the URL belongs to a site.
    url: Result<(), Kind>,
}

/// The capture of `site` in `row`, which is at `origin`.
pub(crate) fn capture_of(site: RowSite, row: &impl Row, origin: &Origin) -> Capture {
    let RowSite { site, other_host, url } = site;
    let time = TIMES.into_iter().find_map(|name| row.time(name).transpose()).transpose();
    let result = url.and_then(|()| row.check()).and_then(|()| result(row));
    Capture { other_host, ..Capture::of_row(site, origin, time, result) }
}

fn result(row: &impl Row) -> Result<FetchResult, Kind> {
    let status = |name| status(NAMES[name], &row.value(name)).transpose().map(|status| (name, status));
    let mut statuses = STATUSES.filter_map(status);
    let status = match statuses.next() {
        None => None,
        Some((name, status)) => {
            let status = status?;
            let differs = |other| other != status && !(needs_body(Some(other)) && needs_body(Some(status)));
            if let Some((other, _)) =
                statuses.find(|(_, other)| other.as_ref().is_ok_and(|&other| differs(other)))
            {
                return Err(Kind::TwoStatuses(NAMES[name], NAMES[other]));
            }
            Some(status)
        }
    };
    if status.is_none() {
        if let Some(other) = row.other_status() {
            return Err(Kind::WhichStatus(other));
        }
        for name in FAILURES {
            require_nothing(NAMES[name], &row.value(name))?;
        }
        if is_word(&row.value(TIMEOUT), "true") {
            return Err(row.value(TIMEOUT).unexpected(NAMES[TIMEOUT], "a status, or false"));
        }
        for name in SUCCESSES {
            let value = row.value(name);
            let is_zero =
                matches!(value, Value::Integer(0)) || matches!(value, Value::Float(number) if number == 0.0);
            if is_zero || is_word(&value, "false") || is_word(&value, "0") {
                return Err(value.unexpected(NAMES[name], "a status, or true"));
            }
        }
    }
    let body = required(body(row, status)?, status, || row.missing_body())?;
    let location = row.value(LOCATION).text_at("location", "a URL")?;
    Ok((status, body, location.map(Cow::into_owned)))
}

/// Fails if a row without a status says at `key` why its fetch failed.
fn require_nothing(key: &'static str, value: &Value<'_>) -> Result<(), Kind> {
    /// Texts that programs write for no value.
    const NOTHING: [&str; 7] = ["", "none", "null", "nan", "false", "0", "[]"];
    let is_nothing = match value {
        Value::Absent | Value::Integer(0) | Value::Other("false" | EMPTY_ARRAY) => true,
        Value::Text(text) => NOTHING.iter().any(|nothing| text.trim_ascii().eq_ignore_ascii_case(nothing)),
        Value::Float(number) => *number == 0.0 || number.is_nan(),
        Value::Integer(_) | Value::Other(_) => false,
    };
    if is_nothing { Ok(()) } else { Err(value.unexpected(key, "a status, or null")) }
}

/// Returns whether this is the truth value `word`, or its text.
fn is_word(value: &Value<'_>, word: &str) -> bool {
    match value {
        Value::Text(text) => text.trim_ascii().eq_ignore_ascii_case(word),
        Value::Other(found) => *found == word,
        _ => false,
    }
}

/// The body's bytes. An empty body gives way to the next one. The base64 counts before a text, because the text may have
/// lost bytes. Fails if a fetch with this status has two bodies that differ in more.
fn body(row: &impl Row, status: Option<FetchStatus>) -> Result<Option<Arc<[u8]>>, Kind> {
    let encoded = row.body(BODY_B64)?.map(|encoded| BASE64.decode(encoded.trim_ascii()));
    let mut found: Option<Cow<'_, [u8]>> = encoded.transpose().map_err(Kind::Base64)?.map(Cow::Owned);
    for name in BODIES {
        let is_open = found.as_ref().is_none_or(|found| found.is_empty());
        match (row.body(name), &found) {
            (Ok(Some(body)), _) if is_open => found = Some(body),
            (Err(kind), _) if is_open => return Err(kind),
            (Ok(Some(body)), Some(found)) if needs_body(status) && differ(found, &body) => {
                return Err(Kind::TwoBodies);
            }
            _ => {}
        }
    }
    Ok(found.map(Arc::from))
}

/// Returns whether `text` is not empty, and not the text of the bytes `body`.
fn differ(body: &[u8], text: &[u8]) -> bool {
    !text.is_empty() && text != body && text != String::from_utf8_lossy(body).as_bytes()
}

/// The site of the capture. A URL may be any target of a redirect: see [`require_site`]. An empty one gives way to the
/// host, and so does one that belongs to no site; the capture is then a failure.
pub(crate) fn site(row: &impl Row) -> Result<RowSite, Kind> {
    let of_host = |host, url| RowSite { site: CaptureSite::Host(host), other_host: None, url };
    let url = match row.value(URL).text_at("url", "a URL") {
        Ok(url) => url.unwrap_or_default(),
        Err(kind) => {
            return match host(row) {
                Ok(Some(host)) => Ok(of_host(host, Err(kind))),
                _ => Err(kind),
            };
        }
    };
    let url = url.trim_ascii();
    if uri::authority(url.as_bytes()).is_none() {
        match host(row) {
            Ok(Some(host)) if url.is_empty() => return Ok(of_host(host, Ok(()))),
            Ok(Some(host)) => {
                let kind = Value::Text(url.into()).unexpected("url", SiteResource::EXPECTED);
                return Ok(of_host(host, Err(kind)));
            }
            Err(kind) if url.is_empty() => return Err(kind),
            Ok(None) if row.value(URL) == Value::Absent => {
                return Err(Kind::MissingKey { expected: r#""host" or "url""#, found: String::new() });
            }
            _ => {}
        }
    }
    let site = CaptureSite::Url(url.to_owned());
    let other_host = other_host(row, &site);
    Ok(RowSite { site, other_host, url: Ok(()) })
}

/// The host of the row.
fn host(row: &impl Row) -> Result<Option<String>, Kind> {
    match row.value(HOST).text_at("host", "a host")? {
        Some(host) if host.contains("://") => {
            Err(Value::Text(host).unexpected("host", "a host, not a URL (call it \"url\")"))
        }
        Some(host) if host.trim_ascii().is_empty() => Err(Value::Text(host).unexpected("host", "a host")),
        host => Ok(host.map(|host| host.trim_ascii().to_owned())),
    }
}

/// The host of the row, if the site is not one of its sites.
fn other_host(row: &impl Row, site: &CaptureSite) -> Option<Box<str>> {
    let (Value::Text(host), CaptureSite::Url(url)) = (row.value(HOST), site) else { return None };
    let host = host.trim_ascii();
    let host = host.split_once("://").map_or(host, |(_, rest)| rest.split('/').next().unwrap_or_default());
    let is_same = require_site(site).is_ok() && uri::is_of_host(url.as_bytes(), host);
    (!is_same && Site::both_of_host(host).is_ok()).then(|| host.into())
}

/// Returns whether this may be a site, as opposed to a part of a body, for example.
pub(crate) fn may_be_site(site: &CaptureSite) -> bool {
    match site {
        CaptureSite::Host(host) => uri::may_be_host(host.as_bytes()),
        CaptureSite::Url(url) => uri::authority(url.as_bytes()).is_some_and(uri::may_be_host),
    }
}

/// Fails unless a URL is that of a site, of its `/robots.txt` or of its tdmrep.json.
pub(crate) fn require_site(site: &CaptureSite) -> Result<(), Kind> {
    match site {
        CaptureSite::Url(url) if SiteResource::of_url(url.as_bytes()).is_none() => {
            Err(Value::Text(url.into()).unexpected("url", SiteResource::EXPECTED))
        }
        _ => Ok(()),
    }
}

/// Returns whether a fetch with this status must have a body.
pub(crate) fn needs_body(status: Option<FetchStatus>) -> bool {
    matches!(status, None | Some(FetchStatus::Success | FetchStatus::Code(200..=299)))
}

/// The body of a fetch with this status, empty if it needs none. Fails if it needs one and has none, or a compressed one,
/// and if there is no status and no byte of a body: rows have that of fetches that failed.
fn required(
    body: Option<Arc<[u8]>>,
    status: Option<FetchStatus>,
    missing: impl FnOnce() -> Kind,
) -> Result<Arc<[u8]>, Kind> {
    let compressed = body.as_deref().and_then(CompressedFormat::of);
    match (body, compressed) {
        (None, _) if needs_body(status) => Err(missing()),
        (Some(_), Some(found)) if needs_body(status) => Err(Kind::CompressedBody(found)),
        (Some(body), _) if needs_body(status) && has_status_line(&body) => Err(Kind::BodyWithHead),
        (Some(body), _) if status.is_none() && body.is_empty() => Err(Kind::NoResult),
        (body, _) => Ok(body.unwrap_or_default()),
    }
}

fn status(key: &'static str, value: &Value<'_>) -> Result<Option<FetchStatus>, Kind> {
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
    pub(crate) fn text_at(
        self,
        key: &'static str,
        expected: &'static str,
    ) -> Result<Option<Cow<'a, str>>, Kind> {
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
