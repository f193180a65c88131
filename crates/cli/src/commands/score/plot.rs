//! Scores as drawings (SVG), for light and dark pages alike.

use std::collections::BTreeMap;

use plotters::coord::ranged1d::IntoSegmentedCoord;
use plotters::prelude::*;
use robomata_jobs::score::report::{CrawlerScore, DayScore, ScoreReport};

/// Lines of a drawing: more are hard to tell apart.
const LINES: usize = 6;
/// Bars of a drawing.
const BARS: usize = 12;

/// Colours that are told apart on white and on black, also by most who see colours otherwise.
const COLOURS: [RGBColor; LINES] = [
    RGBColor(0x00, 0x8b, 0xc4),
    RGBColor(0xd5, 0x6a, 0x00),
    RGBColor(0x00, 0x99, 0x70),
    RGBColor(0xc0, 0x60, 0xa0),
    RGBColor(0xa0, 0x8a, 0x00),
    RGBColor(0x77, 0x77, 0xdd),
];

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Days of a span whose violations are told by day; of a longer one they are told by week.
const BY_DAY: i64 = 92;

/// Points that are marked: more hide the line.
const MARKS: usize = 31;

/// Octets of a site's name that there is room for.
const NAME: usize = 38;

/// Violations a day or a week, by crawler, and what is drawn, in words; none when there was none.
pub(super) fn violations(report: &ScoreReport) -> Option<(String, &'static str)> {
    let violators = || report.crawlers.iter().filter(|crawler| crawler.counts.disallowed > 0).take(LINES);
    let days = || violators().flat_map(|crawler| &crawler.days).map(|day| i64::from(day.number));
    let (width, caption) = match days().max()? - days().min()? {
        ..BY_DAY => (1, "Disallowed requests a day, by crawler."),
        _ => (7, "Disallowed requests a week, by crawler."),
    };
    let lines = violators().map(|crawler| (crawler.crawler.as_str(), by_days(&crawler.days, width)));
    Some((violation_lines(&lines.collect::<Vec<_>>())?, caption))
}

fn violation_lines(lines: &[(&str, Vec<(i64, u64)>)]) -> Option<String> {
    let points = || lines.iter().flat_map(|(_, days)| days);
    let first = points().map(|&(day, _)| day).min()?;
    let last = points().map(|&(day, _)| day).max()?.max(first + 1);
    let most = points().map(|&(_, count)| count).max()?.max(1);
    let mark = if lines.iter().any(|(_, days)| days.len() > MARKS) { 0 } else { 2 };
    svg(360, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(32)
            .y_label_area_size(56)
            .build_cartesian_2d(first..last, 0..most + most / 10 + 1)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.15))
            .axis_style(BLACK.mix(0.6))
            .label_style(("sans-serif", 13).into_font().color(&BLACK))
            .x_labels(6)
            .x_label_formatter(&|day| date(*day))
            .draw()?;
        for ((name, days), colour) in lines.iter().zip(COLOURS) {
            let line = LineSeries::new(days.iter().copied(), colour.stroke_width(2)).point_size(mark);
            let drawn = chart.draw_series(line)?;
            drawn
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(3)));
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)
    })
}

/// Violations by site, of all crawlers.
pub(super) fn sites(report: &ScoreReport) -> Option<String> {
    let mut by_site: BTreeMap<&str, u64> = BTreeMap::new();
    // Not by the lists of sites, which are cut.
    for cell in report.cells.iter().filter(|cell| cell.verdict == "disallowed") {
        *by_site.entry(&cell.site).or_default() += cell.requests;
    }
    let mut bars: Vec<(&str, u64)> = by_site.into_iter().collect();
    bars.sort_by_key(|&(site, count)| (std::cmp::Reverse(count), site));
    bars.truncate(BARS);
    let most = bars.first()?.1;
    let count = bars.len();
    let height = u32::try_from(60 + 28 * count).unwrap_or(400);
    svg(height, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(28)
            .y_label_area_size(260)
            .build_cartesian_2d(0..most + most / 10 + 1, (0..count - 1).into_segmented())?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(BLACK.mix(0.6))
            .label_style(("sans-serif", 13).into_font().color(&BLACK))
            .y_labels(count)
            .y_label_formatter(&|at| match at {
                SegmentValue::CenterOf(at) => shortened(bars.get(count - 1 - at).map_or("", |bar| bar.0)),
                _ => String::new(),
            })
            .draw()?;
        chart.draw_series(bars.iter().enumerate().map(|(at, &(_, requests))| {
            let at = count - 1 - at;
            let corners = [(0, SegmentValue::Exact(at)), (requests, SegmentValue::Exact(at + 1))];
            let mut bar = Rectangle::new(corners, COLOURS[0].filled());
            bar.set_margin(4, 4, 0, 0);
            bar
        }))?;
        Ok(())
    })
}

