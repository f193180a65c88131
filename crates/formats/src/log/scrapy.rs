//! Scrapy's log: `2024-01-01 00:00:00 [logger] LEVEL: message`.

use std::borrow::Cow;

use super::fields::{is_http, number, time};
use super::{Aside, LogEntry, LogLine, Malformed, Precision};

pub(super) fn read(line: &[u8]) -> Result<LogLine<'_>, Malformed> {
    let Some(message) = message(line) else {
        // Messages of several lines, mostly tracebacks and the final statistics, are not errors in the log.
        return Ok(LogLine::Aside(Aside::OtherMessage));
    };
    let Some(logged_request) = logged_request(message.text) else {
        return Ok(LogLine::Aside(Aside::OtherMessage));
    };
    if !is_http(logged_request.url) {
        return Ok(LogLine::Aside(Aside::OtherScheme));
    }
    let expected = "a time at the start, 2024-01-01 00:00:00";
    // A comma separates fractions, as in Python's logging.
    let clock = message.clock.split(|&byte| byte == b',').next().unwrap_or_default();
    Ok(LogLine::Entry(LogEntry {
        time: time(clock, expected)?,
        precision: Precision::Seconds,
        client: None,
        host: None,
        scheme: None,
        method: Cow::Borrowed(logged_request.method),
        target: Cow::Borrowed(logged_request.url),
        status: logged_request.status,
        bytes: None,
        agent: None,
        referrer: logged_request.referrer.map(Cow::Borrowed),
        has_agent: false,
        refused: logged_request.refused,
    }))
}

/// Returns whether `line` begins a message of Scrapy.
pub(super) fn is_message(line: &[u8]) -> bool {
    message(line).is_some_and(|message| message.logger.starts_with(b"scrapy."))
}

struct Message<'l> {
    clock: &'l [u8],
    logger: &'l [u8],
    text: &'l [u8],
}

fn message(line: &[u8]) -> Option<Message<'_>> {
    let [y, _, _, _, b'-', _, _, b'-', _, _, b' ', _, _, b':', ..] = line else { return None };
    let open = memchr::memmem::find(line, b" [")?;
    let close = open + memchr::memmem::find(&line[open..], b"] ")?;
    let level_and_text = &line[close + 2..];
    let colon = memchr::memmem::find(level_and_text, b": ")?;
    let is_level = level_and_text[..colon].iter().all(u8::is_ascii_uppercase);
    (y.is_ascii_digit() && is_level).then(|| Message {
        clock: &line[..open],
        logger: &line[open + 2..close],
        text: &level_and_text[colon + 2..],
    })
}

/// A request in a message.
struct LoggedRequest<'l> {
    method: &'l [u8],
    url: &'l [u8],
    status: Option<i32>,
    referrer: Option<&'l [u8]>,
    refused: bool,
}

fn logged_request(text: &[u8]) -> Option<LoggedRequest<'_>> {
    if let Some(rest) = text.strip_prefix(b"Crawled (") {
        let (status, rest) = status(rest)?;
        let (method, url, rest) = request(rest)?;
        // The flags of the response follow the referrer. Nothing was sent for a page of Scrapy's own cache.
        let flags = memchr::memmem::rfind(rest, b") [").map(|at| &rest[at..]);
        if flags.is_some_and(|flags| memchr::memmem::find(flags, b"'cached'").is_some()) {
            return None;
        }
        let referrer = rest.trim_ascii_start().strip_prefix(b"(referer: ");
        let referrer = referrer.and_then(|rest| Some(&rest[..memchr::memchr(b')', rest)?]));
        let referrer = referrer.filter(|&referrer| referrer != b"None");
        return Some(LoggedRequest { method, url, status, referrer, refused: false });
    }
    if let Some(rest) = text.strip_prefix(b"Forbidden by robots.txt: ") {
        let (method, url, _) = request(rest)?;
        return Some(LoggedRequest { method, url, status: None, referrer: None, refused: true });
    }
    if let Some(rest) = text.strip_prefix(b"Redirecting (") {
        // The request is the one that was redirected. The target has a message of its own.
        let (status, rest) = status(rest)?;
        let from = memchr::memmem::rfind(rest, b" from <")?;
        let (method, url, _) = request(&rest[from + " from ".len()..])?;
        return Some(LoggedRequest { method, url, status, referrer: None, refused: false });
    }
    let rest = text.strip_prefix(b"Retrying ")?;
    let (method, url, rest) = request(rest)?;
    let reason = memchr::memmem::find(rest, b"): ").map(|at| &rest[at + 3..]);
    let status = reason.and_then(|reason| number(reason.get(..3)?));
    Some(LoggedRequest { method, url, status, referrer: None, refused: false })
}

/// Parses `200) ` or, for a redirect by a page, `meta refresh) `.
fn status(rest: &[u8]) -> Option<(Option<i32>, &[u8])> {
    let close = memchr::memchr(b')', rest)?;
    Some((number(&rest[..close]), &rest[close + 1..]))
}

/// Parses `<GET https://example.com/>`, and returns it with the text after it.
fn request(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let inner = text.trim_ascii_start().strip_prefix(b"<")?;
    let space = memchr::memchr(b' ', inner)?;
    let close = space + memchr::memchr(b'>', &inner[space..])?;
    Some((&inner[..space], &inner[space + 1..close], &inner[close + 1..]))
}
