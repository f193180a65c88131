//! TimeGates and Mementos (M1 to M5).

use robomata_protocol::{Access, Crawler, Dialect, Reason};

use super::answer::is_robots_txt;
use super::locator::{self, Location};
use super::reading::Reading;
use super::statement::Address;
use crate::decide;
use crate::fields::{Field, Key};
use crate::normal::{self, Pattern, Symbol};
use crate::text::{is_ws, text};

/// M1 to M4: the TimeGates for `url`, with the line of each and of its first `Archived` that matches.
pub(crate) fn time_gates(fields: &[Field], url: &[u8], origin: Option<&[u8]>) -> Vec<(String, u32, u32)> {
    let mut gates: Vec<(String, u32, u32)> = Vec::new();
    let mut open: Option<&Field> = None;
    for field in fields {
        match field.key {
            // A void TimeGate also opens a set, so that the following fields belong to no other set.
            Key::TimeGate => open = is_time_gate(&field.value).then_some(field),
            Key::Archived => {
                let Some(gate) = open else {
                    continue;
                };
                let is_listed = gates.iter().any(|&(_, line, _)| line == gate.line);
                if !is_listed && is_archived(&field.value, url, origin) {
                    gates.push((text(&gate.value), gate.line, field.line));
                }
            }
            _ => {}
        }
    }
    gates
}

/// M2: an absolute http(s) URL, or a path.
fn is_time_gate(value: &[u8]) -> bool {
    (value.first() == Some(&b'/') && locator::is_one_word(value)) || locator::is_web_url(value)
}

/// M3 and M4: returns whether an `Archived` value covers the URL.
fn is_archived(value: &[u8], url: &[u8], origin: Option<&[u8]>) -> bool {
    if value.iter().any(|&byte| is_ws(byte)) {
        return false;
    }
    if let Some(b'/' | b'*') = value.first() {
        let patterns = normal::patterns(value, Dialect::Rfc9309);
        return is_of_site(url, origin) && normal::do_any_match(&patterns, &locator::normal_path(url));
    }
    let Some(patterns) = uri_patterns(value) else {
        return false;
    };
    uri(url, origin).is_some_and(|uri| normal::do_any_match(&patterns, &uri))
}

/// M4: a path pattern covers URLs of the file's site, and paths alone.
fn is_of_site(url: &[u8], origin: Option<&[u8]>) -> bool {
    match (Location::new(url, None).site(), origin.and_then(locator::site)) {
        (Some(its), Some(own)) => its == own,
        _ => true,
    }
}

/// M3: a prefix of absolute URIs as a pattern.
fn uri_patterns(value: &[u8]) -> Option<Vec<Pattern>> {
    let (body, end) = match value.strip_suffix(b"$") {
        Some(body) => (body, &b"$"[..]),
        None => (value, &b""[..]),
    };
    let url = locator::absolute(body)?;
    let scheme = url.scheme.to_ascii_lowercase();
    let authority = if url.authority.contains(&b'*') {
        url.authority.to_ascii_lowercase()
    } else {
        authority(&scheme, url.authority)
    };
    let is_cut = url.authority.ends_with(b"*") && url.rest.is_empty();
    let path = if is_cut { Vec::new() } else { rooted(url.rest) };
    let written = [&scheme, &b"://"[..], &authority, &path, end].concat();
    Some(normal::patterns(&written, Dialect::Rfc9309))
}

/// M3: the URL in the form for comparison with patterns, or `None` if its site is not known.
fn uri(url: &[u8], origin: Option<&[u8]>) -> Option<Vec<Symbol>> {
    let (site, path) = match locator::absolute(url) {
        Some(absolute) => {
            let path = absolute.rest.to_vec();
            (absolute, path)
        }
        None if url.first() == Some(&b'/') => (locator::absolute(origin?)?, url.to_vec()),
        None => return None,
    };
    let path = &path[..path.iter().position(|&byte| byte == b'#').unwrap_or(path.len())];
    let scheme = site.scheme.to_ascii_lowercase();
    let authority = authority(&scheme, site.authority);
    let written = [&scheme, &b"://"[..], &authority, &rooted(path)].concat();
    Some(normal::target(&written, Dialect::Rfc9309))
}

/// Replaces an empty path by `/`.
fn rooted(path: &[u8]) -> Vec<u8> {
    if path.first() == Some(&b'/') { path.to_vec() } else { [b"/", path].concat() }
}

/// M3: an authority without userinfo, default port and empty port.
fn authority(scheme: &[u8], written: &[u8]) -> Vec<u8> {
    let lower = written.to_ascii_lowercase();
    let host_start = lower.iter().rposition(|&byte| byte == b'@').map_or(0, |at| at + 1);
    let default_port = [b":", locator::default_port(scheme).unwrap_or_default()].concat();
    let host = &lower[host_start..];
    let empty_port = || host.strip_suffix(b":");
    host.strip_suffix(&default_port[..]).or_else(empty_port).unwrap_or(host).to_vec()
}

/// M5: returns whether the file announces Mementos.
pub(crate) fn announces_any(reading: &Reading) -> bool {
    reading.spoken.address == Address::Named && reading.spoken.fields.iter().any(is_announcement)
}

/// M5: the line that announces the URL as a Memento to crawlers that keep Memento-Datetime sticky.
pub(crate) fn announced_by(reading: &Reading, target: &[Symbol]) -> Option<u32> {
    // U3 decides about /robots.txt; no rule does.
    if reading.spoken.address != Address::Named || is_robots_txt(target, reading.dialect) {
        return None;
    }
    let verdict = decide::verdict(&reading.rules(), target, reading.dialect);
    let is_stated = |field: &Field| field.line == verdict.line && is_announcement(field);
    let is_announced = verdict.reason == Reason::Rule
        && verdict.access == Access::Allow
        && reading.spoken.fields.iter().any(is_stated);
    is_announced.then_some(verdict.line)
}

fn is_announcement(field: &Field) -> bool {
    field.key == Key::Rule(Access::Allow) && !field.value.is_empty()
}

/// M5: the token that such crawlers use.
pub(crate) fn crawler() -> Crawler {
    Crawler::new("memento")
}
