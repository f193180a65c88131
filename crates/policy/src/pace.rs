//! How fast a crawler may fetch: what follows from Crawl-delay, Request-rate and Visit-time (`crates/DIALECTS.md`, W1 to
//! W9). Everything here is a pure function of a robots.txt, a crawler and an instant.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use robomata_protocol::semantics::RepeatedGroups;
use robomata_protocol::{Crawler, FetchOutcome, Moment};
use robomata_syntax::AgentName;

use crate::extension::{DayWindow, Extension, RequestRate, Value};
use crate::policy::{Policy, range};

const MINUTES_OF_DAY: u16 = 1440;
const SECONDS_OF_DAY: i64 = 86_400;

/// What a robots.txt says to one crawler about how often and when to visit: its well-formed records that apply to the
/// crawler, in file order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The records.
    pub records: Vec<ScheduleRecord>,
}

/// A record that says how often or when to visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleRecord {
    /// The 1-based line of the record.
    pub line: u32,
    /// Its value.
    pub value: ScheduleValue,
}

/// The value of a [`ScheduleRecord`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleValue {
    /// `Crawl-delay`, rounded up to milliseconds.
    CrawlDelay(Duration),
    /// `Request-rate`.
    RequestRate(RequestRate),
    /// `Visit-time`.
    VisitTime(DayWindow),
}

/// The time that a site wants to pass between two fetches, and the record that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The time, in whole milliseconds.
    pub duration: Duration,
    /// The kind of record.
    pub source: DelaySource,
    /// The 1-based line of the record.
    pub line: u32,
    /// The hours of the record, if it has any.
    pub hours: Option<DayWindow>,
}

/// The kind of record that a [`Delay`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DelaySource {
    /// `Crawl-delay`.
    CrawlDelay,
    /// `Request-rate`.
    RequestRate,
}

impl DelaySource {
    /// `crawl-delay` or `request-rate`.
    pub const fn as_str(self) -> &'static str {
        match self {
            DelaySource::CrawlDelay => "crawl-delay",
            DelaySource::RequestRate => "request-rate",
        }
    }
}

impl RequestRate {
    /// The time between two requests, rounded up to milliseconds.
    pub fn delay(&self) -> Duration {
        whole_milliseconds(self.per.as_nanos().div_ceil(u128::from(self.requests)))
    }
}

/// `nanoseconds`, rounded up to milliseconds. No schedule is longer than some days.
fn whole_milliseconds(nanoseconds: u128) -> Duration {
    Duration::from_millis(u64::try_from(nanoseconds.div_ceil(1_000_000)).unwrap_or(u64::MAX))
}

impl Schedule {
    /// The first crawl-delay (V9).
    pub fn crawl_delay(&self) -> Option<Delay> {
        self.records.iter().find_map(|record| match record.value {
            ScheduleValue::CrawlDelay(duration) => {
                Some(Delay { duration, source: DelaySource::CrawlDelay, line: record.line, hours: None })
            }
            _ => None,
        })
    }

    /// The first visit time (V9).
    pub fn visit_time(&self) -> Option<DayWindow> {
        self.records.iter().find_map(|record| match record.value {
            ScheduleValue::VisitTime(window) => Some(window),
            _ => None,
        })
    }

    /// The delays of the request rates.
    fn rates(&self) -> impl Iterator<Item = Delay> {
        self.records.iter().filter_map(|record| match record.value {
            ScheduleValue::RequestRate(rate) => Some(Delay {
                duration: rate.delay(),
                source: DelaySource::RequestRate,
                line: record.line,
                hours: rate.window,
            }),
            _ => None,
        })
    }

    /// The delay at an instant: the longer one of the crawl-delay and the slowest request rate that applies then. Of
    /// the rates, those with hours decide during these hours, and those without decide at other times (W5). `None` if
    /// nothing asks for a delay.
    pub fn delay_at(&self, at: Moment) -> Option<Delay> {
        let minute = minute_of(at);
        let with_hours = self.rates().filter(|rate| rate.hours.is_some_and(|hours| hours.contains(minute)));
        let rate = longest(with_hours).or_else(|| longest(self.rates_without_hours()));
        longest(self.crawl_delay().into_iter().chain(rate))
    }

