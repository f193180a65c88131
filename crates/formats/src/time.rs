//! The time of a capture, in the formats of archives.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use robomata_protocol::lifecycle::Moment;

/// An instant. Instants are ordered, so captures of one site from different sources can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(jiff::Timestamp);

/// A text or number that is not a [`Timestamp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {TIME}: there was no robots.txt before 1994")]
pub struct UnreadableTime;

/// What [`Timestamp`] parses.
pub(crate) const TIME: &str =
    "an ISO 8601 time such as 2026-11-28, 14 digits or seconds since 1970, of the years 1994 to 2200";

impl Timestamp {
    /// The last instant.
    pub(crate) const MAX: Timestamp = Timestamp(jiff::Timestamp::MAX);

    /// Interprets a number: a whole one like [`Timestamp::from_number`], any other one as seconds since 1970. Fractions are
    /// accurate to about a microsecond, the precision of a 64-bit float for today's times.
    ///
    /// # Errors
    /// Fails when a whole number is not a time, and outside the years 1994 to 2200.
    pub fn from_float(number: f64) -> Result<Self, UnreadableTime> {
        /// Whole numbers up to this one are exact.
        const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() <= MAX_WHOLE {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
            return Timestamp::from_number(number as i64);
        }
        let since = jiff::SignedDuration::try_from_secs_f64(number).map_err(|_| UnreadableTime)?;
        let time = jiff::Timestamp::from_duration(since).map_err(|_| UnreadableTime)?;
        Timestamp(time).in_range()
    }

    /// The instant `nanoseconds` after 1970-01-01T00:00:00Z, or before if negative.
    ///
    /// # Errors
    /// Fails outside the years -9999 to 9999.
    pub fn from_nanoseconds(nanoseconds: i128) -> Result<Self, UnreadableTime> {
        jiff::Timestamp::from_nanosecond(nanoseconds).map(Timestamp).map_err(|_| UnreadableTime)
    }

    /// Interprets a whole number: 14 digits are `YYYYMMDDhhmmss` and 8 digits `YYYYMMDD`, both in UTC. Any other number
    /// means seconds since 1970. (Eight digits of seconds would be before the first robots.txt.)
    ///
    /// # Errors
    /// Fails when the digits are not a date, and outside the years 1994 to 2200: such a number has another unit or another
    /// form, such as `YYYYMMDDhhmm`.
    pub fn from_number(number: i64) -> Result<Self, UnreadableTime> {
        let time = match number {
            10_000_000..=99_999_999 => midnight(digits_date(number)?)?,
            10_000_000_000_000..=99_999_999_999_999 => {
                let [hour, minute, second] = [number / 10_000, number / 100, number].map(two_digits);
                let date = digits_date(number / 1_000_000)?;
                let time = jiff::civil::Time::new(hour, minute, second, 0).map_err(|_| UnreadableTime)?;
                in_utc(date.to_datetime(time))?
            }
            seconds => jiff::Timestamp::from_second(seconds).map(Timestamp).map_err(|_| UnreadableTime)?,
        };
        time.in_range()
    }

    /// Refuses years that no capture and no request is of. Before 1994 there was no robots.txt: such a time is one that is not
    /// known, as 0 often is, or not a time, such as the seconds that a fetch took.
    pub(crate) fn in_range(self) -> Result<Self, UnreadableTime> {
        /// The beginning of the year 2201, in seconds.
        const END: i64 = 7_289_654_400;
        let moment = Moment::from_seconds(self.seconds());
        if moment.of_fetch().is_ok() && self.seconds() < END { Ok(self) } else { Err(UnreadableTime) }
    }

