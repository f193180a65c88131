//! Heritrix's crawl.log: `time status bytes URL path via type thread begin+duration digest source annotations`.

use std::borrow::Cow;

use super::fields::{is_http, number, present, time, word};
use super::{Aside, LogEntry, LogLine, Malformed, Precision};
use crate::time::Timestamp;

/// The status of a URL that the robots.txt disallows.
const PRECLUDED: i32 = -9998;

/// Returns whether Heritrix has sent nothing for a URL with this status: it was not tried, or too deep, or its host, its
/// robots.txt or another prerequisite was missing, or an operator or a rule of the crawl forbade it.
fn is_unsent(status: i32) -> bool {
    let of_operators = matches!(status, -4002..=-4000 | -5004..=-5000 | -6000 | -7000);
    of_operators || matches!(status, 0 | -1 | -6 | -7 | -50 | -63..=-60)
}

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    let field = |rest, expected| word(rest).ok_or(Malformed(expected));
    let (logged, rest) = field(line, "a time at the start")?;
    let logged = time(logged, "a time at the start, 2016-03-31T14:35:35.634Z")?;
    let (status, rest) = field(rest, "a status after the time")?;
    let status: i32 = number(status).ok_or(Malformed("a number for the status"))?;
    let (bytes, rest) = field(rest, "the bytes after the status")?;
    let bytes = match present(bytes) {
        Some(digits) => Some(number(digits).ok_or(Malformed("a number for the bytes"))?),
        None => None,
    };
    let (url, rest) = field(rest, "a URL after the bytes")?;
    let (_path, rest) = field(rest, "a discovery path after the URL")?;
    let (via, rest) = field(rest, "the referring URL after the discovery path")?;
    let begin = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).nth(2);
    if !is_http(url) {
        return Ok(LogLine::Aside(Aside::OtherScheme));
    }
    if is_unsent(status) {
        return Ok(LogLine::Aside(Aside::OtherMessage));
    }
    Ok(LogLine::Entry(LogEntry {
        time: begin.and_then(begin_of_fetch).unwrap_or(logged),
        precision: Precision::Milliseconds,
        client: None,
        host: None,
        scheme: None,
        // The log records no method. A crawl consists of GET requests, except for submitted forms.
        method: Cow::Borrowed(b"GET"),
        target: Cow::Borrowed(url),
        status: Some(status),
        bytes,
        agent: None,
        referrer: present(via).map(Cow::Borrowed),
        has_agent: false,
        refused: status == PRECLUDED,
    }))
}

/// The start of the fetch in `20160331143536323+981`: 17 digits, of which the last three are milliseconds.
fn begin_of_fetch(field: &[u8]) -> Option<Timestamp> {
    let digits = field.split(|&byte| byte == b'+').next()?;
    if digits.len() != 17 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let seconds = Timestamp::from_number(number(&digits[..14])?).ok()?.seconds();
    let milliseconds: i64 = number(&digits[14..])?;
    Timestamp::from_milliseconds(seconds * 1000 + milliseconds).ok()
}
