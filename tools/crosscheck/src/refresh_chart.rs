//! Draws outdated verdicts against saved fetches.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::refresh::{Outcome, Strategy};

const SIZE: (u32, u32) = (800, 440);
const PLAN: RGBColor = RGBColor(31, 119, 180);
const CACHE: RGBColor = RGBColor(130, 130, 130);

/// Draws what the strategies achieved; the first one is the baseline.
///
/// # Errors
/// When the file cannot be written.
pub fn write(found: &[(Strategy, Outcome)], path: &Path) -> Result<()> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    draw(&area, found).map_err(|error| anyhow!("{}: {error}", path.display()))
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    found: &[(Strategy, Outcome)],
) -> Result<(), Box<dyn std::error::Error>> {
    let (_, daily) = found.first().ok_or("expected a baseline")?;
    let points = |is_shown: fn(&Strategy) -> bool| -> Vec<(f64, f64)> {
        let shown = found.iter().filter(|(strategy, _)| is_shown(strategy));
        shown
            .map(|(_, outcome)| (outcome.saved_share(daily) * 100.0, outcome.stale_share() * 100.0))
            .collect()
    };
    let cache = points(|strategy| matches!(strategy, Strategy::Cache(_)));
    let mut plan = points(|strategy| matches!(strategy, Strategy::Plan(_)));
    plan.insert(0, cache[0]);
    let shares = || cache.iter().chain(&plan).map(|point| point.1);
    let lowest = shares().fold(f64::INFINITY, f64::min).max(1e-6);
    let highest = shares().fold(lowest, f64::max);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..100.0, (lowest / 1.5..highest * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .x_desc("fetches saved against a cache of 24 hours, %")
        .y_desc("outdated verdicts, % (logarithmic)")
        .x_label_formatter(&|percent| format!("{percent:.0}"))
        .y_label_formatter(&|percent| format!("{percent}"))
        .draw()?;
    for (points, color, name) in
        [(cache, CACHE, "every file equally often"), (plan, PLAN, "the first rows of the plan")]
    {
        chart
            .draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 15))
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}
