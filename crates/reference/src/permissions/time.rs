//! Days, moments, and when a permission expires (A10, A20).

use robomata_protocol::{Circumstances, Date, MissingFact, Moment, TimeLimit};

const DAY: i64 = 86_400;

/// The state of a time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The permission still holds.
    Holds,
    /// The permission has expired.
    Expired,
    /// These facts are not known.
    Lacks(Vec<MissingFact>),
}

/// A20: the state of a permission with this limit.
pub(crate) fn limit(limit: TimeLimit, circumstances: &Circumstances) -> Limit {
    let Circumstances { now, first_use, last_crawl, .. } = *circumstances;
    let is_over = match limit {
        TimeLimit::UntilDate(date) => now.map(|Moment(now)| now >= (day_number(date) + 1) * DAY),
        TimeLimit::Until(Moment(end)) => now.map(|Moment(now)| now > end),
        TimeLimit::Days(days) => match (now, first_use) {
            (Some(Moment(now)), Some(Moment(first))) => {
                Some(i128::from(now) - i128::from(first) > i128::from(days) * i128::from(DAY))
            }
            _ => None,
        },
        TimeLimit::UntilRecrawled => match (first_use, last_crawl) {
            (Some(first), Some(last)) => Some(last > first),
            _ => None,
        },
    };
    match is_over {
        Some(true) => Limit::Expired,
        Some(false) => Limit::Holds,
        None => Limit::Lacks(lacks(limit, circumstances)),
    }
}

fn lacks(limit: TimeLimit, circumstances: &Circumstances) -> Vec<MissingFact> {
    let mut lacks = Vec::new();
    let needs_now = limit != TimeLimit::UntilRecrawled;
    let needs_first_use = matches!(limit, TimeLimit::Days(_) | TimeLimit::UntilRecrawled);
    if needs_now && circumstances.now.is_none() {
        lacks.push(MissingFact::Now);
    }
    if needs_first_use && circumstances.first_use.is_none() {
        lacks.push(MissingFact::FirstUse);
    }
    if limit == TimeLimit::UntilRecrawled && circumstances.last_crawl.is_none() {
        lacks.push(MissingFact::LastCrawl);
    }
    lacks
}

/// `yyyy-mm-dd`, a day that exists (A10).
pub(crate) fn date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    day(digits(&bytes[..4])?, digits(&bytes[5..7])?, digits(&bytes[8..])?)
}

/// The day with this year, month and day of the month, if it exists.
pub(crate) fn day(year: u32, month: u32, day: u32) -> Option<Date> {
    let (year, month, day) = (u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    let exists = year <= 9999 && (1..=12).contains(&month) && (1..=month_length(year, month)).contains(&day);
    exists.then_some(Date { year, month, day })
}

/// The number in a text of decimal digits only.
pub(crate) fn digits(bytes: &[u8]) -> Option<u32> {
    let is_decimal = !bytes.is_empty() && bytes.len() <= 9 && bytes.iter().all(u8::is_ascii_digit);
    is_decimal.then(|| bytes.iter().fold(0, |number, byte| number * 10 + u32::from(byte - b'0')))
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn month_length(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1 January 1970, counted year by year and month by month.
pub(crate) fn day_number(Date { year, month, day }: Date) -> i64 {
    let year_length = |year: u16| if is_leap(year) { 366 } else { 365 };
    let years: i64 = if year >= 1970 {
        (1970..year).map(year_length).sum()
    } else {
        -(year..1970).map(year_length).sum::<i64>()
    };
    let months: i64 = (1..month).map(|month| i64::from(month_length(year, month))).sum();
    years + months + i64::from(day) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: Option<i64>, first_use: Option<i64>, last_crawl: Option<i64>) -> Circumstances {
        Circumstances {
            now: now.map(Moment),
            first_use: first_use.map(Moment),
            last_crawl: last_crawl.map(Moment),
            ..Circumstances::default()
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(date("1970-01-01").map(day_number), Some(0));
        assert_eq!(date("2007-12-31").map(day_number), Some(13_878));
        assert_eq!(date("1969-12-31").map(day_number), Some(-1));
        assert_eq!(date("2008-02-29").map(day_number), Some(13_938));
        assert_eq!(date("2007-02-29"), None);
        assert_eq!(date("2007-2-28"), None);
    }

    /// Part 1, 2.5.3.1.
    #[test]
    fn limits_end_at_their_date() {
        let until = TimeLimit::UntilDate(Date { year: 1970, month: 1, day: 2 });
        assert_eq!(limit(until, &at(Some(2 * DAY - 1), None, None)), Limit::Holds);
        assert_eq!(limit(until, &at(Some(2 * DAY), None, None)), Limit::Expired);
        assert_eq!(limit(until, &at(None, None, None)), Limit::Lacks(vec![MissingFact::Now]));
        let days = TimeLimit::Days(3);
        assert_eq!(limit(days, &at(Some(3 * DAY), Some(0), None)), Limit::Holds);
        assert_eq!(limit(days, &at(Some(3 * DAY + 1), Some(0), None)), Limit::Expired);
        assert_eq!(
            limit(days, &at(None, None, None)),
            Limit::Lacks(vec![MissingFact::Now, MissingFact::FirstUse])
        );
        let recrawled = TimeLimit::UntilRecrawled;
        assert_eq!(limit(recrawled, &at(None, Some(5), Some(5))), Limit::Holds);
        assert_eq!(limit(recrawled, &at(None, Some(5), Some(6))), Limit::Expired);
        assert_eq!(limit(recrawled, &at(None, Some(5), None)), Limit::Lacks(vec![MissingFact::LastCrawl]));
    }
}
