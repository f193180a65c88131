//! The parts of log lines: quoted fields with escapes, request lines, numbers, dates.

use std::borrow::Cow;

use super::{Aside, Malformed};
use crate::time::Timestamp;

/// Splits `text` into its leading quoted field, with escapes, and the text after the closing quote.
///
/// A quote belongs to the field unless a space or the end follows it, because some servers do not escape quotes.
pub(super) fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = text.strip_prefix(b"\"")?;
    let mut from = 0;
    loop {
        let at = from + memchr::memchr2(b'"', b'\\', &inner[from..])?;
        if inner[at] == b'\\' {
            from = (at + 2).min(inner.len());
        } else if matches!(inner.get(at + 1), None | Some(b' ' | b'\t')) {
            return Some((&inner[..at], &inner[at + 1..]));
        } else {
            from = at + 1;
        }
    }
}

/// Decodes the escapes of Apache (`\"`, `\\`, `\n`, `\xhh`) and nginx (`\xhh`). Any other backslash stands for itself.
pub(super) fn unescaped(field: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', field).is_none() {
        return Cow::Borrowed(field);
    }
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [byte, tail @ ..] = rest {
        let (byte, tail) = if *byte == b'\\' { escape(tail) } else { (*byte, tail) };
        bytes.push(byte);
        rest = tail;
    }
    Cow::Owned(bytes)
}

/// Decodes the escape in front of `tail`. Returns the byte and the text after the escape.
fn escape(tail: &[u8]) -> (u8, &[u8]) {
    let hex = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match tail {
        [quoted @ (b'"' | b'\\'), rest @ ..] => (*quoted, rest),
        [b'n', rest @ ..] => (b'\n', rest),
        [b'r', rest @ ..] => (b'\r', rest),
        [b't', rest @ ..] => (b'\t', rest),
        [b'x', high, low, rest @ ..] => match (hex(*high), hex(*low)) {
            (Some(high), Some(low)) => (high << 4 | low, rest),
            _ => (b'\\', tail),
        },
        _ => (b'\\', tail),
    }
}

/// The field; none if it is `-` or empty.
pub(crate) fn present(field: &[u8]) -> Option<&[u8]> {
    (!field.is_empty() && field != b"-").then_some(field)
}

/// The method and the target of a request.
pub(super) type Request<'l> = (Cow<'l, [u8]>, Cow<'l, [u8]>);

/// Parses the method and the target of a request line and decodes escapes. The version may be missing.
pub(super) fn request(line: &[u8]) -> Result<Request<'_>, Aside> {
    let space = memchr::memchr(b' ', line).ok_or(Aside::NoRequest)?;
    let (method, rest) = (&line[..space], &line[space + 1..]);
    let is_token = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
    if method.is_empty() || method.len() > 32 || !method.iter().all(is_token) {
        return Err(Aside::NoRequest);
    }
    let target = match memchr::memmem::rfind(rest, b" HTTP/") {
        Some(end) => &rest[..end],
        None => rest,
    };
    let target = target.trim_ascii();
    if target.is_empty() {
        return Err(Aside::NoRequest);
    }
    Ok((Cow::Borrowed(method), unescaped(target)))
}

/// Parses a decimal number.
pub(super) fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Splits `text` after its first word, at white space.
pub(super) fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Parses the time of the Common format without its brackets: `17/May/2015:10:05:03 +0200`.
pub(super) fn common_time(text: &[u8]) -> Option<Timestamp> {
    const MONTHS: &[u8; 36] = b"janfebmaraprmayjunjulaugsepoctnovdec";
    let [d1, d2, b'/', m1, m2, m3, b'/', y1, y2, y3, y4, b':', h1, h2, b':', i1, i2, b':', s1, s2, zone @ ..] =
        text
    else {
        return None;
    };
    let name = [m1, m2, m3].map(u8::to_ascii_lowercase);
    let month = MONTHS.chunks_exact(3).position(|month| month == name)?;
    let clock = [
        digits(&[*y1, *y2, *y3, *y4])?,
        i16::try_from(month + 1).ok()?,
        digits(&[*d1, *d2])?,
        digits(&[*h1, *h2])?,
        digits(&[*i1, *i2])?,
        digits(&[*s1, *s2])?,
    ];
    Timestamp::from_clock(clock, 0, zone_offset(zone.trim_ascii())?).ok()
}

/// Parses an offset such as `+0200` to seconds ahead of UTC, of less than a day. An empty offset means UTC.
fn zone_offset(zone: &[u8]) -> Option<i64> {
    let (sign, hhmm) = match zone {
        [] | [b'Z'] => return Some(0),
        [b'+', hhmm @ ..] => (1, hhmm),
        [b'-', hhmm @ ..] => (-1, hhmm),
        _ => return None,
    };
    let (hours, minutes) = hhmm.split_at_checked(2)?;
    let minutes = minutes.strip_prefix(b":").unwrap_or(minutes);
    let [hours, minutes] = [hours, minutes].map(|text| digits(text).map(i64::from));
    let (hours, minutes) = (hours.filter(|hours| *hours < 24)?, minutes.filter(|minutes| *minutes < 60)?);
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Parses a number of two or four digits.
pub(super) fn digits(text: &[u8]) -> Option<i16> {
    let is_number = matches!(text.len(), 2 | 4) && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| text.iter().fold(0, |sum, digit| sum * 10 + i16::from(digit - b'0')))
}

/// Parses `text` as a [`Timestamp`].
pub(super) fn time(text: &[u8], expected: &'static str) -> Result<Timestamp, Malformed> {
    let text = std::str::from_utf8(text).map_err(|_| Malformed(expected))?;
    text.parse().map_err(|_| Malformed(expected))
}

/// Returns whether `url` has the scheme http or https.
pub(crate) fn is_http(url: &[u8]) -> bool {
    let begins =
        |scheme: &[u8]| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    begins(b"http://") || begins(b"https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_less_than_a_day() {
        let seconds = |zone: &str| {
            common_time(format!("17/May/2015:10:05:03 {zone}").as_bytes()).map(Timestamp::seconds)
        };
        let utc = seconds("+0000").unwrap();
        assert_eq!([seconds("+0200"), seconds("-23:59")], [utc - 7_200, utc + 86_340].map(Some));
        let at = |clock: &str| common_time(clock.as_bytes()).map(Timestamp::seconds);
        assert_eq!(at("17/May/2015:10:05:60 +0000"), at("17/May/2015:10:05:59 +0000"));
        let refused =
            ["17/May/2015:10:05:61", "17/May/2015:10:05:99", "01/Jan/1969:00:00:00", "01/Jan/2201:00:00:00"];
        assert_eq!(refused.map(at), [None; 4]);
        for zone in ["+2400", "+9900", "-9959", "+0060", "+02"] {
            assert_eq!(seconds(zone), None, "{zone}");
        }
    }
}
