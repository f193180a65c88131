//! Points in time, as cases write them.

use robomata_protocol::Moment;

/// Parses `text` as a moment: `yyyy-mm-dd` (its beginning in UTC) or RFC 3339's `yyyy-mm-ddThh:mm:ss` with `Z` or an
/// offset `+hh:mm`, `-hh:mm`. Returns `None` if it is neither.
pub fn moment(text: &str) -> Option<Moment> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00Z"));
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let (clock, offset) = match time.strip_suffix('Z') {
        Some(clock) => (clock, 0),
        None => {
            let at = time.rfind(['+', '-'])?;
            let [hours, minutes] = numbers(&time[at + 1..], ':', [2, 2])?;
            let seconds = hours * 3600 + minutes * 60;
            (&time[..at], if time.as_bytes()[at] == b'-' { -seconds } else { seconds })
        }
    };
    let [hours, minutes, seconds] = numbers(clock, ':', [2, 2, 2])?;
    let in_range = hours < 24 && minutes < 60 && seconds < 60;
    in_range.then(|| {
        Moment(days_before(year, month, day) * 86_400 + hours * 3600 + minutes * 60 + seconds - offset)
    })
}

/// Decimal numbers of these lengths, separated by `by`.
fn numbers<const N: usize>(text: &str, by: char, lengths: [usize; N]) -> Option<[i64; N]> {
    let mut parts = text.split(by);
    let mut all = [0; N];
    for (number, length) in all.iter_mut().zip(lengths) {
        let part = parts.next().filter(|part| part.len() == length)?;
        *number = part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())??;
    }
    parts.next().is_none().then_some(all)
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from the beginning of 1970 to this one, counted year by year and month by month.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let of_year = |year| if is_leap(year) { 366 } else { 365 };
    let years: i64 =
        if year >= 1970 { (1970..year).map(of_year).sum() } else { -(year..1970).map(of_year).sum::<i64>() };
    years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_follow_the_calendar() {
        for (text, seconds) in [
            ("1970-01-01", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2007-11-30", 1_196_380_800),
            ("2008-03-01T00:00:00+01:00", 1_204_326_000),
            ("2000-02-29T12:30:15-02:30", 951_836_415),
        ] {
            assert_eq!(moment(text), Some(Moment(seconds)), "{text}");
        }
        for text in [
            "",
            "2007",
            "2007-13-01",
            "2007-02-29",
            "2007-1-1",
            "2007-01-01T00:00:00",
            "2007-01-01T24:00:00Z",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
