//! How often and when to visit: `Crawl-delay`, `Request-rate`, `Visit-time` (`crates/PERMISSIONS.md`, V9).

use std::fmt;
use std::time::Duration;

/// A longer delay, also as a rate, is treated as a mistake and has no effect.
const LONGEST_DELAY: Duration = Duration::from_secs(86_400);

const MINUTES_OF_DAY: u16 = 1440;

/// `Request-rate: 1/10m 0900-1700`: requests per span of time, optionally only at some hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RequestRate {
    /// The number of requests; never zero.
    pub requests: u32,
    /// The span of time; never zero. Serialized as `seconds`.
    #[cfg_attr(feature = "serde", serde(rename = "seconds", serialize_with = "seconds"))]
    pub per: Duration,
    /// The hours; any hours if none are given. Serialized as `hours`.
    #[cfg_attr(feature = "serde", serde(rename = "hours"))]
    pub window: Option<DayWindow>,
}

#[cfg(feature = "serde")]
fn seconds<S: serde::Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.as_secs())
}

/// A part of every day, in minutes after midnight UTC. Its last minute belongs to it. It crosses midnight when it ends
/// before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayWindow {
    /// First minute, 0 to 1439.
    pub from: u16,
    /// Last minute, 0 to 1440.
    pub to: u16,
}

impl DayWindow {
    /// Whether the window contains this minute of the day (0 to 1439).
    pub const fn contains(&self, minute: u16) -> bool {
        let DayWindow { from, to } = *self;
        if from <= to { from <= minute && minute <= to } else { from <= minute || minute <= to }
    }
}

impl fmt::Display for DayWindow {
    /// `08:00-13:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DayWindow { from, to } = self;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

#[cfg(feature = "serde")]
robomata_protocol::serialize_as_text!(DayWindow);

/// Seconds with decimals, from zero to a day.
pub(super) fn crawl_delay(value: &str) -> Option<Duration> {
    const DECIMALS: usize = 9;
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    let is_plain = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    if !is_plain || whole.len() + fraction.len() == 0 {
        return None;
    }
    let seconds = whole.trim_start_matches('0');
    let seconds = if seconds.is_empty() { 0 } else { seconds.parse().ok()? };
    let (counted, rest) = fraction.split_at(fraction.len().min(DECIMALS));
    let nanoseconds: u64 = format!("{counted:0<DECIMALS$}").parse().ok()?;
    // A crawler that waits for the rest of a nanosecond, too, waits long enough.
    let is_more = rest.bytes().any(|byte| byte != b'0');
    let delay =
        Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanoseconds + u64::from(is_more)))?;
    (delay <= LONGEST_DELAY).then_some(delay)
}

/// `requests/n`, a unit (`s`, `m`, `h`; seconds when there is none), and an optional window. `1/m` is one request per
/// minute.
pub(super) fn request_rate(value: &str) -> Option<RequestRate> {
    let (rate, window) = value.split_once([' ', '\t']).unwrap_or((value, ""));
    let (requests, span) = rate.split_once('/')?;
    let window = match window.trim_ascii() {
        "" => None,
        window => Some(day_window(window)?),
    };
    let requests = u32::try_from(number(requests)?).ok().filter(|&requests| requests > 0)?;
    let rate = RequestRate { requests, per: time_span(span)?, window };
    (rate.per <= LONGEST_DELAY.saturating_mul(requests)).then_some(rate)
}

fn time_span(span: &str) -> Option<Duration> {
    let (digits, unit) = match span.as_bytes().last()? {
        b's' | b'S' => (&span[..span.len() - 1], 1),
        b'm' | b'M' => (&span[..span.len() - 1], 60),
        b'h' | b'H' => (&span[..span.len() - 1], 3600),
        _ => (span, 1),
    };
    let amount = if digits.is_empty() { 1 } else { number(digits)? };
    let span = Duration::from_secs(amount.checked_mul(unit)?);
    (!span.is_zero()).then_some(span)
}

