//! The requests in a web archive, one line each: `time status method agent URL`, separated by tabs. Only this program
//! writes such lines.

use std::borrow::Cow;

use super::fields::{is_http, number, present};
use super::record::precision;
use super::{Aside, LogEntry, LogLine, Malformed};
use crate::time::Timestamp;
use crate::warc::Exchange;

/// Nanoseconds in a second.
const NANOS: i128 = 1_000_000_000;

/// Appends the line of `exchange` to `out`.
pub(crate) fn write(exchange: &Exchange, out: &mut Vec<u8>) {
    let nanoseconds = i128::from(exchange.time.seconds()) * NANOS + i128::from(exchange.time.nanoseconds());
    out.extend_from_slice(nanoseconds.to_string().as_bytes());
    out.push(b'\t');
    out.extend(exchange.status.iter().flat_map(|status| status.to_string().into_bytes()));
    for text in [&exchange.method, &exchange.agent] {
        out.push(b'\t');
        // In a header field, a tab is equivalent to a space (RFC 9110, section 5.6.3).
        out.extend(text.iter().flatten().map(|&byte| if byte == b'\t' { b' ' } else { byte }));
    }
    out.push(b'\t');
    out.extend_from_slice(&exchange.uri);
    out.push(b'\n');
}

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    const EXPECTED: Malformed = Malformed("a line made from a WARC record");
    let mut columns = line.splitn(5, |&byte| byte == b'\t');
    let mut next = || columns.next().ok_or(EXPECTED);
    let [time, status, method, agent, uri] = [next()?, next()?, next()?, next()?, next()?];
    let nanoseconds = number(time).ok_or(EXPECTED)?;
    let time = Timestamp::from_nanoseconds(nanoseconds).map_err(|_| EXPECTED)?;
    if !is_http(uri) {
        return Ok(LogLine::Aside(Aside::OtherScheme));
    }
    Ok(LogLine::Entry(LogEntry {
        time,
        precision: precision(time),
        client: None,
        host: None,
        scheme: None,
        // The request is not always archived. Archived responses were fetched with GET.
        method: Cow::Borrowed(present(method).unwrap_or(b"GET")),
        target: Cow::Borrowed(uri),
        status: number(status),
        bytes: None,
        agent: present(agent).map(Cow::Borrowed),
        referrer: None,
        has_agent: false,
        refused: false,
    }))
}
