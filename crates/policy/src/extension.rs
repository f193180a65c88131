//! Records beyond allow and disallow: kept, typed where they have a type, without effect on verdicts (RFC 9309, 2.2.4).

use std::time::Duration;

use robomata_protocol::{Crawler, Span};
use robomata_syntax::Key;

use crate::policy::{Group, Policy};

/// A record that is no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The 1-based line of the record.
    pub line: u32,
    /// What it is about; [`Key::Unknown`] for a stranger.
    pub key: Key,
    /// The key as written.
    pub written_key: Span,
    /// The value as written.
    pub value: Span,
    /// The group (an index into [`Policy::groups`]) in which it stands; none before the first.
    pub group: Option<usize>,
}

/// The value of an [`Extension`], typed.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
    /// `Crawl-delay`: the time to leave between requests.
    CrawlDelay(Duration),
    /// `Request-rate`: how many requests in how long.
    RequestRate(RequestRate),
    /// `Visit-time`: when to come.
    VisitTime(DayWindow),
    /// `Sitemap`: where one is.
    Sitemap(&'t str),
    /// `Host`: the preferred host name.
    Host(&'t str),
    /// `Clean-param`: parameters without effect.
    CleanParam(CleanParam<'t>),
    /// `Noindex`: a path pattern, as written.
    Noindex(&'t [u8]),
    /// An unknown key's value, or one that is not of its key's type.
    Text(&'t [u8]),
}

/// `Request-rate: 1/10m 0900-1700`: requests a span of time, perhaps only at some hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestRate {
    /// How many requests.
    pub requests: u32,
    /// In how long; never zero.
    pub per: Duration,
    /// At which hours; any when none is given.
    pub window: Option<DayWindow>,
}

/// A part of every day, in minutes after midnight UTC. It goes over midnight when it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayWindow {
    /// First minute, 0 to 1439.
    pub from: u16,
    /// Last minute, 0 to 1440.
    pub to: u16,
}

/// `Clean-param: a&b /path`: query parameters that do not change what a page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanParam<'t> {
    /// The parameters' names; never empty.
    pub parameters: Vec<&'t str>,
    /// The prefix of the paths concerned; all when none is given.
    pub path: Option<&'t str>,
}

impl Extension {
    /// The value, typed where `text` (the policy's text) holds a well-formed one.
    pub fn read<'t>(&self, text: &'t [u8]) -> Value<'t> {
        let octets = self.value.of(text);
        let Ok(value) = std::str::from_utf8(octets) else {
            return if self.key == Key::Noindex { Value::Noindex(octets) } else { Value::Text(octets) };
        };
        let typed = match self.key {
            Key::CrawlDelay => seconds(value).map(Value::CrawlDelay),
            Key::RequestRate => request_rate(value).map(Value::RequestRate),
            Key::VisitTime => day_window(value).map(Value::VisitTime),
            Key::Sitemap => non_empty(value).map(Value::Sitemap),
            Key::Host => non_empty(value).map(Value::Host),
            Key::CleanParam => clean_param(value).map(Value::CleanParam),
            Key::Noindex => Some(Value::Noindex(octets)),
            Key::UserAgent | Key::Allow | Key::Disallow | Key::Acap | Key::Unknown => None,
        };
        typed.unwrap_or(Value::Text(octets))
    }
}

impl Policy<'_> {
    /// The sitemaps of the whole file, in its order; they belong to no group (sitemaps.org).
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.values(Key::Sitemap)
            .filter_map(|value| if let Value::Sitemap(url) = value { Some(url) } else { None })
    }

    /// The preferred host names, in the order of the file; the first is the one that counts (Yandex).
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.values(Key::Host)
            .filter_map(|value| if let Value::Host(host) = value { Some(host) } else { None })
    }

    /// The clean-param records of the whole file, in its order.
    pub fn clean_params(&self) -> impl Iterator<Item = CleanParam<'_>> {
        self.values(Key::CleanParam)
            .filter_map(|value| if let Value::CleanParam(params) = value { Some(params) } else { None })
    }

    /// The unknown records, in the order of the file.
    pub fn unknown_records(&self) -> impl Iterator<Item = &Extension> {
        self.extensions.iter().filter(|extension| extension.key == Key::Unknown)
    }

    /// The first well-formed crawl-delay of the groups that `crawler` obeys.
    pub fn crawl_delay(&self, crawler: &Crawler) -> Option<Duration> {
        self.value_for(crawler, |value| if let Value::CrawlDelay(delay) = value { Some(delay) } else { None })
    }

    /// The first well-formed request rate of the groups that `crawler` obeys.
    pub fn request_rate(&self, crawler: &Crawler) -> Option<RequestRate> {
        self.value_for(crawler, |value| if let Value::RequestRate(rate) = value { Some(rate) } else { None })
    }

    /// The first well-formed visit time of the groups that `crawler` obeys.
    pub fn visit_time(&self, crawler: &Crawler) -> Option<DayWindow> {
        self.value_for(
            crawler,
            |value| if let Value::VisitTime(window) = value { Some(window) } else { None },
        )
    }

    /// The noindex patterns of the groups that `crawler` obeys, as written.
    pub fn noindex(&self, crawler: &Crawler) -> Vec<&[u8]> {
        self.extensions_for(crawler)
            .filter(|extension| extension.key == Key::Noindex)
            .map(|extension| extension.value.of(self.text()))
            .collect()
    }

    fn values(&self, key: Key) -> impl Iterator<Item = Value<'_>> {
        let of_key = move |extension: &&Extension| extension.key == key;
        self.extensions.iter().filter(of_key).map(|extension| extension.read(self.text()))
    }

    fn value_for<T>(&self, crawler: &Crawler, of_type: impl Fn(Value<'_>) -> Option<T>) -> Option<T> {
        self.extensions_for(crawler).find_map(|extension| of_type(extension.read(self.text())))
    }

    /// The extensions that stand in a group that `crawler` obeys, in the order of the file.
    fn extensions_for(&self, crawler: &Crawler) -> impl Iterator<Item = &Extension> {
        let chosen: Vec<Group> = self.rules_for(crawler).groups().iter().map(|&&group| group).collect();
        self.extensions.iter().filter(move |extension| {
            extension.group.is_some_and(|index| chosen.contains(&self.groups[index]))
        })
    }
}