/// Only decimal digits: `parse` also accepts a sign.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// `HHMM-HHMM` or `HHMM HHMM`, with optional colons, and with optional `UTC` or `GMT` after it.
pub(super) fn day_window(value: &str) -> Option<DayWindow> {
    let value =
        value.strip_suffix("UTC").or_else(|| value.strip_suffix("GMT")).unwrap_or(value).trim_ascii_end();
    let (from, to) = value.split_once('-').or_else(|| value.split_once([' ', '\t']))?;
    let (from, to) = (minute(from.trim_ascii())?, minute(to.trim_ascii())?);
    (from < MINUTES_OF_DAY).then_some(DayWindow { from, to })
}

/// `HHMM` or `HH:MM`, up to 2400.
fn minute(clock: &str) -> Option<u16> {
    let (hours, minutes) = match clock.split_once(':') {
        Some(parts) => parts,
        None => clock.split_at_checked(2)?,
    };
    let two_digits = |part: &str| if part.len() == 2 { number(part) } else { None };
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    let minute = u16::try_from(hours * 60 + minutes).ok()?;
    (minutes < 60 && minute <= MINUTES_OF_DAY).then_some(minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_plain_numbers_of_a_day_at_most() {
        assert_eq!(crawl_delay("2.5"), Some(Duration::from_millis(2500)));
        assert_eq!(crawl_delay(".5"), Some(Duration::from_millis(500)));
        assert_eq!(crawl_delay("0"), Some(Duration::ZERO));
        assert_eq!(crawl_delay("86400"), Some(LONGEST_DELAY));
        assert_eq!(crawl_delay("0.00000000010"), Some(Duration::from_nanos(1)));
        let huge = "9".repeat(400);
        for odd in [
            "",
            "-1",
            "+1",
            "inf",
            "NaN",
            "1e3",
            "ten",
            "5 s",
            "5s",
            ".",
            "1.2.3",
            "86400.1",
            "86400.0000000001",
            &huge,
        ] {
            assert_eq!(crawl_delay(odd), None, "{odd}");
        }
    }

    #[test]
    fn rates_have_units_and_hours() {
        let rate = |requests, seconds, window| {
            Some(RequestRate { requests, per: Duration::from_secs(seconds), window })
        };
        assert_eq!(request_rate("9/30"), rate(9, 30, None));
        assert_eq!(request_rate("1/5s"), rate(1, 5, None));
        assert_eq!(request_rate("100/15m"), rate(100, 900, None));
        assert_eq!(request_rate("2/1H"), rate(2, 3600, None));
        assert_eq!(request_rate("1/m"), rate(1, 60, None));
        let window = |from, to| Some(DayWindow { from, to });
        assert_eq!(request_rate("1/10m 0800-1300"), rate(1, 600, window(480, 780)));
        assert_eq!(request_rate("1/10s  1820 1940 UTC"), rate(1, 10, window(1100, 1180)));
        let odd = ["", "1/0", "1", "/5", "0/5", "+1/5", "1/+5", "1/5x", "1/5 noon", "1/5 0000-0100 x"];
        assert_eq!(request_rate("2/48h"), rate(2, 172_800, None));
        let huge = ["1/999999999999999999h", "4294967296/1", "1/\u{e9}", "1/", "1/25h", "2/172801"];
        for odd in odd.into_iter().chain(huge) {
            assert_eq!(request_rate(odd), None, "{odd}");
        }
    }

    #[test]
    fn hours_may_go_over_midnight() {
        assert_eq!(day_window("0600-0845"), Some(DayWindow { from: 360, to: 525 }));
        assert_eq!(day_window("0600 0845"), Some(DayWindow { from: 360, to: 525 }));
        assert_eq!(day_window("2300-0430 UTC"), Some(DayWindow { from: 1380, to: 270 }));
        assert_eq!(day_window("00:00-24:00"), Some(DayWindow { from: 0, to: 1440 }));
        for odd in
            ["", "2400-0100", "0860-0900", "8-9", "0800", "0800-", "08\u{e9}-0900", "0800-0900-1000", "::-::"]
        {
            assert_eq!(day_window(odd), None, "{odd}");
        }
    }
}
