//! `cmp`: compares two results.

use std::collections::HashMap;
use std::fmt::Write;

use crate::report::figure;
use crate::results::Row;

/// The rows in both results that changed by more than `threshold` percent. Compares medians, and the ratios to the base
/// of the same run. Between runs on different days, only the ratios show whether an engine or the machine changed.
pub(crate) fn table(a: &[Row], b: &[Row], threshold: f64) -> String {
    let later: HashMap<_, &Row> = b.iter().map(|row| (row.key(), row)).collect();
    let mut out = "| benchmark | measure | engine | before | after | after / before | ratio to base, after / before |\n\
                   |---|---|---|--:|--:|--:|--:|\n"
        .to_owned();
    for before in a {
        let Some(after) = later.get(&before.key()) else { continue };
        let change = after.median / before.median;
        if !change.is_finite() || (change - 1.0).abs() * 100.0 < threshold {
            continue;
        }
        let of_ratios = before.ratio.zip(after.ratio).map(|(before, after)| format!("{:.3}", after / before));
        let Row { benchmark, measure, engine, .. } = before;
        let (old, new) = (figure(before.median), figure(after.median));
        let of_ratios = of_ratios.unwrap_or_default();
        writeln!(out, "| {benchmark} | {measure} | {engine} | {old} | {new} | {change:.3} | {of_ratios} |")
            .expect("writing to a String cannot fail");
    }
    out
}
