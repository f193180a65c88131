//! What a web archive tells of requests, a line for each: `time status method agent URL`, tabs between them. Nobody but
//! this program writes such lines.

use std::borrow::Cow;

use super::fields::{is_http, number, present};
use super::record::precision;
use super::{Aside, LogEntry, LogLine, Malformed};
use crate::time::Timestamp;
use crate::warc::Exchange;

/// Nanoseconds of a second.
const NANOS: i128 = 1_000_000_000;

/// Appends the line of `exchange` to `out`.
pub(crate) fn write(exchange: &Exchange, out: &mut Vec<u8>) {
    let nanoseconds = i128::from(exchange.time.seconds()) * NANOS + i128::from(exchange.time.nanoseconds());
    out.extend_from_slice(nanoseconds.to_string().as_bytes());
    out.push(b'\t');
    out.extend(exchange.status.iter().flat_map(|status| status.to_string().into_bytes()));
    for text in [&exchange.method, &exchange.agent] {
        out.push(b'\t');
        // White space is white space in a header field (RFC 9110, section 5.6.3).
        out.extend(text.iter().flatten().map(|&byte| if byte == b'\t' { b' ' } else { byte }));
    }
    out.push(b'\t');
    out.extend_from_slice(&exchange.uri);
    out.push(b'\n');
}

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    const EXPECTED: Malformed = Malformed("what was made of a record of a web archive");
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
        // What was asked is not always kept, but what archives keep was got.
        method: Cow::Borrowed(present(method).unwrap_or(b"GET")),
        target: Cow::Borrowed(uri),
        status: number(status),
        bytes: None,
        agent: present(agent).map(Cow::Borrowed),
        referrer: None,
        refused: false,
    }))
}