/// How the times between requests are distributed, by crawler: those with most pairs.
pub(super) fn delays(report: &ScoreReport) -> Option<String> {
    let pairs =
        |crawler: &CrawlerScore| -> u64 { crawler.delay.histogram.iter().map(|(_, count)| count).sum() };
    let mut crawlers: Vec<&CrawlerScore> =
        report.crawlers.iter().filter(|crawler| pairs(crawler) > 1).collect();
    crawlers.sort_by_key(|crawler| std::cmp::Reverse(pairs(crawler)));
    crawlers.truncate(LINES);
    let longest = crawlers.iter().filter_map(|crawler| crawler.delay.histogram.last()).map(|last| last.0);
    let longest = longest.fold(10.0, f64::max);
    if crawlers.is_empty() {
        return None;
    }
    svg(360, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(32)
            .y_label_area_size(56)
            .build_cartesian_2d((0.01..longest).log_scale(), 0.0..1.0)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.15))
            .axis_style(BLACK.mix(0.6))
            .label_style(("sans-serif", 13).into_font().color(&BLACK))
            .x_label_formatter(&|&seconds| duration(seconds))
            .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
            .draw()?;
        for (crawler, colour) in crawlers.iter().zip(COLOURS) {
            let line = chart
                .draw_series(LineSeries::new(shares(crawler, pairs(crawler)), colour.stroke_width(2)))?;
            line.label(&crawler.crawler)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(3)));
        }
        legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}

/// Which share of all pairs stays below so many seconds.
#[expect(clippy::cast_precision_loss, reason = "a drawing")]
fn shares(crawler: &CrawlerScore, pairs: u64) -> Vec<(f64, f64)> {
    let mut sum = 0;
    let histogram = crawler.delay.histogram.iter();
    histogram
        .map(|&(seconds, count)| {
            sum += count;
            (seconds.max(0.01), sum as f64 / pairs as f64)
        })
        .collect()
}

fn legend<'a, X: Ranged, Y: Ranged>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, Y>>,
    position: SeriesLabelPosition,
) -> Drawn {
    chart
        .configure_series_labels()
        .position(position)
        .label_font(("sans-serif", 13).into_font().color(&BLACK))
        .draw()?;
    Ok(())
}

/// A drawing in which black is the page's own colour of text; none when it cannot be drawn.
fn svg(
    height: u32,
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Drawn,
) -> Option<String> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, (860, height)).into_drawing_area();
    let drawn = draw(&area).is_ok() && area.present().is_ok();
    drop(area);
    drawn.then(|| text.replace("#000000", "currentColor").replace("<svg ", "<svg role=\"img\" "))
}

/// Violations by spans of `width` days, each under its first day; those without requests count as none.
fn by_days(days: &[DayScore], width: i64) -> Vec<(i64, u64)> {
    let mut known: BTreeMap<i64, u64> = BTreeMap::new();
    for day in days {
        *known.entry(i64::from(day.number).div_euclid(width)).or_default() += day.disallowed;
    }
    let (Some(first), Some(last)) = (known.keys().next(), known.keys().next_back()) else {
        return Vec::new();
    };
    (*first..=*last).map(|span| (span * width, known.get(&span).copied().unwrap_or(0))).collect()
}

/// A site's name without its middle, when it is too long: its ends tell it apart.
fn shortened(name: &str) -> String {
    if name.len() <= NAME || !name.is_ascii() {
        return name.to_owned();
    }
    format!("{}…{}", &name[..NAME / 2], &name[name.len() - NAME / 2..])
}

/// Seconds in the largest unit that they fill.
fn duration(seconds: f64) -> String {
    let units = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let (length, unit) = units.into_iter().find(|unit| seconds >= unit.0).unwrap_or((1.0, "s"));
    let number = seconds / length;
    if number >= 10.0 {
        format!("{number:.0} {unit}")
    } else {
        format!("{} {unit}", (number * 100.0).round() / 100.0)
    }
}

fn date(day: i64) -> String {
    let seconds = day.saturating_mul(86_400);
    let text = robomata::Moment::from_seconds(seconds).to_string();
    text.split('T').next().unwrap_or_default().to_owned()
}
