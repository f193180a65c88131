//! The charts of the page. Marks are SVG that stretches; labels are HTML around it, so they keep their size on a phone.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use robomata_engine::Moment;
use robomata_jobs::score::report::{CrawlerScore, DayScore, ScoreReport};

use super::{name, number, plural_of, ratio};

/// The number of crawlers that have their own colour; all others share one.
const SERIES: usize = 6;
/// The maximum number of days in a chart by day; longer periods are shown by week, then by month.
const DAYS: i32 = 62;
const WEEKS: i32 = 7 * 70;
/// The number of crawlers whose times between requests are shown.
const CRAWLERS: usize = 30;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns the name of a month from `01` to `12`.
pub(super) fn month(number: &str) -> Option<&'static str> {
    MONTHS.get(number.parse::<usize>().ok()?.checked_sub(1)?).copied()
}

/// Draws requests by crawler and day.
pub(super) fn requests(report: &ScoreReport) -> Markup {
    let mut crawlers: Vec<&CrawlerScore> = report.crawlers.iter().collect();
    crawlers.sort_by_key(|crawler| std::cmp::Reverse(crawler.counts.requests));
    by_time(report, &crawlers, "Requests", |day| day.requests)
}

/// Draws violations by crawler and day.
pub(super) fn violations(report: &ScoreReport) -> Markup {
    let violators: Vec<&CrawlerScore> =
        report.crawlers.iter().filter(|crawler| crawler.counts.disallowed > 0).collect();
    by_time(report, &violators, "Disallowed requests", |day| day.disallowed)
}

/// The unit of a chart's time axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Span {
    Day,
    Week,
    Month,
}

impl Span {
    fn of(days: i32) -> Self {
        if days <= DAYS {
            Span::Day
        } else if days <= WEEKS {
            Span::Week
        } else {
            Span::Month
        }
    }

    /// Returns the number of the span that contains a day, counted from 1970.
    fn place(self, day: i32) -> i32 {
        match self {
            Span::Day => day,
            // The first of January 1970 was a Thursday.
            Span::Week => (day + 3).div_euclid(7),
            Span::Month => {
                let date = date(day);
                let mut parts = date.split('-').map(|part| part.parse().unwrap_or(0));
                parts.next().unwrap_or(0) * 12 + parts.next().unwrap_or(1) - 1
            }
        }
    }

    fn name(self, place: i32) -> String {
        let day = match self {
            Span::Day => place,
            Span::Week => place * 7 - 3,
            Span::Month => {
                let month = usize::try_from(place.rem_euclid(12)).unwrap_or(0);
                return format!("{} {}", MONTHS[month], place.div_euclid(12));
            }
        };
        super::date(&date(day))
    }

    fn as_str(self) -> &'static str {
        match self {
            Span::Day => "day",
            Span::Week => "week",
            Span::Month => "month",
        }
    }
}

/// The counts of one crawler by span.
struct Series {
    name: String,
    class: String,
    counts: Vec<u64>,
}

/// Draws stacked columns by day, week or month: the first crawlers separately, all others together.
fn by_time(
    report: &ScoreReport,
    crawlers: &[&CrawlerScore],
    what: &str,
    count: impl Fn(&DayScore) -> u64,
) -> Markup {
    // Uses all requests, so that all charts of a page have the same time axis.
    let days = || report.crawlers.iter().flat_map(|crawler| &crawler.days).map(|day| day.number);
    let (Some(first), Some(last)) = (days().min(), days().max()) else {
        return html! { p { "There were none." } };
    };
    let span = Span::of(last.saturating_sub(first).saturating_add(1));
    let (first, last) = (span.place(first), span.place(last));
    // A log may contain times that are centuries apart.
    let spans = usize::try_from(last - first).unwrap_or(0) + 1;
    if spans > 1200 {
        return html! { p { "The requests are more than a century apart: too far for a chart." } };
    }
    let counts = |crawlers: &[&CrawlerScore]| {
        let mut counts = vec![0; spans];
        for day in crawlers.iter().flat_map(|crawler| &crawler.days) {
            counts[usize::try_from(span.place(day.number) - first).unwrap_or(0)] += count(day);
        }
        counts
    };
    let classes = classes(report, crawlers);
    let mut series: Vec<Series> = crawlers
        .iter()
        .zip(classes)
        .map(|(crawler, class)| Series { name: name(crawler), class, counts: counts(&[crawler]) })
        .collect();
    let others = crawlers.len().saturating_sub(SERIES);
    if others > 0 {
        let name = plural_of(others as u64, "other crawler");
        series.push(Series { name, class: "c0".to_owned(), counts: counts(&crawlers[SERIES..]) });
    }
    let names: Vec<String> = (first..=last).map(|place| span.name(place)).collect();
    columns(&format!("{what} by crawler and {} (UTC)", span.as_str()), &names, &series)
}

