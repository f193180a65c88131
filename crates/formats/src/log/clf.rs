//! The formats Common and Combined, with or without a virtual host.

use super::fields::{self, common_time, number, present, quoted, unescaped, word};
use super::{LogEntry, LogLine, Malformed, Precision};
use crate::time::Timestamp;

/// The fields of a line in addition to Common's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The virtual host, before the client.
    pub(super) vhost: bool,
    /// Referrer and user agent, after the bytes.
    pub(super) agent: bool,
}

/// `[vhost] client ident user [time] "request" status bytes ["referrer" "user agent" ...]`
pub(super) fn read(line: &[u8], layout: Layout) -> Result<LogLine<'_>, Malformed> {
    let (before, time, rest) = around_time(line)?;
    let (host, client) = clients(before, layout)?;
    let (request, rest) = quoted(rest).ok_or(Malformed(NO_REQUEST))?;
    let (status, rest) = word(rest).ok_or(Malformed("a status after the request"))?;
    let status = match present(status) {
        Some(digits) => Some(number(digits).ok_or(Malformed("a number for the status"))?),
        None => None,
    };
    let (bytes, rest) = word(rest).ok_or(Malformed("the bytes sent after the status"))?;
    let bytes = match present(bytes) {
        Some(digits) => Some(number(digits).ok_or(Malformed("a number for the bytes sent"))?),
        None => None,
    };
    let (referrer, agent) = if layout.agent { visitors(rest)? } else { (None, None) };
    let (method, target) = match fields::request(request) {
        Ok(request) => request,
        Err(aside) => return Ok(LogLine::Aside(aside)),
    };
    Ok(LogLine::Entry(LogEntry {
        time,
        precision: Precision::Seconds,
        client: present(client).map(unescaped),
        host: host.map(unescaped),
        scheme: None,
        method,
        target,
        status,
        bytes,
        agent: agent.map(unescaped),
        referrer: referrer.map(unescaped),
        has_agent: layout.agent,
        refused: false,
    }))
}

/// Splits a line at the first time in brackets before a quote: the text before it, the time, and the text after it. A user's
/// name may look like a time, but servers escape the quotes in it.
fn around_time(line: &[u8]) -> Result<(&[u8], Timestamp, &[u8]), Malformed> {
    /// Maximum number of brackets to try: an IPv6 address and a user's name may contain some.
    const BRACKETS: usize = 8;
    let mut error = Malformed("a time in brackets, [17/May/2015:10:05:03 +0000]");
    for open in memchr::memchr_iter(b'[', line).take(BRACKETS) {
        let inner = &line[open + 1..];
        let Some(close) = memchr::memchr(b']', &inner[..inner.len().min(40)]) else { continue };
        if let Some(time) = common_time(&inner[..close]) {
            let rest = inner[close + 1..].trim_ascii_start();
            if rest.starts_with(b"\"") {
                return Ok((line[..open].trim_ascii(), time, rest));
            }
            error = Malformed(NO_REQUEST);
        }
    }
    Err(error)
}

/// The expectation for a line without a request.
const NO_REQUEST: &str = "a request in quotes after the time";

/// Parses virtual host and client. A user's name may contain spaces, so the ident field, which is almost always `-`,
/// distinguishes the layouts. lighttpd writes the virtual host in its place.
fn clients(before: &[u8], layout: Layout) -> Result<(Option<&[u8]>, &[u8]), Malformed> {
    let words: Vec<&[u8]> = before.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).collect();
    match (layout.vhost, &words[..]) {
        (false, [client, host, _]) if is_host(host) => Ok((Some(host), client)),
        (false, [client, _, _] | [client, b"-", ..]) if words.len() >= 3 => Ok((None, client)),
        (true, [host, client, _, _, ..]) if *client != b"-" => Ok((present(host), client)),
        (false, _) => Err(Malformed("client, ident and user before the time")),
        (true, _) => Err(Malformed("virtual host, client, ident and user before the time")),
    }
}

/// Returns whether a word is a name with dots, perhaps with a port. An address would be that of another client.
fn is_host(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    let last = word.iter().rposition(|&byte| byte == b'.').map(|dot| &word[dot + 1..]);
    last.is_some_and(|last| last.iter().any(u8::is_ascii_alphabetic)) && word.iter().all(is_part)
}

/// Referrer and user agent; either may be absent.
type Visitors<'l> = (Option<&'l [u8]>, Option<&'l [u8]>);

fn visitors(rest: &[u8]) -> Result<Visitors<'_>, Malformed> {
    let expected = Malformed("referrer and user agent in quotes after the bytes");
    let (referrer, rest) = quoted(rest.trim_ascii_start()).ok_or(expected)?;
    let (agent, _) = quoted(rest.trim_ascii_start()).ok_or(expected)?;
    Ok((present(referrer), present(agent)))
}
