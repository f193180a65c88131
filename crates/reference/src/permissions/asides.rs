//! Fields that say nothing about usages: Crawl-delay, Request-rate, Visit-time, Sitemap, Host, read as row V9 specifies,
//! and the silent records of row V11.

use crate::fields::{Field, Key};
use crate::text::text;

/// The values of the schedules directly below the crawler's name (`spoken`, V1) and of the fields of the file
/// (`fields`), as one text each: the first well-formed schedule of each kind, then sitemaps, hosts and silent records, each in
/// file order.
pub(crate) fn asides(spoken: &[Field], fields: &[Field]) -> Vec<String> {
    let first = |key: Key, read: fn(&str) -> Option<String>| {
        let of_key = spoken.iter().filter(move |field| field.key == key);
        of_key.filter_map(|field| read(std::str::from_utf8(&field.value).ok()?)).next()
    };
    let mut found: Vec<String> = [
        first(Key::CrawlDelay, |value| {
            let (seconds, fraction) = crawl_delay(value)?;
            let point = if fraction.is_empty() { "" } else { "." };
            Some(format!("crawl-delay {seconds}{point}{fraction}"))
        }),
        first(Key::RequestRate, |value| {
            let (requests, seconds, hours) = request_rate(value)?;
            let hours = hours.map_or_else(String::new, |(from, to)| format!(" {from}-{to}"));
            Some(format!("request-rate {requests} in {seconds}{hours}"))
        }),
        first(Key::VisitTime, |value| window(value).map(|(from, to)| format!("visit-time {from}-{to}"))),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (key, name, is_wanted) in
        [(Key::Sitemap, "sitemap", is_http_url as fn(&str) -> bool), (Key::Host, "host", is_host)]
    {
        let of_key = fields.iter().filter(|field| field.key == key);
        let values = of_key.filter_map(|field| std::str::from_utf8(&field.value).ok());
        found.extend(values.filter(|value| is_wanted(value)).map(|value| format!("{name} {value}")));
    }
    for field in fields {
        if let Key::Silent(name) = field.key {
            found.push(format!("{name} {}", text(&field.value)));
        }
    }
    found
}

/// Decimal digits with at most one point, 0 to 86,400 seconds: the whole seconds, and the digits after the point without
/// zeros at their end.
pub(super) fn crawl_delay(value: &str) -> Option<(u32, &str)> {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let seconds: u32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let is_at_most_a_day = seconds < 86_400 || seconds == 86_400 && fraction.is_empty();
    is_at_most_a_day.then_some((seconds, fraction))
}

/// Minutes of the day: the first and the last one.
pub(super) type Window = (u16, u16);

/// `requests/n`, neither zero, with an optional unit and an optional window: requests, seconds, window. At least one
/// request a day.
pub(super) fn request_rate(value: &str) -> Option<(u64, u64, Option<Window>)> {
    let words: Vec<&str> = value.splitn(2, [' ', '\t']).collect();
    let (requests, span) = words[0].split_once('/')?;
    let (amount, unit) = match span.chars().last()?.to_ascii_lowercase() {
        's' => (&span[..span.len() - 1], 1),
        'm' => (&span[..span.len() - 1], 60),
        'h' => (&span[..span.len() - 1], 3600),
        _ => (span, 1),
    };
    let positive = |digits: &str| {
        let number: u64 = if is_digits(digits) { digits.parse().ok()? } else { return None };
        (number > 0).then_some(number)
    };
    let requests = positive(requests).filter(|&requests| requests <= u64::from(u32::MAX))?;
    let seconds =
        if amount.is_empty() && unit_alone(span) { 1 } else { positive(amount)? }.checked_mul(unit)?;
    let rest = words.get(1).map_or("", |rest| rest.trim_matches([' ', '\t']));
    let window = if rest.is_empty() { None } else { Some(window(rest)?) };
    (seconds <= requests * 86_400).then_some((requests, seconds, window))
}

/// "A unit alone is one of it."
fn unit_alone(span: &str) -> bool {
    span.len() == 1
}

/// `HHMM-HHMM` or `HHMM HHMM`.
pub(super) fn window(value: &str) -> Option<Window> {
    let zone = ["UTC", "GMT"].into_iter().find_map(|zone| value.strip_suffix(zone));
    let value = zone.unwrap_or(value).trim_end_matches([' ', '\t']);
    let separator = if value.contains('-') { value.find('-')? } else { value.find([' ', '\t'])? };
    let clock = |text: &str| {
        let text = text.trim_matches([' ', '\t']);
        let digits = match text.len() {
            4 => text.to_owned(),
            5 if text.as_bytes()[2] == b':' => text.replacen(':', "", 1),
            _ => return None,
        };
        if digits.len() != 4 || !is_digits(&digits) {
            return None;
        }
        let (hours, minutes): (u16, u16) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
        (minutes < 60 && hours * 60 + minutes <= 1440).then_some(hours * 60 + minutes)
    };
    let (from, to) = (clock(&value[..separator])?, clock(&value[separator + 1..])?);
    (from < 1440).then_some((from, to))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// An absolute http or https URL (V6).
fn is_http_url(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let rest = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://"));
    let has_authority = rest.and_then(|rest| rest.chars().next()).is_some_and(|first| !"/?#".contains(first));
    has_authority && !value.bytes().any(|byte| byte <= b' ' || byte == 0x7F)
}

/// `[scheme://]host[:port]`, with nothing after it.
fn is_host(value: &str) -> bool {
    let authority = match value.split_once("://") {
        Some((scheme, authority)) => {
            let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
            let begins = scheme.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
            if !begins || !scheme.bytes().all(is_rest) {
                return false;
            }
            authority
        }
        None => value,
    };
    let (host, port) = match authority.find(']') {
        Some(end) => authority.split_at(end + 1),
        None => authority.split_at(authority.rfind(':').unwrap_or(authority.len())),
    };
    let is_port = match port.strip_prefix(':') {
        Some(digits) => is_digits(digits) && digits.parse::<u16>().is_ok(),
        None => port.is_empty(),
    };
    let is_ipv6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok());
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) || byte >= 0x80;
    let is_name = host.bytes().all(is_of_names) && host.bytes().any(|byte| byte != b'.');
    is_port && (is_ipv6 || is_name)
}
