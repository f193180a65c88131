//! Parses the dates of `unavailable_after`: RFC 822, RFC 850, ISO 8601, `asctime` and dates that begin with a month
//! (`crates/PERMISSIONS.md`, P10).

use jiff::civil::DateTime;
use robomata_protocol::Moment;

/// The maximum length of a date with its comment.
const LONGEST: usize = 128;

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Parses all of `text` as a date. A date without a time means the last second of that day. A time without a zone is in
/// UTC.
pub(crate) fn moment(text: &str) -> Option<Moment> {
    let text = text.trim_ascii();
    if text.len() > LONGEST {
        return None;
    }
    let text = skip_weekday(without_comment(text));
    let (date, time, rest) = asctime(text).or_else(|| {
        let (date, rest) = iso_date(text).or_else(|| named_date(text)).or_else(|| american_date(text))?;
        let after = rest.strip_prefix(|c: char| matches!(c, 'T' | 't') || c.is_ascii_whitespace());
        let found = after.and_then(|rest| time(rest.trim_ascii_start()));
        let (time, rest) = found.unwrap_or((Time::LAST, rest));
        Some((date, time, rest))
    })?;
    let offset = zone(rest.trim_ascii())?;
    let (year, month, day) = date;
    let moment = DateTime::new(year, month, day, time.hour, time.minute, time.second, 0).ok()?;
    Some(Moment(moment.duration_since(EPOCH).as_secs() - offset))
}

/// The longest date at the beginning of `text` with one of these `ends`, which are in order; what is before the first of them if
/// there is none.
pub(crate) fn longest(text: &str, mut ends: impl Iterator<Item = usize>) -> &str {
    let first = ends.next().unwrap_or(text.len());
    let may_be_date = |end: &usize| text[..*end].trim_ascii().len() <= LONGEST;
    let others: Vec<usize> = ends.take_while(may_be_date).collect();
    let is_date = |end: &&usize| moment(&text[..**end]).is_some();
    &text[..others.iter().rfind(is_date).copied().unwrap_or(first)]
}

#[derive(Clone, Copy)]
struct Time {
    hour: i8,
    minute: i8,
    second: i8,
}

impl Time {
    const LAST: Time = Time { hour: 23, minute: 59, second: 59 };
}

type Day = (i16, i8, i8);

/// Skips `Fri, ` or `Friday, `. Does not check that the word is a weekday.
fn skip_weekday(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let word = word.to_ascii_lowercase();
    if word.len() >= 3 && names.iter().any(|name| name.starts_with(&word)) {
        let rest = rest.trim_ascii_start();
        return rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
    }
    text
}

/// The text before a comment in parentheses, if it ends in one (RFC 822).
fn without_comment(text: &str) -> &str {
    let comment = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    comment.filter(|(_, comment)| !comment.contains(')')).map_or(text, |(date, _)| date.trim_ascii_end())
}

/// `2010-06-25`, `2010/06/25` or `20100625`.
fn iso_date(text: &str) -> Option<(Day, &str)> {
    let (year, rest) = digits(text, 4)?;
    let mark = rest.chars().next().filter(|mark| matches!(mark, '-' | '/'));
    let part = |text| digits(mark.map_or(Some(text), |mark| str::strip_prefix(text, mark))?, 2);
    let (month, rest) = part(rest)?;
    let (day, rest) = part(rest)?;
    Some(((year, i8::try_from(month).ok()?, i8::try_from(day).ok()?), rest))
}

/// `25 Jun 2010`, `25-Jun-10`.
fn named_date(text: &str) -> Option<(Day, &str)> {
    let (day, rest) = day(text)?;
    let (month, rest) = month(separator(rest)?)?;
    let (year, rest) = year(separator(rest)?)?;
    Some(((year, month, day), rest))
}

/// `June 25, 2010`, `Jun 25 2010`.
fn american_date(text: &str) -> Option<(Day, &str)> {
    let (month, rest) = month(text)?;
    let (day, rest) = day(after_blanks(rest)?)?;
    let rest = match rest.trim_ascii_start().strip_prefix(',') {
        Some(rest) => rest.trim_ascii_start(),
        None => after_blanks(rest)?,
    };
    let (year, rest) = year(rest)?;
    Some(((year, month, day), rest))
}

/// `Jun 25 15:00:00 2010` (RFC 9110, 5.6.7).
fn asctime(text: &str) -> Option<(Day, Time, &str)> {
    let (month, rest) = month(text)?;
    let (day, rest) = day(after_blanks(rest)?)?;
    let text = after_blanks(rest)?;
    let (time, rest) = time(text).filter(|(_, rest)| text[..text.len() - rest.len()].contains(':'))?;
    let (year, rest) = year(after_blanks(rest)?)?;
    Some(((year, month, day), time, rest))
}

/// What follows white space.
fn after_blanks(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (rest.len() < text.len()).then_some(rest)
}

fn day(text: &str) -> Option<(i8, &str)> {
    let (day, rest) = digits(text, 2).or_else(|| digits(text, 1))?;
    Some((i8::try_from(day).ok()?, rest))
}

/// A year of four digits, or of two, which is from 1970 to 2069.
fn year(text: &str) -> Option<(i16, &str)> {
    let short = || digits(text, 2).map(|(year, rest)| (year + if year < 70 { 2000 } else { 1900 }, rest));
    digits(text, 4).or_else(short)
}

fn separator(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c == '-' || c.is_ascii_whitespace());
    (rest.len() < text.len()).then_some(rest)
}

