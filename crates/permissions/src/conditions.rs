//! Whether the restrictions of a permission still leave a permission (`crates/PERMISSIONS.md`, A19, A20, P7).

use robomata_protocol::{Circumstances, Date, MissingFact, Moment, PermissionReason, TimeLimit};

/// The effect of a qualifier.
#[derive(Clone, Debug)]
pub enum ConditionEffect {
    /// The permission applies, as far as that is known.
    Yes(Vec<MissingFact>),
    /// The permission does not apply.
    No(PermissionReason),
}

/// If several conditions end a permission, the one to report: time, then location, then required resources (A19).
pub(crate) fn first_to_report(
    earlier: Option<PermissionReason>,
    reason: PermissionReason,
) -> Option<PermissionReason> {
    let rank = |reason: PermissionReason| match reason {
        PermissionReason::Expired => 0,
        PermissionReason::LocationMismatch => 1,
        _ => 2,
    };
    earlier.filter(|&earlier| rank(earlier) <= rank(reason)).or(Some(reason))
}

const HELD: ConditionEffect = ConditionEffect::Yes(Vec::new());
/// The seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// Whether a time limit leaves the permission at the time of the query.
pub(crate) fn time_limit(limit: &TimeLimit, circumstances: &Circumstances) -> ConditionEffect {
    let Circumstances { now, first_use, last_crawl, .. } = *circumstances;
    let is_over = match *limit {
        TimeLimit::UntilDate(date) => now.map(|Moment(now)| now >= (day_of(date) + 1) * DAY),
        TimeLimit::Until(Moment(end)) => now.map(|Moment(now)| now > end),
        TimeLimit::Days(days) => now.zip(first_use).map(|(Moment(now), Moment(first))| {
            i128::from(now) - i128::from(first) > i128::from(days) * i128::from(DAY)
        }),
        TimeLimit::UntilRecrawled => last_crawl.zip(first_use).map(|(last, first)| last > first),
    };
    match is_over {
        Some(true) => ConditionEffect::No(PermissionReason::Expired),
        Some(false) => HELD,
        None => ConditionEffect::Yes(lacks(limit, circumstances)),
    }
}

fn lacks(limit: &TimeLimit, circumstances: &Circumstances) -> Vec<MissingFact> {
    let now = circumstances.now.is_none().then_some(MissingFact::Now);
    let first_use = circumstances.first_use.is_none().then_some(MissingFact::FirstUse);
    let last_crawl = circumstances.last_crawl.is_none().then_some(MissingFact::LastCrawl);
    let needed = match limit {
        TimeLimit::UntilDate(_) | TimeLimit::Until(_) => [now, None],
        TimeLimit::Days(_) => [now, first_use],
        TimeLimit::UntilRecrawled => [first_use, last_crawl],
    };
    needed.into_iter().flatten().collect()
}

/// The days from 1970-01-01 to a day of the Gregorian calendar.
pub(crate) fn day_of(Date { year, month, day }: Date) -> i64 {
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
