//! Instants in time.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// An instant: whole seconds since 1970-01-01T00:00:00Z without leap seconds; negative values are earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(pub i64);

/// This many seconds are milliseconds: seconds are fewer until the year 5138, and milliseconds have been more since 1973.
const MILLISECONDS: i64 = 100_000_000_000;

impl Moment {
    /// The beginning of the year of the first robots.txt.
    pub const YEAR_1994: Self = Moment(757_382_400);

    /// The instant `seconds` after 1970-01-01T00:00:00Z.
    pub const fn from_seconds(seconds: i64) -> Self {
        Moment(seconds)
    }

    /// The instant of a clock that counts seconds since 1970-01-01T00:00:00Z; fractions are rounded down. None if it is not
    /// finite, or 10^11 seconds or more away, because that many are milliseconds.
    pub fn from_clock(seconds: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "in the range of 64 bits")]
        (seconds.abs() < MILLISECONDS as f64).then_some(Moment(seconds.floor() as i64))
    }

    /// The current time. None where there is no clock: in WebAssembly outside WASI.
    pub fn now() -> Option<Self> {
        let has_clock = cfg!(not(all(target_family = "wasm", target_os = "unknown")));
        has_clock.then(|| SystemTime::now().into())
    }

    /// This instant, as one at which a robots.txt may have been fetched.
    ///
    /// # Errors
    /// If it is before 1994. There was no robots.txt then: it stands for a time that is not known, as 0 often does. Also from
    /// 10^11 seconds on, because that many are milliseconds.
    pub const fn of_fetch(self) -> Result<Self, FetchTimeError> {
        if self.0 < Moment::YEAR_1994.0 || self.0 >= MILLISECONDS {
            Err(FetchTimeError(self))
        } else {
            Ok(self)
        }
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub const fn seconds(self) -> i64 {
        self.0
    }
}

impl From<SystemTime> for Moment {
    /// Fractions of a second are dropped.
    fn from(time: SystemTime) -> Self {
        let whole = |seconds: u64| i64::try_from(seconds).unwrap_or(i64::MAX);
        Moment(match time.duration_since(UNIX_EPOCH) {
            Ok(since) => whole(since.as_secs()),
            Err(before) => {
                -whole(before.duration().as_nanos().div_ceil(1_000_000_000).try_into().unwrap_or(u64::MAX))
            }
        })
    }
}

/// A time at which no robots.txt can have been fetched. See [`Moment::of_fetch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchTimeError(Moment);

impl fmt::Display for FetchTimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.0;
        match time < Moment::YEAR_1994 {
            true => write!(f, "expected a time since 1994, found {time} (leave it out if it is not known)"),
            false => write!(f, "expected seconds since 1970, found {} (milliseconds?)", time.0),
        }
    }
}

impl std::error::Error for FetchTimeError {}

/// Seconds per day.
const DAY: i64 = 86_400;

/// The instants of the years 0 to 9999, which have four digits.
const FOUR_DIGIT_YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

impl fmt::Display for Moment {
    /// `2026-11-21T08:05:00Z`; `@` and the seconds if the year does not have four digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !FOUR_DIGIT_YEARS.contains(&self.0) {
            return f.pad(&format!("@{}", self.0));
        }
        let (year, month, day) = civil(self.0.div_euclid(DAY));
        let second = self.0.rem_euclid(DAY);
        let [hour, minute, second] = [second / 3600, second / 60 % 60, second % 60];
        f.pad(&format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
    }
}

/// Year, month and day of the Gregorian calendar, `days` after 1970-01-01.
///
/// Years start in March, so that the leap day is the last day of a year; 400 years have 146,097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months = (5 * of_year + 2) / 153;
    let day = of_year - (153 * months + 2) / 5 + 1;
    let month = if months < 10 { months + 3 } else { months - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_no_seconds_of_a_clock() {
        assert_eq!(Moment::from_clock(-0.5), Some(Moment(-1)));
        assert_eq!(Moment::from_clock(1_563_876_900.9), Some(Moment(1_563_876_900)));
        for seconds in [1e11, -1e11, 1_563_876_900_000.0, f64::INFINITY, f64::NAN] {
            assert_eq!(Moment::from_clock(seconds), None, "{seconds}");
        }
    }

    #[test]
    fn robots_txt_began_in_1994() {
        let (first, last) = (Moment::YEAR_1994, Moment(99_999_999_999));
        assert_eq!(first.to_string(), "1994-01-01T00:00:00Z");
        assert_eq!((first.of_fetch(), last.of_fetch()), (Ok(first), Ok(last)));
        for other in [i64::MIN, -1, 0, first.0 - 1, last.0 + 1, i64::MAX].map(Moment) {
            assert_eq!(other.of_fetch(), Err(FetchTimeError(other)));
        }
        assert_eq!(
            Moment(0).of_fetch().unwrap_err().to_string(),
            "expected a time since 1994, found 1970-01-01T00:00:00Z (leave it out if it is not known)"
        );
        assert_eq!(
            Moment(1_800_000_000_000).of_fetch().unwrap_err().to_string(),
            "expected seconds since 1970, found 1800000000000 (milliseconds?)"
        );
    }

    #[test]
    fn moments_are_written_as_dates() {
        let written = |seconds| Moment::from_seconds(seconds).to_string();
        assert_eq!(written(0), "1970-01-01T00:00:00Z");
        assert_eq!(written(-1), "1969-12-31T23:59:59Z");
        assert_eq!(written(784_111_777), "1994-11-06T08:49:37Z");
        assert_eq!(written(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(written(-62_167_219_200), "0000-01-01T00:00:00Z");
        assert_eq!(written(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(written(253_402_300_800), "@253402300800");
        assert_eq!(written(i64::MIN), format!("@{}", i64::MIN));
    }
}