/// Assigns colours to the first crawlers. A crawler with many requests has the same colour on the whole page.
fn classes(report: &ScoreReport, crawlers: &[&CrawlerScore]) -> Vec<String> {
    let mut most: Vec<&CrawlerScore> = report.crawlers.iter().collect();
    most.sort_by_key(|crawler| std::cmp::Reverse(crawler.counts.requests));
    let place =
        |crawler: &&CrawlerScore| most.iter().take(SERIES).position(|other| other.crawler == crawler.crawler);
    let shown = &crawlers[..crawlers.len().min(SERIES)];
    let mut free: Vec<usize> =
        (0..SERIES).filter(|&class| !shown.iter().any(|crawler| place(crawler) == Some(class))).collect();
    free.reverse();
    shown
        .iter()
        .map(|crawler| format!("c{}", place(crawler).or_else(|| free.pop()).unwrap_or(0) + 1))
        .collect()
}

fn columns(caption: &str, names: &[String], series: &[Series]) -> Markup {
    let totals: Vec<u64> =
        (0..names.len()).map(|at| series.iter().map(|series| series.counts[at]).sum()).collect();
    let (top, step) = scale(totals.iter().copied().max().unwrap_or(0));
    let last = names.len() - 1;
    let is_wide = names.len() > 12;
    let labels = labels(last);
    let last_label = labels.len() - 1;
    // A few columns are not stretched over the whole page.
    let narrow = if !is_wide { format!("max-width:{}rem", 8 + 9 * names.len()) } else { String::new() };
    html! {
        figure {
            ul.legend {
                @for series in series {
                    li { span.swatch.(series.class) {} (series.name) " " b { (number(series.counts.iter().sum())) } }
                }
            }
            div.chart style=(narrow) role="img" aria-label={ (caption) ", from " (names[0]) " to " (names[last]) "; the figures are in the table below" } {
                div.y aria-hidden="true" {
                    @for tick in (0..=top).step_by(usize::try_from(step).unwrap_or(1)) {
                        span style={ "bottom:" (super::width(tick, top)) "%" } { (number(tick)) }
                    }
                }
                div.plot { (PreEscaped(marks(names, series, &totals, top, step))) }
                div.x aria-hidden="true" {
                    @for (place, at) in labels.into_iter().enumerate() {
                        span.minor[(last_label - place) % 2 == 1].end[is_wide && at == last].start[is_wide && at == 0]
                            style={ "left:" (super::width(2 * at as u64 + 1, 2 * names.len() as u64)) "%" } { (names[at]) }
                    }
                }
            }
            figcaption { (caption) "." }
            details {
                summary { "Figures" }
                (super::table(caption, &heads(series), &html! {
                    @for (at, name) in names.iter().enumerate().filter(|(at, _)| totals[*at] > 0) {
                        tr {
                            th scope="row" data-v=(at) { (name) }
                            @for series in series { (super::count(series.counts[at])) }
                        }
                    }
                }))
            }
        }
    }
}

fn heads(series: &[Series]) -> Vec<(&str, bool)> {
    std::iter::once(("From", true)).chain(series.iter().map(|series| (series.name.as_str(), true))).collect()
}