fn non_empty(value: &str) -> Option<&str> {
    (!value.is_empty()).then_some(value)
}

fn seconds(value: &str) -> Option<Duration> {
    // `parse` also takes "inf", "nan" and "1e9"; a delay is digits with at most a point.
    let plain = value.bytes().all(|octet| octet.is_ascii_digit() || octet == b'.');
    let seconds: f64 = plain.then(|| value.parse().ok())??;
    Duration::try_from_secs_f64(seconds).ok()
}

fn request_rate(value: &str) -> Option<RequestRate> {
    let mut words = value.split_ascii_whitespace();
    let (requests, span) = words.next()?.split_once('/')?;
    let window = words.next().map(|word| day_window(word).ok_or(())).transpose().ok()?;
    let unit = match span.as_bytes().last()? {
        b's' | b'S' => 1,
        b'm' | b'M' => 60,
        b'h' | b'H' => 3600,
        b'0'..=b'9' => 0,
        _ => return None,
    };
    let digits = if unit == 0 { span } else { &span[..span.len() - 1] };
    // "1/m" is one a minute.
    let amount: u64 = if digits.is_empty() { 1 } else { digits.parse().ok()? };
    let per = Duration::from_secs(amount.checked_mul(unit.max(1))?);
    let ends = words.next().is_none() && !per.is_zero();
    ends.then_some(RequestRate { requests: requests.parse().ok()?, per, window })
}

/// `HHMM-HHMM`, perhaps with colons, perhaps with `UTC` or `GMT` behind it.
fn day_window(value: &str) -> Option<DayWindow> {
    let value = value.trim_end_matches("UTC").trim_end_matches("GMT").trim_end();
    let (from, to) = value.split_once('-')?;
    let (from, to) = (minute(from.trim())?, minute(to.trim())?);
    (from < 1440).then_some(DayWindow { from, to })
}

fn minute(clock: &str) -> Option<u16> {
    let digits: String = clock.chars().filter(|&c| c != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (u16, u16) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    let minute = hours * 60 + minutes;
    (minutes < 60 && minute <= 1440).then_some(minute)
}

fn clean_param(value: &str) -> Option<CleanParam<'_>> {
    let mut words = value.split_ascii_whitespace();
    let parameters: Vec<&str> = words.next()?.split('&').filter(|name| !name.is_empty()).collect();
    let path = words.next();
    (!parameters.is_empty() && words.next().is_none()).then_some(CleanParam { parameters, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_plain_numbers() {
        assert_eq!(seconds("2.5"), Some(Duration::from_millis(2500)));
        for odd in ["", "-1", "inf", "NaN", "1e3", "ten", "5 s", "."] {
            assert_eq!(seconds(odd), None, "{odd}");
        }
    }

    #[test]
    fn rates_have_units_and_hours() {
        let rate = |requests, seconds, window| {
            Some(RequestRate { requests, per: Duration::from_secs(seconds), window })
        };
        assert_eq!(request_rate("9/30"), rate(9, 30, None));
        assert_eq!(request_rate("100/15m"), rate(100, 900, None));
        let window = DayWindow { from: 18 * 60 + 20, to: 19 * 60 + 40 };
        assert_eq!(request_rate("1/10s 1820-1940"), rate(1, 10, Some(window)));
        for odd in ["1/0", "1", "/5", "1/5x", "1/5 noon", "1/5 0000-0100 x", "1/999999999999999999h"] {
            assert_eq!(request_rate(odd), None, "{odd}");
        }
    }

    #[test]
    fn hours_may_go_over_midnight() {
        assert_eq!(day_window("2300-0430 UTC"), Some(DayWindow { from: 1380, to: 270 }));
        assert_eq!(day_window("00:00-24:00"), Some(DayWindow { from: 0, to: 1440 }));
        for odd in ["2400-0100", "0860-0900", "8-9", "0800"] {
            assert_eq!(day_window(odd), None, "{odd}");
        }
    }

    #[test]
    fn clean_params_are_split() {
        let params = clean_param("sid&sort /forum/").unwrap();
        assert_eq!((params.parameters, params.path), (vec!["sid", "sort"], Some("/forum/")));
        assert_eq!(clean_param("& /x"), None);
    }
}
