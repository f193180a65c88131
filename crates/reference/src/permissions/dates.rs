//! Dates as in `unavailable_after`: RFC 822, RFC 850, ISO 8601, asctime, a month before its day (P10).

use robomata_protocol::{Date, Moment};

use super::robots_meta::{first_word, is_known};
use super::time::{day, day_number, digits};

/// The date at the beginning of `text`, and its length in bytes, even if it is not readable.
///
/// It is the longest text up to a comma, to white space and a known word after it, or to the end, that is a date. If there is
/// none, it extends to the first of these.
pub(crate) fn leading(text: &str) -> (Option<Moment>, usize) {
    // A date has commas after its weekday, before its year and a fraction, and any number in its comment.
    let is_end = |&at: &usize| match text.as_bytes()[at] {
        b',' => true,
        byte => byte.is_ascii_whitespace() && is_known(first_word(&text[at + 1..])),
    };
    // "A known word that is no valid value of a known directive before it is not its value."
    let start = is_known(first_word(text)).then_some(0);
    let later = (0..text.len()).filter(is_end).chain([text.len()]);
    let ends: Vec<usize> = start.into_iter().chain(later).collect();
    let dates = ends.iter().rev().map(|&end| (date(text[..end].trim_ascii()), end));
    dates.into_iter().find(|(date, _)| date.is_some()).unwrap_or((None, ends[0]))
}

/// `[weekday [","]] day [time] [zone] [comment]`. A day alone means its last second; no zone is UTC.
fn date(text: &str) -> Option<Moment> {
    let text = without_weekday(without_comment(text));
    if let Some((date, clock, zone)) = asctime(text) {
        return Some(moment(date, clock, offset_of(zone)?));
    }
    let (date, rest) = iso_8601(text).or_else(|| rfc_822(text)).or_else(|| month_first(text))?;
    let time = rest.trim_ascii_start();
    let is_separated = time.len() < rest.len();
    let (clock, zone) = if let Some(time) = rest.strip_prefix(['T', 't']) {
        clock(time.trim_ascii_start())?
    } else if is_separated && time.starts_with(|c: char| c.is_ascii_digit()) {
        clock(time)?
    } else {
        (86_399, rest)
    };
    Some(moment(date, clock, offset_of(zone)?))
}

/// The offset of the zone that is all of `text`; UTC without one.
fn offset_of(text: &str) -> Option<i64> {
    let text = text.trim_ascii_start();
    if text.is_empty() { Some(0) } else { zone(text) }
}

/// The text before a comment at its end, which has no parentheses in it (RFC 822, 3.4.3).
fn without_comment(text: &str) -> &str {
    let Some((before, comment)) = text.strip_suffix(')').and_then(|text| text.rsplit_once('(')) else {
        return text;
    };
    if comment.contains(')') { text } else { before.trim_ascii_end() }
}

/// The text after a weekday, white space and a comma.
fn without_weekday(text: &str) -> &str {
    let (word, rest) = run(text, |c| c.is_ascii_alphabetic());
    if number_of(word, &WEEKDAYS).is_none() {
        return text;
    }
    let rest = rest.trim_ascii_start();
    rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start()
}

/// `yyyy-mm-dd`, `yyyy/mm/dd` or `yyyymmdd`, and the text after it.
fn iso_8601(text: &str) -> Option<(Date, &str)> {
    let basic = |text: &str| {
        let bytes = text.as_bytes();
        day(digits(&bytes[..4])?, digits(&bytes[4..6])?, digits(&bytes[6..])?)
    };
    let slashed =
        |text: &str| (!text.contains('-')).then(|| super::time::date(&text.replace('/', "-"))).flatten();
    let extended = text.get(..10).and_then(|text| super::time::date(text).or_else(|| slashed(text)));
    let date = extended.or_else(|| text.get(..8).and_then(basic))?;
    let rest = if extended.is_some() { &text[10..] } else { &text[8..] };
    Some((date, rest))
}

/// Day, month and year, with hyphens and white space between them, and the text after them.
fn rfc_822(text: &str) -> Option<(Date, &str)> {
    let separated = |text| {
        let (separator, rest) = run(text, |c| c == '-' || c.is_ascii_whitespace());
        if separator.is_empty() { None } else { Some(rest) }
    };
    let (day, rest) = run(text, |c| c.is_ascii_digit());
    let (month, rest) = run(separated(rest)?, |c| c.is_ascii_alphabetic());
    let (year, rest) = run(separated(rest)?, |c| c.is_ascii_digit());
    let date = self::day(self::year(year)?, number_of(month, &MONTHS)?, short_number(day)?)?;
    Some((date, rest))
}