    /// The longest delay of the day, as far as the site may be visited then (W6).
    pub fn longest_delay(&self) -> Option<Delay> {
        let mut rates: Vec<Delay> = Vec::new();
        let mut plain = longest(self.rates_without_hours());
        if self.rates().any(|rate| rate.hours.is_some()) {
            let day = Day::new(self.visit_time());
            let mut covered = Coverage::new();
            for rate in self.rates() {
                let Some(hours) = rate.hours else { continue };
                covered.add(hours);
                if day.has_open_minute_in(hours) {
                    rates.push(rate);
                }
            }
            plain = plain.filter(|_| covered.leaves_open(&day));
        }
        longest(self.crawl_delay().into_iter().chain(rates).chain(plain))
    }

    fn rates_without_hours(&self) -> impl Iterator<Item = Delay> {
        self.rates().filter(|rate| rate.hours.is_none())
    }

    /// The time from `at` until the site may be visited; zero if it may be visited then. `None` without a visit time.
    pub fn opens_in(&self, at: Moment) -> Option<Duration> {
        let window = self.visit_time()?;
        if window.contains(minute_of(at)) {
            return Some(Duration::ZERO);
        }
        let wait = (i64::from(window.from) * 60 - second_of(at)).rem_euclid(SECONDS_OF_DAY);
        Some(Duration::from_secs(wait.unsigned_abs()))
    }
}

/// The longest delay; of equal ones, the first crawl-delay, then the rate on the first line.
fn longest(delays: impl Iterator<Item = Delay>) -> Option<Delay> {
    delays.reduce(|longest, next| {
        let is_first = next.source == longest.source && next.line < longest.line;
        match next.duration.cmp(&longest.duration) {
            std::cmp::Ordering::Greater => next,
            std::cmp::Ordering::Equal if is_first => next,
            _ => longest,
        }
    })
}

/// The second of the day, UTC.
fn second_of(at: Moment) -> i64 {
    at.seconds().rem_euclid(SECONDS_OF_DAY)
}

/// The minute of the day, UTC.
fn minute_of(at: Moment) -> u16 {
    u16::try_from(second_of(at) / 60).unwrap_or(0)
}

/// The minutes of a window, as one or two ranges that do not cross midnight.
fn ranges(window: DayWindow) -> [std::ops::Range<usize>; 2] {
    let DayWindow { from, to } = window;
    let end = usize::from((to + 1).min(MINUTES_OF_DAY));
    if from <= to {
        [usize::from(from)..end, 0..0]
    } else {
        [usize::from(from)..usize::from(MINUTES_OF_DAY), 0..end]
    }
}

/// The minutes at which a site may be visited. Sites choose how many rates they have, so each rate takes constant time.
struct Day {
    /// For each minute of the day: the number of open minutes before it.
    open_before: Vec<u16>,
}

impl Day {
    fn new(visit_time: Option<DayWindow>) -> Self {
        let mut open_before = vec![0];
        for minute in 0..MINUTES_OF_DAY {
            let is_open = visit_time.is_none_or(|window| window.contains(minute));
            open_before.push(open_before[usize::from(minute)] + u16::from(is_open));
        }
        Day { open_before }
    }

    fn is_open(&self, minute: usize) -> bool {
        self.open_before[minute] < self.open_before[minute + 1]
    }

    fn has_open_minute_in(&self, window: DayWindow) -> bool {
        ranges(window).into_iter().any(|range| self.open_before[range.start] < self.open_before[range.end])
    }
}

/// The minutes that windows cover: the differences of their numbers between neighbouring minutes.
struct Coverage {
    changes: Vec<i64>,
}

impl Coverage {
    fn new() -> Self {
        Coverage { changes: vec![0; usize::from(MINUTES_OF_DAY) + 1] }
    }

    fn add(&mut self, window: DayWindow) {
        for range in ranges(window) {
            self.changes[range.start] += 1;
            self.changes[range.end] -= 1;
        }
    }

    /// Whether no window covers some minute at which the site may be visited.
    fn leaves_open(&self, day: &Day) -> bool {
        let mut windows = 0;
        (0..usize::from(MINUTES_OF_DAY)).any(|minute| {
            windows += self.changes[minute];
            windows == 0 && day.is_open(minute)
        })
    }
}

/// The limits that a crawler sets to the delays of sites (W9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayLimits {
    /// Shorter delays are raised to this one.
    pub least: Option<Duration>,
    /// Longer delays are capped to this one.
    pub most: Option<Duration>,
    /// The delay of sites that ask for none.
    pub default: Option<Duration>,
}

/// A delay within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitedDelay {
    /// The time between two fetches.
    pub duration: Duration,
    /// Whether a limit changed what the site asked for.
    pub adjustment: Option<Adjustment>,
}

