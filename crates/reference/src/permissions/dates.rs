//! Dates as in `unavailable_after`: RFC 822, RFC 850, ISO 8601 (P10).

use robomata_protocol::{Date, Moment};

use super::time::{day, day_number, digits};

/// The date at the beginning of `text`, and its length in bytes, even if it is not readable.
///
/// It extends to the end of the text, or to a comma that cannot continue a date. A comma continues one between a weekday
/// and a digit, or between a second and the digits of its fraction.
pub(crate) fn leading(text: &str) -> (Option<Moment>, usize) {
    let continues = |&(comma, _): &(usize, &str)| {
        let (before, after) = (&text[..comma], &text[comma + 1..]);
        let is_digit = |c: char| c.is_ascii_digit();
        let is_day = is_weekday(before.trim_ascii()) && after.trim_ascii_start().starts_with(is_digit);
        // What `.0` can follow is the second of a date.
        is_day || (after.starts_with(is_digit) && date(&format!("{}.0", before.trim_ascii_start())).is_some())
    };
    let end = text.match_indices(',').find(|comma| !continues(comma)).map_or(text.len(), |(comma, _)| comma);
    (date(text[..end].trim_ascii()), end)
}

/// `[weekday [","]] day [time [zone]]`. A day alone means its last second; no zone is UTC.
fn date(text: &str) -> Option<Moment> {
    let text = without_weekday(text);
    let (date, rest) = iso_8601(text).or_else(|| rfc_822(text))?;
    if rest.is_empty() {
        return Some(moment(date, 86_399, 0));
    }
    let (clock, rest) = clock(rest)?;
    let offset = if rest.is_empty() { 0 } else { zone(rest.trim_ascii_start())? };
    Some(moment(date, clock, offset))
}

fn without_weekday(text: &str) -> &str {
    let (word, rest) = run(text, |c| c.is_ascii_alphabetic());
    if !is_weekday(word) {
        return text;
    }
    let after_comma = rest.trim_ascii_start().strip_prefix(',').map(str::trim_ascii_start);
    after_comma.or_else(|| after_space(rest)).unwrap_or(text)
}

/// `yyyy-mm-dd` or `yyyymmdd`, and the text after it without the `T` or white space that separates them.
fn iso_8601(text: &str) -> Option<(Date, &str)> {
    let basic = |text: &str| {
        let bytes = text.as_bytes();
        day(digits(&bytes[..4])?, digits(&bytes[4..6])?, digits(&bytes[6..])?)
    };
    let extended = text.get(..10).and_then(super::time::date);
    let date = extended.or_else(|| text.get(..8).and_then(basic))?;
    let rest = if extended.is_some() { &text[10..] } else { &text[8..] };
    let time = match rest.strip_prefix(['T', 't']) {
        // A time follows a `T`.
        Some("") => return None,
        Some(time) => time,
        None => after_space(rest)?,
    };
    Some((date, time))
}

/// `dd mon yyyy`, or as in RFC 850 `dd-mon-yy`, and the text after it without white space.
fn rfc_822(text: &str) -> Option<(Date, &str)> {
    let separated = |after: fn(&str) -> Option<&str>| {
        let (day, rest) = run(text, |c| c.is_ascii_digit());
        let (month, rest) = run(after(rest)?, |c| c.is_ascii_alphabetic());
        Some((day, month, after(rest)?))
    };
    let (day, month, rest) = separated(|rest| rest.strip_prefix('-')).or_else(|| separated(after_space))?;
    let (year, rest) = run(rest, |c| c.is_ascii_digit());
    let date = self::day(self::year(year)?, self::month(month)?, short_number(day)?)?;
    Some((date, after_space(rest)?))
}

/// The characters of one kind at the beginning of `text`, and the text after them.
fn run(text: &str, is_of_kind: fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !is_of_kind(c)).unwrap_or(text.len()))
}

/// The text after white space, or nothing if there is nothing.
fn after_space(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    (text.is_empty() || rest.len() < text.len()).then_some(rest)
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

fn month(text: &str) -> Option<u32> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let number = (1_u32..).zip(NAMES).find(|(_, name)| text.eq_ignore_ascii_case(name));
    number.map(|(number, _)| number)
}

fn is_weekday(text: &str) -> bool {
    const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    NAMES.iter().any(|name| text.eq_ignore_ascii_case(name) || text.eq_ignore_ascii_case(&name[..3]))
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
        ] {
            assert_eq!(date(text), moment, "{text}");
        }
        assert_eq!(date("2010-06-25"), Some(Moment(1_277_510_399)));
        assert_eq!(date("Fri, 25 Jun 2010"), Some(Moment(1_277_510_399)));
        assert_eq!(date("20100625 235960"), Some(Moment(1_277_510_399)));
        for text in [
            "",
            "soon",
            "Fri",
            "31 Feb 2010 10:00 GMT",
            "31-Feb 2010",
            "25- Jun-2010",
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
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_ends_at_a_comma_that_cannot_continue_it() {
        let (date, length) = leading(" Fri, 25 Jun 2010 15:00:00 GMT, noindex");
        assert_eq!((date, length), (Some(Moment(1_277_478_000)), 30));
        assert_eq!(leading(" Fri, noindex"), (None, 4));
        assert_eq!(leading("soon noindex"), (None, 12));
        assert_eq!(leading(" 20100625 150000,5, noindex"), (Some(Moment(1_277_478_000)), 18));
        assert_eq!(leading(" 20100625 1500,5, noindex"), (Some(Moment(1_277_478_000)), 14));
        assert_eq!(leading(" 20100625 150000, 5"), (Some(Moment(1_277_478_000)), 16));
    }
}
