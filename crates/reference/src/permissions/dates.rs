//! Dates as in `unavailable_after`: RFC 822, RFC 850, ISO 8601 (P10).

use robomata_protocol::{Date, Moment};

use super::time::{day, day_number, digits};
use crate::text::is_page_space;

/// The date at the beginning of `text`, and its length in bytes, even if it is not readable.
///
/// It extends to the end of the text, or to a comma that cannot continue a date. Only a comma between the name of a day
/// and a digit is part of a date.
pub(crate) fn leading(text: &str) -> (Option<Moment>, usize) {
    let mut end = text.len();
    for (comma, _) in text.match_indices(',') {
        let is_behind_day = is_day_name(text[..comma].trim_ascii());
        let is_before_digit = text[comma + 1..].trim_ascii_start().starts_with(|c: char| c.is_ascii_digit());
        if !(is_behind_day && is_before_digit) {
            end = comma;
            break;
        }
    }
    (date(text[..end].trim_ascii()), end)
}

fn date(text: &str) -> Option<Moment> {
    iso_8601(text).or_else(|| rfc_822(text))
}

/// `[day ","] dd mon yyyy hh:mm[:ss] [zone]`, with the parts of the day separated by white space or, as in RFC 850, by
/// `-`.
fn rfc_822(text: &str) -> Option<Moment> {
    let text = match text.split_once(',') {
        Some((name, rest)) if is_day_name(name.trim_ascii()) => rest.trim_ascii(),
        Some(_) => return None,
        None => text,
    };
    let mut words: Vec<&str> = text
        .split(|c: char| c.is_ascii() && is_page_space(c as u8))
        .filter(|word| !word.is_empty())
        .collect();
    if let Some(&first) = words.first()
        && first.contains('-')
    {
        words.splice(0..1, first.split('-'));
    }
    let (of_day, year, time, zone) = match words[..] {
        [day, month, year] => ((day, month), year, None, None),
        [day, month, year, time] => ((day, month), year, Some(time), None),
        [day, month, year, time, zone] => ((day, month), year, Some(time), Some(zone)),
        _ => return None,
    };
    let date = day(self::year(year)?, month(of_day.1)?, short_number(of_day.0)?)?;
    // A day alone means its last second.
    let clock = time.map_or(Some(86_399), clock)?;
    let offset = match zone {
        None => 0,
        Some(zone) => self::zone(zone)?,
    };
    Some(moment(date, clock, offset))
}

/// `yyyy-mm-dd` (alone it means its last second), then optionally `T` or white space, `hh:mm[:ss[.f]]`, and `Z` or
/// `+hh[[:]mm]`.
fn iso_8601(text: &str) -> Option<Moment> {
    let date = super::time::date(text.get(..10)?)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(moment(date, 86_399, 0));
    }
    let clock_and_zone = rest.strip_prefix(['T', 't']).or_else(|| {
        let trimmed = rest.trim_ascii_start();
        (trimmed.len() < rest.len()).then_some(trimmed)
    })?;
    let zone_at = clock_and_zone.find(['Z', 'z', '+', '-']).unwrap_or(clock_and_zone.len());
    let (time, zone) = clock_and_zone.split_at(zone_at);
    let time = match time.split_once('.') {
        Some((time, fraction)) => {
            // A fraction is a fraction of seconds.
            let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
            if !is_fraction || time.len() != 8 {
                return None;
            }
            time
        }
        None => time.trim_ascii_end(),
    };
    let offset = if zone.is_empty() { 0 } else { offset(zone)? };
    Some(moment(date, clock(time)?, offset))
}

fn moment(date: Date, clock: i64, offset: i64) -> Moment {
    Moment(day_number(date) * 86_400 + clock - offset)
}

/// `hh:mm[:ss]`, in seconds.
fn clock(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split(':').collect();
    let two = |part: &str| if part.len() == 2 { digits(part.as_bytes()) } else { None };
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes] => (two(hours)?, two(minutes)?, 0),
        [hours, minutes, seconds] => (two(hours)?, two(minutes)?, two(seconds)?),
        _ => return None,
    };
    let exists = hours < 24 && minutes < 60 && seconds < 60;
    exists.then(|| i64::from(hours * 3600 + minutes * 60 + seconds))
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

fn is_day_name(text: &str) -> bool {
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
        ] {
            assert_eq!(date(text), moment, "{text}");
        }
        assert_eq!(date("2010-06-25"), Some(Moment(1_277_510_399)));
        assert_eq!(date("Fri, 25 Jun 2010"), Some(Moment(1_277_510_399)));
        for text in ["", "soon", "31 Feb 2010 10:00 GMT", "2010-06-25T25:00Z", "2010-06-25X"] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_ends_at_a_comma_that_cannot_continue_it() {
        let (date, length) = leading(" Fri, 25 Jun 2010 15:00:00 GMT, noindex");
        assert_eq!((date, length), (Some(Moment(1_277_478_000)), 30));
        assert_eq!(leading(" Fri, noindex"), (None, 4));
        assert_eq!(leading("soon noindex"), (None, 12));
    }
}