    /// The instant `milliseconds` after 1970-01-01T00:00:00Z, or before if negative.
    ///
    /// # Errors
    /// Fails outside the years -9999 to 9999.
    pub fn from_milliseconds(milliseconds: i64) -> Result<Self, UnreadableTime> {
        jiff::Timestamp::from_millisecond(milliseconds).map(Timestamp).map_err(|_| UnreadableTime)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, rounded down; negative before.
    pub fn milliseconds(self) -> i64 {
        self.seconds() * 1000 + i64::from(self.nanoseconds() / 1_000_000)
    }

    /// The instant of a clock that is `offset` seconds ahead of UTC. `clock` is year, month, day, hour, minute and
    /// second. A leap second (60) counts as the second before it. Fails outside the years 1994 to 2200.
    pub(crate) fn from_clock(clock: [i16; 6], nanoseconds: i32, offset: i64) -> Result<Self, UnreadableTime> {
        let [year, rest @ ..] = clock;
        let [month, day, hour, minute, second] =
            rest.map(|field| i8::try_from(field).map_err(|_| UnreadableTime));
        let date = Date::new(year, month?, day?).map_err(|_| UnreadableTime)?;
        let second = second?;
        let second = if second == 60 { 59 } else { second };
        let time = jiff::civil::Time::new(hour?, minute?, second, nanoseconds);
        let local = in_utc(date.to_datetime(time.map_err(|_| UnreadableTime)?))?;
        let utc = local.0.checked_sub(jiff::SignedDuration::from_secs(offset));
        utc.map(Timestamp).map_err(|_| UnreadableTime)?.in_range()
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down; negative before.
    pub fn seconds(self) -> i64 {
        self.0.as_nanosecond().div_euclid(NANOS).try_into().expect("the years -9999 to 9999 fit")
    }

    /// The nanoseconds between this instant and `other`.
    pub(crate) fn nanoseconds_to(self, other: Self) -> u128 {
        self.0.as_nanosecond().abs_diff(other.0.as_nanosecond())
    }

    /// Nanoseconds since [`Timestamp::seconds`].
    pub fn nanoseconds(self) -> u32 {
        self.0.as_nanosecond().rem_euclid(NANOS).try_into().expect("a second has fewer than 2^32 nanoseconds")
    }
}

/// Nanoseconds in a second.
const NANOS: i128 = 1_000_000_000;

/// The last two decimal digits.
fn two_digits(number: i64) -> i8 {
    i8::try_from(number % 100).expect("two digits are less than 128")
}

/// The date of eight digits.
fn digits_date(number: i64) -> Result<Date, UnreadableTime> {
    let year = i16::try_from(number / 10_000).map_err(|_| UnreadableTime)?;
    Date::new(year, two_digits(number / 100), two_digits(number)).map_err(|_| UnreadableTime)
}

fn midnight(date: Date) -> Result<Timestamp, UnreadableTime> {
    in_utc(date.to_datetime(jiff::civil::Time::midnight()))
}

fn in_utc(time: DateTime) -> Result<Timestamp, UnreadableTime> {
    TimeZone::UTC.to_timestamp(time).map(Timestamp).map_err(|_| UnreadableTime)
}

/// Parses ISO 8601 and RFC 3339 (`2019-07-23T10:00:00.5+02:00`, `2019-07-23 10:00`, `2019-07-23`), in UTC by default. A
/// date alone means midnight. Numbers are parsed like [`Timestamp::from_number`] and [`Timestamp::from_float`].
/// Surrounding white space is ignored. Times outside the years 1994 to 2200 are refused.
impl FromStr for Timestamp {
    type Err = UnreadableTime;

    fn from_str(text: &str) -> Result<Self, UnreadableTime> {
        let text = text.trim_ascii();
        if let Ok(number) = text.parse::<i64>() {
            return Timestamp::from_number(number);
        }
        if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-')) && text.contains('.') {
            return Timestamp::from_float(text.parse().map_err(|_| UnreadableTime)?);
        }
        // The name of a zone without an offset cannot be resolved here, and must not be read as UTC.
        if text.contains('[') {
            return Err(UnreadableTime);
        }
        let time = match text.parse::<jiff::Timestamp>() {
            Ok(time) => Timestamp(time),
            Err(_) => in_utc(text.parse().map_err(|_| UnreadableTime)?)?,
        };
        time.in_range()
    }
}

/// Formats as RFC 3339 in UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        text.parse().ok().map(Timestamp::seconds)
    }

    #[test]
    fn every_form_of_one_instant_is_the_same() {
        let forms = [
            "2019-07-23T10:15:00Z",
            "2019-07-23t10:15:00z",
            "2019-07-23 10:15:00+00:00",
            "2019-07-23T12:15:00+02:00",
            "2019-07-23T10:15:00",
            "2019-07-23 10:15",
            "20190723T101500Z",
            " 20190723101500 ",
            "1563876900",
            "1563876900.0",
            "20190723101500.0",
        ];
        for form in forms {
            assert_eq!(seconds(form), Some(1_563_876_900), "{form}");
        }
    }

    #[test]
    fn dates_are_midnight_in_utc() {
        for form in ["2019-07-23", "20190723", "20190723.0", "20190723.", "1563840000"] {
            assert_eq!(seconds(form), Some(1_563_840_000), "{form}");
        }
    }

    #[test]
    fn the_order_is_that_of_time_whatever_the_form() {
        let ordered = [
            "757382400",
            "757382400.25",
            "2019-07-23",
            "20190723101500",
            "1563876900.25",
            "2019-07-23T10:15:00.5Z",
        ];
        let times: Vec<Timestamp> = ordered.iter().map(|text| text.parse().unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_eq!((times[1].nanoseconds(), times[4].nanoseconds()), (250_000_000, 250_000_000));
        assert_eq!(times[5].to_string(), "2019-07-23T10:15:00.5Z");
    }

    #[test]
    fn the_last_years_are_2200_and_the_first_1994() {
        assert_eq!(seconds("7289654399"), seconds("22001231235959"));
        assert_eq!((seconds("757382400"), seconds("1994-01-01")), (Some(757_382_400), Some(757_382_400)));
        let before = Timestamp::from_nanoseconds(-250_000_000).unwrap();
        assert_eq!((before.seconds(), before.nanoseconds()), (-1, 750_000_000));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        let strangers = [
            "",
            "yesterday",
            "2019-13-01",
            "2019-07-32",
            "20191301",
            "20190723106000",
            "2019-07",
            "1.2.3",
            "2019-07-23T10:00[Europe/Berlin]",
            "2019-07-23T10:00:00+99:00",
            "1563876900000",
            // YYYYMMDDhhmm as seconds would be the year 8383.
            "202401010000",
            "202401010000.0",
            "7289654400",
            "22010101",
            "2201-01-01",
            "-1",
            "-0.25",
            // What is often written for a time that is not known, and what is none: seconds of a fetch, a year, an hour.
            "0",
            "0.35",
            "2026",
            "0900",
            "1970-01-01T00:00:00Z",
            "757382399.9",
            "1993-12-31T23:59:59.999Z",
            "19931231",
            "19931231.0",
        ];
        for stranger in strangers {
            assert_eq!(stranger.parse::<Timestamp>(), Err(UnreadableTime), "{stranger}");
        }
        assert_eq!(Timestamp::from_float(f64::NAN), Err(UnreadableTime));
    }
}
