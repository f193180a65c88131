//! How fast a crawler may fetch, and when (`crates/DIALECTS.md`, W1 to W8), decided minute by minute.

use robomata_protocol::Moment;

use super::asides::{Window, crawl_delay, request_rate, window};
use crate::fields::{Field, Key};

/// A delay that the file asks for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    milliseconds: u64,
    /// Of equal delays, a crawl-delay comes before a rate.
    is_rate: bool,
    line: u32,
    hours: Option<Window>,
}

/// What the schedules directly below the crawler's name (`spoken`, V1) amount to at `now`, or over the day: `delay
/// SECONDS by KEY on LINE`, with its hours in minutes of the day, and `opens in SECONDS` if the file has a visit time and
/// the instant is known.
pub(crate) fn pace(spoken: &[Field], now: Option<Moment>) -> Vec<String> {
    let values = |key: Key| {
        let of_key = spoken.iter().filter(move |field| field.key == key);
        of_key.filter_map(|field| Some((std::str::from_utf8(&field.value).ok()?, field.line)))
    };
    let first_delay = values(Key::CrawlDelay).find_map(|(value, line)| {
        let milliseconds = milliseconds_of(crawl_delay(value)?);
        Some(Asked { milliseconds, is_rate: false, line, hours: None })
    });
    let rates: Vec<Asked> = values(Key::RequestRate)
        .filter_map(|(value, line)| {
            let (requests, seconds, hours) = request_rate(value)?;
            // Never faster than the rate.
            Some(Asked { milliseconds: (seconds * 1000).div_ceil(requests), is_rate: true, line, hours })
        })
        .collect();
    let visit = values(Key::VisitTime).find_map(|(value, _)| window(value));

    let at_minute = |minute: u16| {
        let is_now = |rate: &&Asked| rate.hours.is_some_and(|hours| contains(hours, minute));
        let with_hours: Vec<Asked> = rates.iter().filter(is_now).copied().collect();
        let without = rates.iter().filter(|rate| rate.hours.is_none()).copied();
        let of_rates = if with_hours.is_empty() { without.collect() } else { with_hours };
        slowest(first_delay.into_iter().chain(of_rates))
    };
    let delay = match now {
        Some(now) => at_minute(minute_of(now)),
        None => {
            let open = (0..1440).filter(|&minute| visit.is_none_or(|hours| contains(hours, minute)));
            slowest(open.filter_map(at_minute))
        }
    };
    let mut found: Vec<String> = delay.iter().map(text).collect();
    if let (Some(now), Some(hours)) = (now, visit) {
        found.push(format!("opens in {}", seconds_until(hours, now)));
    }
    found
}

/// W1: rounded up to milliseconds.
fn milliseconds_of((seconds, fraction): (u32, &str)) -> u64 {
    let counted: String = fraction.chars().chain("000".chars()).take(3).collect();
    let is_more = fraction.len() > 3;
    u64::from(seconds) * 1000 + counted.parse::<u64>().unwrap_or(0) + u64::from(is_more)
}

/// W6: the longest; of equal ones, a crawl-delay, then the first line.
fn slowest(all: impl Iterator<Item = Asked>) -> Option<Asked> {
    all.min_by_key(|asked| (std::cmp::Reverse(asked.milliseconds), asked.is_rate, asked.line))
}

/// W4: both minutes belong to the window, and one that ends before it begins passes midnight.
fn contains((from, to): Window, minute: u16) -> bool {
    let last = to.min(1439);
    let (is_after, is_before) = (from <= minute, minute <= last);
    if from <= last { is_after && is_before } else { is_after || is_before }
}

fn minute_of(now: Moment) -> u16 {
    u16::try_from(now.seconds().rem_euclid(86_400) / 60).unwrap_or(0)
}

/// W7: zero within the window; otherwise the seconds until its first minute.
fn seconds_until(hours: Window, now: Moment) -> i64 {
    if contains(hours, minute_of(now)) {
        return 0;
    }
    let (second, first) = (now.seconds().rem_euclid(86_400), i64::from(hours.0) * 60);
    if first < second { first + 86_400 - second } else { first - second }
}

fn text(asked: &Asked) -> String {
    let Asked { milliseconds, is_rate, line, hours } = asked;
    let fraction = format!(".{:03}", milliseconds % 1000);
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    let key = if *is_rate { "request-rate" } else { "crawl-delay" };
    let hours = hours.map_or_else(String::new, |(from, to)| format!(" {from}-{to}"));
    format!("delay {}{fraction} by {key} on {line}{hours}", milliseconds / 1000)
}