/// Month, day and year, with white space or a comma before the year, and the text after them.
fn month_first(text: &str) -> Option<(Date, &str)> {
    let (month, day, rest) = month_and_day(text)?;
    let spaced = rest.trim_ascii_start();
    let year_and_rest = match spaced.strip_prefix(',') {
        Some(after) => after.trim_ascii_start(),
        None => after_space(rest)?,
    };
    let (year, rest) = run(year_and_rest, |c| c.is_ascii_digit());
    Some((self::day(self::year(year)?, month, day)?, rest))
}

/// `asctime-date = day-name SP date3 SP time-of-day SP year` (RFC 9110, 5.6.7), without the day: the date, the second of
/// the day, and the text after them.
fn asctime(text: &str) -> Option<(Date, i64, &str)> {
    let (month, day, rest) = month_and_day(text)?;
    let rest = after_space(rest)?;
    let (written, _) = run(rest, |c| c == ':' || c.is_ascii_digit());
    let (clock, rest) = if written.contains(':') { clock(rest)? } else { return None };
    let (year, rest) = run(after_space(rest)?, |c| c.is_ascii_digit());
    Some((self::day(self::year(year)?, month, day)?, clock, rest))
}

/// A month, white space, a day of the month, and the text after them.
fn month_and_day(text: &str) -> Option<(u32, u32, &str)> {
    let (month, rest) = run(text, |c| c.is_ascii_alphabetic());
    let (day, rest) = run(after_space(rest)?, |c| c.is_ascii_digit());
    Some((number_of(month, &MONTHS)?, short_number(day)?, rest))
}

/// The text after white space, of which there is some.
fn after_space(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (rest.len() < text.len()).then_some(rest)
}

/// The characters of one kind at the beginning of `text`, and the text after them.
fn run(text: &str, is_of_kind: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_of_kind(c)).unwrap_or(text.len()))
}

fn moment(date: Date, clock: i64, offset: i64) -> Moment {
    Moment(day_number(date) * 86_400 + clock - offset)
}

/// `hh:mm`, `hh:mm:ss`, `hhmm` or `hhmmss` in seconds, and the text after it. The hour may have one digit before a `:`. A
/// second may have a fraction, which has no effect; second 60 is 59.
fn clock(text: &str) -> Option<(i64, &str)> {
    let (written, rest) = run(text, |c| c == ':' || c.is_ascii_digit());
    let parts: Vec<&[u8]> = if written.contains(':') {
        written.as_bytes().split(|&byte| byte == b':').collect()
    } else {
        written.as_bytes().chunks(2).collect()
    };
    let two = |part: &[u8]| if part.len() == 2 { digits(part) } else { None };
    let (hour, minutes, seconds, rest) = match parts[..] {
        [hour, minutes] => (hour, two(minutes)?, 0, rest),
        [hour, minutes, seconds] => (hour, two(minutes)?, two(seconds)?, after_fraction(rest)?),
        _ => return None,
    };
    let hours = if hour.len() <= 2 { digits(hour)? } else { return None };
    let exists = hours < 24 && minutes < 60 && seconds <= 60;
    exists.then(|| (i64::from(hours * 3600 + minutes * 60 + seconds.min(59)), rest))
}

/// The text after `.` or `,` and at least one digit, or all of it if it begins with neither.
fn after_fraction(text: &str) -> Option<&str> {
    let Some(fraction) = text.strip_prefix(['.', ',']) else {
        return Some(text);
    };
    let (digits, rest) = run(fraction, |c| c.is_ascii_digit());
    (!digits.is_empty()).then_some(rest)
}

/// The offset of a zone from UTC in seconds (RFC 822, section 5.1; the letters of military zones are not supported).
fn zone(text: &str) -> Option<i64> {
    let hours = match text.to_ascii_uppercase().as_str() {
        "UT" | "UTC" | "GMT" | "Z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => return offset(text),
    };
    Some(hours * 3600)
}

