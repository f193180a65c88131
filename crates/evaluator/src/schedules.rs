//! What a robots.txt says about how often and when to visit, in bytes: for one crawler, or for every crawler. A robots.txt
//! that says nothing has no bytes.
//!
//! ```text
//! others      runs that apply to crawlers that no group names; in a store for some crawlers, those of the crawler
//! names       a count, then for each name, in the order of their bytes: its length, the name in lower case, its runs
//! runs        a count, then for each run: a count of records, then for each record: line * 4 + kind, and
//!               kind 0   Crawl-delay: milliseconds
//!               kind 1   Request-rate: requests, seconds
//!               kind 2   Request-rate with hours: requests, seconds, first minute, last minute
//!               kind 3   Visit-time: first minute, last minute
//! ```
//!
//! All numbers are varints. Runs are given as a count, then their indices.

use std::collections::BTreeMap;
use std::time::Duration;

use robomata_policy::{DayWindow, RequestRate, Schedule, ScheduleRecord, ScheduleValue, Schedules};

use crate::group_table::Names;
use crate::store::{CorruptBundleError, read_varint, write_varint};

/// The longest delay that a record can ask for, in milliseconds (V9).
const LONGEST: u64 = 86_400_000;
const MINUTES_OF_DAY: u16 = 1440;

/// The bytes of the schedule of one crawler.
pub(crate) fn for_one(schedule: Schedule) -> Box<[u8]> {
    if schedule.records.is_empty() {
        return Box::default();
    }
    for_everyone(&Schedules { runs: vec![schedule], others: vec![0], named: BTreeMap::new() })
}

/// The bytes of the schedules of every crawler.
pub(crate) fn for_everyone(schedules: &Schedules) -> Box<[u8]> {
    let Schedules { runs, others, named } = schedules;
    if runs.is_empty() {
        return Box::default();
    }
    let mut out = Vec::new();
    write_indices(others, &mut out);
    write_varint(named.len() as u64, &mut out);
    for (name, runs) in named {
        write_varint(name.len() as u64, &mut out);
        out.extend_from_slice(name);
        write_indices(runs, &mut out);
    }
    write_varint(runs.len() as u64, &mut out);
    for run in runs {
        write_varint(run.records.len() as u64, &mut out);
        run.records.iter().for_each(|record| write_record(record, &mut out));
    }
    out.into()
}

fn write_indices(runs: &[usize], out: &mut Vec<u8>) {
    write_varint(runs.len() as u64, out);
    runs.iter().for_each(|&run| write_varint(run as u64, out));
}

fn write_record(record: &ScheduleRecord, out: &mut Vec<u8>) {
    let mut write = |kind: u64, numbers: &[u64]| {
        write_varint(u64::from(record.line) << 2 | kind, out);
        numbers.iter().for_each(|&number| write_varint(number, out));
    };
    match record.value {
        ScheduleValue::CrawlDelay(delay) => write(0, &[u64::try_from(delay.as_millis()).unwrap_or(LONGEST)]),
        ScheduleValue::RequestRate(RequestRate { requests, per, window: None }) => {
            write(1, &[requests.into(), per.as_secs()]);
        }
        ScheduleValue::RequestRate(RequestRate { requests, per, window: Some(DayWindow { from, to }) }) => {
            write(2, &[requests.into(), per.as_secs(), from.into(), to.into()]);
        }
        ScheduleValue::VisitTime(DayWindow { from, to }) => write(3, &[from.into(), to.into()]),
    }
}

/// The schedule of a crawler with these names; `None` when the bytes are damaged.
pub(crate) fn choose(bytes: &[u8], names: &Names) -> Option<Schedule> {
    if bytes.is_empty() {
        return Some(Schedule::default());
    }
    let mut reader = Reader { bytes, at: 0 };
    let others = reader.indices()?;
    // Of the crawler's names, the first one with a group decides (G5).
    let mut chosen: Option<(usize, Vec<usize>)> = None;
    for _ in 0..reader.number()? {
        let name = reader.text()?;
        let runs = reader.indices()?;
        if let Some(rank) =
            names.rank(name).filter(|rank| chosen.as_ref().is_none_or(|(best, _)| rank < best))
        {
            chosen = Some((rank, runs));
        }
    }
    let wanted = chosen.map_or(others, |(_, runs)| runs);
    let mut wanted = wanted.into_iter().peekable();
    let mut schedule = Schedule::default();
    for run in 0..reader.index()? {
        let is_wanted = wanted.next_if_eq(&run).is_some();
        for _ in 0..reader.number()? {
            let record = reader.record()?;
            if is_wanted {
                schedule.records.push(record);
            }
        }
    }
    Some(schedule)
}

