//! Requests with named parts: the keys of JSON lines, the columns of TSV and Parquet. The documentation of the parent
//! module contains the table of names.

use std::borrow::Cow;

use robomata_protocol::SplitUrl;

use super::fields::{self, common_time, is_http, number};
use super::{Aside, LogEntry, LogLine, Malformed, Precision};
use crate::error::DuplicateColumn;
use crate::time::Timestamp;

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Time,
    Client,
    Scheme,
    Host,
    Port,
    HostPort,
    Method,
    Target,
    Url,
    Path,
    Query,
    Request,
    Status,
    Bytes,
    Agent,
    Referrer,
}

impl Field {
    pub(crate) const ALL: [Field; 16] = [
        Field::Time,
        Field::Client,
        Field::Scheme,
        Field::Host,
        Field::Port,
        Field::HostPort,
        Field::Method,
        Field::Target,
        Field::Url,
        Field::Path,
        Field::Query,
        Field::Request,
        Field::Status,
        Field::Bytes,
        Field::Agent,
        Field::Referrer,
    ];

    /// The names of the field; the first one present counts.
    pub(super) const fn names(self) -> &'static [&'static str] {
        match self {
            Field::Time => &[
                // Traefik's `time` is that of the end of the response.
                "StartUTC",
                "ts",
                "time",
                "timestamp",
                "@timestamp",
                "time_iso8601",
                "time_local",
                "msec",
                FETCH_TIME,
                "warc_date",
                "date",
            ],
            Field::Client => &[
                "remote_addr",
                "request.remote_ip",
                "request.client_ip",
                "ClientHost",
                "remote_ip",
                "client_ip",
                "clientip",
                "client",
            ],
            Field::Scheme => &["scheme", "RequestScheme", "x_forwarded_proto", "url_protocol"],
            Field::Host => &[
                "request.host",
                "RequestAddr",
                "RequestHost",
                "http_host",
                "host",
                "vhost",
                "server_name",
                "url_host_name",
            ],
            Field::Port => &["port", "url_port"],
            Field::HostPort => &["RequestPort"],
            Field::Method => &["request.method", "RequestMethod", "request_method", "method", "verb"],
            Field::Target => &["request.uri", "RequestPath", "request_uri"],
            Field::Url => &["uri", "url"],
            Field::Path => &["path", "url_path"],
            Field::Query => &["query", "query_string", "args", "url_query"],
            Field::Request => &["request"],
            Field::Status => {
                &["status", "DownstreamStatus", "status_code", "response", "http_status", "fetch_status"]
            }
            Field::Bytes => &["body_bytes_sent", "size", "DownstreamContentSize", "bytes_sent", "bytes"],
            Field::Agent => &[
                "http_user_agent",
                "request.headers.User-Agent",
                "request_User-Agent",
                "user_agent",
                "User-Agent",
                "agent",
                "ua",
            ],
            Field::Referrer => {
                &["http_referer", "request.headers.Referer", "request_Referer", "referer", "referrer"]
            }
        }
    }
}

/// The name of the time in Common Crawl's columnar index, whose rows are sorted by URL.
const FETCH_TIME: &str = "fetch_time";

/// A record of a log.
pub(crate) trait Record<'l> {
    /// The value of `field`; none if it is absent, empty or `-`.
    fn text(&self, field: Field) -> Option<Cow<'l, [u8]>>;

    /// Returns whether the record has a place for the User-Agent, perhaps an empty one.
    fn has_agent(&self) -> bool;

    /// The time of the request; none if absent.
    fn time(&self) -> Option<Result<Timestamp, Malformed>> {
        self.text(Field::Time).map(|text| time(&text))
    }

    /// Returns whether the record has a place for a path. If so, a missing path means the root.
    fn has_path(&self) -> bool {
        false
    }
}

/// Parses the request of `record`.
pub(crate) fn read<'l>(record: &impl Record<'l>) -> Result<LogLine<'l>, Malformed> {
    let time = record.time().unwrap_or(Err(Malformed(NO_TIME)))?;
    let (method, target) = match request(record)? {
        Ok(request) => request,
        Err(aside) => return Ok(LogLine::Aside(aside)),
    };
    let parsed = |field| record.text(field).map(Cow::into_owned);
    Ok(LogLine::Entry(LogEntry {
        time,
        precision: precision(time),
        client: record.text(Field::Client),
        host: host(record)?,
        scheme: record.text(Field::Scheme),
        method,
        target,
        status: parsed(Field::Status).and_then(|status| number(&status)),
        bytes: parsed(Field::Bytes).and_then(|bytes| number(&bytes)),
        agent: record.text(Field::Agent),
        has_agent: record.has_agent(),
        referrer: record.text(Field::Referrer),
        refused: false,
    }))
}

