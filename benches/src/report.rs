//! Results as Markdown, with a plot for each table.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::plot;
use crate::rank;
use crate::results::{Row, by_subject};

/// Writes `README.md` and the plots into a directory.
pub(crate) fn write(rows: &[Row], directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)?;
    let mut out = "# Benchmarks\n\n".to_owned();
    if let Some(row) = rows.first() {
        let Row { date, cpu, cores, rustc, .. } = row;
        writeln!(out, "{date}; {cpu}, {cores} cores; {rustc}.\n")?;
    }
    out.push_str(
        "The ratio is relative to the base of the benchmark: the median of the rounds' ratios. Under 1 is less.\n",
    );
    for subject in by_subject(rows) {
        out.push_str(&table(&subject));
        if plot::is_worth_it(&subject) {
            let name = format!("{}.svg", file_name(subject[0]));
            plot::write(&subject, &directory.join(&name))?;
            writeln!(out, "\n![{}]({name})", subject[0].benchmark)?;
        }
    }
    write!(out, "\n## Ranks\n\n{}", rank::table(rows, ""))?;
    Ok(fs::write(directory.join("README.md"), out)?)
}

/// The tables of one benchmark.
pub(crate) fn tables(rows: &[Row]) -> String {
    by_subject(rows).iter().map(|subject| table(subject)).collect()
}

fn table(subject: &[&Row]) -> String {
    let Some(&first) = subject.first() else { return String::new() };
    let Row { benchmark, measure, unit, corpus, agent, dialect, base, items, .. } = first;
    let mut out = format!(
        "\n## {benchmark}: {measure}, {unit}\n\n{corpus}, {agent}, {dialect}; {items} items; base {base}\n\n\
         | engine | min | median | max | ratio | remark |\n|---|--:|--:|--:|--:|---|\n"
    );
    for row in subject {
        let engine = [row.engine.as_str(), row.version.as_str()].join(" ");
        let [min, median, max] = [row.min, row.median, row.max].map(figure);
        let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let note = row.note.trim_end_matches("; ");
        writeln!(out, "| {} | {min} | {median} | {max} | {ratio} | {note} |", engine.trim())
            .expect("writing to a String cannot fail");
    }
    out
}

/// A figure with a suitable number of digits.
pub(crate) fn figure(value: f64) -> String {
    match value {
        value if !value.is_finite() => "–".to_owned(),
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}

fn file_name(row: &Row) -> String {
    let name = format!("{}-{}", row.benchmark, row.measure);
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