/// Validates that `bytes` are what [`for_one`] or [`for_everyone`] writes about some robots.txt that says something.
///
/// # Errors
/// When they are not.
pub(crate) fn validate(bytes: &[u8]) -> Result<(), CorruptBundleError> {
    let is_valid = || -> Option<()> {
        let mut reader = Reader { bytes, at: 0 };
        let mut greatest: Option<usize> = None;
        let mut last_name: Option<&[u8]> = None;
        let mut see = |runs: Vec<usize>| {
            greatest = greatest.max(runs.last().copied());
            runs.is_sorted_by(|one, next| one < next).then_some(())
        };
        see(reader.indices()?)?;
        for _ in 0..reader.number()? {
            let name = reader.text()?;
            if last_name.replace(name).is_some_and(|last| last >= name) {
                return None;
            }
            see(reader.indices()?)?;
        }
        let runs = reader.index()?;
        for _ in 0..runs {
            let records = reader.number()?;
            for _ in 0..records {
                reader.record()?;
            }
        }
        let is_complete = reader.at == bytes.len() && runs > 0;
        (is_complete && greatest.is_none_or(|greatest| greatest < runs)).then_some(())
    };
    is_valid().ok_or_else(|| CorruptBundleError::expected("complete schedules"))
}

/// Reads numbers and texts. Returns `None` where the bytes are damaged.
struct Reader<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl<'s> Reader<'s> {
    fn number(&mut self) -> Option<u64> {
        read_varint(self.bytes, &mut self.at)
    }

    fn index(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<&'s [u8]> {
        let length = self.index()?;
        let text = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(text)
    }

    fn indices(&mut self) -> Option<Vec<usize>> {
        (0..self.number()?).map(|_| self.index()).collect()
    }

    fn record(&mut self) -> Option<ScheduleRecord> {
        let head = self.number()?;
        let line = u32::try_from(head >> 2).ok().filter(|&line| line > 0)?;
        let value = match head & 3 {
            0 => {
                let milliseconds = self.number().filter(|&milliseconds| milliseconds <= LONGEST)?;
                ScheduleValue::CrawlDelay(Duration::from_millis(milliseconds))
            }
            1 => ScheduleValue::RequestRate(self.rate()?),
            2 => {
                let rate = self.rate()?;
                ScheduleValue::RequestRate(RequestRate { window: Some(self.window()?), ..rate })
            }
            _ => ScheduleValue::VisitTime(self.window()?),
        };
        Some(ScheduleRecord { line, value })
    }

    fn rate(&mut self) -> Option<RequestRate> {
        let requests = u32::try_from(self.number()?).ok().filter(|&requests| requests > 0)?;
        let most = LONGEST / 1000 * u64::from(requests);
        let seconds = self.number().filter(|seconds| (1..=most).contains(seconds))?;
        Some(RequestRate { requests, per: Duration::from_secs(seconds), window: None })
    }

    fn window(&mut self) -> Option<DayWindow> {
        let mut minute = |most: u16| u16::try_from(self.number()?).ok().filter(|&minute| minute <= most);
        Some(DayWindow { from: minute(MINUTES_OF_DAY - 1)?, to: minute(MINUTES_OF_DAY)? })
    }
}

#[cfg(test)]
mod tests {
    use robomata_policy::Policy;
    use robomata_protocol::{Crawler, Dialect};

    use super::*;

    const TEXT: &str = "User-agent: a\nCrawl-delay: 1.5\nUser-agent: b\nRequest-rate: 3/10m\nDisallow: /\n\n\
                        User-agent: *\nRequest-rate: 1/5 0600-0845\nVisit-time: 2300-0430\nCrawl-delay: 86400\n\n\
                        User-agent: A\nCrawl-delay: 7\nDisallow: /x";

    fn everyone() -> (Policy<'static>, Box<[u8]>) {
        let policy = Policy::in_dialect(TEXT.as_bytes(), Dialect::Rfc9309);
        let bytes = for_everyone(&policy.schedules());
        (policy, bytes)
    }

    #[test]
    fn every_crawler_finds_its_own_schedule() {
        let (policy, bytes) = everyone();
        assert_eq!(validate(&bytes), Ok(()));
        for name in ["a", "b", "c", "c,b", "b,a", "*"] {
            let crawler = Crawler::new(name);
            let schedule = policy.schedule(&crawler);
            assert!(!schedule.records.is_empty(), "{name}");
            assert_eq!(
                choose(&bytes, &Names::of(&crawler, Dialect::Rfc9309)).as_ref(),
                Some(&schedule),
                "{name}"
            );
            let one = for_one(schedule.clone());
            assert_eq!((validate(&one), choose(&one, &Names::default())), (Ok(()), Some(schedule)), "{name}");
        }
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let (_, bytes) = everyone();
        for end in 0..bytes.len() {
            assert!(validate(&bytes[..end]).is_err(), "{end}");
        }
        assert!(validate(&[&bytes, &[0][..]].concat()).is_err());
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                // Whatever is valid is read without a panic, and whatever cannot be read is not valid.
                let read = choose(&damaged, &Names::default());
                assert!(validate(&damaged).is_err() || read.is_some());
            }
        }
    }
}