/// How a limit changed a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Adjustment {
    /// The site asked for a shorter delay.
    Raised,
    /// The site asked for a longer delay.
    Capped,
}

impl Adjustment {
    /// `raised` or `capped`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Adjustment::Raised => "raised",
            Adjustment::Capped => "capped",
        }
    }
}

/// Limits that exclude each other. The text says what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayLimitsError;

impl std::fmt::Display for DelayLimitsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected a least delay up to the greatest one, and a default delay between them")
    }
}

impl std::error::Error for DelayLimitsError {}

impl DelayLimits {
    /// Checks that the limits do not exclude each other.
    ///
    /// # Errors
    /// When the least delay is longer than the greatest one, or the default is not between them.
    pub fn check(&self) -> Result<(), DelayLimitsError> {
        let DelayLimits { least, most, default } = *self;
        let in_order = [least, default, most].into_iter().flatten().is_sorted();
        if in_order { Ok(()) } else { Err(DelayLimitsError) }
    }

    /// The delay that a site asked for, within the limits; the default if it asked for none.
    pub fn apply(&self, asked: Option<Duration>) -> Option<LimitedDelay> {
        let Some(asked) = asked else {
            return self.default.map(|duration| LimitedDelay { duration, adjustment: None });
        };
        let (duration, adjustment) = match (self.least, self.most) {
            (Some(least), _) if asked < least => (least, Some(Adjustment::Raised)),
            (_, Some(most)) if asked > most => (most, Some(Adjustment::Capped)),
            _ => (asked, None),
        };
        Some(LimitedDelay { duration, adjustment })
    }
}

/// How fast a crawler may fetch, and when: what a site asks for, and what follows within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The delay that the site asks for.
    pub asked: Option<Delay>,
    /// The delay within the limits; `None` if the site asks for none and there is no default.
    pub delay: Option<LimitedDelay>,
    /// The hours of visits; `None`: any.
    pub visit_time: Option<DayWindow>,
    /// The time until the site may be visited; `None` without an instant or a visit time.
    pub opens_in: Option<Duration>,
    /// The outcome of the fetch. Where there is no robots.txt to obey, no delay applies (W8).
    pub outcome: FetchOutcome,
}

impl Pace {
    /// The pace of a site at an instant. Without one, the longest delay of the day counts.
    pub fn new(outcome: FetchOutcome, schedule: &Schedule, at: Option<Moment>, limits: &DelayLimits) -> Self {
        let asked = match at {
            Some(at) => schedule.delay_at(at),
            None => schedule.longest_delay(),
        };
        let mut pace = Pace {
            asked,
            delay: limits.apply(asked.map(|delay| delay.duration)),
            visit_time: schedule.visit_time(),
            opens_in: at.and_then(|at| schedule.opens_in(at)),
            outcome,
        };
        if !pace.has_rules() {
            pace.delay = None;
        }
        pace
    }

    /// Whether there is a robots.txt to obey, or none is needed.
    pub fn has_rules(&self) -> bool {
        self.outcome.permits_visits()
    }

    /// Whether the site neither asks for a delay nor limits the hours of visits.
    pub fn is_silent(&self) -> bool {
        self.asked.is_none() && self.visit_time.is_none()
    }

    /// Where the delay comes from: `crawl-delay`, `request-rate` or `default`. The outcome of the fetch if there is no
    /// robots.txt to obey. `None` if nothing asks for a delay.
    pub fn source(&self) -> Option<&'static str> {
        match (self.asked, self.delay) {
            _ if !self.has_rules() => Some(self.outcome.as_str()),
            (Some(asked), _) => Some(asked.source.as_str()),
            (None, Some(_)) => Some("default"),
            (None, None) => None,
        }
    }
}

/// The schedules of a robots.txt for every crawler. Its size is linear in the file: names share the records of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedules {
    /// Records that apply to the same names.
    pub runs: Vec<Schedule>,
    /// The runs that apply to crawlers that no group names, as indices, in file order.
    pub others: Vec<usize>,
    /// The runs that apply to each crawler that groups name. The names are in lower case.
    pub named: BTreeMap<Vec<u8>, Vec<usize>>,
}

