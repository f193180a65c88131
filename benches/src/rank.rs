//! `rank`: ranks engines over all comparisons of a result.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::results::{Row, by_subject};

/// The engines, best first, by the geometric mean of their time relative to the best engine of each comparison. A
/// comparison is one measure of one benchmark, in which at least two engines took part.
pub(crate) fn table(rows: &[Row], filter: &str) -> String {
    let kept: Vec<Row> =
        rows.iter().filter(|row| row.benchmark.contains(filter) && row.median.is_finite()).cloned().collect();
    let mut logarithms: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for subject in by_subject(&kept).into_iter().filter(|subject| subject.len() > 1) {
        let best = subject.iter().map(|row| row.median).fold(f64::INFINITY, f64::min);
        for row in subject {
            logarithms.entry(&row.engine).or_default().push((row.median / best).ln());
        }
    }
    let mean = |values: &Vec<f64>| (values.iter().sum::<f64>() / values.len() as f64).exp();
    let mut ranked: Vec<(&str, f64, usize)> =
        logarithms.iter().map(|(engine, values)| (*engine, mean(values), values.len())).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut out = "| engine | times the best (geometric mean) | comparisons |\n|---|--:|--:|\n".to_owned();
    for (engine, mean, count) in ranked {
        writeln!(out, "| {engine} | {mean:.2} | {count} |").expect("writing to a String cannot fail");
    }
    out
}