/// The expectation for a record without a time.
const NO_TIME: &str = "a time, in \"ts\", \"time\", \"timestamp\" or similar";

/// The precision of `time`. A whole second is hardly ever written with a fraction.
pub(super) fn precision(time: Timestamp) -> Precision {
    if time.nanoseconds() > 0 { Precision::Milliseconds } else { Precision::Seconds }
}

/// The method and the target, from separate fields or from a request line. In an index, which has no method, the method
/// is GET.
///
/// The request line counts before `uri` and `path`: servers normalize those, and change them when they redirect within
/// themselves. An absolute URL is no such `uri`.
fn request<'l>(record: &impl Record<'l>) -> Result<Result<fields::Request<'l>, Aside>, Malformed> {
    let method = record.text(Field::Method);
    let of_method = |target| (method.clone().unwrap_or(Cow::Borrowed(b"GET")), target);
    if let (Some(_), Some(target)) = (&method, record.text(Field::Target)) {
        return Ok(Ok(of_method(target)));
    }
    let line = record.text(Field::Request);
    if let Some(line) = line.as_ref().filter(|line| is_target(line)) {
        return Ok(Ok(of_method(line.clone())));
    }
    let of_line = line.map(|line| (request_of(line.clone()), line));
    let url = record.text(Field::Target).or_else(|| target(record));
    match of_line {
        Some((Ok((method, _)), _)) if url.as_deref().is_some_and(is_http) => {
            Ok(Ok((method, url.unwrap_or_default())))
        }
        Some((Ok(request), _)) => Ok(Ok(request)),
        Some((Err(aside), line)) if method.is_none() || url.is_none() => {
            if is_no_request(&line) {
                Ok(Err(aside))
            } else {
                Err(Malformed(REQUEST))
            }
        }
        _ => {
            let url =
                url.ok_or(Malformed("a target, in \"url\", \"uri\", \"path\" or similar, or a request"))?;
            match method {
                None if has_other_scheme(&url) => Ok(Err(Aside::OtherScheme)),
                None if !is_target(&url) => {
                    Err(Malformed("a target that begins with /, http:// or https://"))
                }
                _ => Ok(Ok(of_method(url))),
            }
        }
    }
}

/// The expectation for a request that is neither a line nor a target.
const REQUEST: &str = "a request such as \"GET /x HTTP/1.1\", or a target that begins with /, http:// or https://, in \"request\"";

fn request_of(line: Cow<'_, [u8]>) -> Result<fields::Request<'_>, Aside> {
    match line {
        Cow::Borrowed(line) => fields::request(line),
        Cow::Owned(line) => fields::request(&line)
            .map(|(method, target)| (Cow::Owned(method.into_owned()), Cow::Owned(target.into_owned()))),
    }
}

/// Returns whether `text` is a target without a method.
fn is_target(text: &[u8]) -> bool {
    text.starts_with(b"/") || is_http(text)
}

/// Returns whether a client has sent no HTTP request, but nothing, or other bytes such as a TLS handshake. A line with a space
/// has been tried as a request line.
fn is_no_request(line: &[u8]) -> bool {
    let is_other = |byte: &u8| !matches!(byte, b'!'..=b'~');
    matches!(line, b"" | b"-") || line.iter().any(is_other) || memchr::memmem::find(line, b"\\x").is_some()
}

/// Returns whether `url` has a scheme other than http and https. A host with a port has none.
fn has_other_scheme(url: &[u8]) -> bool {
    // A name with dots is that of a host.
    let Some(scheme) = SplitUrl::scheme_of(url).filter(|scheme| !scheme.contains(&b'.')) else {
        return false;
    };
    let port = url[scheme.len() + 1..].split(|&byte| byte == b'/').next().unwrap_or_default();
    let is_port = port.iter().all(u8::is_ascii_digit) && !port.is_empty();
    !is_port && !is_http(url)
}

fn target<'l>(record: &impl Record<'l>) -> Option<Cow<'l, [u8]>> {
    let url = record.text(Field::Url);
    if url.as_ref().is_some_and(|url| !url.starts_with(b"/")) {
        return url;
    }
    // A server's `uri` has no query if that has a field of its own.
    let path = match url.or_else(|| record.text(Field::Path)) {
        Some(path) => path,
        None if record.has_path() && record.text(Field::Host).is_some() => Cow::Borrowed(&b"/"[..]),
        None => return None,
    };
    let is_whole = path.starts_with(b"/") || is_http(&path);
    let path = if is_whole { path } else { Cow::Owned([b"/", &*path].concat()) };
    match record.text(Field::Query).filter(|_| !path.contains(&b'?')) {
        Some(query) => {
            let query = query.strip_prefix(b"?").unwrap_or(&query);
            Some(Cow::Owned([&*path, b"?", query].concat()))
        }
        None => Some(path),
    }
}