impl Policy<'_> {
    /// The records about how often and when to visit that apply to `crawler` (V1, V9).
    pub fn schedule(&self, crawler: &Crawler) -> Schedule {
        // Nearly all files have no such record.
        if !self.has_schedules() {
            return Schedule::default();
        }
        Schedule { records: self.scheduled(crawler, |extension| self.schedule_record(extension)).collect() }
    }

    /// Whether there are records about how often and when to visit, well-formed or not.
    fn has_schedules(&self) -> bool {
        self.extensions.iter().any(Extension::is_schedule)
    }

    fn schedule_record(&self, extension: &Extension) -> Option<ScheduleRecord> {
        let value = match extension.read(self.text()) {
            Value::CrawlDelay(delay) => ScheduleValue::CrawlDelay(whole_milliseconds(delay.as_nanos())),
            Value::RequestRate(rate) => ScheduleValue::RequestRate(rate),
            Value::VisitTime(window) => ScheduleValue::VisitTime(window),
            _ => return None,
        };
        Some(ScheduleRecord { line: extension.line, value })
    }

    /// The schedules of all crawlers with one name; empty if the file has none. Visits each name and record once.
    pub fn schedules(&self) -> Schedules {
        let mut schedules = Schedules::default();
        if !self.has_schedules() {
            return schedules;
        }
        // For each name of the file: the run of records that applies to it.
        let mut run_of: Vec<Option<usize>> = vec![None; self.names.len()];
        for extension in self.extensions.iter().filter(|extension| extension.is_schedule()) {
            let names = range(extension.names);
            let Some(record) = self.schedule_record(extension).filter(|_| !names.is_empty()) else {
                continue;
            };
            let run = *run_of[names.start].get_or_insert(schedules.runs.len());
            if run == schedules.runs.len() {
                schedules.runs.push(Schedule::default());
                run_of[names].fill(Some(run));
            }
            schedules.runs[run].records.push(record);
        }
        if schedules.runs.is_empty() {
            return schedules;
        }
        let only_first = self.dialect.semantics().repeated_groups == RepeatedGroups::First;
        // The last group that names a crawler; `None` is every other crawler.
        let mut last_group: HashMap<Option<Vec<u8>>, usize> = HashMap::new();
        for (number, group) in self.groups.iter().enumerate().filter(|(_, group)| self.is_group(group)) {
            for (name, run) in self.names_of(group).iter().zip(&run_of[range(group.names)]) {
                let crawler = match self.agent_of(name) {
                    AgentName::Named(name) => Some(name.to_ascii_lowercase()),
                    AgentName::Any => None,
                };
                let runs = match &crawler {
                    Some(name) => schedules.named.entry(name.clone()).or_default(),
                    None => &mut schedules.others,
                };
                let group_of_name = last_group.entry(crawler).or_insert(number);
                if only_first && *group_of_name != number {
                    continue;
                }
                *group_of_name = number;
                runs.extend(run.filter(|run| runs.last() != Some(run)));
            }
        }
        schedules
    }
}

#[cfg(test)]
mod tests {
    use robomata_protocol::Dialect;

    use super::*;

    fn schedule(text: &str, crawler: &str) -> Schedule {
        Policy::in_dialect(text.as_bytes(), Dialect::Rfc9309).schedule(&Crawler::new(crawler))
    }

    fn at(clock: &str) -> Moment {
        let (hours, minutes) = clock.split_once(':').unwrap();
        let minutes: i64 = hours.parse::<i64>().unwrap() * 60 + minutes.parse::<i64>().unwrap();
        Moment::from_seconds(1_760_000_000 / 86_400 * 86_400 + minutes * 60)
    }

    fn seconds(delay: Option<Delay>) -> Option<(f64, u32)> {
        delay.map(|delay| (delay.duration.as_secs_f64(), delay.line))
    }

    #[test]
    fn rates_with_hours_decide_during_them() {
        let text = "User-agent: *\nRequest-rate: 1/10m\nRequest-rate: 1/5 2200-0559\nCrawl-delay: 2";
        let schedule = schedule(text, "a");
        for (clock, expected) in
            [("21:59", (600.0, 2)), ("22:00", (5.0, 3)), ("05:59", (5.0, 3)), ("06:00", (600.0, 2))]
        {
            assert_eq!(seconds(schedule.delay_at(at(clock))), Some(expected), "{clock}");
        }
        assert_eq!(seconds(schedule.longest_delay()), Some((600.0, 2)));
    }