/// Draws the columns in a view box with a width of one unit per column and a height of 100.
fn marks(names: &[String], series: &[Series], totals: &[u64], top: u64, step: u64) -> String {
    let columns = names.len();
    let mut svg =
        format!(r#"<svg viewBox="0 0 {columns} 100" preserveAspectRatio="none" aria-hidden="true">"#);
    for tick in (0..=top).step_by(usize::try_from(step).unwrap_or(1)) {
        let y = 100.0 - ratio(tick, top) * 100.0;
        let _ = write!(svg, r#"<line x1="0" x2="{columns}" y1="{y:.2}" y2="{y:.2}"/>"#);
    }
    for (at, name) in names.iter().enumerate().filter(|(at, _)| totals[*at] > 0) {
        let parts = || series.iter().filter(|series| series.counts[at] > 0);
        let shares = parts().map(|series| format!("{} {}", series.name, number(series.counts[at])));
        let shares = shares.collect::<Vec<_>>().join(", ");
        let title = html! { title { (name) ": " (number(totals[at])) " (" (shares) ")" } };
        let _ = write!(svg, "<g>{}", title.into_string());
        let mut y = 100.0;
        for series in parts() {
            let height = ratio(series.counts[at], top) * 100.0;
            y -= height;
            let (x, class) = (at as f64 + 0.1, &series.class);
            let _ = write!(
                svg,
                r#"<rect class="{class}" x="{x:.1}" y="{y:.3}" width=".8" height="{height:.3}"/>"#
            );
        }
        svg += "</g>";
    }
    svg + "</svg>"
}

/// Returns the end of an axis that fits `most`, and the distance between its ticks: four to six ticks at round numbers.
fn scale(most: u64) -> (u64, u64) {
    let mut power: u64 = 1;
    loop {
        for step in [1, 2, 5].map(|digit| power.saturating_mul(digit)) {
            if most.div_ceil(step) <= 5 {
                return (step.saturating_mul(most.div_ceil(step).max(1)), step);
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Returns the positions up to `last` that have labels: the ends and some in between.
fn labels(last: usize) -> Vec<usize> {
    let parts = last.clamp(1, 4);
    let mut places: Vec<usize> = (0..=parts).map(|part| part * last / parts).collect();
    places.dedup();
    places
}

/// The octave of milliseconds that ends at half a second. All shorter times share one bar.
const SHORTEST: usize = 8;

/// Draws the distribution of the times between requests, by crawler, on one axis.
pub(super) fn gaps(report: &ScoreReport) -> Markup {
    let pairs = |crawler: &CrawlerScore| crawler.delay.histogram.iter().map(|(_, count)| count).sum::<u64>();
    let mut crawlers: Vec<&CrawlerScore> =
        report.crawlers.iter().filter(|crawler| pairs(crawler) > 0).collect();
    crawlers.sort_by_key(|crawler| std::cmp::Reverse(pairs(crawler)));
    let all = crawlers.len();
    crawlers.truncate(CRAWLERS);
    let last = crawlers.iter().map(|crawler| crawler.delay.histogram.len()).max().unwrap_or(0).max(18);
    if crawlers.is_empty() {
        return html! { p { "No crawler made two requests to the same site in time order." } };
    }
    let bars = last - SHORTEST;
    let heads = [
        ("Crawler", false),
        ("Time to the next request", false),
        ("Median", true),
        ("10% within", true),
        ("90% within", true),
        ("Pairs", true),
        ("Too soon", true),
    ];
    let ticks = [
        (1, "1 s"),
        (10, "10 s"),
        (60, "1 min"),
        (600, "10 min"),
        (3600, "1 h"),
        (86_400, "1 d"),
        (864_000, "10 d"),
    ];
    let at = |seconds: u32| (f64::from(seconds * 1000 + 1).log2() - SHORTEST as f64) / bars as f64 * 100.0;
    let rows = html! {
        @for crawler in &crawlers {
            tr {
                th scope="row" { (name(crawler)) }
                td.gaps {
                    (PreEscaped(histogram(crawler, bars)))
                    div.x aria-hidden="true" {
                        @for (place, (seconds, name)) in ticks.iter().enumerate() {
                            @if at(*seconds) < 97.0 { span.minor[place % 2 == 1] style={ "left:" (format!("{:.2}", at(*seconds))) "%" } { (name) } }
                        }
                    }
                }
                @if let Some([tenth, half, most]) = crawler.delay.quantiles {
                    @for seconds in [half, tenth, most] { td.n data-v=(format!("{seconds:.3}")) { (duration(seconds)) } }
                } @else { td {} td {} td {} }
                (super::count(pairs(crawler)))
                @if crawler.delay.asked > 0 {
                    td.n data-v=(crawler.delay.broken) { (number(crawler.delay.broken)) " of " (number(crawler.delay.asked)) }
                } @else { td.n data-v="0" { "–" } }
            }
        }
    };
    html! {
        p { "The time between two requests of a crawler to the same site. Each bar stands for twice the time of the previous bar." }
        (super::table("Time between requests, by crawler", &heads, &rows))
        @if all > CRAWLERS { p.note { "The first " (CRAWLERS) " of " (plural_of(all as u64, "crawler")) "." } }
    }
}

fn histogram(crawler: &CrawlerScore, bars: usize) -> String {
    let mut counts = vec![0; bars];
    for (octave, (_, count)) in crawler.delay.histogram.iter().enumerate() {
        counts[octave.saturating_sub(SHORTEST).min(bars - 1)] += count;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut svg = format!(
        r#"<svg viewBox="0 0 {bars} 100" preserveAspectRatio="none" role="img" aria-label="distribution; the figures are in the next columns">"#
    );
    for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (ratio(count, most) * 100.0).max(2.0);
        let end = duration(((1_u64 << (at + SHORTEST + 1)) - 1) as f64 / 1000.0);
        let title = html! { title { "up to " (end) ": " (plural_of(count, "pair")) } };
        let (x, y) = (at as f64 + 0.06, 100.0 - height);
        let _ = write!(
            svg,
            r#"<g>{}<rect class="c1" x="{x:.2}" y="{y:.2}" width=".88" height="{height:.2}"/></g>"#,
            title.into_string()
        );
    }
    let _ = write!(svg, r#"<line x1="0" x2="{bars}" y1="100" y2="100"/></svg>"#);
    svg
}

/// Formats seconds in the largest unit that they fill, with two digits.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let Some((length, unit)) = units.into_iter().find(|unit| seconds >= unit.0 * 0.995) else {
        return format!("{:.0} ms", seconds * 1000.0);
    };
    let number = seconds / length;
    if number < 9.95 {
        format!("{} {unit}", (number * 10.0).round() / 10.0)
    } else {
        format!("{number:.0} {unit}")
    }
}

/// Formats days since 1970 as `2024-05-31`.
fn date(day: i32) -> String {
    let text = Moment::from_seconds(i64::from(day) * 86_400).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        let scales = [0, 1, 4, 7, 12, 99, 1000, 2345].map(scale);
        assert_eq!(scales, [(1, 1), (1, 1), (4, 1), (8, 2), (15, 5), (100, 20), (1000, 200), (2500, 500)]);
        assert!(scale(u64::MAX).0 > u64::MAX / 2);
    }

    #[test]
    fn long_times_are_shown_by_weeks_and_months() {
        assert_eq!(Span::of(62).name(19_737), "15 Jan 2024");
        assert_eq!(Span::Week.name(Span::Week.place(19_739)), "15 Jan 2024", "a Monday");
        assert_eq!(Span::Month.name(Span::Month.place(19_739)), "Jan 2024");
        assert!(Span::of(63) == Span::Week && Span::of(1000) == Span::Month);
    }

    #[test]
    fn labels_are_few_and_have_both_ends() {
        assert_eq!(labels(0), [0]);
        assert_eq!(labels(2), [0, 1, 2]);
        assert_eq!(labels(61), [0, 15, 30, 45, 61]);
    }

    #[test]
    fn times_have_one_unit() {
        let shown = [0.25, 1.0, 1.25, 59.0, 100.2, 5400.0, 86_400.0, 864_000.0].map(duration);
        assert_eq!(shown, ["250 ms", "1 s", "1.3 s", "59 s", "1.7 min", "1.5 h", "1 d", "10 d"]);
    }
}
