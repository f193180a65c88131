//! HTTP dates (RFC 9110, 5.6.7; decision F12). The numbers are read from their fixed positions, the date is written
//! again in the same form, and the result must equal the input but for its case.

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Seconds since 1970 of the date in `text`, in one of the three forms.
pub(crate) fn read(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?;
    imf_fixdate(text).or_else(|| rfc850(text)).or_else(|| asctime(text))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(text: &str) -> Option<i128> {
    let parts: Vec<&str> = text.split(' ').collect();
    let [_, day, month, year, time, _] = parts.as_slice() else { return None };
    let date = Date::new(year.parse().ok()?, month, day, time)?;
    let Date { year, day, .. } = date;
    let (weekday, month, time) = (&date.weekday()[..3], date.month_name(), date.time());
    let written = format!("{weekday}, {day:02} {month} {year:04} {time} GMT");
    is_same(text, &written).then(|| date.seconds())
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
fn rfc850(text: &str) -> Option<i128> {
    let parts: Vec<&str> = text.split([' ', '-']).collect();
    let [_, day, month, year, time, _] = parts.as_slice() else { return None };
    let two_digits: i128 = year.parse().ok().filter(|_| year.len() == 2)?;
    let year = if two_digits < 70 { 2000 + two_digits } else { 1900 + two_digits };
    let date = Date::new(year, month, day, time)?;
    let (weekday, day, month, time) = (date.weekday(), date.day, date.month_name(), date.time());
    let written = format!("{weekday}, {day:02}-{month}-{two_digits:02} {time} GMT");
    is_same(text, &written).then(|| date.seconds())
}

/// `Sun Nov  6 08:49:37 1994`, or `Sun Nov 06 08:49:37 1994`
fn asctime(text: &str) -> Option<i128> {
    let parts: Vec<&str> = text.split(' ').filter(|part| !part.is_empty()).collect();
    let [_, month, day, time, year] = parts.as_slice() else { return None };
    let date = Date::new(year.parse().ok()?, month, day, time)?;
    let Date { year, day, .. } = date;
    let (weekday, month, time) = (&date.weekday()[..3], date.month_name(), date.time());
    let forms = [
        format!("{weekday} {month} {day:>2} {time} {year:04}"),
        format!("{weekday} {month} {day:02} {time} {year:04}"),
    ];
    forms.iter().any(|form| is_same(text, form)).then(|| date.seconds())
}

/// "A cache recipient SHOULD match the field value case-insensitively" (RFC 9111, 4.2).
fn is_same(text: &str, written: &str) -> bool {
    text.eq_ignore_ascii_case(written)
}

/// A day of the calendar, and a time of the day.
struct Date {
    year: i128,
    /// 0 is January.
    month: usize,
    day: i128,
    hour: i128,
    minute: i128,
    second: i128,
}

impl Date {
    /// The date, if it exists and is between 1970 and 9999.
    fn new(year: i128, month: &str, day: &str, time: &str) -> Option<Date> {
        let month = MONTHS.iter().position(|name| is_same(name, month))?;
        let numbers: Vec<i128> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let [hour, minute, second] = numbers.as_slice() else { return None };
        let date =
            Date { year, month, day: day.parse().ok()?, hour: *hour, minute: *minute, second: *second };
        let exists = (1970..=9999).contains(&year)
            && (1..=days_of_month(year, month)).contains(&date.day)
            && (0..24).contains(hour)
            && (0..60).contains(minute)
            // "00:00:00 - 23:59:60 (leap second)" (RFC 9110, 5.6.7): `seconds` counts 60 as the next second.
            && (0..=60).contains(second);
        exists.then_some(date)
    }

    fn month_name(&self) -> &'static str {
        MONTHS[self.month]
    }

    fn time(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }

    /// Days since 1970-01-01, counted year by year and month by month.
    fn days(&self) -> i128 {
        let years: i128 = (1970..self.year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
        let months: i128 = (0..self.month).map(|month| days_of_month(self.year, month)).sum();
        years + months + self.day - 1
    }

    /// 1970-01-01 was a Thursday.
    fn weekday(&self) -> &'static str {
        let thursday = 3;
        let index = (self.days() + thursday).rem_euclid(7);
        WEEKDAYS[usize::try_from(index).expect("a number below 7")]
    }

    fn seconds(&self) -> i128 {
        ((self.days() * 24 + self.hour) * 60 + self.minute) * 60 + self.second
    }
}

fn days_of_month(year: i128, month: usize) -> i128 {
    match month {
        1 if is_leap(year) => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

fn is_leap(year: i128) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}
