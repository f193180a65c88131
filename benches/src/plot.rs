//! A comparison as a bar chart on a logarithmic scale: engines differ by orders of magnitude.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::figure;
use crate::results::Row;

const WIDTH: u32 = 900;
const BAR: u32 = 26;
const TOP: u32 = 40;
/// Where names end and bars begin, and where the longest bar ends.
const LEFT: u32 = 200;
const RIGHT: u32 = 760;

/// Returns whether there is anything to compare.
pub(crate) fn is_worth_it(subject: &[&Row]) -> bool {
    subject.iter().filter(|row| row.median > 0.0).count() > 1
}

/// Draws the medians of `subject`.
pub(crate) fn write(subject: &[&Row], path: &Path) -> Result<()> {
    let mut rows: Vec<&Row> = subject.iter().copied().filter(|row| row.median > 0.0).collect();
    rows.sort_by(|a, b| a.median.total_cmp(&b.median));
    let bars = u32::try_from(rows.len())?;
    let area = SVGBackend::new(path, (WIDTH, TOP + bars * BAR + BAR / 2)).into_drawing_area();
    draw(&area, &rows).map_err(|error| anyhow!("{}: {error}", path.display()))
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw(area: &Area<'_>, rows: &[&Row]) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let text = ("sans-serif", 14).into_font().color(&BLACK);
    let Row { benchmark, measure, unit, .. } = rows[0];
    let title = format!("{benchmark}: {measure}, {unit} (logarithmic)");
    area.draw_text(&title, &text, (10, 10))?;
    let least = rows[0].median / 2.0;
    let span = (rows[rows.len() - 1].median / least).ln();
    for (row, top) in rows.iter().zip((TOP..).step_by(BAR as usize)) {
        let share = (row.median / least).ln() / span;
        let (left, top, height) = (pixel(LEFT), pixel(top), pixel(BAR - 6));
        #[expect(clippy::cast_possible_truncation, reason = "a fraction of a few hundred pixels")]
        let right = left + (f64::from(RIGHT - LEFT) * share) as i32;
        let colour =
            if row.engine.starts_with("robomata") { RGBColor(31, 119, 180) } else { RGBColor(150, 150, 150) };
        area.draw(&Rectangle::new([(left, top), (right, top + height)], colour.filled()))?;
        area.draw_text(&row.engine, &text, (10, top + 3))?;
        area.draw_text(&figure(row.median), &text, (right + 6, top + 3))?;
    }
    area.present()?;
    Ok(())
}

/// Drawings are at most a few thousand pixels large.
fn pixel(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
