//! A JSON object a line. The table of keys is in the documentation of the module above.

use std::borrow::Cow;

use serde_json::Value;

use super::fields::{self, common_time};
use super::{Aside, LogEntry, LogLine, Malformed, Precision};
use crate::time::Timestamp;

const TIME: &[&str] =
    &["ts", "time", "timestamp", "@timestamp", "StartUTC", "time_iso8601", "time_local", "msec", "date"];
const CLIENT: &[&str] = &[
    "remote_addr",
    "request.remote_ip",
    "request.client_ip",
    "ClientHost",
    "remote_ip",
    "client_ip",
    "clientip",
    "client",
];
const HOST: &[&str] = &["request.host", "RequestHost", "http_host", "host", "vhost", "server_name"];
const SCHEME: &[&str] = &["scheme", "RequestScheme", "x_forwarded_proto"];
const METHOD: &[&str] = &["request.method", "RequestMethod", "request_method", "method", "verb"];
const TARGET: &[&str] = &["request.uri", "RequestPath", "request_uri", "uri", "url", "path"];
const STATUS: &[&str] = &["status", "DownstreamStatus", "status_code", "response"];
const OCTETS: &[&str] = &["body_bytes_sent", "size", "DownstreamContentSize", "bytes_sent", "bytes"];
const AGENT: &[&str] =
    &["http_user_agent", "request.headers.User-Agent", "request_User-Agent", "user_agent", "agent", "ua"];
const REFERRER: &[&str] =
    &["http_referer", "request.headers.Referer", "request_Referer", "referer", "referrer"];

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(Malformed("a JSON object"));
    }
    // Servers write octets above 0x7F as they come; what is no UTF-8 would make the whole line unreadable.
    let text = String::from_utf8_lossy(line);
    let record: Value = serde_json::from_str(&text).map_err(|_| Malformed("a JSON object"))?;
    let time = time(&record)?;
    let (method, target) = match request(&record) {
        Some(Ok(request)) => request,
        Some(Err(aside)) => return Ok(LogLine::Aside(aside)),
        None => return Err(Malformed("a method and a target, or a request")),
    };
    let tls = lookup(&record, "request.tls").is_some().then(|| "https".to_owned());
    Ok(LogLine::Entry(LogEntry {
        time,
        precision: if time.nanoseconds() > 0 { Precision::Milliseconds } else { Precision::Seconds },
        client: octets(text_of(&record, CLIENT)),
        host: octets(text_of(&record, HOST)),
        scheme: octets(text_of(&record, SCHEME).or(tls)),
        method,
        target,
        status: text_of(&record, STATUS).and_then(|status| status.parse().ok()),
        octets: text_of(&record, OCTETS).and_then(|octets| octets.parse().ok()),
        agent: octets(text_of(&record, AGENT)),
        referrer: octets(text_of(&record, REFERRER)),
        refused: false,
    }))
}

/// Method and target, from keys of their own or out of a request line.
type Request = fields::Request<'static>;

fn request(record: &Value) -> Option<Result<Request, Aside>> {
    if let (Some(method), Some(target)) = (text_of(record, METHOD), text_of(record, TARGET)) {
        return Some(Ok((Cow::Owned(method.into_bytes()), Cow::Owned(target.into_bytes()))));
    }
    let line = record.get("request")?.as_str()?;
    let owned = |(method, target): fields::Request<'_>| {
        (Cow::Owned(method.into_owned()), Cow::Owned(target.into_owned()))
    };
    Some(fields::request(line.as_bytes()).map(owned))
}

fn time(record: &Value) -> Result<Timestamp, Malformed> {
    let text =
        text_of(record, TIME).ok_or(Malformed("a time, in \"ts\", \"time\", \"timestamp\" or alike"))?;
    let expected = Malformed("a time as ISO 8601, seconds since 1970 or [17/May/2015:10:05:03 +0000]");
    if let Some(time) = common_time(text.trim_matches(['[', ']']).as_bytes()) {
        return Ok(time);
    }
    let time: Timestamp = text.parse().or_else(|_| milliseconds(&text).ok_or(expected))?;
    Ok(time)
}

/// Milliseconds since 1970, as JavaScript counts.
fn milliseconds(text: &str) -> Option<Timestamp> {
    Timestamp::from_milliseconds(text.parse().ok()?).ok()
}

/// The text at the first of `keys` that has one.
fn text_of(record: &Value, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| text(lookup(record, key)?))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.is_empty() && text != "-").then(|| text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => text(items.first()?),
        _ => None,
    }
}

/// The value at a key; where no key is called so, dots lead into objects.
fn lookup<'v>(record: &'v Value, key: &str) -> Option<&'v Value> {
    if let Some(value) = record.get(key) {
        return Some(value);
    }
    let (outer, inner) = key.split_once('.')?;
    lookup(record.get(outer)?, inner)
}

fn octets(text: Option<String>) -> Option<Cow<'static, [u8]>> {
    text.map(|text| Cow::Owned(text.into_bytes()))
}
