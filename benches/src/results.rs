//! Measured results, as rows of a CSV file.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::definition::Definition;
use crate::machine::{Machine, version};
use crate::timing::{median, ratio};

/// One engine's figures in one benchmark.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) engine: String,
    /// The measure: how the engine was queried, or which of several figures.
    pub(crate) measure: String,
    pub(crate) unit: &'static str,
    /// Number of items that each value is the mean of.
    pub(crate) items: usize,
    /// One value per round.
    pub(crate) values: Vec<f64>,
    pub(crate) note: String,
}

/// One line of a result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) date: String,
    pub(crate) benchmark: String,
    pub(crate) corpus: String,
    pub(crate) agent: String,
    pub(crate) dialect: String,
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) measure: String,
    pub(crate) unit: String,
    pub(crate) items: usize,
    pub(crate) rounds: usize,
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
    pub(crate) base: String,
    /// The ratio to the base's figure in the same run.
    pub(crate) ratio: Option<f64>,
    pub(crate) note: String,
    pub(crate) cpu: String,
    pub(crate) cores: usize,
    pub(crate) rustc: String,
}

impl Row {
    /// The key of a comparison between engines: benchmark and measure.
    pub(crate) fn subject(&self) -> (&str, &str) {
        (&self.benchmark, &self.measure)
    }

    /// The key of a comparison between runs.
    pub(crate) fn key(&self) -> (String, String, String) {
        (self.benchmark.clone(), self.measure.clone(), self.engine.clone())
    }
}

/// The rows of a benchmark's samples. The base of a measure is the base engine's same measure, or its only one.
pub(crate) fn rows(definition: &Definition, samples: &[Sample], machine: &Machine) -> Vec<Row> {
    let date = jiff::Zoned::now().date().to_string();
    let base = |measure: &str| {
        let of_base = || samples.iter().filter(|sample| sample.engine == definition.base);
        let same = of_base().find(|sample| sample.measure == measure);
        same.or_else(|| of_base().next().filter(|_| of_base().count() == 1))
    };
    let one = |sample: &Sample| Row {
        date: date.clone(),
        benchmark: definition.name.clone(),
        corpus: definition.corpus.clone(),
        agent: definition.agent.to_owned(),
        dialect: definition.dialect.to_string(),
        engine: sample.engine.clone(),
        version: version(&sample.engine).to_owned(),
        measure: sample.measure.clone(),
        unit: sample.unit.to_owned(),
        items: sample.items,
        rounds: sample.values.len(),
        min: sample.values.iter().copied().fold(f64::INFINITY, f64::min),
        median: median(sample.values.clone()),
        max: sample.values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        base: definition.base.clone(),
        ratio: base(&sample.measure)
            .filter(|base| base.unit == sample.unit)
            .map(|base| ratio(&sample.values, &base.values))
            .filter(|ratio| ratio.is_finite()),
        note: sample.note.clone(),
        cpu: machine.cpu.clone(),
        cores: machine.cores,
        rustc: machine.rustc.to_owned(),
    };
    samples.iter().map(one).collect()
}

pub(crate) fn write(path: &Path, rows: &[Row]) -> Result<()> {
    let mut writer = csv::Writer::from_path(path).with_context(|| path.display().to_string())?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}

pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    let mut reader = csv::Reader::from_path(path).with_context(|| path.display().to_string())?;
    let rows: Result<Vec<Row>, _> = reader.deserialize().collect();
    rows.with_context(|| path.display().to_string())
}

/// The rows grouped by [`Row::subject`], in the order of the file.
pub(crate) fn by_subject(rows: &[Row]) -> Vec<Vec<&Row>> {
    let mut place: HashMap<(&str, &str), usize> = HashMap::new();
    let mut subjects: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        let index = *place.entry(row.subject()).or_insert(subjects.len());
        if index == subjects.len() {
            subjects.push(Vec::new());
        }
        subjects[index].push(row);
    }
    subjects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_to_the_base_of_the_same_measure() {
        let definitions = crate::definition::all(&crate::definition::directory(), "check-hot").unwrap();
        let definition = Definition { base: "cat".to_owned(), ..definitions[0].clone() };
        let sample = |engine: &str, measure: &str, value: f64| Sample {
            engine: engine.to_owned(),
            measure: measure.to_owned(),
            unit: "ns/URL",
            items: 1,
            values: vec![value, value],
            note: String::new(),
        };
        let samples = vec![sample("a", "URL", 8.0), sample("cat", "URL", 2.0), sample("a", "prepared", 1.0)];
        let rows = rows(&definition, &samples, &Machine::here());
        assert_eq!(rows.iter().map(|row| row.ratio).collect::<Vec<_>>(), [Some(4.0), Some(1.0), Some(0.5)]);

        let file = tempfile::NamedTempFile::new().unwrap();
        write(file.path(), &rows).unwrap();
        let again = read(file.path()).unwrap();
        assert_eq!(again.len(), 3);
        assert_eq!(again[0].key(), rows[0].key());
        assert_eq!(by_subject(&again).len(), 2);
    }
}