/// `Z`, `+hh`, `+hhmm` or `+hh:mm`, in seconds.
fn offset(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, amount) = match text.split_at_checked(1)? {
        ("+", amount) => (1, amount),
        ("-", amount) => (-1, amount),
        _ => return None,
    };
    let bytes = amount.as_bytes();
    let (hours, minutes) = match bytes.len() {
        2 => (digits(bytes)?, 0),
        4 => (digits(&bytes[..2])?, digits(&bytes[2..])?),
        5 if bytes[2] == b':' => (digits(&bytes[..2])?, digits(&bytes[3..])?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then(|| sign * i64::from(hours * 3600 + minutes * 60))
}

/// Four digits, or two: up to 69 in this century, otherwise in the last (P10).
fn year(text: &str) -> Option<u32> {
    let year = digits(text.as_bytes())?;
    match text.len() {
        4 => Some(year),
        2 if year < 70 => Some(2000 + year),
        2 => Some(1900 + year),
        _ => None,
    }
}

/// The day of a month: one digit or two.
fn short_number(text: &str) -> Option<u32> {
    if text.len() <= 2 { digits(text.as_bytes()) } else { None }
}

const MONTHS: [&str; 12] = [
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

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// The place, from 1, of the name that is `text` or begins with its three letters or more, without case.
fn number_of(text: &str, names: &[&str]) -> Option<u32> {
    let text = text.to_ascii_lowercase();
    let is_name = |name: &&str| text.len() >= 3 && name.starts_with(&text);
    (1_u32..).zip(names).find(|(_, name)| is_name(name)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_moment_in_its_spellings() {
        let moment = Some(Moment(1_277_478_000));
        for text in [
            "Fri, 25 Jun 2010 15:00:00 GMT",
            "25 Jun 2010 15:00:00 UTC",
            "25 Jun 10 15:00 GMT",
            "25 jun 2010 07:00:00 PST",
            "Friday, 25-Jun-10 15:00:00 GMT",
            "2010-06-25T15:00:00Z",
            "2010-06-25T17:00:00.5+02:00",
            "2010-06-25 15:00",
            "25 Jun 2010 10:00:00 -0500",
            "20100625T150000Z",
            "20100625 1500",
            "2010-06-25T15:00:00,25 GMT",
            "Monday 25 Jun 2010 15:00Z",
            "Fri, 20100625T10:00:00.0-05",
            "friday 2010-06-25 5:00 -10:00",
            "25-Jun-2010 140000,9-01",
            "Frid25 June 2010 15:00",
            "Fri,25- -jun-\t10 15:00",
            "2010-06-25T 15:00 z",
            "25 Jun 2010T15:00",
            "Fri Jun 25 15:00:00 2010",
            "june 25 15:00 10 GMT",
            "June 25, 2010 15:00",
            "fri,Jun 25 ,10 10:00:00,5 -0500",
            "2010/06/25 15:00 (UTC)",
            "25 Jun 2010 15:00(a, b)",
        ] {
            assert_eq!(date(text), moment, "{text}");
        }
        assert_eq!(date("2010-06-25"), Some(Moment(1_277_510_399)));
        assert_eq!(date("Fri, 25 Jun 2010"), Some(Moment(1_277_510_399)));
        assert_eq!(date("20100625 235960"), Some(Moment(1_277_510_399)));
        assert_eq!(date("20100625Z"), Some(Moment(1_277_510_399)));
        assert_eq!(date("25-Jun-2010-01:00"), Some(Moment(1_277_513_999)));
        for text in [
            "",
            "soon",
            "Fri",
            "31 Feb 2010 10:00 GMT",
            "31-Feb 2010",
            "25Jun2010",
            "25 Ju 2010",
            "25 Junes 2010",
            "Fr 25 Jun 2010",
            "Fri,, 25 Jun 2010",
            "2010-06-25T25:00Z",
            "2010-06-25T24:00Z",
            "2010-06-25X",
            "2010-06-25T",
            "2010-0625",
            "2010-06-25 10",
            "2010-06-25 100",
            "2010-06-25 1:00:00.Z",
            "2010-06-25 1:00.5",
            "2010-06-25 1:00:00:00",
            "2010-06-25 1:00 GMT+1",
            "2010-06-25 (a) (b)",
            "2010-06-25 (a))",
            "2010/06-25",
            "Jun 25 15:00",
            "Jun 25, 15:00 2010",
            "Jun-25 2010",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_is_the_longest_text_up_to_a_comma_that_is_one() {
        let (date, length) = leading(" Fri, 25 Jun 2010 15:00:00 GMT, noindex");
        assert_eq!((date, length), (Some(Moment(1_277_478_000)), 30));
        assert_eq!(leading(" Fri, noindex"), (None, 4));
        assert_eq!(leading("soon noindex"), (None, 4));
        assert_eq!(leading("soon no index, x"), (None, 7));
        assert_eq!(leading("2010-06-25 ( noindex ) max-snippet:5"), (Some(Moment(1_277_510_399)), 22));
        assert_eq!(leading(" 20100625 150000,5, noindex"), (Some(Moment(1_277_478_000)), 18));
        assert_eq!(leading(" 20100625 1500,5, noindex"), (Some(Moment(1_277_478_000)), 14));
        assert_eq!(leading("June 25, 2010 15:00 (a, b, c), noindex"), (Some(Moment(1_277_478_000)), 29));
        assert_eq!(leading(" 20100625 150000, 5"), (Some(Moment(1_277_478_000)), 16));
        assert_eq!(leading(" 20100625 150000,5 noindex"), (Some(Moment(1_277_478_000)), 18));
        assert_eq!(leading(" 20100625 150000,5 unknown"), (Some(Moment(1_277_478_000)), 16));
    }
}