/// The host. The port belongs to it only if the URL's other parts have separate fields as well. Otherwise it may be
/// another port.
fn host<'l>(record: &impl Record<'l>) -> Result<Option<Cow<'l, [u8]>>, Malformed> {
    let Some(host) = record.text(Field::Host) else { return Ok(None) };
    let has_parts = [Field::Target, Field::Url].iter().all(|&field| record.text(field).is_none());
    // Java reports -1 for a URL without a port.
    let port = record.text(Field::Port).filter(|port| has_parts && **port != *b"-1");
    let port = record.text(Field::HostPort).or(port);
    let Some(port) = port.filter(|_| !has_port(&host)) else { return Ok(Some(host)) };
    let port: u16 = number(&port).ok_or(Malformed("a number up to 65535 for the port"))?;
    Ok(Some(Cow::Owned([&*host, b":", port.to_string().as_bytes()].concat())))
}

/// Returns whether the host ends with a port. The colons of an IPv6 address are in brackets.
fn has_port(host: &[u8]) -> bool {
    let name_end = memchr::memrchr(b']', host).unwrap_or(0);
    host[name_end..].contains(&b':')
}

/// Parses the time in `text`: as a [`Timestamp`], in Common's format, or as milliseconds since 1970 (as in JavaScript).
pub(crate) fn time(text: &[u8]) -> Result<Timestamp, Malformed> {
    let expected = Malformed(
        "a time as ISO 8601, seconds since 1970 or [17/May/2015:10:05:03 +0000], of the years 1994 to 2200",
    );
    let text = std::str::from_utf8(text).map_err(|_| expected)?;
    if let Some(time) = common_time(text.trim_matches(['[', ']']).as_bytes()) {
        return Ok(time);
    }
    // From September 2001 on: 13 digits. Twelve may be `YYYYMMDDhhmm`.
    let is_plausible = |milliseconds: &i64| *milliseconds >= 1_000_000_000_000;
    let milliseconds = |text: &str| {
        let milliseconds = text.parse().ok().filter(is_plausible)?;
        Timestamp::from_milliseconds(milliseconds).and_then(Timestamp::in_range).ok()
    };
    text.parse().or_else(|_| milliseconds(text).ok_or(expected))
}

/// The positions of fields in records with named columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The columns of each field, counted from 0, in order of precedence.
    places: [Vec<usize>; Field::ALL.len()],
    /// Whether the time is that of an index, which is sorted by URL.
    pub(crate) is_index: bool,
}

impl Columns {
    /// Finds the columns by `names`, ignoring case. None if there is no time, or no request target.
    ///
    /// # Errors
    /// Fails when a name that counts is there twice.
    pub(crate) fn of_names(names: &[&str]) -> Result<Option<Self>, DuplicateColumn> {
        let names: Vec<&str> = names.iter().map(|name| name.trim_ascii()).collect();
        let has_name = |wanted: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        let has = |field: Field| field.names().iter().any(has_name);
        if !has(Field::Time) || ![Field::Target, Field::Url, Field::Path, Field::Request].into_iter().any(has)
        {
            return Ok(None);
        }
        let mut columns = Columns::default();
        for field in Field::ALL {
            for name in field.names() {
                columns.places[field as usize].extend(DuplicateColumn::only_in_any_case(&names, name)?);
            }
        }
        let fetch_time = DuplicateColumn::only_in_any_case(&names, FETCH_TIME)?;
        columns.is_index = columns.of(Field::Time).first() == fetch_time.as_ref();
        Ok(Some(columns))
    }

    /// The columns of `field`, in order of precedence.
    pub(crate) fn of(&self, field: Field) -> &[usize] {
        &self.places[field as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_log_is_a_time_of_our_centuries() {
        let seconds = |text: &str| time(text.as_bytes()).ok().map(Timestamp::seconds);
        for text in ["1563876900", "1563876900000", "20190723101500", "1563876900.0"] {
            assert_eq!(seconds(text), Some(1_563_876_900), "{text}");
        }
        // YYYYMMDDhhmm is neither the year 8383 nor 1976.
        for text in
            ["202401010000", "99999999999", "7289654400000", "99999999999999", "-1", "0.35", "757382399"]
        {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