    #[test]
    fn of_equal_delays_the_first_line_is_named() {
        let text = "User-agent: *\nRequest-rate: 1/5m 2200-0559\nRequest-rate: 1/5m 0600-2159";
        assert_eq!(seconds(schedule(text, "a").longest_delay()), Some((300.0, 2)));
        let delays = [3, 2, 4].map(|line| {
            let mut delay = schedule("User-agent: *\nRequest-rate: 1/5m", "a").longest_delay().unwrap();
            delay.line = line;
            delay
        });
        assert_eq!(seconds(longest(delays.into_iter())), Some((300.0, 2)));
    }

    #[test]
    fn only_hours_of_visits_count_for_the_longest_delay() {
        let text = "User-agent: *\nVisit-time: 2200-0559\nRequest-rate: 1/10m\nRequest-rate: 1/5 2200-0559\n\
                    Request-rate: 1/60 0600-0700";
        assert_eq!(seconds(schedule(text, "a").longest_delay()), Some((5.0, 4)));
    }

    #[test]
    fn sites_open_at_the_first_minute() {
        let schedule = schedule("User-agent: *\nVisit-time: 2300-0030", "a");
        for (clock, expected) in [("23:00", 0), ("00:30", 0), ("00:31", 22 * 3600 + 29 * 60), ("22:59", 60)] {
            assert_eq!(schedule.opens_in(at(clock)), Some(Duration::from_secs(expected)), "{clock}");
        }
    }

    /// The longest delay by its definition, minute by minute.
    fn longest_by_minutes(schedule: &Schedule) -> Option<Delay> {
        let minutes = (0..1440).map(|minute| Moment::from_seconds(minute * 60));
        let open = minutes.filter(|&at| schedule.opens_in(at).is_none_or(|wait| wait.is_zero()));
        longest(open.filter_map(|at| schedule.delay_at(at)))
    }

    #[test]
    fn the_longest_delay_is_that_of_some_minute() {
        let mut state = 7_u64;
        let mut next = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..300 {
            let mut text = "User-agent: *\n".to_owned();
            for _ in 0..next(6) {
                let clock = |next: &mut dyn FnMut(u64) -> u64| format!("{:02}{:02}", next(24), next(2) * 59);
                let window = format!("{}-{}", clock(&mut next), clock(&mut next));
                let line = match next(4) {
                    0 => format!("Crawl-delay: {}", next(9)),
                    1 => format!("Request-rate: 1/{}", 1 + next(9)),
                    2 => format!("Request-rate: 1/{} {window}", 1 + next(9)),
                    _ => format!("Visit-time: {window}"),
                };
                text.push_str(&line);
                text.push('\n');
            }
            let schedule = schedule(&text, "a");
            assert_eq!(schedule.longest_delay(), longest_by_minutes(&schedule), "{text}");
        }
    }

    #[test]
    fn schedules_of_every_crawler_are_those_of_each() {
        let text = "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nUser-agent: c\nCrawl-delay: 2\nRequest-rate: 1/9\n\
                    Disallow: /\nUser-agent: *\nCrawl-delay: 3\nUser-agent: d\nDisallow: /d\n\nUser-agent: A\n\
                    Visit-time: 0000-0100\nDisallow:";
        for dialect in Dialect::ALL {
            let policy = Policy::in_dialect(text.as_bytes(), dialect);
            let schedules = policy.schedules();
            for name in ["a", "b", "c", "d", "e"] {
                let runs = schedules.named.get(name.as_bytes()).unwrap_or(&schedules.others);
                let records: Vec<_> =
                    runs.iter().flat_map(|&run| schedules.runs[run].records.iter().copied()).collect();
                assert_eq!(policy.schedule(&Crawler::new(name)).records, records, "{dialect}: {name}");
            }
        }
    }

    #[test]
    fn limits_say_what_they_changed() {
        let second = |seconds| Some(Duration::from_secs(seconds));
        let limits = DelayLimits { least: second(1), most: second(30), default: second(2) };
        assert_eq!(limits.check(), Ok(()));
        let applied = |asked| limits.apply(asked).map(|delay| (delay.duration.as_secs(), delay.adjustment));
        assert_eq!(applied(second(0)), Some((1, Some(Adjustment::Raised))));
        assert_eq!(applied(second(1)), Some((1, None)));
        assert_eq!(applied(second(30)), Some((30, None)));
        assert_eq!(applied(second(31)), Some((30, Some(Adjustment::Capped))));
        assert_eq!(applied(None), Some((2, None)));
        assert_eq!(DelayLimits { default: second(31), ..limits }.check(), Err(DelayLimitsError));
        assert_eq!(DelayLimits::default().apply(None), None);
    }
}