fn month(text: &str) -> Option<(i8, &str)> {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let end = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let word = text[..end].to_ascii_lowercase();
    let position = names.iter().position(|name| word.len() >= 3 && name.starts_with(&word))?;
    Some((i8::try_from(position + 1).ok()?, &text[end..]))
}

/// `15:00`, `15:00:00`, `15:00:00.5`, `1500`, `150000`.
fn time(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = digits(text, 2).or_else(|| digits(text, 1))?;
    let is_extended = rest.starts_with(':');
    let part = |text| digits(if is_extended { str::strip_prefix(text, ':')? } else { text }, 2);
    let (minute, mut rest) = part(rest)?;
    let mut second = 0;
    if let Some(found) = part(rest) {
        (second, rest) = found;
        if let Some(fraction) = rest.strip_prefix(['.', ',']) {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == fraction.len() {
                return None;
            }
        }
    }
    let small = |number: i16| i8::try_from(number).ok();
    // Our clock has no leap seconds.
    let second = if second == 60 { 59 } else { second };
    Some((Time { hour: small(hour)?, minute: small(minute)?, second: small(second)? }, rest))
}

/// Seconds east of UTC.
fn zone(text: &str) -> Option<i64> {
    if let Some(rest) = text.strip_prefix(['+', '-']) {
        let (hours, rest) = digits(rest, 2)?;
        let minutes = rest.strip_prefix(':').unwrap_or(rest);
        let (minutes, rest) = if minutes.is_empty() { (0, "") } else { digits(minutes, 2)? };
        let offset = i64::from(hours) * 3600 + i64::from(minutes) * 60;
        let is_offset = rest.is_empty() && hours < 24 && minutes < 60;
        return is_offset.then_some(if text.starts_with('-') { -offset } else { offset });
    }
    let hours = match text.to_ascii_uppercase().as_str() {
        "" | "Z" | "UT" | "UTC" | "GMT" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return None,
    };
    Some(hours * 3600)
}

/// Parses the next `count` digits as a number.
fn digits(text: &str, count: usize) -> Option<(i16, &str)> {
    let number = text.get(..count).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((number.parse().ok()?, &text[count..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standards_and_their_zones() {
        let three_pm = 1_277_478_000;
        let same = [
            "Fri, 25 Jun 2010 15:00:00 GMT",
            "25 Jun 2010 15:00 UT",
            "25 jun 10 07:00:00 PST",
            "25-Jun-2010 10:00:00 EST",
            "Friday, 25-Jun-10 15:00:00 GMT",
            "2010-06-25T15:00:00Z",
            "2010-06-25T17:00:00.250+02:00",
            "2010-06-25 16:00 +0100",
            "20100625T150000Z",
            "Fri 2010-06-25T15:00:00,5Z",
            "Friday , 20100625T 1500",
            "Frid25-June 2010 15:00 UTC",
            "25\nJun\n2010\n15:00",
            "25 Jun 2010 1500 GMT",
            "2010-06-25T15:00",
            "  25 June 2010 11:00:00 EDT ",
            "2010-06-25T14:59:60Z",
            "Fri, 25 Jun 2010 15:00:00 +0000 (UTC)",
            "2010-06-25T15:00Z(any, thing)",
            "Fri Jun 25 15:00:00 2010",
            "Jun 25 15:00:00 10",
            "Jun 25 15:00:00.5 2010 GMT",
            "Friday, June 25 15:00 2010 (UTC)",
            "June 25, 2010 15:00",
            "Fri, Jun 25,2010 10:00 EST",
            "jun 25 2010 1500",
            "Jun 25 10 15:00:00,5 GMT",
            "2010/06/25 15:00",
            "2010/06/25T15:00:00Z",
        ];
        for text in same {
            let expected = if text.contains(":60") { three_pm - 1 } else { three_pm };
            assert_eq!(moment(text), Some(Moment(expected)), "{text}");
        }
        assert_eq!(moment("9999-12-31"), Some(Moment(253_402_300_799)));
        assert_eq!(moment("9999-12-31T23:59:59-23:59"), Some(Moment(253_402_300_799 + 86_340)));
        assert_eq!(moment("0000-01-01T00:00:00+01:00"), Some(Moment(-62_167_219_200 - 3_600)));
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(Moment(0)));
        assert_eq!(moment("1969-12-31"), Some(Moment(-1)), "a day ends with its last second");
        assert_eq!(moment("01-Jan-70 00:00:01 GMT"), Some(Moment(1)));
        for day in [
            "1969-12-31 +00:00",
            "19691231 gmt",
            "Wed, 31-Dec-1969 UTC",
            "31 Dec 1969 Z",
            "December 31, 1969",
            "1969/12/31 (x)",
        ] {
            assert_eq!(moment(day), Some(Moment(-1)), "{day}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        let bad = [
            "",
            "tomorrow",
            "2010-02-30",
            "2010-06-25T25:00",
            "25 Foo 2010",
            "25 Jun",
            "25 Jun 2010 15:00:00 XYZ",
            "2010-06-25T15:00:00+9900",
            "2010-06-25 noindex",
            "2010-06-25T15:00:00.Z",
            "2010-06-25T24:00Z",
            "2010-06-25T15",
            "2010-W25-5",
            "2010-176",
            "2010-06",
            "2010/06-25",
            "2010-06-25 (a) (b)",
            "2010-06-25 (a (b))",
            "(2010-06-25)",
            "2010-06-25 15:00 CEST",
            "Jun-25 15:00:00 2010",
            "Jun 25 15:00:00-2010",
            "Jun 25,",
            "June 2010",
            "Jun 25, noindex",
            "25\u{e9}Jun",
            "\u{e9}\u{e9}",
        ];
        for text in bad {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
