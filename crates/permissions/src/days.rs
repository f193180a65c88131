//! Days of the Gregorian calendar.

use robomata_protocol::Date;

/// The seconds of a day.
pub const DAY: i64 = 86_400;

/// The days from 1970-01-01 to a day of the Gregorian calendar.
pub fn day_of(Date { year, month, day }: Date) -> i64 {
    // Years begin in March here, so that the leap day is the last day of a year.
    let (year, month) = (i64::from(year), i64::from(month));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        let day = |year, month, day| day_of(Date { year, month, day });
        assert_eq!(day(1970, 1, 1), 0);
        assert_eq!(day(1969, 12, 31), -1);
        assert_eq!(day(2000, 2, 29), 11_016);
        assert_eq!(day(2007, 12, 31), 13_878);
        assert_eq!(day(0, 1, 1), -719_528);
    }
}
